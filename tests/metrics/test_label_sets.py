from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tallymark.errors import MetricError
from tallymark.metrics import METRICS, SET_METRICS, ask, formulas
from tallymark.metrics.label_sets import ROW_VALUES
from tallymark.tallies import LabelSets, SetSizes

NAMES = [
    "subset_accuracy",
    "hamming_loss",
    "accuracy_example",
    "precision_example",
    "recall_example",
    "f1_example",
]


def sizes(*kinds: tuple[int, int, int], labels: int = 3, counts: Any = None) -> SetSizes:
    actual, predicted, both = np.array(kinds).reshape(-1, 3).T
    return SetSizes(actual, predicted, both, np.ones(len(kinds), int) if counts is None else counts, labels)


# The sources' example: true 011, 101, 111, 101 and predicted 001, 101, 110, 110.
FOUR = sizes((2, 1, 1), (2, 2, 2), (3, 2, 2), (2, 2, 1))

BY_HAND = {
    "subset_accuracy": 1 / 4,
    "hamming_loss": (1 + 0 + 1 + 2) / 3 / 4,
    "accuracy_example": (1 / 2 + 1 + 2 / 3 + 1 / 3) / 4,
    "precision_example": (1 + 1 + 1 + 1 / 2) / 4,
    "recall_example": (1 / 2 + 1 + 2 / 3 + 1 / 2) / 4,
    "f1_example": (2 / 3 + 1 + 4 / 5 + 1 / 2) / 4,
}


@pytest.mark.parametrize("name", NAMES)
def test_the_worked_example(name: str) -> None:
    assert ask(name).metric(FOUR) == pytest.approx(BY_HAND[name], rel=1e-12)


def test_the_printed_number() -> None:
    assert round(ask("f1_example").metric(FOUR), 3) == 0.742


def test_all_of_them_are_registered_apart_from_the_count_based_ones() -> None:
    assert list(SET_METRICS) == list(ROW_VALUES) == NAMES
    assert not set(SET_METRICS) & set(METRICS)
    assert all(metric.about == "sets" for metric in SET_METRICS.values())


@pytest.mark.parametrize("name", NAMES)
def test_facts(name: str) -> None:
    metric = SET_METRICS[name]
    assert metric.name == name
    assert metric.range == (0.0, 1.0)
    assert metric.meaning.endswith(".")
    assert metric.reference
    assert metric.better == ("lower" if name == "hamming_loss" else "higher")
    assert formulas.text(metric.formula) == metric.formula
    assert set(metric.undefined) <= {"n", "K"}


def test_a_tally_and_its_kinds_of_rows_give_the_same() -> None:
    tally = LabelSets.from_kinds(
        "abc",
        np.array([[2, 1, 1], [2, 2, 2], [3, 2, 2], [2, 2, 1]]),
        np.ones(4, int),
        np.array([[3, 1, 2], [0, 1, 2], [0, 1, 0]]),
    )
    for metric in SET_METRICS.values():
        assert metric(tally) == metric(FOUR)


@pytest.mark.parametrize("name", NAMES)
def test_over_draws(name: str) -> None:
    metric = ask(name).metric
    counts = np.array([[1.0, 1, 1, 1], [4.0, 0, 0, 0], [0.5, 1.5, 0, 2]])
    drawn = sizes((2, 1, 1), (2, 2, 2), (3, 2, 2), (2, 2, 1), counts=counts)
    expected = [metric(sizes(*zip(*drawn_sizes(drawn), strict=True), counts=row)) for row in counts]
    np.testing.assert_allclose(metric(drawn), expected, rtol=1e-12)


def drawn_sizes(drawn: SetSizes) -> list[list[int]]:
    return [drawn.actual.tolist(), drawn.predicted.tolist(), drawn.both.tolist()]


# --- empty sets --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES[2:])
def test_two_empty_sets_score_1_unless_told_otherwise(name: str) -> None:
    # Two rows: one with two empty sets, one wholly wrong.
    both_empty = sizes((0, 0, 0), (1, 1, 0))
    assert ask(name).metric(both_empty) == 0.5
    assert ask(name).metric(both_empty, 0.0) == 0.0


@pytest.mark.parametrize("name", NAMES[2:])
@pytest.mark.parametrize("kind", [(2, 0, 0), (0, 2, 0)])
def test_one_empty_set_scores_0(name: str, kind: tuple[int, int, int]) -> None:
    assert ask(name).metric(sizes(kind)) == 0.0


def test_empty_sets_are_equal_and_have_no_wrong_answer() -> None:
    assert ask("subset_accuracy").metric(sizes((0, 0, 0)), 0.0) == 1.0
    assert ask("hamming_loss").metric(sizes((0, 0, 0)), 0.0) == 0.0


def test_undefined_without_rows_or_labels() -> None:
    assert all(math.isnan(metric(LabelSets.empty())) for metric in SET_METRICS.values())
    no_labels = sizes((0, 0, 0), labels=0)
    assert math.isnan(ask("hamming_loss").metric(no_labels))
    assert ask("f1_example").metric(no_labels) == 1.0


def test_rows_that_are_all_right_give_exactly_1_with_any_weights() -> None:
    weights = np.random.default_rng(0).random(100) / 3
    kinds = sizes(*[(k, k, k) for k in range(1, 101)], labels=100, counts=weights)
    assert all(ask(name).metric(kinds) == (0 if name == "hamming_loss" else 1) for name in NAMES)


# --- by name -----------------------------------------------------------------------------------


def test_asked_for_by_name() -> None:
    assert [ask(name).name for name in NAMES] == NAMES


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("f1_exampel", "f1_example"), ("hamming", "hamming_loss"), ("subset_acuracy", "subset_accuracy")],
)
def test_a_slip_is_answered_with_the_nearest(wrong: str, right: str) -> None:
    with pytest.raises(MetricError) as caught:
        ask(wrong)
    assert f"did you mean {right}" in str(caught.value.hint)


def test_they_have_neither_averages_nor_parameters() -> None:
    with pytest.raises(MetricError, match="'f1_example' is a mean over the rows, so it has no macro average"):
        ask("f1_example_macro")
    with pytest.raises(MetricError, match="takes no parameter"):
        ask("f1_example:2")
