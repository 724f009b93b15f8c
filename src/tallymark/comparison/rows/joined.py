"""Models whose rows were matched where they lie: counted there, and compared from the counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tallymark.comparison.question import Question
from tallymark.comparison.result import Comparison
from tallymark.comparison.rows.aligned import Aligned, costs_of, notes_of, why_no_answers, why_no_scores
from tallymark.comparison.rows.joined_counts import Counting, Counts
from tallymark.comparison.rows.joined_errors import refuse_other_rows, refuse_two_kinds
from tallymark.comparison.rows.joined_scores import JoinedRanking, JoinedScores
from tallymark.comparison.rows.joined_sums import Measuring, Spreads, measured
from tallymark.comparison.rows.probing import Probed
from tallymark.comparison.rows.same_rows import asked_of, compare_aligned
from tallymark.errors import InputError
from tallymark.evaluation import Evaluation
from tallymark.evaluation.known_rows import refuse_pooled, united, united_positive
from tallymark.evaluation.matching_ids import AS_NUMBERS
from tallymark.evaluation.ranked import Ranked
from tallymark.inference import Ranking, Sample
from tallymark.intake.costs import Costs, CostsGiven
from tallymark.intake.streams.joining import as_numbers
from tallymark.intake.streams.surveyed import Surveyed
from tallymark.intake.weights import WeightKind
from tallymark.metrics import Asked, ask
from tallymark.tallies import Label
from tallymark.tallies.grid import Grid
from tallymark.tallies.labels import quoted
from tallymark.tallies.paired import Paired


class MatchedRows(Protocol):
    """Rows that several models have, matched in some place where all of them are."""

    where: str
    """Words for the place."""
    how: str
    """How they were matched."""
    room: int
    """Bytes that what is looked at once may take with it."""

    def count(self, counting: Counting, actual: Sequence[NDArray[np.int64]]) -> Counts | None:
        """What is counted of all of them; None if there are none.

        `actual` has the positions of the classes of every model among the labels of all.
        """

    def measure(self, measuring: Measuring) -> Spreads:
        """What all of them add up to; they have been counted."""


def _grid(model: Probed) -> Grid:
    """Where probabilities are, or from the least score to the highest."""
    low, high = model.rows.scores
    if low >= 0 and high <= 1:
        return Grid()
    return Grid(low, high if high > low else low + max(1.0, abs(low)))


def compare_joined(
    models: Mapping[str, Probed],
    matched: MatchedRows,
    question: Question,
    *,
    costs: CostsGiven | None,
    design: str | None,
    memory: int,
    notes: Sequence[str],
    approximate: bool = False,
) -> Comparison:
    """Count the rows that all models have, and compare."""
    evs = {name: model.ev for name, model in models.items()}
    refuse_pooled(evs)
    surveyed = {name: model.rows for name, model in models.items()}
    refuse_two_kinds(surveyed)
    labels, each = united([ev.labels for ev in evs.values()])
    places = dict(zip(evs, each, strict=True))
    positive = united_positive(evs, labels, places)
    table = costs_of(evs, labels, costs)
    position = None if positive is None else labels.index(positive)
    said = [
        model.said(name, places[name], _grid(model) if approximate else None)
        for name, model in models.items()
    ]
    kind = next(iter(surveyed.values())).checks.weight_kind
    counting = Counting(said, labels, position, kind, memory)
    counts = matched.count(counting, [places[name][model.actual] for name, model in models.items()])
    if counts is None:
        raise _nothing_left()
    refuse_other_rows(surveyed, counts.beside, labels, counts.rows, design)
    if not counts.rows:
        raise _nothing_left()
    made = {name: _evaluated(name, ev, counts, labels, positive, table, question) for name, ev in evs.items()}
    rows = Aligned(made, labels, position, None, table, why_no_answers(evs), why_no_scores(evs, made))
    asked = asked_of(rows, question)
    scores = None if rows.no_scores is not None else _scores_of(rows, matched, kind, asked, question)
    paired = None if rows.no_answers is not None else _plain(counts)
    about = [] if scores is None else [*_unswapped(question, asked, matched.where), *_on_grid(made)]
    notes = (matched.how + _left_out(models), *notes, *notes_of(evs), *about)
    return compare_aligned(rows, paired, None, asked, question, notes, scores)


def by_id(models: Sequence[Surveyed]) -> str:
    """What must be said of rows that were matched by their ids."""
    numbers = len({rows.typed for rows in models}) > 1 and as_numbers(models)
    return "rows were matched by their id." + (AS_NUMBERS if numbers else "")


def _nothing_left() -> InputError:
    return InputError("no row has a value in every model, so there is nothing to compare.")


def _evaluated(
    name: str,
    ev: Evaluation,
    counts: Counts,
    labels: tuple[Label, ...],
    positive: Label | None,
    costs: Costs | None,
    question: Question,
) -> Evaluation:
    """The evaluation of the rows that all models have, from their counts."""
    sample, rows = None, counts.rows
    if ev.sample is not None:
        assert counts.paired is not None
        matrix = None if costs is None else np.array(costs.matrix, float)
        confusion = counts.paired.confusion(name)
        sample = Sample(confusion, question.level, question.seed, matrix, ev.sample.undefined_as)
        rows = sample.rows
    ranked = None
    if ev.ranked is not None and ev.labels == labels:
        assert positive is not None
        about, clip = labels.index(positive), ev.ranked.clip
        known = {about: Ranking(counts.ranking(name, positive), question.level, clip=clip)}
        ranked = Ranked(labels, question.level, None, known=known, about=about, clip=clip)
    return replace(
        ev,
        sample=sample,
        labels=labels,
        positive=positive,
        rows=rows,
        costs=costs,
        seed=question.seed,
        ranked=ranked,
    )


def _plain(counts: Counts) -> Paired | None:
    """Rows that weigh 1 each are counted as rows, so that McNemar's test is theirs, too."""
    paired = counts.paired
    if paired is None or paired.squares is None or not counts.ones:
        return paired
    return Paired.from_cells(paired.labels, paired.names, paired.cells, paired.counts, dropped=paired.dropped)


