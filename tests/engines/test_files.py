"""Files that an engine counts: as if they had been read here, to the last bit and in the same words."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tallymark as tm
from tallymark.intake.engines.file_parts import FileTask, in_turn
from tallymark.intake.engines.parts import Failed

ASKED: dict[str, dict[str, Any]] = {
    "score": {"actual": "y", "score": "s"},
    "answers": {"actual": "y", "predicted": "p", "weight": "w", "slices": ["region", "region*sex"]},
    "classes": {"actual": "c", "probabilities": ["a", "b", "d"]},
    "grid": {"actual": "y", "score": "s", "approximate": True, "tolerance": 1e-4, "threshold": 0.3},
    "dropped": {"actual": "y", "predicted": "q", "missing": "drop", "labels": [0, 1], "id": "row"},
    "groups": {"actual": "y", "score": "s", "groups": "region"},
}
"""What is asked of the tables below."""


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


def written(frame: pl.DataFrame, path: Path) -> None:
    if path.suffix == ".parquet":
        frame.write_parquet(path)
    elif path.suffix == ".ndjson":
        frame.write_ndjson(path)
    elif path.suffix == ".gz":
        path.write_bytes(gzip.compress(frame.write_csv().encode()))
    else:
        frame.write_csv(path)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The table in parts of 100, 0 and 140 rows, as files of several kinds."""
    frame, found = table(), {}
    for kind in ("csv", "csv.gz", "parquet", "ndjson"):
        found[kind] = tmp_path_factory.mktemp(kind.replace(".", "-"))
        parts = [frame[:100], frame[100:]] if kind == "ndjson" else [frame[:100], frame[:0], frame[100:]]
        for number, part in enumerate(parts):
            written(part, found[kind] / f"part {number}.{kind}")
    return found


def document(ev: tm.Evaluation) -> dict[str, Any]:
    """All that is said of an evaluation, but by whom it was counted."""
    said: dict[str, Any] = json.loads(ev.to_json())
    said["notes"] = [note for note in said["notes"] if not note.startswith("counted by ")]
    return said


@pytest.fixture
def same(read_in_pieces: Any) -> Any:
    """Whether files give the same document here and there, but for sums of floats in another order."""

    def checked(folder: Path, asked: str, **by: Any) -> None:
        if asked == "classes":  # of which more is known in memory
            read_in_pieces(1 << 20)
        here = document(tm.evaluate(folder, **ASKED[asked]))
        there = tm.evaluate(folder, **ASKED[asked], **by)
        assert any(note.startswith("counted by ") for note in there.notes)
        close(document(there), here)

    return checked


def close(one: Any, two: Any) -> None:
    if isinstance(one, dict):
        assert one.keys() == two.keys()
        for key in one:
            close(one[key], two[key])
    elif isinstance(one, list):
        assert len(one) == len(two)
        for pair in zip(one, two, strict=True):
            close(*pair)
    elif isinstance(one, float):
        assert one == pytest.approx(two, rel=1e-9, abs=1e-12)
    else:
        assert one == two


@pytest.mark.parametrize(
    ("kind", "asked"), [*(("csv", asked) for asked in ASKED), *(("parquet", asked) for asked in ASKED)]
)
def test_duckdb_counts_what_is_read_here(same: Any, folders: dict[str, Path], kind: str, asked: str) -> None:
    same(folders[kind], asked, engine="duckdb")


@pytest.mark.parametrize(
    ("kind", "asked"),
    [
        *(("csv", asked) for asked in ASKED),
        ("csv.gz", "answers"),
        ("parquet", "classes"),
        ("ndjson", "score"),
    ],
)
def test_workers_of_dask_count_what_is_read_here(
    same: Any, dask_client: Any, folders: dict[str, Path], kind: str, asked: str
) -> None:
    same(folders[kind], asked, engine="dask")


def test_dask_is_reached_by_its_address(same: Any, two_workers: Any, folders: dict[str, Path]) -> None:
    same(folders["csv"], "score", engine="dask", scheduler=two_workers.scheduler.address)


@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize(("kind", "asked"), [("parquet", "classes"), ("csv", "score")])
def test_executors_of_spark_count_what_is_read_here(
    same: Any, spark: Any, folders: dict[str, Path], kind: str, asked: str
) -> None:
    same(folders[kind], asked, engine="spark")


