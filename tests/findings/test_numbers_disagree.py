"""TM016 and TM017: the model that is better by one number is worse by another."""

from __future__ import annotations

import numpy as np
import pytest

import tallymark as tm

# The sources' pair: M1 is right on 400 of 500 rows and costs 3910, M2 on 450 and costs 4255.
M1 = tm.Confusion([[150, 40], [60, 250]], labels=["+", "-"])
M2 = tm.Confusion([[250, 45], [5, 200]], labels=["+", "-"])
COSTS = {"+": {"+": -1, "-": 100}, "-": {"+": 1}}


def compared(**options: object) -> tm.Comparison:
    return tm.compare({"M1": M1, "M2": M2}, pos_label="+", design="other rows", costs=COSTS, **options)


def test_the_sources_pair() -> None:
    (found,) = (each for each in compared().findings if each.code == "TM016")
    assert found.message == (
        "cost and accuracy disagree: 'M2' has the better accuracy (0.900 against 0.800), but 'M1' is cheaper "
        "(mean_cost 7.820 against 8.510). The difference in mean_cost may be chance (p = 0.693). Judge by "
        "what errors cost, if the costs are right."
    )
    assert found.numbers == {
        "better": "M2",
        "cheaper": "M1",
        "accuracy": {"M2": pytest.approx(0.9), "M1": pytest.approx(0.8)},
        "mean_cost": {"M2": pytest.approx(4255 / 500), "M1": pytest.approx(3910 / 500)},
    }


def test_the_verdict_says_so_in_a_sentence_of_its_own() -> None:
    for metric in (None, "mean_cost", "error_rate"):
        comparison = compared() if metric is None else compared(metric=metric)
        said = comparison.verdict.partition("Cost and accuracy disagree: ")[2]
        better = "accuracy, 0.900 against 0.800"
        assert said.startswith(f"'M2' has the better {better} (p = ")
        assert "but 'M1' the lower mean_cost, 7.820 against 8.510 (p = " in said


def test_the_total_and_the_error_rate_will_do() -> None:
    found = compared(metric="total_cost", metrics=["error_rate"])
    assert "'M2' has the better error_rate, 0.100 against 0.200" in found.verdict
    assert "'M1' the lower total_cost, 3,910 against 4,255" in found.verdict


def test_what_may_all_be_chance_is_no_disagreement() -> None:
    """'a' is right on 7 rows and misses 3, 'b' on 6 and has 4 false alarms: no test would find that."""
    y = np.repeat([0, 1], 5)
    a, b = np.array([0, 0, 0, 0, 0, 1, 1, 0, 0, 0]), np.array([1, 1, 1, 1, 0, 1, 1, 1, 1, 1])
    found = tm.compare({"a": a, "b": b}, y, costs={0: {1: 1}, 1: {0: 2}})
    assert (found["accuracy"].ahead, found["mean_cost"].ahead) == ("a", "b")
    assert "TM016" not in {each.code for each in found.findings}
    assert "disagree" not in found.verdict


def test_models_that_agree_are_not_pointed_out() -> None:
    even = {"+": {"-": 1}, "-": {"+": 1}}
    found = tm.compare({"M1": M1, "M2": M2}, pos_label="+", design="other rows", costs=even)
    assert "TM016" not in {each.code for each in found.findings}
    assert "disagree" not in found.verdict
    without = tm.compare({"M1": M1, "M2": M2}, pos_label="+", design="other rows")
    assert without.findings == ()


def test_equal_costs_are_no_disagreement() -> None:
    y = np.array([0, 0, 1, 1])
    a, b = np.array([0, 0, 1, 0]), np.array([1, 1, 1, 1])
    found = tm.compare({"a": a, "b": b}, y, costs={0: {1: 1}, 1: {0: 2}})
    assert found["mean_cost"].value == 0
    assert found.findings == ()


def test_of_three_models_the_best_and_the_cheapest_are_named() -> None:
    y = np.repeat([0, 1], 50)
    dear = np.where(np.arange(100) >= 94, 0, y)
    cheap = np.where(np.arange(100) < 20, 1, y)
    middle = np.where((np.arange(100) < 5) | (np.arange(100) >= 95), 1 - y, y)
    found = tm.compare({"middle": middle, "cheap": cheap, "dear": dear}, y, costs={0: {1: 1}, 1: {0: 10}})
    (finding,) = (each for each in found.findings if each.code == "TM016")
    # 6 missed at 10 each, 20 false alarms at 1 each, and 5 of either.
    assert finding.numbers["mean_cost"] == {"dear": pytest.approx(0.6), "cheap": pytest.approx(0.2)}
    assert "'dear' has the better accuracy, 0.940 against 0.800" in found.verdict


def test_numbers_that_prefer_different_models() -> None:
    """TM017: one model ranks better, the other answers better at the threshold both are cut at."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 200)
    ranks = 0.1 + 0.3 * y + rng.uniform(0, 0.05, 400)  # perfect order, but every score is below 0.5
    answers = np.where(rng.random(400) < 0.9, y, 1 - y) * 0.6 + 0.2
    compared = tm.compare({"ranks": ranks, "answers": answers}, y_true=y)
    found = next(finding for finding in compared.findings if finding.code == "TM017")
    assert "accuracy" in found.numbers["better_by"]["answers"]
    assert "auc" in found.numbers["better_by"]["ranks"]
    assert "'answers' is better by accuracy" in found.message
    # The verdict is about accuracy, and says by what the other one is better.
    assert compared.winner == "answers"
    *others, last = found.numbers["better_by"]["ranks"]
    assert compared.verdict.endswith(f"But 'ranks' is better by {', '.join(others)} and {last}.")
    worse = np.where(rng.random(400) < 0.6, y, 1 - y) * 0.6 + 0.2
    throughout = tm.compare({"one": answers, "worse": worse}, y_true=y)
    assert throughout["auc"].p_value < 0.05
    assert "TM017" not in [finding.code for finding in throughout.findings]
    assert "But" not in throughout.verdict


def test_answers_at_a_threshold_that_nobody_chose_are_said_to_be_of_it() -> None:
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 200)
    ranks = 0.6 + 0.3 * y + rng.uniform(0, 0.05, 400)  # perfect order, and every score is above 0.5
    answers = np.where(rng.random(400) < 0.9, y, 1 - y) * 0.6 + 0.2
    compared = tm.compare(
        {"ranks": ranks, "answers": answers}, y_true=y, metric="auc", metrics=["specificity"]
    )
    assert compared.winner == "ranks"
    assert compared.verdict.endswith("But at the threshold 0.5 'answers' is better by specificity.")


def test_what_the_verdict_says_of_costs_is_not_said_twice() -> None:
    y = np.repeat([0, 1], 400)
    # Right on 720 of 800 rows and on 600, but 80 missed at 50 each are dearer than 200 false alarms.
    misses = np.where(np.arange(800) >= 720, 0, y)
    alarms = np.where(np.arange(800) < 200, 1, y)
    models, costs = {"misses": misses, "alarms": alarms}, {0: {1: 1}, 1: {0: 50}}
    found = tm.compare(models, y, costs=costs, metrics=["accuracy", "mean_cost"])
    assert {each.code for each in found.findings} >= {"TM016", "TM017"}
    assert "Cost and accuracy disagree" in found.verdict
    assert "But" not in found.verdict
    also = tm.compare(models, y, costs=costs, metrics=["accuracy", "mean_cost", "recall"])
    assert also.verdict.endswith("But 'alarms' is better by recall.")
