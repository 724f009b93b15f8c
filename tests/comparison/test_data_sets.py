"""Models on many data sets: Wilcoxon for two, Friedman and mean ranks for more, and WEKA's table of folds."""

import math
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import tallymark as tm
from comparing import DEMSAR, ends, in_one_line
from scored import classes, refusals

C45, C45_M, *_ = DEMSAR.values()
TWO = {"C4.5+m": C45_M, "C4.5": C45}
CHANCES = "worse", "equivalent", "better"


def compared(scores=None, **options):
    return tm.compare(DEMSAR if scores is None else scores, per="dataset", **{"metric": "auc", **options})


def noise(models, data_sets, seed=2):
    rng = np.random.default_rng(seed)
    return {f"m{at}": rng.uniform(0.7, 0.9, data_sets) for at in range(models)}


# --- two models -------------------------------------------------------------------------------------


def test_two_models_are_judged_by_wilcoxon():
    found = compared(TWO)
    outcome = found["auc"].outcome
    d = np.round(np.subtract(C45_M, C45), 12)
    expected = stats.wilcoxon(d[d != 0], method="approx", correction=False)
    assert outcome.statistic == expected.statistic
    assert (outcome.counts["w_minus"], outcome.counts["n"]) == (expected.statistic, 12)
    assert (found.winner, found.design) == ("C4.5+m", "many data sets")
    assert [one.method for one in found.outcomes] == ["Wilcoxon signed-rank, exact", "sign test"]
    assert found.outcomes[1].p_value == pytest.approx(stats.binomtest(10, 12).pvalue)
    # The difference is the median of the means of two.
    d = np.subtract(C45_M, C45)
    walsh = [(d[i] + d[j]) / 2 for i in range(14) for j in range(i, 14)]
    assert found["auc"].value == pytest.approx(np.median(walsh))
    wide, narrow = (found["auc"].estimate.interval(level) for level in (0.99, 0.8))
    assert wide.low < found["auc"].low < narrow.low < narrow.high < found["auc"].high < wide.high


def test_a_lower_number_is_better_where_it_is():
    losses = {name: [1 - score for score in column] for name, column in TWO.items()}
    found = compared(losses, metric="error_rate")
    assert found.winner == "C4.5+m"
    (posterior,), (mirrored,) = found.to_dict()["posterior"], compared(TWO).to_dict()["posterior"]
    for chance in CHANCES:
        assert posterior[chance] == pytest.approx(mirrored[chance], abs=0.002)
    # Of the difference, so below 0 where the first has the lower error.
    assert posterior["mean"] == pytest.approx(-mirrored["mean"], rel=0.01)
    assert posterior["low"] < posterior["mean"] < posterior["high"] < 0
    assert mirrored["better"] > 0.5
    assert sum(mirrored[chance] for chance in CHANCES) == pytest.approx(1)


def test_the_posterior_has_the_level_asked():
    narrow, wide = (compared(TWO, confidence_level=level).to_dict()["posterior"][0] for level in (0.5, 0.99))
    assert (narrow["level"], wide["level"]) == (0.5, 0.99)
    assert wide["low"] < narrow["low"] < narrow["high"] < wide["high"]


# --- several models ---------------------------------------------------------------------------------


def test_the_published_example():
    """Demsar (2006, p. 12): ranks 3.143, 2.000, 2.893 and 1.964, CD 1.25 at 5 %."""
    found = compared()
    chi2, f = found.outcomes
    ranks = found.to_dict()["ranks"]
    assert ranks["nemenyi"]["ranks"] == pytest.approx([3.143, 2.0, 2.893, 1.964], abs=5e-4)
    assert f.statistic == pytest.approx(13 * chi2.statistic / (14 * 3 - chi2.statistic))
    assert ranks["nemenyi"]["critical_difference"] == pytest.approx(1.25, abs=0.005)
    peer = stats.friedmanchisquare(*np.array(list(DEMSAR.values())))
    assert (chi2.statistic, chi2.p_value) == pytest.approx((peer.statistic, peer.pvalue))
    pairs = {(one["a"], one["b"]): one for one in ranks["pairs"]}
    assert list(pairs) == list(combinations(DEMSAR, 2))
    assert pairs["C4.5", "C4.5+m"]["z"] == pytest.approx((3.143 - 2) / math.sqrt(4 * 5 / (6 * 14)), abs=1e-3)
    assert pairs["C4.5", "C4.5+m"]["p_value"] == pytest.approx(2 * stats.norm.sf(2.342), abs=1e-3)
    for one in pairs.values():
        adjusted = one["p_adjusted"]
        assert adjusted["holm"] >= adjusted["shaffer"] >= adjusted["bergmann_hommel"] >= one["p_value"]


