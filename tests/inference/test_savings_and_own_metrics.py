"""What another threshold saves, and metrics of the user's own: intervals against draws of our own."""

import math
import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy import stats

import tallymark as tm
from formulas import ends, width

# --- savings ---------------------------------------------------------------------------------

# At 0.3 instead of 0.5: five more positives are found, at 10 each; twenty false alarms more cost 1 each.
SCORE, Y = np.repeat([0.4, 0.4, 0.9, 0.1], [5, 20, 200, 275]), np.repeat([1, 0, 1, 0], [5, 20, 200, 275])
GAINS, AMOUNTS = np.array([10.0, -1.0, 0.0]), np.array([5, 20, 475])
COSTS = np.array([[0.0, 10.0], [1.0, 0.0]])


def saving(
    score: Any = SCORE, y: Any = Y, costs: Any = COSTS, share: float | None = None, **options: Any
) -> Any:
    ev = tm.evaluate(np.asarray(y), y_score=np.asarray(score), labels=[1, 0], pos_label=1, **options)
    ev = ev if share is None else ev.at_prevalence(share)
    return ev.decide(costs, threshold=0.3).savings["as is"]


def test_a_saving_is_a_sum_over_kinds_of_rows() -> None:
    found = saving()
    assert (found.value, found.n, found.method) == (5 * 10 - 20, 500, "dirichlet")
    # Two rows more, spread evenly over the kinds; the whole stays 500.
    drawn = np.random.default_rng(1).standard_gamma(AMOUNTS + 2 / 3, (40_000, 3))
    values = 500 * drawn @ GAINS / drawn.sum(axis=1)
    assert ends(found) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])), abs=0.1 * values.std())
    # The order of rows, the currency and the unit of weights do not matter.
    order = np.random.default_rng(0).permutation(500)
    assert ends(saving(SCORE[order], Y[order])) == ends(found)
    for factor in (100, 1e-30):
        assert ends(saving(costs=COSTS * factor)) == pytest.approx([factor * end for end in ends(found)])
    halves = saving(sample_weight=np.full(500, 0.5))
    assert (halves.n, *ends(halves)) == pytest.approx((500, *[end / 2 for end in ends(found)]))
    # Half as many rows of twice the weight: the same total and twice the sum of squares.
    some = np.r_[0:2, 5:15, 25:262]
    heavy, light = saving(SCORE[some], Y[some], sample_weight=np.full(249, 2.0)), saving(SCORE[some], Y[some])
    assert ends(heavy) == pytest.approx([2 * end for end in ends(light)])
    assert found.interval(0.99).high > found.high > found.interval(0.8).high
    assert ends(pickle.loads(pickle.dumps(found))) == ends(found)


def test_given_shares_and_nothing_to_save() -> None:
    # All rows of a class flip; how many there are is given, so little is uncertain.
    flipped = np.where(Y == 1, 0.4, 0.1)
    fixed, plain = saving(flipped, share=0.1), saving(flipped)
    assert (fixed.value, plain.value) == (pytest.approx(500), 2050)
    assert plain.low < 0.95 * plain.value
    assert fixed.low > 0.98 * fixed.value
    # Nothing changes: with one score for all there is nothing to save, and no interval.
    none = saving(np.full(500, 0.9))
    assert (none.value, none.low, none.note is None) == (0, None, False)


def test_savings_of_groups() -> None:
    single, apart, together = (
        saving(groups=group) for group in (np.arange(500), np.arange(500) % 50, np.arange(500) // 10)
    )
    assert (single.method, "500" in single.assumption) == ("group_bootstrap", True)
    assert width(single) == pytest.approx(width(saving()), rel=0.15)
    assert width(together) > 1.5 * width(apart)
    renamed = saving(groups=np.random.default_rng(0).permutation(50)[np.arange(500) // 10])
    assert ends(renamed) == ends(together)


# --- metrics of the user's own ---------------------------------------------------------------


def own(function: Any, n: int = 400, **options: Any) -> Any:
    chance = np.random.default_rng(3)
    y, score = chance.integers(0, 2, n), chance.beta(4, 2, n)
    return tm.evaluate(y, y_score=score, labels=[0, 1], extra={"own": function}, **options)["own"], score


def mean(y_true: Any, y_pred: Any, y_score: Any) -> float:
    return float(np.mean(y_score))


def test_the_mean_of_a_column_has_the_interval_of_a_mean() -> None:
    found, score = own(mean)
    deviation, reach = score.std() / 20, math.sqrt(400 / 399)
    for level in (0.5, 0.8, 0.95, 0.99, 0.999999):
        at = found.interval(level)
        half = reach * stats.t(399).ppf((1 + level) / 2) * deviation
        assert (at.high - at.low) / 2 == pytest.approx(half, rel=0.12), level
        assert (at.low + at.high) / 2 == pytest.approx(score.mean(), abs=0.2 * half)
    levels = [found.interval(level) for level in (0.5, 0.8, 0.95, 0.99, 0.9999)]
    assert all(outer.low < inner.low < inner.high < outer.high for inner, outer in pairwise(levels))
    assert own(mean)[0].low == found.low != own(mean, random_state=1)[0].low


def test_whole_groups_and_frequencies_are_drawn() -> None:
    group, sizes = np.arange(400) // 20, []

    def watched(y_true: Any, y_pred: Any, y_score: Any) -> float:
        sizes.append(len(y_score))
        return float(np.mean(y_score))

    found, _ = own(watched, groups=np.where(group == 0, 1, group))
    assert found.low is not None
    assert len(sizes) == 1 + 1_000  # the value, and as many resamples
    assert set(np.diff(np.unique(sizes))) == {20}
    values = np.random.default_rng(1).random(20)
    y = np.arange(400) % 2
    clustered = tm.evaluate(y, y_score=values[group], labels=[0, 1], groups=group, extra={"own": mean})["own"]
    expected = 2 * stats.t(19).ppf(0.975) * values.std(ddof=1) / math.sqrt(20)
    assert clustered.high - clustered.low == pytest.approx(expected, rel=0.12)
    times, positive = np.array([0, 1, 5, 100, 894]), []

    def counted(y_true: Any, y_pred: Any, sample_weight: Any) -> float:
        assert (sample_weight > 0).all()
        positive.append(sample_weight[y_true == 1].sum())
        return float(np.average(y_true, weights=sample_weight))

    ev = tm.evaluate(
        [0, 0, 0, 1, 0], [0, 0, 1, 0, 0], sample_weight=times, weight_kind="frequency", extra={"own": counted}
    )
    assert ev["own"].low is not None
    # The fourth line is drawn Binomial(1000, 0.1) times.
    assert (np.mean(positive), np.std(positive)) == (
        pytest.approx(100, abs=2),
        pytest.approx(math.sqrt(90), rel=0.1),
    )


def test_resamples_that_say_nothing() -> None:
    def sometimes(share: float) -> Any:
        calls = iter(range(10**6))

        def function(y_true: Any, y_pred: Any, y_score: Any) -> float:
            return math.nan if 0 < next(calls) % 100 < 100 * share else float(np.mean(y_score))

        return function

    assert own(sometimes(0.03))[0].low is not None
    for found in (own(sometimes(0.3))[0], own(lambda *_: 1.0)[0], own(mean, 1)[0]):
        assert found.value is not None
        assert found.low is None
        assert found.note
