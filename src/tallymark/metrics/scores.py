"""Numbers from scores: how well rows are ranked, over `Scores`; how good probabilities are, over `Sums`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.metrics.registry import metric, ratio
from tallymark.tallies import Scores, Sums

ONE_CLASS = {"positives": "no row is actually positive", "negatives": "no row is actually negative"}
NO_POSITIVES = {"positives": "no row is actually positive"}
NO_ROWS = {"n": "there are no rows"}
IMPOSSIBLE = "infinite, because a row gave its actual class probability 0"

HANLEY = "Hanley & McNeil 1982, Radiology 143:29"
_BLOCK = 1 << 16
_LARGEST = 2**63 - 1


class Block(NamedTuple):
    """Neighbouring distinct scores, best first, and what stands above them."""

    at: slice
    positives: NDArray[Any]
    negatives: NDArray[Any]
    tp_before: NDArray[Any]
    """Positives with a better score than each."""
    tp: NDArray[Any]
    """Positives with that score or a better one."""
    fp_before: NDArray[Any]
    fp: NDArray[Any]

    @property
    def called(self) -> NDArray[Any]:
        """Rows with that score or a better one."""
        return np.asarray(self.tp + self.fp)

    @property
    def precision(self) -> NDArray[np.float64]:
        """Positives among them; 0 as long as there are none, as in empty bins at the top."""
        return part_of(self.tp, self.called)


def part_of(part: NDArray[Any], whole: NDArray[Any]) -> NDArray[np.float64]:
    """One divided by the other; 0 where there is nothing to divide by."""
    return np.asarray(np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0))


def blocks(t: Scores) -> Iterator[Block]:
    """The scores from the best down in pieces that fit a cache: no array as long as the data is made."""
    above: list[Any] = [t.positives.dtype.type(0), t.negatives.dtype.type(0)]
    for start in range(0, len(t.score), _BLOCK):
        at = slice(start, start + _BLOCK)
        running = []
        for side, counts in enumerate((t.positives[at], t.negatives[at])):
            # Shifted, not subtracted: what is nothing must stay exactly nothing with weights such as 0.1.
            totals = np.cumsum(np.concatenate([[above[side]], counts]))
            above[side] = totals[-1]
            running += [totals[:-1], totals[1:]]
        yield Block(at, t.positives[at], t.negatives[at], *running)


class Pairs(NamedTuple):
    """Pairs of a positive and a negative row: the positive has the better score, the same, or the worse."""

    won: Any
    tied: Any
    lost: Any


def pairs_of(t: Scores) -> Pairs:
    """Every pair, counted in whole numbers as long as rows are; more than 2**63 in Python's own."""
    kind = object if t.positives.dtype.kind in "iu" and t.pairs > _LARGEST else None
    won = tied = lost = 0
    for each in blocks(t):
        positives, negatives, tp, fp = (
            side if kind is None else side.astype(kind)
            for side in (each.positives, each.negatives, each.tp_before, each.fp_before)
        )
        # Not `@`: of floats it wakes threads for every block, and adds up less exactly.
        won += _plain((negatives * tp).sum())
        tied += _plain((positives * negatives).sum())
        lost += _plain((positives * fp).sum())
    return Pairs(won, tied, lost)


def _plain(number: Any) -> Any:
    return number.item() if isinstance(number, np.generic) else number


@metric(
    formula="(won + tied / 2) / (positives * negatives)",
    undefined=ONE_CLASS,
    about="scores",
    interval="delong",
    swap="auc",
    prevalence_free=True,
    aliases=("roc_auc", "auroc", "c_statistic"),
    reference=f"{HANLEY}; DeLong et al. 1988, Biometrics 44:837",
)
def auc(t: Scores) -> float:
    """Share of the pairs of a positive and a negative row in which the positive one has the better score."""
    if not t.pairs:
        return math.nan
    won, tied, lost = pairs_of(t)
    # Not over `pairs`: of sums of weights that product is rounded, and a perfect ranking must give 1.
    return float((2 * won + tied) / (2 * (won + tied + lost)))


@metric(
    formula="2 * auc - 1",
    undefined=ONE_CLASS,
    about="scores",
    interval="delong",
    range=(-1.0, 1.0),
    swap="gini",
    prevalence_free=True,
    aliases=("somers_d", "accuracy_ratio"),
    reference="Somers 1962; Hand & Till 2001, Machine Learning 45",
)
def gini(t: Scores) -> float:
    """Pairs of a positive and a negative row ranked rightly less those ranked wrongly, as a share of all."""
    if not t.pairs:
        return math.nan
    won, tied, lost = pairs_of(t)
    return float((won - lost) / (won + tied + lost))


@metric(
    formula="max(abs(tpr_k - fpr_k))",
    undefined=ONE_CLASS,
    about="scores",
    interval="none",
    swap="ks",
    prevalence_free=True,
    aliases=("ks_statistic",),
    reference="Kolmogorov 1933, Smirnov 1939: the two-sample statistic",
)
def ks(t: Scores) -> float:
    """Largest distance between the true and the false positive rate, over all thresholds."""
    if not t.pairs:
        return math.nan
    return max(float(np.max(rate_distance(t, each.tp, each.fp))) for each in blocks(t))


