"""Compressed text is read as the text itself; whatever is lost, added or damaged is an error."""

import errno
import gzip
import io
import os
import re
import sys
import tempfile
from pathlib import Path

import polars as pl
import pytest
from inputs import IN_PIECES, counts, of_contents, refused, written

import tallymark as tm
from collected import each
from scored import classes
from tallymark.cli import main

CSV = b"a,b\n1,2\n3,4\n"
ARFF = b"@relation r\n@attribute a real\n@attribute b real\n@data\n1,2\n3,4\n"
LINES = b'{"a": 1, "b": 2}\n{"a": 3, "b": 4}\n'
LIST = b'[{"a": 1, "b": 2}, {"a": 3, "b": 4}]'
ASKED = {"actual": "a", "predicted": "b"}
ROWS = {(1, 2): 1, (3, 4): 1}


def packed(content):
    return gzip.compress(content, mtime=0)


def of_polars(form):
    file = io.BytesIO()
    getattr(pl.DataFrame({"a": [1, 3], "b": [2, 4]}), f"write_{form}")(file)
    return file.getvalue()


@each(
    "name, content",
    [
        ("x.csv.gz", packed(CSV)),
        ("x.CSV.GZ", packed(CSV)),
        ("x.tsv.gz", packed(CSV.replace(b",", b"\t"))),
        ("x.ndjson.gz", packed(LINES)),
        ("x.jsonl.gz", packed(LINES)),
        ("x.json.gz", packed(LIST)),
        ("x.arff.gz", packed(ARFF)),
        ("streams one behind the other.csv.gz", packed(CSV[:8]) + packed(CSV[8:])),
        ("padded with zeros.csv.gz", packed(CSV) + b"\0" * 100),
    ],
)
def test_every_text_format(name, content):
    path = written(content, name)
    for count in (tm.evaluate, tm.tally):
        assert counts(count, path, **ASKED)[1] == ROWS
        assert counts(count, [path, str(Path(written(content, f"in {name}/{name}")).parent)], **ASKED)[3] == 4


def test_pieces_of_several_packed_files(monkeypatch):
    """One is unpacked at a time, and nothing is left behind."""
    scratch = Path("scratch")
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    text = b"a,b,c\n" + (b'"x\n",2,' + b"z" * 30_000 + b"\n") * 50
    parts = [written(packed(text), "one.csv.gz"), written(text, "two.csv")]
    parts += [written(packed(text + b"9,9,\n"), "three.csv.gz")]
    at_once = counts(tm.evaluate, parts, **ASKED)
    assert at_once[1] == {("x\n", "2"): 150, ("9", "9"): 1}
    wrong = refused({"": lambda: tm.evaluate(parts, actual="a", score="b", labels=["9", "y"])})
    latin = written(packed(text + b"5,caf\xe9,\n"), "latin.csv.gz")
    other = written(packed(b"z,b\n1,1\n"), "other.csv.gz")
    bad = {"latin": [parts[0], latin], "other": [parts[0], other]}
    said = refused({name: lambda paths=paths: tm.evaluate(paths, **ASKED) for name, paths in bad.items()})
    assert classes(said) == {"latin": "FileError", "other": "ColumnError"}
    assert re.search(r"\b102\b", said["latin"])
    asked = ASKED | IN_PIECES
    assert counts(tm.tally, parts, **asked) == at_once
    again = refused({name: lambda paths=paths: tm.tally(paths, **asked) for name, paths in bad.items()})
    assert again == said
    labels = {"actual": "a", "score": "b", "labels": ["9", "y"], **IN_PIECES}
    assert refused({"": lambda: tm.evaluate(parts, **labels)}) == wrong
    assert not list(scratch.iterdir())


BAD = {
    "cut by a byte": packed(CSV)[:-1],
    "cut behind its head": packed(CSV)[:12],
    "cut in its head": packed(CSV)[:3],
    "bytes behind": packed(CSV) + b"and more",
    "a wrong checksum": packed(CSV)[:-8] + bytes(8),
    "plain text": CSV,
    "nothing in it": packed(b""),
    "0 bytes": b"",
    "gzip in gzip": packed(packed(CSV)),
    "Parquet in gzip": packed(of_polars("parquet")),
    "ragged": packed(b"a,b\n1\n"),
    "latin-1": packed(b"a,b\n1,\xe9\n"),
    "JSON": packed(LINES),
    "ARFF": packed(ARFF),
}


def test_what_is_lost_added_or_damaged(snapshot):
    found = of_contents(BAD, "my x.csv.gz", **ASKED)
    tar, gz = written(packed(CSV), "x.tar.gz"), written(packed(CSV), "x.gz")
    found |= refused(
        {"tar": lambda: tm.evaluate(tar, **ASKED), "no suffix": lambda: tm.evaluate(gz, **ASKED)}
    )
    assert set(classes(found).values()) == {"FileError"}
    assert counts(tm.evaluate, gz, **ASKED, delimiter=",")[1] == ROWS
    whole = packed(CSV)
    shorter = {str(length): whole[:length] for length in range(len(whole))}
    assert set(classes(of_contents(shorter, "x.csv.gz", **ASKED)).values()) == {"FileError"}
    assert set(classes(of_contents(shorter, "x.csv.gz", tm.tally, **ASKED)).values()) == {"FileError"}
    assert of_contents(BAD, "my x.csv.gz", tm.tally, **ASKED).items() <= found.items()
    snapshot("errors_input_compressed", found)


PIPED = {
    "Arrow": of_polars("ipc"), "an Arrow stream": of_polars("ipc_stream"), "packed csv": packed(CSV),
    "JSON lines": b"\xef\xbb\xbf\n " + LINES, "a JSON list": LIST, "packed JSON lines": packed(LINES),
    "ARFF": b"% words\n%\n" + ARFF.replace(b"@relation", b"@Relation"), "packed ARFF": packed(ARFF),
    "a header in braces": b"{set},a,b\n0,1,2\n0,3,4\n", "a header with %": b"% of,a,b\n0,1,2\n0,3,4\n",
}  # fmt: skip


def test_data_without_a_name_is_recognised_by_its_beginning(monkeypatch):
    words = ["tally", "-", "--actual", "a", "--predicted", "b", "-o", "x.tally", "--force", "--quiet"]
    for name, content in PIPED.items():
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert main(words) == 0, name
        assert counts(tm.Tally.load, "x.tally")[1] == ROWS, name
    for content in (b"", b"\x1f\x8brubbish", packed(CSV)[:12]):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert main(words) == 2


@each("number", [errno.ENOSPC, errno.EDQUOT, errno.EISDIR])
def test_a_disk_that_is_full_of_temporary_files(number, monkeypatch):
    """Only what has to do with room is told as such: anything else stays what it is."""
    path, opened = written(packed(CSV), "x.csv.gz"), Path.open

    class Full(io.BytesIO):
        def write(self, _):
            raise OSError(number, os.strerror(number))

    def full(place, mode="r", **more):
        return Full() if "w" in mode or "x" in mode else opened(place, mode, **more)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", full)
        for count in (tm.evaluate, tm.tally):
            with pytest.raises(tm.FileError) as caught:
                count(path, **ASKED)
            has_hint = "TMPDIR" in str(caught.value.hint) and tempfile.gettempdir() in caught.value.message
            assert has_hint == (number != errno.EISDIR)
