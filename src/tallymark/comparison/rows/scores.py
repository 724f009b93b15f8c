"""Two models' scores of the same rows, compared: of one class, or of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from tallymark.comparison.difference import NO_TEST, outcome_of
from tallymark.comparison.rows.aligned import Aligned
from tallymark.inference import Estimate, undefined
from tallymark.inference.paired_ranking import PairedRanking
from tallymark.inference.paired_scores.alike import alike
from tallymark.inference.paired_scores.classes import PairedClasses, paired_classes
from tallymark.inference.paired_scores.losses import named_reason
from tallymark.metrics import Asked, ask
from tallymark.tests.outcome import Alternative, Outcome

if TYPE_CHECKING:
    from tallymark.evaluation.ranked import Ranked, ScoredRows
    from tallymark.inference.paired_scores.gap import Evidence
    from tallymark.inference.swaps import Swapped

_TESTS = {
    "delong": "DeLong, paired",
    "linearised": "z, paired",
    "paired_t": "paired t over rows",
    "mover": "inverted interval",
}
IN_BINS = "{} counts rows in bins, and its difference has no honest interval"
MOST_SWAPS = 1_000
"""Each takes all rows."""


class Compared(Protocol):
    """What tells how far apart two models' numbers are."""

    def of(self, asked: Asked) -> Estimate: ...
    def tested(self, asked: Asked, alternative: Alternative = "two-sided") -> Evidence: ...


@dataclass(frozen=True, eq=False)
class PairedScores:
    """The scores of two models."""

    a: str
    b: str
    rows: Aligned
    level: float

    def of(self, asked: Asked) -> Estimate:
        """The difference of a number."""
        found, known_as = self._found(asked)
        if found is not None:
            return found.of(known_as)
        one, two = (self.rows.evs[name].estimate(asked) for name in (self.a, self.b))
        lacking = named_reason((one, two), (self.a, self.b))
        if lacking is not None:
            return undefined(lacking, self.level)
        said = IN_BINS.format(asked.name)
        return Estimate(float(one) - float(two), self.level, assumption=None, remark=said)

    def tested(self, asked: Asked, estimate: Estimate, alternative: Alternative) -> Outcome:
        """Whether that difference is more than chance."""
        found, asked = self._found(asked)
        if found is None:
            return outcome_of(estimate, NO_TEST, None, None, alternative)
        statistic, p_value, freedom = found.tested(asked, alternative)
        name = _TESTS.get((estimate.method or "").removesuffix("_groups"), "z, paired")
        name = NO_TEST if p_value is None else name
        return outcome_of(estimate, name, statistic, p_value, alternative, df=freedom)

    def permuted(self, asked: Sequence[Asked], draws: int, seed: int) -> dict[str, Swapped]:
        """The tests that swap the scores of the two models, of numbers about one class."""
        from tallymark.inference.paired_scores.permutation import permuted

        by_class: dict[int, dict[str, Asked]] = {}
        for each in asked:
            place = self._place(each)
            if place is not None:
                by_class.setdefault(place, {})[each.name] = self._found(each)[1]
        made: dict[str, Swapped] = {}
        for place, known_as in by_class.items():
            # Row by row: rows that are alike were counted once for all else, and are swapped one by one.
            ranking = self._row_by_row(place)
            found = permuted(ranking, list(known_as.values()), draws=min(draws, MOST_SWAPS), seed=seed)
            made |= dict(zip(known_as, found, strict=True))
        return made

    def is_swapped(self, asked: Asked) -> bool:
        """Whether a number can be tested by swapping: of several classes none is, nor is calibration."""
        return self._place(asked) is not None

    # --- what a number is compared by ------------------------------------------------------------

    def _found(self, asked: Asked) -> tuple[Compared | None, Asked]:
        """What a number is compared by, and under which name; None where each model has to say by itself."""
        place = self._place(asked)
        if place is not None:
            # Of two classes either is told from the other as well as the other from it.
            return self._of_class(place), ask("auc") if asked.metric.about == "classes" else asked
        return self._of_classes(asked), asked

    def _place(self, asked: Asked) -> int | None:
        """The class that a number is about, as an evaluation has it; None when it is about several."""
        about, of_score, two = asked.metric.about, self._sides[0].about, len(self.rows.labels) == 2
        named = self.rows.position
        if about == "scores":
            return named if two or of_score in (None, named) else None
        if about == "losses" and not self._votes:
            return 1 if two and of_score is None else of_score
        if about == "classes" and two and not asked.parameters:
            return 1 if named is None else named
        return None

    def _of_class(self, position: int) -> PairedRanking:
        if position not in self._by_class:
            self._by_class[position] = self._counted(position) or self._row_by_row(position)
        return self._by_class[position]

    @cached_property
    def _by_class(self) -> dict[int, PairedRanking]:
        return {}

    def _counted(self, position: int) -> PairedRanking | None:
        """Of rows that are alike, counted once; None where hardly any are."""
        first, second = self._scored
        if first.weight is not None or first.groups is not None:
            return None
        (score_a, is_positive), (score_b, _) = first.of(position), second.of(position)
        counted = alike(score_a, score_b, is_positive)
        if counted is None:
            return None
        return PairedRanking(
            *counted[:3],
            level=self.level,
            weight=counted.times,
            weight_kind="frequency",
            clip=self._sides[0].clip,
            names=(self.a, self.b),
        )

    def _row_by_row(self, position: int) -> PairedRanking:
        known = self.rows.ranked(position)
        clip, names = self._sides[0].clip, (self.a, self.b)
        return PairedRanking.of_ranked(known[self.a], known[self.b], level=self.level, clip=clip, names=names)

    def _of_classes(self, asked: Asked) -> PairedClasses | None:
        """Of all classes, where there is a probability for each."""
        one = self._sides[0]
        if one.about is not None or asked.metric.about not in ("losses", "classes"):
            return None
        if self._votes or (asked.metric.about == "classes" and isinstance(one.all_classes, str)):
            return None
        return self._all_classes

    @property
    def _votes(self) -> bool:
        """Whether scores are numbers of votes, which lose nothing."""
        return any(side.voters for side in self._sides)

    @cached_property
    def _all_classes(self) -> PairedClasses:
        first, second = self._scored
        return paired_classes(
            first.score,
            second.score,
            first.classes,
            labels=self.rows.labels,
            level=self.level,
            weight=first.weight,
            weight_kind=first.weight_kind,
            groups=None if first.groups is None else (len(first.groups[0]), first.groups[1]),
            clip=self._sides[0].clip,
            names=(self.a, self.b),
        )

    @property
    def _sides(self) -> tuple[Ranked, Ranked]:
        one, two = (self.rows.evs[name].ranked for name in (self.a, self.b))
        assert one is not None
        assert two is not None
        return one, two

    @property
    def _scored(self) -> tuple[ScoredRows, ScoredRows]:
        one, two = (each.rows for each in self._sides)
        assert one is not None
        assert two is not None
        return one, two
