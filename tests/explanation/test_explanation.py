"""Explanations: hand-worked texts, and laws over the whole registry."""

from __future__ import annotations

import json
import math
import re
from functools import cache

import numpy as np
import pytest

from tallymark.drawing.escape import cells
from tallymark.explanation import Explanation, Step, explain, filled
from tallymark.inference import Estimate, Sample
from tallymark.metrics import AVERAGES, METRICS, Asked, ask
from tallymark.tallies import Confusion

SPAM = [[282, 75], [462, 4841]]
LAND = [[512, 12, 22], [2, 77, 13], [36, 59, 831]]
ODD = "<b>_%$"


def sample(matrix: list[list[int]], labels: list[str] | None = None, **options: object) -> Sample:
    return Sample(Confusion(matrix, labels=labels), **options)  # type: ignore[arg-type]


def lines(steps: tuple[Step, ...]) -> list[str]:
    return [step.text for step in steps]


# --- texts written by hand -------------------------------------------------------------------


def test_recall_step_by_step() -> None:
    explanation = explain(ask("recall"), sample(SPAM, ["malignant", "benign"]), 0)

    assert explanation.name == "recall"
    assert explanation.meaning == "Share of the actual positives that were found."
    assert lines(explanation.steps) == [
        "tp = 282, fn = 75, fp = 462, tn = 4841 (positive: 'malignant')",
        "recall = tp / (tp + fn)",
        "= 282 / (282 + 75)",
        "= 282 / 357",
        "= 0.7899",
    ]
    assert explanation.steps[1].latex == r"\mathrm{recall} = \frac{\mathit{TP}}{\mathit{TP} + \mathit{FN}}"
    assert explanation.steps[3].latex == r"= \frac{282}{357}"
    assert explanation.facts == (
        "from 0 to 1, higher is better",
        "undefined when tp + fn = 0: no row is actually positive",
        "biased towards C(+|+), C(-|+) of the cost matrix C(predicted | actual)",
        "stays the same when only the class shares change",
        "interval: Wilson score interval of a share of rows",
        "also called sensitivity, tpr, true_positive_rate, hit_rate",
        "reference: Tan, Steinbach & Kumar, Introduction to Data Mining, ch. 4",
    )


def test_text_puts_equal_signs_under_each_other() -> None:
    text = str(explain(ask("recall"), sample(SPAM, ["malignant", "benign"]), 0))

    assert text.startswith(
        "recall: Share of the actual positives that were found.\n"
        "\n"
        "  tp = 282, fn = 75, fp = 462, tn = 4841 (positive: 'malignant')\n"
        "  recall = tp / (tp + fn)\n"
        "         = 282 / (282 + 75)\n"
        "         = 282 / 357\n"
        "         = 0.7899\n"
        "\n"
        "  95 % Wilson score interval, in which acc stands for recall\n"
    )
    assert "\n\n- from 0 to 1, higher is better\n" in text


def test_metrics_in_a_formula_are_worked_out_first() -> None:
    explanation = explain(ask("informedness"), sample(SPAM, ["+", "-"]), 0)

    assert lines(explanation.steps) == [
        "tp = 282, fn = 75, fp = 462, tn = 4841 (positive: '+')",
        "recall = tp / (tp + fn)",
        "= 282 / (282 + 75)",
        "= 282 / 357",
        "= 0.7899",
        "specificity = tn / (fp + tn)",
        "= 4841 / (462 + 4841)",
        "= 4841 / 5303",
        "= 0.9129",
        "informedness = recall + specificity - 1",
        "= 0.7899 + 0.9129 - 1",
        "= 0.7028",
    ]


def test_parameters_are_shown() -> None:
    explanation = explain(ask("f_beta:2"), sample(SPAM, ["+", "-"]), 0)

    assert explanation.name == "f_beta:2"
    # (1 + 4) * 282 = 1410; 1410 + 4 * 75 + 462 = 2172
    assert lines(explanation.steps)[1:] == [
        "beta = 2",
        "f_beta = (1 + beta**2) * tp / ((1 + beta**2) * tp + beta**2 * fn + fp)",
        "= (1 + 2**2) * 282 / ((1 + 2**2) * 282 + 2**2 * 75 + 462)",
        "= 1410 / 2172",
        "= 0.6492",
    ]
    assert explanation.steps[1].latex == r"\beta = 2"


def test_kappa_of_two_classes_uses_the_binary_formula_and_works_out_chance() -> None:
    # 190 * 210 + 310 * 290 = 129800; (500 * 400 - 129800) / (250000 - 129800) = 70200 / 120200
    explanation = explain(ask("kappa"), sample([[150, 40], [60, 250]], ["+", "-"]), 0)

    assert lines(explanation.steps) == [
        "tp = 150, fn = 40, fp = 60, tn = 250 (positive: '+')",
        "n = tp + fn + fp + tn = 150 + 40 + 60 + 250 = 500",
        "chance = (tp + fn) * (tp + fp) + (fp + tn) * (fn + tn)",
        "= (150 + 40) * (150 + 60) + (60 + 250) * (40 + 250)",
        "= 129800",
        "kappa = (n * (tp + tn) - chance) / (n**2 - chance)",
        "= (500 * (150 + 250) - 129800) / (500**2 - 129800)",
        "= 70200 / 120200",
        "= 0.584",
    ]


