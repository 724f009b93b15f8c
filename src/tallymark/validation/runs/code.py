"""The code of one's own that a model stands in, so that an edited model is another model."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from hashlib import sha256
from importlib.machinery import SourceFileLoader
from importlib.util import MAGIC_NUMBER, find_spec
from pathlib import Path
from struct import pack
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

from tallymark.validation.runs.constants import Constant, constants_in, is_other
from tallymark.validation.runs.installed import has_version

_MAIN = ("__main__", "__mp_main__")
_IMPORTING = ("import_module", "__import__")


class Unknown(Exception):
    """Code that is nowhere to be read."""


class _Source(NamedTuple):
    """What a file says."""

    hash: str
    imports: tuple[str, ...] = ()
    """The modules it may import, anywhere in it."""
    codes: frozenset[CodeType] = frozenset()
    """Of all functions in it."""
    constants: tuple[Constant, ...] = ()


_seen: dict[str, tuple[Any, str]] = {}
"""By module, what loaded it and what its file said then: another file by the same load was edited since."""


def code_of(name: str) -> str | None:
    """A hash of a module of one's own and of all such modules it imports; None for installed ones, which have
    a version instead."""
    found = _sources(name)
    if found is None:
        return None
    whole = sha256()
    for each, source in sorted(found.items()):
        _refuse_edited(each, source)
        whole.update(f"|{each}|{source.hash}".encode())
    return whole.hexdigest()[:16]


def files_of(name: str) -> dict[str, str]:
    """The same, module by module; without a program's own, whose classes travel to workers as they are."""
    found = _sources(name) or {}
    return {each: source.hash for each, source in found.items() if each not in _MAIN}


def libraries_of(name: str) -> set[str]:
    """The packages that this code of one's own imports; those that are not there among them."""
    found = _sources(name) or {}
    tops = {each.partition(".")[0] for source in found.values() for each in source.imports}
    return tops - {each.partition(".")[0] for each in found} - sys.stdlib_module_names


def is_own(name: str) -> bool:
    """Whether a module is known by its file."""
    module = sys.modules.get(name)
    try:
        place = None if module is None else _place_of(module)
    except Unknown:
        return True
    return place is not None and not has_version(name, place)


def loaded_from_others(files: Mapping[str, str]) -> str | None:
    """The first module that is loaded here, but not from a file that said the same."""
    for name, said in files.items():
        module = sys.modules.get(name)
        if module is None:
            continue
        if name not in _seen or _seen[name][0] is not module.__spec__:
            try:
                _refuse_edited(name, _read(name, _place_of(module) or Path()))
            except Unknown:
                return name
        if _seen[name][1] != said:
            return name
    return None


def _sources(name: str) -> dict[str, _Source] | None:
    module = sys.modules.get(name)
    if module is None:
        raise Unknown(f"is of the module {name}, which is not to be found")
    place = _place_of(module)
    return None if place is None or has_version(name, place) else _reached(name, place)


def _place_of(module: ModuleType) -> Path | None:
    """The file of a module; None for what is part of Python itself."""
    file = getattr(module, "__file__", None)
    if file is None:
        origin = getattr(module.__spec__, "origin", None)
        if origin in ("built-in", "frozen") or module.__name__ in sys.builtin_module_names:
            return None
        raise Unknown(f"is defined in {module.__name__}, whose code is in no file")
    place = Path(file)
    if not place.is_file():
        raise Unknown(f"is defined in {module.__name__}, whose file {file} is not there")
    return place


def _reached(name: str, place: Path) -> dict[str, _Source]:
    """A module and those of one's own that it imports, and so on.

    The files alone say so: what a process happens to have loaded does not matter.
    """
    found: dict[str, _Source] = {}
    waiting = [(name, place)]
    while waiting:
        each, file = waiting.pop()
        if each not in found:
            found[each] = _read(each, file)
            waiting += [(other, there) for other in found[each].imports if (there := _own_place(other))]
    return found


def _read(name: str, file: Path) -> _Source:
    package = name if file.stem == "__init__" else name.rpartition(".")[0]
    if name in _MAIN:  # of `python -m package.module`
        package = getattr(sys.modules.get(name), "__package__", None) or ""
    try:
        about = file.stat()
        return _source(package, file, about.st_mtime_ns, about.st_size)
    except OSError:
        raise Unknown(f"uses {name}, whose file {str(file)!r} cannot be read") from None


