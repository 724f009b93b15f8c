"""`--run-folder` and `tallymark runs`: what was interrupted goes on, and one can see how far it is."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from tallymark.cli import runs as runs_command
from tallymark.cli import runs_shown
from tallymark.drawing import text

ROWS = 40
RANDOM = np.random.default_rng(3)
Y = np.arange(ROWS) % 2
X = (RANDOM.normal(0, 1, ROWS) + Y).round(3)
DATA = "x,y\n" + "".join(f"{x},{y}\n" for x, y in zip(X, Y, strict=True))
MODULE = '''
import os
from pathlib import Path
from sklearn.naive_bayes import GaussianNB


class Stopped(GaussianNB):
    """Is interrupted, or killed, at the fit whose number is in a file."""

    def fit(self, X, y):
        made = len(os.listdir("night/fits")) if os.path.isdir("night/fits") else 0
        for name, way in {"stop": self.stop, "kill": self.kill}.items():
            if os.path.exists(name) and int(Path(name).read_text()) == made:
                way()
        return super().fit(X, y)

    def stop(self):
        raise KeyboardInterrupt

    def kill(self):
        os.kill(os.getpid(), 9)


class Picky(GaussianNB):
    """Fails where the first row is not learned, unless it is told to be good."""

    def fit(self, X, y):
        if not os.path.exists("good") and float(X["x"][0]) != FIRST:
            raise ValueError(f"no good:\\n{len(y)} rows.")
        return super().fit(X, y)


class Hopeless(GaussianNB):
    def fit(self, X, y):
        raise RuntimeError("never")
'''
ASKED = ("validate", "data.csv", "--target", "y", "--method", "kfold:5", "--run-folder", "night")
STOPPED = (*ASKED, "--model", "own_runs:Stopped")
PICKY = (*ASKED, "--model", "bayes", "--model", "own_runs:Picky")


@pytest.fixture(autouse=True)
def here(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Data and models in the current folder; the module is imported anew in each test."""
    Path("data.csv").write_text(DATA)
    Path("own_runs.py").write_text(MODULE.replace("FIRST", str(X[0])))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_runs", raising=False)


def interrupted(run: Any, *more: str, at: int = 2) -> str:
    """The name of a run that was stopped after so many fits."""
    Path("stop").write_text(str(at))
    result = run(*STOPPED, *more)
    Path("stop").unlink()
    assert (result.code, result.out) == (130, "")
    found = re.search(r"runs resume night (\w{12})`", result.err)
    assert found
    return found[1]


def shown(run: Any, *more: str) -> Any:
    return run("runs", "show", "night", *more, "--json").json


def without_times(form: Any) -> Any:
    if isinstance(form, dict):
        return {key: without_times(each) for key, each in form.items() if "seconds" not in key}
    return [without_times(each) for each in form] if isinstance(form, list) else form


# --- with a run folder --------------------------------------------------------------------------------


def test_the_end_says_what_was_found_and_made(run: Any) -> None:
    first, again = run(*ASKED, "--model", "bayes"), run(*ASKED, "--model", "bayes")
    more = "`tallymark runs show night` tells more.\n"
    assert first.err == f"tallymark: run folder 'night': 0 fits were found in it, 5 made now; {more}"
    assert again.err == f"tallymark: run folder 'night': 5 fits were found in it, 0 made now; {more}"
    assert again.out == first.out
    assert first.code == again.code == 0
    assert run(*ASKED, "--model", "bayes", "--quiet").err == ""


def test_another_command_finds_what_it_shares(run: Any) -> None:
    run(*ASKED, "--model", "bayes")
    both = run(*ASKED, "--model", "bayes", "--model", "tree", "--metric", "accuracy")
    assert "5 fits were found in it, 5 made now" in both.err


