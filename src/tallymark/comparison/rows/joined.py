"""Models whose rows lie on disk, matched by id: counted together, and compared from the counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.comparison.question import Question
from tallymark.comparison.result import Comparison
from tallymark.comparison.rows.aligned import Aligned, costs_of, notes_of, why_no_answers, why_no_scores
from tallymark.comparison.rows.joined_errors import refuse_other_rows, refuse_two_kinds
from tallymark.comparison.rows.joined_scores import JoinedRanking, JoinedScores
from tallymark.comparison.rows.joined_sums import measured, scored_table
from tallymark.comparison.rows.probing import Probed
from tallymark.comparison.rows.same_rows import asked_of, compare_aligned
from tallymark.errors import InputError, MemoryLimitError
from tallymark.evaluation import Evaluation
from tallymark.evaluation.known_rows import refuse_pooled, united, united_positive
from tallymark.evaluation.matching_ids import AS_NUMBERS
from tallymark.evaluation.ranked import Ranked
from tallymark.inference import Ranking, Sample
from tallymark.intake.costs import Costs, CostsGiven
from tallymark.intake.pairing import count_paired
from tallymark.intake.ranking import count_scores
from tallymark.intake.streams.counting import count_binned
from tallymark.intake.streams.joining import Beside, Together, as_numbers, joined
from tallymark.intake.streams.memory import in_words
from tallymark.intake.streams.spilling import write_rows
from tallymark.metrics import Asked, ask
from tallymark.tallies import Label, Scores
from tallymark.tallies.binned import Binned
from tallymark.tallies.grid import Grid
from tallymark.tallies.labels import quoted
from tallymark.tallies.paired import Paired

if TYPE_CHECKING:
    import polars as pl

_MERGING = 3
"""How many times their own size scores take while they are added up."""


class _Counts:
    """What is counted of rows that all models have."""

    def __init__(
        self,
        models: Mapping[str, Probed],
        labels: tuple[Label, ...],
        places: Mapping[str, NDArray[np.int64]],
        position: int | None,
        memory: int,
        *,
        approximate: bool,
    ) -> None:
        self._models, self._labels, self._places, self._position = models, labels, places, position
        self._memory, self._positive = memory, None if position is None else labels[position]
        self.answering = [name for name, model in models.items() if model.answers]
        self.scoring = [name for name, model in models.items() if model.scored]
        self.weight_kind = next(iter(models.values())).rows.checks.weight_kind
        self.rows = 0
        self.ones = True
        """Whether every row weighs 1."""
        self.files: list[Path] = []
        self.paired: Paired | None = None
        """The answers of the models that have them."""
        self._scores: dict[str, list[tuple[int, Scores]]] = {name: [] for name in self.scoring}
        self._binned: dict[str, Binned] = {}
        if approximate:
            self._binned = {name: Binned.empty(_grid(models[name])) for name in self.scoring}

    def add(self, found: Together, folder: Path) -> None:
        """The rows of one place."""
        self.rows += len(found.actual)
        if found.weight is not None:
            self.ones = self.ones and bool((found.weight == 1).all())
        tables = dict(zip(self._models, found.rows, strict=True))
        if self.answering:
            answers = [
                self._places[name][self._models[name].answered(tables[name])] for name in self.answering
            ]
            # Labels stay as they are: those of pooled classes, or in an order of one's own, have no other.
            counted, _ = count_paired(
                self._labels,
                self.answering,
                found.actual,
                answers,
                found.weight,
                self.weight_kind,
                declared=True,
            )
            self.paired = counted if self.paired is None else self.paired + counted
        if self.scoring:
            self._add_scores(
                found, [tables[name].get_column("score").to_numpy() for name in self.scoring], folder
            )

    def _add_scores(self, found: Together, scores: list[NDArray[np.float64]], folder: Path) -> None:
        hit = found.actual == self._position
        table = scored_table(hit, found.weight, scores)
        for name, score in zip(self.scoring, scores, strict=True):
            if self._binned:
                self._bin(name, f"score {self.scoring.index(name)}", table)
                continue
            counted = count_scores(
                score, hit, weight=found.weight, weight_kind=self.weight_kind, positive=self._positive
            )
            waiting = self._scores[name]
            waiting.append((1, counted))
            # Like with like in size, so that nothing large is copied often.
            while len(waiting) > 1 and waiting[-2][0] == waiting[-1][0]:
                size, last = waiting.pop()
                waiting[-1] = (2 * size, waiting[-1][1] + last)
        self._check_size()
        path = folder / f"scores-{len(self.files)}.arrow"
        write_rows(table, path)
        self.files.append(path)

    def _bin(self, name: str, column: str, table: pl.DataFrame) -> None:
        weight = table.get_column("weight").to_numpy() if "weight" in table.columns else None
        score, hit = table.get_column(column).to_numpy(), table.get_column("hit").to_numpy()
        grid, ev = self._binned[name].grid, self._models[name].ev
        clip = 0.0 if ev.ranked is None else ev.ranked.clip
        self._binned[name] += count_binned(score, hit, weight, self.weight_kind, grid, clip)

    def _check_size(self) -> None:
        kept = [each for waiting in self._scores.values() for _, each in waiting]
        size = _MERGING * sum(each.score.nbytes * (3 if each.squares is None else 5) for each in kept)
        if size > self._memory:
            raise MemoryLimitError(
                f"every score is kept to compare areas exactly, and the different ones of the first "
                f"{self.rows:,} rows take {in_words(size)}; the memory allowed is {in_words(self._memory)}.",
                hint="count them on a grid, which gives certified bounds: add --approximate (in Python "
                "approximate=True); or allow more with --memory SIZE (memory=).",
            )

    def scores(self, name: str) -> Scores:
        if self._binned:
            return self._binned[name].scores(self._positive)
        total, *others = [each for _, each in reversed(self._scores[name])]
        for each in others:
            total = each + total
        return total


def _grid(model: Probed) -> Grid:
    """Where probabilities are, or from the least score to the highest."""
    low, high = model.rows.scores
    if low >= 0 and high <= 1:
        return Grid()
    return Grid(low, high if high > low else low + max(1.0, abs(low)))


def compare_joined(
    models: Mapping[str, Probed],
    question: Question,
    *,
    costs: CostsGiven | None,
    design: str | None,
    folder: Path,
    memory: int,
    how: str,
    notes: Sequence[str],
    approximate: bool = False,
) -> Comparison:
    """Match the rows of all models, count them and compare."""
    evs = {name: model.ev for name, model in models.items()}
    refuse_pooled(evs)
    refuse_two_kinds({name: model.rows for name, model in models.items()})
    labels, each = united([ev.labels for ev in evs.values()])
    places = dict(zip(evs, each, strict=True))
    positive = united_positive(evs, labels, places)
    table = costs_of(evs, labels, costs)
    position = None if positive is None else labels.index(positive)
    counts = _Counts(models, labels, places, position, memory, approximate=approximate)
    spilled = [model.rows for model in models.values()]
    beside = [Beside() for _ in spilled[1:]]
    actual = [places[name][model.actual] for name, model in models.items()]
    for found in joined(spilled, actual, beside):
        if not any(note.only_first.number or note.only_other.number for note in beside):
            counts.add(found, folder)
    refuse_other_rows(list(models), spilled, beside, labels, counts.rows, design)
    if not counts.rows:
        raise InputError("no row has a value in every model, so there is nothing to compare.")
    made = {name: _evaluated(name, ev, counts, labels, positive, table, question) for name, ev in evs.items()}
    rows = Aligned(made, labels, position, None, table, why_no_answers(evs), why_no_scores(evs, made))
    asked = asked_of(rows, question)
    scores = None if rows.no_scores is not None else _scores_of(rows, counts, asked, question)
    paired = None if rows.no_answers is not None else _plain(counts)
    numbers = len({model.rows.typed for model in models.values()}) > 1 and as_numbers(spilled)
    matched = "rows were matched by their id." + (AS_NUMBERS if numbers else "") + _left_out(models)
    about = [] if scores is None else [*_unswapped(question, asked), *_on_grid(made)]
    said = (matched, how, *notes, *notes_of(evs), *about)
    return compare_aligned(rows, paired, None, asked, question, said, scores)


def _evaluated(
    name: str,
    ev: Evaluation,
    counts: _Counts,
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
        known = {about: Ranking(counts.scores(name), question.level, clip=clip)}
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


def _plain(counts: _Counts) -> Paired | None:
    """Rows that weigh 1 each are counted as rows, so that McNemar's test is theirs, too."""
    paired = counts.paired
    if paired is None or paired.squares is None or not counts.ones:
        return paired
    return Paired.from_cells(paired.labels, paired.names, paired.cells, paired.counts, dropped=paired.dropped)


