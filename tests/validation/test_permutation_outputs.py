"""A permutation test that stops early, by exact fractions; text, JSON, tables, files and pictures of all."""

from __future__ import annotations

import csv
import json
from fractions import Fraction
from functools import cache
from math import comb

import joblib
import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import tallymark as tm
from permuting import CLASSES, scripted_test
from scored import picture

RISK = Fraction(1, 1000)
ROWS = 48
Y = np.arange(ROWS) % 2
NOISE = np.random.default_rng(5).normal(size=(ROWS, 2))
SIGNAL = NOISE + 4 * Y[:, None]


@cache
def outcomes(alpha, most):
    """Of what can come out, strongest first: (permutations looked at, as good), its ways, and its side.

    After n permutations a test stops low, or high, where the chance to have done so by then, if alpha were
    the share of all permutations that are as good, stays at or below RISK * n / (1000 + n).
    """
    alive, spent, low, high = {0: 1}, [Fraction(0), Fraction(0)], [], []
    for n in range(1, most + 1):
        after = {}
        for b, ways in alive.items():
            after[b] = after.get(b, 0) + ways
            after[b + 1] = after.get(b + 1, 0) + ways
        may, stops = RISK * n / (1000 + n), ([], [])
        for side, order in enumerate((sorted(after), sorted(after, reverse=True))):
            for b in order:
                chance = after[b] * alpha**b * (1 - alpha) ** (n - b)
                if spent[side] + chance > may:
                    break
                spent[side] += chance
                stops[side].append(b)
        low += [((n, b), after[b], "low") for b in stops[0]]
        high += [((n, b), after[b], "high") for b in stops[1]]
        alive = {b: ways for b, ways in after.items() if b not in (*stops[0], *stops[1])}
    drawn = [((most, b), ways, None) for b, ways in sorted(alive.items())]
    return [*low, *drawn, *reversed(high)]


def found_of(alpha, good):
    """After how many of these permutations it stops, on which side, and how many are as good till then."""
    sides = {outcome: side for outcome, _, side in outcomes(alpha, len(good)) if side}
    as_good = np.cumsum(good).tolist()
    for n, b in enumerate(as_good, 1):
        if (n, b) in sides:
            return n, b, sides[n, b]
    return len(good), as_good[-1], None


def p_of(alpha, n, b):
    """Without a relation b + 1 of n + 2 places of the next one are as good: of each way a chance."""
    total = Fraction(0)
    for (at, good), ways, _ in outcomes(alpha, n):
        total += Fraction(ways, (at + 1) * comb(at, good))
        if (at, good) == (n, b):
            return total
    raise AssertionError


def tails(alpha, n, b, share):
    """The chances of outcomes at least as strong, and at least as weak, where so many of all are as good."""
    every = outcomes(alpha, n)
    chances = [ways * share**good * (1 - share) ** (at - good) for (at, good), ways, _ in every]
    place = [outcome for outcome, *_ in every].index((n, b))
    return sum(chances[: place + 1]), sum(chances[place:])


def drawn(share, seed, most):
    return (np.random.default_rng(seed).random(most) < share).astype(int).tolist()


SEQUENCES = [
    [0] * 200, [1] * 9, [0] * 4 + [1] * 40, [0] * 40, [0, 1] * 40, [1] * 4 + [0] * 150,
    [1, 0, 0, 0, 0, 0, 0, 0, 0] * 25,
    *(drawn(share, seed, 160) for share in (0.02, 0.06, 0.12, 0.3) for seed in range(2)),
]  # fmt: skip
LEVELS = (0.95, 0.8, 0.5, 0.99)


def test_where_it_stops_p_and_the_interval_are_those_of_the_rule():
    wrong, sides = [], set()
    for level in LEVELS:
        alpha = 1 - Fraction(str(level))
        for place, good in enumerate(SEQUENCES if level == 0.95 else SEQUENCES[:7]):
            # Of ten rows 5 are right with the real classes, and as good are 6, or as many.
            test = scripted_test(
                5, [(4, 5 + place % 2)[each] for each in good], early_stop=True, confidence_level=level
            )
            n, b, side = found_of(alpha, good)
            sides.add(side)
            stopped = test.stopped and (test.stopped.after, test.stopped.of, test.stopped.side)
            checks = {
                "n": (test.n_permutations, test.at_least_as_good) == (n, b),
                "stopped": stopped == (side and (n, len(good), side)),
                "p": test.p_value == pytest.approx(float(p_of(alpha, n, b)), rel=1e-11),
                "p_error": test.p_error is None,
            }
            for other in (test, test.interval(0.6)):
                low, high, tail = other.p_low, other.p_high, (1 - other.level) / 2
                # The interval is Clopper and Pearson's with the outcomes in this order.
                strong, weak = tails(alpha, n, b, high)[0], tails(alpha, n, b, low)[1]
                checks["low"] = low == 0 if b == 0 else weak == pytest.approx(tail, rel=1e-5)
                checks["high"] = high == 1 if n == b else strong == pytest.approx(tail, rel=1e-5)
            wrong += [(level, place, (n, b), name) for name, right in checks.items() if not right]
    assert not wrong
    assert sides == {"low", "high", None}


