"""A comparison over data sets in words, tables, JSON values and pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.comparison import figures as pictures
from tallymark.comparison.score_tables.data_sets import MOST_PARTITIONED
from tallymark.comparison.score_tables.practice import practice_figures, practice_sections
from tallymark.curves.shared import MOST_PRINTED
from tallymark.drawing import Block, Column, Paragraph, Section, Table, count, level_text, number
from tallymark.drawing import name as visible
from tallymark.tallies.labels import quoted
from tallymark.tests.data_sets import average_ranks

if TYPE_CHECKING:
    from tallymark.comparison.score_tables.data_sets import DataSetsDetail, Ranks
    from tallymark.drawing.figure import Figure
    from tallymark.tests.posterior import Posterior

_TITLES = {"holm": "Holm", "shaffer": "Shaffer", "bergmann_hommel": "Bergmann-Hommel"}
_MOST_GROUPS = 6


def sections(detail: DataSetsDetail) -> list[Section]:
    """The data sets, mean ranks, each data set by itself, practical equivalence, what so many can find."""
    found = [Section("Data sets", tuple(_scores(detail)))]
    if detail.ranks is not None:
        found.append(Section("Mean ranks", tuple(_ranks(detail.ranks, list(detail.design.scores)))))
    if detail.experimenter is not None:
        found.append(Section("Each data set by itself", detail.experimenter.blocks()))
    found += practice_sections(_posteriors(detail), detail.design.metric, detail.design.better)
    reach = tuple(_reach(detail))
    return [*found, Section("What so many data sets can find", reach)] if reach else found


def _posteriors(detail: DataSetsDetail) -> list[tuple[str, str, Posterior]]:
    """Every pair that has a posterior."""
    both = zip(detail.differences, detail.posteriors, strict=True)
    return [(each.a, each.b, posterior) for each, posterior in both if posterior is not None]


def _reach(detail: DataSetsDetail) -> Iterator[Block]:
    if len(detail.reach) == 1:
        said = detail.reach[0].sentence("data sets")
        yield from (Paragraph(said),) if said else ()
        return
    known = [each for each in detail.reach if each.smallest is not None or each.why is not None]
    if not known:
        return
    names = Column("a", "left"), Column("b", "left")
    rows = [
        (
            *(visible(each.a), visible(each.b)),
            number(each.smallest) if each.why is None else "none",
            "-" if each.rows is None else count(each.rows),
        )
        for each in known
    ]
    yield Table((*names, Column("difference"), Column("data sets for the one seen")), tuple(rows))
    none = next((f" None: {each.why}." for each in known if each.why is not None), "")
    yield Paragraph(
        f"So many data sets find a difference that large in {level_text(known[0].power)} of cases, each pair "
        f"by itself, without the adjustment for their number.{none}"
    )


def _scores(detail: DataSetsDetail) -> Iterator[Block]:
    design = detail.design
    columns = [*design.scores.values()]
    heads = [Column("data set", "left"), *(Column(visible(model)) for model in design.scores)]
    if len(columns) == 2:
        columns.append(columns[0] - columns[1])
        heads.append(Column("difference"))
    rows = [
        (visible(name), *(number(float(column[row])) for column in columns))
        for row, name in enumerate(design.names)
    ]
    rows = rows if len(rows) <= MOST_PRINTED else []
    mean = ("mean", *(number(float(column.mean())) for column in columns))
    yield Table(tuple(heads), (*rows, mean), rule_before=(len(rows),) if rows else ())
    if not rows:
        yield Paragraph(f"The scores on all {count(len(design.names))} data sets are in the JSON document.")
    yield Paragraph(
        "Differences are Hodges-Lehmann estimates, the median of the means of every two data sets' "
        "differences, so that one odd data set does not decide; they need not be the difference of the means."
    )


def _ranks(ranks: Ranks, models: list[str]) -> Iterator[Block]:
    nemenyi, pairs = ranks.nemenyi, ranks.pairs
    best_first = sorted(zip(nemenyi.ranks, models, strict=True))
    yield Table(
        (Column("model", "left"), Column("mean rank")),
        tuple((visible(model), number(rank)) for rank, model in best_first),
    )
    yield Paragraph(_critical(ranks))
    heads = (Column("a", "left"), Column("b", "left"), Column("z"), Column("p"), Column("Nemenyi"))
    place = {model: at for at, model in enumerate(models)}
    rows = [
        (
            visible(str(a)),
            visible(str(b)),
            number(pairs.z[at]),
            number(pairs.p_values[at]),
            number(float(nemenyi.p_values[place[str(a)], place[str(b)]])),
            *(number(float(p[at])) for p in ranks.adjusted.values()),
        )
        for at, (a, b) in enumerate(pairs.pairs)
    ]
    adjusted = (Column(_TITLES[method]) for method in ranks.adjusted)
    yield Table((*heads, *adjusted), tuple(rows))
    if "bergmann_hommel" not in ranks.adjusted:
        yield Paragraph(
            "Bergmann and Hommel's adjustment looks at every partition of the models, so it is left out "
            f"above {MOST_PARTITIONED}; --adjust bergmann_hommel takes up to 12."
        )
    yield Paragraph(
        "Rank 1 is best, and z is the mean rank of a less that of b in standard errors: below 0, a ranks "
        "better. Mean ranks of two models depend on which others are compared with them, so the verdict goes "
        "by Wilcoxon's test of each pair, after Friedman's test of all (Benavoli, Corani and Mangili 2016)."
    )


def _critical(ranks: Ranks) -> str:
    nemenyi = ranks.nemenyi
    said = (
        f"Nemenyi's critical difference at {nemenyi.alpha * 100:.10g} % is "
        f"{number(nemenyi.critical_difference)}: models whose mean ranks are nearer are not told apart"
    )
    if not nemenyi.groups:
        return f"{said}; here all are."
    groups = [
        "{" + ", ".join(quoted(each) for each in group) + "}" for group in nemenyi.groups[:_MOST_GROUPS]
    ]
    more = f" and {len(nemenyi.groups) - _MOST_GROUPS} more" if len(nemenyi.groups) > _MOST_GROUPS else ""
    return f"{said}, which are {', '.join(groups)}{more}."


def form(detail: DataSetsDetail) -> dict[str, Any]:
    """JSON keys of this design."""
    design = detail.design
    found: dict[str, Any] = {
        "data_sets": {
            "names": list(design.names),
            "scores": {model: column.tolist() for model, column in design.scores.items()},
        },
        "reach": [{**each.to_dict(), "counted": "data sets"} for each in detail.reach],
    }
    if detail.ranks is not None:
        found["ranks"] = _ranks_form(detail.ranks)
    posteriors = [{"a": a, "b": b, **each.to_dict()} for a, b, each in _posteriors(detail)]
    if posteriors:
        found["posterior"] = posteriors
    if detail.experimenter is not None:
        found["experimenter"] = detail.experimenter.to_dict()
    return found


def _ranks_form(ranks: Ranks) -> dict[str, Any]:
    pairs = ranks.pairs
    return {
        "nemenyi": ranks.nemenyi.to_dict(),
        "pairs": [
            {
                "a": a,
                "b": b,
                "z": pairs.z[at],
                "p_value": pairs.p_values[at],
                "p_adjusted": {method: float(p[at]) for method, p in ranks.adjusted.items()},
            }
            for at, (a, b) in enumerate(pairs.pairs)
        ],
    }


def figures(detail: DataSetsDetail) -> Mapping[str, Callable[[], Figure]]:
    """Pictures by kind: the diagram of mean ranks for three models or more."""
    design = detail.design
    common: dict[str, Callable[[], Figure]] = {
        "differences": partial(_forest, detail),
        "scores": partial(_heat, detail),
    }
    if detail.ranks is not None:
        return {"critical-difference": partial(_diagram, detail.ranks, list(design.scores)), **common}
    for a, b, posterior in _posteriors(detail):
        common |= practice_figures(posterior, (a, b), design.metric, design.better)
    return common


def _diagram(ranks: Ranks, models: list[str]) -> Figure:
    nemenyi = ranks.nemenyi
    return pictures.critical_difference(
        models,
        nemenyi.ranks,
        nemenyi.critical_difference,
        [[models.index(str(each)) for each in group] for group in nemenyi.groups],
        title="Mean ranks over the data sets",
        note=f"Bars join models that Nemenyi's test does not tell apart at {level_text(nemenyi.alpha)}. "
        f"{count(nemenyi.data_sets)} data sets; assumed: {nemenyi.assumption}.",
    )


def _forest(detail: DataSetsDetail) -> Figure:
    design = detail.design
    rows = [((each.a, each.b), each.value, each.low, each.high) for each in detail.differences]
    return pictures.forest(
        rows,
        title=f"Differences in {design.metric}",
        x_label=f"{design.metric}, Hodges-Lehmann with {level_text(design.level)} interval",
        note=f"Assumed: {detail.differences[0].outcome.assumption}.",
        region=(-design.folding.rope, design.folding.rope) if design.folding.rope else None,
    )


def _heat(detail: DataSetsDetail) -> Figure:
    design = detail.design
    table = np.column_stack(list(design.scores.values()))
    better = np.column_stack(list(design.higher_is_better.values()))
    ranks = np.array([average_ranks(-row) for row in better])
    return pictures.scores(
        table,
        models=list(design.scores),
        data_sets=design.names,
        ranks=ranks,
        title=f"{design.metric} by data set",
    )
