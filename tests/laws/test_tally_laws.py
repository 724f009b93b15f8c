"""Tallies are values: `+` is a commutative monoid, and counting parts equals counting the whole."""

from __future__ import annotations

import json
import tracemalloc
from collections import Counter
from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallymark.errors import LabelError, MergeError
from tallymark.intake.columns import array_places, label_column
from tallymark.intake.rows import count_labels, finished, gather
from tallymark.tallies import Binary, Confusion, Keyed, from_dict

some = settings(max_examples=60, deadline=None)

Pair = tuple[Any, Any]

FAMILIES: dict[str, st.SearchStrategy[Any]] = {
    "int": st.integers(-2, 4),
    "bool": st.booleans(),
    "text": st.sampled_from(["yes", "no", "Yes", "", "é", "maybe"]),
    "number text": st.sampled_from(["0", "1", "1.0", "7", "a"]),
    "truth text": st.sampled_from(["True", "False", "maybe"]),
}
PLAIN = ("int", "bool", "text")


def pairs(family: str, least: int = 1) -> st.SearchStrategy[list[Pair]]:
    label = FAMILIES[family]
    return st.lists(st.tuples(label, label), min_size=least, max_size=25)


def counted(rows: Sequence[Pair], declared: Sequence[Any] | None = None) -> Confusion:
    if not rows:
        return Confusion.empty()
    actual, predicted = zip(*rows, strict=True)
    columns = label_column(list(actual), "actual"), label_column(list(predicted), "predicted")
    checked = gather(*columns, None, (), missing="drop", where=array_places)
    return count_labels(checked, declared)


def by_pair(tally: Confusion) -> dict[Pair, int]:
    """The non-zero cells under their labels."""
    named = {}
    for cell, count in zip(tally.cells.tolist(), tally.counts.tolist(), strict=True):
        actual, predicted = divmod(cell, len(tally.labels))
        named[tally.labels[actual], tally.labels[predicted]] = count
    return named


@st.composite
def observed(draw: st.DrawFn) -> tuple[Confusion, Confusion, Confusion]:
    """Three tallies of one family of labels; numbers and booleans are one family."""
    families = draw(st.sampled_from([("int", "bool"), ("text",)]))
    first, second, third = (counted(draw(pairs(draw(st.sampled_from(families)), 0))) for _ in range(3))
    return first, second, third


@st.composite
def declared(draw: st.DrawFn) -> tuple[Confusion, Confusion, Confusion]:
    labels = draw(
        st.sampled_from([("b", "a"), (0, 1), (False, True), (3, 1, 2), ("x", "y", "z", "never seen")])
    )
    seen = labels[:-1] if len(labels) > 2 else labels
    rows = st.lists(st.tuples(st.sampled_from(seen), st.sampled_from(seen)), min_size=1, max_size=15)
    first, second, third = (counted(draw(rows), labels) for _ in range(3))
    return first, second, third


@st.composite
def binaries(draw: st.DrawFn) -> tuple[Binary, Binary, Binary]:
    positive = draw(st.sampled_from([None, "yes", 1, True]))
    count = st.integers(0, 2**62)
    blank = st.just(Binary(0, 0, 0, 0))
    one = st.builds(Binary, count, count, count, count, st.just(positive))
    first, second, third = (draw(one | blank) for _ in range(3))
    return first, second, third


@st.composite
def keyed(draw: st.DrawFn) -> tuple[Keyed[Any], Keyed[Any], Keyed[Any]]:
    cells = draw(st.sampled_from([observed(), declared(), binaries()]))
    keys = st.lists(st.sampled_from(["north", 2, ("fold", 1)]), unique=True)
    first, second, third = draw(cells), draw(cells), draw(cells)
    # Several draws may differ in what was declared, so every key takes its three parts from one draw.
    parts = {"north": first, 2: second, ("fold", 1): third}
    tallies = [Keyed({key: parts[key][position] for key in draw(keys)}) for position in range(3)]
    return tallies[0], tallies[1], tallies[2]


