from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa

from tallymark.inference import Sample, draws
from tallymark.inference import cells as cells_drawn
from tallymark.inference.draws import Drawn, Draws
from tallymark.metrics import METRICS, ask
from tallymark.tallies import Binary, Confusion

Z = 1.959963984540054
TWO = Confusion([[40, 10], [5, 145]], labels=["+", "-"])
THREE = Confusion([[50, 8, 2], [6, 70, 9], [1, 4, 30]], labels=["a", "b", "c"])
LARGE_TWO = Confusion([[420, 80], [150, 850]])
LARGE_THREE = Confusion([[300, 40, 10], [30, 410, 60], [5, 45, 100]])
SKEWED = Confusion([[6000, 300, 50, 10], [400, 2000, 60, 20], [30, 90, 700, 40], [20, 10, 50, 220]])
CELLS = ("tp", "fn", "fp", "tn")


def ring(size, hits=24, misses=6):
    """Every class has `hits` rows that are hit and `misses` rows called the next class."""
    table = hits * np.eye(size, dtype=int) + misses * np.roll(np.eye(size, dtype=int), 1, axis=1)
    return Confusion(table)


RING = ring(30)
"""Above 20 classes, with 60 of its 900 cells seen."""


def over(drawn, function):
    """The values of a function over all draws."""
    return np.concatenate([function(block) for block in drawn.blocks])


def hits(drawn):
    return over(drawn, lambda margins: margins.hits)


def cells(drawn):
    return np.stack([over(drawn, lambda tally, name=name: getattr(tally, name)) for name in CELLS])


def average(drawn, name):
    """A macro or weighted average in every draw."""
    asked = ask(name)

    def mean(margins):
        weights = margins.actual if asked.average == "weighted" else np.ones_like(margins.actual)
        values = asked.metric(margins.each, *asked.parameters)
        return (values * weights).sum(axis=1) / weights.sum(axis=1)

    return over(drawn, mean)


# --- seeds and streams -----------------------------------------------------------------------


@pytest.mark.parametrize("confusion", [THREE, RING])
def test_the_same_seed_gives_the_same_draws(confusion):
    first, again, other = (Draws(confusion, seed=seed) for seed in (3, 3, 4))
    assert np.array_equal(hits(first.margins), hits(again.margins))
    assert np.array_equal(cells(first.binary(1)), cells(again.binary(1)))
    assert not np.array_equal(hits(first.margins), hits(other.margins))
    assert not np.array_equal(cells(first.binary(1)), cells(other.binary(1)))


@pytest.mark.parametrize("confusion", [THREE, RING])
def test_a_class_does_not_depend_on_what_was_asked_before(confusion):
    alone = cells(Draws(confusion).binary(2))
    asked_before = Draws(confusion)
    asked_before.binary(0)
    assert asked_before.margins.number == 10_000
    asked_before.binary(1)
    assert np.array_equal(cells(asked_before.binary(2)), alone)


@pytest.mark.parametrize("confusion", [ring(3), RING])
def test_classes_have_streams_of_their_own(confusion):
    # All classes have the same counts: one stream for all would give the same draws again and again.
    made = Draws(confusion)
    (first, *_), (second, *_) = cells(made.binary(0)), cells(made.binary(1))
    assert not np.array_equal(first, second)
    # Four standard errors of the correlation of independent numbers.
    assert abs(np.corrcoef(first, second)[0, 1]) < 4 / np.sqrt(len(first))


