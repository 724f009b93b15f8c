"""The pages that are opened in a browser: by the tests, and by tools/screenshots.py for people to look at."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars
from sklearn.datasets import load_digits
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from tallymark import data
from tallymark.cli import main

TOO_LONG = "long " + "x" * 100_000
HOSTILE = (
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "javascript:alert(1)",
    "=cmd|' /C calc'!A0", "שלום עולם", "مرحبا بالعالم", "evil\u202etxt.exe", TOO_LONG, "🦆🏳️‍🌈",
    "{{7*7}}${7*7}", "</style></title></svg><script>alert(1)</script>", "null\x00byte",
)  # fmt: skip


def saved(result: Any) -> str:
    """The page that `result` is saved as."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "report.html")
        result.save(path)
        return path.read_text(encoding="utf-8")


def demo() -> str:
    """What `tallymark demo` writes: two models, scores and costs."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "demo.html")
        assert main(["demo", "-o", str(path)]) == 0
        return path.read_text(encoding="utf-8")


def one_model() -> str:
    path = data.path("breast_cancer.csv")
    return saved(tm.evaluate(path, actual="actual", score="tree_score", pos_label="malignant"))


def ten_classes() -> str:
    """Handwritten digits, with probabilities."""
    pixels, digits = load_digits(return_X_y=True)
    model = GaussianNB(var_smoothing=0.05).fit(pixels[:900], digits[:900])
    return saved(tm.evaluate(digits[900:], y_score=model.predict_proba(pixels[900:]), labels=list(range(10))))


def binary_rows(rows: int, models: int) -> tuple[Any, list[Any]]:
    """Answers 0 and 1, and as many scores for them, each better than the one before."""
    random = np.random.default_rng(0)
    actual = (random.random(rows) < 0.3).astype(int)
    noise = random.normal(size=rows)
    scores = [
        1 / (1 + np.exp(1 - noise - random.normal(size=rows) - (1 + better) * (2 * actual - 1)))
        for better in range(models)
    ]
    return actual, scores


def three_models() -> str:
    actual, scores = binary_rows(500, 3)
    names = ("logistic regression", "gradient boosting", "random forest")
    models = {
        name: tm.evaluate(actual, y_score=score, costs=[[0, 1], [5, 0]], labels=[0, 1])
        for name, score in zip(names, scores, strict=True)
    }
    return saved(tm.compare(models))


def thousand_classes() -> str:
    random = np.random.default_rng(0)
    actual = random.integers(0, 1000, 20_000)
    right = random.random(20_000) < np.linspace(0.5, 0.95, 1000)[actual]
    return saved(
        tm.evaluate(actual, np.where(right, actual, (actual + random.integers(1, 30, 20_000)) % 1000))
    )


def labels_only() -> str:
    random = np.random.default_rng(0)
    actual = random.choice(["cat", "dog", "horse"], 300, p=[0.5, 0.4, 0.1])
    predicted = np.where(random.random(300) < 0.8, actual, random.choice(["cat", "dog", "horse"], 300))
    return saved(tm.evaluate(actual, predicted))


def bare_matrix() -> str:
    matrix = tm.Confusion([[150, 40], [60, 250]], labels=["+", "-"])
    return saved(matrix.evaluate(pos_label="+", costs=[[-1, 100], [1, 0]]))


def label_sets() -> str:
    random = np.random.default_rng(0)
    actual = random.random((200, 5)) < [0.6, 0.3, 0.2, 0.1, 0.05]
    flipped = random.random((200, 5)) < 0.15
    topics = ["politics", "economy", "sport", "science", "weather"]
    return saved(tm.evaluate(actual.astype(int), (actual ^ flipped).astype(int), labels=topics))


def one_row() -> str:
    return saved(tm.evaluate([1], y_score=[0.7], labels=[0, 1]))


def slices() -> str:
    """Slices, groups and weights."""
    actual, (score,) = binary_rows(600, 1)
    random = np.random.default_rng(1)
    rows = {
        "sick": actual,
        "score": score,
        "region": random.choice(["north", "south", "east", "west"], 600),
        "age": random.choice(["under 40", "40 to 65", "over 65"], 600),
        "patient": random.integers(0, 150, 600),
    }
    frame = polars.DataFrame(rows)
    return saved(
        tm.evaluate(
            frame, actual="sick", score="score", slices=["region", "age"], groups="patient", threshold=0.4
        )
    )


def validation() -> str:
    """Two models, ten folds."""
    pixels, digits = load_digits(return_X_y=True)
    models = {"tree": DecisionTreeClassifier(max_depth=6, random_state=0), "naive Bayes": GaussianNB()}
    return saved(tm.validate(models, pixels[:400], digits[:400], cv=5, random_state=0))


def learning_curve() -> str:
    pixels, digits = load_digits(return_X_y=True)
    model = GaussianNB(var_smoothing=0.05)
    return saved(tm.learning_curve(model, pixels[:400], digits[:400], random_state=0))


def hostile() -> str:
    """Labels, slices, columns and names of models that would like to do something."""
    random = np.random.default_rng(0)
    actual = np.repeat(np.array(HOSTILE, dtype=object), 10)
    predicted = np.where(random.random(len(actual)) < 0.7, actual, random.permutation(actual))
    other = np.where(random.random(len(actual)) < 0.6, actual, random.permutation(actual))
    frame = polars.DataFrame(
        {
            HOSTILE[0]: actual.tolist(),
            HOSTILE[1]: predicted.tolist(),
            HOSTILE[2]: other.tolist(),
            HOSTILE[10]: np.tile(np.array(HOSTILE, dtype=object), 10).tolist(),
        }
    )
    models = {
        name: tm.evaluate(frame, actual=HOSTILE[0], predicted=column, slices=[HOSTILE[10]])
        for name, column in ((HOSTILE[1], HOSTILE[1]), (TOO_LONG, HOSTILE[2]))
    }
    return saved(tm.compare(models))


REPORTS: dict[str, Callable[[], str]] = {
    "demo": demo, "one-model": one_model, "ten-classes": ten_classes, "three-models": three_models,
    "thousand-classes": thousand_classes, "labels-only": labels_only, "bare-matrix": bare_matrix,
    "label-sets": label_sets, "one-row": one_row, "slices": slices, "validation": validation,
    "learning-curve": learning_curve, "hostile": hostile,
}  # fmt: skip
