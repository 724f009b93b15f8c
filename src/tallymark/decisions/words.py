"""A decision in words and tables."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from tallymark.curves.costs.prices import money, paid, plainly
from tallymark.curves.equally_good import alike, others
from tallymark.curves.shared import BINS, amount, row_at, share_of, spelled, spelled_up
from tallymark.decisions.choose import choose
from tallymark.decisions.constraints import Constraint, told_apart
from tallymark.decisions.cross_fitting import CrossFitted
from tallymark.decisions.decision import Decision
from tallymark.decisions.reject import Ends, chow_thresholds
from tallymark.decisions.saving_words import (
    costs_and_savings,
    cut_of,
    named,
    total_said,
    tuned,
    with_interval,
)
from tallymark.decisions.ways import Way, answered
from tallymark.drawing import (
    Block,
    Column,
    Document,
    Paragraph,
    Section,
    Table,
    count,
    number,
    value_and_interval,
)
from tallymark.inference.cut_bounds import cut_corners
from tallymark.tallies.labels import quoted

CALIBRATED = "If the scores were calibrated probabilities"
ESTIMATED = (
    "That estimates what to expect of new rows. It comes from five parts of these and is itself uncertain, "
    "the more so with few rows."
)


def describe(decision: Decision) -> Document:
    """What to do, what it costs and saves, what it keeps, what theory says, and how far to trust it."""
    sections = [Section("Decision", tuple(_said(*chosen(decision), *_shares(decision))))]
    if decision.aim.costs is not None:
        sections.append(Section("What it costs and saves", tuple(costs_and_savings(decision))))
    sections.append(Section("What it does", tuple(_rates(decision))))
    if decision.aim.costs is not None:
        sections.append(Section("For calibrated probabilities", tuple(_said(*closed(decision)))))
    if decision.elsewhere is None and not decision.given and not _indifferent(decision):
        sections.append(Section("On new rows", tuple(_said(*expected(decision)))))
    return Document("", tuple(sections))


def _said(*sentences: str) -> Iterator[Block]:
    text = " ".join(sentence for sentence in sentences if sentence)
    if text:
        yield Paragraph(text)


def _indifferent(decision: Decision) -> bool:
    """Whether it is all the same what a row is called."""
    return decision.closed_form is not None and decision.closed_form.kind == "indifferent"


def _positive(decision: Decision) -> str:
    return quoted(decision.labels[0])


# --- the decision ----------------------------------------------------------------------------------


def chosen(decision: Decision) -> Iterator[str]:
    """What to do with a row, which other thresholds do the same, and on what grounds."""
    if _indifferent(decision) and decision.region is None and not decision.given:
        yield "There is nothing to decide: whatever a row is called costs the same. The highest threshold:"
    yield f"{_rule(decision)}."
    yield _grounds(decision)
    best, region = decision.choice.best, decision.choice.region
    same = "costs the same" if decision.aim.costs is not None else "is as good"
    if decision.elsewhere is not None:
        same += " there"
    if region is None:
        yield alike(best, same)
        yield others(best, "cheap" if decision.aim.costs is not None else "good")
    else:
        yield _end("upper", region.alternatives.upper)
        yield _end("lower", region.alternatives.lower)
    if not decision.chosen_among.exact:
        yield BINS
        yield "" if decision.given else _gap(decision)


def _gap(decision: Decision) -> str:
    """How much better a threshold within a bin could be."""
    gap, aim = decision.gap, decision.aim
    if gap is None:
        note = decision.gap_note or ""
        return note[:1].upper() + note[1:]
    better = "cost less" if aim.costs is not None else f"have a better {aim.objective}"
    if not gap:
        return f"No threshold within a bin could {better}."
    return f"A threshold within a bin could {better}, but by no more than {spelled_up(gap, 1.01 * gap)}."


def _rule(decision: Decision) -> str:
    positive, rest = _positive(decision), quoted(decision.labels[1])
    if decision.region is not None:
        return _rule_with_declined(decision, *decision.region)
    if math.isinf(decision.threshold):
        return f"Call every row {rest}, whatever its score"
    scores = decision.scores if decision.elsewhere is None else decision.elsewhere.seen[0]
    every = row_at(scores, decision.threshold) == len(scores.score)
    there = "" if decision.elsewhere is None else " there"
    which = f", which is every row{there}" if every else ""
    return f"Call a row {positive} when its score is at least {cut_of(decision, decision.threshold)}{which}"


def _rule_with_declined(decision: Decision, lower: float, upper: float) -> str:
    positive, rest = _positive(decision), quoted(decision.labels[1])
    scores = decision.scores if decision.elsewhere is None else decision.elsewhere.seen[0]
    above = None if math.isinf(upper) else cut_of(decision, upper)
    below = None if row_at(scores, lower) == len(scores.score) else cut_of(decision, lower)
    if above is None and below is None:
        return "Decline to answer every row"
    if above is None:
        return f"Call a row {rest} when its score is below {below}, and decline to answer all others"
    if below is None:
        return f"Call a row {positive} when its score is at least {above}, and decline to answer all others"
    return (
        f"Call a row {positive} when its score is at least {above} and {rest} when it is below {below}, and "
        "decline to answer between"
    )


def _grounds(decision: Decision) -> str:
    n = (decision.elsewhere or decision.ranking).scores.rows
    if decision.elsewhere is None:
        rows = "this one row" if n == 1 else f"these {count(n)} rows"
    else:
        rows = f"the {'one row' if n == 1 else f'{count(n)} rows'} it was chosen on"
    if decision.given:
        return _beside_the_cheapest(decision, rows)
    among = " and ".join(each.words for each in decision.aim.constraints)
    of_those = f"Of the thresholds with {among}, " if among else ""
    if decision.aim.costs is None:
        value = number(decision.choice.best.value)
        text = f"{decision.aim.objective} is best there on {rows}: {value}."
        return f"{of_those}{text}" if among else text
    pair = "pair of thresholds" if decision.region is not None else "threshold"
    if not decision.chosen_among.exact:
        pair += " at edges of bins" if decision.region is not None else " at an edge of a bin"
    text = f"{'none' if among else f'no {pair}'} costs less on {rows}."
    if decision.aim.reject_cost is not None and decision.region is None:
        text += f" Declining is never worth its cost of {plainly(decision.aim.reject_cost)} a row."
    return f"{of_those}{text}" if among else text[:1].upper() + text[1:]


def _beside_the_cheapest(decision: Decision, rows: str) -> str:
    """How far a threshold that was given is from the best there is."""
    best = choose(decision.ranking, decision.aim).best
    more = (decision.cost or 0.0) - best.value
    if abs(more) <= 1e-9 * max(1.0, abs(best.value)):
        return f"That threshold was given, and none costs less on {rows}."
    at = "above every score" if math.isinf(best.high) else f"at {cut_of(decision, best.high)}"
    return f"That threshold was given; the cheapest on {rows} is {at} and costs {money(more)} less."


def _end(name: str, ends: Ends) -> str:
    low, high = ends
    if low is None or math.isinf(low) or math.isinf(high):
        return ""
    shown = spelled_up(low, high)
    return f"Every {name} threshold above {shown} and up to {spelled(high, float(shown))} costs the same."


def _shares(decision: Decision) -> Iterator[str]:
    """Under which class shares."""
    share = decision.ranking.share
    if share is not None:
        yield (
            f"All counts and costs are those to expect when {share_of(share)} of the rows are "
            f"{_positive(decision)}, not {share_of(decision.ranking.scores.prevalence)} as here."
        )


# --- rates -------------------------------------------------------------------------------------------


def _rates(decision: Decision) -> Iterator[Block]:
    declined = sum(decision.answered.declined)
    if declined:
        share = f"{share_of(decision.rejected)} of the rows, {amount(decision.scores, declined)},"
        yield Paragraph(f"{share} are declined; the numbers are of the others.")
    if not decision.answered.counts.n:
        return
    bounds = {each.metric: each for each in decision.aim.constraints}
    titles = ["value", f"{decision.ranking.level * 100:g} % interval", *(["asked"] if bounds else [])]
    rows = []
    for name, rate in decision.metrics.items():
        cells = [name, *value_and_interval(rate.value, rate.low, rate.high)]
        if bounds:
            bound = bounds.get(name)
            side = "" if bound is None else "at least" if bound.at_least else "at most"
            cells.append("" if bound is None else f"{side} {bound.bound:.12g}")
        rows.append(tuple(cells))
    yield Table((Column("", "left"), *map(Column, titles)), tuple(rows))
    made = [rate for rate in decision.metrics.values() if rate.low is not None]
    if made:
        drawn = any(rate.method == "dirichlet" for rate in made)
        how = "Wilson's, and Dirichlet draws where the class shares matter" if drawn else "Wilson's"
        yield Paragraph(f"Intervals: {how}; {made[0].assumption}.")
    text = " ".join(_broken(decision))
    if text:
        yield Paragraph(text)
    for name, rate in decision.metrics.items():
        if rate.value is None:
            yield Paragraph(f"{name} is undefined: {rate.why}.")


def _broken(decision: Decision) -> Iterator[str]:
    """What was asked, kept on the rows it was chosen on, and is not kept on these."""
    for each in decision.aim.constraints:
        rate = decision.metrics[each.metric]
        found = (rate.low if each.at_least else rate.high) if each.on_lower else rate.value
        if found is None or not each.kept(np.array(found)):
            yield f"On these rows {each.words} is not kept: it is {number(found)}."


# --- theory and practice -----------------------------------------------------------------------------


def closed(decision: Decision) -> Iterator[str]:
    """What the closed forms say, and why the rows say otherwise."""
    form, chow = decision.closed_form, decision.chow
    assert form is not None
    yield from _chow(decision)
    single = form.kind == "threshold"
    if single:
        alone = CALIBRATED if chow is None else "Without declining"
        yield f"{alone}, the threshold would be {form.words} (Elkan 2001)."
    else:
        yield f"{form.words[:1].upper()}{form.words[1:]}."
    why = decision.no_probabilities
    if why is not None:
        if single or isinstance(chow, tuple):
            yield f"They are not to be taken for such: {why}."
        return
    yield _at_other_shares(decision)
    if single and decision.region is None and decision.closed_threshold is not None:
        yield _compared(decision, decision.closed_threshold)


def _at_other_shares(decision: Decision) -> str:
    """Where the closed forms are for probabilities that are right at the shares of the sample."""
    chow, form, share = decision.chow, decision.closed_form, decision.ranking.share
    moved = [_from_to(chow)] if isinstance(chow, tuple) and chow[0] < chow[1] else []
    if form is not None and form.kind == "threshold":
        moved.append(f"{decision.closed_threshold:.4g}{' without declining' if moved else ''}")
    if share is None or not moved:
        return ""
    return (
        f"For probabilities that are right where {share_of(decision.ranking.scores.prevalence)} are "
        f"{_positive(decision)} and used where {share_of(share)} are, that is {', and '.join(moved)} "
        "(Elkan's Theorem 2)."
    )


def _compared(decision: Decision, at: float) -> str:
    """The closed form against the rows."""
    chosen_here = decision.elsewhere is None
    if chosen_here and decision.low is not None and decision.low < at <= decision.high:
        if decision.given:
            return "It answers these rows alike."
        return "It is one of the thresholds that are cheapest here: theory and rows agree."
    cost = decision.cost
    assert cost is not None
    assert decision.aim.costs is not None
    if (corners := cut_corners(decision.scores, at)) is not None:
        ends = [float(paid(corner, decision.aim.costs)) for corner in corners]
        span = f"{money(min(ends))} to {money(max(ends))}"
        return f"It is within a bin of the scores: on these rows it costs {span}."
    dearer = answered(decision.scores, Way.cut(at)).cost(decision.aim.costs) - cost
    if abs(dearer) <= 1e-9 * max(1.0, abs(cost)):
        return "It costs the same on these rows."
    more = f"{money(abs(dearer))} {'more' if dearer > 0 else 'less'} than this decision"
    if decision.given:
        return f"On these rows it costs {more}."
    why = "what is asked, " if decision.aim.constraints else ""
    why += "scores that are not calibrated, or too few rows to tell the two apart"
    return f"On these rows it costs {more}. The reason is {why}; the calibration curve tells more."


def _chow(decision: Decision) -> Iterator[str]:
    """Between which probabilities to decline, if rows may be declined."""
    if isinstance(decision.chow, str):
        yield f"There are no two thresholds in closed form: {decision.chow.removesuffix('.')}."
    elif decision.aim.costs is not None and decision.aim.reject_cost is not None:
        lower, upper = chow_thresholds(decision.aim.costs, decision.aim.reject_cost)
        if lower == upper:
            yield f"{CALIBRATED}, declining would never be worth its cost (Chow 1970)."
        else:
            yield f"{CALIBRATED}, it would be cheapest to decline {_from_to((lower, upper))} (Chow 1970)."


def _from_to(ends: tuple[float, float]) -> str:
    return f"from {max(ends[0], 0.0):.4g} up to {min(ends[1], 1.0):.4g}"


def expected(decision: Decision) -> Iterator[str]:
    """That the rows flatter, and by how much."""
    yield decision.optimistic or ""
    fitted = decision.cross_fitted
    if not isinstance(fitted, CrossFitted):
        yield f"What to expect on new rows was not tried: {fitted}."
        yield _by_its_limit(decision)
        return
    yield "Cross-fitted, each fifth of the rows answered by what the others choose,"
    yield f"{'; '.join(_cross_fitted(decision, fitted))}."
    saving = fitted.savings.get(decision.saving_against)
    if saving is not None:
        verb, sign = ("saves", 1) if (saving.value or 0.0) >= 0 else ("loses", -1)
        yield f"Against {named(decision, decision.saving_against)} it {verb} {with_interval(saving, sign)}."
        yield from tuned(decision)
    yield ESTIMATED
    if saving is not None and saving.low is not None:
        yield "The interval takes the five thresholds as given."
    yield _by_its_limit(decision)


def _cross_fitted(decision: Decision, fitted: CrossFitted) -> Iterator[str]:
    """What was made best, and what was asked, against what they are here."""
    objective = decision.aim.objective
    if fitted.cost is not None and fitted.mean_cost is not None:
        yield _cost_again(decision, fitted.cost, fitted.mean_cost)
    elif objective not in fitted.metrics:
        there = "undefined" if fitted.value is None else number(fitted.value)
        yield _again(objective, there, number(decision.value))
    for each in decision.aim.constraints:
        yield _asked_again(decision, fitted, each)


def _cost_again(decision: Decision, cost: float, mean: float) -> str:
    worse = cost - (decision.cost or 0.0)
    compared = "just as here"
    if money(worse) != "0":
        compared = f"{money(abs(worse))} {'worse' if worse > 0 else 'better'} than here"
    return f"it {total_said(cost)}, {compared}, {number(abs(mean))} a row"


def _asked_again(decision: Decision, fitted: CrossFitted, constraint: Constraint) -> str:
    there, here = fitted.metrics[constraint.metric], decision.metrics[constraint.metric].value
    if there is None:
        return f"{constraint.metric} is undefined"
    if constraint.kept(np.array(there)):
        return _again(constraint.metric, number(there), number(here))
    side = f"{'less' if constraint.at_least else 'more'} than the {constraint.bound:.12g} asked"
    return f"{_again(constraint.metric, told_apart(there, constraint), number(here))}, {side}"


def _again(name: str, there: str, here: str) -> str:
    return f"{name} is {there}, {'just as here' if there == here else f'not {here} as here'}"


def _by_its_limit(decision: Decision) -> str:
    """How to leave room for what new rows will do."""
    if not any(not each.on_lower and each.has_limit for each in decision.aim.constraints):
        return ""
    return (
        "With --on-lower-bound (on_lower_bound=True) the confidence limit must keep what is asked, not only "
        "the value here, so that new rows are likelier to keep it too."
    )
