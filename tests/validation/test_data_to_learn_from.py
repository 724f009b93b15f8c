"""Data of any kind to learn from: what models are shown, what results name, what is noted and refused."""

from __future__ import annotations

import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import coo_array, coo_matrix, csc_array, csr_array, csr_matrix, dok_array, lil_array
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from collected import each
from scored import classes, refusals
from watched import Says, Watched, said, shown

IRIS, SPECIES = load_iris(return_X_y=True)
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
TEXT = ["b", "a", "b", "c", "a", "b"]
X = np.arange(12.0).reshape(6, 2)


def told(found):
    """The classes that a model learned, their labels and the positive one."""
    return found.y, found.result.evaluation.labels, found.result.to_dict()["data"]["positive"]


# --- arrays and classes beside them -------------------------------------------------------------------

MADE = {
    "numpy": np.array,
    "pandas": lambda X: pd.DataFrame(X, index=np.arange(len(X))[::-1] + 9).rename(columns=str),
    "polars": lambda X: pl.DataFrame(X),
    "pyarrow": lambda X: pa.table({str(place): X[:, place] for place in range(X.shape[1])}),
    "pyarrow batch": lambda X: pa.RecordBatch.from_pydict({str(at): X[:, at] for at in range(X.shape[1])}),
    **{kind.__name__: kind for kind in (csr_array, csr_matrix, csc_array, lil_array, dok_array)},
    **{kind.__name__: kind for kind in (coo_array, coo_matrix)},
    "list": lambda X: X.tolist(),
    "tuple": lambda X: tuple(map(tuple, X)),
}
CHANGED = {"coo_array", "coo_matrix", "tuple", "pyarrow batch"}  # no rows can be taken of them


@each("kind", MADE)
def test_rows_of_any_kind_of_features_reach_the_model_as_that_kind(kind):
    made = MADE[kind](X)
    found = shown(made, TEXT)
    assert found.rows == [tuple(row) for row in X.tolist()]
    assert kind in CHANGED or type(found.parts[0]) is type(made)
    assert (found.y, found.result.fingerprint) == (TEXT, shown(X, TEXT).result.fingerprint)
    assert said(TREE, MADE[kind](IRIS), SPECIES)[0] == said(TREE, IRIS, SPECIES)[0]


CLASSES = {
    "list": TEXT,
    "numpy": np.array(TEXT),
    "objects": np.array(TEXT, object),
    "numpy strings": np.array(TEXT, np.dtypes.StringDType()),
    "pandas": pd.Series(TEXT, index=list("zyxwvu")),
    "pandas categories": pd.Series(pd.Categorical(TEXT, categories=[*"cba"])),
    "a frame of one column": pd.DataFrame({"y": TEXT}),
    "an array of one column": np.array(TEXT)[:, None],
    "polars": pl.Series(TEXT),
    "polars categories": pl.Series(TEXT, dtype=pl.Categorical),
    "arrow chunks": pa.chunked_array([TEXT[:2], TEXT[2:]]),
}


@each("kind", CLASSES)
def test_text_of_any_kind_is_the_same_classes(kind):
    found = shown(X, CLASSES[kind])
    assert told(found) == (TEXT, tuple("abc"), None)
    rows = found.result.predictions("polars").sort("row")
    assert (rows["row"].to_list(), rows["actual"].to_list()) == ([*range(6)], TEXT)
    assert found.result.fingerprint == shown(X, TEXT).result.fingerprint


@each(
    "y, labels, positive",
    [
        ([0, 1, 1, 0, 1, 0], (0, 1), "1"),
        ([0.0, 1.0, 1.0, 0.0, 1.0, 0.0], (0, 1), "1"),
        ([False, True, True, False, True, False], (False, True), "True"),
        (list("011010"), ("0", "1"), "1"),
        (pd.Series([0, 1, 1, 0, 1, 0], dtype="Int64"), (0, 1), "1"),
        ([-1, 1, 1, -1, 1, -1], (-1, 1), None),
    ],
)
def test_of_two_classes_models_see_what_came_not_what_the_labels_are_called(y, labels, positive):
    found = shown(X, y)
    assert told(found) == (list(y), labels, positive)
    assert [*map(type, found.result.evaluation.labels)] == [*map(type, labels)]
    assert sum(map(sum, found.result.to_dict()["models"][0]["confusion"]["matrix"])) == 6


