"""What a review of the verdict, of folds, of data sets and of the door found wrong, and stays mended."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import tallymark as tm

# On eight of nine data sets `steady` is a little better, on the last `lucky` is far better.
STEADY = [0.80, 0.81, 0.82, 0.83, 0.84, 0.85, 0.86, 0.87, 0.41]
LUCKY = [0.79, 0.795, 0.80, 0.805, 0.81, 0.815, 0.82, 0.825, 0.95]
POOR = [0.60, 0.61, 0.59, 0.62, 0.58, 0.63, 0.60, 0.61, 0.30]


def compared(scores: dict[str, Any], **options: Any) -> tm.Comparison:
    return tm.compare(scores, per="dataset", **options)


def refused(*given: Any, **options: Any) -> str:
    with pytest.raises(tm.TallymarkError) as caught:
        tm.compare(*given, **options)
    return str(caught.value)


# --- the verdict ------------------------------------------------------------------------------------


def test_means_in_another_order_than_the_test_are_not_read_as_nonsense() -> None:
    assert np.mean(LUCKY) > np.mean(STEADY)
    found = compared({"steady": STEADY, "lucky": LUCKY}, confidence_level=0.8)
    d = np.subtract(STEADY, LUCKY)
    walsh = np.median([(d[i] + d[j]) / 2 for i in range(9) for j in range(i, 9)])
    assert found.winner == "steady"
    assert found.verdict.startswith(
        f"'steady' is better than 'lucky': median difference in accuracy {walsh:.3f} ["
    )
    assert "(80 %), means 0.788 and 0.823, p = " in found.verdict
    assert "The means of 'steady' and 'lucky' are in the other order" in found.verdict
    assert "against" not in found.verdict


def test_a_model_that_is_beaten_does_not_win_by_its_mean() -> None:
    found = compared({"lucky": LUCKY, "steady": STEADY, "poor": POOR}, confidence_level=0.8)
    assert found.models[0].values["accuracy"].value == max(
        model.values["accuracy"].value or 0 for model in found.models
    )
    assert found.winner == "steady"
    assert found.verdict.startswith("'steady' is better than ")


def test_the_winner_is_ahead_in_all_of_its_pairs_beyond_chance() -> None:
    """For random scores with an odd data set now and then."""
    generator = np.random.default_rng(12)
    winners = 0
    for _ in range(60):
        table = np.array([0, 0.01, 0.02]) + generator.normal(0.7, 0.01, (10, 3))
        table[0] = generator.uniform(0, 1, 3)
        found = compared({name: table[:, at] for at, name in enumerate("abc")})
        ahead = {
            name: all(
                each.ahead == name and (each.decisive or 0) < 0.05
                for each in found.differences
                if name in (each.a, each.b)
            )
            for name in "abc"
        }
        chance = found.outcomes[-1].p_value
        if found.winner is not None:
            winners += 1
            assert ahead[found.winner]
        elif chance is not None and chance < 0.05:
            assert not any(ahead.values())
    assert winners > 5


def test_models_that_beat_each_other_in_turn_have_no_best() -> None:
    """Each is a little better than the next on most of the data sets, and much worse on the others."""
    turns = np.tile([[0.9, 0.8, 0.7], [0.7, 0.9, 0.8], [0.8, 0.7, 0.9]], (6, 1))
    found = compared({name: turns[:, at] for at, name in enumerate("abc")})
    assert found.winner is None
    assert found.verdict.startswith("cannot tell")


# --- posteriors -------------------------------------------------------------------------------------

A = [0.876, 0.896, 0.866, 0.824, 0.886, 0.886, 0.849, 0.879, 0.867, 0.871]
B = [0.860, 0.875, 0.860, 0.811, 0.877, 0.863, 0.834, 0.867, 0.861, 0.859]


def of_folds(scores: dict[str, Any], **options: Any) -> tm.Comparison:
    return tm.compare(scores, per="fold", same_folds=True, **options)


@pytest.mark.parametrize("metric", ["accuracy", "error_rate"])
def test_a_posterior_is_of_the_difference_at_the_level_asked(metric: str) -> None:
    """Student's around the mean difference with 9 degrees of freedom, scale sqrt(s^2 (1/10 + 1/9))."""
    a, b = (1 - np.array(each) if metric == "error_rate" else np.array(each) for each in (A, B))
    d = a - b
    found = of_folds({"a": a, "b": b}, metric=metric, confidence_level=0.8)
    posterior = found.to_dict()["folds"]["pairs"][0]["posterior"]
    expected = stats.t(9, d.mean(), math.sqrt(d.var(ddof=1) * (1 / 10 + 1 / 9)))
    assert posterior["level"] == 0.8
    assert posterior["mean"] == pytest.approx(d.mean())
    assert [posterior["low"], posterior["high"]] == pytest.approx(expected.ppf([0.1, 0.9]))
    below, above = expected.cdf(-0.01), expected.sf(0.01)
    worse, better = (above, below) if metric == "error_rate" else (below, above)
    assert (posterior["worse"], posterior["better"]) == pytest.approx((worse, better))
    panel = found.figure("posterior").panels[0]
    assert panel.x.label == f"{metric}: a less b"
    labels = [mark.label for mark in panel.marks if getattr(mark, "label", None)]
    sides = ("a", "b") if metric == "error_rate" else ("b", "a")
    assert [label.split(":")[0] for label in labels] == [
        f"{sides[0]} is better",
        labels[1].split(":")[0],
        f"{sides[1]} is better",
    ]


