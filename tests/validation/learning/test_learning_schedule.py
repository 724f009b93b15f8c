"""Sampling schedules: the published ones by hand, and what is said of sizes that do not fit."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from tallymark.errors import OptionError
from tallymark.validation.learning.curve import learning_curve
from tallymark.validation.learning.schedule import scheduled


def test_geometric_is_a_power_of_the_factor_times_the_start():
    # Provost, Jensen and Oates (1999): n0, a n0, a^2 n0, ... and the whole.
    assert scheduled("geometric", whole=100_000, start=100).sizes == (
        *(100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 51_200),
        100_000,
    )
    assert scheduled("geometric", whole=1_000, start=10, factor=3).sizes == (10, 30, 90, 270, 810, 1_000)
    # 10 * 1.5 = 15, 22.5 -> 23, 33.75 -> 34.
    assert scheduled("geometric", whole=40, start=10, factor=1.5).sizes == (10, 15, 23, 34, 40)


def test_arithmetic_adds_the_step_to_the_start():
    # John and Langley (1996): n0, n0 + d, n0 + 2 d, ... and the whole.
    assert scheduled("arithmetic", whole=1_000, start=100, step=200).sizes == (100, 300, 500, 700, 900, 1_000)
    assert scheduled("arithmetic", whole=500, start=100).sizes == (100, 200, 300, 400, 500)
    assert scheduled("arithmetic", whole=100, step=30).sizes == (30, 60, 90, 100)


def test_a_number_of_sizes_takes_the_place_of_what_is_not_said():
    assert scheduled("arithmetic", whole=1_000, n_sizes=5).sizes == (200, 400, 600, 800, 1_000)
    assert scheduled("arithmetic", whole=1_000, n_sizes=4, start=100).sizes == (100, 400, 700, 1_000)
    assert scheduled("arithmetic", whole=1_000, n_sizes=4, step=100).sizes == (700, 800, 900, 1_000)
    assert scheduled("geometric", whole=1_000, n_sizes=4).sizes == (125, 250, 500, 1_000)
    assert scheduled("geometric", whole=1_000, n_sizes=4, start=1).sizes == (1, 10, 100, 1_000)


def test_without_anything_said_sizes_are_halved_from_the_whole():
    # 667, 333.5, 166.75, 83.4, 41.7, 20.8, 10.4; the next has fewer than 4 rows for each of two classes.
    assert scheduled(whole=667).sizes == (10, 21, 42, 83, 167, 334, 667)
    assert scheduled(whole=100, classes=3).sizes == (13, 25, 50, 100)
    assert len(scheduled(whole=10**6).sizes) == 10
    assert scheduled("arithmetic", whole=50).sizes == tuple(range(5, 51, 5))


def test_sizes_and_shares_as_given_end_with_the_whole():
    made = scheduled([400, 100, 100], whole=1_000)
    assert made.sizes == (100, 400, 1_000)
    assert made.notes == ("the whole training part, 1,000 rows, was added as the last size.",)
    assert scheduled([0.1, 0.25, 1.0], whole=1_000).sizes == (100, 250, 1_000)
    assert scheduled(np.array([0.1, 1.0]), whole=1_000).notes == ()
    assert scheduled(np.array([10, 20]), whole=30).sizes == (10, 20, 30)
    assert scheduled("geometric", whole=90, start=0.1, factor=3).sizes == (9, 27, 81, 90)


def test_the_axis_suits_the_schedule():
    assert scheduled("geometric", whole=100).log
    assert not scheduled("arithmetic", whole=100).log
    assert scheduled([10, 100], whole=100).log
    assert not scheduled([50, 100], whole=100).log


def test_sizes_too_small_are_raised_and_it_is_said():
    made = scheduled([2, 3, 50], whole=100, least=7)
    assert made.sizes == (7, 50, 100)
    assert made.notes[0] == (
        "the sizes 2, 3 were raised to 7 rows, the fewest in which there are rows of enough classes to learn "
        "from."
    )
    assert scheduled("geometric", whole=100, start=2, least=7).sizes == (7, 8, 16, 32, 64, 100)
    # What nobody asked for is not made, so nothing is raised.
    assert scheduled(whole=100, least=20) == scheduled("geometric", whole=100, n_sizes=3)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        pytest.param({"schedule": "geometrical"}, "did you mean 'geometric'?", id="a misspelled name"),
        pytest.param({"schedule": [10, 5_000]}, "the size 5,000 is more than the 1,000 rows", id="too large"),
        pytest.param({"schedule": [10.5, 20]}, "a whole number of rows from 1 up; got 10.5", id="half a row"),
        pytest.param({"schedule": [0, 20]}, "a whole number of rows from 1 up; got 0", id="no rows"),
        pytest.param({"schedule": []}, "or a list of sizes; got []", id="no sizes"),
        pytest.param({"schedule": ["a"]}, "or a list of sizes", id="words"),
        pytest.param({"schedule": None}, "or a list of sizes; got None", id="none"),
        pytest.param({"schedule": [10, 20], "factor": 2}, "factor=2 does not go with sizes", id="both"),
        pytest.param({"step": 5}, "step=5 is of the arithmetic schedule", id="step of geometric"),
        pytest.param(
            {"schedule": "arithmetic", "factor": 3}, "factor=3 is of the geometric", id="factor of arithmetic"
        ),
        pytest.param({"factor": 1}, "factor is a number above 1", id="factor one"),
        pytest.param({"factor": float("nan")}, "factor is a number above 1", id="factor nan"),
        pytest.param({"n_sizes": 1}, "(--sizes, n_sizes=) is from 2 to 1,000; got 1", id="one size"),
        pytest.param({"n_sizes": True}, "n_sizes=) is from 2", id="a boolean"),
        pytest.param({"start": 1_000}, "start is 1,000 rows, and the training part has 1,000", id="no room"),
        pytest.param({"start": -3}, "start is a whole number of rows, or a share", id="negative"),
        pytest.param({"start": 10, "factor": 2, "n_sizes": 3}, "contradict each other", id="all three"),
        pytest.param(
            {"schedule": "arithmetic", "start": 10, "step": 2, "n_sizes": 3}, "contradict", id="all of steps"
        ),
        pytest.param(
            {"schedule": "arithmetic", "step": 400, "n_sizes": 4}, "do not fit into the 1,000", id="too long"
        ),
        pytest.param({"start": 1, "factor": 1.0001}, "makes more than 1,000 sizes", id="tiny factor"),
    ],
)
def test_what_makes_no_schedule_is_refused(given, said):
    with pytest.raises(OptionError) as caught:
        scheduled(given.pop("schedule", "geometric"), whole=1_000, **given)
    assert said in str(caught.value)


def test_a_tiny_step_is_refused_before_all_sizes_are_made():
    with pytest.raises(OptionError, match=r"step=1 makes more than 1,000 sizes"):
        scheduled("arithmetic", whole=10**9, start=1, step=1)


# --- training parts of different sizes ---------------------------------------------------------------

X = np.random.default_rng(0).normal(size=(150, 2))
Y = np.arange(150) % 2
UNEQUAL = np.repeat([0, 1, 2, 3], [60, 30, 30, 30])
"""Left out one at a time, 90 and three times 120 rows are there to train on: 112.5 on average."""
ONE_LARGE = np.repeat([0, 1, 2, 3], [100, 20, 15, 15])


def test_sizes_that_a_training_part_does_not_have_are_left_out_and_said():
    found = learning_curve(GaussianNB(), X, Y, groups=UNEQUAL, cv="group", schedule=[70, 80, 95, 100])
    assert found.sizes.tolist() == [70, 80, 112]
    assert "the sizes 95, 100 were left out: the smallest training part has only 90 rows." in found.notes
    found = learning_curve(GaussianNB(), X, Y, groups=UNEQUAL, cv="group", schedule=[70, 95])
    assert "the size 95 was left out: the smallest training part has only 90 rows." in found.notes


@pytest.mark.parametrize(
    ("options", "said"),
    [
        pytest.param(
            {"groups": UNEQUAL, "cv": "group", "schedule": [95, 100]},
            "no size is left beside the whole training part, 112 rows: the smallest training part has only "
            "90 rows; a curve takes two or more. Hint: name sizes below 90",
            id="unequal",
        ),
        pytest.param(
            {"groups": ONE_LARGE, "cv": "group", "schedule": [20, 30]},
            "the smallest training part has only 50 rows, and subsets with rows of enough classes have up to "
            "100; a curve takes two or more. Hint: take cuts whose training parts are more alike",
            id="one large group",
        ),
        pytest.param(
            {"schedule": [1.0]}, "no size is left beside the whole training part, 100 rows; a curve", id="one"
        ),
    ],
)
def test_a_single_size_is_no_curve(options, said):
    with pytest.raises(OptionError) as caught:
        learning_curve(GaussianNB(), X, Y, **options)
    assert said in str(caught.value)
