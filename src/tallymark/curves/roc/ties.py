"""What equal scores leave open: the order of a positive and a negative row that tie."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.metrics.scores import Pairs, pairs_of
from tallymark.tallies import Scores
from tallymark.tallies.confusion import frozen

_FITS = 2**63


@dataclass(frozen=True, eq=False)
class Ties:
    """Pairs of a positive and a negative row with the same score, and how far their order could matter."""

    scores: Scores

    @property
    def groups(self) -> int:
        """Scores that rows of both classes have."""
        return int(((self.scores.positives > 0) & (self.scores.negatives > 0)).sum())

    @cached_property
    def _counted(self) -> Pairs:
        return pairs_of(self.scores)

    @property
    def pairs(self) -> Any:
        """Tied pairs."""
        return self._counted.tied

    @property
    def of(self) -> Any:
        """All pairs of a positive and a negative row."""
        return sum(self._counted)

    @property
    def won(self) -> Any:
        """Pairs whose positive row has the higher score."""
        return self._counted.won

    @property
    def pessimistic(self) -> float | None:
        """The area when every tied pair is lost: negatives first."""
        return float(self.won / self.of) if self.of else None

    @property
    def optimistic(self) -> float | None:
        """The area when every tied pair is won: positives first."""
        return float((self.won + self.pairs) / self.of) if self.of else None

    @property
    def band(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """FPR, and the lowest and highest TPR there, of any order within ties; jumps have their FPR twice."""
        fpr, tpr = (side / side[-1] for side in (self.scores.fp, self.scores.tp))
        places, lowest, highest = np.repeat(fpr, 2)[1:-1], np.repeat(tpr[:-1], 2), np.repeat(tpr[1:], 2)
        return frozen(places), frozen(lowest), frozen(highest)

    def to_dict(self) -> dict[str, Any]:
        return {
            "groups": self.groups,
            "pairs": self.pairs,
            "of": self.of,
            "optimistic": self.optimistic,
            "pessimistic": self.pessimistic,
        }


def total_product(one: NDArray[Any], two: NDArray[Any]) -> Any:
    """The sum of the products; exact for whole counts of any size."""
    if one.dtype.kind != "i" or two.dtype.kind != "i":
        return float(np.dot(one, two))
    if int(one.sum()) * int(two.max(initial=0)) < _FITS:
        return int(np.dot(one, two))
    return sum(a * b for a, b in zip(one.tolist(), two.tolist(), strict=True))
