"""Models' rows side by side: the same rows in the same order, read with the same labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import LabelError, OptionError
from tallymark.evaluation import Evaluation
from tallymark.inference import Sample
from tallymark.inference.paired_scores.ranked import RankedRows, ranked_rows
from tallymark.intake.costs import Costs, CostsGiven, read_costs
from tallymark.intake.encoded import Encoded
from tallymark.metrics import Asked
from tallymark.tallies import Confusion, Grouped, Label
from tallymark.tallies.confusion import moved
from tallymark.tallies.labels import quoted

if TYPE_CHECKING:
    from tallymark.evaluation.matching import Matched

NO_SCORES = "the models have no scores"


@dataclass(frozen=True, eq=False)
class Aligned:
    """Evaluations of the same rows, and the rows themselves where they have answers."""

    evs: Mapping[str, Evaluation]
    labels: tuple[Label, ...]
    position: int | None
    """Where the positive class stands among the labels."""
    encoded: Mapping[str, Encoded] | None
    """The answers; None when a model has only scores."""
    costs: Costs | None
    no_answers: str | None = None
    """Why there are none."""
    no_scores: str | None = None
    """Why scores are not compared."""

    @property
    def first(self) -> Evaluation:
        return next(iter(self.evs.values()))

    @property
    def grouped(self) -> bool:
        """Whether rows belong together."""
        ranked = self.first.ranked
        if ranked is not None and ranked.rows is not None:
            return ranked.rows.group is not None
        return self.first.sample is not None and self.first.sample.groups is not None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.evs)

    def ranked(self, position: int) -> Mapping[str, RankedRows]:
        """The rows in the order of every model's scores of one class: ranked once, whatever pair asks."""
        if position not in self._ranked:
            scored = [ev.ranked.rows for ev in self.evs.values() if ev.ranked is not None]
            columns = [each.of(position)[0] for each in scored if each is not None]
            rows = scored[0]
            assert rows is not None
            groups = None if rows.groups is None else (len(rows.groups[0]), rows.groups[1])
            made = ranked_rows(columns, rows.classes == position, rows.weight, rows.weight_kind, groups)
            self._ranked[position] = dict(zip(self.names, made, strict=True))
        return self._ranked[position]

    @cached_property
    def _ranked(self) -> dict[int, dict[str, RankedRows]]:
        return {}


def align(
    evs: Mapping[str, Evaluation], matched: Matched, costs: CostsGiven | None, level: float, seed: int
) -> Aligned:
    """The rows that all models answered, each in the order of the first."""
    table = costs_of(evs, matched.labels, costs)
    no_answers = why_no_answers(evs)
    made = {name: aligned(ev, name, matched, table, level, seed) for name, ev in evs.items()}
    answers = {name: each.encoded for name, each in made.items() if isinstance(each.encoded, Encoded)}
    first = next(iter(made.values()))
    return Aligned(
        made,
        matched.labels,
        first.position,
        None if no_answers else answers,
        table,
        no_answers,
        why_no_scores(evs, made),
    )


def notes_of(evs: Mapping[str, Evaluation]) -> Iterator[str]:
    """The notes of all evaluations; one that is not about every model says about which it is."""
    for name, ev in evs.items():
        for note in ev.notes:
            shared = all(note in other.notes for other in evs.values())
            yield note if shared else f"{quoted(name)}: {note}"


def why_no_answers(evs: Mapping[str, Evaluation]) -> str | None:
    """Why answers are not compared; None where all models have them."""
    lacking = next((name for name, ev in evs.items() if ev.sample is None), None)
    return None if lacking is None else f"{quoted(lacking)} has no answers: {evs[lacking].why_not}"


def why_no_scores(evs: Mapping[str, Evaluation], made: Mapping[str, Evaluation]) -> str | None:
    """Why scores are not compared; None where they are. `made` are the same under the labels of all."""
    without = [name for name, ev in evs.items() if ev.ranked is None]
    if without:
        return NO_SCORES if len(without) == len(evs) else f"{quoted(without[0])} has no scores"
    if any(each.ranked is None for each in made.values()):
        return "the scores of the models are about other sets of labels"
    about = {each.ranked.about for each in made.values() if each.ranked is not None}
    return "one model has one score and another a probability per class" if len(about) > 1 else None


