"""Slices: the same evaluation of parts of the rows, and how far each is from the whole."""

import csv
import io
import json
import pickle
import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tallymark as tm
from scored import classes, refusals

N = 240
RANDOM = np.random.default_rng(4)
ROWS = pl.DataFrame(
    {
        "y": RANDOM.choice(["no", "yes"], N),
        "s": RANDOM.random(N).round(3),
        "region": RANDOM.choice(["north", "south", "east"], N),
        "age": RANDOM.choice(["2", "10", "33"], N),
        "a*b": RANDOM.choice(["x", "y"], N),
        "patient": np.arange(N) // 4,
        "w": RANDOM.integers(1, 4, N),
        "flag": RANDOM.random(N) < 0.5,
    }
)
PREDICTED = np.where(RANDOM.random(N) < 0.8, ROWS["y"].to_numpy(), RANDOM.choice(["no", "yes"], N))
ROWS = ROWS.with_columns(p=pl.Series(PREDICTED.astype(str)), p_yes="s", p_no=1 - pl.col("s"))


def evaluated(*slices: str, frame: Any = ROWS, **options: Any) -> tm.Evaluation:
    given = {"actual": "y", "predicted": "p", "pos_label": "yes", "slices": list(slices)} | options
    return tm.evaluate(frame, **given)


def keys(ev: tm.Evaluation) -> list[dict[str, Any]]:
    return [part.slice for part in ev.slices]


def rows_of(part: Any, frame: Any = ROWS) -> pl.DataFrame:
    return frame.filter(*(pl.col(name) == value for name, value in part.slice.items()))


def text_of_slices(ev: tm.Evaluation) -> str:
    return str(ev).partition("Slices\n------\n")[2].partition("\nFindings\n")[0]


# --- which slices there are --------------------------------------------------------------------------


def test_a_slice_is_the_evaluation_of_its_rows() -> None:
    for options in ({}, {"weight": "w", "groups": "patient"}, {"weight": "w", "weight_kind": "frequency"}):
        ev = evaluated("region", **options)
        assert keys(ev) == [{"region": name} for name in ("east", "north", "south")]
        assert sum((part.evaluation.confusion for part in ev.slices), tm.Confusion.empty()) == ev.confusion
        for part in ev.slices:
            alone = evaluated(frame=rows_of(part), **options)
            assert (part.rows, part.evaluation.confusion) == (alone.rows, alone.confusion)
            for name in ("accuracy", "recall", "precision", "f1", "mcc", "f1_macro"):
                assert part[name].to_dict() == alone[name].to_dict(), name
            for name in ("accuracy", "recall", "precision", "f1", "mcc", "fpr"):
                found = part.difference(name)
                assert found.value == pytest.approx(float(part[name]) - float(ev[name])), name
                assert found.low <= found.value <= found.high, name
        assert pickle.loads(pickle.dumps(ev)).to_dict()["slices"] == ev.to_dict()["slices"]
    # A column of the labels or of the groups may be one too.
    of_groups = evaluated("patient", groups="patient")
    assert (len(of_groups.slices), of_groups.slices[0]["accuracy"].low) == (60, None)
    of_labels = evaluated("y").slices
    assert [part["prevalence"].value for part in of_labels] == [0, 1]
    assert of_labels[0]["recall"].value is None


def test_values_of_slices_and_their_order(tmp_path: Any) -> None:
    assert [part["age"] for part in keys(evaluated("age"))] == ["2", "10", "33"]
    numbers = ROWS.with_columns(age=pl.col("age").cast(pl.Int64))
    assert [part["age"] for part in keys(evaluated("age", frame=numbers))] == [2, 10, 33]
    mixed = ROWS.with_columns(age=pl.col("age").replace("33", "old"))
    assert [part["age"] for part in keys(evaluated("age", frame=mixed))] == ["10", "2", "old"]
    flags = evaluated("flag")
    assert keys(flags) == [{"flag": False}, {"flag": True}]
    assert [part["slice"] for part in flags.to_dict()["slices"]] == [{"flag": "False"}, {"flag": "True"}]
    assert keys(evaluated("a*b")) == [{"a*b": "x"}, {"a*b": "y"}]
    frame = pl.DataFrame({"y": [1, 0] * 30, "p": [1, 1] * 30, "dose": [10.0, 0.5, 2.25] * 20})
    frame.write_csv(tmp_path / "doses.csv")
    for data in (frame, frame.to_pandas(), tmp_path / "doses.csv"):
        found = tm.evaluate(data, actual="y", predicted="p", slices=["dose"]).slices
        assert [(float(part.slice["dose"]), part.rows) for part in found] == [(0.5, 20), (2.25, 20), (10, 20)]


