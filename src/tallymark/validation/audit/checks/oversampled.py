"""TM020: rows that were oversampled before the split, so that copies are on both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tallymark.drawing import count, percent
from tallymark.findings.finding import Finding
from tallymark.tallies.labels import listed, quoted
from tallymark.validation.audit.chance import chance_of
from tallymark.validation.audit.worth import told, worth

if TYPE_CHECKING:
    from tallymark.resampling.folds import Ints
    from tallymark.validation.audit.marks import Marks
    from tallymark.validation.audit.protocol import Protocol
    from tallymark.validation.data.data_set import DataSet

_TIMES = 2
"""Rows for every different one, from which on a class looks repeated."""
_FEW_COPIES = 0.02
"""Of the rows of the largest class: it is the one that the others were made as large as."""
_FEWEST = 3
"""Different rows of a class: of fewer, equal rows tell nothing."""


def check(protocol: Protocol) -> Finding | None:
    twins, data = protocol.twins, protocol.data
    if twins is None or not twins.many:
        return None
    repeated = repeated_classes(data, twins.marks)
    if not repeated:
        return None
    found = worth(protocol, twins)
    labels = [data.labels[place] for place in repeated]
    largest = _largest(data, repeated)
    if len(labels) == 1:
        rows, different = repeated[next(iter(repeated))]
        what = f"class {quoted(labels[0])} has {count(rows)} rows, of which {count(different)} are different"
    else:
        rows, different = (sum(column) for column in zip(*repeated.values(), strict=True))
        what = (
            f"{len(labels)} classes {listed(labels)} have {count(rows)} rows, of which {count(different)} "
            "are different"
        )
    return Finding(
        "TM020",
        f"{what}, while {quoted(data.labels[largest])} has hardly a copy: this looks oversampled before the "
        f"split. {count(len(twins.rows))} of {count(len(twins.tested))} test rows ({percent(twins.share)}) "
        f"have a copy among the training rows, and a model that knows rows by heart is right about them."
        f"{told(found)} Give the rows as they were; --oversample 1 (sampler=tm.Oversampling(1.0)) repeats "
        "training rows only.",
        {
            "rows": len(twins.rows),
            "test_rows": len(twins.tested),
            "share": twins.share,
            "classes": [
                {"label": str(label), "rows": int(each.sum()), "different": len(each)}
                for label, each in zip(data.labels, _times(data, twins.marks), strict=True)
            ],
            **found,
        },
    )


def repeated_classes(data: DataSet, marks: Marks) -> dict[int, tuple[int, int]]:
    """Classes that look oversampled, by their place: how many rows they have, and how many different ones.

    Of such a class most different rows are there several times, and not because its values are coarse.
    """
    times = _times(data, marks)
    repeated = {
        place: (int(each.sum()), len(each))
        for place, each in enumerate(times)
        if len(each) >= _FEWEST and each.sum() >= _TIMES * len(each) and (each > 1).mean() >= 1 / 2
    }
    if not repeated or len(repeated) == len(times):
        return {}
    largest = _largest(data, repeated)
    copies = 1 - len(times[largest]) / max(1, int(times[largest].sum()))
    most = max(rows for rows, _ in repeated.values())
    # Oversampling makes classes as large as the largest, hardly larger.
    if copies > _FEW_COPIES or most > 1.1 * data.class_counts[largest]:
        return {}
    return {} if any(chance_of(data, marks, [place]).natural for place in repeated) else repeated


def _times(data: DataSet, marks: Marks) -> list[Ints]:
    """Of every class, how often each different row is there."""
    return [
        np.unique(marks.rows[data.actual == place], return_counts=True)[1]
        for place in range(len(data.labels))
    ]


def _largest(data: DataSet, repeated: dict[int, tuple[int, int]]) -> int:
    """The largest class that is not repeated."""
    rest = [place for place in range(len(data.labels)) if place not in repeated]
    return max(rest, key=lambda place: int(data.class_counts[place]))
