"""What is true of every splitter and all rows; rare classes, names of methods, pictures of folds."""

from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

import tallymark as tm
from tallymark.errors import OptionError
from tallymark.resampling import folds_of, method_named, splitter_named

labels = st.lists(st.sampled_from("aaaaabbbc"), min_size=8, max_size=60)
seeds = st.integers(0, 2**40)
shares = st.floats(0.05, 0.9)


@st.composite
def grouped_rows(draw):
    y = draw(labels)
    groups = draw(st.lists(st.integers(0, 9), min_size=len(y), max_size=len(y)))
    groups[:4] = [0, 1, 2, 3]  # at least four
    return y, groups


def valid(folds, groups=None):
    """No row both trains and is tested, no group either; sizes, fingerprint and runs are what they are."""
    for fold, (train, test) in zip(folds.folds, folds, strict=True):
        assert min(len(train), len(test)) > 0
        assert not set(train.tolist()) & set(test.tolist())
        assert test.tolist() == sorted(set(test.tolist()))
        assert (fold.n_train, fold.n_test) == (len(train), len(test))
        if groups is not None:
            assert not {groups[row] for row in train} & {groups[row] for row in test}
    again = folds_of(list(folds), np.zeros(folds.rows))  # a fingerprint forgets who made the folds
    assert again.fingerprint == folds.fingerprint
    times = np.bincount(np.concatenate([fold.test for fold in folds.folds]), minlength=folds.rows)
    if (times == folds.runs).all():
        assert again.runs == folds.runs


def complete(folds):
    """Every row is tested once in each run, and trains whenever it is not."""
    for run in range(folds.runs):
        tested = np.concatenate([fold.test for fold in folds.folds if fold.run == run])
        assert sorted(tested.tolist()) == list(range(folds.rows))
    assert all(len(train) + len(test) == folds.rows for train, test in folds)


# --- laws ------------------------------------------------------------------------------------


@given(labels, st.integers(2, 8), st.integers(1, 3), seeds, st.booleans())
def test_k_fold(y, n_splits, n_repeats, seed, stratify):
    cv = tm.KFold(n_splits, n_repeats=n_repeats, random_state=seed, stratify=stratify)
    folds = cv.folds(y=y)
    valid(folds)
    complete(folds)
    assert len(folds) == cv.get_n_splits()
    for label in {*y} if stratify else ():
        counts = [sum(y[row] == label for row in fold.test) for fold in folds.folds]
        assert max(counts) - min(counts) <= 1
    sizes = [fold.n_test for fold in folds.folds]
    assert max(sizes) - min(sizes) <= 1
    assert cv.fingerprint(y=y) == folds.fingerprint
    other = tm.KFold(n_splits, n_repeats=n_repeats, random_state=seed + 1, stratify=stratify).folds(y=y)
    alike = [fold.test.tolist() for fold in folds.folds] == [fold.test.tolist() for fold in other.folds]
    assert (folds.fingerprint == other.fingerprint) == alike


@given(grouped_rows(), st.integers(2, 4), seeds, st.booleans(), st.booleans())
def test_groups_in_folds(rows, n_splits, seed, stratify, shuffle):
    y, groups = rows
    cv = tm.KFold(n_splits, random_state=seed, stratify=stratify, shuffle=shuffle)
    folds = cv.folds(y=y, groups=groups)
    valid(folds, groups)
    complete(folds)
    if not stratify:  # where each goes into the smallest fold, no two differ by more than one group
        sizes = [fold.n_test for fold in folds.folds]
        assert max(sizes) - min(sizes) <= max(Counter(groups).values())
    single = tm.LeaveOneOut().folds(y=y)
    valid(single)
    complete(single)
    alone = tm.LeaveOneGroupOut().folds(y=y, groups=groups)
    valid(alone, groups)
    complete(alone)
    assert [fold.name for fold in alone.folds] == [str(group) for group in sorted(set(groups))]


@given(grouped_rows(), shares, seeds, st.booleans(), st.booleans())
def test_holdout(rows, share, seed, stratify, shuffle):
    y, groups = rows
    if round(share * len(y) + 0.5) >= len(y):
        return
    cv = tm.Holdout(share, random_state=seed, stratify=stratify, shuffle=shuffle)
    folds = cv.folds(y=y)
    valid(folds)
    (fold,) = folds.folds
    assert fold.n_train + fold.n_test == len(y)
    assert 0 <= fold.n_test - share * len(y) < 1 + 1e-6
    for label, count in Counter(y).items() if stratify else ():
        assert abs(sum(y[row] == label for row in fold.test) - count * fold.n_test / len(y)) < 1
    assert cv.fingerprint(y=y) == folds.fingerprint
    repeated = tm.RepeatedHoldout(3, test_size=share, random_state=seed, stratify=stratify)
    assert len(repeated.folds(y=y, groups=groups)) == 3
    valid(repeated.folds(y=y, groups=groups), groups)
    if shuffle:
        assert repeated.folds(y=y).folds[0].test.tolist() == fold.test.tolist()


