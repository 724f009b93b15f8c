"""Names of models in the sentences of a picture."""

from __future__ import annotations

from collections.abc import Sequence

from tallymark.drawing import distinct, terminal

_LONGEST = 40
_SHORT = 16


def spelled(names: Sequence[str]) -> list[str]:
    """In quotation marks, spelled as in a legend, and different ones still different."""
    return [f"'{name}'" for name in distinct(list(map(terminal, names)), _LONGEST)]


def shortened(names: Sequence[str], longest: int = _SHORT) -> list[str]:
    """Short enough to stand beside each other, and different ones still different."""
    return distinct(list(names), longest)
