"""Curves of evaluations: two columns are one score, classes mirror each other, pickles and slices agree."""

import json
import pickle
from functools import cache

import numpy as np
import pytest

import tallymark as tm
from scored import classes, refusals
from shapes import rows

HERE, THREE = rows(), rows(3)
# Off the edges of all bins: whether an edge belongs to the bin below it or above changes with the class.
Y, S = HERE["y"], np.round(HERE["s"], 2).clip(0, 0.99) + 0.005
CLASSES, TABLE = THREE["y"], THREE["P"]
REGION = np.random.default_rng(1).choice(["north", "south"], 300)
BESIDE = {
    "rows": {},
    "weights": {"sample_weight": HERE["w"]},
    "frequencies": {"sample_weight": HERE["f"], "weight_kind": "frequency"},
    "groups": {"groups": HERE["g"]},
    "weights and groups": {"sample_weight": HERE["w"], "groups": HERE["g"]},
}
CURVES = ("rejection", "calibration", "cost_curve", "decision_curve")


def one(**options):
    return tm.evaluate(Y, y_score=S, **options)


def two(**options):
    return tm.evaluate(Y, y_score=np.column_stack([1 - S, S]), **{"labels": [0, 1], "pos_label": 1} | options)


def three(**options):
    return tm.evaluate(CLASSES, y_score=TABLE, labels=range(3), **options)


@cache
def votes(threshold=None):
    columns = [S + 0.2 * np.random.default_rng(seed).normal(size=300) >= 0.5 for seed in range(5)]
    return tm.evaluate(Y, votes=np.column_stack(columns).astype(int), threshold=threshold)


@cache
def bins():
    return tm.Scores.from_bins([1, 3, 9], [9, 4, 1], edges=[0, 0.25, 0.5, 1]).evaluate(threshold=0.5)


def close(curves, *names):
    for name in names:
        first, second = (np.asarray(getattr(curve, name), float) for curve in curves)
        np.testing.assert_allclose(first, second, rtol=1e-9, atol=1e-12, err_msg=name)


def by_hand(margin, right, weight):
    """Of each theta: share rejected, share right among the accepted, share accepted and right."""
    found = []
    for theta in np.unique(margin[weight > 0]):
        n, correct = weight[margin >= theta].sum(), weight[(margin >= theta) & right].sum()
        found.append((theta, 1 - n / weight.sum(), correct / n, correct / weight.sum()))
    return dict(zip(("theta", "rejected", "correct", "correct_of_all"), np.array(found).T, strict=True))


@pytest.mark.parametrize("beside", BESIDE)
def test_curves_of_scores_row_by_row(beside):
    options = BESIDE[beside]
    weight, called = options.get("sample_weight", np.ones(300)), S >= 0.5
    ev, pair = one(**options), two(**options)
    expected = by_hand(np.round(np.abs(2 * S - 1), 12), called == Y, weight)
    for made in (ev, pair):
        assert made.rejection.form == "margin"
        for name, column in expected.items():
            np.testing.assert_allclose(getattr(made.rejection, name), column, atol=1e-12)
        # Whether an answer is clear is a matter of both classes.
        close([made.per_class[0].rejection, made.rejection], "theta", "correct", "low")
    for here in ((ev, pair), (ev.at_prevalence(0.1), pair.at_prevalence(0.1))):
        close(
            [made.rejection for made in here], "theta", "rejected", "correct", "low", "high", "area", "aurc"
        )
        curves = [made.calibration for made in here]
        close(curves, "predicted", "observed", "count", "low", "high", "ece", "mce")
        close([made.decision_curve for made in here], "net_benefit", "low", "high")
        close([made.cost_curve for made in here], "probability_cost", "cost", "area")
    for made in (ev, pair, ev.at_prevalence(0.7)):
        curve, other = made.calibration, made.per_class[0].calibration
        for name, back in (("predicted", "predicted"), ("observed", "observed"), ("low", "high")):
            np.testing.assert_allclose(getattr(curve, name), 1 - getattr(other, back)[::-1], atol=1e-12)
        assert curve.brier == pytest.approx(other.brier) == pytest.approx(made["brier"].value)
        assert curve.ece == pytest.approx(other.ece) == pytest.approx(made.per_class[0]["ece"].value)
    n = weight.sum()
    positives, negatives = weight[Y == 1].sum(), weight[Y == 0].sum()
    for t in (0.05, 0.3, 0.5, 0.83):
        for label, high in ((1, t <= S), (0, t <= 1 - S)):
            hit, alarm = weight[high & (label == Y)].sum(), weight[high & (label != Y)].sum()
            found = ev.per_class[label].decision_curve.at(threshold=t)
            assert found == pytest.approx((hit - alarm * t / (1 - t)) / n)
    for x in (0, 0.2, 0.5, 0.85, 1):
        cost = ev.cost_curve.at(probability_cost=x)
        other = ev.per_class[0].cost_curve
        assert other.at(probability_cost=1 - x) == pytest.approx(cost, abs=1e-12)
        # Thresholds are of the class's own probability.
        high = other.threshold_at(1 - x) <= np.round(1 - S, 12)
        missed, alarms = (weight[side].sum() for side in (high & (Y == 1), ~high & (Y == 0)))
        assert x * missed / positives + (1 - x) * alarms / negatives == pytest.approx(cost, abs=1e-12)


