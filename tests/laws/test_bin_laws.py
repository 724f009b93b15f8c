"""Whatever order the rows within bins have, the exact number lies within the bounds that the bins give."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from tallymark.decisions import decide
from tallymark.errors import OptionError
from tallymark.inference import Ranking
from tallymark.inference.calibrated import Calibrated
from tallymark.inference.cut_bounds import cut_confusions
from tallymark.inference.sample import Sample
from tallymark.intake.ranking import count_scores
from tallymark.metrics import ask
from tallymark.metrics.calibration import Strategy, bins_of, error_of, largest_error_of
from tallymark.metrics.calibration_bounds import calibration_bounds
from tallymark.metrics.score_bounds import certified
from tallymark.tallies import Scores, Sums
from tallymark.tallies.sums import losses_of_scores

AREAS = ("auc", "gini", "average_precision", "partial_auc:0.3", "partial_auc_mcclish:0.3")
RANKINGS = (*AREAS, "ks")
STRATEGIES: tuple[Strategy, ...] = ("width", "mass")
ROUNDING = 1e-12
Floats = NDArray[np.float64]


class Rows(NamedTuple):
    score: Floats
    positive: NDArray[np.bool_]
    weight: NDArray[Any] | None = None

    @property
    def exact(self) -> Scores:
        return count_scores(self.score, self.positive, weight=self.weight)


def binned(rows: Rows, edges: Floats, *, totals: bool = True) -> Scores:
    """What a grid with these edges keeps of the rows, bin by bin."""
    score, positive, weight = rows
    amount = np.ones(len(score), np.int64) if weight is None else weight
    place = np.searchsorted(edges, score, side="right") - 1
    columns: list[list[Any]] = [[] for _ in range(7)]
    for each in sorted(set(place.tolist()), reverse=True):
        here = place == each
        least, most = float(edges[each]), float(np.nextafter(np.append(edges, np.inf)[each + 1], -np.inf))
        if len(set(score[here].tolist())) == 1:
            least = most = float(score[here][0])
        sides = here & positive, here & ~positive
        found = [least, min(most, max(1.0, score.max()))]
        found += [amount[side].sum() for side in sides] + [float((amount[here] * score[here]).sum())]
        found += [float((amount[side] * 1.0 * amount[side]).sum()) for side in sides]
        for column, value in zip(columns, found, strict=True):
            column.append(value)
    lows, highs, positives, negatives, sums, *squares = map(np.array, columns)
    known = None
    if score.min() >= 0 and score.max() <= 1:
        of_positives, of_rest = losses_of_scores(score)
        known = tuple(
            Sums.of_losses(
                (losses[0][side], losses[1][side]),
                amount[side],
                amount[side] if weight is None else amount[side] * 1.0 * amount[side],
                int(side.sum()),
            )
            for losses, side in ((of_positives, positive), (of_rest, ~positive))
        )
    return Scores(
        lows,
        positives,
        negatives,
        squares=None if weight is None else (squares[0], squares[1]),
        rows=len(score),
        reach=highs,
        totals=sums if totals else None,
        known=known,  # type: ignore[arg-type]
    )


def redrawn(rows: Rows, bins: Scores, random: np.random.Generator) -> Rows:
    """The same rows anywhere within their bins, many of them tied."""
    assert bins.reach is not None
    place = len(bins.score) - np.searchsorted(bins.score[::-1], rows.score, side="right")
    part = random.choice([0.0, 0.25, 0.5, 1.0, random.random()], len(rows.score))
    low, high = bins.score[place], bins.reach[place]
    return rows._replace(score=np.clip(low + part * (high - low), low, high))


def some_rows(trial: int) -> tuple[Rows, Floats, np.random.Generator]:
    random = np.random.default_rng(trial)
    size = int(random.choice([3, 8, 20, 60]))
    positive = random.random(size) < random.choice([0.2, 0.5, 0.8])
    positive[:2] = True, False
    odds = random.normal(size=size) + random.choice([0, 1, 3]) * positive
    score = np.round(1 / (1 + np.exp(-odds)), int(random.choice([1, 2, 6])))
    weight = [None, random.integers(1, 5, size), random.random(size) + 0.05][trial % 3]
    edges = np.unique(np.append(0.0, random.random(random.choice([0, 2, 6, 40]))))
    return Rows(score, positive, weight), edges, random


TRIALS = range(30)


@pytest.mark.parametrize("trial", TRIALS)
def test_bounds_hold_the_exact_number(trial: int) -> None:
    rows, edges, random = some_rows(trial)
    bins = binned(rows, edges)
    orders = [rows.exact, *(redrawn(rows, bins, random).exact for _ in range(5))]
    for name in RANKINGS:
        asked = ask(name)
        bounds = certified(asked, bins, asked.metric(bins, *asked.parameters))
        assert bounds is not None
        for exact in orders:
            assert bounds[0] <= asked.metric(exact, *asked.parameters) <= bounds[1]


@pytest.mark.parametrize("trial", range(8))
def test_bounds_of_weights_of_many_sizes_are_rounded_outward(trial: int) -> None:
    """All pairs within bins lost: the exact area is the lower bound, but for rounding, and may be tiny."""
    positive, score = np.array([True, False] * 3), np.array([0.1, 0.2, 0.3, 0.6, 0.7, 0.8])
    random = np.random.default_rng(trial)
    rows = Rows(score, positive, 10.0 ** random.integers(-4, 4, 6) * random.random(6))
    bins = binned(rows, np.array([0.0, 0.5]))
    lost = rows._replace(score=np.where(positive, 0.0, 0.4) + np.where(score < 0.5, 0.0, 0.5))
    for name in RANKINGS:
        asked = ask(name)
        bounds = certified(asked, bins, asked.metric(bins, *asked.parameters))
        assert bounds is not None
        assert bounds[0] <= asked.metric(lost.exact, *asked.parameters) <= bounds[1]
        if name == "auc":
            value, (low, high) = exact_area(lost), map(Fraction, bounds)
            assert low <= value <= high
            assert value - low < Fraction(1, 10**13)


def exact_area(rows: Rows) -> Fraction:
    """Pair by pair in fractions, without any rounding."""
    assert rows.weight is not None
    weight, score = [Fraction(each) for each in rows.weight.tolist()], rows.score.tolist()
    sides = [np.flatnonzero(rows.positive == side).tolist() for side in (True, False)]
    won = sum(
        weight[up] * weight[down] * Fraction(2 * (score[up] > score[down]) + (score[up] == score[down]), 2)
        for up in sides[0]
        for down in sides[1]
    )
    return Fraction(won) / sum(weight[up] for up in sides[0]) / sum(weight[down] for down in sides[1])


@pytest.mark.parametrize("trial", TRIALS)
def test_calibration_errors_are_within_their_bounds(trial: int) -> None:
    rows, edges, random = some_rows(trial)
    bins, blind = binned(rows, edges), binned(rows, edges, totals=False)
    for n_bins in (1, 3, 10):
        for strategy in STRATEGIES:
            for t, exact in ((bins, rows.exact), (blind, redrawn(rows, blind, random).exact)):
                bounds = calibration_bounds(t, n_bins, strategy)
                ours, theirs = (bins_of(each, n_bins, strategy) for each in (t, exact))
                for error, ends in zip((error_of, largest_error_of), bounds or (None, None), strict=True):
                    value = error(theirs)
                    if ends is None:
                        assert value == pytest.approx(error(ours), abs=ROUNDING)
                    else:
                        assert ends[0] <= value <= ends[1]


@pytest.mark.parametrize("trial", TRIALS)
def test_intervals_and_standard_errors_hold_the_exact_ones(trial: int) -> None:
    rows, edges, random = some_rows(trial)
    bins = binned(rows, edges)
    for exact in (rows.exact, redrawn(rows, bins, random).exact):
        for name in AREAS:
            wide, narrow = Ranking(bins).of(ask(name)), Ranking(exact).of(ask(name))
            assert wide.bounds is not None
            if wide.se_bounds is not None and narrow.se is not None:
                assert wide.se_bounds[0] - ROUNDING <= narrow.se <= wide.se_bounds[1] + ROUNDING
            if "certified" in (wide.note or ""):
                continue
            for level in (0.5, 0.95):
                outer, inner = wide.interval(level), narrow.interval(level)
                assert outer.low is not None
                assert inner.low is not None
                assert outer.high is not None
                assert inner.high is not None
                assert outer.low <= inner.low + ROUNDING
                assert inner.high <= outer.high + ROUNDING


def test_the_standard_error_of_bins_by_hand() -> None:
    """One positive and one negative in either bin: placements of 0.75 and 0.25, all off by 0.25 at most."""
    rows = Rows(np.array([0.9, 0.8, 0.2, 0.1]), np.array([True, False, True, False]))
    found = Ranking(binned(rows, np.array([0.0, 0.5]))).of(ask("auc"))
    # Of either class 2 / (2 - 1) * 2 * (0.25 / 2)**2 = 1 / 16, and the same for how far they can be off.
    assert (found.value, found.bounds) == (0.5, (0.25, 0.75))
    assert found.se == pytest.approx(0.125**0.5)
    assert found.se_bounds == pytest.approx((0.0, 2 * 0.125**0.5), abs=1e-8)
    assert found.to_dict()["se_bounds"] == list(found.se_bounds or ())
    assert pickle.loads(pickle.dumps(found)).se_bounds == found.se_bounds


def test_the_area_is_certified_whatever_the_bins() -> None:
    for trial in TRIALS:
        rows, edges, _ = some_rows(trial)
        assert "certified" not in (Ranking(binned(rows, edges)).of(ask("auc")).note or "")


@pytest.mark.parametrize("trial", [0, 3, 6, 9])
def test_bounds_are_attained(trial: int) -> None:
    """All positives of a bin first, or all negatives; positives tied or one by one."""
    rows, edges, _ = some_rows(trial)
    bins = binned(rows, edges)
    assert bins.reach is not None
    place = len(bins.score) - np.searchsorted(bins.score[::-1], rows.score, side="right")
    loose = bins.loose[place]
    one_by_one = np.arange(len(rows.score)) / (4 * len(rows.score))

    def ordered(up: Floats, down: Floats) -> Scores:
        """Positives and negatives of loose bins so far up, and places further down for each bin."""
        part = np.where(loose, np.where(rows.positive, up, down), 0.5)
        return count_scores(part - place, rows.positive)

    none = np.zeros(len(rows.score))
    first, last = ordered(none + 0.9, none + 0.1), ordered(one_by_one, none + 0.9)

    def bounds(name: str) -> tuple[float, float]:
        found = certified(ask(name), bins, ask(name).metric(bins))
        assert found is not None
        return found

    for name in ("auc", "average_precision"):
        metric = ask(name).metric
        assert (metric(last), metric(first)) == pytest.approx(bounds(name), abs=ROUNDING)
    ks = ask("ks").metric
    tied = count_scores(-1.0 * place, rows.positive)
    assert bounds("ks") == pytest.approx((ks(tied), max(ks(first), ks(last))), abs=ROUNDING)


def test_rare_events_with_scores_crowded_at_0() -> None:
    random = np.random.default_rng(7)
    positive = np.zeros(20_000, np.bool_)
    positive[:20] = True
    score = np.where(positive, random.beta(1, 300, 20_000), random.beta(0.2, 600, 20_000))
    rows = Rows(score, positive)
    bins = binned(rows, np.arange(61) / 60)  # nearly all rows are in the first
    finer = binned(rows, np.concatenate([np.arange(400) / 4e4, np.arange(1, 61) / 60]))
    for name in RANKINGS:
        asked = ask(name)
        value = asked.metric(rows.exact, *asked.parameters)
        wide, narrow = (certified(asked, t, asked.metric(t, *asked.parameters)) for t in (bins, finer))
        assert wide is not None
        assert narrow is not None
        assert wide[0] <= narrow[0] <= value <= narrow[1] <= wide[1]
        assert narrow[1] - narrow[0] < (wide[1] - wide[0]) / 4


def test_scores_outside_0_and_1_rank_and_are_no_probabilities() -> None:
    rows, edges, _ = some_rows(3)
    far = rows._replace(score=rows.score * 8 - 4)
    bins = binned(far, edges * 8 - 4)
    for name in RANKINGS:
        asked = ask(name)
        inside = binned(rows, edges)
        value = asked.metric(bins, *asked.parameters)
        assert certified(asked, bins, value) == pytest.approx(certified(asked, inside, value))
    assert Calibrated(bins).of(ask("ece")).why == "scores leave [0, 1], so they are no probabilities"
    assert Ranking(bins).losses.of(ask("brier")).value is None


def test_one_class_one_bin_and_no_rows() -> None:
    rows = Rows(np.array([0.1, 0.2, 0.3]), np.array([True, True, True]))
    one_class = binned(rows, np.array([0.0]))
    why = "no row is actually negative (negatives = 0)"
    assert Ranking(one_class).of(ask("auc")).why == why
    assert Calibrated(one_class).of(ask("ece:1")).value == pytest.approx(0.8)  # 1 less the mean 0.2
    one_bin = binned(rows._replace(positive=np.array([True, False, True])), np.array([0.0]))
    assert certified(ask("auc"), one_bin, 0.5) == (0.0, 1.0)
    nothing = Scores.empty()
    assert calibration_bounds(nothing) is None
    assert nothing.means.tolist() == []


@pytest.mark.parametrize("trial", range(20))
def test_no_threshold_is_cheaper_than_the_gap_says(trial: int) -> None:
    rows, edges, _ = some_rows(trial)
    bins, exact = binned(rows, edges), rows.exact
    costs = [[0, 5], [1, 0]]
    aims: list[dict[str, Any]] = [
        {"costs": costs},
        {"costs": [[-1, 0.3], [2, 0.2]]},
        {"costs": costs, "reject_cost": 0.4},
        {"costs": costs, "minimum": {"specificity": 0.5}},
        {"best": "f1"},
        {"best": "error_rate"},
        {"best": "precision", "minimum": {"recall": 0.5}},
    ]
    for aim in aims:
        options = {name: value for name, value in aim.items() if name != "costs"}
        found, best = (
            decide(Ranking(t), aim.get("costs"), labels=("+", "-"), **options) for t in (bins, exact)
        )
        assert best.gap is None
        assert found.gap is not None
        if found.cost is not None and best.cost is not None:
            assert best.cost - ROUNDING <= found.cost <= best.cost + found.gap + 1e-9
        else:
            assert found.value is not None
            assert best.value is not None
            sign = -1 if aim["best"] == "error_rate" else 1
            assert sign * (best.value - found.value) <= found.gap + 1e-9
        assert found.to_dict()["gap"] == found.gap


@pytest.mark.parametrize("trial", [2, 5, 17, 20, 23])
def test_answers_of_weighted_rows_cut_within_a_bin(trial: int) -> None:
    """Weights are rounded when they are added, in another order for every order of the rows."""
    rows, edges, random = some_rows(trial)
    bins = binned(rows, edges)
    assert bins.reach is not None
    place = int(np.flatnonzero(bins.loose)[-1])
    threshold = float(bins.score[place] / 2 + bins.reach[place] / 2)
    first, *corners = cut_confusions(bins, threshold, ("-", "+"), "+")
    sample = Sample(first, corners=tuple(corners))
    for exact in (rows.exact, *(redrawn(rows, bins, random).exact for _ in range(5))):
        (cut,) = cut_confusions(exact, threshold, ("-", "+"), "+")
        for name in ("recall", "specificity", "predicted_positive_rate", "informedness", "kappa", "mcc"):
            found, value = sample.of(ask(name), 1), Sample(cut).of(ask(name), 1).value
            if found.bounds is not None and value is not None:
                assert found.bounds[0] <= value <= found.bounds[1]
    assert sample.of(ask("recall"), 1).bounds is not None


@pytest.mark.parametrize("trial", range(12))
def test_the_other_class_and_other_shares_see_the_same_bins(trial: int) -> None:
    rows, edges, _ = some_rows(trial)
    bins = Ranking(binned(rows, edges))
    exact = Ranking(rows.exact)
    for one, other in ((bins.complement(), exact.complement()), (bins.reversed(), exact.reversed())):
        for name in ("auc", "average_precision"):
            estimate, value = one.of(ask(name)), other.of(ask(name)).value
            assert estimate.bounds is not None
            assert value is not None
            assert estimate.bounds[0] - ROUNDING <= value <= estimate.bounds[1] + ROUNDING
    losses = bins.complement().losses.of(ask("brier")), exact.losses.of(ask("brier"))
    assert losses[0].value == pytest.approx(losses[1].value)
    other_share = Ranking(bins.scores, share=0.1), Ranking(exact.scores, share=0.1)
    for name in ("brier", "log_loss"):
        one_loss, other_loss = (each.losses.of(ask(name)) for each in other_share)
        assert (one_loss.value, one_loss.low) == pytest.approx((other_loss.value, other_loss.low))


def test_tallies_of_bins_are_not_added() -> None:
    rows, edges, _ = some_rows(5)
    bins = binned(rows, edges)
    with pytest.raises(Exception, match="the bins of a grid that hold rows"):
        bins + bins
    assert bins + Scores.empty() == bins


def test_a_threshold_within_a_bin_is_refused_by_name() -> None:
    bins = binned(Rows(np.array([0.2, 0.4, 0.7]), np.array([False, True, True])), np.array([0.0, 0.5]))
    decision = decide(Ranking(bins), [[0, 1], [1, 0]], labels=("+", "-"))
    assert decision.curve.at(0.5) is not None
    assert decision.curve.at(0.7) is not None  # all rows of that bin have this score
    with pytest.raises(OptionError, match=r"the threshold 0.3 is within a bin.*such as 0\."):
        decision.curve.at(0.3)
