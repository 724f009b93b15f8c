"""Areas, partial areas and average precision of one score: variances by double sums, jackknife and hand."""

import itertools
import math
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import tallymark as tm
from formulas import Z, newcombe, on_logit, wider

NAMES = ("auc", "gini", "partial_auc:0.3", "partial_auc_mcclish:0.3", "average_precision")
Rows = tuple[NDArray[Any], NDArray[Any]]


@cache
def rows(n: int = 300, decimals: int | None = None, seed: int = 0, apart: float = 1.0) -> Rows:
    """Scores between 0 and 1, and which rows are positive."""
    chance = np.random.default_rng(seed)
    positive = chance.random(n) < 0.4
    score = 1 / (1 + np.exp(-chance.normal(size=n) - apart * positive))
    return (score if decimals is None else np.round(score, decimals)), positive


def of(score: Any, positive: Any, groups: Any = None, weight: Any = None, **options: Any) -> tm.Evaluation:
    actual = np.asarray(positive, int)
    return tm.evaluate(
        actual,
        y_score=np.asarray(score, float),
        labels=[0, 1],
        groups=groups,
        sample_weight=weight,
        **options,
    )


def numbers(found: Any) -> tuple[Any, ...]:
    return found.value, found.low, found.high, found.se


# --- the area --------------------------------------------------------------------------------


def test_delong_is_the_double_sum() -> None:
    """DeLong et al. (1988): area and variance from every pair."""
    for decimals, apart in itertools.product((None, 2, 1), (0.0, 1.0, 2.5, -1.0)):
        score, positive = rows(400, decimals, apart=apart)
        up, down = score[positive][:, None], score[~positive][None, :]
        wins = (up > down) + 0.5 * (up == down)
        own, theirs = wins.mean(axis=1), wins.mean(axis=0)
        se = math.sqrt(own.var(ddof=1) / len(own) + theirs.var(ddof=1) / len(theirs))
        ev = of(score, positive)
        found, gini, other = ev["auc"], ev["gini"], ev.per_class[0]["auc"]
        assert (found.value, found.se) == pytest.approx((wins.mean(), se), rel=1e-12)
        assert (found.method, found.n, found.note) == ("delong", 400, None)
        assert (found.low, found.high) == pytest.approx(on_logit(wins.mean(), se), rel=1e-10)
        expected = [2 * each - 1 for each in numbers(found)[:3]]
        assert numbers(gini) == pytest.approx((*expected, 2 * se))
        assert numbers(other) == pytest.approx(numbers(found))  # the other class tells the same


def test_weights_enter_squared() -> None:
    score, positive = rows(200)
    weight = np.random.default_rng(2).lognormal(size=200)
    mine, theirs = weight[positive], weight[~positive]
    wins = (score[positive][:, None] > score[~positive]).astype(float)
    own, other = wins @ theirs / theirs.sum(), mine @ wins / mine.sum()
    area = own @ mine / mine.sum()

    def part(placements: NDArray[Any], w: NDArray[Any]) -> tuple[float, float]:
        n = w.sum() ** 2 / (w @ w)
        return float((w**2) @ (placements - area) ** 2 / w.sum() ** 2 * n / (n - 1)), n

    (up, n_up), (down, n_down) = part(own, mine), part(other, theirs)
    found = of(score, positive, weight=weight)["auc"]
    assert (found.value, found.se) == pytest.approx((area, math.sqrt(up + down)))
    assert found.n == pytest.approx(n_up + n_down)


def test_frequencies_are_rows_and_equal_weights_are_no_weights() -> None:
    score, positive = rows(120, 2)
    times = np.random.default_rng(1).integers(1, 4, 120)
    repeated = of(np.repeat(score, times), np.repeat(positive, times))
    counted = of(score, positive, weight=times, weight_kind="frequency")
    plain, equal = of(score, positive), of(score, positive, weight=np.full(120, 0.37))
    for name in (*NAMES, "brier", "log_loss"):
        one, two = repeated[name], counted[name]
        assert (*numbers(two), two.n) == pytest.approx((*numbers(one), one.n)), name
        assert numbers(equal[name]) == pytest.approx(numbers(plain[name]), rel=1e-9), name
    assert equal["auc"].n == pytest.approx(120)


# --- where there is no variance, or little ---------------------------------------------------


