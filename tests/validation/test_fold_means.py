"""A metric over folds: mean, corrected interval, gain, gap; folds in which it is undefined or infinite."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from scored import classes, refusals
from scripted_models import Constant, Probable, Scripted

X, Y = (part[:250] for part in load_breast_cancer(return_X_y=True))
IRIS, SPECIES = load_iris(return_X_y=True)


def predicted(right, tests, trains=None, model=None, **options):
    """Folds of so many test rows, of which so many are right; training rows are the first of the others."""
    rows = np.arange(sum(tests))
    y = rows % 2
    wrong = np.concatenate([np.arange(n) >= k for n, k in zip(tests, right, strict=True)])
    parts, trains = np.split(rows, np.cumsum(tests)[:-1]), trains or [None] * len(tests)
    cv = [(np.setdiff1d(rows, part)[:n], part) for part, n in zip(parts, trains, strict=True)]
    return tm.validate(model or Scripted(), (y ^ wrong)[:, None], y, cv=cv, **options)


def test_the_interval_is_the_corrected_t_and_no_narrower_than_pooled():
    """Nadeau and Bengio (2003): the variance of the mean is s^2 (1/k + the mean of n_test / n_train)."""
    designs = {
        "folds that differ": ([7, 8, 9], [10, 10, 10], [20, 20, 20]),
        "folds that differ by little": ([79, 80, 81], [100, 100, 100], [200, 200, 200]),
        "folds of several sizes": ([10, 18, 30], [20, 30, 40], [60, 50, 45]),
        "nearly equal": ([9, 9, 9, 8], [10] * 4, [30] * 4),
        "equal": ([8, 8, 8, 8], [10] * 4, [30] * 4),
    }
    wrong, wider = [], {}
    for name, (right, tests, trains) in designs.items():
        found = predicted(right, tests, trains)["accuracy"]
        shares, k = np.divide(right, tests), len(right)
        se = math.sqrt(shares.var(ddof=1) * (1 / k + np.divide(tests, trains).mean()))
        for level in (0.95, 0.5):
            mean, pooled = found.mean.interval(level), found.pooled.interval(level)
            half = stats.t.ppf((1 + level) / 2, k - 1) * se
            low = max(0, shares.mean() - max(half, pooled.value - pooled.low))
            high = min(1, shares.mean() + max(half, pooled.high - pooled.value))
            wider[name] = half > pooled.value - pooled.low
            if (mean.value, mean.low, mean.high) != pytest.approx((shares.mean(), low, high), abs=1e-9):
                wrong.append((name, level))
        if found.mean.se != (pytest.approx(se) if se > 1e-12 else None) or found.mean.n != k:
            wrong.append((name, "se"))
    assert not wrong
    assert set(wider.values()) == {True, False}, "the designs need both kinds"


def test_a_gain_is_positive_where_the_model_is_better_and_agrees_with_the_corrected_t_test():
    right = [12, 13, 14, 11, 13]
    found = predicted(right, [20] * 5)["accuracy"]
    gains = np.subtract(found.values, predicted(right, [20] * 5).baseline["accuracy"].values)
    tested = tm.tests.corrected_t(gains, [0.0] * 5, n_train=80, n_test=20)
    assert (found.gain.value, found.gain.se) == pytest.approx((gains.mean(), tested.se), rel=1e-12)
    assert (found.gain.low, found.gain.high) == pytest.approx((tested.low, tested.high), rel=1e-9)
    gains = predicted([17, 18, 15], [20] * 3, metrics=["accuracy", "error_rate", "precision"])
    right, wrong = (gains[name].gain for name in ("accuracy", "error_rate"))
    assert (wrong.value, wrong.low, wrong.high) == pytest.approx((right.value, right.low, right.high))
    assert right.value == pytest.approx(1 / 3)
    assert gains["precision"].gain.value is None  # of the baseline it is undefined
    assert gains["precision"].gain.why
    probable = tm.validate(Probable(), np.tile([[0.1], [0.8]], (20, 1)), [0, 1] * 20, cv=4, metric="log_loss")
    loss = -np.log([0.9, 0.8]).mean()
    assert probable["log_loss"].mean.value == pytest.approx(loss)
    assert probable["log_loss"].gain.value == pytest.approx(np.log(2) - loss)


def test_without_spread_there_is_no_interval_of_a_gain_and_equal_folds_do_not_deviate():
    found = predicted([3, 3, 3], [10] * 3, metrics=["accuracy", "error_rate"])["accuracy"]
    assert (found.gain.value, found.gain.low, found.deviation) == (pytest.approx(-0.2), None, 0)
    assert found.mean.low == pytest.approx(found.pooled.low)
    perfect = predicted([10, 10, 10], [10] * 3)["accuracy"]
    assert (perfect.mean.value, perfect.mean.high, perfect.deviation, perfect.gap) == (1, 1, 0, 0)
    one = tm.validate(GaussianNB(), X, Y, cv="holdout")["accuracy"]
    assert (one.deviation, one.mean.low) == (None, None)
    assert one.mean.note


def three_positives(metric="recall"):
    """Three positives, all in the first two of three test sets, one of them not found."""
    rows = np.arange(60)
    tests = [np.r_[0:19, 59], np.r_[19:41], np.r_[41:59]]
    cv, y = [(np.setdiff1d(rows, test), test) for test in tests], (rows % 20 == 0).astype(int)
    return tm.validate(Scripted(), (y * (rows != 20))[:, None], y, cv=cv, metric=metric)


def test_a_metric_undefined_in_some_folds_is_counted_and_not_averaged_away():
    found = three_positives()
    recall = found["recall"]
    pairs = [(value is None, why is None) for value, why in zip(recall.values, recall.whys, strict=True)]
    assert pairs == [(False, True), (False, True), (True, False)]
    assert (recall.undefined, recall.n, recall.mean.n) == (1, 2, 2)
    assert recall.mean.value == np.mean(recall.values[:2])
    sizes = [(fold.n_test, fold.n_train) for fold in found.folds.folds[:2]]
    ratio = np.mean([test / train for test, train in sizes])
    assert recall.mean.se == pytest.approx(math.sqrt(np.var(recall.values[:2], ddof=1) * (1 / 2 + ratio)))
    assert recall.deviation == pytest.approx(np.std(recall.values[:2], ddof=1))
    assert recall.remark
    assert recall.mean.note
    assert found.fold_scores("recall")["Scripted"].note
    assert (recall.gain.n, bool(recall.gain.remark)) == (2, True)
    assert three_positives("accuracy")["accuracy"].gain.remark is None
    # Of folds that have both: 1/2 and 1 on the rows learned, 1 and 1/2 on others.
    assert (recall.values[:2], recall.training_values) == ((1, 0.5), (0.5, 1, pytest.approx(2 / 3)))
    assert (recall.training, recall.gap) == pytest.approx((0.75, 0))
    form = recall.to_dict()
    assert (form["values"], form["why"], form["undefined"]) == ([*recall.values], [*recall.whys], 1)


def test_a_metric_that_is_undefined_or_infinite_in_some_folds_has_no_mean_and_is_not_compared():
    found = tm.validate(GaussianNB(), X[:30], Y[:30], cv="loo", metric="auc")
    assert (found["auc"].mean.value, found["auc"].undefined) == (None, 30)
    assert found["auc"].pooled.value is not None
    with pytest.raises(tm.InputError):
        found.compare(per="fold")
    assert found.compare("accuracy").design == "same rows"
    deep, sure = (DecisionTreeClassifier(max_depth=depth, random_state=0) for depth in (None, 3))
    found = tm.validate(deep, X[:, :8], Y, cv=5, metrics=["log_loss"])["log_loss"]
    assert found.values == (None,) * 5
    models = {"tree": sure, "bayes": GaussianNB()}
    shallow = tm.validate(models, X[:, :8], Y, cv=10, metric="log_loss")
    one = shallow.models["tree"]["log_loss"]
    assert 0 < one.undefined < 10, "the design needs folds of both kinds"
    assert (one.mean.value, one.gain.value, one.deviation, one.training) == (None,) * 4
    assert f"{one.undefined} of 10" in one.mean.why
    assert one.remark
    data = {"all": (X[:, :8], Y), "half": (X[::2, :8], Y[::2])}
    several = tm.validate(models, data, cv=10, metric="log_loss")
    for compared in (shallow.compare, lambda: tm.compare(shallow), several.compare):
        with pytest.raises(tm.OptionError):
            compared()
    assert several.experimenter() is None
    assert str(several)


class Fussy(GaussianNB):
    """Does not learn when a certain row is among those to learn."""

    def fit(self, X, y):
        if (X[:, 0] > 100).any():
            raise ValueError("cannot learn this\nsecond line")
        warnings.warn("this is hard.", RuntimeWarning, stacklevel=2)
        return super().fit(X, y)


@pytest.fixture(scope="module")
def fussy():
    shifted = IRIS + 100 * (np.arange(150) == 2)[:, None]
    models = {"fussy": Fussy(), "never": Constant("fails"), "tree": DecisionTreeClassifier(random_state=0)}
    return tm.validate(models, shifted, SPECIES, cv=3)


def test_failed_fits_are_counted_and_the_rest_goes_on(fussy):
    one = fussy.models["fussy"]
    values = one["accuracy"].values
    assert (fussy.failed, one.failed, one["accuracy"].undefined, fussy.models["tree"].failed) == (5, 2, 2, 0)
    assert (len(one.tally), fussy.evaluations["fussy"].rows) == (1, 50)
    assert [value is None for value in one["brier"].values] == [value is None for value in values]
    assert list(fussy.evaluations) == ["fussy", "tree"]
    assert fussy.predictions("polars")["fussy_predicted"].null_count() == 100
    form, lost = fussy.to_dict(), [place + 1 for place, value in enumerate(values) if value is None]
    failure = {"model": "fussy", "run": 1, "error": "ValueError: cannot learn this"}
    assert form["failed"] == 5
    assert form["failures"][:2] == [failure | {"fold": fold} for fold in lost]
    # They are compared on the folds of all.
    by_rows = fussy.compare(per="rows")
    assert [(model.name, model.n) for model in by_rows.models] == [("fussy", 50), ("tree", 50)]
    assert tm.compare(fussy, per="rows").notes == by_rows.notes
    two = {"never": Constant(2), "tree": fussy.estimators["tree"], "none": Constant("fails")}
    compared = tm.validate(two, IRIS, SPECIES, cv=3).compare()
    assert [model.name for model in compared.models] == ["never", "tree"]
    assert any("'none'" in note for note in compared.notes)


def test_notes_and_errors_of_folds(fussy, snapshot):
    halves = {"cv": [(np.arange(9), np.arange(9, 18)), (np.arange(9, 18), np.arange(9))]}
    infinite = tm.validate(
        Probable(), np.array([[0.0], [0.5]] * 9), [0, 1, 1] * 6, metric="log_loss", **halves
    )
    ranks = tm.validate(Probable(), Y[:30, None], Y[:30], cv="loo", metric="auc")
    calls = {
        "of which model": (lambda: fussy["accuracy"], "OptionError"),
        "the evaluation of which": (lambda: fussy.evaluation, "OptionError"),
        "the evaluation of none": (lambda: fussy.models["never"].evaluation, "InputError"),
        "no fold of both kinds": (lambda: ranks.compare(per="fold"), "InputError"),
        "infinite": (infinite.compare, "OptionError"),
        "every fit fails": (lambda: tm.validate(Constant("fails"), IRIS, SPECIES, cv=3), "InputError"),
        "a metric afterwards": (lambda: ranks["no such metric"], "MetricError"),
    }
    refused = refusals({name: call for name, (call, _) in calls.items()})
    assert classes(refused) == {name: error for name, (_, error) in calls.items()}
    means = predicted([7, 8, 9], [10, 10, 10], [20] * 3)["accuracy"].mean
    remarks = {
        "notes of failures": "\n".join(fussy.notes),
        "notes of the comparison": "\n".join(fussy.compare(per="rows").notes),
        "notes of undefined folds": "\n".join([*three_positives().notes, three_positives()["recall"].remark]),
        "assumption of a mean": f"{means.method}; {means.assumption}",
    }
    snapshot("validate_folds", {**refused, **remarks})
