"""What every metric of the registry must obey, read from the facts that sit on it."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tallymark.inference.estimate import Estimate
from tallymark.inference.sample import Sample
from tallymark.metrics import AVERAGES, METRICS, Asked, Metric, ask, formulas, vocabulary
from tallymark.tallies import Binary, Confusion, Margins

some = settings(max_examples=50, deadline=None)

PARAMETERS: dict[str, list[tuple[float, ...]]] = {
    "f_beta": [(1.0,), (2.0,), (0.5,)],
    "weighted_accuracy": [(2.0, 1.0, 1.0, 0.0), (1.0, 4.0, 2.0, 3.0), (0.0, 0.5, 0.0, 1.5)],
}
COSTS = ("total_cost", "mean_cost")
ASKED = [Asked(metric, values) for metric in METRICS.values() for values in PARAMETERS.get(metric.name, [()])]
ON_BINARY = [asked for asked in ASKED if asked.metric.name not in COSTS]
ON_TABLE = [asked for asked in ASKED if asked.metric.about == "all"]
# The function of balanced accuracy reads a 2x2; of a table it is the macro recall.
ON_MARGINS = [asked for asked in ON_TABLE if asked.metric.name != "balanced_accuracy"]
AVERAGED = [Asked(asked.metric, asked.parameters, kind) for asked in ON_BINARY for kind in AVERAGES]

over_binary = pytest.mark.parametrize("asked", ON_BINARY, ids=lambda asked: asked.name)
over_margins = pytest.mark.parametrize("asked", ON_MARGINS, ids=lambda asked: asked.name)

# Every way a few cells can be empty, beside random ones: the undefined cases all live there.
CORNERS = [Binary(*cells) for cells in itertools.product((0, 1, 3), repeat=4)]
counts = st.one_of(st.integers(0, 3), st.integers(0, 50), st.integers(0, 10**6))
binaries = st.builds(Binary, counts, counts, counts, counts)


@st.composite
def matrices(draw: st.DrawFn, sizes: tuple[int, ...] = (2, 3, 5), largest: int = 1000) -> NDArray[np.int64]:
    size = draw(st.sampled_from(sizes))
    cell = st.one_of(st.just(0), st.integers(0, 3), st.integers(0, largest))
    return np.array(draw(st.lists(cell, min_size=size**2, max_size=size**2))).reshape(size, size)


def value_of(asked: Asked, tally: Any) -> float:
    return float(asked.metric(tally, *asked.parameters))


def margins_of(matrix: NDArray[np.int64], costs: NDArray[np.float64] | None = None) -> Margins:
    """Margins with a cost, worked out directly: actual class i called j costs i + 2 j - 1 unless told."""
    size = len(matrix)
    prices = np.add.outer(np.arange(size), 2 * np.arange(size)) - 1.0 if costs is None else costs
    return Margins(
        np.diagonal(matrix),
        matrix.sum(axis=1),
        matrix.sum(axis=0),
        int(matrix.sum()),
        float((matrix * prices).sum()),
    )


def words_of_binary(asked: Asked, tally: Binary) -> dict[str, Any]:
    words = vocabulary.of_binary(tally) | vocabulary.parameters(asked.metric, asked.parameters)
    used = vocabulary.used_metrics(asked.metric.formula)
    return words | {metric.name: metric(tally) for metric in used}


def same(one: float | None, other: float | None, tolerance: float = 1e-12) -> bool:
    """Equal up to rounding; undefined only equals undefined."""
    blank = [number is None or math.isnan(number) for number in (one, other)]
    if any(blank):
        return all(blank)
    return one == pytest.approx(other, rel=tolerance, abs=tolerance)


# --- the formula is what is computed ---------------------------------------------------------------


def assert_formula_is_the_value(asked: Asked, tally: Binary) -> None:
    by_formula = formulas.value(asked.metric.formula, words_of_binary(asked, tally))
    assert same(by_formula, value_of(asked, tally)), (tally, by_formula, value_of(asked, tally))


def assert_undefined_for_a_stated_reason(
    metric: Metric, cases: Any, words: dict[str, Any], value: float
) -> None:
    zero = [expression for expression in cases if formulas.value(expression, words) == 0]
    assert bool(zero) == math.isnan(value), (metric.name, words, value)
    if zero:
        assert vocabulary.reason(cases, words) == f"{cases[zero[0]]} ({formulas.text(zero[0])} = 0)"


@over_binary
@some
@given(tally=binaries)
def test_formula_on_a_2x2(asked: Asked, tally: Binary) -> None:
    assert_formula_is_the_value(asked, tally)


@over_binary
def test_formula_and_reasons_on_every_corner(asked: Asked) -> None:
    for tally in CORNERS:
        assert_formula_is_the_value(asked, tally)
        words = words_of_binary(asked, tally)
        assert_undefined_for_a_stated_reason(
            asked.metric, asked.metric.undefined, words, value_of(asked, tally)
        )


@over_binary
def test_some_corner_is_undefined_and_some_is_not(asked: Asked) -> None:
    assert {math.isnan(value_of(asked, tally)) for tally in CORNERS} == {True, False}


@over_margins
@some
@given(matrix=matrices())
@example(matrix=np.array([[4, 0, 0], [0, 0, 0], [0, 0, 0]]))
@example(matrix=np.array([[4, 1, 0], [0, 0, 0], [0, 0, 0]]))
@example(matrix=np.array([[4, 0, 0], [1, 0, 0], [0, 0, 0]]))
def test_formula_on_k_classes(asked: Asked, matrix: NDArray[np.int64]) -> None:
    metric, margins = asked.metric, margins_of(matrix)
    words = vocabulary.of_margins(margins)
    value = value_of(asked, margins)
    assert same(formulas.value(metric.classes_formula or metric.formula, words), value)
    if matrix.any():
        assert_undefined_for_a_stated_reason(metric, metric.classes_undefined, words, value)


@over_margins
def test_no_rows_is_undefined_on_k_classes(asked: Asked) -> None:
    metric, margins = asked.metric, margins_of(np.zeros((3, 3), np.int64))
    assert_undefined_for_a_stated_reason(
        metric, metric.classes_undefined, vocabulary.of_margins(margins), value_of(asked, margins)
    )


@some
@given(matrices())
@example(np.array([[3, 1], [0, 0]]))
def test_formula_of_balanced_accuracy_on_k_classes(matrix: NDArray[np.int64]) -> None:
    metric = METRICS["balanced_accuracy"]
    margins = margins_of(matrix)
    recalls = METRICS["recall"](margins.each).tolist()
    words = vocabulary.of_margins(margins) | {"recall_k": recalls}
    estimate = Sample(Confusion(matrix)).of_table(ask("balanced_accuracy"))
    defined = [recall for recall in recalls if not math.isnan(recall)]
    if len(defined) == len(recalls):
        assert same(formulas.value(metric.classes_formula or "", words), estimate.value)
    # Classes without rows are left out, of two classes as of more.
    assert same(sum(defined) / len(defined) if defined else None, estimate.value)


def test_no_rows_is_why_kappa_of_no_rows_is_undefined() -> None:
    """It must not be said of no rows that every one of them got the right answer."""
    estimate = Sample(Confusion([[0, 0], [0, 0]])).of_table(ask("kappa"))
    assert estimate.value is None
    assert estimate.why == "there are no rows (n = 0)"


# --- scale, range, arrays --------------------------------------------------------------------------


def times(tally: Binary, factor: int) -> Binary:
    return Binary(factor * tally.tp, factor * tally.fn, factor * tally.fp, factor * tally.tn)


@over_binary
@some
@given(tally=binaries, factor=st.sampled_from([2, 10]))
def test_only_shares_count(asked: Asked, tally: Binary, factor: int) -> None:
    assert same(value_of(asked, times(tally, factor)), value_of(asked, tally))


@over_margins
@some
@given(matrix=matrices(), factor=st.sampled_from([2, 10]))
def test_only_shares_count_on_k_classes(asked: Asked, matrix: NDArray[np.int64], factor: int) -> None:
    value, repeated = value_of(asked, margins_of(matrix)), value_of(asked, margins_of(factor * matrix))
    assert same(repeated, factor * value if asked.metric.name == "total_cost" else value)


def assert_inside(value: float | None, asked: Asked, tally: Any) -> None:
    lowest, highest = asked.metric.range
    if value is not None and not math.isnan(value):
        assert lowest <= value <= highest, (asked.name, tally)


@over_binary
@some
@given(tally=binaries)
def test_values_stay_inside_the_range(asked: Asked, tally: Binary) -> None:
    for table in (tally, *CORNERS):
        assert_inside(value_of(asked, table), asked, table)


@over_margins
@some
@given(matrix=matrices())
@example(matrix=np.array([[1, 0], [0, 3]]))
def test_values_stay_inside_the_range_on_k_classes(asked: Asked, matrix: NDArray[np.int64]) -> None:
    assert_inside(value_of(asked, margins_of(matrix)), asked, matrix)


def test_mcc_of_perfect_answers_is_1_and_no_more() -> None:
    """sqrt(3) squared is a little less than 3, so a plain quotient is a little more than 1."""
    assert value_of(ask("mcc"), Binary(1, 0, 0, 3)) == 1.0
    assert value_of(ask("mcc"), Binary(0, 1, 3, 0)) == -1.0


@over_binary
@some
@given(tallies=st.lists(binaries, min_size=1, max_size=5))
def test_arrays_give_what_numbers_give(asked: Asked, tallies: list[Binary]) -> None:
    several = [*tallies, *CORNERS]
    columns = [np.array([getattr(tally, cell) for tally in several]) for cell in ("tp", "fn", "fp", "tn")]
    together = asked.metric(Binary(*columns), *asked.parameters)
    np.testing.assert_array_equal(together, [value_of(asked, tally) for tally in several])


@over_margins
@some
@given(tables=st.lists(matrices(sizes=(3,)), min_size=1, max_size=4))
def test_arrays_give_what_numbers_give_on_k_classes(asked: Asked, tables: list[NDArray[np.int64]]) -> None:
    several = [margins_of(table) for table in [*tables, np.zeros((3, 3), np.int64)]]
    stacked = Margins(
        *(
            np.array([getattr(one, name) for one in several])
            for name in ("hits", "actual", "predicted", "n", "cost")
        )
    )
    np.testing.assert_array_equal(
        asked.metric(stacked, *asked.parameters), [value_of(asked, one) for one in several]
    )


# --- the other class, other class shares -----------------------------------------------------------


@pytest.mark.parametrize("asked", [a for a in ON_BINARY if a.metric.swap], ids=lambda asked: asked.name)
@some
@given(tally=binaries)
def test_swap_names_the_value_for_the_other_class(asked: Asked, tally: Binary) -> None:
    other = METRICS[asked.metric.swap or ""]
    for table in (tally, *CORNERS):
        assert same(value_of(asked, table.swapped()), float(other(table, *asked.parameters)))


@pytest.mark.parametrize("asked", [a for a in ON_BINARY if not a.metric.swap], ids=lambda asked: asked.name)
def test_without_a_swap_no_metric_is_the_value_for_the_other_class(asked: Asked) -> None:
    swapped = [value_of(asked, tally.swapped()) for tally in CORNERS]
    for other in ON_BINARY:
        values = [value_of(other, tally) for tally in CORNERS]
        assert not all(map(same, swapped, values)), other.name


@pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if metric.about == "all"])
def test_what_is_about_all_classes_has_no_positive_one(name: str) -> None:
    assert METRICS[name].symmetric


def more_negatives(tally: Binary) -> Binary:
    return Binary(tally.tp, tally.fn, 3 * tally.fp, 3 * tally.tn)


@pytest.mark.parametrize(
    "asked", [a for a in ON_BINARY if a.metric.prevalence_free], ids=lambda asked: asked.name
)
@some
@given(tally=binaries)
def test_prevalence_free_values_stay_when_negatives_are_tripled(asked: Asked, tally: Binary) -> None:
    for table in (tally, *CORNERS):
        assert same(value_of(asked, more_negatives(table)), value_of(asked, table))


@pytest.mark.parametrize(
    "asked", [a for a in ON_BINARY if not a.metric.prevalence_free], ids=lambda asked: asked.name
)
def test_other_values_change_when_negatives_are_tripled(asked: Asked) -> None:
    assert not all(same(value_of(asked, more_negatives(t)), value_of(asked, t)) for t in CORNERS)


@pytest.mark.parametrize("name", COSTS)
def test_costs_change_when_negatives_are_tripled(name: str) -> None:
    # 2 + 3 rows, one error of each kind at cost 10 and 1: 11 of 5; then 10 + 3 * 1 of 2 + 9.
    costs = np.array([[0.0, 10.0], [1.0, 0.0]])
    before, after = (margins_of(np.array([[1, 1], [k, 2 * k]]), costs) for k in (1, 3))
    expected = {"total_cost": (11, 13), "mean_cost": (11 / 5, 13 / 11)}[name]
    assert (METRICS[name](before), METRICS[name](after)) == expected
    assert not METRICS[name].prevalence_free


# --- K classes: names, order, repetition -----------------------------------------------------------


def estimates(confusion: Confusion, costs: NDArray[np.float64]) -> dict[str, Estimate]:
    sample = Sample(confusion, costs=costs)
    table = {asked.name: sample.of_table(asked) for asked in ON_TABLE}
    return table | {asked.name: sample.of_average(asked) for asked in AVERAGED}


def assert_same_estimates(one: dict[str, Estimate], other: dict[str, Estimate]) -> None:
    assert one.keys() == other.keys()
    for name, estimate in one.items():
        assert same(estimate.value, other[name].value), name
        assert estimate.why == other[name].why


@some
@given(matrices(sizes=(3, 4), largest=50), st.data())
def test_neither_order_nor_names_of_classes_matter(matrix: NDArray[np.int64], data: st.DataObject) -> None:
    size = len(matrix)
    order = np.array(data.draw(st.permutations(range(size))))
    costs = np.add.outer(np.arange(size), 2.0 * np.arange(size))
    moved = np.ix_(order, order)
    plain = estimates(Confusion(matrix, labels=range(size)), costs)
    assert_same_estimates(
        plain, estimates(Confusion(matrix[moved], labels=list("wxyz")[:size]), costs[moved])
    )


@some
@given(matrices(sizes=(2, 3), largest=50))
def test_repeating_every_row_leaves_values(matrix: NDArray[np.int64]) -> None:
    costs = np.add.outer(np.arange(len(matrix)), 2.0 * np.arange(len(matrix)))
    once, thrice = (estimates(Confusion(factor * matrix), costs) for factor in (1, 3))
    total_once, total_thrice = once.pop("total_cost"), thrice.pop("total_cost")
    assert_same_estimates(once, thrice)
    assert same(total_thrice.value, None if total_once.value is None else 3 * total_once.value)


# --- every number knows how sure it is -------------------------------------------------------------


# Over the classes, every row is positive once and called positive once: 1 / K, whatever the answers.
CONSTANT = [
    f"{name}_{kind}" for name in ("prevalence", "predicted_positive_rate") for kind in ("macro", "micro")
]


def assert_honest(estimate: Estimate, asked: Asked) -> None:
    if estimate.value is None:
        assert estimate.why
        assert (estimate.low, estimate.high) == (None, None)
        assert estimate.to_dict() == {"value": None, "why": estimate.why}
        return
    assert math.isfinite(estimate.value)
    assert_inside(estimate.value, asked, estimate)
    assert estimate.why is None
    if estimate.low is None or estimate.high is None:
        assert estimate.note
        return
    wider = estimate.interval(0.99)
    assert (estimate.level, wider.level, wider.value) == (0.95, 0.99, estimate.value)
    assert wider.low is not None
    assert wider.high is not None
    assert estimate.low <= estimate.value <= estimate.high
    rounding = 1e-12 if asked.name in CONSTANT else 0
    assert wider.low - rounding <= estimate.low <= estimate.high <= wider.high + rounding
    assert_inside(wider.low, asked, estimate)
    assert_inside(wider.high, asked, estimate)
    stretched = estimate.value in (estimate.low, estimate.high)
    full = (estimate.low, estimate.high) == asked.metric.range
    if estimate.n and asked.name not in CONSTANT and not full and not stretched:
        assert wider.high - wider.low > estimate.high - estimate.low >= 0


tables = matrices(sizes=(2, 3), largest=60)


@settings(max_examples=20, deadline=None)
@given(tables)
@example(np.zeros((2, 2), np.int64))
@example(np.zeros((3, 3), np.int64))
@example(np.array([[9, 0], [0, 0]]))
@example(np.array([[9, 0, 0], [0, 9, 0], [0, 0, 9]]))
@example(np.array([[0, 9, 0], [0, 0, 9], [9, 0, 0]]))
def test_intervals_of_classes_hold_their_value(matrix: NDArray[np.int64]) -> None:
    sample = Sample(Confusion(matrix))
    for asked in ON_BINARY:
        for position in range(len(matrix)):
            assert_honest(sample.of_class(asked, position), asked)


@settings(max_examples=15, deadline=None)
@given(tables)
@example(np.zeros((3, 3), np.int64))
@example(np.array([[9, 0, 0], [0, 0, 0], [0, 0, 0]]))
@example(np.array([[9, 0, 0], [0, 9, 0], [0, 0, 9]]))
@example(np.array([[0, 9, 0], [0, 0, 9], [9, 0, 0]]))
def test_intervals_of_tables_and_averages_hold_their_value(matrix: NDArray[np.int64]) -> None:
    costs = np.add.outer(np.arange(len(matrix)), 2.0 * np.arange(len(matrix)))
    sample = Sample(Confusion(matrix), costs=costs)
    for asked in ON_TABLE:
        assert_honest(sample.of_table(asked), asked)
    for asked in AVERAGED:
        assert_honest(sample.of_average(asked), asked)


@over_binary
def test_many_classes_get_intervals_without_a_warning(asked: Asked) -> None:
    """Above 200 classes another method takes over; one class is never hit, one never occurs."""
    matrix = np.diag(np.arange(1, 206) % 7 + 1)
    matrix[0, :2], matrix[5, 5], matrix[2, 3], matrix[3, 2], matrix[6, 6:9] = (0, 3), 0, 1, 2, (4, 1, 2)
    sample = Sample(Confusion(matrix))
    for position in (0, 1, 2, 5, 6, 20):
        assert_honest(sample.of_class(asked, position), asked)
    for average in AVERAGES:
        averaged = Asked(asked.metric, asked.parameters, average)
        assert_honest(sample.of_average(averaged), averaged)


def test_without_costs_cost_is_undefined_for_that_reason() -> None:
    for name in COSTS:
        assert Sample(Confusion([[1, 2], [3, 4]])).of_table(ask(name)).why == "no costs were given"
