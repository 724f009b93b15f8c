"""Label sets in groups, and parts of them: what is drawn, by hand where possible, and how often it covers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tallymark.inference import SetDifference, SetSample
from tallymark.inference.set_draws import drawn_sets, grouped_label
from tallymark.intake.sets.counting import count_sets
from tallymark.metrics import ask
from tallymark.tallies import Keyed

LABELS = range(4)


def counted(actual: Any, predicted: Any, group: Any, **options: Any) -> SetSample:
    tallies = {
        int(key): count_sets(LABELS, actual[group == key], predicted[group == key])
        for key in np.unique(group)
    }
    return SetSample(count_sets(LABELS, actual, predicted), groups=Keyed(tallies), **options)


def clustered(random: np.random.Generator, groups: int, rows: int) -> tuple[Any, Any, Any]:
    """Groups differ in how often a label goes wrong: 0.2 on average, intra-class correlation 0.2."""
    group = np.repeat(np.arange(groups), rows)
    actual = random.random((len(group), 4)) < 0.4
    wrong = random.beta(0.8, 3.2, groups)[group][:, None]
    predicted = np.where(random.random(actual.shape) < wrong, ~actual, actual)
    return actual, predicted, group


def test_a_label_group_by_group() -> None:
    random = np.random.default_rng(0)
    actual, predicted, group = clustered(random, 5, 7)
    sample = counted(actual, predicted, group)
    assert sample.groups is not None
    found = grouped_label(sample.tally, sample.groups, 2)
    assert found.total == sample.tally.confusion(2)
    for key in range(5):
        here = group == key
        cells = np.where(actual[here, 2], 0, 2) + ~predicted[here, 2]
        expected = {int(cell): int((cells == cell).sum()) for cell in np.unique(cells)}
        of_key = found.group == key
        assert dict(zip(found.cells[of_key].tolist(), found.counts[of_key].tolist(), strict=True)) == expected


def test_draws_are_made_of_whole_groups() -> None:
    # One group has all rows right and one all wrong, so without the prior a draw of two is 0, half or all.
    actual = np.ones((40, 4), bool)
    predicted = np.repeat([True, False], 20)[:, None] & actual
    sample = counted(actual, predicted, np.repeat([0, 1], 20))
    drawn = drawn_sets(sample.tally, sample.groups, 0)
    shares = np.concatenate([block.counts[:, :2] for block in drawn.blocks])
    shares /= shares.sum(axis=1, keepdims=True)
    assert drawn.groups == 2
    near = np.abs(shares[:, :1] - np.array([0, 0.5, 1])).min(axis=1)
    assert near.max() < 1e-9
    assert np.mean(np.abs(shares[:, 0] - 0.5) < 1e-9) == pytest.approx(0.5, abs=0.05)


def test_groups_cover_where_rows_taken_as_independent_do_not() -> None:
    random = np.random.default_rng(7)
    names = ["f1_example", "hamming_loss", "subset_accuracy", "f1_micro"]
    truths = [SetSample(count_sets(LABELS, *clustered(random, 20_000, 10)[:2])) for _ in range(2)]
    truth = {name: np.mean([float(one.of(ask(name), None)) for one in truths]) for name in names}
    held = {kind: dict.fromkeys(names, 0) for kind in ("groups", "rows")}
    samples = 150
    for _ in range(samples):
        actual, predicted, group = clustered(random, 30, 20)
        grouped = counted(actual, predicted, group)
        for kind, sample in (("groups", grouped), ("rows", SetSample(grouped.tally))):
            for name in names:
                estimate = sample.of(ask(name), None)
                held[kind][name] += bool(estimate.low <= truth[name] <= estimate.high)  # type: ignore[operator]
    for name in names:
        assert held["groups"][name] / samples >= 0.95 - 5 * np.sqrt(0.95 * 0.05 / samples), name
        assert held["rows"][name] / samples < 0.75, name


@pytest.mark.parametrize("grouped", [False, True])
def test_a_difference_from_the_whole_covers(grouped: bool) -> None:
    random = np.random.default_rng(5)
    samples, held = 150, 0
    for _ in range(samples):
        if grouped:
            actual, predicted, group = clustered(random, 40, 10)
        else:
            actual = random.random((400, 4)) < 0.4
            predicted = np.where(random.random((400, 4)) < 0.2, ~actual, actual)
            group = np.arange(400)
        # Rows of every group fall into the part or not, whatever they are: the true difference is 0.
        part = random.random(len(group)) < 0.3
        if grouped:
            sides = [counted(actual[rows], predicted[rows], group[rows]) for rows in (part, part | ~part)]
        else:
            sides = [
                SetSample(count_sets(LABELS, actual[rows], predicted[rows])) for rows in (part, part | ~part)
            ]
        found = SetDifference(*sides).of(ask("f1_example"), None)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 0 <= found.high
    assert held / samples == pytest.approx(0.95, abs=5 * np.sqrt(0.95 * 0.05 / samples))


def test_a_part_that_is_everything_or_one_group_has_no_interval() -> None:
    actual, predicted, group = clustered(np.random.default_rng(0), 4, 5)
    whole = counted(actual, predicted, group)
    assert (
        SetDifference(whole, whole).of(ask("f1_example"), None).note
        == "there is no other row to compare with"
    )
    first = counted(actual[:5], predicted[:5], group[:5])
    found = SetDifference(first, whole).of(ask("f1_example"), None)
    assert found.low is None
    assert "one group" in str(found.note)
