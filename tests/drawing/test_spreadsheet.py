"""Tables for spreadsheets: a row stays a row, and no cell is a formula."""

import csv as reader
import io
import unicodedata
from typing import Any

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from tallymark import drawing as td

FORMULA_STARTS = "=+-@\t\r＝＋－＠"
FIELDS: dict[Any, str] = {
    "plain": "plain", "a,b": '"a,b"', 'say "a"': '"say ""a"""', "a\nb": '"a\nb"', "a\rb": '"a\rb"',
    " a": '" a"', "a ": '"a "', "": '""', "=1+1": "'=1+1",
    '=HYPERLINK("http://x")': '"\'=HYPERLINK(""http://x"")"', "+": "'+", "-": "'-", "-1": "'-1",
    "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\ra": '"\'\ra"', "  =1": "'  =1", "\xa0=1": "'\xa0=1",
    "\ufeff=1": "'\ufeff=1", "\u200b-1": "'\u200b-1", "＝1": "'＝1", "－1": "'－1", "'=1": "''=1",
    "'quoted'": "'quoted'", "a=1": "a=1", "region=north": "region=north", "[0.1, 0.2]": '"[0.1, 0.2]"',
    # Numbers are written in full and never touched.
    -0.5: "-0.5", -3: "-3", 1 / 3: "0.3333333333333333", 1e-9: "1e-09", np.float64(0.1): "0.1",
    10**18: "1000000000000000000", None: "",
}  # fmt: skip


def test_fields() -> None:
    assert (
        td.csv(["class", "value", "n"], [["a", 0.5, 10], ["b", None, 3]]) == "class,value,n\na,0.5,10\nb,,3"
    )
    assert {value: td.csv(["x", "y"], [[value, 1]]) for value in FIELDS} == {
        value: f"x,y\n{field},1" for value, field in FIELDS.items()
    }
    written = td.csv(["x", "y"], [["", 1], [None, 2]])
    assert pl.read_csv(io.StringIO(written))["x"].to_list() == ["", None]


cell = st.text(st.sampled_from(FORMULA_STARTS + "'\", \n;ab") | st.characters(codec="utf-8"), max_size=8)


@given(st.lists(st.tuples(cell, cell), min_size=1))
def test_one_row_stays_one_row_and_no_cell_begins_like_a_formula(rows: list[tuple[str, str]]) -> None:
    found = list(reader.reader(io.StringIO(td.csv(["x", "y"], rows), newline=""), strict=True))
    assert [len(row) for row in found] == [2] * (len(rows) + 1)
    for row, given_row in zip(found[1:], rows, strict=True):
        for shown, given_cell in zip(row, given_row, strict=True):
            plain = visible(given_cell)
            assert shown in (plain, f"'{plain}")
            assert not shown.lstrip(" ").startswith(tuple(FORMULA_STARTS))
    one, other = rows[0]
    assert (td.csv(["x"], [[one]]) == td.csv(["x"], [[other]])) == (one == other)


def visible(text: str) -> str:
    """Control characters as escapes, and backslashes doubled where there is one."""
    acting = {sign for sign in text if unicodedata.category(sign) == "Cc"} - set("\t\n\r")
    shown = text.replace("\\", "\\\\") if acting else text
    return "".join(f"\\x{ord(sign):02x}" if sign in acting else sign for sign in shown)
