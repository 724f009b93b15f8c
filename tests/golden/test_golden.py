"""Our numbers against those of scikit-learn, PyCM, statsmodels and scipy in golden.json.

The file holds only what the others say (tools/make_golden.py made it). Where one of them calls an
undefined number something, or means something else by a name, the case is one of EXCEPTIONS.
"""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import tallymark as tm
from collected import each

GOLDEN = json.loads((Path(__file__).parent / "golden.json").read_text("utf-8"))
PROBLEMS = GOLDEN["problems"]
UNDEFINED = ("nan", "None")

problem = each("problem", PROBLEMS, ids=lambda entry: entry["name"])


class Question(NamedTuple):
    """One metric of one problem, asked of a peer: everything an exception may depend on."""

    peer: str
    metric: str
    theirs: float | str
    tp: int
    fn: int
    fp: int
    tn: int
    actual_classes: int
    predicted_classes: int


class Exceptional(NamedTuple):
    """Where a peer is not to be matched: what the peer has there, and what we have (None: undefined)."""

    why: str
    peer: str
    metrics: str
    applies: Callable[[Question], bool]
    theirs: float | str = 0.0
    ours: float | None = None


EXCEPTIONS = [
    Exceptional(
        "scikit-learn has a correlation of 0 when one side does not vary, where it is 0 / 0",
        *("scikit-learn", "mcc", lambda q: q.actual_classes == 1 or q.predicted_classes == 1),
    ),
    Exceptional(
        "scikit-learn by default has a precision of 0 when nothing was predicted",
        *("scikit-learn by default", "precision", lambda q: q.tp + q.fp == 0),
    ),
    Exceptional(
        "scikit-learn by default has a recall of 0 when there was nothing to find",
        *("scikit-learn by default", "recall", lambda q: q.tp + q.fn == 0),
    ),
    Exceptional(
        "scikit-learn by default has an overlap of two empty sets of 0",
        *("scikit-learn by default", "f1 f_beta:0.5 f_beta:2 jaccard", lambda q: q.tp + q.fp + q.fn == 0),
    ),
    Exceptional(
        "scikit-learn falls back to the plain mean when no class that has rows has a precision",
        *("scikit-learn", "precision_weighted", lambda q: q.tp == 0 and q.predicted_classes == 1),
    ),
    Exceptional(
        "PyCM divides LR+ by LR-, which fails without true negatives, where the odds ratio is simply 0",
        *("PyCM", "diagnostic_odds_ratio", lambda q: q.tn == 0 and q.fp * q.fn > 0, "None", 0.0),
    ),
]


def ours(problem, **options):
    return evaluated(problem["name"], tuple(options.items()))


@cache
def evaluated(name, options):
    problem = next(entry for entry in PROBLEMS if entry["name"] == name)
    labels = problem["labels"]
    actual, predicted = ([labels[code] for code in problem[side]] for side in ("actual", "predicted"))
    return tm.evaluate(actual, predicted, labels=labels, **dict(options))


def question(problem, peer, metric, theirs, position=None):
    matrix = problem["scikit-learn"]["confusion"]
    rows, columns = [sum(row) for row in matrix], [sum(column) for column in zip(*matrix, strict=True)]
    hits, n = [row[place] for place, row in enumerate(matrix)], sum(rows)
    tp, fn, fp = sum(hits), n - sum(hits), n - sum(hits)
    if position is not None:
        tp = hits[position]
        fn, fp = rows[position] - tp, columns[position] - tp
    varied = sum(map(bool, rows)), sum(map(bool, columns))
    return Question(peer, metric, theirs, tp, fn, fp, n - tp - fn - fp, *varied)


def exception_for(asked):
    known = [one for one in EXCEPTIONS if one.peer == asked.peer and asked.metric in one.metrics.split()]
    found = [one for one in known if one.applies(asked)]
    assert len(found) < 2
    return found[0] if found else None


def check(estimate, asked):
    """Equal numbers, undefined on both sides, or an exception on both sides."""
    known = exception_for(asked)
    if known is not None:
        assert asked.theirs == known.theirs, known.why
        expected = known.ours
    else:
        expected = None if asked.theirs in UNDEFINED else asked.theirs
    if expected is None:
        assert estimate.value is None, asked
        assert estimate.why, asked
    else:
        # The absolute part is for peers that subtract: PyCM's FOR is 1 - NPV, kappa shares minus shares.
        assert estimate.value == pytest.approx(expected, rel=1e-12, abs=1e-14), asked