def _scores_of(
    rows: Aligned, matched: MatchedRows, kind: WeightKind, asked: Sequence[Asked], question: Question
) -> Any:
    """The scores of two models, from another look at the rows."""
    rankings = {}
    for name, ev in rows.evs.items():
        assert ev.ranked is not None
        assert ev.ranked.about is not None
        rankings[name] = ev.ranked.known[ev.ranked.about]
    two = len(rows.labels) == 2
    wanted = {each.name: each for each in asked if each.metric.about in ("scores", "losses")}
    if two and any(each.metric.about == "classes" for each in asked):
        wanted["auc"] = ask("auc")
    numbers, frequency = list(wanted.values()), kind == "frequency"
    found = measured(matched.measure, rankings, numbers, frequency=frequency, room=matched.room)
    made = {
        (a, b): JoinedRanking((rankings[a], rankings[b]), found[a, b], level=question.level, names=(a, b))
        for a, b in combinations(rows.names, 2)
    }
    return lambda a, b: JoinedScores(a, b, rows, question.level, made[a, b])


def _unswapped(question: Question, asked: Sequence[Asked], where: str) -> list[str]:
    names = [each.name for each in asked if each.metric.about in ("scores", "losses", "classes")]
    lacking = [
        each.name for each in asked if each.metric.about == "scores" and each.metric.interval == "none"
    ]
    if question.test == "permutation" and names:
        return [
            f"scores are swapped row by row, and rows {where} are not kept, so these have their usual test "
            f"or none: {', '.join(names)}."
        ]
    if lacking:
        return [f"{', '.join(lacking)}: needs rows to be tested (scores are swapped), and they are {where}."]
    return []


def _on_grid(evs: Mapping[str, Evaluation]) -> list[str]:
    known = [ranking for ev in evs.values() if ev.ranked is not None for ranking in ev.ranked.known.values()]
    if all(ranking.scores.exact for ranking in known):
        return []
    return ["scores were counted on a grid: what depends on the order within its bins has certified bounds."]


def _left_out(models: Mapping[str, Probed]) -> str:
    lacking = {name: model.rows.rows - model.rows.left for name, model in models.items()}
    each = ", ".join(f"{quoted(name)} lacks {number:,}" for name, number in lacking.items() if number)
    return f" Rows that lack a value in one model are left out of all: {each}." if each else ""
