"""Models on many data sets: Wilcoxon's test of two, Friedman's of more, and what tells each pair apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.comparison.difference import Better, Difference
from tallymark.comparison.families import adjusted
from tallymark.comparison.margins import fitting
from tallymark.comparison.question import Folding, Question
from tallymark.comparison.reach import Reach, of_interval
from tallymark.comparison.result import Comparison, Model
from tallymark.comparison.score_tables.checks import Floats, checked, direction
from tallymark.comparison.score_tables.experimenter import Experimenter, experimenter
from tallymark.comparison.score_tables.practice import directed
from tallymark.comparison.verdict import judge
from tallymark.errors import InputError, OptionError, ShapeError
from tallymark.inference import Estimate
from tallymark.intake.score_tables import ScoreTable
from tallymark.tallies.labels import listed, quoted
from tallymark.tests.adjust import Adjustment
from tallymark.tests.adjust import adjust as adjusted_p
from tallymark.tests.bayes import bayesian_signed_rank
from tallymark.tests.data_sets import sign, wilcoxon
from tallymark.tests.friedman import Nemenyi, PostHoc, friedman, nemenyi, post_hoc
from tallymark.tests.outcome import Outcome
from tallymark.tests.posterior import Posterior
from tallymark.tests.scores import without_noise

if TYPE_CHECKING:
    from tallymark.drawing import Section
    from tallymark.drawing.figure import Figure

_ONE = (
    "one data set says nothing of others; a comparison over data sets takes two or more, and with fewer than "
    "6 Wilcoxon's test cannot find anything at 5 %."
)
_MOST_WEIGHED = 300
_MOST_OF_PAIRS = 10_000
"""Data sets of all pairs together; so many are weighed in a few seconds."""
# A probability of one half is then off by less than 0.01, of few data sets; by 0.03 of many.
_DRAWS, _LEAST_DRAWS, _WORK = 20_000, 2_000, 20_000_000
MOST_PARTITIONED = 9
"""Models whose every partition is looked at without being asked for."""


def compare_data_sets(
    scores: Mapping[str, Sequence[float]],
    names: Sequence[str] | None = None,
    question: Question | None = None,
    folding: Folding | None = None,
    *,
    metric: str = "accuracy",
    folds: ScoreTable | None = None,
    notes: Sequence[str] = (),
) -> Comparison:
    """Models with one score on each of the data sets, whose names these are.

    Pairs are tested by Wilcoxon's signed ranks, which do not depend on the models that are compared beside
    them, as mean ranks do (Benavoli, Corani and Mangili 2016); those are shown as well. With `folds`, the
    scores of every fold, each data set is also tested by itself against the baseline, as in WEKA's
    Experimenter.
    """
    question, folding = question or Question(), folding or Folding()
    name, way = direction(metric, folding.better)
    found = checked(scores, "data set", name)
    margin = fitting(question.margin, name)
    columns = {model: without_noise(column, _largest(found)) for model, column in found.items()}
    design = DataSets(name, way, columns, _names(names, found), question, folding)
    differences = adjusted([_difference(design, a, b) for a, b in combinations(found, 2)], question.adjust)
    reach = [_reach(design, each) for each in differences]
    detail = DataSetsDetail(
        design,
        tuple(differences),
        tuple(reach),
        _ranks(design) if len(found) > 2 else None,
        tuple(_posterior(design, each) for each in differences),
        None if folds is None or not folds.has_folds else _each(folds, design),
    )
    if folding.baseline is not None and detail.experimenter is None:
        raise OptionError("a baseline is for scores fold by fold, and there is one score for each data set.")
    outcomes = _outcomes(design, differences)
    verdict = judge(
        differences,
        {model: float(column.mean()) for model, column in found.items()},
        level=question.level,
        margin=margin,
        omnibus=outcomes[-1] if len(found) > 2 else None,
        reach=" ".join((*_least(design), reach[0].sentence("data sets") if len(reach) == 1 else "")).strip(),
        medians=True,
    )
    return Comparison(
        design="many data sets",
        models=tuple(
            Model(model, len(column), {name: _mean(design, column)}) for model, column in found.items()
        ),
        metric=name,
        differences=tuple(differences),
        verdict=verdict.text,
        winner=verdict.winner,
        assumption=differences[0].outcome.assumption,
        counted="data sets",
        outcomes=outcomes,
        detail=detail,
        notes=(*notes, *_left_out(design)),
        margin=margin,
    )


@dataclass(frozen=True, eq=False)
class DataSets:
    """What is compared, and how."""

    metric: str
    better: Better | None
    scores: Mapping[str, Floats]
    names: tuple[str, ...]
    """Of the data sets."""
    question: Question
    folding: Folding

    @property
    def level(self) -> float:
        return self.question.level

    @property
    def higher_is_better(self) -> dict[str, Floats]:
        """The scores, turned round where a lower one is better."""
        sign = -1.0 if self.better == "lower" else 1.0
        return {model: sign * column for model, column in self.scores.items()}


@dataclass(frozen=True, eq=False)
class Ranks:
    """The models by their mean rank over the data sets."""

    nemenyi: Nemenyi
    pairs: PostHoc
    adjusted: Mapping[str, Floats]
    """p-values of the pairs by method."""


@dataclass(frozen=True, eq=False)
class DataSetsDetail:
    """The scores by data set, mean ranks of three models or more, and each data set by itself."""

    design: DataSets
    differences: tuple[Difference, ...]
    reach: tuple[Reach, ...]
    ranks: Ranks | None
    posteriors: tuple[Posterior | None, ...]
    """Of the differences; None with too many data sets or pairs."""
    experimenter: Experimenter | None

    def sections(self) -> Sequence[Section]:
        from tallymark.comparison.score_tables.data_sets_words import sections

        return sections(self)

    def form(self) -> Mapping[str, Any]:
        from tallymark.comparison.score_tables.data_sets_words import form

        return form(self)

    def figures(self) -> Mapping[str, Callable[[], Figure]]:
        from tallymark.comparison.score_tables.data_sets_words import figures

        return figures(self)


def _largest(scores: Mapping[str, Floats]) -> float:
    return float(max(np.abs(column).max() for column in scores.values()))


def _names(data_sets: Sequence[str] | None, scores: Mapping[str, Floats]) -> tuple[str, ...]:
    size = len(next(iter(scores.values())))
    if size == 1:
        raise InputError(
            _ONE, hint="the folds of one data set are compared with --per fold (in Python per='fold')."
        )
    if data_sets is None:
        return tuple(str(each + 1) for each in range(size))
    names = tuple(map(str, data_sets))
    if len(names) != size:
        raise ShapeError(f"there are {len(names):,} data sets, and every model has {size:,} scores.")
    twice = [name for place, name in enumerate(names) if name in names[:place]]
    if twice:
        raise InputError(f"data set {quoted(twice[0])} is there twice; every data set counts once.")
    return names


def _difference(design: DataSets, a: str, b: str) -> Difference:
    first, second = design.scores[a], design.scores[b]

    def at(level: float) -> Outcome:
        return wilcoxon(first, second, alternative=design.question.alternative, confidence_level=level)

    def ends(level: float) -> tuple[float, float] | str:
        outcome = at(level)
        if outcome.low is None or outcome.high is None:
            return (outcome.note or "it cannot be had").removeprefix("no interval: ")
        return outcome.low, outcome.high

    found = at(design.level)
    estimate = Estimate(
        found.value,
        level=design.level,
        method="Hodges-Lehmann",
        n=len(first),
        assumption=found.assumption,
        why=None if found.value is not None else found.note,
        ends_at=ends,
    )
    return Difference(design.metric, a, b, estimate, True, design.better, lambda: found)


def _mean(design: DataSets, scores: Floats) -> Estimate:
    return Estimate(
        float(scores.mean()),
        level=design.level,
        n=len(scores),
        assumption=None,
        ends_at=lambda _: "data sets are too unlike each other for their mean to have one",
    )


def _outcomes(design: DataSets, differences: Sequence[Difference]) -> tuple[Outcome, ...]:
    """The other tests of the same question; of three models or more, what the verdict goes by comes last."""
    if len(differences) == 1:
        one, two = design.scores.values()
        signs = sign(one, two, alternative=design.question.alternative, confidence_level=design.level)
        return differences[0].outcome, signs
    return friedman(design.higher_is_better), friedman(design.higher_is_better, "f")


def _ranks(design: DataSets) -> Ranks:
    table = design.higher_is_better
    pairs = post_hoc(table)
    methods: list[Adjustment] = ["holm", "shaffer"]
    if len(table) <= MOST_PARTITIONED or design.question.adjust == "bergmann_hommel":
        methods.append("bergmann_hommel")
    found = {str(method): adjusted_p(pairs.p_values, method) for method in methods}
    return Ranks(nemenyi(table, 1 - design.level), pairs, found)


def _posterior(design: DataSets, difference: Difference) -> Posterior | None:
    """Of the first less the second, from fewer draws the more pairs there are; None with too many."""
    if _left_out(design):
        return None
    found = bayesian_signed_rank(
        design.scores[difference.a],
        design.scores[difference.b],
        rope=design.folding.rope,
        random_state=design.question.seed,
        draws=min(_DRAWS, max(_LEAST_DRAWS, _WORK // (len(design.names) ** 2 * _pairs(design)))),
        confidence_level=design.level,
    )
    return directed(found, design.better)


def _left_out(design: DataSets) -> tuple[str, ...]:
    """Why there is no Bayesian test, which weighs every two data sets of every pair."""
    n, pairs = len(design.names), _pairs(design)
    if n > _MOST_WEIGHED:
        return (f"with more than {_MOST_WEIGHED} data sets the Bayesian test is left out.",)
    if n * pairs > _MOST_OF_PAIRS:
        return (
            f"the Bayesian test is left out: {pairs:,} pairs of models on {n} data sets would take it long. "
            "With fewer models it is made.",
        )
    return ()


def _each(folds: ScoreTable, design: DataSets) -> Experimenter:
    if set(folds.models) != set(design.scores):
        raise InputError(
            f"the folds are of {listed(folds.models)}, the scores of {listed(list(design.scores))}."
        )
    return experimenter(
        folds,
        baseline=design.folding.baseline,
        metric=design.metric,
        better=design.better,
        confidence_level=design.level,
    )


def _fewest(design: DataSets) -> int:
    """Data sets with which the smallest p-value there can be, adjusted for all pairs, is below the level."""
    sides = 2 if design.question.alternative == "two-sided" else 1
    return math.floor(math.log2(sides * _pairs(design) / (1 - design.level))) + 1


def _pairs(design: DataSets) -> int:
    return math.comb(len(design.scores), 2)


def _reach(design: DataSets, difference: Difference) -> Reach:
    """From how wide the interval is, but never fewer data sets than can give a small p-value at all."""
    found, fewest = of_interval(difference, len(design.names), design.question.tail_level), _fewest(design)
    rows = None if found.rows is None else max(found.rows, fewest)
    if len(design.names) < fewest:
        return replace(found, smallest=None, why=None, rows=rows)
    return replace(found, rows=rows)


def _least(design: DataSets) -> tuple[str, ...]:
    """What so few data sets can never find."""
    n, fewest = len(design.names), _fewest(design)
    if n >= fewest:
        return ()
    after = f" after adjusting for {_pairs(design)} pairs" if _pairs(design) > 1 else ""
    return (
        f"{n} data sets are too few for p below {1 - design.level:.3g}{after}; it takes {fewest} at least.",
    )
