"""Comparison of models, as the sources work it out."""

import json
import math

import numpy as np
import pytest
from scipy import stats
from textbook_cases import CASES, command, of_matrix

import tallymark as tm
from collected import each


@each("n01, n10", [(25, 10), (30, 40), (12, 3), (5, 6), (7, 7), (0, 9), (0, 0)])
def test_mcnemar(n01, n10):
    assert "M = (|n01 - n10| - 1)^2 / (n01 + n10)" in CASES["mcnemar"]["statement"]
    # Equal counts: |n01 - n10| - 1 is below 0 and counts as 0, as the interface settles.
    m = max(abs(n01 - n10) - 1, 0) ** 2 / (n01 + n10) if n01 + n10 else 0.0
    found = tm.tests.mcnemar(n01, n10, method="corrected")
    assert found.statistic == pytest.approx(m)
    assert found.df == 1
    assert (found.p_value < 0.05) == (m > 3.84)
    assert found.p_value == pytest.approx(stats.chi2.sf(m, 1))


def test_the_table_of_mcnemar_from_predictions(tmp_path):
    """n01: right by the first only; the table is printed as the sources have it."""
    counts = {"n00": 9, "n01": 25, "n10": 10, "n11": 56}
    right = {"n00": (0, 0), "n01": (1, 0), "n10": (0, 1), "n11": (1, 1)}
    lines = [f"1,{h1},{h2}" for name, n in counts.items() for h1, h2 in [right[name]] * n]
    file = tmp_path / "both.csv"
    file.write_text("\n".join(["y,h1,h2", *lines]))
    words = ("compare", str(file), "--actual", "y", "--model", "h1=h1", "--model", "h2=h2")
    printed = [line.split() for line in command(*words).splitlines()]
    assert ["h2", "wrong", "n00", "=", "9", "n01", "=", "25"] in printed
    assert ["h2", "right", "n10", "=", "10", "n11", "=", "56"] in printed
    form = json.loads(command(*words, "--json"))
    assert form["design"] == "same rows"
    assert {name: form["agreement"][0][name] for name in counts} == counts
    assert form["differences"][0]["value"] == pytest.approx(0.15)
    assert form["differences"][0]["p_value"] < 0.05


def test_independent_difference():
    case = CASES["independent-difference"]
    e1, e2, n1, n2 = (case[name] for name in ("e1", "e2", "n1", "n2"))
    expected = case["expected"]
    out = command("compare", "--accuracy", f"{1 - e1}:{n1}", "--accuracy", f"{1 - e2}:{n2}", "--json")
    (found,) = json.loads(out)["differences"]
    assert found["value"] == pytest.approx(expected["difference"])
    assert (found["high"] - found["low"]) / 2 == pytest.approx(expected["half_width"], abs=0.0005)
    assert found["se"] ** 2 == pytest.approx(expected["variance"], abs=0.00005)
    assert found["low"] < 0 < found["high"]
    assert (found["p_value"] < 0.05) == expected["significant"]
    assert found["paired"] is False
    comparison = tm.compare({"M1": (1 - e1, n1), "M2": (1 - e2, n2)})
    half = stats.norm.ppf(0.975) * math.sqrt(sum(e * (1 - e) / n for e, n in ((0.15, 30), (0.25, 5000))))
    ours = comparison["accuracy"]
    assert (ours.low, ours.high) == pytest.approx((0.1 - half, 0.1 + half))
    assert (comparison.design, comparison.winner) == ("other rows", None)


def test_paired_folds():
    assert "var = sum (d_j - mean d)^2 / (k(k-1))" in CASES["paired-folds"]["statement"]
    rng = np.random.default_rng(8)
    errors_1, errors_2 = rng.uniform(0.1, 0.3, 10), rng.uniform(0.1, 0.3, 10)
    d = errors_1 - errors_2
    k = len(d)
    variance = ((d - d.mean()) ** 2).sum() / (k * (k - 1))
    half = stats.t.ppf(0.975, k - 1) * math.sqrt(variance)
    found = tm.tests.paired_t(errors_1, errors_2)
    assert (found.low, found.high) == pytest.approx((d.mean() - half, d.mean() + half))
    folds = {"L1": errors_1, "L2": errors_2}
    comparison = tm.compare(folds, per="fold", same_folds=True, metric="error_rate")
    # The plain interval stands in the report; the verdict is that of the corrected one, which is wider.
    text = " ".join(str(comparison).split())
    assert all(f"{each:.3f}" in text for each in [*d, d.mean() - half, d.mean() + half])
    assert comparison["error_rate"].high - comparison["error_rate"].low > 2 * half


@each("pair", [("cost-5660-model-1", "cost-5660-model-2"), ("cost-500-M1", "cost-500-M2")])
def test_cost_and_accuracy_disagree(pair):
    """The more accurate of the sources' two models is the dearer one, and the other way round."""
    models = {name: of_matrix(CASES[name]) for name in pair}
    comparison = tm.compare(models, design="other rows")
    for name, model in zip(pair, comparison.models, strict=True):
        total = model.values["mean_cost"].value * np.sum(CASES[name]["matrix"])
        assert total == pytest.approx(CASES[name]["expected"]["total_cost"])
    accurate, cheap = comparison["accuracy"].ahead, comparison["mean_cost"].ahead
    assert accurate == max(models, key=lambda name: models[name]["accuracy"].value)
    assert cheap == min(models, key=lambda name: models[name]["total_cost"].value)
    assert accurate != cheap
    assert "TM016" in [finding.code for finding in comparison.findings]
