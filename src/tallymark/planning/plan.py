"""`plan`: three questions about the size of a test set."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tallymark.intervals import wilson_bounds
from tallymark.planning.notes import notes_on
from tallymark.planning.power import Models
from tallymark.planning.request import Request, checked_request
from tallymark.planning.result import Plan
from tallymark.planning.sampling import WORDS
from tallymark.planning.widths import chance_of_half_width, half_width, rows_for_half_width, textbook_rows

if TYPE_CHECKING:
    from tallymark.evaluation import Evaluation

FACTORS = (0.25, 0.5, 1, 2, 4)
"""Sizes in the table: four times the rows halve an interval."""
DISAGREEMENTS = (0.02, 0.05, 0.1, 0.2)


def plan(
    *,
    half_width: float | None = None,
    difference: float | None = None,
    rows: float | Evaluation | None = None,
    expected: float | None = None,
    metric: str = "accuracy",
    prevalence: float | None = None,
    predicted_positive_rate: float | None = None,
    power: float | None = None,
    paired: bool = False,
    disagreement: float | None = None,
    rows_per_group: float | None = None,
    icc: float | None = None,
    confidence_level: float = 0.95,
) -> Plan:
    """How many rows a test set needs, or what a given one can tell.

    `half_width` asks for the rows that make an interval that narrow; `difference` for the rows that find a
    model that much better (negative: worse) with the given `power`, 0.8 unless said; `rows`, a number or an
    evaluation, for the half width they give and the smallest difference they find, or, with `difference`,
    for its power. Without `expected` the worst case is planned for: values around 0.5. `disagreement` is
    the share of rows that exactly one of two models on the same rows gets right; it implies `paired`.

    >>> plan(half_width=0.01, expected=0.8).n
    6145
    >>> plan(difference=0.02, expected=0.85, disagreement=0.1).n
    1960
    """
    request = checked_request(dict(locals()))
    answers = {"half_width": _for_half_width, "difference": _for_difference, "rows": _of_rows}
    return answers[request.question](request)


def _for_half_width(request: Request) -> Plan:
    sampling, at, wanted, level = request.sampling, request.at, request.half_width, request.level
    enough = rows_for_half_width(wanted, at, level)
    return _plan(
        request,
        sampling.rows_for(enough),
        ("half_width",),
        textbook_n=textbook_rows(wanted, at, level),
        chance=None if sampling.grouped else chance_of_half_width(wanted, enough, at, level),
        method="wilson",
    )


def _for_difference(request: Request) -> Plan:
    models, wanted = request.models, request.difference or 0.0
    n = request.sampling.rows_for(models.rows(wanted, request.power, request.level))
    return _plan(
        request,
        n,
        ("power", "difference") if wanted > 0 else ("power",),
        difference=wanted,
        power=models.power(request.sampling.effective(n), wanted, request.level),
        method=_test(models),
    )


def _of_rows(request: Request) -> Plan:
    models, n, asked = request.models, request.rows, request.difference
    columns = ("half_width", "power" if asked else "difference")
    by_disagreement = request.can_pair and models.disagreement is None and asked is None
    return _plan(
        request,
        n,
        (*columns, "other_rows") if models.paired and asked is None else columns,
        difference=asked or _column("difference", request, n),
        power=_column("power", request, n) if asked else request.power,
        method=f"wilson, {_test(models)}",
        same_rows=_same_rows(request) if by_disagreement else (),
    )


def _plan(request: Request, n: int, columns: tuple[str, ...], **answer: Any) -> Plan:
    """The answer with what it was asked for, the interval if it is about one, and the table."""
    sampling, models, difference = request.sampling, request.models, answer.get("difference")
    compared = request.question != "half_width"
    low, high = _interval(request, n) if "half_width" in columns else (None, None)
    made = Plan(
        question=request.question,
        metric=request.metric.name,
        n=n,
        counted=round(sampling.counted(n)),
        counts=WORDS[sampling.counts],
        groups=sampling.groups(n) if sampling.grouped else None,
        design_effect=sampling.design_effect,
        expected=request.expected,
        level=request.level,
        half_width=_column("half_width", request, n) if "half_width" in columns else None,
        low=low,
        high=high,
        values=None if difference is None else request.values(difference),
        paired=models.paired if compared else None,
        disagreement=models.disagreement_at(difference or 0.0) if models.paired else None,
        assumption=_assumption(request),
        table=_table(request, n, columns),
        **answer,
    )
    return replace(made, notes=notes_on(made, request))


def _interval(request: Request, n: int) -> tuple[float, float]:
    effective = request.sampling.effective(n)
    return wilson_bounds(effective * request.at, effective, request.level)


def _test(models: Models) -> str:
    return "mcnemar" if models.paired else "two_proportions"


def _assumption(request: Request) -> str:
    sampling = request.sampling
    if not sampling.grouped:
        return "independent rows"
    return f"groups of {sampling.rows_per_group:g} rows that correlate by {sampling.icc:g}"


def _table(request: Request, n: int, columns: tuple[str, ...]) -> tuple[dict[str, float | None], ...]:
    sizes = sorted({max(1, round(n * factor)) for factor in FACTORS})
    return tuple({"n": size} | {name: _column(name, request, size) for name in columns} for size in sizes)


def _column(name: str, request: Request, n: int) -> float | None:
    """One number that n rows give."""
    effective, level, models = request.sampling.effective(n), request.level, request.models
    if name == "half_width":
        return half_width(effective, request.at, level)
    if name == "power":
        return models.power(effective, request.difference or 0.0, level)
    chosen = models.on_other_rows() if name == "other_rows" else models
    return chosen.smallest_difference(effective, request.power, level)


def _same_rows(request: Request) -> tuple[dict[str, float | None], ...]:
    """The smallest difference for models that disagree seldom or often."""
    effective, most = request.sampling.effective(request.rows), request.models.most_disagreement(0.0)
    found = {
        apart: request.models.on_same_rows(apart).smallest_difference(effective, request.power, request.level)
        for apart in DISAGREEMENTS
        if apart < most - 1e-9
    }
    return tuple({"disagreement": apart, "difference": smallest} for apart, smallest in found.items())
