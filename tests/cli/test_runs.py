"""`--run-folder` and `tallymark runs`: what was interrupted goes on, and one can see how far it is."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

import tallymark as tm
from command_lines import calls, held, is_one_line, shown

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


class Helped(GaussianNB):
    """A second process that lives has a look while this one is at work."""

    def fit(self, X, y):
        if os.path.exists("look"):
            os.remove("look")
            LOOK()
        return super().fit(X, y)
'''
ASKED = "validate data.csv --target y --method kfold:5 --run-folder night"
BAYES = f"{ASKED} --model bayes"
STOPPED = f"{ASKED} --model own_runs:Stopped"
PICKY = f"{ASKED} --model bayes --model own_runs:Picky"
HOPELESS = f"{ASKED} --model own_runs:Hopeless"


@pytest.fixture(autouse=True)
def here(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Data and models in the current folder; the module is imported anew in each test."""
    Path("data.csv").write_text(DATA)
    Path("own_runs.py").write_text(MODULE.replace("FIRST", str(X[0])))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_runs", raising=False)
    monkeypatch.setattr(sys, "path", list(sys.path))


def interrupted(run: Any, *more: str, at: int = 2) -> str:
    """The name of a run that was stopped after so many fits."""
    Path("stop").write_text(str(at))
    result = run(STOPPED, *more)
    Path("stop").unlink()
    assert (result.code, result.out) == (130, "")
    found = re.search(r"runs resume night (\w{12})`", result.err)
    assert found
    return found[1]


def form(run: Any, *more: str) -> Any:
    return run("runs show night --json", *more).json


def counts(err: str) -> tuple[int, int]:
    """Fits found and made, as the last line says."""
    found = re.search(r"(\d+) fits? (?:was|were) found in it, (\d+) made now", err)
    assert found, err
    return int(found[1]), int(found[2])


def timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: timeless(each) for key, each in value.items() if "seconds" not in key}
    return [timeless(each) for each in value] if isinstance(value, list) else value


def changed(**facts: Any) -> Path:
    """Something in the record of the only run."""
    (place,) = Path("night/runs").glob("*.json")
    place.write_text(json.dumps(json.loads(place.read_text()) | facts))
    return place


def steady(text: str) -> str:
    """Without what is another on every machine and at every time."""
    for pattern, word in (
        (re.escape(str(Path.cwd().parent)) + r"/\w+", "HERE"),
        (re.escape(str(Path.cwd())), "HERE"),
        (r"\b[0-9a-f]{32}(-[0-9a-f]{8})?", "HASH"),
        (r"\b(?=[0-9a-f]*\d)[0-9a-f]{12}\b", "RUN"),
        (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "2026-01-01 00:00:00"),
        (r"\b\d\d-\d\d \d\d:\d\d\b", "01-01 00:00"),
        (r"\S+ (s|min)( \d+ s)?, all fits together", "T s, all fits together"),
        (r"python \d[\w.+-]*,\s+numpy \S+\s+scipy \S+\s+scikit-learn \S+\s+tallymark \S+", "VERSIONS"),
        (r"in\s'HERE'", "in 'HERE'"),
        (r"  Traceback \(most.*?\n(?=    *\w*Error: |  \w*Error: )", "  Traceback ...\n"),
    ):
        text = re.sub(pattern, word, text, flags=re.DOTALL)
    return text


# --- with a run folder --------------------------------------------------------------------------------