def test_an_interrupted_run_goes_on_and_is_the_same(run: Any) -> None:
    undisturbed = run(*STOPPED[:-4], *STOPPED[-2:], "--json").json
    name = interrupted(run, "--json")
    assert [shown(run)[key] for key in ("run", "state", "done", "total")] == [name, "interrupted", 2, 5]
    again = run(*STOPPED, "--json")
    assert "2 fits were found in it, 3 made now" in again.err
    assert without_times(json.loads(again.out)) == without_times(undisturbed)
    assert [shown(run)[key] for key in ("run", "state", "done")] == [name, "finished", 5]


def test_ctrl_c_says_how_one_goes_on(run: Any) -> None:
    Path("stop").write_text("1")
    assert re.fullmatch(
        r"tallymark: interrupted\. The same command, or `tallymark runs resume night \w{12}`, goes on from "
        r"there\.\n",
        run(*STOPPED).err,
    )
    piped = run(*(word.replace("data.csv", "-") for word in STOPPED), stdin=DATA)
    assert piped.err == "tallymark: interrupted. The same command goes on from there.\n"
    without = run("validate", "data.csv", "--target", "y", "--model", "own_runs:Stopped")
    assert (without.code, without.err) == (130, "tallymark: interrupted.\n")


def test_a_killed_run_goes_on(run: Any) -> None:
    Path("kill").write_text("3")
    killed = subprocess.run([sys.executable, "-m", "tallymark", *STOPPED], capture_output=True, timeout=60)
    assert killed.returncode == -9
    Path("kill").unlink()
    assert [shown(run)[key] for key in ("state", "done")] == ["interrupted", 3]
    assert "3 fits were found in it, 2 made now" in run("runs", "resume", "night").err


def test_failed_fits_are_kept_and_tried_again_when_asked(run: Any) -> None:
    first = run(*PICKY)
    assert first.code == 3
    *_, last = first.err.splitlines()
    assert last == (
        "tallymark: run folder 'night': 0 fits were found in it, 10 made now; `tallymark runs show night` "
        "shows the tracebacks, and --retry-failed tries again what failed."
    )
    assert run(*PICKY, "--quiet").err.splitlines()[-1].endswith("tries again what failed.")
    Path("good").touch()
    assert run(*PICKY).code == 3
    again = run(*PICKY, "--retry-failed")
    assert again.code == 0
    assert "9 fits were found in it, 1 made now" in again.err


def test_when_all_fail_the_error_comes_last(run: Any) -> None:
    result = run(*ASKED, "--model", "own_runs:Hopeless")
    assert result.code == 2
    first, last = result.err.splitlines()
    assert "0 fits were found in it, 5 made now; `tallymark runs show night`" in first
    assert last.startswith("tallymark: all 5 fits failed")
    form = shown(run)
    assert (form["state"], form["failed"]) == ("stopped", 5)
    assert form["error"] in last
    report = unwrapped(run("runs", "show", "night").out)
    assert "It was stopped by an error: all 5 fits failed" in report
    again = f"`tallymark runs resume night {form['run']}`"
    assert f"The same command, or {again}, goes on from there, and with --retry-failed tries" in report
    assert f"{again} goes on where that run was stopped." in unwrapped(run("runs", "list").out)
    *_, last = run(*ASKED, "--model", "own_runs:Hopeless").err.splitlines()
    assert last.endswith(
        "Hint: 5 fits were not made now, but recorded by an earlier run; --retry-failed (tm.RunFolder(..., "
        "retry_failed=True)) tries again what failed before."
    )


def test_what_is_wrong_in_the_folder_is_said_once(run: Any) -> None:
    run(*ASKED, "--model", "bayes")
    Path("night/runs/bb.json").write_text("{")
    for call in ((*ASKED, "--model", "tree", "--quiet"), ("runs", "show", "night"), ("runs", "list")):
        said = run(*call).err
        assert said == "tallymark: the record 'night/runs/bb.json' cannot be read and is left out.\n"


