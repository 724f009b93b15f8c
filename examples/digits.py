"""Ten classes: which of two models reads digits better, and which digits should it leave to a person?

1,797 handwritten digits of scikit-learn. A machine sorts letters by them; what it is not sure of, a person
may read.

    python examples/digits.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

import tallymark as tm

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "examples-output")
folder.mkdir(parents=True, exist_ok=True)

# 1. Both models learn four fifths and are tested on the rest, five times; scaling is learned there as well.
X, y = load_digits(return_X_y=True)
validation = tm.validate(["logistic", "knn"], X, y, cv=5)
for name, model in validation.models.items():
    print(f"{name}: accuracy {model['accuracy'].mean}")

# 2. Is one better? Five folds tell little: a verdict needs more than a higher mean.
comparison = tm.compare(validation)
print(comparison.verdict)

# 3. So the one whose probabilities say more finely how sure it is. All digits that were held back, together:
#    every class, and the pairs that are taken for each other most often.
ev = validation.evaluations["logistic"]
print("\ndigit  recall  precision")
for label, digit in ev.per_class.items():
    print(f"{label:>5}  {float(digit['recall']):6.3f}  {float(digit['precision']):9.3f}")
for pair in ev.confused_pairs(3).pairs:
    print(f"{pair.forth} of the {pair.first}s were read as {pair.second}, {pair.back} the other way round.")
print("The first guess is right:  ", ev["accuracy"])
print("One of the first two is:   ", ev["top_k_accuracy:2"])

# 4. A digit is left to a person when the first guess is not ahead of the second by theta. Of the others 99 %
#    shall be right, also of digits to come, so the lower end of the interval is asked: the first theta where
#    it is high enough. It was looked for on these digits, so expect a little less.
curve = ev.rejection
point = curve.at(theta=curve.theta[np.argmax(curve.low >= 0.99)])

# 5. The decision.
print(
    f"\nDecision: take the logistic model, and leave a digit to a person unless its probability is ahead by"
    f" {point.theta:.2f}: that is {point.rejected:.1%} of them. Of the others {point.correct:.2%}"
    f" [{point.low:.2%}, {point.high:.2%}] are read rightly."
)

validation.save(folder / "digits.html", overwrite=True)
ev.save(folder / "digits_logistic.html", overwrite=True)
ev.plot("confusion").figure.savefig(folder / "digits.png")
print(f"See {folder / 'digits.html'}, {folder / 'digits_logistic.html'} and {folder / 'digits.png'}.")
