"""The files of several models, to be looked at before they are read: they may not fit the memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tallymark.cli.model_columns import Columns, columns_of_file
from tallymark.cli.options import named_items
from tallymark.cli.rows import Rows
from tallymark.errors import TallymarkError

if TYPE_CHECKING:
    from tallymark.comparison.rows.on_disk import ModelFiles


def model_files(
    given: tuple[str, ...], rows: Rows, more: dict[str, Any], *, unseen: Columns | None = None
) -> tuple[dict[str, ModelFiles], list[str]]:
    """The files of models as they are read, and what must be said of their columns.

    Where a file cannot be looked at beforehand, standard input or one that is not there, it has `unseen`
    columns; if these are not given there are no files at all.
    """
    from tallymark.comparison.rows.on_disk import ModelFiles
    from tallymark.tallies.labels import quoted

    named = named_items(given, "--model", "NAME=FILE")
    files, chosen = {}, []
    for name, file in named.items():
        try:
            columns = unseen if file in ("-", "") else columns_of_file(Path(file), rows, curve=False)
        except TallymarkError:
            columns = unseen  # told of where it is read
        if columns is None:
            return {}, []
        options = rows.options | columns.options | more
        files[name] = ModelFiles(rows.named([Path(file)]), options, f"model {quoted(name)}")
        chosen += [(name, note) for note in columns.notes]
    said = [note for _, note in chosen]
    notes = [note if said.count(note) == len(named) else f"{quoted(name)}: {note}" for name, note in chosen]
    return files, notes
