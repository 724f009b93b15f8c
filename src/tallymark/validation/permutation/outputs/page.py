"""What is said on the page of a permutation test and in no table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallymark.drawing import count, number
from tallymark.drawing import name as visible
from tallymark.validation.page import PageWords, Shown
from tallymark.validation.permutation.words import finds_more, sure_side

if TYPE_CHECKING:
    from tallymark.validation.permutation.result import PermutationTest


def page_words(test: PermutationTest) -> PageWords:
    """Of one model, with real classes and with permuted ones."""
    said = filter(None, (test.verdict, sure_side(test), finds_more(test)))
    return PageWords(
        f"Has {visible(test.model)} learned anything?",
        " ".join(said),
        {"permutations": lambda: Shown("Real and permuted classes", _permuted(test), "Results", "beside")},
    )


def _permuted(test: PermutationTest) -> str:
    return (
        f"{test.metric} {number(test.value)} with the real classes; with permuted ones "
        f"{number(test.quantile(0))} to {number(test.quantile(1))}, at least as good in "
        f"{count(test.at_least_as_good)} of {count(test.n_permutations)}."
    )
