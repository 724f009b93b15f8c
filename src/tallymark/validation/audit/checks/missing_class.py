"""TM023: folds without a class."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tallymark.findings.finding import Finding
from tallymark.resampling.folds import Fold, Folds, Ints
from tallymark.resampling.grouping import TOO_RARE
from tallymark.tallies.labels import quoted
from tallymark.validation.fits.fold_notes import codes_of_groups

if TYPE_CHECKING:
    from tallymark.validation.audit.protocol import Protocol
    from tallymark.validation.data.data_set import DataSet

_SHOWN = 3
"""Classes that are named, the rarest first."""
_USUAL_FOLDS = 10


def check(protocol: Protocol) -> Finding | None:
    data, folds = protocol.data, protocol.folds
    found = _lacking(data, folds)
    if not found.unseen.any() and not found.untested.any():
        return None
    return Finding(
        "TM023",
        " ".join((*_never_learned(data, found), *_not_tested(data, found), _way_out(protocol, found))),
        {
            "folds": len(folds),
            "test_folds": found.test_folds,
            "training_parts": found.training_parts,
            "unseen_test_rows": int(found.unseen.sum()),
            "classes": [str(data.labels[place]) for place in found.classes],
        },
    )


@dataclass(frozen=True, eq=False)
class _Lacking:
    """What folds lack; arrays have a place for every label."""

    folds: int
    tested: int
    """Test rows of all folds."""
    training_parts: int
    """Folds that test a class they do not train on."""
    unseen: Ints
    """Test rows of each class that their model never saw."""
    test_folds: int
    """Folds that test no row of some class."""
    untested: Ints
    """In how many folds no row of a class is tested."""

    @property
    def classes(self) -> list[int]:
        """The classes that are lacking somewhere."""
        return np.flatnonzero((self.unseen > 0) | (self.untested > 0)).tolist()


def _lacking(data: DataSet, folds: Folds) -> _Lacking:
    size, there = len(data.labels), data.class_counts > 0
    groups = _codes(data)
    unseen, untested = np.zeros(size, np.int64), np.zeros(size, np.int64)
    training_parts = test_folds = 0
    # Of one test set the note says it all.
    said = len(folds) == 1 and any(TOO_RARE in note for note in folds.notes)
    for fold in folds.folds:
        tests = np.bincount(data.actual[fold.test], minlength=size)
        lost = np.where(_learned(data, fold, tests), 0, tests)
        unseen += lost
        training_parts += bool(lost.any())
        if not said and not _is_one(fold.test, groups):
            gone = there & (tests == 0)
            untested += gone
            test_folds += bool(gone.any())
    tested = sum(fold.n_test for fold in folds.folds)
    return _Lacking(len(folds), tested, training_parts, unseen, test_folds, untested)


def _codes(data: DataSet) -> Ints | None:
    """Which group each row is of; None where rows are of none, or of a pair of entities."""
    if data.groups is None or data.groups.ndim > 1:
        return None
    return codes_of_groups(data)[:, 0]


def _learned(data: DataSet, fold: Fold, tests: Ints) -> NDArray[np.bool_]:
    """Which classes are among the training rows."""
    if fold.kept is not None:
        return np.bincount(data.actual[fold.kept], minlength=len(tests)) > 0
    unused = np.empty(0, np.int64) if fold.unused is None else fold.unused
    return data.class_counts > tests + np.bincount(data.actual[unused], minlength=len(tests))


def _is_one(test: Ints, groups: Ints | None) -> bool:
    """Whether one row, or one group, is left out: of which classes it is cannot be chosen."""
    return len(test) == 1 or (groups is not None and bool((groups[test] == groups[test[0]]).all()))


# --- in words ------------------------------------------------------------------------------------------


def _never_learned(data: DataSet, found: _Lacking) -> Iterator[str]:
    if not found.training_parts:
        return
    where = "" if found.folds == 1 else f"in {found.training_parts:,} of {found.folds:,} folds "
    one, rows = np.count_nonzero(found.unseen) == 1, int(found.unseen.sum())
    are, their = ("is", "its") if rows == 1 else ("are", "their")
    yield (
        f"{where}the training rows lack {'a class that is' if one else 'classes that are'} tested, "
        f"{_named(data, found.unseen)}: {rows:,} of {found.tested:,} test rows {are} asked of a model that "
        f"never saw {their} class."
    )


def _not_tested(data: DataSet, found: _Lacking) -> Iterator[str]:
    if not found.test_folds:
        return
    one = np.count_nonzero(found.untested) == 1
    if np.array_equal(found.untested > 0, found.unseen > 0):
        which = "it" if one else "one of them or more"
    else:
        which = f"{'class' if one else 'one or more of the classes'} {_named(data, found.untested)}"
    if found.folds == 1:
        no = "No" if found.training_parts else "no"
        yield f"{no} test row is of {which}, so nothing is known about {'it' if one else 'them'}."
    else:
        yield (
            f"{found.test_folds:,} of {found.folds:,} test folds lack {which}: numbers about "
            f"{'it' if one else 'them'} are of the other folds alone, or undefined."
        )


def _named(data: DataSet, lacking: Ints) -> str:
    """Classes with their rows, the rarest first."""
    places = np.flatnonzero(lacking)
    order = places[np.argsort(data.class_counts[places], kind="stable")].tolist()
    told = [
        f"{quoted(data.labels[place])} ({data.class_counts[place]:,} "
        f"{'row' if data.class_counts[place] == 1 else 'rows'})"
        for place in order[:_SHOWN]
    ]
    rest = len(order) - _SHOWN
    return ", ".join(told) + (f" and {rest:,} more" if rest > 0 else "")


def _way_out(protocol: Protocol, found: _Lacking) -> str:
    """The folds that have every class, where there are any."""
    data, most = protocol.data, most_folds(protocol.data, found.classes)
    if most is None:
        return "Take fewer blocks, or join classes."
    if most == 1:
        what = "row" if data.groups is None else "group"
        return f"A class of one {what} is either learned or tested on: leave it out, or join it with another."
    per_run = len(protocol.folds) // protocol.folds.runs
    folds = min(most, per_run) if per_run > 1 else most
    have = "have" if data.groups is None else "can have"
    return f"Stratified folds {have} all classes on both sides: {method(protocol, folds)}."


def method(protocol: Protocol, folds: int, runs: int = 1) -> str:
    """How to ask for so many folds, on the command line and in Python."""
    if protocol.fits and not protocol.fits.keys() & protocol.models.keys():
        return f"--method nested:{folds}x5 (cv={folds})"  # of models that were chosen fold by fold
    by_name = f"kfold:{folds}" if runs == 1 else f"kfold:{runs}x{folds}"
    return f"--method {by_name} (cv={folds if runs == 1 else repr(by_name)})"


def most_folds(data: DataSet, classes: Iterable[int]) -> int | None:
    """How many folds, up to ten, can all have rows of each of some classes; None when rows are of pairs."""
    if data.groups is not None and data.groups.ndim > 1:
        return None
    groups = _codes(data)
    rows = [np.flatnonzero(data.actual == place) for place in classes]
    units = [len(own) if groups is None else len(np.unique(groups[own])) for own in rows if len(own)]
    return min(_USUAL_FOLDS, *units)
