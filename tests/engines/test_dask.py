"""Data frames of Dask: the same tally as in memory, whatever the partitions and whoever counts them."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import dask
import dask.dataframe as dd
import distributed
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from alike import alike
from sklearn.metrics import brier_score_loss, confusion_matrix, roc_auc_score

import tallymark as tm
from tallymark.errors import ColumnError, InputError, MemoryLimitError, ShapeError
from tallymark.intake.engines.dask import runs as dask_runs
from tallymark.intake.engines.dask.clusters import active_client, client_of
from tallymark.intake.engines.dask.runs import spread
from tallymark.intake.engines.dask.store import DaskStore

RNG = np.random.default_rng(0)
N = 3_000


def _frame() -> pd.DataFrame:
    actual = RNG.integers(0, 2, N)
    score = np.clip(RNG.normal(0.3 + 0.3 * actual, 0.2), 0, 1)
    frame = pd.DataFrame(
        {
            "y": actual,
            "answer": (score > 0.5).astype(int),
            "score": score,
            "rounded": score.round(2),
            "whole": RNG.integers(0, 4, N),
            "share": RNG.random(N),
            "region": RNG.choice(["north", "south", "east"], N),
            "device": RNG.choice(["old", "new"], N),
            "gaps": np.where(RNG.random(N) < 0.1, np.nan, score),
        }
    )
    for classes in (3, 25):
        probabilities = RNG.dirichlet(np.ones(classes), N)
        for place in range(classes):
            frame[f"{classes} {place}"] = probabilities[:, place]
        frame[f"of {classes}"] = RNG.integers(0, classes, N)
    return frame.set_index(RNG.integers(0, 9, N))  # an index that tells nothing


FRAME = _frame()


def _probabilities(classes: int) -> dict[str, Any]:
    columns = {str(place): f"{classes} {place}" for place in range(classes)}
    return {"actual": f"of {classes}", "probabilities": columns}


ASKED: dict[str, dict[str, Any]] = {
    "labels": {"actual": "y", "predicted": "answer"},
    "scores": {"actual": "y", "score": "score"},
    "few scores, sliced": {"actual": "y", "score": "rounded", "slices": ["region", "region*device"]},
    "grid": {"actual": "y", "score": "score", "approximate": True},
    "grid, whole weights": {"actual": "y", "score": "rounded", "approximate": True, "weight": "whole"},
    "grid, weights, sliced": {
        "actual": "y", "score": "score", "approximate": True, "weight": "share", "slices": ["device"],
    },
    "scores, weights": {"actual": "y", "score": "score", "weight": "share"},
    "frequencies": {"actual": "y", "predicted": "answer", "weight": "whole", "weight_kind": "frequency"},
    "3 classes": _probabilities(3),
    "25 classes": {**_probabilities(25), "approximate": True},
    "missing": {"actual": "y", "score": "gaps", "missing": "drop"},
}  # fmt: skip


def parts(number: int) -> Any:
    return dd.from_pandas(FRAME, npartitions=number, sort=False)


# --- the same tally ---------------------------------------------------------------------------------


@pytest.mark.parametrize("asked", ASKED)
def test_workers_count_what_is_counted_in_memory(dask_client: Any, asked: str) -> None:
    found = tm.tally(parts(5), **ASKED[asked])
    alike(found, tm.tally(FRAME, **ASKED[asked]))
    with dask.config.set(scheduler="threads"):
        assert tm.tally(parts(5), **ASKED[asked]) == found, "the same bits without a cluster"


def test_other_libraries_agree(dask_client: Any) -> None:
    found = tm.evaluate(parts(4), actual="y", score="score")
    assert found["auc"].value == pytest.approx(roc_auc_score(FRAME["y"], FRAME["score"]), abs=1e-12)
    assert found["brier"].value == pytest.approx(brier_score_loss(FRAME["y"], FRAME["score"]), abs=1e-12)
    answers = tm.evaluate(parts(4), actual="y", predicted="answer")
    tn, fp, fn, tp = confusion_matrix(FRAME["y"], FRAME["answer"]).ravel()
    shares = {"accuracy": (tp + tn) / N, "recall": tp / (tp + fn), "precision": tp / (tp + fp)}
    assert {name: answers[name].value for name in shares} == shares


def test_bounds_are_made_narrow_by_counting_again(dask_client: Any) -> None:
    asked: dict[str, Any] = {"actual": "y", "score": "score", "approximate": True, "tolerance": 1e-7}
    found = tm.evaluate(parts(3), **asked)
    low, high = found["auc"].bounds
    assert low - 1e-12 <= roc_auc_score(FRAME["y"], FRAME["score"]) <= high + 1e-12 < low + 1e-7
    assert "the rows of the Dask table were read 2 times." in found.notes


@pytest.mark.parametrize("asked", ["scores", "grid, weights, sliced", "3 classes"])
def test_partitions_do_not_matter(asked: str) -> None:
    whole = tm.tally(parts(1), **ASKED[asked])
    empty = parts(3).map_partitions(lambda part: part[part["device"] == "none"], meta=FRAME.iloc[:0])
    for frame in (parts(2), parts(7), dd.concat([empty, parts(4), empty])):
        alike(tm.tally(frame, **ASKED[asked]), whole)


def test_the_number_of_workers_does_not_matter(dask_client: Any) -> None:
    asked = ASKED["grid, weights, sliced"]
    found = tm.tally(parts(7), **asked)
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as alone,
        alone.as_current(),
    ):
        assert tm.tally(parts(7), **asked) == found


# --- columns of all kinds -----------------------------------------------------------------------------

_DATE = datetime.datetime(2024, 2, 29)
KINDS: dict[str, tuple[list[Any], Any]] = {
    "whole numbers": ([0, 1, 1], "int64"),
    "nullable": ([0, None, 1], "Int64"),
    "arrow": ([0, None, 1], pd.ArrowDtype(pa.int64())),
    "floats": ([0.0, -0.0, np.nan], "float64"),
    "booleans": ([True, False, True], "bool"),
    "nullable booleans": ([True, None, False], "boolean"),
    "objects": ([True, None, False], object),
    "text": (["a", "b", None], "str"),
    "text as objects": (["a", "b", None], object),
    "text in arrow": (["a", "b", None], "string[pyarrow]"),
    "categories": (["a", "b", None], "category"),
    "whole categories": ([3, 1, 1], "category"),
    "decimals": ([Decimal("1.0"), None, Decimal(0)], object),
    "decimals in arrow": ([Decimal("1.0"), None, Decimal(0)], pd.ArrowDtype(pa.decimal128(9, 2))),
    "dates": ([_DATE, None, _DATE + datetime.timedelta(1)], "datetime64[us]"),
}


@pytest.fixture
def as_they_are() -> Iterator[None]:
    """Otherwise Dask makes text of all objects."""
    with dask.config.set({"dataframe.convert-string": False, "scheduler": "sync"}):
        yield


@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_all_kinds(as_they_are: None, kind: str) -> None:
    values, of = KINDS[kind]
    sides = {"y": values * 4, "answer": values[::-1] * 4}
    frame = pd.DataFrame({name: pd.Series(side, dtype=of) for name, side in sides.items()})
    frame.index = [1, 1, 2] * 4
    asked = {"actual": "y", "predicted": "answer", "missing": "drop"}
    found = tm.tally(dd.from_pandas(frame, npartitions=3, sort=False), **asked)
    assert found == tm.tally(frame, **asked)
    complete = [not any(map(pd.isna, pair)) for pair in zip(values, reversed(values), strict=True)]
    assert found.rows == 4 * sum(complete)


def test_names_that_are_numbers(as_they_are: None) -> None:
    frame = pd.DataFrame({0: [0, 1, 1], 1: [0, 0, 1]})
    found = tm.tally(dd.from_pandas(frame, npartitions=2), actual="0", predicted="1")
    assert found == tm.tally(frame, actual="0", predicted="1")


def test_names_that_are_there_twice(as_they_are: None) -> None:
    frame = pd.DataFrame([[0, 1, 1]], columns=["y", "answer", "answer"])
    with pytest.raises(ColumnError, match="the frame has several columns called 'answer'"):
        tm.tally(dd.from_pandas(frame, npartitions=1), actual="y", predicted="answer")
    frame = pd.DataFrame([[0, 1, 1, 1]], columns=["y", "other", "answer", "other"])
    assert tm.tally(dd.from_pandas(frame, npartitions=1), actual="y", predicted="answer").rows == 1


def test_a_table_without_rows(as_they_are: None) -> None:
    with pytest.raises(ShapeError, match="there are no rows"):
        tm.tally(parts(2).map_partitions(lambda part: part.iloc[:0]), actual="y", predicted="answer")


# --- what is asked of a table besides counts -----------------------------------------------------------


@pytest.mark.parametrize(
    ("ids", "told"),
    [
        ([3, 1, 2, 0], None),
        ([3, 1, 3, 3], "in 3 rows, such as 3."),
        (["a", "b", "c", "a"], "in 2 rows, such as 'a'."),
        (pd.Categorical(["a", "b", "c", "b"]), "in 2 rows, such as 'b'."),
        ([0.0, 1.0, -0.0, np.nan], "in 3 rows, such as "),
        (pd.array([7, None, 8, 9], "Int64"), "in 1 rows, such as null."),
    ],
    ids=["unique", "whole numbers", "text", "categories", "floats", "missing"],
)
def test_ids_that_are_not_unique(as_they_are: None, ids: Any, told: str | None) -> None:
    store = DaskStore(dd.from_pandas(pd.DataFrame({"id": ids}), npartitions=3))
    if told is None:
        store.refuse_repeated("id", 1 << 30)
        return
    with pytest.raises(InputError) as caught:
        store.refuse_repeated("id", 1 << 30)
    assert told in str(caught.value)


def test_rows_come_only_where_they_fit(as_they_are: None) -> None:
    store = DaskStore(parts(3))
    assert store.collected(["y", "region"], 1 << 30, "why")["region"].to_list() == FRAME["region"].to_list()
    with pytest.raises(MemoryLimitError, match=r"why needs rows, and .* Dask table, 3,000 of them"):
        store.collected(["y"], 10_000, "why")


# --- where it runs ----------------------------------------------------------------------------------------


def test_only_the_whole_comes_here(dask_client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[int] = []
    gather = distributed.Client._gather

    def counted(self: Any, futures: Any, **options: Any) -> Any:
        fetched.append(len(futures))
        return gather(self, futures, **options)

    tm.tally(parts(5), **ASKED["labels"])  # the workers are looked at once
    monkeypatch.setattr(distributed.Client, "_gather", counted)
    tm.tally(parts(5), **ASKED["labels"])
    assert fetched == [1]


def test_nothing_stays_on_the_cluster(dask_client: Any, until: Callable[..., Any]) -> None:
    tm.tally(parts(5), **ASKED["grid"])
    until(lambda: not dask_client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)))


@pytest.mark.parametrize("scheduler", ["sync", "threads", "dask.distributed"])
def test_it_is_shown_how_far_it_is(dask_client: Any, scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[int] = []

    def steps(total: int, what: str) -> Iterator[int]:
        assert (total, what) == (5, "reading")
        for step in range(total):
            done.append(step)
            yield step

    monkeypatch.setattr(dask_runs, "steps", steps)
    with dask.config.set(scheduler=scheduler):
        tm.tally(parts(5), **ASKED["labels"])
    assert done == [*range(5)]


def _said(word: int) -> Callable[[], Any]:
    """A task; all of it is within a function, so that it crosses to workers, who have no such module."""

    class Words:
        def __init__(self, *said: int) -> None:
            self.said = said

        def then(self, later: Any) -> Any:
            return type(self)(*self.said, *later.said)

    return lambda: Words(word)


def test_tasks_are_put_together_in_order(dask_client: Any) -> None:
    for number in (1, 2, 3, 6, 7):
        found = spread([_said(word) for word in range(number)], "working", dask_client)
        assert found.said == tuple(range(number))
    assert spread([], "working", dask_client) is None


def test_workers_are_started_where_there_are_none() -> None:
    assert active_client() is None
    with client_of() as client:
        assert active_client() is client
        assert tm.tally(parts(2), **ASKED["labels"]).rows == N
    assert active_client() is None


def test_workers_that_are_there_are_used(dask_client: Any) -> None:
    with client_of() as client:
        assert client is dask_client
    with client_of(dask_client.scheduler.address) as client:
        assert (client is dask_client, client.scheduler.address) == (False, dask_client.scheduler.address)
    assert active_client() is dask_client, "it is not closed"