# --- what is drawn ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("confusion", "added"),
    [
        pytest.param(TWO, 2 / 4, id="2 classes"),
        pytest.param(THREE, 2 / 9, id="3 classes"),
        pytest.param(RING, 0, id="30 classes, seen cells only"),
    ],
)
def test_mean_and_spread_are_those_of_the_dirichlet_distribution(confusion, added):
    # A sum of cells of a Dirichlet distribution is a beta distribution.
    shapes = confusion.matrix + added
    drawn = Draws(confusion).margins
    assert drawn.prior == added
    assert drawn.cells == (shapes > 0).sum()
    for name, parts in (
        ("hits", np.diag(shapes)),
        ("actual", shapes.sum(axis=1)),
        ("predicted", shapes.sum(axis=0)),
    ):
        peer = stats.beta(parts, shapes.sum() - parts)
        values = over(drawn, lambda margins, name=name: getattr(margins, name)) / confusion.n
        error = 5 * peer.std() / np.sqrt(drawn.number)
        assert (np.abs(values.mean(axis=0) - peer.mean()) < error).all()
        assert values.std(axis=0) == pytest.approx(peer.std(), rel=0.04)


@pytest.mark.parametrize(
    ("confusion", "counts", "number"),
    [
        pytest.param(THREE, [70, 15, 12, 83], 10_000, id="3 classes"),
        pytest.param(RING, [24, 6, 6, 864], 2_000, id="30 classes"),
        pytest.param(ring(3, 1, 0), [1, 0, 0, 2], 10_000, id="3 classes, 3 rows"),
    ],
)
def test_one_class_of_many_is_a_dirichlet_of_four_cells(confusion, counts, number):
    # One half is added to each of the four, with many classes too.
    peer = stats.dirichlet(np.array(counts) + 0.5)
    drawn = Draws(confusion).binary(1)
    assert (drawn.number, drawn.cells, drawn.prior) == (number, 4, 0.5)
    shares = cells(drawn) / confusion.n
    spread = np.sqrt(np.diag(peer.cov()))
    assert (np.abs(shares.mean(axis=1) - peer.mean()) < 5 * spread / np.sqrt(number)).all()
    assert shares.std(axis=1) == pytest.approx(spread, rel=0.08)
    assert shares.sum(axis=0) == pytest.approx(1)


def test_two_classes_are_one_set_of_draws_seen_from_both_sides():
    made = Draws(TWO)
    first, second = cells(made.binary(0)), cells(made.binary(1))
    # What is a hit for one class is a row left alone for the other.
    assert first == pytest.approx(second[::-1], abs=1e-9)


def test_a_symmetric_number_has_one_interval_for_both_classes():
    sample = Sample(TWO)
    first, second = (sample.of_class(ask("informedness"), position) for position in (0, 1))
    assert (first.low, first.high) == pytest.approx((second.low, second.high), abs=1e-12)


@pytest.mark.parametrize(
    "confusion",
    [Confusion([[3, 0, 0], [0, 0, 0], [0, 1, 5]]), ring(20, 1, 0), ring(21, 1, 2)],
)
def test_no_draw_is_outside_the_table(confusion):
    drawn = Draws(confusion).margins
    for margins in (*drawn.blocks, drawn.mean):
        assert (margins.hits >= 0).all()
        assert (margins.hits <= margins.actual + 1e-9).all()
        assert (margins.hits <= margins.predicted + 1e-9).all()
        assert margins.actual.sum(axis=1) == pytest.approx(confusion.n)
        assert margins.predicted.sum(axis=1) == pytest.approx(confusion.n)


def test_what_was_never_seen_stays_empty_above_20_classes():
    # Class 0 is never called, so nothing is ever predicted to be class 0 nor found in it.
    table = ring(25).matrix.copy()
    table[:, 1] += table[:, 0]
    table[:, 0] = 0
    drawn = Draws(Confusion(table)).margins
    assert not hits(drawn)[:, 0].any()
    assert not over(drawn, lambda margins: margins.predicted)[:, 0].any()
    assert (over(drawn, lambda margins: margins.actual) > 0).all()


def test_blocks_add_up_to_the_draws_and_to_their_mean():
    # 400 cells are drawn 2,500 tables at a time.
    drawn = Draws(ring(20)).margins
    assert [len(block.hits) for block in drawn.blocks] == [2_500] * 4
    assert drawn.number == 10_000
    for name in ("hits", "actual", "predicted"):
        values = over(drawn, lambda margins, name=name: getattr(margins, name))
        assert getattr(drawn.mean, name)[0] == pytest.approx(values.mean(axis=0), rel=1e-9)