def rate_distance(t: Scores, tp: NDArray[Any], fp: NDArray[Any]) -> Any:
    """|TPR - FPR|; in whole numbers, where they fit, because a difference of two shares is rounded."""
    if t.positives.dtype.kind in "iu" and t.pairs <= _LARGEST:
        return np.abs(tp * t.n_negative - fp * t.n_positive) / t.pairs
    return np.minimum(1.0, np.abs(tp / t.n_positive - fp / t.n_negative))


@metric(
    formula="sum(width_k * height_k)",
    undefined=ONE_CLASS,
    about="scores",
    interval="linearised",
    prevalence_free=True,
    parameters=("max_fpr",),
    aliases=("pauc",),
    reference="McClish 1989, Medical Decision Making 9:190",
)
def partial_auc(t: Scores, fpr: float) -> float:
    """Area under the ROC curve up to a false positive rate of MAX_FPR; between its points a line."""
    return partial_area(t, fpr) if t.pairs else math.nan


@metric(
    formula="(1 + (partial_auc - max_fpr**2 / 2) / (max_fpr - max_fpr**2 / 2)) / 2",
    undefined=ONE_CLASS,
    about="scores",
    interval="linearised",
    prevalence_free=True,
    parameters=("max_fpr",),
    reference="McClish 1989, Medical Decision Making 9:190",
)
def partial_auc_mcclish(t: Scores, fpr: float) -> float:
    """Partial area standardised: 1 is perfect and 0.5 what chance gives, whatever MAX_FPR is."""
    return mcclish(partial_area(t, fpr), fpr) if t.pairs else math.nan


def partial_area(t: Scores, fpr: float) -> float:
    """Every positive adds how far the false positive rate has still to go when its score is reached."""
    total = sum(float((each.positives * room(each, t.n_negative, fpr)).sum()) for each in blocks(t))
    return float(min(fpr, total / t.n_positive))


def room(each: Block, negatives: float, fpr: float) -> NDArray[np.float64]:
    """What is left of [0, fpr] beyond each score's false positive rate; of tied rows the mean."""
    start, end = each.fp_before / negatives, each.fp / negatives
    left = np.clip(fpr - start, 0.0, None)
    width = end - start
    # A line runs through tied rows, and the limit may cut it: then the mean is of a triangle.
    cut = (end > fpr) & (width > 0)
    return np.where(cut, left**2 / 2 / np.where(cut, width, 1.0), np.clip(fpr - (start + end) / 2, 0.0, None))


def mcclish(area: float, fpr: float) -> float:
    """From the area of chance and of perfection, to 0.5 and 1."""
    chance = fpr**2 / 2
    return (1 + (area - chance) / (fpr - chance)) / 2


@metric(
    formula="sum(step_k * precision_k)",
    undefined=NO_POSITIVES,
    about="scores",
    interval="linearised",
    aliases=("ap", "pr_auc"),
    reference="Boyd, Eng & Page 2013, ECML PKDD; Buckley & Voorhees 2000, SIGIR",
)
def average_precision(t: Scores) -> float:
    """Precision averaged over the recall gained at each threshold, in steps, from the highest down."""
    if not t.n_positive:
        return math.nan
    with np.errstate(under="ignore"):
        total = sum(float((each.positives * each.precision).sum()) for each in blocks(t))
    return float(min(1.0, total / t.n_positive))


# --- probabilities ---------------------------------------------------------------------------


@metric(
    formula="sum((p_k - y_k)**2) / n",
    classes_formula="sum(distance_k) / n",
    undefined=NO_ROWS,
    about="losses",
    better="lower",
    range=(0.0, 2.0),
    interval="wilson_mean",
    swap="brier",
    aliases=("brier_score", "brier_score_loss"),
    reference="Brier 1950, Monthly Weather Review 78:1",
)
def brier(t: Sums) -> float:
    """Mean squared distance of the probabilities from the truth: from 0 to 1, of K > 2 classes to 2."""
    return float(ratio(t.brier.total, t.weight))


@metric(
    formula="brier / most",
    undefined=NO_ROWS,
    about="losses",
    better="lower",
    interval="wilson_mean",
    swap="brier_half",
    reference="Brier 1950, Monthly Weather Review 78:1",
)
def brier_half(t: Sums) -> float:
    """Half of the squared distance summed over all classes: from 0 to 1, of two classes as brier."""
    return float(brier(t) / t.most)


@metric(
    formula="sum(-log(own_k)) / n",
    undefined=NO_ROWS | {"min(own_k)": IMPOSSIBLE},
    about="losses",
    better="lower",
    range=(0.0, math.inf),
    interval="log_mean",
    swap="log_loss",
    aliases=("cross_entropy", "logarithmic_loss"),
    reference="Good 1952, Journal of the Royal Statistical Society B 14:107",
)
def log_loss(t: Sums) -> float:
    """Mean of the negative natural logarithm of the probability that rows gave to their actual class."""
    return math.nan if t.infinite else float(ratio(t.log_loss.total, t.weight))
