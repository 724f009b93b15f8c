"""Counts of the same rows: what holds whatever the pairs were."""

from __future__ import annotations

import itertools
import pickle
from typing import Any

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import mcnemar

import tallymark as tm
from tallymark.intervals.paired_differences import tango


def confusion(positives: int, tp: int, negatives: int, tn: int) -> tm.Confusion:
    return tm.Confusion([[tn, negatives - tn], [positives - tp, tp]], labels=["no", "yes"])


def pairings(rows: int, one: int, two: int) -> list[tuple[int, int]]:
    """All (only a, only b) that models with so many right answers of these rows can have."""
    return [(one - both, two - both) for both in range(max(0, one + two - rows), min(one, two) + 1)]


def peer_p(n01: int, n10: int) -> float:
    few = n01 + n10 < 25
    return float(mcnemar([[0, n01], [n10, 0]], exact=few, correction=True).pvalue) if n01 + n10 else 1.0


SMALL = [
    ((7, 6, 5, 2), (7, 3, 5, 4)),
    ((9, 9, 4, 4), (9, 2, 4, 3)),
    ((6, 3, 6, 3), (6, 3, 6, 3)),
    ((30, 25, 40, 35), (30, 14, 40, 28)),
    ((25, 20, 15, 15), (25, 12, 15, 4)),
]


@pytest.mark.parametrize(("a", "b"), SMALL)
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_no_pairing_is_less_sure(a: Any, b: Any, alternative: str) -> None:
    models = {"a": confusion(*a), "b": confusion(*b)}
    found = tm.compare(models, design="same rows", pos_label="yes", alternative=alternative)["accuracy"]
    n = a[0] + a[2]
    every = [
        (pos[0] + neg[0], pos[1] + neg[1])
        for pos, neg in itertools.product(pairings(a[0], a[1], b[1]), pairings(a[2], a[3], b[3]))
    ]
    ends = [tango(*each, n, 0.95) for each in every]
    assert found.low == pytest.approx(min(low for low, _ in ends))
    assert found.high == pytest.approx(max(high for _, high in ends))
    method = ["exact" if sum(each) < 25 else "corrected" for each in every]
    p_values = [
        tm.tests.mcnemar(*each, how, alternative=alternative).p_value
        for each, how in zip(every, method, strict=True)
    ]
    assert found.p_value == pytest.approx(max(p_values))
    if alternative == "two-sided":
        assert p_values == pytest.approx([peer_p(*each) for each in every])
    assert found.paired
    assert found.test is not None
    assert found.test.endswith("least sure pairing")


@pytest.mark.parametrize("metric", ["recall", "fnr", "specificity", "fpr", "error_rate"])
def test_other_shares_of_the_same_rows(metric: str) -> None:
    a, b = (40, 35, 60, 50), (40, 28, 60, 55)
    models = {"a": confusion(*a), "b": confusion(*b)}
    found = tm.compare(models, design="same rows", pos_label="yes", metric=metric)[metric]
    one, two = (model.evaluate(pos_label="yes")[metric] for model in models.values())
    assert found.value == pytest.approx(float(one) - float(two))
    rows = {"recall": (40, 35, 28), "fnr": (40, 5, 12), "specificity": (60, 50, 55), "fpr": (60, 10, 5)}
    if metric in rows:
        n, right_a, right_b = rows[metric]
        ends = [tango(*each, n, 0.95) for each in pairings(n, right_a, right_b)]
        assert found.low == pytest.approx(min(low for low, _ in ends))
        assert found.high == pytest.approx(max(high for _, high in ends))


def test_the_true_pairing_is_at_least_as_sure() -> None:
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 90)
    a, b = (np.where(rng.random(90) < right, y, rng.integers(0, 3, 90)) for right in (0.8, 0.5))
    known = tm.compare({"a": a, "b": b}, y)["accuracy"]
    lost = {name: pickle.loads(pickle.dumps(tm.evaluate(y, p))) for name, p in (("a", a), ("b", b))}
    found = tm.compare(lost, design="same rows")["accuracy"]
    assert found.value == pytest.approx(known.value)
    assert found.low <= known.low < known.high <= found.high
    assert found.p_value >= known.p_value


