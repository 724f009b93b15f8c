"""Accuracies, costs, findings and class-by-class numbers printed beside a confusion matrix."""

from fractions import Fraction

import numpy as np
import pytest
from textbook_cases import CASES, command, documents, of_class, of_kind, of_matrix, typed

import tallymark as tm
from collected import each

WORDS = {"tp_rate": "recall", "fp_rate": "fpr", "f_measure": "f1"}
# Case with a verdict: the case it is compared with, whether it is more accurate, whether it is cheaper.
VERDICTS = {
    "cost-5660-model-2": ("cost-5660-model-1", False, True),
    "cost-500-M2": ("cost-500-M1", True, False),
}


def finding(document, code):
    return next((found for found in document["findings"] if found["code"] == code), None)


@each("case", of_kind("confusion") + of_kind("cost"), ids=lambda case: case["id"])
def test_printed_metrics(case):
    rows, decimals = sum(map(sum, case["matrix"])), case.get("rounded")
    for document in documents(case["id"]):
        assert document["rows"] == rows
        for name, expected in case["expected"].items():
            value = document["metrics"][name]["value"]
            # In full where the document did not round.
            assert (value if decimals is None else round(value, decimals)) == expected, name
        if "costs" in case:
            assert document["costs"]["total"]["value"] == case["expected"]["total_cost"]
            mean = case["expected"]["total_cost"] / rows
            assert document["costs"]["mean"]["value"] == pytest.approx(mean, rel=1e-12)
            assert document["costs"]["linear"] is None
            assert len(document["costs"]["cells"]) == 4


@each("name", VERDICTS)
def test_the_verdict_on_two_models(name):
    other, more_accurate, cheaper = VERDICTS[name]
    words = CASES[name]["verdict"].split()
    assert ("more" in words, "cheaper" in words) == (more_accurate, cheaper)
    for document, compared in zip(documents(name), documents(other), strict=True):
        this, that = document["metrics"], compared["metrics"]
        assert (this["accuracy"]["value"] > that["accuracy"]["value"]) is more_accurate
        assert (this["total_cost"]["value"] < that["total_cost"]["value"]) is cheaper


# --- several classes -------------------------------------------------------------------------


def test_three_classes():
    case = CASES["multiclass-1564"]
    expected, decimals = case["expected"], case["rounded"]
    for document in documents(case["id"]):
        metrics = document["metrics"]
        entries = [of_class(document, label) for label in case["labels"]]
        assert [entry["support"] for entry in entries] == expected["support"]
        assert round(metrics["accuracy"]["value"], decimals) == expected["accuracy"]
        for name in ("recall", "precision"):
            assert [round(entry[name]["value"], decimals) for entry in entries] == expected[name]
            for average in ("macro", "micro", "weighted"):
                averaged = f"{name}_{average}"
                assert round(metrics[averaged]["value"], decimals) == expected[averaged]
                assert round(document["averages"][average][name]["value"], decimals) == expected[averaged]
        # "= Acc" stands beside these three in the document.
        for name in ("precision_micro", "recall_micro", "recall_weighted"):
            assert metrics[name]["value"] == pytest.approx(metrics["accuracy"]["value"], rel=1e-12)


def test_detailed_accuracy_by_class():
    case = CASES["weka-detailed-accuracy"]
    expected, decimals = case["expected"], case["rounded"]
    for document in documents(case["id"]):
        entries = [of_class(document, label) for label in case["labels"]]
        for column in ("tp_rate", "fp_rate", "precision", "recall", "f_measure"):
            name = WORDS.get(column, column)
            assert [round(entry[name]["value"], decimals) for entry in entries] == expected[column]
            weighted = document["averages"]["weighted"][name]["value"]
            assert round(weighted, decimals) == expected["weighted"][column]
        # MCC by hand: (306 * 18 - 9 * 50) / sqrt(315 * 68 * 356 * 27) = 5058 / 14348.7.
        assert [round(entry["mcc"]["value"], 3) for entry in entries] == [0.353, 0.353]
        # The document has the areas without the scores, so only the weights can be checked.
        supports = [entry["support"] for entry in entries]
        assert supports == [315, 68]
        weighed = np.average(case["roc_area"], weights=supports)
        assert round(weighed, decimals) == expected["weighted"]["roc_area"]
        assert all(entry["auc"]["value"] is None and entry["auc"]["why"] for entry in entries)


def test_the_tables_as_text(snapshot):
    """Weka's table, the rates in the margins of a 2x2, three classes with both axes named, costs in words."""
    texts = {}
    for name in ("weka-detailed-accuracy", "cost-5660-model-1", "multiclass-1564", "cost-500-M1"):
        case = CASES[name]
        texts[name] = command("matrix", typed(case["matrix"]), "--labels", ",".join(case["labels"]))
        if "costs" in case:
            texts[f"costs of {name}"] = "\n".join(documents(name)[0]["costs"]["cells"])
    snapshot("textbook_matrices", texts)


# --- findings --------------------------------------------------------------------------------


