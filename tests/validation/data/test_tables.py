"""`table_data`: from frames and files to a data set, and what is refused with a word."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tallymark as tm
from tallymark.validation.data.given import one_data_set
from tallymark.validation.data.tables import table_data

Write = Callable[..., Path]
ROWS = {
    "age": [31.0, None, 45.0, 28.0, 60.0, 33.0],
    "city": ["Bonn", "Jena", None, "Bonn", "Jena", "Bonn"],
    "who": ["a", "a", "b", "b", "c", "c"],
    "number": [1, 2, 3, 4, 5, 6],
    "y": ["no", "yes", "no", "yes", "no", "yes"],
}
CSV = (
    "age,city,who,number,y\n31,Bonn,a,1,no\n,Jena,a,2,yes\n45,,b,3,no\n28,Bonn,b,4,yes\n60,Jena,c,5,no\n"
    "33,Bonn,c,6,yes\n"
)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def writer(content: str, name: str = "rows.csv") -> Path:
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return writer


def refused(source: Any, **options: Any) -> str:
    with pytest.raises(tm.TallymarkError) as caught:
        table_data(source, **{"target": "y", **options})
    assert "\n" not in str(caught.value)
    return str(caught.value)


def with_column(values: Any, name: str = "x") -> pl.DataFrame:
    return pl.DataFrame(
        {name: values, "n": range(len(values)), "y": [place % 2 for place in range(len(values))]}
    )


# --- frames -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frame", "kind"),
    [
        pytest.param(pl.DataFrame(ROWS), pl.DataFrame, id="polars"),
        pytest.param(pl.DataFrame(ROWS).lazy(), pl.DataFrame, id="polars lazy"),
        pytest.param(pd.DataFrame(ROWS), pd.DataFrame, id="pandas"),
        pytest.param(pd.DataFrame(ROWS, index=[5, 5, 3, 2, 1, 0]), pd.DataFrame, id="pandas odd index"),
        pytest.param(pd.DataFrame(ROWS).convert_dtypes(), pd.DataFrame, id="pandas nullable"),
        pytest.param(pd.DataFrame(ROWS, dtype=object), pd.DataFrame, id="pandas object"),
        pytest.param(pa.table(ROWS), pa.Table, id="pyarrow"),
    ],
)
def test_features_stay_in_the_library_they_came_in(frame: Any, kind: type) -> None:
    data = table_data(frame, target="y", groups="who", id="number")
    assert isinstance(data.X, kind)
    assert data.rows == 6
    assert data.labels == ("no", "yes")
    assert data.positive is None
    assert data.y.tolist() == ROWS["y"]
    assert data.groups.tolist() == ROWS["who"]
    assert list(data.X.column_names if kind is pa.Table else data.X.columns) == ["age", "city"]
    for name in ("age", "city"):
        values = data.X[name].to_pylist() if kind is pa.Table else list(data.X[name])
        assert [None if pd.isna(value) else value for value in values] == ROWS[name]
    assert data.notes == ("values are missing in some of 6 rows: columns 'age' (1) and 'city' (1).",)


def test_objects_of_one_type_become_that_type() -> None:
    frame = pd.DataFrame(
        {"n": [1, None, 2.5, 3], "t": ["a", None, "b", "a"], "y": [0, 1, 0, 1]}, dtype=object
    )
    frame.index = [9, 9, 2, 1]
    data = table_data(frame, target="y")
    assert data.X["n"].dtype == np.float64
    assert data.X["n"].tolist()[2:] == [2.5, 3.0]
    assert list(data.X.index) == [9, 9, 2, 1]


def test_classes_are_whole_numbers_booleans_or_text() -> None:
    base = {"x": [1, 2, 3, 4]}
    assert table_data(pl.DataFrame({**base, "y": [0, 1, 1, 0]}), target="y").positive == 1
    assert table_data(pl.DataFrame({**base, "y": [False, True, True, False]}), target="y").positive is True
    floats = table_data(pd.DataFrame({**base, "y": [0.0, 1.0, 1.0, 0.0]}), target="y")
    assert (floats.y.tolist(), floats.labels) == ([0, 1, 1, 0], (0, 1))
    category = table_data(
        pd.DataFrame({**base, "y": pd.Categorical(list("abba"))}), target="y", pos_label="b"
    )
    assert (category.labels, category.positive) == (("a", "b"), "b")


def test_columns_whose_names_are_numbers() -> None:
    frame = pd.DataFrame(np.arange(12).reshape(4, 3) % 5)
    data = table_data(frame.assign(y=[0, 1, 0, 1]), target="y", ignore=[1])
    assert list(data.X.columns) == ["0", "2"]


def test_named_features_are_the_only_ones() -> None:
    data = table_data(pl.DataFrame(ROWS), target="y", features=["city", "age"])
    assert data.X.columns == ["city", "age"]
    assert table_data(pl.DataFrame(ROWS), target="y", features="age").X.columns == ["age"]


def test_two_columns_of_entities_make_pairs() -> None:
    frame = pl.DataFrame({"a": [1, 1, 2], "b": [7, 8, 7], "x": [0.1, 0.2, 0.3], "y": [0, 1, 0]})
    data = table_data(frame, target="y", groups=["a", "b"])
    assert data.groups.tolist() == [[1, 7], [1, 8], [2, 7]]
    assert data.X.columns == ["x"]


def test_text_says_that_numbers_are_names() -> None:
    frame = pd.DataFrame({"zip": [501, 502, 501, 502], "y": [0, 1, 0, 1]})
    assert table_data(frame, target="y", text=["zip"]).X["zip"].tolist() == ["501", "502", "501", "502"]


def test_text_by_its_type_stays_text_and_is_said_when_it_is_all_numbers() -> None:
    data = table_data(with_column(["1", "2", "1", "2"]), target="y")
    assert data.X.schema["x"] == pl.String
    assert data.notes == ("column 'x' is text by its type and taken as text, though all of it is numbers.",)
    assert table_data(with_column(["1", "2", "1", "2"]), target="y", text="x").notes == ()


def test_dates_and_booleans_stay_for_models_of_one_s_own() -> None:
    days = [datetime.date(2020, 1, day) for day in (1, 2, 3, 4)]
    frame = pl.DataFrame({"day": days, "b": [True, False, True, True], "y": [0, 1, 0, 1]})
    assert table_data(frame, target="y").X.schema == {"day": pl.Date, "b": pl.Boolean}


def test_a_column_without_variety_is_said() -> None:
    frame = pl.DataFrame({"k": [7, 7], "e": pl.Series([None, None]), "x": [1, 2], "y": [0, 1]})
    data = table_data(frame, target="y")
    assert data.notes == ("nothing can be learned from columns 'k' and 'e': every row has the same.",)


# --- files ------------------------------------------------------------------------------------------


def test_a_text_file_gives_numbers_and_text_by_all_its_values(write: Write) -> None:
    path = write(CSV)
    for source in (path, str(path), [path]):
        data = table_data(source, target="y", groups="who", id="number")
        assert data.X.schema == {"age": pl.Float64, "city": pl.String}
        assert data.X["age"].to_list() == ROWS["age"]
        assert data.X["city"].to_list() == ROWS["city"]
        assert data.groups.tolist() == ROWS["who"]
        assert data.name == "rows"


def test_all_formats_give_the_same(write: Write, tmp_path: Path) -> None:
    frame = pl.DataFrame(ROWS)
    frame.write_parquet(tmp_path / "rows.parquet")
    frame.write_ndjson(tmp_path / "rows.ndjson")
    frame.write_csv(tmp_path / "rows.tsv", separator="\t")
    write(
        "@relation r\n@attribute age numeric\n@attribute city {Bonn,Jena}\n@attribute who string\n"
        "@attribute number numeric\n@attribute y {no,yes}\n@data\n"
        + CSV.partition("\n")[2].replace("\n,", "\n?,").replace(",,", ",?,"),
        "rows.arff",
    )
    for name in ("rows.parquet", "rows.ndjson", "rows.tsv", "rows.arff"):
        data = table_data(tmp_path / name, target="y", groups="who", id="number")
        assert data.X.rows() == list(zip(ROWS["age"], ROWS["city"], strict=True))
        assert data.y.tolist() == ROWS["y"]


def test_files_are_parts_of_one_table(write: Write) -> None:
    first, second = write("x,y\n1,a\n2,b\n", "1.csv"), write("y,x\na,3\nb,4\n", "2.csv")
    data = table_data([first, second], target="y")
    assert data.X["x"].to_list() == [1.0, 2.0, 3.0, 4.0]
    assert "at line 3 of 2.csv" in refused([first, write("y,x\na,3\nb,oops\n", "2.csv")])


def test_words_that_mean_missing(write: Write) -> None:
    path = write("x,y\n1,a\n?,b\n3,a\n NA ,b\n5,a\n6,b\n")
    data = table_data(path, target="y", missing_words=["?", "NA"])
    assert data.X["x"].to_list() == [1.0, None, 3.0, None, 5.0, 6.0]


def test_codes_with_leading_zeros_are_numbers_unless_said_and_it_is_said(write: Write) -> None:
    path = write("zip,y\n00501,a\n10115,b\n00502,a\n10117,b\n")
    assert table_data(path, target="y").notes == (
        "column 'zip' is taken as numbers, though it has '00501'; if these are names, say so: --text zip "
        "(in Python text=['zip']).",
    )
    data = table_data(path, target="y", text=["zip"])
    assert (data.X["zip"].to_list()[0], data.notes) == ("00501", ())


def test_zero_and_decimals_below_one_are_no_codes(write: Write) -> None:
    assert table_data(write("x,y\n0,a\n0.5,b\n-0.5,a\n0e1,b\n"), target="y").notes == ()


def test_a_saved_index_without_a_name_is_left_out_and_said(write: Write) -> None:
    data = table_data(write(",x,y\n0,5,a\n1,6,b\n"), target="y")
    assert data.X.columns == ["x"]
    assert data.notes == ("a column without a name was left out; row numbers are often saved so.",)


def test_booleans_are_text_and_zero_and_one_are_classes(write: Write) -> None:
    data = table_data(write("b,y\ntrue,0\nfalse,1\ntrue,1.0\n"), target="y")
    assert data.X["b"].to_list() == ["true", "false", "true"]
    assert (data.labels, data.positive) == ((0, 1), 1)
    assert data.y.tolist() == [0, 1, 1]
    codes = table_data(write("b,y\nt,007\nf,1\nt,1\n"), target="y")
    assert codes.y.tolist() == ["007", "1", "1"]


def test_what_files_are_called(write: Write, tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    for name in ("parts/1.csv", "parts/2.csv"):
        write("x,y\n1,a\n2,b\n", name)
    data = table_data(str(tmp_path / "parts" / "*.csv"), target="y")
    assert (data.name, data.rows) == ("parts", 4)
    assert "means 2 files, parts of one table." in data.notes[0]


def test_other_delimiters(write: Write) -> None:
    path = write("x;y\n1;a\n2;b\n", "rows.txt")
    assert table_data(path, target="y", delimiter=";").rows == 2


# --- missing classes and groups ---------------------------------------------------------------------


def test_rows_without_a_class_or_group_are_left_out_when_said(write: Write) -> None:
    path = write("x,g,y\n1,a,no\n2,a,\n3,b,yes\n4,,no\n5,b,yes\n")
    assert refused(path, groups="g").startswith(
        "target (column 'y') is missing in 1 of 5 rows, at line 3; group (column 'g') is missing in 1 of 5 "
        "rows, at line 5. Hint: to leave such rows out"
    )
    data = table_data(path, target="y", groups="g", missing="drop")
    assert data.X["x"].to_list() == [1.0, 3.0, 5.0]
    assert data.groups.tolist() == ["a", "b", "b"]
    assert data.notes == ("2 of 5 rows were left out: 1 without a class and 1 without a group.",)


def test_missing_classes_of_a_pandas_frame() -> None:
    frame = pd.DataFrame({"x": [1, None, 3, 4], "y": ["a", None, "b", "a"]}, index=[7, 7, 8, 8])
    assert "missing in 1 of 4 rows, at position 1 (counted from 0)" in refused(frame)
    data = table_data(frame, target="y", missing="drop")
    assert data.X["x"].tolist() == [1, 3, 4]
    assert data.notes == ("1 of 4 rows were left out: 1 without a class.",)  # and no gap is left


# --- what is refused --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        pytest.param(
            {"target": "Y"},
            "there is no column 'Y'; the columns are 'age', 'city', 'who', 'number', 'y'. Hint: did you mean "
            "'y'?",
            id="no target",
        ),
        pytest.param({"target": "nmber"}, "Hint: did you mean 'number'?", id="misspelt target"),
        pytest.param({"target": None}, "target is the name of a column; got None", id="target is none"),
        pytest.param({"target": ["y"]}, "target is the name of a column; got ['y']", id="target is a list"),
        pytest.param({"groups": "patient"}, "there is no column 'patient'", id="no group"),
        pytest.param({"groups": ["who", "city", "age"]}, "one column, or two for pairs", id="three groups"),
        pytest.param({"groups": ["who", "number"]}, "are of different types", id="pairs of different types"),
        pytest.param({"groups": np.zeros(6)}, "groups are names of its columns; got", id="groups as values"),
        pytest.param({"groups": ["who", "who"]}, "groups names column 'who' twice", id="group twice"),
        pytest.param({"id": "who"}, "ids must be unique and present; column 'who' repeats", id="repeated id"),
        pytest.param({"id": "y"}, "column 'y' is named as the target and as the id", id="target as id"),
        pytest.param(
            {"features": ["y", "age"]}, "named as the target and as a feature", id="target as feature"
        ),
        pytest.param(
            {"features": ["age"], "ignore": ["age"]}, "named as one to ignore and as a feature", id="both"
        ),
        pytest.param({"features": ["age", "agee"]}, "Hint: did you mean 'age'?", id="unknown feature"),
        pytest.param({"ignore": "nothing"}, "there is no column 'nothing'", id="unknown ignored"),
        pytest.param(
            {"ignore": ["age", "city", "who", "number"]}, "no column to learn from", id="nothing left"
        ),
        pytest.param({"text": "ages"}, "Hint: did you mean 'age'?", id="unknown text"),
        pytest.param(
            {"text": "who", "groups": "who"}, "named as text, and it is not learned from", id="idle text"
        ),
        pytest.param({"missing": "ignore"}, "missing must be 'error' or 'drop'; got 'ignore'", id="missing"),
        pytest.param(
            {"missing_words": ["?"]}, "missing_words is about reading files", id="words for a frame"
        ),
        pytest.param({"delimiter": ";"}, "delimiter is about reading files", id="delimiter for a frame"),
        pytest.param({"pos_label": "Yes"}, "did you mean 'yes'?", id="wrong positive"),
        pytest.param({"labels": ["no", "maybe"]}, "yes", id="labels without one that is there"),
        pytest.param(
            {"features": [True]}, "features is the name of a column; got True", id="a boolean as name"
        ),
    ],
)
def test_wrong_names_and_options(options: dict[str, Any], said: str) -> None:
    assert said in refused(pl.DataFrame(ROWS), **options)


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        pytest.param(with_column([[1], [2], [1]]), "column 'x' is of type List(Int64)", id="lists"),
        pytest.param(with_column([{"a": 1}, {"a": 2}]), "column 'x' is of type Struct", id="structs"),
        pytest.param(with_column([b"a", b"b"]), "column 'x' is of type Binary", id="bytes"),
        pytest.param(pd.DataFrame({"x": [{1}, {2}], "y": [0, 1]}), "column 'x' is of type set;", id="sets"),
        pytest.param(with_column([1.0, float("inf")]), "is infinite in 1 row, at position 1", id="infinite"),
        pytest.param(
            with_column(["1", "2", "3", "?"]),
            "holds numbers in 3 of 4 rows, and '?' at position 3",
            id="odd word",
        ),
        pytest.param(
            pd.DataFrame({"x": [1, 2, "unknown"], "y": [0, 1, 0]}),
            "'unknown' at position 2 (counted from 0). Hint: make numbers of it first",
            id="odd object",
        ),
        pytest.param(
            pl.DataFrame({"x": [1, 2], "y": ["a", "a"]}), "all 2 rows are of one class", id="one class"
        ),
        pytest.param(
            pl.DataFrame({"x": [5, 5], "y": [0, 1]}), "the same in column 'x': there is", id="constant"
        ),
        pytest.param(pl.DataFrame({"y": [0, 1]}), "no column to learn from", id="only the target"),
        pytest.param(pl.DataFrame({"x": [], "y": []}), "no rows", id="no rows"),
        pytest.param(pl.DataFrame({"x": [1, 2], "y": [0.5, 1.5]}), "not estimated here", id="a scale"),
        pytest.param(
            pl.DataFrame({"x": range(20), "y": range(20)}),
            "20 different values in 20 rows",
            id="too many classes",
        ),
        pytest.param(
            pl.DataFrame({"x": [1, 2], "y": pl.Series([None, None], dtype=pl.String)}),
            "missing in 2",
            id="no class",
        ),
        pytest.param(
            pd.DataFrame([[1, 2, 0], [3, 4, 1]], columns=["x", "x", "y"]),
            "several columns called 'x'",
            id="twice",
        ),
        pytest.param(np.zeros((3, 2)), "target names a column of a table; got ndarray", id="an array"),
        pytest.param({"x": [1, 2], "y": [0, 1]}, "a column of a table; got dict", id="a mapping"),
        pytest.param(None, "a column of a table; got NoneType", id="nothing"),
    ],
)
def test_frames_that_cannot_be_learned_from(frame: Any, said: str) -> None:
    assert said in refused(frame)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(
            "x,y\n1,a\n2,b\n?,a\n4,b\n",
            "column 'x' holds numbers in 3 of 4 rows, and '?' at line 4. Hint: if '?' means missing, say so: "
            "--missing '?' (in Python missing_words=['?']); if the column is text, --text x (in Python "
            "text=['x']).",
            id="a word for missing",
        ),
        pytest.param("x,y\n1,a\n2,b\nnan,a\n4,b\n", "'nan' at line 4", id="nan is a word"),
        pytest.param("x,y\n1,a\n2,b\ninf,a\n4,b\n", "'inf' at line 4", id="infinity is a word"),
        pytest.param(
            "x,y\n1,a\n2,b\nNA,a\n4,b\nunknown,a\n6,b\n",
            "if 'NA' and 'unknown' mean missing, say so: --missing NA --missing unknown",
            id="two words",
        ),
        pytest.param(
            'x,y\n"1,5",a\n"2,5",b\n"3,5",a\n', "decimals are written with a point", id="decimal comma"
        ),
        pytest.param("x,y\n5%,a\n10%,b\n20 %,a\n", "write percentages as shares", id="percent"),
        pytest.param("x,y\n", "there are no rows in", id="only a header"),
        pytest.param("x,y\n1,a,3\n", "line 2 of", id="ragged"),
        pytest.param("x,x,y\n1,2,a\n3,4,b\n", "has 2 columns named 'x'", id="name twice"),
        pytest.param(
            "x;y\n1;a\n",
            "the columns are 'x;y'. Hint: the header has ';' in it: try delimiter ';'",
            id="other delimiter",
        ),
        pytest.param("x,y\n1,\n2,\n", "target (column 'y') is missing in 2 of 2 rows", id="empty target"),
        pytest.param("x,y\n,a\n,b\n", "every row has the same in column 'x'", id="empty feature"),
        pytest.param(
            "x,y\n" + "".join(f"{n},{n}.5\n" for n in range(12)), "12 different values", id="a scale"
        ),
    ],
)
def test_files_that_cannot_be_learned_from(write: Write, content: str, said: str) -> None:
    assert said in refused(write(content))


def test_files_that_are_not_there(tmp_path: Path) -> None:
    assert "there is no file" in refused(tmp_path / "rows.csv")
    assert refused([]).startswith("target names a column of a table; got list")


# --- as users hand it in ----------------------------------------------------------------------------


def test_by_way_of_what_users_hand_in(write: Write) -> None:
    data = one_data_set(write(CSV), target="y", groups="who", ignore=["number"])
    assert (data.name, data.X.columns) == ("rows", ["age", "city"])
    assert one_data_set(pd.DataFrame(ROWS), target="y", name="mine").name == "mine"


# --- identifiers ------------------------------------------------------------------------------------

NAMED = (
    "column {0!r} differs in every row, as an identifier does; if it is one, name it: --id {0} (id={0!r})."
)


def notes_of(values: Any, name: str, **options: Any) -> tuple[str, ...]:
    rows = len(values)
    frame = pl.DataFrame({name: values, "x": [0.5, 1.5] * (rows // 2), "y": [0, 1] * (rows // 2)})
    return table_data(frame, target="y", **options).notes


SHUFFLED = np.random.default_rng(0).permutation(20) + 500


@pytest.mark.parametrize(
    ("values", "name"),
    [
        pytest.param(list(range(1, 21)), "number", id="counts from 1"),
        pytest.param(list(range(100, 120)), "case", id="counts from 100"),
        pytest.param(SHUFFLED, "z", id="counts, in another order"),
        pytest.param(SHUFFLED * 7, "id", id="called id"),
        pytest.param(SHUFFLED * 7, "PatientID", id="called PatientID"),
        pytest.param([f"a{value}" for value in SHUFFLED], "sample_id", id="text called sample_id"),
        pytest.param([30, 10], "uuid", id="two rows"),
    ],
)
def test_what_tells_rows_apart_is_said_when_nobody_named_it(values: Any, name: str) -> None:
    assert notes_of(values, name) == (NAMED.format(name),)
    assert notes_of(values, name, id=name) == ()
    assert notes_of(values, name, ignore=[name]) == ()
    assert notes_of(values, name, features=[name, "x"]) == ()  # asked for by name


@pytest.mark.parametrize(
    ("values", "name"),
    [
        pytest.param([float(value) for value in range(20)], "id", id="floats"),
        pytest.param(SHUFFLED * 7, "income", id="numbers that differ"),
        pytest.param([*range(1, 20), 19], "id", id="one twice"),
        pytest.param([*range(1, 20), None], "id", id="one missing"),
        pytest.param(list(range(1, 9)), "dose", id="few rows that count"),
        pytest.param(SHUFFLED * 7, "price_index", id="an index of something"),
        pytest.param(SHUFFLED * 7, "grid", id="ends in id"),
        pytest.param([True, False], "id", id="booleans"),
    ],
)
def test_measurements_are_not_taken_for_identifiers(values: Any, name: str) -> None:
    assert not [note for note in notes_of(values, name) if "identifier" in note]


@pytest.mark.parametrize(
    ("cells", "speaks"),
    [
        pytest.param([str(n) for n in range(1, 13)], True, id="whole numbers"),
        pytest.param([f" {n}" for n in range(1, 13)], True, id="with blanks"),
        pytest.param([f"{n}.0" for n in range(1, 13)], False, id="written as decimals"),
        pytest.param([f"{n}.5" for n in range(1, 13)], False, id="decimals"),
        pytest.param([f"k{n}" for n in range(1, 13)], True, id="text"),
        pytest.param([f"{n}{10**20}" for n in range(1, 13)], True, id="long figures"),
    ],
)
def test_identifiers_in_files_are_known_by_how_they_are_written(
    write: Write, cells: list[str], speaks: bool
) -> None:
    lines = [f"{cell},{row % 3}.5,{row % 2}" for row, cell in enumerate(cells)]
    notes = table_data(write("\n".join(["row id,x,y", *lines])), target="y").notes
    named = "name it: --id 'row id' (id='row id')."
    assert [note.endswith(named) for note in notes if "identifier" in note] == [True] * speaks


def test_a_second_identifier_can_only_be_left_out() -> None:
    base = {"id": list(range(20)), "row": list(range(20)), "x": [0.5, 1.5] * 10, "y": [0, 1] * 10}
    left_out = (
        "column 'row' differs in every row, as an identifier does; if it is one, leave it out: "
        "--ignore row (ignore=['row'])."
    )
    assert table_data(pl.DataFrame(base), target="y").notes == (NAMED.format("id"), left_out)
    assert table_data(pl.DataFrame(base), target="y", id="id").notes == (left_out,)


def test_ids_are_kept_and_positions_of_rows_before_some_were_dropped(write: Write) -> None:
    path = write("id,x,y\nc,1,0\na,2,1\nd,3,\nb,4,0\n")
    data = table_data(path, target="y", id="id", missing="drop")
    assert (data.id_name, data.ids_at(np.arange(3)).to_list()) == ("id", ["c", "a", "b"])
    data = table_data(path, target="y", ignore="id", missing="drop")
    assert (data.id_name, data.ids_at(np.arange(3)).tolist()) == (None, [0, 1, 3])


# --- what files declare -----------------------------------------------------------------------------

ARFF = """@relation r
@attribute ward {1,2,3}
@attribute grade {1,2,unknown}
@attribute age real
@attribute y {0,1}
@data
1,1,31,0
2,2,45,1
3,unknown,28,0
1,1,60,1
"""


def test_nominal_attributes_are_text_though_they_look_like_numbers(write: Write) -> None:
    data = table_data(write(ARFF, "rows.arff"), target="y")
    assert data.X.schema == {"ward": pl.String, "grade": pl.String, "age": pl.Float64}
    assert (data.labels, data.notes) == ((0, 1), ())


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        pytest.param(["no", "maybe"], "holds ['yes'] at lines 3, 5 and 7; the labels given", id="text"),
        pytest.param(["a", "b"], "holds ['no', 'yes'] at lines 2, 3, 4 and 3 more", id="all of them"),
        pytest.param(["no"], "at least two labels; got ['no']", id="one"),
    ],
)
def test_classes_that_are_not_among_the_labels_are_named_with_their_lines(
    write: Write, labels: list[str], said: str
) -> None:
    assert said in refused(write(CSV), labels=labels)


def test_numbers_that_are_not_among_the_labels_and_rows_that_were_dropped(write: Write) -> None:
    path = write("x,y\n1,0\n2,\n3,7\n4,1\n")
    told = refused(path, labels=[0, 1], missing="drop")
    assert told == "target (column 'y') holds [7] at line 4; the labels given are [0, 1]."


def test_groups_are_the_same_from_text_and_from_numbers(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    table = pl.DataFrame(
        {"x": rng.normal(size=60), "patient": np.repeat(np.arange(1, 13), 5), "y": rng.integers(0, 2, 60)}
    )
    table.write_csv(tmp_path / "rows.csv")
    table.write_parquet(tmp_path / "rows.parquet")
    read = [
        table_data(source, target="y", groups="patient")
        for source in (tmp_path / "rows.csv", tmp_path / "rows.parquet", table)
    ]
    marks = {tm.KFold(4).fingerprint(y=data.y, groups=data.groups) for data in read}
    assert len(marks) == 1
