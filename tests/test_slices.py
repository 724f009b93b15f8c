"""Slices: the same evaluation of parts of the rows, and how far each is from the whole."""

from __future__ import annotations

import csv
import io
import json
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tallymark as tm
from tallymark.errors import ColumnError, MetricError, MissingValueError, OptionError
from tallymark.evaluation import Evaluation
from tallymark.evaluation.slices import FEW_ROWS, Slice

generator = np.random.default_rng(4)
N = 240
ROWS = pl.DataFrame(
    {
        "y": generator.choice(["no", "yes"], N),
        "s": generator.random(N).round(3),
        "region": generator.choice(["north", "south", "east"], N),
        "age": generator.choice(["2", "10", "33"], N),
        "a*b": generator.choice(["x", "y"], N),
        "patient": np.arange(N) // 4,
        "w": generator.integers(1, 4, N),
        "flag": generator.random(N) < 0.5,
    }
)
ANSWERS = np.where(generator.random(N) < 0.8, ROWS["y"].to_numpy(), generator.choice(["no", "yes"], N))
ROWS = ROWS.with_columns(p=pl.Series(ANSWERS.astype(str)))


def evaluated(*slices: str, frame: Any = ROWS, **options: Any) -> Evaluation:
    given = {"actual": "y", "predicted": "p", "pos_label": "yes", "slices": list(slices)} | options
    return tm.evaluate(frame, **given)


def keys(ev: Evaluation) -> list[dict[str, Any]]:
    return [part.slice for part in ev.slices]


def text_of_slices(ev: Evaluation) -> str:
    return str(ev).partition("Slices\n------\n")[2].partition("\nFindings\n")[0]


# --- which slices there are ------------------------------------------------------------------


def test_every_value_of_a_column() -> None:
    ev = evaluated("region")
    assert keys(ev) == [{"region": "east"}, {"region": "north"}, {"region": "south"}]
    assert sum(part.rows for part in ev.slices) == N
    assert sum((part.evaluation.confusion for part in ev.slices), tm.Confusion.empty()) == ev.confusion


def test_a_slice_is_the_evaluation_of_its_rows() -> None:
    for part in evaluated("region").slices:
        alone = evaluated(frame=ROWS.filter(pl.col("region") == part.slice["region"]))
        assert part.rows == alone.rows
        assert part.evaluation.confusion == alone.confusion
        for name in ("accuracy", "recall", "precision", "f1", "mcc", "f1_macro"):
            assert part[name].to_dict() == alone[name].to_dict(), name


def test_a_slice_with_weights_and_groups_is_the_evaluation_of_its_rows() -> None:
    for part in evaluated("region", weight="w", groups="patient").slices:
        frame = ROWS.filter(pl.col("region") == part.slice["region"])
        alone = evaluated(frame=frame, weight="w", groups="patient")
        for name in ("accuracy", "recall", "mcc"):
            assert part[name].to_dict() == alone[name].to_dict(), name


def test_numbers_go_by_value_also_as_text() -> None:
    assert [part.slice["age"] for part in evaluated("age").slices] == ["2", "10", "33"]
    numbers = ROWS.with_columns(age=pl.col("age").cast(pl.Int64))
    assert [part.slice["age"] for part in evaluated("age", frame=numbers).slices] == [2, 10, 33]
    mixed = ROWS.with_columns(age=pl.col("age").replace("33", "old"))
    assert [part.slice["age"] for part in evaluated("age", frame=mixed).slices] == ["10", "2", "old"]


def test_booleans() -> None:
    ev = evaluated("flag")
    assert keys(ev) == [{"flag": False}, {"flag": True}]
    assert [part["slice"] for part in ev.to_dict()["slices"]] == [{"flag": "False"}, {"flag": "True"}]


def test_several_columns_one_after_the_other_or_crossed() -> None:
    ev = evaluated("region", "age", "region*age")
    assert [tuple(key) for key in keys(ev)] == [("region",)] * 3 + [("age",)] * 3 + [("region", "age")] * 9
    crossed = ev.slices[6:]
    assert crossed[0].slice == {"region": "east", "age": "2"}
    assert crossed[0].name == "region=east, age=2"
    for part in crossed:
        expected = ROWS.filter(
            (pl.col("region") == part.slice["region"]) & (pl.col("age") == part.slice["age"])
        )
        assert part.rows == len(expected)


def test_combinations_that_do_not_occur_are_not_there() -> None:
    frame = ROWS.filter((pl.col("region") != "east") | (pl.col("age") != "2"))
    assert {"region": "east", "age": "2"} not in keys(evaluated("region*age", frame=frame))
    assert len(evaluated("region*age", frame=frame).slices) == 8


