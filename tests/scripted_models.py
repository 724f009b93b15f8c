"""Classifiers that do what a test decides, so that results are known beforehand."""

from __future__ import annotations

import re
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Scripted(ClassifierMixin, BaseEstimator):
    """Answers with the first column, which holds the class or the probability of class 1."""

    def fit(self, X: Any, y: Any) -> Scripted:  # noqa: ARG002
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return self.classes_.take(np.asarray(X)[:, 0].astype(int), mode="clip")


class Probable(Scripted):
    """The first column is the probability of the second class."""

    def predict_proba(self, X: Any) -> Any:
        p = np.asarray(X)[:, 0]
        return np.column_stack((1 - p, p))

    def predict(self, X: Any) -> Any:
        return self.classes_[(np.asarray(X)[:, 0] >= 0.5).astype(int)]


class Constant(Scripted):
    """Always one class; other parameters change nothing, "fails" raises and "warns" warns."""

    def __init__(self, label: Any = 0, b: Any = None, c: Any = None) -> None:
        self.label, self.b, self.c = label, b, c

    def fit(self, X: Any, y: Any) -> Constant:
        if isinstance(self.label, str) and self.label == "fails":
            raise RuntimeError("it was told to fail\nsecond line")
        super().fit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.label if np.ndim(self.label) == 0 else 0)


class Spy(Constant):
    """Records the rows it learned, their classes, and the rows it was asked about; column 0 is the row."""

    fits: ClassVar[list[tuple[Any, list[int], list[Any], list[list[int]]]]] = []

    def fit(self, X: Any, y: Any) -> Spy:
        Constant.fit(self, X, y)
        self.asked: list[list[int]] = []
        self.fits.append((self.label, X[:, 0].astype(int).tolist(), np.asarray(y).tolist(), self.asked))
        return self

    def predict(self, X: Any) -> Any:
        self.asked.append(X[:, 0].astype(int).tolist())
        return super().predict(X)


def spied(call: Any) -> tuple[Any, list[tuple[Any, list[int], list[Any], list[list[int]]]]]:
    """The result of a call, and the fits of spies in it."""
    Spy.fits.clear()
    result = call()
    return result, list(Spy.fits)


def without_times(part: Any) -> Any:
    """A JSON document without the seconds that fits took."""
    if isinstance(part, dict):
        return {key: without_times(each) for key, each in part.items() if "seconds" not in key}
    return [without_times(each) for each in part] if isinstance(part, list) else part


def timeless(text: str) -> str:
    """A report without the column of seconds, which is the last of its table."""
    lines, inside = [], False
    for line in text.splitlines():
        inside = bool(line.strip()) and (inside or line.endswith("s/fit"))
        lines.append(re.sub(r"\s+\S+$", "", line) if inside else line)
    return "\n".join(lines)
