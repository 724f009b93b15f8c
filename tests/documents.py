"""Whether two documents say the same."""

from collections.abc import Collection
from typing import Any

import pytest


def same(one: Any, two: Any, path: str = "", *, but: Collection[str] = ()) -> None:
    """Every number, word and type of two documents, but for rounding and for what stands under some names."""
    if isinstance(one, dict):
        assert list(one) == list(two), path
        for key in one.keys() - set(but):
            same(one[key], two[key], f"{path}/{key}", but=but)
    elif isinstance(one, list):
        assert len(one) == len(two), path
        for at, (first, second) in enumerate(zip(one, two, strict=True)):
            same(first, second, f"{path}/{at}", but=but)
    elif isinstance(one, float):
        assert two == pytest.approx(one, rel=1e-9, abs=1e-12), path
    else:
        assert (two, type(two)) == (one, type(one)), path
