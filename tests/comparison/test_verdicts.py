"""The verdict in every case: who is better, by how much and how sure that is; and what a margin shows."""

import json
import pickle

import numpy as np
import pytest

import tallymark as tm
from collected import agree, each
from comparing import COSTS, S, T, Y, made
from scored import classes, refusals

SHOWN = ("equivalent", "a_not_worse", "b_not_worse", "a_better", "b_better")
# On eight of nine data sets `steady` is a little better, on the last `lucky` is far better.
STEADY = [0.80, 0.81, 0.82, 0.83, 0.84, 0.85, 0.86, 0.87, 0.41]
LUCKY = [0.79, 0.795, 0.80, 0.805, 0.81, 0.815, 0.82, 0.825, 0.95]
POOR = [0.60, 0.61, 0.59, 0.62, 0.58, 0.63, 0.60, 0.61, 0.30]
# Of 100 rows, all positive.
ALL = [1] * 100


def disagreeing(only_a, only_b, rows=100, **options):
    """So many rows of one class that only one of two models has right; both are wrong about four more."""
    a = [1] * only_a + [0] * only_b + [1] * (rows - only_a - only_b - 4) + [0] * 4
    b = [0] * only_a + [1] * only_b + [1] * (rows - only_a - only_b - 4) + [0] * 4
    return tm.compare({"a": a, "b": b}, [1] * rows, labels=[0, 1], pos_label=1, **options)


def of_folds(*means, half=0.04, **options):
    """Ten folds for each mean; the 95 % interval of every difference from the first reaches so far."""
    size = half / (2.2621571628 * np.sqrt(10 / 9) * np.sqrt(1 / 10 + 1 / 9))
    rng, scores = np.random.default_rng(1), {}
    for name, mean in zip("abcdefgh", means, strict=False):
        scores[name] = mean + size * (rng.permutation(np.tile([1, -1], 5)) if scores else np.zeros(10))
    return tm.compare(scores, per="fold", same_folds=True, **options)


def of_sets(scores, **options):
    return tm.compare(scores, per="dataset", **options)


def weighted(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 60)
    models = {name: np.where(rng.random(60) < right, y, 1 - y) for name, right in (("a", 0.85), ("b", 0.68))}
    return tm.compare(models, y, sample_weight=rng.choice([0.5, 1, 4], 60), permutations=300)


