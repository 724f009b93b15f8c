"""What the corners and the diagonal of an ROC picture mean."""

from __future__ import annotations

from typing import NamedTuple


class Landmark(NamedTuple):
    """A corner of the picture."""

    fpr: float
    tpr: float
    words: str


LANDMARKS = (
    Landmark(0.0, 0.0, "calls everything negative"),
    Landmark(1.0, 1.0, "calls everything positive"),
    Landmark(0.0, 1.0, "ideal: every positive is called so, and no negative is"),
)
DIAGONAL = (
    "The diagonal is random guessing: calling positive with probability p, whatever the row, gives "
    "TPR = FPR = p, and an area of 0.5. The ideal area is 1."
)
BELOW_DIAGONAL = "the ranking is the opposite of the truth more often than not"
