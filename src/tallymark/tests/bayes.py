"""Bayesian comparisons with a region of practical equivalence (rope): correlated t and signed-rank."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import OptionError, ShapeError, precise
from tallymark.intervals import checked_level
from tallymark.intervals.checks import checked_number
from tallymark.tests.outcome import Alternative, refuse_sides
from tallymark.tests.posterior import Drawn, Posterior, Student
from tallymark.tests.scores import Floats, differences, overlap, without_noise

# Draws of the estimate take long with many data sets, so there are fewer of them. The ends of its interval
# are off by about 0.09 of its standard deviation with 1,000 draws, and by 0.012 with 50,000.
_WORK, _LEAST = 60_000_000, 1000
_BLOCK = 1_000_000
_MOST = 1000
_BOTH_WAYS = "worse, equivalent and better have both directions: read the one you mean."
_ONE = "one data set says nothing of others: the probabilities are the prior's, and the side the one fell on"


def bayesian_t(
    a: Any,
    b: Any,
    runs: int = 1,
    rope: float = 0.01,
    *,
    n_train: Any = None,
    n_test: Any = None,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
) -> Posterior:
    """The Bayesian correlated t-test of two models on the same folds of one data set.

    The difference is Student's with k - 1 degrees of freedom around the mean difference, with squared scale
    s^2 (1/k + rho / (1 - rho)). The correlation rho is n_test / (n_test + n_train), and without sizes
    1 / (folds per run), as in cross-validation repeated `runs` times. `rope` is in the units of the scores.

    >>> found = bayesian_t([0.9, 0.8, 0.7], [0.8, 0.8, 0.5])
    >>> round(found.worse, 3), round(found.equivalent, 3), round(found.better, 3)
    (0.176, 0.038, 0.786)

    Reference: Corani and Benavoli 2015, Machine Learning 100:285.
    """
    refuse_sides(alternative, "the Bayesian correlated t-test", _BOTH_WAYS)
    rope, level = _checked_rope(rope), checked_level(confidence_level)
    first, second, d = differences(a, b, "fold")
    if len(d) == 1:
        raise ShapeError("one fold does not show how much folds vary; bayesian_t needs two or more.")
    ratio, said = overlap(len(d), n_train, n_test, runs)
    mean = float(d.mean())
    counts = {
        "folds": len(d),
        "mean_a": float(first.mean()),
        "mean_b": float(second.mean()),
        "test_by_train": ratio,
    }
    made: dict[str, Any] = {
        "method": "Bayesian correlated t",
        "rope": rope,
        "mean": mean,
        "level": level,
        "assumption": "normal differences that correlate by n_test / (n_train + n_test)",
        "counts": counts,
    }
    if not np.ptp(d):
        worse, better = float(mean < -rope), float(mean > rope)
        note = "the difference is the same in every fold, so all of the probability is there"
        equivalent = 1 - worse - better
        return Posterior(
            **made, worse=worse, equivalent=equivalent, better=better, low=mean, high=mean, note=note
        )
    shape = Student(mean, math.sqrt(float(d.var(ddof=1)) * (1 / len(d) + (ratio or 0))), len(d) - 1)
    worse, better = shape.below(-rope), Student(-mean, shape.scale, shape.freedom).below(-rope)
    return Posterior(
        **made,
        worse=worse,
        equivalent=max(0.0, 1 - worse - better),
        better=better,
        low=shape.quantile((1 - level) / 2),
        high=shape.quantile((1 + level) / 2),
        note=said,
        df=shape.freedom,
        shape=shape,
    )


def bayesian_signed_rank(
    a: Any,
    b: Any,
    rope: float = 0.01,
    *,
    random_state: int | None = 0,
    draws: int = 50_000,
    prior_strength: float = 0.5,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
) -> Posterior:
    """The Bayesian signed-rank test of two models over many data sets.

    The data sets, and a prior one of difference 0 and weight `prior_strength`, get Dirichlet weights. In each
    draw the weighted means of two differences fall below, within or above the rope; `worse`, `equivalent`
    and `better` are the shares of draws in which that region is the heaviest. `mean` and the interval are of
    the weighted median of these means, with many data sets from the first `counts["interval_draws"]` draws
    only. With a rope of 0 nothing is equivalent, unless all scores are equal.

    References: Benavoli and others 2014, ICML 32:1026; 2017, Journal of Machine Learning Research 18:77.
    """
    refuse_sides(alternative, "the Bayesian signed-rank test", _BOTH_WAYS)
    rope, level = _checked_rope(rope), checked_level(confidence_level)
    draws = _checked_draws(draws)
    strength = float(checked_number("prior_strength", prior_strength))
    if strength < 0:
        raise OptionError(f"prior_strength must be 0 or more; got {precise(strength, 0)}.")
    first, second, d = differences(a, b, "data set")
    if len(d) > _MOST:
        raise OptionError(f"the test weighs every two data sets, up to {_MOST:,} of them; got {len(d):,}.",
                          hint="wilcoxon takes any number.")  # fmt: skip
    largest = max(float(np.abs(first).max()), float(np.abs(second).max()), rope)
    values = np.append(0.0, d) if strength else d
    weights = np.append(strength, np.ones(len(d))) if strength else np.ones(len(d))
    order = np.argsort(values, kind="stable")
    means = _Means(without_noise((values[order, None] + values[order]) / 2, largest))
    generator, used = _generator(random_state), min(draws, max(_LEAST, _WORK // means.work))
    chances, estimates = np.empty((draws, 3)), np.empty(used)
    step = max(1, _BLOCK // len(values))
    for start in range(0, draws, step):
        part = _dirichlet(weights, min(step, draws - start), generator)[:, order]
        chances[start : start + step] = means.regions(part, rope)
        if start < used:
            estimates[start : start + step] = means.medians(part[: used - start])
    worse, equivalent, better = _winners(chances) if d.any() or rope else (0.0, 1.0, 0.0)
    tails = np.quantile(estimates, [(1 - level) / 2, (1 + level) / 2])
    return Posterior(
        method="Bayesian signed-rank",
        worse=worse,
        equivalent=equivalent,
        better=better,
        rope=rope,
        mean=float(estimates.mean()),
        low=float(tails[0]),
        high=float(tails[1]),
        level=level,
        assumption="independent data sets",
        counts={"data_sets": len(d), "draws": draws, "interval_draws": used, "prior_strength": strength},
        note=_ONE if len(d) == 1 else None,
        shape=Drawn(estimates) if np.ptp(estimates) else None,
        draws=chances,
    )


class _Means:
    """The means of every two of the sorted differences; weights are a row per draw, in the same order.

    Along each row of them the means rise, so those up to any value weigh a sum over the first few weights.
    """

    def __init__(self, means: Floats) -> None:
        self.means = means
        first, second = np.triu_indices(len(means))
        rising = np.argsort(means[first, second], kind="stable")
        self.first, self.second = first[rising], second[rising]
        self.sorted = means[self.first, self.second]
        self.twice = np.where(self.first == self.second, 1.0, 2.0)
        # Stretches of the sorted means, so that a median is looked for in one of them only.
        stretches = max(1, math.isqrt(len(means) // 2))
        last = np.linspace(0, len(first), stretches + 1)[1:].astype(np.int64) - 1
        self.cuts = np.unique(self.sorted[last])
        self.ends = np.searchsorted(self.sorted, self.cuts, "right")
        self.work = stretches * len(means) + len(first) // stretches
        """Steps per draw."""

    def regions(self, drawn: Floats, rope: float) -> Floats:
        """For every draw, the weight of the means below, within and above the rope; its edges count half."""
        reached = _running(drawn)
        below = [_weigh(drawn, reached, held) for held in (self.means < -rope, self.means <= -rope)]
        up_to = [_weigh(drawn, reached, held) for held in (self.means < rope, self.means <= rope)]
        worse, better = (below[0] + below[1]) / 2, 1 - (up_to[0] + up_to[1]) / 2
        return np.column_stack((worse, np.maximum(0.0, 1 - worse - better), np.maximum(0.0, better)))

    def medians(self, drawn: Floats) -> Floats:
        """The weighted median of the means."""
        reached = _running(drawn)
        up_to = np.column_stack([_weigh(drawn, reached, self.means <= cut) for cut in self.cuts])
        stretch = np.minimum((up_to < 0.5).sum(axis=1), len(self.cuts) - 1)
        found = np.empty(len(drawn))
        for at in np.unique(stretch):
            inside = np.flatnonzero(stretch == at)
            start, end = (int(self.ends[at - 1]) if at else 0), int(self.ends[at])
            first, second, twice = (each[start:end] for each in (self.first, self.second, self.twice))
            step = max(1, _BLOCK // (end - start))
            for rows in np.split(inside, range(step, len(inside), step)):
                part, before = drawn[rows], up_to[rows, at - 1] if at else np.zeros(len(rows))
                sums = before[:, None] + np.cumsum(part[:, first] * part[:, second] * twice, axis=1)
                found[rows] = self.sorted[np.minimum(start + (sums < 0.5).sum(axis=1), end - 1)]
        return found


def _running(drawn: Floats) -> Floats:
    """The weight of the first 0, 1, 2 and so on, of every draw."""
    reached = np.zeros((len(drawn), drawn.shape[1] + 1))
    np.cumsum(drawn, axis=1, out=reached[:, 1:])
    return reached


def _weigh(drawn: Floats, reached: Floats, held: NDArray[np.bool_]) -> Floats:
    """The weight of the pairs held, which are the first few of every row."""
    return np.asarray(np.einsum("ij,ij->i", drawn, reached[:, held.sum(axis=1)]))


def _winners(chances: Floats) -> tuple[float, float, float]:
    """Share of draws in which each region is the heaviest; draws with several heaviest are shared out."""
    heaviest = chances >= chances.max(axis=1, keepdims=True) - 1e-12
    shares = (heaviest / heaviest.sum(axis=1, keepdims=True)).mean(axis=0)
    return float(shares[0]), float(shares[1]), float(shares[2])


def _dirichlet(weights: Floats, draws: int, generator: np.random.Generator) -> Floats:
    drawn = generator.standard_gamma(weights, (draws, len(weights)))
    return np.asarray(drawn / drawn.sum(axis=1, keepdims=True))


def _checked_rope(rope: object) -> float:
    checked = float(checked_number("rope", rope))
    if checked < 0:
        hint = "it is half the width of the region around 0 that counts as equal."
        raise OptionError(f"rope must be 0 or more; got {precise(checked, 0)}.", hint=hint)
    return checked


def _checked_draws(draws: object) -> int:
    checked = checked_number("draws", draws)
    if checked != int(checked) or checked < 100:
        raise OptionError(
            f"draws must be a whole number from 100 up; got {precise(checked, 100, round(checked))}."
        )
    return int(checked)


def _generator(random_state: object) -> np.random.Generator:
    if random_state is not None:
        seed = checked_number("random_state", random_state)
        if seed != int(seed) or seed < 0:
            raise OptionError(
                f"random_state must be a whole number from 0 up; got {precise(seed, 0, round(seed))}."
            )
        return np.random.default_rng(int(seed))
    return np.random.default_rng()
