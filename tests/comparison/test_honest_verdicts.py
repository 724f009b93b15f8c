"""Verdicts that were too sure, found from outside: each stands here with what it says now."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tallymark as tm
from tallymark.comparison.inversion import inverted
from tallymark.inference.paired import PairedSample
from tallymark.inference.swaps import swapped
from tallymark.intake.pairing import count_paired
from tallymark.metrics import ask


def two_selective_models(rng: np.random.Generator, n: int, shares: tuple[float, float]) -> PairedSample:
    """Models that call so many rows positive, each with a precision of 0.6; 30 % of the rows are positive."""
    y = rng.random(n) < 0.3
    answers = [rng.random(n) < np.where(y, share * 0.6 / 0.3, share * 0.4 / 0.7) for share in shares]
    columns = [each.astype(np.int64) for each in (y, *answers)]
    return PairedSample(count_paired((0, 1), ("a", "b"), columns[0], columns[1:])[0])


def test_equal_precision_at_other_operating_points_is_no_difference() -> None:
    """Swapped answers ask whether models are alike, and these are not; the draws ask about the number."""
    rng, asked = np.random.default_rng(4), ask("precision")
    by_draws = by_swaps = 0
    samples = 150
    for _ in range(samples):
        sample = two_selective_models(rng, 600, (0.4, 0.05))
        estimate = sample.of(asked, 1)
        if estimate.value is None:
            continue
        by_draws += (inverted(estimate, "two-sided", "draws").p_value or 0) < 0.05
        by_swaps += swapped(sample, [(asked, 1)], draws=300)[0].p_value["two-sided"] < 0.05
    # Three standard errors above 0.05 with 150 samples are 0.103.
    assert by_draws / samples < 0.103 < by_swaps / samples


def test_numbers_that_are_no_shares_are_tested_by_draws() -> None:
    y = np.tile([1, 0, 1, 0, 0], 30)
    a, b = np.where(np.arange(150) % 7, y, 1 - y), np.where(np.arange(150) % 4, y, 1 - y)
    compared = tm.compare({"a": a, "b": b}, y_true=y, costs={1: {0: 3.0}, 0: {1: 1.0}})
    tests = {each.metric: each.test for each in compared.differences}
    assert tests["f1"] == tests["mcc"] == tests["precision"] == "paired draws, inverted"
    assert tests["accuracy"].startswith("McNemar")
    assert (
        tests["mean_cost"] == "permutation, rows swapped"
    )  # a sum over the rows, so swaps have its variance
    swaps = tm.compare({"a": a, "b": b}, y_true=y, test="permutation")
    assert swaps["f1"].test == "permutation, rows swapped"
    assert "whether the models are alike" in swaps["f1"].outcome.note


def test_swapping_the_models_turns_everything_round() -> None:
    y = np.tile([1, 0, 1, 0, 0], 30)
    a, b = np.where(np.arange(150) % 7, y, 1 - y), np.where(np.arange(150) % 4, y, 1 - y)
    one, other = tm.compare({"a": a, "b": b}, y_true=y), tm.compare({"b": b, "a": a}, y_true=y)
    for first, second in zip(one.differences, other.differences, strict=True):
        assert (first.low, first.high) == pytest.approx((-second.high, -second.low))
        assert first.p_value == pytest.approx(second.p_value)


def test_thirty_right_of_thirty_prove_little() -> None:
    """Wald's interval [0.036, 0.064] knows no variance of 30 right of 30; Newcombe's holds 0."""
    compared = tm.compare({"a": (1.0, 30), "b": (0.95, 1000)})
    assert compared.winner is None
    found = compared["accuracy"]
    assert (found.low, found.high) == pytest.approx((-0.0639, 0.0650), abs=1e-3)
    assert "Wald" in (found.estimate.note or "")
    asked_for = tm.compare({"a": (1.0, 30), "b": (0.95, 1000)}, method="wald")
    assert asked_for["accuracy"].test == "two proportions, wald"


def test_averages_over_other_classes_are_not_compared() -> None:
    both = tm.evaluate([0, 0, 0, 1, 1, 0], [0, 0, 1, 1, 0, 0])
    one_class = tm.evaluate([0, 0, 0, 0], [0, 0, 0, 1], labels=[0, 1])
    compared = tm.compare(
        {"both": both, "one": one_class}, design="other rows", metrics=["balanced_accuracy", "f1_macro"]
    )
    for metric in ("balanced_accuracy", "f1_macro"):
        assert compared[metric].value is None
        assert "'one' has no row of 1" in (compared[metric].why or "")


def test_a_margin_is_judged_for_every_pair() -> None:
    rng = np.random.default_rng(6)
    y = rng.integers(0, 2, 300)
    models = {name: np.where(rng.random(300) < 0.8, y, 1 - y) for name in "abc"}
    compared = tm.compare(models, y_true=y, margin=0.2)
    assert compared.verdict.count("are equivalent") == 3
    assert "each pair by itself" in compared.verdict
    assert len(compared.margins) == 3


def test_equivalent_models_are_not_called_untellable() -> None:
    y = np.tile([0, 1], 400)
    a, b = y.copy(), y.copy()
    a[:40], b[20:60] = 1 - y[:40], 1 - y[20:60]
    found = tm.compare({"a": a, "b": b}, y_true=y, margin=0.05)
    assert found.verdict.startswith("no difference that matters: ")
    assert found.winner is None


def test_curves_of_equal_models_cross_by_chance() -> None:
    rng = np.random.default_rng(9)
    told = 0
    for _ in range(40):
        y = rng.integers(0, 2, 200)
        scores = {name: y + rng.normal(0, 1.0, 200) for name in "ab"}
        findings = tm.compare(scores, y_true=y, metrics=["auc"]).findings
        told += "TM014" in [finding.code for finding in findings]
    assert told <= 4


@pytest.mark.parametrize(
    ("options", "refused"),
    [({}, True), ({"runs": 10}, False), ({"runs": 1}, False), ({"overlap": False}, False)],
)
def test_a_hundred_folds_are_asked_about(options: dict[str, Any], refused: bool) -> None:
    rng = np.random.default_rng(7)
    table = {name: rng.normal(0.8, 0.02, 100) for name in ("a", "b")}
    if refused:
        with pytest.raises(tm.OptionError, match="say --runs 10 for ten times ten folds"):
            tm.compare(table, per="fold", same_folds=True, **options)
    else:
        assert tm.compare(table, per="fold", same_folds=True, **options).design == "same folds"


def test_scores_are_called_by_their_column() -> None:
    lines = {"model": list("aabb"), "dataset": ["x", "y"] * 2, "rmse": [0.2, 0.3, 0.1, 0.2]}
    import polars as pl

    with pytest.raises(tm.OptionError, match="no metric is called 'rmse'"):
        tm.compare(pl.DataFrame(lines), per="dataset")
    found = tm.compare(pl.DataFrame(lines), per="dataset", better="lower")
    assert found.metric == "rmse"
    assert found.differences[0].ahead == "b"
    wide = tm.compare({"a": [0.8, 0.7, 0.9], "b": [0.7, 0.6, 0.7]}, per="dataset")
    assert any("taken as accuracy" in note for note in wide.notes)


def test_whole_numbers_that_are_no_labels_are_said_to_be_scores() -> None:
    compared = tm.compare({"a": [0, 1, 2, 1, 1], "b": [0, 0, 1, 1, 2]}, y_true=[0, 1, 0, 1, 1])
    assert "answers in whole numbers that are not all labels are taken as scores." in compared.notes
    assert compared.metric == "auc"
