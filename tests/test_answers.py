"""How far answers can be trusted, as users ask for it: rejection, calibration, costs, many classes."""

from __future__ import annotations

import json
import pickle
from functools import partial

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import f1_score, roc_auc_score, top_k_accuracy_score

import tallymark as tm
from tallymark.drawing import text
from tallymark.evaluation.pictures import KINDS

RANDOM = np.random.default_rng(23)
N = 300
ACTUAL = np.where(RANDOM.random(N) < 0.35, "yes", "no")
IS_YES = ACTUAL == "yes"
# Off the edges of all bins: whether an edge belongs to the bin below it or above changes with the class.
SCORE = np.round(np.clip(0.35 + 0.25 * IS_YES + 0.25 * RANDOM.normal(size=N), 0, 0.99), 2) + 0.005
WEIGHT = RANDOM.integers(1, 5, N) / 4
TIMES = RANDOM.integers(0, 4, N)
GROUP = RANDOM.integers(0, 30, N)
REGION = RANDOM.choice(["north", "south"], N)

KINDS_OF = ["a", "b", "c"]
CLASSES = RANDOM.integers(0, 3, N)
NAMES = np.array(KINDS_OF)[CLASSES]
TABLE = RANDOM.dirichlet([1, 1, 1], N) + 0.4 * np.eye(3)[CLASSES]
TABLE /= TABLE.sum(axis=1, keepdims=True)

BESIDE = {
    "rows": {},
    "weights": {"sample_weight": WEIGHT},
    "frequencies": {"sample_weight": TIMES, "weight_kind": "frequency"},
    "groups": {"groups": GROUP},
    "weights and groups": {"sample_weight": WEIGHT, "groups": GROUP},
}
CURVES = ("rejection", "calibration", "cost_curve", "decision_curve")


def one(**options):
    return tm.evaluate(ACTUAL, y_score=SCORE, **{"labels": ["yes", "no"], "pos_label": "yes"} | options)


def two(**options):
    table = np.column_stack([1 - SCORE, SCORE])
    return tm.evaluate(ACTUAL, y_score=table, **{"labels": ["no", "yes"], "pos_label": "yes"} | options)


def three(**options):
    return tm.evaluate(NAMES, y_score=TABLE, labels=KINDS_OF, **options)


def votes(**options):
    noisy = [SCORE + 0.2 * np.random.default_rng(seed).normal(size=N) for seed in range(5)]
    columns = np.column_stack([np.where(each >= 0.5, "yes", "no") for each in noisy])
    return tm.evaluate(ACTUAL, votes=columns, pos_label="yes", **options)


def bins():
    return tm.Scores.from_bins([1, 3, 9], [9, 4, 1], edges=[0, 0.25, 0.5, 1]).evaluate(threshold=0.5)


def columns_of(curve, *names):
    return [np.asarray(getattr(curve, name), float) for name in names]


def close(curves, *names):
    for first, second in zip(*(columns_of(curve, *names) for curve in curves), strict=True):
        np.testing.assert_allclose(first, second, rtol=1e-9, atol=1e-12)


def weights_of(options):
    return options.get("sample_weight", np.ones(N))


# --- rejection -------------------------------------------------------------------------------------


def rejection_by_hand(margin, right, weight):
    """Row by row: theta, share rejected, share right among the accepted, share accepted and right."""
    found = []
    for theta in np.unique(margin[weight > 0]):
        accepted = margin >= theta
        n, correct = weight[accepted].sum(), weight[accepted & right].sum()
        found.append((theta, 1 - n / weight.sum(), correct / n, correct / weight.sum()))
    return np.array(found).T


@pytest.mark.parametrize("options", BESIDE.values(), ids=list(BESIDE))
@pytest.mark.parametrize("made", [one, two])
def test_rejection_row_by_row(made, options):
    curve = made(**options).rejection
    margin = np.round(np.abs(2 * SCORE - 1), 12)
    by_hand = rejection_by_hand(margin, (SCORE >= 0.5) == IS_YES, weights_of(options))
    for name, expected in zip(("theta", "rejected", "correct", "correct_of_all"), by_hand, strict=True):
        np.testing.assert_allclose(getattr(curve, name), expected, atol=1e-12)
    assert curve.form == "margin"


