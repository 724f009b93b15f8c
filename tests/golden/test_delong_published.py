"""DeLong's test against what pROC publishes for its data of 113 patients with a brain haemorrhage.

The data are of Turck et al. (2010), Intensive Care Medicine 36:107. Here are only the ranks of the patients
by three markers, as they follow from the placements in pROC's own tests: the test rests on nothing else.
The figures are those of pROC's tests of roc.test and cov (Robin et al. 2011, BMC Bioinformatics 12:77).
"""

import numpy as np
import pytest

import tallymark as tm
from collected import each

delong, delong_unpaired = tm.tests.delong, tm.tests.delong_unpaired

POOR, GOOD = 41, 72
TRUTH = np.repeat(["poor", "good"], [POOR, GOOD])
"""Outcomes; those who did poorly come first."""
RANKS = {
    "wfns": """
        2 1 3 4 4 4 4 1 4 1 0 1 4 3 3 1 4 4 4 1 4 1 4 1 3 4 3 3 0 3 3 1 1 4 4 1 1 4 4 4 4
        0 0 0 0 4 0 1 1 0 1 1 0 0 0 1 0 1 0 0 2 3 0 3 0 4 4 0 0 1 3 0 0 1 1 0 1 0 1 1 0 0 0 0 1 0 1 0 0 2 1
        3 1 0 3 0 0 4 3 1 1 0 0 0 2 0 1 1 3 3 0 0 0""",
    "ndka": """
        37 24 28 35 3 9 18 43 47 43 43 14 32 39 5 7 30 1 51 39 16 18 22 30 41 26 39 7 49 34 3 12 39 3 11 43
        20 32 45 18 35
        0 8 6 17 4 34 4 38 29 38 36 46 10 4 23 4 4 50 25 13 13 38 2 6 4 12 27 6 33 44 6 4 23 10 6 27 42 40
        15 21 48 4 36 13 17 17 33 2 36 23 10 17 38 17 21 6 13 17 42 8 23 26 44 19 23 10 42 15 31 40 4 29""",
    "s100b": """
        8 5 11 7 25 30 28 2 19 4 2 23 21 27 30 15 30 30 30 2 30 17 0 4 13 30 15 30 3 15 8 5 6 13 30 9 30 18
        30 30 25
        8 9 5 1 26 12 5 5 1 3 1 4 6 2 12 2 6 8 12 1 11 9 20 4 29 26 11 2 24 26 6 3 4 3 1 8 5 9 10 1 1 4 1 4
        3 11 4 3 19 6 16 2 5 18 2 1 14 22 5 10 3 9 5 2 1 12 10 26 12 10 29 27""",
}
MARKERS = {name: np.array(ranks.split(), int) for name, ranks in RANKS.items()}
AREAS = {"wfns": 0.823678861788618, "ndka": 0.611957994579946, "s100b": 0.731368563685637}

# fmt: off
PAIRS = [  # a, b, z, p, low, high, covariance, D of unpaired curves, p of it
    ("wfns", "s100b", 2.20898359144091, 0.0271757822291882, (0.0104061769564846, 0.174214419249478),
     0.00119615567376754, 1.43490640926908, 0.152825378808796),
    ("wfns", "ndka", 2.79777591868904, 0.00514557970691098, (0.0634011709339876, 0.3600405634833566),
     -0.000532967856762438, 3.10125096778969, 0.00220950791756457),
    ("ndka", "s100b", -1.39077002573558, 0.164295175223054, (-0.2876917446341914, 0.0488706064228094),
     -0.000756164938056579, -1.55995743389685, 0.120192832430845),
]
# fmt: on


@each("a, b, z, p, ends, covariance, d, of_d", PAIRS, ids=lambda pair: pair[:2])
def test_pairs_of_markers(a, b, z, p, ends, covariance, d, of_d):
    found = delong(TRUTH, MARKERS[a], MARKERS[b], "poor")
    assert (found.statistic, found.p_value) == pytest.approx((z, p), rel=1e-11)
    assert (found.low, found.high) == pytest.approx(ends, rel=1e-11)
    assert (found.counts["auc_a"], found.counts["auc_b"]) == pytest.approx((AREAS[a], AREAS[b]), abs=1e-14)
    assert found.counts["covariance"] == pytest.approx(covariance, rel=1e-11)
    assert (found.counts["n_positive"], found.counts["n_negative"]) == (POOR, GOOD)
    unpaired = delong_unpaired(TRUTH, MARKERS[a], TRUTH, MARKERS[b], "poor")
    assert (unpaired.statistic, unpaired.p_value) == pytest.approx((d, of_d), rel=1e-11)


def test_one_side():
    markers = MARKERS["wfns"], MARKERS["s100b"]
    greater = delong(TRUTH, *markers, "poor", alternative="greater")
    less = delong(TRUTH, *markers, "poor", alternative="less")
    assert (greater.p_value, less.p_value) == pytest.approx((0.0135878911145941, 0.986412108885406))
    both = TRUTH, markers[0], TRUTH, markers[1], "poor"
    assert delong_unpaired(*both, alternative="greater").p_value == pytest.approx(0.076412689404398)
    assert delong_unpaired(*both, alternative="less").p_value == pytest.approx(0.923587310595602)


def test_a_marker_against_itself():
    found = delong(TRUTH, MARKERS["wfns"], MARKERS["wfns"], "poor")
    assert (found.statistic, found.p_value, found.value, found.se) == (0, 1, 0, 0)
