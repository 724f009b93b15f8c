"""Tables, pictures and typed lines that several examples need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark import data
from tallymark.drawing import Block, Column, Document, Finding, Findings, Paragraph, Table, count, number
from tallymark.findings import Finding as Remark

Matrix = Sequence[Sequence[float]]

TUMOURS = "tallymark {} tumours.csv --target diagnosis --id id"


def matrix_table(labels: Sequence[str], matrix: Matrix, title: str = "") -> Table:
    """Rows are actual, columns predicted."""
    columns = (Column("actual \\ predicted", "left"), *(Column(label) for label in labels))
    rows = zip(labels, matrix, strict=True)
    return Table(columns, tuple((label, *(count(cell) for cell in row)) for label, row in rows), title)


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]], title: str = "") -> Table:
    """The first column words, the others numbers; numbers are written as everywhere."""
    columns = tuple(Column(head, "right" if place else "left") for place, head in enumerate(heads))
    cells = tuple(tuple(each if isinstance(each, str) else number(each) for each in row) for row in rows)
    return Table(columns, cells, title)


def of_document(document: Document, *sections: str) -> tuple[Block, ...]:
    """What the named sections of a report hold."""
    found = {section.title: section.blocks for section in document.sections}
    return tuple(block for name in sections for block in found[name])


def tables_of(document: Document, *sections: str) -> tuple[Table, ...]:
    """Only their tables."""
    return tuple(block for block in of_document(document, *sections) if isinstance(block, Table))


def pointed_out(findings: Iterable[Remark]) -> Findings:
    """What tallymark points out."""
    return Findings(tuple(Finding(each.code, each.message) for each in findings))


def lines(*sentences: str) -> tuple[Block, ...]:
    return tuple(map(Paragraph, sentences))


# --- what a student types ----------------------------------------------------------------------


def typed(matrix: Matrix) -> str:
    """A matrix as it is typed: '150 40; 60 250'."""
    return "'" + "; ".join(" ".join(f"{cell:g}" for cell in row) for row in matrix) + "'"


def nested(matrix: Matrix) -> str:
    """A matrix as it is written in Python."""
    return str([list(row) for row in matrix])


def file_of(name: str, heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """The line that writes a small file."""
    # No backslashes, which pens show doubled.
    lines_of_file = [",".join(heads), *(",".join(map(str, row)) for row in rows)]
    return f"for row in {' '.join(lines_of_file)}; do echo $row; done > {name}"


# --- the shipped tumours -----------------------------------------------------------------------

PYTHON_TUMOURS = (
    "import numpy as np",
    "import tallymark as tm",
    "from tallymark import data",
    'file = data.path("tumours.csv")',
    'X = np.loadtxt(file, delimiter=",", skiprows=1, usecols=range(1, 11))',
    'y = np.loadtxt(file, delimiter=",", skiprows=1, usecols=11, dtype=str)',
)
"""Lines that read the measurements and the diagnoses."""


def tumours() -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    """The measurements and the diagnoses of 569 tumours."""
    file = data.path("tumours.csv")
    measured = np.loadtxt(file, delimiter=",", skiprows=1, usecols=range(1, 11))
    return measured, np.loadtxt(file, delimiter=",", skiprows=1, usecols=11, dtype=str)