@pytest.mark.parametrize("options", BESIDE.values(), ids=list(BESIDE))
def test_rejection_of_three_classes_row_by_row(options):
    best = np.sort(TABLE, axis=1)
    by_hand = rejection_by_hand(best[:, 2] - best[:, 1], TABLE.argmax(axis=1) == CLASSES, weights_of(options))
    ev = three(**options)
    for name, expected in zip(("theta", "rejected", "correct", "correct_of_all"), by_hand, strict=True):
        np.testing.assert_allclose(getattr(ev.rejection, name), expected, atol=1e-12)
    assert ev.rejection.accuracy == pytest.approx(ev["accuracy"].value)
    assert ev["top_k_accuracy:1"].value == pytest.approx(ev["accuracy"].value)


@pytest.mark.parametrize("options", BESIDE.values(), ids=list(BESIDE))
@pytest.mark.parametrize("prevalence", [None, 0.1])
def test_two_columns_are_rejected_and_calibrated_as_one_score(options, prevalence):
    pair = [
        ev if prevalence is None else ev.at_prevalence(prevalence) for ev in (one(**options), two(**options))
    ]
    close([ev.rejection for ev in pair], "theta", "rejected", "correct", "low", "high", "area", "aurc")
    close([ev.calibration for ev in pair], "predicted", "observed", "count", "low", "high", "ece", "mce")
    close([ev.decision_curve for ev in pair], "net_benefit", "low", "high")
    close([ev.cost_curve for ev in pair], "probability_cost", "cost", "area")
    for ev in pair:
        # Whether an answer is clear is a matter of both classes.
        close([ev.per_class["no"].rejection, ev.rejection], "theta", "correct", "low")


def test_a_threshold_of_ones_own_makes_distances():
    ev = one(threshold=0.3)
    by_hand = rejection_by_hand(np.round(np.abs(SCORE - 0.3), 12), (SCORE >= 0.3) == IS_YES, np.ones(N))
    np.testing.assert_allclose(ev.rejection.theta, by_hand[0], atol=1e-12)
    np.testing.assert_allclose(ev.rejection.correct, by_hand[2], atol=1e-12)
    assert ev.rejection.form == "distance"
    assert ev.rejection.accuracy == ev["accuracy"].value


def test_decision_values_are_rejected_by_their_distance_from_the_boundary():
    ev = tm.evaluate(ACTUAL, y_score=np.round(2 * SCORE - 1, 12), pos_label="yes", threshold=0)
    close([ev.rejection, one().rejection], "theta", "correct", "rejected", "low")
    assert ev.rejection.form == "distance"
    with pytest.raises(tm.OptionError, match="where they are cut was not said"):
        _ = tm.evaluate(ACTUAL, y_score=2 * SCORE - 1, pos_label="yes").rejection


def test_rows_that_belong_together_say_less():
    ten = partial(np.repeat, repeats=10)
    naive = tm.evaluate(ten(ACTUAL), y_score=ten(SCORE), pos_label="yes")
    honest = tm.evaluate(ten(ACTUAL), y_score=ten(SCORE), pos_label="yes", groups=ten(np.arange(N)))
    for curve in ("rejection", "calibration"):
        plain, wide, narrow = (getattr(ev, curve) for ev in (one(), honest, naive))
        # Where all rows are right, or all wrong, groups cannot tell how alike their rows are.
        mixed = (plain.correct if curve == "rejection" else plain.observed) % 1 > 0
        width = [(each.high - each.low)[mixed] for each in (plain, wide, narrow)]
        assert np.median(width[1] / width[0]) == pytest.approx(1, abs=0.1)
        assert np.median(width[2] / width[0]) < 0.45


# --- calibration -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("strategy", "theirs"), [("width", "uniform"), ("mass", "quantile")])
@pytest.mark.parametrize("n_bins", [5, 10])
def test_bins_are_those_of_scikit_learn(strategy, theirs, n_bins):
    observed, predicted = calibration_curve(IS_YES, SCORE, n_bins=n_bins, strategy=theirs)
    for ev in (one(), two(), one().per_class["yes"].curves.scores.evaluate()):
        curve = ev.calibration_as(n_bins, strategy)
        np.testing.assert_allclose(curve.observed, observed)
        np.testing.assert_allclose(curve.predicted, predicted)
        ece = (curve.count * abs(observed - predicted)).sum() / N
        assert curve.ece == pytest.approx(ece)
        assert tm.ece(ACTUAL, SCORE, pos_label="yes", n_bins=n_bins, strategy=strategy) == pytest.approx(ece)
        mce = abs(observed - predicted).max()
        assert tm.mce(ev, n_bins=n_bins, strategy=strategy) == pytest.approx(mce)


