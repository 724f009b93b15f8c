"""A gate in the build: a better model passes, a worse one stops the build.

The folder `gate` beside this script has what a project needs: in pyproject.toml what is required, a workflow,
and the same as tests. Here it is copied, and two models come along.

    python examples/model_gate.py [FOLDER]
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "examples-output")
project = folder / "model_gate"
shutil.copytree(Path(__file__).parent / "gate", project, dirs_exist_ok=True)

# The rows that every model is tried on are the same, and have an id.
X, y = make_classification(
    8000, n_features=12, n_informative=8, n_clusters_per_class=1, class_sep=0.8, flip_y=0.05, random_state=7
)
learned, tested = slice(0, 4000), slice(4000, None)


def write(name: str, features: NDArray[np.float64]) -> None:
    """The predictions of a model that learned from these features."""
    model = LogisticRegression(max_iter=1000).fit(features[learned], y[learned])
    score = model.predict_proba(features[tested])[:, 1].round(6)
    rows = {"id": np.arange(len(y))[tested], "actual": y[tested], "score": score}
    pl.DataFrame(rows).write_csv(project / name)


def run(*command: str) -> int:
    """What a build does: run it, show what it says, and look at the exit code."""
    print("$", *command)
    done = subprocess.run([sys.executable, "-m", *command], cwd=project, capture_output=True, text=True)
    print((done.stdout + done.stderr).strip())
    print(f"exit code {done.returncode}\n")
    return done.returncode


write("live.csv", X)

print("1. A model with squares of the features as well.")
write("predictions.csv", np.hstack((X, X**2)))
better = run("tallymark", "check")

print(
    "2. Somebody lost the last column on the way. What is required of every model is met; but it got worse."
)
left = X[:, :-1]
write("predictions.csv", np.hstack((left, left**2)))
worse = run("tallymark", "check", "-o", "gate.html", "--junit", "gate.xml", "--force")

print("3. The same as a test.")
as_test = run("pytest", "-q", "--tb=no", "-p", "no:cacheprovider")

print("4. A column that is not there: nothing is judged.")
unusable = run("tallymark", "check", "--score", "probability")

said = {0: "is released", 1: "is not", 2: "cannot be judged"}
print(f"Decision: the model with squares {said[better]}; the one that lost a column {said[worse]}.")
print(f"See {project / 'gate.html'} for what a reviewer gets, and gate.xml for what a build server reads.")
