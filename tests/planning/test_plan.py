"""`tm.plan`: rows for a half width and for a difference, and what rows tell: published, by peers, exact."""

import json
import math
import re
from dataclasses import FrozenInstanceError
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import betabinom, binom, norm
from statsmodels.stats.proportion import (
    proportion_confint,
    samplesize_confint_proportion,
    samplesize_proportions_2indep_onetail,
)

import tallymark as tm
from scored import classes, refusals

Z = norm.isf(0.025)
SHARES = (0.5, 0.8, 0.9, 0.99, 0.03)


def peer_half_width(n: Any, share: float, level: float) -> Any:
    low, high = proportion_confint(np.asarray(n) * share, n, alpha=1 - level, method="wilson")
    return (high - low) / 2


# --- rows for a half width ---------------------------------------------------------------------------


def test_the_fewest_rows_for_a_half_width() -> None:
    """One row fewer is too few, every larger number is enough, and the interval is a peer's."""
    wrong = []
    for wanted, share, level in product((0.02, 0.05, 0.2), SHARES, (0.8, 0.95, 0.99)):
        made = tm.plan(half_width=wanted, expected=share, confidence_level=level)
        widths = peer_half_width(np.arange(max(1, made.n - 1), made.n + 300), share, level)
        fewest = made.n == 1 or widths[0] > wanted
        enough = (widths[made.n > 1 :] <= wanted).all() and (np.diff(widths) <= 0).all()
        low, high = proportion_confint(made.n * share, made.n, alpha=1 - level, method="wilson")
        if not (fewest and enough) or (made.low, made.high) != pytest.approx((low, high)):
            wrong.append((wanted, share, level, made))
    assert not wrong


def test_half_widths_by_hand() -> None:
    made = tm.plan(half_width=0.05, expected=0.9)
    assert (made.n, made.textbook_n) == (141, 139)  # 1.96^2 * 0.09 / 0.0025 = 138.3
    assert (made.method, made.difference, made.power, made.paired) == ("wilson", None, None, None)
    # At 0.5 Wilson's half width is z / (2 sqrt(n + z^2)), so n = (z / 2h)^2 - z^2 = 9603.65 - 3.84; the
    # textbook's is 1.96^2 * 0.25 / 0.01^2 = 9604.
    worst = tm.plan(half_width=0.01)
    assert (worst.n, worst.textbook_n, worst.expected, worst.chance) == (9600, 9604, None, 1)
    # (z / 2h)^2 = 960 364 705 173.5; taking z^2 = 3.84 off leaves 960 364 705 169.7.
    assert tm.plan(half_width=1e-6).n == pytest.approx(960364705170, abs=1)
    # z = 0.12566 for 10 %; (z / 2h)^2 - z^2 = 39.5.
    assert tm.plan(half_width=0.01, confidence_level=0.1).n == 40
    for share in SHARES:
        peer = samplesize_confint_proportion(share, 0.02, alpha=0.1)
        assert tm.plan(half_width=0.02, expected=share, confidence_level=0.9).textbook_n == np.ceil(peer)
    mirrored = tm.plan(half_width=0.02, expected=0.1, metric="error_rate")
    assert mirrored.n == tm.plan(half_width=0.02, expected=0.9).n


def test_the_chance_that_an_interval_is_narrow_enough_is_exact() -> None:
    wrong = []
    for share, wanted in product((*SHARES, 0.97), (0.02, 0.05)):
        made = tm.plan(half_width=wanted, expected=share)
        counts = np.arange(made.n + 1)
        low, high = proportion_confint(counts, made.n, method="wilson")
        exact = binom.pmf(counts, made.n, share)[(high - low) / 2 <= wanted + 1e-12].sum()
        about_half = share in (0.5, 0.99, 0.03) or 0.45 < made.chance < 0.6
        if made.chance != pytest.approx(exact, abs=1e-9) or not about_half:
            wrong.append((share, wanted, made.chance, exact))
    assert not wrong


