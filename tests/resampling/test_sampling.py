"""Over- and undersampling: what comes out is drawn from what went in, in the numbers asked for."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from imblearn.over_sampling import RandomOverSampler
from imblearn.pipeline import make_pipeline
from imblearn.under_sampling import RandomUnderSampler
from scipy.sparse import coo_array, csc_matrix, csr_array, csr_matrix
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from tallymark.errors import LabelError, MissingValueError, OptionError, ShapeError
from tallymark.resampling.sampling import Oversampling, Sampling, Undersampling

Y = np.array(["rare"] * 3 + ["common"] * 10 + ["some"] * 5)
X = np.arange(len(Y)).reshape(-1, 1)
BOTH = [pytest.param(Oversampling, id="over"), pytest.param(Undersampling, id="under")]

class_counts = st.lists(st.integers(1, 40), min_size=1, max_size=5)
ratios = st.fractions(Fraction(1, 50), 1, max_denominator=50)


def drawn(sampler: Sampling, counts: list[int]) -> tuple[np.ndarray, np.ndarray]:
    y = np.random.default_rng(0).permutation(np.repeat(np.arange(len(counts)), counts))
    rows, classes = sampler.fit_resample(np.arange(len(y)).reshape(-1, 1), y)
    assert (y[rows[:, 0]] == classes).all()
    assert (sampler.sample_indices_ == rows[:, 0]).all()
    return rows[:, 0], np.bincount(classes, minlength=len(counts))


# --- laws ----------------------------------------------------------------------------------------


@given(class_counts, ratios, st.integers(0, 99))
def test_oversampling_keeps_every_row_and_reaches_the_ratio(
    counts: list[int], ratio: Fraction, seed: int
) -> None:
    rows, after = drawn(Oversampling(float(ratio), random_state=seed), counts)
    assert rows[: sum(counts)].tolist() == list(range(sum(counts)))
    least = ratio * max(counts)  # in fractions, so that rounding is seen
    assert after.tolist() == [max(count, -((-least.numerator) // least.denominator)) for count in counts]
    assert all(Fraction(int(count), int(after.max())) >= ratio for count in after)


@given(class_counts, ratios, st.integers(0, 99))
def test_undersampling_invents_nothing_and_reaches_the_ratio(
    counts: list[int], ratio: Fraction, seed: int
) -> None:
    rows, after = drawn(Undersampling(float(ratio), random_state=seed), counts)
    assert len(set(rows.tolist())) == len(rows)
    assert (np.diff(rows) > 0).all()
    most = min(counts) / ratio
    assert after.tolist() == [min(count, most.numerator // most.denominator) for count in counts]
    assert all(Fraction(min(counts), int(count)) >= ratio for count in after)


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 16))
def test_counts_equal_those_of_imbalanced_learn(small: int, more: int, sixteenths: int) -> None:
    large, ratio = small + more, sixteenths / 16  # exact in floating point
    y = np.repeat([0, 1], [small, large])
    X = np.arange(len(y)).reshape(-1, 1)
    if small < int(ratio * large):  # it refuses to take rows away
        theirs = RandomOverSampler(sampling_strategy=ratio, random_state=0).fit_resample(X, y)[1]
        _, ours = drawn(Oversampling(ratio, random_state=0), [small, large])
        # It rounds down, and so leaves a little less than the ratio; here the ratio is reached.
        assert ours[0] - np.bincount(theirs)[0] == (0 if (sixteenths * large) % 16 == 0 else 1)
        assert ours[1] == np.bincount(theirs)[1]
    if int(small / ratio) < large:
        theirs = RandomUnderSampler(sampling_strategy=ratio, random_state=0).fit_resample(X, y)[1]
        assert (
            drawn(Undersampling(ratio, random_state=0), [small, large])[1].tolist()
            == np.bincount(theirs).tolist()
        )


def test_balanced_classes_equal_those_of_imbalanced_learn() -> None:
    for ours, theirs in ((Oversampling(), RandomOverSampler()), (Undersampling(), RandomUnderSampler())):
        assert Counter(ours.fit_resample(X, Y)[1]) == Counter(theirs.fit_resample(X, Y)[1])


def test_a_ratio_that_floating_point_makes_a_little_more() -> None:
    assert 0.07 * 100 > 7
    assert drawn(Oversampling(0.07), [1, 100])[1].tolist() == [7, 100]
    assert 7 / 0.07 < 100
    assert drawn(Undersampling(0.07), [7, 200])[1].tolist() == [7, 100]


def test_every_row_of_a_class_can_be_drawn_and_equally_often() -> None:
    y = np.array([0, 0, 0, 0, 1])
    again = Counter[int]()
    for seed in range(400):
        sampler = Undersampling(random_state=seed)
        sampler.fit_resample(np.zeros((5, 1)), y)
        again.update(sampler.sample_indices_.tolist())
    assert again[4] == 400
    # 400 draws of one row of four: 100 each, standard deviation sqrt(75) = 8.7.
    assert all(abs(again[row] - 100) < 40 for row in range(4))


# --- what may be asked for ---------------------------------------------------------------------


def test_numbers_of_rows_by_label() -> None:
    over = Oversampling({"rare": 8, "some": 6}, random_state=0).fit_resample(X, Y)[1]
    assert Counter(over.tolist()) == {"rare": 8, "common": 10, "some": 6}
    under = Undersampling({"common": 4}, random_state=0).fit_resample(X, Y)[1]
    assert Counter(under.tolist()) == {"rare": 3, "common": 4, "some": 5}


def test_a_class_is_found_by_its_text() -> None:
    y = np.repeat([0, 1], [2, 9])
    assert Counter(Oversampling({"0": 4}).fit_resample(y[:, None], y)[1].tolist()) == {0: 4, 1: 9}


@pytest.mark.parametrize("kind", BOTH)
def test_the_seed_decides(kind: type[Sampling]) -> None:
    def rows(seed: int | None) -> list[int]:
        sampler = kind(0.9, random_state=seed)
        sampler.fit_resample(X, Y)
        return sampler.sample_indices_.tolist()

    assert rows(3) == rows(3)
    assert len({tuple(rows(seed)) for seed in range(5)}) == 5
    assert len({tuple(rows(None)) for _ in range(5)}) > 1


@pytest.mark.parametrize("kind", BOTH)
def test_classes_of_the_same_size_stay(kind: type[Sampling]) -> None:
    assert drawn(kind(), [4, 4])[0].tolist() == list(range(8))
    assert drawn(kind(0.5), [5])[0].tolist() == list(range(5))


# --- kinds of data -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "read"),
    [
        pytest.param(np.asarray, lambda X: X[:, 0], id="numpy"),
        pytest.param(
            lambda X: pd.DataFrame(X, columns=["x"], index=X[:, 0] + 50), lambda X: X["x"], id="pandas"
        ),
        pytest.param(lambda X: pl.DataFrame(X, schema=["x"]), lambda X: X["x"].to_numpy(), id="polars"),
        pytest.param(lambda X: pa.table({"x": X[:, 0]}), lambda X: X["x"].to_numpy(), id="pyarrow"),
        pytest.param(csr_matrix, lambda X: X.toarray()[:, 0], id="csr matrix"),
        pytest.param(csr_array, lambda X: X.toarray()[:, 0], id="csr array"),
        pytest.param(csc_matrix, lambda X: X.toarray()[:, 0], id="csc matrix"),
        pytest.param(coo_array, lambda X: X.toarray()[:, 0], id="coo array"),
        pytest.param(lambda X: X.tolist(), lambda X: [row[0] for row in X], id="list"),
        pytest.param(lambda X: [str(row) for row in X[:, 0]], lambda X: [int(row) for row in X], id="texts"),
    ],
)
@pytest.mark.parametrize("kind", BOTH)
def test_features_stay_what_they_are(kind: type[Sampling], make: Any, read: Any) -> None:
    came = make(X)
    sampler = kind(random_state=0)
    rows, classes = sampler.fit_resample(came, Y)
    assert type(rows) is type(came) or came.__class__ is coo_array
    assert list(read(rows)) == sampler.sample_indices_.tolist()
    assert list(classes) == Y[sampler.sample_indices_].tolist()


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda y: y.tolist(), id="list"),
        pytest.param(lambda y: y.astype(object), id="objects"),
        pytest.param(lambda y: pd.Series(y, index=np.arange(len(y)) + 7), id="pandas"),
        pytest.param(lambda y: pd.Series(y, dtype="category"), id="pandas categories"),
        pytest.param(pl.Series, id="polars"),
        pytest.param(lambda y: pl.Series(y, dtype=pl.Categorical), id="polars categories"),
        pytest.param(lambda y: pa.array(y.tolist()), id="arrow"),
        pytest.param(lambda y: pa.chunked_array([y.tolist()]), id="arrow chunks"),
    ],
)
def test_classes_stay_what_they_are(make: Any) -> None:
    came = make(Y)
    _, classes = Oversampling(random_state=0).fit_resample(X, came)
    assert type(classes) is type(came)
    values = classes.to_pylist() if hasattr(classes, "to_pylist") else list(classes)
    assert Counter(values) == {"rare": 10, "common": 10, "some": 10}


@pytest.mark.parametrize(
    "y", [pytest.param([False] * 3 + [True], id="booleans"), pytest.param([2.0, 2.0, 7.0, 2.0], id="floats")]
)
def test_other_labels(y: list[Any]) -> None:
    assert len(set(Counter(Oversampling().fit_resample([[0]] * 4, y)[1]).values())) == 1


# --- protocols -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("ratio", [pytest.param(0.5, id="number"), pytest.param({"rare": 3}, id="counts")])
def test_copies_have_the_same_parameters(kind: type[Sampling], ratio: Any) -> None:
    sampler = kind(ratio, random_state=4)
    sampler.fit_resample(X, Y)
    copy = clone(sampler)
    assert copy.get_params() == {"ratio": ratio, "random_state": 4}
    assert not hasattr(copy, "sample_indices_")
    assert copy.set_params(ratio=0.25) is copy
    assert (copy.ratio, copy.random_state, sampler.ratio) == (0.25, 4, ratio)
    assert repr(copy) == f"{kind.__name__}(ratio=0.25, random_state=4)"
    with pytest.raises(OptionError, match="no parameter 'ration'; it has ratio, random_state"):
        copy.set_params(ration=1)
    with pytest.raises(OptionError, match="got 7"):
        copy.set_params(ratio=7)


def test_in_a_pipeline_of_imbalanced_learn() -> None:
    pipeline = make_pipeline(Undersampling(random_state=0), DecisionTreeClassifier(random_state=0))
    tree = pipeline.fit(X, Y)[-1]
    assert tree.tree_.n_node_samples[0] == 9  # three of each
    assert set(pipeline.predict(X)) == set(Y)


# --- errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ratio", "message"),
    [
        pytest.param(0, "above 0 and at most 1; got 0", id="zero"),
        pytest.param(-0.5, "got -0.5", id="negative"),
        pytest.param(1.5, "got 1.5", id="above one"),
        pytest.param(float("nan"), "got nan", id="nan"),
        pytest.param("auto", "got 'auto'", id="word"),
        pytest.param(True, "got True", id="boolean"),
        pytest.param(None, "got None", id="none"),
        pytest.param({"rare": 0}, "class 'rare' needs a whole number of rows from 1 up; got 0", id="no rows"),
        pytest.param({"rare": 1.5}, "got 1.5", id="half a row"),
        pytest.param({"rare": True}, "got True", id="a boolean of rows"),
        pytest.param({}, "no class is named", id="no class"),
    ],
)
@pytest.mark.parametrize("kind", BOTH)
def test_ratios_that_make_no_sense(kind: type[Sampling], ratio: Any, message: str) -> None:
    with pytest.raises((OptionError, LabelError), match=message):
        kind(ratio)


@pytest.mark.parametrize("seed", [-1, 1.5, "x", True])
def test_seeds_that_make_no_sense(seed: Any) -> None:
    with pytest.raises(OptionError, match="random_state must be a whole number"):
        Oversampling(random_state=seed)


def test_numbers_of_rows_that_cannot_be() -> None:
    with pytest.raises(
        OptionError, match="'common' has 10 rows, and oversampling keeps them all; got 4"
    ) as told:
        Oversampling({"common": 4}).fit_resample(X, Y)
    assert told.value.hint == "Undersampling takes rows away."
    with pytest.raises(OptionError, match="'rare' has 3 rows, and undersampling adds none; got 4") as told:
        Undersampling({"rare": 4}).fit_resample(X, Y)
    assert told.value.hint == "Oversampling draws rows again."
    with pytest.raises(LabelError, match="class='Rare' is not a label") as wrong:
        Oversampling({"Rare": 4}).fit_resample(X, Y)
    assert "did you mean 'rare'?" in str(wrong.value)


def test_rows_that_do_not_fit() -> None:
    with pytest.raises(ShapeError, match="X has 17, y has 18"):
        Oversampling().fit_resample(X[:-1], Y)
    with pytest.raises(ShapeError, match="there are no rows"):
        Oversampling().fit_resample([], [])
    with pytest.raises(MissingValueError, match="y is missing at position 1 "):
        Undersampling().fit_resample([[1], [2], [3]], ["a", None, "b"])


def test_samplers_in_words():
    assert str(Oversampling()) == "oversampling until every class has as many rows as the largest"
    half = "undersampling until every class has at least 0.5 of the rows of the largest"
    assert str(Undersampling(0.5)) == half
    assert str(Undersampling({"a": 3})) == "undersampling to 3 rows of 'a'"
