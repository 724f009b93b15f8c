"""Parts of a whole, side by side in one bar."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from tallymark.drawing.figure import Spans

# Of a unit upright, and of the colour of a faint bar.
_HEIGHT = 0.76
_FAINT = 0.3


def draw_bars(ax: Axes, mark: Spans, limits: tuple[float, float], colour: str) -> PathPatch:
    """All in one shape, so that there is no seam where two of them touch, and a file stays small."""
    there = np.isfinite(mark.y) & (mark.low <= mark.high)
    left, right = (np.clip(end[there], *limits) for end in (mark.low, mark.high))
    down, up = mark.y[there] - _HEIGHT / 2, mark.y[there] + _HEIGHT / 2
    corners = np.stack((left, down, right, down, right, up, left, up, left, down), axis=1).reshape(-1, 2)
    codes = [Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY] * len(left)
    # Not transparent: it may lie on another bar.
    shade = _FAINT * np.array(to_rgb(colour)) + 1 - _FAINT if mark.faint else to_rgb(colour)
    bars = PathPatch(Path(corners, codes), facecolor=tuple(shade), edgecolor="none", zorder=3)
    ax.add_patch(bars)
    return bars
