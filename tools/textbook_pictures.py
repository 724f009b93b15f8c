"""The pictures of docs/textbook, from the data of the examples.

Run from anywhere: `python tools/textbook_pictures.py` renews them all. Needs the extras validate and plots.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from statistics import NormalDist

import numpy as np
from PIL import Image

import tallymark as tm
from tallymark.drawing import Axis, Band, Figure, Line, Note, Panel, Picture, image
from tallymark.textbook import EXAMPLES
from tallymark.textbook.shown import tumours
from tallymark.textbook.thresholds import shipped

FOLDER = Path(__file__).parents[1] / "docs" / "pictures" / "textbook"
COLOURS = 48


def one_threshold() -> Figure:
    """Two bell curves on one axis and a threshold; what is to its right is called positive."""
    x = np.linspace(-4.5, 3.5, 200)
    positive = np.array([NormalDist().pdf(each) for each in x])
    negative = np.array([NormalDist(-1.175).pdf(each) for each in x])
    right = x >= 0
    nothing = np.zeros(int(right.sum()))
    marks = (
        Line(x, negative, "negative rows", 1),
        Line(x, positive, "positive rows", 0),
        Band(x[right], nothing, positive[right], "called positive: TPR 0.5", 0),
        Band(x[right], nothing, negative[right], "called positive: FPR 0.12", 1),
        Line(np.array([0.0, 0.0]), np.array([0.0, 0.45]), "", None),
        Note(0.0, 0.44, "t", "right"),
    )
    return Figure((Panel(Axis("x", -4.5, 3.5), Axis("", 0, 0.46, bare=True), marks),))


def kfold() -> Figure:
    """Which rows each of three folds tests on."""
    X, y = tumours()
    found = tm.validate("bayes", X[::19], y[::19], cv=tm.KFold(3))
    return found.figure("split")


def of_example(name: str, place: int = 0) -> Figure:
    """A picture of an example, as its page has it."""
    pictures = [block for block in EXAMPLES[name].work().worked if isinstance(block, Picture)]
    return pictures[place].figure


PICTURES = {
    "one-threshold": one_threshold,
    "three-folds": kfold,
    "learning-curve": lambda: of_example("learning-curve"),
    "roc-ten": lambda: of_example("roc-10-thresholds"),
    "roc-two-models": lambda: of_example("roc-two-models"),
    "one-vs-all": lambda: of_example("one-vs-all-roc"),
    "precision-recall": lambda: shipped("bayes").precision_recall.figure(),
    "expected-cost": lambda: of_example("expected-cost-of-a-threshold"),
    "rejection": lambda: of_example("rejection-curve"),
    "gains": lambda: of_example("lift-and-gains"),
    "wilson": lambda: of_example("wilson-accuracy-0.8"),
    "permutation": lambda: of_example("permutation-test"),
}


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, figure in PICTURES.items():
        drawn = Image.open(BytesIO(image(figure(), ".png"))).convert("RGB")
        smaller = drawn.reduce(2)
        smaller.quantize(COLOURS, dither=Image.Dither.NONE).save(FOLDER / f"{name}.png", optimize=True)
        print(f"{name}.png")


if __name__ == "__main__":
    main()
