"""Columns as a data frame, in the library of the reader's choice."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np

from tallymark.errors import MissingExtraError, OptionError

Library = Literal["pandas", "polars", "pyarrow"]
LIBRARIES: tuple[Library, ...] = ("pandas", "polars", "pyarrow")


def frame(columns: Mapping[str, Any], library: str | None = None) -> Any:
    """The columns (arrays, or lists of text with None) in the library asked for, else in polars.

    An undefined number, NaN in an array, is missing in the frame.
    """
    import narwhals.stable.v2 as nw

    made = nw.from_dict(dict(columns), backend=chosen_library(library))
    undefined = [
        name
        for name, values in columns.items()
        if isinstance(values, np.ndarray) and values.dtype.kind == "f" and np.isnan(values).any()
    ]
    return made.with_columns(nw.col(name).fill_nan(None) for name in undefined).to_native()


def chosen_library(asked: str | None, came_in: str | None = None) -> Library:
    """The library asked for, else the one the data came in, else polars."""
    if asked not in (None, *LIBRARIES):
        raise OptionError(f"library must be one of {', '.join(LIBRARIES)}; got {asked!r}.")
    chosen: Library = next((known for known in LIBRARIES if known == (asked or came_in)), "polars")
    if find_spec(chosen) is None:
        raise MissingExtraError(
            f"a {chosen} data frame was asked for, and {chosen} is not installed.",
            hint=f"pip install {chosen}",
        )
    return chosen
