"""Which columns of a file are read for a model, where options leave it open."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tallymark.cli.rows import Rows
from tallymark.errors import ColumnError

SCORES = ("score", "probabilities", "votes")


class Columns(NamedTuple):
    """Columns to read other than those the options say, and what to say about it."""

    options: dict[str, Any]
    notes: tuple[str, ...] = ()


AS_SAID = Columns({})
ONLY_ANSWERS = Columns({"threshold": None})


def columns_of_file(path: Path, rows: Rows, *, curve: bool) -> Columns:
    """What to read of the file of one of several models."""
    if curve or rows.options["threshold"] is not None:
        return columns_for_curve([path], rows, point=True)
    if rows.addresses or are_counts([path]):
        return AS_SAID
    return _of_both(_names([path], rows), rows.options)


def columns_for_curve(paths: Sequence[Path], rows: Rows, *, point: bool, what: str = "a curve") -> Columns:
    """What to read for a curve: a column called a score goes before answers, which give a point at most."""
    options = rows.options
    if rows.addresses or are_counts(paths):
        return AS_SAID
    if any(options[name] is not None for name in SCORES):
        return _of_both(_names(paths, rows), options) if point else AS_SAID
    from tallymark.intake.roles import Roles, likely

    names = _names(paths, rows)
    taken = [options[name] for name in ("actual", "predicted", "weight", "id", "groups")]
    found = likely("score", names, Roles(slices=tuple(name for name in taken if isinstance(name, str))))
    if found is not None:
        return Columns({"score": found}, (f"column {found!r} was taken as score (guessed from its name).",))
    if point:
        return ONLY_ANSWERS
    raise _no_scores(names, what)


def _of_both(names: Sequence[str], options: dict[str, Any]) -> Columns:
    """Where both a score and answers are named for all models, one of them is enough in each file."""
    sides = ("score", "predicted")
    if any(options[side] is None for side in sides):
        return AS_SAID
    absent = [side for side in sides if options[side] not in names]
    if not absent and options["threshold"] is not None:
        note = f"the answers in column {options['predicted']!r} are not shown, because the score is cut."
        return Columns({"predicted": None}, (note,))
    if len(absent) != 1:
        return AS_SAID
    uncut = ONLY_ANSWERS.options if absent == ["score"] else {}
    return Columns({absent[0]: None} | uncut, (f"there is no column {options[absent[0]]!r}.",))


def are_counts(paths: Sequence[Path]) -> bool:
    """Whether these are tallies, which have no columns."""
    from tallymark.evaluation.tally_files import are_tallies

    return are_tallies(paths)


def _names(paths: Sequence[Path], rows: Rows) -> list[str]:
    from tallymark.intake.files.lists import file_list
    from tallymark.intake.files.tables import column_names

    return column_names(file_list(paths)[0][0], delimiter=rows.options["delimiter"])


def _no_scores(names: Sequence[str], what: str) -> ColumnError:
    """The error for a curve, or a decision, that there is nothing to make of."""
    from tallymark.intake.files.tables import delimiter_hint

    shown = ", ".join(repr(name) for name in names[:12]) + (", ..." if len(names) > 12 else "")
    return ColumnError(
        f"{what} needs scores, and no column is named for them; the columns are {shown}.",
        hint=delimiter_hint(names) or "say which with --score COLUMN (or --probabilities, or --votes).",
    )
