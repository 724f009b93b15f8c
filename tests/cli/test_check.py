"""`tallymark check`: exit codes, and where the outcome goes."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

ANSWERS = ("--actual", "y", "--predicted", "p")


def rows(hits: int, misses: int, alarms: int, rest: int) -> str:
    """A table with so many rows of each kind."""
    counts = {"1,1": hits, "1,0": misses, "0,1": alarms, "0,0": rest}
    body = "".join(f"{row}\n" * times for row, times in counts.items())
    return f"y,p\n{body}"


@pytest.fixture
def check(run: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Calls `tallymark check` in a folder with two models on the same 400 rows; away from GitHub."""
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    # Recall is 80/100 and 81/100; the new model misses one row more.
    Path("new.csv").write_text(rows(80, 20, 30, 270))
    Path("main.csv").write_text(rows(81, 19, 30, 270))

    def call(*arguments: str, **more: Any) -> Any:
        return run("check", *arguments, **more)

    return call


def test_a_requirement_that_is_met_is_exit_0(check: Any) -> None:
    result = check("new.csv", *ANSWERS, "--require", "recall >= 0.7", "--require", "fpr<=15%")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("Passed: all 2 requirements are met.\n\nrequirement ")


def test_one_that_is_not_is_exit_1_with_by_how_much(check: Any) -> None:
    result = check("new.csv", *ANSWERS, "--require", "recall >= 0.75", "--require", "accuracy >= 0.8")
    assert (result.code, result.err) == (1, "")
    # By hand: the Wilson interval of 80 in 100 begins at 0.7112.
    assert "recall is 0.800 [0.711, 0.867]; its lower end 0.711 falls short of 0.75 by 0.039." in result.out


class Left(io.StringIO):
    """A pipe whose reader has gone."""

    def write(self, _: str) -> int:
        raise BrokenPipeError


