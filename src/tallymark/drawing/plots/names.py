"""Scales with names instead of numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axes._secondary_axes import SecondaryAxis
from matplotlib.axis import Axis as Scale
from matplotlib.ticker import FixedLocator

from tallymark.drawing.figure import Axis, Names

from .words import SMALL, Words

# In points for each column of a paper that the panel is wide, for the names on its left.
_ROOM = 80.0
# Beside an upright scale, so that an arrow at the edge does not touch a name.
_PAD = 6.0
_BETWEEN = 4.0
# How high a line is, against the size of its letters, and the smallest letters as a part of the base size.
_LINE = 1.15
_SMALLEST = 0.4


def write_names(ax: Axes, scale: Scale, axis: Axis, wide: float, words: Words) -> list[SecondaryAxis]:
    """The names at their places; returns the scale on the opposite side, if it has names."""
    if not axis.named:
        return []
    across = scale is ax.xaxis
    shown = [words.label(name) for _, name in axis.names]
    _write(scale, axis.names, shown if across else words.cut(shown, _ROOM * wide, SMALL), words)
    if not across:
        scale.set_tick_params(length=0, pad=_PAD)
    if not axis.second_names:
        return []
    second = ax.secondary_xaxis("top") if across else ax.secondary_yaxis("right")
    second.spines[:].set_visible(False)
    other = second.xaxis if across else second.yaxis
    # These may be numbers, which lose no figures for want of room.
    _write(other, axis.second_names, [words.label(name) for _, name in axis.second_names], words)
    if not across:
        other.set_tick_params(length=0, pad=_PAD)
    return [second]


def is_named(scale: Scale) -> bool:
    return isinstance(scale.get_major_locator(), FixedLocator)


def fit_names(axes: Sequence[Axes | SecondaryAxis], size: tuple[float, float], words: Words) -> None:
    """Names that would run together are turned or, above each other, smaller."""
    for ax in axes:
        if is_named(ax.xaxis):
            _turn(ax.xaxis, size[0], words)
        if is_named(ax.yaxis):
            _shrink(ax.yaxis, size[1], words)


def _write(scale: Scale, names: Names, shown: list[str], words: Words) -> None:
    scale.set_ticks([place for place, _ in names], shown, **words.style(SMALL))


def _turn(scale: Scale, width: float, words: Words) -> None:
    labels = scale.get_ticklabels()
    widest = max((words.width(label.get_text(), SMALL) for label in labels), default=0.0)
    if widest > _closest(scale, width) - _BETWEEN:
        for label in labels:
            label.set(rotation=45, ha="right", rotation_mode="anchor")


def _shrink(scale: Scale, height: float, words: Words) -> None:
    part = _closest(scale, height) / (_LINE * words.font().get_size_in_points())
    if part < SMALL:
        for label in scale.get_ticklabels():
            label.set_fontproperties(words.font(max(part, _SMALLEST)))


def _closest(scale: Scale, length: float) -> float:
    """How far apart the two closest names are, in points."""
    low, high = scale.get_view_interval()
    places = np.unique(scale.get_majorticklocs())
    return float(np.diff(places).min()) / (high - low) * length if len(places) > 1 else np.inf
