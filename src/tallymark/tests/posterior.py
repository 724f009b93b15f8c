"""`Posterior`: how probable it is that one model is worse, as good, or better, in practice."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tallymark.tests.outcome import Alternative
from tallymark.tests.scores import Floats

_POINTS = 401
_PROBABILITIES = "a Bayesian test has the probabilities worse, equivalent and better instead"


@dataclass(frozen=True)
class Student:
    """Student's distribution moved to `mean` and widened by `scale`."""

    mean: float
    scale: float
    freedom: float

    def below(self, x: float) -> float:
        from scipy.special import stdtr

        return float(stdtr(self.freedom, (x - self.mean) / self.scale))

    def quantile(self, share: float) -> float:
        from scipy.special import stdtrit

        return self.mean + self.scale * float(stdtrit(self.freedom, share))

    def density(self, x: Floats) -> Floats:
        from scipy.special import gammaln

        half = (self.freedom + 1) / 2
        log_top = float(gammaln(half) - gammaln(self.freedom / 2)) - math.log(self.freedom * math.pi) / 2
        z = (x - self.mean) / self.scale
        return np.asarray(np.exp(log_top - half * np.log1p(z * z / self.freedom)) / self.scale)


@dataclass(frozen=True)
class Drawn:
    """A distribution known by draws from it."""

    values: Floats

    def density(self, x: Floats) -> Floats:
        """Smoothed by a normal kernel as wide as Silverman's rule says."""
        spread = min(
            float(self.values.std()), float(np.subtract(*np.percentile(self.values, [75, 25]))) / 1.34
        )
        width = 0.9 * (spread or float(self.values.std())) * len(self.values) ** -0.2
        # Counted into narrow cells first: the draws are many and the kernel is wide.
        edges = np.linspace(self.values.min(), self.values.max(), 513)
        counts, _ = np.histogram(self.values, edges)
        off = (np.asarray(x)[:, None] - (edges[1:] + edges[:-1]) / 2) / width
        return np.asarray(np.exp(-off * off / 2) @ counts / (counts.sum() * width * math.sqrt(2 * math.pi)))


@dataclass(frozen=True, eq=False)
class Posterior:
    """Probabilities that a is worse than b, equivalent to it (within the rope), or better."""

    method: str
    worse: float
    equivalent: float
    better: float
    rope: float
    """Differences up to this far from 0 count as equivalent."""
    mean: float
    """Of the difference a - b."""
    low: float
    high: float
    """Of the credible interval of the difference, with equal tails."""
    level: float
    assumption: str
    counts: Mapping[str, Any] = field(default_factory=dict)
    note: str | None = None
    statistic: None = None
    p_value: None = None
    df: float | None = None
    """Of Student's distribution, where the difference has it."""
    alternative: Alternative = "two-sided"
    why: str = _PROBABILITIES
    """Why there is no p-value."""
    shape: Student | Drawn | None = field(default=None, repr=False)
    """The distribution of the difference; None when all of it is at one point."""
    draws: Floats | None = field(default=None, repr=False)
    """Of the signed-rank test: weights of the regions worse, equivalent and better, a row per draw."""

    def density(self, x: Any) -> Floats:
        """The density of the difference at every x; nan when all of it is at one point."""
        at = np.atleast_1d(np.asarray(x, np.float64))
        return np.full(len(at), np.nan) if self.shape is None else self.shape.density(at)

    def curve(self) -> tuple[Floats, Floats] | None:
        """The density for a picture: differences, the rope among them, and how dense they are."""
        if self.shape is None:
            return None
        if isinstance(self.shape, Student):
            ends = self.shape.quantile(0.001), self.shape.quantile(0.999)
        else:
            ends = float(self.shape.values.min()), float(self.shape.values.max())
        room = 0.1 * (ends[1] - ends[0])
        x = np.linspace(min(ends[0] - room, -1.5 * self.rope), max(ends[1] + room, 1.5 * self.rope), _POINTS)
        return x, self.density(x)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        form: dict[str, Any] = {
            "method": self.method,
            "statistic": self.statistic,
            "p_value": self.p_value,
            "df": self.df,
            "alternative": self.alternative,
            "worse": self.worse,
            "equivalent": self.equivalent,
            "better": self.better,
            "rope": self.rope,
            "mean": self.mean,
            "low": self.low,
            "high": self.high,
            "level": self.level,
            "assumption": self.assumption,
            "counts": dict(self.counts),
            "why": self.why,
        }
        return form | ({"note": self.note} if self.note else {})

    def __str__(self) -> str:
        from tallymark.drawing import number

        chances = (("worse", self.worse), ("equivalent", self.equivalent), ("better", self.better))
        said = ", ".join(f"P({name}) = {number(chance)}" for name, chance in chances)
        return f"{self.method}: {said} (rope {number(self.rope)})"
