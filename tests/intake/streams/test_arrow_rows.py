"""Arrow in batches: a file that is damaged anywhere is refused by name, or read whole."""

from __future__ import annotations

import struct
from pathlib import Path

import polars as pl
import pytest

from tallymark.errors import FileError, InputError
from tallymark.intake.streams.scan import scan_files

ROWS = 40
WORDS = {"nothing": 0, "less than nothing": -79, "no end": 2**31 - 1}


def written(path: Path, *, stream: bool) -> bytes:
    frame = pl.DataFrame({"y": [0, 1] * (ROWS // 2), "s": [place / ROWS for place in range(ROWS)]})
    if stream:
        frame.write_ipc_stream(path)
    else:
        frame.write_ipc(path)
    return path.read_bytes()


def height(path: Path) -> int:
    with scan_files([path], ["y", "s"]) as scan:
        return sum(piece.read().height for piece in scan.pieces())


@pytest.mark.parametrize("stream", [False, True], ids=["file", "stream"])
@pytest.mark.parametrize("word", WORDS.values(), ids=list(WORDS))
def test_any_word_may_be_wrong(word: int, stream: bool, tmp_path: Path) -> None:
    path = tmp_path / "x.arrow"
    content = written(path, stream=stream)
    said: list[str] = []
    for place in range(0, len(content) - 3, 4):
        path.write_bytes(content[:place] + struct.pack("<i", word) + content[place + 4 :])
        try:
            found = height(path)
        except InputError as problem:  # of a column, where its name is what is wrong
            said.append(problem.message)
        else:
            assert found == ROWS
    assert len(said) > 10
    assert all(str(path) in message for message in said)


def test_a_batch_of_less_than_no_length(tmp_path: Path) -> None:
    path = tmp_path / "x.arrow"
    content = written(path, stream=True)
    second = 8 + struct.unpack_from("<i", content, 4)[0]
    assert content[second : second + 4] == b"\xff" * 4
    path.write_bytes(content[: second + 4] + struct.pack("<i", -5) + content[second + 8 :])
    with pytest.raises(FileError) as caught:
        height(path)
    assert caught.value.message.startswith(f"{path} is damaged")


def test_rows_behind_the_end_of_a_stream_are_not_lost_silently(tmp_path: Path) -> None:
    path = tmp_path / "x.arrow"
    path.write_bytes(2 * written(path, stream=True))
    with pytest.raises(FileError, match="is damaged"):
        height(path)
