"""k-fold cross-validation: every row is tested on once in each run."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallymark.errors import OptionError
from tallymark.evaluation.settings import checked_seed
from tallymark.resampling.assigning import Random, by_class, by_group, by_group_and_class, by_rows
from tallymark.resampling.checks import random_legacy, whole
from tallymark.resampling.folds import Fold, Folds, Ints
from tallymark.resampling.grouping import Coded, Strata, crossed, grouped, members, strata, too_rare
from tallymark.resampling.splitter import Splitter, rows_of


class KFold(Splitter):
    """Cuts the rows into folds and leaves each out once; again and again with `n_repeats`.

    Classes have the same share in every fold, unless `stratify=False`. Rows of a group stay together when
    `groups` are given. The folds are those of scikit-learn's KFold, StratifiedKFold and, not shuffled,
    GroupKFold with the same arguments.

    >>> [test.tolist() for _, test in KFold(2, shuffle=False).split(y=["a", "a", "b", "b"])]
    [[0, 2], [1, 3]]
    """

    def __init__(
        self,
        n_splits: int = 10,
        *,
        shuffle: bool = True,
        random_state: int | None = 0,
        stratify: bool = True,
        n_repeats: int = 1,
    ) -> None:
        self.n_splits = whole(
            "the number of folds (n_splits)", n_splits, 2, "with one fold there would be nothing to train on."
        )
        self.shuffle = bool(shuffle)
        self.random_state = checked_seed(random_state)
        self.stratify = bool(stratify)
        self.n_repeats = whole("the number of runs (n_repeats)", n_repeats, 1)
        if self.n_repeats > 1 and not self.shuffle:
            raise OptionError("without shuffling, every one of the repeats would have the same folds.")

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002
        """How many folds there are, whatever the rows."""
        return self.n_splits * self.n_repeats

    def folds(self, X: Any = None, y: Any = None, groups: Any = None) -> Folds:
        """The cuts of these rows."""
        rows = rows_of(X, y, groups)
        if rows < self.n_splits:
            raise OptionError(
                f"{self.n_splits:,} folds cannot be made of {rows:,} {'row' if rows == 1 else 'rows'}.",
                hint="there can be as many as rows, which is --method loo (LeaveOneOut()).",
            )
        by, together = strata(y, stratify=self.stratify), None if groups is None else grouped(groups)
        if together is not None and len(together.names) < self.n_splits:
            raise OptionError(
                f"{self.n_splits:,} folds cannot be made of {len(together.names):,} groups.",
                hint="there can be as many as groups, which is --method group (LeaveOneGroupOut()).",
            )
        random = random_legacy(self.random_state) if self.shuffle else None
        runs = [self._run(rows, by.classes, together, random) for _ in range(self.n_repeats)]
        made = tuple(
            Fold(test, rows, run=run)
            for run, fold in enumerate(runs)
            for test in members(fold, self.n_splits)
        )
        return Folds(
            made,
            rows,
            self._called(by, together),
            self.n_repeats,
            notes=(*by.notes, *self._rare(by.classes, runs)),
        )

    def _run(self, rows: int, classes: Coded | None, groups: Coded | None, random: Random | None) -> Ints:
        """The fold of each row."""
        if groups is not None and classes is not None:
            return by_group_and_class(groups, classes, self.n_splits, random)
        if groups is not None:
            return by_group(groups, self.n_splits, random)
        if classes is not None:
            return by_class(classes, self.n_splits, random)
        return by_rows(rows, self.n_splits, random)

    def _called(self, by: Strata, groups: Coded | None) -> str:
        runs = "" if self.n_repeats == 1 else f"{self.n_repeats:,} runs of "
        how = ", stratified" if by.classes is not None else ""
        return (
            f"{runs}{self.n_splits:,}-fold cross-validation{how}{'' if groups is None else ', groups whole'}"
        )

    def _rare(self, classes: Coded | None, runs: list[Ints]) -> tuple[str, ...]:
        if classes is None:
            return ()
        shape = self.n_splits, len(classes.names)
        lacking = [(crossed(fold, classes.codes, shape) == 0).any(axis=0) for fold in runs]
        return too_rare(classes, np.any(lacking, axis=0), " in every fold")
