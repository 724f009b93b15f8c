"""Slices: the same evaluation for the rows of every region, every age, every region and age."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import MetricError, OptionError
from tallymark.inference import AnySample, Difference, Estimate, Sample, SetDifference, SetSample, undefined
from tallymark.intake.columns import LabelColumn
from tallymark.intake.encoded import Encoded, distinct, encoded
from tallymark.intake.rows import Rows
from tallymark.intake.sets.rows import AnyRows, SetRows
from tallymark.metrics import FROM_SCORES, ask
from tallymark.tallies import Label

if TYPE_CHECKING:
    from tallymark.evaluation.ranked import Ranked
    from tallymark.evaluation.result import Evaluation

MOST_SLICES = 1_000
OF_COUNTS = "differences from the whole are made of counts; compare the numbers and their intervals"
FEW_ROWS = 30
"""A slice with fewer rows is marked: a share of one half is then unsure by more than 0.16 either way."""

Key = dict[str, Label]


@dataclass(frozen=True)
class Slice:
    """The rows with certain values in the columns sliced by, evaluated on their own."""

    slice: Key
    evaluation: Evaluation
    whole: Evaluation
    among: int
    """How many slices there are by the same columns."""

    def __getstate__(self) -> dict[str, Any]:
        """Without the difference, which can be made again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @property
    def rows(self) -> float:
        return self.evaluation.rows

    @property
    def name(self) -> str:
        """`region=north, sex=f`"""
        return ", ".join(f"{column}={value}" for column, value in self.slice.items())

    @property
    def few(self) -> bool:
        """Whether there are too few rows to say much."""
        return self.rows < FEW_ROWS

    def __getitem__(self, name: str) -> Estimate:
        return self.evaluation[name]

    def difference(self, name: str) -> Estimate:
        """A number in this slice less the same number in all rows."""
        asked = ask(name)
        if asked.average or asked.metric.name == "balanced_accuracy":
            raise MetricError(
                f"{name!r} averages over classes, which need not be the same in a slice; differences are "
                "made of numbers about all rows or about one class."
            )
        if asked.metric.about in FROM_SCORES:
            return undefined(OF_COUNTS)
        if self.whole.counted is None:
            return undefined(self.whole.why_not or "")
        return self._difference.of(asked, self.whole.position_for(asked))

    @cached_property
    def _difference(self) -> Difference | SetDifference:
        part, whole = self.evaluation.counted, self.whole.counted
        together = [(asked, self.whole.position_for(asked)) for asked in map(ask, headlines(self.whole))]
        if isinstance(part, SetSample) and isinstance(whole, SetSample):
            return SetDifference(part, whole, together)
        assert isinstance(part, Sample)
        assert isinstance(whole, Sample)
        return Difference(part, whole, together)

    def differs(self, name: str) -> bool:
        """Whether the difference is not 0, held to a level divided among all slices by these columns."""
        difference = self.difference(name)
        if difference.low is None or difference.high is None or difference.low <= 0 <= difference.high:
            return False
        strict = difference.interval(1 - (1 - difference.level) / self.among)
        return strict.low is not None and strict.high is not None and not strict.low <= 0 <= strict.high

    def marks(self, name: str) -> list[str]:
        """What must be said beside a number of this slice."""
        few = ["few rows"] if self.few else []
        among = f"differs, also with the error shared out among {self.among} slices (Bonferroni)"
        return [*few, *([among] if self.differs(name) else [])]

    def __repr__(self) -> str:
        return f"Slice({self.name}, {self.rows:,} rows)"


def ranked_headlines(ev: Evaluation) -> tuple[str, ...]:
    """The numbers from scores that are shown of every slice."""
    if isinstance(ev.ranking(ev.position), str):
        return ()
    return ("auc",) if ev.counted is not None else ("auc", "average_precision")


