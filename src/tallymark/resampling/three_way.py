"""Rows to train on, to tune on and to test on, in one call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.errors import OptionError
from tallymark.evaluation.settings import checked_seed
from tallymark.resampling.checks import part, rows_in, share_in_words, stream
from tallymark.resampling.folds import Ints
from tallymark.resampling.grouping import grouped, strata, too_rare
from tallymark.resampling.holdout import left_out, missed
from tallymark.resampling.splitter import rows_of

if TYPE_CHECKING:
    from tallymark.drawing.figure import Figure


@dataclass(frozen=True, eq=False)
class ThreeWay:
    """Positions of the rows that build a model, tune it, and tell how good it is; unpacks as the three."""

    train: Ints
    validation: Ints
    test: Ints
    notes: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        return len(self.train) + len(self.validation) + len(self.test)

    def __iter__(self) -> Iterator[Ints]:
        return iter((self.train, self.validation, self.test))

    def __repr__(self) -> str:
        sizes = f"train: {len(self.train):,}, validation: {len(self.validation):,}, test: {len(self.test):,}"
        return f"<ThreeWay of {self.rows:,} rows, {sizes}>"

    @cached_property
    def fingerprint(self) -> str:
        """The same for the same rows in the same parts."""
        digest = sha256()
        for rows in self:
            digest.update(f"|{len(rows)}:".encode())
            digest.update(rows.astype("<i8").tobytes())
        return digest.hexdigest()[:16]

    def figure(self, y: Any = None, groups: Any = None) -> Figure:
        """The parts as a picture, with the classes and groups of their rows if given."""
        from tallymark.resampling.figures import three_way_figure

        return three_way_figure(self, y, groups)

    def plot(self, y: Any = None, groups: Any = None, *, ax: Any = None) -> Any:
        """Draw the parts on matplotlib axes, new ones unless given, and return them."""
        from tallymark.drawing.plots.pen import draw

        return draw(self.figure(y, groups), ax)


def three_way_split(
    X_or_y: Any,
    y: Any = None,
    *,
    groups: Any = None,
    validation_size: float = 0.2,
    test_size: float = 0.2,
    stratify: bool = True,
    random_state: int | None = 0,
) -> ThreeWay:
    """Cut rows into three parts: to build a model, to choose its parameters, and to estimate its error.

    Pass X and y, or y alone. Sizes are shares of all rows, or numbers of rows. Classes have the same share in
    each part, unless `stratify=False`; whole groups go to one part when `groups` are given.

    >>> train, validation, test = three_way_split(["a", "b"] * 10)
    >>> len(train), len(validation), len(test)
    (12, 4, 4)
    """
    rows, seed = rows_of(X_or_y, y, groups), checked_seed(random_state)
    if y is None and len(np.shape(X_or_y)) == 1:
        y = X_or_y
    sizes = [part("validation_size", validation_size), part("test_size", test_size)]
    n_validation, n_test = (rows_in(size, rows) for size in sizes)
    if n_validation + n_test >= rows:
        raise OptionError(
            f"a validation part of {share_in_words(sizes[0])} and a test part of {share_in_words(sizes[1])} "
            f"leave none of {rows:,} {'row' if rows == 1 else 'rows'} to train on.",
            hint="take smaller ones: --method three-way:0.2,0.2 (validation_size=0.2, test_size=0.2).",
        )
    by, together = strata(y, stratify=stratify), None if groups is None else grouped(groups)
    if together is not None and len(together.names) < 3:
        raise OptionError("three parts need three groups at least; there are two.")
    test = left_out(n_test, np.arange(rows), by.classes, together, stream(seed, 0), spare=2)
    rest = np.setdiff1d(np.arange(rows), test, assume_unique=True)
    validation = left_out(n_validation, rest, by.classes, together, stream(seed, 1))
    notes = [*by.notes]
    if by.classes is not None:
        counts = [
            np.bincount(by.classes.codes[rows], minlength=len(by.classes.names))
            for rows in (validation, test)
        ]
        notes += too_rare(by.classes, np.any(np.equal(counts, 0), axis=0), " in both parts")
    for asked, found in ((n_validation, validation), (n_test, test)):
        notes += missed(asked, [len(found)], rows)
    return ThreeWay(np.setdiff1d(rest, validation, assume_unique=True), validation, test, tuple(notes))
