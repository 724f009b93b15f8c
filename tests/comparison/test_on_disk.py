"""Files that do not fit the memory: the same comparison as in memory, from rows that are matched on disk."""

import tempfile
from functools import partial

import numpy as np
import polars as pl
import pytest

import tallymark as tm
from collected import each
from documents import same
from scored import classes, refusals

N = 4_500
Y, IDS, WEIGHT = (np.random.default_rng(7).integers(low, high, N) for low, high in ((0, 2), (0, 9), (0, 4)))
IDS = np.random.default_rng(8).permutation(5 * N)[:N] - N
P, S = pl.col("p"), pl.col("s")
TEXT = pl.when(pl.col("y") == 1).then(pl.lit("a")).otherwise(pl.lit("b"))
# Class 3, and two others that are pooled as the rest.
THREE = (pl.col("id") % 2 + 1) * (1 - pl.col("y")) + 3 * pl.col("y")


@pytest.fixture(autouse=True)
def temporary(monkeypatch, tmp_path):
    """Where rows are while they are matched."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def table(seed, **more):
    """The same rows for every seed, with other predictions and scores, in another order."""
    rng = np.random.default_rng(seed)
    score = np.clip(0.3 * Y + rng.normal(0.35, 0.2, N), 0.02, 0.98).round(3)
    columns = {"id": IDS, "y": Y, "p": (score + rng.normal(0, 0.1, N) > 0.5).astype(int), "s": score}
    frame = pl.DataFrame(columns | {"w": WEIGHT, "x": WEIGHT / 3 + 0.1})
    return frame.with_columns(**more)[rng.permutation(N)]


def written(folder, **tables):
    for name, frame in tables.items():
        frame.write_parquet(folder / f"{name}.parquet")
    return {name: str(folder / f"{name}.parquet") for name in tables}


def on_disk(files, **options):
    return tm.compare(files, **{"actual": "y", "id": "id", "memory": "1MB"} | options)


def two(seed=2, first=None, **more):
    return {"a": table(1, **(first or {})), "b": table(seed, **more)}


def text_in_parts(folder):
    """Three classes whose names are numbers, in CSV files of two parts each."""
    rng, files = np.random.default_rng(3), {}
    kinds = rng.choice(["1", "2", "10"], 9_000)
    for name in "ab":
        predicted = np.where(rng.random(9_000) < 0.7, kinds, rng.choice(["1", "2", "10"], 9_000))
        frame = pl.DataFrame({"id": [f"r{k}" for k in range(9_000)], "y": kinds, "p": predicted})
        frame = frame[rng.permutation(9_000)]
        files[name] = [folder / f"{name}{part}.csv" for part in range(2)]
        frame[:50].write_csv(files[name][0])
        frame[50:].write_csv(files[name][1])
    return files


PREDICTED, SCORED = {"predicted": "p"}, {"score": "s", "metrics": ["auc", "brier"]}
LACKING = {"p": pl.when(pl.col("id") % 10 == 0).then(None).otherwise(P)}
CASES = {
    "predictions": (two, {"predicted": "p", "margin": 0.05}),
    "scores": (two, {"score": "s"}),
    "a threshold": (
        two,
        {"score": "s", "threshold": 0.4, "metric": "f1", "metrics": ["log_loss", "ece", "mcc"]},
    ),
    "weights": (
        two,
        {"predicted": "p", "score": "s", "weight": "x", "metrics": ["partial_auc:0.3", "average_precision"]},
    ),
    "frequencies": (two, {"weight": "w", "weight_kind": "frequency", **SCORED}),
    "costs": (two, {"costs": {0: {1: 1}, 1: {0: 5}}, "labels": [0, 1], **PREDICTED}),
    "swaps": (two, {"test": "permutation", "alternative": "greater", "permutations": 200, **PREDICTED}),
    "three models": (lambda: {**two(), "c": table(3)}, {"predicted": "p", **SCORED}),
    "pooled classes": (partial(two, first={"y": THREE}, y=THREE), {"pos_label": 3, **SCORED}),
    "labels in their own order": (
        partial(two, first={"y": TEXT}, y=TEXT),
        {"score": "s", "labels": ["b", "a"], "pos_label": "a", "metrics": ["recall", "precision", "auc"]},
    ),
    "one without probabilities": (
        lambda: {**two(), "c": table(3, s=5 * S - 1)},
        {"predicted": "p", "score": "s", "metrics": ["auc", "brier", "log_loss"]},
    ),
    "a missing value": (partial(two, first=LACKING), {"predicted": "p", "missing": "drop", **SCORED}),
    "ids as text": (partial(two, id=pl.col("id").cast(pl.String)), {"predicted": "p", **SCORED}),
    "ranked alike": (
        lambda: {"a": table(1), "b": table(1, s=S / 2)},
        {"score": "s", "metric": "auc", "threshold": 0.3},
    ),
    "text in parts": (text_in_parts, PREDICTED),
}


@each("case", CASES)
def test_on_disk_is_as_in_memory(case, tmp_path):
    made, options = CASES[case]
    files = made(tmp_path) if made is text_in_parts else written(tmp_path, **made())
    memory, disk = (on_disk(files, memory=size, **options) for size in ("1GB", "1MB"))
    assert [any("on disk" in note for note in found.notes) for found in (memory, disk)] == [False, True]
    assert disk.design == "same rows"
    same(memory.to_dict(), disk.to_dict(), but=["notes"])
    # All that is noted in memory is noted here.
    swapped = "swapped" if case == "swaps" else "no such words"
    assert {note for note in memory.notes if swapped not in note} <= set(disk.notes)


def test_refused_as_in_memory(tmp_path, snapshot):
    first = table(1)["id"][0]
    here = pl.col("id") == first
    b = table(2)
    parts = [tmp_path / f"b{part}.parquet" for part in range(2)]
    b[:100].write_parquet(parts[0])
    pl.concat([b[100:], b[4:5]]).write_parquet(parts[1])
    cases = {
        "class": (table(2, y=pl.when(here).then(1 - pl.col("y")).otherwise(pl.col("y"))), {}),
        "weight": (table(2, w=pl.when(here).then(9).otherwise(pl.col("w"))), {"weight": "w"}),
        "rows": (b[:-3], {}),
        "kinds of ids": (table(2, id="x" + pl.col("id").cast(pl.String)), {}),
        "missing": (table(2, p=pl.when(pl.col("id") > 0).then(P)), {}),
        "labels": (b, {"labels": [0, 2]}),
        "an id twice": (parts, {}),
    }
    refused = {}
    for name, (other, options) in cases.items():
        files = written(tmp_path, a=table(1), **({} if isinstance(other, list) else {"b": other}))
        asked = {"predicted": "p", **options}
        files = {**files, "b": other} if isinstance(other, list) else files
        memory, disk = (
            refusals({"": lambda size=size, files=files, asked=asked: on_disk(files, memory=size, **asked)})[
                ""
            ]
            for size in ("1GB", "1MB")
        )
        assert disk.partition(":")[0] == memory.partition(":")[0] != "not refused", name
        if name not in ("missing", "labels"):
            # Rows on disk are met in another order.
            assert disk.partition(" (")[0] == memory.partition(" (")[0], name
        refused[name] = disk.replace(str(tmp_path), "FOLDER")
    assert {name for name, kind in classes(refused).items() if kind == "InputError"} == {
        "class", "weight", "rows", "kinds of ids", "an id twice",
    }  # fmt: skip
    snapshot("errors_compared_on_disk", refused)


def test_what_takes_rows_in_memory_is_refused(tmp_path, snapshot):
    files = written(tmp_path, a=table(1, q=1 - P), b=table(2))
    apart = {"a": files["a"], **written(tmp_path, c=table(2, id=pl.col("id") + 100_000))}
    both = {"predicted": "p", "score": "s"}
    many = np.random.default_rng(0)
    long = {
        name: pl.DataFrame(
            {
                "id": range(9_000),
                "y": np.arange(9_000) % 2,
                **dict(zip("st", many.random((2, 9_000)), strict=True)),
            }
        )
        for name in ("long", "longer")
    }
    large = written(tmp_path, **long)
    columns = {"models": {"one": "s", "two": "t"}, "id": None}
    calls = {
        "groups": lambda: on_disk(files, groups="w", **both),
        "best threshold": lambda: on_disk(files, threshold="best", **both),
        "no id": lambda: on_disk(files, design="same rows", id=None, **both),
        "nothing in common": lambda: on_disk(apart, **both),
        "nothing in common, as stated": lambda: on_disk(apart, design="same rows", **both),
        "columns of a table": lambda: on_disk(large["long"], **columns),
        "two words for weights": lambda: on_disk(files, weight="w", sample_weight="w", **both),
        "kind of weights": lambda: on_disk(files, weight_kind="often", weight="w", **both),
        "no weights": lambda: on_disk(files, weight_kind="frequency", **both),
        "missing": lambda: on_disk(files, missing="ignore", **both),
        "a column twice": lambda: on_disk(files, predicted="p", score="p"),
        "probabilities": lambda: on_disk(files, probabilities=["s", "x"]),
        "more scores than fit": lambda: on_disk(large, score="s"),
    }
    refused = {name: text.replace(str(tmp_path), "FOLDER") for name, text in refusals(calls).items()}
    found = classes(refused)
    assert {name: kind for name, kind in found.items() if kind != "OptionError"} == {
        "nothing in common": "InputError",
        "nothing in common, as stated": "InputError",
        "more scores than fit": "MemoryLimitError",
    }
    snapshot("errors_only_in_memory", refused)
    assert on_disk(large["long"], memory="1GB", **columns).design == "same rows"
    bounded = on_disk(large, score="s", approximate=True, metrics=["auc"])
    assert bounded["auc"].estimate.bounds is not None


def test_absent_columns_of_large_files_are_named_before_any_is_read(tmp_path):
    """The first file ends in a line that is too short, as who reads that far finds."""
    (tmp_path / "a.csv").write_text("id,y,p\n" + "1,0,0\n" * 200_000 + "1,2\n")
    (tmp_path / "b.csv").write_text("id,y\n1,0\n")
    files = {name: tmp_path / f"{name}.csv" for name in "ab"}
    assert classes(refusals({"b": lambda: on_disk(files, predicted="p")})) == {"b": "ColumnError"}


def test_nothing_is_left_on_disk(tmp_path, temporary, monkeypatch):
    files, seen = written(tmp_path, **two()), []
    write = pl.DataFrame.write_ipc

    def counted(frame, *given, **options):
        written = write(frame, *given, **options)
        seen.append(len(list(temporary.rglob("*.arrow"))))
        return written

    monkeypatch.setattr(pl.DataFrame, "write_ipc", counted)
    on_disk(files, **SCORED)
    assert max(seen) > 4
    assert not list(temporary.iterdir())
    for problem, kind in (
        (KeyboardInterrupt(), KeyboardInterrupt),
        (OSError(28, "No space left"), tm.FileError),
    ):

        def stopped(frame, *given, problem=problem, **options):
            write(frame, *given, **options)
            raise problem

        monkeypatch.setattr(pl.DataFrame, "write_ipc", stopped)
        with pytest.raises(kind):
            on_disk(files, **SCORED)
        assert not list(temporary.iterdir())


@each("weight, crowded", [(weight, crowded) for weight in (None, "w") for crowded in (1, 4_000, 400_000)])
def test_bounds_on_a_grid_hold_what_exact_scores_give(weight, crowded, tmp_path):
    """Of scores that are crowded at 0 many are in one bin."""
    of_bins = pl.when(pl.int_range(pl.len()) == 0).then(1.0).otherwise(S / crowded)
    files = written(tmp_path, a=table(1, s=of_bins), b=table(2, s=of_bins))
    asked = ["auc", "gini", "average_precision", "partial_auc:0.3", "ks", "brier", "log_loss"]
    options = {"score": "s", "weight": weight, "metrics": asked, "threshold": 0.5}
    exact, coarse = (on_disk(files, approximate=grid, **options) for grid in (False, True))
    with_interval = open_bounds = 0
    for one, other in zip(exact.differences, coarse.differences, strict=True):
        assert one.metric == other.metric
        if one.metric in ("accuracy", "brier", "log_loss"):
            assert (other.value, other.low, other.high) == pytest.approx((one.value, one.low, one.high))
            continue
        low, high = other.estimate.bounds or (other.value, other.value)
        open_bounds += high > low
        assert low - 1e-12 <= one.value <= high + 1e-12, one.metric
        if other.low is not None and other.high is not None:
            with_interval += 1
            assert other.low <= one.low + 1e-12 <= one.high <= other.high + 1e-12, one.metric
            assert other.p_value >= one.p_value - 1e-9, one.metric
            least, most = other.estimate.se_bounds or (other.estimate.se, other.estimate.se)
            assert least - 1e-12 <= one.estimate.se <= most + 1e-12, one.metric
    assert open_bounds == (0 if crowded == 1 else 5)
    assert with_interval >= (0 if crowded > 4_000 else 2)
