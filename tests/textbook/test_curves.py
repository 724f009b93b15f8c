"""Gains, rejection, one class against the rest, and votes as scores, as the documents describe them."""

import json

import numpy as np
import pytest
from textbook_cases import CASES, command

import tallymark as tm

# --- gains and lift ----------------------------------------------------------------------------


def test_the_share_of_rows_that_reaches_a_recall_of_40_percent():
    """x: predicted positive rate; y: recall; the dashed diagonal: random selection."""
    assert "which share must be taken to reach a recall of 40%?" in CASES["lift-and-gains"]["statement"]
    # Which of a hundred cases, best first, are positive: 20 in all, the 8th of them the 20th case.
    places = (1, 2, 4, 6, 9, 12, 16, 20, 23, 26, 30, 35, 41, 48, 52, 58, 67, 75, 84, 95)
    positive = np.isin(np.arange(1, 101), places)
    ev = tm.evaluate(positive.astype(int), y_score=np.arange(100, 0, -1.0), labels=[0, 1])
    taken = ev.gains.at(recall=0.4)
    assert (taken.taken, taken.share, taken.recall, taken.found, taken.threshold) == (20, 0.2, 0.4, 8, 81)
    assert ev.gains.at(share=0.2).recall == 8 / 20
    assert ev.lift.at(share=0.2).lift == 2
    assert ev.gains.share.tolist() == (np.arange(101) / 100).tolist()
    assert ev.gains.recall.tolist() == (np.append(0, positive.cumsum()) / 20).tolist()
    diagonal = ev.gains.plot().get_lines()[0]
    assert (list(diagonal.get_xdata()), list(diagonal.get_ydata())) == ([0, 1], [0, 1])


# --- rejection: fraction correct against fraction rejected, as theta varies  # rejection-curve


def test_the_best_class_must_exceed_the_second_best_by_theta():
    activation = np.array(
        [
            *([0.8, 0.1, 0.1], [0.5, 0.4, 0.1], [0.2, 0.5, 0.3]),
            *([0.3, 0.3, 0.4], [0.1, 0.1, 0.8], [0.4, 0.2, 0.4]),
        ]
    )
    actual = np.array([0, 1, 1, 0, 2, 0])
    curve = tm.evaluate(actual, y_score=activation, labels=[0, 1, 2]).rejection
    ordered, right = np.sort(activation), activation.argmax(axis=1) == actual
    for theta in (0.0, 0.05, 0.1, 0.15, 0.2, 0.5, 0.7):
        accepted = ordered[:, -1] - ordered[:, -2] >= theta - 1e-12
        point = curve.at(theta=theta)
        assert point.rejected == pytest.approx(1 - accepted.mean())
        assert point.correct == pytest.approx(right[accepted].mean())
    assert curve.theta == pytest.approx([0, 0.1, 0.2, 0.7])
    assert curve.rejected == pytest.approx([0, 1 / 6, 3 / 6, 4 / 6])
    assert curve.correct == pytest.approx([4 / 6, 3 / 5, 1, 1])


def test_within_theta_of_the_decision_boundary():
    """The same for decision values: a point within theta of the boundary is rejected."""
    value = [2.0, 0.5, 0.25, -0.25, -1.0, -3.0]
    point = tm.evaluate([1, 0, 1, 1, 0, 0], y_score=value, labels=[0, 1], threshold=0.0).rejection.at(
        theta=0.5
    )
    assert (point.rejected, point.correct) == pytest.approx((2 / 6, 3 / 4))


def test_the_cost_of_rejecting_against_the_costs_of_errors():
    # cost(FP) = 1, cost(FN) = 4, rejecting 0.5: positive from 1 - 0.5 / 1 on, negative up to 0.5 / 4.
    p = np.repeat([0.05, 0.3, 0.7], 20)
    positive = np.concatenate([np.arange(20) < hits for hits in (1, 6, 14)]).astype(int)
    ev = tm.evaluate(positive, y_score=p, labels=[1, 0], pos_label=1)
    decision = ev.decide(costs=[[0, 4], [1, 0]], reject_cost=0.5)
    assert decision.chow == (0.125, 0.5)
    # 0.05: 1 miss at 4, against 10 for rejecting; 0.3: 24 or 14 against 10; 0.7: 6 false alarms against 10.
    assert (decision.region, decision.rejected) == ((0.3, 0.7), pytest.approx(20 / 60))
    assert decision.cost == 4 + 10 + 6
    assert ev.decide(costs=[[0, 4], [1, 0]]).cost == 4 + 14 + 6


# --- N classes give N ROC curves  # one-vs-all-roc


def test_each_class_has_a_curve_against_the_rest_and_the_best_recognised_is_first():
    table = [[0.8, 0.1, 0.1], [0.7, 0.2, 0.1], [0.6, 0.1, 0.3], [0.5, 0.3, 0.2], [0.2, 0.6, 0.2]]
    table += [[0.1, 0.4, 0.5], [0.1, 0.5, 0.4], [0.3, 0.1, 0.6], [0.2, 0.2, 0.6]]
    ev = tm.evaluate([*"XXXYYYZZZ"], y_score=np.array(table), labels=[*"XYZ"])
    # Of 3 x 6 pairs of a row of the class and one of the rest, those in the right order, counted by hand.
    for label, pairs in {"X": 18, "Y": 16, "Z": 17}.items():
        result = ev.per_class[label]
        assert result["auc"].value == result.roc.auc == ev.one_vs_rest.areas[label][0] == pairs / 18
        assert (result.roc.tpr[-1], result.roc.fpr[-1]) == (1, 1)
    assert ev.one_vs_rest.order == ("X", "Z", "Y")
    assert len(ev.one_vs_rest.curves) == 3


# --- 100 models vote, and the count of votes is the score  # votes-as-scores


def test_the_count_of_votes_is_the_score(tmp_path):
    random = np.random.default_rng(7)
    positive = random.random(60) < 0.4
    votes = random.random((60, 100)) < np.where(positive, 0.6, 0.4)[:, None]
    actual, given = (np.where(side, "yes", "no") for side in (positive, votes))

    def cells_at(threshold):
        """The four counts, one ballot after the other."""
        cells = [[0, 0], [0, 0]]
        for label, row in zip(actual, given, strict=True):
            predicted = sum(vote == "yes" for vote in row) >= threshold
            cells[label == "no"][not predicted] += 1
        return cells

    for threshold in (0, 1, 40, 50, 60, 100):
        ev = tm.evaluate(actual, votes=given, labels=["yes", "no"], pos_label="yes", threshold=threshold)
        assert ev.confusion.matrix.tolist() == cells_at(threshold)
    assert ev.roc.threshold[1:].tolist() == sorted(set(votes.sum(axis=1).tolist()), reverse=True)
    names = [f"model{number}" for number in range(100)]
    lines = [["class", *names], *([label, *row] for label, row in zip(actual, given, strict=True))]
    path = tmp_path / "ballots.csv"
    path.write_text("\n".join(map(",".join, lines)) + "\n")
    options = ("--actual", "class", "--votes", ",".join(names), "--positive", "yes", "--labels", "yes,no")
    document = json.loads(command("evaluate", str(path), *options, "--threshold", "50", "--json"))
    assert document["confusion"]["matrix"] == cells_at(50)
    assert document["threshold"] == 50
