"""What the JSON document of an evaluation holds: the kind of each part that a gate reads."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

Kind = Callable[[Any, str], str | None]
"""Takes a part and its path, and gives the path of what is not of its kind; None if all of it is."""


def _is(right: Callable[[Any], bool]) -> Kind:
    return lambda part, where: None if right(part) else where


def _first(found: Iterable[str | None]) -> str | None:
    return next((where for where in found if where is not None), None)


def _or_none(kind: Kind) -> Kind:
    return lambda part, where: None if part is None else kind(part, where)


def _list_of(kind: Kind) -> Kind:
    def wrong(part: Any, where: str) -> str | None:
        if not isinstance(part, list):
            return where
        return _first(kind(item, f"{where}[{place}]") for place, item in enumerate(part))

    return wrong


def _table_of(kind: Kind) -> Kind:
    def wrong(part: Any, where: str) -> str | None:
        if not isinstance(part, Mapping):
            return where
        return _first(kind(item, f"{where}.{key}") for key, item in part.items())

    return wrong


def _record(**kinds: Kind) -> Kind:
    def wrong(part: Any, where: str) -> str | None:
        if not isinstance(part, Mapping):
            return where
        start = f"{where}." if where else ""
        return _first(kind(part.get(name), f"{start}{name}") for name, kind in kinds.items())

    return wrong


def _is_number(part: Any) -> bool:
    """Whether it is a number that a float can hold; NaN and infinity are none."""
    return isinstance(part, int | float) and not isinstance(part, bool) and abs(part) <= sys.float_info.max


def _estimate(part: Any, where: str) -> str | None:
    """A number as it is written down: a value, with both ends of its interval or without any."""
    if not isinstance(part, Mapping) or "value" not in part:
        return where
    one_end = (part.get("low") is None) != (part.get("high") is None)
    return where if one_end else _OF_ESTIMATE(part, where)


def _class(part: Any, where: str) -> str | None:
    """What is known of one class: its label and counts, and estimates by name."""
    named = _record(label=_TEXT)(part, where)
    if named is not None:
        return named
    return _first(
        _estimate(item, f"{where}.{key}") for key, item in part.items() if isinstance(item, Mapping)
    )


_TEXT = _is(lambda part: isinstance(part, str))
_NUMBER = _is(_is_number)
_MATRIX = _list_of(_list_of(_NUMBER))
_OF_ESTIMATE = _record(
    value=_or_none(_NUMBER),
    low=_or_none(_NUMBER),
    high=_or_none(_NUMBER),
    level=_or_none(_is(lambda part: _is_number(part) and 0 < part < 1)),
    n=_or_none(_NUMBER),
    se=_or_none(_NUMBER),
    bounds=_or_none(_is(lambda part: isinstance(part, list) and [*map(_is_number, part)] == [True, True])),
    **dict.fromkeys(("why", "method", "assumption", "note"), _or_none(_TEXT)),
)
_METRICS = _table_of(_estimate)
_CONFUSION = _or_none(_record(matrix=_or_none(_MATRIX)))
EVALUATION = _record(
    task=_TEXT,
    rows=_NUMBER,
    labels=_is(lambda part: bool(part) and _list_of(_TEXT)(part, "") is None),
    positive=_or_none(_TEXT),
    metrics=_METRICS,
    per_class=_list_of(_class),
    confusion=_CONFUSION,
    costs=_or_none(_record(matrix=_MATRIX)),
    slices=_or_none(
        _list_of(_record(slice=_table_of(_TEXT), rows=_NUMBER, metrics=_METRICS, confusion=_CONFUSION))
    ),
    dropped=_or_none(_table_of(_NUMBER)),
    findings=_or_none(_list_of(_record(code=_TEXT, message=_TEXT))),
    notes=_or_none(_list_of(_TEXT)),
)
