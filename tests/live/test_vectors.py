"""The numbers that a page works out live are those of tallymark itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tallymark as tm
from tallymark.curves import ExpectedCost
from tallymark.curves.shared import DUST
from tallymark.curves.threshold_curve import ThresholdCurve
from tallymark.decisions.reject import reject_region
from tallymark.drawing import number
from tallymark.inference import Ranking
from tallymark.intervals.proportions import z_quantile
from tallymark.tallies import Scores

VECTORS: dict[str, Any] = json.loads(Path(__file__).with_name("vectors.json").read_text("utf-8"))
CELLS = {"tp": ("yes", "yes"), "fn": ("yes", "no"), "fp": ("no", "yes"), "tn": ("no", "no")}


def named(kind: str) -> Any:
    return pytest.mark.parametrize("case", VECTORS[kind], ids=lambda case: case["name"])


def evaluated(case: dict[str, Any]) -> tm.Evaluation:
    if "weights" in case:
        rows = [(*CELLS[cell], weight) for cell, each in case["weights"].items() for weight in each]
        actual, predicted, weight = zip(*rows, strict=True)
        ev = tm.evaluate(actual, predicted, sample_weight=weight, labels=["no", "yes"], pos_label="yes")
    else:
        counts = [[case["counts"][cell] for cell in row] for row in (("tp", "fn"), ("fp", "tn"))]
        ev = tm.Confusion(counts, labels=["yes", "no"]).evaluate(pos_label="yes")
    return ev if case["prior"] is None else ev.at_prevalence(case["prior"])


def scores_of(curve: dict[str, Any], prior: float | None = None) -> Scores:
    first, *others = curve["steps"]
    whole = np.cumsum([first, *(-step for step in others)])
    counts = np.array(curve["positives"]), np.array(curve["negatives"])
    return Ranking(Scores(whole / 10 ** curve["digits"], *counts), share=prior).seen[0]


def test_the_quantile_of_the_normal() -> None:
    assert z_quantile(0.95) == pytest.approx(VECTORS["z"], abs=1e-12)


@named("rates")
def test_rates(case: dict[str, Any]) -> None:
    if not any(case["counts"].values()):
        assert all(expected["value"] is None for expected in case["expected"].values())
        return
    ev = evaluated(case)
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


@named("cheapest")
def test_cheapest(case: dict[str, Any]) -> None:
    curve = ExpectedCost(scores_of(case["curve"], case["prior"]), case["costs"])
    place = int(curve.cheapest()[0])
    assert place == case["expected"]
    assert curve.total[place] == pytest.approx(case["total"], abs=1e-12)


@named("region")
def test_region(case: dict[str, Any]) -> None:
    scores = scores_of(case["curve"], case["prior"])
    found = reject_region(scores, np.array(case["costs"], float), case["reject_cost"])
    assert [scores.called(found.upper), scores.called(found.lower)] == case["expected"]
    assert (found.cost, found.rejected) == pytest.approx((case["total"], case["rejected"]), abs=1e-12)


@named("best")
def test_best(case: dict[str, Any]) -> None:
    curve = ThresholdCurve(scores_of(case["curve"]), case["metric"])
    assert curve.best is not None
    assert curve.scores.called(curve.best.threshold) == case["expected"]
    assert curve.best.value == pytest.approx(case["value"], abs=1e-12)


@named("reaching")
def test_reaching(case: dict[str, Any]) -> None:
    scores = scores_of(case["curve"])
    recall = ThresholdCurve(scores, case["metric"]).value
    assert int(np.argmax(recall >= case["value"] - DUST)) == case["expected"]


@pytest.mark.parametrize("case", VECTORS["text"], ids=lambda case: case["expected"])
def test_text(case: dict[str, Any]) -> None:
    assert number(case["value"], case["digits"]) == case["expected"]


@named("decode")
def test_decode(case: dict[str, Any]) -> None:
    scores = scores_of(case["curve"])
    assert scores.score.tolist() == case["thresholds"]
    assert (scores.tp.tolist(), scores.fp.tolist()) == (case["tp"], case["fp"])