def test_scores_that_show_no_variance_have_newcombes_interval() -> None:
    cases = {
        "separated": ([4, 3, 3.5, 1, 2, 0.5], [1, 1, 1, 0, 0, 0], 1),
        "the wrong way round": ([1, 2, 3, 4], [1, 1, 0, 0], 0),
        "constant": ([0.1] * 6, [1, 0, 0, 1, 0, 1], 0.5),
        "one positive": ([0.4, 0.1, 0.3, 0.5, 0.9], [1, 0, 0, 0, 0], 0.5),
        "one negative": ([0.4, 0.1, 0.3, 0.5, 0.9], [0, 1, 1, 1, 1], 0.5),
        "two rows": ([0.4, 0.1], [1, 0], 1),
    }
    for case, (score, positive, area) in cases.items():
        found = of(score, positive)["auc"]
        expected = newcombe(area, sum(positive), len(positive) - sum(positive))
        assert (found.value, found.method, found.se) == (area, "newcombe", None), case
        assert (found.low, found.high) == pytest.approx(expected, abs=1e-9), case
        assert found.note, case
    weighted = of([0.1] * 6, [1, 0, 0, 1, 0, 1], weight=[0.1, 0.7, 0.2, 0.3, 0.1, 0.6])["auc"]
    assert weighted.method == "newcombe"
    for one_class in ([0, 0], [1, 1]):
        found = of([0.1, 0.2], one_class)["auc"]
        assert found.value is None
        assert found.why


def test_a_variance_that_rests_on_few_rows_gives_the_wider_interval() -> None:
    # One positive among 50 is ranked below some of 1,000 negatives: DeLong's variance rests on it alone.
    score = np.concatenate([np.linspace(2, 3, 49), [0.95], np.linspace(0, 1, 1000)])
    found = of(score, np.arange(1050) < 50)["auc"]
    expected = wider(on_logit(found.value, found.se), newcombe(found.value, 50, 1000))
    assert (found.low, found.high) == pytest.approx(expected)
    assert found.note
    assert found.method == "delong"
    # Eight rows carry it: with seven swapped pairs it is the wider one, with twelve it is not.
    for swapped, few in ((3, True), (30, False)):
        up, down = np.linspace(2, 3, 60), np.linspace(0, 1, 60)
        up[:swapped], down[-swapped:] = 0.995, 2.005
        found = of(np.concatenate([up, down]), np.arange(120) < 60)["auc"]
        assert (found.note is not None) == few, swapped


# --- partial areas ---------------------------------------------------------------------------


def jackknife(function: Any, *, by_class: bool) -> float:
    """Standard error from leaving out every row in turn, of each class apart or of all rows."""
    score, positive = rows(200)
    total = 0.0
    for part in (positive, ~positive) if by_class else (np.full(200, True),):
        kept = [np.arange(200) != row for row in np.flatnonzero(part)]
        left = [function(positive[here].astype(int), y_score=score[here]) for here in kept]
        total += (len(left) - 1) * float(np.var(left))
    return math.sqrt(total)


def test_standard_errors_are_those_of_the_jackknife() -> None:
    # Up to what is lost by linearising.
    ev = of(*rows(200))
    for function in (tm.partial_auc, tm.partial_auc_mcclish):
        se = jackknife(partial(function, max_fpr=0.3), by_class=True)
        assert ev[f"{function.__name__}:0.3"].se == pytest.approx(se, rel=0.1)
    # Left out class by class, the share of the classes stays: as it does when the share is given.
    expected = [jackknife(tm.average_precision, by_class=each) for each in (False, True)]
    share = float(rows(200)[1].mean())
    found = [each["average_precision"].se for each in (ev, ev.at_prevalence(share))]
    assert found == pytest.approx(expected, rel=0.06)
    assert found[1] < found[0]  # the share is given and not estimated, so there is less to be unsure of


def test_partial_areas_up_to_their_limits() -> None:
    ev = of(*rows(300, 2))
    whole = ev["auc"]
    for name in ("partial_auc:1", "partial_auc_mcclish:1"):
        assert numbers(ev[name]) == pytest.approx(numbers(whole)), name
        assert ev[name].method == "linearised"
    raw, standard = ev["partial_auc:0.2"], ev["partial_auc_mcclish:0.2"]
    lines = [(1 + (each - 0.02) / 0.18) / 2 for each in numbers(raw)[:3]]
    assert numbers(standard)[:3] == pytest.approx(lines)
    perfect, nothing = (of([4, 3, 2, 1], each)["partial_auc:0.5"] for each in ([1, 1, 0, 0], [0, 0, 1, 1]))
    assert (perfect.value, perfect.high) == (0.5, 0.5)
    assert perfect.low < 0.4
    assert (nothing.value, nothing.low) == (0, 0)
    assert nothing.high > 0.1


