"""Make tests/live/vectors.json: what the live part of a page must compute, by hand or in exact fractions.

Nothing here calls tallymark: the file holds what is right for its Python and for the page's script alike.

    python tools/make_live_vectors.py
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import accumulate
from pathlib import Path
from typing import Any

from scipy.stats import norm

VECTORS = Path(__file__).parents[1] / "tests" / "live" / "vectors.json"
Z = float(norm.ppf(0.975))
CELLS = ("tp", "fn", "fp", "tn")
# What is a share of what.
SHARES = {
    "recall": ("tp", "tp fn"),
    "precision": ("tp", "tp fp"),
    "specificity": ("tn", "fp tn"),
    "npv": ("tn", "fn tn"),
    "fpr": ("fp", "fp tn"),
    "fnr": ("fn", "tp fn"),
    "accuracy": ("tp tn", "tp fn fp tn"),
    "error_rate": ("fn fp", "tp fn fp tn"),
    "predicted_positive_rate": ("tp fp", "tp fn fp tn"),
}
WITHIN_A_CLASS = ("recall", "specificity", "fpr", "fnr")
"""Which other class shares do not change."""
NONE = {"value": None, "low": None, "high": None}


def main() -> None:
    made = {
        "z": Z,
        "rates": list(rates()),
        "cheapest": list(cheapest()),
        "region": list(region()),
        "best": list(best()),
        "reaching": list(reaching()),
        "text": [{"value": value, "digits": digits, "expected": text} for value, digits, text in TEXTS],
        "decode": list(decode()),
    }
    lines = [f'"{key}": {_written(value)}' for key, value in made.items()]
    VECTORS.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def _written(value: Any) -> str:
    if not isinstance(value, list):
        return json.dumps(value)
    return "[\n" + ",\n".join(f"  {json.dumps(each)}" for each in value) + "\n]"


# --- rates -----------------------------------------------------------------------------------------

COUNTED = {
    "the textbook's": (282, 75, 462, 4841),
    "a few rows": (8, 2, 5, 85),
    "one row": (1, 0, 0, 0),
    "nothing right": (0, 3, 4, 0),
    "all right": (7, 0, 0, 9),
    "nothing called positive": (0, 5, 0, 20),
    "everything called positive": (5, 0, 20, 0),
    "no positives": (0, 0, 3, 17),
    "no negatives": (6, 4, 0, 0),
    "no rows": (0, 0, 0, 0),
    "as good as a coin": (50, 50, 50, 50),
    "two million rows": (590_000, 10_000, 70_000, 1_330_000),
}
WEIGHED = {
    "weights": ("1 2 0.5", "1", "0.25 4", "1 1 1 3"),
    "equal weights": ("2 2 2", "2", "2", "2 2 2 2"),
    "one heavy row": ("100 1", "1 1", "1", "1 1 1"),
    "weights, nothing called positive": ("", "0.5 1.5", "", "2 0.125"),
}
PRIORS = (0.01, 0.5, 0.9)


def rates() -> Iterator[dict[str, Any]]:
    """With and without weights, and under other class shares."""
    for name, counts in COUNTED.items():
        yield _case(name, dict(zip(CELLS, map(Fraction, counts), strict=True)))
    for prior in PRIORS:
        for name in ("a few rows", "the textbook's", "nothing called positive"):
            yield _case(name, dict(zip(CELLS, map(Fraction, COUNTED[name]), strict=True)), None, prior)
    for name, weights in WEIGHED.items():
        each = [[Fraction(word) for word in words.split()] for words in weights]
        counts = {cell: Fraction(sum(rows)) for cell, rows in zip(CELLS, each, strict=True)}
        squares = {
            cell: Fraction(sum(row * row for row in rows)) for cell, rows in zip(CELLS, each, strict=True)
        }
        written = {"weights": dict(zip(CELLS, ([float(row) for row in rows] for rows in each), strict=True))}
        yield _case(name, counts, squares) | written
        yield _case(name, counts, squares, 0.25) | written


def _case(
    name: str,
    counts: dict[str, Fraction],
    squares: dict[str, Fraction] | None = None,
    prior: float | None = None,
) -> dict[str, Any]:
    # Without weights every row weighs one, and so does its square.
    expected = _rates(counts, counts if squares is None else squares)
    if prior is not None:
        scaled = _at(counts, prior)
        values = _rates(scaled, scaled)
        expected = {
            key: expected[key] if key in WITHIN_A_CLASS else NONE | {"value": values[key]["value"]}
            for key in expected
        }
    return {
        "name": name if prior is None else f"{name}, {prior:g} of them positive",
        "counts": _plain(counts),
        "squares": None if squares is None else _plain(squares),
        "prior": prior,
        "expected": expected,
    }


def _plain(numbers: Mapping[str, Fraction]) -> dict[str, float]:
    return {key: int(each) if each.denominator == 1 else float(each) for key, each in numbers.items()}


def _at(counts: Mapping[str, Fraction], prior: float) -> dict[str, Fraction]:
    """As many rows, of which this share is positive."""
    n, share = sum(counts.values()), Fraction(repr(prior))
    up = share * n / (counts["tp"] + counts["fn"])
    down = (1 - share) * n / (counts["fp"] + counts["tn"])
    return {cell: counts[cell] * (up if cell in ("tp", "fn") else down) for cell in CELLS}


def _rates(counts: Mapping[str, Fraction], squares: Mapping[str, Fraction]) -> dict[str, Any]:
    made = {name: _share(counts, squares, *parts) for name, parts in SHARES.items()}
    tp, fn, fp, tn = (counts[cell] for cell in CELLS)
    jaccard = _share(counts, squares, "tp", "tp fn fp")
    made["f1"] = {key: None if end is None else 2 * end / (1 + end) for key, end in jaccard.items()}
    if tp + fp + fn:
        made["f1"]["value"] = float(2 * tp / (2 * tp + fp + fn))
    made["balanced_accuracy"] = made["informedness"] = made["mcc"] = made["lift"] = NONE
    # The mean over the classes that have rows.
    recalls = [right / rows for right, rows in ((tp, tp + fn), (tn, fp + tn)) if rows]
    if recalls:
        made["balanced_accuracy"] = NONE | {"value": float(sum(recalls) / len(recalls))}
    if len(recalls) == 2:
        made["informedness"] = NONE | {"value": float(sum(recalls) - 1)}
    margins = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    if margins:
        made["mcc"] = NONE | {"value": float(_decimal(tp * tn - fp * fn) / _decimal(margins).sqrt())}
    if tp + fp and tp + fn:
        made["lift"] = NONE | {"value": float(tp / (tp + fp) * sum(counts.values()) / (tp + fn))}
    return made


def _share(counts: Mapping[str, Fraction], squares: Mapping[str, Fraction], top: str, of: str) -> Any:
    """A proportion with Wilson's interval (1927), n by Kish (1965): the sum squared by the sum of squares."""
    part, whole = (sum((counts[cell] for cell in cells.split()), Fraction()) for cells in (top, of))
    if not whole:
        return NONE
    n = _decimal(whole**2 / sum((squares[cell] for cell in of.split()), Fraction()))
    share, z = _decimal(part / whole), Decimal(Z)
    with localcontext(prec=50):
        centre = share + z * z / (2 * n)
        half = z * (share * (1 - share) / n + z * z / (4 * n * n)).sqrt()
        ends = [(centre + side * half) / (1 + z * z / n) for side in (-1, 1)]
    low, high = (min(max(float(end), 0.0), 1.0) for end in ends)
    return {"value": float(part / whole), "low": low, "high": high}


