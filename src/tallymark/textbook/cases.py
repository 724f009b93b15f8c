"""The lectures' worked numbers as data, and the documents they come from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

Case = Mapping[str, Any]

_KEPT = json.loads((files(__package__) / "cases.json").read_text("utf-8"))

CASES: Mapping[str, Case] = {case["id"]: case for case in _KEPT["cases"]}
MISPRINTS: Mapping[str, Case] = {misprint["id"]: misprint for misprint in _KEPT["misprints"]}

SOURCES: Mapping[str, str] = {
    "000_1fece1e64084a993.txt": "Erick Parolin, Evaluating Machine Learning Models (CS 4375, UT Dallas)",
    "001_d2ca4497a4f980ca.txt": "Yuzana Win, Model Evaluation and Improvement",
    "002_145021a7e3c3304a.txt": "Evaluation, after slides of Jude Shavlik and Tom Dietterich",
    "003_e8297cd05b71ba4c.txt": "Model Evaluation, a student's notes without a name",
    "004_b87451bdc789abf2.txt": "Notes for chapter 4 of Introduction to Data Mining, Tan, Steinbach, Kumar",
}
"""What each document is, as far as it tells."""

SHORT: Mapping[str, str] = {
    "000_1fece1e64084a993.txt": "Parolin",
    "001_d2ca4497a4f980ca.txt": "Win",
    "002_145021a7e3c3304a.txt": "Shavlik and Dietterich",
    "003_e8297cd05b71ba4c.txt": "a student's notes",
    "004_b87451bdc789abf2.txt": "Tan and others",
}


def expected(name: str) -> Any:
    """What the document of a case prints."""
    return CASES[name]["expected"]
