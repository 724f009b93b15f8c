"""Small files that unpack to large ones are refused before they fill the memory or the disk."""

from __future__ import annotations

import gzip
import io
import json
import re
import shlex
import shutil
import tempfile
import tracemalloc
import zipfile
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tallymark as tm

Run = Callable[..., tuple[int, str, str]]
Change = Callable[[zipfile.ZipFile], None]

SCORED = ("--actual", "y", "--score", "p")
LITTLE = 128 << 20
"""Bytes that refusing a file may take: reading one of those here takes more than twice as many."""
_MIB = 1 << 20
_Usage = namedtuple("_Usage", "total used free")


def refused(result: tuple[int, str, str], *words: str) -> None:
    """Exit 2, nothing on stdout, and one line on stderr that holds the words."""
    code, out, err = result
    assert (code, out, err.count("\n")) == (2, "", 1), err
    for word in words:
        assert word in err


def little(call: Callable[..., Any], *arguments: Any) -> Any:
    """What is returned by a call that takes little memory."""
    tracemalloc.start()
    try:
        result = call(*arguments)
        assert tracemalloc.get_traced_memory()[1] < LITTLE
    finally:
        tracemalloc.stop()
    return result


def npy(array: Any, **header: Any) -> bytes:
    """An array as .npy, under a header that may say something else."""
    file = io.BytesIO()
    said = {"descr": array.dtype.str, "fortran_order": False, "shape": array.shape} | header
    np.lib.format.write_array_header_1_0(file, said)
    return file.getvalue() + array.tobytes()


