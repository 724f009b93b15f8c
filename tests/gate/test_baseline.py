"""No worse than the baseline: by the difference where there are rows, else like with like."""

import json
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import tallymark as tm
from formulas import wilson
from scored import classes, refusals

RNG = np.random.default_rng(5)
ACTUAL = RNG.integers(0, 2, 250)
MAIN = np.clip(0.3 * ACTUAL + 0.7 * RNG.random(250), 0.01, 0.99)
NEW = np.clip(MAIN + RNG.normal(0, 0.05, 250), 0.01, 0.99)


@pytest.fixture(scope="module")
def new() -> tm.Evaluation:
    return tm.evaluate(ACTUAL, y_score=NEW)


@pytest.fixture(scope="module")
def main() -> tm.Evaluation:
    return tm.evaluate(ACTUAL, y_score=MAIN)


def only(gate: tm.Gate) -> tm.Outcome:
    (outcome,) = gate.outcomes
    return outcome


# --- from rows -----------------------------------------------------------------------------------


def test_the_difference_is_judged_by_the_end_of_its_paired_interval(
    new: tm.Evaluation, main: tm.Evaluation
) -> None:
    # The paired t interval of scipy is that of the mean difference in the log loss.
    losses = [-np.log(np.where(ACTUAL == 1, score, 1 - score)) for score in (NEW, MAIN)]
    high = stats.ttest_rel(*losses).confidence_interval(0.95).high
    failed = only(tm.check(new, baseline=main, no_worse="log_loss", margin=high - 1e-9))
    passed = only(tm.check(new, baseline=main, no_worse="log_loss", margin=high + 1e-9))
    assert (failed.passed, passed.passed) == (False, True)
    assert (failed.kind, failed.paired, failed.judged, failed.operator) == ("difference", True, "high", "<=")
    assert failed.found == pytest.approx(high)
    assert failed.value == pytest.approx(np.mean(losses[0]) - np.mean(losses[1]))
    assert failed.limit == failed.margin
    assert failed.short_by == pytest.approx(1e-9, rel=1e-3)
    # A metric that is better when it is higher is judged by the lower end.
    higher = only(tm.check(new, baseline=main, no_worse="auc", margin=0.01))
    theirs = tm.compare({"a": new, "b": main}, metric="auc")["auc"]
    assert (higher.found, higher.limit, higher.operator) == (theirs.low, -0.01, ">=")
    assert higher.new.value == new["auc"].value


def test_the_same_answers(new: tm.Evaluation, main: tm.Evaluation) -> None:
    gate = tm.check(main, baseline=main, no_worse=["auc", "log_loss"])
    assert gate.passed
    assert [(one.low, one.high, abs(one.limit)) for one in gate.outcomes] == [(0, 0, 0)] * 2
    # Had 1% of all rows another answer, 250 rows would show none of it in 8% of the cases: 0.99 ** 250.
    few = only(tm.check(main, baseline=main, no_worse="accuracy", margin=0.01))
    assert (few.value, few.passed) == (0, False)
    assert tm.check(main, baseline=main, no_worse="accuracy", margin=0.03).passed


def test_which_number_is_judged(new: tm.Evaluation, main: tm.Evaluation) -> None:
    one, two = new["accuracy"].value, main["accuracy"].value
    value = only(tm.check(new, baseline=main, no_worse="accuracy.value", margin=0.05))
    assert (value.judged, value.found) == ("value", pytest.approx(one - two))
    assert value.passed is (one >= two - 0.05)
    # Without an interval the value is judged.
    ece = only(tm.check(new, baseline=main, no_worse="ece by 0.9"))
    assert (ece.passed, ece.judged, bool(ece.why)) == (True, "value", True)
    # One class is compared as if it were the positive one.
    of_zero = [(score < 0.5)[ACTUAL == 0].mean() for score in (NEW, MAIN)]
    zero = only(tm.check(new, baseline=main, no_worse="recall@0", margin=0.5))
    assert (zero.name, zero.value) == ("recall of '0'", pytest.approx(of_zero[0] - of_zero[1]))
    gate = tm.check(new, baseline=main, no_worse=["auc", "recall by 5%"], margin=0.01)
    assert [one.margin for one in gate.outcomes] == [0.01, 0.05]
    # At the level and with the seed of the model that is checked.
    asked: dict[str, Any] = {"confidence_level": 0.8, "random_state": 4}
    drawn = only(tm.check(tm.evaluate(ACTUAL, y_score=NEW, **asked), baseline=main, no_worse="mcc"))
    assert drawn.found == tm.compare({"a": new, "b": main}, metric="mcc", **asked)["mcc"].low
    fewer = tm.evaluate(ACTUAL[:200], y_score=MAIN[:200])
    other = only(tm.check(new, baseline=fewer, no_worse="accuracy", margin=0.2))
    assert (other.kind, other.paired) == ("difference", False)


# --- from numbers --------------------------------------------------------------------------------


