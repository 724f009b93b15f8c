"""Files that are written: their mode and name, two writers at once, and inputs, which are never replaced."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import numpy as np
import pytest

import tallymark as tm
from tallymark.cli import main

ROWS = "y,p\n1,1\n1,0\n0,0\n0,0\n0,1\n1,1\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text(ROWS)
    return tmp_path


def mode(path: str | Path) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


# --- how a file is written -----------------------------------------------------------------------


def test_the_umask_is_left_alone_and_obeyed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "plain").touch()
    expected = mode("plain")
    monkeypatch.setattr(os, "umask", lambda _: pytest.fail("other threads would write with another umask"))
    tm.evaluate("a.csv", actual="y", predicted="p").save("out.json")
    assert mode("out.json") == expected


@pytest.mark.parametrize("force", [False, True])
def test_the_longest_name_can_be_written(folder: Path, force: bool) -> None:
    name = "a" * 250 + ".json"
    ev = tm.evaluate("a.csv", actual="y", predicted="p")
    ev.save(name, overwrite=force)
    assert sorted(os.listdir(folder)) == ["a.csv", name]


def test_a_name_that_is_too_long_is_an_error_of_ours(folder: Path) -> None:
    ev = tm.evaluate("a.csv", actual="y", predicted="p")
    with pytest.raises(tm.FileError, match="File name too long"):
        ev.save("a" * 251 + ".json")
    assert os.listdir(folder) == ["a.csv"]


def test_force_keeps_the_mode_of_the_file_that_is_replaced(folder: Path) -> None:
    (folder / "out.json").touch()
    os.chmod("out.json", 0o640)
    assert main(["evaluate", "a.csv", "--actual", "y", "--predicted", "p", "-o", "out.json", "--force"]) == 0
    assert mode("out.json") == 0o640
    assert (folder / "out.json").stat().st_size > 0


def no_hard_links(*_: object, **__: object) -> None:
    raise PermissionError(1, "Operation not permitted")


@pytest.mark.parametrize("links", [True, False])
def test_of_two_writers_exactly_one_succeeds(
    folder: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    if not links:
        monkeypatch.setattr(os, "link", no_hard_links)
    both = Barrier(2)
    written = tm.Evaluation.to_json

    def after_both_have_looked(ev: tm.Evaluation) -> str:
        both.wait()
        return written(ev)

    monkeypatch.setattr(tm.Evaluation, "to_json", after_both_have_looked)
    outcomes: list[str] = []

    def write() -> None:
        try:
            tm.evaluate("a.csv", actual="y", predicted="p").save("out.json")
            outcomes.append("written")
        except tm.FileError as problem:
            outcomes.append(problem.message)

    threads = [Thread(target=write) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["'out.json' exists already.", "written"]
    assert sorted(os.listdir(folder)) == ["a.csv", "out.json"]


# --- an output never replaces an input -----------------------------------------------------------

ASKED = ("--actual", "y", "--score", "s", "--positive", "1")
SCORED = "id,y,p,s\n" + "".join(f"{n},{n % 2},{n % 3 % 2},0.{n}\n" for n in range(10))
COSTS = "actual,predicted,cost\n0,1,1\n1,0,10\n"

# The last word of each is the output; every file in the folder is an input under some name.
REPLACING = {
    "the file": "evaluate a.csv @ --force -o a.csv",
    "a link to the file": "evaluate a.csv @ --force -o symbolic.csv",
    "another name of the file": "evaluate a.csv @ --force -o hard.csv",
    "the file, under another name of it": "evaluate hard.csv @ --force -o a.csv",
    "a part in a folder": "evaluate parts @ --force -o parts/a.csv",
    "a part of a pattern": "evaluate parts/*.csv @ --force -o parts/b.csv",
    "a link to a part": "evaluate parts @ --force -o part.csv",
    "the costs": "evaluate a.csv @ --costs costs.csv --force -o costs.csv",
    "the costs of a decision": "decide a.csv @ --costs costs.csv --force -o costs.csv",
    "what is chosen on": "decide a.csv @ --costs costs.csv --choose-on parts/a.csv --force -o part.csv",
    "a file of a model": "evaluate --model a=a.csv --model b=hard.json @ --force -o hard.csv",
    "a model of a comparison": "compare --model a=a.csv --model b=b.csv @ --id id --force -o b.csv",
    "the first of a comparison": "compare a.csv b.csv @ --id id --force -o hard.csv",
    "the data of a curve": "roc a.csv @ --force -o hard.csv",
    "the data of a picture": "plot roc scores.svg @ --force -o scores.svg",
    "the data of gains": "gains parts @ --force -o part.csv",
    "the data of a page": "report a.csv @ --force -o hard.txt",
    "a matrix": "matrix matrix.csv --force -o matrix.csv",
    "a matrix in a file of text": "matrix matrix.txt --force -o matrix.txt",
    "data to learn from": "validate a.csv --target y --id id --model majority --force -o hard.csv",
    "data to learn from, by name": "validate --data d=a.csv --target y --model majority --force -o hard.csv",
    "data, by predictions": "validate a.csv --target y --model majority --force --predictions hard.csv",
    "data to tune on": "tune a.csv --target y --id id --model tree --param max_depth=1,2 --force -o hard.csv",
    "data of a learning curve": "learn a.csv --target y --id id --model majority --force -o hard.csv",
    "numbers over the data": "evaluate rows.json @ --force --metrics-file rows.json",
    "numbers over the costs": "evaluate a.csv @ --costs costs.json --force --metrics-file costs.json",
    "a gate over the data": "check rows.json @ --require accuracy>=0 --force -o rows.json",
    "a gate over the baseline": "check a.csv @ --no-worse accuracy --baseline old.json --force -o old.json",
    "a gate over the configuration's data": "check @ --require accuracy>=0 --force -o rows.json",
    "the sum over a tally": "merge tallies --force -o tallies/one.tally",
    "the sum over a linked tally": "merge tallies --force -o one.tally",
    "counts over counts": "tally tallies/rows.ndjson @ --force -o tallies/rows.ndjson",
}  # fmt: skip


@pytest.fixture
def inputs(folder: Path) -> dict[Path, bytes]:
    """A folder in which every file is an input: what is in each."""
    for name in ("parts", "tallies"):
        Path(name).mkdir()
    for name in ("a.csv", "b.csv", "parts/a.csv", "parts/b.csv", "scores.svg"):
        Path(name).write_text(SCORED)
    Path("parts/b.csv").write_text(SCORED.replace("\n1", "\n2"))
    Path("rows.json").write_text('[{"y": 1, "s": 0.9}, {"y": 0, "s": 0.1}]')
    Path("tallies/rows.ndjson").write_text('{"y": 1, "s": 0.9}\n{"y": 0, "s": 0.1}\n')
    Path("costs.csv").write_text(COSTS)
    Path("costs.json").write_text('{"0": {"1": 1}, "1": {"0": 10}}')
    Path("matrix.csv").write_text(",1,0\n1,4,1\n0,2,3\n")
    Path("matrix.txt").write_text("4 1; 2 3\n")
    Path("pyproject.toml").write_text('[tool.tallymark]\nfiles = ["rows.json"]\n')
    assert main(["evaluate", "a.csv", *ASKED, "-o", "old.json", "--quiet"]) == 0
    assert main(["tally", "a.csv", *ASKED, "-o", "tallies/one.tally", "--quiet"]) == 0
    os.link("a.csv", "hard.csv")
    os.link("a.csv", "hard.json")
    os.link("a.csv", "hard.txt")
    os.symlink("a.csv", "symbolic.csv")
    os.symlink("parts/a.csv", "part.csv")
    os.symlink("tallies/one.tally", "one.tally")
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("line", REPLACING.values(), ids=REPLACING)
def test_a_command_never_replaces_its_input(
    inputs: dict[Path, bytes], capsys: pytest.CaptureFixture[str], line: str
) -> None:
    words = [each for word in line.split() for each in (ASKED if word == "@" else (word,))]
    code = main(words)
    out, err = capsys.readouterr()
    assert (code, out) == (2, ""), err
    assert {path: path.read_bytes() for path in inputs} == inputs
    assert words[-1] in err
    assert "replace" in err


def test_a_file_beside_the_parts_of_a_folder_may_be_replaced(inputs: dict[Path, bytes]) -> None:
    Path("parts/report.html").write_text("an older report")
    assert main(["evaluate", "parts", *ASKED, "-o", "parts/report.html", "--force"]) == 0
    assert Path("parts/report.html").read_text() != "an older report"


RESULTS = {
    "an evaluation": lambda ev: ev,
    "a curve": lambda ev: ev.roc,
    "gains": lambda ev: ev.gains,
    "a curve of a class": lambda ev: ev.per_class[0].roc,
    "under other class shares": lambda ev: ev.at_prevalence(0.1),
    "a decision": lambda ev: ev.decide(costs={"1": {"0": 10}, "0": {"1": 1}}),
    "a comparison": lambda ev: tm.compare({"a": ev, "b": ev}),
    "a gate": lambda ev: tm.check(ev, "accuracy >= 0"),
}  # fmt: skip


@pytest.mark.parametrize("made", RESULTS.values(), ids=RESULTS)
@pytest.mark.parametrize("name", ["rows.json", "rows-hard.json", "rows-symbolic.json"])
def test_a_result_never_replaces_what_it_was_read_from(folder: Path, made: Any, name: str) -> None:
    content = '[{"y": 1, "s": 0.9}, {"y": 0, "s": 0.1}, {"y": 1, "s": 0.2}]'
    Path("rows.json").write_text(content)
    os.link("rows.json", "rows-hard.json")
    os.symlink("rows.json", "rows-symbolic.json")
    result = made(tm.evaluate("rows.json", actual="y", score="s"))
    with pytest.raises(tm.FileError):
        result.save(name, overwrite=True)
    assert Path("rows.json").read_text() == Path("rows-hard.json").read_text() == content
    assert os.path.islink("rows-symbolic.json")
    result.save("result.json")
    result.save("result.json", overwrite=True)


def test_metrics_and_predictions_never_replace_what_they_were_read_from(folder: Path) -> None:
    Path("rows.json").write_text('[{"y": 1, "s": 0.9}, {"y": 0, "s": 0.1}]')
    with pytest.raises(tm.FileError):
        tm.save_metrics(tm.evaluate("rows.json", actual="y", score="s"), "rows.json", overwrite=True)
    with pytest.raises(tm.FileError):
        tm.evaluate("a.csv", actual="y", predicted="p").save("./a.csv", overwrite=True)
    assert Path("a.csv").read_text() == ROWS


def test_a_file_made_anew_in_the_place_of_a_removed_input_is_not_an_input(folder: Path) -> None:
    ev = tm.evaluate("a.csv", actual="y", predicted="p")
    os.remove("a.csv")
    for name in ("b.csv", "c.csv"):  # one of them may have the inode that was a.csv's
        Path(name).write_text("")
        ev.save(name, overwrite=True)
        assert Path(name).stat().st_size > 0


def test_predictions_and_tallies_that_were_read_are_written_again(folder: Path) -> None:
    rng = np.random.default_rng(0)
    found = tm.validate("majority", rng.random((20, 2)), rng.integers(0, 2, 20), cv=2)
    tally = tm.tally("a.csv", actual="y", predicted="p")
    for _ in range(2):
        found.write_predictions("predictions.csv", overwrite=True)
        tm.evaluate("predictions.csv", actual="actual", predicted="predicted")
        tally.save("all.tally", overwrite=True)
        tally += tm.Tally.load("all.tally")
    assert tm.evaluate("all.tally").rows == 12


@pytest.mark.parametrize(
    "line",
    [
        "evaluate - --actual y --predicted p -o a.csv --force",
        "evaluate --model A=- --model B=b.csv --actual y --predicted p -o a.csv --force",
        "validate - --target y --model majority --predictions a.csv --force",
    ],
)
def test_standard_input_is_not_replaced(folder: Path, line: str) -> None:
    with open("a.csv", "rb") as file:
        done = subprocess.run([sys.executable, "-m", "tallymark", *line.split()], stdin=file, check=False)
    assert done.returncode == 2
    assert Path("a.csv").read_text() == ROWS


def test_predictions_never_replace_the_data_that_were_learned_from(folder: Path) -> None:
    Path("learn.csv").write_text(SCORED)
    found = tm.validate("majority", "learn.csv", target="y", cv=2)
    with pytest.raises(tm.FileError):
        found.write_predictions("learn.csv", overwrite=True)
    assert Path("learn.csv").read_text() == SCORED
