"""The tables that both versions are asked about; each is made from a seed, some are written as files."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

SETTINGS = ("plain", "sampling weights", "frequency weights", "groups", "weights and groups")


@cache
def rows(classes: int) -> dict[str, Any]:
    """y; predictions p and q, probabilities P and Q, scores s and t of two models; weights, groups."""
    n = {2: 240, 3: 240, 12: 600}[classes]
    chance = np.random.default_rng(classes)
    y = chance.choice(classes, n, p=np.arange(classes, 0, -1) / sum(range(classes + 1)))
    made: dict[str, Any] = {"y": y}
    for label, scores, probabilities, skill in (("p", "s", "P", 2.0), ("q", "t", "Q", 1.3)):
        table = chance.gamma(0.6 + skill * (y[:, None] == np.arange(classes)))
        table = (table / table.sum(axis=1, keepdims=True)).round(4)
        table[:, 0] += 1 - table.sum(axis=1)
        table = np.clip(table, 0.0001, None)
        table /= table.sum(axis=1, keepdims=True)
        made |= {label: table.argmax(axis=1), probabilities: table, scores: table[:, -1].round(2)}
    made["w"] = chance.choice([0.5, 1.0, 2.5], n)
    made["f"] = chance.integers(1, 4, n)
    made["g"] = chance.integers(0, n // 8, n)
    made["region"] = np.array(["north", "south", "west"])[chance.integers(0, 3, n)]
    made["id"] = np.arange(n) + 1000
    return made


def options(classes: int, setting: str) -> dict[str, Any]:
    """The arguments of evaluate() and compare() for one of SETTINGS."""
    here = rows(classes)
    return {
        "plain": {},
        "sampling weights": {"sample_weight": here["w"]},
        "frequency weights": {"sample_weight": here["f"], "weight_kind": "frequency"},
        "groups": {"groups": here["g"]},
        "weights and groups": {"sample_weight": here["w"], "groups": here["g"]},
    }[setting]


@cache
def label_sets() -> tuple[np.ndarray, np.ndarray]:
    chance = np.random.default_rng(3)
    actual = chance.random((200, 3)) < (0.5, 0.3, 0.1)
    return actual.astype(int), (actual ^ (chance.random((200, 3)) < 0.2)).astype(int)


def table(classes: int) -> dict[str, Any]:
    """One dimensional columns, for frames and files; probabilities are p_0, p_1, ..."""
    here = rows(classes)
    flat = {name: column for name, column in here.items() if column.ndim == 1}
    flat["r"] = (here["t"] >= 0.5).astype(int)
    return flat | {f"p_{k}": here["P"][:, k] for k in range(classes)}


def frame(classes: int) -> Any:
    import polars as pl

    return pl.DataFrame(table(classes))


def write_files(folder: Path) -> None:
    """Every kind of file the two versions read, the same for both."""
    import polars as pl

    for classes in (2, 3, 12):
        made = frame(classes)
        made.write_csv(folder / f"rows{classes}.csv")
        made.write_parquet(folder / f"rows{classes}.parquet")
        made.write_ndjson(folder / f"rows{classes}.ndjson")
        made.write_ipc(folder / f"rows{classes}.arrow")
        np.savez(folder / f"rows{classes}.npz", **table(classes))
    two = frame(2)
    # Larger than the least that --memory admits.
    long = pl.concat([two] * 300)
    long.write_csv(folder / "long.csv")
    long.write_parquet(folder / "long.parquet")
    parts = folder / "parts"
    parts.mkdir()
    two[:100].write_csv(parts / "a.csv")
    two[100:].write_csv(parts / "b.csv")
    # Two models in files of their own, in another order.
    two.select("id", "y", "p", "s", "g", "w").write_csv(folder / "first.csv")
    second = two.select("id", "y", p="q", s="t", g="g", w="w")
    second.sample(fraction=1, shuffle=True, seed=1).write_csv(folder / "second.csv")
    for name in ("first", "second"):
        pl.read_csv(folder / f"{name}.csv").write_parquet(folder / f"{name}.parquet")
    words = np.array(["healthy", "ill"])
    text = two.with_columns(y=words[two["y"].to_numpy()], p=words[two["p"].to_numpy()])
    text.write_csv(folder / "words.csv")
    actual, predicted = label_sets()
    names = np.array(["a", "b", "c"])
    sets = {
        "y": [";".join(names[row == 1]) for row in actual],
        "p": [";".join(names[row == 1]) for row in predicted],
    }
    pl.DataFrame(sets).write_csv(folder / "sets.csv")
    folds = {
        "fold": range(1, 11),
        "tree": _scores(1, 0.82),
        "bayes": _scores(2, 0.8),
        "knn": _scores(3, 0.75),
    }
    pl.DataFrame(folds).write_csv(folder / "folds.csv")
    pl.DataFrame(folds).rename({"fold": "dataset"}).write_csv(folder / "results.csv")
    for name, text in BAD_FILES.items():
        (folder / name).write_bytes(text)


def _scores(seed: int, centre: float) -> np.ndarray:
    return (centre + np.random.default_rng(seed).normal(0, 0.03, 10)).round(4)


def fold_scores() -> dict[str, list[float]]:
    return {
        "tree": _scores(1, 0.82).tolist(),
        "bayes": _scores(2, 0.8).tolist(),
        "knn": _scores(3, 0.75).tolist(),
    }


BAD_FILES = {
    "empty.csv": b"",
    "header.csv": b"y,p\n",
    "ragged.csv": b"y,p\n1,1\n0\n1,1,1\n",
    "twice.csv": b"y,y,p\n1,1,1\n",
    "gaps.csv": b"y,p\n1,1\n0,\n,1\n1,0\n0,0\n",
    "words_as_scores.csv": b"y,s\n1,high\n0,low\n",
    "beyond.csv": b"y,s\n1,1.5\n0,0.2\n1,0.9\n0,0.4\n",
    "infinite.csv": b"y,s\n1,inf\n0,0.2\n",
    "one_class.csv": b"y,p\n1,1\n1,0\n",
    "two_words.csv": b"y,s\nyes,0.9\nno,0.2\nyes,0.4\nno,0.6\n",
    "not_utf8.csv": b"y,p\n\xff\xfe,1\n0,1\n",
    "damaged.parquet": b"PAR1 nothing of the kind PAR1",
    "damaged.tally": b"PK\x03\x04 nothing of the kind",
    "damaged.json": b'{"labels": [',
    "costs.json": b'{"labels": ["1", "0"], "cost": [[0, 5], [1, 0]]}',
    "matrix.csv": b"actual,a,b\na,5,2\nb,1,7\n",
    "same_ids.csv": b"id,y,p\n1,1,1\n1,0,0\n2,1,1\n",
}
