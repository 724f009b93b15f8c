"""What a decision costs and saves, in words and tables."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tallymark.curves.costs.prices import costs_or_gains, money, plainly
from tallymark.curves.shared import cut_at, within_bin
from tallymark.decisions.decision import NEGATIVE, POSITIVE, Decision
from tallymark.decisions.ways import ONE_SCORE, Answered, Way, answered
from tallymark.drawing import Block, Column, Lines, Paragraph, Table, count, number
from tallymark.inference import Estimate
from tallymark.tallies.labels import quoted


def costs_and_savings(decision: Decision) -> Iterator[Block]:
    """Prices, the total, what is saved against what, and the formula worked out."""
    cost, mean = decision.cost, decision.mean_cost
    assert cost is not None
    yield Paragraph(" ".join(prices(decision)))
    where = "It" if decision.elsewhere is None else "On these rows it"
    total = f"{where} {total_said(cost)}, {number(abs(mean or 0.0))} a row."
    saved = (saving_said(decision, name) for name in decision.savings)
    unfair = () if decision.elsewhere is None else tuned(decision)
    yield Paragraph(" ".join((total, *saved, *unfair)))
    yield _ways(decision)
    method = " ".join(_method(decision))
    if method:
        yield Paragraph(method)
    yield Lines((*decision.formula, *_declined(decision)))


def _method(decision: Decision) -> Iterator[str]:
    """How the intervals were made."""
    drawn = [each for each in decision.savings.values() if each.low is not None]
    if drawn:
        how = "drawing whole groups" if drawn[0].method == "group_bootstrap" else "Dirichlet draws"
        yield f"Intervals by {how}; assumption: {drawn[0].assumption}."
    if any(each.remark == ONE_SCORE for each in drawn):
        yield (
            "Two cuts of one score change answers in one direction only; a comparison of any two models' "
            "answers does not count on that, so it has another interval of the same saving."
        )
    for name, each in decision.savings.items():
        if each.value and each.low is None:
            yield f"Of {name}: {each.note}."


def prices(decision: Decision) -> Iterator[str]:
    """What each answer costs."""
    assert decision.aim.costs is not None
    for actual, row in zip(decision.labels, decision.aim.costs.tolist(), strict=True):
        for called, cost in zip(decision.labels, row, strict=True):
            yield f"An actual {quoted(actual)} called {quoted(called)} {costs_or_gains(cost, plainly)}."
    if decision.aim.reject_cost is not None:
        yield f"A row that is declined {costs_or_gains(decision.aim.reject_cost, plainly)}."


def total_said(cost: float) -> str:
    """`costs 110 in total`."""
    return f"{costs_or_gains(cost, money)} in total"


def _declined(decision: Decision) -> Iterator[str]:
    if decision.aim.reject_cost is not None and decision.region is not None:
        n = sum(decision.answered.declined)
        paid = plainly(decision.aim.reject_cost)
        total = money(decision.aim.reject_cost * n)
        yield f"{'and ' if decision.formula else ''}for the rows declined {paid} x {count(n)} = {total}"


def named(decision: Decision, name: str) -> str:
    """A way it is compared with, in words."""
    if name == POSITIVE:
        return f"calling all {quoted(decision.labels[0])}"
    if name == NEGATIVE:
        return f"calling all {quoted(decision.labels[1])}"
    assert decision.as_is is not None
    way, words = decision.against[name], decision.as_is.words
    if isinstance(way, Way):
        here = ", tuned here" if decision.as_is.tuned_for else ""
        words = f"score >= {cut_at(decision.scores, way.upper)}{here}"
    return f"as is ({words})" if words else "as is"


def tuned(decision: Decision) -> Iterator[str]:
    """That what it is compared with was itself fitted to these rows."""
    if decision.as_is is not None and decision.as_is.tuned_for:
        yield (
            f"The threshold as is was itself tuned on these rows, for {decision.as_is.tuned_for}: its cost "
            "here is optimistic, so the comparison with it is not a fair one."
        )


def saving_said(decision: Decision, name: str) -> str:
    """What it saves against one of the ways."""
    saving = decision.savings[name]
    assert saving.value is not None
    against = f"Against {named(decision, name)}"
    if saving.value < 0:
        text = f"{against} it costs {with_interval(saving, -1)} more"
    elif saving.value == 0 and saving.low is None:
        same = decision.answered_by(name) == decision.answered
        return f"{against} it {'answers every row alike' if same else 'costs the same'}."
    else:
        text = f"{against} it saves {with_interval(saving, 1)}"
    if saving.low is not None and saving.high is not None and saving.low < 0 < saving.high:
        text += ": the interval holds 0, so these rows show no difference"
    return f"{text}."


def with_interval(saving: Estimate, sign: int) -> str:
    """A saving, or with the other sign a loss."""
    assert saving.value is not None
    value = money(sign * saving.value)
    if saving.low is None or saving.high is None:
        return value
    return f"{value} {_ends(*sorted((sign * saving.low, sign * saving.high)))}"


def _ends(low: float, high: float) -> str:
    """Both ends of a saving, to as many digits as their distance bears."""
    digits = 2 - math.floor(math.log10(high - low)) if high > low else 2
    return f"[{money(round(low, digits))}, {money(round(high, digits))}]"


def _ways(decision: Decision) -> Table:
    """This decision and the others, with their counts and costs."""
    declines = decision.region is not None
    titles = ["TP", "FN", "FP", "TN", *(["declined"] if declines else []), "cost", "per row", "this saves"]
    titles.append(f"{decision.ranking.level * 100:g} % interval")
    columns = (Column("", "left"), *map(Column, titles))
    rows = [(_title(decision), *_row(decision, decision.answered, declines), "", "")]
    for name, saving in decision.savings.items():
        ends = "-" if saving.low is None or saving.high is None else _ends(saving.low, saving.high)
        cells = _row(decision, decision.answered_by(name), declines)
        rows.append((named(decision, name), *cells, money(saving.value or 0.0), ends))
    closed_at = decision.closed_threshold
    known = closed_at is not None and not within_bin(decision.scores, closed_at)
    if closed_at is not None and known and not math.isinf(closed_at) and not declines:
        assert decision.aim.costs is not None
        found = answered(decision.scores, Way.cut(closed_at))
        saved = found.cost(decision.aim.costs) - (decision.cost or 0.0)
        name = f"closed form, score >= {cut_at(decision.scores, closed_at)}"
        rows.append((name, *_row(decision, found, declines), money(saved), "-"))
    return Table(columns, tuple(rows))


def cut_of(decision: Decision, threshold: float) -> str:
    """A threshold, as short as it takes the same of the rows it was chosen on."""
    scores = decision.scores if decision.elsewhere is None else decision.elsewhere.scores
    return cut_at(scores, threshold)


def _title(decision: Decision) -> str:
    if decision.region is not None:
        return "this decision"
    if math.isinf(decision.threshold):
        return f"this decision, all {quoted(decision.labels[1])}"
    return f"this decision, score >= {cut_of(decision, decision.threshold)}"


def _row(decision: Decision, found: Answered, declines: bool) -> tuple[str, ...]:
    assert decision.aim.costs is not None
    counts = found.counts
    cells = [count(shown(side)) for side in (counts.tp, counts.fn, counts.fp, counts.tn)]
    if declines:
        cells.append(count(shown(sum(found.declined))))
    cost = found.cost(decision.aim.costs, decision.aim.reject_cost)
    return (*cells, money(cost), number(cost / decision.scores.n))


def shown(n: float) -> float:
    """Expected rows to one decimal: more would look like knowledge."""
    return n if n == round(n) else round(n, 1 if abs(n) >= 1 else 4)
