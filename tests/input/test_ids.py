"""Ids tell rows apart: in which forms they are the same ids, and which are refused."""

import datetime as dt
import uuid
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from inputs import refusals, refused, written

import tallymark as tm
from collected import each

Y, A, B = [1, 0, 1, 0], [1, 0, 0, 1], [1, 1, 1, 1]
DAY, KEY = dt.date(2024, 2, 29), uuid.UUID(int=7)
HOURS = [dt.datetime(2024, 2, 29, hour) for hour in range(4)]
DAYS = ["2024-02-29", "2024-03-01", "2024-03-02", "2024-03-03"]
FOUR, LETTERS = [3, 1, 2, 9], list("abcd")


def rights(found: tm.Comparison) -> tuple[int, ...]:
    """Rows that both models, the first, the second and neither predict right."""
    counts = found.outcomes[0].counts
    return tuple(int(counts[name]) for name in ("n11", "n01", "n10", "n00"))


def compared(first: Any, second: Any, turn: Any = (2, 0, 3, 1)) -> tm.Comparison:
    """Two models on the same rows, those of the second in another order."""
    other = [[side[at] for at in turn] for side in (Y, B)]
    return tm.compare({"a": tm.evaluate(Y, A, id=first), "b": tm.evaluate(*other, id=second)})


FORMS: list[tuple[Any, list[Any]]] = [
    (form, FOUR)
    for form in (
        FOUR,
        tuple(FOUR),
        np.array(FOUR, np.int16),
        np.array(FOUR, np.uint64),
        np.array(FOUR)[:, None],
        np.array(FOUR, float),
        [3, 1.0, np.int8(2), 9],
        pd.Series(FOUR, dtype="Int64"),
        pd.Series(FOUR, dtype=float),
        pl.Series(FOUR, dtype=pl.UInt64),
        pl.Series(FOUR, dtype=pl.Int128),
        pa.array(FOUR),
        pa.chunked_array([FOUR[:2], FOUR[2:]]),
        pd.DataFrame({"only": FOUR}),
        np.ma.masked_array(FOUR, False),
        ["3", "1", "2", "9"],
        np.array(["3", "1", "2", "9"]),
    )
]
FORMS += [
    (form, LETTERS)
    for form in (
        np.array(LETTERS),
        np.array(LETTERS, object),
        pd.Series(LETTERS),
        pd.Series(LETTERS, dtype="category"),
        pl.Series(LETTERS, dtype=pl.Categorical),
        pl.Series(LETTERS, dtype=pl.Enum(LETTERS[::-1])),
    )
]
FORMS += [(["07", "7", "7.0", "+7"], ["07", "7", "7.0", "+7"])]
FORMS += [(["-1", "-0", "0", " 1"], ["-1", "-0", "0", " 1"]), ([1, "a", 2, "b"], ["1", "a", "2", "b"])]
FORMS += [([0.5, 1.5, 2.0, 3.0], ["0.5", "1.5", "2.0", "3.0"])]
FORMS += [([2**64, 1, 2, 3], [str(2**64), "1", "2", "3"])]
FORMS += [(np.array([2**64 - 1, 1, 2, 3], np.uint64), [str(2**64 - 1), "1", "2", "3"])]
FORMS += [([-(2**63), 2**63 - 1, 0, 1], np.array([-(2**63), 2**63 - 1, 0, 1]))]
FORMS += [([DAY, KEY, Decimal("1.50"), "x"], [str(DAY), str(KEY), "1.50", "x"])]
FORMS += [
    (form, HOURS)
    for form in (pd.Series(HOURS), pl.Series(HOURS), np.array(HOURS, "M8[ns]"), np.array(HOURS, "M8[s]"))
]
FORMS += [(np.array(DAYS, "M8[D]"), DAYS)]


@each("form, plain", FORMS, ids=[str(form)[:60] for form, _ in FORMS])
def test_ids_of_every_form_meet_their_plain_one(form: Any, plain: Any) -> None:
    turn = (2, 0, 3, 1)
    for found in (compared(form, [plain[at] for at in turn]), compared(plain, form, range(4))):
        assert (found.design, rights(found)) == ("same rows", (1, 1, 1, 1))


