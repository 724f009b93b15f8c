"""Tables of engines as their users have them, with names and types that engines read in ways of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import polars as pl
import pytest

import tallymark as tm
from tallymark.errors import TallymarkError

SIDES: dict[str, Any] = {"actual": "y", "predicted": "p"}
ROWS = pl.DataFrame({"y": [1, 1, 0, 0, 1], "p": [1, 0, 0, 1, 1], "s": [0.9, 0.4, 0.2, 0.7, 0.8]})


@pytest.fixture(scope="module")
def connection() -> Any:
    found = duckdb.connect()
    found.register("given", ROWS.to_arrow())
    return found


def message(work: Callable[[], Any]) -> str:
    with pytest.raises(TallymarkError) as raised:
        work()
    return str(raised.value)


@pytest.mark.parametrize("query", ["SELECT y, p, s AS Y FROM given", "SELECT y, y FROM given"])
def test_names_that_differ_by_case_only_are_one_for_duckdb(connection: Any, query: str) -> None:
    said = message(lambda: tm.evaluate(connection.sql(query), **SIDES))
    assert said == "the frame has several columns called 'y'. Hint: rename one of them."


def test_columns_beside_repeated_ones_are_counted(connection: Any) -> None:
    table = connection.sql("SELECT y, p, s, s AS S FROM given")
    assert tm.tally(table, **SIDES) == tm.tally(ROWS, **SIDES)


@pytest.mark.parametrize("role", ["actual", "predicted", "id"])
def test_a_column_called_star_is_refused(connection: Any, role: str) -> None:
    """DuckDB would put all columns in its place."""
    table = connection.sql('SELECT *, y AS "*" FROM given')
    said = message(lambda: tm.evaluate(table, **{**SIDES, role: "*"}))
    assert said.startswith("a column is called '*', which DuckDB takes for all columns. Hint: rename it")


@pytest.mark.parametrize("name", ["*", "^y$"])
@pytest.mark.parametrize("form", [pl.DataFrame.clone, pl.DataFrame.to_pandas])
def test_names_are_no_patterns(name: str, form: Callable[[pl.DataFrame], Any]) -> None:
    table = form(ROWS.rename({"y": name}))
    assert tm.tally(table, actual=name, predicted="p").counted == tm.tally(ROWS, **SIDES).counted


def test_names_of_batches_are_no_patterns(connection: Any) -> None:
    table = connection.sql('SELECT y, p, y AS "^g$" FROM given')
    expected = tm.tally(ROWS.with_columns(g="y"), **SIDES, groups="g")
    assert tm.tally(table, **SIDES, groups="^g$").counted == expected.counted


def test_a_closed_connection_is_told() -> None:
    connection = duckdb.connect()
    table = connection.sql("SELECT 1 AS y, 1 AS p")
    connection.close()
    for work in (tm.evaluate, tm.tally):
        said = message(lambda work=work: work(table, **SIDES))  # type: ignore[misc]
        assert said.startswith("the DuckDB connection of this table is closed. Hint: ")


def test_tables_without_order_are_not_matched_by_position(connection: Any) -> None:
    table = connection.table("given")
    for given in ([table, [1, 0, 0, 1, 1]], [table.select("y"), table.select("p")], [[1, 0], table]):
        said = message(lambda given=given: tm.evaluate(*given))  # type: ignore[misc]
        assert said.startswith("the rows of a DuckDB table have no order, so they cannot be matched")


def test_what_has_no_columns_is_told_by_its_type(connection: Any) -> None:
    said = message(lambda: tm.evaluate(connection, **SIDES))
    assert said.startswith("columns are named, ['y', 'p'], and the data has none: it is of type DuckDBPyConn")


def test_tallies_of_engines_are_added(connection: Any, tmp_path: Any) -> None:
    from dask.dataframe import from_pandas

    ROWS.write_parquet(tmp_path / "rows.parquet")
    asked = {"actual": "y", "score": "s"}
    forms = [
        connection.table("given"),
        from_pandas(ROWS.to_pandas(), npartitions=2),
        tmp_path / "rows.parquet",
    ]
    whole = sum(tm.tally(form, **asked) for form in forms)
    expected = tm.tally(pl.concat([ROWS] * 3), **asked)
    assert (whole.counted, whole.scores) == (expected.counted, expected.scores)  # type: ignore[union-attr]


def test_text_of_spark_is_one_label_only_if_it_is_the_same(spark: Any) -> None:
    """A slice by text that Spark compares without case has a slice of its own for each."""
    table = spark.sql(
        "SELECT y, p, region COLLATE UTF8_LCASE AS region FROM VALUES (1, 1, 'a'), (1, 0, 'A'), (0, 0, 'b'), "
        "(0, 1, 'a') AS t(y, p, region)"
    )
    found = tm.tally(table, **SIDES, slices=["region"]).slices[("region",)]
    assert {key: tally.counted.rows for key, tally in found.items()} == {("a",): 2, ("A",): 1, ("b",): 1}


def test_columns_of_spark_hold_no_values(spark: Any) -> None:
    table = spark.sql("SELECT 1 AS y, 1 AS p")
    said = message(lambda: tm.evaluate(table.y, table.p))
    assert said.startswith("a Column of Spark holds no values by itself. Hint: pass its data frame")
    assert message(lambda: tm.evaluate(table, table)).startswith("the rows of a Spark table have no order")


def test_a_column_of_spark_may_have_no_name(spark: Any) -> None:
    table = spark.sql("SELECT 1 AS ``, 1 AS p UNION ALL SELECT 0, 0")
    assert tm.tally(table, actual="", predicted="p").counted.n == 2
