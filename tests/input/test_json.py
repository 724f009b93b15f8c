"""JSON lines and lists of objects: what Python's json module writes comes back, every flaw has its place."""

import json
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from inputs import IN_PIECES, counts, cut_at, of_contents, refusals, rows_of, typed, written

import tallymark as tm
from collected import each
from scored import classes

ASKED = {"actual": "a", "predicted": "b"}


def lines(*rows: object) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


VALUES_OF: list[Any] = [["x", "y", None], ["1", "02"], [1, -2, None], [2**62, -(2**62)], [True, False, None]]
VALUES_OF += [[1.0, 2.0, None], ["é", "\U0001f408", "a\nb", 'q"', "\\"]]


@each("values", VALUES_OF)
def test_labels_keep_their_types(values: list[Any]) -> None:
    """Numbers are numbers, and text is text."""
    rows = [{"c": 0, "a": value, "b": value} for value in values]
    expected = sorted(value for value in values if value is not None)
    for text, name in ((lines(*rows), "x.ndjson"), (json.dumps(rows, indent=1), "x.json")):
        found = tm.evaluate(written(text, name), missing="drop", **ASKED)
        assert typed(found.labels) == typed([int(e) if type(e) is float else e for e in expected])
        assert found.rows == len(expected)


def test_scores_may_be_whole_numbers_or_fractions_and_lists_are_label_sets() -> None:
    rows = [{"a": 1, "s": 1}, {"a": 0, "s": 0.5}, {"a": 1}, {"a": 0, "s": None}, {"a": 1, "s": 2**70}]
    path = written(lines(*rows), "x.ndjson")
    asked: dict[str, Any] = {"actual": "a", "score": "s", "missing": "drop", "threshold": 0.75}
    assert rows_of(path, **asked) == ([1, 0, 1], [1, 0, 1], [1.0, 0.5, 2.0**70])
    path = written(lines({"t": ["x", "y"], "p": ["y"]}, {"t": [], "p": ["x"]}), "y.ndjson")
    found = tm.evaluate(path, actual="t", predicted="p")
    assert (found.labels, found.task, found["hamming_loss"].value) == (("x", "y"), "multilabel", 0.5)
    path = written(lines({"t": [1, 2], "p": [2]}, {"t": [3], "p": [1]}), "y.ndjson")
    assert tm.evaluate(path, actual="t", predicted="p").labels == (1, 2, 3)


def cut_lines(text: str | bytes, places: Iterable[int], known: bytes) -> bytes:
    content = text if isinstance(text, bytes) else text.encode()
    mark, end = (b"\xef\xbb\xbf" if content[:1] == b"\xef" else b""), b"\n" if b"\n" in content else b"\r"
    rest = content.removeprefix(mark).removesuffix(end) + end
    return cut_at(places, mark, rest, b"{" + known + b',"z":"', b'"}' + end)


WAYS = ['{"a":1,"b":3}\n{"a":2,"b":4}', '\n{"a":1,"b":3}\n\n  \n{"a":2,"b":4}\n\n']
WAYS += ['\ufeff{"a":1,"b":3}\n{"a":2,"b":4}\n', '{"a":1,"b":3}\r\n{"a":2,"b":4}\r\n']
WAYS += ['{"a":1,"b":3}\r{"a":2,"b":4}\r', ' { "a" : 1,"b":3 } \n\t{"a"\t:2,"b":4}\n']
WAYS += ['{"\\u0061":1,"b":3}\n{"a":2,"b":4}\n', '{"x\\"a":7,"a":1,"b":3}\n{"a":2,"b":4}\n']
WAYS += ['{"c":"\\"a\\": 7","a":1,"b":3}\n{"c":"x\\"a","a":2,"b":4}\n']
WAYS += ['{"m":{"a":7},"a":1,"b":3}\n{"b":4,"a":2,"m":[{"a":8}]}\n']
WAYS += ['{"a":1,"b":3,"c":1,"c":2}\n{"a":2,"b":4}\n']


