"""What a permutation test says of itself: what is tested, how exact p is, and what came out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tallymark.drawing import count, number, percent
from tallymark.tallies.labels import quoted
from tallymark.validation.permutation.exchange import few_ways
from tallymark.validation.permutation.means import Mean
from tallymark.validation.permutation.plan import Plan, tested_again

if TYPE_CHECKING:
    from tallymark.validation.permutation.result import PermutationTest

# False positives at 5 % without any relation, of five folds and of ten holdouts; benchmarks/permutation.py.
_FOLDS = "up to 10"
_AGAIN = "up to 26"


def notes(plan: Plan, permuted: Sequence[Mean], said: Counter[str], *, given: bool) -> Iterator[str]:
    """What must be said, in sentences; `given`: whether the user chose what is permuted."""
    yield from plan.data.notes
    m, folds = len(permuted), plan.folds
    if plan.permute == "all" and not given:
        yield (
            "rows are tested on in several folds, so the classes of all rows are permuted: with those of "
            "training rows alone p would be far too small."
        )
    if plan.exchange.note is not None:
        yield plan.exchange.note
    rows = np.arange(plan.data.rows) if plan.permute == "all" else folds.folds[0].train
    few = few_ways(plan.exchange.ways(rows, plan.data.actual), m)
    if few is not None and (plan.permute == "all" or len(folds) == 1):
        yield few
    whys = Counter(each.why for each in permuted if each.value is None)
    if whys:
        (why, _), missing = whys.most_common(1)[0], sum(whys.values())
        yield (
            f"{count(missing)} of {count(m)} permutations {'has' if missing == 1 else 'have'} no result and "
            f"{'is' if missing == 1 else 'are'} taken as at least as good as the real classes: {why}."
        )
    failures = [failure for each in permuted for failure in each.failures]
    if failures:
        yield f"{count(len(failures))} of {count(m * len(folds))} fits failed: {failures[0]}."
    fits = (m + 1) * len(folds)
    for warning, times in said.most_common():
        yield f"{warning.rstrip('.:; ')} (in {count(times)} of {count(fits)} fits)."


def is_exact(test: PermutationTest) -> bool:
    """One cut, or classes permuted everywhere, with rows or groups that can stand for each other."""
    if _of_pairs(test):
        return False
    return test.permute == "all" or (len(test.folds) == 1 and not _groups_are_cut(test))


def _groups_are_cut(test: PermutationTest) -> bool:
    """Whether whole groups change their classes while some of their rows are tested on."""
    if test.among != "groups":
        return False
    train, test_rows = next(iter(test.folds))
    groups = test.data.groups
    return bool(np.isin(groups[train], groups[test_rows]).any())


def _of_pairs(test: PermutationTest) -> bool:
    return test.among == "rows" and test.data.groups is not None


def null(test: PermutationTest) -> str:
    """The hypothesis that p is about."""
    rows = "the training rows" if test.permute == "training" else "the rows"
    if test.among == "groups":
        rows = "the groups" if test.permute == "all" else "the training groups"
    if test.among == "rows of a group":
        return (
            f"within a group the classes of {rows} have nothing to do with their features: any other order "
            "of them would have been as likely"
        )
    return (
        f"the classes of {rows} have nothing to do with their features: any other order of them would have "
        "been as likely"
    )


def exactness(test: PermutationTest) -> str:
    """Whether p can be taken at its word."""
    if _of_pairs(test):
        return "p is approximate: rows that share an entity do not change places freely."
    if is_exact(test):
        what = "groups are" if test.among == "groups" else "rows are"
        why = (
            "the test rows take no part in the permutations"
            if test.permute == "training"
            else "all that happens to the real classes happens to the permuted ones, folds included"
        )
        return (
            f"p is exact where {what} independent of each other, for any model and any size: {why}. Without "
            "a relation, p is 0.05 or less in no more than 5 of 100 data sets."
        )
    if len(test.folds) == 1:
        return (
            "p is approximate: groups have rows both to learn and to test, and these keep their classes; "
            "a splitter that keeps groups together makes it exact."
        )
    again = tested_again(test.folds)
    much = _AGAIN if again else _FOLDS
    return (
        f"p is {'far too small' if again else 'approximate'}: the folds share training rows, and each fold "
        f"permutes its own. Without a relation, p was 0.05 or less in {much} of 100 data sets measured, with "
        'up to 60 rows. With one holdout, or permute="all", p is exact.'
    )


def beside_scikit_learn(test: PermutationTest) -> str:
    """How this differs from what people may know."""
    if test.permute == "all":
        return "scikit-learn's permutation_test_score permutes the same way."
    return (
        "scikit-learn's permutation_test_score permutes the classes of the test rows as well, which "
        'permute="all" does here.'
    )


def verdict(test: PermutationTest) -> str:
    """What came out, in sentences."""
    m, b = test.n_permutations, test.at_least_as_good
    alpha = 1 - test.level
    ahead = "all" if b == 0 else f"{count(m - b)} of" if b < m else "none of"
    place = f"better than with {ahead} {count(m)} permutations"
    said = (
        f"{quoted(test.model)} has {test.metric} {number(test.value)} with the real classes, {place}: "
        f"p = {number(test.p_value)}."
    )
    if 1 / (m + 1) > alpha + 1e-12:
        return (
            f"{said} With {count(m)} permutations p cannot be {number(alpha)} or less: "
            f"{count(_least_permutations(alpha))} are needed at least."
        )
    if test.p_value > alpha + 1e-12:
        return (
            f"{said} Classes that mean nothing often do as well, so no relation between features and classes "
            "is shown; which does not prove that there is none."
        )
    said = f"{said} The classes have to do with the features, and the model finds some of it."
    most = test.majority.value
    if most is not None and (test.value <= most if test.better == "higher" else test.value >= most):
        said += (
            f" Yet always answering with the largest class is worth {number(most)}, which is "
            f"{'the same' if test.value == most else 'better'}."
        )
    return said


def sure_side(test: PermutationTest) -> str | None:
    """Whether more permutations could turn the verdict."""
    alpha = 1 - test.level
    if test.p_low <= alpha < test.p_high:
        return (
            f"More permutations could move p to the other side of {number(alpha)}: of all of them it lies "
            f"between {number(test.p_low)} and {number(test.p_high)} ({percent(test.level, 0)} interval)."
        )
    return None


def _least_permutations(alpha: float) -> int:
    return int(np.ceil(1 / alpha - 1e-9)) - 1
