"""Weighted values beside scikit-learn's, run here and now; and frequencies beside repeated rows."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from sklearn import metrics as peer

import tallymark as tm
from collected import each

OF_TWO = {
    "accuracy": peer.accuracy_score,
    "balanced_accuracy": peer.balanced_accuracy_score,
    "precision": peer.precision_score,
    "recall": peer.recall_score,
    "specificity": partial(peer.recall_score, pos_label=0),
    "f1": peer.f1_score,
    "f_beta:2": partial(peer.fbeta_score, beta=2),
    "jaccard": peer.jaccard_score,
    "mcc": peer.matthews_corrcoef,
    "kappa": peer.cohen_kappa_score,
    "lr_plus": lambda *rows, **weight: peer.class_likelihood_ratios(*rows, **weight)[0],
    "lr_minus": lambda *rows, **weight: peer.class_likelihood_ratios(*rows, **weight)[1],
}
OF_MANY = ("accuracy", "balanced_accuracy", "mcc", "kappa")
AVERAGED = {name: OF_TWO[name] for name in ("precision", "recall", "f1", "jaccard")}


def rows(classes, kind, n=300):
    generator = np.random.default_rng([classes, len(kind)])
    actual = generator.integers(0, classes, n)
    predicted = np.where(generator.random(n) < 0.7, actual, generator.integers(0, classes, n))
    whole = generator.integers(0, 6, n)
    return actual, predicted, whole if kind == "whole" else generator.lognormal(0, 1, n)


@each("classes, kind", product([2, 4], ["whole", "fractions"]))
def test_values_of_two_and_of_four_classes(classes, kind):
    actual, predicted, weight = rows(classes, kind)
    ev = tm.evaluate(actual, predicted, sample_weight=weight)
    for name in OF_TWO if classes == 2 else OF_MANY:
        theirs = OF_TWO[name](actual, predicted, sample_weight=weight)
        assert ev[name].value == pytest.approx(theirs, rel=1e-12), name


@each("kind", ["whole", "fractions"])
def test_classes_and_averages(kind):
    actual, predicted, weight = rows(4, kind)
    ev = tm.evaluate(actual, predicted, sample_weight=weight)
    for name, average in product(AVERAGED, ["macro", "micro", "weighted"]):
        theirs = AVERAGED[name](actual, predicted, average=average, sample_weight=weight)
        assert ev[f"{name}_{average}"].value == pytest.approx(theirs, rel=1e-12), (name, average)
    theirs = peer.precision_recall_fscore_support(actual, predicted, sample_weight=weight)
    for position, result in enumerate(ev.per_class.values()):
        ours = [result["precision"].value, result["recall"].value, result["f1"].value, result.support]
        assert ours == pytest.approx([column[position] for column in theirs], rel=1e-12)
    matrix = peer.confusion_matrix(actual, predicted, sample_weight=weight)
    np.testing.assert_allclose(ev.confusion.matrix, matrix, rtol=1e-12)


def test_weights_with_a_score_and_a_threshold():
    actual, _, weight = rows(2, "fractions")
    score = np.random.default_rng(5).random(len(actual))
    ev = tm.evaluate(actual, y_score=score, sample_weight=weight, threshold=0.3)
    theirs = peer.f1_score(actual, score >= 0.3, sample_weight=weight)
    assert ev["f1"].value == pytest.approx(theirs, rel=1e-12)
    # Unweighted, 0.6 makes one error and 0.4 one error; the weight of the second row decides.
    best = {"y_score": [0.9, 0.4, 0.5, 0.1], "sample_weight": [1, 10, 1, 1], "threshold": "best:accuracy"}
    assert tm.evaluate([1, 1, 0, 0], **best).threshold == 0.4


# --- frequencies -----------------------------------------------------------------------------


@each("classes", [2, 4])
def test_frequencies_are_repeated_rows_in_every_number_and_interval(classes):
    actual, predicted, times = rows(classes, "whole")
    lines = tm.evaluate(actual, predicted, sample_weight=times, weight_kind="frequency")
    repeated = tm.evaluate(np.repeat(actual, times), np.repeat(predicted, times))
    assert lines.rows == repeated.rows == times.sum()
    assert lines.confusion == repeated.confusion
    assert lines.to_dict()["metrics"] == repeated.to_dict()["metrics"]
    assert lines.to_dict()["per_class"] == repeated.to_dict()["per_class"]
    for name in ("f_beta:2", "weighted_accuracy:2,1,1,1"):
        if classes == 2:
            assert lines[name].to_dict() == repeated[name].to_dict()


def test_frequencies_in_groups_and_slices_are_repeated_rows_too():
    actual, predicted, times = rows(2, "whole")
    columns = [actual, predicted, np.arange(300) % 30, np.arange(300) % 3]

    def evaluated(actual, predicted, group, region, **options):
        return tm.evaluate(actual, predicted, groups=group, slices={"region": region}, **options).to_dict()

    lines = evaluated(*columns, weight=times, weight_kind="frequency")
    repeated = evaluated(*(np.repeat(side, times) for side in columns))
    for part in ("metrics", "slices"):
        assert lines[part] == repeated[part]


def test_sampling_weights_give_the_same_values_but_not_the_same_intervals():
    actual, predicted, times = rows(2, "whole")
    sampling = tm.evaluate(actual, predicted, sample_weight=times)
    frequency = tm.evaluate(actual, predicted, sample_weight=times, weight_kind="frequency")
    assert len(sampling.metrics) > 20
    for name, one in sampling.metrics.items():
        other = frequency[name]
        assert one.value == pytest.approx(other.value, rel=1e-12), name
        if one.low is not None and other.low is not None:
            assert one.high - one.low > other.high - other.low, name


def test_undefined_as_zero_is_what_the_peer_does():
    rows, weight = ([0, 0, 1, 1, 2], [0, 1, 1, 1, 1]), [0.5, 1.5, 1.0, 2.0, 0.25]
    theirs = peer.precision_score(*rows, average="macro", sample_weight=weight, zero_division=0)
    ours = tm.evaluate(*rows, sample_weight=weight, undefined=0)["precision_macro"].value
    assert ours == pytest.approx(theirs)
