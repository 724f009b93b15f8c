"""Every tally is a value: equal by what it counts, never changed, and the same after a file or a worker."""

import copy
import json
import pickle
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import polars as pl
import pytest

import tallymark as tm
from collected import each
from hand_counts import paired_of, scores_of
from tallymark.tallies import GroupedPaired, GroupedSums, Moments, Sums, from_dict

ROWS = pl.DataFrame(
    {
        "y": [1, 0, 1, 0, 1, 0], "p": [1, 1, 0, 0, 1, 0], "s": [0.9, 0.7, 0.4, 0.2, 0.7, 0.2],
        "q": [0.1, 0.3, 0.6, 0.8, 0.3, 0.8], "w": [1.0, 2.5, 0.5, 1.0, 3.0, 1.0],
        "g": ["a", "b", "a", "c", "b", "c"], "sex": ["f", "m", "f", "m", "f", "m"],
    }
)  # fmt: skip
MISSING = {"missing_actual": 1}


def counted(rows: pl.DataFrame = ROWS, **options: Any) -> tm.Tally:
    return tm.tally(rows, actual="y", **options)


def cells(labels: Any = ("a", "b"), counts: Any = (1, 2), **facts: Any) -> tm.Confusion:
    return tm.Confusion.from_cells(labels, np.array([0, 3]), np.array(counts), **facts)


def scored(**facts: Any) -> tm.Scores:
    return scores_of([(0.9, 1), (0.5, 0), (0.1, 1)], **facts)


# Two positives somewhere in [0.5, 0.75] and one row of each class at 0.25, with the losses of either class.
KNOWN = (
    Sums(3, 3, 3, Moments(0.5, 0.5, 0.25), Moments(1.5, 1.5, 1.0)),
    Sums(1, 1, 1, Moments(0.25, 0.25, 0.125), Moments(0.75, 0.75, 0.5), infinite=1, infinite_squares=1),
)


def in_bins(reach: float = 0.75, totals: Any = (1.25, 0.5), known: Any = KNOWN) -> tm.Scores:
    ends = np.array([reach, 0.25])
    sums = None if totals is None else np.array(totals)
    return tm.Scores(
        np.array([0.5, 0.25]), np.array([2, 1]), np.array([0, 1]), reach=ends, totals=sums, known=known
    )


def sets(labels: Any = "ab", scale: float | None = None, **facts: Any) -> tm.LabelSets:
    sizes, counts = np.array([[1, 1, 1], [2, 1, 1]]), np.array([2, 1])
    inside = np.array([[3, 0], [0, 1], [0, 0]])
    if scale is not None:
        facts |= {"squares": counts * scale**2, "cell_squares": inside * scale**2, "rows": 3}
        counts, inside = counts * scale, inside * scale
    return tm.LabelSets.from_kinds(labels, sizes, counts, inside, **facts)


def two_models(names: Any = ("one", "two"), weight: Any = None, **facts: Any) -> tm.Paired:
    return paired_of(("a", "b"), names, [0, 0, 1], [0, 1, 1], [1, 0, 1], weight=weight, **facts)


def of_groups(keys: Any = ("p", "q"), counts: Any = (1, 1, 1), **facts: Any) -> GroupedPaired:
    group, entry = np.array([0, 0, 1]), np.array([0, 1, 2])
    return GroupedPaired(two_models(**facts), keys, group, entry, np.array(counts))


KEYS = {"text": 1, 7: 2, True: 3, ("two", 2): 4, ("one",): 5}


def of(make: Callable[..., Any], *options: dict[str, Any]) -> list[Callable[[], Any]]:
    return [partial(make, **each) for each in options]


def binary(tn: int = 2**60, positive: Any = "a") -> tm.Binary:
    return tm.Binary(1, 2, 3, tn, positive)


def heavy(squares: Any = (0.25, 0.8)) -> tm.Confusion:
    more = {} if squares is None else {"squares": np.array(squares)}
    return cells(counts=(0.5, 1.25), rows=3, dropped=MISSING, **more)


