"""Models on the same rows: McNemar's table, paired draws, paired DeLong, and for many models Cochran's Q."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.comparison.difference import Difference
from tallymark.comparison.families import adjusted
from tallymark.comparison.idle import idle_of_pairs
from tallymark.comparison.question import Question
from tallymark.comparison.reach import Reach, of_interval, of_models, reach_sections
from tallymark.comparison.result import Comparison
from tallymark.comparison.rows.agreements import agreement_sections
from tallymark.comparison.rows.aligned import NO_SCORES, Aligned, align, refuse_unlike
from tallymark.comparison.rows.assembly import assembled, curves_of, shared_figures
from tallymark.comparison.rows.pairs import Pair
from tallymark.comparison.rows.scores import PairedScores
from tallymark.comparison.usual import chosen_metrics
from tallymark.comparison.verdict import tells_reach
from tallymark.evaluation import Evaluation
from tallymark.inference.paired import PairedSample
from tallymark.intake.costs import CostsGiven
from tallymark.intake.encoded import encoded
from tallymark.intake.pairing import count_paired
from tallymark.metrics import Asked
from tallymark.planning.power import Models
from tallymark.tests.cochran import cochran_q_of_patterns
from tallymark.tests.outcome import Outcome

if TYPE_CHECKING:
    from tallymark.curves import Several
    from tallymark.drawing import Section
    from tallymark.drawing.figure import Figure
    from tallymark.evaluation.matching import Matched
    from tallymark.tallies.grouped_paired import GroupedPaired
    from tallymark.tallies.paired import Paired

_RIGHT = ("accuracy", "error_rate")


def compare_same_rows(
    evs: Mapping[str, Evaluation],
    matched: Matched,
    question: Question,
    costs: CostsGiven | None = None,
    notes: Sequence[str] = (),
) -> Comparison:
    """All that can be said of models whose rows stand side by side."""
    rows = align(evs, matched, costs, question.level, question.seed)
    asked = asked_of(rows, question)
    return compare_aligned(rows, *_counted(rows), asked, question, (matched.how, *notes))


def asked_of(rows: Aligned, question: Question) -> tuple[Asked, ...]:
    """The numbers that are compared."""
    asked = chosen_metrics(
        question,
        rows.first,
        answers=rows.no_answers is None,
        scores=rows.no_scores is None,
        costs=rows.costs is not None,
    )
    refuse_unlike(rows.evs, asked)
    return asked


ScoresOf = Callable[[str, str], PairedScores]
"""The scores of two models."""


def compare_aligned(
    rows: Aligned,
    paired: Paired | None,
    groups: GroupedPaired | None,
    asked: tuple[Asked, ...],
    question: Question,
    notes: Sequence[str],
    scores: ScoresOf | None = None,
) -> Comparison:
    """From rows side by side, or from what was counted of them."""
    pairs = [
        _pair(a, b, rows, paired, groups, asked, question, scores) for a, b in combinations(rows.names, 2)
    ]
    families = [adjusted([pair.difference(each) for pair in pairs], question.adjust) for each in asked]
    detail = SameRows(rows, tuple(pairs), paired, asked, question, tuple(chain(*families)))
    unswapped = _unswapped(pairs[0]) if scores is None else []
    unscored = [] if rows.no_scores in (None, NO_SCORES) else [f"scores are not compared: {rows.no_scores}."]
    return assembled(
        "same rows",
        rows.evs,
        asked,
        detail,
        question,
        omnibus=detail.omnibus,
        outcomes=detail.outcomes,
        several=detail.several,
        notes=(*notes, *unscored, *idle_of_pairs(question, unswapped=unswapped)),
    )


def _unswapped(pair: Pair) -> list[str]:
    """Numbers that are tested, but not by swapping scores."""
    if pair.scores is None:
        return []
    of_several = (each for each in pair.asked if each.metric.about in ("losses", "classes"))
    return [
        each.name
        for each in of_several
        if not pair.scores.is_swapped(each) and pair.scores.of(each).value is not None
    ]


def _counted(rows: Aligned) -> tuple[Paired | None, GroupedPaired | None]:
    """The joint counts of all models."""
    if rows.encoded is None:
        return None, None
    columns = list(rows.encoded.values())
    first = columns[0]
    # Rows that weigh 1 each are counted as rows, so that McNemar's test is theirs, too.
    weight = None if first.weight is None or bool((first.weight == 1).all()) else first.weight
    return count_paired(
        rows.labels,
        rows.names,
        first.actual,
        [each.predicted for each in columns],
        weight,
        first.weight_kind,
        None if first.group is None else encoded(first.group),
    )


def _pair(
    a: str,
    b: str,
    rows: Aligned,
    paired: Paired | None,
    groups: GroupedPaired | None,
    asked: tuple[Asked, ...],
    question: Question,
    scores_of: ScoresOf | None,
) -> Pair:
    sample = None
    if paired is not None:
        two = paired if len(rows.names) == 2 else paired.pair(a, b)
        counted = groups if groups is None or len(rows.names) == 2 else groups.pair(a, b)
        matrix = None if rows.costs is None else np.array(rows.costs.matrix, float)
        first = rows.first.sample
        undefined_as = None if first is None else first.undefined_as
        sample = PairedSample(two, question.level, question.seed, matrix, undefined_as, counted)
    scores = None
    if rows.no_scores is None:
        scores = PairedScores(a, b, rows, question.level) if scores_of is None else scores_of(a, b)
    return Pair(a, b, rows, sample, scores, asked, question)


@dataclass(frozen=True, eq=False)
class SameRows:
    """What only models on the same rows have."""

    rows: Aligned
    pairs: tuple[Pair, ...]
    paired: Paired | None
    asked: tuple[Asked, ...]
    question: Question
    differences: tuple[Difference, ...]

    @cached_property
    def several(self) -> Several | None:
        """The ROC curves in one picture, where all models have one."""
        return None if self.rows.no_scores is not None else curves_of(self.rows.evs)

    @property
    def _of_accuracy(self) -> bool:
        return self.paired is not None and self.asked[0].name in _RIGHT

    @cached_property
    def omnibus(self) -> Outcome | None:
        """Cochran's Q, for the accuracy of more than two models."""
        if len(self.pairs) < 2 or not self._of_accuracy or not self.pairs[0].plain:
            return None
        assert self.paired is not None
        return cochran_q_of_patterns(*self.paired.patterns())

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """Other tests of the same question."""
        found = () if self.omnibus is None else (self.omnibus,)
        if len(self.pairs) == 1 and self._of_accuracy and self.pairs[0].plain:
            return (*self.pairs[0].mcnemar, self.pairs[0].permuted(self.asked[0]))
        return found

    @cached_property
    def reach(self) -> tuple[Reach, ...]:
        """What so many rows could have found, of every pair in the verdict's number."""
        return tuple(map(self._reach, self.pairs, self.differences))

    def _reach(self, pair: Pair, difference: Difference) -> Reach:
        n = self.rows.first.rows
        if difference.metric in _RIGHT and pair.sample is not None and pair.plain:
            found = pair.agreement
            # What the worse model gets right: the better one is an improvement on it.
            right = (min(found.n01, found.n10) + found.n11) / found.n
            models = Models(right, True, (found.n01 + found.n10) / found.n)
            return of_models(difference, models, n, self.question.tail_level)
        return of_interval(difference, n, self.question.tail_level)

    def sections(self) -> Sequence[Section]:
        told = tells_reach(self.differences, self.question.level)
        return [*agreement_sections(self.pairs), *reach_sections(self.reach, "rows", told=told)]

    def form(self) -> Mapping[str, Any]:
        reach = [each.to_dict() for each in self.reach]
        if self.paired is None:
            return {"rows": self.rows.first.rows, "reach": reach}
        tables = [
            {
                "a": pair.a,
                "b": pair.b,
                **{name: getattr(pair.agreement, name) for name in ("n00", "n01", "n10", "n11")},
            }
            for pair in self.pairs
        ]
        return {"rows": self.paired.rows, "agreement": tables, "reach": reach}

    def figures(self) -> Mapping[str, Callable[[], Figure]]:
        known = shared_figures(self.differences, self.question, self.several)
        if self.paired is None or len(self.pairs) > 1:
            return known
        from tallymark.comparison.figures import agreement

        pair = self.pairs[0]
        found = pair.agreement
        cells = (found.n00, found.n01, found.n10, found.n11)
        return {**known, "agreement": lambda: agreement(*cells, names=(pair.a, pair.b))}
