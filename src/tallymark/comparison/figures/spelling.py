"""Names of models in a picture: short, and still telling the models apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from tallymark.drawing import distinct, terminal
from tallymark.drawing.escape import ELLIPSIS, cells, head, tail

_LONGEST = 40
_SHORT = 16
# Fewer letters than this of the beginning of a name say nothing.
_LEAST = 3
# Words, numbers such as 0.1, and every sign between them.
_PARTS = re.compile(r"(?:[^\s_./:,;=+|()-]|(?<=\d)\.(?=\d))+|.", re.DOTALL)


def spelled(names: Sequence[str]) -> list[str]:
    """In quotation marks, spelled as in a legend, and different ones still different."""
    return [f"'{name}'" for name in shortened(list(map(terminal, names)), _LONGEST)]


def shortened(names: Sequence[str], longest: int = _SHORT) -> list[str]:
    """Short enough to stand beside each other, and different ones still different.

    Long names that begin alike keep what differs between them, and lose what they have in common.

    >>> shortened(["forest_of_500_trees_with_seed_1_on_v2", "forest_of_500_trees_with_seed_2_on_v2"], 16)
    ['forest_…_seed_1…', 'forest_…_seed_2…']
    """
    different = list(dict.fromkeys(names))
    families: dict[tuple[str, int], list[str]] = {}
    for name in different:
        if cells(name) > longest:
            parts = _PARTS.findall(name)
            families.setdefault((parts[0], len(parts)), []).append(name)
    shown = {name: name for name in different}
    for family in families.values():
        if len(family) > 1:
            shown |= dict(zip(family, _telling(family, longest), strict=True))
    short = dict(zip(different, distinct(list(shown.values()), longest), strict=True))
    if len(set(short.values())) < len(different):
        return distinct(list(names), longest)
    return [short[name] for name in names]


def _telling(names: Sequence[str], longest: int) -> list[str]:
    """Names of as many parts each, without what they have in common, as far as there is no room for it."""
    parts = [_PARTS.findall(name) for name in names]
    before, after = _alike(parts), _alike([each[::-1] for each in parts])
    own = [each[before : len(each) - after] for each in parts]
    if max(cells("".join(each)) for each in own) + 2 > longest:
        own = [list(each) for each in zip(*_without_equal(own), strict=True)]
    end = ELLIPSIS if after else ""
    beginning = "".join(parts[0][:before])
    return [_led(beginning, "".join(each) + end, longest) for each in own]


def _alike(parts: Sequence[Sequence[str]]) -> int:
    """How many parts all names begin with."""
    return sum(takewhile(bool, (len(set(place)) == 1 for place in zip(*parts, strict=True))))


def _without_equal(own: Sequence[Sequence[str]]) -> Iterator[Sequence[str]]:
    """Part by part of all names, with an ellipsis for what is the same in them."""
    left_out = False
    for place in zip(*own, strict=True):
        equal = len(set(place)) == 1
        if not equal or not left_out:
            yield [ELLIPSIS] * len(place) if equal else place
        left_out = equal


def _led(beginning: str, own: str, longest: int) -> str:
    """What is a name's own, after as much of its beginning as there is room for."""
    room = longest - cells(own)
    if cells(beginning) <= room:
        return beginning + own
    if room <= 2 * _LEAST:
        return ELLIPSIS + tail(beginning, max(room - 1, 0)) + own
    near = tail(beginning, (room - 1) // 2)
    return head(beginning, room - 1 - cells(near)) + ELLIPSIS + near + own
