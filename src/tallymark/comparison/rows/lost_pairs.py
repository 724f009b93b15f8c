"""Models that answered the same rows, of which only the counts are left.

Which rows both got right is lost, but not everything: within an actual class that both have m rows of, models
with r and s right answers disagree on at least |r - s| rows and on at most min(r + s, 2 m - r - s). More
disagreement makes the same difference less sure, so the interval and the p-value at the most of it hold
whatever the pairs were.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.comparison.difference import NO_TEST, Difference, better_of, outcome_of
from tallymark.comparison.families import adjusted
from tallymark.comparison.idle import idle_of_pairs
from tallymark.comparison.question import Question
from tallymark.comparison.reach import Reach, of_interval, reach_sections
from tallymark.comparison.result import Comparison
from tallymark.comparison.rows.aligned import aligned, costs_of, refuse_unlike
from tallymark.comparison.rows.assembly import assembled, shared_figures
from tallymark.comparison.rows.pairs import FEW, mcnemar_method
from tallymark.comparison.usual import chosen_metrics
from tallymark.comparison.verdict import tells_reach
from tallymark.errors import InputError
from tallymark.evaluation import Evaluation
from tallymark.evaluation.known_rows import united, united_positive
from tallymark.evaluation.matching import NO_ROWS, Matched
from tallymark.inference import Estimate, undefined
from tallymark.intake.costs import CostsGiven
from tallymark.intervals.paired_differences import tango
from tallymark.metrics import Asked
from tallymark.tallies.labels import quoted
from tallymark.tests.mcnemar import mcnemar
from tallymark.tests.outcome import Outcome

if TYPE_CHECKING:
    from tallymark.drawing import Section
    from tallymark.drawing.figure import Figure

LOST = "which rows both models answered rightly is lost"
_HOW = (
    "only counts are left of the same rows: the interval and the p-value are the least sure ones that any "
    "pairing of the answers could give."
)
_WRONG = ("error_rate", "fnr", "fpr")
"""Shares of wrong answers."""


def compare_lost_pairs(
    evs: Mapping[str, Evaluation],
    question: Question,
    costs: CostsGiven | None = None,
    notes: Sequence[str] = (),
) -> Comparison:
    """Counts of models that are stated to have answered the same rows."""
    labels, each = united([ev.labels for ev in evs.values()])
    places = dict(zip(evs, each, strict=True))
    positive = united_positive(evs, labels, places)
    matched = Matched(True, _HOW, labels, places, positive, order=dict.fromkeys(evs))
    table = costs_of(evs, labels, costs)
    counted = {
        name: replace(
            aligned(ev, name, matched, table, question.level, question.seed), ranked=None, encode=None
        )
        for name, ev in evs.items()
    }
    _refuse_other_classes(counted)
    first = next(iter(counted.values()))
    asked = chosen_metrics(question, first, answers=True, scores=False, costs=table is not None)
    refuse_unlike(counted, asked)
    pairs = list(combinations(counted, 2))
    families = [
        adjusted([_difference(each, a, b, counted, question) for a, b in pairs], question.adjust)
        for each in asked
    ]
    detail = LostPairs(counted, asked, question, tuple(chain(*families)))
    said = (_HOW, *notes, *idle_of_pairs(question, swaps=False))
    return assembled("same rows", counted, asked, detail, question, notes=said)


def _refuse_other_classes(evs: Mapping[str, Evaluation]) -> None:
    """The same rows have as many of every class."""
    per_class = {}
    for name, ev in evs.items():
        if ev.sample is None:
            raise InputError(f"{quoted(name)} has no answers: {ev.why_not}.")
        if ev.sample.groups is not None or ev.sample.confusion.squares is not None:
            raise InputError(
                f"{quoted(name)} has weights or groups, and its rows are lost: without them nothing can be "
                "said of the same rows.",
                hint=NO_ROWS,
            )
        per_class[name] = ev.sample.margins.actual
    (first, rows), *others = per_class.items()
    for name, other in others:
        if not np.array_equal(rows, other):
            at = int(np.flatnonzero(rows != other)[0])
            raise InputError(
                f"{quoted(first)} has {rows[at]:,.0f} rows of {quoted(evs[first].labels[at])} and "
                f"{quoted(name)} has {other[at]:,.0f}, so they did not answer the same rows.",
                hint="compare them as on other rows: --other-rows (in Python design='other rows').",
            )


def _difference(
    asked: Asked, a: str, b: str, evs: Mapping[str, Evaluation], question: Question
) -> Difference:
    one, two = evs[a].estimate(asked), evs[b].estimate(asked)
    better = better_of(asked)
    for name, each in ((a, one), (b, two)):
        if each.value is None:
            estimate = undefined(f"{name}: {each.why}", question.level)
            return Difference(asked.name, a, b, estimate, True, better, _no_test(estimate, question))
    value = float(one) - float(two)
    found = _pairings(asked, evs[a], evs[b])
    if found is None:
        estimate = Estimate(value, question.level, assumption=None, remark=LOST)
        return Difference(asked.name, a, b, estimate, True, better, _no_test(estimate, question))
    ends = found.most.n01, found.most.n10, found.n
    estimate = Estimate(
        value,
        question.level,
        "tango, most disagreement",
        found.n,
        "independent rows, the same for all models",
        ends_at=lambda level: tango(*ends, level),
    )
    return Difference(
        asked.name, a, b, estimate, True, better, lambda: _least_sure(found, estimate, question)
    )


def _no_test(estimate: Estimate, question: Question) -> Callable[[], Outcome]:
    return lambda: outcome_of(estimate, NO_TEST, None, None, question.alternative)


class _Only(NamedTuple):
    """Rows for which a number holds in one model only."""

    n01: int
    n10: int

    def at(self, both: int) -> _Only:
        """The same difference when so many rows are of either kind."""
        apart = self.n01 - self.n10
        return _Only((both + apart) // 2, (both - apart) // 2)


class _Pairings(NamedTuple):
    """What the lost pairs can have been, from the least to the most disagreement."""

    least: _Only
    most: _Only
    n: int

    @property
    def telling(self) -> set[_Only]:
        """Those one of which has the largest p-value: it grows with the disagreement while the method stays.

        Only on the way from the exact test to the corrected one may it fall, and where it is above a half.
        """
        change = (FEW - 1) - (FEW - 1 - sum(self.most)) % 2
        return {self.least, self.most, self.most.at(min(max(change, sum(self.least)), sum(self.most)))}


def _least_sure(found: _Pairings, estimate: Estimate, question: Question) -> Outcome:
    """McNemar's test of the pairing with the largest p-value."""
    outcomes = [
        mcnemar(
            *only,
            mcnemar_method(sum(only), question.test),
            alternative=question.alternative,
            confidence_level=question.level,
        )
        for only in sorted(found.telling, key=sum, reverse=True)
    ]
    chosen = max(outcomes, key=lambda each: each.p_value or 0.0)
    return outcome_of(
        estimate,
        f"{chosen.method}, least sure pairing",
        chosen.statistic,
        chosen.p_value,
        question.alternative,
        df=chosen.df,
        counts=chosen.counts,
        note=chosen.note,
    )


