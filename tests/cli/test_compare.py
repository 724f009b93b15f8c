"""`tallymark compare` of models on the same rows, and on other ones."""

from __future__ import annotations

import gzip
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats
from sklearn import metrics
from statsmodels.stats.contingency_tables import cochrans_q, mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep

ROWS = 300
NAMES = ("tree", "forest", "coin")
BY_COLUMN = ("one.csv", "--actual", "y", "--model", "tree=tree", "--model", "forest=forest")
ANSWERS = ("one.csv", "--actual", "y", *(f"--model={name}={name}_says" for name in NAMES))
BY_FILE = ("tree.csv", "forest.csv")


def data() -> dict[str, Any]:
    """Three models' scores and answers: one good, one better, one that tosses a coin."""
    random = np.random.default_rng(6)
    y = random.integers(0, 2, ROWS)
    scores = {
        name: np.round(1 / (1 + np.exp(-(2 * y - 1) * pull - random.normal(0, 1.2, ROWS))), 3)
        for name, pull in zip(NAMES, (0.9, 1.5, 0.0), strict=True)
    }
    answers = {f"{name}_says": (score >= 0.5).astype(int) for name, score in scores.items()}
    site, weight = random.integers(0, 30, ROWS), random.integers(1, 4, ROWS)
    return {"id": np.arange(500, 500 + ROWS), "y": y, **scores, **answers, "site": site, "w": weight}


DATA = data()
RIGHT = np.array([DATA[f"{name}_says"] == DATA["y"] for name in NAMES])


def write(name: str, order: Any = None, **columns: str) -> None:
    """A file with columns of the data, under other names and in another order of the rows."""
    rows = np.arange(ROWS) if order is None else order
    pl.DataFrame({new: DATA[old][rows] for new, old in columns.items()}).write_csv(name)


@pytest.fixture(autouse=True)
def files(run: Any) -> None:
    pl.DataFrame(DATA).write_csv("one.csv")
    for name in NAMES:
        write(f"{name}.csv", id="id", actual="y", predicted=f"{name}_says", w="w", site="site")
        write(f"{name}_scores.csv", id="id", actual="y", score=name)
    shuffled = np.random.default_rng(1).permutation(ROWS)
    write("shuffled.csv", shuffled, id="id", actual="y", predicted="forest_says")


def compared(run: Any, *arguments: str, **more: Any) -> Any:
    form = run("compare", *arguments, "--json", **more).json
    assert form["schema"] == "tallymark/comparison/1"
    return form


def by_metric(form: Any) -> dict[str, Any]:
    return {each["metric"]: each for each in form["differences"]}


def table_of(a: int, b: int) -> list[list[int]]:
    """Both right, a only; b only, neither."""
    one, two = RIGHT[a], RIGHT[b]
    return [
        [int((one & two).sum()), int((one & ~two).sum())],
        [int((~one & two).sum()), int((~one & ~two).sum())],
    ]


# --- the same rows ---------------------------------------------------------------------------


def test_columns_of_one_file(run: Any) -> None:
    form = compared(run, *BY_COLUMN)
    assert (form["design"], form["metric"]) == ("same rows", "accuracy")
    assert [model["name"] for model in form["models"]] == ["tree", "forest"]
    found = by_metric(form)
    values = {
        "accuracy": metrics.accuracy_score,
        "recall": metrics.recall_score,
        "precision": metrics.precision_score,
        "f1": metrics.f1_score,
        "mcc": metrics.matthews_corrcoef,
    }
    for name, score in values.items():
        one, two = (score(DATA["y"], DATA[f"{model}_says"]) for model in NAMES[:2])
        assert found[name]["value"] == pytest.approx(one - two)
        assert found[name]["low"] < found[name]["value"] < found[name]["high"]
    of_scores = {
        "auc": metrics.roc_auc_score,
        "brier": metrics.brier_score_loss,
        "log_loss": metrics.log_loss,
    }
    for name, score in of_scores.items():
        one, two = (score(DATA["y"], DATA[model]) for model in NAMES[:2])
        assert found[name]["value"] == pytest.approx(one - two)
    assert all(each["paired"] for each in found.values())
    assert form["winner"] == "forest"
    assert form["verdict"].startswith("'forest' is better than 'tree': accuracy ")


