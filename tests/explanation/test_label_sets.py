from __future__ import annotations

import numpy as np

from tallymark.explanation.facts import _DEFINITIONS as DEFINITIONS
from tallymark.explanation.label_sets import worked
from tallymark.intake.sets.label_sets import read_sets
from tallymark.metrics import SET_METRICS, formulas
from tallymark.tallies import LabelSets

FOUR = read_sets(
    np.array([[0, 1, 1], [1, 0, 1], [1, 1, 1], [1, 0, 1]]),
    np.array([[0, 0, 1], [1, 0, 1], [1, 1, 0], [1, 1, 0]]),
).count()


def lines(tally: LabelSets, name: str, empty_sets: float = 1.0) -> list[str]:
    return [step.text for step in worked(tally, name, empty_sets)]


def test_the_worked_example() -> None:
    assert lines(FOUR, "f1_example") == [
        "f1_example = sum(2 * both_k / (true_k + called_k)) / n",
        "= (1 x 2 * 1 / (2 + 1) + 1 x 2 * 1 / (2 + 2) + 1 x 2 * 2 / (2 + 2) + 1 x 2 * 2 / (3 + 2)) / 4",
        "= 2.9667 / 4",
        "= 0.7417",
    ]
    assert lines(FOUR, "subset_accuracy") == ["subset_accuracy = sum(equal_k) / n", "= 1 / 4", "= 0.25"]
    assert lines(FOUR, "hamming_loss")[1].startswith("= (1 x (2 - 1) / 3 + 1 x (3 - 1) / 3")


def test_many_kinds_of_rows_are_cut() -> None:
    random = np.random.default_rng(3)
    tally = read_sets(random.random((500, 6)) < 0.3, random.random((500, 6)) < 0.3).count()
    text = lines(tally, "accuracy_example")[1]
    assert text.count(" x ") == 8
    assert text.endswith(f" + ... {len(tally.counts) - 8} more) / 500")


def test_rows_without_a_value_of_their_own_are_told() -> None:
    tally = read_sets([set(), {"a"}, set(), set()], [set(), set(), {"b"}, {"a"}]).count()
    assert lines(tally, "precision_example")[1:] == [
        "= (1 x 1 + 2 x 0 / 1 + 1 x 0) / 4",
        "= 1 / 4",
        "= 0.25",
        "two empty sets score 1 (1 of 4 rows)",
        "nothing predicted scores 0 (1 of 4 rows)",
    ]
    assert lines(tally, "recall_example", 0.0)[-2:] == [
        "two empty sets score 0 (1 of 4 rows)",
        "nothing true scores 0 (2 of 4 rows)",
    ]


def test_weights_are_called_weights() -> None:
    tally = read_sets([set(), {"a"}], [set(), {"a"}]).count(weights=np.array([1.5, 0.5]))
    assert lines(tally, "f1_example")[1:] == [
        "= (1.5 x 1 + 0.5 x 2 * 1 / (1 + 1)) / 2",
        "= 2 / 2",
        "= 1",
        "two empty sets score 1 (weight 1.5 of 2)",
    ]


def test_without_rows_there_is_only_the_formula() -> None:
    assert lines(LabelSets.empty(), "f1_example") == [
        "f1_example = sum(2 * both_k / (true_k + called_k)) / n"
    ]


def test_every_letter_is_defined() -> None:
    used = {name for metric in SET_METRICS.values() for name in formulas.names(metric.formula)}
    assert used <= set(DEFINITIONS)
