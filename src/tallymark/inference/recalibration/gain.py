"""What recalibration would gain, tried on rows that it was not fitted to."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.shared import finite
from tallymark.drawing import Block, Column, Document, Paragraph, Section, Table, interval, number
from tallymark.drawing.notebook import Described
from tallymark.inference.estimate import INDEPENDENT, Estimate, by_group, undefined
from tallymark.inference.folds import folds_of, grouped_folds_of
from tallymark.inference.ranking import factors, scaled, scaled_groups
from tallymark.inference.recalibration.fits import Isotonic, Platt, Rows, Scale
from tallymark.intervals import student_quantile
from tallymark.tallies import GroupedScores, Scores
from tallymark.tallies.scores import BINNED
from tallymark.tallies.sums import losses_of_scores

__all__ = [
    "Change",
    "Recalibrated",
    "Recalibration",
    "folds_of",
    "grouped_folds_of",
    "recalibration",
    "recalibration_of",
]

Floats = NDArray[np.float64]
Method = Literal["isotonic", "platt"]
_INFINITE = "infinite, because a row gave what came true probability 0"
_ONE_CLASS = "to fit without one part of the rows, the others must have rows of both classes"
GIVEN = "what was fitted is taken as given"


@dataclass(frozen=True)
class Change:
    """A mean loss before and after; less is better, so a gain is positive."""

    before: float | None
    """None where the scores were no probabilities; infinite where something came true that had none."""
    after: float
    gain: Estimate
    """before - after, with its interval: the same rows are compared with themselves."""

    def to_dict(self) -> dict[str, Any]:
        return {"before": finite(self.before), "after": finite(self.after), "gain": self.gain.to_dict()}


@dataclass(frozen=True)
class Recalibrated:
    """One way to recalibrate, and what it does to rows that it was not fitted to."""

    method: Method
    brier: Change
    log_loss: Change
    slope: float | None = None
    """Of Platt's curve fitted to all rows; of probabilities 1 is right, and less means: too extreme."""
    intercept: float | None = None

    def to_dict(self) -> dict[str, Any]:
        form: dict[str, Any] = {"brier": self.brier.to_dict(), "log_loss": self.log_loss.to_dict()}
        return form if self.slope is None else form | {"slope": self.slope, "intercept": self.intercept}


@dataclass(frozen=True)
class Recalibration(Described):
    """Both usual ways, fitted on all parts of the rows but one and tried on that one."""

    isotonic: Recalibrated | None
    platt: Recalibrated | None
    folds: int
    level: float = 0.95
    why: str | None = None
    """Why nothing was fitted."""

    @property
    def better(self) -> Method | None:
        """The one that lowers the Brier score more; None where neither clearly lowers it."""
        both = [each for each in (self.isotonic, self.platt) if each is not None and _clear(each.brier.gain)]
        return max(both, key=lambda each: each.brier.gain.value or 0).method if both else None

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        if self.isotonic is None or self.platt is None:
            return {"folds": self.folds, "why": self.why}
        each = {"isotonic": self.isotonic.to_dict(), "platt": self.platt.to_dict()}
        return {"folds": self.folds, "better": self.better} | each

    def document(self) -> Document:
        """Losses before and after, and what is gained."""
        return Document("", (Section("What recalibration would gain", tuple(self._blocks())),))

    def _blocks(self) -> Iterator[Block]:
        if self.isotonic is None or self.platt is None:
            yield Paragraph(f"Nothing was recalibrated: {self.why}.")
            return
        rows = [
            (each.method, name.replace("_", " "), *_cells(change))
            for each in (self.isotonic, self.platt)
            for name, change in (("brier", each.brier), ("log_loss", each.log_loss))
        ]
        titles = ("before", "after", "gain", f"{100 * self.level:.10g} % interval")
        columns = (Column("method", "left"), Column("loss", "left"), *map(Column, titles))
        yield Paragraph(
            f"Fitted on all of {self.folds} parts of the rows but one and tried on that one, each in turn; "
            "less loss is better."
        )
        yield Table(columns, tuple(rows))
        yield Paragraph(" ".join(self._sentences()))

    def _sentences(self) -> Iterator[str]:
        assert self.platt is not None
        gain = self.platt.brier.gain
        if gain.value is None:
            yield f"There is nothing to compare with: {gain.why}."
        elif self.better is None:
            yield "Neither clearly lowers the Brier score."
        else:
            name = {"isotonic": "Isotonic recalibration", "platt": "Platt's recalibration"}[self.better]
            yield f"{name} lowers the Brier score most."
        for each in (self.isotonic, self.platt):
            if each is not None and each.log_loss.after == math.inf:
                yield (
                    f"After {each.method} the log loss is infinite: a row that came out otherwise was given "
                    "0 or 1."
                )
        if self.platt.slope is not None and gain.value is not None:
            slope = self.platt.slope
            told = "less than 1: they are too extreme" if slope < 1 else "more than 1: they are too cautious"
            yield (
                f"Platt's curve, fitted to all rows, has the slope {number(slope)} on the logits of the "
                f"probabilities ({told})."
            )


