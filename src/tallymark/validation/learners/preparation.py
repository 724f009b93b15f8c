"""`Preparation`: columns of a table made into what a learner takes, learned from the training rows alone."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError, OptionError
from tallymark.intake.files.kinds import listed
from tallymark.resampling.parameters import Parameters
from tallymark.tallies.labels import quoted
from tallymark.validation.learners.features import Features, Floats, features_of, is_sparse

LEVELS = 50
"""Columns that one text column may become; the rarest levels share the last."""
_RARE = 2
"""Levels that fewer training rows have are pooled."""
_ALMOST_ALL = 0.9
"""A text column with more levels than this share of the rows tells rows apart, not classes."""
_FEW = 10
"""So many levels are looked at no further."""


class LeftOut(UserWarning):
    """A column that the preparation does not use; the message names it and says why."""

    words = "left out"


class Preparation(Parameters):
    """Numbers as they are, names as a column of 0 and 1 for each; what is missing is filled in.

    A missing number becomes the median of the training rows, and a column of 0 and 1 says where, if the
    training rows lack some. Text, booleans and categories become a column for each level of the training
    rows, rare ones pooled; a level that is not among them is none of these, and a missing value is a level
    of its own. `scale` gives numbers mean 0 and deviation 1; without `impute` missing numbers stay NaN.

    The type of a column comes from the table, not from the rows of a fold. Sparse matrices pass unchanged.
    """

    def __init__(self, *, scale: bool = True, impute: bool = True) -> None:
        self.scale = scale
        self.impute = impute

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(),
            input_tags=InputTags(sparse=True, allow_nan=True, string=True, categorical=True),
        )

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn medians, scales and levels."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:  # noqa: ARG002 - it never looks at the classes
        """Learn from rows and prepare them."""
        self.width_ = X.shape[1] if is_sparse(X) else None
        if is_sparse(X):
            return X
        table = features_of(X)
        self.names_, self.size_ = table.names, len(table)
        places = self._sorted(table)
        parts = [
            part
            for part in (self._fit_numbers(table, places["number"]), self._fit_levels(table, places["text"]))
            if part is not None
        ]
        if not parts:
            raise InputError("no column is left to learn from.")
        return np.hstack(parts)

    def transform(self, X: Any) -> Any:
        """Prepare rows by what was learned."""
        if not hasattr(self, "width_"):
            raise OptionError("this Preparation has learned nothing yet.", hint="call fit first.")
        if is_sparse(X) or self.width_ is not None:
            self._check_sparse(X)
            return X
        table = self._aligned(features_of(X))
        parts = []
        if self.numbers_:
            parts.append(self._prepared(table.numbers(self.numbers_)))
        if self.levels_:
            parts.append(self.encoder_.transform(table.texts(self.levels_)))
        return np.hstack(parts)

    def _sorted(self, table: Features) -> dict[str, list[int]]:
        """Which columns hold numbers, and which text."""
        places: dict[str, list[int]] = {"number": [], "text": [], "date": [], "empty": []}
        for place in range(len(table)):
            places[table.kind(place)].append(place)
        if places["date"]:
            _leave_out(table, places["date"], "which holds dates")
        return places

    def _fit_numbers(self, table: Features, places: list[int]) -> Floats | None:
        self.numbers_ = places
        if not places:
            return None
        numbers = table.numbers(places)
        lacking = np.isnan(numbers)
        self.lacking_ = np.flatnonzero(lacking.any(axis=0)) if self.impute else np.empty(0, np.int64)
        if self.impute:
            # Not SimpleImputer: its median of a million rows takes ten times as long.
            self.medians_ = np.array(
                [np.median(column[~gone]) for column, gone in zip(numbers.T, lacking.T, strict=True)]
            )
        if self.scale:
            from sklearn.preprocessing import StandardScaler

            self.scaler_ = StandardScaler().fit(self._filled(numbers, lacking))
        return self._prepared(numbers)

    def _prepared(self, numbers: Floats) -> Floats:
        gone = np.isnan(numbers)
        filled = self._filled(numbers, gone)
        scaled = self.scaler_.transform(filled) if self.scale else filled
        return np.hstack([scaled, gone[:, self.lacking_]]) if len(self.lacking_) else scaled

    def _filled(self, numbers: Floats, gone: NDArray[np.bool_]) -> Floats:
        return np.where(gone, self.medians_, numbers) if self.impute and gone.any() else numbers

    def _fit_levels(self, table: Features, places: list[int]) -> Floats | None:
        texts = table.texts(places)
        counts = [len(set(column)) for column in texts.T.tolist()]
        limit = _ALMOST_ALL * self._distinct_rows(table, texts, max(counts, default=0))
        unlike = [place for place, count in zip(places, counts, strict=True) if count > max(limit, 1)]
        if unlike:
            _leave_out(table, unlike, "where nearly every row has another text")
        kept = [at for at, count in enumerate(counts) if count > 1 and places[at] not in unlike]
        self.levels_ = [places[at] for at in kept]
        if not kept:
            return None
        from sklearn.preprocessing import OneHotEncoder

        self.encoder_ = OneHotEncoder(
            handle_unknown="ignore", min_frequency=_RARE, max_categories=LEVELS, sparse_output=False
        )
        found: Floats = self.encoder_.fit_transform(texts[:, kept])
        return found

    def _distinct_rows(self, table: Features, texts: NDArray[Any], most: int) -> int:
        """How many rows differ: copies that over- or resampling made say nothing new of a column."""
        if most <= _FEW or len(table) == 1:
            return len(texts)  # a few levels are no names of rows; one column alone cannot tell
        numbers = np.ascontiguousarray(table.numbers(self.numbers_)) if self.numbers_ else texts[:, :0]
        rows = zip(texts.tolist(), numbers, strict=True)
        return len({(*text, values.tobytes()) for text, values in rows})

    def _aligned(self, table: Features) -> Features:
        """The columns in the order in which they were learned."""
        if table.names is not None and self.names_ is not None and table.names != self.names_:
            absent = [quoted(name) for name in self.names_ if name not in table.names]
            if absent:
                raise InputError(f"columns {listed(absent)} were learned from and are not there.")
            place = {name: at for at, name in enumerate(table.names)}
            return Features([table.columns[place[name]] for name in self.names_], self.names_)
        if len(table) != self.size_:
            raise InputError(f"{self.size_} columns were learned from; got {len(table)}.")
        return table

    def _check_sparse(self, X: Any) -> None:
        if not is_sparse(X) or self.width_ is None:
            kind = "a sparse matrix" if self.width_ is not None else "a table"
            raise InputError(f"{kind} was learned from; got {type(X).__name__}.")
        if X.shape[1] != self.width_:
            raise InputError(f"{self.width_} columns were learned from; got {X.shape[1]}.")


def _leave_out(table: Features, places: list[int], why: str) -> None:
    for place in places:
        warnings.warn(f"{table.title(place)}, {why}", LeftOut, stacklevel=2)
