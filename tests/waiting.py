"""Waiting for what another thread or process does."""

from collections.abc import Callable
from time import sleep
from typing import Any


def until(happened: Callable[[], Any]) -> Any:
    """What this gives once it is true; asked for minutes, so that a test that would hang fails instead."""
    for _ in range(10_000):
        if found := happened():
            return found
        sleep(0.02)
    raise AssertionError("it never happened")
