"""Files that are written: their mode and name, two writers at once, and inputs, which are never replaced."""

import os
import resource
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest

import tallymark as tm
from command_lines import held, write
from scored import classes, refusals

ROWS = "y,p\n1,1\n1,0\n0,0\n0,0\n0,1\n1,1\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text(ROWS)
    return tmp_path


def evaluated() -> tm.Evaluation:
    return tm.evaluate("a.csv", actual="y", predicted="p")


def mode(path: str | Path) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


# --- how a file is written -----------------------------------------------------------------------


def test_modes_and_names(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("plain").touch()
    with monkeypatch.context() as patched:
        # Other threads would write with another umask.
        patched.setattr(os, "umask", lambda _: pytest.fail("the umask was changed"))
        evaluated().save("out.json")
    assert mode("out.json") == mode("plain")
    os.chmod("out.json", 0o640)
    before = Path("out.json").read_bytes()
    tm.evaluate([1, 0], [1, 1]).save("out.json", overwrite=True)
    assert (mode("out.json"), Path("out.json").read_bytes() == before) == (0o640, False)
    longest = "a" * 250 + ".json"
    for force in (False, True):
        evaluated().save(longest, overwrite=force)
    with pytest.raises(tm.FileError):
        evaluated().save(f"a{longest}")
    assert sorted(os.listdir(folder)) == ["a.csv", longest, "out.json", "plain"]


def test_where_a_file_does_not_fit_the_old_one_stays(folder: Path) -> None:
    """No file may be larger than 100 bytes, as if the disk were full."""
    Path("out.json").write_text("mine")
    made, (soft, hard) = evaluated(), resource.getrlimit(resource.RLIMIT_FSIZE)
    calls = {
        "overwritten": lambda: made.save("out.json", overwrite=True),
        "new": lambda: made.save("new.csv"),
    }
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        found = refusals(calls)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert classes(found) == dict.fromkeys(calls, "FileError")
    assert sorted(os.listdir(folder)) == ["a.csv", "out.json"]
    assert Path("out.json").read_text() == "mine"


def test_of_two_writers_exactly_one_succeeds(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_hard_links(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    both, written = Barrier(2, timeout=300), tm.Evaluation.to_json

    def after_both_have_looked(ev: tm.Evaluation) -> str:
        both.wait()
        return written(ev)

    def write_it(name: str) -> str:
        try:
            evaluated().save(name)
            return "written"
        except tm.FileError:
            return "refused"

    monkeypatch.setattr(tm.Evaluation, "to_json", after_both_have_looked)
    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(write_it, ["one.json"] * 2)) == ["refused", "written"]
        monkeypatch.setattr(os, "link", no_hard_links)
        assert sorted(pool.map(write_it, ["two.json"] * 2)) == ["refused", "written"]
    assert sorted(os.listdir(folder)) == ["a.csv", "one.json", "two.json"]


# --- an output never replaces an input -----------------------------------------------------------

SCORED = "id,y,p,s\n" + "".join(f"{n},{n % 2},{n % 3 % 2},0.{n}\n" for n in range(10))
INPUTS: dict[str, str | bytes] = {
    "rows.json": '[{"y": 1, "s": 0.9}, {"y": 0, "s": 0.1}]',
    "tallies/rows.ndjson": '{"y": 1, "s": 0.9}\n{"y": 0, "s": 0.1}\n',
    "costs.csv": "actual,predicted,cost\n0,1,1\n1,0,10\n",
    "costs.json": '{"0": {"1": 1}, "1": {"0": 10}}',
    "matrix.csv": ",1,0\n1,4,1\n0,2,3\n",
    "matrix.txt": "4 1; 2 3\n",
    "pyproject.toml": '[tool.tallymark]\nfiles = ["rows.json"]\n',
}


def test_a_command_never_replaces_its_input(run: Any, refused: Any) -> None:
    """Every file in the folder is an input under some name: of a link, of a part, of costs, of a model."""
    names = ("a.csv", "b.csv", "parts/a.csv", "scores.svg")
    write(dict.fromkeys(names, SCORED) | {"parts/b.csv": SCORED.replace("\n1", "\n2")})
    write(INPUTS)
    asked = "--actual y --score s --positive 1"
    assert run(f"evaluate a.csv {asked} -o old.json --quiet").code == 0
    assert run(f"tally a.csv {asked} -o tallies/one.tally --quiet").code == 0
    for name in ("hard.csv", "hard.json", "hard.txt"):
        os.link("a.csv", name)
    links = {"symbolic.csv": "a.csv", "part.csv": "parts/a.csv", "one.tally": "tallies/one.tally"}
    for name, target in links.items():
        os.symlink(target, name)
    refused(
        "errors_replacing_inputs",
        """
        evaluate a.csv $ASKED --force -o {a|symbolic|hard}.csv
        evaluate hard.csv $ASKED --force -o a.csv
        evaluate parts $ASKED --force -o {parts/a|part}.csv
        evaluate parts/*.csv $ASKED --force -o parts/b.csv
        {evaluate|decide} a.csv $ASKED --costs costs.csv --force -o costs.csv
        decide a.csv $ASKED --costs costs.csv --choose-on parts/a.csv --force -o part.csv
        evaluate --model a=a.csv --model b=hard.json $ASKED --force -o hard.csv
        compare --model a=a.csv --model b=b.csv $ASKED --id id --force -o b.csv
        compare a.csv b.csv $ASKED --id id --force -o hard.csv
        roc a.csv $ASKED --force -o hard.csv
        plot roc scores.svg $ASKED --force -o scores.svg
        gains parts $ASKED --force -o part.csv
        report a.csv $ASKED --force -o hard.txt
        matrix matrix.csv --force -o matrix.csv
        matrix matrix.txt --force -o matrix.txt
        validate a.csv --target y --id id --model majority --force -o hard.csv
        validate --data d=a.csv --target y --model majority --force -o hard.csv
        validate a.csv --target y --model majority --force --predictions hard.csv
        tune a.csv --target y --id id --model tree --param max_depth=1,2 --force -o hard.csv
        learn a.csv --target y --id id --model majority --force -o hard.csv
        evaluate rows.json $ASKED --force --metrics-file rows.json
        evaluate a.csv $ASKED --costs costs.json --force --metrics-file costs.json
        check rows.json $ASKED --require accuracy>=0 --force -o rows.json
        check a.csv $ASKED --no-worse accuracy --baseline old.json --force -o old.json
        merge tallies --force -o {tallies/|}one.tally
        tally tallies/rows.ndjson $ASKED --force -o tallies/rows.ndjson
        """,
        ASKED=asked,
    )
    before = held()
    result = run(f"check {asked} --require accuracy>=0 --force -o rows.json")
    assert (result.code, result.out, held() == before) == (2, "", True)
    # A file beside the parts of a folder may be replaced.
    write({"parts/report.html": "an older report"})
    assert run(f"evaluate parts {asked} -o parts/report.html --force").code == 0
    assert Path("parts/report.html").read_text() != "an older report"


def test_standard_input_is_not_replaced(folder: Path) -> None:
    """A file that a shell connects has a name as well; one shell for the three commands."""
    lines = (
        "evaluate - --actual y --predicted p -o a.csv --force",
        "evaluate --model A=- --model B=b.csv --actual y --predicted p -o a.csv --force",
        "validate - --target y --model majority --method kfold:2 --predictions a.csv --force",
    )
    calls = (f"{sys.executable} -m tallymark {line} <a.csv; echo $?" for line in lines)
    script = "\n".join(["cp a.csv b.csv", *calls])
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False)
    assert (done.stdout.split(), Path("a.csv").read_text()) == (["2"] * 3, ROWS)


RESULTS = {
    "an evaluation": lambda ev: ev,
    "a curve": lambda ev: ev.roc,
    "gains": lambda ev: ev.gains,
    "a curve of a class": lambda ev: ev.per_class[0].roc,
    "other class shares": lambda ev: ev.at_prevalence(0.1),
    "a decision": lambda ev: ev.decide(costs={"1": {"0": 10}, "0": {"1": 1}}),
    "a comparison": lambda ev: tm.compare({"a": ev, "b": ev}),
    "a gate": lambda ev: tm.check(ev, "accuracy >= 0"),
}


def test_a_result_never_replaces_what_it_was_read_from(folder: Path) -> None:
    content = '[{"y": 1, "s": 0.9}, {"y": 0, "s": 0.1}, {"y": 1, "s": 0.2}]'
    Path("rows.json").write_text(content)
    os.link("rows.json", "hard.json")
    os.symlink("rows.json", "symbolic.json")
    replaced = []
    for kind, make in RESULTS.items():
        result = make(tm.evaluate("rows.json", actual="y", score="s"))
        for name in ("rows.json", "hard.json", "symbolic.json"):
            try:
                result.save(name, overwrite=True)
                replaced.append((kind, name))
            except tm.FileError:
                pass
        result.save("result.json", overwrite=True)
        result.save("result.json", overwrite=True)
    assert replaced == []
    Path("learn.csv").write_text(SCORED)
    found, rows = tm.validate("majority", "learn.csv", target="y", cv=2), "rows.json"
    for call in (
        lambda: tm.save_metrics(tm.evaluate(rows, actual="y", score="s"), rows, overwrite=True),
        lambda: evaluated().save("./a.csv", overwrite=True),
        lambda: found.write_predictions("learn.csv", overwrite=True),
    ):
        with pytest.raises(tm.FileError):
            call()
    kept = {rows: content, "hard.json": content, "a.csv": ROWS, "learn.csv": SCORED}
    assert {name: Path(name).read_text() for name in kept} == kept
    assert os.path.islink("symbolic.json")


def test_what_is_no_input_any_more_may_be_replaced(folder: Path) -> None:
    ev = evaluated()
    os.remove("a.csv")
    for name in ("b.csv", "c.csv"):  # one of them may have the inode that was a.csv's
        Path(name).write_text("")
        ev.save(name, overwrite=True)
        assert Path(name).stat().st_size > 0
    # Predictions and tallies that were read are written again.
    Path("a.csv").write_text(ROWS)
    rng = np.random.default_rng(0)
    found = tm.validate("majority", rng.random((20, 2)), rng.integers(0, 2, 20), cv=2)
    tally = tm.tally("a.csv", actual="y", predicted="p")
    for _ in range(2):
        found.write_predictions("predictions.csv", overwrite=True)
        tm.evaluate("predictions.csv", actual="actual", predicted="predicted")
        tally.save("all.tally", overwrite=True)
        tally += tm.Tally.load("all.tally")
    assert tm.evaluate("all.tally").rows == 12
