"""JSON lines and lists of objects: what Python's json module reads, and every flaw with its line or item."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallymark.errors import TallymarkError
from tallymark.intake.files import json_records
from tallymark.intake.files.tables import Table, column_names, read_table


def table(folder: Path, text: str | bytes, asked: list[str] | None = None, name: str = "x.ndjson") -> Table:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_table([path], asked or ["a"])


def lines(*rows: object) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


class TestTypes:
    @pytest.mark.parametrize(
        ("values", "dtype"),
        [
            (["x", "y", None], pl.String),
            (["1", "02"], pl.String),
            ([1, -2, None], pl.Int64),
            ([0.5, 1, None], pl.Float64),
            ([2**62, -(2**62)], pl.Int64),
            ([2**63, 1], pl.Int128),
            ([2**100, 0.5], pl.Float64),
            ([True, False, None], pl.Boolean),
            ([["x", "y"], [], None], pl.List(pl.String)),
            ([[1, 2], [3]], pl.List(pl.Int64)),
            ([[], []], pl.List(pl.String)),
            (["é", "\U0001f408", "a\nb", 'q"', "\\"], pl.String),
        ],
    )
    @pytest.mark.parametrize("name", ["x.ndjson", "x.json"])
    def test_by_values(self, tmp_path: Path, values: list[Any], dtype: Any, name: str) -> None:
        rows = [{"b": 0, "a": value} for value in values]
        text = lines(*rows) if name == "x.ndjson" else json.dumps(rows, indent=1)
        found = table(tmp_path, text, name=name)
        assert not found.text
        assert found.frame["a"].dtype == dtype
        assert found.frame["a"].to_list() == values

    def test_a_missing_key_is_a_missing_value(self, tmp_path: Path) -> None:
        found = table(tmp_path, lines({"a": 1}, {"b": 2}, {}, {"a": None}), ["a", "b"])
        assert found.frame.rows() == [(1, None), (None, 2), (None, None), (None, None)]

    def test_a_column_of_nulls(self, tmp_path: Path) -> None:
        assert table(tmp_path, lines({"a": None}, {"a": None})).frame["a"].to_list() == [None, None]


class TestLines:
    @pytest.mark.parametrize(
        "text",
        [
            '{"a":1}\n{"a":2}',
            '\n{"a":1}\n\n  \n{"a":2}\n\n',
            '\ufeff{"a":1}\n{"a":2}\n',
            '{"a":1}\r\n{"a":2}\r\n',
            '{"a":1}\r{"a":2}\r',
            ' { "a" : 1 } \n\t{"a"\t:2}\n',
            '{"\\u0061":1}\n{"a":2}\n',
            '{"b":"\\"a\\": 7","a":1}\n{"b":"x\\"a","a":2}\n',
            '{"x\\"a":7,"a":1}\n{"a":2}\n',
            '{"m":{"a":7},"a":1}\n{"a":2,"m":[{"a":8}]}\n',
        ],
    )
    def test_ways_to_write_the_same(self, tmp_path: Path, text: str) -> None:
        assert table(tmp_path, text).frame["a"].to_list() == [1, 2]

    def test_places(self, tmp_path: Path) -> None:
        found = table(tmp_path, '{"a":1}\n\n{"a":2}\n{"a":3}\n')
        assert found.where([0]) == "line 1"
        assert found.where([1, 2]) == "lines 3 and 4"
        assert table(tmp_path, '[{"a":1},{"a":2}]', name="x.json").where([1]) == "item 2"

    def test_lines_in_a_json_file_and_a_list_in_an_ndjson_file(self, tmp_path: Path) -> None:
        assert table(tmp_path, lines({"a": 1}, {"a": 2}), name="x.json").where([1]) == "line 2"
        assert table(tmp_path, '[{"a": 1}]', name="x.ndjson").where([0]) == "item 1"

    def test_a_key_that_first_appears_far_down(self, tmp_path: Path) -> None:
        text = lines(*[{"b": 1}] * 3000, {"a": 5})
        assert column_names_of(tmp_path, text) == ["b"]
        assert table(tmp_path, text).frame["a"].drop_nulls().to_list() == [5]

    def test_flat_files_are_left_to_polars(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object, **__: object) -> pl.DataFrame:
            raise AssertionError("a careful pass was made")

        monkeypatch.setattr(json_records, "read", refuse)
        rows = [{"y": "yes", "s": 0.25, "n": 3, "f": True}, {"y": None, "s": 1, "n": None, "f": False}]
        found = table(tmp_path, lines(*rows), ["y", "s", "n", "f"])
        assert found.frame.to_dicts() == rows


def column_names_of(folder: Path, text: str) -> list[str]:
    path = folder / "names.ndjson"
    path.write_text(text)
    return column_names(path)


BAD = {
    "not json": ('{"a":1}\n{"a" 2}\n', "line 2 of", "is not JSON at its character 6"),
    "cut short": ('{"a":1}\n{"a":', "line 2 of", "may be cut short"),
    "cut short in text": ('{"a":1}\n{"a":"x', "line 2 of", "may be cut short"),
    "single quotes": ("{'a':1}\n", "line 1 of", "double quotes"),
    "spread over lines": ('{\n "a": 1\n}\n', "line 1 of", "must stand on one line"),
    "a number": ('{"a":1}\n7\n', "line 2 of", "is a number; an object is expected"),
    "null": ('{"a":1}\nnull\n', "line 2 of", "is null; an object is expected"),
    "a list": ('{"a":1}\n[1]\n', "line 2 of", "is a list"),
    "two on a line": ('{"a":1} {"a":2}\n', "line 1 of", "text behind its object"),
    "nan": ('{"a":1}\n{"a":NaN}\n', "line 2 of", "has NaN", "write null"),
    "infinity": ('{"a":-Infinity}\n', "line 1 of", "has -Infinity"),
    "nan in a column nobody asked for": ('{"a":1}\n{"a":1,"b":NaN}\n', "line 2 of", "has NaN"),
    "endless number": ('{"a":' + "9" * 5000 + "}\n", "line 1 of", "too many digits"),
    "nested without end": ('{"a":' + "[" * 100_000, "line 1 of", "nested too deeply"),
    "number and text": ('{"a":1}\n\n{"a":"1"}\n', "a number at line 1 and text at line 3", "'a'"),
    "number and boolean": ('{"a":1}\n{"a":true}\n', "a number at line 1 and true or false at line 2"),
    "text and list": ('{"a":"x"}\n{"a":["x"]}\n', "text at line 1 and a list at line 2"),
    "object": ('{"a":1}\n{"a":{"b":1}}\n', "holds an object at line 2"),
    "same key": ('{"a":1}\n{"a":2,"b":0,"a":3}\n', "line 2 of", "the key 'a' 2 times"),
    "same key makes up for a missing one": ('{"a":1,"a":null}\n{"b":1}\n', "line 1 of", "'a' 2 times"),
    "mixed list": ('{"a":["x"]}\n{"a":["x",1]}\n', "a list with a number in it at line 2"),
    "list of lists": ('{"a":[[1]]}\n', "a list with a list in it at line 1"),
    "list with null": ('{"a":[null]}\n', "a list with null in it at line 1"),
    "list with a huge number": ('{"a":[9223372036854775808]}\n', "beyond 2**63 at line 1"),
    "half a character": ('{"a":"x"}\n{"a":"\\ud800"}\n', "half a character", "line 2"),
    "beyond all integers": ('{"a":' + "9" * 60 + "}\n", "beyond 2**127 at line 1"),
    "latin-1": (b'{"a":"x"}\n{"a":"\xe9"}\n', "line 2 of", "not UTF-8 (byte 0xE9)"),
    "nul": ('{"a":"x"}\n{"a":"\0"}\n', "line 2 of", "NUL byte"),
    "a csv": ("a,b\n1,2\n", "line 1 of", "is not JSON", ".csv"),
    "blank lines": ("\n \n", "only blank lines"),
    "unknown column": ('{"A":1}\n', "has no column 'a'", "did you mean 'A' for 'a'"),
    "no keys": ("{}\n{}\n", "has no column 'a'; it has no columns"),
}
BAD_LISTS = {
    "cut short": ('[{"a":1},{"a":2}', "after item 2", "may be cut short"),
    "cut short in an item": ('[{"a":1},{"a":', "item 2 of", "may be cut short"),
    "comma at the end": ('[{"a":1},]', "comma behind its last item (1)"),
    "no comma": ('[{"a":1} {"a":2}]', "after item 1", "commas"),
    "text behind": ('[{"a":1}] x', "text behind the end of its list"),
    "numbers": ("[1, 2]", "item 1 of", "is a number"),
    "empty": ("[]", "empty list"),
    "a text": ('"x"', "holds no list of objects"),
    "columns as lists": ('{"a": [1, 2], "b": [3, 4]}', "holds a single object, not rows", "records"),
    "number and text": ('[{"a":1},{"a":"x"}]', "a number at item 1 and text at item 2"),
    "same key": ('[{"a":1,"a":2}]', "item 1 of", "'a' 2 times"),
}


def refused(folder: Path, content: str | bytes, name: str) -> str:
    with pytest.raises(TallymarkError) as caught:
        table(folder, content, name=name)
    assert str(caught.value).isprintable()
    return str(caught.value)


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
def test_bad_lines(tmp_path: Path, bad: tuple[str | bytes, ...]) -> None:
    message = refused(tmp_path, bad[0], "x.ndjson")
    assert "x.ndjson" in message
    assert all(str(words) in message for words in bad[1:]), message


@pytest.mark.parametrize("bad", BAD_LISTS.values(), ids=BAD_LISTS.keys())
def test_bad_lists(tmp_path: Path, bad: tuple[str, ...]) -> None:
    message = refused(tmp_path, bad[0], "x.json")
    assert "x.json" in message
    assert all(words in message for words in bad[1:]), message


def test_repeated_keys_that_are_not_asked_for_are_fine(tmp_path: Path) -> None:
    assert table(tmp_path, '{"a":1,"b":2,"b":3}\n').frame["a"].to_list() == [1]


def test_parts_of_whole_numbers_and_of_floats_go_together(tmp_path: Path) -> None:
    """JSON writes the share 1.0 as 1, so the type of a part depends on its values."""
    for name, rows in (
        ("a.ndjson", [{"s": 1}, {"s": 0}]),
        ("b.ndjson", [{"s": 0.5}]),
        ("c.ndjson", [{"s": None}]),
    ):
        (tmp_path / name).write_text(lines(*rows))
    paths = [tmp_path / name for name in ("a.ndjson", "b.ndjson", "c.ndjson")]
    assert read_table(paths, ["s"]).frame["s"].to_list() == [1.0, 0.0, 0.5, None]


VALUES = st.one_of(
    st.lists(st.none() | st.text(max_size=4), min_size=1, max_size=6),
    st.lists(st.none() | st.integers(-(2**70), 2**70), min_size=1, max_size=6),
    st.lists(
        st.none() | st.integers(-9, 9) | st.floats(allow_nan=False, allow_infinity=False),
        min_size=1,
        max_size=6,
    ),
    st.lists(st.none() | st.booleans(), min_size=1, max_size=6),
    st.lists(st.none() | st.lists(st.text(max_size=3), max_size=3), min_size=1, max_size=6),
)


@settings(max_examples=200, deadline=None)
@given(values=VALUES, other=st.text(max_size=6), ascii_only=st.booleans())
def test_what_json_writes_comes_back(values: list[Any], other: str, ascii_only: bool) -> None:
    text = "".join(f"{json.dumps({'b': other, 'a': v}, ensure_ascii=ascii_only)}\n" for v in values)
    with tempfile.TemporaryDirectory() as folder:
        found = table(Path(folder), text).frame["a"].to_list()
    assert found == values
