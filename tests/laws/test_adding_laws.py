"""Tallies are values: `+` is a commutative monoid, and the tally of parts, added up, is that of the whole.

Scores are sixteenths and weights whole numbers, so that their sums are exact; only logarithms are rounded.
"""

import copy
import json
import pickle
import tracemalloc
from collections import Counter
from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_count as naive
import tallymark as tm
from alike import alike
from hand_counts import paired_of, scores_of

# --- tables ------------------------------------------------------------------------------------------

FAMILIES: dict[str, tuple[list[Any], Any]] = {
    "numbers": ([-2, 0, 1, 2, 4], pl.Int64),
    "booleans": ([False, True], pl.Boolean),
    "text": (["yes", "no", "Yes", "", "é", "maybe"], pl.String),
    "numbers as text": (["0", "1", "1.0", "7", "a", "007"], pl.String),
    "truths as text": (["True", "False", "maybe"], pl.String),
}
SHAPES: dict[str, dict[str, Any]] = {
    "labels": {"predicted": "p"},
    "declared labels": {"predicted": "p", "labels": [1, 0, 7]},
    "scores": {"score": "s"},
    "a grid": {"score": "s", "approximate": True, "grid": (0, 1), "threshold": 0.5},
    "weights": {"predicted": "p", "score": "s", "weight": "w"},
    "weights on a grid": {"score": "s", "weight": "w", "approximate": True, "grid": (0, 1)},
    "frequencies": {
        "score": "s", "weight": "w", "weight_kind": "frequency", "approximate": True, "grid": (-1, 1),
    },
    "slices": {"predicted": "p", "slices": ["sex", "sex*w"]},
    "groups": {"predicted": "p", "groups": "g", "slices": ["sex"]},
    "groups with scores": {"score": "s", "groups": "g", "slices": ["sex*w"]},
    "groups with weights": {"predicted": "p", "score": "s", "weight": "w", "groups": "g"},
    "groups of frequencies": {"score": "s", "weight": "w", "weight_kind": "frequency", "groups": "g"},
    "slices on a grid": {"score": "s", "approximate": True, "grid": (0, 1), "slices": ["sex"], "clip": 0.01},
    "classes": {"probabilities": {0: "a", 1: "b", 2: "c"}, "weight": "w"},
}  # fmt: skip
Row = tuple[int, int, int, int, str]
row = st.tuples(
    st.integers(0, 1), st.integers(0, 1), st.integers(0, 16), st.integers(1, 3), st.sampled_from("fm")
)
three_tables = st.tuples(*[st.lists(row, min_size=1, max_size=6)] * 3)
NOTHING: Row = (1, 0, 8, 0, "f")
"""A row of weight 0."""


def frame(rows: Sequence[Row]) -> pl.DataFrame:
    y, p, step, w, sex = (list(column) for column in zip(*rows, strict=True))
    thirds = [(k % 5 / 4, (1 - k % 5 / 4) / 2, (1 - k % 5 / 4) / 2) for k in step]
    columns: dict[str, Any] = dict(zip("abc", zip(*thirds, strict=True), strict=True))
    group = [f"{each}{k % 3}" for each, k in zip(sex, step, strict=True)]
    return pl.DataFrame(
        columns | {"y": y, "p": p, "s": [k / 16 for k in step], "w": w, "sex": sex, "g": group}
    )


def counted(rows: Sequence[Row], shape: str) -> tm.Tally:
    return tm.tally(frame(rows), actual="y", **SHAPES[shape])


