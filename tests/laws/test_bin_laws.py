"""Whatever order the rows within bins have, the exact value lies within the bounds that the bins give."""

import json
import pickle
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest

import tallymark as tm
from scored import scored

AREAS = ("auc", "gini", "average_precision", "partial_auc:0.3", "partial_auc_mcclish:0.3")
RANKINGS = (*AREAS, "ks")
BINS_OF_A_GRID = 61_440
ROUNDING = 1e-12


class Rows(NamedTuple):
    score: Any
    positive: Any
    weight: Any = None

    @property
    def exact(self) -> tm.Evaluation:
        return scored(self.score, self.positive, sample_weight=self.weight)

    def binned(self, bins: float, **options: Any) -> tm.Evaluation:
        """On a grid that reaches so far that so many of its bins are from 0 to 1."""
        columns = {"y": self.positive * 1, "s": self.score}
        if self.weight is not None:
            columns["w"] = self.weight
            options["weight"] = "w"
        grid = (0, BINS_OF_A_GRID / bins)
        settled = {"labels": [0, 1], "approximate": True, "grid": grid} | options
        threshold = settled.pop("cut", None)
        return tm.tally(pl.DataFrame(columns), actual="y", score="s", **settled).evaluate(threshold=threshold)


def redrawn(rows: Rows, bins: tm.Evaluation, random: np.random.Generator) -> Rows:
    """The same rows anywhere within their bins, many of them tied."""
    t = bins.curves.scores
    place = len(t.score) - np.searchsorted(t.score[::-1], rows.score, side="right")
    part = random.choice([0.0, 0.25, 0.5, 1.0, random.random()], len(rows.score))
    low, high = t.score[place], (t.score if t.reach is None else t.reach)[place]
    return rows._replace(score=np.clip(low + part * (high - low), low, high))


def some_rows(trial: int) -> tuple[Rows, int, np.random.Generator]:
    random = np.random.default_rng(trial)
    size = int(random.choice([3, 8, 20, 60]))
    positive = random.random(size) < random.choice([0.2, 0.5, 0.8])
    positive[:2] = True, False
    odds = random.normal(size=size) + random.choice([0, 1, 3]) * positive
    score = np.round(1 / (1 + np.exp(-odds)), int(random.choice([1, 2, 6])))
    weight = [None, random.integers(1, 5, size), random.random(size) + 0.05][trial % 3]
    return Rows(score, positive, weight), int(random.choice([1, 2, 6, 40])), random


def trials() -> list[tuple[int, Rows, int, np.random.Generator]]:
    """Anew for each test, which draws from them."""
    return [(trial, *some_rows(trial)) for trial in range(30)]


def ends(found: Any) -> tuple[float, float]:
    return found.bounds or (found.value, found.value)


def test_bounds_of_rankings_hold_the_exact_value() -> None:
    wrong = []
    for trial, rows, size, random in trials():
        bins = rows.binned(size)
        for exact in (rows.exact, *(redrawn(rows, bins, random).exact for _ in range(3))):
            for name in RANKINGS:
                low, high = ends(bins[name])
                if not low - ROUNDING * (bins[name].bounds is None) <= exact[name].value <= high + ROUNDING:
                    wrong.append((trial, name, low, exact[name].value, high))
            for one, two in ((bins.per_class[0], exact.per_class[0]),):
                for name in ("auc", "average_precision"):
                    low, high = ends(one[name])
                    if not low - ROUNDING <= two[name].value <= high + ROUNDING:
                        wrong.append((trial, "other class", name))
            shares = bins.at_prevalence(0.1), exact.at_prevalence(0.1)
            low, high = ends(shares[0]["average_precision"])
            if not low - ROUNDING <= shares[1]["average_precision"].value <= high + ROUNDING:
                wrong.append((trial, "shares"))
        # Losses are added up row by row, for the other class and for other shares as well.
        for one, two in (
            (bins, rows.exact),
            (bins.per_class[0], rows.exact.per_class[0]),
            (bins.at_prevalence(0.1), rows.exact.at_prevalence(0.1)),
        ):
            for name in ("brier", "log_loss"):
                first, second = one[name], two[name]
                assert (first.value, first.low) == pytest.approx((second.value, second.low)), (trial, name)
    assert not wrong, (len(wrong), wrong[:10])


