"""What tuning promises, what it keeps, and coverage of the 95 % intervals of what is kept.

Data are drawn many times and tuned each time. "Promised" is what winners scored where they were chosen,
"kept" what they scored on rows that took no part, and "true" what the model that was handed over scores on
20,000 fresh rows (of guesses: 0.5). All are means over the samples, with the Monte Carlo standard error of
what is kept. Coverage is the share of intervals that hold the accuracy of the very model handed over, and of
those that hold the mean of all models handed over. Samples in which all outer folds score alike have no
interval; they count as not covered, and the last column has their share.

Nested folds judge models that learned fewer rows than the one handed over, so what they keep is a little too
low where more rows help: they are careful, not optimistic.

Last comes early stopping: the share of fits that it saves, and whether what is chosen and kept is the same.

    python benchmarks/coverage_tuning.py            about twenty minutes on one core
    python benchmarks/coverage_tuning.py --quick    fewer designs and samples: a minute
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from tallymark.data import path

Floats = NDArray[np.float64]
Rows = tuple[Floats, NDArray[np.int64]]

FRESH = 20_000
WAYS: dict[str, dict[str, Any]] = {
    "nested 5 x 3": {"cv": 5, "inner_cv": 3},
    "nested 10 x 3": {"cv": 10, "inner_cv": 3},
    "three-way": {"method": "three-way"},
}


class Plane(ClassifierMixin, BaseEstimator):
    """Which side of a plane a row is on; the plane is told, so there is nothing to learn."""

    def __init__(self, plane: int = 0) -> None:
        self.plane = plane

    def fit(self, X: Floats, y: NDArray[np.int64]) -> Plane:
        self.classes_ = np.unique(y)
        self.normal_ = np.random.default_rng(self.plane).normal(size=X.shape[1])
        return self

    def predict(self, X: Floats) -> NDArray[np.int64]:
        return np.asarray((X @ self.normal_ > 0).astype(np.int64))


@dataclass(frozen=True)
class Design:
    """Where rows come from, and what is tried on them."""

    title: str
    draw: Callable[[np.random.Generator, int], Rows]
    n: int
    model: Any
    grid: Mapping[str, Any]


@dataclass(frozen=True)
class Study:
    """Many samples of one design, tuned in one way."""

    promised: Floats
    kept: Floats
    true: Floats
    low: Floats
    high: Floats

    def covered(self, truth: Floats | float) -> float:
        return float(np.mean((self.low <= truth) & (truth <= self.high)))


def noise(rng: np.random.Generator, n: int) -> Rows:
    """Classes that have nothing to do with the features."""
    return rng.normal(size=(n, 10)), rng.permutation(np.arange(n) % 2)


def signal(rng: np.random.Generator, n: int) -> Rows:
    """Two of six features matter, one of them not in a straight line; the best there is has about 0.83."""
    features = rng.normal(size=(n, 6))
    logit = 2 * features[:, 0] + 1.5 * (features[:, 1] ** 2 - 1)
    return features, (rng.uniform(size=n) < 1 / (1 + np.exp(-logit))).astype(np.int64)


def designs(quick: bool) -> Iterator[Design]:
    tree, neighbours = DecisionTreeClassifier(random_state=0), KNeighborsClassifier()
    depths, sizes = {"max_depth": [1, 2, 3, 4, 6, 8]}, {"n_neighbors": [1, 3, 7, 15, 25]}
    for n in (60,) if quick else (60, 200):
        yield Design("50 guesses", noise, n, Plane(), {"plane": list(range(50))})
    for n in (150,) if quick else (75, 150, 600):
        yield Design("tree, 6 depths", signal, n, tree, depths)
        if not quick:
            yield Design("knn, 5 sizes", signal, n, neighbours, sizes)


def study(design: Design, way: Mapping[str, Any], samples: int) -> Study:
    """Tune every sample, and ask the model handed over about fresh rows."""
    fresh = design.draw(np.random.default_rng(10**6), FRESH)
    found = [_sample(design, way, fresh, seed) for seed in range(samples)]
    return Study(*np.array(found, float).T)


def _sample(design: Design, way: Mapping[str, Any], fresh: Rows, seed: int) -> tuple[float, ...]:
    features, classes = design.draw(np.random.default_rng(seed), design.n)
    found = tm.tune(design.model, features, classes, design.grid, random_state=seed, **way)
    right = np.mean(found.best_model.predict(fresh[0]) == fresh[1])
    true = 0.5 if design.draw is noise else float(right)
    ends = (np.nan if end is None else end for end in (found.outer.low, found.outer.high))
    return float(found.inner), float(found.outer), true, *ends


SEARCHES: dict[str, dict[str, Any]] = {
    "knn, usual grid": {"model": "knn"},
    "tree, usual grid": {"model": "tree"},
    "tree, 59 drawn": {
        "model": "tree",
        "param_distributions": {
            "max_depth": stats.randint(1, 20),
            "max_features": stats.uniform(0.05, 0.95),
            "min_samples_leaf": stats.randint(1, 60),
        },
        "n_iter": 59,
    },
    "knn, 40 drawn, AUC": {
        "model": "knn",
        "param_distributions": {"n_neighbors": stats.randint(1, 200), "weights": ["uniform", "distance"]},
        "n_iter": 40,
        "metric": "auc",
    },
    "logistic, 30 drawn": {
        "model": "logistic",
        "param_distributions": {"C": stats.loguniform(1e-5, 1e4)},
        "n_iter": 30,
    },
}


def early_stopping(quick: bool) -> None:
    """Searches of the shipped tumours, nested 5 x 5, whole and with early stopping."""
    given: dict[str, Any] = {"target": "diagnosis", "id": "id", "pos_label": "malignant"}
    print(f"\n{'early stopping':24}{'candidates':>12}{'fits':>8}{'saved':>8}{'the same':>10}")
    for name in list(SEARCHES)[: 2 if quick else None]:
        asked = {"X": path("tumours.csv"), **given, **SEARCHES[name]}
        whole, early = tm.tune(**asked), tm.tune(early_stop=True, **asked)
        same = all(
            getattr(whole, part) == getattr(early, part)
            for part in ("best_params", "best_score", "inner_values", "outer_values")
        )
        saved = early.stopped.saved / early.stopped.of if early.stopped else 0.0
        cells = f"{len(whole.candidates):>12}{whole.n_fits:>8,}{saved:>8.1%}{'yes' if same else 'NO':>10}"
        print(f"{name:24}{cells}")


def main(quick: bool = False) -> None:
    from records import covered, times

    samples = 40 if quick else times(200)
    heads = ("promised", "kept", "true", "holds model's", "holds mean", "width", "none")
    print(f"\n{'':16}{'rows':>6}  {'':16}", *(f"{head:>15}" for head in heads), sep="")
    for design in designs(quick):
        for name, way in WAYS.items():
            if quick and name == "nested 10 x 3":
                continue
            found = study(design, way, samples)
            width = float(np.nanmean(found.high - found.low))
            held = found.covered(found.true)
            covered(
                f"accuracy kept, {name}",
                f"{design.title}, {design.n} rows",
                design.n,
                "corrected t",
                held,
                width,
                samples,
            )
            error = found.kept.std(ddof=1) / np.sqrt(samples)
            cells = (
                f"{found.promised.mean():.3f}",
                f"{found.kept.mean():.3f} +- {error:.3f}",
                f"{found.true.mean():.3f}",
                f"{held:.3f}",
                f"{found.covered(float(found.true.mean())):.3f}",
                f"{width:.3f}",
                f"{np.isnan(found.low).mean():.3f}",
            )
            print(f"{design.title:16}{design.n:>6}  {name:16}", *(f"{cell:>15}" for cell in cells), sep="")
    early_stopping(quick)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer designs and samples")
    main(parser.parse_args().quick)