def test_what_needs_the_pairs_has_a_value_and_no_test() -> None:
    models = {"a": confusion(40, 35, 60, 50), "b": confusion(40, 28, 60, 55)}
    found = tm.compare(
        models, design="same rows", pos_label="yes", costs={"no": {"yes": 1}, "yes": {"no": 3}}
    )
    for metric in ("f1", "mcc", "precision", "mean_cost"):
        assert found[metric].value is not None
        assert found[metric].low is None
        assert found[metric].p_value is None
        assert found[metric].test is None
        assert "is lost" in (found[metric].outcome.why or "")
    asked = tm.compare(models, design="same rows", pos_label="yes", metric="f1")
    # 2 * 35 / (2 * 35 + 5 + 10) and 2 * 28 / (2 * 28 + 12 + 5).
    assert asked.verdict == (
        "cannot tell: 'a' has f1 0.824 and 'b' 0.767, a difference of 0.056 (no interval: which rows both "
        "models answered rightly is lost), and no p-value."
    )


def test_a_label_that_only_one_model_says() -> None:
    one = tm.Confusion([[20, 5], [6, 30]], labels=["no", "yes"])
    two = tm.Confusion([[2, 18, 5], [1, 5, 30], [0, 0, 0]], labels=["?", "no", "yes"]).matrix
    other = tm.Confusion([[18, 2, 5], [0, 0, 0], [5, 1, 30]], labels=["no", "?", "yes"])
    assert two.sum() == other.n
    found = tm.compare({"one": one, "two": other}, design="same rows", pos_label="yes")
    assert found["accuracy"].value == pytest.approx(50 / 61 - 48 / 61)


def test_labels_in_another_order_are_the_same_rows() -> None:
    one = tm.Confusion([[150, 40], [60, 250]], labels=["+", "-"])
    two = tm.Confusion([[240, 70], [30, 160]], labels=["-", "+"])
    turned = tm.Confusion([[160, 30], [70, 240]], labels=["+", "-"])
    first, second = (
        tm.compare({"one": one, "two": other}, design="same rows", pos_label="+") for other in (two, turned)
    )
    for each in first.differences:
        assert (each.value, each.low, each.high) == (
            second[each.metric].value,
            second[each.metric].low,
            second[each.metric].high,
        )


@pytest.mark.parametrize(
    ("b", "said"),
    [
        (confusion(41, 35, 59, 50).evaluate(pos_label="yes"), "'a' has 60 rows of 'no' and 'b' has 59"),
        (confusion(40, 35, 60, 50).evaluate(pos_label="no"), "different positive classes"),
        (tm.evaluate([0, 1], y_score=[-3.0, 4.0]), "has no answers"),
    ],
)
def test_what_cannot_be_the_same_rows_is_refused(b: Any, said: str) -> None:
    a = confusion(40, 35, 60, 50).evaluate(pos_label="yes")
    if said == "has no answers":
        a = tm.Confusion([[1, 0], [0, 1]], labels=[0, 1]).evaluate(pos_label=1)
    with pytest.raises(tm.TallymarkError) as caught:
        tm.compare({"a": a, "b": b}, design="same rows")
    assert said in str(caught.value)


def test_lost_weights_and_groups_are_refused() -> None:
    y = np.array([0, 1] * 10)
    for options in ({"sample_weight": np.linspace(1, 2, 20)}, {"groups": np.arange(20) // 2}):
        lost = {name: pickle.loads(pickle.dumps(tm.evaluate(y, y, **options))) for name in "ab"}
        with pytest.raises(tm.TallymarkError, match="weights or groups"):
            tm.compare(lost, design="same rows")