def test_accuracy_of_several_classes_lists_what_it_adds_up() -> None:
    assert lines(explain(ask("accuracy"), sample(LAND, ["a", "b", "c"])).steps) == [
        "classes k: 'a', 'b', 'c'",
        "hits_k: 512, 77, 831",
        "n = 1564",
        "accuracy = sum(hits_k) / n",
        "= (512 + 77 + 831) / 1564",
        "= 1420 / 1564",
        "= 0.9079",
    ]


def test_one_class_of_several_is_said_to_stand_against_the_rest() -> None:
    first = explain(ask("precision"), sample(LAND, ["a", "b", "c"]), 1).steps[0]

    # 1564 - 92 actual - 148 predicted + 77 both = 1401
    assert first.text == "tp = 77, fn = 15, fp = 71, tn = 1401 (positive: 'b' against the rest)"


# --- averages --------------------------------------------------------------------------------


def test_macro_precision_of_the_source_example() -> None:
    explanation = explain(ask("precision_macro"), sample(LAND, ["a", "b", "c"]))

    assert explanation.value == pytest.approx((512 / 550 + 77 / 148 + 831 / 866) / 3)
    assert explanation.meaning == (
        "Share of the predicted positives that are positive; mean over the classes, each counting the same."
    )
    assert lines(explanation.steps) == [
        "precision of 'a' = 512 / 550 = 0.9309",
        "precision of 'b' = 77 / 148 = 0.5203",
        "precision of 'c' = 831 / 866 = 0.9596",
        "precision_macro = sum(precision_k) / K",
        "= (0.9309 + 0.5203 + 0.9596) / 3",
        "= 2.4108 / 3",
        "= 0.8036",
    ]
    assert explanation.steps[0].latex == r"\mathrm{precision}\text{ of 'a'} = \frac{512}{550} = 0.9309"


def test_weighted_average_shows_the_supports() -> None:
    assert lines(explain(ask("recall_weighted"), sample(LAND, ["a", "b", "c"])).steps)[3:] == [
        "recall_weighted = sum(actual_k * recall_k) / sum(actual_k)",
        "= (546 * 0.9377 + 92 * 0.837 + 926 * 0.8974) / (546 + 92 + 926)",
        "= 1420 / 1564",
        "= 0.9079",
    ]


def test_micro_average_pools_the_counts() -> None:
    assert lines(explain(ask("precision_micro"), sample(LAND, ["a", "b", "c"])).steps) == [
        "the counts of every class against its rest, added up",
        "tp = sum(tp_k) = 512 + 77 + 831 = 1420",
        "fn = sum(fn_k) = 34 + 15 + 95 = 144",
        "fp = sum(fp_k) = 38 + 71 + 35 = 144",
        "tn = sum(tn_k) = 980 + 1401 + 603 = 2984",
        "precision_micro = tp / (tp + fp)",
        "= 1420 / (1420 + 144)",
        "= 1420 / 1564",
        "= 0.9079",
    ]


def test_macro_mcc_is_the_mean_of_the_classes_against_their_rests() -> None:
    explanation = explain(ask("mcc_macro"), sample([[4, 1, 0], [0, 3, 2], [1, 0, 4]], ["a", "b", "c"]))

    # a: tp 4, fn 1, fp 1, tn 9: (36 - 1) / sqrt(5 * 5 * 10 * 10) = 35 / 50
    # b: tp 3, fn 2, fp 1, tn 9: (27 - 2) / sqrt(4 * 5 * 10 * 11) = 25 / 46.9042
    # c: tp 4, fn 1, fp 2, tn 8: (32 - 2) / sqrt(6 * 5 * 10 * 9) = 30 / 51.9615
    assert lines(explanation.steps) == [
        "mcc of 'a' = 35 / 50 = 0.7",
        "mcc of 'b' = 25 / 46.9042 = 0.533",
        "mcc of 'c' = 30 / 51.9615 = 0.5774",
        "mcc_macro = sum(mcc_k) / K",
        "= (0.7 + 0.533 + 0.5774) / 3",
        "= 1.8104 / 3",
        "= 0.6035",
    ]
    assert lines(explain(ask("mcc_macro")).steps)[:3] == [
        "mcc_macro = sum(mcc_k) / K",
        "mcc_k = (tp * tn - fp * fn) / sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))",
        "in each of them class k is the positive one and all others are negative",
    ]
    assert not any("for K classes" in text for text in (*lines(explanation.steps), *explanation.facts))


def test_kappa_of_a_class_is_worked_out_with_its_own_chance() -> None:
    # a: chance = 5 * 5 + 10 * 10 = 125; (15 * 13 - 125) / (225 - 125) = 70 / 100
    explanation = explain(ask("kappa_macro"), sample([[4, 1, 0], [0, 3, 2], [1, 0, 4]], ["a", "b", "c"]))

    assert lines(explanation.steps)[0] == "kappa of 'a' = 70 / 100 = 0.7"


def test_the_interval_of_an_average_is_described_as_it_is_made() -> None:
    for name, words in {
        "recall_weighted": "interval: Wilson score interval of the accuracy, which it is equal to",
        "mcc_micro": "interval: Wilson score interval of the accuracy, carried over",
        "prevalence_micro": "no interval: it is the same whatever the answers",
        "no_information_rate_micro": "no interval: it is the same whatever the answers",
        "kappa_weighted": "interval: Dirichlet draws over the cells",
    }.items():
        explanation = explain(ask(name), sample(LAND))
        assert words in explanation.facts
        method = {"Wilson": "Wilson", "Dirichlet": "Dirichlet"}.get(words.split()[1], "no interval")
        assert method in explanation.interval[0].text


