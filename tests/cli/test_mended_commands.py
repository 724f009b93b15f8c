"""What people met at the command line: counts where rows are needed, full disks, an early Ctrl-C."""

from __future__ import annotations

import errno
import io
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCORED = ("--actual", "y", "--score", "p")


@pytest.fixture
def counted(run: Any) -> Any:
    """Tallies of rows with the labels 0 and 1, and of some with false and true."""
    Path("a.csv").write_text("y,p\n1,0.9\n0,0.2\n1,0.4\n")
    Path("b.csv").write_text("y,p\ntrue,0.9\nfalse,0.2\n")
    Path("c.csv").write_text("y,p\n1.0,0.8\n0.0,0.3\n")
    for name in "abc":
        assert run("tally", f"{name}.csv", *SCORED, "--quiet", "-o", f"{name}.tally").code == 0
    return run


@pytest.mark.parametrize("call", ["merge a.tally c.tally b.tally -o all.tally", "evaluate a.tally b.tally"])
def test_tallies_whose_classes_are_written_in_two_ways(call: str, counted: Any) -> None:
    result = counted(*shlex.split(call))
    assert (result.code, result.out) == (2, "")
    assert "the class that a score is about is '1' in a.tally and " in result.err
    assert "write the labels of all rows in the same way, and count them again" in result.err
    assert not Path("all.tally").exists()


def test_both_files_and_all_labels_are_named(counted: Any) -> None:
    said = counted("merge", "a.tally", "b.tally", "-o", "all.tally").err
    assert (
        "is '1' in a.tally and 'true' in b.tally; the labels of all are ['0', '1', 'false', 'true']." in said
    )


def test_numbers_written_in_two_ways_are_the_same(counted: Any) -> None:
    assert counted("merge", "a.tally", "c.tally", "-o", "all.tally", "--quiet").code == 0
    assert counted("evaluate", "all.tally", "--json").json["rows"] == 5


@pytest.mark.parametrize(
    "call", ["--model A=a.tally --model B=c.tally", "a.tally c.tally", "--model A=a.csv --model B=c.tally"]
)
def test_counts_are_not_matched_row_by_row(call: str, counted: Any) -> None:
    result = counted("compare", *shlex.split(call))
    assert result.code == 2
    assert ".tally holds counts, and this needs rows: models are compared row by row. Hint: " in result.err
    assert "--other-rows" in result.err


@pytest.mark.parametrize("how", ["--other-rows", "--same-rows"])
def test_counts_are_compared_where_it_is_said_how(how: str, counted: Any) -> None:
    assert counted("tally", "a.csv", *SCORED, "--quiet", "-o", "d.tally").code == 0
    assert counted("compare", "a.tally", "d.tally", how, "--json").code == 0


def test_counts_have_no_columns(counted: Any) -> None:
    result = counted("compare", "a.tally", "--model", "A=x", "--model", "B=y")
    assert result.err.startswith("tallymark: a.tally holds counts, and models that are columns need rows.")


def test_nothing_is_fitted_to_counts(counted: Any) -> None:
    result = counted("validate", "a.tally", "--model", "logistic", "--target", "y")
    assert (result.code, "a.tally holds counts, and this needs rows." in result.err) == (2, True)


# --- what to type -----------------------------------------------------------------------------


@pytest.fixture
def large(run: Any) -> Any:
    """Files of more different scores than 1 MB holds."""
    rows = [f"{place},{place % 2},{place / 16_000}\n" for place in range(15_000)]
    Path("one.csv").write_text("id,y,p\n" + "".join(rows))
    Path("two.csv").write_text("id,y,p\n" + "".join(rows))
    return run


@pytest.mark.parametrize(
    "call",
    [
        "tally one.csv --actual y --score p --memory 1MB -o x.tally",
        "compare --model A=one.csv --model B=two.csv --actual y --score p --id id --memory 1MB",
    ],
    ids=["tally", "compare"],
)
def test_the_command_to_type_is_told_and_works(call: str, large: Any) -> None:
    result = large(*shlex.split(call))
    assert result.code == 2
    command = f"tallymark {call} --approximate"
    assert f"which gives certified bounds: `{command}`, or allow more with --memory." in result.err
    assert large(*shlex.split(command)[1:]).code == 0


def test_columns_of_one_table_are_told_what_helps(large: Any) -> None:
    call = "compare one.csv --model A=p --model B=id --actual y --memory 1MB"
    result = large(*shlex.split(call))
    assert "models that are its columns are compared in memory only" in result.err
    assert "--approximate" not in result.err


# --- a grid -----------------------------------------------------------------------------------


def test_a_grid_that_does_not_hold_the_scores(run: Any) -> None:
    Path("out.csv").write_text("y,p\n1,5\n0,-3\n0,0.2\n1,0.7\n1,4\n")
    result = run("tally", "out.csv", *SCORED, "--approximate", "--grid", "0:1", "-o", "x.tally")
    assert result.code == 0
    assert "note: the grid from 0 to 1 does not hold all scores, which reach from -3 to 5: " in result.err
    assert "1 row below it and 2 rows at its end or above share a bin" in result.err
    notes = run("evaluate", "x.tally", "--json").json["notes"]
    assert any(note.startswith("the grid from 0 to 1 does not hold all scores") for note in notes)


# --- full disks -------------------------------------------------------------------------------


class Full(io.BytesIO):
    def write(self, _: Any) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("name", ["-", "x.csv.gz"])
def test_a_full_folder_of_temporary_files_is_named(
    name: str, run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import gzip

    Path("x.csv.gz").write_bytes(gzip.compress(b"actual,predicted\n1,1\n0,0\n"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    opened = Path.open

    def full(self: Path, mode: str = "r", *more: Any, **options: Any) -> Any:
        return Full() if mode == "wb" else opened(self, mode, *more, **options)

    monkeypatch.setattr(Path, "open", full)
    result = run("evaluate", name, stdin="actual,predicted\n1,1\n0,0\n")
    assert result.code == 2
    assert f" does not fit into {tmp_path}, where it lies while it is read: No space left" in result.err
    assert "Hint: name a folder on a larger disk in TMPDIR, such as TMPDIR=/var/tmp" in result.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_standard_output_is_named() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "tallymark", "metrics", "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (
        2,
        "tallymark: the system refused to write to standard output: No space left on device.\n",
    )


# --- interruptions ----------------------------------------------------------------------------


def interrupted(code: str) -> tuple[int, str]:
    """What becomes of `run` when Ctrl-C comes where `code` puts it."""
    whole = f"import sys\n{code}\nfrom tallymark.__main__ import run\nsys.exit(run())"
    done = subprocess.run([sys.executable, "-c", whole], stderr=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stderr


EARLY = """
class Interrupting:
    def find_spec(self, name, *_):
        if name == "tallymark.cli":
            {raised}
sys.meta_path.insert(0, Interrupting())
"""


@pytest.mark.parametrize(
    "raised",
    ["raise KeyboardInterrupt", "exec('raise KeyboardInterrupt')"],
    ids=["anywhere", "in code made from text"],
)
def test_an_interruption_of_the_first_imports(raised: str) -> None:
    assert interrupted(EARLY.format(raised=raised)) == (130, "tallymark: interrupted.\n")