def test_labels_can_be_stated_also_some_that_no_row_has():
    stated = shown(X, TEXT, labels=["c", "b", "a"], pos_label="b")
    assert told(stated)[1:] == (("c", "b", "a"), "b")
    # Text is not cut to the longest that is there, nor a number to their type.
    table = {
        "text": (np.array(list("aabbab")), ["abc", "a", "b"]),
        "objects": (np.array(list("aabbab"), object), ["abc", "a", "b"]),
        "small numbers": (np.array([0, 1] * 3, np.int8), [300, 0, 1]),
        "numbers as text": (np.array(list("010101")), ["10", "0", "1"]),
        "numbers as objects": (np.array(list("010101"), object), ["10", "0", "1"]),
    }
    for name, (y, labels) in table.items():
        assert said(Says([*labels]), X, y, labels=labels)[0]["predicted"] == labels, name
    # A class that is written in two ways is one class to models.
    for y in (["0", "1", "1.0", "0", "1.0", "0.0"], np.array(["0", "1", "1.0", "0", "1.0", "0.0"], object)):
        assert told(shown(X, y, labels=[0, 1])) == (["0", "1", "1", "0", "1", "0"], (0, 1), "1")


def test_libraries_groups_and_fingerprints():
    given = {"polars": (pl.DataFrame(X), TEXT), "pandas": (X, pd.Series(TEXT))}
    for library, (features, y) in given.items():
        assert type(shown(features, y).result.predictions()).__module__.startswith(library)
    assert type(shown(X, pd.DataFrame({"y": TEXT})).result.predictions()) is pd.DataFrame
    assert list(shown(X, TEXT, groups=pd.Series(list("ppqqrr"))).groups) == list("ppqqrr")
    assert np.shape(shown(X, TEXT, groups=np.arange(12).reshape(6, 2)).groups) == (6, 2)
    others = (TEXT, TEXT[::-1], [name.upper() for name in TEXT])
    assert len({shown(X, y).result.fingerprint for y in others}) == 3


def test_arrays_that_cannot_be_learned_from_are_refused(snapshot):
    def ask(y, X=X, **options):
        return lambda: tm.validate(Watched(), X, y, cv=2, **options)

    frame = pd.DataFrame({"x": range(6), "y": TEXT})
    calls = {
        "OptionError": {"none": ask(None), "a name": ask("outcome"), "data": ask(TEXT, X=None)},
        "LabelError": {
            "not classes": ask([0.5, 1, 2, 3, 4, 5]),
            "mixed": ask([0, "a"] * 3),
            "labels that lack one": ask(TEXT, labels=["a", "b"]),
            "positive that is none": ask(TEXT, pos_label="z"),
        },
        "ShapeError": {
            "label sets": ask(np.eye(6, dtype=int)),
            "groups": ask(TEXT, groups=[1, 2]),
        },
        "MissingValueError": {
            "missing": ask(["a", None, "b", "a", None, "b"]),
            "missing numbers": ask(pd.Series([0, None] * 3, dtype="Int64")),
        },
    }
    calls["OptionError"] |= {
        "classes twice": ask(TEXT, frame, target="y"),
        "a misspelt option": lambda: tm.validate(Watched(), frame, targt="y"),
    }
    refused = refusals({name: call for cases in calls.values() for name, call in cases.items()})
    assert classes(refused) == {name: kind for kind, cases in calls.items() for name in cases}
    snapshot("errors_arrays_to_learn_from", refused)


# --- frames -------------------------------------------------------------------------------------------

ROWS = {
    "age": [31.0, None, 45.0, 28.0, 60.0, 33.0],
    "city": ["Bonn", "Jena", None, "Bonn", "Jena", "Bonn"],
    "who": ["a", "a", "b", "b", "c", "c"],
    "number": [1, 2, 3, 4, 5, 6],
    "y": ["no", "yes", "no", "yes", "no", "yes"],
}
FEATURES = list(zip(ROWS["age"], ROWS["city"], strict=True))
NAMED = {"target": "y", "groups": "who", "id": "number"}


