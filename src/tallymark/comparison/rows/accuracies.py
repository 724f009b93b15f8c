"""Models of which only an accuracy and a number of rows are known: each on rows of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.comparison.difference import Difference
from tallymark.comparison.families import adjusted
from tallymark.comparison.idle import idle_of_others
from tallymark.comparison.margins import fitting
from tallymark.comparison.question import Question
from tallymark.comparison.reach import Reach, of_interval, reach_sections
from tallymark.comparison.result import Comparison, Model
from tallymark.comparison.rows.assembly import shared_figures
from tallymark.comparison.rows.other_rows import APART, SMALLER, method_sections, methods, of_shares
from tallymark.comparison.verdict import judge, tells_reach
from tallymark.errors import OptionError
from tallymark.inference import Estimate
from tallymark.intervals.proportions import wilson_bounds
from tallymark.tallies.labels import quoted
from tallymark.tests.outcome import Outcome, rejects

if TYPE_CHECKING:
    from tallymark.drawing import Section
    from tallymark.drawing.figure import Figure

MOST_ROWS = 1e15
"""Larger whole numbers are not told apart by floating-point arithmetic."""
TOO_SURE = "Wald's interval, the sources', says otherwise, but is not to be trusted with so few rows"
AS_GIVEN = "accuracies are taken as given, not rounded to whole numbers of rows."


def are_figures(models: Mapping[str, Any]) -> bool:
    """Whether every model is a pair: a share and a number of rows."""
    return all(
        isinstance(each, tuple)
        and len(each) == 2
        and all(isinstance(part, int | float | np.number) and not isinstance(part, bool) for part in each)
        for each in models.values()
    )


def compare_figures(models: Mapping[str, tuple[float, float]], question: Question) -> Comparison:
    """Accuracies and the numbers of rows they were measured on."""
    if len(models) < 2:
        raise OptionError(f"a comparison takes two models or more; got {len(models)}.")
    if question.metric not in (None, "accuracy") or question.metrics:
        raise OptionError("from accuracies alone only accuracy can be compared.")
    values = {name: _estimate(name, *each, question.level) for name, each in models.items()}
    margin = fitting(question.margin, "accuracy")
    pairs = list(combinations(values, 2))
    differences = tuple(adjusted([_difference(a, b, values, question) for a, b in pairs], question.adjust))
    detail = FiguresGiven(values, question, differences)
    verdict = judge(
        differences,
        {name: each.value for name, each in values.items()},
        level=question.level,
        margin=margin,
        reach=detail.reach[0].sentence(SMALLER) if len(pairs) == 1 else "",
    )
    return Comparison(
        design="other rows",
        models=tuple(Model(name, each.n, {"accuracy": each}) for name, each in values.items()),
        metric="accuracy",
        differences=differences,
        verdict=verdict.text,
        winner=verdict.winner,
        assumption=APART,
        counted="rows",
        outcomes=(),
        detail=detail,
        notes=(AS_GIVEN, *_without_width(values), *idle_of_others(question)),
        margin=margin,
    )


def _estimate(name: str, share: float, n: float, level: float) -> Estimate:
    if not 0 <= share <= 1:
        raise OptionError(
            f"an accuracy lies between 0 and 1; {quoted(name)} has {share!r}.",
            hint=_hint(share, n),
        )
    if not 1 <= n <= MOST_ROWS or n != round(n):
        raise OptionError(f"the number of rows is a whole number from 1 to 1e15; {quoted(name)} has {n!r}.")
    rows = int(n)
    return Estimate(
        float(share), level, "wilson", rows, ends_at=lambda level: wilson_bounds(share * rows, rows, level)
    )


def _hint(share: float, n: float) -> str | None:
    if not 1 < share <= 100:
        return None
    of_rows = f"; {share:g} right of {n:g} rows as ({share:g} / {n:g}, {n:g})" if share <= n else ""
    return f"{share:g} % is written as {share / 100:g}{of_rows}."


def _without_width(values: Mapping[str, Estimate]) -> tuple[str, ...]:
    """What must be said of Wald's interval where two shares have no variance."""
    if sum(each.value in (0, 1) for each in values.values()) < 2:
        return ()
    return (
        "of two accuracies that are 0 or 1 the Wald interval has no width, as if they were certain; the "
        "other methods know how many rows they come from.",
    )


def _difference(a: str, b: str, values: Mapping[str, Estimate], question: Question) -> Difference:
    # The sources' interval, because these are the sources' figures; the others stand beside it. With few
    # rows, or shares near 0 and 1, it is too sure: 30 of 30 right has no variance in it. So where Newcombe's
    # says otherwise, that one decides.
    careful = of_shares(values[a], values[b], "newcombe", question)
    plain = of_shares(values[a], values[b], question.method or "wald", question)
    decided = [rejects(outcome.p_value, question.level) for _, outcome in (careful, plain)]
    of_none = {values[a].value, values[b].value} <= {0, 1}
    agreed = question.method is not None or (decided[0] == decided[1] and not of_none)
    estimate, tested = plain if agreed else careful
    if not agreed and not of_none:
        estimate = replace(estimate, remark=TOO_SURE)
    return Difference("accuracy", a, b, estimate, False, "higher", lambda: tested)


@dataclass(frozen=True, eq=False)
class FiguresGiven:
    """What only bare figures have: the difference by every method."""

    values: Mapping[str, Estimate]
    question: Question
    differences: tuple[Difference, ...]

    @cached_property
    def reach(self) -> tuple[Reach, ...]:
        def rows(each: Difference) -> float:
            return min(self.values[name].n or 0 for name in (each.a, each.b))

        level = self.question.tail_level
        return tuple(of_interval(each, rows(each), level) for each in self.differences)

    @cached_property
    def _by_method(self) -> list[Outcome]:
        if len(self.values) > 2:
            return []
        one, two = self.values.values()
        return methods(one, two, self.question)

    def sections(self) -> Sequence[Section]:
        told = tells_reach(self.differences, self.question.level)
        return [*method_sections(self._by_method), *reach_sections(self.reach, SMALLER, told=told)]

    def form(self) -> Mapping[str, Any]:
        return {
            "reach": [each.to_dict() for each in self.reach],
            "methods": [each.to_dict() for each in self._by_method],
        }

    def figures(self) -> Mapping[str, Callable[[], Figure]]:
        return shared_figures(self.differences, self.question, None)
