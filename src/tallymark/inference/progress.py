"""A progress bar for work that takes longer than a moment: on a terminal only, and on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from time import monotonic

_MOMENT = 1.0


def steps(total: int, what: str) -> Iterator[int]:
    """Counts up to the total, and shows how far it is once a second has passed."""
    started = monotonic()
    for step in range(total):
        if monotonic() - started > _MOMENT and sys.stderr.isatty():
            yield from _shown(step, total, what)
            return
        yield step


def _shown(start: int, total: int, what: str) -> Iterator[int]:
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    yield from track(range(start, total), what, completed=start, total=total, console=console, transient=True)
