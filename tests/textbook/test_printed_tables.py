"""Tables as the documents print them."""

from __future__ import annotations

import pytest

import tallymark as tm

TITLES = ["TP Rate", "FP Rate", "Precision", "Recall", "F-Measure", "MCC", "ROC Area", "PRC Area", "Class"]


def section(text, title):
    """The lines between one underlined heading and the next, split at two or more blanks."""
    lines = text.splitlines()
    start = next(at for at, line in enumerate(lines) if line == title and set(lines[at + 1]) == {"-"})
    body = []
    for at, line in enumerate(lines[start + 2 :], start + 2):
        if line and at + 1 < len(lines) and lines[at + 1] == "-" * len(line):
            break
        body.append([cell.strip() for cell in line.split("  ") if cell.strip()])
    return [cells for cells in body if cells and not set("".join(cells)) <= {"-"}]


@pytest.fixture(params=["print", "command"])
def shown(request, run):
    """An evaluation of a case's matrix on paper: from Python, and from the command line."""

    def show(case):
        if request.param == "print":
            return str(tm.Confusion(case["matrix"], labels=case["labels"]).evaluate())
        typed = "; ".join(" ".join(map(str, row)) for row in case["matrix"])
        return run("matrix", typed, "--labels", ",".join(case["labels"]))

    return show


def test_weka_s_table(per_class_table_case, shown):
    titles, first, second, weighted = section(shown(per_class_table_case), "Detailed Accuracy By Class")
    assert titles == TITLES
    # MCC by hand: (306 * 18 - 9 * 50) / sqrt(315 * 68 * 356 * 27) = 5058 / 14348.7.
    assert first == ["0.971", "0.735", "0.860", "0.971", "0.912", "0.353", "?", "?", "0"]
    assert second == ["0.265", "0.029", "0.667", "0.265", "0.379", "0.353", "?", "?", "1"]
    assert weighted == ["Weighted Avg.", *["0.846", "0.610", "0.825", "0.846", "0.817", "0.353", "?", "?"]]


def test_two_by_two_with_the_rates_in_its_margins(rates_2x2_case, all_cases, shown):
    # The summary page of the same document: rates of a row beside it, those of a column below it.
    lines = section(shown(all_cases["cost-5660-model-1"]), "Confusion matrix")
    assert lines == [
        ["actual \\ predicted", "1", "0", "total"],
        ["1", "282 TP", "75 FN", "357", "recall 0.790", "fnr 0.210"],
        ["0", "462 FP", "4,841 TN", "5,303", "specificity 0.913", "fpr 0.087"],
        ["total", "744", "4,916", "5,660"],
        ["precision 0.379", "npv 0.985", "accuracy 0.905"],
    ]


def test_three_by_three_with_both_axes_named(multiclass_case, shown):
    *lines, (sentence,) = section(shown(multiclass_case), "Confusion matrix")
    # 13 + 59 of 12 + 22 + 2 + 13 + 36 + 59
    assert sentence.replace("'", "") == "Most often confused are 2 and 1: 50.0% of all errors."
    assert lines == [
        ["actual \\ predicted", "0", "1", "2", "total"],
        ["0", "512", "12", "22", "546"],
        ["1", "2", "77", "13", "92"],
        ["2", "36", "59", "831", "926"],
        ["total", "550", "148", "866", "1,564"],
    ]


def test_summary_shows_what_the_document_prints_in_percent(multiclass_case, shown):
    text = shown(multiclass_case)
    accuracy = next(cells for cells in section(text, "Summary") if cells[0] == "accuracy")
    assert accuracy[1] == "0.908"
    averages = {cells[0]: cells[1:] for cells in section(text, "Averages over the classes")}
    assert [cell.split(" ")[0] for cell in averages["precision"]] == ["0.804", "0.908", "0.924"]
    assert [cell.split(" ")[0] for cell in averages["recall"]] == ["0.891", "0.908", "0.908"]
