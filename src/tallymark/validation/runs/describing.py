"""Models and their parameters described by what they are made of, so that equal ones are known again."""

from __future__ import annotations

import copyreg
import functools
import json
import math
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from hashlib import sha256
from typing import Any

import numpy as np

from tallymark.tallies.labels import quoted
from tallymark.validation.runs.code import Unknown, code_of, files_of, is_own, libraries_of
from tallymark.validation.runs.functions import body_of, is_found, members_of, name_of
from tallymark.validation.runs.installed import NAMES, PYTHON, version_here

_DEEPEST = 60
"""Levels of objects in objects; what goes deeper holds itself."""
_PLAIN = {type(None), bool, int, float, str}
"""What JSON tells apart by itself."""


class Indescribable(Exception):
    """Something that two processes could not agree on: a lambda, an open file."""


def described(value: Any) -> Any:
    """A value as JSON that is equal for equal values, and other for others; in any process.

    Estimators are their class and their parameters, for that is what a fresh one is made of; other objects
    what a copy of them would be made of. Classes and functions are `module:name`, those of one's own with a
    hash of the code they stand in.
    """
    return _described(value, (), whole=False)


def digest(value: Any) -> str:
    """A hash of what was described."""
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def settings_of(model: Any, parameters: Mapping[str, Any] | None = None) -> str | None:
    """What tells a model with its parameters from others; None where that cannot be said."""
    try:
        return digest(described(_with(model, parameters or {})))[:16]
    except Indescribable:
        return None


def settings_unseeded(model: Any, parameters: Mapping[str, Any] | None = None) -> str | None:
    """What tells the settings of a model from others, whatever its seeds and what prepares its columns."""
    try:
        parts = [_without_seeds(described(each)) for each in _parts(_with(model, parameters or {}))]
        return digest(parts)[:16]
    except Indescribable:
        return None


def _parts(model: Any) -> list[Any]:
    """The learner, and before it the steps of a pipeline that somebody set."""
    if not (steps := steps_of(model)):
        return [model]
    *before, last = steps
    return [*filter(_is_set, before), *_parts(last)]


def _is_set(step: Any) -> bool:
    """Whether a step is other than its class makes it; the preparation of learners by name never is."""
    from tallymark.validation.learners.preparation import Preparation

    if step in (None, "passthrough") or isinstance(step, Preparation):
        return False
    try:
        return bool(described(step) != described(type(step)()))
    except TypeError:  # it cannot be made without saying how
        return True


def _without_seeds(description: Any) -> Any:
    match description:
        case list():
            return list(map(_without_seeds, description))
        case {"scalar": "<f8", "value": str(value)}:  # a number that numpy made is the same setting
            return float(np.frombuffer(bytes.fromhex(value), "<f8")[0])
        case dict():
            return {key: _without_seeds(each) for key, each in description.items() if key != "random_state"}
    return description


def kind_of(model: Any) -> str:
    """The class of a model, of a pipeline those of its steps: `module:name`."""
    return " > ".join(name_of(type(each)) for each in (model, *steps_of(model)))


def steps_of(model: Any) -> list[Any]:
    """What a pipeline is made of; of other models there are none."""
    steps = getattr(model, "steps", None)
    return [each[-1] for each in steps if isinstance(each, tuple)] if isinstance(steps, list) else []


def _with(model: Any, parameters: Mapping[str, Any]) -> Any:
    if not parameters:
        return model
    from sklearn.base import clone

    return clone(model, safe=False).set_params(**parameters)


def versions_of(description: Any) -> dict[str, str]:
    """The versions of the libraries that a fit goes through: those of every fit, its model's own, and those
    that code of one's own imports."""
    modules = modules_of(description)
    packages = {each.partition(".")[0] for each in modules}.union(*map(libraries_of, modules))
    others = packages - {*NAMES.values(), *sys.stdlib_module_names, "__main__"}
    found = {name: version_here(name) for name in (PYTHON, *NAMES, *sorted(others))}
    return {name: version for name, version in found.items() if version is not None}


def code_files(description: Any) -> dict[str, str]:
    """The modules of one's own that a fit goes through, each with a hash of its file."""
    found: dict[str, str] = {}
    for each in modules_of(description):
        found |= files_of(each)
    return found


def modules_of(description: Any) -> set[str]:
    """Where everything in a description stands."""
    if isinstance(description, list):
        return set().union(*map(modules_of, description))
    if not isinstance(description, dict):
        return set()
    places = (description.get(key) for key in ("is", "from"))
    own = {each.partition(":")[0] for each in places if isinstance(each, str)}
    return own.union(*map(modules_of, description.values()))


