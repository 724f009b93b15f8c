"""`log_to_mlflow`: an evaluation, or a comparison, in a run of MLflow's."""

from __future__ import annotations

import re
from contextlib import nullcontext
from typing import Any

from tallymark.comparison import Comparison
from tallymark.drawing.html import page
from tallymark.errors import MissingExtraError, OptionError
from tallymark.evaluation import Evaluation
from tallymark.integrations.metrics_file import metrics_dict

# What MLflow has allowed in the name of a metric in all of its versions.
_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9_\-. /]")


def log_to_mlflow(result: Evaluation | Comparison, *, prefix: str = "", artifacts: bool = True) -> str:
    """Log every number that is defined to the active run, or to one of its own; returns the id of the run.

    `recall` has its interval beside it as `recall_low` and `recall_high`. Rows, labels, positive class,
    threshold and level are tags, `tallymark.rows` and so on. With `artifacts` the JSON document and the
    report are there as files, `evaluation.json` and `report.html`. A `prefix`, such as `"test_"`, stands
    before all names, so that one run can hold several. Of a comparison there are the two files alone.
    """
    if not isinstance(result, Evaluation | Comparison):
        raise OptionError(f"an evaluation or a comparison can be logged; got {type(result).__name__}.")
    try:
        import mlflow
    except ModuleNotFoundError:
        raise MissingExtraError("MLflow is not installed.", hint="pip install mlflow") from None
    numbers = _numbers(result, prefix) if isinstance(result, Evaluation) else {}
    stem = "evaluation" if isinstance(result, Evaluation) else "comparison"
    active = mlflow.active_run()
    with mlflow.start_run() if active is None else nullcontext(active) as run:
        if isinstance(result, Evaluation):
            mlflow.set_tags(_tags(result, prefix))
            mlflow.log_metrics(numbers)
        if artifacts:
            mlflow.log_text(result.to_json(), f"{prefix}{stem}.json")
            mlflow.log_text(page(result.report()), f"{prefix}report.html")
        return str(run.info.run_id)


def _numbers(ev: Evaluation, prefix: str) -> dict[str, float]:
    """All of them under names that MLflow takes."""
    found: dict[str, float] = {}
    for name, numbers in metrics_dict(ev).items():
        for end, value in numbers.items():
            full = f"{prefix}{name}" if end == "value" else f"{prefix}{name}_{end}"
            found[_NOT_ALLOWED.sub("_", full)] = value
    return found


def _tags(ev: Evaluation, prefix: str) -> dict[str, Any]:
    """What the numbers are of. Tags and not parameters, which MLflow lets nobody log twice."""
    known = {
        "task": ev.task,
        "rows": f"{ev.rows:g}" if ev.rows != int(ev.rows) else int(ev.rows),
        "positive": ev.positive,
        "threshold": ev.threshold,
        "confidence_level": ev.level,
    }
    return {f"tallymark.{prefix}{name}": value for name, value in known.items() if value is not None}
