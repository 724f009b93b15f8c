"""Metrics as plain functions of arrays or of a tally: `tm.recall(y_true, y_pred, pos_label=1)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from tallymark.errors import OptionError
from tallymark.evaluation import Evaluation, evaluate, evaluate_confusion
from tallymark.explanation import Explanation
from tallymark.explanation import explain as explain_asked
from tallymark.metrics import FROM_SCORES, METRICS, SCORE_METRICS, SET_METRICS, Metric, ask
from tallymark.tallies import Binary, Confusion, LabelSets, Scores

_COUNTED = (Binary, Confusion, LabelSets, Scores, Evaluation)


class MetricFunction(Protocol):
    """A metric: of a tally, or of actual labels and answers (or scores). None when it is undefined."""

    def __call__(self, data: Any, y_pred: Any = None, **options: Any) -> float | None: ...


def explain(name: str) -> Explanation:
    """What a metric is: its formula, when it is undefined, what it is biased towards."""
    return explain_asked(ask(name, general=True))


def _shortcut(metric: Metric) -> Callable[..., float | None]:
    def function(data: Any, y_pred: Any = None, **options: Any) -> float | None:
        average = options.pop("average", None)
        given = [options.pop(name, None) for name in metric.parameters]
        absent = [name for name, value in zip(metric.parameters, given, strict=True) if value is None]
        if absent:
            raise OptionError(f"{metric.name} needs {', '.join(absent)}.")
        stem = f"{metric.name}_{average}" if average else metric.name
        name = f"{stem}:{','.join(map(str, given))}" if given else stem
        counted = isinstance(data, _COUNTED)
        if metric.about in FROM_SCORES and y_pred is not None and not counted and "y_score" not in options:
            # As scikit-learn has it: what stands second is what the number is made of.
            y_pred, options = None, options | {"y_score": y_pred}
        return _evaluation(data, y_pred, options)[name].value

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
