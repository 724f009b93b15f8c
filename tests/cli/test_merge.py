"""`tallymark merge`: tallies added up, and which are not."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tallymark.tallies.tally import Tally

PARTS = {"a": "1,1\n0,1\n", "b": "0,0\n1,0\n1,1\n", "c": "1,1\n"}


@pytest.fixture
def parts(run: Any) -> Any:
    """A tally of each part and one of the whole, whose rows are 1,1 three times and the others once."""
    Path("parts").mkdir()
    for name, rows in PARTS.items():
        Path(f"{name}.csv").write_text(f"actual,predicted\n{rows}")
        assert run("tally", f"{name}.csv", "-o", f"parts/{name}.tally", "--quiet").code == 0
    Path("whole.csv").write_text("actual,predicted\n" + "".join(PARTS.values()))
    assert run("tally", "whole.csv", "-o", "whole.tally", "--quiet").code == 0
    return run


@pytest.mark.parametrize(
    "given",
    [
        "parts/a.tally parts/b.tally parts/c.tally",
        "'parts/*.tally'",
        "parts",
        "parts/c.tally 'parts/[ab].tally'",
    ],
    ids=["names", "pattern", "folder", "both"],
)
def test_the_sum_is_the_tally_of_the_whole(given: str, parts: Any) -> None:
    result = parts("merge", *shlex.split(given), "-o", "all.tally")
    assert (result.code, result.out) == (0, "")
    assert re.search(r"^wrote all\.tally: 6 rows, \d+ bytes$", result.err, re.MULTILINE)
    merged = Tally.load("all.tally")
    assert merged == Tally.load("whole.tally")
    assert merged.counted.matrix.tolist() == [[1, 1], [1, 3]]
    assert sorted(merged.sources) == ["a.csv", "b.csv", "c.csv"]
    said = parts("evaluate", "all.tally", "--json").json
    assert said["metrics"]["recall"]["value"] == 3 / 4
    assert parts("evaluate", *shlex.split(given), "--json").json["metrics"] == said["metrics"]


def test_sums_can_be_added_again(parts: Any) -> None:
    assert parts("merge", "parts/a.tally", "parts/b.tally", "-o", "ab.tally", "--quiet").code == 0
    assert parts("merge", "ab.tally", "parts/c.tally", "-o", "all.tally", "--quiet").code == 0
    assert Tally.load("all.tally") == Tally.load("whole.tally")
    assert parts("merge", "parts/a.tally", "-o", "one.tally", "--quiet").code == 0
    assert Path("one.tally").read_bytes() == Path("parts/a.tally").read_bytes()


def test_standard_input_is_one_of_them(parts: Any) -> None:
    piped = Path("parts/a.tally").read_bytes()
    result = parts("merge", "-", "parts/b.tally", "parts/c.tally", "-o", "all.tally", "--quiet", stdin=piped)
    assert (result.code, result.err) == (0, "")
    assert Tally.load("all.tally") == Tally.load("whole.tally")
    broken = parts("merge", "-", "-o", "other.tally", stdin=piped[:-40])
    assert broken.err.startswith(
        "tallymark: standard input is damaged, or no tally: it is no whole zip archive."
    )


def test_rows_that_may_count_double_are_told(parts: Any) -> None:
    assert parts("merge", "parts/a.tally", "parts/b.tally", "-o", "ab.tally", "--quiet").code == 0
    result = parts("merge", "ab.tally", "parts/b.tally", "-o", "all.tally")
    assert result.code == 0
    said = (
        "note: 'b.csv' was counted into ab.tally and parts/b.tally: if that is the same data, its rows count"
    )
    assert said in result.err
    notes = parts("evaluate", "ab.tally", "parts/b.tally", "--json").json["notes"]
    assert any(note.startswith(said[6:]) for note in notes)


DIFFERENT = {
    "grid": ("scores.csv --actual y --score s --positive yes", "--approximate",
             "scores: each kept and on a grid of 61,440 bins from 0 to 1", "--approximate (in Python"),
    "positive": ("answers.csv", "--positive yes", "the positive class: not named and 'yes'", "same options"),
    "labels": ("answers.csv", "--labels yes,no", "labels: not given and ['yes', 'no']", "the same options"),
    "slices": ("answers.csv --actual actual --predicted predicted", "--slice actual",
               "slices: none and actual", "the same options"),
    "missing": ("answers.csv", "--drop-missing", "missing values: an error and dropped", "the same options"),
    "threshold": ("scores.csv --actual y --score s --positive yes", "--threshold 0.3",
                  "threshold: not given and 0.3", "the same options"),
}  # fmt: skip


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_was_declared_differently_is_refused_with_both_files(name: str, run: Any) -> None:
    command, more, said, hint = DIFFERENT[name]
    assert run("tally", *shlex.split(command), "-o", "one.tally").code == 0
    assert run("tally", *shlex.split(f"{command} {more}"), "-o", "two.tally").code == 0
    for result in (
        run("merge", "one.tally", "two.tally", "-o", "x.tally"),
        run("evaluate", "one.tally", "two.tally"),
    ):
        assert (result.code, result.out) == (2, "")
        start = "tallymark: one.tally and two.tally were declared differently, so they do not add up: "
        assert result.err.startswith(start)
        assert said in result.err
        assert hint in result.err
    assert not Path("x.tally").exists()


BAD = {
    "nothing": ("merge -o x.tally", "FILE is missing. Hint: name the tallies to add"),
    "no output": ("merge whole.tally", "none is named. Hint: add -o all.tally."),
    "other suffix": ("merge whole.tally -o x.csv", "the name of a tally ends in .tally."),
    "there already": ("merge parts -o whole.tally", "'whole.tally' exists already. Hint: use --force"),
    "itself": ("merge parts/a.tally whole.tally -o whole.tally --force", "would replace the data"),
    "itself in a folder": ("merge parts -o parts/a.tally --force", "would replace the data"),
    "twice": ("merge parts/a.tally parts/../parts/a.tally -o x.tally", "'parts/a.tally' is given twice"),
    "twice by a pattern": ("merge parts 'parts/a*' -o x.tally", "its rows would count double"),
    "rows": ("merge digits.csv -o x.tally", "digits.csv is no tally. Hint: `tallymark tally FILE... -o"),
    "none": ("merge 'parts/x*.tally' -o x.tally", "no file matches parts/x*.tally"),
    "absent": ("merge parts/d.tally -o x.tally", "there is no file parts/d.tally"),
    "memory": ("merge parts -o x.tally --memory lots", "memory is a size such as 500MB"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_is_refused(name: str, parts: Any) -> None:
    command, said = BAD[name]
    result = parts(*shlex.split(command))
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert result.err.count("\n") == 1
    assert not Path("x.tally").exists()


def test_labels_of_two_kinds_name_the_file(run: Any) -> None:
    import polars as pl

    import tallymark as tm

    tm.tally(pl.DataFrame({"actual": [1, 0], "predicted": [1, 1]})).save("numbers.tally")
    tm.tally(pl.DataFrame({"actual": ["1", "0"], "predicted": ["1", "1"]})).save("text.tally")
    result = run("merge", "numbers.tally", "text.tally", "-o", "x.tally")
    assert result.code == 2
    assert (
        "text.tally cannot be added to the files before it: labels must be all numbers or all" in result.err
    )


def test_an_interruption_while_adding_leaves_what_was_there(
    parts: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    before = Path("whole.tally").read_bytes()
    names = sorted(Path.cwd().iterdir())
    for place in (
        "evaluation.tally_files.read_tally",
        "evaluation.tally_files.packed",
        "drawing.saving.os.replace",
    ):
        with monkeypatch.context() as patch:
            patch.setattr(f"tallymark.{place}", interrupted)
            result = parts("merge", "parts", "-o", "whole.tally", "--force")
        assert (result.code, result.err) == (130, "tallymark: interrupted.\n")
        assert Path("whole.tally").read_bytes() == before
        assert sorted(Path.cwd().iterdir()) == names
