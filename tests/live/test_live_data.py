"""What the live part of a page knows: whoever types one of its thresholds gets the counts shown there."""

import json
import re
import tempfile
import zlib
from base64 import b64decode
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm
from collected import each

ACTUAL = ["sick", "sick", "well", "well", "well"]
SCORE = [0.9, 0.4, 0.6, 0.2, 0.1]
PROBABILITIES = np.array([[0.6, 0.2, 0.2], [0.1, 0.7, 0.2], [0.5, 0.1, 0.4], [0.1, 0.2, 0.7]])


def packed(result: Any) -> str:
    """As it stands in a page; empty where there is nothing to try."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "report.html")
        result.save(path)
        found = re.findall(r"id=live-data>([A-Za-z0-9+/=]+)</script>", path.read_text())
    return "".join(found)


def known(result: Any) -> Any:
    return json.loads(zlib.decompress(b64decode(packed(result)), -15))


def curve(result: Any) -> dict[str, Any]:
    found: dict[str, Any] = known(result)["models"][0]["curves"][0]
    return found


def came(*sums: list[int]) -> list[dict[str, list[int]]]:
    """Of each class two sums as the page came: of the positives, and of the negatives."""
    return [{"tp": tp, "fp": fp} for tp, fp in zip(sums[::2], sums[1::2], strict=True)]


def of_scores(**more: Any) -> tm.Evaluation:
    return tm.evaluate(ACTUAL, y_score=SCORE, **{"pos_label": "sick", "threshold": 0.5} | more)


def decoded(made: dict[str, Any]) -> list[tuple[float, Any, Any]]:
    """Every threshold with what is predicted positive there, of the positives and of the negatives."""
    if "thresholds" in made:
        thresholds = made["thresholds"]
    else:
        first, *others = made["steps"]
        whole = accumulate(others, lambda one, step: one - step, initial=first)
        thresholds = [float(Fraction(each, 10 ** made["digits"])) for each in whole]
    sums = ([made["unit"] * each for each in accumulate(made[side])] for side in ("positives", "negatives"))
    return list(zip(thresholds, *sums, strict=True))


def thresholds_of(score: Sequence[float], threshold: float | None = None) -> tuple[list[float], int]:
    """Those of a page, and which is the one given."""
    actual = [1, 1, *[0] * (len(score) - 2)]
    made = curve(tm.evaluate(actual, y_score=score, threshold=threshold, labels=[0, 1], pos_label=1))
    return [at for at, _, _ in decoded(made)], made["at"]


# --- by hand -----------------------------------------------------------------------------------


def test_two_classes_by_hand() -> None:
    data = known(of_scores(costs={"sick": {"well": 10}, "well": {"sick": 1}}))
    assert data["classes"] == [{"label": "sick", "rest": "well"}]
    assert (data["costs"], data["prior"], data["grouped"]) == ([0, 10, 1, 0], None, False)
    (model,) = data["models"]
    assert (model["name"], model["came"]) == ("", came([0, 1, 2], [0, 1, 3]))
    expected = {"positives": [1, 0, 1, 0, 0], "negatives": [0, 1, 0, 1, 1], "unit": 1, "square_unit": 1}
    # 0.9, 0.5 as it was given, 0.4, 0.2 and 0.1.
    expected |= {"digits": 1, "steps": [9, 4, 1, 2, 1], "at": 2, "until": 0.6, "scores": 5}
    assert model["curves"] == [expected | {"exact": True, "note": ""}]
    # Costs have the class that is tried first.
    matrix = tm.Confusion([[8, 2], [5, 85]], labels=["well", "sick"])
    assert known(matrix.evaluate(pos_label="sick", costs="0 1; 10 0"))["costs"] == [0, 10, 1, 0]


def test_prevalence_weights_and_groups() -> None:
    rare = known(of_scores().at_prevalence(0.01))
    assert (rare["prior"], rare["models"]) == (0.01, known(of_scores())["models"])
    (model,) = known(of_scores(sample_weight=[2, 1, 1, 3, 1]))["models"]
    assert model["came"] == [{"tp": [0, 2, 3], "fp": [0, 1, 5], "squares": [[0, 4, 5], [0, 1, 11]]}]
    assert model["curves"][0]["squares"] == [[4, 0, 1, 0, 0], [0, 1, 0, 9, 1]]
    assert (model["curves"][0]["unit"], model["curves"][0]["square_unit"]) == (1, 1)
    assert known(of_scores(groups=[1, 1, 2, 2, 3]))["grouped"]


def test_predictions() -> None:
    # Those that come with scores are found among the thresholds.
    for called, at in (([0, 2], 2), ([2, 3], -1), ([], 0)):
        answers = ["sick" if row in called else "well" for row in range(5)]
        assert curve(tm.evaluate(ACTUAL, answers, y_score=SCORE, pos_label="sick"))["at"] == at
    uncut = known(tm.evaluate(ACTUAL, y_score=[4.5, -1, 2, -3, -7], pos_label="sick"))["models"][0]
    assert uncut["came"] == came([0, 0, 0], [0, 0, 0])
    assert (uncut["curves"][0]["at"], uncut["curves"][0]["steps"]) == (-1, [4, 2, 3, 2, 4])
    (model,) = known(tm.evaluate(["a", "b", "a"], ["a", "b", "b"], pos_label="a"))["models"]
    assert (model["came"], model["curves"][0]["steps"]) == (came([0, 1, 2], [0, 0, 1]), [])
    answers = tm.evaluate(ACTUAL, ["well", *ACTUAL[1:]], pos_label="sick", costs=None)
    both = known(tm.compare({"scored": of_scores(), "predicted": answers}))["models"]
    of_models = {model["name"]: model["curves"][0]["scores"] for model in both}
    assert of_models == {"scored": 5, "predicted": 0}


def test_classes() -> None:
    sides = np.column_stack([SCORE, 1 - np.array(SCORE)])
    data = known(tm.evaluate(ACTUAL, y_score=sides, labels=["sick", "well"]))
    assert data["classes"] == [{"label": "sick", "rest": "well"}, {"label": "well", "rest": "sick"}]
    (model,) = data["models"]
    assert model["curves"][0]["positives"] == model["curves"][1]["negatives"][::-1]
    assert model["came"] == came([0, 1, 2], [0, 1, 3], [0, 2, 3], [0, 1, 2])
    priced = tm.evaluate(ACTUAL, y_score=sides, labels=["sick", "well"], costs=[[0, 10], [1, 0]])
    assert known(priced)["classes"] == data["classes"][:1]

    def three(**more: Any) -> tm.Evaluation:
        return tm.evaluate(["a", "b", "c", "c"], y_score=PROBABILITIES, labels=["a", "b", "c"], **more)

    data = known(three())
    assert [each["label"] for each in data["classes"]] == ["a", "b", "c"]
    (model,) = data["models"]
    assert model["came"] == came([0, 1, 1], [0, 1, 3], [0, 1, 1], [0, 0, 3], [0, 1, 2], [0, 0, 2])
    assert [curve["at"] for curve in model["curves"]] == [-1, -1, -1]
    assert (model["curves"][2]["positives"], model["curves"][2]["negatives"]) == ([1, 1, 0], [0, 0, 2])
    assert [each["label"] for each in known(three(pos_label="c"))["classes"]] == ["c", "a", "b"]
    # Labels that cannot be seen are made visible.
    hidden = tm.evaluate(["a\u202e", "b"], ["a\u202e", "b"], pos_label="a\u202e")
    assert known(hidden)["classes"] == [{"label": "a\\u202e", "rest": "b"}]
    nothing = [
        tm.evaluate(["a", "b", "c"], ["a", "b", "b"]),
        tm.evaluate([["a"], ["a", "b"]], [["a"], ["b"]]),
        three().at_prevalence({"a": 0.5, "b": 0.25, "c": 0.25}),
    ]
    assert [packed(ev) for ev in nothing] == [""] * 3


def test_of_many_classes_the_most_frequent_can_be_tried() -> None:
    labels = [f"class {place:03}" for place in range(120)]
    actual = [label for place, label in enumerate(labels) for _ in range(1 + place % 2)]
    chances = np.random.default_rng(0).dirichlet(np.ones(120), len(actual))
    data = known(tm.evaluate(actual, y_score=chances, labels=labels))
    tried = {each["label"] for each in data["classes"]}
    assert len(tried) == 100
    assert set(labels[1::2]) <= tried
    assert data["note"]


def test_votes_and_next_to_nothing() -> None:
    votes = {"one": [1, 1, 0, 0], "two": [1, 0, 1, 0], "three": [1, 1, 1, 0]}
    made = curve(tm.evaluate(pl.DataFrame({"y": [1, 1, 0, 0], **votes}), actual="y", votes=list(votes)))
    assert decoded(made) == [(3, 1, 0), (2, 2, 1), (0, 2, 2)]
    for actual, score in (([1], [0.7]), ([1, 1, 1], [0.7, 0.2, 0.3]), ([1, 0, 1], [0.5] * 3)):
        made = curve(tm.evaluate(actual, y_score=score, labels=[0, 1]))
        assert sum(made["positives"]) == sum(actual)
        assert sum(made["negatives"]) == len(actual) - sum(actual)


@each(
    ("score", "threshold", "at", "thresholds"),
    [
        ([0.91, 0.52, 0.13], 0.25, 2, [0.9, 0.25, 0]),
        ([0.91, 0.52, 0.13], 0.123456789, 3, [0.9, 0.5, 0.123]),
        ([0.9, 0.5, 0.1], 1e300, 0, [0.9, 0.5, 0]),
        ([0.9, 0.5, 0.1], -100.0, 3, [0.9, 0.5, -100]),
        ([4e12, 0.5, -3e12], 0.123456, 2, [4e12, 0.123, -3e12]),
        # The greatest with the fewest decimals that takes the same rows.
        ([12.5, 1.0, 0.7, 0.25, 0.23, -0.7, -3.75], None, -1, [12, 1, 0.7, 0.25, 0, -1, -4]),
        # Too many figures for steps of one decimal place.
        ([3e-30, 1 - 2**-52, 1e-30, 1 - 2**-53, -1e9], None, -1, [1 - 2**-53, 0.9, 3e-30, 1e-30, -1e9]),
        ([4.25e-31, 2.5e-31, 0.5], None, -1, [0.5, 4e-31, 2e-31]),
        ([1e-30, 0.3, 0.30000000000000004], None, -1, [0.30000000000000004, 0.3, 1e-30]),
        ([-3e40, -3e40], None, -1, [-3e40]),
        ([1e17, 1.0, 0.5], None, -1, None),
    ],
)
def test_thresholds_are_short_and_the_given_one_is_spelled_as_given(
    score: list[float], threshold: float | None, at: int, thresholds: list[float] | None
) -> None:
    found, place = thresholds_of(score, threshold)
    every = sorted(set(score), reverse=True)
    below = [*every[1:], -np.inf]
    assert all(low < one <= high for low, one, high in zip(below, found, every, strict=True))
    if threshold is not None:
        assert place == at
    if thresholds is not None:
        assert found == thresholds


# --- laws --------------------------------------------------------------------------------------

SCORES = st.floats(-2, 2, allow_nan=False) | st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.5000001, 1.0])
ROWS = st.lists(st.tuples(SCORES, st.booleans()), min_size=1, max_size=40)


@given(ROWS, st.sampled_from([0.5, 0.3, -3.0, 3.0]))
def test_counts_are_those_of_the_rows(rows: list[tuple[float, bool]], threshold: float) -> None:
    score, actual = zip(*rows, strict=True)
    given = {"y_score": score, "threshold": threshold, "labels": [0, 1], "pos_label": 1}
    made = curve(tm.evaluate([int(y) for y in actual], **given))
    points = decoded(made)
    for at, tp, fp in points:
        assert (tp, fp) == tuple(sum(y is side for s, y in rows if s >= at) for side in (True, False))
    assert [at for at, _, _ in points] == sorted({at for at, _, _ in points}, reverse=True)
    assert (made["exact"], points[-1][1] + points[-1][2]) == (True, len(rows))
    assert len(points) == made["scores"] == len({s + 0.0 for s in score})
    called = sum(s >= threshold for s in score)
    assert called == (sum(points[made["at"] - 1][1:]) if made["at"] else 0)


def test_of_many_scores_the_cheapest_and_the_best_are_never_left_out() -> None:
    """Of more than 4,096 scores about 900 thresholds are kept, in a few thousand letters."""
    rng = np.random.default_rng(1)
    letters = {}
    for rows in (4096, 60_000):
        actual = rng.random(rows) < 0.3
        score = 1 / (1 + np.exp(-rng.normal(np.where(actual, 1, -1), 1.5)))
        ev = tm.evaluate(actual, y_score=score)
        letters[rows], made = len(packed(ev)), curve(ev)
        gaps = [max(made[side]) / sum(made[side]) for side in ("positives", "negatives")]
        assert max(gaps) < 1 / 290
        assert made["exact"] == (rows == 4096)
    assert (letters[4096] <= 9_000, letters[60_000] <= 12_500) == (True, True), letters
    few = np.array(decoded(made))
    order = np.argsort(-score)
    tp, fp = np.cumsum(actual[order]), np.cumsum(~actual[order])
    for at, hits, alarms in few[:: len(few) // 50]:
        assert (hits, alarms) == ((actual & (score >= at)).sum(), (~actual & (score >= at)).sum())
    for hit, miss, alarm, rest in ((0, 1, 1, 0), (0, 10, 1, 0), (-5, 2, 1, 0), (3, 0, 0, 1), (0, 1, 30, -1)):
        paid = [
            hit * found + miss * (tp[-1] - found) + alarm * wrong + rest * (fp[-1] - wrong)
            for found, wrong in ((tp, fp), (few[:, 1], few[:, 2]))
        ]
        nothing = miss * tp[-1] + rest * fp[-1]
        assert min(paid[0].min(), nothing) == min(paid[1].min(), nothing)
    f1 = [2 * found / (found + wrong + tp[-1]) for found, wrong in ((tp, fp), (few[:, 1], few[:, 2]))]
    assert f1[0].max() == pytest.approx(f1[1].max(), abs=1e-15)


@given(st.lists(st.tuples(st.sampled_from([0.1, 0.2, 0.4]), st.booleans(), st.floats(0.01, 100)), min_size=1))
def test_sums_of_weights(rows: list[tuple[float, bool, float]]) -> None:
    score, actual, weight = zip(*rows, strict=True)
    given = [int(y) for y in actual]
    made = curve(tm.evaluate(given, y_score=score, sample_weight=weight, labels=[0, 1], pos_label=1))
    for at, *sums in decoded(made):
        for side, found in zip((True, False), sums, strict=True):
            right = sum(w for s, y, w in rows if s >= at and y is side)
            assert found == pytest.approx(right, abs=1e-9 * sum(weight))
    squares = [made["square_unit"] * sum(side) for side in made["squares"]]
    right = [sum(w * w for _, y, w in rows if y is side) for side in (True, False)]
    assert squares == pytest.approx(right, abs=1e-6 * sum(w * w for w in weight))


def test_of_bins_and_of_a_grid_only_edges_are_thresholds(tmp_path: Path) -> None:
    bins = tm.Scores.from_bins([1, 2, 3, 9], [9, 5, 2, 0], [0.0, 0.05, 0.123, 0.7, 1.0])
    made = curve(bins.evaluate(threshold=0.7))
    assert decoded(made) == [(0.7, 9, 0), (0.123, 12, 2), (0.05, 14, 7), (0, 15, 16)]
    assert (made["exact"], made["at"]) == (False, 1)
    rng = np.random.default_rng(0)
    actual = rng.random(5000) < 0.3
    score = np.clip(rng.normal(0.4 + 0.2 * actual, 0.2), 0, 1)
    path = tmp_path / "rows.csv"
    pl.DataFrame({"y": actual.astype(int), "s": score}).write_csv(path)
    made = curve(tm.evaluate(path, actual="y", score="s", approximate=True))
    assert (made["exact"], len(decoded(made)) > 9) == (False, True)
    for at, tp, fp in decoded(made):
        assert (tp, fp) == ((actual & (score >= at)).sum(), (~actual & (score >= at)).sum())
