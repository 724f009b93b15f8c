"""TM007: a threshold picked on the rows it is judged on, and what it is worth on others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tallymark as tm
from tallymark.decisions import Decision
from tallymark.decisions.cross_fitting import CrossFitted

ROWS = 60
OF_TEXT = {"f1": "f1", "accuracy": "accuracy", "youden": "informedness", "cost": "mean_cost"}


def found_in(ev: tm.Evaluation) -> tm.Finding:
    (found,) = (finding for finding in ev.findings if finding.code == "TM007")
    return found


def picked(seed: int, objective: str = "youden", **options: Any) -> tm.Evaluation:
    """Scores that have nothing to do with the classes."""
    score = np.random.default_rng(seed).random(ROWS)
    return tm.evaluate(np.arange(ROWS) % 2, y_score=score, threshold=f"best:{objective}", **options)


def test_scores_that_know_nothing_are_found_out() -> None:
    numbers = [found_in(picked(seed)).numbers for seed in range(40)]
    # The informedness of such scores is 0, wherever they are cut; picked here it looks like something.
    assert np.mean([each["here"] for each in numbers]) > 0.12
    assert np.mean([each["cross_fitted"] for each in numbers]) == pytest.approx(0, abs=0.05)


@pytest.mark.parametrize("objective", list(OF_TEXT))
def test_the_number_is_that_of_decide(objective: str) -> None:
    costs: dict[str, Any] = {"costs": [[0, 1], [3, 0]], "labels": [0, 1]} if objective == "cost" else {}
    ev = picked(1, objective, **costs)
    found, metric = found_in(ev), OF_TEXT[objective]
    decision = ev.decide() if costs else ev.decide(best=metric)
    assert isinstance(decision, Decision)
    assert isinstance(decision.cross_fitted, CrossFitted)
    there = decision.cross_fitted.mean_cost if costs else decision.cross_fitted.value
    assert found.numbers["metric"] == metric
    assert found.numbers["here"] == pytest.approx(ev[metric].value)
    assert found.numbers["cross_fitted"] == there
    spelled = found.message.removeprefix("the threshold ").partition(" ")[0]
    assert f"Called positive when score >= {spelled}." in str(ev)
    assert float(spelled) == pytest.approx(ev.threshold, abs=0.001)
    assert found.message == (
        f"the threshold {spelled} was picked on these rows as the best for {objective}, so the "
        "numbers at it are optimistic: with each fifth of them answered by the threshold that the others "
        f"choose, {metric} is {there:.3f}, not {ev[metric].value:.3f}; judge it on other rows."
    )


def test_where_it_makes_no_difference_that_is_said() -> None:
    ev = tm.evaluate([0, 1] * 50, y_score=[0.1, 0.9] * 50, threshold="best:f1")
    found = found_in(ev)
    assert (found.numbers["here"], found.numbers["cross_fitted"]) == (1.0, 1.0)
    assert "are optimistic, if hardly: with each fifth of them" in found.message
    assert "f1 is 1.000 as well; judge" in found.message


@pytest.mark.parametrize(
    "options",
    [{"sample_weight": np.arange(ROWS) % 3 + 0.5}, {"groups": np.arange(ROWS) // 4}],
    ids=["weights", "groups"],
)
def test_weights_and_groups_take_part(options: dict[str, Any]) -> None:
    numbers = found_in(picked(2, **options)).numbers
    assert numbers["cross_fitted"] < numbers["here"]


def test_counted_scores_are_enough() -> None:
    ev = tm.Scores.from_bins([6, 20, 10, 5], [1, 9, 20, 30]).evaluate(threshold="best:f1")
    # Above the second edge: 26 of 41 positives and 10 negatives, f1 = 52 / 77.
    assert found_in(ev).numbers["here"] == pytest.approx(52 / 77)
    assert "cross_fitted" in found_in(ev).numbers


def test_few_rows_and_other_class_shares_have_no_number() -> None:
    few = tm.evaluate([0, 0, 1, 1], y_score=[0.1, 0.2, 0.75, 0.9], threshold="best:youden")
    # Where positives are rare another threshold would have been picked.
    for ev in (few, picked(3, "f1").at_prevalence(0.02)):
        found = found_in(ev)
        assert set(found.numbers) == {"threshold", "best_for"}
        assert "are optimistic; judge it on other rows." in found.message
