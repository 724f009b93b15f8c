"""How findings of the protocol reach their reader."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

import tallymark as tm

X, Y = load_iris(return_X_y=True)
GROUPS = np.arange(150) % 10
CUT = list(tm.KFold(3).split(X, Y))
TWICE = np.r_[np.arange(150), np.arange(30)]


def test_findings_come_in_the_order_of_their_codes() -> None:
    features = StandardScaler().fit_transform((X + np.linspace(0, 0.01, 150)[:, None])[TWICE])
    cut = list(tm.KFold(3).split(features, Y[TWICE]))
    found = tm.validate(GaussianNB(), features, Y[TWICE], cv=cut, groups=np.arange(180) % 10).findings
    assert [each.code for each in found] == ["TM018", "TM019", "TM022"]


def test_an_experiment_names_the_data_set() -> None:
    sets: dict[str, Any] = {"first": (X, Y), "second": (StandardScaler().fit_transform(X), Y)}
    found = tm.validate(GaussianNB(), sets, cv=3)
    (finding,) = found.findings
    assert finding.message.startswith("'second': there are 4 columns with mean 0")
    assert finding.numbers["data_set"] == "second"
    assert finding.numbers["columns"] == found["second"].findings[0].numbers["columns"]
    form = found.to_dict()
    assert form["findings"] == [finding.to_dict()]
    assert form["data_sets"]["first"]["findings"] == []
    assert "TM022  'second': there are 4 columns" in str(found)


@pytest.mark.parametrize("suffix", [".txt", ".md", ".tex"])
def test_every_report_has_them(tmp_path: Any, suffix: str) -> None:
    validation = tm.validate(GaussianNB(), X, Y, cv=CUT, groups=GROUPS)
    validation.save(tmp_path / f"report{suffix}")
    assert "TM019" in (tmp_path / f"report{suffix}").read_text()


def test_a_validation_that_was_pickled_has_them_too() -> None:
    validation = tm.validate(GaussianNB(), X, Y, cv=CUT, groups=GROUPS)
    again = pickle.loads(pickle.dumps(validation))
    assert again.findings == validation.findings
    assert [each.code for each in again.findings] == ["TM019"]
