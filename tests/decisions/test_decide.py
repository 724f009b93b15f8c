"""Thresholds and what they cost and save, against a search over all of them row by row in exact fractions."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import binomtest, norm
from scipy.stats import t as student

import tallymark as tm
from deciding import (
    CELLS,
    ROWS,
    of_counts,
    of_rows,
    paid,
    sample,
    square,
    thresholds_of,
    weights_of,
    yes_or_no,
)
from scored import binned, classes, of_one_group, refusals

COST = [[-1.0, 5.0], [1.0, 0.0]]
ERRORS = [[0, 1], [1, 0]]
SCORE, POSITIVE = sample()


# --- the cheapest threshold --------------------------------------------------------------------------


@given(ROWS, CELLS, st.booleans(), st.sampled_from([None, Fraction(1, 8)]))
# Three misses at 0.1 cost as much as a false alarm at 0.3, but 3 * 0.1 > 0.3 in floats.
@example([(0.5, True, 1)] * 3 + [(0.5, False, 1)], [0, 1, 3, 0], False, None)
@example([(0.5, True, 1), (0.1, False, 1)], [0, 0, 0, 0], True, None)
def test_the_cheapest_threshold_and_its_savings(rows, tenths, weighted, share):
    cells = [Fraction(cell, 10) for cell in tenths]
    weights = weights_of(rows, weighted, share)
    found = [(cut, paid(rows, weights, cells, cut, cut)) for cut in thresholds_of(rows)]
    least = min(cost for _, cost in found)
    ev = of_rows(rows, weighted, threshold=0.4)
    decision = (ev if share is None else ev.at_prevalence(float(share))).decide(square(cells))
    good = [cost == least for _, cost in found]
    first = last = good.index(True)
    while last + 1 < len(good) and good[last + 1]:
        last += 1
    assert decision.threshold == decision.high == found[first][0]
    assert decision.low == (found[last + 1][0] if last + 1 < len(found) else -math.inf)
    assert decision.others == sum(good) - (last - first + 1) - sum(
        now and before for before, now in pairwise([False, *good[last + 1 :]])
    )
    assert decision.cost == pytest.approx(float(least), abs=1e-9)
    assert decision.mean_cost == pytest.approx(float(least / sum(weights)), abs=1e-9)
    for name, cut in {"as is": 0.4, "all positive": -math.inf, "all negative": math.inf}.items():
        expected = float(paid(rows, weights, cells, cut, cut) - least)
        assert decision.savings[name].value == pytest.approx(expected, abs=1e-9)
    assert decision.saving == decision.savings["as is"].value
    if share is None:
        assert decision.curve.total == pytest.approx([float(cost) for _, cost in found], abs=1e-9)


def test_costs_very_unlike_each_other_and_many_rows():
    # Two thresholds without a miss: at the higher one there is a false alarm less, at 1e-6 against 1e9.
    decision = of_counts([0.9, 0.5, 0.1], [1000, 0, 0], [0, 1000, 1000]).decide([[0, 1e9], [1e-6, 0]])
    assert (decision.threshold, decision.low, decision.others) == (0.9, 0.5, 0)
    # More distinct scores than one block holds: what is cheapest is that of the whole list.
    rng = np.random.default_rng(0)
    score, positive = rng.permutation(70_000) / 70_000, rng.random(70_000) < 0.3
    order = np.argsort(-score)
    total = np.cumsum(np.where(positive[order], -4.0, 1.0)) + 4 * positive.sum()
    decision = yes_or_no(score, positive).decide([[0, 4], [1, 0]])
    assert decision.cost == min(total.min(), 4 * positive.sum())
    kept = np.cumsum(positive[order]) >= 0.9 * positive.sum()
    decision = yes_or_no(score, positive).decide([[0, 4], [1, 0]], minimum={"recall": 0.9})
    assert decision.cost == total[kept].min()


def test_the_curve_of_costs_by_hand():
    # Cut above 0.9: 4 misses; at 0.9: 2; at 0.6: 1 and 2 alarms; at 0.2: 7 alarms.
    decision = of_counts([0.9, 0.6, 0.2], [2, 1, 1], [0, 2, 5]).decide([[0, 5], [1, 0]])
    point = decision.curve.at(0.7)
    assert (point.tp, point.fn, point.fp, point.tn, point.total, point.mean) == (2, 2, 0, 7, 10, 10 / 11)
    form = decision.curve.to_dict()
    assert form["costs"] == {"tp": 0, "fn": 5, "fp": 1, "tn": 0}
    assert form["best"] == {"threshold": 0.6, "value": 7.0, "low": None, "high": 0.6, "others": 0}
    table = decision.curve.table("pandas")
    assert table.columns.tolist() == ["threshold", "tp", "fp", "fn", "tn", "total", "mean"]
    assert table["total"].tolist() == form["total"] == [20, 10, 7, 7]
    nothing = yes_or_no([0.9, 0.2], [0, 1]).decide([[0, 1], [5, 0]]).curve
    assert nothing.best.threshold == math.inf
    bins = binned([8, 1, 1], [1, 1, 8], [0.9, 0.6, 0.3, 0.0]).decide(ERRORS).curve
    assert (bins.best.threshold, bins.best.low) == (0.6, None)
    calls = {"within a bin": lambda: bins.at(0.7), "nan": lambda: decision.curve.at(math.nan)}
    assert set(classes(refusals(calls)).values()) == {"OptionError"}


def test_equally_cheap_intervals_are_listed():
    # At 0.9, 0.6 and 0.2 two errors each.
    decision = of_counts([0.9, 0.6, 0.2], [2, 1, 1], [0, 1, 1]).decide(ERRORS)
    assert (decision.threshold, decision.low, decision.others) == (0.9, -math.inf, 0)
    decision = of_counts([0.9, 0.6, 0.2], [2, 0, 1], [0, 1, 0]).decide(ERRORS)
    assert (decision.threshold, decision.low, decision.others) == (0.9, 0.6, 1)
    assert decision.to_dict()["other_intervals"] == [[None, 0.2]]
    # An error more at every even place and one less at every odd: not all of 100 intervals are listed.
    many = yes_or_no(np.arange(200, 0, -1.0), np.arange(200) % 2 > 0)
    for decision in (many.decide(ERRORS), many.decide(best="accuracy")):
        form = decision.to_dict()
        assert (decision.threshold, decision.low, form["others"]) == (math.inf, 200, 100)
        assert form["other_intervals"] == [[198.0 - 2 * k, 199.0 - 2 * k] for k in range(30)]


# --- what must be kept -------------------------------------------------------------------------------

RATES = {
    "recall": ("tp", "tp fn"), "precision": ("tp", "tp fp"), "specificity": ("tn", "fp tn"),
    "share": ("tp fp", "tp fn fp tn"), "accuracy": ("tp tn", "tp fn fp tn"), "npv": ("tn", "fn tn"),
    "f1": ("tp tp", "tp tp fp fn"),
}  # fmt: skip
"""What is divided by what, each a sum of counts."""
BOUNDS = st.tuples(
    st.sampled_from(list(RATES)), st.booleans(), st.sampled_from([0.0, 0.2, 1 / 3, 0.5, 0.75, 0.9, 1.0])
)


def cells_at(rows, weights, cut):
    found = dict.fromkeys(("tp", "fn", "fp", "tn"), Fraction(0))
    for (score, positive, _), weight in zip(rows, weights, strict=True):
        found[("tp" if score >= cut else "fn") if positive else ("fp" if score >= cut else "tn")] += weight
    return found


@given(ROWS, CELLS, st.booleans(), st.lists(BOUNDS, min_size=1, max_size=2, unique_by=lambda each: each[0]))
def test_the_cheapest_of_those_that_keep_what_is_asked(rows, cells, weighted, bounds):
    weights, kept = weights_of(rows, weighted), []
    for cut in thresholds_of(rows):
        counts, good = cells_at(rows, weights, cut), True
        for name, at_least, bound in bounds:
            top, bottom = (sum(counts[each] for each in part.split()) for part in RATES[name])
            slack = Fraction(1, 10**9)
            good &= bool(bottom) and (
                top >= (bound - slack) * bottom if at_least else top <= (bound + slack) * bottom
            )
        if good:
            kept.append((paid(rows, weights, cells, cut, cut), -cut))
    sides = ({name: bound for name, least, bound in bounds if least is side} for side in (True, False))
    asked = dict(zip(("minimum", "maximum"), sides, strict=True))
    ev = of_rows(rows, weighted)
    if not kept:
        assert classes(refusals({"": lambda: ev.decide(square(cells), **asked)})) == {"": "OptionError"}
        return
    decision = ev.decide(square(cells), **asked)
    best = float(min(kept)[0]), min(kept)[1]
    assert (decision.cost, -decision.threshold) == pytest.approx(best, abs=1e-9)


def limits(right, among, weight, group):
    """Wilson's of as many rows as weights (Kish) or the spread over groups say, with Student's quantile."""
    total = weight[among].sum()
    if not total:
        return math.nan, math.nan
    if group is None:
        worth, reach = total**2 / (weight[among] ** 2).sum(), norm.ppf(0.975)
        k, m = weight[right].sum() / total * worth, worth
    else:
        x, n = (np.bincount(group, weight * side) for side in (right, among))
        share = x.sum() / total
        units = total**2 / (n**2).sum()
        usual, spread = (weight**2)[among].sum() / total, 0.0
        if 0 < share < 1:
            spread = ((x - share * n) ** 2).sum() * units / (units - 1) / (total * share * (1 - share))
        seen, worst = max(usual, spread), (n**2).sum() / total
        errors = min(x.sum(), total - x.sum()) / usual
        row = (errors * seen + max(seen, worst)) / (errors + 1)
        k, m, reach = x.sum() / row, total / row, student.ppf(0.975, np.floor(units) - 1)
    centre, half = k + reach**2 / 2, reach * np.sqrt(reach**2 / 4 + k * (m - k) / m)
    return (centre - half) / (m + reach**2), (centre + half) / (m + reach**2)


@pytest.mark.parametrize("grouped", [False, True])
def test_confidence_limits_must_keep_what_is_asked(grouped):
    """The fewest misses among the thresholds whose limit, by hand, is on the right side of the bound."""
    rng = np.random.default_rng(0)
    score, positive = rng.integers(0, 12, 400) / 11, rng.random(400) < 0.4
    group = rng.integers(0, 25, 400) if grouped else None
    cuts, wrong = np.unique(score)[::-1], []
    for weight in (None, rng.integers(1, 4, 400).astype(float)):
        ev = yes_or_no(score, positive, groups=group, sample_weight=weight)
        each = np.ones(400) if weight is None else weight
        misses = [each[positive & (score < cut)].sum() for cut in cuts]
        for metric in RATES if weight is None and not grouped else list(RATES)[:-1]:
            ends = []
            for cut in cuts:
                called = score >= cut
                hits, rest, all_rows = called & positive, ~called & ~positive, np.ones(400, bool)
                sides = {"recall": (hits, positive), "precision": (hits, called), "npv": (rest, ~called)}
                sides |= {"specificity": (rest, ~positive), "share": (called, all_rows)}
                sides |= {"accuracy": (called == positive, all_rows), "f1": (hits, called | positive)}
                right, among = sides[metric]
                end = np.array(limits(right, among, each, group))
                ends.append(2 * end / (1 + end) if metric == "f1" else end)
            for side, limit in zip(("minimum", "maximum"), np.array(ends).T, strict=True):
                known = np.sort(limit[~np.isnan(limit)])
                for bound in (known[1:] + known[:-1])[::3] / 2:
                    kept = limit >= bound if side == "minimum" else limit <= bound
                    expected = min((miss, -cut) for miss, cut, k in zip(misses, cuts, kept, strict=True) if k)
                    asked = {side: {metric: float(bound)}, "on_lower_bound": True}
                    found = ev.decide([[0, 1], [0, 0]], **asked)
                    if (found.cost, found.threshold) != (pytest.approx(expected[0]), -expected[1]):
                        wrong.append((metric, side, bound, weight is None, found.threshold, expected))
    assert not wrong


def test_one_group_keeps_nothing_for_sure():
    ev = of_one_group(SCORE, POSITIVE)
    assert ev.decide(ERRORS).threshold > 0
    asked = {"minimum": {"recall": 0.1}, "on_lower_bound": True}
    assert classes(refusals({"": lambda: ev.decide(ERRORS, **asked)})) == {"": "OptionError"}


# --- what is done now --------------------------------------------------------------------------------


def test_groups_are_drawn_whole():
    group = np.argsort(np.argsort(SCORE + POSITIVE)) // 10  # rows of a group are much alike
    apart = yes_or_no(SCORE, POSITIVE, threshold=0.5).decide(COST).savings["as is"]
    for predicted, cut in ((None, 0.5), (SCORE >= 0.5, None)):
        ev = yes_or_no(SCORE, POSITIVE, predicted, threshold=cut, groups=group)
        saving = ev.decide(COST).savings["as is"]
        assert (saving.value, saving.method) == (apart.value, "group_bootstrap")
        assert saving.high - saving.low > 1.3 * (apart.high - apart.low)


def test_without_a_cut_the_saving_is_against_the_cheaper_of_all_and_none():
    # At 9: a miss and an alarm, 6. All positive: 6 alarms. All negative: 4 misses, 20.
    ev = of_counts([9, 1], [3, 1], [1, 5])
    decision = ev.decide([[0, 5], [1, 0]])
    assert (decision.cost, decision.saving_against, decision.saving) == (6, "all positive", 0)
    assert ev.decide([[0, 1], [5, 0]]).saving_against == "all negative"


def test_rates_have_wilsons_intervals():
    decision = yes_or_no(SCORE, POSITIVE).decide(COST)
    called = decision.threshold <= SCORE
    for name, hits, among in (
        ("recall", called & POSITIVE, POSITIVE),
        ("precision", called & POSITIVE, called),
        ("specificity", ~called & ~POSITIVE, ~POSITIVE),
        ("share", called, np.ones(400, bool)),
    ):
        expected = binomtest(int(hits.sum()), int(among.sum())).proportion_ci(method="wilson")
        rate = decision.metrics[name]
        assert rate.value == hits.sum() / among.sum()
        assert (rate.low, rate.high) == pytest.approx(tuple(expected))


# --- on other rows -----------------------------------------------------------------------------------


def test_chosen_on_other_rows():
    first, second = (yes_or_no(SCORE[at], POSITIVE[at]) for at in (slice(0, 200), slice(200, 400)))
    decision, there = second.decide(COST, choose_on=first), first.decide(COST)
    assert (decision.threshold, decision.low) == (there.threshold, there.low)
    called, actual = SCORE[200:] >= decision.threshold, POSITIVE[200:]
    assert decision.cost == np.where(actual, np.where(called, -1, 5), np.where(called, 1, 0)).sum()
    assert (decision.optimistic, decision.cross_fitted) == (None, None)
    # The same rows given twice are no other rows.
    ev, twin = yes_or_no(SCORE, POSITIVE), yes_or_no(SCORE, POSITIVE)
    same, plain = ev.decide(COST, choose_on=twin).to_dict(), ev.decide(COST).to_dict()
    assert (same["cross_fitted"], same["chosen_on"]) == (plain["cross_fitted"], {"rows": 400})
    assert same["optimistic"]
    # What is kept where it was chosen may be broken here.
    there, here = of_counts([0.9, 0.1], [9, 1], [2, 8]), of_counts([0.9, 0.1], [5, 5], [2, 8])
    decision = here.decide(ERRORS, choose_on=there, minimum={"recall": 0.9})
    assert decision.metrics["recall"].value == 0.5


def test_every_fifth_of_the_rows_is_predicted_by_what_the_others_choose():
    for reject in (None, 0.3):
        decision = yes_or_no(SCORE, POSITIVE).decide(COST, reject_cost=reject)
        fitted = decision.cross_fitted
        counts, declined = fitted.answered.counts, fitted.answered.declined
        assert counts.n + sum(declined) == 400
        assert counts.tp + counts.fn + declined[0] == POSITIVE.sum()
        # Nothing beats the threshold that saw all rows, on all rows.
        assert fitted.cost >= decision.cost
        for name, saving in fitted.savings.items():
            assert saving.value == pytest.approx(decision.cost_of(name) - fitted.cost)
            assert saving.low <= saving.value <= saving.high
    assert isinstance(of_counts([0.9, 0.1], [1, 1], [0, 1]).decide(ERRORS).cross_fitted, str)
    accuracy = yes_or_no(SCORE, POSITIVE).decide(best="accuracy")
    assert accuracy.cross_fitted.value <= accuracy.value


def test_with_five_groups_each_is_predicted_by_the_other_four():
    group = np.arange(400) % 5
    for ask in ({"costs": ERRORS}, {"best": "precision"}):
        ev = yes_or_no(SCORE, POSITIVE, groups=group)
        fitted, tp, fp = ev.decide(**ask, minimum={"recall": 0.9}).cross_fitted, 0, 0
        for out in range(5):
            rest, candidates = group != out, []
            for cut in thresholds_of([(score,) for score in np.unique(SCORE)]):
                called = cut <= SCORE
                hits, alarms = ((called & rest & side).sum() for side in (POSITIVE, ~POSITIVE))
                if hits >= 0.9 * (rest & POSITIVE).sum():
                    candidates.append((hits - alarms if "costs" in ask else hits / (hits + alarms), cut))
            chosen = max(candidates)[1] <= SCORE
            tp, fp = (n + (chosen & ~rest & side).sum() for n, side in ((tp, POSITIVE), (fp, ~POSITIVE)))
        assert (fitted.answered.counts.tp, fitted.answered.counts.fp) == (tp, fp)
        assert fitted.to_dict()["metrics"] == {"recall": tp / POSITIVE.sum()}


def test_cross_fitting_with_weights_groups_and_other_proportions():
    weight = np.random.default_rng(0).integers(1, 4, 400).astype(float)
    for options in ({"groups": np.arange(400) % 40}, {"sample_weight": weight}):
        for share in (None, 0.1):
            ev = yes_or_no(SCORE, POSITIVE, **options)
            decision = (ev if share is None else ev.at_prevalence(share)).decide(COST)
            fitted = decision.cross_fitted
            total = weight.sum() if "sample_weight" in options else 400
            assert fitted.answered.counts.n == pytest.approx(total)
            assert fitted.cost >= decision.cost - 1e-9
            assert fitted.savings["as is"].value == pytest.approx(decision.cost_of("as is") - fitted.cost)
            assert fitted.savings["as is"].low < fitted.savings["as is"].high


# --- for calibrated probabilities --------------------------------------------------------------------


@given(CELLS)
def test_the_closed_form_is_cheapest_at_every_probability(cells):
    hit, miss, alarm, rest = cells
    shares = [Fraction(step, 60) for step in range(61)]
    both = [(p, p * hit + (1 - p) * alarm, p * miss + (1 - p) * rest) for p in shares]
    try:
        threshold = tm.cost_threshold(square(cells))
    except tm.CostError:
        # All the same, or positive is the cheaper call for the least probable rows.
        same = all(positive == negative for _, positive, negative in both)
        assert same or (both[0][1] < both[0][2] and both[-1][1] > both[-1][2])
        return
    for p, positive, negative in both:
        # At the threshold itself both cost the same; a float may lie on either side of it.
        if abs(float(p) - threshold) > 1e-12:
            assert (positive if float(p) >= threshold else negative) == min(positive, negative)


@given(*(st.floats(0.01, 0.99) for _ in range(3)))
def test_at_other_proportions_the_threshold_moves_as_elkan_writes_it(p, b, other):
    positives = max(1, min(99, round(100 * b)))
    ev = of_counts([0.9, 0.1], [positives, 0], [0, 100 - positives])
    decision = ev.at_prevalence(other).decide([[0, (1 - p) / p], [1, 0]])
    # What is p among rows of which `other` are positive is this among those of the sample.
    b = positives / 100
    moved = b * (p - p * other) / (other - p * other + b * p - other * b)
    assert decision.closed_threshold == pytest.approx(moved)


def test_at_other_proportions_both_of_chows_thresholds_move():
    """Odds of 1/7 and 7 where 1 in 10 is positive are 9 times as much where half are: 9/7 and 63."""
    ev = of_counts([0.9, 0.8, 0.5, 0.1], [20, 10, 8, 2], [2, 4, 10, 24])
    moved = ev.at_prevalence(0.1).decide(ERRORS, reject_cost=0.125)
    assert (moved.chow, moved.closed_threshold) == (pytest.approx((9 / 16, 63 / 64)), pytest.approx(0.9))
    assert ev.decide(ERRORS, reject_cost=0.125).chow == (0.125, 0.875)
    # Predicting a row positive costs 1 whatever it is, rejecting half: the lower odds are 1/3, here 9/3.
    ten = of_counts([0.9, 0.1], [5, 5], [2, 8]).at_prevalence(0.1)
    beyond = ten.decide([[1, 2], [1, 0]], reject_cost=0.5)
    assert beyond.chow == (pytest.approx(0.75), math.inf)


def test_calibrated_scores_are_cut_where_the_closed_forms_say():
    random = np.random.default_rng(0)
    score = random.beta(1, 3, 100_000)
    positive = random.random(100_000) < score
    ev = yes_or_no(score, positive)
    decision = ev.decide([[0, 4], [1, 0]])
    assert (decision.closed_threshold, decision.threshold) == (0.2, pytest.approx(0.2, abs=0.03))
    rare = ev.at_prevalence(0.05).decide([[0, 4], [1, 0]])
    # The odds of the sample are positive.mean(), those to decide for 1 to 19: p = 0.2 there is more here.
    odds = 0.25 * 19 * positive.mean() / (1 - positive.mean())
    assert rare.closed_threshold == pytest.approx(odds / (1 + odds))
    assert rare.threshold == pytest.approx(rare.closed_threshold, abs=0.04)
    for share in (None, 0.1):
        other = ev if share is None else ev.at_prevalence(share)
        declined = other.decide([[0, 4], [1, 0]], reject_cost=0.3)
        assert declined.region == pytest.approx(declined.chow, abs=0.05)
    beyond = yes_or_no(SCORE * 10, POSITIVE).decide(COST)
    assert (beyond.closed_threshold, beyond.closed_form.threshold) == (None, pytest.approx(1 / 7))
