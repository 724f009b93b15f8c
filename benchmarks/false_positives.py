"""How often every test calls two equal models different, and how often it finds a difference, at 5 %.

Data are drawn many times, once from models that are equal and once from models that differ by so much; the
share of samples with a p-value of at most 0.05 is the false-positive rate and the power. Beside each stands
its Monte Carlo standard error. A rate that is more than three of them above 0.05 is marked with "!".

Of several models a family of pairs goes wrong when any pair of equal models is told apart. "Some differ" are
families in which other models do differ: then only pairs of equal ones can be false positives.

    python benchmarks/false_positives.py            about five minutes on one core
    python benchmarks/false_positives.py --quick    fewer sizes and samples: half a minute
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import tallymark as tm
from tallymark.comparison.inversion import inverted
from tallymark.inference.paired import PairedSample
from tallymark.inference.paired_ranking import PairedRanking
from tallymark.inference.swaps import swapped
from tallymark.intake.pairing import count_paired
from tallymark.intervals.differences import DIFFERENCE_METHODS
from tallymark.metrics import ask
from tallymark.tests.mcnemar import MCNEMAR_METHODS

Floats = NDArray[np.float64]
PValues = Mapping[str, float | None]
Draw = Callable[[np.random.Generator], PValues]
"""One sample, and the p-value of every test in it; None where a test has no answer."""

ALPHA = 0.05
SWAPS = 199
POSTERIOR_DRAWS = 1_000


@dataclass(frozen=True)
class Design:
    """How samples of a size come about when models are equal, and when they are not."""

    size: str
    equal: Draw
    differing: Draw
    samples: int


class Rates(NamedTuple):
    """Shares of the samples in which models were told apart."""

    test: str
    size: str
    false: float
    power: float
    samples: int

    @property
    def too_many(self) -> bool:
        """Whether there are more false positives than chance explains."""
        return self.false > ALPHA + 3 * error(ALPHA, self.samples)


def error(rate: float, samples: int) -> float:
    """The Monte Carlo standard error of a rate."""
    return math.sqrt(rate * (1 - rate) / samples)


def rejected(draw: Draw, samples: int, seed: int) -> dict[str, float]:
    """How often each test says that there is a difference."""
    generator = np.random.default_rng(seed)
    found: dict[str, int] = {}
    for _ in range(samples):
        for test, p in draw(generator).items():
            found[test] = found.get(test, 0) + (p is not None and p <= ALPHA)
    return {test: times / samples for test, times in found.items()}


def study(design: Design) -> list[Rates]:
    """The rates of every test; without power for those that are about false positives alone."""
    false = rejected(design.equal, design.samples, 0)
    power = rejected(design.differing, design.samples, 1)
    return [
        Rates(test, design.size, rate, power.get(test, math.nan), design.samples)
        for test, rate in false.items()
    ]


# --- answers to the same rows ----------------------------------------------------------------


@cache
def _mcnemar(n01: int, n10: int, method: Any) -> float:
    found = tm.tests.mcnemar(n01, n10, method).p_value
    assert found is not None
    return found


def answers(n: int, better_by: float, samples: int) -> Design:
    """Models disagree in 30 % of the rows; McNemar's tests."""

    def drawing(difference: float) -> Draw:
        shares = [0.15 + difference / 2, 0.15 - difference / 2, 0.7]

        def draw(generator: np.random.Generator) -> PValues:
            n01, n10, _ = generator.multinomial(n, shares).tolist()
            return {f"McNemar, {method}": _mcnemar(n01, n10, method) for method in MCNEMAR_METHODS}

        return draw

    return Design(f"n = {n}, {better_by:g}", drawing(0.0), drawing(better_by), samples)


def _answers(actual: NDArray[np.int64], right: Any, generator: np.random.Generator) -> NDArray[np.int64]:
    return np.where(generator.random(len(actual)) < right, actual, 1 - actual)