def _described(value: Any, above: tuple[int, ...], *, whole: bool) -> Any:
    """`above` are the objects that this one is in; `whole` says that estimators are with what they learned,
    as in whatever is copied as it is."""
    if type(value) in _PLAIN:
        return {"float": repr(value)} if isinstance(value, float) and not math.isfinite(value) else value
    match value:
        case Enum():
            return {**_named(type(value)), "member": value.name}
        case np.generic() if not value.dtype.hasobject:
            return {"scalar": value.dtype.str, "value": value.tobytes().hex()}
        case np.ndarray():
            _refuse_unusual(value)
            if not value.dtype.hasobject:
                return _array(value)
        case type() | np.ufunc():
            return _named(value)
    if type(value) in (bytes, bytearray):
        return {type(value).__name__: sha256(value).hexdigest()}
    if id(value) in above or len(above) > _DEEPEST:
        raise Indescribable(f"{_short(value)} holds itself, or goes deeper than {_DEEPEST} levels")
    inside = functools.partial(_described, above=(*above, id(value)))
    deeper, copied = functools.partial(inside, whole=whole), functools.partial(inside, whole=True)
    return _compound(value, deeper, copied, whole)


def _compound(value: Any, deeper: Callable[[Any], Any], copied: Callable[[Any], Any], whole: bool) -> Any:
    """What is made of other things; of containers those kinds that scikit-learn copies item by item."""
    kind = type(value)
    if isinstance(value, np.ndarray):
        items = items_hash(value.ravel().tolist(), copied)
        return {"array": str(value.dtype), "shape": list(value.shape), "items": items}
    if kind is list:
        return list(map(deeper, value))
    if kind is tuple:
        return {"tuple": list(map(deeper, value))}
    if isinstance(value, set | frozenset):
        return _set(value, deeper if kind in (set, frozenset) else copied, copied)
    if kind is dict:
        return {"items": [[copied(key), copied(each)] for key, each in value.items()]}
    match value:
        case types.FunctionType():
            return _function(value, copied)
        case types.MethodType() | types.BuiltinFunctionType():
            return _method(value, copied)
    if not whole and _is_cloned_by_parameters(value):
        return {**_named(kind), "parameters": _parameters(value, deeper), **_carried(value, copied)}
    return _rebuilt(value, copied)


def items_hash(values: list[Any], inside: Callable[[Any], Any] = described) -> str:
    """Of many values, one by one; quick where all are plain."""
    plain = {*map(type, values)} <= _PLAIN
    return digest(["plain", values] if plain else ["described", *map(inside, values)])


def _refuse_unusual(value: np.ndarray[Any, Any]) -> None:
    """Other kinds of arrays have more in them than values: masks, names, attributes."""
    if type(value) not in (np.ndarray, np.memmap) or value.dtype.metadata:
        raise Indescribable(f"{_short(value)} may hold more than its values: give it as a plain array")


def _array(value: np.ndarray[Any, Any]) -> dict[str, Any]:
    """An array of plain values; of several fields, field by field, for between them anything may stand."""
    shape = list(value.shape)
    if value.dtype.names is None:
        return {"array": value.dtype.str, "shape": shape, "bytes": array_hash(value)}
    return {"array": [[name, _array(value[name])] for name in value.dtype.names], "shape": shape}


def _set(value: Any, deeper: Callable[[Any], Any], copied: Callable[[Any], Any]) -> dict[str, Any]:
    items = sorted(json.dumps(deeper(each), sort_keys=True) for each in value)
    if type(value) in (set, frozenset):
        return {type(value).__name__: items}
    return {**_named(type(value)), "set": items, "state": copied(getattr(value, "__dict__", None))}


def _function(value: types.FunctionType, copied: Callable[[Any], Any]) -> dict[str, Any]:
    found = _named(value)
    return found if "code" not in found else {**found, **_body(value, copied)}


def _body(function: types.FunctionType, copied: Callable[[Any], Any]) -> dict[str, Any]:
    try:
        found = body_of(function, copied, is_own)
    except ValueError:  # it holds itself, or a name that is not there yet
        raise Indescribable(f"{function.__name__} has something around it that cannot be described") from None
    return {**found, "codes": {each: _code(each, function.__name__) for each in sorted(modules_of(found))}}


