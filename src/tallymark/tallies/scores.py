"""`Scores`: how many rows of the positive class and of the rest have each score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import ShapeError
from tallymark.tallies.arrays import from_zero, owned
from tallymark.tallies.confusion import frozen
from tallymark.tallies.labels import Label, quoted
from tallymark.tallies.margins import Binary
from tallymark.tallies.merging import merged_dropped
from tallymark.tallies.score_checks import checked_counts, checked_edges, checked_scores
from tallymark.tallies.score_merging import merged_columns, merged_positive, refuse_unlike, same
from tallymark.tallies.sums import Sums

if TYPE_CHECKING:
    from tallymark.evaluation import Evaluation

SCHEMA = "tallymark/scores/1"
OUTSIDE = "scores leave [0, 1], so they are no probabilities"
BINNED = "only bins of the scores were counted, not the scores themselves"


@dataclass(frozen=True, eq=False, init=False)
class Scores:
    """Rows of one class and of the rest at every distinct score; equal scores are one, nothing is rounded.

    >>> Scores.from_bins([3, 1], [0, 2], edges=[1, 0.5, 0]).pairs
    8
    """

    score: NDArray[np.float64]
    """The distinct scores, best first; of bins, their lower edges."""
    positives: NDArray[Any]
    """Rows of the positive class at each, or the sum of their weights."""
    negatives: NDArray[Any]
    squares: tuple[NDArray[Any], NDArray[Any]] | None
    """Sums of squared weights of positives and negatives; None without weights."""
    positive: Label | None
    edges: NDArray[np.float64] | None
    """Where the bins end, ascending, when bins were counted; None when every score is known exactly."""
    rows: int
    """Rows counted, whatever their weight."""
    dropped: Mapping[str, int]
    reach: NDArray[np.float64] | None
    """The highest score that rows at each place may have, when only bins of a grid were counted; where it is
    the score itself, all of them have that score."""
    totals: NDArray[np.float64] | None
    """The scores of all rows at each place, added up, where they are not all known."""
    known: tuple[Sums, Sums] | None
    """The losses of the positives and of the negatives, counted row by row where scores are not all known."""

    def __init__(
        self,
        score: NDArray[Any],
        positives: NDArray[Any],
        negatives: NDArray[Any],
        *,
        squares: tuple[NDArray[Any], NDArray[Any]] | None = None,
        positive: Label | None = None,
        edges: NDArray[Any] | None = None,
        rows: int | None = None,
        dropped: Mapping[str, int] | None = None,
        reach: NDArray[Any] | None = None,
        totals: NDArray[Any] | None = None,
        known: tuple[Sums, Sums] | None = None,
    ) -> None:
        score, positives, negatives = checked_scores(score, positives, negatives)
        if rows is None:
            rows = int(positives.sum() + negatives.sum())
        # Nothing was weighed where there are no rows, so such a tally can be added to any other.
        squares = None if squares is None or not rows else (owned(squares[0]), owned(squares[1]))
        for name, value in (
            ("score", owned(score)),
            ("positives", owned(positives)),
            ("negatives", owned(negatives)),
            ("squares", squares),
            ("positive", positive),
            ("edges", None if edges is None else owned(edges)),
            ("rows", rows),
            ("dropped", MappingProxyType({key: n for key, n in sorted((dropped or {}).items()) if n})),
            ("reach", None if reach is None else owned(reach)),
            ("totals", None if totals is None else owned(totals)),
            ("known", known),
        ):
            object.__setattr__(self, name, value)

    @classmethod
    def empty(cls) -> Scores:
        """The identity of `+`: no scores, no rows."""
        none = np.empty(0, np.int64)
        return cls(np.empty(0), none, none.copy())

    @classmethod
    def from_bins(
        cls,
        positives: Sequence[int] | NDArray[Any],
        negatives: Sequence[int] | NDArray[Any],
        edges: Sequence[float] | NDArray[Any] | None = None,
        *,
        positive: Label | None = None,
    ) -> Scores:
        """From counts per bin, bins in the order of their edges: one edge more than bins, up or down.

        Without edges the bins come best first. A bin holds its lower edge, and the highest bin both.

        >>> Scores.from_bins([1000, 900], [0, 100], edges=[1.0, 0.9, 0.8]).score.tolist()
        [0.9, 0.8]
        """
        counts = checked_counts(positives, "positives"), checked_counts(negatives, "negatives")
        size = len(counts[0])
        if len(counts[1]) != size:
            raise ShapeError(f"{size} bins of positives and {len(counts[1])} of negatives.")
        # Without edges the scores are unknown, and only their order is real.
        ends = np.arange(size, -1, -1.0) if edges is None else checked_edges(edges, size)
        if ends[0] < ends[-1]:
            ends, counts = ends[::-1], (counts[0][::-1], counts[1][::-1])
        return cls(
            ends[1:].copy(),
            counts[0].copy(),
            counts[1].copy(),
            positive=positive,
            edges=ends[::-1].copy(),
        )

    # --- what metrics and curves read ---------------------------------------------------------

    @property
    def exact(self) -> bool:
        """Whether every score is known, not only its bin."""
        return self.edges is None and self.reach is None

    @property
    def loose(self) -> NDArray[np.bool_]:
        """Places whose rows may differ in score."""
        if self.reach is not None:
            return np.asarray(self.reach > self.score)
        return np.full(len(self.score), self.edges is not None)

    @property
    def highest(self) -> float:
        """No row has a higher score."""
        top = self.score[0] if self.reach is None else self.reach[0]
        return float(top if self.edges is None else self.edges[-1])

    @cached_property
    def means(self) -> NDArray[np.float64]:
        """The mean score of the rows at each place; where it is not known, the middle of what it may be."""
        if self.reach is None:
            return self.score
        middle = self.score / 2 + self.reach / 2
        if self.totals is not None:
            counts = self.positives + self.negatives
            np.divide(self.totals, counts, out=middle, where=self.loose & (counts > 0))
        # Rounding must not move a mean beyond the rows.
        return frozen(np.clip(middle, self.score, self.reach))

    @cached_property
    def n_positive(self) -> Any:
        """Rows of the positive class, or the sum of their weights."""
        return self.positives.sum().item()

    @cached_property
    def n_negative(self) -> Any:
        return self.negatives.sum().item()

    @property
    def n(self) -> Any:
        return self.n_positive + self.n_negative

    @property
    def pairs(self) -> Any:
        """Pairs of a positive and a negative row."""
        return self.n_positive * self.n_negative

    @property
    def prevalence(self) -> float:
        """The share of the positive class; NaN without rows."""
        return float(self.n_positive / self.n) if self.n else float("nan")

    @cached_property
    def effective(self) -> tuple[float, float]:
        """Kish's effective number of positives and of negatives (Kish 1965)."""
        if self.squares is None:
            return self.n_positive, self.n_negative
        totals = zip((self.n_positive, self.n_negative), self.squares, strict=True)
        positives, negatives = (n * (n / squares.sum().item()) if n else 0.0 for n, squares in totals)
        return positives, negatives

    @cached_property
    def thresholds(self) -> NDArray[np.float64]:
        """Every threshold with an answer of its own, from infinity (nothing is called positive) down."""
        return frozen(np.concatenate([[np.inf], self.score]))

    @cached_property
    def tp(self) -> NDArray[Any]:
        """True positives at each of the thresholds."""
        return from_zero(self.positives, self.n_positive)

    @cached_property
    def fp(self) -> NDArray[Any]:
        """False positives at each of the thresholds."""
        return from_zero(self.negatives, self.n_negative)

    def cuts(self, at: slice = slice(None)) -> Binary:
        """The four counts at all of the thresholds, or at some; not kept, for they are long."""
        tp, fp = self.tp[at], self.fp[at]
        return Binary(tp, self.tp[-1] - tp, fp, self.fp[-1] - fp, self.positive)

    def called(self, threshold: Any) -> Any:
        """How many of the distinct scores reach a threshold, or each of several.

        >>> Scores.from_bins([1, 0], [0, 1], edges=[1.0, 0.9, 0.8]).called(0.85)
        1
        """
        # As they stand, best first, they would have to be copied to be searched.
        found = len(self.score) - np.searchsorted(self.score[::-1], threshold, side="left")
        return found if np.ndim(threshold) else int(found)

    def reversed(self, positive: Label | None = None) -> Scores:
        """The same ranking seen from the other class, whose score is the negative of this one."""
        # 0 less a score: the negative of 0.0 would be -0.0.
        edges = None if self.edges is None else frozen(0.0 - self.edges[::-1])
        lowest = self.score if self.reach is None else self.reach
        return Scores(
            frozen(0.0 - lowest[::-1]) if edges is None else edges[-2::-1],
            self.negatives[::-1],
            self.positives[::-1],
            squares=None if self.squares is None else (self.squares[1][::-1], self.squares[0][::-1]),
            positive=positive,
            edges=edges,
            rows=self.rows,
            dropped=self.dropped,
            reach=None if self.reach is None else frozen(0.0 - self.score[::-1]),
            totals=None if self.totals is None else frozen(0.0 - self.totals[::-1]),
            known=None if self.known is None else self.known[::-1],
        )

    def with_counts(
        self,
        positives: NDArray[Any],
        negatives: NDArray[Any],
        *,
        squares: tuple[NDArray[Any], NDArray[Any]] | None = None,
        rows: int | None = None,
        dropped: Mapping[str, int] | None = None,
        known: tuple[Sums, Sums] | None = None,
    ) -> Scores:
        """Other rows at the same places; what their scores add up to is not known where these are loose."""
        return Scores(
            self.score,
            frozen(positives),
            frozen(negatives),
            squares=squares,
            positive=self.positive,
            edges=self.edges,
            rows=rows,
            dropped=dropped,
            reach=self.reach,
            known=known,
        )

    @property
    def no_probabilities(self) -> str | None:
        """Why the scores are no probabilities, if they are none."""
        if self.edges is not None:
            return BINNED
        return OUTSIDE if len(self.score) and (self.highest > 1 or self.score[-1] < 0) else None

    @cached_property
    def sums(self) -> Sums | str:
        """The losses, when the scores are probabilities; else why there are none."""
        return self.losses()

    def losses(self, clip: float = 0.0) -> Sums | str:
        """The same, with no probability less than `clip` away from 0 and 1 in the logarithmic loss."""
        if self.no_probabilities is not None:
            return self.no_probabilities
        if self.reach is not None:
            # Kept away from 0 and 1 they were, or not, when they were counted.
            return BINNED if self.known is None else replace(self.known[0] + self.known[1], rows=self.rows)
        return Sums.of_scores(self.score, (self.positives, self.negatives), self.squares, self.rows, clip)

    # --- values ------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scores):
            return NotImplemented
        sides = self.squares or (), other.squares or ()
        return (
            self.positive == other.positive
            and self.rows == other.rows
            and self.dropped == other.dropped
            and same(self.edges, other.edges)
            and same(self.reach, other.reach)
            and same(self.totals, other.totals)
            and self.known == other.known
            and same(self.score, other.score)
            and same(self.positives, other.positives)
            and same(self.negatives, other.negatives)
            and len(sides[0]) == len(sides[1])
            and all(map(same, *sides))
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        # A mapping proxy cannot be pickled, and arrays come back writeable: rebuild instead.
        return _rebuilt, (
            (self.score, self.positives, self.negatives),
            {
                "squares": self.squares,
                "positive": self.positive,
                "edges": self.edges,
                "rows": self.rows,
                "dropped": dict(self.dropped),
                "reach": self.reach,
                "totals": self.totals,
                "known": self.known,
            },
        )

    def __add__(self, other: Scores) -> Scores:
        if not isinstance(other, Scores):
            return NotImplemented
        positive = merged_positive(self, other)
        for one, two in ((self, other), (other, self)):
            if not len(one.score):  # nothing but dropped rows
                return one._and(two, positive)
        refuse_unlike(self, other)
        score, positives, negatives, squares = merged_columns(self, other)
        return Scores(
            score,
            positives,
            negatives,
            squares=squares,
            positive=positive,
            edges=self.edges,
            rows=self.rows + other.rows,
            dropped=merged_dropped(self, other),
        )

    def _and(self, other: Scores, positive: Label | None) -> Scores:
        """The other one, with what was dropped here."""
        _, options = other.__reduce__()[1]
        changed = options | {"positive": positive, "dropped": merged_dropped(self, other)}
        return Scores(other.score, other.positives, other.negatives, **changed)

    def __radd__(self, other: object) -> Scores:
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def evaluate(self, **options: Any) -> Evaluation:
        """Everything that can be said from these counts; a `threshold` cuts them."""
        # The one declared exception to the one-way flow: a tally may hand itself to the evaluation.
        from tallymark.evaluation import evaluate_scores

        return evaluate_scores(self, **options)

    def __repr__(self) -> str:
        what = "distinct scores" if self.exact else "bins"
        about = "" if self.positive is None else f", positive {quoted(self.positive)}"
        weight = "" if self.squares is None else f", weight {self.n:,.12g}"
        return f"Scores({len(self.score):,} {what}, {self.rows:,} rows{weight}{about})"

    # --- on paper ----------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The versioned JSON form."""
        from tallymark.tallies.score_form import form_of

        return form_of(self)

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> Scores:
        """From the versioned JSON form."""
        from tallymark.tallies.score_form import read_form

        return read_form(form)


def _rebuilt(columns: tuple[NDArray[Any], ...], options: dict[str, Any]) -> Scores:
    return Scores(*columns, **options)