@given(grouped_rows(), seeds, st.sampled_from(["rows", "classes", "groups"]))
def test_bootstrap(rows, seed, drawn):
    y, groups = rows
    cv = tm.Bootstrap(5, random_state=seed, stratify=drawn == "classes")
    folds = cv.folds(y=y, groups=groups if drawn == "groups" else None)
    valid(folds, groups if drawn == "groups" else None)
    for train, test in folds:
        assert set(train.tolist()) | set(test.tolist()) == set(range(len(y)))
        if drawn == "classes":
            assert Counter(y[row] for row in train) == Counter(y)
        elif drawn == "rows":
            assert len(train) == len(y)
    if drawn == "groups":  # all rows of a group are drawn equally often
        counts = Counter(folds.folds[0].train.tolist())
        assert len({(groups[row], counts[row]) for row in range(len(y))}) == len(set(groups))


@given(
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), min_size=12, max_size=60),
    st.booleans(),
    seeds,
    st.sampled_from([(3, 3), (2, 4), (4, 4), 1, 2]),
)
def test_no_entity_of_a_test_pair_is_in_a_training_pair(found, symmetric, seed, blocks):
    pairs = [(0, 0), (1, 1), (2, 2), (3, 3), *found]
    if symmetric and blocks == (2, 4):
        return
    how = {"n_blocks": blocks} if isinstance(blocks, tuple) else {"n_left_out": blocks}
    try:
        folds = tm.LeavePairsOut(**how, symmetric=symmetric, random_state=seed).folds(groups=pairs)
    except OptionError:
        reject()  # some fold would have had no pair to train on
    valid(folds)
    assert sorted(row for _, test in folds for row in test) == list(range(len(pairs)))
    for train, test in folds:
        left = [{pairs[row][side] for row in test} for side in (0, 1)]
        for side in (0, 1):
            assert not {pairs[row][side] for row in train} & left[side]
        if symmetric:
            assert not {entity for row in train for entity in pairs[row]} & (left[0] | left[1])
        elif blocks == 1:  # nothing is left unused that could have trained
            rest = set(range(len(pairs))) - set(train.tolist()) - set(test.tolist())
            assert all(pairs[row][0] in left[0] or pairs[row][1] in left[1] for row in rest)


@given(grouped_rows(), st.floats(0.05, 0.35), st.floats(0.05, 0.35), seeds, st.booleans())
def test_three_ways(rows, validation_size, test_size, seed, together):
    y, groups = rows
    options = {"validation_size": validation_size, "test_size": test_size, "random_state": seed}
    parts = tm.three_way_split(y, groups=groups if together else None, **options)
    assert sorted(np.concatenate(list(parts)).tolist()) == list(range(len(y)))
    assert all(len(part) for part in parts)
    again = tm.three_way_split(y, groups=groups if together else None, **options)
    assert parts.fingerprint == again.fingerprint
    if together:
        assert sum(len({groups[row] for row in part}) for part in parts) == len(set(groups))
    else:
        for part, share in ((parts.validation, validation_size), (parts.test, test_size)):
            assert 0 <= len(part) - share * len(y) < 1 + 1e-6


# --- single cases ----------------------------------------------------------------------------

RARE = [*"a" * 20, *"b" * 9, *"c" * 3]
GRID = [(a, b) for a in "xyz" for b in range(3)]


def test_fingerprints_know_the_training_rows_and_not_the_library():
    rest, fewer, twice = [([1, 2, 3], [0])], [([1, 2], [0])], [([1, 2, 2, 3], [0])]
    prints = [folds_of(pairs, np.zeros(4)).fingerprint for pairs in (rest, fewer, twice)]
    assert len(set(prints)) == 3
    assert folds_of([([3, 1, 2], [0])], np.zeros(4)).fingerprint == prints[0]
    text = [*"abbaabbbabaabababbaa"]
    numbers = [int(label == "b") for label in text]
    for cv in (tm.KFold(5), tm.Holdout(), tm.RepeatedHoldout(3), tm.Bootstrap(3)):
        assert len({cv.fingerprint(y=y) for y in (text, numbers, pd.Series(text), pl.Series(text))}) == 1


