"""Without a browser the tests fail, and say what to run; they are not left out."""

from __future__ import annotations

import pytest
from opened import NoBrowser, program


def test_the_line_to_run_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    with pytest.raises(NoBrowser) as caught:
        program()
    assert str(caught.value) == (
        "Chromium is needed to open pages; tried: /nowhere/chromium. Hint: run `make browser`"
    )


def test_a_program_that_cannot_run_is_passed_by(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ubuntu's chromium-browser may be a note that says where to get it."""
    monkeypatch.setenv("CHROMIUM", "false")
    with pytest.raises(NoBrowser):
        program()
