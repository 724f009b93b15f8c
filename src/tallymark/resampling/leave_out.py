"""Leave one row out, or one group, at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallymark.errors import OptionError
from tallymark.resampling.folds import Fold, Folds
from tallymark.resampling.grouping import grouped, members
from tallymark.resampling.splitter import Splitter, rows_of


class LeaveOneOut(Splitter):
    """Tests on each row once, with a model trained on all others."""

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """As many as there are rows."""
        return rows_of(X, y, groups)

    def folds(self, X: Any = None, y: Any = None, groups: Any = None) -> Folds:
        """The cuts of these rows."""
        rows = rows_of(X, y, groups)
        if groups is not None:
            raise OptionError(
                "LeaveOneOut leaves out rows, and groups are given: the rest of a row's group would train.",
                hint="use LeaveOneGroupOut().",
            )
        if rows < 2:
            raise OptionError("there is one row: to leave it out leaves none to train on.")
        made = tuple(Fold(test, rows) for test in np.arange(rows).reshape(-1, 1))
        return Folds(made, rows, "leave one out")


class LeaveOneGroupOut(Splitter):
    """Tests on each group once, with a model trained on all others: a patient, a university."""

    def folds(self, X: Any = None, y: Any = None, groups: Any = None) -> Folds:
        """The cuts of these rows."""
        if groups is None:
            raise OptionError("LeaveOneGroupOut needs groups, one for each row.", hint="pass groups=.")
        rows, found = rows_of(X, y, groups), grouped(groups)
        size = len(found.names)
        made = tuple(
            Fold(test, rows, name=str(name))
            for name, test in zip(found.names, members(found.codes, size), strict=True)
        )
        return Folds(made, rows, f"leave one group out, {size:,} groups")
