"""Every class against the rest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.drawing import Block, Column, Folded, Picture, Table, count, number
from tallymark.drawing import name as visible
from tallymark.evaluation.description import averages_table
from tallymark.evaluation.report.models import parted, shortened, with_interval
from tallymark.inference import ClassRanking
from tallymark.metrics import AVERAGES, METRICS

if TYPE_CHECKING:
    from tallymark.curves import OneVsRest
    from tallymark.evaluation.report.models import Models
    from tallymark.evaluation.result import Evaluation
    from tallymark.inference import AnySample

_NAMES = ("precision", "recall", "f1")
_MOST_IN_ORDER = 30
"""More classes are sorted, the worst first."""
_MOST_AT_ONCE = 10
"""Rows of a table that are seen without looking for one."""
_MOST_RANKED = 100
"""With more classes the areas have no intervals and there is no picture of their curves."""
_MOST_JOINT = 12
"""Classes that several models are shown side by side of."""


def classes(models: Models) -> Iterator[Block]:
    """One-vs-rest curves, the table of the classes, their averages, and those taken for each other."""
    known = {name: ev for name, ev in models.items() if ev.counted is not None or _ranked(ev)}
    for name, ev in known.items():
        if _ranked(ev) and 2 < len(ev.labels) <= _MOST_RANKED:
            yield _one_vs_rest(ev, name)
    alike = len({ev.labels for ev in known.values()}) == 1 and len(known) > 1
    if alike and all(ev.counted is not None and len(ev.labels) <= _MOST_JOINT for ev in known.values()):
        yield _joint_table(known)
        yield Folded(_averages_title(next(iter(known.values()))), (_joint_averages(known),))
        return
    yield from parted({name: tuple(_tables(ev)) for name, ev in known.items()})


def _ranked(ev: Evaluation) -> bool:
    """Whether every class has a score of its own."""
    return ev.ranked is not None and (ev.ranked.about is None or len(ev.labels) == 2)


def _one_vs_rest(ev: Evaluation, name: str) -> Picture:
    curves: OneVsRest = ev.one_vs_rest
    mean = ev["auc_ovr_macro"]
    said = " ".join((f"Mean AUC of the classes {with_interval(mean)}.", *curves.sentences()))
    title = f"{name}: every class against the rest" if name else "Every class against the rest"
    return Picture(title, curves.figure(), said)


def _joint_table(models: Models) -> Table:
    """Every number of every class, a column for each model."""
    first = next(iter(models.values()))
    names = (*_NAMES, *(("auc",) if all(_ranked(ev) for ev in models.values()) else ()))
    rows: list[tuple[str, ...]] = []
    rules: list[int] = []
    for label in first.labels:
        rules += [len(rows)] if rows else []
        for place, name in enumerate(names):
            begin = ("", "") if place else (visible(str(label)), count(first.per_class[label].support))
            values = (with_interval(ev.per_class[label][name]) for ev in models.values())
            rows.append((*begin, name, *values))
    named = "class" if first.sets is None else "label"
    heads = Column(named, "left"), Column("weight" if _weighted(first) else "rows"), Column("", "left")
    return Table((*heads, *(Column(visible(name)) for name in models)), tuple(rows), "", tuple(rules))


def _averages_title(ev: Evaluation) -> str:
    return f"Averages over the {'classes' if ev.sets is None else 'labels'}"


def _joint_averages(models: Models) -> Table:
    rows = [
        (f"{name} {average}", *(with_interval(ev.averages[average][name]) for ev in models.values()))
        for average in AVERAGES
        for name in _NAMES
    ]
    return Table((Column("", "left"), *(Column(visible(name)) for name in models)), tuple(rows))


def _tables(ev: Evaluation) -> Iterator[Block]:
    if ev.counted is None:
        return
    yield _table(ev, ev.counted)
    yield Folded(_averages_title(ev), tuple(averages_table(ev)))
    if ev.confusion is not None and len(ev.labels) > 2:
        pairs = ev.confused_pairs().document().sections[0]
        first, *others = pairs.blocks
        yield first
        if others:
            yield Folded(pairs.title, shortened(others))


def _table(ev: Evaluation, counted: AnySample) -> Table:
    """Precision, recall and F1 with their intervals, and the area of each class."""
    order: list[int] = list(range(len(ev.labels)))
    title = ""
    if len(order) > _MOST_IN_ORDER:
        values = np.asarray(METRICS["f1"](counted.each), float)
        order = np.argsort(np.where(np.isfinite(values), values, np.inf), kind="stable").tolist()
        title = "The lowest F1 first"
    drawn = counted.groups is not None and len(order) > _MOST_RANKED
    if drawn:
        title += "; intervals, which take groups to be drawn for every class, are left out"
    areas = _areas(ev)
    rows = []
    for place in order:
        result = ev.per_class[ev.labels[place]]
        found = [result[name] for name in _NAMES]
        cells = [number(each.value) if drawn else with_interval(each) for each in found]
        area = () if areas is None else (areas[place],)
        rows.append((visible(str(result.label)), count(result.support), *cells, *area))
    named = "class" if ev.sets is None else "label"
    titles = (named, "weight" if _weighted(ev) else "rows", *_NAMES, *(() if areas is None else ("auc",)))
    columns = tuple(Column(each, "right" if at else "left") for at, each in enumerate(titles))
    return Table(columns, tuple(rows), title, searched=len(rows) > _MOST_AT_ONCE)


def _weighted(ev: Evaluation) -> bool:
    tally: Any = ev.confusion if ev.sets is None else ev.sets.tally
    return tally is not None and tally.squares is not None


def _areas(ev: Evaluation) -> list[str] | None:
    """The area of every class, of few classes with its interval; None where classes have no scores."""
    if not _ranked(ev) or ev.ranked is None:
        return None
    if len(ev.labels) <= _MOST_RANKED:
        return [with_interval(ev.per_class[label]["auc"]) for label in ev.labels]
    found = ev.ranked.all_classes
    if not isinstance(found, ClassRanking):
        return None
    return [number(None if np.isnan(area) else area) for area in found.ranks.one_vs_rest.tolist()]
