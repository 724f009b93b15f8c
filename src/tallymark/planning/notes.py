"""What must be said with a plan: what it assumes, and what it does not promise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tallymark.drawing import count, number, percent
from tallymark.planning.sampling import SURE
from tallymark.planning.widths import half_width

if TYPE_CHECKING:
    from tallymark.planning.request import Request
    from tallymark.planning.result import Plan

FEW = 20
"""Fewer rows that tell two models apart make the power rough."""


def notes_on(plan: Plan, request: Request) -> tuple[str, ...]:
    """All that apply, in order of importance."""
    return (*_value(plan, request), *_models(plan, request), *_class(plan, request), *_groups(request))


def _value(plan: Plan, request: Request) -> Iterator[str]:
    if request.at == 0.5:
        worst = "0.5 is" if plan.expected is not None else "No value was expected, so this is"
        if plan.half_width is not None:
            yield f"{worst} the worst case: whatever value comes out, the interval is not wider."
        if plan.values is not None and plan.expected is None:
            yield "No value was expected, so the models are taken to be around 0.5, the worst case."
    elif plan.question == "half_width":
        widest = half_width(request.sampling.effective(plan.n), 0.5, plan.level)
        often = "" if plan.chance is None else f", as in {_often(plan.chance)} of samples"
        yield (
            f"The interval is that narrow when {plan.metric} comes out at {plan.expected:g} or further from "
            f"0.5{often}. In other samples it is wider, up to a half width of {number(widest, 4)}."
        )


def _models(plan: Plan, request: Request) -> Iterator[str]:
    if plan.paired is None:
        return
    alpha = f"two-sided at {1 - plan.level:.6g}"
    if plan.difference is None:
        yield _out_of_reach(request)
    if plan.paired:
        yield (
            f"Same rows: McNemar's test without continuity correction (Connor 1987), {alpha}. The mid-p form "
            "has about the same power; the corrected one can fall about 0.05 short."
        )
        if request.models.disagreement is None:
            yield (
                "How often the models disagree was not given, so their errors are taken to be independent: "
                f"they disagree on {percent(plan.disagreement)} of the rows. Models that err on the same "
                "rows disagree less, and smaller differences show: give --disagreement (disagreement=)."
            )
    else:
        yield (
            "Other rows: the test of two proportions without continuity correction (Fleiss, Levin & Paik "
            f"2003), {alpha}; each model has as many rows of its own."
        )
        if plan.question == "difference" and request.can_pair:
            yield (
                "Fewer are enough when both models answer the same rows: give --disagreement "
                "(disagreement=), the share of rows that exactly one of them gets right."
            )
    yield from _rough(plan, request)


def _out_of_reach(request: Request) -> str:
    models = request.models
    most = models.largest_difference
    reached = models.power(request.sampling.effective(request.rows), most, request.level)
    return (
        f"No improvement is found with power {request.power:g}: even the largest that is possible, "
        f"{most:.6g}, is found with power {number(reached, 2)} only."
    )


def _rough(plan: Plan, request: Request) -> Iterator[str]:
    if plan.difference is None:
        return
    effective = request.sampling.effective(plan.n)
    if plan.paired:
        telling, what = effective * request.models.disagreement_at(plan.difference), "disagreements"
    else:
        telling = effective * request.models.most_disagreement(plan.difference)
        what = "right answers" if sum(request.models.shares(plan.difference)) < 1 else "errors"
        what += " of both models together"
    if telling < FEW:
        yield f"Only about {telling:.0f} {what} are to be expected, so few that the power is rough."


def _class(plan: Plan, request: Request) -> Iterator[str]:
    sampling = request.sampling
    if sampling.counts == "n" or plan.question == "rows":
        return
    if sampling.grouped:
        yield f"How many {plan.counts} there are varies from sample to sample; take some more rows."
        return
    wanted = plan.counted
    yield (
        f"How many {plan.counts} there are varies: {count(plan.n)} rows hold {count(wanted)} or more in "
        f"{_often(sampling.chance_of_counted(plan.n, wanted))} of samples, "
        f"{count(sampling.rows_to_be_sure(wanted))} rows in {SURE:.0%}."
    )


def _groups(request: Request) -> Iterator[str]:
    sampling = request.sampling
    if not sampling.grouped:
        return
    told = (
        f"Rows of one group are alike (icc {sampling.icc:g}), so {sampling.design_effect:.3g} of them tell "
        "as much as one independent row. Groups are taken to be of about the same size; unequal ones need "
        "more rows."
    )
    pure = " All rows of a group are taken to be of one class." if sampling.counts != "n" else ""
    yield told + pure


def _often(chance: float) -> str:
    return percent(chance, 0)
