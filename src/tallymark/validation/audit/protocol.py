"""What was done with which rows, for the checks to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tallymark.resampling.folds import Folds
from tallymark.validation.audit.twins import Twins, twins_of
from tallymark.validation.data.data_set import DataSet
from tallymark.validation.fits.fitting import Fit
from tallymark.validation.runs.describing import Indescribable
from tallymark.validation.runs.hashing import Hashes


@dataclass(frozen=True, eq=False)
class Protocol:
    """What was done with which rows."""

    data: DataSet
    folds: Folds
    metrics: tuple[str, ...] = ()
    """Numbers asked for, the main one first."""
    models: Mapping[str, Any] = field(default_factory=dict)
    """Estimators by name."""
    fits: Mapping[str, Sequence[Fit]] = field(default_factory=dict)
    """One per fold, by the name of the model; none where answers are not kept."""
    earlier: Sequence[Mapping[str, Any]] = ()
    """Records of earlier runs on rows of the same classes in the run folder, oldest first."""

    @cached_property
    def features(self) -> str | None:
        """A hash of the features, as runs are recorded with; None where they cannot be told from others."""
        try:
            return Hashes().of_features(self.data)
        except Indescribable:
            return None

    @cached_property
    def twins(self) -> Twins | None:
        """Test rows that equal training rows; None where no rows are equal."""
        return twins_of(self.data, self.folds)
