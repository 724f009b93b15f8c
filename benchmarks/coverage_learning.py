"""Learning curves: coverage of the means and of what more data would buy, and errors of progressive sampling.

What was chosen by such measurements (the rule of progressive sampling, the shapes of the law, when nothing is
said) was chosen on other samples, of the designs with 150 to 600 rows.

Rows are drawn from populations without end, so that what a model is worth after learning from n rows, on
average over all sets of n rows, is known as exactly as wanted. Every sample is a data set of which a learning
curve is made with the defaults. Counted is how often

- the 95 % interval of the mean holds what models of that size are worth, at the first size, at a size in the
  middle and at the last; beside it those of Student's t, for whom repeats are independent;
- the 95 % band of the gain from twice and from ten times the rows holds the true gain, how wide it is, and
  how often nothing is said;
- progressive sampling stops, in a whole run, at a size whose last doubling was in truth worth the tolerance
  or more, and which share of the rows to learn from it saves. The tolerance is 0.01; in the last designs,
  made to be hard for the rule, it is just below what doublings are worth, so that early stops are wrong.

    python benchmarks/coverage_learning.py            about an hour on one core
    python benchmarks/coverage_learning.py --quick    the same with fewer designs and samples: a minute
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from tallymark.intervals import student_quantile
from tallymark.validation.learning.curve import learning_curve
from tallymark.validation.learning.result import LearningCurve

Floats = NDArray[np.float64]
Rows = tuple[Floats, NDArray[np.int64]]

SAMPLES = 300
TOLERANCE = 0.01
_TEST_ROWS = 10_000
_CLASS_OF_NAME = np.random.default_rng(3).integers(2, size=3000)


def gaussians(columns: int, apart: float) -> Callable[[int, np.random.Generator], Rows]:
    """Two classes with normal columns; the means of the first few are apart."""

    def draw(rows: int, generator: np.random.Generator) -> Rows:
        y = generator.integers(2, size=rows)
        X = generator.normal(size=(rows, columns))
        X[:, :4] += apart * (y[:, None] - 0.5)
        return X, y

    return draw


def board(fields: int, noise: float) -> Callable[[int, np.random.Generator], Rows]:
    """The fields of a chess board in two of four columns, with some classes turned round."""

    def draw(rows: int, generator: np.random.Generator) -> Rows:
        X = generator.random((rows, 4))
        y = (X[:, :2] * fields).astype(int).sum(axis=1) % 2
        return X, y ^ (generator.random(rows) < noise)

    return draw


def names(rows: int, generator: np.random.Generator) -> Rows:
    """A name in the one column, the k-th of 3,000 in proportion to 1/k; about half of them are of class 1."""
    share = 1 / np.arange(1, 3001)
    name = generator.choice(3000, rows, p=share / share.sum())
    return name[:, None].astype(float), _CLASS_OF_NAME[name]


def depths(rows: int, generator: np.random.Generator) -> Rows:
    """How hard a row is, in the first column, and its class in the other; as many rows of either class."""
    y = generator.permutation(np.arange(rows) % 2)
    return np.column_stack((generator.random(rows), y)), y


class Names(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Knows the names it has met, and takes others for class 0: the fewer it met, the less a gain varies."""

    def fit(self, X: Floats, y: NDArray[np.int64]) -> Names:
        self.classes_ = np.array([0, 1])
        self.known_ = np.zeros(3000, np.int64)
        self.known_[X[:, 0].astype(int)] = y
        return self

    def predict(self, X: Floats) -> NDArray[np.int64]:
        return np.asarray(self.known_[X[:, 0].astype(int)])