def test_numbers_alone_are_held_against_each_other_end_by_end(ev: tm.Evaluation, tmp_path: Path) -> None:
    rows = ["ill"] * 100 + ["well"] * 300
    answers = ["ill"] * 85 + ["well"] * 15 + ["ill"] * 30 + ["well"] * 270
    main = tm.evaluate(rows, answers, pos_label="ill")
    (tmp_path / "main.json").write_text(main.to_json())
    frame = pl.DataFrame({"y": rows, "p": answers})
    tm.tally(frame, actual="y", predicted="p", pos_label="ill").save(tmp_path / "main.tally")
    lost = wilson(85 / 100, 100)[0] - wilson(80 / 100, 100)[0]
    for given in (
        tm.Confusion([[85, 15], [30, 270]], labels=["ill", "well"]).evaluate(pos_label="ill"),
        main.to_dict(),
        tmp_path / "main.json",
        tmp_path / "main.tally",
    ):
        short = tm.check(ev, baseline=given, no_worse="recall", margin=lost - 1e-9)
        enough = tm.check(ev, baseline=given, no_worse="recall", margin=lost + 1e-9)
        assert (short.passed, enough.passed) == (False, True)
        outcome = only(short)
        assert (outcome.kind, outcome.paired, outcome.judged) == ("baseline", None, "low")
        assert outcome.limit == pytest.approx(wilson(85 / 100, 100)[0] - lost)
        assert short.notes
    # Of approximate values those bounds are held that are furthest apart.
    bins = tm.Scores.from_bins([1, 3], [2, 1], [0, 0.5, 1]).evaluate()
    outcome = only(tm.check(bins, baseline=bins.to_dict(), no_worse="auc.value"))
    assert (outcome.found, outcome.limit) == bins["auc"].bounds
    # Of a number that is better low the upper ends are held.
    fewer = tm.Confusion([[80, 20], [24, 276]], labels=["ill", "well"]).evaluate(pos_label="ill")
    outcome = only(tm.check(ev, baseline=fewer, no_worse="fpr", margin=0.01))
    assert (outcome.passed, outcome.found) == (False, pytest.approx(wilson(30 / 300, 300)[1]))
    assert outcome.limit == pytest.approx(wilson(24 / 300, 300)[1] + 0.01)
    # A loss of exactly the margin passes; 0.81 - 0.8 is more than 0.01 in floating-point arithmetic.
    better = tm.Confusion([[81, 19], [30, 270]], labels=["ill", "well"]).evaluate(pos_label="ill")
    assert tm.check(ev, baseline=better, no_worse="recall.value", margin=0.01).passed
    assert not tm.check(ev, baseline=better, no_worse="recall.value", margin=0.009).passed


