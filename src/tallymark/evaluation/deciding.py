"""From an evaluation to a decision: its scores, what answers cost, and what is done now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.decisions import AsIs, Decision, decide, decide_classes
from tallymark.errors import OptionError
from tallymark.evaluation.ranked import GONE
from tallymark.inference import NAME_THE_POSITIVE
from tallymark.inference.ranking import one_less
from tallymark.intake.costs import Costs, CostsGiven, read_costs
from tallymark.intervals.checks import checked_number
from tallymark.tallies.labels import quoted, rest_of

if TYPE_CHECKING:
    from tallymark.decisions import ClassDecision
    from tallymark.evaluation.curves import Curves
    from tallymark.evaluation.result import Evaluation
    from tallymark.inference import Ranking
    from tallymark.tallies import Label

ONE_CLASS = "ask about one class: ev.per_class[label].decide(...)."


@np.errstate(under="ignore")
def decided(
    ev: Evaluation, costs: CostsGiven | None, reject_cost: float | None, **about_threshold: Any
) -> Decision | ClassDecision:
    """With two classes a threshold, with more the cheapest class of every row."""
    if len(ev.labels) > 2:
        _refuse(about_threshold)
        return _decide_many(ev, costs, reject_cost)
    if ev.position is None and ev.ranked is not None:
        hint = "pos_label= (--positive), or ask one class: ev.per_class[label].decide(...)."
        raise OptionError(f"a threshold is for one class: {NAME_THE_POSITIVE}.", hint=hint)
    found = ev.ranking(ev.position)
    if isinstance(found, str):
        hint = "a threshold cuts scores: pass y_score=, or name the column with score= (--score)."
        raise OptionError(f"there is nothing to decide: {found}.", hint=hint)
    assert ev.position is not None
    return decide_two(ev, ev.position, costs, reject_cost=reject_cost, **about_threshold)


def decide_two(
    ev: Evaluation,
    position: int,
    costs: CostsGiven | None,
    *,
    choose_on: Evaluation | None = None,
    **options: Any,
) -> Decision:
    """Where to cut the score of one class, and what that costs."""
    curves = ev.curves_of(position)
    labels = _sides(ev, position)
    # What is best for a metric is not what is cheapest: costs that are known are left out then.
    known = costs is not None or options.get("best") is None
    table = _costs_of_two(ev, costs, labels) if known else None
    chosen_on = None if choose_on is None else _ranking_of(choose_on, ev, ev.labels[position])
    return decide(
        curves.probabilities,
        table,
        labels=labels,
        as_is=_as_is(ev, curves),
        chosen_on=chosen_on,
        seed=ev.seed,
        votes=curves.votes,
        **options,
    )


def _sides(ev: Evaluation, position: int) -> tuple[Label, Label]:
    """The class, and the rest."""
    label = ev.labels[position]
    if len(ev.labels) == 2:
        return label, ev.labels[1 - position]
    return label, rest_of(label, ev.labels)


def _costs_of_two(
    ev: Evaluation, costs: CostsGiven | None, labels: tuple[Label, Label]
) -> NDArray[np.float64] | None:
    """The cost matrix with the class asked for first."""
    two = len(ev.labels) == 2
    if costs is None:
        table = ev.costs if two else None
    elif two:
        table = read_costs(costs, labels=ev.labels, order_stated=ev.order_stated)
    else:
        table = read_costs(costs, labels=labels, order_stated=True)
    return None if table is None else _in_order(table, labels)


def _in_order(costs: Costs, labels: tuple[Label, ...]) -> NDArray[np.float64]:
    at = [costs.labels.index(label) for label in labels]
    return np.array(costs.matrix, float)[np.ix_(at, at)]


def _ranking_of(other: Evaluation, ev: Evaluation, label: Label) -> Ranking:
    """The ranking of the same class on the rows to choose on, under the same class shares."""
    shares = None if ev.ranked is None else ev.ranked.shares
    if not hasattr(other, "curves_of"):
        raise OptionError(
            f"choose_on is an evaluation of other rows; got {type(other).__name__}.",
            hint="evaluate them first: choose_on=tm.evaluate(...).",
        )
    position = next((place for place, each in enumerate(other.labels) if str(each) == str(label)), None)
    if position is None:
        raise OptionError(f"the rows to choose on have no class {quoted(label)}.")
    if shares is not None and other.ranked is not None and other.ranked.shares is None:
        by_name = dict(zip(map(str, ev.labels), shares.tolist(), strict=True))
        other = other.at_prevalence({each: by_name.get(str(each), 0.0) for each in other.labels})
    return other.curves_of(position).probabilities


def _as_is(ev: Evaluation, curves: Curves) -> AsIs | None:
    """The answers that the evaluation has: a cut of the score, or answers of their own."""
    if ev.threshold is not None:
        own = curves.position == ev.position
        cut = ev.threshold if own else _from_other_side(ev, ev.threshold, curves)
        return AsIs(threshold=cut, tuned_for=ev.chosen_here)
    called = None if ev.ranked is None else ev.ranked.called(curves.position)
    if called is None or called.rows is None:
        return None
    words = "the most probable class" if called.rows.answered is None else "the answers given"
    found = called.of_class(curves.position)
    if curves.complemented and called.about is not None:
        of_other = called.of_class(called.about)
        found = of_other if isinstance(of_other, str) else of_other.complement(ev.labels[curves.position])
    return None if isinstance(found, str) else AsIs(called=found.scores, groups=found.groups, words=words)


def _from_other_side(ev: Evaluation, threshold: float, curves: Curves) -> float:
    """A threshold of one of two classes as one of the other's score: the lowest score that it calls so."""
    scores = ev.curves.scores
    if not scores.exact:
        return -threshold
    below = scores.score[scores.score < threshold]
    if not len(below):
        return np.inf
    return float(one_less(below[:1])[0] if curves.complemented else -below[0])


def _decide_many(ev: Evaluation, costs: CostsGiven | None, reject_cost: float | None) -> ClassDecision:
    """The cheapest class of every row, from its probabilities."""
    if reject_cost is not None:
        reject_cost = checked_number("reject_cost", reject_cost)
    table = ev.costs if costs is None else read_costs(costs, labels=ev.labels, order_stated=ev.order_stated)
    if table is None:
        raise OptionError("the cheapest class of a row depends on costs, and there are none.", hint=ONE_CLASS)
    ranked = ev.ranked
    found = "no scores were given" if ranked is None else ranked.columns
    if ranked is None or isinstance(found, str):
        hint = "give one probability per class (--probabilities, probabilities=)."
        if found == GONE:
            hint = (
                "decide with the evaluation of rows in memory: a pickled one, a tally and files that do not "
                f"fit into memory have counts only. Or {ONE_CLASS}"
            )
        raise OptionError(f"the cheapest class of a row cannot be told: {found}.", hint=hint)
    return decide_classes(
        found.score,
        found.classes,
        np.array(table.matrix, float),
        labels=ev.labels,
        reject_cost=reject_cost,
        weight=found.weight,
        weight_kind=found.weight_kind,
        group=found.groups,
        shares=ranked.shares,
        level=ranked.level,
        seed=ev.seed,
    )


def _refuse(given: Mapping[str, object]) -> None:
    """What is about a threshold has no place where classes are chosen row by row."""
    for name, value in given.items():
        if value or (name == "threshold" and value is not None):
            raise OptionError(
                f"{name} is about a threshold, and with more than two classes there is none.", hint=ONE_CLASS
            )