def _swap(sample: PairedSample, seed: int, names: Iterable[str], note: str) -> dict[str, float | None]:
    names = tuple(names)
    found = swapped(sample, [(ask(name), 1) for name in names], draws=SWAPS, seed=seed)
    p_values = [each.p_value.get("two-sided") for each in found]
    return {f"permutation, {name}{note}": p for name, p in zip(names, p_values, strict=True)}


def _draw(sample: PairedSample, names: Iterable[str]) -> dict[str, float | None]:
    """The test that `compare` takes for numbers that are no shares of the same rows."""
    found = {name: inverted(sample.of(ask(name), 1), "two-sided", "") for name in names}
    return {f"paired draws, {name}": each.p_value for name, each in found.items()}


def _sample(actual: Any, a: Any, b: Any, group: Any = None) -> PairedSample:
    groups = None if group is None else (tuple(range(int(group.max()) + 1)), group)
    paired, grouped = count_paired((0, 1), ("a", "b"), actual, [a, b], group=groups)
    return PairedSample(paired, 0.95, 0, None, None, grouped)


def swaps(n: int, better_by: float, samples: int) -> Design:
    """Right in 80 % of the rows, 40 % of which are positive; answers are swapped."""

    def drawing(difference: float) -> Draw:
        def draw(generator: np.random.Generator) -> PValues:
            actual = (generator.random(n) < 0.4).astype(np.int64)
            a, b = (_answers(actual, 0.8 + d, generator) for d in (difference / 2, -difference / 2))
            sample, seed = _sample(actual, a, b), int(generator.integers(1 << 30))
            return _swap(sample, seed, ("accuracy", "f1"), "") | _draw(sample, ("f1",))

        return draw

    return Design(f"n = {n}, {better_by:g}", drawing(0.0), drawing(better_by), samples)


def operating_points(n: int, better_by: float, samples: int) -> Design:
    """One model calls 40 % of the rows positive, the other 5 %, both with a precision of 0.6."""

    def drawing(difference: float) -> Draw:
        def draw(generator: np.random.Generator) -> PValues:
            actual = (generator.random(n) < 0.3).astype(np.int64)
            a, b = (
                generator.random(n) < share * np.where(actual, precision / 0.3, (1 - precision) / 0.7)
                for share, precision in ((0.4, 0.6 + difference), (0.05, 0.6))
            )
            sample = _sample(actual, a.astype(np.int64), b.astype(np.int64))
            seed = int(generator.integers(1 << 30))
            return _swap(sample, seed, ("precision",), "") | _draw(sample, ("precision",))

        return draw

    return Design(f"n = {n}, {better_by:g}", drawing(0.0), drawing(better_by), samples)


def grouped_swaps(groups: int, better_by: float, samples: int) -> Design:
    """Ten rows a group, which a model gets mostly right or mostly wrong: swapped by group, and by row."""
    rows = 10

    def drawing(difference: float) -> Draw:
        def draw(generator: np.random.Generator) -> PValues:
            group = np.repeat(np.arange(groups), rows)
            actual = (generator.random(groups * rows) < 0.4).astype(np.int64)
            a, b = (
                _answers(actual, (generator.beta(1.5, 0.5, groups) + d)[group], generator)
                for d in (difference, 0.0)
            )
            seed = int(generator.integers(1 << 30))
            whole = _swap(_sample(actual, a, b, group), seed, ("accuracy", "f1"), ", groups swapped")
            return whole | _swap(_sample(actual, a, b), seed, ("accuracy", "f1"), ", groups ignored")

        return draw

    return Design(f"{groups} groups of {rows}, {better_by:g}", drawing(0.0), drawing(better_by), samples)


