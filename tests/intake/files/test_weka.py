"""What WEKA prints, in the forms its versions have; labels are compared by name, never by a cut-off one."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tallymark.errors import TallymarkError
from tallymark.intake.files.tables import Table, column_names, read_table

PLAIN = """
=== Run information ===

Scheme:       weka.classifiers.trees.J48 -C 0.25 -M 2
Relation:     pima_diabetes

=== Predictions on test data ===

 inst#     actual  predicted error prediction
     1 1:tested_negative 1:tested_negative       0.846
     2 2:tested_positive 1:tested_negative   +   0.6
     3        1:? 2:tested_positive       1
     1 2:tested_positive 2:tested_positive       0.75

=== Stratified cross-validation ===
=== Summary ===

Correctly Classified Instances           2               66.6667 %

  a b   <-- classified as
 1 0 | a = tested_negative
 1 1 | b = tested_positive
"""
CSV = "inst#,actual,predicted,error,prediction\n1,1:yes,1:yes,,0.9\n2,2:no,1:yes,+,0.7\n3,1:?,2:no,,0.6\n"
HEAD = " inst#     actual  predicted error prediction\n"


def table(folder: Path, text: str, asked: list[str], name: str = "x.txt") -> Table:
    path = folder / name
    path.write_text(text)
    return read_table([path], asked)


class TestPlain:
    @pytest.mark.parametrize("name", ["x.txt", "x.out", "x", "x.csv", "x.tsv"])
    def test_recognised_by_its_header_whatever_the_suffix(self, tmp_path: Path, name: str) -> None:
        found = table(tmp_path, PLAIN, ["inst#", "actual", "predicted", "error", "prediction"], name)
        negative, positive = "tested_negative", "tested_positive"
        assert found.text
        assert found.frame.rows() == [
            ("1", negative, negative, None, "0.846"),
            ("2", positive, negative, "+", "0.6"),
            ("3", None, positive, None, "1"),
            ("1", positive, positive, None, "0.75"),
        ]
        assert found.where([0, 3]) == "lines 10 and 13"

    def test_compressed(self, tmp_path: Path) -> None:
        (tmp_path / "x.txt.gz").write_bytes(gzip.compress(PLAIN.encode()))
        assert read_table([tmp_path / "x.txt.gz"], ["actual"]).where([1]) == "line 11"

    def test_a_delimiter_does_not_make_it_csv(self, tmp_path: Path) -> None:
        (tmp_path / "x.txt").write_text(PLAIN)
        assert read_table([tmp_path / "x.txt"], ["actual"], delimiter=";").frame.height == 4

    def test_as_version_3_8_aligns_it(self, tmp_path: Path) -> None:
        text = (
            "    inst#     actual  predicted error prediction\n        1        1:a        2:b   +   0.9 \n"
        )
        assert table(tmp_path, text, ["actual", "predicted"]).frame.rows() == [("a", "b")]

    def test_the_header_with_empty_brackets(self, tmp_path: Path) -> None:
        text = " inst#     actual  predicted error prediction ()\n     1        1:H       2:NH   +   1 \n"
        assert table(tmp_path, text, ["actual", "predicted"]).frame.rows() == [("H", "NH")]

    def test_attributes(self, tmp_path: Path) -> None:
        text = (
            " inst#     actual  predicted error prediction (age,note)\n"
            "     1        1:a        1:a       0.9 (33,'x, (y)')\n"
            "     2        2:b        1:a   +   0.5 (?,z)\n"
        )
        found = table(tmp_path, text, ["note", "age", "actual"])
        assert column_names(tmp_path / "x.txt")[5:] == ["age", "note"]
        assert found.frame.rows() == [("x, (y)", "33", "a"), ("z", None, "b")]

    def test_distribution(self, tmp_path: Path) -> None:
        text = (
            " inst#     actual  predicted error distribution\n"
            "     1        1:a        1:a       *0.8,0.1,0.1\n"
            "     2        2:b        1:a   +   *0.5,0.3,0.2\n"
            "     3        2:b          ?       ?\n"
        )
        found = table(tmp_path, text, ["p_a", "p_b", "distribution_3", "prediction", "predicted"])
        assert column_names(tmp_path / "x.txt") == [
            *("inst#", "actual", "predicted", "error", "prediction", "p_a", "p_b", "distribution_3")
        ]
        assert found.frame.rows() == [
            ("0.8", "0.1", "0.1", "0.8", "a"),
            ("0.5", "0.3", "0.2", "0.5", "a"),
            (None, None, None, None, None),
        ]

    def test_labels_with_blanks_are_quoted_on_one_side_only(self, tmp_path: Path) -> None:
        text = f"{HEAD}     1 1:'no way'   1:no way       0.9\n     2      2:yes   1:no way   +   0.8\n"
        found = table(tmp_path, text, ["actual", "predicted"])
        assert found.frame.rows() == [("no way", "no way"), ("yes", "no way")]


class TestCsv:
    @pytest.mark.parametrize("name", ["x.csv", "x.txt", "x"])
    def test_prediction(self, tmp_path: Path, name: str) -> None:
        found = table(tmp_path, CSV, ["actual", "predicted", "error", "prediction"], name)
        assert found.frame.rows() == [
            ("yes", "yes", None, "0.9"),
            ("no", "yes", "+", "0.7"),
            (None, "no", None, "0.6"),
        ]
        assert found.where([2]) == "line 4"

    def test_tabs(self, tmp_path: Path) -> None:
        found = table(tmp_path, CSV.replace(",", "\t"), ["actual"], "x.tsv")
        assert found.frame["actual"].to_list() == ["yes", "no", None]

    def test_a_comma_at_the_end_of_rows(self, tmp_path: Path) -> None:
        text = "inst#,actual,predicted,error,prediction\n1,1:I,1:I,,0.879,\n2,1:I,2:S,+,0.638,\n"
        assert table(tmp_path, text, ["predicted"]).frame["predicted"].to_list() == ["I", "S"]

    @pytest.mark.parametrize("end", ["", ","])
    def test_distribution(self, tmp_path: Path, end: str) -> None:
        """Asked for no attributes, WEKA ends the header and every row with a comma."""
        rows = ["inst#,actual,predicted,error,distribution,,", "1,1:a,1:a,,*0.9,0.1,0", "2,2:b,?,,?"]
        found = table(tmp_path, "".join(f"{row}{end}\n" for row in rows), ["p_a", "p_b", "distribution_3"])
        assert found.frame.rows() == [("0.9", "0.1", "0"), (None, None, None)]

    def test_distribution_and_attributes(self, tmp_path: Path) -> None:
        text = (
            "inst#,actual,predicted,error,distribution,,,age,note\n"
            "1,1:a,1:a,,*0.958,0.021,0.021,7,'x, y'\n2,2:b,3:c,+,0.1,0.2,*0.7,?,z\n"
        )
        found = table(tmp_path, text, ["p_a", "p_b", "p_c", "prediction", "age", "note"])
        assert found.frame.rows() == [
            ("0.958", "0.021", "0.021", "0.958", "7", "x, y"),
            ("0.1", "0.2", "0.7", "0.7", None, "z"),
        ]

    def test_quoted_labels(self, tmp_path: Path) -> None:
        text = (
            "inst#,actual,predicted,error,prediction\n1,1:'it\\'s, so',2:b,+,0.9\n2,2:b,1:'it\\'s, so',+,1\n"
        )
        found = table(tmp_path, text, ["actual", "predicted"])
        assert found.frame.rows() == [("it's, so", "b"), ("b", "it's, so")]


BAD = {
    "two tables": (PLAIN + PLAIN, "a second table of predictions begins on line 31", "training"),
    "numeric class": (
        " inst#     actual  predicted      error\n     1     2.5     2.6     0.1\n",
        "of a number",
    ),
    "a blank line inside": (PLAIN.replace("     3 ", "\n     3 "), "line 13 of", "the table ended before it"),
    "a class with two names": (PLAIN.replace("     2 2:", "     2 1:"), "line 11 of", "calls class 1"),
    "two classes of one name": (
        f"{HEAD}     1 1:abnormal 1:abnormal       1\n     2 2:abnormal 1:abnormal   +   1\n",
        "calls both class 1 and class 2 'abnormal'",
        "WEKA cuts long names",
    ),
    "decimal comma": (PLAIN.replace("0.846", "0,846"), "line 10 of", "'0,846' where a number is expected"),
    "cut short": (PLAIN[: PLAIN.index("1:? 2:tested")], "line 12 of", "is not a row"),
    "a label cut off inside its quotes": (
        f"{HEAD}     1 1:'no wa   1:no way       0.9\n",
        "line 2 of",
        "CSV",
    ),
    "no index": (f"{HEAD}     1        yes         no   +   0.9\n", "line 2 of", "is not a row"),
    "no index in csv": (
        CSV.replace("2:no,1:yes", "no,1:yes"),
        "line 3 of",
        "'no' where a class such as 1:yes",
    ),
    "ragged csv": (CSV.replace(",+,0.7", ""), "line 3 of", "is not a row"),
    "a comma in an unquoted label": (CSV.replace("1:yes,+", "1:yes, sir,+"), "line 3 of", "is not a row"),
    "header only": (HEAD, "there are no rows in"),
    "star at another class": (
        " inst#     actual  predicted error distribution\n     1        1:a        1:a       0.1,*0.9\n",
        "line 2 of",
        "'0.1,*0.9'",
    ),
    "shares of other lengths": (
        " inst#     actual  predicted error distribution\n"
        "     1        1:a        1:a       *0.9,0.1\n     2        1:a        1:a       *0.9,0.1,0\n",
        "line 3 of",
        "3 shares",
    ),
    "attributes missing": (
        " inst#     actual  predicted error prediction (age)\n     1        1:a        1:a       0.9\n",
        "line 2 of",
        "is not a row",
    ),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
def test_refused(tmp_path: Path, bad: tuple[str, ...]) -> None:
    with pytest.raises(TallymarkError) as caught:
        table(tmp_path, bad[0], ["actual"])
    message = str(caught.value)
    assert message.isprintable()
    assert "x.txt" in message
    assert all(words in message for words in bad[1:]), message
