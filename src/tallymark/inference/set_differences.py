"""How much a part of the rows differs from all of them, when rows have several labels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tallymark.inference.differences import THE_REST
from tallymark.inference.draws import Drawn
from tallymark.inference.estimate import Estimate, undefined
from tallymark.inference.sample import ONE_GROUP
from tallymark.inference.set_draws import drawn_part_and_whole
from tallymark.inference.sets import SetSample
from tallymark.metrics import Asked
from tallymark.tallies import SetSizes


@dataclass(frozen=True)
class SetDifference:
    """A part of rows with several labels against the whole of them."""

    part: SetSample
    whole: SetSample

    def of(self, asked: Asked, position: int | None) -> Estimate:  # noqa: ARG002 - sets have no position
        """The number in the part less the number in the whole."""
        level = self.whole.level
        values = [side.of(asked, None) for side in (self.part, self.whole)]
        for estimate in values:
            if estimate.value is None:
                return undefined(estimate.why or "", level)
        difference = float(values[0]) - float(values[1])
        drawn = self._drawn
        if isinstance(drawn, str):
            return Estimate(difference, level, remark=drawn, assumption=self.whole.assumption)
        metric, empty_sets = asked.metric, self.whole.empty_sets

        def apart(both: tuple[SetSizes, SetSizes]) -> Any:
            return metric(both[0], empty_sets) - metric(both[1], empty_sets)

        return Estimate(
            difference,
            level,
            "dirichlet" if self.whole.groups is None else "group_bootstrap",
            values[0].n,
            self.whole.assumption,
            ends_at=lambda at: drawn.limits(apart, difference, (-1.0, 1.0), at),
        )

    @cached_property
    def _drawn(self) -> Drawn[tuple[SetSizes, SetSizes]] | str:
        if self.part.rows == self.whole.rows:
            return THE_REST
        groups = None
        if self.part.groups is not None and self.whole.groups is not None:
            if len(self.part.groups) < 2:
                return ONE_GROUP
            groups = [self.part.groups, self.whole.groups]
        return drawn_part_and_whole(self.part.tally, self.whole.tally, groups, self.whole.seed)
