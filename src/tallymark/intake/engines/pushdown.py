"""Guarded group-bys, run by the engine that holds the rows: what comes back is as small as the counts.

Engines disagree about values that are no numbers, so those become null before anything is asked of them, and
what is counted is chosen by `when`, never by a comparison that may be null.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tallymark.errors import ColumnError, NotNumbersError
from tallymark.intake.columns import titled
from tallymark.intake.streams.door import Reading
from tallymark.intake.weights import LARGEST, NEGLIGIBLE
from tallymark.tallies import Label
from tallymark.tallies.grid import Grid
from tallymark.tallies.merging import EXACT
from tallymark.tallies.tally import Declared

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw

    Frame = nw.LazyFrame[Any]
    Kinds = Mapping[str, Any]

MOST_CUTS = 64
"""Cuts of a grid make a query long, so with more of them scores are better looked up."""
WEIGHS = 1
"""The state of weights that count; all others are told apart, so that what is wrong is counted rightly."""
_INFINITE = -9
_LARGEST = 2**63 - 1
_PLAIN, _BEYOND = 0, 1
"""Whether a whole number can be held by a float."""


@dataclass(frozen=True)
class Asked:
    """What one group-by is to count."""

    reading: Reading
    declared: Declared
    slices: tuple[str, ...] = ()
    """The columns that are sliced by here; of others only whether they are missing."""
    file: str | None = None
    """A column with the file that a row is from."""

    @property
    def grid(self) -> Grid | None:
        return self.declared.grid if self.reading.roles.score is not None else None


def grouped(frame: Frame, kinds: Kinds, asked: Asked) -> Frame:
    """The query: a row for all rows that are counted in the same place, and what they add up to."""
    import narwhals.stable.v2 as nw

    roles = asked.reading.roles
    frame = _chosen(frame, kinds, asked)
    keys, totals = _labels(asked), [nw.len().alias("rows")]
    if asked.file is not None:
        totals.append(nw.col("file").min().alias("file"))
    if roles.weight is not None:
        keys.append("state")
        totals += _of_weights()
    if asked.grid is not None:
        frame, more = _on_grid(frame, asked.grid, weighed=roles.weight is not None)
        keys += ["beyond score", "place", "cut"]
        totals += more
    elif roles.score is not None:
        keys += ["exact score", "score"]
    return frame.group_by(*keys).agg(*totals)


def losses(frame: Frame, kinds: Kinds, asked: Asked, positive: Sequence[Label]) -> Frame:
    """The query for what the losses of rows that count add up to, of those whose score is a probability.

    `positive` are the actual labels, as they are written, of the class that a score is about.
    """
    import narwhals.stable.v2 as nw

    frame, keys = _chosen(frame, kinds, asked), _labels(asked)
    there = [~nw.col(key).is_null() for key in [*keys, "score"]]
    weighed = asked.reading.roles.weight is not None
    if weighed:
        there.append(nw.col("state") == WEIGHS)
        frame = frame.with_columns(*_factors(asked.reading.weight_kind))
    frame = _with_losses(frame.filter(*there), positive, asked.declared.clip)
    totals = [nw.len().alias("rows"), nw.col("hit").max().alias("hit")]
    for loss in ("brier", "log loss"):
        value, (one, two) = nw.col(loss), ("first", "second") if weighed else (None, None)
        totals.append(_total(value, one).alias(loss))
        totals.append(_total(value * value, two).alias(f"{loss} squares"))
        if weighed:
            totals.append(_total(value, two).alias(f"{loss} weighted"))
    for name, factor in (("endless", "first"), ("endless squares", "second")):
        totals.append(_total(nw.col("endless"), factor if weighed else None).alias(name))
    return frame.group_by(*keys).agg(*totals)


def _chosen(frame: Frame, kinds: Kinds, asked: Asked) -> Frame:
    """What is asked of every row, by its role."""
    import narwhals.stable.v2 as nw

    roles = asked.reading.roles
    sides = {"actual": roles.actual, "predicted": roles.predicted}
    chosen = [
        label_key(str(name), kinds[str(name)], role).alias(role)
        for role, name in sides.items()
        if name is not None
    ]
    for place, name in enumerate(roles.slices):
        value = label_key(name, kinds[name], "slice")
        if name not in asked.slices:
            value = nw.when(~value.is_null()).then(nw.lit(True))
        chosen.append(value.alias(f"slice {place}"))
    for role, number in (("score", roles.score), ("weight", roles.weight)):
        if number is not None:
            chosen += _number(number, role, kinds[number])
    if asked.file is not None:
        chosen.append(nw.col(asked.file).alias("file"))
    frame = frame.select(*chosen)
    if roles.weight is None:
        return frame
    return frame.with_columns(_state(asked.reading.weight_kind).alias("state"))


def _labels(asked: Asked) -> list[str]:
    """The columns of labels and slices."""
    roles = asked.reading.roles
    sides = ["actual"] if roles.predicted is None else ["actual", "predicted"]
    return [*sides, *(f"slice {place}" for place in range(len(roles.slices)))]


def label_key(name: str, kind: Any, role: str) -> nw.Expr:
    """A label as a key: 0.0 and -0.0 are one, and what is no number is missing."""
    import narwhals.stable.v2 as nw

    if kind.is_nested() or kind in (nw.Binary, nw.Duration):
        raise ColumnError(
            f"{titled(role, name)} is of type {kind}; labels are text, whole numbers or booleans."
        )
    column = nw.col(name)
    return nw.when(~column.is_nan()).then(column + 0.0) if kind.is_float() else column


def _number(name: str, role: str, kind: Any) -> list[nw.Expr]:
    """A number as a float, null where it is none; and as it came, where that is a whole one."""
    import narwhals.stable.v2 as nw

    if not (kind.is_numeric() or kind == nw.Boolean):
        raise NotNumbersError(f"{titled(role, name)} is of type {kind}; numbers are expected.")
    column = nw.col(name)
    if kind == nw.Boolean:
        column = nw.when(column).then(nw.lit(1)).otherwise(nw.when(~column).then(nw.lit(0)))
    floating = column.cast(nw.Float64)
    if kind.is_float():
        floating = nw.when(~floating.is_nan()).then(floating + 0.0)
    if role == "weight" and kind.is_float():
        negligible = (floating > 0) & (floating < NEGLIGIBLE)
        floating = nw.when(negligible).then(nw.lit(0.0)).otherwise(floating)
    whole, beyond = floating, nw.lit(_PLAIN)
    if kind.is_integer():
        whole = _held(column, kind)
        beyond = nw.when((whole > EXACT) | (whole < -EXACT)).then(nw.lit(_BEYOND)).otherwise(nw.lit(_PLAIN))
    return [floating.alias(role), whole.alias(f"exact {role}"), beyond.alias(f"beyond {role}")]


def _held(column: nw.Expr, kind: Any) -> nw.Expr:
    """Whole numbers in 64 bits; what those do not hold becomes the largest or the least of them."""
    import narwhals.stable.v2 as nw

    if kind in (nw.UInt64, nw.Int128, nw.UInt128):
        column = nw.when(column > _LARGEST).then(nw.lit(_LARGEST)).otherwise(column)
    if kind == nw.Int128:
        column = nw.when(column < -_LARGEST).then(nw.lit(-_LARGEST)).otherwise(column)
    return column.cast(nw.Int64)


def _finite(column: nw.Expr) -> nw.Expr:
    return column.abs() <= sys.float_info.max


def _state(kind: str) -> nw.Expr:
    """Whether a weight counts: no number, a negative one, one too large and so on are states of their own."""
    import narwhals.stable.v2 as nw

    weight = nw.col("weight")
    small = nw.when(weight.abs() <= EXACT).then(weight).otherwise(nw.lit(0.0))
    odd = (small.floor() < small) if kind == "frequency" else nw.lit(False)
    states = (
        (weight.is_null(), 0),
        (~_finite(weight), 2),
        (nw.col("beyond weight") == _BEYOND, 3),
        (weight < 0, 4),
        (weight > LARGEST, 5),
        (odd, 6),
        (weight == 0, 7),
    )
    chosen: nw.Expr = nw.lit(WEIGHS)
    for condition, state in reversed(states):
        chosen = nw.when(condition).then(nw.lit(state)).otherwise(chosen)
    return chosen


def _of_weights() -> list[nw.Expr]:
    """What the weights of a group add up to, and whether all of them are whole numbers."""
    import narwhals.stable.v2 as nw

    weight = nw.col("weight")
    counts = nw.when(nw.col("state") == WEIGHS).then(weight).otherwise(nw.lit(0.0))
    small = nw.when(counts <= EXACT).then(counts).otherwise(nw.lit(0.0))
    odd = nw.when(small.floor() < small).then(nw.lit(1)).otherwise(nw.lit(0))
    return [
        nw.col("exact weight").min().alias("weight"),
        counts.sum().alias("sum"),
        (counts * counts).sum().alias("squares"),
        counts.max().alias("heaviest"),
        odd.sum().alias("odd"),
    ]


def _on_grid(frame: Frame, grid: Grid, *, weighed: bool) -> tuple[Frame, list[nw.Expr]]:
    """With the bin of every score, and all that is added up in it."""
    import narwhals.stable.v2 as nw

    score, finite = nw.col("score"), nw.col("finite")
    # A column of its own, for it is asked for again and again.
    frame = frame.with_columns(nw.when(_finite(score)).then(score).alias("finite"))
    # Clipped before and not after: what is rounded down may leave whole numbers of 64 bits.
    scaled = (finite - grid.low) if grid.low else finite
    scaled = (scaled * (grid.bins / (grid.high - grid.low))).clip(-1.0, float(grid.bins))
    infinite = nw.when(~_finite(score)).then(nw.lit(_INFINITE))
    place = nw.when(_finite(score)).then(scaled.floor().cast(nw.Int64)).otherwise(infinite)
    frame = frame.with_columns(place.alias("place"), _between(grid.cuts.tolist()).alias("cut"))
    part = finite.clip(0.0, 1.0)
    if weighed:
        part = part * nw.when(nw.col("state") == WEIGHS).then(nw.col("weight")).otherwise(nw.lit(0.0))
    return frame, [
        nw.col("exact score").min().alias("low"),
        nw.col("exact score").max().alias("high"),
        part.sum().alias("total"),
    ]


def _between(cuts: Sequence[float], below: int = 0) -> nw.Expr:
    """How many cuts are not above a score, halving them, so that each row is compared with few."""
    import narwhals.stable.v2 as nw

    if not cuts:
        return nw.lit(below)
    middle = len(cuts) // 2
    above = _between(cuts[middle + 1 :], below + middle + 1)
    return nw.when(nw.col("finite") >= cuts[middle]).then(above).otherwise(_between(cuts[:middle], below))


def _total(value: nw.Expr, factor: str | None) -> nw.Expr:
    import narwhals.stable.v2 as nw

    return (value if factor is None else value * nw.col(factor)).sum()


def _factors(kind: str) -> list[nw.Expr]:
    """What a row adds to sums, and to sums of squares: nothing if its weight is none."""
    import narwhals.stable.v2 as nw

    weight = nw.when(nw.col("state") == WEIGHS).then(nw.col("weight")).otherwise(nw.lit(0.0))
    return [weight.alias("first"), (weight if kind == "frequency" else weight * weight).alias("second")]


def _hit(positive: Sequence[Label]) -> nw.Expr:
    """1 for rows of the class that a score is about."""
    import narwhals.stable.v2 as nw

    hit: nw.Expr = nw.lit(0)
    for label in positive:
        hit = nw.when(nw.col("actual") == nw.lit(label)).then(nw.lit(1)).otherwise(hit)
    return hit


def _with_losses(frame: Frame, positive: Sequence[Label], clip: float) -> Frame:
    """How far a probability is from the truth, and how often that is without end."""
    import narwhals.stable.v2 as nw

    score, chance, hit = nw.col("score"), nw.col("chance"), nw.col("hit")
    probable = nw.when((score >= 0.0) & (score <= 1.0)).then(score)
    frame = frame.with_columns(_hit(positive).alias("hit"), probable.alias("chance"))
    frame = frame.with_columns((chance.clip(clip, 1 - clip) if clip else chance).alias("kept"))
    frame = frame.with_columns(
        nw.when(hit == 1).then(1.0 - chance).otherwise(chance).alias("distance"),
        # log(1 - p) loses what 1 - p rounds away, unless that is given back (Kahan's correction).
        (1.0 - nw.col("kept")).alias("rest"),
    )
    right = nw.when(hit == 1).then(nw.col("kept")).otherwise(nw.col("rest"))
    frame = frame.with_columns(right.alias("right"))
    possible = nw.when(nw.col("right") > 0.0).then(nw.col("right"))
    lost = nw.when(hit == 1).then(nw.lit(0.0)).otherwise((nw.col("rest") - 1.0) + nw.col("kept"))
    return frame.with_columns(
        (nw.col("distance") * nw.col("distance")).alias("brier"),
        (lost / possible - possible.log()).alias("log loss"),
        nw.when(nw.col("right") == 0.0).then(nw.lit(1.0)).otherwise(nw.lit(0.0)).alias("endless"),
    )
