"""A comparison on the same folds in words, tables, JSON values and pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.comparison import figures as pictures
from tallymark.comparison.score_tables.practice import practice_figures, practice_sections
from tallymark.curves.shared import MOST_PRINTED
from tallymark.drawing import (
    Column,
    Paragraph,
    Section,
    Table,
    count,
    level_text,
    number,
    percent,
    value_and_interval,
)
from tallymark.drawing import name as visible

if TYPE_CHECKING:
    from tallymark.comparison.score_tables.folds import FoldDetail, FoldPair
    from tallymark.drawing.figure import Figure
    from tallymark.tests.outcome import Outcome


def sections(detail: FoldDetail) -> list[Section]:
    """The folds, why the plain t test is too sure, practical equivalence, and what so many folds find."""
    found = [Section("Folds", tuple(_folds(detail)))]
    if detail.design.folding.overlap:
        found.append(Section("Overlapping training sets", tuple(_too_sure(detail))))
    posteriors = [(pair.a, pair.b, pair.posterior) for pair in detail.pairs]
    found += practice_sections(posteriors, detail.design.metric, detail.design.better)
    reach = tuple(_reach(detail))
    return [*found, Section("What so many folds can find", reach)] if reach else found


def _folds(detail: FoldDetail) -> Iterator[Table | Paragraph]:
    design = detail.design
    columns = [*design.scores.values()]
    heads = [Column("fold", "left"), *(Column(visible(model)) for model in design.scores)]
    if len(detail.pairs) == 1:
        columns.append(detail.pairs[0].differences)
        heads.append(Column("difference"))
    size = len(columns[0])
    rows = [
        (visible(name), *(number(float(column[fold])) for column in columns))
        for fold, name in enumerate(design.fold_names)
    ]
    rows = rows if size <= MOST_PRINTED else []
    below = [("mean", *(number(float(column.mean())) for column in columns))]
    if size > 1:
        noise = 1e-12 * max(float(np.abs(column).max()) for column in design.scores.values())
        spreads = [float(column.std(ddof=1)) for column in columns]
        below.append(("standard deviation", *(number(each if each >= noise else 0.0) for each in spreads)))
    yield Table(tuple(heads), (*rows, *below), rule_before=(len(rows),) if rows else ())
    if not rows:
        yield Paragraph(f"The scores of all {count(size)} folds are in the JSON document.")


def _too_sure(detail: FoldDetail) -> Iterator[Table | Paragraph]:
    several = len(detail.pairs) > 1
    level = level_text(detail.design.level)
    names = (Column("a", "left"), Column("b", "left")) if several else ()
    heads = (*names, Column("test", "left"), Column("difference"), Column(f"{level} interval"), Column("p"))
    rows = [
        (
            *((visible(pair.a), visible(pair.b)) if several and not place else ("", "") if several else ()),
            *_row(outcome),
        )
        for pair in detail.pairs
        for place, outcome in enumerate(pair.outcomes)
    ]
    yield Table(heads, tuple(rows))
    narrower = next((pair.narrower for pair in detail.pairs if pair.narrower), None)
    if narrower is not None:
        yield Paragraph(
            "The plain t test takes the folds as independent. Their training sets share rows, so the "
            "differences go together and vary less from fold to fold than they would from one collection of "
            f"data to the next: its interval is {number(narrower, 2)} times narrower than the corrected one, "
            "and too often finds a difference that is not there. The verdict goes by the corrected test "
            "(Nadeau and Bengio 2003)."
        )
    if several and detail.pairs[0].outcome.note:
        yield Paragraph(f"The correction: {detail.pairs[0].outcome.note}.")


def _row(outcome: Outcome) -> tuple[str, ...]:
    found = value_and_interval(outcome.value, outcome.low, outcome.high)
    return outcome.method, *found, number(outcome.p_value)


def _reach(detail: FoldDetail) -> Iterator[Table | Paragraph]:
    known = [reach for reach in detail.reach if reach.smallest is not None or reach.why is not None]
    if len(detail.pairs) == 1:
        yield from (Paragraph(reach.sentence("folds")) for reach in known)
    elif known:
        heads = Column("a", "left"), Column("b", "left"), Column("difference")
        sizes = [number(r.smallest) if r.why is None else "none" for r in known]
        rows = ((visible(r.a), visible(r.b), size) for r, size in zip(known, sizes, strict=True))
        yield Table(heads, tuple(rows))
        none = next((f" None: {r.why}." for r in known if r.why is not None), "")
        yield Paragraph(
            f"So many folds find a difference that large in {percent(known[0].power, 0)} of cases.{none}"
        )


def form(detail: FoldDetail) -> dict[str, Any]:
    """JSON keys of this design."""
    design = detail.design
    n_train, n_test = (_plain(size) for size in design.sizes)
    return {
        "folds": {
            "data_set": design.data_set or None,
            "names": list(design.fold_names),
            "runs": design.runs,
            "n_train": n_train,
            "n_test": n_test,
            "overlap": design.folding.overlap,
            "scores": {model: column.tolist() for model, column in design.scores.items()},
            "pairs": [_pair_form(pair) for pair in detail.pairs],
        },
        "rope": design.folding.rope,
        "reach": [reach.to_dict() for reach in detail.reach],
    }


def _plain(size: Any) -> Any:
    return None if size is None else np.asarray(size).tolist()


def _pair_form(pair: FoldPair) -> dict[str, Any]:
    return {
        "a": pair.a,
        "b": pair.b,
        "differences": pair.differences.tolist(),
        "tests": [outcome.to_dict() for outcome in pair.outcomes],
        "plain_is_narrower": pair.narrower,
        "posterior": None if pair.posterior is None else pair.posterior.to_dict(),
    }


def figures(detail: FoldDetail) -> Mapping[str, Callable[[], Figure]]:
    """Pictures by kind: the folds of two models, the differences of more."""
    if len(detail.pairs) > 1:
        return {"differences": partial(_forest, detail)}
    pair = detail.pairs[0]
    better = practice_figures(pair.posterior, (pair.a, pair.b), detail.design.metric, detail.design.better)
    return {"folds": partial(_points, detail), "differences": partial(_forest, detail), **better}


def _points(detail: FoldDetail) -> Figure:
    pair, design = detail.pairs[0], detail.design
    return pictures.folds(
        pair.differences.tolist(),
        plain=_ends(pair.plain),
        corrected=_ends(pair.outcome) if design.folding.overlap else None,
        level=design.level,
        names=design.fold_names,
        y_label=f"{design.metric}: {pair.a} less {pair.b}",
        title="Differences fold by fold",
        note=f"Assumed: {pair.outcome.assumption}.",
    )


def _ends(outcome: Outcome) -> tuple[float, float] | None:
    return None if outcome.low is None or outcome.high is None else (outcome.low, outcome.high)


def _forest(detail: FoldDetail) -> Figure:
    design = detail.design
    rows = [((each.a, each.b), each.value, each.low, each.high) for each in detail.differences]
    return pictures.forest(
        rows,
        title=f"Differences in {design.metric}",
        x_label=f"{design.metric}, mean of the folds, with {level_text(design.level)} interval",
        note=f"Assumed: {detail.pairs[0].outcome.assumption}.",
        region=(-design.folding.rope, design.folding.rope) if design.folding.rope else None,
    )
