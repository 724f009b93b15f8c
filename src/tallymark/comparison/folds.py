"""Models on the same folds: the t test corrected for overlapping training sets, and the plain one beside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.comparison.difference import Better, Difference
from tallymark.comparison.families import adjusted
from tallymark.comparison.question import POWER, checked_margin
from tallymark.comparison.reach import Reach
from tallymark.comparison.result import Comparison, Model
from tallymark.comparison.scored import Floats, checked, direction, range_of
from tallymark.comparison.verdict import judge
from tallymark.errors import InputError, ShapeError
from tallymark.inference import Estimate
from tallymark.intervals import checked_level
from tallymark.tallies.labels import quoted
from tallymark.tests.adjust import Adjustment
from tallymark.tests.bayes import bayesian_t
from tallymark.tests.folds import corrected_t, five_by_two, paired_t
from tallymark.tests.outcome import Alternative, Outcome, checked_alternative
from tallymark.tests.posterior import Posterior
from tallymark.tests.scores import checked_choice, without_noise

if TYPE_CHECKING:
    from tallymark.drawing import Section
    from tallymark.drawing.figure import Figure

_FIVE_BY_TWO = 5, 10


def compare_folds(
    scores: Mapping[str, Sequence[float]],
    *,
    metric: str = "accuracy",
    better: str | None = None,
    n_train: Any = None,
    n_test: Any = None,
    runs: int = 1,
    fingerprints: Mapping[str, str] | None = None,
    stated: bool = False,
    overlap: bool = True,
    rope: float = 0.01,
    margin: float | None = None,
    alternative: Alternative = "two-sided",
    adjust: Adjustment = "holm",
    confidence_level: float = 0.95,
    fold_names: Sequence[str] | None = None,
    notes: Sequence[str] = (),
) -> Comparison:
    """Models whose scores on the same folds are known.

    That the folds are the same is proven by equal `fingerprints`, or `stated`. Training sets are taken to
    overlap, as in cross-validation, unless `overlap` is False; `n_train` and `n_test` are their sizes, and
    without these the scores are those of cross-validation repeated `runs` times.
    """
    checked_choice("adjust", adjust, Adjustment)
    name, way = direction(metric, better)
    found = checked(scores, "fold", name)
    _refuse_other_folds(list(found), fingerprints, stated=stated)
    level = checked_level(confidence_level)
    design = FoldDesign(
        metric=name,
        better=way,
        scores=found,
        fold_names=_fold_names(fold_names, found),
        sizes=(n_train, n_test),
        runs=runs,
        overlap=overlap,
        rope=rope,
        alternative=checked_alternative(alternative),
        level=level,
    )
    pairs = [_pair(design, a, b) for a, b in combinations(found, 2)]
    differences = adjusted([_difference(design, pair) for pair in pairs], adjust)
    reach = [_reach(design, pair) for pair in pairs]
    values = {model: float(column.mean()) for model, column in found.items()}
    verdict = judge(
        differences,
        values,
        level=level,
        margin=checked_margin(margin),
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
        assumption=_assumption(pairs[0].outcome, overlap=overlap),
        counted="folds",
        outcomes=pairs[0].outcomes if len(pairs) == 1 else (),
        detail=FoldDetail(design, tuple(pairs), tuple(differences), tuple(reach)),
        notes=(_same(stated=fingerprints is None), *notes),
    )


@dataclass(frozen=True, eq=False)
class FoldDesign:
    """What is compared, and how."""

    metric: str
    better: Better | None
    scores: Mapping[str, Floats]
    fold_names: tuple[str, ...]
    sizes: tuple[Any, Any]
    runs: int
    overlap: bool
    rope: float
    alternative: Alternative
    level: float

    def tested(self, a: Any, b: Any, level: float | None = None) -> Outcome:
        """The test that the verdict goes by."""
        asked: dict[str, Any] = {"alternative": self.alternative, "confidence_level": level or self.level}
        if not self.overlap:
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
    """Of how much better the first is; None with one fold, or where training sets do not overlap."""

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
        from tallymark.comparison.folds_words import sections

        return sections(self)

    def form(self) -> Mapping[str, Any]:
        from tallymark.comparison.folds_words import form

        return form(self)

    def figures(self) -> Mapping[str, Callable[[], Figure]]:
        from tallymark.comparison.folds_words import figures

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
    asked: dict[str, Any] = {"alternative": design.alternative, "confidence_level": design.level}
    outcome = design.tested(first, second)
    return FoldPair(
        a,
        b,
        without_noise(first - second, float(max(np.abs(first).max(), np.abs(second).max()))),
        outcome,
        paired_t(first, second, **asked) if design.overlap else outcome,
        tuple(_five_by_two(design, first, second, asked)),
        _posterior(design, first, second),
    )


def _five_by_two(design: FoldDesign, a: Floats, b: Floats, asked: dict[str, Any]) -> list[Outcome]:
    if (design.runs, len(a)) != _FIVE_BY_TWO:
        return []
    found = [five_by_two(a, b, "t", **asked)]
    if design.alternative == "two-sided":
        found.append(five_by_two(a, b, "f", confidence_level=design.level))
    return found


def _posterior(design: FoldDesign, a: Floats, b: Floats) -> Posterior | None:
    """Of how much better a is, which is b less a where a lower number is better."""
    if len(a) < 2 or not design.overlap:
        return None
    better, worse = (b, a) if design.better == "lower" else (a, b)
    n_train, n_test = design.sizes
    return bayesian_t(better, worse, runs=design.runs, rope=design.rope, n_train=n_train, n_test=n_test)


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


def _reach(design: FoldDesign, pair: FoldPair) -> Reach:
    """The smallest difference found in most cases: by Student's noncentral distribution."""
    smallest = None
    if pair.outcome.se:
        from scipy.special import nctdtrinc, stdtrit

        freedom = len(pair.differences) - 1
        tail = (1 - design.level) / (2 if design.alternative == "two-sided" else 1)
        smallest = float(nctdtrinc(freedom, 1 - POWER, stdtrit(freedom, 1 - tail))) * pair.outcome.se
    return Reach(design.metric, pair.a, pair.b, smallest, None, len(pair.differences))
