"""Our numbers against those of scikit-learn, PyCM, statsmodels and scipy in golden.json.

The file holds only what the others say (tools/make_golden.py made it). Where one of them calls an
undefined number something, or means something else by a name, the case is one of EXCEPTIONS.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import tallymark as tm

GOLDEN = json.loads((Path(__file__).parent / "golden.json").read_text("utf-8"))
PROBLEMS = GOLDEN["problems"]
UNDEFINED = ("nan", "None")

problem = pytest.mark.parametrize("problem", PROBLEMS, ids=[entry["name"] for entry in PROBLEMS])


@dataclass(frozen=True)
class Question:
    """One number of one problem, asked of a peer: everything an exception may depend on."""

    peer: str
    metric: str
    theirs: float | str
    tp: int
    fn: int
    fp: int
    tn: int
    classes: int
    actual_classes: int
    answers: int


@dataclass(frozen=True)
class Exceptional:
    """Where a peer's number is not to be matched."""

    why: str
    peer: str
    metrics: tuple[str, ...]
    applies: Callable[[Question], bool]
    theirs: float | str
    """What the peer says there."""
    ours: float | None
    """What we say there; None for undefined, which then has a reason."""


EXCEPTIONS = [
    Exceptional(
        "scikit-learn calls a correlation 0 when one side does not vary, where it is 0 / 0",
        "scikit-learn",
        ("mcc",),
        lambda q: q.actual_classes == 1 or q.answers == 1,
        0.0,
        None,
    ),
    Exceptional(
        "scikit-learn by default calls a precision 0 when nothing was predicted",
        "scikit-learn by default",
        ("precision",),
        lambda q: q.tp + q.fp == 0,
        0.0,
        None,
    ),
    Exceptional(
        "scikit-learn by default calls a recall 0 when there was nothing to find",
        "scikit-learn by default",
        ("recall",),
        lambda q: q.tp + q.fn == 0,
        0.0,
        None,
    ),
    Exceptional(
        "scikit-learn by default calls the overlap of two empty sets 0",
        "scikit-learn by default",
        ("f1", "f_beta:0.5", "f_beta:2", "jaccard"),
        lambda q: q.tp + q.fp + q.fn == 0,
        0.0,
        None,
    ),
    Exceptional(
        "scikit-learn falls back to the plain mean when no class that has rows has a precision",
        "scikit-learn",
        ("precision_weighted",),
        lambda q: q.tp == 0 and q.answers == 1,
        0.0,
        None,
    ),
    Exceptional(
        "PyCM divides LR+ by LR-, which fails without true negatives, where the odds ratio is simply 0",
        "PyCM",
        ("diagnostic_odds_ratio",),
        lambda q: q.tn == 0 and q.fp * q.fn > 0,
        "None",
        0.0,
    ),
]


def ours(problem, **options):
    labels = problem["labels"]
    return tm.evaluate(
        [labels[code] for code in problem["actual"]],
        [labels[code] for code in problem["predicted"]],
        labels=labels,
        **options,
    )


def question(problem, peer, metric, theirs, position=None):
    matrix = problem["scikit-learn"]["confusion"]
    rows, columns = [sum(row) for row in matrix], [sum(column) for column in zip(*matrix, strict=True)]
    hits = [row[place] for place, row in enumerate(matrix)]
    if position is None:
        tp, fn, fp = sum(hits), sum(rows) - sum(hits), sum(rows) - sum(hits)
    else:
        tp, fn, fp = (
            hits[position],
            rows[position] - hits[position],
            columns[position] - hits[position],
        )
    return Question(
        peer,
        metric,
        theirs,
        tp,
        fn,
        fp,
        sum(rows) - tp - fn - fp,
        len(matrix),
        sum(map(bool, rows)),
        sum(map(bool, columns)),
    )


def exception_for(asked):
    found = [
        known
        for known in EXCEPTIONS
        if known.peer == asked.peer and asked.metric in known.metrics and known.applies(asked)
    ]
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
def test_counts(problem):
    assert ours(problem).confusion.matrix.tolist() == problem["scikit-learn"]["confusion"]


@problem
def test_overall_against_scikit_learn(problem):
    ev, theirs = ours(problem), problem["scikit-learn"]
    for metric, value in theirs["overall"].items():
        check(ev[metric], question(problem, "scikit-learn", metric, value))
    check(ev["error_rate"], question(problem, "scikit-learn", "error_rate", theirs["hamming_loss"]))


@problem
def test_classes_against_scikit_learn(problem):
    theirs = problem["scikit-learn"]
    check_classes(ours(problem), problem, "scikit-learn", theirs["per_class"])
    check_classes(ours(problem), problem, "scikit-learn by default", theirs["per_class_by_default"])


@problem
def test_averages_against_scikit_learn(problem):
    ev = ours(problem)
    for average, values in problem["scikit-learn"]["averages"].items():
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


@pytest.mark.parametrize(
    "problem",
    [pytest.param(entry, id=entry["name"]) for entry in PROBLEMS if len(entry["labels"]) == 2],
)
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
def test_intervals_of_classes_against_statsmodels(problem):
    ev = ours(problem)
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


@problem
def test_interval_of_accuracy_against_scipy(problem):
    accuracy = ours(problem)["accuracy"]
    for level, theirs in problem["scipy"].items():
        check_interval(accuracy, float(level), theirs["accuracy"])


@pytest.mark.parametrize("known", EXCEPTIONS, ids=[known.why for known in EXCEPTIONS])
def test_every_exception_happens(known):
    assert any(exception_for(asked) is known for asked in every_question())


def every_question():
    for entry in PROBLEMS:
        sklearn, pycm = entry["scikit-learn"], entry["pycm"]
        for peer, values in (("scikit-learn", sklearn["overall"]), ("PyCM", pycm["overall"])):
            for metric, value in values.items():
                yield question(entry, peer, metric, value)
        for average, values in sklearn["averages"].items():
            for metric, value in values.items():
                yield question(entry, "scikit-learn", named(metric, average), value)
        columns = (
            ("scikit-learn", sklearn["per_class"]),
            ("scikit-learn by default", sklearn["per_class_by_default"]),
            ("PyCM", pycm["per_class"]),
        )
        for peer, values in columns:
            for metric, column in values.items():
                for position, value in enumerate(column):
                    yield question(entry, peer, metric, value, position)


def test_the_file_says_which_versions_made_it():
    assert set(GOLDEN["versions"]) == {"python", "numpy", "scikit-learn", "pycm", "scipy", "statsmodels"}
    assert len(PROBLEMS) >= 40
    assert len({entry["name"] for entry in PROBLEMS}) == len(PROBLEMS)