@pytest.mark.parametrize(("gammas", "number"), [(300 * 700, 700), (60, 200), (10**9, 10_000)])
def test_large_tables_are_drawn_less_often_but_200_times_at_least(gammas, number, monkeypatch):
    monkeypatch.setattr(cells_drawn, "_WORK", gammas)
    drawn = Draws(RING).margins
    assert drawn.number == number == len(hits(drawn))


def test_costs_are_the_cells_times_their_cost():
    costs = np.array([[-1.0, 100.0], [1.0, 0.0]])
    made = Draws(TWO, costs=costs)
    tp, fn, fp, _ = cells(made.binary(0))
    assert over(made.margins, lambda margins: margins.cost) == pytest.approx(-tp + 100 * fn + fp)


def test_costs_of_many_classes():
    # In the ring a miss is called the next class; at a cost of 3 each, the cost is 3 per row not hit.
    made = Draws(RING, costs=3 * (1 - np.eye(30))).margins
    expected = 3 * (RING.n - hits(made).sum(axis=1))
    assert over(made, lambda margins: margins.cost) == pytest.approx(expected)


# --- the spread, against formulas ------------------------------------------------------------
# The deviation of 10,000 draws has a standard error of 0.7 %.


LARGE = [
    pytest.param(LARGE_TWO, id="2 classes"),
    pytest.param(LARGE_THREE, id="3 classes"),
    pytest.param(SKEWED, id="4 classes, skewed"),
    pytest.param(ring(40, 90, 20), id="40 classes"),
]


@pytest.mark.parametrize("confusion", LARGE)
def test_kappa_has_the_error_of_statsmodels(confusion):
    # Fleiss, Cohen and Everitt (1969).
    expected = cohens_kappa(confusion.matrix).std_kappa
    assert over(Draws(confusion).margins, METRICS["kappa"]).std() == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("confusion", LARGE)
def test_accuracy_has_the_error_of_a_proportion(confusion):
    share = np.trace(confusion.matrix) / confusion.n
    expected = np.sqrt(share * (1 - share) / confusion.n)
    drawn = Draws(confusion).margins
    assert over(drawn, METRICS["accuracy"]).std() == pytest.approx(expected, rel=0.03)
    # Weighted by the rows of each class, recall is the accuracy.
    assert average(drawn, "recall_weighted").std() == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("confusion", LARGE)
def test_macro_recall_adds_up_independent_proportions(confusion):
    rows = confusion.matrix.sum(axis=1)
    recalls = np.diag(confusion.matrix) / rows
    expected = np.sqrt((recalls * (1 - recalls) / rows).sum()) / len(rows)
    assert average(Draws(confusion).margins, "recall_macro").std() == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("confusion", LARGE)
def test_mean_cost_has_the_error_of_a_mean(confusion):
    costs = np.random.default_rng(5).normal(size=confusion.matrix.shape)
    rows = np.repeat(costs.ravel(), confusion.matrix.ravel())
    expected = rows.std() / np.sqrt(len(rows))
    counted = Sample(confusion, costs=costs)
    assert over(counted.draws.margins, METRICS["mean_cost"]).std() == pytest.approx(expected, rel=0.03)
    mean, total = (counted.of_table(ask(name)) for name in ("mean_cost", "total_cost"))
    assert mean.value == pytest.approx(rows.mean())
    assert mean.high - mean.low == pytest.approx(2 * Z * expected, rel=0.05)
    assert (total.low, total.high) == pytest.approx((mean.low * confusion.n, mean.high * confusion.n))


