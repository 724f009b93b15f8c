"""The vectors as they lie in the package: `vectors/*.json`, schema tallymark/vectors/1."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from tallymark.conformance.answers import Exact

SCHEMA = "tallymark/vectors/1"
TOPICS = (
    "rates",
    "classes",
    "labels",
    "weights",
    "ranking",
    "probabilities",
    "sets",
    "costs",
    "intervals",
    "comparisons",
)


@dataclass(frozen=True)
class Vector:
    """One question about some input, with its exact answer."""

    id: str
    topic: str
    about: str
    """What is special about it."""
    why: str
    """Which decision goes wrong with another answer."""
    input: Mapping[str, Any]
    question: Mapping[str, Any]
    answer: Exact
    alternatives: Mapping[str, Exact]
    """Other answers that somebody states as a convention, by its name."""
    refusal: str = ""
    """Why an error is as good as the answer, where it is."""

    @property
    def asked(self) -> str:
        """What is asked for, by its canonical name: recall, precision_macro, mcnemar, gains, interval."""
        question = self.question
        if "metric" in question:
            name: str = question["metric"]
            return f"{name}_{question['average']}" if "average" in question else name
        kind = next(each for each in ("test", "curve", "interval", "difference") if each in question)
        return str(question[kind]) if kind in ("test", "curve") else kind

    @property
    def words(self) -> str:
        """The question in a few words: precision_macro; f_beta, beta 2; mcnemar corrected, p_value."""
        question = self.question
        how = question.get("interval") or question.get("difference") or question.get("method")
        name = f"{self.asked} {how}" if how else self.asked
        told = [f"{key} {value}" for key, value in question.items() if key not in _NAMED]
        return ", ".join([name, *told, *([str(question["give"])] if "give" in question else [])])


# What the name says, what is the same everywhere, and what comes last.
_NAMED = (
    *("metric", "average", "test", "curve", "interval", "difference"),
    *("method", "confidence_level", "zeros", "give"),
)


@cache
def read_vectors() -> tuple[Vector, ...]:
    """All of them, topic by topic."""
    folder = files("tallymark.conformance") / "vectors"
    forms = (json.loads((folder / f"{topic}.json").read_text("utf-8")) for topic in TOPICS)
    return tuple(_vector(form) for each in forms for form in each["vectors"])


def _vector(form: Mapping[str, Any]) -> Vector:
    others = {name: Exact.of(written) for name, written in form.get("alternatives", {}).items()}
    told = {key: form[key] for key in ("id", "topic", "about", "why", "input", "question")}
    answer, refusal = Exact.of(form["answer"]), form.get("refusal", "")
    return Vector(**told, answer=answer, alternatives=others, refusal=refusal)
