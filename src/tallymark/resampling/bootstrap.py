"""Bootstrap: train on as many rows as there are, drawn with replacement, and test on those never drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallymark.errors import OptionError
from tallymark.evaluation.settings import checked_seed
from tallymark.resampling.checks import stream, whole
from tallymark.resampling.folds import Fold, Folds, Ints
from tallymark.resampling.grouping import Coded, grouped, members, strata
from tallymark.resampling.splitter import Splitter, rows_of

Generator = np.random.Generator


class Bootstrap(Splitter):
    """Draws rows with replacement to train on; a row that is never drawn, out of bag, is tested on.

    About 63 % of the rows are drawn at least once. With `stratify` as many rows of each class are drawn as
    there are; whole groups are drawn when `groups` are given. `n_repeats` is another word for `n_splits`.
    """

    def __init__(
        self,
        n_splits: int = 200,
        *,
        random_state: int | None = 0,
        stratify: bool = False,
        n_repeats: int | None = None,
    ) -> None:
        samples = n_splits if n_repeats is None else n_repeats
        self.n_splits = whole("the number of samples (n_splits)", samples, 1)
        self.random_state = checked_seed(random_state)
        self.stratify = bool(stratify)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002
        """How often rows are drawn, whatever the rows."""
        return self.n_splits

    def folds(self, X: Any = None, y: Any = None, groups: Any = None) -> Folds:
        """The draws of these rows."""
        rows = rows_of(X, y, groups)
        if rows < 2:
            raise OptionError("there is one row: when it is drawn, none is left to test on.")
        together = None if groups is None else grouped(groups)
        by = strata(y, stratify=self.stratify and together is None)
        if by.classes is not None and by.classes.counts.max() == 1:
            raise OptionError(
                "every row has a class of its own: drawn by class, no row can be out of bag.",
                hint="pass stratify=False.",
            )
        made = tuple(
            _drawn(rows, by.classes, together, stream(self.random_state, place))
            for place in range(self.n_splits)
        )
        method = f"{self.n_splits:,} bootstrap samples, tested out of bag"
        if together is not None:
            method += ", groups whole"
        elif by.classes is not None:
            method += ", stratified"
        return Folds(made, rows, method, notes=by.notes, bootstrap=True)


def _drawn(rows: int, classes: Coded | None, groups: Coded | None, random: Generator) -> Fold:
    while True:
        times = _times(rows, classes, groups, random)
        test = np.flatnonzero(times == 0)
        # Of a few rows all may be drawn: there would be nothing to test on.
        if len(test):
            return Fold(test, rows, np.repeat(np.arange(rows), times))


def _times(rows: int, classes: Coded | None, groups: Coded | None, random: Generator) -> Ints:
    """How often each row is drawn."""
    if groups is not None:
        size = len(groups.names)
        return np.bincount(random.integers(size, size=size), minlength=size)[groups.codes]
    if classes is None:
        return np.bincount(random.integers(rows, size=rows), minlength=rows)
    by_class = members(classes.codes, len(classes.names))
    drawn = [own[random.integers(len(own), size=len(own))] for own in by_class]
    return np.bincount(np.concatenate(drawn), minlength=rows)