@pytest.mark.parametrize(
    "facts",
    [
        {"data": None}, {"models": [None]}, {"at_work": None}, {"total": None}, {"outcome": [1]},
        {"chosen": {}}, {"tested": None}, {"test_rows": [None]}, {"arguments": "x"}, {"metric": None},
    ],
    ids=str,
)  # fmt: skip
def test_a_record_of_odd_kinds_is_told_and_left_alone(run: Any, facts: dict[str, Any]) -> None:
    run(*ASKED, "--model", "bayes")
    name = shown(run)["run"]
    place = changed(**facts)
    odd = place.read_bytes()
    left_out = f"tallymark: the record {str(place)!r} is damaged, or of another version, and is left out."
    for call in (("list",), ("show", "night"), ("show", "night", name, "--json"), ("resume", "night")):
        result = run("runs", *call)
        assert result.code == 2
        assert result.err.splitlines()[0] == left_out
    assert place.read_bytes() == odd
    again = run(*ASKED, "--model", "bayes")
    assert (again.code, again.err.splitlines()[0]) == (0, left_out)
    assert "5 fits were found in it" in again.err
    assert shown(run)["state"] == "finished"
    assert [each.read_bytes() for each in Path("night/set_aside").iterdir()] == [odd]


def test_a_failed_fit_that_does_not_say_what_it_is(run: Any) -> None:
    run(*PICKY)
    assert shown(run)["failed"] == 1
    for place in Path("night/fits").iterdir():
        with zipfile.ZipFile(place) as file:
            parts = {each: file.read(each) for each in file.namelist()}
        record = json.loads(parts["record.json"])
        if record["failure"] is not None:
            del record["identity"]
            with zipfile.ZipFile(place, "w") as file:
                for each, content in (parts | {"record.json": json.dumps(record)}).items():
                    file.writestr(each, content)
    form = shown(run)
    assert (form["done"], form["failed"]) == (9, 0)
    assert run("runs", "list").code == 0
    assert "The record of 1 fit is gone or cannot be read" in run("runs", "show", "night").out
    again = run(*PICKY)
    assert "cannot be used: what it says is of the wrong kind." in again.err
    assert "9 fits were found in it, 1 made now" in again.err


def test_a_run_that_read_standard_input_is_not_resumed(run: Any) -> None:
    Path("stop").write_text("1")
    run(*(word.replace("data.csv", "-") for word in STOPPED), stdin=DATA)
    for call in (("list",), ("show", "night")):
        report = unwrapped(run("runs", *call).out)
        assert "interrupted" in report
        assert "resume" not in report
    assert "The same command goes on from there." in report


def test_a_worker_that_died(run: Any) -> None:
    Path("kill").write_text("0")
    died = subprocess.run(
        [sys.executable, "-m", "tallymark", *STOPPED, "--jobs", "2"],
        capture_output=True, text=True, timeout=120, env=os.environ | {"PYTHONPATH": os.getcwd()},
    )  # fmt: skip
    Path("kill").unlink()
    assert died.returncode == 2
    # joblib's resource tracker, a process of its own, may warn of what the dead worker left.
    *_, last = (line for line in died.stderr.splitlines() if "resource_tracker" not in line)
    assert last.endswith(
        "what is finished is in the run folder: the same command, or call, goes on from there."
    )
    assert "--run-folder" not in last
    form = shown(run)
    assert form["state"] == "stopped"
    assert f"`tallymark runs resume night {form['run']}`" in unwrapped(run("runs", "show", "night").out)
    resumed = run("runs", "resume", "night")
    assert resumed.code == 0, resumed.err


@pytest.mark.parametrize("question", ["tune", "learn", "permute"])
def test_the_other_commands_have_run_folders_too(run: Any, question: str) -> None:
    call = (question, "data.csv", "--target", "y", "--model", "bayes", "--run-folder", "night", "--json")
    short = {
        "tune": ("--method", "nested:3x2"),
        "learn": ("--repeats", "3"),
        "permute": ("--permutations", "9"),
    }
    first, again = run(*call, *short[question]), run(*call, *short[question])
    assert first.code == again.code == 0
    assert re.search(r": 0 fits were found in it, \d+ made now", first.err)
    assert re.search(r": [1-9]\d* fits were found in it, 0 made now", again.err)
    assert without_times(json.loads(again.out)) == without_times(json.loads(first.out))
    form = shown(run)
    assert (form["question"], form["state"], form["failed"]) == (question, "finished", 0)
    assert form["outcome"]
    assert "Outcome" in run("runs", "show", "night").out


