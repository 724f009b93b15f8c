"""A progress bar for work that takes longer than a moment: on a terminal only, and on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress

Item = TypeVar("Item")

_MOMENT = 1.0
_HIDDEN = ContextVar("hidden", default=False)


@contextmanager
def hidden() -> Iterator[None]:
    """No bars meanwhile."""
    before = _HIDDEN.set(True)
    try:
        yield
    finally:
        _HIDDEN.reset(before)


def _is_due(started: float) -> bool:
    return monotonic() - started > _MOMENT and sys.stderr.isatty() and not _HIDDEN.get()


def shown(items: Iterable[Item], total: int, what: str) -> Iterator[Item]:
    """The same items; once a second has passed, with a bar that says how far it is.

    Work without a name in `what` shows none: it is part of another.
    """
    started, rest = monotonic(), iter(items)
    for done, item in enumerate(rest, 1):
        yield item
        if what and done < total and _is_due(started):
            from rich.console import Console
            from rich.progress import track

            console = Console(stderr=True)
            yield from track(rest, what, total, completed=done, console=console, transient=True)
            return


def steps(total: int, what: str) -> Iterator[int]:
    """Counts up to the total, and shows how far it is."""
    return shown(range(total), total, what)


@contextmanager
def scanning(total: int, what: str) -> Iterator[Callable[[int, int], None]]:
    """Tell it how many more bytes and rows were read; once a second has passed, a bar shows how far it is."""
    started = monotonic()
    bar: Progress | None = None
    done = rows = 0

    def advance(more_bytes: int, more_rows: int) -> None:
        nonlocal bar, done, rows
        done, rows = done + more_bytes, rows + more_rows
        if bar is None and what and _is_due(started):
            bar = _bar_of_bytes()
            bar.add_task(what, total=total, rows="")
            bar.start()
        if bar is not None:
            bar.update(bar.task_ids[0], completed=done, rows=f"{rows:,} rows")

    try:
        yield advance
    finally:
        if bar is not None:
            bar.stop()


def _bar_of_bytes() -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[rows]}"),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(compact=True),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)
