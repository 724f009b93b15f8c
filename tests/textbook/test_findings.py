"""What the documents say about their matrices, beside the numbers."""

from __future__ import annotations

import pytest

import tallymark as tm

# Case with a verdict: the case it is compared with, whether it is more accurate, whether it is cheaper.
VERDICTS = {
    "cost-5660-model-2": ("cost-5660-model-1", False, True),
    "cost-500-M2": ("cost-500-M1", True, False),
}


def finding(document, code):
    return next((found for found in document["findings"] if found["code"] == code), None)


def of_counts(tp, fn, fp, tn):
    return tm.Confusion([[tp, fn], [fp, tn]], labels=["+", "-"]).evaluate(pos_label="+").to_dict()


def test_constant_answer_is_no_better_than_the_majority(constant_classifier_99_9_case, measure, of_class):
    document = measure(constant_classifier_99_9_case)
    found = finding(document, "TM001")
    assert found["numbers"]["accuracy"] == found["numbers"]["no_information_rate"] == 0.999
    assert found["numbers"]["majority"] == "1"
    assert "no better than always answering 1 " in found["message"].replace("'", "")
    assert of_class(document, "0")["recall"]["value"] == 0


def test_constant_answer_detects_nothing(constant_classifier_9990_case, measure, of_class):
    document = measure(constant_classifier_9990_case)
    found = finding(document, "TM002")
    assert (found["numbers"]["labels"], found["numbers"]["rows"]) == (["1"], 10)
    assert "class 1 is never predicted" in found["message"].replace("'", "")
    assert of_class(document, "1")["recall"]["value"] == 0
    assert of_class(document, "1")["precision"] == {
        "value": None,
        "why": "nothing was predicted positive (tp + fp = 0)",
    }


def test_verdict(cost_case, all_cases, measure):
    if cost_case["id"] not in VERDICTS:
        assert "verdict" not in cost_case
        return
    other, more_accurate, cheaper = VERDICTS[cost_case["id"]]
    words = cost_case["verdict"].split()
    assert ("more" in words, "cheaper" in words) == (more_accurate, cheaper)
    this, that = measure(cost_case)["metrics"], measure(all_cases[other])["metrics"]
    assert (this["accuracy"]["value"] > that["accuracy"]["value"]) is more_accurate
    assert (this["total_cost"]["value"] < that["total_cost"]["value"]) is cheaper


def test_low_fpr_times_many_negatives(skew_warning_case, all_cases, measure):
    # One of the documents' own matrices shows it: FPR 462 / 5303 = 0.087, and 462 false against 282 true.
    document = measure(all_cases["cost-5660-model-1"])
    found = finding(document, "TM004")
    assert found["numbers"] == {"fpr": 462 / 5303, "fp": 462, "tp": 282, "negatives": 5303}
    for figure in ("0.087", "5,303", "462", "282"):
        assert figure in found["message"]


def test_the_same_rates_with_few_negatives_are_not_warned_of(skew_warning_case):
    # TPR 0.9 and FPR 0.01: 90 true positives, against 10,000 false ones or against 10.
    assert finding(of_counts(90, 10, 10_000, 990_000), "TM004")["numbers"]["fp"] == 10_000
    assert finding(of_counts(90, 10, 10, 990), "TM004") is None


def test_many_positives_are_not_warned_of(skew_warning_case):
    # The page writes |+| >> |-|, but what it warns of is |-| >> |+|.
    assert finding(of_counts(900_000, 100_000, 1, 99), "TM004") is None


@pytest.mark.parametrize("case_id", ["cost-500-M1", "cost-500-M2"])
def test_more_true_than_false_positives_are_not_warned_of(skew_warning_case, all_cases, measure, case_id):
    assert finding(measure(all_cases[case_id]), "TM004") is None
