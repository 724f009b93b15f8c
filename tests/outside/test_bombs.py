"""Small files that unpack to large ones are refused before they fill the memory or the disk."""

import gzip
import io
import json
import re
import shutil
import tempfile
import tracemalloc
import zipfile
from collections import namedtuple
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tallymark as tm
from collected import each
from command_lines import calls, is_one_line, write

Change = Callable[[zipfile.ZipFile], None]

SCORED = "--actual y --score p"
LITTLE = 128 << 20
"""Bytes that refusing a file may take: reading one of those here takes more than twice as many."""
_MIB = 1 << 20
_Usage = namedtuple("_Usage", "total used free")


@contextmanager
def little() -> Iterator[None]:
    """What takes little memory."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < LITTLE
    finally:
        tracemalloc.stop()


def npy(array: Any, **header: Any) -> bytes:
    """An array as .npy, under a header that may hold something else."""
    file = io.BytesIO()
    said = {"descr": array.dtype.str, "fortran_order": False, "shape": array.shape} | header
    np.lib.format.write_array_header_1_0(file, said)
    return file.getvalue() + array.tobytes()


def zipped(path: str | Path, members: dict[str, bytes], change: Change = lambda _: None) -> None:
    """A zip archive; `change` may edit what its directory will hold."""
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


def measured(text: str) -> str:
    """How well zeros are compressed depends on zlib, and the name of a record on the versions of packages."""
    text = re.sub(r"[0-9a-f]{32}-[0-9a-f]{8}", "RECORD", text)
    return re.sub(r"[\d,]+ times its size", "N times its size", text)


def members_of(path: str | Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def a_tally(**options: Any) -> dict[str, bytes]:
    """The members of a.tally, which is sound."""
    rows = pl.DataFrame({"y": [1, 0, 1, 0], "p": [0.9, 0.2, 0.6, 0.6], "s": ["f", "m", "f", "m"]})
    tm.tally(rows, actual="y", score="p", **options).save("a.tally", overwrite=True)
    return members_of("a.tally")


# What takes more than the 256 MiB that any archive may, and what only says that it is large.
ZEROS = npy(np.zeros(300 * _MIB // 8 - 16, np.int64))
JSON_BOMB = b"[" + b"{}," * (4 * _MIB) + b"{}]"
BLANK_JSON = b" " * (200 * _MIB) + b"{}"
LIES = {
    "size": npy(np.zeros(150 * _MIB // 8, np.int64)),
    "shape": npy(np.zeros(4, np.int64), shape=(10**12,)),
    "no rows": npy(np.zeros(0, np.int64), shape=(0, 10**18)),
    "negative": npy(np.zeros(0, np.int64), shape=(-1,)),
    "no width": npy(np.zeros(0, np.int64), shape=(10**12,), descr="|V0"),
    "header": b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + bytes(200 * _MIB),
    "nested header": b"\x93NUMPY\x01\x00\xff\xff" + b"-" * 9_000 + b"1" + b" " * 56_000,
}


def twice(archive: zipfile.ZipFile) -> None:
    archive.filelist.append(archive.getinfo("counts.npy"))


DIRECTORIES: dict[str, Change] = {
    "overlap": declared("counts.npy", compress_size=10**6),
    "zip64": declared("counts.npy", file_size=50 * 10**9),
    "beyond the end": declared("counts.npy", header_offset=10**12),
    "encrypted": declared("counts.npy", flag_bits=1),
    "bzip2": declared("counts.npy", compress_type=zipfile.ZIP_BZIP2),
    "LZMA": declared("counts.npy", compress_type=zipfile.ZIP_LZMA),
    "zstd": declared("counts.npy", compress_type=93),
    "twice": twice,
}


def test_bombs_are_refused_in_little_memory(run: Any, snapshot: Any) -> None:
    """What unpacks to much, archives whose members are not what they say, and odd directories."""
    sound = a_tally()
    bombs = {"array": {"counts.npy": ZEROS}, "json": {"tally.json": JSON_BOMB}}
    for name, bomb in bombs.items():
        zipped(f"{name}.tally", sound | bomb)
        assert Path(f"{name}.tally").stat().st_size < 400_000
    zipped("large.npz", {"y.npy": ZEROS, "p.npy": npy(np.zeros(4))})
    lies = []
    for number, content in enumerate(LIES.values()):
        small = min(len(content), 1_000)
        zipped(f"lie{number}.tally", sound | {"counts.npy": content}, declared("counts.npy", file_size=small))
        zipped(
            f"lie{number}.npz",
            {"y.npy": content, "p.npy": npy(np.zeros(4))},
            declared("y.npy", file_size=small),
        )
        # An array without rows, or of a negative size, is taken for an odd column of another length.
        lies += [f"lie{number}.tally", f"lie{number}.npz {SCORED}"]
    zipped("blank.tally", sound | {"tally.json": BLANK_JSON}, declared("tally.json", file_size=1_000))
    for name, change in DIRECTORIES.items():
        zipped(f"{name.replace(' ', '-')}.tally", sound, change)
    for name, method in (("bzip2", zipfile.ZIP_BZIP2), ("lzma", zipfile.ZIP_LZMA)):
        with zipfile.ZipFile(f"{name}.npz", "w", method) as archive:
            archive.writestr("y.npy", npy(np.arange(4)))
    zipped("many.npz", {f"{number}.npy": b"" for number in range(10_001)})
    texts = {}
    with little():
        for line, words in calls(
            f"""
            evaluate {{array|json}}.tally
            evaluate a.tally {{array|json}}.tally
            merge a.tally {{array|json}}.tally -o out.tally
            check a.tally --baseline {{array|json}}.tally --no-worse accuracy
            evaluate large.npz {SCORED}
            validate large.npz --target y --model majority
            evaluate {{{"|".join(lies)}}}
            evaluate {{blank|overlap|zip64|beyond-the-end|encrypted|bzip2|LZMA|zstd|twice}}.tally
            evaluate {{bzip2|lzma|many}}.npz {SCORED}
            """
        ).items():
            result = run("", *words)
            assert (result.code, result.out, is_one_line(result.err)) == (2, "", True), line
            texts[line] = measured(result.err)
        snapshot("errors_bombs", texts)
        with pytest.raises(tm.FileError):
            tm.Tally.load("array.tally")


def test_a_tally_that_declares_much_is_refused(refused: Any) -> None:
    members = a_tally(approximate=True)
    form = json.loads(members["tally.json"])
    form["grids"][0]["bins"] = 1 << 24
    zipped("bins.tally", members | {"tally.json": json.dumps(form).encode()})
    # The same numbers again and again.
    members = a_tally(slices=["s"])
    form = json.loads(members["tally.json"])
    found = form["slices"][0]
    found["keys"] = [[f"s{number}"] for number in range(50)]
    found["counts"] = found["counts"][:1] * 50
    zipped("again.tally", members | {"tally.json": json.dumps(form).encode()})
    with little():
        refused(
            "errors_declared_in_tallies", "merge bins.tally --memory 300MB -o b.tally\nevaluate again.tally"
        )


# --- what compresses well is read ----------------------------------------------------------------

M = 10**6
LEGITIMATE: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "200 slices on a grid": (
        {
            "y": np.arange(122_880) % 2,
            "p": np.arange(122_880) % 61_440 / 61_440,
            "s": np.arange(122_880) % 200,
        },
        {"score": "p", "approximate": True, "slices": ["s"]},
    ),
    "1,000 x 1,000 cells": ({"y": np.arange(M) // 1_000, "p": np.arange(M) % 1_000}, {"predicted": "p"}),
    "almost all negatives": ({"y": np.arange(M) < 2, "p": np.arange(M, dtype=float)}, {"score": "p"}),
}


@each("name", LEGITIMATE)
def test_tallies_that_compress_well_are_read(tmp_path: Path, name: str) -> None:
    rows, options = LEGITIMATE[name]
    tally = tm.tally(pl.DataFrame(rows), actual="y", **options)
    tally.save(tmp_path / "a.tally", overwrite=True)
    assert tm.Tally.load(tmp_path / "a.tally") == tally


def test_archives_of_any_compression_and_version_are_read(run: Any) -> None:
    np.savez_compressed("a.npz", y=np.arange(M) < 10, p=np.zeros(M))
    assert Path("a.npz").stat().st_size * 200 < 9_000_000
    assert run(f"evaluate a.npz {SCORED} --json").json["rows"] == M
    for version in ((1, 0), (2, 0), (3, 0)):
        with zipfile.ZipFile("b.npz", "w") as archive:
            for name in ("y", "p"):
                with archive.open(f"{name}.npy", "w") as member:
                    np.lib.format.write_array(member, np.array([1, 0, 1, 0]), version=version)
        assert run("evaluate b.npz --actual y --predicted p").code == 0
    # Small files that are read in one piece fit into any memory.
    write({"a.json": "[" + ",".join(['{"y": 1, "p": 0.5}', '{"y": 0, "p": 0.4}'] * 9_000) + "]"})
    assert run(f"evaluate a.json {SCORED} --memory 1MB").code == 0


# --- --memory ------------------------------------------------------------------------------------


def test_what_is_read_in_one_piece_has_to_fit_into_the_memory(run: Any, refused: Any) -> None:
    n = 200_000
    arff = "@relation r\n@attribute y {0,1}\n@attribute p numeric\n@data\n" + "1,0.5\n0,0.5\n" * 500_000
    np.savez_compressed("a.npz", y=np.arange(n) % 2, p=np.zeros(n), unused=np.zeros(10**7))
    np.savez_compressed("b.npz", y=np.arange(n) % 2, p=np.zeros(n))
    shutil.copy("b.npz", "c.npz")
    np.savez_compressed("text.npz", y=np.zeros(n, "S1"), p=np.zeros(n, np.int8))
    write({"a.arff.gz": gzip.compress(arff.encode())})
    # The memory that the message names is enough.
    for line, memory in (
        (f"a.npz {SCORED}", "5MB"),
        (f"a.npz {SCORED} --approximate", "5MB"),
        (f"a.arff.gz {SCORED}", "1MB"),
    ):
        result = run(f"evaluate {line} --memory {memory}")
        assert result.code == 2
        found = re.search(r"--memory (\S+) ", result.err)
        assert found is not None, result.err
        assert run(f"evaluate {line} --memory {found[1]} --json").json["rows"] == (n if "npz" in line else M)
    refused(
        "errors_of_memory",
        f"""
        evaluate a.npz {SCORED} --memory 5MB{{| --approximate}}
        evaluate a.arff.gz {SCORED} --memory 1MB
        compare b.npz c.npz {SCORED} --memory 5MB
        evaluate text.npz --actual y --predicted p --memory 20MB
        """,
    )
    with pytest.raises(tm.MemoryLimitError):
        tm.evaluate("a.npz", actual="y", score="p", memory="5MB")


def test_parts_may_be_compressed_better_than_the_first(run: Any) -> None:
    first = "y,p\n" + "".join(f"{row % 2},{row * 7_919 % 1_000 / 1_000}\n" for row in range(1_000))
    write({"a.csv.gz": gzip.compress(first.encode()), "b.csv.gz": gzip.compress(b"y,p\n" + b"1,0.5\n" * M)})
    options = {"actual": "y", "score": "p", "memory": "20MB"}
    with pytest.raises(tm.OptionError):
        tm.evaluate(["a.csv.gz", "b.csv.gz"], extra={"m": lambda *_: 0.5}, **options)
    assert tm.evaluate(["a.csv.gz", "b.csv.gz"], **options).confusion.matrix.sum() == 1_001_000


# --- run folders and the disk --------------------------------------------------------------------

RECORDS: dict[str, tuple[dict[str, bytes], Change]] = {
    "a large array": ({"scores.npy": ZEROS}, lambda _: None),
    "large JSON": ({"record.json": JSON_BOMB}, lambda _: None),
    "blank JSON": ({"record.json": BLANK_JSON}, declared("record.json", file_size=1_000)),
    "a shape that is none": ({"answers.npy": LIES["shape"]}, lambda _: None),
    "LZMA": ({}, declared("answers.npy", compress_type=14)),
}


def test_a_record_that_is_a_bomb_is_set_aside(run: Any, snapshot: Any) -> None:
    texts = {}
    write({"a.csv": "x,y\n" + "0,no\n1,yes\n" * 20})
    line = "validate a.csv --target y --model majority --method kfold:2 --run-folder {} --json"
    for name, (members, change) in RECORDS.items():
        folder = Path(name.replace(" ", "-"))
        before = json.loads(run(line.format(folder)).out)["models"][0]["metrics"]
        place = sorted((folder / "fits").glob("*.npz"))[0]
        zipped(place, members_of(place) | members, change)
        with little():
            assert run(f"runs show {folder}").code == 0
            again = run(line.format(folder))
        assert (again.code, len(list((folder / "set_aside").iterdir()))) == (0, 1)
        texts[name] = again.err
        assert json.loads(again.out)["models"][0]["metrics"] == before
    snapshot("records_set_aside", {name: measured(text) for name, text in texts.items()})


@pytest.fixture
def small_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files on a disk with 2 MB of free space."""
    folder = tmp_path.with_name(f"{tmp_path.name}-temporary")
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: _Usage(10**9, 10**9 - 2 * 10**6, 2 * 10**6))
    return folder


def test_half_of_the_free_disk_may_be_taken(run: Any, small_disk: Path, snapshot: Any) -> None:
    much, fitting = (b"y,p\n" + b"1,0.5\n0,0.5\n" * times for times in (250_000, 50_000))
    write({"a.csv.gz": gzip.compress(much), "b.csv.gz": gzip.compress(fitting)})
    texts = {}
    for name, given in {
        f"evaluate a.csv.gz {SCORED}": b"",
        f"evaluate a.csv.gz {SCORED} --memory 1MB": b"",
        f"evaluate a.csv.gz {SCORED} --engine duckdb": b"",
        f"evaluate - {SCORED}": much,
        f"evaluate - {SCORED} --delimiter ,": gzip.compress(much),
    }.items():
        result = run(name, stdin=given)
        assert (result.code, result.out) == (2, ""), name
        texts[name] = result.err.replace(str(small_disk), "FOLDER")
    snapshot("errors_of_the_disk", texts)
    assert run(f"evaluate b.csv.gz {SCORED}").code == 0
    assert run(f"evaluate - {SCORED}", stdin=fitting).code == 0
    assert list(small_disk.iterdir()) == []
