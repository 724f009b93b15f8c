"""Intervals of numbers about all classes: variances against the jackknife, and coverage in small.

The coverage study is benchmarks/coverage_classes.py; seeds are fixed, and bands are 0.95 plus or minus five
binomial standard errors, so a test fails for a wrong method and not for bad luck.
"""

from __future__ import annotations

import importlib.util
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

from tallymark.inference import Ranking
from tallymark.inference.classes.ranking import class_ranking
from tallymark.intake.ranking import count_scores
from tallymark.intervals import bounds
from tallymark.metrics import ask
from tallymark.metrics.classes import AREAS

FILE = Path(__file__).parents[2] / "benchmarks" / "coverage_classes.py"
_spec = importlib.util.spec_from_file_location("coverage_classes", FILE)
bench = importlib.util.module_from_spec(_spec)
sys.modules["coverage_classes"] = bench
_spec.loader.exec_module(bench)

SAMPLES = 200


def rows(size=3, n=120, seed=0):
    generator = np.random.default_rng(seed)
    classes = generator.choice(size, n, p=generator.dirichlet(np.full(size, 8.0)))
    table = generator.normal(size=(n, size))
    table[np.arange(n), classes] += 1.2
    return table, classes


def made(table, classes, **options):
    return class_ranking(table, classes, labels=range(table.shape[1]), **options)


# --- standard errors -------------------------------------------------------------------------


@pytest.mark.parametrize("name", AREAS)
def test_the_standard_error_is_nearly_that_of_the_jackknife(name):
    table, classes = rows(4, 200)
    found = made(table, classes).of(ask(name))
    values = np.array(
        [
            made(np.delete(table, at, axis=0), np.delete(classes, at)).of(ask(name)).value
            for at in range(len(table))
        ]
    )
    jackknife = np.sqrt((len(values) - 1) * np.mean((values - values.mean()) ** 2))
    assert found.se == pytest.approx(jackknife, rel=0.02)


@pytest.mark.parametrize("name", AREAS)
def test_with_groups_it_is_that_of_leaving_groups_out(name):
    table, classes = rows(3, 400)
    group = np.arange(400) % 40
    table += np.random.default_rng(1).normal(size=(40, 3))[group]
    found = made(table, classes, group=(tuple(range(40)), group)).of(ask(name))
    values = np.array(
        [made(table[group != out], classes[group != out]).of(ask(name)).value for out in range(40)]
    )
    jackknife = np.sqrt((len(values) - 1) * np.mean((values - values.mean()) ** 2))
    assert found.se == pytest.approx(jackknife, rel=0.05)
    assert found.assumption == "independent groups (40 of them)"
    assert found.method == "linearised_groups"


@pytest.mark.parametrize("name", AREAS)
def test_rows_of_frequency_2_are_two_rows_each(name):
    table, classes = rows()
    times = np.random.default_rng(0).integers(0, 4, len(classes))
    once = made(np.repeat(table, times, axis=0), np.repeat(classes, times))
    counted = made(table, classes, weight=times, weight_kind="frequency")
    for one, two in zip(*(each.of(ask(name)).to_dict().values() for each in (once, counted)), strict=True):
        assert one == two or one == pytest.approx(two)


def test_equal_weights_change_nothing_and_groups_of_one_row_next_to_nothing():
    table, classes = rows()
    plain = made(table, classes)
    weighted = made(table, classes, weight=np.full(len(classes), 0.1))
    grouped = made(table, classes, group=(tuple(range(len(classes))), np.arange(len(classes))))
    for name in (*AREAS, "top_k_accuracy:2"):
        expected = plain.of(ask(name))
        assert weighted.of(ask(name)).low == pytest.approx(expected.low)
        assert grouped.of(ask(name)).se == pytest.approx(expected.se, rel=0.02)


@pytest.mark.parametrize("name", AREAS)
@pytest.mark.parametrize("apart", [0.5, 2.0, 50.0])
def test_of_two_classes_it_is_the_area_under_the_roc_curve(name, apart):
    generator = np.random.default_rng(3)
    positive = generator.random(80) < 0.3
    score = generator.normal(size=80) + apart * positive
    expected = Ranking(count_scores(score, positive)).of(ask("auc"))
    found = made(np.stack([-score, score], axis=1), positive).of(ask(name))
    assert (found.value, found.low, found.high) == pytest.approx(
        (expected.value, expected.low, expected.high)
    )
    assert found.se == (None if expected.se is None else pytest.approx(expected.se))


def test_given_shares_reweight_the_classes():
    table, classes = rows(3, 300)
    shares = np.array([0.2, 0.5, 0.3])
    seen = np.bincount(classes, minlength=3) / 300
    there = made(table, classes, shares=shares)
    weighted = made(table, classes, weight=(shares / seen)[classes])
    for name in (*AREAS, "top_k_accuracy:1"):
        assert there.of(ask(name)).value == pytest.approx(weighted.of(ask(name)).value)
    # With the shares they have anyway only what is uncertain about these shares goes away.
    own = made(table, classes, shares=seen)
    assert own.of(ask("auc_ovo_macro")).low == pytest.approx(
        made(table, classes).of(ask("auc_ovo_macro")).low
    )
    for name in AREAS:
        assert own.of(ask(name)).se <= made(table, classes).of(ask(name)).se + 1e-12


