"""`Scores`: how many rows of the positive class and of the rest have each score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError, ShapeError
from tallymark.tallies.arrays import owned
from tallymark.tallies.confusion import frozen
from tallymark.tallies.labels import Label, quoted
from tallymark.tallies.margins import Binary
from tallymark.tallies.merging import merged_dropped
from tallymark.tallies.score_checks import checked_counts, checked_edges, checked_scores
from tallymark.tallies.score_merging import merged_positive, refuse_unlike, same
from tallymark.tallies.sums import Sums, losses_of_scores

if TYPE_CHECKING:
    from tallymark.evaluation import Evaluation

SCHEMA = "tallymark/scores/1"
OUTSIDE = "scores leave [0, 1], so they are no probabilities"
_BLOCK = 1 << 16
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
        return self.edges is None

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
        return _from_zero(self.positives, self.n_positive)

    @cached_property
    def fp(self) -> NDArray[Any]:
        """False positives at each of the thresholds."""
        return _from_zero(self.negatives, self.n_negative)

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
        return Scores(
            frozen(0.0 - self.score[::-1]) if edges is None else edges[-2::-1],
            self.negatives[::-1],
            self.positives[::-1],
            squares=None if self.squares is None else (self.squares[1][::-1], self.squares[0][::-1]),
            positive=positive,
            edges=edges,
            rows=self.rows,
            dropped=self.dropped,
        )

    @property
    def no_probabilities(self) -> str | None:
        """Why the scores are no probabilities, if they are none."""
        if not self.exact:
            return BINNED
        return OUTSIDE if len(self.score) and (self.score[0] > 1 or self.score[-1] < 0) else None

    @cached_property
    def sums(self) -> Sums | str:
        """The losses, when the scores are probabilities; else why there are none."""
        return self.losses()

    def losses(self, clip: float = 0.0) -> Sums | str:
        """The same, with no probability less than `clip` away from 0 and 1 in the logarithmic loss."""
        if self.no_probabilities is not None:
            return self.no_probabilities
        sides = self.positives, self.negatives
        squares = sides if self.squares is None else self.squares
        total = Sums(rows=self.rows)
        for start in range(0, len(self.score), _BLOCK):
            block = slice(start, start + _BLOCK)
            of_sides = losses_of_scores(self.score[block], clip)
            for (brier, log_loss), weight, squared in zip(of_sides, sides, squares, strict=True):
                # A score that no row of a class has costs nothing, however impossible it makes the class.
                seen = weight[block] > 0
                losses = brier[seen], log_loss[seen]
                total += Sums.of_losses(losses, weight[block][seen], squared[block][seen], rows=0)
        return total

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
        score = np.concatenate([self.score, other.score])
        order = np.argsort(-score, kind="stable")  # merges two runs that are in order, in one pass
        ranked = score[order]
        starts = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]]))

        def added(one: NDArray[Any], two: NDArray[Any]) -> NDArray[Any]:
            return frozen(np.add.reduceat(np.concatenate([one, two])[order], starts))

        squares = None
        if self.squares is not None and other.squares is not None:
            first, second = (added(*sides) for sides in zip(self.squares, other.squares, strict=True))
            squares = (first, second)
        return Scores(
            frozen(ranked[starts]),
            added(self.positives, other.positives),
            added(self.negatives, other.negatives),
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
        form: dict[str, Any] = {
            "schema": SCHEMA,
            "positive": self.positive,
            "score": self.score.tolist(),
            "positives": self.positives.tolist(),
            "negatives": self.negatives.tolist(),
            "rows": self.rows,
            "dropped": dict(self.dropped),
        }
        if self.edges is not None:
            form["edges"] = self.edges.tolist()
        if self.squares is not None:
            form["squares"] = [side.tolist() for side in self.squares]
        return form

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> Scores:
        """From the versioned JSON form."""
        try:
            return cls._read(form)
        except (AttributeError, KeyError, TypeError) as problem:
            raise InputError(f"this is not the JSON form of a tally of scores: {problem!r}.") from problem

    @classmethod
    def _read(cls, form: Mapping[str, Any]) -> Scores:
        if form["schema"] != SCHEMA:
            raise InputError(f"expected the schema {SCHEMA}; got {form['schema']!r}.")

        def array(name: str, kind: Any = None) -> NDArray[Any]:
            values = form[name]
            return np.asarray(values, kind if kind or values else np.int64)

        squares = None
        if "squares" in form:
            first, second = (np.asarray(side) for side in form["squares"])
            squares = (first, second)
        return cls(
            array("score", np.float64),
            array("positives"),
            array("negatives"),
            squares=squares,
            positive=form["positive"],
            edges=array("edges", np.float64) if "edges" in form else None,
            rows=form["rows"],
            dropped=form["dropped"],
        )


def _rebuilt(columns: tuple[NDArray[Any], ...], options: dict[str, Any]) -> Scores:
    return Scores(*columns, **options)


def _from_zero(counts: NDArray[Any], total: Any) -> NDArray[Any]:
    """Running totals, from nothing to everything."""
    totals = np.zeros(len(counts) + 1, counts.dtype)
    if counts.dtype.kind == "i":
        np.cumsum(counts, out=totals[1:])
    else:
        # Rounding grows with every weight added, so they are added in more digits where there are any.
        np.minimum(np.cumsum(counts, dtype=np.longdouble), total, out=totals[1:], casting="same_kind")
        # After the last row there is nothing left, not what was lost in rounding.
        there = np.flatnonzero(counts)
        totals[1 + (there[-1] if len(there) else -1) :] = total
    return frozen(totals)
