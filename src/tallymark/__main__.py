"""`tallymark` and `python -m tallymark`."""

from __future__ import annotations

import signal
import sys
from types import FrameType

_INTERRUPTED = 130
_received: list[int] = []
"""The signals, other than Ctrl-C, that ended this program."""


def run() -> int:
    """Run the command line; also while it is being imported, an interruption is one line and its own code."""
    try:
        _end_in_order()
        from tallymark.cli import main

        code = main()
    except KeyboardInterrupt:
        sys.stderr.write("tallymark: interrupted.\n")
        code = _INTERRUPTED
    # An interruption within code that is compiled from text, as in namedtuple, would make Python end itself
    # by the signal though it was caught; the next such code makes it forget that.
    exec("")
    return 128 + _received[0] if _received and code == _INTERRUPTED else code


def _end_in_order() -> None:
    """From now on SIGTERM and SIGHUP, unless they are ignored, clean up as Ctrl-C does."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _interrupt)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    """Pass a signal on as SIGINT, which code that must not be interrupted holds back.

    A process that a shell started in the background ignores SIGINT, but not these signals.
    """
    if _received:
        return
    _received.append(number)
    if signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, signal.SIG_DFL):
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.raise_signal(signal.SIGINT)


if __name__ == "__main__":
    sys.exit(run())
