"""From what a user has to an `Evaluation`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tallymark.errors import OptionError, ShapeError, naming
from tallymark.evaluation.counted import (
    Choices,
    Counted,
    count,
    one_group,
    positive_of,
    weights_of,
)
from tallymark.evaluation.given import (
    EngineName,
    addresses_in,
    engine_for,
    held_elsewhere,
    named,
    paths_in,
    refuse_for_files,
    refuse_two_scores,
    source_of,
)
from tallymark.evaluation.own_metrics import checked, own_metrics
from tallymark.evaluation.ranked import Ranked
from tallymark.evaluation.result import Evaluation
from tallymark.evaluation.settings import (
    checked_clip,
    checked_seed,
    clipped,
    declared_labels,
    no_use_of_clip,
    refuse_own_metrics,
    undefined_as,
)
from tallymark.evaluation.slices import slice_up
from tallymark.inference import Sample, SetSample
from tallymark.intake.answers import voted
from tallymark.intake.columns import array_places
from tallymark.intake.costs import CostsGiven, read_costs
from tallymark.intake.roles import Beside, Probabilities
from tallymark.intake.rows import Checks, Missing
from tallymark.intake.sources import SetSource, Source
from tallymark.intake.weights import WeightKind
from tallymark.intervals import checked_level
from tallymark.tallies import Confusion, Keyed, Label, LabelSets
from tallymark.tallies.labels import quoted


@np.errstate(under="ignore")
def evaluate(
    data: Any,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    actual: str | Sequence[str] | None = None,
    predicted: str | Sequence[str] | None = None,
    score: str | None = None,
    probabilities: Probabilities | None = None,
    votes: Any = None,
    id: Any = None,
    weight: Any = None,
    sample_weight: Any = None,
    weight_kind: WeightKind = "sampling",
    groups: Any = None,
    slices: Any = (),
    set_delimiter: str | None = None,
    empty_sets: float = 1,
    labels: Sequence[Label] | None = None,
    pos_label: object = None,
    threshold: float | str | None = None,
    costs: CostsGiven | None = None,
    extra: Mapping[str, Callable[..., float]] | None = None,
    clip: float | None = None,
    missing: Missing = "error",
    missing_words: Sequence[str] = (),
    delimiter: str | None = None,
    memory: str | int | None = None,
    approximate: bool = False,
    tolerance: float | None = None,
    engine: EngineName | None = None,
    master: str | None = None,
    scheduler: str | None = None,
    undefined: float | None = None,
    confidence_level: float = 0.95,
    random_state: int | None = 0,
) -> Evaluation:
    """Count rows once and answer everything from the counts.

    `data` is `y_true` (with `y_pred` or `y_score`), a data frame, or the path of a file or a list
    of paths (with the names of its columns: `actual`, and `predicted`, `score` or `probabilities`).

    Rows have several labels when `data` and `y_pred` are tables of zeros and ones or lists of sets, when
    `actual` and `predicted` name several columns, or one each whose labels `set_delimiter` separates.
    Two empty sets score `empty_sets`, 1 or 0.

    `votes` are the answers of several models that only answer: names of at least two columns, or with
    arrays a table with a column per model or a list of columns. The score of a row is the number of them
    that say the positive class, and a `threshold` is a number of votes.

    `weight`, `groups`, `slices` and `id` are names of columns, or with arrays the values themselves
    (`slices={"region": [...]}`; `sample_weight` is another word for `weight`). An `id` tells the rows
    apart, so that models are compared on the same ones; it is checked to be unique. Rows of one group are
    not taken as independent: every interval is made from the groups. A weight of 2 makes a row count
    twice but is still one row seen, unless `weight_kind="frequency"`. `extra` adds numbers of your own,
    `{"profit": f}` with `f(y_true, y_pred)` or `f(y_true, y_pred, y_score)`; rows are resampled for them.

    The logarithmic loss is infinite when a row gave its class probability 0, unless `clip` says how far
    probabilities are kept from 0 and 1 in it.

    Files that would take more than `memory` ("500MB"; half of the machine's when not given) are read in
    pieces and counted as they come, exactly as long as their different scores fit. With `approximate` scores
    are counted on a grid, which takes next to no memory: numbers from them have certified `.bounds`. A
    `tolerance` says how wide these may be, and files are read again until they are that narrow.

    A table of DuckDB, Dask or Spark is counted where it is. Files are read by this process, or by the
    `engine` that is named: "duckdb", "spark" (at a `master`, such as "local[2]") or "dask" (at a `scheduler`,
    such as "tcp://10.0.0.5:8786").

    >>> evaluate(["yes", "no", "yes"], ["yes", "no", "no"], pos_label="yes")["recall"].value
    0.5
    """
    level = checked_level(confidence_level)
    declared = declared_labels(labels)
    functions = checked(extra or {})
    if weight is not None and sample_weight is not None:
        raise OptionError("weight and sample_weight are two words for one thing; pass one of them.")
    if weight_kind != "sampling" and weight is None and sample_weight is None:
        raise OptionError(f"weight_kind is {weight_kind!r}, but no weights were named.")
    roles = named(actual, predicted, score, probabilities, set_delimiter)
    beside = Beside(weight if sample_weight is None else sample_weight, groups, slices, votes, id)
    checks = Checks(missing, weight_kind, declared)
    in_files: dict[str, Any] = {"missing_words": missing_words, "delimiter": delimiter}
    paths = paths_in(data, y_pred, y_score, roles, beside)
    by = engine_for(data, paths, engine, master, scheduler)
    asked: dict[str, Any] = {
        "pos_label": pos_label,
        "threshold": threshold,
        "costs": costs,
        "clip": clip,
        "undefined": undefined,
        "confidence_level": level,
        "random_state": random_state,
    }
    with naming(paths or ()):
        if paths is not None:
            from tallymark.evaluation.tally_files import are_tallies, evaluate_files

            if are_tallies(paths):
                settled = {**vars(roles), **vars(beside), **in_files, "y_pred": y_pred, "y_score": y_score}
                settled |= {"labels": labels, "missing": missing != "error", "empty_sets": empty_sets != 1}
                settled |= {
                    "approximate": approximate,
                    "tolerance": tolerance,
                    "extra": extra,
                    "engine": engine,
                }
                return evaluate_files(paths, settled, memory, **asked)
        refuse_two_scores(y_score, roles, beside)
        if paths is not None and y_pred is None and y_score is None:
            from tallymark.evaluation.stored import evaluate_at
            from tallymark.evaluation.streamed import Streaming, evaluate_streamed

            def refuse_unstreamed() -> None:
                if functions:
                    alone = "approximate=" if by is None else "approximate= and engine="
                    raise OptionError(
                        "a metric of your own needs rows, and these files are counted without keeping any.",
                        hint=f"allow more with memory=, without {alone}.",
                    )
                _check_single(empty_sets)
                undefined_as(undefined)
                checked_seed(random_state)

            streaming = Streaming.of(memory, approximate, tolerance)
            all_roles, addresses = beside.named(roles), addresses_in(data)
            asked_of_files = {**asked, **in_files, "engine": by, "refuse": refuse_unstreamed}
            if addresses:
                return evaluate_at(addresses, all_roles, checks, streaming, **asked_of_files)
            ev = evaluate_streamed(paths, all_roles, checks, streaming, **asked_of_files)
            if ev is not None:
                return ev
        store = held_elsewhere(data, y_pred, y_score, roles, beside, lazy=approximate)
        brought: str | None = None
        if store is not None:
            from tallymark.evaluation.stored import evaluate_stored, rows_of, why_rows
            from tallymark.evaluation.streamed import Streaming

            refuse_for_files(data, in_files)
            streaming, all_roles = Streaming.of(memory, approximate, tolerance), beside.named(roles)
            brought = why_rows(store, all_roles, functions)
            if brought is None:
                _check_single(empty_sets)
                return evaluate_stored(store, all_roles, checks, streaming, **asked)
            data = rows_of(store, all_roles, streaming, brought)
        elif paths is None and (memory is not None or approximate or tolerance is not None):
            raise OptionError(
                "memory, approximate and tolerance are about files and tables of an engine, and the data is "
                "at hand already."
            )
        source = source_of(data, y_pred, y_score, roles, beside, checks, in_files)
        if store is not None:
            note = f"{store.called} were brought here: {brought} cannot be counted there."
            source = replace(source, notes=(*source.notes, note))
        if isinstance(source, SetSource):
            given = {"pos_label": pos_label, "threshold": threshold, "costs": costs}
            ev = _of_sets(source, given, level, undefined, empty_sets, random_state)
            return _with_own(ev, functions)
        _check_single(empty_sets)
        if source.rows.votes is not None:
            source = voted(source, declared, pos_label)
        counted = count(source, Choices(declared, pos_label, threshold, costs))
        stated = declared == counted.labels
        ev = evaluation_of(counted, costs, stated, level, undefined, random_state, source, clip)
        return _with_own(ev, functions)


def _check_single(empty_sets: float) -> None:
    """What must be so where every row has one label."""
    if empty_sets != 1:
        raise OptionError("empty_sets is about label sets, and every row has one label here.")


def _with_own(ev: Evaluation, functions: dict[str, Any]) -> Evaluation:
    if not functions:
        return ev
    if ev.counted is None or ev.encoded is None:
        raise OptionError("a metric of your own needs answers, and there are none.", hint=ev.why_not)
    return replace(ev, own=own_metrics(functions, ev.encoded, ev.counted))


def _of_sets(
    source: SetSource,
    given: dict[str, Any],
    level: float,
    undefined: float | None,
    empty_sets: float,
    seed: int | None,
) -> Evaluation:
    for option, value in given.items():
        if value is not None:
            raise OptionError(f"rows have several labels here, so there is nothing for {option} to do.")
    rows = source.rows
    ev = evaluate_sets(
        rows.tally(),
        undefined=undefined,
        empty_sets=empty_sets,
        confidence_level=level,
        random_state=seed,
        groups=None if rows.group is None else rows.grouped(),
    )
    assert ev.sets is not None
    # What tells the place of a row holds the whole file; rows that are kept need not.
    kept = replace(rows, sets=replace(rows.sets, where=array_places))
    return replace(
        ev,
        notes=(*source.notes, *weights_of(rows, ev.sets.rows)),
        sliced=slice_up(ev.sets, rows, source.slices),
        library=source.library,
        encode=lambda: kept,
    )


def evaluate_sets(
    tally: LabelSets,
    *,
    undefined: float | None = None,
    empty_sets: float = 1,
    confidence_level: float = 0.95,
    random_state: int | None = 0,
    groups: Keyed[LabelSets] | None = None,
    extra: object = None,
) -> Evaluation:
    """Everything that can be said from counted label sets alone."""
    refuse_own_metrics(extra)
    if isinstance(empty_sets, bool) or empty_sets not in (0, 1):
        raise OptionError(f"empty_sets must be 1 or 0; got {empty_sets!r}.")
    if tally.n == 0:
        raise ShapeError("there are no rows in this tally.")
    if groups is not None and len(groups) < 2:
        raise one_group(next(iter(groups)))
    level, seed = checked_level(confidence_level), checked_seed(random_state)
    sets = SetSample(tally, level, seed, undefined_as(undefined), float(empty_sets), groups)
    return Evaluation(
        sample=None,
        sets=sets,
        labels=tally.labels,
        positive=None,
        rows=tally.rows,
        dropped=dict(tally.dropped),
    )


def evaluate_confusion(
    confusion: Confusion,
    *,
    pos_label: object = None,
    costs: CostsGiven | None = None,
    undefined: float | None = None,
    confidence_level: float = 0.95,
    random_state: int | None = 0,
    notes: Sequence[str] = (),
    extra: object = None,
) -> Evaluation:
    """Everything that can be said from counts alone.

    >>> evaluate_confusion(Confusion([[150, 40], [60, 250]], labels=["+", "-"]))["accuracy"].value
    0.8
    """
    refuse_own_metrics(extra)
    said = list(notes)
    if confusion.n == 0:
        raise ShapeError("there are no rows in this tally.")
    positive = positive_of(confusion.labels, pos_label)
    if positive is None and len(confusion.labels) == 2 and confusion.declared:
        positive = confusion.labels[0]
        said.append(f"positive class: {quoted(positive)}, the first label of the matrix.")
    counted = Counted(
        confusion, positive, None, said, confusion.labels, confusion.rows, dict(confusion.dropped)
    )
    level = checked_level(confidence_level)
    return evaluation_of(counted, costs, confusion.declared, level, undefined, random_state)


def evaluation_of(
    counted: Counted,
    costs: CostsGiven | None,
    order_stated: bool,
    level: float,
    undefined: float | None,
    seed: int | None,
    source: Source | None = None,
    clip: float | None = None,
) -> Evaluation:
    undefined, seed = undefined_as(undefined), checked_seed(seed)
    table = None
    if costs is not None:
        table = read_costs(costs, labels=counted.labels, order_stated=order_stated)
    sample = None
    if counted.confusion is not None:
        matrix = None if table is None else np.array(table.matrix, float)
        sample = Sample(
            counted.confusion, level, seed, matrix, undefined, groups=counted.groups, corners=counted.corners
        )
    ranked, kept = None, checked_clip(clip)
    if counted.scored is not None:
        ranked = Ranked.of(counted.scored, level, counted.scores, kept)
    elif kept and counted.why_not is None:
        raise no_use_of_clip()
    if kept:
        counted.notes.append(clipped(kept))
    return Evaluation(
        sample=sample,
        labels=counted.labels,
        positive=counted.positive,
        rows=counted.rows,
        dropped=counted.dropped,
        threshold=counted.threshold,
        costs=table,
        order_stated=order_stated,
        seed=seed,
        notes=tuple(counted.notes),
        chosen_here=counted.chosen_here,
        why_not=counted.why_not,
        ranked=ranked,
        sliced=_sliced(sample, ranked, counted, source),
        library=None if source is None else source.library,
        encode=counted.encode,
    )


def _sliced(
    sample: Sample | None, ranked: Ranked | None, counted: Counted, source: Source | None
) -> tuple[Any, ...]:
    if source is None or not source.slices or (sample is None and ranked is None):
        return ()
    rows = source.rows if counted.encode is None else counted.encode()
    return slice_up(sample, rows, source.slices, ranked)
