"""`permutation_test`: many times permute the classes, train, and see how often that does as well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from os import PathLike
from typing import Any, get_args

import numpy as np

from tallymark.errors import InputError, OptionError
from tallymark.evaluation.settings import checked_seed
from tallymark.inference import Estimate
from tallymark.intake.costs import CostsGiven
from tallymark.intervals import checked_level
from tallymark.metrics import ask
from tallymark.resampling.folds import Folds
from tallymark.resampling.splitter import folds_of
from tallymark.tallies import Label
from tallymark.validation.data.data_set import DataSet
from tallymark.validation.data.given import models_of, one_data_set
from tallymark.validation.data.sharing import shared_features
from tallymark.validation.fits.asking import answerable, checked_sampler, directed, scored_by_one, with_costs
from tallymark.validation.fits.failures import way_out
from tallymark.validation.fits.fitting import require_joblib
from tallymark.validation.fits.scoring import Scorer
from tallymark.validation.learners.by_name import described
from tallymark.validation.learners.majority import majority_fit
from tallymark.validation.permutation.exchange import exchange_of
from tallymark.validation.permutation.means import Mean, is_as_good, mean_of
from tallymark.validation.permutation.plan import Fits, Permute, Plan, Tuned, tested_again
from tallymark.validation.permutation.result import PermutationTest
from tallymark.validation.permutation.stopping import Rule, looks
from tallymark.validation.permutation.words import notes
from tallymark.validation.runs.folder import RunFolder, folder_of
from tallymark.validation.runs.questions import question
from tallymark.validation.runs.recording import recording
from tallymark.validation.tuning.candidates import Space, grid


def permutation_test(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    cv: Any = "holdout:1/3",
    n_permutations: int = 200,
    early_stop: bool = False,
    permute: Permute | None = None,
    metric: str = "accuracy",
    scoring: str | None = None,
    param_grid: Space | Sequence[Space] | None = None,
    inner_cv: Any = None,
    target: str | None = None,
    groups: Any = None,
    labels: Sequence[Label] | None = None,
    pos_label: object = None,
    costs: CostsGiven | None = None,
    sampler: Any = None,
    n_jobs: int | None = None,
    run_folder: str | PathLike[str] | RunFolder | None = None,
    confidence_level: float = 0.95,
    random_state: int | None = 0,
    **reading: Any,
) -> PermutationTest:
    """How likely is a result as good as this one when the classes mean nothing?

    Many times the classes of the training rows change places, the model learns them, and is asked about the
    test rows, whose classes stay. p = (b + 1) / (m + 1), with b of m permutations at least as good as the
    real classes (Phipson and Smyth 2010). Of several folds the mean is taken.

    With `param_grid` parameters are chosen within the training rows, by the permuted classes too: by
    `inner_cv`, or 5 inner folds, of fewer groups one for each.

    One holdout, the default, makes p exact. Folds share training rows, so that p of permuted training rows
    is too small; permute="all" permutes the classes of the test rows as well, as scikit-learn's
    `permutation_test_score` does without groups, and is exact for any folds. It is the default where rows are
    tested on several times.

    With `early_stop` permutations are looked at in the order they are drawn, and the test stops when it is
    clear on which side of 1 - `confidence_level` p is, or after `n_permutations`. It stops on another side
    than that of all permutations in at most 1 of 1,000 tests (Gandy 2009). p reckons with stopping, so that
    it is as exact as without.

    What is finished is kept in the `run_folder`, if one is named: the same call goes on from there.

    Groups of one class change it whole, with groups of the same size; where few are, with groups of similar
    size, which is approximate. In other groups classes change places within the group.
    """
    seed, level = checked_seed(random_state), checked_level(confidence_level)
    m = _checked_number(n_permutations)
    rule = Rule(m, level) if _checked_flag(early_stop) else None
    asked = directed(ask(scored_by_one(scoring, metric)))
    checked_sampler(sampler)
    name, estimator = _one(models_of(model))
    data = one_data_set(X, y, target=target, groups=groups, labels=labels, pos_label=pos_label, **reading)
    data, costs = with_costs(data, costs, stated=labels is not None)
    scorer = Scorer(data, asked, costs)
    answerable(data, (asked,), costs)
    folds = folds_of(cv, data.y, data.y, data.groups, random_state=seed)
    tuned = None if param_grid is None else Tuned(grid(estimator, param_grid), inner_cv, asked, costs)
    chosen = _checked_permute(permute, folds)
    exchange = exchange_of(data)
    asks = question(
        "permute",
        [(data, folds)],
        {name: estimator},
        asked.name,
        seed,
        permutations=m,
        permute=chosen,
        early_stop=rule is not None,
        level=None if rule is None else level,
        costs=costs,
        sampler=sampler,
        tuned=None if tuned is None else tuned.identity,
    )
    said: Counter[str] = Counter()
    with shared_features(require_joblib()), recording(folder_of(run_folder), asks) as record:
        plan = Plan(estimator, data, cv, folds, chosen, exchange, scorer, seed, sampler, tuned, record)
        real = list(_told(plan.real(n_jobs), said))
        value = _real(mean_of(iter(real), scorer, folds), name, plan)
        permuted = _drawn(plan, _told(plan.permuted(m, n_jobs), said), m, value, rule)
        found = PermutationTest(
            name,
            data,
            asked,
            folds,
            value,
            np.array([np.nan if each.value is None else each.value for each in permuted]),
            _majority(data, folds, scorer),
            chosen,
            exchange.among,
            len(tuned.candidates) if tuned else None,
            sum(len(each.failures) for each in permuted),
            level,
            tuple(notes(plan, permuted, said, given=permute is not None)),
            described(estimator),
            rule,
            {name: estimator},
        )
        if record is not None:
            record.finish({asked.name: value, "p": found.p_value})
    return found


def _drawn(plan: Plan, fits: Fits, m: int, real: float, rule: Rule | None) -> list[Mean]:
    """Permutation by permutation, in the order they are drawn, until all are or the rule says stop."""
    means: list[Mean] = []
    boundaries = None if rule is None else looks(rule.alpha, rule.risk)
    higher, as_good = plan.scorer.asked.metric.better == "higher", 0
    for number in range(1, m + 1):
        means.append(mean_of(fits, *plan.scored(number)))
        if boundaries is not None:
            as_good += is_as_good(real, means[-1], higher=higher)
            if next(boundaries).side(as_good) is not None:
                fits.close()  # what workers have made beyond is dropped: their number does not matter
                return means
    next(fits, None)  # there is no other, but the bar of the progress ends here
    return means


def _told(fits: Fits, said: Counter[str]) -> Fits:
    """The same fits, their warnings counted."""
    with closing(fits):
        for each in fits:
            said.update(each.warnings)
            yield each


def _real(mean: Mean, name: str, plan: Plan) -> float:
    if mean.value is not None:
        return mean.value
    if mean.failures:
        raise InputError(
            f"{name} cannot learn the real classes: {mean.failures[0]}.",
            hint=way_out(plan.model, plan.data, mean.failures),
        )
    raise InputError(
        f"{plan.scorer.asked.name} is undefined with the real classes, so there is nothing to compare with: "
        f"{mean.why}.",
        hint="take another metric, or fewer and larger folds.",
    )


def _majority(data: DataSet, folds: Folds, scorer: Scorer) -> Estimate:
    """What always answering the most frequent class is worth on the same folds."""
    mean = mean_of((majority_fit(data, train, test) for train, test in folds), scorer, folds)
    return Estimate(mean.value, why=mean.why)


def _one(models: Mapping[str, Any]) -> tuple[str, Any]:
    if len(models) > 1:
        raise OptionError(f"one model is tested at a time; got {len(models)}.")
    return next(iter(models.items()))


def _checked_number(given: object) -> int:
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 1:
        raise OptionError(f"n_permutations is a whole number from 1 up; got {given!r}.")
    return int(given)


def _checked_flag(early_stop: object) -> bool:
    if not isinstance(early_stop, bool | np.bool_):
        raise OptionError(f"early_stop is True or False; got {early_stop!r}.")
    return bool(early_stop)


def _checked_permute(permute: object, folds: Folds) -> Permute:
    """What is permuted; where nobody said, the training rows, unless rows are tested on several times."""
    if permute is None:
        return "all" if tested_again(folds) else "training"
    for each in get_args(Permute):
        if permute == each:
            return each  # type: ignore[no-any-return]
    raise OptionError(f"permute must be 'training' or 'all'; got {permute!r}.")
