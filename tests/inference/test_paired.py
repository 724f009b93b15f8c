"""Differences between two models: which interval each gets, and what is said where there is none."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as peer

from tallymark.inference import Sample
from tallymark.inference.paired import OtherSample, PairedSample
from tallymark.intake.pairing import count_paired
from tallymark.intervals.differences import difference
from tallymark.intervals.paired_differences import paired_difference
from tallymark.metrics import METRICS, ask
from tallymark.tallies import Confusion

COSTS = np.array([[-1.0, 100.0], [1.0, 0.0]])


def rows(n: int = 150, classes: int = 2, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    actual, first, second = generator.integers(0, classes, (3, n))
    kept, copied = generator.random((2, n)) < 0.7
    a = np.where(kept, actual, first)
    return actual, a, np.where(copied, a, second)


def sample(columns: tuple[np.ndarray, ...] | None = None, classes: int = 2, **options: Any) -> PairedSample:
    actual, a, b = columns or rows(classes=classes)
    counting = {name: options.pop(name) for name in ("weight", "group") if name in options}
    paired, groups = count_paired(tuple(range(classes)), ("tree", "forest"), actual, (a, b), **counting)
    return PairedSample(paired, groups=groups, **options)


def ends(found: Any) -> tuple[float, float]:
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


# --- values ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("accuracy", peer.accuracy_score),
        ("precision", peer.precision_score),
        ("recall", peer.recall_score),
        ("f1", peer.f1_score),
        ("mcc", peer.matthews_corrcoef),
        ("kappa", peer.cohen_kappa_score),
        ("balanced_accuracy", peer.balanced_accuracy_score),
        ("jaccard", peer.jaccard_score),
    ],
)
def test_the_value_is_a_less_b(name: str, function: Any) -> None:
    actual, a, b = rows()
    found = sample().of(ask(name), 1)
    assert found.value == pytest.approx(function(actual, a) - function(actual, b))
    low, high = ends(found)
    assert low < found.value < high


@pytest.mark.parametrize("name", ["f1_macro", "precision_weighted", "f1_micro", "f_beta_macro:2"])
def test_averages(name: str) -> None:
    actual, a, b = rows(classes=4)
    metric, _, average = name.partition("_") if not name.startswith("f_beta") else ("fbeta", "", "macro")
    function = getattr(peer, f"{metric}_score")
    beta = {"beta": 2} if metric == "fbeta" else {}
    expected = [function(actual, side, average=average, **beta) for side in (a, b)]
    found = sample(classes=4).of(ask(name), None)
    assert found.value == pytest.approx(expected[0] - expected[1])
    low, high = ends(found)
    assert low < found.value < high


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("options", [{}, {"weight": True}, {"group": True}])
def test_every_number_has_an_interval_or_a_reason(classes: int, options: dict[str, bool]) -> None:
    given: dict[str, Any] = {}
    if "weight" in options:
        given["weight"] = np.random.default_rng(1).exponential(size=150)
    if "group" in options:
        given["group"] = tuple(range(30)), np.arange(150) % 30
    costs = COSTS if classes == 2 else np.ones((3, 3)) - np.eye(3)
    here = sample(classes=classes, costs=costs, **given)
    # What has no interval: numbers that do not depend on the answers.
    without = {"prevalence", "no_information_rate"}
    for name, metric in METRICS.items():
        asked = ask(
            f"{name}:2,1,1,0" if name == "weighted_accuracy" else f"{name}:2" if name == "f_beta" else name
        )
        found = here.of(asked, 1)
        assert found.value is not None, name
        assert metric.about in ("class", "all")
        if name in without:
            assert found.value == 0
            assert found.note == "the same whatever the answers, so it has no interval"
        else:
            low, high = ends(found)
            assert low <= found.value <= high
            assert low < high, name
            assert np.isfinite([low, high]).all()


# --- shares of the same rows -----------------------------------------------------------------


def test_accuracy_has_tangos_interval() -> None:
    agreement = sample().paired.agreement("tree", "forest")
    four = {"n00": agreement.n00, "n01": agreement.n01, "n10": agreement.n10, "n11": agreement.n11}
    expected = paired_difference(**four)
    for name, sign in (("accuracy", 1), ("error_rate", -1), ("f1_micro", 1), ("recall_weighted", 1)):
        found = sample().of(ask(name), None)
        assert found.method == "tango"
        assert found.n == 150
        limits = expected.low, expected.high
        assert ends(found) == pytest.approx(limits if sign == 1 else (-limits[1], -limits[0]))


def test_recall_is_compared_within_its_class() -> None:
    actual, a, b = rows(classes=3)
    here = actual == 2
    for name, kept, says in (
        ("recall", here, lambda side: side == 2),
        ("fnr", here, lambda side: side != 2),
        ("specificity", ~here, lambda side: side != 2),
        ("fpr", ~here, lambda side: side == 2),
        ("predicted_positive_rate", np.ones(150, bool), lambda side: side == 2),
        ("weighted_accuracy:1,1,0,0", here, lambda side: side == 2),
        ("weighted_accuracy:1,1,1,1", np.ones(150, bool), lambda side: (side == 2) == here),
    ):
        first, second = says(a)[kept], says(b)[kept]
        expected = paired_difference(
            n11=int((first & second).sum()),
            n01=int((first & ~second).sum()),
            n10=int((~first & second).sum()),
            n00=int((~first & ~second).sum()),
        )
        found = sample(classes=3).of(ask(name), 2)
        assert found.method == "tango", name
        assert found.value == pytest.approx(expected.value), name
        assert found.n == kept.sum()
        assert ends(found) == pytest.approx((expected.low, expected.high)), name


# --- models that are alike -------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3, 12, 40])
@pytest.mark.parametrize("grouped", [False, True])
def test_models_that_never_disagree(classes: int, grouped: bool) -> None:
    actual, a, _ = rows(400, classes)
    options: dict[str, Any] = {"group": (tuple(range(40)), np.arange(400) % 40)} if grouped else {}
    here = sample((actual, a, a), classes, costs=1.0 - np.eye(classes), **options)
    for name in (
        "accuracy",
        "recall",
        "precision",
        "f1",
        "mcc",
        "f1_macro",
        "balanced_accuracy",
        "mean_cost",
    ):
        found = here.of(ask(name), 1)
        assert found.value == 0
        low, high = ends(found)
        # Nothing was seen to differ, which is not to say that nothing does.
        assert low < 0 < high, name
    # 400 rows, or 40 groups: less than one in ten differs.
    low, high = ends(here.of(ask("accuracy"), None))
    assert -0.1 < low < high < 0.1


def test_perfect_models() -> None:
    actual, _, _ = rows(50)
    low, high = ends(sample((actual, actual, actual)).of(ask("f1"), 1))
    assert -0.2 < low < 0 < high < 0.2


def test_the_other_way_round_is_the_same_with_the_other_sign() -> None:
    actual, a, b = rows(classes=3)
    one, other = sample((actual, a, b), 3), sample((actual, b, a), 3)
    for name in ("accuracy", "recall", "f1", "mcc", "f1_macro"):
        low, high = ends(one.of(ask(name), 1))
        assert ends(other.of(ask(name), 1)) == pytest.approx((-high, -low), abs=0.01)


# --- weights and groups ----------------------------------------------------------------------


def test_equal_weights_are_no_weights() -> None:
    plain, weighted = sample(costs=COSTS), sample(costs=COSTS, weight=np.full(150, 0.25))
    assert weighted.assumption == "independent rows; n is their effective number"
    for name in ("accuracy", "recall", "f1", "mcc", "mean_cost"):
        one, other = plain.of(ask(name), 1), weighted.of(ask(name), 1)
        assert one.value == pytest.approx(other.value)
        assert one.n == pytest.approx(other.n)
        assert ends(one) == pytest.approx(ends(other))


def test_equal_models_differ_by_0_and_not_by_dust() -> None:
    actual, a, _ = rows(classes=3)
    here = sample((actual, a, a), 3, weight=np.random.default_rng(0).exponential(size=150) / 7)
    for name in ("accuracy", "recall", "f1_macro", "mcc", "precision_weighted"):
        assert here.of(ask(name), 1).value == 0


def test_rows_of_a_group_are_one_row_when_they_are_all_the_same() -> None:
    # Ten copies of each row are worth no more than the row.
    columns = rows(100)
    once = sample(columns)
    copies = tuple(np.repeat(side, 10) for side in columns)
    tenfold = sample(copies, group=(tuple(range(100)), np.repeat(np.arange(100), 10)))
    assert tenfold.assumption == "independent groups (100 of them)"
    naive = sample(copies)
    for name in ("accuracy", "f1", "mcc"):
        widths = [np.diff(ends(each.of(ask(name), 1)))[0] for each in (once, tenfold, naive)]
        assert widths[1] == pytest.approx(widths[0], rel=0.15)
        assert widths[1] > 2.5 * widths[2]
        assert tenfold.of(ask(name), 1).method == "group_bootstrap"


def test_one_group() -> None:
    found = sample(group=(("ward",), np.zeros(150, np.int64))).of(ask("accuracy"), 1)
    assert found.value is not None
    assert found.low is None
    assert found.note == "all rows are of one group, so there is nothing to resample"


# --- undefined -------------------------------------------------------------------------------


def test_the_model_it_is_undefined_for_is_named() -> None:
    actual, a, _ = rows()
    here = sample((actual, a, np.zeros(150, np.int64)))
    assert here.of(ask("precision"), 1).why == "forest: nothing was predicted positive (tp + fp = 0)"
    none = np.zeros(150, np.int64)
    both = sample((actual, none, none))
    assert both.of(ask("precision"), 1).why == "both models: nothing was predicted positive (tp + fp = 0)"
    assert here.of(ask("recall"), None).why == "name the positive class"
    assert here.of(ask("mean_cost"), 1).why == "no costs were given"


def test_classes_left_out_of_an_average_are_said_for_each_model() -> None:
    actual, a, b = rows(classes=3)
    here = sample((actual, a, np.where(b == 2, 0, b)), 3)
    found = here.of(ask("precision_macro"), None)
    assert found.note == "forest: 2 of 3 classes; undefined for [2]"
    low, high = ends(found)
    assert low < high
    as_zero = sample((actual, a, np.where(b == 2, 0, b)), 3, undefined_as=0.0).of(
        ask("precision_macro"), None
    )
    assert as_zero.note == "forest: undefined for [2], counted as 0"
    expected = [
        peer.precision_score(actual, side, average="macro", zero_division=0)
        for side in (a, np.where(b == 2, 0, b))
    ]
    assert as_zero.value == pytest.approx(expected[0] - expected[1])


# --- asked again -----------------------------------------------------------------------------


def test_other_levels_and_pickles() -> None:
    here = sample(classes=3)
    for name in ("accuracy", "f1_macro", "precision"):
        found = here.of(ask(name), 1)
        wide, narrow = ends(found.interval(0.99)), ends(found.interval(0.8))
        low, high = ends(found)
        assert wide[0] < low < narrow[0] < narrow[1] < high < wide[1]
        again = pickle.loads(pickle.dumps(here)).of(ask(name), 1)
        assert ends(again) == (low, high)


def test_the_answer_does_not_depend_on_what_was_asked_before() -> None:
    here, fresh = sample(classes=3), sample(classes=3)
    for position in (0, 1, 2, 0):
        here.of(ask("f1"), position).low  # noqa: B018 - the draws are made when it is read
    assert ends(here.of(ask("f1"), 0)) == ends(fresh.of(ask("f1"), 0))


def test_ten_thousand_classes_are_no_cube() -> None:
    generator = np.random.default_rng(0)
    actual = generator.integers(0, 10_000, 100_000)
    a, b = (np.where(generator.random(100_000) < 0.9, actual, 7) for _ in range(2))
    here = sample((actual, a, b), 10_000)
    low, high = ends(here.of(ask("mcc"), None))
    assert -0.02 < low < high < 0.02


# --- other rows ------------------------------------------------------------------------------


def test_accuracies_on_other_rows_are_compared_by_newcombe() -> None:
    first, second = Confusion([[30, 8], [6, 26]]), Confusion([[22, 10], [22, 26]])  # 56 of 70, 48 of 80
    found = OtherSample(Sample(first), Sample(second), ("tree", "forest")).of(ask("accuracy"), None)
    # Newcombe (1998), Statistics in Medicine 17:873, table II, example (a), method 10.
    assert found.value == pytest.approx(0.2)
    assert found.method == "newcombe"
    assert ends(found) == pytest.approx((0.0524, 0.3339), abs=5e-5)
    assert ends(found) == pytest.approx((difference((56, 70), (48, 80), method="newcombe").low,
                                         difference((56, 70), (48, 80), method="newcombe").high))  # fmt: skip
    assert found.n == 150
    assert found.assumption == "independent rows; each model has rows of its own"


def test_other_numbers_on_other_rows() -> None:
    pair = OtherSample(
        Sample(Confusion([[30, 8], [6, 26]])), Sample(Confusion([[22, 10], [22, 26]])), ("x", "y")
    )
    for name in ("f1", "mcc", "lr_plus", "balanced_accuracy"):
        one, other, found = pair.a.of(ask(name), 0), pair.b.of(ask(name), 0), pair.of(ask(name), 0)
        assert found.method == "mover"
        low, high = ends(found)
        assert (float(found) - low) ** 2 == pytest.approx(
            (float(one) - one.low) ** 2 + (other.high - float(other)) ** 2
        )
        assert (high - float(found)) ** 2 == pytest.approx(
            (one.high - float(one)) ** 2 + (float(other) - other.low) ** 2
        )


def test_reasons_on_other_rows() -> None:
    fine, never = Sample(Confusion([[30, 8], [6, 26]])), Sample(Confusion([[0, 10], [0, 26]]))
    assert OtherSample(fine, never, ("x", "y")).of(ask("precision"), 0).why == (
        "y: nothing was predicted positive (tp + fp = 0)"
    )
    found = OtherSample(fine, never).of(ask("no_information_rate"), 0)
    assert found.low is None
    assert found.note == "the largest of several shares has no honest interval"
