"""Answers at a threshold within a bin of scores."""

from __future__ import annotations

import numpy as np
import pytest

from tallymark.inference.cut_bounds import cut_confusions, cut_corners
from tallymark.inference.sample import Sample
from tallymark.metrics import METRICS, ask
from tallymark.tallies import Binary, Confusion, Scores

COSTS = np.array([[-1.0, 5.0], [2.0, 0.5]])
PARAMETERS = {"f_beta": "f_beta:2", "weighted_accuracy": "weighted_accuracy:2,1,1,0"}
COUNTED = [PARAMETERS.get(name, name) for name, each in METRICS.items() if each.about in ("class", "all")]
AVERAGED = [
    f"{name}_{over}" for name in ("precision", "f1", "mcc") for over in ("macro", "micro", "weighted")
]
LABELS = ("yes", "no")


def tally(above: tuple[int, int], within: tuple[int, int], below: tuple[int, int]) -> Scores:
    """Positives and negatives at 0.9, from 0.5 to 0.6, and at 0.1."""
    sides = np.array([above, within, below]).T
    return Scores(np.array([0.9, 0.5, 0.1]), *sides, reach=np.array([0.9, 0.6, 0.1]))


def sample(t: Scores, threshold: float = 0.55) -> Sample:
    first, *others = cut_confusions(t, threshold, LABELS, "yes", declared=True)
    return Sample(first, costs=COSTS, corners=tuple(others))


def possible(t: Scores) -> list[Sample]:
    """Every table that a threshold within the bin can give."""
    found = []
    for tp in range(t.tp[1], t.tp[2] + 1):
        for fp in range(t.fp[1], t.fp[2] + 1):
            cells = np.array([tp, t.n_positive - tp, fp, t.n_negative - fp])
            found.append(Confusion.from_cells(LABELS, np.arange(4), cells, declared=True))
    return [Sample(each, costs=COSTS) for each in found]


@pytest.mark.parametrize("name", [*COUNTED, *AVERAGED])
def test_every_number_is_within_its_bounds(name: str) -> None:
    asked = ask(name)
    random = np.random.default_rng(1)
    for _ in range(12):
        above, within, below = (tuple(random.integers(0, 4, 2).tolist()) for _ in range(3))
        t = tally(above, (within[0] + 1, within[1]), (below[0], below[1] + 1))
        found = sample(t).of(asked, 0)
        values = [each.of(asked, 0).value for each in possible(t)]
        defined = [value for value in values if value is not None]
        if found.value is None:
            assert None in values
            continue
        assert found.bounds == pytest.approx((min(defined), max(defined)), abs=1e-12)


@pytest.mark.parametrize("name", ["recall", "f1", "mcc", "lr_plus", "accuracy", "f1_macro", "mean_cost"])
def test_the_interval_holds_those_at_the_corners(name: str) -> None:
    asked, t = ask(name), tally((5, 2), (4, 3), (6, 20))
    found = sample(t).of(asked, 0)
    assert found.low is not None
    assert found.high is not None
    corners = cut_corners(t, 0.55)
    assert corners is not None
    assert len(corners) == 16
    for each in possible(t):
        one = each.confusion.binary("yes")
        if any((one.tp, one.fp) == (corner.tp, corner.fp) for corner in corners):
            exact = each.of(asked, 0)
            assert exact.low is not None
            assert exact.high is not None
            assert found.low <= exact.low
            assert exact.high <= found.high
    assert found.to_dict()["exact"] is False


def test_a_known_cut_has_no_corners() -> None:
    t = tally((5, 2), (4, 3), (6, 20))
    for threshold in (0.5, 0.61, 0.9, 0.1, 0.3, -np.inf, np.inf):
        assert cut_corners(t, threshold) is None
    assert sample(t, 0.5).of(ask("recall"), 0).bounds is None
    assert sample(t, 0.5).confusion.matrix.tolist() == [[9, 6], [5, 20]]
    assert cut_corners(t, 0.6) is not None  # the bin may hold 0.6 and scores below it


def test_the_first_corner_calls_the_whole_bin() -> None:
    t = tally((5, 2), (1, 0), (6, 20))
    assert cut_corners(t, 0.55) == (Binary(6, 6, 2, 20), Binary(5, 7, 2, 20))


def test_labels_in_another_order_and_weights() -> None:
    t = Scores(
        np.array([0.5, 0.1]),
        np.array([1.5, 2.0]),
        np.array([0.5, 4.0]),
        squares=(np.array([1.25, 4.0]), np.array([0.25, 8.0])),
        rows=6,
        reach=np.array([0.6, 0.1]),
    )
    tables = cut_confusions(t, 0.55, ("no", "yes"), "yes", declared=True)
    # Actual no: called no and yes; actual yes: called no and yes.
    assert [each.matrix.tolist() for each in tables] == [
        [[4.0, 0.5], [2.0, 1.5]],
        [[4.5, 0.0], [2.0, 1.5]],
        [[4.0, 0.5], [3.5, 0.0]],
        [[4.5, 0.0], [3.5, 0.0]],
    ]
    assert [each.squares.tolist() for each in tables[:2] if each.squares is not None] == [
        [8.0, 0.25, 4.0, 1.25],
        [8.25, 4.0, 1.25],  # cells without rows are not kept
    ]
    found = Sample(tables[0], corners=tables[1:]).of(ask("precision"), 1)
    assert found.why == "the threshold is within a bin of the scores, where it may be undefined"
