"""A `Tally` as JSON and two long arrays, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError, MemoryLimitError
from tallymark.tallies.binned import SEVERAL, Binned
from tallymark.tallies.confusion import Confusion
from tallymark.tallies.grid import Grid
from tallymark.tallies.group_form import GroupReader, amounts, check, group_form, within
from tallymark.tallies.labels import Label, in_order, stated
from tallymark.tallies.of_classes import OfClasses
from tallymark.tallies.scores import Scores
from tallymark.tallies.sums import Sums
from tallymark.tallies.tally import Declared, Tally

SCHEMA = "tallymark/tally/1"
ARRAYS = {"counts": np.dtype("<i8"), "numbers": np.dtype("<f8")}
"""Whole numbers and fractions: every array of a tally is a stretch of one of them."""

_EDGE, _BINNED = 8 * 8, 8 * 6
"""Bytes of a bin: while the edges of its grid are found, and for counts, their squares, total and point."""

Form = Mapping[str, Any]


def form_of(tally: Tally) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The JSON form, and the arrays that it refers to."""
    shelf = _Shelf()
    form = {
        "schema": SCHEMA,
        "rows": tally.rows,
        "dropped": dict(tally.dropped),
        "sources": list(tally.sources),
        "notes": list(tally.notes),
        "declared": _declared(tally.declared, shelf),
        **_counts(tally, shelf),
        "slices": [_slices(columns, found, shelf) for columns, found in tally.slices.items()],
    }
    # At the end, when all that there are have been met.
    form["grids"] = [_grid(grid, shelf) for grid in shelf.grids]
    if tally.declared.groups:
        form["group_names"] = list(shelf.names)
    return form, shelf.whole()


def tally_of(form: Form, arrays: Mapping[str, NDArray[Any]], memory: int) -> Tally:
    """The tally that was written; an `InputError` says what is wrong with it.

    A `MemoryLimitError` says that bins, of which only those with rows are written, take more than `memory`.
    """
    try:
        reader = _Reader(form, arrays, memory)
        declared = reader.declared(form["declared"])
        whole = reader.counts(form, declared)
        slices = {tuple(each["columns"]): reader.slices(each) for each in form["slices"]}
        check(set(slices) == set(declared.slices), "it does not have the slices that it declares")
        check(whole.rows == form["rows"], f"it says {form['rows']:,} rows and holds {whole.rows:,}")
        sources, notes = (tuple(map(str, form[name])) for name in ("sources", "notes"))
        return replace(whole, slices=slices, sources=sources, notes=notes)
    except InputError:
        raise
    except (AttributeError, KeyError, IndexError, TypeError, ValueError, OverflowError) as problem:
        raise InputError(f"it is not complete, or was changed ({problem!r})") from problem


# --- writing -------------------------------------------------------------------------------------


class _Shelf:
    """Arrays one after the other, and the grids and names of groups that counts refer to."""

    def __init__(self) -> None:
        self.grids: list[Grid] = []
        self.names: dict[Label, int] = {}
        self._held: dict[str, list[NDArray[Any]]] = {name: [] for name in ARRAYS}
        self._length = dict.fromkeys(ARRAYS, 0)

    def put(self, array: NDArray[Any] | None) -> list[Any] | None:
        """Where the array will be: on which shelf, from where, how long."""
        if array is None:
            return None
        name = "counts" if array.dtype.kind in "iu" else "numbers"
        place = [name, self._length[name], len(array)]
        self._held[name].append(array.astype(ARRAYS[name]))
        self._length[name] += len(array)
        return place

    def grid(self, grid: Grid) -> int:
        if grid not in self.grids:
            self.grids.append(grid)
        return self.grids.index(grid)

    def named(self, keys: Sequence[Label]) -> list[Any] | None:
        """Where the places of these names among those of all groups will be: slices share them."""
        for key in keys:
            self.names.setdefault(key, len(self.names))
        return self.put(np.array([self.names[key] for key in keys], np.int64))

    def whole(self) -> dict[str, NDArray[Any]]:
        return {name: np.concatenate([np.empty(0, ARRAYS[name]), *held]) for name, held in self._held.items()}


def _grid(grid: Grid, shelf: _Shelf) -> dict[str, Any]:
    return {"low": grid.low, "high": grid.high, "bins": grid.bins, "cuts": shelf.put(grid.cuts)}


