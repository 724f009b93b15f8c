"""`tallymark compare --per`: scores by fold, and by data set."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

FOLDS = 10
SETS = 9
MODELS = ("tree", "forest", "bayes")
RANDOM = np.random.default_rng(4)
BY_FOLD = {
    name: np.round(0.8 + shift + RANDOM.normal(0, 0.02, FOLDS), 4)
    for name, shift in zip(MODELS, (0.0, 0.03, -0.01), strict=True)
}
BY_SET = {
    name: np.round(np.linspace(0.6, 0.9, SETS) + shift + RANDOM.normal(0, 0.01, SETS), 4)
    for name, shift in zip(MODELS, (0.0, 0.02, -0.01), strict=True)
}
OF_SETS = [f"set {number}" for number in range(SETS)]
TWO = ("two.csv", "--per", "fold")
THREE = ("sets.csv", "--per", "dataset")


@pytest.fixture(autouse=True)
def files(run: Any) -> None:
    folds = range(1, FOLDS + 1)
    pl.DataFrame({"fold": folds, **{name: BY_FOLD[name] for name in MODELS[:2]}}).write_csv("two.csv")
    pl.DataFrame({"fold": folds, **BY_FOLD}).write_csv("folds.csv")
    pl.DataFrame({"dataset": OF_SETS, **BY_SET}).write_csv("sets.csv")


def compared(run: Any, *arguments: str, **more: Any) -> Any:
    return run("compare", *arguments, "--json", **more).json


# --- folds -----------------------------------------------------------------------------------


def corrected(differences: Any, ratio: float) -> tuple[float, float, float]:
    """Nadeau and Bengio's t test: p and both ends."""
    n = len(differences)
    error = (differences.var(ddof=1) * (1 / n + ratio)) ** 0.5
    half = stats.t.isf(0.025, n - 1) * error
    mean = differences.mean()
    return 2 * stats.t.sf(abs(mean) / error, n - 1), mean - half, mean + half


def test_two_models_by_fold(run: Any) -> None:
    form = compared(run, *TWO)
    assert (form["design"], form["metric"], form["winner"]) == ("same folds", "accuracy", "forest")
    (found,) = form["differences"]
    differences = BY_FOLD["tree"] - BY_FOLD["forest"]
    assert (found["p_value"], found["low"], found["high"]) == pytest.approx(corrected(differences, 1 / 9))
    assert form["folds"]["pairs"][0]["differences"] == pytest.approx(differences.tolist())
    plain = next(each for each in form["tests"] if each["method"] == "paired t")
    expected = stats.ttest_rel(BY_FOLD["tree"], BY_FOLD["forest"])
    assert (plain["statistic"], plain["p_value"]) == pytest.approx((expected.statistic, expected.pvalue))
    text = run("compare", *TWO).out
    assert "too often finds a difference that is not there" in " ".join(text.split())
    assert f"With {FOLDS} folds a difference is found in 80 % of cases" in text


def test_sizes_and_runs_of_folds(run: Any) -> None:
    differences = BY_FOLD["tree"] - BY_FOLD["forest"]
    (found,) = compared(run, *TWO, "--n-train", "200", "--n-test", "100")["differences"]
    assert found["p_value"] == pytest.approx(corrected(differences, 0.5)[0])
    (found,) = compared(run, *TWO, "--runs", "2")["differences"]
    assert found["p_value"] == pytest.approx(corrected(differences, 1 / 4)[0])
    (found,) = compared(run, *TWO, "--independent-training")["differences"]
    assert found["p_value"] == pytest.approx(stats.ttest_rel(BY_FOLD["tree"], BY_FOLD["forest"]).pvalue)
    five = {each["method"] for each in compared(run, *TWO, "--runs", "5")["tests"]}
    assert sum("5x2" in method for method in five) == 2


def test_three_models_by_fold(run: Any) -> None:
    form = compared(run, "folds.csv", "--per", "fold")
    raw = [corrected(BY_FOLD[a] - BY_FOLD[b], 1 / 9)[0] for a, b in combinations(MODELS, 2)]
    assert [each["p_value"] for each in form["differences"]] == pytest.approx(raw)
    adjusted = multipletests(raw, method="holm")[1]
    assert [each["p_adjusted"] for each in form["differences"]] == pytest.approx(adjusted)


