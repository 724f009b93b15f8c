"""What a permutation test says of itself: what is tested, how exact p is, and what came out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tallymark.drawing import count, level_text, number
from tallymark.metrics import FROM_SCORES
from tallymark.tallies.labels import quoted
from tallymark.tests.outcome import rejects
from tallymark.validation.fits.failures import way_out
from tallymark.validation.fits.fold_notes import said_of_failures, said_of_folds, said_of_warnings
from tallymark.validation.permutation.exchange import few_ways
from tallymark.validation.permutation.means import Mean
from tallymark.validation.permutation.plan import USUAL_INNER, Plan, inner_folds, tested_again

if TYPE_CHECKING:
    from tallymark.validation.permutation.result import PermutationTest
    from tallymark.validation.permutation.stopping import Stopped

# Shares of 100 data sets without any relation, as measured with folds and with ten holdouts, in designs such
# as those of benchmarks/permutation.py.
_FOLDS = "up to 10"
_AGAIN = "up to 26"
_FEW_TESTED = 100
"""Test rows below which a holdout is small."""
_VERY_FEW_TESTED = 50
"""Test rows below which folds find much more: of 60 rows, a relation 49 times in 100 instead of 11."""


def notes(plan: Plan, permuted: Sequence[Mean], said: Counter[str], *, given: bool) -> Iterator[str]:
    """What must be said, in sentences; `given`: whether the user chose what is permuted."""
    yield from plan.data.notes
    yield from said_of_folds(plan.folds, plan.data)
    yield from _inner(plan)
    m, folds = len(permuted), plan.folds
    if plan.permute == "all" and not given:
        yield (
            "rows are tested on in several folds, so the classes of all rows are permuted: with those of "
            "training rows alone p would be far too small."
        )
    if plan.exchange.note is not None:
        yield plan.exchange.note
    rows = np.arange(plan.data.rows) if plan.permute == "all" else folds.folds[0].train
    few = few_ways(plan.exchange.ways(rows, plan.data.actual), m, plan.exchange.among)
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
    yield from said_of_failures(failures, m * len(folds))
    remedy = way_out(plan.model, plan.data, failures)
    if remedy is not None:
        yield remedy
    yield from said_of_warnings(said, (m + 1) * len(folds))


def _inner(plan: Plan) -> Iterator[str]:
    """How parameters are chosen where few groups leave few folds."""
    if plan.tuned is None or plan.tuned.inner_cv is not None:
        return
    fewest = min(inner_folds(plan.data, fold.train) for fold in plan.folds.folds)
    if fewest < USUAL_INNER:
        yield (
            f"parameters are chosen by {fewest} inner folds instead of {USUAL_INNER}: training rows are of "
            f"{fewest} groups, which stay whole."
        )


def is_exact(test: PermutationTest) -> bool:
    """One cut, or classes permuted everywhere, with rows or groups that can stand for each other."""
    if not _alike(test):
        return False
    return test.permute == "all" or (len(test.folds) == 1 and not _groups_are_cut(test))


def _alike(test: PermutationTest) -> bool:
    """Whether all that changes places can stand for each other."""
    return not _of_pairs(test) and test.among != "groups of similar size"


def _of_whole_groups(test: PermutationTest) -> bool:
    return test.among.startswith("groups")


def _groups_are_cut(test: PermutationTest) -> bool:
    """Whether whole groups change their classes while some of their rows are tested on."""
    if not _of_whole_groups(test):
        return False
    train, test_rows = next(iter(test.folds))
    groups = test.data.groups
    return bool(np.isin(groups[train], groups[test_rows]).any())


def _of_pairs(test: PermutationTest) -> bool:
    return test.among == "rows" and test.data.groups is not None


def _far_too_small(test: PermutationTest) -> bool:
    """Whether rows that are tested on several times let chance do better than p says."""
    return test.permute == "training" and tested_again(test.folds)


def null(test: PermutationTest) -> str:
    """The hypothesis that p is about."""
    what = "groups" if _of_whole_groups(test) else "rows"
    whose = f"the training {what}" if test.permute == "training" else f"the {what}"
    where = ""
    if test.among == "rows of a group":
        where = "within a group "
    elif test.among.endswith(" size"):
        where = f"among {test.among} "
    return (
        f"{where}the classes of {whose} have nothing to do with their features: any other order of them "
        "would have been as likely"
    )


def exactness(test: PermutationTest) -> str:
    """Whether p can be taken at its word."""
    return _exact(test) if is_exact(test) else " ".join(_not_exact(test))


def _exact(test: PermutationTest) -> str:
    what = "groups are" if _of_whole_groups(test) else "rows are"
    why = (
        "the test rows take no part in the permutations"
        if test.permute == "training"
        else "all that happens to the real classes happens to the permuted ones, folds included"
    )
    return (
        f"p is exact where {what} independent of each other, for any model and any size: {why}. Without "
        "a relation, p is 0.05 or less in no more than 5 of 100 data sets."
    )


def _not_exact(test: PermutationTest) -> Iterator[str]:
    """Everything that keeps p from being exact."""
    if _of_pairs(test):
        yield "p is approximate: rows that share an entity do not change places freely."
    if test.among == "groups of similar size":
        yield (
            "p is approximate: groups that change places are similar in size, not the same, and the size of "
            "a group may go with its class."
        )
    if test.permute == "all":
        return
    if len(test.folds) > 1:
        again = tested_again(test.folds)
        better = "p is exact" if _alike(test) else "this does not happen"
        yield (
            f"p is {'far too small' if again else 'approximate'}: the folds share training rows, and each "
            f"fold permutes its own. Without a relation, p was 0.05 or less in {_AGAIN if again else _FOLDS} "
            "of 100 data sets measured, with up to 60 rows. With one holdout, or --permute all "
            f"(permute='all'), {better}."
        )
    elif _groups_are_cut(test):
        better = "makes it exact" if _alike(test) else "helps"
        yield (
            "p is approximate: groups have rows both to learn and to test, and these keep their classes; "
            f"a splitter that keeps groups together {better}."
        )


def power(test: PermutationTest) -> str | None:
    """What a single holdout of few rows can miss; it depends on the design alone, never on p."""
    single = test.permute == "training" and len(test.folds) == 1
    if not single or test.asked.metric.about in FROM_SCORES or test.folds.folds[0].n_test >= _FEW_TESTED:
        return None
    return (
        "With one strong feature, a model that learned permuted classes is often right by the luck of its "
        f"direction, so {test.metric} of a single holdout of few rows has little power. --metric brier, or "
        "--permute all (permute='all'), has more; choose before p is seen."
    )


def finds_more(test: PermutationTest) -> str | None:
    """What to do where one very small holdout showed nothing."""
    tested = test.folds.folds[0].n_test
    single = test.permute == "training" and len(test.folds) == 1
    if not single or tested >= _VERY_FEW_TESTED or _shown(test) or _too_few(test):
        return None
    return (
        f"One holdout of {count(tested)} test rows misses much; --method kfold:5 --permute all (cv=5, "
        "permute='all') finds more. Who takes another test after p was seen must say so."
    )


def beside_scikit_learn(test: PermutationTest) -> str:
    """How this differs from what people may know."""
    if _of_whole_groups(test):
        return (
            "scikit-learn's permutation_test_score, given groups, permutes within each of them; here every "
            "group is of one class, so nothing would change places."
        )
    if test.permute == "training":
        return (
            "scikit-learn's permutation_test_score permutes the classes of the test rows as well, which "
            "--permute all (permute='all') does here."
        )
    groups = ", given these groups," if test.among == "rows of a group" else ""
    groups = ", without groups," if _of_pairs(test) else groups
    return f"scikit-learn's permutation_test_score{groups} permutes the same way."


def verdict(test: PermutationTest) -> str:
    """What came out, in sentences."""
    m, b = test.n_permutations, test.at_least_as_good
    ahead = "all" if b == 0 else f"{count(m - b)} of" if b < m else "none of"
    place = f"better than with {ahead} {count(m)} permutations"
    said = [
        f"{quoted(test.model)} has {test.metric} {number(test.value)} with the real classes, {place}: "
        f"p = {number(test.p_value)}."
    ]
    if test.stopped is not None:
        said.append(_cut_short(test.stopped))
    if _far_too_small(test):
        said.append(
            "p is far too small here: rows are tested on in several folds, and without a relation p is 0.05 "
            f"or less in {_AGAIN} of 100 data sets; {_better(test)}."
        )
    if _too_few(test):
        alpha = 1 - test.level
        said.append(
            f"With {count(_possible(test))} permutations p cannot be {number(alpha)} or less: "
            f"{count(_least_permutations(alpha))} are needed at least."
        )
    elif _shown(test):
        said += [_claim(test), *_beside_the_majority(test)]
    else:
        said.append(
            "Classes that mean nothing often do as well, so no relation between features and classes is "
            "shown; which does not prove that there is none."
        )
    return " ".join(said)


def _cut_short(stopped: Stopped) -> str:
    """That there was no need of more permutations."""
    alpha = number(1 - stopped.level)
    clear = f"{alpha} or less" if stopped.side == "low" else f"above {alpha}"
    return (
        f"Drawing stopped after {count(stopped.after)} of {count(stopped.of)} permutations, when it was "
        f"clear that p is {clear}, by a rule that is wrong in at most {one_of(stopped.risk)} tests."
    )


def one_of(risk: float) -> str:
    """A small chance in words."""
    return f"1 of {count(round(1 / risk))}"


def early_stop(test: PermutationTest) -> str | None:
    """By which rule a test may stop, how often that is wrong, and what p is then."""
    rule = test.rule
    if rule is None:
        return None
    alpha, n = number(rule.alpha), count(test.n_permutations)
    came = "" if test.stopped is not None else f" Here it did not: all {n} were drawn."
    return (
        "Permutations are looked at in the order they are drawn, and the test stops when the number of those "
        f"at least as good leaves the boundaries of Gandy (2009) for {alpha}.{came} On whichever side of "
        f"{alpha} the share of all permutations is, it stops on the other in at most {one_of(rule.risk)} "
        "tests. p reckons with that: to stop sooner with few at least as good is stronger, to stop sooner "
        "with many is weaker, and p is the chance, without a relation, of an outcome at least as strong."
    )


def _shown(test: PermutationTest) -> bool:
    return rejects(test.p_value, test.level)


def _too_few(test: PermutationTest) -> bool:
    """Whether no p of so few permutations could be small enough."""
    return 1 / (_possible(test) + 1) > 1 - test.level + 1e-12


def _possible(test: PermutationTest) -> int:
    """Permutations that could have made p small."""
    if test.stopped is not None and test.stopped.side == "high":
        return test.stopped.of
    return test.n_permutations


def _better(test: PermutationTest) -> str:
    return f"--permute all (permute='all') is {'exact' if _alike(test) else 'free of this'}"


def _claim(test: PermutationTest) -> str:
    """What a small p shows, after what makes it smaller than it should be."""
    if test.exact:
        return "The classes have to do with the features, and the model finds some of it."
    if _far_too_small(test):
        return "So it shows no relation."
    seem = "The classes seem to have to do with the features, and the model to find some of it."
    if not _alike(test) or len(test.folds) == 1:
        return f"{exactness(test)} {seem}"
    return (
        f"p is approximate with folds: without a relation it is 0.05 or less in {_FOLDS} of 100 data sets; "
        f"{_better(test)}. {seem}"
    )


def _beside_the_majority(test: PermutationTest) -> Iterator[str]:
    """That a model which beats chance is still of no use."""
    most = test.majority.value
    if most is not None and (test.value <= most if test.better == "higher" else test.value >= most):
        yield (
            f"Yet always answering the most frequent class is worth {number(most)}, which is "
            f"{'the same' if test.value == most else 'better'}."
        )


def sure_side(test: PermutationTest) -> str | None:
    """Whether more permutations could turn the verdict."""
    alpha = 1 - test.level
    if test.p_low <= alpha < test.p_high:
        return (
            f"More permutations could move p to the other side of {number(alpha)}: of all of them it lies "
            f"between {number(test.p_low)} and {number(test.p_high)} ({level_text(test.level)} interval)."
        )
    return None


def _least_permutations(alpha: float) -> int:
    return int(np.ceil(1 / alpha - 1e-9)) - 1
