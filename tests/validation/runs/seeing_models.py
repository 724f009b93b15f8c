"""A model that says one class of all rows: which one depends on something that it sees."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Sees(ClassifierMixin, BaseEstimator):
    """`what` is a function of the features and of what was given."""

    def __init__(self, what: Callable[[Any, Any], Any], given: Any = None) -> None:
        self.what = what
        self.given = given

    def fit(self, _: Any, y: Any) -> Sees:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(X.shape[0], self.classes_[int(self.what(X, self.given))])


def mask(X: Any, _: Any) -> bool:
    return bool(np.ma.getmaskarray(X).any())


def first_field(X: Any, _: Any) -> bool:
    return bool(X.dtype.names[0] == "a")


def index(X: Any, _: Any) -> bool:
    return bool(X.index.max() > 500)


def attributes(X: Any, _: Any) -> bool:
    return bool(X.attrs)


def is_nullable(X: Any, _: Any) -> bool:
    return str(X.dtypes.iloc[0]) == "Float64"


def is_named(X: Any, _: Any) -> bool:
    return isinstance(X.columns[0], str)


def is_frame(X: Any, _: Any) -> bool:
    return hasattr(X, "columns")


def by_row(X: Any, _: Any) -> bool:
    return bool(X.format == "csr")


def inside(X: Any, _: Any) -> bool:
    return any(each[700] > 0 for each in X.iloc[:, 0])


def missing_key(_: Any, given: Any) -> bool:
    return bool(given["missing"])


def flag(_: Any, given: Any) -> bool:
    return bool(getattr(given, "flag", False))


def frozen(_: Any, given: Any) -> bool:
    return isinstance(given, frozenset)


def called(_: Any, given: Any) -> bool:
    return bool(given())


class Items(list[Any]):
    """A list with attributes."""


class Names(dict[str, Any]):
    """A dictionary with attributes."""


class Distinct(set[Any]):
    """A set with attributes."""


def one() -> int:
    return 1


def zero() -> int:
    return 0


def saying(number: int) -> Callable[[], int]:
    """Wrapped as decorators do it: under the name of another function."""

    @functools.wraps(one)
    def says() -> int:
        return number

    return says


for number in (0, 1):

    def in_a_loop(number: int = number) -> int:
        return number

    if number == 0:
        first_of_loop = in_a_loop