def _decimal(number: Fraction) -> Decimal:
    with localcontext(prec=50):
        return Decimal(number.numerator) / Decimal(number.denominator)


# --- thresholds ------------------------------------------------------------------------------------


def curve(steps: Sequence[int], digits: int, positives: Sequence[int], negatives: Sequence[int]) -> Any:
    """As it stands in a page."""
    return {
        "digits": digits,
        "steps": list(steps),
        "positives": list(positives),
        "negatives": list(negatives),
        "unit": 1,
        "square_unit": 1,
        "exact": True,
        "at": -1,
        "scores": len(steps),
    }


SMALL = curve((9, 2, 2, 2, 2), 1, (3, 1, 2, 0, 1), (0, 1, 1, 3, 6))
SIX = curve((95, 5, 10, 20, 30, 25), 2, (1, 1, 1, 1, 1, 1), (1, 1, 1, 1, 1, 1))
WORSE = curve((3, 1, 1), 0, (0, 1, 4), (5, 2, 0))
ALL_TIED = curve((5,), 1, (4,), (6,))
STEEP = curve((8, 1, 1, 1, 1, 1, 1, 1), 1, (10, 0, 5, 1, 0, 2, 0, 0), (0, 1, 1, 2, 6, 10, 30, 50))
CURVES = {"small": SMALL, "a coin": SIX, "worse": WORSE, "all tied": ALL_TIED, "steep": STEEP}
NO_POSITIVES = curve((7, 2), 1, (0, 0), (2, 3))


