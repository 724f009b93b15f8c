"""From files to rows: parts, guessed columns, words for missing, ids, and errors that name lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tallymark as tm
from tallymark.evaluation import Evaluation, evaluate


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def writer(content: str, name: str = "data.csv") -> Path:
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return writer


@pytest.fixture
def write_parquet(tmp_path: Path) -> Any:
    def writer(columns: dict[str, Any], name: str = "data.parquet") -> Path:
        path = tmp_path / name
        pl.DataFrame(columns).write_parquet(path)
        return path

    return writer


def matrix(ev: Evaluation) -> list[list[int]]:
    assert ev.confusion is not None
    counts: list[list[int]] = ev.confusion.matrix.tolist()
    return counts


def refusal(error: type[tm.TallymarkError], *data: Any, **options: Any) -> tm.TallymarkError:
    with pytest.raises(error) as caught:
        evaluate(*data, **options)
    assert "\n" not in str(caught.value)
    caught.value.message = caught.value.message.removeprefix(f"{data[0]}: ")
    return caught.value


# --- files are counted as arrays are ----------------------------------------------------------------


def test_a_csv_file(write: Any) -> None:
    path = write("y,p,x\nyes,no,1\nno,no,2\nyes,yes,3\n")
    for place in (path, str(path)):
        ev = evaluate(place, actual="y", predicted="p")
        assert ev.confusion == evaluate(["yes", "no", "yes"], ["no", "no", "yes"]).confusion
        assert ev.notes == ()


def test_a_tab_separated_file_and_a_named_delimiter(write: Any) -> None:
    for path, options in (
        (write("y\tp\na\tb\n", "data.tsv"), {}),
        (write("y;p\na;b\n", "data.csv"), {"delimiter": ";"}),
        (write("y|p\na|b\n", "data.txt"), {"delimiter": "|"}),
    ):
        assert evaluate(path, actual="y", predicted="p", **options).labels == ("a", "b")


def test_text_that_is_all_whole_numbers_is_read_as_numbers(write: Any) -> None:
    ev = evaluate(write("y,p\n1,1.0\n0,1\n10,9\n"), actual="y", predicted="p")
    assert ev.labels == (0, 1, 9, 10)
    assert ev.notes == ("labels were read as whole numbers.",)


def test_labels_of_a_file_are_as_written(write: Any) -> None:
    ev = evaluate(write("y,p\n007,7\n+1, 7\n2024-01-01,7\n"), actual="y", predicted="p")
    assert ev.labels == (" 7", "+1", "007", "2024-01-01", "7")


def test_a_parquet_file_keeps_its_types(write_parquet: Any) -> None:
    ev = evaluate(write_parquet({"y": [True, False, True], "p": [1, 0, 0]}), actual="y", predicted="p")
    assert (ev.labels, ev.positive) == ((0, 1), 1)
    assert matrix(ev) == [[1, 0], [1, 1]]
    path = write_parquet({"y": [0, 1], "p": ["0", "1"]})
    assert "so no label would ever match" in refusal(tm.LabelError, path, actual="y", predicted="p").message


def test_labels_given_as_text_fit_a_parquet_file_of_numbers(write_parquet: Any) -> None:
    """The command line can only give text."""
    path = write_parquet({"y": [0, 1, 1], "s": [0.1, 0.2, 0.9]})
    ev = evaluate(path, actual="y", score="s", labels=["1", "0"], pos_label="1")
    assert (ev.labels, ev.positive) == (("1", "0"), "1")
    assert matrix(ev) == [[1, 1], [0, 1]]


def test_scores_and_probabilities_in_text_are_numbers(write: Any) -> None:
    ev = evaluate(write("y,s\n1, 0.5\n0,5e-1 \n1,.25\n0,0\n"), actual="y", score="s")
    assert matrix(ev) == [[1, 1], [1, 1]]
    path = write("y,p_b,p_a\na,0.25,0.75\nb,0.50,0.50\n")
    ev = evaluate(path, actual="y", probabilities=["p_b", "p_a"])
    assert matrix(ev) == [[1, 0], [1, 0]]
    assert ev.notes == ("1 row has a tie for the largest probability; the first in label order was taken.",)


# --- parts of one table -----------------------------------------------------------------------------


def test_several_csv_files_are_parts_of_one_table(write: Any) -> None:
    parts = [write("y,p\na,a\nb,a\n", "1.csv"), write("p\ty\nb\ta\n", "2.tsv")]
    ev = evaluate(parts, actual="y", predicted="p")
    assert matrix(ev) == [[1, 1], [1, 0]]


def test_several_parquet_files_are_parts_of_one_table(write_parquet: Any) -> None:
    parts = [
        write_parquet({"y": [0, 1], "p": [0, 0]}, "1.parquet"),
        write_parquet({"y": [1], "p": [1]}, "2.pq"),
    ]
    assert matrix(evaluate(tuple(map(str, parts)), actual="y", predicted="p")) == [[1, 0], [1, 1]]


def test_text_and_parquet_are_not_mixed(write: Any, write_parquet: Any) -> None:
    parts = [write("y,p\n0,0\n"), write_parquet({"y": [0], "p": [0]})]
    assert "one is text, the other Parquet" in refusal(tm.FileError, parts, actual="y", predicted="p").message


def test_number_text_becomes_numbers_only_when_every_part_has_it(write: Any) -> None:
    parts = [write("y,p\n1,2\n", "1.csv"), write("y,p\na,2\n", "2.csv")]
    assert evaluate(parts, actual="y", predicted="p").labels == ("1", "2", "a")


def test_a_bad_value_is_placed_in_its_part(write: Any) -> None:
    parts = [write("y,s\n1,0.5\n", "1.csv"), write("y,s\n1,0.5\n0,half\n", "2.csv")]
    error = refusal(tm.ColumnError, parts, actual="y", score="s")
    assert error.message == "score (column 's') holds 'half' at line 3 of 2.csv; numbers are expected."


def test_a_part_is_given_once(write: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, other = write("y,p\na,a\nb,a\n", "1.csv"), write("y,p\na,a\nb,a\n", "2.csv")
    (tmp_path / "link.csv").symlink_to(path)
    monkeypatch.chdir(tmp_path)
    for again in (path, str(path), "1.csv", tmp_path / "." / "1.csv", "link.csv"):
        error = refusal(tm.OptionError, [path, other, again], actual="y", predicted="p")
        also = "" if Path(again) == path else f", also as {again!r}"
        assert error.message == f"the file {str(path)!r} is given twice{also}; its rows would count double."
    # Two files of the same rows are two files.
    assert evaluate([path, other], actual="y", predicted="p").rows == 4


def test_a_column_has_one_role(write: Any) -> None:
    path = write("y,p\na,a\nb,a\n")
    for roles, name in (
        ({"actual": "y", "predicted": "y"}, "y"),
        ({"actual": "y", "predicted": "p", "score": "p"}, "p"),
        ({"actual": "y", "probabilities": ["p", "p"]}, "p"),
    ):
        error = refusal(tm.OptionError, path, **roles)
        assert error.message == f"column {name!r} is named for two roles; a column has one."


def test_parts_must_be_named() -> None:
    refusal(tm.OptionError, [])


# --- guessed columns --------------------------------------------------------------------------------


def test_guessed_columns_are_said(write: Any) -> None:
    ev = evaluate(write("id,Target,y_pred\n1,a,b\n"))
    assert ev.notes == (
        "column 'Target' was taken as actual (guessed from its name).",
        "column 'y_pred' was taken as predicted (guessed from its name).",
    )
    assert "guessed from its name" in " ".join(str(ev).split())
    assert ev.to_dict()["notes"] == list(ev.notes)


def test_only_what_nobody_named_is_guessed(write: Any) -> None:
    path = write("actual,predicted,score\n1,0,0.9\n0,0,0.1\n")
    ev = evaluate(path, score="score", threshold=0.5)
    assert ev.notes[0] == "column 'actual' was taken as actual (guessed from its name)."
    assert not any("predicted" in note for note in ev.notes)
    assert matrix(ev) == [[1, 0], [0, 1]]
    ev = evaluate(path, actual="actual")
    assert [note for note in ev.notes if "guessed" in note] == [
        "column 'predicted' was taken as predicted (guessed from its name)."
    ]
    assert (ev.threshold, matrix(ev)) == (None, [[1, 0], [1, 0]])


def test_a_score_is_not_guessed_beside_answers_so_its_gaps_cost_no_rows(write: Any) -> None:
    path = write("actual,predicted,score\n1,1,0.9\n0,1,\n1,0,\n0,0,nonsense\n")
    for data in (path, pl.read_csv(path)):
        ev = evaluate(data)
        assert (ev.rows, ev.dropped, matrix(ev)) == (4, {}, [[1, 1], [1, 1]])
        assert not any("'score'" in note for note in ev.notes)
    # Who asks for the score gets it, gaps and all.
    error = refusal(tm.ColumnError, path, predicted="predicted", score="score")
    assert error.message == "score holds 'nonsense' at line 5; numbers are expected."


def test_a_score_is_guessed_where_no_answers_are(write: Any) -> None:
    ev = evaluate(write("actual,score\n1,0.9\n0,0.1\n"))
    assert ev.notes[1] == "column 'score' was taken as score (guessed from its name)."
    assert matrix(ev) == [[1, 0], [0, 1]]


def test_a_column_that_was_named_is_not_guessed_for_another_role(write: Any) -> None:
    error = refusal(tm.ColumnError, write("label,predicted\na,b\n"), predicted="label")
    assert error.message == "no column is named for the actual classes; the columns are 'label', 'predicted'."


def test_a_threshold_on_guessed_answers_says_how_to_cut_the_score(write: Any) -> None:
    error = refusal(tm.OptionError, write("actual,predicted,score\n1,0,0.9\n"), threshold=0.3)
    assert error.hint is not None
    assert "--score" in error.hint


def test_an_absent_column_is_named(write: Any) -> None:
    error = refusal(tm.ColumnError, write("label,answer\na,b\n"), actual="lable", predicted="answer")
    assert "has no column 'lable'; its columns are 'label' and 'answer'." in error.message
    assert error.hint is not None
    assert "did you mean 'label'" in error.hint


# --- missing values and words for them --------------------------------------------------------------


def test_only_an_empty_field_is_missing_in_a_label_column(write: Any) -> None:
    path = write("y,p\nNA,a\nnull,a\nNone,a\n,a\nnan,a\n,a\n")
    error = refusal(tm.MissingValueError, path, actual="y", predicted="p")
    assert error.message == "actual (column 'y') is missing in 2 of 6 rows, at lines 5 and 7."
    ev = evaluate(path, actual="y", predicted="p", missing="drop")
    assert ev.labels == ("NA", "None", "a", "nan", "null")
    assert ev.dropped == {"missing_actual": 2}


def test_a_word_in_a_number_column_is_an_error_that_suggests_to_call_it_missing(write: Any) -> None:
    path = write("y,s\n1,0.5\n0,NA\n1,\n0, NA\n")
    error = refusal(tm.ColumnError, path, actual="y", score="s")
    assert error.message == "score (column 's') holds 'NA', ' NA' at lines 3 and 5; numbers are expected."
    assert error.hint == "if 'NA' means missing, say so: --missing NA (in Python missing_words=['NA'])."


@pytest.mark.parametrize("words", [["NA"], ("NA", "-"), "NA"])
def test_words_that_mean_missing_are_missing(write: Any, words: Any) -> None:
    path = write("y,s\n1,0.5\n0,NA\n1,\n0, NA\n")
    error = refusal(tm.MissingValueError, path, actual="y", score="s", missing_words=words)
    assert error.message == "score (column 's') is missing in 3 of 4 rows, at lines 3, 4 and 5."
    ev = evaluate(path, actual="y", score="s", missing_words=words, missing="drop")
    assert (ev.rows, ev.dropped) == (1, {"missing_score": 3})


def test_words_that_mean_missing_are_meant_in_label_columns_too(write: Any, write_parquet: Any) -> None:
    rows = {"y": ["a", "NA", "b", "a"], "p": ["a", "b", "?", None]}
    text = "y,p\n" + "".join(f"{y},{p or ''}\n" for y, p in zip(*rows.values(), strict=True))
    for path in (write(text), write_parquet(rows)):
        ev = evaluate(path, actual="y", predicted="p", missing_words=["NA", "?"], missing="drop")
        assert ev.dropped == {"missing_actual": 1, "missing_predicted": 2}


def test_words_that_mean_missing_are_numbers_in_the_numbers_of_a_parquet_file(write_parquet: Any) -> None:
    path = write_parquet({"y": [0, 1, -1], "p": [0, 1, 1]})
    ev = evaluate(path, actual="y", predicted="p", missing_words=["-1", "NA"], missing="drop")
    assert (ev.labels, ev.dropped) == ((0, 1), {"missing_actual": 1})


def test_nulls_of_a_parquet_file_are_missing(write_parquet: Any) -> None:
    path = write_parquet({"y": [0, None, 1], "s": [None, None, 0.5]})
    error = refusal(tm.MissingValueError, path, actual="y", score="s")
    assert error.message == (
        "actual (column 'y') is missing in 1 of 3 rows, at row 2; "
        "score (column 's') is missing in 2 of 3 rows, at rows 1 and 2."
    )


# --- errors that name lines -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "hint"),
    [
        ("half", None),
        ("1_0", None),
        ("0x1", None),
        ("nan", "if 'nan' means missing, say so: --missing nan (in Python missing_words=['nan'])."),
        ('"0,5"', "decimals are written with a point, not a comma."),
        ("50%", "write percentages as shares: 0.25 for 25%."),
        ("  ", None),
    ],
)
def test_what_is_no_number_is_named_with_its_line(write: Any, field: str, hint: str | None) -> None:
    error = refusal(tm.ColumnError, write(f"y,s\n1,0.5\n0,{field}\n"), actual="y", score="s")
    value = field.strip('"')
    assert error.message == f"score (column 's') holds {value!r} at line 3; numbers are expected."
    assert error.hint == hint


def test_infinite_numbers_are_named_with_their_lines(write: Any) -> None:
    error = refusal(tm.ColumnError, write("y,s\n1,inf\n0,-inf\n0,1e999\n"), actual="y", score="s")
    assert error.message == (
        "score (column 's') is infinite in 3 rows, at lines 2, 3 and 4; finite numbers are expected."
    )


def test_a_column_called_like_its_role_is_not_named_twice(write: Any) -> None:
    path = write("actual,p_b,score,p_0\n1,0.5,half,0.5\n0,inf,0.5,0.5\n,0.5,0.5,0.5\n")
    error = refusal(tm.ColumnError, path, score="score")
    assert error.message == "score holds 'half' at line 2; numbers are expected."
    error = refusal(tm.MissingValueError, path, predicted="p_b")
    assert error.message == "actual is missing in 1 of 3 rows, at line 4."
    error = refusal(tm.ColumnError, path, probabilities={"1": "p_b", "0": "p_0"})
    assert error.message == (
        "probability (column 'p_b') is infinite in 1 row, at line 3; finite numbers are expected."
    )


def test_a_long_value_is_cut(write: Any) -> None:
    error = refusal(tm.ColumnError, write(f"y,s\n1,{'x' * 61}\n0,{'z' * 60}\n"), actual="y", score="s")
    assert error.message == (
        f"score (column 's') holds {'x' * 59!r}..., {'z' * 60!r} at lines 2 and 3; numbers are expected."
    )


def test_lines_are_those_of_the_file_also_behind_quoted_line_ends_and_dropped_rows(write: Any) -> None:
    path = write('y,p\n"a\nb",x\n,x\nz,x\n')
    error = refusal(tm.LabelError, path, actual="y", predicted="p", labels=["a\nb", "x"], missing="drop")
    assert error.message == "actual (column 'y') holds ['z'] at line 5; the labels given are ['a\\nb', 'x']."


def test_probabilities_that_do_not_add_up_are_named_with_their_lines(write: Any) -> None:
    path = write("y,a,b\na,0.5,0.5\nb,0.5,0.4\n")
    error = refusal(tm.ColumnError, path, actual="y", probabilities=["a", "b"])
    assert error.message == (
        "the probabilities of a row add up to 1; 1 row does not, at line 3; the first adds up to 0.9."
    )


def test_scores_named_as_answers_are_recognised(write: Any) -> None:
    error = refusal(tm.LabelError, write("y,s\n1,0.75\n0,0.25\n"), actual="y", predicted="s")
    assert error.message == "predicted (column 's') holds decimals such as '0.25', not labels."


# --- ids --------------------------------------------------------------------------------------------


def test_ids_are_unique_and_present_over_all_parts(write: Any) -> None:
    good = [write("id,y,p\na,1,1\nb,0,0\n", "1.csv"), write("id,y,p\nc,1,1\n", "2.csv")]
    assert evaluate(good, actual="y", predicted="p", id="id").rows == 3
    bad = [good[0], write("id,y,p\nc,1,1\nb,0,0\n,1,0\n", "3.csv")]
    error = refusal(tm.InputError, bad, actual="y", predicted="p", id="id")
    assert error.message == (
        "ids must be unique and present; column 'id' repeats 'b' at line 3 of 1.csv and "
        "line 3 of 3.csv and lacks one at line 4 of 3.csv."
    )


# --- what does not go with files --------------------------------------------------------------------


def test_arrays_do_not_go_with_a_file(write: Any) -> None:
    error = refusal(tm.OptionError, write("y,p\n1,1\n"), [1])
    assert error.message == "a file has its answers in columns; name them with predicted= or score=."


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert "there is no file" in refusal(tm.FileError, tmp_path / "none.csv").message


def test_a_wrong_delimiter_is_suggested_before_columns_are_guessed(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("actual;predicted\n1;0\n")
    with pytest.raises(tm.ColumnError) as caught:
        tm.evaluate(path)
    assert caught.value.hint == "the header has ';' in it: try delimiter ';' (--delimiter ';')."


def test_an_exact_name_is_guessed_before_one_in_another_case(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("actual,ACTUAL,predicted\n1,0,1\n0,1,0\n")
    assert tm.evaluate(path)["accuracy"].value == 1


def test_a_guess_in_use_does_not_block_the_next(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("true,y\n1,1\n0,0\n")
    assert tm.evaluate(path, predicted="true").notes[0].startswith("column 'y' was taken as actual")


def test_words_that_mean_missing_are_found_in_categories_and_decimals_and_spare_large_numbers(
    write_parquet: Any,
) -> None:
    words = pl.Series(["a", "NA", "b"], dtype=pl.Categorical)
    ev = evaluate(
        write_parquet({"y": words, "p": ["a", "a", "b"]}),
        actual="y",
        predicted="p",
        missing_words=["NA"],
        missing="drop",
    )
    assert (ev.labels, ev.rows) == (("a", "b"), 2)
    large = [2**53, 2**53 + 1]
    ev = evaluate(
        write_parquet({"y": large, "p": large}),
        actual="y",
        predicted="p",
        missing_words=[str(2**53)],
        missing="drop",
    )
    assert (ev.labels, ev.rows) == ((2**53 + 1,), 1)
    ev = evaluate(
        write_parquet({"y": [0, 1], "s": [-1.0, 0.7]}),
        actual="y",
        score="s",
        missing_words=["-1"],
        missing="drop",
    )
    assert ev.dropped == {"missing_score": 1}