# --- list -------------------------------------------------------------------------------------------------


def test_list(run: Any) -> None:
    run(*ASKED, "--model", "bayes")
    name = interrupted(run, at=7)
    run(*(word.replace("night", "deep/day") for word in PICKY))
    form = run("runs", "list", "--json").json
    assert form["schema"] == "tallymark/runs/1"
    found = [
        [
            each[key]
            for key in ("run_folder", "question", "data", "models", "done", "total", "failed", "state")
        ]
        for each in form["runs"]
    ]
    assert found == [
        ["deep/day", "validate", ["data"], ["bayes", "own_runs:Picky"], 10, 10, 1, "finished"],
        ["night", "validate", ["data"], ["bayes"], 5, 5, 0, "finished"],
        ["night", "validate", ["data"], ["own_runs:Stopped"], 2, 5, 0, "interrupted"],
    ]
    assert form["runs"][2]["ended"] is None
    assert form["runs"][1]["ended"] >= form["runs"][1]["started"]
    assert all(each["seconds"] > 0 for each in form["runs"])
    report = run("runs", "list").out
    assert "Runs in deep/day\n" in report
    again = f"`tallymark runs resume night {name}` goes on where that run was interrupted."
    assert again in unwrapped(report)
    of_one = run("runs", "list", "night").out
    assert of_one.startswith("Runs in night\n")
    assert of_one.strip() in report
    assert max(map(len, report.splitlines())) <= 80
    assert re.search(rf"{name} +validate +data +own_\S+ +2 of 5 +0 +interrupted +\d\d-\d\d \d\d:", of_one)


def unwrapped(report: str) -> str:
    return " ".join(report.split())


def test_runs_of_other_years_are_listed_with_the_year(run: Any) -> None:
    run(*ASKED, "--model", "bayes")
    changed(started="2019-05-06T12:00:00+00:00")
    assert "2019-05-06\n" in run("runs", "list").out


def changed(**facts: Any) -> Path:
    """Something in the record of the only run."""
    (place,) = Path("night/runs").glob("*.json")
    place.write_text(json.dumps(json.loads(place.read_text()) | facts))
    return place


def test_list_at_80_columns_has_the_names_whole(run: Any) -> None:
    run(*PICKY, "--model", "a model with a very long name=tree")
    name = shown(run)["run"]
    table = text(runs_shown.listed(runs_command._runs_at(".")), 80)
    assert max(map(len, table.splitlines())) <= 80
    assert name in table
    assert "finished" in table


def test_a_folder_of_another_version_is_told_and_the_others_are_listed(run: Any) -> None:
    run(*ASKED, "--model", "bayes")
    Path("old").mkdir()
    Path("old/run-folder.json").write_text('{"schema": "tallymark/run-folder/0"}')
    result = run("runs", "list")
    assert result.code == 0
    assert "'tallymark/run-folder/0'" in result.err
    assert "validate" in result.out


# --- show -------------------------------------------------------------------------------------------------


def test_show(run: Any) -> None:
    run(*PICKY, "--metric", "auc")
    form = shown(run)
    assert form["schema"] == "tallymark/run/1"
    assert form["run_folder"] == "night"
    assert form["arguments"] == [*PICKY, "--metric", "auc"]
    assert form["folder"] == os.getcwd()
    assert [form[key] for key in ("question", "metric", "seed", "done", "total")] == [
        "validate",
        "auc",
        0,
        10,
        10,
    ]
    assert (form["data"][0]["name"], form["data"][0]["rows"]) == ("data", ROWS)
    assert re.fullmatch("[0-9a-f]{8}", form["data"][0]["classes"])
    assert re.fullmatch("[0-9a-f]{32}", form["data"][0]["features"])
    assert re.fullmatch("[0-9a-f]{32}", form["data"][0]["hash"])
    assert (form["test_rows"], form["set_aside"], form["same_test_rows"]) == ([ROWS], [], [])
    assert form["versions"][0]["numpy"] == np.__version__
    report = run("runs", "show", "night").out
    started = datetime.fromisoformat(form["started"]).astimezone()
    for said in (
        f"Run {form['run']}\n",
        "How good is a model on rows it has not seen? By auc; 5-fold cross-validation, stratified; seed 0.",
        "fits        10 of 10, 1 failed",
        f"started     {started:%Y-%m-%d %H:%M:%S}",
        form["data"][0]["hash"],
        f"numpy {np.__version__}",
        "Outcome: auc",
    ):
        assert said in report
    assert "Set aside" not in report
    assert "Other runs" not in report


