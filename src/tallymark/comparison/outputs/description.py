"""A comparison described as a document, for any pen to draw."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from tallymark.drawing import (
    Block,
    Column,
    Document,
    Findings,
    Paragraph,
    Section,
    Table,
    count,
    number,
    value_and_interval,
    with_interval,
)
from tallymark.drawing import Finding as DrawnFinding
from tallymark.drawing import name as visible
from tallymark.tallies.labels import quoted
from tallymark.tests.outcome import Outcome

if TYPE_CHECKING:
    from tallymark.comparison.difference import Difference
    from tallymark.comparison.result import Comparison
    from tallymark.inference import Estimate

_MOST_BESIDE = 4
"""Models that stand side by side; more of them stand below each other."""


def describe(comparison: Comparison) -> Document:
    """Sections in the order people read them."""
    sections = [
        Section("Comparison", tuple(opening(comparison))),
        Section("Verdict", (Paragraph(comparison.verdict),)),
        Section("Models", (model_table(comparison),)),
        Section("Differences", tuple(difference_blocks(comparison))),
        *comparison.detail.sections(),
    ]
    if comparison.outcomes:
        sections.append(Section("Tests", (outcome_table(comparison.outcomes), *remarks(comparison))))
    if comparison.findings:
        items = tuple(DrawnFinding(each.code, each.message) for each in comparison.findings)
        sections.append(Section("Findings", (Findings(items),)))
    return Document("", tuple(sections))


def opening(comparison: Comparison) -> Iterator[Block]:
    """Who is compared on what, and what was assumed on the way."""
    models = comparison.models
    names = [quoted(model.name) for model in models]
    who = f"{', '.join(names[:-1])} and {names[-1]}"
    sizes = {model.n for model in models}
    each = ", ".join(f"{count(model.n)} of {quoted(model.name)}" for model in models)
    size = f"{comparison.counted}: {each}"
    if len(sizes) == 1:
        what = comparison.counted.removesuffix("s") if models[0].n == 1 else comparison.counted
        size = f"{count(models[0].n)} {what}"
    if len(models) > 2 * _MOST_BESIDE:
        who = f"{len(models)} models"
    yield Paragraph(f"{who}; {comparison.design}; {size}. Assumed: {comparison.assumption}.")
    for note in comparison.notes:
        yield Paragraph(f"Note: {note}")


def model_table(comparison: Comparison) -> Table:
    """The numbers of the models with their intervals; of many models without."""
    models = comparison.models
    metrics = list(models[0].values)
    if len(models) <= _MOST_BESIDE:
        heads = (Column("", "left"), *(Column(visible(model.name)) for model in models))
        rows = [(name, *(_with_ends(model.values[name]) for model in models)) for name in metrics]
    else:
        heads = (Column("model", "left"), *(Column(name) for name in metrics))
        rows = [
            (visible(model.name), *(number(model.values[name].value) for name in metrics)) for model in models
        ]
    return Table(heads, tuple(rows))


def _with_ends(estimate: Estimate) -> str:
    return with_interval(estimate.value, estimate.low, estimate.high)


def difference_blocks(comparison: Comparison) -> Iterator[Block]:
    """Every difference with interval and test, and what must be said of them."""
    several = len(comparison.models) > 2
    first = comparison.differences[0]
    pair = "a less b" if several else f"{quoted(first.a)} less {quoted(first.b)}"
    level = f"{first.level * 100:.10g} % interval"
    names = (Column("a", "left"), Column("b", "left")) if several else ()
    adjusted = (Column("adjusted"),) if several else ()
    heads = (Column("", "left"), *names, Column(pair), Column(level), Column("p"), *adjusted)
    rows = []
    for each in comparison.differences:
        who = (visible(each.a), visible(each.b)) if several else ()
        p = (number(each.p_value), *((number(each.decisive),) if several else ()))
        found = value_and_interval(each.value, each.low, each.high)
        test = "-" if each.test is None else each.test
        rows.append((each.metric, *who, *found, *p, test))
    changes = [at for at in range(1, len(rows)) if several and rows[at][0] != rows[at - 1][0]]
    yield Table((*heads, Column("test", "left")), tuple(rows), rule_before=tuple(changes))
    yield from (Paragraph(text) for text in _reasons(comparison.differences))
    if several:
        by = next((each.adjusted_by for each in comparison.differences if each.adjusted_by), None)
        if by is not None:
            pairs = len(comparison.models) * (len(comparison.models) - 1) // 2
            yield Paragraph(
                f"Adjusted: p-values by {by} for the {pairs} pairs, each number apart. Intervals are not "
                "adjusted."
            )
    if len({each.metric for each in comparison.differences}) > 1:
        yield Paragraph(
            f"The verdict is about {comparison.metric}; looking for a difference among many numbers finds "
            "one by chance, and p-values are not adjusted for that."
        )


def _reasons(differences: Iterable[Difference]) -> Iterator[str]:
    """Why numbers, intervals and p-values are missing, each reason once."""
    why: dict[str, list[str]] = {}
    for each in differences:
        reason = each.why
        if each.value is not None:
            reason = each.estimate.note or each.outcome.why
        if reason:
            why.setdefault(reason, []).append(each.metric)
    for reason, metrics in why.items():
        yield f"{', '.join(dict.fromkeys(metrics))}: {reason}."


def outcome_table(outcomes: Iterable[Outcome]) -> Table:
    """Tests below each other."""
    heads = (Column("", "left"), Column("statistic"), Column("df"), Column("p"), Column("sided", "left"))
    rows = [
        (each.method, number(each.statistic), _df(each), number(each.p_value), each.alternative)
        for each in outcomes
    ]
    return Table(heads, tuple(rows))


def _df(outcome: Outcome) -> str:
    if outcome.df is None:
        return "-"
    parts = outcome.df if isinstance(outcome.df, tuple) else (outcome.df,)
    return ", ".join(count(part) for part in parts)


def remarks(comparison: Comparison) -> Iterator[Paragraph]:
    """What must be said of tests, each remark once with the tests it is about."""
    methods: dict[str, list[str]] = {}
    for each in comparison.outcomes:
        for text in (each.why, each.note):
            if text is not None:
                methods.setdefault(text, []).append(each.method)
    yield from (Paragraph(f"{'; '.join(names)}: {text}.") for text, names in methods.items())
