"""Two models on the same rows: every difference and its test."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tallymark.comparison.difference import Difference, better_of, outcome_of
from tallymark.comparison.inversion import inverted
from tallymark.comparison.question import Question, Test
from tallymark.comparison.rows.aligned import NO_SCORES, Aligned
from tallymark.comparison.rows.scores import PairedScores
from tallymark.inference import Estimate, undefined
from tallymark.inference.paired import PairedSample
from tallymark.inference.swaps import Swapped, swapped
from tallymark.metrics import FROM_SCORES, Asked
from tallymark.tallies.paired import Agreement
from tallymark.tests.mcnemar import McNemarMethod, mcnemar, methods_of
from tallymark.tests.outcome import Outcome

DRAWS = "paired draws, inverted"
ALIKE = (
    "swapping asks whether the models are alike, not only in this number; models that answer differently but "
    "have it in common can be told apart"
)
FEW = 25
"""Rows that only one of two models gets right; with fewer, chi-squared is a poor guide (Dietterich 1998 asks
for 10 or more, and most books for 20 to 25)."""


def mcnemar_method(disagreements: int, test: Test) -> McNemarMethod:
    """The method asked for, or the one that suits so many rows that only one model gets right."""
    if test == "auto" or test == "permutation":
        return "corrected" if disagreements >= FEW else "exact"
    return test


@dataclass(frozen=True, eq=False)
class Pair:
    """Two of the models."""

    a: str
    b: str
    rows: Aligned
    sample: PairedSample | None
    """The answers, if both have them."""
    scores: PairedScores | None
    """The scores, if both have them."""
    asked: tuple[Asked, ...]
    """All that will be asked, so that what takes draws is drawn once."""
    question: Question

    def difference(self, asked: Asked) -> Difference:
        """The difference in a number, with its test."""
        estimate = self._estimate(asked)
        return Difference(
            asked.name,
            self.a,
            self.b,
            estimate,
            True,
            better_of(asked),
            lambda: self._tested(asked, estimate),
        )

    # --- how large -------------------------------------------------------------------------------

    def _estimate(self, asked: Asked) -> Estimate:
        if asked.metric.about in FROM_SCORES:
            if self.scores is None:
                return undefined(self.rows.no_scores or NO_SCORES, self.question.level)
            return self.scores.of(asked)
        if self.sample is None:
            return undefined(self.rows.no_answers or "", self.question.level)
        return self.sample.of(asked, self._position(asked))

    def _position(self, asked: Asked) -> int | None:
        return self.rows.first.position_for(asked)

    # --- how sure --------------------------------------------------------------------------------

    def _tested(self, asked: Asked, estimate: Estimate) -> Outcome:
        if asked.metric.about in FROM_SCORES:
            assert self.scores is not None
            found = self.scores.tested(asked, estimate, self.question.alternative)
            swaps = self.question.test == "permutation" or found.p_value is None
            swapped = self._score_swaps.get(asked.name) if swaps and estimate.value is not None else None
            return found if swapped is None else self._outcome(swapped, estimate)
        assert self.sample is not None
        share = self.sample.share(asked, self._position(asked))
        if share is None and not asked.metric.needs_costs and self.question.test != "permutation":
            # Not by swaps: these ask whether models are alike, and of two that have the same precision one
            # may call rows positive far more often than the other.
            found = inverted(estimate, self.question.alternative, DRAWS)
            return self.permuted(asked) if found.p_value is None else found
        if share is None or not self.plain or self.question.test == "permutation":
            return self.permuted(asked)
        return mcnemar(
            int(share.n01),
            int(share.n10),
            mcnemar_method(int(share.n01 + share.n10), self.question.test),
            n00=int(share.n00),
            n11=int(share.n11),
            alternative=self.question.alternative,
            confidence_level=self.question.level,
        )

    @property
    def plain(self) -> bool:
        """Whether rows are independent and count 1 each, as McNemar's test has them."""
        assert self.sample is not None
        return self.sample.groups is None and self.sample.paired.squares is None

    @cached_property
    def agreement(self) -> Agreement:
        """Which model was right, over all rows."""
        assert self.sample is not None
        return self.sample.paired.agreement(self.a, self.b)

    @cached_property
    def mcnemar(self) -> tuple[Outcome, ...]:
        """The test of accuracy by all methods."""
        counts = {name: int(getattr(self.agreement, name)) for name in ("n01", "n10", "n00", "n11")}
        return methods_of(
            **counts, alternative=self.question.alternative, confidence_level=self.question.level
        )

    # --- swaps -----------------------------------------------------------------------------------

    def permuted(self, asked: Asked) -> Outcome:
        """The test that swaps the answers of the two models."""
        assert self.sample is not None
        position = self._position(asked)
        linear = self.sample.share(asked, position) is not None or asked.metric.needs_costs
        return self._outcome(self._swaps[asked.name], self.sample.of(asked, position), linear=linear)

    def _outcome(self, found: Swapped, estimate: Estimate, *, linear: bool = False) -> Outcome:
        return outcome_of(
            estimate,
            f"permutation, {'groups' if self.rows.grouped else 'rows'} swapped",
            found.value,
            found.p_value.get(self.question.alternative),
            self.question.alternative,
            counts={"swaps": "all" if found.exact else found.draws},
            why=found.why,
            note=None if linear or found.p_value is None else ALIKE,
        )

    @cached_property
    def _swaps(self) -> dict[str, Swapped]:
        assert self.sample is not None
        counted = [asked for asked in self.asked if asked.metric.about not in FROM_SCORES]
        questions = [(asked, self._position(asked)) for asked in counted]
        found = swapped(self.sample, questions, draws=self.question.permutations, seed=self.question.seed)
        return {asked.name: each for asked, each in zip(counted, found, strict=True)}

    @cached_property
    def _score_swaps(self) -> dict[str, Swapped]:
        """Of all numbers from scores, or of those that have no other test."""
        assert self.scores is not None
        asked = [each for each in self.asked if each.metric.about in FROM_SCORES]
        if self.question.test != "permutation":
            asked = [each for each in asked if each.metric.interval == "none"]
        return self.scores.permuted(asked, self.question.permutations, self.question.seed)
