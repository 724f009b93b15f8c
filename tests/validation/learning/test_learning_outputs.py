"""A learning curve on paper: report, JSON, table and picture."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from tallymark.drawing.figure import Band, Line, Points
from tallymark.errors import OptionError
from tallymark.validation.learning.curve import learning_curve


def rows(count=300, apart=0.5):
    random = np.random.default_rng(0)
    y = random.integers(2, size=count)
    return random.normal(size=(count, 15)) + apart * y[:, None], y


X, Y = rows()
MODELS = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=3)}


@pytest.fixture(scope="module")
def one():
    return learning_curve(GaussianNB(), X, Y)


@pytest.fixture(scope="module")
def two():
    return learning_curve(MODELS, X, Y, schedule="arithmetic", start=20, n_sizes=5)


def test_the_report_has_every_size_and_says_what_was_done(one):
    text = str(one)
    flat = " ".join(text.split())
    assert "'GaussianNB' on 300 rows, 2 classes: 0, 1. Positive class: 1." in flat
    assert "up to 200 rows to train on and 100 to test on" in flat
    assert "Sizes: geometric, each size 2 times the one before." in flat
    assert "Each training subset of a repeat contains the smaller ones and has the same class shares." in flat
    assert "accuracy (higher is better) by training rows" in flat
    lines = [line.split() for line in text.splitlines()]
    for point in one._one.points:
        row = next(line for line in lines if line and line[0] == f"{point.size}")
        assert row[1] == f"{point.mean.value:.3f}"
        assert f"[{point.mean.low:.3f}," in row
    assert f"Always answering the most frequent class: {one.baseline.value:.3f}." in flat
    assert "\n".join(line.rstrip() for line in text.splitlines()) == text.rstrip("\n")


def test_the_json_document_has_every_number(two):
    form = json.loads(two.to_json())
    assert next(iter(form)) == "schema"
    assert form["schema"] == "tallymark/learning-curve/1"
    assert form["schedule"] == {"name": "arithmetic, in steps of 45 rows", "sizes": [20, 65, 110, 155, 200]}
    assert (form["metric"], form["better"], form["failed"]) == ("accuracy", "higher", 0)
    counts = np.bincount(Y).tolist()
    assert form["data"] == {
        "name": two.data.name,
        "rows": 300,
        "labels": ["0", "1"],
        "positive": "1",
        "class_counts": counts,
        "groups": None,
    }
    assert [model["name"] for model in form["models"]] == ["bayes", "tree"]
    point = form["models"][1]["points"][2]
    assert (point["size"], point["n_train"], point["undefined"]) == (110, 110, 0)
    assert point["mean"]["value"] == pytest.approx(np.mean(point["values"]))
    assert point["mean"]["method"] == "corrected t"
    assert [more["rows"] for more in form["models"][0]["more_data"]] == [400, 2_000]
    assert form["progressive"] is None
    assert set(form["baseline"]) >= {"value", "low", "high"}


def test_what_is_undefined_says_why_in_json():
    found = learning_curve(GaussianNB(), X, Y, schedule=[100], n_repeats=2)
    form = json.loads(found.to_json())
    assert form["models"][0]["law"] == {"why": "a curve is continued from 4 sizes or more, and there are 2"}
    assert form["models"][0]["more_data"][0]["gain"]["value"] is None


def test_progressive_sampling_is_in_the_json_document():
    found = learning_curve(GaussianNB(), *rows(600, 1.5), progressive=True, tolerance=0.03)
    form = json.loads(found.to_json())["progressive"]
    assert form["early"] is True
    assert form["sizes_not_run"] == list(found.stopped.left_out)
    assert set(form["gains"]["GaussianNB"]) == {"before", "after", "value", "upper"}
    assert form["text"].startswith("Stopped at")


def test_the_table_has_one_row_per_model_and_size(two):
    table = two.to_frame()
    assert isinstance(table, pl.DataFrame)
    assert table["model"].to_list() == ["bayes"] * 5 + ["tree"] * 5
    assert table["size"].to_list() == [20, 65, 110, 155, 200] * 2
    np.testing.assert_allclose(table["mean"].to_numpy()[5:], two.models["tree"].mean)
    assert table["repeats"].unique().to_list() == [10]


def test_every_format_is_written(two, tmp_path):
    for suffix in (".txt", ".md", ".tex", ".json", ".csv", ".png", ".svg", ".pdf", ".html"):
        path = tmp_path / f"curve{suffix}"
        two.save(path)
        assert path.stat().st_size > 500
    head = (tmp_path / "curve.csv").read_text("utf-8").splitlines()[0]
    assert head.startswith("model,size,n_train,metric,mean,low,high,standard_deviation,training,seconds")
    assert (
        f"'bayes' has accuracy {two.models['bayes'].mean[-1]:.3f} ["
        in two.report().sections[0].blocks[0].text
    )


# --- the picture -------------------------------------------------------------------------------------


def marks(curve, kind):
    (panel,) = curve.figure().panels
    return [mark for mark in panel.marks if isinstance(mark, kind)]


def test_the_picture_has_mean_band_training_and_baseline(one):
    (panel,) = one.figure("learning-curve").panels
    assert panel.x.log
    by_label = {(type(mark), mark.label): mark for mark in panel.marks}
    np.testing.assert_array_equal(by_label[Line, "mean on test rows"].y, one.mean)
    np.testing.assert_array_equal(by_label[Points, "mean on test rows"].x, one.sizes)
    np.testing.assert_array_equal(by_label[Line, "on training rows"].y, one.training)
    band = by_label[Band, "± standard deviation of the repeats"]
    np.testing.assert_allclose(band.high, one.mean + one.deviation)
    base = by_label[Line, f"most frequent class {one.baseline.value:.3f}"]
    assert base.series is None
    assert base.y.tolist() == [one.baseline.value] * 2


def test_the_curve_goes_on_dashed_up_to_ten_times_the_rows(one):
    (dashed,) = [line for line in marks(one, Line) if line.dashed]
    assert (dashed.x[0], dashed.x[-1]) == (200, pytest.approx(2_000))
    assert dashed.y[0] == one.mean[-1]
    assert dashed.y[-1] == pytest.approx(one.extrapolate(2_000).value)
    band = next(band for band in marks(one, Band) if band.x[-1] > 200)
    gain = one.gain(2_000)
    assert band.high[-1] == pytest.approx(one.mean[-1] + gain.high)
    assert band.low[-1] == pytest.approx(one.mean[-1] + gain.low)


def test_an_arithmetic_schedule_has_an_even_axis_and_goes_on_to_twice_the_rows(two):
    (panel,) = two.figure().panels
    assert not panel.x.log
    known = [model for model in two.models.values() if not isinstance(model.law, str)]
    assert known
    assert [line.x[-1] for line in marks(two, Line) if line.dashed] == pytest.approx([400] * len(known))
    assert {"bayes, on test rows", "tree, on test rows"} <= {line.label for line in marks(two, Line)}


def test_many_models_have_no_bands():
    models = {f"tree {depth}": DecisionTreeClassifier(max_depth=depth) for depth in range(1, 5)}
    found = learning_curve(models, X, Y, schedule=[50], n_repeats=2)
    assert marks(found, Band) == []
    assert len(marks(found, Points)) == 4


def test_why_it_is_not_continued_stands_below_the_picture():
    found = learning_curve(GaussianNB(), X, Y, schedule=[100], n_repeats=2)
    assert "Not continued: a curve is continued from 4 sizes or more, and there are 2." in found.figure().note
    assert not any(line.dashed for line in marks(found, Line))


def test_no_other_picture(one):
    with pytest.raises(OptionError, match="there is learning-curve"):
        one.figure("roc")
