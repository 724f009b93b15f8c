"""Pairs: will this student do well with this professor? Each row is about two.

Plain folds hold back pairs, yet the student and the professor of nearly every test pair are known from other
pairs. For students and professors who are both new, both must be left out together.

    python examples/pairs.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestClassifier

import tallymark as tm

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "examples-output")
folder.mkdir(parents=True, exist_ok=True)

# 60 students, 30 professors, 900 pairs that met. What is known of either says a little about how they do;
# more depends on what is not known.
random = np.random.default_rng(8)
STUDENTS, PROFESSORS, PAIRS = 60, 30, 900
met = random.choice(STUDENTS * PROFESSORS, PAIRS, replace=False)
student, professor = np.divmod(met, PROFESSORS)
student_facts, professor_facts = random.normal(size=(STUDENTS, 4)), random.normal(size=(PROFESSORS, 4))
ability = 0.6 * student_facts[:, 0] + random.normal(0, 1.2, STUDENTS)
kindness = 0.6 * professor_facts[:, 0] + random.normal(0, 1.2, PROFESSORS)
passed = ability[student] + kindness[professor] + random.normal(0, 0.7, PAIRS) > 0
X = np.hstack((student_facts[student], professor_facts[professor]))
both = np.column_stack((student, STUDENTS + professor))  # a number for everybody

# The same model, asked three questions. When both are left out, fewer pairs are left to learn from, four of
# nine here: that, too, is what new people cost.
model = {"forest": RandomForestClassifier(30, random_state=0)}
ways = {
    "both are known": tm.validate(model, X, passed, cv=tm.KFold(5), metric="auc"),
    "the student is new": tm.validate(model, X, passed, groups=student, cv=tm.KFold(5), metric="auc"),
    "both are new": tm.validate(model, X, passed, groups=both, cv=tm.LeavePairsOut(3), metric="auc"),
}
found = {name: way["auc"].mean for name, way in ways.items()}
for name, auc in found.items():
    print(f"{name}: auc {auc}")

# Pairs that share somebody are not independent, so even these intervals are too narrow. A note says how much.
print(ways["both are new"].notes[0])

# The decision: an area of 0.5 is tossing a coin, and an interval that holds it shows nothing.
shown = [name for name, auc in found.items() if (auc.low or 0) > 0.5]
not_shown = [name for name in found if name not in shown]
print(f"\nDecision: advise where {', or '.join(shown)}.")
if not_shown:
    print(f"Where {', or '.join(not_shown)}, wait for more students and professors: nothing is shown there.")

ways["both are new"].save(folder / "pairs.html", overwrite=True)
picture, axes = plt.subplots(3, 1, figsize=(7, 6), layout="constrained")
for axis, (name, way) in zip(axes, ways.items(), strict=True):
    way.plot("folds", axis)
    axis.set_title(name, loc="left")
    axis.set_xlim(0.4, 1)
picture.savefig(folder / "pairs.png")
print(f"See {folder / 'pairs.html'} and {folder / 'pairs.png'}.")
