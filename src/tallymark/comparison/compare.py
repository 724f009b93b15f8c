"""From what a user has to a `Comparison`: the design is recognised from what is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from tallymark.comparison.beside import GivenBeside
from tallymark.comparison.given import (
    by_name,
    by_text,
    files_of,
    guessed_id,
    named_columns,
    of_arrays,
    of_columns,
    of_sources,
    refuse_bare_values,
    said_of_id,
    stores_of,
    too_large,
)
from tallymark.comparison.idle import refuse_idle
from tallymark.comparison.question import Folding, Question, question
from tallymark.comparison.result import Comparison
from tallymark.comparison.rows.accuracies import are_figures, compare_figures
from tallymark.comparison.rows.aligned import notes_of
from tallymark.comparison.rows.engine_files import ByEngine
from tallymark.comparison.rows.in_engine import (
    brought_here,
    compare_columns,
    compare_tables,
    refuse_apart,
)
from tallymark.comparison.rows.lost_pairs import compare_lost_pairs
from tallymark.comparison.rows.on_disk import compare_on_disk, outgrown
from tallymark.comparison.rows.other_rows import compare_other_rows
from tallymark.comparison.rows.same_rows import compare_same_rows
from tallymark.comparison.score_tables.tables import FoldScores, Per, compare_fold_scores, compare_table
from tallymark.errors import OptionError
from tallymark.evaluation import Evaluation
from tallymark.evaluation.given import EngineName
from tallymark.evaluation.matching import Stated, match, refuse_design
from tallymark.intake.costs import CostsGiven
from tallymark.intake.engines.recognised import store_of
from tallymark.intake.engines.tables import EngineStore
from tallymark.intake.roles import Probabilities
from tallymark.intake.rows import Missing
from tallymark.intake.score_tables import Scale
from tallymark.intake.weights import WeightKind
from tallymark.tallies import Confusion, Label
from tallymark.tallies.labels import quoted


@np.errstate(under="ignore")
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
    engine: EngineName | None = None,
    master: str | None = None,
    scheduler: str | None = None,
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
    differences of areas then have certified `.bounds`. Tables of DuckDB, Dask and Spark stay there:
    they are joined by `id`, or models are columns of one of them, and rows are counted where they are. So
    are Parquet files with an `engine`: "duckdb", "spark" (at a `master`) or "dask" (at a `scheduler`).

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
    named = by_text(data)
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
    of_files = {
        "memory": memory,
        "approximate": approximate or None,
        "engine": engine,
        "master": master,
        "scheduler": scheduler,
    }
    given = GivenBeside(y_true, models, design, reading, in_tables, of_files)
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


def _of_table(
    data: Any, per: Per, metric: str | None, asked: Question, folding: Folding, given: GivenBeside
) -> Comparison:
    """A table of scores by fold or by data set."""
    of_rows = given.of_rows
    reading = {name: of_rows[name] for name in ("missing", "missing_words", "delimiter")}
    refuse_idle({"metrics": asked.metrics, **of_rows}, f"per={per!r}", but=tuple(reading))
    return compare_table(data, per, metric, asked, folding, models=by_name(given.models), **reading)


def _of_folds(
    scores: Mapping[str, FoldScores],
    metric: str | None,
    asked: Question,
    folding: Folding,
    given: GivenBeside,
) -> Comparison:
    """Scores by fold with a fingerprint."""
    idle = {"models": given.models, "metrics": asked.metrics, **given.of_rows}
    refuse_idle(idle, "scores by fold")
    return compare_fold_scores(scores, metric, asked, folding)


def _of_figures(figures: Mapping[str, Any], asked: Question, given: GivenBeside) -> Comparison:
    """Accuracies and the numbers of rows they were measured on."""
    refuse_idle({"models": given.models, **given.of_rows}, "accuracies and their numbers of rows")
    return compare_figures(figures, asked)


def _of_columns(
    data: Any, models: Mapping[str, str] | Sequence[str], asked: Question, given: GivenBeside
) -> Comparison:
    """Columns of one file or data frame."""
    reading = {**given.options(asked), **given.in_tables}
    store = store_of(data, lazy=given.approximate)
    if store is not None:
        refuse_idle({"y_true": given.y_true}, "models that are columns of a table")
        return _of_engine_columns(store, named_columns(models, reading), asked, given, reading)
    idle = {"y_true": given.y_true, **given.of_files}
    files, engine = files_of({"": data}, reading | given.of_files), given.engine
    if files is not None and engine is not None:
        refuse_idle({"y_true": given.y_true}, "models that are columns of a table")
        columns = named_columns(models, reading)
        return ByEngine(engine, asked, given.design).compare_columns(replace(files[""], title=""), columns)
    if files is not None:
        reading["memory"] = idle.pop("memory")
        idle.pop("engine")  # this process
    refuse_idle(idle, "models that are columns of a table")
    evs = of_columns(data, models, reading)
    return _compared(evs, asked, given, one_table=True)


def _of_arrays(models: Mapping[str, Any], asked: Question, given: GivenBeside) -> Comparison:
    """Answers or scores beside what is true."""
    refuse_idle({**given.in_tables, **given.of_files}, "y_true")
    evs = of_arrays(models, given.y_true, given.options(asked))
    return _compared(evs, asked, given, one_table=True)


def _of_sources(models: Mapping[str, Any], asked: Question, given: GivenBeside) -> Comparison:
    """Evaluations, counts, files and data frames."""
    refuse_bare_values(models)
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
    stores = None if len(models) < 2 else stores_of(models, lazy=given.approximate)
    if stores is not None and given.design != "other rows":
        return _of_engine_tables(stores, asked, given, options, notes)
    files = files_of(models, options | given.of_files)
    if stores is not None:
        options |= {name: value for name, value in given.of_files.items() if value is not None}
    elif files is None:
        refuse_idle(given.of_files, "models of which some are no files")
    elif given.design == "other rows":  # each is counted by itself
        options |= {name: value for name, value in given.of_files.items() if value is not None}
    elif len(models) > 1 and given.engine is not None:
        return ByEngine(given.engine, asked, given.design, notes).compare_files(files)
    elif len(models) > 1:
        with outgrown(files, given.memory) as found:
            if found is not None:
                costs = given.reading["costs"]
                return compare_on_disk(files, found, asked, costs=costs, design=given.design, notes=notes)
    return _compared(of_sources(models, options), asked, given, notes=notes)


def _of_engine_tables(
    stores: Mapping[str, EngineStore | None],
    asked: Question,
    given: GivenBeside,
    options: dict[str, Any],
    notes: tuple[str, ...],
) -> Comparison:
    """Tables that stay in an engine, which joins them."""
    refuse_design(len(stores), given.design, one_table=False)
    refuse_apart(stores, named=options["id"] is not None)
    held = {name: store for name, store in stores.items() if store is not None}
    how = given.in_engine(asked, options, notes)
    brought = brought_here(held, [], how)
    if brought is None:
        return compare_tables(held, how)
    return _compared(of_sources(brought[0], options), asked, given, notes=(*notes, brought[1]))


def _of_engine_columns(
    store: EngineStore,
    columns: Mapping[str, str],
    asked: Question,
    given: GivenBeside,
    options: dict[str, Any],
) -> Comparison:
    """Columns of a table that stays in an engine."""
    refuse_design(len(columns), given.design, one_table=True)
    how = given.in_engine(asked, options, ())
    brought = brought_here({"": store}, list(columns.values()), how)
    if brought is None:
        return compare_columns(store, columns, how)
    evs = of_columns(brought[0][""], columns, options)
    return _compared(evs, asked, given, one_table=True, notes=(brought[1],))


def _compared(evs: Mapping[str, Evaluation], asked: Question, given: GivenBeside, **known: Any) -> Comparison:
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


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 and "\n" not in text else f"a value of type {type(value).__name__}"
