"""What one way of answering saves against another: the value by hand, what the interval must not depend on,
and how often it holds the truth (benchmarks/coverage_decisions.py in small)."""

from __future__ import annotations

import importlib.util
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

from tallymark.inference.savings import saving

FILE = Path(__file__).parents[2] / "benchmarks" / "coverage_decisions.py"
_spec = importlib.util.spec_from_file_location("coverage_decisions", FILE)
bench = importlib.util.module_from_spec(_spec)
sys.modules["coverage_decisions"] = bench
_spec.loader.exec_module(bench)

GAINS, AMOUNTS = np.array([10.0, -1.0, 0.0]), np.array([5, 20, 475])


def ends(estimate):
    return estimate.low, estimate.high


def test_the_value_is_the_sum_over_kinds():
    found = saving(GAINS, AMOUNTS)
    assert found.value == 5 * 10 - 20
    assert (found.n, found.method, found.assumption) == (500, "dirichlet", "independent rows")
    assert found.low < 30 < found.high


def test_the_width_is_near_that_of_the_multinomial():
    """n var(gain) = 500 (0.01 100 + 0.04 1 - 0.06**2), so a half-width of 1.96 sqrt(518.2) = 44.6."""
    low, high = ends(saving(GAINS, AMOUNTS))
    assert (high - low) / 2 == pytest.approx(44.6, rel=0.08)


def test_how_finely_rows_are_told_apart_does_not_matter():
    finer = saving(np.array([0.0, 10, -1, 0, -1]), np.array([400, 5, 12, 75, 8]))
    assert ends(finer) == ends(saving(GAINS, AMOUNTS))


def test_another_currency_only_changes_the_figures():
    cents = saving(GAINS * 100, AMOUNTS)
    assert ends(cents) == pytest.approx(tuple(100 * end for end in ends(saving(GAINS, AMOUNTS))))
    tiny = saving(GAINS * 1e-30, AMOUNTS)
    assert ends(tiny) == pytest.approx(tuple(1e-30 * end for end in ends(saving(GAINS, AMOUNTS))))


def test_what_is_saved_is_lost_the_other_way_round():
    low, high = ends(saving(GAINS, AMOUNTS))
    assert ends(saving(-GAINS, AMOUNTS)) == pytest.approx((-high, -low), abs=2)


def test_equal_weights_say_what_no_weights_say():
    weighted = saving(GAINS, AMOUNTS * 0.5, AMOUNTS * 0.25)
    assert weighted.n == pytest.approx(500)
    assert ends(weighted) == pytest.approx(tuple(end / 2 for end in ends(saving(GAINS, AMOUNTS))))


def test_unequal_weights_make_it_wider():
    # Half as many rows of twice the weight: the same total and twice the sum of squares.
    low, high = ends(saving(GAINS, AMOUNTS))
    wide = ends(saving(GAINS, AMOUNTS, AMOUNTS * 2))
    assert (wide[1] - wide[0]) / (high - low) == pytest.approx(2**0.5, rel=0.15)


def test_given_shares_are_no_part_of_what_is_uncertain():
    """All of the class flip: how many there are is given, so nothing is uncertain."""
    gains, amounts = np.array([3.0, 0.0]), np.array([50, 450])
    fixed = saving(gains, amounts, strata=np.array([1, 0]))
    assert (fixed.value, fixed.low) == (150, None)
    assert "whatever rows there are" in fixed.note
    assert saving(gains, amounts).low < 150


def test_given_shares_in_other_units_change_nothing():
    """Rows of a class counted as tenths, with the squares that go with it: the same sample."""
    gains, strata = np.array([10.0, 0.0, -1.0, 0.0]), np.array([1, 1, 0, 0])
    amounts = np.array([5.0, 95, 20, 380])
    factor = np.array([0.1, 0.1, 1, 1])
    scaled = saving(gains / factor, amounts * factor, amounts * factor**2, strata=strata)
    assert ends(scaled) == pytest.approx(ends(saving(gains, amounts, strata=strata)))


def test_a_kind_not_seen_is_possible():
    seen, possible = saving(np.array([1.0, 0.0]), [3, 97]), saving(np.array([1.0, 0.0, -50.0]), [3, 97, 0])
    assert seen.value == possible.value == 3
    assert seen.low > -5
    assert possible.low < -50


