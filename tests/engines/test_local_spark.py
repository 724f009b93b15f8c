"""Spark without executors (`local[2]`), in a process of its own: the same counts, and what may be lacking."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from alike import alike
from nasty import TABLES
from test_equal_bits import check, for_spark, options_of

import tallymark as tm
from tallymark.cli import main

pytestmark = pytest.mark.xdist_group("spark")

FILE = "y,s\n1,0.9\n0,0.4\n1,0.4\n0,0.1\n1,0.3\n0,0.6\n"
_ALL = """
import os, sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tallymark.cli import main
from tallymark.intake.engines.spark.store import session_of
rows = spark.sql("select id % 2 as y, 0.25D as p, 0.75D as q from range(10)")
chances = {"actual": "y", "probabilities": ["p", "q"], "labels": [0, 1]}

def said(call):
    try:
        return call()
    except tm.TallymarkError as problem:
        return f"{type(problem).__name__}: {problem}"

result = {"nasty": tm.tally(spark.createDataFrame(nasty), **options)}
with redirect_stdout(StringIO()) as written:
    result["code"] = main(["evaluate", *command, "--engine", "spark", "--master", "local[2]"])
result["written"] = written.getvalue()
result["others"] = said(lambda: session_of("spark://elsewhere:7077").__enter__())
with session_of() as same:
    result["same"] = same is spark
result["tally"] = tm.tally(rows, **chances)
hidden = Path(folder, "tallymark")
hidden.mkdir()
(hidden / "__init__.py").write_text("raise ModuleNotFoundError(\\"No module named 'tallymark'\\")")
python = Path(folder, "python")
python.write_text(f'#!/bin/sh\\nPYTHONPATH="{folder}:$PYTHONPATH" exec "{sys.executable}" "$@"')
python.chmod(0o700)
spark.sparkContext.pythonExec = str(python)
result["pushed down"] = said(lambda: tm.tally(rows, actual="y", score="p").rows)
result["by parts"] = said(lambda: tm.tally(rows, **chances))
spark.stop()
result["stopped"] = said(lambda: tm.tally(rows, actual="y", score="p"))
"""


@pytest.fixture(scope="module")
def found(on_local_spark: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What all of it gives, asked at once, for a session takes long to start."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "a.csv").write_text(FILE)
    command = [str(folder / "a.csv"), "--actual", "y", "--score", "s", "--json"]
    given = {"nasty": for_spark(TABLES["text"]), "options": options_of("text", "a grid"), "command": command}
    found: dict[str, Any] = on_local_spark(_ALL, folder=str(tmp_path_factory.mktemp("python")), **given)
    return found | {"here": command}


def test_the_nasty_table_gives_the_equal_tally(found: dict[str, Any]) -> None:
    check(found["nasty"], "text", "a grid")


def test_a_command_says_what_it_says_in_process(found: dict[str, Any], capsys: Any) -> None:
    assert (found["code"], main(["evaluate", *found["here"]])) == (0, 0)
    there, here = json.loads(found["written"]), json.loads(capsys.readouterr().out)
    assert "counted by Spark, where the rows are." in there.pop("notes")
    here.pop("notes")
    assert there == here


def test_sessions_and_executors_that_lack_something(found: dict[str, Any]) -> None:
    assert found["same"] is True
    same = pl.DataFrame({"y": [0, 1] * 5, "p": [0.25] * 10, "q": [0.75] * 10})
    alike(found["tally"], tm.tally(same, probabilities=["p", "q"], labels=[0, 1], actual="y"))
    assert found["pushed down"] == 10
    assert found["by parts"].startswith(
        "EngineError: the executors of Spark cannot import tallymark, which counts rows there. Hint: install"
    )
    assert found["others"] == (
        "OptionError: a Spark session of the master 'local[2]' is active, so there can be none of "
        "'spark://elsewhere:7077'. Hint: stop it, or leave out master=."
    )
    assert found["stopped"].startswith("EngineError: the Spark session of this table is stopped. Hint: ")
    assert found["stderr"] == ""
