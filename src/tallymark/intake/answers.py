"""From scores or probabilities to answers, and to the tally of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import ColumnError, LabelError
from tallymark.intake.columns import LabelColumn
from tallymark.intake.counting import count_pairs
from tallymark.intake.encoded import Encoded, distinct
from tallymark.intake.rows import (
    Rows,
    count_labels,
    finished,
    same_family,
    side_of,
    tally,
    tally_of_actual,
    translation,
    undeclared,
)
from tallymark.intake.sources import Source
from tallymark.tallies import Confusion, Label
from tallymark.tallies.labels import conventional_positive, find, in_order, listed, pooled, quoted, rest_of
from tallymark.tallies.plain_numbers import whole_numbers

PREFIXES = ("", "p_", "prob_")
ROUNDING = 1e-6
SUM_TOLERANCE = 0.01 + ROUNDING
"""A hundredth for rounded probabilities, and a little for the sum of them: 0.33 + 0.33 + 0.33 is one."""


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
    chosen = _positive(labels, positive)
    translate = translation(found, labels)
    codes = [_code(rows, label) for label in found if translate(label) == chosen]
    values = rows.actual.values
    # Nearly always there is one code, and a comparison is several times faster than a search.
    is_positive = values == codes[0] if len(codes) == 1 else np.isin(values, codes)
    others = [label for label in labels if label != chosen]
    pair: tuple[Label, Label]
    if len(others) > 1:
        rest = rest_of(chosen, labels)
        notes.append(pooled(chosen, labels))
        # Declared, here and below: a number beside a word has no canonical order to be merged in.
        return Scored(rows.score, is_positive, (chosen, rest), chosen, rows.dropped, declared=True)
    if len(labels) == 2:
        pair = (labels[0], labels[1])
    elif others:
        notes.append(f"no row is actually {quoted(chosen)}: all are {quoted(others[0])}.")
        first, second = in_order([chosen, others[0]])
        pair = (first, second)
    else:
        return Scored(rows.score, is_positive, (chosen, f"not {chosen}"), chosen, rows.dropped, declared=True)
    return Scored(rows.score, is_positive, pair, chosen, rows.dropped, declared is not None)


def _positive(labels: Sequence[Label], positive: object, needing: str = "a score needs") -> Label:
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


def _code(rows: Rows, label: Label) -> int:
    return rows.actual.names.index(str(label)) if rows.actual.names is not None else int(label)


# --- votes -------------------------------------------------------------------------------------


def voted(source: Source, declared: Sequence[Label] | None, positive: object) -> Source:
    """With the number of votes for the positive class as the score of every row."""
    rows = source.rows
    assert rows.votes is not None
    columns = rows.votes.columns
    for column in columns:
        same_family(rows.actual, column)
    counted = tally_of_actual(rows, declared) if rows.predicted is None else count_labels(rows, declared)
    labels = finished(counted, []).labels
    chosen = _positive(labels, positive, "votes need")
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


# --- probabilities -----------------------------------------------------------------------------


def count_probabilities(
    source: Source, declared: Sequence[Label] | None, notes: list[str]
) -> tuple[Confusion, LabelColumn, list[int]]:
    """Count the most probable class of every row against the actual one.

    Also that class of every row, and which column is about each label, in the order of the labels.
    """
    rows = source.rows
    table, classes = _probabilities(source, declared, notes)
    order = list(declared) if declared is not None else list(in_order(classes))
    extra = in_order(set(classes) - set(order))
    if extra:
        raise LabelError(
            f"probability columns are about {listed(extra)}; the labels given are {listed(order)}."
        )
    # Columns go into label order, so that the first of several largest is the first label.
    columns = [classes.index(label) for label in order]
    arranged = table[:, columns]
    answers = arranged.argmax(axis=1)
    ties = int(((arranged == arranged.max(axis=1, keepdims=True)).sum(axis=1) > 1).sum())
    if ties:
        have = "row has" if ties == 1 else "rows have"
        notes.append(
            f"{ties:,} {have} a tie for the largest probability; the first in label order was taken."
        )
    predicted = _answered(answers, order, rows)
    found, answered, counts = count_pairs(rows.actual.values, predicted.values)
    confusion = tally(
        side_of(found, rows.actual.label),
        side_of(answered, predicted.label),
        counts,
        declared=declared,
        rows=rows,
        seen=[str(label) if rows.actual.names is not None else label for label in order],
    )
    return confusion, predicted, columns


def columns_among(
    labels: Sequence[Label], source: Source, declared: Sequence[Label] | None, notes: list[str]
) -> list[int]:
    """Which probability column is about each label, where the answers were given beside them."""
    _, classes = _probabilities(source, declared, notes)
    lacking = [label for label in labels if label not in classes]
    if lacking:
        raise LabelError(f"no probability column is about {listed(lacking)}.")
    return [classes.index(label) for label in labels]


def _probabilities(
    source: Source, declared: Sequence[Label] | None, notes: list[str]
) -> tuple[NDArray[np.float64], list[Label]]:
    """The checked table, and the class each of its columns is about."""
    table = source.rows.probabilities
    assert table is not None
    # First which columns these are: probabilities of too few classes do not add up to 1 either.
    classes = column_classes(source, declared, notes)
    if len(classes) != table.shape[1]:
        names = "" if source.probability_names is None else f" {listed(source.probability_names)}"
        raise LabelError(
            f"{table.shape[1]} probability columns{names} for {len(classes)} labels {listed(classes)}.",
            hint="name one column for every class.",
        )
    if len(set(classes)) != len(classes):
        raise LabelError(f"a class has several probability columns; they are about {listed(classes)}.")
    _check_probabilities(table, source.rows)
    return table, classes


def _answered(answers: NDArray[np.int64], order: list[Label], rows: Rows) -> LabelColumn:
    """The answers as a column of labels, of the same family as the actual ones."""
    if rows.actual.names is not None:
        return LabelColumn("predicted", answers, tuple(map(str, order)))
    return LabelColumn("predicted", np.array(order)[answers])


def column_classes(source: Source, declared: Sequence[Label] | None, notes: list[str]) -> list[Label]:
    """Which class each probability column is about: by name, else in the order the user declared."""
    known = finished(tally_of_actual(source.rows, declared), []).labels
    if source.probability_labels is not None:
        stated = [str(label) for label in source.probability_labels]
        matched = _matched(stated, known)
        if matched is None:
            raise _lacking([label for label in known if str(label) not in stated], source.rows, known)
        return matched
    names = source.probability_names
    _refuse_two_forms(names or (), known)
    for prefix in PREFIXES:
        if names is not None and all(name.startswith(prefix) for name in names):
            matched = _matched([name.removeprefix(prefix) for name in names], known)
            if matched is not None:
                return matched
    if declared is not None:
        if names is not None:
            notes.append("probability columns were taken in the order of the labels given.")
        return list(declared)
    for prefix in PREFIXES:
        named = {name.removeprefix(prefix) for name in names or () if name.startswith(prefix)}
        lacking = [label for label in known if str(label) not in named]
        if len(named) == len(names or ()) and len(lacking) < len(known):
            raise _lacking(lacking, source.rows, known)
    raise LabelError(
        f"the probability columns cannot be matched to the labels {listed(known)} by their names.",
        hint="name them LABEL, p_LABEL or prob_LABEL, say LABEL=COLUMN, or give the labels in column order "
        "(--labels, in Python labels=).",
    )


def _lacking(labels: Sequence[Label], rows: Rows, known: Sequence[Label]) -> LabelError:
    """The error for classes that no probability column is about, with where rows are of them."""
    found, _ = rows.actual_counts
    translate = translation(found, known)
    codes = [_code(rows, label) for label in found if translate(label) in labels]
    places = np.flatnonzero(np.isin(rows.actual.values, codes)).tolist()
    at = f", and {rows.actual.role} holds {'it' if len(labels) == 1 else 'them'} at {rows.where(places)}"
    return LabelError(
        f"no probability column is named for {listed(labels)}{at if places else ''}.",
        hint="name one column for every class.",
    )


def _refuse_two_forms(names: Sequence[str], known: Sequence[Label]) -> None:
    """`a` beside `p_a` would make the second a class of its own."""
    taken = {str(label) for label in known}
    for label in known:
        others = {f"{prefix}{label}" for prefix in PREFIXES[1:]} - taken
        forms = [name for name in names if name == str(label) or name in others]
        if len(forms) > 1:
            raise LabelError(f"several probability columns are about {quoted(label)}: {listed(forms)}.")


def _matched(texts: Sequence[str], known: Sequence[Label]) -> list[Label] | None:
    """The class each text names; None when a known label is not among them."""
    by_text = {str(label): label for label in known}
    if not set(by_text) <= set(texts):
        return None
    if all(isinstance(label, str) for label in known):
        return list(texts)
    numbers = whole_numbers(texts)
    return [by_text.get(text, numbers[text] if numbers else text) for text in texts]


def _check_probabilities(table: NDArray[np.float64], rows: Rows) -> None:
    outside = np.flatnonzero(((table < -ROUNDING) | (table > 1 + ROUNDING)).any(axis=1))
    if len(outside):
        have = "row has" if len(outside) == 1 else "rows have"
        raise ColumnError(
            f"probabilities lie between 0 and 1; {len(outside):,} {have} others, "
            f"at {rows.where(outside.tolist())}.",
            hint="scores that are no probabilities cannot be read as one column per class.",
        )
    totals = table.sum(axis=1)
    wrong = np.flatnonzero(np.abs(totals - 1) > SUM_TOLERANCE)
    if len(wrong):
        have = "row does" if len(wrong) == 1 else "rows do"
        raise ColumnError(
            f"the probabilities of a row add up to 1; {len(wrong):,} {have} not, at "
            f"{rows.where(wrong.tolist())}; the first adds up to {totals[wrong[0]]:.4g}."
        )