def test_the_end_says_what_was_found_and_made(run: Any, snapshot: Any) -> None:
    first, again = run(BAYES), run(BAYES)
    assert (counts(first.err), counts(again.err), first.code, again.code) == ((0, 5), (5, 0), 0, 0)
    assert again.out == first.out
    assert run(BAYES, "--quiet").err == ""
    assert counts(run(BAYES, "--model", "tree", "--metric", "accuracy").err) == (5, 5), (
        "what two commands share"
    )
    failed = run(PICKY, "--metric", "accuracy")
    assert (failed.code, counts(failed.err)) == (3, (5, 5))
    assert "--retry-failed" in run(PICKY, "--quiet", "--metric", "accuracy").err
    Path("good").touch()
    assert run(PICKY, "--metric", "accuracy").code == 3
    mended = run(PICKY, "--metric", "accuracy", "--retry-failed")
    assert (mended.code, counts(mended.err)) == (0, (9, 1))
    hopeless = [run(HOPELESS) for _ in range(2)]
    assert [(each.code, counts(each.err)) for each in hopeless] == [(2, (0, 5)), (2, (5, 0))]
    stopped = form(run)
    assert (stopped["state"], stopped["failed"], stopped["outcome"]) == ("stopped", 5, None)
    assert stopped["error"] in hopeless[0].err
    Path("stop").write_text(str(len(os.listdir("night/fits"))))
    interrupts = {
        "interrupted": run(STOPPED),
        "interrupted, of standard input": run(STOPPED.replace("data.csv", "-"), stdin=DATA),
        "interrupted without a run folder": run(STOPPED.replace("--run-folder night", "")),
    }
    assert {(each.code, each.out) for each in interrupts.values()} == {(130, "")}
    ends = {"new": first, "again": again, "with failures": failed, "all fail": hopeless[0]}
    ends |= {"all failed before": hopeless[1], **interrupts}
    snapshot("runs_ends", {name: steady(end.err) for name, end in ends.items()})


def test_an_interrupted_run_goes_on_and_is_the_same(run: Any) -> None:
    undisturbed = run(STOPPED.replace("--run-folder night", ""), "--json").json
    name = interrupted(run, "--json")
    assert [form(run)[key] for key in ("run", "state", "done", "total")] == [name, "interrupted", 2, 5]
    again = run(STOPPED, "--json")
    assert counts(again.err) == (2, 3)
    assert timeless(json.loads(again.out)) == timeless(undisturbed)
    assert [form(run)[key] for key in ("run", "state", "done")] == [name, "finished", 5]


@pytest.mark.thorough
def test_killed_runs_and_runs_whose_worker_died_go_on(run: Any, snapshot: Any) -> None:
    """In processes of their own: workers that another test has started are in its folder, with its models."""
    here = os.environ | {"PYTHONPATH": os.getcwd()}

    def start(line: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tallymark", *shlex.split(line)]
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=here)

    Path("kill").write_text("3")
    assert start(STOPPED).returncode == -signal.SIGKILL
    assert [form(run)[key] for key in ("state", "done")] == ["interrupted", 3]
    died = start(f"{STOPPED} --jobs 2 --seed 1")
    assert died.returncode == 2
    Path("kill").unlink()
    stopped = form(run)
    assert (stopped["state"], stopped["seed"]) == ("stopped", 1)
    # joblib's resource tracker, a process of its own, may warn of what the dead worker left.
    *_, last = (line for line in died.stderr.splitlines() if line.startswith("tallymark: "))
    snapshot("runs_dead_workers", {"the error": last})
    assert [start("runs resume night").returncode for _ in range(2)] == [0, 0], "both of them"
    assert {each["state"] for each in run("runs list --json").json["runs"]} == {"finished"}


@pytest.mark.parametrize("question", ["tune", "learn", "permute"])
def test_the_other_commands_have_run_folders_too(run: Any, question: str) -> None:
    """And say of a failed fit which it was."""
    short, place = {
        "tune": ("--method nested:3x2", r"(outer fold \d(, inner fold \d)?|fold \d|all rows)"),
        "learn": ("--repeats 2", r"repeat [12]"),
        "permute": ("--permutations 5 --method kfold:3", r"(real classes|permutation \d), fold \d"),
    }[question]
    call = f"{question} data.csv --target y --run-folder night --json {short} --model"
    first, again = run(f"{call} bayes"), run(f"{call} bayes")
    (found, made), later = counts(first.err), counts(again.err)
    assert (found, later) == (0, (later[0], 0))
    assert made >= later[0] - 1 > 0
    assert timeless(json.loads(again.out)) == timeless(json.loads(first.out))
    told = form(run)
    assert (told["question"], told["state"], told["failed"]) == (question, "finished", 0)
    assert told["outcome"]
    run(f"{call} own_runs:Picky")
    failures = form(run)["failures"]
    assert failures
    assert [each["place"] for each in failures if not re.fullmatch(place, each["place"])] == []


# --- list and show ----------------------------------------------------------------------------------------


