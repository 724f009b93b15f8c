"""What must be said of a tuning, in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tallymark.resampling.grouping import TOO_RARE
from tallymark.validation.audit.checks.leave_one_out_ranks import nothing_to_rank
from tallymark.validation.fits.fold_notes import said_of_failures, said_of_folds, said_of_warnings
from tallymark.validation.tuning.search import way_out_of
from tallymark.validation.validating.summary import is_ranked

if TYPE_CHECKING:
    from tallymark.validation.tuning.result import Tuning


def notes(tuning: Tuning) -> Iterator[str]:
    """The data's own first."""
    yield from tuning.data.notes
    yield from tuning.trials.notes
    yield from _given_up(tuning)
    yield from _cuts(tuning)
    yield from said_of_failures(tuning.failures, tuning.n_fits)
    remedy = way_out_of(tuning.data, tuning.searches)
    if remedy is not None:
        yield remedy
    yield from _undefined(tuning)
    if tuning.search.tied > 1:
        yield (
            f"{tuning.search.tied:,} candidates share the best score; the first of them in the order of "
            "trying was taken."
        )
    yield from _lost_folds(tuning)
    yield from _warned(tuning)


def _cuts(tuning: Tuning) -> Iterator[str]:
    """What is to be said of the outer folds, and of the inner ones where it is something else."""
    outer = list(said_of_folds(tuning.folds, tuning.data))
    yield from outer
    rare = (note for note in tuning.inner_folds.notes if TOO_RARE in note)
    for note in dict.fromkeys((*said_of_folds(tuning.inner_folds, tuning.data), *rare)):
        if note not in (*outer, *tuning.folds.notes):
            yield f"inner folds: {note}"
    if not tuning.inner_folds.notes:  # all rows may have enough of what the rows of an outer fold lack
        told = [found.notes[0] for found in tuning.inner_searches if found.notes]
        if told:
            yield f"inner folds of {len(told):,} of {len(tuning.folds):,} outer folds: {told[0]}"


def _given_up(tuning: Tuning) -> Iterator[str]:
    """What early stopping saved, and that giving up changed nothing."""
    stopped = tuning.stopped
    if stopped is None:
        return
    if not stopped.saved:
        yield f"stopping early saved none of {stopped.of:,} fits: no candidate could be given up early."
        return
    share = stopped.saved / stopped.of * 100
    same = "The choice is the same as without it."
    if stopped.draws is not None:
        same = f"Among the {len(tuning.candidates):,} candidates the choice is the same as without it."
    yield (
        f"stopping early saved {stopped.saved:,} of {stopped.of:,} fits ({share:.2g} %): candidates were "
        "given up once even perfect scores in their other folds could not have made them the best, or once a "
        f"fold had no score. {same}"
    )


def _undefined(tuning: Tuning) -> Iterator[str]:
    lost = [each for each in tuning.candidates if each.mean is None and not each.outdone]
    if lost:
        yield (
            f"{len(lost):,} of {len(tuning.candidates):,} candidates have no score and cannot be chosen: "
            f"{lost[0].why}."
        )


def _lost_folds(tuning: Tuning) -> Iterator[str]:
    remark = tuning[tuning.metric].remark
    lost = is_ranked(tuning.metric) and nothing_to_rank(tuning.data, tuning.folds)
    if remark is not None and tuning.method == "nested" and not lost:
        yield f"outer folds: {tuning.metric} is {remark}."


def _warned(tuning: Tuning) -> Iterator[str]:
    counts: Counter[str] = Counter()
    for search in tuning.searches:
        for each in search.tried:
            counts.update(each.warnings)
    for fit in tuning.fits:
        counts.update(fit.warnings)
    yield from said_of_warnings(counts, tuning.n_fits)
