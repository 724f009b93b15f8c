"""Tables of scores, by fold or by data set, to their comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from tallymark.comparison.question import Folding, Question
from tallymark.comparison.result import Comparison
from tallymark.comparison.score_tables.data_sets import compare_data_sets
from tallymark.comparison.score_tables.folds import compare_folds
from tallymark.errors import OptionError, naming
from tallymark.intake.files.lists import files_named
from tallymark.intake.score_tables import ScoreTable, read_scores
from tallymark.tallies.labels import quoted

Per = Literal["fold", "dataset"]
MOST_FOLDS = 20
TAKEN_AS_ACCURACY = (
    "nothing says what the scores are, so they are taken as accuracy, of which higher is better; --metric "
    "names another number, and --better lower turns them round (in Python metric=, better=)."
)


@dataclass(frozen=True)
class FoldScores:
    """A model's scores on folds that a fingerprint tells from other folds.

    Two models with the same fingerprint were tried on the same folds, which proves that their scores belong
    together fold by fold.
    """

    scores: Sequence[float]
    fingerprint: str
    n_train: Any = None
    n_test: Any = None
    runs: int = 1
    note: str = ""
    """What must be said of them, such as folds that are left out."""


def compare_fold_scores(
    models: Mapping[str, FoldScores], metric: str | None, question: Question, folding: Folding
) -> Comparison:
    """Models whose folds are told by fingerprints."""
    first = next(iter(models.values()))
    sizes = {(repr(each.n_train), repr(each.n_test), each.runs) for each in models.values()}
    if len(sizes) > 1:
        raise OptionError("the models have folds of other sizes, so these are not the same folds.")
    own = {"n_train": first.n_train, "n_test": first.n_test, "runs": None if first.runs == 1 else first.runs}
    for name, value in own.items():
        if value is not None and getattr(folding, name) is not None:
            raise OptionError(f"{name} is said by the scores, and again by {name}=.", hint="leave one out.")
    known = replace(folding, **{name: value for name, value in own.items() if value is not None})
    return compare_folds(
        {name: each.scores for name, each in models.items()},
        question,
        known,
        metric=metric or "accuracy",
        fingerprints={name: each.fingerprint for name, each in models.items()},
        notes=tuple(dict.fromkeys(each.note for each in models.values() if each.note)),
    )


def compare_table(
    data: Any,
    per: Per | None,
    metric: str | None,
    question: Question,
    folding: Folding,
    *,
    models: Mapping[str, str] | None,
    **reading: Any,
) -> Comparison:
    """A table of scores in any form."""
    if per not in (None, "fold", "dataset"):
        raise OptionError(f"per must be 'fold' or 'dataset'; got {per!r}.")
    apart = isinstance(data, Mapping) and per == "fold"
    if apart and not folding.same_folds:
        raise OptionError(
            "nothing proves that these scores come from the same folds.",
            hint="if they do, fold by fold, say so: same_folds=True.",
        )
    with naming(files_named(data)):
        table = read_scores(
            data,
            metric=metric,
            per=per,
            columns=folding.columns,
            models=None if models is None else list(models.values()),
            scale=folding.scale,
            **reading,
        )
    if models is not None:
        names = {column: name for name, column in models.items()}
        table = replace(table, models=tuple(names.get(column, column) for column in table.models))
    compared = _of_folds if table.design == "same folds" else _of_data_sets
    named = metric or table.metric
    if named is None and folding.better is None:
        table = replace(table, notes=(*table.notes, TAKEN_AS_ACCURACY))
    found = compared(table, named or ("score" if folding.better else "accuracy"), question, folding)
    return replace(found, library=table.library)


def _of_data_sets(table: ScoreTable, metric: str, question: Question, folding: Folding) -> Comparison:
    return compare_data_sets(
        table.by_model(),
        table.data_sets,
        question,
        folding,
        metric=metric,
        folds=table if table.has_folds else None,
        notes=table.notes,
    )


def _of_folds(table: ScoreTable, metric: str, question: Question, folding: Folding) -> Comparison:
    folds = table.folds[0]
    if folding.baseline is not None:
        named = quoted(folding.baseline)
        raise OptionError(f"baseline is about many data sets, and there is one; got {named}.")
    sizes = folding.n_train, folding.n_test, folding.runs, folds.n_train, folds.n_test
    if len(folds.names) > MOST_FOLDS and folding.overlap and folds.runs == 1 and sizes == (None,) * 5:
        raise OptionError(
            f"{len(folds.names)} folds are more than one cross-validation has as a rule, and how sure the "
            "test is depends on how often it was repeated.",
            hint="say --runs 10 for ten times ten folds, --runs 1 if it was one, or the sizes: --n-train and "
            "--n-test (in Python runs=, n_train=, n_test=).",
        )
    known = replace(
        folding,
        n_train=folds.n_train if folding.n_train is None else folding.n_train,
        n_test=folds.n_test if folding.n_test is None else folding.n_test,
        runs=folds.runs if folding.runs is None else folding.runs,
        same_folds=True,  # as the rows of one table state
    )
    return compare_folds(
        table.by_model(),
        question,
        known,
        metric=metric,
        fold_names=folds.names,
        data_set=table.data_sets[0] if table.data_sets else "",
        notes=table.notes,
    )
