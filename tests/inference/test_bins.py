"""What is known when scores were counted in bins: bounds of areas, and of metrics cut within a bin."""

import json
from typing import Any

import numpy as np
import polars as pl
import pytest

import tallymark as tm
from tallymark.metrics import METRICS

AREAS = ("auc", "gini", "average_precision", "partial_auc:0.2", "partial_auc_mcclish:0.3")
COSTS = {1: {1: -1.0, 0: 5.0}, 0: {1: 2.0, 0: 0.5}}
PARAMETERS = {"f_beta": "f_beta:2", "weighted_accuracy": "weighted_accuracy:2,1,1,0"}
CUT = [PARAMETERS.get(name, name) for name, each in METRICS.items() if each.about in ("class", "all")]
CUT += [f"{name}_{over}" for name in ("precision", "f1", "mcc") for over in ("macro", "micro", "weighted")]


def test_bins_carry_bounds() -> None:
    found = tm.Scores.from_bins([40, 30, 10], [10, 30, 60]).evaluate()
    for name in (*AREAS, "ks"):
        low, high = found[name].bounds
        assert low < found[name].value < high or name == "ks", name
        form = json.loads(json.dumps(found[name].to_dict()))
        assert (form["exact"], form["bounds"]) == (False, [low, high])
        if name != "ks":
            assert found[name].low <= low < high <= found[name].high, name
    # What is not certified is noted.
    near_1 = tm.Scores.from_bins([30, 1], [1, 30]).evaluate()["average_precision"]
    assert near_1.note


def cut(
    above: Any, within: Any, below: Any, threshold: float = 0.55, weight: float | None = None
) -> tm.Evaluation:
    """Of positives and negatives so many at 0.95, at 0.52 and 0.58 in one bin, and at 0.05."""
    cells = np.array([above, within, below])
    score = np.repeat([0.95, 0.95, 0.52, 0.52, 0.05, 0.05], cells.ravel())
    score[score == 0.52] = np.resize([0.52, 0.58], (score == 0.52).sum())
    rows = {"y": np.repeat([1, 0, 1, 0, 1, 0], cells.ravel()), "s": score}
    asked = {"actual": "y", "score": "s", "labels": [0, 1], "approximate": True, "grid": (0, 6144)}
    if weight is not None:
        rows, asked = rows | {"w": np.full(len(score), weight)}, asked | {"weight": "w"}
    return tm.tally(pl.DataFrame(rows), **asked).evaluate(threshold=threshold, costs=COSTS)


def possible(above: Any, within: Any, below: Any) -> list[tm.Evaluation]:
    """Every table that a threshold within the bin can give."""
    found = []
    for tp, fp in np.ndindex(within[0] + 1, within[1] + 1):
        positive = [above[0] + tp, within[0] - tp + below[0]]
        negative = [above[1] + fp, within[1] - fp + below[1]]
        table = tm.Confusion([negative[::-1], positive[::-1]], labels=[0, 1])
        found.append(table.evaluate(pos_label=1, costs=COSTS))
    return found


def test_bounds_within_a_bin_are_the_extremes_of_all_tables() -> None:
    random, wrong = np.random.default_rng(1), []
    for _ in range(8):
        above, within, below = (random.integers(0, 4, 2).tolist() for _ in range(3))
        within, below = [within[0] + 1, within[1] + 1], [below[0], below[1] + 1]
        ev, tables = cut(above, within, below), possible(above, within, below)
        for name in CUT:
            found, values = ev[name], [each[name].value for each in tables]
            defined = [value for value in values if value is not None]
            ends = (min(defined), max(defined)) if defined else None
            if found.value is None and None not in values:
                wrong.append((name, "undefined", above, within, below))
            elif found.value is not None and (found.bounds or (found.value,) * 2) != pytest.approx(ends):
                wrong.append((name, found.bounds, ends, above, within, below))
    assert not wrong, wrong[:10]
    # The interval holds those of the tables at the corners.
    ev, tables = cut((5, 2), (4, 3), (6, 20)), possible((5, 2), (4, 3), (6, 20))
    for name in ("recall", "f1", "mcc", "lr_plus", "accuracy", "f1_macro", "mean_cost"):
        for at in (0, 3, -4, -1):
            assert ev[name].low <= tables[at][name].low, name
            assert tables[at][name].high <= ev[name].high, name
        assert ev[name].to_dict()["exact"] is False


def test_where_a_cut_is_known() -> None:
    for threshold in (0.5, 0.61, 0.95, 0.05, 0.3, -1.0, 2.0):
        assert cut((5, 2), (4, 3), (6, 20), threshold)["recall"].bounds is None, threshold
    known = cut((5, 2), (4, 3), (6, 20), 0.5)
    assert known.confusion.matrix.tolist() == [[20, 5], [6, 9]]
    # Weights of 0.5: from none to all of the two positives within it; precision has nothing to be of.
    weighted = cut((0, 0), (2, 1), (3, 4), weight=0.5)
    assert weighted["recall"].bounds == pytest.approx((0, 2 / 5))
    assert (weighted["precision"].value, bool(weighted["precision"].why)) == (None, True)
