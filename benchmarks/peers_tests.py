"""False positives and power at 5 % of the tests that other packages offer, on the designs of our own.

McNemar's tests are worked out over all tables. Tests of folds are run as their users run them: mlxtend is
handed two estimators and the rows, baycomp and scipy the accuracies of the folds.

    python benchmarks/peers_tests.py            about six minutes on one core
    python benchmarks/peers_tests.py --quick    the same with fewer samples
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

import coverage_differences
import false_positives
import permutation
from false_positives import Design, Draw

Floats = NDArray[np.float64]
PValues = Mapping[str, float | None]
ROUNDS = 199


# --- McNemar's, worked out -------------------------------------------------------------------


@cache
def of_table(name: str, n01: int, n10: int) -> float:
    """The p-value of a table that has five rows right by both."""
    from mlxtend.evaluate import mcnemar as of_mlxtend
    from statsmodels.stats.contingency_tables import mcnemar as of_statsmodels

    table = np.array([[5, n01], [n10, 5]])
    package, method = name.split(" mcnemar, ")
    exact, corrected = method == "exact", method == "corrected"
    with np.errstate(all="ignore"), warnings.catch_warnings():
        # Where models never disagree both divide by 0; corrected, that makes a p-value of 0.
        warnings.simplefilter("ignore")
        if package == "mlxtend":
            return float(of_mlxtend(table, exact=exact, corrected=corrected)[1])
        return float(of_statsmodels(table, exact=exact, correction=corrected).pvalue)


MCNEMARS = tuple(
    f"{package} mcnemar, {method}"
    for package in ("mlxtend", "statsmodels")
    for method in ("corrected", "uncorrected", "exact")
)


def mcnemars(sizes: tuple[int, ...]) -> None:
    """The same as `coverage_differences` does of ours: the highest rate over all shares of disagreement."""
    from records import rejected

    shares = coverage_differences.DISAGREEMENTS[::4]
    print(f"\n{'n':>5}  {'':36}{'highest':>9}{'mean':>9}")
    for n in sizes:
        totals = np.arange(n + 1)
        for name in MCNEMARS:
            wrong = np.zeros(n + 1)
            for m in totals:
                p = np.array([of_table(name, k, m - k) for k in range(m + 1)])
                wrong[m] = coverage_differences._chances(int(m), 0.5) @ (p <= 0.05)
            rates = [float(coverage_differences._chances(n, share) @ wrong) for share in shares]
            whose, method = name.split(", ")
            title = f"n = {n}, worst share of disagreement, {shares[int(np.argmax(rates))]:.3g}"
            rejected(f"McNemar, {method}", title, max(rates), math.nan, 0, whose=whose)
            print(f"{n:>5}  {name:36}{max(rates):>9.4f}{np.mean(rates):>9.4f}")


# --- several models' answers, and proportions ----------------------------------------------------


def cochran(n: int, better_by: float, samples: int) -> Design:
    """Four models; the last one is better, or none is."""

    def drawing(difference: float) -> Draw:
        def draw(generator: np.random.Generator) -> PValues:
            from mlxtend.evaluate import cochrans_q as of_mlxtend
            from statsmodels.stats.contingency_tables import cochrans_q as of_statsmodels

            ease = generator.beta(4, 1, (n, 1)) + np.append(np.zeros(3), difference)
            right = (generator.random((n, 4)) < ease).astype(int)
            return {
                "mlxtend cochrans_q: Cochran's Q": float(of_mlxtend(np.ones(n, int), *right.T)[1]),
                "statsmodels cochrans_q: Cochran's Q": float(of_statsmodels(right).pvalue),
            }

        return draw

    return Design(f"n = {n}, {better_by:g}", drawing(0.0), drawing(better_by), samples)


def two_proportions(n: int, better_by: float, samples: int) -> Design:
    """Right in 80 % of n rows each."""
    from mlxtend.evaluate import proportion_difference
    from statsmodels.stats.proportion import proportions_ztest, test_proportions_2indep

    @cache
    def tested(a: int, b: int) -> PValues:
        found = {
            f"statsmodels test_proportions_2indep: two proportions, {method}": test_proportions_2indep(
                a, n, b, n, method=method
            ).pvalue
            for method in ("wald", "agresti-caffo", "score")
        }
        found["statsmodels proportions_ztest: two proportions, pooled z"] = proportions_ztest([a, b], [n, n])[
            1
        ]
        # It gives the probability of a lower z, which is one side.
        below = proportion_difference(a / n, b / n, n)[1]
        found["mlxtend proportion_difference: two proportions, z"] = 2 * min(below, 1 - below)
        return {name: None if math.isnan(p) else float(p) for name, p in found.items()}

    def drawing(difference: float) -> Draw:
        def draw(generator: np.random.Generator) -> PValues:
            a, b = (int(generator.binomial(n, 0.8 + d)) for d in (difference / 2, -difference / 2))
            with np.errstate(all="ignore"):
                return tested(a, b)

        return draw

    return Design(f"n = {n} each, {better_by:g}", drawing(0.0), drawing(better_by), samples)


# --- folds -----------------------------------------------------------------------------------


class Centroid(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The class whose mean is nearer, on some of the columns."""

    def __init__(self, first: int = 0) -> None:
        self.first = first

    def fit(self, X: Floats, y: NDArray[np.int64]) -> Centroid:
        self.classes_ = np.array([0, 1])
        low, high = (self._some(X)[y == side].mean(axis=0) for side in (0, 1))
        self.towards_, self.middle_ = high - low, (high - low) @ (high + low) / 2
        return self

    def predict(self, X: Floats) -> NDArray[np.int64]:
        return (self._some(X) @ self.towards_ > self.middle_).astype(np.int64)

    def _some(self, X: Floats) -> Floats:
        return X[:, self.first : self.first + false_positives.FEATURES]