def test_list(run: Any, snapshot: Any) -> None:
    run(BAYES)
    run(PICKY.replace("night", "deep/day"), "--model", "a model with a very long name=tree")
    interrupted(run, at=7)
    Path(".hidden").mkdir()
    for place in (".hidden/f", "night/fits/g", "a/b/c"):
        tm.validate("bayes", X[:, None], Y, cv=2, run_folder=place)
    for place in Path("night/fits").glob("g"):
        for file in sorted(place.rglob("*"), reverse=True):
            file.rmdir() if file.is_dir() else file.unlink()
        place.rmdir()
    told = run("runs list --json").json
    assert told["schema"] == "tallymark/runs/1"
    names = ("run_folder", "question", "data", "models", "done", "total", "failed", "state")
    models = ["bayes", "own_runs:Picky", "a model with a very long name"]
    assert [[each[key] for key in names] for each in told["runs"]] == [
        ["deep/day", "validate", ["data"], models, 15, 15, 1, "finished"],
        ["night", "validate", ["data"], ["bayes"], 5, 5, 0, "finished"],
        ["night", "validate", ["data"], ["own_runs:Stopped"], 2, 5, 0, "interrupted"],
    ]
    assert (told["runs"][2]["ended"], told["runs"][1]["ended"] >= told["runs"][1]["started"]) == (None, True)
    assert all(each["seconds"] > 0 for each in told["runs"])
    assert [each["run_folder"] for each in run("runs list a --json").json["runs"]] == ["a/b/c"]
    report, one = run("runs list").out, run("runs list night").out
    assert one.strip() in report
    assert max(map(len, report.splitlines())) <= 80
    assert all(each["run"] in report for each in told["runs"]), "names are whole"
    snapshot("runs_list", {"two folders": steady(report)})


def test_lists_are_quick_and_logs_that_say_less_are_read_too(run: Any) -> None:
    """Records are opened only of fits that failed, or where the log does not say."""
    run(PICKY)
    seconds = run("runs list --json").json["runs"][0]["seconds"]
    assert seconds == pytest.approx(form(run)["seconds"], rel=1e-4)
    (log,) = Path("night/runs").glob("*.log")
    lines = log.read_text().splitlines()
    log.write_text("".join(f"{line.split()[0]}\n" for line in lines) + "gone 0.25\n")
    (less,) = run("runs list --json").json["runs"]
    assert (less["done"], less["failed"]) == (10, 1)
    assert less["seconds"] == pytest.approx(seconds, rel=1e-4)
    sound = next(line for line in lines if not line.endswith("failed"))
    log.write_text("".join(f"{line}\n" for line in lines).replace(sound, f"{sound.split()[0]} 3 failed"))
    assert run("runs list --json").json["runs"][0]["failed"] == 1, "it may have been mended by another run"
    changed(started="2019-05-06T12:00:00+00:00")
    assert "2019-05-06\n" in run("runs list").out, "of other years with the year"


def test_show(run: Any, snapshot: Any) -> None:
    pasted = f"""{PICKY} --metric auc --missing 'it'"'"'s "gone"' --missing n/a --positive 1 --seed 7"""
    texts = {}
    run(pasted)
    told = form(run)
    assert (told["schema"], told["run_folder"], told["folder"]) == ("tallymark/run/1", "night", os.getcwd())
    assert told["arguments"] == shlex.split(pasted)
    names = ("question", "metric", "seed", "done", "total", "failed")
    assert [told[name] for name in names] == ["validate", "auc", 7, 10, 10, 1]
    (data,) = told["data"]
    assert (data["name"], data["rows"]) == ("data", ROWS)
    assert [len(data[name]) for name in ("classes", "features", "hash")] == [8, 32, 32]
    assert (told["test_rows"], told["set_aside"], told["same_test_rows"]) == ([ROWS], [], [])
    assert told["versions"][0]["numpy"] == np.__version__
    (failure,) = told["failures"]
    folds = StratifiedKFold(5, shuffle=True, random_state=7).split(X, Y)
    (fold,) = (place for place, (_, test) in enumerate(folds) if 0 in test)
    assert (failure["model"], failure["parameters"]) == ("own_runs:Picky", {})
    assert (failure["n_train"], failure["n_test"]) == (32, 8)
    assert (failure["place"], failure["seed"]) == (f"fold {fold + 1}", [7, fold])
    assert failure["error"].startswith("ValueError: no good")
    assert 'own_runs.py", line' in failure["trace"]
    report = run("runs show night").out
    lines = report.partition(":\n\n")[2].partition("\n\n")[0]
    assert "\\\n" in lines
    assert shlex.split(lines.replace("\\\n", "")) == ["tallymark", *shlex.split(pasted)]
    texts["with a failure"] = report
    run(HOPELESS, "--model", "bayes")
    some, every = (run("runs show night", *more).out for more in ((), ("--all",)))
    assert (some.count("Traceback"), every.count("Traceback"), "--all" in every) == (1, 5, False)
    texts["one traceback of each kind"] = some
    name = interrupted(run, at=len(os.listdir("night/fits")) + 1)
    texts["interrupted"] = run("runs show night", name).out
    run(HOPELESS)
    texts["stopped"] = run("runs show night").out
    tm.validate("bayes", X[:, None], Y, cv=3, run_folder="python")
    texts["from Python"] = run("runs show python").out
    grid = "data.csv --target y --param var_smoothing=1e-9,0.1 --method nested:3x2 --run-folder tuned --model"
    run(f"tune {grid} own_runs:Stopped")
    texts["tuned"] = run("runs show tuned").out
    run(f"tune {grid} own_runs:Picky")
    texts["tuned, with failures"] = run("runs show tuned").out
    files = "--data a=data.csv --data b=data.csv --target y"
    run(f"validate {files} --model own_runs:Picky --run-folder two --method kfold:2")
    texts["two data sets"] = run("runs show two").out
    snapshot("runs_show", {case: steady(text) for case, text in texts.items()})


