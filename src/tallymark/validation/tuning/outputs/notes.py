"""What must be said of a tuning, in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tallymark.validation.tuning.result import Tuning

_FEW = 3
"""Kinds of warnings that are told."""


def notes(tuning: Tuning) -> Iterator[str]:
    """The data's own first."""
    yield from tuning.data.notes
    yield from tuning.trials.notes
    if tuning.failed:
        yield f"{tuning.failed:,} of {tuning.n_fits:,} fits failed: {tuning.failures[0].rstrip('.')}."
    yield from _undefined(tuning)
    if tuning.search.tied > 1:
        yield (
            f"{tuning.search.tied:,} candidates share the best score; the first of them in the order of "
            "trying was taken."
        )
    yield from _lost_folds(tuning)
    yield from _warned(tuning)


def _undefined(tuning: Tuning) -> Iterator[str]:
    lost = [each for each in tuning.candidates if each.mean is None]
    if lost:
        yield (
            f"{len(lost):,} of {len(tuning.candidates):,} candidates have no score and cannot be chosen: "
            f"{lost[0].why}."
        )


def _lost_folds(tuning: Tuning) -> Iterator[str]:
    remark = tuning[tuning.metric].remark
    if remark is not None and tuning.method == "nested":
        yield f"outer folds: {tuning.metric} is {remark}."


def _warned(tuning: Tuning) -> Iterator[str]:
    counts: Counter[str] = Counter()
    for search in tuning.searches:
        for each in search.tried:
            counts.update(each.warnings)
    for fit in tuning.fits:
        counts.update(fit.warnings)
    for text, times in counts.most_common(_FEW):
        yield f"{text.rstrip(' .:')} (in {times:,} of {tuning.n_fits:,} fits)."
    if len(counts) > _FEW:
        yield f"models gave {len(counts) - _FEW:,} other warnings."
