"""How much better a threshold within a bin could be, against every threshold of the rows themselves."""

from typing import Any

import numpy as np
import pytest

import tallymark as tm
from deciding import yes_or_no
from scored import classes, on_grid, refusals
from tallymark.metrics import METRICS

PARAMETERS = {"f_beta": ":2", "weighted_accuracy": ":1,2,3,4"}
OBJECTIVES = [
    name + PARAMETERS.get(name, "")
    for name, each in METRICS.items()
    if each.better != "neither" and not each.needs_costs and (not each.parameters or name in PARAMETERS)
]
LEAST = {"recall": 0.6, "precision": 0.4, "mcc": 0.1, "lr_plus": 2.0}
ASKED: tuple[dict[str, Any], ...] = (
    *({}, {"maximum": {"share": 0.3}}, {"maximum": {"markedness": 0.4}, "minimum": {"recall": 0.2}}),
    *({"minimum": {name: least}} for name, least in LEAST.items()),
)


def decided(ev: tm.Evaluation, **options: Any) -> Any:
    try:
        return ev.decide(**options)
    except tm.OptionError as problem:
        return problem


def test_no_threshold_of_the_rows_is_better_than_the_gap_says() -> None:
    wrong: list[tuple[Any, ...]] = []
    for trial in range(12):
        random = np.random.default_rng(trial)
        size = int(random.choice([3, 6, 20, 60]))
        positive = random.random(size) < random.choice([0.2, 0.5, 0.8])
        positive[:2] = True, False
        odds = random.normal(size=size) + random.choice([0, 1, 3]) * positive
        score = np.round(1 / (1 + np.exp(-odds)), int(random.choice([2, 6])))
        weights = [None, random.integers(1, 5, size), random.random(size) + 0.05]
        weight = [*weights, 1e-9 ** random.integers(0, 2, size)][trial % 4]
        bins = on_grid(score, positive, int(random.choice([1, 2, 6])), weight)
        exact = yes_or_no(score, positive, sample_weight=weight)
        for number, objective in enumerate(OBJECTIVES):
            options = {"best": objective, **ASKED[(trial + number) % len(ASKED)]}
            best, found = decided(exact, **options), decided(bins, **options)
            sign = -1 if METRICS[objective.partition(":")[0]].better == "lower" else 1
            if isinstance(best, tm.OptionError):
                good = True
            elif isinstance(found, tm.OptionError):
                # What the rows can do is not refused without a hint at finer bins.
                good = found.hint is not None or objective in ("lr_plus", "diagnostic_odds_ratio")
            elif found.gap is None:
                good = objective in ("lr_plus", "diagnostic_odds_ratio") and found.gap_note is not None
            else:
                good = sign * best.value <= sign * found.value + found.gap + 1e-12
            if not good:
                wrong.append((trial, objective, found, best))
    assert not wrong


def test_where_nothing_bounds_the_gap() -> None:
    # The positive may be above both negatives, and then no negative is predicted positive.
    found = on_grid([0.2, 0.4, 0.6], [0, 0, 1], 1).decide(best="lr_plus")
    assert (found.value, found.gap, bool(found.gap_note)) == (1.0, None, True)
    form = found.to_dict()
    assert (form["exact"], form["gap"], form["gap_note"]) == (False, None, found.gap_note)
    # The upper bin holds negatives only: one of next to no weight predicted positive alone has an mcc near 0.
    score, y, weight = np.array([0.9, 0.8, 0.4, 0.2]), [0, 0, 1, 0], np.array([1e-9, 1.0, 1.0, 1.0])
    found = on_grid(score, y, 2, weight).decide(best="mcc")
    best = yes_or_no(score, y, sample_weight=weight).decide(best="mcc")
    assert best.value <= found.value + found.gap


def test_what_no_edge_of_a_bin_meets_a_threshold_within_one_may(snapshot) -> None:
    crowded = on_grid([0.2, 0.3, 0.4, 0.6], [0, 0, 1, 1], 1)
    # Two negatives are above everything else, and there is one positive.
    hopeless = on_grid([0.9, 0.9, 0.3, 0.2], [0, 0, 0, 1], 2)
    errors = {"positive": {"not positive": 1}, "not positive": {"positive": 1}}
    calls = {
        "precision": lambda: crowded.decide(best="recall", minimum={"precision": 0.9}),
        "undefined": lambda: crowded.decide(best="recall", minimum={"mcc": 0.5}),
        "together": lambda: crowded.decide(errors, minimum={"recall": 0.1, "precision": 0.9}),
        "best": lambda: crowded.decide(best="mcc"),
        "best of some": lambda: crowded.decide(best="mcc", minimum={"recall": 0.4}),
        "no order within bins": lambda: hopeless.decide(minimum={"precision": 0.5}),
    }
    refused = refusals(calls)
    assert set(classes(refused).values()) == {"OptionError"}
    note = on_grid([0.2, 0.4, 0.6], [0, 0, 1], 1).decide(best="lr_plus").gap_note
    snapshot("errors_decisions_about_bins", refused | {"gap note": str(note)})


def test_of_a_file_finer_bins_help(tmp_path: Any) -> None:
    random = np.random.default_rng(1)
    positive = random.random(400) < 0.1
    score = 1e-5 * random.beta(2 + 4 * positive, 4)  # all in one bin of the grid
    rows = "\n".join(f"{int(y)},{p!r}" for y, p in zip(positive, score.tolist(), strict=True))
    path = tmp_path / "rows.csv"
    path.write_text(f"y,p\n{rows}\n")
    options: dict[str, Any] = {"best": "recall", "minimum": {"precision": 0.3}}
    about: dict[str, Any] = {"actual": "y", "score": "p"}
    with pytest.raises(tm.OptionError):
        tm.evaluate(path, approximate=True, **about).decide(**options)
    found = tm.evaluate(path, approximate=True, tolerance=1e-4, **about).decide(**options)
    best = tm.evaluate(path, **about).decide(**options)
    assert isinstance(found, tm.Decision)
    assert isinstance(best, tm.Decision)
    assert found.gap is not None
    assert 0 <= (best.value or 0) - (found.value or 0) <= found.gap
