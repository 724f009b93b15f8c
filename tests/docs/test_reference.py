"""The references in docs/reference are what their script makes."""

import sys
from pathlib import Path

from snapshot_files import Snapshots
from tallymark.cli import COMMANDS
from tallymark.metrics import METRICS, SCORE_METRICS, SET_METRICS

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

from make_reference import FOLDER, PAGES
from reference_of_commands import CALLS, MEANINGS


def test_files_are_what_the_script_makes(snapshot: Snapshots) -> None:
    made = {name: page() for name, page in PAGES.items()}
    if snapshot.update:
        for name, text in made.items():
            (FOLDER / name).write_text(text, encoding="utf-8")
    different = [name for name, text in made.items() if (FOLDER / name).read_text(encoding="utf-8") != text]
    assert not different, "to make them anew: make snapshots"


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