def test_a_tally_is_the_same_whoever_counts(dask_client: Any, folders: dict[str, Path]) -> None:
    here = tm.tally(folders["csv"], actual="y", score="s", slices="sex")
    for kind, engine in (("csv", "polars"), ("csv", "duckdb"), ("csv.gz", "duckdb"), ("csv", "dask")):
        assert tm.tally(folders[kind], actual="y", score="s", slices="sex", engine=engine) == here


def test_polars_is_this_process(folders: dict[str, Path]) -> None:
    ev = tm.evaluate(folders["csv"], engine="polars", **ASKED["score"])
    assert ev.to_json() == tm.evaluate(folders["csv"], **ASKED["score"]).to_json()


# --- what is wrong, in the same words ------------------------------------------------------------

GOOD = "y,s,w\n1,0.5,1\n0,0.25,1\n"
BAD = {
    "a short line": "y,s,w\n1,0.5,1\n0,0.25\n",
    "a long line": "y,s,w\n1,0.5,1\n0,0.25,1,\n",
    "no number": "y,s,w\n\n1,0.5,1\n0,high,1\n1,low,1\n",
    "missing": "y,s,w\n1,0.5,1\n0,,1\n,0.5,1\n",
    "infinite": "y,s,w\n1,inf,1\n",
    "negative weights": 'y,s,w\n"1\n",0.5,1\n0,0.5,-1\n',
    "text after a quote": 'y,s,w\n1,"0.5"0,1\n',
    "an open quote": 'y,s,w\n1,0.5,1\n0,"0.5,1\n',
    "a NUL byte": "y,s,w\n1,0.5,1\n0,0\0.5,1\n",
    "another label": "y,s,w\n1,0.5,1\n2,0.5,1\n",
}


def told(paths: list[Path], **options: Any) -> str:
    with pytest.raises(tm.TallymarkError) as caught:
        tm.evaluate(paths, **{"actual": "y", "score": "s", "weight": "w", **options})
    return f"{type(caught.value).__name__}: {caught.value}"


@pytest.mark.parametrize("what", BAD)
def test_what_is_wrong_with_lines_is_told_as_here(
    tmp_path: Path, read_in_pieces: Any, dask_client: Any, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    parts = [Path("good.csv"), Path("bad.csv")]
    for path, text in zip(parts, (GOOD, BAD[what]), strict=True):
        path.write_text(text)
    read_in_pieces(1 << 20)
    options = {"labels": ["0", "1"]} if what == "another label" else {}
    here = told(parts, **options)
    assert "bad.csv" in here
    assert told(parts, engine="duckdb", **options) == here
    assert told(parts, engine="dask", **options) == here


def test_all_bad_lines_are_counted_once(tmp_path: Path, dask_client: Any) -> None:
    for number in range(3):
        (tmp_path / f"{number}.csv").write_text(GOOD + "1,,1\n" * number)
    for engine in ("duckdb", "dask"):
        said = told([tmp_path], engine=engine)
        assert "score (column 's') is missing in 3 of 9 rows" in said
        assert "line 4 of 1.csv and lines 4 and 5 of 2.csv" in said


def test_types_of_parts_must_agree(tmp_path: Path, dask_client: Any) -> None:
    (tmp_path / "a.ndjson").write_text('{"y": 1, "s": 1, "w": 1}\n{"y": 0, "s": 0.5, "w": 1}\n')
    (tmp_path / "b.ndjson").write_text('{"y": 1, "s": 0, "w": 2}\n')
    assert tm.evaluate(tmp_path, actual="y", score="s", engine="dask").rows == 3  # 1 and 0.5 are both numbers
    (tmp_path / "c.ndjson").write_text('{"y": "1", "s": 0.5, "w": 1}\n')
    said = told([tmp_path], engine="dask")
    assert said == told([tmp_path])
    assert f"column 'y' is Int64 in {tmp_path / 'a.ndjson'} but String in {tmp_path / 'c.ndjson'}" in said


def test_a_table_without_rows(tmp_path: Path, dask_client: Any) -> None:
    (tmp_path / "a.csv").write_text("y,s,w\n")
    (tmp_path / "b.csv").write_text("y,s,w\n")
    for engine in ("duckdb", "dask"):
        assert told([tmp_path], engine=engine) == told([tmp_path])


def test_a_file_that_a_worker_does_not_see_is_named(tmp_path: Path) -> None:
    path = tmp_path / "only here.csv"
    found = in_turn([FileTask(len, 0, path, path, ("y",), None, 1 << 20, None)], "")
    assert isinstance(found, Failed)
    assert str(found.problem) == (
        f"a worker could not open a file: there is no file {path}. Hint: files are opened by the workers, so "
        "all of them must find them at the same place: put them on storage that all share."
    )


# --- text that DuckDB would read otherwise -------------------------------------------------------

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
}


