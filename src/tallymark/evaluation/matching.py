"""Which rows of several evaluations are the same: by id, by place, or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError, OptionError
from tallymark.evaluation.known_rows import (
    ONE_ROW,
    WAYS_OUT,
    KnownRows,
    Order,
    classes_error,
    differing_classes,
    refuse_other_groups,
    refuse_other_weights,
    refuse_pooled,
    tell_rows_apart,
    united,
    united_positive,
)
from tallymark.evaluation.matching_ids import matched_ids, shared_ids
from tallymark.evaluation.result import Evaluation
from tallymark.intake.ids import shown
from tallymark.tallies import Label
from tallymark.tallies.labels import quoted

Stated = Literal["same rows", "other rows"]
UNPROVEN = (
    " Rows that are few, sorted by class or in turns agree with other rows as well, so that proves little: "
    "match them by id (--id COLUMN, in Python id=), or say --same-rows or --other-rows (in Python design=)."
)
"""Not an error: a difference between rows that were paired by mistake does not look surer than it is."""
NO_ROWS = (
    "give the predictions themselves (a file, a data frame or arrays): an evaluation of counts, or one that "
    "was saved and loaded again, has no rows."
)


@dataclass(frozen=True, eq=False)
class Matched:
    """Whether models have the same rows, how that is known, and which row is which."""

    same: bool
    how: str
    """A sentence."""
    labels: tuple[Label, ...]
    """The labels of all models, in order."""
    places: Mapping[str, NDArray[np.int64]]
    """Where the labels of each model stand among all of them."""
    positive: Label | None
    """The positive class, among all labels."""
    order: Mapping[str, Order] = field(default_factory=dict)
    """Where the rows that all models have are among those of each; None for all as they are."""


class Found(NamedTuple):
    """The same rows, found in every model."""

    how: str
    order: dict[str, Order]
    hint: str = ONE_ROW
    """What to do if they turn out to be others."""
    inferred: bool = False
    """Whether nothing but the classes tells that they are the same."""


def match(evs: Mapping[str, Evaluation], *, stated: Stated | None = None, one_table: bool = False) -> Matched:
    """Find the rows that models have in common, or that they have other ones.

    `stated` is what the user says of it; `one_table` that the models are columns of one table.
    Rows that are the same must have the same class, weight and group for every model.
    """
    _refuse_unmatchable(evs, stated, one_table)
    labels, each = united([ev.labels for ev in evs.values()])
    places = dict(zip(evs, each, strict=True))
    beside: dict[str, Any] = {
        "labels": labels,
        "places": places,
        "positive": united_positive(evs, labels, places),
    }
    if stated == "other rows":
        _refuse_shared(evs)
        return _other("the models are compared as on other rows, as stated.", evs, beside)
    known = {name: KnownRows.of(name, ev) for name, ev in evs.items()}
    models = [rows for rows in known.values() if rows is not None]
    if len(models) < len(evs):
        lacking = next(name for name, rows in known.items() if rows is None)
        return _other(_of_counts(evs, lacking, stated), evs, beside)
    found = _found(models, stated, one_table)
    if isinstance(found, str):
        return _other(found, evs, beside)
    for other in models[1:]:
        rows = found.order[models[0].name], found.order[other.name]
        differ = differing_classes(models[0], other, rows, places)
        if len(differ):
            raise classes_error(models[0], other, rows, differ, found.hint)
        refuse_other_weights(models[0], other, rows, found.hint)
        refuse_other_groups(models[0], other, rows, found.hint)
    proven = "" if not found.inferred or tell_rows_apart(models[0].actual) else UNPROVEN
    left_out = {rows.name: rows.ids.total - len(rows) for rows in models if rows.ids.total > len(rows)}
    return Matched(True, found.how + proven + _about(left_out), **beside, order=found.order)


def refuse_design(models: int, stated: object, one_table: bool) -> None:
    """What is no comparison of so many models."""
    if stated is not None and stated not in get_args(Stated):
        raise OptionError(f"design must be 'same rows' or 'other rows'; got {stated!r}.")
    if models < 2:
        raise OptionError(f"a comparison takes two models or more; got {models}.")
    if one_table and stated == "other rows":
        raise OptionError("the models answered the same table, so they have the same rows.")


def _refuse_unmatchable(evs: Mapping[str, Evaluation], stated: object, one_table: bool) -> None:
    refuse_design(len(evs), stated, one_table)
    several = [name for name, ev in evs.items() if ev.sets is not None]
    if several:
        raise OptionError(
            f"rows have several labels in {quoted(several[0])}; models are compared on one label per row.",
            hint="compare them label by label, with one column for actual and one for predicted.",
        )
    refuse_pooled(evs)


def _other(how: str, evs: Mapping[str, Evaluation], beside: dict[str, Any]) -> Matched:
    return Matched(False, how, **beside, order=dict.fromkeys(evs))


def _about(left_out: Mapping[str, int]) -> str:
    if not left_out:
        return ""
    each = ", ".join(f"{quoted(name)} lacks {number:,}" for name, number in left_out.items())
    return f" Rows that lack a value in one model are left out of all: {each}."


def _found(models: Sequence[KnownRows], stated: Stated | None, one_table: bool) -> Found | str:
    """The same rows, or why they are other ones."""
    if one_table:
        return _by_place(models)._replace(how="the models answered the same table, row by row.")
    having = [rows for rows in models if rows.ids.values is not None]
    if len(having) == len(models):
        return _by_id(models, stated)
    if having:
        lacking = next(rows for rows in models if rows.ids.values is None)
        raise InputError(
            f"{having[0].called} has ids and {lacking.called} has none, so rows cannot be matched.",
            hint="name the id column for every model: --id COLUMN (in Python id=).",
        )
    return _stated_by_place(models) if stated == "same rows" else _by_classes(models)


def _by_id(models: Sequence[KnownRows], stated: Stated | None) -> Found | str:
    found = matched_ids(models)
    if found is None:
        if stated == "same rows":
            raise InputError(
                "the ids of the models have nothing in common, so these are not the same rows.",
                hint="name the column that tells the same row in every file.",
            )
        if _as_many_of_each(models):
            one, two = (
                shown(rows.ids.values, range(2)) for rows in models[:2] if rows.ids.values is not None
            )
            raise InputError(
                "the ids of the models have nothing in common, but as many rows are of every class, as if "
                f"they were the same rows: {models[0].called} has {one}, {models[1].called} has {two}.",
                hint="name the column that tells the same row in every file; if these are other rows, say "
                "--other-rows (in Python design='other rows').",
            )
        return "the ids have nothing in common, so these are other rows."
    note, order = found
    first = order[models[0].name]
    if not (len(models[0]) if first is None else len(first)):
        raise _none_left()
    return Found(f"rows were matched by their id.{note}", order)


def _as_many_of_each(models: Sequence[KnownRows]) -> bool:
    """Whether all models have as many rows of every class."""
    counts = [np.bincount(rows.actual) for rows in models]
    return all(np.array_equal(counts[0], each) for each in counts[1:])


def _refuse_shared(evs: Mapping[str, Evaluation]) -> None:
    """Rows that are the same are never compared as if they were others."""
    models = [rows for name, ev in evs.items() if (rows := KnownRows.of(name, ev)) is not None]
    if len(models) < len(evs) or any(rows.ids.values is None for rows in models):
        return
    number = shared_ids(models)
    if number:
        ids = "one id" if number == 1 else f"{number:,} ids"
        raise InputError(
            f"the models are stated to have other rows, but share {ids}.",
            hint="leave out --other-rows (in Python design=), and rows are matched by id.",
        )


# --- without ids ---------------------------------------------------------------------------------


def _by_place(models: Sequence[KnownRows]) -> Found:
    """Rows at the same place of tables that are equally long; what one model dropped is left out of all."""
    total = models[0].ids.total
    for rows in models[1:]:
        if rows.ids.total != total:
            raise InputError(
                f"{models[0].called} has {total:,} rows and {rows.called} has {rows.ids.total:,}, so they "
                "are not the same rows.",
                hint="give all models the same rows.",
            )
    if all(_dropped_alike(models[0], rows) for rows in models[1:]):
        return _in_order(dict.fromkeys(rows.name for rows in models), len(models[0]))
    there = [_there(rows) for rows in models]
    common = np.flatnonzero(np.logical_and.reduce(there))
    if not len(common):
        raise _none_left()
    order: dict[str, Order] = {
        rows.name: None if len(common) == len(rows) else (np.cumsum(each) - 1)[common]
        for rows, each in zip(models, there, strict=True)
    }
    return _in_order(order, len(common))


def _in_order(order: dict[str, Order], rows: int) -> Found:
    agree = f"the actual classes agree in all {rows:,}"
    return Found(f"rows are the same in the same order, as stated; {agree}.", order, WAYS_OUT)


def _there(rows: KnownRows) -> NDArray[np.bool_]:
    """Which of the rows that came are left."""
    there = np.ones(rows.ids.total, bool)
    if rows.ids.dropped is not None:
        there[rows.ids.dropped] = False
    return there


def _dropped_alike(first: KnownRows, other: KnownRows) -> bool:
    one, two = first.ids.dropped, other.ids.dropped
    return one is two if one is None or two is None else np.array_equal(one, two)


def _none_left() -> InputError:
    return InputError("no row has a value in every model, so there is nothing to compare.")


def _stated_by_place(models: Sequence[KnownRows]) -> Found:
    totals, sizes = ({rows.ids.total for rows in models}, {len(rows) for rows in models})
    if len(totals) > 1 and len(sizes) == 1:
        return _in_order(dict.fromkeys(rows.name for rows in models), len(models[0]))
    return _by_place(models)


def _by_classes(models: Sequence[KnownRows]) -> Found | str:
    """As many rows are the same ones, if their classes agree and tell them apart, which is seen later."""
    pairs = list(combinations(models, 2))
    for first, other in pairs:
        if first.ids.total == other.ids.total and not _dropped_alike(first, other):
            raise InputError(
                f"{first.called} and {other.called} came with {first.ids.total:,} rows each, of which "
                f"{len(first):,} and {len(other):,} are left; nothing tells which of them are the same.",
                hint=WAYS_OUT,
            )
    alike = [len(first) == len(other) for first, other in pairs]
    if all(alike):
        agree = f"the actual classes agree in all {len(models[0]):,}"
        how = f"rows are taken as the same in the same order: {agree}."
        return Found(how, dict.fromkeys(rows.name for rows in models), WAYS_OUT, inferred=True)
    sizes = [f"{rows.called} has {len(rows):,}" for rows in models]
    if not any(alike):
        return (
            f"taken as other rows: the numbers differ ({', '.join(sizes)}); if they share rows, match by id "
            "(--id COLUMN, in Python id=)."
        )
    raise InputError(
        f"some models have as many rows as others and some have not: {', '.join(sizes)}.", hint=WAYS_OUT
    )


# --- without rows --------------------------------------------------------------------------------


def _of_counts(evs: Mapping[str, Evaluation], lacking: str, stated: Stated | None) -> str:
    """That models have other rows, which counts can tell: the same rows have as many of every class."""
    if stated == "same rows":
        raise InputError(f"{quoted(lacking)} has counts only, so rows cannot be matched.", hint=NO_ROWS)
    for first, other in combinations(evs, 2):
        dropped = evs[first].dropped or evs[other].dropped
        if dropped or _same_classes(evs[first], evs[other]):
            raise InputError(
                f"{quoted(lacking)} has counts only, and nothing tells whether {quoted(first)} and "
                f"{quoted(other)} have the same rows.",
                hint="say that they have other rows (--other-rows, in Python design='other rows') or the "
                f"same (--same-rows, design='same rows'), or {NO_ROWS}",
            )
    return "the actual classes are not as many in every model, so these are other rows."


def _same_classes(first: Evaluation, other: Evaluation) -> bool:
    """Whether two tallies have as many rows of every class."""
    if first.sample is None or other.sample is None:
        return first.rows == other.rows
    tallies = first.sample.confusion, other.sample.confusion
    labels, places = united([tally.labels for tally in tallies])
    counts = [np.zeros(len(labels)) for _ in tallies]
    for count, tally, place in zip(counts, tallies, places, strict=True):
        np.add.at(count, place, tally.margins.actual)
    return np.allclose(counts[0], counts[1], rtol=1e-9, atol=0)
