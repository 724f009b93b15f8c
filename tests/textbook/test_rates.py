"""Formulas the documents state for every matrix."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textbook_cases import CASES

import tallymark as tm

counts = st.integers(0, 10_000)
tables = st.integers(2, 4).flatmap(
    lambda size: st.lists(st.lists(counts, min_size=size, max_size=size), min_size=size, max_size=size)
)
two_by_two = st.tuples(counts, counts, counts, counts).filter(any)
with_hits = st.tuples(st.integers(1, 10_000), counts, counts, counts)
costs = st.integers(-1000, 1000)
weights = st.tuples(*[st.integers(0, 20)] * 4)


def of_counts(tp, fn, fp, tn, **options):
    return tm.Confusion([[tp, fn], [fp, tn]], labels=["yes", "no"]).evaluate(pos_label="yes", **options)


def share(top, bottom):
    """top / bottom as the nearest float; None for 0 / 0."""
    return float(Fraction(top) / Fraction(bottom)) if bottom else None


def close(expected):
    return None if expected is None else pytest.approx(expected, rel=1e-12)


@given(matrix=tables.filter(lambda table: any(map(any, table))), p=costs, q=costs)
def test_cost_is_linear_in_accuracy(matrix, p, q):
    assert "N" in CASES["cost-is-linear-in-accuracy"]["statement"]
    size = len(matrix)
    same = [[p if row == column else q for column in range(size)] for row in range(size)]
    ev = tm.Confusion(matrix).evaluate(costs=same)
    rows, accuracy = sum(map(sum, matrix)), ev["accuracy"].value
    by_formula = rows * (q - (q - p) * accuracy)
    assert ev["total_cost"].value == pytest.approx(by_formula, rel=1e-12, abs=1e-9 * rows)
    right = sum(matrix[position][position] for position in range(size))
    assert ev["total_cost"].value == p * right + q * (rows - right)


@given(cells=two_by_two, w=weights)
def test_weighted_accuracy(cells, w):  # weighted-accuracy
    tp, fn, fp, tn = cells
    w1, w2, w3, w4 = w
    expected = share(w1 * tp + w4 * tn, w1 * tp + w2 * fn + w3 * fp + w4 * tn)
    ev = of_counts(tp, fn, fp, tn)
    estimate = ev[f"weighted_accuracy:{w1},{w2},{w3},{w4}"]
    assert estimate.value == close(expected)
    assert (estimate.why is None) is (expected is not None)
    named = {"accuracy": "1,1,1,1", "precision": "1,0,1,0", "recall": "1,1,0,0", "f1": "2,1,1,0"}
    for name, by_weights in named.items():
        assert ev[f"weighted_accuracy:{by_weights}"].value == close(ev[name].value), name


def test_swapped_letters_of_the_other_document():
    # 003_e8297cd05b71ba4c prints w2 TN and w4 FN below the line, which can even exceed 1.
    tp, fn, fp, tn, w1, w2, w3, w4 = 10, 1, 2, 50, 1, 0, 1, 3
    misprint = (w1 * tp + w4 * tn) / (w1 * tp + w2 * tn + w3 * fp + w4 * fn)
    assert misprint > 1
    value = of_counts(tp, fn, fp, tn)["weighted_accuracy:1,0,1,3"].value
    assert value == pytest.approx(160 / 162, rel=1e-15)


@given(cells=two_by_two)
def test_rates(cells):  # rates-2x2
    tp, fn, fp, tn = cells
    ev = of_counts(tp, fn, fp, tn)
    expected = {
        "recall sensitivity tpr": (tp, tp + fn), "fnr": (fn, tp + fn), "specificity tnr": (tn, fp + tn),
        "fpr": (fp, fp + tn), "precision ppv": (tp, tp + fp), "npv": (tn, fn + tn),
    }  # fmt: skip
    for names, quotient in expected.items():
        for name in names.split():
            assert ev[name].value == share(*quotient), name


@given(cells=with_hits)
def test_f_beta_of_precision_and_recall(cells):
    # 002_145021a7e3c3304a says "twice the harmonic mean" under a formula that is the harmonic mean.
    tp, fn, fp, _ = cells
    ev = of_counts(*cells)
    precision, recall = Fraction(tp, tp + fp), Fraction(tp, tp + fn)
    for beta in (Fraction(1, 2), 1, 2, 3):
        expected = (beta**2 + 1) * precision * recall / (beta**2 * precision + recall)
        assert ev[f"f_beta:{float(beta)}"].value == close(float(expected)), beta
    assert ev["f1"].value == close(float(2 / (1 / precision + 1 / recall)))
