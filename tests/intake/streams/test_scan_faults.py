"""What is wrong with files, or goes wrong while they are read, is refused by name and before counting."""

from __future__ import annotations

import errno
import gzip
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tallymark.errors import ColumnError, FileError, OptionError, TallymarkError
from tallymark.intake.files.lists import file_list
from tallymark.intake.files.tables import read_table
from tallymark.intake.streams import parquet_rows
from tallymark.intake.streams.scan import Piece, scan_files


def csv(path: Path, rows: int = 100) -> Path:
    path.write_text("y,s\n" + "1,0.5\n" * rows)
    return path


def parquet(path: Path, rows: int = 100, **types: pl.DataType | type[pl.DataType]) -> Path:
    frame = pl.DataFrame({"y": [0, 1] * (rows // 2), "s": [0.25] * rows})
    frame.cast(types).write_parquet(path, row_group_size=10)  # type: ignore[arg-type]
    return path


def arrow(path: Path, rows: int = 100) -> Path:
    pl.DataFrame({"y": [0, 1] * (rows // 2), "s": [0.25] * rows}).write_ipc(path, record_batch_size=10)
    return path


class TestBeforeAnythingIsRead:
    """All parts are looked at, so that the last does not fail when hours have been spent on the others."""

    @pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
    def test_a_part_cut_short(self, tmp_path: Path, suffix: str) -> None:
        write = parquet if suffix == ".parquet" else arrow
        one, two = write(tmp_path / f"one{suffix}"), write(tmp_path / f"two{suffix}")
        two.write_bytes(two.read_bytes()[:-20])
        with pytest.raises(FileError) as caught, scan_files([one, two], ["y"]):
            pass
        assert caught.value.message.startswith(f"{two} is cut short")
        assert caught.value.hint == "copy or write it again."

    def test_parts_whose_types_differ(self, tmp_path: Path) -> None:
        one, two = parquet(tmp_path / "one.parquet"), parquet(tmp_path / "two.parquet", y=pl.String)
        with pytest.raises(ColumnError) as caught, scan_files([one, two], ["y", "s"]):
            pass
        assert caught.value.message == f"column 'y' is Int64 in {one} but String in {two}."
        with scan_files([one, two], ["s"]) as scan:
            assert scan.rows == 200

    def test_parts_of_two_kinds(self, tmp_path: Path) -> None:
        one, two = csv(tmp_path / "one.csv"), parquet(tmp_path / "two.parquet")
        with pytest.raises(FileError, match="cannot be parts of one table"), scan_files([one, two], ["y"]):
            pass

    def test_a_compressed_part_of_another_kind(self, tmp_path: Path) -> None:
        one, two = parquet(tmp_path / "one.parquet"), tmp_path / "two.csv.gz"
        two.write_bytes(gzip.compress(b"y\n1\n"))
        with scan_files([one, two], ["y"]) as scan, pytest.raises(FileError) as caught:
            list(scan.pieces())
        assert caught.value.message.startswith(f"{one} and {two} cannot be parts of one table")

    @pytest.mark.parametrize("write", [csv, parquet], ids=["text", "Parquet"])
    def test_a_column_that_a_part_lacks(self, tmp_path: Path, write: Callable[..., Path]) -> None:
        suffix = ".csv" if write is csv else ".parquet"
        one, two = write(tmp_path / f"one{suffix}"), tmp_path / f"two{suffix}"
        frame = pl.DataFrame({"y": [1], "S": [0.5]})
        frame.write_csv(two) if write is csv else frame.write_parquet(two)
        with pytest.raises(ColumnError) as caught, scan_files([one, two], ["y", "s"]):
            pass
        assert caught.value.message == f"{two} has no column 's'; its columns are 'y' and 'S'."

    def test_a_column_twice(self, tmp_path: Path) -> None:
        path = tmp_path / "x.csv"
        path.write_text("y,s,y\n1,2,3\n")
        with pytest.raises(ColumnError, match="2 columns named 'y'"), scan_files([path], ["y"]):
            pass

    def test_files_that_cannot_be_read(self, tmp_path: Path) -> None:
        path = csv(tmp_path / "one.csv")
        for paths, message in (
            ([], "no file was named"),
            ([path, tmp_path / "two.csv"], "there is no file"),
            ([path, tmp_path], "is a folder"),
        ):
            with pytest.raises(FileError, match=message), scan_files(paths, ["y"]):
                pass
        with pytest.raises(OptionError, match="one character"), scan_files([path], ["y"], delimiter="::"):
            pass

    def test_no_permission(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path, opened = csv(tmp_path / "x.csv"), Path.open

        def denied(place: Path, *options: Any, **more: Any) -> Any:
            # not by chmod: root may read everything
            if place == path:
                raise PermissionError(errno.EACCES, "Permission denied", str(place))
            return opened(place, *options, **more)

        monkeypatch.setattr(Path, "open", denied)
        with pytest.raises(FileError, match="no permission to read"), scan_files([path], ["y"]):
            pass

    def test_compressed_parts_are_checked_when_they_are_unpacked(self, tmp_path: Path) -> None:
        one, two = tmp_path / "one.csv.gz", tmp_path / "two.csv.gz"
        one.write_bytes(gzip.compress(b"y\n1\n"))
        two.write_bytes(gzip.compress(b"z\n1\n"))
        with scan_files([one, two], ["y"]) as scan:
            pieces = scan.pieces()
            assert next(pieces).read().height == 1
            with pytest.raises(ColumnError) as caught:
                next(pieces)
        assert caught.value.message == f"{two} has no column 'y'; its only column is 'z'."
        two.write_bytes(two.read_bytes()[:-6])
        with (
            scan_files([one, two], ["y"]) as scan,
            pytest.raises(FileError, match=r"two\.csv\.gz is cut short"),
        ):
            list(scan.pieces())

    def test_a_stray_file_in_a_folder(self, tmp_path: Path) -> None:
        parquet(tmp_path / "part-0.parquet")
        (tmp_path / "notes.txt").write_text("y,s\n")
        files, notes = file_list([tmp_path])
        with scan_files(files, ["y"]) as scan:
            assert scan.rows == 100
        assert notes == [f"the folder {tmp_path} means 1 file (notes.txt left out)."]
        csv(tmp_path / "part-1.csv")
        with pytest.raises(FileError, match="files of several kinds"):
            file_list([tmp_path])


def read(pieces: Iterable[Piece], at: int = -1, change: Callable[[], None] = lambda: None) -> None:
    """All pieces in turn; before one of them something happens."""
    for place, piece in enumerate(pieces):
        if place == at:
            change()
        piece.read()


def shrunk(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def grown(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"1,0.5\n")


def replaced(path: Path) -> None:
    """By one of equal length and age."""
    before = path.stat()
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)


def overwritten(path: Path) -> None:
    before = path.stat()
    path.write_bytes(path.read_bytes())
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))


class TestWhileItIsRead:
    @pytest.mark.parametrize("change", [shrunk, grown, replaced, overwritten], ids=lambda each: each.__name__)
    @pytest.mark.parametrize("suffix", [".csv", ".parquet", ".arrow", ".csv.gz"])
    @pytest.mark.parametrize("at", [0, 3])
    def test_it_changes(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        change: Callable[[Path], None],
        suffix: str,
        at: int,
    ) -> None:
        monkeypatch.setattr(parquet_rows, "MOST_ROWS", 10)
        path = tmp_path / f"x{suffix}"
        if suffix == ".csv.gz":
            path.write_bytes(gzip.compress(csv(tmp_path / "x.csv").read_bytes()))
        else:
            {".csv": csv, ".parquet": parquet, ".arrow": arrow}[suffix](path)
        size = path.stat().st_size
        with scan_files([path], ["y", "s"], block=60) as scan, pytest.raises(FileError) as caught:
            read(scan.pieces(), at, lambda: change(path))
        now = path.stat().st_size
        how = "" if now == size else f"; it had {size:,} bytes and has {now:,} now"
        assert caught.value.message == f"{path} changed while it was read{how}."
        assert caught.value.hint == "wait until it is written, or read a copy of it."

    def test_it_changes_behind_its_last_piece(self, tmp_path: Path) -> None:
        path = csv(tmp_path / "x.csv")
        with scan_files([path], ["y"]) as scan:
            pieces = scan.pieces()
            next(pieces).read()
            grown(path)
            with pytest.raises(FileError, match="changed while it was read"):
                list(pieces)

    def test_it_changes_between_two_passes(self, tmp_path: Path) -> None:
        path = csv(tmp_path / "x.csv")
        with scan_files([path], ["y"]) as scan:
            assert sum(piece.read().height for piece in scan.pieces()) == 100
            grown(path)
            with pytest.raises(FileError, match="changed while it was read"):
                next(scan.pieces()).read()

    @pytest.mark.parametrize("write", [csv, parquet], ids=["text", "Parquet"])
    def test_it_is_removed(self, tmp_path: Path, write: Callable[..., Path]) -> None:
        path = write(tmp_path / ("x.csv" if write is csv else "x.parquet"))
        with scan_files([path], ["y"]) as scan:
            piece = next(scan.pieces())
            path.unlink()
            with pytest.raises(FileError) as caught:
                piece.read()
        assert caught.value.message == f"{path} was removed while it was read."

    def test_a_damaged_row_group(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(parquet_rows, "MOST_ROWS", 10)
        path = parquet(tmp_path / "x.parquet")
        content = bytearray(path.read_bytes())
        content[300:400] = b"\xff" * 100
        path.write_bytes(content)
        with scan_files([path], ["y", "s"]) as scan:
            pieces = list(scan.pieces())
            assert pieces[0].read().height == 10
            with pytest.raises(FileError) as caught:
                read(pieces[1:])
        assert caught.value.message.startswith(f"{path} is damaged")

    def test_a_flaw_is_told_though_other_pieces_are_read(self, tmp_path: Path) -> None:
        path = tmp_path / "x.csv"
        path.write_text("y,s\n" + "1,0.5\n" * 50 + "1\n" + "1,0.5\n" * 50)
        errors: list[TallymarkError] = []
        with scan_files([path], ["y"], block=60) as scan:
            for piece in scan.pieces():
                try:
                    piece.read()
                except FileError as error:
                    errors.append(error)
        with pytest.raises(FileError) as caught:
            read_table([path], ["y"])
        assert [error.message for error in errors] == [caught.value.message]
        assert caught.value.message == f"line 52 of {path} has 1 field; the header has 2."


class TestPieces:
    def test_a_piece_is_read_once(self, tmp_path: Path) -> None:
        with scan_files([csv(tmp_path / "x.csv")], ["y"]) as scan:
            piece = next(scan.pieces())
            piece.read()
            with pytest.raises(AssertionError, match="once"):
                piece.read()

    def test_unpacked_files_are_gone_afterwards(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
        (tmp_path / "temporary").mkdir()
        paths = [tmp_path / "one.csv.gz", tmp_path / "two.csv.gz"]
        for path in paths:
            path.write_bytes(gzip.compress(b"y\n1\n"))
        with scan_files(paths, ["y"]) as scan:
            for piece in scan.pieces():
                piece.read()
                assert len(list((tmp_path / "temporary").iterdir())) == 1
        assert not list((tmp_path / "temporary").iterdir())
