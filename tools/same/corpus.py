"""Calls of the Python API, each a name and a function that makes it, run in a folder that holds the files.

A call is made before the next one is asked for, so functions may use the variables of their loop.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import data
import numpy as np
from data import SETTINGS, options, rows
from observe import asked, observed, signature, surface, tried

import tallymark as tm

Case = tuple[str, Callable[[], Any]]

PARAMETRISED = (
    "f_beta:2",
    "f_beta:0.5",
    "weighted_accuracy:2,1,1,0",
    "top_k_accuracy:2",
    "partial_auc:0.1",
    "partial_auc:0.3",
    "partial_auc_mcclish:0.1",
    "ece:15",
    "mce:5",
    "f_beta_macro:2",
    "f_beta_weighted:0.5",
    "recall_macro",
    "precision_macro",
    "f1_macro",
    "precision_weighted",
    "f1_weighted",
    "recall_weighted",
    "precision_micro",
    "jaccard_macro",
    "specificity_macro",
    "mcc_macro",
    "accuracy@1",
    "nonsense",
    "f_beta:x",
)
CURVES = (
    "roc",
    "precision_recall",
    "gains",
    "lift",
    "rejection",
    "calibration",
    "thresholds",
    "cost_curve",
    "decision_curve",
    "distribution",
)
COSTS = {"fn": 10, "fp": 1}


METRICS: list[str] = []
"""All metrics of this version, and PARAMETRISED."""


def shapes() -> Iterator[tuple[str, Callable[[], tm.Evaluation]]]:
    """Every kind of data with every setting that it admits."""
    for setting in SETTINGS:
        for classes in (2, 3, 12):
            here = rows(classes)
            given = options(classes, setting)
            yield (
                f"{classes} classes, labels, {setting}",
                lambda: tm.evaluate(here["y"], here["p"], **given),
            )
            yield (
                f"{classes} classes, scores, {setting}",
                lambda k=classes: (
                    tm.evaluate(here["y"], y_score=here["s"], **given)
                    if k == 2
                    else tm.evaluate(here["y"], y_score=here["P"], labels=range(k), **given)
                ),
            )
        actual, predicted = data.label_sets()
        n = len(actual)
        of_sets = {
            name: value[:n] if hasattr(value, "__len__") and not isinstance(value, str) else value
            for name, value in options(2, setting).items()
        }
        yield (
            f"label sets, {setting}",
            lambda: tm.evaluate(actual, predicted, labels=["a", "b", "c"], **of_sets),
        )
    for classes in (2, 3, 12):
        columns = {"score": "s"} if classes == 2 else {"probabilities": [f"p_{k}" for k in range(classes)]}
        for setting, more in {
            "grid": {},
            "grid, weights": {"weight": "w"},
            "grid, groups": {"groups": "g"},
        }.items():
            yield (
                f"{classes} classes, scores, {setting}",
                lambda k=classes: tm.evaluate(
                    f"rows{k}.csv", actual="y", approximate=True, **columns, **more
                ),
            )
        share = 0.2 if classes == 2 else dict.fromkeys(range(classes), 1 / classes)
        for kind in ("labels", "scores"):

            def made(kind: str = kind, k: int = classes, share: Any = share) -> tm.Evaluation:
                here = rows(k)
                if kind == "labels":
                    return tm.evaluate(here["y"], here["p"]).at_prevalence(share)
                if k == 2:
                    return tm.evaluate(here["y"], y_score=here["s"]).at_prevalence(share)
                return tm.evaluate(here["y"], y_score=here["P"], labels=range(k)).at_prevalence(share)

            yield f"{classes} classes, {kind}, other prevalence", made
    matrix = [[30, 8, 2], [5, 40, 9], [1, 7, 60]]
    yield (
        "typed matrix, 2 classes",
        lambda: tm.Confusion([[150, 40], [60, 250]], labels=["+", "-"]).evaluate(
            pos_label="+", costs=[[-1, 100], [1, 0]]
        ),
    )
    yield "typed matrix, 3 classes", lambda: tm.Confusion(matrix, labels=["a", "b", "c"]).evaluate()
    yield "typed matrix, no labels", lambda: tm.Confusion([[150, 40], [60, 250]]).evaluate()
    yield "typed matrix, 1 class", lambda: tm.Confusion([[12]], labels=["only"]).evaluate()
    yield "bins", lambda: tm.Scores.from_bins([5, 30, 60], [80, 20, 4], [0, 0.3, 0.7, 1]).evaluate()
    yield "counts at scores", lambda: tm.Scores([0.9, 0.5, 0.1], [8, 4, 1], [1, 5, 9]).evaluate()
    here = rows(2)
    for name, given in {
        "threshold": {"threshold": 0.3},
        "best threshold": {"threshold": "best:f1"},
        "costs": {"costs": {1: {0: 9}, 0: {1: 1}}},
        "positive 0": {"pos_label": 0},
        "level 0.9": {"confidence_level": 0.9},
        "undefined 0": {"undefined": 0},
        "clip": {"clip": 0.01},
        "slices": {"slices": {"region": here["region"]}},
        "seed": {"random_state": 5},
        "best cost": {"threshold": "best:cost", "costs": {1: {0: 9}, 0: {1: 1}}},
    }.items():
        yield (
            f"2 classes, scores, {name}",
            lambda: tm.evaluate(here["y"], y_score=here["s"], **given),
        )
    yield (
        "own metric",
        lambda: tm.evaluate(here["y"], here["p"], extra={"hits": lambda y, p: float((y == p).sum())}),
    )
    yield "votes", lambda: tm.evaluate(here["y"], votes=np.c_[here["p"], here["q"], here["p"]])
    yield "one class", lambda: tm.evaluate([1, 1, 1], [1, 0, 1])
    yield "perfect", lambda: tm.evaluate([1, 1, 0, 0], y_score=[0.9, 0.8, 0.2, 0.1])
    yield "words", lambda: tm.evaluate(["no", "yes", "yes"], ["no", "no", "yes"])
    yield "words, positive", lambda: tm.evaluate(["no", "yes", "yes"], ["no", "no", "yes"], pos_label="yes")
    yield "0 and 1 as text", lambda: tm.evaluate(["0", "1", "1"], ["0", "1", "0"])


def names() -> Iterator[Case]:
    yield "public names", lambda: sorted(tm.__all__)
    for name in tm.__all__:
        thing = getattr(tm, name)
        if isinstance(thing, type):
            yield (
                f"class {name}",
                lambda: {"()": signature(thing), "bases": _bases(thing), **surface(thing)},
            )
        elif callable(thing):
            yield f"function {name}", lambda: signature(thing)
    for module in ("tests", "displays"):
        yield (
            f"module {module}",
            lambda: {
                name: signature(thing)
                for name, thing in vars(getattr(tm, module)).items()
                if inspect.isfunction(thing) or name.endswith("Display")
            },
        )


def _bases(kind: type) -> list[str]:
    return [one.__name__ for one in kind.__mro__ if one.__name__.endswith(("Error", "Warning"))]


def evaluations() -> Iterator[Case]:
    for name, make in shapes():
        yield f"metrics of {name}", lambda: _metrics(make())
        yield f"JSON of {name}", lambda: _facts(make())
        if name in (
            "2 classes, scores, plain",
            "3 classes, scores, plain",
            "label sets, plain",
            "2 classes, labels, plain",
        ):
            yield f"attributes of {name}", lambda: surface(make())
            yield (
                f"at 99% of {name}",
                lambda: {
                    metric: tried(lambda: ev[metric].interval(0.99)) for ev in [make()] for metric in METRICS
                },
            )
            yield f"frame of {name}", lambda: make().to_frame("polars")
    here = rows(2)
    yield "attributes of estimates", lambda: surface(tm.evaluate(here["y"], here["p"])["recall"])
    yield (
        "explanations",
        lambda: {
            name: tried(lambda: tm.evaluate(here["y"], y_score=here["s"]).explain(name)) for name in METRICS
        },
    )
    yield "worst errors", lambda: tm.evaluate(here["y"], y_score=here["s"]).worst_errors(5)
    yield (
        "slices of the table",
        lambda: tm.evaluate(data.frame(2), actual="y", score="s", slices=["region"]).slices,
    )
    yield "confused pairs", lambda: tm.evaluate(rows(12)["y"], rows(12)["p"]).confused_pairs(5)
    yield (
        "class thresholds",
        lambda: tm.evaluate(rows(3)["y"], y_score=rows(3)["P"], labels=range(3)).class_thresholds(),
    )
    yield "recalibration", lambda: tm.evaluate(here["y"], y_score=here["s"]).recalibration


def _metrics(ev: tm.Evaluation) -> dict[str, Any]:
    return {name: tried(lambda: ev[name]) for name in METRICS}


def curves() -> Iterator[Case]:
    here = rows(2)
    ways: dict[str, Callable[[], tm.Evaluation]] = {
        setting: lambda setting=setting: tm.evaluate(here["y"], y_score=here["s"], **options(2, setting))
        for setting in SETTINGS
    }
    ways["grid"] = lambda: tm.evaluate("rows2.csv", actual="y", score="s", approximate=True)
    ways["predictions beside"] = lambda: tm.evaluate(here["y"], here["p"], y_score=here["s"])
    ways["other prevalence"] = lambda: tm.evaluate(here["y"], y_score=here["s"]).at_prevalence(0.1)
    for way, make in ways.items():
        for name in CURVES:
            yield f"{name}, {way}", lambda: _curve(getattr(make(), name))
    yield "attributes", lambda: {name: surface(getattr(ways["plain"](), name)) for name in CURVES}
    at: dict[str, list[dict[str, float]]] = {
        "roc": [{"threshold": 0.4}, {"fpr": 0.1}, {"tpr": 0.9}, {"fpr": 2}],
        "precision_recall": [{"recall": 0.8}, {"precision": 0.9}, {"threshold": 0.2}],
        "gains": [{"share": 0.2}, {"recall": 0.5}, {"taken": 30}],
        "lift": [{"share": 0.3}],
        "rejection": [{"theta": 0.2}, {"rejected": 0.1}, {"correct": 0.99}],
        "calibration": [{"probability": 0.35}],
        "thresholds": [{"threshold": 0.4}],
        "cost_curve": [{"probability_cost": 0.3}],
        "decision_curve": [{"threshold": 0.25}],
        "distribution": [{"score": 0.4}],
    }
    for way in ("plain", "groups", "weights and groups"):
        yield (
            f"points, {way}",
            lambda: {
                f"{name} {point}": tried(lambda: getattr(ways[way](), name).at(**point))
                for name, points in at.items()
                for point in points
            },
        )
    for construction in ("grouped", "sequential", "opposite", "bins:10", "quantiles:5"):
        yield (
            f"roc, {construction}",
            lambda: _curve(ways["plain"]().roc_as(construction)),
        )
    yield "calibration by mass", lambda: _curve(ways["plain"]().calibration_as(5, "mass"))
    yield (
        "against threshold",
        lambda: {
            name: tried(lambda: ways["plain"]().against_threshold(name))
            for name in ("f1", "recall", "mcc", "auc", "mean_cost")
        },
    )
    many = lambda: tm.evaluate(rows(3)["y"], y_score=rows(3)["P"], labels=range(3))
    yield "of 3 classes", lambda: {name: tried(lambda: getattr(many(), name)) for name in CURVES}
    yield (
        "one against the rest",
        lambda: (
            {str(label): observed(one.to_dict()) for label, one in many().one_vs_rest.items()}
            if hasattr(many().one_vs_rest, "items")
            else observed(many().one_vs_rest)
        ),
    )
    yield (
        "several models",
        lambda: tm.Several(
            {"a": ways["plain"]().roc, "b": tm.evaluate(here["y"], y_score=here["t"]).roc}
        ).to_dict(),
    )
    yield (
        "points of matrices",
        lambda: tm.roc_from_points([tm.Confusion([[8, 2], [3, 7]]), tm.Confusion([[5, 5], [1, 9]])]),
    )


def _curve(curve: Any) -> dict[str, Any]:
    arrays = asked(curve, [name for name in surface(curve) if isinstance(_value(curve, name), np.ndarray)])
    return {
        "why": tried(lambda: curve.why is None) if hasattr(curve, "why") else None,
        "json": tried(curve.to_dict),
        "table": tried(curve.table),
        "arrays": arrays,
        "band": tried(lambda: curve.band()) if hasattr(curve, "band") else None,
    }


def _value(thing: Any, name: str) -> Any:
    try:
        return getattr(thing, name)
    except Exception:  # noqa: BLE001
        return None


def decisions() -> Iterator[Case]:
    here = rows(2)
    costs = {1: {0: 9}, 0: {1: 1}}
    for setting in SETTINGS:

        def make(setting: str = setting) -> tm.Evaluation:
            return tm.evaluate(here["y"], y_score=here["s"], **options(2, setting))

        asks: dict[str, dict[str, Any]] = {
            "costs": {"costs": costs},
            "reject": {"costs": costs, "reject_cost": 0.3},
            "least recall": {"costs": costs, "minimum": {"recall": 0.9}},
            "best f1": {"best": "f1"},
            "best recall with precision": {"best": "recall", "minimum": {"precision": 0.8}},
            "on lower bound": {"best": "precision", "minimum": {"recall": 0.9}, "on_lower_bound": True},
            "most fpr": {"best": "recall", "maximum": {"fpr": 0.1}},
            "threshold": {"costs": costs, "threshold": 0.3},
            "impossible": {"best": "recall", "minimum": {"recall": 2}},
            "nothing": {},
            "named costs": {"costs": COSTS},
        }
        for name, given in asks.items():
            yield f"{name}, {setting}", lambda: _decision(make().decide(**given))
    yield (
        "many classes",
        lambda: tm.evaluate(rows(3)["y"], y_score=rows(3)["P"], labels=range(3)).decide(
            [[0, 1, 4], [2, 0, 1], [9, 3, 0]]
        ),
    )
    yield (
        "many classes, reject",
        lambda: tm.evaluate(rows(3)["y"], y_score=rows(3)["P"], labels=range(3)).decide(
            [[0, 1, 4], [2, 0, 1], [9, 3, 0]], reject_cost=0.4
        ),
    )
    yield (
        "chosen on other rows",
        lambda: tm.evaluate(here["y"][:120], y_score=here["s"][:120]).decide(
            costs, choose_on=tm.evaluate(here["y"][120:], y_score=here["s"][120:])
        ),
    )
    yield "closed form", lambda: tm.cost_threshold([[0, 9], [1, 0]], labels=[1, 0], pos_label=1)
    yield "attributes", lambda: surface(tm.evaluate(here["y"], y_score=here["s"]).decide(costs))


def _decision(found: Any) -> dict[str, Any]:
    fields = ("threshold", "low", "high", "cost", "mean_cost", "saving", "rejected", "metrics")
    return {
        "json": observed(found.to_dict()),
        **asked(found, fields),
        "matrix": tried(lambda: found.confusion.matrix),
    }


def comparisons() -> Iterator[Case]:
    for classes in (2, 3):
        here = rows(classes)
        pair = {"a": here["p"], "b": here["q"]}
        scores = {"a": here["s"], "b": here["t"]} if classes == 2 else {"a": here["P"], "b": here["Q"]}
        for setting in SETTINGS:
            given = options(classes, setting)
            yield (
                f"labels of {classes} classes, {setting}",
                lambda k=classes: _comparison(
                    tm.compare(
                        pair, y_true=here["y"], labels=range(k), pos_label=1 if k == 2 else None, **given
                    )
                ),
            )
            yield (
                f"scores of {classes} classes, {setting}",
                lambda k=classes: _comparison(
                    tm.compare(scores, y_true=here["y"], labels=range(k) if k > 2 else None, **given)
                ),
            )
            yield (
                f"evaluations of {classes} classes, {setting}",
                lambda: _comparison(
                    tm.compare(
                        {name: tm.evaluate(here["y"], column, **given) for name, column in pair.items()}
                    )
                ),
            )
    here = rows(2)
    three = {"a": here["s"], "b": here["t"], "c": (here["s"] + here["t"]).round(2) / 2}
    for metric in (
        "accuracy",
        "recall",
        "auc",
        "average_precision",
        "brier",
        "log_loss",
        "mcc",
        "f1",
        "balanced_accuracy",
        "ks",
    ):
        yield (
            f"by {metric}",
            lambda: _comparison(tm.compare(three, y_true=here["y"], metric=metric)),
        )
    pair = {"a": here["s"], "b": here["t"]}
    for name, given in {
        "margin": {"margin": 0.05},
        "greater": {"alternative": "greater"},
        "adjust": {"adjust": "bonferroni"},
        "level": {"confidence_level": 0.9},
        "permutation": {"test": "permutation", "permutations": 200},
        "costs": {"costs": {1: {0: 9}, 0: {1: 1}}, "metric": "mean_cost"},
        "threshold": {"threshold": 0.3},
        "metrics": {"metrics": ["f1", "auc"]},
        "exact": {"test": "exact"},
    }.items():
        yield f"with {name}", lambda: _comparison(tm.compare(pair, y_true=here["y"], **given))
        yield (
            f"three with {name}",
            lambda: _comparison(tm.compare(three, y_true=here["y"], **given)),
        )
    half = {
        "a": tm.evaluate(here["y"][:120], y_score=here["s"][:120]),
        "b": tm.evaluate(here["y"][100:], y_score=here["t"][100:]),
    }
    yield "other rows", lambda: _comparison(tm.compare(half, design="other rows"))
    yield "other rows, not stated", lambda: _comparison(tm.compare(half))
    yield "figures", lambda: _comparison(tm.compare({"M1": (0.85, 30), "M2": (0.75, 5000)}))
    matrices = {
        "M1": tm.Confusion([[150, 40], [60, 250]], labels=["+", "-"]),
        "M2": tm.Confusion([[250, 45], [5, 200]], labels=["+", "-"]),
    }
    for design in (None, "same rows", "other rows"):
        yield f"matrices, {design}", lambda: _comparison(tm.compare(matrices, design=design))
    folds = data.fold_scores()
    for name, more in {
        "same folds": {"same_folds": True},
        "sizes": {"same_folds": True, "n_train": 90, "n_test": 10},
        "not stated": {},
        "runs": {"same_folds": True, "runs": 2},
        "metric": {"same_folds": True, "metric": "auc"},
        "rope": {"same_folds": True, "rope": 0.02},
        "no overlap": {"same_folds": True, "overlap": False},
        "baseline": {"same_folds": True, "baseline": "tree"},
    }.items():
        for k in (2, 3):
            some = dict(list(folds.items())[:k])
            yield (
                f"folds of {k} models, {name}",
                lambda: _comparison(tm.compare(some, per="fold", **more)),
            )
    for k in (2, 3):
        some = dict(list(folds.items())[:k])
        yield f"data sets of {k} models", lambda: _comparison(tm.compare(some, per="dataset"))
        yield (
            f"data sets of {k} models, baseline",
            lambda: _comparison(tm.compare(some, per="dataset", baseline="tree")),
        )
    for memory in (None, "1MB"):
        yield (
            f"files, memory {memory}",
            lambda: _comparison(
                tm.compare(
                    {"a": "first.csv", "b": "second.csv"}, actual="y", score="s", id="id", memory=memory
                )
            ),
        )
    yield (
        "columns of a frame",
        lambda: _comparison(tm.compare(data.frame(2), models={"a": "p", "b": "q"}, actual="y", pos_label=1)),
    )
    yield (
        "label sets",
        lambda: _comparison(
            tm.compare(
                {
                    "a": tm.evaluate(*data.label_sets()),
                    "b": tm.evaluate(data.label_sets()[0], data.label_sets()[1][::-1]),
                }
            )
        ),
    )
    yield (
        "attributes",
        lambda: {
            "comparison": surface(tm.compare(pair, y_true=here["y"])),
            "difference": surface(tm.compare(pair, y_true=here["y"]).differences[0]),
        },
    )


def _comparison(found: Any) -> dict[str, Any]:
    differences = [
        asked(
            one,
            (
                "metric",
                "a",
                "b",
                "value",
                "low",
                "high",
                "p_value",
                "test",
                "paired",
                "adjusted",
                "method",
                "level",
            ),
        )
        for one in found.differences
    ]
    return {
        "json": json.loads(found.to_json()),
        "differences": differences,
        "table": tried(found.table),
        **asked(found, ("design", "winner", "metric")),
    }


def validation() -> Iterator[Case]:
    from sklearn.datasets import load_breast_cancer
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[::3, :6], y[::3]
    groups = np.arange(len(y)) // 4
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    models = {"tree": tree, "bayes": GaussianNB()}
    for cv in (3, "kfold:5x2", "holdout:1/3", "bootstrap:10", tm.RepeatedHoldout(4)):
        yield (
            f"validate, {cv if isinstance(cv, int | str) else 'splitter'}",
            lambda: tm.validate(tree, X, y, cv=cv),
        )
    for name, given in {
        "auc": {"metric": "auc"},
        "metrics": {"metrics": ["f1", "auc", "brier"]},
        "groups": {"groups": groups},
        "positive": {"pos_label": 0, "metric": "recall"},
        "sampler": {"sampler": tm.Undersampling(random_state=1)},
        "costs": {"costs": {1: {0: 9}, 0: {1: 1}}, "metric": "mean_cost"},
    }.items():
        yield f"validate with {name}", lambda: tm.validate(models, X, y, cv=3, **given)
    yield (
        "validate a file",
        lambda: tm.validate(GaussianNB(), "words.csv", target="y", features=["s", "w"], cv=3),
    )
    yield "two data sets", lambda: tm.validate(models, {"a": (X, y), "b": (X[:, :2], y)}, cv=3)
    yield "compare a validation", lambda: _comparison(tm.compare(tm.validate(models, X, y, cv=5)))
    for method in ("nested", "three-way"):
        yield (
            f"tune, {method}",
            lambda: tm.tune(
                tree,
                X,
                y,
                {"max_depth": [1, 2, 3]},
                method=method,
                **({"cv": 3, "inner_cv": 3} if method == "nested" else {}),
            ),
        )
    yield (
        "tune at random",
        lambda: tm.tune(
            tree, X, y, param_distributions={"max_depth": [1, 2, 3, 4]}, n_iter=3, cv=3, inner_cv=3
        ),
    )
    yield "learn", lambda: tm.learning_curve(GaussianNB(), X, y, n_repeats=2)
    yield (
        "learn arithmetically",
        lambda: tm.learning_curve(models, X, y, n_repeats=2, schedule="arithmetic", n_sizes=4).to_dict(),
    )
    yield "permute", lambda: tm.permutation_test(GaussianNB(), X, y, n_permutations=19)
    yield (
        "permute, stop early",
        lambda: tm.permutation_test(GaussianNB(), X, y[::-1].copy(), n_permutations=99, early_stop=True),
    )
    yield (
        "attributes",
        lambda: {
            "validate": surface(tm.validate(models, X, y, cv=3)),
            "tune": surface(tm.tune(tree, X, y, {"max_depth": [1, 2]}, cv=3, inner_cv=2)),
            "learn": surface(tm.learning_curve(GaussianNB(), X, y, n_repeats=2)),
            "permute": surface(tm.permutation_test(GaussianNB(), X, y, n_permutations=9)),
        },
    )
    splitters: dict[str, Any] = {
        "kfold": tm.KFold(5, random_state=3),
        "repeated": tm.KFold(4, n_repeats=2),
        "plain": tm.KFold(3, shuffle=False, stratify=False),
        "holdout": tm.Holdout(0.25),
        "repeated holdout": tm.RepeatedHoldout(3),
        "bootstrap": tm.Bootstrap(3),
        "one group": tm.LeaveOneGroupOut(),
        "one out": tm.LeaveOneOut(),
        "pairs": tm.LeavePairsOut(2),
    }

    def folds(splitter: Any, name: str) -> Any:
        some = groups // 6 if "group" in name else np.c_[groups, groups[::-1]] if name == "pairs" else None
        return {
            "folds": [[train.tolist(), test.tolist()] for train, test in splitter.split(X, y, some)],
            "print": tried(lambda: splitter.fingerprint(X, y, some)),
        }

    for name, splitter in splitters.items():
        yield f"splitter {name}", lambda: folds(splitter, name)
    yield "bootstrap .632", lambda: tm.bootstrap_632(apparent=0.1, out_of_bag=0.3, no_information=0.5)
    yield (
        "scorer",
        lambda: {
            name: tried(lambda: tm.scorer(name)(LogisticRegression(max_iter=500).fit(X, y), X, y))
            for name in ("auc", "f1", "log_loss", "mcc")
        },
    )
    yield "three parts", lambda: tm.three_way_split(y)


def gates() -> Iterator[Case]:
    here = rows(2)

    def ev() -> tm.Evaluation:
        return tm.evaluate(here["y"], y_score=here["s"], slices={"region": here["region"]})

    old = lambda: tm.evaluate(here["y"], y_score=here["t"])
    for require in (
        "recall >= 0.5",
        "recall >= 0.99",
        "auc > 0.9",
        "recall[region] >= 0.4",
        "recall@0 >= 0.3",
        "ece <= 0.5",
        "nonsense >= 1",
        "recall => 1",
        "value(recall) >= 0.8",
        "accuracy >= 80%",
    ):
        yield f"require {require}", lambda: tm.check(ev(), require)
    for given in (
        {"no_worse": ["f1"], "margin": 0.01},
        {"no_worse": ["auc"], "margin": 0.3},
        {"no_worse": "recall"},
    ):
        yield f"no worse {given}", lambda: tm.check(ev(), baseline=old(), **given)
    yield (
        "assertion",
        lambda: tm.assert_metric(ev(), "accuracy >= 0.99") if len(signature(tm.assert_metric)) else None,
    )
    yield "metrics file", lambda: tm.metrics_dict(ev(), ["recall", "auc"])
    yield "attributes", lambda: surface(tm.check(ev(), "recall >= 0.5"))


def sources() -> Iterator[Case]:
    """The same table from everywhere."""
    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    made: dict[str, Callable[[int], Any]] = {
        "pandas": lambda k: pd.DataFrame(data.table(k)),
        "polars": lambda k: pl.DataFrame(data.table(k)),
        "lazy": lambda k: pl.LazyFrame(data.table(k)),
        "pyarrow": lambda k: pa.table(data.table(k)),
        "duckdb": lambda k: duckdb.sql(f"select * from 'rows{k}.parquet'"),
    }
    made |= {
        suffix: lambda k, suffix=suffix: f"rows{k}.{suffix}"
        for suffix in ("csv", "parquet", "ndjson", "arrow", "npz")
    }
    for name, make in made.items():
        for k in (2, 3, 12):
            columns = {"score": "s"} if k == 2 else {"probabilities": [f"p_{c}" for c in range(k)]}
            for setting, more in {
                "plain": {},
                "weights": {"weight": "w"},
                "groups": {"groups": "g"},
                "slices": {"slices": ["region"]},
            }.items():
                if k == 2 or setting == "plain":
                    yield (
                        f"{k} classes, {setting}, {name}",
                        lambda: _facts(tm.evaluate(make(k), actual="y", **columns, **more)),
                    )
            yield (
                f"{k} classes, labels, {name}",
                lambda: _facts(tm.evaluate(make(k), actual="y", predicted="p")),
            )
    for name, given in {
        "at once": {},
        "in pieces": {"memory": "1MB"},
        "engine": {"engine": "duckdb"},
        "approximate": {"approximate": True},
    }.items():
        for file in ("long.csv", "long.parquet", "rows2.ndjson"):
            for kind, columns in {
                "labels": {"predicted": "p"},
                "scores": {"score": "s"},
                "groups": {"score": "s", "groups": "g"},
                "weights": {"predicted": "p", "weight": "w"},
            }.items():
                yield (
                    f"{name}, {file}, {kind}",
                    lambda: _facts(tm.evaluate(file, actual="y", **columns, **given)),
                )
    yield "parts of a folder", lambda: _facts(tm.evaluate("parts", actual="y", score="s"))
    yield "a pattern", lambda: _facts(tm.evaluate("parts/*.csv", actual="y", score="s"))
    yield (
        "tally",
        lambda: _facts(
            tm.tally("rows2.csv", actual="y", score="s", groups="g", slices=["region"]).evaluate()
        ),
    )
    yield (
        "tallies added",
        lambda: _facts(
            (
                tm.tally("parts/a.csv", actual="y", score="s")
                + tm.tally("parts/b.csv", actual="y", score="s")
            ).evaluate()
        ),
    )

    def saved() -> Any:
        Path("part.tally").unlink(missing_ok=True)
        tm.tally("rows2.csv", actual="y", score="s", weight="w").save("part.tally")
        return _facts(tm.evaluate("part.tally"))

    yield "tally file", saved
    yield (
        "label sets of a file",
        lambda: _facts(tm.evaluate("sets.csv", actual="y", predicted="p", set_delimiter=";")),
    )
    yield "words", lambda: _facts(tm.evaluate("words.csv", actual="y", predicted="p", pos_label="ill"))
    yield (
        "missing dropped",
        lambda: _facts(tm.evaluate("gaps.csv", actual="y", predicted="p", missing="drop")),
    )


def _facts(ev: tm.Evaluation) -> dict[str, Any]:
    return {
        "labels": list(ev.labels),
        "json": json.loads(ev.to_json()),
        "findings": [one.code for one in ev.findings],
    }


def statistics() -> Iterator[Case]:
    t = tm.tests
    a, b, c = data.fold_scores().values()
    table = np.c_[a, b, c]
    here = rows(2)
    correct = np.c_[here["p"] == here["y"], here["q"] == here["y"], here["y"] == 1].astype(int)
    calls: dict[str, Callable[[], Any]] = {
        "cochran": lambda: t.cochran_q(correct),
        "delong": lambda: t.delong(here["y"], here["s"], here["t"], pos_label=1),
        "delong weights": lambda: t.delong(
            here["y"], here["s"], here["t"], pos_label=1, sample_weight=here["w"]
        ),
        "delong groups": lambda: t.delong(here["y"], here["s"], here["t"], pos_label=1, groups=here["g"]),
        "delong unpaired": lambda: t.delong_unpaired(
            here["y"], here["s"], here["y"][:100], here["t"][:100], pos_label=1
        ),
        "corrected t": lambda: t.corrected_t(a, b, 90, 10),
        "bayesian t": lambda: t.bayesian_t(a, b),
        "bayesian signed rank": lambda: t.bayesian_signed_rank(a, b, draws=500),
        "friedman": lambda: t.friedman(table),
        "friedman f": lambda: t.friedman(table, "f"),
        "friedman ties": lambda: t.friedman(table.round(1), ties="uncorrected"),
        "nemenyi": lambda: t.nemenyi(table),
        "post hoc": lambda: t.post_hoc(table),
        "paired t": lambda: t.paired_t(a, b),
        "sign": lambda: t.sign(a, b),
        "five by two": lambda: t.five_by_two(a, b),
        "five by two f": lambda: t.five_by_two(a, b, "f"),
        "auc interval": lambda: tm.auc_interval(0.889, n_positive=279, n_negative=527),
        "binomial": lambda: {
            "pmf": tm.binomial(50, 0.5).pmf(20),
            "mean": tm.binomial(50, 0.5).mean,
            "variance": tm.binomial(50, 0.5).variance,
        },
        "bad": lambda: t.mcnemar(-1, 3),
        "bad interval": lambda: tm.interval(5, 3),
    }
    calls |= {
        f"mcnemar {m}": lambda m=m: t.mcnemar(12, 25, m)
        for m in ("corrected", "uncorrected", "exact", "mid_p")
    }
    calls |= {f"wilcoxon {z}": lambda z=z: t.wilcoxon(a, b, zeros=z) for z in ("drop", "split", "pratt")}
    calls |= {
        f"adjust {m}": lambda m=m: t.adjust([0.01, 0.04, 0.03], m)
        for m in ("holm", "shaffer", "bergmann_hommel", "bonferroni")
    }
    calls |= {
        f"interval {m}": lambda m=m: tm.interval(81, 263, method=m)
        for m in ("wilson", "wilson_cc", "clopper_pearson", "mid_p", "agresti_coull", "jeffreys", "wald")
    }
    calls |= {
        f"difference {m}": lambda m=m: tm.difference((56, 70), (48, 80), m)
        for m in ("wald", "newcombe", "newcombe_cc", "agresti_caffo", "miettinen_nurminen", "mee")
    }
    calls |= {"difference": lambda: tm.difference((56, 70), (48, 80))}
    calls |= {
        f"auc interval {m}": lambda m=m: tm.auc_interval(0.889, n_positive=279, n_negative=527, method=m)
        for m in ("hanley_mcneil", "newcombe")
    }
    calls |= {
        f"paired difference {m}": lambda m=m: tm.paired_difference(n11=40, n10=12, n01=5, n00=43, method=m)
        for m in ("tango", "newcombe", "wald")
    }
    calls |= {
        f"plan {given}": lambda given=given: tm.plan(**given)
        for given in (
            {"half_width": 0.01},
            {"half_width": 0.02, "expected": 0.9},
            {"difference": 0.02, "expected": 0.9},
            {"rows": 1000},
            {"rows": 1000, "expected": 0.8, "paired": True},
            {"difference": 0.05, "expected": 0.8, "paired": True, "disagreement": 0.1},
            {"rows": 500, "metric": "recall", "prevalence": 0.1},
        )
    }
    for name, call in calls.items():
        yield name, lambda call=call: _fields(call())
    shortcuts = [name for name in tm.__all__ if callable(getattr(tm, name)) and name in METRICS]
    actual, predicted = data.label_sets()
    yield (
        "shortcuts",
        lambda: {
            name: [
                tried(lambda: getattr(tm, name)(here["y"], here["p"])),
                tried(lambda: getattr(tm, name)(here["y"], y_score=here["s"])),
                tried(lambda: getattr(tm, name)(rows(3)["y"], rows(3)["p"])),
                tried(lambda: getattr(tm, name)(actual, predicted)),
            ]
            for name in shortcuts
        },
    )


def _fields(found: Any) -> Any:
    """A result of a test has more than its JSON."""
    names = (
        "statistic",
        "p_value",
        "df",
        "alternative",
        "method",
        "value",
        "low",
        "high",
        "se",
        "critical_difference",
        "ranks",
        "groups",
        "worse",
        "equivalent",
        "better",
    )
    return {"as data": observed(found), **asked(found, [name for name in names if hasattr(found, name)])}


def bad_inputs() -> Iterator[Case]:
    """Calls that are refused; the class of the error is the observation."""
    y, p, s = [0, 1, 1, 0], [0, 1, 0, 0], [0.1, 0.9, 0.4, 0.2]
    nan, inf = float("nan"), float("inf")
    calls: dict[str, Callable[[], Any]] = {
        "lengths": lambda: tm.evaluate(y, p[:3]),
        "empty": lambda: tm.evaluate([], []),
        "nan label": lambda: tm.evaluate([0, nan, 1], [0, 1, 1]),
        "none label": lambda: tm.evaluate([0, None, 1], [0, 1, 1]),
        "nan score": lambda: tm.evaluate(y, y_score=[0.1, nan, 0.2, 0.3]),
        "infinite score": lambda: tm.evaluate(y, y_score=[0.1, inf, 0.2, 0.3]),
        "positive": lambda: tm.evaluate(y, p, pos_label=2),
        "labels": lambda: tm.evaluate(y, p, labels=[0, 2]),
        "one label": lambda: tm.evaluate([1, 1], [1, 1], labels=[1]),
        "no labels": lambda: tm.evaluate(y, p, labels=[]),
        "mixed": lambda: tm.evaluate([0, "a", 1], [0, 1, 1]),
        "scores without positive": lambda: tm.evaluate(["a", "b"], y_score=[0.1, 0.4]),
        "threshold": lambda: tm.evaluate(y, y_score=s, threshold=nan),
        "threshold word": lambda: tm.evaluate(y, y_score=s, threshold="worst"),
        "threshold unused": lambda: tm.evaluate(y, p, threshold=0.4),
        "costs": lambda: tm.evaluate(y, p, costs=[[0, 1], [5, 0]]),
        "costs nan": lambda: tm.evaluate(y, p, costs={0: {1: nan}, 1: {0: 1}}),
        "negative weight": lambda: tm.evaluate(y, p, sample_weight=[1, -1, 1, 1]),
        "zero weights": lambda: tm.evaluate(y, p, sample_weight=[0, 0, 0, 0]),
        "tiny weights": lambda: tm.evaluate(y, p, sample_weight=[1e-80] * 4),
        "half frequency": lambda: tm.evaluate(y, p, sample_weight=[0.5, 1, 1, 1], weight_kind="frequency"),
        "probabilities beyond": lambda: tm.evaluate([0, 1], y_score=[[0.5, 0.6], [0.2, 0.8]], labels=[0, 1]),
        "no label order": lambda: tm.evaluate([0, 1, 2], y_score=np.eye(3)),
        "wrong columns": lambda: tm.evaluate([0, 1, 2], y_score=np.eye(2)[[0, 1, 1]], labels=[0, 1, 2]),
        "metric": lambda: tm.evaluate(y, p)["nonsense"],
        "level": lambda: tm.evaluate(y, p, confidence_level=95),
        "frame column": lambda: tm.evaluate({"y": y}, actual="y", predicted="p"),
        "no file": lambda: tm.evaluate("no.csv", actual="y", predicted="p"),
        "multiclass f1": lambda: tm.f1([0, 1, 2], [0, 1, 2]),
        "shortcut words": lambda: tm.recall(["a", "b"], ["a", "a"]),
        "no rows of memory": lambda: tm.evaluate("rows2.csv", actual="y", score="s", memory="1KB"),
        "prevalence": lambda: tm.evaluate(y, p).at_prevalence(1.5),
        "matrix": lambda: tm.Confusion([[1, 2]]),
        "negative matrix": lambda: tm.Confusion([[1, -2], [3, 4]]),
        "matrix of zero": lambda: tm.Confusion([[0, 0], [0, 0]]).evaluate(),
        "matrix labels": lambda: tm.Confusion([[1, 2], [3, 4]], labels=["a"]),
        "add": lambda: tm.Confusion([[1, 2], [3, 4]], labels=["a", "b"]) + 3,
        "merge": lambda: tm.Scores([0.5], [1], [2]) + tm.Confusion([[1, 2], [3, 4]]),
        "grid": lambda: tm.Grid(1, 0),
        "undefined": lambda: tm.evaluate(y, p, undefined=3),
        "compare one": lambda: tm.compare({"a": p}, y_true=y),
        "compare lengths": lambda: tm.compare({"a": p, "b": p[:3]}, y_true=y),
        "compare nothing": lambda: tm.compare({}, y_true=y),
        "save suffix": lambda: tm.evaluate(y, p).save("x.doc"),
        "save folder": lambda: tm.evaluate(y, p).save("none/x.html"),
        "curve of labels": lambda: tm.evaluate(y, p).roc.auc,
        "decide labels": lambda: tm.evaluate(y, p).decide({"fn": 1, "fp": 2}),
        "plan": lambda: tm.plan(),
        "validate": lambda: tm.validate(None, [[1]], [1]),
        "missing word": lambda: tm.evaluate(y, p, missing="skip"),
        "repr": lambda: type(repr(tm.evaluate(y, p))).__name__,
        "weird object": lambda: tm.evaluate(object()),
        "set labels": lambda: tm.evaluate([{1}, {2}], [{1}, {3}]),
    }
    columns = {
        "words_as_scores.csv": {"score": "s"},
        "beyond.csv": {"score": "s"},
        "infinite.csv": {"score": "s"},
        "two_words.csv": {"score": "s"},
    }
    for name in data.BAD_FILES:
        calls[f"file {name}"] = lambda name=name: observed(
            tm.evaluate(name, actual="y", **columns.get(name, {"predicted": "p"})).to_dict()
        )
    calls["same ids"] = lambda: tm.evaluate("same_ids.csv", actual="y", predicted="p", id="id")
    for name, call in calls.items():
        yield name, call


SECTIONS: dict[str, Callable[[], Iterator[Case]]] = {
    "names": names,
    "evaluations": evaluations,
    "curves": curves,
    "decisions": decisions,
    "comparisons": comparisons,
    "validation": validation,
    "gates": gates,
    "sources": sources,
    "statistics": statistics,
    "bad inputs": bad_inputs,
}
