"""Votes: several columns of predictions become a score, the number of them for the positive class."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from inputs import called, matrix, refusals, rows_of, written

import tallymark as tm
from collected import each

ACTUAL = ["yes", "no", "yes", "no", "yes", "no"]
M1, M2 = ["yes", "no", "yes", "yes", "no", "no"], ["yes", "no", "no", "no", "no", "no"]
M3, COUNTS = ["yes", "yes", "yes", "no", "no", "no"], [3, 1, 2, 1, 0, 0]
COLUMNS, NAMES = {"y": ACTUAL, "m1": M1, "m2": M2, "m3": M3}, ["m1", "m2", "m3"]
MODELS = {name: COLUMNS[name] for name in NAMES}
TABLE = np.array([M1, M2, M3]).T
YES: dict[str, Any] = {"pos_label": "yes", "threshold": 2}
# At least 2 votes: rows 0 and 2, both yes; row 4 is missed. Labels in order: no, yes.
AT_TWO = [[3, 0], [1, 2]]


def votes_of(*data: Any, **options: Any) -> list[float]:
    return rows_of(*data, **{"threshold": 1} | options)[2]


FORMS: list[Any] = [TABLE, TABLE.astype(object), [M1, M2, M3], (np.array(M1), M2, pd.Series(M3)), MODELS]
FORMS += [pd.DataFrame(MODELS), pd.DataFrame(TABLE), pl.DataFrame(MODELS), pl.LazyFrame(MODELS)]
FORMS += [pa.table(MODELS)]


@each("votes", FORMS, ids=str)
def test_votes_of_every_form(votes: Any) -> None:
    for of in (list, np.array, pd.Series, pl.Series, pa.array, lambda y: pd.DataFrame({"y": y})):
        ev = tm.evaluate(of(ACTUAL), votes=votes, **YES)
        assert (matrix(ev), ev.threshold, ev.positive, len(ev.notes)) == (AT_TWO, 2, "yes", 1)
    assert votes_of(ACTUAL, votes=votes, pos_label="yes") == COUNTS


def test_columns_of_frames_and_files() -> None:
    frame, asked = pl.DataFrame(COLUMNS), {"actual": "y", "votes": NAMES, **YES}
    frame.write_parquet("votes.parquet")
    parts = [written(frame[:2].write_csv(), "a.csv"), written(frame[2:].write_csv(), "b.csv")]
    for data in (frame, frame.lazy(), frame.to_pandas(), frame.to_arrow(), "votes.parquet", parts):
        assert matrix(tm.evaluate(data, **asked)) == AT_TWO
        assert rows_of(data, **asked)[2] == COUNTS
    of_pandas = frame.to_pandas()
    for names in (tuple(NAMES), of_pandas.columns[1:], np.array(NAMES)):
        assert matrix(tm.evaluate(of_pandas, **asked | {"votes": names})) == AT_TWO
    numbered = of_pandas.set_axis(range(4), axis=1)
    assert matrix(tm.evaluate(numbered, **asked | {"actual": 0, "votes": [1, 2, 3]})) == AT_TWO
    # The actual classes are guessed beside votes; predictions and scores are not.
    more = frame.with_columns(predicted=pl.Series(M1), score=0.1)
    ev = tm.evaluate(more, votes=NAMES, **YES)
    assert (matrix(ev), len(ev.notes)) == (AT_TWO, 2)


# Actual classes, votes, options; the number of votes of every row.
COUNTED: list[tuple[Any, ...]] = [
    ([1, 0, 0], [[True, False, False], [1, 0, 1], [1.0, 0.0, 1.0]], {}, [3, 0, 2]),
    ([True, False, False], [[True, False, False], [1, 0, 1]], {}, [2, 0, 1]),
    (["1", "0", "0"], [["1", "0", "1"], ["1", "0", "0"]], {}, [2, 0, 1]),
    (["False", "True"], [["True", "False"], ["True", "True"]], {}, [2, 1]),
    (["1", "0"], [["1.0", "0"], ["1", "0.0"]], {}, [2, 0]),
    ([0, 1, 1], [[0, 1, 0], [0, 1, 1]], {"pos_label": "0"}, [2, 0, 1]),
    (["a", "b", "c", "a"], [["a", "b", "c", "a"], ["a", "c", "a", "b"]], {"pos_label": "a"}, [2, 0, 1, 1]),
    (["yes", "yes", "no"], [["yes", "Yes", "no"], ["yes", "maybe", "no"]], {"pos_label": "yes"}, [2, 0, 0]),
    (
        ["yes", "yes", "no"],
        [["yes", "no", "no"], ["no", "yes", "no"]],
        {"pos_label": "yes", "labels": ["yes", "no"]},
        [1, 1, 0],
    ),
    (["a", "b"], [["c", "b"], ["b", "b"]], {"pos_label": "b", "labels": ["a", "b", "c"]}, [1, 2]),
    (["no", "no"], [["yes", "no"], ["yes", "no"]], {"pos_label": "yes"}, [2, 0]),
    ([1, 1], [[1, 0], [1, 1]], {}, [2, 1]),
    (["yes", "no"], [["no", "no"], ["no", "no"]], {"pos_label": "yes"}, [0, 0]),
    ([1, 0, 0], np.array([[1.0, 1.0], [np.nan, 0.0], [0.0, 0.0]]), {"missing": "drop"}, [2, 0]),
    (
        [1, 0, 0],
        np.ma.array([[1, 1], [1, 0], [0, 0]], mask=[[0, 0], [1, 0], [0, 0]]),
        {"missing": "drop"},
        [2, 0],
    ),
]


def test_votes_are_counted(snapshot: Any) -> None:
    notes = {}
    for actual, votes, options, expected in COUNTED:
        case = called((actual, votes, options))[:100].strip()
        assert votes_of(actual, votes=votes, **options) == expected, case
        ev = tm.evaluate(actual, votes=votes, **options)
        assert (ev.threshold, ev.confusion) == (None, None)
        assert dict(ev.dropped) == ({"missing_votes": 1} if "missing" in options else {})
        notes[case] = "\n".join([*ev.notes, str(ev["recall"].why)])
    snapshot("notes_votes", notes)


def test_predictions_thresholds_and_gaps() -> None:
    # F1 at 3, 2, 1, 0 votes: 2*1/(1+3), 2*2/(2+3), 2*2/(4+3), 2*3/(6+3).
    ev = tm.evaluate(ACTUAL, votes=[M1, M2, M3], pos_label="yes", threshold="best")
    assert (ev.threshold, matrix(ev)) == (2, AT_TWO)
    frame = pd.DataFrame(COLUMNS)
    asked: dict[str, Any] = {"actual": "y", "predicted": "m1", "votes": ["m2", "m3"], "pos_label": "yes"}
    for data, options in (((ACTUAL, M1), {"votes": [M2, M3], "pos_label": "yes"}), ((frame,), asked)):
        ev = tm.evaluate(*data, **options)
        assert (matrix(ev), ev.threshold) == ([[2, 1], [1, 2]], None)
        assert rows_of(*data, **options)[2] == [2, 1, 1, 0, 0, 0]
    # A class that only the predictions name settles how labels are read.
    ev = tm.evaluate(["0", "1"], ["1", "x"], votes=[["1", "1"], ["0", "1"]], pos_label="1")
    assert (ev.labels, ev.positive) == (("0", "1", "x"), "1")
    path = written("y,m1,m2\nyes,yes,NA\nno,no,no\nyes,yes,yes\n,yes,yes\n")
    named: dict[str, Any] = {"actual": "y", "votes": ["m1", "m2"], "pos_label": "yes", "missing": "drop"}
    assert votes_of(path, missing_words=["NA"], **named) == [0, 2]
    assert tm.evaluate(path, **named).dropped == {"missing_actual": 1}


def test_what_is_refused(snapshot: Any) -> None:
    frame, twice = pd.DataFrame(COLUMNS), pd.DataFrame(TABLE, columns=["m1", "m1", "m3"])
    sets, y = [["a"], ["b"]], {"actual": "y"}
    path = written("y,m1,m2,m3\nyes,yes,no,yes\nno,,no,no\nno,no,no,\nyes,yes,,yes\n")
    of_frames: list[Any] = [{"votes": "m1"}, {"votes": ["m1"]}, {"votes": []}, {"votes": ["m1", "m2", "m1"]}]
    of_frames += [{"votes": ["m1", "y"]}, {"predicted": "m1", "votes": ["m1", "m2"]}, {"votes": ["m1", "m9"]}]
    of_frames += [{"votes": TABLE}, {"score": "m1", "votes": ["m2", "m3"]}]
    of_frames += [{"probabilities": ["m1", "m2"], "votes": ["m2", "m3"]}]
    of_frames += [{"actual": ["m1", "m2"], "predicted": ["m3", "y"], "votes": ["m1", "m2"]}]
    of_arrays: list[Any] = [{"y_score": [0.1] * 6, "votes": [M1, M2]}, {"votes": ["m1", "m2"]}]
    of_arrays += [{"votes": pd.Series(M1)}, {"votes": np.array(M1)}, {"votes": M1}, {"votes": [M1]}]
    of_arrays += [{"votes": np.zeros((6, 2, 2))}, {"votes": np.zeros((5, 2))}, {"votes": [M1, M2[:4]]}]
    of_arrays += [{"votes": TABLE.tolist()}, {"votes": [M1, 3]}, {"votes": twice}]
    of_arrays += [{"actual": "y", "votes": [M1, M2]}, {"pos_label": None, "votes": [M1, M2]}]
    of_arrays += [{"y_pred": M3, "pos_label": None, "votes": [M1, M2]}]
    of_arrays += [{"pos_label": "Yes", "votes": [M1, M2]}, {"y_pred": M1, "votes": [M2, M3], "threshold": 1}]
    of_arrays += [{"labels": ["yes", "no"], "votes": [M1, ["maybe", *M2[1:]]]}]
    of_arrays += [{"votes": {"tree": [*M1[:5], None], "forest": M2}}]
    two = {"pos_label": None, "threshold": 1}
    cases: list[tuple[Any, ...]] = [(frame, y | options) for options in of_frames]
    cases += [(ACTUAL, options) for options in of_arrays]
    cases += [(sets, sets, {"votes": [M1, M2]})]
    cases += [(["a", "b"], {"votes": [["a", "b"], [0, 1]], "pos_label": "a"})]
    cases += [(["0", "1"], two | {"votes": [["0", "1"], ["true", "false"]]})]
    cases += [(["0", "1"], two | {"votes": [["0", "1"], ["0.2", "0.9"]]})]
    cases += [([0, 1], two | {"votes": [[0, 1], [0.2, 0.9]]}), (path, y | {"votes": TABLE})]
    cases += [(path, y | {"votes": NAMES}), (path, y | {"votes": ["m2", "m3"]})]
    snapshot("errors_data_votes", refusals(cases, pos_label="yes"))
