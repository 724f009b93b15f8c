"""A million payments once more, by scikit-learn and numpy: what was counted and added gives the same."""

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score


@pytest.fixture(scope="module")
def ran(run_example: Callable[[str], Any]) -> Any:
    return run_example("fraud.py")


@pytest.fixture(scope="module")
def week(ran: Any) -> pl.DataFrame:
    """The rows of the five days, which the script has forgotten."""
    ran.names["random"] = np.random.default_rng(3)
    return pl.concat([ran.names["payments"]() for _ in range(5)])


@pytest.fixture(scope="module")
def best_first(week: pl.DataFrame) -> Any:
    """Whether they are frauds, the most suspicious first."""
    return week.sort("score", descending=True)["fraud"].to_numpy()


def test_accuracy_is_a_trap(ran: Any, week: pl.DataFrame) -> None:
    fraud, called = week["fraud"].to_numpy(), week["score"].to_numpy() >= 0.5
    assert ran.after("payments, ") == [pytest.approx(100 * fraud.mean(), abs=5e-3)]
    assert "1,000,000 payments" in ran.output
    assert ran.after("Accuracy at 0.5:")[0] == pytest.approx((fraud == called).mean(), abs=5e-5)
    assert ran.after("of never saying fraud:")[0] == pytest.approx(1 - fraud.mean(), abs=5e-5)
    assert ran.after("Frauds found at 0.5:")[0] == pytest.approx(called[fraud].mean(), abs=5e-5)


@pytest.mark.parametrize(
    ("name", "exact"), [("auc", roc_auc_score), ("average_precision", average_precision_score)]
)
def test_areas_lie_within_their_bounds(
    ran: Any, week: pl.DataFrame, name: str, exact: Callable[..., float]
) -> None:
    low, high = ran.names["ev"][name].bounds
    assert low <= exact(week["fraud"], week["score"]) <= high
    value, _, _, off_by = ran.after(f"{name}:")[:4]
    assert high - low <= 2.1 * off_by
    assert low - 5e-5 <= value <= high + 5e-5


@pytest.mark.parametrize("looks", [100, 200, 400, 800])
def test_what_so_many_looks_find(ran: Any, best_first: Any, looks: int) -> None:
    found, last_half = best_first[: 5 * looks].sum(), best_first[5 * looks // 2 : 5 * looks].mean()
    shown = ran.after(f"\n{looks} looks a day find")
    # Where the cut falls inside a bin of the grid, its rows have no order.
    assert shown == pytest.approx([100 * found / best_first.sum(), 100 * last_half], abs=0.7)


def test_the_sixth_day_and_the_decision(ran: Any) -> None:
    today, threshold = ran.names["today"], ran.names["threshold"]
    seen, frauds = today.filter(pl.col("score") >= threshold), today.filter(pl.col("fraud"))
    caught = seen.filter(pl.col("fraud"))
    assert ran.after("The sixth day, from")[1] == len(seen)
    assert ran.after("Share of the frauds found:")[0] == pytest.approx(len(caught) / len(frauds), abs=5e-5)
    money = caught["amount"].sum() / frauds["amount"].sum()
    assert ran.after("Share of their money:")[0] == pytest.approx(money, abs=5e-5)
    assert ran.after("Frauds among what is seen:")[0] == pytest.approx(len(caught) / len(seen), abs=5e-5)
    decision = (
        f"Decision: look at payments from {threshold:.4f} on, about 200 a day; the next 200 would not pay."
    )
    assert decision in ran.output
    assert {each.name for each in ran.folder.iterdir()} == {"fraud.html", "fraud.png"}