def _clear(gain: Estimate) -> bool:
    return gain.low is not None and gain.low > 0


def _cells(change: Change) -> tuple[str, ...]:
    gain = change.gain
    then, now = number(change.before, 4), number(change.after, 4)
    return then, now, number(gain.value, 4), interval(gain.low, gain.high, 4)


def recalibration_of(
    scores: Scores,
    level: float = 0.95,
    groups: GroupedScores | None = None,
    share: float | None = None,
    *,
    k: int = 5,
    seed: int = 0,
) -> Recalibration:
    """The rows dealt into `k` parts, whole groups where there are groups, and recalibrated.

    With a `share` of the positive class that is not the sample's own, what to expect there.
    """
    by = factors(scores, share)
    if groups is None:
        return recalibration([scaled(fold, by) for fold in folds_of(scores, k, seed)], level)
    return recalibration([scaled_groups(fold, by) for fold in grouped_folds_of(groups, k, seed)], level)


def recalibration(folds: Sequence[Scores] | Sequence[GroupedScores], level: float = 0.95) -> Recalibration:
    """Fit on all parts but one and try on that one, each in turn.

    Parts that know their groups, as `grouped_folds_of` deals them, have intervals that stand on groups.
    """
    tallies = [fold if isinstance(fold, Scores) else fold.total for fold in folds]
    if not all(each.exact for each in tallies):
        return Recalibration(None, None, len(tallies), level, f"it needs exact scores: {BINNED}")
    whole: Scores = sum(tallies, Scores.empty())
    trained = [_without(whole, each) for each in tallies]
    if not all(rows.effective[0] > 0 and rows.effective[1] > 0 for rows in trained):
        return Recalibration(None, None, len(tallies), level, _ONE_CLASS)
    scale = Scale.of(whole)
    every = Platt.fit(Rows(whole.score, whole.positives, whole.negatives, whole.effective), scale)
    isotonic = [Isotonic.fit(rows)(t.score) for rows, t in zip(trained, tallies, strict=True)]
    platt = [Platt.fit(rows, scale, every)(t.score) for rows, t in zip(trained, tallies, strict=True)]
    before = whole.no_probabilities
    return Recalibration(
        Recalibrated("isotonic", *_changes(folds, isotonic, before, level)),
        Recalibrated("platt", *_changes(folds, platt, before, level), every.slope, every.intercept),
        len(tallies),
        level,
    )


def _without(whole: Scores, part: Scores) -> Rows:
    """All rows but those of one part, at the scores of all."""
    place = whole.called(part.score) - 1
    sides, effective = [], []
    for side, name in enumerate(("positives", "negatives")):
        counts = getattr(whole, name).copy()
        counts[place] -= getattr(part, name)
        counts = np.maximum(counts, 0)  # where weights leave less than nothing, it is rounding
        n = float(counts.sum())
        if whole.squares is not None:
            squares = float(whole.squares[side].sum()) - float(
                0 if part.squares is None else part.squares[side].sum()
            )
            n = n * n / squares if squares > 0 else 0.0
        sides.append(counts)
        effective.append(n)
    return Rows(whole.score, sides[0], sides[1], (effective[0], effective[1]))