def test_the_run_asked_for_last_is_shown_unless_one_is_named(run: Any) -> None:
    names = []
    for model in ("bayes", "tree", "knn"):
        run(f"{ASKED} --model {model}")
        names.append(form(run)["run"])
    assert len(set(names)) == 3
    run(f"{ASKED} --model tree")
    assert form(run)["run"] == names[1]
    assert form(run, names[2])["run"] == names[2]
    unique = next(
        names[0][:n] for n in range(1, 12) if not any(each.startswith(names[0][:n]) for each in names[1:])
    )
    assert form(run, unique)["run"] == names[0]
    assert set(form(run)["same_test_rows"]) == {names[0], names[2]}
    run(f"{ASKED} --model bayes --method holdout:1/2")
    assert form(run)["same_test_rows"] == []


def test_damaged_fits_are_counted_and_what_is_set_aside_is_shown(run: Any, snapshot: Any) -> None:
    run(BAYES)
    first, second, third, *_ = sorted(Path("night/fits").iterdir())
    whole = first.read_bytes()
    first.write_bytes(whole[:100])
    second.unlink()
    assert form(run)["done"] == 3
    texts = {"damaged": run("runs show night").out}
    assert counts(run(BAYES).err) == (3, 2)
    (aside,) = form(run)["set_aside"]
    assert (aside["file"].startswith(first.stem), "damaged" in aside["why"]) == (True, True)
    with zipfile.ZipFile(third) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    record = json.loads(parts["record.json"])
    facts = record["versions"] | {"numpy": "1.0"}
    with zipfile.ZipFile(third, "w") as file:
        for name, content in (parts | {"record.json": json.dumps(record | {"versions": facts})}).items():
            file.writestr(name, content)
    assert sorted(each["numpy"] == "1.0" for each in form(run)["versions"]) == [False, True]
    Path("night/set_aside", f"{first.stem}.mended.npz").write_bytes(whole)
    for number in range(10):
        Path("night/set_aside", f"run{number}.json").write_text("{")
    texts["set aside"] = run("runs show night").out
    snapshot("runs_damaged", {case: steady(text) for case, text in texts.items()})


# --- records that were edited -------------------------------------------------------------------------------

KINDS = [None, True, 3, "text", [], [None], ["a", 3], {}, {"a": None}, [{}], ["../x"], ["a", "\0"]]


