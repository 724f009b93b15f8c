"""Average AUCs over classes, from counts without rows, vary no more than their intervals state."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

import tallymark as tm

CLASSES, ROWS = ("a", "b", "c"), 90


def test_means_spread_at_most_as_if_classes_went_together() -> None:
    """Brute force: the standard deviation over samples is not above what is taken for it."""
    means, errors = [], []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        actual = rng.integers(0, 3, ROWS)
        shares = np.exp(rng.normal(size=(ROWS, 3)) + (actual[:, None] == np.arange(3)))
        shares /= shares.sum(axis=1, keepdims=True)
        columns = {"y": np.array(CLASSES)[actual]} | {name: shares[:, at] for at, name in enumerate(CLASSES)}
        tally = tm.tally(pl.DataFrame(columns), actual="y", probabilities={name: name for name in CLASSES})
        found = tally.evaluate()["auc_ovr_macro"]
        low, high = (math.log(end / (1 - end)) for end in (found.low, found.high))
        means.append(found.value)
        errors.append((high - low) / 2 / 1.959964 * found.value * (1 - found.value))
    assert np.std(means) < 1.1 * np.mean(errors)
