"""The page that `tallymark demo` writes: both models by their scores, with costs, compared."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tallymark.errors import FileError
from tallymark.evaluation.saving import check_target, save

NAME = "tallymark-demo"
_TITLE = "Is a tumour malignant? A decision tree against naive Bayes"
_OURS = re.compile(
    rb'<meta name="?generator"? content="?tallymark[^>]*>\s*<title>' + re.escape(_TITLE).encode()
)
_HEAD = 2_000
"""Bytes in which a page says who made it."""
_MOST_NAMES = 100


def written(path: str | None, source: Path, **known: Any) -> Path:
    """Write the page, anew where there is an earlier one, and hand back where it is."""
    from tallymark.comparison import compare
    from tallymark.drawing.html import page
    from tallymark.evaluation import evaluate

    place = _place(path)
    models = {
        name: evaluate(source, score=f"{column}_score", **known)
        for name, column in (("tree", "tree"), ("naive Bayes", "bayes"))
    }
    found = compare(models)
    save(place, {".html": lambda: page(found.report(title=_TITLE))}, overwrite=True)
    return place


def _place(path: str | None) -> Path:
    """Where the page goes; never over a file that is not an earlier one of it."""
    if path is not None:
        given = check_target(path, [".html"], overwrite=True)
        if given.exists() and not _is_ours(given):
            raise FileError(
                f"{str(given)!r} exists already, and is no page of this demo.", hint="name another file."
            )
        return given
    for folder in (Path(), Path(tempfile.gettempdir())):
        if os.access(folder, os.W_OK):
            for place in _names(folder):
                if not place.exists() or _is_ours(place):
                    return place
    raise FileError(
        "there is no place for the page: neither this folder nor that for temporary files can be written.",
        hint="name a file: tallymark demo -o PAGE.html.",
    )


def _names(folder: Path) -> Iterator[Path]:
    yield folder / f"{NAME}.html"
    yield from (folder / f"{NAME}-{number}.html" for number in range(2, _MOST_NAMES))


def _is_ours(place: Path) -> bool:
    """Whether a file is an earlier page of the demo."""
    try:
        with place.open("rb") as file:
            return _OURS.search(file.read(_HEAD)) is not None
    except OSError:
        return False
