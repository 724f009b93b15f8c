"""Parquet, Arrow and NumPy archives come back as they were written; damaged files are refused."""

import gzip
import io
import struct
import zipfile
from itertools import product

import numpy as np
import polars as pl
import pyarrow
import pyarrow.feather
import pyarrow.parquet
import pytest
from inputs import counts, of_contents, refused, rows_of, typed, written

import tallymark as tm
from collected import each
from scored import classes

FRAME = pl.DataFrame(
    {
        "y": [3, 1, None, 3], "p": [1, 1, 3, 3], "s": [0.5, 0.25, 1.0, None],
        "flag": [True, False, True, True], "t": ["", "x", "1", None],
        "kind": pl.Series(["u", "v", "u", "v"], dtype=pl.Categorical),
        "sets": [["a", "b"], [], ["c"], ["a"]], "more": [["b"], ["a"], ["c"], []],
    }
)  # fmt: skip
LABELS = {"actual": "y", "predicted": "p"}


def content(form, frame=FRAME, **how):
    file = io.BytesIO()
    getattr(frame, f"write_{form}")(file, **how)
    return file.getvalue()


WAYS = {
    "parquet": ("x.parquet", content("parquet")),
    "parquet, small groups": ("x.PQ", content("parquet", row_group_size=1)),
    "in a folder named like a partition": ("day=7/x.parquet", content("parquet")),
    "feather": ("x.feather", content("ipc")),
    "arrow, nameless": ("x", content("ipc")),
    "stream, nameless": ("x", content("ipc_stream")),
    "arrow, lz4": ("x.IPC", content("ipc", compression="lz4")),
    "stream, lz4": ("x.arrow", content("ipc_stream", compression="lz4")),
    "stream, zstd": ("x.arrow", content("ipc_stream", compression="zstd")),
    "arrow, small batches": ("x.arrow", content("ipc", compression="zstd", record_batch_size=1)),
}


@each("name, packed", WAYS.values(), ids=WAYS)
def test_what_was_written_comes_back(name, packed):
    path, drop = written(packed, name), {"missing": "drop"}
    assert rows_of(path, actual="y", predicted="p", **drop) == ([3, 1, 3], [1, 1, 3])
    assert rows_of(path, actual="flag", score="s", **drop)[::2] == ([True, False, True], [0.5, 0.25, 1.0])
    assert typed(tm.evaluate(path, actual="flag", score="s", **drop).labels) == typed([False, True])
    assert rows_of(path, actual="kind", predicted="t", **drop) == (["u", "v", "u"], ["", "x", "1"])
    found = tm.evaluate(path, actual="sets", predicted="more")
    # by hand: of 4 rows and 3 labels, a is wrong in three rows and b in none
    assert (found.labels, found["hamming_loss"].value) == (("a", "b", "c"), 3 / 12)
    if "day" in name:
        assert "ColumnError" in refused({"": lambda: tm.evaluate(path, actual="day", predicted="p")})[""]


@each("group", [1, 3, 10, 100])
def test_row_groups_and_batches_of_any_size(group):
    at = np.arange(100)
    score = pl.Series(at / 7).set(pl.Series(at % 5 == 0), None)
    frame = pl.DataFrame({"y": at % 2, "p": at % 3 % 2, "s": score, "t": [f"{place % 3}" for place in at]})
    asked = {**LABELS, "score": "s", "missing": "drop", "slices": "t"}
    table = frame.with_columns(pl.col("t").cast(pl.Categorical)).to_arrow()
    frame.write_parquet("x.parquet", row_group_size=group)
    pyarrow.feather.write_feather(table, "x.feather", chunksize=group)
    for name, opened in (("x.arrow", pyarrow.ipc.new_file), ("y.arrow", pyarrow.ipc.new_stream)):
        with opened(name, table.schema) as writer:
            writer.write_table(table, max_chunksize=group)
    for name in ("x.parquet", "x.arrow", "y.arrow", "x.feather"):
        assert tm.tally(name, **asked) == tm.tally(frame, **asked)
        assert tm.evaluate(name, **asked).dropped == {"missing_score": 20}


