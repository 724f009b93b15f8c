"""Probabilities of 0 for the true class: the log loss is infinite, unless they are kept away from 0."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import log_loss

import tallymark as tm
from tallymark.cli import main

ACTUAL = np.array([1, 1, 0, 0, 1, 0])
SCORE = np.array([0.9, 0.0, 0.2, 1.0, 0.7, 0.4])
TABLE = np.array([[0.7, 0.3, 0.0], [0.2, 0.8, 0.0], [0.5, 0.5, 0.0], [0.1, 0.1, 0.8], [0.0, 0.6, 0.4]])
CLASSES = np.array([0, 1, 2, 2, 0])


@pytest.mark.parametrize("clip", [1e-15, 1e-7, 0.01])
@pytest.mark.parametrize("groups", [None, [1, 1, 2, 2, 3, 3]])
def test_two_classes(clip, groups):
    ev = tm.evaluate(ACTUAL, y_score=SCORE, clip=clip, groups=groups)
    assert ev["log_loss"].value == pytest.approx(log_loss(ACTUAL, np.clip(SCORE, clip, 1 - clip)))
    assert ev["brier"].value == tm.evaluate(ACTUAL, y_score=SCORE)["brier"].value
    assert ev.notes[-1] == f"probabilities are kept {clip:g} away from 0 and 1 in the log loss."
    low, high = ev["log_loss"].low, ev["log_loss"].high
    assert low < ev["log_loss"].value < high


def test_the_calibration_curve_has_the_same_log_loss():
    for options in ({"y_score": SCORE}, {"y_score": np.column_stack([1 - SCORE, SCORE]), "labels": [0, 1]}):
        ev = tm.evaluate(ACTUAL, clip=1e-6, **options)
        assert ev.calibration.log_loss == pytest.approx(ev["log_loss"].value)
        assert tm.evaluate(ACTUAL, **options).calibration.log_loss is None


def test_without_it_the_log_loss_says_why_it_is_infinite():
    found = tm.evaluate(ACTUAL, y_score=SCORE)["log_loss"]
    assert (found.value, found.why) == (None, "infinite: 2 rows gave their actual class probability 0")


def test_many_classes_and_each_of_them():
    ev = tm.evaluate(CLASSES, y_score=TABLE, labels=[0, 1, 2], clip=1e-6)
    own = np.clip(TABLE[np.arange(5), CLASSES], 1e-6, 1 - 1e-6)
    assert ev["log_loss"].value == pytest.approx(-np.log(own).mean())
    of_class = log_loss(CLASSES == 2, np.clip(TABLE[:, 2], 1e-6, 1 - 1e-6))
    assert ev.per_class[2]["log_loss"].value == pytest.approx(of_class)


def test_other_shares_and_tallies_keep_it():
    plain = tm.evaluate(ACTUAL, y_score=SCORE, clip=1e-6)
    weight = np.where(ACTUAL == 1, 0.2 / 3, 0.8 / 3)
    expected = log_loss(ACTUAL, np.clip(SCORE, 1e-6, 1 - 1e-6), sample_weight=weight)
    assert plain.at_prevalence(0.2)["log_loss"].value == pytest.approx(expected)
    tally = plain.curves.scores
    assert tally.evaluate(clip=1e-6)["log_loss"].value == pytest.approx(plain["log_loss"].value)


@pytest.mark.parametrize("clip", [0, 0.5, -1e-3, True, "a", np.nan])
def test_what_cannot_be_one(clip):
    with pytest.raises(tm.OptionError, match=r"clip must be a number above 0 and below 0\.5"):
        tm.evaluate(ACTUAL, y_score=SCORE, clip=clip)


def test_answers_have_no_probabilities():
    with pytest.raises(tm.OptionError, match="clip is about probabilities, and there are none"):
        tm.evaluate(ACTUAL, ACTUAL, clip=1e-15)


def test_on_the_command_line(tmp_path, capsys):
    file = tmp_path / "rows.csv"
    rows = "".join(f"{y},{s}\n" for y, s in zip(ACTUAL, SCORE, strict=True))
    file.write_text(f"y,s\n{rows}")
    assert main(["evaluate", str(file), "--actual", "y", "--score", "s", "--clip", "1e-15"]) == 0
    assert "Note: probabilities are kept 1e-15 away from 0 and 1 in the log loss." in capsys.readouterr().out
