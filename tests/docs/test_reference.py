"""The references in docs/reference are what their script makes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tallymark.cli import COMMANDS
from tallymark.metrics import METRICS, SCORE_METRICS, SET_METRICS

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

from make_reference import FOLDER, PAGES
from reference_of_commands import CALLS, MEANINGS


@pytest.mark.parametrize("name", PAGES)
def test_file_is_what_the_script_makes(name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == PAGES[name](), (
        f"docs/reference/{name} is out of date; `python tools/make_reference.py` renews it"
    )


def test_every_metric_has_a_section() -> None:
    text = (FOLDER / "metrics.md").read_text(encoding="utf-8")
    for name in (*METRICS, *SCORE_METRICS, *SET_METRICS):
        assert f"\n### {name}\n" in text
        assert f"(#{name})" in text


def test_every_command_has_a_section() -> None:
    text = (FOLDER / "commands.md").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f"\n## {name}\n" in text
        assert f"`tallymark {name} " in text


def test_every_command_that_prints_a_document_is_called() -> None:
    text = (FOLDER / "commands.md").read_text(encoding="utf-8")
    for name in COMMANDS:
        section = text.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        # A report is a page, and a group has its documents below its own commands.
        if "(#the-output)" in section and name != "report":
            assert name in CALLS, name
    assert set(MEANINGS) <= set(CALLS)
