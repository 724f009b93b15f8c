"""Small files that unpack to large ones are refused before they fill the memory or the disk."""

from __future__ import annotations

import gzip
import io
import shutil
import sys
import tempfile
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path

import pytest

from tallymark.cli import main

Run = Callable[..., tuple[int, str, str]]

SCORED = ("--actual", "y", "--score", "p")
_Usage = namedtuple("_Usage", "total used free")


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


# --- the disk ------------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files on a disk with 2 MB of free space."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: _Usage(10**9, 10**9 - 2 * 10**6, 2 * 10**6))
    return folder


@pytest.mark.parametrize("how", [(), ("--memory", "1MB"), ("--engine", "duckdb")])
def test_gzip_that_unpacks_to_more_than_half_of_the_free_disk_is_refused(
    run: Run, small_disk: Path, how: tuple[str, ...]
) -> None:
    Path("a.csv.gz").write_bytes(gzip.compress(b"y,p\n" + b"1,0.5\n0,0.5\n" * 250_000))
    result = run("evaluate", "a.csv.gz", *SCORED, *how)
    refused(result, "what a.csv.gz unpacks to takes more than half of the free space in", "TMPDIR")
    assert list(small_disk.iterdir()) == []


def test_standard_input_that_takes_more_than_half_of_the_free_disk_is_refused(
    run: Run, small_disk: Path
) -> None:
    rows = b"y,p\n" + b"1,0.5\n0,0.5\n" * 250_000
    result = run("evaluate", "-", *SCORED, stdin=rows)
    refused(result, "standard input takes more than half of the free space in", "TMPDIR")
    result = run("evaluate", "-", *SCORED, stdin=gzip.compress(rows))
    refused(result, "what standard input unpacks to takes more than half of the free space in", "TMPDIR")
    assert list(small_disk.iterdir()) == []


def test_what_fits_into_half_of_the_free_disk_is_read(run: Run, small_disk: Path) -> None:
    rows = b"y,p\n" + b"1,0.5\n0,0.5\n" * 50_000
    Path("a.csv.gz").write_bytes(gzip.compress(rows))
    assert run("evaluate", "a.csv.gz", *SCORED)[0] == 0
    assert run("evaluate", "-", *SCORED, stdin=rows)[0] == 0
    assert list(small_disk.iterdir()) == []
