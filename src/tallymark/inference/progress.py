"""A progress bar for work that takes longer than a moment: on a terminal only, and on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from time import monotonic
from typing import TypeVar

Item = TypeVar("Item")

_MOMENT = 1.0


def shown(items: Iterable[Item], total: int, what: str) -> Iterator[Item]:
    """The same items; once a second has passed, with a bar that says how far it is.

    Work without a name in `what` shows none: it is part of another.
    """
    started, rest = monotonic(), iter(items)
    for done, item in enumerate(rest, 1):
        yield item
        if what and done < total and monotonic() - started > _MOMENT and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import track

            console = Console(stderr=True)
            yield from track(rest, what, total, completed=done, console=console, transient=True)
            return


def steps(total: int, what: str) -> Iterator[int]:
    """Counts up to the total, and shows how far it is."""
    return shown(range(total), total, what)
