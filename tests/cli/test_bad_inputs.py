"""Every bad input is one line that names the file and, where there is one, the line or column; exit code 2.

To add a case: a name, `Bad(arguments, words that must be in the line, file=content, ...)`. Names of files
are written with `__` for `.` and `___` for `/`; a call without files reads standard input from `stdin`.
"""

from __future__ import annotations

import gzip
import io
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

Content = str | bytes


class Bad:
    def __init__(self, arguments: str, *words: str, stdin: Content = b"", **files: Content) -> None:
        self.arguments = ["evaluate", *arguments.split()]
        self.words = words
        self.stdin = stdin
        self.files = {name.replace("___", "/").replace("__", "."): text for name, text in files.items()}


def of_polars(method: str, **columns: Any) -> bytes:
    file = io.BytesIO()
    getattr(pl.DataFrame(columns), method)(file)
    return file.getvalue()


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def zipped(name: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, "text")
    return file.getvalue()


def flipped(content: bytes, at: int) -> bytes:
    return content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :]


COLUMNS: dict[str, Any] = {"actual": ["a", "b", "a"], "predicted": ["a", "b", "b"]}
CSV = "actual,predicted\na,a\nb,b\na,b\n"
LINES = '{"actual": "a", "predicted": "a"}\n{"actual": "b", "predicted": "a"}\n'
ARFF = "@relation r\n@attribute actual {a,b}\n@attribute predicted {a,b}\n@data\na,a\nb,a\n"
WEKA = " inst#     actual  predicted error prediction\n     1        1:a        1:a       0.9\n"
PARQUET = of_polars("write_parquet", **COLUMNS)
ARROW = of_polars("write_ipc", **COLUMNS)
STREAM = of_polars("write_ipc_stream", **COLUMNS)
NPZ = npz(actual=np.array(["a", "b"]), predicted=np.array(["a", "a"]))
GZ = gzip.compress(CSV.encode())
HTML = "<!DOCTYPE html>\n<html><body>Not found</body></html>\n"