def check_classes(ev, problem, peer, values):
    for metric, column in values.items():
        for position, theirs in enumerate(column):
            estimate = ev.per_class[problem["labels"][position]][metric]
            check(estimate, question(problem, peer, metric, theirs, position))


@problem
def test_scikit_learn(problem):
    ev, theirs = ours(problem), problem["scikit-learn"]
    assert ev.confusion.matrix.tolist() == theirs["confusion"]
    for metric, value in [*theirs["overall"].items(), ("error_rate", theirs["hamming_loss"])]:
        check(ev[metric], question(problem, "scikit-learn", metric, value))
    check_classes(ev, problem, "scikit-learn", theirs["per_class"])
    check_classes(ev, problem, "scikit-learn by default", theirs["per_class_by_default"])
    for average, values in theirs["averages"].items():
        for metric, value in values.items():
            asked = named(metric, average)
            check(ev[asked], question(problem, "scikit-learn", asked, value))


@problem
def test_averages_that_count_undefined_as_zero(problem):
    ev = ours(problem, undefined=0)
    for average, values in problem["scikit-learn"]["averages_with_zeros"].items():
        for metric, value in values.items():
            assert ev[named(metric, average)].value == pytest.approx(value, rel=1e-12, abs=1e-14)


def named(metric, average):
    stem, colon, tail = metric.partition(":")
    return f"{stem}_{average}{colon}{tail}"


@each("problem", [entry for entry in PROBLEMS if len(entry["labels"]) == 2], ids=lambda entry: entry["name"])
def test_likelihood_ratios_against_scikit_learn(problem):
    ev = ours(problem, pos_label=problem["labels"][1])
    for metric, value in problem["scikit-learn"]["likelihood_ratios"].items():
        check(ev[metric], question(problem, "scikit-learn", metric, value, 1))


@problem
def test_against_pycm(problem):
    ev = ours(problem)
    for metric, value in problem["pycm"]["overall"].items():
        check(ev[metric], question(problem, "PyCM", metric, value))
    check_classes(ev, problem, "PyCM", problem["pycm"]["per_class"])


@problem
def test_intervals_of_statsmodels_and_scipy(problem):
    ev = ours(problem)
    for level, theirs in problem["scipy"].items():
        check_interval(ev["accuracy"], float(level), theirs["accuracy"])
    for level, intervals in problem["statsmodels"].items():
        for metric, column in intervals.items():
            for label, theirs in zip(problem["labels"], column, strict=True):
                check_interval(ev.per_class[label][metric], float(level), theirs)


def check_interval(estimate, level, theirs):
    if estimate.value is None:
        assert estimate.why
        assert (estimate.low, estimate.high) == (None, None)
        return
    assert theirs is not None
    # With an empty cell a ratio's interval is worked out from moved counts; ours still holds the estimate.
    low, high = min(theirs[0], estimate.value), max(theirs[1], estimate.value)
    again = estimate.interval(level)
    assert (again.low, again.high) == pytest.approx((low, high), rel=1e-9, abs=1e-15)


def test_every_exception_happens():
    met = {exception_for(asked) for asked in every_question()}
    assert [known.why for known in EXCEPTIONS if known not in met] == []


def every_question():
    for entry in PROBLEMS:
        sklearn, pycm = entry["scikit-learn"], entry["pycm"]
        asked = [("scikit-learn", sklearn["overall"]), ("PyCM", pycm["overall"])]
        for average, values in sklearn["averages"].items():
            asked.append(("scikit-learn", {named(name, average): value for name, value in values.items()}))
        for peer, values in asked:
            yield from (question(entry, peer, metric, value) for metric, value in values.items())
        columns = [("scikit-learn", sklearn["per_class"]), ("PyCM", pycm["per_class"])]
        for peer, values in [*columns, ("scikit-learn by default", sklearn["per_class_by_default"])]:
            for metric, column in values.items():
                yield from (question(entry, peer, metric, value, at) for at, value in enumerate(column))


def test_the_file_says_which_versions_made_it():
    assert set(GOLDEN["versions"]) == {"python", "numpy", "scikit-learn", "pycm", "scipy", "statsmodels"}
    assert len(PROBLEMS) >= 40
    assert len({entry["name"] for entry in PROBLEMS}) == len(PROBLEMS)
