"""Reports as text: no line is wider than asked, no two names become the same, numbers stay whole."""

import re
from typing import Any

import pytest
from documents_to_draw import of, page, report, words
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

import tallymark as tm
from collected import each
from tallymark import drawing as td

Column, Table = td.Column, td.Table


def drawn(*blocks: td.Block, width: int = 100) -> str:
    return td.text(of(*blocks), width)


def weka(*labels: str, mcc: str = "0.925") -> Table:
    titles = ["TP Rate", "FP Rate", "Precision", "Recall", "F-Measure", "MCC", "ROC Area", "PRC Area"]
    values = ("0.940", "0.020", "0.959", "0.940", "0.949", mcc, "?", "?")
    rows = [("", *values, label) for label in labels]
    columns = (words(""), *map(Column, titles), words("Class"))
    return Table(columns, (*rows, ("Weighted Avg.", *values, "")), rule_before=(len(rows),))


IRIS = weka("Iris-setosa", "Iris-versicolor")
ONE_NAME = Table(
    (words("class"), Column("precision"), Column("recall")), (("Iris-setosa", "0.714", "0.789"),)
)
COUNTS = Table(
    (words("actual"), *(Column(f"class_{i}") for i in range(1, 6))),
    tuple((f"class_{i}", *(str(10 * i + j) for j in range(1, 6))) for i in (1, 2)),
    title="Counts",
    rule_before=(1,),
)
LONG_TITLES = ("Iris_versicolor_of_the_north", "Iris_virginica_of_the_north_x")
HOSTILE: tuple[td.Block, ...] = (
    Table((words("a\x1bb"), Column("n\n")), (("x\u202ey", "1"), ("a\tb", "2")), title="t\x07"),
    td.Paragraph("see\x1b[2J\n this"),
    td.Lines(("  =\x9b5",)),
    td.Findings((td.Finding("T\0", "m\x08"),)),
)


def test_texts(snapshot: Any) -> None:
    names = [f"order_of_the_long_names_0{n}" for n in (1, 2)]
    methods = (
        ("accuracy", *["0.967"] * 5, "wilson"),
        ("mcc", *["0.950"] * 5, "none"),
        ("", *["?"] * 5, "none"),
    )
    metrics = (words("metric"), *(Column(f"number_{i}") for i in range(5)), words("method"))
    wide = Table(
        (words("actual"), Column("漢字"), Column("e\u0301")), (("漢字かな", "7", "12"), ("Größe", "100", "3"))
    )
    rows = (("ab", "one_quite_long_name_of_40_characters_end", "1"),)
    alike = Table(ONE_NAME.columns, tuple((name, "0.714", "0.789") for name in names))
    kinds = Table((words("kind"), words("name"), Column("n")), rows)
    pairs = (LONG_TITLES[0], "47", "3"), (LONG_TITLES[1], "2", "48")
    titled = Table((words("actual"), *map(Column, LONG_TITLES)), pairs)
    lines = ("  = (150 + 250) / (150 + 40 + 60 + 250)", "", "  = 0.8")
    blanks = "  One sentence.  Another one.  And" + " " * 50 + "then.  "
    title = "Evaluation of a file with a name"
    snapshot(
        "text_layout",
        {
            "a report in 50 columns": td.text(report(), 50),
            "a page, in the order it is read": td.text(page()),
            "gutters of two in 30": drawn(ONE_NAME, width=30),
            "gutters of one in 28": drawn(ONE_NAME, width=28),
            "labels cut in 23": drawn(ONE_NAME, width=23),
            "folded in 22": drawn(ONE_NAME, width=22),
            "the table of weka": drawn(IRIS),
            "the table of weka folded, names repeated": drawn(IRIS, width=60),
            "numbers stay whole in the narrowest window": drawn(IRIS, width=20),
            "names in the first column, others not repeated": drawn(Table(metrics, methods), width=40),
            "labels cut before folding": drawn(alike, width=34),
            "only the widest labels cut": drawn(kinds, width=30),
            "folded, first column repeated": drawn(COUNTS, width=30),
            "long titles cut before folding": drawn(titled, width=40),
            "wide characters": drawn(wide),
            "text from data escaped": drawn(*HOSTILE),
            "long headings": td.text(of(title=title, heading="A section of it with a title"), 20),
            "long lines": drawn(td.Lines(lines), width=20),
            "long words": drawn(td.Paragraph("label " + "x" * 45 + " end"), width=20),
            "blanks": drawn(td.Paragraph(blanks), width=20),
        },
    )


