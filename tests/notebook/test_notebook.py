"""Results at the end of a cell, in a notebook that is run."""

from __future__ import annotations

from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from parsed_pages import Page

_ROWS = """
import tallymark as tm
actual = [1, 0, 1, 1, 0, 0, 1, 0]
score = [0.9, 0.4, 0.8, 0.35, 0.6, 0.1, 0.7, 0.2]
ev = tm.evaluate(actual, y_score=score)
"""
_SHOWN = {
    "ev": "Of 8 rows",
    "ev.roc": "true positive rate",
    "ev.gains": "share of rows taken",
    "tm.compare({'a': score, 'b': actual}, actual)": "a against b",
    "ev.decide(costs={0: {1: 1}, 1: {0: 5}})": "threshold",
    "ev.recalibration": "isotonic",
    "ev.explain('precision')": "tp / (tp + fp)",
    "tm.plan(half_width=0.05)": "You need",
}


@pytest.fixture(scope="module")
def outputs() -> dict[str, dict[str, Any]]:
    """What each of the cells shows."""
    cells = [nbformat.v4.new_code_cell(code) for code in (_ROWS, *_SHOWN)]
    run = NotebookClient(nbformat.v4.new_notebook(cells=cells), timeout=120, kernel_name="python3").execute()
    nbformat.validate(run)
    shown = {}
    for cell in run.cells[1:]:
        (output,) = cell.outputs
        assert output.output_type == "execute_result", output
        shown[cell.source] = output.data
    return shown


@pytest.mark.parametrize("code", _SHOWN)
def test_a_result_shows_itself_in_three_forms(outputs: dict[str, dict[str, Any]], code: str) -> None:
    data = outputs[code]
    assert {"text/plain", "text/markdown", "text/html"} == set(data)
    made = Page(data["text/html"])
    made.assert_inert()
    assert not made.all("script")
    assert _SHOWN[code] in made.text()
    assert made.all("svg") or made.all("table") or made.all("pre")
