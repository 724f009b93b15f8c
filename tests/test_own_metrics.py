"""`extra={"profit": f}`: a user's own function of rows, with an interval from resampled rows."""

# ruff: noqa: ARG005 - functions take the columns that the interface gives them
from __future__ import annotations

import functools
import json
import math
import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import metrics as peer

import tallymark as tm
from tallymark.errors import MetricError, OptionError, TallymarkError
from tallymark.evaluation import Evaluation
from tallymark.inference import Estimate

Column = NDArray[Any]

generator = np.random.default_rng(11)
ACTUAL = generator.integers(0, 2, 200)
SCORE = np.clip(ACTUAL * 0.3 + generator.random(200) * 0.7, 0, 1)
PREDICTED = (SCORE >= 0.5).astype(int)
WEIGHT = generator.integers(1, 5, 200)


def profit(y_true: Column, y_pred: Column) -> float:
    return float(np.mean(np.where(y_pred == 1, np.where(y_true == 1, 10.0, -4.0), 0.0)))


def margin(y_true: Column, y_pred: Column, y_score: Column) -> float:
    return float(y_score[y_true == 1].mean() - y_score[y_true == 0].mean())


def share(y_true: Column, y_pred: Column, sample_weight: Column | None = None) -> float:
    return float(np.average(y_true == y_pred, weights=sample_weight))


class Above:
    """A callable object with a setting of its own."""

    def __init__(self, limit: float) -> None:
        self.limit = limit

    def __call__(self, y_true: Column, y_pred: Column) -> float:
        return float(np.mean(y_true == y_pred) > self.limit)


def own(function: Any, *, score: bool = False, **options: Any) -> Estimate:
    answers: dict[str, Any] = {"y_score": SCORE} if score else {"y_pred": PREDICTED}
    return tm.evaluate(ACTUAL, extra={"mine": function}, **answers, **options)["mine"]


def refused(function: Any, error: type[TallymarkError] = MetricError, **options: Any) -> str:
    with pytest.raises(error) as caught:
        own(function, **options)
    return str(caught.value)


# --- what may be passed ----------------------------------------------------------------------


def test_a_function_of_two_columns() -> None:
    found = own(profit)
    assert found.value == profit(ACTUAL, PREDICTED)
    assert found.method == "row_bootstrap"
    assert found.assumption == "independent rows"
    assert found.n == 200
    assert found.low is not None
    assert found.high is not None
    assert found.low < float(found) < found.high


def test_a_function_of_three_columns_gets_the_score() -> None:
    assert own(margin, score=True).value == margin(ACTUAL, PREDICTED, SCORE)
    assert own(lambda y, p, s: s.max(), score=True).value == SCORE.max()
    assert own(lambda y, p, *, y_score: y_score.max(), score=True).value == SCORE.max()


def test_a_function_whose_second_parameter_is_the_score() -> None:
    assert own(peer.roc_auc_score, score=True).value == peer.roc_auc_score(ACTUAL, SCORE)


@pytest.mark.parametrize(
    "function",
    [
        peer.accuracy_score,
        peer.f1_score,
        peer.matthews_corrcoef,
        peer.zero_one_loss,
        functools.partial(peer.fbeta_score, beta=2),
        lambda y, p: np.float32(0.5) + (y == p).mean(),
        lambda y, p, beta=2.0: beta * (y == p).mean(),
        lambda *columns: len(columns) * (columns[0] == columns[1]).mean(),
        lambda y, p, y_score=None: (y == p).mean() + (0 if y_score is None else 100),
        lambda y, p, **options: (y == p).mean(),
    ],
)
def test_whatever_can_be_called_with_two_columns(function: Any) -> None:
    found = own(function)
    assert found.value == pytest.approx(float(function(ACTUAL, PREDICTED)))
    assert found.low is not None


def test_a_callable_object_and_a_truth_value() -> None:
    found = own(Above(0.1))
    assert found.value == 1
    assert found.low is None
    assert found.note == "every resample gives the same value"


def test_a_parameter_with_a_default_is_not_the_score() -> None:
    # `beta` is the function's own; only a parameter that must be given, or y_score, is the score.
    assert own(lambda y, p, beta=2.0: beta + (y == p).mean() * 0, score=True).value == 2


def test_probabilities_come_as_a_table() -> None:
    table = np.column_stack([1 - SCORE, SCORE])
    found = tm.evaluate(
        ACTUAL,
        y_score=table,
        labels=[0, 1],
        extra={"loss": lambda y, p, s: -np.log(s[np.arange(len(y)), y] + 1e-9).mean()},
    )["loss"]
    assert found.value == pytest.approx(-np.log(table[np.arange(200), ACTUAL] + 1e-9).mean())


def test_labels_come_in_their_own_words() -> None:
    words = np.where(ACTUAL, "yes", "no"), np.where(PREDICTED, "yes", "no")
    seen: list[Any] = []

    def watch(y_true: Column, y_pred: Column) -> float:
        seen.append((set(y_true.tolist()), set(y_pred.tolist())))
        return 0.0

    tm.evaluate(*words, extra={"watch": watch})
    assert seen == [({"no", "yes"}, {"no", "yes"})]


