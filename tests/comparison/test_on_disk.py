"""Files that do not fit the memory: the same comparison as in memory, from rows that were matched on disk."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tallymark as tm
from documents import same
from tallymark.comparison.rows import on_disk
from tallymark.intake.streams import size, spilling

N = 180
TIGHT = "1MiB"


@pytest.fixture(autouse=True)
def few_bytes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Every file is taken for one of 3 MB, and all rows go to disk; gives where that is."""
    monkeypatch.setattr(size, "estimated_bytes", lambda _: 3_000_000)
    monkeypatch.setattr(on_disk, "_SHARE", 1 << 40)
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def table(seed: int, **more: Any) -> pl.DataFrame:
    """The same rows for every seed, with other answers and scores, in another order."""
    fixed, rng = np.random.default_rng(7), np.random.default_rng(seed)
    y = fixed.integers(0, 2, N)
    ids, weight = fixed.permutation(5 * N)[:N] - N, fixed.integers(0, 4, N)
    score = np.clip(0.3 * y + rng.normal(0.35, 0.2, N), 0.02, 0.98).round(3)
    columns = {"id": ids, "y": y, "p": (score + rng.normal(0, 0.1, N) > 0.5).astype(int), "s": score}
    frame = pl.DataFrame(columns | {"w": weight, "x": weight / 3 + 0.1})
    return frame.with_columns(**more)[rng.permutation(N)]


def written(folder: Path, **tables: pl.DataFrame) -> dict[str, str]:
    for name, frame in tables.items():
        frame.write_parquet(folder / f"{name}.parquet")
    return {name: str(folder / f"{name}.parquet") for name in tables}


