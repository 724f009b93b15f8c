"""What a user gave: paths of files, a data frame, or arrays; and which of its columns is what."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from glob import glob
from os import PathLike
from os.path import exists
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tallymark.errors import OptionError
from tallymark.intake import frames, sources
from tallymark.intake.roles import Beside, Probabilities, Roles
from tallymark.intake.rows import Checks
from tallymark.intake.sources import SetSource, Source
from tallymark.intake.votes import are_names
from tallymark.tallies.labels import listed

if TYPE_CHECKING:
    from tallymark.intake.engines.files import Engine
    from tallymark.intake.engines.tables import EngineStore

EngineName = Literal["polars", "duckdb", "spark", "dask"]
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


def named(
    actual: object,
    predicted: object,
    score: object,
    probabilities: Probabilities | None,
    set_delimiter: str | None,
) -> Roles:
    """The columns by their roles; names of frames may be numbers, which are known as text from here on."""
    columns = _names(probabilities)
    sides = _sides(actual), _sides(predicted)
    return Roles(*sides, _name(score), columns, set_delimiter=set_delimiter)


def _name(column: object) -> str | None:
    return None if column is None else str(column)


def _sides(columns: object) -> str | tuple[str, ...] | None:
    """One column, or several that are one label each."""
    if not isinstance(columns, list | tuple):
        return _name(columns)
    return str(columns[0]) if len(columns) == 1 else tuple(map(str, columns))


def _names(columns: Probabilities | None) -> Probabilities | None:
    if isinstance(columns, str):
        raise OptionError(
            f"probabilities are several columns; got {columns!r}.", hint="one column is a score: pass score=."
        )
    if columns is not None and len(columns) == 1:
        column = next(iter(columns.values() if isinstance(columns, Mapping) else columns))
        raise OptionError(f"one probability column is a score: pass score={column!r}.")
    if isinstance(columns, Mapping):
        return {label: str(column) for label, column in columns.items()}
    return None if columns is None else [str(column) for column in columns]


def refuse_two_scores(y_score: Any, roles: Roles, beside: Beside) -> None:
    """Rows are ranked in one way."""
    if beside.votes is not None and not (
        roles.score is None and roles.probabilities is None and y_score is None
    ):
        raise OptionError(
            "votes are counted into a score, so there is no place for another score or for probabilities.",
            hint="leave out the one or the other.",
        )
    if roles.score is not None and roles.probabilities is not None:
        raise OptionError("one score and one probability per class exclude each other; name one of them.")


def source_of(
    data: Any,
    y_pred: Any,
    y_score: Any,
    roles: Roles,
    beside: Beside,
    checks: Checks,
    in_files: dict[str, Any],
) -> Source | SetSource:
    """Rows of whatever form: paths, a data frame, or arrays."""
    paths = paths_in(data, y_pred, y_score, roles, beside)
    given = y_pred is not None or y_score is not None
    voting = beside.votes is not None
    apart = _apart(y_pred, y_score, roles, beside)
    if paths is not None:
        if given:
            raise OptionError("a file has its answers in columns; name them with predicted= or score=.")
        return sources.from_files(paths, beside.named(roles), checks, **in_files)
    refuse_for_files(data, in_files)
    if not apart and not isinstance(data, np.ndarray | list | tuple) and frames.is_frame(data):
        return sources.from_frame(data, beside.named(roles), checks)
    if isinstance(data, Mapping):
        raise OptionError(
            f"a {type(data).__name__} is not a data frame.",
            hint="make one of it (pandas.DataFrame(...), polars.DataFrame(...)), or pass its columns: "
            "evaluate(y_true, y_pred).",
        )
    if not given and not voting and roles.used:
        raise OptionError(
            f"columns are named, {listed(roles.used)}, and the data has none: it is of type "
            f"{type(data).__name__}.",
            hint="pass a data frame, or the path of a file.",
        )
    if not given and not voting:
        raise OptionError(
            "the answers are missing.",
            hint="pass evaluate(y_true, y_pred) or evaluate(y_true, y_score=...), a data frame or a file.",
        )
    if roles.set_delimiter is not None:
        raise OptionError(
            "set_delimiter is about columns of a data frame or a file, and the data is of type "
            f"{type(data).__name__}.",
            hint="split the texts: pass lists of sets.",
        )
    if roles.used and frames.is_frame(data):
        raise OptionError(
            "the answers of a data frame are in its columns, so y_pred and y_score have no place beside it.",
            hint="name them with predicted= or score=.",
        )
    if roles.used:
        raise OptionError(
            f"column names {listed(roles.used)} go with a data frame or a file, not with arrays."
        )
    _refuse_without_order(data, y_pred, y_score)
    return sources.from_arrays(data, y_pred, y_score, beside=beside, checks=checks)


def _refuse_without_order(*sides: Any) -> None:
    """What an engine holds cannot be matched by position: its rows come in any order."""
    for side in sides:
        if type(side).__module__.startswith("pyspark.") and type(side).__name__ == "Column":
            raise OptionError(
                "a Column of Spark holds no values by itself.",
                hint="pass its data frame, and names: evaluate(frame, actual='y', predicted='p').",
            )
        library = frames.library_without_order(side)
        if library is not None:
            raise OptionError(
                f"the rows of a {library} table have no order, so they cannot be matched with others.",
                hint="have all in one, and name its columns: evaluate(table, actual='y', predicted='p').",
            )


def refuse_for_files(data: Any, in_files: Mapping[str, Any]) -> None:
    """Options about reading files, where there are none."""
    for option, value in in_files.items():
        if value:
            raise OptionError(
                f"{option} is about reading files, and the data is of type {type(data).__name__}."
            )


def held_elsewhere(
    data: Any, y_pred: Any, y_score: Any, roles: Roles, beside: Beside, *, lazy: bool
) -> EngineStore | None:
    """A table that stays in its engine, if the data is one; with `lazy` also a lazy one of Polars."""
    if paths_in(data, y_pred, y_score, roles, beside) is not None:
        return None
    if _apart(y_pred, y_score, roles, beside) or not frames.is_frame(data):
        return None
    from tallymark.intake.engines.recognised import store_of

    return store_of(data, lazy=lazy)


def engine_for(
    data: Any, paths: Sequence[Path] | None, engine: str | None, master: str | None, scheduler: str | None
) -> Engine | None:
    """What is to count the files; None for this process."""
    if engine is None and master is None and scheduler is None:
        return None
    from tallymark.intake.engines.files import Engine

    found = Engine.of(engine, master, scheduler)
    if paths is None:
        raise OptionError(
            f"engine is about reading files, and the data is of type {type(data).__name__}.",
            hint="leave it out: a table of DuckDB, Dask or Spark is counted where it is.",
        )
    return found


def addresses_in(data: Any) -> list[str]:
    """Addresses such as s3://bucket/part.parquet, if the files are named by some."""
    named = data if isinstance(data, list | tuple) else [data]
    texts = [each for each in named if isinstance(each, str) and _ADDRESS.match(each)]
    if texts and len(texts) < len(named):
        raise OptionError(
            f"{texts[0]} is an address, and others are files at hand: all parts are opened in one way.",
            hint="name addresses only, or files only.",
        )
    return texts


def paths_in(data: Any, y_pred: Any, y_score: Any, roles: Roles, beside: Beside) -> list[Path] | None:
    """The files that are meant, if the data is named and not given."""
    if isinstance(data, str | PathLike):
        return [Path(data)]
    if not _apart(y_pred, y_score, roles, beside) and _are_paths(data):
        return [Path(path) for path in data]
    return None


def _apart(y_pred: Any, y_score: Any, roles: Roles, beside: Beside) -> bool:
    """Whether the answers come as values of their own, beside what is true."""
    voting = beside.votes is not None and not roles.used and not are_names(beside.votes)
    return y_pred is not None or y_score is not None or voting


def _are_paths(data: Any) -> bool:
    """Whether a list names files; labels without answers would look alike, but have no suffix."""
    named = isinstance(data, list | tuple) and bool(data) and all(isinstance(d, str | PathLike) for d in data)
    return named and all(
        isinstance(d, PathLike) or Path(d).suffix or _ADDRESS.match(d) or exists(d) or glob(d) for d in data
    )
