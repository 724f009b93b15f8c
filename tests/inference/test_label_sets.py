"""Intervals of label sets: rows are the independent units, not the answers inside them."""

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import tallymark as tm
from formulas import Z, ends, width, wilson

# The sources' example.
ACTUAL = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 1], [1, 0, 1]])
PREDICTED = np.array([[0, 0, 1], [1, 0, 1], [1, 1, 0], [1, 1, 0]])
MEANS = (
    "accuracy_example", "precision_example", "recall_example", "f1_example", "subset_accuracy",
    "hamming_loss",
)  # fmt: skip


def of(actual: Any, predicted: Any, **options: Any) -> tm.Evaluation:
    size = np.shape(actual)[1]
    if size == 1:  # columns of marks are for two labels and more
        return tm.evaluate(
            *([{"l0"} if mark else set() for mark in side] for side in (actual, predicted)), **options
        )
    labels = [f"l{at}" for at in range(size)]
    return tm.evaluate(np.asarray(actual, int), np.asarray(predicted, int), labels=labels, **options)


@cache
def sets(
    rows: int = 60, labels: int = 4, seed: int = 0, wrong: float = 0.15
) -> tuple[NDArray[Any], NDArray[Any]]:
    chance = np.random.default_rng(seed)
    actual = chance.random((rows, labels)) < 0.4
    return actual, actual ^ (chance.random((rows, labels)) < wrong)


def clustered(groups: int = 30, rows: int = 20, labels: int = 4, seed: int = 0) -> tuple[NDArray[Any], ...]:
    """Groups differ in how often a label goes wrong."""
    chance = np.random.default_rng(seed)
    group = np.repeat(np.arange(groups), rows)
    actual = chance.random((len(group), labels)) < 0.4
    wrong = chance.beta(0.8, 3.2, groups)[group][:, None]
    return actual, np.where(chance.random(actual.shape) < wrong, ~actual, actual), group


# --- means over the rows ---------------------------------------------------------------------


def mean_ends(values: Any, weight: Any = None) -> tuple[float, float]:
    """Wilson's for as many rows as tell as much; four more have shown the largest variance there can be."""
    values = np.asarray(values, float)
    weight = np.ones(len(values)) if weight is None else weight
    n, mean = weight.sum() ** 2 / (weight @ weight), float(np.average(values, weights=weight))
    largest = mean * (1 - mean)
    if largest < 1e-12:
        return wilson(mean, n)
    variance = float(np.average((values - mean) ** 2, weights=weight))
    return wilson(mean, n * largest * (n + 4) / (n * variance + 4 * largest))


def test_means_over_rows_by_hand() -> None:
    ev = of(ACTUAL, PREDICTED)
    found = ev["subset_accuracy"]
    assert (found.value, found.method, found.n) == (0.25, "wilson", 4)
    assert ends(found) == pytest.approx(wilson(0.25, 4))
    # f1 of the rows: 2/3, 1, 4/5 and 1/2.
    values = [2 / 3, 1, 4 / 5, 1 / 2]
    found = ev["f1_example"]
    assert (found.value, found.method, found.n) == (pytest.approx(np.mean(values)), "wilson_mean", 4)
    assert ends(found) == pytest.approx(mean_ends(values))
    # Rows that score 0 or 1 are a proportion; rows that are all right, or all half right, leave room.
    actual, predicted = sets(50, 1, 4)
    share = of(actual, predicted)["f1_example"]
    assert ends(share) == pytest.approx(wilson(share.value, 50))
    right = of(ACTUAL[:, :2], ACTUAL[:, :2])
    for name in MEANS:
        assert ends(right[name]) == pytest.approx(wilson(right[name].value, 4)), name
    half = of(np.ones((5, 2)), [[1, 0]] * 5)["recall_example"]
    assert (half.value, half.low < 0.35, half.high > 0.65) == (0.5, True, True)
    # Weights by Kish's number.
    actual, predicted = sets(80, 3, 1)
    weight = np.where(np.arange(80) % 4 == 0, 10.0, 0.5)
    score = 1 - (actual ^ predicted).mean(axis=1)
    found = of(actual, predicted, sample_weight=weight)["hamming_loss"]
    assert found.n == pytest.approx(weight.sum() ** 2 / (weight @ weight))
    assert ends(found) == pytest.approx(mean_ends(1 - score, weight))


