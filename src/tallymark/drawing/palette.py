"""How series and shares look, whatever the pen."""

from __future__ import annotations

import math
from typing import TypeAlias

from .figure import Line

Dashes: TypeAlias = tuple[float, ...]
"""Lengths of ink and of paper by turns, in widths of the line; none for a solid line."""

# Told apart with any kind of colour blindness (Okabe and Ito 2008), and dark enough to be read on white.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#9000F0")
GREY = "#767676"
_PATTERNS: tuple[Dashes, ...] = (
    (),
    (5, 1.8),
    (1.2, 1.2),
    (5, 1.5, 1.2, 1.5),
    (10, 2),
    (5, 1.5, 1.2, 1.5, 1.2, 1.5),
)
_REFERENCE: Dashes = (4, 3)
_FAINT: Dashes = (1, 1.5)
_DASHED: Dashes = (3.5, 2.2)

SHADES = ("#FFFFFF", "#9CC6E0", "#0072B2", "#00314D")
"""From none to all, at equal distances."""
NO_SHARE = "#EEEEEE"
LEVELS = 10
"""Where shares are shaded in steps, from 0 to this."""
_BLACK, _WHITE = "#000000", "#FFFFFF"


def colour_of(series: int | None) -> str:
    return GREY if series is None else PALETTE[series % len(PALETTE)]


def line_dashes(line: Line) -> Dashes:
    """Of its own kind, or of its series: after six the colours come again, with other dashes."""
    if line.faint:
        return _FAINT
    if line.dashed:
        return _DASHED
    if line.series is None:
        return _REFERENCE
    return _PATTERNS[(line.series + line.series // len(PALETTE)) % len(_PATTERNS)]


def shade(share: float) -> str:
    """The colour of a share, NaN for none.

    >>> shade(0.0), shade(0.5), shade(1.0)
    ('#FFFFFF', '#4E9CC9', '#00314D')
    """
    if math.isnan(share):
        return NO_SHARE
    place = share * (len(SHADES) - 1)
    first = min(int(place), len(SHADES) - 2)
    pairs = zip(_parts(SHADES[first]), _parts(SHADES[first + 1]), strict=True)
    return "#" + "".join(f"{round(one + (other - one) * (place - first)):02X}" for one, other in pairs)


def ink_on(colour: str) -> str:
    """Black or white, whichever contrasts more (WCAG 2, relative luminance)."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (byte / 255 for byte in _parts(colour))
    )
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return _BLACK if (luminance + 0.05) ** 2 > 1.05 * 0.05 else _WHITE


def _parts(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
