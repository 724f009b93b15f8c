"""Each finding fires on its case with these very words, and stays silent otherwise."""

from __future__ import annotations

import json
from math import sqrt
from typing import Any

import pytest

import tallymark as tm
from tallymark.evaluation import Evaluation, evaluate

Z = 1.959963984540054


def of_matrix(matrix: list[list[int]], labels: list[Any] | None = None, **options: Any) -> Evaluation:
    names = labels or [chr(97 + position) for position in range(len(matrix))]
    return tm.Confusion(matrix, labels=names).evaluate(**options)


def finding(ev: Evaluation, code: str) -> tm.Finding | None:
    found = [finding for finding in ev.findings if finding.code == code]
    assert len(found) <= 1
    return found[0] if found else None


def message(ev: Evaluation, code: str) -> str | None:
    found = finding(ev, code)
    return None if found is None else found.message


# --- TM001: no better than always answering the majority --------------------------------------------


@pytest.mark.parametrize(("majority", "minority"), [(99_900, 100), (9_990, 10)])
def test_constant_classifiers_are_no_better_than_the_majority(majority: int, minority: int) -> None:
    ev = of_matrix([[majority, 0], [minority, 0]], [0, 1])
    assert message(ev, "TM001") == "accuracy 0.999 is no better than always answering 0 (0.999)."
    found = finding(ev, "TM001")
    assert found is not None
    assert found.numbers["accuracy"] == found.numbers["no_information_rate"] == 0.999
    assert found.numbers["majority"] == "0"


def test_worse_than_the_majority_is_no_better_either() -> None:
    # (282 + 4841) / 5660 = 0.905 against 5303 / 5660 = 0.937
    ev = of_matrix([[282, 75], [462, 4_841]], ["1", "0"])
    assert message(ev, "TM001") == "accuracy 0.905 is no better than always answering '0' (0.937)."


def test_a_little_better_than_the_majority_is_not_clearly_better() -> None:
    # Wilson for 59 of 100: (0.59 + z2/200) / (1 + z2/100) -+ ... = 0.492 to 0.681
    centre, half = 0.59 + Z**2 / 200, Z * sqrt(0.59 * 0.41 / 100 + Z**2 / 40_000)
    low, high = (centre - half) / (1 + Z**2 / 100), (centre + half) / (1 + Z**2 / 100)
    assert message(of_matrix([[30, 20], [21, 29]]), "TM001") == (
        f"accuracy 0.590 [{low:.3f}, {high:.3f}] is not clearly better than always answering 'a' (0.500)."
    )


def test_clearly_better_than_the_majority_is_silent() -> None:
    # 60 of 100: Wilson's low end is 0.502.
    assert finding(of_matrix([[30, 20], [20, 30]]), "TM001") is None
    assert finding(of_matrix([[30, 0, 0], [0, 30, 0], [0, 0, 40]]), "TM001") is None


def test_other_class_shares_have_another_majority() -> None:
    ev = of_matrix([[90, 10], [10, 90]], ["1", "0"])
    assert finding(ev, "TM001") is None
    assert message(ev.at_prevalence(0.05), "TM001") == (
        "accuracy 0.900 is no better than always answering '0' (0.950)."
    )


@pytest.mark.parametrize(
    ("matrix", "said"),
    [
        # 9,991 of 10,000 are right, and 9,992 are 0: two decimals more tell them apart.
        ([[9_986, 6], [3, 5]], "accuracy 0.9991 is no better than always answering 0 (0.9992)."),
        # 9,993: Wilson's interval for 7 wrong ones reaches from 0.99856 to 0.99966.
        (
            [[9_990, 2], [5, 3]],
            "accuracy 0.9993 [0.9986, 0.9997] is not clearly better than always answering 0 (0.9992).",
        ),
    ],
)
def test_rare_positives_have_decimals_enough(matrix: list[list[int]], said: str) -> None:
    assert message(of_matrix(matrix, [0, 1]), "TM001") == said


# --- TM002: a class never predicted -----------------------------------------------------------------


def test_a_class_never_predicted() -> None:
    assert message(of_matrix([[99_900, 0], [1_100, 0]], [0, 1]), "TM002") == (
        "class 1 is never predicted: none of 1,100 rows was found."
    )


def test_a_class_of_one_row_never_predicted() -> None:
    assert message(of_matrix([[20, 0], [1, 0]]), "TM002") == (
        "class 'b' is never predicted: the one row of it was not found."
    )