def _pairings(asked: Asked, a: Evaluation, b: Evaluation) -> _Pairings | None:
    """Rows for which a number holds for a only and for b only: as few and as many as can be."""
    first, second = _right(asked, a), _right(asked, b)
    if first is None or second is None:
        return None
    (rows, one), (_, two) = first, second
    if asked.metric.name in _WRONG:
        one, two = rows - one, rows - two
    apart = int((one - two).sum())
    least, most = (
        _Only(apart, 0).at(int(both.sum()))
        for both in (np.abs(one - two), np.minimum(one + two, 2 * rows - one - two))
    )
    return _Pairings(least, most, int(rows.sum()))


def _right(asked: Asked, ev: Evaluation) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Rows and right answers, class by class, of the classes a number is about."""
    assert ev.sample is not None
    name = "" if asked.average else asked.metric.name
    if name in ("accuracy", "error_rate"):
        margins = ev.sample.margins
        return _whole(margins.actual), _whole(margins.hits)
    if ev.position is None:
        return None
    tally = ev.sample.classes[ev.position]
    if name in ("recall", "fnr"):
        return _whole([tally.actual_positive]), _whole([tally.tp])
    if name in ("specificity", "fpr"):
        return _whole([tally.actual_negative]), _whole([tally.tn])
    return None


def _whole(counts: Any) -> NDArray[np.int64]:
    return np.asarray(counts).astype(np.int64)


@dataclass(frozen=True, eq=False)
class LostPairs:
    """What only counts of the same rows have: nothing more than the differences."""

    evs: Mapping[str, Evaluation]
    asked: tuple[Asked, ...]
    question: Question
    differences: tuple[Difference, ...]

    @cached_property
    def reach(self) -> tuple[Reach, ...]:
        rows = next(iter(self.evs.values())).rows
        about = [each for each in self.differences if each.metric == self.asked[0].name]
        return tuple(of_interval(each, rows, self.question.tail_level) for each in about)

    def sections(self) -> Sequence[Section]:
        told = tells_reach(self.differences, self.question.level)
        return reach_sections(self.reach, "rows", told=told)

    def form(self) -> Mapping[str, Any]:
        return {"reach": [each.to_dict() for each in self.reach]}

    def figures(self) -> Mapping[str, Callable[[], Figure]]:
        return shared_figures(self.differences, self.question, None)
