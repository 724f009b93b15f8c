"""From scores or votes to answers, and to the tally of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import LabelError
from tallymark.intake.counting import count_pairs
from tallymark.intake.encoded import Encoded, distinct
from tallymark.intake.rows import (
    Rows,
    count_labels,
    finished,
    same_family,
    tally_of_actual,
    translation,
    undeclared,
)
from tallymark.intake.sources import Source
from tallymark.tallies import Confusion, Label
from tallymark.tallies.labels import conventional_positive, find, in_order, listed, pooled, quoted, rest_of


@dataclass(frozen=True)
class Scored:
    """Scores with the two classes they tell apart."""

    score: NDArray[np.float64]
    is_positive: NDArray[np.bool_]
    labels: tuple[Label, Label]
    positive: Label
    dropped: dict[str, int]
    declared: bool

    def count(self, threshold: float) -> Confusion:
        """Count the answers `score >= threshold`."""
        rows, columns, counts = count_pairs(self.is_positive, self.score >= threshold)
        place = self.labels.index(self.positive)
        # The cell of (actual positive?, called positive?) whichever of the two labels comes first.
        cells = np.where(rows == 1, place, 1 - place) * 2 + np.where(columns == 1, place, 1 - place)
        return Confusion.from_cells(self.labels, cells, counts, declared=self.declared, dropped=self.dropped)

    def encoded(self, rows: Rows, threshold: float) -> Encoded:
        """Every row with the answer `score >= threshold`."""
        place = self.labels.index(self.positive)
        actual, called = (
            (yes if place else ~yes).astype(np.int64) for yes in (self.is_positive, self.score >= threshold)
        )
        return Encoded.of(rows, self.labels, actual, called)


def scored(rows: Rows, declared: Sequence[Label] | None, positive: object, notes: list[str]) -> Scored:
    """Scores of rows whose classes are known: which class is the positive one, and which rows are it."""
    assert rows.score is not None
    found, _ = rows.actual_counts
    labels = finished(tally_of_actual(rows, declared), notes).labels
    chosen = positive_of_score(labels, positive)
    translate = translation(found, labels)
    codes = [code_of(rows, label) for label in found if translate(label) == chosen]
    values = rows.actual.values
    # Nearly always there is one code, and a comparison is several times faster than a search.
    is_positive = values == codes[0] if len(codes) == 1 else np.isin(values, codes)
    pair, stated = told_apart(labels, chosen, notes)
    return Scored(rows.score, is_positive, pair, chosen, rows.dropped, stated or declared is not None)


def told_apart(labels: Sequence[Label], chosen: Label, notes: list[str]) -> tuple[tuple[Label, Label], bool]:
    """The two classes that a score tells apart, and whether their order is a declared one.

    It is where a number stands beside a word, which have no canonical order to be merged in.
    """
    others = [label for label in labels if label != chosen]
    if len(others) > 1:
        notes.append(pooled(chosen, labels))
        return (chosen, rest_of(chosen, labels)), True
    if len(labels) == 2:
        return (labels[0], labels[1]), False
    if others:
        notes.append(f"no row is actually {quoted(chosen)}: all are {quoted(others[0])}.")
        first, second = in_order([chosen, others[0]])
        return (first, second), False
    return (chosen, f"not {chosen}"), True


def positive_of_score(labels: Sequence[Label], positive: object, needing: str = "a score needs") -> Label:
    if positive is not None:
        named = positive.item() if isinstance(positive, np.generic) else positive
        if len(labels) == 1 and isinstance(named, str | int) and _is_another(named, labels[0]):
            # One class only was observed; the named one is the other.
            return named
        return find(positive, labels)
    conventional = conventional_positive(labels)
    if conventional is None:
        raise unnamed_positive(labels, needing)
    return conventional


def unnamed_positive(labels: Sequence[Label], needing: str = "a score needs") -> LabelError:
    """The error for a score that nobody said the class of."""
    example = str(labels[-1])[:60]
    return LabelError(
        f"{needing} to know the positive class; the labels are {listed(labels)}.",
        hint=f"name it, for example --positive {example} (in Python pos_label={quoted(labels[-1])}).",
    )


def _is_another(named: Label, label: Label) -> bool:
    """Whether a name is of the same kind as the only label and no slip of the pen for it."""
    same_kind = isinstance(named, str) == isinstance(label, str)
    return same_kind and str(named).strip().casefold() != str(label).strip().casefold()


def code_of(rows: Rows, label: Label) -> int:
    """How an observed label is written among the values of its column."""
    return rows.actual.names.index(str(label)) if rows.actual.names is not None else int(label)


# --- votes -------------------------------------------------------------------------------------


def voted(source: Source, declared: Sequence[Label] | None, positive: object) -> Source:
    """With the number of votes for the positive class as the score of every row."""
    rows = source.rows
    assert rows.votes is not None
    columns = rows.votes.columns
    for column in columns:
        same_family(rows.actual, column, declared)
    counted = tally_of_actual(rows, declared) if rows.predicted is None else count_labels(rows, declared)
    labels = finished(counted, []).labels
    chosen = positive_of_score(labels, positive, "votes need")
    # The one class of rows that are all alike may be the other one.
    known = labels if chosen in labels else (*labels, chosen)
    seen = [distinct(column.values.astype(np.int64, copy=False)) for column in columns]
    named = [
        [column.label(code) for code in codes.tolist()]
        for column, (codes, _) in zip(columns, seen, strict=True)
    ]
    translate = translation([label for names in named for label in names], known)
    score = np.zeros(len(rows))
    strange: set[Label] = set()
    for column, names, (_, which) in zip(columns, named, seen, strict=True):
        meant = [translate(name) for name in names]
        extra = in_order(set(meant) - set(known))
        if extra and declared is not None:
            raise undeclared(column, extra, labels, translate, rows.where)
        strange.update(extra)
        score += np.array([label == chosen for label in meant])[which]
    said = [f"the score is the number of votes for {quoted(chosen)} among {len(columns)} columns."]
    if strange:
        said.append(
            f"some votes say {listed(in_order(strange))}, which no row actually is: "
            f"they do not count for {quoted(chosen)}."
        )
    if not score.any():
        said.append(f"no vote is for {quoted(chosen)}.")
    rows = replace(rows, score=score, votes=None, voters=len(columns))
    return replace(source, rows=rows, notes=(*source.notes, *said))
