"""Fraud: 1 of 1,000 payments, 200,000 payments a day. How many should people look at, and which?

Every day is counted by itself and its rows are forgotten; the counts of five days are added. What they say is
tried on the sixth day.

    python examples/fraud.py [FOLDER]
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

import tallymark as tm

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "examples-output")
folder.mkdir(parents=True, exist_ok=True)

random = np.random.default_rng(3)
PAYMENTS = 200_000
LOOK, SAVED = 20, 120


def payments() -> pl.DataFrame:
    """A day: which were frauds, as found out later, how suspicious a model found them, and the amounts."""
    fraud = random.random(PAYMENTS) < 0.001
    amount = random.lognormal(3.5 + 0.8 * fraud, 1.0).round(2)
    # Frauds stand out, large ones a little more.
    seen = random.normal(fraud * (3 + 0.3 * np.log(amount / 70)), 1.0)
    return pl.DataFrame({"fraud": fraud, "score": 1 / (1 + np.exp(11.4 - 3 * seen)), "amount": amount})


# 1. Five days, each counted on a grid, then added: some hundred kilobytes of counts, however many payments.
days = [tm.tally(payments(), actual="fraud", score="score", approximate=True) for _ in range(5)]
week = sum(days[1:], start=days[0])
ev = week.evaluate()
print(f"{week.rows:,} payments, {float(ev['prevalence']):.2%} of them fraud.")

# 2. The trap: the accuracy is splendid, and that of a model that never says a word is nearly the same.
print("Accuracy at 0.5:   ", ev["accuracy"])
print(f"   of never saying fraud: {float(ev['no_information_rate']):.4f}")
print("Frauds found at 0.5:", ev["recall"])

# 3. Two areas. The first asks how frauds are ordered among all payments, the second how clean the top is.
#    Both are from a grid, so they say between which bounds the exact ones are.
for name in ("auc", "average_precision"):
    print(f"{name}: {ev[name]}")

# 4. The more payments are looked at, the fewer of the next ones are frauds. A look costs 20, and a fraud that
#    is found saves 120 on average: looking pays while more than one in six is a fraud.
enough = 0
for looks in (100, 200, 400, 800):
    top, half = (ev.gains.at(share=each / PAYMENTS) for each in (looks, looks / 2))
    frauds = (top.found - half.found) / (top.taken - half.taken)
    enough = looks if frauds > LOOK / SAVED else enough
    print(
        f"{looks} looks a day find {top.recall:.0%} of the frauds; of the last half {frauds:.0%} are frauds."
    )

# 5. The threshold that leaves so many in the week, tried on the sixth day: by payments, and by money.
threshold = ev.gains.at(share=enough / PAYMENTS).threshold
today = payments()
judge = partial(tm.evaluate, today, actual="fraud", score="score", threshold=threshold)
by_payment, by_money = judge(), judge(weight="amount")
print(f"The sixth day, from {threshold:.4f} on: {today.filter(pl.col('score') >= threshold).height} looks.")
print("Share of the frauds found:  ", by_payment["recall"])
print("Share of their money:       ", by_money["recall"])
print("Frauds among what is seen:  ", by_payment["precision"])

# 6. The decision.
print(f"\nDecision: look at payments from {threshold:.4f} on, about {enough} a day;", end=" ")
print(f"the next {enough} would not pay.")

by_payment.save(folder / "fraud.html", overwrite=True)
ev.plot("roc+pr")[0].figure.savefig(folder / "fraud.png")
print(f"See {folder / 'fraud.html'} and {folder / 'fraud.png'}.")
