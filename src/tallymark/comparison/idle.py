"""Options that say nothing about what is compared: refused, or told of where they may do no harm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tallymark.comparison.question import Question
from tallymark.errors import OptionError

_USUAL: dict[str, Any] = {"weight_kind": "sampling", "missing": "error", "missing_words": (), "metrics": ()}


def refuse_idle(options: Mapping[str, Any], beside: str, *, but: tuple[str, ...] = ()) -> None:
    """An option that would change nothing was meant to change something."""
    for name, value in options.items():
        if name not in but and value is not None and not _is_usual(name, value):
            raise OptionError(f"{name} has no effect beside {beside}.", hint="leave it out.")


def _is_usual(name: str, value: Any) -> bool:
    usual = _USUAL.get(name)
    return isinstance(value, type(usual)) and bool(value == usual)


def idle_of_pairs(question: Question, *, swaps: bool = True, unswapped: Sequence[str] = ()) -> Iterator[str]:
    """What was asked that is not about the same rows.

    `swaps` says whether answers can be swapped, and `unswapped` names the numbers whose scores are not.
    """
    if question.method is not None:
        yield f"method {question.method!r} is about models on other rows, so it has no effect here."
    if question.test == "permutation" and not swaps:
        yield "answers cannot be swapped where the rows are lost, so there is no permutation test."
    elif question.test == "permutation" and unswapped:
        names = ", ".join(unswapped)
        yield f"scores of several classes are not swapped, so these have their usual test: {names}."


def idle_of_others(question: Question) -> Iterator[str]:
    """What was asked that is not about other rows."""
    if question.test != "auto":
        yield f"test {question.test!r} is about models on the same rows, so it has no effect here."