def test_several_columns_one_after_the_other_or_crossed() -> None:
    ev = evaluated("region", "age", "region*age")
    assert [tuple(key) for key in keys(ev)] == [("region",)] * 3 + [("age",)] * 3 + [("region", "age")] * 9
    assert (ev.slices[6].slice, ev.slices[6].name) == ({"region": "east", "age": "2"}, "region=east, age=2")
    assert [part.rows for part in ev.slices] == [len(rows_of(part)) for part in ev.slices]
    fewer = ROWS.filter((pl.col("region") != "east") | (pl.col("age") != "2"))
    assert keys(evaluated("region*age", frame=fewer)) == keys(ev)[7:]
    assert keys(tm.evaluate(ROWS, actual="y", predicted="p", slices="region")) == keys(ev)[:3]


def test_arrays_take_columns_by_name_or_a_frame() -> None:
    y, p, region = (ROWS[name].to_list() for name in ("y", "p", "region"))
    expected = evaluated("region").to_dict()["slices"]
    for given in ({"region": region}, pd.DataFrame({"region": region}), pl.DataFrame({"region": region})):
        assert tm.evaluate(y, p, pos_label="yes", slices=given).to_dict()["slices"] == expected


# --- with everything else ----------------------------------------------------------------------------


def test_thresholds_probabilities_and_costs() -> None:
    for options in (
        {"score": "s", "threshold": 0.3},
        {"score": "s", "threshold": "best:f1"},
        {"probabilities": ["p_no", "p_yes"]},
    ):
        ev = evaluated("region", predicted=None, **options)
        cut = np.nextafter(0.5, 1) if ev.threshold is None else ev.threshold  # the best is that of all rows
        for part in ev.slices:
            rows = rows_of(part)
            right = ((rows["s"] >= cut) == (rows["y"] == "yes")).mean()
            assert part["accuracy"].value == pytest.approx(right), options
    ev = evaluated("region", costs={"yes": {"no": 5}, "no": {"yes": 1}})
    for part in ev.slices:
        rows = rows_of(part)
        wrong = rows.filter(pl.col("y") != pl.col("p"))["y"].to_list()
        assert part["mean_cost"].value == pytest.approx(
            (5 * wrong.count("yes") + wrong.count("no")) / len(rows)
        )
        found = part.difference("mean_cost")
        assert found.value == pytest.approx(float(part["mean_cost"]) - float(ev["mean_cost"]))
        assert found.low is not None


def test_without_predictions_slices_are_ranked() -> None:
    ev = evaluated("region", frame=ROWS.with_columns(s=pl.col("s") * 10 - 5), predicted=None, score="s")
    cut = evaluated("region", predicted=None, score="s", threshold=0.3)
    for part, other in zip(ev.slices, cut.slices, strict=True):
        assert (part.slice, part.rows, part["auc"].value) == (other.slice, other.rows, other["auc"].value)
        assert part["recall"].value is part.difference("auc").value is None
        assert part["recall"].why
        assert part.difference("auc").why
    for form in ev.to_dict()["slices"]:
        assert form["metrics"]["auc"]["value"] is not None
        assert (form["differences"], form["confusion"]) == ({}, None)


def test_labels_and_weights_that_a_slice_lacks() -> None:
    for part in evaluated("region", labels=["yes", "no", "maybe"]).slices:
        assert (part.evaluation.labels, part.evaluation.confusion.declared) == (("yes", "no", "maybe"), True)
    without = ROWS.with_columns(w=pl.when(pl.col("region") == "east").then(0).otherwise(pl.col("w")))
    ev = evaluated("region", frame=without, weight="w")
    assert [part["region"] for part in keys(ev)] == ["north", "south"]
    assert len(ev.notes) > len(evaluated("region", weight="w").notes)
    many = ROWS.with_columns(y=pl.col("region"), p=pl.col("region").shuffle(seed=1))
    of_classes = evaluated("age", frame=many, pos_label=None)
    assert list(of_classes.to_dict()["slices"][0]["differences"]) == ["accuracy", "mcc"]