def test_undefined_classes_are_left_out_and_named() -> None:
    explanation = explain(ask("precision_macro"), sample([[5, 0, 2], [1, 0, 3], [0, 0, 9]], ["a", "b", "c"]))

    assert lines(explanation.steps) == [
        "precision of 'a' = 5 / 6 = 0.8333",
        "precision of 'b' = 0 / 0, undefined: nothing was predicted positive (tp + fp = 0)",
        "precision of 'c' = 9 / 14 = 0.6429",
        "undefined, so left out: 'b'",
        "precision_macro = sum(precision_k) / K",
        "= (0.8333 + 0.6429) / 2",
        "= 1.4762 / 2",
        "= 0.7381",
    ]


def test_undefined_classes_can_count_as_zero() -> None:
    counts = [[5, 0, 2], [1, 0, 3], [0, 0, 9]]
    explanation = explain(ask("precision_macro"), sample(counts, ["a", "b", "c"], undefined_as=0.0))

    assert "undefined, so counted as 0: 'b'" in lines(explanation.steps)
    assert lines(explanation.steps)[-3:] == ["= (0.8333 + 0 + 0.6429) / 3", "= 1.4762 / 3", "= 0.4921"]


def test_many_classes_are_not_all_listed() -> None:
    explanation = explain(ask("recall_macro"), sample((np.eye(20, dtype=int) * 3).tolist()))

    assert lines(explanation.steps)[10:15] == [
        "recall of 'class 11' = 3 / 3 = 1",
        "recall of 'class 12' = 3 / 3 = 1",
        "... and so on for all 20 classes",
        "recall_macro = sum(recall_k) / K",
        "= (1 + 1 + ... + 1) / 20",
    ]
    listed = explain(ask("accuracy"), sample((np.eye(20, dtype=int) * 3).tolist())).steps[1].text
    assert listed == "hits_k: 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, ..., 3"


# --- costs -----------------------------------------------------------------------------------


def test_total_cost_in_words_and_numbers() -> None:
    costs = np.array([[-1.0, 200.0], [20.0, 0.0]])
    explanation = explain(ask("total_cost"), sample(SPAM, ["spam", "mail"], costs=costs), 0)

    assert explanation.value == 23958
    assert lines(explanation.steps) == [
        "actual 'spam', called 'spam': count 282, cost -1",
        "actual 'spam', called 'mail': count 75, cost 200",
        "actual 'mail', called 'spam': count 462, cost 20",
        "actual 'mail', called 'mail': count 4841, cost 0",
        "total_cost = sum over the cells of count * cost",
        "= 282 * (-1) + 75 * 200 + 462 * 20 + 4841 * 0",
        "= 23958",
    ]


def test_mean_cost_divides_the_total() -> None:
    costs = np.array([[-1.0, 100.0], [1.0, 0.0]])
    explanation = explain(ask("mean_cost"), sample([[150, 40], [60, 250]], ["+", "-"], costs=costs))

    # -150 + 4000 + 60 = 3910
    assert lines(explanation.steps)[4:] == [
        "cost = sum over the cells of count * cost",
        "= 150 * (-1) + 40 * 100 + 60 * 1 + 250 * 0",
        "= 3910",
        "mean_cost = cost / n",
        "= 3910 / 500",
        "= 7.82",
    ]


def test_cost_follows_from_accuracy_when_right_and_wrong_have_one_price_each() -> None:
    # 400 right at -1 and 100 wrong at 5: -400 + 500 = 100
    costs = np.array([[-1.0, 5.0], [5.0, -1.0]])
    explanation = explain(ask("total_cost"), sample([[150, 40], [60, 250]], ["+", "-"], costs=costs), 0)

    assert lines(explanation.steps)[4:] == [
        "every right answer costs p = -1, every wrong one q = 5",
        "cost = n * (q - (q - p) * accuracy)",
        "= 500 * (5 - (5 - (-1)) * (400 / 500))",
        "= 100",
        "total_cost = sum over the cells of count * cost",
        "= 150 * (-1) + 40 * 5 + 60 * 5 + 250 * (-1)",
        "= 100",
    ]


def test_of_many_cost_terms_only_the_first_and_the_last_are_shown() -> None:
    costs = np.arange(16.0).reshape(4, 4)
    explanation = explain(ask("total_cost"), sample([[1] * 4] * 4, costs=costs))

    assert lines(explanation.steps)[-2:] == ["= 1 * 1 + 1 * 2 + 1 * 3 + ... + 1 * 15", "= 120"]
    assert lines(explanation.steps)[3] == "..."


