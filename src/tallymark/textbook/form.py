"""Examples as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tallymark.drawing import Block, Findings, Paragraph, Picture, Table

from .cases import SOURCES
from .example import CHAPTERS, Check, Example
from .lectures import EXAMPLES
from .working import Done

SCHEMA = "tallymark/textbook/1"


def listing_form() -> dict[str, Any]:
    """All examples without their figures."""
    return {**_heading(), "examples": [_example(each) for each in EXAMPLES.values()]}


def worked_form(all_done: Sequence[Done]) -> dict[str, Any]:
    """Examples with everything found."""
    agree = all(each.worked is None or each.worked.agrees for each in all_done)
    return {**_heading(), "agrees": agree, "examples": [_done(each) for each in all_done]}


def _heading() -> dict[str, Any]:
    chapters = [{"chapter": number, "title": title} for number, title in CHAPTERS.items()]
    return {"schema": SCHEMA, "chapters": chapters, "sources": dict(SOURCES)}


def _example(each: Example) -> dict[str, Any]:
    return {
        "name": each.name,
        "chapter": each.chapter,
        "title": each.title,
        "sources": list(each.sources),
        "cases": list(each.cases),
    }


def _done(each: Done) -> dict[str, Any]:
    form = _example(each.example)
    if each.worked is None:
        return {**form, "agrees": None, "why": each.why}
    worked = each.worked
    return {
        **form,
        "agrees": worked.agrees,
        "problem": worked.problem,
        "given": [_block(block) for block in worked.given],
        "checks": [_check(check) for check in worked.checks],
        "worked": [_block(block) for block in worked.worked],
        "remark": worked.remark,
        "command": list(worked.shell),
        "python": list(worked.python),
    }


def _check(check: Check) -> dict[str, Any]:
    return {
        "what": check.what.strip(),
        "origin": check.origin,
        "expected": check.expected,
        "found": check.found,
        "agrees": check.agrees,
        "passed": check.passed,
    }


def _block(block: Block) -> dict[str, Any]:
    match block:
        case Table():
            heads = [column.title for column in block.columns]
            return {"title": block.title, "columns": heads, "rows": [list(row) for row in block.rows]}
        case Picture():
            return {"picture": block.title, "text": block.said}
        case Findings():
            return {"findings": [{"code": each.code, "message": each.message} for each in block.items]}
        case Paragraph():
            return {"text": block.text}
    return {"text": "\n".join(getattr(block, "lines", ()))}
