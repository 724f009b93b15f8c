"""Formulas the documents state for every matrix."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm

counts = st.integers(0, 10_000)
tables = st.integers(2, 4).flatmap(
    lambda size: st.lists(st.lists(counts, min_size=size, max_size=size), min_size=size, max_size=size)
)
two_by_two = st.tuples(counts, counts, counts, counts)
costs = st.integers(-1000, 1000)
weights = st.tuples(*[st.integers(0, 20)] * 4)


def of_counts(tp, fn, fp, tn, **options):
    return tm.Confusion([[tp, fn], [fp, tn]], labels=["yes", "no"]).evaluate(pos_label="yes", **options)


def share(top, bottom):
    """top / bottom as the nearest float; None for 0 / 0."""
    return float(Fraction(top) / Fraction(bottom)) if bottom else None


@given(matrix=tables.filter(lambda table: any(map(any, table))), p=costs, q=costs)
def test_cost_is_linear_in_accuracy(cost_is_linear_in_accuracy_case, matrix, p, q):
    size = len(matrix)
    same = [[p if row == column else q for column in range(size)] for row in range(size)]
    ev = tm.Confusion(matrix).evaluate(costs=same)
    rows, accuracy = sum(map(sum, matrix)), ev["accuracy"].value
    assert ev["total_cost"].value == pytest.approx(
        rows * (q - (q - p) * accuracy), rel=1e-12, abs=1e-9 * rows
    )
    right = sum(matrix[position][position] for position in range(size))
    assert ev["total_cost"].value == p * right + q * (rows - right)


def test_cost_from_accuracy_is_shown_with_the_numbers(cost_is_linear_in_accuracy_case):
    # M1 of the same document, with p = 2 and q = 5: 2 * 400 + 5 * 100 = 1300 = 500 [5 - (5 - 2) 0.8].
    ev = of_counts(150, 40, 60, 250, costs=[[2, 5], [5, 2]])
    assert ev.to_dict()["costs"]["linear"] == {"p": 2, "q": 5}
    assert "N [q - (q - p) accuracy] = 500 [5 - (5 - 2) 0.8] = 1,300." in " ".join(str(ev).split())


def test_other_costs_do_not_follow_from_accuracy(cost_case):
    ev = tm.Confusion(cost_case["matrix"], labels=cost_case["labels"]).evaluate(costs=cost_case["costs"])
    assert ev.to_dict()["costs"]["linear"] is None
    assert "(q - p) accuracy" not in str(ev)


@given(cells=two_by_two.filter(any), w=weights)
def test_weighted_accuracy(weighted_accuracy_case, cells, w):
    tp, fn, fp, tn = cells
    w1, w2, w3, w4 = w
    expected = share(w1 * tp + w4 * tn, w1 * tp + w2 * fn + w3 * fp + w4 * tn)
    estimate = of_counts(tp, fn, fp, tn)[f"weighted_accuracy:{w1},{w2},{w3},{w4}"]
    assert estimate.value == (None if expected is None else pytest.approx(expected, rel=1e-12))
    assert (estimate.why is None) is (expected is not None)


@given(cells=two_by_two.filter(any))
@pytest.mark.parametrize(
    ("w", "name"),
    [("1,1,1,1", "accuracy"), ("1,0,1,0", "precision"), ("1,1,0,0", "recall"), ("2,1,1,0", "f1")],
)
def test_weights_that_have_a_name(weighted_accuracy_case, cells, w, name):
    ev = of_counts(*cells)
    expected = ev[name].value
    weighted = ev[f"weighted_accuracy:{w}"].value
    assert weighted == (None if expected is None else pytest.approx(expected, rel=1e-12))


def test_swapped_letters_of_the_other_document(weighted_accuracy_case):
    # 003_e8297cd05b71ba4c prints w2 TN and w4 FN below the line, which can even exceed 1.
    tp, fn, fp, tn, w1, w2, w3, w4 = 10, 1, 2, 50, 1, 0, 1, 3
    misprint = (w1 * tp + w4 * tn) / (w1 * tp + w2 * tn + w3 * fp + w4 * fn)
    assert misprint > 1
    value = of_counts(tp, fn, fp, tn)["weighted_accuracy:1,0,1,3"].value
    assert value == pytest.approx(160 / 162, rel=1e-15)


# Names of one rate: the cell above the line, and the two whose sum is below it.
RATES = {
    "recall = sensitivity = tpr": ("tp", ("tp", "fn")),
    "fnr": ("fn", ("tp", "fn")),
    "specificity = tnr": ("tn", ("fp", "tn")),
    "fpr": ("fp", ("fp", "tn")),
    "precision = ppv": ("tp", ("tp", "fp")),
    "npv": ("tn", ("fn", "tn")),
}


@given(cells=two_by_two.filter(any))
@pytest.mark.parametrize("names", RATES)
def test_rates(rates_2x2_case, cells, names):
    count = dict(zip(("tp", "fn", "fp", "tn"), cells, strict=True))
    top, bottom = RATES[names]
    ev = of_counts(**count)
    for name in names.split(" = "):
        assert ev[name].value == share(count[top], sum(count[cell] for cell in bottom))


@given(cells=st.tuples(st.integers(1, 10_000), counts, counts, counts))
@pytest.mark.parametrize("beta", [Fraction(1, 2), 1, 2, 3])
def test_f_beta_of_precision_and_recall(rates_2x2_case, cells, beta):
    tp, fn, fp, _ = cells
    precision, recall = Fraction(tp, tp + fp), Fraction(tp, tp + fn)
    expected = (beta**2 + 1) * precision * recall / (beta**2 * precision + recall)
    assert of_counts(*cells)[f"f_beta:{float(beta)}"].value == pytest.approx(float(expected), rel=1e-12)


@given(cells=st.tuples(st.integers(1, 10_000), counts, counts, counts))
def test_f1_is_the_harmonic_mean_and_not_twice_it(rates_2x2_case, cells):
    # 002_145021a7e3c3304a says "twice the harmonic mean" under a formula that is the harmonic mean.
    tp, fn, fp, _ = cells
    harmonic = 2 / (Fraction(tp + fp, tp) + Fraction(tp + fn, tp))
    assert of_counts(*cells)["f1"].value == pytest.approx(float(harmonic), rel=1e-12)
    assert of_counts(*cells)["f_beta:1"].value == pytest.approx(float(harmonic), rel=1e-12)


def test_rates_of_a_printed_matrix(rates_2x2_case, all_cases, measure):
    # Model 1 of the same document: 282, 75, 462 and 4,841 rows.
    metrics = measure(all_cases["cost-5660-model-1"])["metrics"]
    expected = {
        "recall": 282 / 357,
        "fnr": 75 / 357,
        "specificity": 4841 / 5303,
        "fpr": 462 / 5303,
        "precision": 282 / 744,
        "npv": 4841 / 4916,
        "f1": 564 / 1101,
    }
    assert {name: metrics[name]["value"] for name in expected} == pytest.approx(expected, rel=1e-15)