@pytest.mark.parametrize("beside", BESIDE)
def test_curves_of_three_classes_row_by_row(beside):
    options = BESIDE[beside]
    weight, best = options.get("sample_weight", np.ones(300)), np.sort(TABLE, axis=1)
    ev, right = three(**options), TABLE.argmax(axis=1) == CLASSES
    for name, column in by_hand(best[:, 2] - best[:, 1], right, weight).items():
        np.testing.assert_allclose(getattr(ev.rejection, name), column, atol=1e-12)
    assert ev.rejection.accuracy == pytest.approx(ev["accuracy"].value)
    assert ev["top_k_accuracy:1"].value == pytest.approx(ev["accuracy"].value)

    def ece(probability, came_true):
        place = np.ceil(probability * 10)
        gaps = [abs((weight * (probability - came_true))[place == each].sum()) for each in np.unique(place)]
        return pytest.approx(sum(gaps) / weight.sum())

    assert ev.calibration.of_answers
    assert ev["ece"].value == ev.calibration.ece == ece(best[:, 2], right)
    for label in range(3):
        found = ev.per_class[label]
        assert found["ece"].value == found.calibration.ece == ece(TABLE[:, label], label == CLASSES)
        assert not found.calibration.of_answers
    for made in (ev, one(**options), two(**options)):
        for each in (made.recalibration.isotonic, made.recalibration.platt):
            assert each.brier.before == pytest.approx(made.calibration.brier)
            assert each.brier.gain.low <= each.brier.gain.value <= each.brier.gain.high


def test_recalibration_of_the_same_proportions_and_of_extreme_scores():
    chance = np.random.default_rng(5)
    score = chance.integers(1, 10, 2_000) / 10
    y = (chance.random(2_000) < score).astype(int)
    ev = tm.evaluate(y, y_score=score)
    here, same = ev.recalibration, ev.at_prevalence(y.mean()).recalibration
    assert same.isotonic.brier.after == pytest.approx(here.isotonic.brier.after)
    assert same.platt.brier.after == pytest.approx(here.platt.brier.after, abs=1e-4)
    for extreme in (
        [1.0, 0.9999999999999999, 0.5, 0.2, 0.9, 0.1],
        [5e-324, 0.2, 0.5, 0.9, 1e-310, 0.7],
        [1e308, -1e308, 3, 4, 5, 6],
    ):
        found = tm.evaluate([0, 1] * 6, y_score=extreme * 2, threshold=0.5).recalibration
        assert found.platt.brier.after is not None
        json.dumps(found.to_dict(), allow_nan=False)


