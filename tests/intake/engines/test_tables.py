"""Tables that stay in their engine: what is counted there, what is counted here, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Any

import duckdb
import polars as pl
import pytest

import tallymark as tm
from tallymark.errors import InputError, MemoryLimitError, ShapeError
from tallymark.intake.engines.duckdb.store import DuckStore
from tallymark.intake.engines.parts import Failed, both, outcome
from tallymark.intake.engines.recognised import store_of
from tallymark.intake.engines.tables import InTurn, one_line

ROWS = pl.DataFrame(
    {
        "y": [0, 1, 1, 0, 1, 0],
        "p": [0, 1, 0, 1, 1, 0],
        "s": [0.1, 0.9, 0.4, 0.6, 0.9, 0.1],
        "q": [0.9, 0.1, 0.6, 0.4, 0.1, 0.9],
        "id": ["a", "b", "c", "a", None, "d"],
        "r": ["n", "n", "s", "s", "n", "s"],
    }
)


@pytest.fixture(scope="module")
def relation() -> Iterator[Any]:
    with duckdb.connect() as connection:
        yield connection.from_arrow(ROWS.to_arrow())


class Word(str):
    """An outcome whose order can be seen."""

    def within(self, part: int, before: int) -> Word:
        return Word(f"{self}{part}.{before} ")

    def then(self, later: Word) -> Word:
        return Word(f"{self}{later}")


@pytest.mark.parametrize("number", range(1, 20))
def test_outcomes_are_put_together_in_their_order(number: int) -> None:
    total, words = InTurn(), [Word(f"{each} ") for each in range(number)]
    for word in words:
        total.add(word)
    assert total.finished() == "".join(words)


def test_nothing_is_made_of_no_outcomes() -> None:
    assert InTurn().finished() is None


def test_what_is_raised_is_an_outcome_and_the_first_of_them_is_told() -> None:
    def work(batch: str) -> Word:
        if batch.startswith("bad"):
            raise ShapeError(batch)
        return Word(batch)

    found = [outcome(work, batch, part) for part, batch in enumerate(["a ", "bad 1", "b ", "bad 2"])]
    assert found[0] == "a 0.0 "
    for order in (reduce(both, found), both(found[0], reduce(both, found[1:])), both(*found[2:])):
        assert isinstance(order, Failed)
    failed = reduce(both, found)
    assert (failed.problem.message, failed.part) == ("bad 1", 1)


@pytest.mark.parametrize(
    ("said", "told"),
    [("first\n\nsecond", "first"), ("", "ValueError"), ("\n  late", "late"), ("x" * 500, "x" * 400 + " ...")],
)
def test_an_error_is_told_in_one_line(said: str, told: str) -> None:
    assert one_line(ValueError(said)) == told


def test_which_tables_stay_where_they_are(relation: Any) -> None:
    assert isinstance(store_of(relation), DuckStore)
    assert store_of(ROWS) is store_of(ROWS.lazy()) is store_of([1, 2]) is None
    lazy = store_of(ROWS.lazy(), lazy=True)
    assert lazy is not None
    assert lazy.called == "the rows of the Polars table"


@pytest.mark.parametrize(
    "options",
    [
        {"actual": "y", "predicted": "p"},
        {"actual": "y", "predicted": "p", "slices": ["y"]},  # a column with two roles is counted by numpy
        {"actual": "y", "score": "s", "slices": ["r*p"]},
        {"actual": "y", "probabilities": {0: "q", 1: "s"}},
    ],
)
def test_relations_are_counted_as_frames_are(options: dict[str, Any], relation: Any) -> None:
    assert tm.tally(relation, **options) == tm.tally(ROWS, **options)


def test_names_of_columns_are_not_taken_for_others(relation: Any) -> None:
    """Not even if they are those that a query gives to what it makes of them."""
    names = {"y": "score", "p": "actual", "s": "weight", "r": "predicted", "id": "rows"}
    asked = {"actual": "score", "score": "weight", "slices": ["predicted", "actual"]}
    renamed = relation.select(", ".join(f'{old} as "{new}"' for old, new in names.items()))
    assert tm.tally(renamed, **asked) == tm.tally(ROWS.rename(names), **asked)


def test_many_cuts_are_looked_up_by_numpy(relation: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {"actual": "y", "score": "s", "approximate": True}
    pushed = tm.tally(relation, **asked).scores
    monkeypatch.setattr("tallymark.intake.engines.tables.MOST_CUTS", 3)
    monkeypatch.delattr("tallymark.intake.engines.tables.grouped")
    mapped = tm.tally(relation, **asked).scores
    for side in ("positives", "negatives"):
        assert getattr(mapped, side).tolist() == getattr(pushed, side).tolist()


def test_ids_are_looked_at_in_the_engine(relation: Any) -> None:
    with pytest.raises(InputError) as raised:
        tm.evaluate(relation, actual="y", predicted="p", id="id")
    told = "ids must be unique and present; column 'id' repeats or lacks one in 3 rows, such as "
    assert str(raised.value).startswith(told)
    evaluated = tm.evaluate(relation.filter("id in ('b', 'c', 'd')"), actual="y", predicted="p", id="id")
    assert evaluated.rows == 3


def test_rows_are_brought_only_if_they_fit(relation: Any) -> None:
    store = DuckStore(relation)
    assert store.collected(["y", "s", "y"], 1 << 20, "a metric").equals(ROWS.select("y", "s"))
    with pytest.raises(
        MemoryLimitError, match=r"^a metric needs rows, and the rows of the DuckDB table, 6 of"
    ):
        store.collected(["y", "s"], 100, "a metric")