@given(three_tables)
def test_tables_of_every_shape(tables: Any) -> None:
    one, two, three = tables[0], [*tables[1], NOTHING], tables[2]
    for shape, options in SHAPES.items():
        a, b, c = (counted(rows, shape) for rows in (one, two, three))
        before = copy.deepcopy((a, b))
        whole = counted([*one, *two, *three], shape)
        alike((a + b) + c, whole)
        alike(a + (b + c), whole)
        alike(c + b + a, whole)
        if shape == "weights":
            alike(counted([*three, *two, *one][::-1], shape), whole)
        assert sum([a, b, c]) == reduce(add, [a, b, c])
        assert (a, b) == before
        assert pickle.loads(pickle.dumps(a + b)) == a + b
        if "probabilities" not in options:
            held = frame([*one, *two, *three]).to_dict(as_series=False)
            roles = {role: held[options[role]] for role in naive.ROLES if role in options} | {
                "actual": held["y"]
            }
            asked: dict[str, Any] = {
                "frequency": options.get("weight_kind") == "frequency",
                "clip": options.get("clip", 0),
            }
            if "grid" in options:
                asked["grid"] = naive.Grid(*options["grid"], threshold=options.get("threshold"))
            naive.agrees(whole, naive.count(roles, **asked))


@given(st.data())
def test_labels_of_every_family_with_missing_ones_left_out(data: st.DataObject) -> None:
    for labels, kind in FAMILIES.values():
        label = st.sampled_from([*labels, None])
        rows = data.draw(st.lists(st.tuples(label, label), min_size=1, max_size=12))
        kept = [pair for pair in rows if None not in pair]
        if not kept:
            continue

        def part(rows: Any, kind: Any = kind) -> tm.Tally:
            table = pl.DataFrame(rows, {"y": kind, "p": kind}, orient="row")
            return tm.tally(table, actual="y", predicted="p", missing="drop")

        whole = part(rows).counted
        naive.agrees(
            part(rows), naive.count({"actual": [y for y, _ in rows], "predicted": [p for _, p in rows]})
        )
        assert list(whole.labels) == sorted({label for pair in kept for label in pair})
        gone = Counter(
            "missing_actual" if pair[0] is None else "missing_predicted" for pair in rows if None in pair
        )
        assert (whole.n, whole.dropped) == (len(kept), gone)
        text = json.dumps(whole.to_dict())
        for cut in range(1, len(rows)):
            sides = rows[:cut], rows[cut:]
            if all(any(None not in pair for pair in side) for side in sides):
                both = part(sides[0]) + part(sides[1])
                assert both == part(sides[1]) + part(sides[0]) == part(rows)
                # In which True and 1 differ.
                assert json.dumps(both.counted.to_dict()) == text
                # The labels that stand for numbers, and the partner of a lone 1, depend on the whole alone.
                assert both.evaluate().confusion == part(rows).evaluate().confusion


def test_what_a_part_does_not_know_of_the_labels() -> None:
    for pairs, labels in (
        ([("1", "1"), ("a", "a")], ("1", "a")),
        ([(1, 1), (2, 2)], (1, 2)),
        ([(1, 1)], (0, 1)),
        ([(True, True)], (False, True)),
        ([("True", "True")], ("False", "True")),
        ([(2, 2)], (2,)),
        ([("yes", "yes")], ("yes",)),
        ([("007", "7")], ("007", "7")),
        ([("10", "9"), ("9", "9")], ("9", "10")),
    ):
        table = pl.DataFrame(pairs, ["y", "p"], orient="row")
        parts = [tm.tally(table[at : at + 1], actual="y", predicted="p") for at in range(len(pairs))]
        for tally in (sum(parts), tm.tally(table, actual="y", predicted="p")):
            confusion = tally.evaluate().confusion
            assert sorted(map(str, confusion.labels)) == sorted(map(str, labels)), pairs
            assert set(map(type, confusion.labels)) == set(map(type, labels)), pairs
            assert confusion.n == len(pairs)
    booleans = tm.tally(pl.DataFrame({"y": [True], "p": [False]}), actual="y", predicted="p")
    numbers = tm.tally(pl.DataFrame({"y": [1, 2], "p": [0, 1]}), actual="y", predicted="p")
    for merged in ((booleans + numbers).counted, (numbers + booleans).counted):
        assert (merged.labels, set(map(type, merged.labels))) == ((0, 1, 2), {int})
        assert merged.matrix.tolist() == [[0, 0, 0], [2, 0, 0], [0, 1, 0]]


