"""`tallymark` and `python -m tallymark`."""

from __future__ import annotations

import sys


def run() -> int:
    """Run the command line; also while it is being imported, an interruption is one line and its own code."""
    try:
        from tallymark.cli import main

        code = main()
    except KeyboardInterrupt:
        sys.stderr.write("tallymark: interrupted.\n")
        code = 130
    # An interruption within code that is compiled from text, as in namedtuple, would make Python end itself
    # by the signal though it was caught; the next such code makes it forget that.
    exec("")
    return code


if __name__ == "__main__":
    sys.exit(run())
