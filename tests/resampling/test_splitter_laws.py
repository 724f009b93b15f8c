"""What is true of every splitter and all rows."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from tallymark.errors import OptionError
from tallymark.resampling import (
    Bootstrap,
    Holdout,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    LeavePairsOut,
    RepeatedHoldout,
    folds_of,
    three_way_split,
)

labels = st.lists(st.sampled_from("aaaaabbbc"), min_size=8, max_size=60)
seeds = st.integers(0, 2**40)
shares = st.floats(0.05, 0.9)


@st.composite
def grouped_rows(draw):
    y = draw(labels)
    groups = draw(st.lists(st.integers(0, 9), min_size=len(y), max_size=len(y)))
    groups[:4] = [0, 1, 2, 3]  # at least four
    return y, groups


def disjoint(folds):
    for train, test in folds:
        assert len(train)
        assert len(test)
        assert not set(train.tolist()) & set(test.tolist())
        assert test.tolist() == sorted(set(test.tolist()))


def complete(folds):
    """Every row is tested once in each run, and trains whenever it is not."""
    for run in range(folds.runs):
        mine = [fold for fold in folds.folds if fold.run == run]
        tested = np.concatenate([fold.test for fold in mine])
        assert sorted(tested.tolist()) == list(range(folds.rows))
    for train, test in folds:
        assert len(train) + len(test) == folds.rows


def told(folds):
    """The folds say of themselves what is true, and a fingerprint forgets who made them."""
    for fold, (train, test) in zip(folds.folds, folds, strict=True):
        assert (fold.n_train, fold.n_test) == (len(train), len(test))
    again = folds_of(list(folds), np.zeros(folds.rows))
    assert again.fingerprint == folds.fingerprint
    times = np.bincount(np.concatenate([fold.test for fold in folds.folds]), minlength=folds.rows)
    if (times == folds.runs).all():
        assert again.runs == folds.runs


@given(labels, st.integers(2, 8), st.integers(1, 3), seeds, st.booleans())
def test_k_fold(y, n_splits, n_repeats, seed, stratify):
    cv = KFold(n_splits, n_repeats=n_repeats, random_state=seed, stratify=stratify)
    folds = cv.folds(y=y)
    disjoint(folds)
    complete(folds)
    told(folds)
    assert len(folds) == cv.get_n_splits()
    sizes = [fold.n_test for fold in folds.folds]
    assert max(sizes) - min(sizes) <= 1
    if stratify:
        for label in set(y):
            counts = [sum(y[row] == label for row in fold.test) for fold in folds.folds]
            assert max(counts) - min(counts) <= 1
    assert cv.fingerprint(y=y) == folds.fingerprint


@given(grouped_rows(), st.integers(2, 4), seeds, st.booleans(), st.booleans())
def test_k_fold_of_groups(rows, n_splits, seed, stratify, shuffle):
    y, groups = rows
    folds = KFold(n_splits, random_state=seed, stratify=stratify, shuffle=shuffle).folds(y=y, groups=groups)
    disjoint(folds)
    complete(folds)
    told(folds)
    apart(folds, groups)
    if not stratify:
        sizes = [fold.n_test for fold in folds.folds]
        # Where each goes into the smallest fold, no two differ by more than one group.
        assert max(sizes) - min(sizes) <= max(Counter(groups).values())


def apart(folds, groups):
    for train, test in folds:
        assert not {groups[row] for row in train} & {groups[row] for row in test}


@given(labels, shares, seeds, st.booleans(), st.booleans())
def test_holdout(y, share, seed, stratify, shuffle):
    if round(share * len(y) + 0.5) >= len(y):
        return
    cv = Holdout(share, random_state=seed, stratify=stratify, shuffle=shuffle)
    folds = cv.folds(y=y)
    disjoint(folds)
    told(folds)
    (fold,) = folds.folds
    assert fold.n_train + fold.n_test == len(y)
    assert 0 <= fold.n_test - share * len(y) < 1 + 1e-6
    if stratify:
        for label, count in Counter(y).items():
            wanted = count * fold.n_test / len(y)
            assert abs(sum(y[row] == label for row in fold.test) - wanted) < 1
    assert cv.fingerprint(y=y) == folds.fingerprint


@given(grouped_rows(), shares, seeds, st.booleans())
def test_holdout_of_groups(rows, share, seed, stratify):
    y, groups = rows
    if round(share * len(y) + 0.5) >= len(y):
        return
    folds = RepeatedHoldout(3, test_size=share, random_state=seed, stratify=stratify).folds(
        y=y, groups=groups
    )
    assert len(folds) == 3
    disjoint(folds)
    told(folds)
    apart(folds, groups)


@given(labels, seeds)
def test_repeated_holdout_begins_with_the_holdout(y, seed):
    (first,) = Holdout(random_state=seed).folds(y=y).folds
    folds = RepeatedHoldout(4, random_state=seed).folds(y=y)
    assert folds.folds[0].test.tolist() == first.test.tolist()
    assert len({tuple(fold.test) for fold in folds.folds}) > 1


@given(grouped_rows())
def test_one_out(rows):
    y, groups = rows
    single = LeaveOneOut().folds(y=y)
    complete(single)
    told(single)
    assert len(single) == len(y)
    folds = LeaveOneGroupOut().folds(y=y, groups=groups)
    complete(folds)
    told(folds)
    apart(folds, groups)
    assert [fold.name for fold in folds.folds] == [str(group) for group in sorted(set(groups))]


@given(grouped_rows(), seeds, st.sampled_from(["rows", "classes", "groups"]))
def test_bootstrap(rows, seed, drawn):
    y, groups = rows
    cv = Bootstrap(5, random_state=seed, stratify=drawn == "classes")
    folds = cv.folds(y=y, groups=groups if drawn == "groups" else None)
    disjoint(folds)
    told(folds)
    for train, test in folds:
        assert set(train.tolist()) | set(test.tolist()) == set(range(len(y)))
        if drawn == "classes":
            assert Counter(y[row] for row in train) == Counter(y)
        elif drawn == "rows":
            assert len(train) == len(y)
    if drawn == "groups":
        apart(folds, groups)
        counts = Counter(folds.folds[0].train.tolist())
        # All rows of a group are drawn equally often.
        assert len({(groups[row], counts[row]) for row in range(len(y))}) == len(set(groups))


@st.composite
def pairs(draw):
    return draw(
        st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), min_size=12, max_size=60).map(
            lambda found: [(0, 0), (1, 1), (2, 2), (3, 3), *found]
        )
    )


@settings(max_examples=150)
@given(
    pairs(), st.booleans(), seeds, st.sampled_from([(3, 3), (2, 4), (4, 4), "one at a time", "two at a time"])
)
def test_no_entity_of_a_test_pair_is_in_a_training_pair(pairs, symmetric, seed, blocks):
    how = {"n_blocks": blocks} if isinstance(blocks, tuple) else {"n_left_out": 1 if blocks[0] == "o" else 2}
    if symmetric and blocks == (2, 4):
        return
    cv = LeavePairsOut(**how, symmetric=symmetric, random_state=seed)
    try:
        folds = cv.folds(groups=pairs)
    except OptionError:
        reject()  # some fold would have had no pair to train on
    disjoint(folds)
    told(folds)
    assert sorted(row for _, test in folds for row in test) == list(range(len(pairs)))
    for train, test in folds:
        if symmetric:
            used = {entity for row in train for entity in pairs[row]}
            assert not used & {entity for row in test for entity in pairs[row]}
        for side in (0, 1):
            assert not {pairs[row][side] for row in train} & {pairs[row][side] for row in test}
        if not symmetric:
            # Nothing is left unused that could have trained: it has an entity of the blocks left out.
            left = [{pairs[row][side] for row in test} for side in (0, 1)]
            rest = set(range(len(pairs))) - set(train.tolist()) - set(test.tolist())
            if "n_left_out" in how and how["n_left_out"] == 1:
                assert all(pairs[row][0] in left[0] or pairs[row][1] in left[1] for row in rest)


@given(grouped_rows(), st.floats(0.05, 0.35), st.floats(0.05, 0.35), seeds, st.booleans())
def test_three_ways(rows, validation_size, test_size, seed, together):
    y, groups = rows
    given_groups = groups if together else None
    sizes = {"validation_size": validation_size, "test_size": test_size}
    parts = three_way_split(y, groups=given_groups, random_state=seed, **sizes)
    assert sorted(np.concatenate(list(parts)).tolist()) == list(range(len(y)))
    assert all(len(part) for part in parts)
    assert (
        parts.fingerprint == three_way_split(y, groups=given_groups, random_state=seed, **sizes).fingerprint
    )
    if together:
        seen = [{groups[row] for row in part} for part in parts]
        assert sum(map(len, seen)) == len(set(groups))
    else:
        for part, share in ((parts.validation, validation_size), (parts.test, test_size)):
            assert 0 <= len(part) - share * len(y) < 1 + 1e-6


@given(labels, seeds)
def test_a_fingerprint_tells_other_folds_apart(y, seed):
    first = KFold(4, random_state=seed).folds(y=y)
    second = KFold(4, random_state=seed + 1).folds(y=y)
    alike = [fold.test.tolist() for fold in first.folds] == [fold.test.tolist() for fold in second.folds]
    assert (first.fingerprint == second.fingerprint) == alike


def test_a_fingerprint_knows_the_training_rows():
    rest = [([1, 2, 3], [0])]
    fewer, twice = [([1, 2], [0])], [([1, 2, 2, 3], [0])]
    prints = [folds_of(pairs, np.zeros(4)).fingerprint for pairs in (rest, fewer, twice)]
    assert len(set(prints)) == 3
    assert folds_of([([3, 1, 2], [0])], np.zeros(4)).fingerprint == prints[0]


@pytest.mark.parametrize("cv", [KFold(5), Holdout(), RepeatedHoldout(3), Bootstrap(3)], ids=repr)
@pytest.mark.parametrize("kind", ["text", "numbers", "pandas", "polars"])
def test_the_kind_of_the_classes_makes_no_difference(cv, kind):
    import pandas as pd
    import polars as pl

    text = [*"abbaabbbabaabababbaa"]
    numbers = [1 if label == "b" else 0 for label in text]
    y = {"text": text, "numbers": numbers, "pandas": pd.Series(text), "polars": pl.Series(text)}[kind]
    assert cv.fingerprint(y=y) == cv.fingerprint(y=np.array(text))