@lru_cache(maxsize=256)
def _source(package: str, file: Path, _time: int, _size: int) -> _Source:
    """The time and the size tell one state of a file from another."""
    content = file.read_bytes()
    told = sha256(content).hexdigest()
    if file.suffix != ".py":
        return _Source(told)
    try:
        tree = ast.parse(content)
        codes = frozenset(_codes(compile(content, str(file), "exec", dont_inherit=True)))
    except (SyntaxError, ValueError):
        return _Source(told)
    return _Source(told, tuple(sorted(set(_imports(tree, package)))), codes, tuple(constants_in(tree)))


def _imports(tree: ast.AST, package: str) -> Iterator[str]:
    """The names of modules in import statements, and of the packages they are in; and those that are written
    out in a call."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in _IMPORTING:
            match node.args:
                case [ast.Constant(value=str(name)), *_]:
                    inside = f"{package}." if name.startswith(".") else ""
                    yield from _with_packages(inside + name.lstrip("."))
        elif isinstance(node, ast.Import):
            for each in node.names:
                yield from _with_packages(each.name)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*parents, *([node.module] if node.module else [])])
            for each in node.names:
                yield from _with_packages(f"{base}.{each.name}")


def _with_packages(name: str) -> Iterator[str]:
    parts = name.split(".")
    yield from (".".join(parts[:many]) for many in range(1, len(parts) + 1))


@cache
def _own_place(name: str) -> Path | None:
    """The file of a module that is to be imported, if it is of one's own."""
    top = name.partition(".")[0]
    if top in sys.stdlib_module_names or top in _MAIN:
        return None
    # What lies in installed packages is not looked for: that would import them.
    with suppress(ImportError, ValueError, AttributeError):
        spec = find_spec(name) if name == top or _is_own_package(top) else None
        place = Path(spec.origin) if spec is not None and spec.origin is not None else None
        if place is not None and place.is_file() and not has_version(name, place):
            return place
    return None


@cache
def _is_own_package(top: str) -> bool:
    spec = find_spec(top)
    folders = [] if spec is None else list(spec.submodule_search_locations or ())
    return any(not has_version(top, Path(each)) for each in folders)


def _codes(code: CodeType) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            yield from _codes(each)


# --- edited since it was loaded --------------------------------------------------------------------------


def _refuse_edited(name: str, source: _Source) -> None:
    """A loaded module whose file was edited does not do what is written there."""
    module = sys.modules.get(name)
    if module is None:
        return
    loaded, told = _seen.get(name, (None, source.hash))
    if name not in _seen or loaded is not module.__spec__:
        told = source.hash
    # Other loaders, such as pytest's, may change code as they load it.
    if told != source.hash or (_is_usual(module) and _is_other(module, source)):
        raise Unknown(f"uses the code of {name}, whose file was edited after it was loaded")
    changed = next((each.name for each in source.constants if is_other(module, each)), None)
    if changed is not None:
        raise Unknown(f"uses the code of {name}, in which {changed} is not what its file says")
    _seen[name] = module.__spec__, told


def _is_usual(module: ModuleType) -> bool:
    return type(getattr(module, "__loader__", None)) is SourceFileLoader


def _is_other(module: ModuleType, source: _Source) -> bool:
    return not source.codes.issuperset(_loaded_codes(module)) or _is_newer_than_compiled(module)


def _is_newer_than_compiled(module: ModuleType) -> bool:
    """Whether the file is another than that which Python compiled when it loaded the module."""
    if sys.dont_write_bytecode:
        return False
    try:
        with open(module.__spec__.cached, "rb") as file:  # type: ignore[union-attr, arg-type]
            magic, flags, state = file.read(4), file.read(4), file.read(8)
        about = Path(str(module.__file__)).stat()
    except (OSError, AttributeError, TypeError):
        return False
    whole = 0xFFFFFFFF
    now = pack("<II", int(about.st_mtime) & whole, about.st_size & whole)
    return magic == MAGIC_NUMBER and not any(flags) and state != now


def _loaded_codes(module: ModuleType) -> Iterator[CodeType]:
    """Of the functions and methods that stand in the file of a module."""
    values = [each for each in vars(module).values() if getattr(each, "__module__", None) == module.__name__]
    inside = [each for value in values if isinstance(value, type) for each in vars(value).values()]
    for each in (*values, *inside):
        if isinstance(each, FunctionType) and each.__code__.co_filename == module.__file__:
            yield each.__code__
