"""Decisions against a search over all thresholds, row by row and in exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from tallymark.decisions.cross_fitting import CrossFitted
from tallymark.decisions.decide import decide
from tallymark.decisions.iso_cost import iso_cost_line
from tallymark.decisions.ways import AsIs
from tallymark.drawing import text
from tallymark.errors import OptionError
from tallymark.inference import Ranking
from tallymark.inference.folds import aligned_folds
from tallymark.intake.ranking import count_groups, count_scores
from tallymark.tallies import Scores

LABELS = ("yes", "no")
some = settings(max_examples=100, deadline=None)
# Few distinct scores, so that most rows are tied with others.
ROWS = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 1.0]), st.booleans(), st.integers(1, 3)),
    min_size=2,
    max_size=25,
).filter(lambda rows: {positive for _, positive, _ in rows} == {True, False})
COSTS = st.lists(st.integers(-20, 20), min_size=4, max_size=4)


def columns(rows):
    return tuple(np.array(column) for column in zip(*rows, strict=True))


def ranking_of(rows, *, weighted=False, share=None):
    score, positive, weight = columns(rows)
    counted = count_scores(score, positive, weight=weight.astype(float) if weighted else None, positive="yes")
    return Ranking(counted, share=share)


def weights_of(rows, *, weighted=False, share=None):
    """What each row counts for, exactly."""
    own = [Fraction(weight if weighted else 1) for _, _, weight in rows]
    if share is None:
        return own
    totals = {
        side: sum(w for w, row in zip(own, rows, strict=True) if row[1] == side) for side in (True, False)
    }
    n = sum(own)
    factor = {True: share * n / totals[True], False: (1 - share) * n / totals[False]}
    return [w * factor[row[1]] for w, row in zip(own, rows, strict=True)]


def cost_at(rows, weights, cells, threshold):
    hit, miss, alarm, rest = cells
    total = Fraction(0)
    for (score, positive, _), weight in zip(rows, weights, strict=True):
        called = score >= threshold
        total += weight * ((hit if called else miss) if positive else (alarm if called else rest))
    return total


def thresholds_of(rows):
    return [np.inf, *sorted({score for score, *_ in rows}, reverse=True)]


def rate_at(rows, weights, threshold, name):
    called = [score >= threshold for score, *_ in rows]
    among = {
        "recall": [row[1] for row in rows],
        "precision": called,
        "share": [True] * len(rows),
    }[name]
    hit = called if name == "share" else [c and row[1] for c, row in zip(called, rows, strict=True)]
    bottom = sum(w for w, there in zip(weights, among, strict=True) if there)
    top = sum(w for w, there in zip(weights, hit, strict=True) if there)
    return top / bottom if bottom else None


@pytest.mark.parametrize("share", [None, Fraction(1, 8)])
@pytest.mark.parametrize("weighted", [False, True])
@some
@given(rows=ROWS, cells=COSTS)
def test_the_cheapest_threshold_and_its_savings(weighted, share, rows, cells):
    weights = weights_of(rows, weighted=weighted, share=share)
    found = [(threshold, cost_at(rows, weights, cells, threshold)) for threshold in thresholds_of(rows)]
    least = min(cost for _, cost in found)
    highest = max(threshold for threshold, cost in found if cost == least)
    ranking = ranking_of(rows, weighted=weighted, share=None if share is None else float(share))
    decision = decide(ranking, np.array(cells).reshape(2, 2), labels=LABELS, as_is=AsIs(threshold=0.4))
    assert decision.threshold == decision.high == highest
    below = [threshold for threshold, cost in found if threshold < highest and cost != least]
    assert decision.low == (max(below) if below else -np.inf)
    assert decision.cost == pytest.approx(float(least), abs=1e-9)
    assert decision.mean_cost == pytest.approx(float(least / sum(weights)), abs=1e-9)
    others = {"as is": 0.4, "all positive": -np.inf, "all negative": np.inf}
    for name, threshold in others.items():
        expected = float(cost_at(rows, weights, cells, threshold) - least)
        assert decision.savings[name].value == pytest.approx(expected, abs=1e-9)
    assert decision.saving == decision.savings["as is"].value >= -1e-9


BOUNDS = st.tuples(
    st.sampled_from(["recall", "precision", "share"]), st.booleans(), st.sampled_from([0.2, 0.5, 0.75, 0.9])
)


@pytest.mark.parametrize("weighted", [False, True])
@some
@given(
    rows=ROWS, cells=COSTS, bounds=st.lists(BOUNDS, min_size=1, max_size=2, unique_by=lambda each: each[0])
)
def test_the_cheapest_of_those_that_keep_what_is_asked(weighted, rows, cells, bounds):
    weights = weights_of(rows, weighted=weighted)
    kept = []
    for threshold in thresholds_of(rows):
        rates = [(rate_at(rows, weights, threshold, name), least, bound) for name, least, bound in bounds]
        if all(
            rate is not None and (rate >= Fraction(str(b)) if least else rate <= Fraction(str(b)))
            for rate, least, b in rates
        ):
            kept.append((cost_at(rows, weights, cells, threshold), -threshold))
    sides = ({name: bound for name, at_least, bound in bounds if at_least is side} for side in (True, False))
    minimum, maximum = sides
    options = {"labels": LABELS, "minimum": minimum, "maximum": maximum}
    ranking = ranking_of(rows, weighted=weighted)
    if not kept:
        with pytest.raises(OptionError, match="cannot be met"):
            decide(ranking, np.array(cells).reshape(2, 2), **options)
        return
    decision = decide(ranking, np.array(cells).reshape(2, 2), **options)
    assert (decision.cost, -decision.threshold) == pytest.approx(
        (float(min(kept)[0]), min(kept)[1]), abs=1e-9
    )


@some
@given(rows=ROWS, cells=COSTS, reject=st.integers(-5, 10))
def test_the_reject_region_is_the_cheapest_of_all_pairs(rows, cells, reject):
    decision = decide(
        ranking_of(rows),
        np.array(cells).reshape(2, 2),
        labels=LABELS,
        reject_cost=reject,
        as_is=AsIs(threshold=0.4),
    )
    hit, miss, alarm, rest = cells
    every = thresholds_of(rows)
    pairs = []
    for upper in every:
        for lower in (threshold for threshold in [*every, -np.inf] if threshold <= upper):
            total = declined = 0
            for score, positive, _ in rows:
                if lower <= score < upper:
                    total, declined = total + reject, declined + 1
                elif score >= upper:
                    total += hit if positive else alarm
                else:
                    total += miss if positive else rest
            pairs.append((total, declined))
    least, fewest = min(pairs)
    assert decision.cost == pytest.approx(least)
    assert decision.rejected == pytest.approx(fewest / len(rows))
    assert (decision.region is None) == (fewest == 0)
    now = cost_at(rows, weights_of(rows), cells, 0.4)
    assert decision.saving == pytest.approx(float(now - least))
    counts = decision.answered.counts
    assert counts.n + fewest == len(rows)
    assert decision.confusion.n == counts.n


@some
@given(rows=ROWS, weighted=st.booleans())
def test_the_best_f1_without_costs(rows, weighted):
    weights = weights_of(rows, weighted=weighted)
    values = []
    for threshold in thresholds_of(rows):
        top = bottom = Fraction(0)
        for (score, positive, _), weight in zip(rows, weights, strict=True):
            called = score >= threshold
            top += 2 * weight * (called and positive)
            bottom += weight * (called + positive)
        values.append((top / bottom, threshold))
    decision = decide(ranking_of(rows, weighted=weighted), labels=LABELS)
    assert (decision.value, decision.threshold) == (pytest.approx(float(max(values)[0])), max(values)[1])
    assert decision.cost is decision.mean_cost is decision.saving is decision.closed_form is None
    assert decision.savings == {}
    assert decision.formula == ()


# --- what is done now ------------------------------------------------------------------------------


COST = np.array([[-1.0, 5.0], [1.0, 0.0]])


def called_of(score, positive, called, **options):
    return count_scores(score[called], positive[called], **options)


@pytest.mark.parametrize("share", [None, 0.1])
@pytest.mark.parametrize("reject_cost", [None, 0.3])
def test_answers_given_save_what_the_costs_differ_by(rows, share, reject_cost):
    score, positive = rows
    answers = np.random.default_rng(2).random(400) < np.where(positive, 0.7, 0.2)
    ranking = Ranking(count_scores(score, positive), share=share)
    as_is = AsIs(called=called_of(score, positive, answers))
    decision = decide(ranking, COST, labels=LABELS, as_is=as_is, reject_cost=reject_cost)
    weight = np.ones(400)
    if share is not None:
        weight = np.where(positive, share * 400 / positive.sum(), (1 - share) * 400 / (~positive).sum())
    now = (weight * np.where(positive, np.where(answers, -1, 5), np.where(answers, 1, 0))).sum()
    assert decision.cost_of("as is") == pytest.approx(now)
    assert decision.saving == pytest.approx(now - decision.cost)
    assert decision.savings["as is"].low < decision.saving < decision.savings["as is"].high


def test_a_threshold_given_as_answers_saves_the_same(rows):
    score, positive = rows
    ranking = Ranking(count_scores(score, positive))
    one = decide(ranking, COST, labels=LABELS, as_is=AsIs(threshold=0.5)).savings["as is"]
    other = AsIs(called=called_of(score, positive, score >= 0.5))
    two = decide(ranking, COST, labels=LABELS, as_is=other).savings["as is"]
    assert one.value == two.value
    # Answers of another kind might have flipped either way, so there is a little more that could have been.
    assert (two.low, two.high) == pytest.approx((one.low, one.high), abs=8)


def grouped(score, positive, group, called=None):
    there = slice(None) if called is None else called
    scores = count_scores(score[there], positive[there])
    return count_groups(scores, score[there], positive[there], None, group[there], tuple(range(40)))


def test_groups_are_drawn_whole(rows):
    score, positive = rows
    group = np.argsort(np.argsort(score + positive)) // 10  # rows of a group are much alike
    groups = grouped(score, positive, group)
    ranking = Ranking(groups.total, groups=groups)
    apart = decide(Ranking(groups.total), COST, labels=LABELS, as_is=AsIs(threshold=0.5)).savings["as is"]
    for as_is in (
        AsIs(threshold=0.5),
        AsIs(
            called=called_of(score, positive, score >= 0.5),
            groups=grouped(score, positive, group, np.flatnonzero(score >= 0.5)),
        ),
    ):
        decision = decide(ranking, COST, labels=LABELS, as_is=as_is)
        saving = decision.savings["as is"]
        assert saving.value == apart.value
        assert saving.method == "group_bootstrap"
        assert saving.high - saving.low > 1.3 * (apart.high - apart.low)
        assert "independent groups (40 of them)" in text(decision.document())


def test_answers_not_known_by_group_have_no_interval(rows):
    score, positive = rows
    groups = grouped(score, positive, np.arange(400) % 40)
    as_is = AsIs(called=called_of(score, positive, score >= 0.5))
    decision = decide(Ranking(groups.total, groups=groups), COST, labels=LABELS, as_is=as_is)
    assert decision.savings["as is"].low is None
    assert "groups" in decision.savings["as is"].note


def test_without_as_is_the_saving_is_against_the_cheaper_of_all_and_none():
    scores = Scores(np.array([0.9, 0.1]), np.array([3, 1]), np.array([1, 5]))
    decision = decide(Ranking(scores), [[0, 5], [1, 0]], labels=LABELS)
    # At 0.9: a miss and an alarm, 6. All positive: 6 alarms. All negative: 4 misses, 20.
    assert (decision.cost, decision.saving_against, decision.saving) == (6, "all positive", 0)
    assert decide(Ranking(scores), [[0, 1], [5, 0]], labels=LABELS).saving_against == "all negative"


# --- on other rows ---------------------------------------------------------------------------------


def test_chosen_on_other_rows(rows):
    score, positive = rows
    first, second = slice(0, 200), slice(200, 400)
    chosen_on, ranking = (Ranking(count_scores(score[part], positive[part])) for part in (first, second))
    decision = decide(ranking, COST, labels=LABELS, chosen_on=chosen_on, as_is=AsIs(threshold=0.5))
    there = decide(chosen_on, COST, labels=LABELS)
    assert (decision.threshold, decision.low) == (there.threshold, there.low)
    called, actual = score[second] >= decision.threshold, positive[second]
    expected = np.where(actual, np.where(called, -1, 5), np.where(called, 1, 0)).sum()
    assert decision.cost == expected
    assert decision.optimistic is None
    assert decision.cross_fitted is None
    said = " ".join(text(decision.document()).split())
    assert "costs less on the 200 rows it was chosen on" in said
    assert "optimistic" not in said


def test_what_is_kept_where_it_was_chosen_may_be_broken_here():
    chosen_on = Scores(np.array([0.9, 0.1]), np.array([9, 1]), np.array([2, 8]))
    here = Scores(np.array([0.9, 0.1]), np.array([5, 5]), np.array([2, 8]))
    decision = decide(
        Ranking(here), [[0, 1], [1, 0]], labels=LABELS, chosen_on=Ranking(chosen_on), minimum={"recall": 0.9}
    )
    assert "On these rows recall of at least 0.9 is not kept: it is 0.500." in text(decision.document())


@pytest.mark.parametrize("reject_cost", [None, 0.3])
def test_cross_fitting_answers_every_row_once(rows, reject_cost):
    score, positive = rows
    decision = decide(
        Ranking(count_scores(score, positive)),
        COST,
        labels=LABELS,
        as_is=AsIs(threshold=0.5),
        reject_cost=reject_cost,
    )
    fitted = decision.cross_fitted
    assert isinstance(fitted, CrossFitted)
    counts = fitted.answered.counts
    assert counts.n + sum(fitted.answered.declined) == 400
    assert counts.actual_positive + fitted.answered.declined[0] == positive.sum()
    # Nothing beats the threshold that saw all rows, on all rows.
    assert fitted.cost >= decision.cost
    assert "It comes from five parts of these and is itself uncertain" in " ".join(
        text(decision.document()).split()
    )
    for name, saving in fitted.savings.items():
        assert saving.value == pytest.approx(decision.cost_of(name) - fitted.cost)
        assert saving.low <= saving.value <= saving.high


@pytest.mark.parametrize("share", [None, 0.1])
def test_cross_fitting_with_weights_groups_and_other_shares(rows, share):
    score, positive = rows
    groups = grouped(score, positive, np.arange(400) % 40)
    weight = np.random.default_rng(0).integers(1, 4, 400).astype(float)
    for ranking in (
        Ranking(groups.total, groups=groups, share=share),
        Ranking(count_scores(score, positive, weight=weight), share=share),
    ):
        decision = decide(ranking, COST, labels=LABELS, as_is=AsIs(threshold=0.5))
        fitted = decision.cross_fitted
        assert fitted.answered.counts.n == pytest.approx(ranking.scores.n)
        assert fitted.cost >= decision.cost - 1e-9
        assert fitted.savings["as is"].value == pytest.approx(decision.cost_of("as is") - fitted.cost)
        assert fitted.savings["as is"].low < fitted.savings["as is"].high


def test_cross_fitting_of_a_metric(rows):
    score, positive = rows
    decision = decide(Ranking(count_scores(score, positive)), labels=LABELS, best="accuracy")
    assert decision.cross_fitted.value <= decision.value
    assert "accuracy is" in text(decision.document())


@pytest.mark.parametrize("costs", [None, [[0, 1], [1, 0]]])
def test_what_is_asked_is_cross_fitted_too(rows, costs):
    score, positive = rows
    ranking = Ranking(count_scores(score, positive))
    best = "precision" if costs is None else None
    decision = decide(ranking, costs, labels=LABELS, minimum={"recall": 0.9}, best=best)
    tp, fp, every, here = 0, 0, ranking.scores, decision.metrics["recall"].value
    for part in aligned_folds(every, 5, 0):
        hits, alarms = (
            np.cumsum(side - away)
            for side, away in ((every.positives, part.positives), (every.negatives, part.negatives))
        )
        kept = hits >= 0.9 * hits[-1]
        good = hits / (hits + alarms) if costs is None else hits - alarms
        at = int(np.argmax(np.where(kept, good, -np.inf)))
        tp, fp = tp + part.positives[: at + 1].sum(), fp + part.negatives[: at + 1].sum()
    fitted = decision.cross_fitted
    assert (fitted.answered.counts.tp, fitted.answered.counts.fp) == (tp, fp)
    assert decision.to_dict()["cross_fitted"]["metrics"] == {"recall": tp / positive.sum()}
    said = " ".join(text(decision.document()).split())
    assert f"recall is {tp / positive.sum():.3f}, not {here:.3f} as here, less than the 0.9 asked" in said
    flattered = "the precision and the recall" if costs is None else "the cost and the recall"
    assert f"so {flattered} here are optimistic." in said
    assert "With --on-lower-bound (on_lower_bound=True) the confidence limit must keep what is asked" in said


def test_what_is_kept_by_its_limit_needs_no_hint(rows):
    score, positive = rows
    ranking = Ranking(count_scores(score, positive))
    decision = decide(ranking, COST, labels=LABELS, minimum={"recall": 0.8}, on_lower_bound=True)
    assert "--on-lower-bound" not in text(decision.document())
    # MCC has no limit at every threshold to ask it of.
    decision = decide(ranking, COST, labels=LABELS, minimum={"mcc": 0.3})
    assert "--on-lower-bound" not in text(decision.document())


def test_what_is_asked_and_made_best_is_told_once(rows):
    score, positive = rows
    ranking = Ranking(count_scores(score, positive))
    decision = decide(ranking, labels=LABELS, minimum={"recall": 0.5}, maximum={"share": 0.4}, best="recall")
    said = " ".join(text(decision.document()).split())
    assert "so the recall and the share here are optimistic." in said
    assert said.partition("Cross-fitted")[2].count("recall is ") == 1


def test_the_same_rows_given_twice_are_no_other_rows(rows):
    score, positive = rows
    one, two = (Ranking(count_scores(score, positive)) for _ in range(2))
    decision = decide(one, COST, labels=LABELS, chosen_on=two)
    plain = decide(one, COST, labels=LABELS)
    form = decision.to_dict()
    assert form["optimistic"].startswith(
        "The rows it was chosen on are the very rows reported on, so the cost"
    )
    assert form["cross_fitted"] == plain.to_dict()["cross_fitted"]
    assert form["chosen_on"] == {"rows": 400}
    said = " ".join(text(decision.document()).split())
    assert "No threshold costs less on these 400 rows." in said
    assert "the very rows reported on" in said
    assert "the very rows reported on" in decision.figure().note


def test_too_few_rows_to_cross_fit():
    scores = Scores(np.array([0.9, 0.1]), np.array([1, 1]), np.array([0, 1]))
    decision = decide(Ranking(scores), [[0, 1], [1, 0]], labels=LABELS)
    assert decision.cross_fitted == "there are fewer than 5 rows"
    assert "What to expect on new rows was not tried: there are fewer than 5 rows." in " ".join(
        text(decision.document()).split()
    )


# --- beside it -------------------------------------------------------------------------------------


def calibrated(rows=20_000, seed=0):
    random = np.random.default_rng(seed)
    score = random.beta(1, 3, rows)
    return score, random.random(rows) < score


def test_calibrated_scores_are_cut_where_elkan_says():
    score, positive = calibrated()
    decision = decide(Ranking(count_scores(score, positive)), [[0, 4], [1, 0]], labels=LABELS)
    assert decision.closed_threshold == 0.2
    assert decision.threshold == pytest.approx(0.2, abs=0.03)


def test_at_another_share_elkan_moves_the_threshold():
    score, positive = calibrated(200_000)
    ranking = Ranking(count_scores(score, positive), share=0.05)
    decision = decide(ranking, [[0, 4], [1, 0]], labels=LABELS)
    # The odds of the sample are positive.mean(), those to decide for 1 to 19: p = 0.2 there is more here.
    odds = 0.25 * 19 * positive.mean() / (1 - positive.mean())
    assert decision.closed_threshold == pytest.approx(odds / (1 + odds))
    assert decision.threshold == pytest.approx(decision.closed_threshold, abs=0.04)


def test_at_another_share_both_of_chows_thresholds_move():
    """Odds of 1/7 and 7 where 1 in 10 is positive are 9 times as much where half are: 9/7 and 63."""
    scores = Scores(np.array([0.9, 0.8, 0.5, 0.1]), np.array([20, 10, 8, 2]), np.array([2, 4, 10, 24]))
    symmetric = [[0, 1], [1, 0]]
    decision = decide(Ranking(scores, share=0.1), symmetric, labels=LABELS, reject_cost=0.125)
    assert decision.chow == pytest.approx((9 / 16, 63 / 64))
    assert decision.closed_threshold == pytest.approx(0.9)
    said = " ".join(text(decision.document()).split())
    assert "decline from 0.125 up to 0.875 (Chow 1970)." in said
    assert (
        "For probabilities that are right where 50 % are 'yes' and used where 10 % are, that is from 0.5625 "
        "up to 0.9844, and 0.9 without declining (Elkan's Theorem 2)." in said
    )
    here = decide(Ranking(scores), symmetric, labels=LABELS, reject_cost=0.125)
    assert here.chow == (0.125, 0.875)
    assert "Theorem 2" not in text(here.document())


def test_chows_thresholds_beyond_all_probabilities_do_not_move():
    """Calling a row positive costs 1 whatever it is, declining half: the lower odds are 1/3, here 9/3."""
    scores = Scores(np.array([0.9, 0.1]), np.array([5, 5]), np.array([2, 8]))
    decision = decide(Ranking(scores, share=0.1), [[1, 2], [1, 0]], labels=LABELS, reject_cost=0.5)
    assert decision.chow == (pytest.approx(0.75), np.inf)
    said = " ".join(text(decision.document()).split())
    assert "that is from 0.75 up to 1, and 0.9 without declining" in said


def test_calibrated_scores_are_declined_where_chow_says():
    score, positive = calibrated(200_000)
    for share in (None, 0.1):
        ranking = Ranking(count_scores(score, positive), share=share)
        decision = decide(ranking, [[0, 4], [1, 0]], labels=LABELS, reject_cost=0.3)
        assert decision.region == pytest.approx(decision.chow, abs=0.04)


def test_scores_that_are_no_probabilities_have_no_closed_form_of_their_own(rows):
    score, positive = rows
    decision = decide(Ranking(count_scores(score * 10, positive)), COST, labels=LABELS)
    assert decision.closed_threshold is None
    assert decision.closed_form.threshold == pytest.approx(1 / 7)
    said = " ".join(text(decision.document()).split())
    assert "They are not to be taken for such: scores leave [0, 1]" in said


def test_rates_have_wilsons_intervals(rows):
    score, positive = rows
    decision = decide(Ranking(count_scores(score, positive)), COST, labels=LABELS)
    called = score >= decision.threshold
    for name, hits, among in (
        ("recall", called & positive, positive),
        ("precision", called & positive, called),
        ("specificity", ~called & ~positive, ~positive),
        ("share", called, np.ones(400, bool)),
    ):
        expected = binomtest(int(hits.sum()), int(among.sum())).proportion_ci(method="wilson")
        rate = decision.metrics[name]
        assert rate.value == hits.sum() / among.sum()
        assert (rate.low, rate.high) == pytest.approx(tuple(expected))


def test_a_rate_that_is_undefined_says_why():
    scores = Scores(np.array([0.9, 0.1]), np.array([1, 1]), np.array([4, 1]))
    decision = decide(Ranking(scores), [[0, 1], [9, 0]], labels=LABELS)
    assert decision.threshold == np.inf
    assert decision.metrics["precision"].why == "nothing was predicted positive (tp + fp = 0)"
    said = " ".join(text(decision.document()).split())
    assert "Call every row 'no', whatever its score." in said
    assert "Against calling all 'no' it answers every row alike." in said


# --- lines of equal cost -------------------------------------------------------------------------


@pytest.mark.parametrize("costs", [[[0, 5], [1, 0]], [[-2, 3], [4, 1]], [[0, 1], [9, 0]], [[5, 0], [0, 1]]])
def test_every_point_of_the_line_costs_the_same(costs):
    scores = Scores(np.array([0.9, 0.5, 0.1]), np.array([6, 3, 1]), np.array([2, 4, 14]))
    (hit, miss), (alarm, rest) = costs
    line = iso_cost_line(scores, np.array(costs, float), 0.5)
    assert line.point == (6 / 20, 9 / 10)
    along = [
        10 * (hit * tpr + miss * (1 - tpr)) + 20 * (alarm * fpr + rest * (1 - fpr))
        for fpr, tpr in (*zip(line.fpr, line.tpr, strict=True), line.point)
    ]
    assert along == pytest.approx([along[0]] * 3)
    on_edge = [
        (fpr in (0, 1)) or (tpr in (0, 1))
        for fpr, tpr in zip(line.fpr.round(9), line.tpr.round(9), strict=True)
    ]
    assert all(on_edge)


def test_upright_flat_and_no_lines():
    scores = Scores(np.array([0.9, 0.1]), np.array([1, 1]), np.array([1, 1]))
    upright = iso_cost_line(scores, np.array([[0.0, 0], [1, 0]]), 0.9)
    assert (upright.slope, upright.fpr.tolist(), upright.tpr.tolist()) == (np.inf, [0.5, 0.5], [0, 1])
    flat = iso_cost_line(scores, np.array([[0.0, 1], [0, 0]]), 0.9)
    assert (flat.slope, flat.fpr.tolist(), flat.tpr.tolist()) == (0, [0, 1], [0.5, 0.5])
    assert iso_cost_line(scores, np.ones((2, 2)), 0.9) is None
    assert iso_cost_line(Scores(np.array([0.9]), np.array([1]), np.array([0])), COST, 0.9) is None


# --- refusals --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"costs": COST, "best": "f1"}, "costs and best='f1' are two different aims"),
        ({"reject_cost": 1}, "whether to decline a row depends on what answers cost, and there are no costs"),
        (
            {"costs": COST, "reject_cost": 1, "minimum": {"recall": 0.9}},
            "a row that is declined is called neither positive nor negative",
        ),
        ({"costs": COST, "reject_cost": float("nan")}, "reject_cost must be finite, got nan"),
        ({"costs": COST, "reject_cost": "1"}, "reject_cost must be a number, got '1'"),
        ({"costs": COST, "reject_cost": True}, "reject_cost must be a number, got True"),
        ({"minimum": 0.9}, "minimum names metrics with their bounds; got 0.9"),
        ({"maximum": [("share", 0.1)]}, "maximum names metrics with their bounds; got [('share', 0.1)]"),
        ({"best": "prevalence"}, "no threshold is best for prevalence: neither more nor less"),
    ],
)
def test_what_cannot_be_decided(rows, options, message):
    score, positive = rows
    with pytest.raises(OptionError) as caught:
        decide(Ranking(count_scores(score, positive)), labels=LABELS, **options)
    assert caught.value.message.startswith(message)


@pytest.mark.parametrize("reject_cost", [np.float64(0.25), np.float32(0.25), Fraction(1, 4)])
def test_numbers_of_any_library_are_numbers(rows, reject_cost):
    score, positive = rows
    ranking = Ranking(count_scores(score, positive))
    decision = decide(ranking, COST, labels=LABELS, reject_cost=reject_cost)
    assert decision.cost == decide(ranking, COST, labels=LABELS, reject_cost=0.25).cost
    assert decide(ranking, COST, labels=LABELS, reject_cost=np.int64(50)).region is None


def test_no_rows():
    with pytest.raises(OptionError, match="there are no rows"):
        decide(Ranking(Scores.empty()), COST, labels=LABELS)


def test_one_class_only_can_be_decided():
    scores = Scores(np.array([0.9, 0.1]), np.array([3, 2]), np.array([0, 0]))
    decision = decide(Ranking(scores), [[0, 1], [1, 0]], labels=LABELS)
    assert (decision.threshold, decision.cost) == (0.1, 0)
    assert len(decision.figure().panels) == 1
    assert "specificity is undefined" in text(decision.document())
