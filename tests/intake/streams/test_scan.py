"""Pieces put together are the table that is read at once, wherever blocks end; so are the complaints."""

from __future__ import annotations

import gzip
import io
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tallymark.errors import ColumnError, FileError, TallymarkError
from tallymark.intake.files.tables import column_names, read_table
from tallymark.intake.streams import parquet_rows
from tallymark.intake.streams.scan import Scan, scan_files


def written(folder: Path, content: bytes | str, name: str = "data.csv") -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def together(scan: Scan) -> pl.DataFrame:
    """All pieces under each other, read by two threads."""
    with ThreadPoolExecutor(2) as pool:
        return pl.concat(pool.map(lambda piece: piece.read(), scan.pieces()), how="vertical_relaxed")


def in_turn(scan: Scan) -> None:
    for piece in scan.pieces():
        piece.read()


def outcome(
    paths: Sequence[Path], columns: Sequence[str], delimiter: str | None, block: int | None
) -> object:
    """The rows, or the words and the hint of what is wrong with them; read at once without block."""
    try:
        if block is None:
            return read_table(paths, columns, delimiter=delimiter).frame.rows()
        with scan_files(paths, columns, delimiter=delimiter, block=block) as scan:
            return together(scan).rows()
    except TallymarkError as error:
        return type(error), error.message, error.hint


TEXTS: dict[str, bytes] = {
    "plain": b"a,b\n1,2\n3,4\n5,6\n7,8\n",
    "no final newline": b"a,b\n1,2\n3,4",
    "byte order mark": b"\xef\xbb\xbfa,b\n1,2\n3,4\n",
    "byte order mark before a quoted name": b'\xef\xbb\xbf"a","b\nc"\n1,2\n3,4\n',
    "byte order mark later, where it is text": b"a,b\n1,2\n\xef\xbb\xbf3,4\n\xef\xbb\xbf5,6\n",
    "windows line ends": b"a,b\r\n1,2\r\n3,4\r\n",
    "old mac line ends": b"a,b\r1,2\r3,4\r5,6\r7,8\r",
    "old mac line ends and quotes": b'a,b\r"1\r",2\r3,"4,\r"\r5,6',
    "mixed line ends": b"a,b\r\n1,2\n3,4\r5,6\n7,8\r\n",
    "doubled returns": b"a,b\r\r\n1,2\r\r\n3,4\r\r\n",
    "newlines in quotes": b'a,b\n"1\nx",2\n3,"4\n\n5"\n"\n","\n\n"\n7,8\n',
    "windows newline in quotes": b'a,b\r\n"1\r\nx",2\r\n"\r\n","\r"\r\n',
    "delimiters in quotes": b'a,b\n"a,b",2\n",",","\n5,6\n',
    "doubled quotes": b'a,b\n"x""y",""""\n"""x\n""","2"\n"""\n""",""""""\n',
    "quotes inside unquoted fields": b'a,b\n5" pipe,2\n3,4" x\n"5\n",6\n7,the "big\n',
    "odd quote before quoted newlines": b'a,b\n1,6"\n3,"4\n5\n6"\n7,"8"\n9,10"\n',
    "accents": "größe,b\nçà,日本\n🐈,é\n".encode(),
    "one column with blank lines": b"a\n1\n\n2\n\n\n3\n\n",
    "one column of blank lines": b"a\n\n\n\n",
    "one column with blank lines, windows": b"a\r\n1\r\n\r\n2\r\n\r\n",
    "one column, quoted empty": b'a\n1\n""\n2\n',
    "one column under blank lines": b"\r\n\na\n1\n2\n",
    "blank lines at the end": b"a,b\n1,2\n3,4\n\n\n\n",
    "blank lines at the end, windows": b'a,b\r\n1,2\r\n3,"4"\r\n\r\n\r\n',
    "blank lines between": b"\n\na,b\n\n1,2\n\n\n3,4\n\n5,6\n",
    "empty fields": b'a,b\n1,\n,2\n,\n"",""\n3,',
    "words for missing stay words": b"a,b\nNA,null\nnan,NULL\n",
    "a long field": b"a,b\n" + b"x" * 500 + b',"' + b"y\n" * 200 + b'"\n1,2\n',
    "a long header": b"a,b" + b"x" * 300 + b"\n1,2\n3,4\n",
    # refused
    "short line": b"a,b\n1,2\n3,4\n5\n7,8\n",
    "long line": b"a,b\n1,2\n3,4\n5,6\n7,8,9\n",
    "short line after quoted newlines": b'a,b\n"1\n\n1",2\n3,4\n5\n',
    "short line after mixed line ends": b"a,b\r\n1,2\r3,4\n5,6\r\n\n7\n",
    "short line, old mac": b"a,b\r1,2\r3,4\r5\r",
    "unclosed quote": b'a,b\n1,2\n3,"4\n5,6\n7,8\n',
    "unclosed quote in the header": b'a,"b\n1,2\n',
    "text after a closing quote": b'a,b\n1,2\n3,4\n"x"y,2\n5,6\n',
    "stray quote that swallows lines": b'a,b\n0,0\n1,"2\n3,4\n5,"x"\n',
    "latin-1": b"a,b\n1,2\n3,4\n5,caf\xe9\n6,7\n",
    "half a character at the end": b"a,b\n1,2\n3,\xc3",
    "a NUL": b"a,b\n1,2\n3,4\n5,6\0\n",
    "only a header": b"a,b\n",
    "only a header and blank lines": b"a,b\n\n\n\n",
    "only blank lines": b"\n\n\n",
}


