"""One probability per class in files of which no rows are kept, against the same files in memory."""

import math
import pickle
from functools import cache
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from inputs import refusals, typed

import tallymark as tm
from collected import each
from documents import same
from scored import classes

TWO, THREE, FIVE = ["no", "yes"], ["a", "b", "c"], [0, 3, 7, 10, 12]
PAIRS = ("auc_ovo_macro", "auc_ovo_weighted")
MEANS = ("auc_ovr_macro", "auc_ovr_weighted")
SIDES = ("/metrics", "/per_class", "/slices")


@cache
def table(labels, rows=120, ties=False, seed=0):
    """Rows whose own class is somewhat more probable, with weights, slices and answers of another model."""
    rng, size = np.random.default_rng(seed), len(labels)
    actual = rng.integers(0, size, rows)
    logits = rng.normal(size=(rows, size))
    logits[np.arange(rows), actual] += 1
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    if ties:
        shares = np.array([rng.multinomial(8, row) / 8 for row in shares])
    named = np.array(labels)
    columns = {"y": named[actual], "said": named[rng.integers(0, size, rows)]}
    columns |= {"w": rng.integers(1, 9, rows) / 4, "n": rng.integers(0, 3, rows)}
    columns["region"] = np.array(["north", "south"])[rng.integers(0, 2, rows)]
    # Not in the order of the labels.
    return pl.DataFrame(columns | {f"p_{labels[at]}": shares[:, at] for at in [*range(1, size), 0]})


def parts(frame, kind="csv", cuts=(30, 70)):
    paths = []
    for part, (start, end) in enumerate(pairwise([0, *cuts, len(frame)])):
        paths.append(f"part{part}.{kind}")
        rows = frame[start:end]
        rows.write_csv(paths[-1]) if kind == "csv" else rows.write_parquet(paths[-1])
    return paths


def columns(frame):
    return [name for name in frame.columns if name.startswith("p_")]


def both(frame, kind="csv", **options):
    """In memory, and from counts."""
    paths, options = parts(frame, kind), {"actual": "y", "probabilities": columns(frame), **options}
    return tm.evaluate(paths, **options), tm.tally(paths, **options).evaluate()


def same_but_pairs(memory, counted):
    """Averages over classes are equal, and what rows would add makes their interval narrower only."""
    one, two = memory.to_dict(), counted.to_dict()
    assert sorted(one.pop("notes")) == sorted(two.pop("notes"))
    same(one, two, but=(*PAIRS, *MEANS))
    for known, found in zip([memory, *memory.slices], [counted, *counted.slices], strict=True):
        for name in MEANS:
            assert found[name].value == pytest.approx(known[name].value, rel=1e-12)
            assert found[name].low <= known[name].low <= known[name].high <= found[name].high


NUMBERS_OF = [(TWO, {}), (THREE, {}), (FIVE, {"kind": "parquet", "weight": "w"}), (THREE, {"order": "y"})]
NUMBERS_OF += [(THREE, {"ties": True, "weight": "n", "weight_kind": "frequency"})]
NUMBERS_OF += [(THREE, {"ties": True, "predicted": "said"}), (THREE, {"clip": 0.01, "pos_label": "b"})]
NUMBERS_OF += [(THREE, {"predicted": "said", "weight": "w", "slices": ["region"]})]
NUMBERS_OF += [(THREE, {"labels": ["c", "a", "b"]})]


@each("labels, options", NUMBERS_OF)
def test_every_number_is_that_of_rows_in_memory(labels, options):
    options = dict(options)
    frame = table(tuple(labels), ties=options.pop("ties", False))
    if "order" in options:  # a class is not in every part
        frame = frame.sort(options.pop("order"))
    memory, counted = both(frame, **options)
    same_but_pairs(memory, counted)
    if labels == FIVE:
        for k in range(1, 6):
            same(memory[f"top_k_accuracy:{k}"].to_dict(), counted[f"top_k_accuracy:{k}"].to_dict())
    if options.get("slices"):
        same(counted.to_dict(), pickle.loads(pickle.dumps(counted)).to_dict())


