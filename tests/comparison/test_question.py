"""What can be asked of a comparison."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tallymark.comparison.question import Folding, Question, question
from tallymark.comparison.rows.on_disk import checks_of
from tallymark.errors import TallymarkError
from tallymark.intake.roles import Roles


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"metric": "nope"}, "no metric is called 'nope'"),
        ({"metric": 3}, "by its name"),
        ({"metrics": [1]}, "by its name"),
        ({"metrics": ["f1", "nope"]}, "no metric is called 'nope'"),
        ({"margin": 0}, "above 0"),
        ({"margin": -0.1}, "above 0"),
        ({"margin": True}, "above 0"),
        ({"margin": math.nan}, "above 0"),
        ({"margin": math.inf}, "above 0"),
        ({"margin": "0.1"}, "above 0"),
        ({"margin": 0.1, "confidence_level": 0.5}, "above 0.5"),
        ({"adjust": "fdr"}, "holm, shaffer, bergmann_hommel, bonferroni"),
        ({"adjust": ["holm"]}, "adjust must be one of"),
        ({"test": "t"}, "auto, corrected, uncorrected, exact, mid_p, permutation"),
        ({"method": "wilson"}, "wald, newcombe"),
        ({"permutations": 99}, "from 100 to 1,000,000"),
        ({"permutations": 1_000_001}, "from 100 to 1,000,000"),
        ({"permutations": 1000.0}, "whole number"),
        ({"permutations": True}, "whole number"),
        ({"confidence_level": 95}, "0.95 for 95 %"),
        ({"confidence_level": 1.0}, "strictly between 0 and 1"),
        ({"random_state": -1}, "from 0 up"),
        ({"random_state": 1.5}, "from 0 up"),
        ({"random_state": True}, "from 0 up"),
        ({"alternative": "larger"}, "two-sided, greater or less"),
    ],
)
def test_what_cannot_be_asked(options: dict[str, Any], said: str) -> None:
    with pytest.raises(TallymarkError) as caught:
        question(**options)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_numpy_numbers_are_numbers() -> None:
    found = question(margin=np.float32(0.5), permutations=np.int64(500), random_state=np.uint8(3))
    assert (found.margin, found.permutations, found.seed) == (0.5, 500, 3)


def test_usual_answers() -> None:
    assert question() == Question()
    assert question(random_state=None).seed == 0
    assert question(metrics="f1").metrics == ("f1",)


def test_what_is_said_of_folds() -> None:
    assert Folding().said == ()
    assert Folding(n_train=np.array([90, 90]), overlap=False).said == ("n_train", "overlap")


@pytest.mark.parametrize(
    ("alternative", "level", "expected"),
    [("two-sided", 0.95, 0.95), ("greater", 0.95, 0.9), ("less", 0.9, 0.8), ("less", 0.4, 0.4)],
)
def test_a_one_sided_test_leaves_out_as_much_on_one_side(
    alternative: str, level: float, expected: float
) -> None:
    asked = question(alternative=alternative, confidence_level=level)
    assert asked.tail_level == pytest.approx(expected)


@pytest.mark.parametrize(
    ("alternative", "level", "expected"),
    # A one-sided test at 5 % leaves out as much on its side as the two-sided interval of 90 %. From 50 % down
    # there is no such interval.
    [("greater", 0.95, 0.9), ("less", 0.75, 0.5), ("greater", 0.5, 0.5), ("two-sided", 0.95, 0.95)],
)
def test_the_interval_that_goes_with_a_one_sided_test(
    alternative: Any, level: float, expected: float
) -> None:
    asked = question(alternative=alternative, confidence_level=level)
    assert asked.tail_level == pytest.approx(expected)


def test_weights_have_one_name_for_rows_on_disk_as_well() -> None:
    with pytest.raises(TallymarkError, match="weight and sample_weight are two words for one thing"):
        checks_of({"weight": "w", "sample_weight": "w"}, Roles(actual="y"))
