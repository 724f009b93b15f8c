"""Results do not depend on what numpy is told to do about underflow, overflow and division by zero."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tallymark as tm

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
GROUPS = RNG.integers(0, 20, N)
WEIGHTS = {
    "none": {},
    "weights": {"sample_weight": RNG.random(N) * 3},
    "tiny weights": {"sample_weight": RNG.random(N) * 1e-100},
    "groups": {"groups": GROUPS},
}
CURVES = (
    "roc", "precision_recall", "gains", "lift", "rejection", "calibration", "thresholds", "cost_curve",
    "decision_curve",
)  # fmt: skip
CLASSES = RNG.integers(0, 3, N)
PROBABILITIES = RNG.dirichlet([0.5] * 3, N)
CERTAIN = np.eye(3)[RNG.integers(0, 3, N)]
FAINT = np.column_stack([np.full(N, 5e-324), np.full(N, 1e-310), np.ones(N)])
Result = Callable[[], Any]
STATES = [{"all": "raise"}, {"all": "warn"}]  # warnings are errors in all tests


def same(result: Result) -> None:
    """The result is the same, or refused with the same words, whatever the caller has set."""
    with np.errstate(all="ignore"):
        expected = _result(result)
    for state in STATES:
        with np.errstate(**state):
            assert _result(result) == expected


def _result(result: Result) -> Any:
    try:
        return result()
    except tm.errors.TallymarkError as problem:
        return str(problem)


def everything(ev: tm.Evaluation, folder: Path | None = None) -> list[Any]:
    """All metrics, curves and findings of an evaluation, and its page."""
    found = [
        ev.to_dict(),
        str(ev),
        repr(ev.findings),
        *(_result(partial(_curve, ev, name)) for name in CURVES),
    ]
    if folder is not None:
        ev.save(folder / "page.html", overwrite=True)
    return found


def _curve(ev: tm.Evaluation, name: str) -> list[Any]:
    curve = getattr(ev, name)
    numbers = [
        repr(_result(partial(getattr, curve, each)))
        for each in ("test", "decomposition", "debiased_ece", "debiased_mce", "low", "high")
        if hasattr(type(curve), each)
    ]
    return [str(curve), curve.to_dict(), *numbers]


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("scores", SCORES)
def test_scores(scores: str, weights: str, tmp_path: Path) -> None:
    page = tmp_path if weights in ("none", "weights") else None
    same(lambda: everything(tm.evaluate(Y, y_score=SCORES[scores], **WEIGHTS[weights]), page))


@pytest.mark.parametrize("actual", [0, 1])
@pytest.mark.parametrize("scores", ["plain", "0 and 1", "subnormal"])
def test_a_single_class(actual: int, scores: str) -> None:
    same(lambda: everything(tm.evaluate(np.full(N, actual), y_score=SCORES[scores], labels=[0, 1])))


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize(
    "probabilities", [PROBABILITIES, CERTAIN, FAINT], ids=["plain", "0 and 1", "subnormal"]
)
def test_classes(probabilities: Any, weights: str) -> None:
    same(lambda: everything(tm.evaluate(CLASSES, y_score=probabilities, **WEIGHTS[weights])))


def test_label_sets() -> None:
    actual, predicted = RNG.integers(0, 2, (2, N, 3))
    same(lambda: tm.evaluate(actual, predicted).to_dict())


@pytest.mark.parametrize("scores", SCORES)
def test_decisions(scores: str) -> None:
    ev = tm.evaluate(Y, y_score=SCORES[scores])
    same(lambda: str(ev.decide(costs={"fn": 10, "fp": 1})))
    same(lambda: ev.at_prevalence(1e-9).to_dict())


@pytest.mark.parametrize("scores", SCORES)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_comparisons(scores: str, weights: str, tmp_path: Path) -> None:
    def compared() -> Any:
        found = tm.compare({"a": SCORES[scores], "b": PLAIN}, y_true=Y, pos_label=1, **WEIGHTS[weights])
        if weights == "none":
            found.save(tmp_path / "page.html", overwrite=True)
        return found.to_dict()

    same(compared)


def test_a_metric_of_the_user_is_called_as_by_default() -> None:
    mean = {"mean": lambda _t, _p, score: float(score.mean())}
    same(lambda: tm.evaluate(Y, y_score=SCORES["tiny"], extra=mean).to_dict())


def test_statistics() -> None:
    same(lambda: [tm.binomial(5000, 1e-5).pmf(k) for k in (0, 20, 5000)])
    same(lambda: repr(tm.tests.nemenyi(np.tile(np.arange(4.0), (300, 1)))))
    same(lambda: repr(tm.tests.mcnemar(10**6, 10**5, method="exact")))


def test_fits_are_made_as_in_other_processes() -> None:
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)

    def validated() -> Any:
        found = tm.validate(["bayes", "logistic"], X, y, cv=5, random_state=0).to_dict()
        return [_untimed(model) for model in found["models"]]

    same(validated)


def _untimed(model: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in model.items() if not key.startswith("seconds")}
