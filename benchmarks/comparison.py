"""Comparing two models as ratios in one run: against evaluating one, against peers; matching by id; memory.

Evaluating one is `tm.evaluate` and its printed report: all numbers with their intervals, and the ROC area
where there are scores. Comparing two is `tm.compare` and its printed report.

    python benchmarks/comparison.py            ten million rows, some minutes
    python benchmarks/comparison.py --quick    one million rows: half a minute
"""

from __future__ import annotations

import argparse
import math
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef, precision_score, recall_score
from statsmodels.stats.contingency_tables import mcnemar

import tallymark as tm
from speed import at_least, at_most, best_of

ROWS = 10_000_000
IDS = 1_000_000
Floats = NDArray[np.float64]
Models = dict[str, Any]
METRICS = (accuracy_score, recall_score, precision_score, f1_score, matthews_corrcoef)


def two_models(rows: int) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Classes, and the probabilities of two models that have much in common."""
    random = np.random.default_rng(0)
    y = (random.random(rows) < 0.3).astype(np.int64)
    known = random.normal(y * 1.5, 1)
    a, b = (1 / (1 + np.exp(0.75 - known - random.normal(0, noise, rows))) for noise in (0.7, 0.9))
    return y, a, b


def kinds(rows: int) -> dict[str, tuple[NDArray[np.int64], Models]]:
    """What models may be given as."""
    y, a, b = two_models(rows)
    answers = {"a": (a >= 0.5).astype(np.int64), "b": (b >= 0.5).astype(np.int64)}

    def with_scores(*scores: Floats) -> Models:
        given = zip(answers.items(), scores, strict=True)
        return {name: {"y_pred": answer, "y_score": score} for (name, answer), score in given}

    return {
        "answers": (y, answers),
        "answers and scores of 3 decimals": (y, with_scores(a.round(3), b.round(3))),
        "answers and distinct scores": (y, with_scores(a, b)),
    }


def evaluated(y: Any, model: Any) -> str:
    return str(tm.evaluate(y, **model) if isinstance(model, dict) else tm.evaluate(y, model))


def against_one(rows: int) -> None:
    print(f"\nComparing two models on {rows:,} rows: evaluating one")
    for kind, (y, models) in kinds(rows).items():
        times = 3 if "distinct" in kind else 5
        two = best_of(lambda y=y, m=models: str(tm.compare(m, y_true=y)), times)
        one = best_of(lambda y=y, m=models: evaluated(y, m["a"]), times)
        at_most(kind, two / one, 3, f"{two:.2f} s and {one:.2f} s")


def memory(rows: int) -> None:
    print(f"\nMemory beyond the input of {rows:,} rows, against the input")
    for kind, (y, models) in kinds(rows).items():
        columns = [
            each
            for model in models.values()
            for each in (model.values() if isinstance(model, dict) else [model])
        ]
        size = y.nbytes + sum(column.nbytes for column in columns)
        for what, work in (
            ("comparing two", lambda y=y, m=models: str(tm.compare(m, y_true=y))),
            ("evaluating one", lambda y=y, m=models: evaluated(y, m["a"])),
        ):
            peak = peak_of(work)
            print(f"  {f'{kind}: {what}':<58} {peak / size:>9.2f}x  {peak / 1e6:,.0f} MB")


def peak_of(work: Callable[[], Any]) -> int:
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def peers(rows: int) -> None:
    print(f"\nThe same numbers by others, {rows:,} rows")
    y, models = kinds(rows)["answers"]
    a, b = models.values()

    def others() -> float:
        right_a, right_b = a == y, b == y
        table = [[(right_a & right_b).sum(), (right_a & ~right_b).sum()],
                 [(~right_a & right_b).sum(), (~right_a & ~right_b).sum()]]  # fmt: skip
        for metric in METRICS:
            metric(y, a), metric(y, b)
        return float(mcnemar(table, exact=False, correction=True).pvalue)

    ours = best_of(lambda: str(tm.compare(models, y_true=y)), 5)
    bare = best_of(lambda: np.bincount(4 * y + 2 * a + b, minlength=8), 5)
    assert math.isclose(others(), tm.compare(models, y_true=y)["accuracy"].p_value or 0.0, abs_tol=1e-12)
    at_least("statsmodels' McNemar and five metrics of scikit-learn", best_of(others, 1) / ours, 5)
    print(f"  {'a bare np.bincount of both answers':<58} {ours / bare:>9.2f}x  no intervals, no tests")


def placements(y: NDArray[np.int64], score: Floats) -> tuple[Floats, Floats]:
    """For every positive the share of negatives below it and the reverse, from three rankings."""
    positive, negative = score[y == 1], score[y == 0]
    both = rankdata(np.concatenate([positive, negative]))
    above = (both[: len(positive)] - rankdata(positive)) / len(negative)
    return above, 1 - (both[len(positive) :] - rankdata(negative)) / len(positive)


def delong_by_ranks(y: NDArray[np.int64], a: Floats, b: Floats) -> tuple[float, float]:
    """The difference of two areas and its z, as Sun and Xu (2014) have it."""
    (up_a, down_a), (up_b, down_b) = placements(y, a), placements(y, b)
    difference = float(up_a.mean() - up_b.mean())
    variance = np.var(up_a - up_b, ddof=1) / len(up_a) + np.var(down_a - down_b, ddof=1) / len(down_a)
    return difference, difference / math.sqrt(variance)


def delong(rows: int) -> None:
    print(f"\nPaired DeLong of {rows:,} rows: three rankings per model with numpy and scipy")
    y, a, b = two_models(rows)
    for kind, scores in (("distinct", (a, b)), ("3 decimals", (a.round(3), b.round(3)))):
        ours = best_of(lambda s=scores: tm.tests.delong(y, *s), 3)
        peer = best_of(lambda s=scores: delong_by_ranks(y, *s), 1)
        found = tm.tests.delong(y, *scores)
        assert np.allclose((found.value, found.statistic), delong_by_ranks(y, *scores), rtol=1e-6)
        at_least(f"{kind} scores", peer / ours, 2, f"{ours:.2f} s")


def by_id(rows: int) -> None:
    print(f"\nMatching {rows:,} shuffled ids: reading, matching and comparing, against pandas.merge alone")
    random = np.random.default_rng(0)
    y, a, b = two_models(rows)
    number, order = random.permutation(10 * rows)[:rows], random.permutation(rows)
    for kind, ids in (
        ("whole numbers", number),
        ("text", np.array([f"row-{each:09d}" for each in number], object)),
    ):
        first = pd.DataFrame({"id": ids, "actual": y, "predicted": (a >= 0.5).astype(int)})
        second = pd.DataFrame({"id": ids, "actual": y, "predicted": (b >= 0.5).astype(int)}).iloc[order]
        models = {"a": first, "b": second}
        ours = best_of(lambda m=models: tm.compare(m, actual="actual", predicted="predicted", id="id"), 3)
        peer = best_of(lambda one=first, two=second: one.merge(two, on="id", validate="one_to_one"), 3)
        at_most(kind, ours / peer, 3, f"{ours:.2f} s")


def main(quick: bool = False) -> None:
    rows = ROWS // 10 if quick else ROWS
    against_one(rows)
    memory(rows)
    peers(rows)
    delong(IDS if quick else 2 * IDS)
    by_id(IDS // 5 if quick else IDS)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    main(parser.parse_args().quick)
