"""A test for cancer: missing one is 20 times as bad as calling somebody back for nothing.

From which score on should the test call somebody back, and is it worth making at all? First in a clinic,
where more than a third of the patients are ill, then in screening, where hardly anybody is.

    python examples/medical_test.py [FOLDER]
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

import tallymark as tm
from tallymark.data import path

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "examples-output")
folder.mkdir(parents=True, exist_ok=True)

# 569 tumours with a probability of being malignant, each given by a model that had not seen it.
rows = pl.read_csv(path("breast_cancer.csv")).sample(fraction=1, shuffle=True, seed=1)
to_choose, to_judge = rows[:284], rows[284:]
evaluate = partial(tm.evaluate, actual="actual", score="bayes_score", pos_label="malignant")
costs = {"malignant": {"benign": 20}, "benign": {"malignant": 1}}

# 1. The usual threshold, 0.5, takes both errors for equally bad.
usual = evaluate(to_judge, costs=costs)
print("At 0.5: recall", usual["recall"])
print("    cost of a patient", usual["mean_cost"])

# 2. The cheapest threshold of one half of the patients, judged by the other half: where it was chosen, it
#    looks better than it is.
other_half = evaluate(to_choose)
decision = usual.decide(costs, choose_on=other_half)
cheapest = evaluate(to_judge, costs=costs, threshold=decision.threshold)
promised = other_half.decide(costs).mean_cost
print(f"At {decision.threshold:.3f}: recall", cheapest["recall"])
print("    cost of a patient", cheapest["mean_cost"], f"where {promised:.3g} was promised")

# 3. If probabilities can be taken at their word, no rows are needed to choose: 20 : 1 says to act from 1 / 21
#    on.
by_costs = tm.cost_threshold(costs, pos_label="malignant")
stated = evaluate(to_judge, costs=costs, threshold=by_costs)
print(f"At {by_costs:.3f}: recall", stated["recall"])
print("    cost of a patient", stated["mean_cost"])

# 4. Cheaper than 0.5 is not enough: a test must also be cheaper than calling everybody back. Each way answers
#    for the same patients, so they are compared patient by patient.
ways = {"everybody": 0.0, "cheapest": decision.threshold, "by costs": by_costs}
answers = {name: np.where(to_judge["bayes_score"] >= at, "malignant", "benign") for name, at in ways.items()}
comparison = tm.compare(answers, to_judge["actual"], costs=costs, metric="total_cost", pos_label="malignant")
for difference in comparison.differences[:2]:
    print(f"Saved against calling everybody, {difference.b}:", difference.estimate)
benefit = usual.decision_curve
print(f"Net benefit of acting from {by_costs:.3f} on: {benefit.at(threshold=by_costs):.3f};", end=" ")
print(f"on everybody: {benefit.prevalence - (1 - benefit.prevalence) / 20:.3f}")

# 5. Screening: the same test where 8 of 1,000 are ill. If its rates stay (early tumours may be harder to
#    see), what follows from them does not.
screened = stated.at_prevalence(0.008)
print("Where 8 of 1,000 are ill, the share of those called back who are:", screened["precision"])
screening = usual.at_prevalence(0.008).decide(costs, choose_on=other_half)
against_none = screening.savings["all negative"]
print(f"Cheapest there: from {screening.threshold:.3f} on; saved against calling nobody:", against_none)

# 6. The decision: what these patients show, and no more.
shown = [each.b for each in comparison.differences[:2] if (each.low or 0) > 0]
clinic = f"call back from {ways[shown[-1]]:.3f} on" if shown else "call everybody back"
anywhere = f"from {screening.threshold:.3f} on" if (against_none.low or 0) > 0 else "nobody"
print(f"\nDecision: in the clinic, {clinic}; in screening, {anywhere}.")

stated.save(folder / "medical_test.html", overwrite=True)
decision.plot()[0].figure.savefig(folder / "medical_test.png")
print(f"See {folder / 'medical_test.html'} and {folder / 'medical_test.png'}.")