class TestDelimitedText:
    @pytest.mark.parametrize("content", TEXTS.values(), ids=TEXTS.keys())
    def test_as_read_at_once(self, tmp_path: Path, content: bytes) -> None:
        path = written(tmp_path, content)
        try:
            columns = column_names(path)
        except FileError:
            columns = ["a"]
        expected = outcome([path], columns, None, None)
        for block in (1, 2, 3, 5, 8, 13, 64, 1 << 24):
            assert outcome([path], columns, None, block) == expected

    # letters, quotes, delimiters and line ends in every order
    @settings(max_examples=150, deadline=None)
    @given(
        content=st.builds(
            "".join,
            st.tuples(st.sampled_from(["a,b\n", "a\n", "a,b,c\r\n"]), st.text('ab ,"\r\n', max_size=40)),
        ),
        block=st.integers(1, 40),
    )
    @example(content='a,b\n1,"2\n3,"\r4,5\n', block=9)
    def test_any_text(self, content: str, block: int) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = written(Path(folder), content)
            assert outcome([path], ["a"], None, block) == outcome([path], ["a"], None, None)

    @pytest.mark.parametrize("delimiter", [";", "tab", "|", "§", "€"])
    def test_delimiters(self, tmp_path: Path, delimiter: str) -> None:
        sign = "\t" if delimiter == "tab" else delimiter
        text = 'a:b:c\n1,2:"x:\ny":3\n:"":"p""q\n"\n4" x:5:6\n7:8:9\n'.replace(":", sign)
        path = written(tmp_path, text, "x.txt")
        expected = outcome([path], ["c", "a"], delimiter, None)
        assert expected == [("3", "1,2"), ('p"q\n', None), ("6", '4" x'), ("9", "7")]
        for block in range(1, 20):
            assert outcome([path], ["c", "a"], delimiter, block) == expected

    def test_compressed(self, tmp_path: Path) -> None:
        lines = b"a,b\n" + b'"x\n",2\n' * 50
        paths = [
            written(tmp_path, gzip.compress(lines), "one.csv.gz"),
            written(tmp_path, lines, "two.csv"),
            written(tmp_path, gzip.compress(lines + b"9,9\n"), "three.csv.gz"),
        ]
        with scan_files(paths, ["b", "a"], block=30) as scan:
            assert [together(scan).rows() for _ in range(2)] == [[("2", "x\n")] * 150 + [("9", "9")]] * 2
            assert sum(piece.bytes for piece in scan.pieces()) == scan.bytes
            assert scan.where([(2, 50), (0, 1)]) == "line 4 of one.csv.gz and line 102 of three.csv.gz"
        latin = written(tmp_path, gzip.compress(lines + b"5,caf\xe9\n"), "latin.csv.gz")
        assert outcome([latin], ["a"], None, 30) == outcome([latin], ["a"], None, None)
        assert "line 102 of " in str(outcome([latin], ["a"], None, 30))

    def test_blocks_of_short_lines_are_smaller(self, tmp_path: Path) -> None:
        path = written(tmp_path, b"a\n" + b"1\n" * 3_000_000)
        with scan_files([path], ["a"]) as scan:
            heights = [piece.read().height for piece in scan.pieces()]
        assert sum(heights) == 3_000_000
        assert max(heights) <= 1_100_000

    def test_a_record_that_never_ends(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tallymark.intake.streams.blocks.LONGEST", 1000)
        path = written(tmp_path, b"a,b\n1,2\n" + b'3,"' + b"4,5\n" * 1000)
        with scan_files([path], ["a"], block=100) as scan, pytest.raises(FileError) as caught:
            together(scan)
        assert caught.value.message.startswith(f"the record that begins on line 3 of {path} is longer than")


JSON: dict[str, str] = {
    "plain": '{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n{"a": 3, "b": null}\n',
    "whole and broken numbers": '{"a": 1, "b": 1}\n{"a": 2, "b": 0.5}\n{"a": 3, "b": 2}\n',
    "no final newline, windows": '{"a": 1, "b": true}\r\n{"a": 2, "b": false}',
    "byte order mark": '\ufeff{"a": 1, "b": "x"}\n{"a": 2, "b": "\ufeff"}\n',
    "keys missing and lines blank": '\n{"a": 1}\n\n\n{"b": "x"}\n{"b": "y", "a": null}\n\n',
    "newlines written in text": '{"a": 1, "b": "x\\ny"}\n{"a": 2, "b": "\\""}\n',
    # refused
    "not JSON": '{"a": 1, "b": 2}\n\n{"a": 1, "b": 2}\n{"a": 1, "b": }\n',
    "a key twice": '{"a": 1, "b": 2}\n{"a": 1, "b": 2, "a": 3}\n',
    "cut short": '{"a": 1, "b": 2}\n{"a": 1, "b": 2}\n{"a": 1',
    "an object as value": '{"a": 1, "b": 2}\n{"a": 1, "b": {}}\n',
    "text and numbers in one block": '{"a": 1, "b": 2}\n{"a": "1", "b": 2}\n',
    "half a character": '{"a": 1, "b": "x"}\n{"a": 1, "b": "\\ud800"}\n',
    "a number too long": '{"a": 1, "b": 1}\n\n{"a": 1, "b": 1' + "0" * 40 + "}\n",
}


class TestJsonLines:
    @pytest.mark.parametrize("content", JSON.values(), ids=JSON.keys())
    def test_as_read_at_once(self, tmp_path: Path, content: str) -> None:
        path = written(tmp_path, content, "x.ndjson")
        expected = outcome([path], ["b", "a"], None, None)
        for block in (1, 7, 30, 50, 1 << 24):
            assert outcome([path], ["b", "a"], None, block) == expected

    @pytest.mark.parametrize("block", [1, 45])
    def test_text_and_numbers_in_two_blocks(self, tmp_path: Path, block: int) -> None:
        lines = ['{"a": null}', '{"a": 1}', "", '{"a": 2}', '{"a": null}', '{"a": "x"}']
        path = written(tmp_path, "\n".join(lines), "x.ndjson")
        with scan_files([path], ["a"], block=block) as scan, pytest.raises(TallymarkError) as caught:
            in_turn(scan)
        assert caught.value.message == f"column 'a' holds a number at line 2 and text at line 6 of {path}."
        assert caught.value.hint == "write all values of a column in the same way."

    def test_what_was_read_first_is_no_matter(self, tmp_path: Path) -> None:
        one = written(tmp_path, '{"a": 1}\n{"a": 2}\n{"a": "x"}\n', "one.ndjson")
        with scan_files([one], ["a"], block=1) as scan:
            first, *_, last = scan.pieces()
            last.read()
            with pytest.raises(ColumnError) as caught:
                first.read()
        assert caught.value.message == f"column 'a' holds a number at line 1 and text at line 3 of {one}."
        two = written(tmp_path, '{"a": "x"}\n', "two.ndjson")
        three = written(tmp_path, '{"a": 1}\n', "three.ndjson")
        with scan_files([two, three], ["a"]) as scan:
            first, last = scan.pieces()
            last.read()
            with pytest.raises(ColumnError) as caught:
                first.read()
        assert caught.value.message == f"column 'a' is String in {two} but Int64 in {three}."

    def test_text_and_numbers_in_two_files(self, tmp_path: Path) -> None:
        one = written(tmp_path, '{"a": 1}\n{"a": 0.5}\n', "one.ndjson")
        two = written(tmp_path, '{"a": "1"}\n', "two.ndjson")
        expected = outcome([one, two], ["a"], None, None)
        with scan_files([one, two], ["a"], block=1) as scan, pytest.raises(ColumnError) as caught:
            in_turn(scan)
        assert caught.value.message == f"column 'a' is Float64 in {one} but String in {two}."
        assert expected == (ColumnError, caught.value.message, caught.value.hint)


def frame(rows: int) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "y": [place % 2 for place in range(rows)],
            "s": [place / 7 if place % 5 else None for place in range(rows)],
            "t": [f"label {place % 3}" for place in range(rows)],
        }
    )


