"""What is known of all rows of one model together, wherever they lie: labels, ids, how far scores reach."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import LabelError
from tallymark.intake.columns import LabelColumn, titled
from tallymark.intake.encoded import distinct
from tallymark.intake.ids import Ids, Values, not_whole, taken
from tallymark.intake.roles import Roles
from tallymark.intake.rows import Checks, Rows
from tallymark.intake.sources import Source
from tallymark.intake.streams.door import Columns
from tallymark.intake.streams.spilling import is_typed
from tallymark.tallies import Label
from tallymark.tallies.merging import EXACT

DROPPED = -1
"""In the place of the class of a row that lacks a value."""
_EXAMPLES = 5


@dataclass
class Vocabulary:
    """The labels of a column in the order they were met."""

    role: str
    codes: dict[Label, int] = field(default_factory=dict)
    as_written: bool = True
    """Whether all labels so far are from text files, so that they may be meant as numbers."""

    def encoded(self, column: LabelColumn) -> NDArray[np.int32]:
        """Every row's label as its place here."""
        self.as_written = self.as_written and (column.as_written or not len(column))
        found, which = distinct(column.values.astype(np.int64, copy=False))
        codes = self._added([column.label(code) for code in found.tolist()])
        return np.array(codes, np.int32)[which] if codes else np.empty(0, np.int32)

    def then(self, later: Vocabulary) -> Vocabulary:
        """With the labels that rows have that come later."""
        both = Vocabulary(self.role, dict(self.codes), self.as_written and later.as_written)
        both._added(list(later.codes))
        return both

    def _added(self, labels: list[Label]) -> list[int]:
        known = next(iter(self.codes), None)
        if labels and known is not None and isinstance(known, str) != isinstance(labels[0], str):
            raise LabelError(
                f"{self.role} holds text in some places and numbers in others.",
                hint="write every label the same way.",
            )
        return [self.codes.setdefault(label, len(self.codes)) for label in labels]

    def column(self, rows: int) -> LabelColumn:
        """A row of each label, over and over until there are so many."""
        labels = list(self.codes)
        at = np.arange(rows) % max(1, len(labels))
        if labels and isinstance(labels[0], str):
            names = sorted(map(str, labels))
            place = {name: position for position, name in enumerate(names)}
            values = np.array([place[str(each)] for each in labels])[at]
            return LabelColumn(self.role, values, tuple(names), as_written=self.as_written)
        return LabelColumn(self.role, np.array(labels)[at])


