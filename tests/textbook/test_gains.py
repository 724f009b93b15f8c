"""The lift chart of the sources: which share must be taken for a recall, and which recall a share gives."""

from __future__ import annotations

import numpy as np

from tallymark.curves import Gains, Lift
from tallymark.drawing import text
from tallymark.drawing.figure import Line
from tallymark.intake.ranking import count_scores

# Which of a hundred cases, best first, are positive: 20 in all, the 8th of them the 20th case.
PLACES = (1, 2, 4, 6, 9, 12, 16, 20, 23, 26, 30, 35, 41, 48, 52, 58, 67, 75, 84, 95)
HUNDRED = count_scores(np.arange(100, 0, -1.0), np.isin(np.arange(1, 101), PLACES))


def test_the_share_that_reaches_a_recall_of_40_percent(lift_and_gains_case):
    assert "which share must be taken to reach a recall of 40%?" in lift_and_gains_case["statement"]
    gains = Gains(HUNDRED)
    taken = gains.at(recall=0.4)
    assert (taken.taken, taken.share, taken.recall, taken.found) == (20, 0.2, 0.4, 8)
    assert "To reach a recall of 40 %, take the best 20 % (20 of 100 rows): scores >= 81." in text(
        gains.document()
    )


def test_axes_and_diagonal_of_the_chart(lift_and_gains_case):
    """x: predicted positive rate; y: recall; the dashed diagonal: random selection."""
    gains = Gains(HUNDRED)
    cuts = HUNDRED.cuts()
    assert gains.share.tolist() == (cuts.predicted_positive / 100).tolist()
    assert gains.recall.tolist() == (cuts.tp / 20).tolist()
    assert gains.at(share=0.2).recall == 8 / 20
    diagonal = next(
        mark
        for mark in gains.figure().panels[0].marks
        if isinstance(mark, Line) and mark.label == "random order"
    )
    assert (diagonal.x.tolist(), diagonal.y.tolist(), diagonal.series) == ([0, 1], [0, 1], None)
    assert Lift(HUNDRED).at(share=0.2).lift == 2
