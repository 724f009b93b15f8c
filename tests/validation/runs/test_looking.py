"""A run looked at from outside; what people see of it is tested with the command line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import tallymark as tm
from tallymark.errors import OptionError
from tallymark.validation.runs import records
from tallymark.validation.runs.folder import existing
from tallymark.validation.runs.looking import Failure, look_for, looks

TRACE = 'Traceback (most recent call last):\n  File "a.py", line {}, in fit\n    raise it\nValueError: {}\n'
FAILURE = Failure("m", {}, "fold 1", "d", 8, 2, (0, 0), "ValueError: 3 rows", TRACE.format(3, "3 rows"))
Y = np.arange(30) % 2
X = np.random.default_rng(0).normal(size=(30, 2)) + Y[:, None]


def test_errors_are_of_one_kind_when_they_come_from_one_place() -> None:
    message = replace(FAILURE, error="ValueError: 4 rows", trace=TRACE.format(3, "4 rows"))
    line = replace(FAILURE, trace=TRACE.format(4, "3 rows"))
    type_ = replace(FAILURE, error="TypeError: 3 rows")
    assert message.kind == FAILURE.kind
    assert len({FAILURE.kind, line.kind, type_.kind}) == 3


@pytest.fixture
def folder(tmp_path: Path) -> Any:
    tm.validate({"a": GaussianNB()}, X, Y, cv=3, run_folder=tmp_path / "f")
    tm.validate(
        {"a": GaussianNB(), "b": GaussianNB(var_smoothing=0.1)}, X, Y, cv=3, run_folder=tmp_path / "f"
    )
    tm.validate({"a": GaussianNB()}, X, Y, cv=tm.Holdout(0.5), run_folder=tmp_path / "f")
    return existing(tmp_path / "f")


def test_runs_on_the_same_test_rows_are_found(folder: Any) -> None:
    first, second, half = looks(folder)
    assert [each.run for each in first.on_the_same_rows] == [second.run]
    assert half.on_the_same_rows == []
    assert (len(first.fits), len(second.fits), len(half.fits)) == (3, 6, 1)
    assert set(first.fits) < set(second.fits)


def test_the_last_asked_for_is_not_the_last_begun(folder: Any) -> None:
    first, _, half = looks(folder)
    assert look_for(folder, None).run == half.run
    used = tm.RunFolder(folder.path)
    tm.validate({"a": GaussianNB()}, X, Y, cv=3, run_folder=used)
    assert look_for(folder, None).run == first.run
    assert (used.used.run, used.used.found, used.used.made) == (first.run, 3, 0)
    assert looks(folder)[0].run == first.run


def test_fits_of_several_versions(folder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    look = looks(folder)[0]
    facts = records.facts_in
    other = next(iter(look.fits))

    def read(place: Path) -> dict[str, Any]:
        found = facts(place)
        return found | {"versions": found["versions"] | {"numpy": "1.0"}} if place.stem == other else found

    monkeypatch.setattr(records, "facts_in", read)
    versions = looks(folder)[0].versions
    assert [each["numpy"] == "1.0" for each in versions] == [True, False]


def test_a_list_opens_no_record_that_did_not_fail(folder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = [look.seconds for look in looks(folder)]
    monkeypatch.setattr(records, "facts_in", lambda place: pytest.fail(f"{place} is opened"))
    found = looks(folder)
    assert [len(look.noted) for look in found] == [3, 6, 1]
    for look, seconds in zip(found, taken, strict=True):
        assert sum(each.seconds for each in look.noted.values()) == pytest.approx(seconds, rel=1e-4)


def test_logs_that_say_less_are_read_too(folder: Any) -> None:
    """Those of earlier versions have keys only; and a fit that failed may have been mended by another run."""
    first, second, _ = looks(folder)
    log = folder.path / "runs" / f"{first.run}.log"
    one, other, third = (line.split()[0] for line in log.read_text().splitlines())
    log.write_text(f"{one}\n{other} 0.5 failed\n{third} 0.25\ngone 0.25\n")
    found = looks(folder)[0].noted
    assert list(found) == [one, other, third]
    assert found[one].seconds == pytest.approx(second.noted[one].seconds, rel=1e-4)
    assert not any(found[key].failed for key in (one, other))
    assert found[third].seconds == 0.25


def test_names_that_nobody_has(folder: Any) -> None:
    names = ", ".join(sorted(each.run for each in looks(folder)))
    for given in ("zz", ""):
        with pytest.raises(OptionError, match=f"there is no run '{given}'") as raised:
            look_for(folder, given)
        assert raised.value.hint == f"there is {names}."