def test_the_command_can_be_pasted(run: Any) -> None:
    given = (*PICKY, "--missing", 'it\'s "gone"', "--missing", "n/a", "--positive", "1", "--seed", "7")
    run(*given)
    report = run("runs", "show", "night").out
    lines = report.partition(":\n\n")[2].partition("\n\n")[0]
    assert "\\\n" in lines
    assert shlex.split(lines.replace("\\\n", "")) == ["tallymark", *given]


def test_failed_fits_have_their_traceback(run: Any) -> None:
    run(*PICKY)
    (failure,) = shown(run)["failures"]
    assert failure["model"] == "own_runs:Picky"
    assert failure["parameters"] == {}
    assert (failure["n_train"], failure["n_test"]) == (32, 8)
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(X, Y)
    (place,) = (place for place, (_, test) in enumerate(folds) if 0 in test)
    assert (failure["place"], failure["seed"]) == (f"fold {place + 1}", [0, place])
    assert failure["error"].startswith("ValueError: no good")
    assert 'own_runs.py", line' in failure["trace"]
    report = run("runs", "show", "night").out
    assert re.search(rf"own_runs:Picky +{failure['place']} +32 +8 +0 \d +ValueError: no good", report)
    assert f"'own_runs:Picky', {failure['place']}:" in report
    assert "Traceback (most recent call last):" in report


def test_one_traceback_of_each_kind_or_all(run: Any) -> None:
    run(*ASKED, "--model", "bayes", "--model", "own_runs:Hopeless")
    some, every = (run("runs", "show", "night", *more).out for more in ((), ("--all",)))
    assert (some.count("Traceback"), every.count("Traceback")) == (1, 5)
    assert "'own_runs:Hopeless', fold 1, the first of 5 of this kind:" in some
    assert "--all shows every failed fit" in some
    assert "--all" not in every


@pytest.mark.parametrize(
    ("question", "more", "place"),
    [
        ("learn", ("--model", "bayes", "--repeats", "2"), r"repeat [12]"),
        ("tune", ("--model", "bayes", "--method", "nested:3x2"), r"(outer fold \d, inner )?fold \d"),
        (
            "permute",
            ("--method", "kfold:3", "--permutations", "5"),
            r"(real classes|permutation \d), fold \d",
        ),
    ],
    ids=["learn", "tune", "permute"],
)
def test_failed_fits_of_other_questions_say_which_they_are(
    run: Any, question: str, more: tuple[str, ...], place: str
) -> None:
    call = (
        question,
        "data.csv",
        "--target",
        "y",
        "--run-folder",
        "night",
        "--model",
        "own_runs:Picky",
        *more,
    )
    run(*call)
    form = shown(run)
    assert form["failures"]
    for failure in form["failures"]:
        assert re.fullmatch(place, failure["place"]), failure


def test_the_run_asked_for_last_is_shown_unless_one_is_named(run: Any) -> None:
    names = []
    for model in ("bayes", "tree", "knn"):
        run(*ASKED, "--model", model)
        names.append(shown(run)["run"])
    assert len(set(names)) == 3
    run(*ASKED, "--model", "tree")
    assert shown(run)["run"] == names[1]
    assert shown(run, names[2])["run"] == names[2]
    unique = next(
        names[0][:n] for n in range(1, 12) if not any(each.startswith(names[0][:n]) for each in names[1:])
    )
    assert shown(run, unique)["run"] == names[0]
    assert set(shown(run)["same_test_rows"]) == {names[0], names[2]}
    assert "Other runs that were tested on the same rows" in run("runs", "show", "night").out


