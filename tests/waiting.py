"""Waiting for what another thread or process does."""

from collections.abc import Callable
from threading import Event
from typing import Any

import pytest


def until(happened: Callable[[], Any]) -> Any:
    """What this gives once it is true; asked for minutes, so that a test that would hang fails instead."""
    for _ in range(10_000):
        if found := happened():
            return found
        Event().wait(0.02)
    return pytest.fail("it never happened")
