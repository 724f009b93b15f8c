"""Named arrays are columns; what is not one-dimensional, or would have to be unpickled, is refused."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tallymark.errors import ColumnError, FileError, ShapeError, TallymarkError
from tallymark.intake.files.tables import column_names, read_table

ARRAYS: dict[str, Any] = {
    "n": np.array([3, 1, 2]),
    "small": np.array([3, 1, 2], dtype=np.uint8),
    "text": np.array(["x", "é", ""]),
    "letters": np.array([b"x", b"yy", b"z"]),
    "s": np.array([0.5, np.nan, 1.0]),
    "swapped": np.array([0.5, 2.0, 1.0], dtype=">f8"),
    "half": np.array([0.5, 2.0, 1.0], dtype=np.float16),
    "flag": np.array([True, False, True]),
    "shares": np.zeros((3, 2)),
    "classes": np.array(["a", "b"]),
    "objects": np.array(["x", None, 1], dtype=object),
    "one": np.array(7),
    "days": np.array(["2024-01-01"] * 3, dtype="datetime64[D]"),
    "complex": np.array([1j, 2, 3]),
    "broken": np.array([b"\xe9", b"a", b"b"]),
}


def saved(packed: bool = False, **arrays: Any) -> bytes:
    file = io.BytesIO()
    (np.savez_compressed if packed else np.savez)(file, **arrays)
    return file.getvalue()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "x.npz").write_bytes(saved(**ARRAYS))
    return tmp_path / "x.npz"


def test_names(path: Path) -> None:
    assert column_names(path) == list(ARRAYS)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("n", [3, 1, 2]),
        ("small", [3, 1, 2]),
        ("text", ["x", "é", ""]),
        ("letters", ["x", "yy", "z"]),
        ("swapped", [0.5, 2.0, 1.0]),
        ("half", [0.5, 2.0, 1.0]),
        ("flag", [True, False, True]),
    ],
)
def test_columns(path: Path, name: str, values: list[object]) -> None:
    table = read_table([path], [name, "n"])
    assert not table.text
    assert table.frame[name].to_list() == values
    assert table.where([2]) == "row 3"


def test_not_a_number_stays(path: Path) -> None:
    column = read_table([path], ["s"]).frame["s"]
    assert column.is_nan().to_list() == [False, True, False]


def test_compressed(tmp_path: Path) -> None:
    (tmp_path / "x.npz").write_bytes(saved(True, y=np.arange(9) % 2, s=np.linspace(0, 1, 9)))
    frame = read_table([tmp_path / "x.npz"], ["s", "y"]).frame
    assert frame.dtypes == [pl.Float64, pl.Int64]
    assert frame["y"].to_list() == [0, 1] * 4 + [0]


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        (["shares"], ShapeError, r"'shares' in .*x\.npz has the shape \(3, 2\).*each of its columns"),
        (["one"], ShapeError, r"'one' in .* has the shape \(\)"),
        (["n", "classes"], ShapeError, r"'n' has 3 values and 'classes' has 2"),
        (["objects"], ColumnError, r"'objects' in .*x\.npz holds Python objects.*never unpickled"),
        (["days"], ColumnError, r"'days' in .* is of type datetime64\[D\]"),
        (["complex"], ColumnError, r"is of type complex128"),
        (["broken"], ColumnError, r"'broken' in .* is of type \|S1"),
        (["tekst"], ColumnError, r"has no column 'tekst'.*did you mean 'text'"),
    ],
)
def test_refused_columns(path: Path, asked: list[str], error: type[TallymarkError], words: str) -> None:
    with pytest.raises(error, match=words):
        read_table([path], asked)


def words_only(value: object) -> str:
    """Bytes make poor names for tests, and some hold the time of day."""
    return value if isinstance(value, str) else "-"


def zipped(**members: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in members.items():
            archive.writestr(f"{name}.npy", text)
    return file.getvalue()


def flipped(content: bytes, at: int) -> bytes:
    return content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :]


SMALL = saved(a=np.arange(5))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty (0 bytes)"),
        (SMALL[:-1], "is cut short or damaged"),
        (SMALL[: len(SMALL) // 2], "is cut short or damaged"),
        (flipped(SMALL, SMALL.index(b"NUMPY") + 130), "is cut short or damaged"),
        (zipped(a="no array"), "is no NumPy array"),
        (b"a,b\n1,2\n", "holds text, not .npz"),
        (b"\x93NUMPY\x01\x00", "holds a lone NumPy array"),
        (b"\x01\x02" * 30, "is not an .npz file"),
        (saved(a=np.array([], dtype=int)), "there are no rows in"),
    ],
    ids=words_only,
)
def test_refused_files(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "x.npz").write_bytes(content)
    with pytest.raises(FileError) as caught:
        read_table([tmp_path / "x.npz"], ["a"])
    assert words in str(caught.value)


def test_flipped_bytes_never_give_a_foreign_error(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    messages = []
    for at in range(len(SMALL)):
        path.write_bytes(flipped(SMALL, at))
        try:
            read_table([path], ["a"])
        except TallymarkError as error:
            messages.append(str(error))
    assert messages
    assert all(message.isprintable() for message in messages)