def test_rows_of_one_class() -> None:
    """141 rows of the class, as above, over its proportion; and so many that there are surely enough."""
    rows: list[tuple[str, dict[str, float], int]] = [
        ("recall", {"prevalence": 0.1}, 1410),
        ("sensitivity", {"prevalence": 0.1}, 1410),
        ("specificity", {"prevalence": 0.1}, 157),
        ("precision", {"predicted_positive_rate": 0.3}, 470),
        ("npv", {"predicted_positive_rate": 0.9}, 1410),
    ]
    for metric, share, n in rows:
        made = tm.plan(half_width=0.05, expected=0.9, metric=metric, **share)  # type: ignore[arg-type]
        assert (metric, made.n, made.counted) == (metric, n, 141)
        (own,) = share.values()
        own = 1 - own if metric in ("specificity", "npv") else own
        found = re.search(r"in (\d+)% of samples, ([\d,]+) rows in 95%", " ".join(made.notes))
        assert found is not None
        sure = int(found[2].replace(",", ""))
        assert binom.sf(140, sure, own) >= 0.95 > binom.sf(140, sure - 1, own)
        assert int(found[1]) == round(100 * binom.sf(140, n, own))


def test_rows_in_groups() -> None:
    """1 + 19 * 0.1 = 2.9 rows tell as much as an independent one, and groups are taken whole."""
    alone, made = (
        tm.plan(half_width=0.02, expected=0.8, **more) for more in ({}, {"rows_per_group": 20, "icc": 0.1})
    )
    assert made.design_effect == pytest.approx(2.9)
    assert (made.groups, made.n) == (math.ceil(alone.n * 2.9 / 20), made.groups * 20)
    counts = {icc: tm.plan(half_width=0.02, expected=0.8, rows_per_group=5, icc=icc).n for icc in (0, 1)}
    assert counts == {0: 5 * math.ceil(alone.n / 5), 1: 5 * alone.n}
    found = tm.plan(difference=0.05, expected=0.8, rows_per_group=20, icc=0.1)
    alike = tm.plan(rows=round(found.n / 2.9), difference=0.05, expected=0.8)
    assert (found.power, alike.power) == pytest.approx((0.8, 0.8), abs=0.005)
    # Right predictions per group are beta-binomial with that correlation; its variance is known.
    deviation = math.sqrt(made.groups * betabinom(20, 0.8 * 9, 0.2 * 9).var()) / made.n
    assert deviation * Z == pytest.approx(0.02, rel=0.01)


# --- rows for a difference ---------------------------------------------------------------------------


def exact_power_on_other_rows(n: int, first: float, second: float) -> float:
    """How often the pooled z test rejects, summed over all pairs of counts."""
    counts = np.arange(n + 1)
    a, b = np.meshgrid(counts, counts, indexing="ij")
    pooled = (a + b) / (2 * n)
    rejects = np.abs(a - b) / n > Z * np.sqrt(2 * pooled * (1 - pooled) / n)
    return float(binom.pmf(counts, n, first) @ rejects @ binom.pmf(counts, n, second))


def exact_power_on_same_rows(n: int, difference: float, disagreement: float) -> dict[str, float]:
    """How often each form of McNemar's test rejects, summed over disagreements and who wins them."""
    total = dict.fromkeys(("uncorrected", "corrected", "mid_p"), 0.0)
    for apart in range(1, n + 1):
        weight = binom.pmf(apart, n, disagreement)
        if weight < 1e-9:
            continue
        wins = np.arange(apart + 1)
        fewer = np.minimum(wins, apart - wins)
        below = binom.pmf(wins, apart, 0.5)
        p_value = 2 * np.cumsum(below)[fewer] - below[fewer]
        chance = weight * binom.pmf(wins, apart, 0.5 + difference / (2 * disagreement))
        total["mid_p"] += chance[(p_value <= 0.05) & (2 * wins != apart)].sum()
        for form, less in (("uncorrected", 0), ("corrected", 1)):
            total[form] += chance[np.maximum(np.abs(2 * wins - apart) - less, 0) > Z * math.sqrt(apart)].sum()
    return total


