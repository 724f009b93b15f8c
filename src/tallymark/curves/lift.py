"""Lift: how many times more positives the best-scored share of the rows holds than a random one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.frames import frame
from tallymark.curves.gains import Gains, Taken
from tallymark.curves.shared import BINS, drawn, first_called, share_of, thinned
from tallymark.drawing import Document, number
from tallymark.drawing.figure import Axis, Figure, Line, Note, Panel
from tallymark.drawing.notebook import Drawn
from tallymark.tallies import Scores

_STEADY = 0.01
"""Below this share a handful of rows makes the lift, and it may jump far beyond the rest of the picture."""
_FAR = 2.0
"""So many times higher than the rest is far beyond it."""


@dataclass(frozen=True, eq=False)
class Lift(Drawn):
    """Lift at every distinct score: recall / share of the rows taken, best first. 1 is a random choice.

    >>> Lift(Scores.from_bins([6, 2, 2], [4, 18, 68])).at(share=0.1).lift
    6.0
    """

    scores: Scores

    @cached_property
    def gains(self) -> Gains:
        """The curve it is made from."""
        return Gains(self.scores)

    @property
    def share(self) -> NDArray[np.float64]:
        """From the first score on: where nothing is taken there is no lift."""
        return self.gains.share[self._start :]

    @property
    def lift(self) -> NDArray[np.float64]:
        return self.gains.lift[self._start :]

    @property
    def recall(self) -> NDArray[np.float64]:
        return self.gains.recall[self._start :]

    @property
    def threshold(self) -> NDArray[np.float64]:
        return self.scores.thresholds[self._start :]

    @cached_property
    def _start(self) -> int:
        return first_called(self.scores)

    @property
    def why(self) -> str | None:
        """Why the curve is undefined, if it is."""
        return self.gains.why

    def at(self, *, share: float) -> Taken:
        """What the best share of the rows holds; `.lift` is its lift."""
        return self.gains.at(share=share)

    # --- handed on -----------------------------------------------------------------------------

    def table(self, library: str | None = None) -> Any:
        """One row per point, as a data frame."""
        return frame(self._columns(), library)

    def to_dict(self, most: int = 4096) -> dict[str, Any]:
        """For JSON; at most about `most` points."""
        form: dict[str, Any] = {} if self.why is None else {"why": self.why}
        if not self.scores.exact:
            form["exact"] = False
        return form | thinned(self._columns(), most)

    def _columns(self) -> dict[str, NDArray[Any]]:
        return {name: getattr(self, name) for name in ("share", "lift", "threshold")}

    def document(self) -> Document:
        """Gains and lift are two readings of one table, so they are told together."""
        return self.gains.document()

    def figure(self, label: str = "") -> Figure:
        """Lift against the share taken, with the line of a random choice."""
        if self.why:
            across, up = Axis("share of rows taken, best first", percent=True), Axis("lift")
            return Figure((Panel(across, up, (Note(0.05, 0.5, f"undefined: {self.why}"),)),))
        # Among tied rows lift is no straight line: points in between are put where they belong.
        gains = self.gains
        share = np.union1d(np.linspace(0, 1, 201)[1:], self.share)
        lift = np.interp(share, gains.share, gains.recall) / share
        top = float(lift.max())
        steady = float(lift[share >= _STEADY].max())
        high = max(1.1, 1.05 * (steady if top > _FAR * steady else top))
        notes = [] if self.scores.exact else [BINS]
        if top > high:
            within = share_of(float(share[lift > high].max()))
            notes.append(f"Within the best {within} the lift goes up to {number(top, 1)}.")
        # It starts flat: among the best tied rows every share has the lift of all of them.
        marks = (
            Line(np.array([0.0, 1.0]), np.ones(2), "random order", series=None),
            Line(np.append(0.0, share), np.append(lift[0], lift), label or "lift", name=label),
        )
        return Figure((Panel(gains.across, Axis("lift", 0, high), marks),), note=" ".join(notes))

    def plot(self, ax: Any = None, *, label: str = "") -> Any:
        """Draw the figure on the axes given, or on new ones, and hand them back; `label` names the model."""
        return drawn(self.figure(label), ax)
