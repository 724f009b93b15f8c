"""DeLong's test: whether two areas under ROC curves differ."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import OptionError, ShapeError
from tallymark.evaluation.counted import one_group
from tallymark.inference import Estimate, Ranking
from tallymark.inference.paired_ranking import PairedRanking
from tallymark.inference.paired_scores.gap import Evidence, Gap
from tallymark.inference.paired_scores.other_rows import of_other_rows, other_rows_gap
from tallymark.intake import frames
from tallymark.intake.answers import scored
from tallymark.intake.columns import LabelColumn, array_places
from tallymark.intake.encoded import encoded
from tallymark.intake.ranking import count_scores
from tallymark.intake.rows import Missing, Rows, gather
from tallymark.intake.sources import labels_in, numbers_in, only_column, refuse_shuffled, sorting_column
from tallymark.intake.weights import WeightKind
from tallymark.intervals import checked_level
from tallymark.metrics import ask
from tallymark.tallies import Label
from tallymark.tests.outcome import Alternative, Outcome, checked_alternative

PAIRED = "DeLong, paired"
UNPAIRED = "DeLong, unpaired"
FEW_ROWS = "the variance rests on few rows, so the interval may be too narrow; tm.compare has a wider one"
_AREA = ask("auc")


def delong(
    y_true: Any,
    score_a: Any,
    score_b: Any,
    pos_label: object = None,
    *,
    sample_weight: Any = None,
    weight_kind: WeightKind = "sampling",
    groups: Any = None,
    missing: Missing = "error",
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
) -> Outcome:
    """Whether two models that scored the same rows differ in the area under the ROC curve.

    `value` is the area of a less that of b, and `statistic` is z. Rows of one group are not taken as
    independent (Obuchowski 1997). Where the variance rests on few rows the interval may be too narrow, which
    `note` says; `tm.compare` is more careful there. Models that were tried on other rows: `delong_unpaired`.

    >>> delong([1, 0, 1, 0], score_a=[0.9, 0.3, 0.8, 0.4], score_b=[0.9, 0.3, 0.2, 0.4]).value
    0.5

    DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44:837.
    """
    alternative, level = checked_alternative(alternative), checked_level(confidence_level)
    given = _Given(sample_weight, weight_kind, groups, missing)
    rows = _gathered(y_true, {"score_a": score_a, "score_b": score_b}, given)
    assert rows.score is not None
    assert rows.probabilities is not None
    notes = _about(rows)
    group = _groups(rows.group)
    ranking = PairedRanking(
        rows.score,
        rows.probabilities[:, 0],
        scored(rows, None, pos_label, notes).is_positive,
        level=level,
        weight=rows.weight,
        weight_kind=weight_kind,
        groups=None if group is None else (len(group[0]), group[1]),
    )
    a, b = ranking.rankings
    counts: dict[str, Any] = {"n_positive": a.scores.n_positive, "n_negative": a.scores.n_negative}
    found = ranking.of(_AREA)
    if found.value is not None:
        variances = ranking.variances(_AREA)
        counts |= {
            "auc_a": a.of(_AREA).value,
            "auc_b": b.of(_AREA).value,
            "variance_a": _finite(variances.of_a),
            "variance_b": _finite(variances.of_b),
            "covariance": _finite(variances.covariance),
        }
    return _outcome(PAIRED, found, ranking.gap(_AREA), alternative, counts, notes)


def delong_unpaired(
    y_true_a: Any,
    score_a: Any,
    y_true_b: Any,
    score_b: Any,
    pos_label: object = None,
    *,
    missing: Missing = "error",
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
) -> Outcome:
    """Whether two models that scored other rows differ in the area under the ROC curve.

    As `delong`, but the variances of both areas add up, and the p-value is of Student's distribution with as
    many degrees of freedom as Welch and Satterthwaite say of the rows.

    >>> delong_unpaired([1, 0, 1, 0], [0.9, 0.3, 0.8, 0.4], [1, 1, 0, 0], [0.9, 0.2, 0.3, 0.4]).value
    0.5
    """
    alternative, level = checked_alternative(alternative), checked_level(confidence_level)
    notes: list[str] = []
    models = []
    counts: dict[str, Any] = {}
    for name, y_true, score in (("a", y_true_a, score_a), ("b", y_true_b, score_b)):
        rows = _gathered(y_true, {f"score_{name}": score}, _Given(missing=missing), f"y_true_{name}")
        own = _about(rows)
        assert rows.score is not None
        is_positive = scored(rows, None, pos_label, own).is_positive
        models.append(Ranking(count_scores(rows.score, is_positive), level))
        notes += [note for note in (f"{name}: {said}" for said in own) if note not in notes]
        t = models[-1].scores
        counts |= {f"n_positive_{name}": t.n_positive, f"n_negative_{name}": t.n_negative}
    a, b = models
    found = of_other_rows(a, b, _AREA)
    if found.value is not None:
        counts |= {"auc_a": a.of(_AREA).value, "auc_b": b.of(_AREA).value}
    return _outcome(UNPAIRED, found, other_rows_gap(a, b, _AREA), alternative, counts, notes)


def _outcome(
    method: str,
    found: Estimate,
    gap: Gap | None,
    alternative: Alternative,
    counts: dict[str, Any],
    notes: list[str],
) -> Outcome:
    """DeLong's own interval and p-value, which `tm.compare` widens where they rest on few rows."""
    tested, why, note = Evidence(None, None), found.why, found.note
    if gap is not None:
        careful = gap.limits is not None and gap.seen
        found = gap.plain.estimate(replace(found, remark=None))
        tested = gap.plain.tested(alternative)
        note = FEW_ROWS if careful else found.note
    if why is None and tested.p_value is None:
        why = found.note
    said = [each.removesuffix(".") for each in (*notes, note) if each and each != why]
    return Outcome(
        method,
        tested.statistic,
        tested.p_value,
        df=tested.freedom,
        alternative=alternative,
        assumption=found.assumption or "independent rows",
        counts=counts,
        value=found.value,
        low=found.low,
        high=found.high,
        level=found.level,
        se=found.se,
        why=why,
        note="; ".join(said) or None,
    )