@each("text", WAYS)
def test_ways_to_write_the_same(text: str) -> None:
    path = written(text, "x.ndjson")
    for count in (tm.evaluate, tm.tally):
        assert counts(count, path, **ASKED)[1] == {(1, 3): 1, (2, 4): 1}
    places = (0, 1, 9, 18, 24, 30)
    written(cut_lines(text, places, b'"a":1,"b":3'), "x.ndjson")
    at_once = counts(tm.evaluate, path, **ASKED)
    assert (counts(tm.tally, path, **ASKED, **IN_PIECES), at_once[1][2, 4]) == (at_once, len(places))


def test_keys_may_be_missing_or_appear_far_down() -> None:
    rows: list[dict[str, Any]] = [{"b": 1, "c": "c" * 400}] * 3000
    rows += [{"a": 5, "b": 1}, {"a": 6}, {}, {"a": None, "b": 1}]
    path = written(lines({"a": 1, "b": 1}, *rows), "x.ndjson")
    found = counts(tm.evaluate, path, missing="drop", **ASKED)
    assert found[1:3] == ({(1, 1): 1, (5, 1): 1}, {"missing_actual": 3002, "missing_predicted": 1})
    assert counts(tm.tally, path, missing="drop", **ASKED, **IN_PIECES) == found
    assert counts(tm.evaluate, written(lines(*rows), "y.ndjson"), missing="drop", **ASKED)[3] == 1


# As JSON writes 1.0 as 1, the type of a part depends on its values.
def test_parts_of_whole_numbers_and_of_fractions_go_together() -> None:
    parts = [written(lines({"a": 1, "s": 1}, {"a": 0, "s": 0}), "a.ndjson")]
    parts += [written(lines({"a": 0, "s": 0.5}), "b.ndjson"), written(lines({"a": 1, "s": None}), "c.ndjson")]
    for count in (tm.evaluate, tm.tally):
        cells = counts(count, parts, actual="a", score="s", missing="drop")[1]
        assert cells == {(1, 1): 1, (0, 0): 1, (0, 1): 1}


VALUES = st.sampled_from([st.text(max_size=4), st.integers(-(2**63), 2**63 - 1), st.booleans()]).flatmap(
    lambda kind: st.lists(kind, min_size=1, max_size=6)
)


@given(values=VALUES, other=st.text(max_size=6), ascii_only=st.booleans())
def test_what_json_writes_comes_back(values: list[Any], other: str, ascii_only: bool) -> None:
    rows = [{"c": other, "a": value, "b": value} for value in values]
    text = "".join(f"{json.dumps(row, ensure_ascii=ascii_only)}\n" for row in rows)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.ndjson"
        path.write_bytes(text.encode())
        assert rows_of(path, **ASKED) == (values, values)


