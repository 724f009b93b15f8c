"""Values by hand, identities between metrics, and what peer libraries say."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as peers

from tallymark.inference.sample import Sample
from tallymark.metrics import METRICS, ask
from tallymark.tallies import Binary, Confusion

some = settings(max_examples=80, deadline=None)

counts = st.one_of(st.integers(0, 2), st.integers(0, 100))
binaries = st.builds(Binary, counts, counts, counts, counts)


@st.composite
def matrices(draw: st.DrawFn) -> np.ndarray[Any, Any]:
    size = draw(st.integers(2, 4))
    cells = draw(st.lists(counts, min_size=size**2, max_size=size**2))
    return np.array(cells).reshape(size, size)


def of(name: str, tally: Any) -> float:
    asked = ask(name)
    return float(asked.metric(tally, *asked.parameters))


def same(one: float, other: float) -> bool:
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) and math.isnan(other)
    return one == pytest.approx(other, rel=1e-12, abs=1e-12)


# --- by hand --------------------------------------------------------------------------------------

# tp, fn, fp, tn of a hand-worked table.
TABLE = Binary(tp=6, fn=2, fp=4, tn=8)
BY_HAND = {
    "accuracy": 14 / 20,
    "error_rate": 6 / 20,
    "no_information_rate": 12 / 20,
    "balanced_accuracy": (6 / 8 + 8 / 12) / 2,
    "mcc": (6 * 8 - 4 * 2) / math.sqrt(10 * 8 * 12 * 10),
    "kappa": (0.7 - (8 * 10 + 12 * 10) / 400) / (1 - (8 * 10 + 12 * 10) / 400),
    "precision": 6 / 10,
    "recall": 6 / 8,
    "specificity": 8 / 12,
    "npv": 8 / 10,
    "fpr": 4 / 12,
    "fnr": 2 / 8,
    "fdr": 4 / 10,
    "false_omission_rate": 2 / 10,
    "f1": 2 * 0.6 * 0.75 / (0.6 + 0.75),
    "f_beta:2": 5 * 0.6 * 0.75 / (4 * 0.6 + 0.75),
    "f_beta:0.5": 1.25 * 0.6 * 0.75 / (0.25 * 0.6 + 0.75),
    "weighted_accuracy:1,2,3,4": (6 + 32) / (6 + 4 + 12 + 32),
    "jaccard": 6 / 12,
    "informedness": 6 / 8 - 4 / 12,
    "markedness": 6 / 10 - 2 / 10,
    "lr_plus": (6 / 8) / (4 / 12),
    "lr_minus": (2 / 8) / (8 / 12),
    "diagnostic_odds_ratio": (6 / 2) / (4 / 8),
    "g_mean": math.sqrt(6 / 8 * 8 / 12),
    "prevalence": 8 / 20,
    "predicted_positive_rate": 10 / 20,
}


@pytest.mark.parametrize("name", BY_HAND)
def test_by_hand(name: str) -> None:
    assert of(name, TABLE) == pytest.approx(BY_HAND[name], rel=1e-14)


def test_by_hand_leaves_out_only_costs() -> None:
    assert {ask(name).metric.name for name in BY_HAND} == {*METRICS} - {"total_cost", "mean_cost"}


def test_costs_by_hand() -> None:
    """Tan, Steinbach & Kumar, ch. 4: model M1 costs 3910 and model M2 costs 4255 on 500 rows."""
    costs = np.array([[-1.0, 100.0], [1.0, 0.0]])
    for matrix, cost in (([[150, 40], [60, 250]], 3910), ([[250, 45], [5, 200]], 4255)):
        sample = Sample(Confusion(matrix), costs=costs)
        assert sample.of_table(ask("total_cost")).value == cost
        assert sample.of_table(ask("mean_cost")).value == cost / 500


# --- identities -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "complement"),
    [
        ("accuracy", "error_rate"),
        ("recall", "fnr"),
        ("precision", "fdr"),
        ("specificity", "fpr"),
        ("npv", "false_omission_rate"),
    ],
)
@some
@given(tally=binaries)
def test_complements_add_up_to_one(name: str, complement: str, tally: Binary) -> None:
    assert same(of(name, tally), 1 - of(complement, tally))


# Tan, Steinbach & Kumar, ch. 4: the weights (w1, w2, w3, w4) of TP, FN, FP, TN that give each measure.
@pytest.mark.parametrize(
    ("general", "special"),
    [
        ("weighted_accuracy:1,1,1,1", "accuracy"),
        ("weighted_accuracy:1,0,1,0", "precision"),
        ("weighted_accuracy:1,1,0,0", "recall"),
        ("weighted_accuracy:2,1,1,0", "f1"),
        ("weighted_accuracy:1,1,1,0", "jaccard"),
        ("weighted_accuracy:5,4,1,0", "f_beta:2"),
        ("f_beta:1", "f1"),
    ],
)
@some
@given(tally=binaries)
def test_special_cases(general: str, special: str, tally: Binary) -> None:
    assert same(of(general, tally), of(special, tally))


@some
@given(binaries)
def test_identities(tally: Binary) -> None:
    jaccard = of("jaccard", tally)
    assert same(of("f1", tally), 2 * jaccard / (1 + jaccard))
    assert same(of("informedness", tally), 2 * of("balanced_accuracy", tally) - 1)
    assert same(of("informedness", tally), of("recall", tally) - of("fpr", tally))
    assert same(of("mcc", tally) ** 2, of("informedness", tally) * of("markedness", tally))
    assert same(of("g_mean", tally) ** 2, of("recall", tally) * of("specificity", tally))
    if tally.tp:
        precision, recall = of("precision", tally), of("recall", tally)
        assert same(of("f1", tally), 2 * precision * recall / (precision + recall))
    if min(tally.tp, tally.fn, tally.fp, tally.tn):
        odds = of("diagnostic_odds_ratio", tally)
        assert same(odds, of("lr_plus", tally) / of("lr_minus", tally))


@some
@given(matrices())
def test_micro_averages_are_accuracy(matrix: np.ndarray[Any, Any]) -> None:
    sample = Sample(Confusion(matrix))
    rows = int(matrix.sum())
    accuracy = None if rows == 0 else pytest.approx(int(np.trace(matrix)) / rows, rel=1e-12)
    assert sample.of_table(ask("accuracy")).value == accuracy
    for name in ("precision_micro", "recall_micro", "f1_micro", "recall_weighted"):
        assert sample.of_average(ask(name)).value == accuracy


@pytest.mark.parametrize("name", ["accuracy", "error_rate", "no_information_rate", "kappa", "mcc"])
@some
@given(tally=binaries)
def test_two_classes_are_a_case_of_k(name: str, tally: Binary) -> None:
    margins = Confusion([[tally.tp, tally.fn], [tally.fp, tally.tn]]).margins
    assert same(of(name, tally), of(name, margins))


def test_counts_beyond_floats_stay_exact() -> None:
    """Products of such counts leave 64 bits; Python's integers do not."""
    big = 10**12
    assert of("kappa", Binary(big, 0, 0, 3 * big)) == 1.0
    assert of("mcc", Binary(big, big, big, big)) == 0.0
    assert of("diagnostic_odds_ratio", Binary(2 * big, big, big, big)) == 2.0
    margins = Confusion([[big, 0], [0, 3 * big]]).margins
    assert of("kappa", margins) == 1.0
    assert of("mcc", margins) == pytest.approx(1.0, abs=1e-12)


