"""Label sets asked of scikit-learn in the test itself, and the places where we differ on purpose."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tallymark.inference import SetSample
from tallymark.intake.sets.label_sets import read_sets
from tallymark.metrics import ask

FUNCTIONS = {
    "precision": sk.precision_score,
    "recall": sk.recall_score,
    "f1": sk.f1_score,
    "jaccard": sk.jaccard_score,
}
SAMPLES = {"precision": "precision", "recall": "recall", "f1": "f1", "accuracy": "jaccard"}


@st.composite
def tables(draw):
    """Two tables of marks with at least two labels; a bit of weight for every row."""
    shape = draw(st.tuples(st.integers(1, 30), st.integers(2, 6)))
    table = arrays.arrays(bool, shape)
    weights = draw(arrays.arrays(float, shape[0], elements=st.floats(0.125, 8)))
    return draw(table), draw(table), weights


def value(sample, name):
    return sample.of(ask(name), None).value


def close(expected):
    return pytest.approx(expected, rel=1e-12, abs=1e-14)


@settings(max_examples=60, deadline=None)
@given(tables())
def test_numbers_about_rows(problem):
    actual, predicted, weights = problem
    assume((actual | predicted).any(axis=1).all())
    for weight in (None, weights):
        sample = SetSample(read_sets(actual, predicted).count(weights=weight))
        assert value(sample, "subset_accuracy") == close(
            sk.accuracy_score(actual, predicted, sample_weight=weight)
        )
        assert value(sample, "hamming_loss") == close(
            sk.hamming_loss(actual, predicted, sample_weight=weight)
        )
        for name, theirs in SAMPLES.items():
            expected = FUNCTIONS[theirs](
                actual, predicted, average="samples", zero_division=0, sample_weight=weight
            )
            assert value(sample, f"{name}_example") == close(expected)


@settings(max_examples=60, deadline=None)
@given(tables())
def test_labels_and_averages(problem):
    actual, predicted, weights = problem
    for weight in (None, weights):
        tally = read_sets(actual, predicted).count(weights=weight)
        each = tally.each
        theirs = sk.multilabel_confusion_matrix(actual, predicted, sample_weight=weight)
        ours = np.stack([each.tn, each.fp, each.fn, each.tp], axis=1).reshape(-1, 2, 2)
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)
        for name in ("precision", "recall", "f1"):
            compare(SetSample(tally), actual, predicted, weight, name)


def compare(sample, actual, predicted, weight, name):
    """Every label and every average of one number."""

    def theirs(average):
        return FUNCTIONS[name](actual, predicted, average=average, zero_division=np.nan, sample_weight=weight)

    labels = theirs(None)
    for position, expected in enumerate(labels):
        found = sample.of_class(ask(name), position).value
        assert found == (None if np.isnan(expected) else close(expected))
    averages = ["macro", "micro"]
    # Labels that no row has weigh nothing; scikit-learn then takes their plain mean (see below).
    if actual[:, ~np.isnan(labels)].any():
        averages.append("weighted")
    for average in averages:
        expected = theirs(average)
        assert value(sample, f"{name}_{average}") == (None if np.isnan(expected) else close(expected))


@settings(max_examples=30, deadline=None)
@given(tables())
def test_jaccard(problem):
    # It takes no NaN for zero_division, so undefined labels count as 0 on both sides.
    actual, predicted, weights = problem
    sample = SetSample(read_sets(actual, predicted).count(weights=weights), undefined_as=0.0)
    asked = {"zero_division": 0, "sample_weight": weights}
    macro = sk.jaccard_score(actual, predicted, average="macro", **asked)
    assert value(sample, "jaccard_macro") == close(macro)
    if (actual | predicted).any():
        micro = sk.jaccard_score(actual, predicted, average="micro", **asked)
        assert value(sample, "jaccard_micro") == close(micro)


# --- where we differ, and why ------------------------------------------------------------------


def test_two_empty_sets_agree_so_they_score_1():
    # Nothing was there and nothing was said: scikit-learn's default makes that a total failure.
    actual, predicted = np.array([[0, 0], [1, 0]]), np.array([[0, 0], [1, 0]])
    tally = read_sets(actual, predicted).count()
    for name, theirs in SAMPLES.items():
        asked = {"average": "samples", "zero_division": 0}
        assert FUNCTIONS[theirs](actual, predicted, **asked) == 0.5
        assert value(SetSample(tally), f"{name}_example") == 1.0
        assert value(SetSample(tally, empty_sets=0.0), f"{name}_example") == 0.5


def test_one_empty_set_is_no_agreement():
    # zero_division=1 would give precision 1 to a row whose labels were all missed.
    actual, predicted = np.array([[1, 1], [1, 0]]), np.array([[0, 0], [1, 0]])
    assert sk.precision_score(actual, predicted, average="samples", zero_division=1) == 1.0
    assert value(SetSample(read_sets(actual, predicted).count()), "precision_example") == 0.5


def test_without_true_labels_there_is_nothing_to_weight_by():
    actual, predicted = np.zeros((2, 2), bool), np.array([[1, 0], [1, 1]])
    assert sk.precision_score(actual, predicted, average="weighted", zero_division=np.nan) == 0.0
    estimate = SetSample(read_sets(actual, predicted).count()).of(ask("precision_weighted"), None)
    assert (estimate.value, estimate.why) == (None, "no row actually has a label, so labels have no weights")


def test_a_label_without_rows_is_left_out_of_the_average_and_named():
    # scikit-learn counts it as 0 by default, with a warning.
    actual, predicted = np.array([[1, 0], [1, 0]]), np.array([[1, 0], [1, 1]])
    assert sk.recall_score(actual, predicted, average="macro", zero_division=0) == 0.5
    estimate = SetSample(read_sets(actual, predicted).count()).of(ask("recall_macro"), None)
    assert estimate.value == 1.0
    assert "1 of 2 classes; undefined for [1]" in str(estimate.note)
