"""The words of docs/what-is-exact.md, asked of every kind of tally."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tallymark as tm
from tallymark.metrics import METRICS, SCORE_METRICS, SET_METRICS

TEXT = (Path(__file__).parents[2] / "docs" / "what-is-exact.md").read_text(encoding="utf-8")
ALL = [*METRICS, *SCORE_METRICS, *SET_METRICS]
PARAMETERS = {
    "f_beta": ":2", "weighted_accuracy": ":2,1,1,0", "partial_auc": ":0.2", "partial_auc_mcclish": ":0.2",
    "top_k_accuracy": ":2",
}  # fmt: skip
COSTS = {0: {1: 1}, 1: {0: 5}}
CLASS_COSTS = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
N = 400


def tables(heading: str) -> list[list[list[str]]]:
    """The rows of every table of a section, cell by cell."""
    section = TEXT.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    found = re.findall(r"(?:^\|.*\n)+", section, re.MULTILINE)
    return [
        [[cell.strip() for cell in row.split("|")[1:-1]] for row in table.splitlines()] for table in found
    ]


def words(heading: str) -> dict[str, list[str]]:
    """What a table says of every metric, column by column."""
    ((_, _, *rows),) = tables(heading)
    return {
        name: said
        for first, *said in rows
        for name in (re.findall(r"`(\w+)`", first) if first.startswith("`") else METRICS)
    }


def word(ev: tm.Evaluation, name: str) -> str:
    """What is so: a value, a value with bounds, or a reason."""
    found = ev[name]
    if found.value is None:
        assert found.why
        return "impossible"
    return "exact" if found.bounds is None else "bounded"


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    """Scores of which half crowd within one bin of the grid, and probabilities of three classes."""
    random = np.random.default_rng(0)
    y = (random.random(N) < 0.4).astype(int)
    crowded = np.where(random.random(N) < 0.5, 1e-6, 0.5)
    classes = random.integers(0, 3, N)
    chances = random.dirichlet([1, 1, 1], N) * 3 + np.eye(3)[classes]
    chances[: N // 2] = np.round(chances[: N // 2], 1) + 1e-7 * random.random((N // 2, 3))
    chances /= chances.sum(axis=1, keepdims=True)
    return pl.DataFrame(
        {
            "y": y,
            "p": 0.2 + random.beta(2 + y, 3) * crowded,
            "q": random.beta(2 + y, 3),
            "class": classes,
            **{f"p_{k}": chances[:, k] for k in range(3)},
        }
    )


@pytest.fixture(scope="module")
def evaluations(rows: pl.DataFrame) -> list[tm.Evaluation]:
    """One for every column of the table."""
    score: dict[str, Any] = {"actual": "y", "score": "p"}
    classes: dict[str, Any] = {"actual": "class", "probabilities": ["p_0", "p_1", "p_2"], "labels": [0, 1, 2]}
    edges = np.linspace(0, 1, 11)
    counts = [np.histogram(rows.filter(pl.col("y") == k)["p"], edges)[0] for k in (1, 0)]
    ev = tm.evaluate(rows, **score, threshold=0.4, costs=COSTS)
    cut = {"pos_label": 1, **classes}
    return [
        ev.confusion.evaluate(pos_label=1, costs=COSTS),
        ev,
        tm.tally(rows, **score, threshold=0.4, approximate=True).evaluate(costs=COSTS),
        tm.Scores.from_bins(*counts, edges, positive=1).evaluate(threshold=0.4, costs=[[0, 5], [1, 0]]),
        tm.evaluate(rows, **cut, costs=CLASS_COSTS),
        tm.tally(rows, **cut).evaluate(costs=CLASS_COSTS),
        tm.tally(rows, **cut, approximate=True).evaluate(costs=CLASS_COSTS),
        tm.evaluate([{"a"}, {"a", "b"}, {"b"}, {"c"}], [{"a"}, {"b"}, {"b", "c"}, {"a"}]),
    ]


def asked(name: str) -> str:
    return name + PARAMETERS.get(name, "")


def test_every_metric_has_its_row() -> None:
    assert sorted(words("Numbers")) == sorted(ALL)
    assert sorted(words("Differences of two models")) == sorted(
        {*METRICS, *(name for name in SCORE_METRICS if not name.startswith(("auc_o", "top_k")))}
    )


def test_the_words_are_true(evaluations: list[tm.Evaluation]) -> None:
    said = words("Numbers")
    assert said == {name: [word(ev, asked(name)) for ev in evaluations] for name in said}


def test_four_counts_give_what_a_matrix_gives(evaluations: list[tm.Evaluation]) -> None:
    four = evaluations[0].confusion.binary(1)
    for name in (name for name in ALL if name not in PARAMETERS and "cost" not in name):
        assert getattr(tm, name)(four) == evaluations[0][name].value


def test_exact_is_the_number_of_the_rows_and_bounds_hold_it(evaluations: list[tm.Evaluation]) -> None:
    _, scores, grid, bins, *_ = evaluations
    for name in map(asked, [*METRICS, *SCORE_METRICS]):
        value = scores[name].value
        for ev in (grid, bins):
            estimate = ev[name]
            if estimate.bounds is not None:
                assert estimate.bounds[0] <= value <= estimate.bounds[1]
            elif estimate.value is not None:
                assert estimate.value == pytest.approx(value, rel=1e-12)


def test_a_later_threshold_within_a_bin_makes_counts_bounded(rows: pl.DataFrame) -> None:
    tally = tm.tally(rows, actual="y", score="p", threshold=0.4, approximate=True)
    within = float(rows["p"].sort()[N // 4])
    assert word(tally.evaluate(threshold=0.4), "recall") == "exact"
    assert word(tally.evaluate(threshold=within), "recall") == "bounded"


def test_groups_and_engines_change_no_value(rows: pl.DataFrame, evaluations: list[tm.Evaluation]) -> None:
    import duckdb

    table = rows.with_columns(group=pl.int_range(N) // 4)
    options: dict[str, Any] = {"actual": "y", "score": "p", "threshold": 0.4, "costs": COSTS}
    grouped = tm.evaluate(table, groups="group", **options)
    counted = tm.evaluate(duckdb.from_arrow(table.to_arrow()), **options)
    for name in map(asked, ALL):
        for ev in (grouped, counted):
            assert word(ev, name) == word(evaluations[1], name)
            assert ev[name].value == pytest.approx(evaluations[1][name].value, rel=1e-12)


@pytest.mark.parametrize("kind", ["answers", "scores"])
def test_differences(kind: str, rows: pl.DataFrame) -> None:
    given = {name: rows[name].to_numpy() for name in ("p", "q")}
    models = {
        name: tm.evaluate(rows["y"].to_numpy(), (p >= 0.4).astype(int))
        if kind == "answers"
        else tm.evaluate(rows["y"].to_numpy(), y_score=p, threshold=0.4)
        for name, p in given.items()
    }
    said = {asked(name): row[kind == "scores"] for name, row in words("Differences of two models").items()}
    free = {name for name in said if "cost" not in name}
    counts = sorted(free - {"prevalence", "no_information_rate"})
    possible = [name for name in counts if said[name] == "exact"]
    comparison = tm.compare(models, metrics=possible)
    for name in possible:
        assert comparison[name].value == pytest.approx(models["p"][name].value - models["q"][name].value)
    for name in counts:
        if said[name] == "impossible":
            with pytest.raises(tm.OptionError):
                tm.compare(models, metric=name)
