"""A comparison as text, JSON, table, picture, file and pickle, for every design."""

from __future__ import annotations

import copy
import json
import pickle
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

import tallymark as tm
from tallymark.comparison.outputs.report import describe
from tallymark.drawing import Band, Paragraph, Picture, text

mpl.use("Agg")

RNG = np.random.default_rng(6)
N = 120
Y = RNG.integers(0, 2, N)
S, T, U = (np.clip(gap * Y + RNG.normal(0.3, 0.2, N), 0.01, 0.99) for gap in (0.4, 0.3, 0.2))
COSTS = {0: {1: 1}, 1: {0: 4}}
FOLDS = {name: list(0.8 + 0.05 * RNG.random(10) + at / 20) for at, name in enumerate("ab")}
SETS = {name: list(0.7 + 0.1 * RNG.random(8) + at / 20) for at, name in enumerate("abc")}
COUNTS = {
    "a": tm.Confusion([[50, 10], [5, 40]], labels=["no", "yes"]),
    "b": tm.Confusion([[45, 15], [9, 36]], labels=["no", "yes"]),
}

DESIGNS: dict[str, Callable[[], tm.Comparison]] = {
    "answers": lambda: tm.compare({"a": (S > 0.5) * 1, "b": (T > 0.5) * 1}, Y),
    "scores": lambda: tm.compare({"a": S, "b": T}, Y, costs=COSTS, margin=0.05),
    "scores only": lambda: tm.compare({"a": S * 9 - 3, "b": T * 9 - 3}, Y),
    "three models": lambda: tm.compare({"a": S, "b": T, "c": U}, Y, metric="brier"),
    "seven models": lambda: tm.compare({f"m{at}": np.int64(S * 10 - at > 0) for at in range(1, 8)}, Y),
    "groups": lambda: tm.compare({"a": S, "b": T}, Y, groups=np.arange(N) // 3, alternative="greater"),
    "weights": lambda: tm.compare({"a": S, "b": T}, Y, sample_weight=RNG.random(N) + 0.1),
    "undefined": lambda: tm.compare({"a": np.zeros(N, int), "b": np.zeros(N, int)}, Y, metric="precision"),
    "other rows": lambda: tm.compare(
        {"a": tm.evaluate(Y, y_score=S), "b": tm.evaluate(Y[9:], y_score=T[9:])}
    ),
    "counts": lambda: tm.compare(COUNTS, design="other rows", pos_label="yes"),
    "lost pairs": lambda: tm.compare(COUNTS, design="same rows", pos_label="yes"),
    "figures": lambda: tm.compare({"a": (0.85, 30), "b": (0.75, 5000)}),
    "three figures": lambda: tm.compare({"a": (0.85, 30), "b": (0.75, 5000), "c": (1.0, 9)}),
    "folds": lambda: tm.compare(FOLDS, per="fold", same_folds=True),
    "two of many data sets": lambda: tm.compare({name: SETS[name] for name in "ab"}, per="dataset"),
    "many data sets": lambda: tm.compare(SETS, per="dataset"),
}


@cache
def made(design: str) -> tm.Comparison:
    return DESIGNS[design]()


@pytest.fixture(params=DESIGNS)
def comparison(request: pytest.FixtureRequest) -> tm.Comparison:
    return made(request.param)


def loaded(text: str) -> Any:
    return json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} in JSON"))


def test_the_json_document(comparison: tm.Comparison) -> None:
    form = loaded(comparison.to_json())
    assert form["schema"] == "tallymark/comparison/1"
    assert form["design"] == comparison.design
    assert form["verdict"] == comparison.verdict
    assert [model["name"] for model in form["models"]] == [model.name for model in comparison.models]
    assert form == loaded(json.dumps(comparison.to_dict()))
    for each in form["differences"]:
        assert {"metric", "a", "b", "value", "p_value", "test", "paired"} <= set(each)
        if each["value"] is None:
            assert each["why"]
        else:
            assert {"low", "high", "level", "better", "alternative"} <= set(each)
            assert each["p_value"] is not None or each["tested"]["why"]
            assert each["test"] is not None or each["p_value"] is None


def test_the_report(comparison: tm.Comparison) -> None:
    text = str(comparison)
    assert " ".join(comparison.verdict.split()) in " ".join(text.split())
    for title in ("Comparison", "Verdict", "Models", "Differences"):
        assert f"\n{title}\n" in f"\n{text}"
    assert "nan" not in text.lower().split()
    assert " 0 folds" not in text
    assert comparison.verdict in repr(comparison)


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_the_table(comparison: tm.Comparison, library: str) -> None:
    table = comparison.table(library)
    assert type(table).__module__.split(".")[0] == library
    columns = {name: list(table[name].to_numpy()) for name in ("metric", "difference", "p_value", "value_a")}
    assert columns["metric"] == [each.metric for each in comparison.differences]
    expected = [np.nan if each.value is None else each.value for each in comparison.differences]
    np.testing.assert_array_equal(np.array(columns["difference"], float), expected)


