"""Cost matrices C(predicted | actual), matched to the labels of an evaluation."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from tallymark.errors import CostError, FileError, InputError, naming
from tallymark.intake.cells import cell_fault, is_empty, label_text, listed, number, number_hint, quoted
from tallymark.intake.square import ABSENT, Kind, Written, files_in, read_square, rows_actual
from tallymark.tallies import Label
from tallymark.tallies.labels import REST
from tallymark.tallies.labels import quoted as label_quoted

_COSTS = Kind("cost matrix", ("cost", "costs"), ("cost", "costs", "matrix"), "0 10; 1 0", False)
_LABELS_IN_FULL = 5
MOST = 1e100
"""Costs beyond it could not be multiplied with counts and squared."""
_MOST_WORDS = 25


@dataclass(frozen=True)
class Costs:
    """What each answer costs: rows = actual, columns = predicted, in the order of `labels`."""

    labels: tuple[Label, ...]
    matrix: tuple[tuple[float, ...], ...]

    def words(self) -> tuple[str, ...]:
        """Each cell as a sentence; for many labels the first non-zero ones, and how many more there are."""
        cells = [
            (actual, predicted, cost)
            for actual, row in zip(self.labels, self.matrix, strict=True)
            for predicted, cost in zip(self.labels, row, strict=True)
            if cost or len(self.labels) <= _LABELS_IN_FULL
        ]
        if not cells:
            return ("every answer costs 0",)
        told = [_sentence(*cell) for cell in cells[:_MOST_WORDS]]
        if len(cells) > _MOST_WORDS:
            told.append(f"and {len(cells) - _MOST_WORDS} more cells that are not 0")
        elif len(cells) < len(self.labels) ** 2:
            told.append("all other answers cost 0")
        return tuple(told)

    def linear(self) -> tuple[float, float] | None:
        """(p, q) when every right answer costs p and every wrong one q, else None."""
        right = {row[index] for index, row in enumerate(self.matrix)}
        wrong = {
            cost for index, row in enumerate(self.matrix) for other, cost in enumerate(row) if other != index
        }
        return (right.pop(), wrong.pop()) if len(right) == len(wrong) == 1 else None


CostsGiven = str | Path | Sequence[Sequence[float]] | Mapping[Any, Any] | NDArray[Any]


def read_costs(
    source: CostsGiven,
    *,
    labels: Sequence[Label],
    order_stated: bool,
) -> Costs:
    """Read costs for `labels` from text, JSON, a file, nested lists or `{actual: {predicted: cost}}`.

    Costs that name their labels are matched by the text of the names; costs that do not are taken in the
    order of `labels`, and only when the user has stated that order.

    >>> read_costs("-1 100; 1 0", labels=["+", "-"], order_stated=True).words()[1]
    "an actual '+' called '-' costs 100"
    """
    written = _written(source)
    with _naming(source):
        if written.row_labels is None or written.column_labels is None:
            return _in_stated_order(written, labels, order_stated)
        try:
            return _by_names(written, written.row_labels, written.column_labels, labels)
        except CostError:
            raise
        except InputError as problem:
            raise CostError(problem.message, hint=problem.hint) from problem


def labels_in(source: CostsGiven) -> tuple[str, ...] | None:
    """The labels that costs name, in the order they are first named; None when they name none."""
    written = _written(source)
    if written.row_labels is None or written.column_labels is None:
        return None
    return tuple(dict.fromkeys([*written.row_labels, *written.column_labels]))


def _naming(source: CostsGiven) -> AbstractContextManager[None]:
    files = files_in(source)
    return naming(files, option="--costs") if files else nullcontext()


def _written(source: CostsGiven) -> Written:
    with _naming(source):
        try:
            return rows_actual(read_square(source, _COSTS), None)[0]
        except (CostError, FileError):
            raise
        except InputError as problem:
            raise CostError(problem.message, hint=problem.hint) from problem


def _in_stated_order(written: Written, labels: Sequence[Label], order_stated: bool) -> Costs:
    names = [str(label) for label in labels]
    if not order_stated:
        order = f"{','.join(names[:5])}{',...' if len(names) > 5 else ''}"
        # Classes that were pooled have a name that is no label to give.
        pooled = len(names) == 2 and names[1] in (REST, f"not {names[0]}")
        raise CostError(
            f"{written.title} names no labels, and the order of the labels ({listed(names)}) was not stated.",
            hint=f"{by_name(*names)} (in Python a dict)."
            if pooled
            else f"state it (--labels {order}), or name the labels in the costs.",
        )
    if len(written.cells) != len(names):
        raise CostError(
            f"expected {len(names)} x {len(names)} costs, one row for each of {listed(names)}; "
            f"{written.title} is {len(written.cells)} x {len(written.cells)}."
        )
    return Costs(
        tuple(labels),
        tuple(
            tuple(_cost(cell, written, row, column, row == column) for column, cell in enumerate(cells))
            for row, cells in enumerate(written.cells)
        ),
    )


def by_name(label: str, rest: str) -> str:
    """What to do about costs of two labels that name none."""
    example = json.dumps({label: {rest: 10}, rest: {label: 1}}, ensure_ascii=False)
    return f"name the labels in the costs: --costs {shlex.quote(example)}"


def _by_names(
    written: Written, actual: Sequence[str], predicted: Sequence[str], labels: Sequence[Label]
) -> Costs:
    names = [label_text(label, "a label of the evaluation") for label in labels]
    known = set(names)
    actual, predicted = (_pooled(side, names) for side in (actual, predicted))
    unknown = [name for name in dict.fromkeys([*actual, *predicted]) if name not in known]
    if unknown:
        raise CostError(
            f"{written.title} names {listed(unknown)}; the labels are {listed(names)}.",
            hint="labels are case-sensitive; leave out those that are not in the data.",
        )
    row_of = {name: index for index, name in enumerate(actual)}
    column_of = {name: index for index, name in enumerate(predicted)}

    def cost(name: str, called: str) -> float:
        row, column = row_of.get(name), column_of.get(called)
        cell = ABSENT if row is None or column is None else written.cells[row][column]
        if cell is ABSENT and name != called:
            raise CostError(
                f"{written.title} has no cost for an actual {quoted(name)} called {quoted(called)}.",
                hint="only right answers may be left out (they then cost 0).",
            )
        if cell is ABSENT or row is None or column is None:
            return 0.0
        return _cost(cell, written, row, column, name == called)

    return Costs(tuple(labels), tuple(tuple(cost(name, called) for called in names) for name in names))


def _pooled(side: Sequence[str], names: Sequence[str]) -> list[str]:
    """All classes but one are the rest of it, or not it: two names for one thing."""
    if len(names) != 2 or REST not in names or REST in side:
        return list(side)
    (one,) = (name for name in names if name != REST)
    return [REST if name == f"not {one}" else name for name in side]


def _cost(cell: object, written: Written, row: int, column: int, diagonal: bool) -> float:
    if diagonal and is_empty(cell):
        return 0.0
    value = number(cell)
    if value is not None and abs(value) <= MOST:
        return float(value) + 0.0
    expected = "a finite number" if value is None else f"a number up to {MOST:g}"
    raise CostError(
        f"{written.place(row, column)} {cell_fault(cell)}; expected {expected}.", hint=number_hint(cell)
    )


def _sentence(actual: Label, predicted: Label, cost: float) -> str:
    amount = _plain(cost)
    said = f"costs {amount}" if cost >= 0 else f"gains {_plain(-cost)} (cost {amount})"
    return f"an actual {label_quoted(actual)} called {label_quoted(predicted)} {said}"


def _plain(value: float) -> str:
    return repr(value).removesuffix(".0")
