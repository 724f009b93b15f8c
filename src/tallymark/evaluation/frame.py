"""The long table of an evaluation: one row per number, for data frames and for CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.curves.frames import chosen_library
from tallymark.drawing import csv
from tallymark.evaluation.classes import PER_CLASS
from tallymark.evaluation.slices import headlines
from tallymark.inference import Estimate
from tallymark.metrics import Asked, ask

if TYPE_CHECKING:
    from tallymark.evaluation.result import Evaluation
    from tallymark.tallies import Label

_WHERE = ("slice", "class", "average", "metric")
_NUMBER = ("value", "low", "high", "level", "method", "n", "assumption")
_FLOATS = ("value", "low", "high", "level", "n")
COLUMNS = (*_WHERE, *_NUMBER, "note")


@np.errstate(under="ignore")
def to_frame(ev: Evaluation, library: str | None, *, extra: tuple[str, ...]) -> Any:
    """In the library asked for, else in the one the data came in, else in polars."""
    import narwhals.stable.v2 as nw

    chosen = chosen_library(library, ev.library)
    kinds = [float if name in _FLOATS else _text for name in COLUMNS]
    columns = (
        [None if cell is None else kind(cell) for cell in cells]
        for kind, cells in zip(kinds, zip(*_rows(ev, extra), strict=True), strict=True)
    )
    data = dict(zip(COLUMNS, columns, strict=True))
    schema = {name: nw.Float64() if name in _FLOATS else nw.String() for name in COLUMNS}
    return nw.from_dict(data, schema, backend=chosen).to_native()


def _text(cell: object) -> str:
    """No data frame takes half a surrogate pair, which a label in Python may hold."""
    return str(cell).encode("utf-8", "backslashreplace").decode("utf-8")


def to_csv(ev: Evaluation, *, extra: tuple[str, ...]) -> str:
    """As text, with every digit that the JSON document has."""
    return csv(COLUMNS, _rows(ev, extra))


def several_to_csv(evs: Mapping[str, Evaluation], *, extra: tuple[str, ...]) -> str:
    """The tables of several models, whose first column names the model."""
    rows = ((name, *row) for name, ev in evs.items() for row in _rows(ev, extra))
    return csv(("model", *COLUMNS), rows)


def _rows(ev: Evaluation, extra: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
    """The numbers of the whole, those of its classes, and the same for every slice with its differences."""
    yield from _slice("", ev, extra)
    for part in ev.each_slice():
        yield from _slice(part.name, part.evaluation, extra)
        for name in headlines(ev):
            *numbers, note = _numbers(part.difference(name))
            marks = [*([note] if note else []), *part.marks(name)]
            yield part.name, None, None, f"{name}_difference", *numbers, "; ".join(marks) or None


def _slice(where: str, ev: Evaluation, extra: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
    estimates = ev.metrics | {ask(name).name: ev[name] for name in extra if name not in ev.own}
    for name, estimate in estimates.items():
        parts = (None, name) if name in ev.own else _parted(ask(name))
        yield where, None, *parts, *_numbers(estimate)
    for label, result in ev.per_class.items():
        for name in PER_CLASS:
            yield where, _cell(label), None, name, *_numbers(result[name])


def _parted(asked: Asked) -> tuple[str | None, str]:
    """The average and the metric in a name such as `precision_macro`."""
    return asked.average, replace(asked, average=None).name


def _cell(label: Label) -> str | int:
    """A label that is a number stays one, so that -1 is not taken for a formula in CSV."""
    return str(label) if isinstance(label, bool) else label


def _numbers(estimate: Estimate) -> tuple[Any, ...]:
    form = estimate.to_dict()
    said = [form.get("why") or form.get("note")]
    if estimate.bounds is not None:
        said.append("certified to lie from {!r} to {!r}".format(*estimate.bounds))
    return (*(form.get(name) for name in _NUMBER), "; ".join(filter(None, said)) or None)
