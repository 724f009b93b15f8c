"""Which files a result was read from, so that saving it never replaces one of them."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from contextvars import ContextVar
from os import PathLike
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Inputs(frozenset[tuple[int, int]]):
    """Device and inode of files, which are the same for every spelling, symbolic link and hard link.

    They mean nothing to another process or on another day: a pickle has none.
    """

    def __reduce__(self) -> tuple[type[Inputs], tuple[()]]:
        return Inputs, ()


NONE = Inputs()
_reading: ContextVar[set[tuple[int, int]] | None] = ContextVar("reading", default=None)


def identities(files: Iterable[str | PathLike[str]]) -> Inputs:
    """The files among these names; what does not exist is left out."""
    found = set()
    for file in files:
        with suppress(OSError, ValueError):
            state = os.stat(file)
            found.add((state.st_dev, state.st_ino))
    return Inputs(found)


def note_inputs(files: Iterable[str | PathLike[str]]) -> None:
    """Whoever reads files calls this; the result of the call under way remembers them."""
    collected = _reading.get()
    if collected is not None:
        collected |= identities(files)


def inputs_of(*results: Any) -> Inputs:
    """The files that results, or the results by name in a dictionary, were read from."""
    single = (each for result in results for each in (result.values() if type(result) is dict else (result,)))
    known = (vars(each).get("inputs", NONE) for each in single if hasattr(each, "__dict__"))
    return Inputs(file for inputs in known if isinstance(inputs, Inputs) for file in inputs)


def remembers_inputs(function: Callable[P, R]) -> Callable[P, R]:
    """A function whose result has `inputs`: the files read meanwhile, and those of its arguments."""

    @functools.wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        collected: set[tuple[int, int]] = set()
        before = _reading.set(collected)
        try:
            result = function(*args, **kwargs)
        finally:
            _reading.reset(before)
        collected |= inputs_of(*args, *kwargs.values())
        outer = _reading.get()
        if outer is not None:
            outer |= collected
        # Results are frozen; this is no part of what they say.
        object.__setattr__(result, "inputs", Inputs(collected))
        return result

    return wrapped
