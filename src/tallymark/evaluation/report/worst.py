"""The worst errors on a page, for those who ask for them: rows may be private."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tallymark.drawing import Block, Paragraph
from tallymark.evaluation.report.models import parted

if TYPE_CHECKING:
    from tallymark.evaluation.report.models import Models


def worst_errors(models: Models, most: int) -> Iterator[Block]:
    """So many rows of every model that were answered wrongly, the surest first."""
    yield Paragraph("Rows of the data stand here: mind who may read this page.")
    yield from parted({name: ev.worst_errors(most).blocks() for name, ev in models.items()})