def test_classes_of_few_rows_and_of_none():
    frame = table(("a", "b", "c"))
    none = frame.filter(pl.col("y") != "b", pl.col("said") != "b")
    for rows, options in ((none, {}), (none, {"predicted": "said"}), (frame.filter(pl.col("y") == "a"), {})):
        memory, counted = both(rows, **options)
        assert counted.labels == ("a", "b", "c")
        same(memory.to_dict(), counted.to_dict(), but=(*PAIRS, *MEANS))
    assert counted["auc_ovo_macro"].why == memory["auc_ovo_macro"].why
    one = frame.filter((pl.col("y") != "b") | (pl.col("y").cum_count().over("y") == 1))
    assert one["y"].value_counts().filter(y="b")["count"].item() == 1
    memory, counted = both(one)
    for name in MEANS:
        assert counted[name].value == pytest.approx(memory[name].value)
        assert counted[name].low <= memory[name].low < memory[name].high <= counted[name].high


def test_tallies_of_parts_are_added():
    frame = table(("a", "b", "c"), ties=True)
    paths, options = parts(frame), {"actual": "y", "probabilities": columns(frame), "weight": "w"}
    for approximate in (False, True):
        added = sum(tm.tally(path, approximate=approximate, **options) for path in paths)
        whole = tm.tally(paths, approximate=approximate, **options)
        assert added.counted == whole.counted
        for name in ("columns", "margins"):
            assert getattr(added.classes, name) == getattr(whole.classes, name)
        assert added.classes.place_squares.tolist() == whole.classes.place_squares.tolist()
        for one, two in zip(added.classes.losses, whole.classes.losses, strict=True):
            same(one.to_dict(), two.to_dict())
    frame = table(tuple(FIVE))
    options = {"actual": "y", "probabilities": columns(frame), "slices": "region"}
    assert tm.tally(frame, **options) == tm.tally(parts(frame, "parquet", ()), **options)


ROWS_BY_HAND = [
    ("a", "c", 0.5, 0.25, 0.25, 2.0, 2),
    ("a", "c", 0.25, 0.5, 0.25, 0.5, 0),
    ("b", "b", 0.5, 0.5, 0.0, 3.0, 3),
    ("c", "c", 0.125, 0.75, 0.125, 0.0, 1),
]
BY_HAND = pl.DataFrame(ROWS_BY_HAND, ["y", "said", "a", "b", "c", "w", "f"], orient="row")
OF_HAND = {"actual": "y", "probabilities": {"a": "a", "b": "b", "c": "c"}}


def test_counts_by_hand():
    found = tm.tally(BY_HAND, **OF_HAND)
    # in the third row a and b are level, and a is the first
    assert found.counted.matrix.tolist() == [[1, 1, 0], [1, 0, 0], [0, 1, 0]]
    counts = found.classes
    assert counts.ties == 1
    # a is first in row 1 and, before c by its label, second in row 2; b second in row 3; c third in row 4
    assert (counts.places.tolist(), counts.place_squares) == ([1, 2, 1], None)
    of_a, of_b, of_c = counts.columns
    assert of_a.score.tolist() == [0.5, 0.25, 0.125]
    assert (of_a.positives.tolist(), of_a.negatives.tolist()) == ([1, 1, 0], [1, 0, 1])
    assert (of_b.n_positive, of_c.n_positive) == (1, 1)
    for side, score, right, wrong in (
        (counts.confidence, [0.75, 0.5], [0, 1], [1, 2]),
        (counts.margins, [0.625, 0.25, 0.0], [0, 1, 0], [1, 1, 1]),
    ):
        found = [side.score.tolist(), side.positives.tolist(), side.negatives.tolist()]
        assert found == [score, right, wrong]
    # (1 - 0.5)**2 + 2 * 0.25**2, and (1 - 0.25)**2 + 0.5**2 + 0.25**2
    lost_a, lost_b, lost_c = counts.losses
    assert lost_a.brier.total == 0.375 + 0.875
    assert lost_a.log_loss.total == pytest.approx(math.log(2) + math.log(4))
    assert (lost_a.rows, lost_b.rows, lost_c.rows, lost_a.most) == (2, 1, 1, 2)
    assert lost_c.log_loss.total == pytest.approx(math.log(8))

    weighed = tm.tally(BY_HAND, **OF_HAND, weight="w").classes
    assert (weighed.places.tolist(), weighed.place_squares.tolist()) == ([2.0, 3.5, 0.0], [4.0, 9.25, 0.0])
    assert [sums.rows for sums in weighed.losses] == [2, 1, 0]
    assert (weighed.columns[0].rows, weighed.confidence.score.tolist()) == (3, [0.5])
    often = tm.tally(BY_HAND, **OF_HAND, weight="f", weight_kind="frequency").classes
    assert ([sums.rows for sums in often.losses], often.place_squares) == ([2, 3, 1], None)
    assert often.columns[1].rows == 6
    given = tm.tally(BY_HAND, **OF_HAND, predicted="said")
    assert given.counted.matrix.tolist() == [[0, 0, 2], [0, 1, 0], [0, 0, 1]]
    assert given.classes == counts


