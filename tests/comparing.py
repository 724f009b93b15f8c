"""One comparison of each design, made once in a process, and how tests read them and their pictures."""

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import tallymark as tm
from scored import picture

# AUC of C4.5 with and without tuned parameters on 14 data sets: Demsar (2006), Journal of Machine Learning
# Research 7:1-30, table 6. On voting two are printed as 0.975; the ranks there say that the first was above.
DEMSAR = {
    "C4.5": [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1, 0.940, 0.619, 0.972, 0.957],
    "C4.5+m": [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1, 0.962, 0.666, 0.981, 0.978],
    "C4.5+cf": [
        *(0.771, 0.590, 0.968, 0.654, 0.886, 0.916, 0.609, 0.563, 0.866, 1, 0.965, 0.614, 0.97501, 0.946),
    ],
    "C4.5+m+cf": [
        *(0.798, 0.569, 0.967, 0.657, 0.898, 0.931, 0.685, 0.625, 0.875, 1, 0.962, 0.669, 0.975, 0.970),
    ],
}
RNG = np.random.default_rng(6)
N = 120
Y = RNG.integers(0, 2, N)
S, T, U = (np.clip(gap * Y + RNG.normal(0.3, 0.2, N), 0.01, 0.99) for gap in (0.4, 0.3, 0.2))
WEIGHTS = RNG.choice([0.5, 1.0, 2.5], N)
COSTS = {0: {1: 1}, 1: {0: 4}}
FOLDS = {name: list(0.8 + 0.05 * RNG.random(10) + at / 20) for at, name in enumerate("ab")}
SETS = {name: list(0.7 + 0.1 * RNG.random(8) + at / 20) for at, name in enumerate("abc")}
BY_FOLD = {name: {m: list(0.7 + 0.1 * RNG.random(5) + at / 9) for at, m in enumerate("ab")} for name in "pqr"}
COUNTS = {
    "a": tm.Confusion([[50, 10], [5, 40]], labels=["no", "yes"]),
    "b": tm.Confusion([[45, 15], [9, 36]], labels=["no", "yes"]),
}

DESIGNS: dict[str, Callable[[], tm.Comparison]] = {
    "predictions": lambda: tm.compare({"a": (S > 0.5) * 1, "b": (T > 0.5) * 1}, Y),
    "scores": lambda: tm.compare({"a": S, "b": T}, Y, costs=COSTS, margin=0.05),
    "scores only": lambda: tm.compare({"a": S * 9 - 3, "b": T * 9 - 3}, Y),
    "three models": lambda: tm.compare({"a": S, "b": T, "c": U}, Y, metric="brier"),
    "seven models": lambda: tm.compare({f"m{at}": np.int64(S * 10 - at > 0) for at in range(1, 8)}, Y),
    "groups": lambda: tm.compare({"a": S, "b": T}, Y, groups=np.arange(N) // 3, alternative="greater"),
    "weights": lambda: tm.compare({"a": S, "b": T}, Y, sample_weight=WEIGHTS),
    "undefined": lambda: tm.compare({"a": np.zeros(N, int), "b": np.zeros(N, int)}, Y, metric="precision"),
    "other rows": lambda: tm.compare(
        {"a": tm.evaluate(Y, y_score=S), "b": tm.evaluate(Y[9:], y_score=T[9:])}
    ),
    "counts": lambda: tm.compare(COUNTS, design="other rows", pos_label="yes"),
    "lost pairs": lambda: tm.compare(COUNTS, design="same rows", pos_label="yes"),
    "figures": lambda: tm.compare({"a": (0.85, 30), "b": (0.75, 5000)}),
    "three figures": lambda: tm.compare({"a": (0.85, 30), "b": (0.75, 5000), "c": (1.0, 9)}),
    "folds": lambda: tm.compare(FOLDS, per="fold", same_folds=True),
    "two of many data sets": lambda: tm.compare({name: SETS[name] for name in "ab"}, per="dataset"),
    "many data sets": lambda: tm.compare(SETS, per="dataset"),
    "folds of data sets": lambda: tm.compare(BY_FOLD, per="dataset", baseline="b"),
}


@cache
def made(design: str) -> tm.Comparison:
    return DESIGNS[design]()


# Some of those that have averages and parameters.
_AVERAGED = [
    "f_beta_macro:2", "weighted_accuracy_micro:3,1,0,2", "mcc_micro", "kappa_weighted", "lr_plus_macro",
]  # fmt: skip
_AVERAGED += ["informedness_micro", "g_mean_weighted", "prevalence_macro", "f1_micro"]
_WITH_PARAMETERS = ["f_beta:2", "f_beta:0", "weighted_accuracy:2,1,1,0", "partial_auc:0.3"]
_WITH_PARAMETERS += ["partial_auc_mcclish:0.3", "top_k_accuracy:1", "top_k_accuracy:2"]


@cache
def every_metric() -> list[str]:
    """Names of all metrics of two and of several classes."""
    two = tm.evaluate(Y, y_score=S, costs=COSTS)
    three = tm.evaluate(list("abc"), y_score=np.eye(3), labels=list("abc"))
    return list(dict.fromkeys([*two, *three, *_AVERAGED, *_WITH_PARAMETERS]))


def loaded(text: str) -> Any:
    return json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} in JSON"))


def in_one_line(result: object) -> str:
    return " ".join(str(result).split())


def ends(difference: Any) -> tuple[float, float]:
    return difference.low, difference.high


def kinds(found: tm.Comparison) -> list[str]:
    """The pictures there are, as the hint of an error lists them."""
    with pytest.raises(tm.OptionError) as caught:
        found.plot("nothing")
    return str(caught.value.hint).partition(": ")[2].rstrip(".").split(", ")


def areas(axes: Any) -> list[tuple[float, float, float]]:
    """Of every shaded area: where it begins and ends, and how large it is."""
    found = []
    for patch in axes.patches:
        x, y = np.asarray(patch.get_xy())[:-1].T
        size = abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2
        found.append((float(x.min()), float(x.max()), float(size)))
    return found


def drawn(axes: Any) -> str:
    """All that a picture shows: lines, areas, the names at its sides and the words in it."""
    axes.figure.canvas.draw()
    words = [text.get_text() for each in (axes, *axes.child_axes) for text in _ticks(each) if text.get_text()]
    shaded = [f"area from {low:.3g} to {high:.3g}, of {size:.3g}" for low, high, size in areas(axes)]
    cells = [f"shades: {np.asarray(each.get_array()).round(4).tolist()}" for each in axes.collections]
    return "\n".join([picture(axes), *shaded, *cells, f"ticks: {' | '.join(words)}"])


def _ticks(axes: Any) -> list[Any]:
    return [*axes.get_xticklabels(), *axes.get_yticklabels()]
