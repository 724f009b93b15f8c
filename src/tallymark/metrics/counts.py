"""Every count-based number: one plain function each, over `Binary` or `Margins`."""

from __future__ import annotations

from typing import Any

from tallymark.metrics.registry import metric, ratio, root

INFINITY = float("inf")

NO_ROWS = {"n": "there are no rows"}
NO_POSITIVES = {"tp + fn": "no row is actually positive"}
NO_NEGATIVES = {"fp + tn": "no row is actually negative"}
NOTHING_CALLED_POSITIVE = {"tp + fp": "nothing was predicted positive"}
NOTHING_CALLED_NEGATIVE = {"fn + tn": "nothing was predicted negative"}

TAN = "Tan, Steinbach & Kumar, Introduction to Data Mining, ch. 4"


# --- all classes at once ---------------------------------------------------------------------


@metric(
    formula="(tp + tn) / n",
    classes_formula="sum(hits_k) / n",
    undefined=NO_ROWS,
    about="all",
    share=("correct", "n"),
    swap="accuracy",
    towards=("C(+|+)", "C(-|+)", "C(+|-)", "C(-|-)"),
    aliases=("acc",),
    reference=TAN,
)
def accuracy(t: Any) -> Any:
    """Share of the rows that got the right answer."""
    return ratio(t.correct, t.n)


@metric(
    formula="(fp + fn) / n",
    classes_formula="1 - sum(hits_k) / n",
    undefined=NO_ROWS,
    about="all",
    better="lower",
    share=("wrong", "n"),
    swap="error_rate",
    aliases=("error", "misclassification_rate"),
    reference=TAN,
)
def error_rate(t: Any) -> Any:
    """Share of the rows that got a wrong answer."""
    return ratio(t.wrong, t.n)


@metric(
    formula="max(tp + fn, fp + tn) / n",
    classes_formula="max(actual_k) / n",
    undefined=NO_ROWS,
    about="all",
    better="neither",
    interval="none",
    swap="no_information_rate",
    aliases=("nir", "majority_rate"),
    reference="Kuhn, caret: confusionMatrix",
)
def no_information_rate(t: Any) -> Any:
    """Accuracy of always answering the most frequent actual class."""
    return ratio(t.largest, t.n)


@metric(
    formula="(recall + specificity) / 2",
    classes_formula="sum(recall_k) / K",
    undefined=NO_POSITIVES | NO_NEGATIVES,
    about="all",
    swap="balanced_accuracy",
    prevalence_free=True,
    aliases=("bac",),
    reference="Brodersen et al. 2010, ICPR",
)
def balanced_accuracy(t: Any) -> Any:
    """Mean of the recalls of all classes."""
    return (recall(t) + specificity(t)) / 2


@metric(
    formula="(tp * tn - fp * fn) / sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))",
    classes_formula=(
        "(n * sum(hits_k) - sum(actual_k * predicted_k))"
        " / sqrt((n**2 - sum(predicted_k**2)) * (n**2 - sum(actual_k**2)))"
    ),
    undefined=NO_POSITIVES | NO_NEGATIVES | NOTHING_CALLED_POSITIVE | NOTHING_CALLED_NEGATIVE,
    classes_undefined=NO_ROWS
    | {
        "n**2 - sum(actual_k**2)": "every row is of the same class",
        "n**2 - sum(predicted_k**2)": "every row got the same answer",
    },
    about="all",
    range=(-1.0, 1.0),
    swap="mcc",
    aliases=("phi", "matthews_corrcoef"),
    reference="Matthews 1975; K classes: Gorodkin 2004",
)
def mcc(t: Any) -> Any:
    """Correlation between actual and predicted, from -1 to 1."""
    if hasattr(t, "hits"):
        return ratio(t.beyond_chance, root(t.unlike_predicted * t.unlike_actual))
    predicted, actual = t.predicted_positive * t.predicted_negative, t.actual_positive * t.actual_negative
    # As a float, because four totals multiplied leave int64; and under one root, so that 1 comes out as 1.
    return ratio(t.tp * t.tn - t.fp * t.fn, root(1.0 * predicted * actual))


