"""The worked numbers of the source documents (cases.json), and evaluations of them in every way there is."""

import contextlib
import io
import json
from functools import cache

import numpy as np

import tallymark as tm
from tallymark import textbook
from tallymark.cli import main

CASES = textbook.CASES


def of_kind(kind):
    return [dict(case) for case in CASES.values() if case["kind"] == kind]


def command(*words):
    """What the command line writes to stdout."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    assert (code, err.getvalue()) == (0, "")
    return out.getvalue()


def typed(matrix):
    return "; ".join(" ".join(str(cell) for cell in row) for row in matrix)


def rows(case):
    """The table's rows one by one, in no particular order."""
    counts = np.array(case["matrix"]).ravel()
    cells = np.random.default_rng(0).permutation(np.repeat(np.arange(len(counts)), counts))
    labels = np.array(case["labels"])
    return labels[cells // len(labels)], labels[cells % len(labels)]


def of_matrix(case):
    return tm.Confusion(case["matrix"], labels=case["labels"]).evaluate(costs=case.get("costs"))


def _of_rows(case):
    """Labels are not stated: rows, and names in the costs, must be enough."""
    costs = case.get("costs")
    if costs is not None:
        named = [dict(zip(case["labels"], row, strict=True)) for row in costs]
        costs = dict(zip(case["labels"], named, strict=True))
    return tm.evaluate(*rows(case), costs=costs)


@cache
def documents(name):
    """The JSON document of a case's matrix from a tally, from rows and from the command line."""
    case = CASES[name]
    costs = ["--costs", typed(case["costs"])] if "costs" in case else []
    by_command = command(
        "matrix", typed(case["matrix"]), "--labels", ",".join(case["labels"]), *costs, "--json"
    )
    return [json.loads(text) for text in (of_matrix(case).to_json(), _of_rows(case).to_json(), by_command)]


def of_class(document, label):
    return next(entry for entry in document["per_class"] if str(entry["label"]) == label)


def scored(case):
    """Rows with scores, 1 or "+" positive."""
    return tm.evaluate(
        [int(label in (1, "+")) for label in case["actual"]], y_score=case["scores"], labels=[0, 1]
    )
