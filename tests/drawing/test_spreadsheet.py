from __future__ import annotations

import csv as reader
import io
import unicodedata

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallymark.drawing import csv

FORMULA_STARTS = "=+-@\t\r＝＋－＠"


def read(written: str) -> list[list[str]]:
    return list(reader.reader(io.StringIO(written, newline=""), strict=True))


def test_a_plain_table() -> None:
    assert csv(["class", "value", "n"], [["a", 0.5, 10], ["b", None, 3]]) == "class,value,n\na,0.5,10\nb,,3"


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("plain", "plain"),
        ("a,b", '"a,b"'),
        ('say "a"', '"say ""a"""'),
        ("a\nb", '"a\nb"'),
        ("a\rb", '"a\rb"'),
        (" a", '" a"'),
        ("a ", '"a "'),
        ("", '""'),
        ("=1+1", "'=1+1"),
        ('=HYPERLINK("http://x")', '"\'=HYPERLINK(""http://x"")"'),
        ("+", "'+"),
        ("-", "'-"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\ra", '"\'\ra"'),
        ("  =1", "'  =1"),
        ("\xa0=1", "'\xa0=1"),
        ("\ufeff=1", "'\ufeff=1"),
        ("\u200b-1", "'\u200b-1"),
        ("＝1", "'＝1"),
        ("－1", "'－1"),
        ("'=1", "''=1"),
        ("'quoted'", "'quoted'"),
        ("a=1", "a=1"),
        ("region=north", "region=north"),
        ("[0.1, 0.2]", '"[0.1, 0.2]"'),
    ],
)
def test_text(text: str, field: str) -> None:
    assert csv(["x"], [[text]]) == f"x\n{field}"


@pytest.mark.parametrize(
    ("number", "field"),
    [
        (-0.5, "-0.5"),
        (-3, "-3"),
        (1 / 3, "0.3333333333333333"),
        (1e-9, "1e-09"),
        (np.float64(0.1), "0.1"),
        (10**18, "1000000000000000000"),
    ],
)
def test_numbers_are_written_in_full_and_never_touched(number: float, field: str) -> None:
    assert csv(["x"], [[number]]) == f"x\n{field}"


cell = st.text(st.sampled_from(FORMULA_STARTS + "'\", \n;ab") | st.characters(codec="utf-8"), max_size=8)


@given(st.lists(st.tuples(cell, cell), min_size=1))
def test_one_row_stays_one_row_and_no_cell_begins_like_a_formula(rows: list[tuple[str, str]]) -> None:
    found = read(csv(["x", "y"], rows))
    assert [len(row) for row in found] == [2] * (len(rows) + 1)
    for row, given_row in zip(found[1:], rows, strict=True):
        for shown, given_cell in zip(row, given_row, strict=True):
            plain = visible(given_cell)
            assert shown in (plain, f"'{plain}")
            assert not shown.lstrip(" ").startswith(tuple(FORMULA_STARTS))


def visible(text: str) -> str:
    """Control characters as escapes, and backslashes doubled where there is one."""
    if not any(unicodedata.category(sign) == "Cc" and sign not in "\t\n\r" for sign in text):
        return text
    doubled = text.replace("\\", "\\\\")
    return "".join(
        f"\\x{ord(sign):02x}" if unicodedata.category(sign) == "Cc" and sign not in "\t\n\r" else sign
        for sign in doubled
    )


@given(cell, cell)
def test_different_texts_stay_different(one: str, other: str) -> None:
    assert (csv(["x"], [[one]]) == csv(["x"], [[other]])) == (one == other)


def test_an_empty_text_and_a_missing_value_are_read_back_as_such() -> None:
    written = csv(["x", "y"], [["", 1], [None, 2]])
    assert pl.read_csv(io.StringIO(written))["x"].to_list() == ["", None]
