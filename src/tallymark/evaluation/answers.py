"""What an evaluation says of its answers and of all its classes, beyond the curves of one class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallymark.curves import (
    Calibration,
    ClassThresholds,
    ConfusedPairs,
    Distribution,
    OneVsRest,
    Rejection,
    class_thresholds,
    confused_pairs,
)
from tallymark.errors import OptionError
from tallymark.evaluation.classes import Rocs
from tallymark.evaluation.ranked import VOTES
from tallymark.inference.recalibration.gain import Recalibration, recalibration_of

if TYPE_CHECKING:
    from tallymark.evaluation.numbered import Numbered
    from tallymark.evaluation.result import Evaluation
    from tallymark.inference import Ranking
    from tallymark.metrics.calibration import Strategy


def trusted(ev: Numbered) -> Ranking | str:
    """Probabilities by whether they came true: of the answers, of two classes of the positive one."""
    if ev.ranked is None:
        return ev.no_scores
    if ev.ranked.voters:
        return VOTES
    if len(ev.labels) > 2:
        return ev.ranked.confidence
    return ev.ranked.of_class(1 if ev.position is None else ev.position)


def rejection(ev: Evaluation) -> Rejection | None:
    """By how far the best class is ahead of the second best; None without one probability per class."""
    if ev.ranked is None or ev.ranked.about is not None:
        return None
    found = ev.known(ev.ranked.margins)
    margins, groups = found.seen
    return Rejection(margins, level=found.level, groups=groups)


def calibration(ev: Evaluation, n_bins: int, strategy: Strategy) -> Calibration:
    found, several = ev.known(trusted(ev)), len(ev.labels) > 2
    scores, groups = found.seen
    return Calibration(scores, n_bins, strategy, found.level, groups, several, found.clip)


def distribution(ev: Evaluation, n_bins: int) -> Distribution:
    """Of more classes than two the probabilities of the answers, where every class has one."""
    if ev.ranked is not None and len(ev.labels) > 2 and ev.ranked.about is None:
        return Distribution(ev.known(ev.ranked.confidence).seen[0], n_bins, of_answers=True)
    two = ev.position is None and len(ev.labels) == 2
    return ev.curves_of(1 if two else ev.position).distribution(n_bins)


def recalibration(ev: Evaluation) -> Recalibration:
    found = ev.known(trusted(ev))
    return recalibration_of(found.scores, found.level, found.groups, found.share, seed=ev.seed)


def one_vs_rest(ev: Evaluation) -> OneVsRest:
    level = ev.known(ev.ranking(0)).level
    areas = {label: result["auc"] for label, result in ev.per_class.items()}
    ends = {label: (auc.value, auc.low, auc.high) for label, auc in areas.items()}
    support = {label: result.support for label, result in ev.per_class.items()}
    return OneVsRest(Rocs(ev.per_class), ends, level, support)


def thresholds_of_classes(ev: Evaluation, metric: str) -> ClassThresholds:
    ev.known(ev.ranking(0))
    each = ((label, result.curves.probabilities.seen[0]) for label, result in ev.per_class.items())
    return class_thresholds(each, metric)


def pairs(ev: Evaluation, most: int) -> ConfusedPairs:
    if ev.confusion is None:
        raise OptionError("there is no matrix to look into.", hint=ev.why_not)
    return confused_pairs(ev.confusion, most)
