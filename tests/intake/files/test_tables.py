"""Good files: what read_table gives back is what Python's csv module reads, with empty fields as nulls."""

from __future__ import annotations

import csv
import io
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tallymark.errors import FileError
from tallymark.intake.files import delimited_text
from tallymark.intake.files.tables import Table, column_names, read_table

Row = list[str | None]


def with_csv_module(content: bytes, delimiter: str = ",") -> tuple[list[str], list[Row]]:
    """Header and rows by the csv module in its strict mode; ragged rows raise ValueError."""
    file = io.StringIO(content.decode("utf-8-sig"), newline="")
    limit = csv.field_size_limit(10_000_000)
    try:
        records = list(csv.reader(file, delimiter=delimiter, strict=True))
    finally:
        csv.field_size_limit(limit)
    header: list[str] = []
    rows: list[Row] = []
    for record in records:
        if not header:
            header = record
        elif record or len(header) == 1:
            fields = record or [""]
            if len(fields) != len(header):
                raise ValueError("ragged")
            rows.append([field or None for field in fields])
    return header, rows


def written(folder: Path, content: bytes, name: str = "data.csv") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def values(table: Table) -> list[Row]:
    return [list(row) for row in table.frame.rows()]


LONG = "x" * 300_000
GOOD: dict[str, bytes] = {
    "plain": b"a,b\n1,2\n3,4\n",
    "no final newline": b"a,b\n1,2\n3,4",
    "byte order mark": b"\xef\xbb\xbfa,b\n1,2\n",
    "byte order mark before a quoted name": b'\xef\xbb\xbf"a",b\n1,2\n',
    "windows line ends": b"a,b\r\n1,2\r\n3,4\r\n",
    "windows line ends and quotes": b'a,b\r\n"1","2"\r\n"3",""\r\n',
    "old mac line ends": b"a,b\r1,2\r3,4\r",
    "old mac line ends, no final one": b"a,b\r1,2\r3,4",
    "mixed line ends": b"a,b\r\n1,2\n3,4\r5,6\n7,8\r\n",
    "doubled returns, as Windows writes by mistake": b"a,b\r\r\n1,2\r\r\n3,4\r\r\n",
    "newline in quotes": b'a,b\n"1\nx",2\n3,"4\n\n5"\n',
    "windows newline in quotes": b'a,b\r\n"1\r\nx",2\r\n',
    "lone return in quotes": b'a,b\n"1\rx",2\n',
    "delimiter in quotes": b'a,b\n"a,b",2\n",",","\n',
    "doubled quotes": b'a,b\n"x""y",""""\n"""x""","2"\n',
    "quote inside an unquoted field": b'a,b\n5" pipe,2\n3,4" x\n',
    "balanced quotes inside an unquoted field": b'a,b\nthe "big" one,2\n',
    "odd quote inside an unquoted field": b'a,b\n1,6"\n3,"4"\n',
    "quoted header": b'"a","b"\n1,2\n',
    "header of two lines": b'"a\nx",b\n1,2\n',
    "accents and emoji": "größe,b\nçà,日本\n🐈,é\n".encode(),
    "other line separators are text": "a,b\nx\x85y,\u2028z\x0b\x0c\n".encode(),
    "very long field": f"a,b\n{LONG},2\n".encode(),
    "very long quoted field": f'a,b\n"{LONG}\n{LONG}",2\n'.encode(),
    "very long field beside an inner quote": f'a,b\n{LONG},5" pipe\n'.encode(),
    "one column": b"a\n1\n2\n",
    "one column with a blank line": b"a\n1\n\n2\n",
    "one column under blank lines": b"\r\n\na\n1\n2\n",
    "one column with blank lines at the end": b"a\n1\n\n\n",
    "one column with a blank line, windows": b"a\r\n1\r\n\r\n2\r\n",
    "one column with a quoted empty": b'a\n1\n""\n2\n',
    "one column of one blank line": b"a\n\n",
    "trailing blank lines": b"a,b\n1,2\n\n\n\n",
    "trailing blank lines, windows": b"a,b\r\n1,2\r\n\r\n\r\n",
    "trailing blank lines after a quote": b'a,b\n1,"2"\n\n\n',
    "blank lines between": b"a,b\n1,2\n\n\n3,4\n",
    "blank lines before the header": b"\n\na,b\n1,2\n",
    "blank lines before the header, windows": b"\r\n\r\na,b\r\n1,2\r\n",
    "empty fields": b"a,b\n1,\n,2\n,\n",
    "quoted empty fields": b'a,b\n"",2\n3,""\n"",""\n',
    "empty last field at the end": b"a,b\n1,2\n3,",
    "words for missing stay words": b"a,b\nNA,null\nNone,nan\nNaN,NULL\n",
    "text as written": b"a,b\n007,1.0\n x , y\n1e5,+1\nTrue,0x1F\n",
    "hash is no comment": b"#a,b\n#1,2\n",
    "delimiter-like signs": b"a;x,b|y\n1;2,3|4\n",
    "only one row": b"a,b\n1,2",
    "many columns": b",".join(b"c%d" % i for i in range(300)) + b"\n" + b",".join([b"7"] * 300) + b"\n",
    "nameless columns": b"a,,c\n1,2,3\n",
}


