"""`threshold="best:..."`: the best threshold against a search of all of them in exact fractions."""

from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm
from deciding import yes_or_no
from scored import classes, columns, refusals

ROWS = st.lists(
    st.tuples(st.sampled_from([-2.5, 0.0, 0.1, 0.3, 0.5, 0.7, 1.0, 4.0]), st.booleans()), min_size=1
)
OBJECTIVES = {
    "f1": lambda tp, fn, fp, _tn: Fraction(2 * tp, 2 * tp + fp + fn) if tp + fp + fn else None,
    "accuracy": lambda tp, fn, fp, tn: Fraction(tp + tn, tp + fn + fp + tn),
    "youden": lambda tp, fn, fp, tn: (
        Fraction(tp, tp + fn) - Fraction(fp, fp + tn) if tp + fn and fp + tn else None
    ),
}


def searched(rows, good):
    """The highest of the best; None if none is defined. Just above all scores nothing is positive."""
    above = float(np.nextafter(max(score for score, _ in rows), np.inf))
    values = []
    for cut in sorted({score for score, _ in rows} | {above}):
        calls = [(score >= cut, positive) for score, positive in rows]
        cells = (calls.count((True, True)), calls.count((False, True)))
        value = good(*cells, calls.count((True, False)), calls.count((False, False)))
        values += [] if value is None else [(value, cut)]
    return max(values)[1] if values else None


def chosen(rows, objective, **options):
    return yes_or_no(*columns(rows), threshold=f"best:{objective}", **options).threshold


@given(ROWS)
def test_the_best_threshold_is_the_one_a_search_finds(rows):
    for objective, good in OBJECTIVES.items():
        expected = searched(rows, good)
        if expected is None:
            refused = refusals({"": lambda objective=objective: chosen(rows, objective)})
            assert classes(refused) == {"": "OptionError"}
        else:
            assert chosen(rows, objective) == expected


def test_special_cases():
    # Three misses at 0.1 cost as much as a false alarm at 0.3, but 3 * 0.1 > 0.3 in floats.
    costs = [[0, 0.1], [0.3, 0]]
    assert chosen([(0.5, True)] * 3 + [(0.5, False)], "cost", costs=costs) == np.nextafter(0.5, 1)
    assert chosen([(0.9, True), (0.5, True), (0.1, False)], "cost", costs=costs) == 0.5
    # 10 positives and 10 negatives: at 0.9 the rates are 0.3 and 0.1, at 0.5 they are 0.4 and 0.2.
    equal = [(0.9, True)] * 3 + [(0.9, False), (0.5, True), (0.5, False)]
    equal += [(0.1, True)] * 6 + [(0.1, False)] * 8
    assert 0.3 - 0.1 < 0.4 - 0.2
    assert chosen(equal, "youden") == 0.9
    # Of equally good ones the highest; one right among two at either cut makes an F1 of 2/3.
    assert chosen([(0.9, True), (0.8, False), (0.7, True), (0.6, False)], "accuracy") == 0.9
    assert chosen([(0.9, True), (0.5, False), (0.4, False), (0.3, True)], "f1") == 0.9
    nothing = [(0.9, False), (0.8, False), (0.7, True)]
    assert chosen(nothing, "accuracy") == np.nextafter(0.9, 1)
    bins = tm.Scores.from_bins([8, 1, 1], [1, 1, 8], edges=[0.9, 0.6, 0.3, 0.0])
    assert bins.evaluate(threshold="best:accuracy").threshold == 0.6
    best = yes_or_no([0.9, 0.2], [1, 0], threshold="best")
    assert (best.threshold, best["f1"].value) == (0.9, 1)


def test_weights_are_rows():
    random, wrong = np.random.default_rng(1), []
    for objective, _ in product(OBJECTIVES, range(20)):
        positive = random.random(12) < 0.5
        positive[:2] = True, False
        score = (random.integers(0, 9, 12) + 4 * positive) / 12
        weight, rows = random.integers(1, 5, 12), list(zip(score, positive, strict=True))
        as_often = np.repeat(np.array(rows, object), weight, axis=0)
        plain, repeated = (chosen(each, objective) for each in (rows, as_often))
        same = chosen(rows, objective, sample_weight=np.full(12, 0.1)) == plain
        as_rows = chosen(rows, objective, sample_weight=weight, weight_kind="frequency") == repeated
        if not (same and as_rows):
            wrong.append((objective, rows, weight))
    assert not wrong
    # Rows without weight are no place to cut.
    rows = [(0.9, True), (0.8, True), (0.2, False)]
    assert chosen(rows, "accuracy", sample_weight=[0, 1, 1]) == 0.8
    turned = [(score, not positive) for score, positive in rows]
    assert chosen(turned, "accuracy", sample_weight=[0, 3, 1]) == np.nextafter(0.8, 1)
    # tp * negatives is 2**80 here; at 0.9 the rates are 1/2 and 0, at 0.5 they are 1 and 1.
    many = {"sample_weight": np.array([2**40] * 3), "weight_kind": "frequency"}
    assert chosen([(0.9, True), (0.5, True), (0.5, False)], "youden", **many) == 0.9


def test_what_is_no_threshold(snapshot):
    words = ("worst", "best:auc", "best:", "best f1", "Best", "", "f1", "best:cost")
    rows = [(0.5, True), (0.1, False)]
    cut = {f"threshold {word!r}": word for word in words}
    refused = refusals(
        {name: lambda at=at: yes_or_no(*columns(rows), threshold=at) for name, at in cut.items()}
    )
    assert set(classes(refused).values()) == {"OptionError"}
    snapshot("errors_best_threshold", refused)
