"""Numbers about the probabilities of all classes at once: means of areas, and the first k places."""

from __future__ import annotations

import math
from typing import Any

from tallymark.metrics.registry import metric, ratio
from tallymark.tallies.class_ranks import ClassRanks

ONE_CLASS = {"n": "there are no rows", "classes - 1": "all rows are of one class"}
AREAS = ("auc_ovr_macro", "auc_ovr_weighted", "auc_ovo_macro", "auc_ovo_weighted")
HAND_TILL = "Hand & Till 2001, Machine Learning 45:171"
PROVOST = "Provost & Domingos 2000, CeDER Working Paper IS-00-04"
FERRI = "Ferri, Hernández-Orallo & Modroiu 2009, Pattern Recognition Letters 30:27"


def words_of(t: ClassRanks) -> dict[str, Any]:
    """The names in these formulas, with the numbers a tally gives them."""
    return {
        "n": t.n,
        "classes": int(t.there.sum()),
        "K": int(t.there.sum()),
        "auc_k": t.one_vs_rest[t.there].tolist(),
        "actual_k": t.support[t.there].tolist(),
        "pairs": len(t.pairs[0]),
        "area_k": t.pair_areas.tolist(),
        "rows_k": t.pair_rows.tolist(),
    }


@metric(
    formula="sum(auc_k) / K",
    undefined=ONE_CLASS,
    about="classes",
    interval="linearised",
    reference=FERRI,
)
def auc_ovr_macro(t: ClassRanks) -> float:
    """Mean over the classes of the area under the ROC curve of each against all others."""
    return ratio(t.one_vs_rest[t.there].sum(), t.there.sum()) if several(t) else math.nan


@metric(
    formula="sum(actual_k * auc_k) / sum(actual_k)",
    undefined=ONE_CLASS,
    about="classes",
    interval="linearised",
    reference=f"{PROVOST}; {FERRI}",
)
def auc_ovr_weighted(t: ClassRanks) -> float:
    """Mean over the classes, weighted by their rows, of the area under the ROC curve against all others."""
    actual = t.support[t.there]
    return ratio((actual * t.one_vs_rest[t.there]).sum(), actual.sum()) if several(t) else math.nan


@metric(
    formula="sum(area_k) / pairs",
    undefined=ONE_CLASS,
    about="classes",
    interval="linearised",
    prevalence_free=True,
    aliases=("hand_till",),
    reference=HAND_TILL,
)
def auc_ovo_macro(t: ClassRanks) -> float:
    """Mean over the pairs of classes of how well each is told from the other: the M of Hand and Till."""
    return float(ratio(t.pair_areas.sum(), len(t.pair_areas)))


@metric(
    formula="sum(rows_k * area_k) / sum(rows_k)",
    undefined=ONE_CLASS,
    about="classes",
    interval="linearised",
    reference=f"{HAND_TILL}; {FERRI}",
)
def auc_ovo_weighted(t: ClassRanks) -> float:
    """Mean over the pairs of classes, weighted by their rows, of how well each is told from the other."""
    return float(ratio((t.pair_rows * t.pair_areas).sum(), t.pair_rows.sum()))


@metric(
    formula="within / n",
    undefined={"n": "there are no rows"},
    about="classes",
    interval="wilson",
    parameters=("k",),
    reference="Russakovsky et al. 2015, International Journal of Computer Vision 115:211",
)
def top_k_accuracy(t: ClassRanks, k: float) -> float:
    """Share of the rows whose class is among the k most probable."""
    return float(ratio(t.places[: int(k)].sum(), t.places.sum()))


def several(t: ClassRanks) -> bool:
    """Whether there are rows of more than one class."""
    return int(t.there.sum()) > 1
