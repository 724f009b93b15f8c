"""Intervals from draws of the cells of a table, against large-sample formulas and draws of our own."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa

import tallymark as tm
from formulas import Z

THREE = np.array([[50, 8, 2], [6, 70, 9], [1, 4, 30]])
SKEWED = np.array([[6000, 300, 50, 10], [400, 2000, 60, 20], [30, 90, 700, 40], [20, 10, 50, 220]])


def ring(size: int, hits: int = 24, misses: int = 6) -> NDArray[np.int64]:
    """Every class has `hits` rows that are hit and `misses` rows that are called the next class."""
    return hits * np.eye(size, dtype=int) + misses * np.roll(np.eye(size, dtype=int), 1, axis=1)


LARGE = {
    "2 classes": np.array([[420, 80], [150, 850]]),
    "3 classes": np.array([[300, 40, 10], [30, 410, 60], [5, 45, 100]]),
    "4 classes, skewed": SKEWED,
    "40 classes": ring(40, 90, 20),
}


def of(matrix: Any, **options: Any) -> tm.Evaluation:
    matrix = np.asarray(matrix)
    return tm.Confusion(matrix, labels=range(len(matrix))).evaluate(**options)


def half(found: Any) -> float:
    return (found.high - found.low) / 2


# --- the spread, against formulas ------------------------------------------------------------


def test_spreads_are_those_of_large_sample_formulas() -> None:
    """Ends are quantiles of 10,000 draws, whose distance has a standard error of 1.3 %."""
    found, expected = {}, {}

    def compare(case: str, estimate: Any, deviation: float) -> None:
        found[case], expected[case] = half(estimate), Z * deviation

    for kind, table in LARGE.items():
        rows, n = table.sum(axis=1), table.sum()
        costs = np.random.default_rng(5).normal(size=table.shape)
        ev = of(table, costs=costs)
        # Fleiss, Cohen and Everitt (1969).
        compare(f"kappa, {kind}", ev["kappa"], cohens_kappa(table).std_kappa)
        recalls = np.diag(table) / rows
        compare(
            f"balanced accuracy, {kind}",
            ev["balanced_accuracy"],
            math.sqrt((recalls * (1 - recalls) / rows).sum()) / len(rows),
        )
        of_rows = np.repeat(costs.ravel(), table.ravel())
        compare(f"mean cost, {kind}", ev["mean_cost"], of_rows.std() / math.sqrt(n))
        assert ev["mean_cost"].value == pytest.approx(of_rows.mean())
        assert half(ev["total_cost"]) == pytest.approx(n * half(ev["mean_cost"]))
        if len(table) != 4:
            # Of one class: two independent proportions.
            tp, actual, called = table[1, 1], rows[1], table[:, 1].sum()
            recall, fallout = tp / actual, (called - tp) / (n - actual)
            variance = recall * (1 - recall) / actual + fallout * (1 - fallout) / (n - actual)
            compare(f"informedness, {kind}", of(table, pos_label=1)["informedness"], math.sqrt(variance))
    for table in ([[420, 80], [150, 850]], [[40, 160], [10, 1790]], [[200, 300], [300, 200]]):
        # The large-sample variance of phi: Bishop, Fienberg and Holland (1975), ch. 11.
        shares = np.array(table) / np.sum(table)
        (a1, a2), (p1, p2) = shares.sum(axis=1), shares.sum(axis=0)
        product = math.sqrt(a1 * a2 * p1 * p2)
        phi = (shares[0, 0] * shares[1, 1] - shares[0, 1] * shares[1, 0]) / product
        squares = (a1 - a2) ** 2 / (a1 * a2) + (p1 - p2) ** 2 / (p1 * p2)
        variance = (
            1 - phi**2 + phi * (1 + phi**2 / 2) * (a1 - a2) * (p1 - p2) / product - 3 / 4 * phi**2 * squares
        )
        compare(f"mcc, {table}", of(table)["mcc"], math.sqrt(variance / np.sum(table)))
    assert found == pytest.approx(expected, rel=0.06)
    # 300 classes are drawn less often, and ends come from the deviation.
    wide = of(ring(300))["recall_macro"]
    assert (wide.method, wide.n, wide.value) == ("dirichlet", 9000, pytest.approx(0.8))
    assert half(wide) == pytest.approx(Z * math.sqrt(0.8 * 0.2 / 9000), rel=0.06)


# --- draws of our own ------------------------------------------------------------------------


def measures(tables: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Metrics in every one of many tables, by their definitions."""
    with np.errstate(invalid="ignore", divide="ignore"):
        tables = tables / tables.sum(axis=(1, 2), keepdims=True)
        hits = np.diagonal(tables, axis1=1, axis2=2)
        actual, called = tables.sum(axis=2), tables.sum(axis=1)
        recall, precision = hits / actual, hits / called
        f1, accuracy = 2 * hits / (actual + called), hits.sum(axis=1)
        chance = (actual * called).sum(axis=1)
        top = accuracy - chance
        spread = np.sqrt((1 - (actual**2).sum(axis=1)) * (1 - (called**2).sum(axis=1)))
        return {
            "mcc": top / spread, "kappa": top / (1 - chance), "accuracy": accuracy,
            "balanced_accuracy": recall.mean(axis=1), "f1_macro": f1.mean(axis=1),
            "f1_weighted": (f1 * actual).sum(axis=1), "precision_macro": precision.mean(axis=1),
            "precision_weighted": (precision * actual).sum(axis=1),
        }  # fmt: skip


