"""What a threshold must keep, against counting rows threshold by threshold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student

from tallymark.decisions.constraints import Constraint, allowed, constraints_of
from tallymark.errors import MetricError, OptionError
from tallymark.inference import Ranking
from tallymark.inference.limits_at_cuts import LimitsAtCuts
from tallymark.intake.ranking import count_groups, count_scores
from tallymark.intervals import wilson_bounds
from tallymark.metrics import ask
from tallymark.tallies import Scores

some = settings(max_examples=80, deadline=None)
ROWS = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 1.0]), st.booleans(), st.integers(1, 3)),
    min_size=2,
    max_size=25,
)
RATES = {
    "recall": ("tp", "tp fn"),
    "precision": ("tp", "tp fp"),
    "specificity": ("tn", "fp tn"),
    "share": ("tp fp", "tp fn fp tn"),
    "accuracy": ("tp tn", "tp fn fp tn"),
    "f1": ("tp tp", "tp tp fp fn"),
}
"""What is divided by what, each a sum of counts."""


def parts_at(metric, rows, threshold, power=0):
    """Top and bottom of a rate, row by row, each row as much as its weight to some power."""
    counts = dict.fromkeys(("tp", "fn", "fp", "tn"), 0)
    for score, positive, weight in rows:
        called = score >= threshold
        counts[("tp" if called else "fn") if positive else ("fp" if called else "tn")] += weight**power
    top, bottom = (sum(counts[name] for name in part.split()) for part in RATES[metric])
    return top, bottom


def ranking_of(rows, *, weighted=False):
    score, positive, weight = (np.array(column) for column in zip(*rows, strict=True))
    return Ranking(count_scores(score, positive, weight=weight.astype(float) if weighted else None))


@pytest.mark.parametrize("metric", RATES)
@pytest.mark.parametrize("at_least", [True, False])
@some
@given(rows=ROWS, bound=st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 0.6, 0.75, 0.9, 1.0]))
def test_the_thresholds_that_keep_it_are_those_a_search_finds(metric, at_least, rows, bound):
    ranking = ranking_of(rows)
    expected = []
    for threshold in ranking.scores.thresholds:
        top, bottom = parts_at(metric, rows, threshold)
        kept = bottom and (top >= bound * bottom - 1e-9 if at_least else top <= bound * bottom + 1e-9)
        expected.append(bool(kept))
    constraint = Constraint(metric, bound, at_least)
    if any(expected):
        assert allowed(ranking, [constraint]).tolist() == expected
    else:
        with pytest.raises(OptionError, match="cannot be met"):
            allowed(ranking, [constraint])


@pytest.mark.parametrize("metric", [name for name in RATES if name != "f1"])
@some
@given(rows=ROWS)
def test_limits_with_weights_are_wilsons_of_kishs_number(metric, rows):
    ranking = ranking_of(rows, weighted=True)
    asked = ask("predicted_positive_rate" if metric == "share" else metric)
    low, high = LimitsAtCuts(asked, ranking.scores).at(slice(None))
    for place, threshold in enumerate(ranking.scores.thresholds):
        top, bottom = parts_at(metric, rows, threshold, 1)
        _, squares = parts_at(metric, rows, threshold, 2)
        if not bottom:
            assert np.isnan(low[place])
            continue
        worth = bottom**2 / squares
        expected = wilson_bounds(top / bottom * worth, worth, 0.95)
        assert (low[place], high[place]) == pytest.approx(expected, abs=1e-9)


def test_limits_of_f1_come_from_those_of_jaccard():
    random = np.random.default_rng(0)
    scores = count_scores(random.integers(0, 9, 80) / 8, random.random(80) < 0.4)
    low, _ = LimitsAtCuts(ask("f1"), scores).at(slice(None))
    for place, tp in enumerate(scores.tp):
        relevant = scores.tp[-1] + scores.fp[place]
        share, _ = wilson_bounds(float(tp), float(relevant), 0.95)
        assert low[place] == pytest.approx(2 * share / (1 + share))


# --- groups --------------------------------------------------------------------------------------


def grouped(rows=400, groups=25, seed=0, weighted=False, alone=False):
    random = np.random.default_rng(seed)
    group = np.arange(rows) if alone else random.integers(0, groups, rows)
    score, positive = random.integers(0, 12, rows) / 11, random.random(rows) < 0.4
    weight = random.integers(1, 4, rows).astype(float) if weighted else None
    scores = count_scores(score, positive, weight=weight)
    keys = tuple(range(int(group.max()) + 1))
    return (
        scores,
        count_groups(scores, score, positive, weight, group, keys),
        (score, positive, weight, group),
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("metric", ["recall", "precision", "specificity", "accuracy", "npv"])
def test_the_spread_over_groups_is_the_one_summed_group_by_group(metric, weighted):
    """The variance of a ratio over groups, as in texts on cluster samples, turned into a number of rows."""
    scores, groups, (score, positive, weight, group) = grouped(weighted=weighted)
    weight = np.ones(len(score)) if weight is None else weight
    low, _ = LimitsAtCuts(ask(metric), scores, groups).at(slice(None))
    for place in (2, 5, 9):
        called = score >= scores.thresholds[place]
        among = {
            "recall": positive,
            "precision": called,
            "specificity": ~positive,
            "accuracy": np.ones(len(score), bool),
            "npv": ~called,
        }[metric]
        right = among & (called == positive)
        x, n = (np.bincount(group, weight * side) for side in (right, among))
        share, total = x.sum() / n.sum(), n.sum()
        units = total**2 / (n**2).sum()
        usual = (weight**2)[among].sum() / total
        spread = ((x - share * n) ** 2).sum() * units / (units - 1) / (total * share * (1 - share))
        seen, worst = max(usual, spread), (n**2).sum() / total
        errors = min(x.sum(), total - x.sum()) / usual
        row = (errors * seen + max(seen, worst)) / (errors + 1)
        reach = student.ppf(0.975, np.floor(units) - 1)
        k, m = x.sum() / row, total / row
        centre, half = k + reach**2 / 2, reach * np.sqrt(reach**2 / 4 + k * (m - k) / m)
        assert low[place] == pytest.approx((centre - half) / (m + reach**2), rel=1e-9)


def test_groups_that_are_single_rows_are_nearly_wilsons():
    scores, groups, _ = grouped(alone=True)
    by_group, by_row = (LimitsAtCuts(ask("recall"), scores, by).low()[1:] for by in (groups, None))
    np.testing.assert_allclose(by_group, by_row, atol=0.01)


def test_one_group_tells_nothing():
    scores, groups, _ = grouped(groups=1)
    limits = LimitsAtCuts(ask("recall"), scores, groups)
    assert limits.low()[1:].tolist() == [0.0] * 12
    assert limits.high()[1:].tolist() == [1.0] * 12


# --- messages ------------------------------------------------------------------------------------


@pytest.fixture
def ranking():
    """At 0.9: 6 of 8 positive; at 0.5: 9 of 15; at 0.1: 10 of 30."""
    return Ranking(Scores(np.array([0.9, 0.5, 0.1]), np.array([6, 3, 1]), np.array([2, 4, 14])))


@pytest.mark.parametrize(
    ("minimum", "maximum", "message"),
    [
        (
            {"precision": 0.8},
            None,
            "precision of at least 0.8 cannot be met: the most is 0.750 (at the threshold 0.9).",
        ),
        (
            {"recall": 0.9, "precision": 0.7},
            None,
            "recall of at least 0.9 and precision of at least 0.7 cannot be met together: "
            "with recall of at least 0.9 the most precision is 0.600 (at the threshold 0.5).",
        ),
        (
            {"recall": 0.8},
            {"share": 0.4},
            "recall of at least 0.8 and share of at most 0.4 cannot be met together: "
            "with recall of at least 0.8 the least share is 0.500 (at the threshold 0.5).",
        ),
        (
            None,
            {"error_rate": 0.1},
            "error_rate of at most 0.1 cannot be met: the least is 0.200 (at the threshold 0.9).",
        ),
        (
            None,
            {"share": 0.1, "fnr": 0.99},
            "share of at most 0.1 and fnr of at most 0.99 cannot be met together: "
            "with share of at most 0.1 the least fnr is 1.000 (when nothing is called positive).",
        ),
        (
            {"precision": 0.7500000001},
            None,
            "precision of at least 0.7500000001 cannot be met: the most is 0.750 (at the threshold 0.9).",
        ),
    ],
)
def test_what_cannot_be_met_says_how_near_one_comes(ranking, minimum, maximum, message):
    with pytest.raises(OptionError) as caught:
        allowed(ranking, constraints_of(minimum, maximum))
    assert str(caught.value) == message


def test_a_limit_that_cannot_be_met(ranking):
    # Wilson's lower limit of 10 of 10 is 10 / (10 + 1.96**2) = 0.722.
    with pytest.raises(OptionError) as caught:
        allowed(ranking, constraints_of({"recall": 0.8}, None, on_lower_bound=True))
    assert str(caught.value) == (
        "recall of at least 0.8 by its lower confidence limit cannot be met: "
        "the highest lower 95 % limit of recall is 0.722 (at the threshold 0.1)."
    )
    assert allowed(ranking, constraints_of({"recall": 0.72}, None, on_lower_bound=True)).tolist() == [
        False,
        False,
        False,
        True,
    ]


def test_the_upper_limit_is_the_one_that_must_not_be_too_high(ranking):
    # 8 of 30 called positive: Wilson's upper limit is 0.444.
    assert allowed(ranking, constraints_of(None, {"share": 0.45}, on_lower_bound=True)).tolist() == [
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (
            {"recall": 90},
            "recall is a number from 0 to 1; it cannot be asked to be at least 90. Hint: write 0.9 for 90 %.",
        ),
        ({"recall": "high"}, "recall is a number from 0 to 1; it cannot be asked to be at least 'high'."),
        ({"recall": True}, "recall is a number from 0 to 1; it cannot be asked to be at least True."),
        ({"recall": float("nan")}, "recall is a number from 0 to 1; it cannot be asked to be at least nan."),
        ({"lr_plus": -1}, "lr_plus is a number from 0 up; it cannot be asked to be at least -1."),
    ],
)
def test_bounds_that_no_value_reaches(bad, message):
    with pytest.raises(OptionError) as caught:
        constraints_of(bad, None)
    assert str(caught.value) == message


@pytest.mark.parametrize("name", ["auc", "recall_macro", "recal"])
def test_metrics_that_no_threshold_has(name):
    with pytest.raises(MetricError):
        constraints_of({name: 0.5}, None)


def test_a_limit_of_a_metric_without_one():
    with pytest.raises(OptionError, match="mcc has no confidence limit that can be told at every threshold"):
        constraints_of({"mcc": 0.5}, None, on_lower_bound=True)


def test_nothing_asked_allows_everything(ranking):
    assert allowed(ranking, ()) is None
