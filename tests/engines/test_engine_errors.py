"""What is wrong with a table of an engine is told in the words that are used of tables in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import polars as pl
import pytest

import tallymark as tm
from tallymark.errors import EngineError, MemoryLimitError, TallymarkError

LABELS = {"actual": "y", "predicted": "p"}
SCORES = {"actual": "y", "score": "s"}
# Rows 0 to 99: every other is of class 1, every third is called 1, and scores are from 0 to 0.99.
ROWS = (
    "select {} from (select i % 2 as y, (i % 3 = 0)::int as p, i / 100 as s, 1.0 as w from range(100) r(i))"
)
TOLD: dict[str, tuple[str, dict[str, Any], str]] = {
    "missing": (
        "* replace (nullif(y, 1) as y, nullif(s, 0.5) as s)",
        SCORES,
        "actual (column 'y') is missing in 50 of 100 rows, at rows such as (y=null, s=0.01), "
        "(y=null, s=0.03) and (y=null, s=0.05); score (column 's') is missing in 1 of 100 rows, "
        "at the row (y=0, s=null). Hint: to leave such rows out and have them counted, use "
        "--drop-missing (in Python missing='drop').",
    ),
    "a slice": (
        "*, if(s < 0.02, null, 'n') as r",
        {**LABELS, "slices": ["r"]},
        "slice (column 'r') is missing in 2 of 100 rows, at rows such as (y=0, p=1, r=null) and "
        "(y=1, p=0, r=null). Hint: to leave such rows out and have them counted, use --drop-missing (in "
        "Python missing='drop').",
    ),
    "a score beside slices": (
        "* replace (nullif(s, 0.5) as s), 'n' as r",
        {**SCORES, "slices": ["r"]},
        "score (column 's') is missing in 1 of 100 rows, at the row (y=0, s=null). Hint: to leave such rows "
        "out and have them counted, use --drop-missing (in Python missing='drop').",
    ),
    "every row": (
        "* replace (null::double as s)",
        {**SCORES, "missing": "drop"},
        "every row has a missing value, so none is left.",
    ),
    "infinite": (
        "* replace (if(s < 0.5, '-inf'::double, s) as s)",
        SCORES,
        "score (column 's') is infinite in 50 rows, at rows such as (y=0, s=-inf) and (y=1, s=-inf); finite "
        "numbers are expected.",
    ),
    "negative weights": (
        "* replace (if(s < 0.02, -1.5, w) as w)",
        {**LABELS, "weight": "w"},
        "weight (column 'w') holds -1.5 at rows such as (y=0, p=1, w=-1.5) and (y=1, p=0, w=-1.5); weights "
        "are 0 or more.",
    ),
    "no weight": (
        "* replace (0 as w)",
        {**SCORES, "weight": "w"},
        "weight (column 'w') is 0 in every row, so no row would count.",
    ),
    "frequencies": (
        "* replace (if(s = 0.5, 0.5, w) as w)",
        {**LABELS, "weight": "w", "weight_kind": "frequency"},
        "weight (column 'w') holds 0.5 at the row (y=0, p=0, w=0.5); frequencies are whole numbers. Hint: "
        "weights that are no frequencies are --weight-kind sampling (weight_kind='sampling').",
    ),
    "undeclared labels": (
        "* replace (if(s = 0.5, 7, y) as y)",
        {**LABELS, "labels": [0, 1]},
        "actual (column 'y') holds [7] at the row (y=7, p=0); the labels given are [0, 1].",
    ),
    "fractions as labels": (
        "* replace (s as y)",
        SCORES,
        "actual (column 'y') holds 0.01 at the row (y=0.01, s=0.01); labels are text, whole numbers or "
        "booleans. Hint: numbers between classes are scores: pass them as the score, or as text if they are "
        "classes.",
    ),
    "fractions as labels on a grid": (
        "* replace (s as y)",
        {**SCORES, "approximate": True},
        "actual (column 'y') holds 0.01 at the row (y=0.01, s=0.01); labels are text, whole numbers or "
        "booleans. Hint: numbers between classes are scores: pass them as the score, or as text if they are "
        "classes.",
    ),
    "two families": (
        "* replace (if(y = 1, 'yes', 'no') as y)",
        LABELS,
        "actual (column 'y') holds text and predicted (column 'p') numbers or booleans, so no label would "
        "ever match. Hint: convert one of them, for example both to text.",
    ),
    "no positive class": (
        "* replace (if(y = 1, 'yes', 'no') as y)",
        SCORES,
        "a score needs to know the positive class; the labels are ['no', 'yes']. Hint: name it, for example "
        "--positive yes (in Python pos_label='yes').",
    ),
    "text as scores": (
        "* replace (s::varchar as s)",
        SCORES,
        "score (column 's') is of type String; numbers are expected.",
    ),
    "lists": (
        "* replace ([y] as y)",
        LABELS,
        "actual (column 'y') is of type List(Int64); labels are text, whole numbers or booleans.",
    ),
    "intervals": (
        "* replace (to_days(y::int) as y)",
        LABELS,
        "actual (column 'y') is of type Duration(time_unit='us'); labels are text, whole numbers or "
        "booleans.",
    ),
    "large numbers": (
        "* replace (if(s = 0.5, 2::hugeint ** 100, 0)::hugeint as s)",
        SCORES,
        "score (column 's') holds whole numbers beyond 2**53 at the row (y=0, s=9223372036854775807); "
        "rounded, different ones could become equal. Hint: subtract what all of them have in common.",
    ),
    "no column": (
        "*",
        {**LABELS, "weight": "W"},
        "there is no column 'W'; the columns are 'y', 'p', 's', 'w'. Hint: did you mean 'w'? Names are "
        "compared exactly.",
    ),
    "no rows": ("* from (select 0 as y, 0 as p) where y > 0 --", LABELS, "there are no rows."),
}


@pytest.fixture(scope="module")
def duck() -> Iterator[Any]:
    with duckdb.connect() as connection:
        yield connection


@pytest.mark.parametrize("fault", TOLD)
def test_what_is_wrong_is_told(fault: str, duck: Any) -> None:
    columns, options, told = TOLD[fault]
    with pytest.raises(TallymarkError) as raised:
        tm.tally(duck.sql(ROWS.format(columns)), **options)
    assert str(raised.value) == told


def test_rows_of_other_classes_are_told_of_by_what_they_hold(duck: Any) -> None:
    rows = duck.sql("select if(i = 7, 5, i % 2) as y, i / 1000 as s from range(1000) r(i)")
    with pytest.raises(TallymarkError) as raised:
        tm.evaluate(rows, **SCORES)
    assert str(raised.value) == (
        "a score needs to know the positive class; the labels are [0, 1, 5]. Most rows are [0, 1]; 1 row "
        "holds [5], at the row (y=5). Hint: mend that, or name the positive class: --positive 1 (in Python "
        "pos_label=1)."
    )


def test_one_class_has_no_area(duck: Any) -> None:
    found = tm.evaluate(duck.sql(ROWS.format("* replace (1 as y)")), **SCORES)["auc"]
    assert (found.value, found.why) == (None, tm.evaluate([1, 1], y_score=[0.1, 0.2])["auc"].why)


@pytest.mark.parametrize("options", [{}, {"approximate": True}])
def test_an_error_of_the_engine_is_one_sentence(options: dict[str, Any], duck: Any) -> None:
    rows = duck.sql("select i % 2 as y, if(i = 7, error('the well is dry'), i) as s from range(9) r(i)")
    with pytest.raises(EngineError, match=r"^DuckDB failed: .*the well is dry") as raised:
        tm.tally(rows.select("y, s::double as s"), **SCORES, **options)
    assert "\n" not in str(raised.value)


def test_an_error_of_lazy_polars_is_one_sentence(tmp_path: Any) -> None:
    file = tmp_path / "rows.parquet"
    file.write_bytes(b"PAR1 and nothing else, though it is as long as it must be PAR1")
    with pytest.raises(EngineError, match=r"^Polars failed: ") as raised:
        tm.tally(pl.scan_parquet(file, schema={"y": pl.Int64, "s": pl.Float64}), **SCORES, approximate=True)
    assert "\n" not in str(raised.value)


def test_more_scores_than_memory_holds_are_refused(duck: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tallymark.intake.engines.tables._FEWEST", 10)
    monkeypatch.setattr("tallymark.intake.engines.tables._GROUP", 1 << 20)
    with pytest.raises(MemoryLimitError) as raised:
        tm.tally(duck.sql(ROWS.format("*")), **SCORES, memory="1MB")
    assert str(raised.value).startswith(
        "the rows of the DuckDB table have more than 10 different scores, which "
    )
