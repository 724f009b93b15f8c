"""Models on the same folds: the corrected interval is the verdict's, the plain one is shown as too sure."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from tallymark.comparison.question import Folding, question
from tallymark.comparison.result import Comparison
from tallymark.comparison.score_tables.folds import compare_folds
from tallymark.errors import TallymarkError

FOREST = [0.876, 0.896, 0.866, 0.824, 0.886, 0.886, 0.849, 0.879, 0.867, 0.871]
TREE = [0.860, 0.875, 0.860, 0.811, 0.877, 0.863, 0.834, 0.867, 0.861, 0.859]
KNN = [0.801, 0.833, 0.790, 0.795, 0.812, 0.840, 0.777, 0.806, 0.828, 0.799]
TWO = {"forest": FOREST, "tree": TREE}


ASKED = ("alternative", "margin", "adjust", "confidence_level")
BESIDE = ("metric", "fingerprints", "fold_names", "data_set", "notes")


def compared(scores: Any = TWO, **options: Any) -> Comparison:
    """With every option where it belongs; the folds are stated to be the same unless said otherwise."""
    asked, beside = (
        {name: options.pop(name) for name in names if name in options} for names in (ASKED, BESIDE)
    )
    return compare_folds(scores, question(**asked), Folding(**{"same_folds": True, **options}), **beside)


def refused(scores: Any = TWO, **options: Any) -> str:
    with pytest.raises(TallymarkError) as caught:
        compared(scores, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def corrected(
    a: list[float], b: list[float], ratio: float, level: float = 0.95
) -> tuple[float, float, float]:
    """Nadeau and Bengio's interval and p, from the formula."""
    d = np.subtract(a, b)
    se = math.sqrt(d.var(ddof=1) * (1 / len(d) + ratio))
    half = stats.t.ppf((1 + level) / 2, len(d) - 1) * se
    return d.mean() - half, d.mean() + half, 2 * stats.t.sf(abs(d.mean() / se), len(d) - 1)


# --- the numbers ------------------------------------------------------------------------------------


def test_the_verdict_is_by_the_corrected_t_test() -> None:
    found = compared()
    difference = found["accuracy"]
    low, high, p = corrected(FOREST, TREE, 1 / 9)
    assert difference.value == pytest.approx(np.mean(FOREST) - np.mean(TREE))
    assert (difference.low, difference.high) == pytest.approx((low, high))
    assert difference.p_value == pytest.approx(p)
    assert difference.test == "corrected t"
    assert found.winner == "forest"
    assert found.verdict.startswith("'forest' is better than 'tree': accuracy 0.870 against 0.857")
    assert found.design == "same folds"


def test_the_sources_interval_is_shown_beside_it() -> None:
    """d_true = mean d +- t(k-1) sqrt(sum (d_j - mean d)^2 / (k (k-1)))."""
    d = np.subtract(FOREST, TREE)
    half = stats.t.ppf(0.975, 9) * math.sqrt(((d - d.mean()) ** 2).sum() / (10 * 9))
    plain = compared().outcomes[1]
    assert plain.method == "paired t"
    assert (plain.low, plain.high) == pytest.approx((d.mean() - half, d.mean() + half))
    assert plain.p_value == pytest.approx(stats.ttest_rel(FOREST, TREE).pvalue)


def test_the_plain_interval_is_narrower_by_the_root_of_one_and_the_overlap() -> None:
    found = compared()
    times = math.sqrt(1 + 10 / 9)
    assert found.to_dict()["folds"]["pairs"][0]["plain_is_narrower"] == pytest.approx(times)
    assert f"its interval is {times:.2f} times narrower" in " ".join(str(found).split())


def test_sizes_given_are_used() -> None:
    found = compared(n_train=900, n_test=300)["accuracy"]
    assert (found.low, found.high) == pytest.approx(corrected(FOREST, TREE, 1 / 3)[:2])


def test_another_level_is_asked_of_the_same_test() -> None:
    again = compared()["accuracy"].estimate.interval(0.8)
    assert (again.low, again.high) == pytest.approx(corrected(FOREST, TREE, 1 / 9, 0.8)[:2])


def test_training_sets_stated_not_to_overlap_take_the_plain_test() -> None:
    found = compared(overlap=False)
    assert found["accuracy"].p_value == pytest.approx(stats.ttest_rel(FOREST, TREE).pvalue)
    assert "do not overlap, as stated" in found.assumption
    assert [each.method for each in found.outcomes] == ["paired t"]
    assert "Overlapping training sets" not in str(found)


