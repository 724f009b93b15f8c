"""One question to `plan`, with everything that is needed to answer it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tallymark.errors import OptionError
from tallymark.intervals import checked_level
from tallymark.metrics import Metric
from tallymark.planning import checks
from tallymark.planning.power import Models
from tallymark.planning.sampling import WORDS, Sampling


@dataclass(frozen=True)
class Request:
    """Arguments that have passed the checks."""

    question: checks.Question
    metric: Metric
    level: float
    power: float
    half_width: float
    """The one asked for; 0 when another question is asked."""
    difference: float | None
    rows: int
    """Those there are; 0 when they are what is asked for."""
    expected: float | None
    models: Models
    sampling: Sampling

    @property
    def at(self) -> float:
        """The value the interval is planned for; at 0.5 it is widest."""
        return 0.5 if self.expected is None else self.expected

    @property
    def can_pair(self) -> bool:
        """Two models count the same rows, unless these are the rows that each predicted to be something."""
        return not self.sampling.counts.startswith("predicted")

    def values(self, difference: float) -> tuple[float, float] | None:
        """The values of two models that far apart; None when only their disagreement matters."""
        if self.expected is None and self.models.disagreement is not None:
            return None
        first, second = self.models.shares(difference)
        return (1 - first, 1 - second) if self.metric.better == "lower" else (first, second)


def checked_request(given: dict[str, Any]) -> Request:
    """The arguments of `plan`, by name, checked."""
    question = checks.checked_question(given["half_width"], given["difference"], given["rows"])
    _refuse_idle(question, given)
    level = checked_level(given["confidence_level"])
    metric = checks.checked_metric(given["metric"])
    if checks.is_evaluation(given["rows"]):
        given = checks.figures_of(given["rows"], metric, given)
    expected = None if given["expected"] is None else checks.checked_share("expected", given["expected"])
    sampling = checks.checked_sampling(metric, given)
    models = _models(metric, sampling, expected, given)
    difference = given["difference"]
    if difference is None:
        checks.check_disagreement(models)
    # Where no power is asked for, a low confidence level must not be held against the usual one.
    powered = question == "difference" or (question == "rows" and difference is None)
    return Request(
        question=question,
        metric=metric,
        level=level,
        power=checks.checked_power(given["power"], level) if powered else checks.USUAL_POWER,
        half_width=checks.checked_half_width(given["half_width"]) if question == "half_width" else 0.0,
        difference=None if difference is None else checks.checked_difference(difference, models),
        rows=checks.checked_rows(given["rows"]) if question == "rows" else 0,
        expected=expected,
        models=models,
        sampling=sampling,
    )


def _refuse_idle(question: checks.Question, given: dict[str, Any]) -> None:
    if question == "half_width":
        names = ("power", "paired", "disagreement")
        checks.refuse_idle({name: given[name] for name in names}, "on the width of an interval")
    if question == "rows" and given["difference"] is not None:
        checks.refuse_idle({"power": given["power"]}, "beside rows and difference, whose power is the answer")


def _models(metric: Metric, sampling: Sampling, expected: float | None, given: dict[str, Any]) -> Models:
    apart = given["disagreement"]
    if not isinstance(given["paired"], bool):
        raise OptionError(f"paired is True or False; got {given['paired']!r}.")
    paired = given["paired"] or apart is not None
    if paired and sampling.counts.startswith("predicted"):
        raise OptionError(
            f"{metric.name} cannot be planned for on the same rows: each model has {WORDS[sampling.counts]} "
            "of its own, so they are not pairs.",
            hint="leave out paired and disagreement, or plan for recall, specificity or accuracy.",
        )
    # What is said of shares that are right holds for shares that are wrong, seen from the other side.
    right = 1 - expected if expected is not None and metric.better == "lower" else expected
    return Models(right, paired, None if apart is None else checks.checked_share("disagreement", apart))
