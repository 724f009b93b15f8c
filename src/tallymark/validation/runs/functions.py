"""What functions and classes of one's own do, whatever they are called."""

from __future__ import annotations

import functools
import json
import sys
import types
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

from tallymark.validation.runs.constants import SIMPLE

_UFUNCS = ("numpy", "scipy.special")
Owned = Callable[[str], bool]
"""Whether a module is of one's own."""


def name_of(value: Any) -> str:
    """The module and the name in it: `module:name`."""
    module = getattr(value, "__module__", None) or type(value).__module__
    name = getattr(value, "__qualname__", None) or value.__name__
    if type(value).__name__ == "ufunc":  # they do not know where they are
        module = next((each for each in _UFUNCS if is_found(value, each, name)), module)
    return f"{module}:{name}"


def is_found(value: Any, module: str, name: str) -> bool:
    """Whether it is this very thing that a module has by this name."""
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    # Types such as that of None say that they are built in, but have no name there.
    return found is value or (module == "builtins" and any(each is value for each in vars(types).values()))


def body_of(
    function: types.FunctionType, inside: Callable[[Any], Any], is_own: Owned, within: tuple[int, ...] = ()
) -> dict[str, Any]:
    """The code of a function and what it was made with: defaults, attributes, and the names around it, of
    which functions are described the same way. Raises ValueError for one that holds itself."""
    if id(function) in within:
        raise ValueError(f"{function.__name__} holds itself")
    deeper = functools.partial(body_of, inside=inside, is_own=is_own, within=(*within, id(function)))
    cells = [each.cell_contents for each in function.__closure__ or ()]
    kept = {name: each for name, each in vars(function).items() if name != "__wrapped__"}
    return {
        "does": digest_of_code(function.__code__),
        "from": str(function.__globals__.get("__name__")),
        "globals": _globals_of(function, is_own),
        "defaults": inside(function.__defaults__),
        "keywords": inside(function.__kwdefaults__),
        "kept": inside(kept),
        "around": [deeper(each) if isinstance(each, types.FunctionType) else inside(each) for each in cells],
    }


def members_of(kind: type, is_own: Owned) -> str:
    """A hash of the methods and simple attributes of a class and of those it is made of, as they are now: a
    file may define several by one name, and a program may set them."""
    found = [
        [name_of(each), dict(_members(each, is_own)) if is_own(each.__module__) else None]
        for each in kind.__mro__
    ]
    return sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()[:16]


def _members(kind: type, is_own: Owned) -> Iterator[tuple[str, Any]]:
    for name, each in vars(kind).items():
        if type(each) in SIMPLE and not name.startswith("__"):
            yield name, repr(each)
            continue
        parts = [getattr(each, part, None) for part in ("__func__", "fget", "fset", "fdel", "func")]
        functions = [part for part in (each, *parts) if isinstance(part, types.FunctionType)]
        bodies = [_roughly(part, is_own) for part in functions]
        if bodies:
            yield name, bodies


def _roughly(value: Any, is_own: Owned, within: tuple[int, ...] = ()) -> Any:
    """A function by its code and by what is simple around it; of anything else only the type."""
    deeper = functools.partial(_roughly, is_own=is_own, within=(*within, id(value)))
    if isinstance(value, tuple):
        return list(map(deeper, value))
    if type(value) in SIMPLE:
        return repr(value)
    if not isinstance(value, types.FunctionType) or id(value) in within:
        return type(value).__name__
    cells = []
    for each in value.__closure__ or ():
        try:
            cells.append(deeper(each.cell_contents))
        except ValueError:
            cells.append("empty")
    keywords = {name: deeper(each) for name, each in (value.__kwdefaults__ or {}).items()}
    defaults = deeper(value.__defaults__ or ())
    return [digest_of_code(value.__code__), _globals_of(value, is_own), defaults, keywords, cells]


def _globals_of(function: types.FunctionType, is_own: Owned) -> dict[str, str]:
    """Simple values of the module that a function may look at; a program may have set them as it ran."""
    known = function.__globals__
    if not is_own(str(known.get("__name__"))):
        return {}
    names = {name for code in (function.__code__, *_inner(function.__code__)) for name in code.co_names}
    return {name: repr(known[name]) for name in sorted(names) if type(known.get(name, ...)) in SIMPLE}


def _inner(code: types.CodeType) -> Iterator[types.CodeType]:
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            yield from (each, *_inner(each))


def digest_of_code(code: types.CodeType) -> str:
    """A hash of what a function does, wherever it stands."""
    return sha256(json.dumps(_told(code)).encode()).hexdigest()[:16]


def _told(value: Any) -> Any:
    """A constant of a function, which may be the code of another; sets have no order."""
    match value:
        case types.CodeType():
            counts = (value.co_argcount, value.co_posonlyargcount, value.co_kwonlyargcount, value.co_flags)
            names = (value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars)
            raw = value.co_code.hex(), value.co_exceptiontable.hex()
            return ["code", *counts, *map(list, names), *raw, [_told(each) for each in value.co_consts]]
        case tuple():
            return ["tuple", *map(_told, value)]
        case frozenset():
            return ["set", *sorted(json.dumps(_told(each)) for each in value)]
    return [type(value).__name__, repr(value)]
