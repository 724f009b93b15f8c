"""ECE and MCE explained bin by bin, and as estimates without an interval."""

from __future__ import annotations

import numpy as np
import pytest

from tallymark.explanation.calibrated import explain_calibrated
from tallymark.inference.calibrated import BIASED, Calibrated
from tallymark.intake.ranking import count_groups, count_scores
from tallymark.metrics import ask
from tallymark.tallies import Scores

# 0.1 x 10 of which 2 came true, 0.7 x 10 of which 9.
SCORE = np.repeat([0.1, 0.7], 10)
Y = np.repeat([1, 0, 1, 0], [2, 8, 9, 1]).astype(bool)
TWENTY = Calibrated(count_scores(SCORE, Y))


def lines(asked, found=TWENTY):
    return [line.strip() for line in explain_calibrated(ask(asked), found).to_text().splitlines()]


def test_the_mean_distance():
    said = lines("ece:5")
    assert "2 of 5 bins of equal width have rows; each holds its upper edge" in said
    assert "bin 1, from 0 up to 0.2: rows = 10, observed = 0.2, stated = 0.1, apart by 0.1" in said
    assert "= (10 * abs(0.2 - 0.1) + 10 * abs(0.9 - 0.7)) / 20" in said
    assert "= 0.15" in said


def test_the_largest_distance():
    assert "= max(abs(0.2 - 0.1), abs(0.9 - 0.7))" in lines("mce:5")
    assert "= 0.2" in lines("mce:5")


def test_many_bins_are_not_written_out():
    score = (np.arange(300) + 0.5) / 300
    said = lines("ece:100", Calibrated(count_scores(score, score > 0.5)))
    assert "ece = sum(bin_k * abs(observed_k - stated_k)) / n (over 100 bins)" in said


def test_there_is_no_interval_and_why():
    found = TWENTY.of(ask("ece:5"))
    assert found.value == pytest.approx(0.15)
    assert (found.low, found.high) == (None, None)
    assert found.note.startswith(f"{BIASED}; less what chance adds it is about 0.")
    spread = explain_calibrated(ask("ece:5"), TWENTY).interval
    assert spread[0].text == f"no interval: {found.note}"


def test_without_parameter_it_is_ten_bins():
    found = explain_calibrated(ask("ece"), TWENTY)
    assert (found.name, found.value) == ("ece", pytest.approx(0.15))


@pytest.mark.parametrize(
    ("t", "why"),
    [
        (Scores.empty(), "there are no rows (n = 0)"),
        (
            count_scores(np.array([2.0]), np.array([True])),
            "scores leave [0, 1], so they are no probabilities",
        ),
    ],
)
def test_undefined(t, why):
    found = Calibrated(t)
    assert found.of(ask("mce")).why == why
    explained = explain_calibrated(ask("mce"), found)
    assert (explained.value, explained.why, explained.interval) == (None, why, ())
    assert explained.steps[-1].text == f"undefined: {why}"


def test_no_scores():
    explained = explain_calibrated(ask("ece"), "no scores were given")
    assert (explained.value, explained.why) == (None, "no scores were given")


def test_groups():
    t = TWENTY.scores
    groups = count_groups(t, SCORE, Y, None, np.arange(20) % 5, tuple(range(5)))
    assert Calibrated(t, groups=groups).of(ask("ece")).assumption == "independent groups (5 of them)"
