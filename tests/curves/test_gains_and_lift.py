"""Gains, lift and deciles, by hand and against the mean over many orders of tied rows."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scored import binned, columns, scored

# Ten rows: 0.9+, 0.8+, then four at 0.5 (two +), then 0.3-, 0.2+, 0.1-, 0.1-.
SCORE = np.array([0.9, 0.8, 0.5, 0.5, 0.5, 0.5, 0.3, 0.2, 0.1, 0.1])
Y = np.array([1, 1, 1, 1, 0, 0, 0, 1, 0, 0], bool)
TEN = scored(SCORE, Y).gains
ROWS = st.lists(st.tuples(st.sampled_from([0.1, 0.5, 0.9]), st.booleans()), min_size=1)


def test_by_hand() -> None:
    assert TEN.threshold.tolist() == [math.inf, 0.9, 0.8, 0.5, 0.3, 0.2, 0.1]
    assert TEN.taken.tolist() == [0, 1, 2, 6, 7, 8, 10]
    assert TEN.found.tolist() == [0, 1, 2, 4, 4, 5, 5]
    assert TEN.share.tolist() == [0, 0.1, 0.2, 0.6, 0.7, 0.8, 1]
    assert TEN.recall.tolist() == [0, 0.2, 0.4, 0.8, 0.8, 1, 1]
    assert math.isnan(TEN.lift[0])
    assert TEN.lift[1:] == pytest.approx([2, 2, 4 / 3, 8 / 7, 1.25, 1])
    assert TEN.table().row(3) == (0.5, 6, 4, 0.6, 0.8, pytest.approx(4 / 3))
    form = json.loads(json.dumps(TEN.to_dict(), allow_nan=False))
    assert list(form) == ["share", "recall", "lift", "threshold", "taken", "found", "points", "thinned"]
    assert (form["lift"][0], form["threshold"][0]) == (None, None)


def test_recall_of_a_share() -> None:
    exact, inside, nothing, everything = (TEN.at(share=share) for share in (0.2, 0.4, 0, 1))
    assert (exact.recall, exact.lift, exact.taken, exact.threshold) == (0.4, 2, 2, 0.8)
    assert (exact.bounds, exact.tied) == (None, 0)
    # Half of the four tied rows hold 1 of 2 on average, none at worst, both at best.
    assert (inside.recall, inside.bounds, inside.tied, inside.threshold) == (0.6, (0.4, 0.8), 4, 0.5)
    assert (nothing.recall, nothing.lift, nothing.threshold) == (0, None, math.inf)
    assert (everything.recall, everything.lift, everything.threshold) == (1, 1, 0.1)
    # 3 * 0.2 is a hair above 0.6, and meant as 0.6.
    sum_of_shares = TEN.at(share=3 * 0.2)
    assert (sum_of_shares.taken, sum_of_shares.tied, sum_of_shares.recall) == (6, 0, 0.8)
    order = np.random.default_rng(0).permutation(10)
    assert scored(SCORE[order], Y[order]).gains.at(share=0.45) == TEN.at(share=0.45)


def test_share_for_a_recall() -> None:
    assert (TEN.at(recall=0.4).share, TEN.at(recall=0.4).tied) == (0.2, 0)
    # One of the two tied positives: two of the four rows on average, one at best, three at worst.
    inside = TEN.at(recall=0.6)
    assert (inside.share, inside.bounds, inside.tied) == (0.4, (0.3, 0.5), 4)
    # Both of them: for sure only with all four.
    assert (TEN.at(recall=0.8).share, TEN.at(recall=0.8).tied, TEN.at(recall=1).share) == (0.6, 0, 0.8)
    assert (TEN.at(recall=0).share, TEN.at(recall=0).threshold) == (0, math.inf)
    # Rows are taken whole: 0.5 of 5 positives are 2.5, and 3 of the tied rows give 1.5 on average.
    assert (TEN.at(recall=0.5).taken, TEN.at(recall=0.5).recall) == (3, 0.5)


def test_ties_are_the_mean_of_random_orders() -> None:
    rng = np.random.default_rng(3)
    y = rng.random(200) < 0.3
    score = (rng.normal(size=200) + y).round(0)
    gains, shares = scored(score, y).gains, (0.05, 0.13, 0.2, 0.37, 0.5, 0.81)
    orders = (np.lexsort((rng.random(200), -score)) for _ in range(1000))
    found = np.array([np.cumsum(y[order]) / y.sum() for order in orders])
    wrong = []
    for share in shares:
        point, recalls = gains.at(share=share), found[:, round(share * 200) - 1]
        error = 4 * np.std(recalls) / math.sqrt(1000) + 1e-12
        low, high = point.bounds or (point.recall, point.recall)
        holds = low <= recalls.min() + 1e-12 and recalls.max() <= high + 1e-12
        if not holds or point.recall != pytest.approx(np.mean(recalls), abs=error):
            wrong.append((share, point))
    assert not wrong


@given(ROWS, st.integers(0, 20))
def test_the_share_for_a_recall_is_the_smallest(rows: list[tuple[float, bool]], twentieths: int) -> None:
    score, y = columns(rows)
    if not y.any():
        return
    gains, recall = scored(score, y).gains, twentieths / 20
    means = [gains.at(share=taken / len(y)).recall for taken in range(len(y) + 1)]
    enough = next(taken for taken, mean in enumerate(means) if mean >= recall - 1e-12)
    point = gains.at(recall=recall)
    assert point.taken == enough
    best = np.cumsum(y[np.lexsort((~y, -score))]) / y.sum()
    worst = np.cumsum(y[np.lexsort((y, -score))]) / y.sum()
    least, most = (1 + int(np.argmax(found >= recall - 1e-12)) if recall else 0 for found in (best, worst))
    if point.bounds is not None:
        assert [round(end * len(y)) for end in point.bounds] == [least, most]


def test_weights_make_shares_of_weight() -> None:
    # Weights 2, 1, 1 for the scores 0.9+, 0.5-, 0.1+: half of the weight holds two thirds of the positives.
    gains = scored([0.9, 0.5, 0.1], [1, 0, 1], sample_weight=[2.0, 1.0, 1.0]).gains
    assert gains.share.tolist() == [0, 0.5, 0.75, 1]
    assert gains.at(share=0.5).recall == pytest.approx(2 / 3)
    # A row of some weight may be taken in part.
    assert gains.at(recall=0.5).share == pytest.approx(1.5 / 4)
    # Thirty weights of 0.1 are not 3.0 in floats, and all of them are still all.
    rng = np.random.default_rng(1)
    score, y = rng.random(30), rng.random(30) < 0.5
    gains = scored(score, y, sample_weight=np.full(30, 0.1)).gains
    assert (gains.at(share=1).recall, gains.at(recall=1).recall) == (1, 1)
    best_first = np.cumsum(np.append(0, y[np.argsort(-score)])) / y.sum()
    assert [gains.at(share=tenth / 10).recall for tenth in range(11)] == pytest.approx(best_first[::3])


def test_deciles_by_hand() -> None:
    fifths = TEN.deciles(5)
    assert fifths.decile.tolist() == [1, 2, 3, 4, 5]
    assert fifths.rows.tolist() == [2, 2, 2, 2, 2]
    assert fifths.positives.tolist() == [2, 1, 1, 1, 0]
    assert fifths.rate.tolist() == [1, 0.5, 0.5, 0.5, 0]
    assert fifths.highest.tolist() == [0.9, 0.5, 0.5, 0.3, 0.1]
    assert fifths.lowest.tolist() == [0.8, 0.5, 0.5, 0.2, 0.1]
    assert fifths.cumulative_positives.tolist() == [2, 3, 4, 5, 5]
    assert fifths.cumulative_recall.tolist() == [0.4, 0.6, 0.8, 1, 1]
    assert fifths.lift.tolist() == [2, 1, 1, 1, 0]
    assert fifths.cumulative_lift == pytest.approx([2, 1.5, 4 / 3, 1.25, 1])
    assert fifths.parted == 1
    assert fifths.table().row(0) == (1, 2.0, 0.9, 0.8, 2.0, 1.0, 2.0, 0.4, 2.0, 2.0)
    assert list(json.loads(json.dumps(fifths.to_dict(), allow_nan=False)))
    thirds = TEN.deciles(3)
    # 3.33 rows: both above and 1.33 of the four tied ones, which hold half as many positives.
    assert thirds.rows == pytest.approx([10 / 3] * 3)
    assert (thirds.positives.sum(), thirds.parted) == (5, 2)
    assert thirds.positives[0] == pytest.approx(2 + 4 / 3 / 2)
    one = scored([0.4], [1]).gains.deciles()
    assert (one.positives.tolist(), {*one.highest, *one.lowest}) == (pytest.approx([0.1] * 10), {0.4})


def test_lift() -> None:
    lift = scored(SCORE, Y).lift
    assert lift.share.tolist() == [0.1, 0.2, 0.6, 0.7, 0.8, 1]
    assert lift.lift == pytest.approx([2, 2, 4 / 3, 8 / 7, 1.25, 1])
    assert lift.at(share=0.4).lift == pytest.approx(0.6 / 0.4)
    assert (lift.table().columns, lift.to_dict()["points"]) == (["share", "lift", "threshold"], 6)
    flat = scored([0.5] * 4, [1, 0, 0, 0]).lift
    assert (flat.share.tolist(), flat.lift.tolist()) == ([1], [1])


def test_one_class_and_one_row() -> None:
    none = scored([0.3, 0.2], [0, 0])
    for curve in (none.gains, none.lift):
        assert np.isnan(curve.recall).all()
        assert json.loads(json.dumps(curve.to_dict(), allow_nan=False))["why"] == curve.why
    assert none.gains.deciles(2).cumulative_positives.tolist() == [0, 0]
    one = scored([-0.0], [1]).gains
    assert (one.at(recall=1).share, one.at(share=0.5).recall) == (1, 0.5)
    every = scored([0.1, 0.2, 0.3, 0.4], [1] * 4).gains
    assert every.recall.tolist() == every.share.tolist()


def test_bins() -> None:
    gains = binned([0, 6, 0, 2, 2], [0, 4, 0, 18, 68], [1, 0.8, 0.6, 0.4, 0.2, 0]).gains
    assert gains.at(share=0.1).recall == 0.6
    inside = gains.at(share=0.05)
    # Five of ten rows, six of them positive: one positive at least, five at most.
    assert (inside.recall, inside.bounds) == (0.3, (0.1, 0.5))
    assert gains.to_dict()["exact"] is False


def test_answers_in_words(snapshot) -> None:
    many = scored(np.linspace(1, 0, 569), np.arange(569) < 100).gains
    weighted = scored([0.9, 0.5, 0.1], [1, 0, 1], sample_weight=[2.0, 1.0, 1.0]).gains
    answers = {
        "ten rows": TEN.answers(shares=[0.2, 0.4], recalls=[0.4, 0.6]),
        "ends": TEN.answers(shares=[0, 0.05], recalls=[0]),
        "many rows": many.answers(shares=[0.1], recalls=[0.4]),
        "weights": weighted.answers(shares=[0.5], recalls=[0.5]),
    }
    snapshot("text_gains_answers", {name: "\n".join(said) for name, said in answers.items()})