def several(n: int, better_by: float, samples: int, models: int = 4) -> Design:
    """Rows are hard or easy for all models; the last one is better, or none is."""
    pairs = list(combinations(range(models), 2))
    nulls = [at for at, pair in enumerate(pairs) if models - 1 not in pair]
    others = [at for at, pair in enumerate(pairs) if models - 1 in pair]

    def right(generator: np.random.Generator, difference: float) -> NDArray[np.bool_]:
        ease = generator.beta(4, 1, (n, 1)) + np.append(np.zeros(models - 1), difference)
        return np.asarray(generator.random((n, models)) < ease)

    def raw(correct: NDArray[np.bool_]) -> list[float]:
        only = (correct.T.astype(int) @ ~correct).tolist()
        return [_mcnemar(only[i][j], only[j][i], "exact") for i, j in pairs]

    def family(p_values: list[float], chosen: list[int]) -> dict[str, float | None]:
        adjusted = tm.tests.adjust(p_values, method="holm")
        return {
            "exact McNemar of pairs, Holm": float(min(adjusted[at] for at in chosen)),
            "exact McNemar of pairs, not adjusted": min(p_values[at] for at in chosen),
        }

    def equal(generator: np.random.Generator) -> PValues:
        correct = right(generator, 0.0)
        found = {"Cochran's Q": tm.tests.cochran_q(correct).p_value} | family(raw(correct), nulls + others)
        return found | some_differ(family(raw(right(generator, better_by)), nulls))

    def differing(generator: np.random.Generator) -> PValues:
        correct = right(generator, better_by)
        return {"Cochran's Q": tm.tests.cochran_q(correct).p_value} | family(raw(correct), others)

    return Design(f"n = {n}, {better_by:g}", equal, differing, samples)


def some_differ(p_values: PValues) -> dict[str, float | None]:
    return {f"{test}, some differ": p for test, p in p_values.items() if "not adjusted" not in test}


# --- scores ----------------------------------------------------------------------------------


def areas(n: int, better_by: float, samples: int) -> Design:
    """Normal scores, areas of about 0.8, correlated by 0.5 on the same rows."""

    def drawing(difference: float) -> Draw:
        # An area of 0.8 is 1.19 standard deviations between the classes.
        apart = (1.19 + difference, 1.19)

        def draw(generator: np.random.Generator) -> PValues:
            y = np.arange(n) < 0.4 * n
            common, free = generator.normal(size=n), generator.normal(size=(3, n))
            a = apart[0] * y + math.sqrt(0.5) * (common + free[0])
            b = apart[1] * y + math.sqrt(0.5) * (common + free[1])
            elsewhere = apart[1] * y + free[2]
            return {
                "DeLong, paired": tm.tests.delong(y, a, b).p_value,
                "DeLong, other rows": tm.tests.delong_unpaired(y, a, y, elsewhere).p_value,
            }

        return draw

    return Design(f"n = {n}, {better_by:g} sd", drawing(0.0), drawing(better_by), samples)


def losses(n: int, noise: float, samples: int) -> Design:
    """Probabilities off by noise of one size, or of two; their Brier scores and log losses row by row."""

    def drawing(more: float) -> Draw:
        def draw(generator: np.random.Generator) -> PValues:
            logit = generator.normal(0, 1.5, n)
            y = generator.random(n) < 1 / (1 + np.exp(-logit))
            a, b = (1 / (1 + np.exp(-logit - generator.normal(0, sd, n))) for sd in (0.5, 0.5 + more))
            made, names = PairedRanking(a, b, y), ("brier", "log_loss")
            return {f"paired t over rows, {name}": made.tested(ask(name)).p_value for name in names}

        return draw

    return Design(f"n = {n}, noise {noise:+g}", drawing(0.0), drawing(noise), samples)


# --- other rows ------------------------------------------------------------------------------


@cache
def _difference(a: int, b: int, n: int, method: Any) -> float | None:
    return tm.difference((a, n), (b, n), method=method).p_value


