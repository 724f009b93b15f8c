"""Results of tallymark as plain data: what is part of the contract, and of a text only that there is one."""

from __future__ import annotations

import inspect
import json
import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

TEXTS = frozenset(
    [
        "about",
        "assumption",
        "caption",
        "commands",
        "definition",
        "explanation",
        "facts",
        "footnote",
        "formula",
        "hint",
        "interval_steps",
        "lines",
        "meaning",
        "message",
        "note",
        "notes",
        "question",
        "reason",
        "references",
        "remark",
        "sentence",
        "sentences",
        "shown",
        "steps",
        "summary",
        "text",
        "title",
        "undefined",
        "verdict",
        "what",
        "why",
    ]
)
"""Names of fields that hold English, which is not part of the contract."""
CLOCKS = frozenset(("seconds", "seconds_per_fit", "seconds_per_test"))
ESTIMATE = ("value", "low", "high", "level", "method", "n", "se", "bounds", "why")


def observed(thing: Any, name: str = "") -> Any:
    """The value as JSON can hold it."""
    if isinstance(thing, np.generic):
        thing = thing.item()
    if thing is None or isinstance(thing, bool | int):
        return thing
    if isinstance(thing, str):
        return "(text)" if name in TEXTS and thing else thing
    if isinstance(thing, float):
        return thing if math.isfinite(thing) else str(thing)
    if isinstance(thing, np.ndarray):
        return [observed(one, name) for one in thing.tolist()]
    if isinstance(thing, Mapping):
        return {
            str(key): "(time)" if key in CLOCKS else observed(value, str(key)) for key, value in thing.items()
        }
    if hasattr(thing, "low") and hasattr(thing, "method") and hasattr(thing, "level"):
        return {field: observed(getattr(thing, field, None), field) for field in ESTIMATE}
    if hasattr(thing, "to_dict") and type(thing).__module__.startswith("tallymark"):
        return observed(thing.to_dict())
    if hasattr(thing, "columns") and hasattr(thing, "rows"):
        return {"columns": list(thing.columns), "rows": observed(thing.rows())}
    if isinstance(thing, Sequence | set | frozenset):
        return [
            observed(one, name) for one in (sorted(thing) if isinstance(thing, set | frozenset) else thing)
        ]
    fields = getattr(thing, "__dataclass_fields__", None)
    if fields is not None:
        public = [field for field in fields if not field.startswith("_")]
        return {field: observed(getattr(thing, field), field) for field in public}
    return f"({type(thing).__name__})"


def tried(call: Callable[[], Any]) -> Any:
    """What a call gives, or the class of its error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return observed(call())
    except Exception as error:  # noqa: BLE001
        return {"error": type(error).__name__}


def asked(thing: Any, names: Iterable[str]) -> dict[str, Any]:
    """Several attributes of one result."""
    return {name: tried(lambda name=name: observed(getattr(thing, name), name)) for name in names}


def surface(thing: Any) -> dict[str, str]:
    """The public names of a result or a class, methods with their parameters."""
    owner = thing if isinstance(thing, type) else type(thing)
    found = {}
    for name in dir(thing):
        member = inspect.getattr_static(owner, name, None)
        if not name.startswith("_"):
            found[name] = signature(getattr(owner, name)) if _is_method(member) else "attribute"
    return found


def _is_method(member: Any) -> bool:
    return inspect.isfunction(member) or isinstance(member, classmethod | staticmethod)


def signature(function: Any) -> str:
    """Names, kinds and defaults of the parameters; their types are the business of mypy."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return "callable"
    bare = [one.replace(annotation=inspect.Parameter.empty) for one in parameters]
    texts = [str(one) if " at 0x" not in str(one) else one.name for one in bare]
    marks = [
        f"{'/' if one.kind is one.POSITIONAL_ONLY else '*' if one.kind is one.KEYWORD_ONLY else ''}{text}"
        for one, text in zip(bare, texts, strict=True)
    ]
    return f"({', '.join(marks)})"


def as_json(thing: Any) -> str:
    return json.dumps(thing, allow_nan=False)
