"""What a model is shown of data, and what it says of them: for tests that look at fits from outside."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
import pandas as pd
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

import tallymark as tm


class Watched(ClassifierMixin, BaseEstimator):
    """Says the first of its classes, and keeps what it was shown."""

    learned: list[tuple[Any, Any]] = []  # noqa: RUF012 - of all copies together
    asked: list[Any] = []  # noqa: RUF012

    def fit(self, X: Any, y: Any) -> Watched:
        Watched.learned.append((X, y))
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        Watched.asked.append(X)
        return np.full(size(X), self.classes_[0])


class Says:
    """A model, unknown to scikit-learn, that says what it was told to; of other numbers of rows one thing."""

    def __init__(self, said: Any, elsewhere: Any = None, **methods: Any) -> None:
        self.said, self.elsewhere = said, elsewhere
        for name, value in methods.items():
            setattr(self, name, value if name == "classes_" else lambda _, value=value: value)

    def fit(self, X: Any, y: Any) -> None:
        pass

    def predict(self, X: Any) -> Any:
        here = self.elsewhere is None or size(X) == len(self.said)
        return self.said if here else np.full(size(X), self.elsewhere)


class Acts(GaussianNB):
    """It does something, of its own accord, before it learns."""

    def __init__(self, act: Any = None, var_smoothing: float = 1e-9) -> None:
        super().__init__(var_smoothing=var_smoothing)
        self.act = act

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        self.act()
        return super().fit(X, y, sample_weight)


def few_files(folder: str) -> None:
    """Of the classes of many permutations a few are kept in files."""
    assert 0 < len(list(Path(folder).rglob("*.shared"))) < 40


def wait_for_a_sign(folder: Path) -> None:
    """The fit has begun, and goes on when it may."""
    (folder / "begun").touch()
    while not (folder / "go on").exists():
        time.sleep(0.02)


def set_version(version: str) -> None:
    """Another version of scikit-learn, on a worker. Workers can import this file, and no file of tests."""
    sklearn.__version__ = version


class Halves:
    """A splitter of scikit-learn's kind: the halves in turn; it keeps the groups that it was given."""

    groups: Any = None

    def get_n_splits(self, *_: Any, **__: Any) -> int:
        return 2

    def split(self, _: Any, y: Any = None, groups: Any = None) -> Any:
        self.groups = groups
        one, other = np.array_split(np.arange(len(y)), 2)
        yield from ((other, one), (one, other))


class Shown(NamedTuple):
    """Halves of a table as a model saw them, put together again."""

    parts: list[Any]
    y: list[Any]
    groups: Any
    result: tm.Validation

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        return [row for part in self.parts for row in rows_in(part)]

    @property
    def names(self) -> list[str]:
        part = self.parts[0]
        return list(part.column_names if hasattr(part, "column_names") else part.columns)

    def column(self, name: str) -> list[Any]:
        return [row[self.names.index(name)] for row in self.rows]


def shown(X: Any, y: Any = None, **options: Any) -> Shown:
    Watched.learned.clear()
    halves = Halves()
    result = tm.validate(Watched(), X, y, **{"cv": halves, "baseline": False, **options})
    (second, of_second), (first, of_first) = Watched.learned
    said = [value for part in (of_first, of_second) for value in np.asarray(part).tolist()]
    return Shown([first, second], said, halves.groups, result)


def size(X: Any) -> int:
    return X.shape[0] if hasattr(X, "shape") else len(X)


def rows_in(X: Any) -> list[tuple[Any, ...]]:
    """Rows of any kind of table; what is missing is None."""
    if hasattr(X, "toarray"):
        X = X.toarray()
    if hasattr(X, "to_pylist"):
        return [tuple(row.values()) for row in X.to_pylist()]
    if not isinstance(X, list | tuple | np.ndarray):
        X = nw.from_native(X, eager_only=True).rows()
    return [tuple(None if pd.isna(value) else value for value in row) for row in X]


def said(model: Any, X: Any, y: Any, cv: Any = None, **options: Any) -> tuple[dict[str, list[Any]], Any]:
    """What one model said of the test rows, by column, and the JSON form of the result."""
    rows = np.arange(size(X))
    cut = [(rows[::2], rows[1::2])] if cv is None else cv
    result = tm.validate({"m": model}, X, y, cv=cut, **{"baseline": False, **options})
    columns = result.predictions("polars").to_dict(as_series=False)
    return columns, result.to_dict()
