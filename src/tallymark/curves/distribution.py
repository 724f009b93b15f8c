"""How the scores of each class are spread: a histogram of the positives and one of the rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.frames import frame
from tallymark.curves.shared import (
    NO_ROWS,
    asked_for,
    cut_at,
    drawn,
    finite,
    no_curve,
    spelled,
    spelled_up,
    thinned,
)
from tallymark.curves.values import written
from tallymark.drawing import Block, Column, Document, Paragraph, Section, Table, count, number, percent
from tallymark.drawing.figure import Axis, Band, Figure, Line, Mark, Note, Panel
from tallymark.drawing.notebook import Drawn
from tallymark.errors import OptionError
from tallymark.metrics.registry import ratio
from tallymark.tallies import Scores
from tallymark.tallies.confusion import frozen
from tallymark.tallies.labels import quoted

Floats = NDArray[np.float64]
_MOST_BINS = 1_000
_HEADROOM = 1.08
OWN_EDGES = "Only bins of the scores were counted, so the bars end where some of these do."


@dataclass(frozen=True)
class DistributionBin:
    """The rows whose score is in one bin, by class, and which share of each class they are."""

    low: float
    high: float
    positives: Any
    negatives: Any
    share_of_positives: float | None
    share_of_negatives: float | None


@dataclass(frozen=True, eq=False)
class Distribution(Drawn):
    """How many rows of either class have their score in each bin; a bin holds its lower edge, the last both.

    The bins are of equal width from 0 to 1, or over the scores where some are outside. Where only bins of the
    scores were counted, an edge within one of them is moved down to where it begins.

    >>> scores = Scores(np.array([0.9, 0.6, 0.2]), np.array([3, 1, 0]), np.array([0, 1, 4]))
    >>> made = Distribution(scores, 2)
    >>> made.edges.tolist(), made.positives.tolist(), made.share_of_negatives.tolist()
    ([0.0, 0.5, 1.0], [0, 4], [0.8, 0.2])
    """

    scores: Scores
    n_bins: int = 20
    threshold: float | None = None
    """Where the scores are cut, if they are."""
    of_answers: bool = False
    """Whether the scores are the probabilities of the answers, and the positives those that are right."""

    def __post_init__(self) -> None:
        n_bins = self.n_bins
        if isinstance(n_bins, bool) or not isinstance(n_bins, int) or not 1 <= n_bins <= _MOST_BINS:
            raise OptionError(f"n_bins must be a whole number from 1 to {_MOST_BINS:,}; got {n_bins!r}.")

    @property
    def why(self) -> str | None:
        """Why there is nothing to draw, if so."""
        return None if self.scores.n else NO_ROWS

    @cached_property
    def _even(self) -> Floats:
        """Edges as far from each other as they can be."""
        scores, steps = self.scores, np.arange(self.n_bins + 1) / self.n_bins
        if not len(scores.score) or (scores.score[-1] >= 0 and scores.highest <= 1):
            return frozen(steps)
        low, high = float(scores.score[-1]), scores.highest
        if low == high:
            low, high = low - 0.5, high + 0.5
        # Each end by its own share, so that no sum leaves the range of floats.
        return frozen(np.asarray(low * (1 - steps) + high * steps))

    @cached_property
    def edges(self) -> Floats:
        """Where the bins end, ascending."""
        even, scores = self._even, self.scores
        if scores.exact:
            return even
        inner = even[1:-1]
        begins = scores.score[::-1]
        place = np.searchsorted(begins, inner, side="right") - 1
        held = place >= 0
        ends = self._ends[::-1]
        within = held & (inner <= ends[place]) & (inner > begins[place])
        inner = np.where(within, begins[place], inner)
        return frozen(np.unique(np.concatenate([even[:1], inner, even[-1:]])))

    @property
    def _ends(self) -> Floats:
        """The highest score that rows at each place may have."""
        scores = self.scores
        if scores.reach is not None:
            return scores.reach
        if scores.edges is None:
            return scores.score
        return np.nextafter(scores.edges[:0:-1], -np.inf)

    @property
    def even(self) -> bool:
        """Whether all bins are of equal width."""
        return len(self.edges) == len(self._even) and bool((self.edges == self._even).all())

    @cached_property
    def positives(self) -> NDArray[Any]:
        """Rows of the positive class in each bin, or the sum of their weights."""
        return self._counted(self.scores.tp)

    @cached_property
    def negatives(self) -> NDArray[Any]:
        return self._counted(self.scores.fp)

    def _counted(self, cumulated: NDArray[Any]) -> NDArray[Any]:
        """What reaches each edge and not the next."""
        reached = cumulated[self.scores.called(self.edges[:-1])]
        return frozen(np.asarray(reached - np.append(reached[1:], 0)))

    @property
    def share_of_positives(self) -> Floats:
        """Of all positives, which share is in each bin; NaN without positives."""
        return frozen(np.asarray(ratio(self.positives, self.scores.n_positive)))

    @property
    def share_of_negatives(self) -> Floats:
        return frozen(np.asarray(ratio(self.negatives, self.scores.n_negative)))

    def at(self, score: float) -> DistributionBin:
        """The bin that holds a score."""
        _, value = asked_for({"threshold": score})
        if self.why:
            raise no_curve(self.why)
        low, high = float(self.edges[0]), float(self.edges[-1])
        if not low <= value <= high:
            raise OptionError(f"the bins go from {spelled(low)} to {spelled(high)}; got {score!r}.")
        place = min(int(np.searchsorted(self.edges, value, side="right")) - 1, len(self.edges) - 2)
        return DistributionBin(
            float(self.edges[place]),
            float(self.edges[place + 1]),
            self.positives[place].item(),
            self.negatives[place].item(),
            finite(float(self.share_of_positives[place])),
            finite(float(self.share_of_negatives[place])),
        )

    # --- handed on -------------------------------------------------------------------------------

    @property
    def _columns(self) -> dict[str, NDArray[Any]]:
        names = ("positives", "negatives", "share_of_positives", "share_of_negatives")
        edges = {"low": self.edges[:-1], "high": self.edges[1:]}
        return edges | {name: getattr(self, name) for name in names}

    def table(self, library: str | None = None) -> Any:
        """One row per bin, as a data frame."""
        return frame(self._columns, library)

    def to_dict(self, most: int = 4096) -> dict[str, Any]:
        """For JSON; at most about `most` bins."""
        form: dict[str, Any] = {"of": "answers" if self.of_answers else "positive"}
        form |= {"threshold": self.threshold} | ({"why": self.why} if self.why else {})
        if not self.scores.exact:
            form["exact"] = False
        return form | thinned(self._columns, most)

    def document(self) -> Document:
        """Where half of each class is, and the bins."""
        return Document("", (Section(self.title, tuple(self._blocks())),))

    @property
    def title(self) -> str:
        return "Probabilities of right and wrong answers" if self.of_answers else "Scores by class"

    def _blocks(self) -> Iterator[Block]:
        if self.why:
            yield Paragraph(f"There are no scores to count: {self.why}.")
            return
        yield Paragraph(" ".join(self.sentences()))
        if not self.even:
            yield Paragraph(OWN_EDGES)
        yield self._printed()

    @property
    def names(self) -> tuple[str, str]:
        """What the two sides are called, in a sentence."""
        if self.of_answers:
            return "right answers", "wrong answers"
        positive = self.scores.positive
        return ("positive rows" if positive is None else f"rows of {quoted(positive)}"), "other rows"

    def sentences(self) -> Iterator[str]:
        """Where the better half of the one class and the worse half of the other are."""
        first, second = self.names
        verb = ("were given", "probability") if self.of_answers else ("score", "")
        given = f"{verb[0]} {f'a {verb[1]} of ' if verb[1] else ''}"
        said = []
        if (high := self.upper_half) is not None:
            said.append(f"half of the {first} {given}{high} or more")
        if (low := self.lower_half) is not None:
            said.append(f"half of the {second} {given if not said else ''}{low} or less")
        text = ", and ".join(said)
        yield f"{text[0].upper()}{text[1:]}."
        for name, size in ((first, self.scores.n_positive), (second, self.scores.n_negative)):
            if not size:
                yield f"There are no {name}."

    @property
    def upper_half(self) -> str | None:
        """The highest score that at least half of the positives reach."""
        scores = self.scores
        if not scores.n_positive:
            return None
        return cut_at(scores, float(scores.thresholds[np.searchsorted(scores.tp, scores.n_positive / 2)]))

    @property
    def lower_half(self) -> str | None:
        """The lowest score that at least half of the rest do not exceed."""
        scores = self.scores
        if not scores.n_negative:
            return None
        # Rows above a place are those counted before it.
        place = int(np.searchsorted(scores.fp, scores.n_negative / 2, side="right")) - 1
        place = min(place, len(scores.score) - 1)
        end = float(self._ends[place])
        if not scores.exact:
            return number(end)
        return spelled_up(end, float(scores.thresholds[place]))

    def _printed(self) -> Table:
        edges = written(self.edges) if self.even else [number(edge) for edge in self.edges.tolist()]
        rows = []
        for place in range(len(edges) - 1):
            sides = (
                (self.positives, self.share_of_positives),
                (self.negatives, self.share_of_negatives),
            )
            cells = ((count(of[place].item()), percent(finite(float(share[place])))) for of, share in sides)
            rows.append((*edges[place : place + 2], *(text for cell in cells for text in cell)))
        first, second = self.names
        titles = ("from", "below", first, "share", second, "share")
        return Table(tuple(map(Column, titles)), tuple(rows))

    # --- drawn -----------------------------------------------------------------------------------

    def figure(self, label: str = "") -> Figure:
        """Both histograms on top of each other, in shares of their class, and where the scores are cut."""
        across = Axis(
            "probability of the answer" if self.of_answers else "score",
            float(self.edges[0]),
            float(self.edges[-1]),
        )
        up = "share of the answers" if self.of_answers else "share of the class"
        if self.why:
            note = Note(across.low, 0.5, f"undefined: {self.why}")
            return Figure((Panel(across, Axis(up, percent=True), (note,), title=label),))
        sides = [
            (series, name, shares)
            for series, name, shares in zip(
                (0, 1), self.names, (self.share_of_positives, self.share_of_negatives), strict=True
            )
            if not np.isnan(shares).any()
        ]
        top = _HEADROOM * max(float(shares.max()) for _, _, shares in sides)
        marks: list[Mark] = []
        for series, name, shares in sides:
            heights = np.append(shares, shares[-1])
            marks.append(Band(self.edges, 0 * heights, heights, series=series, stepped=True))
            marks.append(Line(self.edges, heights, name, series, stepped=True))
        if self.threshold is not None and across.low <= self.threshold <= across.high:
            cut = cut_at(self.scores, self.threshold)
            marks.append(Line(np.full(2, self.threshold), np.array([0.0, top]), f"cut at {cut}", series=None))
        axes = across, Axis(up, 0.0, top, percent=True)
        return Figure((Panel(*axes, tuple(marks), title=label),), note="" if self.even else OWN_EDGES)

    def plot(self, ax: Any = None, *, label: str = "") -> Any:
        """Draw the figure on the axes given, or on new ones, and hand them back; `label` names the model."""
        return drawn(self.figure(label), ax)
