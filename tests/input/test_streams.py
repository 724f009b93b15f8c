"""Files read in pieces: what changes meanwhile, ids that are there twice, and labels that are a slip."""

import gzip
import os
import re
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from inputs import IN_PIECES, refused, written

import tallymark as tm
from scored import classes


def shrunk(path):
    os.truncate(path, path.stat().st_size // 2)


def grown(path):
    with path.open("ab") as file:
        file.write(b"1,0.5\n")


def replaced(path):
    """By one of equal length and age."""
    before, other = path.stat(), path.with_name("other")
    other.write_bytes(path.read_bytes())
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)


def overwritten(path):
    before, content = path.stat(), path.read_bytes()
    with path.open("r+b") as file:
        file.write(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))


def removed(path):
    path.unlink()


N = 200_000
FRAME = pl.DataFrame(
    {"y": [0, 1] * (N // 2), "s": [place % 200 / 50 for place in range(N)], "more": "m" * 15}
)


def made(name):
    """A file of three pieces or more, read with 1 MB of memory."""
    if name.endswith(".parquet"):
        FRAME.write_parquet(name, row_group_size=60_000)
    elif name.endswith(".arrow"):
        FRAME.write_ipc(name, record_batch_size=60_000)
    else:
        text = FRAME.write_csv().encode()
        Path(name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    return Path(name)


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.parquet", "x.arrow"])
def test_a_file_that_changes_while_it_is_read(name, monkeypatch, snapshot):
    """Before the first task, of text a look at its first rows, before others, and between two passes."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)
    submit, pieces, begun, found = ThreadPoolExecutor.submit, [0], [], {}

    def watched(at, change):
        def submitted(self, *task, **options):
            if pieces[0] == at:
                # What is mapped into memory must not shrink under its reader.
                wait(begun if name == "x.arrow" else ())
                change()
            pieces[0] += 1
            begun.append(submit(self, *task, **options))
            return begun[-1]

        return submitted

    def counted(at=-1, change=removed, **options):
        path, pieces[0], begun[:] = made(name), 0, []
        with monkeypatch.context() as patch:
            patch.setattr(ThreadPoolExecutor, "submit", watched(at, lambda: change(path)))
            return tm.evaluate(path, actual="y", score="s", **options, **IN_PIECES)

    assert counted().rows == N
    whole = pieces[0]
    # scores outside [0, 1] are read twice when they are counted on a grid
    assert counted(approximate=True).rows == N
    twice = pieces[0]
    assert twice >= whole + 3 > 5
    for change in (shrunk, grown, replaced, overwritten, removed):
        for at, task in {0: "first task", 1: "second task", whole - 1: "last piece"}.items():
            case = f"{change.__name__} before the {task} of {name}"
            found |= refused({case: lambda at=at, change=change: counted(at, change)})
    found |= refused({f"{name} grew between two passes": lambda: counted(twice - 1, grown, approximate=True)})
    assert set(classes(found).values()) == {"FileError"}
    if name == "x.csv":
        snapshot("errors_input_changes", found)


def test_a_flaw_is_told_of_its_line_though_other_pieces_are_read():
    before, row = {*threading.enumerate()}, f"1,0.5,{'m' * 50_000}\n"
    path = written("y,s,more\n" + row * 50 + "1\n" + row * 50 + "x,y,z,z\n")
    found = refused({"": lambda: tm.evaluate(path, actual="y", score="s")})
    assert "line 52 " in found[""]
    assert refused({"": lambda: tm.evaluate(path, actual="y", score="s", **IN_PIECES)}) == found
    # the error is still there, and no thread waits for it
    assert not [each for each in {*threading.enumerate()} - before if each.name.startswith("ThreadPool")]


IDS = {
    "numbers": ([0, 1, 2], [4, 1]),
    "text": (["a", "b"], ["c", "d", "a"]),
    "one part": ([0, 1, 1], [4]),
    "missing": ([0, None], [4]),
    "all of it": ([0, 1, 1], [4, 0, None]),
    "no number": ([0.5, float("nan")], [4.5]),
    "too many to be named": ([*range(1_500)], [*range(1_499, -1, -1), 2_000]),
}


def with_ids(*parts):
    names = [f"{place}.parquet" for place in range(len(parts))]
    for name, values in zip(names, parts, strict=True):
        pl.DataFrame({"id": values, "y": 1, "p": 0}).write_parquet(name)
    return names


def test_ids_that_are_there_twice_or_not_at_all(snapshot):
    def calls(**more):
        asked = {"actual": "y", "predicted": "p", "id": "id", **more}
        found = {
            name: lambda parts=parts: tm.evaluate(with_ids(*parts), **asked) for name, parts in IDS.items()
        }
        text = "id,y,p\n" + ",1,0\n".join([*"12345"] * 2) + ",1,0"
        found["text without a last line end"] = lambda: tm.evaluate(written(text), **asked)
        return found

    in_memory = refused(calls())
    found = refused(calls(approximate=True))  # predictions are exact all the same, and rows are not kept
    assert set(classes(found).values()) == {"InputError"} == set(classes(in_memory).values())
    snapshot("errors_input_ids", found)
    for second in ([3, 4, 5], [5, 3]):
        parts = with_ids([0, 1, 2], second)
        ev = tm.evaluate(parts, actual="y", predicted="p", id="id", approximate=True)
        assert ev.rows == 3 + len(second)


def test_ids_of_more_rows_than_fit_the_memory():
    ids = np.random.default_rng(0).permutation(200_000)
    for name, column in (("numbers", ids), ("text", [f"row {place}" for place in ids])):
        frame = pl.DataFrame({"id": column, "y": ids % 2, "p": ids % 3 % 2})
        frame.write_parquet(f"{name}.parquet", row_group_size=50_000)
        pl.concat([frame, frame[:1]]).write_parquet(f"{name} once more.parquet", row_group_size=50_000)
        asked = {"actual": "y", "predicted": "p", "id": "id", "memory": "1MB"}
        assert tm.evaluate(f"{name}.parquet", **asked).rows == 200_000
        with pytest.raises(tm.InputError) as caught:
            tm.evaluate(f"{name} once more.parquet", **asked)
        assert re.findall(r"\b(?:1|200001)\b", caught.value.message) == ["1", "200001"]


HEAD = "y,p\n" + "1,0.7\n0,0.2\n" * 100
STRAY = {
    "two rows of a third class": ["2", "1", "2"], "a word among numbers": ["yes"],
    "behind a missing value": ["", "2"], "classes written in two ways": ["true", "false"] * 20,
    "a hundredth of the rows": ["2"] * 4, "more than a hundredth": ["2"] * 5, "a third class": ["2"] * 50,
}  # fmt: skip


def in_two_parts(labels):
    more = "".join(f"{label},0.5\n" for label in labels)
    return [written(HEAD, "a.csv"), written(HEAD + more, "b.csv")]


def test_labels_that_are_a_slip(snapshot):
    asked = {"actual": "y", "score": "p", "approximate": True}
    found = refused(
        {
            name: lambda labels=labels: tm.evaluate(in_two_parts(labels), **asked, missing="drop")
            for name, labels in STRAY.items()
        }
    )
    assert set(classes(found).values()) == {"LabelError"}
    two_ways = STRAY["classes written in two ways"]
    found |= refused({"counted": lambda: tm.tally(in_two_parts(two_ways), **asked)})
    snapshot("errors_input_stray_labels", found)
    ev = tm.evaluate(in_two_parts(["2"]), **asked, pos_label=1)
    assert (ev.rows, ev.positive) == (401, 1)
    # a part may lack what is named later
    assert tm.tally(in_two_parts(["2"]), actual="y", score="p").evaluate(pos_label=1).rows == 401
