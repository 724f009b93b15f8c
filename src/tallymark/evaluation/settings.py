"""What a user sets beside the data, checked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tallymark.errors import LabelError, OptionError
from tallymark.tallies import Label
from tallymark.tallies.labels import stated


def checked_clip(clip: float | None) -> float:
    """How far probabilities are kept from 0 and 1; 0 is not at all."""
    if clip is None:
        return 0.0
    if isinstance(clip, bool) or not isinstance(clip, int | float | np.number) or not 0 < clip < 0.5:
        raise OptionError(f"clip must be a number above 0 and below 0.5, such as 1e-15; got {clip!r}.")
    if 1 - clip == 1:
        raise OptionError(f"clip is too small: 1 - {clip!r} is 1.", hint="the least is about 1e-16.")
    return float(clip)


def no_use_of_clip() -> OptionError:
    return OptionError("clip is about probabilities, and there are none.")


def clipped(clip: float) -> str:
    """What must be said of it."""
    return f"probabilities are kept {clip:g} away from 0 and 1 in the log loss."


def undefined_as(undefined: float | None) -> float | None:
    """What an undefined number counts as; None leaves it undefined."""
    if undefined not in (None, 0):
        raise OptionError(f"undefined must be None or 0; got {undefined!r}.")
    return undefined


def refuse_own_metrics(extra: object) -> None:
    """Counts are not enough for a function of rows."""
    if extra:
        raise OptionError(
            "a metric of your own needs rows, and only counts are here.",
            hint="evaluate the rows with it: tm.evaluate(..., extra=...).",
        )


def checked_seed(seed: object) -> int:
    """The seed of random draws."""
    if seed is None:
        return 0  # nothing here needs luck: without a seed the draws are those of the default one
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise OptionError(f"random_state must be a whole number from 0 up; got {seed!r}.")
    return int(seed)


def declared_labels(labels: Sequence[Label] | None) -> tuple[Label, ...] | None:
    """All labels, in their order; None if nobody named them."""
    if labels is None:
        return None
    if not hasattr(labels, "__len__") or not len(labels):
        raise LabelError(f"labels must be a list of labels; got {labels!r}.", about_data=False)
    return stated(labels)