@pytest.mark.parametrize("options", BESIDE.values(), ids=list(BESIDE))
def test_calibration_of_the_other_class_mirrors(options):
    for ev in (one(**options), two(**options), one(**options).at_prevalence(0.7)):
        curve, other = ev.calibration, ev.per_class["no"].calibration
        for name, back in (("predicted", "predicted"), ("observed", "observed"), ("low", "high")):
            mirrored = 1 - getattr(other, back)[::-1]
            np.testing.assert_allclose(getattr(curve, name), mirrored, atol=1e-12)
        assert curve.ece == pytest.approx(other.ece)
        assert curve.brier == pytest.approx(other.brier) == pytest.approx(ev["brier"].value)
        assert ev.per_class["no"]["ece"].value == pytest.approx(curve.ece)


@pytest.mark.parametrize("options", BESIDE.values(), ids=list(BESIDE))
def test_calibration_of_answers_and_of_each_class(options):
    ev, weight = three(**options), weights_of(options)
    confidence, right = TABLE.max(axis=1), TABLE.argmax(axis=1) == CLASSES

    def by_hand(probability, came_true):
        place = np.ceil(probability * 10)
        gaps = [abs((weight * (probability - came_true))[place == bin].sum()) for bin in np.unique(place)]
        return sum(gaps) / weight.sum()

    assert ev.calibration.of_answers
    assert ev["ece"].value == pytest.approx(by_hand(confidence, right)) == pytest.approx(ev.calibration.ece)
    for position, label in enumerate(KINDS_OF):
        expected = by_hand(TABLE[:, position], np.equal(CLASSES, position))
        assert ev.per_class[label]["ece"].value == pytest.approx(expected)
        assert ev.per_class[label].calibration.ece == pytest.approx(expected)
        assert not ev.per_class[label].calibration.of_answers


def test_the_parts_of_a_brier_score_add_up():
    for ev in (one(), one(sample_weight=WEIGHT), one().at_prevalence(0.1), two()):
        for strategy in ("width", "mass"):
            parts = ev.calibration_as(7, strategy).decomposition
            assert parts.brier == pytest.approx(ev["brier"].value, abs=1e-12)


@pytest.mark.parametrize("made", [one, two, three])
@pytest.mark.parametrize("options", BESIDE.values(), ids=list(BESIDE))
def test_recalibration_begins_where_the_evaluation_is(made, options):
    ev = made(**options)
    found = ev.recalibration
    assert found.why is None
    for each in (found.isotonic, found.platt):
        assert each.brier.before == pytest.approx(ev.calibration.brier)
        assert each.brier.gain.value == pytest.approx(each.brier.before - each.brier.after)
        assert each.brier.gain.low <= each.brier.gain.value <= each.brier.gain.high
    json.dumps(found.to_dict(), allow_nan=False)


def test_probabilities_squeezed_on_purpose_are_found_out():
    rows = np.random.default_rng(5)
    truth = rows.random(4_000)
    came_true = (rows.random(4_000) < truth).astype(int)
    good, bad = (tm.evaluate(came_true, y_score=each) for each in (truth, 0.4 + 0.2 * truth))
    assert good.recalibration.better is None
    assert bad.recalibration.platt.brier.gain.low > 0
    # With p said to be 0.4 + p / 5 the distance is |0.4 - 0.8 p|, on average 0.2.
    assert bad["ece"].value == pytest.approx(0.2, abs=0.02)
    assert [finding.code for finding in bad.findings].count("TM015") == 1
    assert "TM015" not in [finding.code for finding in good.findings]


# --- curves of costs ---------------------------------------------------------------------------------


def rates(weight, cut):
    called = cut <= SCORE
    return (
        weight[called & IS_YES].sum() / weight[IS_YES].sum(),
        weight[called & ~IS_YES].sum() / weight[~IS_YES].sum(),
    )