def test_nothing_differs():
    for gains in ([0.0, 0.0], [2.0, 2.0]):
        found = saving(np.array(gains), np.array([5, 6]))
        assert found.value == 11 * gains[0]
        assert found.low is None
        assert "no interval" in found.note


def test_no_rows():
    found = saving(GAINS, np.zeros(3))
    assert found.value is None
    assert found.why == "there are no rows"


def entries(size, rows_of_group):
    """500 rows of the three kinds, dealt to groups."""
    kind = np.repeat([0, 1, 2], AMOUNTS)
    return size, rows_of_group(kind), kind, np.ones(len(kind))


def test_groups_that_are_single_rows_say_what_rows_say():
    rows = ends(saving(GAINS, AMOUNTS))
    found = saving(GAINS, AMOUNTS, groups=entries(500, lambda kind: np.arange(len(kind))))
    assert found.method == "group_bootstrap"
    assert found.assumption == "independent groups (500 of them)"
    assert found.high - found.low == pytest.approx(rows[1] - rows[0], rel=0.15)


def test_rows_that_flip_together_make_it_wider():
    apart = saving(GAINS, AMOUNTS, groups=entries(50, lambda kind: np.arange(len(kind)) % 50))
    together = saving(GAINS, AMOUNTS, groups=entries(50, lambda kind: np.arange(len(kind)) // 10))
    assert together.high - together.low > 1.5 * (apart.high - apart.low)


def test_names_of_groups_do_not_matter():
    random = np.random.default_rng(0)
    size, group, kind, amount = entries(50, lambda kind: np.arange(len(kind)) // 10)
    other = random.permutation(50)[group]
    assert ends(saving(GAINS, AMOUNTS, groups=(size, other, kind, amount))) == ends(
        saving(GAINS, AMOUNTS, groups=(size, group, kind, amount))
    )


def test_how_rows_are_added_up_does_not_matter(monkeypatch):
    groups = entries(50, lambda kind: np.arange(len(kind)) // 10)
    in_a_table = ends(saving(GAINS, AMOUNTS, groups=groups))
    monkeypatch.setattr("tallymark.inference.savings._TABLE", 0)
    assert ends(saving(GAINS, AMOUNTS, groups=groups)) == in_a_table


def test_one_group_has_no_interval():
    found = saving(GAINS, AMOUNTS, groups=entries(1, lambda kind: np.zeros(len(kind), int)))
    assert found.value == 30
    assert found.low is None


def test_many_kinds_are_drawn_where_they_were_seen():
    """Above 400 kinds of gains only those seen are drawn: as many as rows, so the bootstrap of the rows."""
    random = np.random.default_rng(0)
    gains = random.normal(size=1_000)
    found = saving(gains, np.ones(1_000))
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * np.sqrt(1_000) * gains.std(), rel=0.15)


def test_the_same_seed_gives_the_same_interval_and_another_nearly():
    first, again, other = (saving(GAINS, AMOUNTS, seed=seed) for seed in (3, 3, 4))
    assert ends(first) == ends(again)
    assert ends(first) != ends(other)
    assert ends(first) == pytest.approx(ends(other), abs=3)


def test_it_can_be_asked_again_and_pickled():
    found = saving(GAINS, AMOUNTS)
    assert found.interval(0.99).high > found.high > found.interval(0.8).high
    assert ends(pickle.loads(pickle.dumps(found))) == ends(found)


# --- coverage ------------------------------------------------------------------------------------


def band(samples):
    """Five binomial standard errors."""
    return 5 * np.sqrt(0.95 * 0.05 / samples)


@pytest.mark.parametrize("flips", [(0.1, 0.1), (0.02, 0.05), (0.005, 0.02)])
def test_coverage_of_independent_rows(flips):
    samples = 200
    found = bench.study_rows(300, flips, (10.0, -1.0), samples)
    assert found.coverage >= 0.95 - band(samples)


def test_coverage_with_weights():
    samples = 200
    assert bench.study_weights(400, (0.05, 0.08), (10.0, -1.0), samples).coverage >= 0.95 - band(samples)


def test_20_rows_a_group_break_the_interval_of_rows_and_not_that_of_groups():
    samples = 150
    ours, naive = bench.study_groups(50, (0.05, 0.08), (10.0, -1.0), samples)
    assert ours.coverage >= 0.95 - band(samples)
    assert naive.coverage < 0.85
