"""Tallies of parts added up by hand, and what was counted differently refused with both sides named."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm
from hand_counts import paired_of, scores_of
from scored import classes, refusals
from tallymark.tallies import GroupedPaired

ROWS = pl.DataFrame(
    {
        "y": [1, 0, 1, 0, 1], "p": [1, 1, 0, 0, 1], "s": [0.9, 0.7, 0.4, 0.2, 0.7], "w": [1, 2, 0, 1, 3],
        "sex": ["f", "m", "f", "m", "f"],
    }
)  # fmt: skip


def counted(rows: pl.DataFrame = ROWS, **options: Any) -> tm.Tally:
    return tm.tally(rows, **{"actual": "y", "score": "s"} | options)


def one_cell(labels: Any, cell: int, **facts: Any) -> tm.Confusion:
    return tm.Confusion.from_cells(labels, np.array([cell]), np.array([1]), **facts)


def test_labels_of_both_sides_are_united_in_order() -> None:
    # Cell 3 of (a, c) is (c, c), which is cell 8 of (a, b, c); cell 1 of (b, c) is (b, c), cell 5.
    both = one_cell(("a", "c"), 3) + one_cell(("b", "c"), 1)
    assert (both.labels, both.cells.tolist()) == (("a", "b", "c"), [5, 8])
    # Of declared truths and numbers the numbers are kept, whichever side has them.
    for first, second, kind in (((0, 1), (False, True), int), ((False, True), (False, True), bool)):
        for one, two in ((first, second), (second, first)):
            merged = tm.Confusion([[3, 1], [2, 4]], one) + tm.Confusion([[3, 1], [2, 4]], two)
            assert set(map(type, merged.labels)) == {kind}
            assert merged.matrix.tolist() == [[6, 2], [4, 8]]
    assert type((tm.Binary(1, 1, 1, 1, True) + tm.Binary(1, 1, 1, 1, 1)).positive) is int


def test_scores_of_both_sides_are_ranked_together() -> None:
    one = scores_of([(0.9, 1), (0.8, 1), (0.8, 0), (0.3, 0), (0.1, 1)], positive="yes")
    both = one + scores_of([(0.8, 1), (0.5, 0)], positive="yes")
    assert both.score.tolist() == [0.9, 0.8, 0.5, 0.3, 0.1]
    assert (both.positives.tolist(), both.negatives.tolist()) == ([1, 2, 0, 0, 1], [0, 1, 1, 1, 0])
    assert (both.rows, both.positive, type(both.n_positive)) == (7, "yes", int)
    heavy = scores_of([(0.8, 1)], [3.0]) + scores_of([(0.8, 1), (0.2, 0)], [0.5, 2.0])
    assert (heavy.squares[0].tolist(), heavy.squares[1].tolist(), heavy.rows) == ([9.25, 0], [0, 4], 3)
    bins = tm.Scores.from_bins([3, 1, 0], [0, 1, 5], edges=[0.9, 0.6, 0.3, 0.0])
    assert (bins + bins).positives.tolist() == [6, 2, 0]
    assert (bins + bins).edges.tolist() == bins.edges.tolist()
    for first, second in ((True, 1), (1, True)):
        merged = scores_of([(0.5, 1)], positive=first) + scores_of([(0.5, 1)], positive=second)
        assert type(merged.positive) is int


def test_dropped_rows_add_up_even_where_nothing_else_is_there() -> None:
    nothing = scores_of([], positive="yes", dropped={"missing_score": 2})
    part = scores_of([(0.5, True)], positive="yes", dropped={"missing_score": 1, "missing_actual": 4})
    for both in (nothing + part, part + nothing):
        assert dict(both.dropped) == {"missing_score": 3, "missing_actual": 4}
        assert (both.rows, both.positive) == (1, "yes")
    pairs = paired_of("ab", ("one",), [0, 1], [0, 0], dropped={"missing answer": 2})
    assert dict((pairs + pairs).dropped) == {"missing answer": 4}
    cells = (one_cell("ab", at, dropped={"missing_actual": at + 1}) for at in (0, 3))
    assert dict(sum(cells).dropped) == {"missing_actual": 5}


def test_tallies_of_tables_are_added_part_by_part() -> None:
    options: dict[str, Any] = {"predicted": "p", "slices": ["sex"], "weight": "w"}
    whole = counted(**options)
    assert counted(ROWS[:2], **options) + counted(ROWS[2:], **options) == whole
    assert whole.counted.matrix.tolist() == [[1, 2], [0, 4]]
    assert (whole.scores.score.tolist(), whole.scores.positives.tolist()) == ([0.9, 0.7, 0.2], [1, 3, 0])
    assert {key: part.rows for key, part in whole.slices["sex",].items()} == {("f",): 2, ("m",): 2}
    # Of the five lines one has weight 0 and is no row.
    assert (whole.rows, whole.lines, whole.weightless) == (4, 5, 1)
    rows = counted(weight="w", weight_kind="frequency")
    assert (rows.rows, rows.lines, rows.weightless) == (7, 5, 1)
    with pytest.raises(TypeError):
        whole.slices["sex",] = {}
    # Where it was counted is no difference, and is kept once.
    one, two = whole.named("a.csv"), whole.named("b.csv", "a.csv")
    assert one == two
    assert (one + two).sources == ("a.csv", "b.csv")
    guessed = tm.tally(ROWS.rename({"y": "actual"}), score="s")
    assert len(guessed.notes) == 1
    assert (guessed + guessed).notes == guessed.notes == tuple(guessed.evaluate().notes[:1])


def test_slices_that_are_written_alike_are_one() -> None:
    """Fractions made text of the numbers of one part; 007 stays text in both."""
    numbers = ROWS.with_columns(k=pl.Series([1, 1, 2, 2, 2]))
    text = ROWS.with_columns(k=pl.Series(["1", "2.5", "2", "1", "2.5"]))
    both = counted(numbers, slices=["k", "k*sex"]) + counted(text, slices=["k", "k*sex"])
    assert {key: part.rows for key, part in both.slices["k",].items()} == {("1",): 4, ("2",): 4, ("2.5",): 2}
    assert both.slices["k", "sex"]["1", "m"].rows == 2
    twice = counted(numbers, slices=["k"]) + counted(numbers, slices=["k"])
    assert {key: part.rows for key, part in twice.slices["k",].items()} == {(1,): 4, (2,): 6}


# --- groups ------------------------------------------------------------------------------------------


def in_groups(names: list[Any], part: slice = slice(None), **options: Any) -> tm.Tally:
    table = ROWS.with_columns(g=pl.Series(names, strict=False))[part]
    return counted(table, predicted="p", groups="g", **options)


def entries(tally: tm.Tally) -> dict[tuple[Any, int], float]:
    """By group and actual and predicted class, where 0 and 1 are 0, 1, 2 and 3."""
    groups, labels = tally.groups, tally.groups.total.labels
    columns = zip(groups.group.tolist(), groups.cells.tolist(), groups.counts.tolist(), strict=True)
    found = {}
    for group, cell, count in columns:
        actual, predicted = divmod(cell, len(labels))
        found[groups.keys[group], 2 * labels[actual] + labels[predicted]] = count
    return found


def test_a_group_on_both_sides_is_one_group() -> None:
    names = ["q", "p", "q", "o", "p"]
    first, second = in_groups(names, slice(3)), in_groups(names, slice(3, None))
    both = first + second
    assert both == second + first == in_groups(names)
    assert (first.groups.keys, both.groups.keys) == (("p", "q"), ("o", "p", "q"))
    assert entries(both) == {("o", 0): 1, ("p", 1): 1, ("q", 2): 1, ("p", 3): 1, ("q", 3): 1}
    assert (len(both.groups), both.counted) == (3, in_groups(names).counted)
    assert both.groups.cells.tolist() == [0, 1, 2, 3, 3]
    assert both.groups.group.tolist()[3:] == [1, 2]
    # By score: 0.7 is that of a positive and of a negative row of p.
    scores = both.score_groups
    assert scores.total.score.tolist() == [0.9, 0.7, 0.4, 0.2]
    assert (scores.place.tolist(), scores.group.tolist()) == ([0, 1, 2, 3], [2, 1, 2, 0])
    assert (scores.positives.tolist(), scores.negatives.tolist()) == ([1, 1, 1, 0], [0, 1, 0, 1])
    found = scores.per_group(np.array([1.0, 10.0, 100.0, 1000.0]), np.array([0.1, 0.2, 0.3, 0.4]))
    assert found.tolist() == pytest.approx([0.4, 10.2, 101.0])


def test_a_group_without_weight_is_left_out() -> None:
    tally = in_groups(["a", "b", "c", "a", "b"], weight="w")
    assert tally.groups.keys == tally.score_groups.keys == ("a", "b")
    assert tally.counted == in_groups(["a", "b", "a", "a", "b"], weight="w").counted
    assert entries(tally) == {("a", 0): 1, ("a", 3): 1, ("b", 1): 2, ("b", 3): 3}


def test_numbers_are_text_where_fractions_are_among_those_of_the_other_side() -> None:
    whole, fractions = in_groups([2, 10, 2, 10, 10], slice(3)), in_groups(["0.5", "2", "2", "2", "2"])
    for both in (whole + fractions, fractions + whole):
        assert both.groups.keys == both.score_groups.keys == ("0.5", "10", "2")  # in the order of text
        assert entries(both) == {
            ("0.5", 3): 1, ("10", 1): 1, ("2", 0): 1, ("2", 1): 1, ("2", 2): 2, ("2", 3): 2,
        }  # fmt: skip


@given(st.data())
def test_groups_of_parts_are_those_of_the_whole(data: st.DataObject) -> None:
    size = data.draw(st.integers(2, 12))
    bit, some = st.integers(0, 1), st.sampled_from([0.1, 0.5, -0.0, 0.0])
    columns = {"y": bit, "p": bit, "s": some, "g": st.sampled_from("pqr"), "w": st.integers(1, 3)}
    drawn = {name: data.draw(st.lists(of, min_size=size, max_size=size)) for name, of in columns.items()}
    table = pl.DataFrame(drawn)
    options: dict[str, Any] = {"predicted": "p", "groups": "g", "weight": "w"}
    whole, cut = counted(table, **options), data.draw(st.integers(1, size - 1))
    assert counted(table[:cut], **options) + counted(table[cut:], **options) == whole
    by_hand: dict[Any, int] = {}
    for row in table.iter_rows(named=True):
        key = row["g"], 2 * row["y"] + row["p"]
        by_hand[key] = by_hand.get(key, 0) + row["w"]
    assert entries(whole) == by_hand


# --- what was counted differently --------------------------------------------------------------------

STATED = tm.Confusion([[1, 2], [3, 4]], ["a", "b"])
PLAIN = scores_of([(0.9, 1), (0.4, 0)], positive="yes")
BINS = tm.Scores.from_bins([3, 1, 0], [0, 1, 5], edges=[0.9, 0.6, 0.3, 0.0])
ON_GRID = tm.Scores(np.array([0.5, 0.25]), np.array([2, 1]), np.array([0, 1]), reach=np.array([0.7, 0.25]))
HEAVY = one_cell("ab", 0, squares=np.array([1.0]), rows=1)
BIG = tm.Confusion([[2**52, 0], [0, 2**52]])
PAIR = paired_of("ab", ("one", "two"), [0, 1], [0, 0], [1, 1])
SETS = tm.LabelSets.from_kinds("ab", np.array([[1, 1, 1]]), np.array([1]), np.array([[1, 0], [0, 0], [0, 0]]))
STATED_SETS = tm.LabelSets.from_kinds("ab", SETS.sizes, SETS.counts, SETS.cells, declared=True)
HEAVY_SETS = tm.LabelSets.from_kinds(
    "ab", SETS.sizes, SETS.counts * 2.0, SETS.cells * 2.0,
    squares=SETS.counts * 4.0, cell_squares=SETS.cells * 4.0, rows=1,
)  # fmt: skip
LARGE_SETS = tm.LabelSets.from_kinds(
    "a", np.array([[1, 1, 1]]), np.array([2**53]), np.array([[2**53], [0], [0]])
)


def grouped_pair(key: Any) -> GroupedPaired:
    return GroupedPaired(PAIR, (key,), np.zeros(2, int), np.arange(2), np.ones(2, int))


UNLIKE = {
    "declared labels in another order": (STATED, tm.Confusion([[1, 2], [3, 4]], ["b", "a"])),
    "declared and observed labels": (STATED, one_cell("ab", 0)),
    "more rows than add up": (BIG, BIG),
    "weights": (HEAVY, one_cell("ab", 0)),
    "other classes of a 2x2": (tm.Binary(1, 2, 3, 4, "a"), tm.Binary(1, 2, 3, 4, "b")),
    "another positive class": (PLAIN, scores_of([(0.5, 1)], positive="no")),
    "no positive class": (scores_of([(0.5, 1)]), PLAIN),
    "scores and bins": (scores_of([(0.5, 1)]), BINS),
    "fewer bins": (BINS, tm.Scores.from_bins([1], [2], edges=[1, 0])),
    "another edge": (BINS, tm.Scores.from_bins([1, 1, 1], [2, 2, 2], edges=[0, 0.3, 0.7, 0.9])),
    "weights of scores": (PLAIN, scores_of([(0.9, 1)], [2.0], positive="yes")),
    "more scores than add up": (tm.Scores.from_bins([2**53], [0]), tm.Scores.from_bins([1], [0])),
    "bins of a grid": (ON_GRID, ON_GRID),
    "bins of a grid and scores": (ON_GRID, scores_of([(0.5, 1)])),
    "bins of a grid and others": (ON_GRID, BINS),
    "other models": (PAIR, PAIR.pair("two", "one")),
    "models and declared labels": (PAIR, paired_of("ab", ("one", "two"), [0], [0], [1], declared=True)),
    "groups of models": (grouped_pair("ann"), grouped_pair(1)),
    "label sets with weights": (HEAVY_SETS, SETS),
    "label sets declared": (SETS, STATED_SETS),
    "more label sets than add up": (LARGE_SETS, LARGE_SETS),
}  # fmt: skip
TABLES: dict[str, dict[str, Any]] = {
    "a grid": {"approximate": True}, "another positive": {"pos_label": "0"},
    "predictions": {"predicted": "p"}, "weights of a table": {"weight": "w"},
    "slices": {"slices": ["sex", "sex*p"]}, "labels": {"labels": [1, 0]}, "a threshold": {"threshold": 0.3},
    "two options": {"missing": "drop", "pos_label": 0}, "groups": {"groups": "sex"},
    "a clip": {"clip": 0.01},
}  # fmt: skip


def test_what_was_counted_differently_is_refused(snapshot) -> None:
    # Neither side is the first by chance: both orders are refused, and messages name both.
    pairs = dict(UNLIKE)
    named = counted().named("a.csv", "c.csv")
    pairs |= {name: (named, counted(**options).named("b.csv")) for name, options in TABLES.items()}
    pairs["tables without names"] = counted(), counted(predicted="p")
    pairs["another grid"] = tuple(counted(approximate=True, grid=(0, high)) for high in (1, 2))
    # 007 is no 7: a column of numbers would not have it so.
    for name in ("p", "007", "1.0", "nan"):
        pairs[f"groups named {name}"] = in_groups([1] * 5), in_groups(["1", name, "1", "1", name])
    calls = {name: lambda pair=pair: pair[0] + pair[1] for name, pair in pairs.items()}
    back = {name: lambda pair=pair: pair[1] + pair[0] for name, pair in pairs.items()}
    refused = refusals(calls)
    assert set(classes(refused).values()) == set(classes(refusals(back)).values()) == {"MergeError"}
    snapshot("tallies_errors_of_adding", refused)


def test_numbers_and_text_are_not_added() -> None:
    with pytest.raises(tm.LabelError):
        counted() + counted(ROWS.with_columns(pl.col("y").cast(pl.String)))
    numbers = tm.LabelSets.from_kinds((1, 2), SETS.sizes, SETS.counts, SETS.cells)
    for one, two in ((one_cell("ab", 0), one_cell((1, 2), 0)), (SETS, numbers)):
        with pytest.raises(tm.LabelError):
            one + two


def test_the_positive_class_may_be_named_in_any_way() -> None:
    first = counted(pos_label="0")
    assert first + first == first + counted(pos_label=0.0)
    assert counted(pos_label=True).evaluate()["auc"].value == counted().evaluate()["auc"].value
    with pytest.raises(tm.ShapeError):
        counted(ROWS.clear())
