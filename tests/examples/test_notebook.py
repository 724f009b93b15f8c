"""The notebook runs from top to bottom and ends in a decision."""

import re
from pathlib import Path
from typing import Any

import nbformat
import polars as pl
import pytest
from nbclient import NotebookClient
from sklearn.metrics import roc_auc_score

from tallymark.data import path

NOTEBOOK = Path(__file__).parents[2] / "examples" / "notebook.ipynb"


@pytest.fixture(scope="module")
def as_kept() -> Any:
    return nbformat.read(NOTEBOOK, as_version=4)


@pytest.fixture(scope="module")
def printed(as_kept: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    """All that the cells of a copy print and show as text."""
    folder = tmp_path_factory.mktemp("notebook")
    resources = {"metadata": {"path": str(folder)}}
    run = NotebookClient(nbformat.from_dict(as_kept), kernel_name="python3", resources=resources).execute()
    assert (folder / "examples-output" / "notebook.html").exists()
    outputs = [output for cell in run.cells if cell.cell_type == "code" for output in cell.outputs]
    return "\n".join(output.get("text") or output.data["text/plain"] for output in outputs)


def test_it_is_kept_without_outputs(as_kept: Any) -> None:
    nbformat.validate(as_kept)
    cells = [cell for cell in as_kept.cells if cell.cell_type == "code"]
    assert len(as_kept.cells) <= 20
    assert all(not cell.outputs and cell.execution_count is None for cell in cells)


def test_it_ends_in_a_decision(printed: str) -> None:
    rows = pl.read_csv(path("breast_cancer.csv"))
    malignant = rows["actual"] == "malignant"
    areas = (roc_auc_score(malignant, rows[f"{name}_score"]) for name in ("bayes", "tree"))
    assert all(f"{area:.3f}" in printed for area in areas)
    # The same halves and costs as in medical_test.py, whose test works them out by hand.
    assert re.search(r"\b0\.048\b.* 1 \[0\.9653, 1\]", printed)
    assert re.search(r"\b98 \[", printed)
