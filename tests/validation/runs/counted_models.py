"""Models that note every fit they make, in the file that FITS_MADE names: one process may count another's."""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from typing import Any

import numpy as np
from sklearn.naive_bayes import GaussianNB


def note(text: str) -> None:
    place = os.environ.get("FITS_MADE")
    if place:
        with open(place, "a", encoding="ascii") as file:
            file.write(f"{os.getpid()} {text}\n")


class Counted(GaussianNB):
    """Naive Bayes that takes its time."""

    def __init__(self, *, priors: Any = None, var_smoothing: float = 1e-9, pause: float = 0.0) -> None:
        super().__init__(priors=priors, var_smoothing=var_smoothing)
        self.pause = pause

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        time.sleep(self.pause)
        note(f"{len(X)}:{np.asarray(X)[:, 0].sum():.6f}:{self.var_smoothing:g}")
        return super().fit(X, y, sample_weight)


class Worded(Counted):
    """One whose words for itself are others in every process."""

    def __repr__(self, N_CHAR_MAX: int = 0) -> str:
        return f"{set('abcdefgh')} {object()!r}"


class Fails(Counted):
    """One that fails on training parts that hold a certain row, as long as FITS_FAIL is set."""

    def __init__(
        self,
        *,
        priors: Any = None,
        var_smoothing: float = 1e-9,
        pause: float = 0.0,
        row: float = 0.0,
        by: str = "ValueError",
    ) -> None:
        super().__init__(priors=priors, var_smoothing=var_smoothing, pause=pause)
        self.row = row
        self.by = by

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        found = super().fit(X, y, sample_weight)
        warnings.warn("this may go wrong", stacklevel=2)
        if os.environ.get("FITS_FAIL") and (np.asarray(X)[:, 0] == self.row).any():
            if self.by == "SystemExit":
                sys.exit("enough")
            raise {"ValueError": ValueError, "MemoryError": MemoryError}[self.by]("row 0 is bad\nvery bad")
        return found


def told(result: Any) -> str:
    """All that a result says, but for how long it took."""
    return json.dumps(_without_times(result.to_dict()), indent=1)


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_times(each) for key, each in value.items() if "seconds" not in key}
    return [_without_times(each) for each in value] if isinstance(value, list) else value