def test_shares_of_all_answers_are_means_over_the_rows() -> None:
    actual, predicted = sets()
    ev = of(actual, predicted)
    for name in ("accuracy", "error_rate", "prevalence", "predicted_positive_rate"):
        macro, micro = ev[f"{name}_macro"], ev[f"{name}_micro"]
        assert (macro.value, *ends(macro)) == (micro.value, *ends(micro)), name
        assert macro.method == "wilson_mean"
    wrong = (actual ^ predicted).mean(axis=1)
    for name in ("error_rate_micro", "hamming_loss"):
        assert ends(ev[name]) == pytest.approx(mean_ends(wrong)), name
    assert ends(ev["prevalence_micro"]) == pytest.approx(mean_ends(actual.mean(axis=1)))
    for name in ("recall", "fnr"):  # weighted by its own rows it is the pooled one
        weighted, micro = ev[f"{name}_weighted"], ev[f"{name}_micro"]
        assert (weighted.value, *ends(weighted)) == (micro.value, *ends(micro)), name


def test_empty_sets_and_no_rows(snapshot: Any) -> None:
    ev = tm.evaluate([set(), {"a"}], [set(), {"b"}])
    assert ev["f1_example"].value == 0.5
    assert tm.evaluate([set(), {"a"}], [set(), {"b"}], empty_sets=0.0)["f1_example"].value == 0.0
    one_empty = tm.evaluate([set(), {"a"}, {"a"}], [{"a"}, set(), {"a"}])
    no_labels = tm.evaluate([set()], [set()])
    assert no_labels["f1_example"].value == 1.0
    assert no_labels["f1_micro"].value is no_labels["f1_macro"].value is None
    single = of(ACTUAL, PREDICTED)
    instead = (
        "accuracy", "recall", "mcc", "f_beta:2", "total_cost", "error_rate", "jaccard", "precision", "f1",
    )  # fmt: skip
    labelled = {"two empty": ev, "one empty": one_empty, "no labels": no_labels}
    texts = {
        f"{case}, {name}": str(made[name].note or made[name].why)
        for case, made in labelled.items()
        for name in (*MEANS, "f1_micro", "f1_macro")
        if made[name].note or made[name].why
    } | {f"{name} of label sets": str(single[name].why) for name in instead}
    texts |= {
        "a label left out": str(single["specificity_macro"].note),
        "counted as 0": str(of(ACTUAL, PREDICTED, undefined=0.0)["specificity_macro"].note),
        "largest share": str(single["no_information_rate_macro"].note),
    }
    snapshot("notes_label_sets", texts)


# --- one label -------------------------------------------------------------------------------


def test_a_label_gets_what_a_class_gets() -> None:
    actual, predicted = sets(seed=2)
    ev = of(actual, predicted)
    for at, label in enumerate(("l0", "l1")):
        tp, fn = (actual & predicted)[:, at].sum(), (actual & ~predicted)[:, at].sum()
        fp, tn = (~actual & predicted)[:, at].sum(), (~actual & ~predicted)[:, at].sum()
        alone = tm.Confusion([[tp, fn], [fp, tn]], labels=["+", "-"]).evaluate(pos_label="+")
        for name, found in ev.per_class[label].items():
            if name not in ("auc", "average_precision"):
                expected = (alone[name].value, *ends(alone[name]))
                assert (found.value, *ends(found)) == pytest.approx(expected), name
    # In groups, too, but for the draws.
    actual, predicted, group = clustered()
    grouped = of(actual, predicted, groups=group).per_class["l2"]
    alone = tm.evaluate(actual[:, 2] * 1, predicted[:, 2] * 1, groups=group)
    for name in ("recall", "precision", "f1"):
        assert grouped[name].value == pytest.approx(alone[name].value)
        assert ends(grouped[name]) == pytest.approx(ends(alone[name]), abs=0.1 * width(alone[name])), name


