"""Label sets asked of scikit-learn in the test itself, and the places where we differ on purpose."""

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import tallymark as tm

FUNCTIONS = {name: getattr(sk, f"{name}_score") for name in ("precision", "recall", "f1", "jaccard")}
SAMPLES = {"precision": "precision", "recall": "recall", "f1": "f1", "accuracy": "jaccard"}


@st.composite
def tables(draw):
    """Two tables of marks with at least two labels; none, or a bit of weight for every row."""
    shape = draw(st.tuples(st.integers(1, 30), st.integers(2, 6)))
    table = arrays.arrays(bool, shape)
    weights = draw(st.none() | arrays.arrays(float, shape[0], elements=st.floats(0.125, 8)))
    return draw(table), draw(table), weights


def close(expected):
    return None if np.isnan(expected) else pytest.approx(expected, rel=1e-12, abs=1e-14)


@given(tables())
def test_metrics_of_rows(problem):
    actual, predicted, weight = problem
    assume((actual | predicted).any(axis=1).all())
    ev, given = tm.evaluate(actual, predicted, sample_weight=weight), {"sample_weight": weight}
    assert ev["subset_accuracy"].value == close(sk.accuracy_score(actual, predicted, **given))
    assert ev["hamming_loss"].value == close(sk.hamming_loss(actual, predicted, **given))
    for name, theirs in SAMPLES.items():
        expected = FUNCTIONS[theirs](actual, predicted, average="samples", zero_division=0, **given)
        assert ev[f"{name}_example"].value == close(expected), name


@given(tables())
def test_labels_and_averages(problem):
    actual, predicted, weight = problem
    ev = tm.evaluate(actual, predicted, sample_weight=weight)
    matrices = sk.multilabel_confusion_matrix(actual, predicted, sample_weight=weight)
    for entry, matrix in zip(ev.to_dict()["per_class"], matrices, strict=True):
        found = [[entry["tn"], entry["fp"]], [entry["fn"], entry["tp"]]]
        np.testing.assert_allclose(found, matrix, rtol=1e-12, atol=1e-12)
    for name in ("precision", "recall", "f1"):
        given = {"zero_division": np.nan, "sample_weight": weight}
        labels = FUNCTIONS[name](actual, predicted, average=None, **given)
        for result, expected in zip(ev.per_class.values(), labels, strict=True):
            assert result[name].value == close(expected), name
        # Labels that no row has weigh nothing; scikit-learn then takes their plain mean (see below).
        weighted = ["weighted"] if actual[:, ~np.isnan(labels)].any() else []
        for average in ("macro", "micro", *weighted):
            expected = FUNCTIONS[name](actual, predicted, average=average, **given)
            assert ev[f"{name}_{average}"].value == close(expected), (name, average)


@given(tables())
def test_jaccard(problem):
    # It takes no NaN for zero_division, so undefined labels count as 0 on both sides.
    actual, predicted, weight = problem
    ev = tm.evaluate(actual, predicted, sample_weight=weight, undefined=0)
    asked = {"zero_division": 0, "sample_weight": weight}
    macro = sk.jaccard_score(actual, predicted, average="macro", **asked)
    assert ev["jaccard_macro"].value == close(macro)
    if (actual | predicted).any():
        micro = sk.jaccard_score(actual, predicted, average="micro", **asked)
        assert ev["jaccard_micro"].value == close(micro)


# --- where we differ, and why ------------------------------------------------------------------


def test_two_empty_sets_agree_so_they_score_1():
    # scikit-learn's default makes it a total failure that nothing was there and nothing predicted.
    both = np.array([[0, 0], [1, 0]]), np.array([[0, 0], [1, 0]])
    ours, as_theirs = tm.evaluate(*both), tm.evaluate(*both, empty_sets=0)
    for name, theirs in SAMPLES.items():
        assert FUNCTIONS[theirs](*both, average="samples", zero_division=0) == 0.5
        assert ours[f"{name}_example"].value == 1.0
        assert as_theirs[f"{name}_example"].value == 0.5


def test_one_empty_set_is_no_agreement():
    # zero_division=1 would give precision 1 to a row whose labels were all missed.
    both = np.array([[1, 1], [1, 0]]), np.array([[0, 0], [1, 0]])
    assert sk.precision_score(*both, average="samples", zero_division=1) == 1.0
    assert tm.evaluate(*both)["precision_example"].value == 0.5


def test_without_true_labels_there_is_nothing_to_weight_by():
    both = np.zeros((2, 2), int), np.array([[1, 0], [1, 1]])
    assert sk.precision_score(*both, average="weighted", zero_division=np.nan) == 0.0
    estimate = tm.evaluate(*both)["precision_weighted"]
    assert estimate.value is None
    assert estimate.why


def test_a_label_without_rows_is_left_out_of_the_average_and_named():
    # scikit-learn counts it as 0 by default, with a warning.
    both = np.array([[1, 0], [1, 0]]), np.array([[1, 0], [1, 1]])
    assert sk.recall_score(*both, average="macro", zero_division=0) == 0.5
    estimate = tm.evaluate(*both)["recall_macro"]
    assert estimate.value == 1.0
    assert "[1]" in estimate.note
