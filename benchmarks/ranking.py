"""Exact AUC as ratios in one run: against a bare sort of the scores and against scikit-learn; and memory."""

from __future__ import annotations

import argparse
import tracemalloc
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from speed import at_least, at_most, best_of
from tallymark.intake.ranking import count_groups, count_scores
from tallymark.metrics.scores import auc

ROWS = 5_000_000
SHARES = (0.5, 0.1, 0.01)


def ranked(share: float, random: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Distinct probabilities, higher in the positive class, and who is of it."""
    positive = random.random(ROWS) < share
    return 1 / (1 + np.exp(-random.normal(positive * 1.5, 1))), positive


def budgets(shares: Sequence[float] = SHARES) -> None:
    print(f"\nExact AUC of {ROWS:,} scores")
    random = np.random.default_rng(0)
    for share in shares:
        distinct, positive = ranked(share, random)
        for kind, score in (("distinct", distinct), ("3 decimals", distinct.round(3))):
            what = f"{share:.0%} positive, {kind}"

            def ours(s: Any = score, y: Any = positive) -> float:
                return auc(count_scores(s, y))

            taken, bare = best_of(ours, 7), best_of(lambda s=score: np.sort(s), 7)
            peer = best_of(lambda s=score, y=positive: roc_auc_score(y, s), 2)
            assert abs(ours() - roc_auc_score(positive, score)) < 1e-12
            at_most(f"{what}: a bare np.sort", taken / bare, 3, f"{taken * 1e3:.0f} ms")
            at_least(f"{what}: roc_auc_score", peer / taken, 12)
        nanoseconds = bare / ROWS * 1e9
    print(f"  np.sort takes {nanoseconds:.0f} ns per score of 3 decimals here.")


def others() -> None:
    print("\nThe same for other scores, without a budget")
    random = np.random.default_rng(0)
    score, positive = ranked(0.1, random)
    weight, counts = random.random(ROWS), random.integers(1, 5, ROWS)
    group = random.integers(0, 50_000, ROWS)
    logits = np.log(score) - np.log1p(-score)
    tally = count_scores(score, positive)
    keys = tuple(range(50_000))
    bare = best_of(lambda: np.sort(score), 3)
    parts: tuple[tuple[str, Callable[[], Any]], ...] = (
        ("scores of both signs", lambda: auc(count_scores(logits, positive))),
        ("float32", lambda: auc(count_scores(score.astype(np.float32), positive))),
        ("with fractional weights", lambda: auc(count_scores(score, positive, weight=weight))),
        ("with whole weights", lambda: auc(count_scores(score, positive, weight=counts))),
        ("by group", lambda: count_groups(tally, score, positive, None, group, keys)),
        ("two tallies added", lambda: tally + tally),
        ("Brier and log loss", lambda: count_scores(score, positive).sums),
    )
    for what, part in parts:
        print(f"  {what:<58} {best_of(part, 2) / bare:>9.2f}x a bare np.sort")


def memory() -> None:
    print("\nMemory of the exact AUC against the input (scores and a boolean per row)")
    random = np.random.default_rng(0)
    distinct, positive = ranked(0.1, random)
    for kind, score in (("distinct", distinct), ("3 decimals", distinct.round(3))):
        tracemalloc.start()
        auc(count_scores(score, positive))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        at_most(
            f"{ROWS:,} scores, {kind}", peak / (score.nbytes + positive.nbytes), 4, f"{peak / 1e6:.0f} MB"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed and memory of the exact AUC.")
    parser.add_argument("--quick", action="store_true", help="one share of positives only")
    budgets(SHARES[1:2] if parser.parse_args().quick else SHARES)
    others()
    memory()


if __name__ == "__main__":
    main()
