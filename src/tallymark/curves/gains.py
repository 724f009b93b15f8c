"""Cumulative gains: which share of the positives the best-scored share of the rows holds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.deciles import Deciles
from tallymark.curves.frames import frame
from tallymark.curves.shared import (
    BINS,
    DUST,
    amount,
    asked_for,
    cut,
    drawn,
    in_blocks,
    no_curve,
    share_of,
    thinned,
    why_undefined,
)
from tallymark.drawing import Block, Document, Lines, Paragraph, Section, count, number
from tallymark.drawing.figure import Axis, Figure, Line, Note, Panel
from tallymark.drawing.notebook import Drawn
from tallymark.errors import OptionError
from tallymark.intervals.checks import checked_number
from tallymark.metrics.registry import ratio
from tallymark.tallies import Scores
from tallymark.tallies.confusion import frozen

SHARES = (0.05, 0.1, 0.2, 0.5)
RECALLS = (0.4, 0.8, 0.95)
_EPSILON = 4 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Taken:
    """So many of the best rows, and what they hold.

    Where the cut falls among rows of equal score, `recall` is the mean over all orders of those rows.
    """

    share: float
    """Of all rows, how many are taken."""
    recall: float
    """Of all positives, how many are among them."""
    lift: float | None
    """recall / share: how many times more positives than a random choice; None when nothing is taken."""
    taken: float
    found: float
    threshold: float
    """The lowest score taken; infinite when nothing is."""
    tied: float
    """Rows that have the score at which the cut is, when their order matters; else 0."""
    bounds: tuple[float, float] | None
    """What the order of the tied rows can make of it: of the recall when a share was asked for, of the
    share when a recall was. None when no order matters."""


@dataclass(frozen=True, eq=False)
class Gains(Drawn):
    """Share of the rows taken, best first, and share of the positives among them, at every distinct score.

    From (0, 0) to (1, 1); straight among rows of equal score, where any order is as good as another, so
    that nothing depends on the order of the rows.

    >>> gains = Gains(Scores.from_bins([6, 2, 2], [4, 18, 68]))
    >>> gains.share.tolist(), gains.recall.tolist(), gains.lift.tolist()
    ([0.0, 0.1, 0.3, 1.0], [0.0, 0.6, 0.8, 1.0], [nan, 6.0, 2.6666666666666665, 1.0])
    """

    scores: Scores

    @property
    def threshold(self) -> NDArray[np.float64]:
        """The lowest score taken; the first is infinite."""
        return self.scores.thresholds

    @property
    def taken(self) -> NDArray[Any]:
        """Rows taken, or the sum of their weights."""
        return frozen(np.asarray(self.scores.tp + self.scores.fp))

    @property
    def found(self) -> NDArray[Any]:
        """Positives among them."""
        return self.scores.tp

    @property
    def share(self) -> NDArray[np.float64]:
        taken, n = self.taken, self.scores.n
        return in_blocks(len(taken), lambda at: ratio(taken[at], n))

    @property
    def recall(self) -> NDArray[np.float64]:
        """NaN throughout when no row is actually positive."""
        found = self.found
        return in_blocks(len(found), lambda at: ratio(found[at], found[-1]))

    @property
    def lift(self) -> NDArray[np.float64]:
        """recall / share; NaN where nothing is taken."""
        # As floats, because a product of two counts can leave int64.
        tp, fp, n = self.scores.tp, self.scores.fp, self.scores.n
        return in_blocks(len(tp), lambda at: ratio(1.0 * tp[at] * n, 1.0 * (tp[at] + fp[at]) * tp[-1]))

    @property
    def why(self) -> str | None:
        """Why the curve is undefined, if it is."""
        return why_undefined(self.scores)

    # --- asked ---------------------------------------------------------------------------------

    def at(
        self, *, share: float | None = None, recall: float | None = None, taken: float | None = None
    ) -> Taken:
        """What the best `share` of the rows holds, or so many `taken`, or which it takes to reach a recall.

        A share may end within a row, and then takes that part of it; for a recall whole rows are taken.
        """
        if taken is not None and share is None and recall is None:
            share, taken = self._share_of(taken), None
        name, value = asked_for({"share": share, "recall": recall, "taken": taken})
        if self.why:
            raise no_curve(self.why)
        return self._of_share(value) if name == "share" else self._for_recall(value)

    def _share_of(self, taken: float) -> float:
        rows, every = checked_number("taken", taken), self.taken[-1].item()
        if not 0 <= rows <= every:
            raise OptionError(f"taken must be between 0 and {count(every)}, all rows; got {taken!r}.")
        return rows / every if every else 0.0

    def _of_share(self, share: float) -> Taken:
        place, part = self._place(self.taken, share)
        positives, negatives = self._tied_at(place)
        inside = positives + negatives if part is None else part
        before = _before(self.found, place)
        ends = (before + max(0, inside - negatives), before + min(positives, inside))
        return self._made(place, inside, "recall", ends)

    def _for_recall(self, recall: float) -> Taken:
        place, part = self._place(self.found, recall)
        positives, negatives = self._tied_at(place)
        rows = positives + negatives
        inside = luck = rows
        if part is not None:
            inside, luck = part * rows / positives, part
            if self.scores.squares is None:
                # Rows are taken whole; what division leaves above a whole number is no further row.
                inside, luck = math.ceil(inside - DUST * inside), math.ceil(luck)
        before = _before(self.taken, place)
        # With luck the positives come first, without it the negatives do.
        ends = (before + luck, before + luck + negatives) if inside < rows else (before + rows,) * 2
        return self._made(place, inside, "share", ends)

    def _place(self, totals: NDArray[Any], share: float) -> tuple[int, float | None]:
        """The first score at which the total is that share of all, and how much of what this score adds
        is needed for it; None when all of it is."""
        whole = totals[-1].item()
        dust = whole * (_EPSILON if self.scores.squares is None else DUST)
        target = share * whole
        if abs(target - round(target)) <= dust:
            target = round(target)
        place = int(np.searchsorted(totals, target - dust))
        return place, None if target >= totals[place] - dust else target - _before(totals, place)

    def _made(
        self, place: int, inside: float, uncertain: Literal["share", "recall"], ends: tuple[float, float]
    ) -> Taken:
        positives, negatives = self._tied_at(place)
        rows = positives + negatives
        taken, found = self.taken[place].item(), self.found[place].item()
        if inside < rows:
            taken = _before(self.taken, place) + inside
            found = _before(self.found, place) + positives * inside / rows
        share, recall = taken / self.taken[-1].item(), found / self.found[-1].item()
        total = (self.taken if uncertain == "share" else self.found)[-1].item()
        open_order = inside < rows and positives > 0 and negatives > 0
        return Taken(
            share=share,
            recall=recall,
            lift=found * self.taken[-1].item() / (taken * self.found[-1].item()) if taken else None,
            taken=taken,
            found=found,
            threshold=float(self.threshold[place]),
            tied=rows if open_order else 0,
            bounds=(ends[0] / total, ends[1] / total) if open_order else None,
        )

    def _tied_at(self, place: int) -> tuple[Any, Any]:
        """Positives and negatives at a score; none where nothing is taken."""
        if place == 0:
            return 0, 0
        return self.scores.positives[place - 1].item(), self.scores.negatives[place - 1].item()

    def answers(
        self, shares: Sequence[float] = SHARES, recalls: Sequence[float] = RECALLS
    ) -> tuple[str, ...]:
        """What shares hold, and which share a recall takes, as sentences."""
        if self.why:
            return (f"Gains are undefined: {self.why}.",)
        return (
            *(self._share_sentence(share) for share in shares),
            *(self._recall_sentence(recall) for recall in recalls),
        )

    def _share_sentence(self, share: float) -> str:
        point = self.at(share=share)
        lift = "" if point.lift is None else f" (lift {number(point.lift, 2)})"
        said = (
            f"The best {share_of(share)} ({self._amount(point, whole=False)}) hold "
            f"{share_of(point.recall)} of the positives{lift}."
        )
        return said + self._luck(point)

    def _recall_sentence(self, recall: float) -> str:
        point = self.at(recall=recall)
        if not point.taken:
            return f"To reach a recall of {share_of(recall)}, no row need be taken."
        place = int(np.searchsorted(self.taken, point.taken))
        said = (
            f"To reach a recall of {share_of(recall)}, take the best {share_of(point.share)} "
            f"({self._amount(point, whole=True)}): scores >= {cut(self.scores, place)}."
        )
        return said + self._luck(point)

    def _amount(self, point: Taken, *, whole: bool) -> str:
        return amount(self.scores, point.taken, self.taken[-1].item() if whole else None)

    def _luck(self, point: Taken) -> str:
        """That the cut is among tied rows, if it is."""
        if point.bounds is None:
            return ""
        place = int(np.searchsorted(self.taken, point.taken))
        inside = point.taken - _before(self.taken, place)
        where = "are in the same bin" if self.scores.loose[place - 1] else "have the same score"
        part, rows = count(inside), amount(self.scores, point.tied)
        return (
            f" The cut takes {part} of {rows} that {where}: this holds on average over their "
            f"orders, and {' to '.join(map(share_of, point.bounds))} is possible."
        )

    def deciles(self, n: int = 10) -> Deciles:
        """The rows, best first, in `n` equal parts; see `Deciles`."""
        return Deciles(self.scores, n)

    # --- handed on -----------------------------------------------------------------------------

    def table(self, library: str | None = None) -> Any:
        """One row per point, as a data frame."""
        names = ("threshold", "taken", "found", "share", "recall", "lift")
        return frame({name: getattr(self, name) for name in names}, library)

    def to_dict(self, most: int = 4096) -> dict[str, Any]:
        """For JSON; at most about `most` points."""
        names = ("share", "recall", "lift", "threshold", "taken", "found")
        form: dict[str, Any] = {} if self.why is None else {"why": self.why}
        if not self.scores.exact:
            form["exact"] = False
        return form | thinned({name: getattr(self, name) for name in names}, most)

    def document(self) -> Document:
        """The questions that gains answer, and the table of tenths."""
        return Document("", (Section("Cumulative gains and lift", tuple(self._blocks())),))

    def _blocks(self) -> Iterator[Block]:
        yield Lines(self.answers())
        if self.why is None:
            if not self.scores.exact:
                yield Paragraph(BINS)
            yield from self.deciles().blocks()

    # --- drawn ---------------------------------------------------------------------------------

    @property
    def across(self) -> Axis:
        """How much is taken, in shares and in counts."""
        things = "rows taken" if self.scores.squares is None else "weight taken"
        return Axis("share of rows taken, best first", 0, 1, True, things, float(self.taken[-1]))

    def figure(self, label: str = "") -> Figure:
        """Gains in shares and in counts, between a random order and the ideal one."""
        found = "positives found" if self.scores.squares is None else "weight of positives found"
        axes = (
            self.across,
            Axis("recall: share of positives found", 0, 1, True, found, float(self.found[-1])),
        )
        if self.why:
            axes = Axis(axes[0].label, percent=True), Axis(axes[1].label, percent=True)
            return Figure((Panel(*axes, (Note(0.05, 0.5, f"undefined: {self.why}"),)),))
        ideal = np.array([0.0, self.scores.prevalence, 1.0])
        marks = (
            Line(np.array([0.0, 1.0]), np.array([0.0, 1.0]), "random order", series=None),
            Line(ideal, np.array([0.0, 1.0, 1.0]), "ideal order", series=None, faint=True),
            Line(self.share, self.recall, label or "gains", name=label),
        )
        return Figure((Panel(*axes, marks, square=True),), note="" if self.scores.exact else BINS)

    def plot(self, ax: Any = None, *, label: str = "") -> Any:
        """Draw the figure on the axes given, or on new ones, and hand them back; `label` names the model."""
        return drawn(self.figure(label), ax)


def _before(totals: NDArray[Any], place: int) -> Any:
    return totals[place - 1].item() if place else 0
