"""What so much data could have found, and how much it takes to find what was seen."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from tallymark.comparison.difference import Difference
from tallymark.comparison.question import POWER
from tallymark.comparison.score_tables.checks import range_of
from tallymark.drawing import Column, Paragraph, Section, Table, count, number
from tallymark.drawing import name as visible
from tallymark.intervals import z_quantile
from tallymark.planning.power import Models

TOO_FEW = "no difference is large enough"


@dataclass(frozen=True)
class Reach:
    """Of one difference: the smallest one that is found in so many cases, and the rows for the one seen."""

    metric: str
    a: str
    b: str
    smallest: float | None
    """None when it cannot be said, or when no difference is large enough."""
    rows: float | None
    """Rows (in each of two test sets, if they are not the same) to find a difference as large as was seen."""
    n: float = 0
    """Rows there are."""
    power: float = POWER
    why: str | None = None
    """Why there is no smallest difference, where that is known."""

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        form = {
            "metric": self.metric,
            "a": self.a,
            "b": self.b,
            "smallest_difference": self.smallest,
            "rows_needed": None if self.rows is None else int(self.rows) if self.rows < 1e15 else self.rows,
            "power": self.power,
        }
        return form if self.why is None else {**form, "why": self.why}

    def sentence(self, what: str = "rows") -> str:
        """In words."""
        said = []
        one = re.sub(r"s\b", "", what, count=1)
        there = f"{count(self.n)} {one if self.n == 1 else what}"
        cases = f"{self.power * 100:.10g} % of cases"
        if self.why is not None:
            said.append(f"With {there} {self.why} to be found in {cases}.")
        elif self.smallest is not None:
            size = number(self.smallest)
            said.append(f"With {there} a difference is found in {cases} when it is {size} or more.")
        if self.rows is not None and self.rows > self.n:
            needed = f"{count(self.rows)} {what}"
            said.append(f"For that, a difference as large as the one seen takes about {needed}.")
        return " ".join(said)


def of_models(difference: Difference, models: Models, n: float, level: float) -> Reach:
    """Of a difference in accuracy, by the formulas of `tallymark plan`."""
    smallest = models.smallest_difference(n, POWER, level)
    if smallest is None:
        # No model that disagrees so often with another can be so much better: the width has to do.
        return of_interval(difference, n, level)
    value = abs(difference.value or 0.0)
    rows = None
    if 0 < value <= models.most_disagreement(value) and value <= models.disagreement_at(value):
        rows = models.rows(value, POWER, level)
        # However one-sided they are, fewer disagreements than this leave an exact p-value above 1 - level.
        rows = max(rows, math.ceil(math.log2(2 / (1 - level))) / models.disagreement_at(value))
    return within_range(difference, smallest, rows, n)


def of_interval(difference: Difference, n: float, level: float) -> Reach:
    """Of any number, from how wide its interval is: the width shrinks with the root of the rows."""
    low, high, value = difference.low, difference.high, difference.value
    if low is None or high is None or value is None or high <= low:
        return Reach(difference.metric, difference.a, difference.b, None, None, n)
    deviation = (high - low) / 2 / z_quantile(difference.level)
    smallest = (z_quantile(level) + NormalDist().inv_cdf(POWER)) * deviation
    return within_range(difference, smallest, n * (smallest / value) ** 2 if value else None, n)


def within_range(difference: Difference, smallest: float, rows: float | None, n: float) -> Reach:
    """With the smallest difference only if the number can differ that much at all."""
    least, largest = range_of(difference.metric)
    needed = None if rows is None else _rounded(rows)
    if smallest > largest - least:
        return Reach(difference.metric, difference.a, difference.b, None, needed, n, why=TOO_FEW)
    return Reach(difference.metric, difference.a, difference.b, smallest, needed, n)


def _rounded(rows: float) -> float:
    """Upwards, to two figures: more would be a promise."""
    if rows <= 100:
        return float(math.ceil(rows))
    unit = 10 ** (math.floor(math.log10(rows)) - 1)
    return float(math.ceil(rows / unit) * unit)


def reach_sections(found: Sequence[Reach], what: str, *, told: bool) -> list[Section]:
    """What so many rows could have found, pair by pair; `told` says that the verdict has it already."""
    known = [each for each in found if each.smallest is not None or each.why is not None]
    if not known or told:
        return []
    if len(found) == 1:
        return [Section("What these rows can find", (Paragraph(found[0].sentence(what)),))]
    heads = (
        *(Column("a", "left"), Column("b", "left"), Column("rows")),
        *(Column("smallest difference"), Column("rows for the one seen")),
    )
    rows = tuple(
        (
            *(visible(each.a), visible(each.b), count(each.n)),
            number(each.smallest) if each.why is None else "none",
            "-" if each.rows is None else count(each.rows),
        )
        for each in known
    )
    said = (
        f"Found in {POWER * 100:.10g} % of cases, in {known[0].metric}; each pair by itself, without the "
        f"adjustment for their number.{'' if what == 'rows' else f' Counted are {what}.'}"
    )
    return [Section("What these rows can find", (Table(heads, rows), Paragraph(said)))]
