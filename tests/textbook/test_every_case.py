"""No case of cases.json is forgotten."""

from __future__ import annotations

from pathlib import Path

from textbook_cases import CASES


def test_every_case_is_tested():
    """By its id, its kind, or the id in a name of a test that checks a statement."""
    tests = "".join(file.read_text("utf-8") for file in Path(__file__).parent.glob("test_*.py"))
    named = [f'CASES["{name}"]' in tests or f"# {name}" in tests for name in CASES]
    by_kind = [f'of_kind("{case["kind"]}")' in tests for case in CASES.values()]
    assert [
        name for name, by_name, kind in zip(CASES, named, by_kind, strict=True) if not (by_name or kind)
    ] == []


def test_every_finding_and_verdict_is_known():
    stated = {name for name, case in CASES.items() if "finding" in case or "verdict" in case}
    models = {"cost-5660-model-2", "cost-500-M2"}
    assert stated == {"constant-classifier-99.9", "constant-classifier-9990", *models}


def test_every_document_has_cases():
    documents = {case["source"].removesuffix(".txt").partition("_")[0] for case in CASES.values()}
    assert documents == {"000", "001", "002", "003", "004"}
