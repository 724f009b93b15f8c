"""`python -m tallymark`."""

from __future__ import annotations

import sys

from tallymark.cli import main

if __name__ == "__main__":
    sys.exit(main())