def test_counts_on_a_grid_by_hand():
    exact, found = (tm.tally(BY_HAND, **OF_HAND, approximate=grid).classes for grid in (False, True))
    of_a = found.columns[0]
    low = of_a.grid.edges[np.flatnonzero(of_a.positives + of_a.negatives)]
    assert low.tolist() == [0.125, 0.25, 0.5]  # all of them are edges of bins
    held = of_a.positives + of_a.negatives > 0
    assert (of_a.positives[held].tolist(), of_a.negatives[held].tolist()) == ([0, 1, 1], [1, 0, 1])
    # places and losses need no bins
    assert (found.places.tolist(), found.losses) == (exact.places.tolist(), exact.losses)


def estimates(form, path=""):
    """Every number of a document with what is said of it."""
    if isinstance(form, dict):
        if "value" in form:
            yield path, form
        for key, value in form.items():
            yield from estimates(value, f"{path}/{key}")
    elif isinstance(form, list):
        for at, value in enumerate(form):
            yield from estimates(value, f"{path}/{at}")


@each("labels, options", [(TWO, {}), (THREE, {"weight": "w"}), (THREE, {"slices": ["region"]}), (FIVE, {})])
def test_bounds_on_a_grid_hold_what_rows_in_memory_say(labels, options):
    """Probabilities are eighths, all a little off, so that many different ones share a bin."""
    frame, rng = table(tuple(labels), ties=True, seed=len(labels)), np.random.default_rng(1)
    first, *_, last = names = columns(frame)
    off = pl.Series(rng.random(len(frame)) * 1e-6)
    frame = frame.with_columns((pl.col(name) * 0.98 + 0.02 / len(names)) for name in names)
    frame = frame.with_columns(pl.col(first) + off, pl.col(last) - off)
    paths = parts(frame)
    options = {"actual": "y", "probabilities": columns(frame), "pos_label": labels[1], **options}
    memory, counted = tm.evaluate(paths, **options), tm.tally(paths, approximate=True, **options).evaluate()
    known, seen = dict(estimates(memory.to_dict())), 0
    for path, found in estimates(counted.to_dict()):
        if path.endswith(PAIRS) or not path.startswith(SIDES) or found["value"] is None:
            continue
        low, high = found.get("bounds", (found["value"],) * 2)
        seen += high > low
        assert low - 1e-9 <= known[path]["value"] <= high + 1e-9, path
        if path.endswith(MEANS):
            assert found["low"] <= known[path]["low"] <= known[path]["high"] <= found["high"], path
    assert seen > len(labels)
    for name in ("accuracy", "brier", "log_loss", "top_k_accuracy:2"):
        same(memory[name].to_dict(), counted[name].to_dict())


def test_areas_and_rejection_on_a_grid_are_near():
    frame = table(("a", "b", "c"))
    options = {"actual": "y", "probabilities": columns(frame)}
    memory, counted = (tm.evaluate(parts(frame), approximate=grid, **options) for grid in (False, True))
    one, two = ((ev["ece"].value, ev.rejection.area, ev.per_class["b"].roc.auc) for ev in (memory, counted))
    assert two == pytest.approx(one, abs=1e-3)


def test_tolerance_reads_again_until_bounds_of_every_class_are_narrow():
    """All scores lie in a few bins of the first grid."""
    frame = table(("a", "b", "c"))
    crowded = frame.with_columns(
        p_a=1 - 1e-5 * (pl.col("p_b") + pl.col("p_c")), p_b=pl.col("p_b") * 1e-5, p_c=pl.col("p_c") * 1e-5
    )
    options = {"actual": "y", "probabilities": columns(frame)}
    memory = tm.evaluate(parts(crowded), **options)
    wide, narrow = (
        tm.evaluate(parts(crowded), approximate=True, tolerance=t, **options) for t in (None, 1e-9)
    )
    assert set(narrow.notes) - set(wide.notes), "that the files were read again"
    for label in THREE:
        value, low, high = memory.per_class[label]["auc"].value, *wide.per_class[label]["auc"].bounds
        assert low <= value <= high > low + 1e-3
        assert narrow.per_class[label]["auc"].value == pytest.approx(value)