def test_what_json_holds_and_what_can_be_computed_from_it(ev: tm.Evaluation, new: tm.Evaluation) -> None:
    form = ev.to_dict()
    assert "f_beta:2" not in form["metrics"]
    outcome = only(tm.check(ev, baseline=form, no_worse="f_beta:2"))
    # (1 + 4) * 80 / ((1 + 4) * 80 + 4 * 20 + 30)
    assert outcome.baseline.value == pytest.approx(400 / 510)
    asked = ["recall >= 0.5", "ece <= 0.2", "recall@0 >= 0.6", "auc.value >= 0.8", "log_loss <= 0.6"]
    ours, theirs = tm.check(new, asked), tm.check(json.loads(new.to_json()), asked)
    assert [(one.passed, one.found, one.sentence) for one in ours.outcomes] == [
        (one.passed, one.found, one.sentence) for one in theirs.outcomes
    ]
    in_groups = tm.evaluate(ACTUAL, y_score=NEW, groups=np.arange(250) // 2).to_dict()
    calls = {
        "partial AUC": lambda: tm.check(new.to_dict(), "partial_auc:0.2 >= 0.1"),
        "in groups": lambda: tm.check(in_groups, "f_beta:2 >= 0.1"),
    }
    assert set(classes(refusals(calls)).values()) == {"InputError"}


def test_what_is_undefined_on_either_side_fails(ev: tm.Evaluation) -> None:
    never = tm.Confusion([[0, 100], [0, 300]], labels=["ill", "well"]).evaluate(pos_label="ill")
    y = [1, 1, 0, 0, 1, 0, 1, 0]
    some, none = tm.evaluate(y, [1, 0, 0, 0, 1, 1, 1, 0]), tm.evaluate(y, [0] * 8)
    for one, two in ((never, ev), (ev, never.to_dict()), (some, none), (none, some)):
        outcome = only(tm.check(one, baseline=two, no_worse="precision", margin=0.5))
        assert not outcome.passed
        assert outcome.found is None or outcome.limit is None
        assert outcome.why


def test_other_class_shares_and_label_sets(new: tm.Evaluation, main: tm.Evaluation) -> None:
    rare = new.at_prevalence(0.05)
    with pytest.raises(tm.errors.InputError):
        tm.check(rare, baseline=main, no_worse="precision")
    gate = tm.check(rare, baseline=main.at_prevalence(0.05).to_dict(), no_worse="precision", margin=0.5)
    assert (gate.passed, only(gate).kind) == (True, "baseline")
    actual = np.array([[1, 0], [0, 1], [1, 1], [0, 0]] * 20)
    worse = actual.copy()
    worse[:4] = 1 - worse[:4]
    sets, right = (tm.evaluate(actual, answer, labels=["a", "b"]) for answer in (worse, actual))
    gate = tm.check(sets, "recall@a >= 0.8", baseline=right, no_worse="hamming_loss.value", margin=0.05)
    # By hand: 8 of 160 labels are wrong, and none of the baseline's.
    loss = gate.outcomes[1]
    assert (gate.passed, loss.kind, loss.found, loss.limit) == (True, "baseline", 0.05, 0.05)


# --- what is refused -----------------------------------------------------------------------------

WHOLE = b'{"schema": "tallymark/evaluation/1", "task": "", "labels": ["a"], "positive": "a", "rows": %s}'
FILES = {
    "empty": b"", "not text": b"\xff\x00\x01", "cut": b'{"schema": "tallymark/evaluation/1", "task"',
    "a list": b"[1, 2]", "another schema": b'{"schema": "tallymark/plan/1"}',
    "several models": b'{"schema": "tallymark/evaluations/1", "models": [{"name": "a"}, {"name": "b"}]}',
    "without rows": b'{"schema": "tallymark/evaluation/1", "task": "binary"}',
    "rows as text": WHOLE % b'"x"',
    "a value as text": WHOLE % b'3, "metrics": {"recall": {"value": "high"}}',
}  # fmt: skip
BROKEN: dict[str, Any] = {
    "rows": 10**400, "dropped": 3, "confusion.matrix": [[1, "2"], [3, 4]], "costs": {"matrix": 5},
    "metrics.recall.low": None, "metrics.recall.high": float("nan"), "metrics.recall.level": 95,
    "metrics.recall.bounds": [0.1], "metrics.recall.assumption": [], "slices": [{"slice": "north"}],
    "per_class": [{"label": "ill", "recall": {}}], "findings": [{"code": "TM007"}], "notes": "none",
}  # fmt: skip


def broken(form: Any, path: str, value: Any) -> Any:
    *inside, key = path.split(".")
    reduce(getitem, inside, form)[key] = value
    return form


def of(labels: list[str], positive: str, level: float = 0.95) -> Any:
    counts = np.eye(len(labels), dtype=int) * 8 + 2
    return tm.Confusion(counts, labels=labels).evaluate(pos_label=positive, confidence_level=level).to_dict()


def test_baselines_that_are_none(
    ev: tm.Evaluation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        Path(f"{name}.json").write_bytes(content)
    baselines = {f"a file: {name}": Path(f"{name}.json") for name in (*FILES, "that is not there")}
    baselines |= {
        "another task": of(["ill", "well", "dead"], "ill"),
        "other labels": of(["ill", "sick"], "ill"),
        "another positive class": of(["ill", "well"], "well"),
        "another level": of(["ill", "well"], "ill", 0.9),
    }
    calls = {
        name: lambda given=given: tm.check(ev, baseline=given, no_worse="accuracy")
        for name, given in baselines.items()
    }
    for path, value in BROKEN.items():
        form = broken(json.loads(ev.to_json()), path, value)
        calls[f"broken: {path}"] = lambda form=form: tm.check(form, "recall >= 0.1")
    refused = refusals(calls)
    files = [f"a file: {name}" for name in ("empty", "not text", "cut", "that is not there")]
    assert classes(refused) == dict.fromkeys(calls, "InputError") | dict.fromkeys(files, "FileError")
    options: dict[str, dict[str, Any]] = {
        "no baseline": {"no_worse": "recall"},
        "a margin of nothing": {"require": "recall >= 0.1", "margin": 0.1},
        "a baseline for nothing": {"require": "recall >= 0.1", "baseline": {}},
        "a margin below 0": {"no_worse": "recall", "baseline": {}, "margin": -1},
        "a margin beyond all": {"no_worse": "recall by 2", "baseline": {}},
        "a metric without direction": {"no_worse": "prevalence", "baseline": {}},
        "a slice": {"no_worse": "recall[sex]", "baseline": {}},
        "rows without columns": {"no_worse": "recall", "baseline": "main.csv"},
        "a number": {"no_worse": "recall", "baseline": 3},
        "a design": {"no_worse": "recall", "baseline": ev.to_dict(), "design": "same rows"},
    }
    kinds = refusals({name: lambda given=given: tm.check(ev, **given) for name, given in options.items()})
    snapshot("gate_errors_of_baselines", refused | kinds)
    assert set(classes(kinds).values()) <= {"OptionError", "InputError"}
