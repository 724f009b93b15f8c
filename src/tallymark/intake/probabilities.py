"""From one probability per class to answers, and to the tally of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import ColumnError, LabelError, precise
from tallymark.intake.answers import code_of
from tallymark.intake.columns import LabelColumn
from tallymark.intake.counting import count_pairs
from tallymark.intake.rows import (
    Rows,
    count_labels,
    finished,
    side_of,
    tally,
    tally_of_actual,
    translation,
)
from tallymark.intake.sources import Source
from tallymark.tallies import Confusion, Label
from tallymark.tallies.labels import in_order, listed, quoted
from tallymark.tallies.plain_numbers import whole_numbers

PREFIXES = ("", "p_", "prob_")
ROUNDING = 1e-6
SUM_TOLERANCE = 0.01 + ROUNDING
"""A hundredth for rounded probabilities, and a little for the sum of them: 0.33 + 0.33 + 0.33 is one."""
PERCENT_ROWS = "the rows add up to about 100: if these are percentages, divide them by 100."
IN_ORDER_GIVEN = "probability columns were taken in the order of the labels given."


def count_probabilities(
    source: Source, declared: Sequence[Label] | None, notes: list[str]
) -> tuple[Confusion, LabelColumn, list[int]]:
    """Count the most probable class of every row against the actual one.

    Also that class of every row, and which column is about each label, in the order of the labels.
    """
    rows = source.rows
    assert rows.probabilities is not None
    order, columns = columns_in_order(source, declared, notes)
    arranged = rows.probabilities[:, columns]
    answers = arranged.argmax(axis=1)
    ties = int(((arranged == arranged.max(axis=1, keepdims=True)).sum(axis=1) > 1).sum())
    if ties:
        notes.append(tied(ties))
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


def tied(rows: int) -> str:
    """What must be said of rows whose answer is a matter of order."""
    have = "row has" if rows == 1 else "rows have"
    return f"{rows:,} {have} a tie for the largest probability; the first in label order was taken."


def count_beside(
    source: Source, declared: Sequence[Label] | None, notes: list[str]
) -> tuple[Confusion, list[int]]:
    """Count answers that stand beside the probabilities; also which column is about each label.

    A class that no row is of is one all the same, as it is where the probabilities are the answers.
    """
    rows = source.rows
    order, columns = columns_in_order(source, declared, notes)
    seen = [str(label) if rows.actual.names is not None else label for label in order]
    confusion = finished(count_labels(rows, declared, seen), notes)
    refuse_unscored(confusion.labels, order)
    return confusion, columns


def refuse_unscored(labels: Sequence[Label], classes: Sequence[Label]) -> None:
    """Answers may name a class that no probability is about."""
    known = set(map(str, classes))
    lacking = [label for label in labels if str(label) not in known]
    if lacking:
        raise LabelError(f"no probability column is about {listed(lacking)}.")


def columns_in_order(
    source: Source, declared: Sequence[Label] | None, notes: list[str]
) -> tuple[tuple[Label, ...], list[int]]:
    """The classes that the checked probabilities are about, in order, and which column is about each."""
    table = source.rows.probabilities
    assert table is not None
    # First which columns these are: probabilities of too few classes do not add up to 1 either.
    found = column_classes(source, declared, notes)
    refuse_other_number(found, table.shape[1], source.probability_names)
    actual = source.rows.actual
    text, as_written = actual.names is not None, actual.as_written
    classes, order = ordered_classes(found, declared, text=text, as_written=as_written)
    _check_probabilities(table, source.rows)
    return order, [classes.index(label) for label in order]


def ordered_classes(
    classes: Sequence[Label], declared: Sequence[Label] | None, *, text: bool, as_written: bool
) -> tuple[list[Label], tuple[Label, ...]]:
    """What columns are about under its final name, and the same in the order of the labels.

    The first of several largest probabilities is the first in that order.
    """
    found = list(classes)
    if text and declared is None:
        # As labels that came as text are read: those of a text file as numbers if all of them are such.
        numbers = whole_numbers(map(str, found)) if as_written else None
        found = [str(label) if numbers is None else numbers[str(label)] for label in found]
    if len(set(found)) != len(found):
        raise LabelError(f"a class has several probability columns; they are about {listed(found)}.")
    order = tuple(declared) if declared is not None else in_order(found)
    extra = in_order(set(found) - set(order))
    if extra:
        raise LabelError(
            f"probability columns are about {listed(extra)}; the labels given are {listed(order)}."
        )
    return found, order


def refuse_other_number(classes: Sequence[Label], columns: int, names: Sequence[str] | None) -> None:
    """There is one column for every class."""
    if len(classes) != columns:
        said = "" if names is None else f" {listed(names)}"
        raise LabelError(
            f"{columns} probability columns{said} for {len(classes)} labels {listed(classes)}.",
            hint="name one column for every class.",
        )


def _answered(answers: NDArray[np.int64], order: Sequence[Label], rows: Rows) -> LabelColumn:
    """The answers as a column of labels, of the same family as the actual ones."""
    if rows.actual.names is not None:
        return LabelColumn("predicted", answers, tuple(map(str, order)))
    return LabelColumn("predicted", np.array(order)[answers])


def column_classes(source: Source, declared: Sequence[Label] | None, notes: list[str]) -> list[Label]:
    """Which class each probability column is about: by name, else in the order the user declared."""
    known = finished(tally_of_actual(source.rows, declared), []).labels
    names, stated = source.probability_names, source.probability_labels
    matched = matched_columns(names, stated, known)
    if matched is not None:
        return matched
    if stated is not None:
        texts = set(map(str, stated))
        raise _lacking([label for label in known if str(label) not in texts], source.rows, known)
    if declared is not None:
        if names is not None:
            notes.append(IN_ORDER_GIVEN)
        return list(declared)
    for named in prefixed(names or ()):
        lacking = [label for label in known if str(label) not in named]
        if len(lacking) < len(known):
            raise _lacking(lacking, source.rows, known)
    raise unmatched(known)


def matched_columns(
    names: Sequence[str] | None, stated: Sequence[Label] | None, known: Sequence[Label]
) -> list[Label] | None:
    """The class each column is about, by the label stated for it or by its name; None if a label has none."""
    if stated is not None:
        return _matched(list(map(str, stated)), known)
    _refuse_two_forms(names or (), known)
    forms = [] if names is None else prefixed(names)
    return next((found for texts in forms if (found := _matched(texts, known)) is not None), None)


def prefixed(names: Sequence[str]) -> list[list[str]]:
    """What columns may be about by their names, with and without what all of them begin with."""
    return [
        [name.removeprefix(prefix) for name in names]
        for prefix in PREFIXES
        if all(name.startswith(prefix) for name in names)
    ]


def unmatched(known: Sequence[Label]) -> LabelError:
    """The error for columns that are not named after classes."""
    return LabelError(
        f"the probability columns cannot be matched to the labels {listed(known)} by their names.",
        hint="name them LABEL, p_LABEL or prob_LABEL, say LABEL=COLUMN, or give the labels in column order "
        "(--labels, in Python labels=).",
    )


def _lacking(labels: Sequence[Label], rows: Rows, known: Sequence[Label]) -> LabelError:
    """The error for classes that no probability column is about, with where rows are of them."""
    found, _ = rows.actual_counts
    translate = translation(found, known)
    codes = [code_of(rows, label) for label in found if translate(label) in labels]
    places = np.flatnonzero(np.isin(rows.actual.values, codes)).tolist()
    at = f", and {rows.actual.role} holds {'it' if len(labels) == 1 else 'them'} at {rows.where(places)}"
    return no_column(listed(labels), at if places else "")


def no_column(labels: str, at: str = "") -> LabelError:
    """The error for classes that no column is named after."""
    return LabelError(
        f"no probability column is named for {labels}{at}.", hint="name one column for every class."
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
    outside, wrong, totals = bad_probabilities(table)
    if outside.any():
        places = np.flatnonzero(outside).tolist()
        raise outside_error(
            len(places), rows.where(places), percent=bool(percent_rows(table, totals)[outside].all())
        )
    if wrong.any():
        places = np.flatnonzero(wrong).tolist()
        raise sum_error(len(places), rows.where(places), sum_shown(totals[places[0]]))


def bad_probabilities(
    table: NDArray[np.float64],
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.float64]]:
    """Rows that leave [0, 1], rows that do not add up to 1, and what each adds up to."""
    totals = table.sum(axis=1)
    outside = (table < -ROUNDING) | (table > 1 + ROUNDING)
    return np.asarray(outside.any(axis=1)), np.abs(totals - 1) > SUM_TOLERANCE, totals


def sum_shown(total: float) -> str:
    """What the probabilities of a row add up to, with the digits that show that it is not 1."""
    return precise(total, 1 - SUM_TOLERANCE, 1 + SUM_TOLERANCE)


def percent_rows(table: NDArray[np.float64], totals: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Rows that add up to about 100, with no number below 0."""
    return np.asarray((np.abs(totals - 100) <= 100 * SUM_TOLERANCE) & (table.min(axis=1) >= 0))


def outside_error(number: int, where: str, *, percent: bool = False) -> ColumnError:
    have = "row has" if number == 1 else "rows have"
    return ColumnError(
        f"probabilities lie between 0 and 1; {number:,} {have} others, at {where}.",
        hint=PERCENT_ROWS
        if percent
        else "scores that are no probabilities cannot be read as one column per class.",
    )


def sum_error(number: int, where: str, first: str) -> ColumnError:
    do = "row does" if number == 1 else "rows do"
    return ColumnError(
        f"the probabilities of a row add up to 1; {number:,} {do} not, at {where}; "
        f"the first adds up to {first}."
    )
