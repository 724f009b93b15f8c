"""Permutation tests whose results are known beforehand: how many test rows each fit gets right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

import tallymark as tm
from scripted_models import Scripted

# Two of three rows are "no"; ten rows are tested, seven of them "no".
ROWS = 30
CLASSES = np.arange(ROWS) % 3 == 2
ONE = [(np.r_[0:20], np.r_[20:30])]
THREE = [(np.setdiff1d(np.arange(ROWS), part), part) for part in np.split(np.arange(ROWS), 3)]


class Told(Scripted):
    """Right in as many of the rows as the next fit is told to be, sure of it; None fails."""

    told: ClassVar[Iterator[Any]] = iter(())

    def fit(self, X: Any, y: Any) -> Told:
        super().fit(X, y)
        self.right = next(Told.told)
        if self.right is None:
            raise ValueError("these classes make no sense")
        return self

    def predict_proba(self, X: Any) -> Any:
        known = np.asarray(X)[:, 0] == 1
        p = np.where(np.arange(len(known)) < self.right, known, ~known).astype(float)
        return np.column_stack((1 - p, p))

    def predict(self, X: Any) -> Any:
        return self.classes_[self.predict_proba(X)[:, 1].astype(int)]


def scripted_test(real: Any, permuted: Sequence[Any], **options: Any) -> tm.PermutationTest:
    """So many test rows are right with the real classes, and with each permutation; of folds, in each."""
    given = {"X": CLASSES[:, None].astype(float), "y": np.where(CLASSES, "yes", "no"), "cv": ONE}
    if np.ndim(real):
        given["cv"] = THREE
    given |= {"n_permutations": len(permuted), "labels": ["no", "yes"], "pos_label": "yes", **options}
    given["permute"] = given.get("permute", "training")
    folds = len(given["cv"]) if isinstance(given["cv"], list) else 1
    Told.told = iter(
        [right for each in (real, *permuted) for right in (each if np.ndim(each) else [each] * folds)]
    )
    return tm.permutation_test({"told": Told()}, **given)