@given(st.lists(st.integers(-9, 9) | st.floats(-1e300, 1e300), min_size=1, max_size=6))
def test_scores_come_back_to_the_last_bit(values: list[float]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.json"
        path.write_text(json.dumps([{"a": 1, "s": value} for value in values]))
        assert rows_of(path, actual="a", score="s", threshold=0)[2] == [float(value) for value in values]


BAD: dict[str, Any] = {
    "not json": '{"a":1}\n{"a" 2}\n', "cut short": '{"a":1}\n{"a":', "single quotes": "{'a':1}\n",
    "spread over lines": '{\n "a": 1\n}\n', "a number": '{"a":1}\n7\n', "null": '{"a":1}\nnull\n',
    "two on a line": '{"a":1} {"a":2}\n', "nan": '{"a":1}\n{"a":NaN}\n', "infinity": '{"a":-Infinity}\n',
    "endless number": '{"a":' + "9" * 5000 + "}\n", "nested without end": '{"a":' + "[" * 100_000,
    "number and text": '{"a":1}\n\n{"a":"1"}\n', "text and list": '{"a":"x"}\n{"a":["x"]}\n',
    "object": '{"a":1}\n{"a":{"b":1}}\n', "same key": '{"a":1}\n{"a":2,"b":0,"a":3}\n',
    "same key makes up for a missing one": '{"a":1,"a":null}\n{"b":1}\n',
    "mixed list": '{"a":["x"]}\n{"a":["x",1]}\n', "list with null": '{"a":[null]}\n',
    "list with a huge number": '{"a":[9223372036854775808]}\n',
    "half a character": '{"a":"x"}\n{"a":"\\ud800"}\n',
    "beyond all integers": '{"a":999999999999999999999999999999999999999999999999999999999999}\n',
    "latin-1": b'{"a":"x"}\n{"a":"\xe9"}\n', "nul": '{"a":"x"}\n{"a":"\x00"}\n', "blank lines": "\n \n",
    "unknown column": '{"A":1}\n', "no keys": "{}\n{}\n",
}  # fmt: skip
BAD_LISTS: dict[str, Any] = {
    "cut short": '[{"a":1},{"a":2}', "cut short in an item": '[{"a":1},{"a":',
    "comma at the end": '[{"a":1},]', "no comma": '[{"a":1} {"a":2}]', "numbers": "[1, 2]", "empty": "[]",
    "columns as lists": '{"a": [1, 2], "b": [3, 4]}', "number and text": '[{"a":1},{"a":"x"}]',
    "same key": '[{"a":1,"a":2}]',
}  # fmt: skip


def with_b(text: str | bytes) -> bytes:
    """What the tables leave out for short: every row with `a` has a `b` before it."""
    return (text if isinstance(text, bytes) else text.encode()).replace(b'{"a":', b'{"b":0,"a":')


def test_flaws_are_named_with_their_line(snapshot: Any) -> None:
    bad = {name: with_b(text) for name, text in BAD.items()}
    found = of_contents(bad, "x.ndjson", **ASKED)
    lists = {f"list: {name}": with_b(text) for name, text in BAD_LISTS.items()}
    found |= of_contents(lists, "x.json", **ASKED)
    parts = [written(lines({"a": 1, "b": 1}, {"a": 0, "b": 0.5}), "1.ndjson")]
    parts.append(written(lines({"a": 1, "b": "1"}), "2.ndjson"))
    in_parts = {"parts: numbers and text": (parts,)}
    found |= refusals(in_parts, actual="a", score="b")
    assert set(classes(found).values()) == {"FileError", "ColumnError"}
    for place in (1, 16, 30):
        at_once, in_pieces = {}, {}
        for name, text in bad.items():
            path = written(cut_lines(text, [place], b'"b":0'), "x.ndjson")
            at_once[name] = counts(tm.evaluate, path, **ASKED, missing="drop")
            in_pieces[name] = counts(tm.tally, path, **ASKED, **IN_PIECES, missing="drop")
        # in a piece of its own a row may be at fault for another reason
        other = {name for name in bad if in_pieces[name] != at_once[name]}
        assert other <= {"text and list", "mixed list", "half a character"}, (place, other)
        assert {in_pieces[name][0] for name in other} <= {"ColumnError", "LabelError"}
    assert of_contents(bad, "x.ndjson", tm.tally, **ASKED).items() <= found.items()
    assert refusals(in_parts, tm.tally, actual="a", score="b").items() <= found.items()
    snapshot("errors_input_json", found)


def test_lists_and_lines_are_told_apart_by_content() -> None:
    """And items of a list are counted in places."""
    rows = [{"a": 1, "b": 1}, {"a": 0, "b": "x"}]
    files = {"line 2": written(lines(*rows), "x.json"), "item 2": written(json.dumps(rows), "x.ndjson")}
    said = refusals({place: (file,) for place, file in files.items()}, actual="a", score="b")
    assert [place for place in files if place not in said[place]] == []
    good = [written('[{"a": 1, "b": 0},\n{"a": 0, "b": 0}]', "y.json")]
    good.append(written('[{"a": 1, "b": 1}]', "z.json"))
    for count in (tm.evaluate, tm.tally):
        assert counts(count, good, **ASKED)[1] == {(0, 0): 1, (1, 0): 1, (1, 1): 1}