def test_columns_are_copies() -> None:
    def spoil(y_true: Column, y_pred: Column) -> float:
        y_true[:] = 0
        return float(y_pred.mean())

    before = ACTUAL.copy()
    own(spoil)
    assert (before == ACTUAL).all()


# --- weights ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "function", [share, peer.accuracy_score, lambda y, p, sample_weight: sample_weight.sum()]
)
def test_weights_are_passed_by_their_name(function: Any) -> None:
    found = own(function, sample_weight=WEIGHT)
    assert found.value == pytest.approx(float(function(ACTUAL, PREDICTED, sample_weight=WEIGHT)))


def test_a_function_that_would_lose_the_weights_is_refused() -> None:
    said = refused(profit, OptionError, sample_weight=WEIGHT)
    assert said == (
        "extra['mine'] takes no sample_weight, so the weights would be lost. "
        "Hint: give it a parameter sample_weight."
    )


def test_frequencies_are_as_many_rows_as_they_say() -> None:
    lines = own(share, sample_weight=WEIGHT * 20, weight_kind="frequency")
    sampling = own(share, sample_weight=WEIGHT * 20)
    p, n = float(lines), 20 * WEIGHT.sum()
    assert lines.n == n
    assert sampling.n == 200
    assert None not in (lines.low, lines.high, sampling.low, sampling.high)
    assert lines.high - lines.low == pytest.approx(3.92 * math.sqrt(p * (1 - p) / n), rel=0.12)  # type: ignore[operator]
    assert sampling.high - sampling.low > 5 * (lines.high - lines.low)  # type: ignore[operator]


# --- what goes wrong -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda y, p: 1 / 0, "extra['mine'] failed: ZeroDivisionError: division by zero"),
        (lambda y, p: {}["x"], "extra['mine'] failed: KeyError: 'x'"),
        (lambda y, p: None, "extra['mine'] must return one number; it returned None."),
        (lambda y, p: "0.5", "extra['mine'] must return one number; it returned '0.5'."),
        (lambda y, p: [0.5], "extra['mine'] must return one number; it returned [0.5]."),
        (lambda y, p: y == p, "extra['mine'] must return one number; it returned a value of type ndarray."),
        (lambda y, p: 1j, "extra['mine'] must return one number; it returned 1j."),
    ],
)
def test_functions_that_fail_are_named(function: Any, said: str) -> None:
    assert refused(function) == said


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_no_finite_number_is_undefined(value: float) -> None:
    ev = tm.evaluate(ACTUAL, PREDICTED, extra={"mine": lambda y, p: value})
    assert ev["mine"].value is None
    assert ev["mine"].why == f"your function gives {value}"
    assert json.loads(ev.to_json())["metrics"]["mine"] == {"value": None, "why": ev["mine"].why}


def test_a_score_that_is_not_there() -> None:
    said = refused(margin, OptionError)
    assert said == "extra['mine'] takes a score, and there is none. Hint: name the score as well."


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        ([profit], "extra is a dictionary of functions by name; got list."),
        ({"": profit}, "a metric of your own has a name; got ''."),
        ({" ": profit}, "a metric of your own has a name; got ' '."),
        ({1: profit}, "a metric of your own has a name; got 1."),
        ({"mine": 0.5}, "extra['mine'] is a function of y_true and y_pred; got 0.5."),
        ({"recall": profit}, "'recall' is the name of a metric already. Hint: choose another name."),
        (
            {"sensitivity": profit},
            "'sensitivity' is the name of a metric already. Hint: choose another name.",
        ),
        ({"f1_macro": profit}, "'f1_macro' is the name of a metric already. Hint: choose another name."),
    ],
)
def test_what_extra_must_be(extra: Any, said: str) -> None:
    with pytest.raises(OptionError) as caught:
        tm.evaluate(ACTUAL, PREDICTED, extra=extra)
    assert str(caught.value) == said


def test_a_function_that_fails_on_some_resamples_only() -> None:
    # With 4 positives of 200, a resample has none of them in 1 of 55 cases; with 1, in 37 of 100.
    def mean_of_positives(y_true: Column, y_pred: Column) -> float:
        if not y_true.any():
            raise ValueError("no positives")
        return float(y_pred[y_true == 1].mean())

    few, one = np.zeros(200, int), np.zeros(200, int)
    few[:4], one[0] = 1, 1
    found = tm.evaluate(few, PREDICTED, extra={"mine": mean_of_positives})["mine"]
    assert found.low is not None
    answers = PREDICTED.copy()
    without = tm.evaluate(one, answers, extra={"mine": mean_of_positives})["mine"]
    assert without.low is None
    assert without.note is not None
    assert without.note.startswith("it has no value in 3")


