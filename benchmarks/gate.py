"""How often the gate passes a model that is worse than the baseline by exactly the margin, and one as good.

A design is a true table actual x answer of the new model x answer of the baseline. The margin is the true
difference, so whatever passes is a false pass; from predictions that must be 2.5 % at the most, because one
end of a 95 % interval is judged. From the baseline's numbers alone nothing is tested: up to half of the
models at the margin pass. Equal models, with the same margin, show how many good ones are stopped.

    python benchmarks/gate.py            about four minutes on one core
    python benchmarks/gate.py --quick    the same with fewer samples
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallymark import evaluate
from tallymark.gate import check

Floats = NDArray[np.float64]
METRICS = ("accuracy", "recall", "f1")


@dataclass(frozen=True)
class Design:
    """Rows, the share of positives, how often the baseline is right, and how often the new one follows it."""

    rows: int
    positives: float
    right: float
    worse_by: float
    follows: float = 0.9

    def joint(self, worse_by: float) -> Floats:
        """The true table: where it does not follow, the new model answers by its own rate."""
        table = np.zeros((2, 2, 2))
        own = self.right - worse_by / (1 - self.follows)
        for actual, share in enumerate((1 - self.positives, self.positives)):
            for base in (0, 1):
                base_share = share * (self.right if base == actual else 1 - self.right)
                for new in (0, 1):
                    alone = own if new == actual else 1 - own
                    follow = self.follows if new == base else 0.0
                    table[actual, new, base] = base_share * (follow + (1 - self.follows) * alone)
        return table


def value(metric: str, counts: Floats) -> float:
    """A number of a table actual x answer, written out."""
    (tn, fp), (fn, tp) = counts
    return float(
        {
            "accuracy": (tp + tn) / (tp + tn + fp + fn),
            "recall": tp / (tp + fn),
            "f1": 2 * tp / (2 * tp + fp + fn),
        }[metric]
    )


def passes(design: Design, metric: str, worse_by: float, samples: int) -> tuple[float, float]:
    """Shares that pass at a margin of `design.worse_by`: from predictions, and from numbers alone."""
    at_margin = design.joint(design.worse_by)
    margin = value(metric, at_margin.sum(axis=1)) - value(metric, at_margin.sum(axis=2))
    table = design.joint(worse_by).ravel()
    generator = np.random.default_rng(1)
    passed = np.zeros(2)
    for _ in range(samples):
        actual, new, base = np.unravel_index(generator.choice(8, design.rows, p=table), (2, 2, 2))
        main = evaluate(actual, base)
        this = evaluate(actual, new)
        for place, baseline in enumerate((main, main.confusion.evaluate())):  # type: ignore[union-attr]
            gate = check(this, baseline=baseline, no_worse=metric, margin=margin)
            passed[place] += gate.passed
    return passed[0] / samples, passed[1] / samples


def main(quick: bool = False) -> None:
    from records import rejected, times

    samples = 100 if quick else times(400)
    print(f"Shares that pass, of {samples} test sets each (2.5 % are meant to be the most at the margin).\n")
    print(f"{'':34}{'at the margin':>24}{'as good':>24}")
    print(f"{'design':24}{'metric':10}{'predictions':>13}{'numbers':>11}{'predictions':>13}{'numbers':>11}")
    for design in (Design(500, 0.5, 0.85, 0.03), Design(2_000, 0.2, 0.9, 0.02)):
        for metric in METRICS:
            found = (*passes(design, metric, design.worse_by, samples), *passes(design, metric, 0.0, samples))
            shown = "".join(
                f"{share:>{width}.1%}" for share, width in zip(found, (13, 11, 13, 11), strict=True)
            )
            title = f"{design.rows} rows, {design.positives:.0%} positive"
            for place, given in enumerate(("predictions", "numbers alone")):
                one = f"gate, baseline's {given}"
                promised = math.nan if place else 0.025
                rates = found[place], found[place + 2]
                rejected(one, f"{title}, {metric}", *rates, samples, promised=promised)
            print(f"{title:24}{metric:10}{shown}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    main(parser.parse_args().quick)