A, B = pl.Enum(["a"]), pl.Enum(["b"])
ONE_TYPE = [("p", [1, 2], pl.Int32, [2**40], pl.Int64), ("p", [1], pl.UInt8, [-1], pl.Int8)]
ONE_TYPE += [("p", [2**62], pl.UInt64, [-1], pl.Int64), ("s", [0.5], pl.Float32, [0.3], pl.Float64)]
ONE_TYPE += [("p", ["a"], pl.String, ["b"], pl.Categorical), ("p", ["a"], A, ["b"], B)]
ONE_TYPE += [("p", [None], pl.Null, ["b"], pl.String), ("p", [None], pl.Null, [7], pl.Int64)]
TWO_TYPES = [("s", [1], pl.Int64, [0.5], pl.Float64), ("p", [1], pl.Int64, ["1"], pl.String)]
TWO_TYPES += [("p", [True], pl.Boolean, [1], pl.Int64), ("p", [["a"]], pl.List(pl.String), ["a"], pl.String)]
TWO_TYPES += [("p", [["a"]], pl.List(pl.String), [[1]], pl.List(pl.Int64))]


def in_parts(suffix, name, one, first, other, second):
    paths = [f"1.{suffix}", f"2.{suffix}"]
    for path, values, dtype in zip(paths, (one, other), (first, second), strict=True):
        column = pl.Series(name, values, dtype=dtype)
        frame = pl.DataFrame({"y": column if name == "p" else [0, 1][: len(values)]}).with_columns(column)
        frame.write_parquet(path) if suffix == "pq" else frame.write_ipc(path)
    return paths


def test_types_of_parts_are_widened_without_loss():
    for suffix, count in product(("pq", "arrow"), (tm.evaluate, tm.tally)):
        sets = in_parts(suffix, "p", [[]], pl.List(pl.Null), [["a"]], pl.List(pl.String))
        assert (tm.evaluate(sets, **LABELS).labels, tm.evaluate(sets, **LABELS).rows) == (("a",), 2)
        for name, one, first, other, second in ONE_TYPE:
            paths = in_parts(suffix, name, one, first, other, second)
            whole = [value for value in [*one, *other] if value is not None]
            for order in (paths, paths[::-1]):
                if name == "p":
                    found = counts(count, order, **LABELS, missing="drop")[1]
                    assert found == {(value, value): whole.count(value) for value in whole}, first
                else:
                    found = tm.tally(order, actual="y", score="s", labels=[0, 1])
                    assert found.scores.score.tolist() == sorted(whole, reverse=True), first


TEXT, WHOLE = ("a.csv", b"y,p\n1,1\n"), {form: content(form) for form in ("parquet", "ipc", "ipc_stream")}
PARTS = {
    "text and Parquet": [TEXT, ("b.parquet", WHOLE["parquet"])],
    "text and JSON": [TEXT, ("b.ndjson", b'{"y": "1", "p": "1"}\n')],
    "Parquet and compressed text": [("b.parquet", WHOLE["parquet"]), ("a.csv.gz", gzip.compress(TEXT[1]))],
    "a part that is cut short": [("a.parquet", WHOLE["parquet"]), ("b.parquet", WHOLE["parquet"][:-20])],
    "an Arrow part that is cut short": [("a.arrow", WHOLE["ipc"]), ("b.arrow", WHOLE["ipc"][:-20])],
    "a part without the column": [
        ("a.pq", WHOLE["parquet"]),
        ("b.pq", content("parquet", FRAME.select("y"))),
    ],
    "a type that only the third has": [
        ("a.pq", WHOLE["parquet"]),
        ("b.pq", content("parquet", FRAME.with_columns(y=pl.lit(None)))),
        ("c.pq", content("parquet", FRAME.with_columns(y=pl.lit("1")))),
    ],
}