def test_one_row() -> None:
    found = tm.evaluate([1], [1], extra={"mine": lambda y, p: 0.5})["mine"]
    assert found.low is None
    assert found.note == "there is one row, so there is nothing to resample"


def test_no_answers_without_a_threshold() -> None:
    with pytest.raises(OptionError, match="needs answers, and there are none"):
        tm.evaluate(ACTUAL, y_score=SCORE * 9 - 4, extra={"mine": profit})


# --- intervals -------------------------------------------------------------------------------


def test_whole_groups_are_drawn() -> None:
    # Every group has 5 rows and its own score, so a resample has every score a multiple of 5 times.
    group = np.arange(200) // 5
    marks = group / 100
    counts: list[set[int]] = []

    def watch(y_true: Column, y_pred: Column, y_score: Column) -> float:
        _, times = np.unique(y_score, return_counts=True)
        counts.append({int(each) % 5 for each in times})
        assert len(y_true) == 200
        return float(y_score.mean())

    found = tm.evaluate(ACTUAL, y_score=marks, groups=group, extra={"mine": watch})["mine"]
    assert found.method == "group_bootstrap"
    assert found.assumption == "independent groups (40 of them)"
    assert found.low is not None
    assert len(counts) > 1_000
    assert all(each == {0} for each in counts)


def test_the_seed_decides() -> None:
    one, again, other = own(profit), own(profit), own(profit, random_state=5)
    assert (one.low, one.high) == (again.low, again.high) != (other.low, other.high)


def test_the_same_numbers_whichever_is_asked_first() -> None:
    extra = {"first": profit, "second": share}
    one, other = (tm.evaluate(ACTUAL, PREDICTED, extra=extra) for _ in range(2))
    ends = one["first"].low, one["second"].low
    assert (other["second"].low, other["first"].low) == ends[::-1]


def test_it_agrees_with_the_interval_of_the_same_number_of_ours() -> None:
    ev = tm.evaluate(ACTUAL, PREDICTED, extra={"mine": share})
    assert ev["mine"].value == ev["accuracy"].value
    assert ev["mine"].low == pytest.approx(ev["accuracy"].low, abs=0.01)
    assert ev["mine"].high == pytest.approx(ev["accuracy"].high, abs=0.01)


def test_the_interval_of_a_mean_covers() -> None:
    # 30 rows from a skewed distribution with mean 1: percentiles widened by t reach about 0.92.
    held, samples = 0, 100
    for seed in range(samples):
        drawn = np.random.default_rng(seed).gamma(2, 0.5, 30)
        found = tm.evaluate(
            [0, 1] * 15,
            y_score=drawn,
            threshold=1,
            random_state=seed,
            extra={"mean": lambda y, p, s: s.mean()},
        )["mean"]
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 1 <= found.high
    assert held / samples == pytest.approx(0.95, abs=5 * math.sqrt(0.95 * 0.05 / samples))


def test_another_level() -> None:
    found = own(profit)
    wide, narrow = found.interval(0.99), found.interval(0.5)
    assert None not in (wide.low, wide.high, narrow.low, narrow.high)
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)  # type: ignore[operator]


# --- in an evaluation ------------------------------------------------------------------------


def evaluated(**options: Any) -> Evaluation:
    return tm.evaluate(ACTUAL, PREDICTED, extra={"profit": profit}, **options)


def test_everywhere_a_number_is_shown() -> None:
    ev = evaluated(confidence_level=0.9)
    assert "profit" in ev
    assert "profit" in list(ev)
    form = json.loads(ev.to_json())["metrics"]["profit"]
    assert form["value"] == profit(ACTUAL, PREDICTED)
    assert (form["method"], form["level"], form["n"]) == ("row_bootstrap", 0.9, 200)
    line = next(line for line in str(ev).splitlines() if line.startswith("profit "))
    assert line.split()[-1] == "row_bootstrap"
    frame = ev.to_frame("pandas")
    assert frame[frame["metric"] == "profit"]["value"].tolist() == [profit(ACTUAL, PREDICTED)]


def test_an_evaluation_can_be_pickled_with_what_its_functions_gave() -> None:
    ev = tm.evaluate(ACTUAL, PREDICTED, extra={"mine": lambda y, p: float((y == p).mean())})
    again = pickle.loads(pickle.dumps(ev))
    assert (again["mine"].value, again["mine"].low) == (ev["mine"].value, ev["mine"].low)
    assert again["mine"].interval(0.99).low is None


def test_there_is_no_formula_to_explain() -> None:
    with pytest.raises(MetricError, match="'profit' is a function of your own"):
        evaluated().explain("profit")


def test_the_whole_has_it_and_slices_say_why_not() -> None:
    ev = evaluated(slices={"half": np.arange(200) % 2})
    assert "profit" in ev.metrics
    for other in (ev.slices[0].evaluation, ev.at_prevalence(0.3)):
        assert other["profit"].value is None
        assert other["profit"].why == "a metric of your own is worked out from all rows as they came"
