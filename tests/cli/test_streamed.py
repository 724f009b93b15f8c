"""Files larger than memory as they are typed: what is said, what to type instead, and what may go wrong."""

from __future__ import annotations

import gzip
import io
import shlex
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tallymark.cli import main
from tallymark.evaluation import streamed
from tallymark.inference import progress
from tallymark.intake.streams import passes

FITS, IS_SMALL = streamed.fits, streamed._is_small
COMMAND = ("evaluate", "rows.csv", "--actual", "y", "--score", "s")


def _table(rows: int = 600) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    y = (rng.random(rows) < 0.3).astype(int)
    return pl.DataFrame({"y": y, "s": rng.random(rows) * 0.8 + 0.2 * y, "r": rng.choice(["a", "b"], rows)})


@pytest.fixture(autouse=True)
def _streaming(run: Any, read_in_pieces: Any) -> None:
    _table().write_csv("rows.csv")
    read_in_pieces(4_000)


def test_the_same_document(run, monkeypatch):
    streamed_form = run(*COMMAND, "--json").json
    monkeypatch.setattr(streamed, "fits", lambda *_: True)
    kept_form = run(*COMMAND, "--json").json
    assert streamed_form == kept_form


def test_every_command_that_reads_rows(run):
    for command in ("roc", "pr", "gains", "thresholds", "calibration", "cost-curve", "decision-curve"):
        shown = run(command, *COMMAND[1:], "--approximate")
        assert (shown.code, shown.err) == (0, ""), command
        assert "600 rows" in shown.out


# --- too little memory -----------------------------------------------------------------------------


def test_what_to_type_when_scores_do_not_fit(run, monkeypatch):
    monkeypatch.setattr(streamed, "fits", FITS)
    monkeypatch.setattr(streamed, "_is_small", IS_SMALL)
    lines = (f"{row % 2},{(row / 20_000) ** 2!r}\n" for row in range(20_000))
    Path("my rows.csv").write_text("y,s\n" + "".join(lines))
    command = ("evaluate", "my rows.csv", "--actual", "y", "--score", "s", "--memory", "1MB")
    refused = run(*command)
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
    assert "every different score is kept to be exact" in refused.err
    assert "the memory allowed is 1 MB" in refused.err
    typed = refused.err.split("`")[1]
    assert shlex.split(typed) == ["tallymark", *command, "--approximate"]
    form = run(*shlex.split(typed)[1:], "--json").json
    assert form["rows"] == 20_000
    assert form["metrics"]["auc"]["exact"] is False


def test_what_to_type_before_a_file_that_looks_like_an_option(run, monkeypatch):
    monkeypatch.setattr(passes, "_MERGING", 10_000)
    refused = run("roc", "--actual", "y", "--score", "s", "--memory", "1MB", "--", "rows.csv")
    assert "`tallymark roc --actual y --score s --memory 1MB --approximate -- rows.csv`" in refused.err


def test_too_many_counts_of_slices(run, monkeypatch):
    monkeypatch.setattr(passes, "_IN_ANY_CASE", 0)
    refused = run(*COMMAND, "--slice", "r", "--approximate", "--memory", "1MB")
    assert refused.code == 2
    assert "and the counts of all slices take" in refused.err
    assert refused.err.endswith(
        "Hint: allow more with --memory (in Python memory=), or slice by fewer columns.\n"
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ("--tolerance", "1e-6"),
            "none was asked for. Hint: add --approximate (in Python approximate=True).",
        ),
        (("--approximate", "--tolerance", "much"), "--tolerance: expected a number; got 'much'."),
        (
            ("--memory", "5"),
            "memory must be at least 1MB; got '5'. Hint: a number without a unit is in bytes",
        ),
        (
            ("--group", "r", "--approximate"),
            "groups are resampled with the exact scores of their rows, so these are not counted on a grid.",
        ),
        (("--slice", "s"), "slicing by 's' gives "),
    ],
    ids=["tolerance alone", "no number", "bytes", "groups", "slices"],
)
def test_options_that_do_not_fit(run, monkeypatch, options, said):
    monkeypatch.setattr("tallymark.intake.streams.counting.MOST_SLICES", 20)
    refused = run(*COMMAND, *options)
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
    assert said in refused.err


