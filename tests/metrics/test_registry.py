from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tallymark.errors import MetricError
from tallymark.metrics import ALIASES, AVERAGES, METRICS, SCORE_METRICS, SET_METRICS, Asked, ask
from tallymark.metrics.registry import ratio, resolve, root

# The count-based names of the interface contract.
CANONICAL = [
    "accuracy",
    "error_rate",
    "balanced_accuracy",
    "precision",
    "recall",
    "specificity",
    "npv",
    "fpr",
    "fnr",
    "fdr",
    "false_omission_rate",
    "f1",
    "f_beta",
    "weighted_accuracy",
    "jaccard",
    "mcc",
    "kappa",
    "informedness",
    "markedness",
    "lr_plus",
    "lr_minus",
    "diagnostic_odds_ratio",
    "g_mean",
    "prevalence",
    "predicted_positive_rate",
    "no_information_rate",
    "total_cost",
    "mean_cost",
]


@pytest.mark.parametrize("name", CANONICAL)
def test_every_canonical_name_is_there(name: str) -> None:
    assert METRICS[name].name == name


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("ppv", "precision"),
        ("sensitivity", "recall"),
        ("tpr", "recall"),
        ("tnr", "specificity"),
        ("youden", "informedness"),
    ],
)
def test_aliases_of_the_contract(alias: str, name: str) -> None:
    assert ask(alias).metric is METRICS[name]
    assert ask(alias).name == name


def test_an_alias_means_one_metric_and_hides_none() -> None:
    metrics = {**METRICS, **SET_METRICS, **SCORE_METRICS}
    every = [alias for metric in metrics.values() for alias in metric.aliases]
    assert len(every) == len(set(every)) == len(ALIASES)
    assert not set(every) & set(metrics)
    for alias in every:
        assert alias in metrics[ALIASES[alias]].aliases


@pytest.mark.parametrize("name", METRICS)
def test_facts_fit_each_other(name: str) -> None:
    metric = METRICS[name]
    low, high = metric.range
    assert low < high
    assert metric.meaning.endswith(".")
    assert metric.reference
    if metric.swap is not None:
        partner = METRICS[metric.swap]
        assert partner.swap == name
        assert (partner.range, partner.better, partner.prevalence_free) == (
            metric.range,
            metric.better,
            metric.prevalence_free,
        )
    assert (metric.interval == "wilson") == (metric.share is not None)
    for cell in metric.towards:
        assert cell in ("C(+|+)", "C(-|+)", "C(+|-)", "C(-|-)")


# --- asking ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "metric", "parameters", "average"),
    [
        ("recall", "recall", (), None),
        ("  recall ", "recall", (), None),
        ("f_beta:2", "f_beta", (2.0,), None),
        ("f_beta:0.5", "f_beta", (0.5,), None),
        ("weighted_accuracy:2,1,1,0", "weighted_accuracy", (2.0, 1.0, 1.0, 0.0), None),
        ("weighted_accuracy:2, 1, 1, 0", "weighted_accuracy", (2.0, 1.0, 1.0, 0.0), None),
        ("precision_macro", "precision", (), "macro"),
        ("ppv_micro", "precision", (), "micro"),
        ("recall_weighted", "recall", (), "weighted"),
        ("f_beta_macro:2", "f_beta", (2.0,), "macro"),
        ("weighted_accuracy_weighted:1,1,1,1", "weighted_accuracy", (1.0, 1.0, 1.0, 1.0), "weighted"),
        ("mcc_macro", "mcc", (), "macro"),
        ("cohen_kappa_weighted", "kappa", (), "weighted"),
        ("bac_micro", "balanced_accuracy", (), "micro"),
    ],
)
def test_names_are_read(name: str, metric: str, parameters: tuple[float, ...], average: str | None) -> None:
    asked = ask(name)
    assert (asked.metric.name, asked.parameters, asked.average) == (metric, parameters, average)


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("tpr", "recall"),
        ("ppv_macro", "precision_macro"),
        ("f_beta:2.0", "f_beta:2"),
        ("f_beta_macro:0.50", "f_beta_macro:0.5"),
        ("weighted_accuracy:2,1,1,0", "weighted_accuracy:2,1,1,0"),
    ],
)
def test_names_are_printed_in_one_way(name: str, printed: str) -> None:
    assert ask(name).name == printed