def bins(positives: Any = (3, 1), negatives: Any = (0, 5), top: float = 0.9) -> tm.Scores:
    return tm.Scores.from_bins(list(positives), list(negatives), edges=[0.0, 0.3, top])


def keyed(first: int = 1, names: Any = tuple(KEYS)) -> tm.Keyed:
    return tm.Keyed({name: tm.Binary(first + at, 2, 3, 4, "a") for at, name in enumerate(names)})


def on_grid(by: str = "sex", shift: float = 0.0, **options: Any) -> tm.Tally:
    rows = ROWS.with_columns(s=pl.col("s") + shift)
    return counted(rows, score="s", approximate=True, slices=[by], **options)


BOTH, CHANCES = {"predicted": "p", "score": "s"}, {"probabilities": {0: "q", 1: "s"}}
PREDICTED, WITH_GROUPS = {"predicted": "p"}, {"predicted": "p", "score": "s", "groups": "g"}
LEFT_OUT, PAIR = {"dropped": MISSING}, {"positive": "yes"}
KINDS: dict[str, list[Callable[[], Any]]] = {
    # The first is the sample, the others differ from it in one fact each.
    "binary": of(binary, {}, {"tn": 5}, {"positive": "b"}, {"positive": None}),
    "confusion": of(
        *(cells, {}, {"counts": (1, 3)}, {"labels": "ac"}, {"declared": True}, LEFT_OUT, {"labels": "abc"}),
        {"rows": 4},
    ),
    "weighted": of(heavy, {}, {"squares": (0.25, 0.9)}, {"squares": None}),
    "no labels": [tm.Confusion.empty, cells],
    "dropped rows alone": [lambda: cells((), (0, 0), dropped={"missing_actual": 3}), tm.Confusion.empty],
    "booleans": [lambda: tm.Confusion([[0, 0], [0, 0]], labels=[False, True])],
    "strange labels": [lambda: cells(("\u202e", "<b>\n")), cells],
    "large labels": [lambda: cells((-(2**63), 2**62 + 1), (2**40, 1)), cells],
    "many labels": of(cells, *({"labels": tuple(range(size)), **LEFT_OUT} for size in (1_001, 1_002))),
    "scores": [
        *of(scored, PAIR, {}, PAIR | LEFT_OUT, PAIR | {"rows": 4}, PAIR | {"weight": [1, 1, 1]}),
        lambda: scores_of([(0.9, 1), (0.5, 0)], positive="yes"),
        lambda: scores_of([(0.8, 1), (0.5, 0), (0.1, 1)], positive="yes"),
        lambda: scores_of([(0.9, 0), (0.5, 1), (0.1, 0)], positive="yes"),
    ],
    "weighted scores": of(scored, {"weight": [1.0, 0.5, 2.0]}, {}),
    "bins": of(bins, {}, {"top": 1.0}, {"negatives": (1, 5)}),
    "bins of a grid": of(
        *(in_bins, {}, {"reach": 0.7}, {"totals": None}, {"totals": (1.3, 0.5)}, {"known": KNOWN[::-1]}),
        {"known": None},
    ),
    "no scores": [tm.Scores.empty, scored],
    "label sets": of(
        *(sets, {}, {"scale": 1.0}, {"labels": "ac"}, {"declared": True}, LEFT_OUT, {"rows": 4}),
        {"joint": np.eye(6)},
    ),
    "weighted label sets": of(sets, {"scale": 0.3, "declared": True}, {}),
    "no label sets": [tm.LabelSets.empty, sets],
    "two models": [
        *of(two_models, {}, {"names": ("one", "three")}, {"declared": True}, LEFT_OUT, {"rows": 4}),
        *(partial(two_models, weight=[1, 1, 2]), lambda: two_models().pair("two", "one")),
    ],
    "weighted models": of(two_models, {"weight": [0.5, 1, 2], **LEFT_OUT}, {}),
    "keyed": [
        lambda: tm.Keyed({"north": cells(), "south": cells(counts=(3, 4))}),
        lambda: tm.Keyed({"north": cells(counts=(3, 4)), "south": cells()}),
        lambda: tm.Keyed({"north": cells()}),
    ],
    "keyed binaries": of(keyed, {}, {"names": tuple(KEYS)[:4]}, {"first": 9, "names": ("text",)}),
    "keyed label sets": [lambda: tm.Keyed({"north": sets()}), lambda: tm.Keyed({"north": sets("ac")})],
    "table": of(
        *(
            counted,
            BOTH,
            PREDICTED,
            {"rows": ROWS[:5], **BOTH},
            BOTH | {"score": "q"},
            BOTH | {"labels": [0, 1]},
        )
    ),
    "table with slices": of(counted, *({**PREDICTED, "slices": [by]} for by in ("sex", "g")), PREDICTED),
    "weighted table": of(counted, *({**PREDICTED, "weight": by} for by in "ws"), PREDICTED),
    "grid": of(on_grid, {}, {"shift": 1e-9}, {"by": "g"}, {"weight": "w"}),
    "classes": of(
        *(counted, CHANCES, {"rows": ROWS[1:], **CHANCES}, {"probabilities": {0: "s", 1: "q"}}),
        CHANCES | {"weight": "w"},
    ),
    "groups": of(counted, *(WITH_GROUPS | {"groups": by} for by in ("g", "sex", "p"))),
    "groups of models": of(of_groups, {}, {"keys": ("p", "r")}, {"counts": (1, 1, 2)}, LEFT_OUT),
}
# What a table is made of: not written on their own, but sent to workers and compared.
# With the places of those above that differ in this part.
PARTS: dict[str, tuple[str, Callable[[Any], Any], tuple[int, ...]]] = {
    "bins on their grid": ("grid", lambda tally: tally.scores, (1, 3)),
    "its grid": ("grid", lambda tally: tally.declared.grid, ()),
    "probabilities of classes": ("classes", lambda tally: tally.classes, (1, 2, 3)),
    "predictions by group": ("groups", lambda tally: tally.groups, (1, 2)),
    "scores by group": ("groups", lambda tally: tally.score_groups, (1, 2)),
}
SAMPLES = [*KINDS, *PARTS]


