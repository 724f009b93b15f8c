"""A comparison as a page: the verdict first, then the differences, then what they rest on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from tallymark.comparison.outputs.description import (
    difference_blocks,
    model_table,
    opening,
    outcome_table,
    remarks,
)
from tallymark.comparison.outputs.shown import ABOUT, TITLES, shown
from tallymark.comparison.rows.aligned import notes_of
from tallymark.drawing import Block, Document, Finding, Findings, Folded, Paragraph, Picture, Section, Table
from tallymark.drawing import name as visible
from tallymark.evaluation.report.models import MOST_NAMED, briefly, named

if TYPE_CHECKING:
    from tallymark.comparison.result import Comparison
    from tallymark.evaluation import Evaluation


def describe(
    comparison: Comparison,
    models: Mapping[str, Evaluation] | None = None,
    title: str = "",
    worst: int | None = None,
) -> Document:
    """The whole page; `models` are the evaluations to show below, those that were compared unless given."""
    called = title or titled(comparison)
    evs = comparison.evaluations if models is None else models
    if not evs:
        return Document(called, (Section("", first_blocks(comparison)), *sections(comparison)))
    from tallymark.evaluation.report import describe as describe_models

    return describe_models(
        evs,
        title=called,
        lead=lead(comparison),
        about=comparison.metric,
        findings=_findings(comparison),
        sections=(section_of(comparison),),
        worst=worst,
    )


def glance(comparison: Comparison) -> Document:
    """What is seen first."""
    picture = picture_of(comparison, "differences")
    return Document(titled(comparison), (Section("", (*first_blocks(comparison), picture)),))


def titled(comparison: Comparison) -> str:
    """What the page is called."""
    names = [model.name for model in comparison.models]
    if len(names) == 2:
        return " against ".join(map(visible, briefly(names)))
    return named(names) if len(names) <= MOST_NAMED else f"Comparison of {named(names)}"


def first_blocks(comparison: Comparison) -> tuple[Block, ...]:
    """The verdict, what a careful teacher would point out, and the numbers of the models."""
    items = _findings(comparison)
    found = (Findings(items),) if items else ()
    return (Paragraph(lead(comparison), lead=True), *found, model_table(comparison))


def lead(comparison: Comparison) -> str:
    """The verdict as the first words of a page."""
    return f"{comparison.verdict[:1].upper()}{comparison.verdict[1:]}"


def _findings(comparison: Comparison) -> tuple[Finding, ...]:
    return tuple(Finding(each.code, each.message) for each in comparison.findings)


def sections(comparison: Comparison) -> tuple[Section, ...]:
    """Differences, pictures and tests, where the comparison is all there is."""
    first = Section(
        "Differences",
        (*opening(comparison), *_pictures(comparison), *_differences(comparison)),
    )
    return (first, *_others(comparison))


def section_of(comparison: Comparison) -> Section:
    """The same as one section among others, which draw the ROC curves and tell the notes of the models."""
    pictures = _pictures(comparison, without=("roc",))
    folded = (Folded(each.title, each.blocks) for each in _others(comparison))
    told = [Paragraph(f"Note: {note}") for note in notes_of(comparison.evaluations)]
    first = (block for block in opening(comparison) if block not in told)
    blocks = (*first, *pictures, *_differences(comparison), *folded)
    return Section("Comparison", blocks)


def _differences(comparison: Comparison) -> Iterator[Block]:
    """The table of all pairs; of more than two models the numbers beside the verdict's are folded."""
    table, *said = difference_blocks(comparison)
    assert isinstance(table, Table)
    first = [row for row in table.rows if row[0] == comparison.metric]
    if len(comparison.models) == 2 or len(first) == len(table.rows):
        yield table
    else:
        others = table.rows[len(first) :]
        rules = tuple(at - len(first) for at in table.rule_before if at > len(first))
        yield replace(table, rows=tuple(first), rule_before=())
        yield Folded("Differences in other numbers", (replace(table, rows=others, rule_before=rules),))
    yield from said


def picture_of(comparison: Comparison, kind: str) -> Picture:
    """A picture with what it shows, and below it the tables about it."""
    about = ABOUT.get(kind)
    blocks = [block for each in comparison.detail.sections() if each.title == about for block in each.blocks]
    figure = comparison.figure(kind)
    return Picture(TITLES[kind], figure, shown(comparison, kind), tuple(blocks))


def _pictures(comparison: Comparison, without: tuple[str, ...] = ()) -> Iterator[Picture]:
    kinds = comparison.detail.figures()
    first = ("differences", *(kind for kind in kinds if kind != "differences"))
    yield from (picture_of(comparison, kind) for kind in first if kind not in without)


def _others(comparison: Comparison) -> Iterator[Section]:
    """What is under no picture, and the tests."""
    pictured = [ABOUT.get(kind) for kind in comparison.detail.figures()]
    yield from (each for each in comparison.detail.sections() if each.title not in pictured)
    if comparison.outcomes:
        yield Section("Tests", (outcome_table(comparison.outcomes), *remarks(comparison)))
