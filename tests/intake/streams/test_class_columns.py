"""Which class each probability column is about, and bad rows: from pieces as from rows in memory."""

from __future__ import annotations

import polars as pl
import pytest

import tallymark as tm
from tallymark.errors import ColumnError, LabelError, TallymarkError
from tallymark.evaluation.tallying import tally

ACTUAL = ["c", "c", "a", "c", "a", "b", "b", "a", "b"]
ROWS = pl.DataFrame(
    {
        "y": ACTUAL,
        "said": ["a", "b", "c"] * 3,
        "x3": [0.7, 0.2, 0.1, 0.5, 0.3, 0.1, 0.4, 0.0, 0.3],
        "x1": [0.1, 0.6, 0.8, 0.3, 0.4, 0.2, 0.4, 1.0, 0.1],
        "x2": [0.2, 0.2, 0.1, 0.2, 0.3, 0.7, 0.2, 0.0, 0.6],
    }
)
NAMED = ROWS.rename({"x1": "p_a", "x2": "p_b", "x3": "p_c"})
COLUMNS = ["p_c", "p_a", "p_b"]


def _written(folder, table, kind="csv"):
    """In three parts; the first has no row of b."""
    paths = []
    for part in range(3):
        paths.append(folder / f"part{part}.{kind}")
        rows = table[3 * part : 3 * part + 3]
        rows.write_csv(paths[-1]) if kind == "csv" else rows.write_parquet(paths[-1])
    return paths


def _alike(paths, **options):
    """The evaluation from counts, when it is that of rows in memory."""
    memory = tm.evaluate(paths, actual="y", **options)
    counted = tally(paths, actual="y", **options).evaluate()
    assert counted.labels == memory.labels
    assert sorted(counted.notes) == sorted(memory.notes)
    assert counted.confusion == memory.confusion
    for label in memory.labels:
        assert counted.per_class[label]["auc"].value == memory.per_class[label]["auc"].value
    assert counted["brier"].value == pytest.approx(memory["brier"].value)
    return counted


def _refused(paths, **options):
    """What is said, when that is the same of rows in memory."""
    with pytest.raises((LabelError, ColumnError)) as caught:
        tm.evaluate(paths, actual="y", **options)
    with pytest.raises(TallymarkError) as told:
        tally(paths, actual="y", **options).evaluate()
    assert type(told.value) is type(caught.value)
    named = f"{', '.join(map(str, paths))}: "
    message = caught.value.message.removeprefix(named)
    assert (told.value.message.removeprefix(named), told.value.hint) == (message, caught.value.hint)
    return message


@pytest.mark.parametrize("prefix", ["", "p_", "prob_"], ids=["label", "p", "prob"])
def test_by_name(tmp_path, prefix):
    table = ROWS.rename({"x1": f"{prefix}a", "x2": f"{prefix}b", "x3": f"{prefix}c"})
    ev = _alike(_written(tmp_path, table), probabilities=[f"{prefix}{label}" for label in "cab"])
    assert ev.labels == ("a", "b", "c")


def test_by_label_and_by_the_order_of_labels(tmp_path):
    paths = _written(tmp_path, ROWS)
    by_label = _alike(paths, probabilities={"c": "x3", "a": "x1", "b": "x2"})
    by_order = _alike(paths, probabilities=["x2", "x1", "x3"], labels=["b", "a", "c"])
    assert by_label["log_loss"].value == pytest.approx(by_order["log_loss"].value)
    assert by_order.labels == ("b", "a", "c")
    assert by_order.notes[0] == "probability columns were taken in the order of the labels given."


def test_columns_that_cannot_be_matched(tmp_path):
    """Said of the labels seen so far: it would be no better after all rows."""
    with pytest.raises(LabelError, match=r"cannot be matched to the labels \['a', 'c'\] by their names"):
        tally(_written(tmp_path, ROWS), actual="y", probabilities=["x1", "x2", "x3"])


def test_too_few_and_too_many_columns(tmp_path):
    paths = _written(tmp_path, NAMED)
    assert "2 probability columns" in _refused(paths, probabilities=["p_c", "p_a"], labels=["a", "b", "c"])
    without = _written(tmp_path, NAMED.with_columns(y=pl.col("y").replace("b", "a")))
    assert "are about ['b']" in _refused(without, probabilities=COLUMNS, labels=["a", "c"])


def test_a_stated_label_without_a_column(tmp_path):
    table = ROWS.with_columns(y=pl.col("y").replace("b", "a"))
    options = {"probabilities": {"a": "x1", "c": "x3"}, "labels": ["a", "b", "c"]}
    assert _refused(_written(tmp_path, table), **options) == "no probability column is named for ['b']."


