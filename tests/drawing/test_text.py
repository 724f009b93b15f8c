from __future__ import annotations

import re
import time
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from tallymark.drawing import (
    Block,
    Column,
    Document,
    Finding,
    Findings,
    Lines,
    Paragraph,
    Section,
    Table,
    text,
)
from tallymark.errors import OptionError


def words(title: str) -> Column:
    return Column(title, "left")


def drawn(*blocks: Block, width: int = 100) -> str:
    return text(Document("", (Section("", blocks),)), width)


def expected(picture: str) -> str:
    return dedent(picture).strip("\n")


SMALL = Document(
    "Evaluation of predictions.csv",
    (
        Section(
            "Summary",
            (
                Table((words(""), Column("")), (("rows", "500"), ("positive class", "yes"))),
                Paragraph("Intervals are at the 95% level and take the rows as independent."),
            ),
        ),
        Section(
            "By class",
            (
                Table(
                    (words("class"), Column("n"), Column("recall"), Column("95% interval")),
                    (
                        ("yes", "190", "0.789", "[0.726, 0.841]"),
                        ("no", "310", "0.806", "[0.759, 0.846]"),
                        ("Weighted Avg.", "500", "0.800", "-"),
                    ),
                    title="One class against the rest",
                    rule_before=(2,),
                ),
            ),
        ),
        Section(
            "Recall, worked", (Lines(("recall = tp / (tp + fn)", "       = 150 / 190", "       = 0.789")),)
        ),
        Section(
            "Findings",
            (
                Findings(
                    (
                        Finding("TM004", "Calling every row no would reach an accuracy of 0.620."),
                        Finding("TM011", "Labels look alike."),
                    )
                ),
            ),
        ),
    ),
)


def test_a_small_document() -> None:
    assert text(SMALL, 50) == expected(
        """
        Evaluation of predictions.csv
        =============================

        Summary
        -------

        rows            500
        positive class  yes

        Intervals are at the 95% level and take the rows
        as independent.

        By class
        --------

        One class against the rest
        class            n  recall    95% interval
        -------------  ---  ------  --------------
        yes            190   0.789  [0.726, 0.841]
        no             310   0.806  [0.759, 0.846]
        -------------  ---  ------  --------------
        Weighted Avg.  500   0.800               -

        Recall, worked
        --------------

        recall = tp / (tp + fn)
               = 150 / 190
               = 0.789

        Findings
        --------

        TM004  Calling every row no would reach an
               accuracy of 0.620.
        TM011  Labels look alike.
        """
    )


def test_gutters_are_narrowed_before_labels_are_cut() -> None:
    table = Table(
        (words("class"), Column("precision"), Column("recall")), (("Iris-setosa", "0.714", "0.789"),)
    )
    assert drawn(table, width=30) == expected(
        """
        class        precision  recall
        -----------  ---------  ------
        Iris-setosa      0.714   0.789
        """
    )
    assert drawn(table, width=28) == expected(
        """
        class       precision recall
        ----------- --------- ------
        Iris-setosa     0.714  0.789
        """
    )
    assert drawn(table, width=23) == expected(
        """
        class  precision recall
        ------ --------- ------
        Iris…a     0.714  0.789
        """
    )
    assert "(column 1 of 2)" in drawn(table, width=22)


def weka(*labels: str, mcc: str = "0.925") -> Table:
    titles = ["TP Rate", "FP Rate", "Precision", "Recall", "F-Measure", "MCC", "ROC Area", "PRC Area"]
    values = ("0.940", "0.020", "0.959", "0.940", "0.949", mcc, "?", "?")
    rows = [("", *values, label) for label in labels]
    return Table(
        (words(""), *map(Column, titles), words("Class")),
        (*rows, ("Weighted Avg.", *values, "")),
        rule_before=(len(rows),),
    )


def test_the_class_table_of_weka_keeps_the_names_of_its_classes() -> None:
    assert drawn(weka("Iris-setosa", "Iris-versicolor")) == expected(
        """
                      TP Rate FP Rate Precision Recall F-Measure   MCC ROC Area PRC Area Class
        ------------- ------- ------- --------- ------ --------- ----- -------- -------- ---------------
                        0.940   0.020     0.959  0.940     0.949 0.925        ?        ? Iris-setosa
                        0.940   0.020     0.959  0.940     0.949 0.925        ?        ? Iris-versicolor
        ------------- ------- ------- --------- ------ --------- ----- -------- -------- ---------------
        Weighted Avg.   0.940   0.020     0.959  0.940     0.949 0.925        ?        ?
        """
    )