def test_the_two_by_two_table(run: Any) -> None:
    form = compared(run, *BY_FILE)
    (both, a_only), (b_only, neither) = table_of(0, 1)
    assert form["agreement"] == [
        {"a": "tree", "b": "forest", "n00": neither, "n01": a_only, "n10": b_only, "n11": both}
    ]
    text = run("compare", *BY_FILE).out
    assert f"'tree' alone is right on {a_only} and 'forest' alone on {b_only} rows" in text
    assert f"n01 = {a_only}" in text


@pytest.mark.parametrize("test", ["corrected", "uncorrected", "exact", "mid_p"])
def test_mcnemar_as_asked(run: Any, test: str) -> None:
    found = by_metric(compared(run, *BY_FILE, "--test", test))["accuracy"]
    table = table_of(0, 1)
    if test == "mid_p":
        least, all_ = min(table[0][1], table[1][0]), table[0][1] + table[1][0]
        law = stats.binom(all_, 0.5)
        expected = min(1.0, 2 * law.cdf(least) - law.pmf(least))
    else:
        expected = mcnemar(table, exact=test == "exact", correction=test == "corrected").pvalue
    assert found["p_value"] == pytest.approx(expected)
    assert found["test"] == f"McNemar, {test.replace('_', '-')}"


def test_one_sided(run: Any) -> None:
    both, less, greater = (
        by_metric(compared(run, *BY_FILE, "--test", "exact", "--alternative", side))["accuracy"]["p_value"]
        for side in ("two-sided", "less", "greater")
    )
    only = table_of(0, 1)[0][1], table_of(0, 1)[1][0]
    assert less == pytest.approx(stats.binomtest(only[0], sum(only), alternative="less").pvalue)
    assert greater == pytest.approx(stats.binomtest(only[0], sum(only), alternative="greater").pvalue)
    assert both == pytest.approx(2 * less)


def test_swapped_answers(run: Any) -> None:
    """The share of the ways to swap the models that set them as far apart, by the binomial distribution."""
    found = by_metric(compared(run, *BY_FILE, "--test", "permutation", "--permutations", "20000"))["accuracy"]
    only = table_of(0, 1)[0][1], table_of(0, 1)[1][0]
    expected = stats.binomtest(only[0], sum(only)).pvalue
    assert found["test"] == "permutation, rows swapped"
    assert found["p_value"] == pytest.approx(expected, abs=4 * (expected / 20000) ** 0.5 + 2 / 20000)


def test_three_models(run: Any) -> None:
    form = compared(run, *ANSWERS, "--test", "corrected")
    of_accuracy = [each for each in form["differences"] if each["metric"] == "accuracy"]
    assert [(each["a"], each["b"]) for each in of_accuracy] == list(combinations(NAMES, 2))
    raw = [
        mcnemar(table_of(*pair), exact=False, correction=True).pvalue for pair in combinations(range(3), 2)
    ]
    assert [each["p_value"] for each in of_accuracy] == pytest.approx(raw)
    assert [each["p_adjusted"] for each in of_accuracy] == pytest.approx(multipletests(raw, method="holm")[1])
    (omnibus,) = [each for each in form["tests"] if each["method"] == "Cochran's Q"]
    expected = cochrans_q(RIGHT.T.astype(int))
    assert (omnibus["statistic"], omnibus["p_value"]) == pytest.approx((expected.statistic, expected.pvalue))
    assert form["winner"] == "forest"


@pytest.mark.parametrize("adjust", ["shaffer", "bergmann_hommel", "bonferroni"])
def test_adjusted_as_asked(run: Any, adjust: str) -> None:
    form = compared(run, *ANSWERS, "--metric", "accuracy", "--adjust", adjust)
    raw = np.array([each["p_value"] for each in form["differences"]][:3])
    found = np.array([each["p_adjusted"] for each in form["differences"]][:3])
    least, middle, most = np.argsort(raw)
    assert found[least] == pytest.approx(min(1.0, 3 * raw[least]))
    # With three models, once one pair differs only one other hypothesis can hold (Shaffer 1986).
    more = 3 if adjust == "bonferroni" else 1
    for place in (middle, most):
        assert found[place] == pytest.approx(max(found[least], min(1.0, more * raw[place])))