THREE = observed() | declared() | binaries() | keyed()
IDENTITIES: dict[type, Any] = {
    Confusion: Confusion.empty(),
    Binary: Binary(0, 0, 0, 0),
    Keyed: Keyed({}),
}


def paper(tally: Any) -> str:
    """The JSON form, in which True and 1 differ."""
    form = tally.to_dict()
    if isinstance(tally, Keyed):
        form["tallies"].sort(key=repr)
    return json.dumps(form)


# --- a commutative monoid ------------------------------------------------------------------------


@some
@given(THREE)
def test_addition_is_associative(three: tuple[Any, Any, Any]) -> None:
    a, b, c = three
    assert (a + b) + c == a + (b + c)
    assert paper((a + b) + c) == paper(a + (b + c))


@some
@given(THREE)
def test_addition_is_commutative(three: tuple[Any, Any, Any]) -> None:
    a, b, _ = three
    assert a + b == b + a
    assert paper(a + b) == paper(b + a)


@some
@given(THREE)
def test_there_is_an_identity(three: tuple[Any, Any, Any]) -> None:
    tally = three[0]
    nothing = IDENTITIES[type(tally)]
    assert nothing + tally == tally == tally + nothing
    assert paper(nothing + tally) == paper(tally) == paper(tally + nothing)


@some
@given(THREE)
def test_sum_adds_them_all(three: tuple[Any, Any, Any]) -> None:
    a, b, c = three
    assert sum(three) == reduce(lambda left, right: left + right, three) == a + b + c


@some
@given(THREE)
def test_adding_changes_neither_side(three: tuple[Any, Any, Any]) -> None:
    a, b, _ = three
    before = paper(a), paper(b)
    assert a + b is not a
    assert (paper(a), paper(b)) == before


@some
@given(THREE)
def test_the_json_form_comes_back_equal(three: tuple[Any, Any, Any]) -> None:
    tally = sum(three)
    back: Any = from_dict(json.loads(json.dumps(tally.to_dict(), allow_nan=False)))
    assert back == tally
    assert paper(back) == paper(tally)


def test_merging_unifies_true_and_1_the_same_in_either_order() -> None:
    booleans, numbers = counted([(True, False)]), counted([(1, 0), (2, 1)])
    for merged in (booleans + numbers, numbers + booleans):
        assert merged.labels == (0, 1, 2)
        assert {type(label) for label in merged.labels} == {int}
        assert by_pair(merged) == {(1, 0): 2, (2, 1): 1}


@pytest.mark.parametrize("kind", [int, bool])
def test_merging_keeps_a_family_as_it_is(kind: type) -> None:
    part = counted([(kind(1), kind(0))])
    assert {type(label) for label in (part + part).labels} == {kind}


def test_declared_true_and_1_merge_to_the_same_form_in_either_order() -> None:
    booleans = Confusion([[1, 0], [0, 2]], labels=[False, True])
    numbers = Confusion([[1, 0], [0, 2]], labels=[0, 1])
    assert paper(booleans + numbers) == paper(numbers + booleans)


def test_binary_true_and_1_merge_to_the_same_form_in_either_order() -> None:
    booleans, numbers = Binary(1, 0, 0, 2, True), Binary(1, 0, 0, 2, 1)
    assert paper(booleans + numbers) == paper(numbers + booleans)


# --- the tally of the parts is the tally of the whole ----------------------------------------------


def assert_every_cut_adds_up(rows: list[Pair], declared: Sequence[Any] | None = None) -> None:
    whole = counted(rows, declared)
    for cut in range(len(rows) + 1):
        parts = [counted(part, declared) for part in (rows[:cut], rows[cut:]) if part]
        assert sum(parts) == whole
        assert paper(sum(parts)) == paper(whole)


@pytest.mark.parametrize("family", FAMILIES)
@some
@given(st.data())
def test_tally_of_parts_is_tally_of_whole(family: str, data: st.DataObject) -> None:
    assert_every_cut_adds_up(data.draw(pairs(family)))


