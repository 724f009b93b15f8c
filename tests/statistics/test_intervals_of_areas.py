"""Intervals of an area under the curve from its value and the numbers of rows."""

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

import formulas
import tallymark as tm
from formulas import Z, ends, on_logit

METHODS = ("hanley_mcneil", "hanley_mcneil_logit", "newcombe")
SIZES = ((279, 527), (5, 300), (3, 3), (2, 1), (1, 1))
AREAS = (0.0, 0.01, 0.3, 0.5, 0.7, 0.889, 0.99, 1.0)


def interval(area: float, positives: int = 10, negatives: int = 10, **options: Any) -> Any:
    return tm.auc_interval(area, n_positive=positives, n_negative=negatives, **options)


def hanley_mcneil(area: float, abnormal: int, normal: int) -> float:
    """Formula 1 of the paper, with Q1 and Q2 as printed there."""
    q1, q2 = area / (2 - area), 2 * area**2 / (1 + area)
    top = area * (1 - area) + (abnormal - 1) * (q1 - area**2) + (normal - 1) * (q2 - area**2)
    return math.sqrt(max(0.0, top) / (abnormal * normal))


def test_the_example_of_hanley_and_mcneil() -> None:
    # Radiology 143 (1982), table I: ratings of 58 normal and 51 abnormal images, whose area is 0.893.
    normal, abnormal = np.array([33, 6, 6, 11, 2]), np.array([3, 2, 2, 11, 33])
    below = np.cumsum(normal) - normal
    area = float(abnormal @ (below + normal / 2)) / (51 * 58)
    assert round(area, 3) == 0.893
    found = interval(area, 51, 58, method="hanley_mcneil")
    assert found.se == pytest.approx(hanley_mcneil(area, 51, 58), rel=1e-12)
    assert (found.low, found.high) == pytest.approx((area - Z * found.se, area + Z * found.se))


def test_the_formulas_at_every_area_and_size() -> None:
    wrong = []
    for area, (positives, negatives) in product(AREAS, SIZES):
        plain, logit, newcombe = (interval(area, positives, negatives, method=method) for method in METHODS)
        se = hanley_mcneil(area, positives, negatives)
        if plain.se != pytest.approx(se, rel=1e-12, abs=1e-12):
            wrong.append(("standard error", area, positives, negatives))
        if 0 < area < 1 and ends(logit) != pytest.approx(on_logit(area, se)):
            wrong.append(("logit", area, positives, negatives))
        expected = formulas.newcombe(area, positives, negatives)
        if ends(newcombe) != pytest.approx(expected, rel=1e-9, abs=1e-12):
            wrong.append(("newcombe", area, positives, negatives))
        if not 0 <= newcombe.low <= area <= newcombe.high <= 1 or newcombe.low == newcombe.high:
            wrong.append(("order", area, positives, negatives))
    assert not wrong


def test_the_ends_of_the_scale() -> None:
    top, bottom = (interval(area, method="newcombe") for area in (1, 0))
    assert (round(top.low, 2), top.high) == (0.80, 1.0)
    assert (bottom.low, bottom.high) == pytest.approx((0.0, 1 - top.low))
    few, more = (interval(1, rows, 1000, method="newcombe") for rows in (10, 100))
    assert top.low < few.low < more.low
    for area, method in product((0, 1), METHODS[:2]):
        found = interval(area, method=method)
        assert (found.low, found.high, found.se) == (area, area, 0)
        assert found.note
        assert interval(0.9, method=method).note is None
    assert all(interval(area, method="newcombe").note is None for area in (0, 0.5, 1))
    for method, area in product(METHODS, AREAS):
        found = interval(area, 3, 4, method=method, confidence_level=0.999)
        assert 0 <= found.low <= area <= found.high <= 1, (method, area)


def test_another_level_of_the_same_area() -> None:
    found = interval(0.8, 30, 40, method="newcombe")
    wider = found.interval(0.99)
    assert wider == interval(0.8, 30, 40, method="newcombe", confidence_level=0.99)
    assert wider.low < found.low < found.high < wider.high
