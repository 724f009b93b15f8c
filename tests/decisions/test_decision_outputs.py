"""Decisions in words, JSON, tables and pictures."""

from __future__ import annotations

import json
import pickle

import matplotlib
import numpy as np
import pytest

from tallymark.decisions.decide import decide
from tallymark.decisions.ways import AsIs
from tallymark.drawing import text
from tallymark.drawing.figure import Band, Line, Points
from tallymark.inference import Ranking
from tallymark.intake.ranking import count_scores
from tallymark.tallies import Scores

LABELS = ("yes", "no")
COST = np.array([[-1.0, 5.0], [1.0, 0.0]])


@pytest.mark.parametrize(
    "options",
    [
        {"costs": COST, "as_is": AsIs(threshold=0.5)},
        {"costs": COST, "reject_cost": 0.3},
        {"costs": COST, "minimum": {"recall": 0.95}, "on_lower_bound": False},
        {"maximum": {"share": 0.2}, "best": "recall"},
        {"costs": [[5, 0], [0, 1]]},
        {"costs": [[0, 1], [90, 0]], "reject_cost": 50},
    ],
)
def test_it_can_be_printed_drawn_and_handed_on(rows, options):
    score, positive = rows
    decision = decide(Ranking(count_scores(score, positive, positive="yes")), labels=LABELS, **options)
    form = json.loads(json.dumps(decision.to_dict(), allow_nan=False))
    assert form["schema"] == "tallymark/decision/1"
    assert form["threshold"] == (None if np.isinf(decision.threshold) else decision.threshold)
    assert sum(form["counts"].values()) == pytest.approx(400 * (1 - decision.rejected))
    said = text(decision.document())
    assert "nan" not in said
    assert "None" not in said
    assert len(decision.figure().panels) == 2
    shown = decision._repr_mimebundle_()
    assert shown["text/plain"] == said
    assert "<svg" in shown["text/html"]
    assert decision.report().title == "Decision"
    assert len(decision.table("pandas")) == len(np.unique(score)) + 1
    again = pickle.loads(pickle.dumps(decision))
    assert (again.threshold, again.cost, again.saving) == (decision.threshold, decision.cost, decision.saving)
    assert repr(decision).startswith("Decision(threshold ")


def test_marks_of_the_picture(rows):
    score, positive = rows
    ranking = Ranking(count_scores(score, positive))
    decision = decide(ranking, COST, labels=LABELS, as_is=AsIs(threshold=0.5))
    cost, roc = decision.figure().panels
    band = next(mark for mark in cost.marks if isinstance(mark, Band))
    assert band.x.tolist() == [decision.low, decision.high]
    chosen, now = (mark for mark in cost.marks if isinstance(mark, Points))
    assert (chosen.x[0], chosen.y[0]) == (decision.threshold, decision.mean_cost)
    assert (now.x[0], now.y[0]) == (0.5, decision.cost_of("as is") / 400)
    assert any(isinstance(mark, Line) and mark.label.startswith("equal cost, slope") for mark in roc.marks)
    declined = decide(ranking, COST, labels=LABELS, reject_cost=0.3)
    band = next(mark for mark in declined.figure().panels[0].marks if isinstance(mark, Band))
    assert tuple(band.x) == declined.region


def test_excluded_thresholds_are_shaded(rows):
    score, positive = rows
    ranking = Ranking(count_scores(score, positive))
    bounds = {"minimum": {"recall": 0.9}, "maximum": {"share": 0.6}}
    for costs in (COST, None):
        decision = decide(ranking, costs, labels=LABELS, as_is=AsIs(threshold=0.5), **bounds)
        bands = {mark.label: mark for mark in decision.figure().panels[0].marks if isinstance(mark, Band)}
        at = bands["excluded: recall < 0.9"]
        # From 0.9 of the positives on, counted from above, recall is high enough.
        edge = np.sort(score[positive])[::-1][int(np.ceil(0.9 * positive.sum())) - 1]
        shaded = at.x[:-1][at.high[:-1] > at.low[:-1]]
        assert shaded.min() > edge
        assert set(np.unique(score[score > edge])) <= set(shaded)
        assert "excluded: share > 0.6" in bands
    limited = decide(ranking, COST, labels=LABELS, minimum={"recall": 0.8}, on_lower_bound=True)
    assert any(
        mark.label == "excluded: lower limit of recall < 0.8" for mark in limited.figure().panels[0].marks
    )


def test_as_is_is_marked_also_where_the_curve_is_a_metric(rows):
    score, positive = rows
    ranking = Ranking(count_scores(score, positive))
    called = score >= 0.5
    precision = (called & positive).sum() / called.sum()
    decision = decide(ranking, labels=LABELS, best="precision", as_is=AsIs(threshold=0.5))
    now = [mark for mark in decision.figure().panels[0].marks if mark.label.startswith("as is")]
    assert [(mark.x[0], mark.y[0]) for mark in now] == [(0.5, pytest.approx(precision))]
    given = AsIs(called=count_scores(score[called], positive[called]), words="the answers given")
    decision = decide(ranking, labels=LABELS, best="precision", as_is=given)
    now = [mark for mark in decision.figure().panels[0].marks if mark.label.startswith("as is")]
    assert [mark.label for mark in now] == [f"as is (the answers given), {precision:.3f}"]
    assert now[0].y == pytest.approx([precision] * 2)


