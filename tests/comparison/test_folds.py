"""Models on the same folds: the corrected interval is the verdict's, the plain one is shown as too sure."""

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

import tallymark as tm
from comparing import ends
from scored import classes, refusals

FOREST = [0.876, 0.896, 0.866, 0.824, 0.886, 0.886, 0.849, 0.879, 0.867, 0.871]
TREE = [0.860, 0.875, 0.860, 0.811, 0.877, 0.863, 0.834, 0.867, 0.861, 0.859]
KNN = [0.801, 0.833, 0.790, 0.795, 0.812, 0.840, 0.777, 0.806, 0.828, 0.799]
TWO = {"forest": FOREST, "tree": TREE}
D = np.subtract(FOREST, TREE)


def compared(scores=None, **options):
    return tm.compare(TWO if scores is None else scores, per="fold", **{"same_folds": True, **options})


def pair(found):
    (form,) = found.to_dict()["folds"]["pairs"]
    return form


def corrected(d, ratio, level=0.95):
    """Nadeau and Bengio's interval and p, from the formula."""
    se = math.sqrt(d.var(ddof=1) * (1 / len(d) + ratio))
    half = stats.t.ppf((1 + level) / 2, len(d) - 1) * se
    return d.mean() - half, d.mean() + half, 2 * stats.t.sf(abs(d.mean() / se), len(d) - 1)


def test_the_verdict_is_by_the_corrected_t_test():
    found = compared()
    difference = found["accuracy"]
    low, high, p = corrected(D, 1 / 9)
    assert difference.value == pytest.approx(D.mean())
    assert ends(difference) == pytest.approx((low, high))
    assert difference.p_value == pytest.approx(p)
    assert (difference.test, found.winner, found.design) == ("corrected t", "forest", "same folds")
    again = difference.estimate.interval(0.8)
    assert (again.low, again.high) == pytest.approx(corrected(D, 1 / 9, 0.8)[:2])


def test_the_plain_interval_of_the_sources_is_shown_beside_it():
    """d_true = mean d +- t(k-1) sqrt(sum (d_j - mean d)^2 / (k (k-1)))."""
    found = compared()
    half = stats.t.ppf(0.975, 9) * math.sqrt(((D - D.mean()) ** 2).sum() / (10 * 9))
    plain = found.outcomes[1]
    assert plain.method == "paired t"
    assert (plain.low, plain.high) == pytest.approx((D.mean() - half, D.mean() + half))
    assert plain.p_value == pytest.approx(stats.ttest_rel(FOREST, TREE).pvalue)
    # Narrower by the root of one and the overlap.
    times = math.sqrt(1 + 10 / 9)
    assert pair(found)["plain_is_narrower"] == pytest.approx(times)


def test_sizes_and_overlap_of_the_training_sets():
    found = compared(n_train=900, n_test=300)["accuracy"]
    assert ends(found) == pytest.approx(corrected(D, 1 / 3)[:2])
    apart = compared(overlap=False)
    assert apart["accuracy"].p_value == pytest.approx(stats.ttest_rel(FOREST, TREE).pvalue)
    assert [one.method for one in apart.outcomes] == ["paired t"]
    sized = {name: tm.FoldScores(scores, "f", 900, 300) for name, scores in TWO.items()}
    assert tm.compare(sized)["accuracy"].p_value == found.p_value


def test_five_by_two_is_tested_by_t_and_f_as_well():
    found = compared(runs=5)
    for outcome, way in zip(found.outcomes[2:], ("t", "f"), strict=True):
        expected = tm.tests.five_by_two(FOREST, TREE, way)
        assert (outcome.statistic, outcome.p_value) == pytest.approx((expected.statistic, expected.p_value))
    # The F test has no direction.
    assert [one.method for one in compared(runs=5, alternative="greater").outcomes][2:] == ["5x2cv t"]


def test_a_one_sided_question():
    two_sided = corrected(D, 1 / 9)[2]
    assert compared(alternative="greater")["accuracy"].p_value == pytest.approx(two_sided / 2)
    assert compared(alternative="less")["accuracy"].p_value == pytest.approx(1 - two_sided / 2)


def test_three_models_are_compared_pair_by_pair_with_holm():
    found = compared({**TWO, "knn": KNN})
    raw = [one.p_value for one in found.differences]
    order = np.argsort(raw)
    holm = np.minimum(1, np.maximum.accumulate(np.array([3, 2, 1]) * np.array(raw)[order]))
    assert [found.differences[place].adjusted for place in order] == pytest.approx(holm.tolist())
    pairs = [("forest", "tree"), ("forest", "knn"), ("tree", "knn")]
    assert [(one.a, one.b) for one in found.differences] == pairs
    assert found.winner == "forest"
    # A pair without a p-value, whose difference is the same in every fold, counts all the same.
    alike = compared({**TWO, "shifted": [score - 0.01 for score in TREE]}, adjust="bonferroni").differences
    assert [(one.p_value is None, one.adjusted is None) for one in alike] == [
        (False,) * 2,
        (False,) * 2,
        (True,) * 2,
    ]
    assert alike[0].adjusted == pytest.approx(min(1, 3 * alike[0].p_value))


def test_the_posterior_is_students_with_the_correlation_of_folds():
    """Around the mean difference with 9 degrees of freedom and scale sqrt(s^2 (1/10 + 1/9))."""
    for metric, sign in (("accuracy", 1), ("error_rate", -1)):
        scores = {
            name: np.array(column) if sign == 1 else 1 - np.array(column) for name, column in TWO.items()
        }
        posterior = pair(compared(scores, metric=metric, confidence_level=0.8))["posterior"]
        expected = stats.t(9, sign * D.mean(), math.sqrt(D.var(ddof=1) * (1 / 10 + 1 / 9)))
        assert posterior["level"] == 0.8
        assert posterior["mean"] == pytest.approx(sign * D.mean())
        assert [posterior["low"], posterior["high"]] == pytest.approx(expected.ppf([0.1, 0.9]))
        sides = expected.cdf(-0.01), expected.sf(0.01)
        assert (posterior["worse"], posterior["better"]) == pytest.approx(sides[::sign])
        assert posterior["equivalent"] == pytest.approx(1 - sum(sides))
    assert pair(compared(rope=0))["posterior"]["equivalent"] == 0


FEW = {"a": [0.9, 0.1, 0.8], "b": [0.1, 0.8, 0.6], "c": [0.5, 0.52, 0.51]}
PROVEN = {name: tm.FoldScores(column, "k=10, seed 1") for name, column in TWO.items()}


def test_the_smallest_difference_is_by_the_power_of_the_t_test():
    effect = TTestPower().solve_power(nobs=10, alpha=0.05, power=0.8) * math.sqrt(10)
    smallest = effect * math.sqrt(D.var(ddof=1) * (1 / 10 + 1 / 9))
    assert compared().to_dict()["reach"][0]["smallest_difference"] == pytest.approx(smallest, rel=1e-4)
    # No accuracy differs by more than one.
    assert compared(FEW).to_dict()["reach"][0]["smallest_difference"] is None


def test_edges_in_every_output(snapshot):
    rng = np.random.default_rng(3)
    hundred = {name: rng.uniform(0.7, 0.9, 100) + at / 99 for at, name in enumerate("ab")}
    found = {
        "three models": compared({**TWO, "knn": KNN}), "never different": compared({"a": TREE, "b": TREE}),
        "one fold": compared({"a": [0.5], "b": [0.4]}), "a hundred folds": compared(hundred, runs=10),
        "five by two": compared(runs=5, alternative="greater"),
        "no overlap": compared(overlap=False, rope=0), "no difference is large enough": compared(FEW),
        "proven the same": tm.compare(PROVEN),
    }  # fmt: skip
    assert len(found["a hundred folds"].to_dict()["folds"]["scores"]["a"]) == 100
    assert pair(found["a hundred folds"])["plain_is_narrower"] == pytest.approx(math.sqrt(1 + 100 / 9))
    snapshot("text_comparisons_of_folds", {name: str(one) for name, one in found.items()})


def test_the_data_set_of_the_folds_is_named(tmp_path):
    path = tmp_path / "folds.csv"
    path.write_text("dataset,fold,a,b\niris,1,0.8,0.7\niris,2,0.9,0.8\niris,3,0.85,0.86\n")
    found = tm.compare(path, per="fold")
    assert found.to_dict()["folds"]["data_set"] == "iris"
    assert compared().to_dict()["folds"]["data_set"] is None
    assert found["accuracy"].value == pytest.approx(np.mean([0.1, 0.1, -0.01]))
    names = {"a": [0.8, 0.9, 0.85], "b": [0.7, 0.8, 0.86]}
    assert found["accuracy"].p_value == compared(names)["accuracy"].p_value


