"""Problems nobody chose, asked of scikit-learn in the test itself."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st

import tallymark as tm

LABELS = st.sampled_from([(0, 1), (-5, 7, 300), ("no", "yes"), ("a", "b", "c", "d"), tuple(range(10, 18))])


@st.composite
def answers(draw):
    """Labels as they are declared (perhaps not in order, perhaps absent), actual and predicted rows."""
    labels = draw(LABELS.flatmap(st.permutations))
    rows = draw(
        st.lists(st.tuples(st.sampled_from(labels), st.sampled_from(labels)), min_size=1, max_size=60)
    )
    actual, predicted = zip(*rows, strict=True)
    return labels, list(actual), list(predicted)


def undefined_as_none(value):
    return None if np.isnan(value) else pytest.approx(value, rel=1e-12, abs=1e-14)


@settings(max_examples=40, deadline=None)
@given(answers())
def test_classes_and_averages(problem):
    labels, actual, predicted = problem
    ev = tm.evaluate(actual, predicted, labels=labels)
    assert ev.confusion.matrix.tolist() == sk.confusion_matrix(actual, predicted, labels=labels).tolist()
    functions = {"precision": sk.precision_score, "recall": sk.recall_score, "f1": sk.f1_score}
    for name, function in functions.items():
        ask = {"labels": labels, "zero_division": np.nan}
        for label, value in zip(labels, function(actual, predicted, average=None, **ask), strict=True):
            assert ev.per_class[label][name].value == undefined_as_none(value)
        for average in ("macro", "micro"):
            value = function(actual, predicted, average=average, **ask)
            assert ev[f"{name}_{average}"].value == undefined_as_none(value)


@settings(max_examples=40, deadline=None)
@given(answers())
def test_numbers_about_all_classes(problem):
    labels, actual, predicted = problem
    ev = tm.evaluate(actual, predicted, labels=labels)
    assert ev["accuracy"].value == pytest.approx(sk.accuracy_score(actual, predicted), rel=1e-12)
    varied = len(set(actual)) > 1 and len(set(predicted)) > 1
    expected = (
        pytest.approx(sk.matthews_corrcoef(actual, predicted), rel=1e-12, abs=1e-14) if varied else None
    )
    assert ev["mcc"].value == expected
    with warnings.catch_warnings():
        # It warns of answers that are never actual, and of one class that was always the answer.
        warnings.simplefilter("ignore")
        balanced = sk.balanced_accuracy_score(actual, predicted)
        kappa = sk.cohen_kappa_score(actual, predicted, labels=labels)
    assert ev["kappa"].value == undefined_as_none(kappa)
    assert ev["balanced_accuracy"].value == pytest.approx(balanced, rel=1e-12)
