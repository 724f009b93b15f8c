"""Models on other rows, whose variances add up; printed accuracies; and counts of the same rows."""

import itertools
import json
import math
import pickle

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep

import tallymark as tm
from collected import each
from comparing import ends, every_metric
from scored import classes, refusals

COSTS = {0: {1: 1.0}, 1: {0: 4.0}}
WEIGHTS = np.random.default_rng(4).lognormal(0, 0.5, 200)


def scored(n, gap, seed, **options):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    score = np.clip(gap * y + rng.normal(0.3, 0.2, n), 0.01, 0.99)
    return tm.evaluate(y, y_score=score, costs=COSTS, **options)


def separated(n, up):
    """All positives above all negatives."""
    y = np.arange(n) % 2
    score = np.where(y == 1, up, 0.2) + np.linspace(0, 0.1, n)
    return tm.evaluate(y, y_score=score, threshold=0.9, costs=COSTS)


def of_table(n, pull, seed, labels="abc"):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, len(labels), n)
    table = rng.dirichlet(np.ones(len(labels)), n) + pull * np.eye(len(labels))[y]
    table /= table.sum(axis=1, keepdims=True)
    return tm.evaluate(np.array(list(labels))[y], y_score=table, labels=list(labels))


def predicted(n, right, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return tm.evaluate(y, np.where(rng.random(n) < right, y, 1 - y))


PREDICTED = {"a": predicted(300, 0.86, 1), "b": predicted(400, 0.77, 2)}
SCORED = {"a": scored(150, 0.4, 1), "b": scored(170, 0.2, 2)}
SHAPES = {
    "one score": SCORED,
    "complete separation": {"a": separated(40, 0.8), "b": separated(30, 0.6)},
    "worse than chance": {"a": scored(150, -0.3, 3), "b": scored(170, -0.1, 4)},
    "weights": {"a": scored(200, 0.3, 5, sample_weight=WEIGHTS), "b": scored(170, 0.2, 6)},
    "groups": {
        "a": scored(200, 0.3, 7, groups=np.arange(200) // 5),
        "b": scored(170, 0.2, 8, groups=np.arange(170) // 5),
    },
    "two classes": {"a": of_table(120, 0.8, 1, "ny"), "b": of_table(130, 0.4, 2, "ny")},
    "three classes": {"a": of_table(120, 0.8, 3), "b": of_table(140, 0.3, 4)},
}
ENDLESS = dict.fromkeys(("log_loss", "mean_cost", "total_cost"), math.inf)
WIDEST = {"gini": 2, "brier": 1, **ENDLESS}


def mover(one, two):
    """The squares of the distances to the ends add up (Zou and Donner 2008; Newcombe 1998, method 10)."""
    a, b = float(one), float(two)
    return a - b - math.hypot(a - one.low, two.high - b), a - b + math.hypot(one.high - a, b - two.low)


def welch(found, one, two):
    """Variances add up, and Student's distribution says how many standard errors it takes."""
    df = found.outcome.df
    half = (stats.norm.ppf(0.975) if df is None else stats.t.ppf(0.975, df)) * math.hypot(
        one.se or 0, two.se or 0
    )
    return float(one) - float(two) - half, float(one) - float(two) + half


@each("shape", SHAPES)
def test_every_interval_is_made_of_those_of_both_models(shape):
    pair = SHAPES[shape]
    metrics = [name for name in every_metric() if not name.endswith("_cost") or "classes" not in shape]
    compared = tm.compare(pair, metrics=metrics, design="other rows")
    json.loads(compared.to_json())
    with_interval = 0
    for found in compared.differences:
        name = found.metric
        one, two = (model.values[name] for model in compared.models)
        assert found.paired is False
        if one.value is None or two.value is None:
            assert found.value is None, name
            assert found.why, name
            continue
        assert found.value == pytest.approx(one.value - two.value, abs=1e-12), name
        if one.low is None or two.low is None:
            assert found.low is None, name
            assert found.estimate.note, name
            continue
        with_interval += 1
        expected = mover(one, two)
        if found.estimate.method == "welch":
            usual = welch(found, one, two)
            widest = 2 if shape == "three classes" and name == "brier" else WIDEST.get(name, 1)
            expected = max(usual[0], -widest), min(usual[1], widest)
        else:
            proportions = name in ("accuracy", "recall") and {one.method, two.method} == {"wilson"}
            assert found.estimate.method in ("newcombe", "mover")[: 1 if proportions else 2], name
        assert ends(found) == pytest.approx(expected, abs=1e-8), name
        assert found.p_value is not None, name
    assert with_interval > 35
    # Only proportions of rows are listed by every method.
    for metric in ("mcc_micro", "average_precision", "f1_micro"):
        about = tm.compare(pair, metric=metric, metrics=[metric], design="other rows")
        shares = metric == "f1_micro" and shape != "groups"
        by_method = (about[metric].test or "").startswith("two proportions")
        assert bool(about.to_dict()["methods"]) == shares == by_method


def test_proportions_are_those_of_the_counts():
    counts = [count for ev in PREDICTED.values() for count in (ev.confusion.matrix.trace(), ev.rows)]
    for method in ("wald", "newcombe", "agresti_caffo", "miettinen_nurminen"):
        found = tm.compare(PREDICTED, method=method, metrics=["accuracy"])["accuracy"]
        expected = tm.difference(counts[:2], counts[2:], method)
        assert (found.value, *ends(found)) == pytest.approx((expected.value, *ends(expected)))
        assert found.p_value == pytest.approx(expected.p_value)
        assert found.test == f"two proportions, {method.replace('_', '-')}"
    for metric in ("recall", "f1_micro", "recall_weighted", "f_beta:0"):
        found = tm.compare(SCORED, metric=metric, metrics=[metric], method="wald", design="other rows")
        variances = [
            float(side) * (1 - float(side)) / side.n
            for side in (model.values[metric] for model in found.models)
        ]
        half = stats.norm.ppf(0.975) * math.sqrt(sum(variances))
        assert found[metric].low == pytest.approx(found[metric].value - half)


def test_one_side_and_the_p_value_of_an_interval():
    """The p-value is 1 minus the level at which the interval just holds 0."""
    close = {"a": PREDICTED["a"], "b": predicted(400, 0.8, 5)}
    for metric, pair in itertools.product(("f1", "mcc"), (close, dict(reversed(close.items())), PREDICTED)):
        asked = {"metric": metric, "metrics": [metric]}
        both = tm.compare(pair, **asked)[metric]
        assert (both.p_value > 1e-3) == (pair is not PREDICTED)
        if both.p_value > 1e-3:
            at = both.estimate.interval(1 - both.p_value)
            assert min(abs(at.low), abs(at.high)) < 1e-3 * abs(both.value)
        else:
            # Further out the interval is taken to widen as a normal one.
            reached, z = both.value - both.estimate.interval(0.999).low, stats.norm.ppf(0.9995)
            assert both.p_value == pytest.approx(2 * stats.norm.sf(both.value * z / reached))
        towards, away = ("greater", "less") if both.value > 0 else ("less", "greater")
        sides = [tm.compare(pair, alternative=side, **asked)[metric].p_value for side in (towards, away)]
        assert sides == pytest.approx([both.p_value / 2, 1 - both.p_value / 2])
    tests = {
        name: tm.compare(SCORED, metric=name, metrics=[name])[name].test
        for name in ("auc", "brier", "f1", "ece")
    }
    assert tests == {
        "auc": "DeLong, unpaired", "brier": "Welch's t, unpaired", "f1": "interval, inverted", "ece": None,
    }  # fmt: skip


def test_what_is_noted_about_other_rows(snapshot):
    def of_prevalences(*counts):
        """So many positives of so many rows."""
        sides = [(np.arange(rows) < positives).astype(int) for positives, rows in counts]
        evs = [tm.evaluate(side, side, labels=[0, 1]) for side in sides]
        return tm.compare(dict(zip("ab", evs, strict=True)), metrics=["accuracy"])

    few, weight = [0, 1, 1], [1.0, 50.0, 0.01]
    tiny = {
        "one": tm.evaluate(few, y_score=[0.2, 0.7, 0.6], sample_weight=weight),
        "two": tm.evaluate([*few, 0], y_score=[0.6, 0.9, 0.2, 0.4], sample_weight=[*weight, 3.0]),
    }
    found = {
        "prevalences": of_prevalences((30, 100), (60, 120)),
        "0.02 apart": of_prevalences((0, 100), (1, 50)),
        "less than 0.02 apart": of_prevalences((30, 100), (31, 102)),
        "a test of the same rows": tm.compare(PREDICTED, test="exact", metrics=["accuracy"]),
    }
    assert [len(one.notes) for one in found.values()] == [2, 2, 1, 2]
    snapshot("notes_of_other_rows", {name: "\n".join(one.notes) for name, one in found.items()})
    # Limits that no loss can have are left out.
    assert tm.compare(tiny, design="other rows", confidence_level=0.99999)["log_loss"].low is None
    # Averages over other classes are not compared.
    both = tm.evaluate([0, 0, 0, 1, 1, 0], [0, 0, 1, 1, 0, 0])
    one_class = tm.evaluate([0, 0, 0, 0], [0, 0, 0, 1], labels=[0, 1])
    asked = ["balanced_accuracy", "f1_macro", "f1_micro"]
    averages = tm.compare({"both": both, "one": one_class}, design="other rows", metrics=asked)
    assert [averages[name].value is None for name in asked] == [True, True, False]


def test_reach_counts_the_rows_of_the_smaller_test_set():
    found = tm.compare(PREDICTED, metrics=["accuracy"])
    (reach,), one = found.to_dict()["reach"], found["accuracy"]
    z = stats.norm.ppf([0.975, 0.8])
    smallest = z.sum() * (one.high - one.low) / 2 / z[0]
    assert reach["smallest_difference"] == pytest.approx(smallest)
    assert reach["rows_needed"] == 10 * math.ceil(30 * (smallest / one.value) ** 2)


# --- counts of other rows, and evaluations without their rows -----------------------------------------

M1 = tm.Confusion([[150, 40], [60, 250]], labels=["+", "-"])
M2 = tm.Confusion([[250, 45], [5, 200]], labels=["+", "-"])
OF_SIGNS = {"+": {"+": -1, "-": 100}, "-": {"+": 1}}


def test_counts_are_compared_in_any_order_of_labels_and_again():
    turned = tm.Confusion([[200, 5], [45, 250]], labels=["-", "+"])
    one, two = (tm.compare({"M1": M1, "M2": m}, pos_label="+", costs=OF_SIGNS) for m in (M2, turned))
    assert one.design == "other rows"
    assert one["accuracy"].value == pytest.approx(0.8 - 0.9)
    for first, second in zip(one.differences, two.differences, strict=True):
        assert (second.value, *ends(second)) == pytest.approx((first.value, *ends(first)), abs=5e-3)
    # Evaluations without their rows are compared at another level, with another seed, and with costs.
    pair = {name: pickle.loads(pickle.dumps(m.evaluate(pos_label="+"))) for name, m in (("a", M1), ("b", M2))}
    for change in ({"confidence_level": 0.8}, {"random_state": 7}, {"costs": OF_SIGNS}):
        found = tm.compare(pair, **change)
        assert found["accuracy"].value == pytest.approx(-0.1)
        assert found["accuracy"].level == change.get("confidence_level", 0.95)
        assert ("mean_cost" in {one.metric for one in found.differences}) == ("costs" in change)
    loaded = {name: pickle.loads(pickle.dumps(ev)) for name, ev in SCORED.items()}
    again, known = (tm.compare(evs, design="other rows", confidence_level=0.8) for evs in (loaded, SCORED))
    assert ends(again["auc"]) == pytest.approx(ends(known["auc"]))
    assert again.models[0].values["auc"].low == pytest.approx(SCORED["a"]["auc"].interval(0.8).low)


# --- accuracies and numbers of rows -----------------------------------------------------------------


def test_accuracies_as_they_are_printed():
    found = tm.compare({"M1": (0.85, 30), "M2": (0.75, 5000), "M3": (0.7, 500)})
    assert [one.adjusted_by for one in found.differences] == ["Holm"] * 3
    assert [model.n for model in found.models] == [30, 5000, 500]
    # d +- z sqrt(e1 (1 - e1) / n1 + e2 (1 - e2) / n2)
    for n in (np.int64(30), 30.0, 30):
        pair = tm.compare({"M1": (np.float64(0.85), n), "M2": (0.75, 5000)})["accuracy"]
        half = stats.norm.ppf(0.975) * math.sqrt(0.85 * 0.15 / 30 + 0.75 * 0.25 / 5000)
        assert (pair.test, ends(pair)) == ("two proportions, wald", pytest.approx((0.1 - half, 0.1 + half)))
    # Wald's interval [0.036, 0.064] knows no variance of 30 right of 30; Newcombe's, which holds 0, decides.
    sure = {"a": (1.0, 30), "b": (0.95, 1000)}
    found = tm.compare(sure)["accuracy"]
    expected = confint_proportions_2indep(30, 30, 950, 1000, method="newcomb", compare="diff")
    assert (found.test, ends(found)) == ("two proportions, newcombe", pytest.approx(expected, abs=1e-6))
    assert found.estimate.note
    assert tm.compare(sure, method="wald")["accuracy"].test == "two proportions, wald"
    for b, n, winner in ((1, 50, None), (0.0, 50, "a")):
        found = tm.compare({"a": (1.0, 30), "b": (b, n)})
        assert (found["accuracy"].test, found.winner) == ("two proportions, newcombe", winner)
    assert ends(tm.compare({"a": (1.0, 30), "b": (1.0, 50)}, method="wald")["accuracy"]) == (0, 0)
    # Of two accuracies that are 0 or 1 it is noted that Wald's interval has no width.
    for shares, noted in (((1, 1), True), ((0, 1), True), ((0, 0), True), ((1, 0.9), False)):
        for method in (None, "wald", "newcombe"):
            found = tm.compare({"a": (shares[0], 30), "b": (shares[1], 5000)}, method=method)
            assert (len(found.notes) == 2) == noted
    names = [one["method"] for one in tm.compare(sure).to_dict()["methods"]]
    assert names[0] == "two proportions, wald"
    assert len(names) == len(set(names)) >= 4


def test_what_are_no_accuracies(snapshot):
    pair = {"a": (0.8, 30), "b": (0.7, 30)}
    given = {
        "percent": (85, 30), "rows that are right": (56, 70), "below 0": (-0.1, 30), "nan": (math.nan, 30),
        "no rows": (0.8, 0), "half a row": (0.8, 30.5), "endless": (0.8, math.inf), "too many": (0.8, 2e15),
        "a list": [0.8, 30], "true": (True, 30), "three numbers": (0.8, 30, 1), "above 100": (101, 30),
    }  # fmt: skip
    calls = {
        name: lambda value=value: tm.compare({"a": value, "b": (0.7, 50)}) for name, value in given.items()
    }
    options = {
        "design": {"design": "same rows"}, "groups": {"groups": np.arange(3)}, "metric": {"metric": "recall"},
        "metrics": {"metrics": ["recall"]}, "models": {"models": ["a"]}, "memory": {"memory": "1GB"},
        "costs": {"costs": OF_SIGNS}, "margin": {"margin": 1},
    }  # fmt: skip
    calls |= {name: lambda more=more: tm.compare(pair, **more) for name, more in options.items()}
    calls["one model"] = lambda: tm.compare({"a": (0.8, 30)})
    refused = refusals(calls)
    assert set(classes(refused).values()) == {"OptionError"}, classes(refused)
    snapshot("errors_of_accuracies", refused)
    assert tm.compare({"a": (0.8, 10**15), "b": (0.7, 1)}).models[0].n == 10**15


# --- counts of the same rows, whose pairs are lost --------------------------------------------------


def confusion(positives, tp, negatives, tn):
    return tm.Confusion([[tn, negatives - tn], [positives - tp, tp]], labels=["no", "yes"])


def pairings(rows, one, two):
    """All (only a, only b) that models with so many right predictions of these rows can have."""
    return [(one - both, two - both) for both in range(max(0, one + two - rows), min(one, two) + 1)]


def tango(only_a, only_b, n):
    return ends(tm.paired_difference(n11=n - only_a - only_b, n01=only_a, n10=only_b, n00=0))


def lost(a, b, **options):
    models = {"a": confusion(*a), "b": confusion(*b)}
    return tm.compare(models, **{"design": "same rows", "pos_label": "yes"} | options)


@each(
    "a, b",
    [
        ((7, 6, 5, 2), (7, 3, 5, 4)), ((9, 9, 4, 4), (9, 2, 4, 3)), ((6, 3, 6, 3), (6, 3, 6, 3)),
        ((30, 25, 40, 35), (30, 14, 40, 28)), ((25, 20, 15, 15), (25, 12, 15, 4)),
    ],
)  # fmt: skip
def test_no_pairing_is_less_sure(a, b):
    every = [
        (of_positive[0] + of_negative[0], of_positive[1] + of_negative[1])
        for of_positive, of_negative in itertools.product(pairings(*a[:2], b[1]), pairings(*a[2:], b[3]))
    ]
    limits = np.array([tango(*only, a[0] + a[2]) for only in every])
    for alternative in ("two-sided", "greater", "less"):
        found = lost(a, b, alternative=alternative, metrics=["accuracy"])["accuracy"]
        assert ends(found) == pytest.approx((limits[:, 0].min(), limits[:, 1].max()))
        p_values = [
            tm.tests.mcnemar(
                *only, "exact" if sum(only) < 25 else "corrected", alternative=alternative
            ).p_value
            for only in every
        ]
        assert found.p_value == pytest.approx(max(p_values))
        assert found.paired


def test_what_counts_of_the_same_rows_can_tell():
    a, b = (40, 35, 60, 50), (40, 28, 60, 55)
    costs = {"no": {"yes": 1}, "yes": {"no": 3}}
    rows = {"recall": (40, 35, 28), "fnr": (40, 5, 12), "specificity": (60, 50, 55), "fpr": (60, 10, 5)}
    for metric, (n, one, two) in rows.items():
        found = lost(a, b, metric=metric, metrics=[metric])[metric]
        limits = np.array([tango(*only, n) for only in pairings(n, one, two)])
        assert found.value == pytest.approx((one - two) / n)
        assert ends(found) == pytest.approx((limits[:, 0].min(), limits[:, 1].max()))
    found = lost(a, b, metrics=["error_rate", "f1", "mcc", "precision", "mean_cost", "f1_micro"], costs=costs)
    assert found["error_rate"].value == pytest.approx(-found["accuracy"].value)
    assert ends(found["error_rate"]) == pytest.approx((-found["accuracy"].high, -found["accuracy"].low))
    for metric in ("f1", "mcc", "precision", "mean_cost", "f1_micro"):
        one = found[metric]
        assert (one.low, one.p_value, one.test) == (None, None, None), metric
        assert one.estimate.note
    # 2 * 35 / (2 * 35 + 5 + 10) and 2 * 28 / (2 * 28 + 12 + 5).
    assert found["f1"].value == pytest.approx(70 / 85 - 56 / 73)
    # The true pairs are at least as sure.
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 90)
    sides = {
        name: np.where(rng.random(90) < right, y, rng.integers(0, 3, 90))
        for name, right in (("a", 0.8), ("b", 0.5))
    }
    known = tm.compare(sides, y, metrics=["accuracy"])["accuracy"]
    pickled = {name: pickle.loads(pickle.dumps(tm.evaluate(y, side))) for name, side in sides.items()}
    both = tm.compare(pickled, design="same rows", metrics=["accuracy", "balanced_accuracy"])
    assert both["balanced_accuracy"].low is None
    found = both["accuracy"]
    assert found.value == pytest.approx(known.value)
    assert found.low <= known.low < known.high <= found.high
    assert found.p_value >= known.p_value
    # A label that a single model predicts.
    other = tm.Confusion([[18, 2, 5], [0, 0, 0], [5, 1, 30]], labels=["no", "?", "yes"])
    models = {"one": tm.Confusion([[20, 5], [6, 30]], labels=["no", "yes"]), "two": other}
    found = tm.compare(models, design="same rows", pos_label="yes", metrics=["accuracy"])
    assert found["accuracy"].value == pytest.approx(50 / 61 - 48 / 61)


def test_counts_that_are_not_of_the_same_rows(snapshot):
    a = confusion(40, 35, 60, 50).evaluate(pos_label="yes")
    y = np.array([0, 1] * 10)
    small = tm.Confusion([[1, 0], [0, 1]], labels=[0, 1]).evaluate(pos_label=1)

    def pickled(**options):
        return {name: pickle.loads(pickle.dumps(tm.evaluate(y, y, **options))) for name in "ab"}

    pairs = {
        "other classes": {"a": a, "b": confusion(41, 35, 59, 50).evaluate(pos_label="yes")},
        "other positive classes": {"a": a, "b": confusion(40, 35, 60, 50).evaluate(pos_label="no")},
        "no predictions": {"a": small, "b": tm.evaluate([0, 1], y_score=[-3.0, 4.0])},
        "weights": pickled(sample_weight=np.linspace(1, 2, 20)),
        "groups": pickled(groups=np.arange(20) // 2),
    }
    refused = refusals(
        {name: lambda pair=pair: tm.compare(pair, design="same rows") for name, pair in pairs.items()}
    )
    assert classes(refused) == dict.fromkeys(pairs, "InputError") | {"other positive classes": "LabelError"}
    snapshot("errors_of_lost_pairs", refused)