def test_a_column_with_a_star_in_its_name() -> None:
    assert keys(evaluated("a*b")) == [{"a*b": "x"}, {"a*b": "y"}]


def test_the_column_of_the_groups_or_of_the_classes() -> None:
    ev = evaluated("patient", groups="patient")
    assert len(ev.slices) == 60
    assert ev.slices[0]["accuracy"].low is None
    assert ev.slices[0]["accuracy"].note == "all rows are of one group, so there is nothing to resample"
    of_classes = evaluated("y")
    assert [part["prevalence"].value for part in of_classes.slices] == [0, 1]
    assert of_classes.slices[0]["recall"].value is None


def test_one_slice_is_all_rows() -> None:
    ev = evaluated("one", frame=ROWS.with_columns(one=pl.lit("all")))
    found = ev.slices[0].difference("accuracy")
    assert (found.value, found.low) == (0, None)
    assert found.note == "there is no other row to compare with"
    assert not ev.slices[0].differs("accuracy")
    assert "there is no other row to compare with" in " ".join(text_of_slices(ev).split())
    assert "Bonferroni" not in text_of_slices(ev)


@pytest.mark.parametrize("library", [pd, pl])
def test_arrays_take_columns_by_name_or_a_frame(library: Any) -> None:
    y, p = ROWS["y"].to_list(), ROWS["p"].to_list()
    by_name = tm.evaluate(y, p, pos_label="yes", slices={"region": ROWS["region"].to_list()})
    frame = library.DataFrame({"region": ROWS["region"].to_list()})
    in_frame = tm.evaluate(y, p, pos_label="yes", slices=frame)
    expected = evaluated("region").to_dict()["slices"]
    assert by_name.to_dict()["slices"] == in_frame.to_dict()["slices"] == expected


def test_a_lone_name_need_not_be_a_list() -> None:
    assert keys(tm.evaluate(ROWS, actual="y", predicted="p", slices="region")) == keys(evaluated("region"))


# --- with everything else --------------------------------------------------------------------


def test_scores_cut_at_a_threshold() -> None:
    ev = evaluated("region", predicted=None, score="s", threshold=0.3)
    for part in ev.slices:
        rows = ROWS.filter(pl.col("region") == part.slice["region"])
        right = ((rows["s"] >= 0.3) == (rows["y"] == "yes")).mean()
        assert part["accuracy"].value == pytest.approx(right)


def test_the_best_threshold_is_that_of_all_rows() -> None:
    ev = evaluated("region", predicted=None, score="s", threshold="best:f1")
    assert ev.threshold is not None
    for part in ev.slices:
        rows = ROWS.filter(pl.col("region") == part.slice["region"])
        right = ((rows["s"] >= ev.threshold) == (rows["y"] == "yes")).mean()
        assert part["accuracy"].value == pytest.approx(right)


def test_without_answers_slices_are_ranked() -> None:
    frame = ROWS.with_columns(s=pl.col("s") * 10 - 5)
    ev = evaluated("region", frame=frame, predicted=None, score="s")
    cut = evaluated("region", predicted=None, score="s", threshold=0.3)
    assert [part.slice for part in ev.slices] == [part.slice for part in cut.slices]
    assert [part.rows for part in ev.slices] == [part.rows for part in cut.slices]
    assert [part["auc"].value for part in ev.slices] == [part["auc"].value for part in cut.slices]
    assert {part["recall"].why for part in ev.slices} == {"pass a threshold"}
    assert {part.difference("auc").why for part in ev.slices} == {
        "differences from the whole are made of counts; compare the numbers and their intervals"
    }
    for form in ev.to_dict()["slices"]:
        assert form["metrics"]["auc"]["value"] is not None
        assert (form["differences"], form["confusion"]) == ({}, None)
    assert str(ev).count("average_precision") >= 4


def test_probabilities() -> None:
    frame = ROWS.with_columns(p_yes=pl.col("s"), p_no=1 - pl.col("s"))
    ev = evaluated("region", frame=frame, predicted=None, probabilities=["p_no", "p_yes"])
    for part in ev.slices:
        rows = frame.filter(pl.col("region") == part.slice["region"])
        right = ((rows["p_yes"] > rows["p_no"]) == (rows["y"] == "yes")).mean()
        assert part["accuracy"].value == pytest.approx(right)


