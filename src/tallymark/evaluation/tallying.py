"""`tally()`: the counts of a table, to be added to others and evaluated later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from tallymark.errors import LabelError, OptionError, naming, precise
from tallymark.evaluation.counted import number_or_word
from tallymark.evaluation.given import EngineName, addresses_in, engine_for, named
from tallymark.evaluation.needing_rows import refuse_groups_on_grid
from tallymark.evaluation.outside_grid import about_outside
from tallymark.evaluation.settings import declared_labels
from tallymark.evaluation.stored import count_at, count_stored
from tallymark.evaluation.streamed import (
    Streaming,
    check_positive,
    count_table,
    cut_grid,
    declared_of,
    refuse_outside,
)
from tallymark.evaluation.tally_files import are_tallies
from tallymark.intake import frames, sources
from tallymark.intake.engines.recognised import store_of
from tallymark.intake.files.kinds import shown
from tallymark.intake.files.lists import file_list
from tallymark.intake.files.tables import column_names
from tallymark.intake.probabilities import columns_in_order
from tallymark.intake.roles import Beside, Probabilities, Roles, with_guesses
from tallymark.intake.rows import (
    Checks,
    Missing,
    check_missing,
    count_labels,
    same_family,
    tally_of_actual,
)
from tallymark.intake.sources import Source
from tallymark.intake.streams.counting import count_columns
from tallymark.intake.streams.door import Columns
from tallymark.intake.streams.memory import parsed_memory
from tallymark.intake.weights import WeightKind, check_kind
from tallymark.tallies import Label
from tallymark.tallies.grid import Grid
from tallymark.tallies.tally import Tally


@np.errstate(under="ignore")
def tally(
    data: Any,
    *,
    actual: str | None = None,
    predicted: str | None = None,
    score: str | None = None,
    probabilities: Probabilities | None = None,
    weight: str | None = None,
    weight_kind: WeightKind = "sampling",
    groups: str | None = None,
    slices: str | Sequence[str] = (),
    labels: Sequence[Label] | None = None,
    pos_label: object = None,
    threshold: float | None = None,
    clip: float | None = None,
    missing: Missing = "error",
    missing_words: Sequence[str] = (),
    delimiter: str | None = None,
    approximate: bool = False,
    grid: tuple[float, float] | None = None,
    memory: str | int | None = None,
    engine: EngineName | None = None,
    master: str | None = None,
    scheduler: str | None = None,
) -> Tally:
    """Count the rows of files or of a data frame: tallies of parts, added up, are the tally of the whole.

    What is said here is settled: all parts must be counted with the same options. `data` is the path of a
    file, a list of paths, or a data frame, and the columns are named as in `evaluate`. Every score is kept
    as long as they fit `memory`; with `approximate` scores are counted on a grid from 0 to 1, or on that from
    `grid[0]` to `grid[1]`, and numbers from them have certified bounds. A `threshold` that is known before
    becomes an edge of the grid, so that what it decides stays exact. With `groups` all is counted by group as
    well, and every interval is made from groups. An `engine` counts files in the place of this process, as in
    `evaluate`.

    >>> import polars as pl
    >>> rows = pl.DataFrame({"actual": ["yes", "no", "yes"], "predicted": ["yes", "no", "no"]})
    >>> (tally(rows[:2]) + tally(rows[2:])).evaluate(pos_label="yes")["recall"].value
    0.5
    """
    return counted(
        data,
        actual=actual,
        predicted=predicted,
        score=score,
        probabilities=probabilities,
        weight=weight,
        weight_kind=weight_kind,
        groups=groups,
        slices=slices,
        labels=labels,
        missing=missing,
        missing_words=missing_words,
        delimiter=delimiter,
        approximate=approximate,
        grid=grid,
        memory=memory,
        engine=engine,
        master=master,
        scheduler=scheduler,
        pos_label=pos_label,
        threshold=threshold,
        clip=clip,
    )[0]


def counted(
    data: Any,
    *,
    actual: str | None,
    predicted: str | None,
    score: str | None,
    probabilities: Probabilities | None,
    weight: str | None,
    weight_kind: WeightKind,
    groups: str | None,
    slices: str | Sequence[str],
    labels: Sequence[Label] | None,
    missing: Missing,
    missing_words: Sequence[str],
    delimiter: str | None,
    approximate: bool,
    grid: tuple[float, float] | None,
    memory: str | int | None,
    engine: str | None = None,
    master: str | None = None,
    scheduler: str | None = None,
    **about: Any,
) -> tuple[Tally, list[str]]:
    """The tally, and what must be said of it."""
    checks = Checks(missing, weight_kind, declared_labels(labels))
    given = named(actual, predicted, score, probabilities, None)
    _check(given, checks, weight, groups, about["threshold"])
    pos_label = about["pos_label"]
    if pos_label is not None and not isinstance(pos_label, str | int | float | np.generic):
        raise LabelError(f"the positive class is one label; got {pos_label!r}.")
    roles = Beside(weight, groups, slices).named(given)
    streaming = _streaming(memory, approximate, grid)
    in_files: dict[str, Any] = {"missing_words": missing_words, "delimiter": delimiter}
    paths = _paths(data)
    by = engine_for(data, paths, engine, master, scheduler)
    if paths is not None:
        in_files["engine"] = by
        addresses = addresses_in(data)
        with naming(addresses or paths):
            if addresses:
                return _noted(*count_at(addresses, roles, checks, streaming, **about, **in_files))
            return _of_files(paths, roles, checks, streaming, about, in_files)
    for option, value in in_files.items():
        if value:
            raise OptionError(
                f"{option} is about reading files, and the data is of type {type(data).__name__}."
            )
    return _of_frame(data, roles, checks, streaming, about)


def _of_files(
    paths: list[Path],
    roles: Roles,
    checks: Checks,
    streaming: Streaming,
    about: dict[str, Any],
    in_files: dict[str, Any],
) -> tuple[Tally, list[str]]:
    if are_tallies(paths):
        raise OptionError(
            f"{shown(paths[0])} holds counts already.",
            hint="`tallymark merge` adds tallies up (in Python `+`), `tallymark evaluate` evaluates them.",
        )
    files, notes = file_list(paths)
    roles, guesses = with_guesses(roles, column_names(files[0], delimiter=in_files["delimiter"]))
    _check_grid(streaming.grid, roles)
    found = count_table(files, roles, checks, streaming, **about, **in_files)
    assert found is not None
    whole, said = found
    guesses += whole.notes
    said += about_outside(whole.scores, whole.declared.weights)
    return replace(whole, sources=tuple(map(str, paths)), notes=tuple(guesses)), [*notes, *guesses, *said]


def _noted(whole: Tally, said: list[str]) -> tuple[Tally, list[str]]:
    """The tally of a table of an engine, with what must be said of it wherever it is evaluated."""
    notes = [*said, *whole.notes]
    return replace(whole, notes=tuple(notes)), [*notes, *about_outside(whole.scores, whole.declared.weights)]


def _streaming(memory: Any, approximate: bool, grid: Any) -> Streaming:
    """How much memory there is and what scores are counted on, checked."""
    if grid is None:
        return Streaming(parsed_memory(memory), approximate, merging=True)
    if not approximate:
        raise OptionError(
            "a grid is about approximate numbers, and none were asked for.",
            hint="add --approximate (in Python approximate=True), or leave out the grid.",
        )
    ends = list(grid) if isinstance(grid, Sequence) and not isinstance(grid, str) else [grid]
    if len(ends) != 2 or not all(isinstance(end, int | float) and not isinstance(end, bool) for end in ends):
        raise OptionError(f"a grid is given by its two ends, such as (-5, 5); got {grid!r}.")
    low, high = map(float, ends)
    Grid(low, high)  # refuses ends that make none
    return Streaming(parsed_memory(memory), approximate, grid=(low, high), merging=True)


def _check_grid(grid: tuple[float, float] | None, roles: Roles) -> None:
    """Refuse a grid that there is nothing to count on, or that cannot hold probabilities."""
    if grid is None or roles.score is not None:
        return
    if roles.probabilities is None:
        raise OptionError(
            "a grid is about scores, and no column of them is named.",
            hint="name it: --score COLUMN (in Python score=), or leave out the grid.",
        )
    if grid[0] > 0 or grid[1] < 1:
        raise OptionError(
            f"probabilities are from 0 to 1, which a grid from {precise(grid[0], 0)} to "
            f"{precise(grid[1], 1)} does not hold.",
            hint="leave out the grid: without one it reaches from 0 to 1.",
        )


def _check(roles: Roles, checks: Checks, weight: str | None, groups: str | None, threshold: Any) -> None:
    check_missing(checks.missing)
    check_kind(checks.weight_kind)
    if checks.weight_kind != "sampling" and weight is None:
        raise OptionError(f"weight_kind is {checks.weight_kind!r}, but no weights were named.")
    if roles.score is not None and roles.probabilities is not None:
        raise OptionError("one score and one probability per class exclude each other; name one of them.")
    if groups is not None and roles.probabilities is not None:
        raise OptionError(
            "groups of rows with one probability per class are not counted in parts.",
            hint="evaluate them at once, in memory; or count one class, with its probability as the score.",
        )
    if isinstance(roles.actual, tuple) or isinstance(roles.predicted, tuple):
        raise OptionError(
            "actual and predicted are one column each here: rows of several labels are not counted in parts.",
            hint="evaluate them at once; a name that has a comma stands in double quotes: '\"a,b\"'.",
        )
    if isinstance(threshold, str) and isinstance(number_or_word(threshold), str):
        raise OptionError(
            f"threshold {threshold!r} takes all parts, and this may be one of them.",
            hint="leave it out here, and give it when the tally is evaluated.",
        )


def _paths(data: Any) -> list[Path] | None:
    if isinstance(data, str | PathLike):
        return [Path(data)]
    if isinstance(data, list | tuple):
        if not data or not all(isinstance(each, str | PathLike) for each in data):
            raise OptionError("a list of paths, one path or a data frame is expected.")
        return [Path(each) for each in data]
    return None


def _of_frame(
    data: Any, roles: Roles, checks: Checks, streaming: Streaming, about: dict[str, Any]
) -> tuple[Tally, list[str]]:
    """Through the door of rows at hand, and counted as those of a file are."""
    if not frames.is_frame(data):
        raise OptionError(
            f"a data frame or the path of a file is expected; got {type(data).__name__}.",
            hint="make a data frame of it, such as pandas.DataFrame({'actual': ..., 'predicted': ...}).",
        )
    store = store_of(data, lazy=streaming.approximate)
    roles, guesses = with_guesses(roles, frames.frame_names(data) if store is None else store.names)
    _check_grid(streaming.grid, roles)
    refuse_groups_on_grid(roles, streaming)
    if store is not None:
        whole, said = count_stored(store, roles, checks, streaming, **about)
        return _noted(whole, [*guesses, *said])
    source = sources.from_frame(data, roles, checks)
    if not isinstance(source, Source):
        raise OptionError("rows with several labels are counted by evaluate only.")
    rows = source.rows
    if rows.predicted is not None:
        same_family(rows.actual, rows.predicted, checks.labels)
    if checks.labels is not None:  # labels that were not stated are refused
        if rows.predicted is None:
            tally_of_actual(rows, checks.labels)
        else:
            count_labels(rows, checks.labels)
    declared = declared_of(roles, checks, source.slices, **about)
    if rows.probabilities is not None:
        classes, order = columns_in_order(source, checks.labels, guesses)
        declared = replace(declared, classes=classes)
        rows = replace(rows, probabilities=rows.probabilities[:, order])
    if streaming.approximate and (declared.score or declared.classes):
        low, high = streaming.grid or (0.0, 1.0)
        declared = replace(declared, grid=cut_grid(low, high, declared.threshold, len(declared.classes)))
    sides = rows.actual, rows.predicted, rows.score, rows.probabilities
    columns = Columns(*sides, rows.weight, rows.slices, rows.dropped, group=rows.group)
    whole = count_columns(columns, declared)
    check_positive(whole)
    refuse_outside(whole, streaming.grid)
    outside = about_outside(whole.scores, whole.declared.weights)
    return replace(whole, notes=tuple(guesses)), [*guesses, *outside]