def test_ten_thousand_labels_stay_sparse() -> None:
    """A dense table would take 800 MB; a tally holds one cell per distinct pair at most."""
    random, everyone = np.random.default_rng(0), np.arange(10_000)
    actual, predicted = (np.concatenate([everyone, random.permutation(everyone)]) for _ in range(2))
    table = pl.DataFrame({"y": actual, "p": predicted})
    tracemalloc.start()
    whole, *parts = (
        tm.tally(table[rows], actual="y", predicted="p").counted
        for rows in (slice(None), slice(0, 7_000), slice(7_000, None))
    )
    merged = parts[0] + parts[1]
    margins = merged.margins
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6
    assert merged == whole
    distinct = len(set(zip(actual.tolist(), predicted.tolist(), strict=True)))
    assert (len(whole.labels), len(whole.cells), len(whole.counts)) == (10_000, distinct, distinct)
    assert whole.cells.nbytes + whole.counts.nbytes == 16 * distinct
    assert margins.correct == int((actual == predicted).sum())
    assert tm.Confusion.from_dict(json.loads(json.dumps(whole.to_dict()))) == whole


# --- what is made without a table --------------------------------------------------------------------

counts = st.integers(0, 2**62)


@given(
    st.lists(st.tuples(counts, counts, counts, counts), min_size=3, max_size=3),
    st.sampled_from([None, "yes", True]),
)
def test_counts_of_two_classes_and_counts_under_keys(cells: Any, positive: Any) -> None:
    a, b, c = (tm.Binary(*each, positive) for each in cells)
    assert (a + b) + c == a + (b + c) == c + b + a == sum([a, b, c])
    assert (a + b + c).tp == sum(each[0] for each in cells)
    assert a + tm.Binary(0, 0, 0, 0) == tm.Binary(0, 0, 0, 0) + a == a
    merged = tm.Keyed({"x": a, ("fold", 1): b}) + tm.Keyed({("fold", 1): c, 2: a})
    assert (merged["x"], merged["fold", 1], merged[2]) == (a, b + c, a)
    assert merged == tm.Keyed({2: a, ("fold", 1): c}) + tm.Keyed({("fold", 1): b, "x": a})
    assert merged.total() == a + b + c + a


numbers = st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 0.1 + 0.2, 0.3, 1.0]) | st.floats(-1e300, 1e300)


@given(st.lists(st.tuples(numbers, st.booleans(), st.integers(1, 9)), min_size=2, max_size=20), st.data())
def test_scores_are_cut_anywhere(rows: list[tuple[float, bool, int]], data: st.DataObject) -> None:
    at = data.draw(st.integers(1, len(rows) - 1))
    score, hit, weight = zip(*rows, strict=True)
    for kind in (None, "sampling", "frequency"):
        options = {} if kind is None else {"weight": "w", "weight_kind": kind}
        table = pl.DataFrame({"y": [*map(int, hit)], "s": score, "w": weight})
        one, two, whole = (
            tm.tally(part, actual="y", score="s", pos_label=1, **options).scores
            for part in (table[:at], table[at:], table)
        )
        assert one + two == two + one == whole
        assert json.dumps((one + two).to_dict()) == json.dumps(whole.to_dict())
        assert whole.positives.dtype.kind == "i"
        times = [1] * len(rows) if kind is None else weight
        # A weight is that many rows of weight 1; a cut gives what a threshold gives row by row.
        many = scores_of([(s, h) for s, h, w in zip(score, hit, times, strict=True) for _ in range(w)])
        assert whole.score.tobytes() == many.score.tobytes()
        assert [whole.positives.tolist(), whole.negatives.tolist()] == [
            many.positives.tolist(),
            many.negatives.tolist(),
        ]
        cuts = whole.cuts()
        assert whole.thresholds.tolist() == [np.inf, *sorted({s + 0.0 for s in score}, reverse=True)]
        for place, threshold in enumerate(whole.thresholds.tolist()):
            cells = Counter[tuple[bool, bool]]()
            for s, h, w in zip(score, hit, times, strict=True):
                cells[h, s >= threshold] += w
            expected = [cells[True, True], cells[True, False], cells[False, True], cells[False, False]]
            assert [side[place] for side in (cuts.tp, cuts.fn, cuts.fp, cuts.tn)] == expected


