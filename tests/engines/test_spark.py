"""Tables of Spark, counted by its executors: the tally is that of the same rows in memory."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import polars as pl
import pytest
from alike import alike
from sklearn.metrics import roc_auc_score

import tallymark as tm
from tallymark.intake.engines.parts import Faults
from tallymark.intake.engines.spark import store as spark_store
from tallymark.intake.engines.spark.store import SparkStore, spread
from tallymark.intake.streams.complaints import Complaint, Complaints

pytestmark = pytest.mark.xdist_group("spark")

N = 600
RNG = np.random.default_rng(10)
CLASSES = [f"class {place:02}" for place in range(25)]


def _rows() -> pl.DataFrame:
    actual = RNG.integers(0, 2, N)
    score = np.clip(RNG.normal(0.35 + 0.3 * actual, 0.2), 0, 1)
    of_three, of_many = RNG.dirichlet([1.0] * 3, N), RNG.dirichlet([1.0] * 25, N)
    return pl.DataFrame(
        {
            "y": actual,
            "answer": RNG.integers(0, 2, N),
            "score": score,
            "crowded": 0.7 + score / 1e5,
            "gappy": np.where(np.arange(N) % 50 == 7, np.nan, np.round(score, 2)),
            "weight": RNG.random(N),
            "times": RNG.integers(0, 4, N),
            "region": RNG.choice(["north", "south"], N),
            "sex": RNG.choice(["f", "m"], N),
            "kind": RNG.choice(CLASSES[:3], N),
            "sort": RNG.choice(CLASSES, N),
            **{f"p {name}": of_three[:, place] for place, name in enumerate(CLASSES[:3])},
            **{f"q {name}": of_many[:, place] for place, name in enumerate(CLASSES)},
        }
    )


ROWS = _rows()
THREE = {"probabilities": [f"p {name}" for name in CLASSES[:3]], "labels": CLASSES[:3]}
MANY = {"probabilities": [f"q {name}" for name in CLASSES], "labels": CLASSES}
PUSHED_DOWN: dict[str, dict[str, Any]] = {
    "labels": {"actual": "y", "predicted": "answer", "slices": ["region", "region*sex"]},
    "scores": {"actual": "y", "score": "gappy", "missing": "drop"},
    "a grid": {"actual": "y", "score": "score", "approximate": True, "weight": "weight"},
    "frequencies": {
        "actual": "y",
        "score": "score",
        "approximate": True,
        "weight": "times",
        "weight_kind": "frequency",
        "slices": ["sex"],
    },
}
BY_PARTS: dict[str, dict[str, Any]] = {
    "3 classes": {"actual": "kind", **THREE, "weight": "times", "slices": ["region"]},
    "25 classes on a grid": {"actual": "sort", **MANY, "approximate": True},
}
EVERY = {**PUSHED_DOWN, **BY_PARTS}


@pytest.fixture(scope="module")
def table(spark: Any) -> Any:
    """The rows in four partitions, of which one is empty."""
    three = spark.createDataFrame(ROWS.to_arrow()).repartitionByRange(3, "score")
    return three.union(spark.createDataFrame(ROWS.to_arrow()).limit(0).coalesce(1))


@pytest.mark.parametrize("what", EVERY)
def test_executors_count_as_it_is_counted_in_memory(what: str, table: Any) -> None:
    alike(tm.tally(table, **EVERY[what]), tm.tally(ROWS, **EVERY[what]))


def test_a_second_look_at_the_rows_narrows_what_is_not_known(table: Any) -> None:
    exact = roc_auc_score(ROWS["y"].to_numpy(), ROWS["crowded"].to_numpy())
    found = tm.evaluate(table, actual="y", score="crowded", approximate=True, tolerance=1e-3)
    low, high = found["auc"].bounds
    assert low <= exact <= high
    assert high - low <= 2e-3
    assert any("rows of the Spark table were read" in note for note in found.notes)


def test_rules_of_ansi_do_not_matter(spark: Any, table: Any) -> None:
    before = spark.conf.get("spark.sql.ansi.enabled")
    tallies = []
    for rules in ("true", "false"):
        spark.conf.set("spark.sql.ansi.enabled", rules)
        tallies.append(tm.tally(table, **PUSHED_DOWN["a grid"]))
    spark.conf.set("spark.sql.ansi.enabled", before)
    alike(*tallies)


def test_a_group_by_is_run_by_spark_alone_and_only_its_groups_come(
    table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans, rows, usual = [], [], SparkStore.brought

    def brought(self: SparkStore, query: Any, what: str) -> pl.DataFrame:
        plans.append(query.to_native()._jdf.queryExecution().toString())
        rows.append(len(usual(self, query, what)))
        return usual(self, query, what)

    monkeypatch.setattr(SparkStore, "brought", brought)
    tm.tally(table, actual="y", predicted="answer")
    assert rows == [4]
    assert "Aggregate" in plans[0]
    assert not any(word in plans[0] for word in ("Python", "MapInArrow", "Pandas"))


def test_one_outcome_of_all_partitions_comes(table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    came, usual = [], spark_store._in_order

    def in_order(outcomes: Any) -> Any:
        came.append((outcomes.num_rows, outcomes.nbytes))
        return usual(outcomes)

    monkeypatch.setattr(spark_store, "_in_order", in_order)
    tm.tally(table, actual="kind", **THREE, approximate=True)
    [(rows, size)] = came
    assert rows == 1
    assert size < 100_000


def _noted(number: int) -> Faults:
    return Faults(Complaints(1, {(2, number): Complaint(None, 1, [(number, 0)])}))


def test_what_many_tasks_make_is_put_together_in_their_order(spark: Any) -> None:
    tasks = [partial(Faults, _noted(number).complaints) for number in range(70)]
    found = spread(spark, tasks, "counting")
    assert found.complaints.rows == 70
    assert list(found.complaints.found) == [(2, number) for number in range(70)]
    assert spread(spark, [], "counting") is None


def test_columns_that_cannot_be_named(spark: Any) -> None:
    twice = spark.sql("select 0 as y, 1 as y, 1 as p, 0 as `p.q` from range(3)")
    with pytest.raises(tm.ColumnError, match=r"several columns called 'y'"):
        tm.tally(twice, actual="y", predicted="p")
    with pytest.raises(tm.ColumnError, match=r"'p\.q' has a name that Spark takes for a part of a column"):
        tm.tally(twice, actual="p", predicted="p.q")
    with pytest.raises(tm.ColumnError, match="there is no column 'z'"):
        tm.tally(twice, actual="p", predicted="z")


def test_no_rows(spark: Any) -> None:
    nothing = spark.sql("select 0 as y, 1 as p, 0.5D as a, 0.5D as b from range(0)")
    with pytest.raises(tm.ShapeError, match="there are no rows"):
        tm.tally(nothing, actual="y", predicted="p")
    with pytest.raises(tm.ShapeError, match="there are no rows"):
        tm.tally(nothing, actual="y", probabilities=["a", "b"], labels=[0, 1])