@pytest.mark.parametrize("what", ODD)
def test_text_is_never_read_otherwise(tmp_path: Path, what: str) -> None:
    path = tmp_path / "it's odd [1]*.csv"
    path.write_bytes(ODD[what])
    (tmp_path / "it's odd 1.csv").write_text("y,s\nanother,0.5\n")
    asked: dict[str, Any] = {"actual": "y", "score": "s", "pos_label": "b"}
    assert tm.tally(path, engine="duckdb", **asked) == tm.tally(path, **asked)


@pytest.mark.parametrize("delimiter", [";", "tab", "|", "§"])
def test_delimiters(tmp_path: Path, delimiter: str) -> None:
    mark = "\t" if delimiter == "tab" else delimiter
    path = tmp_path / "a.csv"
    path.write_text(f'y{mark}s\n"a{mark}"{mark}0.5\nb{mark}0.25\n')
    asked: dict[str, Any] = {"actual": "y", "score": "s", "pos_label": "b", "delimiter": delimiter}
    assert tm.tally(path, engine="duckdb", **asked) == tm.tally(path, **asked)


# --- Parquet -------------------------------------------------------------------------------------


def test_columns_called_as_the_file_is(tmp_path: Path) -> None:
    folder = tmp_path / "file=x"
    folder.mkdir()
    frame = pl.DataFrame({"file": [1, 0, 1], "filename": [1, 0, 0], "File_": ["a", "b", "b"]})
    frame.write_parquet(folder / "it's [a] part.parquet")
    asked: dict[str, Any] = {"actual": "file", "predicted": "filename", "slices": ["File_"]}
    assert tm.tally(folder, engine="duckdb", **asked) == tm.tally(folder, **asked)


def test_types_are_widened(tmp_path: Path) -> None:
    pl.DataFrame({"y": [1, 0], "s": [1, 2]}, schema={"y": pl.Int8, "s": pl.Int32}).write_parquet(
        tmp_path / "a.parquet"
    )
    pl.DataFrame({"s": [2**40, 3], "y": [300, 1]}).write_parquet(tmp_path / "b.parquet")
    asked: dict[str, Any] = {"actual": "y", "score": "s", "pos_label": 1}
    assert tm.tally(tmp_path, engine="duckdb", **asked) == tm.tally(tmp_path, **asked)


def test_names_that_differ_in_case_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"y": [1, 0], "Y": [0, 0], "p": [1, 1]}).write_parquet(path)
    with pytest.raises(tm.EngineError, match="DuckDB cannot tell the columns 'y' and 'Y' apart"):
        tm.tally(path, actual="y", predicted="p", engine="duckdb")


def test_bad_rows_of_parquet_are_told_with_their_file(tmp_path: Path) -> None:
    good = pl.DataFrame({"y": ["a", "b"], "a": [0.5, 0.25], "b": [0.5, 0.75]})
    good.write_parquet(tmp_path / "1.parquet")
    good.with_columns(b=pl.Series([0.5, 0.25])).write_parquet(tmp_path / "2.parquet")
    asked: dict[str, Any] = {"actual": "y", "probabilities": ["a", "b"]}
    with pytest.raises(tm.TallymarkError) as here:
        tm.evaluate(tmp_path, **asked)
    with pytest.raises(tm.TallymarkError) as there:
        tm.evaluate(tmp_path, engine="duckdb", **asked)
    assert str(there.value) == str(here.value)
    assert "row 2 of 2.parquet" in str(there.value)
    good.with_columns(y=pl.lit(None, pl.String)).write_parquet(tmp_path / "2.parquet")
    with pytest.raises(tm.MissingValueError) as there:
        tm.evaluate(tmp_path, actual="y", score="a", engine="duckdb")
    assert "missing in 2 of 4 rows" in str(there.value)
    assert str(tmp_path / "2.parquet") in str(there.value)


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    good = pl.DataFrame({"y": [0, 1] * 5000, "s": np.random.default_rng(1).random(10_000)})
    good.write_parquet(tmp_path / "a.parquet")
    broken = bytearray((tmp_path / "a.parquet").read_bytes())
    broken[100:2000] = b"\xff" * 1900
    (tmp_path / "b.parquet").write_bytes(broken)
    with pytest.raises(tm.EngineError, match=r"DuckDB failed: .*b\.parquet"):
        tm.evaluate(tmp_path, actual="y", score="s", engine="duckdb")