def both(files: dict[str, Any], **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """In memory and on disk."""
    found = [tm.compare(files, actual="y", id="id", memory=size, **options) for size in ("1GB", TIGHT)]
    assert not any("on disk" in note for note in found[0].notes)
    assert any("rows were matched on disk" in note for note in found[1].notes)
    one, two = (each.to_dict() for each in found)
    return one, two


def agree(one: Any, two: Any, path: str = "") -> None:
    same(one, two, path, but=["notes"])


@pytest.mark.parametrize(
    "options",
    [
        {"predicted": "p"},
        {"score": "s"},
        {"predicted": "p", "score": "s", "metrics": ["auc", "gini", "partial_auc:0.3", "average_precision"]},
        {"score": "s", "threshold": 0.4, "metric": "f1", "metrics": ["brier", "log_loss", "ece", "mcc"]},
        {"predicted": "p", "weight": "w", "score": "s"},
        {"predicted": "p", "weight": "x", "score": "s"},
        {"score": "s", "weight": "w", "weight_kind": "frequency"},
        {"predicted": "p", "costs": {0: {1: 1}, 1: {0: 5}}, "labels": [0, 1], "margin": 0.05},
        {"predicted": "p", "test": "permutation", "alternative": "greater", "permutations": 200},
    ],
    ids=["answers", "scores", "rankings", "cut", "whole weights", "weights", "frequencies", "costs", "swaps"],
)
def test_on_disk_is_as_in_memory(tmp_path: Path, options: dict[str, Any]) -> None:
    files = written(tmp_path, a=table(1), b=table(2))
    one, two = both(files, **options)
    assert one["design"] == two["design"] == "same rows"
    agree(one, two)


def test_three_models(tmp_path: Path) -> None:
    files = written(tmp_path, a=table(1), b=table(2), c=table(3))
    agree(*both(files, predicted="p", score="s"))


def test_classes_that_are_pooled(tmp_path: Path) -> None:
    three = (pl.col("id") % 2 + 1) * (1 - pl.col("y")) + 3 * pl.col("y")
    files = written(tmp_path, a=table(1, y=three), b=table(2, y=three))
    one, two = both(files, score="s", pos_label=3)
    agree(one, two)
    assert any("were pooled as 'rest'" in note for note in two["notes"])


def test_labels_in_an_order_of_their_own(tmp_path: Path) -> None:
    words = pl.when(pl.col("y") == 1).then(pl.lit("a")).otherwise(pl.lit("b"))
    files = written(tmp_path, a=table(1, y=words), b=table(2, y=words))
    agree(*both(files, score="s", labels=["b", "a"], pos_label="a", metrics=["recall", "precision", "auc"]))


def test_scores_of_one_model_are_no_probabilities(tmp_path: Path) -> None:
    files = written(tmp_path, a=table(1), b=table(2), c=table(3, s=5 * pl.col("s") - 1))
    agree(*both(files, predicted="p", score="s", metrics=["auc", "brier", "log_loss"]))


def test_three_classes_as_text_in_csv(tmp_path: Path) -> None:
    rng, files = np.random.default_rng(3), {}
    classes = rng.choice(["1", "2", "10"], N)
    for name in ("a", "b"):
        answers = np.where(rng.random(N) < 0.7, classes, rng.choice(["1", "2", "10"], N))
        order = rng.permutation(N)
        frame = pl.DataFrame({"id": [f"r{k}" for k in range(N)], "y": classes, "p": answers})[order]
        # In two parts, so that each has a piece of its own.
        files[name] = [tmp_path / f"{name}{part}.csv" for part in range(2)]
        frame[:50].write_csv(files[name][0])
        frame[50:].write_csv(files[name][1])
    one, two = both(files, predicted="p")
    agree(one, two)
    assert not any("whole numbers" in note for note in two["notes"])


def test_rows_that_lack_a_value_are_left_out_of_all(tmp_path: Path) -> None:
    gone = pl.when(pl.col("id") % 10 == 0).then(None).otherwise(pl.col("p"))
    files = written(tmp_path, a=table(1, p=gone), b=table(2))
    one, two = both(files, predicted="p", score="s", missing="drop")
    agree(one, two)
    said = next(note for note in one["notes"] if "lacks" in note)
    assert said in two["notes"]


def test_ids_that_are_text_in_one_file(tmp_path: Path) -> None:
    files = written(tmp_path, a=table(1), b=table(2, id=pl.col("id").cast(pl.String)))
    one, two = both(files, predicted="p")
    agree(one, two)
    assert one["notes"][0] == two["notes"][0]
    assert "were read as whole numbers" in two["notes"][0]


def test_models_that_rank_alike_do_not_differ(tmp_path: Path) -> None:
    halved = table(1).with_columns(s=pl.col("s") / 2)
    agree(*both(written(tmp_path, a=table(1), b=halved), score="s", metric="auc", threshold=0.3))


# --- what is refused, in the same words --------------------------------------------------------


def test_refused_as_in_memory(tmp_path: Path) -> None:
    a, first = table(1), table(1)["id"][0]
    other = pl.when(pl.col("id") == first).then(1 - pl.col("y")).otherwise(pl.col("y"))
    heavier = pl.when(pl.col("id") == first).then(9).otherwise(pl.col("w"))
    cases: dict[str, tuple[pl.DataFrame, dict[str, Any]]] = {
        "class": (table(2, y=other), {}),
        "weight": (table(2, w=heavier), {"weight": "w"}),
        "rows": (table(2)[:-3], {}),
        "kinds": (table(2, id="x" + pl.col("id").cast(pl.String)), {}),
        "missing": (table(2, p=pl.when(pl.col("id") > 0).then(pl.col("p"))), {}),
        "labels": (table(2), {"labels": [0, 2]}),
    }
    for name, (b, options) in cases.items():
        files, said = written(tmp_path, a=a, b=b), []
        for size_allowed in ("1GB", TIGHT):
            with pytest.raises(tm.errors.TallymarkError) as problem:
                tm.compare(files, actual="y", predicted="p", id="id", memory=size_allowed, **options)
            said.append((type(problem.value), problem.value.message.partition("(")[0], problem.value.hint))
        if name in ("class", "weight", "rows", "kinds"):
            assert said[0] == said[1], name
        else:
            assert said[0][0] == said[1][0], name


def test_an_id_that_is_there_twice_in_two_parts_is_named_with_its_places(tmp_path: Path) -> None:
    b = table(2)
    parts = [tmp_path / f"b{part}.parquet" for part in range(2)]
    b[:100].write_parquet(parts[0])
    pl.concat([b[100:], b[4:5]]).write_parquet(parts[1])
    files = {**written(tmp_path, a=table(1)), "b": parts}
    said = []
    for size_allowed in ("1GB", TIGHT):
        with pytest.raises(tm.errors.InputError, match="ids must be unique") as problem:
            tm.compare(files, actual="y", predicted="p", id="id", memory=size_allowed)
        said.append(problem.value.message)
    assert said[0] == said[1]
    assert "row 5 of b0.parquet and row 81 of b1.parquet" in said[1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"groups": "w"}, "groups are compared in memory only"),
        ({"threshold": "best"}, "looked for in rows that are in memory"),
        ({"design": "same rows", "id": None}, "none is named"),
    ],
    ids=["groups", "best threshold", "no id"],
)
def test_what_needs_rows_says_so(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    files = written(tmp_path, a=table(1), b=table(2))
    with pytest.raises(tm.errors.OptionError, match=said):
        tm.compare(files, **{"actual": "y", "score": "s", "id": "id", "memory": TIGHT} | options)


def test_ids_that_have_nothing_in_common_are_refused(tmp_path: Path) -> None:
    files = written(tmp_path, a=table(1), b=table(2, id=pl.col("id") + 10_000))
    with pytest.raises(tm.errors.InputError, match="nothing in common") as problem:
        tm.compare(files, actual="y", predicted="p", id="id", memory=TIGHT)
    assert "--other-rows" in str(problem.value.hint)


def test_columns_of_one_table_are_compared_in_memory(tmp_path: Path) -> None:
    file = written(tmp_path, a=table(1, q=1 - pl.col("p")))["a"]
    options: dict[str, Any] = {"models": {"one": "p", "two": "q"}, "actual": "y"}
    assert tm.compare(file, **options, memory="1GB").design == "same rows"
    with pytest.raises(tm.errors.OptionError, match="models that are its columns are compared in memory"):
        tm.compare(file, **options, memory=TIGHT)


def test_a_fault_of_large_files_is_told_before_any_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(*_: Any, **__: Any) -> None:
        raise AssertionError("a file was read")

    monkeypatch.setattr(pl, "read_csv", read)
    (tmp_path / "a.csv").write_text("id,y,p\n" + "1,0,0\n" * 200_000)
    (tmp_path / "b.csv").write_text("id,y\n1,0\n")
    files = {name: tmp_path / f"{name}.csv" for name in ("a", "b")}
    with pytest.raises(tm.errors.ColumnError, match=r"model 'b': .* has no column 'p'"):
        tm.compare(files, actual="y", predicted="p", id="id", memory=TIGHT)


def test_more_scores_than_fit_the_memory_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tallymark.comparison.rows import joined_counts

    monkeypatch.setattr(joined_counts, "_MERGING", 1_000)
    files = written(tmp_path, a=table(1), b=table(2))
    with pytest.raises(tm.errors.MemoryLimitError, match="every score is kept"):
        tm.compare(files, actual="y", score="s", id="id", memory=TIGHT)


# --- what is left behind ----------------------------------------------------------------------


def test_nothing_is_left_on_disk(tmp_path: Path, few_bytes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = written(tmp_path, a=table(1), b=table(2))
    options: dict[str, Any] = {"actual": "y", "score": "s", "id": "id", "memory": TIGHT}
    sizes: list[int] = []
    write = spilling.write_rows

    def seen(rows: pl.DataFrame, path: Path) -> None:
        write(rows, path)
        sizes.append(len(list(few_bytes.rglob("*.arrow"))))

    monkeypatch.setattr(spilling, "write_rows", seen)
    tm.compare(files, **options)
    assert max(sizes) > 4
    assert not list(few_bytes.iterdir())

    def stopped(rows: pl.DataFrame, path: Path) -> None:
        write(rows, path)
        raise KeyboardInterrupt

    monkeypatch.setattr(spilling, "write_rows", stopped)
    with pytest.raises(KeyboardInterrupt):
        tm.compare(files, **options)
    assert not list(few_bytes.iterdir())


def test_a_full_disk_is_told_of(tmp_path: Path, few_bytes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    files = written(tmp_path, a=table(1), b=table(2))
    monkeypatch.setattr(pl.DataFrame, "write_ipc", full)
    with pytest.raises(tm.errors.FileError, match="No space left on device") as problem:
        tm.compare(files, actual="y", predicted="p", id="id", memory=TIGHT)
    assert "TMPDIR" in str(problem.value.hint)
    assert not list(few_bytes.iterdir())


# --- on a grid --------------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [None, "w"], ids=["rows", "weights"])
@pytest.mark.parametrize("bins", [25, 4_000])
def test_bounds_on_a_grid_hold_what_exact_scores_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bins: int, weight: str | None
) -> None:
    from tallymark.comparison.rows import joined
    from tallymark.tallies.grid import Grid

    monkeypatch.setattr(joined, "_grid", lambda _: Grid(0, 1, bins))
    files = written(tmp_path, a=table(1), b=table(2))
    options: dict[str, Any] = {"actual": "y", "score": "s", "id": "id", "memory": TIGHT, "weight": weight}
    options["metrics"] = ["auc", "gini", "average_precision", "partial_auc:0.3", "ks", "brier", "log_loss"]
    exact, coarse = (tm.compare(files, approximate=each, **options) for each in (False, True))
    seen = 0
    for one, two in zip(exact.differences, coarse.differences, strict=True):
        assert one.metric == two.metric
        if one.metric in ("accuracy", "brier", "log_loss"):
            agree(one.to_dict(), two.to_dict(), one.metric)
            continue
        low, high = two.estimate.bounds or (two.value, two.value)
        assert low - 1e-12 <= one.value <= high + 1e-12, one.metric
        if two.low is not None and two.high is not None:
            seen += 1
            assert two.low <= one.low + 1e-12 <= one.high <= two.high + 1e-12, one.metric
            assert two.p_value >= one.p_value - 1e-9, one.metric
            least, most = two.estimate.se_bounds or (two.estimate.se, two.estimate.se)
            assert least - 1e-12 <= one.estimate.se <= most + 1e-12, one.metric
    assert seen >= (2 if bins > 1_000 else 0)
