"""Letters to customers: to whom, how many, and which of two models should say so?

A letter costs 1.50, and a customer who buys leaves 25. Few do, so letters to everybody would lose money.
Two models are trained on the last campaign and judged by this one.

    python examples/direct_marketing.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

import tallymark as tm
from tallymark.integrations.displays import GainsDisplay

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "examples-output")
folder.mkdir(parents=True, exist_ok=True)

# Customers: months since they last bought, how often they did, how much they spent, and their age.
random = np.random.default_rng(1)
CUSTOMERS = 20_000
recency, frequency = random.exponential(8, CUSTOMERS), random.poisson(3, CUSTOMERS)
spent, age = random.gamma(2, 40, CUSTOMERS) * (1 + frequency), random.normal(48, 14, CUSTOMERS)
wish = -3.4 - 0.12 * recency + 0.25 * frequency + 0.002 * spent - ((age - 48) / 20) ** 2
bought = random.random(CUSTOMERS) < 1 / (1 + np.exp(-wish))
simple = np.column_stack((recency, frequency))
full = np.column_stack((recency, frequency, spent, age, (age - age.mean()) ** 2)) / (8, 3, 200, 14, 300)
last, this = slice(0, CUSTOMERS // 2), slice(CUSTOMERS // 2, None)

LETTER, SALE = 1.5, 25.0
costs = {True: {True: LETTER - SALE, False: 0}, False: {True: LETTER}}


def profit(y_true: Any, y_pred: Any) -> float:
    """What the letters earn: a number of our own, from rows."""
    return float(SALE * (y_true & y_pred).sum() - LETTER * y_pred.sum())


scores = {}
for name, features in {"simple": simple, "full": full}.items():
    model = LogisticRegression(max_iter=1000).fit(features[last], bought[last])
    scores[name] = model.predict_proba(features)[:, 1]

# 1. Which model orders the customers better? Both are judged by the same ones, so the difference is paired.
comparison = tm.compare({name: score[this] for name, score in scores.items()}, bought[this], metric="auc")
print(comparison.verdict)

# 2. There is money for letters to a tenth of the customers: how many buyers would the best scores reach?
evaluations = {name: tm.evaluate(bought[this], y_score=score[this]) for name, score in scores.items()}
for name, ev in evaluations.items():
    best = ev.gains.at(share=0.1)
    print(
        f"{name}: the best {best.taken:,.0f} hold {best.found:.0f} buyers, {best.recall:.0%} of all;", end=" "
    )
    print(f"{best.lift:.1f} times as many as letters at random.")

# 3. Without that limit: the threshold that earned most in the last campaign, and what it earns in this one.
sent = {}
for name, score in scores.items():
    threshold = tm.evaluate(bought[last], y_score=score[last]).decide(costs).threshold
    sent[name] = score[this] >= threshold
    earned = tm.evaluate(bought[this], sent[name], extra={"profit": profit})["profit"]
    print(f"{name}: {sent[name].sum():,} letters, from {threshold:.3f} on; profit", earned)
everybody = profit(bought[this], np.ones_like(bought[this]))
print(f"Letters to everybody would make {everybody:,.0f}.")

# 4. The two intervals overlap, but they are of the same customers: a paired comparison sees more.
money = tm.compare(sent, bought[this], costs=costs, metric="total_cost")
print(money.verdict)

# 5. The decision.
winner = money.winner or "simple"  # what is not shown to earn more is not worth two more columns
print(f"\nDecision: send {sent[winner].sum():,} letters, to those whom the {winner} model names.")

money.save(folder / "direct_marketing.html", overwrite=True)
picture, axes = plt.subplots(figsize=(5, 4.5), layout="constrained")
for name, ev in evaluations.items():
    GainsDisplay(ev, name=name).plot(axes)
picture.savefig(folder / "direct_marketing.png")
print(f"See {folder / 'direct_marketing.html'} and {folder / 'direct_marketing.png'}.")
