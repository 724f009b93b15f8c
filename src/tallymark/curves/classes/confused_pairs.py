"""Which two classes are taken for each other most often."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallymark.curves.frames import frame
from tallymark.drawing import Block, Column, Document, Paragraph, Section, Table, count, percent
from tallymark.drawing import name as visible
from tallymark.drawing.notebook import Described
from tallymark.errors import OptionError
from tallymark.tallies import Confusion, Label
from tallymark.tallies.labels import quoted


@dataclass(frozen=True)
class ConfusedPair:
    """Two classes and the rows of either that were called the other."""

    first: Label
    second: Label
    """The direction that is more frequent: rows of `first` called `second`."""
    count: Any
    """Both directions added up."""
    forth: Any
    """Rows of `first` called `second`, or the sum of their weights."""
    back: Any
    """Rows of `second` called `first`."""
    of_first: float
    """Share of the rows of `first` that were called `second`."""
    of_second: float | None
    """Share of the rows of `second` that were called `first`; None when there are none."""
    share: float
    """Of all errors."""


@dataclass(frozen=True)
class ConfusedPairs(Described):
    """The pairs of classes with most errors between them, in that order; `confused_pairs` finds them."""

    pairs: tuple[ConfusedPair, ...]
    found: int
    """How many pairs of classes have any."""
    errors: Any
    """All of them, or the sum of their weights."""
    weighted: bool = False

    @property
    def share(self) -> float:
        """How much of all errors these pairs are."""
        return float(sum(pair.share for pair in self.pairs))

    def table(self, library: str | None = None) -> Any:
        """One row per pair, as a data frame."""
        columns: dict[str, Any] = {
            name: [str(getattr(pair, name)) for pair in self.pairs] for name in ("first", "second")
        }
        for name in ("count", "forth", "back"):
            columns[name] = np.array([getattr(pair, name) for pair in self.pairs])
        for name in ("of_first", "of_second", "share"):
            columns[name] = np.array([getattr(pair, name) for pair in self.pairs], float)
        return frame(columns, library)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        texts = [{"first": str(pair.first), "second": str(pair.second)} for pair in self.pairs]
        pairs = [vars(pair) | text for pair, text in zip(self.pairs, texts, strict=True)]
        return {"errors": self.errors, "found": self.found, "pairs": pairs}

    def document(self) -> Document:
        """The pairs as a table, with what they are of."""
        return Document("", (Section("Classes taken for each other", tuple(self._blocks())),))

    def _blocks(self) -> Iterator[Block]:
        if not self.pairs:
            yield Paragraph("No row of one class was called another.")
            return
        worst = self.pairs[0]
        yield Paragraph(
            f"Most often confused are {quoted(worst.first)} and {quoted(worst.second)}: "
            f"{percent(worst.share)} of all errors."
        )
        rows = "weight" if self.weighted else "rows"
        back = "the other way", "of called"
        titles = ("class", "called", rows, "of class", *back, "both ways", "of all errors")
        aligned = tuple(Column(title, "left" if place < 2 else "right") for place, title in enumerate(titles))
        yield Table(aligned, tuple(_printed(pair) for pair in self.pairs))
        if self.found > len(self.pairs):
            yield Paragraph(
                f"These are {count(len(self.pairs))} of {count(self.found)} pairs of classes with errors "
                f"between them, and {percent(self.share)} of all errors."
            )


def _printed(pair: ConfusedPair) -> tuple[str, ...]:
    return (
        visible(str(pair.first)),
        visible(str(pair.second)),
        count(pair.forth),
        percent(pair.of_first),
        count(pair.back),
        percent(pair.of_second),
        count(pair.count),
        percent(pair.share),
    )


def confused_pairs(confusion: Confusion, most: int = 10) -> ConfusedPairs:
    """The pairs of classes with most errors between them, both directions added up.

    Of equally frequent ones those of the first labels come first.

    >>> found = confused_pairs(Confusion([[50, 3, 0], [1, 40, 9], [2, 7, 30]], labels=["a", "b", "c"]))
    >>> [(pair.first, pair.second, pair.count) for pair in found.pairs]
    [('b', 'c', 16), ('a', 'b', 4), ('c', 'a', 2)]
    """
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise OptionError(f"most must be a whole number of pairs from 1 up; got {most!r}.")
    size = len(confusion.labels)
    actual, predicted = np.divmod(confusion.cells, size) if size else (confusion.cells,) * 2
    wrong = actual != predicted
    actual, predicted, counts = actual[wrong], predicted[wrong], confusion.counts[wrong]
    codes, place = np.unique(
        np.minimum(actual, predicted) * size + np.maximum(actual, predicted), return_inverse=True
    )
    # Of every pair: the rows of the first label called the second, and of the second called the first.
    both = np.zeros((2, len(codes)), counts.dtype)
    both[(actual > predicted).astype(np.intp), place] = counts
    total = both.sum(axis=0)
    chosen = np.argsort(-total, kind="stable")[:most]
    errors = counts.sum().item()
    rows = confusion.margins.actual
    pairs = []
    for at in chosen.tolist():
        one, two = divmod(int(codes[at]), size)
        forth, back = both[:, at].tolist()
        if back > forth:
            one, two, forth, back = two, one, back, forth
        pairs.append(
            ConfusedPair(
                confusion.labels[one],
                confusion.labels[two],
                total[at].item(),
                forth,
                back,
                float(forth / rows[one]),
                float(back / rows[two]) if rows[two] else None,
                float(total[at] / errors),
            )
        )
    return ConfusedPairs(tuple(pairs), len(codes), errors, confusion.squares is not None)