@pytest.mark.parametrize("options", BESIDE.values(), ids=list(BESIDE))
def test_cost_curve_is_the_lowest_line(options):
    weight, ev = weights_of(options), one(**options)
    cuts = [*np.unique(SCORE), np.inf]
    for x in (0, 0.2, 0.5, 0.85, 1):
        costs = {cut: x * (1 - tpr) + (1 - x) * fpr for cut in cuts for tpr, fpr in [rates(weight, cut)]}
        assert ev.cost_curve.at(probability_cost=x) == pytest.approx(min(costs.values()), abs=1e-12)
        other = ev.per_class["no"].cost_curve
        assert other.at(probability_cost=1 - x) == pytest.approx(min(costs.values()), abs=1e-12)
        # Thresholds are of the class's own probability.
        threshold = other.threshold_at(1 - x)
        called = threshold <= np.round(1 - SCORE, 12)
        cost = x * weight[called & IS_YES].sum() / weight[IS_YES].sum()
        cost += (1 - x) * weight[~called & ~IS_YES].sum() / weight[~IS_YES].sum()
        assert cost == pytest.approx(min(costs.values()), abs=1e-12)


def test_cost_curve_knows_no_class_shares():
    close([one().cost_curve, one().at_prevalence(0.01).cost_curve], "probability_cost", "cost")


@pytest.mark.parametrize("options", BESIDE.values(), ids=list(BESIDE))
def test_net_benefit_row_by_row(options):
    weight, ev = weights_of(options), one(**options)
    n = weight.sum()
    for t in (0.05, 0.3, 0.5, 0.83):
        called = t <= SCORE
        expected = (weight[called & IS_YES].sum() - weight[called & ~IS_YES].sum() * t / (1 - t)) / n
        assert ev.decision_curve.at(threshold=t) == pytest.approx(expected)
        called = t <= 1 - SCORE
        expected = (weight[called & ~IS_YES].sum() - weight[called & IS_YES].sum() * t / (1 - t)) / n
        assert ev.per_class["no"].decision_curve.at(threshold=t) == pytest.approx(expected)


# --- many classes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_areas_of_all_classes_are_those_of_scikit_learn(multi_class, average):
    name = f"auc_{multi_class}_{average}"
    expected = roc_auc_score(CLASSES, TABLE, multi_class=multi_class, average=average)
    ev = three()
    assert ev[name].value == pytest.approx(expected)
    assert ev[name].low < expected < ev[name].high
    assert getattr(tm, name)(NAMES, y_score=TABLE, labels=KINDS_OF) == pytest.approx(expected)
    assert getattr(tm, name)(NAMES, TABLE, labels=KINDS_OF) == pytest.approx(expected)
    assert getattr(tm, name)(ev) == ev[name].value
    for ev in (one(), two()):
        assert ev[name].value == pytest.approx(roc_auc_score(IS_YES, SCORE))
        assert (ev[name].low, ev[name].high) == (ev["auc"].low, ev["auc"].high)


@pytest.mark.parametrize("k", [1, 2])
def test_top_k(k):
    expected = top_k_accuracy_score(CLASSES, TABLE, k=k)
    assert three()[f"top_k_accuracy:{k}"].value == pytest.approx(expected)
    assert tm.top_k_accuracy(NAMES, y_score=TABLE, labels=KINDS_OF, k=k) == pytest.approx(expected)
    assert three()["top_k_accuracy:3"].value == 1
    assert two()["top_k_accuracy:1"].value == pytest.approx(((SCORE >= 0.5) == IS_YES).mean())


def test_which_classes_are_recognised_best():
    areas = {label: roc_auc_score(label == NAMES, TABLE[:, at]) for at, label in enumerate(KINDS_OF)}
    found = three().one_vs_rest
    assert found.order == tuple(sorted(areas, key=areas.get, reverse=True))
    assert {label: found.areas[label][0] for label in KINDS_OF} == pytest.approx(areas)
    assert set(one().one_vs_rest.order) == {"yes", "no"}


def test_a_threshold_for_every_class():
    for at, each in enumerate(three().class_thresholds().classes):
        of_class, score = np.equal(CLASSES, at), TABLE[:, at]
        best = max(f1_score(of_class, score >= cut) for cut in score)
        assert each.best.value == pytest.approx(best)
        assert f1_score(of_class, score >= each.best.threshold) == pytest.approx(best)
    # Of two classes each is cut by its own probability, also where only one was given.
    for each in one().class_thresholds("f1").classes:
        of_class, score = (IS_YES, SCORE) if each.label == "yes" else (~IS_YES, 1 - SCORE)
        assert f1_score(of_class, score >= each.best.threshold) == pytest.approx(each.best.value)