def test_several_classes_never_predicted() -> None:
    ev = of_matrix([[20, 0, 0], [15, 0, 0], [11, 0, 0]])
    assert message(ev, "TM002") == ("2 classes ['b', 'c'] are never predicted: none of 26 rows was found.")
    assert finding(ev, "TM002").numbers == {"labels": ["b", "c"], "rows": 26}  # type: ignore[union-attr]


def test_a_class_predicted_once_or_never_there_is_silent() -> None:
    assert finding(of_matrix([[20, 1], [15, 0]]), "TM002") is None
    assert finding(of_matrix([[20, 1, 0], [15, 9, 0], [0, 0, 0]]), "TM002") is None


# --- TM003: too few rows of a class -----------------------------------------------------------------


def half_a_recall(rows: int) -> str:
    """Wilson around one half: 0.5 -+ z / (2 sqrt(n + z2))."""
    half = Z / (2 * sqrt(rows + Z**2))
    return f"{0.5 - half:.2f} to {0.5 + half:.2f}"


@pytest.mark.parametrize(("rows", "words"), [(1, "1 row"), (3, "3 rows"), (9, "9 rows")])
def test_a_class_of_few_rows(rows: int, words: str) -> None:
    assert message(of_matrix([[40, 10], [0, rows]]), "TM003") == (
        f"class 'b' has only {words}: too few to say much "
        f"(with {rows}, a recall of 0.5 could be {half_a_recall(rows)})."
    )


def test_several_classes_of_few_rows() -> None:
    ev = of_matrix([[40, 1, 0], [0, 5, 0], [0, 1, 1]])
    assert message(ev, "TM003") == (
        "2 classes ['b', 'c'] have fewer than 10 rows: too few to say much "
        f"(with 2, a recall of 0.5 could be {half_a_recall(2)})."
    )
    assert finding(ev, "TM003").numbers == {  # type: ignore[union-attr]
        "labels": ["b", "c"],
        "rows": [5, 2],
        "fewest": 10,
    }


def test_ten_rows_or_none_are_silent() -> None:
    assert finding(of_matrix([[40, 10], [0, 10]]), "TM003") is None
    assert finding(of_matrix([[40, 10, 0], [0, 10, 0], [0, 0, 0]]), "TM003") is None


# --- TM004: a low false positive rate and mostly false positives ------------------------------------


def test_a_low_false_positive_rate_can_make_more_false_positives_than_true_ones() -> None:
    # fpr 462 / 5303, precision 282 / 744
    ev = of_matrix([[282, 75], [462, 4_841]], ["1", "0"], pos_label="1")
    assert message(ev, "TM004") == (
        "the false positive rate is low (0.087), but among 5,303 negatives it makes 462 false positives, "
        "more than the 282 true ones: precision is 0.379."
    )
    assert finding(ev, "TM004").numbers == {  # type: ignore[union-attr]
        "fpr": 462 / 5_303,
        "fp": 462,
        "tp": 282,
        "negatives": 5_303,
    }


@pytest.mark.parametrize(
    ("matrix", "said"),
    [
        ([[0, 5], [1, 994]], "it makes 1 false positive and no true one: precision is 0.000."),
        ([[0, 5], [3, 992]], "it makes 3 false positives and no true one: precision is 0.000."),
        ([[1, 4], [3, 992]], "it makes 3 false positives, more than the 1 true one: precision is 0.250."),
    ],
)
def test_one_and_none_are_said_as_people_say_it(matrix: list[list[int]], said: str) -> None:
    assert str(message(of_matrix(matrix, pos_label="a"), "TM004")).endswith(f"among 995 negatives {said}")


def test_expected_counts_are_rounded_in_words() -> None:
    # n = 5660 at 1 %: 5603.4 negatives, 5603.4 * 462 / 5303 false and 56.6 * 282 / 357 true positives
    ev = of_matrix([[282, 75], [462, 4_841]], ["1", "0"], pos_label="1").at_prevalence(0.01)
    assert message(ev, "TM004") == (
        "the false positive rate is low (0.087), but among 5,603.4 negatives it makes 488.17 "
        "false positives, more than the 44.71 true ones: precision is 0.084."
    )


