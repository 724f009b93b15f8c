"""How much a part of the rows differs from all of them, when rows have several labels."""

from __future__ import annotations

from typing import Any

from tallymark.inference.differences import THE_REST, PartAndWhole, Question
from tallymark.inference.draws import Drawn
from tallymark.inference.set_draws import drawn_part_and_whole
from tallymark.inference.sets import SetSample
from tallymark.tallies import SetSizes


class SetDifference(PartAndWhole[SetSample]):
    """A part of rows that have several labels each."""

    def value(self, question: Question, side: SetSizes) -> Any:
        return question[0].metric(side, self._whole.empty_sets)

    def drawn(self, most: int) -> Drawn[tuple[SetSizes, SetSizes]] | str:
        part, whole = self._part, self._whole
        if part.rows == whole.rows:
            return THE_REST
        groups = None
        if part.groups is not None and whole.groups is not None:
            groups = [part.groups, whole.groups]
        return drawn_part_and_whole(part.tally, whole.tally, groups, whole.seed, most)