def _declared(declared: Declared, shelf: _Shelf) -> dict[str, Any]:
    form = {each.name: getattr(declared, each.name) for each in fields(declared)}
    if not declared.groups:
        del form["groups"]  # as it was before there were any
    return form | {"grid": None if declared.grid is None else shelf.grid(declared.grid)}


def _counts(tally: Tally, shelf: _Shelf) -> dict[str, Any]:
    form = {
        "lines": tally.lines,
        "weightless": tally.weightless,
        "counted": _confusion(tally.counted, shelf),
        "scores": None if tally.scores is None else _scores(tally.scores, shelf),
        "classes": None if tally.classes is None else _classes(tally.classes, shelf),
    }
    if tally.groups is not None:
        form["groups"] = group_form(tally.groups, shelf)
    if tally.score_groups is not None:
        form["score_groups"] = group_form(tally.score_groups, shelf)
    return form


def _slices(columns: tuple[str, ...], found: Mapping[Any, Tally], shelf: _Shelf) -> dict[str, Any]:
    declared = next((tally.declared for tally in found.values()), None)
    return {
        "columns": list(columns),
        "declared": None if declared is None else _declared(declared, shelf),
        "keys": [list(key) for key in found],
        "counts": [_counts(tally, shelf) for tally in found.values()],
    }


def _confusion(counted: Confusion, shelf: _Shelf) -> dict[str, Any]:
    form = {
        "labels": list(counted.labels),
        "cells": shelf.put(counted.cells),
        "counts": shelf.put(counted.counts),
        "squares": shelf.put(counted.squares),
        "rows": counted.rows,
        "declared": counted.declared,
        "dropped": dict(counted.dropped),
    }
    return form | {"text": True} if counted.keeps_text else form


def _pair(arrays: Sequence[NDArray[Any]] | None, shelf: _Shelf) -> list[Any] | None:
    return None if arrays is None else [shelf.put(each) for each in arrays]


def _scores(scores: Scores | Binned, shelf: _Shelf) -> dict[str, Any]:
    if isinstance(scores, Binned):
        return _binned(scores, shelf)
    return {
        "score": shelf.put(scores.score),
        "positives": shelf.put(scores.positives),
        "negatives": shelf.put(scores.negatives),
        "squares": _pair(scores.squares, shelf),
        "rows": scores.rows,
    }


def _binned(binned: Binned, shelf: _Shelf) -> dict[str, Any]:
    """Only the bins that hold rows: of most scores these are few."""
    held = np.flatnonzero(~np.isnan(binned.points))
    points = binned.points[held]
    squares = None if binned.squares is None else [side[held] for side in binned.squares]
    return {
        "grid": shelf.grid(binned.grid),
        "bins": shelf.put(held),
        "positives": shelf.put(binned.positives[held]),
        "negatives": shelf.put(binned.negatives[held]),
        "squares": _pair(squares, shelf),
        "totals": shelf.put(binned.totals[held]),
        "points": shelf.put(points),
        "losses": [side.to_dict() for side in binned.losses],
        "reach": [binned.low, binned.high] if binned.rows else None,
        "rows": binned.rows,
    }


def _classes(classes: OfClasses, shelf: _Shelf) -> dict[str, Any]:
    return {
        "columns": [_scores(column, shelf) for column in classes.columns],
        "losses": [side.to_dict() for side in classes.losses],
        "confidence": _scores(classes.confidence, shelf),
        "margins": _scores(classes.margins, shelf),
        "places": shelf.put(classes.places),
        "place_squares": shelf.put(classes.place_squares),
        "ties": classes.ties,
    }


# --- reading -------------------------------------------------------------------------------------


