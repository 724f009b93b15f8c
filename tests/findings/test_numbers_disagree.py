"""TM016 and TM017: the model that is better by one metric is worse by another."""

from functools import cache

import numpy as np
import pytest

import tallymark as tm

# The sources' pair: M1 is right on 400 of 500 rows and costs 3910, M2 on 450 and costs 4255.
M1 = tm.Confusion([[150, 40], [60, 250]], labels=["+", "-"])
M2 = tm.Confusion([[250, 45], [5, 200]], labels=["+", "-"])
COSTS = {"+": {"+": -1, "-": 100}, "-": {"+": 1}}
EVEN = {"+": {"-": 1}, "-": {"+": 1}}


def of_matrices(costs=COSTS, **options: object) -> tm.Comparison:
    return tm.compare({"M1": M1, "M2": M2}, pos_label="+", design="other rows", costs=costs, **options)


@cache
def comparisons() -> dict[str, tm.Comparison]:
    rng = np.random.default_rng(3)
    ten, even, many = np.repeat([0, 1], 5), np.repeat([0, 1], 50), np.repeat([0, 1], 200)
    # Right on 7 rows of 10 with 3 misses, against 6 with 4 false alarms: no test would find that.
    chance = {"a": np.array([0, 0, 0, 0, 0, 1, 1, 0, 0, 0]), "b": np.array([1, 1, 1, 1, 0, 1, 1, 1, 1, 1])}
    dear, cheap = np.where(np.arange(100) >= 94, 0, even), np.where(np.arange(100) < 20, 1, even)
    middle = np.where((np.arange(100) < 5) | (np.arange(100) >= 95), 1 - even, even)
    low = 0.1 + 0.3 * many + rng.uniform(0, 0.05, 400)  # perfect order, but every score is below 0.5
    answers = np.where(rng.random(400) < 0.9, many, 1 - many) * 0.6 + 0.2
    worse = np.where(rng.random(400) < 0.6, many, 1 - many) * 0.6 + 0.2
    both = {"ranks": low + 0.5, "answers": answers}  # and here every score is above 0.5
    y = np.repeat([0, 1], 400)
    # Right on 720 of 800 rows and on 600, but 80 missed at 50 each are dearer than 200 false alarms.
    errors = {"misses": np.where(np.arange(800) >= 720, 0, y), "alarms": np.where(np.arange(800) < 200, 1, y)}
    dear_misses, names = {0: {1: 1}, 1: {0: 50}}, ["accuracy", "mean_cost"]
    equal = {"a": np.array([0, 0, 1, 0]), "b": np.array([1, 1, 1, 1])}
    three = {"middle": middle, "cheap": cheap, "dear": dear}
    return {
        "the sources' pair": of_matrices(),
        "by mean cost": of_matrices(metric="mean_cost"),
        "by error rate": of_matrices(metric="error_rate"),
        "by the total": of_matrices(metric="total_cost", metrics=["error_rate"]),
        "all may be chance": tm.compare(chance, ten, costs={0: {1: 1}, 1: {0: 2}}),
        "models that agree": of_matrices(EVEN),
        "no costs": of_matrices(None),
        "equal costs": tm.compare(equal, np.array([0, 0, 1, 1]), costs={0: {1: 1}, 1: {0: 2}}),
        "three models": tm.compare(three, even, costs={0: {1: 1}, 1: {0: 10}}),
        "ranks and predictions": tm.compare({"ranks": low, "answers": answers}, y_true=many),
        "better throughout": tm.compare({"one": answers, "worse": worse}, y_true=many),
        "at a threshold nobody chose": tm.compare(both, y_true=many, metric="auc", metrics=["specificity"]),
        "costs alone": tm.compare(errors, y, costs=dear_misses, metrics=names),
        "costs and recall": tm.compare(errors, y, costs=dear_misses, metrics=[*names, "recall"]),
    }


def found(name: str, code: str) -> tm.Finding:
    (one,) = (each for each in comparisons()[name].findings if each.code == code)
    return one


def test_which_of_them_disagree(snapshot) -> None:
    codes = {
        name: [each.code for each in made.findings if each.code in ("TM016", "TM017")]
        for name, made in comparisons().items()
    }
    silent = ["all may be chance", "models that agree", "no costs", "equal costs", "better throughout"]
    assert [name for name in codes if not codes[name]] == silent
    by_cost = ["the sources' pair", "by mean cost", "by error rate", "by the total", "three models"]
    assert [name for name in codes if "TM016" in codes[name]] == [*by_cost, "costs alone", "costs and recall"]
    both = {
        name: "TM017" in codes[name] for name in ("ranks and predictions", "costs alone", "costs and recall")
    }
    assert all(both.values())
    chance = comparisons()["all may be chance"]
    assert (chance["accuracy"].ahead, chance["mean_cost"].ahead) == ("a", "b")
    assert comparisons()["equal costs"]["mean_cost"].value == 0
    assert comparisons()["better throughout"]["auc"].p_value < 0.05
    said = {
        name: "\n".join([made.verdict, *(f"{each.code}  {each.message}" for each in made.findings)])
        for name, made in comparisons().items()
    }
    snapshot("verdicts_that_disagree", said)


def test_numbers_of_the_disagreements() -> None:
    assert found("the sources' pair", "TM016").numbers == {
        "better": "M2",
        "cheaper": "M1",
        "accuracy": {"M2": pytest.approx(0.9), "M1": pytest.approx(0.8)},
        "mean_cost": {"M2": pytest.approx(4255 / 500), "M1": pytest.approx(3910 / 500)},
    }
    # 6 missed at 10 each, 20 false alarms at 1 each, and 5 of either.
    cheap = {"dear": pytest.approx(0.6), "cheap": pytest.approx(0.2)}
    assert found("three models", "TM016").numbers["mean_cost"] == cheap
    # One model ranks better, the other predicts better at the threshold both are cut at.
    better_by = found("ranks and predictions", "TM017").numbers["better_by"]
    assert ("accuracy" in better_by["answers"], "auc" in better_by["ranks"]) == (True, True)
    assert comparisons()["ranks and predictions"].winner == "answers"
    assert comparisons()["at a threshold nobody chose"].winner == "ranks"
