"""`scoring` is scikit-learn's word for the metric; what is no argument is said to be none."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import tallymark as tm
from tallymark.errors import OptionError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = (X[:, 0] + RNG.normal(size=60) > 0).astype(int)
DOORS = {
    "validate": lambda **more: tm.validate(GaussianNB(), X, Y, cv=3, **more),
    "tune": lambda **more: tm.tune(GaussianNB(), X, Y, {"var_smoothing": [0.1]}, cv=2, inner_cv=2, **more),
    "learning_curve": lambda **more: tm.learning_curve(GaussianNB(), X, Y, n_repeats=2, **more),
    "permutation_test": lambda **more: tm.permutation_test(GaussianNB(), X, Y, n_permutations=2, **more),
}


@pytest.mark.parametrize("door", DOORS)
def test_scoring_is_another_word_for_metric(door: str) -> None:
    call = DOORS[door]
    by_word, by_name = call(scoring="roc_auc"), call(metric="auc")
    assert by_word.to_dict()["metric"] == by_name.to_dict()["metric"] == "auc"
    with pytest.raises(OptionError, match="two words for one thing"):
        call(scoring="f1", metric="auc")
    with pytest.raises(OptionError, match=r"no argument 'metrc'. Hint: did you mean metric"):
        call(metrc="auc")


def test_validate_takes_several() -> None:
    assert DOORS["validate"](scoring=["roc_auc", "f1"]).metrics == ("auc", "f1")
    with pytest.raises(OptionError, match="one metric is asked for here"):
        DOORS["tune"](scoring=["auc", "f1"])
