"""Decisions in words, JSON, tables and pictures, and what cannot be decided."""

import math

import numpy as np
import pytest

import tallymark as tm
from deciding import of_counts, sample, yes_or_no
from scored import binned, classes, picture, refusals

COST = [[-1.0, 5.0], [1.0, 0.0]]
ERRORS = [[0, 1], [1, 0]]
SCORE, POSITIVE = sample()
EV = yes_or_no(SCORE, POSITIVE, threshold=0.5)
WAYS = {
    "costs": {"costs": COST}, "rejecting": {"costs": COST, "reject_cost": 0.3},
    "recall kept": {"costs": COST, "minimum": {"recall": 0.95}},
    "recall kept by its limit": {"costs": COST, "minimum": {"recall": 0.8}, "on_lower_bound": True},
    "mcc kept": {"costs": COST, "minimum": {"mcc": 0.3}},
    "two bounds": {"minimum": {"recall": 0.5}, "maximum": {"share": 0.4}, "best": "recall"},
    "precision": {"best": "precision"}, "f1": {}, "costs that reward errors": {"costs": [[5, 0], [0, 1]]},
    "dear rejecting": {"costs": [[0, 1], [90, 0]], "reject_cost": 50},
    "a threshold given": {"costs": COST, "threshold": 0.3},
}  # fmt: skip


def decisions():
    found = {name: EV.decide(**options) for name, options in WAYS.items()}
    first, rest = (yes_or_no(SCORE[at], POSITIVE[at]) for at in (slice(0, 300), slice(300, 400)))
    group = np.argsort(np.argsort(SCORE + POSITIVE)) // 10
    worked = of_counts([0.9, 0.6, 0.2], [2, 1, 1], [0, 2, 5], threshold=0.9)
    tenth = of_counts([0.9, 0.8, 0.5, 0.1], [20, 10, 8, 2], [2, 4, 10, 24]).at_prevalence(0.1)
    here, there = of_counts([0.9, 0.1], [5, 5], [2, 8]), of_counts([0.9, 0.1], [9, 1], [2, 8])
    gain = of_counts([0.9, 0.5, 0.1], [5, 3, 0], [0, 1, 8])
    found |= {
        "chosen on other rows": first.decide(COST, choose_on=rest, minimum={"recall": 0.5}),
        "not kept here": here.decide(ERRORS, choose_on=there, minimum={"recall": 0.9}),
        "chosen on the same rows": EV.decide(COST, choose_on=yes_or_no(SCORE, POSITIVE)),
        "chosen on one row": there.decide(ERRORS, choose_on=of_counts([0.9], [1], [0])),
        "predictions given": yes_or_no(SCORE, POSITIVE, SCORE >= 0.6).decide(COST),
        "groups": yes_or_no(SCORE, POSITIVE, groups=group).decide(COST),
        "weights": yes_or_no(SCORE, POSITIVE, sample_weight=1 + np.arange(400) % 3 / 2).decide(COST),
        "another proportion": EV.at_prevalence(0.01).decide(COST),
        "another proportion, rejecting": tenth.decide(ERRORS, reject_cost=0.125),
        "worked by hand": worked.decide([[0, 6], [1, 0]]),
        "a gain": gain.decide([[-5, 5], [1, 0]]),
        "a gain by rejecting": gain.decide([[-5, 5], [2, -2]], reject_cost=-4),
        "one row": of_counts([0.9], [1], [0]).decide(ERRORS),
        "equally cheap": of_counts([0.9, 0.6, 0.2], [2, 0, 1], [0, 1, 0]).decide(ERRORS),
        "nothing is positive": of_counts([0.9, 0.1], [1, 1], [4, 1]).decide([[0, 1], [9, 0]]),
        "one class": of_counts([0.9, 0.1], [3, 2], [0, 0]).decide(ERRORS),
        "scores outside": yes_or_no(SCORE * 10, POSITIVE).decide(COST),
        "bins": binned([8, 1, 1], [1, 1, 8], [0.9, 0.6, 0.3, 0.0]).decide(ERRORS),
    }
    return found


def test_decisions_in_words(snapshot):
    made = decisions()
    said = {name: f"{decision!r}\n\n{decision}" for name, decision in made.items()}
    assert not [name for name, text in said.items() if "nan" in text or "None" in text]
    said |= {
        f"curve of {name}": str(made[name].curve) for name in ("worked by hand", "equally cheap", "bins")
    }
    snapshot("text_decisions", said)