def four(cells: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    tp, fn, fp, tn = cells.T
    recall, specificity = tp / (tp + fn), tn / (fp + tn)
    return {
        "f_beta:2": 5 * tp / (5 * tp + 4 * fn + fp),
        "informedness": recall + specificity - 1,
        "markedness": tp / (tp + fp) + tn / (tn + fn) - 1,
        "g_mean": np.sqrt(recall * specificity),
    }


def gammas(shape: Any, scale: Any = 1.0, draws: int = 20_000, seed: int = 11) -> NDArray[np.float64]:
    return (
        np.random.default_rng(seed).standard_gamma(np.asarray(shape, float), (draws, np.size(shape))) * scale
    )


def wrong_limits(
    ev: tm.Evaluation,
    values: dict[str, NDArray[np.float64]],
    bias: dict[str, float] | None = None,
    near: float = 0.15,
) -> list[str]:
    """Metrics whose limits are not the quantiles of these draws, moved back by twice the bias."""
    wrong = []
    for name, each in values.items():
        ends = np.quantile(each, [0.025, 0.975]) - 2 * (bias or {}).get(name, 0.0)
        found = ev[name]
        if (found.low, found.high) != pytest.approx(tuple(ends), abs=near * each.std()):
            wrong.append(f"{name}: {found} for {ends}")
    return wrong


def without_accuracy(values: Any, at_mean: Any) -> tuple[dict[str, Any], dict[str, float]]:
    """Values and their bias; the accuracy is a proportion, with Wilson's interval."""
    bias = {name: each.mean() - at_mean[name][0] for name, each in values.items()}
    return {name: each for name, each in values.items() if name != "accuracy"}, bias


def test_tables_are_drawn_from_a_dirichlet_distribution_with_two_more_rows() -> None:
    # Two rows more, spread evenly over the cells; with three classes or more the bias is taken back twice.
    for matrix in (np.array([[40, 10], [5, 145]]), THREE, np.diag([5, 9, 3]), np.eye(2, dtype=int)):
        size = len(matrix)
        tables = gammas(matrix.ravel() + 2 / size**2).reshape(-1, size, size)
        values = measures(tables)
        shares = tables / tables.sum(axis=(1, 2), keepdims=True)
        at_mean = measures(shares.mean(axis=0, keepdims=True))
        values, bias = without_accuracy(values, at_mean)
        found = of(matrix)
        if (matrix == np.diag(np.diag(matrix))).all():
            # Without errors the ends above 1 are cut, and the lower ones have few draws of their own.
            assert all(found[name].high == found[name].value == 1 for name in values), matrix
            assert all(found[name].low < 1 - 0.02 for name in values), matrix
        else:
            assert not wrong_limits(found, values, bias if size > 2 else None)
    # A class of many is drawn as four cells with one half more each.
    for matrix, at in ((THREE, 1), (ring(30), 4), (ring(3, 3, 1), 0)):
        tp, actual, called = matrix[at, at], matrix[at].sum(), matrix[:, at].sum()
        cells = np.array([tp, actual - tp, called - tp, matrix.sum() - actual - called + tp])
        assert not wrong_limits(
            of(matrix, pos_label=at), four(gammas(cells + 0.5)), near=0.3 if len(matrix) > 20 else 0.15
        )
    # Of two classes either tells the same.
    one, two = (of([[40, 10], [5, 145]], pos_label=label)["informedness"] for label in (0, 1))
    assert (one.low, one.high) == pytest.approx((two.low, two.high), abs=1e-12)


def test_weighted_cells_are_drawn_with_the_variance_of_their_weights() -> None:
    # A cell is a sum of w times an exponential variable: mean the sum of w, variance the sum of squares.
    chance = np.random.default_rng(1)
    actual = chance.integers(0, 2, 300)
    predicted = np.where(chance.random(300) < 0.8, actual, 1 - actual)
    weight = chance.choice([0.5, 1.0, 4.0], 300) * (1 + 2 * actual)
    cell = actual * 2 + predicted
    counts, squares = np.bincount(cell, weight), np.bincount(cell, weight**2)
    scale = squares / counts
    tables = gammas(counts / scale + 0.5, scale).reshape(-1, 2, 2)
    values = measures(tables)
    values.pop("accuracy")
    ev = tm.evaluate(actual, predicted, sample_weight=weight)
    assert not wrong_limits(ev, values)
    assert ev["mcc"].n == pytest.approx(weight.sum() ** 2 / (weight**2).sum())
    # A cell without rows gets prior rows of the usual weight: 30 rows of weight 3 are 30 rows.
    empty = tm.evaluate([0, 1] * 15, [0, 1] * 15, sample_weight=np.full(30, 3.0))["mcc"]
    plain = tm.evaluate([0, 1] * 15, [0, 1] * 15)["mcc"]
    assert (empty.low, empty.high) == pytest.approx((plain.low, plain.high))


def test_above_20_classes_only_cells_that_were_seen_are_drawn() -> None:
    matrix = ring(21, 14, 6) + np.diag(np.arange(21))
    tables = np.zeros((5_000, 21, 21))
    tables[:, matrix > 0] = gammas(matrix[matrix > 0], draws=5_000)
    values, at_mean = measures(tables), measures(matrix[None] * 1.0)
    assert not wrong_limits(of(matrix), *without_accuracy(values, at_mean))
    # So a perfect table shows no spread, where up to 20 classes have the prior's.
    many, few = of(ring(21, 5, 0), costs=1 - np.eye(21)), of(ring(20, 5, 0))
    for name in ("mcc", "kappa", "mean_cost", "f1_macro", "recall_macro", "precision_weighted"):
        found = many[name]
        assert found.value == (0 if name == "mean_cost" else 1), name
        assert (found.low, found.high, found.to_dict()["method"]) == (None, None, None), name
        assert found.note
    assert many["accuracy"].low == pytest.approx(1 / (1 + Z**2 / 105))
    assert few["mcc"].high == 1
    assert few["mcc"].low < 1 - 0.1 / 100


def test_many_classes_with_few_rows() -> None:
    # 60 classes of 6 rows: F1 on a sample falls short of the truth, and on draws of it once more, so the
    # middle of the interval is above the value.
    found = of(ring(60, 4, 2))["f1_macro"]
    assert found.value == pytest.approx(4 / 6)
    assert (found.low + found.high) / 2 > 4 / 6 + half(found) / 10
    # With more than a quarter of many classes below 5 rows there is no honest interval.
    few = of(ring(60, 3, 1))
    assert (few["f1_macro"].value, few["f1_macro"].low) == (pytest.approx(0.75), None)
    assert few["f1_macro"].note
    assert few["recall_weighted"].method == "wilson"
    assert of(ring(20, 3, 1))["f1_macro"].low is not None
    some = np.where(np.arange(60)[:, None] < 15, ring(60, 3, 1), ring(60, 8, 2))
    assert of(some)["f1_macro"].low is not None
    # A ratio without an upper bound has draws far out, whose mean says nothing of bias.
    ratios = of(np.diag([1] * 9 + [0] * 11) + np.diag([1] * 19, k=1))["lr_plus_macro"]
    assert ratios.low < ratios.value < ratios.high


def test_the_outermost_levels_use_the_deviation() -> None:
    # 10,000 draws end at about 3.8 deviations; a level of 0.999999 lies 4.9 of them out.
    table = 10 * LARGE["2 classes"]
    usual, strict = of(table)["kappa"], of(table)["kappa"].interval(0.999999)
    deviation = half(usual) / Z
    reach = stats.norm.ppf(1 - 0.5e-6)
    assert half(strict) == pytest.approx(reach * deviation, rel=0.05)
    assert half(usual.interval(0.999)) == pytest.approx(stats.norm.ppf(0.9995) * deviation, rel=0.05)


# --- other class shares ----------------------------------------------------------------------


def test_other_class_shares_keep_rates_and_move_the_rest() -> None:
    two, labels = np.array([[40, 10], [5, 145]]), ("+", "-")
    ev = tm.Confusion(two, labels=labels).evaluate(pos_label="+")
    for prevalence in (0.01, 0.25, 0.5, 0.9):
        at = ev.at_prevalence(prevalence)
        # Recall and false positive rate stay; precision = tpr p / (tpr p + fpr (1 - p)).
        tpr, fpr = 40 / 50, 5 / 150
        bayes = tpr * prevalence / (tpr * prevalence + fpr * (1 - prevalence))
        assert at["precision"].value == pytest.approx(bayes, rel=1e-12)
        assert at["accuracy"].value == pytest.approx(prevalence * tpr + (1 - prevalence) * (1 - fpr))
        hit, false = (
            stats.beta(a + 0.5, b + 0.5).rvs(20_000, random_state=3 + a) for a, b in ((40, 10), (5, 145))
        )
        precision = hit * prevalence / (hit * prevalence + false * (1 - prevalence))
        accuracy = hit * prevalence + (1 - false) * (1 - prevalence)
        assert not wrong_limits(at, {"precision": precision, "accuracy": accuracy}, near=0.25)
        assert at["precision"].method == "dirichlet"
        for name in ("recall", "specificity", "fpr"):
            assert at[name].value == pytest.approx(ev[name].value)
            assert (at[name].low, at[name].high, at[name].n) == (ev[name].low, ev[name].high, ev[name].n)
        assert (at["prevalence"].value, at["prevalence"].low) == (pytest.approx(prevalence), None)


def test_other_shares_of_several_classes() -> None:
    shares = np.array([0.2, 0.3, 0.5])
    at = of(THREE).at_prevalence(dict(enumerate(shares)))
    tables = gammas(THREE.ravel() + 2 / 9).reshape(-1, 3, 3)
    tables = tables / tables.sum(axis=2, keepdims=True) * shares[:, None]
    values = measures(tables)
    mean = gammas(THREE.ravel() + 2 / 9).reshape(-1, 9)
    mean = (mean / mean.sum(axis=1, keepdims=True)).mean(axis=0).reshape(1, 3, 3)
    at_mean = measures(mean / mean.sum(axis=2, keepdims=True) * shares[:, None])
    bias = {name: each.mean() - at_mean[name][0] for name, each in values.items()}
    assert not wrong_limits(at, values, bias)
    expected = measures((THREE / THREE.sum(axis=1, keepdims=True) * shares[:, None])[None])
    assert {name: at[name].value for name in expected} == pytest.approx(
        {name: each[0] for name, each in expected.items()}
    )
    for name in ("prevalence_macro", "prevalence_weighted"):
        assert at[name].low is None
        assert at[name].note
    # Recall 0.8 in each of 30 classes: the accuracy is 0.8 whatever the shares, but its error grows where
    # the weight lies on fewer rows. A recall from 24 and 6 has the variance 0.8 * 0.2 / 31.
    shares = np.arange(1, 31) / 465
    found = of(ring(30)).at_prevalence(dict(enumerate(shares)))["accuracy"]
    assert found.value == pytest.approx(0.8)
    assert half(found) == pytest.approx(Z * math.sqrt((shares**2).sum() * 0.8 * 0.2 / 31), rel=0.05)
    # Only the first class has a share, so whatever is called that is right in every draw.
    alone = of(5 * np.eye(3, dtype=int)).at_prevalence({0: 1.0, 1: 0.0, 2: 0.0})
    for name in ("precision_macro", "precision_weighted"):
        assert (alone[name].value, alone[name].low) == (1, None), name
        assert alone[name].note


# --- a part of the rows against all of them --------------------------------------------------

CELLS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


def part_and_whole(part: Any, rest: Any, **options: Any) -> Callable[[str], Any]:
    """The difference of a slice with the cells tp, fn, fp, tn of `part`; other rows have those of `rest`."""
    actual, predicted = np.repeat(np.vstack([CELLS, CELLS]), [*part, *rest], axis=0).T
    slices = {"part": np.repeat(["here", "there"], [sum(part), sum(rest)])}
    ev = tm.evaluate(1 - actual, 1 - predicted, pos_label=1, labels=[0, 1], slices=slices, **options)
    here = next(each for each in ev.slices if each.slice == {"part": "here"})
    return here.difference


def test_a_part_less_the_whole() -> None:
    found = part_and_whole((30, 10, 5, 55), (70, 50, 35, 245), costs=[[0.0, 1.0], [5.0, 0.0]])
    values = {
        "accuracy": 85 / 100 - 400 / 500, "recall": 30 / 40 - 100 / 160, "precision": 30 / 35 - 100 / 140,
        "f1": 60 / 75 - 200 / 300, "fpr": 5 / 60 - 40 / 340, "prevalence": 40 / 100 - 160 / 500,
        "mean_cost": (50 + 5) / 100 - (300 + 40) / 500,
    }  # fmt: skip
    for name, value in values.items():
        each = found(name)
        assert (each.value, each.method) == (pytest.approx(value), "dirichlet"), name
        assert each.low < value < each.high, name
    largest = found("no_information_rate")
    assert (largest.value, largest.low) == (pytest.approx(0.6 - 0.68), None)
    assert largest.note
    undefined = part_and_whole((0, 0, 5, 55), (70, 50, 35, 245))("recall")
    assert undefined.value is None
    assert undefined.why
    # slice - whole = (1 - share) (slice - rest), so the variance is (1 - share)**2 (p q / n + r s / m).
    apart = part_and_whole((300, 100, 100, 500), (600, 200, 200, 1_000))("accuracy")
    deviation = (1 - 1 / 3) * math.sqrt(0.8 * 0.2 / 1_000 + 0.8 * 0.2 / 2_000)
    assert apart.value == 0
    for level in (0.8, 0.95, 0.99, 0.9999, 0.999999):
        again, reach = apart.interval(level), stats.norm.ppf((1 + level) / 2)
        assert (again.low, again.high) == pytest.approx((-reach * deviation, reach * deviation), rel=0.12), (
            level
        )
    # 20 of 20 where all have 0.8 happens once in 87 slices, so it is no wonder among a hundred.
    skewed = part_and_whole((20, 0, 2, 28), (1_580, 400, 198, 2_772))("recall").interval(1 - 0.05 / 100)
    assert skewed.low < 0 < skewed.high


def test_parts_of_weighted_rows_and_of_groups() -> None:
    chance = np.random.default_rng(0)
    n = 800
    actual = chance.integers(0, 2, n)
    predicted = np.where(chance.random(n) < 0.8, actual, 1 - actual)

    def difference(part: Any, **options: Any) -> Any:
        ev = tm.evaluate(actual, predicted, slices={"part": np.asarray(part).astype(int)}, **options)
        return next(each for each in ev.slices if each.slice == {"part": 1}).difference("accuracy")

    quarter, ten = np.arange(n) % 4 == 0, np.arange(n) < 80
    plain = difference(quarter)
    equal = difference(quarter, sample_weight=np.full(n, 0.7))
    assert (plain.low, plain.high) == pytest.approx((equal.low, equal.high))
    for rest in (1e-9, 1e-3):  # sums of weights differ in the last digits: what is left over may be dust
        weight = np.where(quarter, rest, 1e9 * chance.random(n))
        found = difference(~quarter, sample_weight=weight)
        assert found.value == pytest.approx(0, abs=1e-6)
        assert found.low is None or -1 <= found.low <= found.high <= 1
    # Groups of one row are rows; the fewer groups on either side decide how far to reach.
    alone = difference(quarter, groups=np.arange(n))
    assert (alone.method, alone.n) == ("group_bootstrap", 200)
    assert half(alone) == pytest.approx(half(plain), rel=0.1)
    few, many = (
        difference(ten, groups=np.where(ten, np.arange(n) // size, 1_000 + np.arange(n) // 20))
        for size in (20, 2)
    )
    assert half(few) > 1.5 * half(many)
    # Where groups lie within the part the prior does not grow.
    within = difference(np.arange(n) < 200, groups=np.arange(n) // 20)
    assert half(within) < 1.8 * half(difference(np.arange(n) < 200))
    for part in (np.arange(n) < 20, np.arange(n) >= 20):
        one_sided = difference(part, groups=np.where(np.arange(n) < 20, 0, 1))
        assert one_sided.value is not None
        assert one_sided.low is None
        assert one_sided.note


def test_nothing_depends_on_what_was_asked_before() -> None:
    fresh, asked = of(THREE), of(THREE)
    for label in (0, 1, 2, 0):
        float(asked.per_class[label]["mcc"].low)
    for name in ("mcc", "kappa", "f1_macro"):
        assert asked[name].interval(0.9).low > asked[name].low
        assert (asked[name].low, asked[name].high) == (fresh[name].low, fresh[name].high), name
    for label in (2, 1):
        one, two = (each.per_class[label]["mcc"] for each in (fresh, asked))
        assert (one.low, one.high) == (two.low, two.high)
    # Classes with the same counts have streams of their own.
    alike = of(ring(3)).per_class
    assert len({alike[label]["mcc"].low for label in range(3)}) == 3