@metric(
    formula="(n * (tp + tn) - chance) / (n**2 - chance)",
    classes_formula=(
        "(n * sum(hits_k) - sum(actual_k * predicted_k)) / (n**2 - sum(actual_k * predicted_k))"
    ),
    undefined=NO_ROWS | {"n**2 - chance": "every row is of one class and got that answer"},
    classes_undefined=NO_ROWS
    | {"n**2 - sum(actual_k * predicted_k)": "every row is of one class and got that answer"},
    about="all",
    range=(-1.0, 1.0),
    swap="kappa",
    aliases=("cohen_kappa", "cohens_kappa"),
    reference="Cohen 1960",
)
def kappa(t: Any) -> Any:
    """Agreement beyond what the class shares would give by chance."""
    if hasattr(t, "hits"):
        return ratio(t.beyond_chance, t.unlike_chance)
    unlike = t.actual_positive * t.predicted_negative + t.actual_negative * t.predicted_positive
    return ratio(2 * (t.tp * t.tn - t.fp * t.fn), unlike)


@metric(
    formula="cost",
    undefined={},
    about="all",
    better="lower",
    range=(-INFINITY, INFINITY),
    swap="total_cost",
    aliases=("cost",),
    reference=TAN,
)
def total_cost(t: Any) -> Any:
    """Cost of all answers: every cell's count times its cost, added up."""
    return t.cost


@metric(
    formula="cost / n",
    undefined=NO_ROWS,
    swap="mean_cost",
    about="all",
    better="lower",
    range=(-INFINITY, INFINITY),
    reference=TAN,
)
def mean_cost(t: Any) -> Any:
    """Cost per row."""
    return ratio(t.cost, t.n)


# --- one class against the rest --------------------------------------------------------------


@metric(
    formula="tp / (tp + fp)",
    undefined=NOTHING_CALLED_POSITIVE,
    share=("tp", "predicted_positive"),
    swap="npv",
    towards=("C(+|+)", "C(+|-)"),
    aliases=("ppv", "positive_predictive_value"),
    reference=TAN,
)
def precision(t: Any) -> Any:
    """Share of the predicted positives that are positive."""
    return ratio(t.tp, t.predicted_positive)


@metric(
    formula="tp / (tp + fn)",
    undefined=NO_POSITIVES,
    share=("tp", "actual_positive"),
    swap="specificity",
    prevalence_free=True,
    towards=("C(+|+)", "C(-|+)"),
    aliases=("sensitivity", "tpr", "true_positive_rate", "hit_rate"),
    reference=TAN,
)
def recall(t: Any) -> Any:
    """Share of the actual positives that were found."""
    return ratio(t.tp, t.actual_positive)


@metric(
    formula="tn / (fp + tn)",
    undefined=NO_NEGATIVES,
    share=("tn", "actual_negative"),
    swap="recall",
    prevalence_free=True,
    towards=("C(-|-)", "C(+|-)"),
    aliases=("tnr", "true_negative_rate", "selectivity"),
    reference=TAN,
)
def specificity(t: Any) -> Any:
    """Share of the actual negatives that were left alone."""
    return ratio(t.tn, t.actual_negative)


@metric(
    formula="tn / (fn + tn)",
    undefined=NOTHING_CALLED_NEGATIVE,
    share=("tn", "predicted_negative"),
    swap="precision",
    towards=("C(-|-)", "C(-|+)"),
    aliases=("negative_predictive_value",),
    reference=TAN,
)
def npv(t: Any) -> Any:
    """Share of the predicted negatives that are negative."""
    return ratio(t.tn, t.predicted_negative)


