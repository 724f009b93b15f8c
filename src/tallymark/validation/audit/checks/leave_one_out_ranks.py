"""TM024: numbers that rank rows, of folds in which there is nothing to rank."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tallymark.drawing import number
from tallymark.findings.finding import Finding
from tallymark.tallies.labels import quoted
from tallymark.validation.audit.checks.missing_class import method, most_folds
from tallymark.validation.audit.scored import pooled
from tallymark.validation.validating.summary import is_ranked

if TYPE_CHECKING:
    from tallymark.resampling.folds import Folds
    from tallymark.validation.audit.protocol import Protocol
    from tallymark.validation.data.data_set import DataSet

_SHOWN = 3


def check(protocol: Protocol) -> Finding | None:
    data, folds = protocol.data, protocol.folds
    ranked = [name for name in protocol.metrics if is_ranked(name)]
    if not ranked or not nothing_to_rank(data, folds):
        return None
    single = all(fold.n_test == 1 for fold in folds.folds)
    alone = _of_one_class(data, folds)
    values = {
        metric: {name: one.value for name, one in of_models.items()}
        for metric, of_models in pooled(protocol, ranked).items()
    }
    which = f"each of {len(folds):,}" if alone == len(folds) else f"{alone:,} of {len(folds):,}"
    one = "one row" if single else "rows of one class"
    verbs = ("ranks", "it is") if len(ranked) == 1 else ("rank", "they are")
    return Finding(
        "TM024",
        f"{' and '.join(ranked)} {verbs[0]} rows against each other, but {which} folds "
        f"{'tests' if alone == len(folds) else 'test'} {one}, so {verbs[1]} undefined there."
        f"{_of_pooled(values, len(folds))} {_way_out(protocol)}",
        {"folds": len(folds), "folds_of_one_class": alone, "pooled": values},
    )


def nothing_to_rank(data: DataSet, folds: Folds) -> bool:
    """Whether most folds test rows of one class alone, as those of leave-one-out all do."""
    return len(folds) > 1 and 2 * _of_one_class(data, folds) > len(folds)


def _of_one_class(data: DataSet, folds: Folds) -> int:
    classes = (data.actual[fold.test] for fold in folds.folds)
    return sum(len(own) == 1 or bool((own == own[0]).all()) for own in classes)


def _of_pooled(values: Mapping[str, Mapping[str, float | None]], folds: int) -> str:
    """What the numbers of all test rows together are worth, with those of the first of them."""
    metric, first = next(iter(values.items()))
    if not first:
        return ""
    told = [
        f"{quoted(name)} {number(value)}" if len(first) > 1 else number(value)
        for name, value in list(first.items())[:_SHOWN]
    ]
    named, more = f"{metric} " if len(values) > 1 else "", ", ..." if len(first) > _SHOWN else ""
    return (
        f" Pooled ({named}{', '.join(told)}{more}), the scores of {folds:,} different models are ranked, "
        "each of which learned less of the class that it is tested on: a model that knows nothing but the "
        "shares of the classes gets an auc near 0, not 0.5."
    )


def _way_out(protocol: Protocol) -> str:
    data = protocol.data
    most = most_folds(data, range(len(data.labels)))
    if most is None or most == 1:
        return "Take folds with rows of every class."
    most = min(most, max(2, len(protocol.folds) // 2))
    if data.groups is not None:
        return f"Take folds of several groups: {method(protocol, most)}."
    return f"Take folds of several rows: {method(protocol, most, runs=10)}."
