"""What is said on the page of a tuning and in no table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallymark.drawing import count, number, with_interval
from tallymark.evaluation.report.models import named
from tallymark.tallies.labels import quoted
from tallymark.validation.page import PageWords, Shown
from tallymark.validation.tuning.outputs.description import several, verdict
from tallymark.validation.tuning.outputs.names import called

if TYPE_CHECKING:
    from tallymark.validation.tuning.result import Tuning

_POOLED = (
    "What the winners answered to rows that took no part in choosing them, taken as the answers of one model."
)


def page_words(tuning: Tuning) -> PageWords:
    """Of a choice among candidates."""
    models = list(dict.fromkeys(each.candidate.name for each in tuning.candidates))
    return PageWords(
        f"Tuning of {named(models)}",
        f"Chosen: {_best(tuning)}. {_expected(tuning)}",
        {
            "search": lambda: Shown("What every candidate scored", _search(tuning), "Candidates", "beside"),
            "optimism": lambda: Shown("Outer folds", _kept(tuning), "Promised and kept"),
        },
        {"": tuning.evaluation} if len(tuning.validated.rows) else {},
        _POOLED,
    )


def _best(tuning: Tuning) -> str:
    return called(tuning.best.candidate, several=several(tuning))


def _expected(tuning: Tuning) -> str:
    kept, promised = tuning.outer, tuning.inner.value
    if kept.value is None or promised is None:
        return verdict(tuning)
    expected = with_interval(kept.value, kept.low, kept.high)
    return (
        f"Expect {tuning.metric} {expected} of a model chosen this way; where winners were chosen they had "
        f"{number(promised)}."
    )


def _search(tuning: Tuning) -> str:
    best = f"{tuning.metric} {number(tuning.best_score)}"
    return f"{quoted(_best(tuning))} is the best of {count(len(tuning.candidates))}, with {best}."


def _kept(tuning: Tuning) -> str:
    gap = tuning.optimism
    both = f"Promised {number(tuning.inner.value)}, kept {number(tuning.outer.value)}"
    return f"{both}: optimism {with_interval(gap.value, gap.low, gap.high)}."