def test_decisions_are_drawn(snapshot):
    import matplotlib.pyplot as plt

    called = SCORE >= 0.5
    precision = (called & POSITIVE).sum() / called.sum()
    made = decisions()
    names = ["rejecting", "recall kept by its limit", "two bounds", "precision", "chosen on other rows"]
    names += ["another proportion", "a gain by rejecting", "one class", "bins", "costs"]
    names += ["costs that reward errors"]
    drawn, said = {name: made[name] for name in names}, {}
    drawn["precision of predictions"] = yes_or_no(SCORE, POSITIVE, called).decide(best="precision")
    drawn |= {f"curve of {name}": made[name].curve for name in ("worked by hand", "equally cheap", "bins")}
    drawn["curve that is cheapest at infinity"] = made["nothing is positive"].curve
    for name, decision in drawn.items():
        axes = np.ravel(decision.plot())
        said[name] = "\n\n".join(map(picture, axes))
        plt.close(axes[0].figure)
    now = [line for line in said["precision of predictions"].splitlines() if "as is" in line]
    assert f"{precision:.3f}" in now[0]
    snapshot("pictures_decisions", said)


def test_every_point_of_the_line_of_equal_cost_costs_the_same():
    ev, wrong = of_counts([0.9, 0.5, 0.1], [6, 3, 1], [2, 4, 14]), []
    sloped = [[[0, 5], [1, 0]], [[-2, 3], [4, 1]], [[0, 1], [9, 0]], [[5, 0], [0, 1]]]
    for costs in (*sloped, [[0, 1], [0, 0]], [[0, 0], [1, 0]]):
        (hit, miss), (alarm, rest) = costs
        line = ev.decide(costs, threshold=0.5).plot()[1].get_lines()[1]
        x, y = (np.append(side, point) for side, point in zip(line.get_data(), (6 / 20, 9 / 10), strict=True))
        along = 10 * (hit * y + miss * (1 - y)) + 20 * (alarm * x + rest * (1 - x))
        on_edge = ((x[:2].round(9) % 1 == 0) | (y[:2].round(9) % 1 == 0)).all()
        if not on_edge or along != pytest.approx([along[0]] * 3):
            wrong.append((costs, x, y))
    assert not wrong
    one, none = (ev.decide(each, threshold=0.5).plot()[1].get_lines() for each in (ERRORS, [[1, 1]] * 2))
    assert len(none) == len(one) - 1


def test_what_cannot_be_decided(snapshot):
    # At 0.9: 6 of 8 positive; at 0.5: 9 of 15; at 0.1: 10 of 30.
    thirty = of_counts([0.9, 0.5, 0.1], [6, 3, 1], [2, 4, 14])
    asked = [
        *({"costs": COST, "best": "f1"}, {"reject_cost": 1}),
        *(
            {"costs": COST, "reject_cost": 1, "minimum": {"recall": 0.9}},
            {"costs": COST, "reject_cost": True},
        ),
        *({"minimum": 0.9}, {"maximum": [("share", 0.1)]}, {"best": "prevalence"}),
        *({"minimum": {"precision": 0.8}}, {"minimum": {"recall": 0.9, "precision": 0.7}}),
        *({"minimum": {"recall": 0.8}, "maximum": {"share": 0.4}}, {"maximum": {"error_rate": 0.1}}),
        *({"maximum": {"share": 0.1, "fnr": 0.99}}, {"minimum": {"precision": 0.7500000001}}),
        # Wilson's lower limit of 10 of 10 is 10 / (10 + 1.96**2) = 0.722.
        {"minimum": {"recall": 0.8}, "on_lower_bound": True},
        {"minimum": {"mcc": 0.5}, "on_lower_bound": True},
        *({"minimum": {"recall": bound}} for bound in (90, "high", True, math.nan)),
        {"minimum": {"lr_plus": -1}},
    ]
    calls = {str(options): lambda options=options: thirty.decide(**options) for options in asked}
    names = ("auc", "recall_macro", "recal")
    unknown = {name: lambda name=name: thirty.decide(minimum={name: 0.5}) for name in names}
    refused, metrics = refusals(calls), refusals(unknown)
    assert set(classes(refused).values()) == {"OptionError"}
    assert set(classes(metrics).values()) == {"MetricError"}
    useless = ([[1, 1], [2, 2]], [[5, 0], [0, 1]])
    costs = refusals({str(each): lambda each=each: tm.cost_threshold(each) for each in useless})
    assert set(classes(costs).values()) == {"CostError"}
    assert thirty.decide(minimum={"recall": 0.72}, on_lower_bound=True).threshold == 0.1
    snapshot("errors_decisions", refused | metrics | costs)