@pytest.mark.parametrize("family", PLAIN)
@some
@given(st.data())
def test_tally_of_parts_is_tally_of_whole_with_declared_labels(family: str, data: st.DataObject) -> None:
    rows = data.draw(pairs(family))
    labels = sorted({label for pair in rows for label in pair}, reverse=True)
    assert_every_cut_adds_up(rows, labels)


def test_a_part_of_ones_only_adds_no_zero_class() -> None:
    """The smallest cut at which the partner of a lone 1 must not turn up in the whole."""
    assert_every_cut_adds_up([(1, 1), (2, 2)])


def test_a_part_of_number_text_adds_to_a_part_of_words() -> None:
    """Only the finished label set can tell whether '1' is a number: in part one it seems to be."""
    assert_every_cut_adds_up([("1", "1"), ("a", "a")])


@pytest.mark.parametrize("family", FAMILIES)
@some
@given(st.data())
def test_finishing_the_sum_of_parts_is_finishing_the_whole(family: str, data: st.DataObject) -> None:
    rows = data.draw(pairs(family))
    whole = finished(counted(rows), [])
    assert whole.n == len(rows)
    for cut in range(1, len(rows)):
        assert paper(finished(counted(rows[:cut]) + counted(rows[cut:]), [])) == paper(whole)
    notes: list[str] = []
    assert paper(finished(whole, notes)) == paper(whole)
    assert notes == []


@pytest.mark.parametrize(
    ("rows", "labels", "cells"),
    [
        ([("1", "1.0"), ("1.0", "1")], (0, 1), {(1, 1): 2}),
        ([("10", "9"), ("9", "9")], (9, 10), {(10, 9): 1, (9, 9): 1}),
        ([("1", "a")], ("1", "a"), {("1", "a"): 1}),
        ([("007", "7")], ("007", "7"), {("007", "7"): 1}),
        ([(1, 1)], (0, 1), {(1, 1): 1}),
        ([(True, True)], (False, True), {(True, True): 1}),
        ([("True", "True")], ("False", "True"), {("True", "True"): 1}),
        ([(2, 2)], (2,), {(2, 2): 1}),
        ([("yes", "yes")], ("yes",), {("yes", "yes"): 1}),
    ],
)
def test_finishing_by_hand(rows: list[Pair], labels: tuple[Any, ...], cells: dict[Pair, int]) -> None:
    tally = finished(counted(rows), [])
    assert tally.labels == labels
    assert [type(label) for label in tally.labels] == [type(label) for label in labels]
    assert by_pair(tally) == cells


@pytest.mark.parametrize("family", PLAIN)
@some
@given(st.data())
def test_a_tally_is_the_count_of_its_rows(family: str, data: st.DataObject) -> None:
    rows = data.draw(pairs(family))
    naive: dict[Pair, int] = {}
    for pair in rows:
        naive[pair] = naive.get(pair, 0) + 1
    tally = counted(rows)
    assert by_pair(tally) == naive
    assert tally.n == len(rows)
    assert list(tally.labels) == sorted(tally.labels)
    assert {label for pair in rows for label in pair} <= set(tally.labels)


