"""The worked examples by which the page's script is tested hold for tallymark itself."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tallymark as tm
from collected import each
from tallymark.drawing import number

VECTORS: dict[str, Any] = json.loads(Path(__file__).with_name("vectors.json").read_text("utf-8"))
CELLS = {"tp": ("yes", "yes"), "fn": ("yes", "no"), "fp": ("no", "yes"), "tn": ("no", "no")}


def of_counts(case: dict[str, Any]) -> tm.Evaluation:
    if "weights" in case:
        rows = [(*CELLS[cell], weight) for cell, each in case["weights"].items() for weight in each]
        actual, predicted, weight = zip(*rows, strict=True)
        ev = tm.evaluate(actual, predicted, sample_weight=weight, labels=["no", "yes"], pos_label="yes")
    else:
        counts = [[case["counts"][cell] for cell in row] for row in (("tp", "fn"), ("fp", "tn"))]
        ev = tm.Confusion(counts, labels=["yes", "no"]).evaluate(pos_label="yes")
    return ev if case["prior"] is None else ev.at_prevalence(case["prior"])


def of_curve(case: dict[str, Any], **more: Any) -> tuple[tm.Evaluation, np.ndarray]:
    """The evaluation of its rows, and its thresholds."""
    curve = case["curve"]
    first, *others = curve["steps"]
    score = np.cumsum([first, *(-step for step in others)]) / 10 ** curve["digits"]
    sides = [np.repeat(score, curve[side]) for side in ("positives", "negatives")]
    actual = np.repeat(["yes", "no"], [len(side) for side in sides])
    given = {"labels": ["yes", "no"], "pos_label": "yes", **more}
    ev = tm.evaluate(actual, y_score=np.concatenate(sides), **given)
    return (ev if case.get("prior") is None else ev.at_prevalence(case["prior"])), score


@each("case", VECTORS["rates"], ids=lambda case: case["name"])
def test_rates(case: dict[str, Any]) -> None:
    if not any(case["counts"].values()):
        assert all(expected["value"] is None for expected in case["expected"].values())
        return
    ev = of_counts(case)
    for name, expected in case["expected"].items():
        if name == "lift":
            continue
        found, ends = ev[name], (expected["low"], expected["high"])
        assert found.value == pytest.approx(expected["value"], abs=1e-12), name
        if expected["low"] is not None:
            assert (found.low, found.high) == pytest.approx(ends, abs=1e-12), name
        else:
            assert found.method in (None, "dirichlet"), name
    precision, share = ev["precision"].value, ev["prevalence"].value
    lift = precision / share if precision is not None and share else None
    assert lift == pytest.approx(case["expected"]["lift"]["value"], abs=1e-12)


@each("case", [*VECTORS["cheapest"], *VECTORS["region"]], ids=lambda case: case["name"])
def test_the_cheapest_threshold_and_reject_region(case: dict[str, Any]) -> None:
    ev, score = of_curve(case)
    decision = ev.decide(costs=case["costs"], reject_cost=case.get("reject_cost"))
    assert decision.cost == pytest.approx(case["total"], abs=1e-12)
    if "rejected" in case:
        lower, upper = decision.region or (decision.threshold, decision.threshold)
        assert [(score >= upper).sum(), (score >= lower).sum()] == case["expected"]
        assert decision.rejected * ev.rows == pytest.approx(case["rejected"], abs=1e-9)
    else:
        assert (score >= decision.threshold).sum() == case["expected"]


@each("case", VECTORS["best"], ids=lambda case: case["name"])
def test_the_threshold_with_the_best_f1(case: dict[str, Any]) -> None:
    ev, score = of_curve(case, threshold="best:f1")
    assert ev.threshold is not None
    assert (score >= ev.threshold).sum() == case["expected"]
    assert ev["f1"].value == pytest.approx(case["value"], abs=1e-12)


@each("case", VECTORS["reaching"], ids=lambda case: case["name"])
def test_the_highest_threshold_that_reaches_a_recall(case: dict[str, Any]) -> None:
    _, score = of_curve(case)
    recalls = [of_curve(case, threshold=at)[0]["recall"].value for at in (np.nextafter(score[0], 2), *score)]
    assert next(n for n, recall in enumerate(recalls) if recall >= case["value"] - 1e-12) == case["expected"]


@each("case", VECTORS["text"], ids=lambda case: case["expected"])
def test_numbers_as_text(case: dict[str, Any]) -> None:
    assert number(case["value"], case["digits"]) == case["expected"]
