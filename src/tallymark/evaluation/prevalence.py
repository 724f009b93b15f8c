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
from tallymark.intake.weights import NEGLIGIBLE
from tallymark.tallies.labels import find, quoted

if TYPE_CHECKING:
    from tallymark.evaluation.result import Evaluation
    from tallymark.tallies import Label

OTHER_SHARES = "class shares are not the sample's but"
_MOST_TOLD = 25
_LEFT_OUT = "slices left out because they have no rows of some class:"


@np.errstate(under="ignore")
def at_prevalence(ev: Evaluation, prevalence: float | Mapping[Label, float]) -> Evaluation:
    """The evaluation of the counts to expect when classes have other shares."""
    if ev.sample is None and ev.ranked is None:
        several = "rows have several labels, so labels have no shares of them"
        raise OptionError("there are no counts to re-weigh.", hint=ev.why_not if ev.sets is None else several)
    shares = _shares(ev, prevalence)
    for share, rows, label in zip(shares, _rows_of(ev), ev.labels, strict=True):
        if share > 0 and rows == 0:
            raise OptionError(f"no row is actually {quoted(label)}, so its rates are unknown.")
    kept = [note for note in ev.notes if not note.startswith((OTHER_SHARES, _LEFT_OUT))]
    said = _said(ev, shares, in_proportion=not isinstance(prevalence, Mapping))
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
        notes=(*kept, f"{OTHER_SHARES} {said}; counts are expected counts.", *left_out),
        sliced=tuple(sliced),
        own={name: undefined(OWN_OF_ALL) for name in ev.own},
    )


def _said(ev: Evaluation, shares: NDArray[np.float64], *, in_proportion: bool) -> str:
    """The shares in words, of many classes the first."""
    each = [f"{quoted(label)} {share:g}" for label, share in zip(ev.labels, shares.tolist(), strict=True)]
    said = ", ".join(each[:_MOST_TOLD])
    if len(each) > _MOST_TOLD:
        said += f", ... ({len(each):,} in all)"
    if in_proportion and len(each) > 2:
        said += f" (all but {quoted(ev.positive)} in proportion to their rows)"
    return said


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
        shares = _with_positive(ev, _share(prevalence))
    if not np.isfinite(shares).all() or (shares < 0).any() or abs(shares.sum() - 1) > 1e-9:
        raise OptionError(f"class shares lie between 0 and 1 and add up to 1; got {prevalence!r}.")
    if ((shares > 0) & (shares < NEGLIGIBLE)).any():
        raise OptionError(f"class shares other than 0 are {NEGLIGIBLE:g} or more; got {prevalence!r}.")
    return shares


def _with_positive(ev: Evaluation, share: float) -> NDArray[np.float64]:
    """The positive class has this share, and all others what is left, in proportion to their rows."""
    if ev.position is None:
        every = "both labels" if len(ev.labels) == 2 else "every label"
        raise OptionError(
            "one share is that of the positive class, and none is named.",
            hint=f"name it, or give a share for {every}: --prevalence LABEL=SHARE,... "
            "(in Python {label: share}).",
        )
    others = np.array(_rows_of(ev), float)
    others[ev.position] = 0
    if not others.any():
        # Then the rates of all others are unknown, which is said of the first of them.
        others = np.where(np.arange(len(others)) == ev.position, 0.0, 1.0)
    shares: NDArray[np.float64] = (1 - share) * others / others.sum()
    shares[ev.position] = share
    return shares


def _share(given: Any) -> float:
    try:
        if isinstance(given, bool | str):
            raise TypeError
        return float(given)
    except (TypeError, ValueError):
        raise OptionError(f"a class share is a number from 0 to 1; got {given!r}.") from None
