"""Delimited text: what is read is what Python's csv module reads, with empty fields missing."""

import csv
import io
import random
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from inputs import IN_PIECES, as_text, by_csv, counts, cut_csv, naive, of_contents, refusals, rows_of, written

import tallymark as tm
from collected import each
from scored import classes

LONG = "x" * 300_000
GOOD: dict[str, bytes] = {
    "plain": b"a,b\n1,2\n3,4\n5,6\n7,8\n",
    "byte order mark before a quoted name": b'\xef\xbb\xbf"a","b\nc"\n1,2\n3,4\n',
    "byte order mark later, where it is text": b"a,b\n1,2\n\xef\xbb\xbf3,4\n\xef\xbb\xbf5,6\n",
    "windows line ends": b"a,b\r\n1,2\r\n3,4\r\n",
    "windows line ends and quotes": b'a,b\r\n"1","2"\r\n"3",""\r\n',
    "old mac line ends": b"a,b\r1,2\r3,4\r",
    "old mac line ends and quotes": b'a,b\r"1\r",2\r3,"4,\r"\r5,6',
    "mixed line ends": b"a,b\r\n1,2\n3,4\r5,6\n7,8\r\n",
    "doubled returns, as Windows writes by mistake": b"a,b\r\r\n1,2\r\r\n3,4\r\r\n",
    "newlines in quotes": b'a,b\n"1\nx",2\n3,"4\n\n5"\n"\n","\n\n"\n7,8\n',
    "doubled quotes": b'a,b\n"x""y",""""\n"""x\n""","2"\n"""\n""",""""""\n',
    "quotes inside unquoted fields": b'a,b\n5" pipe,2\n3,4" x\n"5\n",6\n7,the "big\n',
    "odd quote before quoted newlines": b'a,b\n1,6"\n3,"4\n5\n6"\n7,"8"\n9,10"\n',
    "accents and emoji": "größe,b\nçà,日本\n🐈,é\n".encode(),
    "other line separators are text": "a,b\nx\x85y,\u2028z\x0b\x0c\n".encode(),
    "very long field": f"a,b\n{LONG},2\n".encode(),
    "very long quoted field": f'a,b\n"{LONG}\n{LONG}",2\n'.encode(),
    "very long field beside an inner quote": f'a,b\n{LONG},5" pipe\n'.encode(),
    "a long quoted field of many lines": b"a,b\n" + b"x" * 500 + b',"' + b"y\n" * 200 + b'"\n1,2\n',
    "a long header": b"a,b" + b"x" * 300 + b"\n1,2\n3,4\n",
    "blank lines at the end, windows": b'a,b\r\n1,2\r\n3,"4"\r\n\r\n\r\n',
    "blank lines between": b"\n\na,b\n\n1,2\n\n\n3,4\n\n5,6\n",
    "empty fields": b'a,b\n5,6\n1,\n,2\n,\n"",""\n3,',
    "quoted empty fields": b'a,b\n1,2\n"",2\n3,""\n"",""\n',
    "words for missing stay words": b"a,b\nNA,null\nNone,nan\nNaN,NULL\n",
    "text as written": b"a,b\n007,1.0\n x , y\n1e5,+1\nTrue,0x1F\n",
    "hash is no comment": b"#a,b\n#1,2\n",
    "only one row": b"a,b\n1,2",
    "many columns": b",".join(b"c%d" % i for i in range(300)) + b"\n" + b",".join([b"7"] * 300) + b"\n",
    "names that occur twice where nobody asks": b"a,b,c,c\n1,2,3,4\n",
    "a header that begins as Parquet does": b"PAR1,b\n1,2\n",
    "a header that begins as old Feather does": b"FEA1,b\n7,2\n",
}


@each("content", GOOD.values(), ids=GOOD)
def test_rows_are_those_of_the_csv_module_at_once_and_in_pieces(content: bytes) -> None:
    for text in (content, cut_csv(content)):
        header, rows = by_csv(text)
        asked = {"actual": header[0], "predicted": header[1], "missing": "drop", **as_text(rows)}
        path = written(text)
        assert counts(tm.evaluate, path, **asked)[1:3] == naive(rows)
        assert counts(tm.tally, path, **asked, **IN_PIECES) == counts(tm.evaluate, path, **asked)


