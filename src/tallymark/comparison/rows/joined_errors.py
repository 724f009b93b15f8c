"""What is refused of rows that were matched elsewhere, in the words that rows in memory have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tallymark.errors import InputError, OptionError
from tallymark.evaluation.known_rows import ONE_ROW
from tallymark.intake.weights import written
from tallymark.tallies import Label
from tallymark.tallies.labels import quoted

if TYPE_CHECKING:
    from tallymark.intake.streams.joining import Beside, Some
    from tallymark.intake.streams.surveyed import Surveyed


def refuse_two_kinds(models: Mapping[str, Surveyed]) -> None:
    """Ids that are numbers here and words there are never the same; and weights are those of all."""
    words = next((name for name, rows in models.items() if not rows.whole_ids), None)
    numbers = next((name for name, rows in models.items() if rows.typed and rows.whole_ids), None)
    if words is not None and numbers is not None:
        figures, texts = _listed(models[numbers].some_ids), _listed(models[words].some_text)
        raise InputError(
            f"the ids of {quoted(numbers)} are whole numbers ({figures}) and those of {quoted(words)} are "
            f"text ({texts}), so they cannot be matched.",
            hint="write them the same way, for example both as text.",
        )
    weighed = [name for name, rows in models.items() if rows.roles.weight is not None]
    if weighed and len(weighed) < len(models):
        lacks = next(name for name in models if name not in weighed)
        raise OptionError(
            f"rows have weights in {quoted(weighed[0])} and none in {quoted(lacks)}.",
            hint="name the column for every model: --weight (in Python weight=).",
        )


def refuse_other_rows(
    models: Mapping[str, Surveyed],
    beside: Sequence[Beside],
    labels: Sequence[Label],
    matched: int,
    design: str | None,
) -> None:
    """Rows that only some models have, or that are of another class or weight for another model."""
    names = list(models)
    if not any(note.shared for note in beside):
        raise _nothing_shared(names, list(models.values()), design)
    first = quoted(names[0])
    for name, note in zip(names[1:], beside, strict=True):
        if note.apart:
            raise _partly_shared(first, quoted(name), note)
    for name, note in zip(names[1:], beside, strict=True):
        both = f"is not the same in {first} and {quoted(name)}"
        if note.other_class.number:
            raise _differ("the actual class", both, note.other_class, matched, labels)
        if note.other_weight.number:
            raise _differ("the weight", both, note.other_weight, matched, None)


def _nothing_shared(names: Sequence[str], models: Sequence[Surveyed], design: str | None) -> InputError:
    one, two = (_listed(rows.some_ids[:2]) for rows in models[:2])
    said = (
        "the ids of the models have nothing in common, so these are not the same rows: "
        f"{quoted(names[0])} has {one}, {quoted(names[1])} has {two}."
    )
    hint = "name the column that tells the same row in every file, written in the same way"
    if design != "same rows":
        hint += "; if these are other rows, say --other-rows (in Python design='other rows')"
    return InputError(said, hint=f"{hint}.")


def _partly_shared(first: str, other: str, note: Beside) -> InputError:
    sides = [
        f"{some.number:,} {'is' if some.number == 1 else 'are'} only in {called} ({_examples(some)})"
        for called, some in ((first, note.only_first), (other, note.only_other))
        if some.number
    ]
    said = f"{first} and {other} share {note.shared:,} {'id' if note.shared == 1 else 'ids'}"
    if not note.shared:
        said = f"{first} and {other} share no id, and other models share theirs"
    return InputError(
        f"{said}; {' and '.join(sides)}.",
        hint="give all models the same rows; a row without an answer can stay in its file with the answer "
        "empty, and be left out by --drop-missing (in Python missing='drop').",
    )


def _differ(what: str, both: str, some: Some, matched: int, labels: Sequence[Label] | None) -> InputError:
    def shown(value: Any) -> str:
        return written(value) if labels is None else quoted(labels[value])

    examples = [f"id {quoted(each)} ({shown(one)} and {shown(two)})" for each, one, two in some.first]
    left = some.number - len(examples)
    more = f" and {left:,} more" if left else ""
    return InputError(
        f"{what} {both} for {some.number:,} of {matched:,} rows: {', '.join(examples)}{more}.", hint=ONE_ROW
    )


def _examples(some: Some) -> str:
    return _listed(some.first) + (", ..." if some.number > len(some.first) else "")


def _listed(ids: Sequence[Any]) -> str:
    return ", ".join(map(quoted, ids))
