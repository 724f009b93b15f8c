"""From what a user has to a `Comparison`: the design is recognised from what is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Number
from os import PathLike
from typing import Any, Literal

import numpy as np

from tallymark.comparison.given import (
    files_of,
    guessed_id,
    of_arrays,
    of_columns,
    of_sources,
    said_of_id,
    too_large,
)
from tallymark.comparison.idle import refuse_idle
from tallymark.comparison.question import Folding, Question, question
from tallymark.comparison.result import Comparison
from tallymark.comparison.rows.accuracies import are_figures, compare_figures
from tallymark.comparison.rows.aligned import notes_of
from tallymark.comparison.rows.lost_pairs import compare_lost_pairs
from tallymark.comparison.rows.on_disk import compare_on_disk, outgrown
from tallymark.comparison.rows.other_rows import compare_other_rows
from tallymark.comparison.rows.same_rows import compare_same_rows
from tallymark.comparison.score_tables.tables import FoldScores, Per, compare_fold_scores, compare_table
from tallymark.errors import OptionError
from tallymark.evaluation import Evaluation
from tallymark.evaluation.matching import Stated, match
from tallymark.intake import frames
from tallymark.intake.costs import CostsGiven
from tallymark.intake.roles import Probabilities
from tallymark.intake.rows import Missing
from tallymark.intake.score_tables import Scale
from tallymark.intake.streams.memory import parsed_memory
from tallymark.intake.weights import WeightKind
from tallymark.tallies import Confusion, Label
from tallymark.tallies.labels import quoted


def compare(
    data: Any,
    y_true: Any = None,
    *,
    models: Mapping[str, str] | Sequence[str] | None = None,
    per: Per | Literal["rows"] | None = None,
    design: Stated | None = None,
    actual: str | None = None,
    predicted: str | None = None,
    score: str | None = None,
    probabilities: Probabilities | None = None,
    id: Any = None,
    weight: Any = None,
    sample_weight: Any = None,
    weight_kind: WeightKind = "sampling",
    groups: Any = None,
    labels: Sequence[Label] | None = None,
    pos_label: object = None,
    threshold: float | str | None = None,
    costs: CostsGiven | None = None,
    clip: float | None = None,
    missing: Missing = "error",
    missing_words: Sequence[str] = (),
    delimiter: str | None = None,
    memory: str | int | None = None,
    approximate: bool = False,
    metric: str | None = None,
    metrics: Sequence[str] = (),
    alternative: str = "two-sided",
    margin: float | None = None,
    adjust: str = "holm",
    test: str = "auto",
    method: str | None = None,
    permutations: int = 10_000,
    n_train: Any = None,
    n_test: Any = None,
    runs: int | None = None,
    same_folds: bool = False,
    overlap: bool = True,
    rope: float = 0.01,
    better: str | None = None,
    baseline: str | None = None,
    scale: Scale = "share",
    columns: Mapping[str, str] | None = None,
    confidence_level: float = 0.95,
    random_state: int | None = 0,
) -> Comparison:
    """Is one model better than another? The valid test for what is given, and the verdict in a sentence.

    `data` are models by name, each of them
    - answers or scores of the same rows, with `y_true`: `compare({"tree": p, "forest": q}, y_true=y)`;
      numbers that are all labels are answers, other numbers are scores, a table is a probability per class;
    - an `Evaluation` or a `Confusion`; a data frame or a file with the columns named as for `evaluate`.
      Rows are matched by `id`; without ids they are the same if the actual classes agree row by row.
      `design="other rows"` says that they are not the same, `design="same rows"` that they are;
    - an accuracy and the number of rows it was measured on: `(0.85, 30)`;
    - with `per="fold"` scores of the same folds, with `per="dataset"` of the same data sets;
    or one data frame or file: with `models={"tree": "column", ...}` the columns with answers or scores,
    with `per` a table of scores with a column per model, or with columns for data set, fold, model and score;
    or what `validate` found: fold by fold, or with `per="rows"` row by row, as a single hold-out is.

    The verdict is about `metric`; `metrics` are compared beside it. `margin` is a difference that does not
    matter: whether models are equivalent within it, or one not worse, is said as well.
    `alternative="greater"` tests whether the first number is greater. With more than two models, p-values
    are adjusted for the number of pairs.

    Files that together take more than `memory` ("500MB"; half of the machine's when nothing is said) are
    matched by `id` on disk, and compared from counts. With `approximate` their scores are counted on a grid:
    differences of areas then have certified `.bounds`.

    >>> print(compare({"M1": (0.85, 30), "M2": (0.75, 5000)})["accuracy"].estimate)
    0.1 [-0.02834, 0.2283] (95 % wald, n = 5,030)
    """
    table: Per | None = None
    if hasattr(data, "for_comparison"):  # a validation knows its folds
        data, known = data.for_comparison(metric, per)
        table, metric = known.get("per"), known["metric"]
    elif per == "rows":
        raise OptionError(
            "per='rows' is about what `validate` found; got something else.",
            hint="rows are compared unless per='fold' or per='dataset' is said: leave it out.",
        )
    else:
        table = per
    named = _by_text(data)
    folds = named is not None and all(isinstance(each, FoldScores) for each in named.values())
    asked = question(
        metric=None if table is not None or folds else metric,
        metrics=metrics,
        alternative=alternative,
        margin=margin,
        adjust=adjust,
        test=test,
        method=method,
        permutations=permutations,
        confidence_level=confidence_level,
        random_state=random_state,
    )
    folding = Folding(n_train, n_test, runs, same_folds, overlap, rope, better, baseline, scale, columns)
    reading = {
        "id": id,
        "weight": weight,
        "sample_weight": sample_weight,
        "weight_kind": weight_kind,
        "groups": groups,
        "labels": labels,
        "pos_label": pos_label,
        "threshold": threshold,
        "costs": costs,
        "clip": clip,
        "missing": missing,
    }
    in_tables = {
        "actual": actual,
        "predicted": predicted,
        "score": score,
        "probabilities": probabilities,
        "missing_words": missing_words,
        "delimiter": delimiter,
    }
    given = _Given(y_true, models, design, reading, in_tables, memory, approximate or None)
    if table is not None:
        return _of_table(data, table, metric, asked, folding, given)
    if named is not None and folds:
        return _of_folds(named, metric, asked, folding, given)
    if folding.said:
        raise OptionError(
            f"{folding.said[0]} is about scores by fold or data set: say per='fold' or 'dataset'."
        )
    if named is not None and y_true is None and are_figures(named):
        return _of_figures(named, asked, given)
    if models is not None:
        return _of_columns(data, models, asked, given)
    if named is None:
        raise OptionError(
            f"models are given by name, such as {{'tree': ..., 'forest': ...}}; got {_shown(data)}.",
            hint="name the columns of a table with models=, or say per='fold' or per='dataset' for scores.",
        )
    return _of_sources(named, asked, given) if y_true is None else _of_arrays(named, asked, given)


# --- one function per way of giving models --------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Given:
    """What was given beside the models."""

    y_true: Any
    models: Mapping[str, str] | Sequence[str] | None
    design: Stated | None
    reading: Mapping[str, Any]
    """What is said of rows."""
    in_tables: Mapping[str, Any]
    """What is said of the columns of files and data frames."""
    memory: str | int | None = None
    approximate: bool | None = None

    @property
    def of_files(self) -> dict[str, Any]:
        """What is said of files alone."""
        return {"memory": self.memory, "approximate": self.approximate}

    @property
    def of_rows(self) -> dict[str, Any]:
        """All that is about rows."""
        beside = {"y_true": self.y_true, "design": self.design}
        return {**beside, **self.of_files, **self.reading, **self.in_tables}

    def options(self, asked: Question) -> dict[str, Any]:
        """How rows are evaluated."""
        return {**self.reading, "confidence_level": asked.level, "random_state": asked.seed}


def _of_table(
    data: Any, per: Per, metric: str | None, asked: Question, folding: Folding, given: _Given
) -> Comparison:
    """A table of scores by fold or by data set."""
    of_rows = given.of_rows
    reading = {name: of_rows[name] for name in ("missing", "missing_words", "delimiter")}
    refuse_idle({"metrics": asked.metrics, **of_rows}, f"per={per!r}", but=tuple(reading))
    return compare_table(data, per, metric, asked, folding, models=_by_name(given.models), **reading)


def _of_folds(
    scores: Mapping[str, FoldScores], metric: str | None, asked: Question, folding: Folding, given: _Given
) -> Comparison:
    """Scores by fold with a fingerprint."""
    idle = {"models": given.models, "metrics": asked.metrics, **given.of_rows}
    refuse_idle(idle, "scores by fold")
    return compare_fold_scores(scores, metric, asked, folding)


def _of_figures(figures: Mapping[str, Any], asked: Question, given: _Given) -> Comparison:
    """Accuracies and the numbers of rows they were measured on."""
    refuse_idle({"models": given.models, **given.of_rows}, "accuracies and their numbers of rows")
    return compare_figures(figures, asked)


def _of_columns(
    data: Any, models: Mapping[str, str] | Sequence[str], asked: Question, given: _Given
) -> Comparison:
    """Columns of one file or data frame."""
    reading = {**given.options(asked), **given.in_tables}
    idle = {"y_true": given.y_true, **given.of_files}
    if files_of({"": data}, reading) is not None:
        reading["memory"] = idle.pop("memory")
    refuse_idle(idle, "models that are columns of a table")
    evs = of_columns(data, models, reading)
    return _compared(evs, asked, given, one_table=True)


def _of_arrays(models: Mapping[str, Any], asked: Question, given: _Given) -> Comparison:
    """Answers or scores beside what is true."""
    refuse_idle({**given.in_tables, **given.of_files}, "y_true")
    evs = of_arrays(models, given.y_true, given.options(asked))
    return _compared(evs, asked, given, one_table=True)


def _of_sources(models: Mapping[str, Any], asked: Question, given: _Given) -> Comparison:
    """Evaluations, counts, files and data frames."""
    _refuse_bare_values(models)
    options = {**given.options(asked), **given.in_tables}
    if all(isinstance(each, Evaluation | Confusion) for each in models.values()):
        counted = any(isinstance(each, Confusion) for each in models.values())
        refuse_idle(
            options,
            "models that are evaluated already",
            but=("costs", "confidence_level", "random_state", *(("pos_label",) if counted else ())),
        )
    notes: tuple[str, ...] = ()
    if options["id"] is None and given.design is None:
        options["id"] = guessed_id(list(models.values()), options)
        notes = () if options["id"] is None else (said_of_id(options["id"]),)
    files = files_of(models, options | given.of_files)
    if files is None:
        refuse_idle(given.of_files, "models of which some are no files")
        return _compared(of_sources(models, options), asked, given, notes=notes)
    if given.design == "other rows":  # each is counted by itself
        options |= {name: value for name, value in given.of_files.items() if value is not None}
    elif len(models) > 1:
        with outgrown(files, parsed_memory(given.memory)) as found:
            if found is not None:
                costs = given.reading["costs"]
                return compare_on_disk(files, found, asked, costs=costs, design=given.design, notes=notes)
    return _compared(of_sources(models, options), asked, given, notes=notes)


def _compared(evs: Mapping[str, Evaluation], asked: Question, given: _Given, **known: Any) -> Comparison:
    return compare_evaluations(evs, asked, costs=given.reading["costs"], design=given.design, **known)


def compare_evaluations(
    evs: Mapping[str, Evaluation],
    asked: Question,
    *,
    costs: CostsGiven | None = None,
    design: Stated | None = None,
    one_table: bool = False,
    notes: Sequence[str] = (),
) -> Comparison:
    """Models that are evaluated: on the same rows, or on other ones, as far as can be told."""
    said = dict.fromkeys((*notes, *notes_of(evs)))
    for name, ev in evs.items():
        _refuse_other_shares(name, ev)
    lost = any(ev.encode is None and (ev.ranked is None or ev.ranked.rows is None) for ev in evs.values())
    lost = lost and all(ev.sets is None for ev in evs.values())
    if one_table and lost:
        raise too_large()
    if design == "same rows" and lost and len(evs) > 1:
        return compare_lost_pairs(evs, asked, costs, tuple(said))
    matched = match(evs, stated=design, one_table=one_table)
    compared = compare_same_rows if matched.same else compare_other_rows
    return compared(evs, matched, asked, costs, tuple(said))


def _refuse_other_shares(name: str, ev: Evaluation) -> None:
    """Differences are told of the rows there are."""
    if any(each is not None and each.shares is not None for each in (ev.sample, ev.ranked)):
        raise OptionError(
            f"{quoted(name)} is evaluated under class shares that are not those of its rows (at_prevalence).",
            hint="compare the models as they were evaluated, without at_prevalence.",
        )


def _by_text(data: Any) -> dict[str, Any] | None:
    """The models by name, which may have been a number; None when this is something else."""
    if not isinstance(data, Mapping) or not len(data) or frames.is_frame(data):
        return None
    names = [str(name) for name in data]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise OptionError(f"two models are called {quoted(twice)}.", hint="give each a name of its own.")
    return dict(zip(names, data.values(), strict=True))


def _by_name(models: Mapping[str, str] | Sequence[str] | None) -> dict[str, str] | None:
    """Columns by the name of the model, which is the column's own if none was given."""
    if models is None:
        return None
    if isinstance(models, Mapping):
        return {str(name): str(column) for name, column in models.items()}
    return {str(column): str(column) for column in ([models] if isinstance(models, str) else models)}


def _refuse_bare_values(models: Mapping[str, Any]) -> None:
    for name, given in models.items():
        listed = isinstance(given, list | tuple | np.ndarray) or frames.is_series(given)
        alone = given is None or isinstance(given, Number)
        if alone or (listed and not _are_paths(given)):
            came = repr(given) if alone else "a list of values"
            raise OptionError(
                f"{quoted(name)} is {came}, and nothing says what {'that is' if alone else 'they are'}.",
                hint="answers or scores of rows need y_true=; scores by fold or by data set need per='fold' "
                "or per='dataset'; accuracies and their numbers of rows are pairs, (0.85, 30), for all.",
            )


def _are_paths(given: Any) -> bool:
    listed = isinstance(given, list | tuple) and bool(given)
    return listed and all(isinstance(each, PathLike) for each in given)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 and "\n" not in text else f"a value of type {type(value).__name__}"
