"""What curves share: how one is asked, spelled, thinned and handed to the pen."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.drawing import bracketed, count, percent, percents_together
from tallymark.errors import OptionError
from tallymark.tallies import Binary, GroupedScores, Scores
from tallymark.tallies.confusion import frozen

DUST = 1e-12
"""A share such as 0.1 + 0.2 is meant as 0.3: what differs by less is equal."""
MOST_PRINTED = 30
"""Longer curves are printed at chosen points only."""

NO_ROWS = "there are no rows"
NO_POSITIVES = "no row is actually positive"
BINS = "Only bins of the scores were counted, so the curve is known at their edges only."
FINER = (
    "count the scores themselves, without --approximate (approximate=), or finer bins, with --tolerance "
    "(tolerance=)."
)
"""What to do when bins are too wide for an answer."""
_BLOCK = 1 << 16
_SHORT = 7
_MANY = 10


def asked_for(given: Mapping[str, float | None]) -> tuple[str, float]:
    """The one thing a curve is asked for, with its value: a threshold, or a share between 0 and 1."""
    named = {name: value for name, value in given.items() if value is not None}
    if len(named) != 1:
        choice = " or ".join(f"{name}=" for name in given)
        got = ", ".join(f"{name}={value!r}" for name, value in named.items()) or "nothing"
        raise OptionError(f"ask for one of {choice}; got {got}.")
    ((name, value),) = named.items()
    try:
        value = float(value)
    except (TypeError, ValueError):
        raise OptionError(f"{name} must be a number; got {value!r}.") from None
    if math.isnan(value) or (name != "threshold" and not 0 <= value <= 1):
        expected = "a number" if name == "threshold" else "between 0 and 1"
        raise OptionError(f"{name} must be {expected}; got {value!r}.")
    return name, value


def row_at(scores: Scores, threshold: float) -> int:
    """Where among the cuts the rows with `score >= threshold` stand; within a bin nobody knows."""
    if within_bin(scores, threshold):
        # In all digits: fewer would be within a bin again.
        raise OptionError(
            f"the threshold {spelled(float(threshold))} is within a bin, and only bins were counted.",
            hint=f"ask at an edge of the bins, such as {spelled(_edge_below(scores, threshold))}.",
        )
    return int(scores.called(threshold))


def within_bin(scores: Scores, threshold: float) -> bool:
    """Whether nobody knows which rows reach a threshold, because it is above the edge of a bin it is in."""
    edges, reach = scores.edges, scores.reach
    if edges is not None:
        return bool(edges[0] < threshold <= edges[-1] and threshold not in edges[:-1])
    place = scores.called(threshold)
    return reach is not None and place < len(reach) and bool(threshold <= reach[place])


def _edge_below(scores: Scores, threshold: float) -> float:
    if scores.edges is None:
        return float(scores.score[scores.called(threshold)])
    return float(scores.edges[np.searchsorted(scores.edges, threshold) - 1])


def why_undefined(scores: Scores) -> str | None:
    """Why there is no recall, if there is none."""
    if not scores.n:
        return NO_ROWS
    return None if scores.n_positive else NO_POSITIVES


def no_curve(why: str) -> OptionError:
    """What to raise when a point of an undefined curve is asked for."""
    return OptionError(f"there is no curve: {why}.", about_data=True)


def kept(size: int, most: int, always: Iterable[int] = ()) -> NDArray[np.intp]:
    """At most about `most` of so many points, evenly, with the first, the last and those always kept."""
    if most < 2:
        raise OptionError(f"most must be at least 2 points; got {most!r}.")
    if size <= most:
        return np.arange(size)
    even = np.linspace(0, size - 1, most).round().astype(np.intp)
    return np.union1d(even, np.fromiter(always, np.intp))


def plain(values: NDArray[Any]) -> list[Any]:
    """Numbers for JSON: whatever is not finite is None."""
    if values.dtype.kind != "f":
        return list(values.tolist())
    return [value if math.isfinite(value) else None for value in values.tolist()]


def finite(value: float | None) -> float | None:
    """One number for JSON."""
    return value if value is not None and math.isfinite(value) else None


def thinned(columns: Mapping[str, NDArray[Any]], most: int, always: Iterable[int] = ()) -> dict[str, Any]:
    """The columns for JSON, and how many points there are."""
    size = len(next(iter(columns.values())))
    rows = kept(size, most, always)
    return {
        **{name: plain(values[rows]) for name, values in columns.items()},
        "points": size,
        "thinned": len(rows) < size,
    }


def cut(scores: Scores, place: int) -> str:
    """The threshold of one of the cuts, as short as it can be and still take the same rows."""
    return cut_at(scores, float(scores.thresholds[place]))


def cut_at(scores: Scores, threshold: float) -> str:
    """Any threshold, as short as it can be and still take the same rows.

    >>> scores = Scores(np.array([0.9234567, 0.7]), np.array([1, 1]), np.array([0, 2]))
    >>> cut_at(scores, 0.9234567), cut_at(scores, 0.8), cut_at(scores, 0.15898254)
    ('0.923', '0.8', '0.159')
    """
    if scores.edges is not None or math.isinf(threshold):
        return spelled(threshold)
    place = scores.called(threshold)
    # Equal scores are called positive, and the next lower ones not.
    lower = scores.score if scores.reach is None else scores.reach
    low = float(lower[place]) if place < len(lower) else -math.inf
    return spelled(threshold, low, float(scores.score[place - 1]) if place else math.inf)


def spelled_up(low: float, high: float) -> str:
    """A number with few digits that is not below `low`, and below `high`.

    >>> spelled_up(0.8422996, 0.8423019), spelled_up(0.1, 0.95)
    ('0.8423', '0.1')
    """
    text = spelled(-low, -high)
    return text.removeprefix("-") if text.startswith("-") else text if float(text) == 0 else f"-{text}"


def spelled(high: float, low: float | None = None, most: float | None = None) -> str:
    """A number with few digits that is above `low` and not above `high`; without `low`, just `high`.

    With `most`, which is not below `high`, it is rounded, up to there.

    >>> spelled(0.8423019127364518, 0.8422996), spelled(0.95, 0.1), spelled(12.0)
    ('0.8423', '0.95', '12')
    >>> spelled(0.15898254, 0.15, 0.17), spelled(0.15898254, 0.15)
    ('0.159', '0.158')
    """
    whole = f"{high:.17g}" if math.isinf(high) else repr(high).removesuffix(".0")
    if low is None or len(whole) <= _SHORT:
        return whole
    for digits in range(3, 17):
        for rounding in (ROUND_HALF_EVEN, ROUND_FLOOR):
            text = f"{float(Context(digits, rounding).create_decimal(Decimal(high))):.{digits}g}"
            if low < float(text) <= (high if most is None else most):
                return text
    return whole


def amount(scores: Scores, number: float, of: float | None = None) -> str:
    """`104 rows`, `104 of 569 rows`; the weights of rows, when they have weights."""
    about = "" if of is None else f" of {count(of)}"
    if scores.squares is not None:
        return f"a weight of {count(number)}{about}"
    if number != round(number) and number > _MANY:
        return f"about {count(round(number))}{about} rows"
    return f"{count(number)}{about} {'row' if (of or number) == 1 else 'rows'}"


def share_of(share: float) -> str:
    """`20 %`, `18.3 %`: a share in a sentence."""
    value = 100 * share
    if abs(value - round(value)) < DUST * 100:
        return f"{round(value)} %"
    return f"{percent(share).removesuffix('%')} %"


def share_with_interval(share: float, low: float | None, high: float | None) -> str:
    """`80.2 % [72.3 %, 86.2 %]`: a share and its interval in a sentence."""
    if low is None or high is None:
        return share_of(share)
    value, *ends = percents_together(share, low, high)
    return f"{value} {bracketed(*ends)}"


def assumed(scores: Scores, groups: GroupedScores | None, where: str = "") -> str:
    """What intervals take for granted; with weights, where rows were counted in Kish's way."""
    if groups is not None:
        return f"independent groups ({len(groups):,} of them)"
    kish = f"; n is Kish's effective number of them{where}"
    return "independent rows" + ("" if scores.squares is None else kish)


def drawn(figure: Any, ax: Any) -> Any:
    """The figure on the axes given, or on new ones; the axes are handed back."""
    from tallymark.drawing.plots.pen import draw

    return draw(figure, ax)


def in_blocks(size: int, worked_out: Callable[[slice], Any]) -> NDArray[np.float64]:
    """An array worked out piece by piece, so that what lies between takes next to no room."""
    values = np.empty(size)
    for start in range(0, size, _BLOCK):
        at = slice(start, start + _BLOCK)
        values[at] = worked_out(at)
    return frozen(values)


def counts_at(scores: Scores, place: int) -> Binary:
    """The four counts at one of the thresholds, as plain numbers."""
    cut = scores.cuts(slice(place, place + 1))
    return Binary(cut.tp.item(), cut.fn.item(), cut.fp.item(), cut.tn.item())


def first_called(scores: Scores) -> int:
    """The place of the first threshold at which something is called positive."""
    return int(min(np.searchsorted(side, 0, side="right") for side in (scores.tp, scores.fp)))