def test_the_posterior_over_data_sets_has_the_level_asked() -> None:
    narrow, wide = (
        compared({"a": STEADY, "b": LUCKY}, confidence_level=level).to_dict()["posterior"][0]
        for level in (0.5, 0.99)
    )
    assert (narrow["level"], wide["level"]) == (0.5, 0.99)
    assert wide["low"] < narrow["low"] < narrow["high"] < wide["high"]


# --- what so much data can find ---------------------------------------------------------------------


def test_no_accuracy_differs_by_more_than_one() -> None:
    found = of_folds({"a": [0.9, 0.1, 0.8], "b": [0.1, 0.8, 0.6]})
    assert found.to_dict()["reach"][0]["smallest_difference"] is None
    assert "With 3 folds no difference is large enough to be found in 80 % of cases." in found.verdict
    several = of_folds({"a": [0.9, 0.1, 0.8], "b": [0.1, 0.8, 0.6], "c": [0.5, 0.52, 0.51]})
    assert "None: no difference is large enough." in str(several)


def test_one_side_finds_smaller_differences_over_data_sets() -> None:
    """In proportion to z(level of the tail) + z(power), of the same interval."""
    two, one = (
        compared({"a": STEADY, "b": LUCKY}, alternative=side).to_dict()["reach"][0]["smallest_difference"]
        for side in ("two-sided", "greater")
    )
    z = stats.norm.ppf
    assert one / two == pytest.approx((z(0.95) + z(0.8)) / (z(0.975) + z(0.8)))


@pytest.mark.parametrize("per", ["fold", "dataset"])
def test_a_margin_needs_a_level_above_a_half(per: Any) -> None:
    options = {"same_folds": True} if per == "fold" else {}
    said = refused({"a": STEADY, "b": LUCKY}, per=per, margin=0.01, confidence_level=0.4, **options)
    assert "a margin is judged at a confidence level above 0.5; got 0.4." in said


# --- the door ---------------------------------------------------------------------------------------

Y = np.random.default_rng(5).integers(0, 2, 60).tolist()
SCORES = np.round(np.random.default_rng(6).uniform(0.01, 0.99, 60), 3).tolist()
RAGGED = [[1, 2], [3]]


@pytest.mark.parametrize(
    ("data", "y_true", "said"),
    [
        ({"a": RAGGED, "b": SCORES}, Y, "model 'a'"),
        ({"a": np.array([[1, 2], [3]], dtype=object), "b": SCORES}, Y, "model 'a'"),
        ({"a": 5, "b": SCORES}, Y, "model 'a': predicted must be a column of values; got int."),
        ({"a": np.float64(0.5), "b": SCORES}, Y, "model 'a': predicted must be a column of values"),
        ({"a": SCORES, "b": SCORES}, RAGGED, "model 'a'"),
        ({"a": SCORES, "b": SCORES}, 3, "actual must be a column of values; got int."),
        ({"a": Y, "b": Y}, 3, "actual must be a column of values; got int."),
        ({"a": 0.5, "b": 0.6}, None, "'a' is 0.5, and nothing says what that is."),
    ],
)
def test_shapes_are_refused_in_words(data: Any, y_true: Any, said: str) -> None:
    assert said in refused(data, y_true)


