"""Delimited text that cannot be read: refused with what is wrong and where, at once and in pieces alike."""

import bz2
import gzip
import io
import zipfile
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from inputs import IN_PIECES, counts, cut_csv, of_contents, refused, written

import tallymark as tm
from collected import each
from scored import classes

ASKED = {"actual": "a", "predicted": "b"}
CLEAN = b"a,b,c\n1,2,3\n"


def zipped(*names: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, "text")
    return file.getvalue()


def made(write: Callable[[pl.DataFrame], Callable[..., Any]]) -> bytes:
    file = io.BytesIO()
    write(pl.DataFrame({"a": [1, 2, 3], "b": [1, 1, 2]}))(file)
    return file.getvalue()


PARQUET, ARROW = made(lambda frame: frame.write_parquet), made(lambda frame: frame.write_ipc)
BAD: dict[str, bytes] = {
    "short line": CLEAN + b"4,5\n6,7,8\n", "long line": CLEAN + b"4,5,6,7\n",
    "a short and a long line cancel out": CLEAN + b"4,5\n6,7,8,9\n",
    "all lines longer than the header": b"a,b\n1,2,3\n4,5,6\n", "line of blanks": b"a,b\n1,2\n  \n",
    "quoted empty alone on a line": b'a,b\n1,2\n""\n',
    "short line after quoted newlines": b'a,b\n"1\n\n1",2\n3\n',
    "short line after blank lines": b"\na,b\n\n\n1,2\n\n3\n",
    "short line after mixed line ends": b"a,b\r\n1,2\r3,4\n5,6\r\n\n7\n",
    "blank before a quote": b'a,b\n1, "x,y"\n', "unclosed quote": b'a,b\n1,2\n3,"4\n5,6\n7,8\n',
    "unclosed quote, even number of quotes": b'a,b\n1,5" x\n3,"4\n',
    "unclosed quote later in a record of many lines": b'a,b\n"1\n\n1","2\n3,4\n',
    "unclosed quote in the header": b'a,"b\n1,2\n',
    "text after a closing quote": b'a,b\n1,2\n3,4\n"x"y,2\n5,6\n',
    "blank after a closing quote": b'a,b\n"x" ,2\n',
    "stray quote that swallows lines": b'a,b\n0,0\n1,"2\n3,4\n5,"x"\n',
    "latin-1": b"a,b\n1,2\n3,4\n5,caf\xe9\n6,7\n",
    "latin-1 in a column nobody asked for": b"a,b,c\n1,2,\xe9\n",
    "latin-1 in the header": b"gr\xf6\xdfe,a,b\n1,2,3\n",
    "cut in the middle of a character": b"a,b\n1,2\n3,\xc3",
    "utf-16 with its mark": "a,b\n1,2\n".encode("utf-16"),
    "utf-16 big-endian with its mark": b"\xfe\xff" + "a,b\n1,2\n".encode("utf-16-be"),
    "utf-16 without a mark": "a,b\n1,2\n".encode("utf-16-le"),
    "utf-16 big-endian without a mark": "a,b\n1,2\n".encode("utf-16-be"),
    "utf-32": "a,b\n1,2\n".encode("utf-32"), "nul byte": b"a,b\n1,2\n3,\x004\n",
    "nul byte in a ragged file": b"a,b\n1\n3,\x004\n", "nul bytes at the end": b"a,b\n1,2\n" + b"\0" * 9,
    "binary rubbish": b"a,b\n\x00\xff\xfe\x81" * 9, "0 bytes": b"", "blank lines only": b"\n\r\n\n",
    "byte order mark only": b"\xef\xbb\xbf", "header only": b"a,b\n", "header and blank lines": b"a,b\n\n\n",
    "a header that is repeated": b"a,b\n1,2\na,b\n3,4\n", "Parquet in it": PARQUET, "Arrow in it": ARROW,
    "gzip in it": gzip.compress(CLEAN, mtime=0), "a zip archive in it": zipped("x.csv"),
    "a workbook in it": zipped("[Content_Types].xml", "xl/workbook.xml"), "JSON lines in it": b'{"a": 1}\n',
    "a JSON list in it": b'[{"a": 1}]', "ARFF in it": b"% c\n@RELATION x\n",
    "a web page in it": b"\n<!DOCTYPE html>\n<html>",
}  # fmt: skip
FAR_DOWN = {
    "ragged far down": b"a,b\n" + b"1,2222222222\n" * 100_000 + b"3\n",
    "latin-1 far down": b"a,b\r\n" + b"1,2222222222\r\n" * 100_000 + b"\xfc,2\r\n",
}


def test_what_is_no_table_is_refused_with_its_line(snapshot: Any) -> None:
    found = of_contents(BAD | FAR_DOWN, "x.csv", **ASKED)
    assert set(classes(found).values()) == {"FileError"}
    assert of_contents(BAD, "x.csv", tm.tally, **ASKED).items() <= found.items()
    for place in (1, 4, 9):
        long = {name: text for name, text in BAD.items() if text.startswith(b"a,b") and len(text) > 6}
        cut = {name: cut_csv(text, [place]) for name, text in long.items()}
        at_once = of_contents(cut, "x.csv", **ASKED)
        in_pieces = of_contents(cut, "x.csv", tm.tally, **ASKED, **IN_PIECES)
        # of two faults the first is told when the other is in a later piece
        other = {name for name in cut if in_pieces[name] != at_once[name]}
        assert other <= {"nul byte in a ragged file"}, place
        assert {*classes(in_pieces).values()} == {"FileError"}
    again = of_contents(FAR_DOWN, "x.csv", tm.tally, **ASKED, **IN_PIECES)
    assert again == {name: found[name] for name in FAR_DOWN}
    tabs = {"long line in tabs": b"a\tb\n1\t2\n1\t2\t3\n"}
    snapshot("errors_input_text_files", found | of_contents(tabs, "x.tsv", **ASKED))


