"""What is known of the rows of an evaluation, to tell whether two of them have the same ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError, LabelError, OptionError
from tallymark.evaluation.result import Evaluation
from tallymark.intake.columns import LabelColumn
from tallymark.intake.encoded import Encoded, encoded
from tallymark.intake.ids import Ids
from tallymark.tallies import Label
from tallymark.tallies.labels import REST, in_order, listed, quoted
from tallymark.tallies.plain_numbers import whole_numbers

_SHOWN = 5
ONE_ROW = "one id is one row, so it has the same class, weight and group for every model."
WAYS_OUT = (
    "give the ids of the rows (--id COLUMN, in Python id=), or say that these are other rows "
    "(--other-rows, in Python design='other rows')."
)
_LEAST_TURNS = 20
"""Irregular turns that tell rows from others: so many agree by chance about once in a million (2**-20)."""

Order = NDArray[np.int64] | None
"""Rows by their position; None for all of them as they are."""


@dataclass(frozen=True, eq=False)
class KnownRows:
    """The rows of one model, apart from its answers."""

    name: str
    labels: tuple[Label, ...]
    actual: NDArray[Any]
    """Positions among the labels."""
    weight: NDArray[Any] | None
    weight_kind: str
    group: LabelColumn | None
    ids: Ids

    def __len__(self) -> int:
        return len(self.actual)

    @property
    def called(self) -> str:
        return quoted(self.name)

    @classmethod
    def of(cls, name: str, ev: Evaluation) -> KnownRows | None:
        """None when there are counts only."""
        rows: Any = ev.encoded
        if isinstance(rows, Encoded):
            actual = rows.actual
        elif ev.ranked is not None and ev.ranked.rows is not None:
            rows = ev.ranked.rows
            actual = rows.classes.astype(np.intp, copy=False)
        else:
            return None
        ids = rows.ids if rows.ids is not None else Ids(len(actual))
        return cls(name, rows.labels, actual, rows.weight, rows.weight_kind, rows.group, ids)


# --- labels --------------------------------------------------------------------------------------


def united(sides: Sequence[tuple[Label, ...]]) -> tuple[tuple[Label, ...], list[NDArray[np.int64]]]:
    """All labels in order, and where those of each side stand among them.

    Labels are compared by what they are called where some sides have numbers and others text: labels that
    were read as whole numbers on one side are text on another that has a word among them.
    """
    if all(side == sides[0] for side in sides):
        return sides[0], [np.arange(len(side)) for side in sides]
    mixed = len({isinstance(label, str) for side in sides for label in side}) > 1
    named: list[Sequence[Label]] = [_as_called(side) if mixed else side for side in sides]
    labels = in_order(label for side in named for label in side)
    place = {label: position for position, label in enumerate(labels)}
    return labels, [np.array([place[label] for label in side], np.int64) for side in named]


def _as_called(labels: tuple[Label, ...]) -> list[str]:
    texts = [str(label) for label in labels]
    read = [whole_numbers([text]) for text in texts]
    plain = [text if number is None else str(number[text]) for text, number in zip(texts, read, strict=True)]
    return plain if len(set(plain)) == len(plain) else texts


def united_positive(
    evs: Mapping[str, Evaluation], labels: Sequence[Label], places: Mapping[str, NDArray[np.int64]]
) -> Label | None:
    """The positive class of all models."""
    found = {
        name: None if ev.position is None else int(places[name][ev.position]) for name, ev in evs.items()
    }
    if len(set(found.values())) == 1:
        position = next(iter(found.values()))
        return None if position is None else labels[position]
    said = ", ".join(
        f"{'none' if ev.positive is None else quoted(ev.positive)} of {quoted(name)}"
        for name, ev in evs.items()
    )
    unnamed = None in found.values()
    raise LabelError(
        f"the models have different positive classes: {said}.",
        hint="name the same one for every model: --positive LABEL (in Python pos_label=)."
        if unnamed
        else "write the classes in the same way for every model, and name the same one as positive.",
    )


def refuse_pooled(evs: Mapping[str, Evaluation]) -> None:
    """One class against the rest, and all classes, are two questions."""
    for name, ev in evs.items():
        rest = {REST, f"not {ev.positive}"} & set(map(str, ev.labels))
        if ev.positive is None or len(ev.labels) != 2 or not rest:
            continue
        for other, whole in evs.items():
            if len(whole.labels) > 2 and not rest & set(map(str, whole.labels)):
                raise LabelError(
                    f"{quoted(name)} tells {quoted(ev.positive)} from the rest, and {quoted(other)} tells "
                    f"{listed(whole.labels)} apart.",
                    hint="compare scores of one class with scores of that class, or answers with answers.",
                )


# --- the same rows have the same classes, weights and groups ---------------------------------------


def tell_rows_apart(actual: NDArray[Any]) -> bool:
    """Whether other rows would hardly have their classes in this order.

    Rows that are sorted by class, or that take turns (0, 1, 0, 1), are in an order that other rows have as
    well. So the class must change from row to row 20 times more than in sorted rows, and 20 times the
    class that comes next must not be the one that came after the same class before.
    """
    now, following = actual[:-1], actual[1:]
    changes = int((now != following).sum())
    if changes - (len(np.unique(actual)) - 1) < _LEAST_TURNS:
        return False
    order = np.argsort(now, kind="stable")
    alike = now[order][1:] == now[order][:-1]
    surprises = alike & (following[order][1:] != following[order][:-1])
    return int(surprises.sum()) >= _LEAST_TURNS


def differing_classes(
    first: KnownRows, other: KnownRows, rows: tuple[Order, Order], places: Mapping[str, NDArray[np.int64]]
) -> NDArray[np.int64]:
    """Where, among matched rows, the actual class is not the same."""
    one, two = (_at(known.actual, order) for known, order in zip((first, other), rows, strict=True))
    if not np.array_equal(places[first.name], places[other.name]):
        one, two = places[first.name][one], places[other.name][two]
    return np.flatnonzero(one != two)


def classes_error(
    first: KnownRows, other: KnownRows, rows: tuple[Order, Order], differ: NDArray[np.int64], hint: str
) -> InputError:
    """The error for rows that are of another class for another model."""
    sides = [
        [known.labels[at] for at in known.actual[_places(order, differ[:_SHOWN])].tolist()]
        for known, order in zip((first, other), rows, strict=True)
    ]
    return _error("the actual class", first, other, rows, differ, sides, hint)


def refuse_other_weights(first: KnownRows, other: KnownRows, rows: tuple[Order, Order], hint: str) -> None:
    """Rows that weigh something else for another model."""
    if first.weight is None or other.weight is None:
        if first.weight is not other.weight:
            raise _one_sided("weights", "--weight (in Python weight=)", first, other, first.weight is None)
        return
    if first.weight_kind != other.weight_kind:
        raise OptionError(
            f"weights are of the kind {first.weight_kind!r} in {first.called} and {other.weight_kind!r} in "
            f"{other.called}.",
            hint="give all models the same weight_kind (--weight-kind).",
        )
    one, two = _at(first.weight, rows[0]), _at(other.weight, rows[1])
    differ = np.flatnonzero(one != two)
    if len(differ):
        sides = [side[differ[:_SHOWN]].tolist() for side in (one, two)]
        raise _error("the weight", first, other, rows, differ, sides, hint)


def refuse_other_groups(first: KnownRows, other: KnownRows, rows: tuple[Order, Order], hint: str) -> None:
    """Rows that belong to another group for another model."""
    if first.group is None or other.group is None:
        if first.group is not other.group:
            raise _one_sided("groups", "--group (in Python groups=)", first, other, first.group is None)
        return
    keys, codes = zip(*(encoded(group) for group in (first.group, other.group)), strict=True)
    names, places = united(keys)
    one, two = (place[_at(code, order)] for place, code, order in zip(places, codes, rows, strict=True))
    differ = np.flatnonzero(one != two)
    if len(differ):
        sides = [[names[at] for at in side[differ[:_SHOWN]].tolist()] for side in (one, two)]
        raise _error("the group", first, other, rows, differ, sides, hint)


def _one_sided(what: str, option: str, first: KnownRows, other: KnownRows, not_first: bool) -> OptionError:
    has, lacks = (other, first) if not_first else (first, other)
    return OptionError(
        f"rows have {what} in {has.called} and none in {lacks.called}.",
        hint=f"name the column for every model: {option}.",
    )


def _error(
    what: str,
    first: KnownRows,
    other: KnownRows,
    rows: tuple[Order, Order],
    differ: NDArray[np.int64],
    sides: Sequence[Sequence[object]],
    hint: str,
) -> InputError:
    places = _places(rows[0], differ[:_SHOWN])
    examples = [
        f"{first.ids.called(place)} ({quoted(one)} and {quoted(two)})"
        for place, one, two in zip(places.tolist(), *sides, strict=True)
    ]
    more = f" and {len(differ) - _SHOWN:,} more" if len(differ) > _SHOWN else ""
    matched = len(first) if rows[0] is None else len(rows[0])
    return InputError(
        f"{what} is not the same in {first.called} and {other.called} for {len(differ):,} of {matched:,} "
        f"rows: {', '.join(examples)}{more}.",
        hint=hint,
    )


def _at(values: NDArray[Any], order: Order) -> NDArray[Any]:
    return values if order is None else values[order]


def _places(order: Order, at: NDArray[np.int64]) -> NDArray[np.int64]:
    return at if order is None else order[at]