class TestAgainstTheCsvModule:
    @pytest.mark.parametrize("content", GOOD.values(), ids=GOOD.keys())
    def test_same_names_and_values(self, tmp_path: Path, content: bytes) -> None:
        path = written(tmp_path, content)
        header, rows = with_csv_module(content)

        table = read_table([path], header)

        assert column_names(path) == header
        assert table.text
        assert table.frame.columns == header
        assert set(table.frame.dtypes) == {pl.String}
        assert values(table) == rows

    @pytest.mark.parametrize("chunk", [1, 5, 16])
    def test_cuts_between_chunks_do_not_matter(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
    ) -> None:
        monkeypatch.setattr(delimited_text, "_CHUNK", chunk)
        for content in GOOD.values():
            header, rows = with_csv_module(content)
            assert values(read_table([written(tmp_path, content)], header)) == rows

    @pytest.mark.parametrize(
        ("name", "delimiter", "sign"),
        [
            ("x.tsv", None, "\t"),
            ("x.tab", None, "\t"),
            ("x.TSV", None, "\t"),
            ("x.csv", ";", ";"),
            ("x.csv", "tab", "\t"),
            ("x.csv", "\\t", "\t"),
            ("x.txt", "|", "|"),
            ("x", " ", " "),
            ("x.dat", "\x01", "\x01"),
            ("x.txt", "§", "§"),
        ],
    )
    def test_delimiters(self, tmp_path: Path, name: str, delimiter: str | None, sign: str) -> None:
        content = 'a:b:c\n1,2:"x:y":3\n:"":"p""q"\n'.replace(":", sign).encode()
        path = written(tmp_path, content, name)

        table = read_table([path], ["c", "a", "b"], delimiter=delimiter)

        assert column_names(path, delimiter=delimiter) == ["a", "b", "c"]
        assert values(table) == [["3", "1,2", f"x{sign}y"], ['p"q', None, None]]

    def test_large_file_is_read_in_order(self, tmp_path: Path) -> None:
        draw = random.Random(5)
        pieces = ["cat", "dog, the", 'a "b"', "two\nlines", "", "ü", "\r\n"]
        rows = [[str(i), draw.choice(pieces), draw.choice(pieces)] for i in range(40_000)]
        file = io.StringIO()
        csv.writer(file).writerows([["id", "y", "p"], *rows])

        table = read_table([written(tmp_path, file.getvalue().encode())], ["id", "y", "p"])

        assert values(table) == [[field or None for field in row] for row in rows]

    @pytest.mark.parametrize("name", ["a [1]*.csv", "é ü.csv", "~x.csv", "a=b.csv", "%20.csv", "-.csv"])
    def test_odd_file_names(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        written(tmp_path, b"a,b\n1,2\n", name)
        monkeypatch.chdir(tmp_path)
        assert values(read_table([name], ["b"])) == [["2"]]


# letters, quotes, delimiters and line ends in every order: what one reads the other reads
SOUP = st.text(alphabet='ab ,"\r\n', max_size=40)


class TestLaws:
    @settings(max_examples=400, deadline=None)
    @given(content=st.builds("".join, st.tuples(st.sampled_from(["a,b\n", "a\n", "a,b,c\r\n"]), SOUP)))
    @example(content='a,b\n"1","2')
    @example(content="a,b\n1,2,3\n4\n")
    def test_any_text_is_read_as_the_csv_module_does_or_refused(self, content: str) -> None:
        raw = content.encode()
        with tempfile.TemporaryDirectory() as folder:
            path = written(Path(folder), raw)
            try:
                header, rows = with_csv_module(raw)
            except (csv.Error, ValueError):
                with pytest.raises(FileError, match=r"line \d+"):
                    read_table([path], ["a"])
                return
            if not rows:
                with pytest.raises(FileError, match="no rows"):
                    read_table([path], ["a"])
                return
            if header in rows:
                with pytest.raises(FileError, match="repeats the header"):
                    read_table([path], header)
                return
            assert values(read_table([path], header)) == rows

    @settings(max_examples=100, deadline=None)
    @given(data=st.data())
    def test_what_csv_writer_writes_comes_back(self, data: st.DataObject) -> None:
        letters = st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff")
        words = st.text(letters, max_size=8) | st.text('",;\t\r\n a', max_size=4)
        width = data.draw(st.integers(1, 4))
        header = data.draw(st.lists(words, min_size=width, max_size=width, unique=True))
        row = st.lists(words, min_size=width, max_size=width).filter(lambda row: row != header)
        rows = data.draw(st.lists(row, min_size=1, max_size=8))
        delimiter = data.draw(st.sampled_from([",", ";", "\t", "|"]))
        end, quoting = data.draw(
            st.sampled_from([("\r\n", csv.QUOTE_MINIMAL), ("\n", csv.QUOTE_ALL), ("\r", csv.QUOTE_ALL)])
        )
        encoding = data.draw(st.sampled_from(["utf-8", "utf-8-sig"]))
        asked = data.draw(st.permutations(header))[: data.draw(st.integers(1, width))]
        file = io.StringIO(newline="")
        writer = csv.writer(file, delimiter=delimiter, lineterminator=end, quoting=quoting)
        writer.writerows([header, *rows])
        with tempfile.TemporaryDirectory() as folder:
            path = written(Path(folder), file.getvalue().encode(encoding))

            table = read_table([path], asked, delimiter=delimiter)

        expected = [[row[header.index(name)] or None for name in asked] for row in rows]
        assert table.frame.columns == asked
        assert values(table) == expected


class TestColumns:
    def test_asked_order_and_nothing_else(self, tmp_path: Path) -> None:
        table = read_table([written(tmp_path, b"a,b,c\n1,2,3\n")], ["c", "a"])
        assert table.frame.columns == ["c", "a"]
        assert values(table) == [["3", "1"]]

    def test_a_name_asked_twice_comes_once(self, tmp_path: Path) -> None:
        table = read_table([written(tmp_path, b"a,b\n1,2\n")], ["b", "b", "a"])
        assert table.frame.columns == ["b", "a"]

    @pytest.mark.parametrize(
        "content", [b"a,b,a\n1,2,3\n", b"a,b,a,a_duplicated_0\n1,2,3,4\n", b",b,\n1,2,3\n"]
    )
    def test_duplicates_that_are_not_asked_for_are_fine(self, tmp_path: Path, content: bytes) -> None:
        path = written(tmp_path, content)
        assert values(read_table([path], ["b"])) == [["2"]]
        assert column_names(path) == content.decode().split("\n")[0].split(",")

    def test_names_are_taken_as_written(self, tmp_path: Path) -> None:
        path = written(tmp_path, b'Score, score,"score "\n1,2,3\n')
        assert column_names(path) == ["Score", " score", "score "]
        assert values(read_table([path], ["score ", " score"])) == [["3", "2"]]


class TestParts:
    def test_in_the_order_given(self, tmp_path: Path) -> None:
        one = written(tmp_path, b"a,b\n1,2\n", "one.csv")
        two = written(tmp_path, b"b\ta\tc\n4\t3\t0\n6\t5\t0\n", "two.tsv")
        table = read_table([two, one], ["a", "b"])
        assert values(table) == [["3", "4"], ["5", "6"], ["1", "2"]]

    def test_a_part_may_have_no_rows(self, tmp_path: Path) -> None:
        one, two = written(tmp_path, b"a,b\n", "one.csv"), written(tmp_path, b"a,b\n1,2\n", "two.csv")
        assert values(read_table([one, two], ["a"])) == [["1"]]


class TestParquet:
    def test_types_are_kept(self, tmp_path: Path) -> None:
        frame = pl.DataFrame({"y": [0, 1], "s": [0.5, None], "t": ["", "x"], "flag": [True, False]})
        frame.write_parquet(tmp_path / "x.parquet")
        table = read_table([tmp_path / "x.parquet"], ["s", "y", "t"])
        assert not table.text
        assert table.frame.equals(frame.select("s", "y", "t"))
        assert table.frame.dtypes == [pl.Float64, pl.Int64, pl.String]
        assert column_names(tmp_path / "x.parquet") == ["y", "s", "t", "flag"]

    def test_parts(self, tmp_path: Path) -> None:
        for name, labels in (("a.parquet", ["x", "y"]), ("b.PQ", ["z"])):
            frame = pl.DataFrame({"y": labels}, schema={"y": pl.Categorical})
            frame.write_parquet(tmp_path / name)
        table = read_table([tmp_path / "a.parquet", tmp_path / "b.PQ"], ["y"])
        assert table.frame["y"].cast(pl.String).to_list() == ["x", "y", "z"]
        assert table.where([2]) == "row 1 of b.PQ"

    def test_a_folder_named_like_a_partition_adds_no_column(self, tmp_path: Path) -> None:
        folder = tmp_path / "day=7"
        folder.mkdir()
        pl.DataFrame({"y": [1]}).write_parquet(folder / "x.parquet")
        assert column_names(folder / "x.parquet") == ["y"]
        assert read_table([folder / "x.parquet"], ["y"]).frame.rows() == [(1,)]

    def test_a_csv_whose_header_begins_like_parquet(self, tmp_path: Path) -> None:
        assert values(read_table([written(tmp_path, b"PAR1,b\n1,2\n")], ["PAR1"])) == [["1"]]
        assert values(read_table([written(tmp_path, b"PAR1\n7\n")], ["PAR1"])) == [["7"]]
        assert values(read_table([written(tmp_path, b"PARENT,b\n7,2\n")], ["PARENT"])) == [["7"]]
        assert values(read_table([written(tmp_path, b"FEA1,b\n7,2\n")], ["FEA1"])) == [["7"]]


class TestWhere:
    @pytest.mark.parametrize(
        ("content", "rows", "words"),
        [
            (b"a,b\n1,2\n3,4\n", [0], "line 2"),
            (b"a,b\n1,2\n3,4\n", [1, 0], "lines 2 and 3"),
            (b"a,b\n1,2\n3,4\n", [1, 1], "line 3"),
            (b"a,b\n" + b"1,2\n" * 9, [1, 5, 6], "lines 3, 7 and 8"),
            (b"a,b\n" + b"1,2\n" * 9, [8, 6, 5, 1, 7], "lines 3, 7, 8 and 2 more"),
            (b"a,b\n" + b"1,2\n" * 2000, range(2000), "lines 2, 3, 4 and 1,997 more"),
            (b"a,b\r\n1,2\r\n3,4\r\n", [1], "line 3"),
            (b"a,b\r1,2\r3,4\r", [1], "line 3"),
            (b"a,b\r\n1,2\r3,4\n5,6\n", [2], "line 4"),
            (b'a,b\n"1\n\nx",2\n3,4\n', [0, 1], "lines 2 and 5"),
            (b'"a\nx",b\n1,2\n', [0], "line 3"),
            (b"\n\na,b\n\n1,2\n\n3,4\n", [0, 1], "lines 5 and 7"),
            (b"a\n1\n\n3\n", [1, 2], "lines 3 and 4"),
            (b'a,b\n5" pipe,2\n3,4\n', [1], "line 3"),
        ],
    )
    def test_line_on_which_the_record_starts(
        self, tmp_path: Path, content: bytes, rows: Sequence[int], words: str
    ) -> None:
        path = written(tmp_path, content)
        assert read_table([path], column_names(path)[-1:]).where(rows) == words

    @pytest.mark.parametrize(
        ("rows", "words"),
        [
            ([0], "line 2 of one.csv"),
            ([3], "line 3 of two.csv"),
            ([0, 1], "lines 2 and 3 of one.csv"),
            ([1, 2, 3], "line 3 of one.csv and lines 2 and 3 of two.csv"),
            ([0, 1, 2, 3, 4], "lines 2 and 3 of one.csv, line 2 of two.csv and 2 more"),
        ],
    )
    def test_with_several_parts(self, tmp_path: Path, rows: list[int], words: str) -> None:
        one = written(tmp_path, b"a\n1\n2\n", "one.csv")
        two = written(tmp_path, b"a\n1\n2\n3\n", "two.csv")
        assert read_table([one, two], ["a"]).where(rows) == words

    def test_parts_of_the_same_name_are_told_apart(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        for folder in (Path("x"), Path("y")):
            folder.mkdir()
            written(folder, b"a\n1\n", "p.csv")
        table = read_table([Path("x/p.csv"), "y/p.csv"], ["a"])
        assert table.where([1]) == f"line 2 of {Path('y/p.csv')}"

    def test_parquet_counts_rows_from_one(self, tmp_path: Path) -> None:
        pl.DataFrame({"y": [5, 6, 7]}).write_parquet(tmp_path / "x.pq")
        table = read_table([tmp_path / "x.pq"], ["y"])
        assert table.where([0, 2]) == "rows 1 and 3"


class TestSpeed:
    def test_clean_file_needs_no_plain_pass(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Empty fields, quotes, Windows line ends and blank last lines are all left to Polars."""

        def refuse(*_: object) -> pl.DataFrame:
            raise AssertionError("a plain pass was made")

        monkeypatch.setattr(delimited_text, "_read_carefully", refuse)
        for content in (
            b'a,b\r\n"x, y",\r\n,"p""q\n"\r\n\r\n\r\n',
            b"a,b\n1,\n,2",
            b"\xef\xbb\xbfa,b\n\xc3\xa9,2\n",
        ):
            assert values(read_table([written(tmp_path, content)], ["a", "b"])) == with_csv_module(content)[1]
