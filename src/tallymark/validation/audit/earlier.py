"""Runs of the run folder that asked about the same rows before."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.validation.runs.hashing import read_rows, tested_hash

if TYPE_CHECKING:
    from tallymark.validation.audit.protocol import Protocol
    from tallymark.validation.data.data_set import DataSet

_TELLING = 8
"""Bytes from which on an order of classes is one that no other table has. Orders that are sorted or repeat
themselves take up to 5 more than the same classes sorted; of 60 rows in any order it is 20."""


class Earlier(NamedTuple):
    """An earlier run on the same rows."""

    run: Mapping[str, Any]
    features: frozenset[str | None]
    """Hashes of the columns that its models saw; of several data sets there are several."""
    tested: NDArray[np.bool_]
    """Which rows it was tested on."""


def runs_before(protocol: Protocol, *questions: str) -> list[Earlier]:
    """Those that asked one of these questions, oldest first.

    Rows are the same when their classes are, in the same order, and so are their columns; with other columns
    where the order of the classes is like no other.
    """
    asked = [run for run in protocol.earlier if run["question"] in questions]
    if not asked:
        return []
    tells, classes, features = _tells(protocol.data), protocol.data.fingerprint, protocol.features
    found = []
    for run in asked:
        same = [
            (place, data["features"])
            for place, data in enumerate(run["data"])
            if data["classes"] == classes
            and (tells or (features is not None and data["features"] == features))
        ]
        if same:
            tested = np.any([_tested(protocol, run, place) for place, _ in same], axis=0)
            found.append(Earlier(run, frozenset(each for _, each in same), tested))
    return found


def _tells(data: DataSet) -> bool:
    """Whether rows can be known by the order of their classes: it does not repeat itself."""
    order = data.actual.astype("<u2")
    return len(_packed(order)) - len(_packed(np.sort(order))) >= _TELLING


def _packed(order: NDArray[Any]) -> bytes:
    # The high bytes apart: they are 0, nearly always.
    return zlib.compress(order.view(np.uint8).reshape(-1, 2).T.tobytes(), 9)


def _tested(protocol: Protocol, run: Mapping[str, Any], place: int) -> NDArray[np.bool_]:
    """Which rows a run was tested on; of too many to be kept one by one, all or none of those tested now."""
    text, rows = run["tested_bits"][place], protocol.data.rows
    if text is not None:
        with suppress(ValueError):  # a record that somebody changed
            return read_rows(text, rows)
    return np.full(rows, run["tested"][place] == tested_hash(protocol.folds)[0])
