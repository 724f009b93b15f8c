"""Scores people pass, checked: two columns that belong together, and tables of data sets by models."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import ColumnError, OptionError, ShapeError, precise
from tallymark.intake import frames
from tallymark.intake.sources import only_column, refuse_shuffled
from tallymark.intervals.checks import checked_number, on_one_line

Floats = NDArray[np.float64]

# Scores are squared; beyond this the squares leave the range of floating point.
_LARGEST = 1e150
# Significant decimals of a difference. 0.936 - 0.931 and 0.768 - 0.763 must be the same 0.005.
_DECIMALS = 13


@dataclass(frozen=True, eq=False)
class Table:
    """Scores of several models, one row per data set."""

    scores: Floats
    names: tuple[str, ...] | None
    """Names of the models, when the table has them."""

    @property
    def data_sets(self) -> int:
        return len(self.scores)

    @property
    def models(self) -> int:
        return int(self.scores.shape[1])


def checked_choice(name: str, given: object, allowed: Any) -> None:
    """Refuse a word that the `Literal` does not have."""
    if given not in get_args(allowed):
        raise OptionError(f"{name} must be one of {', '.join(get_args(allowed))}; got {given!r}.")


def checked_scores(given: Any, name: str, counted: str) -> Floats:
    """A column of finite numbers, one per fold or data set."""
    given = only_column(given)
    try:
        column = np.asarray(given)
    except (TypeError, ValueError):
        raise ShapeError(f"{name} must be a list of numbers, one per {counted}.") from None
    if column.ndim != 1:
        came = on_one_line(given) if column.ndim == 0 else f"shape {column.shape}"
        raise ShapeError(f"{name} must be a list of numbers, one per {counted}; got {came}.")
    if not len(column):
        raise ShapeError(f"{name} is empty; it needs one number per {counted}.")
    if column.dtype.kind not in "iuf":
        _refuse_others(column, name, counted)
    numbers = column.astype(np.float64)
    wrong = ~(np.abs(numbers) < _LARGEST)
    if wrong.any():
        at = int(np.argmax(wrong))
        missing = math.isnan(numbers[at])
        what = "no number (NaN)" if missing else on_one_line(column[at].item())
        hint = f"leave that {counted} out." if missing else None
        raise ShapeError(f"{name} has {what} at place {at + 1}; it takes finite numbers.", hint=hint)
    return numbers


def _refuse_others(column: NDArray[Any], name: str, counted: str) -> None:
    for at, value in enumerate(column.tolist()):
        number = not isinstance(value, bool) and isinstance(value, Real)
        if number and column.dtype.kind == "O":
            continue
        hint = "leave out what is no number, such as names." if isinstance(value, str) else None
        if value is None:
            hint = f"leave that {counted} out."
        raise ShapeError(f"{name} has {on_one_line(value)} at place {at + 1}; it takes numbers.", hint=hint)


def differences(a: Any, b: Any, counted: str) -> tuple[Floats, Floats, Floats]:
    """Both columns checked, and a less b without the noise of floating point."""
    refuse_shuffled(a, b)
    first, second = checked_scores(a, "a", counted), checked_scores(b, "b", counted)
    if len(first) != len(second):
        raise ShapeError(
            f"a has {len(first)} scores and b has {len(second)}; they belong together {counted} by {counted}."
        )
    return first, second, without_noise(first - second, max(np.abs(first).max(), np.abs(second).max()))


def without_noise(values: Floats, largest: float) -> Floats:
    """Values rounded at the last digits that scores of this size can tell apart."""
    if not largest:
        return values
    # A largest score that rounds up to a power of ten counts as that, so a second pass changes nothing.
    size = math.floor(math.log10(largest * (1 + 1e-12)))
    return np.round(values, min(_DECIMALS - size, 300)) + 0.0


def checked_table(given: Any) -> Table:
    """A table of data sets by models: a frame, a mapping of columns, or rows of numbers."""
    named = named_columns(given)
    if named is None:
        names, columns = None, _plain_columns(given)
    else:
        names = tuple(named)
        columns = [checked_scores(column, f"column {name!r}", "data set") for name, column in named.items()]
    if len(columns) < 2:
        came = "one model" if columns else "none"
        raise ShapeError(
            f"a table needs two models or more; got {came}.", hint="rows are data sets, columns are models."
        )
    if len({len(column) for column in columns}) > 1:
        sizes = ", ".join(str(len(column)) for column in columns)
        raise ShapeError(f"every model needs a score on every data set; the columns have {sizes} scores.")
    return Table(np.column_stack(columns), names)


def named_columns(given: Any) -> dict[str, Any] | None:
    """The columns of a mapping or a frame by name; None for anything else."""
    if isinstance(given, Mapping):
        refuse_shuffled(*given.values())
        found = {str(name): column for name, column in given.items()}
        if len(found) < len(given):
            raise ColumnError("two models of the table have the same name.", hint="rename one of them.")
        return found
    if isinstance(given, np.ndarray | Sequence) or not frames.is_frame(given):
        return None
    columns = frames.frame_columns(given, _names(given))
    return {name: column.to_numpy() for name, column in columns.items()}


def _names(frame: Any) -> list[str]:
    """Every name of a frame, as often as it is there."""
    if hasattr(frame, "iloc"):
        return [str(name) for name in frame.columns]
    return list(getattr(frame, "column_names", None) or frames.frame_names(frame))


def _plain_columns(given: Any) -> list[Floats]:
    try:
        rows = np.asarray(given)
    except (TypeError, ValueError):
        raise ShapeError(
            "every data set needs a score of every model; the rows are not equally long."
        ) from None
    if rows.ndim != 2 or not len(rows):
        came = on_one_line(given) if rows.ndim == 0 else f"shape {rows.shape}"
        raise ShapeError(f"the table must have a row per data set and a column per model; got {came}.")
    return [checked_scores(column, f"model {at + 1}", "data set") for at, column in enumerate(rows.T)]


def overlap(scores: int, n_train: Any, n_test: Any, runs: Any) -> tuple[float | None, str]:
    """Rows tested by rows trained on, and where that is from; None when nothing can tell."""
    if (n_train is None) != (n_test is None):
        given, absent = ("n_train", "n_test") if n_test is None else ("n_test", "n_train")
        raise OptionError(
            f"{given} was given without {absent}.", hint="give both, or neither for cross-validation."
        )
    if n_train is not None:
        return _stated_overlap(_sizes(n_train, "n_train", scores), _sizes(n_test, "n_test", scores))
    runs = checked_number("runs", runs)
    if runs < 1 or runs != int(runs):
        raise OptionError(f"runs must be a whole number from 1 up; got {precise(runs, 1, round(runs))}.")
    runs = int(runs)
    if scores == 1:
        return None, ""
    folds, rest = divmod(scores, runs)
    if rest:
        raise OptionError(f"{scores} scores are not {runs} runs of equally many folds.")
    if folds == 1:
        raise OptionError(
            f"{scores} scores in {runs} runs are one fold per run, which says nothing of the training set.",
            hint="give n_train and n_test, the rows trained on and tested on.",
        )
    said = f"{runs} {'run' if runs == 1 else 'runs'} of {folds}-fold cross-validation"
    return 1 / (folds - 1), f"sizes taken from {said}: rows tested / rows trained on = 1/{folds - 1}"


def _sizes(given: Any, name: str, scores: int) -> Floats:
    if np.ndim(given) == 0:
        sizes = np.array([float(checked_number(name, given))])
    else:
        sizes = checked_scores(given, name, "fold")
        if len(sizes) != scores:
            raise ShapeError(
                f"{name} has {len(sizes)} sizes for {scores} folds.", hint="give one number, or one per fold."
            )
    if sizes.min() <= 0:
        raise OptionError(f"{name} must be above 0; got {precise(sizes.min(), 0)}.")
    return sizes


def _stated_overlap(n_train: Floats, n_test: Floats) -> tuple[float, str]:
    ratios = n_test / n_train
    mean = float(ratios.mean())
    if np.ptp(ratios) > 1e-12 * mean:
        return mean, f"rows tested / rows trained on = {mean:.4g}, the mean of the folds"
    return mean, f"rows tested / rows trained on = {mean:.4g}"
