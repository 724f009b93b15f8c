"""Comparison of models, as the sources work it out."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats

import tallymark as tm


@pytest.mark.parametrize(("n01", "n10"), [(25, 10), (30, 40), (12, 3), (5, 6), (7, 7), (0, 9), (0, 0)])
def test_mcnemar(mcnemar_case, n01, n10):
    assert "M = (|n01 - n10| - 1)^2 / (n01 + n10)" in mcnemar_case["statement"]
    # Equal counts: |n01 - n10| - 1 is below 0 and counts as 0, as the interface settles.
    m = max(abs(n01 - n10) - 1, 0) ** 2 / (n01 + n10) if n01 + n10 else 0.0
    found = tm.tests.mcnemar(n01, n10)
    assert found.statistic == pytest.approx(m)
    assert found.df == 1
    assert (found.p_value < 0.05) == (m > 3.84)
    assert found.p_value == pytest.approx(stats.chi2.sf(m, 1))


def test_mcnemar_from_answers(mcnemar_case, tmp_path, run):
    """n01: right by the first only; the table is printed as the sources have it."""
    counts = {"n00": 9, "n01": 25, "n10": 10, "n11": 56}
    right = {"n00": (0, 0), "n01": (1, 0), "n10": (0, 1), "n11": (1, 1)}
    lines = [f"1,{h1},{h2}" for name, n in counts.items() for h1, h2 in [right[name]] * n]
    file = tmp_path / "both.csv"
    file.write_text("\n".join(["y,h1,h2", *lines]))
    out = run("compare", str(file), "--actual", "y", "--model", "h1=h1", "--model", "h2=h2")
    printed = [line.split() for line in out.splitlines()]
    assert ["h2", "wrong", "n00", "=", "9", "n01", "=", "25"] in printed
    assert ["h2", "right", "n10", "=", "10", "n11", "=", "56"] in printed
    assert "(|25 - 10| - 1)^2 / (25 + 10) = 5.600" in " ".join(out.split())
    assert "'h1' is better than 'h2'" in out
    assert "3.84" in mcnemar_case["statement"]
    form = json.loads(
        run("compare", str(file), "--actual", "y", "--model", "h1=h1", "--model", "h2=h2", "--json")
    )
    assert form["design"] == "same rows"
    assert {name: form["agreement"][0][name] for name in counts} == counts
    assert form["differences"][0]["p_value"] == pytest.approx(stats.chi2.sf(14**2 / 35, 1))


def test_independent_difference(independent_difference_case, run):
    case = independent_difference_case
    e1, e2, n1, n2 = (case[name] for name in ("e1", "e2", "n1", "n2"))
    expected = case["expected"]
    out = run("compare", "--accuracy", f"{1 - e1}:{n1}", "--accuracy", f"{1 - e2}:{n2}", "--json")
    (found,) = json.loads(out)["differences"]
    assert found["value"] == pytest.approx(expected["difference"])
    assert (found["high"] - found["low"]) / 2 == pytest.approx(expected["half_width"], abs=0.0005)
    assert found["se"] ** 2 == pytest.approx(expected["variance"], abs=0.00005)
    assert found["low"] < 0 < found["high"]
    assert (found["p_value"] < 0.05) == expected["significant"]
    assert found["paired"] is False
    assert json.loads(out)["verdict"].startswith("cannot tell")


def test_independent_difference_in_python(independent_difference_case):
    case = independent_difference_case
    comparison = tm.compare({"M1": (1 - case["e1"], case["n1"]), "M2": (1 - case["e2"], case["n2"])})
    found = comparison["accuracy"]
    variance = sum(e * (1 - e) / n for e, n in ((0.15, 30), (0.25, 5000)))
    half = stats.norm.ppf(0.975) * math.sqrt(variance)
    assert (found.low, found.high) == pytest.approx((0.1 - half, 0.1 + half))
    assert comparison.design == "other rows"
    assert comparison.winner is None


def test_paired_folds(paired_folds_case):
    assert "var = sum (d_j - mean d)^2 / (k(k-1))" in paired_folds_case["statement"]
    rng = np.random.default_rng(8)
    errors_1, errors_2 = rng.uniform(0.1, 0.3, 10), rng.uniform(0.1, 0.3, 10)
    d = errors_1 - errors_2
    k = len(d)
    variance = ((d - d.mean()) ** 2).sum() / (k * (k - 1))
    half = stats.t.ppf(0.975, k - 1) * math.sqrt(variance)
    found = tm.tests.paired_t(errors_1, errors_2)
    assert (found.low, found.high) == pytest.approx((d.mean() - half, d.mean() + half))
    comparison = tm.compare(
        {"L1": errors_1, "L2": errors_2}, per="fold", same_folds=True, metric="error_rate"
    )
    # The plain interval stands in the report; the verdict is that of the corrected one, which is wider.
    assert f"[{d.mean() - half:.3f}, {d.mean() + half:.3f}]" in str(comparison)
    assert comparison["error_rate"].high - comparison["error_rate"].low > 2 * half
    assert all(f"{each:.3f}" in str(comparison) for each in d)


@pytest.mark.parametrize("pair", [("cost-5660-model-1", "cost-5660-model-2"), ("cost-500-M1", "cost-500-M2")])
def test_cost_and_accuracy_disagree(all_cases, pair):
    """The more accurate of the sources' two models is the dearer one, and the other way round."""
    cases = [all_cases[name] for name in pair]
    models = {
        case["id"]: tm.Confusion(case["matrix"], labels=case["labels"]).evaluate(costs=case["costs"])
        for case in cases
    }
    comparison = tm.compare(models, design="other rows")
    for case, model in zip(cases, comparison.models, strict=True):
        expected = case["expected"]
        total = model.values["mean_cost"].value * np.sum(case["matrix"])
        assert total == pytest.approx(expected["total_cost"])
    accurate, cheap = comparison["accuracy"].ahead, comparison["mean_cost"].ahead
    assert accurate == max(models, key=lambda name: models[name]["accuracy"].value)
    assert cheap == min(models, key=lambda name: models[name]["total_cost"].value)
    assert accurate != cheap
    assert "TM016" in [finding.code for finding in comparison.findings]
