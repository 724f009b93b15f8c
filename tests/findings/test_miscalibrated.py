"""TM015 fires where probabilities are both clearly and noticeably off, and stays silent otherwise."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from tallymark.curves.calibration.curve import Calibration
from tallymark.findings.miscalibrated import check, saving
from tallymark.intake.ranking import count_scores


def finding(t, **options):
    curve = Calibration(t, **options)
    return check(SimpleNamespace(calibrated=curve, calibration=curve, ranked=SimpleNamespace(shares=None)))


def of_shares(said, came_true, n):
    """So many rows for each probability, of which such a share came true."""
    y = np.concatenate([np.arange(n) < round(share * n) for share in came_true])
    return count_scores(np.repeat(said, n), y, positive="yes")


def test_the_words():
    found = finding(of_shares([0.1, 0.9], [0.1, 0.6], 500))
    # Half of the rows are 0.3 off, by many standard errors; the others by chance 0.8 x sqrt(0.09 / 500).
    assert found.message.startswith("the probabilities are not calibrated: on average they are about 0.14")
    assert "(ECE 0.150, less what chance adds to it; gaps like these by chance: " in found.message
    # Wilson for 300 of 500.
    assert "Where 0.900 is said, 0.600 [0.556, 0.642] are 'yes'." in found.message
    # Brier 0.05 + 0.165 of which 0.5 x (0.09 - 0.24 / 499) is reliability, less chance.
    brier = 0.5 * 0.09 + 0.5 * (0.6 * 0.01 + 0.4 * 0.81)
    assert found.message.endswith(
        f"With every bin set right the Brier score {brier:.3f} would be about 0.045 lower."
    )
    assert found.code == "TM015"
    assert found.numbers["brier_saving"] == pytest.approx(0.5 * (0.09 - 0.24 / 499) - 0.5 * 0.09 / 499)


def test_the_words_of_rare_positives():
    # 0.1 % is said of 100,000 rows and comes true for 60; 1 of 1,000 of the Brier score is to be gained.
    found = finding(of_shares([0.001], [0.0006], 100_000))
    assert "they are about 0.0004 away from how often they come true (ECE 0.0004, " in found.message
    # Wilson for 60 of 100,000: (60 + 1.92 -+ 1.96 sqrt(60 + 0.96)) / 100,004.
    assert "Where 0.0010 is said, 0.0006 [0.0005, 0.0008] are 'yes'." in found.message
    # Brier 0.0006 x 0.999^2 + 0.9994 x 0.001^2, and (0.0004)^2 less 0.0006 / 99,999 of it.
    assert found.numbers["brier_saving"] < 0.01 * found.numbers["brier"]
    assert found.message.endswith("With every bin set right the Brier score 0.0006 would hardly be lower.")


def test_a_probability_too_small_for_a_float():
    found = finding(of_shares([0.1, 0.9], [0.1, 0.6], 50_000))
    assert found.numbers["p_value"] == 0
    assert "gaps like these by chance: below 1e-300)" in found.message


def test_clear_but_small_is_silent():
    # A million rows show that 0.50 is 0.51; nobody is misled by it.
    t = of_shares([0.5], [0.51], 1_000_000)
    assert Calibration(t).test.p_value < 1e-9
    assert finding(t) is None


def test_large_but_not_clear_is_silent():
    assert finding(of_shares([0.5], [0.7], 20)) is None


def test_of_a_rare_class_less_is_a_lot():
    # 2 % are said and 1 % come true: half of what is said.
    assert finding(of_shares([0.02], [0.01], 20_000)) is not None
    assert finding(of_shares([0.0105], [0.01], 1_000_000)) is None


def test_answers():
    found = finding(of_shares([0.6, 0.95], [0.6, 0.7], 400), of_answers=True)
    assert "of the answers are right." in found.message


def test_no_probabilities_are_no_matter():
    assert check(SimpleNamespace(calibrated="no scores were given")) is None
    assert finding(count_scores(np.array([2.0, 1.0]), np.array([True, False]))) is None


def test_what_is_saved_is_never_less_than_nothing():
    assert saving(Calibration(of_shares([0.5], [0.5], 10))) == 0
