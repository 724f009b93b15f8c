"""`tallymark explain`. The counts are those of the sources' summary page: 282, 75, 462, 4841."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tallymark.metrics import METRICS, SCORE_METRICS, SET_METRICS, formulas

COUNTS = ("--tp", "282", "--fn", "75", "--fp", "462", "--tn", "4841")


def test_in_general(run: Any) -> None:
    result = run("explain", "sensitivity")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("recall: ")
    assert "recall = tp / (tp + fn)\n" in result.out


@pytest.mark.parametrize("name", ["precision_macro", "mcc_macro", "f_beta:2", "f_beta_macro:2", "total_cost"])
def test_every_kind_of_name(run: Any, name: str) -> None:
    form = run("explain", name, "--json").json
    assert (form["schema"], form["name"], form["value"]) == ("tallymark/explanation/1", name, None)


@pytest.mark.parametrize("name", ["f_beta", "f_beta_macro", "weighted_accuracy", "weighted_accuracy_micro"])
def test_parameters_need_no_numbers_without_counts(run: Any, name: str) -> None:
    form = run("explain", name, "--json").json
    assert (form["name"], form["value"]) == (name, None)
    stem = name.removesuffix("_macro").removesuffix("_micro")
    texts = [step["text"] for step in form["steps"]]
    assert any(text.endswith(f"= {formulas.text(METRICS[stem].formula)}") for text in texts)
    assert any(text.startswith(f"{METRICS[stem].parameters[0]}: ") for text in texts)


def test_text_fits_the_page(run: Any) -> None:
    few = ("--tp", "5", "--fn", "1", "--fp", "1", "--tn", "10")
    for name in METRICS:
        assert max(map(len, run("explain", name).out.splitlines())) <= 100
    for name in ("lr_plus", "mcc", "kappa", "f_beta:2"):
        assert max(map(len, run("explain", name, *few).out.splitlines())) <= 100


def test_with_counts(run: Any) -> None:
    result = run("explain", "recall", *COUNTS)
    assert "= 282 / (282 + 75)\n" in result.out
    assert run("explain", "recall", *COUNTS, "--json").json["value"] == pytest.approx(282 / 357)


def test_confidence(run: Any) -> None:
    assert "95 % Wilson" in run("explain", "recall", *COUNTS).out
    assert "80 % Wilson" in run("explain", "recall", *COUNTS, "--confidence", "0.8").out


def test_undefined(run: Any) -> None:
    form = run("explain", "recall", "--tp", "0", "--fn", "0", "--fp", "1", "--tn", "1", "--json").json
    assert (form["value"], form["why"]) == (None, "no row is actually positive (tp + fn = 0)")


def test_latex(run: Any) -> None:
    result = run("explain", "recall", *COUNTS, "--latex")
    assert (result.code, result.err) == (0, "")
    assert r"\frac{282}{282 + 75}" in result.out
    assert run("explain", "recall", *COUNTS, "-o", "recall.tex").code == 0
    assert Path("recall.tex").read_text() == result.out


def test_all_numbers_of_four_counts(run: Any) -> None:
    result = run("explain", *COUNTS)
    assert (result.code, result.err) == (0, "")
    assert "\nrecall = tp / (tp + fn) = 282 / (282 + 75) = 0.7899\n" in result.out
    assert "\ninformedness = recall + specificity - 1 = 0.7899 + 0.9129 - 1 = 0.7028\n" in result.out
    assert max(map(len, result.out.splitlines())) <= 100
    explained = run("explain", *COUNTS, "--json").json
    assert explained["schema"] == "tallymark/explanations/1"
    by_name = {one["name"]: one["value"] for one in explained["explanations"]}
    assert by_name["precision"] == pytest.approx(282 / 744)
    assert set(by_name) == set(METRICS) - {"total_cost", "mean_cost", "f_beta", "weighted_accuracy"}


def test_all_numbers_say_which_are_undefined(run: Any) -> None:
    result = run("explain", "--tp", "0", "--fn", "0", "--fp", "1", "--tn", "1")
    assert "\nrecall = tp / (tp + fn): undefined, no row is actually positive (tp + fn = 0)\n" in result.out
    assert "\nspecificity = tn / (fp + tn) = 1 / (1 + 1) = 0.5000\n" in result.out
    left_out = "(1 of 2 classes; undefined for ['positive'])"
    assert f"\nbalanced_accuracy = sum(recall_k) / K = 0.5000 {left_out}\n" in result.out


def test_names(run: Any) -> None:
    result = run("explain")
    assert (result.code, result.err) == (0, "")
    words = result.out.replace("\n", " ").replace(",", " ").replace(".", " ").split()
    assert all(name in words for name, metric in METRICS.items() if not metric.parameters)
    assert "f_beta:BETA" in words
    assert "`tallymark metrics`" in result.out
    assert [one["name"] for one in run("explain", "--json").json["explanations"]] == [
        *METRICS,
        *SCORE_METRICS,
        *SET_METRICS,
    ]


@pytest.mark.parametrize(
    "asked", [["recall"], ["recall", *COUNTS], COUNTS, []], ids=["in general", "worked", "all", "names"]
)
@pytest.mark.parametrize("suffix", ["md", "html", "tex"])
def test_every_format(run: Any, tmp_path: Path, asked: list[str], suffix: str) -> None:
    done = run("explain", *asked, "-o", f"explained.{suffix}")
    assert (done.code, done.err) == (0, f"wrote explained.{suffix}\n")
    written = (tmp_path / f"explained.{suffix}").read_text()
    assert "recall" in written
    assert ("282" in written) == (COUNTS[1] in asked)