class Stable(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Right about rows up to a depth that grows with each doubling by 0.03, whatever rows it learned from.

    All that repeats share is left in a gain.
    """

    def fit(self, X: Floats, y: NDArray[np.int64]) -> Stable:  # noqa: ARG002 - as all models have it
        self.classes_ = np.array([0, 1])
        self.depth_ = 0.5 + 0.03 * np.log2(len(X) / 16)
        return self

    def predict(self, X: Floats) -> NDArray[np.int64]:
        y = X[:, 1].astype(int)
        return np.where(X[:, 0] < self.depth_, y, 1 - y)


@dataclass(frozen=True)
class Design:
    """A model, a population, and how many rows a sample has."""

    title: str
    model: Any
    draw: Callable[[int, np.random.Generator], Rows]
    rows: int
    sets: int = 2_000
    """Training sets of each size, at most, from which the truth is found."""
    tolerance: float = TOLERANCE
    """The gain that pays, of progressive sampling."""
    n_sizes: int | None = None
    """As many sizes in even steps, instead of halves of the whole."""

    @cache  # noqa: B019 - designs are few
    def truth(self, size: int) -> float:
        """The accuracy to be expected after learning from so many rows."""
        sets = max(self.sets // 30, min(self.sets, 200 * self.sets // size))
        found = []
        for stream in np.random.SeedSequence(11, spawn_key=(size,)).spawn(sets):
            generator = np.random.default_rng(stream)
            X, y = self.draw(size, generator)
            if len(np.unique(y)) < 2:
                continue
            X_test, y_test = self.draw(_TEST_ROWS // 4, generator)
            found.append((self.model.fit(X, y).predict(X_test) == y_test).mean())
        return float(np.mean(found))


@dataclass
class Measured:
    """Of one design: what the intervals held, one entry per sample."""

    held: dict[str, list[float]] = field(default_factory=dict)
    width: dict[str, list[float]] = field(default_factory=dict)

    def add(self, what: str, low: float | None, high: float | None, truth: float) -> None:
        if low is not None and high is not None:
            self.held.setdefault(what, []).append(low <= truth <= high)
            self.width.setdefault(what, []).append(high - low)

    def coverage(self, what: str) -> float:
        return float(np.mean(self.held.get(what, [np.nan])))

    def wide(self, what: str) -> float:
        return float(np.mean(self.width.get(what, [np.nan])))


def curve(design: Design, sample: int, **options: Any) -> LearningCurve:
    """The learning curve of one sample."""
    X, y = design.draw(design.rows, np.random.default_rng(np.random.SeedSequence(2027, spawn_key=(sample,))))
    if design.n_sizes is not None:
        options |= {"schedule": "arithmetic", "n_sizes": design.n_sizes}
    return learning_curve(design.model, X, y, random_state=10_000 + sample, **options)


def measure(design: Design, samples: int) -> Measured:
    """Coverage of means and gains."""
    found = Measured()
    for sample in range(samples):
        made = curve(design, sample)
        sizes = made.sizes.tolist()
        for name, size in zip(
            ("first", "middle", "last"), (sizes[0], sizes[len(sizes) // 2], sizes[-1]), strict=True
        ):
            point = made.at(size)
            found.add(name, point.mean.low, point.mean.high, design.truth(size))
            found.add(f"{name}, plain", *plain(made.values[:, sizes.index(size)]), design.truth(size))
        for times in (2, 10):
            gain = made.gain(times * sizes[-1])
            found.add(
                f"x{times}", gain.low, gain.high, design.truth(times * sizes[-1]) - design.truth(sizes[-1])
            )
    return found


def plain(values: Floats) -> tuple[float, float]:
    """Student's interval of the mean."""
    half = student_quantile(0.95, len(values) - 1) * values.std(ddof=1) / len(values) ** 0.5
    return float(values.mean() - half), float(values.mean() + half)


def stops(design: Design, samples: int) -> Iterator[tuple[bool, float]]:
    """Of every sample: whether it stopped where rows were still worth it, and the share of rows saved."""
    for sample in range(samples):
        stopped = curve(design, sample, progressive=True, tolerance=design.tolerance).stopped
        assert stopped is not None
        wrong = False
        if stopped.early:
            gain = next(iter(stopped.gains.values()))
            wrong = design.truth(gain.after) - design.truth(gain.before) >= design.tolerance
        yield wrong, stopped.rows


def designs(quick: bool) -> Iterator[Design]:
    for rows in (600,) if quick else (150, 600, 2400):
        yield Design("naive Bayes, 10 normal columns", GaussianNB(), gaussians(10, 0.6), rows)
        yield Design("tree, chess board", DecisionTreeClassifier(), board(3, 0.1), rows)
        if not quick:
            if rows < 2400:
                yield Design(
                    "nearest 5, 10 normal columns", KNeighborsClassifier(5), gaussians(10, 0.6), rows
                )
            yield Design("discriminant, 30 columns", LinearDiscriminantAnalysis(), gaussians(30, 0.6), rows)
            yield Design("naive Bayes, nothing to learn", GaussianNB(), gaussians(10, 0.0), rows)
    # Every doubling gains 0.03, from 8 rows up to 256; of names 0.028 or more.
    yield Design("stable learner", Stable(), depths, 384, tolerance=0.029)
    yield Design("table of names", Names(), names, 400, tolerance=0.027)
    if not quick:
        yield Design("stable learner, 20 even sizes", Stable(), depths, 384, tolerance=0.029, n_sizes=20)


COLUMNS = (
    *(
        (name, "corrected t", f"accuracy at the {name} size", "tallymark")
        for name in ("first", "middle", "last")
    ),
    *(
        (f"{name}, plain", "plain t", f"accuracy at the {name} size", "by hand: t of learning_curve")
        for name in ("first", "middle", "last")
    ),
    ("x2", "band of the law", "gain from twice the rows", "tallymark"),
    ("x10", "band of the law", "gain from ten times the rows", "tallymark"),
)
"""What is kept of a design, by which method, and whose that is."""


def main(quick: bool = False) -> None:
    from records import covered, rejected, times

    samples = SAMPLES // 6 if quick else times(SAMPLES)
    print(
        f"{samples} samples; two standard errors of a coverage are {2 * (0.05 * 0.95 / samples) ** 0.5:.3f}"
    )
    print("coverage of the mean at the first, the middle and the last size: corrected t (plain t);")
    print(
        "of the gain from 2 and 10 times the rows (mean width), when something is said; progressive sampling"
    )
    for design in designs(quick):
        found = measure(design, samples)
        means = "  ".join(
            f"{found.coverage(name):.3f} ({found.coverage(f'{name}, plain'):.3f})"
            for name in ("first", "middle", "last")
        )
        gains = "  ".join(f"{found.coverage(name):.3f} ({found.wide(name):.3f})" for name in ("x2", "x10"))
        said = len(found.held.get("x2", ())) / samples
        wrong, saved = np.mean(list(stops(design, samples)), axis=0)
        title = f"{design.title}, {design.rows} rows"
        for name, method, what, whose in COLUMNS:
            runs = len(found.held.get(name, ()))
            covered(
                what, title, design.rows, method, found.coverage(name), found.wide(name), runs, whose=whose
            )
        rejected("progressive sampling stops too soon", title, float(wrong), np.nan, samples)
        print(
            f"{design.rows:5} rows, {design.title:32} {means}   {gains} said {said:.0%}   "
            f"stops wrongly {wrong:.3f}, saves {saved:.0%}",
            flush=True,
        )


if __name__ == "__main__":
    main("--quick" in sys.argv[1:])