@pytest.mark.parametrize("length", [1, 9, 10, 11, 12, 19, 20, 40, 1000])
@pytest.mark.parametrize("letter", ["x", "漢"])
def test_the_class_table_of_weka_is_not_folded_for_any_length_of_label(length: int, letter: str) -> None:
    lines = drawn(weka(f"{letter * length}1end", f"{letter * length}2end", mcc="-0.00004")).split("\n")
    assert len(lines) == 6
    one, other = (line.split(" ")[-1] for line in lines[2:4])
    assert one != other
    assert one.startswith(letter)
    assert other.startswith(letter)


def test_a_folded_table_repeats_its_last_words_where_the_first_column_is_mostly_empty() -> None:
    assert drawn(weka("Iris-setosa", "Iris-versicolor"), width=60) == expected(
        """
        (columns 1 to 3 of 8)
                       TP Rate  FP Rate  Precision  Class
        -------------  -------  -------  ---------  ---------------
                         0.940    0.020      0.959  Iris-setosa
                         0.940    0.020      0.959  Iris-versicolor
        -------------  -------  -------  ---------  ---------------
        Weighted Avg.    0.940    0.020      0.959

        (columns 4 to 6 of 8)
                       Recall  F-Measure    MCC  Class
        -------------  ------  ---------  -----  ---------------
                        0.940      0.949  0.925  Iris-setosa
                        0.940      0.949  0.925  Iris-versicolor
        -------------  ------  ---------  -----  ---------------
        Weighted Avg.   0.940      0.949  0.925

        (columns 7 to 8 of 8)
                       ROC Area  PRC Area  Class
        -------------  --------  --------  ---------------
                              ?         ?  Iris-setosa
                              ?         ?  Iris-versicolor
        -------------  --------  --------  ---------------
        Weighted Avg.         ?         ?
        """
    )


def test_numbers_stay_whole_beside_two_columns_of_names_in_the_narrowest_window() -> None:
    blocks = drawn(weka("Iris-setosa", "Iris-versicolor"), width=20).split("\n\n")
    assert len(blocks) == 8
    assert blocks[2] == expected(
        """
        (column 3 of 8)
               Prec…n Class
        ------ ------ ------
                0.959 Iris…a
                0.959 Iris…r
        ------ ------ ------
        Weig….  0.959
        """
    )


def test_words_are_not_repeated_where_the_first_column_names_the_rows() -> None:
    columns = (words("metric"), *(Column(f"number_{i}") for i in range(5)), words("method"))
    rows = (("accuracy", *["0.967"] * 5, "wilson"), ("mcc", *["0.950"] * 5, "none"), ("", *["?"] * 5, "none"))
    picture = drawn(Table(columns, rows), width=40)
    assert "(columns 1 to 3 of 6)" in picture
    assert picture.count("method") == 1


def test_labels_are_cut_before_a_table_is_folded() -> None:
    table = Table(
        (words("class"), Column("precision"), Column("recall")),
        (("order_of_the_long_names_01", "0.714", "0.789"), ("order_of_the_long_names_02", "0.862", "0.806")),
    )
    assert drawn(table, width=34) == expected(
        """
        class             precision recall
        ----------------- --------- ------
        order_of_th…es_01     0.714  0.789
        order_of_th…es_02     0.862  0.806
        """
    )


def test_only_the_widest_of_the_label_columns_are_cut() -> None:
    table = Table(
        (words("kind"), words("name"), Column("n")),
        (("ab", "one_quite_long_name_of_40_characters_end", "1"),),
    )
    assert drawn(table, width=30) == expected(
        """
        kind name                    n
        ---- ----------------------- -
        ab   one_quite_long_…ers_end 1
        """
    )