def worked(matrix: list[list[int]]) -> tuple[float, float]:
    """MCC and kappa with 80 digits and in fractions."""
    actual, predicted = list(map(sum, matrix)), list(map(sum, zip(*matrix, strict=True)))
    n, hits = sum(actual), sum(row[place] for place, row in enumerate(matrix))
    chance = sum(map(int.__mul__, actual, predicted))
    spread = (n**2 - sum(k**2 for k in actual)) * (n**2 - sum(k**2 for k in predicted))
    with localcontext(prec=80):
        mcc = Decimal(n * hits - chance) / Decimal(spread).sqrt()
    return float(mcc), float(Fraction(n * hits - chance, n**2 - chance))


@pytest.mark.parametrize(
    "matrix",
    [
        [[10**15, 37], [23, 11]],
        [[11, 23], [37, 10**15]],
        [[10**12, 1], [1, 1]],
        [[2**53 - 3, 1], [1, 1]],
        [[2**31 - 3, 1], [1, 1]],
        [[2**31 - 4, 1], [1, 1]],
        [[10**15, 37, 5], [23, 11, 9], [3, 4, 100]],
        [[5 * 10**14, 1, 0], [2, 5 * 10**14, 1], [0, 3, 1]],
    ],
    ids=str,
)
def test_mcc_and_kappa_are_exact_for_huge_counts(matrix: list[list[int]]) -> None:
    tally = Confusion(matrix)
    mcc, kappa = worked(matrix)
    sample = Sample(tally)
    for name, expected in (("mcc", mcc), ("kappa", kappa)):
        assert of(name, tally.margins) == pytest.approx(expected, rel=1e-15, abs=0)
        assert sample.of_table(ask(name)).value == pytest.approx(expected, rel=1e-15, abs=0)
    for place, label in enumerate(tally.labels):
        pooled = tally.binary(label)
        mcc, kappa = worked([[pooled.tp, pooled.fn], [pooled.fp, pooled.tn]])
        assert sample.of_class(ask("mcc"), place).value == pytest.approx(mcc, rel=1e-15, abs=0)
        assert sample.of_class(ask("kappa"), place).value == pytest.approx(kappa, rel=1e-15, abs=0)