def test_edited_records_are_told_and_left_out_or_shown(run: Any) -> None:
    """All in one folder: each is either left out, or it can be looked at."""
    run(BAYES)
    (place,) = Path("night/runs").glob("*.json")
    sound = json.loads(place.read_text()) | {"chosen": None}
    data, model = sound["data"][0], sound["models"][0]
    odd = [(name, value) for name in sound for value in KINDS]
    odd += [("data", [data | {name: 3.5}]) for name in data]
    for name in (*model, "parameters"):
        odd += [("models", [model | {name: 3.5}]), ("chosen", model | {name: 3.5})]
    odd += [("data", [data, data]), ("run", "a/../aa"), ("chosen", model), ("outcome", {"d": 0.5})]
    place.unlink()
    for number, (name, value) in enumerate(odd):
        called = f"r{number:011}"
        Path(f"night/runs/{called}.json").write_text(json.dumps({**sound, "run": called, name: value}))
    result = run("runs list --json")
    left_out = result.err.splitlines()
    listed = [each["run"] for each in json.loads(result.out)["runs"]]
    assert len(listed) + len(left_out) == len(odd)
    assert (result.code, len(left_out) > 150, len(listed) > 50) == (0, True, True)
    assert f"r{len(odd) - 2:011}" in listed
    assert run("runs list").code == 0
    others = Path("night/others")
    Path("night/runs").rename(others)
    Path("night/runs").mkdir()
    for name in listed:
        (others / f"{name}.json").rename(f"night/runs/{name}.json")
    wrong = []
    for name in listed:
        forms = [run(f"runs show night {name}", *more) for more in ((), ("--json",))]
        wrong += [name for each in forms if each.code or each.err or not each.out]
    assert wrong == []


def test_an_edited_record_is_set_aside_when_the_same_is_asked(run: Any) -> None:
    run(BAYES)
    name = form(run)["run"]
    place = changed(data=None)
    odd = place.read_bytes()
    for call in ("list", "show night", f"show night {name} --json", "resume night"):
        result = run(f"runs {call}")
        assert (result.code, result.out) == (2, ""), call
        assert str(place) in result.err.splitlines()[0]
    assert place.read_bytes() == odd
    again = run(BAYES)
    assert (again.code, counts(again.err), form(run)["state"]) == (0, (5, 0), "finished")
    assert [each.read_bytes() for each in Path("night/set_aside").iterdir()] == [odd]
    Path("night/runs/bb.json").write_text("{")
    Path("old").mkdir()
    Path("old/run-folder.json").write_text('{"schema": "tallymark/run-folder/0"}')
    for call, lines in ((f"{ASKED} --model tree --quiet", 1), ("runs show night", 1), ("runs list", 2)):
        result = run(call)
        assert (result.code, len(result.err.splitlines())) == (0, lines), "once, and the others are listed"


def test_a_failed_fit_that_does_not_say_what_it_is(run: Any) -> None:
    run(PICKY)
    for place in Path("night/fits").iterdir():
        with zipfile.ZipFile(place) as file:
            parts = {name: file.read(name) for name in file.namelist()}
        record = json.loads(parts["record.json"])
        if record.pop("failure") is not None:
            del record["identity"]
            with zipfile.ZipFile(place, "w") as file:
                for name, content in (parts | {"record.json": json.dumps(record)}).items():
                    file.writestr(name, content)
    told = form(run)
    assert (told["done"], told["failed"], run("runs list").code) == (9, 0, 0)
    again = run(PICKY)
    assert counts(again.err) == (9, 1)
    assert len(list(Path("night/set_aside").iterdir())) == 1


# --- resume -----------------------------------------------------------------------------------------------


def test_resume_runs_the_command_again(run: Any, snapshot: Any) -> None:
    texts = {}
    interrupted(run, "-o", "out.json")
    run(BAYES)
    result = run("runs resume night")
    assert (result.code, counts(result.err)) == (0, (2, 3)), "the unfinished one"
    texts["interrupted"] = result.err
    assert json.loads(Path("out.json").read_text())["schema"] == "tallymark/validation/1"
    told = form(run)
    assert (told["state"], told["arguments"]) == ("finished", shlex.split(f"{STOPPED} -o out.json"))
    first = run(BAYES)
    again = run("runs resume night")
    assert (again.out, counts(again.err)) == (first.out, (5, 0)), "a finished run is shown again"
    run(BAYES, "-o", "out.txt")
    refused = run("runs resume night")
    assert (refused.code, refused.out, "out.txt" in refused.err) == (2, "", True)
    Path("out.txt").write_text("old")
    assert run("runs resume night --force").code == 0
    assert Path("out.txt").read_text() != "old"
    assert "--force" not in form(run)["arguments"]
    assert [run(PICKY).code, run("runs resume night").code] == [3, 3]
    Path("good").touch()
    assert run("runs resume night --retry-failed").code == 0
    snapshot("runs_resume", {case: steady(text) for case, text in texts.items()})


