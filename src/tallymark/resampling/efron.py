"""The .632 and .632+ bootstrap: between the apparent error, too low, and the out-of-bag error, too high.

Efron (1983), Journal of the American Statistical Association 78:316-331; Efron and Tibshirani (1997),
the same journal 92:548-560.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import OptionError, ShapeError
from tallymark.evaluation import evaluate
from tallymark.intake.encoded import Encoded
from tallymark.intervals.checks import checked_number
from tallymark.resampling.folds import Folds, Ints

Bools = NDArray[np.bool_]
# The share of the rows a bootstrap sample has on average, 1 - 1/e, as the papers round it.
_IN, _OUT = 0.632, 0.368


@dataclass(frozen=True)
class Bootstrap632:
    """Error rates of one way to make a model; None where there is none, and `why` says the reason."""

    apparent: float
    """Of the model that learned all rows, on the rows it learned."""
    out_of_bag: float | None
    """Leave-one-out bootstrap: for each row the mean over the samples without it, then the mean over rows."""
    no_information: float | None
    """If answers and classes were independent, with the shares they have."""
    rows: int | None = None
    replicates: int | None = None
    never_out: int = 0
    """Rows that are in every sample, which the out-of-bag error leaves out."""
    notes: tuple[str, ...] = ()

    @property
    def overfitting(self) -> float | None:
        """The relative overfitting rate: from 0, none, to 1, the model is no better than no information."""
        if self.out_of_bag is None or self.no_information is None:
            return None
        return _overfitting(self.apparent, self.out_of_bag, self.no_information)

    @property
    def weight(self) -> float | None:
        """What the out-of-bag error counts in .632+, from 0.632 to 1."""
        return None if self.overfitting is None else _IN / (1 - _OUT * self.overfitting)

    @property
    def error_632(self) -> float | None:
        """0.368 apparent + 0.632 out_of_bag."""
        return None if self.out_of_bag is None else _OUT * self.apparent + _IN * self.out_of_bag

    @property
    def error_632_plus(self) -> float | None:
        """(1 - weight) apparent + weight out_of_bag, while out_of_bag is not above no_information."""
        error, gamma = self.out_of_bag, self.no_information
        if error is None or gamma is None:
            return None
        rate = _overfitting(self.apparent, error, gamma)
        # As in 1997: what is added to .632 is bounded by no_information; .632 itself is not.
        added = (min(error, gamma) - self.apparent) * _OUT * _IN * rate / (1 - _OUT * rate)
        return _OUT * self.apparent + _IN * error + added

    @property
    def why(self) -> str | None:
        """Why a number is None."""
        if self.out_of_bag is None:
            return "no row is ever out of bag"
        return "the no-information error is not known" if self.no_information is None else None

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        names = ("apparent", "out_of_bag", "no_information", "overfitting", "weight")
        form = {name: getattr(self, name) for name in (*names, "error_632", "error_632_plus")}
        counts = {"rows": self.rows, "replicates": self.replicates, "never_out": self.never_out}
        said = {"why": self.why, "notes": list(self.notes)}
        return form | (counts if self.rows is not None else {}) | {k: v for k, v in said.items() if v}

    def __str__(self) -> str:
        from tallymark.drawing import number

        lines = [
            f".632+ error {number(self.error_632_plus)}, .632 error {number(self.error_632)}",
            f"apparent {number(self.apparent)}, out of bag {number(self.out_of_bag)}, "
            f"no information {number(self.no_information)}, overfitting {number(self.overfitting)}, "
            f"weight {number(self.weight)}",
        ]
        return "\n".join([*lines, *([f"undefined: {self.why}."] if self.why else []), *self.notes])


def bootstrap_632(
    y: Any = None,
    y_pred: Any = None,
    *,
    replicates: Any = None,
    in_bag: Any = None,
    apparent: float | None = None,
    out_of_bag: float | None = None,
    no_information: float | None = None,
) -> Bootstrap632:
    """The .632 and .632+ error, from answers or from figures.

    From answers: `y_pred` of the model that learned all rows; `replicates`, for each bootstrap sample what
    the model that learned it answers to every row, or only to the rows out of bag, in order; and `in_bag`,
    for each sample a boolean per row, how often each row was drawn, or the positions of the rows drawn (or
    the folds of a `Bootstrap`). From figures: the error rates `apparent`, `out_of_bag` and
    `no_information`; without the last there is no .632+.

    >>> errors = bootstrap_632(apparent=0.1, out_of_bag=0.3, no_information=0.5)
    >>> round(errors.error_632, 4), round(errors.overfitting, 4), round(errors.error_632_plus, 4)
    (0.2264, 0.5, 0.2549)
    """
    rows = {"y": y, "y_pred": y_pred, "replicates": replicates, "in_bag": in_bag}
    figures = {"apparent": apparent, "out_of_bag": out_of_bag, "no_information": no_information}
    by_rows, by_figures = (
        [name for name, value in given.items() if value is not None] for given in (rows, figures)
    )
    if by_rows and by_figures:
        raise OptionError(
            f"errors are taken from answers or from figures; got {by_rows[0]} and {by_figures[0]}."
        )
    needed = ("apparent", "out_of_bag") if by_figures else tuple(rows)
    absent = [name for name in needed if name not in (by_figures or by_rows)]
    if absent:
        raise OptionError(
            f"{' and '.join(absent)} {'is' if len(absent) == 1 else 'are'} missing.",
            hint="pass y, y_pred, replicates= and in_bag=; or apparent=, out_of_bag= and no_information=.",
        )
    if by_figures:
        blind = None if no_information is None else _share("no_information", no_information)
        return Bootstrap632(_share("apparent", apparent), _share("out_of_bag", out_of_bag), blind)
    classes, answers = _column("y", y), _column("y_pred", y_pred)
    if len(classes) != len(answers):
        raise ShapeError(f"y has {len(classes):,} rows and y_pred has {len(answers):,}.")
    return _from_answers(classes, answers, _listed(replicates), in_bag)


def _overfitting(apparent: float, out_of_bag: float, no_information: float) -> float:
    if out_of_bag <= apparent or no_information <= apparent:
        return 0.0
    return min((out_of_bag - apparent) / (no_information - apparent), 1.0)


def _from_answers(
    y: NDArray[Any], y_pred: NDArray[Any], replicates: Sequence[Any], in_bag: Any
) -> Bootstrap632:
    rows = len(y)
    out, notes = _out_of_bag(in_bag, rows)
    if len(replicates) != len(out):
        raise ShapeError(
            f"replicates has {len(replicates):,} bootstrap samples and in_bag {len(out):,}.",
            hint="both have a line per bootstrap sample, and in it a place per row.",
        )
    answers = [
        _answers(sample, each, drawn)
        for sample, (each, drawn) in enumerate(zip(replicates, out, strict=True))
    ]
    which = np.concatenate([np.flatnonzero(drawn) for drawn in out])
    wrong, gamma = _wrong(np.concatenate([y, y[which]]), _together([y_pred, *answers]), rows)
    times = out.sum(axis=0)
    errors = np.bincount(which, wrong[rows:], minlength=rows)
    ever = times > 0
    never = rows - int(ever.sum())
    if 0 < never < rows:
        left_out = f"{never:,} of {rows:,} rows are in every bootstrap sample"
        notes = (*notes, f"{left_out}: the out-of-bag error is of the others.")
    oob = float(np.mean(errors[ever] / times[ever])) if ever.any() else None
    return Bootstrap632(float(wrong[:rows].mean()), oob, gamma, rows, len(out), never, notes)


def _wrong(actual: NDArray[Any], predicted: NDArray[Any], rows: int) -> tuple[Bools, float]:
    """Which answers are wrong, and how many would be if those to the first rows were given blindly."""
    seen = evaluate(actual, predicted).encoded
    if not isinstance(seen, Encoded):  # lists of sets
        raise ShapeError("rows have several labels; one label each is expected.")
    size = len(seen.labels)
    classes, called = (np.bincount(side[:rows], minlength=size) for side in (seen.actual, seen.predicted))
    return seen.actual != seen.predicted, 1 - int(classes @ called) / rows**2


def _answers(sample: int, given: Any, out: Bools) -> NDArray[Any]:
    """Answers to the rows out of bag."""
    answers = np.asarray(given)
    if answers.ndim == 1 and len(answers) == len(out):
        return answers[out]
    if answers.ndim == 1 and len(answers) == out.sum():
        return answers
    came = f"{len(answers):,}" if answers.ndim == 1 else f"an array of {answers.ndim} dimensions"
    raise ShapeError(
        f"replicate {sample + 1} needs answers to all {len(out):,} rows, or to its {out.sum():,} out of bag; "
        f"got {came}."
    )


def _together(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    # Numbers beside text would become text.
    kinds = {part.dtype.kind for part in parts}
    mixed = len(kinds) > 1 and not kinds <= set("biuf")
    return np.concatenate([part.astype(object) for part in parts] if mixed else parts)


def _column(name: str, given: Any) -> NDArray[Any]:
    values = np.asarray(given)
    if values.ndim != 1 or not len(values):
        raise ShapeError(f"{name} needs a label per row; got {type(given).__name__} of shape {values.shape}.")
    return values


def _listed(given: Any) -> list[Any]:
    if isinstance(given, str) or not hasattr(given, "__len__"):
        raise ShapeError(f"a line per bootstrap sample is expected; got {type(given).__name__}.")
    return list(np.asarray(given) if hasattr(given, "__array__") else given)


def _out_of_bag(in_bag: Any, rows: int) -> tuple[Bools, tuple[str, ...]]:
    """A line per bootstrap sample that marks the rows it does not have."""
    if isinstance(in_bag, Folds):
        if in_bag.rows != rows:
            raise ShapeError(f"the folds are of {in_bag.rows:,} rows, and there are {rows:,}.")
        return _not_drawn([fold.train for fold in in_bag.folds], rows), ()
    samples = [_whole(sample, each) for sample, each in enumerate(_listed(in_bag))]
    if not samples:
        raise ShapeError("there is no bootstrap sample.")
    if any(each.dtype == bool for each in samples):
        for sample, each in enumerate(samples):
            if each.dtype != bool or len(each) != rows:
                raise ShapeError(
                    f"in_bag {sample + 1} needs a boolean for each of {rows:,} rows; got {len(each):,} "
                    f"{each.dtype} values."
                )
        return ~np.array(samples), ()
    if all(len(each) == rows for each in samples):
        table = np.array(samples)
        if (table.sum(axis=1) == rows).all() or table.max() <= 1:
            return table == 0, ("in_bag was read as how often each row was drawn.",)
        if table.max() < rows / 2:
            raise OptionError(
                f"in_bag may be counts or positions: as counts of {rows:,} rows they do not add up to "
                f"{rows:,}, as positions they never reach the later half of the rows.",
                hint="pass booleans: for counts that is in_bag > 0.",
            )
    return _not_drawn(samples, rows), ("in_bag was read as the positions of the rows drawn.",)


def _not_drawn(samples: Sequence[Ints], rows: int) -> Bools:
    out = np.ones((len(samples), rows), bool)
    for sample, drawn in enumerate(samples):
        if len(drawn) and int(drawn.max()) >= rows:
            raise ShapeError(
                f"in_bag {sample + 1} names row {int(drawn.max()):,}, and there are rows 0 to {rows - 1:,}."
            )
        out[sample, drawn] = False
    return out


def _whole(sample: int, given: Any) -> NDArray[Any]:
    values = np.asarray(given)
    if values.ndim == 1 and values.dtype.kind == "f" and (values == np.floor(values)).all():
        values = values.astype(np.int64)
    if values.ndim != 1 or values.dtype.kind not in "biu" or (len(values) and int(values.min()) < 0):
        raise OptionError(
            f"in_bag {sample + 1}: a boolean per row, a count per row or positions of rows are expected, "
            f"numbers from 0 up; got {values.dtype} values in {values.ndim} dimensions."
        )
    return values


def _share(name: str, value: object) -> float:
    share = checked_number(name, value)
    if not 0 <= share <= 1:
        raise OptionError(f"{name} is an error rate, from 0 to 1; got {value!r}.")
    return share
