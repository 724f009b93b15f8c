"""The differences of two models' losses, row by row: their mean, and Student's interval of it.

An interval put together from those of either model was eight times as wide where the models were nearly the
same, and Student's covered 0.93 and more at 30 rows: benchmarks/coverage_paired_ranking.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

import numpy as np

from tallymark.inference.estimate import Estimate, undefined
from tallymark.inference.losses import CARRIERS, Losses
from tallymark.inference.paired_scores.gap import SAME, Gap
from tallymark.inference.paired_scores.ranked import Floats, Rows
from tallymark.inference.paired_scores.spread import RowSpread, of_means
from tallymark.inference.sample import ONE_GROUP
from tallymark.metrics import Asked

SAME_GAP = "the losses of all {} differ by the same amount, which shows no spread"
ONE_ROW = "one row shows no spread"
FEW = "few {} (about {:.2g}) make up most of the difference, so the interval may be too short"


class LossesOfRows(Protocol):
    """The losses of every row under both models: the logarithmic ones or Brier's."""

    def __call__(self, *, logarithmic: bool) -> tuple[Floats, Floats]: ...


def paired_losses(
    asked: Asked, rows: Rows, models: tuple[Losses, Losses], names: tuple[str, str], losses: LossesOfRows
) -> tuple[Estimate, Gap | None]:
    """The difference of a mean loss, a - b, and what a test of it needs."""

    def spread() -> RowSpread | None:
        of_a, of_b = losses(logarithmic=asked.metric.name == "log_loss")
        return None if np.array_equal(of_a, of_b) else of_means(rows, _scale(asked, models) * (of_a - of_b))

    return mean_losses(asked, models, names, spread, groups=None if rows.group is None else rows.group[0])


def mean_losses(
    asked: Asked,
    models: tuple[Losses, Losses],
    names: tuple[str, str],
    spread_of_rows: Callable[[], RowSpread | None],
    groups: int | None = None,
) -> tuple[Estimate, Gap | None]:
    """The same from how far the differences of rows spread, which is None where no row has any."""
    a, b = (model.of(asked) for model in models)
    lacking = named_reason((a, b), names)
    if lacking is not None:
        return undefined(lacking, models[0].level), None
    value = float(a) - float(b)
    made = Estimate(value, models[0].level, assumption=models[0].assumption, n=models[0].n)
    if groups is not None and groups < 2:
        return replace(made, n=None, remark=ONE_GROUP), None
    spread = spread_of_rows()
    if spread is None:
        gap = Gap(0.0, 0.0, same=True, method="paired_t", remark=SAME.format("lose as much in every row"))
        return gap.estimate(replace(made, value=0.0)), gap
    units = "rows" if groups is None else "groups"
    method = "paired_t" if groups is None else "paired_t_groups"
    widest = math.inf if asked.metric.name == "log_loss" else _most(models) * _scale(asked, models)
    gap = Gap(value, spread.variance, spread.freedom, method=method, widest=widest)
    if not gap.seen:
        said = ONE_ROW if math.isnan(spread.variance) else SAME_GAP.format(units)
        return replace(made, n=None, remark=said), None
    if spread.carriers < CARRIERS:
        gap = replace(gap, remark=FEW.format(units, spread.carriers))
    return gap.estimate(made), gap


def named_reason(estimates: tuple[Estimate, Estimate], names: tuple[str, str]) -> str | None:
    """Why a difference is undefined, with the model it is about; None when it is defined."""
    reasons = [each.why for each in estimates]
    if reasons[0] == reasons[1]:
        return reasons[0]
    return "; ".join(f"{name}: {why}" for name, why in zip(names, reasons, strict=True) if why)


def _scale(asked: Asked, models: tuple[Losses, Losses]) -> float:
    return 1 / _most(models) if asked.metric.name == "brier_half" else 1.0


def _most(models: tuple[Losses, Losses]) -> int:
    """The largest Brier loss a row can have."""
    assert not isinstance(models[0].sums, str)
    return models[0].sums.most
