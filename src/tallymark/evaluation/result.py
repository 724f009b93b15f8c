"""`Evaluation`: what the user holds. Every number is worked out when it is first asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from tallymark.errors import MetricError, OptionError
from tallymark.inference import Estimate, Sample, undefined
from tallymark.intake.costs import Costs
from tallymark.metrics import AVERAGES, METRICS, Asked, Average, ask
from tallymark.tallies import Binary, Confusion, Label
from tallymark.tallies.confusion import Share
from tallymark.tallies.labels import find, quoted

if TYPE_CHECKING:
    from tallymark.drawing import Document
    from tallymark.explanation import Explanation
    from tallymark.findings import Finding

NEEDS_SCORES = "needs a ranking by scores, which this version does not make"
_OTHER_SHARES = "class shares are not the sample's but"
PER_CLASS = ("precision", "recall", "fpr", "f1", "mcc")
AVERAGED = ("precision", "recall", "f1", "specificity", "fpr", "jaccard")


@dataclass(frozen=True)
class ClassResult(Mapping[str, Estimate]):
    """One class against the rest: its counts, and any metric by name."""

    label: Label
    tally: Binary
    _sample: Sample
    _position: int

    @property
    def support(self) -> float:
        """Rows that are this class."""
        support: float = self.tally.actual_positive
        return support

    def __getitem__(self, name: str) -> Estimate:
        return self._sample.of_class(ask(name), self._position)

    def __iter__(self) -> Iterator[str]:
        return iter(PER_CLASS)

    def __len__(self) -> int:
        return len(PER_CLASS)

    def __repr__(self) -> str:
        return f"ClassResult({quoted(self.label)}, support {self.support:,})"


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Everything that can be said about a classifier from its tally.

    >>> from tallymark import Confusion
    >>> ev = Confusion([[282, 75], [462, 4841]], labels=["1", "0"]).evaluate(pos_label="1")
    >>> round(ev["accuracy"].value, 3)
    0.905
    """

    sample: Sample | None
    labels: tuple[Label, ...]
    positive: Label | None
    rows: float
    dropped: Mapping[str, int]
    """Rows left out, and why."""
    threshold: float | None = None
    costs: Costs | None = None
    notes: tuple[str, ...] = ()
    """What was assumed on the way in and must be said."""
    chosen_here: str | None = None
    """What the threshold was tuned for on these very rows, if it was."""
    why_not: str | None = None
    """Why there are no counts, when there are none."""

    @property
    def task(self) -> str:
        return "binary" if len(self.labels) == 2 else "multiclass"

    @property
    def confusion(self) -> Confusion | None:
        """The counts (expected counts, after `at_prevalence`)."""
        return None if self.sample is None else self.sample.seen

    @property
    def position(self) -> int | None:
        """Where the positive class stands among the labels."""
        return None if self.positive is None else self.labels.index(self.positive)

    def __getstate__(self) -> dict[str, Any]:
        """Without what was worked out on the way, which can be worked out again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    # --- numbers -----------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Estimate:
        return self.estimate(ask(name))

    def __contains__(self, name: object) -> bool:
        try:
            return isinstance(name, str) and bool(ask(name))
        except MetricError:
            return False

    def __iter__(self) -> Iterator[str]:
        return iter(self.metrics)

    def estimate(self, asked: Asked) -> Estimate:
        """A number with its interval, or the reason why there is none."""
        if self.sample is None:
            return undefined(self.why_not or "")
        return self.sample.of(asked, self._position_for(asked))

    def _position_for(self, asked: Asked) -> int | None:
        """Which class a number is about; of two it may not matter, and then none need be named."""
        either = self.position is None and len(self.labels) == 2 and asked.metric.symmetric
        return 0 if either else self.position

    @cached_property
    def metrics(self) -> dict[str, Estimate]:
        """Every count-based number that needs no parameter, by canonical name, averages included."""
        names = [
            name
            for name, metric in METRICS.items()
            if not metric.parameters and (self.costs is not None or not metric.needs_costs)
        ]
        names += [f"{name}_{average}" for average in AVERAGES for name in AVERAGED]
        return {name: self[name] for name in names}

    @cached_property
    def per_class(self) -> dict[Label, ClassResult]:
        """Every class against the rest."""
        if self.sample is None:
            return {}
        return {
            label: ClassResult(label, tally, self.sample, position)
            for position, (label, tally) in enumerate(zip(self.labels, self.sample.classes, strict=True))
        }

    @cached_property
    def averages(self) -> dict[Average, dict[str, Estimate]]:
        """Averages over the classes: macro, micro and weighted by support."""
        return {average: {name: self[f"{name}_{average}"] for name in AVERAGED} for average in AVERAGES}

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What a careful teacher would point out."""
        from tallymark.findings import find_all

        return find_all(self)

    def at_prevalence(self, prevalence: float | Mapping[Label, float]) -> Evaluation:
        """The same rates under another class distribution.

        For two classes the share of the positive one; otherwise a share for every label.
        """
        if self.sample is None:
            raise OptionError("there are no counts to re-weigh.", hint=self.why_not)
        shares = self._shares(prevalence)
        seen = self.sample.confusion.margins.actual
        for share, rows, label in zip(shares, seen, self.labels, strict=True):
            if share > 0 and rows == 0:
                raise OptionError(f"no row is actually {quoted(label)}, so its rates are unknown.")
        kept = [note for note in self.notes if not note.startswith(_OTHER_SHARES)]
        pairs = zip(self.labels, shares, strict=True)
        said = ", ".join(f"{quoted(label)} {share:g}" for label, share in pairs)
        return replace(
            self,
            sample=replace(self.sample, shares=shares),
            notes=(*kept, f"{_OTHER_SHARES} {said}; counts are expected counts."),
        )

    def _shares(self, prevalence: float | Mapping[Label, float]) -> np.ndarray[Any, np.dtype[np.float64]]:
        if isinstance(prevalence, Mapping):
            given = {find(label, self.labels, "label"): _share(share) for label, share in prevalence.items()}
            shares = np.array([given.get(label, 0.0) for label in self.labels])
        else:
            if len(self.labels) != 2 or self.position is None:
                raise OptionError(
                    "one prevalence needs two classes and a positive one.",
                    hint="name the positive class, or pass {label: share} for all labels.",
                )
            shares = np.full(2, 1 - _share(prevalence))
            shares[self.position] = _share(prevalence)
        if not np.isfinite(shares).all() or (shares < 0).any() or abs(shares.sum() - 1) > 1e-9:
            raise OptionError(f"class shares lie between 0 and 1 and add up to 1; got {prevalence!r}.")
        return shares

    def explain(self, name: str) -> Explanation:
        """The formula of a number with this evaluation's numbers in it."""
        from tallymark.explanation import explain

        asked = ask(name)
        return explain(asked, self.sample, self._position_for(asked))

    # --- on paper ----------------------------------------------------------------------------

    def document(self, *, normalize: str | None = None, extra: tuple[str, ...] = ()) -> Document:
        """This evaluation described for any pen."""
        from tallymark.evaluation.description import describe

        _check_normalize(normalize)
        return describe(self, normalize=normalize, extra=extra)

    def __str__(self) -> str:
        from tallymark.drawing import text

        return text(self.document())

    def __repr__(self) -> str:
        positive = "" if self.positive is None else f", positive {quoted(self.positive)}"
        return f"Evaluation({self.task}, {self.rows:,} rows, {len(self.labels)} labels{positive})"

    def to_dict(self, *, normalize: str | None = None, extra: tuple[str, ...] = ()) -> dict[str, Any]:
        """The JSON document as Python values."""
        from tallymark.evaluation.form import to_form

        _check_normalize(normalize)
        return to_form(self, normalize=normalize, extra=extra)

    def to_json(self) -> str:
        """The JSON document (schema `tallymark/evaluation/1`)."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the evaluation whole or not at all; the suffix (.txt, .json) sets the format."""
        from tallymark.evaluation.saving import save

        save(path, {".txt": lambda: f"{self}\n", ".json": lambda: f"{self.to_json()}\n"}, overwrite=overwrite)


def _share(given: Any) -> float:
    try:
        if isinstance(given, bool | str):
            raise TypeError
        return float(given)
    except (TypeError, ValueError):
        raise OptionError(f"a class share is a number from 0 to 1; got {given!r}.") from None


def _check_normalize(by: str | None) -> None:
    if by not in (None, *get_args(Share)):
        raise OptionError(f"normalize must be one of {', '.join(get_args(Share))}; got {by!r}.")
