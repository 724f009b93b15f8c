"""Every finding is in the documents, under its code."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def codes(text: str) -> set[str]:
    return set(re.findall(r"\bTM\d{3}\b", text))


def test_every_code_has_its_row() -> None:
    raised = {
        code
        for path in (ROOT / "src" / "tallymark").rglob("*.py")
        for code in re.findall(r'"(TM\d{3})"', path.read_text(encoding="utf-8"))
    }
    rows = re.findall(r"^\| (TM\d{3}) \|", (ROOT / "docs" / "findings.md").read_text(encoding="utf-8"), re.M)
    assert len(rows) == len(set(rows))
    assert set(rows) == raised
    assert sorted(raised) == [f"TM{number:03}" for number in range(1, len(raised) + 1)]


def test_no_document_names_a_code_that_does_not_exist() -> None:
    known = codes((ROOT / "docs" / "findings.md").read_text(encoding="utf-8"))
    for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        assert codes(path.read_text(encoding="utf-8")) <= known
