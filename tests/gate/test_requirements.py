"""Requirements: how they are read, which number is held against the limit, and what is refused."""

import math
from typing import Any

import polars as pl
import pytest

import tallymark as tm
from collected import each
from formulas import wilson
from scored import classes, refusals


def only(gate: tm.Gate) -> tm.Outcome:
    (outcome,) = gate.outcomes
    return outcome


def with_labels(positive: str) -> tm.Evaluation:
    return tm.Confusion([[80, 20], [30, 270]], labels=[positive, "well"]).evaluate(pos_label=positive)


@each(
    ("text", "positive", "expected"),
    [
        ("recall >= 0.8", "ill", ("recall", ">=", 0.8, "low", 0.8)),
        ("  fpr<0.05 ", "ill", ("fpr", "<", 0.05, "high", 0.1)),
        ("recall <= 0.3", "ill", ("recall", "<=", 0.3, "high", 0.8)),
        ("f1.value > 70%", "ill", ("f1", ">", 0.7, "value", 160 / 210)),
        ("recall.high >= 7 %", "ill", ("recall", ">=", 0.07, "high", 0.8)),
        ("f_beta:2.low >= 0.1", "ill", ("f_beta:2", ">=", 0.1, "low", 400 / 510)),
        (
            "weighted_accuracy:2,1,1,0.value >= 1",
            "ill",
            ("weighted_accuracy:2,1,1,0", ">=", 1, "value", None),
        ),
        ("mcc >= -1e-2", "ill", ("mcc", ">=", -0.01, "low", None)),
        ("sensitivity.value >= 0.8", "ill", ("sensitivity", ">=", 0.8, "value", 0.8)),
        ("recall@well >= 0.8", "ill", ("recall of 'well'", ">=", 0.8, "low", 0.9)),
        ("recall@not ill >= 0.8", "not ill", ("recall of 'not ill'", ">=", 0.8, "low", 0.8)),
        ("recall@<=50K >= 0.8", "<=50K", ("recall of '<=50K'", ">=", 0.8, "low", 0.8)),
        ("recall.value@>50K > 0.8", ">50K", ("recall of '>50K'", ">", 0.8, "value", 0.8)),
    ],
)
def test_how_they_are_read(text: str, positive: str, expected: tuple[Any, ...]) -> None:
    found = only(tm.check(with_labels(positive), text))
    assert (found.name, found.operator, found.limit, found.judged) == expected[:4]
    assert found.requirement == text.strip()
    assert expected[4] is None or found.value == pytest.approx(expected[4])


def test_the_end_of_the_interval_that_makes_it_harder_is_judged(ev: tm.Evaluation) -> None:
    low, high = wilson(80 / 100, 100)
    below, above = tm.check(ev, [f"recall >= {low - 1e-9}", f"recall >= {low + 1e-9}"]).outcomes
    assert (below.passed, above.passed, below.short_by) == (True, False, None)
    assert (above.judged, above.value, above.limit) == ("low", 0.8, low + 1e-9)
    assert (above.found, above.low, above.high) == pytest.approx((low, low, high))
    assert above.short_by == pytest.approx(1e-9)
    most = wilson(30 / 300, 300)[1]
    below, above = tm.check(ev, [f"fpr <= {most - 1e-9}", f"fpr <= {most + 1e-9}"]).outcomes
    assert (below.passed, above.passed, below.judged) == (False, True, "high")
    assert below.found == pytest.approx(most)
    # Against the direction of the metric too; that is noted.
    turned = tm.check(ev, f"recall <= {high - 1e-9}")
    assert (turned.passed, only(turned).judged, len(turned.notes)) == (False, "high", 1)
    assert len(tm.check(ev, ["recall >= 0.5", " recall >= 0.5", "recall >= 0.6"]).outcomes) == 2
    of_well = only(tm.check(ev, "recall@well >= 0.8"))
    assert (of_well.passed, of_well.found) == (True, pytest.approx(wilson(270 / 300, 300)[0]))


@each(
    ("text", "passed"),
    [
        # The Wilson interval of 80 in 100 is [0.7112, 0.8666].
        ("recall.value >= 0.8", True), ("recall.value > 0.8", False), ("recall.value <= 0.8", True),
        ("recall.value < 0.8", False), ("recall.low >= 0.72", False), ("recall.high >= 0.86", True),
        # 0.1 + 0.2 is above 0.3 in floating-point arithmetic, and 0.8 - 1e-13 is a rounded 0.8.
        ("recall.value >= 0.8000000000001", True), ("recall.value <= 0.7999999999999", True),
        ("recall.value > 0.7999999999999", False), ("recall.value < 0.8000000000001", False),
        ("recall.value >= 0.80000001", False),
    ],
)  # fmt: skip
def test_limits_that_are_just_reached(ev: tm.Evaluation, text: str, passed: bool) -> None:
    found = only(tm.check(ev, text))
    assert found.passed is passed
    if text == "recall.value > 0.8":
        assert found.short_by == 0