def test_confused_pairs_add_up_to_the_errors():
    ev = three()
    pairs = ev.confused_pairs()
    assert sum(pair.count for pair in pairs.pairs) == (TABLE.argmax(axis=1) != CLASSES).sum()
    assert len(ev.confused_pairs(most=1).pairs) == 1
    # 7 + 2 rows of the first two classes are taken for each other, of any others fewer.
    counts = tm.Confusion([[5, 7, 1], [2, 9, 0], [3, 4, 8]], labels=["x", "y", "z"]).evaluate()
    first = counts.confused_pairs().pairs[0]
    assert ({first.first, first.second}, first.count) == ({"x", "y"}, 9)


# --- laws ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("prevalence", [0.05, 0.8])
@pytest.mark.parametrize("made", [one, two])
def test_other_class_shares_are_rows_weighted_to_them(made, prevalence):
    weight = np.where(IS_YES, prevalence / IS_YES.mean(), (1 - prevalence) / (1 - IS_YES.mean()))
    pair = made().at_prevalence(prevalence), made(sample_weight=weight)
    close([ev.rejection for ev in pair], "theta", "rejected", "correct", "area", "area_of_all")
    close([ev.calibration for ev in pair], "predicted", "observed", "count", "ece", "brier")
    close([ev.decision_curve for ev in pair], "net_benefit", "all", "avoided")
    for name in ("ece", "mce:5", "auc_ovr_macro"):
        assert pair[0][name].value == pytest.approx(pair[1][name].value)


def test_other_shares_of_three_classes_are_rows_weighted_to_them():
    shares = {"a": 0.6, "b": 0.3, "c": 0.1}
    weight = np.array(list(shares.values()))[CLASSES] / (np.bincount(CLASSES) / N)[CLASSES]
    pair = three().at_prevalence(shares), three(sample_weight=weight)
    close([ev.rejection for ev in pair], "theta", "rejected", "correct", "low", "area")
    close([ev.calibration for ev in pair], "predicted", "observed", "count", "ece")
    close([ev.per_class["b"].decision_curve for ev in pair], "net_benefit")
    for name in ("ece", "top_k_accuracy:2", "auc_ovr_weighted", "auc_ovo_macro"):
        assert pair[0][name].value == pytest.approx(pair[1][name].value)


def test_frequencies_are_rows():
    again = partial(np.repeat, repeats=TIMES, axis=0)
    repeated = tm.evaluate(again(ACTUAL), y_score=again(SCORE), pos_label="yes")
    pairs = [
        (one(**BESIDE["frequencies"]), repeated),
        (
            three(**BESIDE["frequencies"]),
            tm.evaluate(again(NAMES), y_score=again(TABLE), labels=KINDS_OF),
        ),
    ]
    for pair in pairs:
        for name in ("rejection", "calibration"):
            assert getattr(pair[0], name).to_dict() == getattr(pair[1], name).to_dict()
    for name in ("auc_ovr_macro", "top_k_accuracy:2"):
        first, second = (ev[name] for ev in pairs[1])
        assert (first.value, first.low, first.high) == pytest.approx((second.value, second.low, second.high))


def test_counts_alone_and_parts_added_say_what_rows_say():
    rows = one().ranked.rows
    tally = sum((rows.at(part).scores(0) for part in np.array_split(np.arange(N), 4)), tm.Scores.empty())
    counted, whole = tally.evaluate(), one()
    for name in CURVES:
        assert getattr(counted, name).to_dict() == getattr(whole, name).to_dict()
        other = counted.per_class["not yes"], whole.per_class["no"]
        assert getattr(other[0], name).to_dict() == getattr(other[1], name).to_dict()
    assert counted.recalibration.to_dict() == whole.recalibration.to_dict()
    assert counted["ece:7"].value == whole["ece:7"].value


