"""The whole page, and its first screen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tallymark.drawing import Block, Document, Finding, Findings, Folded, Paragraph, Section
from tallymark.evaluation.live.section import live_section
from tallymark.evaluation.report.classes import classes
from tallymark.evaluation.report.headlines import headline_table, headlines
from tallymark.evaluation.report.matrices import matrices
from tallymark.evaluation.report.methods import methods
from tallymark.evaluation.report.models import briefly, named
from tallymark.evaluation.report.numbers import costs, numbers
from tallymark.evaluation.report.probabilities import probabilities
from tallymark.evaluation.report.ranking import ranking
from tallymark.evaluation.report.slices import slices
from tallymark.evaluation.report.thresholds import thresholds
from tallymark.evaluation.report.verdict import about_rows, verdict, verdicts
from tallymark.evaluation.report.worst import worst_errors

if TYPE_CHECKING:
    from tallymark.evaluation.report.models import Models

_SECTIONS: dict[str, Callable[[Models], Iterable[Block]]] = {
    "Ranking": ranking,
    "Threshold and costs": thresholds,
    "Probabilities": probabilities,
    "Classes": classes,
    "Slices": slices,
    "Costs": costs,
    "All numbers": numbers,
    "Method notes": methods,
}
_MOST_FOUND = 8
"""Findings to read before the numbers; many models have more."""


@np.errstate(under="ignore")
def describe(
    models: Models,
    *,
    title: str = "",
    lead: str = "",
    about: str = "",
    findings: Sequence[Finding] = (),
    sections: Sequence[Section] = (),
    worst: int | None = None,
) -> Document:
    """Everything that is known of the models, what to read first at the top.

    One model has the name "". A `lead` stands in place of the verdict, and is `about` one of the numbers;
    `findings` come before those of the models, and `sections` right after the first screen, before what there
    is to try. `worst` is how many of the worst errors are listed: none unless asked for, because rows may be
    private.
    """
    models = _briefly_named(models)
    renamed = {"Classes": "Labels"} if all(ev.sets is not None for ev in models.values()) else {}
    rest = tuple(
        Section(renamed.get(name, name), blocks) for name, blocks in _written(models, worst) if blocks
    )
    return Document(
        title or _title(models),
        (
            *first_screen(models, lead=lead, about=about, findings=findings),
            *sections,
            *live_section(models),
            *rest,
        ),
    )


def _written(models: Models, worst: int | None) -> Iterator[tuple[str, tuple[Block, ...]]]:
    for name, write in _SECTIONS.items():
        yield name, tuple(write(models))
        if name == "Slices" and worst is not None:
            yield "Worst errors", tuple(worst_errors(models, worst))


def glance(models: Models, *, title: str = "", lead: str = "", findings: Sequence[Finding] = ()) -> Document:
    """The first screen alone, as a notebook shows it."""
    return Document(title or _title(models), first_screen(models, lead=lead, findings=findings))


def first_screen(
    models: Models, *, lead: str = "", about: str = "", findings: Sequence[Finding] = ()
) -> tuple[Section, ...]:
    """The verdict, what was found, the numbers that matter most, and the answers counted."""
    return (Section("", tuple(_first_blocks(_briefly_named(models), lead, about, findings))),)


def _briefly_named(models: Models) -> Models:
    return dict(zip(briefly(models), models.values(), strict=True))


def _first_blocks(models: Models, lead: str, about: str, findings: Sequence[Finding]) -> Iterator[Block]:
    several = len(models) > 1
    one = next(iter(models.values()))
    said = lead or (verdicts(models) if several else verdict(one))
    if said:
        yield Paragraph(said, lead=True)
    found = (*(Finding(each.code, each.message) for each in findings), *_found(models))
    if found:
        yield Findings(found[:_MOST_FOUND])
    if len(found) > _MOST_FOUND:
        yield Folded("More findings", (Findings(found[_MOST_FOUND:]),))
    counted = tuple(matrices(models))
    yield from headline_table(models, counted, about) if several else headlines(one, counted)
    yield Paragraph(about_rows(models))


def _found(models: Models) -> Iterator[Finding]:
    """What was found in every model, with the names of those it was found in; the same is said once."""
    by_finding: dict[tuple[str, str], list[str]] = {}
    for name, ev in models.items():
        for each in ev.findings:
            by_finding.setdefault((each.code, each.message), []).append(name)
    for (code, message), names in by_finding.items():
        of_all = len(names) == len(models)
        yield Finding(code, message if of_all else f"{', '.join(names)}: {message}")


def _title(models: Models) -> str:
    return "Evaluation" if list(models) == [""] else named(models)