class TestParquetAndArrow:
    @pytest.mark.parametrize("group", [1, 3, 10, 100])
    def test_row_groups_of_any_size(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, group: int
    ) -> None:
        monkeypatch.setattr(parquet_rows, "MOST_ROWS", 10)
        expected, path = frame(100), tmp_path / "x.parquet"
        expected.write_parquet(path, row_group_size=group)
        with scan_files([path], ["s", "y"]) as scan:
            assert not scan.text
            assert scan.rows == 100
            assert scan.types == {"s": pl.Float64, "y": pl.Int64}
            pieces = list(scan.pieces())
            frames = [piece.read() for piece in pieces]
        assert pl.concat(frames).equals(expected.select("s", "y"))
        # a group of 100 is long: it is read in larger slices
        assert max(each.height for each in frames) <= (40 if group == 100 else 10)
        assert len(frames) <= 15
        assert sum(piece.bytes for piece in pieces) == scan.bytes == path.stat().st_size

    def test_a_footer_that_is_too_long_to_look_at(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(parquet_rows, "MOST_ROWS", 30)
        monkeypatch.setattr(parquet_rows, "_LARGEST_FOOTER", 10)
        frame(100).write_parquet(tmp_path / "x.parquet", row_group_size=7)
        with scan_files([tmp_path / "x.parquet"], ["t"]) as scan:
            frames = [piece.read() for piece in scan.pieces()]
        assert [each.height for each in frames] == [25, 25, 25, 25]
        assert pl.concat(frames).equals(frame(100).select("t"))

    def test_little_memory_makes_short_pieces(self, tmp_path: Path) -> None:
        path = tmp_path / "x.parquet"
        pl.DataFrame({"y": range(150_000)}).write_parquet(path, row_group_size=150_000)
        for memory, heights in ((1 << 40, [150_000]), (1 << 27, [75_000] * 2), (1 << 20, [50_000] * 3)):
            with scan_files([path], ["y"], memory=memory) as scan:
                assert [piece.read().height for piece in scan.pieces()] == heights

    def test_many_columns_make_short_pieces(self) -> None:
        assert parquet_rows.rows_at_once(3) == 1 << 20
        assert parquet_rows.rows_at_once(64) == 1 << 16

    @pytest.mark.parametrize("stream", [False, True])
    @pytest.mark.parametrize("batch", [3, 40, 100])
    def test_record_batches(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch: int, stream: bool
    ) -> None:
        import pyarrow

        monkeypatch.setattr(parquet_rows, "MOST_ROWS", 10)
        table = frame(100).with_columns(pl.col("t").cast(pl.Categorical)).to_arrow()
        opened = pyarrow.ipc.new_stream if stream else pyarrow.ipc.new_file
        path = tmp_path / "x.arrow"
        with opened(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=batch)
        with scan_files([path], ["t", "y"]) as scan:
            assert scan.rows == 100
            pieces = list(scan.pieces())
            frames = [piece.read().with_columns(pl.col("t").cast(pl.String)) for piece in pieces]
        assert pl.concat(frames).equals(frame(100).select("t", "y"))
        assert max(each.height for each in frames) == (10 if batch == 3 else batch)
        assert sum(piece.bytes for piece in pieces) == scan.bytes

    def test_what_polars_writes(self, tmp_path: Path) -> None:
        for name, write in (("x.arrow", frame(9).write_ipc), ("y.arrow", frame(9).write_ipc_stream)):
            write(tmp_path / name)
            with scan_files([tmp_path / name], ["t", "s"]) as scan:
                assert together(scan).equals(frame(9).select("t", "s"))

    def test_types_of_parts_are_widened(self, tmp_path: Path) -> None:
        paths = []
        for place, dtype in enumerate((pl.Int8, pl.Int64, pl.Null)):
            paths.append(tmp_path / f"{place}.parquet")
            pl.DataFrame({"y": [1, 0] if dtype != pl.Null else [None]}, schema={"y": dtype}).write_parquet(
                paths[-1]
            )
        with scan_files(paths, ["y"]) as scan:
            assert scan.types == {"y": pl.Int64}
            assert {piece.read().schema["y"] for piece in scan.pieces()} == {pl.Int64()}

    @pytest.mark.parametrize("suffix", ["parquet", "arrow"])
    def test_parts_without_rows(self, tmp_path: Path, suffix: str) -> None:
        paths = [tmp_path / f"{place}.{suffix}" for place in range(3)]
        for path, rows in zip(paths, (0, 4, 0), strict=True):
            part = frame(4).head(rows)
            part.write_parquet(path) if suffix == "parquet" else part.write_ipc(path)
        with scan_files(paths, ["y"]) as scan:
            assert scan.rows == 4
            assert sum(piece.bytes for piece in scan.pieces()) == scan.bytes
            assert together(scan).height == 4
        assert outcome(paths[::2], ["y"], None, 1) == outcome(paths[::2], ["y"], None, None)


class TestOtherKinds:
    def test_one_piece_per_file(self, tmp_path: Path) -> None:
        arff = b"@relation x\n@attribute y {0,1}\n@attribute s numeric\n@data\n0,0.5\n1,?\n"
        paths = [
            written(tmp_path, arff, "x.arff"),
            written(tmp_path, gzip.compress(arff), "y.arff.gz"),
        ]
        with scan_files(paths, ["s", "y"]) as scan:
            assert scan.text
            pieces = list(scan.pieces())
            assert [piece.read().rows() for piece in pieces] == [[("0.5", "0"), (None, "1")]] * 2
            assert sum(piece.bytes for piece in pieces) == scan.bytes
            assert scan.where([(1, 1)]) == "line 6 of y.arff.gz"

    def test_a_list_in_json(self, tmp_path: Path) -> None:
        path = written(tmp_path, '[{"y": 1},\n{"y": 0}]', "x.json")
        with scan_files([path], ["y"]) as scan:
            assert together(scan).rows() == [(1,), (0,)]
            assert scan.where([(0, 1)]) == "item 2"

    def test_no_rows_at_all(self, tmp_path: Path) -> None:
        path = written(tmp_path, "@relation x\n@attribute y {0,1}\n@data\n", "x.arff")
        with scan_files([path], ["y"]) as scan, pytest.raises(FileError, match="no rows in"):
            together(scan)


class TestWhere:
    def test_lines_of_blocks(self, tmp_path: Path) -> None:
        path = written(tmp_path, b'\xef\xbb\xbf\na,b\n1,2\r\n"x\n\n",2\n\n3,4\r5,6\n7,8')
        for block in (1, 4, 9, 1000):
            with scan_files([path], ["a"], block=block) as scan:
                assert together(scan).height == 5
                assert scan.where([(0, 0), (0, 1), (0, 2)]) == "lines 3, 4 and 8"
                assert scan.where([(0, 4), (0, 4)]) == "line 10"
                assert scan.where([(0, 3)], 1_200) == "line 9 and 1,200 more"
                assert scan.where([(0, row) for row in range(5)], 2) == "lines 3, 4, 8 and 4 more"

    def test_files_of_the_same_name(self, tmp_path: Path) -> None:
        paths = [written(tmp_path / folder, "a\n1\n2\n", name) for folder, name in (("x", "p"), ("y", "p"))]
        paths.append(written(tmp_path, "a\n1\n", "q"))
        with scan_files(paths, ["a"], delimiter=",", block=2) as scan:
            together(scan)
            assert scan.where([(2, 0), (1, 1)]) == f"line 3 of {paths[1]} and line 2 of q"

    def test_rows(self, tmp_path: Path) -> None:
        paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
        for path in paths:
            frame(10).write_parquet(path)
        with scan_files(paths, ["y"]) as scan:
            assert scan.where([(1, 2), (1, 6)]) == "rows 3 and 7 of b.parquet"


class TestLaziness:
    def test_text_is_read_as_pieces_are_asked_for(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = written(tmp_path, b"a,b\n" + b"1,2\n" * 100_000)
        taken = 0
        opened = Path.open

        class Counting(io.FileIO):
            def read(self, size: int = -1, /) -> bytes:  # type: ignore[override]
                nonlocal taken
                content = super().read(size) or b""
                taken += len(content)
                return content

        def counted(self: Path, mode: str = "r", **options: object) -> object:
            return Counting(self) if mode == "rb" else opened(self, mode, **options)  # type: ignore[call-overload]

        with scan_files([path], ["a"], block=1_000) as scan:
            monkeypatch.setattr(Path, "open", counted)
            pieces = scan.pieces()
            first = next(pieces)
            # 64 kB to judge how long lines are
            assert taken < 70_000
            for _ in range(10):
                next(pieces)
            assert taken < 80_000
        assert first.read().height < 260

    def test_nothing_is_decoded_before_read(self, tmp_path: Path) -> None:
        path = tmp_path / "x.parquet"
        frame(1000).write_parquet(path, row_group_size=100)
        content = bytearray(path.read_bytes())
        content[8:40] = b"\xff" * 32  # pages of the first group, which only their reader sees
        path.write_bytes(content)
        with scan_files([path], ["y"]) as scan:
            pieces = list(scan.pieces())
            assert scan.rows == 1000
        with pytest.raises(FileError, match="is damaged"):
            pieces[0].read()
