"""The table of WEKA's Experimenter: models against a base, each data set by itself.

Mean and standard deviation over the folds, with `v` where a model is better than the base and `*` where it is
worse, by the corrected t test of that data set alone, and how often it was better, the same, and worse. WEKA
marks the higher number as better whatever it is; here a lower error rate is better.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from tallymark.comparison.difference import Better
from tallymark.comparison.score_tables.checks import Floats, direction, range_of
from tallymark.drawing import Block, Column, Paragraph, Table, level_text
from tallymark.drawing import name as visible
from tallymark.drawing.fitting import natural_width
from tallymark.errors import OptionError
from tallymark.intake.score_tables import Folds, ScoreTable
from tallymark.intervals import checked_level
from tallymark.tallies.labels import listed, quoted
from tallymark.tests.folds import corrected_t
from tallymark.tests.outcome import Outcome

Mark = Literal["v", "", "*", "?"]
"""Better than the base, not told apart from it, worse; and where there is no test."""

_PAGE = 84
_KEY = "(v/ /*)"


@dataclass(frozen=True, eq=False)
class Experimenter:
    """Every model against the base, which comes first."""

    models: tuple[str, ...]
    data_sets: tuple[str, ...]
    folds: tuple[int, ...]
    """How many each data set has."""
    means: Floats
    """Data sets x models."""
    deviations: Floats
    """Standard deviations over the folds; NaN where there is one fold."""
    outcomes: tuple[tuple[Outcome, ...], ...]
    """Of each data set, every other model less the base."""
    marks: tuple[tuple[Mark, ...], ...]
    metric: str
    better: Better | None
    level: float

    @property
    def base(self) -> str:
        return self.models[0]

    @property
    def counts(self) -> tuple[tuple[int, int, int], ...]:
        """Of every other model, on how many data sets it is better than the base, the same, worse."""
        columns = list(zip(*self.marks, strict=True))
        return tuple((c.count("v"), c.count("") + c.count("?"), c.count("*")) for c in columns)

    def tables(self) -> Iterator[Table]:
        """The table; of many models several, the base repeated in each."""
        shown: list[int] = []
        for other in range(len(self.models) - 1):
            if shown and natural_width(self._table([*shown, other])) > _PAGE:
                yield self._table(shown)
                shown = []
            shown.append(other)
        yield self._table(shown)

    def blocks(self) -> tuple[Block, ...]:
        """The table and what its marks mean, for a report."""
        return (*self.tables(), *(Paragraph(text) for text in self._said()))

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "metric": self.metric,
            "better": self.better,
            "baseline": self.base,
            "level": self.level,
            "rows": [
                {
                    "data_set": name,
                    "folds": self.folds[row],
                    "mean": dict(zip(self.models, self.means[row].tolist(), strict=True)),
                    "standard_deviation": {
                        model: None if np.isnan(value) else value
                        for model, value in zip(self.models, self.deviations[row].tolist(), strict=True)
                    },
                    "against_baseline": {
                        model: {"mark": mark, **outcome.to_dict()}
                        for model, mark, outcome in zip(
                            self.models[1:], self.marks[row], self.outcomes[row], strict=True
                        )
                    },
                }
                for row, name in enumerate(self.data_sets)
            ],
            "counts": {
                model: dict(zip(("better", "same", "worse"), counts, strict=True))
                for model, counts in zip(self.models[1:], self.counts, strict=True)
            },
        }

    # --- how it is drawn -------------------------------------------------------------------------

    @property
    def _percent(self) -> bool:
        return range_of(self.metric) == (0, 1)

    def _cells(self) -> list[list[str]]:
        """Mean and standard deviation, those of a model equally wide."""
        factor = 100 if self._percent else 1
        digits = 2 if self._percent or np.abs(self.means).max() >= 10 else 3
        columns = []
        for mean, deviation in zip((factor * self.means).T, (factor * self.deviations).T, strict=True):
            above = [f"{value:.{digits}f}" for value in mean]
            beside = ["-" if np.isnan(value) else f"{value:.{digits}f}" for value in deviation]
            left, right = max(map(len, above)), max(map(len, beside))
            columns.append([f"{a.rjust(left)}({b.rjust(right)})" for a, b in zip(above, beside, strict=True)])
        return [list(row) for row in zip(*columns, strict=True)]

    def _table(self, others: Sequence[int]) -> Table:
        cells = self._cells()
        heads = [Column("data set", "left"), Column("folds"), Column(visible(self.base))]
        for other in others:
            heads += [Column(visible(self.models[other + 1])), Column("", "left")]
        rows = []
        for name, folds, row, marks in zip(self.data_sets, self.folds, cells, self.marks, strict=True):
            against = (text for other in others for text in (row[other + 1], marks[other]))
            rows.append((visible(name), str(folds), row[0], *against))
        counted = (text for other in others for text in (f"({'/'.join(map(str, self.counts[other]))})", ""))
        return Table(tuple(heads), (*rows, (_KEY, "", "", *counted)), rule_before=(len(rows),))

    def _said(self) -> Iterator[str]:
        unit = " in percent" if self._percent else ""
        way = "" if self.better is None else f" ({self.better})"
        alpha = level_text(1 - self.level)
        yield (
            f"Mean{unit} and standard deviation over the folds of {self.metric}. v: better{way} than "
            f"{quoted(self.base)}, *: worse, at {alpha} by the corrected t test of each data set alone; with "
            f"{len(self.data_sets) * (len(self.models) - 1)} tests some marks come by chance. Last row: on "
            "how many it is better, the same, worse."
        )
        without = sum(mark == "?" for marks in self.marks for mark in marks)
        if without:
            why = next(o.why for row in self.outcomes for o in row if o.p_value is None)
            yield f"?: no test, counted as the same: {why}."


def experimenter(
    table: ScoreTable,
    *,
    baseline: str | None = None,
    metric: str | None = None,
    better: str | None = None,
    confidence_level: float = 0.95,
) -> Experimenter:
    """WEKA's table of scores whose folds are known; the base is the first model unless named."""
    if baseline is not None and baseline not in table.models:
        raise OptionError(f"there is no model {quoted(baseline)}; the models are {listed(table.models)}.")
    if not table.has_folds:
        raise OptionError(
            "there is one score for each data set; marks need the scores of its folds.",
            hint="give a line for every fold, with a column 'fold'.",
        )
    name, way = direction(metric or table.metric or "accuracy", better)
    level = checked_level(confidence_level)
    base = table.models.index(baseline) if baseline is not None else 0
    order = [base, *(place for place in range(len(table.models)) if place != base)]
    outcomes = tuple(
        tuple(_tested(folds, other, base, level) for other in order[1:]) for folds in table.folds
    )
    return Experimenter(
        models=tuple(table.models[place] for place in order),
        data_sets=table.data_sets or ("",),
        folds=tuple(len(folds.names) for folds in table.folds),
        means=table.means[:, order],
        deviations=np.array([_deviation(folds.scores[:, order]) for folds in table.folds]),
        outcomes=outcomes,
        marks=tuple(tuple(_mark(outcome, way, level) for outcome in row) for row in outcomes),
        metric=name,
        better=way,
        level=level,
    )


def _tested(folds: Folds, other: int, base: int, level: float) -> Outcome:
    return corrected_t(
        folds.scores[:, other],
        folds.scores[:, base],
        folds.n_train,
        folds.n_test,
        runs=folds.runs,
        confidence_level=level,
    )


def _deviation(scores: Floats) -> Floats:
    if len(scores) < 2:
        return np.full(scores.shape[1], np.nan)
    return np.asarray(scores.std(axis=0, ddof=1))


def _mark(outcome: Outcome, better: Better | None, level: float) -> Mark:
    if outcome.p_value is None:
        return "?"
    if outcome.p_value > 1 - level or not outcome.value:
        return ""
    return "v" if (outcome.value > 0) == (better != "lower") else "*"