# --- averages over the labels ----------------------------------------------------------------


def each_label(ev: tm.Evaluation, name: str) -> tuple[NDArray[Any], ...]:
    found = [each[name] for each in ev.per_class.values()]
    return tuple(np.array([getattr(one, part) for one in found]) for part in ("value", "low", "high"))


def test_macro_averages_add_distances_with_the_correlations_of_the_rows() -> None:
    chance = np.random.default_rng(3)
    actual = chance.random((400, 3)) < 0.4
    slip = chance.random((400, 1)) < 0.2  # rows on which all labels go wrong more often
    predicted = np.where(chance.random((400, 3)) < np.where(slip, 0.6, 0.1), ~actual, actual)
    weight = chance.choice([0.5, 2.0], 400)
    for given in (None, weight):
        ev, w = of(actual, predicted, sample_weight=given), np.ones(400) if given is None else given
        for name, among in (("recall", actual), ("precision", predicted)):
            values, lows, highs = each_label(ev, name)
            # The part of every row in a recall: a hit less its share, when the row has the label.
            parts = np.where(among, (actual & predicted) - values, 0.0) * w[:, None]
            together = parts.T @ parts / np.sqrt(np.outer(*2 * [(parts**2).sum(axis=0)]))
            assert 0.02 < together[0, 1] < 0.6
            found = ev[f"{name}_macro"]
            below, above = (values - lows) / 3, (highs - values) / 3
            expected = (
                values.mean() - math.sqrt(below @ together @ below),
                values.mean() + math.sqrt(above @ together @ above),
            )
            assert ends(found) == pytest.approx(expected, abs=1e-5), (name, given is None)
            assert (found.method, found.note) == ("mover", None)
    # Weighted by the rows that have the label.
    ev = of(actual, predicted)
    values, lows, highs = each_label(ev, "f1")
    support = actual.sum(axis=0) / actual.sum()
    assert ev["f1_weighted"].value == pytest.approx(values @ support)
    assert values @ support - ev["f1_weighted"].low < (values - lows) @ support


def test_labels_with_few_hits_or_errors_are_taken_to_go_together() -> None:
    few = of(ACTUAL, PREDICTED)
    for name in ("recall", "precision"):
        _, lows, highs = each_label(few, name)
        assert ends(few[f"{name}_macro"]) == pytest.approx((lows.mean(), highs.mean())), name
    # As above 100 labels, of which no pairs are counted.
    marks = np.random.default_rng(0).random((30, 101)) < 0.3
    many = of(marks, marks ^ (np.random.default_rng(1).random((30, 101)) < 0.2))
    _, lows, highs = each_label(many, "f1")
    found = many["f1_macro"]
    assert (found.method, found.n) == ("mean_of_intervals", 30)
    assert ends(found) == pytest.approx((lows.mean(), highs.mean()))
    assert found.note
    # One label with 4 errors goes with all others, with 6 it is told apart.
    actual = np.tile([[1, 1], [0, 0]], (60, 1)).astype(bool)
    widths = []
    for errors in (4, 6):
        predicted = actual.copy()
        predicted[: 2 * errors : 2, 0] = False
        predicted[30:90:2, 1] = False
        ev = of(actual, predicted)
        _, lows, _ = each_label(ev, "recall")
        widths.append((ev["recall_macro"].low - lows.mean()) / ev["recall_macro"].low)
    assert widths[0] == pytest.approx(0, abs=1e-9)
    assert widths[1] > 1e-4


