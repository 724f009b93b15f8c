"""Fractions far apart in size: what is small is added up by itself, not left over from a difference."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics as peer

from tallymark.metrics import METRICS
from tallymark.tallies import Confusion


def weighted(matrix: list[list[float]]) -> Confusion:
    size = len(matrix)
    counts = np.array(matrix, float).ravel()
    cells = np.arange(size * size)
    return Confusion.from_cells(
        range(size), cells, counts, squares=counts**2, rows=size * size, declared=True
    )


@pytest.mark.parametrize("small", [1e-9, 3e-7])
def test_a_light_error_beside_heavy_answers_is_kept(small: float) -> None:
    # 1e9 + 1e-9 is 1e9 in floats, so 1e9 + 1e-9 - 1e9 would be 0.
    each = weighted([[1e9, small, 0], [0, 1e9, 2 * small], [0, 0, 1e9]]).margins.each
    assert each.fn.tolist() == [small, 2 * small, 0]
    assert each.fp.tolist() == [0, small, 2 * small]
    assert each.tp.tolist() == [1e9, 1e9, 1e9]


def test_light_rows_of_other_classes_beside_a_heavy_class() -> None:
    each = weighted([[1e9, 0, 0], [0, 1e-9, 0], [0, 1e-9, 1e-9]]).margins.each
    # Of class 0 all other rows are true negatives, 3 of them.
    assert each.tn[0] == pytest.approx(3e-9, rel=1e-15)


@pytest.mark.parametrize("scale", [1e-9, 1e-6, 1.0, 1e6])
@pytest.mark.parametrize("name", ["mcc", "kappa"])
def test_only_shares_count_however_light_or_heavy_rows_are(name: str, scale: float) -> None:
    matrix = [[5, 1, 2], [2, 6, 0], [1, 1, 7]]
    actual, predicted = np.repeat(np.divmod(np.arange(9), 3), np.ravel(matrix), axis=1)
    expected = {"mcc": peer.matthews_corrcoef, "kappa": peer.cohen_kappa_score}[name](actual, predicted)
    found = METRICS[name](weighted((scale * np.array(matrix)).tolist()).margins)
    assert found == pytest.approx(expected)