def test_published_examples() -> None:
    # R, help page of power.prop.test: n = 76.7; power = 0.740 at n = 50; p2 = 0.8026 at power 0.9.
    made = tm.plan(difference=0.25, expected=0.5, power=0.9)
    assert (made.n, made.method, made.paired, made.values) == (77, "two_proportions", False, (0.5, 0.75))
    assert 0.9 <= made.power < 0.905
    assert tm.plan(rows=50, difference=0.25, expected=0.5).power == pytest.approx(0.740, abs=0.0005)
    assert 0.5 + tm.plan(rows=50, expected=0.5, power=0.9).difference == pytest.approx(0.8026, abs=0.00005)
    # Chow, Shao & Wang, Sample Size Calculations in Clinical Research; powerandsamplesize.com: 22.01.
    pairs = {(0.5, 0.2): 59, (0.45, 0.05): 23, (0.30, 0.15): 155}
    found = {both: tm.plan(difference=both[0] - both[1], disagreement=sum(both)) for both in pairs}
    assert {both: made.n for both, made in found.items()} == pairs
    assert {(made.method, made.paired, made.values) for made in found.values()} == {("mcnemar", True, None)}


def test_rows_of_a_peer() -> None:
    """The peer takes one tail, so it is given half of alpha."""
    wrong = []
    ways = product((0.5, 0.7, 0.85), (0.02, 0.1, -0.1), ((0.8, 0.95), (0.9, 0.99), (0.3, 0.9)))
    for first, difference, (power, level) in ways:
        side = "larger" if difference > 0 else "smaller"
        peer = samplesize_proportions_2indep_onetail(
            difference, first, power, alpha=(1 - level) / 2, alternative=side
        )
        made = tm.plan(difference=difference, expected=first, power=power, confidence_level=level)
        if made.n != math.ceil(peer):
            wrong.append((first, difference, power, made.n, peer))
    assert not wrong


def test_the_planned_power_is_reached() -> None:
    wrong: list[Any] = []
    for first, difference in ((0.5, 0.1), (0.5, 0.2), (0.7, 0.2), (0.85, 0.1), (0.95, 0.03)):
        for power in (0.8, 0.9):
            n = tm.plan(difference=difference, expected=first, power=power).n
            exact = exact_power_on_other_rows(n, first, first + difference)
            wrong += [] if -0.005 < exact - power < 0.02 else [(first, difference, power, exact)]
    # The formula for the same rows errs to the safe side, more so the fewer disagreements there are.
    for difference, disagreement in ((0.04, 0.1), (0.07, 0.1), (0.04, 0.2), (0.16, 0.4)):
        for power in (0.8, 0.9):
            n = tm.plan(difference=difference, disagreement=disagreement, power=power).n
            plain, corrected, mid_p = exact_power_on_same_rows(n, difference, disagreement).values()
            good = -0.002 < plain - power < 0.042 and abs(mid_p - plain) < 0.01
            good &= plain - 0.08 < corrected < plain and corrected > power - 0.05
            wrong += [] if good else [(difference, disagreement, power, plain, corrected, mid_p)]
    assert not wrong


