"""Validating models as ratios in one run: against scikit-learn's cross_validate, and against the bare fits.

A thousand small fits, with the same numbers asked of both, of test and of training rows: accuracy alone, and
with the area under the ROC curve. Ours includes the baseline, the intervals and the printed report.

    python benchmarks/validation.py            a minute or two
    python benchmarks/validation.py --quick    a tenth of the fits
"""

from __future__ import annotations

import argparse
import tracemalloc
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from speed import at_most, best_of

FITS = 1_000
FOLDS = 10
ROWS = 500
SCORERS = {"accuracy": "accuracy", "auc": "roc_auc"}
MODELS = {
    "naive Bayes": GaussianNB(),
    "tree of depth 3": DecisionTreeClassifier(max_depth=3, random_state=0),
    "logistic": LogisticRegression(),
}


def data(rows: int = ROWS) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    random = np.random.default_rng(0)
    X = random.normal(size=(rows, 8))
    return X, (X[:, 0] + random.normal(size=rows) > 0).astype(np.int64)


def splitter(fits: int) -> Any:
    return RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=fits // FOLDS, random_state=0)


def bare(model: Any, X: Any, y: Any, cv: Any) -> None:
    """Fit and ask, and nothing else."""
    for train, test in cv.split(X, y):
        fitted = clone(model).fit(X[train], y[train])
        fitted.predict(X[test])
        fitted.predict_proba(X[test])
        fitted.predict(X[train])


def against_peer(fits: int) -> None:
    X, y = data()
    print(
        f"\n{fits:,} fits on {ROWS} rows: validate and its report, against cross_validate and the bare fits"
    )
    for name, model in MODELS.items():
        for numbers in (["accuracy"], ["accuracy", "auc"]):
            ours = best_of(
                lambda m=model, n=numbers: str(tm.validate(m, X, y, cv=splitter(fits), metrics=n)), 3
            )
            scoring = [SCORERS[number] for number in numbers]
            peer = best_of(
                lambda m=model, s=scoring: cross_validate(
                    m, X, y, cv=splitter(fits), scoring=s, return_train_score=True
                ),
                3,
            )
            at_most(f"{name}, {' and '.join(numbers)}", ours / peer, 1, f"{ours:.2f} s and {peer:.2f} s")
        fitted = best_of(lambda m=model: bare(m, X, y, splitter(fits)), 3)
        at_most(f"{name}, the bare fits", ours / fitted, 3, f"{ours:.2f} s and {fitted:.2f} s")


def memory(fits: int) -> None:
    X, y = data(5_000)
    tracemalloc.start()
    validation = tm.validate(GaussianNB(), X, y, cv=splitter(fits))
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    answers = validation.rows_tested * 2 * 16
    print(f"\nMemory of {fits:,} fits on 5,000 rows: {held / 1e6:.0f} MB held, {peak / 1e6:.0f} MB at most;")
    print(f"  16 bytes for every answer of model and baseline are {answers / 1e6:.0f} MB")


def main(quick: bool = False) -> None:
    warnings.simplefilter("ignore")
    fits = FITS // 10 if quick else FITS
    against_peer(fits)
    memory(fits)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    main(parser.parse_args().quick)