def test_fewer_than_twenty_negatives_within_the_limit_give_the_wider_interval() -> None:
    for negatives in (60, 190, 200, 210):
        positive = np.arange(200 + negatives) < 200
        score = np.random.default_rng(0).normal(size=200 + negatives) + positive
        found = of(score, positive)["partial_auc:0.1"]
        ends = on_logit(found.value / 0.1, found.se / 0.1)
        if negatives < 200:
            ends = wider(ends, newcombe(found.value / 0.1, 200, 0.1 * negatives))
        assert (found.low, found.high) == pytest.approx((0.1 * ends[0], 0.1 * ends[1])), negatives
        assert (found.note is not None) == (negatives < 200)


def test_the_influences_of_a_partial_area_by_hand() -> None:
    # Scores 4+, 3-, 2+, 1-, and a limit of 3/4 of the false positive rate, half way through the last row. The
    # curve is at 1/2 up to 1/2 and at 1 from there; the share is (1/2 * 1/2 + 1/4) / (3/4) = 2/3.
    found = of([4, 2, 3, 1], [1, 1, 0, 0])["partial_auc:0.75"]
    assert found.value == pytest.approx(0.5)
    # Positives: room from their false positive rate to the limit over the limit, 1 and 1/3, less 2/3, over 2.
    up = np.array([1 - 2 / 3, 1 / 3 - 2 / 3]) / 2
    # Negatives: (height 1/2 or, for half of the last row, 1, less that at the limit, 1, over the limit, less
    # what all have on average) over 2.
    down = (np.array([(0.5 - 1) / 0.75, 0.5 * (1 - 1) / 0.75]) - (2 / 3 - 1)) / 2
    assert found.se == pytest.approx(0.75 * math.sqrt(2 * (up @ up) + 2 * (down @ down)))


# --- average precision -----------------------------------------------------------------------


def test_average_precision_by_its_variance_drawn_towards_the_largest() -> None:
    score, positive = rows(200, apart=3)
    found = of(score, positive)["average_precision"]
    n, value = int(positive.sum()), found.value
    # As if n rows had the variance n se^2 each and four more the largest at that mean.
    of_a_row = (n * (n * found.se**2) + 4 * value * (1 - value)) / (n + 4)
    assert (found.low, found.high) == pytest.approx(on_logit(value, math.sqrt(of_a_row / n)))
    assert of_a_row / n > 1.01 * found.se**2
    perfect = of([4, 3, 2, 1], [1, 1, 0, 0])["average_precision"]
    assert (perfect.value, perfect.method) == (1, "wilson")
    assert (perfect.low, perfect.high) == pytest.approx((1 / (1 + Z**2 / 2), 1))
    assert perfect.note
    only = of([4, 3], [1, 1])["average_precision"]
    assert (only.value, only.high) == (1, 1)
    assert only.low < 0.5
    chance = of([0.1] * 50, np.arange(50) < 10)["average_precision"]
    assert chance.value == pytest.approx(0.2)
    assert chance.low < 0.15 < 0.25 < chance.high


def test_the_influences_of_average_precision_by_hand() -> None:
    # Scores + - +: precisions 1 and 2/3, mean 5/6. One more row like the first counts a precision of 1 once
    # more, and raises the third row's by (1 - 2/3) / 3 = 1/9; one more like the second lowers the third's
    # by 2/9; one more like the third counts 2/3 once more, and raises it by 1/9. All over two positives.
    influences = np.array([(1 - 5 / 6 + 1 / 9) / 2, -1 / 9, (2 / 3 - 5 / 6 + 1 / 9) / 2])
    found = of([3, 2, 1, 0], [1, 0, 1, 0])["average_precision"]
    up, down = influences[[0, 2]], np.array([influences[1], 0.0])
    assert found.value == pytest.approx(5 / 6)
    assert found.se == pytest.approx(math.sqrt(2 * (up @ up) + 2 * (down @ down)))


# --- other shares of the classes -------------------------------------------------------------


def test_another_prevalence_moves_average_precision_and_no_area() -> None:
    score, positive = rows(200, 2)
    ev = of(score, positive)
    rare = ev.at_prevalence(0.01)
    for name in ("auc", "gini", "ks", "partial_auc:0.3"):
        assert numbers(rare[name]) == numbers(ev[name]), name
    # Ten times as many negatives.
    times = np.where(positive, 1, 10)
    many = of(np.repeat(score, times), np.repeat(positive, times))
    share = float(np.average(positive, weights=times))
    found = ev.at_prevalence(share)["average_precision"]
    assert (found.value, found.n) == (pytest.approx(many["average_precision"].value), 200)
    assert found.low < found.value < found.high
    other = tm.evaluate(positive.astype(int), y_score=-score, pos_label=0).at_prevalence(0.99)[
        "average_precision"
    ]
    assert numbers(rare.per_class[0]["average_precision"]) == pytest.approx(numbers(other))
    none = ev.at_prevalence(0.0)
    assert none["average_precision"].value is None
    assert none["average_precision"].why


