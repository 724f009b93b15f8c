"""Coverage of the 95 % intervals that `validate` reports, by method of estimation.

Rows are drawn from a known distribution, a model is validated on them, and then trained on all of them; its
accuracy on many fresh rows is what the user wants to know ("this model"). The mean of that over all samples
is what the learner reaches with so many rows ("the learner"). A method that trains on fewer rows than there
are is biased for both, which is part of what is measured: the bias is printed beside.

The interval of the mean of folds is the t interval corrected for overlapping training sets, no narrower
than the pooled one, which is Wilson's (of rows tested once) or from resampled rows (tested several times).
The plain t interval, which takes folds as independent, stands last: it is what most people report.

    python benchmarks/coverage_validation.py            about half an hour on one core
    python benchmarks/coverage_validation.py --quick    fewer designs and samples
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm

Floats = NDArray[np.float64]
Rows = tuple[Floats, NDArray[np.int64]]

LEVEL = 0.95
FRESH = 10_000
SAMPLES = 200
MODELS: dict[str, Any] = {
    "naive Bayes": GaussianNB(),
    "1-NN": KNeighborsClassifier(1),
    "tree": DecisionTreeClassifier(random_state=0),
}
METHODS = ("holdout:1/3", "repeated:20", "kfold:5", "kfold:10", "kfold:10x10", "loo", "bootstrap:50")
SLOW = ("kfold:10x10", "loo")
COLUMNS = ("mean of folds", "pooled", "plain t")


def rows(random: np.random.Generator, n: int, share: float = 0.4) -> Rows:
    """Two classes, 40 % positive unless said, that two of five features tell apart in part."""
    y = (random.random(n) < share).astype(np.int64)
    X = random.normal(size=(n, 5))
    X[:, :2] += 0.8 * y[:, None]
    return X, y


@dataclass(frozen=True)
class Seen:
    """The intervals of one sample, and the truth about the model trained on all of it."""

    value: float
    intervals: Mapping[str, tuple[float, float] | None]
    truth: float


def seen(model: Any, method: str, n: int, seed: int, share: float = 0.4) -> Seen:
    """One sample validated, and its model tried on fresh rows."""
    random = np.random.default_rng(seed)
    X, y = rows(random, n, share)
    found = tm.validate(model, X, y, cv=method, random_state=seed, confidence_level=LEVEL)["accuracy"]
    fresh, actual = rows(random, FRESH, share)
    truth = float((clone(model).fit(X, y).predict(fresh) == actual).mean())
    intervals = {"mean of folds": _ends(found.mean), "pooled": _ends(found.pooled), "plain t": plain(found)}
    return Seen(float(found.mean), intervals, truth)


def _ends(estimate: Any) -> tuple[float, float] | None:
    return None if estimate.low is None else (estimate.low, estimate.high)


def plain(found: Any) -> tuple[float, float] | None:
    """The interval of somebody who takes folds as independent."""
    values = np.array(found.values)
    if len(values) < 2:
        return None
    half = student.ppf((1 + LEVEL) / 2, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
    return float(values.mean() - half), float(values.mean() + half)


def coverage(samples: Iterable[Seen]) -> dict[str, Any]:
    """Shares of intervals that hold the truth about this model, and about the learner; widths; the bias."""
    found = list(samples)
    learner = float(np.mean([each.truth for each in found]))
    told: dict[str, Any] = {"bias": float(np.mean([each.value for each in found])) - learner}
    for column in COLUMNS:
        known = [(each.intervals[column], each.truth) for each in found]
        ends = [(low, high, truth) for pair, truth in known if pair is not None for low, high in [pair]]
        if not ends:
            told[column] = None
            continue
        mine = np.mean([low <= truth <= high for low, high, truth in ends])
        its = np.mean([low <= learner <= high for low, high, _ in ends])
        told[column] = float(mine), float(its), float(np.mean([high - low for low, high, _ in ends]))
    return told


def main(quick: bool = False) -> None:
    from records import times

    samples = 60 if quick else times(SAMPLES)
    models = {"naive Bayes": MODELS["naive Bayes"], "tree": MODELS["tree"]} if quick else MODELS
    methods = tuple(method for method in METHODS if not quick or method not in SLOW)
    print(
        f"Nominal {LEVEL:.0%}; {samples} samples each. Per interval: this model / the learner, and the width."
    )
    print(
        f"{'model':<12} {'n':>4} {'share':>5}  {'method':<13} {'bias':>7}  "
        + "  ".join(f"{c:<20}" for c in COLUMNS)
    )
    for name, model in models.items():
        for n in (100,) if quick else (50, 200):
            for method in methods:
                if method in SLOW and n > 50:
                    continue
                told = coverage(seen(model, method, n, s) for s in range(samples))
                _line(name, n, method, 0.4, told, samples)
    # Stratified folds all have the same class shares, and so say nothing of how a number varies with these.
    for method in ("kfold:10", "repeated:20"):
        told = coverage(seen(MODELS["naive Bayes"], method, 400, s, 0.05) for s in range(samples))
        _line("naive Bayes", 400, method, 0.05, told, samples)


def _line(name: str, n: int, method: str, share: float, told: Mapping[str, Any], samples: int) -> None:
    from records import OURS, covered

    print(f"{name:<12} {n:>4} {share:>5.0%}  {method:<13} {told['bias']:>+7.3f}  {_cells(told)}", flush=True)
    for column in COLUMNS:
        if told[column] is not None:
            model, _, width = told[column]
            whose = "by hand: t of cross_val_score" if column == "plain t" else OURS
            design = f"{name}, {n} rows, {share:.0%} positive"
            covered(f"accuracy, {method}", design, n, column, model, width, samples, whose=whose)


def _cells(told: Mapping[str, Any]) -> str:
    cells = (
        "-" if told[column] is None else "{:.2f} / {:.2f}  {:.3f}".format(*told[column]) for column in COLUMNS
    )
    return "  ".join(f"{cell:<20}" for cell in cells)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    main(parser.parse_args().quick)
