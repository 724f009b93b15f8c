"""An ROC curve made of single points, in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tallymark.curves.roc.landmarks import DIAGONAL
from tallymark.curves.roc.words import counted, landmark_table, table
from tallymark.drawing import Block, Document, Paragraph, Section, number
from tallymark.drawing import name as visible
from tallymark.tallies.labels import listed

if TYPE_CHECKING:
    from tallymark.curves.roc.from_points import RocOfPoints


def describe(roc: RocOfPoints) -> Document:
    """The points, what their area means, and which of them are never the best."""
    return Document(
        "",
        (
            Section("ROC curve", tuple(_points(roc))),
            Section("Convex hull", tuple(_hull(roc))),
            Section("Landmarks", (landmark_table(roc.landmarks), Paragraph(DIAGONAL))),
        ),
    )


def _points(roc: RocOfPoints) -> Iterable[Block]:
    settings = counted(len(roc.names) - 2, "setting")
    yield Paragraph(f"{settings} of a classifier, in the order of their FPR, between the two ends.")
    for note in roc.notes:
        yield Paragraph(f"Note: {note}.")
    words = {(0.0, 0.0): "(calls everything negative)", (1.0, 1.0): "(calls everything positive)"}
    inside = set(roc.inside)
    ends = list(zip(roc.fpr.tolist(), roc.tpr.tolist(), strict=True))
    columns = {
        "setting": [visible(name) if name else words[end] for name, end in zip(roc.names, ends, strict=True)],
        "FPR": [number(value) for value in roc.fpr.tolist()],
        "TPR": [number(value) for value in roc.tpr.tolist()],
        "hull": ["below" if name in inside else "on it" for name in roc.names],
    }
    yield table(columns, words=("setting", "hull"))
    yield Paragraph(
        f"AUC = {number(roc.auc)}, the area below the points joined by straight lines, which is what tossing "
        "a coin between two neighbours reaches; a setting between them may lie above its line."
    )
    if roc.below_diagonal:
        yield Paragraph(f"The area is below 0.5: {roc.below_diagonal}.")


def _hull(roc: RocOfPoints) -> Iterable[Block]:
    said = [f"The area under the hull is {number(roc.hull.auc)}."]
    inside = roc.inside
    if inside:
        lie = "lies below it and is" if len(inside) == 1 else "lie below it and are"
        said.append(
            f"{listed(inside)[1:-1]} {lie} never the best choice: whatever the costs and the class shares, "
            "another setting, or a coin between two, is better."
        )
    else:
        said.append("All settings lie on it, so each is the best choice for some costs and class shares.")
    yield Paragraph(" ".join(said))
