"""Models that only answer yes or no: 100 of them vote, and the count of votes is the score."""

from __future__ import annotations

import json

import numpy as np
import pytest

import tallymark as tm

MODELS, ROWS = 100, 60


@pytest.fixture
def ballots():
    """The true class of every row, and row by row what each of the models says."""
    random = np.random.default_rng(7)
    actual = ["yes" if random.random() < 0.4 else "no" for _ in range(ROWS)]
    chances = [0.6 if label == "yes" else 0.4 for label in actual]
    says = [["yes" if random.random() < chance else "no" for _ in range(MODELS)] for chance in chances]
    return actual, says


def cells_at(actual, says, threshold):
    """The four counts, one ballot after the other."""
    tp = fn = fp = tn = 0
    for label, row in zip(actual, says, strict=True):
        called = sum(answer == "yes" for answer in row) >= threshold
        if label == "yes":
            tp, fn = tp + called, fn + (not called)
        else:
            fp, tn = fp + called, tn + (not called)
    return [[tp, fn], [fp, tn]]


@pytest.mark.parametrize("threshold", [0, 1, 40, 50, 60, 100])
def test_the_count_of_votes_is_the_score(votes_as_scores_case, ballots, threshold):
    assert "100 models vote" in votes_as_scores_case["statement"]
    actual, says = ballots
    ev = tm.evaluate(actual, votes=np.array(says), labels=["yes", "no"], pos_label="yes", threshold=threshold)
    assert ev.encoded.score.tolist() == [row.count("yes") for row in says]
    assert ev.confusion.matrix.tolist() == cells_at(actual, says, threshold)
    assert ev.notes == ("the score is the number of votes for 'yes' among 100 columns.",)


def test_from_a_file(votes_as_scores_case, ballots, run, tmp_path):
    actual, says = ballots
    names = [f"model{number}" for number in range(MODELS)]
    lines = [["class", *names], *([label, *row] for label, row in zip(actual, says, strict=True))]
    path = tmp_path / "ballots.csv"
    path.write_text("\n".join(map(",".join, lines)) + "\n")
    options = ("--actual", "class", "--votes", ",".join(names), "--positive", "yes", "--labels", "yes,no")
    document = json.loads(run("evaluate", str(path), *options, "--threshold", "50", "--json"))
    assert document["confusion"]["matrix"] == cells_at(actual, says, 50)
    assert document["threshold"] == 50