def test_models_of_the_table(run: Any) -> None:
    chosen = compared(run, "folds.csv", "--per", "fold", "--model", "forest", "--model", "tree")
    assert [model["name"] for model in chosen["models"]] == ["forest", "tree"]
    straight = compared(run, *TWO)["differences"][0]
    assert chosen["differences"][0]["value"] == pytest.approx(-straight["value"])
    named = compared(run, "folds.csv", "--per", "fold", "--model", "A=tree", "--model", "B=forest")
    assert [model["name"] for model in named["models"]] == ["A", "B"]
    assert named["differences"][0] | {"a": "tree", "b": "forest"} == straight


def test_long_tables_percent_and_standard_input(run: Any) -> None:
    straight = compared(run, *TWO)["differences"]
    lines = [
        f"{fold},{name},{100 * score:.2f}"
        for name in MODELS[:2]
        for fold, score in enumerate(BY_FOLD[name].tolist(), start=1)
    ]
    long = "\n".join(["part,learner,points", *lines]) + "\n"
    (found,) = compared(
        run, "-", "--per", "fold", "--scale", "percent", "--columns", "fold=part,model=learner,score=points",
        "--metric", "accuracy",
        stdin=long,
    )["differences"]  # fmt: skip
    for key in ("value", "low", "high", "p_value"):
        assert found[key] == pytest.approx(straight[0][key])


def test_lower_is_better(run: Any) -> None:
    assert compared(run, *TWO, "--metric", "log_loss")["winner"] == "tree"
    assert compared(run, *TWO, "--metric", "profit", "--better", "higher")["winner"] == "forest"
    assert compared(run, *TWO, "--metric", "minutes", "--better", "lower")["winner"] == "tree"


def test_a_missing_fold_is_left_out(run: Any) -> None:
    lines = Path("two.csv").read_text().splitlines()
    lines[3] = "3,,0.8"
    Path("gap.csv").write_text("\n".join(lines) + "\n")
    form = compared(run, "gap.csv", "--per", "fold", "--drop-missing")
    assert (
        "1 fold was left out for all models, because a score is missing: 'tree' on fold 3, at line 4."
        in (form["notes"])
    )
    differences = np.delete(BY_FOLD["tree"] - BY_FOLD["forest"], 2)
    assert form["differences"][0]["value"] == pytest.approx(differences.mean())


@pytest.mark.parametrize(
    ("scores", "why"),
    [
        ("1,0.8,0.85", "one fold does not show how much folds vary"),
        ("1,0.8,0.7\n2,0.7,0.6\n3,0.9,0.8", "the difference is 0.1 in every fold"),
    ],
    ids=["one fold", "no spread"],
)
def test_no_test(run: Any, scores: str, why: str) -> None:
    form = compared(run, "-", "--per", "fold", stdin=f"fold,a,b\n{scores}\n")
    assert form["differences"][0]["p_value"] is None
    assert form["verdict"].startswith("cannot tell: ")
    assert why in form["verdict"]


def test_equal_scores(run: Any) -> None:
    form = compared(run, "-", "--per", "fold", stdin="fold,a,b\n1,0.8,0.8\n2,0.7,0.7\n")
    assert (form["differences"][0]["value"], form["differences"][0]["p_value"]) == (0, 1)


@pytest.mark.parametrize("kind", ["folds", "differences", "posterior"])
def test_pictures_of_folds(run: Any, kind: str) -> None:
    assert run("compare", *TWO, "--picture", kind, "-o", "out.svg").code == 0
    assert Path("out.svg").stat().st_size


# --- data sets -------------------------------------------------------------------------------


def test_two_models_by_data_set(run: Any) -> None:
    form = compared(run, *THREE, "--model", "tree", "--model", "forest")
    assert (form["design"], form["winner"]) == ("many data sets", "forest")
    (found,) = form["differences"]
    expected = stats.wilcoxon(BY_SET["tree"], BY_SET["forest"], method="exact").pvalue
    assert (found["test"], found["p_value"]) == ("Wilcoxon signed-rank, exact", pytest.approx(expected))
    wins = int((BY_SET["tree"] > BY_SET["forest"]).sum())
    sign = next(each for each in form["tests"] if each["method"].startswith("sign"))
    assert sign["p_value"] == pytest.approx(stats.binomtest(wins, SETS).pvalue)


