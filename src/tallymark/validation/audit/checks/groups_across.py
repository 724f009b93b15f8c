"""TM019: rows of one group both train and test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tallymark.drawing import count
from tallymark.findings.finding import Finding
from tallymark.validation.fits.fold_notes import codes_of_groups

if TYPE_CHECKING:
    from tallymark.validation.audit.protocol import Protocol


def check(protocol: Protocol) -> Finding | None:
    data, folds = protocol.data, protocol.folds
    if data.groups is None:
        return None
    codes = codes_of_groups(data)
    shared = np.zeros(int(codes.max()) + 1, bool)
    tested, met = np.zeros(data.rows, bool), np.zeros(data.rows, bool)
    cut = 0
    for train, test in folds:
        # Entities of pairs meet in their own column only: the other may be of another kind.
        known = np.column_stack(
            [np.isin(codes[test, column], codes[train, column]) for column in range(codes.shape[1])]
        )
        shared[codes[test][known]] = True
        cut += bool(known.any())
        tested[test] = True
        met[test[known.any(axis=1)]] = True
    if not cut:
        return None
    pairs = codes.shape[1] > 1
    what = "entities of pairs" if pairs else "groups"
    way = "pairs:COL,COL (cv='pairs')" if pairs else "kfold:10 or group (cv=10 or 'group')"
    groups, rows, of = int(shared.sum()), int(met.sum()), int(tested.sum())
    some = "it" if groups == 1 else "them"
    return Finding(
        "TM019",
        f"in {count(cut)} of {count(len(folds))} folds {what} of test rows are among the training rows as "
        f"well: {count(groups)} of {count(len(shared))} {what}, with {count(rows)} of {count(of)} test rows. "
        f"A model that learned rows of {some} may know the others by that, and results may be too good. "
        f"--method {way} keeps them apart.",
        {
            "folds": cut,
            "of_folds": len(folds),
            "groups": groups,
            "of_groups": len(shared),
            "rows": rows,
            "test_rows": of,
        },
    )