def test_costs() -> None:
    ev = evaluated("region", costs={"yes": {"no": 5}, "no": {"yes": 1}})
    for part in ev.slices:
        rows = ROWS.filter(pl.col("region") == part.slice["region"])
        misses = ((rows["y"] == "yes") & (rows["p"] == "no")).sum()
        alarms = ((rows["y"] == "no") & (rows["p"] == "yes")).sum()
        assert part["mean_cost"].value == pytest.approx((5 * misses + alarms) / len(rows))
        found = part.difference("mean_cost")
        assert found.value == pytest.approx(float(part["mean_cost"]) - float(ev["mean_cost"]))
        assert found.low is not None


def test_declared_labels_stay_even_where_a_slice_has_none_of_them() -> None:
    ev = evaluated("region", labels=["yes", "no", "maybe"])
    for part in ev.slices:
        assert part.evaluation.labels == ("yes", "no", "maybe")
        assert part.evaluation.confusion is not None
        assert part.evaluation.confusion.declared


def test_many_classes_without_a_positive_one_are_compared_by_mcc() -> None:
    frame = ROWS.with_columns(y=pl.col("region"), p=pl.col("region").shuffle(seed=1))
    ev = evaluated("age", frame=frame, pos_label=None)
    assert list(ev.to_dict()["slices"][0]["differences"]) == ["accuracy", "mcc"]


def test_a_slice_whose_weights_are_all_zero_is_left_out() -> None:
    frame = ROWS.with_columns(w=pl.when(pl.col("region") == "east").then(0).otherwise(pl.col("w")))
    ev = evaluated("region", frame=frame, weight="w")
    assert [part.slice["region"] for part in ev.slices] == ["north", "south"]
    assert any("weight 0" in note for note in ev.notes)


def test_an_evaluation_with_slices_can_be_pickled() -> None:
    ev = evaluated("region", groups="patient", weight="w")
    again = pickle.loads(pickle.dumps(ev))
    assert again.to_dict()["slices"] == ev.to_dict()["slices"]


# --- differences -----------------------------------------------------------------------------


def test_a_difference_is_slice_less_whole() -> None:
    ev = evaluated("region")
    for part in ev.slices:
        for name in ("accuracy", "recall", "precision", "f1", "mcc", "fpr"):
            found = part.difference(name)
            assert found.value == pytest.approx(float(part[name]) - float(ev[name]))
            assert found.low is not None
            assert found.high is not None
            assert found.low <= found.value <= found.high


@pytest.mark.parametrize("name", ["f1_macro", "recall_weighted", "balanced_accuracy"])
def test_averages_over_classes_are_not_compared(name: str) -> None:
    with pytest.raises(MetricError, match="averages over classes"):
        evaluated("region").slices[0].difference(name)


def halves(errors: int, n: int = 200) -> tuple[Slice, ...]:
    """Two slices of n rows; the second has so many errors, the first 10 of them."""
    actual = np.tile([0, 1], n)
    wrong = np.concatenate([np.arange(n) < 10, np.arange(n) < errors])
    return tm.evaluate(
        actual, np.where(wrong, 1 - actual, actual), slices={"half": np.repeat([1, 2], n)}
    ).slices


def test_what_differs_is_marked_and_what_may_be_chance_is_not() -> None:
    assert [part.differs("accuracy") for part in halves(40)] == [True, True]
    assert [part.differs("accuracy") for part in halves(14)] == [False, False]


def test_the_level_is_shared_out_among_the_slices() -> None:
    # 21 errors in 100 rows beside 100 in 1,000, which are 2 slices or 100: only the sharing out differs.
    actual = np.tile([0, 1], 550)
    place = np.arange(1_100)
    wrong = np.where(place < 100, place < 21, place % 10 == 0)

    def first_of(slices: int) -> Slice:
        number = np.where(place < 100, 0, 1 + place % slices)
        return tm.evaluate(actual, np.where(wrong, 1 - actual, actual), slices={"part": number}).slices[0]

    few, many = first_of(2), first_of(100)
    assert (few.among, many.among) == (3, 101)
    assert few.difference("accuracy").to_dict() == many.difference("accuracy").to_dict()
    assert few.differs("accuracy")
    assert not many.differs("accuracy")


# --- on paper --------------------------------------------------------------------------------


def test_the_json_keys() -> None:
    form = json.loads(evaluated("region*age").to_json(), parse_constant=pytest.fail)["slices"]
    assert len(form) == 9
    first = form[0]
    assert first["slice"] == {"region": "east", "age": "2"}
    assert isinstance(first["rows"], int)
    assert first["few_rows"] is (first["rows"] < FEW_ROWS)
    assert first["metrics"]["recall"].keys() >= {"value", "low", "high", "level", "method", "n", "assumption"}
    assert first["confusion"]["labels"] == ["no", "yes"]
    assert sum(map(sum, first["confusion"]["matrix"])) == first["rows"]
    assert list(first["differences"]) == ["accuracy", "recall", "precision", "f1"]
    assert isinstance(first["differences"]["recall"]["differs"], bool)