def test_pairs_are_tested_by_wilcoxon_and_adjusted_together():
    found = compared()
    raw = [tm.tests.wilcoxon(a, b).p_value for a, b in combinations(DEMSAR.values(), 2)]
    assert [one.p_value for one in found.differences] == pytest.approx(raw)
    holm = multipletests(raw, method="holm")[1].tolist()
    assert [one.adjusted for one in found.differences] == pytest.approx(holm)
    assert [(one.a, one.b) for one in found.differences if one.adjusted < 0.05] == [("C4.5", "C4.5+m")]
    assert found.winner is None
    bonferroni = compared(adjust="bonferroni").differences
    assert [one.adjusted for one in bonferroni] == pytest.approx(np.minimum(1, 6 * np.array(raw)).tolist())


def test_means_that_differ_by_noise_of_floats_share_their_rank():
    thirds = [(0.1 + 0.2 + 0.3) / 3, 0.2, 0.3, 0.4]
    found = compared({"a": thirds, "b": [0.2, 0.2, 0.3, 0.4], "c": [0.1, 0.1, 0.1, 0.1]})
    assert found.to_dict()["ranks"]["nemenyi"]["ranks"] == [1.5, 1.5, 3.0]


def test_bergmann_hommel_of_many_models_is_there_when_asked_for():
    many = compared(noise(11, 6))
    assert set(many.to_dict()["ranks"]["pairs"][0]["p_adjusted"]) == {"holm", "shaffer"}
    assert len(many.differences) == 55
    asked = compared(noise(10, 6), adjust="bergmann_hommel")
    assert "bergmann_hommel" in asked.to_dict()["ranks"]["pairs"][0]["p_adjusted"]


def test_every_pair_has_its_posterior():
    found = compared(rope=0.02).to_dict()["posterior"]
    assert [(one["a"], one["b"]) for one in found] == list(combinations(DEMSAR, 2))
    for one in found:
        alone = compared({name: DEMSAR[name] for name in (one["a"], one["b"])}, rope=0.02)
        (expected,) = alone.to_dict()["posterior"]
        # Of fewer draws: four standard errors of a share.
        for chance in CHANCES:
            assert one[chance] == pytest.approx(expected[chance], abs=4 * math.sqrt(0.5 / 15_000))
    for rope, equivalent in ((0.5, 1.0), (0, 0.0)):
        posteriors = compared(rope=rope).to_dict()["posterior"]
        assert {one["equivalent"] for one in posteriors} == {equivalent}
    lower = {name: np.linspace(0.1, 0.2, 12) + add for name, add in (("a", 0), ("b", 0.1), ("c", 0.2))}
    found = compared(lower, metric="error_rate").to_dict()["posterior"]
    assert [one["better"] for one in found] == pytest.approx([1, 1, 1], abs=0.01)


def test_many_pairs_have_fewer_draws_and_very_many_no_bayesian_test():
    ten = compared(noise(10, 30, seed=3)).to_dict()["posterior"]
    assert [one["counts"]["draws"] for one in ten] == [2000] * 45
    for models, data_sets in ((12, 160), (2, 301)):
        found = compared(noise(models, data_sets))
        assert "posterior" not in found.to_dict()
        assert len(found.notes) == 1


def test_the_smallest_difference_of_every_pair_follows_from_its_interval():
    found, z = compared(), stats.norm.ppf
    for one, reach in zip(found.differences, found.to_dict()["reach"], strict=True):
        smallest = (z(0.975) + z(0.8)) * (one.high - one.low) / 2 / z(0.975)
        assert reach["smallest_difference"] == pytest.approx(smallest)
        assert f"{one.a} {one.b} {smallest:.3f}" in in_one_line(found)
    two, one = (
        compared(TWO, alternative=side).to_dict()["reach"][0]["smallest_difference"]
        for side in ("two-sided", "greater")
    )
    # One side finds smaller ones, in proportion to z(level of the tail) + z(power), of the same interval.
    assert one / two == pytest.approx((z(0.95) + z(0.8)) / (z(0.975) + z(0.8)))


def test_few_data_sets_can_never_find_a_difference():
    five = {"a": [0.9, 0.8, 0.7, 0.9, 0.8], "b": [0.8, 0.6, 0.4, 0.5, 0.3]}
    found = compared(five)
    assert (found["auc"].p_value, ends(found["auc"])) == (2 / 2**5, (None, None))
    assert found.to_dict()["reach"][0]["smallest_difference"] is None
    # One-sided, 5 data sets are enough: 1/32.
    assert compared(five, alternative="greater").winner == "a"
    # With 7 data sets no p-value is below 2 / 2**7, and 6 pairs make that 0.094; with 8 it is 0.047.
    for size, winner in ((7, None), (8, "m3")):
        columns = {f"m{at}": 0.1 * at + np.linspace(0.01, 0.09, size) * (1 + at) for at in range(4)}
        found = compared(columns)
        assert min(one.adjusted for one in found.differences) == pytest.approx(6 * 2 / 2**size)
        assert found.winner == winner


