"""`PermutationTest`: where the real result lies among those of permuted classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.inference import Estimate
from tallymark.intervals import checked_level, interval
from tallymark.metrics import Asked
from tallymark.resampling.folds import Folds
from tallymark.validation.data.data_set import DataSet
from tallymark.validation.described import Described
from tallymark.validation.permutation.exchange import Among
from tallymark.validation.permutation.means import ahead, p_value
from tallymark.validation.permutation.plan import Permute
from tallymark.validation.permutation.stopping import Rule, Stopped, p_of, share_interval, stopped
from tallymark.validation.validating.summary import deviation

if TYPE_CHECKING:
    from tallymark.drawing import Document
    from tallymark.drawing.figure import Figure
    from tallymark.findings import Finding
    from tallymark.validation.page import PageWords

SCHEMA = "tallymark/permutation-test/1"
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True, eq=False)
class PermutationTest(Described):
    """A result with the real classes, and the results with permuted ones."""

    model: str
    data: DataSet
    asked: Asked
    folds: Folds
    value: float
    """With the real classes: the mean of the folds."""
    permuted: NDArray[np.float64]
    """The same of every permutation; NaN where it is undefined."""
    majority: Estimate
    """Of always answering the most frequent class of all rows."""
    permute: Permute
    """Whose classes are permuted: those of the training rows, or all."""
    among: Among
    """What changes places with what."""
    candidates: int | None
    """Combinations of parameters tried in every fit; None when nothing is tuned."""
    failed: int
    """Fits of permuted classes that raised an error."""
    level: float
    notes: tuple[str, ...] = ()
    pipeline: str = ""
    """The model in words."""
    rule: Rule | None = None
    """When drawing stops early; None where all permutations were to be drawn."""
    estimators: Mapping[str, Any] = field(default_factory=dict)
    """The models as they were given, for the findings."""

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What a careful reader of the protocol would point out, each with a code and the numbers."""
        from tallymark.validation.audit import audited
        from tallymark.validation.audit.protocol import Protocol

        return audited(Protocol(self.data, self.folds, (self.metric,), self.estimators))

    @property
    def library(self) -> str | None:  # type: ignore[override]
        """The data frame library the data came in, if they did."""
        return self.data.library

    @property
    def metric(self) -> str:
        return self.asked.name

    @property
    def better(self) -> str:
        """Whether "higher" or "lower" values are better."""
        return self.asked.metric.better

    @property
    def n_permutations(self) -> int:
        """How many were looked at."""
        return len(self.permuted)

    @cached_property
    def stopped(self) -> Stopped | None:
        """Where drawing stopped because the verdict was clear; None where all permutations were drawn."""
        if self.rule is None:
            return None
        return stopped(self.rule, self.n_permutations, self.at_least_as_good)

    @cached_property
    def _ahead(self) -> NDArray[np.float64]:
        return ahead(self.value, self.permuted, higher=self.better == "higher")

    @property
    def as_good(self) -> NDArray[np.bool_]:
        """Which permutations are at least as good as the real classes; undefined ones are taken to be."""
        return ~(self._ahead < 0)

    @property
    def at_least_as_good(self) -> int:
        """How many permutations are, the undefined ones among them."""
        return int(self.as_good.sum())

    @property
    def ties(self) -> int:
        """How many permutations are exactly as good."""
        return int((self._ahead == 0).sum())

    @property
    def undefined(self) -> int:
        """How many permutations have no value."""
        return int(np.isnan(self.permuted).sum())

    @property
    def place(self) -> float:
        """The share of permutations that the real classes are better than."""
        return 1 - self.at_least_as_good / self.n_permutations

    @cached_property
    def p_value(self) -> float:
        """(b + 1) / (m + 1): the real classes are one of the orders that chance could have given.

        Of a test that may stop early: the chance, without a relation, of an outcome at least as strong.
        """
        if self.rule is None:
            return p_value(self._ahead)
        return p_of(self.rule, self.n_permutations, self.at_least_as_good)

    @property
    def p_error(self) -> float | None:
        """The standard error of p for drawing some of the permutations instead of trying all.

        None for a test that may stop early: how many are drawn depends on p there, and no single number says
        how far it is off. The interval, `p_low` to `p_high`, knows of stopping.
        """
        if self.rule is not None:
            return None
        return sqrt(self.p_value * (1 - self.p_value) / self.n_permutations)

    @property
    def p_low(self) -> float:
        return self._p_ends[0]

    @property
    def p_high(self) -> float:
        return self._p_ends[1]

    @cached_property
    def _p_ends(self) -> tuple[float, float]:
        """Between which the share of all permutations that are at least as good lies (Clopper-Pearson)."""
        if self.rule is not None:
            return share_interval(self.rule, self.n_permutations, self.at_least_as_good, self.level)
        found = interval(
            self.at_least_as_good,
            self.n_permutations,
            method="clopper_pearson",
            confidence_level=self.level,
        )
        return found.low, found.high

    def interval(self, confidence_level: float) -> PermutationTest:
        """The same test at another confidence level."""
        return replace(self, level=checked_level(confidence_level))

    @cached_property
    def mean(self) -> float | None:
        """Of the permutations that have a value: what this model gets from classes that mean nothing."""
        return float(self._known.mean()) if len(self._known) else None

    @property
    def deviation(self) -> float | None:
        return deviation(self._known.tolist())

    def quantile(self, share: float) -> float | None:
        """The value below which that share of the permutations with a value lies."""
        return float(np.quantile(self._known, share)) if len(self._known) else None

    @cached_property
    def _known(self) -> NDArray[np.float64]:
        return self.permuted[~np.isnan(self.permuted)]

    @property
    def exact(self) -> bool:
        """Whether p keeps its promise for any model and any size, rather than roughly."""
        from tallymark.validation.permutation.words import is_exact

        return is_exact(self)

    @property
    def verdict(self) -> str:
        from tallymark.validation.permutation.words import verdict

        return verdict(self)

    def __repr__(self) -> str:
        return (
            f"PermutationTest({self.model}; {self.metric} {self.value:.3g}; "
            f"p = {self.p_value:.3g} of {self.n_permutations:,} permutations)"
        )

    def document(self) -> Document:
        """This test described for any pen."""
        from tallymark.validation.permutation.outputs.description import describe

        return describe(self)

    def to_dict(self) -> dict[str, Any]:
        """The JSON document as Python values."""
        from tallymark.validation.permutation.outputs.form import to_form

        return to_form(self)

    def columns(self) -> Mapping[str, Any]:
        """One row per permutation; the first, number 0, is of the real classes."""
        every = np.concatenate([[self.value], self.permuted])
        return {
            "permutation": np.arange(len(every)),
            "classes": ["real", *["permuted"] * self.n_permutations],
            self.metric: every,
            "at_least_as_good": [True, *self.as_good.tolist()],
        }

    def page_words(self) -> PageWords:
        from tallymark.validation.permutation.outputs.page import page_words

        return page_words(self)

    def figures(self) -> Mapping[str, Callable[[], Figure]]:
        from tallymark.validation.permutation.outputs.figure import permutations

        return {"permutations": lambda: permutations(self)}
