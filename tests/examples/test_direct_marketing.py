"""Areas, gains and profits of the letters, worked out by scikit-learn and numpy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score


@pytest.fixture(scope="module")
def ran(run_example: Callable[[str], Any]) -> Any:
    return run_example("direct_marketing.py")


def _profit(bought: Any, sent: Any) -> float:
    return float(25 * (bought & sent).sum() - 1.5 * sent.sum())


def _sent(names: dict[str, Any], model: str) -> Any:
    """The letters of this campaign, by the threshold that would have earned most in the last one."""
    score, last = names["scores"][model], names["last"]
    order = np.argsort(-score[last], kind="stable")
    earned = np.cumsum(25 * names["bought"][last][order] - 1.5)
    return score[names["this"]] >= score[last][order][np.argmax(earned)]


def test_the_full_model_orders_customers_better(ran: Any) -> None:
    bought, this = ran.names["bought"], ran.names["this"]
    areas = [roc_auc_score(bought[this], ran.names["scores"][name][this]) for name in ("full", "simple")]
    found = ran.after("'full' is better than 'simple': auc")[:3]
    assert found == pytest.approx([*areas, areas[0] - areas[1]], abs=5e-4)


@pytest.mark.parametrize("name", ["simple", "full"])
def test_letters_to_the_best_tenth(ran: Any, name: str) -> None:
    bought, this = ran.names["bought"], ran.names["this"]
    best = np.argsort(-ran.names["scores"][name][this], kind="stable")[:1000]
    buyers, of_all = bought[this][best].sum(), bought[this].sum()
    shown = [1000, buyers, round(100 * buyers / of_all), round(10 * buyers / of_all, 1)]
    assert ran.after(f"{name}: the best") == shown


@pytest.mark.parametrize("name", ["simple", "full"])
def test_profit_of_each_model(ran: Any, name: str) -> None:
    bought, sent = ran.names["bought"][ran.names["this"]], _sent(ran.names, name)
    assert (ran.names["sent"][name] == sent).all()
    assert f"{name}: {sent.sum():,} letters, from " in ran.output
    earned, low, high = ran.after(f"{name}: {sent.sum():,} letters, from ")[1:4]
    assert earned == pytest.approx(_profit(bought, sent), rel=5e-4)
    # Of a sum of independent rows the interval is nearly that of the normal distribution.
    spread = np.sqrt(len(sent)) * np.std(sent * (25.0 * bought - 1.5))
    assert [low, high] == pytest.approx([earned - 1.96 * spread, earned + 1.96 * spread], abs=0.1 * spread)


def test_the_decision_follows(ran: Any) -> None:
    bought = ran.names["bought"][ran.names["this"]]
    assert ran.after("Letters to everybody would make") == pytest.approx(
        [_profit(bought, np.ones_like(bought))], abs=0.5
    )
    letters = {name: _sent(ran.names, name) for name in ("full", "simple")}
    difference = _profit(bought, letters["simple"]) - _profit(bought, letters["full"])
    assert ran.after("(lower is better), a difference of")[0] == pytest.approx(difference)
    sent = letters["full"].sum()
    assert f"Decision: send {sent:,} letters, to those whom the full model names." in ran.output
    assert {each.suffix for each in ran.folder.iterdir()} == {".html", ".png"}
