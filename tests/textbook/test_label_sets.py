"""Rows with several labels: the worked F1 of the document, and its other formulas by hand."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

import tallymark as tm

LABELS = ("x", "y", "z")


def as_sets(table):
    return [{label for label, has in zip(LABELS, row, strict=True) if has} for row in table]


def csv(case, names):
    pairs = zip(case["actual"], case["predicted"], strict=True)
    return "\n".join([names, *(",".join(map(str, [*row, *answer])) for row, answer in pairs)]) + "\n"


def delimited(case):
    pairs = zip(as_sets(case["actual"]), as_sets(case["predicted"]), strict=True)
    return "\n".join(["y,p", *(f"{';'.join(sorted(a))},{';'.join(sorted(p))}" for a, p in pairs)]) + "\n"


@pytest.fixture(params=["tables", "sets", "columns", "delimited"])
def measure(request, run, tmp_path):
    """The JSON document of a case, through each of the doors that label sets may take."""

    def document(case):
        if request.param == "tables":
            return tm.evaluate(case["actual"], case["predicted"], labels=list(LABELS)).to_json()
        if request.param == "sets":
            return tm.evaluate(as_sets(case["actual"]), as_sets(case["predicted"])).to_json()
        path = tmp_path / "sets.csv"
        if request.param == "columns":
            path.write_text(csv(case, "x,y,z,px,py,pz"))
            return run("evaluate", str(path), "--actual", "x,y,z", "--predicted", "px,py,pz", "--json")
        path.write_text(delimited(case))
        options = ("--actual", "y", "--predicted", "p", "--set-delimiter", ";")
        return run("evaluate", str(path), *options, "--json")

    return lambda case: json.loads(document(case))


def test_the_printed_number(multilabel_case, measure):
    document = measure(multilabel_case)
    assert (document["task"], document["rows"], document["confusion"]) == ("multilabel", 4, None)
    assert document["labels"] == list(LABELS)
    for name, expected in multilabel_case["expected"].items():
        assert round(document["metrics"][name]["value"], multilabel_case["rounded"]) == expected


def test_the_other_formulas(multilabel_case, measure):
    metrics = measure(multilabel_case)["metrics"]
    by_hand = {
        "accuracy_example": Fraction(1, 2) + 1 + Fraction(2, 3) + Fraction(1, 3),
        "precision_example": Fraction(1, 1) + 1 + 1 + Fraction(1, 2),
        "recall_example": Fraction(1, 2) + 1 + Fraction(2, 3) + Fraction(1, 2),
        "f1_example": Fraction(2, 3) + 1 + Fraction(4, 5) + Fraction(1, 2),
        "subset_accuracy": Fraction(1),
        "hamming_loss": Fraction(1 + 0 + 1 + 2, 3),
    }
    for name, total in by_hand.items():
        assert metrics[name]["value"] == pytest.approx(float(total / 4), rel=1e-12), name


def test_the_sum_is_worked_out(multilabel_case):
    ev = tm.evaluate(multilabel_case["actual"], multilabel_case["predicted"])
    steps = [step.text for step in ev.explain("f1_example").steps]
    assert "1 x 2 * 1 / (2 + 1)" in steps[1]
    assert steps[-1] == "= 0.7417"