def _finite(number: float) -> float | None:
    return None if math.isnan(number) else number


# --- the door ------------------------------------------------------------------------------------


class _Given(NamedTuple):
    """What else was given of the rows."""

    weight: Any = None
    weight_kind: WeightKind = "sampling"
    groups: Any = None
    missing: Missing = "error"


def _gathered(y_true: Any, scores: dict[str, Any], given: _Given, role: str = "y_true") -> Rows:
    """Rows checked as `evaluate` checks them; one that lacks anything is an error or left out of both."""
    if given.weight_kind != "sampling" and given.weight is None:
        raise OptionError(f"weight_kind is {given.weight_kind!r}, but no weights were given.")
    refuse_shuffled(y_true, *scores.values(), given.weight, given.groups)
    columns = [numbers_in(_one_column(values, name), name) for name, values in scores.items()]
    weight, groups = given.weight, given.groups
    return gather(
        labels_in(only_column(y_true), role),
        None,
        columns[0],
        columns[1:],
        weight=None if weight is None else numbers_in(only_column(weight), "weight"),
        weight_kind=given.weight_kind,
        group=None if groups is None else sorting_column(labels_in, numbers_in, only_column(groups), "group"),
        missing=given.missing,
        where=array_places,
    )


def _one_column(values: Any, name: str) -> Any:
    values = only_column(values)
    width = np.shape(values)[1] if frames.is_frame(values) or np.ndim(values) > 1 else 1
    if width == 1:
        return values
    raise ShapeError(
        f"{name} has {width} columns, and the test takes one score per row.",
        hint="pass the column of the positive class, such as model.predict_proba(X)[:, 1].",
    )


def _groups(column: LabelColumn | None) -> tuple[tuple[Label, ...], NDArray[np.int64]] | None:
    if column is None:
        return None
    keys, codes = encoded(column)
    if len(keys) < 2:
        raise one_group(keys[0])
    return keys, codes


def _about(rows: Rows) -> list[str]:
    """What must be said of rows that were left out."""
    return [f"{n:,} {'row' if n == 1 else 'rows'} left out: {key}" for key, n in rows.dropped.items() if n]
