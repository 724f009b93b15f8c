"""Bad files: each is refused in its own words, with the line where there is one, never by a foreign error."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pyarrow
import pyarrow.parquet
import pytest

from tallymark.errors import ColumnError, FileError, OptionError, TallymarkError
from tallymark.intake.files import delimited_text
from tallymark.intake.files.tables import column_names, read_table


@dataclass(frozen=True)
class Bad:
    content: bytes
    name: str
    error: type[TallymarkError]
    fragments: tuple[str, ...]
    asked: tuple[str, ...] = ("a",)
    delimiter: str | None = None


def parquet(**columns: list[object]) -> bytes:
    file = io.BytesIO()
    pl.DataFrame(columns).write_parquet(file)
    return file.getvalue()


def zipped(*names: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, "text")
    return file.getvalue()


def arrow() -> bytes:
    file = io.BytesIO()
    pl.DataFrame({"a": [1]}).write_ipc(file)
    return file.getvalue()


CLEAN = b"a,b,c\n1,2,3\n"
MANY = ",".join(f"c{i}" for i in range(40)).encode() + b"\n" + b"1," * 39 + b"1\n"
WHOLE_PARQUET = parquet(a=[1, 2, 3])
DAMAGED_FOOTER = WHOLE_PARQUET[:-60] + b"\xff" * 52 + WHOLE_PARQUET[-8:]

BAD: dict[str, Bad] = {
    # ragged lines
    "short line": Bad(
        CLEAN + b"4,5\n6,7,8\n", "x.csv", FileError, ("line 3 of", "has 2 fields", "header has 3")
    ),
    "short line at the end": Bad(CLEAN + b"4,5", "x.csv", FileError, ("line 3 of", "2 fields", "has 3")),
    "short by two": Bad(CLEAN + b"4\n", "x.csv", FileError, ("line 3 of", "has 1 field;", "has 3")),
    "long line": Bad(CLEAN + b"4,5,6,7\n", "x.csv", FileError, ("line 3 of", "4 fields", "has 3", "quotes")),
    "delimiter at the end of a line": Bad(CLEAN + b"4,5,6,\n", "x.csv", FileError, ("line 3 of", "4 fields")),
    "a short and a long line cancel out": Bad(
        CLEAN + b"4,5\n6,7,8,9\n", "x.csv", FileError, ("line 3 of", "2 fields")
    ),
    "a long and a short line cancel out": Bad(
        CLEAN + b"6,7,8,9\n4,5\n", "x.csv", FileError, ("line 3 of", "4 fields")
    ),
    "all lines longer than the header": Bad(
        b"a,b\n1,2,3\n4,5,6\n", "x.csv", FileError, ("line 2", "3 fields")
    ),
    "line of blanks": Bad(b"a,b\n1,2\n  \n", "x.csv", FileError, ("line 3 of", "1 field;")),
    "quoted empty alone on a line": Bad(b'a,b\n1,2\n""\n', "x.csv", FileError, ("line 3 of", "1 field;")),
    "short line after quoted newlines": Bad(
        b'a,b\n"1\n\n1",2\n3\n', "x.csv", FileError, ("line 5 of", "1 field;", "header has 2")
    ),
    "short line after blank lines": Bad(
        b"\na,b\n\n\n1,2\n\n3\n", "x.csv", FileError, ("line 7 of", "1 field;")
    ),
    "short line, windows": Bad(b"a,b\r\n1,2\r\n3\r\n", "x.csv", FileError, ("line 3 of", "1 field;")),
    "short line, old mac": Bad(b"a,b\r1,2\r3\r", "x.csv", FileError, ("line 3 of", "1 field;")),
    "long line in tabs": Bad(
        b"a\tb\n1\t2\n1\t2\t3\n", "x.tsv", FileError, ("line 3 of", "3 fields", r"'\t'")
    ),
    "long line in one column": Bad(
        b"a\n1\n2,3\n", "x.csv", FileError, ("line 3 of", "2 fields", "header has 1")
    ),
    "blank before a quote": Bad(b'a,b\n1, "x,y"\n', "x.csv", FileError, ("line 2 of", "3 fields")),
    "ragged far down": Bad(b"a,b\n" + b"1,2\n" * 200_000 + b"3\n", "x.csv", FileError, ("line 200002 of",)),
    # quotes
    "unclosed quote": Bad(b'a,b\n1,2\n3,"4\n5,6\n', "x.csv", FileError, ("line 3 of", "never closed")),
    "unclosed quote in the last line": Bad(
        b'a,b\n1,2\n3,"4', "x.csv", FileError, ("line 3 of", "never closed")
    ),
    "unclosed quote, even number of quotes": Bad(
        b'a,b\n1,5" x\n3,"4\n', "x.csv", FileError, ("line 3 of", "never closed")
    ),
    "unclosed quote later in a record of many lines": Bad(
        b'a,b\n"1\n\n1","2\n3,4\n', "x.csv", FileError, ("line 4 of", "never closed")
    ),
    "unclosed quote in the header": Bad(b'"a,b\n1,2\n', "x.csv", FileError, ("line 1 of", "never closed")),
    "text after a closing quote": Bad(
        b'a,b\n1,2\n"x"y,2\n', "x.csv", FileError, ("line 3 of", "closing quote")
    ),
    "blank after a closing quote": Bad(b'a,b\n"x" ,2\n', "x.csv", FileError, ("line 2 of", "closing quote")),
    "stray quote that swallows lines": Bad(
        b'a,b\n1,"2\n3,4\n5,"x"\n', "x.csv", FileError, ("opened on line 2", "closed on line 4")
    ),
    # bytes that are no UTF-8 text
    "latin-1": Bad(
        b"a,b\n1,2\n3,caf\xe9\n",
        "x.csv",
        FileError,
        ("line 3 of", "0xE9", "Latin-1", "iconv -f latin1 -t utf-8"),
    ),
    "latin-1 in a column nobody asked for": Bad(
        b"a,b\n1,\xe9\n", "x.csv", FileError, ("line 2 of", "not UTF-8")
    ),
    "latin-1 in the header": Bad(b"gr\xf6\xdfe,a\n1,2\n", "x.csv", FileError, ("line 1 of", "Latin-1")),
    "latin-1 far down": Bad(
        b"a,b\r\n" + b"1,2\r\n" * 100_000 + b"\xfc,2\r\n", "x.csv", FileError, ("line 100002 of", "0xFC")
    ),
    "latin-1 on old mac lines": Bad(b"a,b\r1,2\r3,\xe9\r", "x.csv", FileError, ("line 3 of", "Latin-1")),
    "windows-1252": Bad(
        b"a,b\n1,\x93x\x94\n", "x.csv", FileError, ("line 2", "0x93", "iconv -f windows-1252")
    ),
    "cut in the middle of a character": Bad(b"a,b\n1,\xc3", "x.csv", FileError, ("line 2 of", "not UTF-8")),
    "utf-16 with its mark": Bad(
        "a,b\n1,2\n".encode("utf-16"), "x.csv", FileError, ("holds UTF-16 text", "iconv -f utf-16 -t utf-8")
    ),
    "utf-16 big-endian with its mark": Bad(
        b"\xfe\xff" + "a,b\n1,2\n".encode("utf-16-be"), "x.tsv", FileError, ("holds UTF-16 text",)
    ),
    "utf-16 without a mark": Bad(
        "a,b\n1,2\n".encode("utf-16-le"), "x.csv", FileError, ("UTF-16", "utf-16le")
    ),
    "utf-16 big-endian without a mark": Bad(
        "a,b\n1,2\n".encode("utf-16-be"), "x.csv", FileError, ("UTF-16", "utf-16be")
    ),
    "utf-32": Bad("a,b\n1,2\n".encode("utf-32"), "x.csv", FileError, ("holds UTF-32 text",)),
    "nul byte": Bad(b"a,b\n1,2\n3,\x004\n", "x.csv", FileError, ("line 3 of", "NUL byte")),
    "nul byte in the header": Bad(b"a\x00,b\n1,2\n", "x.csv", FileError, ("line 1 of", "NUL byte")),
    "nul byte in a ragged file": Bad(b"a,b\n1\n3,\x004\n", "x.csv", FileError, ("line 3 of", "NUL byte")),
    "nul bytes at the end": Bad(b"a,b\n1,2\n" + b"\0" * 9, "x.csv", FileError, ("line 3 of", "NUL byte")),
    "binary rubbish": Bad(b"a,b\n\x00\xff\xfe\x81" * 9, "x.csv", FileError, ("line 2 of", "NUL byte")),
    # nothing in it
    "0 bytes": Bad(b"", "x.csv", FileError, ("x.csv is empty (0 bytes)",)),
    "0 bytes of parquet": Bad(b"", "x.parquet", FileError, ("x.parquet is empty (0 bytes)",)),
    "blank lines only": Bad(b"\n\r\n\n", "x.csv", FileError, ("only blank lines",)),
    "lines of blanks only": Bad(b"  \n\t\n \n", "x.csv", FileError, ("only blank lines",)),
    "byte order mark only": Bad(b"\xef\xbb\xbf", "x.csv", FileError, ("only blank lines",)),
    "header only": Bad(
        b"a,b\n",
        "x.csv",
        FileError,
        (
            "no rows in",
            "x.csv, only the names",
        ),
    ),
    "header only, no newline": Bad(
        b"a,b",
        "x.csv",
        FileError,
        (
            "no rows in",
            "x.csv, only the names",
        ),
    ),
    "header and blank lines": Bad(
        b"a,b\n\n\n",
        "x.csv",
        FileError,
        (
            "no rows in",
            "x.csv, only the names",
        ),
    ),
    "header only, old mac": Bad(
        b"a,b\r",
        "x.csv",
        FileError,
        (
            "no rows in",
            "x.csv, only the names",
        ),
    ),
    "parquet without rows": Bad(parquet(a=[]), "x.parquet", FileError, ("no rows",)),
    # the wrong kind
    "no suffix": Bad(
        CLEAN, "x", FileError, ("no suffix tells the format", ".csv", ".parquet", "--delimiter")
    ),
    "txt": Bad(CLEAN, "x.txt", FileError, ("'.txt'", ".csv", "delimiter ','")),
    "unknown suffix": Bad(CLEAN, "x.data", FileError, ("'.data'", ".tsv")),
    "zip": Bad(zipped("x.csv"), "x.zip", FileError, ("zip files are not read", "unpack")),
    "bz2": Bad(
        bz2.compress(CLEAN), "x.csv.bz2", FileError, ("bzip2-compressed files are not read", "unpack")
    ),
    "tar": Bad(b"x", "x.tar", FileError, ("tar files are not read", "unpack")),
    "xlsx": Bad(zipped("xl/workbook.xml"), "x.xlsx", FileError, ("Excel files are not read", ".csv")),
    "npy": Bad(b"\x93NUMPY", "x.npy", FileError, (".npy files are not read", "numpy.savez")),
    "pkl": Bad(b"\x80\x04.", "x.pkl", FileError, ("pickle files are not read",)),
    # content that is not what the suffix says
    "parquet in csv": Bad(WHOLE_PARQUET, "x.csv", FileError, ("holds Parquet data, not text", "x.parquet")),
    "parquet in txt": Bad(WHOLE_PARQUET, "x.txt", FileError, ("holds Parquet data",), delimiter=","),
    "gzip in csv": Bad(gzip.compress(CLEAN), "x.csv", FileError, ("holds gzip-compressed data", "x.csv.gz")),
    "zip in csv": Bad(zipped("x.csv"), "x.csv", FileError, ("holds a zip archive", "unpack")),
    "workbook in csv": Bad(
        zipped("[Content_Types].xml", "xl/workbook.xml"),
        "x.csv",
        FileError,
        ("holds an Excel workbook", ".csv"),
    ),
    "arrow in csv": Bad(arrow(), "x.csv", FileError, ("holds Arrow data, not text", "x.arrow")),
    "json in csv": Bad(b'{"a": 1}\n', "x.csv", FileError, ("holds JSON data, not CSV", "x.ndjson")),
    "list in csv": Bad(b'[{"a": 1}]', "x.csv", FileError, ("holds JSON data, not CSV", "x.json")),
    "arff in csv": Bad(b"% c\n@RELATION x\n", "x.csv", FileError, ("holds ARFF data, not CSV", "x.arff")),
    "web page in csv": Bad(b"\n<!DOCTYPE html>\n<html>", "x.csv", FileError, ("holds a web page",)),
    "text in parquet": Bad(CLEAN, "x.parquet", FileError, ("holds text, not Parquet", "x.csv")),
    "gzip in parquet": Bad(
        gzip.compress(CLEAN), "x.pq", FileError, ("holds gzip-compressed data, not Parquet",)
    ),
    "rubbish in parquet": Bad(b"\x01\x02\x03" * 9, "x.parquet", FileError, ("is not a Parquet file",)),
    "parquet cut short": Bad(WHOLE_PARQUET[:-20], "x.parquet", FileError, ("is cut short",)),
    "parquet of four letters": Bad(b"PAR1", "x.parquet", FileError, ("is cut short",)),
    "parquet with a damaged footer": Bad(DAMAGED_FOOTER, "x.parquet", FileError, ("is damaged",)),
    # columns
    "absent": Bad(
        CLEAN,
        "x.csv",
        ColumnError,
        ("x.csv has no column 'zebra'", "columns are 'a', 'b' and 'c'"),
        ("zebra",),
    ),
    "two absent": Bad(CLEAN, "x.csv", ColumnError, ("no columns 'zebra' and 'yak'",), ("a", "zebra", "yak")),
    "absent among many": Bad(MANY, "x.csv", ColumnError, ("'c10', 'c11' and 28 more",), ("zebra",)),
    "other case": Bad(
        b"Score,b\n1,2\n", "x.csv", ColumnError, ("did you mean 'Score' for 'score'",), ("score",)
    ),
    "surrounding blank": Bad(b"b, score\n1,2\n", "x.csv", ColumnError, ("mean ' score' for",), ("score",)),
    "typing error": Bad(b"predicted,b\n1,2\n", "x.csv", ColumnError, ("mean 'predicted'",), ("pred1cted",)),
    "semicolons": Bad(b"a;b\n1;2\n", "x.csv", ColumnError, ("only column is 'a;b'", "--delimiter ';'")),
    "tabs in a csv": Bad(b"a\tb\n1\t2\n", "x.csv", ColumnError, ("delimiter 'tab' (--delimiter 'tab')",)),
    "bars in a csv": Bad(b"a|b\n1|2\n", "x.csv", ColumnError, ("delimiter '|' (--delimiter '|')",)),
    "commas in a tsv": Bad(b"a,b\n1,2\n", "x.tsv", ColumnError, ("delimiter ',' (--delimiter ',')",)),
    "no header line": Bad(b"1,0.5\n0,0.25\n", "x.csv", ColumnError, ("first line must hold the names",)),
    "newline in a name": Bad(b'"a\nb",c\n1,2\n', "x.csv", ColumnError, (r"'a\nb'",), ("zebra",)),
    "very long name": Bad(
        b"c," + b"n" * 9999 + b"\n1,2\n", "x.csv", ColumnError, ("n" * 40 + "...'",), ("zebra",)
    ),
    "duplicate": Bad(
        b"a,b,a\n1,2,3\n",
        "x.csv",
        ColumnError,
        ("x.csv has 2 columns named 'a' (columns 1 and 3)", "own name"),
    ),
    "absent in parquet": Bad(
        parquet(y=[1], Score=[2]),
        "x.parquet",
        ColumnError,
        ("columns are 'y' and 'Score'", "'Score'"),
        ("score",),
    ),
    # options
    "delimiter of two letters": Bad(CLEAN, "x.csv", OptionError, ("one character", "'ab'"), delimiter="ab"),
    "empty delimiter": Bad(CLEAN, "x.csv", OptionError, ("one character", "''"), delimiter=""),
    "quote as delimiter": Bad(CLEAN, "x.csv", OptionError, ("cannot be a quote",), delimiter='"'),
    "newline as delimiter": Bad(CLEAN, "x.csv", OptionError, ("a line end",), delimiter="\n"),
    "half a character as delimiter": Bad(CLEAN, "x.csv", OptionError, ("delimiter",), delimiter="\udcff"),
}


def message_of(path: Path, bad: Bad) -> str:
    with pytest.raises(bad.error) as caught:
        read_table([path], bad.asked, delimiter=bad.delimiter)
    assert type(caught.value) is bad.error
    return str(caught.value)


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
def test_refused_in_one_line_that_says_what_and_where(tmp_path: Path, bad: Bad) -> None:
    path = tmp_path / bad.name
    path.write_bytes(bad.content)

    message = message_of(path, bad)

    assert all(fragment in message for fragment in bad.fragments), message
    assert message.isprintable()
    assert len(message) < 700 + 3 * len(str(path))


@pytest.mark.parametrize("chunk", [1, 6])
def test_cuts_between_chunks_do_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(delimited_text, "_CHUNK", chunk)
    for bad in BAD.values():
        if len(bad.content) < 1000:
            path = tmp_path / bad.name
            path.write_bytes(bad.content)
            message = message_of(path, bad)
            assert all(fragment in message for fragment in bad.fragments), message


class TestPaths:
    def test_no_path(self) -> None:
        with pytest.raises(FileError, match="no file was named"):
            read_table([], ["a"])

    def test_missing_with_a_close_name(self, tmp_path: Path) -> None:
        (tmp_path / "predictions.csv").write_bytes(CLEAN)
        with pytest.raises(
            FileError, match=r"there is no file .*prediction\.csv\. Hint: .*predictions\.csv\?"
        ):
            read_table([tmp_path / "prediction.csv"], ["a"])

    def test_missing_without_a_close_name(self, tmp_path: Path) -> None:
        with pytest.raises(FileError, match=r"there is no file .*x\.csv\.$"):
            column_names(tmp_path / "x.csv")

    def test_missing_folder(self, tmp_path: Path) -> None:
        with pytest.raises(FileError, match=r"there is no folder .*nowhere\.$"):
            read_table([str(tmp_path / "nowhere" / "x.csv")], ["a"])

    def test_file_used_as_a_folder(self, tmp_path: Path) -> None:
        (tmp_path / "x.csv").write_bytes(CLEAN)
        with pytest.raises(FileError, match="there is no folder"):
            read_table([tmp_path / "x.csv" / "y.csv"], ["a"])

    @pytest.mark.parametrize("name", ["folder", "folder.csv", "folder.parquet"])
    def test_folder(self, tmp_path: Path, name: str) -> None:
        (tmp_path / name).mkdir()
        with pytest.raises(FileError, match=r"is a folder, not a file"):
            read_table([tmp_path / name], ["a"])

    def test_pipe(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe.csv")
        with pytest.raises(FileError, match=r"is a pipe or a device"):
            read_table([tmp_path / "pipe.csv"], ["a"])

    @pytest.mark.parametrize("name", ["x.csv", "x.parquet"])
    def test_no_permission(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        (tmp_path / name).write_bytes(CLEAN)

        def refuse(*_: object, **__: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "open", refuse)
        with pytest.raises(FileError, match=f"no permission to read .*{name}"):
            read_table([tmp_path / name], ["a"])

    def test_other_failures_of_the_system(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "x.csv").write_bytes(CLEAN)

        def fail(*_: object, **__: object) -> None:
            raise OSError(5, "Input/output error")

        monkeypatch.setattr(Path, "open", fail)
        with pytest.raises(FileError, match=r"x\.csv cannot be read: Input/output error"):
            column_names(tmp_path / "x.csv")

    @pytest.mark.parametrize("name", ["x\0.csv", "x" * 5000 + ".csv"])
    def test_impossible_names(self, name: str) -> None:
        with pytest.raises(FileError, match=r"cannot be"):
            read_table([name], ["a"])

    def test_a_newline_in_the_name_does_not_break_the_line(self, tmp_path: Path) -> None:
        with pytest.raises(FileError) as caught:
            read_table([tmp_path / "a\nb.csv"], ["a"])
        assert str(caught.value).isprintable()


class TestHeaders:
    def test_names_do_not_need_rows(self, tmp_path: Path) -> None:
        (tmp_path / "x.csv").write_bytes(b"a,b")
        assert column_names(tmp_path / "x.csv") == ["a", "b"]

    @pytest.mark.parametrize(
        ("content", "words"),
        [(b"\n\n", "only blank lines"), (b'"a,b', "never closed"), (b"\xe9,b\n", "line 1 .* not UTF-8")],
    )
    def test_bad_headers(self, tmp_path: Path, content: bytes, words: str) -> None:
        (tmp_path / "x.csv").write_bytes(content)
        with pytest.raises(FileError, match=words):
            column_names(tmp_path / "x.csv")


class TestParts:
    def test_text_and_parquet_do_not_mix(self, tmp_path: Path) -> None:
        (tmp_path / "a.csv").write_bytes(CLEAN)
        (tmp_path / "b.parquet").write_bytes(WHOLE_PARQUET)
        with pytest.raises(FileError, match=r"a\.csv and .*b\.parquet cannot be parts of one table"):
            read_table([tmp_path / "a.csv", tmp_path / "b.parquet"], ["a"])

    def test_a_part_without_the_column_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "a.csv").write_bytes(CLEAN)
        (tmp_path / "b.csv").write_bytes(b"x,y\n1,2\n")
        with pytest.raises(ColumnError, match=r"b\.csv has no column 'a'"):
            read_table([tmp_path / "a.csv", tmp_path / "b.csv"], ["a"])

    def test_parquet_parts_of_other_types(self, tmp_path: Path) -> None:
        (tmp_path / "a.parquet").write_bytes(parquet(y=[1], s=[0.5]))
        (tmp_path / "b.parquet").write_bytes(parquet(y=["1"], s=[0.5]))
        with pytest.raises(ColumnError, match=r"'y' is Int64 in .*a\.parquet but String in .*b\.parquet"):
            read_table([tmp_path / "a.parquet", tmp_path / "b.parquet"], ["s", "y"])

    def test_parquet_with_a_name_twice(self, tmp_path: Path) -> None:
        arrays = [pyarrow.array([1]), pyarrow.array([2])]
        pyarrow.parquet.write_table(pyarrow.Table.from_arrays(arrays, ["a", "a"]), tmp_path / "x.parquet")
        with pytest.raises(ColumnError, match=r"x\.parquet has several columns of the same name"):
            read_table([tmp_path / "x.parquet"], ["a"])

    def test_parts_without_rows(self, tmp_path: Path) -> None:
        for name in ("a.csv", "b.csv"):
            (tmp_path / name).write_bytes(b"a,b\n")
        with pytest.raises(FileError, match=r"no rows in .*a\.csv and .*b\.csv, only the names"):
            read_table([tmp_path / "a.csv", tmp_path / "b.csv"], ["a"])


def test_parquet_with_flipped_bytes_is_read_or_refused_but_never_a_foreign_error(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    messages = []
    for at in range(4, len(WHOLE_PARQUET) - 4, 3):
        content = bytearray(WHOLE_PARQUET)
        content[at] ^= 0xFF
        path.write_bytes(content)
        try:
            read_table([path], ["a"])
        except (FileError, ColumnError) as error:
            messages.append(str(error))
    assert messages
    assert all(message.isprintable() for message in messages)
