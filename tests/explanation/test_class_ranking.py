"""Numbers about all classes explained: every line can be followed with a pocket calculator."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tallymark.explanation.class_ranking import explain_classes
from tallymark.inference.classes.ranking import class_ranking
from tallymark.metrics import ask
from tallymark.metrics.classes import AREAS

# By its own score a beats both others; b beats c and ties with a; c beats a and loses to b.
TABLE = np.array([[0.9, 0.3, 0.1], [0.2, 0.3, 0.4], [0.1, 0.2, 0.3]])
SMALL = class_ranking(TABLE, np.array([0, 1, 2]), labels=["a", "b", "c"])


def rows(n=90, groups=None, **options):
    generator = np.random.default_rng(0)
    classes = np.arange(n) % 3
    table = generator.normal(size=(n, 3))
    table[np.arange(n), classes] += 1
    group = None if groups is None else (tuple(range(groups)), np.arange(n) % groups)
    return class_ranking(table, classes, labels=["a", "b", "c"], group=group, **options)


def lines(made, name):
    return [line.strip() for line in explain_classes(ask(name), made).to_text().splitlines()]


def test_every_class_against_the_rest():
    text = lines(SMALL, "auc_ovr_macro")
    assert "auc_k = won / (positives * negatives) = 2 / (1 * 2) = 1 ('a')" in text
    assert "auc_k = won / (positives * negatives) = 1.5 / (1 * 2) = 0.75 ('b')" in text
    assert "auc_k = won / (positives * negatives) = 1 / (1 * 2) = 0.5 ('c')" in text
    assert "= (1 + 0.75 + 0.5) / 3" in text
    assert "= 0.75" in text


def test_every_pair_of_classes():
    text = lines(SMALL, "auc_ovo_macro")
    assert "area_k = (one + other) / 2 = (1 + 0.5) / 2 = 0.75 ('a' and 'b')" in text
    assert "area_k = (one + other) / 2 = (1 + 1) / 2 = 1 ('a' and 'c')" in text
    assert "area_k = (one + other) / 2 = (1 + 0) / 2 = 0.5 ('b' and 'c')" in text
    assert "= (0.75 + 1 + 0.5) / 3" in text


def test_first_places():
    text = lines(SMALL, "top_k_accuracy:2")
    assert "within = 3 (rows whose class is among the k most probable)" in text
    assert "= 3 / 3" in text


@pytest.mark.parametrize("name", [*AREAS, "top_k_accuracy:2"])
@pytest.mark.parametrize("options", [{}, {"groups": 30}, {"groups": 5}, {"weight": np.linspace(0.5, 2, 90)}])
def test_the_last_line_is_the_interval(name, options):
    made = rows(**options)
    found = made.of(ask(name))
    explained = explain_classes(ask(name), made)
    low, high = map(float, re.fullmatch(r"low = (.+), high = (.+)", explained.interval[-1].text).groups())
    assert (low, high) == pytest.approx((found.low, found.high), abs=1e-4)
    assert explained.value == found.value
    assert explained.to_latex().count(r"\begin{aligned}") == 2


def test_the_logit_scale_line_by_line():
    text = lines(rows(), "auc_ovo_macro")
    found = rows().of(ask("auc_ovo_macro"))
    low = next(float(line.split(" = ")[-1]) for line in text if line.startswith("low = 1 /"))
    assert low == pytest.approx(found.low, abs=1e-5)


def test_complete_separation():
    made = class_ranking(np.repeat(np.eye(3), 5, axis=0), np.repeat(np.arange(3), 5), labels="abc")
    text = "\n".join(lines(made, "auc_ovr_macro"))
    assert "areas taken to be equal, after Newcombe (2006), method 5" in text
    by_rows, by_pairs = map(float, re.search(r"by_rows = ([\d.]+), by_pairs = ([\d.]+)", text).groups())
    mean = float(re.search(r"low = ([\d.]+), high = 1", text)[1])
    part = (1 - mean) / (2 - mean) + mean / (1 + mean)
    spread = by_rows * part + by_pairs * (1 - part)
    # The lower end is 1.96 of its own standard errors below 1.
    assert (1 - mean) ** 2 == pytest.approx(1.96**2 * mean * (1 - mean) * spread, rel=1e-3)


def test_undefined():
    one = class_ranking(np.ones((2, 2)), np.zeros(2, int), labels="ab")
    assert "undefined: all rows are of one class (classes - 1 = 0)" in lines(one, "auc_ovo_macro")
    assert "undefined: there are no scores" in lines("there are no scores", "top_k_accuracy:2")


def test_many_classes_are_cut_short():
    generator = np.random.default_rng(0)
    made = class_ranking(generator.random((100, 50)), np.arange(100) % 50, labels=range(50))
    assert "and so on for 38 more classes" in lines(made, "auc_ovr_macro")
    assert "and so on for 1,213 more pairs" in lines(made, "auc_ovo_macro")
    assert all(len(line) <= 100 for line in lines(made, "auc_ovo_weighted"))