def test_a_large_file_is_read_in_order() -> None:
    """Longer than any block, with quotes that make the quick reader give up, and ids in their order."""
    draw = random.Random(5)
    words = ["cat", "dog, the", 'a "b"', "two\nlines", "ü", "\r\n"]
    rows = [[draw.choice(words), draw.choice(words), str(place)] for place in range(25_000)]
    file = io.StringIO()
    csv.writer(file).writerows([["y", "p", "id"], *rows])
    for text in (file.getvalue(), file.getvalue() + 'ü,5" pipe,x\n'):
        written(text)
        actual, predicted = rows_of("x.csv", actual="y", predicted="p", id="id")
        expected = by_csv(text.encode())[1]
        assert [list(row) for row in zip(actual, predicted, strict=True)] == [row[:2] for row in expected]


def test_any_text_is_read_as_the_csv_module_does_or_refused() -> None:
    draw, wrong = random.Random(1), []
    soups = ["".join(draw.choices('ab ,"\r\n', k=draw.randrange(40))) for _ in range(100)]
    asked: dict[str, Any] = {"actual": "a", "predicted": "b", "missing": "drop"}
    for soup in ['"1","2', "1,2,3\n4\n", '1,"2\n3,"\r4,5\n', *soups]:
        content = (draw.choice(["a,b\n", "a,b,c\r\n"]) + soup).encode()
        for text in (content, cut_csv(content, [draw.randrange(1 + len(soup))])):
            path = written(text)
            try:
                header, rows = by_csv(text)
            except (csv.Error, ValueError):
                header, rows = [], []
            (cells, lost), more = naive(rows), asked | as_text(rows) if rows else asked
            at_once = counts(tm.evaluate, path, **more)
            error = "FileError" if not rows or header in rows else "" if cells else "MissingValueError"
            good = at_once[0] == error if error else at_once[1:3] == (cells, lost)
            if not good or counts(tm.tally, path, **more, **IN_PIECES) != at_once:
                wrong.append((text.replace(b"z" * 100, b""), at_once))
    assert not wrong


@given(data=st.data())
def test_what_csv_writer_writes_comes_back(data: st.DataObject) -> None:
    letters = st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff")
    words = st.text(letters, max_size=8) | st.text('",;\t\r\n a', max_size=4)
    width = data.draw(st.integers(2, 4))
    header = data.draw(st.lists(words, min_size=width, max_size=width, unique=True))
    row = st.lists(words, min_size=width, max_size=width).filter(lambda row: row != header)
    drawn = [*data.draw(st.lists(row, min_size=1, max_size=8)), ["x"] * width]
    delimiter = data.draw(st.sampled_from([",", ";", "\t", "|"]))
    end, quoting = data.draw(
        st.sampled_from([("\r\n", csv.QUOTE_MINIMAL), ("\n", csv.QUOTE_ALL), ("\r", csv.QUOTE_ALL)])
    )
    actual, predicted = data.draw(st.permutations(header))[:2]
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter, lineterminator=end, quoting=quoting).writerows([header, *drawn])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.csv"
        path.write_bytes(file.getvalue().encode(data.draw(st.sampled_from(["utf-8", "utf-8-sig"]))))
        rows = [[line[header.index(name)] or None for name in (actual, predicted)] for line in drawn]
        asked = {"actual": actual, "predicted": predicted, "delimiter": delimiter, "missing": "drop"}
        assert counts(tm.evaluate, path, **asked, **as_text(rows))[1:3] == naive(rows)


SIGNS = [*((name, None, "\t") for name in ("x.tsv", "x.tab", "x.TSV")), ("x.csv", ";", ";")]
SIGNS += [("x.csv", "tab", "\t"), ("x.csv", "\\t", "\t"), ("x.txt", "|", "|"), ("x", ":", ":")]
SIGNS += [("x.dat", "\x01", "\x01"), ("x.txt", "§", "§"), ("x.txt", "€", "€")]


