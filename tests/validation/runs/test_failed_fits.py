"""Fits that fail: recorded like others, with where it was, and tried again only when asked to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counted_models import Counted, Fails, told
from nursery import rows

import tallymark as tm
from tallymark.errors import InputError
from tallymark.validation.runs import records
from tallymark.validation.runs.folder import RunFolder

X, Y = rows()


@pytest.fixture(autouse=True)
def failing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FITS_FAIL", "yes")


def asked(folder: Path | RunFolder | None, by: str = "ValueError", **options: Any) -> tm.Validation:
    """Of the three training parts, two hold row 0."""
    return tm.validate(Fails(by=by), X, Y, cv=3, **options, run_folder=folder)


def failed_in(folder: Path) -> list[dict[str, Any]]:
    found = [records.facts_in(place) for place in (folder / "fits").iterdir()]
    return [each for each in found if each["failure"] is not None]


@pytest.mark.parametrize(
    ("by", "line"),
    [
        ("ValueError", "ValueError: row 0 is bad"),
        ("MemoryError", "MemoryError: row 0 is bad"),
        ("SystemExit", "SystemExit: enough"),
    ],
)
def test_it_is_recorded_with_where_it_was_and_the_others_go_on(
    by: str, line: str, made: Any, tmp_path: Path
) -> None:
    result = asked(tmp_path / "runs", by)
    assert result.failed == 2
    assert told(result) == told(asked(None, by))
    found = failed_in(tmp_path / "runs")
    assert [each["failure"] for each in found] == [line, line]
    for each in found:
        assert each["trace"].startswith("Traceback (most recent call last):")
        assert "counted_models.py" in each["trace"]
        assert line in each["trace"]
        assert each["warnings"] == ["UserWarning: this may go wrong"]
        assert each["identity"]["model"]["parameters"]["by"] == by


def test_it_is_not_made_again(made: Any, tmp_path: Path) -> None:
    first = told(asked(tmp_path / "runs"))
    made.forget()
    assert told(asked(tmp_path / "runs")) == first
    assert made.fits == []


def test_it_is_made_again_when_asked_to(made: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    again = RunFolder(tmp_path / "runs", retry_failed=True)
    first = told(asked(tmp_path / "runs"))
    made.forget()
    assert told(asked(again)) == first
    assert len(made.fits) == 2, "only those, and each once"
    monkeypatch.delenv("FITS_FAIL")
    made.forget()
    mended = asked(again)
    assert len(made.fits) == 2
    assert mended.failed == 0
    assert told(mended) == told(asked(None))
    assert failed_in(tmp_path / "runs") == []
    made.forget()
    assert told(asked(tmp_path / "runs")) == told(mended)
    assert made.fits == []


def test_one_that_failed_again_a_moment_ago_is_not_made_a_third_time(made: Any, tmp_path: Path) -> None:
    """Two names for one model: the second finds what the first has just made."""
    folder = RunFolder(tmp_path / "runs", retry_failed=True)
    models = {"one": Fails(), "other": Fails()}
    for _ in range(2):
        made.forget()
        result = tm.validate(models, X, Y, cv=3, run_folder=folder)
        assert result.failed == 4
    assert len(made.fits) == 2


def test_all_failed(made: Any, tmp_path: Path) -> None:
    def ask() -> None:
        tm.validate(
            Fails(row=45.0), X, Y, cv=[(np.arange(30, 90), np.arange(30))], run_folder=tmp_path / "runs"
        )

    hints = []
    for _ in range(2):
        with pytest.raises(
            InputError, match="the fit failed; the first, of 'Fails': ValueError: row 0 is bad"
        ) as raised:
            ask()
        hints.append(raised.value.hint)
    assert hints == [
        None,
        "1 fit was not made now, but recorded by an earlier run; --retry-failed (tm.RunFolder(..., "
        "retry_failed=True)) tries again what failed before.",
    ]
    assert len(made.fits) == 1
    (run,) = RunFolder(tmp_path / "runs").runs()
    assert run["error"].startswith("the fit failed")
    assert run["outcome"] is None
    assert RunFolder(tmp_path / "runs").state(run) == "stopped"


def test_all_failed_a_moment_ago(tmp_path: Path) -> None:
    """The second name finds what was made for the first: that is no earlier run."""
    cut = [(np.arange(30, 90), np.arange(30))]
    with pytest.raises(InputError, match="all 2 fits failed") as raised:
        tm.validate({"a": Fails(row=45.0), "b": Fails(row=45.0)}, X, Y, cv=cut, run_folder=tmp_path / "runs")
    assert raised.value.hint is None


def test_the_log_knows_what_was_mended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked(tmp_path / "runs")
    folder = RunFolder(tmp_path / "runs", retry_failed=True)
    (run,) = folder.runs()
    assert sorted(each.failed for each in folder.finished(run).values()) == [False, True, True]
    monkeypatch.delenv("FITS_FAIL")
    asked(folder)
    assert [each.failed for each in folder.finished(run).values()] == [False] * 3


def test_what_another_question_made_of_it(made: Any, tmp_path: Path) -> None:
    """Tuning, learning curves and permutation tests go on as well, and know what failed before."""
    model, folder = Fails(row=3.0), tmp_path / "runs"
    for ask in (
        lambda: tm.tune(model, X, Y, {"var_smoothing": [1e-9, 1e-3]}, cv=3, inner_cv=3, run_folder=folder),
        lambda: tm.learning_curve(model, X, Y, schedule=[0.3, 1.0], n_repeats=4, run_folder=folder),
        lambda: tm.permutation_test(model, X, Y, n_permutations=20, cv=3, run_folder=folder),
    ):
        made.forget()
        try:
            first = told(ask())
        except InputError as problem:
            first = problem.message
        assert made.fits
        made.forget()
        try:
            again = told(ask())
        except InputError as problem:
            again = problem.message
        assert again == first
        assert made.fits == []
    assert failed_in(folder)


def test_warnings_of_fits_that_do_not_fail_are_kept(
    made: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FITS_FAIL")
    first = asked(tmp_path / "runs")
    again = asked(tmp_path / "runs")
    assert len(made.fits) == 3
    said = [fit.warnings for fit in again.models["Fails"].fits]
    assert said == [("UserWarning: this may go wrong",)] * 3
    assert told(first) == told(again)
    assert Counted in type(Fails()).mro()
