"""Sampling schedules: how many rows a model learns from, size after size, up to the whole training part."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from numbers import Integral, Real
from typing import Any, Literal

from tallymark.errors import OptionError

Named = Literal["geometric", "arithmetic"]
_FACTOR = 2.0
_USUAL_STEPS = 10
_MOST_HALVINGS = 10
_ROWS_PER_CLASS = 4
"""A curve that starts where nobody said starts with at least so many."""
_MOST = 1000
_FAR_APART = 10
"""Sizes that grow by so much are seen better on a logarithmic axis."""


@dataclass(frozen=True)
class Schedule:
    """Sizes in ascending order; the last is the whole training part."""

    name: str
    """In words: "geometric, each size 2 times the one before"."""
    sizes: tuple[int, ...]
    log: bool
    """Whether they are seen best on a logarithmic axis."""
    notes: tuple[str, ...] = ()


def scheduled(
    schedule: str | Sequence[float] = "geometric",
    *,
    whole: int,
    classes: int = 2,
    least: int = 1,
    n_sizes: int | None = None,
    start: float | None = None,
    factor: float | None = None,
    step: float | None = None,
) -> Schedule:
    """The sizes for a training part of `whole` rows, none smaller than `least`.

    geometric: start, start * factor, start * factor**2 and so on (Provost, Jensen and Oates 1999).
    arithmetic: start, start + step, start + 2 * step and so on (John and Langley 1996).
    Both end with the whole. A start, a step or sizes below 1 are shares of it.

    >>> scheduled("geometric", whole=1000, start=100).sizes
    (100, 200, 400, 800, 1000)
    >>> scheduled("arithmetic", whole=1000, start=100, step=300).sizes
    (100, 400, 700, 1000)
    """
    options = {"n_sizes": n_sizes, "start": start, "factor": factor, "step": step}
    if not isinstance(schedule, str):
        _refuse(options, ("n_sizes", "start", "factor", "step"), "sizes that are given as a list")
        made, name = _given(schedule, whole), "as given"
        return _ending(made, whole, least, name, made[-1] >= _FAR_APART * made[0], said=True)
    count = _count(n_sizes)
    first = None if start is None else _rows(start, whole, "start")
    if schedule == "geometric":
        _refuse(options, ("step",), "the arithmetic schedule")
        floor = max(least, _ROWS_PER_CLASS * classes)
        made, ratio = _geometric(whole, count, first, _factor(factor), floor)
        return _ending(made, whole, least, f"geometric, each size {ratio:.3g} times the one before", log=True)
    if schedule == "arithmetic":
        _refuse(options, ("factor",), "the geometric schedule")
        made, stride = _arithmetic(whole, count, first, None if step is None else _rows(step, whole, "step"))
        return _ending(made, whole, least, f"arithmetic, in steps of {stride:,.0f} rows", log=False)
    near = difflib.get_close_matches(schedule, ("geometric", "arithmetic"), n=1)
    raise OptionError(
        f"schedule is 'geometric', 'arithmetic' or a list of sizes; got {schedule!r}.",
        hint=f"did you mean {near[0]!r}?" if near else None,
    )


def _geometric(
    whole: int, count: int | None, start: int | None, factor: float | None, floor: int
) -> tuple[list[float], float]:
    if count is not None and start is not None:
        if factor is not None:
            raise OptionError("start, factor and n_sizes contradict each other.", hint="say two of them.")
        ratio = (whole / start) ** (1 / (count - 1))
        return [start * ratio**place for place in range(count)], ratio
    ratio = factor or _FACTOR
    if start is None:
        # From the whole downwards, so that the last step is as long as the others.
        made = [float(whole)]
        while len(made) < (count or _MOST_HALVINGS) and (count or made[-1] / ratio >= floor):
            made.append(made[-1] / ratio)
        return made[::-1], ratio
    made = [float(start)]
    while made[-1] * ratio < whole:
        made.append(made[-1] * ratio)
        _refuse_many(len(made), f"factor={ratio:g}")
    return made, ratio


def _arithmetic(
    whole: int, count: int | None, start: int | None, step: int | None
) -> tuple[list[float], float]:
    if count is not None and start is not None and step is not None:
        raise OptionError("start, step and n_sizes contradict each other.", hint="say two of them.")
    if count is not None and start is not None:
        stride = (whole - start) / (count - 1)
        return [start + stride * place for place in range(count)], stride
    if count is not None and step is not None:
        first = whole - step * (count - 1)
        if first < 1:
            raise OptionError(
                f"{count} sizes in steps of {step:,} do not fit into the {whole:,} rows of the training part."
            )
        return [float(first + step * place) for place in range(count)], step
    if step is None and start is None:
        parts = count or _USUAL_STEPS
        return [whole * place / parts for place in range(1, parts + 1)], whole / parts
    stride = float(step or start or 1)
    first = start or step or 1
    _refuse_many(int((whole - first) / stride), f"step={stride:g}")
    return [first + stride * place for place in range(int((whole - first) / stride) + 1)], stride


def _ending(
    sizes: Sequence[float], whole: int, least: int, name: str, log: bool, *, said: bool = False
) -> Schedule:
    """Whole numbers, none too small, with the whole training part as the last."""
    rounded = sorted({min(max(int(size + 0.5), 1), whole) for size in sizes})
    notes: list[str] = []
    small = [size for size in rounded if size < least]
    if small:
        notes.append(
            f"{_told(small)} raised to {min(least, whole):,} rows, the fewest in which there are rows of "
            "enough classes to learn from."
        )
    if said and rounded[-1] != whole:
        notes.append(f"the whole training part, {whole:,} rows, was added as the last size.")
    made = sorted({*(min(max(size, least), whole) for size in rounded), whole})
    return Schedule(name, tuple(made), log, tuple(notes))


def within(plan: Schedule, shortest: int, least: int) -> Schedule:
    """Without sizes that are short of the whole but that the smallest training part does not have."""
    kept = tuple(size for size in plan.sizes[:-1] if size < shortest)
    gone = plan.sizes[len(kept) : -1]
    few = f"the smallest training part has only {shortest:,} rows"
    if not kept:
        raise _no_curve(plan.sizes[-1], few if gone else None, shortest, least)
    notes = (f"{_told(gone)} left out: {few}.",) if gone else ()
    return Schedule(plan.name, (*kept, plan.sizes[-1]), plan.log, (*plan.notes, *notes))


def _no_curve(whole: int, few: str | None, shortest: int, least: int) -> OptionError:
    hint = f"name sizes below {shortest:,}: --schedule (schedule=)."
    if few and least >= shortest:
        few = f"{few}, and subsets with rows of enough classes have up to {least:,}"
        hint = "take cuts whose training parts are more alike, or smaller groups."
    why = f": {few}" if few else ""
    return OptionError(
        f"no size is left beside the whole training part, {whole:,} rows{why}; a curve takes two or more.",
        hint=hint,
    )


def _told(sizes: Sequence[int]) -> str:
    """The subject and the verb of a sentence about sizes."""
    told = ", ".join(f"{size:,}" for size in sizes[:3]) + (" and more" if len(sizes) > 3 else "")
    return f"the sizes {told} were" if len(sizes) > 1 else f"the size {told} was"


def _given(sizes: Any, whole: int) -> list[float]:
    try:
        listed = [size.item() if hasattr(size, "item") else size for size in sizes]
    except TypeError:
        listed = []
    if not listed or not all(_is_number(size) for size in listed):
        raise OptionError(
            f"schedule is 'geometric', 'arithmetic' or a list of sizes; got {sizes!r}.",
            hint="sizes are rows, such as [100, 200, 400], or shares of the training part: [0.1, 0.5, 1.0].",
        )
    shares = any(not isinstance(size, Integral) for size in listed) and all(0 < size <= 1 for size in listed)
    for size in listed:
        if not shares and (size < 1 or size != int(size)):
            raise OptionError(
                f"a size is a whole number of rows from 1 up; got {size!r}.",
                hint="or give shares of the training part, all above 0 and up to 1.",
            )
        if not shares and size > whole:
            raise OptionError(
                f"the size {size:,.0f} is more than the {whole:,} rows of the training part.",
                hint="leave it out, or test on fewer rows: --test-size (test_size=).",
            )
    return sorted(float(size) * (whole if shares else 1) for size in listed)


def _rows(value: Any, whole: int, name: str) -> int:
    """A number of rows, or a share of the whole."""
    if not _is_number(value) or value <= 0 or (value >= 1 and value != int(value)):
        raise OptionError(
            f"{name} is a whole number of rows, or a share of the training part below 1; got {value!r}."
        )
    rows = max(int(value * whole + 0.5), 1) if value < 1 else int(value)
    if rows >= whole:
        raise OptionError(
            f"{name} is {rows:,} rows, and the training part has {whole:,}: there is no curve to draw."
        )
    return rows


def _count(n_sizes: Any) -> int | None:
    if n_sizes is None:
        return None
    count = int(n_sizes) if not isinstance(n_sizes, bool) and isinstance(n_sizes, Integral) else 0
    if not 2 <= count <= _MOST:
        raise OptionError(f"the number of sizes (--sizes, n_sizes=) is from 2 to {_MOST:,}; got {n_sizes!r}.")
    return count


def _factor(factor: Any) -> float | None:
    if factor is None:
        return None
    if not _is_number(factor) or factor <= 1:
        raise OptionError(f"factor is a number above 1, by which sizes grow; got {factor!r}.")
    return float(factor)


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, Real) and isfinite(value)


def _refuse(options: dict[str, Any], names: Sequence[str], where: str) -> None:
    for name in names:
        if options[name] is not None:
            of = "does not go with" if where.startswith("sizes") else "is of"
            raise OptionError(f"{name}={options[name]!r} {of} {where}.")


def _refuse_many(sizes: int, why: str) -> None:
    if sizes > _MOST:
        raise OptionError(
            f"{why} makes more than {_MOST:,} sizes.", hint="take larger steps, or --sizes 10 (n_sizes=10)."
        )
