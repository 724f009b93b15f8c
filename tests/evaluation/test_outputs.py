"""Evaluations, decisions and curves in files and data frames: the same values in every format."""

import csv
import io
import json
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.stats import binomtest

import tallymark as tm
from scored import classes, refusals
from tallymark.data import path
from tallymark.drawing import latex, markdown, text

COLUMNS = [
    "slice", "class", "average", "metric",
    "value", "low", "high", "level", "method", "n", "assumption", "note",
]  # fmt: skip
FLOATS = ["value", "low", "high", "level", "n"]
ABOUT = {"actual": "actual", "pos_label": "malignant"}
COSTS = {"malignant": {"benign": 20}, "benign": {"malignant": 1}}


def three():
    return tm.Confusion([[50, 3, 2], [4, 60, 1], [0, 5, 70]], labels=["a", "b", "c"]).evaluate()


@pytest.fixture(scope="module")
def bayes():
    return tm.evaluate(path("breast_cancer.csv"), score="bayes_score", **ABOUT)


def saved(ev, folder, suffix):
    target = folder / f"ev{suffix}"
    ev.save(target, overwrite=True)
    return target.read_bytes().decode("utf-8")


def read(written):
    return list(csv.DictReader(io.StringIO(written, newline=""), strict=True))


# --- the long table ------------------------------------------------------------------------------------


def test_a_row_of_the_long_table():
    frame = three().to_frame()
    rows = frame.to_dicts()
    assert list(rows[0]) == COLUMNS
    (accuracy,) = [row for row in rows if row["metric"] == "accuracy"]
    wilson = binomtest(180, 195).proportion_ci(method="wilson")
    assert accuracy == {
        "slice": "", "class": None, "average": None, "metric": "accuracy", "value": 180 / 195,
        "low": pytest.approx(wilson.low), "high": pytest.approx(wilson.high),
        "level": 0.95, "method": "wilson", "n": 195.0, "assumption": "independent rows", "note": None,
    }  # fmt: skip
    by_class = {row["class"]: row["value"] for row in rows if row["metric"] == "recall" and row["class"]}
    assert by_class == {"a": 50 / 55, "b": 60 / 65, "c": 70 / 75}
    (macro,) = [row for row in rows if (row["metric"], row["average"]) == ("recall", "macro")]
    assert macro["value"] == pytest.approx((50 / 55 + 60 / 65 + 70 / 75) / 3)
    more = three().to_frame(extra=("f_beta_macro:2", "recall_macro"))
    assert more.filter(metric="f_beta:2")["average"].to_list() == ["macro"]
    assert len(more.filter(metric="recall", average="macro")) == 1
    # Undefined metrics have their reason as note.
    for ev, known in (
        (tm.evaluate(["y", "n"], y_score=[3.0, -2.0], pos_label="y"), RANKED),
        (tm.Confusion([[5, 0], [3, 0]], labels=["yes", "no"]).evaluate(pos_label="no"), None),
    ):
        undefined = ev.to_frame().filter(pl.col("value").is_null())
        assert len(undefined)
        assert undefined["note"].null_count() == 0
        if known:
            assert set(ev.to_frame().filter(pl.col("value").is_not_null())["metric"]) == known

    def profit_macro(y_true, y_pred):
        return float(np.sum(y_true == y_pred))

    own = tm.evaluate([1, 0, 1, 0], [1, 0, 0, 0], extra={"profit_macro": profit_macro}).to_frame()
    (row,) = own.filter(metric="profit_macro").to_dicts()
    assert (row["average"], row["value"]) == (None, 3.0)


RANKED = {"auc", "gini", "ks", "average_precision"}


def test_data_frame_libraries(monkeypatch):
    frame = three().to_frame("polars")
    assert frame.schema == {name: pl.Float64 if name in FLOATS else pl.String for name in COLUMNS}
    frame = three().to_frame(library="pandas")
    words = pd.DataFrame({"x": ["a"]})["x"].dtype
    assert [frame[name].dtype for name in COLUMNS] == ["float64" if n in FLOATS else words for n in COLUMNS]
    assert frame.query("metric == 'accuracy'")["value"].item() == 180 / 195
    assert frame["class"].isna().any()
    frame = three().to_frame("pyarrow")
    assert frame.column("value").type == pa.float64()
    assert frame.column("class").null_count > 0
    columns = {"y": [1, 0, 1], "p": [1, 0, 0]}
    for data, kind in (
        (pd.DataFrame(columns), pd.DataFrame),
        (pa.table(columns), pa.Table),
        (pl.DataFrame(columns), pl.DataFrame),
    ):
        ev = tm.evaluate(data, actual="y", predicted="p")
        assert isinstance(ev.to_frame(), kind)
        assert isinstance(ev.to_frame("polars"), pl.DataFrame)
    assert isinstance(replace(three(), library="duckdb").to_frame(), pl.DataFrame)
    assert classes(refusals({"panda": lambda: three().to_frame("panda")})) == {"panda": "OptionError"}
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert classes(refusals({"": lambda: three().to_frame("pyarrow")})) == {"": "MissingExtraError"}


# --- files ---------------------------------------------------------------------------------------------


