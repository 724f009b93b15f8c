"""From a tally of a whole table to an `Evaluation`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tallymark.curves.shared import within_bin
from tallymark.decisions import best_gap, best_threshold, objective_of
from tallymark.drawing import count
from tallymark.errors import OptionError, ShapeError, precise
from tallymark.evaluation.counted import (
    DEFAULT_THRESHOLD,
    PASS_A_THRESHOLD,
    AboutCut,
    Counted,
    checked_threshold,
    number_or_word,
    positive_of,
)
from tallymark.evaluation.evaluate import evaluation_of
from tallymark.evaluation.outside_grid import about_outside
from tallymark.evaluation.ranked import Ranked
from tallymark.evaluation.result import Evaluation
from tallymark.evaluation.settings import checked_clip, clipped, refuse_own_metrics
from tallymark.evaluation.slices import Part
from tallymark.evaluation.tally_groups import (
    cut_groups,
    enough,
    groups_of_slice,
    groups_under,
    named_by_text,
    with_text,
)
from tallymark.inference import Ranking, Sample
from tallymark.inference.cut_bounds import cut_confusions
from tallymark.intake.answers import positive_of_score, told_apart, unnamed_positive
from tallymark.intake.costs import CostsGiven, read_costs
from tallymark.intake.rows import finished, translation
from tallymark.intake.weights import about_weights
from tallymark.intervals import checked_level
from tallymark.tallies import Confusion, Label, Scores
from tallymark.tallies.binned import Binned
from tallymark.tallies.grid import Grid
from tallymark.tallies.labels import in_order, listed, may_be_positive, quoted
from tallymark.tallies.tally import Key, Tally, by_written


def evaluate_tally(
    tally: Tally,
    *,
    pos_label: object = None,
    threshold: float | str | None = None,
    costs: CostsGiven | None = None,
    clip: float | None = None,
    undefined: float | None = None,
    confidence_level: float = 0.95,
    random_state: int | None = 0,
    notes: Sequence[str] = (),
    extra: object = None,
) -> Evaluation:
    """Everything that can be said from the counts of a table; nothing in it is read again."""
    refuse_own_metrics(extra)
    if not tally.rows:
        raise ShapeError("there are no rows in this tally.")
    said = [*tally.notes, *notes]
    level, kept = checked_level(confidence_level), _clip(tally, clip)
    labels = _labelled(tally, said)
    if tally.declared.threshold is not None and threshold is None:
        threshold = tally.declared.threshold
    ranked: Ranked | None
    if tally.classes is not None:
        from tallymark.evaluation.from_classes import classes_of, refuse_threshold

        (threshold_of_no_use if tally.declared.answers else refuse_threshold)(threshold)
        counted, ranked = classes_of(tally, labels, pos_label, level, kept, said)
    elif tally.declared.answers:
        threshold_of_no_use(threshold)
        counted, ranked = _answered(tally, labels, pos_label, level, kept, said)
    else:
        counted, ranked = _scored(tally, labels, pos_label, threshold, costs, level, kept, said)
    said += about_outside(tally.scores, tally.declared.weights)
    if counted.confusion is not None:
        said += about_weights(tally.declared.weights, tally.lines, tally.rows, tally.weightless)
    if kept:
        said.append(clipped(kept))
    stated = tally.declared.labels is not None and tally.declared.labels == counted.labels
    ev = evaluation_of(counted, costs, stated, level, undefined, random_state)
    return replace(ev, ranked=ranked, sliced=_sliced(tally, ev, ranked))


def threshold_of_no_use(threshold: object) -> None:
    if threshold is not None:
        raise OptionError(
            "the answers are given, so a threshold has nothing to decide.",
            hint="count the score alone, without the answers.",
        )


def _clip(tally: Tally, clip: float | None) -> float:
    """How far probabilities are kept from 0 and 1, which on a grid was settled when they were counted."""
    given, counted = checked_clip(clip), tally.declared.clip
    if given and tally.scores is None and tally.classes is None:
        raise OptionError("clip is about probabilities, and there are none.")
    if isinstance(tally.scores, Scores):
        return given or counted
    if given and given != counted:
        said = precise(counted, given) if counted else "not at all"
        raise OptionError(
            f"clip was settled when the rows were counted ({said}), and cannot be "
            f"{precise(given, counted)} now.",
            hint="count the rows again with that --clip.",
        )
    return counted


def _labelled(tally: Tally, notes: list[str]) -> Confusion:
    """The counts under the labels as they are meant, when all rows are there."""
    counted, declared = tally.counted, tally.declared.labels
    if tally.classes is not None:
        from tallymark.evaluation.from_classes import with_all_classes

        counted = with_all_classes(tally)
    return finished(counted, notes) if declared is None else _under(counted, declared, declared=True)


def _under(counted: Confusion, labels: tuple[Label, ...], *, declared: bool) -> Confusion:
    """The same counts under settled labels."""
    translate = translation(counted.labels, labels)
    named = counted.relabelled([translate(label) for label in counted.labels], labels)
    return Confusion.from_cells(
        labels,
        named.cells,
        named.counts,
        squares=named.squares,
        rows=named.rows,
        declared=declared,
        dropped=named.dropped,
    )


def _named(tally: Tally, pos_label: object) -> object:
    """The class named now, or when the rows were counted."""
    return tally.declared.positive if pos_label is None else pos_label


def _answered(
    tally: Tally, confusion: Confusion, pos_label: object, level: float, clip: float, notes: list[str]
) -> tuple[Counted, Ranked | None]:
    labels = confusion.labels
    positive = positive_of(labels, _named(tally, pos_label))
    if tally.scores is not None and positive is None and len(labels) == 2:
        raise unnamed_positive(labels)
    rows, dropped = confusion.rows, dict(confusion.dropped)
    groups = None if tally.groups is None else enough(groups_under(tally.groups, confusion))
    counted = Counted(confusion, positive, None, notes, labels, rows, dropped, groups=groups)
    if tally.scores is None or positive is None:
        return counted, None
    _refuse_other_class(tally, labels, positive)
    return counted, _ranked(tally, labels, positive, level, clip, notes)


def _scored(
    tally: Tally,
    confusion: Confusion,
    pos_label: object,
    threshold: float | str | None,
    costs: CostsGiven | None,
    level: float,
    clip: float,
    notes: list[str],
) -> tuple[Counted, Ranked]:
    assert tally.scores is not None
    positive = positive_of_score(confusion.labels, _named(tally, pos_label))
    _refuse_other_class(tally, confusion.labels, positive)
    pair, stated = told_apart(confusion.labels, positive, notes)
    stated = stated or tally.declared.labels is not None
    scores = as_scores(tally.scores, positive)
    ranked = _ranked(tally, pair, positive, level, clip, notes)
    chosen = None
    if isinstance(threshold, str):
        threshold = number_or_word(threshold)
    if isinstance(threshold, str):
        chosen = objective_of(threshold)
        order = [positive, *(label for label in pair if label != positive)]
        matrix = None
        if chosen == "cost" and costs is not None:
            read = read_costs(costs, labels=pair, order_stated=tally.declared.labels == pair)
            at = [read.labels.index(label) for label in order]
            matrix = np.array(read.matrix, float)[np.ix_(at, at)]
        threshold = best_threshold(scores, chosen, matrix)
        notes += _about_best(scores, chosen, threshold, matrix)
    elif threshold is None and _probable(tally.scores):
        threshold = DEFAULT_THRESHOLD
        notes.append(AboutCut(f"no threshold was given: score >= {threshold} is called {quoted(positive)}."))
    elif threshold is None:
        notes.append(AboutCut("scores leave [0, 1], so there is no default threshold; pass one."))
    cut = None if threshold is None else checked_threshold(threshold)
    tables: tuple[Confusion, ...] = ()
    groups = None
    if cut is not None:
        tables = cut_confusions(scores, cut, pair, positive, declared=stated, dropped=tally.dropped)
        notes += _about_cut(scores, cut)
        if tally.score_groups is not None:
            groups = enough(cut_groups(tally.score_groups, cut, tables[0], positive))
    counted = Counted(
        None if cut is None else tables[0],
        positive,
        cut,
        notes,
        pair,
        tally.rows,
        dict(tally.dropped),
        chosen,
        groups=groups,
        why_not=None if cut is not None else PASS_A_THRESHOLD,
        corners=tables[1:],
    )
    return counted, ranked


def _about_cut(scores: Scores, threshold: float) -> list[str]:
    """What must be said of a threshold within a bin."""
    if not within_bin(scores, threshold):
        return []
    place = scores.called(threshold)
    inside = scores.positives[place] + scores.negatives[place]
    said = (
        f"the threshold {threshold:g} lies within a bin of the grid ({count(inside)} rows), so that numbers "
        "about answers have certified bounds, too; given when rows are counted, it is an edge."
    )
    return [AboutCut(said)]


def _about_best(scores: Scores, objective: str, threshold: float, costs: Any) -> list[str]:
    """How much better a threshold within a bin could be."""
    gap = best_gap(scores, objective, threshold, costs)
    if not gap:
        return []
    what = "save" if objective == "cost" else "gain"
    edges = "the threshold was chosen among the edges of the grid"
    return [AboutCut(f"{edges}: one within a bin could {what} {gap:.3g} at most.")]


def _refuse_other_class(tally: Tally, labels: Sequence[Label], positive: Label) -> None:
    """Scores are counted by whether a row is of one class, and that must be the one asked for."""
    named = tally.declared.positive
    raw = tally.counted.labels
    translate = translation(raw, labels)
    by_name = {label for label in raw if may_be_positive(label, named)}
    meant = {label for label in raw if translate(label) == positive or may_be_positive(label, positive)}
    if by_name == meant:
        return
    about = "the class 1 or True" if named is None else quoted(named)
    those = listed(in_order(by_name)) if by_name else "no row"
    raise OptionError(
        f"the scores were counted as those of {about} ({those}), not of {quoted(positive)}.",
        hint="name the class when the rows are counted: --positive (in Python pos_label=).",
    )


def as_scores(counted: Scores | Binned, positive: Label | None) -> Scores:
    """The scores as metrics and curves read them."""
    if isinstance(counted, Binned):
        return counted.scores(positive)
    _, options = counted.__reduce__()[1]
    return Scores(counted.score, counted.positives, counted.negatives, **options | {"positive": positive})


def _probable(scores: Scores | Binned) -> bool:
    """Whether all scores are from 0 to 1."""
    if isinstance(scores, Binned):
        return scores.probable
    return bool(scores.score[-1] >= 0 and scores.score[0] <= 1)


def _ranked(
    tally: Tally, labels: tuple[Label, ...], positive: Label, level: float, clip: float, notes: list[str]
) -> Ranked:
    ranking, at = _ranking(tally, positive, level, clip), labels.index(positive)
    if not ranking.scores.exact:
        assert isinstance(tally.scores, Binned)
        notes.append(on_grid(tally.scores.grid))
    return Ranked(labels, level, None, known={at: ranking}, about=at, clip=clip)


def _ranking(tally: Tally, positive: Label, level: float, clip: float) -> Ranking:
    assert tally.scores is not None
    scores, groups = as_scores(tally.scores, positive), tally.score_groups
    return Ranking(scores, level, None if groups is None else replace(groups, total=scores), clip=clip)


def on_grid(grid: Grid) -> str:
    """What must be said of scores that were not kept."""
    return (
        f"scores were counted on a grid ({grid}): where they share a bin their order is not known, "
        "and numbers from them have certified bounds."
    )


# --- slices --------------------------------------------------------------------------------------


def _sliced(tally: Tally, whole: Evaluation, ranked: Ranked | None) -> tuple[Part, ...]:
    """The counts of every slice, as they are told of the whole."""
    parts: list[Part] = []
    text = named_by_text(tally)
    for columns in tally.declared.slices:
        found = by_written(tally.slices[columns])
        for key in _in_turn(found):
            part = with_text(found[key]) if text else found[key]
            if part.rows:
                parts.append(_part(dict(zip(columns, key, strict=True)), part, whole, ranked))
    return tuple(parts)


def _in_turn(keys: Mapping[Key, Tally]) -> list[Key]:
    """Keys in the order to show, numbers by value also where they came as text."""
    columns = [list(column) for column in zip(*keys, strict=True)]
    ranks: list[dict[Label, Any]] = []
    for column in columns:
        try:
            ranks.append({value: float(value) for value in column})
        except ValueError:
            order = in_order(column)
            ranks.append({value: order.index(value) for value in column})
    return sorted(keys, key=lambda key: tuple(rank[value] for rank, value in zip(ranks, key, strict=True)))


def _part(key: dict[str, Label], tally: Tally, whole: Evaluation, ranked: Ranked | None) -> Part:
    """One slice, with the labels of the whole and cut where the whole is."""
    of_slice = None
    if ranked is not None and ranked.about is not None and tally.scores is not None:
        about = ranked.about
        ranking = _ranking(tally, ranked.labels[about], ranked.level, ranked.clip)
        of_slice = replace(ranked, known={about: ranking})
    elif ranked is not None and tally.classes is not None:
        from tallymark.evaluation.from_classes import ranked_classes

        of_slice = ranked_classes(tally, ranked)
    sample: Sample | None = None
    if whole.sample is not None:
        first, *corners = _tables_of_slice(tally, whole, of_slice)
        groups = groups_of_slice(tally, whole, first)
        sample = replace(whole.sample, confusion=first, corners=tuple(corners), groups=groups)
    return Part(key, tally.rows, sample, of_slice)


def _tables_of_slice(tally: Tally, whole: Evaluation, ranked: Ranked | None) -> tuple[Confusion, ...]:
    assert whole.sample is not None
    declared = whole.sample.confusion.declared
    if whole.threshold is not None and ranked is not None and ranked.about is not None:
        scores = ranked.known[ranked.about].scores
        positive = ranked.labels[ranked.about]
        pair = (whole.labels[0], whole.labels[1])
        return cut_confusions(scores, whole.threshold, pair, positive, declared=declared)
    return (_under(tally.counted, whole.labels, declared=declared),)
