"""What every estimate promises, whatever the metric and the data: order, levels, JSON, text, reasons."""

import json
import math
import pickle
from collections.abc import Iterator
from dataclasses import FrozenInstanceError
from functools import cache
from typing import Any

import numpy as np
import pytest

import tallymark as tm
from shapes import binary, labels, probabilities, rows

COSTS = {0: {1: 1.0}, 1: {0: 4.0}}
OF_SCORES = ("partial_auc:0.2", "partial_auc_mcclish:0.2", "average_precision", "ks", "brier", "log_loss")
OF_CLASSES = ("f_beta:2", "weighted_accuracy:2,1,1,0", "mean_cost", "total_cost", "precision_weighted")
OF_SETS = (
    "mcc_micro", "lr_plus_macro", "no_information_rate_macro", "accuracy", "total_cost", "prevalence_macro",
)  # fmt: skip
DRAWN = ("dirichlet", "group_bootstrap")


@cache
def evaluations() -> dict[str, tm.Evaluation]:
    """One of every kind of rows."""
    chance = np.random.default_rng(3)
    actual = chance.random((200, 3)) < (0.5, 0.3, 0.1)
    sets = actual.astype(int), (actual ^ (chance.random((200, 3)) < 0.2)).astype(int)
    two, three = rows(), 1.0 - np.eye(3)
    many = tm.Confusion(24 * np.eye(30, dtype=int) + 6 * np.eye(30, k=1, dtype=int) + 1)
    bins = tm.Scores.from_bins([40, 30, 10], [10, 30, 60], edges=[1, 0.6, 0.3, 0], positive=1)
    weight, group = chance.choice([0.5, 2.0], 200), np.arange(200) // 5
    return {
        "scores": binary(),
        "scores, sampling weights": binary(sample_weight="w"),
        "scores, frequencies": binary(sample_weight="f", weight_kind="frequency"),
        "scores, groups": binary(groups="g"),
        "scores, groups and weights": binary(groups="g", sample_weight="w"),
        "scores, another prevalence": binary().at_prevalence(0.1),
        "scores, groups, another prevalence": binary(groups="g").at_prevalence(0.1),
        "predicted classes and costs": tm.evaluate(
            two["y"], two["y"] ^ (two["f"] == 3), costs=COSTS, labels=[0, 1]
        ),
        "three classes": tm.evaluate(rows(3)["y"], rows(3)["p"], costs=three, labels=[0, 1, 2]),
        "three classes, weights": labels(3, sample_weight="w"),
        "three classes, groups": labels(3, groups="g"),
        "three probabilities": probabilities(3),
        "three probabilities, weights": probabilities(3, sample_weight="w"),
        "three probabilities, groups": probabilities(3, groups="g"),
        "three probabilities, other shares": probabilities(3).at_prevalence({0: 0.2, 1: 0.3, 2: 0.5}),
        "label sets": tm.evaluate(*sets, labels=list("abc")),
        "label sets, weights": tm.evaluate(*sets, labels=list("abc"), sample_weight=weight),
        "label sets, groups": tm.evaluate(*sets, labels=list("abc"), groups=group),
        "bins of scores": bins.evaluate(),
        "bins cut at an edge": bins.evaluate(threshold=0.6),
        "30 classes": many.evaluate(),
    }


def estimates(ev: tm.Evaluation) -> Iterator[tuple[str, tm.Estimate]]:
    more = OF_SETS if ev.task == "multilabel" else (*OF_CLASSES, *OF_SCORES)
    for name in dict.fromkeys((*ev.metrics, *more)):
        yield name, ev[name]
    for label, each in ev.per_class.items():
        for name, estimate in each.items():
            yield f"{name} of {label}", estimate


def test_intervals_hold_their_value_and_widen_with_the_level() -> None:
    wrong, seen = [], 0
    for kind, ev in evaluations().items():
        for name, found in estimates(ev):
            case = f"{name} of {kind}"
            form = json.loads(json.dumps(found.to_dict(), allow_nan=False))
            if found.value is None:
                if form != {"value": None, "why": found.why} or not found.why:
                    wrong.append(f"{case}: undefined without a reason")
            elif found.assumption is None or ("groups" in kind) != found.assumption.startswith(
                "independent groups"
            ):
                wrong.append(f"{case}: assumes {found.assumption}")
            elif found.low is None or found.high is None:
                if not found.note or form["low"] is not None or form["method"] is not None:
                    wrong.append(f"{case}: no interval and no reason")
            else:
                seen += 1
                wide, narrow = found.interval(0.99), found.interval(0.5)
                if (
                    not wide.low
                    <= found.low
                    <= narrow.low
                    <= found.value
                    <= narrow.high
                    <= found.high
                    <= wide.high
                ):
                    wrong.append(f"{case}: out of order")
                if not (wide.low < narrow.low or wide.low == -math.inf) or found.high - found.low < 1e-3:
                    wrong.append(f"{case}: no width")
                keys = ["value", "low", "high", "level", "method", "n", "assumption"]
                if [*form][:7] != keys or [form[key] for key in keys[:3]] != [
                    found.value,
                    found.low,
                    found.high,
                ]:
                    wrong.append(f"{case}: JSON")
                if not type(found.value) is type(found.low) is type(found.high) is float:
                    wrong.append(f"{case}: not plain numbers")
    assert not wrong, wrong
    assert seen > 700


