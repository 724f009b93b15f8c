"""Puts a run over all libraries into docs/conformance.md.

`python tools/conformance/write_results.py`, where all of them are installed, torchmetrics and torch too.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

from tallymark.conformance import conform
from tallymark.conformance.peers import PEERS
from tallymark.drawing import markdown

DOCUMENT = Path(__file__).parents[2] / "docs" / "conformance.md"
START, END = "<!-- results -->\n", "<!-- end of results -->\n"


def main() -> None:
    absent = [peer.package for peer in PEERS.values() if not peer.installed]
    if absent:
        raise SystemExit(f"not installed: {', '.join(absent)}")
    drawn = markdown(conform(["all"]).document())
    # One level deeper, because the document has a title of its own.
    body = re.sub("^## ", "### ", drawn, flags=re.MULTILINE)
    made = f"Run on {datetime.now(UTC):%Y-%m-%d}, by `tallymark conform all`. {body}\n"
    before, _, rest = DOCUMENT.read_text("utf-8").partition(START)
    after = rest.partition(END)[2]
    DOCUMENT.write_text(f"{before}{START}\n{made}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
