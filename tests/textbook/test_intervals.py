"""The confidence interval of an accuracy, its z, and the binomial distribution behind it."""

import json
import math

import pytest
from textbook_cases import CASES, command

import tallymark as tm
from formulas import ends

INTERVAL = CASES["wilson-accuracy-0.8"]


def columns():
    """(N, correct, ends) of every column of the document's table."""
    expected = INTERVAL["expected"]
    for n, *limits in zip(INTERVAL["n"], expected["low"], expected["high"], strict=True):
        yield n, round(INTERVAL["accuracy"] * n), tuple(limits)


def z_of(level):
    """Wald's half width for 50 of 100 is z / 20."""
    low, high = ends(tm.interval(50, 100, method="wald", confidence_level=level))
    return (high - low) * 10


def test_wilson_interval_from_counts_in_an_evaluation_and_on_the_command_line():
    for n, correct, limits in columns():
        half = correct // 2
        ev = tm.Confusion([[half, n - correct], [0, correct - half]]).evaluate()
        assert ev["accuracy"].method == "wilson"
        found = [ends(tm.interval(correct, n)), ends(ev["accuracy"])]
        document = json.loads(command("interval", "--correct", str(correct), "--of", str(n), "--json"))
        found.append((document["low"], document["high"]))
        for low_and_high in found:
            assert tuple(round(end, INTERVAL["rounded"]) for end in low_and_high) == limits


def test_wilson_interval_is_the_formula_with_its_z():
    accuracy, z = INTERVAL["accuracy"], z_of(0.95)
    assert round(z, 2) == INTERVAL["z"]
    for n, correct, _ in columns():
        centre, root = 2 * n * accuracy + z**2, z * math.sqrt(z**2 + 4 * n * accuracy - 4 * n * accuracy**2)
        by_hand = ((centre - root) / (2 * (n + z**2)), (centre + root) / (2 * (n + z**2)))
        assert ends(tm.interval(correct, n)) == pytest.approx(by_hand, rel=1e-12)


def test_the_upper_limit_for_100_rows_is_that_of_the_text_and_not_of_the_table():
    # The table prints 0.866, the text beside it 86.7%; the value is 0.8666.
    assert round(tm.interval(80, 100).high, 4) == 0.8666


def test_z_table():
    case = CASES["z-table"]
    for level, printed in zip(case["confidence"], case["expected"]["z"], strict=True):
        z = z_of(level)
        if level == 0.9:
            # 1.6449, which the document rounds up.
            assert (round(z, 4), math.ceil(z * 100) / 100) == (1.6449, printed)
        else:
            assert round(z, case["rounded"]) == printed


def test_binomial():
    case = CASES["binomial-coin"]
    coin, expected = tm.binomial(case["n"], case["p"]), case["expected"]
    assert round(coin.pmf(case["k"]), case["rounded"]) == expected["pmf"]
    assert (coin.mean, coin.variance) == (expected["mean"], expected["variance"])