@pytest.mark.parametrize("made", [one, two, three, partial(votes, threshold=3)])
@pytest.mark.parametrize("options", [{}, BESIDE["weights and groups"]])
def test_a_pickled_evaluation_says_the_same(made, options):
    ev = made(**options)
    back = pickle.loads(pickle.dumps(ev))
    assert json.loads(back.to_json()) == json.loads(ev.to_json())
    for name in ("ece", "mce:5", "top_k_accuracy:1", "auc_ovo_weighted"):
        assert back[name].to_dict() == ev[name].to_dict()
        assert str(back.explain(name)) == str(ev.explain(name))
    assert back.one_vs_rest.to_dict() == ev.one_vs_rest.to_dict()
    assert back.class_thresholds().to_dict() == ev.class_thresholds().to_dict()


@pytest.mark.parametrize("made", [one, two])
def test_every_slice_has_answers_of_its_own(made):
    for ev in (made(slices={"region": REGION}), made(slices={"region": REGION}).at_prevalence(0.2)):
        for part in (*ev.slices, *pickle.loads(pickle.dumps(ev)).slices):
            rows = part.slice["region"] == REGION
            alone = tm.evaluate(ACTUAL[rows], y_score=SCORE[rows], labels=["yes", "no"], pos_label="yes")
            alone = alone if ev.ranked.shares is None else alone.at_prevalence(0.2)
            close([part.evaluation.rejection, alone.rejection], "theta", "correct", "low")
            close([part.evaluation.calibration, alone.calibration], "predicted", "observed", "high")
            assert part["ece"].value == pytest.approx(alone["ece"].value)


def test_slices_of_three_classes():
    for part in three(slices={"region": REGION}).slices:
        rows = part.slice["region"] == REGION
        alone = tm.evaluate(NAMES[rows], y_score=TABLE[rows], labels=KINDS_OF)
        assert part.evaluation.rejection.to_dict() == alone.rejection.to_dict()
        assert part["auc_ovo_macro"].value == alone["auc_ovo_macro"].value


# --- handed on -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("made", [one, two, three, bins, votes, partial(votes, threshold=3)])
def test_json_has_every_curve_there_is(made):
    ev = made()
    curves = json.loads(ev.to_json())["curves"]
    of_class = {"roc", "precision_recall", "gains", "cost_curve", "decision_curve"}
    expected = {
        one: of_class | {"rejection", "calibration"},
        two: of_class | {"rejection", "calibration"},
        three: {"rejection", "calibration"},
        bins: of_class | {"calibration"},
        votes: of_class - {"decision_curve"},
    }
    found = expected.get(made, of_class - {"decision_curve"} | {"rejection"})
    assert set(curves) == found | {"distribution"}


@pytest.mark.parametrize("kind", KINDS)
def test_every_picture_of_every_evaluation(kind):
    for ev in (one(), two(), three(pos_label="b"), one(groups=GROUP), one().at_prevalence(0.1)):
        assert ev.figure(kind).panels
    of_one_class = {"roc", "pr", "roc+pr", "gains", "lift", "threshold", "cost", "decision"}
    if kind in of_one_class:
        with pytest.raises(tm.OptionError, match="name the positive class"):
            three().figure(kind)
    else:
        assert three().figure(kind).panels


@pytest.mark.parametrize("made", [one, two, three, partial(one, sample_weight=WEIGHT, groups=GROUP)])
def test_every_curve_can_be_printed_and_handed_on(made):
    ev = made()
    curves = [ev.rejection, ev.calibration, ev.one_vs_rest, ev.class_thresholds(), ev.confused_pairs()]
    curves += [getattr(each, name) for each in ev.per_class.values() for name in CURVES]
    for curve in curves:
        json.dumps(curve.to_dict(), allow_nan=False)
        assert len(curve.table())
        assert text(curve.document())
    assert text(ev.recalibration.document())
    assert text(ev.document())


@pytest.mark.parametrize(
    "name", ["ece", "mce", "ece:15", "mce:3", "auc_ovr_macro", "auc_ovo_weighted", "top_k_accuracy:2"]
)
@pytest.mark.parametrize("made", [one, two, three, votes, bins])
def test_every_number_is_explained(name, made):
    ev = made()
    estimate, told = ev[name], ev.explain(name)
    assert told.value == (None if estimate.value is None else pytest.approx(estimate.value))
    assert told.why == estimate.why
    assert (estimate.why or "") in " ".join(str(told).split())