# --- the same folds ---------------------------------------------------------------------------------


def test_folds_are_proven_the_same_by_a_fingerprint():
    found = tm.compare(PROVEN)
    assert found.design == "same folds"
    assert found["accuracy"].p_value == compared()["accuracy"].p_value
    five = tm.compare({name: tm.FoldScores(column, "f", runs=5, note="?") for name, column in TWO.items()})
    assert [one.method for one in five.outcomes[2:]] == ["5x2cv t", "5x2cv F"]
    assert "?" in five.notes
    by_option = tm.compare(PROVEN, n_train=90, n_test=30)["accuracy"]
    assert by_option.p_value != found["accuracy"].p_value
    # A metric of one's own is compared when its direction is known.
    gain = {"a": [30.0, 35.0, 31.0], "b": [12.0, 11.0, 15.0]}
    for way, winner in (("higher", "a"), ("lower", "b")):
        assert compared(gain, metric="profit", better=way).winner == winner
        own = {name: tm.FoldScores(column, "f") for name, column in gain.items()}
        assert tm.compare(own, metric="profit", better=way).winner == winner
    # Which of a hundred folds are of one run is asked about.
    hundred = {name: np.random.default_rng(7).normal(0.8, 0.02, 100) for name in "ab"}
    for options in ({"runs": 10}, {"runs": 1}, {"overlap": False}):
        assert compared(hundred, **options).design == "same folds"


def test_refusals(snapshot):
    proven = {name: tm.FoldScores(column, "f", 90, 10) for name, column in TWO.items()}
    hundred = {name: np.linspace(0.7, 0.8, 100) for name in "ab"}

    def of(scores=None, **options):
        return lambda: compared(scores, **options)

    calls = {
        "not proven": of(same_folds=False),
        "two fingerprints": lambda: tm.compare({**proven, "tree": tm.FoldScores(TREE, "g", 90, 10)}),
        "other sizes": lambda: tm.compare({**proven, "tree": tm.FoldScores(TREE, "f")}),
        "sizes twice": lambda: tm.compare(proven, n_train=90),
        "labels": lambda: tm.compare(proven, pos_label=1),
        "metrics": lambda: tm.compare(proven, metrics=["f1"]),
        "groups": lambda: tm.compare(proven, groups=[1, 1, 2]),
        "one model": of({"a": [0.5, 0.6]}),
        "no model": of({}),
        "a list": of([0.5]),
        "other lengths": of({"a": [0.5], "b": [0.5, 0.6]}),
        "None": of({"a": [0.5, None], "b": [0.5, 0.6]}),
        "NaN": of({"a": [0.5, math.nan], "b": [0.5, 0.6]}),
        "text": of({"a": ["x", 0.5], "b": [0.5, 0.6]}),
        "percent": of({"a": [87.5, 90], "b": [80, 81]}),
        "beyond": of({"a": [-0.5, 0.9], "b": [0.8, 0.81]}),
        "unknown metric": of(metric="profit"),
        "metric 3": of(metric=3),
        "better": of(better="more"),
        "3 runs": of(runs=3),
        "10 runs": of(runs=10),
        "a hundred folds": of(hundred),
        "n_train alone": of(n_train=90),
        "rope": of(rope=-1),
        "alternative": of(alternative="above"),
        "level": of(confidence_level=95),
        "adjust": of(adjust="none"),
        "baseline": of(baseline="tree"),
        "y_true": of(y_true=[1, 0]),
        "costs": of(costs=[[0, 1], [1, 0]]),
        "metrics beside folds": of(metrics=["auc"]),
        "per": lambda: tm.compare(TWO, per="folds"),
    }
    said = refusals(calls)
    assert all("\n" not in text for text in said.values())
    assert {name: kind for name, kind in classes(said).items() if kind != "OptionError"} == {
        **dict.fromkeys(("a list", "percent", "beyond", "two fingerprints"), "InputError"),
        **dict.fromkeys(("one model", "no model", "text"), "ColumnError"),
        **dict.fromkeys(("None", "NaN"), "MissingValueError"),
        "other lengths": "ShapeError",
    }
    snapshot("errors_comparisons_of_folds", said)
