"""`Sums`: what the losses of probabilities, Brier's and the logarithmic one, add up to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallymark.tallies.arrays import owned
from tallymark.tallies.labels import Label

_BLOCK = 1 << 17
"""Probabilities looked at in one go, so that no second table as large as theirs is made."""
_SCORES = 1 << 16
"""The same of distinct scores."""

Losses = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Brier's loss and the logarithmic one, of each row; the second is infinite where the truth had no chance."""


@dataclass(frozen=True)
class Moments:
    """Sums over the rows of a loss l with weight w, enough for its mean and the spread of that mean."""

    total: float = 0.0
    """w l"""
    weighted: float = 0.0
    """w**2 l"""
    squares: float = 0.0
    """w**2 l**2"""

    def __add__(self, other: Moments) -> Moments:
        if not isinstance(other, Moments):
            return NotImplemented
        return Moments(self.total + other.total, self.weighted + other.weighted, self.squares + other.squares)

    def scaled(self, by: float) -> Moments:
        """Of rows that are so many times as heavy."""
        return Moments(self.total * by, self.weighted * by**2, self.squares * by**2)

    @classmethod
    @np.errstate(under="ignore")
    def of(cls, loss: NDArray[np.float64], weight: NDArray[Any], squared: NDArray[Any]) -> Moments:
        """Of distinct losses, each with the sum of the weights that have it and of their squares."""
        # Added in pairs, which rounds less than a dot product and starts no threads.
        return cls(*(float(amounts.sum()) for amounts in (weight * loss, squared * loss, squared * loss**2)))


@dataclass(frozen=True)
class Sums:
    """The losses of all rows, added up.

    The logarithmic loss of a row whose true class was given probability 0 is infinite: such rows are in
    `infinite` and in no other sum of it.

    >>> Sums.of_probabilities(np.array([[0.5, 0.3, 0.2]]), np.array([0])).brier.total
    0.38
    """

    rows: int = 0
    """Rows counted, whatever their weight."""
    weight: float = 0
    """The same, or the sum of their weights."""
    weight_squares: float = 0
    brier: Moments = Moments()
    """Squared distance of the probabilities from the truth; with two classes, of the positive one's."""
    log_loss: Moments = Moments()
    infinite: float = 0
    """Rows (or their weight) whose true class had probability 0."""
    infinite_squares: float = 0
    """The same, or the sum of their squared weights: from both one sees whether it is one row."""
    most: int = 1
    """The largest Brier loss a row can have: 1 with two classes, 2 with one probability for each of more."""

    def __add__(self, other: Sums) -> Sums:
        if not isinstance(other, Sums):
            return NotImplemented
        return Sums(
            self.rows + other.rows,
            self.weight + other.weight,
            self.weight_squares + other.weight_squares,
            self.brier + other.brier,
            self.log_loss + other.log_loss,
            self.infinite + other.infinite,
            self.infinite_squares + other.infinite_squares,
            max(self.most, other.most),
        )

    def __radd__(self, other: object) -> Sums:
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def scaled(self, by: float) -> Sums:
        """Of rows that are so many times as heavy."""
        return Sums(
            self.rows,
            self.weight * by,
            self.weight_squares * by**2,
            self.brier.scaled(by),
            self.log_loss.scaled(by),
            self.infinite * by,
            self.infinite_squares * by**2,
            self.most,
        )

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self)

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> Sums:
        """From the JSON form."""
        losses = {name: Moments(**form[name]) for name in ("brier", "log_loss")}
        return cls(**{**form, **losses})

    @classmethod
    def of_losses(
        cls, losses: Losses, weight: NDArray[Any], squared: NDArray[Any], rows: int, most: int = 1
    ) -> Sums:
        """From the losses of each row, or of each kind of row with the weight of all that are of it."""
        brier, log_loss = losses
        finite = np.isfinite(log_loss)
        return cls(
            rows=rows,
            weight=weight.sum().item(),
            weight_squares=squared.sum().item(),
            brier=Moments.of(brier, weight, squared),
            log_loss=Moments.of(log_loss[finite], weight[finite], squared[finite]),
            infinite=weight[~finite].sum().item(),
            infinite_squares=squared[~finite].sum().item(),
            most=most,
        )

    @classmethod
    def of_scores(
        cls,
        score: NDArray[np.float64],
        sides: tuple[NDArray[Any], NDArray[Any]],
        squares: tuple[NDArray[Any], NDArray[Any]] | None,
        rows: int,
        clip: float = 0.0,
    ) -> Sums:
        """From how many rows of the positive class and of the rest have each probability."""
        total = cls(rows=rows)
        for start in range(0, len(score), _SCORES):
            block = slice(start, start + _SCORES)
            of_sides = losses_of_scores(score[block], clip)
            for (brier, log_loss), weight, squared in zip(of_sides, sides, squares or sides, strict=True):
                # A score that no row of a class has costs nothing, however impossible it makes the class.
                seen = weight[block] > 0
                losses = brier[seen], log_loss[seen]
                total += cls.of_losses(losses, weight[block][seen], squared[block][seen], rows=0)
        return total

    @classmethod
    def of_probabilities(
        cls,
        table: NDArray[np.float64],
        actual: NDArray[Any],
        weight: NDArray[Any] | None = None,
        weight_kind: Literal["sampling", "frequency"] = "sampling",
        factor: NDArray[np.float64] | None = None,
        clip: float = 0.0,
    ) -> Sums:
        """From one probability per row and class, and the position of each row's class.

        Brier's loss is the sum over the classes of the squared distances: from 0 to 2. A `factor` for each
        row multiplies its weight, as other shares of the classes do; a frequency stays that many rows. No
        probability is taken as less than `clip` away from 0 and 1 in the logarithmic loss.
        """
        each: NDArray[Any] = np.ones(len(table), np.int64) if weight is None else weight
        squared, rows = each, int(each.sum())
        if weight is not None and weight_kind == "sampling":  # else so many rows, each of weight 1
            # Squared as floats: the square of a whole weight may leave int64.
            squared, rows = np.square(each, dtype=float), int(np.count_nonzero(each))
        if factor is not None:
            each, squared = each * factor, squared * factor**2
        return cls.of_losses(losses_of_probabilities(table, actual, clip), each, squared, rows, most=2)