def test_one_class_at_a_time_has_no_number_of_all_classes():
    with pytest.raises(tm.MetricError, match="about all classes at once"):
        _ = three().per_class["a"]["auc_ovr_macro"]


# --- where there is none ---------------------------------------------------------------------------------


def test_votes_are_no_probabilities_wherever_they_lie():
    # Nobody is given both votes, so all scores are 0 or 1.
    few = tm.evaluate([1, 0, 0, 1, 0, 1], votes=[[1, 0, 0, 1, 0, 0], [0, 0, 1, 0, 0, 1]])
    for ev in (votes(), few, pickle.loads(pickle.dumps(few))):
        assert ev["ece"].why == "the scores are votes, so they are no probabilities"
        for each in (ev, *ev.per_class.values()):
            for name in ("calibration", "decision_curve"):
                with pytest.raises(tm.OptionError, match="the scores are votes"):
                    getattr(each, name)
        with pytest.raises(tm.OptionError, match="the scores are votes"):
            _ = ev.recalibration
        with pytest.raises(tm.OptionError, match=r"votes have no default threshold.*as many votes"):
            _ = ev.rejection


def test_votes_are_rejected_by_their_distance_from_the_threshold():
    ev = votes(threshold=3)
    assert ev.rejection.form == "distance"
    assert ev.rejection.accuracy == ev["accuracy"].value
    assert set(ev.rejection.theta) <= {0, 1, 2, 3}


def test_bins_have_no_margins_and_no_calibration():
    ev = bins()
    with pytest.raises(tm.OptionError, match="only bins of the scores were counted"):
        _ = ev.rejection
    assert "only bins" in ev.calibration.why
    assert "only bins" in ev["ece"].why
    assert "only bins" in ev.recalibration.why
    # At 0.5: 9 of 13 found and 1 of 14 called by mistake.
    assert ev.cost_curve.line(0.5).at(probability_cost=0.5) == pytest.approx((4 / 13 + 1 / 14) / 2)
    assert ev.decision_curve.at(threshold=0.5) == pytest.approx((9 - 1) / 27)


@pytest.mark.parametrize("name", [*CURVES, "recalibration", "one_vs_rest"])
def test_without_scores_it_says_what_to_pass(name):
    with pytest.raises(tm.OptionError, match=r"no scores were given.*y_score="):
        getattr(tm.evaluate(ACTUAL, ACTUAL, pos_label="yes"), name)
    with pytest.raises(tm.OptionError, match="rows have several labels"):
        getattr(tm.evaluate([{"a"}, {"b"}], [{"a"}, {"a"}]), name)


def test_a_pickle_of_three_classes_has_no_rows_to_weigh_anew():
    back = pickle.loads(pickle.dumps(three())).at_prevalence({"a": 0.6, "b": 0.3, "c": 0.1})
    with pytest.raises(tm.OptionError, match="the rows were not kept"):
        _ = back.rejection
    assert back["ece"].why == "the rows were not kept"


@pytest.mark.parametrize("strategy", ["width", "mass"])
def test_shortcuts_are_none_where_the_number_is_undefined(strategy):
    assert tm.ece(tm.Confusion([[1, 2], [3, 4]]), strategy=strategy) is None
    assert tm.mce(IS_YES, 10 * SCORE, strategy=strategy) is None


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: tm.ece(IS_YES, SCORE, strategy="equal"), "strategy must be 'width' or 'mass'; got 'equal'"),
        (lambda: one().calibration_as(0), "n_bins must be a whole number"),
        (lambda: one().calibration_as(5, "equal"), "strategy must be"),
        (lambda: tm.ece(IS_YES, SCORE, n_bins=2.5), "whole number"),
        (lambda: tm.top_k_accuracy(three()), "top_k_accuracy needs k"),
        (lambda: three()["top_k_accuracy"], "top_k_accuracy:K"),
        (lambda: three()["top_k_accuracy:0"], "whole number from 1 up"),
        (
            lambda: one().figure("profit"),
            "a picture is one of roc, .*rejection, calibration, cost or|decision",
        ),
        (lambda: three().class_thresholds("auc"), "no value at a threshold"),
    ],
)
def test_what_was_asked_wrongly_is_said(ask, said):
    with pytest.raises(tm.TallymarkError, match=said):
        ask()