def test_damaged_fits_are_counted_and_what_is_set_aside_is_shown(run: Any) -> None:
    run(*ASKED, "--model", "bayes")
    first, second, *_ = sorted(Path("night/fits").iterdir())
    first.write_bytes(first.read_bytes()[:100])
    second.unlink()
    assert shown(run)["done"] == 3
    assert "The records of 2 fits are gone or cannot be read" in run("runs", "show", "night").out
    again = run(*ASKED, "--model", "bayes")
    assert f"the record {str(first)!r} cannot be used: it is damaged" in again.err
    assert "3 fits were found in it, 2 made now" in again.err
    (aside,) = shown(run)["set_aside"]
    assert aside["file"].startswith(first.stem)
    assert "damaged" in aside["why"]
    assert aside["file"] in run("runs", "show", "night").out.replace("\n", "")


# --- resume -----------------------------------------------------------------------------------------------


def test_resume_runs_the_command_again(run: Any) -> None:
    name = interrupted(run, "-o", "out.json")
    result = run("runs", "resume", "night")
    assert result.code == 0
    assert result.err.splitlines() == [
        f"tallymark: run {name}: {shlex.join(['tallymark', *STOPPED, '-o', 'out.json'])}",
        "wrote out.json",
        "tallymark: run folder 'night': 2 fits were found in it, 3 made now; `tallymark runs show night` "
        "tells more.",
    ]
    assert json.loads(Path("out.json").read_text())["schema"] == "tallymark/validation/1"
    form = shown(run)
    assert (form["state"], form["arguments"]) == ("finished", [*STOPPED, "-o", "out.json"])


def test_a_finished_run_is_shown_again(run: Any) -> None:
    first = run(*ASKED, "--model", "bayes")
    again = run("runs", "resume", "night")
    assert again.out == first.out
    assert "5 fits were found in it, 0 made now" in again.err


def test_resume_replaces_a_file_only_with_force(run: Any) -> None:
    run(*ASKED, "--model", "bayes", "-o", "out.txt")
    refused = run("runs", "resume", "night")
    assert (refused.code, refused.out) == (2, "")
    assert "out.txt" in refused.err
    Path("out.txt").write_text("old")
    assert run("runs", "resume", "night", "--force").code == 0
    assert Path("out.txt").read_text() != "old"
    assert "--force" not in shown(run)["arguments"]


def test_resume_tries_failed_fits_again(run: Any) -> None:
    assert run(*PICKY).code == 3
    assert run("runs", "resume", "night").code == 3
    Path("good").touch()
    assert run("runs", "resume", "night", "--retry-failed").code == 0


def test_the_unfinished_run_is_resumed(run: Any) -> None:
    name = interrupted(run)
    run(*ASKED, "--model", "bayes")
    assert shown(run)["run"] != name
    assert f"run {name}:" in run("runs", "resume", "night").err