def test_a_table_too_wide_is_folded_with_the_first_column_repeated() -> None:
    table = Table(
        (words("actual"), *(Column(f"class_{i}") for i in range(1, 6))),
        tuple((f"class_{i}", *(str(10 * i + j) for j in range(1, 6))) for i in (1, 2)),
        title="Counts",
        rule_before=(1,),
    )
    assert drawn(table, width=30) == expected(
        """
        Counts (columns 1 to 2 of 5)
        actual   class_1  class_2
        -------  -------  -------
        class_1       11       12
        -------  -------  -------
        class_2       21       22

        Counts (columns 3 to 4 of 5)
        actual   class_3  class_4
        -------  -------  -------
        class_1       13       14
        -------  -------  -------
        class_2       23       24

        Counts (column 5 of 5)
        actual   class_5
        -------  -------
        class_1       15
        -------  -------
        class_2       25
        """
    )


def test_column_titles_longer_than_their_cells_are_cut_before_a_table_is_folded() -> None:
    labels = ("Iris_versicolor_of_the_north", "Iris_virginica_of_the_north_x")
    table = Table((words("actual"), *map(Column, labels)), ((labels[0], "47", "3"), (labels[1], "2", "48")))
    assert drawn(table, width=40) == expected(
        """
        actual         Iris_ver…rth Iris_vir…h_x
        -------------- ------------ ------------
        Iris_vers…orth           47            3
        Iris_virg…th_x            2           48
        """
    )


def test_wide_characters_keep_the_columns_aligned() -> None:
    table = Table(
        (words("actual"), Column("漢字"), Column("e\u0301")), (("漢字かな", "7", "12"), ("Größe", "100", "3"))
    )
    assert drawn(table) == expected(
        """
        actual    漢字   e\u0301
        --------  ----  --
        漢字かな     7  12
        Größe      100   3
        """
    )


def test_text_from_data_is_escaped() -> None:
    table = Table((words("a\x1bb"), Column("n\n")), (("x\u202ey", "1"), ("a\tb", "2")), title="t\x07")
    assert drawn(
        table, Paragraph("see\x1b[2J\n this"), Lines(("  =\x9b5",)), Findings((Finding("T\0", "m\x08"),))
    ) == (
        expected(
            r"""
            t\x07
            a\x1bb    n\n
            --------  ---
            x\u202ey    1
            a\tb        2

            see\x1b[2J\n this

              =\x9b5

            T\x00  m\x08
            """
        )
    )


def test_labels_quoted_in_sentences_are_not_escaped_twice() -> None:
    label = "\x1b[31mred\\"
    said = f"Label {label!r} and a raw \x07."
    shown = r"Label '\x1b[31mred\\' and a raw \x07."
    assert drawn(Paragraph(said)) == shown
    assert drawn(Findings((Finding("TM001", said),))) == f"TM001  {shown}"
    # A line or a cell is text from data: there a backslash is a backslash.
    assert drawn(Lines((repr(label),))) == r"'\\x1b[31mred\\\\'"
    assert drawn(Table((words(""),), ((label,),))) == r"\x1b[31mred\\"


@pytest.mark.parametrize("blanks", [" ", "   ", " " * 12])
def test_blanks_in_a_quoted_label_survive_wrapping(blanks: str) -> None:
    for before in range(20):
        paragraph = Paragraph("x" * before + f" label '{blanks}' is blank")
        assert f"'{blanks}'" in drawn(paragraph, width=20)


def test_blanks_do_not_keep_long_sentences_from_wrapping() -> None:
    paragraph = Paragraph("  One sentence.  Another one.  And" + " " * 50 + "then.  ")
    assert drawn(paragraph, width=20).split("\n") == ["One", "sentence.  Another", "one. And then."]


def test_headings_longer_than_a_line_are_wrapped() -> None:
    document = Document("Evaluation of a file with a name", (Section("A section of it with a title", ()),))
    assert text(document, 20) == expected(
        """
        Evaluation of a file
        with a name
        ====================

        A section of it with
        a title
        --------------------
        """
    )


def test_lines_too_long_are_continued_below_themselves() -> None:
    assert drawn(Lines(("  = (150 + 250) / (150 + 40 + 60 + 250)", "", "  = 0.8")), width=20) == (
        "  = (150 + 250) /\n    (150 + 40 + 60 +\n    250)\n\n  = 0.8"
    )


def test_a_word_longer_than_a_line_is_broken_and_an_endless_one_shortened() -> None:
    assert drawn(Paragraph("label " + "x" * 45 + " end"), width=20).split("\n") == [
        "label",
        "x" * 20,
        "x" * 20,
        "xxxxx end",
    ]
    lines = drawn(Paragraph("label " + "x" * 100_000 + " end"), width=20).split("\n")
    assert len(lines) == 12
    assert "".join(lines).count("…") == 1


