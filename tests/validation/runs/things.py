"""Models that hold all sorts of things, asked about in one run folder; as a program it prints what it made.

things.py FOLDER [no-locks]
"""

from __future__ import annotations

import functools
import json
import math
import sys
import warnings
from collections import OrderedDict, defaultdict, namedtuple
from enum import Enum
from pathlib import Path
from typing import Any

if "no-locks" in sys.argv:  # as on Windows
    sys.modules["fcntl"] = None  # type: ignore[assignment]

import numpy as np
import sklearn
from counted import Counted, Holds, rows
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import FunctionTransformer, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, plot_tree
from sklearn.utils import all_estimators

import tallymark as tm
from waiting import until

X, Y = rows(30)
ONE_FIT: dict[str, Any] = {"cv": [(np.arange(20), np.arange(20, 30))], "baseline": False}
WORDS = {"apple", "pear", "plum", "cherry", "quince"}
Point = namedtuple("Point", "x y")


class Colour(Enum):
    RED = "red"
    GREEN = "green"


class Plain:
    """No estimator: it has no parameters to be asked for."""

    def __init__(self, words: Any) -> None:
        self.words = words


class Items(list[Any]):
    """A list with attributes."""


class Names(dict[str, Any]):
    """A dictionary with attributes."""


class Distinct(set[Any]):
    """A set with attributes."""


ATTRIBUTES: tuple[Any, ...] = ((Items, [1]), (Names, {"a": 1}), (Distinct, {1}))


class Worded(Counted):
    """Its words for itself are others in every process."""

    def __repr__(self, N_CHAR_MAX: int = 0) -> str:
        return f"{set('abcdefgh')} {object()!r}"


def one() -> int:
    return 1


def zero() -> int:
    return 0


def flagged(value: Any) -> Any:
    value.flag = True
    return value


def learned(classes: Any = Y) -> Any:
    return LogisticRegression().fit(X, classes)


def classifiers() -> list[Any]:
    """Those of scikit-learn as they come; some need another model."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of classifiers that are on their way out
        for name, kind in all_estimators("classifier"):
            several = name in ("StackingClassifier", "VotingClassifier")
            tree = DecisionTreeClassifier()
            try:
                found.append(kind())
            except TypeError:
                found.append(kind([("tree", tree)] if several else tree))
    return found


def things() -> dict[str, Any]:
    """Each of them is another than all others; and none is more than what it is made of."""
    scaled = make_pipeline(StandardScaler(), LogisticRegression(C=np.float64(0.5)))
    fields = [("a", "i1"), ("b", "f8")]
    holding = [
        *(WORDS, frozenset(WORDS), {(word, 1) for word in WORDS}, {1, 2}, (1, 2), [1, 2], Point(1, 2)),
        *([[1, 2], (1, 2)], [(1, 2), (1, 2)], [Point(1, 2), (1, 2)]),
        *(1, 1.0, True, "a", b"a", bytearray(b"a"), np.float32(1), np.float64(1)),
        [0, False, 0.0, -0.0, float("inf"), float("nan"), np.float32(0.1), np.int8(3), 2**70],
        *(np.arange(4), np.arange(4).reshape(2, 2), np.arange(4, dtype="i4")),
        [np.eye(3), np.eye(3, order="F"), np.array([]), np.array("text"), np.array([None, "a"])],
        np.array([(1, 2.0)], np.dtype(fields, align=True)),
        np.array([(1, 2.0)], np.dtype(fields[::-1])),
        np.array(["2020-01-01"], "M8[D]"),
        *(Colour.RED, Colour.GREEN),
        *({"a": 1}, OrderedDict(a=1), defaultdict(zero), defaultdict(one)),
        *(Plain(WORDS), Plain(1)),
        *(kind(given) for kind, given in ATTRIBUTES),
        *(flagged(kind(given)) for kind, given in ATTRIBUTES),
        *(scaled, make_pipeline(StandardScaler(), LogisticRegression(C=2.0))),
        make_pipeline(StandardScaler(), "passthrough"),
        GridSearchCV(scaled, {"logisticregression__C": [1, 10]}, cv=StratifiedKFold(3)),
        VotingClassifier([("a", scaled), ("b", DecisionTreeClassifier(max_depth=2))]),
        StandardScaler().set_output(transform="pandas"),
        *(FunctionTransformer(function, kw_args={"where": True}) for function in (np.log1p, np.expm1, until)),
        *(functools.partial(np.clip, a_min=least) for least in (0, 1)),
        *(RBF(width) + WhiteKernel() for width in (1.0, 2.0)),
        *(np.random.RandomState(seed) for seed in (7, 8)),
        *(np.random.default_rng(seed) for seed in (7, 8)),
        *(Counted(priors=[0.5, 0.5]), Counted(var_smoothing=0.1)),
        *(FrozenEstimator(learned()), make_pipeline(FrozenEstimator(learned(1 - Y)))),
        FrozenEstimator(RandomForestClassifier(3, random_state=0).fit(X, Y)),
        # Copied whole, not as scikit-learn's clone does: what was learned belongs to them.
        *({"model": learned(classes)} for classes in (Y, 1 - Y)),
        *(Plain(learned(classes)) for classes in (Y, 1 - Y)),
        *(Path("a") / "b", slice(1, 2), range(3)),
        functools.reduce(lambda inside, _: [inside], range(30), []),
        AdaBoostClassifier(DecisionTreeClassifier(max_depth=3)),
        PCA(1),
        # Installed code is known by its version.
        *(plot_tree, json.dumps, len, np.where, tm.evaluate, math.exp),
    ]
    return {f"{place} {type(thing).__name__}": thing for place, thing in enumerate(classifiers() + holding)}


def ask(folder: Path, copied: Any = lambda thing: thing) -> tuple[int, int, list[str]]:
    """Of all things in one run, of one fit each: fits found, and made, and what was told."""
    said: list[str] = []
    used = tm.RunFolder(folder, tell=said.append)
    with sklearn.config_context(enable_metadata_routing=True), warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of classifiers that are on their way out
        models: dict[str, Any] = {name: Holds(copied(thing)) for name, thing in things().items()}
        models["columns"] = Holds(make_column_transformer((StandardScaler(), ["a"])))
        for name in (True, False):
            routed = DecisionTreeClassifier().set_fit_request(sample_weight=name)
            models[f"routed {name}"] = Holds(routed)
        models["worded"] = Worded()
        tm.validate(models, X, Y, **ONE_FIT, run_folder=used)
    return used.used.found, used.used.made, said


if __name__ == "__main__":
    import things as here  # under the name by which others know it

    json.dump(here.ask(Path(sys.argv[1])), sys.stdout)