def test_what_failed_has_failed_when_the_reader_leaves(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    failing = ("new.csv", *ANSWERS, "--require", "recall >= 0.75", "--junit", "gate.xml")
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", Left())
        result = check(*failing)
    assert (result.code, result.err) == (1, "wrote gate.xml\n")
    assert "<failure" in Path("gate.xml").read_text()


def test_json_is_the_same_with_the_same_exit_code(check: Any) -> None:
    result = check("new.csv", *ANSWERS, "--require", "recall >= 0.75", "--json")
    form = json.loads(result.out)
    assert (result.code, result.err, form["schema"], form["passed"]) == (1, "", "tallymark/check/1", False)


@pytest.mark.parametrize("suffix", ["txt", "md", "tex", "html", "json", "xml"])
def test_what_failed_is_written_to_a_file_as_well(check: Any, suffix: str) -> None:
    result = check("new.csv", *ANSWERS, "--require", "recall >= 0.75", "-o", f"gate.{suffix}")
    said = f"wrote gate.{suffix}\nFailed: the requirement is not met.\n"
    assert (result.code, result.out, result.err) == (1, "", said)
    assert "0.039" in Path(f"gate.{suffix}").read_text()


def test_that_it_passed_is_said_when_the_table_is_in_a_file(check: Any) -> None:
    asked = ("new.csv", *ANSWERS, "--require", "recall >= 0.3", "-o", "gate.md")
    result = check(*asked)
    assert (result.code, result.out) == (0, "")
    assert result.err == "wrote gate.md\nPassed: the requirement is met.\n"
    assert check(*asked, "--force", "--quiet").err == ""


def test_junit_beside_the_report(check: Any) -> None:
    asked = ("new.csv", *ANSWERS, "--require", "recall >= 0.75", "--junit", "junit.xml")
    result = check(*asked)
    assert (result.code, result.err) == (1, "wrote junit.xml\n")
    assert result.out.startswith("Failed: the requirement is not met.")
    assert '<testcase classname="tallymark.check" name="recall &gt;= 0.75"' in Path("junit.xml").read_text()
    assert check(*asked).code == 2
    assert check(*asked, "--force", "--quiet").err == ""


# --- a baseline ----------------------------------------------------------------------------------


def test_predictions_are_compared_row_by_row(check: Any) -> None:
    held = ("--baseline", "main.csv", "--no-worse", "recall")
    result = check("new.csv", *ANSWERS, *held, "--margin", "0.1", "--json", "--same-rows")
    [outcome] = json.loads(result.out)["outcomes"]
    assert (result.code, outcome["kind"], outcome["paired"]) == (0, "difference", True)
    assert outcome["estimate"]["value"] == pytest.approx(-0.01)
    assert check("new.csv", *ANSWERS, *held).code == 1


def test_rows_are_matched_by_a_column_called_id(check: Any) -> None:
    numbered = "id,y,p\n" + "".join(f"{place},{place % 2},{place % 2}\n" for place in range(60))
    lines = numbered.splitlines()
    Path("one.csv").write_text(numbered)
    Path("two.csv").write_text("\n".join([lines[0], *reversed(lines[1:])]) + "\n")
    result = check("one.csv", *ANSWERS, "--baseline", "two.csv", "--no-worse", "accuracy by 0.2")
    assert result.code == 0
    assert "Note: column 'id' was taken as id (guessed from its name)." in result.out
    assert "Note: rows were matched by their id." in result.out


@pytest.mark.parametrize("suffix", ["json", "tally"])
def test_a_baseline_of_numbers(check: Any, run: Any, suffix: str) -> None:
    command = {"json": "evaluate", "tally": "tally"}[suffix]
    run(command, "main.csv", *ANSWERS, "-o", f"main.{suffix}")
    held = ("--baseline", f"main.{suffix}", "--no-worse", "recall.value")
    passed = check("new.csv", *ANSWERS, *held, "--margin", "0.01")
    assert passed.code == 0
    assert "the baseline is known from its numbers alone" in passed.out
    assert check("new.csv", *ANSWERS, *held, "--margin", "0.005").code == 1


# --- what is checked -----------------------------------------------------------------------------


def test_a_finished_evaluation_is_checked_without_its_rows(check: Any, run: Any) -> None:
    run("evaluate", "new.csv", *ANSWERS, "-o", "new.json")
    assert check("new.json", "--require", "recall >= 0.7").code == 0
    assert check("-", "--require", "recall >= 0.75", stdin=Path("new.json").read_bytes()).code == 1
    pretty = json.dumps(json.loads(Path("new.json").read_text()), indent=1, sort_keys=True)
    Path("pretty.json").write_text(pretty)
    assert check("pretty.json", "--require", "recall >= 0.7").code == 0


def test_rows_in_json_are_rows(check: Any) -> None:
    Path("rows.json").write_text('[{"y": 1, "p": 1}, {"y": 0, "p": 0}]')
    Path("lines.json").write_text('{"y": 1, "p": 1}\n{"y": 0, "p": 0}\n')
    for name in ("rows.json", "lines.json"):
        assert check(name, *ANSWERS, "--require", "recall.value >= 1").code == 0


def test_rows_from_standard_input_a_tally_and_a_matrix(check: Any, run: Any) -> None:
    asked = ("--require", "recall >= 0.7", "--require", "recall.value <= 0.8")
    assert check("-", *ANSWERS, *asked, stdin=Path("new.csv").read_bytes()).code == 0
    run("tally", "new.csv", *ANSWERS, "-o", "new.tally")
    assert check("new.tally", *asked).code == 0
    assert check("--matrix", "80 20; 30 270", "--labels", "yes,no", *asked).code == 0


def test_slices_in_requirements_need_not_be_asked_for_twice(check: Any) -> None:
    Path("sliced.csv").write_text("y,p,sex\n" + "1,1,f\n" * 30 + "1,0,m\n" * 5 + "1,1,m\n" * 5)
    result = check("sliced.csv", *ANSWERS, "--labels", "0,1", "--require", "recall[sex] >= 0.8", "--json")
    outcomes = json.loads(result.out)["outcomes"]
    assert [(each["name"], each["passed"]) for each in outcomes] == [
        ("recall where sex=f", True),
        ("recall where sex=m", False),
    ]


# --- GitHub --------------------------------------------------------------------------------------


def test_github_is_told_where_it_runs_the_check(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    Path("summary.md").write_text("before\n")
    failing = ("new.csv", *ANSWERS, "--require", "recall >= 0.75")
    result = check(*failing)
    assert result.code == 1
    assert result.err == (
        "::error title=tallymark check%3A recall >= 0.75::recall is 0.800 [0.711, 0.867]; its lower end 0.711"
        " falls short of 0.75 by 0.039.\n"
    )
    passed = check("new.csv", *ANSWERS, "--require", "recall >= 0.7", "--quiet")
    assert passed.err == "::notice title=tallymark check::Passed: the requirement is met.\n"
    summary = Path("summary.md").read_text()
    assert summary.startswith("before\n### tallymark check\n\nFailed: ")
    assert summary.count("### tallymark check") == 2
    assert check(*failing, "--no-github").err == ""
    monkeypatch.delenv("GITHUB_ACTIONS")
    assert check(*failing).err == ""
    assert check(*failing, "--github").err == result.err
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "nowhere/summary.md")
    assert check(*failing, "--github").code == 2


# --- what cannot be ------------------------------------------------------------------------------

NEW = ("new.csv", *ANSWERS)
MET = ("--require", "recall >= 0.7")
BAD: list[tuple[tuple[str, ...], str]] = [
    (NEW, "nothing is required. Hint: say what is: --require 'recall >= 0.8' (in Python require=[...]), or"
     " --no-worse f1 with a --baseline."),
    ((*NEW, "--require", "recal >= 0.8"), "no metric is called 'recal'. Hint: did you mean recall? `tallymark"
     " metrics` lists them all."),
    ((*NEW, "--require", "recall => 0.8"), "the requirement 'recall => 0.8' has '=>', which is no comparison."
     " Hint: write 'recall >= 0.8'."),
    ((*NEW, "--require", "recall >= 80"), "recall lies between 0 and 1, so 'recall >= 80' would never be met."
     " Hint: write 0.8 or 80%."),
    ((*NEW, *MET, "--margin", "0.1"), "a margin was given, and nothing that must not get worse. Hint: name"
     " it: --no-worse f1 (in Python no_worse=['f1'])."),
    ((*NEW, *MET, "--baseline", "main.csv"), "a baseline was given, and nothing that must not be worse than"
     " it. Hint: name it: --no-worse f1 (in Python no_worse=['f1'])."),
    ((*NEW, "--no-worse", "f1"), "'f1' is to be no worse than a baseline, and there is none. Hint: give one:"
     " --baseline main.json (in Python baseline=)."),
    ((*NEW, "--no-worse", "f1", "--baseline", "main.cvs"), "--baseline: there is no file main.cvs. Hint: did"
     " you mean main.csv?"),
    ((*NEW, "--no-worse", "f1", "--baseline", "main.csv", "--margin", "-0.1"), "margin is how much worse does"
     " not matter, a number from 0 up; got -0.1. Hint: 0.01 lets a number be worse by one percentage point."),
    ((*NEW, "--no-worse", "f1", "--baseline", "answers.csv"), "--baseline answers.csv has no columns 'y' and"
     " 'p'; its columns are 'actual' and 'predicted'."),
    (MET, "FILE is missing. Hint: name a file, - for standard input, or --matrix; or `files` in"
     " [tool.tallymark] of pyproject.toml."),
    (("nothing.csv", *MET), "there is no file nothing.csv. Hint: did you mean missing.csv?"),
    (("new.csv", "--matrix", "8 2; 3 27", *MET), "--matrix stands in the place of FILE. Hint: leave one of"
     " them out."),
    (("--matrix", "8 2; 3 27", "--score", "s", *MET), "--score is about predictions, and --matrix gives"
     " counts: it would have no effect. Hint: leave it out, or give the predictions."),
    (("-", "--baseline", "-", "--no-worse", "f1"), "- (standard input) was given more than once, but it can"
     " be read only once."),
    ((*NEW, *MET, "--junit", "out.txt"), "cannot write 'out.txt': the suffix sets the format and must be"
     " .xml."),
    ((*NEW, *MET, "-o", "a.xml", "--junit", "a.xml"), "-o and --junit both name 'a.xml'. Hint: leave one of"
     " them out."),
    ((*NEW, *MET, "--same-rows", "--other-rows"), "--other-rows and --same-rows exclude each other."),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "said"), BAD)
def test_a_bad_call_is_one_line_and_exit_2(check: Any, arguments: tuple[str, ...], said: str) -> None:
    result = check(*arguments)
    assert (result.code, result.out, result.err) == (2, "", f"tallymark: {said}\n")


def test_what_a_finished_evaluation_cannot_answer(check: Any, run: Any) -> None:
    run("evaluate", "new.csv", *ANSWERS, "-o", "new.json")
    for more, said in (
        (("--positive", "0"), "--positive is about predictions, and 'new.json' is a finished evaluation"),
        (("--confidence", "0.9"), "has intervals of the level 0.95, and --confidence asks for 0.9."),
        (("new.csv",), "'new.json' is a finished evaluation, and 2 files were named."),
        (("-o", "new.json", "--force"), "-o new.json would replace the data."),
    ):
        result = check("new.json", *MET, *more)
        assert result.code == 2
        assert said in result.err
