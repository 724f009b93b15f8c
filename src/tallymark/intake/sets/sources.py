"""Label sets by the role of the columns they come in, whatever form they have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tallymark.errors import OptionError
from tallymark.intake.columns import LabelColumn, NumberColumn, Where, titled
from tallymark.intake.roles import Roles, names_of
from tallymark.intake.rows import Checks
from tallymark.intake.sets.label_sets import EncodedSets, holds_sets, read_columns, read_delimited, read_sets

Others = Sequence[LabelColumn | NumberColumn]
"""Columns beside the sets, whose missing values cost rows as well."""


def are_sets(columns: Mapping[str, Any], roles: Roles) -> bool:
    """Whether rows have several labels: by how their columns were named, or by what type they have."""
    several = [len(names_of(side)) > 1 for side in (roles.actual, roles.predicted)]
    if roles.set_delimiter is not None or any(several):
        return True
    return any(holds_sets(columns[name]) for name in (*names_of(roles.actual), *names_of(roles.predicted)))


def named_sets(
    columns: Mapping[str, Any],
    roles: Roles,
    checks: Checks,
    where: Where,
    *,
    text: bool,
    as_written: bool,
    beside: Others,
) -> EncodedSets:
    """From columns of a frame or a file."""
    if roles.score is not None or roles.probabilities is not None:
        raise _no_scores()
    actual, predicted = names_of(roles.actual), names_of(roles.predicted)
    if not predicted:
        raise OptionError(
            "the predicted label sets are missing.", hint="name their columns with --predicted."
        )
    common: dict[str, Any] = {
        "labels": checks.labels,
        "missing": checks.missing,
        "where": where,
        "beside": beside,
    }
    if len(actual) > 1 or len(predicted) > 1:
        if roles.set_delimiter is not None:
            raise OptionError(
                "several columns and a set delimiter were both given.",
                hint="with a column per label there is nothing to delimit.",
            )
        sides = [{name: columns[name] for name in names} for names in (actual, predicted)]
        return read_columns(*sides, **common)
    words = titled("actual", actual[0]), titled("predicted", predicted[0])
    sides_of = columns[actual[0]], columns[predicted[0]]
    if roles.set_delimiter is not None:
        return read_delimited(
            *sides_of,
            set_delimiter=roles.set_delimiter,
            text=text,
            as_written=as_written,
            missing_words=checks.missing_words,
            roles=words,
            **common,
        )
    return read_sets(*sides_of, roles=words, as_written=as_written, **common)


def given_sets(y_true: Any, y_pred: Any, y_score: Any, checks: Checks, beside: Others) -> EncodedSets:
    """From arrays, lists of sets, or frames with a column per label."""
    if y_score is not None:
        raise _no_scores()
    return read_sets(y_true, y_pred, labels=checks.labels, missing=checks.missing, beside=beside)


def _no_scores() -> OptionError:
    return OptionError(
        "label sets are evaluated from answers, not from scores.",
        hint="say which labels are predicted: cut the scores first.",
    )
