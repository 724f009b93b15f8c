"""An ROC curve worked out on paper: the table, the area, ties, the hull and what the corners mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.roc.landmarks import BELOW_DIAGONAL, DIAGONAL, Landmark
from tallymark.curves.shared import DUST, MOST_PRINTED, kept
from tallymark.curves.values import written_cuts
from tallymark.drawing import Block, Column, Document, Paragraph, Section, Table, count, number
from tallymark.tallies.labels import quoted

if TYPE_CHECKING:
    from tallymark.curves.roc.curve import Roc, Trapezoids
    from tallymark.curves.roc.hull import ThresholdHull

_MOST_WHOLE = 60
_MOST_IN_FRACTION = 100_000
_WAYS = {
    "grouped": "One row per distinct score",
    "sequential": "One row per example, in the order of the file where scores are equal",
    "opposite": "Thresholds halfway between neighbouring scores, only where the class changes",
}


def describe(roc: Roc) -> Document:
    """Sections in the order in which the curve is made."""
    sections = [Section("ROC curve", (*_opening(roc), *_points(roc)))]
    if roc.why is None:
        sections.append(Section("Area under the curve", tuple(_area(roc))))
        open_order = "Pairs in one bin" if roc.in_bins else "Equal scores"
        sections.append(Section(open_order, tuple(_ties(roc))))
    if roc.hull is not None:
        sections.append(Section("Convex hull", tuple(_hull(roc, roc.hull))))
    sections.append(Section("Landmarks", (landmark_table(roc.landmarks), Paragraph(DIAGONAL))))
    return Document("", tuple(sections))


# --- the worked table --------------------------------------------------------------------------


def _opening(roc: Roc) -> Iterable[Block]:
    positives, negatives = roc.scores.n_positive, roc.scores.n_negative
    rows = f"{count(roc.scores.rows)} {'row' if roc.scores.rows == 1 else 'rows'}"
    sizes = f"{count(positives)} positive and {count(negatives)} negative"
    said = [f"{rows}: {sizes}." if roc.scores.squares is None else f"{rows}, by weight {sizes}."]
    if roc.positive is not None:
        said.append(f"Positive class: {quoted(roc.positive)}.")
    way = _WAYS.get(roc.construction) or roc.note[:1].upper() + roc.note[1:]
    said.append(f"{way}; score >= threshold is called positive.")
    if roc.ascending:
        said.append("The threshold rises: the first row calls everything positive, the last one nothing.")
    else:
        said.append("The threshold falls: the first row calls nothing positive, the last one everything.")
    yield Paragraph(" ".join(said))


def _points(roc: Roc) -> Iterable[Block]:
    size = len(roc.threshold)
    shown = _shown(size)
    rows = [category or "" for category in roc.categories(shown)]
    columns = {"threshold >=": written_cuts(roc.scores, roc.threshold[shown]), "rows": rows}
    if roc.names is not None:
        columns = {"bin": [roc.names[place] or "none" for place in shown], "rows": rows}
    elif roc.examples is not None:
        numbers = ["" if row < 0 else count(row + 1) for row in roc.examples[shown].tolist()]
        columns = {"row": numbers, "threshold >=": columns["threshold >="], "class": rows}
    for name in ("tp", "fp", "tn", "fn"):
        columns[name.upper()] = [count(cell) for cell in getattr(roc, name)[shown].tolist()]
    for name, counts in (("TPR", roc.tp), ("FPR", roc.fp)):
        total = counts.max().item()
        columns[name] = [_rate(cell, total) for cell in counts[shown].tolist()]
    yield table(columns, title=_part(shown, size, "points"))
    if len(shown) < size:
        yield Paragraph("A .csv file has them all.")
    if roc.why is not None:
        yield Paragraph(f"There is no curve and no area: {roc.why}.")


def _rate(part: Any, total: Any) -> str:
    """`6/8 = 0.750`; only the value where the counts are long, "?" where it is undefined."""
    if not total:
        return number(None)
    value = number(part / total)
    return value if total >= _MOST_IN_FRACTION else f"{count(part)}/{count(total)} = {value}"


def table(columns: Mapping[str, Sequence[str]], words: Sequence[str] = ("bin",), title: str = "") -> Table:
    """Columns as a table; those of words are aligned on the left."""
    heads = tuple(Column(head, "left" if head in words else "right") for head in columns)
    return Table(heads, tuple(zip(*columns.values(), strict=True)), title)


def _shown(size: int) -> NDArray[np.intp]:
    """Which rows of a table are printed: a short one whole, of a longer one some from end to end."""
    return kept(size, _MOST_WHOLE if size <= _MOST_WHOLE else MOST_PRINTED)


def _part(shown: NDArray[np.intp], size: int, what: str) -> str:
    return "" if len(shown) == size else f"{len(shown)} of {count(size)} {what}"


# --- areas -------------------------------------------------------------------------------------


def _area(roc: Roc) -> Iterable[Block]:
    strips = roc.trapezoids()
    if len(strips) <= _MOST_WHOLE:
        yield _trapezoids(strips, roc)
    name = "AUC" if as_ranked(roc) else "Area"
    yield Paragraph(
        f"{name} = {number(roc.auc)}, the sum of {counted(len(strips), 'trapezoid')}; steps straight up have "
        f"no area. {_pairs(roc)}"
    )
    if roc.names is not None and not as_ranked(roc):
        yield Paragraph(
            "Within a bin the order of the scores is not used, so this need not be the AUC of the scores "
            "themselves."
        )
    elif not as_ranked(roc):
        yield Paragraph(
            f"The AUC of the scores is {number(_own_area(roc))}: there equal scores count half, here the "
            "order of the file decides."
        )
    if _own_area(roc) < 0.5 and (roc.names is None or as_ranked(roc)):
        yield Paragraph(f"The area is below 0.5: {BELOW_DIAGONAL}. The scores are left as they are.")


def as_ranked(roc: Roc) -> bool:
    """Whether the area is the AUC of what was counted, whatever way the curve was made."""
    if roc.construction.startswith(("bins:", "quantiles:")):
        return False
    return abs((roc.auc or 0.0) - _own_area(roc)) <= DUST


def _own_area(roc: Roc) -> float:
    """By pairs, a tied one counting half."""
    return float((2 * roc.ties.won + roc.ties.pairs) / (2 * roc.ties.of))


def _trapezoids(strips: Trapezoids, roc: Roc) -> Table:
    start, end = (strips.high, strips.low) if roc.ascending else (strips.low, strips.high)
    cells = {
        "FPR from": start,
        "to": end,
        "width": strips.width,
        "mean TPR": strips.height,
        "area": strips.area,
    }
    body = table({title: [number(value, 4) for value in values.tolist()] for title, values in cells.items()})
    total = ("sum", "", number(1.0, 4), "", number(roc.auc, 4))
    return Table(body.columns, (*body.rows, total), rule_before=(len(body.rows),))


def _pairs(roc: Roc) -> str:
    """The area as a share of pairs."""
    ties, what = roc.ties, "pairs in one bin" if roc.in_bins else "equal scores"
    won: Any = ties.won + ties.pairs / 2
    how = f", {what} counting half" if ties.pairs else ""
    if roc.examples is not None:
        won = (roc.auc or 0.0) * ties.of
        how = ", in this order of equal scores" if ties.pairs else ""
    if roc.scores.squares is not None:
        of = f"By weight {count(won)} of {count(ties.of)}"
    else:
        won = round(2 * won) / 2
        of = f"{count(won)} of the {count(ties.of)}"
    return f"{of} pairs of a positive and a negative row are ranked right{how}."


def _ties(roc: Roc) -> Iterable[Block]:
    ties = roc.ties
    where = "bin" if roc.in_bins else "score"
    if not ties.pairs:
        yield Paragraph(f"No {where} holds rows of both classes, so no order is left open.")
        return
    hold = "holds" if ties.groups == 1 else "hold"
    yield Paragraph(
        f"{counted(ties.groups, where)} {hold} rows of both classes: {count(ties.pairs)} of {count(ties.of)} "
        f"pairs {'is' if ties.pairs == 1 else 'are'} tied. With the negatives of each first the area is "
        f"{number(ties.pessimistic)}, with the positives first {number(ties.optimistic)}; any other order is "
        "between."
    )


def counted(size: int, what: str) -> str:
    """`1 score`, `2 scores`."""
    return f"{count(size)} {what}{'' if size == 1 else 's'}"


def _hull(roc: Roc, hull: ThresholdHull) -> Iterable[Block]:
    size = len(hull.fpr)
    shown = _shown(size)
    slopes = [*(number(slope) for slope in hull.slope.tolist()), ""]
    columns = {
        **_reached(roc, hull.threshold[shown]),
        "FPR": [number(value) for value in hull.fpr[shown].tolist()],
        "TPR": [number(value) for value in hull.tpr[shown].tolist()],
        "slope to next": [slopes[place] for place in shown],
    }
    yield table(columns, title=_part(shown, size, "vertices"))
    points = len(roc.scores.thresholds) if roc.examples is not None else len(roc.threshold)
    yield Paragraph(
        f"{count(len(hull.fpr))} of the {count(points)} points a threshold can reach are vertices of the "
        "hull: only these can be the cheapest choice, whatever the costs and the class shares. The area "
        f"under the hull is {number(hull.auc)}; between two vertices it is reached by tossing a coin."
        f"{'' if roc.scores.exact else ' With every score known the hull could only be higher.'}"
    )


def _reached(roc: Roc, thresholds: NDArray[np.float64]) -> dict[str, list[str]]:
    """Where to cut: at a threshold, or below a bin, whose edges need not be known."""
    if roc.names is None:
        return {"threshold >=": written_cuts(roc.scores, thresholds)}
    names = dict(zip(roc.threshold.tolist(), roc.names, strict=True))
    return {"down to bin": [names[threshold] or "none" for threshold in thresholds.tolist()]}


def landmark_table(landmarks: Iterable[Landmark]) -> Table:
    """The corners and what they mean."""
    rows = tuple((f"FPR {mark.fpr:g}, TPR {mark.tpr:g}", mark.words) for mark in landmarks)
    return Table((Column("", "left"), Column("", "left")), rows)
