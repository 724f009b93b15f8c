"""`tallymark evaluate`. Expected counts and shares are worked by hand from the files of conftest.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

ANSWERS = ("evaluate", "answers.csv", "--positive", "yes", "--json")
SCORES = ("evaluate", "scores.csv", "--actual", "y", "--score", "s", "--positive", "yes", "--json")
PROBABILITIES = ("evaluate", "probabilities.csv", "--actual", "y")


def test_answers_are_counted(run: Any) -> None:
    form = run(*ANSWERS).json
    assert form["schema"] == "tallymark/evaluation/1"
    assert (form["rows"], form["labels"], form["positive"]) == (8, ["no", "yes"], "yes")
    assert form["confusion"]["matrix"] == [[4, 1], [1, 2]]
    assert form["metrics"]["recall"]["value"] == pytest.approx(2 / 3)
    assert form["metrics"]["accuracy"]["value"] == 6 / 8
    assert form["metrics"]["accuracy"]["level"] == 0.95


def test_guessed_columns_are_said(run: Any) -> None:
    guessed = "column 'actual' was taken as actual (guessed from its name)."
    assert guessed in run(*ANSWERS).json["notes"]
    assert guessed in run("evaluate", "answers.csv", "--explain", "accuracy").out


def test_text_is_the_report(run: Any) -> None:
    result = run("evaluate", "answers.csv", "--positive", "yes")
    assert (result.code, result.err) == (0, "")
    assert "8 rows, 2 classes: 'no', 'yes'. Positive class: 'yes'." in result.out
    assert "Confusion matrix\n" in result.out


def test_labels_set_the_order(run: Any) -> None:
    form = run(*ANSWERS, "--labels", "yes,no").json
    assert (form["labels"], form["confusion"]["matrix"]) == (["yes", "no"], [[2, 1], [1, 4]])


def test_labels_that_are_numbers_are_text_in_json(run: Any) -> None:
    form = run("evaluate", "digits.csv", "--labels", "1,0", "--costs", "0 1; 1 0", "--json").json
    assert (form["labels"], form["positive"]) == (["1", "0"], "1")
    assert [one["label"] for one in form["per_class"]] == ["1", "0"]
    assert form["confusion"]["labels"] == form["costs"]["labels"] == ["1", "0"]
    assert form["confusion"]["matrix"] == [[2, 1], [1, 1]]


def test_positive_is_found_by_its_text(run: Any) -> None:
    form = run("evaluate", "digits.csv", "--positive", "0", "--json").json
    assert (form["labels"], form["positive"]) == (["0", "1"], "0")
    assert form["metrics"]["recall"]["value"] == 1 / 2


def test_a_label_may_hold_a_comma(run: Any) -> None:
    table = 'actual,predicted\n"a, b","a, b"\nc,c\n'
    form = run("evaluate", "-", "--labels", '"a, b",c', "--json", stdin=table).json
    assert form["labels"] == ["a, b", "c"]


def test_parquet_labels_are_matched(run: Any) -> None:
    pl.DataFrame({"actual": [1, 0, 1], "predicted": [1, 1, 1]}).write_parquet("rows.parquet")
    form = run("evaluate", "rows.parquet", "--labels", "1,0", "--json").json
    assert (form["labels"], form["confusion"]["matrix"]) == (["1", "0"], [[2, 0], [1, 0]])


def test_several_files_are_one_table(run: Any) -> None:
    Path("more.csv").write_text("predicted,actual\nyes,no\n")
    form = run("evaluate", "answers.csv", "more.csv", "--positive", "yes", "--json").json
    assert (form["rows"], form["confusion"]["matrix"]) == (9, [[4, 2], [1, 2]])


# --- scores and probabilities ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "threshold", "matrix"),
    [
        ((), 0.5, [[1, 1], [1, 1]]),
        (("--threshold", "0.4"), 0.4, [[1, 1], [0, 2]]),
        # f1 by cut: at 0.9 2/3, at 0.6 1/2, at 0.4 4/5, at 0.2 2/3
        (("--threshold", "best"), 0.4, [[1, 1], [0, 2]]),
        (("--threshold", "best:f1"), 0.4, [[1, 1], [0, 2]]),
        # accuracy: 3/4 at 0.9 and at 0.4; of equals the highest
        (("--threshold", "best:accuracy"), 0.9, [[2, 0], [1, 1]]),
        # a miss costs 10: at 0.9 10, at 0.6 11, at 0.4 1, at 0.2 2
        (("--threshold", "best:cost", "--labels", "no,yes", "--costs", "0 1; 10 0"), 0.4, [[1, 1], [0, 2]]),
    ],
)
def test_scores_are_cut(
    run: Any, options: tuple[str, ...], threshold: float, matrix: list[list[int]]
) -> None:
    form = run(*SCORES, *options).json
    assert (form["threshold"], form["confusion"]["matrix"]) == (threshold, matrix)


# The third row says a where it should say c.
BY_CLASS = [[1, 0, 0], [0, 1, 0], [1, 0, 0]]


@pytest.mark.parametrize("columns", ["p_a,p_b,p_c", "p_c,p_a,p_b", "a=p_a,c=p_c,b=p_b", 'p_a, "p_b",p_c'])
def test_probabilities_are_matched_by_name(run: Any, columns: str) -> None:
    form = run(*PROBABILITIES, "--probabilities", columns, "--json").json
    assert (form["labels"], form["confusion"]["matrix"]) == (["a", "b", "c"], BY_CLASS)


def test_probability_columns_for_numbered_classes(run: Any) -> None:
    table = "y,x,z\n0,0.9,0.1\n1,0.4,0.6\n"
    columns = ("--actual", "y", "--probabilities", "1=z,0=x")
    form = run("evaluate", "-", *columns, "--json", stdin=table).json
    assert (form["labels"], form["confusion"]["matrix"]) == (["0", "1"], [[1, 0], [0, 1]])


# --- costs, missing values, other shares -----------------------------------------------------


@pytest.mark.parametrize(
    "costs",
    [
        ("--labels", "yes,no", "--costs", "0 10; 1 0"),
        ("--costs", '{"yes": {"no": 10}, "no": {"yes": 1}}'),
        ("--costs", "costs.csv"),
    ],
)
def test_costs(run: Any, costs: tuple[str, ...]) -> None:
    Path("costs.csv").write_text("actual,predicted,cost\nyes,no,10\nno,yes,1\n")
    assert run(*ANSWERS, *costs).json["costs"]["total"]["value"] == 11


def test_missing_rows_are_dropped_and_said(run: Any) -> None:
    dropping = ("evaluate", "missing.csv", "--drop-missing", "--missing", "NA")
    form = run(*dropping, "--json").json
    assert (form["rows"], form["dropped"]) == (2, {"missing_actual": 1, "missing_predicted": 1})
    explained = run(*dropping, "--explain", "accuracy")
    assert "\nDropped: 1 row (missing actual).\n" in explained.out
    assert run(*dropping, "--explain", "accuracy", "--json").json["dropped"] == form["dropped"]


def test_prevalence(run: Any) -> None:
    # recall 2/3 and fpr 1/5: precision at 10 % is (0.1 * 2/3) / (0.1 * 2/3 + 0.9 / 5)
    expected = (0.2 / 3) / (0.2 / 3 + 0.18)
    for shares in ("0.1", "yes=0.1,no=0.9"):
        form = run(*ANSWERS, "--prevalence", shares).json
        assert form["metrics"]["precision"]["value"] == pytest.approx(expected)


# --- shared options --------------------------------------------------------------------------


def test_more_metrics(run: Any) -> None:
    form = run(*ANSWERS, "--metric", "f_beta:2", "--metric", "weighted_accuracy:2,1,1,0").json
    # tp 2, fn 1, fp 1: 5 * 2 / (5 * 2 + 4 * 1 + 1) and 2 * 2 / (2 * 2 + 1 + 1)
    assert form["metrics"]["f_beta:2"]["value"] == pytest.approx(10 / 15)
    assert form["metrics"]["weighted_accuracy:2,1,1,0"]["value"] == pytest.approx(4 / 6)
    assert "f_beta:2" in run("evaluate", "answers.csv", "--positive", "yes", "--metric", "f_beta:2").out


def test_normalize(run: Any) -> None:
    form = run(*ANSWERS, "--normalize", "actual").json
    assert form["confusion"]["normalized"]["by"] == "actual"
    assert form["confusion"]["normalized"]["matrix"][0] == [0.8, 0.2]
    assert "80.0%" in run("evaluate", "answers.csv", "--normalize", "actual").out


def test_confidence(run: Any) -> None:
    wide, narrow = (
        run(*ANSWERS, "--confidence", level).json["metrics"]["accuracy"] for level in ("0.99", "0.5")
    )
    assert (wide["level"], narrow["level"]) == (0.99, 0.5)
    assert wide["low"] < narrow["low"] < narrow["value"] < narrow["high"] < wide["high"]


def test_seed_decides_the_draws(run: Any) -> None:
    first, again, other = (
        run(*ANSWERS, "--seed", seed).json["metrics"]["mcc"]["low"] for seed in ("1", "1", "2")
    )
    assert first == again != other


def test_undefined_as_zero(run: Any) -> None:
    table = "actual,predicted\na,a\nb,a\nb,b\nc,a\n"  # c is never predicted: precision 1/3, 1 and undefined
    call = ("evaluate", "-", "--json")
    assert run(*call, stdin=table).json["metrics"]["precision_macro"]["value"] == pytest.approx(2 / 3)
    zero = run(*call, "--undefined", "0", stdin=table).json
    assert zero["metrics"]["precision_macro"]["value"] == pytest.approx(4 / 9)


def test_explain(run: Any) -> None:
    result = run("evaluate", "answers.csv", "--positive", "yes", "--explain", "recall", "--explain", "tnr")
    assert (result.code, result.err) == (0, "")
    assert "= 2 / (2 + 1)\n" in result.out
    assert "= 4 / (1 + 4)\n" in result.out
    assert "Confusion matrix" not in result.out


def test_explain_as_json(run: Any) -> None:
    form = run(*ANSWERS, "--explain", "recall", "--explain", "tnr").json
    assert (form["schema"], form["rows"]) == ("tallymark/explanations/1", 8)
    recall, specificity = form["explanations"]
    assert (recall["name"], recall["value"]) == ("recall", pytest.approx(2 / 3))
    assert (specificity["name"], specificity["value"]) == ("specificity", 4 / 5)


# --- standard input --------------------------------------------------------------------------


def test_standard_input(run: Any) -> None:
    table = Path("answers.csv").read_text()
    from_file = run(*ANSWERS).json
    assert run("evaluate", "-", "--positive", "yes", "--json", stdin=table).json == from_file
    tabs = table.replace(",", "\t")
    options = ("--delimiter", "tab", "--positive", "yes", "--json")
    assert run("evaluate", "-", *options, stdin=tabs).json == from_file


def test_standard_input_may_be_parquet(run: Any) -> None:
    pl.read_csv("answers.csv").write_parquet("answers.parquet")
    content = Path("answers.parquet").read_bytes()
    form = run("evaluate", "-", "--positive", "yes", "--json", stdin=content).json
    assert form["confusion"]["matrix"] == [[4, 1], [1, 2]]


def test_standard_input_is_called_so(run: Any) -> None:
    result = run("evaluate", "-", stdin="actual,predicted\nyes,yes\nno\n")
    assert result.code == 2
    assert result.err.startswith("tallymark: line 3 of standard input has 1 field; the header has 2.")


@pytest.mark.parametrize("command", ["evaluate", "matrix"])
@pytest.mark.parametrize("encoding", ["utf-16", "latin1"])
def test_standard_input_in_another_encoding_is_converted_in_the_pipe(
    run: Any, command: str, encoding: str
) -> None:
    result = run(command, "-", stdin="actual,ä,b\nä,5,1\nb,2,7\n".encode(encoding))
    assert result.code == 2
    assert "standard input" in result.err
    hint = f"convert it: ... | iconv -f {encoding} -t utf-8 | tallymark ...\n"
    assert result.err.endswith(hint)


def test_a_file_in_another_encoding_beside_standard_input_is_converted_itself(run: Any) -> None:
    Path("wide.csv").write_bytes("actual,predicted\na,a\n".encode("utf-16"))
    result = run("evaluate", "wide.csv", "-", stdin="actual,predicted\na,a\n")
    assert result.err.endswith("convert it: iconv -f utf-16 -t utf-8 wide.csv > wide-utf8.csv\n")


def test_standard_input_beside_a_file(run: Any) -> None:
    form = run("evaluate", "answers.csv", "-", "--json", stdin="actual,predicted\nno,no\n").json
    assert form["rows"] == 9


# --- files out -------------------------------------------------------------------------------


def test_output_goes_to_the_file(run: Any) -> None:
    result = run("evaluate", "answers.csv", "-o", "out.json")
    assert (result.code, result.out, result.err) == (0, "", "wrote out.json\n")
    assert Path("out.json").read_text() == run("evaluate", "answers.csv", "--json").out
    result = run("evaluate", "answers.csv", "--output", "out.txt", "--quiet")
    assert (result.code, result.out, result.err) == (0, "", "")
    assert Path("out.txt").read_text() == run("evaluate", "answers.csv").out


def test_force_replaces(run: Any) -> None:
    Path("out.txt").write_text("old")
    assert run("evaluate", "answers.csv", "-o", "out.txt").code == 2
    assert Path("out.txt").read_text() == "old"
    assert run("evaluate", "answers.csv", "-o", "out.txt", "--force").code == 0
    assert Path("out.txt").read_text().startswith("Evaluation\n")


def test_formulas_go_to_a_tex_file(run: Any) -> None:
    assert run("evaluate", "answers.csv", "--explain", "accuracy", "-o", "out.tex").code == 0
    assert Path("out.tex").read_text().startswith("\\[\n")
    assert run("evaluate", "answers.csv", "-o", "other.tex").code == 0
    assert "\\toprule" in Path("other.tex").read_text()


def test_the_data_is_not_replaced(run: Any) -> None:
    before = Path("answers.csv").read_text()
    result = run("evaluate", "answers.csv", "-o", "./answers.csv", "--force")
    assert (result.code, result.out) == (2, "")
    assert "would replace the data" in result.err
    assert Path("answers.csv").read_text() == before


def test_what_was_dropped_and_assumed_is_said_in_latex_too(run: Any) -> None:
    table = "act_ual,predicted\nyes,yes\nyes,\nno,\nno,no\n"
    options = ("--actual", "act_ual", "--drop-missing", "--explain", "accuracy", "-o", "out.tex")
    assert run("evaluate", "-", *options, stdin=table).code == 0
    *formulas, dropped, note = Path("out.tex").read_text().split("\n\n")
    assert all(part.startswith("\\[\n") for part in formulas)
    assert dropped == "Dropped: 2 rows (missing predicted)."
    assert note == "Note: column 'predicted' was taken as predicted (guessed from its name).\n"


def test_what_is_said_in_latex_is_escaped(run: Any) -> None:
    table = "actual,predicted\n50%_a\x1b,50%_a\x1b\nb--c,b--c\n"
    options = ("--prevalence", "50%_a\x1b=0.25,b--c=0.75", "--explain", "accuracy", "-o", "out.tex")
    assert run("evaluate", "-", *options, stdin=table).code == 0
    said = Path("out.tex").read_text().split("\n\n")[-1]
    assert said.startswith("Note: class shares are not the sample's but ")
    assert r"'50\%\_a\textbackslash{}x1b' 0.25, 'b-{}-c' 0.75;" in said


def test_explanations_and_notes_fit_the_page(run: Any) -> None:
    labels = [f"{place} {'a long label ' * 12}".strip() for place in range(3)]
    table = "actual,predicted\n" + "".join(f"{label},{labels[0]}\n" for label in labels)
    shares = ",".join(f"{label}={share}" for label, share in zip(labels, (0.5, 0.25, 0.25), strict=True))
    result = run("evaluate", "-", "--explain", "recall_macro", "--prevalence", shares, stdin=table)
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert max(map(len, lines)) <= 100
    assert "counts are expected counts." in lines[-1]


def test_a_failure_leaves_no_file(run: Any) -> None:
    before = sorted(Path().iterdir())
    assert run("evaluate", "missing.csv", "-o", "out.json").code == 2
    assert sorted(Path().iterdir()) == before