def _scores_of(rows: Aligned, counts: _Counts, asked: Sequence[Asked], question: Question) -> Any:
    """The scores of two models, from one more look at the rows for every number."""
    rankings = {}
    for name, ev in rows.evs.items():
        assert ev.ranked is not None
        assert ev.ranked.about is not None
        rankings[name] = ev.ranked.known[ev.ranked.about]
    two = len(rows.labels) == 2
    wanted = {each.name: each for each in asked if each.metric.about in ("scores", "losses")}
    if two and any(each.metric.about == "classes" for each in asked):
        wanted["auc"] = ask("auc")
    frequency = counts.weight_kind == "frequency"
    found = measured(counts.files, rankings, list(wanted.values()), frequency=frequency)
    made = {
        (a, b): JoinedRanking((rankings[a], rankings[b]), found[a, b], level=question.level, names=(a, b))
        for a, b in combinations(rows.names, 2)
    }
    return lambda a, b: JoinedScores(a, b, rows, question.level, made[a, b])


def _unswapped(question: Question, asked: Sequence[Asked]) -> list[str]:
    names = [each.name for each in asked if each.metric.about in ("scores", "losses", "classes")]
    lacking = [
        each.name for each in asked if each.metric.about == "scores" and each.metric.interval == "none"
    ]
    if question.test == "permutation" and names:
        return [
            "scores are swapped row by row, and rows on disk are not kept, so these have their usual test or "
            f"none: {', '.join(names)}."
        ]
    if lacking:
        return [f"{', '.join(lacking)}: needs rows to be tested (scores are swapped), and they are on disk."]
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
