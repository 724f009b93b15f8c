"""The ways to make an ROC curve: where the thresholds are, and what is done with equal scores."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.roc.curve import Roc
from tallymark.curves.values import written
from tallymark.drawing import count
from tallymark.errors import OptionError, ShapeError
from tallymark.tallies import Scores

CONSTRUCTIONS = ("grouped", "sequential", "opposite", "bins:N", "quantiles:N")
MOST_BINS = 1_000_000
_HUGE = 1e300

Floats = NDArray[np.float64]


def roc_of(
    scores: Scores,
    construction: str = "grouped",
    *,
    ascending: bool = False,
    names: Sequence[str] | None = None,
) -> Roc:
    """The ROC curve of a tally.

    `grouped`: a point per distinct score, or per bin where bins were counted. `opposite`: a threshold
    halfway between neighbouring scores, only where the class changes. `bins:10`: bins of equal width.
    `quantiles:10`: bins with equally many rows, as far as equal scores, which stay together, allow.
    `names` are those of counted bins, best first.

    >>> roc_of(Scores.from_bins([2, 1], [0, 2])).auc
    0.8333333333333334
    """
    kind, number = _read(construction)
    if kind == "sequential":
        raise OptionError(
            "the construction 'sequential' needs rows: a tally does not know their order within ties.",
            hint="grouped has one point per distinct score.",
        )
    if not scores.exact:
        return _of_bins(scores, construction, ascending, names)
    if names is not None:
        raise OptionError("names are those of bins, and these scores were not counted in bins.")
    if kind == "opposite":
        return _opposite(scores, ascending)
    if number is None:
        return _made(scores, "grouped", ascending, scores.thresholds, scores.tp, scores.fp)
    binned, note = (_equal_width if kind == "bins" else _equal_mass)(scores, number)
    return _binned(binned, construction, ascending, _ranges(binned), note)


def roc_of_rows(
    score: NDArray[Any],
    is_positive: NDArray[np.bool_],
    construction: str = "sequential",
    *,
    ascending: bool = False,
    weight: NDArray[Any] | None = None,
    scores: Scores | None = None,
) -> Roc:
    """The ROC curve of rows, by default with a point for each, in file order where scores are equal.

    Rows without weight are left out. `scores` is the tally of the same rows, where it is at hand.

    >>> roc_of_rows(np.array([0.9, 0.5, 0.5]), np.array([True, False, True])).auc
    0.5
    """
    score = np.asarray(score, np.float64) + 0.0  # -0.0 and 0.0 are one score
    is_positive = np.asarray(is_positive, np.bool_)
    if len(score) != len(is_positive) or (weight is not None and len(weight) != len(score)):
        raise ShapeError("scores, classes and weights must be as many as each other.")
    rows = np.arange(len(score)) if weight is None else np.flatnonzero(weight)
    rows = rows[np.argsort(score[rows] if ascending else -score[rows], kind="stable")]
    if ascending:
        rows = rows[::-1]
    amount = np.ones(len(rows), np.int64) if weight is None else np.asarray(weight)[rows]
    ranked, hit = score[rows], is_positive[rows]
    sides = np.where(hit, amount, 0), np.where(hit, 0, amount)
    if scores is None:
        scores = _counted(ranked, sides, weighted=weight is not None)
    if _read(construction)[0] != "sequential":
        return roc_of(scores, construction, ascending=ascending)
    tp, fp = (np.concatenate([np.zeros(1, side.dtype), np.cumsum(side)]) for side in sides)
    threshold, examples = np.concatenate([[np.inf], ranked]), np.concatenate([[-1], rows])
    return _made(scores, "sequential", ascending, threshold, tp, fp, examples=examples)


def _made(
    scores: Scores,
    construction: str,
    ascending: bool,
    threshold: Floats,
    tp: NDArray[Any],
    fp: NDArray[Any],
    **more: Any,
) -> Roc:
    """Put points with falling thresholds into the order asked for."""
    if not ascending:
        return Roc(scores, construction, ascending, threshold, tp, fp, **more)
    threshold = threshold.copy()
    threshold[0] = _last(scores)
    if more.get("examples") is not None:
        more["examples"] = more["examples"][::-1]
    if more.get("names") is not None:
        more["names"] = more["names"][::-1]
    return Roc(scores, construction, ascending, threshold[::-1], tp[::-1], fp[::-1], **more)


def _last(scores: Scores) -> float:
    """Where an ascending sweep ends: at 1 when the scores are shares below it, else at infinity."""
    if not len(scores.score):
        return float("inf")
    return 1.0 if scores.score[-1] >= 0 and scores.highest < 1 else float("inf")


def _counted(ranked: Floats, sides: tuple[NDArray[Any], NDArray[Any]], *, weighted: bool) -> Scores:
    """Rows with falling scores, counted."""
    starts = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]])[: len(ranked)])

    def per_score(amounts: NDArray[Any]) -> NDArray[Any]:
        return np.add.reduceat(amounts, starts) if len(starts) else amounts

    return Scores(
        ranked[starts],
        per_score(sides[0]),
        per_score(sides[1]),
        squares=(per_score(sides[0] ** 2), per_score(sides[1] ** 2)) if weighted else None,
        rows=len(ranked),
    )


# --- thresholds between opposite classes ----------------------------------------------------------


def _opposite(scores: Scores, ascending: bool) -> Roc:
    """A tied group of both classes cannot be cut inside, so its two ends stay."""
    only = np.where(scores.negatives == 0, 1, np.where(scores.positives == 0, -1, 0))
    between = np.flatnonzero((only[1:] != only[:-1]) | (only[1:] == 0)) + 1
    last = [len(only)] if len(only) else []
    kept = np.concatenate([[0], between, last]).astype(np.intp)
    upper, lower = scores.score[between - 1], scores.score[between]
    middle = upper / 2 + lower / 2
    # Between neighbouring floats there is no middle; the upper score cuts at the same place.
    middle = np.where((middle > lower) & (middle <= upper), middle, upper)
    threshold = np.concatenate([[np.inf], middle, scores.score[-1:]])
    return _made(scores, "opposite", ascending, threshold, scores.tp[kept], scores.fp[kept])


# --- bins -----------------------------------------------------------------------------------------


def _of_bins(scores: Scores, construction: str, ascending: bool, names: Sequence[str] | None) -> Roc:
    if construction != "grouped":
        raise OptionError(
            f"the construction {construction!r} needs every score, and only bins of them were counted.",
            hint="leave the construction out: there is one point per bin.",
        )
    if names is not None and len(names) != len(scores.score):
        raise ShapeError(f"{len(names)} names for {len(scores.score)} bins.")
    note = "the scores were counted in bins, so there is one point per bin, not per score"
    if names is None and scores.edges is None:
        # Bins of a grid are many, and their lower edges, the thresholds, say where they are.
        return _made(scores, "bins", ascending, scores.thresholds, scores.tp, scores.fp, note=note)
    return _binned(scores, "bins", ascending, _ranges(scores) if names is None else list(names), note)


def _binned(scores: Scores, construction: str, ascending: bool, names: list[str], note: str) -> Roc:
    called = ("", *names)
    return _made(
        scores, construction, ascending, scores.thresholds, scores.tp, scores.fp, names=called, note=note
    )


def _equal_width(scores: Scores, number: int) -> tuple[Scores, str]:
    """From 0 to 1 when all scores are there, else from the lowest to the highest."""
    if not len(scores.score):
        return scores, ""
    low, high = scores.score[-1].item(), scores.score[0].item()
    inside = low >= 0 and high <= 1
    if inside:
        low, high = 0.0, 1.0
    if low == high:
        number = 1
    steps = np.arange(number + 1)
    if high - low < _HUGE:
        # Divided last, so that a bin of [0, 1] ends at 0.3 and not beside it.
        edges = low + (high - low) * steps / number
    else:
        edges = low * (1 - steps / number) + high * (steps / number)
    edges[-1] = high
    note = f"{_bins(number)} of equal width from {low:g} to {high:g}"
    if not inside:
        note += ", the lowest and the highest score"
    place = number - 1 - np.searchsorted(edges[1:-1], scores.score, side="right")
    return _gathered(scores, place, edges), note


def _equal_mass(scores: Scores, number: int) -> tuple[Scores, str]:
    """A distinct score goes whole into the bin in which the middle of its rows falls."""
    if not len(scores.score):
        return scores, ""
    weight = scores.positives + scores.negatives
    ends = np.cumsum(weight)
    place = np.minimum((ends - weight / 2) * (number / ends[-1]), number - 1).astype(np.intp)
    used, place = np.unique(place, return_inverse=True)
    last = np.searchsorted(place, np.arange(len(used)), side="right") - 1
    edges = np.concatenate([scores.score[last][::-1], scores.score[:1]])
    note = f"{_bins(len(used))} with about equally many rows each"
    if len(used) < number:
        note += f", not {count(number)}, because equal scores stay together"
    return _gathered(scores, place, edges), note


def _gathered(scores: Scores, place: NDArray[np.intp], edges: Floats) -> Scores:
    """The tally of bins; `place` counts from the best one."""
    bins = len(edges) - 1

    def per_bin(amounts: NDArray[Any]) -> NDArray[Any]:
        return np.bincount(place, amounts, bins).astype(amounts.dtype)

    squares = scores.squares
    return Scores(
        edges[:-1][::-1].copy(),
        per_bin(scores.positives),
        per_bin(scores.negatives),
        squares=None if squares is None else (per_bin(squares[0]), per_bin(squares[1])),
        positive=scores.positive,
        edges=edges,
        rows=scores.rows,
        dropped=scores.dropped,
    )


def _ranges(scores: Scores) -> list[str]:
    """The bins' names, best first: [0.9, 1], [0.8, 0.9), ..."""
    if scores.edges is None:
        return []
    ends = written(scores.edges[::-1])
    closing = ["]", *")" * (len(ends) - 2)]
    return [f"[{low}, {high}{end}" for (high, low), end in zip(pairwise(ends), closing, strict=True)]


def _bins(number: int) -> str:
    return "1 bin" if number == 1 else f"{count(number)} bins"


def _read(construction: str) -> tuple[str, int | None]:
    """The kind of construction, and its number of bins."""
    kind, colon, tail = str(construction).partition(":")
    if kind in ("grouped", "sequential", "opposite") and not colon:
        return kind, None
    if kind not in ("bins", "quantiles"):
        raise OptionError(f"construction must be one of {', '.join(CONSTRUCTIONS)}; got {construction!r}.")
    if not (tail.isascii() and tail.isdigit() and 1 <= int(tail) <= MOST_BINS):
        raise OptionError(
            f"expected {kind}:N with a whole number of bins from 1 to {MOST_BINS:,}; got {construction!r}.",
            hint=f"for example {kind}:10.",
        )
    return kind, int(tail)
