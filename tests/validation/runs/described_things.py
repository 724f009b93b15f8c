"""Prints, by name, a hash of all sorts of things: what every process must agree on."""

from __future__ import annotations

import functools
import json
import sys
import warnings
from collections import OrderedDict
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
from counted_models import Counted, note
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import FunctionTransformer, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import all_estimators

from tallymark.validation.data.given import models_of
from tallymark.validation.runs.describing import described, digest


class Colour(Enum):
    RED = "red"


class Plain:
    """No estimator: it has no parameters to be asked for."""

    def __init__(self, words: Any) -> None:
        self.words = words


def classifiers() -> dict[str, Any]:
    """Those of scikit-learn as they come; some need another model."""
    found = {}
    for name, kind in all_estimators("classifier"):
        try:
            found[name] = kind()
        except TypeError:
            needed = (
                [("tree", DecisionTreeClassifier())]
                if name in ("StackingClassifier", "VotingClassifier")
                else None
            )
            found[name] = kind(needed or DecisionTreeClassifier())
    return found


def learned() -> Any:
    from sklearn.frozen import FrozenEstimator

    X = np.arange(40.0).reshape(20, 2)
    return FrozenEstimator(RandomForestClassifier(3, random_state=0).fit(X, np.arange(20) % 2))


def things() -> dict[str, Any]:
    words = {"apple", "pear", "plum", "cherry", "quince"}
    scaled = make_pipeline(StandardScaler(), LogisticRegression(C=np.float64(0.5)))
    return {
        **classifiers(),
        **models_of(["tree", "bayes", "logistic", "knn", "boosting", "vote:tree,bayes,knn"]),
        "own": Counted(priors=[0.5, 0.5]),
        "plain": Plain(words),
        "set": words,
        "frozen set": frozenset(words),
        "set of tuples": {(word, 1) for word in words},
        "pipeline": scaled,
        "search": GridSearchCV(scaled, {"logisticregression__C": [1, 10]}, cv=StratifiedKFold(3)),
        "votes": VotingClassifier([("a", scaled), ("b", DecisionTreeClassifier(max_depth=2))]),
        "function": FunctionTransformer(np.log1p, kw_args={"where": True}),
        "own function": FunctionTransformer(note),
        "partial": functools.partial(np.clip, a_min=0),
        "kernel": RBF(2.0) + WhiteKernel(),
        "old chance": np.random.RandomState(7),
        "chance": np.random.default_rng(7),
        "method": np.random.default_rng(7).normal,
        "enumeration": Colour.RED,
        "ordered": OrderedDict(a=1),
        "numbers": [0, False, 0.0, -0.0, float("inf"), float("nan"), np.float32(0.1), np.int8(3), 2**70],
        "arrays": [np.eye(3), np.eye(3, order="F"), np.array([]), np.array("text"), np.array([None, "a"])],
        "fields": np.array([(1, 2.0)], np.dtype([("a", "i1"), ("b", "f8")], align=True)),
        "dates": np.array(["2020-01-01"], "M8[D]"),
        "frozen": learned(),
        "path": Path("a") / "b",
        "slice": slice(1, 2),
        "range": range(3),
        "nothing": None,
    }


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    json.dump({name: digest(described(each)) for name, each in things().items()}, sys.stdout)