def test_slices() -> None:
    counts = {("n", 1, 1): 18, ("n", 1, 0): 2, ("n", 0, 0): 5, ("s", 1, 1): 12, ("s", 1, 0): 8}
    rows = [row for row, times in counts.items() for _ in range(times)]
    frame = pl.DataFrame(rows, schema=["region", "y", "p"], orient="row")
    ev = tm.evaluate(frame, actual="y", predicted="p", slices=["region"])
    every = tm.check(ev, "recall[region] >= 0.5").outcomes
    assert [(one.name, one.passed) for one in every] == [
        ("recall where region=n", True),
        ("recall where region=s", False),
    ]
    assert [one.found for one in every] == pytest.approx([wilson(18 / 20, 20)[0], wilson(12 / 20, 20)[0]])
    south = only(tm.check(ev, "recall.value[region=s]@1 >= 0.6"))
    assert (south.passed, south.found) == (True, 0.6)
    assert tm.check(ev.to_dict(), "recall[region=n] >= 0.5").passed
    wrong = ("recall[region=west] >= 0.5", "recall[age] >= 0.5", "recall[] >= 0.8", "recall[region=n]")
    refused = refusals({text: lambda text=text: tm.check(ev, text) for text in wrong})
    assert list(classes(refused).values()) == ["InputError", *["OptionError"] * 3]


def test_undefined_and_infinite_numbers_never_pass() -> None:
    never = tm.Confusion([[0, 5], [0, 5]], labels=[1, 0]).evaluate()
    outcome = only(tm.check(never, "precision >= 0.1"))
    assert (outcome.passed, outcome.found, outcome.short_by) == (False, None, None)
    assert outcome.why
    for text in ("precision.value <= 1", "precision.value < 1", "precision >= 0", "precision > 0"):
        assert not tm.check(never, text).passed
    sure = tm.evaluate([1, 0, 1, 0], y_score=[0.0, 0.2, 0.9, 0.1])
    form = tm.check(sure, "log_loss <= 2").to_dict()
    assert (form["passed"], form["outcomes"][0]["found"]) == (False, None)


def test_without_an_interval_the_value_is_judged(scored: tm.Evaluation) -> None:
    value = scored["ece"].value
    assert value is not None
    outcome = only(tm.check(scored, f"ece <= {value + 1e-6}"))
    assert (outcome.passed, outcome.judged, outcome.found) == (True, "value", value)
    assert outcome.why
    assert not tm.check(scored, f"ece <= {value - 1e-6}").passed
    named = only(tm.check(scored, "ece.high <= 0.5"))
    assert (named.passed, named.found) == (False, None)


def test_a_metric_of_ones_own(scored: tm.Evaluation) -> None:
    low = scored["right"].low
    assert low is not None
    for given in (scored, scored.to_dict()):
        assert tm.check(given, f"right >= {low - 1e-9}").passed
        assert not tm.check(given, f"right >= {low + 1e-9}").passed
    with pytest.raises(tm.errors.OptionError):
        tm.check(scored, baseline=scored, no_worse="right")


def test_guaranteed_bounds_count_against() -> None:
    # By hand: of 4 x 3 pairs 3 x 2 are surely won, and 1 x 2 + 3 x 1 are in the same bin.
    ev = tm.Scores.from_bins([1, 3], [2, 1], [0, 0.5, 1]).evaluate()
    least, most = tm.check(ev, ["auc.value >= 0.4", "auc.value <= 0.9"]).outcomes
    assert (least.found, least.judged, least.value) == (6 / 12, "value", pytest.approx(8.5 / 12))
    assert (least.passed, most.passed, most.found) == (True, False, 11 / 12)


def test_what_cannot_be_required(ev: tm.Evaluation, scored: tm.Evaluation, snapshot: Any) -> None:
    no_form: list[Any] = [
        "recall => 0.8", "recall > = 0.8", "recall ≤ 0.8", "recall == 0.8", "recall = 0.8", "recall != 0.8",
        "recall", "0.8 <= recall", "f1 > 0.1, fpr < 0.2", "recall[sex=f]", "recall >=", ">= 0.8",
        "@ill >= 0.8", "recall >= high", "recall >= nan", "recall >= 0,8", "recall >= 1_0", "recall@ >= 0.8",
        "recall[] >= 0.8", "recall[=f] >= 0.8", "recall[sex=] >= 0.8",
        "recall >= 80", "recall <= 80", "recall >= 1.5", "lr_plus >= 80%", "lr_plus >= -1", (), 3, [0.8],
    ]  # fmt: skip
    calls = {f"{text!r}": lambda text=text: tm.check(ev, text) for text in no_form}
    unknown = {text: lambda text=text: tm.check(ev, text) for text in ("recal >= 0.8", "recall@sick >= 0.8")}
    refused = refusals(calls | unknown | {"neither": lambda: tm.check(ev)})
    assert classes(refused) == {
        **dict.fromkeys(calls, "OptionError"),
        "recal >= 0.8": "MetricError",
        "recall@sick >= 0.8": "LabelError",
        "neither": "OptionError",
    }
    snapshot("gate_errors", refused)
    worse = {f"{text}": lambda t=text: tm.check(scored, baseline=scored, no_worse=t)
             for text in ("f1 >= 0.2", "", 3, "f1 by much", "f1 by -0.1")}  # fmt: skip
    worse |= {f"margin {m}": lambda m=m: tm.check(scored, baseline=scored, no_worse="auc", margin=m)
              for m in (-0.1, math.nan, math.inf, True, "0.1")}  # fmt: skip
    assert set(classes(refusals(worse)).values()) == {"OptionError"}
