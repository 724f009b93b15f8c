"""Examples worked; one that needs what is not installed says so and stops no other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tallymark.errors import MissingExtraError

from .example import Example, Worked


@dataclass(frozen=True, eq=False)
class Done:
    """An example and what came of it, or why nothing could."""

    example: Example
    worked: Worked | None
    why: str = ""


def done(examples: Sequence[Example]) -> list[Done]:
    """All of them, one after the other."""
    return [_done(each) for each in examples]


def _done(example: Example) -> Done:
    try:
        return Done(example, example.work())
    except MissingExtraError as missing:
        return Done(example, None, str(missing))


def summary(all_done: Sequence[Done]) -> str:
    """How many figures are as they should be."""
    checks = [check for each in all_done if each.worked for check in each.worked.checks]
    held = Counter(check.origin for check in checks if check.passed)
    said = (
        f"{len(all_done)} examples. {held['printed']} figures and statements of the documents, and "
        f"{held['formula']} worked out step by step by their formulas, agree with what tallymark finds."
    )
    if held["misprint"]:
        said += f" {held['misprint']} printed by mistake differ, as they must."
    apart = [each.example.name for each in all_done if each.worked and not each.worked.agrees]
    if apart:
        said += f" NOT as they should be: {', '.join(apart)}."
    absent = [each.example.name for each in all_done if each.worked is None]
    if absent:
        said += f" Not run: {', '.join(absent)}."
    return said
