"""`[tool.tallymark]` in pyproject.toml: options of a command that need not be typed again."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from tallymark.errors import FileError, OptionError

FILE = "pyproject.toml"
FILES = "files"
_PATHS = ("baseline", "junit", "output")
_LISTS = ("actual", "predicted", "probabilities", "votes", "labels")
"""Options whose value is a list with commas: in the file it may be an array."""
_NOT_HERE = ("config", "no-config", "help")
_META = "tallymark.configuration"


@dataclass(frozen=True)
class Configuration:
    """What a file says of a command."""

    path: Path | None = None
    files: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    """Values by the names of parameters, as text, flags and lists of text."""


def config_options(function: Any) -> Any:
    """Options that say where the configuration is; what it says becomes the default of all others."""
    function = click.option(
        "--no-config", is_flag=True, is_eager=True, expose_value=False, callback=_without,
        help=f"Read no {FILE}.",
    )(function)  # fmt: skip
    return click.option(
        "--config", metavar="FILE", is_eager=True, expose_value=False, callback=_with,
        help=f"Where [tool.tallymark] is, if not in the nearest {FILE}.",
    )(function)  # fmt: skip


def configuration() -> Configuration:
    """The one of this command."""
    found: Configuration = click.get_current_context().meta.get(_META, Configuration())
    return found


def _with(ctx: click.Context, _: click.Parameter, path: str | None) -> None:
    if _META in ctx.meta:  # --no-config came first
        if path is not None:
            raise OptionError("--config and --no-config exclude each other.")
        return
    place = _nearest(Path.cwd()) if path is None else Path(path)
    table = None if place is None else _table(place, named=path is not None)
    found = Configuration() if place is None or table is None else _read(ctx.command, place, table)
    ctx.meta[_META] = found
    ctx.default_map = dict(found.options)


def _without(ctx: click.Context, _: click.Parameter, given: bool) -> None:
    if not given:
        return
    if _META in ctx.meta:
        raise OptionError("--config and --no-config exclude each other.")
    ctx.meta[_META] = Configuration()


# --- the file ------------------------------------------------------------------------------------


def _nearest(folder: Path) -> Path | None:
    """The file that has our table, in this folder or above it, up to where the repository begins."""
    for place in (folder, *folder.parents):
        path = place / FILE
        if path.is_file() and _table(path) is not None:
            return path
        if (place / ".git").exists():
            return None
    return None


def _table(path: Path, *, named: bool = False) -> dict[str, Any] | None:
    import tomllib

    try:
        text = path.read_bytes().decode("utf-8-sig")
        tools = tomllib.loads(text).get("tool")
    except OSError as problem:
        raise FileError(f"cannot read {_shown(path)}: {problem.strerror}.") from problem
    except (ValueError, RecursionError) as problem:
        # A number of thousands of digits is a ValueError that is no TOMLDecodeError.
        said = "it is not UTF-8 text" if isinstance(problem, UnicodeDecodeError) else str(problem).rstrip(".")
        raise FileError(
            f"{_shown(path)} is not TOML: {said}.", hint="mend it, or leave it aside: --no-config."
        ) from problem
    table = tools.get("tallymark") if isinstance(tools, dict) else None
    if table is None and named:
        raise FileError(f"{_shown(path)} has no [tool.tallymark].", hint="add it, or leave out --config.")
    if table is not None and not isinstance(table, dict):
        raise FileError(f"{_shown(path)}: tool.tallymark is a table of options; got {table!r}.")
    return table


def _shown(path: Path) -> str:
    return repr(os.path.relpath(path))


def _read(command: click.Command, path: Path, table: Mapping[str, Any]) -> Configuration:
    options = {_key(each): each for each in command.params if isinstance(each, click.Option)}
    known = [FILES, *(name for name in options if name not in _NOT_HERE)]
    found: dict[str, Any] = {}
    files: tuple[str, ...] = ()
    for given, value in table.items():
        key = given.replace("_", "-")
        if key not in known:
            raise _unknown(path, given, known)
        place = _Place(path, given)
        if key == FILES:
            files = tuple(place.beside(text) for text in place.texts(value))
            continue
        option = options[key]
        if option.name in found:
            raise OptionError(f"{_shown(path)} gives {key} twice.", hint="write it once, with - or with _.")
        assert option.name is not None
        found[option.name] = place.value_of(option, key, value)
    return Configuration(path, files, found)


def _key(option: click.Option) -> str:
    return max(option.opts, key=len).lstrip("-")


def _unknown(path: Path, given: str, known: list[str]) -> OptionError:
    from difflib import get_close_matches

    close = get_close_matches(given.replace("_", "-"), known, n=1)
    hint = f"did you mean {close[0]}?" if close else "its keys are the options of `tallymark check --help`."
    return OptionError(f"{_shown(path)}: there is no option {given!r} in [tool.tallymark].", hint=hint)


@dataclass(frozen=True)
class _Place:
    """A key of the file, and reading its value."""

    path: Path
    key: str

    def value_of(self, option: click.Option, key: str, value: Any) -> Any:
        """The value as it would be typed."""
        if option.is_flag:
            if not isinstance(value, bool):
                raise self._wrong("true or false", value)
            return value
        if option.multiple:
            return [self._found(key, text) for text in self.texts(value)]
        if key in _LISTS and isinstance(value, list):
            return _with_commas(list(self.texts(value)))
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if isinstance(option.type, click.types.FuncParamType) and not is_number:
            raise self._wrong("a number", value)
        return self._found(key, self._text(value))

    def texts(self, value: Any) -> Iterator[str]:
        """Items of an array; one text stands for an array of it."""
        expected = "text or an array of texts"
        yield from (self._text(item, expected) for item in (value if isinstance(value, list) else [value]))

    def beside(self, text: str) -> str:
        """A path as seen from where we are, because in the file it is relative to the file."""
        if text == "-" or "://" in text:
            return text
        return os.path.relpath(self.path.parent / text)

    def _found(self, key: str, text: str) -> str:
        if key in _PATHS:
            return self.beside(text)
        # Costs are typed, or in a file.
        is_file = key == "costs" and (self.path.parent / text).is_file()
        return self.beside(text) if is_file else text

    def _text(self, value: Any, expected: str = "text or a number") -> str:
        if isinstance(value, str) and value:
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            return repr(value)
        raise self._wrong(expected, value)

    def _wrong(self, expected: str, value: Any) -> OptionError:
        return OptionError(f"{_shown(self.path)}: {self.key} is {expected}; got {value!r}.")


def _with_commas(items: list[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(items)
    return line.getvalue()
