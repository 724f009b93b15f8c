"""Metrics as plain functions of arrays or of a tally: `tm.recall(y_true, y_pred, pos_label=1)`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from tallymark.decisions import cost_threshold as closed_threshold
from tallymark.errors import LabelError, OptionError
from tallymark.evaluation import Evaluation, evaluate, evaluate_confusion
from tallymark.evaluation.counted import positive_of
from tallymark.explanation import Explanation
from tallymark.explanation import explain as explain_asked
from tallymark.intake.answers import unnamed_positive
from tallymark.intake.costs import CostsGiven, labels_in, read_costs
from tallymark.metrics import FROM_SCORES, METRICS, SCORE_METRICS, SET_METRICS, Metric, ask
from tallymark.metrics.calibration import Strategy
from tallymark.tallies import Binary, Confusion, Label, LabelSets, Scores

_COUNTED = (Binary, Confusion, LabelSets, Scores, Evaluation)


class MetricFunction(Protocol):
    """A metric: of a tally, or of actual labels and answers (or scores). None when it is undefined."""

    def __call__(self, data: Any, y_pred: Any = None, **options: Any) -> float | None: ...


def cost_threshold(
    costs: CostsGiven, *, labels: Sequence[Label] | None = None, pos_label: object = None
) -> float:
    """The threshold that is cheapest for calibrated probabilities (Elkan 2001).

    A bare matrix is [[TP, FN], [FP, TN]], or in the order of `labels`; costs may also name their labels,
    `{"yes": {"no": 9}, "no": {"yes": 1}}`, or be a file. 0 when it is cheapest to call every row positive,
    infinite when it is cheapest to call none.

    >>> cost_threshold([[0, 9], [1, 0]])
    0.1
    """
    named: Sequence[Label] | None = labels_in(costs) if labels is None else labels
    if named is None and pos_label is not None:
        raise OptionError(
            "a bare matrix has the positive class first, so there is nothing for pos_label to name.",
            hint="pass labels= in the order of the matrix, or name the labels in the costs.",
        )
    order = ("positive", "negative") if named is None else tuple(named)
    if len(order) != 2:
        raise LabelError(f"a threshold tells two classes apart; the costs are of {len(order)}.")
    positive = order[0] if named is None else positive_of(order, pos_label)
    if positive is None:
        raise unnamed_positive(order, "a threshold needs")
    table = read_costs(costs, labels=order, order_stated=True)
    first = order.index(positive)
    at = [first, 1 - first]
    return closed_threshold(np.array(table.matrix, float)[np.ix_(at, at)])


def explain(name: str) -> Explanation:
    """What a metric is: its formula, when it is undefined, what it is biased towards."""
    return explain_asked(ask(name, general=True))


def _shortcut(metric: Metric) -> Callable[..., float | None]:
    def function(data: Any, y_pred: Any = None, **options: Any) -> float | None:
        average = options.pop("average", None)
        strategy: Strategy = "width"
        if metric.about == "calibration":
            strategy = options.pop("strategy", strategy)
        given = [options.pop(name, None) for name in metric.parameters]
        absent = [name for name, value in zip(metric.parameters, given, strict=True) if value is None]
        if absent and not metric.defaults:
            raise OptionError(f"{metric.name} needs {', '.join(absent)}.")
        stem = f"{metric.name}_{average}" if average else metric.name
        name = f"{stem}:{','.join(map(str, given))}" if given and not absent else stem
        counted = isinstance(data, _COUNTED)
        if metric.about in FROM_SCORES and y_pred is not None and not counted and "y_score" not in options:
            # As scikit-learn has it: what stands second is what the number is made of.
            y_pred, options = None, options | {"y_score": y_pred}
        ev = _evaluation(data, y_pred, options)
        value = ev[name].value
        if strategy == "width" or value is None:
            return value
        # The names of metrics say how many bins there are, not of what kind.
        curve = ev.calibration_as(int(ask(name).parameters[0]), strategy)
        return curve.ece if metric.name == "ece" else curve.mce

    function.__name__ = function.__qualname__ = metric.name
    function.__doc__ = f"{metric.meaning}\n\n{metric.name} = {metric.formula}"
    return function


def _evaluation(data: Any, y_pred: Any, options: dict[str, Any]) -> Evaluation:
    if isinstance(data, _COUNTED) and y_pred is not None:
        raise OptionError("the answers are counted already; pass no others.")
    if isinstance(data, Evaluation):
        if options:
            raise OptionError(f"an evaluation is made already; {', '.join(options)} cannot change it.")
        return data
    if isinstance(data, Binary):
        positive = "positive" if data.positive is None else str(data.positive)
        matrix = [[data.tp, data.fn], [data.fp, data.tn]]
        return evaluate_confusion(Confusion(matrix, labels=[positive, f"not {positive}"]), **options)
    if isinstance(data, Confusion | LabelSets | Scores):
        return data.evaluate(**options)
    return evaluate(data, y_pred, **options)


def __getattr__(name: str) -> Callable[..., float | None]:
    metric = METRICS.get(name) or SET_METRICS.get(name) or SCORE_METRICS.get(name)
    if metric is None:
        raise AttributeError(name)
    # Kept, so that the same name is the same function, as a pickle expects.
    globals()[name] = _shortcut(metric)
    function: Callable[..., float | None] = globals()[name]
    return function
