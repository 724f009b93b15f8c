"""Tests of several models over many data sets: Friedman, Nemenyi, and pairs of mean ranks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from tallymark.errors import OptionError
from tallymark.intervals.checks import checked_number
from tallymark.tests.data_sets import average_ranks
from tallymark.tests.outcome import Alternative, Outcome, refuse_sides
from tallymark.tests.scores import Floats, Table, checked_choice, checked_table
from tallymark.tests.studentized import range_quantile, range_tail

FriedmanMethod = Literal["chi2", "f"]
Ties = Literal["corrected", "uncorrected"]
Model = int | str

ASSUMPTION = "independent data sets"


@dataclass(frozen=True, eq=False)
class Nemenyi:
    """Which models differ: mean ranks that are a critical difference or more apart."""

    critical_difference: float
    ranks: tuple[float, ...]
    """Mean rank of each model; 1 is best."""
    groups: tuple[tuple[Model, ...], ...]
    """The largest groups of two models or more that are not told apart, best first, each by rank."""
    q: float
    """Quantile of the studentized range by sqrt(2); Demsar 2006, table 5a."""
    p_values: Floats
    """Of every two models, k x k, adjusted for all pairs; 1 on the diagonal."""
    names: tuple[str, ...] | None
    alpha: float
    data_sets: int
    method: str = "Nemenyi"
    assumption: str = ASSUMPTION

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "method": self.method,
            "critical_difference": self.critical_difference,
            "q": self.q,
            "alpha": self.alpha,
            "ranks": list(self.ranks),
            "names": None if self.names is None else list(self.names),
            "groups": [list(group) for group in self.groups],
            "p_values": self.p_values.tolist(),
            "data_sets": self.data_sets,
            "assumption": self.assumption,
        }


@dataclass(frozen=True, eq=False)
class PostHoc:
    """Pairs of models after Friedman's test: z of the difference of their mean ranks, not adjusted."""

    pairs: tuple[tuple[Model, Model], ...]
    """In order of `itertools.combinations`; with a control, the control and each other model."""
    z: tuple[float, ...]
    """Mean rank of the first less that of the second, by `se`; above 0 the first ranks worse."""
    p_values: tuple[float, ...]
    """Two-sided; `adjust` them for the number of pairs."""
    se: float
    ranks: tuple[float, ...]
    names: tuple[str, ...] | None


def friedman(
    table: Any,
    method: FriedmanMethod = "chi2",
    *,
    ties: Ties = "corrected",
    alternative: Alternative = "two-sided",
) -> Outcome:
    """Friedman's test that all models rank alike; rows are data sets, columns models, higher is better.

    With N data sets, k models and mean ranks R: chi2 = 12 N / (k (k+1)) * (sum R^2 - k (k+1)^2 / 4), k - 1
    degrees of freedom, divided by 1 - sum (t^3 - t) / (N k (k^2 - 1)) over ties of t models unless
    "uncorrected". "f" is Iman and Davenport's (1980) F = (N-1) chi2 / (N (k-1) - chi2), with k - 1 and
    (k-1)(N-1) degrees of freedom, which is less cautious. Without an answer for one data set.

    >>> round(friedman([[0.9, 0.8, 0.7], [0.8, 0.7, 0.9], [0.9, 0.6, 0.5]]).statistic, 3)
    2.0

    References: Friedman 1937; Demsar 2006, Journal of Machine Learning Research 7:1.
    """
    checked_choice("method", method, FriedmanMethod)
    checked_choice("ties", ties, Ties)
    refuse_sides(alternative, "Friedman's test")
    checked = checked_table(table)
    n, k = checked.scores.shape
    ranked = row_ranks(checked)
    ranks = ranked.mean(axis=0)
    made: dict[str, Any] = {
        "method": "Friedman" if method == "chi2" else "Friedman, Iman-Davenport F",
        "df": k - 1 if method == "chi2" else (k - 1, (k - 1) * (n - 1)),
        "assumption": ASSUMPTION,
        "counts": {"data_sets": n, "models": k, "ranks": ranks.tolist(), "names": checked.names},
    }
    if n == 1:
        why = "one data set: no order of the models repeats itself"
        return Outcome(**made, statistic=None, p_value=None, why=why)
    off = float(((ranks - (k + 1) / 2) ** 2).sum())
    chi2 = 12 * n / (k * (k + 1)) * off
    if ties == "corrected" and off:
        chi2 /= 1 - sum(size**3 - size for size in _tie_sizes(ranked)) / (n * k * (k**2 - 1))
    return _chi2_outcome(chi2, made) if method == "chi2" else _f_outcome(chi2, ranked, made)


def _chi2_outcome(chi2: float, made: dict[str, Any]) -> Outcome:
    from scipy.special import chdtrc

    return Outcome(**made, statistic=chi2, p_value=float(chdtrc(made["df"], chi2)))


