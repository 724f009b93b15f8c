"""Intervals with a formula: proportions, F1 and Jaccard, ratios of rates; with weights by Kish's number."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from scipy.stats.contingency import relative_risk
from statsmodels.stats.contingency_tables import Table2x2
from statsmodels.stats.proportion import proportion_confint

import tallymark as tm
from formulas import Z, ends, wilson

PROPORTIONS = {
    "accuracy": (("tp", "tn"), ("tp", "fn", "fp", "tn")),
    "error_rate": (("fn", "fp"), ("tp", "fn", "fp", "tn")), "recall": (("tp",), ("tp", "fn")),
    "fnr": (("fn",), ("tp", "fn")), "specificity": (("tn",), ("fp", "tn")), "fpr": (("fp",), ("fp", "tn")),
    "precision": (("tp",), ("tp", "fp")), "fdr": (("fp",), ("tp", "fp")), "npv": (("tn",), ("fn", "tn")),
    "false_omission_rate": (("fn",), ("fn", "tn")), "prevalence": (("tp", "fn"), ("tp", "fn", "fp", "tn")),
    "predicted_positive_rate": (("tp", "fp"), ("tp", "fn", "fp", "tn")),
    "jaccard": (("tp",), ("tp", "fn", "fp")),
}  # fmt: skip


def of(tp: float, fn: float, fp: float, tn: float) -> tm.Evaluation:
    return tm.Confusion([[tp, fn], [fp, tn]], labels=["+", "-"]).evaluate(pos_label="+")


def test_proportions_and_f1_have_wilsons_interval() -> None:
    cells = {"tp": 30, "fn": 10, "fp": 5, "tn": 955}
    ev = of(**cells)
    for name, (top, bottom) in PROPORTIONS.items():
        hits, n = sum(cells[cell] for cell in top), sum(cells[cell] for cell in bottom)
        for level in (0.8, 0.95, 0.99):
            expected = proportion_confint(hits, n, alpha=1 - level, method="wilson")
            found = ev[name].interval(level)
            assert ends(found) == pytest.approx(expected, rel=1e-9), name
            assert (found.value, found.n) == (pytest.approx(hits / n), n), name
    # F1 = 2J / (1 + J) only rises with J.
    low, high = proportion_confint(30, 45, alpha=0.1, method="wilson")
    assert ends(ev["f1"].interval(0.9)) == pytest.approx((2 * low / (1 + low), 2 * high / (1 + high)))
    for perfect in (of(20, 0, 0, 30), of(0, 5, 5, 40)):
        low, high = ends(perfect["f1"])
        assert 0 <= low < high - 0.05 <= 0.95
    methods = {"recall": "wilson", "f1": "wilson_jaccard", "jaccard": "wilson_jaccard", "lr_plus": "log"}
    methods |= {"diagnostic_odds_ratio": "log", "informedness": "dirichlet", "g_mean": "dirichlet"}
    assert {name: ev[name].method for name in methods} == methods


def test_ratios_are_those_of_statsmodels_and_scipy() -> None:
    tables = [(670, 74, 202, 640), (32, 3, 49, 28), (5, 1, 2, 9)]
    for (tp, fn, fp, tn), level in itertools.product(tables, (0.9, 0.95, 0.99)):
        ev = of(tp, fn, fp, tn)
        odds = Table2x2(np.array([[tp, fn], [fp, tn]])).oddsratio_confint(1 - level, method="normal")
        assert ends(ev["diagnostic_odds_ratio"].interval(level)) == pytest.approx(odds, rel=1e-9)
        for name, top, bottom in (("lr_plus", tp, fp), ("lr_minus", fn, tn)):
            peer = relative_risk(top, tp + fn, bottom, fp + tn).confidence_interval(level)
            assert ends(ev[name].interval(level)) == pytest.approx((peer.low, peer.high), rel=1e-9), name
    # R package epiR, epi.tests, example 1 (Scott et al. 2008, Table 1): 3.75 (95 % CI 3.32 to 4.24).
    assert [round(end, 2) for end in ends(of(670, 74, 202, 640)["lr_plus"])] == [3.32, 4.24]
    # Simel, Samsa and Matchar (1991): var ln LR- = sens / fn + (1 - spec) / tn.
    ratio, half = (3 / 35) / (28 / 77), Z * math.sqrt((32 / 35) / 3 + (49 / 77) / 28)
    expected = ratio * math.exp(-half), ratio * math.exp(half)
    assert ends(of(32, 3, 49, 28)["lr_minus"]) == pytest.approx(expected, rel=1e-12)


def test_an_empty_cell_adds_one_half_to_every_cell() -> None:
    # Haldane (1956): lr_minus of 12.5, 0.5, 3.5, 40.5 has these limits, while its value is 0.
    found = of(12, 0, 3, 40)["lr_minus"]
    ratio = (0.5 / 13) / (40.5 / 44)
    high = ratio * math.exp(Z * math.sqrt(1 / 0.5 - 1 / 13 + 1 / 40.5 - 1 / 44))
    assert (found.value, found.low, found.high) == (0, 0, pytest.approx(high))
    for name in ("lr_plus", "lr_minus", "diagnostic_odds_ratio"):
        for at in range(4):
            cells = [12.0, 4.0, 3.0, 40.0]
            cells[at] = 0
            found = of(*cells)[name]
            assert found.value is None or 0 <= found.low < found.high < math.inf, (name, at)


def test_micro_and_weighted_averages_of_one_label_per_row_are_the_accuracy() -> None:
    ev = tm.Confusion([[50, 8, 2], [6, 70, 9], [1, 4, 30]]).evaluate()
    expected = proportion_confint(150, 180, method="wilson")
    for name in ("accuracy", "recall_micro", "precision_micro", "f1_micro", "recall_weighted"):
        assert ends(ev[name]) == pytest.approx(expected), name
    # Micro averages of other numbers follow from the accuracy a: fpr is (1 - a) / 2 with three classes.
    low, high = ends(ev["fpr_micro"])
    assert (low, high) == pytest.approx(((1 - expected[1]) / 2, (1 - expected[0]) / 2))
    # Every row has one class and is called one: the mean over classes is 1 / K whatever the table.
    for name, average in itertools.product(("prevalence", "predicted_positive_rate"), ("micro", "macro")):
        found = ev[f"{name}_{average}"]
        assert (found.value, found.low, found.high) == (pytest.approx(1 / 3), None, None), name


# --- weights ---------------------------------------------------------------------------------

# Actual, predicted, weight. Sums of weights: tp 2 + 3 + 1 = 6, fn 2, fp 1 + 1 = 2, tn 4 + 2 = 6.
# Sums of squares: tp 4 + 9 + 1 = 14, fn 4, fp 1 + 1 = 2, tn 16 + 4 = 20.
TABLE = ["yy2", "yy3", "yy1", "yn2", "ny1", "ny1", "nn4", "nn2"]
SUMS = {"tp": (6, 14), "fn": (2, 4), "fp": (2, 2), "tn": (6, 20)}


def weighted() -> tm.Evaluation:
    actual, predicted, weight = zip(*TABLE, strict=True)
    return tm.evaluate(actual, predicted, sample_weight=[int(each) for each in weight], pos_label="y")


def test_weighted_proportions_have_kishs_number_of_the_rows_they_are_of() -> None:
    ev = weighted()
    for name, (top, bottom) in PROPORTIONS.items():
        total, squares = (sum(SUMS[cell][part] for cell in bottom) for part in (0, 1))
        value, n = sum(SUMS[cell][0] for cell in top) / total, total**2 / squares
        found = ev[name]
        assert (found.value, found.n) == pytest.approx((value, n)), name
        assert ends(found) == pytest.approx(wilson(value, n)), name
    low, high = wilson(0.6, 5)
    assert ev["f1"].n == pytest.approx(5)
    assert ends(ev["f1"]) == pytest.approx((2 * low / (1 + low), 2 * high / (1 + high)))
    for name in ("recall_micro", "f1_micro", "recall_weighted"):
        assert ends(ev[name]) == pytest.approx(ends(ev["accuracy"]))
        assert ev[name].n == pytest.approx(6.4)
    # Positives count as 64/18 rows, negatives as 64/22; log lr+ has variance (1-r)/(r n+) + (1-f)/(f n-).
    variance = 0.25 / (0.75 * 64 / 18) + 0.75 / (0.25 * 64 / 22)
    assert ends(ev["lr_plus"]) == pytest.approx(
        [3 * math.exp(sign * Z * math.sqrt(variance)) for sign in (-1, 1)]
    )
    # A tally from elsewhere, with the sums of squares.
    (counts, squares) = np.array(list(SUMS.values())).T
    tally = tm.Confusion.from_cells("yn", np.arange(4), counts, squares=squares, rows=8, declared=True)
    elsewhere = tally.evaluate(pos_label="y")
    assert elsewhere.rows == 8
    assert elsewhere["recall"].to_dict() == ev["recall"].to_dict()


def test_weights_of_extreme_sizes() -> None:
    heavy = tm.evaluate([1, 0, 1, 0], [1, 0, 0, 1], sample_weight=[1e12, 1, 1, 1])["accuracy"]
    assert heavy.n == pytest.approx(1)
    assert ends(heavy) == pytest.approx(wilson(1.0, 1), abs=1e-9)
    # 4e9 squared is 1.6e19, more than 64 bits hold.
    large = tm.evaluate([1, 1, 0], [1, 0, 0], sample_weight=[4_000_000_000] * 3)
    assert large["accuracy"].n == pytest.approx(3)
    # A weight too small to square is drawn as an empty cell.
    tiny = tm.evaluate([1, 0, 1, 0], [1, 0, 0, 1], sample_weight=[1, 1, 1, 1e-200])
    assert tiny["mcc"].low == pytest.approx(tm.evaluate([1, 0, 1], [1, 0, 0])["mcc"].low, abs=1e-2)
    # 0.1 + 0.2 is not 0.3 to a computer; what has no rows must stay undefined all the same.
    dust = tm.evaluate([1, 1, 1, 1, 1], [1, 0, 1, 0, 1], sample_weight=[0.1, 0.2, 0.3, 0.7, 1e-3])
    for name in ("specificity", "fpr", "lr_plus", "informedness"):
        assert dust[name].value is None, name
        assert dust[name].why


# --- coverage, by every possible outcome -----------------------------------------------------


def test_coverage_over_every_table_of_ten_rows() -> None:
    """All 286 tables with their probability; those in which the metric has no interval are left out."""
    n, names = (
        10,
        ("recall", "precision", "accuracy", "f1", "jaccard", "lr_plus", "diagnostic_odds_ratio", "mcc"),
    )
    tables = [cells for cells in itertools.product(range(n + 1), repeat=4) if sum(cells) == n]
    limits = {name: [] for name in names}
    for cells in tables:
        ev = of(*cells)
        for name in names:
            found = ev[name]
            limits[name].append((found.low, found.high) if found.low is not None else (math.nan, math.nan))
    coverage = {}
    for prevalence, rate in ((0.5, 0.8), (0.3, 0.9)):
        truth = np.array(
            [rate, 1 - rate, (1 - prevalence) / prevalence * 0.2, (1 - prevalence) / prevalence * 0.8]
        )
        truth *= prevalence
        chance = stats.multinomial.pmf(tables, n, truth)
        exact = of(*np.rint(1000 * truth).astype(int).tolist())
        for name in names:
            low, high = np.array(limits[name], float).T
            held = (low <= float(exact[name]) + 1e-12) & (float(exact[name]) - 1e-12 <= high)
            coverage[name, prevalence] = chance[held].sum() / chance[~np.isnan(low)].sum()
    # The ratios leave out the tables in which they are infinite, so what they cover is a part only.
    least = {"lr_plus": 0.89, "diagnostic_odds_ratio": 0.87, "mcc": 0.93}
    low = {case: share for case, share in coverage.items() if not least.get(case[0], 0.94) <= share <= 1}
    assert not low, coverage