def test_numbers_by_hand():
    # 0.95^173 is the first power below 0.001 n / (1000 + n); of 174 results the real one is the best.
    low = scripted_test(9, [5] * 500, early_stop=True)
    assert (low.stopped.after, low.stopped.side, low.p_value) == (173, "low", 1 / 174)
    assert (low.p_low, low.p_high) == pytest.approx((0, 1 - 0.025 ** (1 / 173)))
    # 0.05^4 = 6.3e-6 is more than 0.001 * 4 / 1004 = 4.0e-6; 0.05^5 = 3.1e-7 is less than 5.0e-6.
    high = scripted_test(5, [9] * 9, early_stop=True)
    assert (high.stopped.after, high.stopped.side, high.p_value) == (5, "high", 1)
    assert (high.p_low, high.p_high) == pytest.approx((0.025 ** (1 / 5), 1))
    # At 20 %, 0.8^46 = 3.5e-5 is the first power below it.
    other = scripted_test(9, [5] * 60, early_stop=True, confidence_level=0.8)
    assert (other.stopped.after, other.stopped.level, other.stopped.risk) == (46, 0.8, 0.001)
    # Where nothing can have stopped before, p is the usual one to the last digit.
    for n, b in ((16, 0), (40, 4), (100, 3)):
        assert scripted_test(5, [5] * b + [4] * (n - b), early_stop=True).p_value == (b + 1) / (n + 1)
    # p does not depend on how many were asked for, and another level leaves the rule as it is.
    again = scripted_test(9, [5] * 5000, early_stop=True)
    assert (again.p_value, again.p_high, again.n_permutations) == (low.p_value, low.p_high, 173)
    assert (low.interval(0.5).stopped, low.interval(0.5).p_value) == (low.stopped, low.p_value)


def test_it_is_the_beginning_of_the_whole_test():
    chosen = {"param_grid": {"var_smoothing": [1e-9, 0.1]}, "inner_cv": 2}
    for name in ({}, {"cv": 3, "permute": "all"}, {"cv": 3, "metric": "brier"}, chosen):
        options = {"n_permutations": 60, **name}
        whole = tm.permutation_test(GaussianNB(), NOISE, Y, **options)
        early = tm.permutation_test(GaussianNB(), NOISE, Y, early_stop=True, **options)
        n, *_ = found_of(Fraction(1, 20), whole.as_good.astype(int).tolist())
        assert n < 60, name
        assert early.permuted.tolist() == whole.permuted[:n].tolist(), name
        assert (early.value, early.candidates) == (whole.value, whole.candidates), name
        assert (whole.stopped, whole.rule) == (None, None)


def test_the_number_of_workers_does_not_matter():
    # It warns in every fit, and fits made in vain are not among those that warnings are counted of.
    model = LogisticRegression(max_iter=1)
    options = {"n_permutations": 300, "early_stop": True, "cv": 2, "permute": "all"}
    one = tm.permutation_test(model, NOISE, Y, **options)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        two = tm.permutation_test(model, NOISE, Y, **options)
    assert one.to_dict() == two.to_dict()
    assert one.stopped.after < 300
    assert any("ConvergenceWarning" in note for note in one.notes)
    # Ties and fits that fail count as good.
    test = tm.permutation_test(DummyClassifier(), NOISE, Y, n_permutations=100, early_stop=True)
    assert (test.stopped.after, test.ties, test.p_value) == (5, 5, 1)
    test = scripted_test(10, [None] * 100, early_stop=True)
    assert (test.stopped.after, test.failed, test.undefined) == (5, 5, 5)


