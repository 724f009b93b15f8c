"""Which number is held against a limit, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from tallymark import Confusion, Scores, evaluate
from tallymark.errors import InputError, LabelError, MetricError, OptionError
from tallymark.evaluation import Evaluation
from tallymark.gate import check

Ends = Callable[[int, int], tuple[float, float]]


def test_a_number_that_must_be_high_is_judged_by_its_lower_end(ev: Evaluation, wilson: Ends) -> None:
    low, high = wilson(80, 100)
    [below] = check(ev, f"recall >= {low - 1e-9}").outcomes
    [above] = check(ev, f"recall >= {low + 1e-9}").outcomes
    assert (below.passed, above.passed) == (True, False)
    assert (above.judged, above.value, above.limit) == ("low", 0.8, low + 1e-9)
    assert (above.found, above.low, above.high) == pytest.approx((low, low, high))
    assert above.short_by == pytest.approx(1e-9)
    assert below.short_by is None


def test_a_number_that_must_be_low_is_judged_by_its_upper_end(ev: Evaluation, wilson: Ends) -> None:
    high = wilson(30, 300)[1]
    assert check(ev, f"fpr <= {high + 1e-9}").passed
    [outcome] = check(ev, f"fpr <= {high - 1e-9}").outcomes
    assert (outcome.passed, outcome.judged) == (False, "high")
    assert outcome.found == pytest.approx(high)


def test_a_requirement_against_the_direction_is_judged_by_the_end_that_makes_it_harder(
    ev: Evaluation, wilson: Ends
) -> None:
    high = wilson(80, 100)[1]
    gate = check(ev, f"recall <= {high - 1e-9}")
    assert not gate.passed
    assert gate.outcomes[0].judged == "high"
    assert "recall is better when it is higher, and" in gate.notes[-1]


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        ("recall.value >= 0.8", True),
        ("recall.value > 0.8", False),
        ("recall.value <= 0.8", True),
        ("recall.value < 0.8", False),
        ("recall.value >= 80%", True),
        ("recall.low >= 0.72", False),
        ("recall.high >= 0.86", True),
        ("recall.high <= 0.8", False),
        ("sensitivity.value >= 0.8", True),
    ],
)
def test_another_number_is_judged_where_one_is_named(ev: Evaluation, text: str, passed: bool) -> None:
    # By hand: the Wilson interval of 80 in 100 is [0.7112, 0.8666].
    assert check(ev, text).passed is passed


def test_a_limit_that_is_only_reached_is_not_passed() -> None:
    [outcome] = check(Confusion([[4, 1], [0, 5]], labels=[1, 0]).evaluate(), "recall.value > 0.8").outcomes
    assert outcome.short_by == 0
    assert outcome.sentence == "recall is 0.800 [0.376, 0.964], which is not above 0.8."


def test_one_class(ev: Evaluation, wilson: Ends) -> None:
    [outcome] = check(ev, "recall@well >= 0.8").outcomes
    assert outcome.passed
    assert outcome.found == pytest.approx(wilson(270, 300)[0])
    assert outcome.sentence.startswith("recall of 'well' is 0.900 [")


def test_slices(wilson: Ends) -> None:
    counts = {("n", 1, 1): 18, ("n", 1, 0): 2, ("n", 0, 0): 5, ("s", 1, 1): 12, ("s", 1, 0): 8}
    rows = [row for row, times in counts.items() for _ in range(times)]
    ev = evaluate(
        pl.DataFrame(rows, schema=["region", "y", "p"], orient="row"),
        actual="y",
        predicted="p",
        slices=["region"],
    )
    every = check(ev, "recall[region] >= 0.5").outcomes
    assert [(each.name, each.passed) for each in every] == [
        ("recall where region=n", True),
        ("recall where region=s", False),
    ]
    assert [each.found for each in every] == pytest.approx([wilson(18, 20)[0], wilson(12, 20)[0]])
    [south] = check(ev, "recall.value[region=s] >= 0.6").outcomes
    assert (south.passed, south.found) == (True, 0.6)
    assert check(ev.to_dict(), "recall[region=n] >= 0.5").passed
    with pytest.raises(InputError, match="no row has region=west"):
        check(ev, "recall[region=west] >= 0.5")
    with pytest.raises(OptionError, match=r"no slices by age; there are those by region\. Hint: ask"):
        check(ev, "recall[age] >= 0.5")


def test_what_is_undefined_fails_with_its_reason() -> None:
    never = Confusion([[0, 5], [0, 5]], labels=[1, 0]).evaluate()
    [outcome] = check(never, "precision >= 0.1").outcomes
    assert (outcome.passed, outcome.found, outcome.short_by) == (False, None, None)
    assert outcome.why == "nothing was predicted positive (tp + fp = 0)"
    assert outcome.sentence == (
        "precision is undefined (nothing was predicted positive (tp + fp = 0)), so it cannot pass."
    )
    assert not check(never, "precision.value <= 1").passed


@pytest.fixture(scope="module")
def scored() -> Evaluation:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 200)
    score = np.clip(0.3 * y + 0.7 * rng.random(200), 0, 1)
    return evaluate(y, y_score=score, extra={"right": lambda t, p: np.mean(t == p)})


def test_without_an_interval_the_value_is_judged_and_that_is_said(scored: Evaluation) -> None:
    value = scored["ece"].value
    assert value is not None
    [outcome] = check(scored, f"ece <= {value + 1e-6}").outcomes
    assert (outcome.passed, outcome.judged, outcome.found) == (True, "value", value)
    assert "It has no interval, so its value was judged: chance makes distances" in outcome.sentence
    assert outcome.sentence in str(check(scored, "ece <= 0.5")).replace("\n", " ").replace(
        "0.5.", f"{value + 1e-6:.6g}."
    )
    [named] = check(scored, "ece.high <= 0.5").outcomes
    assert (named.passed, named.found) == (False, None)
    assert named.sentence.startswith("ece has no such number (it has no interval: chance makes")


def test_a_metric_of_ones_own(scored: Evaluation) -> None:
    low = scored["right"].low
    assert low is not None
    assert check(scored, f"right >= {low - 1e-9}").passed
    assert not check(scored, f"right >= {low + 1e-9}").passed
    assert check(scored.to_dict(), f"right >= {low - 1e-9}").passed
    with pytest.raises(OptionError, match="nothing tells whether right is better when it is higher"):
        check(scored, baseline=scored, no_worse="right")


def test_certified_bounds_count_against() -> None:
    # By hand: of 4 x 3 pairs 3 x 2 are surely won, and 1 x 2 + 3 x 1 are in the same bin.
    ev = Scores.from_bins([1, 3], [2, 1], [0, 0.5, 1]).evaluate()
    [least] = check(ev, "auc.value >= 0.4").outcomes
    assert (least.found, least.judged, least.value) == (6 / 12, "value", pytest.approx(8.5 / 12))
    assert "its lower bound 0.500 is at least 0.4." in least.sentence
    assert "Its value is approximate, so the bound that counts against it was judged." in least.sentence
    [most] = check(ev, "auc.value <= 0.9").outcomes
    assert (most.passed, most.found) == (False, 11 / 12)


def test_each_requirement_is_judged_once(ev: Evaluation) -> None:
    assert len(check(ev, ["recall >= 0.5", " recall >= 0.5", "recall >= 0.6"]).outcomes) == 2


@pytest.mark.parametrize(
    ("require", "error", "said"),
    [
        ("recal >= 0.8", MetricError, "no metric is called 'recal'. Hint: did you mean recall?"),
        ("recall >= 80", OptionError, "so 'recall >= 80' would never be met. Hint: write 0.8 or 80%."),
        ("recall <= 80", OptionError, "so 'recall <= 80' would always be met. Hint: write 0.8 or 80%."),
        ("lr_plus >= 80%", OptionError, "lr_plus is no share, so 'lr_plus >= 80%' has no percentage"),
        ("recall@sick >= 0.8", LabelError, "'sick' is not a class; the labels are ['ill', 'well']."),
        ((), OptionError, "nothing is required. Hint: say what is: --require 'recall >= 0.8'"),
        (3, OptionError, "require is text or a list of texts; got 3."),
    ],
)
def test_what_cannot_be_asked(ev: Evaluation, require: object, error: type[Exception], said: str) -> None:
    with pytest.raises(error) as problem:
        check(ev, require)  # type: ignore[arg-type]
    assert said in str(problem.value)


def test_the_verdict_counts(ev: Evaluation) -> None:
    assert check(ev, "recall >= 0.5").verdict == "Passed: the requirement is met."
    assert check(ev, ["recall >= 0.5", "fpr <= 0.5"]).verdict == "Passed: all 2 requirements are met."
    assert check(ev, "recall >= 0.9").verdict == "Failed: the requirement is not met."
    assert check(ev, ["recall >= 0.9", "fpr <= 0.5"]).verdict == "Failed: 1 of 2 requirements is not met."
    assert check(ev, ["recall >= 0.9", "fpr <= 0.1"]).verdict == "Failed: 2 of 2 requirements are not met."
