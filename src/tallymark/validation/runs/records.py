"""A finished fit as a file: a zip of `record.json` and arrays, as numpy reads it; never a pickle."""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import FileError, TallymarkError
from tallymark.intake.files.zip_archives import ALWAYS, zip_archive
from tallymark.intake.streams.memory import refuse_unfit
from tallymark.resampling.folds import Ints
from tallymark.validation.fits.fitting import Fit, Floats

SCHEMA = "tallymark/fit/1"
SUFFIX = ".npz"
_FACTS = "record.json"
_ARRAYS = ("answers", "scores", "training")
_KEPT = 16_384
"""Bytes of answers and scores up to which they stay in memory; more are read when they are asked for."""


class Unusable(Exception):
    """A record that cannot be used, with the reason."""


class Unreadable(Unusable):
    """A record that may be sound, but the system does not give it."""


def written(fit: Fit, facts: Mapping[str, Any]) -> bytes:
    """A fit, and what is known of how it came about, as the content of a file."""
    arrays = {name: value for name in _ARRAYS if (value := getattr(fit, name)) is not None}
    arrays["answers"] = _narrow(fit.answers)
    record = {"schema": SCHEMA, **facts, "arrays": list(arrays)}
    record |= {name: _told(getattr(fit, name)) for name in _plain()}
    found = BytesIO()
    with zipfile.ZipFile(found, "w") as file:
        file.writestr(_FACTS, json.dumps(record))
        for name, array in arrays.items():
            part = BytesIO()
            np.lib.format.write_array(part, np.ascontiguousarray(array), allow_pickle=False)
            file.writestr(f"{name}.npy", part.getvalue())
    return found.getvalue()


def facts_in(place: Path) -> dict[str, Any]:
    """All but the arrays of a record."""
    return _read(place, ())[0]


def read(place: Path) -> Fit:
    """The fit in a record; `Unusable` if it cannot be read or is of another kind."""
    record, arrays = _read(place, _ARRAYS)
    if record.get("key") != place.stem:
        raise Unusable("it is the record of another fit")
    try:
        told = {name: _untold(name, record[name]) for name in _plain()}
        answers, scores = arrays["answers"], arrays.get("scores")
    except KeyError as problem:
        raise Unusable(f"it lacks {problem}") from None
    except (TypeError, ValueError, AttributeError):
        raise Unusable("what it says is of the wrong kind") from None
    if answers.dtype.kind != "u" or (scores is not None and len(scores) != len(answers)):
        raise Unusable("its answers and scores do not belong together")
    return kept(Fit(answers.astype(np.int64), scores, arrays.get("training"), **told), place)


def kept(fit: Fit, place: Path) -> Fit:
    """The same fit; a large one without its answers and scores, which are read again when asked for."""
    size = fit.answers.nbytes + (0 if fit.scores is None else fit.scores.nbytes)
    return fit if size <= _KEPT else OnDisk(fit, place)


class OnDisk(Fit):
    """A fit whose answers and scores stay in its record, so that those of many fits do not pile up."""

    def __init__(self, fit: Fit, place: Path) -> None:
        for name in ("training", *_plain()):
            object.__setattr__(self, name, getattr(fit, name))
        object.__setattr__(self, "place", place.absolute())

    @property
    def answers(self) -> Ints:
        return self._kept("answers")["answers"].astype(np.int64)

    @property
    def scores(self) -> Floats | None:
        return self._kept("scores").get("scores")

    def _kept(self, name: str) -> dict[str, NDArray[Any]]:
        place: Path = self.place  # type: ignore[attr-defined]
        try:
            return _read(place, (name,))[1]
        except Unusable as problem:
            raise FileError(
                f"the answers of a fit cannot be read again from {str(place)!r}: {problem}. Nothing else is "
                "lost.",
                hint="keep the run folder where it is as long as its results are in use, and put it back if "
                "it was moved. The same command, or call, finds what is in it and makes what is missing.",
            ) from None

    def __reduce__(self) -> Any:
        """Copies, which may go anywhere, hold everything."""
        return Fit, tuple(getattr(self, each.name) for each in fields(Fit))


@cache
def _plain() -> tuple[str, ...]:
    return tuple(each.name for each in fields(Fit) if each.name not in _ARRAYS)


def _read(place: Path, wanted: Sequence[str]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The facts of a record, and those of some arrays that it has."""
    try:
        with zip_archive(place) as file:
            if file.memory > ALWAYS:
                refuse_unfit("it", file.memory, None, "")
            record = json.loads(file.read(_FACTS))
            if not isinstance(record, dict):
                raise Unusable("it is no record of a fit")
            if record.get("schema") != SCHEMA:
                raise Unusable(f"it is of the kind {record.get('schema')!r}, here {SCHEMA!r} is read")
            if not _is_sound(record):
                raise Unusable("what it says is of the wrong kind")
            there = [name for name in wanted if name in record["arrays"]]
            return record, {name: file.array(name) for name in there}
    except FileNotFoundError:
        raise Unreadable("it is not there") from None
    except IsADirectoryError:
        raise Unusable("it is a folder") from None
    except OSError as problem:
        raise Unreadable(problem.strerror or str(problem)) from None
    except Unusable:
        raise
    except TallymarkError as problem:
        raise Unusable(problem.message.removesuffix(".")) from None
    except Exception as problem:  # noqa: BLE001 - whatever the bytes of a damaged file make zipfile raise
        raise Unusable(f"it is damaged ({type(problem).__name__}: {problem})") from None


def _is_sound(record: Mapping[str, Any]) -> bool:
    """Whether what is told of a fit has the kinds that those expect who show it."""
    identity = record.get("identity")
    if not isinstance(identity, dict) or not isinstance(record.get("versions"), dict):
        return False
    counts = [identity.get("train"), identity.get("test")]
    seed = identity.get("seed")
    return (
        isinstance(identity.get("parameters"), dict)
        and all(isinstance(each, list) and each and isinstance(each[0], int) for each in counts)
        and isinstance(seed, list)
        and bool(seed)
        and all(isinstance(each, int) for each in seed)
        and all(isinstance(record.get(name), str | None) for name in ("failure", "trace"))
        and all(isinstance(record.get(f"{name}_seconds", 0), int | float | dict) for name in ("fit", "ask"))
        and isinstance(record.get("n_train", 0), int)
    )


def _narrow(answers: Ints) -> NDArray[Any]:
    """Positions among labels in as few bytes as hold them."""
    return answers.astype(np.min_scalar_type(int(answers.max(initial=0))))


def _told(value: Any) -> Any:
    """JSON has no infinite numbers; they are written as text."""
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}
    if isinstance(value, Mapping):
        return {key: _told(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_told(each) for each in value]
    return value.item() if isinstance(value, np.generic) else value


def _untold(name: str, value: Any) -> Any:
    if name == "warnings":
        return tuple(value)
    if name == "of_training":
        return {key: tuple(_number(each) for each in pair) for key, pair in value.items()}
    return _number(value)


def _number(value: Any) -> Any:
    return float(value["float"]) if isinstance(value, dict) else value