@metric(
    formula="fp / (fp + tn)",
    undefined=NO_NEGATIVES,
    better="lower",
    share=("fp", "actual_negative"),
    swap="fnr",
    prevalence_free=True,
    aliases=("false_positive_rate", "fall_out", "false_alarm_rate"),
    reference=TAN,
)
def fpr(t: Any) -> Any:
    """Share of the actual negatives that were called positive."""
    return ratio(t.fp, t.actual_negative)


@metric(
    formula="fn / (tp + fn)",
    undefined=NO_POSITIVES,
    better="lower",
    share=("fn", "actual_positive"),
    swap="fpr",
    prevalence_free=True,
    aliases=("false_negative_rate", "miss_rate"),
    reference=TAN,
)
def fnr(t: Any) -> Any:
    """Share of the actual positives that were missed."""
    return ratio(t.fn, t.actual_positive)


@metric(
    formula="fp / (tp + fp)",
    undefined=NOTHING_CALLED_POSITIVE,
    better="lower",
    share=("fp", "predicted_positive"),
    swap="false_omission_rate",
    aliases=("false_discovery_rate",),
    reference="Benjamini & Hochberg 1995",
)
def fdr(t: Any) -> Any:
    """Share of the predicted positives that are negative."""
    return ratio(t.fp, t.predicted_positive)


@metric(
    formula="fn / (fn + tn)",
    undefined=NOTHING_CALLED_NEGATIVE,
    better="lower",
    share=("fn", "predicted_negative"),
    swap="fdr",
    aliases=("for",),
    reference="Powers 2011",
)
def false_omission_rate(t: Any) -> Any:
    """Share of the predicted negatives that are positive."""
    return ratio(t.fn, t.predicted_negative)


@metric(
    formula="2 * tp / (2 * tp + fp + fn)",
    undefined={"2 * tp + fp + fn": "the class neither occurs nor is predicted"},
    interval="f1",
    towards=("C(+|+)", "C(-|+)", "C(+|-)"),
    aliases=("f_measure", "f_score", "dice"),
    reference="van Rijsbergen 1979",
)
def f1(t: Any) -> Any:
    """Harmonic mean of precision and recall."""
    return ratio(2 * t.tp, 2 * t.tp + t.fp + t.fn)


@metric(
    formula="(1 + beta**2) * tp / ((1 + beta**2) * tp + beta**2 * fn + fp)",
    undefined={
        "(1 + beta**2) * tp + beta**2 * fn + fp": "the class is not predicted, nor does it "
        "occur (or beta is 0)"
    },
    parameters=("beta",),
    towards=("C(+|+)", "C(-|+)", "C(+|-)"),
    reference="van Rijsbergen 1979",
)
def f_beta(t: Any, beta: float) -> Any:
    """Mean of precision and recall in which recall counts beta times as much."""
    top = (1 + beta**2) * t.tp
    return ratio(top, top + beta**2 * t.fn + t.fp)


@metric(
    formula="(w1 * tp + w4 * tn) / (w1 * tp + w2 * fn + w3 * fp + w4 * tn)",
    undefined={"w1 * tp + w2 * fn + w3 * fp + w4 * tn": "the weighted cells are all empty"},
    parameters=("w1", "w2", "w3", "w4"),
    reference=TAN,
)
def weighted_accuracy(t: Any, w1: float, w2: float, w3: float, w4: float) -> Any:
    """Accuracy in which the cells TP, FN, FP, TN count w1, w2, w3, w4 times."""
    right = w1 * t.tp + w4 * t.tn
    return ratio(right, right + w2 * t.fn + w3 * t.fp)


@metric(
    formula="tp / (tp + fp + fn)",
    undefined={"tp + fp + fn": "the class neither occurs nor is predicted"},
    interval="jaccard",
    towards=("C(+|+)", "C(-|+)", "C(+|-)"),
    aliases=("iou", "threat_score", "critical_success_index"),
    reference="Jaccard 1901",
)
def jaccard(t: Any) -> Any:
    """Overlap of the actual and the predicted positives."""
    return ratio(t.tp, t.tp + t.fp + t.fn)


