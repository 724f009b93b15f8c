"""An evaluation as a file."""

from __future__ import annotations

from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from tallymark.drawing.saving import PICTURES
from tallymark.drawing.saving import Writers as Writers
from tallymark.drawing.saving import check_target as check_target
from tallymark.drawing.saving import save as save
from tallymark.errors import FileError

if TYPE_CHECKING:
    from tallymark.evaluation.result import Evaluation


def refuse_picture(path: object) -> None:
    """An evaluation has many pictures: which of them is meant is not guessed."""
    suffix = Path(path).suffix.lower() if isinstance(path, str | PathLike) else ""
    if suffix in PICTURES:
        raise FileError(
            f"cannot write {str(path)!r}: an evaluation has many pictures.",
            hint=f"save one of them: ev.roc.save('roc{suffix}'), "
            f"ev.plot('confusion').figure.savefig('matrix{suffix}'); or the page with all of them, as .html.",
        )


def report(
    ev: Evaluation, *, normalize: str | None = None, extra: tuple[str, ...] = (), title: str = ""
) -> Writers:
    """An evaluation in every format but JSON."""
    from tallymark.drawing import drawn
    from tallymark.evaluation.frame import to_csv

    return {
        **drawn(lambda: ev.document(normalize=normalize, extra=extra), partial(ev.report, title=title)),
        ".csv": lambda: to_csv(ev, extra=extra),
    }
