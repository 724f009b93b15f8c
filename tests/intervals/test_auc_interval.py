"""Intervals of an area from its value and the numbers of rows, against formulas written out and papers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tallymark.errors import OptionError
from tallymark.intervals import AUC_METHODS, auc_interval, logit_bounds, newcombe_bounds, wilson_reaching

Z = 1.959963984540054


def hanley_mcneil(area: float, abnormal: int, normal: int) -> float:
    """Formula 1 of the paper, with Q1 and Q2 as printed there."""
    q1, q2 = area / (2 - area), 2 * area**2 / (1 + area)
    top = area * (1 - area) + (abnormal - 1) * (q1 - area**2) + (normal - 1) * (q2 - area**2)
    return math.sqrt(top / (abnormal * normal))


def test_the_example_of_hanley_and_mcneil():
    # Radiology 143 (1982), table I: ratings of 58 normal and 51 abnormal images, whose area is 0.893.
    normal, abnormal = np.array([33, 6, 6, 11, 2]), np.array([3, 2, 2, 11, 33])
    below = np.cumsum(normal) - normal
    area = float(abnormal @ (below + normal / 2)) / (51 * 58)
    assert round(area, 3) == 0.893
    found = auc_interval(area, n_positive=51, n_negative=58)
    assert found.se == pytest.approx(hanley_mcneil(area, 51, 58), rel=1e-12)
    assert found.low == pytest.approx(area - Z * found.se)
    assert found.high == pytest.approx(area + Z * found.se)


@pytest.mark.parametrize("area", [0.5, 0.7, 0.889, 0.99])
@pytest.mark.parametrize(("positives", "negatives"), [(279, 527), (5, 300), (2, 1)])
def test_the_standard_error_is_formula_1(area, positives, negatives):
    found = auc_interval(area, n_positive=positives, n_negative=negatives)
    assert found.se == pytest.approx(hanley_mcneil(area, positives, negatives), rel=1e-12)


def test_on_the_logit_scale():
    found = auc_interval(0.889, n_positive=279, n_negative=527, method="hanley_mcneil_logit")
    centre = math.log(0.889 / 0.111)
    half = Z * hanley_mcneil(0.889, 279, 527) / (0.889 * 0.111)
    assert found.low == pytest.approx(1 / (1 + math.exp(half - centre)))
    assert found.high == pytest.approx(1 / (1 + math.exp(-half - centre)))


@pytest.mark.parametrize("area", [0.0, 0.3, 0.5, 0.889, 0.999, 1.0])
@pytest.mark.parametrize(("positives", "negatives"), [(279, 527), (5, 300), (3, 3), (1, 1)])
def test_newcombes_limits_solve_his_equation(area, positives, negatives):
    # Statistics in Medicine 25 (2006): method 5 is method 4's variance, at the limit instead of the estimate,
    # with the mean number of rows in place of both.
    def variance(limit):
        rows = (positives + negatives) / 2 - 1
        inner = 1 + rows * (1 - limit) / (2 - limit) + rows * limit / (1 + limit)
        return limit * (1 - limit) * inner / (positives * negatives)

    found = auc_interval(area, n_positive=positives, n_negative=negatives, method="newcombe")
    for limit in (found.low, found.high):
        if 0 < limit < 1 and limit != area:
            assert abs(limit - area) == pytest.approx(Z * math.sqrt(variance(limit)), rel=1e-9)
    assert 0 <= found.low <= area <= found.high <= 1
    assert found.low < found.high


def test_newcombe_is_honest_at_1_and_mirrors_itself():
    top = auc_interval(1, n_positive=10, n_negative=10, method="newcombe")
    assert (round(top.low, 2), top.high) == (0.80, 1.0)
    bottom = auc_interval(0, n_positive=10, n_negative=10, method="newcombe")
    assert (bottom.low, bottom.high) == pytest.approx((0.0, 1 - top.low))
    # More rows, a shorter interval, from either side.
    assert top.low < newcombe_bounds(1, 10, 1000, Z)[0] < newcombe_bounds(1, 100, 1000, Z)[0]


@pytest.mark.parametrize("area", [0, 1])
@pytest.mark.parametrize("method", ["hanley_mcneil", "hanley_mcneil_logit"])
def test_an_interval_without_width_says_why(method, area):
    found = auc_interval(area, n_positive=10, n_negative=10, method=method)
    assert (found.low, found.high, found.se) == (area, area, 0)
    assert found.note == "the formula shows no variance at an area of 0 or 1; method newcombe does"
    assert auc_interval(0.9, n_positive=10, n_negative=10, method=method).note is None


@pytest.mark.parametrize("area", [0, 0.5, 1])
def test_newcombes_interval_needs_no_note(area):
    assert auc_interval(area, n_positive=10, n_negative=10, method="newcombe").note is None


def test_limits_stay_between_0_and_1():
    for method in AUC_METHODS:
        for area in (0.0, 0.01, 0.99, 1.0):
            found = auc_interval(area, n_positive=3, n_negative=4, method=method, confidence_level=0.999)
            assert 0 <= found.low <= area <= found.high <= 1


def test_another_level_of_the_same_area():
    found = auc_interval(0.8, n_positive=30, n_negative=40, method="newcombe")
    wider = found.interval(0.99)
    assert wider == auc_interval(0.8, n_positive=30, n_negative=40, method="newcombe", confidence_level=0.99)
    assert wider.low < found.low
    assert wider.high > found.high


def test_at_0_and_1_the_logit_scale_has_no_width():
    assert logit_bounds(1.0, 0.1, Z) == (1.0, 1.0)
    assert logit_bounds(0.0, 0.1, Z) == (0.0, 0.0)
    low, high = logit_bounds(1e-9, 1e-3, Z)
    assert 0 <= low < high <= 1


def test_wilson_with_another_quantile():
    from tallymark.intervals import interval

    found = interval(81, 263)
    assert wilson_reaching(81, 263, Z) == pytest.approx((found.low, found.high), rel=1e-12)
    low, high = wilson_reaching(81, 263, 12.7)
    assert low < found.low < found.high < high


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"auc": 1.2}, "auc must be between 0 and 1, got 1.2. Hint: write 0.012 for 1.2 %."),
        ({"auc": 88.9}, "auc must be between 0 and 1, got 88.9. Hint: write 0.889 for 88.9 %."),
        ({"auc": -0.1}, "auc must be between 0 and 1, got -0.1."),
        ({"auc": "0.9"}, "auc must be a number, got '0.9'. Hint: pass one plain number."),
        ({"auc": math.nan}, "auc must be finite, got nan."),
        ({"n_positive": 0}, "n_positive must be at least 1, got 0. Hint: pairs need a row of either class."),
        (
            {"n_negative": 0.5},
            "n_negative must be at least 1, got 0.5. Hint: pairs need a row of either class.",
        ),
        ({"n_negative": None}, "n_negative must be a number, got None. Hint: pass one plain number."),
        (
            {"method": "delong"},
            "method must be one of hanley_mcneil, hanley_mcneil_logit, newcombe; got 'delong'. "
            "Hint: DeLong's needs the scores: tallymark.evaluate(...)['auc'].",
        ),
        (
            {"method": "wald"},
            "method must be one of hanley_mcneil, hanley_mcneil_logit, newcombe; got 'wald'. "
            "Hint: newcombe is the one for an area near 1 or for few rows.",
        ),
        (
            {"confidence_level": 95},
            "confidence_level must be strictly between 0 and 1, got 95. Hint: write 0.95 for 95 %.",
        ),
    ],
)
def test_what_cannot_be(given, message):
    with pytest.raises(OptionError) as caught:
        auc_interval(**{"auc": 0.9, "n_positive": 10, "n_negative": 10} | given)
    assert str(caught.value) == message
