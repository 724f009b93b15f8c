"""Better, worse, or as good in practice: posterior probabilities in words and pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from tallymark.comparison import figures as pictures
from tallymark.drawing import Column, Paragraph, Section, Table, count, number, percent
from tallymark.drawing import name as visible
from tallymark.tallies.labels import quoted

if TYPE_CHECKING:
    from tallymark.comparison.difference import Better
    from tallymark.drawing.figure import Figure
    from tallymark.tests.posterior import Posterior


def directed(posterior: Posterior, better: Better | None) -> Posterior:
    """The posterior of a - b, with `worse` and `better` as the number is: where lower is better, below 0."""
    if better != "lower":
        return posterior
    draws = None if posterior.draws is None else posterior.draws[:, ::-1]
    return replace(posterior, worse=posterior.better, better=posterior.worse, draws=draws)


def practice_sections(
    found: Sequence[tuple[str, str, Posterior | None]], metric: str, better: Better | None
) -> list[Section]:
    """Of every pair, how probable it is that the first is worse, equivalent and better."""
    known = [(a, b, each) for a, b, each in found if each is not None]
    if not known:
        return []
    first = known[0][2]
    rope = first.rope
    drawn = "" if first.draws is None else f", {count(len(first.draws))} draws"
    words = ("lower", "higher") if better is None else ("worse", "better")
    chances = (f"a is {words[0]}", f"within {number(rope)}", f"a is {words[1]}")
    heads = (Column("a", "left"), Column("b", "left"), *map(Column, chances))
    rows = [
        (visible(a), visible(b), percent(each.worse), percent(each.equivalent), percent(each.better))
        for a, b, each in known
    ]
    said = (
        f"How probable each is when a difference in {metric} up to {number(rope)} is too small to matter "
        f"({first.method}{drawn}; assumed: {first.assumption})."
    )
    notes = [
        f"{quoted(a)} and {quoted(b)}: {each.note}."
        for a, b, each in known
        if each.note and each.shape is None
    ]
    return [Section("In practice", (Table(heads, tuple(rows)), *map(Paragraph, (said, *notes))))]


def practice_figures(
    posterior: Posterior | None, names: tuple[str, str], metric: str, better: Better | None
) -> dict[str, Callable[[], Figure]]:
    """The picture of one posterior; over data sets a triangle, whose draws the probabilities count."""
    if posterior is None:
        return {}
    if posterior.draws is not None:
        return {"posterior": partial(_simplex, posterior, names, metric)}
    return {"posterior": partial(_density, posterior, names, metric, better)}


def _density(posterior: Posterior, names: tuple[str, str], metric: str, better: Better | None) -> Figure:
    x, density = posterior.curve() or (np.array([posterior.mean]), np.zeros(1))
    a, b = names
    left, right = posterior.worse, posterior.better
    winners = a, b  # who is better on the right, and on the left
    if better == "lower":
        left, right, winners = right, left, (b, a)
    return pictures.posterior(
        x,
        density,
        posterior.rope,
        (left, posterior.equivalent, right),
        winners,
        x_label=f"{metric}: {a} less {b}",
        title=f"How probable a difference in {metric} is",
        note=_assumed(posterior),
    )


def _simplex(posterior: Posterior, names: tuple[str, str], metric: str) -> Figure:
    assert posterior.draws is not None
    return pictures.simplex(
        posterior.draws,
        posterior.rope,
        (posterior.worse, posterior.equivalent, posterior.better),
        names,
        title=f"Which region of {metric} is the most probable",
        note=_assumed(posterior),
    )


def _assumed(posterior: Posterior) -> str:
    return f"{posterior.method}. Assumed: {posterior.assumption}."