def test_labels_that_are_undefined_or_that_no_row_has() -> None:
    ev = of(ACTUAL, PREDICTED)
    assert ev["specificity_macro"].value == pytest.approx((1 + 1 / 2) / 2)
    counted = of(ACTUAL, PREDICTED, undefined=0.0)["specificity_macro"]
    assert counted.value == pytest.approx((1 + 1 / 2 + 0) / 3)
    # An average of 8 rows has an interval or says which label has none.
    small = of(*sets(8))
    for name in (
        "recall",
        "f1",
        "lr_plus",
        "lr_minus",
        "mcc",
        "npv",
        "g_mean",
        "kappa",
        "diagnostic_odds_ratio",
    ):
        for average in ("macro", "weighted", "micro"):
            found = small[f"{name}_{average}"]
            assert found.value is None or found.low is not None or found.note, name


def test_micro_averages_draw_rows_and_not_answers() -> None:
    # One label is drawn as its 2 x 2; 20 labels that always come together tell no more than that label.
    actual, predicted = sets(80, 1, 5)
    one = of(actual, predicted)
    cells = np.array(
        [(actual & predicted).sum(), (actual & ~predicted).sum(), (~actual & predicted).sum(), 0]
    )
    cells[3] = 80 - cells.sum()
    tp, fn, fp, tn = np.random.default_rng(2).standard_gamma(cells + 0.5, (40_000, 4)).T
    drawn = {
        "precision_micro": tp / (tp + fp),
        "recall_micro": tp / (tp + fn),
        "f1_micro": 2 * tp / (2 * tp + fn + fp),
        "mcc_micro": (tp * tn - fp * fn) / np.sqrt((tp + fn) * (tp + fp) * (fp + tn) * (fn + tn)),
    }
    copies = of(np.tile(actual, 20), np.tile(predicted, 20))
    for name, values in drawn.items():
        expected = tuple(np.quantile(values, [0.025, 0.975]))
        for found in (one[name], copies[name]):
            assert found.value == pytest.approx(one[name].value)
            assert ends(found) == pytest.approx(expected, abs=0.2 * values.std()), name
        assert one[name].method == "dirichlet"


# --- weights, levels, groups -----------------------------------------------------------------


def test_unequal_weights_widen() -> None:
    actual, predicted = sets(80, 3, 1)
    plain = of(actual, predicted)
    uneven = of(actual, predicted, sample_weight=np.where(np.arange(80) % 4 == 0, 10.0, 0.5))
    for name in ("subset_accuracy", "f1_example", "hamming_loss", "recall_macro", "f1_micro", "mcc_macro"):
        assert width(uneven[name]) > 1.2 * width(plain[name]), name
    # Few rows with the label, counted by Kish: hits weigh 1 and 2, errors 3 and 4.
    light = of([[1, 1]] * 30, [[1, 1]] * 14 + [[0, 1]] * 16, sample_weight=[100] + [0.01] * 28 + [100])
    _, lows, highs = each_label(light, "recall")
    assert ends(light["recall_macro"]) == pytest.approx((lows.mean(), highs.mean()))