def test_other_thresholds_make_distances():
    ev = one(threshold=0.3)
    expected = by_hand(np.round(np.abs(S - 0.3), 12), (S >= 0.3) == Y, np.ones(300))
    for name in ("theta", "correct"):
        np.testing.assert_allclose(getattr(ev.rejection, name), expected[name], atol=1e-12)
    assert (ev.rejection.form, ev.rejection.threshold) == ("distance", 0.3)
    assert ev.rejection.to_dict()["threshold"] == 0.3
    assert one().rejection.threshold is None
    assert ev.rejection.accuracy == ev["accuracy"].value
    cut = votes(threshold=3)
    assert (cut.rejection.form, cut.rejection.accuracy) == ("distance", cut["accuracy"].value)
    assert set(cut.rejection.theta) <= {0, 1, 2, 3}


# --- the same from counts, parts, pickles and slices ---------------------------------------------------


def test_counts_and_added_parts_have_the_curves_of_rows():
    parts = [
        tm.evaluate(Y[at], y_score=S[at], labels=[0, 1]).curves.scores
        for at in np.array_split(np.arange(300), 4)
    ]
    counted, whole = sum(parts, tm.Scores.empty()).evaluate(), one()
    for name in CURVES:
        assert getattr(counted, name).to_dict() | {"positive": 1} == getattr(whole, name).to_dict() | {
            "positive": 1
        }
        other = [*counted.per_class.values()][1 - [*counted.labels].index(counted.positive)]
        mine = {**getattr(other, name).to_dict(), "positive": 0}
        assert mine == {**getattr(whole.per_class[0], name).to_dict(), "positive": 0}
    assert counted.recalibration.to_dict() == whole.recalibration.to_dict()
    assert counted["ece:7"].value == whole["ece:7"].value
    times = HERE["f"]
    pairs = [
        (one(**BESIDE["frequencies"]), tm.evaluate(np.repeat(Y, times), y_score=np.repeat(S, times))),
        (
            three(sample_weight=times, weight_kind="frequency"),
            tm.evaluate(np.repeat(CLASSES, times), y_score=np.repeat(TABLE, times, axis=0), labels=range(3)),
        ),
    ]
    for pair in pairs:
        for name in ("rejection", "calibration"):
            assert getattr(pair[0], name).to_dict() == getattr(pair[1], name).to_dict()


def test_pickles_say_the_same():
    both = {"sample_weight": THREE["w"], "groups": THREE["g"]}
    grouped = one(**BESIDE["weights and groups"], slices={"region": REGION})
    for ev in (one(), two(), three(), votes(3), grouped, three(**both)):
        back = pickle.loads(pickle.dumps(ev))
        assert back.to_dict() == ev.to_dict()
        for name in ("ece", "mce:5", "top_k_accuracy:1", "auc_ovo_weighted"):
            assert back[name].to_dict() == ev[name].to_dict()
            assert str(back.explain(name)) == str(ev.explain(name))
        assert back.one_vs_rest.to_dict() == ev.one_vs_rest.to_dict()
        assert back.class_thresholds().to_dict() == ev.class_thresholds().to_dict()
    curve = one().against_threshold("f_beta:2")
    assert pickle.loads(pickle.dumps(curve)).best == curve.best


def test_slices_have_curves_of_their_own():
    for made in (one, two):
        for share in (None, 0.2):
            ev = made(slices={"region": REGION})
            ev = ev if share is None else ev.at_prevalence(share)
            for part in (*ev.slices, *pickle.loads(pickle.dumps(ev)).slices):
                here = part.slice["region"] == REGION
                alone = tm.evaluate(Y[here], y_score=S[here], labels=[0, 1])
                alone = alone if share is None else alone.at_prevalence(share)
                close([part.evaluation.rejection, alone.rejection], "theta", "correct", "low")
                close([part.evaluation.calibration, alone.calibration], "predicted", "observed", "high")
                assert part["ece"].value == pytest.approx(alone["ece"].value)
    for part in three(slices={"region": REGION}).slices:
        here = part.slice["region"] == REGION
        alone = tm.evaluate(CLASSES[here], y_score=TABLE[here], labels=range(3))
        assert part.evaluation.rejection.to_dict() == alone.rejection.to_dict()
        assert part["auc_ovo_macro"].value == alone["auc_ovo_macro"].value


# --- handed on, and where there is none ----------------------------------------------------------------