three_counts = st.lists(st.integers(0, 2**48), min_size=3, max_size=3)


@given(
    st.lists(st.tuples(three_counts, three_counts), min_size=3, max_size=3),
    st.sampled_from([None, [0, 0.5, 0.7, 1], [3.0, 1.0, 0.0, -0.5]]),
)
def test_bins_are_added(sides: Any, edges: Any) -> None:
    a, b, c = (tm.Scores.from_bins(*each, edges) for each in sides)
    assert (a + b) + c == a + (b + c) == c + (b + a) == sum([a, b, c], tm.Scores.empty())
    assert tm.Scores.from_dict(json.loads(json.dumps((a + b).to_dict()))) == a + b


pairs_of_models = st.tuples(*[st.integers(0, 2)] * 3, st.integers(1, 5))


@given(st.lists(pairs_of_models, min_size=3, max_size=20), st.data(), st.booleans())
def test_predictions_of_two_models(rows: list[tuple[int, ...]], data: st.DataObject, weighted: bool) -> None:
    cuts = sorted(data.draw(st.tuples(*[st.integers(0, len(rows))] * 2)))

    def part(rows: Sequence[tuple[int, ...]]) -> tm.Paired:
        """With the labels seen in these rows, as observed labels are."""
        if not rows:
            return tm.Paired.empty()
        *columns, weight = np.array(rows).T
        seen = np.unique(columns)
        options = {"weight": weight.tolist()} if weighted else {}
        return paired_of(
            ["abc"[at] for at in seen], ("tree", "forest"), *np.searchsorted(seen, columns), **options
        )

    a, b, c = part(rows[: cuts[0]]), part(rows[cuts[0] : cuts[1]]), part(rows[cuts[1] :])
    whole = part(rows)
    assert (a + b) + c == a + (b + c) == c + (b + a) == sum([a, b, c]) == whole
    assert tm.Paired.from_dict(json.loads(json.dumps(whole.to_dict()))) == whole
    amounts = [row[3] if weighted else 1 for row in rows]
    for column, name in enumerate(("tree", "forest"), 1):
        confusion, expected = whole.confusion(name), Counter[tuple[int, int]]()
        for row, amount in zip(rows, amounts, strict=True):
            expected[row[0], row[column]] += amount
        found = {
            ("abc".index(confusion.labels[i]), "abc".index(confusion.labels[j])): count
            for (i, j), count in np.ndenumerate(confusion.matrix) if count
        }  # fmt: skip
        assert found == expected
    right = [[row[0] == row[column] for row in rows] for column in (1, 2)]
    hits = [sum(w for w, hit in zip(amounts, side, strict=True) if hit) for side in right]
    agreement, (patterns, times) = whole.agreement("tree", "forest"), whole.patterns()
    assert (agreement.n11 + agreement.n01, agreement.n11 + agreement.n10) == tuple(hits)
    assert agreement.value == pytest.approx((hits[0] - hits[1]) / sum(amounts))
    assert (patterns.T @ times).tolist() == hits


# --- label sets --------------------------------------------------------------------------------------

# Quarters add up exactly in binary, so that equal sums are equal to the bit.
WEIGHTS = {
    "none": st.just(4),
    "whole": st.integers(1, 5).map(lambda w: 4 * w),
    "quarters": st.integers(0, 20),
}
SETS = {"numbers": st.integers(-2, 4), "text": st.sampled_from(["sport", "politics", "Sport", "", "é"])}


