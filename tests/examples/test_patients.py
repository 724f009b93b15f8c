"""The same folds by scikit-learn, and the interval of persons by their means."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneGroupOut, StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from statsmodels.stats.proportion import proportion_confint


@pytest.fixture(scope="module")
def ran(run_example: Callable[[str], Any]) -> Any:
    return run_example("patients.py")


def _accuracies(ran: Any, folds: Any) -> Any:
    model = make_pipeline(StandardScaler(), KNeighborsClassifier())
    return cross_val_score(model, ran.names["X"], ran.names["y"], cv=folds)


def test_persons_left_out(ran: Any) -> None:
    X, y, person = (ran.names[name] for name in ("X", "y", "person"))
    accuracies = _accuracies(ran, list(LeaveOneGroupOut().split(X, y, person)))
    mean = accuracies.mean()
    assert ran.after("Persons left out:    accuracy")[0] == pytest.approx(mean, abs=5e-5)
    low, high = proportion_confint(round(480 * mean), 480, method="wilson")
    assert ran.after("As 480 recordings:") == pytest.approx([mean, low, high, 95, 480], abs=5e-5)
    spread = accuracies.std(ddof=1) / np.sqrt(40)
    shown = ran.after("As 40 persons:")[:3]
    # Persons are resampled: about the interval of a mean of 40 numbers.
    assert shown == pytest.approx([mean, mean - 1.96 * spread, mean + 1.96 * spread], abs=0.3 * spread)


def test_shuffled_recordings_flatter(ran: Any) -> None:
    shuffled = ran.after("Recordings shuffled: accuracy")[0]
    other_folds = _accuracies(ran, StratifiedKFold(10, shuffle=True, random_state=1)).mean()
    assert shuffled == pytest.approx(other_folds, abs=0.03)
    apart = ran.after("Persons left out:    accuracy")[0]
    assert ran.after("So the first was too high by") == pytest.approx([shuffled - apart], abs=5e-3)


def test_the_decision_follows(ran: Any) -> None:
    assert ran.after("As 480 recordings:")[1] > 0.5 > ran.after("As 40 persons:")[1]
    assert "Better than a coin, counting persons: False; counting recordings: True." in ran.output
    assert "Decision: announce nothing yet, and look for more persons" in ran.output
    assert {each.name for each in ran.folder.iterdir()} == {"patients.html", "patients.png"}
