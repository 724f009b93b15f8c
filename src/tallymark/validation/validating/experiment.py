"""`Experiment`: models tried on several data sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.comparison import Comparison, compare
from tallymark.errors import OptionError
from tallymark.intake.score_tables import Folds, ScoreTable
from tallymark.metrics import ask
from tallymark.tallies.labels import listed, quoted
from tallymark.validation.described import Described
from tallymark.validation.validating.result import Validation
from tallymark.validation.validating.summary import infinite
from tallymark.validation.validating.validated import fold_names, refuse_infinite

if TYPE_CHECKING:
    from tallymark.comparison.score_tables.experimenter import Experimenter
    from tallymark.drawing import Document
    from tallymark.drawing.figure import Figure
    from tallymark.findings import Finding
    from tallymark.validation.page import PageWords

SCHEMA = "tallymark/experiment/1"


@dataclass(frozen=True, eq=False)
class Experiment(Described):
    """The same models on every data set, each data set with folds of its own."""

    data_sets: Mapping[str, Validation]
    metric: str

    def __getitem__(self, data_set: str) -> Validation:
        """The models on one data set."""
        if data_set not in self.data_sets:
            known = listed(list(self.data_sets))
            raise OptionError(f"there is no data set {quoted(data_set)}; there is {known}.")
        return self.data_sets[data_set]

    def __repr__(self) -> str:
        names = ", ".join(quoted(name) for name in self.models)
        return f"Experiment({names}; {len(self.data_sets):,} data sets; {self.metric})"

    @property
    def library(self) -> str | None:  # type: ignore[override]
        """The data frame library all data sets came in, if it is one."""
        found = {each.library for each in self.data_sets.values()}
        return found.pop() if len(found) == 1 else None

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(self._first.models)

    @property
    def _first(self) -> Validation:
        return next(iter(self.data_sets.values()))

    @property
    def failed(self) -> int:
        """Fits that raised an error, of all models on all data sets."""
        return sum(each.failed for each in self.data_sets.values())

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What must be said of the data sets, each under its name."""
        notes = [f"{quoted(name)}: {note}" for name, each in self.data_sets.items() for note in each.notes]
        left_out = [name for name in self.data_sets if name not in self.table_of_scores().data_sets]
        if left_out:
            notes.append(
                f"without a fold in which {self.metric} is defined for all models: {listed(left_out)}."
            )
        return tuple(notes)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What a careful reader of the protocol would point out of the data sets, each under its name."""
        return tuple(
            replace(
                found, message=f"{quoted(name)}: {found.message}", numbers={"data_set": name, **found.numbers}
            )
            for name, each in self.data_sets.items()
            for found in each.findings
        )

    # --- scores --------------------------------------------------------------------------------------

    def table_of_scores(self, metric: str | None = None, *, baseline: bool = True) -> ScoreTable:
        """The scores of every fold that all models have one of; the baseline last."""
        name = self.metric if metric is None else ask(metric).name
        found: dict[str, Folds] = {}
        beside = [] if not baseline or self._first.baseline is None else [self._first.baseline.name]
        for data_set, each in self.data_sets.items():
            models = [*each.models.values(), *([each.baseline] if beside and each.baseline else [])]
            columns = [model[name].values for model in models]
            scores = np.array(columns, float).T  # None becomes NaN
            kept = np.flatnonzero(np.isfinite(scores).all(axis=1))
            names = fold_names(each.folds)
            if len(kept):
                found[data_set] = Folds(
                    tuple(names[place] for place in kept),
                    scores[kept],
                    each.folds.runs,
                    tuple(models[0].sizes.train[kept].tolist()),
                    tuple(models[0].sizes.test[kept].tolist()),
                )
        return ScoreTable((*self.models, *beside), tuple(found), tuple(found.values()), name)

    def experimenter(self, metric: str | None = None, *, baseline: str | None = None) -> Experimenter | None:
        """WEKA's table: every model against the base, the first model unless another is named.

        A single model is held against always answering the most frequent class. None when there is nothing to
        hold it against, or no data set has more than one fold.
        """
        from tallymark.comparison.score_tables.experimenter import experimenter

        table = self.table_of_scores(metric)
        name = table.metric or self.metric
        if any(
            infinite(model[name].whys) for each in self.data_sets.values() for model in each.models.values()
        ):
            return None
        if len(table.models) < 2 or not table.has_folds or any(len(f.names) < 2 for f in table.folds):
            return None
        base = baseline if baseline is not None or len(self.models) > 1 else table.models[-1]
        level = next(iter(self._first.models.values())).level
        return experimenter(table, baseline=base, confidence_level=level)

    # --- against each other ------------------------------------------------------------------------

    def for_comparison(
        self, metric: str | None = None, per: str | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """What `compare(experiment)` compares: a long table of the scores of all folds."""
        if len(self.data_sets) == 1:
            return self._first.for_comparison(metric, per)
        if per not in (None, "dataset"):
            raise OptionError(
                f"models are compared over {len(self.data_sets)} data sets (per='dataset'); got per={per!r}.",
                hint=f"compare them on one: experiment[{next(iter(self.data_sets))!r}].compare(per={per!r}).",
            )
        name = self.metric if metric is None else ask(metric).name
        for each in self.data_sets.values():
            refuse_infinite(name, each.models)
        if len(self.models) < 2:
            raise OptionError(
                f"there is one model, {quoted(self.models[0])}, so there is nothing to compare.",
                hint="validate several models at once, or hold it against the baseline on each data set: "
                "--compare with that one alone (experiment['NAME'].compare()).",
            )
        long: dict[str, list[Any]] = {}
        for data_set, each in self.data_sets.items():
            columns = each.columns()
            mine = len(self.models) * len(each.folds)  # without the baseline
            values = {each_name: list(columns[each_name][:mine]) for each_name in _PLACES}
            values = {"dataset": [data_set] * mine, **values, name: _scores(each, name)}
            for column, cells in values.items():
                long.setdefault(column, []).extend(cells)
        return long, {"metric": name, "per": "dataset"}

    def compare(
        self, metric: str | None = None, *, baseline: str | None = None, **options: Any
    ) -> Comparison:
        """Are the models really different, over all data sets? `baseline` is the base of WEKA's table.

        Folds in which a number is undefined for one of the models are left out for all, and that is said.
        `options` are those of `tallymark.compare`. On one data set models are compared by its folds.
        """
        if len(self.data_sets) == 1:
            return self._first.compare(metric, **options)
        return compare(self, metric=metric, baseline=baseline, **{"missing": "drop", **options})

    # --- on paper ------------------------------------------------------------------------------------

    def document(self) -> Document:
        """This experiment described for any pen."""
        from tallymark.validation.validating.outputs.experiment import describe

        return describe(self)

    def to_dict(self) -> dict[str, Any]:
        """The JSON document (schema `tallymark/experiment/1`) as Python values."""
        table = self.experimenter()
        return {
            "schema": SCHEMA,
            "metric": self.metric,
            "models": list(self.models),
            "data_sets": {name: each.to_dict() for name, each in self.data_sets.items()},
            "table": None if table is None else table.to_dict(),
            "failed": self.failed,
            "notes": list(self.notes),
            "findings": [finding.to_dict() for finding in self.findings],
        }

    def columns(self) -> Mapping[str, Any]:
        """One row per data set, model and fold, the columns of every data set's own table."""
        from tallymark.validation.validating.outputs.experiment import columns

        return columns(self)

    def page_words(self) -> PageWords:
        from tallymark.validation.validating.outputs.experiment_page import page_words

        return page_words(self)

    def figures(self) -> Mapping[str, Callable[[], Figure]]:
        """scores: the mean of every model on every data set; intervals: the same with intervals."""
        from tallymark.validation.validating.outputs.experiment import figures

        return figures(self)


_PLACES = ("run", "fold", "model", "n_train", "n_test")


def _scores(validation: Validation, metric: str) -> list[float]:
    found = (value for model in validation.models.values() for value in model[metric].values)
    return [float("nan") if value is None else value for value in found]
