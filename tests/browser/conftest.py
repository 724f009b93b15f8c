"""What the tests in a browser share: the browser, and the pages that are opened in it."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

# Helpers of these tests are imported by their names.
sys.path.insert(0, str(Path(__file__).parent))

from opened import NoBrowser, launched
from reports import REPORTS


@pytest.hookimpl(wrapper=True)  # before xdist looks for groups, wherever this file was found
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """What takes the browser is run by one worker, so that there is one."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("browser"))
    yield


# Not for longer: while Playwright is at work no test of that worker can run a loop of its own, and the scope
# "package" is that of the session where a folder has no __init__.py.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    try:
        with launched() as started:
            yield started
    except NoBrowser as error:
        pytest.fail(str(error))


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The file of a report by its name, written when it is first asked for."""
    folder = tmp_path_factory.mktemp("reports")

    def written(name: str) -> Path:
        path = folder / f"{name}.html"
        if not path.exists():
            path.write_text(REPORTS[name](), encoding="utf-8")
        return path

    return written


@pytest.fixture(scope="session")
def demo(report: Callable[[str], Path]) -> Path:
    return report("demo")
