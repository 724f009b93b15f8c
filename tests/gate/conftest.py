"""Small tables whose numbers are worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from tallymark import Confusion
from tallymark.evaluation import Evaluation

Z = 1.959963984540054


@pytest.fixture(scope="session")
def wilson() -> Callable[[int, int], tuple[float, float]]:
    """The 95 % Wilson interval of a share, written out."""

    def ends(hits: int, of: int) -> tuple[float, float]:
        centre = (hits + Z * Z / 2) / (of + Z * Z)
        half = Z / (of + Z * Z) * math.sqrt(hits * (of - hits) / of + Z * Z / 4)
        return centre - half, centre + half

    return ends


@pytest.fixture(scope="session")
def ev() -> Evaluation:
    """Recall is 80/100, the false positive rate 30/300, accuracy 350/400."""
    return Confusion([[80, 20], [30, 270]], labels=["ill", "well"]).evaluate(pos_label="ill")