def _method(value: Any, copied: Callable[[Any], Any]) -> dict[str, Any]:
    owner = value.__self__
    if isinstance(owner, types.ModuleType | None):
        return _named(value)
    if getattr(owner, value.__name__, None) != value:
        raise Indescribable(f"{value.__name__} is no method of {_short(owner)}")
    return {"method": value.__name__, "of": copied(owner)}


def _is_cloned_by_parameters(value: Any) -> bool:
    """Whether a copy for a fit is made of the parameters alone; frozen estimators keep what they learned."""
    if not callable(getattr(value, "get_params", None)):
        return False
    from sklearn.base import BaseEstimator

    usual = getattr(BaseEstimator, "__sklearn_clone__", None)
    return getattr(type(value), "__sklearn_clone__", usual) is usual


def _parameters(value: Any, deeper: Callable[[Any], Any]) -> dict[str, Any]:
    try:
        found = dict(value.get_params(deep=False))
    except Exception as problem:  # noqa: BLE001 - code of the model's own
        raise Indescribable(f"get_params of {type(value).__name__} fails ({problem})") from None
    return {name: deeper(found[name]) for name in sorted(found)}


def _carried(value: Any, copied: Callable[[Any], Any]) -> dict[str, Any]:
    """What scikit-learn's clone keeps beside parameters: the kind of output, and what of metadata is asked
    for, which holds the estimator itself and is told by its words."""
    output, asked = (getattr(value, name, None) for name in ("_sklearn_output_config", "_metadata_request"))
    found = {} if not output else {"output": copied(output)}
    return found if asked is None else {**found, "metadata": str(asked)}


def _rebuilt(value: Any, copied: Callable[[Any], Any]) -> Any:
    """Any other object, by what `copy` would make another one of."""
    try:
        registered = copyreg.dispatch_table.get(type(value))
        parts = value.__reduce_ex__(4) if registered is None else registered(value)
    except Exception:  # noqa: BLE001 - whatever it raises, it cannot be described
        raise Indescribable(f"{_short(value)} cannot be described") from None
    if isinstance(parts, str):
        return _global(value, parts, copied)
    assert isinstance(parts, tuple)
    make, *rest = parts
    if make is getattr(copyreg, "__newobj__", None):
        make = "new"
    # Items of lists and dictionaries come as iterators, at the end.
    filled = [[*each] if isinstance(each, Iterator) else each for each in rest]
    return {**_named(type(value)), "made": [copied(each) for each in (make, *filled)]}


def _global(value: Any, name: str, copied: Callable[[Any], Any]) -> dict[str, Any]:
    """Something that is copied by its name: what some module has by it, and what it was wrapped around."""
    module = getattr(value, "__module__", None) or type(value).__module__
    wrapped = getattr(value, "__wrapped__", None)
    places = [each for each in (module, module.partition(".")[0]) if is_found(value, each, name)]
    if places:
        found = {"is": f"{places[0]}:{name}", **_code(places[0], name)}
        if "code" in found and isinstance(wrapped, types.FunctionType):
            return {**found, "wraps": _body(wrapped, copied)}
        return found
    if wrapped is None:
        raise Indescribable(f"{quoted(name)} is not the one that {module} has by that name")
    return {**_named(type(value)), "wraps": copied(wrapped)}


def _named(value: Any) -> dict[str, Any]:
    """A class or a function."""
    name = name_of(value)
    module, _, path = name.partition(":")
    if "<" in name:
        what = "a lambda" if "<lambda>" in name else f"{quoted(value.__name__)}, defined inside a function,"
        raise Indescribable(f"{what} has no name that another process could find")
    code = _code(module, path)
    if not is_found(value, module, path):
        raise Indescribable(f"{quoted(path)} is not the one that {module} has by that name")
    members = {"members": members_of(value, is_own)} if code and isinstance(value, type) else {}
    return {"is": name, **code, **members}


def _code(module: str, name: str) -> dict[str, str]:
    try:
        found = code_of(module)
    except Unknown as problem:
        raise Indescribable(f"{name} {problem}") from None
    return {} if found is None else {"code": found}


def array_hash(value: np.ndarray[Any, Any]) -> str:
    """Of the bytes of an array in the order of its rows."""
    whole = np.ascontiguousarray(value)
    return sha256(whole.view(np.uint8).data if whole.size else b"").hexdigest()


def _short(value: Any) -> str:
    return f"a value of type {type(value).__name__}"