def _cuts(curve: Mapping[str, Any], prior: float | None = None) -> list[dict[str, Fraction]]:
    """The four counts from "nothing is called positive" down to "everything"."""
    tp, fp = ([0, *accumulate(curve[side])] for side in ("positives", "negatives"))
    up = down = Fraction(1)
    if prior is not None:
        n = tp[-1] + fp[-1]
        up, down = Fraction(repr(prior)) * n / tp[-1], (1 - Fraction(repr(prior))) * n / fp[-1]
    return [
        {"tp": hit * up, "fn": (tp[-1] - hit) * up, "fp": alarm * down, "tn": (fp[-1] - alarm) * down}
        for hit, alarm in zip(tp, fp, strict=True)
    ]


def _exact(costs: Sequence[Sequence[float]]) -> dict[str, Fraction]:
    return dict(zip(CELLS, (Fraction(repr(cost)) for row in costs for cost in row), strict=True))


PRICES = {
    "errors cost alike": [[0, 1], [1, 0]],
    "a miss costs ten": [[0, 10], [1, 0]],
    "equal on paper only": [[0, 0.3], [0.1, 0]],
    "gains": [[-5, 2], [1, -0.5]],
    "all free": [[0, 0], [0, 0]],
    "wrong is cheaper": [[1, 0], [0, 1]],
}


def cheapest() -> Iterator[dict[str, Any]]:
    """Of equally cheap thresholds the highest."""
    for about, each in CURVES.items():
        for name, costs in PRICES.items():
            if about == "small" or name in ("errors cost alike", "equal on paper only"):
                yield _cheapest(f"{about}, {name}", each, costs)
    yield _cheapest("small, a miss costs ten, one percent", SMALL, PRICES["a miss costs ten"], 0.01)
    yield _cheapest("steep, gains, half", STEEP, PRICES["gains"], 0.5)
    yield _cheapest("a coin, errors cost alike, half", SIX, PRICES["errors cost alike"], 0.5)


def _cheapest(name: str, each: Any, costs: Any, prior: float | None = None) -> dict[str, Any]:
    price = _exact(costs)
    paid = [sum(price[cell] * cut[cell] for cell in CELLS) for cut in _cuts(each, prior)]
    return {
        "name": name,
        "curve": each,
        "costs": costs,
        "prior": prior,
        "expected": paid.index(min(paid)),
        "total": float(min(paid)),
    }


def region() -> Iterator[dict[str, Any]]:
    """Of equally cheap pairs the one that rejects fewest, then the highest."""
    for about, name, reject_cost, prior in (
        ("small", "errors cost alike", 0.3, None),
        ("small", "a miss costs ten", 0.5, None),
        ("small", "errors cost alike", 5, None),
        ("small", "errors cost alike", 0, None),
        ("small", "gains", -0.25, None),
        ("a coin", "errors cost alike", 0.5, None),
        ("a coin", "equal on paper only", 0.1, None),
        ("all tied", "errors cost alike", 0.25, None),
        ("steep", "a miss costs ten", 0.75, None),
        ("steep", "a miss costs ten", 0.75, 0.01),
        ("small", "errors cost alike", 0.3, 0.5),
    ):
        each, costs = CURVES[about], PRICES[name]
        cuts, price, rejecting = _cuts(each, prior), _exact(costs), Fraction(repr(reject_cost))
        found = []
        for lower, below in enumerate(cuts):
            for upper, above in enumerate(cuts[: lower + 1]):
                answered = {
                    "tp": above["tp"],
                    "fp": above["fp"],
                    "fn": below["fn"],
                    "tn": below["tn"],
                }
                rejected = below["tp"] - above["tp"] + below["fp"] - above["fp"]
                paid = sum(price[cell] * answered[cell] for cell in CELLS) + rejecting * rejected
                found.append((paid, rejected, lower, -upper))
        paid, rejected, lower, upper = min(found)
        yield {
            "name": f"{about}, {name}, rejecting costs {reject_cost}",
            "curve": each,
            "costs": costs,
            "reject_cost": reject_cost,
            "prior": prior,
            "expected": [-upper, lower],
            "total": float(paid),
            "rejected": float(rejected),
        }