def test_groups_are_drawn_whole() -> None:
    actual, predicted, group = clustered()
    rows, groups = of(actual, predicted), of(actual, predicted, groups=group)
    score = 1 - (actual ^ predicted).mean(axis=1)
    means = np.array([score[group == one].mean() for one in range(30)])
    half = stats.t(29).ppf(0.975) * means.std(ddof=1) / math.sqrt(30)
    assert width(groups["hamming_loss"]) / 2 == pytest.approx(half, rel=0.15)
    for name in ("f1_example", "hamming_loss", "subset_accuracy", "f1_micro", "recall_macro"):
        assert width(groups[name]) > 1.5 * width(rows[name]), name
        assert (groups[name].value, groups[name].n) == (pytest.approx(rows[name].value), 600), name
        assert groups[name].method == "group_bootstrap"
    other = of(actual, predicted, groups=group, random_state=1)["f1_micro"]
    assert 0 < abs(groups["f1_micro"].low - other.low) < 0.02
    some = actual & (np.arange(600) % 2 > 0)[:, None]  # half of the rows are two empty sets
    empty = of(some, some, groups=group, empty_sets=0)["f1_example"]
    assert empty.low < empty.value < empty.high < 0.6
    alone = of(actual, predicted, groups=np.arange(600))
    for name in ("f1_example", "f1_micro", "precision_macro"):
        assert width(alone[name]) == pytest.approx(width(rows[name]), rel=0.1), name
    # Macro averages add up distances with the correlations over groups.
    values, lows, _ = each_label(groups, "recall")
    parts = np.where(actual, (actual & predicted) - values, 0.0)
    summed = np.array([parts[group == one].sum(axis=0) for one in range(30)])
    together = summed.T @ summed / np.sqrt(np.outer(*2 * [(summed**2).sum(axis=0)]))
    below = (values - lows) / 4
    assert groups["recall_macro"].low == pytest.approx(
        values.mean() - math.sqrt(below @ together @ below), abs=1e-4
    )


def test_a_part_of_the_rows_less_all_of_them() -> None:
    actual, predicted = sets(400, 4, 7)
    part = np.arange(400) % 4 == 0

    def difference(part: Any, name: str, **options: Any) -> Any:
        ev = of(actual, predicted, slices={"part": np.asarray(part, int)}, **options)
        return next(each for each in ev.slices if each.slice == {"part": 1}).difference(name)

    loss = (actual ^ predicted).mean(axis=1)
    found = difference(part, "hamming_loss")
    assert found.value == pytest.approx(loss[part].mean() - loss.mean())
    deviation = 0.75 * math.sqrt(loss[part].var() / 100 + loss[~part].var() / 300)
    assert width(found) / 2 == pytest.approx(Z * deviation, rel=0.1)
    grouped = difference(part, "hamming_loss", groups=np.arange(400))
    assert width(grouped) == pytest.approx(width(found), rel=0.15)
    weighted = difference(part, "hamming_loss", sample_weight=np.full(400, 0.3))
    assert ends(weighted) == pytest.approx(ends(found))
    one_sided = difference(np.arange(400) < 20, "hamming_loss", groups=np.arange(400) // 20)
    assert one_sided.low is None
    assert one_sided.note


def test_scales_of_weights_and_groups_without_weight() -> None:
    actual, predicted = sets(100, 6, 5, 0.03)
    weight, names = (
        np.random.default_rng(0).integers(1, 5, 100),
        ("f1_example", "recall_macro", "f1_weighted"),
    )
    plain = of(actual, predicted, sample_weight=weight)
    for scale in (1e-3, 1e3, 4e9):
        scaled = of(actual, predicted, sample_weight=weight * scale)
        for name in (*names, "mcc_micro"):
            assert scaled[name].value == pytest.approx(plain[name].value), name
            assert (scaled[name].low, scaled[name].n) == pytest.approx(
                (plain[name].low, plain[name].n), abs=1e-6
            )
    often = of(actual, predicted, sample_weight=np.full(100, 2 * 10**8), weight_kind="frequency")
    assert (often.rows, type(often.to_dict()["per_class"][0]["tp"])) == (2 * 10**10, int)
    # Groups and slices of which no row has weight are not there.
    ones = (np.arange(100) < 60).astype(float)
    group = np.where(ones > 0, np.arange(100) % 5, np.arange(100))
    few = of(
        actual, predicted, groups=group, sample_weight=ones, slices={"here": np.where(ones > 0, "y", "n")}
    )
    assert "5" in few["subset_accuracy"].assumption
    assert [part.slice for part in few.slices] == [{"here": "y"}]
    assert "TM009" in {finding.code for finding in few.findings}