@dataclass
class Surveyed:
    """The rows of one model, of which none is here."""

    roles: Roles
    checks: Checks
    title: str = ""
    """What errors call the model."""
    actual: Vocabulary = field(init=False)
    predicted: Vocabulary | None = field(init=False)
    rows: int = 0
    """Rows that came."""
    left: int = 0
    """Rows that lack nothing."""
    dropped: dict[str, int] = field(default_factory=dict)
    typed: bool = True
    """Whether ids are numbers, and not text."""
    whole_ids: bool = True
    """Whether all ids are whole numbers, be they written as text."""
    some_ids: list[Any] = field(default_factory=list)
    """The first ids, for a message."""
    some_text: list[str] = field(default_factory=list)
    """Ids that are no whole numbers, for a message."""
    scores: tuple[float, float] = (np.inf, -np.inf)
    """The least and the highest score."""
    weight: float = 0.0
    """Of all rows that are left."""
    heaviest: float = 0.0
    weightless: int = 0
    """Rows of weight 0."""
    whole: bool = True
    """Whether all weights are whole numbers."""

    def __post_init__(self) -> None:
        actual, predicted = self.roles.actual, self.roles.predicted
        assert isinstance(actual, str)
        assert predicted is None or isinstance(predicted, str)
        self.actual = Vocabulary(titled("actual", actual))
        self.predicted = None if predicted is None else Vocabulary(titled("predicted", predicted))

    @property
    def whole_weights(self) -> bool:
        """Whether weights are counted as whole numbers."""
        return self.whole and self.weight < EXACT

    def encoded(self, columns: Columns, total: int) -> dict[str, NDArray[Any]]:
        """The columns of so many rows, with labels as places in the vocabularies; some may be dropped."""

        def of_all(values: NDArray[Any], nothing: Any) -> NDArray[Any]:
            if columns.kept is None:
                return values
            every = np.full(total, nothing, values.dtype)
            every[columns.kept] = values
            return every

        rows: dict[str, NDArray[Any]] = {"actual": of_all(self.actual.encoded(columns.actual), DROPPED)}
        if self.predicted is not None and columns.predicted is not None:
            rows["predicted"] = of_all(self.predicted.encoded(columns.predicted), DROPPED)
        if columns.score is not None:
            rows["score"] = of_all(columns.score, np.nan)
        if columns.weight is not None:
            rows["weight"] = of_all(columns.weight.astype(float), np.nan)
        return rows

    def note(self, columns: Columns) -> None:
        """What the columns of some more rows tell, but for their labels."""
        score, weights = columns.score, columns.weight
        if score is not None and len(score):
            low, high = self.scores
            self.scores = min(low, float(score.min())), max(high, float(score.max()))
        if weights is not None and len(weights):
            self.weight += float(weights.sum())
            self.heaviest = max(self.heaviest, float(weights.max()))
            self.weightless += int((weights == 0).sum())
            self.whole = self.whole and bool((weights == np.floor(weights)).all())
        self.left += len(columns)
        self._drop(columns.dropped)

    def note_labels(self, columns: Columns) -> None:
        """The labels of some more rows."""
        self.actual.encoded(columns.actual)
        if self.predicted is not None and columns.predicted is not None:
            self.predicted.encoded(columns.predicted)

    def note_ids(self, ids: Ids) -> None:
        """What the ids of some more rows tell."""
        values = ids.values
        assert values is not None
        whole = isinstance(values, np.ndarray)
        self.typed, self.whole_ids = self.typed and is_typed(ids), self.whole_ids and whole
        self.some_ids += _first(values, np.arange(min(_EXAMPLES - len(self.some_ids), len(values))))
        if not whole and len(self.some_text) < _EXAMPLES:
            self.some_text += _first(values, not_whole(values)[: _EXAMPLES - len(self.some_text)])

    def then(self, later: Surveyed) -> Surveyed:
        """With what is known of rows that come later."""
        both = replace(
            self,
            rows=self.rows + later.rows,
            left=self.left + later.left,
            dropped=dict(self.dropped),
            typed=self.typed and later.typed,
            whole_ids=self.whole_ids and later.whole_ids,
            some_ids=[*self.some_ids, *later.some_ids][:_EXAMPLES],
            some_text=[*self.some_text, *later.some_text][:_EXAMPLES],
            scores=(min(self.scores[0], later.scores[0]), max(self.scores[1], later.scores[1])),
            weight=self.weight + later.weight,
            heaviest=max(self.heaviest, later.heaviest),
            weightless=self.weightless + later.weightless,
            whole=self.whole and later.whole,
        )
        both._drop(later.dropped)
        both.actual = self.actual.then(later.actual)
        if self.predicted is not None and later.predicted is not None:
            both.predicted = self.predicted.then(later.predicted)
        return both

    def _drop(self, dropped: Any) -> None:
        for key, number in dropped.items():
            self.dropped[key] = self.dropped.get(key, 0) + number

    def probe(self) -> Source:
        """A few rows that have every label and the ends of the scores: all that decides how rows are read."""
        width = max(2, len(self.actual.codes), 0 if self.predicted is None else len(self.predicted.codes))
        score = None if self.roles.score is None else np.resize(np.array(self.scores), width)
        rows = Rows(
            self.actual.column(width),
            None if self.predicted is None else self.predicted.column(width),
            score,
            None,
            dict(self.dropped),
            lambda _: "some of its rows",
        )
        return Source(rows)


def _first(values: Values, rows: NDArray[np.int64]) -> list[Any]:
    few = taken(values, rows)
    return few.tolist() if isinstance(few, np.ndarray) else few.to_list()