def best() -> Iterator[dict[str, Any]]:
    """The highest threshold at which F1 is highest."""
    for name, each in CURVES.items():
        values = [2 * cut["tp"] / (2 * cut["tp"] + cut["fp"] + cut["fn"]) for cut in _cuts(each)]
        expected = values.index(max(values))
        yield {"name": name, "curve": each, "metric": "f1", "expected": expected, "value": float(max(values))}


def reaching() -> Iterator[dict[str, Any]]:
    """The highest threshold that finds at least this share of the positives."""
    for name, share in (("small", 0.9), ("small", 0.5), ("a coin", 0.5), ("steep", 0.1), ("steep", 1.0)):
        each = CURVES[name]
        reached = [cut["tp"] >= Fraction(repr(share)) * (cut["tp"] + cut["fn"]) for cut in _cuts(each)]
        expected = reached.index(True)
        yield {"name": name, "curve": each, "metric": "recall", "value": share, "expected": expected}
    # 0.3 of ten is three on paper.
    ten = curve((10, 1, 1), 1, (3, 1, 6), (0, 0, 5))
    yield {"name": "three of ten", "curve": ten, "metric": "recall", "value": 0.3, "expected": 1}


def decode() -> Iterator[dict[str, Any]]:
    """The thresholds behind the first, and the counts from the first on."""
    signs = curve((2_500, 2_000, 1_250, 4_000), 3, (1, 0, 2, 1), (0, 3, 0, 1))
    small = curve((12, 3, 8), 22, (1, 1, 1), (0, 1, 0))
    named = {**CURVES, "no positives": NO_POSITIVES, "both signs": signs, "next to nothing": small}
    for name, each in named.items():
        first, *others = each["steps"]
        whole = list(accumulate(others, lambda one, step: one - step, initial=first))
        cuts = _cuts(each)
        yield {
            "name": name,
            "curve": each,
            "thresholds": [float(Fraction(number, 10 ** each["digits"])) for number in whole],
            "tp": [int(cut["tp"]) for cut in cuts],
            "fp": [int(cut["fp"]) for cut in cuts],
        }


# By hand: never as if it were 0, 1 or -1, halves to the even digit, large numbers with two decimals.
TEXTS: tuple[tuple[float | None, int, str], ...] = (
    (None, 3, "?"),
    (0.0, 3, "0.000"),
    (1.0, 3, "1.000"),
    (-1.0, 3, "-1.000"),
    (0.5, 3, "0.500"),
    (0.9049, 3, "0.905"),
    (0.9996, 3, "0.9996"),
    (0.99996, 3, "0.99996"),
    (0.9994, 3, "0.999"),
    (0.0004, 3, "0.0004"),
    (0.00004, 3, "0.00004"),
    (0.0000012, 3, "0.000001"),
    (1.2e-7, 3, "1.2e-07"),
    (-0.0004, 3, "-0.0004"),
    (1.0004, 3, "1.0004"),
    (0.0005, 3, "0.001"),
    (0.0625, 3, "0.062"),
    (0.1875, 3, "0.188"),
    (0.3575, 3, "0.357"),
    (0.35750000000000004, 3, "0.357"),
    (0.30000000000000004, 3, "0.300"),
    (0.9999999999999998, 3, "1.000"),
    (2.5, 0, "2"),
    (3.14159, 2, "3.14"),
    (-12.3456, 1, "-12.3"),
    (999.9996, 3, "1000.000"),
    (1000.0, 3, "1,000"),
    (1234.5678, 3, "1,234.57"),
    (-98765.4, 3, "-98,765.4"),
    (12345678.9, 3, "12,345,678.9"),
)

if __name__ == "__main__":
    main()
