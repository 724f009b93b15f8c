"""Coverage of the 95 % intervals of rows with several labels, and of metrics of one's own.

python benchmarks/coverage_label_sets.py            about two minutes on one core
python benchmarks/coverage_label_sets.py --quick    the same with fewer samples
"""

from __future__ import annotations

import sys
from typing import Any
from unittest.mock import patch

import numpy as np

import tallymark as tm
from tallymark.inference import cells

OF_ROWS = ("subset_accuracy", "accuracy_example", "f1_example", "hamming_loss")
OF_LABELS = ("f1_micro", "f1_macro", "recall_macro", "precision_weighted")
DESIGNS = {
    "3 labels": {"labels": 3, "share": 0.4, "missed": 0.1, "false": 0.05},
    "20 labels": {"labels": 20, "share": 0.15, "missed": 0.2, "false": 0.03},
    "20 labels, nearly all right": {"labels": 20, "share": 0.15, "missed": 0.01, "false": 0.001},
    "20 labels, 3 % of the rows all wrong": {
        "labels": 20,
        "share": 0.15,
        "missed": 0.02,
        "false": 0.002,
        "hard": 0.03,
    },
}


def draw(random: np.random.Generator, rows: int, design: dict[str, float]) -> tuple[Any, Any]:
    """True and predicted marks; in `hard` of the rows nearly everything is wrong."""
    shape = rows, int(design["labels"])
    actual = random.random(shape) < design["share"]
    hard = random.random((rows, 1)) < design.get("hard", 0)
    missed, false = np.where(hard, 0.9, design["missed"]), np.where(hard, 0.4, design["false"])
    chance = random.random(shape)
    return actual, np.where(actual, chance >= missed, chance < false)


def measured(design: dict[str, float], rows: int, samples: int) -> dict[str, tuple[float, float]]:
    """How often the interval holds the truth, and how wide it is."""
    random = np.random.default_rng([rows, samples])
    names = (*OF_ROWS, *OF_LABELS)
    whole = tm.evaluate(*draw(random, 300_000, design))
    truth = {name: float(whole[name]) for name in names}
    held, width = dict.fromkeys(names, 0), dict.fromkeys(names, 0.0)
    for _ in range(samples):
        ev = tm.evaluate(*draw(random, rows, design))
        for name in names:
            low, high = ev[name].low, ev[name].high
            assert low is not None
            assert high is not None
            held[name] += low <= truth[name] <= high
            width[name] += high - low
    return {name: (held[name] / samples, width[name] / samples) for name in names}


def own_metric(rows: int, samples: int) -> tuple[float, float]:
    """Coverage and mean width of the row bootstrap for the mean profit of a row."""
    random = np.random.default_rng(rows)

    def profit(y_true: Any, y_pred: Any) -> float:
        return float(np.mean(10 * (y_true & y_pred) - 4 * y_pred))

    def rows_of(number: int) -> tuple[Any, Any]:
        actual = (random.random(number) < 0.3).astype(int)
        return actual, np.where(random.random(number) < 0.85, actual, 1 - actual)

    truth = profit(*rows_of(2_000_000))
    held, width = 0, 0.0
    for _ in range(samples):
        found = tm.evaluate(*rows_of(rows), extra={"profit": profit})["profit"]
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high
        width += found.high - found.low
    return held / samples, width / samples


def main(quick: bool = False) -> None:
    from records import covered, times

    samples = 60 if quick else times(400)
    names = (*OF_ROWS, *OF_LABELS)
    with patch.object(cells, "MOST_DRAWS", 2_000):
        for title, design in DESIGNS.items():
            print(f"\n{title}\n{'':8}" + "".join(f"{name:>20}" for name in names))
            for rows in (60, 300):
                found = measured(design, rows, samples)
                for name, (share, width) in found.items():
                    covered(
                        name, f"{title}, {rows} rows", rows, "several labels a row", share, width, samples
                    )
                print(
                    f"{rows:>8}" + "".join(f"{held:>12.3f} ({width:.3f})" for held, width in found.values())
                )
    print("\na metric of one's own, row bootstrap")
    for rows in (30, 100, 400):
        share, width = own_metric(rows, samples)
        covered("profit", f"a metric of one's own, {rows} rows", rows, "row_bootstrap", share, width, samples)
        print(f"{rows:>8}{share:>20.3f} ({width:.3f})")


if __name__ == "__main__":
    main("--quick" in sys.argv[1:])