def test_areas_under_the_curve(run: Any) -> None:
    """DeLong's test, pair by pair of rows."""
    found = compared(run, *BY_COLUMN, "--metric", "auc")["differences"][0]
    positive = DATA["y"] == 1
    placed = []
    for name in NAMES[:2]:
        higher = DATA[name][positive][:, None] - DATA[name][~positive][None, :]
        placed.append((higher > 0) + 0.5 * (higher == 0))
    apart = placed[0] - placed[1]
    variance = apart.mean(1).var(ddof=1) / positive.sum() + apart.mean(0).var(ddof=1) / (~positive).sum()
    assert found["value"] == pytest.approx(apart.mean())
    assert found["p_value"] == pytest.approx(2 * stats.norm.sf(abs(apart.mean()) / variance**0.5))
    assert found["test"] == "DeLong, paired"


def test_rows_are_matched_by_id(run: Any) -> None:
    straight = compared(run, *BY_FILE)
    shuffled = compared(run, "--model", "tree=tree.csv", "--model", "forest=shuffled.csv", "--id", "id")
    assert shuffled["agreement"] == straight["agreement"]
    assert shuffled["differences"] == straight["differences"]
    assert "rows were matched by their id." in shuffled["notes"]
    guessed = compared(run, "tree.csv", "shuffled.csv")
    assert "column 'id' was taken as id (guessed from its name)." in guessed["notes"]


