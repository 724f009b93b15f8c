"""What pytest loads: `assert_metric` and `assert_not_worse`, and a list of what was asserted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tallymark.integrations.asserting import assert_metric as metric_asserted
from tallymark.integrations.asserting import assert_not_worse as not_worse_asserted
from tallymark.integrations.asserting import listening

# Properties of a test travel with its report from the workers of pytest-xdist, and into pytest's JUnit file.
_PROPERTIES = {True: "tallymark passed", False: "tallymark failed"}
_QUIETEST = -1
_WORDS = {name: "passed" if passed else "FAILED" for passed, name in _PROPERTIES.items()}


@pytest.fixture(scope="session")
def assert_metric() -> Callable[..., Any]:
    """Fail unless a model keeps what is required: assert_metric(ev, "recall >= 0.8", "ece <= 0.05")."""
    return metric_asserted


@pytest.fixture(scope="session")
def assert_not_worse() -> Callable[..., Any]:
    """Fail if a model is worse than a baseline: assert_not_worse(ev, baseline, "f1", margin=0.01)."""
    return not_worse_asserted


# Not `wrapper=True`: this is loaded by every pytest, and an old one would stop at it.
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Put what a test asserts among its properties."""

    def noted(passed: bool, sentence: str) -> None:
        item.user_properties.append((_PROPERTIES[passed], sentence))

    with listening(noted):
        yield


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What was asserted, test by test."""
    asserted: dict[str, list[tuple[str, object]]] = {}
    for report in (each for reports in terminalreporter.stats.values() for each in reports):
        said = [each for each in getattr(report, "user_properties", ()) if each[0] in _WORDS]
        # The report of a later phase has what the earlier ones have.
        if len(said) > len(asserted.get(report.nodeid, ())):
            asserted[report.nodeid] = said
    if not asserted or terminalreporter.verbosity < _QUIETEST:
        return
    terminalreporter.section("tallymark")
    for test, said in sorted(asserted.items()):
        terminalreporter.write_line(test)
        for name, sentence in said:
            terminalreporter.write_line(f"  {_WORDS[name]}  {sentence}", red=name == _PROPERTIES[False])
