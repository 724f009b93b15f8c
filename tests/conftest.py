"""What all tests share: by which worker they are run, and that what they leave behind is cleared away."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

# Helpers of tests are imported by their names.
sys.path.insert(0, str(Path(__file__).parent))
# Tests start some hundred processes, which would all compile the same modules again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Tests of a file that name no group are run by one worker, which makes once what they share."""
    from xdist.scheduler import LoadGroupScheduling

    class ByFile(LoadGroupScheduling):
        # To look through 19,000 groups of one test each takes xdist longer than many a test.
        def _split_scope(self, nodeid: str) -> str:
            group = super()._split_scope(nodeid)
            return nodeid.partition("::")[0] if group == nodeid else group

    return ByFile(config, log) if config.option.dist == "loadgroup" else None


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """What was collected stays: to look through it for garbage takes half a second each time."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    gc.unfreeze()


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
