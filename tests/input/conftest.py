"""What the tests of input share: they run in a folder of their own, so that files have short names."""

import sys
from pathlib import Path

import pytest

# Helpers of these tests are imported by their names.
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