@cache
def sample(name: str) -> Any:
    return anew(name)


def anew(name: str, place: int = 0) -> Any:
    if name in PARTS:
        kind, part, _ = PARTS[name]
        return part(KINDS[kind][place]())
    return KINDS[name][place]()


@each("name", SAMPLES)
def test_equal_counts_are_equal_and_others_are_not(name) -> None:
    tally = sample(name)
    assert tally == anew(name)
    for place in PARTS[name][2] if name in PARTS else range(1, len(KINDS[name])):
        other = anew(name, place)
        assert tally != other, place
        assert other != tally, place
    for stranger in (None, 0, "a tally", tm.Binary(9, 9, 9, 9), cells(("x", "y"))):
        assert tally != stranger


def test_how_they_look(snapshot) -> None:
    snapshot("tallies_shown", {name: repr(sample(name)) for name in KINDS if "binar" not in name})


@each("name", [name for name in SAMPLES if not name.startswith(("binary", "its grid", "keyed"))])
def test_tallies_cannot_be_keys(name) -> None:
    with pytest.raises(TypeError):
        hash(sample(name))


@each("name", SAMPLES)
def test_copies_and_what_comes_back_from_a_worker_are_equal(name) -> None:
    tally = sample(name)
    for again in (copy.copy(tally), copy.deepcopy(tally), pickle.loads(pickle.dumps(tally))):
        assert again == tally
        check_frozen(again)
    check_frozen(tally)


def check_frozen(tally: Any) -> None:
    """Neither attributes nor arrays nor mappings of a tally can be changed."""
    assert is_dataclass(tally)
    for field in [*(one.name for one in fields(tally)), "something_new"]:
        with pytest.raises(AttributeError):
            setattr(tally, field, None)
    names = [*(one.name for one in fields(tally)), "matrix", "thresholds", "tp", "fp", "edges"]
    values = [getattr(tally, name, None) for name in names]
    for value in [*values, *(part for held in values if isinstance(held, tuple) for part in held)]:
        if isinstance(value, np.ndarray) and value.size:
            with pytest.raises(ValueError, match="read-only"):
                value[...] = 7
        if isinstance(value, Mapping):
            with pytest.raises(TypeError):
                value["new"] = 1  # type: ignore[index]