def costs_of(
    evs: Mapping[str, Evaluation], labels: tuple[Label, ...], costs: CostsGiven | None
) -> Costs | None:
    """The costs given, or those that all models were evaluated with."""
    if costs is not None:
        stated = all(ev.order_stated and ev.labels == labels for ev in evs.values())
        return read_costs(costs, labels=labels, order_stated=stated)
    found = {name: ev.costs for name, ev in evs.items() if ev.costs is not None}
    if not found:
        return None
    if len(found) < len(evs) or len(set(found.values())) > 1:
        raise OptionError(
            "the models were evaluated with different costs, or some of them without.",
            hint="give the costs here: costs= (--costs).",
        )
    known = next(iter(found.values()))
    if known.labels != labels:
        raise LabelError(f"the costs are about {list(known.labels)!r}, and the labels are {list(labels)!r}.")
    return known


def refuse_unlike(evs: Mapping[str, Evaluation], asked: Sequence[Asked]) -> None:
    """Numbers that are worked out by other rules differ by these, too."""
    if any(each.metric.name == "log_loss" for each in asked):
        _refuse("clip", {name: ev.ranked.clip or None for name, ev in evs.items() if ev.ranked is not None})
    if any(each.average or each.metric.name == "balanced_accuracy" for each in asked):
        samples = {name: ev.sample for name, ev in evs.items() if ev.sample is not None}
        _refuse("undefined", {name: sample.undefined_as for name, sample in samples.items()})


def _refuse(option: str, given: Mapping[str, float | None]) -> None:
    for name, value in given.items():
        first, other = next(iter(given.items()))
        if value != other:
            raise OptionError(
                f"{quoted(first)} was evaluated with {option}={other!r} and {quoted(name)} with "
                f"{option}={value!r}, so their numbers are not of the same kind.",
                hint=f"evaluate all models with the same {option}=, or without it.",
            )


def aligned(
    ev: Evaluation, name: str, matched: Matched, costs: Costs | None, level: float, seed: int
) -> Evaluation:
    """The evaluation of the rows in the common order, with the labels of all models and those costs."""
    labels, order = matched.labels, matched.order[name]
    alike = (ev.labels, ev.positive, ev.costs) == (labels, matched.positive, costs)
    if order is None and alike and ev.level == level and ev.seed == seed and not ev.sliced:
        return ev
    ranked: Any = ev.ranked
    if ranked is not None and ranked.labels != labels:
        ranked = None
    elif ranked is not None and order is not None:
        ranked = ranked.at(order)
    rows, places = ev.encoded, matched.places[name]
    kept = None
    if isinstance(rows, Encoded):
        kept = _relabelled(rows if order is None else rows.at(order), labels, places)
    sample = ev.sample
    if sample is not None:
        if order is None or kept is None:
            confusion, groups = _renamed(sample, labels, places)
        else:
            confusion = kept.tally(declared=sample.confusion.declared, dropped=ev.dropped)
            groups = None if kept.group is None else kept.grouped(confusion)
        matrix = None if costs is None else np.array(costs.matrix, float)
        sample = Sample(confusion, level, seed, matrix, sample.undefined_as, groups=groups)
    rows_left = ev.rows
    if order is not None:
        rows_left = len(order) if sample is None else sample.rows
    return replace(
        ev,
        sample=sample,
        labels=labels,
        positive=matched.positive,
        rows=rows_left,
        costs=costs,
        seed=seed,
        ranked=ranked,
        sliced=(),
        own={},
        encode=None if kept is None else lambda: kept,
    )


def _renamed(
    sample: Sample, labels: tuple[Label, ...], places: NDArray[np.int64]
) -> tuple[Confusion, Grouped | None]:
    """The same counts under the labels of all models."""
    confusion, groups = sample.confusion, sample.groups
    if confusion.labels == labels:
        return confusion, groups
    named = [labels[place] for place in places]
    confusion = confusion.relabelled(named, labels)
    if groups is not None:
        cells = moved(groups.cells, named, labels)
        groups = Grouped(confusion, groups.keys, groups.group, cells, groups.counts)
    return confusion, groups


def _relabelled(rows: Encoded, labels: tuple[Label, ...], places: NDArray[np.int64]) -> Encoded:
    if rows.labels == labels:
        return rows
    return replace(rows, labels=labels, actual=places[rows.actual], predicted=places[rows.predicted])
