"""Constants in the code of one's own, which may be set while a program runs: its file does not say so."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

SIMPLE = (type(None), bool, int, float, complex, str, bytes)


class Constant(NamedTuple):
    """What a file says of a name in it."""

    name: str
    """Of an attribute of a class with the class before it."""
    value: Any


def constants_in(tree: ast.Module) -> Iterator[Constant]:
    """Names of a module and of its classes that are given a value in one place only."""
    times = Counter(_bound(tree))
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    inner = [(f"{node.name}.", node.body, Counter(_bound(node))) for node in classes]
    if times["*"]:
        return
    for owner, body, within in [("", tree.body, times), *inner]:
        for node in body:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    pass
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    pass
                case _:
                    continue
            known, found = _literal(value)
            # Of attributes, those that are set from elsewhere in the file count as well.
            if known and within[name] == 1 and not times[f".{name}"]:
                yield Constant(owner + name, found)


def is_other(module: ModuleType, constant: Constant) -> bool:
    """Whether a loaded module has another simple value there; others may be made of it as it loads."""
    owner, _, name = constant.name.rpartition(".")
    place = getattr(module, owner, None) if owner else module
    if owner and getattr(place, "__module__", None) != module.__name__:
        return False
    found = getattr(place, "__dict__", {}).get(name, ...)
    return type(found) in SIMPLE and repr(found) != repr(constant.value)


def _bound(tree: ast.AST) -> Iterator[str]:
    """Every name that is given a value, once for each time; attributes with a point before them."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name
            case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()):
                yield f".{name}"
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                yield from names
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.alias(name=name, asname=other):
                yield other or name.partition(".")[0]


def _literal(node: ast.expr) -> tuple[bool, Any]:
    try:
        found = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False, None
    return type(found) in SIMPLE, found
