"""A calibration curve in words, in a table and in a picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tallymark.curves.calibration.spread import CHI_SQUARED
from tallymark.curves.shared import MOST_PRINTED, finite, kept, share_of
from tallymark.curves.values import written
from tallymark.drawing import (
    Block,
    Column,
    Document,
    Paragraph,
    Section,
    Table,
    bracketed,
    count,
    interval,
    number,
    numbers_together,
)
from tallymark.drawing.figure import Axis, Band, Figure, Line, Mark, Note, Panel, Points
from tallymark.tallies import Sums
from tallymark.tallies.labels import quoted

if TYPE_CHECKING:
    from tallymark.curves.calibration.curve import Calibration

_LOWER_PART = 4
"""The rows of the bins take up the lowest quarter of the picture."""
_MOST_WHISKERS = 30
"""More bins have a band in place of an interval each."""


def said(curve: Calibration) -> str:
    """What the probabilities are of."""
    if curve.of_answers:
        return "probability of the answer given"
    positive = curve.scores.positive
    return "probability of the positive class" if positive is None else f"probability of {quoted(positive)}"


def came_true(curve: Calibration) -> str:
    """What is observed."""
    if curve.of_answers:
        return "share of right answers"
    positive = curve.scores.positive
    return "share of positives" if positive is None else f"share of {quoted(positive)}"


def bins_in_words(curve: Calibration) -> str:
    """`10 bins of equal width`."""
    kind = "equal width" if curve.strategy == "width" else "equally many rows"
    return "1 bin" if curve.n_bins == 1 else f"{curve.n_bins:,} bins of {kind}"


def document(curve: Calibration) -> Document:
    title = "Calibration of the answers" if curve.of_answers else "Calibration"
    if curve.why:
        blocks: tuple[Block, ...] = (Paragraph(f"There is no calibration curve: {curve.why}."),)
    else:
        blocks = tuple(_blocks(curve))
    return Document("", (Section(title, blocks),))


def _blocks(curve: Calibration) -> Iterator[Block]:
    yield Paragraph(" ".join(_errors(curve)))
    yield Paragraph(in_words(curve))
    yield Paragraph(" ".join(_losses(curve)))
    yield _table(curve)
    yield Paragraph(f"Intervals: Wilson's, each for its own bin; {curve.assumption}.")
    if np.isnan(curve.low).any():
        yield Paragraph("A bin has no interval where all its rows are of one group.")


def _errors(curve: Calibration) -> Iterator[str]:
    yield (
        f"In {bins_in_words(curve)} the {said(curve)} is on average {number(curve.ece)} away from the "
        f"{came_true(curve)} (ECE), and at most {number(curve.mce)} (MCE)."
    )
    if curve.bounds is not None:
        yield _bounds_in_words(curve.bounds)
    yield (
        "Chance alone makes such distances, so they are too large: less what it adds they are about "
        f"{number(curve.debiased_ece)} and {number(curve.debiased_mce)}."
    )
    with np.errstate(under="ignore"):
        mean = float((curve.count * curve.predicted).sum() / curve.count.sum())
    yield f"Over all rows {number(mean)} was said, and {number(curve.scores.prevalence)} came true."


def p_value(value: float) -> str:
    """A probability that may be too small for a float."""
    return number(value) if value else "below 1e-300"


def _bounds_in_words(bounds: tuple[tuple[float, float], tuple[float, float]]) -> str:
    ece, mce = (interval(*each) for each in bounds)
    return (
        "Only narrow bins of the probabilities were counted, and some of them go beyond a bin of the curve: "
        f"ECE can be {ece} and MCE {mce}."
    )


def in_words(curve: Calibration) -> str:
    """What the test says."""
    test = curve.test
    if test.p_value is None:
        return f"Whether chance explains the gaps is not tested: {test.why}."
    if test.method == CHI_SQUARED:
        degrees = "1 degree" if test.df == 1 else f"{test.df:g} degrees"
        how = f"chi-squared {number(test.statistic, 2)} with {degrees} of freedom"
        if test.df is not None and test.df < len(curve.count):
            how += f" for {len(curve.count)} bins, because those that tell little are joined with a neighbour"
    else:
        how = f"at the largest, {number(test.statistic, 2)} standard errors; corrected for {test.bins} bins"
    return (
        f"If the probabilities were right, gaps as large as these would come about with probability "
        f"{p_value(test.p_value)} ({how}; {test.assumption})."
    )


def _losses(curve: Calibration) -> Iterator[str]:
    parts = curve.decomposition
    if parts is None or curve.brier is None:
        return
    twice = number(2 * curve.brier, 4)
    both = "" if curve.of_answers else f"; added up over both classes, as Brier did, {twice}"
    sign = "-" if parts.within < 0 else "+"
    yield (
        f"Brier score {number(curve.brier, 4)} (of one probability, from 0 to 1{both}) = reliability "
        f"{number(parts.reliability, 4)} - resolution {number(parts.resolution, 4)} + uncertainty "
        f"{number(parts.uncertainty, 4)} {sign} within bins {number(abs(parts.within), 4)}."
    )
    yield "Reliability is what calibrated bins would save."
    if isinstance(curve.sums, Sums):
        endless = "infinite, because a row gave what came true probability 0"
        yield f"Log loss {endless if curve.sums.infinite else number(curve.log_loss)}."


def _table(curve: Calibration) -> Table:
    bins = curve.bins
    places = kept(len(bins), MOST_PRINTED).tolist()
    edges = written(curve.edges) if curve.strategy == "width" and len(bins) <= MOST_PRINTED else None
    weighted = curve.scores.squares is not None
    rows = []
    for at in places:
        first = int(bins.place[at])
        pair = edges[first : first + 2] if edges else map(number, curve.edges[first : first + 2].tolist())
        of_bin = (float(column[at]) for column in (curve.predicted, curve.observed, curve.low, curve.high))
        *means, low, high = numbers_together(*map(finite, of_bin))
        rows.append((*pair, count(curve.count[at].item()), *means, bracketed(low, high)))
    level = f"{share_of(curve.level)} interval"
    titles = ("above", "up to", "weight" if weighted else "rows", "predicted", "observed", level)
    title = f"{said(curve)}, and {came_true(curve)}"
    if len(places) < len(bins):
        title += f", in {len(places)} of {count(len(bins))} bins"
    return Table(tuple(map(Column, titles)), tuple(rows), title[0].upper() + title[1:])


def figure(curve: Calibration, label: str = "") -> Figure:
    axes = Axis(f"predicted: {said(curve)}"), Axis(f"observed: {came_true(curve)}")
    if curve.why:
        return Figure((Panel(*axes, (Note(0.05, 0.5, f"undefined: {curve.why}"),), square=True),))
    errors = f"ECE {number(curve.ece)} ({number(curve.debiased_ece)} beyond chance)"
    x, y = curve.predicted, curve.observed
    ends = np.array([0.0, 1.0])
    marks: list[Mark] = [
        Line(ends, ends, "calibrated", series=None),
        Line(x, y, f"{label}, {errors}" if label else errors, name=label),
    ]
    if len(x) <= _MOST_WHISKERS:
        marks += _whiskers(curve), Points(x, y)
    else:
        marks.append(Band(x, curve.low, curve.high, f"{share_of(curve.level)} interval of each bin"))
    y_axis = axes[1]
    # Bins of equally many rows show by their places where the rows are, and several models have other rows.
    if curve.strategy == "width" and not label:
        things = "rows in the bin" if curve.scores.squares is None else "weight in the bin"
        most = _LOWER_PART * float(curve.count.max())
        y_axis = replace(y_axis, second=things, second_high=most)
        heights = np.zeros(len(curve.edges))
        heights[curve.bins.place] = curve.count / most
        marks.insert(0, Band(curve.edges, 0 * heights, heights, things, series=None, stepped=True))
    # Of several models bands would cover each other, and the tests are in the text.
    note = bins_in_words(curve)
    if not label or len(x) <= _MOST_WHISKERS:
        note += f", with {share_of(curve.level)} intervals"
    note = f"{note}." if label else f"{note}. {in_words(curve)}"
    if curve.bounds is not None:
        note += f" {_bounds_in_words(curve.bounds)}"
    return Figure((Panel(axes[0], y_axis, tuple(marks), square=True),), note=note)


def _whiskers(curve: Calibration) -> Line:
    """The interval of every bin."""
    size = 3 * len(curve.predicted)
    across, upright = np.full(size, np.nan), np.full(size, np.nan)
    across[::3] = across[1::3] = curve.predicted
    upright[::3], upright[1::3] = curve.low, curve.high
    return Line(across, upright)
