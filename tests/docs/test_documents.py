"""Every code block of every document runs and gives what the document says."""

import shutil
from pathlib import Path

import pytest
from run_document import Block, blocks, run, updated

from snapshot_files import Snapshots
from tallymark.data import path

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def _name(document: Path) -> str:
    return document.relative_to(ROOT).as_posix()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the shipped data under the names that documents use."""
    import matplotlib

    matplotlib.use("Agg")
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "COLUMNS", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    shutil.copy(path("breast_cancer.csv"), tmp_path / "predictions.csv")
    shutil.copy(path("tumours.csv"), tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


# Every document is a group, so that workers share them.
@pytest.mark.parametrize(
    "document", [pytest.param(d, id=_name(d), marks=pytest.mark.xdist_group(_name(d))) for d in DOCUMENTS]
)
def test_what_it_says_is_so(document: Path, folder: Path, snapshot: Snapshots) -> None:
    if snapshot.update:
        document.write_text(updated(document.read_text(encoding="utf-8"), _name(document)), encoding="utf-8")
        return
    compared = run(document.read_text(encoding="utf-8"), _name(document))
    # A harness that compared nothing would always be content.
    assert compared >= (5 if document.name == "README.md" and document.parent == ROOT else 0)


def test_hardly_a_block_is_left_out() -> None:
    found: list[Block] = [b for d in DOCUMENTS for b in blocks(d.read_text(encoding="utf-8"))]
    left_out = [block for block in found if block.not_run]
    assert len(left_out) <= len(found) / 10
