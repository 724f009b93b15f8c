"""Models on many data sets: Wilcoxon for two, Friedman and mean ranks for more, and Demsar's example."""

from __future__ import annotations

import json
import math
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from tallymark.comparison.question import Folding, question
from tallymark.comparison.result import Comparison
from tallymark.comparison.score_tables.data_sets import compare_data_sets
from tallymark.errors import TallymarkError
from tallymark.intake.score_tables import read_scores

# AUC of C4.5 with and without tuned parameters on 14 data sets: Demsar (2006), Journal of Machine Learning
# Research 7:1-30, table 6. On voting two are printed as 0.975; the ranks there say that the first was above.
NAMES = [
    "adult (sample)",
    "breast cancer",
    "breast cancer wisconsin",
    "cmc",
    "ionosphere",
    "iris",
    "liver disorders",
    "lung cancer",
    "lymphography",
    "mushroom",
    "primary tumor",
    "rheum",
    "voting",
    "wine",
]
C45 = [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1, 0.940, 0.619, 0.972, 0.957]
C45_M = [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1, 0.962, 0.666, 0.981, 0.978]
C45_CF = [0.771, 0.590, 0.968, 0.654, 0.886, 0.916, 0.609, 0.563, 0.866, 1, 0.965, 0.614, 0.97501, 0.946]
C45_M_CF = [0.798, 0.569, 0.967, 0.657, 0.898, 0.931, 0.685, 0.625, 0.875, 1, 0.962, 0.669, 0.975, 0.970]
DEMSAR = {"C4.5": C45, "C4.5+m": C45_M, "C4.5+cf": C45_CF, "C4.5+m+cf": C45_M_CF}
TWO = {"C4.5+m": C45_M, "C4.5": C45}


ASKED = ("alternative", "margin", "adjust", "confidence_level", "random_state")
FOLDING = ("rope", "better", "baseline")


def compared(table: Any = DEMSAR, names: Any = NAMES, **options: Any) -> Comparison:
    """With every option where it belongs."""
    asked, folding = (
        {name: options.pop(name) for name in known if name in options} for known in (ASKED, FOLDING)
    )
    beside = {"metric": "auc", **options}
    return compare_data_sets(table, names, question(**asked), Folding(**folding), **beside)


def words(found: Comparison) -> str:
    """As printed, on one line."""
    return " ".join(str(found).split())


