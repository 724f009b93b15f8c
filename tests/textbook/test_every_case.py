"""No case of cases.json is forgotten."""

from __future__ import annotations


def test_every_case_is_tested(all_cases, tested_ids):
    assert set(all_cases) == tested_ids


def test_every_finding_and_verdict_is_known(all_cases):
    said = {case_id for case_id, case in all_cases.items() if "finding" in case or "verdict" in case}
    assert said == {
        "constant-classifier-99.9",
        "constant-classifier-9990",
        "cost-5660-model-2",
        "cost-500-M2",
    }


def test_every_case_names_its_document(all_cases):
    documents = {case["source"].removesuffix(".txt").partition("_")[0] for case in all_cases.values()}
    assert documents == {"000", "001", "002", "003", "004"}
