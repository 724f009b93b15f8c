"""Labels that do not belong with the rest, where a score is about 1 or True by convention."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from tallymark.errors import LabelError
from tallymark.intake.answers import unnamed_positive
from tallymark.intake.engines.store import Store
from tallymark.intake.rows import finished
from tallymark.intake.streams.door import Reading
from tallymark.tallies.labels import Label, conventional_positive, listed, may_be_positive
from tallymark.tallies.tally import Tally

SAME_WAY = "write the labels of all rows in the same way."
_RARE = 0.01
"""Up to which share of the rows others are a slip."""


def positive_labels(tally: Tally) -> tuple[Label, ...]:
    """The labels whose rows were counted as those of the class that a score is about."""
    if not tally.declared.score:
        return ()
    labels = finished(tally.counted, []).labels
    return tuple(label for label in labels if may_be_positive(label, tally.declared.positive))


def refuse_stray(store: Store, reading: Reading, tally: Tally, *, merging: bool) -> None:
    """Refuse classes written in several ways, and a few rows of others; the table is read again to find them.

    Other classes may be named when a tally is evaluated, so they are no fault where it is to be added.
    """
    declared, several = tally.declared, len(positive_labels(tally)) > 1
    named = merging or declared.answers or not declared.score or declared.positive is not None
    if named and not several:
        return
    counted = finished(tally.counted, [])
    rows = dict(zip(counted.labels, counted.margins.actual.tolist(), strict=True))
    pair = _most_rows(rows)
    if pair is None or len(rows) == 2:
        return
    few = sum(rows.values()) - rows[pair[0]] - rows[pair[1]] <= _RARE * sum(rows.values())
    if several or few:
        raise _stray(store, reading, counted.labels, pair, several=several)


def _most_rows(rows: dict[Label, float]) -> tuple[Label, Label] | None:
    """The two labels of a convention that most rows have."""
    some = [label for label in rows if str(label).casefold() in ("0", "1", "false", "true")]
    pairs = [pair for pair in combinations(some, 2) if conventional_positive(pair) is not None]
    return max(pairs, key=lambda pair: rows[pair[0]] + rows[pair[1]], default=None)


def _stray(
    store: Store, reading: Reading, labels: tuple[Label, ...], pair: tuple[Label, Label], *, several: bool
) -> LabelError:
    number, where = store.wrong(replace(reading, labels=pair))
    count = "1 row holds" if number == 1 else f"{number:,} rows hold"
    others = tuple(label for label in labels if label not in pair)
    problem = unnamed_positive(labels)
    problem.message = f"{problem.message} Most rows are {listed(pair)}; {count} {listed(others)}, at {where}."
    if several:
        problem.hint = SAME_WAY
    else:
        problem.hint = (
            f"mend that, or name the positive class: --positive {pair[1]} (in Python pos_label={pair[1]!r})."
        )
    return problem
