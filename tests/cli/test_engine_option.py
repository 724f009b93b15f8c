"""`--engine`: what counts the files of a command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

FILES = {
    "a.csv": "y,s,p\n1,0.9,1\n0,0.4,0\n1,0.4,1\n",
    "b.csv": "y,s,p\n0,0.1,0\n1,0.3,0\n0,0.6,1\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "parts"
    made.mkdir()
    for name, text in FILES.items():
        (made / name).write_text(text)
    return made


def without_notes(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    found["notes"] = [note for note in found["notes"] if not note.startswith("counted by ")]
    return found


@pytest.mark.parametrize("command", ["evaluate", "roc", "pr", "gains", "thresholds"])
def test_commands_say_the_same_of_what_duckdb_counted(run: Any, folder: Path, command: str) -> None:
    asked = [command, str(folder), "--actual", "y", "--score", "s", "--json"]
    here, there = run(*asked), run(*asked, "--engine", "duckdb")
    assert there.code == 0
    assert without_notes(there.out) == without_notes(here.out)
    assert "counted by DuckDB, where the rows are." in json.loads(there.out)["notes"]


def test_decide(run: Any, folder: Path) -> None:
    asked = ["decide", str(folder), "--actual", "y", "--score", "s", "--costs", "0 5; 1 0", "--labels", "0,1"]
    here, there = run(*asked, "--json"), run(*asked, "--json", "--engine", "duckdb")
    assert there.code == 0
    assert without_notes(there.out) == without_notes(here.out)


def test_a_tally_of_an_engine_is_evaluated_as_any(run: Any, folder: Path) -> None:
    asked = ["--actual", "y", "--score", "s", "--json"]
    made = run("tally", str(folder), *asked[:-1], "--engine", "duckdb", "-o", str(folder / "all.tally"))
    assert made.code == 0
    assert "note: counted by DuckDB, where the rows are." in made.err
    there = json.loads(run("evaluate", str(folder / "all.tally"), "--json").out)
    here = json.loads(run("evaluate", str(folder / "a.csv"), str(folder / "b.csv"), *asked).out)
    assert there["metrics"] == here["metrics"]


def test_quiet_says_nothing(run: Any, folder: Path) -> None:
    made = run(
        *("tally", str(folder), "--actual", "y", "--score", "s", "--engine", "duckdb", "--quiet"),
        *("-o", str(folder / "all.tally")),
    )
    assert made.code == 0
    assert made.err == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evaluate", "a.csv", "--engine", "ray"], "--engine: 'ray' is not one of"),
        (["evaluate", "a.csv", "--master", "local[2]"], "master is about the engine spark, and no engine is"),
        (
            ["roc", "a.csv", "--engine", "duckdb", "--scheduler", "tcp://here:1"],
            "scheduler is about the engine dask, and the engine is duckdb.",
        ),
        (
            ["evaluate", "-", "--engine", "duckdb"],
            "the engine duckdb opens files by itself, and - is standard",
        ),
        (
            ["roc", "--model", "A=-", "--model", "B=b.csv", "--engine", "dask"],
            "the engine dask opens files by itself, and - is standard input.",
        ),
        (["evaluate", "s3://b/a.parquet"], "s3://b/a.parquet is an address, which only an engine can open."),
        (
            ["roc", "s3://b/a.csv", "--engine", "spark"],
            "at addresses the engine spark reads Parquet only, and s3://b/a.csv is named as text.",
        ),
        (
            ["compare", "a.csv", "b.csv", "--engine", "duckdb"],
            "models are compared by the engine duckdb in Parquet files, and a.csv is text.",
        ),
        (
            ["compare", "--accuracy", "0.8:50", "--accuracy", "0.7:50", "--engine", "duckdb"],
            "--engine has no effect beside --accuracy.",
        ),
    ],
)
def test_refusals(
    run: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(folder)
    result = run(*arguments, *([] if "--accuracy" in arguments else ["--actual", "y", "--score", "s"]))
    assert result.code == 2
    assert message in result.err


def test_counts_have_been_counted(run: Any, folder: Path) -> None:
    tally = str(folder / "a.tally")
    run("tally", str(folder / "a.csv"), "--actual", "y", "--score", "s", "-o", tally)
    result = run("evaluate", tally, "--engine", "duckdb")
    assert result.code == 2
    assert f"--engine (in Python engine=) was settled when the rows were counted, and {tally}" in result.err


def test_models_on_other_rows_are_counted_by_an_engine(run: Any, folder: Path) -> None:
    asked = ["compare", str(folder / "a.csv"), str(folder / "b.csv"), "--other-rows", "--actual", "y"]
    asked += ["--predicted", "p", "--json"]
    here, there = run(*asked), run(*asked, "--engine", "duckdb")
    assert there.code == 0
    assert json.loads(there.out)["differences"] == json.loads(here.out)["differences"]


def test_models_in_files_are_joined_by_an_engine(run: Any, folder: Path) -> None:
    import polars as pl

    rows = pl.concat([pl.read_csv(folder / name) for name in FILES]).with_row_index("id")
    rows.write_parquet(folder / "first.parquet")
    rows[::-1].with_columns(s=1 - pl.col("s")).drop("p").write_parquet(folder / "second.parquet")
    asked = ["compare", "--model", f"A={folder / 'first.parquet'}", "--actual", "y", "--score", "s"]
    asked += ["--model", f"B={folder / 'second.parquet'}", "--predicted", "p", "--json"]
    here, there = json.loads(run(*asked).out), json.loads(run(*asked, "--engine", "duckdb").out)
    assert there["differences"] == here["differences"]
    joined = "rows were joined in DuckDB, counted part by part, and are not kept."
    assert [note for note in there["notes"] if note not in here["notes"]] == [joined]
    columns = ["compare", str(folder / "first.parquet"), "--model", "A=s", "--model", "B=p", "--actual", "y"]
    here, there = run(*columns, "--json"), run(*columns, "--json", "--engine", "duckdb")
    assert json.loads(there.out)["differences"] == json.loads(here.out)["differences"]


def test_a_broken_line_is_told_with_its_file(run: Any, folder: Path) -> None:
    (folder / "c.csv").write_text("y,s,p\n1,high,1\n")
    result = run("evaluate", str(folder), "--actual", "y", "--score", "s", "--engine", "duckdb")
    assert result.code == 2
    assert "score (column 's') holds 'high' at line 2 of c.csv; numbers are expected." in result.err
