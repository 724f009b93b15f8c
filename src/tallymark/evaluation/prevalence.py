"""The same rates under another class distribution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import OptionError
from tallymark.evaluation.result import OWN_OF_ALL
from tallymark.inference import Sample, undefined
from tallymark.tallies.labels import find, quoted

if TYPE_CHECKING:
    from tallymark.evaluation.result import Evaluation
    from tallymark.tallies import Label

_OTHER_SHARES = "class shares are not the sample's but"
_LEFT_OUT = "slices left out because they have no rows of some class:"


def at_prevalence(ev: Evaluation, prevalence: float | Mapping[Label, float]) -> Evaluation:
    """The evaluation of the counts to expect when classes have other shares."""
    if ev.sample is None and ev.ranked is None:
        several = "rows have several labels, so labels have no shares of them"
        raise OptionError("there are no counts to re-weigh.", hint=ev.why_not if ev.sets is None else several)
    shares = _shares(ev, prevalence)
    for share, rows, label in zip(shares, _rows_of(ev), ev.labels, strict=True):
        if share > 0 and rows == 0:
            raise OptionError(f"no row is actually {quoted(label)}, so its rates are unknown.")
    kept = [note for note in ev.notes if not note.startswith((_OTHER_SHARES, _LEFT_OUT))]
    said = ", ".join(f"{quoted(label)} {share:g}" for label, share in zip(ev.labels, shares, strict=True))
    # A slice without rows of a class cannot tell what that class would do in it.
    sliced = [
        part._replace(
            counted=replace(part.counted, shares=shares) if isinstance(part.counted, Sample) else None,
            ranked=None if part.ranked is None else part.ranked.at_shares(shares),
        )
        for part in ev.sliced
        if not isinstance(part.counted, Sample)
        or not ((part.counted.confusion.margins.actual == 0) & (shares > 0)).any()
    ]
    without = len(ev.sliced) - len(sliced)
    left_out = [f"{_LEFT_OUT} {without}."] if without else []
    return replace(
        ev,
        sample=None if ev.sample is None else replace(ev.sample, shares=shares),
        ranked=None if ev.ranked is None else ev.ranked.at_shares(shares),
        notes=(*kept, f"{_OTHER_SHARES} {said}; counts are expected counts.", *left_out),
        sliced=tuple(sliced),
        own={name: undefined(OWN_OF_ALL) for name in ev.own},
    )


def _rows_of(ev: Evaluation) -> Sequence[float]:
    """Rows that are actually of each class."""
    if ev.sample is not None:
        rows: Sequence[float] = ev.sample.confusion.margins.actual
        return rows
    return [result.support for result in ev.per_class.values()]


def _shares(ev: Evaluation, prevalence: float | Mapping[Label, float]) -> NDArray[np.float64]:
    if isinstance(prevalence, Mapping):
        given = {find(label, ev.labels, "label"): _share(share) for label, share in prevalence.items()}
        shares = np.array([given.get(label, 0.0) for label in ev.labels])
    else:
        if len(ev.labels) != 2:
            raise OptionError(
                f"one share is enough for two classes, and there are {len(ev.labels)}.",
                hint="give one for every label: --prevalence LABEL=SHARE,... (in Python {label: share}).",
            )
        if ev.position is None:
            raise OptionError(
                "one share is that of the positive class, and none is named.",
                hint="name it, or give a share for both labels.",
            )
        shares = np.full(2, 1 - _share(prevalence))
        shares[ev.position] = _share(prevalence)
    if not np.isfinite(shares).all() or (shares < 0).any() or abs(shares.sum() - 1) > 1e-9:
        raise OptionError(f"class shares lie between 0 and 1 and add up to 1; got {prevalence!r}.")
    return shares


def _share(given: Any) -> float:
    try:
        if isinstance(given, bool | str):
            raise TypeError
        return float(given)
    except (TypeError, ValueError):
        raise OptionError(f"a class share is a number from 0 to 1; got {given!r}.") from None