@pytest.mark.parametrize(
    ("matrix", "why"),
    [
        ([[100, 0], [100, 900]], "as many false as true"),
        ([[10, 0], [101, 899]], "a rate above a tenth"),
        ([[10, 0], [0, 0]], "no negatives"),
        ([[10, 0], [0, 900]], "no false positives"),
    ],
)
def test_other_rates_are_silent(matrix: list[list[int]], why: str) -> None:
    assert finding(of_matrix(matrix, pos_label="a"), "TM004") is None, why


def test_a_rate_of_one_tenth_is_still_low() -> None:
    assert finding(of_matrix([[10, 0], [100, 900]], pos_label="a"), "TM004") is not None


def test_without_a_positive_class_there_is_no_false_positive() -> None:
    rows = ["a"] * 20 + ["b"] * 400
    ev = evaluate(rows, ["a"] * 20 + ["a"] * 30 + ["b"] * 370)
    assert (ev.positive, finding(ev, "TM004")) == (None, None)
    assert finding(evaluate(rows, ["a"] * 50 + ["b"] * 370, pos_label="a"), "TM004") is not None


# --- TM005: labels that look alike ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (["yes", "Yes", "no"], "'Yes' and 'yes'"),
        (["yes", "yes ", "no"], "'yes' and 'yes '"),
        (["a b", "ab", "no"], "'a b' and 'ab'"),
        (["caf\u00e9", "cafe\u0301", "no"], "'cafe\u0301' and 'caf\u00e9'"),
        (["x", "x\u200b", "no"], "'x' and 'x\\u200b'"),
        (["7", "007", "+1"], "'007' and '7'"),
        (["STRASSE", "stra\u00dfe", "no"], "'STRASSE' and 'stra\u00dfe'"),
        (["a", "A", "b", "B", "no"], "'A' and 'a'; 'B' and 'b'"),
        ([c for x in "abcd" for c in (x, x.upper())], "'A' and 'a'; 'B' and 'b'; 'C' and 'c'; and 1 more"),
    ],
)
def test_labels_that_look_alike(labels: list[str], words: str) -> None:
    assert message(evaluate(labels, labels), "TM005") == (
        f"labels look alike but are counted as different classes: {words}."
    )


@pytest.mark.parametrize("labels", [["yes", "no"], ["7", "70", "x"], [0, 1, 10], ["a-b", "ab"], ["", "0"]])
def test_labels_that_differ_are_silent(labels: list[Any]) -> None:
    assert finding(evaluate(labels, labels), "TM005") is None


# --- TM006: averages that leave out classes ---------------------------------------------------------


def test_averages_that_leave_out_undefined_classes() -> None:
    ev = of_matrix([[20, 2, 0], [3, 20, 0], [5, 5, 0]])
    assert message(ev, "TM006") == "undefined: precision for ['c']. The averages leave those classes out."
    ev = of_matrix([[20, 2, 0], [3, 20, 0], [0, 0, 0]])
    assert message(ev, "TM006") == (
        "undefined: precision for ['c']; recall for ['c']; f1 for ['c']. "
        "The averages leave those classes out."
    )
    assert finding(ev, "TM006").numbers == {  # type: ignore[union-attr]
        "precision": ["c"],
        "recall": ["c"],
        "f1": ["c"],
    }


def test_averages_that_count_undefined_classes_as_zero() -> None:
    ev = of_matrix([[20, 2, 0], [3, 20, 0], [5, 5, 0]], undefined=0)
    assert message(ev, "TM006") == "undefined: precision for ['c']. The averages count them as 0."


def test_defined_averages_are_silent() -> None:
    assert finding(of_matrix([[20, 2], [20, 3]]), "TM006") is None


# --- TM007: a threshold picked on the rows it is judged on ------------------------------------------


def test_a_threshold_picked_here_is_optimistic() -> None:
    ev = evaluate([0, 0, 1, 1], y_score=[0.1, 0.2, 0.75, 0.9], threshold="best:youden")
    assert message(ev, "TM007") == (
        "the threshold 0.75 was picked on these rows as the best for youden, so the numbers at it are "
        "optimistic; judge it on other rows."
    )
    assert finding(ev, "TM007").numbers == {"threshold": 0.75, "best_for": "youden"}  # type: ignore[union-attr]