@pytest.mark.parametrize("role", ["slice", "crossed slice", "group", "weight"])
def test_missing_values_are_an_error_or_dropped_and_counted(role: str) -> None:
    column, options = {
        "slice": ("region", {"slices": ["region"]}),
        "crossed slice": ("region", {"slices": ["age*region"]}),
        "group": ("patient", {"groups": "patient"}),
        "weight": ("w", {"weight": "w"}),
    }[role]
    frame = ROWS.with_columns(pl.when(pl.int_range(N) > 1).then(pl.col(column)).alias(column))
    with pytest.raises(tm.MissingValueError):
        evaluated(frame=frame, **options)
    ev = evaluated(frame=frame, missing="drop", **options)
    assert (ev.dropped, ev.rows) == ({f"missing_{role.split()[-1]}": 2}, N - 2)


# --- differences from all rows -----------------------------------------------------------------------


def halves(errors: int, n: int = 200) -> tuple[Any, ...]:
    """Two slices of n rows; the second has so many errors, the first 10 of them."""
    actual = np.tile([0, 1], n)
    wrong = np.concatenate([np.arange(n) < 10, np.arange(n) < errors])
    return tm.evaluate(
        actual, np.where(wrong, 1 - actual, actual), slices={"half": np.repeat([1, 2], n)}
    ).slices


def test_what_differs() -> None:
    assert [part.differs("accuracy") for part in halves(40)] == [True, True]
    assert [part.differs("accuracy") for part in halves(14)] == [False, False]
    # 21 errors in 100 rows beside 100 in 1,000, which are 2 slices or 100: the level is shared out.
    actual, place = np.tile([0, 1], 550), np.arange(1_100)
    predicted = np.where(np.where(place < 100, place < 21, place % 10 == 0), 1 - actual, actual)
    few, many = (
        tm.evaluate(actual, predicted, slices={"part": np.where(place < 100, 0, 1 + place % slices)}).slices[
            0
        ]
        for slices in (2, 100)
    )
    assert (few.among, many.among) == (3, 101)
    assert few.difference("accuracy").to_dict() == many.difference("accuracy").to_dict()
    assert (few.differs("accuracy"), many.differs("accuracy")) == (True, False)
    alone = evaluated("one", frame=ROWS.with_columns(one=pl.lit("all"))).slices[0]
    found = alone.difference("accuracy")
    assert (found.value, found.low, bool(found.note), alone.differs("accuracy")) == (0, None, True, False)
    for name in ("f1_macro", "recall_weighted", "balanced_accuracy"):
        with pytest.raises(tm.MetricError):
            few.difference(name)


# --- written -----------------------------------------------------------------------------------------


def test_json() -> None:
    form = json.loads(evaluated("region*age").to_json(), parse_constant=pytest.fail)["slices"]
    assert form[0]["slice"] == {"region": "east", "age": "2"}
    for part in form:
        assert part["few_rows"] is (part["rows"] < 30)
        assert sum(map(sum, part["confusion"]["matrix"])) == part["rows"]
        assert list(part["differences"]) == ["accuracy", "recall", "precision", "f1"]