@each("name, delimiter, sign", SIGNS)
def test_delimiters(name: str, delimiter: str | None, sign: str) -> None:
    content = 'a:b:c\n1,2:"x:\ny":3\n:"":"p""q"\nu:"":"p""q\n"\n4" x:5:6\n'.replace(":", sign)
    asked = {"actual": "a", "predicted": "c", "delimiter": delimiter, "missing": "drop"}
    path = written(content, name)
    expected = {("1,2", "3"): 1, ("u", 'p"q\n'): 1, ('4" x', "6"): 1}
    assert counts(tm.evaluate, path, **asked)[1:3] == (expected, {"missing_actual": 1})
    if len(sign.encode()) == 1:
        written(cut_csv(content.encode(), [1, 8, 20], sign), name)
        at_once = counts(tm.evaluate, path, **asked)
        assert (counts(tm.tally, path, **asked, **IN_PIECES), at_once[1]["1,2", "3"]) == (at_once, 3)


@each("name", ["a [1]*.csv", "é ü.csv", "~x.csv", "a=b.csv", "%20.csv", "-.csv"])
def test_odd_names_of_files(name: str) -> None:
    assert tm.evaluate(written("y,p\nu,v\n", name), actual="y", predicted="p").labels == ("u", "v")


def test_names_of_columns_are_taken_as_written() -> None:
    path = written('Score, score,"score ",,\nu,v,w,x,y\n')
    assert rows_of(path, actual="score ", predicted=" score") == (["w"], ["v"])
    assert classes(refusals({"twice": (path,)}, actual="Score", predicted="")) == {"twice": "ColumnError"}


BANG: dict[str, bytes] = {
    "one": b"a,b\n1,!\n3,4\n",
    "three": b"a,b\n1,2\n1,!\n1,2\n1,2\n1,2\n1,!\n1,!\n",
    "three and 2 more": b"a,b\n1,2\n1,!\n1,2\n1,2\n1,2\n1,!\n1,!\n1,!\n1,!\n",
    "three and 1,997 more": b"a,b\n" + b"1,!\n" * 2000,
    "mixed line ends": b"a,b\r\n1,2\r3,4\n5,!\n",
    "behind lines in quotes": b'a,b\n"1\n\nx",!\n3,!\n',
    "behind a header of two lines": b'"a",b,"c\nx"\n1,!,2\n',
    "behind blank lines": b"\n\na,b\n\n1,!\n\n3,!\n",
    "behind an odd quote": b'a,b\n5" pipe,2\n3,!\n',
    "behind a byte order mark and lines of all kinds": (
        b'\xef\xbb\xbf\na,b\n1,!\r\n"x\n\n",!\n\n3,4\r5,6\n7,!'
    ),
}


def test_lines_are_those_on_which_records_begin(snapshot: Any) -> None:
    asked = {"actual": "a", "score": "b"}
    found = of_contents(BANG, "x.csv", **asked)
    assert of_contents(BANG, "x.csv", tm.tally, **asked) == found
    cut = {name: cut_csv(text.replace(b"1,!\n" * 2000, b"1,!\n" * 9)) for name, text in BANG.items()}
    at_once, in_pieces = asked | {"pos_label": "1"}, asked | {"pos_label": "1"} | IN_PIECES
    assert of_contents(cut, "x.csv", tm.tally, **in_pieces) == of_contents(cut, "x.csv", **at_once)
    assert set(classes(found).values()) == {"ColumnError"}
    parts = [written("a,b\n1,!\n1,!\n", "one.csv"), written("a,b\n1,!\n1,!\n1,!\n", "two.csv")]
    same = [written("a,b\n1,2\n", "u/p.csv"), written("a,b\n1,!\n", "v/p.csv")]
    several = {"of several parts": (parts,), "of parts of one name": (same,)}
    found |= refusals(several, **asked)
    snapshot("errors_input_places", found | refusals(several, **asked))