def zeros(size: int) -> bytes:
    """An array of zeros that takes so many bytes, with its header."""
    return npy(np.zeros(size // 8 - 16, np.int64))


def zipped(path: str, members: dict[str, bytes], change: Change = lambda _: None) -> None:
    """A zip archive; `change` may edit what its directory will say."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        change(archive)


def declared(name: str, **fields: int) -> Change:
    """Other values in the directory than those of the member."""

    def change(archive: zipfile.ZipFile) -> None:
        for field, value in fields.items():
            setattr(archive.getinfo(name), field, value)

    return change


def a_tally(path: str = "a.tally", **options: Any) -> dict[str, bytes]:
    """The members of a tally that is sound."""
    rows = pl.DataFrame({"y": [1, 0, 1, 0], "p": [0.9, 0.2, 0.6, 0.6], "s": ["f", "m", "f", "m"]})
    tm.tally(rows, actual="y", score="p", **options).save(path, overwrite=True)
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


# --- what zip archives unpack to -----------------------------------------------------------------

JSON_BOMB = b"[" + b"{}," * (4 * _MIB) + b"{}]"
BOMBS: dict[str, dict[str, bytes]] = {
    "array": {"counts.npy": zeros(300 * _MIB)},
    "JSON": {"tally.json": JSON_BOMB},
}


@pytest.mark.parametrize("what", BOMBS)
@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate", "bomb.tally"),
        ("evaluate", "a.tally", "bomb.tally"),
        ("merge", "a.tally", "bomb.tally", "-o", "out.tally"),
        ("check", "a.tally", "--baseline", "bomb.tally", "--no-worse", "accuracy"),
    ],
)
def test_a_tally_that_unpacks_to_much_is_refused(run: Run, what: str, arguments: tuple[str, ...]) -> None:
    zipped("bomb.tally", a_tally() | BOMBS[what])
    assert Path("bomb.tally").stat().st_size < 400_000
    refused(little(run, *arguments), "bomb.tally unpacks to ", " times its size")
    with pytest.raises(tm.FileError, match="unpacks to"):
        tm.Tally.load("bomb.tally")


def test_an_npz_that_unpacks_to_much_is_refused(run: Run) -> None:
    zipped("a.npz", {"y.npy": zeros(300 * _MIB), "p.npy": zeros(300 * _MIB)})
    refused(little(run, "evaluate", "a.npz", *SCORED), "a.npz unpacks to 629 MB", " times its size", "savez")
    result = little(run, "validate", "a.npz", "--target", "y", "--model", "majority")
    refused(result, "a.npz unpacks to 629 MB")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("counts.npy", zeros(300 * _MIB)),
        ("counts.npy", npy(np.zeros(4, np.int64), shape=(10**12,))),
        ("counts.npy", npy(np.zeros(0, np.int64), shape=(0, 10**18))),
        ("counts.npy", npy(np.zeros(0, np.int64), shape=(-1,))),
        ("counts.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + bytes(300 * _MIB)),
        ("counts.npy", b"\x93NUMPY\x01\x00\xff\xff" + b"-" * 9_000 + b"1" + b" " * 56_000),
        ("tally.json", b" " * (300 * _MIB) + b"{}"),
    ],
    ids=["size", "shape", "no rows", "negative", "header", "nested header", "JSON"],
)
def test_a_tally_whose_members_are_not_what_the_archive_says_is_refused(
    run: Run, name: str, content: bytes
) -> None:
    zipped("a.tally", a_tally() | {name: content}, declared(name, file_size=min(len(content), 1_000)))
    refused(little(run, "evaluate", "a.tally"), "a.tally is damaged, or no tally")


@pytest.mark.parametrize(
    "content",
    [
        zeros(300 * _MIB),
        npy(np.zeros(4, np.int64), shape=(10**12,)),
        npy(np.zeros(0, np.int64), shape=(10**12,), descr="|V0"),
        b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + bytes(300 * _MIB),
        b"\x93NUMPY\x01\x00\xff\xff" + b"-" * 9_000 + b"1" + b" " * 56_000,
    ],
    ids=["size", "shape", "no width", "header", "nested header"],
)
def test_an_npz_whose_arrays_are_not_what_the_archive_says_is_refused(run: Run, content: bytes) -> None:
    small = declared("y.npy", file_size=min(len(content), 1_000))
    zipped("a.npz", {"y.npy": content, "p.npy": npy(np.zeros(4))}, small)
    refused(little(run, "evaluate", "a.npz", *SCORED), "a.npz is cut short or damaged")


def _again(archive: zipfile.ZipFile) -> None:
    archive.filelist.append(archive.getinfo("counts.npy"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (declared("counts.npy", compress_size=10**6), "is damaged, or no tally"),
        (declared("counts.npy", file_size=50 * 10**9), "a.tally unpacks to 50 GB"),
        (declared("counts.npy", header_offset=10**12), "is damaged, or no tally"),
        (declared("counts.npy", flag_bits=1), "'counts.npy' in a.tally is encrypted"),
        (declared("counts.npy", compress_type=zipfile.ZIP_BZIP2), "is compressed by method 12"),
        (declared("counts.npy", compress_type=zipfile.ZIP_LZMA), "is compressed by method 14"),
        (declared("counts.npy", compress_type=93), "is compressed by method 93"),
        (_again, "is damaged, or no tally"),
    ],
    ids=["overlap", "zip64", "beyond the end", "encrypted", "bzip2", "LZMA", "zstd", "twice"],
)
def test_an_archive_with_an_odd_directory_is_refused(run: Run, change: Change, words: str) -> None:
    zipped("a.tally", a_tally(), change)
    refused(little(run, "evaluate", "a.tally"), "a.tally", words)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_npz_of_another_compression_is_refused(run: Run, method: int) -> None:
    with zipfile.ZipFile("a.npz", "w", method) as archive:
        archive.writestr("y.npy", npy(np.arange(4)))
    refused(run("evaluate", "a.npz", *SCORED), "'y.npy' in a.npz is compressed by method", "deflate")


def test_an_archive_of_very_many_members_is_refused(run: Run) -> None:
    zipped("a.npz", {f"{number}.npy": b"" for number in range(10_001)})
    refused(run("evaluate", "a.npz", *SCORED), "a.npz has 10,001 members; at most 10,000 are read")


# --- what the JSON of a tally declares -----------------------------------------------------------


def test_a_tally_that_declares_many_bins_is_refused(run: Run) -> None:
    members = a_tally(approximate=True)
    form = json.loads(members["tally.json"])
    form["grids"][0]["bins"] = 1 << 24
    zipped("a.tally", members | {"tally.json": json.dumps(form).encode()})
    result = little(run, "merge", "a.tally", "--memory", "300MB", "-o", "b.tally")
    refused(result, "a.tally", "on grids", "--memory")


def test_a_tally_that_counts_the_same_numbers_again_and_again_is_refused(run: Run) -> None:
    members = a_tally(slices=["s"])
    form = json.loads(members["tally.json"])
    found = form["slices"][0]
    found["keys"] = [[f"s{number}"] for number in range(50)]
    found["counts"] = found["counts"][:1] * 50
    zipped("a.tally", members | {"tally.json": json.dumps(form).encode()})
    refused(run("evaluate", "a.tally"), "a.tally is damaged, or no tally: its arrays overlap")


# --- tallies of ours are read, however well they are compressed ----------------------------------


def _rows(n: int) -> dict[str, Any]:
    return {"y": np.arange(n) % 2, "p": (np.arange(n) % 61_440) / 61_440}


LEGITIMATE: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "200 slices on a grid": (
        _rows(122_880) | {"s": np.arange(122_880) % 200},
        {"score": "p", "approximate": True, "slices": ["s"]},
    ),
    "1,000 slices": (
        {"y": np.arange(10**5) % 2, "p": np.arange(10**5) % 2, "s": np.arange(10**5) % 1_000},
        {"predicted": "p", "slices": ["s"]},
    ),
    "3,000 classes": (
        {"y": np.arange(9_000) % 3_000, "p": np.arange(9_000) * 7 % 3_000},
        {"predicted": "p"},
    ),
    "1,000 x 1,000 cells": (
        {"y": np.arange(10**6) // 1_000, "p": np.arange(10**6) % 1_000},
        {"predicted": "p"},
    ),
    "scores of almost all negatives": (
        {"y": np.arange(10**6) < 2, "p": np.arange(10**6, dtype=float)},
        {"score": "p"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LEGITIMATE)
def test_tallies_that_compress_well_are_read(tmp_path: Path, name: str) -> None:
    rows, options = LEGITIMATE[name]
    tally = tm.tally(pl.DataFrame(rows), actual="y", **options)
    tally.save(tmp_path / "a.tally")
    assert tm.Tally.load(tmp_path / "a.tally") == tally


def test_a_small_archive_is_read_at_any_compression(run: Run) -> None:
    np.savez_compressed("a.npz", y=np.arange(10**6) < 10, p=np.zeros(10**6))
    assert Path("a.npz").stat().st_size * 200 < 9_000_000
    code, out, _ = run("evaluate", "a.npz", *SCORED, "--json")
    assert (code, json.loads(out)["rows"]) == (0, 10**6)


# --- --memory ------------------------------------------------------------------------------------


def memory_named(err: str) -> str:
    found = re.search(r"--memory (\S+) ", err)
    assert found is not None, err
    return found[1]


@pytest.mark.parametrize("how", [(), ("--approximate",)])
def test_an_npz_that_does_not_fit_into_the_memory_is_refused(run: Run, how: tuple[str, ...]) -> None:
    np.savez_compressed("a.npz", y=np.arange(200_000) % 2, p=np.zeros(200_000), unused=np.zeros(10**7))
    command = ("evaluate", "a.npz", *SCORED, "--json", *how)
    result = run(*command, "--memory", "5MB")
    refused(result, "a.npz is read in one piece, which takes ", "the memory allowed is 5 MB", "Parquet")
    code, out, _ = run(*command, "--memory", memory_named(result[2]))
    assert (code, json.loads(out)["rows"]) == (0, 200_000)
    with pytest.raises(tm.MemoryLimitError, match=r"a\.npz is read in one piece"):
        tm.evaluate("a.npz", actual="y", score="p", memory="5MB")


def test_models_in_an_npz_that_does_not_fit_are_not_compared(run: Run) -> None:
    np.savez_compressed("a.npz", y=np.arange(200_000) % 2, p=np.zeros(200_000))
    shutil.copy("a.npz", "b.npz")
    result = run("compare", "a.npz", "b.npz", *SCORED, "--memory", "5MB")
    refused(result, "a.npz is read in one piece")


def test_text_and_small_numbers_are_counted_as_what_they_take(run: Run) -> None:
    rows = 200_000
    np.savez_compressed("a.npz", y=np.zeros(rows, "S1"), p=np.zeros(rows, np.int8))
    result = run("evaluate", "a.npz", "--actual", "y", "--predicted", "p", "--memory", "20MB")
    refused(result, "a.npz is read in one piece, which takes 31.6 MB")


def test_compressed_text_that_is_read_in_one_piece_has_to_fit(run: Run) -> None:
    arff = "@relation r\n@attribute y {0,1}\n@attribute p numeric\n@data\n" + "1,0.5\n0,0.5\n" * 500_000
    Path("a.arff.gz").write_bytes(gzip.compress(arff.encode()))
    result = run("evaluate", "a.arff.gz", *SCORED, "--memory", "1MB")
    refused(result, "a.arff.gz is read in one piece", "CSV")
    assert run("evaluate", "a.arff.gz", *SCORED, "--memory", memory_named(result[2]))[0] == 0


def test_parts_may_be_compressed_better_than_the_first(run: Run) -> None:
    first = "y,p\n" + "".join(f"{row % 2},{row * 7_919 % 1_000 / 1_000}\n" for row in range(1_000))
    Path("a.csv.gz").write_bytes(gzip.compress(first.encode()))
    Path("b.csv.gz").write_bytes(gzip.compress(b"y,p\n" + b"1,0.5\n" * 10**6))
    options = {"actual": "y", "score": "p", "memory": "20MB"}
    with pytest.raises(tm.OptionError, match="needs rows, and these files are counted without keeping any"):
        tm.evaluate(["a.csv.gz", "b.csv.gz"], extra={"m": lambda *_: 0.5}, **options)
    assert tm.evaluate(["a.csv.gz", "b.csv.gz"], **options).confusion.matrix.sum() == 1_001_000


# --- run folders ---------------------------------------------------------------------------------

RECORDS: dict[str, tuple[Callable[[dict[str, bytes]], dict[str, bytes]], Change, str]] = {
    "array": (lambda _: {"scores.npy": zeros(300 * _MIB)}, lambda _: None, "unpacks to 315 MB"),
    "JSON": (lambda _: {"record.json": JSON_BOMB}, lambda _: None, "unpacks to"),
    "lie": (
        lambda _: {"record.json": b" " * (300 * _MIB) + b"{}"},
        declared("record.json", file_size=1_000),
        "it is damaged",
    ),
    "shape": (
        lambda _: {"answers.npy": npy(np.zeros(4, np.int64), shape=(10**12,))},
        lambda _: None,
        "it is damaged",
    ),
    "method": (lambda _: {}, declared("answers.npy", compress_type=14), "is compressed by method 14"),
}  # fmt: skip


@pytest.mark.parametrize("what", RECORDS)
def test_a_record_that_is_a_bomb_is_set_aside(run: Run, what: str) -> None:
    Path("a.csv").write_text("x,y\n" + "0,no\n1,yes\n" * 20)
    command = shlex.split(
        "validate a.csv --target y --model majority --method kfold:2 --run-folder night --json"
    )
    code, out, _ = run(*command)
    assert code == 0
    place = sorted(Path("night/fits").glob("*.npz"))[0]
    with zipfile.ZipFile(place) as archive:
        sound = {name: archive.read(name) for name in archive.namelist()}
    members, change, words = RECORDS[what]
    zipped(str(place), sound | members(sound), change)
    assert little(run, "runs", "show", "night")[0] == 0
    code, again, err = little(run, *command)
    assert code == 0
    assert words in err
    assert len(list(Path("night/set_aside").iterdir())) == 1
    before, after = (json.loads(each)["models"][0]["metrics"] for each in (out, again))
    assert before == after


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


def test_arrays_of_every_version_are_read(run: Run) -> None:
    for version in ((1, 0), (2, 0), (3, 0)):
        with zipfile.ZipFile("a.npz", "w") as archive:
            for name in ("y", "p"):
                with archive.open(f"{name}.npy", "w") as member:
                    np.lib.format.write_array(member, np.array([1, 0, 1, 0]), version=version)
        assert run("evaluate", "a.npz", "--actual", "y", "--predicted", "p")[0] == 0


def test_small_files_that_are_read_in_one_piece_fit_into_any_memory(run: Run) -> None:
    Path("a.json").write_text("[" + ",".join(['{"y": 1, "p": 0.5}', '{"y": 0, "p": 0.4}'] * 9_000) + "]")
    assert run("evaluate", "a.json", "--actual", "y", "--score", "p", "--memory", "1MB")[0] == 0
