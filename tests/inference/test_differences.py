"""A part of the rows against all of them: values by hand, intervals against theory, hard cases."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tallymark.inference import Estimate, Sample
from tallymark.inference.differences import ONE_SIDED, THE_REST, Difference, without
from tallymark.inference.sample import LARGEST
from tallymark.intake.columns import LabelColumn
from tallymark.intake.encoded import Encoded
from tallymark.metrics import ask
from tallymark.tallies import Confusion


def table(tp: float, fn: float, fp: float, tn: float, **options: Any) -> Confusion:
    counts = np.array([tp, fn, fp, tn])
    return Confusion.from_cells(("yes", "no"), np.arange(4), counts, declared=True, **options)


def difference(part: Confusion, whole: Confusion, name: str, **options: Any) -> Estimate:
    return Difference(Sample(part, **options), Sample(whole, **options)).of(ask(name), 0)


PART, WHOLE = table(30, 10, 5, 55), table(100, 60, 40, 300)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("accuracy", 85 / 100 - 400 / 500),
        ("recall", 30 / 40 - 100 / 160),
        ("precision", 30 / 35 - 100 / 140),
        ("f1", 60 / 75 - 200 / 300),
        ("fpr", 5 / 60 - 40 / 340),
        ("prevalence", 40 / 100 - 160 / 500),
    ],
)
def test_values_by_hand(name: str, value: float) -> None:
    found = difference(PART, WHOLE, name)
    assert found.value == pytest.approx(value)
    assert found.method == "dirichlet"
    assert found.low is not None
    assert found.high is not None
    assert found.low < value < found.high


def test_the_rest_is_what_is_not_of_the_part() -> None:
    rest = without(WHOLE, PART)
    assert rest.counts.tolist() == [70, 50, 35, 245]
    assert rest.rows == 400


def test_the_interval_knows_that_the_part_is_in_the_whole() -> None:
    # slice - whole = (1 - share) (slice - rest), so the variance is (1 - share)**2 (p q / n + r s / m).
    part, whole = table(300, 100, 100, 500), table(900, 300, 300, 1_500)
    found = difference(part, whole, "accuracy")
    deviation = (1 - 1 / 3) * math.sqrt(0.8 * 0.2 / 1_000 + 0.8 * 0.2 / 2_000)
    assert found.value == 0
    assert found.low == pytest.approx(-1.96 * deviation, rel=0.06)
    assert found.high == pytest.approx(1.96 * deviation, rel=0.06)


def test_two_halves_differ_by_opposite_amounts() -> None:
    first, second = table(40, 10, 10, 40), table(25, 25, 10, 40)
    whole = table(65, 35, 20, 80)
    one, other = (difference(part, whole, "recall") for part in (first, second))
    assert float(one) == pytest.approx(0.15)
    assert float(other) == pytest.approx(-0.15)
    assert one.low == pytest.approx(-float(other.high or 0), abs=0.02)


def test_a_part_that_is_everything_has_nothing_to_differ_from() -> None:
    found = difference(WHOLE, WHOLE, "accuracy")
    assert (found.value, found.low, found.high) == (0, None, None)
    assert found.note == THE_REST
    assert found.to_dict()["method"] is None


def test_undefined_on_one_side_is_undefined() -> None:
    found = difference(table(0, 0, 5, 55), WHOLE, "recall")
    assert found.value is None
    assert found.why == "no row is actually positive (tp + fn = 0)"


def test_what_has_no_honest_interval_has_none_here_either() -> None:
    found = difference(PART, WHOLE, "no_information_rate")
    assert found.value == pytest.approx(0.6 - 0.68)
    assert found.low is None
    assert found.note == LARGEST


def test_costs() -> None:
    costs = np.array([[0.0, 5.0], [1.0, 0.0]])
    found = difference(PART, WHOLE, "mean_cost", costs=costs)
    assert found.value == pytest.approx((50 + 5) / 100 - (300 + 40) / 500)
    assert found.low is not None
    assert found.high is not None
    assert found.low < float(found) < found.high


def test_a_strict_level_reaches_as_far_as_its_tail() -> None:
    # At 99.99 % the normal goes 3.89 deviations out; 4,000 draws would end at about 3.5.
    part, whole = table(3_000, 1_000, 1_000, 5_000), table(30_000, 10_000, 10_000, 50_000)
    found = difference(part, whole, "accuracy")
    deviation = 0.9 * math.sqrt(0.16 / 10_000 + 0.16 / 90_000)
    for level, reach in ((0.95, 1.960), (0.99, 2.576), (0.9999, 3.891), (0.999999, 4.892)):
        again = found.interval(level)
        assert again.low == pytest.approx(-reach * deviation, rel=0.1)
        assert again.high == pytest.approx(reach * deviation, rel=0.1)


def test_a_strict_level_does_not_take_a_skewed_number_for_a_normal_one() -> None:
    # 20 of 20 where all have 0.8: it happens once in 87 slices, so it is no wonder among a hundred.
    found = difference(table(20, 0, 2, 28), table(1_600, 400, 200, 2_800), "recall")
    strict = found.interval(1 - 0.05 / 100)
    assert strict.low is not None
    assert strict.low < 0


# --- weights ---------------------------------------------------------------------------------


def encoded(part: Any, weight: Any = None, group: Any = None, classes: int = 2, seed: int = 0) -> Difference:
    """Random answers; `part` says which rows are in the slice."""
    generator = np.random.default_rng(seed)
    part = np.asarray(part, bool)
    n = len(part)
    actual = generator.integers(0, classes, n)
    predicted = np.where(generator.random(n) < 0.8, actual, generator.integers(0, classes, n))
    column = None if group is None else LabelColumn("group", np.asarray(group))
    weights = None if weight is None else np.asarray(weight)
    rows = Encoded(tuple(range(classes)), actual, predicted, weight=weights, group=column)
    sides = []
    for side in (rows.at(np.flatnonzero(part)), rows):
        total = side.tally(declared=True)
        sides.append(Sample(total, groups=None if group is None else side.grouped(total)))
    return Difference(*sides)


def test_equal_weights_are_no_weights() -> None:
    part = np.arange(200) % 4 == 0
    one, other = (encoded(part, weight).of(ask("f1"), 0) for weight in (None, np.full(200, 0.7)))
    assert (one.low, one.high) == pytest.approx((other.low, other.high))


@pytest.mark.parametrize("rest", [1e-9, 1e-7, 1e-3])
def test_a_rest_that_weighs_next_to_nothing(rest: float) -> None:
    # Sums of weights differ in the last digits: what is left over may be dust, or below 0.
    generator = np.random.default_rng(2)
    part = np.arange(300) % 10 != 0
    weight = np.where(part, 1e9 * generator.random(300), rest)
    found = encoded(part, weight).of(ask("accuracy"), 0)
    assert found.value == pytest.approx(0, abs=1e-6)
    assert found.low is not None
    assert found.high is not None
    assert -1 <= found.low <= found.high <= 1


def test_dust_is_no_rest() -> None:
    weights = np.array([0.1, 0.2, 0.3])
    rows = Encoded(("a", "b"), np.array([0, 0, 0]), np.array([0, 0, 0]), weight=weights)
    # The same rows in another order add up to another float.
    other = Encoded(("a", "b"), np.array([0, 0, 0]), np.array([0, 0, 0]), weight=weights[::-1].copy())
    whole, part = (side.tally(declared=True) for side in (rows, other))
    assert whole.n != part.n
    for rest in (without(whole, part), without(part, whole)):
        assert rest.n == 0


# --- groups ----------------------------------------------------------------------------------


def test_groups_are_drawn_once_for_both_sides() -> None:
    group = np.arange(600) // 20
    found = encoded(np.arange(600) % 2 == 0, group=group).of(ask("accuracy"), 0)
    assert found.method == "group_bootstrap"
    assert found.assumption == "independent groups (30 of them)"
    # Where both halves of every group are the same rows, they go up and down together: no difference is left.
    half = Encoded(
        ("a", "b"),
        np.zeros(600, np.int64),
        np.repeat(np.arange(30) % 3 == 0, 20).astype(np.int64),
        group=LabelColumn("group", group),
    )
    whole_tally = half.tally(declared=False)
    part = half.at(np.arange(0, 600, 2))
    part_tally = part.tally(declared=False)
    pair = Difference(
        Sample(part_tally, groups=part.grouped(part_tally)),
        Sample(whole_tally, groups=half.grouped(whole_tally)),
    )
    ends = pair.of(ask("accuracy"), 0).ends_at
    assert ends is not None
    low, high = ends(0.95)
    alone = Sample(part_tally, groups=part.grouped(part_tally)).of(ask("accuracy"), 0)
    assert high - low < 0.4 * (alone.high - alone.low)  # type: ignore[operator]


def test_a_part_of_one_group_and_a_rest_of_one_group() -> None:
    group = np.arange(60) // 20
    for part in (group == 0, group != 0):
        found = encoded(part, group=group).of(ask("accuracy"), 0)
        assert found.value is not None
        assert found.low is None
        assert found.note == ONE_SIDED


def test_the_fewer_groups_on_either_side_decide_how_far_to_reach() -> None:
    # The same rows and the same part, once of 4 groups and once of 40: fewer say less.
    part = np.arange(800) < 80
    widths = []
    for few in (20, 2):
        group = np.where(part, np.arange(800) // few, 1_000 + np.arange(800) // 20)
        found = encoded(part, group=group).of(ask("accuracy"), 0)
        assert found.low is not None
        assert found.high is not None
        widths.append(found.high - found.low)
    assert widths[0] > 1.5 * widths[1]


def test_draws_without_any_group_of_the_part_are_left_out() -> None:
    # Above 20 classes nothing but groups is drawn, and 2 of 60 groups are missed in every seventh draw.
    group = np.arange(1_200) // 20
    found = encoded(group < 2, group=group, classes=25).of(ask("accuracy"), 0)
    assert found.ends_at is not None
    low, high = found.ends_at(0.95)
    assert -1 <= low < float(found) < high <= 1


def test_the_prior_does_not_grow_when_groups_lie_within_the_part() -> None:
    # With 40 groups of 20 independent rows, 10 of them in the part, groups cost little.
    group = np.arange(800) // 20
    within = encoded(group < 10, group=group).of(ask("accuracy"), 0)
    plain = encoded(group < 10).of(ask("accuracy"), 0)
    assert None not in (within.low, within.high, plain.low, plain.high)
    assert within.high - within.low < 1.6 * (plain.high - plain.low)  # type: ignore[operator]