def test_texts(snapshot):
    few = {name: column[:5] for name, column in DEMSAR.items()}
    steps = np.linspace(0.01, 0.09, 7)
    found = {
        "two models": compared(TWO),
        "four models": compared(),
        "four models, five data sets": compared(few),
        "four models, seven data sets": compared({f"m{at}": 0.1 * at + steps * (1 + at) for at in range(4)}),
        "one-sided": compared(TWO, alternative="greater"),
        "a wide region": compared(TWO, rope=0.5),
        "eleven models": compared(noise(11, 6)),
        "bergmann hommel": compared(adjust="bergmann_hommel"),
        "never different": compared({"a": C45, "b": C45}),
        "two data sets": compared({"a": [0.5, 0.6], "b": [0.4, 0.7]}),
        "301 data sets": compared(noise(2, 301)),
    }
    snapshot("text_comparisons_of_data_sets", {name: str(one) for name, one in found.items()})


# --- what can be given ------------------------------------------------------------------------------


def test_tables_of_scores(tmp_path):
    names = list("uvwxyz")
    scores = {name: column[:6] for name, column in TWO.items()}
    lines = {
        "model": np.repeat(list(scores), 6), "dataset": names * 2,
        "auc": np.concatenate(list(scores.values())),
    }  # fmt: skip
    pl.DataFrame({"dataset": names, **scores}).write_csv(tmp_path / "wide.csv")
    given = {
        "lists": scores,
        "wide frame": pd.DataFrame({"dataset": names, **scores}),
        "long frame": pl.DataFrame(lines),
        "file": tmp_path / "wide.csv",
        "other names": pd.DataFrame({"where": names, **scores}),
    }
    more = {"other names": {"columns": {"dataset": "where"}}}
    expected = compared(scores)["auc"]
    for name, data in given.items():
        found = compared(data, **more.get(name, {}))
        assert (found["auc"].value, found["auc"].p_value) == (expected.value, expected.p_value), name
        known = [str(at) for at in range(1, 7)] if name == "lists" else names
        assert found.to_dict()["data_sets"]["names"] == known
    # The metric is the column's name, and one of the user's own needs a direction.
    assert tm.compare(pl.DataFrame(lines), per="dataset").metric == "auc"
    own = pl.DataFrame(lines).rename({"auc": "rmse"})
    assert classes(refusals({"rmse": lambda: tm.compare(own, per="dataset")})) == {"rmse": "OptionError"}
    found = tm.compare(own, per="dataset", better="lower")
    assert (found.metric, found.differences[0].ahead) == ("rmse", "C4.5")
    assert any("accuracy" in note for note in tm.compare(scores, per="dataset").notes)
    percent = {name: [100 * score for score in column] for name, column in scores.items()}
    assert compared(percent, scale="percent")["auc"].value == pytest.approx(expected.value)


def test_refusals(snapshot):
    two = {"a": [0.5, 0.6], "b": [0.6, 0.7]}
    calls = {
        "one data set": lambda: compared({"a": [0.5], "b": [0.6]}),
        "a name twice": lambda: compared(pd.DataFrame({"dataset": ["x", "x"], **two})),
        "one model": lambda: compared({"a": [0.5, 0.6]}),
        "other lengths": lambda: compared({"a": [0.5, 0.6], "b": [0.5]}),
        "percent": lambda: compared({"a": [50, 60], "b": [55, 65]}),
        "rope": lambda: compared(two, rope=-0.1),
        "margin": lambda: compared(two, margin=0),
        "baseline without folds": lambda: compared(two, baseline="a"),
        "unknown baseline": lambda: compared(FOLDS, baseline="x", metric="accuracy"),
    }
    said = refusals(calls)
    kinds = classes(said)
    assert {name for name, kind in kinds.items() if kind == "OptionError"} == {
        "rope", "margin", "baseline without folds", "unknown baseline",
    }  # fmt: skip
    assert kinds["other lengths"] == "ShapeError"
    assert (kinds["one model"], kinds["percent"]) == ("ColumnError", "InputError")
    assert (kinds["one data set"], kinds["a name twice"]) == ("InputError", "InputError")
    snapshot("errors_comparisons_of_data_sets", said)


# --- the folds of every data set: WEKA's Experimenter -----------------------------------------------

