"""What is promised of calibration: the test and the finding TM015 on calibrated probabilities, the interval
of every bin, what is left of ECE and MCE without chance, and the interval of what recalibration gains.

Probabilities are drawn from a beta distribution, and what they are of comes true with a probability that is
the same ("right") or has the logit times a slope (below 1: they were too extreme).

How the debiased errors came about. No number of a bin has the absolute gap as its mean whatever the gap is.
Kumar et al.'s correction (a normal number drawn around the gap seen) leaves 0.47 standard errors of the 0.80
that chance adds where there is no gap, and is right from one standard error on; taking the correction at the
gap that is left after its variance leaves 0.19 there and takes up to 0.29 too much at one standard error. A
model that is right should not look wrong, so it is the second.

The interval of what recalibration gains takes the fitted curves as given. Where there is little to gain it
falls short (0.91 instead of 0.95), because then most of the gain is how far the fits went astray.

    python benchmarks/coverage_calibration.py            about two minutes on one core
    python benchmarks/coverage_calibration.py --quick    the same with fewer samples
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from tallymark.curves.calibration.curve import Calibration
from tallymark.findings import miscalibrated
from tallymark.inference.recalibration.fits import Platt, Scale
from tallymark.inference.recalibration.gain import _without, folds_of, recalibration
from tallymark.intake.ranking import count_groups, count_scores
from tallymark.metrics.calibration import Strategy

Floats = NDArray[np.float64]
SAMPLES = 1_000
GRID = (np.arange(20_000) + 0.5) / 20_000


@dataclass(frozen=True)
class Design:
    """How rows come about."""

    rows: int
    shape: tuple[float, float] = (1.0, 1.0)
    """Of the beta distribution that probabilities are drawn from."""
    slope: float = 1.0
    groups: int = 0
    alike: float = 0.3
    """Correlation of what moves the rows of a group, on the normal scale."""
    strategy: Strategy = "width"
    weighted: bool = False

    def truth(self, p: Floats) -> Floats:
        """How often it comes true."""
        with np.errstate(divide="ignore", over="ignore"):
            return 1 / (1 + (1 / p - 1) ** self.slope)

    def draw(self, generator: np.random.Generator) -> Calibration:
        p = generator.beta(*self.shape, self.rows)
        luck = generator.normal(size=self.rows)
        weight = generator.uniform(0.2, 2, self.rows) if self.weighted else None
        if not self.groups:
            return Calibration(
                count_scores(p, ndtr(luck) < self.truth(p), weight=weight), strategy=self.strategy
            )
        group = generator.integers(0, self.groups, self.rows)
        shared = generator.normal(size=self.groups)[group]
        luck = np.sqrt(self.alike) * shared + np.sqrt(1 - self.alike) * luck
        y = luck < ndtri(self.truth(p))
        t = count_scores(p, y, weight=weight)
        groups = count_groups(t, p, y, weight, group, tuple(range(self.groups)))
        return Calibration(t, strategy=self.strategy, groups=groups)


class Found(NamedTuple):
    rejected: float
    """By the test at 0.05; of the samples that can be tested."""
    tested: float
    warned: float
    """With a finding."""
    coverage: float
    """Of the intervals of the bins, where probabilities are right; else NaN."""
    width: float
    """Their mean width, else NaN."""
    ece: float
    debiased_ece: float
    mce: float
    debiased_mce: float


def study(design: Design, samples: int = SAMPLES, seed: int = 0) -> Found:
    generator = np.random.default_rng(seed)
    rows: list[tuple[float, ...]] = []
    held: list[bool] = []
    wide: list[float] = []
    for _ in range(samples):
        curve = design.draw(generator)
        p_value = curve.test.p_value
        if design.slope == 1:
            there = ~np.isnan(curve.low)
            held += ((curve.low <= curve.predicted) & (curve.predicted <= curve.high))[there].tolist()
            wide += (curve.high - curve.low)[there].tolist()
        errors = curve.ece, curve.debiased_ece, curve.mce, curve.debiased_mce
        tested = p_value is not None
        rows.append(
            (np.nan if p_value is None else p_value < 0.05, tested, warns(curve), *map(float, errors))
        )
    table = np.array(rows, float)
    rejected = float(np.nanmean(table[:, 0])) if table[:, 1].any() else np.nan
    tested, warned, *errors = table[:, 1:].mean(axis=0).tolist()
    coverage, width = (float(np.mean(each)) if each else np.nan for each in (held, wide))
    return Found(rejected, tested, warned, coverage, width, *errors)


def warns(curve: Calibration) -> bool:
    """Whether there is a finding."""
    ev: Any = SimpleNamespace(calibrated=curve, calibration=curve, ranked=SimpleNamespace(shares=None))
    return miscalibrated.check(ev) is not None


def true_errors(design: Design) -> tuple[float, float]:
    """ECE and MCE of ten bins of equal width when there is no end of rows; of even probabilities."""
    gaps = np.abs((design.truth(GRID) - GRID).reshape(10, -1).mean(axis=1))
    return float(gaps.mean()), float(gaps.max())


def gains(design: Design, samples: int = SAMPLES, seed: int = 0) -> float:
    """How often the interval of what recalibration gains holds the truth."""
    return gains_and_width(design, samples, seed)[0]


def gains_and_width(design: Design, samples: int = SAMPLES, seed: int = 0) -> tuple[float, float]:
    """How often the interval of what Platt's recalibration gains holds what those very curves would gain on
    rows without end, and its mean width; of even probabilities."""
    generator = np.random.default_rng(seed)
    truth, held, width = design.truth(GRID), [], []
    for sample in range(samples):
        t = design.draw(generator).scores
        folds = folds_of(t, seed=sample)
        found = recalibration(folds).platt
        assert found is not None
        scale = Scale.of(t)
        after = [Platt.fit(_without(t, fold), scale)(GRID) for fold in folds]
        # Expected squares, less what both have in common.
        gained = np.mean([np.mean((GRID - truth) ** 2 - (p - truth) ** 2) for p in after])
        gain = found.brier.gain
        assert gain.low is not None
        assert gain.high is not None
        held.append(gain.low <= gained <= gain.high)
        width.append(gain.high - gain.low)
    return float(np.mean(held)), float(np.mean(width))


SHAPES = ((1.0, 1.0), (1.0, 3.0), (0.2, 0.2), (0.5, 30.0), (5.0, 2.0))


def main(quick: bool = False) -> None:
    from records import covered, rejected, times

    samples = 200 if quick else times(SAMPLES)
    print("right probabilities: rejected at 0.05, tested, warned of, intervals of bins that hold")
    for shape in SHAPES:
        for rows in (50, 200, 1_000, 5_000):
            for strategy in ("width", "mass"):
                _print(Design(rows, shape, strategy=strategy), samples)
    for rows in (200, 1_000):
        _print(Design(rows, weighted=True), samples)
    print("right probabilities, rows in groups")
    for groups, rows in ((20, 400), (50, 1_000), (200, 2_000)):
        for shape in ((1.0, 1.0), (1.0, 3.0)):
            _print(Design(rows, shape, groups=groups), samples)
    print("probabilities with another slope: true ECE and MCE, as usual, less what chance adds")
    for slope in (1.0, 0.9, 0.7, 0.5, 2.0):
        for rows in (200, 1_000, 5_000):
            design = Design(rows, slope=slope)
            found, (ece, mce) = study(design, samples // 4), true_errors(design)
            if slope != 1:
                title = f"slope {slope:g}, {rows} rows"
                rejected("calibration test", title, np.nan, found.rejected, samples // 4)
            print(
                f"  slope {slope:3} of {rows:5} rows: "
                f"ECE {ece:.3f} {found.ece:.3f} {found.debiased_ece:.3f}, "
                f"MCE {mce:.3f} {found.mce:.3f} {found.debiased_mce:.3f}, "
                f"rejected {found.rejected:.2f}, warned of {found.warned:.2f}"
            )
    print("what Platt's recalibration gains: intervals that hold it")
    for slope in (1.0, 0.7, 0.5):
        for rows in (100, 1_000):
            held, width = gains_and_width(Design(rows, slope=slope), samples // 2)
            title = f"slope {slope:g}, {rows} rows"
            covered("what recalibration gains", title, rows, "Platt, Brier", held, width, samples // 2)
            print(f"  slope {slope:3} of {rows:5} rows: {held:.3f}")


def _print(design: Design, samples: int) -> None:
    from records import covered, rejected

    found = study(design, samples)
    title = f"beta {design.shape}, {design.rows} rows, {design.groups or 'no'} groups, {design.strategy}"
    title += ", weighted" if design.weighted else ""
    size = design.groups or design.rows
    covered(
        "a bin of a calibration curve", title, size, design.strategy, found.coverage, found.width, samples
    )
    if found.tested:
        rejected("calibration test", title, found.rejected, np.nan, round(samples * found.tested))
        rejected("finding TM015", title, found.warned, np.nan, samples)
    print(
        f"  beta {design.shape} of {design.rows:5} rows, {design.groups or 'no'} groups, {design.strategy}"
        f"{', weighted' if design.weighted else ''}: {found.rejected:.3f} {found.tested:.2f} "
        f"{found.warned:.3f} {found.coverage:.3f}"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description="Calibration: false positives of its test, coverage of bins and gains."
    )
    parser.add_argument("--quick", action="store_true", help="fewer designs and samples")
    main(parser.parse_args().quick)
