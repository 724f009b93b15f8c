"""p-values of several pairs, adjusted by hand from two pairs on, and what is told of them."""

from __future__ import annotations

import pytest

from tallymark.comparison.difference import Difference
from tallymark.comparison.families import Adjustment, adjusted
from tallymark.comparison.verdict import significant, tells_reach
from tallymark.inference.estimate import Estimate
from tallymark.tests.outcome import Outcome


def difference(p_value: float | None, b: str = "b", value: float | None = 0.1) -> Difference:
    outcome = Outcome("by hand", None, p_value, alternative="two-sided", assumption="", counts={})
    return Difference("accuracy", "a", b, Estimate(value, 0.95), True, "higher", lambda: outcome)


def test_one_pair_needs_no_adjustment() -> None:
    (found,) = adjusted([difference(0.03)], "holm")
    assert (found.adjusted, found.decisive) == (None, 0.03)


@pytest.mark.parametrize(
    ("method", "expected"),
    # Bonferroni: each times 2. Holm: the least times 2; the other times 1, but not below the one before.
    [("bonferroni", [0.04, 0.1]), ("holm", [0.04, 0.05])],
)
def test_two_pairs_by_hand(method: Adjustment, expected: list[float]) -> None:
    found = adjusted([difference(0.02), difference(0.05)], method)
    assert [each.adjusted for each in found] == pytest.approx(expected)
    assert [each.decisive for each in found] == pytest.approx(expected)


def test_a_pair_without_a_p_value_counts_all_the_same() -> None:
    first, second = adjusted([difference(0.02), difference(None)], "bonferroni")
    assert (first.adjusted, second.adjusted) == (0.04, None)


def test_what_so_much_data_could_have_found_is_told_of_two_models_that_are_not_told_apart() -> None:
    assert tells_reach([difference(0.3)], 0.95)
    assert tells_reach([difference(0.3), difference(0.001)], 0.95)
    assert not tells_reach([difference(0.001)], 0.95)
    assert not tells_reach([difference(0.3, value=None)], 0.95)
    assert not tells_reach([difference(0.3), difference(0.3, "c")], 0.95)


def test_the_level_is_that_of_the_question() -> None:
    assert significant(difference(0.049), 0.95)
    assert not significant(difference(0.051), 0.95)
    assert significant(difference(0.051), 0.9)
    assert not significant(difference(0.001, value=0.0), 0.95)
