"""Arrow tables in both formats come back as they were written; a file that lost its end is refused."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl
import pyarrow
import pyarrow.feather
import pytest

from tallymark.errors import ColumnError, FileError, TallymarkError
from tallymark.intake.files.tables import column_names, read_table

FRAME = pl.DataFrame(
    {
        "y": ["x", None, "z"],
        "n": [1, 2, None],
        "s": [0.5, 0.25, 1.0],
        "flag": [True, False, True],
        "sets": [["a", "b"], [], ["c"]],
        "kind": pl.Series(["u", "v", "u"], dtype=pl.Categorical),
    }
)


def written(form: str, frame: pl.DataFrame = FRAME, compression: str = "uncompressed") -> bytes:
    file = io.BytesIO()
    write = frame.write_ipc if form == "file" else frame.write_ipc_stream
    write(file, compression=compression)  # type: ignore[arg-type]
    return file.getvalue()


def words_only(value: object) -> str:
    """Bytes make poor names for tests, and some hold the time of day."""
    return value if isinstance(value, str) else "-"


@pytest.mark.parametrize("name", ["x.arrow", "x.feather", "x.IPC", "x"])
@pytest.mark.parametrize("form", ["file", "stream"])
@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
def test_comes_back(tmp_path: Path, name: str, form: str, compression: str) -> None:
    path = tmp_path / name
    path.write_bytes(written(form, compression=compression))
    table = read_table([path], ["sets", "kind", "y", "s"])
    assert column_names(path) == FRAME.columns
    assert not table.text
    assert table.frame.equals(FRAME.select("sets", "kind", "y", "s"))
    assert table.where([0, 2]) == "rows 1 and 3"


def test_what_pyarrow_writes(tmp_path: Path) -> None:
    table = pyarrow.table({"y": ["a", "b"], "p": [0.25, 0.75]})
    pyarrow.feather.write_feather(table, tmp_path / "x.feather")
    assert read_table([tmp_path / "x.feather"], ["p", "y"]).frame.rows() == [(0.25, "a"), (0.75, "b")]
    with pyarrow.ipc.new_stream(tmp_path / "x.arrow", table.schema) as stream:
        stream.write_table(table, max_chunksize=1)
    assert read_table([tmp_path / "x.arrow"], ["y"]).frame["y"].to_list() == ["a", "b"]


@pytest.mark.parametrize("form", ["file", "stream"])
def test_every_shorter_file_is_refused(tmp_path: Path, form: str) -> None:
    """Also one that ends between two batches, which would read well."""
    table = pyarrow.table({"y": [1, 2, 3]})
    file = io.BytesIO()
    make = pyarrow.ipc.new_file if form == "file" else pyarrow.ipc.new_stream
    with make(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=1)
    whole = file.getvalue()
    path = tmp_path / "x.arrow"
    for length in range(0, len(whole), 4):
        path.write_bytes(whole[:length])
        with pytest.raises(FileError) as caught:
            read_table([path], ["y"])
        assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("x.arrow", b"", "is empty (0 bytes)"),
        ("x.arrow", written("file")[:-9], "is cut short: it begins but does not end as an Arrow file"),
        ("x.arrow", written("stream")[:-8], "does not end as an Arrow stream"),
        ("x.arrow", written("stream") + b"more", "does not end as an Arrow stream"),
        ("x.feather", b"FEA1" + bytes(40), "old Feather table (version 1)"),
        ("x.ipc", b"a,b\n1,2\n", "holds text, not Arrow. Hint: if it is a CSV"),
        ("x.arrow", b"\x01\x02" * 40, "is not an Arrow file"),
        ("x.parquet", written("file"), "holds Arrow data, not Parquet. Hint: rename it to"),
        ("x.csv", written("stream"), "holds Arrow data, not text. Hint: rename it to"),
        ("x.arrow", b"ARROW1\0\0" + b"\xff" * 99 + b"ARROW1", "is damaged, or uses a feature of Arrow"),
        ("x.arrow", written("file", FRAME.clear()), "there are no rows in"),
    ],
    ids=words_only,
)
def test_refused(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TallymarkError) as caught:
        read_table([tmp_path / name], ["y"])
    assert words in str(caught.value)
    assert str(caught.value).isprintable()


def test_an_absent_column_is_named_with_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "x.arrow").write_bytes(written("file"))
    with pytest.raises(ColumnError, match=r"has no column 'flags'.*did you mean 'flag'"):
        read_table([tmp_path / "x.arrow"], ["flags"])
