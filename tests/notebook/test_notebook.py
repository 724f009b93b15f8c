"""Results at the end of a cell, in a notebook that is run."""

import nbformat
from nbclient import NotebookClient

from parsed_pages import Page

ROWS = """
import tallymark as tm
actual = [1, 0, 1, 1, 0, 0, 1, 0]
score = [0.9, 0.4, 0.8, 0.35, 0.6, 0.1, 0.7, 0.2]
ev = tm.evaluate(actual, y_score=score)
"""
CELLS = (
    "ev", "ev.roc", "ev.gains", "tm.compare({'a': score, 'b': actual}, actual)",
    "ev.decide(costs={0: {1: 1}, 1: {0: 5}})", "ev.recalibration", "ev.explain('precision')",
    "tm.plan(half_width=0.05)",
)  # fmt: skip


def test_a_result_shows_itself_in_three_forms() -> None:
    cells = [nbformat.v4.new_code_cell(code) for code in (ROWS, *CELLS)]
    run = NotebookClient(nbformat.v4.new_notebook(cells=cells), timeout=300, kernel_name="python3").execute()
    nbformat.validate(run)
    for cell in run.cells[1:]:
        (output,) = cell.outputs
        assert output.output_type == "execute_result", output
        assert set(output.data) == {"text/plain", "text/markdown", "text/html"}, cell.source
        page = Page(output.data["text/html"])
        page.assert_inert()
        assert (page.all("script"), len(page.text()) > 40) == ([], True), cell.source
        assert page.all("svg") or page.all("table") or page.all("pre"), cell.source