@pytest.mark.parametrize(
    "matrix", [[[420, 80], [150, 850]], [[40, 160], [10, 1790]], [[200, 300], [300, 200]]]
)
def test_mcc_of_two_classes_has_the_error_of_phi(matrix):
    # The large-sample variance of phi: Bishop, Fienberg and Holland (1975), ch. 11.
    shares = np.array(matrix) / np.sum(matrix)
    (a1, a2), (p1, p2) = shares.sum(axis=1), shares.sum(axis=0)
    phi = (shares[0, 0] * shares[1, 1] - shares[0, 1] * shares[1, 0]) / np.sqrt(a1 * a2 * p1 * p2)
    mixed = (a1 - a2) * (p1 - p2) / np.sqrt(a1 * a2 * p1 * p2)
    squares = (a1 - a2) ** 2 / (a1 * a2) + (p1 - p2) ** 2 / (p1 * p2)
    variance = 1 - phi**2 + phi * (1 + phi**2 / 2) * mixed - 3 / 4 * phi**2 * squares
    expected = np.sqrt(variance / np.sum(matrix))
    drawn = Draws(Confusion(matrix)).margins
    assert over(drawn, METRICS["mcc"]).std() == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("confusion", [LARGE_THREE, ring(40, 90, 20)])
def test_informedness_of_a_class_adds_up_two_proportions(confusion):
    each = confusion.margins.each
    tp, fn, fp, tn = (float(getattr(each, name)[1]) for name in CELLS)
    recall, fallout = tp / (tp + fn), fp / (fp + tn)
    expected = np.sqrt(recall * (1 - recall) / (tp + fn) + fallout * (1 - fallout) / (fp + tn))
    values = over(Draws(confusion).binary(1), METRICS["informedness"])
    assert values.std() == pytest.approx(expected, rel=0.06)


@pytest.mark.parametrize(
    "name",
    ["f1_macro", "f1_weighted", "precision_macro", "precision_weighted", "jaccard_macro", "f_beta_macro:2"],
)
def test_draws_of_all_cells_and_of_seen_cells_agree_on_a_large_table(name, monkeypatch):
    everything = Draws(SKEWED).margins
    monkeypatch.setattr(draws, "MOST_WITH_PRIOR", 3)
    seen = Draws(SKEWED).margins
    assert (everything.prior, seen.prior) == (2 / 16, 0)
    both = average(everything, name), average(seen, name)
    assert both[0].std() == pytest.approx(both[1].std(), rel=0.04)
    assert both[0].mean() == pytest.approx(both[1].mean(), abs=0.1 * both[1].std())


# --- limits ----------------------------------------------------------------------------------