@pytest.mark.parametrize(
    "asked",
    [
        Asked(metric, (0.25,) * len(metric.parameters), average)
        for metric in METRICS.values()
        for average in (None, *AVERAGES)
        if average is None or not metric.needs_costs
    ],
    ids=lambda asked: asked.name,
)
def test_a_printed_name_asks_for_the_same(asked: Asked) -> None:
    assert ask(asked.name) == asked


@pytest.mark.parametrize("beta", ["0.1234567", "1234567", "0.30000000000000004"])
def test_a_printed_name_keeps_every_digit(beta: str) -> None:
    """Two metrics of one name would share what is kept by name."""
    asked = ask(f"f_beta:{beta}")
    assert ask(asked.name) == asked


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("recal", "no metric is called 'recal'."),
        ("", "no metric is called ''."),
        ("_macro", "no metric is called '_macro'."),
        ("recall_mean", "no metric is called 'recall_mean'."),
        ("precision_macro_micro", "no metric is called 'precision_macro_micro'."),
        ("total_cost_macro", "'total_cost' is about all classes, so it has no macro average."),
        ("cost_weighted", "'total_cost' is about all classes, so it has no weighted average."),
        ("mean_cost_micro", "'mean_cost' is about all classes, so it has no micro average."),
        ("f_beta", "expected f_beta:BETA with numbers from 0 to 1e9, got 'f_beta'."),
        ("f_beta:", "expected f_beta:BETA with numbers from 0 to 1e9, got 'f_beta:'."),
        ("f_beta:x", "expected f_beta:BETA with numbers from 0 to 1e9, got 'f_beta:x'."),
        ("f_beta:-1", "expected f_beta:BETA with numbers from 0 to 1e9, got 'f_beta:-1'."),
        ("f_beta:nan", "expected f_beta:BETA with numbers from 0 to 1e9, got 'f_beta:nan'."),
        ("f_beta:inf", "expected f_beta:BETA with numbers from 0 to 1e9, got 'f_beta:inf'."),
        ("f_beta:1,2", "expected f_beta:BETA with numbers from 0 to 1e9, got 'f_beta:1,2'."),
        (
            "weighted_accuracy:1,2,3",
            "expected weighted_accuracy:W1,W2,W3,W4 with numbers from 0 to 1e9, "
            "got 'weighted_accuracy:1,2,3'.",
        ),
    ],
)
def test_bad_names_are_refused(name: str, message: str) -> None:
    with pytest.raises(MetricError) as caught:
        ask(name)
    assert caught.value.message == message


def test_all_numbers_but_costs_have_averages() -> None:
    assert {name for name, metric in METRICS.items() if metric.needs_costs} == {"total_cost", "mean_cost"}


@pytest.mark.parametrize("name", [0, 1.5, None, True, b"recall", ["recall"]], ids=repr)
def test_a_metric_is_asked_for_by_name(name: Any) -> None:
    with pytest.raises(MetricError) as caught:
        ask(name)
    assert caught.value.message == f"a metric is asked for by its name; got {name!r}."


@pytest.mark.parametrize(
    ("name", "printed", "parameters"),
    [
        ("f_beta", "f_beta", ()),
        ("f_beta_macro", "f_beta_macro", ()),
        ("weighted_accuracy", "weighted_accuracy", ()),
        ("f_beta:2", "f_beta:2", (2.0,)),
        ("tpr", "recall", ()),
    ],
)
def test_in_general_a_metric_may_be_named_without_its_parameters(
    name: str, printed: str, parameters: tuple[float, ...]
) -> None:
    asked = ask(name, general=True)
    assert (asked.name, asked.parameters) == (printed, parameters)


