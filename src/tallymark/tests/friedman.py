"""Tests of several models over many data sets: Friedman, Nemenyi, and pairs of mean ranks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from tallymark.errors import OptionError, precise
from tallymark.intervals.checks import checked_number
from tallymark.tests.data_sets import average_ranks
from tallymark.tests.outcome import Alternative, Outcome, refuse_sides
from tallymark.tests.scores import Floats, Table, checked_choice, checked_table, without_noise
from tallymark.tests.studentized import range_quantile, range_tail

FriedmanMethod = Literal["chi2", "f"]
Ties = Literal["corrected", "uncorrected"]
Model = int | str

ASSUMPTION = "independent data sets"
_ONE = "one data set: no order of the models repeats itself"
_EACH = "every pair has its own, in p_values"


@dataclass(frozen=True, eq=False)
class Nemenyi:
    """Which models differ: mean ranks that are a critical difference or more apart."""

    statistic: float
    """The largest difference of mean ranks, as a studentized range."""
    p_value: float
    """Of that difference, the smallest of `p_values`."""
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
    df: None = None
    """The range is of normal values, whose variance is known."""
    alternative: Alternative = "two-sided"
    assumption: str = ASSUMPTION
    note: str | None = None

    @property
    def counts(self) -> dict[str, int]:
        """What it was worked out from."""
        return {"data_sets": self.data_sets, "models": len(self.ranks)}

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        form: dict[str, Any] = {
            "method": self.method,
            "statistic": self.statistic,
            "p_value": self.p_value,
            "df": self.df,
            "alternative": self.alternative,
            "critical_difference": self.critical_difference,
            "q": self.q,
            "alpha": self.alpha,
            "ranks": list(self.ranks),
            "names": None if self.names is None else list(self.names),
            "groups": [list(group) for group in self.groups],
            "p_values": self.p_values.tolist(),
            "data_sets": self.data_sets,
            "counts": self.counts,
            "assumption": self.assumption,
        }
        return form | ({"note": self.note} if self.note else {})


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
    data_sets: int
    method: str = "mean ranks, z"
    statistic: None = None
    """None for all pairs together, as `why` says; so is `p_value`."""
    p_value: None = None
    df: None = None
    alternative: Alternative = "two-sided"
    assumption: str = ASSUMPTION
    why: str = _EACH
    note: str | None = None

    @property
    def counts(self) -> dict[str, int]:
        """What it was worked out from."""
        return {"data_sets": self.data_sets, "models": len(self.ranks)}

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        form: dict[str, Any] = {
            "method": self.method,
            "statistic": self.statistic,
            "p_value": self.p_value,
            "df": self.df,
            "alternative": self.alternative,
            "pairs": [list(pair) for pair in self.pairs],
            "z": list(self.z),
            "p_values": list(self.p_values),
            "se": self.se,
            "ranks": list(self.ranks),
            "names": None if self.names is None else list(self.names),
            "counts": self.counts,
            "assumption": self.assumption,
            "why": self.why,
        }
        return form | ({"note": self.note} if self.note else {})


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
        return Outcome(**made, statistic=None, p_value=None, why=_ONE)
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


def nemenyi(table: Any, alpha: float = 0.05, *, alternative: Alternative = "two-sided") -> Nemenyi:
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
        raise OptionError(f"alpha must be strictly between 0 and 1, got {precise(alpha, 0, 1)}.", hint=hint)
    refuse_sides(alternative, "Nemenyi's test")
    checked = checked_table(table)
    ranks, se = row_ranks(checked).mean(axis=0), _se(checked)
    q = range_quantile(alpha, checked.models) / math.sqrt(2)
    p_values = np.ones((checked.models, checked.models))
    for i, j in combinations(range(checked.models), 2):
        apart = abs(ranks[i] - ranks[j]) / se
        p_values[i, j] = p_values[j, i] = range_tail(apart * math.sqrt(2), checked.models)
    groups = tuple(tuple(_model(checked, at) for at in group) for group in _groups(ranks, q * se))
    return Nemenyi(
        statistic=float(np.ptp(ranks)) / se * math.sqrt(2),
        p_value=float(p_values.min()),
        critical_difference=q * se,
        ranks=tuple(ranks.tolist()),
        groups=groups,
        q=q,
        p_values=p_values,
        names=checked.names,
        alpha=alpha,
        data_sets=checked.data_sets,
        note=_ONE if checked.data_sets == 1 else None,
    )


def post_hoc(table: Any, control: Model | None = None, *, alternative: Alternative = "two-sided") -> PostHoc:
    """z and p of every pair of models, or of a control and every other one, from their mean ranks.

    z = (Ri - Rj) / sqrt(k (k+1) / (6 N)) (Demsar 2006). The control is a name, or a position from 0.
    """
    from scipy.special import ndtr

    refuse_sides(alternative, "the test of mean ranks")
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
    note = _ONE if checked.data_sets == 1 else None
    return PostHoc(named, z, p_values, se, tuple(ranks.tolist()), checked.names, checked.data_sets, note=note)


def row_ranks(table: Table) -> Floats:
    """Rank of every model on every data set; 1 is best, equal scores share their mean rank."""
    # Rounded row by row: data sets may be of very different sizes, and only one's own scores are compared.
    return np.array([average_ranks(-without_noise(row, float(np.abs(row).max()))) for row in table.scores])


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
    whole = isinstance(control, int | np.integer) and not isinstance(control, bool)
    name = str(control) if whole else control
    if table.names is not None and name in table.names:
        return table.names.index(str(name))
    if isinstance(control, int | np.integer) and whole and 0 <= control < table.models:
        return int(control)
    known = f"are {', '.join(table.names)}" if table.names else f"have positions 0 to {table.models - 1}"
    raise OptionError(f"control {control!r} is not a model of the table; the models {known}.")