def other_rows(n: int, better_by: float, samples: int) -> Design:
    """Right in 80 % of n rows each."""

    def drawing(difference: float) -> Draw:
        def draw(generator: np.random.Generator) -> PValues:
            a, b = (int(generator.binomial(n, 0.8 + d)) for d in (difference / 2, -difference / 2))
            found = {method: _difference(a, b, n, method) for method in DIFFERENCE_METHODS}
            return {f"two proportions, {method}": p for method, p in found.items()}

        return draw

    return Design(f"n = {n} each, {better_by:g}", drawing(0.0), drawing(better_by), samples)


# --- folds -----------------------------------------------------------------------------------

FEATURES = 5
"""Of either learner."""
NEIGHBOURS = 40
"""Looked at until one is in training; that none of them is hardly ever happens."""
Learner = Callable[[Floats, NDArray[np.bool_], NDArray[np.bool_]], NDArray[np.bool_]]
"""From features, classes and which fold tests which rows, the answers: a row per fold."""


def nearest_centroid(x: Floats, y: NDArray[np.bool_], testing: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The class whose mean over the training rows is nearer."""
    sides = [~testing * side.astype(float) for side in (~y, y)]
    means = [side @ x / np.maximum(side.sum(axis=1, keepdims=True), 1) for side in sides]
    towards = means[1] - means[0]
    middle = (towards * (means[0] + means[1])).sum(axis=1, keepdims=True) / 2
    return np.asarray(towards @ x.T > middle)


def nearest_neighbour(x: Floats, y: NDArray[np.bool_], testing: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The class of the training row that is nearest."""
    squares = (x**2).sum(axis=1)
    distance = squares[:, None] + squares - 2 * x @ x.T
    np.fill_diagonal(distance, np.inf)
    ranked = np.argsort(distance, axis=1)[:, :NEIGHBOURS]
    # The first of the ranked rows that is in training, for each fold and row.
    first = (~testing)[:, ranked].argmax(axis=2)
    return np.asarray(y[ranked[np.arange(len(y)), first]])


LEARNERS: dict[str, Learner] = {"centroid": nearest_centroid, "1-NN": nearest_neighbour}


def cross_validation(n: int, folds: int, runs: int, generator: np.random.Generator) -> NDArray[np.bool_]:
    """Which rows each fold tests."""
    made = []
    for _ in range(runs):
        fold = generator.permutation(n) % folds
        made.append(fold == np.arange(folds)[:, None])
    return np.concatenate(made)


def holdouts(n: int, runs: int, generator: np.random.Generator) -> NDArray[np.bool_]:
    """A third of the rows tests, anew every time."""
    return np.stack([generator.permutation(n) < n // 3 for _ in range(runs)])


def fold_scores(
    learner: Learner, x: Floats, y: NDArray[np.bool_], testing: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Accuracies by fold of one learner on either half of the features."""
    tested = testing.sum(axis=1)
    halves = x[:, :FEATURES], x[:, FEATURES:]
    a, b = (((learner(half, y, testing) == y) & testing).sum(axis=1) / tested for half in halves)
    return a, b


def fold_tests(
    learner: Learner, x: Floats, y: NDArray[np.bool_], generator: np.random.Generator
) -> dict[str, float | None]:
    n = len(y)
    ten = fold_scores(learner, x, y, cross_validation(n, 10, 1, generator))
    hundred = fold_scores(learner, x, y, cross_validation(n, 10, 10, generator))
    held = fold_scores(learner, x, y, holdouts(n, 30, generator))
    halves = fold_scores(learner, x, y, cross_validation(n, 2, 5, generator))
    size = n // 3
    posterior = tm.tests.bayesian_t(*hundred, runs=10, rope=0.0)
    return {
        "plain t, 10 folds": tm.tests.paired_t(*ten).p_value,
        "corrected t, 10 folds": tm.tests.corrected_t(*ten).p_value,
        "plain t, 10 x 10 folds": tm.tests.paired_t(*hundred).p_value,
        "corrected t, 10 x 10 folds": tm.tests.corrected_t(*hundred, runs=10).p_value,
        "plain t, 30 holdouts": tm.tests.paired_t(*held).p_value,
        "corrected t, 30 holdouts": tm.tests.corrected_t(*held, n_train=n - size, n_test=size).p_value,
        "5 x 2 t": tm.tests.five_by_two(*halves, method="t").p_value,
        "5 x 2 F": tm.tests.five_by_two(*halves, method="f").p_value,
        "Bayes, 10 x 10: P(better) > 0.95": _one_sided(posterior.better),
    }


def _one_sided(probability: float) -> float:
    """A probability above 0.95 as a p-value below 0.05."""
    return 1 - probability


def folds(learner: str, n: int, better_by: float, samples: int) -> Design:
    """Two normal classes; either half of the features tells them apart as well as the other, or less well."""

    def drawing(difference: float) -> Draw:
        # The two halves are drawn alike, so their expected accuracies are equal at any size of training set.
        apart = np.repeat([0.4 + difference, 0.4], FEATURES)

        def draw(generator: np.random.Generator) -> PValues:
            y = generator.permutation(n) < n // 2
            x = generator.normal(size=(n, 2 * FEATURES)) + y[:, None] * apart
            return fold_tests(LEARNERS[learner], x, y, generator)

        return draw

    return Design(f"{learner}, n = {n}, {better_by:g} sd", drawing(0.0), drawing(better_by), samples)


# --- data sets -------------------------------------------------------------------------------


def two_models(data_sets: int, better_by: float, samples: int) -> Design:
    """Differences with heavy tails (Student's with 3 degrees of freedom)."""

    def drawing(difference: float) -> Draw:
        def draw(generator: np.random.Generator) -> PValues:
            b = generator.uniform(0.6, 0.9, data_sets)
            a = b + 0.02 * (generator.standard_t(3, data_sets) + difference)
            seed = int(generator.integers(1 << 30))
            found = tm.tests.bayesian_signed_rank(a, b, rope=0.0, draws=POSTERIOR_DRAWS, random_state=seed)
            return {
                "Wilcoxon": tm.tests.wilcoxon(a, b).p_value,
                "sign": tm.tests.sign(a, b).p_value,
                "paired t over data sets": tm.tests.paired_t(a, b).p_value,
                "Bayes, signed rank: P(better) > 0.95": _one_sided(found.better),
            }

        return draw

    return Design(f"N = {data_sets}, {better_by:g}", drawing(0.0), drawing(better_by), samples)


def many_models(data_sets: int, better_by: float, samples: int, models: int = 5) -> Design:
    """The last two models are better than the others and as good as each other, or all are equal."""
    pairs = list(combinations(range(models), 2))
    same = [at for at, (i, j) in enumerate(pairs) if (i < models - 2) == (j < models - 2)]
    other = [at for at in range(len(pairs)) if at not in same]

    def table(generator: np.random.Generator, difference: float) -> Floats:
        better = np.append(np.zeros(models - 2), [difference, difference])
        noise = generator.standard_t(3, (data_sets, models))
        return np.asarray(generator.uniform(0.6, 0.9, (data_sets, 1)) + 0.02 * (noise + better))

    def omnibus(found: Floats) -> dict[str, float | None]:
        return {
            "Friedman, chi2": tm.tests.friedman(found).p_value,
            "Friedman, Iman-Davenport": tm.tests.friedman(found, method="f").p_value,
        }

    def family(found: Floats, chosen: list[int]) -> dict[str, float | None]:
        raw, nemenyi = tm.tests.post_hoc(found).p_values, tm.tests.nemenyi(found).p_values
        each = {
            "Nemenyi": [float(nemenyi[pair]) for pair in pairs],
            "ranks of pairs, not adjusted": list(raw),
        }
        for name in ("Bonferroni", "Holm", "Hochberg", "Hommel", "Shaffer", "Bergmann-Hommel"):
            method: Any = name.lower().replace("-", "_")
            each[f"ranks of pairs, {name}"] = list(tm.tests.adjust(raw, method=method))
        return {name: min(p[at] for at in chosen) for name, p in each.items()}

    def equal(generator: np.random.Generator) -> PValues:
        found = table(generator, 0.0)
        rates = omnibus(found) | family(found, same + other)
        return rates | some_differ(family(table(generator, better_by), same))

    def differing(generator: np.random.Generator) -> PValues:
        found = table(generator, better_by)
        return omnibus(found) | family(found, other)

    return Design(f"N = {data_sets}, {better_by:g}", equal, differing, samples)


# --- all of them -----------------------------------------------------------------------------


def designs(quick: bool) -> Iterator[tuple[str, list[Design]]]:
    """Every table: its title and the designs in it."""
    from records import times

    many, some, few = (1_000, 200, 50) if quick else (times(10_000), times(2_000), times(500))
    sizes = ((30, 0.2), (100, 0.12)) if quick else ((30, 0.2), (100, 0.12), (1000, 0.04))
    yield "Answers to the same rows (n, true difference of accuracy)", [answers(*s, many) for s in sizes]
    yield "Answers swapped, and drawn", [swaps(*s, 4 * few) for s in sizes]
    points = ((200, 0.12),) if quick else ((200, 0.12), (1000, 0.12))
    title = "The same precision of models that call other shares positive (n, better by)"
    yield title, [operating_points(*s, 2 * few) for s in points]
    groups = ((10, 0.15),) if quick else ((10, 0.15), (30, 0.1), (100, 0.05))
    yield "Answers swapped, rows in groups", [grouped_swaps(*s, some) for s in groups]
    yield "Four models (the last better by)", [several(*s, some) for s in sizes]
    spread = ((30, 1.0), (100, 0.5)) if quick else ((30, 1.0), (100, 0.5), (1000, 0.15))
    yield "Areas (n, further apart by)", [areas(*s, some) for s in spread]
    noise = ((30, 1.0), (100, 0.5)) if quick else ((30, 1.0), (100, 0.5), (1000, 0.15))
    yield "Losses of probabilities (n, noise added)", [losses(*s, some) for s in noise]
    yield "Other rows (n each, true difference of accuracy)", [other_rows(*s, some) for s in sizes]
    learned = [folds(name, 100, 0.3, some) for name in LEARNERS]
    if not quick:
        learned += [folds("centroid", 400, 0.15, some), folds("1-NN", 300, 0.25, some)]
    yield "Folds that overlap (learner, n, further apart by)", learned
    data_sets = ((6, 2.0), (10, 1.2)) if quick else ((6, 2.0), (10, 1.2), (30, 0.7))
    yield "Two models on many data sets (N, better by)", [two_models(*s, some) for s in data_sets]
    title = "Five models on many data sets (N, the last two better by)"
    yield title, [many_models(*s, few) for s in data_sets]


def main(quick: bool = False) -> None:
    from records import OURS
    from records import rejected as keep

    for title, made in designs(quick):
        print(f"\n{title}\n{'':73}{'false positives':>17}{'power':>17}{'samples':>9}")
        for design in made:
            for each in study(design):
                print(_line(each))
                whose = "by hand: not adjusted" if "not adjusted" in each.test else OURS
                keep(each.test, each.size, each.false, each.power, each.samples, whose=whose)


def _line(rates: Rates) -> str:
    mark = "!" if rates.too_many else " "
    shown = (
        f"{_with_error(rates.false, rates.samples):>16}{mark}{_with_error(rates.power, rates.samples):>17}"
    )
    return f"{rates.test:45}{rates.size:28}{shown}{rates.samples:>9}"


def _with_error(rate: float, samples: int) -> str:
    return "-" if math.isnan(rate) else f"{rate:.3f} +- {error(rate, samples):.3f}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer sizes and samples")
    main(parser.parse_args().quick)
