"""tallymark itself, called as its users call it."""

from __future__ import annotations

from functools import partial
from typing import Any

import tallymark.tests as tests
from tallymark.conformance.case import Case
from tallymark.evaluation import Evaluation, evaluate
from tallymark.intervals import difference, interval
from tallymark.metrics import METRICS, SCORE_METRICS, SET_METRICS
from tallymark.shortcuts import cost_threshold
from tallymark.tallies import Confusion

_PARAMETERS = ("beta", "k", "max_fpr", "n_bins")
_AVERAGED = ("precision", "recall", "f1", "jaccard")


def _evaluation(case: Case) -> Evaluation:
    given = case.input
    options: dict[str, Any] = {"pos_label": given.get("positive"), "costs": given.get("costs")}
    if "matrix" in given:
        return Confusion(given["matrix"], labels=given["labels"]).evaluate(**options)
    options |= {key: given[key] for key in ("labels", "threshold") if key in given}
    options |= {"sample_weight": case.weights} if case.weights else {}
    if "actual_sets" in given:
        sides = ([set(row) for row in given[f"{side}_sets"]] for side in ("actual", "predicted"))
        return evaluate(*sides, labels=given["labels"])
    if "probabilities" in given:
        return evaluate(given["actual"], y_score=given["probabilities"], **options)
    if "score" in given:
        return evaluate(given["actual"], y_score=case.score, **options)
    return evaluate(given["actual"], given["predicted"], **options)


def _metric(case: Case) -> float | None:
    parameters = ",".join(f"{case.question[key]:g}" for key in _PARAMETERS if key in case.question)
    name = f"{case.vector.asked}:{parameters}" if parameters else case.vector.asked
    return _evaluation(case)[name].value


def _curve(case: Case) -> float:
    curve = getattr(_evaluation(case), case.question["curve"])
    return float(getattr(curve.at(share=case.question["share"]), case.question["give"]))


def _threshold(case: Case) -> float:
    return cost_threshold(case.input["costs"], labels=case.labels, pos_label=case.positive)


def _interval(case: Case) -> float:
    question = case.question
    found = interval(case.input["correct"], case.input["of"], method=question["interval"],
                     confidence_level=question["confidence_level"])  # fmt: skip
    return float(getattr(found, question["give"]))


def _difference(case: Case) -> float:
    question = case.question
    found = difference(case.input["first"], case.input["second"], method=question["difference"],
                       confidence_level=question["confidence_level"])  # fmt: skip
    return float(getattr(found, question["give"]))


def _test(name: str, case: Case) -> Any:
    parameters = {key: value for key, value in case.question.items() if key not in ("test", "give")}
    found = getattr(tests, name)(**case.input, **parameters)
    give = case.question["give"]
    return found[give] if isinstance(give, int) else getattr(found, give)


_TESTS = (
    "mcnemar",
    "cochran_q",
    "wilcoxon",
    "sign",
    "friedman",
    "nemenyi",
    "adjust",
    "paired_t",
    "corrected_t",
    "five_by_two",
)

CALLS = {
    **dict.fromkeys((*METRICS, *SET_METRICS, *SCORE_METRICS), _metric),
    **{f"{name}_{average}": _metric for name in _AVERAGED for average in ("macro", "micro", "weighted")},
    **{name: partial(_test, name) for name in _TESTS},
    "gains": _curve,
    "lift": _curve,
    "cost_threshold": _threshold,
    "interval": _interval,
    "difference": _difference,
}