def test_rare_classes_and_folds_in_order():
    folds = tm.KFold(5).folds(y=RARE)
    assert sorted(sum(RARE[row] == "c" for row in fold.test) for fold in folds.folds) == [0, 0, 1, 1, 1]
    chance = tm.KFold(4, n_repeats=3).folds(y=np.arange(12))  # all classes are rare, so chance decides
    assert len({tuple(fold.test) for fold in chance.folds}) > 8
    for options, y, expected in (
        ({"stratify": False}, {"y": RARE[:10]}, [6, 7, 8, 9]),
        ({}, {"y": [*"aaaaabbbbb"]}, [3, 4, 8, 9]),
        ({}, {"groups": [*"cccbbbbaaa"]}, [7, 8, 9]),
    ):
        (fold,) = tm.Holdout(0.4, shuffle=False, **options).folds(**y).folds
        assert fold.test.tolist() == expected
    blocks = tm.LeavePairsOut(2, shuffle=False).folds(groups=[("a", 1), ("b", 2)])  # without a pair no fold
    found = [(fold.name, fold.train.tolist(), fold.test.tolist()) for fold in blocks.folds]
    assert found == [("a x 1", [1], [0]), ("b x 2", [0], [1])]


def test_numbers_of_folds_and_other_words():
    splitters = tm.KFold(5, n_repeats=2), tm.Holdout(), tm.RepeatedHoldout(7), tm.Bootstrap(9)
    assert [cv.get_n_splits() for cv in splitters] == [10, 1, 7, 9]
    assert tm.LeaveOneOut().get_n_splits([0] * 6) == 6
    assert tm.LeaveOneGroupOut().get_n_splits(groups=[*"aabbc"]) == 3
    assert tm.LeavePairsOut((3, 2)).get_n_splits(groups=GRID) == 6
    assert tm.RepeatedHoldout(n_splits=4) == tm.RepeatedHoldout(4)
    assert tm.Bootstrap(n_repeats=4) == tm.Bootstrap(4)
    assert tm.KFold(random_state=None) == tm.KFold(random_state=0)
    many = tm.LeaveOneOut().folds(np.zeros(20_000))  # no list of training rows is kept
    assert all(fold.kept is None and fold.unused is None for fold in many.folds)
    assert many.folds[-1].train.tolist() == list(range(19_999))
    assert len(tm.three_way_split(np.zeros((50, 2)), test_size=7).test) == 7


def test_notes_about_folds(snapshot):
    proteins = [(a, b) for a in "pqrstu" for b in "pqrstu"]
    made = {
        "one rare class": tm.KFold(5).folds(y=RARE),
        "several rare classes": tm.KFold(10).folds(y=[*RARE, "d"]),
        "rare classes of a hold-out": tm.Holdout(0.1).folds(y=[*RARE, "d"]),
        "large groups": tm.Holdout(0.1).folds(y=[0, 1] * 10, groups=[0] * 10 + [1] * 10),
        "entities of one kind?": tm.LeavePairsOut(3).folds(groups=proteins),
        "entities of one kind": tm.LeavePairsOut(3, symmetric=True).folds(groups=proteins),
        "entities of two kinds": tm.LeavePairsOut(3).folds(groups=GRID),
    }
    for cv in (tm.KFold(3), tm.Holdout(), tm.Bootstrap(3, stratify=True)):
        made[f"decimals, {cv!r}"] = cv.folds(y=np.linspace(0, 1, 20))
        made[f"three columns, {cv!r}"] = cv.folds(y=np.zeros((20, 3)))
    texts = {case: "\n".join([folds.method, *folds.notes]) for case, folds in made.items()}
    texts["three ways"] = repr(tm.three_way_split(np.zeros((50, 2)), [0, 1] * 25, test_size=0.3))
    for name in ("Holdout", "RepeatedHoldout", "LeaveOneOut", "Bootstrap"):
        texts[name] = f"{getattr(tm, name)()!r}\n{getattr(tm, name)().folds(y=[0, 1] * 9).method}"
    snapshot("notes_folds", texts)


# --- methods as they are typed ---------------------------------------------------------------

