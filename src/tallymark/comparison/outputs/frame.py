"""A comparison as a table, for data frames and for CSV: one row per difference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tallymark.curves.frames import chosen_library
from tallymark.drawing import csv

if TYPE_CHECKING:
    from tallymark.comparison.result import Comparison

_TEXT = ("metric", "a", "b", "test", "design", "note")
COLUMNS = (
    *("metric", "a", "b", "value_a", "value_b", "difference", "low", "high", "level"),
    *("p_value", "p_adjusted", "test", "design", "note"),
)


def to_frame(comparison: Comparison, library: str | None) -> Any:
    """In the library asked for, else in the one the data came in, else in polars."""
    import narwhals.stable.v2 as nw

    chosen = chosen_library(library, comparison.library)
    table = zip(*_rows(comparison), strict=True)
    data = {name: list(cells) for name, cells in zip(COLUMNS, table, strict=True)}
    schema = {name: nw.String() if name in _TEXT else nw.Float64() for name in COLUMNS}
    return nw.from_dict(data, schema, backend=chosen).to_native()


def to_csv(comparison: Comparison) -> str:
    """As text, with every digit that the JSON document has."""
    return csv(COLUMNS, _rows(comparison))


def _rows(comparison: Comparison) -> Iterator[tuple[Any, ...]]:
    values = {model.name: model.values for model in comparison.models}
    for each in comparison.differences:
        known = each.value is not None
        note = each.estimate.note if known else each.why
        yield (
            each.metric,
            each.a,
            each.b,
            *(values[name][each.metric].value for name in (each.a, each.b)),
            *(each.value, each.low, each.high, each.level),
            *(each.p_value, each.decisive, each.test, comparison.design),
            note or (each.outcome.why if known else None),
        )