def test_five_by_two_is_tested_by_t_and_f_as_well() -> None:
    found = compared(runs=5)
    d = np.subtract(FOREST, TREE).reshape(5, 2)
    spread = ((d - d.mean(axis=1, keepdims=True)) ** 2).sum()
    t, f = found.outcomes[2:]
    assert [each.method for each in found.outcomes] == ["corrected t", "paired t", "5x2cv t", "5x2cv F"]
    assert t.statistic == pytest.approx(d[0, 0] / math.sqrt(spread / 5))
    assert f.statistic == pytest.approx((d**2).sum() / (2 * spread))
    assert f.p_value == pytest.approx(stats.f.sf((d**2).sum() / (2 * spread), 10, 5))
    # The F test has no direction.
    assert [each.method for each in compared(runs=5, alternative="greater").outcomes][2:] == ["5x2cv t"]


def test_a_one_sided_question() -> None:
    two_sided = corrected(FOREST, TREE, 1 / 9)[2]
    assert compared(alternative="greater")["accuracy"].p_value == pytest.approx(two_sided / 2)
    assert compared(alternative="less")["accuracy"].p_value == pytest.approx(1 - two_sided / 2)


def test_three_models_are_compared_pair_by_pair_with_holm() -> None:
    found = compared({**TWO, "knn": KNN})
    raw = [each.p_value or 0.0 for each in found.differences]
    order = np.argsort(raw)
    holm = np.minimum(1, np.maximum.accumulate(np.array([3, 2, 1]) * np.array(raw)[order]))
    assert [found.differences[place].adjusted for place in order] == pytest.approx(holm.tolist())
    assert [(each.a, each.b) for each in found.differences] == [
        ("forest", "tree"),
        ("forest", "knn"),
        ("tree", "knn"),
    ]
    assert found.winner == "forest"


def test_a_lower_error_rate_is_better() -> None:
    errors = {name: [1 - score for score in column] for name, column in TWO.items()}
    found, mirrored = compared(errors, metric="error_rate"), compared()
    assert found.winner == "forest"
    assert found["error_rate"].value == pytest.approx(-(mirrored["accuracy"].value or 0))
    assert found["error_rate"].p_value == pytest.approx(mirrored["accuracy"].p_value)
    posteriors = [each.to_dict()["folds"]["pairs"][0]["posterior"] for each in (found, mirrored)]
    for chance in ("worse", "equivalent", "better"):
        assert posteriors[0][chance] == pytest.approx(posteriors[1][chance])


def test_the_posterior_is_students_with_the_correlation_of_folds() -> None:
    d = np.subtract(FOREST, TREE)
    scale = math.sqrt(d.var(ddof=1) * (1 / 10 + 1 / 9))
    beyond = stats.t.sf((0.01 - d.mean()) / scale, 9)
    assert compared().to_dict()["folds"]["pairs"][0]["posterior"]["better"] == pytest.approx(beyond)


def test_the_smallest_difference_is_by_the_power_of_the_t_test() -> None:
    d = np.subtract(FOREST, TREE)
    effect = TTestPower().solve_power(nobs=10, alpha=0.05, power=0.8) * math.sqrt(10)
    smallest = effect * math.sqrt(d.var(ddof=1) * (1 / 10 + 1 / 9))
    assert compared().to_dict()["reach"][0]["smallest_difference"] == pytest.approx(smallest, rel=1e-4)


def test_a_margin_is_judged_by_the_interval_of_two_one_sided_tests() -> None:
    low, high, _ = corrected(FOREST, TREE, 1 / 9, 0.9)
    assert 0 < low < high < 0.03
    assert "equivalent" in compared(margin=0.03).verdict
    assert f"90 % interval [{low:.3f}, {high:.3f}]" in compared(margin=0.03).verdict


def test_the_plain_test_finds_too_much_where_folds_go_together() -> None:
    """Differences of mean 0 that correlate by 1/10, as in 10-fold cross-validation: 15 % instead of 5 %."""
    generator = np.random.default_rng(8)
    found = np.zeros(2)
    for _ in range(1000):
        d = math.sqrt(0.1) * generator.normal() + math.sqrt(0.9) * generator.normal(size=10)
        outcomes = compared({"a": d, "b": np.zeros(10)}, metric="gain", better="higher").outcomes
        found += [(each.p_value or 0.0) < 0.05 for each in outcomes]
    expected = 2 * stats.t.sf(stats.t.ppf(0.975, 9) / math.sqrt(1.9 / 0.9), 9)
    assert found / 1000 == pytest.approx([0.05, expected], abs=0.03)
    assert expected == pytest.approx(0.154, abs=1e-3)


# --- the edges --------------------------------------------------------------------------------------


def test_models_that_never_differ_have_p_one() -> None:
    found = compared({"a": TREE, "b": TREE})
    assert found["accuracy"].p_value == 1
    assert found.winner is None
    assert found.verdict.startswith("cannot tell")