def parts_refused(count):
    calls = {}
    for at, case in enumerate(TWO_TYPES):
        role = {"p": "predicted", "s": "score"}[case[0]]
        for order, words in ((1, ""), (-1, ", turned round")):
            calls[f"{at}: {case[2]} and {case[4]}{words}"] = lambda case=case, order=order, role=role: count(
                in_parts("pq", *case)[::order], actual="y", **{role: case[0]}
            )
    for name, parts in PARTS.items():
        paths = [written(text, f"{name}/{part}") for part, text in parts]
        calls[name] = lambda paths=paths: count(paths, **LABELS, missing="drop")
    return refused(calls)


def test_what_cannot_be_parts_of_one_table(snapshot):
    found, again = parts_refused(tm.evaluate), parts_refused(tm.tally)
    # columns of lists are refused before parts are looked at
    assert all(again[name] == text for name, text in found.items() if "List" not in name)
    snapshot("errors_input_parts", found)


@each("form, name", [("parquet", "{}.pq"), ("ipc", "{}.arrow"), ("ipc_stream", "{}.arrow")])
def test_parts_without_rows(form, name):
    good = FRAME.select(pl.col("y").fill_null(1), "p")
    paths = [written(content(form, good.head(rows)), name.format(at)) for at, rows in enumerate((0, 4, 0))]
    for count in (tm.evaluate, tm.tally):
        assert counts(count, paths[::2], **LABELS)[0] == "FileError"
        assert counts(count, paths, **LABELS)[1] == {(3, 1): 1, (1, 1): 1, (1, 3): 1, (3, 3): 1}


PARQUET, ARROW, STREAM = (
    content(form, FRAME.select("y", "p").drop_nulls()) for form in ("parquet", "ipc", "ipc_stream")
)
CSV = b"y,p\n1,2\n"
BAD = {
    "0 bytes of Parquet": ("x.parquet", b""),
    "text in Parquet": ("x.parquet", CSV),
    "gzip in Parquet": ("x.pq", gzip.compress(CSV, mtime=0)),
    "Arrow in Parquet": ("x.parquet", ARROW),
    "rubbish in Parquet": ("x.parquet", b"\x01\x02\x03" * 9),
    "Parquet cut short": ("x.parquet", PARQUET[:-20]),
    "Parquet of four letters": ("x.parquet", b"PAR1"),
    "Parquet with a damaged footer": ("x.parquet", PARQUET[:-60] + b"\xff" * 52 + PARQUET[-8:]),
    "Parquet without rows": ("x.parquet", content("parquet", FRAME.clear())),
    "0 bytes of Arrow": ("x.arrow", b""),
    "an Arrow file cut short": ("x.arrow", ARROW[:-9]),
    "an Arrow stream cut short": ("x.arrow", STREAM[:-8]),
    "more behind an Arrow stream": ("x.arrow", STREAM + b"more"),
    "an Arrow stream twice": ("x.arrow", STREAM * 2),
    "old Feather": ("x.feather", b"FEA1" + bytes(40)),
    "text in Arrow": ("x.ipc", CSV),
    "Parquet in Arrow": ("x.ipc", PARQUET),
    "rubbish in Arrow": ("x.arrow", b"\x01\x02" * 40),
    "rubbish between the ends of Arrow": ("x.arrow", b"ARROW1\0\0" + b"\xff" * 99 + b"ARROW1"),
    "an Arrow stream in text": ("x.csv", STREAM),
    "Arrow without rows": ("x.arrow", content("ipc", FRAME.clear())),
    "an absent column of Arrow": ("x.arrow", content("ipc", FRAME.rename({"p": "P"}))),
    "an absent column of Parquet": ("x.pq", content("parquet", FRAME.rename({"y": "yy"}))),
}