def test_rows_power_and_difference_undo_each_other() -> None:
    wrong = []
    ways: list[dict[str, Any]] = [{}, {"expected": 0.85}, {"disagreement": 0.1}]
    ways += [{"expected": 0.85, "disagreement": 0.1}, {"expected": 0.3, "paired": True}]
    for given, power in product(ways, (0.1, 0.5, 0.8, 0.99)):
        n = tm.plan(difference=0.03, power=power, **given).n
        back = tm.plan(rows=n, difference=0.03, **given).power
        fewer = tm.plan(rows=n - 1, difference=0.03, **given).power
        if not fewer < power <= back:
            wrong.append((given, power, fewer, back))
        elif "paired" not in given and "disagreement" not in given:
            found = tm.plan(rows=n, power=power, **given).difference
            wrong += (
                []
                if found == pytest.approx(0.03, rel=2e-2 if power < 0.5 else 2e-3)
                else [(given, power, found)]
            )
    assert not wrong
    # Power grows with the difference, once it is even.
    for n in (100, 10_000):
        powers = [tm.plan(rows=n, difference=d, expected=0.85).power for d in np.linspace(0.001, 0.149, 40)]
        above = [power for power in powers if power >= 0.5]
        assert above == sorted(above) == powers[len(powers) - len(above) :]


def test_special_differences() -> None:
    # 0.85 * 0.13 + 0.87 * 0.15 = 0.241 of the rows; the variances differ by d^2 / 2 under the null only.
    same, other = (tm.plan(difference=0.02, expected=0.85, paired=paired) for paired in (True, False))
    assert same.disagreement == pytest.approx(0.241)
    assert same.n == pytest.approx(other.n, rel=0.002)
    lower = tm.plan(difference=0.02, expected=0.15, metric="error_rate")
    assert (lower.values, lower.n) == (pytest.approx((0.15, 0.13)), other.n)
    better, worse = (tm.plan(difference=d, expected=0.9) for d in (0.05, -0.05))
    assert worse.values == pytest.approx((0.9, 0.85))
    assert worse.n == tm.plan(difference=0.05, expected=0.85).n > better.n
    worst = tm.plan(difference=0.1).n
    assert worst >= max(tm.plan(difference=0.1, expected=p).n for p in np.linspace(0.01, 0.89, 45))
    # 50 rows at 0.98: even a perfect model has power 0.17.
    assert tm.plan(rows=50, expected=0.98).difference is None
    # A model that is always wrong and one that is always right leave nothing to chance.
    certain = {"difference": 1 - 1e-5, "disagreement": 1 - 1e-9}
    assert [tm.plan(rows=n, **certain).power for n in (4, 3)] == pytest.approx([1, 0], abs=0.01)


# --- what rows tell ----------------------------------------------------------------------------------


def test_rows() -> None:
    made = tm.plan(rows=1000, expected=0.85)
    assert (made.low, made.high) == pytest.approx(proportion_confint(850, 1000, method="wilson"))
    assert tm.plan(difference=made.difference, expected=0.85).n == 1000
    assert [row["disagreement"] for row in made.same_rows] == [0.02, 0.05, 0.1, 0.2]
    for row in made.same_rows:
        again = tm.plan(difference=row["difference"], expected=0.85, disagreement=row["disagreement"])
        assert again.n == 1000
    # Two models of 0.96 disagree on 0.08 of the rows at most, two of 0.05 on 0.1.
    for share in (0.96, 0.05):
        possible = tm.plan(rows=1000, expected=share).same_rows
        assert [row["disagreement"] for row in possible] == [0.02, 0.05]


def test_rows_of_an_evaluation() -> None:
    """(282 + 4841) / 5660 rows are right, 282 of 357 positives."""
    ev = tm.Confusion([[282, 75], [462, 4841]], labels=["1", "0"]).evaluate(pos_label="1")
    made, recall = tm.plan(rows=ev), tm.plan(rows=ev, metric="recall")
    assert (made.n, made.expected) == (5660, pytest.approx(5123 / 5660))
    assert (made.low, made.high) == pytest.approx((ev["accuracy"].low, ev["accuracy"].high))
    assert (recall.counted, recall.expected) == (357, pytest.approx(282 / 357))
    assert (recall.low, recall.high) == pytest.approx((ev["recall"].low, ev["recall"].high))
    assert tm.plan(rows=ev, expected=0.5).expected == 0.5
    perfect = tm.Confusion([[5, 0], [0, 5]], labels=["1", "0"]).evaluate(pos_label="1")
    assert classes(refusals({"": lambda: tm.plan(rows=perfect)})) == {"": "OptionError"}
    assert tm.plan(rows=perfect, expected=0.95).n == 10