def test_addresses_are_opened_by_the_engine(folders: dict[str, Path], dask_client: Any) -> None:
    address = f"file://{folders['parquet']}/*.parquet"
    here = tm.tally(folders["parquet"], actual="y", score="s")
    for engine in ("duckdb", "dask"):
        there = tm.tally(address, actual="y", score="s", engine=engine)
        assert there.scores == here.scores
        assert there.sources == (address,)
    ev = tm.evaluate([address], actual="y", score="s", engine="duckdb", missing_words=["none"])
    assert ev.rows == 240


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "ray"}, "engine is one of polars, duckdb, spark, dask; got 'ray'."),
        (
            {"master": "local[2]"},
            "master is about the engine spark, and no engine is named. Hint: add --engine spark "
            "(in Python engine='spark'), or leave out the master.",
        ),
        (
            {"engine": "spark", "scheduler": "tcp://here:1"},
            "scheduler is about the engine dask, and the engine is spark. Hint: add --engine dask "
            "(in Python engine='dask'), or leave out the scheduler.",
        ),
        (
            {"engine": "duckdb", "votes": ["p", "q"], "predicted": None},
            "votes of several columns are counted in memory only, with every row, and the engine duckdb "
            "keeps none. Hint: leave out --engine (in Python engine=).",
        ),
        (
            {"engine": "duckdb", "extra": {"mine": lambda *_: 1.0}},
            "a metric of your own needs rows, and these files are counted without keeping any. Hint: allow "
            "more with memory=, without approximate= and engine=.",
        ),
    ],
)
def test_refusals(folders: dict[str, Path], options: dict[str, Any], message: str) -> None:
    with pytest.raises(tm.OptionError) as caught:
        tm.evaluate(folders["csv"], **{"actual": "y", "predicted": "p", **options})
    assert str(caught.value) == message


def test_an_engine_is_about_files() -> None:
    with pytest.raises(tm.OptionError) as caught:
        tm.evaluate([1, 0], [1, 1], engine="duckdb")
    assert str(caught.value) == (
        "engine is about reading files, and the data is of type list. Hint: leave it out: a table of DuckDB, "
        "Dask or Spark is counted where it is."
    )


def test_kinds_that_duckdb_does_not_read(folders: dict[str, Path]) -> None:
    path = folders["ndjson"] / "part 0.ndjson"
    with pytest.raises(tm.FileError) as caught:
        tm.evaluate(path, actual="y", score="s", engine="duckdb")
    assert str(caught.value) == (
        f"the engine duckdb reads Parquet and delimited text, and {path} is JSON. Hint: leave out the "
        "engine, or take another: polars, dask and spark read all kinds of files."
    )


def test_addresses_need_an_engine_and_parquet() -> None:
    with pytest.raises(tm.OptionError, match=r"s3://b/a.parquet is an address, which only an engine"):
        tm.evaluate("s3://b/a.parquet", actual="y", score="s")
    with pytest.raises(tm.OptionError, match=r"the engine dask reads Parquet only, and s3://b/a.csv.gz"):
        tm.tally("s3://b/a.csv.gz", actual="y", score="s", engine="dask")
    with pytest.raises(tm.OptionError, match="all parts are opened in one way"):
        tm.tally(["s3://b/a.parquet", "b.parquet"], actual="y", score="s", engine="dask")


def test_without_the_package(folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    with pytest.raises(tm.MissingExtraError) as caught:
        tm.evaluate(folders["csv"], actual="y", score="s", engine="duckdb")
    assert str(caught.value) == "the engine duckdb needs DuckDB. Hint: pip install 'tallymark[duckdb]'"
