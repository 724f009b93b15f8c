"""A threshold for every class."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from sklearn.metrics import f1_score

from tallymark.curves.classes.thresholds import class_thresholds
from tallymark.drawing import text
from tallymark.errors import MetricError
from tallymark.intake.ranking import count_scores


def scores_of(table, classes, size):
    return [(f"k{own}", count_scores(table[:, own], classes == own)) for own in range(size)]


def rows(seed=0, n=80, size=3):
    generator = np.random.default_rng(seed)
    classes = generator.integers(0, size, n)
    table = generator.dirichlet(np.ones(size), n).round(2)
    table[np.arange(n), classes] += 0.2
    return table, classes


def test_best_of_all_thresholds_by_scikit_learn():
    table, classes = rows()
    for own, found in enumerate(class_thresholds(scores_of(table, classes, 3)).classes):
        values = {t: f1_score(classes == own, table[:, own] >= t) for t in np.unique(table[:, own])}
        best = max(values.values())
        assert found.best.value == pytest.approx(best)
        assert found.best.threshold == max(t for t, value in values.items() if value >= best - 1e-12)
        called = table[:, own] >= found.best.threshold
        assert found.called == called.sum()
        assert found.precision == pytest.approx((classes == own)[called].mean())
        assert found.recall == pytest.approx(called[classes == own].mean())


def test_by_hand():
    table = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]])
    found = class_thresholds(scores_of(table, np.array([0, 0, 1]), 2))
    first = found.classes[0]
    assert (first.best.threshold, first.best.low, first.best.value) == (0.8, 0.3, 1)
    said = text(found.document(), width=1_000)
    assert "k0           2       0.8            0.3  1.000      1.000   1.000       2" in said
    assert "a row can be called several classes, or none" in said
    assert "optimistic" in said


def test_a_class_without_rows():
    table, classes = rows()
    found = class_thresholds(scores_of(table, np.minimum(classes, 1), 3))
    assert found.classes[2].best is None
    assert "No threshold is best for 'k2': no row is of that class." in text(found.document())
    form = json.loads(json.dumps(found.to_dict()))
    assert form["classes"][2] == {
        "label": "k2",
        "support": 0,
        "threshold": None,
        "why": "no row is of that class",
    }
    assert found.table("pandas")["f1"].isna().tolist() == [False, False, True]


def test_another_metric():
    table, classes = rows()
    found = class_thresholds(scores_of(table, classes, 3), "precision")
    assert found.metric == "precision"
    assert list(found.table("pandas").columns) == [
        *("class", "support", "threshold", "low", "high", "precision", "recall")
    ]
    assert math.isfinite(found.classes[0].best.value)
    text(found.document())
    with pytest.raises(MetricError):
        class_thresholds(scores_of(table, classes, 3), "auc")
