"""What every test leaves behind is cleared away; and small files that are read as large ones are."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

# Helpers of tests are imported by their names.
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def no_open_pictures() -> Iterator[None]:
    """pyplot keeps every figure until it is closed, and warns of many."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture
def read_in_pieces(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """From now on no file is held in memory, however small it is; text is read in blocks of so many bytes."""

    def small_pieces(block: int = 200) -> None:
        from tallymark.intake.streams import scan

        monkeypatch.setattr("tallymark.evaluation.streamed.fits", lambda *_: False)
        monkeypatch.setattr("tallymark.evaluation.streamed._is_small", lambda *_: False)
        opened: Any = getattr(scan.scan_files, "func", scan.scan_files)
        monkeypatch.setattr(scan, "scan_files", partial(opened, block=block))

    return small_pieces
