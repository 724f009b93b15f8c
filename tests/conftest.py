"""What all tests share: options, profiles of Hypothesis, snapshots, and by which worker tests are run."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# Helpers of tests are imported by their names.
sys.path.insert(0, str(Path(__file__).parent))

from snapshot_files import Snapshots

# No deadlines: they are clocks. The same examples each time, for a test that fails must fail again.
settings.register_profile(
    "default", max_examples=15, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "thorough", max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("default")
# Tests start some hundred processes, which would all compile the same modules again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tallymark's own tests")
    group.addoption("--thorough", action="store_true", help="slow tests too, and 200 examples of each law")
    group.addoption("--snapshots", action="store_true", help="write tests/snapshots anew; runs nothing else")


SNAPSHOTS = pytest.StashKey[Snapshots]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[SNAPSHOTS] = Snapshots(update=config.option.snapshots)
    if config.option.thorough:
        settings.load_profile("thorough")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    def is_wanted(item: pytest.Item) -> bool:
        if config.option.snapshots:
            return "snapshot" in getattr(item, "fixturenames", ())
        return config.option.thorough or not item.get_closest_marker("thorough")

    left_out = [item for item in items if not is_wanted(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if is_wanted(item)]


@pytest.fixture(scope="session")
def snapshot(pytestconfig: pytest.Config) -> Snapshots:
    """`snapshot(surface, texts)` compares texts, by the names of their cases, with snapshots/SURFACE.txt."""
    return pytestconfig.stash[SNAPSHOTS]


def pytest_terminal_summary(terminalreporter: Any, exitstatus: int, config: pytest.Config) -> None:
    """Where all tests wrote their snapshots, those that none wrote are of tests that are gone."""
    chosen = config.args_source is not config.ArgsSource.TESTPATHS or any(
        config.getoption(name, None)
        for name in ("keyword", "markexpr", "deselect", "ignore", "ignore_glob", "lf", "numprocesses")
    )
    by_all = not chosen and not hasattr(config, "workerinput")  # workers of xdist have a part each
    passed = exitstatus == 0 and not terminalreporter.stats.get("skipped")
    if config.option.snapshots and by_all and passed:
        for name in config.stash[SNAPSHOTS].remove_others():
            terminalreporter.write_line(f"removed {name}, which no test wrote")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Tests of a file that name no group are run by one worker, which makes once what they share."""
    from xdist.scheduler import LoadGroupScheduling

    class ByFile(LoadGroupScheduling):
        # To look through a group for each test takes xdist longer than many a test.
        def _split_scope(self, nodeid: str) -> str:
            group = super()._split_scope(nodeid)
            return nodeid.partition("::")[0] if group == nodeid else group

        # xdist would run a test that ended its worker again, in one worker after the other.
        def remove_node(self, node: Any) -> Any:
            for unit in self.assigned_work[node].values():
                for test in (test for test, done in unit.items() if not done):
                    unit[test] = True
                    super().remove_node(node)
                    return test
            return super().remove_node(node)

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