WRITTEN = [name for name in KINDS if hasattr(sample(name), "to_dict")]


@each("name", WRITTEN)
def test_json_comes_back_equal(name) -> None:
    tally = sample(name)
    back = from_dict(json.loads(json.dumps(tally.to_dict(), allow_nan=False)))
    assert back == tally
    assert back.to_dict() == tally.to_dict()
    for part in ("labels", "positive"):
        if hasattr(tally, part):
            one, two = (getattr(side, part) for side in (back, tally))
            assert list(map(type, one or ())) == list(map(type, two or ()))
    for array in ("counts", "positives", "squares"):
        one, two = (getattr(side, array, None) for side in (back, tally))
        assert getattr(one, "dtype", None) == getattr(two, "dtype", None)
    if isinstance(tally, tm.Keyed):
        assert list(back) == list(tally)
        assert list(map(type, back)) == list(map(type, tally))
    check_frozen(back)


def test_a_form_of_a_later_version_is_refused() -> None:
    for name in WRITTEN:
        form = sample(name).to_dict()
        for schema in (form["schema"].replace("/1", "/2"), "tallymark/evaluation/1", "", None):
            with pytest.raises(tm.InputError):
                from_dict(form | {"schema": schema})
    form = sample("keyed binaries").to_dict()
    form["tallies"][0]["tally"]["schema"] = "tallymark/binary/9"
    for wrong in (form, {"labels": ["a", "b"], "matrix": [[1, 2], [3, 4]]}):
        with pytest.raises(tm.InputError):
            from_dict(wrong)
    with pytest.raises(tm.ShapeError):
        tm.Paired.from_dict(two_models().to_dict() | {"cells": [[0, 0, 1]]})


EMPTY = {kind: kind.empty() for kind in (tm.Confusion, tm.Scores, tm.LabelSets, tm.Paired)}
EMPTY |= {tm.Keyed: tm.Keyed({}), tm.Binary: tm.Binary(0, 0, 0, 0)}


@each("name", [name for name in SAMPLES if name not in ("its grid", "bins of a grid")])
def test_only_tallies_of_its_kind_are_added_to_it(name) -> None:
    tally = sample(name)
    assert 0 + tally == tally
    assert sum([tally, tally]) == tally + tally
    if type(tally) in EMPTY:
        assert tally + EMPTY[type(tally)] == tally == EMPTY[type(tally)] + tally
    strangers = [1, None, "a", {"north": tally}, sample("binary" if name != "binary" else "confusion")]
    for stranger in strangers:
        with pytest.raises(TypeError):
            tally + stranger
        with pytest.raises(TypeError):
            stranger + tally


def test_losses_are_values_too() -> None:
    one = KNOWN[1]
    assert one + Sums() == one == Sums() + one
    assert sum([one, one], 0) == one + one
    assert Sums.from_dict(json.loads(json.dumps(one.to_dict()))) == one
    for wrong in (1, Moments(), "text"):
        with pytest.raises(TypeError):
            one + wrong
    with pytest.raises(TypeError):
        Moments() + 1
    table = GroupedSums.of_probabilities(np.eye(2), np.array([0, 1]), None, np.array([0, 1]), ("a", "b"))
    for grouped in (table, pickle.loads(pickle.dumps(table))):
        check_frozen(grouped)
        assert (grouped.keys, len(grouped)) == (("a", "b"), 2)


