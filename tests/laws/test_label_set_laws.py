"""Label sets are counted once: parts add up to the whole, and `+` is a commutative monoid."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tallymark.intake.sets.label_sets import read_sets
from tallymark.metrics import SET_METRICS
from tallymark.tallies import LabelSets, from_dict

some = settings(max_examples=60, deadline=None)

Row = tuple[frozenset[Any], frozenset[Any], float]

FAMILIES: dict[str, st.SearchStrategy[Any]] = {
    "int": st.integers(-2, 4),
    "text": st.sampled_from(["sport", "politics", "Sport", "", "é"]),
}
# Quarters add up exactly in binary, so that equal sums are equal to the bit.
WEIGHTS = {
    "none": st.just(1.0),
    "whole": st.integers(0, 5).map(float),
    "quarters": st.integers(0, 20).map(lambda quarters: quarters / 4),
}


def rows(family: str, weights: str, least: int = 0) -> st.SearchStrategy[list[Row]]:
    sets = st.frozensets(FAMILIES[family], max_size=4)
    return st.lists(st.tuples(sets, sets, WEIGHTS[weights]), min_size=least, max_size=20)


def counted(given: Sequence[Row], weights: str = "none", labels: Sequence[Any] | None = None) -> LabelSets:
    if not given:
        return LabelSets.empty()
    actual, predicted, weight = zip(*given, strict=True)
    encoded = read_sets(list(actual), list(predicted), labels=labels)
    return encoded.count(weights=None if weights == "none" else np.array(weight))


def paper(tally: LabelSets) -> str:
    return json.dumps(tally.to_dict())


@st.composite
def three(draw: st.DrawFn) -> tuple[LabelSets, LabelSets, LabelSets]:
    family, weights = draw(st.sampled_from(list(FAMILIES))), draw(st.sampled_from(list(WEIGHTS)))
    first, second, third = (counted(draw(rows(family, weights)), weights) for _ in range(3))
    return first, second, third


@some
@given(three())
def test_addition_is_a_commutative_monoid(tallies: tuple[LabelSets, LabelSets, LabelSets]) -> None:
    first, second, third = tallies
    assert (first + second) + third == first + (second + third)
    assert first + second == second + first
    assert first + LabelSets.empty() == LabelSets.empty() + first == first


@some
@given(st.data())
def test_parts_add_up_to_the_whole(data: st.DataObject) -> None:
    family, weights = data.draw(st.sampled_from(list(FAMILIES))), data.draw(st.sampled_from(list(WEIGHTS)))
    given = data.draw(rows(family, weights, least=1))
    at = data.draw(st.integers(0, len(given)))
    whole = counted(given, weights)
    assert counted(given[:at], weights) + counted(given[at:], weights) == whole
    assert sum(counted([row], weights) for row in given) == whole


@some
@given(st.data())
def test_parts_add_up_when_labels_are_declared(data: st.DataObject) -> None:
    labels = data.draw(st.permutations(["sport", "politics", "Sport", "", "é", "never seen"]))
    given = data.draw(rows("text", "quarters", least=2))
    at = data.draw(st.integers(1, len(given) - 1))
    whole = counted(given, "quarters", labels)
    merged = counted(given[:at], "quarters", labels) + counted(given[at:], "quarters", labels)
    assert merged == whole
    assert whole.labels == tuple(labels)


@some
@given(st.data())
def test_any_selection_and_its_rest_add_up(data: st.DataObject) -> None:
    given = data.draw(rows("int", "quarters", least=1))
    actual, predicted, weight = zip(*given, strict=True)
    encoded = read_sets(list(actual), list(predicted))
    weights = np.array(weight)
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=len(given), max_size=len(given))))
    parts = [
        replace(encoded, actual=encoded.actual[rows], predicted=encoded.predicted[rows])
        for rows in (chosen, ~chosen)
    ]
    assert parts[0].count() + parts[1].count() == encoded.count()
    weighed = [part.count(weights[rows]) for part, rows in zip(parts, (chosen, ~chosen), strict=True)]
    assert weighed[0] + weighed[1] == encoded.count(weights)


@some
@given(rows("text", "quarters", least=1))
def test_every_number_is_what_a_loop_over_the_rows_gives(given: list[Row]) -> None:
    tally = counted(given, "quarters")
    kinds: Counter[tuple[int, int, int]] = Counter()
    for actual, predicted, weight in given:
        kinds[len(actual), len(predicted), len(actual & predicted)] += weight  # type: ignore[assignment]
    found = {tuple(sizes): count for *sizes, count in tally.to_dict()["kinds"]}
    assert found == {kind: weight for kind, weight in kinds.items() if weight}
    for label in tally.labels:
        binary = tally.binary(label)
        assert binary.tp == sum(w for y, z, w in given if label in y and label in z)
        assert binary.fn == sum(w for y, z, w in given if label in y and label not in z)
        assert binary.fp == sum(w for y, z, w in given if label not in y and label in z)
        assert binary.tn == sum(w for y, z, w in given if label not in y and label not in z)
    pooled = [
        sum(getattr(tally.binary(label), cell) for label in tally.labels) for cell in ("tp", "fn", "fp", "tn")
    ]
    assert [tally.pooled.tp, tally.pooled.fn, tally.pooled.fp, tally.pooled.tn] == pooled
    assert tally.n == sum(w for *_, w in given)


@some
@given(rows("text", "whole", least=1))
def test_a_whole_weight_counts_as_so_many_rows_in_every_number(given: list[Row]) -> None:
    weighted = counted(given, "whole")
    assert weighted.counts.dtype.kind == "i"
    repeated = [(y, z, 1.0) for y, z, w in given for _ in range(int(w))]
    if repeated:
        labels = weighted.labels
        plain = counted(repeated, labels=labels)
        assert weighted.counts.tolist() == plain.counts.tolist()
        assert weighted.cells.tolist() == plain.cells.tolist()
        for metric in SET_METRICS.values():
            np.testing.assert_allclose(metric(weighted), metric(plain), rtol=1e-12)


@some
@given(three())
def test_paper_keeps_everything(tallies: tuple[LabelSets, LabelSets, LabelSets]) -> None:
    for tally in tallies:
        back = from_dict(json.loads(paper(tally)))
        assert back == tally
        assert paper(back) == paper(tally)  # type: ignore[arg-type]


@some
@given(rows("text", "none", least=1), st.permutations(["sport", "politics", "Sport", "", "é"]))
def test_names_and_order_of_labels_change_no_number(given: list[Row], order: list[str]) -> None:
    for metric in SET_METRICS.values():
        np.testing.assert_equal(
            metric(counted(given, labels=order)), metric(counted(given, labels=sorted(order)))
        )


@some
@given(rows("int", "none", least=1))
def test_sides_swap_precision_and_recall(given: list[Row]) -> None:
    swapped = [(z, y, w) for y, z, w in given]
    for one, other in (("precision", "recall"), ("f1", "f1"), ("accuracy", "accuracy")):
        first, second = SET_METRICS[f"{one}_example"], SET_METRICS[f"{other}_example"]
        # Not to the bit: kinds of rows are added up in another order.
        np.testing.assert_allclose(first(counted(given)), second(counted(swapped)), rtol=1e-12)