def test_estimates_as_text(snapshot: Any) -> None:
    """Every metric in words. Limits from draws are left out: how they are drawn may change."""

    def line(name: str, found: tm.Estimate) -> str:
        text = str(found)
        if found.method in DRAWN and found.low is not None:
            text = f"{found.value:.4g} ({found.method}, n = {found.n:.6g}, {found.assumption})"
        return f"{name}: {text}" + (f" ! {found.note}" if found.note and found.low is not None else "")

    snapshot(
        "estimates",
        {
            kind: "\n".join(line(name, found) for name, found in estimates(ev) if " of " not in name)
            for kind, ev in evaluations().items()
        },
    )


# --- the object ------------------------------------------------------------------------------


def at(level: float) -> tuple[float, float]:
    return 0.5 - level / 10, 0.5 + level / 10


def test_an_interval_is_made_on_first_need_and_can_be_asked_for_again() -> None:
    asked = []
    estimate = tm.Estimate(0.5, method="wilson", n=10, ends_at=lambda level: asked.append(level) or at(level))
    assert asked == []
    assert (estimate.low, estimate.high) == pytest.approx((0.405, 0.595))
    assert estimate.to_dict()["high"] == estimate.high
    assert asked == [0.95]
    wider = estimate.interval(np.float64(0.99))
    assert (wider.low, wider.high, wider.level) == (pytest.approx(0.401), pytest.approx(0.599), 0.99)
    assert (wider.value, wider.method, wider.n) == (0.5, "wilson", 10)
    assert (estimate.low, estimate.level) == (pytest.approx(0.405), 0.95)
    with pytest.raises(FrozenInstanceError):
        estimate.value = 0.6  # type: ignore[misc]
    for level in (0, 1, -0.5, 95, 101, math.nan, True, "0.95", None):
        with pytest.raises(tm.OptionError):
            estimate.interval(level)  # type: ignore[arg-type]


def test_estimates_in_words(snapshot: Any) -> None:
    found = tm.Estimate(0.87512, method="wilson", n=1600, ends_at=lambda level: (0.85, 0.9 * level / 0.95))
    none = tm.Confusion([[0, 0], [4, 40]]).evaluate(pos_label="class 1")["recall"]
    approximate = tm.Estimate(0.5, method="wilson", n=10, ends_at=at, bounds=(0.4, 0.5123))
    made = {
        "wilson": found, "99.9": found.interval(0.999), "90": found.interval(0.9), "undefined": none,
        "undefined at another level": none.interval(0.99), "no interval": tm.Estimate(0.5, remark="given"),
        "approximate": approximate,
        "approximate without interval": tm.Estimate(0.5, remark="it has none", bounds=(0.49999, 0.5000123)),
    }  # fmt: skip
    snapshot("estimate_text", {name: f"{each}\n{each!r}\n{each:.3f}" for name, each in made.items()})
    assert (found.interval(0.9).level, float(found)) == (0.9, 0.87512)
    assert (approximate.off_by, tm.Estimate(0.5).off_by) == ("0.10", "")
    assert none.value is none.low is none.high is None
    with pytest.raises(ValueError):  # noqa: PT011 - what Python's own float() raises
        float(none)


def test_pickled_estimates_keep_the_interval_they_have() -> None:
    for name in ("recall", "auc", "mcc", "log_loss"):
        found = binary()[name]
        back = pickle.loads(pickle.dumps(found))
        assert back.to_dict() == found.to_dict(), name
        assert back.interval(0.99).low is None
        assert back.interval(0.99).note
    assert "se" in binary()["auc"].to_dict()
    assert "se" not in tm.evaluate([1, 0], y_score=[1, 0])["auc"].to_dict()


def test_the_level_and_the_seed_of_an_evaluation() -> None:
    here = rows()
    for level, name in ((0.8, "recall"), (0.8, "mcc"), (0.99, "auc"), (0.8, "f1_macro"), (0.8, "brier")):
        asked = tm.evaluate(here["y"], y_score=here["s"], confidence_level=level)[name]
        again = binary()[name].interval(level)
        assert asked.level == level
        assert (asked.low, asked.high) == pytest.approx((again.low, again.high), abs=1e-12), name
    one, same, other = (
        tm.evaluate(here["y"], y_score=here["s"], random_state=seed)["mcc"] for seed in (3, 3, 4)
    )
    assert (one.low, one.high) == (same.low, same.high) != (other.low, other.high)
    assert one.low == pytest.approx(other.low, abs=0.01)
