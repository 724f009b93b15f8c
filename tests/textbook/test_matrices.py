"""Accuracies, costs and class-by-class numbers printed beside a confusion matrix."""

from __future__ import annotations

import pytest

WORDS = {"tp_rate": "recall", "fp_rate": "fpr", "f_measure": "f1"}


def printed(value, decimals):
    """The number as its document printed it; in full where the document did not round."""
    return value if decimals is None else round(value, decimals)


def amount(cost):
    return f"costs {cost}" if cost >= 0 else f"gains {-cost} (cost {cost})"


def check(document, case):
    assert document["rows"] == sum(map(sum, case["matrix"]))
    for name, expected in case["expected"].items():
        assert printed(document["metrics"][name]["value"], case.get("rounded")) == expected, name


def test_accuracy(confusion_case, measure):
    check(measure(confusion_case), confusion_case)


def test_accuracy_and_total_cost(cost_case, measure):
    document = measure(cost_case)
    check(document, cost_case)
    assert document["costs"]["total"]["value"] == cost_case["expected"]["total_cost"]
    rows = sum(map(sum, cost_case["matrix"]))
    assert document["costs"]["mean"]["value"] == pytest.approx(
        cost_case["expected"]["total_cost"] / rows, rel=1e-12
    )


def test_every_cost_is_said_in_words(cost_case, measure):
    words = [line.replace("'", "") for line in measure(cost_case)["costs"]["cells"]]
    expected = [
        f"an actual {actual} called {predicted} {amount(cost)}"
        for actual, row in zip(cost_case["labels"], cost_case["costs"], strict=True)
        for predicted, cost in zip(cost_case["labels"], row, strict=True)
    ]
    assert sorted(words) == sorted(expected)


def test_recall_and_precision_of_every_class(multiclass_case, measure, of_class):
    document, decimals = measure(multiclass_case), multiclass_case["rounded"]
    entries = [of_class(document, label) for label in multiclass_case["labels"]]
    assert [entry["support"] for entry in entries] == multiclass_case["expected"]["support"]
    for name in ("recall", "precision"):
        values = [round(entry[name]["value"], decimals) for entry in entries]
        assert values == multiclass_case["expected"][name]


def test_averages_over_the_classes(multiclass_case, measure):
    document, decimals = measure(multiclass_case), multiclass_case["rounded"]
    assert (
        round(document["metrics"]["accuracy"]["value"], decimals) == multiclass_case["expected"]["accuracy"]
    )
    for average in ("macro", "micro", "weighted"):
        for name in ("precision", "recall"):
            expected = multiclass_case["expected"][f"{name}_{average}"]
            assert round(document["metrics"][f"{name}_{average}"]["value"], decimals) == expected
            assert round(document["averages"][average][name]["value"], decimals) == expected


def test_micro_averages_and_weighted_recall_are_the_accuracy(multiclass_case, measure):
    # "= Acc" stands beside these three in the document.
    metrics = measure(multiclass_case)["metrics"]
    for name in ("precision_micro", "recall_micro", "recall_weighted"):
        assert metrics[name]["value"] == pytest.approx(metrics["accuracy"]["value"], rel=1e-12)


@pytest.mark.parametrize("column", ["tp_rate", "fp_rate", "precision", "recall", "f_measure"])
def test_detailed_accuracy_by_class(per_class_table_case, measure, of_class, column):
    document, decimals = measure(per_class_table_case), per_class_table_case["rounded"]
    name = WORDS.get(column, column)
    values = [of_class(document, label)[name]["value"] for label in per_class_table_case["labels"]]
    assert [round(value, decimals) for value in values] == per_class_table_case["expected"][column]
    weighted = document["averages"]["weighted"][name]["value"]
    assert round(weighted, decimals) == per_class_table_case["expected"]["weighted"][column]


def test_printed_areas_average_by_support(per_class_table_case, measure, of_class):
    # The document has the areas without the scores, so only the weights can be checked: 315 and 68 rows.
    document = measure(per_class_table_case)
    supports = [of_class(document, label)["support"] for label in per_class_table_case["labels"]]
    assert supports == [315, 68]
    weighed = sum(
        area * support for area, support in zip(per_class_table_case["roc_area"], supports, strict=True)
    )
    expected = per_class_table_case["expected"]["weighted"]["roc_area"]
    assert round(weighed / sum(supports), per_class_table_case["rounded"]) == expected
    for entry in document["per_class"]:
        assert entry["auc"]["value"] is None
        assert entry["auc"]["why"].startswith("no scores were given")
