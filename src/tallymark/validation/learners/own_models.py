"""Models of one's own, named on the command line: `module:object`."""

from __future__ import annotations

import difflib
import importlib
import sys
from os import getcwd
from typing import Any

from tallymark.errors import OptionError
from tallymark.tallies.labels import quoted
from tallymark.validation.fits.fitting import checked_model

_FORM = (
    "write module:object, such as my_models:forest; the object is a model, its class, or a function that "
    "makes one."
)


def own_model(text: str) -> Any:
    """The estimator at `module:object`; a class or a function there is called without arguments."""
    module_name, _, path = text.partition(":")
    if not all(part.isidentifier() for part in (*module_name.split("."), *path.split("."))):
        raise OptionError(f"{quoted(text)} does not name an object of a module.", hint=_FORM)
    found: Any = _module(module_name)
    for part in path.split("."):
        found = _attribute(found, part, module_name)
    if isinstance(found, type) or (callable(found) and not hasattr(found, "fit")):
        found = _called(found, text)
    return checked_model(text, found)


def _module(name: str) -> Any:
    # The folder of the user goes first, as with `python -m`; workers take over the path they unpickle from.
    folder = getcwd()
    if folder not in sys.path and "" not in sys.path:
        sys.path.insert(0, folder)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as problem:
        if problem.name is None or not f"{name}.".startswith(f"{problem.name}."):
            raise OptionError(
                f"module {quoted(name)} imports {problem.name}, which is not installed."
            ) from problem
        raise OptionError(
            f"there is no module {quoted(name)}, neither installed nor in {folder}.",
            hint=f"write {name.removesuffix('.py')}, without .py." if name.endswith(".py") else _FORM,
        ) from None
    except (Exception, SystemExit) as problem:
        raise OptionError(f"module {quoted(name)} cannot be imported: {_line(problem)}") from problem


def _attribute(owner: Any, name: str, module: str) -> Any:
    if hasattr(owner, name):
        return getattr(owner, name)
    public = [each for each in dir(owner) if not each.startswith("_")]
    close = difflib.get_close_matches(name, public, n=1)
    raise OptionError(
        f"module {quoted(module)} has no {quoted(name)}.",
        hint=f"did you mean {close[0]!r}?" if close else None,
    )


def _called(maker: Any, text: str) -> Any:
    try:
        return maker()
    except Exception as problem:
        raise OptionError(
            f"{quoted(text)} cannot be called without arguments: {_line(problem)}",
            hint="write a function that makes the model, and name that.",
        ) from problem


def _line(problem: BaseException) -> str:
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    said = lines[0] if lines else "without a message"
    return f"{type(problem).__name__}: {said}" + ("" if said.endswith(".") else ".")
