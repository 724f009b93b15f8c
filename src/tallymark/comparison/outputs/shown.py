"""What each picture of a comparison shows, in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tallymark.drawing import count, number, percent, with_interval
from tallymark.tallies.labels import quoted

if TYPE_CHECKING:
    from tallymark.comparison.difference import Difference
    from tallymark.comparison.result import Comparison

TITLES = {
    "differences": "Differences with their intervals",
    "roc": "ROC curves",
    "agreement": "Who is right when",
    "folds": "Differences fold by fold",
    "posterior": "Better in practice",
    "critical-difference": "Mean ranks",
    "scores": "Scores by data set",
}
ABOUT = {
    "agreement": "Right and wrong",
    "folds": "Folds",
    "posterior": "In practice",
    "critical-difference": "Mean ranks",
    "scores": "Data sets",
}
"""The section that tells the numbers of a picture."""


def shown(comparison: Comparison, kind: str) -> str:
    """What there is to see in the picture of that kind."""
    known: dict[str, Callable[[Comparison], str]] = {
        "differences": _differences,
        "roc": _roc,
        "agreement": _agreement,
        "folds": _folds,
        "posterior": _posterior,
        "critical-difference": _ranks,
        "scores": _scores,
    }
    return known[kind](comparison)


def _differences(comparison: Comparison) -> str:
    about = [each for each in comparison.differences if each.metric == comparison.metric]
    known = [each for each in about if each.low is not None and each.high is not None]
    if len(comparison.models) == 2:
        return " ".join(filter(None, (_difference(about[0]), _beside(comparison))))
    clear = sum(_leaves_out_zero(each) for each in known)
    return (
        f"{comparison.metric}: in {clear} of {len(about)} pairs the interval of the difference leaves out 0."
    )


def _difference(each: Difference) -> str:
    who = f"{quoted(each.a)} less {quoted(each.b)}"
    if each.value is None:
        return f"{each.metric} of {who} is undefined: {each.why}."
    value = with_interval(each.value, each.low, each.high)
    tested = f", p = {number(each.p_value)} ({each.test})" if each.p_value is not None else ""
    return f"{each.metric}: {who} is {value}{tested}."


def _beside(comparison: Comparison) -> str:
    """How many of the numbers tell the two models apart, each looked at by itself."""
    known = [each for each in comparison.differences if each.low is not None and each.high is not None]
    if len(known) < 2:
        return ""
    clear = sum(map(_leaves_out_zero, known))
    return (
        f"Of {len(known)} numbers {clear or 'none'} {'have' if clear > 1 else 'has'} an interval without 0."
    )


def _leaves_out_zero(each: Difference) -> bool:
    return each.low is not None and each.high is not None and not each.low <= 0 <= each.high


def _roc(comparison: Comparison) -> str:
    areas = [
        f"{quoted(model.name)} {number(model.values['auc'].value)}"
        for model in comparison.models
        if "auc" in model.values
    ]
    return f"The area under the curve: {', '.join(areas)}." if areas else ""


def _agreement(comparison: Comparison) -> str:
    found = comparison.detail.form()["agreement"][0]
    rows = sum(found[name] for name in ("n00", "n01", "n10", "n11"))
    neither = f"neither on {count(found['n00'])}"
    both = f"Of {count(rows)} rows both are right on {count(found['n11'])} and {neither}"
    alone = f"{quoted(found['a'])} alone is right on {count(found['n01'])}"
    return f"{both}; {alone}, {quoted(found['b'])} alone on {count(found['n10'])}."


def _folds(comparison: Comparison) -> str:
    pair = comparison.detail.form()["folds"]["pairs"][0]
    gaps = pair["differences"]
    above, below = sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)
    return (
        f"{comparison.metric}: {quoted(pair['a'])} is above {quoted(pair['b'])} in {above} of "
        f"{len(gaps)} folds and below in {below}."
    )


def _posterior(comparison: Comparison) -> str:
    form = comparison.detail.form()
    found: Any = form["folds"]["pairs"][0]["posterior"] if "folds" in form else form["posterior"][0]
    first, second = comparison.models[0].name, comparison.models[1].name
    words = ("worse", "better") if comparison.differences[0].better is not None else ("lower", "higher")
    return (
        f"{quoted(first)} is {words[1]} than {quoted(second)} by more than {number(found['rope'])} with "
        f"probability {percent(found['better'])}, {words[0]} with {percent(found['worse'])}, and as good in "
        f"practice with {percent(found['equivalent'])}."
    )


def _ranks(comparison: Comparison) -> str:
    nemenyi = comparison.detail.form()["ranks"]["nemenyi"]
    names = [model.name for model in comparison.models]
    best, *_, worst = sorted(zip(nemenyi["ranks"], names, strict=True))
    return (
        f"{quoted(best[1])} has the best mean rank, {number(best[0])}, and {quoted(worst[1])} the worst, "
        f"{number(worst[0])}; mean ranks nearer than {number(nemenyi['critical_difference'])} are not told "
        "apart."
    )


def _scores(comparison: Comparison) -> str:
    found = comparison.detail.form()["data_sets"]
    lower = comparison.differences[0].better == "lower"
    columns = found["scores"]
    best = [(min if lower else max)(row) for row in zip(*columns.values(), strict=True)]
    wins = {
        name: sum(value == top for value, top in zip(column, best, strict=True))
        for name, column in columns.items()
    }
    name = max(wins, key=lambda each: wins[each])
    often = f"on {wins[name]} of {len(best)} data sets"
    return f"{quoted(name)} has the best {comparison.metric}, alone or with others, {often}."
