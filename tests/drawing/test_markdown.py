from __future__ import annotations

from textwrap import dedent

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
    markdown,
)


def words(title: str) -> Column:
    return Column(title, "left")


def drawn(*blocks: Block) -> str:
    return markdown(Document("", (Section("", blocks),)))


def expected(picture: str) -> str:
    return dedent(picture).strip("\n")


def test_a_document() -> None:
    document = Document(
        "Evaluation of predictions.csv",
        (
            Section("Summary", (Paragraph("500 rows; called positive when score >= 0.5."),)),
            Section(
                "By class",
                (
                    Table(
                        (words("class"), Column("n"), Column("recall"), Column("95% interval")),
                        (
                            ("yes", "190", "0.789", "[0.726, 0.841]"),
                            ("not_yet", "300", "-0.5", "[-0.759, 0.846]"),
                            ("no", "10", "0.806", "-"),
                            ("Weighted Avg.", "500", "0.800", "-"),
                        ),
                        title="One class against the rest",
                        rule_before=(3,),
                    ),
                ),
            ),
            Section("Recall, worked", (Lines(("recall = tp / (tp + fn)", "       = 150 / 190")),)),
            Section("Findings", (Findings((Finding("TM004", "Of 5 rows."), Finding("TM011", "Alike."))),)),
        ),
    )
    assert markdown(document) == expected(
        """
        # Evaluation of predictions.csv

        ## Summary

        500 rows; called positive when score >= 0.5.

        ## By class

        **One class against the rest**

        | class             |   n | recall |    95% interval |
        | ----------------- | --: | -----: | --------------: |
        | yes               | 190 |  0.789 |  [0.726, 0.841] |
        | not_yet           | 300 |   -0.5 | [-0.759, 0.846] |
        | no                |  10 |  0.806 |               - |
        | **Weighted Avg.** | 500 |  0.800 |               - |

        ## Recall, worked

        ```text
        recall = tp / (tp + fn)
               = 150 / 190
        ```

        ## Findings

        - **TM004** Of 5 rows.
        - **TM011** Alike.
        """
    )


def test_a_group_of_rows_below_a_rule_is_a_table_of_its_own() -> None:
    rows = tuple((letter, "1") for letter in "abcdef")
    assert drawn(Table((words("class"), Column("n")), rows, rule_before=(1, 4))) == expected(
        """
        | class |   n |
        | ----- | --: |
        | a     |   1 |

        | class |   n |
        | ----- | --: |
        | b     |   1 |
        | c     |   1 |
        | d     |   1 |
        | **e** |   1 |
        | **f** |   1 |
        """
    )


def test_a_table_without_titles_still_has_the_heading_that_markdown_needs() -> None:
    assert drawn(Table((words(""), Column("")), (("rows", "500"),))) == expected(
        """
        |      |     |
        | ---- | --: |
        | rows | 500 |
        """
    )


def test_a_table_without_rows_or_columns() -> None:
    assert drawn(Table((words("a"), Column("b")), ())) == "| a   |   b |\n| --- | --: |"
    assert drawn(Table((), ())) == ""


def test_wide_letters_are_padded_by_their_width() -> None:
    lines = drawn(Table((words("class"), Column("n")), (("漢字漢字", "1"), ("a", "2")))).splitlines()
    assert lines[2:] == ["| 漢字漢字 |   1 |", "| a        |   2 |"]


def test_a_fence_is_longer_than_any_in_the_lines() -> None:
    assert drawn(Lines(("a ``` b", "````"))).splitlines() == ["`````text", "a ``` b", "````", "`````"]


def test_what_need_not_be_escaped_is_not() -> None:
    said = "f_beta of 'a' is -0.5 [0.897, 0.912], [-1, 1e-05]; 2 < 3 > 1 & so on (see a/b), 100 %: C# 1.5!"
    assert drawn(Paragraph(said)) == said


def test_a_paragraph_that_begins_like_a_list_or_a_quotation() -> None:
    begun = ["- a", "+ a", "> a", "12. a", "1) a", "-", "---"]
    assert [drawn(Paragraph(text)) for text in begun] == [
        r"\- a", r"\+ a", r"\> a", r"12\. a", r"1\) a", r"\-", r"\---"
    ]  # fmt: skip
    assert drawn(Paragraph("-0.5 is a number, 1.5 too")) == "-0.5 is a number, 1.5 too"


def test_what_github_would_bring_to_life_is_code() -> None:
    said = "write to a@b.org, see (https://x.org) or www.x.org, ask @someone for $5 :tada:"
    assert drawn(Paragraph(said)) == (
        "write to `a@b.org,` see `(https://x.org)` or `www.x.org,` ask `@someone` for `$5` `:tada:`"
    )
    assert drawn(Paragraph("at 12:30:45 :)")) == "at 12:30:45 :)"


def test_long_cells_lose_their_middle() -> None:
    (line,) = drawn(Table((words("class"),), (("a" * 50 + "b" * 50,),))).splitlines()[2:]
    assert line == f"| {'a' * 40}…{'b' * 19} |"