def with_column(values, name="x"):
    rows = len(values)
    return pl.DataFrame({name: values, "n": [place / 3 for place in range(rows)], "y": [0, 1] * (rows // 2)})


def data_notes(source, **options):
    """Those about the table: the notes of the folds are the same for an array with these classes."""
    found = shown(source, **{"target": "y", **options})
    of_folds = shown(np.arange(len(found.y))[:, None] ** 1.5, found.y).result.notes
    return [note for note in found.result.notes if note not in of_folds]


def test_features_stay_in_the_library_they_came_in():
    indexed = pd.DataFrame(ROWS, index=[5, 5, 3, 2, 1, 0])
    pandas = {"plain": pd.DataFrame(ROWS), "indexed": indexed, "nullable": indexed.convert_dtypes()}
    kinds = {pd.DataFrame: {**pandas, "objects": pd.DataFrame(ROWS, dtype=object)}}
    kinds[pl.DataFrame] = {"eager": pl.DataFrame(ROWS), "lazy": pl.DataFrame(ROWS).lazy()}
    kinds[pa.Table] = {"arrow": pa.table(ROWS)}
    for kind, frames in kinds.items():
        for name, frame in frames.items():
            found = shown(frame, **NAMED)
            assert isinstance(found.parts[0], kind), name
            assert (found.names, found.rows, list(found.groups)) == (["age", "city"], FEATURES, ROWS["who"])
            assert told(found) == (ROWS["y"], ("no", "yes"), None), name
            assert sorted(found.result.predictions("polars")["number"]) == ROWS["number"], name
    # Objects of one type become that type, and the index stays.
    values = {"n": [1, None, 2.5, 3], "t": ["a", None, "b", "a"], "y": [0, 1, 0, 1]}
    found = shown(pd.DataFrame(values, index=[9, 9, 2, 1], dtype=object), target="y")
    assert (found.parts[0]["n"].dtype, found.column("n")) == (np.float64, values["n"])
    assert [index for part in found.parts for index in part.index] == [9, 9, 2, 1]


@each(
    "column, y, labels, positive",
    [
        ([0, 1, 1, 0], [0, 1, 1, 0], (0, 1), "1"),
        ([False, True, True, False], [False, True, True, False], (False, True), "True"),
        ([0.0, 1.0, 1.0, 0.0], [0, 1, 1, 0], (0, 1), "1"),
        (pd.Categorical(list("abba")), list("abba"), ("a", "b"), "b"),
    ],
)
def test_classes_of_columns_are_whole_numbers_booleans_or_text(column, y, labels, positive):
    options = {"pos_label": "b"} if labels[0] == "a" else {}
    found = shown(pd.DataFrame({"x": [1, 2, 3, 4], "y": column}), target="y", **options)
    assert told(found) == (y, labels, positive)
    assert [*map(type, found.y)] == [*map(type, y)]


def test_columns_are_chosen_by_name_and_are_of_their_type_or_text():
    numbered = pd.DataFrame(np.arange(12).reshape(4, 3) % 5).assign(y=[0, 1, 0, 1])
    assert shown(numbered, target="y", ignore=[1]).names == ["0", "2"]
    assert shown(pl.DataFrame(ROWS), target="y", features=["city", "age"]).names == ["city", "age"]
    assert shown(pl.DataFrame(ROWS), target="y", features="age").names == ["age"]
    pairs = pl.DataFrame({"a": [1, 1, 2, 2], "b": [7, 8, 7, 8], "x": [0.1, 0.2, 0.3, 0], "y": [0, 1, 0, 1]})
    found = shown(pairs, target="y", groups=["a", "b"])
    assert (found.names, found.groups.tolist()) == (["x"], [[1, 7], [1, 8], [2, 7], [2, 8]])
    zips = pd.DataFrame({"zip": [501, 502, 501, 502], "y": [0, 1, 0, 1]})
    assert shown(zips, target="y", text=["zip"]).column("zip") == ["501", "502", "501", "502"]
    text = with_column(["1", "2", "1", "2"])
    assert shown(text, target="y").parts[0].schema["x"] == pl.String
    assert (len(data_notes(text)), data_notes(text, text="x")) == (1, [])
    days = [datetime.date(2020, 1, day) for day in (1, 2, 3, 4)]
    frame = pl.DataFrame({"day": days, "b": [True, False, True, True], "y": [0, 1, 0, 1]})
    assert shown(frame, target="y").parts[0].schema == {"day": pl.Date, "b": pl.Boolean}


# --- files --------------------------------------------------------------------------------------------

CSV = "age,city,who,number,y\n31,Bonn,a,1,no\n,Jena,a,2,yes\n45,,b,3,no\n28,Bonn,b,4,yes\n60,Jena,c,5,no\n"
CSV += "33,Bonn,c,6,yes\n"
ARFF = (
    "@relation r\n@attribute age numeric\n@attribute city {Bonn,Jena}\n@attribute who string\n"
    "@attribute number numeric\n@attribute y {no,yes}\n@data\n"
    + CSV.partition("\n")[2].replace("\n,", "\n?,").replace(",,", ",?,")
)
NOMINAL = (
    "@relation r\n@attribute ward {1,2,3}\n@attribute grade {1,2,unknown}\n@attribute age real\n"
    "@attribute y {0,1}\n@data\n1,1,31,0\n2,2,45,1\n3,unknown,28,0\n1,1,60,1\n"
)
GAPS = "x,g,y\n1,a,no\n2,a,\n3,b,yes\n4,,no\n5,b,yes\n6,c,no\n"


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Files are written, and named, in the current folder."""
    monkeypatch.chdir(tmp_path)

    def writer(content, name="rows.csv"):
        path = Path(name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")
        return path

    return writer


def test_all_formats_give_the_same(write):
    frame, csv = pl.DataFrame(ROWS), write(CSV)
    frame.write_parquet("rows.parquet")
    frame.write_ndjson("rows.ndjson")
    frame.write_csv("rows.tsv", separator="\t")
    write(ARFF, "rows.arff")
    marks = set()
    for source in (csv, str(csv), [csv], "rows.parquet", "rows.ndjson", "rows.tsv", "rows.arff"):
        found = shown(source, **NAMED)
        assert found.parts[0].schema == {"age": pl.Float64, "city": pl.String}, source
        assert (found.rows, found.y) == (FEATURES, ROWS["y"]), source
        assert [str(group) for group in found.groups] == ROWS["who"], source
        assert found.result.to_dict()["data"]["name"] == "rows"
        # Groups are the same from text and from numbers.
        marks.add(shown(source, target="y", groups="number", cv=2).result.fingerprint)
    assert marks == {shown(frame, target="y", groups="number", cv=2).result.fingerprint}
    first, second = write("x,y\n1,a\n2,b\n", "parts/1.csv"), write("y,x\na,3\nb,4\n", "parts/2.csv")
    assert shown([first, second], target="y").column("x") == [1.0, 2.0, 3.0, 4.0]
    found = shown("parts/*.csv", target="y")
    assert (found.column("x"), found.result.to_dict()["data"]["name"]) == ([1.0, 2.0, 3.0, 4.0], "parts")
    assert shown(write("x;y\n1;a\n2;b\n", "rows.txt"), target="y", delimiter=";").column("x") == [1.0, 2.0]


def test_cells_of_files_are_numbers_text_or_missing(write):
    path = write("x,y\n1,a\n?,b\n3,a\n NA ,b\n5,a\n6,b\n")
    numbers = shown(path, target="y", missing_words=["?", "NA"]).column("x")
    assert numbers == [1.0, None, 3.0, None, 5.0, 6.0]
    path = write("zip,y\n00501,a\n10115,b\n00502,a\n10117,b\n")
    assert (shown(path, target="y").column("zip")[0], len(data_notes(path))) == (501.0, 1)
    assert shown(path, target="y", text="zip").column("zip")[0] == "00501"
    assert data_notes(path, text="zip") == []
    assert data_notes(write("x,y\n0,a\n0.5,b\n-0.5,a\n0e1,b\n")) == []
    found = shown(write("b,y\ntrue,0\nfalse,1\nno,0\ntrue,1\n"), target="y")
    assert found.column("b") == ["true", "false", "no", "true"]
    assert told(found)[:2] == ([0, 1, 0, 1], (0, 1))
    path = write(NOMINAL, "rows.arff")  # attributes that look like numbers
    schema = {"ward": pl.String, "grade": pl.String, "age": pl.Float64}
    assert (shown(path, target="y").parts[0].schema, data_notes(path)) == (schema, [])


def test_rows_without_a_class_or_group_are_left_out_when_asked_and_ids_are_kept(write):
    found = shown(write(GAPS), target="y", groups="g", missing="drop")
    assert (found.column("x"), list(found.groups)) == ([1.0, 3.0, 5.0, 6.0], list("abbc"))
    frame = pd.DataFrame({"x": [1, None, 3, 4], "y": ["a", None, "b", "a"]}, index=[7, 7, 8, 8])
    assert shown(frame, target="y", missing="drop").column("x") == [1, 3, 4]
    assert len(data_notes(frame, missing="drop")) == 1, "no gap is left to speak of"
    path = write("id,x,y\nc,1,0\na,2,1\nd,3,\nb,4,0\ne,5,1\n")
    by_id = shown(path, target="y", id="id", missing="drop").result.predictions("polars")
    by_row = shown(path, target="y", ignore="id", missing="drop").result.predictions("polars")
    assert (by_id.columns[0], sorted(by_id["id"])) == ("id", ["a", "b", "c", "e"])
    assert (by_row.columns[0], sorted(by_row["row"])) == ("row", [0, 1, 3, 4]), "before rows were dropped"


# --- what is noted ------------------------------------------------------------------------------------

SHUFFLED = (np.random.default_rng(0).permutation(20) + 500).tolist()
SEVENS = [value * 7 for value in SHUFFLED]
IDENTIFIERS = {
    "counts from 1": ([*range(1, 21)], "number"),
    "counts from 100": ([*range(100, 120)], "case"),
    "counts, in another order": (SHUFFLED, "z"),
    "called id": (SEVENS, "id"),
    "called PatientID": (SEVENS, "PatientID"),
    "text called sample_id": ([f"a{value}" for value in SHUFFLED], "sample_id"),
    "two rows": ([30, 10], "uuid"),
}
MEASURED = {
    "floats": ([float(value) for value in range(20)], "id"),
    "numbers that differ": (SEVENS, "income"),
    "one twice": ([*range(1, 20), 19], "id"),
    "one missing": ([*range(1, 20), None], "id"),
    "few rows that count": ([*range(1, 9)], "dose"),
    "an index of something": (SEVENS, "price_index"),
    "ends in id": (SEVENS, "grid"),
    "booleans": ([True, False], "id"),
}
CELLS = [("{}", True), (" {}", True), ("{}.0", False), ("{}.5", False), ("k{}", True)]
CELLS += [(f"{{}}{10**20}", True)]


def test_what_looks_like_an_identifier_is_noted_when_nobody_named_it(write):
    wrong = []
    for case, (values, name) in {**IDENTIFIERS, **MEASURED}.items():
        frame = with_column(values, name)
        asked = data_notes(frame, features=[name, "n"])  # by name, so it is meant to be learned from
        looks = [note for note in data_notes(frame) if note not in asked]
        wrong += [] if len(looks) == (case in IDENTIFIERS) else [case]
        if case in IDENTIFIERS:
            named = [data_notes(frame, **{option: name}) for option in ("id", "ignore")]
            wrong += [case] * any(repr(name) in note for notes in named for note in notes)
    for cell, noted in CELLS:  # in files by how they are written
        lines = [f"{cell.format(row + 1)},{row % 3}.5,{row % 2}" for row in range(12)]
        path = write("\n".join(["row id,x,y", *lines]))
        wrong += [] if any("'row id'" in note for note in data_notes(path)) == noted else [cell]
    assert not wrong


def test_notes_of_tables(write, snapshot):
    twice = {"id": range(20), "row": range(20), "x": [0.5, 1.5] * 10, "y": [0, 1] * 10}
    tables = {
        "missing": (pl.DataFrame(ROWS), {"groups": "who", "id": "number"}),
        "text that is all numbers": (with_column(["1", "2", "1", "2"]), {}),
        "no variety": (pl.DataFrame({"k": [7, 7], "e": [None, None], "x": [1, 2], "y": [0, 1]}), {}),
        "leading zeros": (write("zip,y\n00501,a\n10115,b\n00502,a\n10117,b\n", "zip.csv"), {}),
        "a saved index": (write(",x,y\n0,5,a\n1,6,b\n", "index.csv"), {}),
        "left out": (write(GAPS, "gaps.csv"), {"groups": "g", "missing": "drop"}),
        "two identifiers": (pl.DataFrame(twice), {}),
        "a second identifier": (pl.DataFrame(twice), {"id": "id"}),
    }
    tables["two files"] = ("part *.csv", {})
    for part in (1, 2):
        write("x,y\n1,a\n2,b\n", f"part {part}.csv")
    notes = {name: "\n".join(data_notes(table, **options)) for name, (table, options) in tables.items()}
    assert all(notes.values())
    snapshot("notes_tables_to_learn_from", notes)
    assert shown("index.csv", target="y").names == ["x"]


# --- what is refused ----------------------------------------------------------------------------------

WRONG = {
    "no target": ("ColumnError", {"target": "Y"}),
    "misspelt target": ("ColumnError", {"target": "nmber"}),
    "target is a list": ("OptionError", {"target": ["y"]}),
    "no group": ("ColumnError", {"groups": "patient"}),
    "three groups": ("OptionError", {"groups": ["who", "city", "age"]}),
    "pairs of different types": ("OptionError", {"groups": ["who", "number"]}),
    "groups as values": ("OptionError", {"groups": np.zeros(6)}),
    "group twice": ("OptionError", {"groups": ["who", "who"]}),
    "repeated id": ("InputError", {"id": "who"}),
    "target as id": ("OptionError", {"id": "y"}),
    "target as feature": ("OptionError", {"features": ["y", "age"]}),
    "ignored and a feature": ("OptionError", {"features": ["age"], "ignore": ["age"]}),
    "unknown feature": ("ColumnError", {"features": ["age", "agee"]}),
    "unknown ignored": ("ColumnError", {"ignore": "nothing"}),
    "nothing left": ("OptionError", {"ignore": ["age", "city", "who", "number"]}),
    "unknown text": ("ColumnError", {"text": "ages"}),
    "text that is not learned from": ("OptionError", {"text": "who", "groups": "who"}),
    "missing": ("OptionError", {"missing": "ignore"}),
    "words for a frame": ("OptionError", {"missing_words": ["?"]}),
    "delimiter for a frame": ("OptionError", {"delimiter": ";"}),
    "wrong positive": ("LabelError", {"pos_label": "Yes"}),
    "labels without one that is there": ("LabelError", {"labels": ["no", "maybe"]}),
    "one label": ("LabelError", {"labels": ["no"]}),
    "a boolean as name": ("OptionError", {"features": [True]}),
}
NOTHING = pl.Series([None, None], dtype=pl.String)
FRAMES = {
    "lists": ("ColumnError", with_column([[1], [2], [1], [2]])),
    "structs": ("ColumnError", with_column([{"a": 1}, {"a": 2}])),
    "bytes": ("ColumnError", with_column([b"a", b"b"])),
    "sets": ("ColumnError", pd.DataFrame({"x": [{1}, {2}], "y": [0, 1]})),
    "infinite": ("ColumnError", with_column([1.0, float("inf")])),
    "odd word": ("NotNumbersError", with_column(["1", "2", "3", "?"])),
    "odd object": ("NotNumbersError", pd.DataFrame({"x": [1, 2, "unknown"], "y": [0, 1, 0]})),
    "one class": ("LabelError", pl.DataFrame({"x": [1, 2], "y": ["a", "a"]})),
    "constant": ("ColumnError", pl.DataFrame({"x": [5, 5], "y": [0, 1]})),
    "only the target": ("OptionError", pl.DataFrame({"y": [0, 1]})),
    "no rows": ("ShapeError", pl.DataFrame({"x": [], "y": []})),
    "a scale": ("LabelError", pl.DataFrame({"x": [1, 2], "y": [0.5, 1.5]})),
    "too many classes": ("LabelError", pl.DataFrame({"x": range(20), "y": range(20)})),
    "no class": ("MissingValueError", pl.DataFrame({"x": [1, 2], "y": NOTHING})),
    "a missing class": ("MissingValueError", pd.DataFrame({"x": [1, 2, 3], "y": ["a", None, "b"]})),
    "name twice": ("ColumnError", pd.DataFrame([[1, 2, 0], [3, 4, 1]], columns=["x", "x", "y"])),
    "an array": ("OptionError", np.zeros((3, 2))),
    "a list": ("OptionError", []),
}
FILES = {
    "a word for missing": ("NotNumbersError", "x,y\n1,a\n2,b\n?,a\n4,b\n", {}),
    "nan is a word": ("NotNumbersError", "x,y\n1,a\n2,b\nnan,a\n4,b\n", {}),
    "infinity is a word": ("NotNumbersError", "x,y\n1,a\n2,b\ninf,a\n4,b\n", {}),
    "two words": ("NotNumbersError", "x,y\n1,a\n2,b\nNA,a\n4,b\nunknown,a\n6,b\n", {}),
    "decimal comma": ("NotNumbersError", 'x,y\n"1,5",a\n"2,5",b\n"3,5",a\n', {}),
    "per cent": ("NotNumbersError", "x,y\n5%,a\n10%,b\n20 %,a\n", {}),
    "only a header": ("FileError", "x,y\n", {}),
    "ragged": ("FileError", "x,y\n1,a,3\n", {}),
    "name twice in a file": ("ColumnError", "x,x,y\n1,2,a\n3,4,b\n", {}),
    "other delimiter": ("ColumnError", "x;y\n1;a\n", {}),
    "empty target": ("MissingValueError", "x,y\n1,\n2,\n", {}),
    "empty feature": ("ColumnError", "x,y\n,a\n,b\n", {}),
    "a scale in a file": ("LabelError", "x,y\n" + "".join(f"{n},{n}.5\n" for n in range(12)), {}),
    "no class and no group": ("MissingValueError", "x,g,y\n1,a,no\n2,a,\n3,b,yes\n4,,no\n", {"groups": "g"}),
    "other labels": ("LabelError", CSV, {"labels": ["no", "maybe"]}),
    "all other labels": ("LabelError", CSV, {"labels": ["a", "b"]}),
    "another number after a gap": (
        "LabelError", "x,y\n1,0\n2,\n3,7\n", {"labels": [0, 1], "missing": "drop"},
    ),
}  # fmt: skip


def test_tables_that_cannot_be_learned_from_are_refused(write, snapshot):
    def ask(source, **options):
        return lambda: tm.validate(Watched(), source, **{"target": "y", "cv": 2, **options})

    calls = {name: ask(pl.DataFrame(ROWS), **options) for name, (_, options) in WRONG.items()}
    calls |= {name: ask(frame) for name, (_, frame) in FRAMES.items()}
    for number, (name, (_, content, options)) in enumerate(FILES.items()):
        calls[name] = ask(write(content, f"{number}.csv"), **options)
    parts = [write("x,y\n1,a\n2,b\n", "1st.csv"), write("y,x\na,3\nb,oops\n", "2nd.csv")]
    calls |= {"in the second file": ask(parts), "no file": ask("not there.csv")}
    expected = {name: kind for name, (kind, *_) in (WRONG | FRAMES | FILES).items()}
    refused = refusals(calls)
    snapshot("errors_tables_to_learn_from", refused)
    assert classes(refused) == {**expected, "in the second file": "NotNumbersError", "no file": "FileError"}
    assert not any("\n" in message for message in refused.values())