def test_many_classes_are_counted_in_wider_bins():
    for number, bins in ((2, 61_440), (20, 61_440), (21, 4_096)):
        labels = tuple(f"k{at:02}" for at in range(number))
        frame = table(labels, rows=60)
        asked = {"actual": "y", "probabilities": columns(frame), "labels": labels}
        assert tm.tally(frame, approximate=True, **asked).declared.grid.bins == bins


def test_what_takes_rows():
    memory, counted = both(table(("a", "b", "c")))
    with pytest.raises(tm.OptionError):
        counted.decide({a: {b: 1 for b in THREE if a != b} for a in THREE})
    for name in (*PAIRS, *MEANS):
        assert (counted[name].value is None) == (name in PAIRS)
        assert str(counted.explain(name))
    shifted, known = (ev.at_prevalence({"a": 0.7, "b": 0.2, "c": 0.1}) for ev in (counted, memory))
    for name in ("brier", "log_loss", "accuracy"):
        same(known[name].to_dict(), shifted[name].to_dict())
    for estimate in (shifted["ece"], shifted["auc_ovr_macro"], shifted.per_class["a"]["auc"]):
        assert (estimate.value, bool(estimate.why)) == (None, True)
    known, shifted = (ev.at_prevalence(0.1) for ev in both(table(("no", "yes")), pos_label="yes"))
    for name in ("auc", "average_precision", "log_loss", "ece"):
        same(known[name].to_dict(), shifted[name].to_dict())
    with pytest.raises(tm.OptionError):
        tm.tally("part0.csv", actual="y", probabilities=["p_no", "p_yes"], threshold=0.3)


ACTUAL = ["c", "c", "a", "c", "a", "b", "b", "a", "b"]
NINE = pl.DataFrame(
    {
        "y": ACTUAL,
        "said": ["a", "b", "c"] * 3,
        "p_c": [0.7, 0.2, 0.1, 0.5, 0.3, 0.1, 0.4, 0.0, 0.3],
        "p_a": [0.1, 0.6, 0.8, 0.3, 0.4, 0.2, 0.4, 1.0, 0.1],
        "p_b": [0.2, 0.2, 0.1, 0.2, 0.3, 0.7, 0.2, 0.0, 0.6],
    }
)
PLAIN = NINE.rename({"p_a": "x1", "p_b": "x2", "p_c": "x3"})
NUMBERS = NINE.with_columns(y=pl.col("y").replace_strict({"a": 7, "b": 30, "c": 0}))
TRUTHS = pl.DataFrame({"y": [True] * 3 + [False] * 6, "p_True": [0.75, 0.5, 0.25] * 3})
WORDS = NINE.with_columns(y=pl.col("y").replace({"a": "2", "b": "x", "c": "10"}))
PLACE, WITHOUT_B = pl.int_range(pl.len()), pl.col("y").replace("b", "a")
COLUMNS = ["p_c", "p_a", "p_b"]


def named(frame, *names):
    return frame.rename(dict(zip(("p_a", "p_b", "p_c"), names, strict=True)))


def where(places, **values):
    """The nine rows, with other values at some places."""
    return NINE.with_columns(
        **{name: pl.when(PLACE.is_in(places)).then(value).otherwise(name) for name, value in values.items()}
    )