def refused(table: Any, names: Any = None, **options: Any) -> str:
    with pytest.raises(TallymarkError) as caught:
        compared(table, names, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- two models -------------------------------------------------------------------------------------


def test_two_models_are_judged_by_wilcoxon() -> None:
    found = compared(TWO)
    outcome = found["auc"].outcome
    d = np.round(np.subtract(C45_M, C45), 12)
    expected = stats.wilcoxon(d[d != 0], method="approx", correction=False)
    assert outcome.statistic == expected.statistic
    assert (outcome.counts["w_minus"], outcome.counts["n"]) == (expected.statistic, 12)
    assert found.winner == "C4.5+m"
    assert [each.method for each in found.outcomes] == ["Wilcoxon signed-rank, exact", "sign test"]
    assert found.outcomes[1].p_value == pytest.approx(stats.binomtest(10, 12).pvalue)


def test_the_difference_is_the_median_of_the_means_of_two() -> None:
    d = np.subtract(C45_M, C45)
    walsh = [(d[i] + d[j]) / 2 for i in range(14) for j in range(i, 14)]
    assert compared(TWO)["auc"].value == pytest.approx(np.median(walsh))


def test_another_level_is_asked_of_the_same_test() -> None:
    estimate = compared(TWO)["auc"].estimate
    wide, narrow = estimate.interval(0.99), estimate.interval(0.8)
    assert wide.low is not None
    assert narrow.low is not None
    assert wide.low < narrow.low


def test_the_posterior_of_two_models_sums_to_one() -> None:
    (posterior,) = compared(TWO).to_dict()["posterior"]
    assert posterior["worse"] + posterior["equivalent"] + posterior["better"] == pytest.approx(1)
    assert posterior["better"] > 0.5


def test_with_very_many_data_sets_the_bayesian_test_is_left_out_and_said() -> None:
    scores = np.random.default_rng(6).uniform(0.6, 0.9, (2, 301))
    found = compared({"a": scores[0], "b": scores[1]}, None)
    assert "posterior" not in found.to_dict()
    assert found.notes == ("with more than 300 data sets the Bayesian test is left out.",)
    assert "The scores on all 301 data sets are in the JSON document." in str(found)


def test_a_lower_number_is_better_where_it_is() -> None:
    losses = {name: [1 - score for score in column] for name, column in TWO.items()}
    found = compared(losses, metric="error_rate")
    assert found.winner == "C4.5+m"
    (posterior,), (mirrored,) = found.to_dict()["posterior"], compared(TWO).to_dict()["posterior"]
    for chance in ("worse", "equivalent", "better"):
        assert posterior[chance] == pytest.approx(mirrored[chance], abs=0.002)
    # Of the difference, so below 0 where the first has the lower error.
    assert posterior["mean"] == pytest.approx(-mirrored["mean"], rel=0.01)
    assert posterior["low"] < posterior["mean"] < posterior["high"] < 0


# --- more models: Demsar's example ------------------------------------------------------------------


def test_demsars_mean_ranks_and_critical_difference() -> None:
    """Mean ranks 3.143, 2.000, 2.893, 1.964; CD = 2.569 sqrt(4 5 / (6 14)) = 1.25, so none is told apart."""
    nemenyi = compared().to_dict()["ranks"]["nemenyi"]
    assert nemenyi["ranks"] == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    assert nemenyi["critical_difference"] == pytest.approx(1.25, abs=5e-3)
    assert nemenyi["groups"] == [["C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"]]


def test_friedmans_test_is_that_of_scipy_and_iman_davenports_follows() -> None:
    chi2, f = compared().outcomes
    expected = stats.friedmanchisquare(*DEMSAR.values())
    assert chi2.statistic == pytest.approx(expected.statistic)
    assert chi2.p_value == pytest.approx(expected.pvalue)
    assert f.statistic == pytest.approx(13 * expected.statistic / (14 * 3 - expected.statistic))


def test_pairs_of_mean_ranks_are_adjusted_by_holm_shaffer_and_bergmann_hommel() -> None:
    pairs = compared().to_dict()["ranks"]["pairs"]
    ranks = dict(zip(DEMSAR, compared().to_dict()["ranks"]["nemenyi"]["ranks"], strict=True))
    for pair, (a, b) in zip(pairs, combinations(DEMSAR, 2), strict=True):
        z = (ranks[a] - ranks[b]) / math.sqrt(4 * 5 / (6 * 14))
        assert pair["z"] == pytest.approx(z)
        assert pair["p_value"] == pytest.approx(2 * stats.norm.sf(abs(z)))
    for method in ("holm", "shaffer", "bergmann_hommel"):
        assert all(pair["p_adjusted"][method] >= pair["p_value"] for pair in pairs)
    assert all(
        pair["p_adjusted"]["holm"] >= pair["p_adjusted"]["shaffer"] >= pair["p_adjusted"]["bergmann_hommel"]
        for pair in pairs
    )


def test_pairs_are_tested_by_wilcoxon_and_adjusted_together() -> None:
    found = compared()
    raw = []
    for a, b in combinations(DEMSAR.values(), 2):
        d = np.round(np.subtract(a, b), 12)
        ranks = stats.rankdata(np.abs(d[d != 0]))
        sums = np.array(list(product((0, 1), repeat=len(ranks)))) @ ranks
        plus = ranks[d[d != 0] > 0].sum()
        raw.append(min(1.0, 2 * min((sums <= plus).mean(), (sums >= plus).mean())))
    assert [each.p_value for each in found.differences] == pytest.approx(raw)
    holm = multipletests(raw, method="holm")[1].tolist()
    assert [each.adjusted for each in found.differences] == pytest.approx(holm)
    assert [(each.a, each.b) for each in found.differences if (each.adjusted or 0) < 0.05] == [
        ("C4.5", "C4.5+m")
    ]
    assert found.winner is None


def test_models_that_are_not_told_apart_together_are_not_told_apart() -> None:
    generator = np.random.default_rng(1)
    noise = {name: generator.uniform(0.7, 0.8, 8) for name in "abc"}
    found = compared(noise, None)
    assert found.outcomes[1].p_value is not None
    assert found.outcomes[1].p_value > 0.05
    assert found.verdict.startswith("cannot tell: tested together, the models do not differ in auc")
    assert found.winner is None


def test_many_models_go_without_bergmann_hommel() -> None:
    generator = np.random.default_rng(2)
    found = compared({f"m{place}": generator.uniform(0.7, 0.9, 6) for place in range(11)}, None)
    assert set(found.to_dict()["ranks"]["pairs"][0]["p_adjusted"]) == {"holm", "shaffer"}
    assert len(found.differences) == 55
    left_out = "so it is left out above 9; --adjust bergmann_hommel takes up to 12."
    assert left_out in words(found)
    assert left_out not in words(compared())


def test_bergmann_hommel_of_many_models_is_there_when_asked_for() -> None:
    generator = np.random.default_rng(2)
    scores = {f"m{place}": generator.uniform(0.7, 0.9, 6) for place in range(10)}
    found = compared(scores, None, adjust="bergmann_hommel")
    assert "bergmann_hommel" in found.to_dict()["ranks"]["pairs"][0]["p_adjusted"]
    assert "it is left out above" not in words(found)


def test_every_pair_has_its_posterior() -> None:
    found = compared(rope=0.02)
    posteriors = found.to_dict()["posterior"]
    assert [(each["a"], each["b"]) for each in posteriors] == list(combinations(DEMSAR, 2))
    for each in posteriors:
        chances = each["worse"], each["equivalent"], each["better"]
        assert sum(chances) == pytest.approx(1)
        alone = compared({each["a"]: DEMSAR[each["a"]], each["b"]: DEMSAR[each["b"]]}, rope=0.02)
        (expected,) = alone.to_dict()["posterior"]
        # Of fewer draws: four standard errors of a share.
        assert chances == pytest.approx(
            (expected["worse"], expected["equivalent"], expected["better"]), abs=4 * math.sqrt(0.5 / 15_000)
        )
    assert "within 0.020" in words(found)


def test_no_difference_of_demsars_matters_when_the_region_is_wide_and_all_do_when_it_is_nothing() -> None:
    assert {each["equivalent"] for each in compared(rope=0.5).to_dict()["posterior"]} == {1.0}
    assert {each["equivalent"] for each in compared(rope=0).to_dict()["posterior"]} == {0.0}


def test_where_lower_is_better_so_it_is_for_every_pair() -> None:
    columns = {name: np.linspace(0.1, 0.2, 12) + add for name, add in (("a", 0), ("b", 0.1), ("c", 0.2))}
    found = compared(columns, None, metric="error_rate").to_dict()["posterior"]
    assert [each["better"] for each in found] == pytest.approx([1, 1, 1], abs=0.01)


def test_many_pairs_have_fewer_draws_and_very_many_no_bayesian_test() -> None:
    generator = np.random.default_rng(3)

    def of(models: int, data_sets: int) -> Comparison:
        return compared({f"m{at}": generator.uniform(0.7, 0.9, data_sets) for at in range(models)}, None)

    ten = of(10, 30)
    assert [each["counts"]["draws"] for each in ten.to_dict()["posterior"]] == [2000] * 45
    assert "signed-rank, 2,000 draws;" in words(ten)
    assert ten.notes == ()
    many = of(12, 160)
    assert "posterior" not in many.to_dict()
    assert "In practice" not in str(many)
    assert many.notes == (
        "the Bayesian test is left out: 66 pairs of models on 160 data sets would take it long. With fewer "
        "models it is made.",
    )


def test_what_so_many_data_sets_can_find_is_said_of_every_pair() -> None:
    found = compared()
    section = words(found).split("What so many data sets can find")[1]
    assert "So many data sets find a difference that large in 80 % of cases" in section
    z = stats.norm.ppf
    for each, reach in zip(found.differences, found.to_dict()["reach"], strict=True):
        assert each.low is not None
        assert each.high is not None
        smallest = (z(0.975) + z(0.8)) * (each.high - each.low) / 2 / z(0.975)
        assert reach["smallest_difference"] == pytest.approx(smallest)
        assert f"{each.a} {each.b} {smallest:.3f}" in section
    few = compared({name: column[:5] for name, column in DEMSAR.items()}, None)
    assert "What so many data sets can find" not in str(few)


def test_means_that_differ_by_noise_of_floats_share_their_rank() -> None:
    thirds = [(0.1 + 0.2 + 0.3) / 3, 0.2, 0.3, 0.4]
    found = compared({"a": thirds, "b": [0.2, 0.2, 0.3, 0.4], "c": [0.1, 0.1, 0.1, 0.1]}, None)
    assert found.to_dict()["ranks"]["nemenyi"]["ranks"] == [1.5, 1.5, 3.0]


# --- the folds of every data set --------------------------------------------------------------------


def test_with_folds_each_data_set_is_tested_by_itself() -> None:
    generator = np.random.default_rng(4)
    data = {
        name: {model: generator.normal(0.8, 0.01, 10) + add for model, add in (("a", 0.0), ("b", 0.1))}
        for name in "pqrstuv"
    }
    table = read_scores(data)
    found = compared(table.by_model(), table.data_sets, folds=table, baseline="b")
    form = found.to_dict()["experimenter"]
    assert form["baseline"] == "b"
    assert form["counts"] == {"a": {"better": 0, "same": 0, "worse": 7}}
    assert "Each data set by itself" in str(found)
    assert "(0/0/7)" in str(found)
    assert "a baseline is for scores fold by fold" in refused(TWO, NAMES, baseline="C4.5")


# --- the edges --------------------------------------------------------------------------------------


def test_few_data_sets_say_what_they_can_never_find() -> None:
    five = {"a": [0.9, 0.8, 0.7, 0.9, 0.8], "b": [0.8, 0.6, 0.4, 0.5, 0.3]}
    found = compared(five, None)
    assert found["auc"].p_value == 2 / 2**5
    assert "5 data sets are too few for p below 0.05; it takes 6 at least." in found.verdict
    assert "(no interval: 5 data sets are too few for 95 %)" in found.verdict
    assert found.to_dict()["reach"][0]["smallest_difference"] is None
    # One-sided, 5 data sets are enough: 1/32.
    assert compared(five, None, alternative="greater").winner == "a"


def test_few_data_sets_are_fewer_still_for_many_pairs() -> None:
    """With 7 data sets no p-value is below 2 / 2**7, and 6 pairs make that 0.094; with 8 it is 0.047."""
    for size, told in ((7, False), (8, True)):
        columns = {
            f"m{place}": 0.1 * place + np.linspace(0.01, 0.09, size) * (1 + place) for place in range(4)
        }
        found = compared(columns, None)
        assert min(each.adjusted or 0 for each in found.differences) == pytest.approx(6 * 2 / 2**size)
        assert (found.winner == "m3") is told
        few = "7 data sets are too few for p below 0.05 after adjusting for 6 pairs; it takes 8 at least."
        assert (few in found.verdict) is not told


def test_models_that_never_differ_have_p_one() -> None:
    found = compared({"a": C45, "b": C45})
    assert found["auc"].p_value == 1
    assert found.winner is None
    same = compared({"a": C45, "b": C45, "c": C45})
    assert same.outcomes[0].p_value == 1
    assert same.winner is None


@pytest.mark.parametrize(
    ("table", "names", "options", "said"),
    [
        ({"a": [0.5], "b": [0.6]}, None, {}, "one data set says nothing of others"),
        (
            {"a": [0.5, 0.6], "b": [0.6, 0.7]},
            ["x"],
            {},
            "there are 1 data sets, and every model has 2 scores.",
        ),
        ({"a": [0.5, 0.6], "b": [0.6, 0.7]}, ["x", "x"], {}, "data set 'x' is there twice"),
        ({"a": [0.5, 0.6]}, None, {}, "a comparison needs two models or more; got only 'a'."),
        ({"a": [0.5, 0.6], "b": [0.5]}, None, {}, "they belong together data set by data set"),
        ({"a": [50, 60], "b": [55, 65]}, None, {}, "auc lies between 0 and 1; 'a' has 50."),
        ({"a": [0.5, 0.6], "b": [0.5, 0.7]}, None, {"rope": -0.1}, "rope must be 0 or more; got -0.1."),
        ({"a": [0.5, 0.6], "b": [0.5, 0.7]}, None, {"margin": 0}, "a margin is a number above 0"),
    ],
)
def test_refusals(table: Any, names: Any, options: Any, said: str) -> None:
    assert said in refused(table, names, **options)


@pytest.mark.parametrize("table", [TWO, DEMSAR, {"a": C45, "b": C45}, {"a": [0.5, 0.6], "b": [0.4, 0.7]}])
def test_every_output_is_made(table: Any) -> None:
    found = compared(table, None)
    assert json.loads(found.to_json())["design"] == "many data sets"
    assert "Data sets" in str(found)
    assert found.table("pandas").shape[0] == len(found.differences)
    for kind in found.detail.figures():
        assert found.figure(kind).panels
    first = next(iter(found.detail.figures()))
    assert first == ("critical-difference" if len(table) > 2 else "differences")