# Folds that agree on the order of the models, that do not, and that are the other way round.
FOLDS = {
    "iris": {"base": [0.90, 0.92, 0.91, 0.93, 0.90], "other": [0.95, 0.96, 0.97, 0.97, 0.94]},
    "wine": {"base": [0.80, 0.85, 0.90, 0.75, 0.80], "other": [0.82, 0.80, 0.92, 0.74, 0.83]},
    "vote": {"base": [0.70, 0.72, 0.71, 0.73, 0.70], "other": [0.60, 0.63, 0.60, 0.64, 0.61]},
}


def weka(data=None, **options):
    return tm.compare(FOLDS if data is None else data, per="dataset", **options).to_dict()["experimenter"]


def marks(form):
    return [[one["mark"] for one in row["against_baseline"].values()] for row in form["rows"]]


def test_marks_are_the_corrected_t_test_of_each_data_set():
    found = weka()
    expected = []
    for folds in FOLDS.values():
        d = np.subtract(folds["other"], folds["base"])
        t = d.mean() / math.sqrt(d.var(ddof=1) * (1 / 5 + 1 / 4))
        p = 2 * stats.t.sf(abs(t), 4)
        expected.append([("v" if t > 0 else "*") if p <= 0.05 else ""])
    assert marks(found) == expected == [["v"], [""], ["*"]]
    assert found["counts"] == {"other": {"better": 1, "same": 1, "worse": 1}}
    assert found["rows"][0]["mean"] == pytest.approx({"base": 0.912, "other": 0.958})
    deviation = {name: np.std(column, ddof=1) for name, column in FOLDS["iris"].items()}
    assert found["rows"][0]["standard_deviation"] == pytest.approx(deviation)
    turned = weka(baseline="other")
    assert (turned["baseline"], marks(turned)) == ("other", [["*"], [""], ["v"]])
    errors = {n: {m: [1 - s for s in column] for m, column in each.items()} for n, each in FOLDS.items()}
    assert marks(weka(errors, metric="error_rate")) == [["v"], [""], ["*"]]
    assert marks(weka(confidence_level=0.999))[0] == [""]


def test_sizes_and_runs_are_those_of_the_table():
    rows = [
        {
            "data": name, "run": 1 + fold // 3, "fold": fold % 3, "model": model,
            "score": 0.5 + fold / 100 + add,
        }
        for name in ("p", "q")
        for fold in range(6)
        for model, add in (("a", 0.0), ("b", 0.01 + 0.004 * (fold % 2)))
    ]  # fmt: skip
    columns = pd.DataFrame(rows)
    sized = columns.assign(n_train=90, n_test=10)
    ratios = {
        weka(table, better="higher")["rows"][0]["against_baseline"]["b"]["counts"]["test_by_train"]
        for table in (columns, sized)
    }
    assert sorted(ratios) == pytest.approx([1 / 9, 1 / 2])


def test_the_same_difference_in_every_fold_has_no_test():
    found = weka({"p": {"a": [0.5, 0.6], "b": [0.6, 0.7]}, "q": {"a": [0.5, 0.6], "b": [0.5, 0.6]}})
    assert marks(found) == [["?"], [""]]
    assert found["counts"] == {"b": {"better": 0, "same": 2, "worse": 0}}
    found = weka({"p": FOLDS["iris"], "q": {"base": [0.5], "other": [0.5]}})
    assert (marks(found), found["rows"][1]["standard_deviation"]["base"]) == ([["v"], ["?"]], None)


def test_texts_of_the_folds_of_data_sets(snapshot, tmp_path):
    rng = np.random.default_rng(5)
    models = [f"model number {place}" for place in range(9)]
    wide = {name: {model: rng.uniform(0.5, 0.9, 10) for model in models} for name in ("p", "q", "r")}
    same = {"p": {"a": [0.5, 0.6], "b": [0.6, 0.7]}, "q": {"a": [0.5, 0.6], "b": [0.5, 0.6]}}
    large = {
        name: {m: [30 * s for s in column] for m, column in each.items()} for name, each in FOLDS.items()
    }
    found = {
        "two models": tm.compare(FOLDS, per="dataset"),
        "the base in every part of a wide table": tm.compare(wide, per="dataset"),
        "no test": tm.compare(same, per="dataset"),
        "a metric without an end": tm.compare(large, per="dataset", metric="gain", better="higher"),
        "names that would act": tm.compare(
            {"a\x1b[31m\n": FOLDS["iris"], "数据集": FOLDS["wine"]}, per="dataset"
        ),
    }
    texts = {name: str(one) for name, one in found.items()}
    assert not any("\x1b" in text for text in texts.values())
    found["two models"].save(tmp_path / "a.tex")
    texts["LaTeX"] = (tmp_path / "a.tex").read_text()
    snapshot("text_comparisons_of_folds_of_data_sets", texts)
