"""Results do not depend on what numpy is told to do about underflow, overflow and division by zero."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_iris

import tallymark as tm
from collected import each

RNG = np.random.default_rng(0)
N = 120
Y = (RNG.random(N) < 0.4).astype(int)
PLAIN = np.clip(0.3 * Y + 0.7 * RNG.random(N), 0, 1)
COIN = RNG.random(N) < 0.5
SCORES = {
    "plain": PLAIN,
    "subnormal": PLAIN * 5e-322,
    "tiny": PLAIN * 1e-310,
    "0 and 1": COIN.astype(float),
    "0, 1 and others": np.where(RNG.random(N) < 0.3, COIN, PLAIN),
    "subnormal and others": np.where(COIN, 5e-324, PLAIN),
    "close to 1": 1 - 1e-16 * PLAIN,
    "constant": np.full(N, 0.5),
    "perfect": Y.astype(float),
    "inverted": 1.0 - Y,
    "huge": PLAIN * 1e308,
    "both signs": (PLAIN - 0.5) * 1e-300,
}
WEIGHTS = {
    "none": {},
    "weights": {"sample_weight": RNG.random(N) * 3},
    "tiny weights": {"sample_weight": RNG.random(N) * 1e-100},
    "groups": {"groups": RNG.integers(0, 20, N)},
}
# Every kind of scores, and every kind of weights with some of them.
PAIRS = [(name, "none") for name in SCORES]
PAIRS += [(name, kind) for name in ("plain", "tiny", "0, 1 and others") for kind in list(WEIGHTS)[1:]]
CURVES = (
    "roc", "precision_recall", "gains", "lift", "rejection", "calibration", "thresholds", "cost_curve",
    "decision_curve",
)  # fmt: skip
INNER = ("test", "decomposition", "debiased_ece", "debiased_mce", "low", "high")
CLASSES = RNG.integers(0, 3, N)
PROBABILITIES = {
    "plain": RNG.dirichlet([0.5] * 3, N),
    "0 and 1": np.eye(3)[RNG.integers(0, 3, N)],
    "faint": np.column_stack([np.full(N, 5e-324), np.full(N, 1e-310), np.ones(N)]),
}


def same(result: Callable[[], Any], states: tuple[str, ...] = ("raise", "warn")) -> None:
    """The result is the same, or refused with the same words, whatever the caller has set; warnings fail."""
    with np.errstate(all="ignore"):
        expected = _result(result)
    for state in states:
        with np.errstate(all=state):  # type: ignore[call-overload]
            assert _result(result) == expected


def _result(result: Callable[[], Any]) -> Any:
    try:
        return result()
    except tm.TallymarkError as problem:
        return str(problem)


def everything(ev: tm.Evaluation, folder: Path | None = None) -> list[Any]:
    """All metrics, curves and findings of an evaluation, and its page."""
    if folder is not None:
        ev.save(folder / "page.html", overwrite=True)
    curves = [_result(partial(_curve, ev, name)) for name in CURVES]
    return [ev.to_dict(), str(ev), repr(ev.findings), *curves]


def _curve(ev: tm.Evaluation, name: str) -> list[Any]:
    curve = getattr(ev, name)
    inner = [repr(_result(partial(getattr, curve, one))) for one in INNER if hasattr(type(curve), one)]
    return [str(curve), curve.to_dict(), *inner]


@each(("scores", "weights"), PAIRS)
def test_scores(scores: str, weights: str, tmp_path: Path) -> None:
    page = tmp_path if weights in ("none", "weights") else None
    same(lambda: everything(tm.evaluate(Y, y_score=SCORES[scores], **WEIGHTS[weights]), page), ("raise",))
    if weights == "none":
        ev = tm.evaluate(Y, y_score=SCORES[scores])
        same(lambda: str(ev.decide(costs={"fn": 10, "fp": 1})))
        same(lambda: ev.at_prevalence(1e-9).to_dict())


@each(("scores", "weights"), PAIRS)
def test_comparisons(scores: str, weights: str, tmp_path: Path) -> None:
    def compared() -> Any:
        found = tm.compare({"a": SCORES[scores], "b": PLAIN}, y_true=Y, pos_label=1, **WEIGHTS[weights])
        if scores == "tiny":
            found.save(tmp_path / "page.html", overwrite=True)
        return found.to_dict()

    same(compared, ("raise", "warn") if scores == "plain" else ("raise",))


def test_classes_and_label_sets() -> None:
    for actual in (0, 1):
        for scores in ("plain", "0 and 1", "subnormal"):
            given = {"y_score": SCORES[scores], "labels": [0, 1]}
            same(lambda given=given, actual=actual: everything(tm.evaluate(np.full(N, actual), **given)))
    for table in PROBABILITIES.values():
        for weights in WEIGHTS.values():
            same(lambda given={"y_score": table} | weights: everything(tm.evaluate(CLASSES, **given)))
    actual, predicted = RNG.integers(0, 2, (2, N, 3))
    same(lambda: tm.evaluate(actual, predicted).to_dict())


def test_functions_of_the_user_statistics_and_fits() -> None:
    mean = {"mean": lambda _t, _p, score: float(score.mean())}
    same(lambda: tm.evaluate(Y, y_score=SCORES["tiny"], extra=mean).to_dict())
    same(lambda: [tm.binomial(5000, 1e-5).pmf(k) for k in (0, 20, 5000)])
    same(lambda: repr(tm.tests.nemenyi(np.tile(np.arange(4.0), (300, 1)))))
    same(lambda: repr(tm.tests.mcnemar(10**6, 10**5, method="exact")))
    X, y = load_iris(return_X_y=True)

    def validated() -> Any:
        models = tm.validate(["bayes", "logistic"], X, y, cv=5, random_state=0).to_dict()["models"]
        return [{key: one[key] for key in one if not key.startswith("seconds")} for one in models]

    same(validated)