# --- groups ----------------------------------------------------------------------------------


def clustered(groups: int, size: int, seed: int, share: Any = 0.4) -> tuple[NDArray[Any], ...]:
    chance = np.random.default_rng(seed)
    group = np.repeat(np.arange(groups), size)
    positive = chance.random(groups * size) < (share(group) if callable(share) else share)
    return chance.normal(size=groups * size) + chance.normal(size=groups)[group] + positive, positive, group


def obuchowski(score: Any, positive: Any, group: Any) -> tuple[float, float, float]:
    """Area, variance, and the degrees of freedom of Welch and Satterthwaite."""
    up, down = score[positive], score[~positive]
    area, groups = float((up[:, None] > down).mean()), int(group.max()) + 1
    sums, own, holds = [], [], []
    for side, placed in (
        (positive, [(s > down).mean() for s in up]),
        (~positive, [(up > s).mean() for s in down]),
    ):
        total = np.bincount(group[side], (np.array(placed) - area) / side.sum(), groups)
        sums.append(total)
        holds.append(len(np.unique(group[side])))
        own.append(float(total @ total) * holds[-1] / (holds[-1] - 1))
    variance = sum(own) + 2 * float(sums[0] @ sums[1]) * groups / (groups - 1)
    freedom = sum(own) ** 2 / sum(each**2 / (n - 1) for each, n in zip(own, holds, strict=True))
    return area, variance, min(groups - 1, freedom)


def test_grouped_areas_have_obuchowskis_variance_and_students_quantile() -> None:
    for made in (clustered(30, 5, 3), clustered(60, 8, 5)):
        area, variance, freedom = obuchowski(*made)
        found = of(*made)["auc"]
        assert (found.value, found.se) == pytest.approx((area, math.sqrt(variance)))
        reach = stats.t.ppf(0.975, freedom)
        assert (found.low, found.high) == pytest.approx(on_logit(area, found.se, reach))
        assert (found.method, found.note) == ("delong_groups", None)
        assert numbers(of(*made).per_class[0]["auc"]) == pytest.approx(numbers(found))
    # Positives in 4 of 30 groups: degrees of freedom are near 3, not 29, and few groups carry the variance.
    made = clustered(30, 20, 4, share=lambda group: np.where(group < 4, 0.7, 0.0))
    area, variance, freedom = obuchowski(*made)
    found = of(*made)["auc"]
    assert freedom < 5
    assert found.note
    reach = stats.t.ppf(0.975, freedom)
    low, high = on_logit(area, math.sqrt(variance), reach)
    assert found.low <= low + 1e-12
    assert found.high >= high - 1e-12
    # Newcombe's is of as many rows as the design effect leaves, or as many groups as hold a class.
    single = of(made[0], made[1])["auc"]
    design = max(1.0, variance / single.se**2)
    sizes = [np.bincount(made[2][side], minlength=30) for side in (made[1], ~made[1])]
    worth = [max(each.sum() ** 2 / (each @ each), each.sum() / design) for each in sizes]
    expected = wider((low, high), newcombe(area, *worth, reach))
    assert (found.low, found.high) == pytest.approx(expected)


def test_groups_of_one_row_are_rows_and_copies_tell_nothing_new() -> None:
    score, positive = rows(250)
    plain = of(score, positive)
    alone, tenfold, naive = (
        of(score, positive, np.arange(250)),
        of(np.repeat(score, 10), np.repeat(positive, 10), np.repeat(np.arange(250), 10)),
        of(np.repeat(score, 10), np.repeat(positive, 10)),
    )
    for name in (*NAMES, "brier", "log_loss"):
        assert alone[name].value == pytest.approx(plain[name].value)
        assert alone[name].se == pytest.approx(plain[name].se, rel=3e-3), name
        assert numbers(tenfold[name]) == pytest.approx(numbers(alone[name]), rel=1e-6), name
        assert tenfold[name].se > 2 * naive[name].se, name
    assert (alone["auc"].n, tenfold["auc"].n) == (250, 2500)


def test_classes_in_few_groups() -> None:
    group = np.repeat(np.arange(10), 20)
    positive = group < 5
    separated = of(positive + np.linspace(0, 0.5, 200), positive, group)["auc"]
    assert (separated.value, separated.method) == (1, "newcombe_groups")
    # Ten groups, however many rows, and Student's quantile.
    assert separated.low < newcombe(1, 5, 5)[0]
    group = np.repeat(np.arange(4), 10)
    alone = of(rows(40)[0], group == 0, group)["auc"]
    assert alone.method == "newcombe_groups"
    assert alone.high - alone.low > 0.5
