"""Compressed text is read as the text itself; whatever is lost, added or damaged is an error."""

from __future__ import annotations

import gzip
import io
import tempfile
from pathlib import Path

import polars as pl
import pytest

from tallymark.errors import FileError, TallymarkError
from tallymark.intake.files.gzipped import suffix_for
from tallymark.intake.files.tables import column_names, read_table

CSV = b"a,b\n1,2\n3,4\n"


def words_only(value: object) -> str:
    """Bytes make poor names for tests, and some hold the time of day."""
    return value if isinstance(value, str) else "-"


def parquet() -> bytes:
    file = io.BytesIO()
    pl.DataFrame({"a": [1]}).write_parquet(file)
    return file.getvalue()


def message(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(TallymarkError) as caught:
        read_table([path], ["a"])
    text = str(caught.value)
    assert text.isprintable()
    assert tempfile.gettempdir() not in text.replace(str(path.parent), "")
    return text


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.csv.gz", CSV),
        ("x.CSV.GZ", CSV),
        ("x.tsv.gz", b"a\tb\n1\t2\n3\t4\n"),
        ("x.ndjson.gz", b'{"a": "1", "b": "2"}\n{"a": "3", "b": "4"}\n'),
        ("x.jsonl.gz", b'{"a": "1", "b": "2"}\n{"a": "3", "b": "4"}\n'),
        ("x.json.gz", b'[{"a": "1", "b": "2"}, {"a": "3", "b": "4"}]'),
        ("x.arff.gz", b"@relation r\n@attribute a real\n@attribute b real\n@data\n1,2\n3,4\n"),
    ],
)
def test_every_text_format(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(content))
    assert column_names(path) == ["a", "b"]
    assert read_table([path], ["b", "a"]).frame.rows() == [("2", "1"), ("4", "3")]


def test_places_are_lines_of_the_unpacked_text(tmp_path: Path) -> None:
    path = tmp_path / "x.csv.gz"
    path.write_bytes(gzip.compress(b'a,b\n"1\n\nx",2\n3,4\n'))
    assert read_table([path], ["a"]).where([0, 1]) == "lines 2 and 5"


def test_streams_one_behind_the_other_are_one_text(tmp_path: Path) -> None:
    path = tmp_path / "x.csv.gz"
    path.write_bytes(gzip.compress(CSV) + gzip.compress(b"5,6\n"))
    assert read_table([path], ["a"]).frame["a"].to_list() == ["1", "3", "5"]


def test_padding_with_zeros_is_no_garbage(tmp_path: Path) -> None:
    path = tmp_path / "x.csv.gz"
    path.write_bytes(gzip.compress(CSV) + b"\0" * 100)
    assert read_table([path], ["a"]).frame.height == 2


def test_packed_and_plain_parts_go_together(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(CSV)
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(CSV))
    table = read_table([tmp_path / "a.csv", tmp_path / "b.csv.gz"], ["a"])
    assert table.frame["a"].to_list() == ["1", "3", "1", "3"]
    assert table.where([1, 3]) == "line 3 of a.csv and line 3 of b.csv.gz"


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    path = tmp_path / "x.csv.gz"
    path.write_bytes(gzip.compress(CSV))
    read_table([path], ["a"]).where([0])
    message(path, gzip.compress(b"a,b\n1\n"))
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (gzip.compress(CSV)[:-1], "is cut short"),
        (gzip.compress(CSV)[:12], "is cut short"),
        (gzip.compress(CSV)[:3], "is cut short"),
        (gzip.compress(CSV) + b"and more", "has bytes that are not gzip after its compressed text"),
        (gzip.compress(CSV)[:-8] + bytes(8), "is damaged"),
        (CSV, "is not compressed with gzip, though its name says so. Hint: if it is a text file, rename"),
        (gzip.compress(b""), "unpacks to 0 bytes"),
        (b"", "is empty (0 bytes)"),
        (gzip.compress(gzip.compress(CSV)), "holds gzip data inside the gzip"),
        (gzip.compress(parquet()), "holds Parquet data inside the gzip; only text is read so. Hint: unpack"),
        (gzip.compress(b"a,b\n1\n"), "line 2 of"),
        (gzip.compress(b'{"a": 1}\n'), "holds JSON data, not CSV. Hint: rename it to"),
    ],
    ids=words_only,
)
def test_refused(tmp_path: Path, content: bytes, words: str) -> None:
    assert words in message(tmp_path / "x.csv.gz", content)


def test_every_shorter_file_is_refused(tmp_path: Path) -> None:
    whole = gzip.compress(CSV)
    for length in range(len(whole)):
        message(tmp_path / "x.csv.gz", whole[:length])


def test_hints_are_for_the_compressed_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert message(Path("my x.csv.gz"), gzip.compress(b"a,b\n1,\xe9\n")).endswith(
        "convert it: gunzip -c 'my x.csv.gz' | iconv -f latin1 -t utf-8 | gzip > 'my x-utf8.csv.gz'"
    )
    renaming = message(Path("x.csv.gz"), gzip.compress(b"@relation x\n"))
    assert renaming == "x.csv.gz holds ARFF data, not CSV. Hint: rename it to x.arff.gz."


def test_the_inner_name_tells_the_format(tmp_path: Path) -> None:
    assert "x.tar.gz: tar files are not read" in message(tmp_path / "x.tar.gz", gzip.compress(CSV))
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(CSV))
    with pytest.raises(FileError, match=r"x\.gz: no suffix tells the format"):
        read_table([path], ["a"])
    assert read_table([path], ["a"], delimiter=",").frame.height == 2


@pytest.mark.parametrize(
    ("head", "suffix"),
    [
        (CSV, ".csv"),
        (b"", ".csv"),
        (b"PAR1\x15\x04", ".parquet"),
        (b"ARROW1\0\0", ".arrow"),
        (b"\xff\xff\xff\xff\x10\0\0\0", ".arrow"),
        (b'\xef\xbb\xbf\n {"a": 1}', ".ndjson"),
        (b'[{"a": 1}]', ".json"),
        (b"% words\n%\n@Relation r", ".arff"),
        (b"=== Predictions on test data ===\n\n inst#     actual  predicted error prediction\n", ".txt"),
        (b"inst#,actual,predicted,error,prediction\n", ".txt"),
        (b"{set},b\n1,2\n", ".csv"),
        (b"% of all,b\n1,2\n", ".csv"),
        (gzip.compress(CSV), ".csv.gz"),
        (gzip.compress(b'{"a": 1}'), ".ndjson.gz"),
        (gzip.compress(CSV)[:12], ".csv.gz"),
        (b"\x1f\x8brubbish", ".csv.gz"),
    ],
    ids=words_only,
)
def test_data_without_a_name_is_recognised_by_its_beginning(head: bytes, suffix: str) -> None:
    assert suffix_for(head) == suffix
