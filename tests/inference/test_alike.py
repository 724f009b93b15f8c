"""Rows counted by both scores and class say the same as the rows themselves."""

from __future__ import annotations

import numpy as np
import pytest

import tallymark as tm
from tallymark.comparison.rows import scores as comparison_scores
from tallymark.inference.paired_ranking import PairedRanking
from tallymark.inference.paired_scores.alike import alike
from tallymark.metrics import ask

ROWS = 1 << 17
NAMES = ("auc", "gini", "average_precision", "brier", "brier_half", "log_loss", "partial_auc:0.1")


def drawn(decimals, rows=ROWS):
    generator = np.random.default_rng(0)
    y = generator.random(rows) < 0.3
    known = generator.normal(1.5 * y, 1)
    scores = [1 / (1 + np.exp(-known - generator.normal(0, noise, rows))) for noise in (0.7, 0.9)]
    a, b = (np.clip(score, 0.01, 0.99).round(decimals) for score in scores)
    return y, a, b


def test_counts_add_up_to_the_rows():
    y, a, b = drawn(2)
    found = alike(a, b, y)
    assert found.times.sum() == ROWS
    rows, counts = np.unique(np.stack([y, a, b]), axis=1, return_counts=True)
    assert np.array_equal(np.stack([found.is_positive, found.score_a, found.score_b]), rows)
    assert np.array_equal(found.times, counts)


@pytest.mark.parametrize("shift", [0.0, -3.0])
def test_every_number_is_that_of_the_rows(shift):
    y, a, b = drawn(2)
    a, b = (np.round(score + shift, 2) for score in (a, b))
    found = alike(a, b, y)
    by_row = PairedRanking(a, b, y)
    counted = PairedRanking(*found[:3], weight=found.times, weight_kind="frequency")
    for name in NAMES:
        one, two = by_row.of(ask(name)), counted.of(ask(name))
        assert (one.n, one.method, one.note) == (two.n, two.method, two.note)
        if one.value is None:
            continue
        assert (two.value, two.low, two.high) == pytest.approx((one.value, one.low, one.high), rel=1e-9)
        assert counted.tested(ask(name))[:2] == pytest.approx(by_row.tested(ask(name))[:2], rel=1e-6)


def test_a_comparison_says_the_same_either_way(monkeypatch):
    y, a, b = drawn(2)
    quick = tm.compare({"a": a, "b": b}, y_true=y.astype(int), threshold=0.5)
    monkeypatch.setattr(comparison_scores, "alike", lambda *_: None)
    slow = tm.compare({"a": a, "b": b}, y_true=y.astype(int), threshold=0.5)
    assert str(quick) == str(slow)


def test_what_is_not_worth_counting_is_left_alone():
    y, a, b = drawn(2)
    assert alike(a[:1000], b[:1000], y[:1000]) is None
    assert alike(*drawn(9)[1:], y) is None
    late = a.copy()
    late[-1] += 1e-9
    assert alike(late, b, y) is None
    assert alike(np.append(a[1:], 1e300), b, y) is None
    assert alike(np.append(a[1:], np.inf), b, y) is None
