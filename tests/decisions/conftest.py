"""Rows that several tests of decisions are about."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def rows():
    random = np.random.default_rng(1)
    positive = random.random(400) < 0.3
    score = np.round(1 / (1 + np.exp(-(random.normal(size=400) + 1.6 * positive - 1.2))), 2)
    return score, positive