def test_the_suffix_sets_the_format(tmp_path):
    ev = three()
    ev.save(str(tmp_path / "ev.TXT"))
    assert (tmp_path / "ev.TXT").read_text(encoding="utf-8") == f"{text(ev.document())}\n"
    assert json.loads(saved(ev, tmp_path, ".json")) == ev.to_dict()
    assert saved(ev, tmp_path, ".md") == markdown(ev.document()) + "\n"
    assert saved(ev, tmp_path, ".tex") == latex(ev.document()) + "\n"
    labels = [f"class_{number:02}" for number in range(40)]
    many = tm.Confusion(np.eye(40, dtype=int) * 20 + 1, labels=labels).evaluate()
    assert len(read(saved(many, tmp_path, ".csv"))) == len(many.metrics) + 40 * 7
    # Numbers as labels stay numbers; texts that begin with a sign are quoted for spreadsheets.
    ev = tm.evaluate([1, -1, 1, -1], [1, -1, -1, -1], pos_label=1)
    labels = [row["class"] for row in read(saved(ev, tmp_path, ".csv")) if row["class"]]
    assert labels == ["-1"] * 7 + ["1"] * 7
    ev = tm.Confusion([[5, 1], [0, 4]], labels=["+", "-"]).evaluate()
    assert {row["class"] for row in read(saved(ev, tmp_path, ".csv"))} == {"", "'+", "'-"}
    for suffix in (".txt", ".md", ".tex"):
        assert "class_39" not in saved(many, tmp_path, suffix).partition("By Class")[0]
    wide = tm.evaluate([1, 0] * 30, [1, 0, 0] * 20, slices={"r": ["n", "s"] * 30})
    assert "…" not in saved(wide, tmp_path, ".tex")


def test_half_a_surrogate_pair_is_written_as_an_escape(tmp_path):
    ev = tm.Confusion([[5, 1], [0, 4]], labels=["a", "\ud800"]).evaluate()
    for suffix in (".txt", ".md", ".tex", ".csv"):
        written = saved(ev, tmp_path, suffix).replace(r"\textbackslash{}", "\\").replace("\\\\", "\\")
        assert "\\ud800" in written, suffix
    assert json.loads(saved(ev, tmp_path, ".json"))["labels"] == ["a", "\ud800"]
    assert "\\ud800" in ev.to_frame()["class"].to_list()


def test_what_cannot_be_written(tmp_path, monkeypatch, snapshot, bayes):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.json").write_text("mine")
    (tmp_path / "folder.json").mkdir()
    ev, several = three(), tm.Several({"bayes": bayes.roc})
    calls = {
        "exists": lambda: ev.save("mine.json"),
        "no such folder": lambda: ev.save("none/ev.json"),
        "a folder": lambda: ev.save("folder.json", overwrite=True),
        **{
            f"suffix {name}": lambda name=name: ev.save(name)
            for name in ("ev.docx", "ev", "ev.json.zip", ".json")
        },
        "one picture of many": lambda: bayes.save("x.png"),
        "several curves have no table": lambda: several.save("several.csv"),
        "no path": lambda: ev.save(None),
        "a title is that of a page": lambda: bayes.decide(COSTS).save("x.json", title="Tumours"),
        "gains are no ROC curve": lambda: tm.Several({"a": bayes.gains}),
    }
    refused = refusals(calls)
    kinds = {
        "no path": "OptionError",
        "a title is that of a page": "OptionError",
        "gains are no ROC curve": "ShapeError",
    }
    assert classes(refused) == dict.fromkeys(calls, "FileError") | kinds
    snapshot("evaluation_errors_files", refused)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["folder.json", "mine.json"]
    assert (tmp_path / "mine.json").read_text() == "mine"
    ev.save("mine.json", overwrite=True)
    assert json.loads((tmp_path / "mine.json").read_text())["rows"] == 195
    several.save("several.md")


def test_decisions_and_curves_are_saved_by_suffix(bayes, tmp_path):
    decision = bayes.decide(COSTS)
    for suffix in ("txt", "md", "tex", "json", "csv", "svg"):
        decision.save(tmp_path / f"decision.{suffix}")
    form = json.loads((tmp_path / "decision.json").read_text())
    assert (form["schema"], form["threshold"]) == ("tallymark/decision/1", 0.1006)
    table = pl.read_csv(tmp_path / "decision.csv")
    assert (table.columns, len(table)) == (decision.table("polars").columns, len(decision.table("polars")))
    assert (tmp_path / "decision.txt").read_text() == f"{decision}\n"
    with pytest.raises(tm.FileError):
        decision.save(tmp_path / "decision.csv")
    for curve in ("roc", "precision_recall", "gains", "lift", "thresholds", "calibration"):
        drawn = getattr(bayes, curve)
        for suffix in ("md", "json", "csv"):
            drawn.save(tmp_path / f"{curve}.{suffix}")
        assert pl.read_csv(tmp_path / f"{curve}.csv").columns == drawn.table("polars").columns
        assert json.loads((tmp_path / f"{curve}.json").read_text()) == drawn.to_dict()
    drawn.save(tmp_path / "curve.svg")
    assert (tmp_path / "curve.svg").read_text().startswith("<?xml")
    compared = tm.compare({"a": [1, 1, 0, 0], "b": [1, 0, 1, 0]}, [1, 1, 0, 0])
    for result in (three(), decision, bayes.roc, compared):
        result.save(tmp_path / "page.html", title="Tumours of 1995", overwrite=True)
        assert "<title>Tumours of 1995" in (tmp_path / "page.html").read_text()
