"""What recalibration gains on rows it was not fitted to."""

import json
import math
from typing import Any

import numpy as np
import pytest

import tallymark as tm
from tallymark.drawing import text


def rows(n: int = 400, power: float = 2.0, digits: int = 3) -> Any:
    chance = np.random.default_rng(0)
    score = chance.random(n).round(digits)
    return score, chance.random(n) < score**power


def of(score: Any, positive: Any, **options: Any) -> Any:
    return tm.evaluate(np.asarray(positive, int), y_score=score, labels=[0, 1], **options).recalibration


def test_what_is_gained_with_probabilities_that_are_too_extreme_or_right():
    chance = np.random.default_rng(0)
    score = chance.random(2000)
    found = of(score, chance.random(2000) < 1 / (1 + (1 / score - 1) ** 0.5))
    assert found.better == "platt"
    # The logit was doubled, so half of it is right.
    assert (found.platt.slope, found.platt.intercept) == (
        pytest.approx(0.5, abs=0.07),
        pytest.approx(0, abs=0.15),
    )
    grid = (np.arange(10_000) + 0.5) / 10_000
    expected = np.mean((grid - 1 / (1 + (1 / grid - 1) ** 0.5)) ** 2)
    gain = found.platt.brier.gain
    assert gain.low < expected < gain.high
    assert gain.value == pytest.approx(found.platt.brier.before - found.platt.brier.after)
    form = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (form["better"], set(form["platt"])) == ("platt", {"brier", "log_loss", "slope", "intercept"})
    right = of(*rows(2000, 1.0, 6))
    assert right.better is None
    assert right.platt.brier.gain.low < 0 < right.platt.brier.gain.high
    # Student's interval of what rows gain, or groups.
    score, y = rows(300, digits=6)
    by_row, doubled = of(score, y), of(score, y, sample_weight=np.full(300, 2.0))
    for name in ("isotonic", "platt"):
        one, two = getattr(by_row, name).brier, getattr(doubled, name).brier
        assert (one.before, one.after, one.gain.se) == pytest.approx((two.before, two.after, two.gain.se))
    single = of(score, y, groups=np.arange(300)).platt.brier.gain
    assert (single.method, single.assumption[:24]) == ("student_groups", "independent groups (300 ")
    assert single.se == pytest.approx(by_row.platt.brier.gain.se, rel=0.2)
    chance = np.random.default_rng(0)
    p, u, group = (np.repeat(each, 20) for each in (chance.random(30), chance.random(30), np.arange(30)))
    wide, narrow = (of(p, u < p**2, groups=each).platt.brier.gain.se for each in (group, None))
    assert wide > 3 * narrow


def test_weighted_rows_at_few_scores_are_recalibrated_as_rows_are():
    chance = np.random.default_rng(0)
    score = chance.integers(1, 10, 5_000) / 10
    y = chance.random(5_000) < score  # calibrated, so there is nothing to gain
    for weight in (np.ones(5_000), np.tile([0.5, 1.5], 2_500)):
        found = of(score, y, sample_weight=weight).isotonic.brier
        assert found.after == pytest.approx(found.before, abs=0.003)


def test_counts_of_any_size_and_scores_at_the_ends():
    # Calibrated, so there is nothing to gain, whatever the parts are that the rows are dealt into.
    for n in (10**3, 10**12):
        tally = tm.Scores(np.array([0.9, 0.1]), np.array([9 * n, n]), np.array([n, 9 * n]))
        found = tally.evaluate().recalibration.isotonic.brier
        assert found.after == pytest.approx(found.before, rel=1e-3)
    ends = of([0.0, 1.0] * 20, [0, 1] * 20)
    assert np.isfinite([ends.platt.slope, ends.platt.brier.after]).all()
    with pytest.raises(tm.OptionError):
        _ = tm.evaluate([0, 1], [0, 1]).recalibration


def test_what_cannot_be_recalibrated_or_compared(snapshot):
    chance = np.random.default_rng(1)
    score = chance.random(300)
    y = chance.random(300) < 0.05 + 0.9 * score
    sure = of(score, y)
    assert (math.isinf(sure.isotonic.log_loss.after), sure.isotonic.log_loss.to_dict()["after"]) == (
        True,
        None,
    )
    impossible = of(np.append(score, 0.0), np.append(y, True)).platt.log_loss
    assert math.isinf(impossible.before)
    positive = chance.random(300) < 0.4
    unbounded = of(10 * chance.normal(size=300) + 5 * positive, positive)
    assert unbounded.platt.brier.before is None
    assert 0 < unbounded.platt.brier.after < 0.25
    bins = tm.Scores.from_bins([1, 9], [9, 1], edges=[0, 0.5, 1]).evaluate().recalibration
    one_class = of(np.array([0.1, 0.2, 0.3]), [0, 1, 0])
    for none in (bins, one_class):
        assert (none.isotonic, none.better, none.to_dict()) == (None, None, {"folds": 5, "why": none.why})
    made = {
        "infinite after": sure, "not probabilities": unbounded, "bins": bins, "few rows": one_class,
        "too extreme": of(*rows(power=0.5)),
    }  # fmt: skip
    texts = {case: text(found.document()) for case, found in made.items()}
    texts["infinite after, why"] = sure.isotonic.log_loss.gain.why
    texts["infinite before, why"] = impossible.gain.why
    snapshot("recalibration", texts)