def test_columns_may_turn_out_to_be_about_one_class(tmp_path):
    table = NAMED.rename({"p_b": "b", "p_c": "c"}).with_columns(y=pl.Series(list("ccccccbbb")), p_b="p_a")
    message = _refused(_written(tmp_path, table), probabilities=["p_b", "b", "c"])
    assert message == "several probability columns are about 'b': ['p_b', 'b']."


def test_words_that_come_late_beside_numbers(tmp_path):
    """As text 10 stands before 2, as a number after it: the first of equals is settled when all are seen."""
    written = {"a": "2", "b": "x", "c": "10"}
    table = NAMED.with_columns(y=pl.col("y").replace(written)).rename(
        {f"p_{label}": f"p_{text}" for label, text in written.items()}
    )
    ev = _alike(_written(tmp_path, table), probabilities=["p_2", "p_10", "p_x"])
    assert ev.labels == ("10", "2", "x")
    # In the seventh row both have 0.4.
    assert "1 row has a tie" in ev.notes[0]


def test_numbers_and_truth_values_keep_their_kind(tmp_path):
    table = ROWS.with_columns(y=pl.col("y").replace_strict({"a": 7, "b": 30, "c": 0})).rename(
        {"x1": "p_7", "x2": "p_30", "x3": "p_0"}
    )
    assert _alike(_written(tmp_path, table, "parquet"), probabilities=["p_30", "p_7", "p_0"]).labels == (
        0,
        7,
        30,
    )
    two = pl.DataFrame({"y": [True] * 3 + [False] * 6, "p_True": [0.75, 0.5, 0.25] * 3})
    two = two.with_columns(p_False=1 - pl.col("p_True"))
    ev = _alike(_written(tmp_path, two, "parquet"), probabilities=["p_True", "p_False"])
    assert (ev.labels, ev.positive) == ((False, True), True)


def test_a_lone_zero_brings_its_partner(tmp_path):
    table = pl.DataFrame({"y": [0] * 9, "p_0": [0.5] * 9, "p_2": [0.5] * 9})
    assert _refused(_written(tmp_path, table, "parquet"), probabilities=["p_0", "p_2"]) == (
        "no probability column is named for [1]."
    )


def test_a_late_label_without_a_column(tmp_path):
    table = NAMED.with_columns(y=pl.Series([*ACTUAL[:7], "d", "d"]))
    assert _refused(_written(tmp_path, table), probabilities=COLUMNS) == (
        "no probability column is named for ['d'], and actual (column 'y') holds it at "
        "lines 3 and 4 of part2.csv."
    )


def test_an_early_label_without_a_column(tmp_path):
    """It is told with all rows that have it, not with those of the first piece alone."""
    table = NAMED.with_columns(y=pl.Series(["d", *ACTUAL[1:8], "d"]))
    message = _refused(_written(tmp_path, table), probabilities=COLUMNS)
    assert message.endswith("holds it at line 2 of part0.csv and line 4 of part2.csv.")


def test_answers_without_a_column(tmp_path):
    table = NAMED.with_columns(said=pl.lit("d"))
    assert _refused(_written(tmp_path, table), probabilities=COLUMNS, predicted="said") == (
        "no probability column is about ['d']."
    )


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (1.5, "probabilities lie between 0 and 1; 3 rows have others, at "),
        (0.25, "the probabilities of a row add up to 1; 3 rows do not, at "),
    ],
    ids=["outside", "sum"],
)
def test_bad_rows_of_several_parts_are_told_once(tmp_path, wrong, said):
    at = pl.int_range(pl.len()).is_in([1, 4, 8])
    table = NAMED.with_columns(p_a=pl.when(at).then(wrong).otherwise("p_a"))
    message = _refused(_written(tmp_path, table), probabilities=COLUMNS)
    assert message.startswith(f"{said}line 3 of part0.csv, line 3 of part1.csv and line 4 of part2.csv")


def test_rows_left_out_are_not_looked_at(tmp_path):
    at = pl.int_range(pl.len()) == 4
    table = NAMED.with_columns(
        p_a=pl.when(at).then(7.0).otherwise("p_a"), said=pl.when(at).then(None).otherwise("said")
    )
    ev = _alike(_written(tmp_path, table), probabilities=COLUMNS, predicted="said", missing="drop")
    assert ev.dropped == {"missing_predicted": 1}