class _Reader:
    """Takes a form apart; whatever does not fit is refused."""

    def __init__(self, form: Form, arrays: Mapping[str, NDArray[Any]], memory: int) -> None:
        self._arrays = arrays
        self._unread = sum(map(len, arrays.values()))
        self._memory = memory
        self._taken = 0
        self._grids = [self._grid(each) for each in form["grids"]]
        self._groups = GroupReader(form.get("group_names", ()), self._array)

    def _grid(self, form: Form) -> Grid:
        grid = Grid(form["low"], form["high"], form["bins"], self._ascending(form["cuts"]))
        self._take(_EDGE * grid.bins)
        return grid

    def declared(self, form: Form) -> Declared:
        known = {each.name for each in fields(Declared)}
        unknown = sorted(set(form) - known)
        check(not unknown, f"it declares {', '.join(unknown)}, which this version does not know")
        given = dict(form)
        for name in ("classes", "labels"):
            given[name] = None if given[name] is None else stated(given[name])
        given["slices"] = tuple(tuple(map(str, columns)) for columns in given["slices"])
        given["grid"] = None if given["grid"] is None else self._grids[given["grid"]]
        return Declared(**given)

    def counts(self, form: Form, declared: Declared) -> Tally:
        counted = self._confusion(form["counted"])
        scores = None if form["scores"] is None else self._scores(form["scores"], declared.grid)
        classes = None if form["classes"] is None else self._classes(form["classes"])
        check((scores is not None) == declared.score, "its scores are not those that it declares")
        columns = () if classes is None else classes.columns
        check(len(columns) == len(declared.classes), "its probabilities are not those that it declares")
        for each in (scores, *columns):
            agreed = each is None or each.rows == counted.rows
            check(agreed, f"its labels are of {counted.rows:,} rows and its scores of others")
        lines, weightless = _whole(form["lines"]), _whole(form["weightless"])
        whole = Tally(declared, counted, scores, classes, lines=lines, weightless=weightless)
        return self._with_groups(form, whole)

    def _with_groups(self, form: Form, tally: Tally) -> Tally:
        declared, scores = tally.declared, tally.scores
        found = form.get("groups"), form.get("score_groups")
        meant = declared.groups and declared.answers, declared.groups and declared.score
        there = found[0] is not None, found[1] is not None
        check(there == meant, "its groups are not those that it declares")
        groups = None if found[0] is None else self._groups.of_answers(found[0], tally.counted)
        of_scores = None
        if found[1] is not None:
            if not isinstance(scores, Scores):
                raise InputError("it has groups, and its scores are on a grid")
            of_scores = self._groups.of_scores(found[1], scores)
        return replace(tally, groups=groups, score_groups=of_scores)

    def slices(self, form: Form) -> dict[tuple[Any, ...], Tally]:
        if form["declared"] is None:
            return {}
        declared, found = self.declared(form["declared"]), {}
        for key, counts in zip(form["keys"], form["counts"], strict=True):
            check(len(key) == len(form["columns"]), "a slice has more values than columns, or fewer")
            found[tuple(key)] = self.counts(counts, declared)
        check(len(found) == len(form["keys"]), "a slice is there twice")
        return found

    def _confusion(self, form: Form) -> Confusion:
        labels, cells = tuple(form["labels"]), self._ascending(form["cells"])
        check(form["declared"] or labels == in_order(labels), "its labels are not in order")
        size = len(stated(labels))
        check(within(cells, size * size), "it counts labels that it does not have")
        counts, squares = self._amounts(form["counts"], cells), form["squares"]
        weighted = squares is not None
        check(weighted or counts.sum() == form["rows"], "its counts do not add up to its rows")
        return Confusion.from_cells(
            labels,
            cells,
            counts,
            squares=self._amounts(squares, cells) if weighted else None,
            rows=_whole(form["rows"]),
            declared=form["declared"],
            dropped={str(why): _whole(rows) for why, rows in form["dropped"].items()},
            as_written=not form.get("text", False),
        )

    def _scores(self, form: Form, grid: Grid | None) -> Scores | Binned:
        if "grid" in form:
            check(grid is not None, "its scores are on a grid that it does not declare")
            return self._binned(form)
        check(grid is None, "it declares a grid, and its scores are not on it")
        score = self._array(form["score"])
        positives, negatives = (self._amounts(form[side], score) for side in ("positives", "negatives"))
        squares = self._squares(form["squares"], score)
        whole = positives.sum() + negatives.sum()
        check(squares is not None or whole == form["rows"], "its scores do not add up to its rows")
        return Scores(score, positives, negatives, squares=squares, rows=_whole(form["rows"]))

    def _binned(self, form: Form) -> Binned:
        grid, held = self._grids[form["grid"]], self._ascending(form["bins"])
        self._take(_BINNED * (grid.bins + len(grid.cuts)))
        check(within(held, len(grid)), "it has bins that its grid has not")
        positives, negatives = (self._amounts(form[side], held) for side in ("positives", "negatives"))
        squares, rows = self._squares(form["squares"], held), _whole(form["rows"])
        whole = positives.sum() + negatives.sum()
        check(squares is not None or whole == rows, "its bins do not add up to its rows")
        low, high = form["reach"] or (np.inf, -np.inf)
        points, totals = self._like(form["points"], held), self._like(form["totals"], held)
        known = points != SEVERAL
        inside = bool(np.isfinite(points[known]).all()) and np.array_equal(
            grid.index(points[known]), held[known]
        )
        check(inside, "scores are not in their bins")
        check(np.isfinite(totals).all() and (low <= high) == bool(rows), "its scores are no numbers")

        def spread(values: NDArray[Any], empty: float = 0) -> NDArray[Any]:
            every = np.full(len(grid), empty, values.dtype)
            every[held] = values
            return every

        return Binned(
            grid,
            spread(positives),
            spread(negatives),
            None if squares is None else (spread(squares[0]), spread(squares[1])),
            spread(totals),
            spread(points, np.nan),
            _two(tuple(map(_losses, form["losses"]))),
            float(low),
            float(high),
            rows,
        )

    def _classes(self, form: Form) -> OfClasses:
        columns = [self._scores_of_class(each) for each in form["columns"]]
        places = self._array(form["places"])
        squares = None if form["place_squares"] is None else self._array(form["place_squares"])
        for counts in (places, places if squares is None else squares):
            check((counts >= 0).all() and len(counts) == len(columns), "its places do not fit its classes")
        check(len(form["losses"]) == len(columns), "its losses do not fit its classes")
        return OfClasses(
            tuple(columns),
            tuple(map(_losses, form["losses"])),
            self._scores_of_class(form["confidence"]),
            self._scores_of_class(form["margins"]),
            places,
            _whole(form["ties"]),
            squares,
        )

    def _scores_of_class(self, form: Form) -> Scores | Binned:
        return self._binned(form) if "grid" in form else self._scores(form, None)

    # --- arrays ------------------------------------------------------------------------------

    def _array(self, place: Sequence[Any]) -> NDArray[Any]:
        name, start, length = place
        array = self._arrays[name][_whole(start) : start + _whole(length)]
        check(len(array) == length, "an array is shorter than it says")
        self._unread -= len(array)
        check(self._unread >= 0, "its arrays overlap")
        return array

    def _take(self, size: int) -> None:
        """Refuse bins before they are made: a few bytes declare millions of them."""
        self._taken += size
        if self._taken > self._memory:
            raise MemoryLimitError(
                f"its scores on grids take {self._taken:,} bytes or more, and {self._memory:,} are allowed.",
                hint="allow more with --memory (in Python memory=), or count the rows with fewer slices.",
            )

    def _ascending(self, place: Sequence[Any]) -> NDArray[Any]:
        array = self._array(place)
        check((array[1:] > array[:-1]).all(), "an array is not in order")
        return array

    def _like(self, place: Sequence[Any], other: NDArray[Any]) -> NDArray[Any]:
        array = self._array(place)
        check(len(array) == len(other), "arrays that belong together differ in length")
        return array

    def _amounts(self, place: Sequence[Any], other: NDArray[Any]) -> NDArray[Any]:
        """Counts, or sums of weights."""
        return amounts(self._like(place, other))

    def _squares(
        self, places: Sequence[Any] | None, other: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[Any]] | None:
        return None if places is None else _two(tuple(self._amounts(place, other) for place in places))


def _two(pair: tuple[Any, ...]) -> tuple[Any, Any]:
    one, two = pair
    return one, two


def _whole(value: Any) -> int:
    check(type(value) is int and value >= 0, f"{value!r} is no number of rows")
    return int(value)


def _losses(form: Form) -> Sums:
    sums = Sums.from_dict(form)
    _whole(sums.rows)
    numbers = (sums.weight, sums.weight_squares, sums.infinite, *vars(sums.brier).values())
    check(np.isfinite(numbers).all(), "its losses are no numbers")
    return sums