@metric(
    formula="recall + specificity - 1",
    undefined=NO_POSITIVES | NO_NEGATIVES,
    range=(-1.0, 1.0),
    swap="informedness",
    prevalence_free=True,
    aliases=("youden", "youden_j", "bookmaker_informedness"),
    reference="Youden 1950; Powers 2011",
)
def informedness(t: Any) -> Any:
    """How much better than a coin the answers follow the truth: TPR - FPR."""
    return recall(t) + specificity(t) - 1


@metric(
    formula="precision + npv - 1",
    undefined=NOTHING_CALLED_POSITIVE | NOTHING_CALLED_NEGATIVE,
    range=(-1.0, 1.0),
    swap="markedness",
    aliases=("delta_p",),
    reference="Powers 2011",
)
def markedness(t: Any) -> Any:
    """How far the answers can be trusted: PPV + NPV - 1."""
    return precision(t) + npv(t) - 1


@metric(
    formula="recall / fpr",
    undefined=NO_POSITIVES
    | NO_NEGATIVES
    | NOTHING_CALLED_POSITIVE
    | {"fp": "no negative was called positive, so the ratio is infinite"},
    range=(0.0, INFINITY),
    interval="log",
    prevalence_free=True,
    aliases=("positive_likelihood_ratio", "plr"),
    reference="Simel, Samsa & Matchar 1991",
)
def lr_plus(t: Any) -> Any:
    """How many times more often positives than negatives are called positive."""
    return ratio(recall(t), fpr(t))


@metric(
    formula="fnr / specificity",
    undefined=NO_POSITIVES
    | NO_NEGATIVES
    | NOTHING_CALLED_NEGATIVE
    | {"tn": "no negative was called negative, so the ratio is infinite"},
    better="lower",
    range=(0.0, INFINITY),
    interval="log",
    prevalence_free=True,
    aliases=("negative_likelihood_ratio", "nlr"),
    reference="Simel, Samsa & Matchar 1991",
)
def lr_minus(t: Any) -> Any:
    """How many times more often positives than negatives are called negative."""
    return ratio(fnr(t), specificity(t))


@metric(
    formula="tp * tn / (fp * fn)",
    undefined=NO_POSITIVES
    | NO_NEGATIVES
    | NOTHING_CALLED_POSITIVE
    | NOTHING_CALLED_NEGATIVE
    | {"fp * fn": "one kind of error never happened, so the ratio is infinite"},
    range=(0.0, INFINITY),
    interval="log",
    swap="diagnostic_odds_ratio",
    prevalence_free=True,
    aliases=("dor", "odds_ratio"),
    reference="Glas et al. 2003",
)
def diagnostic_odds_ratio(t: Any) -> Any:
    """Odds of being called positive among positives against those among negatives."""
    return ratio(t.tp * t.tn, t.fp * t.fn)


@metric(
    formula="sqrt(recall * specificity)",
    undefined=NO_POSITIVES | NO_NEGATIVES,
    swap="g_mean",
    prevalence_free=True,
    aliases=("geometric_mean",),
    reference="Kubat & Matwin 1997",
)
def g_mean(t: Any) -> Any:
    """Geometric mean of recall and specificity."""
    return root(recall(t) * specificity(t))


@metric(
    formula="(tp + fn) / n",
    undefined=NO_ROWS,
    better="neither",
    share=("actual_positive", "n"),
    aliases=("base_rate",),
    reference="Altman & Bland 1994",
)
def prevalence(t: Any) -> Any:
    """Share of the rows that are actually positive."""
    return ratio(t.actual_positive, t.n)


@metric(
    formula="(tp + fp) / n",
    undefined=NO_ROWS,
    better="neither",
    share=("predicted_positive", "n"),
    aliases=("ppr", "detection_prevalence", "support_rate"),
    reference="Kuhn, caret: confusionMatrix",
)
def predicted_positive_rate(t: Any) -> Any:
    """Share of the rows that were called positive."""
    return ratio(t.predicted_positive, t.n)