# --- texts and refusals ------------------------------------------------------------------------------

PLANS: tuple[dict[str, Any], ...] = (
    {"half_width": 0.05}, {"half_width": 0.05, "expected": 0.9},
    {"half_width": 0.05, "expected": 0.9, "metric": "recall", "prevalence": 0.1},
    {"half_width": 0.05, "expected": 0.9, "rows_per_group": 4, "icc": 0.2}, {"difference": 0.05},
    {"difference": 0.05, "expected": 0.8, "paired": True}, {"difference": 0.05, "disagreement": 0.2},
    {"difference": 0.1, "disagreement": 0.1}, {"rows": 400}, {"rows": 400, "expected": 0.999},
    {"rows": 400, "difference": 0.05, "disagreement": 0.2},
    {"rows": 400, "metric": "precision", "predicted_positive_rate": 0.1}, {"rows": 1},
)  # fmt: skip
WIDTH = {"half_width": 0.1}
DIFFERENCE = {"difference": 0.1}
BAD: tuple[dict[str, Any], ...] = (
    {},
    *(WIDTH | more for more in ({"rows": 5}, {"difference": 0.1}, {"power": 0.8}, {"paired": True})),
    *({"half_width": h} for h in (0.5, 2, 0, -0.1, float("nan"), "0.1")),
    *(WIDTH | {"expected": expected} for expected in (0, 90)),
    *(WIDTH | {"metric": metric} for metric in ("f1", "recall", "recall_macro")),
    *(WIDTH | more for more in ({"prevalence": 0.1}, {"icc": 0.1}, {"confidence_level": 95})),
    *(WIDTH | {"rows_per_group": n} | more for n, more in ((5, {}), (1, {"icc": 0.1}), (5, {"icc": -0.1}))),
    *({"difference": difference} for difference in (0, 2)),
    *({"difference": d, "expected": expected} for d, expected in ((0.2, 0.85), (-0.2, 0.15))),
    *(DIFFERENCE | more for more in ({"power": 0.05}, {"power": 1}, {"confidence_level": 0.1})),
    *(DIFFERENCE | more for more in ({"disagreement": 0.05}, {"rows": 100, "power": 0.9})),
    {"difference": 0.02, "expected": 0.95, "disagreement": 0.2},
    {"rows": 100, "expected": 0.95, "disagreement": 0.1},
    {"difference": 0.1, "metric": "precision", "predicted_positive_rate": 0.2, "paired": True},
    *({"rows": rows} for rows in (0, 10.5, "many")),
)


def test_plans_in_words_and_json(snapshot) -> None:
    said, wrong = {}, []
    for given in PLANS:
        made = tm.plan(**given)
        form = json.loads(json.dumps(made.to_dict(), allow_nan=False))
        same = form["schema"] == "tallymark/plan/1" and (form["n"], form["notes"]) == (
            made.n,
            list(made.notes),
        )
        if not same or len([row for row in made.table if row["n"] == made.n]) != 1:
            wrong.append(given)
        said[str(given)] = str(made)
    assert not wrong
    with pytest.raises(FrozenInstanceError):
        made.n = 5  # type: ignore[misc]
    refused = refusals({str(given): lambda given=given: tm.plan(**given) for given in BAD})
    assert set(classes(refused).values()) == {"OptionError"}
    unknown = refusals({"unknown metric": lambda: tm.plan(half_width=0.1, metric="recal")})
    assert classes(unknown) == {"unknown metric": "MetricError"}
    snapshot("text_plan", said | refused | unknown)