@pytest.mark.parametrize("threshold", [None, 0.75, "0.75"])
def test_a_threshold_given_is_silent(threshold: Any) -> None:
    ev = evaluate([0, 0, 1, 1], y_score=[0.1, 0.2, 0.75, 0.9], threshold=threshold)
    assert finding(ev, "TM007") is None


# --- TM008: answers that are never actual -----------------------------------------------------------


def test_an_answer_that_is_never_actual() -> None:
    ev = evaluate(["a", "b", "b"], ["a", "c", "b"])
    assert message(ev, "TM008") == "predicted in 1 row but never actual: ['c']."
    ev = evaluate(["a", "b", "b"], ["c", "c", "b"])
    assert message(ev, "TM008") == "predicted in 2 rows but never actual: ['c']."


def test_answers_of_which_none_can_be_right() -> None:
    ev = evaluate(["yes", "no"] * 600, ["1", "0"] * 600)
    assert message(ev, "TM008") == (
        "predicted in 1,200 rows but never actual: ['0', '1']. "
        "No answer can be right: are actual and predicted written the same way?"
    )


def test_a_declared_class_that_is_nowhere_is_silent() -> None:
    assert finding(evaluate(["a", "b"], ["a", "b"], labels=["a", "b", "c"]), "TM008") is None


# --- all of them ------------------------------------------------------------------------------------


def test_a_good_classifier_has_no_findings() -> None:
    assert of_matrix([[150, 10], [12, 200]], pos_label="a").findings == ()
    assert "Findings" not in str(of_matrix([[150, 10], [12, 200]], pos_label="a"))


def test_findings_stand_in_the_order_of_their_codes_in_every_output() -> None:
    ev = evaluate(
        ["no"] * 90 + ["No"] * 5 + ["yes"] * 3,
        ["no"] * 85 + ["x"] * 5 + ["No"] * 3 + ["no"] * 5,
    )
    codes = [finding.code for finding in ev.findings]
    assert codes == ["TM001", "TM002", "TM003", "TM005", "TM006", "TM008"]
    form = json.loads(ev.to_json())["findings"]
    assert [item["code"] for item in form] == codes
    assert all(set(item) == {"code", "message", "numbers"} for item in form)
    text = " ".join(str(ev).split())
    for finding_ in ev.findings:
        assert finding_.code in text
        assert finding_.message in text


def test_without_counts_only_what_needs_none_is_found() -> None:
    ev = evaluate(["a", "A", "a", "A"], y_score=[-5, 3, 2, 1], pos_label="a")
    assert [finding.code for finding in ev.findings] == ["TM005", "TM011", "TM013"]


# --- TM009, TM010 ----------------------------------------------------------------------------------


