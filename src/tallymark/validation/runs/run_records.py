"""What a run folder holds of one question: a record of what was asked, and a log of the fits it has used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import NoneType
from typing import Any, NamedTuple

RUN_SCHEMA = "tallymark/run/1"
_TEXT = (str, NoneType)
_Kinds = Mapping[str, type | tuple[type, ...]]
_RUN: _Kinds = {
    "run": str, "question": str, "method": str, "metric": str, "folder": str, "seed": int, "total": int,
    "started": str, "ended": _TEXT, "error": _TEXT, "data": list, "models": list, "tested": list,
    "test_rows": list, "tested_bits": list, "at_work": list, "arguments": (list, NoneType),
    "outcome": (dict, NoneType), "chosen": (dict, NoneType),
}  # fmt: skip
_DATA: _Kinds = {"name": str, "rows": int, "hash": _TEXT, "classes": str, "features": _TEXT}
_MODEL: _Kinds = {"name": str, "kind": str, "settings": _TEXT, "settings_unseeded": _TEXT, "text": str}
_FAILED = "failed"


def is_sound(run: Any, name: str) -> bool:
    """Whether it is the record of the run of that name, with all that is read of it, of the right kinds."""
    if not isinstance(run, dict) or run.get("schema") != RUN_SCHEMA or not _has(run, _RUN):
        return False
    data, models = run["data"], [*run["models"], *([] if run["chosen"] is None else [run["chosen"]])]
    of_each: _Kinds = {"tested": _TEXT, "test_rows": int, "tested_bits": _TEXT}
    return (
        run["run"] == name
        and all(_has(each, _DATA) for each in data)
        and all(_has(each, _MODEL) and isinstance(each.get("parameters", {}), dict) for each in models)
        and all(len(run[key]) == len(data) and _all(kind, run[key]) for key, kind in of_each.items())
        # They are parts of names of files.
        and all(isinstance(each, str) and each.isalnum() for each in (name, *run["at_work"]))
    )


def is_finished(run: Mapping[str, Any]) -> bool:
    """Whether somebody came to its end."""
    return run["ended"] is not None and run["error"] is None


def joined(ours: Mapping[str, Any], there: Mapping[str, Any]) -> dict[str, Any]:
    """The record that a process writes over another's of the same run: once finished, it stays so."""
    kept = ("outcome", "chosen", "ended", "error", "total")
    stays = is_finished(there) and not is_finished(ours)
    return {**ours, **({name: there[name] for name in kept} if stays else {})}


def _has(found: Any, kinds: _Kinds) -> bool:
    return isinstance(found, dict) and all(
        name in found and isinstance(found[name], kind) for name, kind in kinds.items()
    )


def _all(kind: type | tuple[type, ...], found: Iterable[Any]) -> bool:
    return all(isinstance(each, kind) for each in found)


class Noted(NamedTuple):
    """What the log says of a fit."""

    seconds: float | None = None
    """None in logs that do not say."""
    failed: bool = False


def line_of(key: str, seconds: float, *, failed: bool) -> str:
    """A fit in the log."""
    return f"{key} {seconds:.6g}{f' {_FAILED}' if failed else ''}"


def read_lines(text: str) -> dict[str, Noted]:
    """The fits of a log by key, as it last speaks of them."""
    found: dict[str, Noted] = {}
    # What stands after the last end of a line was being written when the process died.
    for line in text.split("\n")[:-1]:
        key, _, rest = line.partition(" ")
        if key:
            found[key] = _noted(rest)
    return found


def _noted(rest: str) -> Noted:
    seconds, _, state = rest.partition(" ")
    try:
        return Noted(float(seconds), state == _FAILED)
    except ValueError:
        return Noted()
