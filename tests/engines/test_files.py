"""Files that an engine counts: as if they had been read here, to the last bit and with the same errors."""

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tallymark as tm
from collected import each
from documents import same
from scored import classes, refusals

ASKED: dict[str, dict[str, Any]] = {
    "score": {"actual": "y", "score": "s"},
    "predictions": {"actual": "y", "predicted": "p", "weight": "w", "slices": ["region", "region*sex"]},
    "classes": {"actual": "c", "probabilities": ["a", "b", "d"]},
    "grid": {"actual": "y", "score": "s", "approximate": True, "tolerance": 1e-4, "threshold": 0.3},
    "dropped": {"actual": "y", "predicted": "q", "missing": "drop", "labels": [0, 1], "id": "row"},
    "groups": {"actual": "y", "score": "s", "groups": "region"},
}


def table() -> pl.DataFrame:
    draw, n = np.random.default_rng(9), 240
    shares = draw.dirichlet([1, 1, 1], n).round(3)
    frame = pl.DataFrame(
        {
            "row": [f"r{row}" for row in range(n)],
            "y": draw.integers(0, 2, n),
            "s": draw.random(n).round(4),
            "w": draw.random(n).round(2) + 0.5,
            "q": [None if row % 17 == 0 else int(row % 3 == 0) for row in range(n)],
            "region": draw.choice(["north", "south", 'o\'east, "far"'], n),
            "sex": draw.choice(["f", "m"], n),
            "c": draw.choice(["a", "b", "d"], n),
            **{name: shares[:, place] for place, name in enumerate("abd")},
        }
    )
    return frame.with_columns(p=(pl.col("s") >= 0.5).cast(pl.Int64))


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The table in parts of 100, 0 and 140 rows, as files of several kinds."""
    frame, found = table(), {}
    for kind in ("csv", "csv.gz", "parquet", "ndjson"):
        found[kind] = tmp_path_factory.mktemp(kind.replace(".", "-"))
        parts = [frame[:100], frame[100:]] if kind == "ndjson" else [frame[:100], frame[:0], frame[100:]]
        for number, part in enumerate(parts):
            path = found[kind] / f"part {number}.{kind}"
            if kind == "csv.gz":
                path.write_bytes(gzip.compress(part.write_csv().encode()))
            else:
                getattr(part, f"write_{kind}")(path)
    return found


@pytest.fixture
def as_here(folders: dict[str, Path]) -> Any:
    """Whether files give the same document here and there, but for sums of floats in another order."""

    def checked(kind: str, asked: str, **by: Any) -> None:
        there = tm.evaluate(folders[kind], **ASKED[asked], **by)
        assert any(note.startswith("counted by ") for note in there.notes)
        # of classes more is known in memory; a tally keeps no rows, and says nothing of the folder
        kept = asked != "classes"
        data, options = folders[kind], ASKED[asked]
        here = tm.evaluate(data, **options) if kept else tm.tally(data, **options).evaluate()
        same(json.loads(there.to_json()), json.loads(here.to_json()), but=["notes"])
        ours = [note for note in there.notes if not note.startswith("counted by ")]
        assert ours[not kept :] == list(here.notes)

    return checked


def test_duckdb_counts_what_is_read_here(as_here: Any, folders: dict[str, Path]) -> None:
    for asked in ASKED:
        for kind in ("csv", "parquet"):
            as_here(kind, asked, engine="duckdb")


def test_workers_of_dask_count_what_is_read_here(
    as_here: Any, dask_client: Any, folders: dict[str, Path]
) -> None:
    for kind, asked in (
        ("csv.gz", "predictions"),
        ("ndjson", "score"),
        *(("csv", asked) for asked in ASKED if asked != "classes"),
    ):
        as_here(kind, asked, engine="dask")
    as_here("csv", "score", engine="dask", scheduler=dask_client.scheduler.address)
    whole = tm.tally(folders["csv"], actual="y", score="s", slices="sex")
    for kind, engine in (("csv", "polars"), ("csv", "duckdb"), ("csv.gz", "duckdb"), ("csv", "dask")):
        assert tm.tally(folders[kind], actual="y", score="s", slices="sex", engine=engine) == whole
    polars = tm.evaluate(folders["csv"], engine="polars", **ASKED["score"])
    assert polars.to_json() == tm.evaluate(folders["csv"], **ASKED["score"]).to_json()
    # An address is opened by the engine.
    address = f"file://{folders['parquet']}/*.parquet"
    for engine in ("duckdb", "dask"):
        there = tm.tally(address, actual="y", score="s", engine=engine)
        assert (there.scores, there.sources) == (
            tm.tally(folders["parquet"], actual="y", score="s").scores,
            (address,),
        )
    assert tm.evaluate([address], actual="y", score="s", engine="duckdb", missing_words=["none"]).rows == 240
    for kind in ("csv", "parquet"):
        as_here(kind, "classes", engine="dask")


def test_executors_of_spark_count_what_is_read_here(
    as_here: Any, spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_here("csv", "score", engine="spark")
    as_here("parquet", "classes", engine="spark")
    monkeypatch.chdir(tmp_path)
    for path, text in (("good.csv", GOOD), ("bad.csv", BAD["no number"])):
        Path(path).write_text(text)
    assert told(["good.csv", "bad.csv"], engine="spark") == told(["good.csv", "bad.csv"])


# --- what is wrong, as it is told here ---------------------------------------------------------------

GOOD = "y,s,w\n1,0.5,1\n0,0.25,1\n"
BAD = {
    "a short line": "y,s,w\n1,0.5,1\n0,0.25\n", "a long line": "y,s,w\n1,0.5,1\n0,0.25,1,\n",
    "no number": "y,s,w\n\n1,0.5,1\n0,high,1\n1,low,1\n", "missing": "y,s,w\n1,0.5,1\n0,,1\n,0.5,1\n",
    "infinite": "y,s,w\n1,inf,1\n", "negative weights": 'y,s,w\n"1\n",0.5,1\n0,0.5,-1\n',
    "text after a quote": 'y,s,w\n1,"0.5"0,1\n', "an open quote": 'y,s,w\n1,0.5,1\n0,"0.5,1\n',
    "a NUL byte": "y,s,w\n1,0.5,1\n0,0\0.5,1\n", "another label": "y,s,w\n1,0.5,1\n2,0.5,1\n",
}  # fmt: skip


def told(paths: Any, count: Any = tm.evaluate, **options: Any) -> str:
    with pytest.raises(tm.TallymarkError) as caught:
        count(paths, **{"actual": "y", "score": "s", "weight": "w", **options})
    return f"{type(caught.value).__name__}: {caught.value}"


@each("what", BAD)
def test_what_is_wrong_with_lines_is_told_as_here(
    tmp_path: Path, dask_client: Any, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    parts = [Path("good.csv"), Path("bad.csv")]
    for path, text in zip(parts, (GOOD, BAD[what]), strict=True):
        path.write_text(text)
    options = {"labels": ["0", "1"]} if what == "another label" else {}
    here = told(parts, tm.tally, **options)
    assert "bad.csv" in here
    assert [told(parts, engine=engine, **options) for engine in ("duckdb", "dask")] == [here, here]


def test_bad_lines_of_several_files(
    tmp_path: Path, dask_client: Any, snapshot: Any, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = {}
    for name in ("lines", "empty", "types"):
        Path(name).mkdir()
    for number in range(3):
        Path(f"lines/{number}.csv").write_text(GOOD + "1,,1\n" * number)
        Path(f"empty/{number}.csv").write_text("y,s,w\n")
    for folder in ("lines", "empty"):
        shown[folder] = told(folder, engine="duckdb")
        assert told(folder, engine="dask") == shown[folder]
    assert shown["empty"] == told("empty")
    Path("types/a.ndjson").write_text('{"y": 1, "s": 1, "w": 1}\n{"y": 0, "s": 0.5, "w": 1}\n')
    Path("types/b.ndjson").write_text('{"y": 1, "s": 0, "w": 2}\n')
    assert tm.evaluate("types", actual="y", score="s", engine="dask").rows == 3  # 1 and 0.5 are both numbers
    Path("types/c.ndjson").write_text('{"y": "1", "s": 0.5, "w": 1}\n')
    shown["types"] = told("types", engine="dask")
    assert shown["types"] == told("types")
    snapshot("engines_errors_of_files", shown)


def test_bad_and_broken_parquet(tmp_path: Path) -> None:
    good = pl.DataFrame({"y": ["a", "b"], "a": [0.5, 0.25], "b": [0.5, 0.75]})
    good.write_parquet(tmp_path / "1.parquet")
    good.with_columns(b=pl.Series([0.5, 0.25])).write_parquet(tmp_path / "2.parquet")
    asked: dict[str, Any] = {"probabilities": ["a", "b"], "score": None, "weight": None}
    there = told(tmp_path, engine="duckdb", **asked)
    assert there == told(tmp_path, **asked)
    assert "row 2 of 2.parquet" in there
    good.with_columns(y=pl.lit(None, pl.String)).write_parquet(tmp_path / "2.parquet")
    lacking = told(tmp_path, score="a", weight=None, engine="duckdb")
    assert lacking.startswith("MissingValueError")
    assert "2 of 4 rows" in lacking
    assert str(tmp_path / "2.parquet") in lacking
    rows = pl.DataFrame({"y": [0, 1] * 5000, "s": np.random.default_rng(1).random(10_000)})
    rows.write_parquet(tmp_path / "1.parquet")
    broken = bytearray((tmp_path / "1.parquet").read_bytes())
    broken[100:2000] = b"\xff" * 1900
    (tmp_path / "2.parquet").write_bytes(broken)
    said = told(tmp_path, weight=None, engine="duckdb")
    assert said.startswith("EngineError")
    assert "2.parquet" in said


# --- what DuckDB would read otherwise ----------------------------------------------------------------

ODD = {
    "a space before a quote": b'y,s\n "a",0.5\n a,0.5\nb,0.25\n"a",0.75\n',
    "quotes inside a field": b'y,s\na"b,0.5\nc,0.25\n',
    "blank lines": b"\n\ny,s\n\na,0.5\n\n\nb,0.25\n\n",
    "line ends of two kinds": b"y,s\r\na,0.5\nb,0.25\r\n",
    "line ends of old": b"y,s\ra,0.5\rb,0.25\r",
    "line ends in a field": b'y,s\n"a\nb",0.5\nc,0.25\n',
    "line ends in a name": b'y,"s\n",s\na,1,0.5\nc,1,0.25\n',
    "a mark at the beginning": b"\xef\xbb\xbfy,s\na,0.5\nb,0.25\n",
    "words for nothing": b"y,s\nNULL,0.5\nNA,0.25\nNULL,0.25\n",
    "names that are there twice": b"x,x,y,s\n1,2,a,0.5\n3,4,b,0.25\n",
    "no line end": b"y,s\na,0.5\nb,0.25",
    "a long line": b"y,s,t\na,0.5,%b\nb,0.25,\n" % (b"x" * 3_000_000),
    **{
        f"delimiter {mark}": f'y{mark}s\n"a{mark}"{mark}0.5\nb{mark}0.25\n'.encode()
        for mark in (";", "\t", "|", "§")
    },
}


@each("what", ODD)
def test_text_is_never_read_otherwise(tmp_path: Path, what: str) -> None:
    path = tmp_path / "it's odd [1]*.csv"
    path.write_bytes(ODD[what])
    (tmp_path / "it's odd 1.csv").write_text("y,s\nanother,0.5\n")
    asked: dict[str, Any] = {"actual": "y", "score": "s", "pos_label": "b"}
    if what.startswith("delimiter"):
        asked["delimiter"] = {"\t": "tab"}.get(what[-1], what[-1])
    assert tm.tally(path, engine="duckdb", **asked) == tm.tally(path, **asked)


def test_names_and_types_of_parquet(tmp_path: Path) -> None:
    odd = tmp_path / "file=x"
    odd.mkdir()
    frame = pl.DataFrame({"file": [1, 0, 1], "filename": [1, 0, 0], "File_": ["a", "b", "b"]})
    frame.write_parquet(odd / "it's [a] part.parquet")
    asked: dict[str, Any] = {"actual": "file", "predicted": "filename", "slices": ["File_"]}
    assert tm.tally(odd, engine="duckdb", **asked) == tm.tally(odd, **asked)
    widened = tmp_path / "widened"
    widened.mkdir()
    narrow = pl.DataFrame({"y": [1, 0], "s": [1, 2]}, schema={"y": pl.Int8, "s": pl.Int32})
    narrow.write_parquet(widened / "a.parquet")
    pl.DataFrame({"s": [2**40, 3], "y": [300, 1]}).write_parquet(widened / "b.parquet")
    asked = {"actual": "y", "score": "s", "pos_label": 1}
    assert tm.tally(widened, engine="duckdb", **asked) == tm.tally(widened, **asked)
    pl.DataFrame({"y": [1, 0], "Y": [0, 0], "p": [1, 1]}).write_parquet(tmp_path / "case.parquet")
    with pytest.raises(tm.EngineError):
        tm.tally(tmp_path / "case.parquet", actual="y", predicted="p", engine="duckdb")


# --- what is refused ---------------------------------------------------------------------------------


def test_what_engines_do_not_do(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch, snapshot: Any
) -> None:
    monkeypatch.chdir(folders["csv"].parent)
    csv, ndjson = folders["csv"].name, f"{folders['ndjson'].name}/part 0.ndjson"
    asked: dict[str, dict[str, Any]] = {
        "an engine": {"engine": "ray"},
        "master alone": {"master": "local[2]"},
        "a scheduler of Spark": {"engine": "spark", "scheduler": "tcp://here:1"},
        "votes": {"engine": "duckdb", "votes": ["p", "q"], "predicted": None},
        "own metric": {"engine": "duckdb", "extra": {"mine": lambda *_: 1.0}},
    }
    calls: dict[str, Any] = {
        name: lambda options=options: tm.evaluate(csv, **{"actual": "y", "predicted": "p", **options})
        for name, options in asked.items()
    }
    to = {"actual": "y", "score": "s"}
    calls |= {
        "arrays": lambda: tm.evaluate([1, 0], [1, 1], engine="duckdb"),
        "JSON": lambda: tm.evaluate(ndjson, engine="duckdb", **to),
        "an address without an engine": lambda: tm.evaluate("s3://b/a.parquet", **to),
        "an address of text": lambda: tm.tally("s3://b/a.csv.gz", engine="dask", **to),
        "an address and a file": lambda: tm.tally(["s3://b/a.parquet", "b.parquet"], engine="dask", **to),
    }
    refused = refusals(calls)
    with monkeypatch.context() as changed:
        changed.setitem(sys.modules, "duckdb", None)
        refused |= refusals({"no package": lambda: tm.evaluate(csv, engine="duckdb", **to)})
    assert classes(refused) == dict.fromkeys(calls, "OptionError") | {
        "JSON": "FileError",
        "no package": "MissingExtraError",
    }
    snapshot(
        "engines_refused_files",
        {name: text.replace(csv, "csv").replace(ndjson, "ndjson") for name, text in refused.items()},
    )