def folds(n: int, better_by: float, samples: int) -> Design:
    """The design of `false_positives.folds`: either half of the features tells as much, or less."""
    half = false_positives.FEATURES

    def drawing(difference: float) -> Draw:
        apart = np.repeat([0.4 + difference, 0.4], half)

        def draw(generator: np.random.Generator) -> PValues:
            y = (generator.permutation(n) < n // 2).astype(np.int64)
            x = generator.normal(size=(n, 2 * half)) + y[:, None] * apart
            return of_mlxtend(x, y, int(generator.integers(1 << 30))) | of_values(x, y, generator)

        return draw

    return Design(f"centroid, n = {n}, {better_by:g} sd", drawing(0.0), drawing(better_by), samples)


def of_mlxtend(x: Floats, y: NDArray[np.int64], seed: int) -> dict[str, float | None]:
    from mlxtend.evaluate import (
        combined_ftest_5x2cv,
        paired_ttest_5x2cv,
        paired_ttest_kfold_cv,
        paired_ttest_resampled,
    )

    given: Any = (Centroid(0), Centroid(false_positives.FEATURES), x, y)
    found = {
        "mlxtend paired_ttest_kfold_cv: plain t, 10 folds": paired_ttest_kfold_cv(
            *given, cv=10, shuffle=True, random_seed=seed
        ),
        "mlxtend paired_ttest_resampled: plain t, 30 holdouts": paired_ttest_resampled(
            *given, random_seed=seed
        ),
        "mlxtend paired_ttest_5x2cv: 5 x 2 t": paired_ttest_5x2cv(*given, random_seed=seed),
        "mlxtend combined_ftest_5x2cv: 5 x 2 F": combined_ftest_5x2cv(*given, random_seed=seed),
    }
    return {name: float(p) for name, (_, p) in found.items()}


def of_values(x: Floats, y: NDArray[np.int64], generator: np.random.Generator) -> dict[str, float | None]:
    """Tests of people who have the accuracies of the folds."""
    import baycomp
    from mlxtend.evaluate import permutation_test
    from scipy.stats import ttest_rel, wilcoxon

    learner, right = false_positives.LEARNERS["centroid"], y.astype(bool)
    ten, hundred = (
        false_positives.fold_scores(
            learner, x, right, false_positives.cross_validation(len(y), 10, runs, generator)
        )
        for runs in (1, 10)
    )
    seed = int(generator.integers(1 << 30))
    with np.errstate(all="ignore"):
        return {
            "scipy ttest_rel: plain t, 10 x 10 folds": float(ttest_rel(*hundred).pvalue),
            "scipy wilcoxon: ranks of folds, 10 x 10 folds": float(wilcoxon(*hundred).pvalue),
            "mlxtend permutation_test: swapped folds, 10 folds": permutation_test(
                *ten, method="approximate", num_rounds=ROUNDS, paired=True, seed=seed
            ),
            "baycomp two_on_single: Bayes, 10 x 10: P(better) > 0.95": 1
            - baycomp.two_on_single(hundred[1], hundred[0], runs=10)[1],
        }


# --- data sets, and permuted classes ---------------------------------------------------------


def data_sets(number: int, better_by: float, samples: int) -> Design:
    """The designs of `false_positives.two_models` and `many_models`."""

    def drawing(difference: float) -> Draw:
        def draw(generator: np.random.Generator) -> PValues:
            from scipy.stats import binomtest, friedmanchisquare, ttest_rel, wilcoxon

            b = generator.uniform(0.6, 0.9, number)
            a = b + 0.02 * (generator.standard_t(3, number) + difference)
            noise = generator.standard_t(3, (number, 5)) + np.array([0, 0, 0, difference, difference])
            five = generator.uniform(0.6, 0.9, (number, 1)) + 0.02 * noise
            return {
                "scipy wilcoxon: Wilcoxon": float(wilcoxon(a, b).pvalue),
                "scipy binomtest: sign": float(binomtest(int((a > b).sum()), number).pvalue),
                "scipy ttest_rel: paired t over data sets": float(ttest_rel(a, b).pvalue),
                "scipy friedmanchisquare: Friedman, chi2": float(friedmanchisquare(*five.T).pvalue),
            }

        return draw

    return Design(f"N = {number}, {better_by:g}", drawing(0.0), drawing(better_by), samples)


def permuted(rows: int, samples: int) -> Design:
    """scikit-learn's `permutation_test_score` of five folds, 19 permutations."""
    from sklearn.model_selection import permutation_test_score
    from sklearn.neighbors import KNeighborsClassifier

    given = permutation.Design("1-NN", rows, 0.5, "5 folds, all rows", samples)
    name = "scikit-learn permutation_test_score: permutation test, 5 folds, all rows"

    def drawing(apart: float) -> Draw:
        def draw(generator: np.random.Generator) -> PValues:
            X, y = permutation.drawn(given, apart, generator)
            seed = int(generator.integers(1 << 30))
            found = permutation_test_score(
                KNeighborsClassifier(1),
                X,
                y,
                cv=5,
                n_permutations=permutation.PERMUTATIONS,
                random_state=seed,
            )
            return {name: float(found[2])}

        return draw

    return Design(f"1-NN, {rows} rows, 50% positive, accuracy", drawing(0.0), drawing(1.0), samples)


def designs(quick: bool) -> Iterator[Design]:
    from records import times

    many, some, few = (100, 40, 20) if quick else (times(2_000), times(1_000), times(300))
    for size in ((30, 0.2), (100, 0.12)):
        yield cochran(*size, some)
        yield two_proportions(*size, many)
    yield folds(100, 0.3, some)
    for size in ((6, 2.0), (10, 1.2), (30, 0.7)):
        yield data_sets(*size, some)
    yield permuted(30, few)
    yield permuted(60, few)


def main(quick: bool = False) -> None:
    from records import rejected

    mcnemars((20,) if quick else (20, 50, 100))
    print(f"\n{'':90}{'false positives':>17}{'power':>9}{'samples':>9}")
    for design in designs(quick):
        for each in false_positives.study(design):
            whose, test = each.test.split(": ", 1)
            rejected(test, each.size, each.false, each.power, each.samples, whose=whose)
            print(
                f"{each.test:62}{each.size:28}{each.false:>17.3f}{each.power:>9.3f}{each.samples:>9}",
                flush=True,
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="False positives and power of other packages' tests.")
    parser.add_argument("--quick", action="store_true", help="fewer samples")
    main(parser.parse_args().quick)