def test_damaged_files_and_files_of_other_kinds(snapshot):
    arrays, twice = [pyarrow.array([1]), pyarrow.array([2]), pyarrow.array([3])], io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_arrays(arrays, ["y", "y", "p"]), twice)
    bad = BAD | {"Parquet with a name twice": ("x.parquet", twice.getvalue())}
    places, said = written(WHOLE["parquet"], "places.pq"), []
    for count in (tm.tally, tm.evaluate):
        calls = {
            case: lambda text=text, name=name, count=count: count(written(text, name), **LABELS)
            for case, (name, text) in bad.items()
        }
        calls["places"] = lambda count=count: count(
            places, actual="t", score="s", **({"pos_label": "x"} if count is tm.evaluate else {})
        )
        found = refused(calls)
        said.append(classes(found))
    assert set(classes(found).values()) == {"FileError", "ColumnError", "MissingValueError"}
    assert said[0] == said[1]
    snapshot("errors_input_parquet_and_arrow", found)


def errors(contents, name, rows):
    """How many damaged files are refused by name: others are read in full."""
    number = 0
    for content in contents:
        path = written(content, name)
        try:
            assert tm.tally(path, **LABELS).rows == rows
        except tm.TallymarkError as error:
            number += str(error).isprintable()
    return number


def test_every_shorter_arrow_file_is_refused():
    """Also one that ends between two batches, which would read well."""
    frame = pl.DataFrame({"y": [1, 2, 3], "p": [1, 1, 2]})
    for whole in (content("ipc", frame, record_batch_size=1), content("ipc_stream", frame)):
        for length in range(0, len(whole), 4):
            path = written(whole[:length], "x.arrow")
            for count in (tm.evaluate, tm.tally):
                assert counts(count, path, **LABELS)[0] == "FileError", length


def test_flipped_bytes_of_parquet_are_refused_or_read_but_never_a_foreign_error():
    places = range(4, len(PARQUET) - 4, 3)
    flipped = [PARQUET[:at] + bytes([PARQUET[at] ^ 0xFF]) + PARQUET[at + 1 :] for at in places]
    assert errors(flipped, "x.parquet", 3) > 20


@each("form", ["ipc", "ipc_stream"])
def test_any_word_of_an_arrow_file_may_be_wrong(form):
    """A length of nothing, of less than nothing, and without end."""
    whole = content(form, pl.DataFrame({"y": [0, 1] * 20, "p": [place % 3 for place in range(40)]}))
    changed = [
        whole[:place] + struct.pack("<i", word) + whole[place + 4 :]
        for place in range(0, len(whole) - 3, 4)
        for word in (0, -79, 2**31 - 1)[place // 4 % 2 :: 2]
    ]
    assert errors(changed, "x.arrow", 40) > 10
    if form == "ipc_stream":
        second = 8 + struct.unpack_from("<i", whole, 4)[0]
        assert whole[second : second + 4] == b"\xff" * 4
        path = written(whole[: second + 4] + struct.pack("<i", -5) + whole[second + 8 :], "x.arrow")
        assert counts(tm.tally, path, **LABELS)[0] == "FileError"


def test_a_damaged_row_group_is_refused_when_its_turn_comes():
    frame = pl.DataFrame({"y": [0, 1] * 500, "p": [1, 0, 0, 1] * 250})
    whole = content("parquet", frame, row_group_size=100)
    path = written(whole[:300] + b"\xff" * 100 + whole[400:], "x.parquet")
    for count in (tm.evaluate, tm.tally):
        assert counts(count, path, **LABELS)[0] == "FileError"


ARRAYS = {
    "n": np.array([3, 1, 2]), "small": np.array([3, 1, 2], dtype=np.uint8), "text": np.array(["x", "é", ""]),
    "letters": np.array([b"x", b"yy", b"z"]), "s": np.array([0.5, np.nan, 1.0]),
    "swapped": np.array([0.5, 2.0, 1.0], dtype=">f8"), "half": np.array([0.5, 2.0, 1.0], dtype=np.float16),
    "flag": np.array([True, False, True]), "shares": np.zeros((3, 2)), "classes": np.array(["a", "b"]),
    "objects": np.array(["x", None, 1], dtype=object), "one": np.array(7),
    "days": np.array(["2024-01-01"] * 3, dtype="datetime64[D]"), "complex": np.array([1j, 2, 3]),
    "broken": np.array([b"\xe9", b"a", b"b"]),
}  # fmt: skip


def saved(packed=False, **arrays):
    file = io.BytesIO()
    (np.savez_compressed if packed else np.savez)(file, **arrays)
    return file.getvalue()


def zipped(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in members.items():
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), text)
    return file.getvalue()


