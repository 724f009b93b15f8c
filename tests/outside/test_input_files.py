"""Input files with faults that are easily missed: joined files, files named twice, mixed line ends."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import tallymark as tm

ROWS = "1,0.9\n0,0.2\n1,0.7\n0,0.4\n"
TABLE = f"y,p\n{ROWS}"
SCORED = ("--actual", "y", "--score", "p")

Run = Callable[..., tuple[int, str, str]]


def refused(result: tuple[int, str, str], *words: str) -> None:
    """Exit 2, nothing on stdout, and one line on stderr that holds the words."""
    code, out, err = result
    assert (code, out, err.count("\n")) == (2, "", 1), err
    for word in words:
        assert word in err


# --- a header among the rows ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("a.csv", TABLE + TABLE, 6),
        ("a.tsv", (TABLE + TABLE).replace(",", "\t"), 6),
        ("a.csv", '"y","p"\n' + ROWS + "y,p\n" + ROWS, 6),
        ("a.csv", ("\ufeff" + TABLE) * 2, 6),
        ("a.csv", '\ufeff"y","p"\n1,0.5\n\ufeff"y","p"\n0,0.5\n', 3),
        ("a.csv", (TABLE + TABLE).replace("\n", "\r\n"), 6),
        ("a.csv", TABLE + "y,p", 6),
        ("a.csv", ",y,p\n0,1,0.5\n,y,p\n1,0,0.2\n", 3),
    ],
)
def test_a_line_that_repeats_the_header_is_refused(run: Run, name: str, content: str, line: int) -> None:
    Path(name).write_text(content, newline="")
    refused(run("evaluate", name, *SCORED), f"line {line} of {name} repeats the header")


def test_gzip_members_that_each_have_a_header_are_refused(run: Run) -> None:
    Path("a.csv.gz").write_bytes(gzip.compress(TABLE.encode()) * 2)
    refused(run("evaluate", "a.csv.gz", *SCORED), "line 6 of a.csv.gz repeats the header")


@pytest.mark.parametrize(
    "how",
    [
        ("--memory", "1MB"),
        ("--approximate",),
        ("--engine", "duckdb"),
        ("--engine", "dask"),
    ],
)
@pytest.mark.parametrize("columns", [SCORED, ("--actual", "y", "--predicted", "q")])
def test_a_header_among_many_rows_is_refused_however_they_are_read(
    run: Run, how: tuple[str, ...], columns: tuple[str, ...]
) -> None:
    table = "y,p,q\n" + "1,0.9,1\n0,0.2,0\n" * 60_000
    Path("a.csv").write_text(table + table)
    refused(run("evaluate", "a.csv", *columns, *how), "line 120002 of a.csv repeats the header")


def test_a_repeated_header_is_refused_in_standard_input_and_in_python(run: Run) -> None:
    refused(
        run("evaluate", "-", *SCORED, stdin=(TABLE + TABLE).encode()),
        "line 6 of standard input repeats the header",
    )
    Path("a.csv").write_text(TABLE + TABLE)
    with pytest.raises(tm.FileError, match=r"line 6 of a\.csv repeats the header"):
        tm.evaluate("a.csv", actual="y", score="p")


def test_a_repeated_header_is_refused_in_data_to_learn_from(run: Run) -> None:
    table = ",x,y\n" + "0,1,no\n1,2,yes\n" * 10
    Path("data.csv").write_text(table + table)
    result = run("validate", "data.csv", "--target", "y", "--model", "majority", "--method", "kfold:2")
    refused(result, "line 22 of data.csv repeats the header")


def test_a_row_whose_classes_are_called_like_their_columns_is_kept(run: Run) -> None:
    Path("a.csv").write_text("id,y,p\n1,y,p\n2,p,p\n3,y,y\n")
    ev = tm.evaluate("a.csv", actual="y", predicted="p")
    assert ev.confusion.labels == ("p", "y")
    assert ev.confusion.matrix.tolist() == [[1, 0], [1, 1]]


# --- the same rows under two names ---------------------------------------------------------------


def beside(kind: str) -> None:
    """In the folder `parts`: x.csv, and the same rows once more."""
    Path("parts").mkdir()
    Path("parts/x.csv").write_text(TABLE)
    if kind == "gzip":
        Path("parts/x.csv.gz").write_bytes(gzip.compress(TABLE.encode()))
    elif kind == "hard link":
        os.link("parts/x.csv", "parts/y.csv")
    else:
        Path("parts/y.csv").symlink_to("x.csv")


@pytest.mark.parametrize("kind", ["gzip", "hard link", "symbolic link"])
@pytest.mark.parametrize("how", ["folder", "pattern", "names"])
@pytest.mark.parametrize("engine", [(), ("--engine", "duckdb"), ("--approximate",)])
def test_the_same_rows_under_two_names_are_refused(
    run: Run, kind: str, how: str, engine: tuple[str, ...]
) -> None:
    beside(kind)
    other = "parts/x.csv.gz" if kind == "gzip" else "parts/y.csv"
    given = {"folder": ("parts",), "pattern": ("parts/*",), "names": (other, "parts/x.csv")}[how]
    result = run("evaluate", *given, *SCORED, *engine)
    refused(result, "given twice", "'parts/x.csv'", f"'{other}'", "its rows would count double")


def test_the_same_rows_under_two_names_are_refused_as_data_to_learn_from(run: Run) -> None:
    beside("hard link")
    refused(run("validate", "parts", "--target", "y", "--model", "majority"), "given twice")


def test_the_same_tally_under_two_names_is_refused(run: Run) -> None:
    beside("gzip")
    assert run("tally", "parts/x.csv", *SCORED, "-o", "a.tally")[0] == 0
    os.link("a.tally", "b.tally")
    refused(run("merge", "a.tally", "b.tally", "-o", "c.tally"), "given twice")


def test_files_with_the_same_rows_and_names_of_their_own_are_parts(run: Run) -> None:
    Path("x.csv").write_text(TABLE)
    Path("y.csv.gz").write_bytes(gzip.compress(TABLE.encode()))
    Path("more").mkdir()
    Path("more/x.csv").write_text(TABLE)
    ev = tm.evaluate(["x.csv", "y.csv.gz", "more/x.csv"], actual="y", score="p")
    assert ev.confusion.matrix.sum() == 12


# --- classes that are decimals -------------------------------------------------------------------


@pytest.mark.parametrize("labels", [(), ("--labels", "1.5,2")])
@pytest.mark.parametrize("how", [(), ("--approximate",), ("--engine", "duckdb")])
def test_a_class_with_decimals_may_never_be_predicted(
    run: Run, labels: tuple[str, ...], how: tuple[str, ...]
) -> None:
    Path("a.csv").write_text("y,p\n1.5,2\n2,2\n1.5,2\n")
    code, out, err = run("evaluate", "a.csv", "--actual", "y", "--predicted", "p", "--json", *labels, *how)
    assert (code, err) == (0, "")
    confusion = json.loads(out)["confusion"]
    assert [str(label) for label in confusion["labels"]] == ["1.5", "2"]
    assert confusion["matrix"] == [[0, 2], [0, 1]]


def test_a_class_with_decimals_that_no_row_is_needs_the_labels(run: Run) -> None:
    Path("a.csv").write_text("y,p\n2,1.5\n2,2\n2,2\n")
    columns = ("--actual", "y", "--predicted", "p")
    refused(run("evaluate", "a.csv", *columns), "holds decimals such as '1.5'", "--labels")
    code, out, _ = run("evaluate", "a.csv", *columns, "--json", "--labels", "1.5,2")
    assert (code, json.loads(out)["confusion"]["matrix"]) == (0, [[0, 0], [1, 2]])


@pytest.mark.parametrize("labels", [None, ["1.5", "2"]])
def test_a_class_with_decimals_in_python(labels: list[str] | None) -> None:
    rows = {"y": ["1.5", "2", "1.5"], "p": ["2", "2", "2"]}
    for ev in (
        tm.evaluate(rows["y"], rows["p"], labels=labels),
        tm.evaluate(pd.DataFrame(rows), actual="y", predicted="p", labels=labels),
        tm.tally(pd.DataFrame(rows), actual="y", predicted="p", labels=labels).evaluate(),
    ):
        assert ev.confusion.labels == ("1.5", "2")
        assert ev.confusion.matrix.tolist() == [[0, 2], [0, 1]]


def test_scores_in_the_place_of_classes_are_still_refused(run: Run) -> None:
    Path("a.csv").write_text(TABLE)
    for one, other in (("y", "p"), ("p", "y")):
        result = run("evaluate", "a.csv", "--actual", one, "--predicted", other)
        refused(result, "holds decimals such as '0.2'")
    with pytest.raises(tm.LabelError, match="or as text if they are classes"):
        tm.evaluate([1.5, 2.0], [2, 2])


# --- line ends of two kinds ----------------------------------------------------------------------


@pytest.mark.parametrize(("usual", "other"), [("\n", "\r\n"), ("\r\n", "\n")])
@pytest.mark.parametrize("engine", ["duckdb", "dask"])
def test_line_ends_of_two_kinds_are_read_alike_by_engines(
    tmp_path: Path, usual: str, other: str, engine: str
) -> None:
    path = tmp_path / "a.csv"
    lines = ["y,p", *["a,b", "b,b"] * 5_000, f"a,a{other}b,b"]
    path.write_text(usual.join(lines) + usual, newline="")
    expected = [[1, 5_000], [0, 5_001]]
    for name in (None, engine):
        ev = tm.evaluate(path, actual="y", predicted="p", engine=name)
        assert ev.confusion.matrix.tolist() == expected


# --- inputs that cannot be opened ----------------------------------------------------------------

GATE = ("--no-worse", "accuracy")


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate", "-", *SCORED),
        ("check", "a.csv", "--baseline", "-", *SCORED, *GATE),
        ("compare", "--model", "A=a.csv", "--model", "B=-", *SCORED),
    ],
)
def test_a_closed_standard_input_is_refused(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "a.csv").write_text(TABLE)
    command = [sys.executable, "-m", "tallymark", *arguments]
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *command], cwd=tmp_path, capture_output=True, text=True
    )
    refused((done.returncode, done.stdout, done.stderr), "standard input is closed")


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate", "loop.csv", *SCORED),
        ("evaluate", "folder", *SCORED),
        ("evaluate", "folder/*.csv", *SCORED),
        ("evaluate", "loop.csv", *SCORED, "--engine", "duckdb"),
        ("evaluate", "a.csv", *SCORED, "--costs", "loop.csv"),
        ("check", "a.csv", *SCORED, *GATE, "--baseline", "loop.csv"),
        ("compare", "--model", "A=a.csv", "--model", "B=loop.csv", *SCORED),
        ("report", "loop.csv", *SCORED, "-o", "out.html"),
        ("decide", "a.csv", *SCORED, "--costs", "0 1; 1 0", "--labels", "0,1", "--choose-on", "loop.csv"),
        ("validate", "loop.csv", "--target", "y", "--model", "majority", "--predictions", "out.csv"),
        ("merge", "loop.tally", "-o", "out.tally"),
    ],
)
def test_a_link_to_itself_is_refused(run: Run, arguments: tuple[str, ...]) -> None:
    Path("a.csv").write_text(TABLE)
    Path("folder").mkdir()
    for name in ("loop.csv", "loop.tally", "folder/loop.csv"):
        Path(name).symlink_to(Path(name).name)
    refused(run(*arguments), "loop.", "cannot be read: Too many levels of symbolic links")


def test_a_column_of_scores_with_0_and_1_among_them_is_not_taken_for_classes(run: Run) -> None:
    scores = [*(f"0.{n}" for n in range(11, 51)), "0", "1"]
    rows = "".join(f"{score},{place % 2}\n" for place, score in enumerate(scores))
    Path("a.csv").write_text(f"y,p\n{rows}")
    refused(run("evaluate", "a.csv", "--actual", "y", "--predicted", "p"), "decimals")