def test_a_constant_prediction_is_no_better_than_the_majority_and_detects_nothing():
    for document in documents("constant-classifier-99.9"):
        numbers = finding(document, "TM001")["numbers"]
        assert numbers["accuracy"] == numbers["no_information_rate"] == 0.999
        assert numbers["majority"] == "1"
        assert of_class(document, "0")["recall"]["value"] == 0
    for document in documents("constant-classifier-9990"):
        numbers = finding(document, "TM002")["numbers"]
        assert (numbers["labels"], numbers["rows"]) == (["1"], 10)
        assert of_class(document, "1")["recall"]["value"] == 0
        assert of_class(document, "1")["precision"]["value"] is None
        assert of_class(document, "1")["precision"]["why"]


def test_a_low_fpr_times_many_negatives():  # skew-warning
    # One of the documents' own matrices shows it: FPR 462 / 5303 = 0.087, and 462 false against 282 true.
    for document in documents("cost-5660-model-1"):
        numbers = finding(document, "TM004")["numbers"]
        assert numbers == {"fpr": 462 / 5303, "fp": 462, "tp": 282, "negatives": 5303}
    for name in ("cost-500-M1", "cost-500-M2"):
        assert all(finding(document, "TM004") is None for document in documents(name))

    def of_counts(tp, fn, fp, tn):
        ev = tm.Confusion([[tp, fn], [fp, tn]], labels=["+", "-"]).evaluate(pos_label="+")
        return finding(ev.to_dict(), "TM004")

    # TPR 0.9 and FPR 0.01: 90 true positives, against 10,000 false ones or against 10.
    assert of_counts(90, 10, 10_000, 990_000)["numbers"]["fp"] == 10_000
    assert of_counts(90, 10, 10, 990) is None
    # The page writes |+| >> |-|, but what it warns of is |-| >> |+|.
    assert of_counts(900_000, 100_000, 1, 99) is None


# --- the expected cost of a threshold -----------------------------------------------------------


def as_scores(case):
    """A matrix as scores: rows that were predicted positive have 1, the others 0."""
    (tp, fn), (fp, tn) = case["matrix"]
    actual = np.repeat(["+", "+", "-", "-"], [tp, fn, fp, tn])
    score = np.repeat([1.0, 0.0, 1.0, 0.0], [tp, fn, fp, tn])
    return tm.evaluate(actual, y_score=score, labels=["+", "-"], pos_label="+")


def test_the_formula_of_the_sources_at_every_threshold():  # expected-cost-of-a-threshold
    """cost(FP) P(FP) #neg + cost(FN) P(FN) #pos, and the same with costs of what is right."""
    random = np.random.default_rng(0)
    positives, negatives = random.integers(0, 6, 12), random.integers(0, 9, 12)
    score = np.repeat(np.tile(np.arange(12, 0, -1.0), 2), [*positives, *negatives])
    actual = np.repeat([1, 0], [positives.sum(), negatives.sum()])
    ev = tm.evaluate(actual, y_score=score, labels=[1, 0], pos_label=1, threshold=6)
    up, down = int(positives.sum()), int(negatives.sum())
    for hit, rest in ((0, 0), (-2, 1)):
        decision = ev.decide(costs=[[hit, 7], [3, rest]])
        by_threshold = dict(
            zip(decision.curve.threshold.tolist(), decision.curve.total.tolist(), strict=True)
        )
        costs = {}
        for place in range(13):
            found, alarms = int(positives[:place].sum()), int(negatives[:place].sum())
            costs[13.0 - place if place else np.inf] = (
                3 * Fraction(alarms, down) * down
                + 7 * Fraction(up - found, up) * up
                + hit * Fraction(found, up) * up
                + rest * Fraction(down - alarms, down) * down
            )
        assert by_threshold == {cut: costs[cut] for cut in (np.inf, *score.tolist())}
        assert decision.cost == min(by_threshold.values()) == by_threshold[decision.threshold]


@each("case", of_kind("cost"), ids=lambda case: case["id"])
def test_the_cost_cases_at_their_thresholds(case):
    decision = as_scores(case).decide(costs=case["costs"])
    assert decision.curve.at(1.0).total == case["expected"]["total_cost"]


def test_with_misses_so_dear_both_models_are_best_cut_where_all_is_positive():
    """Everything predicted positive costs 310 - 190 for M1, 205 - 295 for M2: less than their predictions."""
    first, second = CASES["cost-500-M1"], CASES["cost-500-M2"]
    assert [as_scores(case).decide(costs=case["costs"]).cost for case in (first, second)] == [120, -90]
    decision = as_scores(first).decide(costs=first["costs"], minimum={"precision": 0.7})
    assert (decision.threshold, decision.cost) == (1.0, 3910)
    # 1 x 60/310 x 310 + 100 x 40/190 x 190 + (-1) x 150/190 x 190
    assert decision.formula[-1].split() == ["=", "3,910"]


def test_cost_from_accuracy_is_shown_with_the_numbers():
    # M1 of the same document, with p = 2 and q = 5: 2 * 400 + 5 * 100 = 1300 = 500 [5 - (5 - 2) 0.8].
    case = {**CASES["cost-500-M1"], "costs": [[2, 5], [5, 2]]}
    ev = of_matrix(case)
    assert ev.to_dict()["costs"]["linear"] == {"p": 2, "q": 5}
    assert ev["total_cost"].value == 1300
    assert "500 [5 - (5 - 2) 0.8] = 1,300" in " ".join(str(ev).split())
