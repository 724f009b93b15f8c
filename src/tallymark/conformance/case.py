"""A vector's input in the forms that libraries take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tallymark.conformance.vector import Vector

_MOST_ROWS = 100_000


class NotOffered(Exception):
    """The library has no call for this question, or does not take such input; the message says which."""


@dataclass(frozen=True)
class Case:
    """What an adapter is asked."""

    vector: Vector

    @property
    def input(self) -> Mapping[str, Any]:
        return self.vector.input

    @property
    def question(self) -> Mapping[str, Any]:
        return self.vector.question

    @property
    def labels(self) -> list[Any]:
        """As they were stated; else all that occur, numbers by value and text by code point."""
        if "labels" in self.input:
            return list(self.input["labels"])
        seen = [*self.input["actual"], *self.input.get("predicted", ())]
        return sorted(dict.fromkeys(seen))

    @property
    def positive(self) -> Any:
        return self.input.get("positive")

    @property
    def negative(self) -> Any:
        """The other one of two."""
        (other,) = (label for label in self.labels if label != self.positive)
        return other

    @property
    def is_large(self) -> bool:
        """Whether the rows of a matrix are too many to write out; then each cell is one, with a weight."""
        return "matrix" in self.input and sum(map(sum, self.input["matrix"])) > _MOST_ROWS

    @cached_property
    def _cells(self) -> list[tuple[Any, Any, int]]:
        labels, matrix = self.labels, self.input["matrix"]
        cells = [
            (a, p, n) for a, row in zip(labels, matrix, strict=True) for p, n in zip(labels, row, strict=True)
        ]
        return cells if self.is_large else [(a, p, 1) for a, p, n in cells for _ in range(n)]

    @property
    def actual(self) -> list[Any]:
        return [a for a, _, _ in self._cells] if "matrix" in self.input else list(self.input["actual"])

    @property
    def predicted(self) -> list[Any]:
        if "matrix" in self.input:
            return [p for _, p, _ in self._cells]
        return list(self.input["predicted"])

    @property
    def weights(self) -> list[float] | None:
        if self.is_large:
            return [float(n) for *_, n in self._cells]
        return list(self.input["weights"]) if "weights" in self.input else None

    def unweighted(self) -> Case:
        """The same, for calls that take no weights."""
        if self.weights is not None:
            raise NotOffered("takes no weights")
        return self

    @property
    def score(self) -> list[float]:
        return [float(each) for each in self.input["score"]]

    @property
    def probabilities(self) -> list[list[float]]:
        return [list(row) for row in self.input["probabilities"]]

    @property
    def is_positive(self) -> list[int]:
        """1 for actual rows of the positive class, 0 for others."""
        return [int(each == self.positive) for each in self.actual]

    def indicators(self, side: str) -> list[list[int]]:
        """Sets of labels as rows of zeros and ones."""
        return [[int(label in row) for label in self.labels] for row in self.input[f"{side}_sets"]]

    def needs(self, *keys: str) -> Case:
        """The same, if the input has all of these."""
        for key in keys:
            if key not in self.input and not (key in ("actual", "predicted") and "matrix" in self.input):
                raise NotOffered(f"takes no such input, it needs {key}")
        return self


Call = Callable[..., Any]
"""What an adapter does for a question: a function of the case, which gives a number or raises."""
