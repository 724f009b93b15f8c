"""Small tables whose numbers are worked out by hand."""

import numpy as np
import pytest

import tallymark as tm


@pytest.fixture(scope="session")
def ev() -> tm.Evaluation:
    """Recall is 80/100, the false positive rate 30/300, accuracy 350/400."""
    return tm.Confusion([[80, 20], [30, 270]], labels=["ill", "well"]).evaluate(pos_label="ill")


@pytest.fixture(scope="session")
def scored() -> tm.Evaluation:
    """With scores and a metric of one's own."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 200)
    score = np.clip(0.3 * y + 0.7 * rng.random(200), 0, 1)
    return tm.evaluate(y, y_score=score, extra={"right": lambda t, p: np.mean(t == p)})