def headlines(ev: Evaluation) -> tuple[str, ...]:
    """The numbers slices are compared by."""
    if ev.counted is None:
        return ()
    if ev.sets is not None:
        return ("subset_accuracy", "accuracy_example", "f1_example", "hamming_loss")
    return ("accuracy", "recall", "precision", "f1") if ev.positive is not None else ("accuracy", "mcc")


class Part(NamedTuple):
    """The counts of one slice."""

    key: Key
    rows: int
    counted: AnySample | None
    """None while there are no answers, but scores."""
    ranked: Ranked | None = None


def slice_up(
    whole: AnySample | None,
    rows: AnyRows | Rows,
    specs: Sequence[tuple[str, ...]],
    ranked: Ranked | None = None,
) -> tuple[Part, ...]:
    """The counts of every slice, slice by slice."""
    return tuple(part for names in specs for part in _by(whole, rows, names, ranked))


def _by(
    whole: AnySample | None, rows: AnyRows | Rows, names: tuple[str, ...], ranked: Ranked | None
) -> Iterator[Part]:
    keys, codes = _crossed(rows, names)
    # Few slices fit into two bytes, and those numpy sorts in linear time.
    order = np.argsort(codes.astype(np.uint16), kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=len(keys)))
    for key, chosen in zip(keys, np.split(order, ends[:-1]), strict=True):
        counted = None if whole is None or isinstance(rows, Rows) else _counted(whole, rows.at(chosen))
        weight = rows.weight
        number = len(chosen) if weight is None else int(np.count_nonzero(weight[chosen]))
        if counted is not None:
            number = counted.rows
        if number:  # rows without weight are not counted, and may be all of a slice
            yield Part(key, number, counted, None if ranked is None else ranked.at(chosen))


def _counted(whole: AnySample, rows: AnyRows) -> AnySample:
    """Some of the rows, counted as the whole was."""
    if isinstance(whole, SetSample):
        assert isinstance(rows, SetRows)
        return replace(whole, tally=rows.tally(), groups=None if whole.groups is None else rows.grouped())
    assert isinstance(rows, Encoded)
    confusion = rows.tally(declared=whole.confusion.declared)
    groups = None if whole.groups is None else rows.grouped(confusion)
    return replace(whole, confusion=confusion, groups=groups)


def _crossed(rows: AnyRows | Rows, names: tuple[str, ...]) -> tuple[list[Key], NDArray[np.int64]]:
    """The combinations of values that occur, in order, and which of them each row has."""
    values, positions = zip(*(_in_turn(rows.slices[name], name) for name in names), strict=True)
    sizes = tuple(map(len, values))
    if np.prod([float(size) for size in sizes]) > 2**62:
        raise OptionError(f"slices cross too many columns: {' and '.join(names)}.", hint="cross fewer.")
    seen, codes = distinct(np.ravel_multi_index(positions, sizes))
    _refuse_many(len(seen), names)
    places = np.stack(np.unravel_index(seen, sizes), axis=1).tolist()
    keys = [
        {name: found[at] for name, found, at in zip(names, values, place, strict=True)} for place in places
    ]
    return keys, codes


def _in_turn(column: LabelColumn, name: str) -> tuple[tuple[Label, ...], NDArray[np.int64]]:
    """Values of a column in the order to show, numbers by value also when they came as text."""
    values, positions = encoded(column)
    _refuse_many(len(values), (name,))
    try:
        numbers = [float(value) for value in values]
    except ValueError:
        return values, positions
    in_turn = np.argsort(numbers, kind="stable")
    return tuple(values[at] for at in in_turn), np.argsort(in_turn)[positions]


def _refuse_many(slices: int, names: tuple[str, ...]) -> None:
    if slices > MOST_SLICES:
        raise OptionError(
            f"slicing by {' and '.join(map(repr, names))} gives {slices:,} slices; "
            f"at most {MOST_SLICES:,} are made.",
            hint="slice by a column with fewer values; cut numbers into ranges.",
        )
