"""What someone who had never used it stumbled over in Python."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tallymark as tm
from tallymark.curves.roc.several import Several
from tallymark.data import path
from tallymark.errors import FileError, OptionError, ShapeError

COSTS = {"malignant": {"benign": 20}, "benign": {"malignant": 1}}
ABOUT: dict[str, Any] = {"actual": "actual", "pos_label": "malignant"}


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    return pl.read_csv(path("breast_cancer.csv"))


@pytest.fixture(scope="module")
def bayes(rows: pl.DataFrame) -> tm.Evaluation:
    return tm.evaluate(rows, score="bayes_score", **ABOUT)


@pytest.fixture(scope="module")
def decision(bayes: tm.Evaluation) -> Any:
    return bayes.decide(COSTS)


# --- one saving, two questions ----------------------------------------------------------------------


def test_answers_of_any_kind_have_one_interval_wherever_they_are_asked(rows: pl.DataFrame) -> None:
    ev = tm.evaluate(rows, score="bayes_score", predicted="tree_predicted", **ABOUT)
    decision = ev.decide(COSTS)
    cut = np.where(rows["bayes_score"] >= decision.threshold, "malignant", "benign")
    answers = {"now": rows["tree_predicted"], "cut": cut}
    compared = tm.compare(answers, rows["actual"], costs=COSTS, metric="total_cost", pos_label="malignant")
    saving = decision.savings["as is"]
    difference = compared["total_cost"]
    assert (saving.value, saving.n, saving.note) == (difference.value, difference.estimate.n, None)
    assert (saving.low, saving.high) == pytest.approx((difference.low, difference.high))


def test_two_cuts_of_one_score_say_that_less_can_happen(decision: Any) -> None:
    assert "both go by one score" in decision.savings["all positive"].note
    assert "another interval of the same saving" in str(decision).replace("\n", " ")


# --- how many rows ----------------------------------------------------------------------------------


def test_given_shares_make_rows_neither_more_nor_fewer(bayes: tm.Evaluation) -> None:
    rare = bayes.at_prevalence(0.008)
    saving = rare.decide(COSTS).savings["all negative"]
    assert rare["precision"].n == saving.n == 569
    assert saving.assumption == "independent rows"


def test_weights_are_counted_in_one_way(rows: pl.DataFrame) -> None:
    weight = np.tile([1.0, 2.0], 285)[:569]
    kish = weight.sum() ** 2 / (weight**2).sum()
    ev = tm.evaluate(rows.with_columns(w=weight), score="bayes_score", weight="w", **ABOUT)
    for each in (ev, ev.at_prevalence(0.1)):
        saving = each.decide(COSTS).savings["as is"]
        assert saving.n == pytest.approx(kish)
        assert "Kish" in saving.assumption
    assert f"n = {kish:.6g})" in str(saving)


def test_classes_with_given_shares_are_as_many_rows() -> None:
    generator = np.random.default_rng(0)
    actual = generator.choice(["a", "b", "c"], 120)
    ev = tm.evaluate(actual, y_score=generator.dirichlet([1, 1, 1], 120), labels=["a", "b", "c"])
    shares = {"a": 0.1, "b": 0.2, "c": 0.7}
    saving = ev.at_prevalence(shares).decide([[0, 1, 5], [1, 0, 1], [2, 1, 0]]).savings["most probable class"]
    assert (saving.n, saving.assumption) == (120, "independent rows")


def test_the_number_of_groups_is_in_the_text() -> None:
    actual, group = np.tile([1, 0, 0], 100), np.repeat(np.arange(30), 10)
    ev = tm.evaluate(actual, np.roll(actual, 1) | actual, groups=group)
    assert str(ev["accuracy"]).endswith("group_bootstrap, n = 300, 30 groups)")
    assert "groups" not in str(tm.evaluate(actual, actual)["accuracy"])


# --- printed ----------------------------------------------------------------------------------------


def test_a_format_is_that_of_the_value(bayes: tm.Evaluation) -> None:
    recall = bayes["recall"]
    assert f"{recall:.3f}" == "0.816"  # 173 of 212
    assert f"{recall:>8.1%}" == "   81.6%"
    assert f"{recall}" == str(recall)
    nothing = tm.evaluate([0, 0], [0, 0])["recall"]
    assert f"{nothing:.3f}" == "undefined"


def test_a_difference_is_a_number_too() -> None:
    compared = tm.compare({"a": [1, 1, 0, 0], "b": [1, 0, 1, 0]}, [1, 1, 0, 0])
    difference = compared["accuracy"]
    assert (f"{difference:.2f}", float(difference)) == ("0.50", 0.5)
    assert str(difference).startswith("accuracy of 'a' less that of 'b': 0.5 [")
    assert f"{difference}" == str(difference)


def test_a_decision_and_a_curve_print_what_they_say(decision: Any, bayes: tm.Evaluation) -> None:
    assert str(decision).startswith("Decision\n--------\n\nCall a row 'malignant' when")
    assert repr(decision) == "Decision(threshold 0.1006, cost 136, saving 656)"
    assert str(bayes.gains).startswith("Cumulative gains and lift\n")


# --- saved ------------------------------------------------------------------------------------------


def test_a_decision_is_saved_by_suffix(decision: Any, tmp_path: Path) -> None:
    for suffix in ("html", "txt", "md", "tex", "json", "csv", "svg"):
        decision.save(tmp_path / f"decision.{suffix}")
    form = json.loads((tmp_path / "decision.json").read_text())
    assert (form["schema"], form["threshold"]) == ("tallymark/decision/1", 0.1006)
    table = pl.read_csv(tmp_path / "decision.csv")
    assert table.columns == decision.table("polars").columns
    assert len(table) == len(decision.table("polars"))
    assert "<svg" in (tmp_path / "decision.html").read_text()
    assert (tmp_path / "decision.txt").read_text() == f"{decision}\n"
    with pytest.raises(FileError, match="exists already"):
        decision.save(tmp_path / "decision.csv")


@pytest.mark.parametrize("curve", ["roc", "precision_recall", "gains", "lift", "thresholds", "calibration"])
def test_a_curve_is_saved_by_suffix(bayes: tm.Evaluation, curve: str, tmp_path: Path) -> None:
    drawn = getattr(bayes, curve)
    for suffix in ("html", "md", "json", "csv", "svg"):
        drawn.save(tmp_path / f"curve.{suffix}")
    assert pl.read_csv(tmp_path / "curve.csv").columns == drawn.table("polars").columns
    assert json.loads((tmp_path / "curve.json").read_text()) == drawn.to_dict()
    assert (tmp_path / "curve.svg").read_text().startswith("<?xml")


def test_several_curves_are_saved_without_a_table(bayes: tm.Evaluation, tmp_path: Path) -> None:
    several = Several({"bayes": bayes.roc})
    several.save(tmp_path / "several.md")
    with pytest.raises(FileError, match=r"must be \.html, \.json"):
        several.save(tmp_path / "several.csv")


def test_a_page_has_the_title_it_is_given(bayes: tm.Evaluation, decision: Any, tmp_path: Path) -> None:
    compared = tm.compare({"a": [1, 1, 0, 0], "b": [1, 0, 1, 0]}, [1, 1, 0, 0])
    for place, result in enumerate((bayes, decision, bayes.roc, compared)):
        page = tmp_path / f"{place}.html"
        result.save(page, title="Tumours of 1995")
        assert "<title>Tumours of 1995" in page.read_text()
        with pytest.raises(OptionError, match=r"title= is that of a page \(\.html\); \.json has none"):
            result.save(tmp_path / "x.json", title="Tumours")
    assert not (tmp_path / "x.json").exists()


def test_an_evaluation_has_more_than_one_picture(bayes: tm.Evaluation, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="many pictures") as caught:
        bayes.save(tmp_path / "x.png")
    assert "ev.roc.save('roc.png')" in str(caught.value.hint)


# --- drawn ------------------------------------------------------------------------------------------


def test_a_second_curve_on_a_page_of_ours_fits_it(rows: pl.DataFrame, bayes: tm.Evaluation) -> None:
    import matplotlib.pyplot as plt

    tree = tm.evaluate(rows, score="tree_score", **ABOUT)
    axes = tree.gains.plot(label="tree")

    def look() -> tuple[float, ...]:
        axes.figure.canvas.draw()
        sizes = [text.get_size() for each in axes.child_axes for text in each.get_yticklabels()[:1]]
        return (*sizes, axes.get_tightbbox().x1)

    before = look()
    bayes.gains.plot(axes, label="bayes")
    assert look() == pytest.approx(before, abs=1)
    assert axes.get_tightbbox().x1 <= axes.figure.bbox.x1
    said = [text.get_text() for text in axes.get_legend().get_texts()]
    assert said == ["random order", "ideal order", "tree", "bayes"]
    plt.close(axes.figure)


def test_curves_of_another_kind_are_not_taken_for_points(bayes: tm.Evaluation) -> None:
    with pytest.raises(ShapeError, match="ROC curves are expected; 'a' is Gains") as caught:
        Several({"a": bayes.gains})  # type: ignore[dict-item]
    assert "b.gains.plot(a.gains.plot(" in str(caught.value.hint)


# --- asked ------------------------------------------------------------------------------------------


def test_a_class_has_its_four_counts(bayes: tm.Evaluation) -> None:
    one = bayes.per_class["malignant"]
    assert (one.tp, one.fn, one.fp, one.tn) == (173, 39, 12, 345)
    other = bayes.per_class["benign"]
    assert (other.tp, other.fn, other.fp, other.tn) == (345, 12, 39, 173)
    uncut = tm.evaluate([1, 0, 1], y_score=[7.0, 3.0, 5.0])
    assert uncut.per_class[1].tp is None


def test_so_many_rows_taken(rows: pl.DataFrame, bayes: tm.Evaluation) -> None:
    best = rows.sort("bayes_score", descending=True)[:100]
    found = bayes.gains.at(taken=100)
    assert (found.taken, found.found) == (100, (best["actual"] == "malignant").sum())
    assert found.share == 100 / 569
    with pytest.raises(OptionError, match="taken must be between 0 and 569, all rows; got 570"):
        bayes.gains.at(taken=570)
    with pytest.raises(OptionError, match=r"got share=0\.1, taken=10"):
        bayes.gains.at(share=0.1, taken=10)


def test_counts_refuse_a_metric_of_your_own(bayes: tm.Evaluation) -> None:
    own = {"profit": max}
    tallies = (
        bayes.confusion,
        bayes.curves.scores,
        tm.tally(pl.DataFrame({"y": [0, 1], "p": [0, 1]}), actual="y", predicted="p"),
        tm.evaluate([[1, 0], [0, 1]], [[1, 0], [1, 1]]).sets.tally,
    )
    for tally in tallies:
        with pytest.raises(OptionError, match="a metric of your own needs rows, and only counts are here"):
            tally.evaluate(extra=own)


# --- a threshold that is given ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def five() -> tm.Evaluation:
    return tm.evaluate([1, 1, 0, 1, 0], y_score=[0.9, 0.8, 0.7, 0.6, 0.3], labels=[1, 0])


def test_a_given_threshold_costs_and_saves(five: tm.Evaluation) -> None:
    """A miss costs 10 and a false alarm 1. At 0.65 there is one of each, at 0.5 one false alarm."""
    decision = five.decide([[0, 10], [1, 0]], threshold=0.65)
    assert (decision.threshold, decision.low, decision.high) == (0.65, 0.6, 0.7)
    assert (decision.cost, decision.given) == (11, True)
    assert {name: saving.value for name, saving in decision.savings.items()} == {
        "as is": 1 - 11,
        "all positive": 2 - 11,
        "all negative": 30 - 11,
    }
    assert (decision.optimistic, decision.cross_fitted) == (None, None)
    assert decision.to_dict()["aim"]["given"] is True


def test_a_given_threshold_is_set_beside_the_cheapest(five: tm.Evaluation) -> None:
    costs = [[0, 10], [1, 0]]
    said = str(five.decide(costs, threshold=0.65)).replace("\n", " ")
    assert "That threshold was given; the cheapest on these 5 rows is at 0.6 and costs 10 less." in said
    assert "On new rows" not in said
    assert "none costs less" in str(five.decide(costs, threshold=0.55)).replace("\n", " ")
    labels = [
        mark.label for panel in five.decide(costs, threshold=0.65).figure().panels for mark in panel.marks
    ]
    assert "given, 2.200 at 0.65" in labels
    assert "given" in labels


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"minimum": {"recall": 0.5}}, "minimum= is for choosing a threshold, and threshold= gives one"),
        ({"reject_cost": 1}, "reject_cost= is for choosing"),
        ({"threshold": "low"}, "threshold must be a number"),
    ],
)
def test_a_given_threshold_leaves_nothing_to_choose(
    five: tm.Evaluation, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(OptionError, match=message):
        five.decide([[0, 10], [1, 0]], **{"threshold": 0.65, **options})
    with pytest.raises(OptionError, match="there are no costs"):
        five.decide(threshold=0.65)


def test_where_classes_are_chosen_there_is_no_threshold_to_give() -> None:
    ev = tm.evaluate(["a", "b", "c"], y_score=np.eye(3), labels=["a", "b", "c"])
    with pytest.raises(OptionError, match="threshold is about a threshold"):
        ev.decide([[0, 1, 1], [1, 0, 1], [1, 1, 0]], threshold=0.0)


# --- two models side by side --------------------------------------------------------------------------


def test_a_validation_of_two_models_says_what_tells_which_is_better(tmp_path: Path) -> None:
    from sklearn.dummy import DummyClassifier
    from sklearn.naive_bayes import GaussianNB

    generator = np.random.default_rng(0)
    target = np.tile([0, 1], 20)
    features = generator.normal(size=(40, 2)) + target[:, None]
    models = {"bayes": GaussianNB(), "constant": DummyClassifier()}
    both = tm.validate(models, features, target, cv=4)
    line = "Whether one of them is really better takes a test: .compare() of this validation (--compare)."
    assert str(both).replace("\n", " ").endswith(line)
    both.save(tmp_path / "page.html", title="Two of them")
    page = (tmp_path / "page.html").read_text()
    assert "takes a test: .compare() of this validation" in page
    assert "<title>Two of them" in page
    assert replace(both, models={"bayes": both.models["bayes"]}).untold == ""
