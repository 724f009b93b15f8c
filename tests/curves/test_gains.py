"""Gains and lift, by hand and against the mean over many orders of tied rows."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallymark.curves import Deciles, Gains, Lift
from tallymark.drawing import text
from tallymark.errors import OptionError
from tallymark.intake.ranking import count_scores
from tallymark.tallies import Scores

# Ten rows: 0.9+, 0.8+, then four at 0.5 (two +), then 0.3-, 0.2+, 0.1-, 0.1-.
SCORE = np.array([0.9, 0.8, 0.5, 0.5, 0.5, 0.5, 0.3, 0.2, 0.1, 0.1])
Y = np.array([1, 1, 1, 1, 0, 0, 0, 1, 0, 0], bool)
TEN = count_scores(SCORE, Y)


def test_by_hand() -> None:
    gains = Gains(TEN)
    assert gains.threshold.tolist() == [math.inf, 0.9, 0.8, 0.5, 0.3, 0.2, 0.1]
    assert gains.taken.tolist() == [0, 1, 2, 6, 7, 8, 10]
    assert gains.found.tolist() == [0, 1, 2, 4, 4, 5, 5]
    assert gains.share.tolist() == [0, 0.1, 0.2, 0.6, 0.7, 0.8, 1]
    assert gains.recall.tolist() == [0, 0.2, 0.4, 0.8, 0.8, 1, 1]
    assert math.isnan(gains.lift[0])
    assert gains.lift[1:] == pytest.approx([2, 2, 4 / 3, 8 / 7, 1.25, 1])


def test_which_recall_a_share_gives() -> None:
    gains = Gains(TEN)
    exact = gains.at(share=0.2)
    assert (exact.recall, exact.lift, exact.taken, exact.threshold) == (0.4, 2, 2, 0.8)
    assert (exact.bounds, exact.tied) == (None, 0)
    # Half of the four tied rows hold 1 of 2 on average, none at worst, both at best.
    inside = gains.at(share=0.4)
    assert (inside.recall, inside.bounds, inside.tied) == (0.6, (0.4, 0.8), 4)
    assert inside.threshold == 0.5
    nothing = gains.at(share=0)
    assert (nothing.recall, nothing.lift, nothing.threshold) == (0, None, math.inf)
    everything = gains.at(share=1)
    assert (everything.recall, everything.lift, everything.threshold) == (1, 1, 0.1)


def test_which_share_a_recall_takes() -> None:
    gains = Gains(TEN)
    assert (gains.at(recall=0.4).share, gains.at(recall=0.4).tied) == (0.2, 0)
    # One of the two tied positives: two of the four rows on average, one at best, three at worst.
    inside = gains.at(recall=0.6)
    assert (inside.share, inside.bounds, inside.tied) == (0.4, (0.3, 0.5), 4)
    # Both of them: for sure only with all four.
    assert (gains.at(recall=0.8).share, gains.at(recall=0.8).tied) == (0.6, 0)
    assert gains.at(recall=1).share == 0.8
    assert (gains.at(recall=0).share, gains.at(recall=0).threshold) == (0, math.inf)
    # Rows are taken whole: 0.5 of 5 positives are 2.5, and 3 of the tied rows give 1.5 on average.
    assert (gains.at(recall=0.5).taken, gains.at(recall=0.5).recall) == (3, 0.5)


def test_a_share_written_as_a_sum() -> None:
    assert 3 * 0.2 > 0.6
    point = Gains(TEN).at(share=3 * 0.2)
    assert (point.taken, point.tied, point.recall) == (6, 0, 0.8)


@pytest.mark.parametrize("share", [0.05, 0.13, 0.2, 0.37, 0.5, 0.81])
def test_ties_are_the_mean_of_random_orders(share: float) -> None:
    rng = np.random.default_rng(3)
    y = rng.random(200) < 0.3
    score = (rng.normal(size=200) + y).round(0)
    point = Gains(count_scores(score, y)).at(share=share)
    taken = round(share * 200)
    recalls = []
    for _ in range(2000):
        order = np.lexsort((rng.random(200), -score))
        recalls.append(y[order][:taken].sum() / y.sum())
    error = np.std(recalls) / math.sqrt(2000)
    assert point.recall == pytest.approx(np.mean(recalls), abs=4 * error + 1e-12)
    low, high = point.bounds or (point.recall, point.recall)
    assert low <= min(recalls) + 1e-12
    assert max(recalls) <= high + 1e-12


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([0.1, 0.5, 0.9]), st.booleans()), min_size=1), st.integers(0, 20))
def test_the_share_for_a_recall_is_the_smallest(rows: list[tuple[float, bool]], twentieths: int) -> None:
    score, y = (np.array(side) for side in zip(*rows, strict=True))
    if not y.any():
        return
    gains, recall = Gains(count_scores(score, y)), twentieths / 20
    means = [gains.at(share=taken / len(y)).recall for taken in range(len(y) + 1)]
    enough = next(taken for taken, mean in enumerate(means) if mean >= recall - 1e-12)
    point = gains.at(recall=recall)
    assert point.taken == enough
    best = np.cumsum(y[np.lexsort((~y, -score))]) / y.sum()
    worst = np.cumsum(y[np.lexsort((y, -score))]) / y.sum()
    least, most = (1 + int(np.argmax(found >= recall - 1e-12)) if recall else 0 for found in (best, worst))
    if point.bounds is not None:
        assert [round(end * len(y)) for end in point.bounds] == [least, most]


def test_row_order_does_not_matter() -> None:
    order = np.random.default_rng(0).permutation(10)
    mixed = Gains(count_scores(SCORE[order], Y[order]))
    assert mixed.at(share=0.45) == Gains(TEN).at(share=0.45)


def test_weights_make_shares_of_weight() -> None:
    # Weights 2, 1, 1 for the scores 0.9+, 0.5-, 0.1+: half of the weight holds two thirds of the positives.
    weight = np.array([2.0, 1.0, 1.0])
    gains = Gains(count_scores(np.array([0.9, 0.5, 0.1]), np.array([1, 0, 1], bool), weight=weight))
    assert gains.share.tolist() == [0, 0.5, 0.75, 1]
    assert gains.at(share=0.5).recall == pytest.approx(2 / 3)
    # A row of some weight may be taken in part.
    assert gains.at(recall=0.5).share == pytest.approx(1.5 / 4)
    assert gains.answers(shares=[0.5], recalls=[0.5]) == (
        "The best 50 % (a weight of 2) hold 66.7 % of the positives (lift 1.33).",
        "To reach a recall of 50 %, take the best 37.5 % (a weight of 1.5 of 4): scores >= 0.9.",
    )


def test_weights_that_do_not_add_up() -> None:
    """Thirty weights of 0.1 are not 3.0 in floats, and all of them are still all."""
    rng = np.random.default_rng(1)
    score, y = rng.random(30), rng.random(30) < 0.5
    gains = Gains(count_scores(score, y, weight=np.full(30, 0.1)))
    assert (gains.at(share=1).recall, gains.at(recall=1).recall) == (1, 1)
    for tenth in range(11):
        expected = np.sort(score)[::-1][: 3 * tenth]
        found = y[np.isin(score, expected)].sum() / y.sum()
        assert gains.at(share=tenth / 10).recall == pytest.approx(found, abs=1e-9)


# --- sentences ---------------------------------------------------------------------------------


def test_answers() -> None:
    assert Gains(TEN).answers(shares=[0.2, 0.4], recalls=[0.4, 0.6]) == (
        "The best 20 % (2 rows) hold 40 % of the positives (lift 2.00).",
        "The best 40 % (4 rows) hold 60 % of the positives (lift 1.50). The cut takes 2 of 4 rows that have "
        "the same score: this holds on average over their orders, and 40 % to 80 % is possible.",
        "To reach a recall of 40 %, take the best 20 % (2 of 10 rows): scores >= 0.8.",
        "To reach a recall of 60 %, take the best 40 % (4 of 10 rows): scores >= 0.5. The cut takes 2 of 4 "
        "rows that have the same score: this holds on average over their orders, and 30 % to 50 % is "
        "possible.",
    )


def test_answers_at_the_ends() -> None:
    assert Gains(TEN).answers(shares=[0, 0.05], recalls=[0]) == (
        "The best 0 % (0 rows) hold 0 % of the positives.",
        "The best 5 % (0.5 rows) hold 10 % of the positives (lift 2.00).",
        "To reach a recall of 0 %, no row need be taken.",
    )


def test_answers_about_many_rows() -> None:
    score = np.linspace(1, 0, 569)
    gains = Gains(count_scores(score, np.arange(569) < 100))
    assert gains.answers(shares=[0.1], recalls=[0.4]) == (
        "The best 10 % (about 57 rows) hold 56.9 % of the positives (lift 5.69).",
        "To reach a recall of 40 %, take the best 7.0 % (40 of 569 rows): scores >= 0.931.",
    )


def test_the_printed_threshold_takes_the_same_rows() -> None:
    rng = np.random.default_rng(2)
    score, y = rng.random(3000), rng.random(3000) < 0.5
    gains = Gains(count_scores(score, y))
    for recall in np.linspace(0.01, 1, 30):
        sentence = gains.answers(shares=[], recalls=[recall])[0]
        threshold = float(sentence.rsplit(" ", 1)[1].removesuffix("."))
        assert (score >= threshold).sum() == gains.at(recall=recall).taken


# --- deciles -----------------------------------------------------------------------------------


def test_deciles_by_hand() -> None:
    fifths = Gains(TEN).deciles(5)
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


def test_thirds_part_rows() -> None:
    thirds = Gains(TEN).deciles(3)
    assert thirds.rows == pytest.approx([10 / 3] * 3)
    # 3.33 rows: both above and 1.33 of the four tied ones, which hold half as many positives.
    assert thirds.positives[0] == pytest.approx(2 + 4 / 3 / 2)
    assert thirds.positives.sum() == 5
    assert thirds.parted == 2


def test_deciles_agree_with_the_curve() -> None:
    rng = np.random.default_rng(4)
    y = rng.random(977) < 0.2
    gains = Gains(count_scores((rng.normal(size=977) + y).round(1), y))
    recalls = [gains.at(share=tenth / 10).recall for tenth in range(1, 11)]
    assert gains.deciles().cumulative_recall == pytest.approx(recalls)


def test_deciles_of_one_row() -> None:
    parts = Deciles(count_scores(np.array([0.4]), np.ones(1, bool)))
    assert parts.positives == pytest.approx([0.1] * 10)
    assert set(parts.highest) == set(parts.lowest) == {0.4}


def test_the_table_of_deciles() -> None:
    table = Gains(TEN).deciles(5).table()
    assert table.columns == [
        "decile",
        "rows",
        "highest",
        "lowest",
        "positives",
        "rate",
        "cumulative_positives",
        "cumulative_recall",
        "lift",
        "cumulative_lift",
    ]
    assert table.row(0) == (1, 2.0, 0.9, 0.8, 2.0, 1.0, 2.0, 0.4, 2.0, 2.0)
    json.dumps(Gains(TEN).deciles(5).to_dict(), allow_nan=False)


@pytest.mark.parametrize("parts", [0, -1, 2.5, True, 1001])
def test_parts_are_a_whole_number(parts: float) -> None:
    with pytest.raises(OptionError) as caught:
        Gains(TEN).deciles(parts)
    assert str(caught.value) == f"n must be a whole number of parts from 1 to 1,000; got {parts!r}."


# --- lift --------------------------------------------------------------------------------------


def test_lift() -> None:
    lift = Lift(TEN)
    assert lift.share.tolist() == [0.1, 0.2, 0.6, 0.7, 0.8, 1]
    assert lift.lift == pytest.approx([2, 2, 4 / 3, 8 / 7, 1.25, 1])
    assert lift.at(share=0.4).lift == pytest.approx(0.6 / 0.4)
    assert lift.table().columns == ["share", "lift", "threshold"]
    assert lift.to_dict()["points"] == 6


def test_lift_is_flat_within_the_first_tied_rows() -> None:
    lift = Lift(count_scores(np.array([0.5] * 4), np.array([1, 0, 0, 0], bool)))
    assert (lift.share.tolist(), lift.lift.tolist()) == ([1], [1])
    line = lift.figure().panels[0].marks[1]
    assert np.allclose(line.y, 1)


# --- undefined, and bins -----------------------------------------------------------------------


def test_no_positives() -> None:
    scores = count_scores(np.array([0.3, 0.2]), np.zeros(2, bool))
    for curve in (Gains(scores), Lift(scores)):
        assert curve.why == "no row is actually positive"
        assert np.isnan(curve.recall).all()
        assert curve.to_dict()["why"] == "no row is actually positive"
        with pytest.raises(OptionError, match=r"^there is no curve: no row is actually positive\.$"):
            curve.at(share=0.5)
        assert "Gains are undefined: no row is actually positive." in text(curve.document())
        json.dumps(curve.to_dict(), allow_nan=False)
    assert Gains(scores).deciles(2).cumulative_positives.tolist() == [0, 0]


def test_no_rows() -> None:
    gains = Gains(Scores.empty())
    assert gains.why == "there are no rows"
    assert gains.deciles().table().shape == (0, 10)
    assert gains.to_dict()["share"] == [None]
    assert Lift(Scores.empty()).to_dict()["points"] == 0


def test_one_row() -> None:
    gains = Gains(count_scores(np.array([-0.0]), np.ones(1, bool)))
    assert gains.at(recall=1).share == 1
    assert gains.at(share=0.5).recall == 0.5


def test_no_negatives() -> None:
    gains = Gains(count_scores(np.array([0.1, 0.2, 0.3, 0.4]), np.ones(4, bool)))
    assert gains.recall.tolist() == gains.share.tolist()


def test_bins() -> None:
    gains = Gains(Scores.from_bins([0, 6, 0, 2, 2], [0, 4, 0, 18, 68], edges=[1, 0.8, 0.6, 0.4, 0.2, 0]))
    assert gains.at(share=0.1).recall == 0.6
    inside = gains.at(share=0.05)
    # Five of ten rows, six of them positive: one positive at least, five at most.
    assert (inside.recall, inside.bounds) == (0.3, (0.1, 0.5))
    assert gains.to_dict()["exact"] is False
    printed = text(gains.document(), width=400)
    assert "The cut takes 5 of 10 rows that are in the same bin" in printed
    assert "known at their edges only" in printed


@pytest.mark.parametrize("asked", [{}, {"share": 0.1, "recall": 0.1}, {"share": 20}, {"recall": -0.1}])
def test_asked_wrongly(asked: dict[str, float]) -> None:
    with pytest.raises(OptionError):
        Gains(TEN).at(**asked)


def test_json_and_table() -> None:
    form = Gains(TEN).to_dict()
    assert list(form) == ["share", "recall", "lift", "threshold", "taken", "found", "points", "thinned"]
    assert (form["lift"][0], form["threshold"][0]) == (None, None)
    json.dumps(form, allow_nan=False)
    assert Gains(TEN).table().row(3) == (0.5, 6, 4, 0.6, 0.8, pytest.approx(4 / 3))


def test_the_document() -> None:
    printed = text(Gains(TEN).document())
    assert "To reach a recall of 40 %, take the best 20 % (2 of 10 rows): scores >= 0.8." in printed
    assert "decile  rows      scores  positives    rate  so far  recall  lift  so far" in printed
    assert "     3     1  0.5 to 0.5        0.5   50.0%     2.5   50.0%  1.00    1.67" in printed