def test_the_same_difference_everywhere_has_no_p_value_and_says_why() -> None:
    found = compared({"a": [0.5, 0.6, 0.7], "b": [0.4, 0.5, 0.6]})
    assert found["accuracy"].value == pytest.approx(0.1)
    assert found["accuracy"].p_value is None
    assert "the difference is 0.1 in every fold" in found.verdict


def test_one_fold_cannot_tell() -> None:
    found = compared({"a": [0.5], "b": [0.4]})
    assert "one fold does not show how much folds vary" in found.verdict
    json.loads(found.to_json())
    str(found)


@pytest.mark.parametrize(
    "scores", [TWO, {**TWO, "knn": KNN}, {"a": TREE, "b": TREE}, {"a": [0.5], "b": [0.4]}]
)
def test_every_output_is_made(scores: Any) -> None:
    found = compared(scores)
    assert json.loads(found.to_json())["design"] == "same folds"
    assert "Folds" in str(found)
    assert found.table("polars").height == len(found.differences)
    for kind in found.detail.figures():
        assert found.figure(kind).panels


def test_a_hundred_folds_are_not_printed_one_by_one() -> None:
    generator = np.random.default_rng(3)
    scores = {name: generator.uniform(0.7, 0.9, 100) for name in "ab"}
    found = compared(scores, runs=10)
    assert "The scores of all 100 folds are in the JSON document." in str(found)
    assert len(found.to_dict()["folds"]["scores"]["a"]) == 100
    assert "3.48 times narrower" in " ".join(str(found).split())  # sqrt(1 + 100 / 9)


# --- the same folds, and other refusals -------------------------------------------------------------


def test_folds_must_be_proven_or_stated_to_be_the_same() -> None:
    assert "state it: --same-folds (in Python same_folds=True)" in refused(same_folds=False)
    proven = compared(same_folds=False, fingerprints={"forest": "ab12", "tree": "ab12"})
    assert proven.notes == ("the models were tried on the same folds: their fingerprints agree.",)
    said = refused(fingerprints={"forest": "ab12", "tree": "cd34"})
    assert "their fingerprints are ab12 and cd34" in said
    assert "'tree' have no fingerprint" in refused(fingerprints={"forest": "ab12"})


@pytest.mark.parametrize(
    ("scores", "options", "said"),
    [
        ({"a": [0.5, 0.6]}, {}, "a comparison needs two models or more; got only 'a'."),
        ({}, {}, "a comparison needs two models or more; got none."),
        ([0.5], {}, "scores are given by model; got list."),
        ({"a": [0.5], "b": [0.5, 0.6]}, {}, "'a' has 1 scores and 'b' has 2"),
        ({"a": [0.5, None], "b": [0.5, 0.6]}, {}, "the column of 'a' has None at place 2"),
        ({"a": [0.5, math.nan], "b": [0.5, 0.6]}, {}, "no number (NaN) at place 2"),
        ({"a": ["x", 0.5], "b": [0.5, 0.6]}, {}, "the column of 'a' has 'x' at place 1"),
        ({"a": [87.5, 90], "b": [80, 81]}, {}, "accuracy lies between 0 and 1; 'a' has 87.5."),
        (TWO, {"metric": "profit"}, "no metric is called 'profit', so nothing says which way it is better."),
        (TWO, {"better": "more"}, "better must be 'higher' or 'lower'; got 'more'."),
        (TWO, {"runs": 3}, "10 scores are not 3 runs of equally many folds."),
        (TWO, {"runs": 10}, "give n_train and n_test"),
        (TWO, {"n_train": 90}, "n_train was given without n_test."),
        (TWO, {"rope": -1}, "rope must be 0 or more; got -1."),
        (TWO, {"alternative": "above"}, "alternative must be two-sided, greater or less; got 'above'."),
        (TWO, {"confidence_level": 95}, "write 0.95 for 95 %."),
        (TWO, {"fold_names": ["a"]}, "there are 1 names for 10 folds."),
        (TWO, {"adjust": "none"}, "adjust must be one of holm"),
    ],
)
def test_refusals(scores: Any, options: Any, said: str) -> None:
    assert said in refused(scores, **options)


def test_a_number_of_ones_own_is_compared_when_its_direction_is_said() -> None:
    found = compared({"a": [30.0, 35.0, 31.0], "b": [12.0, 11.0, 15.0]}, metric="profit", better="higher")
    assert found.winner == "a"
    assert (
        compared({"a": [3.0, 3.5, 3.1], "b": [1, 1.1, 1.5]}, metric="seconds", better="lower").winner == "b"
    )
