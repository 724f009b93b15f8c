"""How much better a threshold within a bin could be, against every threshold of the rows themselves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tallymark as tm
from tallymark.decisions import Decision, decide
from tallymark.errors import OptionError
from tallymark.inference import Ranking
from tallymark.intake.ranking import count_scores
from tallymark.intake.streams.counting import count_binned
from tallymark.metrics import METRICS, ask
from tallymark.tallies import Binary, Scores
from tallymark.tallies.grid import Grid

OBJECTIVES = [
    *(
        name
        for name, each in METRICS.items()
        if each.better != "neither" and not each.needs_costs and not each.parameters
    ),
    "f_beta:2",
    "weighted_accuracy:1,2,3,4",
]
ASKED: tuple[dict[str, Any], ...] = (
    {},
    {"minimum": {"recall": 0.6}},
    {"minimum": {"precision": 0.4}},
    {"maximum": {"share": 0.3}},
    {"minimum": {"mcc": 0.1}},
    {"minimum": {"lr_plus": 2.0}},
    {"maximum": {"markedness": 0.4}, "minimum": {"recall": 0.2}},
)


def binned(score: Any, positive: Any, weight: Any = None, bins: int = 1) -> Scores:
    arrays = np.asarray(score, float), np.asarray(positive, bool)
    return count_binned(*arrays, weight, "sampling", Grid(0.0, 1.0, bins)).scores()


def at_every_threshold(score: NDArray[Any], positive: NDArray[Any], weight: NDArray[Any]) -> Binary:
    """The four counts, each added up on its own."""
    cuts = [*np.unique(score).tolist(), math.inf]
    sides = [(positive, True), (positive, False), (~positive, True), (~positive, False)]
    counts = [
        np.array([weight[which & ((score >= at) == called)].sum() for at in cuts]) for which, called in sides
    ]
    tp, fn, fp, tn = counts
    return Binary(tp, fn, fp, tn)


def decided_or_not(scores: Scores, objective: str, options: dict[str, Any]) -> Decision | str:
    try:
        return decide(Ranking(scores), labels=("+", "-"), best=objective, **options)
    except OptionError as problem:
        return problem.message


@pytest.mark.parametrize("trial", range(16))
def test_no_threshold_of_the_rows_is_better_than_the_gap_says(trial: int) -> None:
    random = np.random.default_rng(trial)
    size = int(random.choice([3, 6, 20, 60]))
    positive = random.random(size) < random.choice([0.2, 0.5, 0.8])
    positive[:2] = True, False
    odds = random.normal(size=size) + random.choice([0, 1, 3]) * positive
    score = np.round(1 / (1 + np.exp(-odds)), int(random.choice([2, 6])))
    weights = (
        None,
        random.integers(1, 5, size),
        random.random(size) + 0.05,
        1e-9 ** random.integers(0, 2, size),
    )
    weight = weights[trial % 4]
    bins = binned(score, positive, weight, int(random.choice([1, 2, 6])))
    cuts = at_every_threshold(score, positive, np.ones(size, int) if weight is None else weight)
    for number, objective in enumerate(OBJECTIVES):
        options = ASKED[(trial + number) % len(ASKED)]
        kept = np.ones(len(cuts.tp), bool)
        for side, sign in (("minimum", 1), ("maximum", -1)):
            for name, bound in options.get(side, {}).items():
                metric = METRICS["predicted_positive_rate" if name == "share" else name]
                kept &= sign * np.asarray(metric(cuts)) >= sign * bound - 1e-12
        asked = ask(objective)
        sign = 1 if asked.metric.better == "higher" else -1
        values = np.where(kept, sign * np.asarray(asked.metric(cuts, *asked.parameters)), np.nan)
        some = not np.isnan(values).all()
        found = decided_or_not(bins, objective, options)
        if isinstance(found, str):
            assert not some or "within a bin" in found or "infinite" in found
        elif bins.exact:
            assert (found.gap, found.gap_note) == (None, None)
        elif found.gap is None:
            assert objective in ("lr_plus", "diagnostic_odds_ratio")
            assert found.gap_note is not None
        elif some:
            assert found.value is not None
            assert np.nanmax(values) <= sign * found.value + found.gap + 1e-12


def test_a_ratio_that_may_be_infinite_has_no_gap_and_says_so() -> None:
    # The positive may be above both negatives, and then no negative is called positive.
    found = decide(Ranking(binned([0.2, 0.4, 0.6], [0, 0, 1])), labels=("+", "-"), best="lr_plus")
    assert found.value == 1.0
    assert found.gap is None
    note = (
        "a threshold within a bin could have a better lr_plus, and nothing bounds by how much: one kind of "
        "error may be as rare as anything there, or never happen."
    )
    assert found.gap_note == note
    form = found.to_dict()
    assert (form["exact"], form["gap"], form["gap_note"]) == (False, None, note)
    assert f"A{note[1:]}" in str(found.document())


def test_next_to_where_a_number_is_undefined_weights_may_be_as_small_as_anything() -> None:
    # The upper bin holds negatives only: one of next to no weight called positive alone has an mcc near 0.
    weight = np.array([1e-9, 1.0, 1.0, 1.0])
    bins = binned([0.9, 0.8, 0.4, 0.2], [0, 0, 1, 0], weight, bins=2)
    found = decide(Ranking(bins), labels=("+", "-"), best="mcc")
    exact = count_scores(np.array([0.9, 0.8, 0.4, 0.2]), np.array([0, 0, 1, 0]) > 0, weight=weight)
    best = decide(Ranking(exact), labels=("+", "-"), best="mcc")
    assert found.gap is not None
    assert found.value is not None
    assert best.value is not None
    assert best.value <= found.value + found.gap


CROWDED = binned([0.2, 0.3, 0.4, 0.6], [0, 0, 1, 1])
HINT = (
    "count the scores themselves, without --approximate (approximate=), or finer bins, with --tolerance "
    "(tolerance=)."
)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"best": "recall", "minimum": {"precision": 0.9}},
            "precision of at least 0.9 cannot be met at an edge of a bin: the most is 0.500 (at the "
            "threshold 0.2); a threshold within a bin may meet it.",
        ),
        (
            {"best": "recall", "minimum": {"mcc": 0.5}},
            "mcc of at least 0.5 cannot be met at an edge of a bin: mcc is undefined at every one; a "
            "threshold within a bin may meet it.",
        ),
        (
            {"costs": [[0, 1], [1, 0]], "minimum": {"recall": 0.1, "precision": 0.9}},
            "recall of at least 0.1 and precision of at least 0.9 cannot be met together at an edge of a "
            "bin: with recall of at least 0.1 the most precision is 0.500 (at the threshold 0.2); a "
            "threshold within a bin may meet it.",
        ),
        (
            {"best": "mcc"},
            "mcc is undefined at every edge of a bin; at a threshold within a bin it may be defined.",
        ),
        (
            {"best": "mcc", "minimum": {"recall": 0.4}},
            "mcc is undefined at every edge of a bin with recall of at least 0.4; at a threshold within a "
            "bin it may be defined.",
        ),
    ],
    ids=["precision", "undefined", "together", "best", "best of some"],
)
def test_what_no_edge_of_a_bin_meets_a_threshold_within_one_may(options: Any, message: str) -> None:
    rest = {name: value for name, value in options.items() if name != "costs"}
    with pytest.raises(OptionError) as problem:
        decide(Ranking(CROWDED), options.get("costs"), labels=("+", "-"), **rest)
    assert problem.value.message == message
    assert problem.value.hint == HINT


def test_what_no_order_within_bins_meets_cannot_be_met() -> None:
    # Two negatives are above everything else, and there is one positive.
    bins = binned([0.9, 0.9, 0.3, 0.2], [0, 0, 0, 1], bins=2)
    with pytest.raises(OptionError) as problem:
        decide(Ranking(bins), labels=("+", "-"), minimum={"precision": 0.5})
    assert problem.value.message == (
        "precision of at least 0.5 cannot be met: the most is 0.250 (at the threshold 0.2)."
    )
    assert problem.value.hint is None


def test_from_a_file_the_hint_helps(tmp_path: Any) -> None:
    random = np.random.default_rng(1)
    positive = random.random(400) < 0.1
    score = 1e-5 * random.beta(2 + 4 * positive, 4)  # all in one bin of the grid
    rows = "\n".join(f"{int(y)},{p!r}" for y, p in zip(positive, score.tolist(), strict=True))
    path = tmp_path / "rows.csv"
    path.write_text(f"y,p\n{rows}\n")
    options: dict[str, Any] = {"best": "recall", "minimum": {"precision": 0.3}}
    about: dict[str, Any] = {"actual": "y", "score": "p"}
    with pytest.raises(OptionError, match="a threshold within a bin may meet it"):
        tm.evaluate(path, approximate=True, **about).decide(**options)
    found = tm.evaluate(path, approximate=True, tolerance=1e-4, **about).decide(**options)
    best = tm.evaluate(path, **about).decide(**options)
    assert isinstance(found, Decision)
    assert isinstance(best, Decision)
    assert found.gap is not None
    assert 0 <= (best.value or 0) - (found.value or 0) <= found.gap
