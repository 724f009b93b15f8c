"""ARFF: what scipy reads of dense files, what WEKA means by sparse ones, and every flaw with its line."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
import scipy.io.arff

from tallymark.errors import TallymarkError
from tallymark.intake.files.tables import Table, column_names, nominal_columns, read_table

HEADER = "@relation r\n@attribute a {x, y}\n@attribute b numeric\n@data\n"


def table(folder: Path, text: str, asked: list[str]) -> Table:
    path = folder / "x.arff"
    path.write_text(text)
    return read_table([path], asked)


class TestGood:
    def test_every_type_and_way_of_writing(self, tmp_path: Path) -> None:
        text = (
            "% a comment\n\n@RELATION 'two words'\n"
            "@attribute 'sepal length' REAL\n@Attribute kind{a,'b c', \"d\\\"e\"}   % with a comment\n"
            '@attribute\tnote\tstring\n@attribute day date "yyyy-MM-dd"\n@attribute n integer\n@DATA\n'
            "1.5, a ,'it\\'s',\"2020-01-01\",3\n% between\n\n?,'b c',x,?,2e3\n"
            " 1\t'd\"e' y z -.4  % behind\n'2','a',\"?\",'line\\nend','5'\n"
        )
        names = ["sepal length", "kind", "note", "day", "n"]
        found = table(tmp_path, text, names)
        assert column_names(tmp_path / "x.arff") == names
        assert found.text
        assert found.frame.rows() == [
            ("1.5", "a", "it's", "2020-01-01", "3"),
            (None, "b c", "x", None, "2e3"),
            ("1", 'd"e', "y", "z", "-.4"),
            ("2", "a", "?", "line\nend", "5"),
        ]
        assert found.where([0, 1, 3]) == "lines 10, 13 and 15"

    def test_as_scipy_reads_it(self, tmp_path: Path) -> None:
        rows = "".join(f"{'xyz'[i % 3]}, {i / 7:.3f},{i}\n" for i in range(50))
        text = f"@relation r\n@attribute k {{x,y,z}}\n@attribute s real\n@attribute n numeric\n@data\n{rows}"
        data, meta = scipy.io.arff.loadarff(io.StringIO(text))
        frame = table(tmp_path, text, meta.names()).frame
        assert frame["k"].to_list() == [word.decode() for word in data["k"]]
        assert frame["s"].cast(float).to_list() == data["s"].tolist()
        assert frame["n"].cast(float).to_list() == data["n"].tolist()

    def test_what_a_sparse_row_leaves_out_is_0_or_the_first_label(self, tmp_path: Path) -> None:
        """The WEKA manual: omitted values of a nominal attribute are its first value, not missing."""
        text = (
            "@relation r\n@attribute n numeric\n@attribute k {first, second}\n@attribute t string\n@data\n"
            "{0 7, 1 second, 2 q}\n{2 'a b'}\n{1 ?, 2 x}\n{ 0 1 , 2 y } % c\n{2 z}, {1}\n"
        )
        assert table(tmp_path, text, ["k", "n"]).frame.rows() == [
            ("second", "7"),
            ("first", "0"),
            (None, "0"),
            ("first", "1"),
            ("first", "0"),
        ]

    @pytest.mark.parametrize("row", ["x,1,{1}", "x,1 {1.0}", "x , 1 , { 1 } % c", "'x' 1"])
    def test_a_weight_of_one_is_no_weight(self, tmp_path: Path, row: str) -> None:
        assert table(tmp_path, f"{HEADER}{row}\n", ["a", "b"]).frame.rows() == [("x", "1")]

    def test_names_twice_are_fine_when_not_asked_for(self, tmp_path: Path) -> None:
        text = "@relation r\n@attribute q real\n@attribute q real\n@attribute b real\n@data\n1,2,3\n"
        assert table(tmp_path, text, ["b"]).frame.rows() == [("3",)]

    def test_weights_of_attributes_say_nothing_about_rows(self, tmp_path: Path) -> None:
        text = "@relation r\n@attribute a {x,y} {0.5}\n@attribute b real {2}\n@data\nx,1\n"
        assert table(tmp_path, text, ["a", "b"]).frame.rows() == [("x", "1")]

    def test_windows_lines_and_a_byte_order_mark(self, tmp_path: Path) -> None:
        text = "\ufeff" + (HEADER + "y,2\n").replace("\n", "\r\n")
        (tmp_path / "x.arff").write_bytes(text.encode())
        found = read_table([tmp_path / "x.arff"], ["a", "b"])
        assert found.frame.rows() == [("y", "2")]
        assert found.where([0]) == "line 5"


ROWS = {
    "unknown label": ("x,1\nz,1\n", "line 6 of", "has 'z' for 'a'; its labels are 'x' and 'y'"),
    "label in another case": ("X,1\n", "line 5 of", "case-sensitive"),
    "too few values": ("x,1\n\nx\n", "line 7 of", "has 1 value; the header declares 2 attributes"),
    "too many values": ("x,1,2\n", "line 5 of", "has 3 values"),
    "a blank inside a value": ("x y,1\n", "line 5 of", "has 3 values", "in quotes"),
    "no number": ("x,abc\n", "line 5 of", "has 'abc' for 'b', which is numeric"),
    "nan": ("x,NaN\n", "line 5 of", "'NaN'", "a missing value is written ?"),
    "unclosed quote": ("'x,1\n", "line 5 of", "a quote (') that is never closed"),
    "unclosed double quote": ('x,"1\n', "line 5 of", 'a quote (") that is never closed'),
    "text behind a quote": ("'x'y,1\n", "line 5 of", "'y' right behind the value 'x'"),
    "quote inside a bare value": ("x'y,1\n", "line 5 of", "right behind the value 'x'"),
    "percent sign in a bare value": ("x,50%\n", "line 5 of", "'%' right behind the value '50'"),
    "empty value": ("x,,1\n", "line 5 of", "nothing between two commas", "?"),
    "comma at the end": ("x,1,\n", "line 5 of", "ends with a comma"),
    "comma at the beginning": (",1\n", "line 5 of", "begins with a comma"),
    "weight": ("x,1\nx,1,{0.5}\n", "line 6 of", "the weight 0.5", "column of their own"),
    "weight of a sparse row": ("{0 x}, {2}\n", "line 5 of", "the weight 2"),
    "no weight in braces": ("x,1,{heavy}\n", "line 5 of", "'{heavy}' behind its values"),
    "position too large": ("{0 x, 5 1}\n", "line 5 of", "position '5'", "from 0 to 1"),
    "position twice": ("{0 x, 0 y}\n", "line 5 of", "position '0'"),
    "position that is no number": ("{a x}\n", "line 5 of", "position 'a'"),
    "sparse row not closed": ("{0 x\n", "line 5 of", "never closed with }"),
    "sparse row with half a pair": ("{0 x, 1}\n", "line 5 of", "odd number of words"),
    "stray brace": ("x,1}\n", "line 5 of", "a } where a value is expected"),
    "no rows": ("", "there are no rows in"),
    "nul": ("x,\0\n", "line 5 of", "NUL byte"),
}
HEADERS = {
    "unknown type": (
        "@relation r\n@attribute a foo\n@data\n1\n",
        "line 2 of",
        "'a' has the unknown type 'foo'",
    ),
    "no type": ("@relation r\n@attribute a\n@data\n1\n", "line 2 of", "'a' has no type"),
    "no name": ("@relation r\n@attribute\n@data\n1\n", "line 2 of", "without a name"),
    "relational": (
        "@relation r\n@attribute bag relational\n",
        "line 2 of",
        "'bag' is a relational attribute",
    ),
    "no data": ("@relation r\n@attribute a real\n", "has no @data line", "cut short"),
    "no attributes": ("@relation r\n@data\n1\n", "declares no @attribute", "line 2"),
    "other words": ("@relation r\nhello\n", "line 2 of", "got 'hello'"),
    "unclosed name": ("@relation r\n@attribute 'a real\n@data\n1\n", "line 2 of", "never closed"),
    "unclosed set": ("@relation r\n@attribute a {x,y\n@data\nx\n", "line 2 of", "never closed with }"),
    "label twice": (
        "@relation r\n@attribute a {x,x}\n@data\nx\n",
        "line 2 of",
        "a label twice in the set of 'a'",
    ),
    "empty set": ("@relation r\n@attribute a {}\n@data\nx\n", "line 2 of", "no label in the set of 'a'"),
    "name twice": (
        "@relation r\n@attribute a real\n@attribute a real\n@data\n1,2\n",
        "has 2 columns named 'a' (columns 1 and 2)",
    ),
    "absent": ("@relation r\n@attribute A real\n@data\n1\n", "has no column 'a'", "did you mean 'A'"),
    "sparse row without a text": (
        "@relation r\n@attribute n real\n@attribute a string\n@data\n{0 1}\n",
        "line 5 of",
        "leaves out 'a', a string attribute",
    ),
    "a csv": ("a,b\n1,2\n", "line 1 of", "expected @relation, @attribute or @data; got 'a,b'"),
}


@pytest.mark.parametrize("bad", [*ROWS.values(), *HEADERS.values()], ids=[*ROWS, *HEADERS])
def test_refused(tmp_path: Path, bad: tuple[str, ...]) -> None:
    rows = bad in ROWS.values()
    with pytest.raises(TallymarkError) as caught:
        table(tmp_path, (HEADER if rows else "") + bad[0], ["a", "b"] if rows else ["a"])
    message = str(caught.value)
    assert message.isprintable()
    assert "x.arff" in message
    assert all(words in message for words in bad[1:]), message


def test_nominal_columns_are_known(tmp_path: Path) -> None:
    path = tmp_path / "x.arff"
    path.write_text("@relation r\n@attribute a {1,2}\n@attribute b real\n@attribute c {x}\n@data\n1,2,x\n")
    assert nominal_columns(path) == ["a", "c"]
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    assert nominal_columns(tmp_path / "x.csv") == []
