"""What a page knows of its models."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import tallymark as tm
from tallymark.evaluation.live.data import live_data

ACTUAL = ["sick", "sick", "well", "well", "well"]
SCORE = [0.9, 0.4, 0.6, 0.2, 0.1]


def known(*evaluations: tm.Evaluation) -> dict[str, Any]:
    names = [""] if len(evaluations) == 1 else [f"model {place}" for place in range(len(evaluations))]
    data = live_data(dict(zip(names, evaluations, strict=True)))
    assert data is not None
    return data


def of_scores(**more: Any) -> tm.Evaluation:
    return tm.evaluate(ACTUAL, y_score=SCORE, **{"pos_label": "sick", "threshold": 0.5} | more)


def test_two_classes_by_hand() -> None:
    data = known(of_scores(costs={"sick": {"well": 10}, "well": {"sick": 1}}))
    assert data["classes"] == [{"label": "sick", "rest": "well"}]
    assert data["costs"] == [0, 10, 1, 0]
    assert (data["prior"], data["grouped"]) == (None, False)
    assert data["note"] == "Intervals are 95 % (Wilson) and take the rows as independent."
    (model,) = data["models"]
    assert model["name"] == ""
    assert model["came"] == [{"tp": [0, 1, 2], "fp": [0, 1, 3]}]
    (curve,) = model["curves"]
    assert curve == {
        "digits": 1,
        "steps": [9, 4, 1, 2, 1],  # 0.9, 0.5 as it was given, 0.4, 0.2 and 0.1
        "positives": [1, 0, 1, 0, 0],
        "negatives": [0, 1, 0, 1, 1],
        "unit": 1,
        "square_unit": 1,
        "exact": True,
        "at": 2,
        "until": 0.6,
        "scores": 5,
        "note": "",
    }


def test_costs_have_the_class_that_is_tried_first() -> None:
    matrix = tm.Confusion([[8, 2], [5, 85]], labels=["well", "sick"])
    assert known(matrix.evaluate(pos_label="sick", costs="0 1; 10 0"))["costs"] == [0, 10, 1, 0]


def test_another_prevalence_is_a_prior_and_counts_stay_those_of_the_rows() -> None:
    ev = of_scores()
    data = known(ev.at_prevalence(0.01))
    assert data["prior"] == 0.01
    assert data["models"] == known(ev)["models"]


def test_weights_and_groups() -> None:
    data = known(of_scores(sample_weight=[2, 1, 1, 3, 1]))
    (model,) = data["models"]
    assert model["came"] == [{"tp": [0, 2, 3], "fp": [0, 1, 5], "squares": [[0, 4, 5], [0, 1, 11]]}]
    assert model["curves"][0]["squares"] == [[4, 0, 1, 0, 0], [0, 1, 0, 9, 1]]
    assert known(of_scores(groups=[1, 1, 2, 2, 3]))["grouped"]


@pytest.mark.parametrize(("called", "at"), [([0, 2], 2), ([2, 3], -1), ([], 0)])
def test_answers_that_came_with_the_rows_are_found_among_the_thresholds(called: list[int], at: int) -> None:
    answers = ["sick" if row in called else "well" for row in range(5)]
    (model,) = known(tm.evaluate(ACTUAL, answers, y_score=SCORE, pos_label="sick"))["models"]
    assert model["curves"][0]["at"] == at


def test_scores_that_nobody_cut() -> None:
    data = known(tm.evaluate(ACTUAL, y_score=[4.5, -1, 2, -3, -7], pos_label="sick"))
    (model,) = data["models"]
    assert model["came"] == [{"tp": [0, 0, 0], "fp": [0, 0, 0]}]
    assert model["curves"][0]["at"] == -1
    assert model["curves"][0]["steps"] == [4, 2, 3, 2, 4]  # 4, 2, -1, -3, -7


def test_without_scores_there_are_only_the_answers() -> None:
    ev = tm.evaluate(["a", "b", "a"], ["a", "b", "b"], pos_label="a")
    (model,) = known(ev)["models"]
    assert model["came"] == [{"tp": [0, 1, 2], "fp": [0, 0, 1]}]
    assert model["curves"][0]["steps"] == []
    assert [section.title for section in ev.report().sections][1] == "Try costs"
    both = known(of_scores(), tm.evaluate(ACTUAL, ACTUAL, pos_label="sick"))
    assert [model["curves"][0]["scores"] for model in both["models"]] == [5, 0]
    assert [model["name"] for model in both["models"]] == ["model 0", "model 1"]


def test_two_classes_of_which_none_is_named() -> None:
    probabilities = np.column_stack([SCORE, 1 - np.array(SCORE)])
    data = known(tm.evaluate(ACTUAL, y_score=probabilities, labels=["sick", "well"]))
    assert data["classes"] == [{"label": "sick", "rest": "well"}, {"label": "well", "rest": "sick"}]
    first, second = data["models"][0]["curves"]
    assert first["positives"] == second["negatives"][::-1]
    assert data["models"][0]["came"] == [
        {"tp": [0, 1, 2], "fp": [0, 1, 3]},
        {"tp": [0, 2, 3], "fp": [0, 1, 2]},
    ]
    priced = tm.evaluate(ACTUAL, y_score=probabilities, labels=["sick", "well"], costs=[[0, 10], [1, 0]])
    assert known(priced)["classes"] == data["classes"][:1]


PROBABILITIES = np.array([[0.6, 0.2, 0.2], [0.1, 0.7, 0.2], [0.5, 0.1, 0.4], [0.1, 0.2, 0.7]])


def test_every_class_against_the_rest() -> None:
    ev = tm.evaluate(["a", "b", "c", "c"], y_score=PROBABILITIES, labels=["a", "b", "c"])
    data = known(ev)
    assert [each["label"] for each in data["classes"]] == ["a", "b", "c"]
    assert data["classes"][0]["rest"] == "not a"
    (model,) = data["models"]
    assert model["came"] == [
        {"tp": [0, 1, 1], "fp": [0, 1, 3]},
        {"tp": [0, 1, 1], "fp": [0, 0, 3]},
        {"tp": [0, 1, 2], "fp": [0, 0, 2]},
    ]
    assert [curve["at"] for curve in model["curves"]] == [-1, -1, -1]
    assert (model["curves"][2]["positives"], model["curves"][2]["negatives"]) == ([1, 1, 0], [0, 0, 2])
    positive = tm.evaluate(["a", "b", "c", "c"], y_score=PROBABILITIES, labels=["a", "b", "c"], pos_label="c")
    assert [each["label"] for each in known(positive)["classes"]] == ["c", "a", "b"]


def test_of_many_classes_the_most_frequent_are_shown() -> None:
    labels = [f"class {place:03}" for place in range(120)]
    actual = [label for place, label in enumerate(labels) for _ in range(1 + place % 2)]
    chances = np.random.default_rng(0).dirichlet(np.ones(120), len(actual))
    data = known(tm.evaluate(actual, y_score=chances, labels=labels))
    shown = {each["label"] for each in data["classes"]}
    assert len(shown) == 100
    assert "The 100 most frequent of 120 classes can be tried." in data["note"]
    assert set(labels[1::2]) <= shown


@pytest.mark.parametrize(
    "ev",
    [
        tm.evaluate(["a", "b", "c"], ["a", "b", "b"]),
        tm.evaluate([["a"], ["a", "b"]], [["a"], ["b"]]),
        tm.evaluate(["a", "b", "c", "c"], y_score=PROBABILITIES, labels=["a", "b", "c"]).at_prevalence(
            {"a": 0.5, "b": 0.25, "c": 0.25}
        ),
    ],
    ids=["three classes without scores", "several labels", "three classes with other shares"],
)
def test_nothing_to_try(ev: tm.Evaluation) -> None:
    assert live_data({"": ev}) is None
    assert not any(section.live for section in ev.report().sections)


@pytest.mark.parametrize(
    ("actual", "score"), [([1], [0.7]), ([1, 1, 1], [0.7, 0.2, 0.3]), ([1, 0, 1], [0.5, 0.5, 0.5])]
)
def test_next_to_nothing(actual: list[int], score: list[float]) -> None:
    curve = known(tm.evaluate(actual, y_score=score, labels=[0, 1]))["models"][0]["curves"][0]
    assert sum(curve["positives"]) == sum(actual)
    assert sum(curve["positives"]) + sum(curve["negatives"]) == len(actual)


def test_votes() -> None:
    votes = {"one": [1, 1, 0, 0], "two": [1, 0, 1, 0], "three": [1, 1, 1, 0]}
    ev = tm.evaluate(pl.DataFrame({"y": [1, 1, 0, 0], **votes}), actual="y", votes=list(votes))
    curve = known(ev)["models"][0]["curves"][0]
    assert curve["steps"] == [3, 1, 2]  # 3, 2, 0
    assert (curve["positives"], curve["negatives"]) == ([1, 1, 0], [0, 1, 1])


def test_labels_that_cannot_be_seen_are_made_visible() -> None:
    data = known(tm.evaluate(["a\u202e", "b"], ["a\u202e", "b"], pos_label="a\u202e"))
    assert data["classes"] == [{"label": "a\\u202e", "rest": "b"}]