def test_names_that_are_numbers() -> None:
    figures = tm.compare({1: (0.85, 30), 2: (0.75, 5000)})  # type: ignore[dict-item]
    folds = tm.compare({1: tm.FoldScores([0.8, 0.9], "f"), 2: tm.FoldScores([0.7, 0.9], "f")})
    by_set = compared({1: STEADY, 2: LUCKY, 3: POOR})  # type: ignore[dict-item]
    rows = tm.compare({1: Y, 2: Y[::-1]}, Y)
    for found in (figures, folds, by_set, rows):
        assert [model.name for model in found.models][:2] == ["1", "2"]
        assert "'1'" in str(found)
        assert json.loads(found.to_json())


@pytest.mark.parametrize("made", [list, np.array, lambda each: pd.Series(each, dtype="Float64")])
def test_scores_with_a_hole_are_scores(made: Any) -> None:
    holed = [*SCORES[:-1], None]
    assert "score is missing in 1 of 60 rows" in refused({"a": made(holed), "b": made(SCORES)}, Y)
    found = tm.compare({"a": made(holed), "b": made(SCORES)}, Y, missing="drop")
    assert found["auc"].value == 0
    assert "'a' lacks 1" in found.notes[0]


@pytest.mark.parametrize("truth", [Y, [bool(each) for each in Y]])
def test_answers_beside_a_truth_with_a_hole_are_answers(truth: list[Any]) -> None:
    found = tm.compare({"a": Y, "b": Y[::-1]}, [None, *truth[1:]], missing="drop")
    assert "auc" not in found.models[0].values
    right = np.mean(np.array(Y[1:]) == np.array(Y[::-1])[1:])
    assert found["accuracy"].value == pytest.approx(1 - right)


def test_what_is_about_folds_is_refused_by_its_name_whatever_it_holds() -> None:
    said = refused({"a": Y, "b": Y}, Y, n_train=np.array([90, 90]))
    assert said.startswith("n_train is about scores by fold or data set")


def test_folds_with_a_fingerprint_may_have_a_number_of_ones_own() -> None:
    scores = {"a": tm.FoldScores([30.0, 35.0, 31.0], "f"), "b": tm.FoldScores([12.0, 11.0, 15.0], "f")}
    assert tm.compare(scores, metric="profit", better="higher").winner == "a"


# --- which rows are the same ------------------------------------------------------------------------


def test_that_two_test_sets_sorted_by_class_agree_is_said_to_prove_little() -> None:
    y = [0] * 100 + [1] * 100
    pair = {"a": tm.evaluate(y, [0] * 90 + [1] * 110), "b": tm.evaluate(y, [0] * 120 + [1] * 80)}
    said = " ".join(tm.compare(pair).notes)
    assert "agree in all 200. Rows that are few, sorted by class or in turns" in said
    assert "--id COLUMN" in said
    assert "--same-rows or --other-rows" in said
    assert tm.compare(pair, design="same rows").design == "same rows"
    assert tm.compare(pair, design="other rows").design == "other rows"


def test_other_numbers_of_rows_are_taken_as_other_rows_with_a_word_of_caution() -> None:
    y = np.random.default_rng(7).integers(0, 2, 400)
    found = tm.compare({"a": tm.evaluate(y[:300], y[:300]), "b": tm.evaluate(y, 1 - y)})
    assert found.design == "other rows"
    assert found.notes[0].startswith(
        "taken as other rows: the numbers differ ('a' has 300, 'b' has 400); if they share rows, match by id"
    )


# --- reports ----------------------------------------------------------------------------------------


def test_the_data_set_of_the_folds_is_named(tmp_path: Path) -> None:
    path = tmp_path / "folds.csv"
    path.write_text("dataset,fold,a,b\niris,1,0.8,0.7\niris,2,0.9,0.8\niris,3,0.85,0.86\n")
    found = tm.compare(path, per="fold")
    assert "the folds are of data set 'iris'." in found.notes
    assert found.to_dict()["folds"]["data_set"] == "iris"
    assert of_folds({"a": A, "b": B}).to_dict()["folds"]["data_set"] is None


@pytest.mark.parametrize("shares", [(1, 1), (0, 1), (0, 0)])
@pytest.mark.parametrize("method", [None, "wald", "newcombe"])
def test_a_wald_interval_without_width_has_a_note(shares: tuple[float, float], method: Any) -> None:
    found = tm.compare({"a": (shares[0], 30), "b": (shares[1], 5000)}, method=method)
    assert any("the Wald interval has no width" in note for note in found.notes)
    usual = tm.compare({"a": (1, 30), "b": (0.9, 5000)}, method=method)
    assert not any("no width" in note for note in usual.notes)