ABC, SAID = ("a", "b", "c"), {"predicted": "said"}
TWICE, HALVES = NINE.rename({"p_b": "b", "p_c": "c"}), pl.DataFrame({"y": [0] * 9, "p_0": 0.5, "p_2": 0.5})
MATCHED = {
    "by name": (named(NINE, *ABC), ["c", "a", "b"], {}, ABC),
    "by name behind p": (NINE, COLUMNS, {}, ABC),
    "by label": (PLAIN, {"c": "x3", "a": "x1", "b": "x2"}, {}, ABC),
    "by the order of labels": (PLAIN, ["x2", "x1", "x3"], {"labels": ["b", "a", "c"]}, ("b", "a", "c")),
    # as text 10 stands before 2: the first of equals, in the seventh row, is settled when all are seen
    "late words": (named(WORDS, "p_2", "p_x", "p_10"), ["p_2", "p_10", "p_x"], {}, ("10", "2", "x")),
    "numbers": (named(NUMBERS, "p_7", "p_30", "p_0"), ["p_30", "p_7", "p_0"], {}, (0, 7, 30)),
    "truths": (TRUTHS.with_columns(p_False=1 - pl.col("p_True")), ["p_True", "p_False"], {}, (False, True)),
    "a bad row that is left out": (where([4], p_a=7.0, said=None), COLUMNS, SAID | {"missing": "drop"}, ABC),
}
MISMATCHED = {
    "no names to match": (PLAIN, ["x1", "x2", "x3"], {}),
    "too few": (NINE, ["p_c", "p_a"], {"labels": ABC}),
    "too many": (NINE.with_columns(y=WITHOUT_B), COLUMNS, {"labels": ["a", "c"]}),
    "a label without a column": (PLAIN.with_columns(y=WITHOUT_B), {"a": "x1", "c": "x3"}, {"labels": ABC}),
    "two about one class": (
        TWICE.with_columns(y=pl.Series([*"ccccccbbb"]), p_b="p_a"),
        ["p_b", "b", "c"],
        {},
    ),
    "a lone zero brings its partner": (HALVES, ["p_0", "p_2"], {}),
    "a late label": (NINE.with_columns(y=pl.Series([*ACTUAL[:7], "d", "d"])), COLUMNS, {}),
    "an early label": (NINE.with_columns(y=pl.Series(["d", *ACTUAL[1:8], "d"])), COLUMNS, {}),
    "two labels": (NINE.with_columns(y=pl.Series(list("dbeddabca"))), COLUMNS, {}),
    "answers": (NINE.with_columns(said=pl.lit("d")), COLUMNS, SAID),
    "outside 0 and 1": (where([1, 4, 8], p_a=1.5), COLUMNS, {}),
    "below 0 before a sum": (where([4], p_a=-0.5, p_b=0), COLUMNS, {}),
    "no sum of 1": (where([1, 4, 8], p_a=0.25), COLUMNS, {}),
}


def thirds(frame):
    """The first of three parts has no row of b; types other than text need a file that tells them."""
    return parts(frame, "csv" if frame["y"].dtype == pl.String else "parquet", (3, 6))


@each("frame, probabilities, options, labels", MATCHED.values(), ids=MATCHED)
def test_columns_find_their_classes(frame, probabilities, options, labels):
    paths, asked = thirds(frame), {"actual": "y", "probabilities": probabilities, **options}
    memory, counted = tm.evaluate(paths, **asked), tm.tally(paths, **asked).evaluate()
    assert typed(counted.labels) == typed(memory.labels) == typed(labels)
    assert sorted(counted.notes) == sorted(memory.notes)
    assert (counted.confusion, counted.dropped) == (memory.confusion, memory.dropped)
    for label in labels:
        assert counted.per_class[label]["auc"].value == memory.per_class[label]["auc"].value
    for name in ("brier", "log_loss"):
        assert counted[name].value == pytest.approx(memory[name].value)


def test_columns_that_cannot_be_matched_and_bad_rows(snapshot):
    memory, counted = {}, {}
    for name, (frame, probabilities, options) in MISMATCHED.items():
        case = thirds(frame), {"actual": "y", "probabilities": probabilities, **options}
        memory |= refusals({name: case})
        counted |= refusals({name: case}, lambda paths, **asked: tm.tally(paths, **asked).evaluate())
    assert classes(counted) == classes(memory)
    assert set(classes(memory).values()) == {"LabelError", "ColumnError"}
    prefix = "part0.csv, part1.csv, part2.csv: "
    bare = {name: (memory[name].replace(prefix, ""), counted[name].replace(prefix, "")) for name in memory}
    differ = {name for name, (one, two) in bare.items() if one != two}
    # said of the labels seen so far: it would be no better after all rows
    assert differ <= {"no names to match", "a lone zero brings its partner"}
    snapshot("errors_input_streamed_probabilities", counted)