@some
@given(pairs("text"), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(rows: list[Pair], random: Any) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert counted(shuffled) == counted(rows)


def present_on_both_sides(rows: list[Pair], cut: int) -> bool:
    return all(any(None not in pair for pair in part) for part in (rows[:cut], rows[cut:]))


@pytest.mark.parametrize("family", PLAIN)
@some
@given(st.data())
def test_dropped_rows_add_up_too(family: str, data: st.DataObject) -> None:
    label = FAMILIES[family] | st.none()
    rows = data.draw(st.lists(st.tuples(label, label), min_size=1, max_size=20))
    gone = Counter("actual" if pair[0] is None else "predicted" for pair in rows if None in pair)
    for cut in range(1, len(rows)):
        if present_on_both_sides(rows, cut):
            merged = counted(rows[:cut]) + counted(rows[cut:])
            assert merged == counted(rows)
            assert merged.dropped == {f"missing_{role}": count for role, count in gone.items()}
            assert merged.n + sum(merged.dropped.values()) == len(rows)


@some
@given(pairs("text"), st.data())
def test_keyed_total_is_the_tally_of_all_rows(rows: list[Pair], data: st.DataObject) -> None:
    keys = data.draw(st.lists(st.sampled_from("abc"), min_size=len(rows), max_size=len(rows)))
    slices = [Keyed({key: counted([pair])}) for key, pair in zip(keys, rows, strict=True)]
    merged = sum(slices)
    assert isinstance(merged, Keyed)
    assert merged.total() == counted(rows)
    for key in set(keys):
        assert merged[key] == counted([pair for at, pair in zip(keys, rows, strict=True) if at == key])


# --- what is not merged ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (
            Confusion([[1, 2], [3, 4]], labels=["a", "b"]),
            Confusion([[1, 2], [3, 4]], labels=["b", "a"]),
            "labels were declared differently: ['a', 'b'] (declared) and ['b', 'a'] (declared).",
        ),
        (
            Confusion([[1, 2], [3, 4]], labels=["a", "b"]),
            counted([("a", "b")]),
            "labels were declared differently: ['a', 'b'] (declared) and ['a', 'b'] (observed).",
        ),
        (
            counted([("a", "c")]),
            Confusion([[1, 2], [3, 4]], labels=["a", "b"]),
            "labels were declared differently: ['a', 'c'] (observed) and ['a', 'b'] (declared).",
        ),
    ],
)
def test_what_was_declared_differently_is_refused(first: Confusion, second: Confusion, message: str) -> None:
    with pytest.raises(MergeError) as caught:
        first + second
    assert caught.value.message == message
    assert caught.value.hint == "declare the same labels, in the same order, for every part."


def test_counts_of_different_classes_are_refused() -> None:
    with pytest.raises(MergeError, match="positive='yes' and positive='no'"):
        Binary(1, 2, 3, 4, "yes") + Binary(1, 2, 3, 4, "no")
    with pytest.raises(MergeError, match="positive=None and positive='no'"):
        Binary(1, 2, 3, 4) + Binary(1, 2, 3, 4, "no")
    with pytest.raises(MergeError, match="positive='no' and positive='yes'"):
        Keyed({"x": Binary(0, 0, 0, 0, "no")}) + Keyed({"x": Binary(0, 0, 0, 0, "yes")})


def test_text_and_numbers_do_not_mix() -> None:
    text, numbers = counted([("a", "b")]), counted([(3, 4)])
    for first, second in ((text, numbers), (numbers, text)):
        with pytest.raises(LabelError, match="all numbers or all text"):
            first + second
    with pytest.raises(LabelError, match="actual holds text and predicted numbers or booleans"):
        counted([("a", 1)])


# --- many labels ----------------------------------------------------------------------------------


def test_ten_thousand_labels_stay_sparse() -> None:
    """A dense table would take 800 MB; a tally holds one cell per distinct pair at most."""
    generator = np.random.default_rng(0)
    everyone = np.arange(10_000)
    actual = np.concatenate([everyone, generator.permutation(everyone)])
    predicted = np.concatenate([everyone, generator.permutation(everyone)])

    def part(rows: slice) -> Confusion:
        columns = label_column(actual[rows], "actual"), label_column(predicted[rows], "predicted")
        return count_labels(gather(*columns, None, (), missing="error", where=array_places), None)

    tracemalloc.start()
    whole = part(slice(None))
    merged = part(slice(0, 7_000)) + part(slice(7_000, None))
    margins = merged.margins
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 50e6
    assert merged == whole
    assert len(whole.labels) == 10_000
    distinct = len(set(zip(actual.tolist(), predicted.tolist(), strict=True)))
    assert len(whole.cells) == len(whole.counts) == distinct
    assert whole.cells.nbytes + whole.counts.nbytes == 16 * distinct
    assert margins.correct == int((actual == predicted).sum())
    assert from_dict(json.loads(json.dumps(whole.to_dict()))) == whole
