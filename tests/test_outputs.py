"""An evaluation on paper and in frames: the same numbers in every format."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from markdown_it import MarkdownIt
from scipy.stats import binomtest

import tallymark as tm
from tallymark.data import path
from tallymark.drawing import latex, markdown, name, terminal, text
from tallymark.evaluation import Evaluation

COLUMNS = [
    "slice", "class", "average", "metric",
    "value", "low", "high", "level", "method", "n", "assumption", "note",
]  # fmt: skip
FLOATS = ["value", "low", "high", "level", "n"]
HOSTILE = [
    "<script>alert(1)</script>",
    '=HYPERLINK("http://x")',
    r"\input{/etc/passwd}",
    "$x^2$",
    "a|b",
    "a\nb",
    "\x1b[31mred",
    "right\u202eleft",
    "",
    "  ",
    "😀",
    "مرحبا",
]


def three() -> Evaluation:
    return tm.Confusion([[50, 3, 2], [4, 60, 1], [0, 5, 70]], labels=["a", "b", "c"]).evaluate()


def hostile() -> Evaluation:
    return tm.Confusion(np.eye(len(HOSTILE), dtype=int) * 5 + 1, labels=HOSTILE).evaluate()


def saved(ev: Evaluation, folder: Path, suffix: str) -> str:
    target = folder / f"ev{suffix}"
    ev.save(target)
    return target.read_bytes().decode("utf-8")


def read(written: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(written, newline=""), strict=True))


# --- the long table ----------------------------------------------------------------------------


def test_one_row_per_number() -> None:
    rows = three().to_frame().to_dicts()
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


def test_every_number_of_the_json_document_is_there_with_the_same_digits(tmp_path: Path) -> None:
    ev = three()
    form = json.loads(ev.to_json())
    written = read(saved(ev, tmp_path, ".csv"))
    whole = [row for row in written if not row["class"]]
    for row, (metric, number) in zip(whole, form["metrics"].items(), strict=True):
        assert "_".join(filter(None, (row["metric"], row["average"]))) == metric
        for key in (*FLOATS, "method", "assumption"):
            shown = number.get(key)
            assert row[key] == (
                "" if shown is None else shown if isinstance(shown, str) else json.dumps(shown)
            )
        assert row["note"] == (number.get("why") or number.get("note") or "")
    of_classes = [row for row in written if row["class"]]
    assert len(whole) + len(of_classes) == len(ev.to_frame())
    for row in of_classes:
        (one,) = [each for each in form["per_class"] if each["label"] == row["class"]]
        value = one[row["metric"]]["value"]
        assert row["value"] == ("" if value is None else json.dumps(value))


def test_an_undefined_number_has_its_reason_as_note() -> None:
    frame = tm.Confusion([[5, 0], [3, 0]], labels=["yes", "no"]).evaluate(pos_label="no").to_frame()
    row, *_ = frame.filter((pl.col("metric") == "precision") & pl.col("average").is_null()).to_dicts()
    assert row["value"] is None
    assert row["note"] == "nothing was predicted positive (tp + fp = 0)"


def test_numbers_asked_for_are_there_too() -> None:
    frame = three().to_frame(extra=("f_beta_macro:2", "recall_macro"))
    found = frame.filter(pl.col("metric") == "f_beta:2")
    assert found["average"].to_list() == ["macro"]
    assert len(frame.filter((pl.col("metric") == "recall") & (pl.col("average") == "macro"))) == 1


def test_without_counts_there_are_reasons_and_what_the_ranking_tells() -> None:
    ev = tm.evaluate(["y", "n"], y_score=[3.0, -2.0], pos_label="y")
    frame = ev.to_frame()
    known = frame.filter(pl.col("value").is_not_null())
    assert set(known["metric"]) == {"auc", "gini", "ks", "average_precision"}
    assert frame.filter(pl.col("value").is_null())["note"].null_count() == 0


def test_slices_follow_the_whole() -> None:
    data = pl.DataFrame(
        {
            "y": [1, 1, 0, 0, 1],
            "p": [1, 0, 0, 0, 1],
            "region": ["n", "n", "n", "s", "s"],
            "age": [7, 8, 7, 7, 7],
        }
    )
    ev = tm.evaluate(data, actual="y", predicted="p", slices=["region"])
    frame = ev.to_frame()
    assert list(dict.fromkeys(frame["slice"])) == ["", "region=n", "region=s"]
    assert len(frame) == 3 * len(frame.filter(slice="")) + 2 * 4  # and four differences for each slice
    (row,) = frame.filter(slice="region=n", metric="accuracy").to_dicts()
    assert (row["value"], row["n"]) == (2 / 3, 3)


def test_a_metric_of_ones_own_keeps_its_name() -> None:
    def profit_macro(y_true: Any, y_pred: Any) -> float:
        return float(np.sum(y_true == y_pred))

    ev = tm.evaluate([1, 0, 1, 0], [1, 0, 0, 0], extra={"profit_macro": profit_macro})
    (row,) = ev.to_frame().filter(metric="profit_macro").to_dicts()
    assert (row["average"], row["value"]) == (None, 3.0)


# --- libraries ---------------------------------------------------------------------------------


def test_polars() -> None:
    frame = three().to_frame("polars")
    assert frame.schema == {name: pl.Float64 if name in FLOATS else pl.String for name in COLUMNS}


def test_pandas() -> None:
    frame = three().to_frame(library="pandas")
    assert isinstance(frame, pd.DataFrame)
    assert all(frame[name].dtype == "float64" for name in FLOATS)
    words = pd.DataFrame({"x": ["a"]})["x"].dtype
    assert all(frame[name].dtype == words for name in COLUMNS if name not in FLOATS)
    assert frame.query("metric == 'accuracy'")["value"].item() == 180 / 195
    assert frame["class"].isna().any()


def test_pyarrow() -> None:
    frame = three().to_frame("pyarrow")
    assert isinstance(frame, pa.Table)
    assert frame.column("value").type == pa.float64()
    assert frame.column("class").null_count > 0


@pytest.mark.parametrize(
    ("came_in", "kind"),
    [("pandas", pd.DataFrame), ("pyarrow", pa.Table), (None, pl.DataFrame), ("duckdb", pl.DataFrame)],
)
def test_the_library_the_data_came_in(came_in: str | None, kind: type) -> None:
    ev = replace(three(), library=came_in)
    assert isinstance(ev.to_frame(), kind)
    assert isinstance(ev.to_frame("polars"), pl.DataFrame)


def test_an_unknown_library() -> None:
    with pytest.raises(tm.OptionError) as caught:
        three().to_frame("panda")
    assert str(caught.value) == "library must be one of pandas, polars, pyarrow; got 'panda'."


def test_a_library_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tallymark.curves.frames.find_spec", lambda _: None)
    with pytest.raises(tm.MissingExtraError) as caught:
        three().to_frame("pyarrow")
    assert str(caught.value) == (
        "a pyarrow data frame was asked for, and pyarrow is not installed. Hint: pip install pyarrow"
    )


# --- files -------------------------------------------------------------------------------------


def test_the_suffix_sets_the_format(tmp_path: Path) -> None:
    ev = three()
    assert saved(ev, tmp_path, ".md") == markdown(ev.document()) + "\n"
    assert saved(ev, tmp_path, ".tex") == latex(ev.document()) + "\n"
    assert saved(ev, tmp_path, ".txt") == text(ev.document()) + "\n"
    with pytest.raises(tm.FileError, match=r"must be \.csv, \.html, \.json, \.md, \.tex or \.txt\.$"):
        ev.save(tmp_path / "ev.doc")


def test_half_a_surrogate_pair_is_written_as_an_escape(tmp_path: Path) -> None:
    ev = tm.Confusion([[5, 1], [0, 4]], labels=["a", "\ud800"]).evaluate()
    for suffix in (".txt", ".md", ".tex", ".csv"):
        assert "\\ud800" in saved(ev, tmp_path, suffix).replace(r"\textbackslash{}", "\\").replace(
            "\\\\", "\\"
        )
    assert json.loads(saved(ev, tmp_path, ".json"))["labels"] == ["a", "\ud800"]
    assert "\\ud800" in ev.to_frame()["class"].to_list()


def test_labels_that_are_numbers_stay_numbers_in_csv(tmp_path: Path) -> None:
    ev = tm.evaluate([1, -1, 1, -1], [1, -1, -1, -1], pos_label=1)
    assert [row["class"] for row in read(saved(ev, tmp_path, ".csv")) if row["class"]] == ["-1"] * 7 + [
        "1"
    ] * 7
    text_labels = tm.Confusion([[5, 1], [0, 4]], labels=["+", "-"]).evaluate()
    labels = {row["class"] for row in read(saved(text_labels, tmp_path / "..", ".csv"))}
    assert labels == {"", "'+", "'-"}


def test_text_markdown_and_latex_show_the_same_words_and_digits() -> None:
    costs = {"malignant": {"benign": 10}, "benign": {"malignant": 1}}
    columns = {"actual": "actual", "predicted": "tree_predicted"}
    ev = tm.evaluate(path("breast_cancer.csv"), **columns, pos_label="malignant", costs=costs)
    document = ev.document()
    plain = sorted(re.sub(r"^[-=].*$", "", text(document, 200), flags=re.MULTILINE).split())
    page = MarkdownIt("commonmark").enable("table").render(markdown(document))
    shown = html.unescape(re.sub("<.*?>", " ", page)).split()
    assert set(shown) == set(plain)
    signs = {r"\textbackslash{}": "\\", r"\textquotesingle{}": "'", r"\textgreater{}": ">"}
    typeset = latex(document).partition("\n")[2]
    for command, sign in signs.items():
        typeset = typeset.replace(command, sign)
    typeset = re.sub(
        r"\(columns .*?\)|\\(begin|end)\{\w+\}(\{[lr]+\})?|\\section\*\{|}$", "", typeset, flags=re.M
    )
    typeset = re.sub(
        r"\\(smallskip|small|footnotesize|scriptsize|setlength\{\\tabcolsep\}\{4pt|par|ttfamily|\w+rule|\\)",
        "",
        typeset,
    )
    typeset = re.sub(r"(?<!\\)&", " ", typeset).replace(r"\_", "_").replace(r"\%", "%")
    assert set(typeset.split()) == set(plain)


# --- hostile labels ----------------------------------------------------------------------------


def test_hostile_labels_do_nothing_in_markdown() -> None:
    page = MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown(hostile().document()))
    tags = set(re.findall(r"<(\w+)", page))
    assert tags <= {
        "h2",
        "p",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "code",
        "strong",
        "ul",
        "li",
        "pre",
    }
    (square,) = [part for part in re.findall("<table>.*?</table>", page, re.DOTALL) if "actual \\" in part]
    rows = [re.findall("<t[dh].*?>(.*?)</t[dh]>", row, re.DOTALL) for row in square.split("<tr>")[1:]]
    rows[0] = rows[0][-14:]
    assert [len(row) for row in rows] == [14] * 14
    seen = [html.unescape(re.sub("</?(code|strong)>", "", row[0])).replace("\xa0", " ") for row in rows[1:-1]]
    assert seen == [terminal(name(label)) for label in HOSTILE]


def test_hostile_labels_do_nothing_in_latex() -> None:
    source = latex(hostile().document())
    commands = set(re.findall(r"\\([a-z]+)", source))
    assert commands == {
        "usepackage", "section", "begin", "end", "small", "setlength", "tabcolsep", "par", "smallskip",
        "toprule", "midrule", "bottomrule", "item", "symbol", "textasciicircum", "textbackslash", "textbar",
        "textgreater", "textless", "textquotesingle",
    } - ({"item"} if r"\item" not in source else set())  # fmt: skip
    assert not re.search(r"(?<!\\)[$#^_]", source)


def test_hostile_labels_do_nothing_in_a_spreadsheet(tmp_path: Path) -> None:
    rows = read(saved(hostile(), tmp_path, ".csv"))
    assert {len(row) for row in rows} == {len(COLUMNS)}
    labels = [row["class"] for row in rows if row["metric"] == "fpr" and not row["average"]][1:]
    shown = [label.replace("\x1b", "\\x1b") for label in HOSTILE]
    assert labels == [f"'{label}" if label.startswith("=") else label for label in shown]
    words = [cell for row in rows for column, cell in row.items() if column not in FLOATS]
    assert not [cell for cell in words if cell.lstrip(" ").startswith(("=", "+", "-", "@"))]


def test_forty_classes_in_every_format(tmp_path: Path) -> None:
    labels = [f"class_{number:02}" for number in range(40)]
    ev = tm.Confusion(np.eye(40, dtype=int) * 20 + 1, labels=labels).evaluate()
    for suffix in (".txt", ".md", ".tex"):
        assert "too many to print" in saved(ev, tmp_path, suffix)
    assert len(read(saved(ev, tmp_path, ".csv"))) == len(ev.metrics) + 40 * 7