GOOD = [5] * 10 + [6] * 15 + [7] * 13 + [9]
TWICE = [(np.r_[0:20], np.r_[20:30]), (np.r_[0:10, 20:30], np.r_[10:20]), (np.r_[10:30], np.r_[0:5, 6:10])]
AGAIN = [*TWICE, (np.r_[0:15], np.r_[15:30])]
FOLDS = {"cv": TWICE}
PAIRS = np.column_stack((np.arange(30) % 6, 6 + np.arange(30) // 6))


def sized(sizes):
    """Groups of these sizes, each of one class."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    options = {"groups": groups, "X": groups[:, None] % 2, "y": np.where(groups % 2, "yes", "no")}
    return options | {"cv": [(np.flatnonzero(groups % 3), np.flatnonzero(groups % 3 == 0))]}


def large(rows=200):
    """100 rows are learned, the others are tested."""
    each = np.arange(rows)
    data = {"X": each[:, None] % 2, "y": np.where(each % 2, "yes", "no")}
    return data | {"cv": [(each[:100], each[100:])]}


# What is right of ten rows with the real classes and with the permuted ones, and how they were cut.
DESIGNS = {
    "exact, and shown": (9, GOOD, {}), "nothing shown": (6, [5, 7] * 20, {}),
    "worse than the majority": (5, [4] * 39, {}), "as good as the majority": (6, [4] * 39, {}),
    "too few permutations": (9, [5] * 9, {}),
    "too few for another level": (9, [5] * 39, {"confidence_level": 0.99}),
    "never as good": (1, [5] * 39, {}), "folds": (9, [5] * 39, FOLDS),
    "folds, nothing shown": (5, [5] * 39, FOLDS),
    "folds, all rows": (9, [5] * 39, {**FOLDS, "permute": "all"}),
    "rows tested again": (9, [5] * 39, {"cv": AGAIN}),
    "rows tested again, nothing shown": (9, [9] * 39, {"cv": AGAIN}),
    "rows tested again, all rows": (9, [5] * 39, {"cv": AGAIN, "permute": "all"}),
    "a large holdout, nothing shown": (50, [50] * 39, large()),
    "a small holdout by a loss": (5, [5] * 39, {"metric": "brier"}), "of one direction": (9, [5] * 400, {}),
    "failed fits": (9, [5] * 30 + [None] * 9, {}),
    "groups of the same size": (9, [5] * 39, sized([2] * 6 + [5] * 6 + [9])),
    "groups of similar size": (9, [5] * 39, sized([1, 2, *range(8, 29)])),
    "groups on both sides": (9, [5] * 39, {"groups": CLASSES + np.arange(30) % 5 * 2}),
    "rows of a group, all rows": (9, [5] * 39, {**FOLDS, "groups": np.arange(30) // 10, "permute": "all"}),
    "pairs, all rows": (9, [5] * 39, {**FOLDS, "groups": PAIRS, "permute": "all"}),
    "stopped low": (9, [5] * 1000, {"early_stop": True}),
    "stopped high": (5, [4] * 4 + [6] * 996, {"early_stop": True}),
    "stopped high, of few": (5, [4] * 4 + [6] * 11, {"early_stop": True}),
    "not stopped": (9, [5] * 40, {"early_stop": True}),
}  # fmt: skip


@cache
def made(design):
    real, permuted, options = DESIGNS[design]
    return scripted_test(real, permuted, **options)


@cache
def tuned():
    options = {"param_grid": {"var_smoothing": [1e-9, 0.1]}, "groups": np.arange(30) // 10}
    X, y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 2
    return tm.permutation_test(GaussianNB(), X, y, n_permutations=5, **options)


WHOLE = ("exact, and shown", "failed fits", "stopped low", "folds")


def without_numbers(text):
    """A report without its tables, and from the verdict on."""
    verdict, rest = text.partition("Verdict\n")[2].split("\nResults\n")
    notes = [each for each in text.partition("\nVerdict")[0].split("\n\n") if each.startswith("Note:")]
    return "\n".join([*notes, verdict.lstrip("-\n"), rest.partition("What is tested\n")[2].lstrip("-\n")])


def test_reports(snapshot):
    more = {"with parameters": str(tuned()), "in one line": repr(made("exact, and shown"))}
    other = made("stopped low").interval(0.999)
    more |= {"at another level": f"{other.verdict} [{other.p_low:.3f}, {other.p_high:.3f}]"}
    texts = {design: str(made(design)) for design in DESIGNS}
    shown = {design: text if design in WHOLE else without_numbers(text) for design, text in texts.items()}
    snapshot("permute_text", shown | more)
    exact = {"exact, and shown": True, "folds": False, "folds, all rows": True, "groups on both sides": False}
    exact |= {"rows of a group, all rows": True, "pairs, all rows": False}
    assert {design: made(design).exact for design in exact} == exact
    assert max(len(line) for text in texts.values() for line in text.splitlines()) <= 100


def test_the_json_document_has_every_permutation():
    form = json.loads(scripted_test(9, [5, None, 10], confidence_level=0.9).to_json())
    expected = {
        "value": 0.9, "metric": "accuracy", "better": "higher", "level": 0.9, "at_least_as_good": 2,
        "ties": 0, "undefined": 1, "failed": 1, "n_permutations": 3, "p_value": 3 / 4,
        "p_error": pytest.approx((3 / 4 * 1 / 4 / 3) ** 0.5), "baseline": {"value": 0.6},
        "permute": "training", "among": "rows", "exact": True, "folds": 1, "candidates": None,
        "early_stop": False, "stopped": None,
    }  # fmt: skip
    assert {name: form[name] for name in expected} == expected
    permuted = form["permuted"]
    assert permuted["values"] == [0.5, None, 1.0]
    assert permuted["standard_deviation"] == pytest.approx(0.5 / np.sqrt(2))
    assert [permuted[name] for name in ("mean", "lowest", "highest")] == [0.75, 0.5, 1.0]
    assert permuted["quantiles"] == pytest.approx(
        {"0.05": 0.525, "0.25": 0.625, "0.5": 0.75, "0.75": 0.875, "0.95": 0.975}
    )
    undefined = scripted_test(9, [5], metric="precision").to_dict()["baseline"]
    assert (undefined["value"], bool(undefined["why"])) == (None, True)
    stopped = json.loads(made("stopped high").to_json())
    assert stopped["stopped"] == {"after": 10, "of": 1000, "side": "high", "risk": 0.001, "level": 0.95}
    assert (stopped["early_stop"], stopped["p_error"]) == (True, None)
    assert stopped["p_low"] < 6 / 10 < stopped["p_high"]
    assert (tuned().to_dict()["candidates"], made("not stopped").to_dict()["stopped"]) == (2, None)


def test_the_table_begins_with_the_real_classes(tmp_path):
    test = scripted_test(9, [5, None])
    test.save(tmp_path / "a.csv")
    rows = list(csv.DictReader((tmp_path / "a.csv").read_text("utf-8").splitlines()))
    found = [(row["permutation"], row["classes"], row["accuracy"]) for row in rows]
    assert found == [("0", "real", "0.9"), ("1", "permuted", "0.5"), ("2", "permuted", "")]
    assert test.to_frame("polars")["at_least_as_good"].to_list() == [True, False, True]
    assert test.report().sections[0].blocks[0].text.startswith(test.verdict)


@cache
def many(metric="accuracy"):
    """Of 1,000 test rows so many are right that each permutation is another one."""
    right = np.random.default_rng(0).normal(500, 100, 200).astype(int).tolist()
    return scripted_test(610, right, metric=metric, **large(1100))


def bars(axes):
    """Of each kind, worse and as good, the middle and the height of every bar."""
    found = []
    for area in axes.patches:
        x, y = area.get_xy().T
        tops = np.flatnonzero((np.diff(x) != 0) & (np.diff(y) == 0) & (y[1:] > 0))
        found.append(sorted(((x[at] + x[at + 1]) / 2, y[at]) for at in tops))
    return found


def test_pictures(snapshot):
    names = ("exact, and shown", "never as good", "stopped high", "failed fits")
    shown = {name: made(name) for name in names}
    shown["all the same"] = scripted_test(5, [5] * 20)
    shown["none has a value"] = scripted_test(5, [None] * 20)
    shown["many values"] = many()
    shown["many values of a loss"] = many("error_rate")
    snapshot("permute_pictures", {name: picture(test.plot()) for name, test in shown.items()})
    # Bars count the permutations.
    worse, good = bars(made("exact, and shown").plot())
    assert [(round(x, 9), round(39 * height, 6)) for x, height in worse] == [(0.5, 10), (0.6, 15), (0.7, 13)]
    assert [(round(x, 9), round(39 * height, 6)) for x, height in good] == [(0.9, 1)]
    for metric in ("accuracy", "error_rate"):
        worse, good = bars(many(metric).plot())
        assert 200 * sum(height for _, height in good) == pytest.approx(many().at_least_as_good)
        assert sum(height for _, height in worse + good) == pytest.approx(1)
        assert 8 <= len(worse + good) <= 45
        # No bar holds both kinds: they meet at the real result.
        real = many(metric).value
        assert all((x > real) == (metric == "error_rate") for x, _ in worse)
        assert all((x > real) == (metric == "accuracy") for x, _ in good)