BAD = {
    # names
    "missing file": Bad("x.csv", "there is no file x.csv."),
    "missing file with a close name": Bad("answer.csv", "no file answer.csv", "did you mean answers.csv?"),
    "missing folder": Bad("nowhere/x.csv", "there is no file nowhere/x.csv: there is no folder nowhere."),
    "pattern without a match": Bad("part-*.csv", "no file matches part-*.csv."),
    "pattern in a missing folder": Bad("nowhere/*.csv", "no file matches nowhere/*.csv: there is no folder"),
    "empty folder": Bad("p", "the folder p holds no file of a kind that is read", p___README="x"),
    "folder of several kinds": Bad(
        "p", "several kinds, such as p/a.csv and p/b.ndjson", p___a__csv=CSV, p___b__ndjson=LINES
    ),
    "folder with a zip": Bad("p", "p/a.csv and p/b.zip", p___a__csv=CSV, p___b__zip=zipped("x")),
    "folder whose second file is bad": Bad(
        "p", "line 2 of p/b.csv has 1 field", p___a__csv=CSV, p___b__csv="actual,predicted\na\n"
    ),
    "the same file twice": Bad("x.csv ./x.csv", "the file 'x.csv' is given twice", x__csv=CSV),
    "in a pattern and by name": Bad("x*.csv x1.csv", "'x1.csv' is given twice", x1__csv=CSV),
    "unknown suffix": Bad("x.dat", "x.dat: the suffix '.dat' does not tell", "--delimiter", x__dat=CSV),
    "no suffix": Bad("x", "x: no suffix tells the format", x=CSV),
    # delimited text
    "csv of 0 bytes": Bad("x.csv", "x.csv is empty (0 bytes)", x__csv=""),
    "csv of blank lines": Bad("x.csv", "x.csv has only blank lines", x__csv="\n\n"),
    "csv without rows": Bad("x.csv", "no rows in x.csv, only the names", x__csv="actual,predicted\n"),
    "csv with a short line": Bad("x.csv", "line 5 of x.csv has 1 field; the header has 2",
                                 x__csv=CSV + "a\n"),
    "csv with a long line": Bad("x.csv", "line 5 of x.csv has 3 fields", x__csv=CSV + "a,b,c\n"),
    "csv cut short in quotes": Bad("x.csv", "opened on line 5 of x.csv", x__csv=CSV + 'a,"b'),
    "text behind a quote": Bad("x.csv", "line 5 of x.csv has text after", x__csv=CSV + '"a"b,c\n'),
    "latin-1 csv": Bad("x.csv", "line 5 of x.csv is not UTF-8", "iconv", x__csv=CSV.encode() + b"\xe9,a\n"),
    "utf-16 csv": Bad("x.csv", "x.csv holds UTF-16 text", "iconv", x__csv=CSV.encode("utf-16")),
    "utf-32 csv": Bad("x.csv", "x.csv holds UTF-32 text", x__csv=CSV.encode("utf-32")),
    "nul in csv": Bad("x.csv", "line 5 of x.csv has a NUL byte", x__csv=CSV + "\0,a\n"),
    "web page as csv": Bad("x.csv", "x.csv holds a web page (HTML)", x__csv=HTML),
    "semicolons": Bad("x.csv", "--delimiter ';'", x__csv=CSV.replace(",", ";")),
    "tabs in a csv": Bad("x.csv --actual actual --predicted predicted", "--delimiter 'tab'",
                         x__csv=CSV.replace(",", "\t")),
    "commas in a tsv": Bad("x.tsv --actual actual", "--delimiter ','", x__tsv=CSV),
    "duplicate used column": Bad(
        "x.csv", "x.csv has 2 columns named 'actual' (columns 1 and 3)",
        x__csv="actual,predicted,actual\na,a,b\n",
    ),
    "unknown column": Bad(
        "x.csv --actual Actual --predicted predicted",
        "x.csv has no column 'Actual'", "did you mean 'actual' for 'Actual'?", x__csv=CSV,
    ),
    "no column to guess": Bad("x.csv", "no column is named for the actual classes", x__csv="q,r\n1,2\n"),
    "csv without a header": Bad("x.csv --actual y --predicted p", "x.csv has no columns 'y' and 'p'",
                                "first line must hold the names", x__csv="1,0\n0,1\n"),
    "words in a score": Bad(
        "x.csv --actual y --score s", "'s'", "'high' at line 3", x__csv="y,s\n1,0.5\n0,high\n"
    ),
    "missing value": Bad("x.csv", "actual is missing in 1 of 4 rows, at line 5", x__csv=CSV + ",a\n"),
    "parquet as csv": Bad("x.csv", "x.csv holds Parquet data, not text", "x.parquet", x__csv=PARQUET),
    "arrow as csv": Bad("x.csv", "x.csv holds Arrow data, not text", "x.arrow", x__csv=ARROW),
    "arrow stream as csv": Bad("x.csv", "x.csv holds Arrow data, not text", x__csv=STREAM),
    "npz as csv": Bad("x.csv", "x.csv holds .npz data, not text", "x.npz", x__csv=NPZ),
    "json lines as csv": Bad("x.csv", "x.csv holds JSON data, not CSV", "x.ndjson", x__csv=LINES),
    "arff as csv": Bad("x.csv", "x.csv holds ARFF data, not CSV", "x.arff", x__csv=ARFF),
    "zip as csv": Bad("x.csv", "x.csv holds a zip archive", "unpack", x__csv=zipped("x.csv")),
    "workbook as csv": Bad("x.csv", "x.csv holds an Excel workbook", x__csv=zipped("xl/workbook.xml")),
    "gzip as csv": Bad("x.csv", "x.csv holds gzip-compressed data", "x.csv.gz", x__csv=GZ),
    # files that are not read
    "zip": Bad("x.zip", "x.zip: zip files are not read", "unpack it first", x__zip=zipped("x.csv")),
    "zipped csv": Bad("x.csv.zip", "zip files are not read", x__csv__zip=zipped("x.csv")),
    "bzip2": Bad("x.csv.bz2", "x.csv.bz2: bzip2-compressed files are not read", "unpack", x__csv__bz2="x"),
    "xz": Bad("x.csv.xz", "xz-compressed files are not read", "unpack", x__csv__xz="x"),
    "zstd": Bad("x.csv.zst", "zstd-compressed files are not read", "unpack", x__csv__zst="x"),
    "workbook": Bad("x.xlsx", "x.xlsx: Excel files are not read", x__xlsx=zipped("xl/workbook.xml")),
    "pickle": Bad("x.pkl", "x.pkl: pickle files are not read", x__pkl=b"\x80\x04."),
    "npy": Bad("x.npy", "x.npy: .npy files are not read", "numpy.savez", x__npy=b"\x93NUMPY"),
    # gzip
    "gz of 0 bytes": Bad("x.csv.gz", "x.csv.gz is empty (0 bytes)", x__csv__gz=""),
    "gz of nothing": Bad("x.csv.gz", "x.csv.gz holds nothing: it unpacks to 0",
                         x__csv__gz=gzip.compress(b"")),
    "gz cut short": Bad("x.csv.gz", "x.csv.gz is cut short", x__csv__gz=GZ[:-5]),
    "gz with garbage behind": Bad("x.csv.gz", "x.csv.gz has bytes that are not gzip", x__csv__gz=GZ + b"xyz"),
    "gz with a wrong checksum": Bad("x.csv.gz", "x.csv.gz is damaged", x__csv__gz=flipped(GZ, -8 + len(GZ))),
    "csv named gz": Bad("x.csv.gz", "x.csv.gz is not compressed", "rename it to x.csv.", x__csv__gz=CSV),
    "gz of parquet": Bad(
        "x.parquet.gz", "x.parquet.gz holds Parquet data inside", x__parquet__gz=gzip.compress(PARQUET)
    ),
    "gz of gz": Bad("x.csv.gz", "x.csv.gz holds gzip data inside the gzip", x__csv__gz=gzip.compress(GZ)),
    "gz of tar": Bad("x.tar.gz", "x.tar.gz: tar files are not read", x__tar__gz=GZ),
    "gz with a ragged line": Bad(
        "x.csv.gz", "line 5 of x.csv.gz has 1 field", x__csv__gz=gzip.compress(f"{CSV}a\n".encode())
    ),
    "gz of latin-1": Bad("x.csv.gz", "line 2 of x.csv.gz is not UTF-8", "gunzip -c x.csv.gz | iconv",
                         x__csv__gz=gzip.compress(b"actual,predicted\n\xe9,a\n")),
    # json
    "json lines of 0 bytes": Bad("x.ndjson", "x.ndjson is empty (0 bytes)", x__ndjson=""),
    "json lines of blank lines": Bad("x.jsonl", "x.jsonl has only blank lines", x__jsonl="\n \n"),
    "json lines cut short": Bad("x.ndjson", "line 3 of x.ndjson is not JSON", "cut short",
                                x__ndjson=LINES + '{"actual": "a'),
    "csv as json lines": Bad("x.ndjson", "line 1 of x.ndjson is not JSON", x__ndjson=CSV),
    "parquet as json lines": Bad("x.ndjson", "x.ndjson holds Parquet data, not JSON", x__ndjson=PARQUET),
    "gzip as json lines": Bad("x.ndjson", "holds gzip-compressed", "x.ndjson.gz", x__ndjson=GZ),
    "utf-16 json lines": Bad("x.ndjson", "x.ndjson holds UTF-16 text", x__ndjson=LINES.encode("utf-16")),
    "latin-1 json lines": Bad("x.ndjson", "line 1 of x.ndjson is not UTF-8",
                              x__ndjson=b'{"actual": "\xe9"}\n'),
    "nul in json lines": Bad("x.ndjson", "line 3 of x.ndjson has a NUL", x__ndjson=LINES + '{"a": "\0"}\n'),
    "not an object": Bad("x.ndjson", "line 3 of x.ndjson is a list", x__ndjson=LINES + "[1]\n"),
    "two objects on a line": Bad("x.ndjson", "line 3 of x.ndjson has text behind",
                                 x__ndjson=LINES + "{} {}\n"),
    "nan in json": Bad("x.ndjson", "line 3 of x.ndjson has NaN", "null", x__ndjson=LINES + '{"s": NaN}\n'),
    "mixed types in json": Bad("x.ndjson", "'actual' holds text at line 1 and a number at line 3",
                               x__ndjson=LINES + '{"actual": 1, "predicted": "a"}\n'),
    "object in a json column": Bad("x.ndjson", "'actual' holds an object at line 3 of x.ndjson",
                                   x__ndjson=LINES + '{"actual": {}, "predicted": "a"}\n'),
    "key twice in json": Bad("x.ndjson", "line 3 of x.ndjson has the key 'actual' 2 times",
                             x__ndjson=LINES + '{"actual": "a", "actual": "b", "predicted": "a"}\n'),
    "key missing on a json line": Bad("x.ndjson", "actual is missing in 1 of 3 rows, at line 4",
                                      x__ndjson=LINES + '\n{"predicted": "a"}\n'),
    "unknown json column": Bad("x.ndjson --actual y", "x.ndjson has no column 'y'", x__ndjson=LINES),
    "json list cut short": Bad("x.json", "x.json", "after item 1", x__json='[{"actual": "a"}'),
    "json of columns": Bad("x.json", "x.json holds a single object", x__json='{"actual": ["a", "b"]}'),
    "empty json list": Bad("x.json", "x.json holds an empty list", x__json="[]"),
    "json that is a text": Bad("x.json", "x.json holds no list of objects", x__json='"hello"'),
    # parquet
    "parquet of 0 bytes": Bad("x.parquet", "x.parquet is empty (0 bytes)", x__parquet=""),
    "parquet cut short": Bad("x.parquet", "x.parquet is cut short", x__parquet=PARQUET[:-20]),
    "parquet without rows": Bad("x.pq", "no rows in x.pq",
                                x__pq=of_polars("write_parquet", actual=[], predicted=[])),
    "damaged parquet": Bad("x.pq", "x.pq is damaged", x__pq=PARQUET[:-60] + b"\xff" * 52 + PARQUET[-8:]),
    "csv as parquet": Bad("x.parquet", "x.parquet holds text, not Parquet", "x.csv", x__parquet=CSV),
    "arrow as parquet": Bad("x.parquet", "x.parquet holds Arrow data", "x.arrow", x__parquet=ARROW),
    "zip as parquet": Bad("x.parquet", "x.parquet holds a zip archive", x__parquet=zipped("x")),
    "rubbish as parquet": Bad("x.parquet", "x.parquet is not a Parquet file", x__parquet=b"\x01\x02" * 9),
    # arrow
    "arrow of 0 bytes": Bad("x.arrow", "x.arrow is empty (0 bytes)", x__arrow=""),
    "arrow cut short": Bad("x.feather", "x.feather is cut short", x__feather=ARROW[:-9]),
    "arrow stream cut short": Bad("x.arrow", "x.arrow is cut short", x__arrow=STREAM[:-8]),
    "csv as arrow": Bad("x.arrow", "x.arrow holds text, not Arrow", x__arrow=CSV),
    "parquet as arrow": Bad("x.ipc", "x.ipc holds Parquet data, not Arrow", "x.parquet", x__ipc=PARQUET),
    "rubbish as arrow": Bad("x.arrow", "x.arrow is not an Arrow file", x__arrow=b"\x01\x02" * 9),
    "old feather": Bad("x.feather", "old Feather table (version 1)", x__feather=b"FEA1" + bytes(9)),
    "unknown arrow column": Bad("x.arrow --actual y", "x.arrow has no column 'y'", x__arrow=ARROW),
    # numpy
    "npz of 0 bytes": Bad("x.npz", "x.npz is empty (0 bytes)", x__npz=""),
    "npz cut short": Bad("x.npz", "x.npz is cut short or damaged", x__npz=NPZ[:-30]),
    "csv as npz": Bad("x.npz", "x.npz holds text, not .npz", x__npz=CSV),
    "npy as npz": Bad("x.npz", "x.npz holds a lone NumPy array", x__npz=b"\x93NUMPY\x01"),
    "npz of objects": Bad("x.npz", "array 'actual' in x.npz holds Python objects",
                          x__npz=npz(actual=np.array(["a", None]), predicted=np.array(["a", "b"]))),
    "npz of unequal lengths": Bad("x.npz", "'actual' has 3 values and 'predicted' has 2",
                                  x__npz=npz(actual=np.arange(3), predicted=np.arange(2))),
    "npz of two dimensions": Bad("x.npz --actual y --score p", "array 'p' in x.npz has the shape (2, 2)",
                                 x__npz=npz(y=np.arange(2), p=np.zeros((2, 2)))),
    # arff
    "arff of 0 bytes": Bad("x.arff", "x.arff is empty (0 bytes)", x__arff=""),
    "arff without rows": Bad("x.arff", "no rows in x.arff", x__arff=ARFF[: ARFF.index("a,a\n")]),
    "arff without data": Bad("x.arff", "x.arff has no @data line",
                             x__arff="@relation r\n@attribute a real\n"),
    "csv as arff": Bad("x.arff", "line 1 of x.arff: expected @relation", x__arff=CSV),
    "arff with an unknown label": Bad("x.arff", "line 7 of x.arff has 'c' for 'actual'",
                                      x__arff=ARFF + "c,a\n"),
    "arff with a short line": Bad("x.arff", "line 7 of x.arff has 1 value", x__arff=ARFF + "a\n"),
    "arff with an unclosed quote": Bad("x.arff", "line 7 of x.arff has a quote", x__arff=ARFF + "'a,a\n"),
    "arff with an unknown type": Bad("x.arff", "line 1 of x.arff: attribute 'q' has the unknown type 'int'",
                                     x__arff="@attribute q int\n" + ARFF),
    "arff with a relational attribute": Bad("x.arff", "line 1 of x.arff: 'q' is a relational",
                                            x__arff="@attribute q relational\n" + ARFF),
    "arff with weights": Bad("x.arff", "line 7 of x.arff gives its row the weight 0.5",
                             x__arff=ARFF + "a,a,{0.5}\n"),
    "arff with a bad sparse row": Bad("x.arff", "line 7 of x.arff has the position '9'",
                                      x__arff=ARFF + "{9 a}\n"),
    "arff with a missing value": Bad("x.arff", "actual is missing in 1 of 3 rows, at line 7",
                                     x__arff=ARFF + "?,a\n"),
    "latin-1 arff": Bad("x.arff", "line 7 of x.arff is not UTF-8", x__arff=ARFF.encode() + b"\xe9,a\n"),
    # weka
    "weka without rows": Bad("x.txt", "no rows in x.txt", x__txt=WEKA.split("\n")[0] + "\n"),
    "weka cut short": Bad("x.txt", "line 3 of x.txt is not a row", x__txt=WEKA + "     2     1:a"),
    "weka with two tables": Bad("x.txt", "begins on line 3 of x.txt", x__txt=WEKA + WEKA),
    "weka of a number": Bad("x.txt", "x.txt holds predictions of a number",
                            x__txt=" inst#     actual  predicted      error\n"),
    "weka with missing classes": Bad("x.out", "actual is missing in 1 of 2 rows, at line 3",
                                     x__out=WEKA + "     2        1:?        1:a       0.9\n"),
    "weka csv with a ragged line": Bad("x.csv", "line 2 of x.csv is not a row of WEKA",
                                       x__csv="inst#,actual,predicted,error,prediction\n1,1:a\n"),
    # parts
    "parts of two kinds": Bad("x.csv y.parquet", "x.csv and y.parquet cannot be parts of one table",
                              x__csv=CSV, y__parquet=PARQUET),
    "a part without the column": Bad("x.csv y.csv", "y.csv has no columns 'actual' and 'predicted'",
                                     x__csv=CSV, y__csv="q\n1\n"),
    "parts of other types": Bad(
        "x.pq y.pq", "column 'actual' is String in x.pq but Int64 in y.pq",
        x__pq=PARQUET, y__pq=of_polars("write_parquet", actual=[1], predicted=[1]),
    ),
    "a missing part": Bad("x.csv y.csv", "there is no file y.csv", x__csv=CSV),
    "a bad line in the second part": Bad(
        "x.csv y.csv --actual y --score s", "line 2 of y.csv", x__csv="y,s\n1,1\n", y__csv="y,s\n1,q\n"
    ),
    # standard input
    "nothing on standard input": Bad("-", "standard input is empty (0 bytes)"),
    "ragged standard input": Bad("-", "line 5 of standard input has 1 field", stdin=CSV + "a\n"),
    "json on standard input": Bad("-", "line 3 of standard input is not JSON", stdin=LINES + "{"),
    "json list on standard input": Bad("-", "item 1 of standard input is not JSON", stdin='[{"a" 1}]'),
    "arff on standard input": Bad("-", "line 7 of standard input has 'c'", stdin=ARFF + "c,a\n"),
    "weka on standard input": Bad("-", "line 3 of standard input is not a row", stdin=WEKA + "     2\n"),
    "parquet on standard input": Bad("-", "standard input is cut short", stdin=PARQUET[:-9]),
    "arrow on standard input": Bad("-", "standard input is cut short", stdin=STREAM[:-9]),
    "npz on standard input": Bad("-", "standard input is cut short or damaged", stdin=NPZ[:-9]),
    "gzip on standard input": Bad("-", "line 5 of standard input has 1 field",
                                  stdin=gzip.compress(f"{CSV}a\n".encode())),
    "packed json on standard input": Bad("-", "line 3 of standard input is not JSON",
                                         stdin=gzip.compress(f"{LINES}x\n".encode())),
    "gzip cut short on standard input": Bad("-", "standard input is cut short", stdin=GZ[:-4]),
    "packed latin-1 on standard input": Bad("-", "line 2 of standard input is not UTF-8",
                                            "... | gunzip | iconv -f latin1 -t utf-8 | tallymark ...",
                                            stdin=gzip.compress(b"actual,predicted\n\xe9,a\n")),
    "zip on standard input": Bad("-", "standard input holds a zip archive", stdin=zipped("x.csv")),
    "web page on standard input": Bad("-", "standard input holds a web page", stdin=HTML),
}  # fmt: skip


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
def test_bad_input_is_one_clear_line(run: Any, bad: Bad) -> None:
    for name, content in bad.files.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())

    result = run(*bad.arguments, stdin=bad.stdin)

    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("tallymark: ")
    assert result.err.endswith("\n")
    assert result.err[:-1].isprintable()
    assert all(words in result.err for words in bad.words), result.err
    assert tempfile.gettempdir() not in result.err


