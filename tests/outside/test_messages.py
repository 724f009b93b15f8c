"""Errors name the file, the input and the value that is wrong."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tallymark as tm

ROWS = "1,0.9,a,1\n0,0.2,b,1\n1,0.7,c,2\n0,0.4,d,2\n"
GOOD = f"y,p,id,g\n{ROWS}"
LEARN = "x,y\n" + "0,no\n1,yes\n" * 20
FILES = {
    "good.csv": GOOD,
    "other.csv": GOOD.replace("0.7", "0.6"),
    "gap.csv": GOOD.replace("0.7", ""),
    "word.csv": GOOD.replace("0.7", "high"),
    "infinite.csv": GOOD.replace("0.7", "inf"),
    "text.csv": GOOD.replace("\n1,", "\nyes,").replace("\n0,", "\nno,"),
    "ragged.csv": f"{GOOD}1,0.5\n",
    "header.csv": "y,p,id,g\n",
    "empty.csv": "",
    "twice.csv": GOOD.replace(",c,", ",a,"),
    "weights.csv": "y,p,w\n1,0.9,-1\n0,0.1,1\n",
    "sums.csv": "y,a,b\na,0.7,0.3\nb,0.4,0.8\n",
    "costs.csv": "actual,predicted,cost\n1,0,x\n0,1,2\n",
    "strange.csv": "actual,predicted,cost\nq,0,1\n0,q,2\n",
    "matrix.csv": ",a,b\na,1,x\nb,2,3\n",
    "learn.csv": LEARN,
    "unlabelled.csv": LEARN.replace("yes", ""),
    "folds.csv": "fold,tree,bayes\n1,0.5,0.6\n2,x,0.7\n",
    "parts/u.csv": GOOD,
    "parts/v.csv": GOOD.replace("0.7", ""),
    "y": GOOD.replace("0.7", ""),
}
SCORED = ("--actual", "y", "--score", "p")
JOINED = (*SCORED, "--id", "id")
TREE = ("--target", "y", "--model", "majority")
GATE = ("--require", "auc >= 0.1", "--no-worse", "auc")
MATCH = ("compare", "--model", "a=good.csv", "--model")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(run: Run) -> Run:
    """The same in a folder with all files."""
    Path("parts").mkdir()
    for name, content in FILES.items():
        Path(name).write_text(content)
    return run


def refused(result: tuple[int, str, str], *words: str) -> str:
    """Exit 2, nothing on stdout, and one line on stderr that holds the words."""
    code, out, err = result
    assert (code, out, err.count("\n")) == (2, "", 1), err
    for word in words:
        assert word in err
    return err


# --- which file ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "begins"),
    [
        (("evaluate", "good.csv", "--actual", "y", "--score", "q"), "good.csv has no column 'q'"),
        (("evaluate", "gap.csv", *SCORED), "gap.csv: score (column 'p') is missing in 1 of 4 rows, at line"),
        (("evaluate", "y", *SCORED, "--delimiter", ","), "y: score (column 'p') is missing"),
        (("evaluate", "./gap.csv", *SCORED), "gap.csv: score"),
        (("evaluate", "gap.csv", *SCORED, "--approximate"), "gap.csv: score"),
        (("evaluate", "gap.csv", *SCORED, "--engine", "duckdb"), "gap.csv: score"),
        (("evaluate", "gap.csv", *SCORED, "--engine", "dask"), "gap.csv: score"),
        (("evaluate", "word.csv", *SCORED), "word.csv: score (column 'p') holds 'high' at line 4"),
        (("evaluate", "infinite.csv", *SCORED), "infinite.csv: score (column 'p') is infinite"),
        (("evaluate", "text.csv", *SCORED), "text.csv: a score needs to know the positive class"),
        (("evaluate", "text.csv", *SCORED, "--positive", "Yes"), "text.csv: positive='Yes' is not"),
        (("evaluate", "text.csv", *SCORED, "--positive", "Yes", "--engine", "duckdb"), "text.csv: positive"),
        (("evaluate", "good.csv", *SCORED, "--labels", "0,2"), "good.csv: actual (column 'y') holds ['1']"),
        (("evaluate", "weights.csv", *SCORED, "--weight", "w"), "weights.csv: weight (column 'w') holds -1"),
        (("evaluate", "ragged.csv", *SCORED), "line 6 of ragged.csv has 2 fields"),
        (("evaluate", "header.csv", *SCORED), "there are no rows in header.csv"),
        (("evaluate", "empty.csv", *SCORED), "empty.csv is empty"),
        (("evaluate", "twice.csv", *JOINED), "twice.csv: "),
        (("evaluate", "twice.csv", *JOINED, "--engine", "duckdb"), "twice.csv: "),
        (("evaluate", "sums.csv", "--actual", "y", "--probabilities", "a,b"), "sums.csv: the probabilities"),
        (("evaluate", "good.csv", "gap.csv", *SCORED), "score (column 'p') is missing in 1 of 8 rows, at"
         " line 4 of gap.csv."),
        (("evaluate", "good.csv", "text.csv", *SCORED), "good.csv, text.csv: a score needs to know"),
        (("evaluate", "parts", *SCORED), "parts: score (column 'p') is missing in 1 of 8 rows, at line 4 of"
         " v.csv."),
        (("evaluate", "parts/*.csv", *SCORED), "parts/*.csv: score (column 'p') is missing"),
        (("evaluate", "--model", "a=good.csv", "--model", "b=gap.csv", *SCORED), "model 'b' (gap.csv): s"),
        ((*MATCH, "b=gap.csv", *JOINED), "model 'b' (gap.csv): score (column 'p') is missing"),
        ((*MATCH, "b=twice.csv", *JOINED), "model 'b' (twice.csv): "),
        (("compare", "gap.csv", "--model", "a=p", "--model", "b=g", "--actual", "y"), "gap.csv: score"),
        (("compare", "folds.csv", "--per", "fold"), "folds.csv: score (column 'tree') holds 'x' at line 3"),
        (("roc", "gap.csv", *SCORED), "gap.csv: score"),
        (("roc", "text.csv", *SCORED), "text.csv: a score needs"),
        (("pr", "good.csv", "--actual", "y"), "good.csv: a curve needs scores"),
        (("decide", "gap.csv", *SCORED, "--best", "f1"), "gap.csv: score"),
        (("tally", "gap.csv", *SCORED, "-o", "x.tally"), "gap.csv: score"),
        (("report", "gap.csv", *SCORED, "-o", "x.html"), "gap.csv: score"),
        (("matrix", "matrix.csv"), "line 2, column 'b' of matrix.csv holds 'x'"),
        (("validate", "unlabelled.csv", *TREE), "unlabelled.csv: target (column 'y') is missing"),
        (("validate", "learn.csv", *TREE, "--positive", "maybe"), "learn.csv: positive='maybe' is not"),
        (("tune", "unlabelled.csv", *TREE), "unlabelled.csv: target"),
        (("validate", "--data", "a=learn.csv", "--data", "b=unlabelled.csv", *TREE), "data set 'b'"
         " (unlabelled.csv): target"),
    ],
)  # fmt: skip
def test_an_error_names_its_file(run: Run, command: tuple[str, ...], begins: str) -> None:
    assert refused(run(*command)).startswith(f"tallymark: {begins}")


@pytest.mark.parametrize(
    ("command", "begins"),
    [
        (("check", "good.csv", *SCORED, *GATE, "--baseline", "gap.csv"), "--baseline gap.csv: score"),
        (("check", "good.csv", *SCORED, *GATE, "--baseline", "text.csv"), "--baseline text.csv: a score"),
        (("check", "good.csv", *SCORED, *GATE, "--baseline", "none.csv"), "--baseline: there is no file"),
        (("check", "gap.csv", *SCORED, *GATE, "--baseline", "good.csv"), "gap.csv: score"),
        (("decide", "good.csv", *SCORED, "--best", "f1", "--choose-on", "gap.csv"), "--choose-on gap.csv: s"),
        (("decide", "good.csv", *SCORED, "--best", "f1", "--choose-on", "text.csv"), "--choose-on text.csv:"),
        (("evaluate", "good.csv", *SCORED, "--costs", "costs.csv"), "--costs: line 2, column 'cost' of"),
        (("evaluate", "good.csv", *SCORED, "--costs", "strange.csv"), "--costs strange.csv names 'q'"),
        (("decide", "good.csv", *SCORED, "--costs", "none.csv"), "--costs: there is no file none.csv"),
        (("validate", "learn.csv", *TREE, "--costs", "strange.csv"), "--costs strange.csv names"),
    ],
)  # fmt: skip
def test_an_error_names_the_option_of_its_file(run: Run, command: tuple[str, ...], begins: str) -> None:
    assert refused(run(*command)).startswith(f"tallymark: {begins}")


def test_an_error_about_standard_input_says_so(run: Run) -> None:
    gap = FILES["gap.csv"]
    assert "tallymark: standard input: score" in refused(run("evaluate", "-", *SCORED, stdin=gap))
    result = run("check", "good.csv", *SCORED, *GATE, "--baseline", "-", stdin=gap)
    refused(result, "tallymark: --baseline standard input: score")
    result = run("decide", "good.csv", *SCORED, "--best", "f1", "--choose-on", "-", stdin=gap)
    refused(result, "tallymark: --choose-on standard input: score")
    refused(run(*MATCH, "b=-", *JOINED, stdin=gap), "tallymark: model 'b' (standard input): score")


@pytest.mark.parametrize("given", [("--confidence", "2"), ("--labels", "0"), ("--labels", "0,0")])
def test_an_error_about_an_option_names_no_file(run: Run, given: tuple[str, ...]) -> None:
    assert "good.csv" not in refused(run("evaluate", "good.csv", *SCORED, *given))
    if given[0] == "--labels":
        assert "learn.csv" not in refused(run("validate", "learn.csv", *TREE, *given))


def written(folder: Path, kind: str) -> Path:
    """Four rows of which the third lacks its score."""
    frame = pl.DataFrame({"y": [1, 0, 1, 0], "p": [0.9, 0.2, None, 0.4]})
    path = folder / f"gap.{kind}"
    if kind == "csv.gz":
        path.write_bytes(gzip.compress(frame.write_csv().encode()))
    elif kind == "npz":
        np.savez(path, **{name: frame[name].to_numpy() for name in frame.columns})
    elif kind == "arff":
        rows = "\n".join(f"{y},{'?' if p is None else p}" for y, p in frame.iter_rows())
        path.write_text(f"@relation t\n@attribute y {{0,1}}\n@attribute p numeric\n@data\n{rows}\n")
    else:
        {
            "csv": frame.write_csv,
            "parquet": frame.write_parquet,
            "ndjson": frame.write_ndjson,
            "arrow": frame.write_ipc,
        }[kind](path)
    return path


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet", "ndjson", "arrow", "npz", "arff"])
def test_python_names_the_file_of_every_kind(tmp_path: Path, kind: str) -> None:
    path = written(tmp_path, kind)
    for evaluated in (tm.evaluate, tm.tally):
        with pytest.raises(tm.MissingValueError) as caught:
            evaluated(path, actual="y", score="p")  # type: ignore[operator]
        assert caught.value.message.startswith(f"{path}: score (column 'p') is missing in 1 of 4 rows")
    with pytest.raises(tm.MissingValueError) as caught:
        tm.compare({"a": path, "b": path}, actual="y", score="p")
    assert caught.value.message.startswith(f"model 'a' ({path}): score (column 'p') is missing")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_files_beyond_the_memory_are_named(tmp_path: Path, kind: str) -> None:
    rows = 60_000
    frame = pl.DataFrame({"y": [1, 0] * (rows // 2), "p": [0.5] * (rows - 1) + [None], "id": range(rows)})
    path, whole = tmp_path / f"gap.{kind}", tmp_path / f"whole.{kind}"
    for place, table in ((path, frame), (whole, frame.with_columns(p=pl.lit(0.5)))):
        table.write_csv(place) if kind == "csv" else table.write_parquet(place)
    options: dict[str, Any] = {"actual": "y", "score": "p", "memory": "1MB"}
    with pytest.raises(tm.MissingValueError) as caught:
        tm.evaluate(path, **options)
    assert caught.value.message.startswith(f"{path}: score (column 'p') is missing in 1 of")
    with pytest.raises(tm.MissingValueError) as caught:
        tm.compare({"a": whole, "b": path}, id="id", **options)
    assert caught.value.message.startswith(f"model 'b' ({path}): score (column 'p') is missing in 1 of")


def test_models_that_an_engine_reads_are_named_with_their_files(tmp_path: Path) -> None:
    path = written(tmp_path, "parquet")
    whole = tmp_path / "whole.parquet"
    frame = pl.read_parquet(path).with_row_index("id")
    frame.write_parquet(path)
    frame.fill_null(0.3).write_parquet(whole)
    with pytest.raises(tm.MissingValueError) as caught:
        tm.compare({"a": whole, "b": path}, actual="y", score="p", id="id", engine="duckdb")
    assert caught.value.message.startswith(f"model 'b' ({path}): score (column 'p') is missing in 1 of")


def test_a_tally_is_named(tmp_path: Path) -> None:
    path = tmp_path / "part.tally"
    tm.tally(pl.DataFrame({"y": ["a", "b"], "p": [0.9, 0.1]}), actual="y", score="p", pos_label="a").save(
        path
    )
    with pytest.raises(tm.LabelError) as caught:
        tm.evaluate(path, pos_label="c")
    assert str(path) in caught.value.message


def test_arrays_have_no_file() -> None:
    with pytest.raises(tm.LabelError, match=r"^positive='c' is not a label"):
        tm.evaluate(["a.csv", "b.csv"], ["a.csv", "b.csv"], pos_label="c")
    with pytest.raises(tm.LabelError, match=r"^model 'm': positive='c' is not a label"):
        tm.compare({"m": ["a.csv", "b"], "n": ["b", "b"]}, y_true=["a.csv", "b"], pos_label="c")


# --- which value ---------------------------------------------------------------------------------

BEYOND = [(1.0000001, "1.0000001"), (-1e-9, "-1e-09"), (1.25, "1.25"), (1 + 2**-52, "1.0000000000000002")]


@pytest.mark.parametrize(("value", "shown"), BEYOND)
def test_scores_that_leave_0_to_1_are_quoted_so_that_it_is_seen(run: Run, value: float, shown: str) -> None:
    ev = tm.evaluate([1, 0, 1, 0], y_score=[value, 0.5, 0.7, 0.1])
    (finding,) = (each for each in ev.findings if each.code == "TM013")
    ends = f"from {shown} to 0.7" if value < 0 else f"from 0.1 to {shown}"
    assert f"the scores run {ends}, so" in finding.message
    Path("a.csv").write_text(f"y,p,q\n1,{value!r},{value!r}\n0,0.5,0.5\n1,0.7,0.7\n0,0.1,0.1\n")
    code, out, _ = run("roc", "a.csv", "--actual", "y", "--model", "a=p", "--model", "b=q")
    assert code == 0
    assert f"they run {ends})" in " ".join(out.split())
    result = run("tally", "a.csv", *SCORED, "--approximate", "-o", "x.tally")
    refused(result, f"these reach {ends}.")


@pytest.mark.parametrize(
    ("total", "shown"), [(1.010002, "1.010002"), (0.98, "0.98"), (0.989998, "0.989998"), (1.2, "1.2")]
)
@pytest.mark.parametrize("how", [(), ("--approximate",)])
def test_sums_of_probabilities_are_quoted_so_that_the_fault_is_seen(
    run: Run, total: float, shown: str, how: tuple[str, ...]
) -> None:
    Path("a.csv").write_text(f"y,a,b\na,0.5,0.5\nb,0.25,{total - 0.25!r}\n")
    result = run("evaluate", "a.csv", "--actual", "y", "--probabilities", "a,b", *how)
    refused(result, "1 row does not, at line 3; ", f"adds up to {shown}.")


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        (lambda: tm.evaluate([1, 0], [1, 0], confidence_level=1.0000001), "got 1.0000001."),
        (lambda: tm.auc_interval(1.0000001, n_positive=5, n_negative=5), "got 1.0000001."),
        (lambda: tm.difference((5.0000001, 5), (1, 5)), "got 5.0000001."),
        (lambda: tm.plan(expected=1.0000001, half_width=0.1), "got 1.0000001."),
        (lambda: tm.tests.adjust([0.5, -1e-9]), "got -1e-09 at place 2."),
        (lambda: tm.tests.nemenyi([[1, 2], [2, 3]], alpha=1.0000001), "got 1.0000001."),
        (lambda: tm.roc_from_points({"a": (1.0000001, 0.5)}), "has FPR 1.0000001 and TPR 0.5."),
        (
            lambda: tm.compare({"a": [1.0000001, 0.2], "b": [0.1, 0.3]}, per="fold", same_folds=True),
            "'a' has 1.0000001.",
        ),
        (
            lambda: tm.Scores.from_bins([1, 2], [2, 1], [0, 1.0000002, 1.0000001]),
            "1 comes after 1.0000002.",
        ),
    ],
)
def test_values_out_of_range_are_quoted_so_that_it_is_seen(call: Callable[[], Any], shown: str) -> None:
    with pytest.raises(tm.TallymarkError) as caught:
        call()
    assert shown in caught.value.message


# --- all that is wrong ---------------------------------------------------------------------------


def test_all_absent_columns_are_named_with_the_nearest(run: Run) -> None:
    Path("a.csv").write_text("y,p,region,sex\n1,0.9,n,f\n0,0.2,s,m\n")
    said = "a.csv has no columns 'yy' and 'pp'", "did you mean 'y' for 'yy' and 'p' for 'pp'?"
    for how in ((), ("--approximate",), ("--engine", "duckdb")):
        refused(run("evaluate", "a.csv", "--actual", "yy", "--score", "pp", *how), *said)
    slices = ("--slice", "regio", "--slice", "sexx", "--slice", "sex*age")
    result = run("evaluate", "a.csv", *SCORED, *slices)
    refused(result, "a.csv has no columns 'regio', 'sexx' and 'age'", "'region' for 'regio' and 'sex' for")
    Path("learn.csv").write_text(LEARN)
    result = run("validate", "learn.csv", "--target", "yy", "--group", "gg", "--model", "majority")
    refused(result, "learn.csv: there are no columns 'yy' and 'gg'; the columns are 'x', 'y'.")


def tables() -> dict[str, Any]:
    """The same two columns in every library that holds tables."""
    import duckdb
    import pandas as pd
    import pyarrow as pa

    columns = {"y": [1, 0], "p": [0.9, 0.2]}
    frame = pd.DataFrame(columns)
    return {
        "pandas": frame,
        "polars": pl.DataFrame(columns),
        "lazy": pl.LazyFrame(columns),
        "arrow": pa.table(columns),
        "duckdb": duckdb.from_df(frame),
    }


@pytest.mark.parametrize("kind", ["pandas", "polars", "lazy", "arrow", "duckdb"])
def test_all_absent_columns_of_a_table_are_named(kind: str) -> None:
    with pytest.raises(tm.ColumnError) as caught:
        tm.evaluate(tables()[kind], actual="Y", score="pp", slices=["p", "zzz"])
    assert caught.value.message == "there are no columns 'Y', 'pp' and 'zzz'; the columns are 'y', 'p'."
    assert caught.value.hint == "did you mean 'y' for 'Y' and 'p' for 'pp'? Names are compared exactly."


@pytest.mark.parametrize("memory", [(), ("--memory", "1MB")])
def test_a_repeated_id_is_named_with_its_first_two_places(run: Run, memory: tuple[str, ...]) -> None:
    many = "".join(f"0,0.2,r{row},1\n" for row in range(60_000)) if memory else ""
    Path("a.csv").write_text(f"y,p,id,g\n{ROWS}1,0.5,c,1\n0,0.5,b,1\n1,0.5,b,1\n{many}")
    result = run("evaluate", "a.csv", *JOINED, *memory)
    refused(result, "a.csv: ids must be unique and present; column 'id' repeats 'b' at lines 3 and 7 (5 rows"
            " in all share an id).")  # fmt: skip
    Path("b.csv").write_text(f"y,p,id,g\n{ROWS}1,0.5,c,1\n1,0.5,,1\n{many}")
    result = run("evaluate", "b.csv", *JOINED, *memory)
    refused(result, "column 'id' repeats 'c' at lines 4 and 6 and lacks one at line 7.")
    Path("c.csv").write_text(f"y,p,id,g\n1,0.5,,1\n{ROWS}{many}")
    refused(run("evaluate", "c.csv", *JOINED, *memory), "column 'id' lacks one at line 2.")


def test_a_repeated_id_in_python_and_in_two_files(tmp_path: Path) -> None:
    with pytest.raises(tm.InputError, match=r"id repeats 7 at positions 0, 2 \(counted from 0\)\.$"):
        tm.evaluate([1, 0, 1], [1, 0, 1], id=[7, 8, 7])
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path in paths:
        pl.DataFrame({"y": [1, 0], "p": [0.9, 0.2], "id": [7, int(path.stem == "a")]}).write_parquet(path)
    with pytest.raises(tm.InputError, match=r"repeats 7 at row 1 of a\.parquet and row 1 of b\.parquet\.$"):
        tm.evaluate(paths, actual="y", score="p", id="id")


@pytest.mark.parametrize("how", [(), ("--approximate",), ("--engine", "duckdb")])
def test_probabilities_in_percent_are_recognised(run: Run, how: tuple[str, ...]) -> None:
    columns = ("--actual", "y", "--probabilities", "a,b")
    Path("percent.csv").write_text("y,a,b\na,70,30\nb,40,60.4\n")
    hint = "Hint: the rows add up to about 100: if these are percentages, divide them by 100."
    refused(run("evaluate", "percent.csv", *columns, *how), "percent.csv: probabilities lie", hint)
    for rows in ("a,70,30\nb,1.5,2\n", "a,170,-70\nb,0.4,0.6\n"):
        Path("other.csv").write_text(f"y,a,b\n{rows}")
        assert "percentages" not in refused(run("evaluate", "other.csv", *columns, *how))


@pytest.mark.parametrize(("top", "hinted"), [(90.0, True), (100, True), (1.0000001, False), (101, False)])
def test_scores_that_may_be_percentages_are_hinted_at(top: float, hinted: bool) -> None:
    ev = tm.evaluate([1, 0, 1, 0], y_score=[top, 0.5, 0.7, 0.1])
    (finding,) = (each for each in ev.findings if each.code == "TM013")
    assert finding.message.endswith("If these are percentages, divide them by 100.") == hinted
    assert ev.threshold is None
    assert ev["brier"].value is None


def test_votes_are_no_percentages() -> None:
    ev = tm.evaluate([1, 0, 1], votes=[[1, 0, 1], [1, 1, 1], [1, 0, 0]], pos_label=1)
    assert "percentages" not in " ".join(finding.message for finding in ev.findings)


CURVES = ("cost-curve", "calibration", "decision-curve", "rejection", "plot roc")


@pytest.mark.parametrize("command", CURVES)
def test_a_curve_that_data_do_not_have_names_their_file(run: Run, command: str) -> None:
    Path("one.csv").write_text("y,p\n1,0.5\n1,1.5\n")
    more = ("-o", "x.svg") if command.startswith("plot") else ()
    assert "one.csv: " in refused(run(*command.split(), "one.csv", *SCORED, "--positive", "1", *more))


@pytest.mark.parametrize("command", ["compare", "evaluate", "roc", "gains"])
def test_the_absent_columns_of_all_models_are_named(run: Run, command: str) -> None:
    models = ("--model", "a=pp", "--model", "b=qq", "--actual", "yy")
    err = refused(run(command, "good.csv", *models))
    assert all(name in err for name in ("good.csv", "'pp'", "'qq'", "'yy'"))


def test_python_names_the_absent_columns_of_all_models(tmp_path: Path) -> None:
    frame = pl.DataFrame({"y": [1, 0, 1, 0], "p": [1, 0, 0, 0]})
    frame.write_parquet(tmp_path / "a.parquet")
    for data in (frame, frame.to_pandas(), tmp_path / "a.parquet", [tmp_path / "a.parquet"]):
        with pytest.raises(tm.ColumnError, match=r"'pp'.*'qq'"):
            tm.compare(data, actual="y", models={"a": "pp", "b": "p", "c": "qq"})
