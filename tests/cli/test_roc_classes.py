"""`tallymark roc` of one probability per class: every class against the rest; expected by scikit-learn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score, roc_curve

CLASSES = ("a", "b", "c")
TRUE = list("abcabc")
GIVEN = [
    [0.8, 0.1, 0.1],
    [0.2, 0.7, 0.1],
    [0.5, 0.1, 0.4],
    [0.4, 0.35, 0.25],
    [0.3, 0.4, 0.3],
    [0.1, 0.2, 0.7],
]
ROC = ("roc", "six.csv", "--actual", "y", "--probabilities", "p_a,p_b,p_c")


@pytest.fixture
def show(run: Any) -> Any:
    rows = [",".join([true, *map(str, given)]) for true, given in zip(TRUE, GIVEN, strict=True)]
    Path("six.csv").write_text("\n".join(["y,p_a,p_b,p_c", *rows]) + "\n")
    return run


def test_areas(show: Any) -> None:
    form = show(*ROC, "--json").json
    assert (form["schema"], form["positive"], form["rows"]) == ("tallymark/one_vs_rest/1", None, 6)
    areas = {each["label"]: each["auc"]["value"] for each in form["classes"]}
    theirs = {
        label: roc_auc_score([true == label for true in TRUE], np.array(GIVEN)[:, place])
        for place, label in enumerate(CLASSES)
    }
    assert areas == pytest.approx(theirs)
    assert list(areas) == ["b", "c", "a"]
    for name, each in form["averages"].items():
        _, way, average = name.split("_")
        assert each["value"] == pytest.approx(roc_auc_score(TRUE, GIVEN, multi_class=way, average=average))
        assert each["low"] < each["value"] < each["high"]


def test_thresholds_of_the_classes(show: Any) -> None:
    # Called a from 0.4 up: both of its rows and one of c.
    found = {each["label"]: each for each in show(*ROC, "--json").json["thresholds"]["classes"]}
    assert (found["a"]["threshold"], found["a"]["low"], found["a"]["value"]) == (0.4, 0.3, 0.8)
    assert found["b"]["value"] == found["c"]["value"] == 1


def test_the_text(show: Any) -> None:
    result = show(*ROC)
    assert (result.code, result.err) == (0, "")
    text = " ".join(result.out.split())
    for said in ("6 rows, 3 classes.", "Recognised best is 'b' with an AUC of 1.000, worst 'a' with 0.875."):
        assert said in text
    for title in ("Every class against the rest", "On average", "A threshold for every class"):
        assert f"{title}\n---" in result.out


def test_a_class_that_is_named_has_a_curve_of_its_own(show: Any) -> None:
    form = show(*ROC, "--positive", "a", "--json").json
    assert (form["schema"], form["auc"]["value"]) == ("tallymark/roc/1", pytest.approx(0.875))


def test_a_model_with_a_name(show: Any) -> None:
    form = show("roc", "--model", "tree=six.csv", *ROC[2:], "--json").json
    assert [(model["name"], len(model["classes"])) for model in form["models"]] == [("tree", 3)]


def test_confidence_and_groups(show: Any) -> None:
    assert "80 % interval" in show(*ROC, "--confidence", "0.8").out
    lines = Path("six.csv").read_text().splitlines()
    grouped = [f"{line},{'g' if not row else row // 2}" for row, line in enumerate(lines)]
    Path("six.csv").write_text("\n".join(grouped) + "\n")
    form = show(*ROC, "--group", "g", "--json").json
    assert form["averages"]["auc_ovr_macro"]["method"] == "linearised_groups"
    assert [finding["code"] for finding in form["findings"]] == ["TM009"]


@pytest.mark.parametrize("suffix", ["txt", "md", "tex", "json", "csv", "png", "svg", "pdf"])
def test_every_format(show: Any, suffix: str) -> None:
    result = show(*ROC, "-o", f"out.{suffix}")
    assert (result.code, result.out, result.err) == (0, "", f"wrote out.{suffix}\n")
    assert Path(f"out.{suffix}").stat().st_size


def test_the_table_has_all_points_of_all_classes(show: Any) -> None:
    show(*ROC, "-o", "out.csv")
    first, *lines = Path("out.csv").read_text().splitlines()
    assert first == "class,threshold,positives,negatives,tp,fp,tn,fn,tpr,fpr"
    cells = [dict(zip(first.split(","), line.split(","), strict=True)) for line in lines]
    assert list(dict.fromkeys(each["class"] for each in cells)) == ["b", "c", "a"]
    for place, label in enumerate(CLASSES):
        fpr, tpr, threshold = roc_curve(
            [true == label for true in TRUE], np.array(GIVEN)[:, place], drop_intermediate=False
        )
        ours = [each for each in cells if each["class"] == label]
        for name, theirs in (("fpr", fpr), ("tpr", tpr), ("threshold", threshold)):
            assert [float(each[name]) for each in ours] == pytest.approx(theirs.tolist())


def test_rows_of_one_class_only(show: Any) -> None:
    Path("six.csv").write_text("y,p_a,p_b,p_c\na,0.5,0.3,0.2\na,0.2,0.3,0.5\n")
    for asked in (ROC, (*ROC, "--json"), ("plot", "one-vs-rest", *ROC[1:], "-o", "out.png")):
        result = show(*asked)
        assert (result.code, result.out) == (2, "")
        assert result.err == "tallymark: six.csv: there is no curve: all rows are of one class.\n"
    assert not Path("out.png").exists()


def test_the_picture(show: Any) -> None:
    show(*ROC, "-o", "out.svg")
    words = Path("out.svg").read_text()
    assert "b, AUC 1.000" in words
    show("plot", "one-vs-rest", *ROC[1:], "-o", "plot.svg")
    assert Path("plot.svg").read_text() == words


@pytest.mark.parametrize(
    "given",
    [("--max-fpr", "0.1"), ("--construction", "bins:3"), ("--ascending",), ("--interval", "newcombe"),
     ("--no-band", "-o", "out.svg")],
    ids=lambda given: given[0],
)  # fmt: skip
def test_what_is_about_one_class(show: Any, given: tuple[str, ...]) -> None:
    result = show(*ROC, *given)
    assert result.code == 2
    assert result.err == (
        f"tallymark: {given[0]} is about the curve of one class, and there are 3."
        " Hint: name one with --positive LABEL.\n"
    )


def test_several_models_are_compared_on_one_class(show: Any) -> None:
    models = ("roc", "--model", "x=six.csv", "--model", "z=six.csv", *ROC[2:])
    result = show(*models)
    assert result.code == 2
    assert "a curve needs to know the positive class; the labels are ['a', 'b', 'c']." in result.err
    assert show(*models, "--positive", "a").code == 0
