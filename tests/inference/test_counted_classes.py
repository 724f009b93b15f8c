"""Means of areas and first places from counts of every class against the rest, against those from rows."""

from __future__ import annotations

import numpy as np
import pytest

from tallymark.inference import Ranking
from tallymark.inference.classes.counted import counted_ranking
from tallymark.inference.classes.places import placed
from tallymark.inference.classes.ranking import class_ranking
from tallymark.intake.ranking import count_scores
from tallymark.metrics import ask
from tallymark.tallies.scores import Scores

MEANS = ("auc_ovr_macro", "auc_ovr_weighted")


def _both(table, classes, *, weight=None, bins=None):
    """From rows, and from counts, of bins where so many are given."""
    size = table.shape[1]
    rankings = []
    for at in range(size):
        scores = count_scores(table[:, at], classes == at, weight=weight)
        rankings.append(Ranking(scores if bins is None else _in_bins(scores, bins)))
    place = placed(table, classes)
    squares = None if weight is None else np.bincount(place, weight**2, size)
    labels = [f"k{at}" for at in range(size)]
    return (
        class_ranking(table, classes, labels=labels, weight=weight),
        counted_ranking(labels, rankings, np.bincount(place, weight, size), squares, 0.95),
    )


def _in_bins(scores, bins):
    """Scores that are only known to lie between two of so many steps."""
    step = np.floor(scores.score * bins)
    starts = np.flatnonzero(np.append(True, step[1:] != step[:-1]))

    def added(counts):
        return np.add.reduceat(counts, starts)

    return Scores(
        scores.score[np.append(starts[1:], len(step)) - 1],
        added(scores.positives),
        added(scores.negatives),
        squares=None if scores.squares is None else tuple(map(added, scores.squares)),
        rows=scores.rows,
        reach=scores.score[starts],
    )


def _rows(seed):
    rng = np.random.default_rng(seed)
    size, rows = int(rng.integers(3, 6)), int(rng.integers(6, 90))
    classes = rng.choice(size, rows, p=rng.dirichlet(np.full(size, rng.choice([0.5, 3.0]))))
    logits = rng.normal(size=(rows, size))
    logits[np.arange(rows), classes] += rng.choice([0, 1, 3, 8])
    table = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return table, classes, rng.integers(1, 9, rows) / 4 if seed % 2 else None


@pytest.mark.parametrize("bins", [None, 12], ids=["exact", "bins"])
def test_intervals_hold_those_from_rows(bins):
    compared = 0
    for seed in range(60):
        table, classes, weight = _rows(seed)
        known, found = _both(table, classes, weight=weight, bins=bins)
        for asked in map(ask, MEANS):
            one, two = known.of(asked), found.of(asked)
            assert one.why == two.why
            if one.value is None:
                continue
            low, high = two.bounds or (two.value, two.value)
            assert low - 1e-12 <= one.value <= high + 1e-12
            assert two.low <= one.low + 1e-12
            assert one.high <= two.high + 1e-12
            compared += 1
    assert compared > 90


def test_it_is_not_much_wider_where_classes_do_go_together():
    """A class that gets what another loses: both areas rise and fall with the same rows."""
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 3, 3_000)
    first = np.where(classes == 0, 0.4, 0.3) + rng.normal(0, 0.1, 3_000)
    table = np.column_stack([first, 0.9 - first, np.full(3_000, 0.1)]).clip(0, 1)
    known, found = (made.of(ask("auc_ovr_macro")) for made in _both(table, classes))
    assert 1 <= (found.high - found.low) / (known.high - known.low) < 1.5


def test_first_places_are_those_from_rows():
    for seed in range(6):
        table, classes, weight = _rows(seed)
        known, found = _both(table, classes, weight=weight)
        for k in range(1, table.shape[1]):
            one, two = (made.of(ask(f"top_k_accuracy:{k}")).to_dict() for made in (known, found))
            assert two == pytest.approx(one)


def test_pairs_of_classes_are_not_known():
    table, classes, _ = _rows(0)
    _, found = _both(table, classes)
    assert (
        found.of(ask("auc_ovo_macro")).why
        == "it compares rows of every two classes, and the rows were not kept"
    )
    assert found.of(ask("auc_ovr_macro")).se is None
    # Of one class there are no pairs, whatever is known.
    _, alone = _both(table, np.zeros(len(table), int))
    assert alone.of(ask("auc_ovo_macro")).why == "all rows are of one class (classes - 1 = 0)"
