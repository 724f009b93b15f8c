"""Models on the same folds: the t test corrected for overlapping training sets, and the plain one beside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.comparison.difference import Better, Difference
from tallymark.comparison.families import adjusted
from tallymark.comparison.margins import fitting
from tallymark.comparison.question import POWER, Folding, Question
from tallymark.comparison.reach import Reach, within_range
from tallymark.comparison.result import Comparison, Model
from tallymark.comparison.score_tables.checks import Floats, checked, direction, range_of
from tallymark.comparison.score_tables.practice import directed
from tallymark.comparison.verdict import judge
from tallymark.errors import InputError, ShapeError
from tallymark.inference import Estimate
from tallymark.tallies.labels import quoted
from tallymark.tests.bayes import bayesian_t
from tallymark.tests.folds import corrected_t, five_by_two, paired_t
from tallymark.tests.outcome import Outcome
from tallymark.tests.posterior import Posterior
from tallymark.tests.scores import without_noise

if TYPE_CHECKING:
    from tallymark.drawing import Section
    from tallymark.drawing.figure import Figure

_FIVE_BY_TWO = 5, 10


def compare_folds(
    scores: Mapping[str, Sequence[float]],
    question: Question,
    folding: Folding,
    *,
    metric: str = "accuracy",
    fingerprints: Mapping[str, str] | None = None,
    fold_names: Sequence[str] | None = None,
    data_set: str = "",
    notes: Sequence[str] = (),
) -> Comparison:
    """Models whose scores on the same folds are known.

    That the folds are the same is proven by equal `fingerprints`, or stated. Without sizes the scores are
    those of cross-validation. `data_set` is the name of the data that were cut into folds, where it is known.
    """
    name, way = direction(metric, folding.better)
    found = checked(scores, "fold", name)
    _refuse_other_folds(list(found), fingerprints, stated=folding.same_folds)
    margin = fitting(question.margin, name)
    design = FoldDesign(name, way, found, _fold_names(fold_names, found), data_set, question, folding)
    pairs = [_pair(design, a, b) for a, b in combinations(found, 2)]
    differences = adjusted([_difference(design, pair) for pair in pairs], question.adjust)
    reach = [_reach(design, *each) for each in zip(pairs, differences, strict=True)]
    verdict = judge(
        differences,
        {model: float(column.mean()) for model, column in found.items()},
        level=question.level,
        margin=margin,
        reach=reach[0].sentence("folds") if len(reach) == 1 else "",
    )
    return Comparison(
        design="same folds",
        models=tuple(
            Model(model, len(column), {name: _of_model(design, column)}) for model, column in found.items()
        ),
        metric=name,
        differences=tuple(differences),
        verdict=verdict.text,
        winner=verdict.winner,
        assumption=_assumption(pairs[0].outcome, overlap=folding.overlap),
        counted="folds",
        outcomes=pairs[0].outcomes if len(pairs) == 1 else (),
        detail=FoldDetail(design, tuple(pairs), tuple(differences), tuple(reach)),
        notes=(*_about(data_set), _same(stated=fingerprints is None), *notes),
        margin=margin,
    )


@dataclass(frozen=True, eq=False)
class FoldDesign:
    """What is compared, and how."""

    metric: str
    better: Better | None
    scores: Mapping[str, Floats]
    fold_names: tuple[str, ...]
    data_set: str
    """Empty when it has no name."""
    question: Question
    folding: Folding

    @property
    def runs(self) -> int:
        return 1 if self.folding.runs is None else self.folding.runs

    @property
    def sizes(self) -> tuple[Any, Any]:
        """Rows trained on, and rows tried on."""
        return self.folding.n_train, self.folding.n_test

    @property
    def level(self) -> float:
        return self.question.level

    @property
    def asked(self) -> dict[str, Any]:
        """What every test is asked."""
        return {"alternative": self.question.alternative, "confidence_level": self.level}

    def tested(self, a: Any, b: Any, level: float | None = None) -> Outcome:
        """The test that the verdict goes by."""
        asked = self.asked if level is None else {**self.asked, "confidence_level": level}
        if not self.folding.overlap:
            return paired_t(a, b, **asked)
        return corrected_t(a, b, *self.sizes, runs=self.runs, **asked)

    def ends_at(self, a: Any, b: Any) -> Callable[[float], tuple[float, float] | str]:
        """The interval of that test at any level."""

        def ends(level: float) -> tuple[float, float] | str:
            found = self.tested(a, b, level)
            if found.low is None or found.high is None:
                return found.why or "there is no spread"
            return found.low, found.high

        return ends


@dataclass(frozen=True, eq=False)
class FoldPair:
    """Two of the models, fold by fold."""

    a: str
    b: str
    differences: Floats
    outcome: Outcome
    """Of the test that the verdict goes by."""
    plain: Outcome
    """The t test that takes folds as independent."""
    others: tuple[Outcome, ...]
    """The tests of 5x2 cross-validation."""
    posterior: Posterior | None
    """Of the first less the second; None with one fold, or where training sets do not overlap."""

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        beside = () if self.plain is self.outcome else (self.plain,)
        return (self.outcome, *beside, *self.others)

    @property
    def narrower(self) -> float | None:
        """How many times narrower the plain interval is than the one of the verdict."""
        if self.plain is self.outcome or not self.outcome.se or not self.plain.se:
            return None
        return self.outcome.se / self.plain.se


@dataclass(frozen=True, eq=False)
class FoldDetail:
    """The differences fold by fold, and what other tests make of them."""

    design: FoldDesign
    pairs: tuple[FoldPair, ...]
    differences: tuple[Difference, ...]
    reach: tuple[Reach, ...]

    def sections(self) -> Sequence[Section]:
        from tallymark.comparison.score_tables.folds_words import sections

        return sections(self)

    def form(self) -> Mapping[str, Any]:
        from tallymark.comparison.score_tables.folds_words import form

        return form(self)

    def figures(self) -> Mapping[str, Callable[[], Figure]]:
        from tallymark.comparison.score_tables.folds_words import figures

        return figures(self)


def _refuse_other_folds(
    models: Sequence[str], fingerprints: Mapping[str, str] | None, *, stated: bool
) -> None:
    if fingerprints is None:
        if stated:
            return
        raise InputError(
            "nothing says that the models were tried on the same folds, and scores of other folds cannot be "
            "compared one by one.",
            hint="if they were, state it: --same-folds (in Python same_folds=True).",
        )
    for model in models:
        if not fingerprints.get(model):
            raise InputError(f"the folds of {quoted(model)} have no fingerprint, and others have.")
        if fingerprints[model] != fingerprints[models[0]]:
            raise InputError(
                f"{quoted(models[0])} and {quoted(model)} were not tried on the same folds: their "
                f"fingerprints are {fingerprints[models[0]]} and {fingerprints[model]}.",
                hint="run both again on one set of folds.",
            )


def _about(data_set: str) -> tuple[str, ...]:
    return (f"the folds are of data set {quoted(data_set)}.",) if data_set else ()


def _same(*, stated: bool) -> str:
    how = "as stated" if stated else "their fingerprints agree"
    return f"the models were tried on the same folds: {how}."


def _fold_names(names: Sequence[str] | None, scores: Mapping[str, Floats]) -> tuple[str, ...]:
    size = len(next(iter(scores.values())))
    if names is None:
        return tuple(str(fold + 1) for fold in range(size))
    if len(names) != size:
        raise ShapeError(f"there are {len(names):,} names for {size:,} folds.")
    return tuple(map(str, names))


def _assumption(outcome: Outcome, *, overlap: bool) -> str:
    stated = "" if overlap else ", training sets that do not overlap, as stated"
    return f"{outcome.assumption}{stated}"


def _pair(design: FoldDesign, a: str, b: str) -> FoldPair:
    first, second = design.scores[a], design.scores[b]
    outcome = design.tested(first, second)
    return FoldPair(
        a,
        b,
        without_noise(first - second, float(max(np.abs(first).max(), np.abs(second).max()))),
        outcome,
        paired_t(first, second, **design.asked) if design.folding.overlap else outcome,
        tuple(_five_by_two(design, first, second)),
        _posterior(design, first, second),
    )


def _five_by_two(design: FoldDesign, a: Floats, b: Floats) -> list[Outcome]:
    if (design.runs, len(a)) != _FIVE_BY_TWO:
        return []
    found = [five_by_two(a, b, "t", **design.asked)]
    if design.question.alternative == "two-sided":
        found.append(five_by_two(a, b, "f", confidence_level=design.level))
    return found


def _posterior(design: FoldDesign, a: Floats, b: Floats) -> Posterior | None:
    if len(a) < 2 or not design.folding.overlap:
        return None
    n_train, n_test = design.sizes
    sizes = {"runs": design.runs, "n_train": n_train, "n_test": n_test}
    found = bayesian_t(a, b, rope=design.folding.rope, confidence_level=design.level, **sizes)
    return directed(found, design.better)


def _difference(design: FoldDesign, pair: FoldPair) -> Difference:
    first, second = design.scores[pair.a], design.scores[pair.b]
    outcome = pair.outcome
    estimate = Estimate(
        float(outcome.value or 0.0),
        level=design.level,
        method=outcome.method,
        n=len(first),
        assumption=outcome.assumption,
        ends_at=design.ends_at(first, second),
        se=outcome.se,
    )
    return Difference(design.metric, pair.a, pair.b, estimate, True, design.better, lambda: outcome)


def _of_model(design: FoldDesign, scores: Floats) -> Estimate:
    """A model's mean, with the interval of the same test against 0, within what the number can be."""
    ends_at, (least, most) = design.ends_at(scores, np.zeros_like(scores)), range_of(design.metric)

    def within(level: float) -> tuple[float, float] | str:
        ends = ends_at(level)
        return ends if isinstance(ends, str) else (max(ends[0], least), min(ends[1], most))

    return Estimate(
        float(scores.mean()),
        level=design.level,
        method=design.tested(scores, np.zeros_like(scores)).method,
        n=len(scores),
        assumption=design.tested(scores, np.zeros_like(scores)).assumption,
        ends_at=within,
    )


def _reach(design: FoldDesign, pair: FoldPair, difference: Difference) -> Reach:
    """The smallest difference found in most cases: by Student's noncentral distribution."""
    folds = len(pair.differences)
    if not pair.outcome.se:
        return Reach(design.metric, pair.a, pair.b, None, None, folds)
    from scipy.special import nctdtrinc, stdtrit

    tail = (1 - design.level) / (2 if design.question.alternative == "two-sided" else 1)
    effect = float(nctdtrinc(folds - 1, 1 - POWER, stdtrit(folds - 1, 1 - tail)))
    return within_range(difference, effect * pair.outcome.se, None, folds)