@given(st.data(), st.sampled_from([*WEIGHTS]), st.sampled_from([*SETS]), st.booleans())
def test_label_sets(data: st.DataObject, weights: str, family: str, declared: bool) -> None:
    inside = st.frozensets(SETS[family], max_size=4)
    first, *rows = data.draw(st.lists(st.tuples(inside, inside, WEIGHTS[weights]), min_size=3, max_size=12))
    # Some label and some weight in every part.
    some = next(iter(first[0] | first[1]), 0 if family == "numbers" else "é")
    rows = [(first[0] | {some}, first[1], 4), *rows, ({some}, first[1], 4)]
    cut = data.draw(st.integers(1, len(rows) - 1))
    labels = sorted({label for y, z, _ in rows for label in y | z}, reverse=True) if declared else None

    def part(rows: Any) -> tm.LabelSets:
        actual, predicted, quarters = zip(*rows, strict=True)
        options = (
            {}
            if weights == "none"
            else {"sample_weight": [w // 4 if weights == "whole" else w / 4 for w in quarters]}
        )
        return tm.evaluate([*map(set, actual)], [*map(set, predicted)], labels=labels, **options).sets.tally

    whole = part(rows)
    sides = [
        side
        for side in (rows[:cut], rows[cut:])
        if any(y | z for y, z, _ in side) and any(w for *_, w in side)
    ]
    if len(sides) == 2:
        a, b = map(part, sides)
        assert a + b == b + a == whole
        assert a + tm.LabelSets.empty() == a == tm.LabelSets.empty() + a
    if declared:
        assert whole.labels == tuple(labels or ())
    assert tm.LabelSets.from_dict(json.loads(json.dumps(whole.to_dict()))) == whole
    amounts = [w / 4 for *_, w in rows]
    kinds = Counter[tuple[int, int, int]]()
    for (y, z, _), amount in zip(rows, amounts, strict=True):
        kinds[len(y), len(z), len(y & z)] += amount
    assert {tuple(sizes): count for *sizes, count in whole.to_dict()["kinds"]} == {
        k: n for k, n in kinds.items() if n
    }
    assert whole.n == sum(amounts)
    pooled = np.zeros(4)
    for label in whole.labels:
        cells = Counter[tuple[bool, bool]]()
        for (y, z, _), amount in zip(rows, amounts, strict=True):
            cells[label in y, label in z] += amount
        binary, expected = (
            whole.binary(label),
            [cells[k] for k in ((True, True), (True, False), (False, True), (False, False))],
        )
        assert [binary.tp, binary.fn, binary.fp, binary.tn] == expected
        pooled += expected
    assert [whole.pooled.tp, whole.pooled.fn, whole.pooled.fp, whole.pooled.tn] == pooled.tolist()
    # The sides swapped, precision is recall.
    other = part([(z, y, w) for y, z, w in rows])
    for one, two in (("precision", "recall"), ("f1", "f1"), ("accuracy", "accuracy")):
        swapped = other.evaluate()[f"{two}_example"].value
        assert whole.evaluate()[f"{one}_example"].value == pytest.approx(swapped, rel=1e-12)


# --- the one definition of a bin ---------------------------------------------------------------------

ends = st.floats(-1e12, 1e12, allow_subnormal=False)
floats = st.floats(-1e300, 1e300) | st.sampled_from([0.0, -0.0, 5e-324, -5e-324])


@st.composite
def grids(draw: st.DrawFn) -> tm.Grid:
    low, high = sorted(draw(st.tuples(ends, ends).filter(lambda pair: abs(pair[0] - pair[1]) > 1e-290)))
    return tm.Grid(low, high, draw(st.integers(1, 40)), np.array(draw(st.lists(floats, max_size=5))))


@given(grids() | st.just(tm.Grid()), st.lists(floats, min_size=1, max_size=20))
def test_a_bin_is_found_by_arithmetic_as_by_search(grid: tm.Grid, scores: list[float]) -> None:
    edges = grid.edges[1:]
    near = np.concatenate([edges, np.nextafter(edges, np.inf), np.nextafter(edges, -np.inf), grid.cuts])
    every = np.concatenate([near[np.isfinite(near)][:500], np.array(scores, float), np.array([0.0, -0.0])])
    assert grid.index(every).tolist() == (np.searchsorted(grid.edges, every, side="right") - 1).tolist()
    # A cut is a bin of its own.
    at = np.array(scores[:5]) + 0.0
    finer = grid.cut_at(at)
    assert finer.edges[finer.index(at)].tolist() == at.tolist()
    assert set(grid.edges.tolist()) <= set(finer.edges.tolist())
    above, below = (np.nextafter(at, end) for end in (np.inf, -np.inf))
    assert (finer.index(above) > finer.index(at)).all()
    assert (finer.index(below) < finer.index(at)).all()