def test_resume_from_elsewhere_in_a_folder_that_was_moved(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(run)
    (tmp_path / "other").mkdir()
    Path("night").rename("other/moved")
    monkeypatch.chdir("other")
    result = run("runs", "resume", "moved")
    assert result.code == 0
    assert f"it runs in {str(tmp_path)!r}, where it was typed." in result.err
    assert (
        f"run folder {str(tmp_path / 'other' / 'moved')!r}: 2 fits were found in it, 3 made now" in result.err
    )
    assert not (tmp_path / "night").exists()
    assert Path.cwd() == tmp_path / "other"


def test_resume_where_the_old_place_is_gone(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "old").mkdir()
    Path("data.csv").rename("old/data.csv")
    monkeypatch.chdir("old")
    run(*ASKED, "--model", "bayes")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old").rename("new")
    monkeypatch.chdir("new")
    result = run("runs", "resume", "night")
    assert result.code == 0
    assert (
        f"the folder it was typed in, {str(tmp_path / 'old')!r}, is gone; it runs here instead." in result.err
    )
    assert shown(run)["folder"] == str(tmp_path / "new")


def test_changed_data_are_refused(run: Any) -> None:
    name = interrupted(run)
    Path("data.csv").write_text(DATA.replace(f"{X[3]},", "9.5,", 1))
    result = run("runs", "resume", "night")
    assert (result.code, result.out) == (2, "")
    assert f"what is asked now is not run {name!r}: the data" in result.err.splitlines()[-1]
    assert [shown(run)[key] for key in ("run", "state", "done")] == [name, "interrupted", 2]


# --- what cannot be done ----------------------------------------------------------------------------------


def refused(run: Any, *arguments: str) -> str:
    result = run("runs", *arguments)
    assert (result.code, result.out) == (2, "")
    *_, last = result.err.splitlines()
    return str(last.removeprefix("tallymark: "))


def test_folders_that_are_none(run: Any) -> None:
    made = "--run-folder FOLDER of validate, tune, learn and permute."
    for name in ("show", "resume"):
        assert refused(run, name, "nix") == f"'nix' is not there. Hint: a run folder is made by {made}"
        assert refused(run, name, ".") == f"'.' is no run folder. Hint: a run folder is made by {made}"
    holds = "Hint: name a run folder, or a folder that holds some."
    assert refused(run, "list", "nix") == f"'nix' is not there. {holds}"
    assert refused(run, "list", "data.csv") == f"'data.csv' is a file. {holds}"
    assert refused(run, "list") == f"there is no run folder in '.'. Hint: it is made by {made}"
    run(*ASKED, "--model", "bayes")
    assert refused(run, "show", ".") == "'.' is no run folder. Hint: name a run folder in it: 'night'."


def test_runs_that_are_none(run: Any) -> None:
    run(*ASKED, "--model", "bayes")
    name = shown(run)["run"]
    assert refused(run, "show", "night", "xyz") == (
        f"there is no run 'xyz' in the run folder 'night'. Hint: there is {name}."
    )
    place = Path(f"night/runs/{name}.json")
    twin = f"{name[:3]}000000000"
    Path(f"night/runs/{twin}.json").write_text(place.read_text().replace(name, twin))
    both = ", ".join(sorted([name, twin]))
    assert refused(run, "show", "night", name[:3]) == (
        f"2 runs begin with {name[:3]!r}: {both}. Hint: give more of it."
    )
    place.write_text("{")
    assert refused(run, "show", "night", name[:5]) == (
        f"the record of run {name[:5]!r} in the run folder 'night' cannot be read. Hint: ask the same again "
        "with that --run-folder: the fits that are in it are found."
    )
    for each in Path("night/runs").iterdir():
        each.unlink()
    assert refused(run, "show", "night").startswith("nothing was asked in the run folder 'night' yet.")
    assert refused(run, "show", "night", "a").startswith("there is no run 'a' in the run folder 'night'.")
    assert refused(run, "list", "night").startswith("there is no run that can be read in 'night'.")


def test_another_versions_folder(run: Any) -> None:
    Path("night").mkdir()
    Path("night/run-folder.json").write_text('{"schema": "tallymark/run-folder/9"}')
    for name in ("list", "show", "resume"):
        assert "is of the kind 'tallymark/run-folder/9'" in refused(run, name, "night")


def test_what_cannot_be_resumed(run: Any) -> None:
    import tallymark as tm

    tm.validate("bayes", X[:, None], Y, cv=3, run_folder="python")
    assert "was asked for from Python" in refused(run, "resume", "python")
    assert "Python, in" in run("runs", "show", "python").out
    run(*(word.replace("data.csv", "-") for word in ASKED), "--model", "bayes", stdin=DATA)
    assert refused(run, "resume", "night").endswith(
        "read its data from standard input, which is gone. Hint: run the same command again, with the same "
        "data."
    )
    for name, more in {"day": ("--data", "a=data.csv", "--data", "b=-"), "noon": ("data.csv",)}.items():
        run("validate", *more, "--target", "y", "--model", "bayes", "--run-folder", name, stdin=DATA)
    assert "standard input" in refused(run, "resume", "day")
    (place,) = Path("noon/runs").glob("*.json")
    record = json.loads(place.read_text())
    place.write_text(json.dumps(record | {"arguments": ["evaluate", "-o", "data.csv", "--force"]}))
    assert "has no command of validate, tune, learn, permute in it" in refused(run, "resume", "noon")


def test_what_runs_is_not_resumed(run: Any) -> None:
    from tallymark.validation.runs.presence import Presence

    name = interrupted(run)
    process = Presence(Path("night/at_work"))
    place = Path(f"night/runs/{name}.json")
    place.write_text(json.dumps(json.loads(place.read_text()) | {"at_work": [process.name]}))
    try:
        assert shown(run)["state"] == "running"
        said = refused(run, "resume", "night")
    finally:
        process.leave()
    assert said == (
        f"run {name} is running, in another process. Hint: to help it, run the same command beside it, in "
        f"{os.getcwd()!r}: `{shlex.join(['tallymark', *STOPPED])}`."
    )
    assert run("runs", "resume", "night").code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("runs", "lst"),
            "there is no command 'lst' of `tallymark runs`. Hint: the commands are list, show, resume.",
        ),
        (("runs", "show"), "FOLDER is missing. Hint: `tallymark runs --help` shows how it is used."),
        (
            ("validate", "data.csv", "--target", "y", "--model", "bayes", "--retry-failed"),
            "--retry-failed is about fits that failed in a run folder, and none is named. Hint: give "
            "--run-folder FOLDER.",
        ),
        (
            ("validate", "data.csv", "--target", "y", "--model", "bayes", "--run-folder", ""),
            "--run-folder is the path of a folder; got ''. Hint: name a folder.",
        ),
        (
            ("validate", "data.csv", "--target", "y", "--model", "bayes", "--run-folder", "."),
            "'.' is a folder with other things in it, and no run folder. Hint: name a new folder, or an "
            "empty one.",
        ),
        (
            ("validate", "data.csv", "--target", "y", "--model", "bayes", "--run-folder", "data.csv"),
            "the run folder 'data.csv' is a file. Hint: name a folder.",
        ),
    ],
    ids=["command", "folder", "retry", "empty", "other things", "file"],
)
def test_bad_calls(run: Any, arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert (result.code, result.out, result.err) == (2, "", f"tallymark: {message}\n")


# --- help -------------------------------------------------------------------------------------------------


def test_runs_alone_is_its_help(run: Any) -> None:
    assert run("runs").out == run("runs", "--help").out
    assert re.search(r"list.*\n.*show.*\n.*resume", run("runs").out)


def examples(name: str) -> list[str]:
    epilog = runs_command.command.commands[name].epilog or ""
    return [line.strip() for line in epilog.splitlines() if line.startswith("  ")]


def pasted(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What a shell makes of the line."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", f"set -eo pipefail; {line}"],
        capture_output=True, text=True, cwd=folder, timeout=60, env=os.environ | {"PATH": path},
    )  # fmt: skip


@pytest.mark.parametrize("name", ["list", "show", "resume"])
def test_examples_work_when_pasted(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    lines = examples(name)
    assert lines
    assert len(" ".join((runs_command.command.commands[name].help or "").split())) > 100
    for place, line in enumerate(lines):
        assert f"\n    {line}\n" in run("runs", name, "--help").out
        folder = tmp_path / str(place)
        folder.mkdir()
        monkeypatch.chdir(folder)
        # Only the data come from a shell: a new Python for every step would take most of the time.
        data, *commands = re.split(r"(?: \||;) tallymark ", line)
        piped = pasted(data, folder).stdout
        for command in commands:
            done = run(*shlex.split(command), stdin=piped)
            assert done.code == 0, done.err
        assert shlex.split(command)[:2] == ["runs", name]
        assert done.out
        assert name == "resume" or not done.err


def test_an_example_works_in_a_shell(tmp_path: Path) -> None:
    done = pasted(examples("resume")[0], tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout
