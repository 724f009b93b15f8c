"""Bands of extrapolated learning curves hold the truth, and progressive sampling seldom stops too soon.

This is benchmarks/coverage_learning.py in small.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

FILE = Path(__file__).parents[1] / "coverage_learning.py"
_spec = importlib.util.spec_from_file_location("coverage_learning", FILE)
coverage = importlib.util.module_from_spec(_spec)
sys.modules["coverage_learning"] = coverage
_spec.loader.exec_module(coverage)

DESIGN = replace(next(coverage.designs(quick=True)), sets=150)


def test_bands_hold_the_truth_and_the_plain_interval_does_not():
    # Binomial: of 16 samples, 13 or more hold with a probability of 0.993 where 0.95 do.
    found = coverage.measure(DESIGN, 16)
    assert min(found.coverage(what) for what in ("first", "middle", "last", "x2", "x10")) >= 13 / 16
    assert found.coverage("last, plain") < 0.85
    assert len(found.held["x2"]) >= 12
    assert found.wide("x2") < 0.08


def test_progressive_sampling_seldom_stops_too_soon():
    # True gains of the doublings are 0.046, 0.041, 0.030, 0.019 and 0.012.
    wrong, _ = np.mean(list(coverage.stops(replace(DESIGN, tolerance=0.025), 16)), axis=0)
    assert wrong <= 3 / 16


def test_it_seldom_does_where_all_that_repeats_share_is_left_in_a_gain():
    # Every doubling is worth 0.03. With 0.2 of what is shared, or after one doubling, 20 % or more are wrong:
    # of 40 samples, 3 or fewer then have a probability of 0.03; where 1 % are, more have one of 0.001.
    stable = next(design for design in coverage.designs(quick=True) if design.title == "stable learner")
    wrong, _ = np.mean(list(coverage.stops(replace(stable, sets=150), 40)), axis=0)
    assert wrong <= 3 / 40