def test_the_table() -> None:
    text = text_of_slices(evaluated("region"))
    lines = text.strip().splitlines()
    assert lines[0].split() == [
        *("region", "rows", "metric", "value", "95", "%", "interval"),
        *("difference", "95", "%", "interval"),
    ]
    assert lines[2].split()[:4] == ["all", "rows", "240", "accuracy"]
    named = [line.split()[0] for line in lines if re.match(r"(east|north|south) ", line)]
    assert named == ["east", "north", "south"]
    said = " ".join(text.split())
    assert (
        "Of 12 differences at 95 %, about 0.6 would seem to be there even if all slices were alike. "
        "'differs' marks those that remain when the error is shared out among the 3 slices (Bonferroni)."
    ) in said


def test_small_slices_are_marked_once() -> None:
    frame = pl.concat([ROWS, ROWS.head(8).with_columns(region=pl.lit("west"))])
    text = text_of_slices(evaluated("region", frame=frame))
    assert text.count("few rows") == 1
    line = next(line for line in text.splitlines() if "few rows" in line)
    assert line.split()[:2] == ["west", "8"]


def test_what_differs_is_said_in_the_table() -> None:
    ev = halves(60)[0].whole
    lines = [line for line in text_of_slices(ev).splitlines() if line.endswith("differs")]
    assert lines
    assert any("accuracy" in line for line in lines)


def test_numbers_without_an_interval_say_why() -> None:
    group = ROWS["region"].replace_strict({"east": 1, "north": 2, "south": 3})
    ev = evaluated("region", frame=ROWS.with_columns(patient=group), groups="patient")
    said = " ".join(text_of_slices(ev).split())
    assert (
        "No interval of the difference for accuracy in east, recall in east, precision in east, f1 in east "
        "and 8 more: all rows here, or all others, are of one group, so there is nothing to resample."
    ) in said


def test_of_many_slices_the_worst_are_printed() -> None:
    frame = ROWS.with_columns(many=pl.int_range(pl.len()) % 40)
    ev = evaluated("many", frame=frame)
    text = text_of_slices(ev)
    assert "The 30 of 40 slices with the lowest accuracy; JSON and CSV have all of them." in text
    shown = [int(line.split()[0]) for line in text.splitlines() if re.match(r"\d+ ", line)]
    assert len(shown) == 30
    by_accuracy = sorted(float(part["accuracy"]) for part in ev.slices)
    values = {part.slice["many"]: float(part["accuracy"]) for part in ev.slices}
    assert [values[number] for number in shown] == by_accuracy[:30]
    assert len(ev.to_dict()["slices"]) == 40
    assert "among the 40 slices" in " ".join(text.split())


def test_frames_and_csv_name_the_slice_of_every_number(tmp_path: Any) -> None:
    ev = evaluated("region", frame=ROWS.to_pandas())
    frame = ev.to_frame()
    assert isinstance(frame, pd.DataFrame)
    recalls = frame[(frame["metric"] == "recall") & frame["class"].isna() & frame["average"].isna()]
    assert recalls["slice"].tolist() == ["", "region=east", "region=north", "region=south"]
    assert recalls["value"].tolist() == [float(ev["recall"]), *(float(part["recall"]) for part in ev.slices)]
    ev.save(tmp_path / "numbers.csv")
    lines = list(csv.DictReader(io.StringIO((tmp_path / "numbers.csv").read_text())))
    assert {line["slice"] for line in lines} == {"", "region=east", "region=north", "region=south"}


@pytest.mark.parametrize("suffix", [".md", ".tex", ".txt"])
def test_other_formats_have_the_slices(suffix: str, tmp_path: Any) -> None:
    path = tmp_path / f"report{suffix}"
    evaluated("region", "age").save(path)
    assert all(word in path.read_text() for word in ("Slices", "north", "difference", "Bonferroni"))


def test_names_from_data_cannot_break_a_terminal() -> None:
    frame = ROWS.with_columns(region=pl.lit("\x1b[31mred\n"))
    assert "\x1b" not in str(evaluated("region", frame=frame))


