"""Patients: 12 recordings of one person are not 12 persons.

Does a recording of somebody's gait tell whether they have a disease? A model that has seen other recordings
of them knows the person, not the disease. So folds and intervals must keep persons together.

    python examples/patients.py [FOLDER]
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import tallymark as tm

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "examples-output")
folder.mkdir(parents=True, exist_ok=True)

# 40 persons with 12 recordings each. Everybody walks in their own way; the disease changes it a little.
random = np.random.default_rng(5)
PERSONS, RECORDINGS = 40, 12
ill = np.arange(PERSONS) % 2 == 0
gait = random.normal(0, 1, (PERSONS, 6)) + 0.45 * ill[:, None]
person = np.repeat(np.arange(PERSONS), RECORDINGS)
X = gait[person] + random.normal(0, 0.5, (len(person), 6))
y = np.where(ill[person], "ill", "well")

# 1. The wrong question: recordings are shuffled, so that the same persons are learned and tested.
mixed = tm.validate("knn", X, y, cv=tm.KFold(10), pos_label="ill", baseline=False)
print("Recordings shuffled: accuracy", mixed["accuracy"].mean)

# 2. The right one: each person is tested by a model that has never seen them.
apart = tm.validate("knn", X, y, groups=person, cv=tm.LeaveOneGroupOut(), pos_label="ill", baseline=False)
print("Persons left out:    accuracy", apart["accuracy"].pooled)
optimism = float(mixed["accuracy"].mean) - float(apart["accuracy"].mean)
print(f"So the first was too high by {optimism:.2f}.")

# 3. The interval, too: the same answers once as 480 recordings, and once as 40 persons.
answers = apart.predictions()
judge = partial(tm.evaluate, answers, actual="actual", predicted="predicted", pos_label="ill")
as_recordings, as_persons = judge(), judge(groups="group")
print("As 480 recordings:", as_recordings["accuracy"])
print("As 40 persons:    ", as_persons["accuracy"])

# 4. The decision: is it better than tossing a coin? `check` asks the lower end of the interval.
shown, would_be_shown = (tm.check(each, ["accuracy > 0.5"]).passed for each in (as_persons, as_recordings))
print(f"\nBetter than a coin, counting persons: {shown}; counting recordings: {would_be_shown}.")
if shown:
    print("Decision: it tells the ill from the well. Go on.")
else:
    print("Decision: announce nothing yet, and look for more persons.")

apart.save(folder / "patients.html", overwrite=True)
picture, axes = plt.subplots(2, 1, figsize=(7, 4.5), layout="constrained")
mixed.plot("folds", axes[0])
apart.plot("folds", axes[1])
axes[0].set_xlim(axes[1].get_xlim())
picture.savefig(folder / "patients.png")
print(f"See {folder / 'patients.html'} and {folder / 'patients.png'}.")
