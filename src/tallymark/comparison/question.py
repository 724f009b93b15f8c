"""What is asked of a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

import numpy as np

from tallymark.errors import OptionError, precise
from tallymark.evaluation.settings import checked_seed
from tallymark.intake.score_tables import Scale
from tallymark.intervals import checked_level
from tallymark.intervals.differences import DifferenceMethod
from tallymark.metrics import ask
from tallymark.tests.outcome import Alternative, checked_alternative

Adjust = Literal["holm", "shaffer", "bergmann_hommel", "bonferroni"]
Test = Literal["auto", "corrected", "uncorrected", "exact", "mid_p", "permutation"]
POWER = 0.8
MOST_PERMUTATIONS = 1_000_000


@dataclass(frozen=True)
class Question:
    """What the verdict is about, and how it is to be reached."""

    metric: str | None = None
    """The number of the verdict; None is the usual one."""
    metrics: tuple[str, ...] = ()
    """Further numbers to compare; none given are the usual ones."""
    alternative: Alternative = "two-sided"
    margin: float | None = None
    """A difference that does not matter: within it models are equivalent."""
    adjust: Adjust = "holm"
    test: Test = "auto"
    """How answers right or wrong on the same rows are tested."""
    method: DifferenceMethod | None = None
    """The interval of a difference in shares on other rows; None is the usual one."""
    permutations: int = 10_000
    level: float = 0.95
    seed: int = 0

    @property
    def tail_level(self) -> float:
        """The level of the two-sided interval that leaves out as much as the test does on one side."""
        if self.alternative == "two-sided" or self.level <= 0.5:
            return self.level
        return 2 * self.level - 1


@dataclass(frozen=True)
class Folding:
    """What is known of the folds, and what is asked of scores by fold or by data set."""

    n_train: Any = None
    n_test: Any = None
    runs: int | None = None
    """How often the cross-validation was repeated; None is once."""
    same_folds: bool = False
    """Whether the folds are stated to be the same for all models."""
    overlap: bool = True
    """Whether training sets share rows, as in cross-validation."""
    rope: float = 0.01
    better: str | None = None
    baseline: str | None = None
    scale: Scale = "share"
    columns: Mapping[str, str] | None = None

    @property
    def said(self) -> tuple[str, ...]:
        """The parts that are not as usual."""
        usual = {each.name: each.default for each in fields(self)}
        return tuple(name for name, value in usual.items() if not _is(getattr(self, name), value))


def _is(value: object, usual: object) -> bool:
    """Sizes may be arrays, which are not simply equal to anything."""
    return isinstance(value, type(usual)) and value == usual


def question(
    *,
    metric: str | None = None,
    metrics: Sequence[str] = (),
    alternative: str = "two-sided",
    margin: float | None = None,
    adjust: str = "holm",
    test: str = "auto",
    method: str | None = None,
    permutations: int = 10_000,
    confidence_level: float = 0.95,
    random_state: int | None = 0,
) -> Question:
    """A question whose every part has been checked."""
    names = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    for name in (*names, *(() if metric is None else (metric,))):
        ask(name)
    level = checked_level(confidence_level)
    return Question(
        metric,
        names,
        checked_alternative(alternative),
        _margin(margin, level),
        _choice("adjust", adjust, get_args(Adjust)),
        _choice("test", test, get_args(Test)),
        None if method is None else _choice("method", method, get_args(DifferenceMethod)),
        _permutations(permutations),
        level,
        checked_seed(random_state),
    )


def _choice(word: str, value: object, known: Sequence[Any]) -> Any:
    """One of the words there are."""
    if value not in known:
        raise OptionError(f"{word} must be one of {', '.join(known)}; got {value!r}.")
    return value


def _margin(margin: object, level: float) -> float | None:
    """A difference that does not matter; tests of one side each judge it, so the level is above a half."""
    if margin is None:
        return None
    if isinstance(margin, bool) or not isinstance(margin, int | float | np.number) or not 0 < margin < np.inf:
        raise OptionError(f"a margin is a number above 0, such as 0.01; got {margin!r}.")
    if level <= 0.5:
        raise OptionError(f"a margin is judged at a confidence level above 0.5; got {precise(level, 0.5)}.")
    return float(margin)


def _permutations(number: object) -> int:
    if (
        isinstance(number, bool)
        or not isinstance(number, int | np.integer)
        or not 100 <= number <= MOST_PERMUTATIONS
    ):
        most = f"{MOST_PERMUTATIONS:,}"
        raise OptionError(f"permutations is a whole number from 100 to {most}; got {number!r}.")
    return int(number)
