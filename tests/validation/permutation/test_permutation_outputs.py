"""A permutation test on paper: the report, JSON, the table and the picture."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import tallymark as tm
from tallymark.drawing.figure import Band, Line
from tallymark.errors import OptionError
from tallymark.inference import Estimate
from tallymark.metrics import ask
from tallymark.resampling import Holdout, KFold
from tallymark.validation.data.data_set import data_set
from tallymark.validation.permutation.result import PermutationTest

ROWS = 30
Y = np.array(["no", "no", "yes"] * 10)


def made(value, permuted, *, metric="accuracy", majority=0.6, folds=None, permute="training", level=0.95):
    """A result of numbers chosen here."""
    folds = folds or Holdout().folds(Y, Y)
    data = data_set(np.zeros((folds.rows, 1)), np.resize(Y, folds.rows), pos_label="yes")
    return PermutationTest(
        "tree",
        data,
        ask(metric),
        folds,
        value,
        np.array(permuted, float),
        Estimate(majority, why=None if majority is not None else "nothing was predicted positive"),
        permute,
        "rows",
        None,
        0,
        level,
    )


def flat(result):
    return " ".join(str(result).split())


GOOD = made(0.9, [0.5] * 10 + [0.6] * 15 + [0.7] * 13 + [0.9])


# --- words ---------------------------------------------------------------------------------------


def test_the_report_says_what_came_out_and_what_was_tested():
    said = flat(GOOD)
    assert "'tree' has accuracy 0.900 with the real classes, better than with 38 of 39 permutations" in said
    assert "p = 0.050." in said
    assert "The classes have to do with the features" in said
    assert "at least as good 1 of 39 permutations" in said
    assert "of them exactly as good 1" in said
    assert "the classes of the training rows have nothing to do with their features" in said
    assert "p is exact where rows are independent" in said
    assert "ties keep p valid" in said
    assert "scikit-learn's permutation_test_score permutes the classes of the test rows as well" in said


@pytest.mark.parametrize(
    ("more", "weak"),
    [
        pytest.param({}, True, id="a small holdout"),
        pytest.param({"metric": "brier"}, False, id="a number from scores"),
        pytest.param({"permute": "all"}, False, id="all permuted"),
        pytest.param({"folds": KFold(3).folds(Y, Y)}, False, id="folds"),
    ],
)
def test_what_a_single_small_holdout_can_miss_is_said_whatever_p_is(more, weak):
    for value in (0.9, 0.1):
        said = flat(made(value, [0.4, 0.5] * 20, **more))
        assert ("right by the luck of its direction, so accuracy of a single holdout" in said) == weak


def test_with_one_strong_feature_accuracy_shows_less_than_brier():
    # The two clusters lie 3 deviations apart, so that what is true cannot be missed but by the test.
    found = {"accuracy": [], "brier": []}
    for seed in range(5):
        y = np.arange(60) % 2
        X = np.random.default_rng(seed).normal(size=(60, 1)) + 3 * y[:, None]
        for metric, values in found.items():
            test = tm.permutation_test(GaussianNB(), X, y, n_permutations=39, metric=metric)
            values.append(test.p_value)
    assert np.median(found["accuracy"]) > 0.05 >= np.median(found["brier"])


def test_other_ways_are_named_for_the_command_line_and_for_python():
    said = flat(made(0.9, [0.4, 0.5] * 20, folds=KFold(3).folds(Y, Y)))
    assert "With one holdout, or --permute all (permute='all'), p is exact." in said
    assert "which --permute all (permute='all') does here." in said


def test_quantiles_are_of_the_permuted_results():
    assert GOOD.quantile(0.5) == pytest.approx(0.6)
    assert GOOD.quantile(1) == pytest.approx(0.9)
    assert GOOD.mean == pytest.approx((5 + 9 + 9.1 + 0.9) / 39)
    rows = {line.split("  ")[0].strip() or line.strip(): line for line in str(GOOD).splitlines()}
    assert rows["real classes"].endswith("0.900")
    assert rows["always the most frequent class"].endswith("0.600")
    assert any(line.split() == ["median", "0.600"] for line in str(GOOD).splitlines())


def test_no_relation_shown_is_no_proof_of_none():
    said = made(0.6, [0.5, 0.7] * 20).verdict
    assert "better than with 20 of 40 permutations" in said
    assert "which does not prove that there is none" in said


def test_better_than_permuted_and_worse_than_the_majority():
    said = made(0.55, [0.4] * 39).verdict
    assert "better than with all 39 permutations: p = 0.025" in said
    assert "always answering the most frequent class is worth 0.600, which is better" in said
    lower = made(0.45, [0.6] * 39, metric="error_rate", majority=0.4).verdict
    assert "is worth 0.400, which is better" in lower


def test_too_few_permutations_for_the_level():
    assert (
        "With 9 permutations p cannot be 0.050 or less: 19 are needed at least."
        in made(0.9, [0.5] * 9).verdict
    )
    assert "are needed" not in made(0.9, [0.5] * 19).verdict
    assert "99 are needed at least" in made(0.9, [0.5] * 39, level=0.99).verdict


def test_a_p_that_more_permutations_could_turn():
    assert "More permutations could move p to the other side of 0.050" in flat(GOOD)
    assert "More permutations" not in flat(made(0.9, [0.5] * 400))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        pytest.param(
            {"folds": KFold(5).folds(Y, Y)}, "p is approximate: the folds share training", id="folds"
        ),
        pytest.param({"folds": KFold(5, n_repeats=2).folds(Y, Y)}, "p is far too small", id="runs"),
        pytest.param(
            {"folds": KFold(5).folds(Y, Y), "permute": "all"},
            "scikit-learn's permutation_test_score permutes the same way.",
            id="all rows",
        ),
    ],
)
def test_how_exact_p_is_depends_on_the_folds(options, words):
    test = made(0.9, [0.5] * 39, **options)
    assert words in flat(test)
    assert test.exact is (test.permute == "all")


def test_with_folds_the_verdict_says_first_that_p_is_approximate():
    said = made(0.9, [0.5] * 39, folds=KFold(5).folds(Y, Y)).verdict
    caveat = (
        "p is approximate with folds: without a relation it is 0.05 or less in up to 10 of 100 data sets; "
        "--permute all (permute='all') is exact."
    )
    assert said.index(caveat) < said.index("The classes seem to have to do with the features")
    assert "The classes have to do" not in said
    for plain in (GOOD, made(0.9, [0.5] * 39, folds=KFold(5).folds(Y, Y), permute="all")):
        assert "approximate" not in plain.verdict
        assert "The classes have to do with the features" in plain.verdict
    # Where no relation is shown there is nothing to take back.
    assert "approximate" not in made(0.5, [0.5] * 39, folds=KFold(5).folds(Y, Y)).verdict


def test_a_p_that_is_far_too_small_shows_nothing():
    again = KFold(5, n_repeats=2).folds(Y, Y)
    said = made(0.9, [0.5] * 39, folds=again).verdict
    assert "p is far too small here" in said
    assert "0.05 or less in up to 26 of 100 data sets; --permute all (permute='all') is exact." in said
    assert said.endswith("So it shows no relation.")
    assert "to do with the features" not in said


@pytest.mark.parametrize("permuted", [[0.5] * 39, [0.95] * 39, [0.5] * 3], ids=["small", "large", "too few"])
def test_that_p_is_far_too_small_is_said_whatever_it_is(permuted):
    again = KFold(5, n_repeats=2).folds(Y, Y)
    assert "p is far too small here" in made(0.9, permuted, folds=again).verdict
    assert "far too small" not in made(0.9, permuted, folds=again, permute="all").verdict
    assert "far too small" not in made(0.9, permuted).verdict


@pytest.mark.parametrize(
    ("value", "permuted", "more", "said"),
    [
        pytest.param(0.5, [0.5] * 39, {}, True, id="nothing shown"),
        pytest.param(0.9, [0.5] * 39, {}, False, id="shown"),
        pytest.param(0.9, [0.5] * 9, {}, False, id="too few permutations"),
        pytest.param(0.5, [0.5] * 39, {"permute": "all"}, False, id="all permuted"),
        pytest.param(0.5, [0.5] * 39, {"folds": KFold(3).folds(Y, Y)}, False, id="folds"),
        pytest.param(0.5, [0.5] * 39, {"metric": "brier"}, False, id="a low loss"),
        pytest.param(0.7, [0.5] * 39, {"metric": "brier"}, True, id="a loss"),
    ],
)
def test_where_a_small_holdout_shows_nothing_folds_are_named(value, permuted, more, said):
    if more.get("metric") == "brier":
        permuted = [0.6] * 39
    words = (
        "One holdout of 10 test rows misses much; --method kfold:5 --permute all (cv=5, permute='all') finds"
    )
    assert (words in flat(made(value, permuted, **more))) == said


def test_a_large_holdout_names_no_other_way():
    folds = Holdout(0.5).folds(np.arange(100) % 2)
    assert "finds more" not in flat(made(0.5, [0.5] * 39, folds=folds))


# --- data ----------------------------------------------------------------------------------------


def test_json_has_every_permutation():
    form = json.loads(made(0.9, [0.5, np.nan, 0.95]).to_json())
    assert next(iter(form)) == "schema"
    assert form["schema"] == "tallymark/permutation-test/1"
    assert form["permuted"]["values"] == [0.5, None, 0.95]
    assert (form["value"], form["better"], form["metric"]) == (0.9, "higher", "accuracy")
    assert (form["at_least_as_good"], form["undefined"], form["n_permutations"]) == (2, 1, 3)
    assert form["p_value"] == pytest.approx(3 / 4)
    assert form["data"] == {
        "name": "data",
        "rows": 30,
        "labels": ["no", "yes"],
        "positive": "yes",
        "class_counts": [20, 10],
        "groups": None,
    }
    assert form["baseline"] == {"value": 0.6}
    assert form["permuted"]["standard_deviation"] == pytest.approx(0.45 / np.sqrt(2))
    assert (form["permute"], form["exact"], form["folds"]) == ("training", True, 1)
    assert form["permuted"]["quantiles"]["0.5"] == pytest.approx(0.725)


def test_an_undefined_majority_says_why():
    form = made(0.9, [0.5], metric="precision", majority=None).to_dict()
    assert form["baseline"] == {"value": None, "why": "nothing was predicted positive"}


def test_csv_begins_with_the_real_classes(tmp_path):
    test = made(0.9, [0.5, np.nan])
    test.save(tmp_path / "a.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "a.csv").read_text("utf-8"))))
    assert [row["classes"] for row in rows] == ["real", "permuted", "permuted"]
    assert [row["permutation"] for row in rows] == ["0", "1", "2"]
    assert [row["accuracy"] for row in rows] == ["0.9", "0.5", ""]
    assert test.to_frame("pandas").shape == (3, 4)


# --- the picture ---------------------------------------------------------------------------------


def heights(band):
    """The bars of a band: the share of permutations in each."""
    return (band.high - band.low)[::2]


def test_bars_count_the_permutations_and_the_real_result_is_a_line():
    (panel,) = GOOD.figure("permutations").panels
    worse, good = (mark for mark in panel.marks if isinstance(mark, Band))
    assert (39 * heights(worse)).tolist() == pytest.approx([10, 15, 13])
    assert ((worse.x[::2] + worse.x[1::2]) / 2).tolist() == pytest.approx([0.5, 0.6, 0.7])
    assert (39 * heights(good)).tolist() == pytest.approx([1])
    assert (worse.label, good.label) == ("permuted classes: 38 worse", "permuted classes: 1 at least as good")
    real, majority = (mark for mark in panel.marks if isinstance(mark, Line))
    assert (real.x.tolist(), real.label) == ([0.9, 0.9], "real classes: 0.900")
    assert (majority.x.tolist(), majority.series) == ([0.6, 0.6], None)
    assert panel.x.low < 0.5 < 0.9 < panel.x.high
    assert panel.x.label == "accuracy (higher is better)"


@pytest.mark.parametrize("better", ["auc", "log_loss"])
def test_many_values_share_bars_and_none_is_lost(better):
    values = np.random.default_rng(0).normal(0.5, 0.1, 500)
    test = made(0.61, values, metric=better)
    (panel,) = test.figure().panels
    worse, good = (mark for mark in panel.marks if isinstance(mark, Band))
    as_good = (values >= 0.61) if better == "auc" else (values <= 0.61)
    assert as_good.sum() == test.at_least_as_good
    assert 500 * heights(good).sum() == pytest.approx(as_good.sum())
    assert heights(worse).sum() + heights(good).sum() == pytest.approx(1)
    # No bar holds both kinds: they meet at the real result.
    assert (good.low == 0).all()
    assert 8 <= len(heights(worse)) + len(heights(good)) <= 45


@pytest.mark.parametrize(
    ("value", "permuted"),
    [
        pytest.param(0.9, [0.5] * 20, id="one value"),
        pytest.param(0.5, [0.5] * 20, id="all the same"),
        pytest.param(0.9, [np.nan] * 20, id="all undefined"),
        pytest.param(0.9, [0.5], id="one permutation"),
    ],
)
def test_pictures_of_odd_results_are_drawn(value, permuted, tmp_path):
    test = made(value, permuted)
    test.save(tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 1000
    if np.isnan(permuted).all():
        assert "20 without a result are not drawn" in test.figure().note


def test_other_pictures_are_not_known():
    with pytest.raises(OptionError, match="there is permutations"):
        GOOD.figure("roc")


def test_files_of_every_kind(tmp_path):
    rng = np.random.default_rng(0)
    test = tm.permutation_test(GaussianNB(), rng.normal(size=(ROWS, 2)), Y, n_permutations=5)
    for suffix in (".txt", ".md", ".tex", ".json", ".csv", ".svg", ".html"):
        test.save(tmp_path / f"a{suffix}")
        assert (tmp_path / f"a{suffix}").stat().st_size > 50
    assert test.report().sections[0].blocks[0].text.startswith(test.verdict)
    assert repr(test).startswith("PermutationTest(GaussianNB; accuracy ")