def test_standard_input(run):
    form = run(
        "evaluate", "-", *COMMAND[2:], "--approximate", "--json", stdin=Path("rows.csv").read_bytes()
    ).json
    assert form["rows"] == 600


def test_ids(run):
    table = _table(60).with_columns(id=pl.arange(0, 60))
    table.write_csv("rows.csv")
    assert run(*COMMAND, "--id", "id", "--json").json["rows"] == 60
    table.with_columns(id=pl.col("id") % 59).write_csv("rows.csv")
    refused = run(*COMMAND, "--id", "id")
    assert refused.code == 2
    assert "ids must be unique and present; column 'id' repeats '0' at lines 2 and 61" in refused.err


# --- faults ----------------------------------------------------------------------------------------


@pytest.fixture
def parts() -> list[Path]:
    Path("parts").mkdir()
    paths = [Path("parts") / f"part{part}.parquet" for part in range(3)]
    for path in paths:
        _table(200).write_parquet(path, row_group_size=50)
    return paths


FOLDER = ("evaluate", "parts", "--actual", "y", "--score", "s")


def _refused(shown: Any, *said: str) -> None:
    assert (shown.code, shown.out, shown.err.count("\n")) == (2, "", 1)
    for each in said:
        assert each in shown.err


def test_a_truncated_part(run, parts):
    content = parts[1].read_bytes()
    parts[1].write_bytes(content[: len(content) // 2])
    _refused(run(*FOLDER), "part1.parquet")


def test_a_part_of_other_types(run, parts):
    _table(200).with_columns(pl.col("s").cast(pl.String)).write_parquet(parts[2])
    _refused(run(*FOLDER), "part2.parquet", "'s'")


def test_a_part_without_a_column(run, parts):
    _table(200).drop("s").write_parquet(parts[2])
    _refused(run(*FOLDER), "part2.parquet", "no column 's'")


def test_a_stray_file(run, parts):
    Path("parts/README.csv").write_text("hello\n")
    _refused(run(*FOLDER), "README.csv")


def test_a_file_that_shrinks_while_it_is_read(run, parts, monkeypatch):
    read = passes.read_batch

    def shrinking(*given: Any) -> Any:
        if parts[2].stat().st_size > 100:
            parts[2].write_bytes(parts[2].read_bytes()[:100])
        return read(*given)

    monkeypatch.setattr(passes, "read_batch", shrinking)
    _refused(run(*FOLDER), "part2.parquet changed while it was read")


def test_bad_rows_of_all_parts_are_told_once(run, parts):
    for path in parts:
        rows = pl.int_range(pl.len())
        _table(200).with_columns(
            s=pl.when(rows % 100 == 7).then(float("inf")).otherwise(pl.col("s"))
        ).write_parquet(path, row_group_size=50)
    said = "is infinite in 6 rows, at rows 8 and 108 of part0.parquet, row 8 of part1.parquet"
    _refused(run(*FOLDER), said, "and 3 more")


@pytest.mark.parametrize("where", ["worker", "between pieces"])
def test_an_interruption_leaves_nothing_behind(run, monkeypatch, tmp_path_factory, where):
    Path("rows.csv.gz").write_bytes(gzip.compress(_table().write_csv().encode()))
    scratch = tmp_path_factory.mktemp("scratch")
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))

    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    if where == "worker":
        monkeypatch.setattr(passes, "read_batch", interrupted)
    else:
        monkeypatch.setattr(passes.Table, "add", interrupted)
    before = set(threading.enumerate())
    shown = run("evaluate", "rows.csv.gz", *COMMAND[2:], "-o", "report.json")
    assert (shown.code, shown.out, shown.err) == (130, "", "tallymark: interrupted.\n")
    assert not Path("report.json").exists()
    assert list(scratch.iterdir()) == []
    assert set(threading.enumerate()) <= before


# --- progress --------------------------------------------------------------------------------------


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_is_shown_on_a_terminal_only(run, monkeypatch, capsys):
    monkeypatch.setattr(progress, "_MOMENT", 0.0)
    assert run(*COMMAND).err == ""
    screen = _Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    assert main(COMMAND) == 0
    capsys.readouterr()
    shown = screen.getvalue()
    assert "reading" in shown
    assert "600 rows" in shown
    assert "kB" in shown