@dataclass(frozen=True, eq=False)
class GroupedSums:
    """The same losses, added up group by group: rows of a group belong together (a patient)."""

    keys: tuple[Label, ...]
    weight: NDArray[Any]
    """Of each group: its rows, or the sum of their weights."""
    brier: NDArray[np.float64]
    log_loss: NDArray[np.float64]
    infinite: NDArray[Any]

    def __len__(self) -> int:
        return len(self.keys)

    def __post_init__(self) -> None:
        for name in ("weight", "brier", "log_loss", "infinite"):
            object.__setattr__(self, name, owned(getattr(self, name)))

    def __reduce__(self) -> tuple[Any, ...]:
        # Arrays come back from a pickle writeable: rebuild instead.
        return GroupedSums, (self.keys, self.weight, self.brier, self.log_loss, self.infinite)

    @classmethod
    def of_probabilities(
        cls,
        table: NDArray[np.float64],
        actual: NDArray[Any],
        weight: NDArray[Any] | None,
        group: NDArray[np.int64],
        keys: tuple[Label, ...],
        clip: float = 0.0,
    ) -> GroupedSums:
        """As `Sums.of_probabilities`, with the position of each row's group among the keys.

        Groups without any weight are left out.
        """
        brier, log_loss = losses_of_probabilities(table, actual, clip)
        impossible = np.isinf(log_loss)
        log_loss[impossible] = 0
        amount = np.ones(len(table)) if weight is None else weight
        columns: list[NDArray[Any]] = [
            np.bincount(group, weights=each, minlength=len(keys))
            for each in (amount, amount * brier, amount * log_loss, amount * impossible)
        ]
        there = np.flatnonzero(columns[0])
        if len(there) < len(keys):
            keys = tuple(keys[position] for position in there)
        return cls(keys, *(column[there] for column in columns))


def losses_of_scores(score: NDArray[np.float64], clip: float = 0.0) -> tuple[Losses, Losses]:
    """If a row of the positive class has this probability of it, and if a row of the other class has."""
    rest, kept = 1 - score, score.clip(clip, 1 - clip)
    with np.errstate(divide="ignore", under="ignore"):
        # log1p, for a small score is lost in 1 - score.
        return (rest**2, -np.log(kept)), (score**2, -np.log1p(-kept))


def losses_of_probabilities(table: NDArray[np.float64], actual: NDArray[Any], clip: float = 0.0) -> Losses:
    """Of every row, from its probabilities and the position of its class."""
    brier, log_loss = np.empty(len(table)), np.empty(len(table))
    length = max(1, _BLOCK // max(1, table.shape[1]))
    for start in range(0, len(table), length):
        block = slice(start, start + length)
        distance = np.array(table[block], float)
        rows, own = np.arange(len(distance)), actual[block].astype(np.int64, copy=False)
        # Rounded probabilities may leave [0, 1] by a hair.
        true = distance[rows, own].clip(clip, 1 - clip)
        distance[rows, own] -= 1
        np.einsum("ij,ij->i", distance, distance, out=brier[block])
        with np.errstate(divide="ignore"):
            np.negative(np.log(true), out=log_loss[block])
    return brier, log_loss
