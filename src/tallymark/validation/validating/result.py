"""`Validation`: what the user holds after models were tried on the folds of one data set."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tallymark.comparison import Comparison, FoldScores, compare
from tallymark.errors import InputError, OptionError
from tallymark.evaluation import Evaluation
from tallymark.metrics import ask
from tallymark.resampling.folds import Folds
from tallymark.tallies.labels import listed, quoted
from tallymark.validation.data.data_set import DataSet
from tallymark.validation.described import Described
from tallymark.validation.validating.summary import ONE_SCALE, Summary, is_ranked
from tallymark.validation.validating.validated import Validated, refuse_infinite

if TYPE_CHECKING:
    from tallymark.drawing import Document
    from tallymark.drawing.figure import Figure
    from tallymark.findings import Finding
    from tallymark.validation.page import PageWords

SCHEMA = "tallymark/validation/1"


@dataclass(frozen=True, eq=False)
class Validation(Described):
    """Models tried on the same folds of one data set; always answering the most frequent class beside them.

    `v["recall"]` is a number of the one model, `v.models["tree"]["recall"]` of one of several: fold by fold,
    the mean of the folds, and pooled.
    """

    data: DataSet
    folds: Folds
    models: Mapping[str, Validated]
    baseline: Validated | None
    """Always the most frequent class."""
    metric: str
    metrics: tuple[str, ...]
    """All numbers asked for; `metric` is the first."""
    sampler: str | None = None
    """How training rows were over- or undersampled."""
    estimators: Mapping[str, Any] = field(default_factory=dict)
    """The models as they were given, for the findings."""
    earlier: Sequence[Mapping[str, Any]] = ()
    """Records of earlier runs in the run folder, for the findings as well."""

    @property
    def library(self) -> str | None:  # type: ignore[override]
        """The data frame library the data came in, if they did."""
        return self.data.library

    @property
    def untold(self) -> str:  # type: ignore[override]
        """That two numbers side by side are no test, where there are several models."""
        if sum(len(model.rows) > 0 for model in self.models.values()) < 2:
            return ""
        return "Whether one of them is really better takes a test: .compare() of this validation (--compare)."

    @property
    def fingerprint(self) -> str:
        """What tells these folds of these rows from others."""
        return f"{self.folds.fingerprint}-{self.data.fingerprint}"

    @property
    def failed(self) -> int:
        """Fits that raised an error, of all models."""
        return sum(model.failed for model in self.models.values())

    @property
    def rows_tested(self) -> int:
        """Rows that every model was asked about, a row as often as it was tested."""
        return sum(fold.n_test for fold in self.folds.folds)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What must be said: fits that failed, folds a number is undefined in, rows never tested."""
        from tallymark.validation.validating.notes import notes

        return tuple(notes(self))

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What a careful reader of the protocol would point out, each with a code and the numbers."""
        from tallymark.validation.audit import audited
        from tallymark.validation.audit.protocol import Protocol

        fits = {name: model.fits for name, model in self.models.items()}
        return audited(Protocol(self.data, self.folds, self.metrics, self.estimators, fits, self.earlier))

    def __getitem__(self, metric: str) -> Summary:
        """A number of the one model."""
        return self._only(f"['{metric}']")[metric]

    @property
    def evaluations(self) -> dict[str, Evaluation]:
        """Of every model, the test rows of all folds together; models that failed in every fold have none."""
        return {name: model.evaluation for name, model in self.models.items() if len(model.rows)}

    @property
    def evaluation(self) -> Evaluation:
        """The same of the one model."""
        return self._only(".evaluation").evaluation

    def _only(self, asked: str) -> Validated:
        if len(self.models) > 1:
            raise OptionError(
                f"there are several models: {listed(list(self.models))}.",
                hint=f"say of which: .models[{next(iter(self.models))!r}]{asked}.",
            )
        return next(iter(self.models.values()))

    def __repr__(self) -> str:
        names = ", ".join(quoted(name) for name in self.models)
        return f"Validation({names}; {self.folds.method}; {self.data.rows:,} rows; {self.metric})"

    # --- against each other ------------------------------------------------------------------------

    @cached_property
    def _compared(self) -> dict[str, Validated]:
        """The models that were fitted; a single one is compared with the baseline."""
        fitted = {name: model for name, model in self.models.items() if len(model.rows)}
        if len(fitted) == 1 and self.baseline is not None:
            fitted[self.baseline.name] = self.baseline
        return fitted

    def fold_scores(self, metric: str | None = None) -> dict[str, FoldScores]:
        """Scores fold by fold with the fingerprint of the folds, as `compare` takes them.

        Folds in which the number is undefined for one of the models are left out for all.
        """
        name = self.metric if metric is None else ask(metric).name
        columns = {model: each[name].values for model, each in self._compared.items()}
        refuse_infinite(name, self._compared)
        kept = [
            place
            for place in range(len(self.folds))
            if all(values[place] is not None for values in columns.values())
        ]
        if not kept:
            told = next(each[name].remark for each in self._compared.values() if each[name].undefined)
            raise InputError(
                f"{name} is {told}, so it cannot be compared fold by fold.",
                hint="compare by another number; or row by row: write --predictions OUT.csv and compare "
                "its columns with `tallymark compare` (.compare(per='rows')).",
            )
        left_out = len(self.folds) - len(kept)
        mark = f"-{sha256(repr(kept).encode()).hexdigest()[:8]}" if left_out else ""
        note = f"{name} is undefined in {left_out:,} of {len(self.folds):,} folds, which are left out."
        gone = [model for model in self.models if model not in columns]
        said = [*([note] if left_out else []), *(f"{quoted(m)} is left out: every fit failed." for m in gone)]
        sizes = next(iter(self.models.values())).sizes
        return {
            model: FoldScores(
                [value for value in (values[place] for place in kept) if value is not None],
                f"{self.fingerprint}{mark}",
                sizes.train[kept].tolist(),
                sizes.test[kept].tolist(),
                1 if left_out else self.folds.runs,
                " ".join(said),
            )
            for model, values in columns.items()
        }

    def for_comparison(
        self, metric: str | None = None, per: str | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """What `compare(validation)` compares, and how: fold by fold; or row by row, as is done without being
        asked where one fold, or folds of one row, show nothing of how much folds vary."""
        if per not in (None, "fold", "rows"):
            raise OptionError(f"per must be 'fold' or 'rows'; got {per!r}.")
        if len(self._compared) < 2:
            raise OptionError("there is one model and no baseline, so there is nothing to compare.")
        name = self.metric if metric is None else ask(metric).name
        alone = len(self.folds) == 1 or all(fold.n_test == 1 for fold in self.folds.folds)
        by_rows = per == "rows" or (per is None and alone)
        return self._rows_of_all(name) if by_rows else self.fold_scores(name), {"metric": name}

    def compare(
        self, metric: str | None = None, *, per: Literal["fold", "rows"] | None = None, **options: Any
    ) -> Comparison:
        """Are the models really different? On the same folds, or row by row on all test rows, which is the
        default for a single fold and for folds of one row.

        A single model is compared with the baseline. The folds are known to be the same by their
        fingerprint. `options` are those of `tallymark.compare`.
        """
        return compare(self, metric=metric, per=per, **options)

    def _rows_of_all(self, metric: str) -> dict[str, Evaluation]:
        """The evaluations of the models on the rows that all of them answered."""
        models = self._compared
        made = [
            place
            for place in range(len(self.folds))
            if all(model.fits[place].failure is None for model in models.values())
        ]
        lost = len(self.folds) - len(made)
        said = []
        if lost:
            models = {name: model.only(made) for name, model in models.items()}
            said.append(f"{lost:,} of {len(self.folds):,} folds are left out, for a fit failed in them.")
        if is_ranked(metric) and len(made) > 1:
            if self.baseline is not None and self.baseline.name in models:
                # Measured: of models that know nothing, 7 of 20 were called worse than chance.
                raise OptionError(
                    f"{metric} of all test rows is not compared with the baseline's: it ranks the scores of "
                    "different models as if they were on one scale, which alone can put it below chance.",
                    hint="compare by a number of answers, such as accuracy, or take folds of several rows.",
                )
            said.append(f"{metric} of all test rows: {ONE_SCALE}.")
        evs = {name: model.evaluation for name, model in models.items()}
        return {name: replace(ev, notes=(*ev.notes, *said)) for name, ev in evs.items()}

    # --- predictions ---------------------------------------------------------------------------------

    def predictions(self, library: str | None = None) -> Any:
        """What every model said about every test row, in your data frame library.

        Columns: the ids under the name of their column, or without ids row, the position in the data as
        given, from 0; run, fold, actual; of one model predicted and score, or p_LABEL for every label; of
        several the same with the model's name and _ before them.
        """
        from tallymark.curves.frames import frame
        from tallymark.validation.validating.outputs.predictions import columns

        return frame(columns(self), library or self.library)

    def write_predictions(self, path: str | Path, *, overwrite: bool = False) -> None:
        """The same as a file, .csv or .parquet, that `evaluate` and `compare` read."""
        from tallymark.evaluation.saving import save
        from tallymark.validation.validating.outputs.predictions import writers

        save(path, writers(self), overwrite=overwrite, read_again=True)

    # --- on paper ------------------------------------------------------------------------------------

    def document(self) -> Document:
        """This validation described for any pen."""
        from tallymark.validation.validating.outputs.description import describe

        return describe(self)

    def to_dict(self) -> dict[str, Any]:
        """The JSON document (schema `tallymark/validation/1`) as Python values."""
        from tallymark.validation.validating.outputs.form import to_form

        return to_form(self)

    def columns(self) -> Mapping[str, Any]:
        """One row per model and fold, which `compare` reads: `compare(frame, per="fold")`."""
        from tallymark.validation.validating.outputs.form import fold_columns

        return fold_columns(self)

    def page_words(self) -> PageWords:
        from tallymark.validation.validating.outputs.page import page_words

        return page_words(self)

    def figures(self) -> Mapping[str, Callable[[], Figure]]:
        """folds: the values of all folds; training: training against test values; split: the folds."""
        from tallymark.validation.validating.outputs.pictures import figures

        return figures(self)
