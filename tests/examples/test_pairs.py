"""Three ways to hold back pairs: who is known in each, and areas by scikit-learn."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

import tallymark as tm

WAYS = ["both are known", "the student is new", "both are new"]


@pytest.fixture(scope="module")
def ran(run_example: Callable[[str], Any]) -> Any:
    return run_example("pairs.py")


def _folds(ran: Any, way: str) -> list[tuple[Any, Any]]:
    splitter, groups = {
        "both are known": (tm.KFold(5), None),
        "the student is new": (tm.KFold(5), ran.names["student"]),
        "both are new": (tm.LeavePairsOut(3), ran.names["both"]),
    }[way]
    return list(splitter.split(ran.names["X"], ran.names["passed"], groups))


def test_the_area_where_both_are_new(ran: Any) -> None:
    X, passed = ran.names["X"], ran.names["passed"]
    areas = []
    for train, test in _folds(ran, "both are new"):
        model = clone(ran.names["model"]["forest"]).fit(X[train], passed[train])
        areas.append(roc_auc_score(passed[test], model.predict_proba(X[test])[:, 1]))
    assert ran.after("both are new: auc")[0] == pytest.approx(np.mean(areas), abs=5e-5)


def test_who_is_known(ran: Any) -> None:
    student, professor = ran.names["student"], ran.names["professor"]
    for way, (new_students, new_professors) in zip(
        WAYS, [(False, False), (True, False), (True, True)], strict=True
    ):
        for train, test in _folds(ran, way):
            assert set(student[train]).isdisjoint(student[test]) == new_students
            assert set(professor[train]).isdisjoint(professor[test]) == new_professors


def test_the_decision_follows(ran: Any) -> None:
    assert [ran.after(f"{way}: auc")[1] > 0.5 for way in WAYS] == [True, True, False]
    assert "Decision: advise where both are known, or the student is new." in ran.output
    assert "Where both are new, wait for more students and professors" in ran.output
    assert {each.name for each in ran.folder.iterdir()} == {"pairs.html", "pairs.png"}
