"""`Conformance`: who gave what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tallymark.conformance.vector import SCHEMA as VECTORS
from tallymark.conformance.vector import Vector

if TYPE_CHECKING:
    from tallymark.drawing import Document

SCHEMA = "tallymark/conformance/1"
US = "tallymark"
COLUMNS = (
    *("id", "topic", "question", "exact", "library", "version"),
    *("verdict", "value", "convention", "remedy", "said"),
)
"""Of the table."""

Verdict = Literal["right", "convention", "warned", "wrong", "error", "not offered"]
VERDICTS: dict[Verdict, str] = {
    "right": "the exact answer, or no number where there is none",
    "convention": "another answer, by a convention that has a name",
    "warned": "another answer, with a warning",
    "wrong": "another answer, without a word",
    "error": "an error, where there is an answer",
    "not offered": "no call for it, or not for such input",
}


@dataclass(frozen=True)
class Reply:
    """What one library gives for one question."""

    verdict: Verdict
    value: float | None = None
    """None where it gives no number."""
    said: str = ""
    """Its error, its warning, or why it is not asked."""
    convention: str = ""
    """Which other convention its number follows."""
    remedy: str = ""
    """What gives the exact answer in it."""

    @property
    def differs(self) -> bool:
        return self.verdict in ("convention", "warned", "wrong", "error")

    def to_dict(self) -> dict[str, Any]:
        """The JSON form; numbers without an end as text, because JSON has none."""
        value: Any = self.value
        if value is not None and abs(value) == float("inf"):
            value = "inf" if value > 0 else "-inf"
        form = {"verdict": self.verdict, "value": value}
        told = {"said": self.said, "convention": self.convention, "remedy": self.remedy}
        return form | {name: text for name, text in told.items() if text}


@dataclass(frozen=True)
class Library:
    """A library that was asked, in the version that is installed."""

    name: str
    version: str
    replies: Mapping[str, Reply]
    """By the id of the vector."""

    def counts(self) -> dict[Verdict, int]:
        """How often it was what."""
        found = Counter(reply.verdict for reply in self.replies.values())
        return {verdict: found[verdict] for verdict in VERDICTS}


@dataclass(frozen=True)
class Conformance:
    """Questions with exact answers, and what every library gives."""

    vectors: tuple[Vector, ...]
    libraries: tuple[Library, ...]
    """tallymark first."""
    installed: tuple[str, ...]
    """Libraries that could have been asked too."""

    @property
    def passed(self) -> bool:
        """Whether tallymark is right everywhere; the others do not matter here."""
        return all(reply.verdict == "right" for reply in self.libraries[0].replies.values())

    @property
    def differences(self) -> tuple[Vector, ...]:
        """The questions to which somebody gives another answer."""
        return tuple(
            vector for vector in self.vectors if any(one.replies[vector.id].differs for one in self.libraries)
        )

    def rows(self) -> list[tuple[str | float | None, ...]]:
        """One for each question and library, in the order of COLUMNS."""
        return [
            (vector.id, vector.topic, vector.words, str(vector.answer), one.name, one.version, reply.verdict,
             reply.value, reply.convention or None, reply.remedy or None, reply.said or None)
            for vector in self.vectors
            for one in self.libraries
            if (reply := one.replies[vector.id])
        ]  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "schema": SCHEMA,
            "vectors": VECTORS,
            "passed": self.passed,
            "libraries": [
                {"name": one.name, "version": one.version, "counts": one.counts()} for one in self.libraries
            ],
            "results": [self._form(vector) for vector in self.vectors],
        }

    def _form(self, vector: Vector) -> dict[str, Any]:
        answer = vector.answer
        return {
            "id": vector.id,
            "topic": vector.topic,
            "about": vector.about,
            "why": vector.why,
            "question": dict(vector.question),
            "answer": {"kind": answer.kind, "text": answer.text,
                       "value": answer.value if answer.kind == "number" else None},
            "replies": {one.name: one.replies[vector.id].to_dict() for one in self.libraries},
        }  # fmt: skip

    def document(self, every: bool = False) -> Document:
        """On paper: the counts, then the questions to which somebody gives another answer, or every one."""
        from tallymark.conformance.description import describe

        return describe(self, every)
