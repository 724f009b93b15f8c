"""The source documents' worked numbers, handed to every test that asks for them.

A test with an argument `NAME_case` runs once for each case of cases.json whose kind or id is NAME; the
test's id ends in the case's id and the name of the document it comes from.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import tallymark as tm
from tallymark.cli import main
from tallymark.textbook.cases import CASES

HERE = Path(__file__).parent
ALL_CASES = [dict(case) for case in CASES.values()]


def word(name):
    return re.sub(r"\W+", "_", name)


def chosen(argument):
    asked = argument.removesuffix("_case")
    return [case for case in ALL_CASES if asked in (word(case["kind"]), word(case["id"]))]


def pytest_generate_tests(metafunc):
    for argument in metafunc.fixturenames:
        if argument.endswith("_case"):
            cases = chosen(argument)
            assert cases, f"no case of cases.json is of the kind, or has the id, {argument}"
            ids = [f"{case['id']} [{case['source'].removesuffix('.txt')}]" for case in cases]
            metafunc.parametrize(argument, cases, ids=ids)


@pytest.fixture
def all_cases():
    return {case["id"]: case for case in ALL_CASES}


@pytest.fixture
def tested_ids():
    """Ids of the cases some test in this folder asks for."""
    arguments = set()
    for file in HERE.glob("test_*.py"):
        for head in re.findall(r"^def test_\w+\(([^)]*)\)", file.read_text("utf-8"), re.MULTILINE):
            arguments.update(re.findall(r"\w+_case\b", head))
    return {case["id"] for argument in arguments for case in chosen(argument)}


@pytest.fixture
def run(capsys):
    """Run the command line and give back what it wrote to stdout."""

    def call(*words):
        code = main(words)
        written = capsys.readouterr()
        assert (code, written.err) == (0, "")
        return written.out

    return call


def _typed(matrix):
    return "; ".join(" ".join(str(cell) for cell in row) for row in matrix)


def _rows(case):
    """The table's rows one by one, in no particular order."""
    counts = np.array(case["matrix"]).ravel()
    cells = np.random.default_rng(0).permutation(np.repeat(np.arange(len(counts)), counts))
    labels = np.array(case["labels"])
    return labels[cells // len(labels)], labels[cells % len(labels)]


def _from_tally(case):
    return tm.Confusion(case["matrix"], labels=case["labels"]).evaluate(costs=case.get("costs")).to_json()


def _from_rows(case):
    """Labels are not stated: rows, and names in the costs, must be enough."""
    costs = case.get("costs")
    if costs is not None:
        named = [dict(zip(case["labels"], row, strict=True)) for row in costs]
        costs = dict(zip(case["labels"], named, strict=True))
    return tm.evaluate(*_rows(case), costs=costs).to_json()


@pytest.fixture(params=["tally", "rows", "command"])
def measure(request, run):
    """The JSON document of a case's matrix, through each of the doors."""

    def command(case):
        costs = ["--costs", _typed(case["costs"])] if "costs" in case else []
        return run("matrix", _typed(case["matrix"]), "--labels", ",".join(case["labels"]), *costs, "--json")

    doors = {"tally": _from_tally, "rows": _from_rows, "command": command}
    return lambda case: json.loads(doors[request.param](case))


@pytest.fixture
def of_class():
    """One class's entry of a JSON document."""
    return lambda document, label: next(e for e in document["per_class"] if str(e["label"]) == label)
