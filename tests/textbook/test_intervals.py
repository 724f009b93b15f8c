"""The confidence interval of an accuracy, its z, and the binomial distribution behind it."""

from __future__ import annotations

import json
import math

import pytest

import tallymark as tm
from tallymark.intervals import z_quantile


def ends(low_and_high, decimals):
    return tuple(round(end, decimals) for end in low_and_high)


def table(case):
    """(N, correct, low, high) of every column of the document's table."""
    columns = zip(case["n"], case["expected"]["low"], case["expected"]["high"], strict=True)
    return [(n, round(case["accuracy"] * n), low, high) for n, low, high in columns]


def test_wilson_interval_from_two_counts(interval_case):
    for n, correct, low, high in table(interval_case):
        found = tm.interval(correct, n)
        assert ends((found.low, found.high), interval_case["rounded"]) == (low, high)


def test_wilson_interval_of_an_evaluation(interval_case):
    for n, correct, low, high in table(interval_case):
        wrong = n - correct
        half = correct // 2
        ev = tm.Confusion([[half, wrong], [0, correct - half]]).evaluate()
        assert ev["accuracy"].method == "wilson"
        assert ends((ev["accuracy"].low, ev["accuracy"].high), interval_case["rounded"]) == (low, high)


def test_wilson_interval_on_the_command_line(interval_case, run):
    for n, correct, low, high in table(interval_case):
        document = json.loads(run("interval", "--correct", str(correct), "--of", str(n), "--json"))
        assert ends((document["low"], document["high"]), interval_case["rounded"]) == (low, high)


def test_wilson_interval_is_the_formula_with_its_z(interval_case):
    accuracy, z = interval_case["accuracy"], z_quantile(0.95)
    assert round(z, 2) == interval_case["z"]
    for n, correct, _, _ in table(interval_case):
        centre, root = 2 * n * accuracy + z**2, z * math.sqrt(z**2 + 4 * n * accuracy - 4 * n * accuracy**2)
        found = tm.interval(correct, n)
        by_hand = ((centre - root) / (2 * (n + z**2)), (centre + root) / (2 * (n + z**2)))
        assert (found.low, found.high) == pytest.approx(by_hand, rel=1e-12)


def test_the_upper_limit_for_100_rows_is_the_text_s_and_not_the_table_s(interval_case):
    # The table prints 0.866, the text beside it 86.7%; the value is 0.8666.
    high = tm.interval(80, 100).high
    assert round(high, 4) == 0.8666
    assert round(high, 3) == 0.867


def test_z_table(quantile_case):
    for level, printed in zip(quantile_case["confidence"], quantile_case["expected"]["z"], strict=True):
        z = z_quantile(level)
        if level == 0.9:
            # 1.6449, which the document rounds up.
            assert (round(z, 4), math.ceil(z * 100) / 100) == (1.6449, printed)
        else:
            assert round(z, quantile_case["rounded"]) == printed


def test_binomial(binomial_case):
    coin = tm.binomial(binomial_case["n"], binomial_case["p"])
    expected = binomial_case["expected"]
    assert round(coin.pmf(binomial_case["k"]), binomial_case["rounded"]) == expected["pmf"]
    assert (coin.mean, coin.variance) == (expected["mean"], expected["variance"])
