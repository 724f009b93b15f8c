"""Whether two tallies are the same: counts exactly, and what was added up as floats but for rounding."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

import tallymark as tm

ROUNDING = 1e-12
_NOT_COUNTED = {"sources", "notes"}


def alike(one: tm.Tally, two: tm.Tally) -> None:
    """Fail with what differs, if anything does."""
    found = differences(one, two)
    assert not found, "\n".join(found[:12])


def differences(one: Any, two: Any, path: str = "tally") -> list[str]:
    """All that differs, a line each. What is whole may have come as a float, beside weights that are none."""
    if {type(one), type(two)} == {int, float}:
        return [] if one == two else [f"{path}: {one!r} is not {two!r}"]
    if type(one) is not type(two):
        return [f"{path}: {one!r} is not of the type of {two!r}"]
    if isinstance(one, np.ndarray):
        return _of_arrays(one, two, path)
    if isinstance(one, float):
        return [] if _close(one, two) else [f"{path}: {one!r} is not {two!r}"]
    if isinstance(one, Mapping):
        if set(one) != set(two):
            return [f"{path}: only one side has {sorted(map(repr, set(one) ^ set(two)))}"]
        return [line for key in one for line in differences(one[key], two[key], f"{path}[{key!r}]")]
    if isinstance(one, tuple):
        if len(one) != len(two):
            return [f"{path}: {one!r} is not {two!r}"]
        pairs = enumerate(zip(one, two, strict=True))
        return [line for at, pair in pairs for line in differences(*pair, f"{path}[{at}]")]
    if type(one).__module__.startswith("tallymark."):
        names = [name for name in type(one).__annotations__ if name not in _NOT_COUNTED]
        sides = ((getattr(one, name), getattr(two, name), f"{path}.{name}") for name in names)
        return [line for side in sides for line in differences(*side)]
    return [] if one == two else [f"{path}: {one!r} is not {two!r}"]


def _of_arrays(one: Any, two: Any, path: str) -> list[str]:
    if one.shape != two.shape:
        return [f"{path}: {one.shape} is not {two.shape}"]
    floating = one.dtype.kind == two.dtype.kind == "f"
    same = np.isclose(one, two, rtol=ROUNDING, atol=0, equal_nan=True) if floating else one == two
    return [f"{path}[{at}]: {one[at]!r} is not {two[at]!r}" for at in np.flatnonzero(~same)[:3].tolist()]


def _close(one: float, two: float) -> bool:
    return math.isclose(one, two, rel_tol=ROUNDING, abs_tol=0.0) or (math.isnan(one) and math.isnan(two))