def test_a_class_whose_share_is_0_is_left_out():
    table, classes = rows(3, 300)
    at = classes < 2
    seen = np.bincount(classes[at]) / at.sum()
    found = made(table, classes, shares=np.array([*seen, 0.0]))
    two = made(table[at, :2], classes[at])
    assert found.of(ask("auc_ovo_macro")).value == pytest.approx(two.of(ask("auc_ovo_macro")).value)
    assert found.of(ask("auc_ovo_macro")).se == pytest.approx(two.of(ask("auc_ovo_macro")).se)
    alone = made(table, classes, shares=np.array([1.0, 0.0, 0.0]))
    assert alone.of(ask("auc_ovr_macro")).why.startswith("all rows are of one class")


# --- what is said ----------------------------------------------------------------------------


def test_places_are_a_share_of_rows():
    table, classes = rows()
    found = made(table, classes).of(ask("top_k_accuracy:1"))
    hits = int((table.argmax(axis=1) == classes).sum())
    assert (found.low, found.high) == pytest.approx(bounds(hits, 120, "wilson", 0.95))
    assert (found.method, found.n) == ("wilson", 120)


def test_all_places_need_no_interval():
    found = made(*rows()).of(ask("top_k_accuracy:7"))
    assert (found.value, found.low) == (1, None)
    assert found.note == "every class is among the first 7 of 3, so it is 1 whatever the probabilities"


def test_perfect_separation_is_not_certainty():
    table = np.repeat(np.eye(3), 10, axis=0)
    found = made(table, np.repeat(np.arange(3), 10)).of(ask("auc_ovo_macro"))
    assert found.value == found.high == 1
    assert 0.8 < found.low < 0.95
    assert found.method == "newcombe"
    assert found.note.startswith("complete separation shows no variance")


def test_nothing_told_apart():
    found = made(np.full((30, 3), 1 / 3), np.arange(30) % 3).of(ask("auc_ovr_macro"))
    assert found.value == 0.5
    assert found.low < 0.4
    assert found.note.startswith("rows are all ranked alike")


def test_classes_without_rows_are_named():
    table, classes = rows(5, 100)
    found = made(table, np.minimum(classes, 2)).of(ask("auc_ovr_macro"))
    assert found.note == "3 of 5 classes; no row is of 3, 4"


def test_a_class_of_one_row_widens_the_interval():
    table, classes = rows(3, 60)
    classes = np.where(classes == 2, 0, classes)
    classes[0] = 2
    found = made(table, classes).of(ask("auc_ovo_macro"))
    assert np.isfinite([found.low, found.high]).all()
    assert found.high - found.low > 0.1


@pytest.mark.parametrize("name", AREAS)
def test_undefined(name):
    assert made(np.ones((3, 2)), np.zeros(3, int)).of(ask(name)).why == (
        "all rows are of one class (classes - 1 = 0)"
    )
    assert made(np.ones((0, 2)), np.zeros(0, int)).of(ask(name)).why == "there are no rows (n = 0)"
    assert made(np.ones((0, 2)), np.zeros(0, int)).of(ask("top_k_accuracy:1")).why == (
        "there are no rows (n = 0)"
    )


def test_one_group_has_no_interval():
    table, classes = rows()
    found = made(table, classes, group=(("a",), np.zeros(120, int)))
    for name in ("auc_ovo_macro", "top_k_accuracy:1"):
        assert found.of(ask(name)).low is None
        assert "one group" in found.of(ask(name)).note


def test_rows_without_weight_are_not_there():
    table, classes = rows()
    weight = np.random.default_rng(0).random(120) * (np.arange(120) % 3 > 0)
    group = np.arange(120) % 12
    all_rows = made(table, classes, weight=weight, group=(tuple(range(12)), group))
    at = np.flatnonzero(weight)
    keys, codes = np.unique(group[at], return_inverse=True)
    only = made(table[at], classes[at], weight=weight[at], group=(tuple(keys.tolist()), codes))
    for name in (*AREAS, "top_k_accuracy:2"):
        assert all_rows.of(ask(name)).to_dict() == pytest.approx(only.of(ask(name)).to_dict())


def test_it_is_small_and_can_be_pickled():
    table, classes = rows(4, 5_000)
    group = (tuple(range(500)), np.arange(5_000) % 500)
    found = made(table, classes, group=group)
    packed = pickle.dumps(found)
    assert len(packed) < 5_000
    for name in (*AREAS, "top_k_accuracy:2"):
        assert pickle.loads(packed).of(ask(name)).to_dict() == found.of(ask(name)).to_dict()


# --- coverage --------------------------------------------------------------------------------


def five_errors(samples=SAMPLES):
    return 5 * np.sqrt(0.95 * 0.05 / samples)


def test_the_true_numbers_are_those_of_many_rows():
    design = bench.neighbours(4, 40_000)
    found = bench.ranking_of(design, design.draw(np.random.default_rng(0)))
    for name, truth in design.truth().items():
        assert found.of(ask(name)).value == pytest.approx(truth, abs=0.01)


@pytest.mark.parametrize(
    "design",
    [
        bench.alike(0.8, 3, 60),
        bench.alike(0.95, 5, 200),
        bench.alike(0.99, 3, 60),
        bench.neighbours(5, 200),
        bench.neighbours(3, 100, weighted=True),
        bench.neighbours(4, 150, shares_given=True),
        bench.neighbours(3, 200, groups=20, spread=0.7),
    ],
    ids=lambda design: design.title,
)
def test_coverage(design):
    assert bench.least(bench.study(design, SAMPLES)) >= 0.95 - five_errors()
