"""Names, patterns and folders: which files they mean, in which order, and when they mean none."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import tallymark as tm
from tallymark.errors import ColumnError, FileError, OptionError
from tallymark.intake.files.column_types import common_type
from tallymark.intake.files.lists import file_list
from tallymark.intake.files.tables import read_table


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def made(*names: str) -> None:
    for name in names:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"a\n1\n")


def meant(*given: str) -> list[str]:
    return [str(path) for path in file_list(given)[0]]


class TestPatterns:
    def test_sorted_and_said(self) -> None:
        made("parts/b.csv", "parts/a.csv", "parts/c.tsv", "parts/.hidden.csv", "parts/_log.csv")
        files, notes = file_list(["parts/*.csv"])
        assert files == [Path("parts/a.csv"), Path("parts/b.csv")]
        assert notes == ["parts/*.csv means 2 files, parts of one table."]

    def test_folders_below(self) -> None:
        made("p/x/a.csv", "p/y/b.csv", "p/_tmp/c.csv")
        assert meant("p/**/*.csv") == ["p/x/a.csv", "p/y/b.csv"]
        assert meant("p/?/[ab].csv") == ["p/x/a.csv", "p/y/b.csv"]
        assert meant("p/[xy]") == ["p/x/a.csv", "p/y/b.csv"]

    def test_underscores_when_the_pattern_has_them(self) -> None:
        made("p/_a.csv", "p/b.csv")
        assert meant("p/_*.csv") == ["p/_a.csv"]

    def test_a_file_of_that_very_name_goes_first(self) -> None:
        made("a*.csv", "ab.csv", "x[1].csv")
        assert file_list(["a*.csv", "x[1].csv"]) == ([Path("a*.csv"), Path("x[1].csv")], [])

    def test_names_stay_in_the_order_given(self) -> None:
        made("b.csv", "a.csv")
        assert file_list(["b.csv", Path("a.csv")]) == ([Path("b.csv"), Path("a.csv")], [])

    def test_nothing_matches(self) -> None:
        made("p/a.csv")
        with pytest.raises(FileError, match=r"no file matches p/\*\.tsv\. Hint"):
            file_list(["p/*.tsv"])
        with pytest.raises(FileError, match=r"no file matches q/\*/x\.csv: there is no folder q\."):
            file_list(["q/*/x.csv"])

    def test_a_file_that_is_meant_twice(self) -> None:
        made("p/a.csv")
        for twice in (["p/*.csv", "p/a.csv"], ["p/a.csv", "./p/a.csv"], ["p", "p/a.csv"]):
            with pytest.raises(OptionError, match=r"the file 'p/a\.csv' is given twice"):
                file_list(twice)


class TestFolders:
    def test_as_spark_leaves_them(self) -> None:
        made("out/part-1.csv.gz", "out/part-0.csv", "out/_SUCCESS", "out/.part-0.csv.crc")
        files, notes = file_list(["out"])
        assert files == [Path("out/part-0.csv"), Path("out/part-1.csv.gz")]
        assert notes == ["the folder out means 2 files, parts of one table."]

    def test_hive_folders_are_gone_through(self) -> None:
        made("t/region=north/p.parquet", "t/region=east/p.pq", "t/_delta_log/0.json")
        assert meant("t") == ["t/region=east/p.pq", "t/region=north/p.parquet"]

    def test_what_is_left_out_is_said(self) -> None:
        made("p/a.csv", "p/README.md", "p/b.log", "p/c.log", "p/d.log")
        assert file_list(["p"])[1] == [
            "the folder p means 1 file (README.md, b.log, c.log and 1 more left out)."
        ]

    def test_several_kinds(self) -> None:
        made("p/a.csv", "p/b.parquet")
        with pytest.raises(
            FileError, match=r"several kinds, such as p/a\.csv and p/b\.parquet\. .*'p/\*\*/\*\.csv'"
        ):
            file_list(["p"])
        made("q/a.csv", "q/b.zip")
        with pytest.raises(FileError, match=r"several kinds, such as q/a\.csv and q/b\.zip"):
            file_list(["q"])

    def test_nothing_to_read(self) -> None:
        made("p/README.md", "p/_x.csv")
        with pytest.raises(FileError, match=r"the folder p holds no file of a kind that is read"):
            file_list(["p"])


@pytest.mark.parametrize("data", ["p", "p/*.csv", ["p/*.csv"], ["p/*"], ["p"], Path("p")])
def test_from_python(data: object) -> None:
    for name in ("p/1.csv", "p/2.csv"):
        made(name)
        Path(name).write_text("y,p\n0,0\n1,0\n")
    evaluation = tm.evaluate(data, actual="y", predicted="p")
    assert evaluation.rows == 4
    assert any("means 2 files" in note for note in evaluation.notes)


class TestTypesOfParts:
    @pytest.mark.parametrize(
        ("one", "other", "common"),
        [
            (pl.Int32, pl.Int64, pl.Int64),
            (pl.UInt8, pl.Int8, pl.Int64),
            (pl.UInt64, pl.Int64, pl.Int128),
            (pl.Float32, pl.Float64, pl.Float64),
            (pl.String, pl.Categorical, pl.String),
            (pl.Enum(["a"]), pl.Enum(["b"]), pl.String),
            (pl.Null, pl.String, pl.String),
            (pl.List(pl.Null), pl.List(pl.String), pl.List(pl.String)),
            (pl.List(pl.Int32), pl.List(pl.Int64), pl.List(pl.Int64)),
            (pl.Int64, pl.Float64, None),
            (pl.Int64, pl.String, None),
            (pl.Boolean, pl.Int64, None),
            (pl.List(pl.String), pl.String, None),
            (pl.List(pl.String), pl.List(pl.Int64), None),
        ],
    )
    def test_common_type(self, one: type[pl.DataType], other: type[pl.DataType], common: object) -> None:
        first, second = pl.Series([], dtype=one).dtype, pl.Series([], dtype=other).dtype
        assert common_type(first, second, numbers_mix=False) == common
        assert common_type(second, first, numbers_mix=False) == common

    def test_parts_are_widened_without_loss(self) -> None:
        pl.DataFrame({"y": [1, 2], "s": [0.1, 0.2]}, schema={"y": pl.Int32, "s": pl.Float32}).write_parquet(
            "a.pq"
        )
        pl.DataFrame({"y": [2**40], "s": [0.3]}).write_parquet("b.pq")
        frame = read_table(["a.pq", "b.pq"], ["y", "s"]).frame
        assert frame["y"].to_list() == [1, 2, 2**40]
        assert frame["s"].to_list() == [pytest.approx(0.1, rel=1e-7), pytest.approx(0.2, rel=1e-7), 0.3]

    def test_the_two_files_and_the_column_are_named(self) -> None:
        pl.DataFrame({"y": [1]}).write_parquet("a.pq")
        pl.DataFrame({"y": [None]}, schema={"y": pl.Null}).write_parquet("b.pq")
        pl.DataFrame({"y": ["1"]}).write_parquet("c.pq")
        for order in (["a.pq", "b.pq", "c.pq"], ["b.pq", "a.pq", "c.pq"]):
            with pytest.raises(ColumnError, match=r"column 'y' is Int64 in a\.pq but String in c\.pq"):
                read_table(order, ["y"])

    def test_other_kinds_do_not_mix(self) -> None:
        made("a.csv")
        Path("b.ndjson").write_text('{"a": "1"}\n')
        with pytest.raises(
            FileError, match=r"a\.csv and b\.ndjson cannot be parts .* one is text, the other JSON"
        ):
            read_table(["a.csv", "b.ndjson"], ["a"])