def test_the_picture_says_of_what_and_where_it_was_chosen(rows):
    score, positive = rows
    here, other = (Ranking(count_scores(score[at], positive[at])) for at in (slice(0, 300), slice(300, 400)))
    decision = decide(here, COST, labels=LABELS, chosen_on=other, minimum={"recall": 0.5})
    figure = decision.figure()
    assert "Chosen and excluded on 100 other rows." in figure.note
    assert "Positive is 'yes'" in figure.note
    assert not [mark for mark in figure.panels[0].marks if mark.label == "equally cheap"]
    shares = decide(Ranking(here.scores, share=0.01), COST, labels=LABELS).figure()
    assert "what to expect when 1 % of the rows are 'yes'." in shares.note
    assert all(panel.square for panel in figure.panels)


def test_what_is_gained_by_declining_is_on_the_axis():
    scores = Scores(np.array([0.9, 0.5, 0.1]), np.array([8, 5, 0]), np.array([0, 5, 8]))
    decision = decide(Ranking(scores), [[-5, 5], [2, -2]], labels=LABELS, reject_cost=-4)
    panel = decision.figure().panels[0]
    assert panel.y.low < decision.mean_cost < panel.y.high


def test_it_is_drawn(rows):
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    score, positive = rows
    decision = decide(Ranking(count_scores(score, positive)), COST, labels=LABELS)
    axes = decision.plot()
    assert len(axes) == 2
    plt.close("all")


def test_words_of_a_worked_example():
    """At 0.9: 2 hits and 2 misses; at 0.6: 3 hits, a miss and 2 alarms; at 0.2: 7 alarms."""
    scores = Scores(np.array([0.9, 0.6, 0.2]), np.array([2, 1, 1]), np.array([0, 2, 5]))
    decision = decide(Ranking(scores), [[0, 6], [1, 0]], labels=LABELS, as_is=AsIs(threshold=0.9))
    said = " ".join(text(decision.document()).split())
    assert "Call a row 'yes' when its score is at least 0.2, which is every row." in said
    assert "It costs 7 in total, 0.636 a row." in said
    assert "Against as is (score >= 0.9) it saves 5 [" in said
    assert "Against calling all 'yes' it answers every row alike." in said
    assert "E(cost) = cost(FP) x P(FP) x negatives + cost(FN) x P(FN) x positives" in said
    assert "= 1 x 7/7 x 7 + 6 x 0/4 x 4 = 7 + 0 = 7" in said
    assert "= (1 - 0) / (1 - 0 + 6 - 0) = 0.142857 (Elkan 2001)" in said
    assert "It is one of the thresholds that are cheapest here: theory and rows agree." in said


def test_a_negative_cost_is_a_gain():
    """At 0.5 eight hits, 40, and an alarm, 1; cross-fitted it is some other number of gains."""
    scores = Scores(np.array([0.9, 0.5, 0.1]), np.array([5, 3, 0]), np.array([0, 1, 8]))
    decision = decide(Ranking(scores), [[-5, 5], [1, 0]], labels=LABELS)
    said = " ".join(text(decision.document()).split())
    assert "It gains 39 in total, 2.294 a row." in said
    assert "costs -" not in said
    fitted = decision.cross_fitted
    assert f"it gains {-fitted.cost:g} in total" in said


def test_one_row_is_one_row():
    scores = Scores(np.array([0.9]), np.array([1]), np.array([0]))
    decision = decide(Ranking(scores), [[0, 1], [1, 0]], labels=LABELS)
    assert "costs less on this one row." in " ".join(text(decision.document()).split())
    many = Scores(np.array([0.9, 0.1]), np.array([3, 1]), np.array([1, 5]))
    decision = decide(Ranking(many), [[0, 1], [1, 0]], labels=LABELS, chosen_on=Ranking(scores))
    assert "on the one row it was chosen on." in " ".join(text(decision.document()).split())
    assert "Chosen on one other row." in decision.figure().note


def test_equally_cheap_intervals_are_counted():
    scores = Scores(np.array([0.9, 0.6, 0.2]), np.array([2, 1, 1]), np.array([0, 1, 1]))
    decision = decide(Ranking(scores), [[0, 1], [1, 0]], labels=LABELS)
    # At 0.9, 0.6 and 0.2 two errors each.
    assert (decision.threshold, decision.low, decision.others) == (0.9, -np.inf, 0)
    lower = Scores(np.array([0.9, 0.6, 0.2]), np.array([2, 0, 1]), np.array([0, 1, 0]))
    decision = decide(Ranking(lower), [[0, 1], [1, 0]], labels=LABELS)
    assert (decision.threshold, decision.low, decision.others) == (0.9, 0.6, 1)
    assert "1 other interval is as cheap; this one calls the fewest rows positive." in " ".join(
        text(decision.document()).split()
    )
    assert decision.to_dict()["other_intervals"] == [[None, 0.2]]


@pytest.mark.parametrize("options", [{"costs": [[0, 1], [1, 0]]}, {"best": "accuracy"}])
def test_other_intervals_are_listed_but_not_by_the_thousand(options):
    """An error more at every even place and one less at every odd: each of 100 pairs has its interval."""
    scores = Scores(np.arange(200, 0, -1.0), np.tile([0, 1], 100), np.tile([1, 0], 100))
    decision = decide(Ranking(scores), labels=LABELS, **options)
    form = decision.to_dict()
    assert (decision.threshold, decision.low, form["others"]) == (np.inf, 200, 100)
    # At 199 a row of either class is called positive: as many errors as when none is.
    assert form["other_intervals"] == [[198.0 - 2 * k, 199.0 - 2 * k] for k in range(30)]
