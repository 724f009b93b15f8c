"""`check`: exit codes, where the outcome goes, and what pyproject.toml says in its place."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from command_lines import write


def rows(hits: int, misses: int, alarms: int, rest: int) -> str:
    """A table with so many rows of each kind."""
    counts = {"1,1": hits, "1,0": misses, "0,1": alarms, "0,0": rest}
    return "y,p\n" + "".join(f"{row}\n" * times for row, times in counts.items())


# Two models on the same 400 rows: recall is 80/100 and 81/100; the new model misses one row more.
FILES = {"new.csv": rows(80, 20, 30, 270), "main.csv": rows(81, 19, 30, 270)}
NEW = "new.csv --actual y --predicted p"
FAILING = f"{NEW} --require 'recall >= 0.75'"


@pytest.fixture
def check(run: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Calls `tallymark check`; away from GitHub."""
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    write(FILES)
    return lambda line="", **more: run(f"check {line}", **more)


def outcomes(result: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(result.out)["outcomes"]
    return found


def test_exit_codes(check: Any, run: Any) -> None:
    """Wilson's interval of 80 in 100 begins at 0.7112; of 30 in 300 it ends below 0.15."""
    for command, suffix in (("evaluate", "json"), ("tally", "tally")):
        for name in ("new", "main"):
            line = f"{command} {name}.csv --actual y --predicted p -o {name}.{suffix}"
            assert run(line).code == 0
    form = json.loads(Path("new.json").read_text())
    files = {
        "pretty.json": json.dumps(form, indent=1, sort_keys=True),
        "rows.json": '[{"y": 1, "p": 1}, {"y": 0, "p": 0}]',
        "lines.json": '{"y": 1, "p": 1}\n{"y": 0, "p": 0}\n',
        "one.csv": "id,y,p\n" + "".join(f"{place},{place % 2},{place % 2}\n" for place in range(60)),
        "two.csv": "id,y,p\n" + "".join(f"{place},{place % 2},{place % 2}\n" for place in range(59, -1, -1)),
    }
    write(files)
    no_worse = f"{NEW} --baseline main.csv --no-worse recall"
    cases = {
        f"{NEW} --require 'recall >= 0.71' --require 'fpr<=15%'": 0, f"{NEW} --require 'recall >= 0.712'": 1,
        f"{FAILING} --require 'accuracy >= 0.8'": 1,
        f"{NEW} --require 'recall >= 0.712' --confidence 0.9": 0,
        f"{NEW} --require 'recall.value <= 0.8'": 0, f"{NEW} --require 'recall.value < 0.8'": 1,
        # against a baseline, row by row, and by its values alone
        no_worse: 1, f"{no_worse} --margin 0.1": 0, f"{no_worse} --margin 0.1 --other-rows": 1,
        "one.csv --actual y --predicted p --baseline two.csv --no-worse 'accuracy by 0.2'": 0,
        f"{NEW} --baseline main.json --no-worse recall.value --margin 0.01": 0,
        f"{NEW} --baseline main.json --no-worse recall.value --margin 0.005": 1,
        f"{NEW} --baseline main.tally --no-worse recall.value --margin 0.01": 0,
        f"{NEW} --baseline main.tally --no-worse recall.value --margin 0.005": 1,
        # what was evaluated or counted before, a matrix, and rows in JSON
        "new.json --require 'recall >= 0.7'": 0, "pretty.json --require 'recall >= 0.75'": 1,
        "new.tally --require 'recall >= 0.7'": 0,
        "--matrix '80 20; 30 270' --labels yes,no --require 'recall >= 0.7'": 0,
        "--matrix '80 20; 30 270' --labels yes,no --require 'recall >= 0.75'": 1,
        "rows.json --actual y --predicted p --require 'recall.value >= 1'": 0,
        "lines.json --actual y --predicted p --require 'recall.value >= 1'": 0,
    }  # fmt: skip
    found = {line: check(f"{line} --json") for line in cases}
    assert {line: (result.code, result.err) for line, result in found.items()} == {
        line: (code, "") for line, code in cases.items()
    }
    assert {json.loads(result.out)["passed"] == (result.code == 0) for result in found.values()} == {True}
    for name, code in {"new.json": 1, "new.csv --actual y --predicted p": 1}.items():
        content = Path(name.partition(" ")[0]).read_bytes()
        piped = check(
            f"{name.replace(name.partition(' ')[0], '-')} --require 'recall >= 0.75'", stdin=content
        )
        assert piped.code == code, name
    [paired] = outcomes(found[f"{no_worse} --margin 0.1"])
    assert (paired["kind"], paired["paired"]) == ("difference", True)
    assert paired["estimate"]["value"] == pytest.approx(-0.01)
    # slices in requirements need not be asked for twice
    write({"sliced.csv": "y,p,sex\n" + "1,1,f\n" * 30 + "1,0,m\n" * 5 + "1,1,m\n" * 5})
    result = check("sliced.csv --actual y --predicted p --labels 0,1 --require 'recall[sex] >= 0.8' --json")
    assert [each["passed"] for each in outcomes(result)] == [True, False]


class Left(io.StringIO):
    """A pipe whose reader has gone."""

    def write(self, _: str) -> int:
        raise BrokenPipeError


def test_where_the_outcome_goes(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = check(FAILING)
    assert (shown.code, shown.err) == (1, "")
    for suffix in ("txt", "md", "tex", "html", "json", "xml"):
        result = check(f"{FAILING} -o gate.{suffix}")
        first, *more = result.err.splitlines()
        assert (result.code, result.out, first, len(more)) == (1, "", f"wrote gate.{suffix}", 1)
        assert "0.039" in Path(f"gate.{suffix}").read_text()  # 0.75 - 0.7112
    result = check(f"{NEW} --require 'recall >= 0.3' -o passed.md")
    assert (result.code, result.out, len(result.err.splitlines())) == (0, "", 2)
    assert check(f"{NEW} --require 'recall >= 0.3' -o passed.md --force --quiet").err == ""
    # JUnit is written beside the report, and what failed has failed when the reader leaves
    beside = check(f"{FAILING} --junit junit.xml")
    assert (beside.code, beside.out, beside.err) == (1, shown.out, "wrote junit.xml\n")
    assert '<testcase classname="tallymark.check" name="recall &gt;= 0.75"' in Path("junit.xml").read_text()
    assert check(f"{FAILING} --junit junit.xml").code == 2
    assert check(f"{FAILING} --junit junit.xml --force --quiet").err == ""
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", Left())
        result = check(f"{FAILING} --junit left.xml")
    assert (result.code, result.err) == (1, "wrote left.xml\n")
    assert "<failure" in Path("left.xml").read_text()


def test_github(check: Any, monkeypatch: pytest.MonkeyPatch, snapshot: Any) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    Path("summary.md").write_text("before\n")
    failed = check(FAILING)
    passed = check(f"{NEW} --require 'recall >= 0.7' --quiet")
    assert (failed.code, passed.code) == (1, 0)
    summary = Path("summary.md").read_text()
    said = {"annotation of what failed": failed.err, "of what passed": passed.err, "summary of both": summary}
    snapshot("cli_check_github", said)
    assert check(f"{FAILING} --no-github").err == ""
    monkeypatch.delenv("GITHUB_ACTIONS")
    assert check(FAILING).err == ""
    assert check(f"{FAILING} --github").err == failed.err
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "nowhere/summary.md")
    assert check(f"{FAILING} --github").code == 2


# --- pyproject.toml ------------------------------------------------------------------------------

WHOLE = """
[tool.tallymark]
files = ["data/new.csv"]
baseline = "data/main.csv"
actual = "y"
predicted = "p"
require = ["recall >= 0.7", "fpr <= 0.2"]
no_worse = "recall"
margin = 0.1
same-rows = true
"""
TAKEN = "files, require, baseline, no-worse, margin, same-rows, actual, predicted"


@pytest.fixture
def project(check: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Calls `tallymark check` in an inner folder of a project that says everything in its pyproject.toml."""
    write({f"data/{name}": content for name, content in FILES.items()} | {"pyproject.toml": WHOLE})
    Path("inner").mkdir()
    monkeypatch.chdir("inner")
    return check


def configured(text: str) -> None:
    write({"pyproject.toml": f"[tool.tallymark]\n{text}\n"})


def test_options_of_a_project(project: Any) -> None:
    result = project()
    assert (result.code, result.err) == (0, f"options from ../pyproject.toml: {TAKEN}\n")
    assert project("--quiet").err == ""
    assert len(outcomes(project("--json"))) == 3
    # The command line wins.
    result = project("--require 'recall >= 0.75' --no-worse fpr --margin 0.5 --json")
    assert result.code == 1
    assert [each["requirement"] for each in outcomes(result)] == [
        "recall >= 0.75",
        "fpr worse by at most 0.5",
    ]
    found = outcomes(project("../data/main.csv --require 'recall >= 0.1' --json"))
    assert found[0]["estimate"]["value"] == 0.81
    # another file, or none
    Path("other.toml").write_text(WHOLE.replace("data/", "../data/").replace("0.7", "0.99"))
    result = project("--config other.toml")
    assert (result.code, result.err) == (1, f"options from other.toml: {TAKEN}\n")
    assert project("--no-config").code == 2
    # the search ends where the repository begins
    Path("pyproject.toml").write_text("[tool.other]\n")
    assert project("--quiet").code == 0
    Path(".git").mkdir()
    assert project("--quiet").code == 2
    # a matrix stands in the place of the files
    configured('files = "../data/new.csv"\npredicted = "p"\nrequire = "recall.value >= 0.9"')
    assert project().code == 1
    assert project("--matrix '9 1; 1 9'").code == 0
    # numbers, flags and lists are written as in TOML
    configured(
        'files = "../data/new.csv"\nactual = "y"\npredicted = "p"\nlabels = [1, 0]\npositive = 0\n'
        'confidence = 0.9\nseed = 3\nweight_kind = "sampling"\ngithub = true\nrequire = "recall >= 0.8"'
    )
    result = project("--json")
    assert (json.loads(result.out)["level"], outcomes(result)[0]["estimate"]["value"]) == (0.9, 0.9)
    assert "::notice title=tallymark check::" in result.err


@pytest.mark.usefixtures("project")
def test_projects_that_cannot_be_used(run: Any, snapshot: Any) -> None:
    texts: dict[str, str | bytes] = {
        text: f"[tool.tallymark]\n{text}\n"
        for text in (
            "requires = []", "colour = 1", 'margin = "0.1"', "margin = true", 'approximate = "yes"',
            "require = [[1]]", "margin =",
        )
    }  # fmt: skip
    texts |= {
        "twice": "[tool.tallymark]\nno-worse = 'f1'\nno_worse = 'f1'\n",
        "no text": b"\xff\xfe",
        "a number": "[tool]\ntallymark = 3",
        "no table": "tool = 3",
    }
    said = {}
    for name, content in texts.items():
        write({"own.toml": content})
        result = run("check --config own.toml")
        assert (result.code, result.out, result.err.count("\n")) == (2, "", 1), name
        said[name] = result.err
    write({"own.toml": WHOLE})
    for name in (
        "--config nothing.toml",
        "--no-config",
        "--config own.toml --no-config",
        "--no-config --config own.toml",
    ):
        result = run(f"check {name}")
        assert (result.code, result.out, result.err.count("\n")) == (2, "", 1), name
        said[name] = result.err
    snapshot("cli_errors_configuration", said)
