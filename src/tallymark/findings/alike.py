"""TM005: labels that look alike and may be one class written in two ways."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from typing import TYPE_CHECKING

from tallymark.findings.finding import Finding
from tallymark.tallies.labels import quoted

if TYPE_CHECKING:
    from tallymark.evaluation import Evaluation
    from tallymark.tallies import Label

_SHOWN = 3


def check(ev: Evaluation) -> Finding | None:
    groups: dict[str, list[Label]] = defaultdict(list)
    for label in ev.labels:
        groups[_folded(str(label))].append(label)
    alike = [group for group in groups.values() if len(group) > 1]
    if not alike:
        return None
    shown = "; ".join(" and ".join(quoted(label) for label in group) for group in alike[:_SHOWN])
    more = f"; and {len(alike) - _SHOWN} more" if len(alike) > _SHOWN else ""
    return Finding(
        "TM005",
        f"labels look alike but are counted as different classes: {shown}{more}.",
        {"labels": [[str(label) for label in group] for group in alike]},
    )


def _folded(text: str) -> str:
    """Without case, blanks and Unicode forms; 007 and 7 fold together too."""
    plain = "".join(unicodedata.normalize("NFKC", text).casefold().split())
    invisible = "".join(c for c in plain if unicodedata.category(c) != "Cf")
    return invisible.lstrip("0") or "0" if invisible.isdigit() else invisible