def test_the_arrays_they_were_made_from_stay_the_callers() -> None:
    matrix, where, counts = np.array([[1, 2], [3, 4]]), np.array([0, 3]), np.array([1, 2])
    score, up, down = np.array([0.9, 0.1, 7.0])[:2], np.array([1, 2]), np.array([3, 4])
    squares, edges = (np.array([1.0, 2.0]), np.array([3.0, 4.0])), np.array([0.0, 0.1, 0.9])
    sizes, inside, group = np.array([[1, 1, 1]]), np.array([[1], [0], [0]]), np.array([0, 0, 1])
    base = np.array([0.9, 0.1])
    view = base[:]
    view.flags.writeable = False
    parts = {"north": tm.Binary(1, 2, 3, 4)}
    made = [
        tm.Confusion(matrix),
        tm.Confusion.from_cells("ab", where, counts),
        tm.Scores(score, up, down, squares=squares, edges=edges, rows=4),
        tm.Scores(view, up, down),
        tm.LabelSets.from_kinds("a", sizes, counts[:1], inside),
        GroupedPaired(two_models(), ("p", "q"), group, np.arange(3), np.ones(3, int)),
        tm.Keyed(parts),
    ]
    before = [copy.deepcopy(tally) for tally in made]
    for array in (matrix, where, counts, score, up, down, *squares, edges, sizes, inside, group, base):
        array[...] = 99
    parts["south"] = tm.Binary(1, 2, 3, 4)
    assert made == before


def test_a_count_of_zero_dropped_rows_is_no_difference() -> None:
    for made in (cells, scored, sets, two_models):
        assert made() == made(dropped={"missing_actual": 0})
        reasons = made(dropped={"missing_score": 1, "missing_actual": 2}).to_dict()["dropped"]
        assert list(reasons) == ["missing_actual", "missing_score"]
        assert from_dict(made(dropped=MISSING).to_dict()) == made(dropped=MISSING) != made()


def test_of_many_labels_the_cells_are_written() -> None:
    for size, text in ((1_000, True), (1_000, False), (1_001, True), (1_001, False)):
        labels = [f"label {k:05}" if text else k for k in range(size)]
        places = np.array([0, 5, size + 1, size * size - 1])
        tally = tm.Confusion.from_cells(labels, places, np.array([3, 1, 2, 9]), dropped=MISSING)
        form = tally.to_dict()
        assert ("cells" in form, "matrix" in form) == (size > 1_000, size <= 1_000)
        if size > 1_000:
            assert form["cells"] == [[0, 0, 3], [0, 5, 1], [1, 1, 2], [size - 1, size - 1, 9]]
        assert from_dict(form) == tally


def test_json_forms(snapshot) -> None:
    names = ("confusion", "binary", "scores", "bins", "two models", "label sets", "weighted label sets")
    forms = {
        name: json.dumps(sample(name).to_dict()) for name in (*names, "bins of a grid", "keyed binaries")
    }
    forms["stated counts"] = json.dumps(tm.Confusion([[150, 40], [60, 250]], labels=["+", "-"]).to_dict())
    forms["weighted scores"] = json.dumps(scores_of([(0.5, 1), (0.25, 0)], [2, 3], dropped=MISSING).to_dict())
    snapshot("tallies_json", forms)
    for positive in (None, "yes", 1, True):
        form = json.loads(json.dumps(tm.Binary(1, 2, 3, 2**60, positive).to_dict()))
        assert (form["tn"], type(from_dict(form).positive)) == (2**60, type(positive))


def test_keyed_tallies_read_like_a_mapping() -> None:
    north, south = tm.Binary(1, 2, 3, 4, "yes"), tm.Binary(5, 6, 7, 8, "yes")
    keyed = tm.Keyed({"north": north, "south": south})
    assert (list(keyed), len(keyed), keyed["south"]) == (["north", "south"], 2, south)
    assert dict(keyed) == {"north": north, "south": south}
    assert keyed == tm.Keyed({"south": south, "north": north})
    assert keyed != tm.Keyed({"north": south, "south": north})
    merged = keyed + tm.Keyed({"south": south, "west": north})
    assert dict(merged) == {"north": north, "south": tm.Binary(10, 12, 14, 16, "yes"), "west": north}
    assert keyed.total() == tm.Binary(6, 8, 10, 12, "yes")
    assert tm.Keyed({"a": scored(), "b": scored()}).total() == scored() + scored()
    with pytest.raises(KeyError):
        keyed["west"]
    with pytest.raises(TypeError):
        keyed["north"] = south  # type: ignore[index]
    with pytest.raises(tm.InputError):
        tm.Keyed({}).total()
