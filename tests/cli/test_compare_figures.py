"""`tallymark compare` of models of which only figures are known: accuracies, and confusion matrices."""

from __future__ import annotations

from typing import Any

import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep


def compared(run: Any, *arguments: str) -> Any:
    return run("compare", *arguments, "--json").json


def by_metric(form: Any) -> dict[str, Any]:
    return {each["metric"]: each for each in form["differences"]}


def test_accuracies_as_given(run: Any) -> None:
    """The sources' worked example: 0.100 +- 0.128."""
    form = compared(run, "--accuracy", "0.85:30", "--accuracy", "M2=0.75:5000")
    (found,) = form["differences"]
    half = stats.norm.isf(0.025) * (0.85 * 0.15 / 30 + 0.75 * 0.25 / 5000) ** 0.5
    assert (found["value"], found["low"], found["high"]) == pytest.approx((0.1, 0.1 - half, 0.1 + half))
    assert round(half, 3) == 0.128
    assert (found["a"], found["b"], found["paired"]) == ("M1", "M2", False)
    assert form["verdict"].startswith("cannot tell: 'M1' has accuracy 0.850 and 'M2' 0.750, ")


@pytest.mark.parametrize(
    ("method", "theirs"), [("wald", "wald"), ("newcombe", "newcomb"), ("agresti_caffo", "agresti-caffo")]
)
def test_interval_by_name(run: Any, method: str, theirs: str) -> None:
    call = ("--accuracy", "0.8:70", "--accuracy", "0.6:80", "--method", method)
    (found,) = compared(run, *call)["differences"]
    expected = confint_proportions_2indep(56, 70, 48, 80, method=theirs, compare="diff")
    assert (found["low"], found["high"]) == pytest.approx(expected, abs=1e-6)
    assert found["method"] == method


@pytest.mark.parametrize(
    ("method", "low", "high"), [("mee", 0.0533, 0.3377), ("miettinen_nurminen", 0.0528, 0.3382)]
)
def test_score_interval(run: Any, method: str, low: float, high: float) -> None:
    """Example (a) of Newcombe, Statistics in Medicine 17 (1998) 873-890, table II."""
    call = ("--accuracy", "0.8:70", "--accuracy", "0.6:80", "--method", method)
    (found,) = compared(run, *call)["differences"]
    assert (round(found["low"], 4), round(found["high"], 4)) == (low, high)


def test_three_accuracies(run: Any) -> None:
    form = compared(
        run, *(f"--accuracy={name}={share}:400" for name, share in zip("abc", (0.9, 0.8, 0.6), strict=True))
    )
    raw = [each["p_value"] for each in form["differences"]]
    expected = multipletests(raw, method="holm")[1]
    assert [each["p_adjusted"] for each in form["differences"]] == pytest.approx(expected)
    assert form["winner"] == "a"


def test_matrices(run: Any) -> None:
    """The sources' pair of which the more accurate model is the more expensive one."""
    pair = ("--matrix", "M1=150 40; 60 250", "--matrix", "M2=250 45; 5 200", "--labels", "+,-")
    form = compared(run, *pair, "--costs", "-1 100; 1 0")
    found = by_metric(form)
    assert form["design"] == "other rows"
    assert found["accuracy"]["value"] == pytest.approx(0.8 - 0.9)
    assert found["mean_cost"]["value"] == pytest.approx((3910 - 4255) / 500)
    assert [finding["code"] for finding in form["findings"]] == ["TM016"]


def test_matrices_of_the_same_rows(run: Any) -> None:
    """The least sure pairing: M1 and M2 are wrong on no row together, as far as the classes allow."""
    pair = ("--matrix", "M1=150 40; 60 250", "--matrix", "M2=170 20; 40 270")
    found = by_metric(compared(run, *pair, "--same-rows", "--test", "corrected"))["accuracy"]
    assert found["value"] == pytest.approx(0.8 - 0.88)
    # All 60 rows that M2 gets wrong are right in M1, and all 100 of M1 right in M2.
    expected = mcnemar([[0, 60], [100, 0]], exact=False, correction=True).pvalue
    assert found["p_value"] == pytest.approx(expected)
    refused = run("compare", *pair)
    assert refused.code == 2
    assert "nothing tells whether 'M1' and 'M2' have the same rows" in refused.err
