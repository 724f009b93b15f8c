"""Numbers about calibration worked out, bin by bin."""

from __future__ import annotations

import numpy as np

from tallymark.explanation.facts import facts, general, meaning
from tallymark.explanation.spread import certified
from tallymark.explanation.steps import (
    Explanation,
    Steps,
    equation,
    goes_on,
    prose,
    remark,
    shown,
    worked_out,
)
from tallymark.inference.calibrated import Calibrated
from tallymark.metrics import Asked, formulas
from tallymark.metrics.calibration import Bins

_MOST_BINS = 20
"""More are not listed: nobody reads so many lines, and nobody adds up so many terms."""


def explain_calibrated(asked: Asked, found: Calibrated | str) -> Explanation:
    """How ECE or MCE come about; a string says why there are no probabilities."""
    estimate = None if isinstance(found, str) else found.of(asked)
    value = None if estimate is None else estimate.value
    why = found if isinstance(found, str) else None if estimate is None else estimate.why
    steps, spread = [*general(asked), prose(f"undefined: {why}")], []
    if estimate is not None and value is not None and not isinstance(found, str):
        steps = [*_steps(asked, found.curve(asked).bins, value), *certified(estimate)]
        spread = [prose(f"no interval: {estimate.note}")]
    return Explanation(asked.name, meaning(asked), facts(asked), tuple(steps), tuple(spread), value, why)


def _steps(asked: Asked, bins: Bins, value: float) -> Steps:
    metric, size = asked.metric, int(asked.parameters[0])
    word = "bin" if size == 1 else "bins"
    steps = [prose(f"{len(bins)} of {size} {word} of equal width have rows; each holds its upper edge")]
    if len(bins) > _MOST_BINS:
        return [
            *steps,
            remark(equation(metric.name, metric.formula), f"(over {len(bins):,} bins)"),
            goes_on(shown(value), formulas.latex(shown(value))),
        ]
    columns = (bins.above, bins.up_to, bins.count, bins.observed, bins.predicted)
    for number, (above, up_to, rows, observed, stated) in enumerate(zip(*columns, strict=True), 1):
        where = f"above {shown(above)} up to {shown(up_to)}" if above else f"from 0 up to {shown(up_to)}"
        gap = shown(abs(observed - stated))
        steps.append(
            prose(
                f"bin {number}, {where}: rows = {shown(rows)}, observed = {shown(observed)}, "
                f"stated = {shown(stated)}, apart by {gap}"
            )
        )
    lists = {"bin_k": bins.count, "observed_k": bins.observed, "stated_k": bins.predicted}
    numbers = {name: np.asarray(column).tolist() for name, column in lists.items()}
    n = np.asarray(bins.count).sum().item()
    return [*steps, *worked_out(metric.name, metric.formula, numbers | {"n": n}, value)]
