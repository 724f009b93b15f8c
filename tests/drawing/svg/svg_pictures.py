"""Typical pictures, kept as files that a person looked at.

After a change that is meant, write them anew and look at them: python tests/drawing/svg/svg_pictures.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tallymark.drawing import Axis, Band, Cells, Line, Note, Panel, Points, Spans
from tallymark.drawing.svg import svg

FOLDER = Path(__file__).parent / "golden"

FPR, TPR = Axis("false positive rate"), Axis("true positive rate")
ENDS = np.array([0.0, 1.0])
CHANCE = Line(ENDS, ENDS, "random guessing", series=None)
STEPS = np.array([0.0, 0.0, 0.05, 0.05, 0.2, 0.2, 0.45, 0.45, 1.0])
UP = np.array([0.0, 0.4, 0.4, 0.7, 0.7, 0.9, 0.9, 1.0, 1.0])


def _roc() -> Panel:
    band = Band(STEPS, np.clip(UP - 0.12, 0, 1), np.clip(UP + 0.08, 0, 1), "95 % band, pointwise")
    hull = Line(
        np.array([0, 0, 0.05, 0.2, 0.45, 1]), np.array([0, 0.4, 0.7, 0.9, 1, 1]), "convex hull", faint=True
    )
    return Panel(FPR, TPR, (band, Line(STEPS, UP, "ROC curve, AUC 0.905"), hull, CHANCE), square=True)


def _two_models() -> Panel:
    x = np.linspace(0, 1, 2_001)
    marks = (
        Line(x, x**0.25, "forest, AUC 0.800", name="forest"),
        Line(x, x**0.5, "tree, AUC 0.667", series=1, name="tree"),
        CHANCE,
        Points(np.array([0.1]), np.array([0.1**0.25]), "forest: score >= 0.5", name="forest"),
        Note(0.1, 0.1**0.25, "chosen: 0.562 of all positives found"),
    )
    return Panel(FPR, TPR, marks, square=True)


def _calibration() -> Panel:
    x = np.array([0.06, 0.15, 0.26, 0.34, 0.45, 0.56, 0.66, 0.75, 0.84, 0.95])
    y = np.array([0.02, 0.1, 0.3, 0.28, 0.5, 0.7, 0.62, 0.8, 0.9, 0.99])
    edges = np.linspace(0, 1, 11)
    counts = np.array([230, 60, 31, 24, 12, 11, 14, 16, 30, 141]) / 1_150
    whiskers = [
        Line(np.array([at, at]), np.clip([to - 0.15, to + 0.12], 0, 1)) for at, to in zip(x, y, strict=True)
    ]
    marks = (
        Band(edges, np.zeros(11), np.append(counts, counts[-1]), "rows in the bin", None, stepped=True),
        Line(ENDS, ENDS, "calibrated", series=None),
        *whiskers,
        Line(x, y, "ECE 0.039 (0.024 beyond chance)"),
        Points(x, y),
    )
    upright = Axis("observed: share of 'yes'", second="rows in the bin", second_high=1_150)
    return Panel(Axis("predicted: probability of 'yes'"), upright, marks, square=True)


def _gains() -> Panel:
    x = np.linspace(0, 1, 101)
    across = Axis("share of rows taken, best first", percent=True, second="rows taken", second_high=2_400_000)
    upright = Axis("recall: share of positives found", percent=True)
    ideal = Line(np.array([0, 0.3, 1]), np.array([0, 1, 1]), "ideal order", series=None, faint=True)
    chance = Line(ENDS, ENDS, "random order", series=None)
    return Panel(across, upright, (chance, ideal, Line(x, 1 - (1 - x) ** 3, "gains")))


def _forest() -> Panel:
    rows = [
        ("accuracy", 0.02, -0.01, 0.05),
        ("recall", -0.05, -0.09, -0.01),
        ("auc", 0.04, -0.3, 0.3),
        ("a metric with a name that is much too long", 0.0, -0.02, 0.02),
    ]
    places = [len(rows) - place - 0.5 for place in range(len(rows))]
    _, value, low, high = (np.array(part) for part in zip(*rows, strict=True))
    said = [f"{one:.3f} [{two:.3f}, {three:.3f}]" for _, one, two, three in rows]
    upright = Axis(
        "",
        0.0,
        float(len(rows)),
        names=tuple((place, row[0]) for place, row in zip(places, rows, strict=True)),
        second_names=tuple(zip(places, said, strict=True)),
    )
    marks = (
        Line(np.zeros(2), np.array([0.0, 4.0]), series=None),
        Spans(np.array(places), low.astype(float), high.astype(float)),
        Points(value.astype(float), np.array(places), series=1),
    )
    return Panel(Axis("difference, with its 95 % interval", -0.1, 0.1), upright, marks, wide=1.75)


def _heat() -> Panel:
    counts = np.array([[50, 0, 0], [0, 47, 3], [1, 4, 0]])
    shares = counts / 50
    shares[2] = np.nan
    texts = tuple(tuple(f"{cell}\n{cell / 50:.1%}" for cell in row) for row in counts.tolist())
    names = "setosa", "versicolor", "virginica"
    return Panel(
        Axis(),
        Axis(),
        (Cells(names, names, shares, texts, "predicted", "actual"),),
        square=True,
        legend="none",
    )


def _log() -> Panel:
    sizes = np.array([20.0, 50, 100, 200])
    mean = np.array([0.6, 0.71, 0.78, 0.8])
    later = np.array([200.0, 500, 1000, 2000])
    marks = (
        Band(sizes, mean - 0.06, mean + 0.04, "± standard deviation of the repeats"),
        Line(sizes, mean, "mean on test rows"),
        Points(sizes, mean, "mean on test rows"),
        Line(sizes, np.array([1.0, 0.95, 0.9, 0.87]), "on training rows", faint=True),
        Line(later, np.array([0.8, 0.82, 0.83, 0.835]), "more rows", dashed=True),
        Line(np.array([15.0, 2500]), np.full(2, 0.54), "most frequent class 0.540", series=None),
    )
    return Panel(Axis("training rows", 15, 2500, log=True), Axis("accuracy", 0.5, 1.0), marks, wide=1.5)


def _bars() -> Panel:
    low, high = np.array([0.0, 20, 40]), np.array([20.0, 40, 60])
    folds = np.array([2.5, 1.5, 0.5])
    marks = (
        Spans(np.full(1, 3.8), np.zeros(1), np.full(1, 60.0), "class no", 2, bar=True),
        Spans(np.full(1, 3.8), np.full(1, 45.0), np.full(1, 60.0), "class yes", 3, bar=True),
        Spans(folds, np.zeros(3), np.full(3, 60.0), "training rows", bar=True),
        Spans(folds, low, high, "test rows", 1, bar=True),
        Spans(folds[:2], high[:2], high[:2] + 4, "rows not used", None, bar=True, faint=True),
    )
    names = ((3.8, "class"), (2.5, "fold 1"), (1.5, "fold 2"), (0.5, "fold 3"))
    return Panel(Axis("row", 0, 60), Axis("", 0, 4.3, names=names), marks, wide=1.75, frame=False)


def pictures() -> dict[str, str]:
    """All of them as SVG, by their names."""
    made = {
        "roc": _roc,
        "two-models": _two_models,
        "calibration": _calibration,
        "gains": _gains,
        "forest": _forest,
        "heat": _heat,
        "log": _log,
        "bars": _bars,
    }
    return {name: svg(make(), f"A picture: {name}.", name) for name, make in made.items()}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, written in pictures().items():
        (FOLDER / f"{name}.svg").write_text(written + "\n", encoding="utf-8")