def test_huge_counts_by_hand() -> None:
    assert of("mcc", Confusion([[10**15, 37], [23, 11]]).margins) == pytest.approx(0.27229, abs=5e-6)
    # 10**12 and 1 right, 1 and 1 wrong: (10**12 - 1) / (10**12 + 1) / 2.
    margins = Confusion([[10**12, 1], [1, 1]]).margins
    assert of("mcc", margins) == of("kappa", margins) == 0.499999999999


# --- averages of what is about all classes --------------------------------------------------------


@pytest.mark.parametrize("name", ["mcc", "kappa", "accuracy", "error_rate", "balanced_accuracy"])
@some
@given(matrix=matrices())
def test_averages_over_every_class_against_the_rest(name: str, matrix: np.ndarray[Any, Any]) -> None:
    tally = Confusion(matrix)
    sample = Sample(tally)
    values = np.array([of(name, tally.binary(label)) for label in tally.labels])
    defined = ~np.isnan(values)
    for average, weights in (("macro", np.ones(len(values))), ("weighted", matrix.sum(axis=1))):
        used = weights[defined]
        expected = np.average(values[defined], weights=used) if used.any() else math.nan
        found = sample.of_average(ask(f"{name}_{average}")).value
        assert same(expected, math.nan if found is None else found)


def test_averages_of_mcc_and_kappa_by_hand() -> None:
    """Class a: 4, 1, 2, 3 (tp, fn, fp, tn); class b: 3, 2, 1, 4; class c never occurs, called never."""
    sample = Sample(Confusion([[4, 1, 0], [2, 3, 0], [0, 0, 0]]))
    mcc, kappa = (4 * 3 - 2 * 1) / math.sqrt(6 * 5 * 5 * 4), (70 - 50) / (100 - 50)
    for average in ("macro", "weighted"):
        assert sample.of_average(ask(f"mcc_{average}")).value == pytest.approx(mcc, rel=1e-14)
        assert sample.of_average(ask(f"mcc_{average}")).note == "2 of 3 classes; undefined for ['class 3']"
    # No row is c or called c, so its kappa is undefined too; its accuracy is 1.
    assert sample.of_average(ask("kappa_macro")).value == pytest.approx(kappa, rel=1e-14)
    assert sample.of_average(ask("accuracy_macro")).value == pytest.approx((0.7 + 0.7 + 1) / 3, rel=1e-14)
    # Pooled: 7 hits, 3 misses, 3 false alarms, 17 right rejections.
    pooled = (7 * 17 - 3 * 3) / math.sqrt(10 * 10 * 20 * 20)
    assert sample.of_average(ask("mcc_micro")).value == pytest.approx(pooled, rel=1e-14)
    assert sample.of_average(ask("accuracy_micro")).value == pytest.approx(24 / 30, rel=1e-14)


# --- peers ----------------------------------------------------------------------------------------