def test_bounds_of_weights_of_many_sizes_are_rounded_outward() -> None:
    """All pairs within bins lost: the exact area is the lower bound, but for rounding, and may be tiny."""
    positive, score = np.array([True, False] * 3), np.array([0.1, 0.2, 0.3, 0.6, 0.7, 0.8])
    for trial in range(8):
        random = np.random.default_rng(trial)
        rows = Rows(score, positive, 10.0 ** random.integers(-4, 4, 6) * random.random(6))
        bins = rows.binned(2)
        lost = rows._replace(score=np.where(positive, 0.0, 0.4) + np.where(score < 0.5, 0.0, 0.5))
        for name in RANKINGS:
            low, high = bins[name].bounds
            assert low <= lost.exact[name].value <= high, (trial, name)
        value, (low, high) = exact_area(lost), map(Fraction, bins["auc"].bounds)
        assert low <= value <= high
        assert value - low < Fraction(1, 10**13)


def exact_area(rows: Rows) -> Fraction:
    """Pair by pair in fractions, without any rounding."""
    weight, score = [Fraction(each) for each in rows.weight.tolist()], rows.score.tolist()
    sides = [np.flatnonzero(rows.positive == side).tolist() for side in (True, False)]
    won = sum(
        weight[up] * weight[down] * Fraction(2 * (score[up] > score[down]) + (score[up] == score[down]), 2)
        for up in sides[0]
        for down in sides[1]
    )
    return Fraction(won) / sum(weight[up] for up in sides[0]) / sum(weight[down] for down in sides[1])


def test_calibration_errors_are_within_their_bounds() -> None:
    wrong = []
    for trial, rows, size, random in trials():
        bins = rows.binned(size)
        t = bins.curves.scores
        # Without the sum of the scores of each bin: any rows within the bins are possible.
        blind = tm.Scores(
            t.score, t.positives, t.negatives, squares=t.squares, rows=t.rows, reach=t.reach
        ).evaluate()
        for n_bins in (1, 3, 10):
            for strategy in ("width", "mass"):
                for ev, exact in ((bins, rows.exact), (blind, redrawn(rows, bins, random).exact)):
                    found, other = (each.calibration_as(n_bins, strategy) for each in (ev, exact))
                    values = ((found.ece, found.mce), (other.ece, other.mce))
                    bounds = found.bounds or [(value - ROUNDING, value + ROUNDING) for value in values[0]]
                    for (low, high), value in zip(bounds, values[1], strict=True):
                        if not low <= value <= high:
                            wrong.append((trial, n_bins, strategy, low, value, high))
            for name, place in (("ece", 0), ("mce", 1)):
                curve = bins.calibration_as(n_bins, "width")
                asked = bins[f"{name}:{n_bins}"]
                assert asked.bounds == (None if curve.bounds is None else curve.bounds[place])
    assert not wrong, (len(wrong), wrong[:10])


def test_intervals_and_standard_errors_hold_the_exact_ones() -> None:
    wrong = []
    for trial, rows, size, random in trials():
        bins = rows.binned(size)
        for exact in (rows.exact, redrawn(rows, bins, random).exact):
            for name in AREAS:
                wide, narrow = bins[name], exact[name]
                if wide.se_bounds is not None and narrow.se is not None:
                    low, high = wide.se_bounds
                    if not low - ROUNDING <= narrow.se <= high + ROUNDING:
                        wrong.append((trial, name, "se"))
                if wide.bounds is None or "not certified" in (wide.note or ""):
                    continue
                for level in (0.5, 0.95):
                    outer, inner = wide.interval(level), narrow.interval(level)
                    if (
                        not outer.low
                        <= inner.low + ROUNDING
                        <= inner.high + ROUNDING
                        <= outer.high + 2 * ROUNDING
                    ):
                        wrong.append((trial, name, level))
    assert not wrong, (len(wrong), wrong[:10])