def _f_outcome(chi2: float, ranked: Floats, made: dict[str, Any]) -> Outcome:
    from scipy.special import fdtrc

    n, k = ranked.shape
    room = n * (k - 1) - chi2
    if room < 1e-9 * n * k:
        orders = math.factorial(k) // math.prod(math.factorial(size) for size in _tie_sizes(ranked[:1]))
        note = "every data set ranks the models alike, so F has no end; p is the chance of that"
        return Outcome(**made, statistic=None, p_value=math.exp((1 - n) * math.log(orders)), note=note)
    f = (n - 1) * chi2 / room
    return Outcome(**made, statistic=f, p_value=float(fdtrc(*made["df"], f)))


def nemenyi(table: Any, alpha: float = 0.05) -> Nemenyi:
    """Nemenyi's test of all pairs: how far apart mean ranks must be at least to tell two models apart.

    The critical difference is q * sqrt(k (k+1) / (6 N)), q being the quantile of the range of k normal values
    by sqrt(2) (Demsar 2006). p-values are from the same distribution, so they are at most alpha for exactly
    the pairs told apart.

    >>> found = nemenyi([[3, 2, 1]] * 8)
    >>> round(found.critical_difference, 3), found.groups
    (1.172, ((0, 1), (1, 2)))
    """
    alpha = float(checked_number("alpha", alpha))
    if not 0 < alpha < 1:
        hint = f"write {alpha / 100:g} for {alpha:g} %." if 1 < alpha < 100 else "0.05 is usual."
        raise OptionError(f"alpha must be strictly between 0 and 1, got {alpha:g}.", hint=hint)
    checked = checked_table(table)
    ranks, se = row_ranks(checked).mean(axis=0), _se(checked)
    q = range_quantile(alpha, checked.models) / math.sqrt(2)
    p_values = np.ones((checked.models, checked.models))
    for i, j in combinations(range(checked.models), 2):
        apart = abs(ranks[i] - ranks[j]) / se
        p_values[i, j] = p_values[j, i] = range_tail(apart * math.sqrt(2), checked.models)
    groups = tuple(tuple(_model(checked, at) for at in group) for group in _groups(ranks, q * se))
    return Nemenyi(
        q * se, tuple(ranks.tolist()), groups, q, p_values, checked.names, alpha, checked.data_sets
    )


def post_hoc(table: Any, control: Model | None = None) -> PostHoc:
    """z and p of every pair of models, or of a control and every other one, from their mean ranks.

    z = (Ri - Rj) / sqrt(k (k+1) / (6 N)) (Demsar 2006). The control is a name, or a position from 0.
    """
    from scipy.special import ndtr

    checked = checked_table(table)
    ranks, se = row_ranks(checked).mean(axis=0), _se(checked)
    pairs: Iterable[tuple[int, int]] = combinations(range(checked.models), 2)
    if control is not None:
        at = _position(checked, control)
        pairs = [(at, other) for other in range(checked.models) if other != at]
    pairs = tuple(pairs)
    z = tuple(float((ranks[i] - ranks[j]) / se) for i, j in pairs)
    p_values = tuple(float(2 * ndtr(-abs(each))) for each in z)
    named = tuple((_model(checked, i), _model(checked, j)) for i, j in pairs)
    return PostHoc(named, z, p_values, se, tuple(ranks.tolist()), checked.names)


def row_ranks(table: Table) -> Floats:
    """Rank of every model on every data set; 1 is best, equal scores share their mean rank."""
    return np.array([average_ranks(-row) for row in table.scores])


def _se(table: Table) -> float:
    return math.sqrt(table.models * (table.models + 1) / (6 * table.data_sets))


def _tie_sizes(ranked: Floats) -> list[int]:
    return [int(size) for row in ranked for size in np.unique(row, return_counts=True)[1]]


def _groups(ranks: Floats, critical: float) -> list[list[int]]:
    """Runs of models by rank whose ends are nearer than the critical difference, none within another."""
    order = np.argsort(ranks, kind="stable")
    found: list[list[int]] = []
    reached = 0
    for start in range(len(order)):
        end = start + int(np.sum(ranks[order[start:]] - ranks[order[start]] < critical))
        if end > reached and end - start > 1:
            found.append(order[start:end].tolist())
        reached = max(reached, end)
    return found


def _model(table: Table, at: int) -> Model:
    return at if table.names is None else table.names[at]


def _position(table: Table, control: object) -> int:
    if table.names is not None and control in table.names:
        return table.names.index(str(control))
    if (
        isinstance(control, int | np.integer)
        and not isinstance(control, bool)
        and 0 <= control < table.models
    ):
        return int(control)
    known = ", ".join(table.names) if table.names else f"positions 0 to {table.models - 1}"
    raise OptionError(f"control {control!r} is not a model of the table; there is {known}.")