def flipped(content, at):
    return content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :]


@pytest.mark.parametrize("packed", [False, True])
def test_arrays_are_columns(packed):
    path = written(saved(packed, **ARRAYS), "x.npz")
    assert rows_of(path, actual="n", predicted="small") == ([3, 1, 2], [3, 1, 2])
    assert rows_of(path, actual="text", predicted="letters") == (["x", "é", ""], ["x", "yy", "z"])
    for name in ("swapped", "half"):
        asked = {"actual": "flag", "score": name, "threshold": 1.5}
        assert rows_of(path, **asked) == ([True, False, True], [False, True, False], [0.5, 2.0, 1.0])
    assert typed(tm.evaluate(path, actual="n", predicted="small").labels) == typed((1, 2, 3))
    assert tm.tally(path, actual="flag", score="s", missing="drop").dropped == {"missing_score": 1}
    for count in (tm.evaluate, tm.tally):
        parts = [written(saved(packed, y=np.arange(2), p=np.zeros(2, int)), f"{at}.npz") for at in range(3)]
        assert count(parts, actual="y", predicted="p").rows == 6


def test_columns_that_cannot_be_read(snapshot):
    path = written(saved(**ARRAYS), "x.npz")
    asked = {name: {"actual": "n", "predicted": name} for name in ARRAYS if name not in ("n", "small", "s")}
    asked |= {"absent": {"actual": "tekst", "predicted": "n"}, "place": {"actual": "flag", "score": "s"}}
    asked |= {"no labels": {"actual": "n", "predicted": "swapped"}}
    readable = ("text", "letters", "flag", "swapped", "half")
    found = refused(
        {
            name: lambda options=options: tm.evaluate(path, **options)
            for name, options in asked.items()
            if name not in readable
        }
    )
    assert {name: kind for name, kind in classes(found).items() if kind != "ColumnError"} == {
        "shares": "ShapeError", "one": "ShapeError", "classes": "ShapeError", "place": "MissingValueError",
        "no labels": "LabelError",
    }  # fmt: skip
    snapshot("errors_input_arrays_in_archives", found)


SMALL = saved(a=np.arange(5), b=np.zeros(5, int))
ASKED = {"actual": "a", "predicted": "b"}
BAD_ARCHIVES = {
    "0 bytes": b"",
    "cut by a byte": SMALL[:-1],
    "cut in the middle": SMALL[: len(SMALL) // 2],
    "a byte in an array": flipped(SMALL, SMALL.index(b"NUMPY") + 130),
    "no array": zipped(a="no array", b="no array"),
    "an archive of other files": zipped(),
    "text": b"a,b\n1,2\n",
    "a lone array": b"\x93NUMPY\x01\x00",
    "rubbish": b"\x01\x02" * 30,
    "no rows": saved(a=np.array([], dtype=int), b=np.array([], dtype=int)),
}


def test_damaged_archives(snapshot):
    found = of_contents(BAD_ARCHIVES, "x.npz", **ASKED)
    assert set(classes(found).values()) == {"FileError"}
    snapshot("errors_input_archives", found)


def test_flipped_bytes_never_give_a_foreign_error():
    errors = []
    for at in range(len(SMALL)):
        try:
            tm.tally(written(flipped(SMALL, at), "x.npz"), **ASKED)
        except tm.TallymarkError as error:
            errors.append(str(error))
    assert len(errors) > 100
    assert all(map(str.isprintable, errors))