def test_cost_terms_that_add_nothing_are_skipped_in_larger_tables() -> None:
    costs = np.array([[0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [7.0, 0.0, 0.0]])

    assert lines(explain(ask("total_cost"), sample(LAND, costs=costs)).steps)[-2:] == [
        "= 12 * 2 + 36 * 7",
        "= 276",
    ]


def test_cost_without_costs_is_undefined() -> None:
    explanation = explain(ask("mean_cost"), sample(SPAM))

    assert (explanation.value, explanation.why) == (None, "no costs were given")
    assert lines(explanation.steps)[-1] == "undefined: no costs were given"


# --- undefined -------------------------------------------------------------------------------


def test_undefined_shows_the_zero_denominator_and_why() -> None:
    explanation = explain(ask("recall"), sample([[0, 0], [2, 9]], ["a", "b"]), 0)

    assert explanation.value is None
    assert explanation.interval == ()
    assert lines(explanation.steps)[1:] == [
        "recall = tp / (tp + fn)",
        "= 0 / (0 + 0)",
        "= 0 / 0",
        "undefined: no row is actually positive (tp + fn = 0)",
    ]


def test_an_undefined_part_is_carried_into_the_formula() -> None:
    explanation = explain(ask("informedness"), sample([[0, 0], [2, 9]], ["a", "b"]), 1)

    assert lines(explanation.steps)[5:] == [
        "specificity = tn / (fp + tn)",
        "= 0 / (0 + 0)",
        "= 0 / 0",
        "= undefined",
        "informedness = recall + specificity - 1",
        "= 0.8182 + undefined - 1",
        "undefined: no row is actually negative (fp + tn = 0)",
    ]


def test_balanced_accuracy_of_two_classes_that_both_occur() -> None:
    explanation = explain(ask("balanced_accuracy"), sample(SPAM, ["+", "-"]), 0)

    assert lines(explanation.steps)[-4:] == [
        "balanced_accuracy = (recall + specificity) / 2",
        "= (0.7899 + 0.9129) / 2",
        "= 1.7028 / 2",
        "= 0.8514",
    ]


@pytest.mark.parametrize("position", [None, 0, 1])
def test_balanced_accuracy_leaves_out_a_class_that_does_not_occur(position: int | None) -> None:
    given = sample([[0, 0], [2, 9]], ["a", "b"])
    explanation = explain(ask("balanced_accuracy"), given, position)

    assert explanation.value == given.of_table(ask("balanced_accuracy")).value == 9 / 11
    assert lines(explanation.steps) == [
        "recall of 'a' = 0 / 0, undefined: no row is actually positive (tp + fn = 0)",
        "recall of 'b' = 9 / 11 = 0.8182",
        "undefined, so left out: 'a'",
        "balanced_accuracy = sum(recall_k) / K",
        "= 0.8182 / 1",
        "= 0.8182",
    ]
    assert "classes without rows are left out and named, unless told otherwise" in explanation.facts


def test_balanced_accuracy_can_count_such_a_class_as_zero() -> None:
    given = sample([[0, 0], [2, 9]], ["a", "b"], undefined_as=0.0)

    assert lines(explain(ask("balanced_accuracy"), given, 1).steps)[2:] == [
        "undefined, so counted as 0: 'a'",
        "balanced_accuracy = sum(recall_k) / K",
        "= (0 + 0.8182) / 2",
        "= 0.8182 / 2",
        "= 0.4091",
    ]


def test_a_class_metric_without_a_positive_class_says_so() -> None:
    explanation = explain(ask("recall"), sample(SPAM))

    assert explanation.why == "name the positive class"
    assert lines(explanation.steps)[0] == "recall = tp / (tp + fn)"
    assert lines(explanation.steps)[-1] == "undefined: name the positive class"


# --- without counts --------------------------------------------------------------------------


def test_general_formula_defines_its_words() -> None:
    explanation = explain(ask("lr_plus"))

    assert (explanation.value, explanation.why, explanation.interval) == (None, None, ())
    assert lines(explanation.steps) == [
        "lr_plus = recall / fpr",
        "recall = tp / (tp + fn)",
        "fpr = fp / (fp + tn)",
        "tp: actual positive, called positive",
        "fn: actual positive, called negative",
        "fp: actual negative, called positive",
        "tn: actual negative, called negative",
    ]


def test_general_formula_for_several_classes() -> None:
    assert lines(explain(ask("error_rate")).steps) == [
        "error_rate = (fp + fn) / n",
        "error_rate = 1 - sum(hits_k) / n (for K classes)",
        "fp: actual negative, called positive",
        "fn: actual positive, called negative",
        "n: all rows",
        "hits_k: rows of class k that were called class k",
    ]


def test_general_averages() -> None:
    assert lines(explain(ask("precision_weighted")).steps)[:2] == [
        "precision_weighted = sum(actual_k * precision_k) / sum(actual_k)",
        "precision_k = tp / (tp + fp)",
    ]
    micro = explain(ask("precision_micro"))
    assert lines(micro.steps)[0] == "tp = sum(tp_k)"
    assert "also called ppv_micro, positive_predictive_value_micro" in micro.facts


@pytest.mark.parametrize("name", ["f_beta", "weighted_accuracy", "f_beta_macro", "weighted_accuracy_micro"])
def test_parameters_may_stay_letters_in_general(name: str) -> None:
    explanation = explain(ask(name, general=True))

    check_latex(explanation)
    check_width(explanation)
    assert explanation.name == name
    stem = explanation.name.removesuffix("_macro").removesuffix("_micro")
    for letter in METRICS[stem].parameters:
        assert any(text.startswith(f"{letter}: ") for text in lines(explanation.steps))
        assert not any(text.startswith(f"{letter} = ") for text in lines(explanation.steps))


# --- intervals -------------------------------------------------------------------------------


def test_wilson_of_80_in_100() -> None:
    # Tan, Steinbach & Kumar, section on comparing classifiers: 0.711 to 0.867
    explanation = explain(ask("recall"), sample([[80, 20], [3, 97]], ["+", "-"]), 0)

    assert "N = 100, acc = 80 / 100 = 0.8" in explanation.interval[2].text
    low, high = ends(explanation)
    assert (round(low, 3), round(high, 3)) == (0.711, 0.867)


def test_wilson_of_accuracy_uses_all_rows() -> None:
    explanation = explain(ask("accuracy"), sample(LAND))

    assert explanation.interval[0].text == "95 % Wilson score interval"
    assert explanation.interval[2].text.startswith("N = 1564, acc = 1420 / 1564 = 0.90793")


def test_f1_carries_the_interval_of_jaccard_over() -> None:
    explanation = explain(ask("f1"), sample([[80, 12], [8, 97]], ["+", "-"]), 0)

    # tp = 80 of tp + fp + fn = 100, so J runs from 0.7112 to 0.8666; F = 2 J / (1 + J).
    assert lines(explanation.interval)[-3:] == [
        "low = 2 * J / (1 + J) = 2 * 0.7112 / (1 + 0.7112) = 0.8312",
        "high = 2 * J / (1 + J) = 2 * 0.8666 / (1 + 0.8666) = 0.9286",
        "low = 0.8312, high = 0.9286",
    ]


def test_micro_average_carries_the_interval_of_accuracy_over() -> None:
    explanation = explain(ask("fpr_micro"), sample([[40, 10, 0], [5, 25, 0], [5, 0, 15]]))

    # 80 of 100 right: 0.71117 to 0.86663. With three classes fpr_micro = (1 - accuracy) / 2.
    assert lines(explanation.interval)[-3:] == [
        "at an accuracy of 0.7112: fpr_micro = 0.1444",
        "at an accuracy of 0.8666: fpr_micro = 0.06668",
        "low = 0.06668, high = 0.1444",
    ]


def test_log_scale_interval_of_the_odds_ratio() -> None:
    # ratio = 20 * 40 / (10 * 5) = 16; variance = 0.05 + 0.2 + 0.1 + 0.025 = 0.375
    # ln 16 = 2.7726; half = 1.95996 * 0.612372 = 1.2002; exp(1.5724) = 4.818, exp(3.9728) = 53.13
    explanation = explain(ask("diagnostic_odds_ratio"), sample([[20, 5], [10, 40]], ["+", "-"]), 0)

    assert lines(explanation.interval)[:5] == [
        "95 % interval on the log scale",
        "ratio = tp * tn / (fp * fn) = 20 * 40 / (10 * 5) = 16",
        "variance = 1 / tp + 1 / fn + 1 / fp + 1 / tn = 1 / 20 + 1 / 5 + 1 / 10 + 1 / 40 = 0.375",
        "centre = ln(ratio) = ln(16) = 2.7726",
        "half = z * sqrt(variance) = 1.96 * sqrt(0.375) = 1.2002",
    ]
    assert explanation.interval[3].latex == (
        r"\mathrm{centre} = \ln\left(\mathrm{ratio}\right) = \ln\left(16\right) = 2.7726"
    )
    low, high = ends(explanation)
    assert low == pytest.approx(4.818, abs=0.005)
    assert high == pytest.approx(53.13, abs=0.05)


def test_log_scale_with_an_empty_cell_adds_a_half_and_keeps_the_value_inside() -> None:
    explanation = explain(ask("lr_plus"), sample([[0, 5], [2, 9]], ["+", "-"]), 0)

    assert lines(explanation.interval)[1:4] == [
        "a count is 0, so 0.5 is added to each (Haldane 1956)",
        "tp = 0.5, fn = 5.5, fp = 2.5, tn = 9.5",
        # (0.5 / 6) / (2.5 / 12) = 0.4
        "ratio = tp / (tp + fn) / (fp / (fp + tn)) = 0.5 / (0.5 + 5.5) / (2.5 / (2.5 + 9.5)) = 0.4",
    ]
    assert lines(explanation.interval)[-2] == "widened so that it holds the value itself"
    assert ends(explanation)[0] == 0 == explanation.value


@pytest.mark.parametrize(
    ("name", "position", "cells"), [("mcc", None, 9), ("f_beta:2", 1, 4), ("recall_macro", None, 9)]
)
def test_draws_are_described(name: str, position: int | None, cells: int) -> None:
    explanation = explain(ask(name), sample(LAND), position)

    moved = "moved back by twice their bias: their mean less the value of the mean table"
    assert lines(explanation.interval)[:-1] == [
        "95 % interval from Dirichlet draws over the cells",
        "10000 tables were drawn, all plausible given these counts: from a Dirichlet",
        f"distribution over the {cells} cells, each with its count plus 2 / {cells}",
        "low and high hold the middle 95 % of the values",
        *([] if position is not None else [moved]),
    ]


def test_draws_of_two_classes_are_not_moved() -> None:
    explanation = explain(ask("mcc"), sample(SPAM))

    assert lines(explanation.interval)[2:-1] == [
        "distribution over the 4 cells, each with its count plus 2 / 4",
        "low and high hold the middle 95 % of the values",
    ]


def test_above_20_classes_only_seen_cells_are_drawn() -> None:
    # 25 cells of the diagonal, 24 beside it.
    matrix = np.eye(25, dtype=int) * 5 + np.eye(25, k=1, dtype=int) * 2
    explanation = explain(ask("mcc"), Sample(Confusion(matrix), level=0.9))

    assert lines(explanation.interval)[:-1] == [
        "90 % interval from Dirichlet draws over the cells",
        "10000 tables were drawn, all plausible given these counts: from a Dirichlet",
        "distribution over the 49 cells that are not empty, each with its count",
        "low and high hold the middle 90 % of the values",
        "moved back by twice their bias: their mean less the value of the mean table",
    ]


def test_one_class_of_more_than_20_is_drawn_from_its_four_cells() -> None:
    matrix = np.eye(25, dtype=int) * 5 + np.eye(25, k=1, dtype=int) * 2
    explanation = explain(ask("f_beta:2"), Sample(Confusion(matrix)), 3)

    assert lines(explanation.interval)[1:-1] == [
        "2000 tables were drawn, all plausible given these counts: from a Dirichlet",
        "distribution over the 4 cells, each with its count plus 2 / 4",
        "low and high hold the middle 95 % of the values",
    ]


def test_few_draws_of_a_very_large_table_are_described() -> None:
    # 120 x 120 cells, all seen: 20 million numbers are enough for 1388 tables of them.
    explanation = explain(ask("kappa"), sample((np.eye(120, dtype=int) * 500 + 1).tolist()))

    assert lines(explanation.interval)[1:-1] == [
        "1388 tables were drawn, all plausible given these counts: from a Dirichlet",
        "distribution over the 14400 cells that are not empty, each with its count",
        "low and high are the value -+ z = 1.96 deviations of the drawn values",
        "moved back by their bias: their mean less the value of the mean table",
    ]


def test_no_errors_above_20_classes_means_no_draws() -> None:
    explanation = explain(ask("kappa"), Sample(Confusion(np.eye(21, dtype=int) * 5)))

    assert lines(explanation.interval) == [
        "no interval: the draws show no spread: what was never seen cannot be drawn"
    ]


def test_no_interval_says_why() -> None:
    explanation = explain(ask("no_information_rate"), sample(LAND))

    assert lines(explanation.interval) == [
        "no interval: the largest of several shares has no honest interval"
    ]


def test_narrow_intervals_keep_their_ends_apart() -> None:
    explanation = explain(ask("accuracy"), sample([[10**11, 1], [1, 10**11]]))

    low, high = ends(explanation)
    assert low < high


def test_a_value_near_one_does_not_look_like_one() -> None:
    explanation = explain(ask("recall"), sample([[99_999, 1], [0, 1]], ["+", "-"]), 0)

    assert explanation.steps[-1].text == "= 0.99999"


def test_other_class_shares_are_announced() -> None:
    given = sample([[80, 20], [10, 90]], ["+", "-"], shares=np.array([0.25, 0.75]))
    precision = explain(ask("precision"), given, 0)

    # 50 positives and 150 negatives: tp = 40, fp = 15
    assert lines(precision.steps)[:2] == [
        "counts to expect when the class shares are '+' 0.25, '-' 0.75",
        "tp = 40, fn = 10, fp = 15, tn = 135 (positive: '+')",
    ]
    assert "in each of them the class shares were set to those asked for" in lines(precision.interval)
    # The recall keeps its own rows: 80 of 100.
    assert "acc = 80 / 100" in explain(ask("recall"), given, 0).interval[2].text
    assert lines(explain(ask("prevalence"), given, 0).interval) == ["no interval: given, not estimated"]


# --- lines that fit ---------------------------------------------------------------------------


def test_a_long_equation_breaks_before_its_equal_signs() -> None:
    text = str(explain(ask("lr_plus"), sample([[5, 1], [1, 10]], ["+", "-"]), 0))

    assert (
        "\n  variance = 1 / tp - 1 / (tp + fn) + 1 / fp - 1 / (fp + tn)"
        "\n           = 1 / 5 - 1 / (5 + 1) + 1 / 1 - 1 / (1 + 10)"
        "\n           = 0.9424"
        "\n  centre = ln(ratio) = ln(9.1667) = 2.2156\n"
    ) in text


def test_a_long_formula_breaks_before_its_operators_and_facts_hang() -> None:
    assert (
        "\n  mcc = (n * sum(hits_k) - sum(actual_k * predicted_k))"
        "\n        / sqrt((n**2 - sum(predicted_k**2)) * (n**2 - sum(actual_k**2))) (for K classes)\n"
    ) in str(explain(ask("mcc")))
    assert ("= 0: every row is of one class and\n  got that answer\n- interval") in str(explain(ask("kappa")))
    assert str(explain(ask("recall_weighted"))).startswith(
        "recall_weighted: Share of the actual positives that were found; mean over the classes, each counting"
        "\n  as often as it has actual rows.\n"
    )


def test_large_counts_break_sums_before_products_and_inside_parentheses_last() -> None:
    counts = [[10**13, 123456789012345], [223456789012345, 10**13]]
    text = str(explain(ask("kappa"), sample(counts, ["+", "-"]), 0))

    assert (
        "\n         = (10000000000000 + 123456789012345) * (10000000000000 + 223456789012345)"
        "\n           + (223456789012345 + 10000000000000) * (123456789012345 + 10000000000000)\n"
    ) in text
    mcc = str(explain(ask("mcc"), sample(counts, ["+", "-"]), 0))
    assert (
        "\n        / sqrt((10000000000000 + 223456789012345) * (10000000000000 + 123456789012345)"
        "\n          * (10000000000000 + 223456789012345) * (10000000000000 + 123456789012345))\n"
    ) in mcc


def test_long_labels_are_cut_but_stay_different() -> None:
    labels = [f"{'a' * 90}{middle}{'z' * 90}" for middle in "12"] + ["字" * 50]
    for name in ("precision_macro", "accuracy", "f_beta_weighted:2.123456789"):
        explanation = explain(ask(name), sample(LAND, labels))
        check_width(explanation)
        check_latex(explanation)
    named = [step.text for step in explain(ask("precision_macro"), sample(LAND, labels)).steps[:3]]
    assert len({text.partition(" = ")[0] for text in named}) == 3
    check_width(explain(ask("precision"), sample(LAND, labels), 2))
    costs = np.arange(9.0).reshape(3, 3)
    check_width(explain(ask("total_cost"), sample(LAND, labels, costs=costs)))


def test_equal_signs_stand_left_when_what_is_before_them_is_long() -> None:
    label = "a label that has so many characters that it fills a line"
    counts = [[123456789012345, 10**14], [0, 1]]
    # 123456789012345 of 223456789012345: 0.55249
    assert (
        f"\n  recall of '{label}'"
        "\n    = 123456789012345 / 223456789012345"
        "\n    = 0.5525"
        "\n  recall of 'b' = 1 / 1 = 1\n"
    ) in str(explain(ask("recall_macro"), sample(counts, [label, "b"])))


def test_a_word_longer_than_a_line_is_torn() -> None:
    assert filled("字" * 60) == ["字" * 50, f"  {'字' * 10}"]
    assert filled(f"{'a' * 99} b") == ["a" * 99, "  b"]
    assert filled(f"{'a' * 100} b") == ["a" * 100, "  b"]
    assert filled(f"a {'b' * 120}", "- ", "    ") == ["- a", f"    {'b' * 96}", f"    {'b' * 24}"]


# --- outputs ---------------------------------------------------------------------------------


def test_latex_is_one_aligned_block_per_part() -> None:
    blocks = explain(ask("recall"), sample(SPAM, ["+", "-"]), 0).to_latex().split("\n\n")

    assert len(blocks) == 2
    assert blocks[0] == (
        "\\[\n"
        "\\begin{aligned}\n"
        r"\mathit{TP} &= 282,\quad \mathit{FN} = 75,\quad \mathit{FP} = 462,\quad \mathit{TN} = 4841"
        "\\text{ (positive: '+')} \\\\\n"
        "\\mathrm{recall} &= \\frac{\\mathit{TP}}{\\mathit{TP} + \\mathit{FN}} \\\\\n"
        "&= \\frac{282}{282 + 75} \\\\\n"
        "&= \\frac{282}{357} \\\\\n"
        "&= 0.7899\n"
        "\\end{aligned}\n"
        "\\]"
    )


def test_labels_are_escaped_in_latex() -> None:
    counts = sample([[5, 0, 2], [1, 0, 3], [0, 0, 9]], [ODD, "a{b}\\c\n~^", "&#"])

    typeset = explain(ask("precision_macro"), counts).to_latex()
    assert r"\text{ of '\textless{}b\textgreater{}\_\%\$'}" in typeset
    # repr doubles the backslash and spells the line break out.
    slash = r"\textbackslash{}"
    spelled = rf"a\{{b\}}{slash}{slash}c{slash}n\textasciitilde{{}}\textasciicircum{{}}"
    assert spelled in typeset
    assert r"\text{ of '\&\#'}" in typeset
    check_latex(explain(ask("precision_macro"), counts))


def test_dictionary_is_plain_json() -> None:
    explanation = explain(ask("f1"), sample(SPAM, ["+", "-"]), 0)
    form = json.loads(json.dumps(explanation.to_dict(), allow_nan=False))

    assert list(form) == ["schema", "name", "meaning", "facts", "steps", "interval", "value", "why"]
    assert form["schema"] == "tallymark/explanation/1"
    assert form["steps"][-1] == {"text": "= 0.5123", "latex": "= 0.5123"}
    assert (form["value"], form["why"]) == (pytest.approx(564 / 1101), None)


# --- laws over the whole registry ------------------------------------------------------------

PARAMETERS = {"f_beta": ":2", "weighted_accuracy": ":2,1,1,0.5"}
NAMES = [name + PARAMETERS.get(name, "") for name in METRICS]
AVERAGED = [
    f"{name}_{average}{PARAMETERS.get(name, '')}"
    for name in METRICS
    for average in AVERAGES
    if not METRICS[name].needs_costs
]
MATRICES = {
    "binary": [[282, 75], [462, 4841]],
    "binary, an empty cell": [[12, 0], [3, 20]],
    "binary, one class absent": [[0, 0], [4, 20]],
    "binary, all right": [[7, 0], [0, 9]],
    "binary, all wrong": [[0, 7], [9, 0]],
    "binary, one answer": [[0, 7], [0, 9]],
    "binary, no rows": [[0, 0], [0, 0]],
    "three": LAND,
    "three, absent class": [[5, 0, 2], [0, 0, 0], [1, 0, 9]],
    "three, class never called": [[5, 0, 2], [1, 0, 3], [0, 0, 9]],
    "three, no rows": [[0, 0, 0]] * 3,
}


@cache
def swept(kind: str) -> Sample:
    labels = [ODD, "b", "c"][: len(MATRICES[kind])]
    costs = np.arange(1.0, len(labels) ** 2 + 1).reshape(len(labels), -1) - 2.5
    return Sample(Confusion(MATRICES[kind], labels=labels), costs=costs)


COMMANDS = set(
    re.findall(
        "[a-z]+",
        "frac sqrt cdot cdots ldots left right mathrm mathit sum max pm mp ln exp text quad beta kappa mid "
        "textless textgreater begin end",
    )
)


def check_latex(explanation: Explanation) -> None:
    for step in (*explanation.steps, *explanation.interval):
        assert "&" not in step.latex.replace(r"\&", ""), step
        check_balance(step.latex)
    whole = explanation.to_latex()
    check_balance(whole)
    for line in whole.splitlines():
        frame = line in ("", r"\[", r"\]", r"\begin{aligned}", r"\end{aligned}")
        assert len(re.findall(r"(?<!\\)&", line)) == (0 if frame else 1), line


def check_balance(latex: str) -> None:
    bare = re.sub(r"\\[{}]", "", latex)
    depth = 0
    for character in bare:
        depth += (character == "{") - (character == "}")
        assert depth >= 0, latex
    assert depth == 0, latex
    assert latex.count(r"\left") == latex.count(r"\right"), latex
    assert latex.count(r"\begin{aligned}") == latex.count(r"\end{aligned}"), latex
    assert not re.search(r"(?<!\\)[%#$~]", latex), latex
    for inside in re.findall(r"\\text\{((?:\\[{}]|[^{}]|\{\})*)\}", latex):
        assert not re.search(r"(?<!\\)[_^]", inside), latex
    unknown = set(re.findall(r"\\([A-Za-z]+)", latex)) - COMMANDS
    assert not unknown - {"textbackslash", "textasciitilde", "textasciicircum"}, latex


def check_width(explanation: Explanation) -> None:
    text = explanation.to_text()
    assert max(map(cells, text.splitlines())) <= 100
    assert all(line == line.rstrip() for line in text.splitlines())
    # Breaking lines changes nothing but blanks.
    parts = [f"{explanation.name}:", explanation.meaning]
    parts += [step.text for step in (*explanation.steps, *explanation.interval)]
    parts += [f"- {fact}" for fact in explanation.facts]
    assert "".join(text.split()) == "".join("".join(parts).split())


def last_number(text: str) -> float:
    return float(text.rpartition("= ")[2])


def ends(explanation: Explanation) -> tuple[float, float]:
    found = re.fullmatch(r"low = (\S+), high = (\S+)", explanation.interval[-1].text)
    assert found is not None, explanation.interval[-1].text
    return float(found[1]), float(found[2])


def near(shown: float, value: float) -> bool:
    """Equal to four digits."""
    return math.isclose(shown, value, rel_tol=5.1e-4, abs_tol=1e-12)


def estimated(asked: Asked, given: Sample, position: int | None) -> Estimate:
    if asked.average:
        return given.of_average(asked)
    if asked.metric.about == "all":
        return given.of_table(asked)
    assert position is not None
    return given.of_class(asked, position)


def check(explanation: Explanation, estimate: Estimate) -> None:
    check_latex(explanation)
    check_width(explanation)
    json.dumps(explanation.to_dict(), allow_nan=False)
    assert explanation.value == estimate.value
    last = explanation.steps[-1].text
    if estimate.value is None:
        assert explanation.why == estimate.why
        assert last == f"undefined: {explanation.why}"
        assert explanation.interval == ()
        return
    assert explanation.why is None
    assert near(last_number(last), estimate.value), last
    check_interval(explanation, estimate)


def check_interval(explanation: Explanation, estimate: Estimate) -> None:
    texts = lines(explanation.interval)
    if estimate.low is None or estimate.high is None:
        assert texts == [f"no interval: {estimate.note}"]
        return
    low, high = ends(explanation)
    assert near(low, estimate.low)
    assert near(high, estimate.high)
    worked = {text.split()[0]: last_number(text) for text in texts[:-1] if re.match("(low|high) = ", text)}
    if "low" in worked and "carried over" not in texts[0] and "widened" not in texts[-2]:
        assert worked["low"] == pytest.approx(low, rel=1e-3, abs=1e-4)
        assert worked["high"] == pytest.approx(high, rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("name", [*NAMES, *AVERAGED])
def test_every_metric_has_a_general_explanation(name: str) -> None:
    explanation = explain(ask(name))

    check_latex(explanation)
    check_width(explanation)
    assert explanation.name == name
    assert explanation.meaning.endswith(".")
    assert explanation.steps[0].text.partition(" = ")[2]
    assert any(fact.startswith("reference: ") for fact in explanation.facts)
    # Nothing but the metric's own parameters and the numbers of its formula is filled in.
    assert explanation.value is None
    assert explanation.interval == ()


@pytest.mark.parametrize("kind", MATRICES)
@pytest.mark.parametrize("name", NAMES)
def test_every_metric_is_worked_out(name: str, kind: str) -> None:
    given, asked = swept(kind), ask(name)

    for position in range(len(given.confusion.labels)):
        check(explain(asked, given, position), estimated(asked, given, position))
    if asked.metric.about == "all":
        check(explain(asked, given), estimated(asked, given, None))


@pytest.mark.parametrize("kind", MATRICES)
@pytest.mark.parametrize("name", AVERAGED)
def test_every_average_is_worked_out(name: str, kind: str) -> None:
    given, asked = swept(kind), ask(name)

    explanation = explain(asked, given)
    check(explanation, estimated(asked, given, None))
    if asked.average != "micro":
        missing = given.undefined_classes(asked)
        named = [text for text in lines(explanation.steps) if text.startswith("undefined, so left out: ")]
        assert named == ([f"undefined, so left out: {', '.join(map(repr, missing))}"] if missing else [])


def test_a_label_from_the_data_is_escaped_wherever_it_is_named() -> None:
    for name in (*NAMES, *AVERAGED):
        explanation = explain(ask(name), swept("three, absent class"), 0)
        for step in (*explanation.steps, *explanation.interval):
            assert (ODD in step.text) == (r"\textless{}b\textgreater{}\_\%\$" in step.latex)