def in_turn(rows):
    """Each of five models is a little better than the next on most data sets and much worse on the others; a
    sixth is worse than all."""
    turns = 0.5 + 0.05 * np.tile([np.roll(np.arange(5), at) for at in range(5)], (rows // 5, 1))
    scores = {name: turns[:, at] for at, name in enumerate("abcde")}
    return of_sets({**scores, "poor": np.full(rows, 0.1)}, confidence_level=0.8)


TURNS = np.tile([[0.9, 0.8, 0.7], [0.7, 0.9, 0.8], [0.8, 0.7, 0.9]], (6, 1))
VERDICTS = {
    # of two models
    "a is better": (lambda: disagreeing(20, 4), "a"),
    "b is better": (lambda: disagreeing(4, 20), "b"),
    "lower is better": (lambda: disagreeing(20, 4, metric="error_rate"), "a"),
    "not told apart": (lambda: disagreeing(9, 4), None),
    "not told apart, b ahead": (lambda: disagreeing(4, 9), None),
    "not told apart, lower is better": (lambda: disagreeing(9, 4, metric="error_rate"), None),
    "no difference": (lambda: disagreeing(5, 5), None),
    "never different": (lambda: disagreeing(0, 0), None),
    "one row": (lambda: tm.compare({"a": [1], "b": [0]}, [1]), None),
    "close numbers": (lambda: tm.compare({"a": (0.99912, 90_000), "b": (0.99903, 90_000)}), None),
    "undefined": (lambda: made("undefined"), None),
    "neither interval nor test": (lambda: tm.compare(
        {"a": tm.Confusion([[50, 10], [5, 35]]), "b": tm.Confusion([[55, 5], [12, 28]])},
        design="same rows", pos_label="class 1", metric="f1"), None),
    "one-sided, greater": (lambda: disagreeing(20, 4, alternative="greater"), "a"),
    "one-sided, less": (lambda: disagreeing(4, 20, alternative="less"), "b"),
    "one-sided, the other side": (lambda: disagreeing(20, 4, alternative="less"), None),
    "the test is stricter": (lambda: disagreeing(5, 0), None),
    "the interval is stricter": (lambda: weighted(11), "a"),
    "another level": (lambda: disagreeing(9, 2, confidence_level=0.9), "a"),
    "neither is better, different": (lambda: disagreeing(20, 4, metric="predicted_positive_rate"), None),
    "neither is better, alike": (lambda: disagreeing(9, 4, metric="predicted_positive_rate"), None),
    "figures of few rows": (lambda: tm.compare({"a": (1.0, 30), "b": (0.95, 1000)}), None),
    "the same difference in every fold": (
        lambda: tm.compare({"a": [0.5, 0.6, 0.7], "b": [0.4, 0.5, 0.6]}, per="fold", same_folds=True), None),
    "one fold": (lambda: tm.compare({"a": [0.5], "b": [0.4]}, per="fold", same_folds=True), None),
    "few folds": (lambda: tm.compare(
        {"a": [0.9, 0.1, 0.8], "b": [0.1, 0.8, 0.6]}, per="fold", same_folds=True), None),
    "medians": (lambda: of_sets({"a": STEADY[:8], "b": POOR[:8]}), "a"),
    "medians, lower is better": (lambda: of_sets({"a": STEADY[:8], "b": POOR[:8]}, metric="brier"), "b"),
    "medians that are the same": (lambda: of_sets({"a": STEADY, "b": STEADY}), None),
    "means in the other order": (
        lambda: of_sets({"steady": STEADY, "lucky": LUCKY}, confidence_level=0.8), "steady"),
    "too few data sets": (lambda: of_sets({"a": STEADY[:5], "b": POOR[:5]}), None),
    # with a margin
    "margin: equivalent": (lambda: of_folds(0.8, 0.8, margin=0.05), None),
    "margin: different, yet equivalent": (lambda: of_folds(0.82, 0.8, half=0.01, margin=0.05), "a"),
    "margin: better by more": (lambda: of_folds(0.9, 0.8, half=0.04, margin=0.05), "a"),
    "margin: b better by more": (lambda: of_folds(0.8, 0.9, half=0.04, margin=0.05), "b"),
    "margin: not shown to be better by more": (lambda: of_folds(0.9, 0.8, half=0.08, margin=0.05), "a"),
    "margin: b not worse": (lambda: of_folds(0.8, 0.86, half=0.07, margin=0.05), None),
    "margin: a not worse": (lambda: of_folds(0.86, 0.8, half=0.07, margin=0.05), None),
    "margin: lower is better": (
        lambda: of_folds(0.86, 0.8, half=0.07, margin=0.05, metric="error_rate"), None),
    "margin: nothing shown": (lambda: of_folds(0.8, 0.8, half=0.2, margin=0.05), None),
    "margin: neither is better": (
        lambda: of_folds(0.9, 0.8, margin=0.05, metric="predicted_positive_rate"), None),
    "margin: no interval": (lambda: tm.compare(
        {"a": [0.5], "b": [0.4]}, per="fold", same_folds=True, margin=0.05), None),
    "margin: three pairs": (lambda: of_folds(0.8, 0.801, 0.8, half=0.02, margin=0.1), None),
    "margin: six pairs": (lambda: of_folds(0.8, 0.801, 0.8, 0.799, half=0.02, margin=0.1), None),
    "margin: medians": (lambda: of_sets({"a": STEADY[:8], "b": STEADY[7::-1]}, margin=0.1), None),
    "margin: figures": (lambda: tm.compare({"a": (0.85, 3000), "b": (0.85, 3000)}, margin=0.1), None),
    "margin: other rows": (lambda: tm.compare(
        {"a": tm.evaluate(Y, S > 2), "b": tm.evaluate(Y[1:], T[1:] > 2)}, margin=0.5), None),
    # of several
    "better than all": (lambda: of_folds(0.9, 0.8, 0.7), "a"),
    "better than all, lower is better": (lambda: of_folds(0.9, 0.8, 0.7, metric="error_rate"), "c"),
    "better than some": (lambda: of_folds(0.9, 0.89, 0.7), None),
    "better than more than are told": (lambda: of_folds(0.95, 0.9, 0.85, 0.8, 0.75, 0.7, half=0.01), "a"),
    "the best number is not of a better model": (
        lambda: tm.compare({"a": [0.95, 0.55] * 5, "b": [0.70, 0.701, 0.699, 0.7, 0.7] * 2,
                            "c": [0.74, 0.741, 0.74, 0.74, 0.739] * 2}, per="fold", same_folds=True), None),
    "alike when tested together": (lambda: made("many data sets") and of_sets(
        {name: np.random.default_rng(1).permutation(12) / 40 + 0.5 for name in "abc"}), None),
    "one pair differs, but not all tested together": (lambda: of_sets({
        "a": np.array([72, 71, 69, 68, 69, 68, 71, 70, 70, 66]) / 100,
        "b": np.array([72, 68, 72, 72, 75, 69, 70, 69, 68, 70]) / 100,
        "c": np.array([70, 73, 72, 72, 73, 72, 74, 71, 70, 73]) / 100}), None),
    "no pair differs": (lambda: of_folds(0.80, 0.801, 0.802), None),
    "no pair has a p-value": (lambda: tm.compare(
        {"a": [0.5], "b": [0.4], "c": [0.3]}, per="fold", same_folds=True), None),
    "undefined of three": (
        lambda: tm.compare(
            {name: [0, 0] for name in "abc"}, [0, 1], labels=[0, 1], pos_label=1, metric="precision"),
        None),
    "many that are not told apart": (lambda: in_turn(60), None),
    "a model that is beaten has the best mean": (
        lambda: of_sets({"lucky": LUCKY, "steady": STEADY, "poor": POOR}, confidence_level=0.8), "steady"),
    "each is beaten by another": (
        lambda: in_turn(80), None),
    "each is beaten by another, tested together": (
        lambda: of_sets({name: TURNS[:, at] for at, name in enumerate("abc")}), None),
    "neither is better of three": (lambda: of_folds(0.9, 0.8, 0.7, metric="predicted_positive_rate"), None),
    "neither is better of five": (
        lambda: of_folds(0.9, 0.8, 0.7, 0.6, 0.5, metric="predicted_positive_rate", half=0.01), None),
    "neither is better of three alike": (
        lambda: of_folds(0.8, 0.801, 0.8, metric="predicted_positive_rate"), None),
}  # fmt: skip


def test_verdicts(snapshot):
    found = {name: make() for name, (make, _) in VERDICTS.items()}
    agree({name: (one.winner, VERDICTS[name][1]) for name, one in found.items()})
    agree({name: (bool(one.margins), name.startswith("margin")) for name, one in found.items()})
    snapshot("verdicts", {name: f"{one.verdict}\nwinner: {one.winner}" for name, one in found.items()})


def test_equal_precision_at_other_operating_points_is_no_difference():
    """Swapped predictions ask whether models are alike, and these are not; the draws ask about the metric."""
    rng = np.random.default_rng(4)
    y = (rng.random(600) < 0.3).astype(int)
    eager, careful = np.zeros(600, int), np.zeros(600, int)
    for model, tp, fp in ((eager, 144, 96), (careful, 15, 17)):
        model[np.flatnonzero(y == 1)[:tp]] = 1
        model[np.flatnonzero(y == 0)[:fp]] = 1
    p = {
        test: tm.compare({"a": eager, "b": careful}, y, metric="precision", test=test)["precision"].p_value
        for test in ("auto", "permutation")
    }
    assert p["permutation"] < 0.05 < p["auto"]


# --- findings ----------------------------------------------------------------------------------------


def codes(found):
    return [finding.code for finding in found.findings]


def test_findings(snapshot):
    y = np.array([1, 1, 0, 1, 0, 0, 1, 0])
    early, late = (np.array(each) / 10 for each in ([8, 7, 6, 2, 5, 4, 1, 3], [7, 6, 8, 5, 3, 2, 4, 1]))
    many = [np.tile(each, 60) for each in (y, early, late)]
    found = {
        "tuned here": tm.compare({"a": S, "b": T}, Y, threshold="best:f1"),
        "few groups": tm.compare({"a": S > 0.5, "b": T > 0.5}, Y == 1, groups=np.arange(len(Y)) // 24),
        # Eight rows cross by chance.
        "few rows cross": tm.compare({"early": early, "late": late}, y),
        "curves cross": tm.compare({"early": many[1], "late": many[2]}, many[0]),
    }
    assert {name: [code for code in codes(one) if code != "TM017"] for name, one in found.items()} == {
        "tuned here": ["TM007", "TM007"],
        "few groups": ["TM009"],
        "few rows cross": [],
        "curves cross": ["TM014"],
    }
    messages = {name: "\n".join(f"{f.code} {f.message}" for f in one.findings) for name, one in found.items()}
    snapshot("findings_comparisons", messages)


# --- margins ----------------------------------------------------------------------------------------


@each(
    "low, high, expected",
    [
        (-0.05, 0.05, {"equivalent", "a_not_worse", "b_not_worse"}), (-0.05, 0.2, {"a_not_worse"}),
        (-0.2, 0.05, {"b_not_worse"}), (-0.2, 0.2, set()), (0.05, 0.2, {"a_not_worse"}),
        (0.15, 0.2, {"a_not_worse", "a_better"}), (-0.2, -0.15, {"b_not_worse", "b_better"}),
    ],
)  # fmt: skip
def test_what_a_margin_shows(low, high, expected):
    """Of ten folds, whose interval at the level of two one-sided tests is this one."""
    times = 1.8331129327 * np.sqrt(10 / 9) * np.sqrt(1 / 10 + 1 / 9)
    d = (low + high) / 2 + np.tile([1, -1], 5) * (high - low) / 2 / times

    def shown(metric, sign=1):
        scores = {"a": 0.5 + sign * d / 2, "b": 0.5 - sign * d / 2}
        (found,) = tm.compare(scores, per="fold", same_folds=True, margin=0.1, metric=metric).margins
        assert (found.low, found.high) == pytest.approx(sorted((sign * low, sign * high)))
        assert (found.margin, found.level) == (0.1, 0.9)
        return {name for name in SHOWN if getattr(found, name)}

    assert shown("accuracy") == expected
    # Where lower is better, the models change places.
    assert shown("error_rate", -1) == expected
    assert shown("predicted_positive_rate") == expected & {"equivalent"}


def test_at_the_margin_is_not_within_it():
    # Without a variance the Wald interval is the difference itself.
    for a, b in ((1.0, 0.0), (0.0, 1.0)):
        (found,) = tm.compare({"a": (a, 30), "b": (b, 30)}, method="wald", margin=0.999).margins
        assert (found.low, found.high) == (a - b, a - b)
    scores = {"a": [0.75, 0.5] * 5, "b": [0.5, 0.25] * 5}
    (found,) = tm.compare(scores, per="fold", same_folds=True, margin=0.25).margins
    assert not any(getattr(found, name) for name in SHOWN)


def test_the_interval_of_a_margin_is_that_of_two_one_sided_tests():
    found = tm.compare({"a": S, "b": T}, Y, margin=0.05)
    (margin,) = found.margins
    asked = found["accuracy"].estimate.interval(0.9)
    assert (margin.low, margin.high) == pytest.approx((asked.low, asked.high))
    assert margin.equivalent == (max(-asked.low, asked.high) < 0.05)
    three = tm.compare({"a": S, "b": T, "c": 1 - S}, Y, margin=0.2, metric="error_rate").margins
    assert [(one.a, one.b, one.metric) for one in three] == [
        (a, b, "error_rate") for a, b in ("ab", "ac", "bc")
    ]


def test_margins_in_json_and_in_a_pickle():
    found = made("scores")
    (form,), (margin,) = json.loads(found.to_json())["margins"], found.margins
    about = {"metric": "accuracy", "a": "a", "b": "b", "margin": 0.05, "level": 0.9}
    own = {name: getattr(margin, name) for name in ("low", "high", *SHOWN)}
    assert form == about | own
    assert all(type(form[name]) is bool for name in SHOWN)
    assert pickle.loads(pickle.dumps(found)).margins == found.margins
    assert made("predictions").margins == ()
    zeros = np.zeros(len(Y), int)
    (form,) = tm.compare({"a": zeros, "b": zeros}, Y, margin=0.05, metric="precision").to_dict()["margins"]
    assert form["why"]
    assert (form["low"], form["equivalent"]) == (None, False)


def test_margins_that_are_refused(snapshot):
    pair, few = {"a": S, "b": T}, {"a": STEADY, "b": LUCKY}
    calls = {
        "accuracy, 5": lambda: tm.compare(pair, Y, margin=5),
        "accuracy, 1": lambda: tm.compare(pair, Y, margin=1),
        "mcc, 2": lambda: tm.compare(pair, Y, margin=2, metric="mcc"),
        "auc, 1.0": lambda: tm.compare(pair, Y, margin=1.0, metric="auc"),
        "folds": lambda: tm.compare(few, per="fold", same_folds=True, margin=5),
        "data sets": lambda: tm.compare(few, per="dataset", margin=5),
        "figures": lambda: tm.compare({"a": (0.85, 30), "b": (0.85, 30)}, margin=500),
        "folds, low level": lambda: tm.compare(
            few, per="fold", same_folds=True, margin=0.1, confidence_level=0.4
        ),
        "data sets, low level": lambda: tm.compare(few, per="dataset", margin=0.1, confidence_level=0.5),
    }
    said = refusals(calls)
    assert set(classes(said).values()) == {"OptionError"}
    snapshot("errors_margins", said)
    # A metric without an end has no margin that is too wide.
    for metric, margin in (("log_loss", 5.0), ("mcc", 1.9)):
        assert tm.compare(pair, Y, margin=margin, metric=metric).margins[0].margin == margin
    gains = {"a": [3.0, 5.0], "b": [4.0, 2.0]}
    assert tm.compare(gains, per="fold", same_folds=True, margin=5, metric="gain", better="higher").margins
    assert tm.compare(pair, Y, costs=COSTS, margin=5, metric="mean_cost").margins
