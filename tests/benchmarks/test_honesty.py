"""docs/honesty.md names every interval and every test there is, and leaves out nothing that was measured."""

import ast
import sys
from pathlib import Path
from typing import get_args

import pytest

import tallymark
from collected import each
from tallymark import tests as offered
from tallymark.intervals import AUC_METHODS, METHODS
from tallymark.intervals.differences import DIFFERENCE_METHODS
from tallymark.intervals.paired_differences import PAIRED_METHODS
from tallymark.metrics.registry import METRICS, SCORE_METRICS, SET_METRICS
from tallymark.tests.adjust import Adjustment
from tallymark.tests.mcnemar import MCNEMAR_METHODS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "honesty.md").read_text(encoding="utf-8")
ROOMS = ("inference", "curves", "decisions", "evaluation")
"""Where values get their intervals."""


@pytest.fixture(scope="module")
def honesty():
    """The module that writes the page."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        import honesty
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))
    return honesty


def methods_in_sources():
    """Every text that is handed over as method= where a value gets its interval."""
    source = Path(tallymark.__file__).parent
    for file in sorted(path for room in ROOMS for path in (source / room).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "method":
                kept = node.value.values if isinstance(node.value, ast.BoolOp) else [node.value]
                kept = [
                    side
                    for each in kept
                    for side in ((each.body, each.orelse) if isinstance(each, ast.IfExp) else (each,))
                ]
                yield from (each.value for each in kept if isinstance(each, ast.Constant) and each.value)


def test_the_page_is_what_was_measured(honesty):
    assert honesty.page() == PAGE, "docs/honesty.md is written by `python benchmarks/honesty.py`"


def test_every_part_was_measured(honesty):
    assert honesty.NOT_YET not in PAGE


def test_no_line_that_was_measured_is_left_out(honesty):
    records = honesty.records
    studies = {file.name.split(".")[0] for file in records.FOLDER.glob("*.*.csv")}
    intervals = [row for part in honesty.INTERVALS for row in honesty.intervals_of(part)]
    tests = [row for part in honesty.TESTS for row in honesty.tests_of(part)]
    # As text, because a power that was not measured is NaN.
    assert sorted(map(repr, intervals)) == sorted(
        repr(row) for name in studies for row in records.intervals(name)
    )
    assert sorted(map(repr, tests)) == sorted(repr(row) for name in studies for row in records.tests(name))


def test_every_marked_line_of_ours_is_listed(honesty):
    rows = [
        (row, row.short, row.coverage) for part in honesty.INTERVALS for row in honesty.intervals_of(part)
    ]
    rows += [(row, row.too_many, row.false) for part in honesty.TESTS for row in honesty.tests_of(part)]
    ours = [(row.design, rate) for row, is_marked, rate in rows if is_marked and row.whose == "tallymark"]
    assert ours
    assert [line for line in ours if "| {} | {:.3f} |".format(*line) not in PAGE] == []


def test_what_is_marked(honesty):
    # By hand: sqrt(0.95 * 0.05 / 475) is 0.01, so two of them and 0.01 below 0.95 is 0.92.
    covered = honesty.Covered("f1", "", 10, "", "tallymark", 0.95, 0.9201, 0.1, 475)
    assert not covered.short
    assert covered._replace(coverage=0.9199).short
    assert covered._replace(coverage=0.939, runs=0).short
    rejected = honesty.Rejected("t", "", "tallymark", 0.0799, 0.5, 475)
    assert not rejected.too_many
    assert rejected._replace(false=0.0801).too_many


@each(
    "name",
    sorted(
        {
            *METHODS,
            *DIFFERENCE_METHODS,
            *PAIRED_METHODS,
            *AUC_METHODS,
            *MCNEMAR_METHODS,
            *get_args(Adjustment),
        }
    ),
)
def test_every_method_that_can_be_chosen_is_named(name):
    assert f"`{name}`" in PAGE


@each("name", sorted(set(methods_in_sources())))
def test_every_method_of_a_value_is_named(name):
    assert f"`{name}`" in PAGE


def test_methods_are_found_in_the_sources():
    assert {"wilson", "dirichlet", "group_bootstrap", "tango", "welch"} <= set(methods_in_sources())


@each("name", sorted(name for name in offered.__all__ if name.islower()))
def test_every_test_is_named(name):
    assert f"`tm.tests.{name}`" in PAGE


@each("name", sorted({**METRICS, **SCORE_METRICS, **SET_METRICS}))
def test_every_number_has_its_kind_of_interval_named(name):
    metric = {**METRICS, **SCORE_METRICS, **SET_METRICS}[name]
    line = next(line for line in PAGE.splitlines() if line.startswith(f"| `{metric.interval}` | "))
    assert name in line.split(" | ")[1].removesuffix(" |").split(", ")
