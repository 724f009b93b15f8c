"""Rows with several labels: the worked F1 of the document, and its other formulas by hand."""

import json
from fractions import Fraction

import pytest
from textbook_cases import CASES, command

import tallymark as tm

LABELS = ("x", "y", "z")
CASE = CASES["multilabel-4"]


def as_sets(table):
    return [{label for label, has in zip(LABELS, row, strict=True) if has} for row in table]


@pytest.fixture
def documents(tmp_path):
    """The JSON document of the case from tables, sets, columns of a file and a column of sets."""
    actual, predicted = CASE["actual"], CASE["predicted"]
    columns, delimited = tmp_path / "columns.csv", tmp_path / "delimited.csv"
    lines = [",".join(map(str, [*row, *answer])) for row, answer in zip(actual, predicted, strict=True)]
    columns.write_text("\n".join(["x,y,z,px,py,pz", *lines]) + "\n")
    pairs = zip(as_sets(actual), as_sets(predicted), strict=True)
    lines = [",".join(";".join(sorted(labels)) for labels in pair) for pair in pairs]
    delimited.write_text("\n".join(["y,p", *lines]) + "\n")
    by_columns = ("--actual", "x,y,z", "--predicted", "px,py,pz")
    by_sets = ("--actual", "y", "--predicted", "p", "--set-delimiter", ";")
    texts = [
        tm.evaluate(actual, predicted, labels=list(LABELS)).to_json(),
        tm.evaluate(as_sets(actual), as_sets(predicted)).to_json(),
        command("evaluate", str(columns), *by_columns, "--json"),
        command("evaluate", str(delimited), *by_sets, "--json"),
    ]
    return map(json.loads, texts)


def test_the_printed_value_and_the_other_formulas(documents):
    by_hand = {
        "accuracy_example": Fraction(1, 2) + 1 + Fraction(2, 3) + Fraction(1, 3),
        "precision_example": Fraction(1, 1) + 1 + 1 + Fraction(1, 2),
        "recall_example": Fraction(1, 2) + 1 + Fraction(2, 3) + Fraction(1, 2),
        "f1_example": Fraction(2, 3) + 1 + Fraction(4, 5) + Fraction(1, 2),
        "subset_accuracy": Fraction(1),
        "hamming_loss": Fraction(1 + 0 + 1 + 2, 3),
    }
    for document in documents:
        metrics = document["metrics"]
        assert (document["task"], document["rows"], document["confusion"]) == ("multilabel", 4, None)
        assert document["labels"] == list(LABELS)
        for name, expected in CASE["expected"].items():
            assert round(metrics[name]["value"], CASE["rounded"]) == expected
        for name, total in by_hand.items():
            assert metrics[name]["value"] == pytest.approx(float(total / 4), rel=1e-12), name


def test_the_sum_is_worked_out():
    ev = tm.evaluate(CASE["actual"], CASE["predicted"])
    assert ev.explain("f1_example").steps[-1].text == "= 0.7417"
