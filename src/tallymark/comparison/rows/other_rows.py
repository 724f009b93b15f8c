"""Models on other rows: their numbers are independent, so the variances of both add up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.comparison.difference import NO_TEST, Difference, better_of, outcome_of
from tallymark.comparison.families import adjusted
from tallymark.comparison.idle import idle_of_others
from tallymark.comparison.inversion import inverted
from tallymark.comparison.question import Question
from tallymark.comparison.reach import Reach, of_interval, reach_sections
from tallymark.comparison.result import Comparison
from tallymark.comparison.rows.aligned import aligned, costs_of, refuse_unlike
from tallymark.comparison.rows.assembly import assembled, curves_of, shared_figures
from tallymark.comparison.rows.scores import IN_BINS
from tallymark.comparison.usual import chosen_metrics
from tallymark.comparison.verdict import tells_reach
from tallymark.drawing import Column, Paragraph, Section, Table, number, percent, value_and_interval
from tallymark.evaluation import Evaluation
from tallymark.inference import Estimate, Losses, Ranking, undefined
from tallymark.inference.paired import OtherSample, is_share
from tallymark.inference.paired_scores.gap import mover, or_endless
from tallymark.inference.paired_scores.losses import named_reason
from tallymark.inference.paired_scores.other_rows import of_other_rows, other_rows_tested
from tallymark.intake.costs import CostsGiven
from tallymark.intervals.differences import DIFFERENCE_METHODS, DifferenceMethod, of_proportions
from tallymark.metrics import FROM_SCORES, Asked
from tallymark.tallies.labels import quoted
from tallymark.tests.outcome import Outcome

if TYPE_CHECKING:
    from tallymark.curves import Several
    from tallymark.drawing.figure import Figure
    from tallymark.evaluation.matching import Matched

_SHARE_GAP = 0.02
"""Class shares that are nearer to each other than this are not worth a word."""
SMALLER = "rows in the smaller test set"
NO_OUTCOME = Outcome(NO_TEST, None, None)
APART = "independent rows, other ones for each model"


def compare_other_rows(
    evs: Mapping[str, Evaluation],
    matched: Matched,
    question: Question,
    costs: CostsGiven | None = None,
    notes: Sequence[str] = (),
) -> Comparison:
    """All that can be said of models that have rows of their own."""
    table = costs_of(evs, matched.labels, costs)
    apart = {
        name: aligned(ev, name, matched, table, question.level, question.seed) for name, ev in evs.items()
    }
    first = next(iter(apart.values()))
    asked = chosen_metrics(
        question,
        first,
        answers=all(ev.sample is not None for ev in apart.values()),
        scores=all(ev.ranked is not None for ev in apart.values()),
        costs=table is not None,
    )
    refuse_unlike(apart, asked)
    pairs = list(combinations(apart, 2))
    families = [
        adjusted([_difference(each, a, b, apart, question) for a, b in pairs], question.adjust)
        for each in asked
    ]
    detail = OtherRows(apart, asked, question, tuple(chain(*families)))
    return assembled(
        "other rows",
        apart,
        asked,
        detail,
        question,
        what=SMALLER,
        several=detail.several,
        notes=(matched.how, *notes, *_shares_differ(apart), *idle_of_others(question)),
    )


def _difference(
    asked: Asked, a: str, b: str, evs: Mapping[str, Evaluation], question: Question
) -> Difference:
    one, two = evs[a].estimate(asked), evs[b].estimate(asked)
    lacking = _lacking_class(asked, (a, b), evs)
    if lacking is not None:
        estimate = undefined(lacking, question.level)
        return Difference(asked.name, a, b, estimate, False, better_of(asked), lambda: NO_OUTCOME)
    if _are_shares(asked, one, two):
        estimate, tested = of_shares(one, two, question.method or "newcombe", question)
        return Difference(asked.name, a, b, estimate, False, better_of(asked), lambda: tested)
    if asked.metric.about in FROM_SCORES:
        (known_as, first), (_, second) = (evs[name].compared_by(asked) for name in (a, b))
        if isinstance(first, Ranking | Losses) and isinstance(second, Ranking | Losses):
            return _of_scores(asked, known_as, (a, b), (first, second), question)
    estimate = _put_together(asked, (a, b), (one, two), evs, question)
    return Difference(
        asked.name,
        a,
        b,
        estimate,
        False,
        better_of(asked),
        lambda: inverted(estimate, question.alternative, "interval, inverted"),
    )


def _lacking_class(asked: Asked, names: tuple[str, str], evs: Mapping[str, Evaluation]) -> str | None:
    """Why averages over classes cannot be compared: one of the test sets has no row of some."""
    averaged = asked.average in ("macro", "weighted") or asked.metric.name == "balanced_accuracy"
    samples = [evs[name].sample for name in names]
    if not averaged or samples[0] is None or samples[1] is None:
        return None
    first, second = (np.asarray(each.confusion.margins.actual) > 0 for each in samples if each is not None)
    for name, own, other in ((names[0], first, second), (names[1], second, first)):
        gone = np.flatnonzero(other & ~own)
        if len(gone):
            label = evs[name].labels[int(gone[0])]
            return f"{quoted(name)} has no row of {quoted(label)}, so the averages are over other classes"
    return None


def _are_shares(asked: Asked, one: Estimate, two: Estimate) -> bool:
    """Whether both numbers are shares of so many independent rows; with groups they are not."""
    return is_share(asked) and one.method == two.method == "wilson" and bool(one.n and two.n)


def _of_scores(
    asked: Asked,
    known_as: Asked,
    names: tuple[str, str],
    sides: tuple[Ranking | Losses, Ranking | Losses],
    question: Question,
) -> Difference:
    """Unpaired DeLong and its like: the variances of both models add up."""
    estimate = of_other_rows(*sides, known_as, names).interval(question.level)
    name = "DeLong, unpaired" if known_as.metric.interval == "delong" else "Welch's t, unpaired"

    def tested() -> Outcome:
        statistic, p_value, freedom = other_rows_tested(*sides, known_as, question.alternative)
        method = NO_TEST if p_value is None else name
        return outcome_of(estimate, method, statistic, p_value, question.alternative, df=freedom)

    return Difference(asked.name, *names, estimate, False, better_of(asked), tested)


def _put_together(
    asked: Asked,
    names: tuple[str, str],
    both: tuple[Estimate, Estimate],
    evs: Mapping[str, Evaluation],
    question: Question,
) -> Estimate:
    """From the intervals of both models (Zou and Donner 2008)."""
    samples = [evs[name].sample for name in names]
    if asked.metric.about not in FROM_SCORES and samples[0] is not None and samples[1] is not None:
        return OtherSample(samples[0], samples[1], names).of(asked, evs[names[0]].position_for(asked))
    why = named_reason(both, names)
    if why is not None:
        return undefined(why, question.level)
    made = Estimate(float(both[0]) - float(both[1]), question.level, assumption=APART)
    limits = mover(*both, 0.0)
    if limits is None:
        in_bins = asked.metric.about == "calibration"
        return replace(made, remark=IN_BINS.format(asked.name) if in_bins else both[0].note or both[1].note)
    n = None if both[0].n is None or both[1].n is None else both[0].n + both[1].n
    return replace(made, method="mover", n=n, ends_at=lambda level: or_endless(limits(level)))


def of_shares(
    one: Estimate, two: Estimate, method: DifferenceMethod, question: Question
) -> tuple[Estimate, Outcome]:
    """The difference of two shares of rows that are not the same, and its test."""
    assert one.n is not None
    assert two.n is not None
    found = of_proportions(float(one), one.n, float(two), two.n, method, question.level, question.alternative)
    estimate = Estimate(
        found.value,
        question.level,
        method,
        one.n + two.n,
        APART,
        ends_at=found.ends_at,
        se=found.se,
    )
    outcome = outcome_of(
        estimate,
        f"two proportions, {method.replace('_', '-')}",
        found.statistic,
        found.p_value,
        question.alternative,
        counts={"share_a": float(one), "n_a": one.n, "share_b": float(two), "n_b": two.n},
        why=found.why,
        note=found.note,
    )
    return estimate, outcome


def _shares_differ(evs: Mapping[str, Evaluation]) -> list[str]:
    """That test sets with other class shares make accuracies that cannot be compared alone."""
    named = {name: ev["prevalence"].value for name, ev in evs.items() if ev.position is not None}
    known = [share for share in named.values() if share is not None]
    if len(known) < 2 or max(known) - min(known) < _SHARE_GAP:
        return []
    each = ", ".join(f"{percent(share)} in the rows of {quoted(name)}" for name, share in named.items())
    return [
        f"the positive class is {each}: accuracy, precision and costs depend on that share; recall, "
        "specificity and the area under the curve do not."
    ]


@dataclass(frozen=True, eq=False)
class OtherRows:
    """What only models on other rows have."""

    evs: Mapping[str, Evaluation]
    asked: tuple[Asked, ...]
    question: Question
    differences: tuple[Difference, ...]

    @cached_property
    def several(self) -> Several | None:
        """The ROC curves in one picture, where all models have one."""
        return curves_of(self.evs)

    @cached_property
    def reach(self) -> tuple[Reach, ...]:
        """What so many rows could have found; for unequal test sets as if both had as many as the smaller."""
        about = [each for each in self.differences if each.metric == self.asked[0].name]
        return tuple(
            of_interval(each, min(self.evs[each.a].rows, self.evs[each.b].rows), self.question.tail_level)
            for each in about
        )

    def sections(self) -> Sequence[Section]:
        told = tells_reach(self.differences, self.question.level)
        return [*method_sections(self._by_method), *reach_sections(self.reach, SMALLER, told=told)]

    @cached_property
    def _by_method(self) -> list[Outcome]:
        """The verdict's number by every method, when it is a share."""
        first, (a, b) = self.asked[0], tuple(self.evs)[:2]
        one, two = self.evs[a].estimate(first), self.evs[b].estimate(first)
        shares = len(self.evs) == 2 and _are_shares(first, one, two)
        return methods(one, two, self.question) if shares else []

    def form(self) -> Mapping[str, Any]:
        return {
            "reach": [each.to_dict() for each in self.reach],
            "methods": [each.to_dict() for each in self._by_method],
        }

    def figures(self) -> Mapping[str, Callable[[], Figure]]:
        return shared_figures(self.differences, self.question, self.several)


def methods(one: Estimate, two: Estimate, question: Question) -> list[Outcome]:
    """A difference of shares by every method."""
    return [of_shares(one, two, method, question)[1] for method in DIFFERENCE_METHODS]


def method_sections(found: Sequence[Outcome]) -> list[Section]:
    """The interval by every method, the sources' first."""
    if not found:
        return []
    numbers = (Column(title) for title in ("difference", "interval", "p"))
    heads = (Column("", "left"), *numbers, Column("holds 0", "left"))
    rows = [
        (
            each.method.partition(", ")[2],
            *value_and_interval(each.value, each.low, each.high),
            number(each.p_value),
            "yes" if each.low is not None and each.high is not None and each.low <= 0 <= each.high else "no",
        )
        for each in found
    ]
    table = Table(heads, tuple(rows))
    return [Section("The difference by other methods", (table, Paragraph(_METHODS)))]


_METHODS = (
    "wald is the sources' interval, d +- z sqrt(e1 (1 - e1) / n1 + e2 (1 - e2) / n2); it is too narrow with "
    "few rows or shares near 0 or 1, where newcombe and miettinen-nurminen keep their level."
)