def rows_of(matrix: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    actual, predicted = np.indices(matrix.shape).reshape(2, -1)
    return np.repeat(actual, matrix.ravel()), np.repeat(predicted, matrix.ravel())


MATRIX = np.array([[13, 3, 1, 2], [4, 20, 0, 6], [1, 2, 9, 0], [5, 0, 2, 11]])


def test_tables_agree_with_scikit_learn() -> None:
    actual, predicted = rows_of(MATRIX)
    sample = Sample(Confusion(MATRIX))
    for name, peer in (
        ("accuracy", peers.accuracy_score),
        ("balanced_accuracy", peers.balanced_accuracy_score),
        ("kappa", peers.cohen_kappa_score),
        ("mcc", peers.matthews_corrcoef),
    ):
        assert sample.of_table(ask(name)).value == pytest.approx(peer(actual, predicted), rel=1e-12)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
def test_averages_agree_with_scikit_learn(average: str) -> None:
    actual, predicted = rows_of(MATRIX)
    sample = Sample(Confusion(MATRIX))
    for name, peer in (
        (f"precision_{average}", peers.precision_score),
        (f"recall_{average}", peers.recall_score),
        (f"f1_{average}", peers.f1_score),
        (f"jaccard_{average}", peers.jaccard_score),
        (f"f_beta_{average}:2", lambda y, p, average: peers.fbeta_score(y, p, beta=2, average=average)),
    ):
        expected = peer(actual, predicted, average=average)
        assert sample.of_average(ask(name)).value == pytest.approx(expected, rel=1e-12), name


def test_classes_agree_with_scikit_learn() -> None:
    actual, predicted = rows_of(MATRIX)
    each = Confusion(MATRIX).margins.each
    for name, peer in (
        ("precision", peers.precision_score),
        ("recall", peers.recall_score),
        ("f1", peers.f1_score),
        ("jaccard", peers.jaccard_score),
    ):
        np.testing.assert_allclose(METRICS[name](each), peer(actual, predicted, average=None), rtol=1e-12)


def test_averages_leave_out_undefined_classes_and_say_so() -> None:
    # Precision: 2 / 3, undefined (never predicted), 1 / 3; recall: 2 / 3, 0, 1 / 1.
    confusion = Confusion([[2, 0, 1], [1, 0, 1], [0, 0, 1]], labels=["a", "b", "c"])
    sample, counted = Sample(confusion), Sample(confusion, undefined_as=0.0)
    assert sample.of_average(ask("precision_macro")).value == pytest.approx((2 / 3 + 1 / 3) / 2)
    assert sample.of_average(ask("precision_macro")).note == "2 of 3 classes; undefined for ['b']"
    assert sample.of_average(ask("precision_weighted")).value == pytest.approx((3 * 2 / 3 + 1 / 3) / 4)
    assert sample.of_average(ask("recall_macro")).value == pytest.approx((2 / 3 + 0 + 1) / 3)
    assert counted.of_average(ask("precision_macro")).value == pytest.approx((2 / 3 + 0 + 1 / 3) / 3)
    assert counted.of_average(ask("precision_macro")).note == "undefined for ['b'], counted as 0"
    assert sample.undefined_classes(ask("precision")) == ["b"]


def test_f1_of_a_class_that_exists_but_is_never_hit_is_zero() -> None:
    assert of("f1", Binary(0, 3, 0, 5)) == 0
    assert of("f1", Binary(0, 0, 3, 5)) == 0
    assert math.isnan(of("f1", Binary(0, 0, 0, 5)))


@pytest.mark.parametrize(
    ("long", "plain"),
    [
        ("f_beta:1", "f1"),
        ("f_beta:0", "precision"),
        ("weighted_accuracy:1,1,1,1", "accuracy"),
        ("weighted_accuracy:3,0,3,0", "precision"),
        ("weighted_accuracy:0.5,0.5,0,0", "recall"),
        ("weighted_accuracy:2,1,1,0", "f1"),
        ("weighted_accuracy:1,1,1,0", "jaccard"),
        ("weighted_accuracy:0,0,1,1", "specificity"),
        ("weighted_accuracy:0,1,0,1", "npv"),
    ],
)
def test_one_number_has_one_interval_under_all_its_names(long: str, plain: str) -> None:
    for matrix in ([[8, 3], [2, 20]], [[5, 1, 0], [2, 7, 1], [0, 3, 9]]):
        sample = Sample(Confusion(matrix))
        one, other = sample.of_class(ask(long), 1), sample.of_class(ask(plain), 1)
        assert one.value == pytest.approx(other.value)
        if plain != "accuracy" or len(matrix) == 2:
            assert (one.low, one.high, one.method) == (other.low, other.high, other.method)