def test_every_picture_is_drawn(comparison: tm.Comparison) -> None:
    import matplotlib.pyplot as plt

    kinds = list(comparison.detail.figures())
    assert kinds
    for kind in kinds:
        comparison.plot(kind)
        plt.close("all")
    with pytest.raises(tm.TallymarkError, match=kinds[0]):
        comparison.plot("nothing")


@pytest.mark.parametrize("suffix", [".txt", ".md", ".tex", ".json", ".csv", ".svg", ".html"])
def test_files(comparison: tm.Comparison, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"report{suffix}"
    comparison.save(path)
    assert path.stat().st_size > 100
    with pytest.raises(tm.TallymarkError):
        comparison.save(path)
    comparison.save(path, overwrite=True)


def test_the_page_begins_with_the_verdict(comparison: tm.Comparison) -> None:
    page = comparison.report()
    lead = page.sections[0].blocks[0]
    assert isinstance(lead, Paragraph)
    assert (lead.lead, lead.text[1:]) == (True, comparison.verdict[1:])
    pictures = [block for each in page.sections for block in each.blocks if isinstance(block, Picture)]
    assert pictures[0].title == "Differences with their intervals"
    assert all(picture.said for picture in pictures)
    first = comparison.glance().sections[0].blocks
    assert first[0] == lead
    assert isinstance(first[-1], Picture)
    shown = comparison._repr_mimebundle_()
    assert list(shown) == ["text/plain", "text/markdown", "text/html"]
    assert shown["text/plain"] == str(comparison)


def test_a_pickled_comparison_has_a_page_without_curves(comparison: tm.Comparison) -> None:
    again = pickle.loads(pickle.dumps(comparison))
    assert again.evaluations == {}
    titles = [section.title for section in again.report().sections]
    assert titles[:2] == ["", "Differences"]
    assert "Ranking" not in titles
    whole = [section.title for section in comparison.report().sections]
    assert ("Comparison" in whole) == bool(comparison.evaluations)


def test_a_pickle_says_and_draws_the_same(comparison: tm.Comparison) -> None:
    again = pickle.loads(pickle.dumps(comparison))
    assert again.to_json() == comparison.to_json()
    assert str(again) == str(comparison)
    assert list(again.detail.figures()) == list(comparison.detail.figures())
    for kind in again.detail.figures():
        assert again.figure(kind).title == comparison.figure(kind).title
    assert copy.deepcopy(comparison).verdict == comparison.verdict
    assert pickle.loads(pickle.dumps(again)).to_json() == comparison.to_json()


def test_what_a_pickle_no_longer_knows_it_says() -> None:
    again = pickle.loads(pickle.dumps(DESIGNS["answers"]()))
    asked = again["accuracy"].estimate.interval(0.8)
    assert asked.low is None
    assert "pickled at 0.95" in (asked.note or "")


# --- one by one -------------------------------------------------------------------------------------


def test_a_difference_by_its_name() -> None:
    found = DESIGNS["scores"]()
    assert found["auc"].metric == "auc"
    with pytest.raises(tm.TallymarkError, match="'gini' was not compared; there is accuracy"):
        found["gini"]
    with pytest.raises(tm.TallymarkError, match="3 models make 3 differences"):
        DESIGNS["three models"]()["brier"]


def test_the_table_of_agreement_is_printed_as_the_sources_have_it() -> None:
    y = [1] * 100
    a = [1] * 25 + [0] * 10 + [1] * 56 + [0] * 9
    b = [0] * 25 + [1] * 10 + [1] * 56 + [0] * 9
    found = tm.compare({"h1": a, "h2": b}, y)
    text = " ".join(str(found).split())
    assert "h2 wrong n00 = 9 n01 = 25 h2 right n10 = 10 n11 = 56" in text
    assert "M = (|25 - 10| - 1)^2 / (25 + 10) = 5.600" in text
    (table,) = found.to_dict()["agreement"]
    assert (table["n00"], table["n01"], table["n10"], table["n11"]) == (9, 25, 10, 56)


def test_what_the_rows_can_find_is_always_told() -> None:
    clear = tm.compare({"a": Y, "b": 1 - Y}, Y)
    assert clear.winner == "a"
    assert "a difference is found in 80 % of cases" in " ".join(str(clear).split())
    open_ = tm.compare({"a": Y, "b": Y}, Y)
    assert str(open_).count("80 % of cases") == 1
    assert "smallest difference" in str(DESIGNS["seven models"]())


def test_a_remark_of_several_tests_is_made_once() -> None:
    text = " ".join(str(tm.compare({"a": Y, "b": Y}, Y)).split())
    assert text.count("the models never disagree about a row") == 1
    assert (
        "McNemar, corrected; McNemar, uncorrected; McNemar, exact; McNemar, mid-p: the models never" in text
    )


def test_the_forest_says_which_numbers_are_better_when_lower() -> None:
    assert DESIGNS["scores"]().figure("differences").note.startswith("Lower is better in brier.")
    assert DESIGNS["three models"]().figure("differences").note == "Lower is better."
    assert DESIGNS["answers"]().figure("differences").note == "Higher is better."
    neither = tm.compare({"a": S, "b": T}, Y, metrics=["accuracy", "predicted_positive_rate"])
    assert neither.figure("differences").note == (
        "Neither is better in predicted_positive_rate. Higher is better in the others."
    )


def test_what_the_forest_leaves_out_is_told_below_it() -> None:
    found = DESIGNS["scores"]()
    told = [
        f"{name} {found[name].value:.3f} [{found[name].low:.3f}, {found[name].high:.3f}]"
        for name in ("mean_cost", "log_loss")
    ]
    note = found.figure("differences").note
    assert note.endswith(f"Not drawn, on another scale: {', '.join(told)}.")
    # A number on a scale of its own is drawn if it is the verdict's, and the others are named.
    costs = tm.compare({"a": S, "b": T}, Y, costs=COSTS, metric="mean_cost", margin=0.2).figure("differences")
    assert [name for _, name in costs.panels[0].y.names] == ["mean_cost"]
    assert "on another scale: accuracy, recall, specificity" in costs.note
    assert "Not drawn" not in DESIGNS["answers"]().figure("differences").note
    assert "Not drawn" not in DESIGNS["three models"]().figure("differences").note


def test_the_margin_is_shaded_beside_its_own_number_only() -> None:
    def shaded(comparison: tm.Comparison) -> bool:
        return any(isinstance(mark, Band) for mark in comparison.figure("differences").panels[0].marks)

    many = DESIGNS["scores"]()
    assert not shaded(many)
    assert "The margin of 0.050 is for accuracy alone." in many.figure("differences").note
    assert shaded(tm.compare({"a": S, "b": T}, Y, metric="auc", metrics=["auc"], margin=0.1))
    assert shaded(tm.compare({"a": S, "b": T, "c": U}, Y, margin=0.1))
    assert "margin" not in tm.compare({"a": S, "b": T, "c": U}, Y, margin=0.1).figure("differences").note


@pytest.mark.parametrize(
    ("design", "kind", "why"),
    [
        ("seven models", "agreement", "agreement is of two models; there are 7"),
        ("many data sets", "posterior", "posterior is of two models; there are 3"),
        ("two of many data sets", "critical-difference", "of three models or more; there are 2"),
        ("other rows", "agreement", "agreement is for the design 'same rows'; this is 'other rows'"),
        ("folds", "scores", "scores is for the design 'many data sets'; this is 'same folds'"),
        ("answers", "roc", "roc takes the scores of every model"),
        ("scores only", "agreement", "agreement takes the answers of both models"),
        ("answers", "pie", "no picture is called 'pie'"),
    ],
)
def test_why_there_is_no_such_picture(design: str, kind: str, why: str) -> None:
    found = made(design)
    with pytest.raises(tm.TallymarkError, match=re.escape(why)) as raised:
        found.figure(kind)
    assert ", ".join(found.detail.figures()) in str(raised.value)


def test_the_number_that_the_verdict_is_about_is_among_the_headlines() -> None:
    y = np.repeat([0, 1], 50)
    models = {"a": np.where(np.arange(100) < 20, 1, y), "b": np.where(np.arange(100) >= 94, 0, y)}
    found = tm.compare(models, y, costs={0: {1: 1}, 1: {0: 10}}, metric="total_cost")
    page = " ".join(text(describe(found), width=1000).split())
    # 20 false alarms, and 6 missed at 10 each.
    assert "total cost 20 [" in page
    assert "'a' less 'b' is -40 [" in page


def test_that_intervals_of_many_pairs_are_not_adjusted_is_said() -> None:
    assert "Intervals are not adjusted." in " ".join(str(DESIGNS["three models"]()).split())
    assert "Intervals are not adjusted." not in str(DESIGNS["answers"]())
