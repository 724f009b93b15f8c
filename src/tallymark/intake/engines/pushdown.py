"""One guarded group-by, run by the engine that holds the rows: what comes back is as small as the counts.

Engines disagree about values that are no numbers, so those become null before anything is asked of them, and
what is counted is chosen by `when`, never by a comparison that may be null.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tallymark.errors import NotNumbersError
from tallymark.intake.columns import titled
from tallymark.intake.streams.door import Reading
from tallymark.intake.weights import LARGEST
from tallymark.tallies import Label
from tallymark.tallies.grid import Grid
from tallymark.tallies.merging import EXACT
from tallymark.tallies.tally import Declared

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw

    Frame = nw.LazyFrame[Any]
    Kinds = Mapping[str, Any]

MOST_CUTS = 64
"""Every row is compared with every cut of a grid, so with more of them rows are better looked up."""
WEIGHS = 1
"""The state of weights that count; all others are told apart, so that what is wrong is counted rightly."""
_INFINITE = -9
_PLAIN, _BEYOND = 0, 1
"""Whether a whole number can be held by a float."""


@dataclass(frozen=True)
class Asked:
    """What one group-by is to count."""

    reading: Reading
    declared: Declared
    slices: tuple[str, ...] = ()
    """The columns that are sliced by here; of others only whether they are missing."""
    positive: tuple[Label, ...] = ()
    """The actual labels, as they are written, of the class that a score is about."""
    file: str | None = None
    """A column with the file that a row is from."""

    @property
    def grid(self) -> Grid | None:
        return self.declared.grid if self.reading.roles.score is not None else None


def grouped(frame: Frame, kinds: Kinds, asked: Asked) -> Frame:
    """The query: a row for all rows that are counted in the same place, and what they add up to."""
    import narwhals.stable.v2 as nw

    roles = asked.reading.roles
    assert isinstance(roles.actual, str)
    sides = {"actual": roles.actual, "predicted": roles.predicted}
    chosen = [label_key(str(name), kinds[str(name)]).alias(role) for role, name in sides.items() if name]
    for place, name in enumerate(roles.slices):
        value = label_key(name, kinds[name])
        if name not in asked.slices:
            value = nw.when(~value.is_null()).then(nw.lit(True))
        chosen.append(value.alias(f"slice {place}"))
    keys = [role for role, name in sides.items() if name]
    keys += [f"slice {place}" for place in range(len(roles.slices))]
    totals = [nw.len().alias("rows")]
    for role, number in (("score", roles.score), ("weight", roles.weight)):
        if number is not None:
            chosen += _number(number, role, kinds[number])
    if asked.file is not None:
        chosen.append(nw.col(asked.file).alias("file"))
        totals.append(nw.col("file").min().alias("file"))
    frame = frame.select(*chosen)
    if roles.weight is not None:
        frame = frame.with_columns(_state(asked.reading.weight_kind).alias("state"))
        keys.append("state")
        totals += _of_weights()
    if asked.grid is not None:
        frame, more = _on_grid(frame, asked, asked.grid)
        keys += ["beyond score", "place", "cut"]
        totals += more
    elif roles.score is not None:
        keys += ["exact score", "score"]
    return frame.group_by(*keys).agg(*totals)


def label_key(name: str, kind: Any) -> nw.Expr:
    """A label as a key: 0.0 and -0.0 are one, and what is no number is missing."""
    import narwhals.stable.v2 as nw

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
    whole, beyond = floating, nw.lit(_PLAIN)
    if kind.is_integer():
        whole = column.cast(nw.Int64)
        beyond = nw.when((whole > EXACT) | (whole < -EXACT)).then(nw.lit(_BEYOND)).otherwise(nw.lit(_PLAIN))
    return [floating.alias(role), whole.alias(f"exact {role}"), beyond.alias(f"beyond {role}")]


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


def _on_grid(frame: Frame, asked: Asked, grid: Grid) -> tuple[Frame, list[nw.Expr]]:
    """With the bin of every score, and all that is added up in it."""
    import narwhals.stable.v2 as nw

    score = nw.col("score")
    finite = nw.when(_finite(score)).then(score)
    # Clipped before and not after: what is rounded down may leave whole numbers of 64 bits.
    scaled = (finite - grid.low) if grid.low else finite
    scaled = (scaled * (grid.bins / (grid.high - grid.low))).clip(-1.0, float(grid.bins))
    infinite = nw.when(~_finite(score)).then(nw.lit(_INFINITE))
    place = nw.when(_finite(score)).then(scaled.floor().cast(nw.Int64)).otherwise(infinite)
    cut: nw.Expr = nw.lit(0)
    for edge in grid.cuts.tolist():
        cut = cut + nw.when(finite >= edge).then(nw.lit(1)).otherwise(nw.lit(0))
    frame = frame.with_columns(place.alias("place"), cut.alias("cut"))
    weighed = asked.reading.roles.weight is not None
    frame = frame.with_columns(
        _hit(asked.positive).alias("hit"),
        nw.when((score >= 0.0) & (score <= 1.0)).then(score).alias("chance"),
        *([] if not weighed else _factors(asked.reading.weight_kind)),
    )
    frame = _with_losses(frame, asked.declared.clip)
    part = nw.when(_finite(score)).then(score.clip(0.0, 1.0))
    totals = [
        nw.col("exact score").min().alias("low"),
        nw.col("exact score").max().alias("high"),
        _total(part, "first" if weighed else None).alias("total"),
        nw.col("hit").max().alias("hit"),
    ]
    for loss in ("brier", "log loss"):
        value, (one, two) = nw.col(loss), ("first", "second") if weighed else (None, None)
        totals.append(_total(value, one).alias(loss))
        totals.append(_total(value * value, two).alias(f"{loss} squares"))
        if weighed:
            totals.append(_total(value, two).alias(f"{loss} weighted"))
    for name, factor in (("endless", "first"), ("endless squares", "second")):
        totals.append(_total(nw.col("endless"), factor if weighed else None).alias(name))
    return frame, totals


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


def _with_losses(frame: Frame, clip: float) -> Frame:
    """How far a probability is from the truth, and how often that is without end."""
    import narwhals.stable.v2 as nw

    chance, hit = nw.col("chance"), nw.col("hit")
    kept = chance.clip(clip, 1 - clip) if clip else chance
    frame = frame.with_columns(
        nw.when(hit == 1).then(1.0 - chance).otherwise(chance).alias("distance"),
        kept.alias("kept"),
        # log(1 - p) loses what 1 - p rounds away, unless that is given back (Kahan's correction).
        (1.0 - kept).alias("rest"),
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
