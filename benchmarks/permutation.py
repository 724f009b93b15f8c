"""How often a permutation test finds a relation where there is none, and how often it finds one, at 5 %.

Data are drawn many times, once with classes that have nothing to do with the features and once with the first
of three features further apart by one deviation; the share of samples with a p-value of at most 0.05 is the
false-positive rate and the power. Beside each stands its Monte Carlo standard error. A rate that is more than
three of them above 0.05 is marked with "!". A test of 19 permutations is exact at 5 %, and cheap.

This is why one holdout is the default: permuting training rows is exact there and nowhere else. Permuting
all rows is exact for any folds, and finds more.

A second table is of tests of up to 1,000 permutations that stop when the verdict at 5 % is clear: how often
they find a relation, how many permutations they look at, and which share of the fits is saved.

    python benchmarks/permutation.py                    about forty minutes on one core
    python benchmarks/permutation.py --quick            fewer learners, sizes and samples: four minutes
    python benchmarks/permutation.py --early-stop       only the second table: twenty minutes; --quick, three
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from tallymark.metrics import ask
from tallymark.resampling.splitter import folds_of
from tallymark.validation.data.data_set import data_set
from tallymark.validation.fits.scoring import Scorer
from tallymark.validation.learners.majority import Majority
from tallymark.validation.permutation.exchange import exchange_of
from tallymark.validation.permutation.means import ahead, mean_of, p_value
from tallymark.validation.permutation.plan import Permute, Plan

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ALPHA = 0.05
PERMUTATIONS = 19
MANY = 1000
"""Permutations at most, of tests that stop early."""
RIDGE = 1.0
STEPS = 6
METRICS = ("accuracy", "balanced_accuracy", "auc")
WAYS: dict[str, tuple[str, Permute]] = {
    "one holdout, training rows": ("holdout:1/3", "training"),
    "5 folds, training rows": ("kfold:5", "training"),
    "10 holdouts, training rows": ("repeated:10:1/3", "training"),
    "one holdout, all rows": ("holdout:1/3", "all"),
    "5 folds, all rows": ("kfold:5", "all"),
    "10 holdouts, all rows": ("repeated:10:1/3", "all"),
}


class Nearest:
    """The class of the nearest row: nothing follows the training rows more closely."""

    def fit(self, X: Floats, y: Ints) -> Nearest:
        self.X, self.y = X, y
        return self

    def predict(self, X: Floats) -> Ints:
        apart = ((X[:, None] - self.X[None]) ** 2).sum(axis=2)
        return self.y[apart.argmin(axis=1)]


class Logistic:
    """Logistic regression with a ridge, by a few of Newton's steps."""

    def fit(self, X: Floats, y: Ints) -> Logistic:
        rows = np.column_stack((np.ones(len(X)), X))
        ridge = RIDGE * np.diag([1e-6, *np.ones(X.shape[1])])
        self.classes_ = np.array([0, 1])
        self.weights = np.zeros(rows.shape[1])
        for _ in range(STEPS):
            p = 1 / (1 + np.exp(-rows @ self.weights))
            slope = rows.T @ (p - y) + ridge @ self.weights
            self.weights -= np.linalg.solve((rows * (p * (1 - p))[:, None]).T @ rows + ridge, slope)
        return self

    def predict_proba(self, X: Floats) -> Floats:
        p = 1 / (1 + np.exp(-np.column_stack((np.ones(len(X)), X)) @ self.weights))
        return np.column_stack((1 - p, p))

    def predict(self, X: Floats) -> Ints:
        return (self.predict_proba(X)[:, 1] > 0.5).astype(np.int64)


LEARNERS: dict[str, Any] = {
    "majority": Majority(),
    "1-NN": Nearest(),
    "tree": DecisionTreeClassifier(random_state=0),
    "logistic": Logistic(),
}
WITHOUT_RANKING = ("majority", "1-NN", "tree")
"""Learners whose scores are their answers, so that the area says no more than balanced accuracy."""


class Design(NamedTuple):
    learner: str
    rows: int
    positive: float
    """The share of the rarer class."""
    way: str
    samples: int


class Rates(NamedTuple):
    """Shares of the samples in which a relation was found; NaN where there was none to find."""

    design: Design
    metric: str
    false: float
    power: float

    @property
    def too_many(self) -> bool:
        """Whether there are more false positives than chance explains."""
        return self.false > ALPHA + 3 * error(ALPHA, self.design.samples)


def error(rate: float, samples: int) -> float:
    """The Monte Carlo standard error of a rate."""
    return math.sqrt(rate * (1 - rate) / samples)


def drawn(design: Design, apart: float, generator: np.random.Generator) -> tuple[Floats, Ints]:
    """Three features, and classes that move the first of them."""
    y = (np.arange(design.rows) < round(design.positive * design.rows)).astype(np.int64)
    X = generator.normal(size=(design.rows, 3))
    X[:, 0] += apart * y
    order = generator.permutation(design.rows)
    return X[order], y[order]


