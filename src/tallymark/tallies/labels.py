"""Labels: what classes are called, and the one order they stand in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, Literal

from tallymark.errors import LabelError
from tallymark.tallies.plain_numbers import whole_numbers

Label = int | bool | str
Family = Literal["number", "text"]

REST = "rest"
_SHOWN, _ALL = 8, 12
_LONGEST = 60


def family(labels: Iterable[Label]) -> Family | None:
    """Whether labels are numbers (False and True among them) or text; None when there are none."""
    kinds: set[Family] = {"text" if isinstance(label, str) else "number" for label in labels}
    if len(kinds) > 1:
        raise LabelError(
            "labels must be all numbers or all text, but both came.",
            hint="write every label the same way, for example as text.",
        )
    return kinds.pop() if kinds else None


def in_order(labels: Iterable[Label]) -> tuple[Label, ...]:
    """Distinct labels in canonical order: numbers by value, text by code point.

    True and 1 are one label; it stays a bool only while every label is one.
    """
    given = list(labels)
    plain = set(map(type, given)) in ({str}, {int}, {bool})
    if not plain and family(given) == "number" and not all(isinstance(label, bool) for label in given):
        # Before equals are dropped: whichever of True and 1 came first would stay.
        given = [int(label) for label in given]
    return tuple(dict.fromkeys(sorted(given)))  # runs that are in order already are merged


def stated(labels: Iterable[Label]) -> tuple[Label, ...]:
    """Labels as a person gave them, in that order: plain values of one family, each once."""
    if isinstance(labels, str | Mapping | Set):
        raise LabelError(f"labels must be a list, in the order meant; got {quoted(labels)}.")
    plain = tuple(_plain(label) for label in labels)
    family(plain)
    if len(set(plain)) != len(plain):
        raise LabelError(f"labels must differ from each other; they are {listed(plain)}.", about_data=False)
    return plain


def _plain(given: Any) -> Label:
    plain = given.item() if hasattr(given, "item") else given
    if isinstance(plain, float) and plain.is_integer():
        return int(plain)
    if not isinstance(plain, str | int):
        raise LabelError(f"labels are text, whole numbers or booleans; got {given!r}.")
    return plain


def quoted(label: object) -> str:
    """A label, or any value from data, for a message: as Python writes it, cut when it is long."""
    if isinstance(label, str) and len(label) > _LONGEST:
        return f"{label[: _LONGEST - 1]!r}..."
    return repr(label)


def listed(labels: Sequence[Label]) -> str:
    """Labels for a message: ['a', 'b'], cut after a few where that leaves out more than a few."""
    if len(labels) <= _ALL:
        return f"[{', '.join(map(quoted, labels))}]"
    return f"[{', '.join(map(quoted, labels[:_SHOWN]))}, ... ({len(labels):,} in all)]"


def find(wanted: object, labels: Sequence[Label], what: str = "positive") -> Label:
    """The label a user means: exactly that one, or the one whose text form it is ("1" for 1)."""
    if hasattr(wanted, "__len__") and not isinstance(wanted, str):
        raise LabelError(f"{what} is one label; got {type(wanted).__name__}.")
    for label in labels:
        if label == wanted and isinstance(label, str) == isinstance(wanted, str):
            return label
    text = str(wanted)
    by_text = {str(label): label for label in labels}
    numbers = whole_numbers([text, *by_text])
    if text in by_text:
        return by_text[text]
    equal = (
        [] if numbers is None else [one for form, one in by_text.items() if numbers[form] == numbers[text]]
    )
    if len(equal) == 1:
        return equal[0]
    alike = [label for label in labels if str(label).strip().casefold() == text.strip().casefold()]
    hint = f"did you mean {quoted(alike[0])}? Labels are case-sensitive and blanks count." if alike else None
    raise LabelError(f"{what}={quoted(wanted)} is not a label; labels are {listed(labels)}.", hint=hint)


def rest_of(label: Label, labels: Sequence[Label]) -> str:
    """What all classes but one are called together."""
    return REST if REST not in map(str, labels) else f"not {label}"


def pooled(label: Label, labels: Sequence[Label]) -> str:
    """What must be said when all classes but one are taken for one."""
    others = [each for each in labels if each != label]
    return f"{listed(others)} were pooled as {rest_of(label, labels)!r}, against {quoted(label)}."


def may_be_positive(label: Label, named: object) -> bool:
    """Whether a label is the class named, or without a name the one that convention names in any set.

    >>> may_be_positive("1.0", 1), may_be_positive("TRUE", None), may_be_positive("yes", None)
    (True, True, False)
    """
    text = str(label)
    if named is None:
        return text.casefold() == "true" or whole_numbers([text]) == {text: 1}
    if isinstance(named, bool) and whole_numbers([text]) == {text: int(named)}:
        return True
    wanted = str(named)
    numbers = whole_numbers([text, wanted])
    return text == wanted or (numbers is not None and numbers[text] == numbers[wanted])


def conventional_positive(labels: Sequence[Label]) -> Label | None:
    """The positive class nobody has to name: 1 of 0/1, True of False/True; also as text, and of 0.0/1.0."""
    if len(labels) != 2:
        return None
    by_text = {str(label).casefold(): label for label in labels}
    numbers = whole_numbers(by_text) or {"false": 0, "true": 1}
    by_number = {numbers.get(text): label for text, label in by_text.items()}
    return by_number[1] if set(by_number) == {0, 1} else None