def test_three_models_by_data_set(run: Any) -> None:
    form = compared(run, *THREE)
    raw = [stats.wilcoxon(BY_SET[a], BY_SET[b], method="exact").pvalue for a, b in combinations(MODELS, 2)]
    assert [each["p_value"] for each in form["differences"]] == pytest.approx(raw)
    adjusted = multipletests(raw, method="holm")[1]
    assert [each["p_adjusted"] for each in form["differences"]] == pytest.approx(adjusted)
    found = {each["method"]: each for each in form["tests"]}
    expected = stats.friedmanchisquare(*BY_SET.values())
    assert found["Friedman"]["p_value"] == pytest.approx(expected.pvalue)
    text = run("compare", *THREE).out
    # Nemenyi's q for three models at 5 % is 2.343 (Demsar 2006, table 5a).
    assert f"critical difference at 5 % is {2.343 * (3 * 4 / (6 * SETS)) ** 0.5:.2f}" in text


def test_one_sided_by_data_set(run: Any) -> None:
    call = (*THREE, "--model", "tree", "--model", "forest", "--alternative", "less")
    expected = stats.wilcoxon(BY_SET["tree"], BY_SET["forest"], method="exact", alternative="less").pvalue
    assert compared(run, *call)["differences"][0]["p_value"] == pytest.approx(expected)


def test_twenty_models(run: Any) -> None:
    random = np.random.default_rng(2)
    table = {f"model {number}": random.uniform(0.6, 0.9, 12).round(3) for number in range(20)}
    pl.DataFrame({"dataset": [f"d{row}" for row in range(12)], **table}).write_csv("twenty.csv")
    form = compared(run, "twenty.csv", "--per", "dataset", "--adjust", "shaffer")
    assert len(form["differences"]) == 190
    result = run("compare", "twenty.csv", "--per", "dataset", "-o", "out.png")
    assert (result.code, result.err) == (0, "wrote out.png\n")


@pytest.mark.parametrize("kind", ["critical-difference", "differences", "scores"])
def test_pictures_of_data_sets(run: Any, kind: str) -> None:
    assert run("compare", *THREE, "--picture", kind, "-o", "out.svg").code == 0
    assert "forest" in Path("out.svg").read_text()


# --- what WEKA's Experimenter writes ---------------------------------------------------------


def experiment() -> tuple[str, dict[tuple[str, str], Any]]:
    random = np.random.default_rng(8)
    lines = ["Key_Dataset,Key_Run,Key_Fold,Key_Scheme,Number_of_training_instances,"
             "Number_of_testing_instances,Percent_correct"]  # fmt: skip
    scores = {}
    for data, mean in (("iris", 94.0), ("glass", 68.0), ("zoo", 90.0)):
        for scheme, shift in (("weka.classifiers.rules.ZeroR", -30.0), ("weka.classifiers.trees.J48", 0.0)):
            found = np.round(mean + shift + random.normal(0, 4, 10), 3)
            scores[data, scheme.rpartition(".")[2]] = found
            lines += [f"{data},1,{fold},{scheme},135,15,{score}" for fold, score in enumerate(found, start=1)]
    return "\n".join(lines) + "\n", scores


def test_experimenter(run: Any) -> None:
    content, scores = experiment()
    Path("experiment.csv").write_text(content)
    call = ("experiment.csv", "--per", "dataset", "--baseline", "J48")
    form = compared(run, *call)
    assert [model["name"] for model in form["models"]] == ["ZeroR", "J48"]
    assert form["notes"][0].startswith(
        "WEKA's Experimenter wrote this table; Percent_correct is read as accuracy"
    )
    mean, spread = scores["iris", "J48"].mean(), scores["iris", "J48"].std(ddof=1)
    text = run("compare", *call).out
    assert f"{mean:.2f}({spread:.2f})" in text.replace("( ", "(")
    assert "(0/0/3)" in text
    assert run("compare", *call, "-o", "out.tex").code == 0
    assert "(0/0/3)" in Path("out.tex").read_text()
