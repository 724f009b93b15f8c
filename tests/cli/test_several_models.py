"""Several models in one call: each in a file, or each in a column of one file."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

import tallymark.data

COLUMNS = "y,tree,bayes,rule\n1,0.9,0.7,1\n1,0.4,0.8,0\n0,0.6,0.1,0\n0,0.1,0.2,0\n"
BY_COLUMN = ("columns.csv", "--actual", "y")
MODELS = ("--model", "tree=tree", "--model", "bayes=bayes", "--model", "rule=rule")
CURVES = ("roc", "pr", "gains")


@pytest.fixture(autouse=True)
def files(run: Any) -> None:
    Path("columns.csv").write_text(COLUMNS)
    Path("tree.csv").write_text("actual,score\n1,0.9\n1,0.4\n0,0.6\n0,0.1\n")
    Path("bayes.csv").write_text("actual,score,predicted\n1,0.7,1\n1,0.8,1\n0,0.1,0\n0,0.2,0\n")
    Path("rule.csv").write_text("actual,predicted\n1,1\n1,0\n0,0\n0,0\n")
    Path("other.csv").write_text("actual,score\n1,0.9\n0,0.6\n0,0.1\n")


def test_by_column(run: Any) -> None:
    form = run("roc", *BY_COLUMN, *MODELS, "--json").json
    assert (form["schema"], form["positive"]) == ("tallymark/roc/1", "1")
    tree, bayes, rule = form["models"]
    assert [model["name"] for model in form["models"]] == ["tree", "bayes", "rule"]
    # tree: of four pairs only (0.4, 0.6) is lost; bayes ranks all of them right.
    assert (tree["auc"]["value"], bayes["auc"]["value"]) == (0.75, 1.0)
    assert rule | {"rows": 4, "dropped": {}} == {
        "name": "rule", "rows": 4, "dropped": {}, "single_point": True, "fpr": [0.0], "tpr": [0.5],
    }  # fmt: skip
    assert form["best"][0] == {"low": 0, "high": 0.5, "models": ["bayes"]}
    assert form["crossings"] == []
    assert sorted(form["never_best"]) == ["rule", "tree"]
    assert form["notes"] == ["'rule': there are answers and no scores, so the model is a single point."]


def test_by_file(run: Any) -> None:
    by_file = ("--model", "tree=tree.csv", "--model", "bayes=bayes.csv", "--model", "rule=rule.csv")
    form = run("roc", *by_file, "--json").json
    assert [model.get("auc", {}).get("value") for model in form["models"]] == [0.75, 1.0, None]
    assert "'rule': column 'predicted' was taken as predicted (guessed from its name)." in form["notes"]
    named = run("roc", *by_file, "--score", "score", "--predicted", "predicted", "--json").json
    assert [model.get("auc", {}).get("value") for model in named["models"]] == [0.75, 1.0, None]
    assert "'tree': there is no column 'predicted'." in named["notes"]
    assert "'rule': there is no column 'score'." in named["notes"]


def test_one_of_them_from_standard_input(run: Any) -> None:
    form = run(
        "roc", "--model", "a=-", "--model", "b=bayes.csv", "--json", stdin=Path("tree.csv").read_text()
    ).json
    assert [model["auc"]["value"] for model in form["models"]] == [0.75, 1.0]


def test_columns_of_standard_input(run: Any) -> None:
    form = run("pr", "-", "--actual", "y", *MODELS, "--json", stdin=COLUMNS).json
    assert [model["name"] for model in form["models"]] == ["tree", "bayes", "rule"]


def test_text_answers_are_a_point(run: Any) -> None:
    Path("text.csv").write_text("y,s,p\nyes,0.9,yes\nyes,0.4,no\nno,0.6,yes\nno,0.1,no\n")
    form = run(
        "roc", "text.csv", "--actual", "y", "--positive", "yes", "--model", "s=s", "--model", "p=p", "--json"
    ).json
    assert (form["models"][1]["fpr"], form["models"][1]["tpr"]) == ([0.5], [0.5])


def test_numbers_that_are_no_labels_are_scores(run: Any) -> None:
    Path("votes.csv").write_text("y,votes\n1,3\n1,1\n0,2\n0,0\n")
    form = run("roc", "votes.csv", "--actual", "y", "--model", "votes=votes", "--json").json
    assert form["models"][0]["threshold"] == [None, 3, 2, 1, 0]


def test_other_rows_are_said(run: Any) -> None:
    for command in CURVES:
        form = run(command, "--model", "tree=tree.csv", "--model", "other=other.csv", "--json").json
        assert form["notes"][-1] == (
            "the models were evaluated on other rows: 'tree' on 4, 2 of them positive; 'other' on 3, 1 of "
            "them positive."
        )


def test_text(run: Any) -> None:
    result = run("roc", *BY_COLUMN, *MODELS)
    assert (result.code, result.err) == (0, "")
    for line in (
        "\nWhere each is best\n",
        "\nCommon hull\n",
        "\nbayes  1.000\n",
        "\nrule          0.000  0.500\n",
    ):
        assert line in result.out
    assert "\nHow sure the areas are\n" in result.out


def test_curves_that_cross_are_pointed_out(run: Any) -> None:
    data = str(tallymark.data.path("breast_cancer.csv"))
    models = ("--model", "tree=tree_score", "--model", "bayes=bayes_score", "--positive", "malignant")
    form = run("roc", data, *models, "--json").json
    assert [finding["code"] for finding in form["findings"]] == ["TM014"]
    assert form["findings"][0]["numbers"]["crossings"] == form["crossings_total"] == len(form["crossings"])
    assert "\nTM014  the curves cross, " in run("roc", data, *models).out


def test_points_in_other_curves(run: Any) -> None:
    pr = run("pr", *BY_COLUMN, *MODELS, "--json").json["models"][2]
    assert (pr["single_point"], pr["at"]["precision"]["value"], pr["at"]["recall"]["value"]) == (
        True,
        1.0,
        0.5,
    )
    assert (
        "Its answers have a precision of 1.000 and a recall of 0.500." in run("pr", *BY_COLUMN, *MODELS).out
    )
    gains = run("gains", *BY_COLUMN, *MODELS, "--json").json["models"][2]
    assert gains["at"] == {"threshold": None, "share": 0.25, "recall": 0.5, "lift": 2.0}
    assert "Of all rows its answers call 25.0% positive" in run("gains", *BY_COLUMN, *MODELS).out


def test_thresholds(run: Any) -> None:
    form = run("thresholds", *BY_COLUMN, *MODELS[:4], "--json").json
    assert [model["metrics"]["f1"]["best"]["value"] for model in form["models"]] == [0.8, 1.0]
    assert "\nf1 against the threshold, bayes\n" in run("thresholds", *BY_COLUMN, *MODELS[:4]).out


@pytest.mark.parametrize("command", CURVES)
def test_csv_names_the_model(run: Any, command: str) -> None:
    run(command, *BY_COLUMN, *MODELS, "-o", "out.csv")
    with Path("out.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream, strict=True))
    assert next(iter(rows[0])) == "model"
    assert [row["model"] for row in rows].count("rule") == 1
    assert {row["model"] for row in rows} == {"tree", "bayes", "rule"}


@pytest.mark.parametrize("kind", ["roc", "pr", "roc+pr", "gains", "lift", "confusion"])
def test_pictures_hold_all_models(run: Any, kind: str) -> None:
    assert run("plot", kind, *BY_COLUMN, *MODELS, "-o", "out.svg").code == 0
    words = Path("out.svg").read_text()
    for name in ("tree", "bayes", "rule"):
        assert f">{name}" in words


def test_a_panel_for_each_metric(run: Any) -> None:
    metrics = ("--metric", "precision", "--metric", "accuracy")
    assert run("plot", "threshold", *BY_COLUMN, *MODELS[:4], *metrics, "-o", "out.svg").code == 0
    words = Path("out.svg").read_text()
    # The best values stand in the legend, not on the curves: bayes parts the classes at 0.7, and at 0.8 it
    # calls one positive.
    assert words.count(">tree: best ") == words.count(">bayes: best ") == 2
    assert ">bayes: best 1.000 at 0.8<" in words
    assert ">bayes: best 1.000 at 0.7<" in words
    assert ">accuracy<" in words


@pytest.mark.parametrize("command", [*CURVES, "thresholds"])
def test_thresholds_are_marked_for_each(run: Any, command: str) -> None:
    assert run(command, *BY_COLUMN, *MODELS[:4], "--threshold", "0.5", "-o", "out.svg").code == 0
    words = Path("out.svg").read_text()
    assert words.count("score &gt;= 0.5") == 2


def test_hostile_names(run: Any) -> None:
    result = run("roc", *BY_COLUMN, "--model", "a\x1b[31m$x$=tree", "--model", "b=bayes", "-o", "out.svg")
    assert result.code == 0
    assert "\x1b" not in Path("out.svg").read_text()
    text = run("gains", *BY_COLUMN, "--model", "a\x1b[31m=tree", "--model", "b=bayes").out
    assert "\x1b" not in text


# --- thresholds and answers --------------------------------------------------------------------


@pytest.mark.parametrize(
    "models",
    [
        (*BY_COLUMN, *MODELS),
        ("--model", "tree=tree.csv", "--model", "bayes=bayes.csv", "--model", "rule=rule.csv"),
    ],
    ids=["columns", "files"],
)
@pytest.mark.parametrize("command", CURVES)
def test_a_single_point_leaves_the_others_to_be_cut(run: Any, models: tuple[str, ...], command: str) -> None:
    form = run(command, *models, "--threshold", "0.5", "--json").json
    tree, bayes, rule = form["models"]
    assert (tree["at"]["threshold"], bayes["at"]["threshold"]) == (0.5, 0.5)
    assert rule["single_point"]
    assert rule.get("at", {}).get("threshold") is None


def test_answers_beside_scores_of_several_models_are_not_passed_over_in_silence(run: Any) -> None:
    named = ("--score", "score", "--predicted", "predicted")
    models = ("--model", "bayes=bayes.csv", "--model", "rule=rule.csv")
    said = "'bayes': the answers in column 'predicted' are not shown, because there are scores."
    assert said in run("roc", *models, *named, "--json").json["notes"]
    cut = "'bayes': the answers in column 'predicted' are not shown, because the score is cut."
    assert cut in run("roc", *models, *named, "--threshold", "0.5", "--json").json["notes"]


# --- what is said of many ----------------------------------------------------------------------


def test_scores_that_are_no_probabilities_are_pointed_out_once(run: Any) -> None:
    Path("wide.csv").write_text("y,a,b,c\n1,7,0.9,3\n0,-2,0.4,1\n1,5,0.3,-1\n0,1,0.1,0\n")
    models = [word for name in "abc" for word in ("--model", f"{name}={name}")]
    text = " ".join(run("roc", "wide.csv", "--actual", "y", *models).out.split())
    assert text.count("TM013") == 1
    assert "TM013 the scores of 'a', 'c' leave [0, 1] (they run from -2 to 7), so they are no" in text
    form = run("roc", "wide.csv", "--actual", "y", *models, "--json").json
    codes = [[finding["code"] for finding in model["findings"]] for model in form["models"]]
    assert ["TM013" in found for found in codes] == [True, False, True]


def test_a_caption_spells_names_as_the_legend_does(run: Any) -> None:
    run("plot", "roc", *BY_COLUMN, "--model", "a\\b=tree", "--model", "c=bayes", "-o", "out.svg")
    words = Path("out.svg").read_text()
    assert ">a\\b, AUC 0.750<" in words
    assert "a\\\\b" not in words


def test_long_names_lose_letters_and_not_their_numbers(run: Any) -> None:
    long = "a_model_with_a_name_that_goes_on_and_on_and_on_and_on_and_never_ends"
    said = {"roc": ", AUC 0.750<", "pr": ", average precision 0.833<", "threshold": ": best 0.800 at 0.4<"}
    for kind, words in said.items():
        run("plot", kind, *BY_COLUMN, "--model", f"{long}=tree", "--model", "b=bayes", "-o", f"{kind}.svg")
        found = Path(f"{kind}.svg").read_text()
        assert long not in found
        assert words in found


def test_matrices_of_scores_that_are_cut_and_of_answers(run: Any) -> None:
    models = ("--model", "tree=tree.csv", "--model", "rule=rule.csv")
    assert run("plot", "confusion", *models, "--threshold", "0.5", "-o", "out.svg").code == 0
    words = Path("out.svg").read_text()
    assert ">tree<" in words
    assert ">rule<" in words
