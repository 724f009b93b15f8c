"""Running the command line inside the test, in a folder of its own."""

import io
import json
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from command_lines import Files, agrees, at, calls, held, is_one_line, write
from tallymark.cli import main

FILES: Files = {
    "answers.csv": "actual,predicted\nyes,yes\nyes,yes\nyes,no\nno,no\nno,yes\nno,no\nno,no\nno,no\n",
    "scores.csv": "y,s\nyes,0.9\nno,0.2\nyes,0.4\nno,0.6\n",
    "digits.csv": "actual,predicted\n1,1\n0,1\n1,0\n0,0\n1,1\n",
    "probabilities.csv": "y,p_a,p_b,p_c\na,0.8,0.1,0.1\nb,0.2,0.7,0.1\nc,0.5,0.1,0.4\n",
    "missing.csv": "actual,predicted\nyes,yes\nyes,\nno,no\nNA,no\n",
    "five.csv": "y,s\n1,0.9\n1,0.8\n0,0.7\n1,0.6\n0,0.3\n",
    "three.csv": "y,a,b,c\na,0.7,0.2,0.1\nb,0.5,0.4,0.1\nc,0.1,0.1,0.8\n",
    "only_ones.csv": "y,s\n1,0.9\n1,0.2\n",
    "weights.csv": "y,s,w,g\n1,0.9,2,a\n0,0.8,1,a\n1,0.7,1,b\n0,0.2,3,b\n0,0.4,1,c\n1,0.3,1,c\n",
    "votes.csv": "y,a,b,c\nyes,yes,yes,no\nno,no,no,no\nyes,no,yes,no\nno,yes,no,no\n",
    "values.csv": "y,s\n1,2.5\n1,-0.3\n0,0.4\n0,-3\n",
    "holes.csv": "y,s\n1,0.9\n1,\n0,0.7\n,0.6\n0,0.3\n1,0.8\n",
    "other.csv": "y,s\n1,0.85\n0,0.8\n0,0.7\n1,0.6\n0,0.3\n0,0.2\n",
    "now.csv": "y,s,now\nyes,0.9,yes\nno,0.2,no\nyes,0.4,no\nno,0.6,yes\n",
    "only_zeros.csv": "y,s\n0,0.9\n0,0.2\n",
    "rest.csv": "y,a,b,rest\na,0.7,0.2,0.1\nb,0.5,0.4,0.1\nrest,0.1,0.1,0.8\n",
    "costs.json": '{"labels": ["yes", "no"], "cost": [[0, 10], [1, 0]]}',
    "costs.csv": "actual,predicted,cost\nyes,no,10\nno,yes,1\n",
    # several models
    "columns.csv": "y,tree,bayes,rule,votes\n1,0.9,0.7,1,3\n1,0.4,0.8,0,1\n0,0.6,0.1,0,2\n0,0.1,0.2,0,0\n",
    "tree.csv": "actual,score\n1,0.9\n1,0.4\n0,0.6\n0,0.1\n",
    "rule.csv": "actual,predicted\n1,1\n1,0\n0,0\n0,0\n",
    "both.csv": "y,s,p\n1,0.9,1\n0,0.2,0\n1,0.4,1\n0,0.6,1\n",
    "two.csv": "y,t,f\n1,0.9,0.8\n0,0.6,0.3\n1,0.4,0.7\n0,0.2,0.1\n1,0.3,0.9\n",
    "folds.csv": "fold,tree,bayes\n1,0.8,0.85\n2,0.82,0.83\n3,0.79,0.84\n4,0.81,0.80\n",
    "six.csv": "y,p_a,p_b,p_c,g\na,.8,.1,.1,0\nb,.2,.7,.1,0\nc,.5,.1,.4,1\na,.4,.35,.25,1\nb,.3,.4,.3,2\n"
    "c,.1,.2,.7,2\n",
    # weights 1, 2 and 3 in turn, four rows of each patient
    "patients.csv": "actual,predicted,score,w,patient,region,a*b\n"
    + "".join(
        f"{'yes' if k % 3 else 'no'},{'yes' if k % 4 else 'no'},0.{k % 9},{1 + k % 3},p{k // 4},"
        f"{'north' if k % 5 else 'south'},{'xy'[k % 2]}\n"
        for k in range(48)
    ),
}


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on stdout; nothing else may have been written."""
        assert (self.code, self.err) == (0, "")
        return json.loads(self.out, parse_constant=pytest.fail)


Run = Callable[..., Result]
Documents = dict[str, dict[str, Any]]
Calls = dict[str, list[str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Calls `tallymark` in a folder that holds FILES: with a line as it is typed, and with more words."""
    monkeypatch.chdir(tmp_path)
    write(FILES)

    def call(line: str = "", *more: str, stdin: str | bytes = b"") -> Result:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        code = main([*shlex.split(line), *more])
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return call


@pytest.fixture
def documents(run: Run) -> Callable[..., None]:
    """Every call with --json gives a document that has at some places (see `at`) what is expected there.

    `< FILE` at the end of a call is what it is in a shell.
    """

    def check(table: Documents, files: Files | None = None, **names: str) -> None:
        write(files or {})
        wrong = []
        for line, expected in table.items():
            for call in calls(line, **names):
                words, _, file = call.partition(" < ")
                result = run(f"{words} --json", stdin=Path(file).read_bytes() if file else b"")
                if (result.code, result.err) != (0, ""):
                    wrong.append(f"{call}: exit code {result.code}, {result.err[:300]!r}")
                    continue
                form = json.loads(result.out, parse_constant=pytest.fail)
                found = {place: at(form, place) for place in expected}
                wrong += [
                    f"{call}: {place}: {found[place]!r}"
                    for place in expected
                    if not agrees(found[place], expected[place])
                ]
        if wrong:
            pytest.fail("\n".join(wrong), pytrace=False)

    return check


@pytest.fixture
def refused(run: Run, snapshot: Any) -> Callable[..., None]:
    """Every call is one line on stderr and exit code 2, and changes no file; the lines are a snapshot."""

    def check(
        surface: str, text: str, files: Files | None = None, more: Calls | None = None, **names: str
    ) -> None:
        write(files or {})
        before = held()
        said, wrong = {}, []
        for call, words in (calls(text, **names) | (more or {})).items():
            result = run("", *words)
            said[call] = result.err
            if (result.code, result.out) != (2, "") or not is_one_line(result.err):
                wrong.append(f"{call}: exit code {result.code}, {result.out[:80]!r}, {result.err[:300]!r}")
            if held() != before:
                wrong.append(f"{call}: changed files")
        assert wrong == []
        snapshot(surface, said)

    return check


@pytest.fixture
def reported(run: Run, snapshot: Any) -> Callable[..., None]:
    """Every call prints a report that fits a page of 100 columns; the reports are a snapshot."""

    def check(surface: str, text: str, files: Files | None = None, **names: str) -> None:
        write(files or {})
        said, wrong = {}, []
        for call, words in calls(text, **names).items():
            result = run("", *words)
            said[call] = result.out
            if (result.code, result.err) != (0, "") or not result.out:
                wrong.append(f"{call}: exit code {result.code}, {result.err[:300]!r}")
            wide = [line for line in result.out.splitlines() if len(line) > 100]
            # What is to be copied is not cut.
            if "--latex" not in words and not all(line.startswith("  tallymark ") for line in wide):
                wrong.append(f"{call}: too wide: {wide}")
        assert wrong == []
        snapshot(surface, said)

    return check
