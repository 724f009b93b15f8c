"""Input files with faults that are easily missed: joined files, files named twice, mixed line ends."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import tallymark as tm
from tallymark.cli import main

ROWS = "1,0.9\n0,0.2\n1,0.7\n0,0.4\n"
TABLE = f"y,p\n{ROWS}"
SCORED = ("--actual", "y", "--score", "p")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Calls `tallymark` in an empty folder: the exit code, and what was written to stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = main(arguments)
        written = capsys.readouterr()
        return code, written.out, written.err

    return call


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