def test_every_curve_is_printed_drawn_and_explained():
    for ev in (one(), two(), three(), one(**BESIDE["weights and groups"])):
        curves = [ev.rejection, ev.calibration, ev.one_vs_rest, ev.class_thresholds(), ev.confused_pairs()]
        curves += [getattr(each, name) for each in ev.per_class.values() for name in CURVES]
        for curve in curves:
            json.dumps(curve.to_dict(), allow_nan=False)
            assert len(curve.table())
            assert str(curve)
    of_one_class = {"roc", "pr", "roc+pr", "gains", "lift", "threshold", "cost", "decision"}
    of_all = {"one-vs-rest", "rejection", "calibration", "confusion"}
    for kind in of_one_class | of_all:
        for ev in (one(), three(pos_label=1), one(groups=HERE["g"]), one().at_prevalence(0.1)):
            assert len(ev.figure(kind).panels) >= 1 + (kind == "roc+pr")
    for kind in of_all:
        assert three().figure(kind).panels
    calls = {kind: lambda kind=kind: three().figure(kind) for kind in of_one_class}
    assert set(classes(refusals(calls)).values()) == {"OptionError"}
    names = ["ece", "mce", "ece:15", "mce:3", "auc_ovr_macro", "auc_ovo_weighted", "top_k_accuracy:2"]
    for ev in (one(), two(), three(), votes(), bins()):
        for name in names:
            estimate, told = ev[name], ev.explain(name)
            assert told.value == (None if estimate.value is None else pytest.approx(estimate.value))
            assert told.why == estimate.why
            assert (estimate.why or "") in " ".join(str(told).split())


def test_what_has_no_curve(snapshot):
    plain, sets = tm.evaluate(Y, Y), tm.evaluate([{"a"}, {"b"}], [{"a"}, {"a"}])
    calls = {}
    for name in (*CURVES, "roc", "recalibration", "one_vs_rest"):
        calls[f"no scores: {name}"] = lambda name=name: getattr(plain, name)
        calls[f"label sets: {name}"] = lambda name=name: getattr(sets, name)
    told = {}
    for kind, ev in (("votes", votes()), ("pickled", pickle.loads(pickle.dumps(votes())))):
        assert ev["ece"].value is None
        told |= {
            f"{kind}: {name}": lambda ev=ev, name=name: getattr(ev, name)
            for name in CURVES
            if name != "cost_curve"
        }
        told |= {
            f"{kind}: class {label}": lambda ev=ev, label=label: ev.per_class[label].calibration
            for label in (0, 1)
        }
        told[f"{kind}: recalibration"] = lambda ev=ev: ev.recalibration
    calls |= {
        "strategy": lambda: tm.ece(Y, S, strategy="equal"),
        "picture": lambda: one().figure("profit"),
        "picture without scores": lambda: plain.figure("gains"),
        "no matrix": lambda: tm.evaluate(Y, y_score=S * 9).figure("confusion"),
    }
    metrics = {
        "half a bin": lambda: tm.ece(Y, S, n_bins=2.5),
        "thresholds by auc": lambda: three().class_thresholds("auc"),
        "no k": lambda: three()["top_k_accuracy"],
        "top 0": lambda: three()["top_k_accuracy:0"],
    }
    refused, wrong = refusals(calls | told), refusals(metrics)
    assert set(classes(refused).values()) == {"OptionError"}
    assert set(classes(wrong).values()) == {"MetricError"}
    held = {name: text for name, text in refused.items() if not name.startswith("pickled")}
    snapshot("evaluation_errors_curves", held | wrong)
    assert tm.top_k_accuracy(CLASSES, TABLE, labels=range(3), k=1) == three()["accuracy"].value
    # At 0.5: 9 of 13 found and 1 of 14 called by mistake.
    assert bins().cost_curve.line(0.5).at(probability_cost=0.5) == pytest.approx((4 / 13 + 1 / 14) / 2)
    assert bins().decision_curve.at(threshold=0.5) == pytest.approx((9 - 1) / 27)
    assert all((bins().calibration.why, bins()["ece"].why, bins().recalibration.why))
    for strategy in ("width", "mass"):
        assert tm.ece(tm.Confusion([[1, 2], [3, 4]]), strategy=strategy) is None
        assert tm.mce(Y, 10 * S, strategy=strategy) is None
