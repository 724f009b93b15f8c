"""Tests call equal models different no more often than they may, and the plain t over folds far more often.

This is benchmarks/false_positives.py in small. Seeds are fixed, and bands are five binomial standard errors
wide; so a test fails for a wrong method and not for bad luck.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

FILE = Path(__file__).parents[1] / "false_positives.py"
_spec = importlib.util.spec_from_file_location("false_positives", FILE)
bench = importlib.util.module_from_spec(_spec)
sys.modules["false_positives"] = bench
_spec.loader.exec_module(bench)


def rates_of(design):
    return {each.test: each for each in bench.study(design)}


def most(samples, level=0.05):
    return level + 5 * bench.error(level, samples)


def all_keep(found, but=()):
    for test, each in found.items():
        if test not in but:
            assert each.false <= most(each.samples), (test, each)


# --- the measuring itself --------------------------------------------------------------------


def test_uniform_p_values_are_rejected_as_often_as_they_should_and_no_answer_never():
    found = bench.rejected(lambda g: {"uniform": g.random(), "none": None}, 4_000, 0)
    assert found["uniform"] == pytest.approx(0.05, abs=5 * bench.error(0.05, 4_000))
    assert found["none"] == 0


def test_a_test_that_is_wrong_too_often_is_marked():
    assert bench.Rates("t", "n", 0.2, 0.5, 1_000).too_many
    assert not bench.Rates("t", "n", 0.06, 0.5, 1_000).too_many


def test_every_training_row_is_left_out_of_its_own_test():
    generator = np.random.default_rng(0)
    testing = bench.cross_validation(50, 10, 2, generator)
    assert testing.shape == (20, 50)
    assert (testing.sum(axis=1) == 5).all()
    assert (testing.sum(axis=0) == 2).all()
    assert (bench.holdouts(60, 7, generator).sum(axis=1) == 20).all()


def test_the_learners_are_those_of_scikit_learn():
    from sklearn.neighbors import KNeighborsClassifier, NearestCentroid

    generator = np.random.default_rng(1)
    y = generator.permutation(60) < 30
    x = generator.normal(size=(60, 5)) + y[:, None]
    testing = bench.cross_validation(60, 5, 1, generator)
    peers = {"centroid": NearestCentroid(), "1-NN": KNeighborsClassifier(1)}
    for name, peer in peers.items():
        ours = bench.LEARNERS[name](x, y, testing)
        for fold, held in enumerate(testing):
            expected = peer.fit(x[~held], y[~held]).predict(x[held])
            assert (ours[fold][held] == expected).all(), name


# --- the same rows ---------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "better_by"), [(30, 0.2), (100, 0.12)])
def test_mcnemar(n, better_by):
    found = rates_of(bench.answers(n, better_by, 1_000))
    all_keep(found)
    assert found["McNemar, exact"].false <= found["McNemar, mid_p"].false
    assert all(each.power > 0.3 for each in found.values())


def test_swapped_answers():
    found = rates_of(bench.swaps(50, 0.2, 150))
    all_keep(found)
    assert all(each.power > 0.3 for each in found.values())


def test_rows_of_a_group_must_be_swapped_together():
    found = rates_of(bench.grouped_swaps(30, 0.1, 120))
    ignored = [test for test in found if "ignored" in test]
    all_keep(found, ignored)
    assert all(found[test].false > most(120) for test in ignored)


def test_a_family_of_pairs_needs_holm():
    found = rates_of(bench.several(200, 0.1, 400))
    all_keep(found, ["exact McNemar of pairs, not adjusted"])
    assert found["exact McNemar of pairs, not adjusted"].false > most(400)
    assert found["Cochran's Q"].power > 0.5


def test_areas_and_losses():
    all_keep(rates_of(bench.areas(60, 0.6, 150)))
    all_keep(rates_of(bench.losses(60, 0.8, 150)))


def test_other_rows():
    # Wald is known to be too sure of small samples, and is not held to 5 %.
    found = rates_of(bench.other_rows(30, 0.2, 300))
    all_keep(found, ["two proportions, wald"])
    assert found["two proportions, newcombe_cc"].false <= found["two proportions, wald"].false


# --- folds -----------------------------------------------------------------------------------


def test_the_plain_t_over_overlapping_folds_fails_and_the_corrected_one_does_not():
    found = rates_of(bench.folds("centroid", 100, 0.3, 150))
    for how in ("10 x 10 folds", "30 holdouts"):
        assert found[f"plain t, {how}"].false > 0.3
        assert found[f"corrected t, {how}"].false <= most(150)
    assert found["corrected t, 10 folds"].false <= most(150)
    assert found["corrected t, 10 folds"].false <= found["plain t, 10 folds"].false


# --- data sets -------------------------------------------------------------------------------


def test_two_models_on_many_data_sets():
    found = rates_of(bench.two_models(10, 1.2, 200))
    all_keep(found, ["Bayes, signed rank: P(better) > 0.95"])
    assert found["Wilcoxon"].power >= found["sign"].power


def test_six_data_sets_can_be_enough_for_wilcoxon_and_the_sign_test():
    # 2 / 2^6 = 0.03125: both reject only when all six differences have one sign.
    found = rates_of(bench.two_models(6, 2.0, 300))
    assert found["Wilcoxon"].false == found["sign"].false
    assert found["sign"].false == pytest.approx(0.03125, abs=5 * bench.error(0.03125, 300))


def test_five_models_on_many_data_sets():
    found = rates_of(bench.many_models(10, 1.2, 40))
    all_keep(found, ["ranks of pairs, not adjusted"])
    assert found["ranks of pairs, Bergmann-Hommel"].power >= found["ranks of pairs, Holm"].power