def p_values(design: Design, X: Floats, y: Ints, seed: int) -> dict[str, float | None]:
    """Of every metric, from the same fits; None where the real classes have no result."""
    cv, permute = WAYS[design.way]
    data = data_set(X, y)
    folds = folds_of(cv, y, y, random_state=seed)
    metrics = METRICS[:2] if design.learner in WITHOUT_RANKING else METRICS
    scorers = {name: Scorer(data, ask(name)) for name in metrics}
    plan = Plan(
        LEARNERS[design.learner], data, cv, folds, permute, exchange_of(data), scorers["accuracy"], seed
    )
    real, permuted = list(plan.real(None)), list(plan.permuted(PERMUTATIONS, None))
    found: dict[str, float | None] = {}
    for name, scorer in scorers.items():
        value = mean_of(iter(real), scorer, folds).value
        fits = iter(permuted)
        means = []
        for number in range(1, PERMUTATIONS + 1):
            judge, cuts = plan.scored(number)
            means.append(mean_of(fits, Scorer(judge.data, scorer.asked), cuts).value)
        others = np.array([math.nan if mean is None else mean for mean in means])
        found[name] = None if value is None else p_value(ahead(value, others, higher=True))
    return found


def rejected(design: Design, apart: float, samples: int) -> dict[str, float]:
    """How often each metric's test finds a relation."""
    generator = np.random.default_rng([int(apart * 10), design.rows])
    found: dict[str, int] = {}
    for sample in range(samples):
        for name, p in p_values(design, *drawn(design, apart, generator), sample).items():
            found[name] = found.get(name, 0) + (p is not None and p <= ALPHA + 1e-12)
    return {name: times / samples for name, times in found.items()}


def study(design: Design) -> list[Rates]:
    """Every metric's rates; a power is measured with half of the samples."""
    false = rejected(design, 0.0, design.samples)
    power = rejected(design, 1.0, design.samples // 2)
    return [Rates(design, name, rate, power[name]) for name, rate in false.items()]


def designs(quick: bool) -> Iterator[Design]:
    sizes = ((30, 0.5),) if quick else ((30, 0.5), (60, 0.5), (60, 0.1))
    from records import times

    samples = 60 if quick else times(300)
    for learner in ("1-NN", "logistic") if quick else LEARNERS:
        for rows, positive in sizes:
            for way, (cv, _) in WAYS.items():
                # Ten holdouts take twice the fits of five folds.
                fewer = 2 if cv.startswith("repeated") else 1
                most = learner == "majority"
                if not most or way in ("one holdout, training rows", "5 folds, training rows"):
                    yield Design(learner, rows, positive, way, samples // (fewer * (1 + most)))


class Early(NamedTuple):
    """What tests that stop when the verdict is clear find, and what they cost."""

    found: float
    permutations: float
    """Looked at, on average."""
    all_drawn: float
    """The share of tests that did not stop."""


def early(design: Design, metric: str, apart: float) -> Early:
    cv, permute = WAYS[design.way]
    generator = np.random.default_rng([int(apart * 10), design.rows])
    tests = [
        tm.permutation_test(
            LEARNERS[design.learner],
            *drawn(design, apart, generator),
            cv=cv,
            permute=permute,
            metric=metric,
            n_permutations=MANY,
            early_stop=True,
            random_state=seed,
        )
        for seed in range(design.samples)
    ]
    found = float(np.mean([test.p_value <= ALPHA + 1e-12 for test in tests]))
    looked_at = float(np.mean([test.n_permutations for test in tests]))
    return Early(found, looked_at, float(np.mean([test.stopped is None for test in tests])))


def early_table(quick: bool = False) -> None:
    heads = f"{'found':>17}{'looked at':>11}{'all drawn':>11}{'fits saved':>12}{'samples':>9}"
    print(f"{'':10}{'rows':>6}  {'':28}{'':10}{'relation':>9}{heads}")
    for learner, metric in (("1-NN", "accuracy"), ("logistic", "auc")):
        for way in ("one holdout, training rows", "5 folds, all rows"):
            for apart in (0.0, 1.0, 2.0):
                samples = (60 if quick else 240) // (1 if apart == 0 else 2) // (2 if "folds" in way else 1)
                design = Design(learner, 60, 0.5, way, samples)
                each = early(design, metric, apart)
                rate = f"{each.found:.3f} +- {error(each.found, samples):.3f}"
                saved = 1 - each.permutations / MANY
                name = f"{learner:10}{design.rows:>6}  {way:28}{metric:10}{apart or 'none':>9}"
                cost = f"{each.permutations:>11.0f}{each.all_drawn:>11.3f}{saved:>12.0%}"
                print(f"{name}{rate:>17}{cost}{samples:>9}", flush=True)


def main(quick: bool = False) -> None:
    from records import rejected as keep

    heads = f"{'false positives':>17}{'power':>17}{'samples':>9}"
    print(f"{'':10}{'rows':>6}{'rarer':>7}  {'':28}{'':18}{heads}")
    for design in designs(quick):
        for each in study(design):
            print(_line(each), flush=True)
            title = f"{design.learner}, {design.rows} rows, {design.positive:.0%} positive, {each.metric}"
            keep(f"permutation test, {design.way}", title, each.false, each.power, design.samples)


def _line(rates: Rates) -> str:
    design = rates.design
    name = f"{design.learner:10}{design.rows:>6}{design.positive:>7.0%}  {design.way:28}{rates.metric:18}"
    mark = "!" if rates.too_many else " "
    false, power = (
        f"{rate:.3f} +- {error(rate, samples):.3f}"
        for rate, samples in ((rates.false, design.samples), (rates.power, design.samples // 2))
    )
    return f"{name}{false:>16}{mark}{power:>17}{design.samples:>9}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer sizes and samples")
    parser.add_argument("--early-stop", action="store_true", help="only tests that stop early")
    given = parser.parse_args()
    if not given.early_stop:
        main(given.quick)
    early_table(given.quick)