@pytest.mark.parametrize("name", ["f_beta:x", "f_beta:1,2", "weighted_accuracy:1", "recall:3", "recal"])
def test_in_general_bad_names_and_parameters_are_refused_all_the_same(name: str) -> None:
    with pytest.raises(MetricError) as general:
        ask(name, general=True)
    with pytest.raises(MetricError) as usual:
        ask(name)
    assert str(general.value) == str(usual.value)


def test_a_parameter_for_a_metric_without_one_is_refused() -> None:
    with pytest.raises(MetricError) as caught:
        ask("recall:3")
    assert "recall:3" in caught.value.message
    assert "numbers from 0 up" not in caught.value.message


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("recal", "recall"),
        ("precison", "precision"),
        ("sensitivty", "sensitivity"),
        ("f1_marco", "f1_macro"),
        ("kapa", "kappa"),
        ("f_betta:2", "f_beta"),
        ("mcc_marco", "mcc_macro"),
        ("kapa_weighted", "kappa_weighted"),
    ],
)
def test_near_names_are_suggested(name: str, near: str) -> None:
    with pytest.raises(MetricError) as caught:
        ask(name)
    assert caught.value.hint is not None
    assert near in caught.value.hint.removeprefix("did you mean ").partition("?")[0].split(" or ")


# A laxer search takes `cost_matrix` for mean_cost_macro.
@pytest.mark.parametrize("name", ["", "xyz", "f2", "cost_matrix"])
def test_without_a_near_name_the_list_is_pointed_to(name: str) -> None:
    with pytest.raises(MetricError) as caught:
        ask(name)
    assert caught.value.hint == "`tallymark metrics` lists them all."


def test_a_parameter_may_have_a_default() -> None:
    assert (ask("ece").parameters, ask("ece").name) == ((10.0,), "ece")
    assert (ask("ece:10").name, ask("ece:15").name) == ("ece", "ece:15")
    assert ask("expected_calibration_error:15") == ask("ece:15")
    assert ask("ece").metric.plain
    assert not ask("top_k_accuracy:3").metric.plain


@pytest.mark.parametrize("name", ["ece:0", "mce:1.5", "ece:-1", "top_k_accuracy:0", "top_k_accuracy:x"])
def test_bins_and_places_are_whole_numbers(name: str) -> None:
    with pytest.raises(MetricError, match="with a whole number from 1 up"):
        ask(name)


def test_a_metric_error_is_a_key_error_that_prints_plainly() -> None:
    with pytest.raises(KeyError) as caught:
        ask("recal")
    assert str(caught.value).startswith("no metric is called 'recal'. Hint: did you mean recall")


def test_resolve_knows_names_and_aliases_only() -> None:
    assert resolve("ppv") is resolve("precision") is METRICS["precision"]
    assert resolve("precision_macro") is None


# --- arithmetic -----------------------------------------------------------------------------------


def test_ratio_of_numbers() -> None:
    assert ratio(1, 4) == 0.25
    assert type(ratio(np.int64(1), np.int64(4))) is float
    assert math.isnan(ratio(0, 0))
    assert math.isnan(ratio(5, 0))
    assert ratio(10**400, 2 * 10**400) == 0.5


def test_ratio_of_arrays() -> None:
    result = ratio(np.array([1, 0, 5, 3]), np.array([4, 0, 0, -2]))
    np.testing.assert_array_equal(result, [0.25, math.nan, math.nan, -1.5])
    np.testing.assert_array_equal(ratio(1, np.array([2, 0])), [0.5, math.nan])
    np.testing.assert_array_equal(ratio(np.array([2, 0]), 4), [0.5, 0])


def test_root() -> None:
    assert root(9) == 3
    np.testing.assert_array_equal(root(np.array([9.0, math.nan])), [3, math.nan])
