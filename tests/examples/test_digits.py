"""What was said of every digit, counted by scikit-learn, and the answers of one fold by a fit of its own."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support, top_k_accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tallymark as tm


@pytest.fixture(scope="module")
def ran(run_example: Callable[[str], Any]) -> Any:
    return run_example("digits.py")


@pytest.fixture(scope="module")
def probabilities(ran: Any) -> Any:
    """Of every digit by a model that has not seen it, fitted by scikit-learn."""
    X, y = ran.names["X"], ran.names["y"]
    found = np.empty((len(y), 10))
    for train, test in tm.KFold(5).split(X, y):
        model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        found[test] = model.fit(X[train], y[train]).predict_proba(X[test])
    return found


def test_classes_and_pairs(ran: Any, probabilities: Any) -> None:
    y, said = ran.names["y"], probabilities.argmax(axis=1)
    precision, recall, _, _ = precision_recall_fscore_support(y, said)
    for digit in range(10):
        assert ran.after(f"\n    {digit}  ") == pytest.approx([recall[digit], precision[digit]], abs=5e-4)
    matrix = confusion_matrix(y, said)
    both_ways = np.triu(matrix + matrix.T, 1)
    pairs = [line for line in ran.output.splitlines() if " were read as " in line]
    for line, count in zip(pairs, sorted(both_ways.ravel(), reverse=True)[:3], strict=True):
        forth, first, second, back = map(int, re.findall(r"\d+", line))
        assert [forth, back] == [matrix[first, second], matrix[second, first]]
        assert forth + back == count


def test_the_first_two_guesses(ran: Any, probabilities: Any) -> None:
    y = ran.names["y"]
    for k, words in enumerate(("The first guess is right:", "One of the first two is:"), 1):
        assert ran.after(words)[0] == pytest.approx(top_k_accuracy_score(y, probabilities, k=k), abs=5e-5)


def test_no_model_is_shown_to_be_better(ran: Any, probabilities: Any) -> None:
    y, said = ran.names["y"], probabilities.argmax(axis=1)
    folds = [(said == y)[test].mean() for _, test in tm.KFold(5).split(ran.names["X"], y)]
    assert ran.after("logistic: accuracy")[0] == pytest.approx(np.mean(folds), abs=5e-5)
    assert "cannot tell: 'logistic' has accuracy" in ran.output


def test_the_decision_follows(ran: Any, probabilities: Any) -> None:
    y = ran.names["y"]
    second, first = np.sort(probabilities, axis=1)[:, -2:].T
    theta = ran.names["point"].theta
    kept = first - second >= theta - 1e-9
    right = (probabilities.argmax(axis=1) == y)[kept].mean()
    ahead, rejected, correct, low, _ = ran.after("Decision: take the logistic model")[:5]
    assert ahead == pytest.approx(theta, abs=5e-3)
    assert [rejected, correct] == pytest.approx([100 * (1 - kept.mean()), 100 * right], abs=0.06)
    assert low >= 99
    assert {each.name for each in ran.folder.iterdir()} == {
        "digits.html",
        "digits_logistic.html",
        "digits.png",
    }
