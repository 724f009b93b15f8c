"""From what a user has to an `Evaluation`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from os.path import exists
from pathlib import Path
from typing import Any

import numpy as np

from tallymark.decisions import best_threshold, objective_of
from tallymark.errors import LabelError, OptionError, ShapeError
from tallymark.evaluation.result import Evaluation
from tallymark.inference import Sample
from tallymark.intake.costs import Costs, read_costs
from tallymark.intake.rows import Missing, count_labels, finished
from tallymark.intake.sources import Probabilities, Roles, Source
from tallymark.intervals import checked_level
from tallymark.tallies import Confusion, Label
from tallymark.tallies.labels import conventional_positive, find, listed, quoted, stated

DEFAULT_THRESHOLD = 0.5
PASS_A_THRESHOLD = "pass a threshold"

CostsGiven = str | Path | Sequence[Sequence[float]] | Mapping[Any, Any] | np.ndarray[Any, Any]


@dataclass(frozen=True)
class _Counted:
    """What came through the door: a tally, or the reason why there is none yet."""

    confusion: Confusion | None
    positive: Label | None
    threshold: float | None
    notes: list[str]
    labels: tuple[Label, ...]
    rows: int
    dropped: Mapping[str, int]
    chosen_here: str | None = None


def evaluate(
    data: Any,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    actual: str | None = None,
    predicted: str | None = None,
    score: str | None = None,
    probabilities: Probabilities | None = None,
    id: str | None = None,
    labels: Sequence[Label] | None = None,
    pos_label: object = None,
    threshold: float | str | None = None,
    costs: CostsGiven | None = None,
    missing: Missing = "error",
    missing_words: Sequence[str] = (),
    delimiter: str | None = None,
    undefined: float | None = None,
    confidence_level: float = 0.95,
    random_state: int | None = 0,
) -> Evaluation:
    """Count rows once and answer everything from the counts.

    `data` is `y_true` (with `y_pred` or `y_score`), a data frame, or the path of a file or a list
    of paths (with the names of its columns: `actual`, and `predicted`, `score` or `probabilities`).

    >>> evaluate(["yes", "no", "yes"], ["yes", "no", "no"], pos_label="yes")["recall"].value
    0.5
    """
    level = checked_level(confidence_level)
    declared = _declared(labels)
    # Names of frames may be numbers; everything behind here knows them as text.
    columns = _names(probabilities)
    roles = Roles(_name(actual), _name(predicted), _name(score), columns, _name(id))
    source = _source(data, y_pred, y_score, roles, missing, missing_words, delimiter)
    counted = _count(source, declared, pos_label, threshold, costs)
    table = None
    if costs is not None:
        table = read_costs(costs, labels=counted.labels, order_stated=declared == counted.labels)
    return _evaluation(counted, table, level, undefined, random_state)


def _name(column: object) -> str | None:
    return None if column is None else str(column)


def _names(columns: Probabilities | None) -> Probabilities | None:
    if isinstance(columns, str):
        raise OptionError(
            f"probabilities are several columns; got {columns!r}.", hint="one column is a score: pass score=."
        )
    if isinstance(columns, Mapping):
        return {label: str(column) for label, column in columns.items()}
    return None if columns is None else [str(column) for column in columns]


def evaluate_confusion(
    confusion: Confusion,
    *,
    pos_label: object = None,
    costs: CostsGiven | None = None,
    undefined: float | None = None,
    confidence_level: float = 0.95,
    random_state: int | None = 0,
    notes: Sequence[str] = (),
) -> Evaluation:
    """Everything that can be said from counts alone.

    >>> evaluate_confusion(Confusion([[150, 40], [60, 250]], labels=["+", "-"]))["accuracy"].value
    0.8
    """
    said = list(notes)
    if confusion.n == 0:
        raise ShapeError("there are no rows in this tally.")
    positive = _positive(confusion.labels, pos_label)
    if positive is None and len(confusion.labels) == 2 and confusion.declared:
        positive = confusion.labels[0]
        said.append(f"positive class: {quoted(positive)}, the first label of the matrix.")
    counted = _Counted(
        confusion, positive, None, said, confusion.labels, confusion.n, dict(confusion.dropped)
    )
    table = None
    if costs is not None:
        table = read_costs(costs, labels=confusion.labels, order_stated=confusion.declared)
    return _evaluation(counted, table, checked_level(confidence_level), undefined, random_state)


def _evaluation(
    counted: _Counted, costs: Costs | None, level: float, undefined: float | None, seed: int | None
) -> Evaluation:
    if undefined not in (None, 0):
        raise OptionError(f"undefined must be None or 0; got {undefined!r}.")
    if seed is None:
        seed = 0  # nothing here needs luck: without a seed the draws are those of the default one
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise OptionError(f"random_state must be a whole number from 0 up; got {seed!r}.")
    sample = None
    if counted.confusion is not None:
        matrix = None if costs is None else np.array(costs.matrix, float)
        sample = Sample(counted.confusion, level, int(seed), matrix, undefined)
    return Evaluation(
        sample=sample,
        labels=counted.labels,
        positive=counted.positive,
        rows=counted.rows,
        dropped=counted.dropped,
        threshold=counted.threshold,
        costs=costs,
        notes=tuple(counted.notes),
        chosen_here=counted.chosen_here,
        why_not=None if sample is not None else PASS_A_THRESHOLD,
    )


def _declared(labels: Sequence[Label] | None) -> tuple[Label, ...] | None:
    if labels is None:
        return None
    if not hasattr(labels, "__len__") or len(labels) < 2:
        raise LabelError(f"labels must be a list of at least two labels; got {labels!r}.")
    return stated(labels)


def _source(
    data: Any,
    y_pred: Any,
    y_score: Any,
    roles: Roles,
    missing: Missing,
    missing_words: Sequence[str],
    delimiter: str | None,
) -> Source:
    from tallymark.intake import frames, sources

    given = y_pred is not None or y_score is not None
    if roles.score is not None and roles.probabilities is not None:
        raise OptionError("one score and one probability per class exclude each other; name one of them.")
    if isinstance(data, str | PathLike) or (not given and _are_paths(data)):
        if given:
            raise OptionError("a file has its answers in columns; name them with predicted= or score=.")
        paths = [data] if isinstance(data, str | PathLike) else list(data)
        return sources.from_files(
            [Path(path) for path in paths],
            roles,
            missing=missing,
            delimiter=delimiter,
            missing_words=missing_words,
        )
    if missing_words or delimiter is not None:
        raise OptionError(
            f"{'missing_words' if missing_words else 'delimiter'} is about reading files, "
            f"and the data is of type {type(data).__name__}."
        )
    if not given and not isinstance(data, np.ndarray | list | tuple) and frames.is_frame(data):
        return sources.from_frame(data, roles, missing=missing)
    if isinstance(data, Mapping):
        raise OptionError(
            f"a {type(data).__name__} is not a data frame.",
            hint="make one of it (pandas.DataFrame(...), polars.DataFrame(...)), or pass its columns: "
            "evaluate(y_true, y_pred).",
        )
    if not given:
        raise OptionError(
            "the answers are missing.",
            hint="pass evaluate(y_true, y_pred) or evaluate(y_true, y_score=...), a data frame or a file.",
        )
    if roles.used:
        raise OptionError(
            f"column names {listed(roles.used)} go with a data frame or a file, not with arrays."
        )
    return sources.from_arrays(data, y_pred, y_score, missing=missing)


def _are_paths(data: Any) -> bool:
    """Whether a list names files; labels without answers would look alike, but have no suffix."""
    named = isinstance(data, list | tuple) and bool(data) and all(isinstance(d, str | PathLike) for d in data)
    return named and all(isinstance(d, PathLike) or Path(d).suffix or exists(d) for d in data)


def _count(
    source: Source,
    declared: Sequence[Label] | None,
    pos_label: object,
    threshold: float | str | None,
    costs: CostsGiven | None,
) -> _Counted:
    from tallymark.intake.answers import count_probabilities

    notes = list(source.notes)
    rows = source.rows
    if rows.predicted is not None:
        if threshold is not None:
            raise OptionError(
                "the answers are given, so a threshold has nothing to decide.",
                hint="to cut the score name only the score (--score, in Python score= or y_score=), "
                "or leave out the threshold.",
            )
        confusion = finished(count_labels(rows, declared), notes)
    elif rows.score is not None:
        return _count_scores(source, declared, pos_label, threshold, costs, notes)
    else:
        if threshold is not None:
            raise OptionError(
                "with one probability per class the most probable class is the answer, not a threshold.",
                hint="pass the positive class's column as the score to use a threshold.",
            )
        confusion = finished(count_probabilities(source, declared, notes), notes)
    positive = _positive(confusion.labels, pos_label)
    return _Counted(confusion, positive, None, notes, confusion.labels, confusion.n, rows.dropped)


def _count_scores(
    source: Source,
    declared: Sequence[Label] | None,
    pos_label: object,
    threshold: float | str | None,
    costs: CostsGiven | None,
    notes: list[str],
) -> _Counted:
    from tallymark.intake.answers import scored

    parts = scored(source.rows, declared, pos_label, notes)
    chosen: str | None = None
    if isinstance(threshold, str):
        threshold = _number_or_word(threshold)
    if isinstance(threshold, str):
        chosen = objective_of(threshold)
        table = None
        if chosen == "cost" and costs is not None:
            # best_threshold has the positive class first.
            order = [parts.positive, *(label for label in parts.labels if label != parts.positive)]
            read = read_costs(costs, labels=parts.labels, order_stated=declared == parts.labels)
            at = [read.labels.index(label) for label in order]
            table = np.array(read.matrix, float)[np.ix_(at, at)]
        threshold = best_threshold(parts.score, parts.is_positive, chosen, table)
    elif threshold is None:
        if parts.score.min() < 0 or parts.score.max() > 1:
            notes.append("scores leave [0, 1], so there is no default threshold; pass one.")
            return _Counted(None, parts.positive, None, notes, parts.labels, len(parts.score), parts.dropped)
        threshold = DEFAULT_THRESHOLD
        positive = quoted(parts.positive)
        notes.append(f"no threshold was given: score >= {DEFAULT_THRESHOLD} is called {positive}.")
    try:
        cut = float("nan") if isinstance(threshold, bool) else float(threshold)
    except (TypeError, ValueError):
        cut = float("nan")
    if not np.isfinite(cut):
        raise OptionError(f"a threshold is a finite number; got {threshold!r}.")
    confusion = parts.count(cut)
    return _Counted(confusion, parts.positive, cut, notes, parts.labels, confusion.n, parts.dropped, chosen)


def _number_or_word(threshold: str) -> float | str:
    try:
        return float(threshold)
    except ValueError:
        return threshold


def _positive(labels: Sequence[Label], pos_label: object) -> Label | None:
    if pos_label is not None:
        return find(pos_label, labels)
    return conventional_positive(labels)