# --- what is gained --------------------------------------------------------------------------


def _changes(
    folds: Sequence[Scores | GroupedScores], after: list[Floats], no_probabilities: str | None, level: float
) -> tuple[Change, Change]:
    """Of Brier's loss and of the logarithmic one, in the order of `losses_of_scores`."""
    brier, log_loss = (_change(loss, folds, after, no_probabilities, level) for loss in (0, 1))
    return brier, log_loss


def _change(
    loss: int,
    folds: Sequence[Scores | GroupedScores],
    after: list[Floats],
    no_probabilities: str | None,
    level: float,
) -> Change:
    pieces = [_piece(loss, fold, p, no_probabilities) for fold, p in zip(folds, after, strict=True)]
    weight = sum(piece.weight for piece in pieces)
    now = sum(piece.after for piece in pieces) / weight
    if no_probabilities:
        return Change(None, now, undefined(no_probabilities, level))
    then = sum(piece.before for piece in pieces) / weight
    if not math.isfinite(then) or not math.isfinite(now):
        side = "before" if not math.isfinite(then) else "after"
        return Change(then, now, undefined(f"{side} it is {_INFINITE}", level))
    return Change(then, now, _gain(pieces, folds, then - now, level))


class _Piece(NamedTuple):
    """The losses of one part."""

    weight: float
    before: float
    after: float
    gains: tuple[Floats, Floats]
    """At each score, of a positive and of a negative row."""


def _piece(loss: int, fold: Scores | GroupedScores, after: Floats, no_probabilities: str | None) -> _Piece:
    t = fold if isinstance(fold, Scores) else fold.total
    sides = t.positives, t.negatives
    now = [each[loss] for each in losses_of_scores(after)]
    then = now if no_probabilities else [each[loss] for each in losses_of_scores(t.score)]
    with np.errstate(invalid="ignore"):  # an infinite loss that no row has
        totals = [
            sum(float((n * each).sum(where=n > 0)) for n, each in zip(sides, of_sides, strict=True))
            for of_sides in (then, now)
        ]
        up, down = (np.where(n > 0, old - new, 0.0) for n, old, new in zip(sides, then, now, strict=True))
    return _Piece(float(t.n), totals[0], totals[1], (up, down))


def _gain(
    pieces: list[_Piece], folds: Sequence[Scores | GroupedScores], mean: float, level: float
) -> Estimate:
    """The mean of what rows gain, with Student's interval of rows or of groups."""
    total = sum(piece.weight for piece in pieces)
    rows = squares = spread = 0.0
    groups = 0
    for piece, fold in zip(pieces, folds, strict=True):
        up, down = (side - mean for side in piece.gains)
        if isinstance(fold, GroupedScores):
            of_groups = fold.per_group(up, down)
            spread += float((of_groups**2).sum())
            groups += len(fold)
            rows += fold.total.rows
        else:
            weights = fold.squares or (fold.positives, fold.negatives)
            spread += float((weights[0] * up**2).sum() + (weights[1] * down**2).sum())
            squares += float(weights[0].sum() + weights[1].sum())
    n = float(groups) if groups else total * total / squares
    if n <= 1:
        return Estimate(mean, level, remark="there is but one group" if groups else "there is but one row")
    se = math.sqrt(spread * n / (n - 1)) / total

    def ends(level: float) -> tuple[float, float]:
        half = student_quantile(level, n - 1) * se
        return mean - half, mean + half

    assumption = f"{by_group(groups) if groups else INDEPENDENT}; {GIVEN}"
    method = "student_groups" if groups else "student"
    return Estimate(mean, level, method, rows or n, assumption, ends_at=ends, se=se)
