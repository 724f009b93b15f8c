"""Numbers about rows with several labels: means over the rows of how well two label sets agree.

Each function gives one value per kind of row; the registered metric is their mean over the rows, so it
can be called with `LabelSets`, or with `SetSizes` whose counts are draws.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.metrics.registry import Better, IntervalKind, Metric, metric, ratio
from tallymark.tallies import LabelSets, SetSizes

RowValues = Callable[[SetSizes, float], NDArray[np.float64]]
ROW_VALUES: dict[str, RowValues] = {}
"""Of each metric, the value of every kind of row; the second argument is what two empty sets score."""

_SHARES = ("accuracy_example", "precision_example", "recall_example", "f1_example")
NO_ROWS = {"n": "there are no rows"}
GODBOLE = "Godbole & Sarawagi 2004, PAKDD; Tsoumakas & Katakis 2007"


def row_mean(
    *,
    formula: str,
    reference: str,
    undefined: dict[str, str] = NO_ROWS,
    better: Better = "higher",
    interval: IntervalKind = "wilson_mean",
) -> Callable[[RowValues], Metric]:
    """Register the mean over the rows of a function of their set sizes; k runs over the rows."""

    def register(values: RowValues) -> Metric:
        def mean(tally: Any, empty_sets: float = 1.0) -> Any:
            sizes = getattr(tally, "set_sizes", tally)
            of_rows = values(sizes, empty_sets)
            # Added up in the same way above and below, so that fractions of rows that are all 1 give 1.
            return ratio(sizes.counts @ of_rows, sizes.counts @ np.ones(len(of_rows)))

        mean.__name__, mean.__doc__ = values.__name__, values.__doc__
        ROW_VALUES[values.__name__] = values
        facts = metric(
            formula=formula,
            undefined=undefined,
            better=better,
            about="sets",
            interval=interval,
            reference=reference,
        )
        return facts(mean)

    return register


def _share(top: NDArray[Any], bottom: NDArray[Any], sizes: SetSizes, empty_sets: float) -> NDArray[Any]:
    """top / bottom of every kind of row; without a bottom 0, and two empty sets score as agreed."""
    shares = np.divide(top, bottom, out=np.zeros(len(bottom)), where=bottom > 0)
    return np.where(sizes.either == 0, empty_sets, shares)


@row_mean(
    formula="sum(equal_k) / n",
    interval="wilson",
    reference="Zhu et al. 2005, SIGIR",
)
def subset_accuracy(sizes: SetSizes, _: float) -> NDArray[Any]:
    """Share of the rows whose predicted set is exactly the true one; two empty sets are equal."""
    return np.asarray(sizes.both == sizes.either, float)


@row_mean(
    formula="sum((either_k - both_k) / K) / n",
    better="lower",
    undefined=NO_ROWS | {"K": "there are no labels"},
    reference="Schapire & Singer 2000, Machine Learning 39",
)
def hamming_loss(sizes: SetSizes, _: float) -> NDArray[Any]:
    """Share of all yes-or-no answers, one per row and label, that are wrong."""
    return np.asarray(ratio(sizes.either - sizes.both, np.full(len(sizes.both), sizes.labels)))


@row_mean(formula="sum(both_k / either_k) / n", reference=GODBOLE)
def accuracy_example(sizes: SetSizes, empty_sets: float) -> NDArray[Any]:
    """Mean over the rows of |Y & Z| / |Y | Z|, the labels in both sets among those in either (Jaccard)."""
    return _share(sizes.both, sizes.either, sizes, empty_sets)


@row_mean(formula="sum(both_k / called_k) / n", reference=GODBOLE)
def precision_example(sizes: SetSizes, empty_sets: float) -> NDArray[Any]:
    """Mean over the rows of |Y & Z| / |Z|: how much of a predicted set is true; 0 if only it is empty."""
    return _share(sizes.both, sizes.predicted, sizes, empty_sets)


@row_mean(formula="sum(both_k / true_k) / n", reference=GODBOLE)
def recall_example(sizes: SetSizes, empty_sets: float) -> NDArray[Any]:
    """Mean over the rows of |Y & Z| / |Y|: how much of a true set was predicted; 0 if only it is empty."""
    return _share(sizes.both, sizes.actual, sizes, empty_sets)


@row_mean(formula="sum(2 * both_k / (true_k + called_k)) / n", reference=GODBOLE)
def f1_example(sizes: SetSizes, empty_sets: float) -> NDArray[Any]:
    """Mean over the rows of 2 |Y & Z| / (|Y| + |Z|)."""
    return _share(2 * sizes.both, sizes.actual + sizes.predicted, sizes, empty_sets)


def conventions(tally: LabelSets, name: str, empty_sets: float = 1.0) -> list[str]:
    """How rows score for which the formula has no value, when there are such rows, and how many."""
    sizes = tally.set_sizes
    empty = sizes.either == 0
    cases = {
        f"two empty sets score {empty_sets:g}": empty & (name in _SHARES),
        "nothing predicted scores 0": (sizes.predicted == 0) & ~empty & (name == "precision_example"),
        "nothing true scores 0": (sizes.actual == 0) & ~empty & (name == "recall_example"),
    }
    weight, of_rows = ("", " rows") if tally.squares is None else ("weight ", "")
    return [
        f"{words} ({weight}{sizes.counts[rows].sum().item():,.6g} of {tally.n:,.6g}{of_rows})"
        for words, rows in cases.items()
        if rows.any()
    ]
