"""Rows with several labels each, with their weights, groups and slices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.intake.columns import LabelColumn, NumberColumn
from tallymark.intake.encoded import Encoded, encoded, freeze_rows
from tallymark.intake.sets.label_sets import EncodedSets
from tallymark.intake.weights import WeightKind, checked_weights
from tallymark.tallies import Keyed, Label, LabelSets


@dataclass(frozen=True, eq=False)
class SetRows:
    """Which labels every row has and was given, and what else is known of it."""

    sets: EncodedSets
    weight: NDArray[Any] | None = None
    weight_kind: WeightKind = "sampling"
    group: LabelColumn | None = None
    slices: Mapping[str, LabelColumn] = field(default_factory=dict)

    def __post_init__(self) -> None:
        sides = self.sets.actual, self.sets.predicted
        freeze_rows(*sides, self.weight, self.group, *self.slices.values())

    @classmethod
    def of(
        cls,
        sets: EncodedSets,
        weight: NumberColumn | None,
        weight_kind: WeightKind,
        group: LabelColumn | None,
        slices: Mapping[str, LabelColumn],
    ) -> SetRows:
        """What stands beside the sets, without the rows that the sets went without."""
        sets = sets.finished()
        if sets.kept is not None:
            weight = None if weight is None else replace(weight, values=weight.values[sets.kept])
            group = None if group is None else replace(group, values=group.values[sets.kept])
            slices = {
                name: replace(column, values=column.values[sets.kept]) for name, column in slices.items()
            }
        weights = None if weight is None else checked_weights(weight, weight_kind, sets.where)
        return cls(sets, weights, weight_kind, group, slices)

    def __len__(self) -> int:
        return len(self.sets)

    @property
    def dropped(self) -> Mapping[str, int]:
        return self.sets.dropped

    def at(self, rows: NDArray[np.int64]) -> SetRows:
        """Some of the rows; their slices are no longer asked for."""
        sets = replace(
            self.sets, actual=self.sets.actual[rows], predicted=self.sets.predicted[rows], dropped={}
        )
        return SetRows(
            sets,
            None if self.weight is None else self.weight[rows],
            self.weight_kind,
            None if self.group is None else replace(self.group, values=self.group.values[rows]),
        )

    @property
    def labels(self) -> tuple[Label, ...]:
        return self.sets.labels

    @property
    def score(self) -> None:
        """There is none: sets are answers."""
        return None

    def side(self, of: str, chosen: NDArray[np.int64]) -> NDArray[Any]:
        """`y_true` or `y_pred` of some rows, as zeros and ones, a column per label."""
        table = self.sets.actual if of == "y_true" else self.sets.predicted
        return table[chosen].astype(np.int64)

    def tally(self, *, pairs: bool = True) -> LabelSets:
        """These rows counted with their weights."""
        return self.sets.count(self.weight, frequency=self.weight_kind == "frequency", pairs=pairs)

    def grouped(self) -> Keyed[LabelSets]:
        """These rows counted group by group."""
        assert self.group is not None
        keys, group = encoded(self.group)
        order = np.argsort(group, kind="stable")
        parts: Sequence[NDArray[np.int64]] = np.split(order, np.cumsum(np.bincount(group))[:-1])
        tallies = {key: self.at(rows).tally(pairs=False) for key, rows in zip(keys, parts, strict=True)}
        # A group without weight is none: it would make the others look like more of a sample.
        return Keyed({key: tally for key, tally in tallies.items() if tally.n})


AnyRows = Encoded | SetRows
"""Rows that have one label each, or several."""