@each("length", [1, 9, 10, 11, 12, 19, 20, 40, 1000])
@each("letter", ["x", "漢"])
def test_the_class_table_of_weka_is_not_folded_for_any_length_of_label(length: int, letter: str) -> None:
    lines = drawn(weka(f"{letter * length}1end", f"{letter * length}2end", mcc="-0.00004")).split("\n")
    assert len(lines) == 6
    one, other = (line.split(" ")[-1] for line in lines[2:4])
    assert one != other
    assert one.startswith(letter)
    assert other.startswith(letter)


def test_labels_quoted_in_sentences_are_not_escaped_twice() -> None:
    label = "\x1b[31mred\\"
    said = f"Label {label!r} and a raw \x07."
    shown = r"Label '\x1b[31mred\\' and a raw \x07."
    assert drawn(td.Paragraph(said)) == shown
    assert drawn(td.Findings((td.Finding("TM001", said),))) == f"TM001  {shown}"
    # A line or a cell is text from data: there a backslash is a backslash.
    assert drawn(td.Lines((repr(label),))) == r"'\\x1b[31mred\\\\'"
    assert drawn(Table((words(""),), ((label,),))) == r"\x1b[31mred\\"
    assert drawn(td.Paragraph(r"a\b" + "\x1b and C:\\new")) == r"a\b\x1b and C:\new"
    for blanks in (" ", "   ", " " * 12):
        for before in range(20):
            paragraph = td.Paragraph("x" * before + f" label '{blanks}' is blank")
            assert f"'{blanks}'" in drawn(paragraph, width=20)


def test_empty_parts_and_narrow_ones() -> None:
    nothing = (td.Paragraph(""), td.Findings(()), td.Lines(()), Table((), ()))
    assert drawn(*nothing, td.Paragraph("text")) == "text"
    assert td.text(td.Document("", ())) == ""
    assert drawn(Table((words("class"), Column("n")), ())) == "class  n\n-----  -"
    for column in (words("label"), Column("label")):
        lines = drawn(Table((column,), (("abcdefghijklmnopqrstuvwxyz",),)), width=20).split("\n")
        assert lines[2] == "abcdefghijklm…uvwxyz"
    endless = drawn(td.Paragraph("label " + "x" * 100_000 + " end"), width=20).split("\n")
    assert (len(endless), "".join(endless).count("…")) == (12, 1)


def test_refused() -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        drawn(Table((words("a"), Column("b")), (("x",),)))
    with pytest.raises(tm.errors.OptionError):
        td.text(report(), 19)


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
    rows = draw(st.lists(st.tuples(*[strings] * len(columns)), max_size=4))
    return Table(tuple(columns), tuple(rows), draw(raw), draw(st.sampled_from([(), (0,), (1, 3)])))


blocks = st.one_of(
    tables(),
    st.builds(td.Paragraph, strings),
    st.builds(td.Lines, st.lists(strings, max_size=3).map(tuple)),
    st.builds(td.Findings, st.lists(st.builds(td.Finding, raw, strings), max_size=3).map(tuple)),
)
sections = st.builds(td.Section, strings, st.lists(blocks, max_size=3).map(tuple))
documents = st.builds(td.Document, strings, st.lists(sections, max_size=2).map(tuple))


@given(documents, st.integers(min_value=20, max_value=120))
def test_no_line_is_wider_than_asked_or_ends_in_blanks(document: td.Document, width: int) -> None:
    for line in td.text(document, width).split("\n"):
        assert cell_len(line) <= width
        assert line == line.rstrip()
        assert "\x1b" not in line


@given(st.sets(st.text("ab漢\u0301", min_size=1, max_size=60), min_size=2, max_size=30), st.integers(20, 60))
def test_different_rows_and_columns_keep_different_names(labels: set[str], width: int) -> None:
    names = sorted(labels)
    table = Table(
        (words("actual"), *map(Column, names)), tuple((name, *["0"] * len(names)) for name in names)
    )
    titles = []
    for part in drawn(table, width=width).split("\n\n"):
        lines = part.split("\n")
        start = 1 + next(index for index, line in enumerate(lines) if set(line) == {"-", " "})
        assert len({re.split(" +", line)[0] for line in lines[start:]}) == len(names)
        titles += re.split(" +", lines[start - 2])[1:]
    assert len(titles) == len(set(titles)) == len(names)


def test_labels_of_100_000_characters_are_drawn() -> None:
    labels = [f"漢{i}" + "x" * 100_000 for i in range(3)]
    table = Table((words("actual"), *map(Column, labels)), tuple((name, "1", "2", "3") for name in labels))
    finding = td.Findings((td.Finding("TM001", labels[0]),))
    lines = drawn(table, td.Paragraph(labels[0]), finding, width=80).split("\n")
    assert max(map(cell_len, lines)) <= 80
    assert len(lines) < 40