def steps(number, moved):
    """Draws whose hits are 0, 1 / N, ..., 1, in two blocks."""
    parts = np.split(np.linspace(0, 1, number), [number // 3])
    blocks = [Binary(part, 1 - part, 0 * part, 0 * part) for part in parts]
    half = np.array([0.5])
    return Drawn(blocks, Binary(half, half, 0 * half, 0 * half), number, 4, 0.5, moved)


def squared(tally):
    return tally.tp**2


# The mean of (i / N)**2 over i = 0, ..., N is (2 N + 1) / (6 N); the square of the mean draw is 1 / 4.


@pytest.mark.parametrize("moved", [False, True])
def test_limits_are_the_middle_of_the_draws_moved_back_by_twice_the_bias(moved):
    bias = 4001 / 12000 - 1 / 4 if moved else 0
    limits = steps(2_001, moved).limits(squared, 0.25, (-1, 1), 0.9)
    assert limits == pytest.approx((0.05**2 - 2 * bias, 0.95**2 - 2 * bias))


@pytest.mark.parametrize("moved", [False, True])
def test_few_draws_give_value_less_bias_and_deviations(moved):
    bias = 201 / 600 - 1 / 4 if moved else 0
    half = Z * np.std((np.arange(101) / 100) ** 2)
    limits = steps(101, moved).limits(squared, 0.3, (-1, 1), 0.95)
    assert limits == pytest.approx((0.3 - bias - half, 0.3 - bias + half))


@pytest.mark.parametrize(("number", "tail"), [(1_999, False), (2_000, True)])
def test_2000_draws_are_enough_for_their_tails(number, tail):
    # Far from the draws, so that it shows: only limits from the deviation are built around the value.
    low, high = steps(number, False).limits(squared, 5.0, (0, 9), 0.95)
    assert (high <= 1) is tail
    assert (low > 1) is not tail


@pytest.mark.parametrize("number", [101, 2_001])
def test_limits_stay_in_the_range_of_the_number(number):
    assert steps(number, False).limits(squared, 0.5, (0.4, 0.6), 0.95) == (0.4, 0.6)


def test_draws_without_a_value_are_left_out():
    def gaps(tally):
        return np.where(tally.tp < 0.5, np.nan, np.where(tally.tp > 0.9, np.inf, tally.tp))

    # What is left is even from 0.5 to 0.9.
    assert steps(10_001, False).limits(gaps, 0.7, (0, 1), 0.9) == pytest.approx((0.52, 0.88))


NO_SPREAD = "the draws show no spread: what was never seen cannot be drawn"


@pytest.mark.parametrize("moved", [False, True])
@pytest.mark.parametrize("number", [101, 2_001])
@pytest.mark.parametrize("constant", [np.nan, np.inf, 0.25, 0.0])
def test_draws_without_finite_values_or_without_spread_give_no_interval(constant, number, moved):
    drawn = steps(number, moved)
    for function in (
        lambda tally: np.full_like(tally.tp, constant),
        lambda tally: constant + 1e-15 * tally.tp,
        lambda tally: np.where(tally.tp < 0.99, np.nan, constant),
    ):
        assert drawn.limits(function, 0.25, (0, 1), 0.95) == NO_SPREAD


def test_spread_is_judged_against_the_size_of_the_number():
    drawn, span = steps(2_001, False), (-np.inf, np.inf)
    assert drawn.limits(lambda tally: 1e100 * (1 + 1e-14 * tally.tp), 1e100, span, 0.9) == NO_SPREAD
    for size in (1e100, 1e-9):
        limits = drawn.limits(lambda tally, size=size: size * tally.tp, size, span, 0.9)
        assert limits == pytest.approx((0.05 * size, 0.95 * size))


def test_a_number_that_is_the_same_in_every_draw_has_no_interval_but_a_note():
    # Only the first class has a share, so whatever is called that is right in every draw.
    sample = Sample(Confusion(5 * np.eye(3, dtype=int), labels=list("abc")), shares=np.array([1.0, 0, 0]))
    for name in ("precision_macro", "precision_weighted"):
        estimate = sample.of_average(ask(name))
        assert (estimate.value, estimate.low, estimate.high) == (1, None, None)
        assert estimate.note == f"1 of 3 classes; undefined for ['b', 'c']; {NO_SPREAD}"
        assert estimate.to_dict()["method"] is None
    assert sample.of_class(ask("precision"), 0).note == NO_SPREAD


def test_nothing_is_moved_when_the_mean_has_no_value():
    def hole(tally):
        return np.where(tally.tp == 0.5, np.nan, tally.tp)

    assert steps(4_001, True).limits(hole, 0.5, (0, 1), 0.9) == pytest.approx((0.05, 0.95), abs=1e-4)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_limits_of_a_single_share_are_beta_quantiles(level):
    # The share of one cell of a Dirichlet distribution is a beta distribution.
    expected = stats.beta(40 + 0.5, 160 + 1.5).interval(level)
    drawn = Draws(TWO).binary(0)
    limits = drawn.limits(lambda tally: tally.tp / TWO.n, 0.2, (0, 1), level)
    assert limits == pytest.approx(expected, abs=0.002)


def test_only_numbers_of_the_whole_table_with_more_than_two_classes_are_moved():
    assert not Draws(TWO).margins.moved
    assert not Draws(TWO).binary(0).moved
    assert Draws(THREE).margins.moved
    assert not Draws(THREE).binary(0).moved
    assert Draws(RING).margins.moved
    assert not Draws(RING).binary(0).moved


def test_the_bias_of_macro_f1_is_taken_back():
    # 60 classes of 6 rows: F1 on a sample falls short of the truth, and on draws of it once more. The middle
    # of the interval lies above the sample's value by as much as the draws lie below it.
    table = ring(60, 4, 2)
    estimate = Sample(table).of_average(ask("f1_macro"))
    assert estimate.value == pytest.approx(4 / 6)
    values = average(Draws(table).margins, "f1_macro")
    assert values.mean() < 4 / 6 - values.std() / 3
    middle = (estimate.low + estimate.high) / 2
    assert middle - 4 / 6 == pytest.approx(4 / 6 - values.mean(), rel=0.15)


def test_many_classes_with_few_rows_have_averages_without_an_interval():
    estimate = Sample(ring(60, 3, 1)).of_average(ask("f1_macro"))
    assert (estimate.value, estimate.low) == (pytest.approx(0.75), None)
    assert estimate.note == "60 classes have fewer than 5 rows: no honest interval"
    # Up to 20 classes the prior makes up for them; recall by support is the accuracy, which needs no average.
    assert Sample(ring(20, 3, 1)).of_average(ask("f1_macro")).low is not None
    assert Sample(ring(60, 3, 1)).of_average(ask("recall_weighted")).method == "wilson"


def test_interval_of_macro_recall_at_300_classes():
    # A recall has no bias, so the interval is the plain one, but for the draws' own noise.
    estimate = Sample(ring(300)).of_average(ask("recall_macro"))
    half = Z * np.sqrt(0.8 * 0.2 / 9000)
    assert estimate.method == "dirichlet"
    assert (estimate.low, estimate.high) == pytest.approx((0.8 - half, 0.8 + half), abs=0.06 * half)
    assert estimate.n == 9000


def test_a_number_is_worked_out_once_for_all_levels_and_never_taken_for_another():
    drawn, fresh = (Draws(TWO, seed=1).margins for _ in range(2))
    asked = []

    def recall(margins):
        asked.append("recall")
        return margins.hits[:, 0] / margins.actual[:, 0]

    def precision(margins):
        asked.append("precision")
        return margins.hits[:, 0] / margins.predicted[:, 0]

    for function in (recall, recall, precision, recall):
        for level in (0.9, 0.99):
            assert drawn.limits(function, 0.8, (0, 1), level) == fresh.limits(
                lambda margins, function=function: function(margins), 0.8, (0, 1), level
            )
    asked.clear()
    for level in (0.5, 0.9, 0.99):
        drawn.limits(precision, 0.8, (0, 1), level)
    assert asked == ["precision"] * len(drawn.blocks)


# --- tables without errors -------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 3, 20])
@pytest.mark.parametrize("name", ["mcc", "kappa", "f1_macro", "precision_weighted"])
def test_a_perfect_table_of_few_classes_has_an_interval_that_reaches_below_1(size, name):
    sample, asked = Sample(ring(size, 5, 0)), ask(name)
    estimate = sample.of_average(asked) if asked.average else sample.of_table(asked)
    assert estimate.value == estimate.high == 1
    assert estimate.low < 1 - 0.1 / (5 * size)


@pytest.mark.parametrize(
    "name", ["mcc", "kappa", "mean_cost", "f1_macro", "recall_macro", "precision_weighted"]
)
def test_a_perfect_table_of_many_classes_has_no_interval_but_a_note(name):
    sample, asked = Sample(ring(21, 5, 0), costs=1 - np.eye(21)), ask(name)
    estimate = sample.of_average(asked) if asked.average else sample.of_table(asked)
    assert estimate.value == (0 if name == "mean_cost" else 1)
    assert (estimate.low, estimate.high) == (None, None)
    assert estimate.to_dict()["method"] is None
    assert estimate.note == NO_SPREAD
    assert sample.of_table(ask("accuracy")).low == pytest.approx(1 / (1 + Z**2 / 105))


# --- other class shares ----------------------------------------------------------------------


@pytest.mark.parametrize("prevalence", [0.01, 0.25, 0.5, 0.9])
def test_other_class_shares_give_the_precision_of_bayes(prevalence):
    # Recall and false positive rate stay; precision = tpr p / (tpr p + fpr (1 - p)).
    tpr, fpr = 40 / 50, 5 / 150
    expected = tpr * prevalence / (tpr * prevalence + fpr * (1 - prevalence))
    sample = Sample(TWO, shares=np.array([prevalence, 1 - prevalence]))
    estimate = sample.of_class(ask("precision"), 0)
    assert estimate.value == pytest.approx(expected, rel=1e-12)
    assert estimate.method == "dirichlet"
    tp, fn, fp, _ = cells(sample.draws.binary(0))
    assert (tp + fn) / TWO.n == pytest.approx(prevalence)
    # The draws are centred on the rates with the prior's one half in each cell.
    tpr, fpr = 40.5 / 51, 5.5 / 151
    centre = tpr * prevalence / (tpr * prevalence + fpr * (1 - prevalence))
    assert np.median(tp / (tp + fp)) == pytest.approx(centre, abs=0.1 * (estimate.high - estimate.low))
    assert estimate.low < expected < estimate.high


@pytest.mark.parametrize("confusion", [THREE, RING])
def test_every_draw_has_the_shares_asked_for(confusion):
    size = len(confusion.labels)
    shares = np.arange(1, size + 1) / (size * (size + 1) / 2)
    sample = Sample(confusion, shares=shares)
    drawn = sample.draws.margins
    for margins in (*drawn.blocks, drawn.mean):
        assert margins.actual / confusion.n == pytest.approx(np.tile(shares, (len(margins.hits), 1)))
    # One class of many is read from the same tables: only they know how its false alarms are shared out.
    tp, fn, _, _ = cells(sample.draws.binary(2))
    assert tp == pytest.approx(hits(drawn)[:, 2])
    assert (tp + fn) / confusion.n == pytest.approx(shares[2])


def test_accuracy_under_other_shares_adds_up_recalls():
    # Recall 0.8 in each of 30 classes: whatever the shares, the accuracy is 0.8, but its error grows
    # where the weight lies on fewer rows.
    shares = np.arange(1, 31) / 465
    estimate = Sample(RING, shares=shares).of_table(ask("accuracy"))
    assert estimate.value == pytest.approx(0.8)
    assert estimate.method == "dirichlet"
    # A recall drawn from 24 and 6 is a beta distribution of variance 0.8 * 0.2 / 31.
    half = Z * np.sqrt((shares**2).sum() * 0.8 * 0.2 / 31)
    assert estimate.high - estimate.low == pytest.approx(2 * half, rel=0.05)


def test_rates_keep_their_interval_under_other_class_shares():
    usual = Sample(TWO).of_class(ask("recall"), 0)
    moved = Sample(TWO, shares=np.array([0.01, 0.99])).of_class(ask("recall"), 0)
    assert moved.value == pytest.approx(usual.value)
    assert (moved.low, moved.high, moved.n) == (usual.low, usual.high, 50)


def test_a_given_prevalence_has_no_interval():
    estimate = Sample(TWO, shares=np.array([0.01, 0.99])).of_class(ask("prevalence"), 0)
    assert estimate.value == pytest.approx(0.01)
    assert estimate.low is None
    assert estimate.note == "given, not estimated"


def test_a_prevalence_that_was_given_has_no_interval():
    sample = Sample(THREE, shares=np.array([0.2, 0.3, 0.5]))
    for name in ("prevalence_macro", "prevalence_weighted"):
        estimate = sample.of_average(ask(name))
        assert (estimate.low, estimate.note) == (None, "given, not estimated")
    assert sample.of_class(ask("prevalence"), 0).note == "given, not estimated"


def test_ratios_without_an_upper_bound_are_not_moved():
    # Their mean over the draws is ruled by a few draws far out, and would push both limits below 0.
    table = Confusion(np.diag([1] * 9 + [0] * 11) + np.diag([1] * 19, k=1))
    estimate = Sample(table).of_average(ask("lr_plus_macro"))
    assert estimate.low < estimate.value < estimate.high