@pytest.mark.parametrize("kind", ["columns", "kinds", "delimiters"])
def test_names_of_columns_and_of_files_are_looked_at_first(kind: str, snapshot: Any) -> None:
    def asking(name: str, content: bytes, **asked: Any) -> Callable[[], Any]:
        return lambda: tm.evaluate(written(content, name), **(ASKED | asked))

    many = ",".join(f"c{i}" for i in range(40)).encode() + b"\n" + b"1," * 39 + b"1\n"
    columns = {
        "absent": asking("x.csv", CLEAN, actual="zebra"),
        "two absent": asking("x.csv", CLEAN, actual="zebra", predicted="yak"),
        "absent among many": asking("x.csv", many, actual="zebra"),
        "other case": asking("x.csv", b"Score,b\n1,2\n", actual="score"),
        "surrounding blank": asking("x.csv", b"b, score\n1,2\n", actual="score"),
        "typing error": asking("x.csv", b"predicted,b\n1,2\n", actual="pred1cted"),
        "tabs in a csv": asking("x.csv", b"a\tb\n1\t2\n"),
        "commas in a tsv": asking("x.tsv", b"a,b\n1,2\n"),
        "no header line": asking("x.csv", b"1,0.5\n0,0.25\n"),
        "newline in a name": asking("x.csv", b'"a\nb",c\n1,2\n', actual="zebra"),
        "very long name": asking("x.csv", b"c," + b"n" * 9999 + b"\n1,2\n", actual="zebra"),
        "duplicate": asking("x.csv", b"a,b,a\n1,2,3\n"),
        "a part without it": lambda: tm.evaluate([written(CLEAN), written(b"b,y\n1,2\n", "y.csv")], **ASKED),
    }
    contents = {"x": CLEAN, "x.txt": CLEAN, "x.data": CLEAN, "x.zip": zipped("x.csv"), "x.tar": b"x"}
    contents |= {"x.csv.bz2": bz2.compress(CLEAN), "x.xlsx": zipped("xl/workbook.xml")}
    contents |= {"x.npy": b"\x93NUMPY", "x.pkl": b"\x80\x04."}
    kinds = {name: asking(name, content) for name, content in contents.items()}
    kinds["Parquet in txt"] = asking("x.txt", PARQUET, delimiter=",")
    signs = ("ab", "", '"', "\n", "\udcff")
    delimiters = {f"delimiter {sign!r}": asking("x.csv", CLEAN, delimiter=sign) for sign in signs}
    expected = {"columns": (columns, "ColumnError"), "kinds": (kinds, "FileError")}
    expected["delimiters"] = delimiters, "OptionError"
    found = refused(expected[kind][0])
    assert {*classes(found).values()} == {expected[kind][1]}
    snapshot(f"errors_input_{kind}_of_files", found)


def test_paths_that_lead_to_no_file(snapshot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    written(CLEAN, "predictions.csv")
    for name in ("folder", "folder.csv", "folder.parquet"):
        Path(name).mkdir()
    names = ["prediction.csv", "zebra.csv", "nowhere/x.csv", "predictions.csv/y.csv", "folder.csv"]
    names += ["folder.parquet", "folder", "/dev/null", "x\0.csv", "x" * 300 + ".csv", "a\nb.csv"]
    calls: dict[str, Any] = {repr(name)[:60]: lambda name=name: tm.evaluate(name, **ASKED) for name in names}
    calls["no file"] = lambda: tm.evaluate([], **ASKED)
    found = refused(calls)
    assert set(classes(found).values()) == {"FileError", "OptionError"}

    written(CLEAN), written(PARQUET, "x.parquet")
    opened = Path.open

    def failing(error: OSError) -> Callable[..., Any]:
        def fail(place: Path, *options: Any, **more: Any) -> Any:
            # Not by chmod, for root may read everything.
            if place.name in ("x.csv", "x.parquet"):
                raise error
            return opened(place, *options, **more)

        return fail

    errors = (PermissionError(13, "Permission denied"), OSError(5, "Input/output error"))
    for count, name, error in product((tm.evaluate, tm.tally), ("x.csv", "x.parquet"), errors):
        with monkeypatch.context() as patched:
            patched.setattr(Path, "open", failing(error))
            case = f"{error.strerror}: {name} for {count.__name__}"
            found |= refused({case: lambda count=count, name=name: count(name, **ASKED)})
    snapshot("errors_input_paths", found)


@each("count", [tm.evaluate, tm.tally])
def test_files_of_every_text_kind_need_a_row(count: Any) -> None:
    for name in ("a.csv", "b.csv"):
        written(b"a,b\n", name)
    with pytest.raises(tm.FileError):
        count(["a.csv", "b.csv"], **ASKED)
    written(CLEAN, "c.csv")
    assert counts(count, ["a.csv", "c.csv"], **ASKED)[1] == {(1, 2): 1}