def test_the_standard_error_of_bins_by_hand() -> None:
    """One positive and one negative in either bin: placements of 0.75 and 0.25, all off by 0.25 at most."""
    found = Rows(np.array([0.9, 0.8, 0.2, 0.1]), np.array([True, False, True, False])).binned(2)["auc"]
    # Of either class 2 / (2 - 1) * 2 * (0.25 / 2)**2 = 1 / 16, and the same for how far they can be off.
    assert (found.value, found.bounds) == (0.5, (0.25, 0.75))
    assert found.se == pytest.approx(0.125**0.5)
    assert found.se_bounds == pytest.approx((0.0, 2 * 0.125**0.5), abs=1e-8)
    assert json.loads(json.dumps(found.to_dict()))["se_bounds"] == list(found.se_bounds)
    assert pickle.loads(pickle.dumps(found)).se_bounds == found.se_bounds


def test_rare_events_with_scores_crowded_at_0() -> None:
    random = np.random.default_rng(7)
    positive = np.arange(20_000) < 20
    score = np.where(positive, random.beta(1, 300, 20_000), random.beta(0.2, 600, 20_000))
    rows = Rows(score, positive)
    bins, finer, exact = rows.binned(60), rows.binned(30_000), rows.exact  # of 60 nearly all are in the first
    for name in RANKINGS:
        wide, narrow = bins[name].bounds, finer[name].bounds
        assert wide[0] <= narrow[0] <= exact[name].value <= narrow[1] <= wide[1], name
        assert narrow[1] - narrow[0] < (wide[1] - wide[0]) / 4, name


def test_scores_outside_0_and_1_rank_and_are_no_probabilities() -> None:
    rows, *_ = some_rows(3)
    t = rows.binned(6).curves.scores
    sides = t.positives, t.negatives
    far, near = (
        tm.Scores(
            8 * t.score + shift, *sides, squares=t.squares, rows=t.rows, reach=8 * t.reach + shift
        ).evaluate()
        for shift in (-4, 0)
    )
    for name in RANKINGS:
        assert ends(far[name]) == pytest.approx(ends(near[name]))
    assert [far[name].value for name in ("ece", "mce", "brier", "log_loss")] == [None] * 4


def test_one_class_and_one_bin() -> None:
    score = np.array([0.1, 0.2, 0.3])
    one_class = Rows(score, np.array([True, True, True])).binned(1)
    assert (one_class["auc"].value, bool(one_class["auc"].why)) == (None, True)
    assert one_class["ece:1"].value == pytest.approx(0.8)  # 1 less the mean 0.2
    assert Rows(score, np.array([True, False, True])).binned(1)["auc"].bounds == (0.0, 1.0)


def test_weighted_rows_cut_within_a_bin() -> None:
    """Weights are rounded when they are added, in another order for every order of the rows."""
    for trial in (2, 5, 17, 20, 23):
        rows, size, random = some_rows(trial)
        t = rows.binned(size).curves.scores
        place = int(np.flatnonzero(t.loose)[-1])
        threshold = float(t.score[place] / 2 + t.reach[place] / 2)
        ev = rows.binned(size, cut=threshold)
        for exact in (rows, *(redrawn(rows, ev, random) for _ in range(5))):
            cut = scored(exact.score, exact.positive, sample_weight=rows.weight, threshold=threshold)
            for name in ("recall", "specificity", "predicted_positive_rate", "informedness", "kappa", "mcc"):
                found, value = ev[name], cut[name].value
                if found.bounds is not None and value is not None:
                    assert found.bounds[0] <= value <= found.bounds[1], (trial, name)
        assert ev["recall"].bounds is not None
