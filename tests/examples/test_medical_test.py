"""The threshold, its costs and what it saves, worked out by numpy at every cut."""

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from statsmodels.stats.proportion import proportion_confint


@pytest.fixture(scope="module")
def ran(run_example: Callable[[str], Any]) -> Any:
    return run_example("medical_test.py")


def _cost(table: pl.DataFrame, threshold: float, share: float | None = None) -> float:
    """Of all rows together; with a share of malignant ones, what is expected of as many rows."""
    ill = (table["actual"] == "malignant").to_numpy()
    called = table["bayes_score"].to_numpy() >= threshold
    missed, alarms = (ill & ~called).sum() / ill.sum(), (~ill & called).sum() / (~ill).sum()
    positive = ill.mean() if share is None else share
    return float(len(table) * (20 * positive * missed + (1 - positive) * alarms))


def _cheapest(table: pl.DataFrame, share: float | None = None) -> float:
    cuts: NDArray[np.float64] = np.append(
        table["bayes_score"].unique().sort(descending=True).to_numpy(), np.inf
    )
    return float(min(cuts, key=lambda cut: (_cost(table, cut, share), -cut)))


def test_recall_and_costs_at_three_thresholds(ran: Any) -> None:
    chosen_on, judged_on = ran.names["to_choose"], ran.names["to_judge"]
    thresholds = {"0.5": 0.5, f"{_cheapest(chosen_on):.3f}": _cheapest(chosen_on), "0.048": 1 / 21}
    ill = judged_on.filter(pl.col("actual") == "malignant")["bayes_score"].to_numpy()
    for name, threshold in thresholds.items():
        found = (ill >= threshold).sum()
        low, high = proportion_confint(found, len(ill), method="wilson")
        assert ran.after(f"At {name}: recall")[:3] == pytest.approx([found / len(ill), low, high], abs=5e-5)
    costs = [float(line.split()[4]) for line in ran.output.splitlines() if "cost of a patient" in line]
    assert costs == pytest.approx(
        [_cost(judged_on, each) / len(judged_on) for each in thresholds.values()], abs=5e-4
    )
    promised = _cost(chosen_on, _cheapest(chosen_on)) / len(chosen_on)
    assert ran.after("where ") == pytest.approx([promised], abs=5e-4)
    assert promised < costs[1], "it looks better where it was chosen"


def test_what_is_saved_in_the_clinic_and_in_screening(ran: Any) -> None:
    chosen_on, judged_on = ran.names["to_choose"], ran.names["to_judge"]
    for name, threshold in {"cheapest": _cheapest(chosen_on), "by costs": 1 / 21}.items():
        saved = _cost(judged_on, 0) - _cost(judged_on, threshold)
        assert ran.after(f"Saved against calling everybody, {name}:")[0] == pytest.approx(saved)
    rare = _cheapest(chosen_on, 0.008)
    saved = _cost(judged_on, np.inf, 0.008) - _cost(judged_on, rare, 0.008)
    assert ran.after("Cheapest there: from")[:2] == pytest.approx([rare, saved], abs=5e-3)


def test_net_benefit_and_precision(ran: Any) -> None:
    judged_on = ran.names["to_judge"]
    ill = (judged_on["actual"] == "malignant").to_numpy()
    called = judged_on["bayes_score"].to_numpy() >= 1 / 21
    benefit = ((ill & called).sum() - (~ill & called).sum() / 20) / len(ill)
    everybody = ill.mean() - (1 - ill.mean()) / 20
    assert ran.after("acting from 0.048 on:") == pytest.approx([benefit, everybody], abs=5e-4)
    found, alarms = 0.008 * called[ill].mean(), 0.992 * called[~ill].mean()
    share = found / (found + alarms)
    assert ran.after("share of those called back who are:")[0] == pytest.approx(share, abs=5e-6)


def test_the_decision_follows(ran: Any) -> None:
    lower_ends = [
        ran.after(f"Saved against calling everybody, {name}:")[1] for name in ("cheapest", "by costs")
    ]
    assert lower_ends[0] < 0 < lower_ends[1]
    assert "Decision: in the clinic, call back from 0.048 on; in screening, from 0.677 on." in ran.output
    assert {each.name for each in ran.folder.iterdir()} == {"medical_test.html", "medical_test.png"}