def test_few_groups() -> None:
    actual, predicted = [1, 0] * 20, [1, 0, 0, 0] * 10
    few = tm.evaluate(actual, predicted, groups=[row // 8 for row in range(40)])
    found = next(finding for finding in few.findings if finding.code == "TM009")
    assert found.message.startswith("there are only 5 groups")
    assert found.numbers == {"groups": 5, "fewest": 10}
    enough = tm.evaluate(actual, predicted, groups=[row // 4 for row in range(40)])
    assert "TM009" not in {finding.code for finding in enough.findings}


def test_weights_that_differ_between_right_and_wrong_answers() -> None:
    # 180 positives of weight 1 and 4 false alarms of weight 20 make up the predicted positives.
    actual, predicted = [1] * 180 + [0] * 120, [1] * 184 + [0] * 116
    weight = [1] * 180 + [20] * 120
    ev = tm.evaluate(actual, predicted, sample_weight=weight)
    found = next(finding for finding in ev.findings if finding.code == "TM010")
    p, total = 180 / 260, 260
    worth = p * (1 - p) * total**2 / (p**2 * 4 * 400 + (1 - p) ** 2 * 180)
    assert found.numbers["precision"] == {
        "worth": pytest.approx(worth),
        "kish": pytest.approx(total**2 / (180 + 4 * 400)),
    }
    assert "precision is too narrow" in found.message
    alike = tm.evaluate(actual, predicted, sample_weight=[1, 2] * 150)
    assert "TM010" not in {finding.code for finding in alike.findings}
    resampled = tm.evaluate(actual, predicted, sample_weight=weight, groups=range(300))
    assert "TM010" not in {finding.code for finding in resampled.findings}


# --- TM011, TM012, TM013: what scores tell ----------------------------------------------------------


def test_an_area_below_one_half_is_named_and_not_turned_round() -> None:
    ev = evaluate([1, 1, 1, 1, 0, 0, 0, 0] * 5, y_score=[0.1, 0.2, 0.3, 0.4, 0.35, 0.6, 0.7, 0.8] * 5)
    found = finding(ev, "TM011")
    assert found is not None
    # Of the 16 kinds of pairs one is in the right order: 0.4 above 0.35.
    assert found.numbers["auc"] == ev["auc"].value == 1 / 16
    assert found.message.startswith("the area under the ROC curve is 0.062 [")
    assert "below 0.5: a row of 1 more often has the lower score" in found.message
    assert found.message.endswith("Nothing was turned round.")


def test_an_area_just_below_one_half_may_be_guessing() -> None:
    ev = evaluate([1, 0, 0, 1, 0, 1], y_score=[0.9, 0.8, 0.7, 0.6, 0.5, 0.1])
    assert ev["auc"].value == 4 / 9
    assert "guessing is within the interval" in (message(ev, "TM011") or "")


def test_an_area_a_little_below_one_half_does_not_look_like_it() -> None:
    # One positive row above 4,999 of 10,000 others.
    ev = evaluate([1] + [0] * 10_000, y_score=[4999.5, *range(1, 10_001)])
    assert str(message(ev, "TM011")).startswith("the area under the ROC curve is 0.4999")


def test_an_area_of_one_half_is_no_finding() -> None:
    assert finding(evaluate([1, 0, 1, 0], y_score=[0.5] * 4), "TM011") is None


def test_many_ties_leave_the_area_open() -> None:
    # Pairs: 4 x 4; at 1 two of each class, at 0 two of each: 8 tied, 4 won.
    ev = evaluate([1, 1, 1, 1, 0, 0, 0, 0], y_score=[1, 1, 0, 0, 1, 1, 0, 0], threshold=0.5)
    found = finding(ev, "TM012")
    assert found is not None
    assert found.numbers == {
        "tied_share": 0.5,
        "distinct_scores": 2,
        "lowest_auc": 0.25,
        "highest_auc": 0.75,
    }
    assert found.message == (
        "50.0% of the pairs of a positive and a negative row are tied (there are only 2 distinct scores): "
        "each counts half. A score that told them apart could have an area anywhere from 0.250 to 0.750 "
        "instead of 0.500."
    )


def test_few_ties_are_no_finding() -> None:
    actual = [1] * 10 + [0] * 10
    score = [0.5 + 0.01 * row for row in range(10)] + [0.5 - 0.01 * row for row in range(10)]
    assert finding(evaluate(actual, y_score=score), "TM012") is None  # one pair of a hundred


@pytest.mark.parametrize(("together", "pairs"), [((1, 5), 5), ((2, 3), 6), ((3, 5), 15)])
def test_five_in_a_hundred_pairs_tied_are_many(together: tuple[int, int], pairs: int) -> None:
    up, down = together
    found = finding(_tied(up, down), "TM012")
    assert found is not None
    assert found.numbers["tied_share"] == pairs / 100
    # All other positives stand above all negatives, and the tied ones above the other negatives.
    assert (found.numbers["lowest_auc"], found.numbers["highest_auc"]) == ((100 - pairs) / 100, 1)


def test_four_in_a_hundred_pairs_tied_are_few() -> None:
    assert finding(_tied(2, 2), "TM012") is None


def _tied(up: int, down: int) -> Evaluation:
    """Ten rows of either class, ranked perfectly but for these, which have one score."""
    score = [0.9] * (10 - up) + [0.5] * (up + down) + [0.1] * (10 - down)
    return evaluate([1] * 10 + [0] * 10, y_score=score)


def test_scores_that_are_no_probabilities() -> None:
    ev = evaluate([0, 1, 1], y_score=[-2.5, 3, 1])
    assert message(ev, "TM013") == (
        "the scores run from -2.5 to 3, so they are no probabilities: they rank the rows, but Brier and log "
        "loss are undefined, and there is no threshold to start from."
    )
    assert finding(evaluate([0, 1, 1], y_score=[0, 1, 0.5]), "TM013") is None


def test_matrices_have_no_findings_about_scores() -> None:
    codes = {found.code for found in of_matrix([[5, 5], [5, 5]], pos_label="a").findings}
    assert not codes & {"TM011", "TM012", "TM013"}
