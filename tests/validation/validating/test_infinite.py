"""A number that is infinite in some folds is not averaged, and not compared, over the others."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from tallymark.errors import OptionError

X, y = load_breast_cancer(return_X_y=True)
X, y = X[:250, :8], y[:250]
DEEP, SURE = (DecisionTreeClassifier(max_depth=depth, random_state=0) for depth in (None, 3))


def test_log_loss_of_a_tree_that_is_sure_and_wrong_has_no_mean() -> None:
    found = tm.validate(DEEP, X, y, cv=5, metrics=["log_loss"])["log_loss"]
    assert all(value is None for value in found.values)
    shallow = tm.validate(SURE, X, y, cv=10, metric="log_loss")
    summary = shallow["log_loss"]
    endless = [why for why in summary.whys if why is not None]
    assert 0 < len(endless) < 10, "the design needs folds of both kinds"
    assert summary.mean.value is None
    assert summary.mean.why is not None
    assert summary.mean.why.startswith(f"infinite in {len(endless)} of 10 folds: ")
    assert summary.gain is not None
    assert summary.gain.value is None
    assert summary.deviation is None
    assert "infinite in" in str(shallow)


def test_it_is_not_compared_by_the_folds_that_are_left() -> None:
    models = {"tree": SURE, "bayes": GaussianNB()}
    found = tm.validate(models, X, y, cv=10, metric="log_loss")
    for compared in (found.compare, lambda: tm.compare(found)):
        with pytest.raises(OptionError, match="log_loss of 'tree' is infinite in"):
            compared()
    several = tm.validate(models, {"all": (X, y), "half": (X[::2], y[::2])}, cv=10, metric="log_loss")
    with pytest.raises(OptionError, match="log_loss of 'tree' is infinite in"):
        several.compare()
    assert several.experimenter() is None
    assert "Validation" in str(several) or "data sets" in str(several)


def test_leave_one_out_auc_is_not_held_against_the_baseline() -> None:
    rng = np.random.default_rng(0)
    noise = tm.validate(GaussianNB(), rng.normal(size=(40, 3)), np.tile([0, 1], 20), cv="loo", metric="auc")
    with pytest.raises(OptionError, match="auc of all test rows is not compared with the baseline's"):
        noise.compare()