def test_rows_without_ids(run: Any) -> None:
    for name in NAMES[:2]:
        write(f"{name}.csv", actual="y", predicted=f"{name}_says")
    form = compared(run, *BY_FILE)
    assert form["design"] == "same rows"
    assert form["notes"][0] == (
        f"rows are taken as the same in the same order: the actual classes agree in all {ROWS}."
    )
    write("half.csv", np.arange(ROWS // 2), actual="y", predicted="forest_says")
    form = compared(run, "tree.csv", "half.csv")
    assert form["design"] == "other rows"
    assert f"'tree' has {ROWS}, 'half' has {ROWS // 2}" in form["notes"][0]


def test_missing_answers_are_left_out_of_all(run: Any) -> None:
    lines = Path("forest.csv").read_text().splitlines()
    fields = lines[7].split(",")
    lines[7] = ",".join([*fields[:2], "", *fields[3:]])
    Path("gap.csv").write_text("\n".join(lines) + "\n")
    form = compared(run, "tree.csv", "gap.csv", "--drop-missing")
    kept = np.delete(np.arange(ROWS), 6)
    assert form["rows"] == ROWS - 1
    expected = RIGHT[0][kept].mean() - RIGHT[1][kept].mean()
    assert by_metric(form)["accuracy"]["value"] == pytest.approx(expected)
    assert "'gap' lacks 1" in form["notes"][0]


def test_ids_as_text_and_as_numbers(run: Any) -> None:
    pl.read_csv("forest.csv").write_parquet("forest.parquet")
    form = compared(run, "tree.csv", "forest.parquet")
    assert form["agreement"] == compared(run, *BY_FILE)["agreement"]
    assert "read as whole numbers" in form["notes"][0]


def test_compressed_files_and_standard_input(run: Any) -> None:
    Path("tree.csv.gz").write_bytes(gzip.compress(Path("tree.csv").read_bytes()))
    form = compared(run, "tree.csv.gz", "-", stdin=Path("forest.csv").read_bytes())
    assert [model["name"] for model in form["models"]] == ["tree", "standard input"]
    one = compared(run, "-", *BY_COLUMN[1:], stdin=Path("one.csv").read_bytes())
    assert one["differences"][0]["value"] == form["differences"][0]["value"]


def test_files_of_the_same_name(run: Any) -> None:
    for folder in ("x", "y=z"):
        Path(folder).mkdir()
        Path(folder, "tree.csv").write_text(Path("tree.csv").read_text())
    form = compared(run, "x/tree.csv", "y=z/tree.csv")
    assert [model["name"] for model in form["models"]] == ["x/tree.csv", "y_z/tree.csv"]


def test_scores_in_one_file_and_answers_in_another(run: Any) -> None:
    files = ("--model", "tree=tree_scores.csv", "--model", "forest=forest.csv")
    form = compared(run, *files, "--score", "score", "--predicted", "predicted")
    assert by_metric(form)["accuracy"]["value"] == pytest.approx(RIGHT[0].mean() - RIGHT[1].mean())
    assert "auc" not in by_metric(form)
    assert "'tree': there is no column 'predicted'." in form["notes"]
    assert "'tree': no threshold was given: score >= 0.5 is called 1." in form["notes"]
    assert "scores are not compared: 'forest' has no scores." in form["notes"]
    assert compared(run, *files)["differences"] == form["differences"]


def test_groups_and_weights(run: Any) -> None:
    grouped = compared(run, *BY_FILE, "--group", "site")
    assert by_metric(grouped)["accuracy"]["test"] == "permutation, groups swapped"
    groups = len(set(DATA["site"].tolist()))
    assert by_metric(grouped)["accuracy"]["assumption"] == f"independent groups ({groups} of them)"
    weighted = by_metric(compared(run, *BY_FILE, "--weight", "w"))["accuracy"]
    one, two = (np.average(right, weights=DATA["w"]) for right in RIGHT[:2])
    assert weighted["value"] == pytest.approx(one - two)
    # As frequencies they are rows: McNemar's table counts them all.
    counted = by_metric(compared(run, *BY_FILE, "--weight", "w", "--weight-kind", "frequency"))["accuracy"]
    only = [int(DATA["w"][side].sum()) for side in (RIGHT[0] & ~RIGHT[1], ~RIGHT[0] & RIGHT[1])]
    expected = mcnemar([[0, only[0]], [only[1], 0]], exact=False, correction=True).pvalue
    assert counted["p_value"] == pytest.approx(expected)


def test_costs(run: Any) -> None:
    form = compared(run, *BY_FILE, "--labels", "0,1", "--costs", "0 1; 10 0", "--metric", "mean_cost")
    assert form["metric"] == "mean_cost"
    cost = [
        np.where(DATA["y"] == 1, 10, 1)[DATA[f"{name}_says"] != DATA["y"]].sum() / ROWS for name in NAMES[:2]
    ]
    assert form["differences"][0]["value"] == pytest.approx(cost[0] - cost[1])
    assert form["differences"][0]["better"] == "lower"
    cut = compared(run, *BY_COLUMN, "--labels", "0,1", "--costs", "0 1; 10 0", "--threshold", "best:cost")
    assert by_metric(cut)["mean_cost"]["value"] is not None
    assert run("compare", *BY_COLUMN, "--threshold", "best:cost").err == (
        "tallymark: the threshold best:cost needs costs. Hint: give them with --costs (costs=).\n"
    )


def test_several_classes_with_probabilities(run: Any) -> None:
    random = np.random.default_rng(3)
    y = random.integers(0, 3, ROWS)
    answers = []
    for name, pull in (("k1", 0.8), ("k2", 1.6)):
        odds = np.exp(random.normal(0, 1, (ROWS, 3)) + pull * np.eye(3)[y])
        table = odds / odds.sum(1, keepdims=True)
        answers.append((table, table.argmax(1)))
        columns = {f"p_{label}": table[:, place] for place, label in enumerate("abc")}
        pl.DataFrame({"id": np.arange(ROWS), "y": np.array(list("abc"))[y], **columns}).write_csv(
            f"{name}.csv"
        )
    form = compared(run, "k1.csv", "k2.csv", "--actual", "y", "--probabilities", "p_a,p_b,p_c")
    found = by_metric(form)
    one, two = (metrics.f1_score(y, said, average="macro") for _, said in answers)
    assert found["f1_macro"]["value"] == pytest.approx(one - two)
    one, two = (metrics.roc_auc_score(y, table, multi_class="ovr") for table, _ in answers)
    assert found["auc_ovr_macro"]["value"] == pytest.approx(one - two)
    one, two = (metrics.log_loss(y, table) for table, _ in answers)
    assert found["log_loss"]["value"] == pytest.approx(one - two)
    one, two = (-np.log(table[np.arange(ROWS), y]) for table, _ in answers)
    assert found["log_loss"]["p_value"] == pytest.approx(stats.ttest_rel(one, two).pvalue)


def test_models_that_never_disagree(run: Any) -> None:
    for files in (("tree.csv", "tree.csv"), ("tree_scores.csv", "tree_scores.csv")):
        form = compared(run, "--model", f"a={files[0]}", "--model", f"b={files[1]}")
        assert all(each["value"] == 0 for each in form["differences"])
        assert {each["p_value"] for each in form["differences"]} == {1.0}
        assert form["winner"] is None
        assert form["verdict"].startswith("cannot tell: ")


@pytest.mark.parametrize(
    "content",
    [
        "y,p,q\n1,1,0\n",
        "y,p,q\n1,1,0\n0,0,1\n",
        "y,p,q\n1,1,0\n1,1,1\n1,0,1\n",
        "y,p,q\n1,1,0\n0,1,0\n1,1,0\n",
        "y,p,q\n1,2.5,1.5\n0,-1,-0.5\n1,0.5,-0.7\n0,0.1,0.2\n",
        "y,p,q\n1,0.5,0.5\n0,0.5,0.5\n",
        "y,p,q\nyes,no,yes\nno,no,no\nyes,yes,yes\n",
    ],
    ids=["one row", "two rows", "one class", "constant", "decisions", "ties", "no positive"],
)
def test_little_to_go_by(run: Any, content: str) -> None:
    """Nothing can be told, and everything that is said is finite."""
    Path("few.csv").write_text(content)
    call = ("compare", "few.csv", "--actual", "y", "--model", "p=p", "--model", "q=q")
    form = run(*call, "--json").json
    assert form["winner"] is None
    assert form["verdict"].startswith("cannot tell: ")
    assert len(form["verdict"]) > 20
    assert run(*call).code == 0


def test_a_number_that_models_cannot_differ_in(run: Any) -> None:
    found = compared(run, *BY_FILE, "--metric", "prevalence")["differences"][0]
    assert (found["value"], found["p_value"]) == (0, 1)


def test_scores_that_are_not_there(run: Any) -> None:
    result = run("compare", *BY_FILE, "--metric", "auc")
    assert result.code == 2
    assert result.err.startswith("tallymark: the verdict is to be about auc, which takes the scores of every")
    beside = by_metric(compared(run, *BY_FILE, "--metric", "accuracy", "--metric", "auc"))["auc"]
    assert (beside["value"], beside["why"]) == (None, "the models have no scores")


def test_margin(run: Any) -> None:
    found = by_metric(compared(run, *BY_FILE, "--confidence", "0.9"))["accuracy"]
    said = compared(run, *BY_FILE, "--margin", "0.5")["verdict"]
    # Two one-sided tests at 5 % are the interval of 90 %.
    assert f"90 % interval [{-found['high']:.3f}, {-found['low']:.3f}]" in said
    assert "0.500" in said


def test_confidence(run: Any) -> None:
    wide, narrow = (
        by_metric(compared(run, *BY_FILE, "--confidence", level))["f1"] for level in ("0.99", "0.5")
    )
    assert wide["low"] < narrow["low"] < narrow["high"] < wide["high"]
    assert (wide["level"], narrow["level"]) == (0.99, 0.5)


# --- other rows ------------------------------------------------------------------------------


def test_stated_to_be_other_rows(run: Any) -> None:
    form = compared(run, *BY_FILE, "--other-rows", "--method", "wald")
    assert form["design"] == "other rows"
    found = by_metric(form)["accuracy"]
    counts = [int(right.sum()) for right in RIGHT[:2]]
    expected = confint_proportions_2indep(counts[0], ROWS, counts[1], ROWS, method="wald", compare="diff")
    assert (found["low"], found["high"]) == pytest.approx(expected)
    assert not found["paired"]