# --- what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("slices", "said"),
    [
        (["region", "region"], "slice 'region' is given twice."),
        (["region*age", "region*age"], "slice 'region*age' is given twice."),
        (["region*region"], "a slice is a column, or different columns crossed by *; got 'region*region'."),
        (["region*"], "a slice is a column, or different columns crossed by *; got 'region*'."),
        (["*"], "a slice is a column, or different columns crossed by *; got '*'."),
        ([""], "a slice is a column, or different columns crossed by *; got ''."),
    ],
)
def test_slices_that_are_none(slices: list[str], said: str) -> None:
    with pytest.raises(OptionError) as caught:
        evaluated(*slices)
    assert str(caught.value) == said


def test_a_column_that_is_not_there() -> None:
    for name in ("nowhere", "region*nowhere"):
        with pytest.raises(ColumnError, match="'nowhere'"):
            evaluated(name)


def test_numbers_with_decimals_are_slices_in_order(tmp_path: Path) -> None:
    frame = pl.DataFrame({"y": [1, 0] * 30, "p": [1, 1] * 30, "dose": [10.0, 0.5, 2.25] * 20})
    frame.write_csv(tmp_path / "doses.csv")
    for data in (frame, frame.to_pandas(), tmp_path / "doses.csv"):
        ev = tm.evaluate(data, actual="y", predicted="p", slices=["dose"])
        doses = [float(part.slice["dose"]) for part in ev.slices]
        assert doses == [0.5, 2.25, 10]
        assert [part.rows for part in ev.slices] == [20, 20, 20]


@pytest.mark.parametrize("crossed", [False, True])
def test_a_thousand_slices_and_no_more(crossed: bool) -> None:
    n = 40 * 40 if crossed else 1_001
    frame = pl.DataFrame({"y": [0, 1] * n, "p": [0, 1] * n}).with_columns(
        a=pl.int_range(2 * n) % (40 if crossed else n), b=pl.int_range(2 * n) // 40 % 40
    )
    name, count = ("a*b", "1,600") if crossed else ("a", "1,001")
    with pytest.raises(OptionError) as caught:
        evaluated(name, frame=frame, pos_label=None)
    columns = "'a' and 'b'" if crossed else "'a'"
    assert str(caught.value).startswith(f"slicing by {columns} gives {count} slices; at most 1,000 are made.")


def test_a_thousand_slices_are_made() -> None:
    frame = pl.DataFrame({"y": [0, 1] * 1_000, "p": [0, 1] * 1_000}).with_columns(
        a=pl.int_range(2_000) % 1_000
    )
    ev = evaluated("a", frame=frame, pos_label=None)
    assert len(ev.slices) == 1_000
    assert ev.slices[999].slice == {"a": 999}


@pytest.mark.parametrize("values", [["region"], [[1, 2]], np.array(["region"])])
def test_arrays_have_no_column_names(values: Any) -> None:
    with pytest.raises(OptionError, match="with arrays, slices are columns by name"):
        tm.evaluate([1, 0], [1, 0], slices=values)


@pytest.mark.parametrize("values", [{"region": [1, 2]}, [1.5], 7])
def test_frames_take_names(values: Any) -> None:
    with pytest.raises(OptionError, match="slices are names of its columns"):
        tm.evaluate(ROWS, actual="y", predicted="p", slices=values)


@pytest.mark.parametrize(
    ("column", "role", "options"),
    [
        ("region", "slice", {"slices": ["region"]}),
        ("region", "slice", {"slices": ["age*region"]}),
        ("patient", "group", {"groups": "patient"}),
        ("w", "weight", {"weight": "w"}),
    ],
)
def test_missing_values_are_an_error_or_dropped_and_counted(
    column: str, role: str, options: dict[str, Any]
) -> None:
    frame = ROWS.with_columns(pl.when(pl.int_range(N) > 1).then(pl.col(column)).alias(column))
    with pytest.raises(MissingValueError) as caught:
        evaluated(frame=frame, **options)
    expected = rf"^{role} \(column '{column}'\) is missing in 2 of 240 rows, at positions 0, 1 "
    assert re.match(expected, str(caught.value))
    ev = evaluated(frame=frame, missing="drop", **options)
    assert ev.dropped == {f"missing_{role}": 2}
    assert ev.rows == N - 2


def test_frames_have_the_differences_too() -> None:
    ev = tm.evaluate([1, 0, 1, 0] * 20, [1, 0, 0, 0] * 20, slices={"site": ["a", "b"] * 40})
    frame = ev.to_frame()
    rows = frame.filter((frame["slice"] == "site=a") & (frame["metric"] == "recall_difference"))
    difference = ev.slices[0].difference("recall")
    assert rows["value"].to_list() == [difference.value]
    assert rows["low"].to_list() == [difference.low]