def test_resume_from_elsewhere_and_where_the_old_place_is_gone(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(run)
    Path("other").mkdir()
    Path("night").rename("other/moved")
    monkeypatch.chdir("other")
    result = run("runs resume moved")
    assert (result.code, counts(result.err)) == (0, (2, 3))
    assert str(tmp_path) in result.err.splitlines()[1]
    assert not (tmp_path / "night").exists()
    assert Path.cwd() == tmp_path / "other"
    monkeypatch.chdir(tmp_path)
    Path("old").mkdir()
    Path("data.csv").rename("old/data.csv")
    monkeypatch.chdir("old")
    run(BAYES)
    monkeypatch.chdir(tmp_path)
    Path("old").rename("new")
    monkeypatch.chdir("new")
    result = run("runs resume night")
    assert (result.code, str(tmp_path / "old") in result.err) == (0, True)
    assert form(run)["folder"] == str(tmp_path / "new")


def test_changed_data_are_refused(run: Any) -> None:
    name = interrupted(run)
    Path("data.csv").write_text(DATA.replace(f"{X[3]},", "9.5,", 1))
    result = run("runs resume night")
    assert (result.code, result.out, name in result.err.splitlines()[-1]) == (2, "", True)
    assert [form(run)[key] for key in ("run", "state", "done")] == [name, "interrupted", 2]


def test_a_run_that_another_process_is_at_is_not_resumed(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is looked at from within the model that is fitted."""
    import own_runs

    looked: list[Any] = []

    def look() -> None:
        name = tm.RunFolder("night").runs()[0]["run"]
        command = [sys.executable, "-m", "tallymark", "runs"]
        for call in (["show", "night", "--json"], ["resume", "night"]):
            looked.append(subprocess.run([*command, *call], capture_output=True, text=True))
        looked.append(name)

    monkeypatch.setattr(own_runs, "LOOK", look, raising=False)
    Path("look").touch()
    assert run(f"{ASKED} --model own_runs:Helped").code == 0
    show, resume, name = looked
    assert json.loads(show.stdout)["state"] == "running"
    assert (resume.returncode, resume.stdout) == (2, "")
    assert name in resume.stderr
    assert form(run)["state"] == "finished"


# --- what cannot be done ----------------------------------------------------------------------------------


def test_what_cannot_be_done(run: Any, snapshot: Any) -> None:
    said: dict[str, str] = {}

    def refuse(text: str, which: str = "") -> None:
        before = held()
        for call, words in calls(text).items():
            result = run("", *words)
            assert (result.code, result.out) == (2, ""), call
            assert is_one_line(result.err), result.err
            said[f"{call}{which}"] = steady(result.err)
        assert held() == before

    refuse("""
        runs lst
        runs {show|resume}
        runs list
        runs {list|show|resume} nix
        runs list data.csv
        runs {show|resume} .
        runs show data.csv
        validate data.csv --target y --model bayes --retry-failed
        """)
    tm.validate("bayes", X[:, None], Y, cv=3, run_folder="python")
    run(BAYES.replace("data.csv", "-"), stdin=DATA)
    run("validate --data a=data.csv --data b=- --target y --model bayes --run-folder day", stdin=DATA)
    refuse("""
        runs resume {python|night|day}
        runs show night xyz
        """)
    refuse("runs show .", ", which holds some")
    name = form(run)["run"]
    assert "resume" not in shown(run("runs show night").out), "standard input is gone"
    place = changed(arguments=["evaluate", "-o", "data.csv", "--force"])
    refuse("runs resume night", ", whose command is another")
    twin = f"{name[:3]}000000000"
    Path(f"night/runs/{twin}.json").write_text(place.read_text().replace(name, twin))
    assert run(f"runs show night {name[:3]}").code == 2
    assert form(run, name[:4] if name[3] != "0" else name)["run"] == name
    Path(f"night/runs/{twin}.json").unlink()
    place.write_text("{")
    result = run(f"runs show night {name[:5]}")
    assert (result.code, len(result.err.splitlines())) == (2, 2)
    place.unlink()
    refuse("runs {show|list} night", ", where nothing was asked")
    refuse("runs show night a", ", where nothing was asked")
    Path("night/run-folder.json").write_text('{"schema": "tallymark/run-folder/9"}')
    refuse("runs {list|show|resume} night", ", of another version")
    version = tm.__version__
    snapshot("cli_errors_runs", {call: text.replace(version, "VERSION") for call, text in said.items()})
