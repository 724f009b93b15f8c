from __future__ import annotations

import re
from textwrap import dedent

import pytest

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
    latex,
)

NEEDS = r"% Input this into a document that has \usepackage{booktabs} in its preamble."


def words(title: str) -> Column:
    return Column(title, "left")


def drawn(*blocks: Block) -> str:
    return latex(Document("", (Section("", blocks),))).removeprefix(f"{NEEDS}\n\n")


def tabulars(source: str) -> list[tuple[str, list[list[str]]]]:
    """The columns and the rows of every tabular, each row as long as the columns say."""
    found = []
    for columns, body in re.findall(
        r"\\begin\{tabular\}\{([lr]+)\}\n(.*?)\\end\{tabular\}", source, re.DOTALL
    ):
        rows = [re.split(r"(?<!\\) ?& ", line[:-3]) for line in body.splitlines() if line.endswith(r" \\")]
        assert {len(row) for row in rows} == {len(columns)}
        found.append((columns, rows))
    return found


def check_nesting(source: str) -> None:
    """Braces and environments are closed in the order they were opened in."""
    open_environments: list[str] = []
    for kind, environment in re.findall(r"\\(begin|end)\{(\w+)\}", source):
        if kind == "begin":
            open_environments.append(environment)
        else:
            assert open_environments.pop() == environment
    assert open_environments == []
    depth = 0
    for brace in re.sub(r"\\[{}]", "", source):
        depth += (brace == "{") - (brace == "}")
        assert depth >= 0
    assert depth == 0


def test_a_document() -> None:
    document = Document(
        "",
        (
            Section("Summary", (Paragraph("500 rows & 'yes' is 38 % of them."),)),
            Section(
                "By class",
                (
                    Table(
                        (words("class"), Column("n"), Column("95% interval")),
                        (
                            ("yes", "190", "[0.726, 0.841]"),
                            ("[no]", "310", "[0.759, 0.846]"),
                            ("*total", "500", "-"),
                        ),
                        title="One class against the rest",
                        rule_before=(2,),
                    ),
                ),
            ),
            Section("Worked", (Lines(("recall = tp / (tp + fn)", "       = 150 / 190", "", "[x]")),)),
            Section("Findings", (Findings((Finding("TM004", "Of 5 rows."), Finding("TM011", "Alike."))),)),
        ),
    )
    assert latex(document) == dedent(
        r"""
        % Input this into a document that has \usepackage{booktabs} in its preamble.

        \section*{Summary}

        500 rows \& \textquotesingle{}yes\textquotesingle{} is 38 \% of them.

        \section*{By class}

        \begin{center}
        \small
        \setlength{\tabcolsep}{4pt}
        One class against the rest\par\smallskip
        \begin{tabular}{lrr}
        \toprule
        class & n & 95\% interval \\
        \midrule
        yes & 190 & [0.726, 0.841] \\
        {[}no] & 310 & [0.759, 0.846] \\
        \midrule
        {*}total & 500 & - \\
        \bottomrule
        \end{tabular}
        \end{center}

        \section*{Worked}

        \begin{flushleft}
        \ttfamily
        recall = tp / (tp + fn) \\
        \mbox{}~~~~~~~= 150 / 190 \\
        \mbox{} \\
        {[}x]
        \end{flushleft}

        \section*{Findings}

        \begin{description}
        \item[{TM004}] Of 5 rows.
        \item[{TM011}] Alike.
        \end{description}
        """
    ).strip("\n")
    check_nesting(latex(document))


def test_a_title_makes_the_sections_subsections() -> None:
    source = latex(Document("A", (Section("B", ()), Section("C", ()))))
    assert source == f"{NEEDS}\n\n\\section*{{A}}\n\n\\subsection*{{B}}\n\n\\subsection*{{C}}"


def test_no_heading_without_titles_and_nothing_of_nothing() -> None:
    assert r"\toprule" + "\nrows & 500 \\\\\n" in drawn(Table((words(""), Column("")), (("rows", "500"),)))
    assert drawn(Findings(()), Table((), ())) == NEEDS


@pytest.mark.parametrize("classes", [3, 8, 30, 100])
def test_a_wide_table_is_folded_to_the_page_with_its_names_repeated(classes: int) -> None:
    """At 4.6 points a digit and 8 between columns, a line of 345 points must hold each part."""
    names = [f"class {number}" for number in range(classes)]
    cells = [[str(10 * row + column) for column in range(classes)] for row in range(classes)]
    rows = tuple((one, *numbers) for one, numbers in zip(names, cells, strict=True))
    source = drawn(Table((words(""), *map(Column, names)), rows))
    check_nesting(source)
    parts = tabulars(source)
    assert [row[0] for _, part in parts for row in part[1:]] == names * len(parts)
    for place, one in enumerate(cells):
        assert [cell for _, part in parts for cell in part[place + 1][1:]] == one
    for columns, part in parts:
        widest = [max(map(len, column)) for column in zip(*part, strict=True)]
        assert 4.2 * sum(widest) + 8 * len(columns) <= 360
    if len(parts) > 1:
        assert source.count(f"of {classes})\\par\\smallskip") == len(parts)


def test_a_table_whose_last_column_names_the_rows_repeats_that_one() -> None:
    titles = ("", *(f"A long title {number}" for number in range(9)))
    columns = (*(Column(title, "right" if title else "left") for title in titles), words("Class"))
    rows = (("", *["0.5"] * 9, "yes"), ("", *["0.5"] * 9, "no"), ("Average", *["0.5"] * 9, ""))
    parts = tabulars(drawn(Table(columns, rows, rule_before=(2,))))
    assert len(parts) > 1
    for _, part in parts:
        assert [(row[0], row[-1]) for row in part] == [
            ("", "Class"),
            ("", "yes"),
            ("", "no"),
            ("Average", ""),
        ]


def test_negative_numbers_have_a_minus_sign_and_names_keep_their_hyphen() -> None:
    row = ("-1 and -x", "-0.052", "-0.052 [-0.111, 0.007]", "-", "1.2e-07", "2026-01-02")
    source = drawn(Table((words("-1"), *(Column("-2") for _ in row[1:])), (row,)))
    assert r"-1 & -2 & -2 & -2 & -2 & -2 \\" in source
    assert r"-1 and -x & $-$0.052 & $-$0.052 [$-$0.111, 0.007] & - & 1.2e-07 & 2026-01-02 \\" in source