def test_how_slices_are_shown(snapshot: Any) -> None:
    few = pl.concat([ROWS, ROWS.head(8).with_columns(region=pl.lit("west"))])
    of_groups = ROWS["region"].replace_strict({"east": 1, "north": 2, "south": 3})
    many = ROWS.with_columns(many=pl.int_range(pl.len()) % 40)
    shown = {
        "three regions": evaluated("region"),
        "few rows": evaluated("region", frame=few),
        "one that differs": halves(60)[0].whole,
        "one slice": evaluated("one", frame=ROWS.with_columns(one=pl.lit("all"))),
        "groups that are the slices": evaluated(
            "region", frame=ROWS.with_columns(patient=of_groups), groups="patient"
        ),
        "no predictions": evaluated(
            "region", frame=ROWS.with_columns(s=pl.col("s") * 10), predicted=None, score="s"
        ),
        "a name that would break a terminal": evaluated(
            "region", frame=ROWS.with_columns(region=pl.lit("\x1b[31mred\n"))
        ),
    }
    texts = {name: text_of_slices(ev) for name, ev in shown.items()}
    worst = evaluated("many", frame=many)
    lines = text_of_slices(worst).splitlines()
    # Of many slices those with the lowest accuracy are printed.
    numbers = [int(line.split()[0]) for line in lines if re.match(r"\d+ ", line)]
    values = {part.slice["many"]: float(part["accuracy"]) for part in worst.slices}
    assert [values[number] for number in numbers] == sorted(values.values())[:30]
    assert len(worst.to_dict()["slices"]) == 40
    texts["forty slices, its last lines"] = "\n".join(lines[-8:])
    assert "\x1b" not in "".join(texts.values())
    snapshot("slices", texts)


def test_frames_and_files_name_the_slice_of_every_value(tmp_path: Any) -> None:
    ev = evaluated("region", frame=ROWS.to_pandas())
    table = ev.to_frame()
    recalls = table[(table["metric"] == "recall") & table["class"].isna() & table["average"].isna()]
    assert recalls["slice"].tolist() == ["", "region=east", "region=north", "region=south"]
    assert recalls["value"].tolist() == [float(ev["recall"]), *(float(part["recall"]) for part in ev.slices)]
    for name in ("accuracy", "recall", "precision", "f1"):
        rows = table[(table["slice"] == "region=east") & (table["metric"] == f"{name}_difference")]
        difference = ev.slices[0].difference(name)
        assert rows[["value", "low"]].to_numpy().tolist() == [[difference.value, difference.low]]
    noted = halves(60)[0].whole.to_frame("polars").filter(pl.col("metric") == "accuracy_difference")
    assert noted["note"].null_count() == 0
    for suffix in ("csv", "md", "tex", "txt"):
        ev.save(tmp_path / f"report.{suffix}")
        written = (tmp_path / f"report.{suffix}").read_text()
        assert all(word in written for word in ("north", "difference")), suffix
    lines = csv.DictReader(io.StringIO((tmp_path / "report.csv").read_text()))
    assert {line["slice"] for line in lines} == {"", "region=east", "region=north", "region=south"}


# --- what is refused ---------------------------------------------------------------------------------


def many_slices(count: int, crossed: bool = False) -> Any:
    n = 2 * (count * count if crossed else count)
    place = pl.int_range(n)
    return pl.DataFrame({"y": [0, 1] * (n // 2), "p": [0, 1] * (n // 2)}).with_columns(
        a=place % count, b=place // count % count
    )


def test_what_is_no_slice(snapshot: Any) -> None:
    specs = (["region", "region"], ["region*age"] * 2, ["region*region"], ["region*"], ["*"], [""])
    calls: dict[str, Any] = {f"slices {spec}": lambda spec=spec: evaluated(*spec) for spec in specs}
    arrays = (["region"], [[1, 2]], np.array(["region"]))
    calls |= {
        f"beside arrays {each!r}": lambda each=each: tm.evaluate([1, 0], [1, 0], slices=each)
        for each in arrays
    }
    frames = ({"region": [1, 2]}, [1.5], 7)
    calls |= {f"of a frame {each}": lambda each=each: evaluated(slices=each) for each in frames}
    calls |= {
        "1,001 of them": lambda: evaluated("a", frame=many_slices(1_001), pos_label=None),
        "40 times 40": lambda: evaluated("a*b", frame=many_slices(40, crossed=True), pos_label=None),
        "no column": lambda: evaluated("nowhere"),
        "no column crossed": lambda: evaluated("region*nowhere"),
        "missing": lambda: evaluated(
            "region", frame=ROWS.with_columns(region=pl.when(pl.int_range(N) > 1).then("region"))
        ),
    }
    refused = refusals(calls)
    others = {"no column": "ColumnError", "no column crossed": "ColumnError", "missing": "MissingValueError"}
    assert classes(refused) == dict.fromkeys(calls, "OptionError") | others
    snapshot("slices_errors", refused)
    assert len(evaluated("a", frame=many_slices(1_000), pos_label=None).slices) == 1_000
