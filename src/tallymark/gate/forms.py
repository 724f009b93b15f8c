"""The JSON document of an evaluation, read back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tallymark.errors import FileError, InputError
from tallymark.evaluation.form import SCHEMA
from tallymark.gate.kinds import EVALUATION
from tallymark.intake.files.kinds import size_of, unreadable

SEVERAL = "tallymark/evaluations/1"


def read_form(path: Path, called: str | None = None) -> Mapping[str, Any]:
    """The JSON document of an evaluation."""
    shown = repr(str(path)) if called is None else called
    size_of(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as problem:
        raise unreadable(path, problem) from None
    except UnicodeDecodeError as problem:
        raise FileError(
            f"{shown} is not text, so it is not the JSON of an evaluation.", hint=_MAKE
        ) from problem
    if not text.strip():
        raise FileError(f"{shown} is empty; the JSON of an evaluation is expected.", hint=_MAKE)
    try:
        form = json.loads(text)
    except (ValueError, RecursionError) as problem:
        where = f" (line {problem.lineno})" if isinstance(problem, json.JSONDecodeError) else ""
        raise FileError(f"{shown} is not whole JSON{where}.", hint=_MAKE) from problem
    return checked_form(form, shown)


_MAKE = "`tallymark evaluate ... -o main.json` makes one."


def checked_form(form: Any, what: str) -> Mapping[str, Any]:
    """Refuse what is not the JSON of one evaluation."""
    schema = form.get("schema") if isinstance(form, Mapping) else None
    if schema == SEVERAL:
        models = form.get("models")
        names = [str(each.get("name")) for each in models] if _are_tables(models) else []
        named = f" ({', '.join(names)})" if names else ""
        raise InputError(
            f"{what} holds several models{named}, and one is expected.",
            hint="evaluate the one that is meant on its own: `tallymark evaluate FILE ... -o main.json`.",
        )
    if schema != SCHEMA:
        came = f"of schema {schema!r}" if schema else "something else"
        raise InputError(f"{what} is not the JSON of an evaluation ({SCHEMA}) but {came}.", hint=_MAKE)
    wrong = EVALUATION(form, "")
    if wrong is not None:
        raise InputError(
            f"{what} is not a whole evaluation: {wrong} is not as `tallymark evaluate` writes it.", hint=_MAKE
        )
    return dict(form)


def _are_tables(items: Any) -> bool:
    return isinstance(items, list) and all(isinstance(item, Mapping) for item in items)