NAMED = {
    "kfold": tm.KFold(10), "5": tm.KFold(5), "kfold:5x2": tm.KFold(2, n_repeats=5), "KFold: 5": tm.KFold(5),
    "holdout": tm.Holdout(1 / 3), "holdout:0.3": tm.Holdout(0.3), "holdout:30%": tm.Holdout(0.3),
    "repeated": tm.RepeatedHoldout(10), "repeated:20:1/4": tm.RepeatedHoldout(20, test_size=0.25),
    "loo": tm.LeaveOneOut(), "group": tm.LeaveOneGroupOut(), "pairs": tm.LeavePairsOut(5),
    "pairs:4x3": tm.LeavePairsOut((4, 3)), "pairs:4:symmetric": tm.LeavePairsOut(4, symmetric=True),
    "pairs:out=2x1": tm.LeavePairsOut(n_left_out=(2, 1)),
    "pairs:out=3:symmetric": tm.LeavePairsOut(n_left_out=3, symmetric=True), "bootstrap": tm.Bootstrap(200),
    "bootstrap:50": tm.Bootstrap(50),
}  # fmt: skip
WITH_COLUMNS = {
    "kfold:10": ("kfold:10", ()), "group:patient": ("group", ("patient",)),
    "group:ward: 3": ("group", ("ward: 3",)), "group": ("group", ()),
    "pairs:student,professor": ("pairs", ("student", "professor")),
    "pairs:Student, Professor:4x2": ("pairs:4x2", ("Student", "Professor")), "pairs:4": ("pairs:4", ()),
    "pairs:one,other:4:symmetric": ("pairs:4:symmetric", ("one", "other")),
    "pairs:a:b,c:out=2x1": ("pairs:out=2x1", ("a:b", "c")),
}  # fmt: skip


def test_methods_as_they_are_typed():
    assert {name: splitter_named(name) for name in NAMED} == NAMED
    assert {name: method_named(name) for name in WITH_COLUMNS} == WITH_COLUMNS
    given_options = splitter_named("kfold:3", random_state=5, stratify=False)
    assert given_options == tm.KFold(3, random_state=5, stratify=False)
    assert splitter_named("pairs:3", random_state=5) == tm.LeavePairsOut(3, random_state=5)


# --- pictures --------------------------------------------------------------------------------


def covered(figure, label, name):
    """The rows that a colour covers in a bar."""
    (panel,) = figure.panels
    (place,) = [place for place, other in panel.y.names if other == name]
    (mark,) = [mark for mark in panel.marks if mark.label == label]
    mine = mark.y == place
    spans = zip(mark.low[mine], mark.high[mine], strict=True)
    return [row for low, high in spans for row in range(int(low), int(high))]


def test_pictures_show_which_rows_train_and_which_are_tested():
    y = np.array(["no"] * 20 + ["yes"] * 10)
    folds = tm.KFold(5).folds(y=y)
    figure = folds.figure(y)
    for number, fold in enumerate(folds.folds):
        assert covered(figure, "test rows", f"fold {number + 1}") == fold.test.tolist()
    assert covered(figure, "class yes", "class") == list(range(20, 30))
    pairs = [(a, b) for a in "abc" for b in "xyz"]
    unused = tm.LeavePairsOut(3, shuffle=False).folds(groups=pairs).figure(groups=pairs)
    assert covered(unused, "test rows", "b x y") == [4]
    assert covered(unused, "rows not used", "b x y") == [1, 3, 5, 7]
    assert len(tm.KFold(10, n_repeats=10).folds(np.zeros(100)).figure().panels[0].y.names) == 30
    parts = tm.three_way_split([0, 1] * 10)
    for label, rows in (("validation rows", parts.validation), ("test rows", parts.test)):
        assert covered(parts.figure([0, 1] * 10), label, "split") == rows.tolist()
    # Of many rows there are stripes with the share of each.
    panel = tm.KFold(4).folds(np.zeros(40_000)).figure().panels[0]
    (striped,) = [mark for mark in panel.marks if mark.label == "test rows"]
    assert len(striped.y) <= 4 * 100
    assert (striped.high - striped.low).sum() == pytest.approx(40_000)


def test_every_splitter_can_be_drawn():
    from matplotlib import pyplot

    for cv, options in (
        (tm.Bootstrap(3), {}),
        (tm.LeaveOneGroupOut(), {"groups": ["A & <b>", "$x_1$", "_c"] * 8}),
        (tm.KFold(3), {"y": np.arange(24)}),
    ):
        _, ax = pyplot.subplots()
        assert cv.plot(np.zeros((24, 2)), **options, ax=ax) is ax