GOOD = {
    "x.csv": CSV,
    "x.csv.gz": GZ,
    "x.tsv": CSV.replace(",", "\t"),
    "x.ndjson": "".join(
        f'{{"actual": "{a}", "predicted": "{p}"}}\n' for a, p in zip("aba", "abb", strict=True)
    ),
    "x.json": '[{"actual": "a", "predicted": "a"}, {"actual": "b", "predicted": "b"}, '
    '{"actual": "a", "predicted": "b"}]',
    "x.parquet": PARQUET,
    "x.arrow": ARROW,
    "x.ipc": STREAM,
    "x.npz": npz(**{name: np.array(values) for name, values in COLUMNS.items()}),
    "x.arff": "% words\n@relation r\n@attribute predicted {b,a}\n@attribute actual {a,b}\n@data\n"
    "a,a\n{1 b}\nb,a\n",
    "x.txt": "=== Predictions on test data ===\n\n inst#     actual  predicted error prediction\n"
    "     1        1:a        1:a       0.9\n     2        2:b        2:b       0.8\n"
    "     3        1:a        2:b   +   0.7\n",
}


@pytest.mark.parametrize("name", GOOD)
def test_the_good_twins_give_one_answer_from_files_and_from_standard_input(run: Any, name: str) -> None:
    content = GOOD[name]
    data = content if isinstance(content, bytes) else content.encode()
    Path(name).write_bytes(data)
    delimiter = ["--delimiter", "tab"] if name == "x.tsv" else []
    for result in (
        run("evaluate", name, "--json"),
        run("evaluate", "-", "--json", *delimiter, stdin=data),
        run("evaluate", "-", "--json", *delimiter, stdin=gzip.compress(data)) if name in PACKABLE else None,
    ):
        if result is not None:
            assert result.json["confusion"] == {"labels": ["a", "b"], "matrix": [[1, 1], [0, 1]]}


PACKABLE = ("x.csv", "x.tsv", "x.ndjson", "x.json", "x.arff", "x.txt")


def test_a_pattern_and_a_folder_say_how_many_files_they_mean(run: Any) -> None:
    Path("p").mkdir()
    Path("p/1.csv").write_text(CSV)
    Path("p/2.csv").write_text(CSV)
    for given in ("p", "p/*.csv"):
        form = run("evaluate", given, "--json").json
        assert form["rows"] == 6
        assert any("2 files, parts of one table" in note for note in form["notes"])
