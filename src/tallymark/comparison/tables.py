"""Tables of scores, by fold or by data set, to their comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from tallymark.comparison.data_sets import compare_data_sets
from tallymark.comparison.folds import compare_folds
from tallymark.comparison.question import Question
from tallymark.comparison.result import Comparison
from tallymark.errors import OptionError
from tallymark.intake.score_tables import Scale, ScoreTable, read_scores
from tallymark.tallies.labels import quoted

Per = Literal["fold", "dataset"]


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


@dataclass(frozen=True)
class Folding:
    """What is known of the folds, and what is asked of scores by fold or by data set."""

    n_train: Any = None
    n_test: Any = None
    runs: int | None = None
    same_folds: bool = False
    overlap: bool = True
    rope: float = 0.01
    better: str | None = None
    baseline: str | None = None
    scale: Scale = "share"
    columns: Mapping[str, str] | None = None


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
    return _folds(
        {name: each.scores for name, each in models.items()},
        metric,
        question,
        known,
        fingerprints={name: each.fingerprint for name, each in models.items()},
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
    named = metric or table.metric
    if table.design == "same folds":
        return replace(_of_folds(table, named, question, folding), library=table.library)
    found = compare_data_sets(
        table.by_model(),
        table.data_sets,
        metric=named or "accuracy",
        better=folding.better,
        folds=table if table.has_folds else None,
        baseline=folding.baseline,
        rope=folding.rope,
        margin=question.margin,
        alternative=question.alternative,
        adjust=question.adjust,
        confidence_level=question.level,
        random_state=question.seed,
        notes=table.notes,
    )
    return replace(found, library=table.library)


def _of_folds(table: ScoreTable, metric: str | None, question: Question, folding: Folding) -> Comparison:
    folds = table.folds[0]
    if folding.baseline is not None:
        named = quoted(folding.baseline)
        raise OptionError(f"baseline is about many data sets, and there is one; got {named}.")
    known = replace(
        folding,
        n_train=folds.n_train if folding.n_train is None else folding.n_train,
        n_test=folds.n_test if folding.n_test is None else folding.n_test,
        runs=folds.runs if folding.runs is None else folding.runs,
    )
    return _folds(
        table.by_model(), metric, question, known, stated=True, fold_names=folds.names, notes=table.notes
    )


def _folds(
    scores: Mapping[str, Sequence[float]],
    metric: str | None,
    question: Question,
    folding: Folding,
    **known: Any,
) -> Comparison:
    return compare_folds(
        scores,
        metric=metric or "accuracy",
        better=folding.better,
        n_train=folding.n_train,
        n_test=folding.n_test,
        runs=1 if folding.runs is None else folding.runs,
        overlap=folding.overlap,
        rope=folding.rope,
        margin=question.margin,
        alternative=question.alternative,
        adjust=question.adjust,
        confidence_level=question.level,
        **known,
    )