def test_empty_parts_leave_no_gap() -> None:
    parts: tuple[Block, ...] = (Paragraph(""), Findings(()), Lines(()), Table((), ()), Paragraph("text"))
    assert drawn(*parts) == "text"
    assert text(Document("", ())) == ""


def test_a_table_without_rows_shows_its_columns() -> None:
    assert drawn(Table((words("class"), Column("n")), ())) == "class  n\n-----  -"


def test_a_single_column_is_cut_to_the_width() -> None:
    for column in (words("label"), Column("label")):
        lines = drawn(Table((column,), (("abcdefghijklmnopqrstuvwxyz",),)), width=20).split("\n")
        assert lines[2] == "abcdefghijklm…uvwxyz"


def test_rows_must_have_one_cell_for_each_column() -> None:
    with pytest.raises(ValueError, match="argument 2 is"):
        drawn(Table((words("a"), Column("b")), (("x",),)))


def test_a_width_too_small_is_refused() -> None:
    with pytest.raises(OptionError) as caught:
        text(SMALL, 19)
    assert str(caught.value) == (
        "width is 19, expected at least 20 cells. Hint: widen the window, or pass a width."
    )


raw = st.text(
    st.sampled_from("ab 漢字e\u0301\x1b\n\u200d👩❤\ufe0f\u3000\\") | st.characters(codec="utf-8"), max_size=40
)
strings = raw | st.sampled_from(
    ["x" * 1000, "漢" * 1000, "👩\u200d👩\u200d👧" * 50, "a\u0301" * 200, "0.905"]
)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    columns = draw(
        st.lists(st.builds(Column, strings, st.sampled_from(["left", "right"])), min_size=1, max_size=12)
    )
    row = st.tuples(*[strings] * len(columns))
    rows = draw(st.lists(row, max_size=4))
    return Table(tuple(columns), tuple(rows), draw(raw), draw(st.sampled_from([(), (0,), (1, 3)])))


blocks = st.one_of(
    tables(),
    st.builds(Paragraph, strings),
    st.builds(Lines, st.lists(strings, max_size=3).map(tuple)),
    st.builds(Findings, st.lists(st.builds(Finding, raw, strings), max_size=3).map(tuple)),
)
sections = st.builds(Section, strings, st.lists(blocks, max_size=3).map(tuple))
documents = st.builds(Document, strings, st.lists(sections, max_size=2).map(tuple))


@settings(deadline=None)
@given(documents, st.integers(min_value=20, max_value=120))
def test_no_line_is_wider_than_asked_or_ends_in_blanks(document: Document, width: int) -> None:
    for line in text(document, width).split("\n"):
        assert cell_len(line) <= width
        assert line == line.rstrip()
        assert "\x1b" not in line


@settings(deadline=None)
@given(st.sets(st.text("ab漢\u0301", min_size=1, max_size=60), min_size=2, max_size=30), st.integers(20, 60))
def test_different_rows_and_columns_keep_different_names(labels: set[str], width: int) -> None:
    names = sorted(labels)
    table = Table(
        (words("actual"), *map(Column, names)), tuple((name, *["0"] * len(names)) for name in names)
    )
    parts = drawn(table, width=width).split("\n\n")
    titles = []
    for part in parts:
        start = 1 + next(index for index, line in enumerate(part.split("\n")) if set(line) == {"-", " "})
        lines = part.split("\n")
        assert len({re.split(" +", line)[0] for line in lines[start:]}) == len(names)
        titles += re.split(" +", lines[start - 2])[1:]
    assert len(titles) == len(set(titles)) == len(names)


def test_labels_of_100_000_characters_are_drawn_fast() -> None:
    labels = [f"漢{i}" + "x" * 100_000 for i in range(3)]
    table = Table((words("actual"), *map(Column, labels)), tuple((name, "1", "2", "3") for name in labels))
    start = time.process_time()
    lines = drawn(table, Paragraph(labels[0]), Findings((Finding("TM001", labels[0]),)), width=80).split("\n")
    assert time.process_time() - start < 1
    assert max(map(cell_len, lines)) <= 80
    assert len(lines) < 40
