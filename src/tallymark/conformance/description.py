"""Who gives what, on paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from tallymark.conformance.result import US, VERDICTS
from tallymark.drawing import Block, Column, Document, Paragraph, Section, Table, count

if TYPE_CHECKING:
    from tallymark.conformance.result import Conformance, Library, Reply
    from tallymark.conformance.vector import Vector

TITLE = "Who gives the exact answer"
_SHORT = 5
_COLUMNS = (
    Column("question", "left"),
    Column("exact", "left"),
    Column("library", "left"),
    Column("gives"),
    Column("verdict", "left"),
    Column("convention", "left"),
    Column("right with", "left"),
)


def describe(found: Conformance, every: bool) -> Document:
    """The counts, then question by question what was given."""
    sections = [Section("", tuple(_summary(found)))]
    shown = found.vectors if every else found.differences
    for topic, vectors in groupby(shown, key=lambda vector: vector.topic):
        sections.append(Section(topic.capitalize(), tuple(_topic(found, list(vectors), every))))
    return Document("", tuple(sections))


def _summary(found: Conformance) -> Iterator[Block]:
    yield Paragraph(_said_of_us(found), lead=True)
    if len(found.libraries) == 1:
        topics = Counter(vector.topic for vector in found.vectors)
        rows = tuple((topic, count(questions)) for topic, questions in topics.items())
        yield Table((Column("topic", "left"), Column("questions")), rows)
        if found.installed:
            yield Paragraph(f"Installed here and not asked: {', '.join(found.installed)}. Name some, or all.")
    else:
        yield _counts(found.libraries)
        yield Table((Column("", "left"), Column("", "left")), tuple(VERDICTS.items()))


def _said_of_us(found: Conformance) -> str:
    ours, total = found.libraries[0], len(found.vectors)
    refused = sum(_is_refused(vector, ours.replies[vector.id]) for vector in found.vectors)
    exact = ours.counts()["right"] - refused
    of = f"all {count(total)} questions" if total > 1 else "the question"
    said = f"{US} {ours.version} gives the exact answer to "
    said += of if exact == total else f"{count(exact)} of {count(total)} questions"
    if not refused:
        return f"{said}."
    return f"{said}; to {count(refused)} it answers with an error, where that is as good."


def _is_refused(vector: Vector, reply: Reply) -> bool:
    """Whether an error counts as right, although there is a number."""
    return reply.verdict == "right" and reply.value is None and vector.answer.kind == "number"


def _counts(libraries: tuple[Library, ...]) -> Table:
    columns = (Column("library", "left"), Column("version", "left"), *(Column(each) for each in VERDICTS))
    rows = [(one.name, one.version, *(count(n) for n in one.counts().values())) for one in libraries]
    return Table(columns, tuple(rows))


def _topic(found: Conformance, vectors: list[Vector], every: bool) -> Iterator[Block]:
    """Questions about the same input stand together."""
    for name, group in groupby(vectors, key=lambda vector: vector.id.rpartition("/")[0]):
        alike = list(group)
        about = " ".join(dict.fromkeys(vector.about for vector in alike))
        rows = [row for vector in alike for row in _rows(found, vector, every)]
        yield Paragraph(f"{name}: {about}")
        # Columns in which nobody says anything are left out.
        used = [at for at in range(len(_COLUMNS)) if any(row[at] for row in rows)]
        yield Table(tuple(_COLUMNS[at] for at in used), tuple(tuple(row[at] for at in used) for row in rows))
        why = " ".join(dict.fromkeys(vector.why for vector in alike))
        yield Paragraph(f"Why it matters: {why}")


def _rows(found: Conformance, vector: Vector, every: bool) -> Iterator[tuple[str, ...]]:
    first = (vector.words, _exact(vector))
    for one in found.libraries:
        reply = one.replies[vector.id]
        if reply.differs or (every and reply.verdict != "not offered"):
            yield (*first, one.name, _gives(reply), reply.verdict, reply.convention, reply.remedy)
            first = ("", "")


def _exact(vector: Vector) -> str:
    answer = vector.answer
    return str(answer) if answer.kind == "number" else answer.kind


def _gives(reply: Reply) -> str:
    if reply.value is None:
        return "error" if _is_error(reply) else "nothing"
    # No library means the 17th digit.
    return f"{reply.value:.{_SHORT}g}" if reply.value else "0"


def _is_error(reply: Reply) -> bool:
    return reply.verdict == "error" or (reply.verdict == "right" and "Error: " in reply.said)