IDS = (
    st.lists(st.integers(-5, 60), unique=True, min_size=2, max_size=15)
    | st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(0, 9), unique=True, min_size=2, max_size=15)
    | st.lists(st.text(st.characters(codec="utf-8"), max_size=3), unique=True, min_size=2, max_size=15)
)


@given(IDS, st.randoms(use_true_random=False))
def test_rows_are_found_by_their_ids(ids: list[Any], random: Any) -> None:
    """Rows that one model lacks are left out of both, and no row meets another."""
    rows = [(key, random.randint(0, 1), random.randint(0, 1), random.randint(0, 1)) for key in ids]
    shuffled = random.sample(rows, len(rows))
    gone = {row[0] for row in random.sample(rows, len(rows) // 3)}
    gaps = [None if row[0] in gone else row[3] for row in shuffled]
    labels: dict[str, Any] = {"labels": [0, 1], "missing": "drop"}
    first = tm.evaluate(
        [row[1] for row in rows], [row[2] for row in rows], id=[row[0] for row in rows], **labels
    )
    second = tm.evaluate([row[1] for row in shuffled], gaps, id=[row[0] for row in shuffled], **labels)
    found = tm.compare({"a": first, "b": second}, metric="accuracy")
    kept = [(a == y, b == y) for key, y, a, b in rows if key not in gone]
    expected = [kept.count(pair) for pair in ((True, True), (True, False), (False, True), (False, False))]
    assert (found.design, [*rights(found)]) == ("same rows", expected)


def test_files_and_frames_have_ids_in_a_column() -> None:
    table = pl.DataFrame({"k": [5, 3, 9, 10], "y": Y, "p": A, "s": [2.0, -1.0, 3.0, 0.5]})
    table.write_parquet("t.parquet")
    for data in (table, written(table.write_csv()), "t.parquet"):
        for roles in ({"predicted": "p"}, {"score": "s", "threshold": 2}):
            first = tm.evaluate(data, actual="y", id="k", **roles)
            second = tm.evaluate(Y[::-1], B[::-1], id=[10, 9, 3, 5])
            found = tm.compare({"a": first, "b": second}, metric="accuracy")
            assert (found.design, rights(found)) == (
                "same rows",
                (1, 1, 1, 1) if "predicted" in roles else (2, 2, 0, 0),
            )
    sets = [{"a"}, {"b"}, {"a", "b"}]
    assert tm.evaluate(sets, sets, id=[1, 2, 3]).rows == 3


def test_what_is_refused(snapshot: Any) -> None:
    nan, sets = float("nan"), [["a"], ["b"], ["a", "b"]]
    wrong: list[Any] = [[1, 2, 1, 3], [1, 2, 1.0, 3], [1, 2, None, 3], [1, 1, None, 3], [1.0, nan, 2.0, 3.0]]
    wrong += [pd.Series([1, 2, None, 3]), pd.Series(["a", "b", None, "b"]), pl.Series([1.0, nan, 2.0, 3.0])]
    wrong += [pl.Series(["a", "a", "b", None]), ["a", "b", "c", "a"], ["1", "b", 1, "a"]]
    wrong += [[True, False, True, False], ["x"] * 4, [1, 2, 3], np.zeros((4, 2)), {1, 2, 3, 4}]
    wrong += [[[1], [2], [3], [4]], [b"a", b"b", b"c", b"d"], "row"]
    frame = pd.DataFrame({"y": Y, "p": A})
    parts = [written("id,y,p\na,1,1\nb,0,0\n", "1.csv"), written("id,y,p\nc,1,1\nb,0,0\n,1,0\n", "3.csv")]
    cases: list[tuple[Any, ...]] = [(Y, A, {"id": ids}) for ids in wrong]
    cases += [(frame, {"actual": "y", "predicted": "p", "id": [1, 2, 3, 4]}), (sets, sets, {"id": [1, 1, 2]})]
    cases += [(sets, sets, {"id": [1, 2]}), (parts, {"actual": "y", "predicted": "p", "id": "id"})]
    two_kinds = refused({"numbers and text": lambda: compared(FOUR, ["3", "x", "2", "9"])})
    snapshot("errors_data_ids", refusals(cases) | two_kinds)
    assert tm.evaluate(parts[:1], actual="y", predicted="p", id="id").rows == 2
