"""`[tool.tallymark]` in pyproject.toml: options of a command that need not be typed again."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click

from tallymark.errors import FileError, OptionError

FILE = "pyproject.toml"
FILES = "files"
_PATHS = ("baseline", "junit")
_LISTS = ("actual", "predicted", "probabilities", "votes", "labels")
"""Options whose value is a list with commas: in the file it may be an array."""
_NOT_HERE = ("config", "no-config", "help")
_TYPED_ONLY = ("engine", "master", "scheduler", "force", "output", "quiet")
"""Options that run code elsewhere, replace files or hide what is reported: whoever can put a file into a
folder may not decide on them."""
_META = "tallymark.configuration"


@dataclass(frozen=True)
class Configuration:
    """What a file says of a command."""

    path: Path | None = None
    files: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    """Values by the names of parameters, as text, flags and lists of text."""
    not_read: tuple[Path, ...] = ()
    """Files that belong to another user."""

    def taken(self, ctx: click.Context) -> tuple[str, ...]:
        """Keys of the file that count, because the command line does not give them."""
        from click.core import ParameterSource

        options = [each for each in ctx.command.params if isinstance(each, click.Option)]
        counting = (each for each in options if each.name in self.options)
        return tuple(
            _key(each)
            for each in counting
            if ctx.get_parameter_source(str(each.name)) is ParameterSource.DEFAULT_MAP
        )


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
    if path is None:
        found = _nearest(ctx.command, Path.cwd())
    else:
        table = _table(Path(path))
        if table is None:
            raise FileError(
                f"{_shown(Path(path))} has no [tool.tallymark].", hint="add it, or leave out --config."
            )
        found = _read(ctx.command, Path(path), table)
    ctx.meta[_META] = found
    ctx.default_map = dict(found.options)


def _without(ctx: click.Context, _: click.Parameter, given: bool) -> None:
    if not given:
        return
    if _META in ctx.meta:
        raise OptionError("--config and --no-config exclude each other.")
    ctx.meta[_META] = Configuration()


# --- the file ------------------------------------------------------------------------------------


def _nearest(command: click.Command, folder: Path) -> Configuration:
    """The file that has our table, in this folder or above it, up to where the repository begins."""
    not_read = []
    for place in (folder, *folder.parents):
        path = place / FILE
        if path.is_file():
            try:
                table = _table(path, only_own=True)
            except _OtherOwner:
                not_read.append(path)
            else:
                if table is not None:
                    return replace(_read(command, path, table), not_read=tuple(not_read))
        if (place / ".git").exists():
            break
    return Configuration(not_read=tuple(not_read))


class _OtherOwner(Exception):
    """The file belongs to another user."""


def _table(path: Path, *, only_own: bool = False) -> dict[str, Any] | None:
    import tomllib

    try:
        if only_own and not {path.stat().st_uid, path.lstat().st_uid} <= _own_ids():
            raise _OtherOwner
        with path.open("rb") as file:
            # Once more of the file that is open: the one at this path may be another one by now.
            if only_own and os.fstat(file.fileno()).st_uid not in _own_ids():
                raise _OtherOwner
            content = file.read()
        tools = tomllib.loads(content.decode("utf-8-sig")).get("tool")
    except OSError as problem:
        raise FileError(f"cannot read {_shown(path)}: {problem.strerror}.") from problem
    except (ValueError, RecursionError) as problem:
        # A number of thousands of digits is a ValueError that is no TOMLDecodeError.
        said = "it is not UTF-8 text" if isinstance(problem, UnicodeDecodeError) else str(problem).rstrip(".")
        raise FileError(
            f"{_shown(path)} is not TOML: {said}.", hint="mend it, or leave it aside: --no-config."
        ) from problem
    table = tools.get("tallymark") if isinstance(tools, dict) else None
    if table is not None and not isinstance(table, dict):
        raise FileError(f"{_shown(path)}: tool.tallymark is a table of options; got {table!r}.")
    return table


def _own_ids() -> set[int]:
    """Users whose files are read without being named, as git's safe.directory: this one, and with sudo the
    one who called it. Windows has no such ids: there all files have the id 0."""
    if not hasattr(os, "geteuid"):
        return {0}
    own = {os.geteuid()}
    caller = os.environ.get("SUDO_UID", "")
    if own == {0} and caller.isascii() and caller.isdigit():
        own.add(int(caller))
    return own


def _shown(path: Path) -> str:
    return repr(os.path.relpath(path))


def _read(command: click.Command, path: Path, table: Mapping[str, Any]) -> Configuration:
    options = {_key(each): each for each in command.params if isinstance(each, click.Option)}
    known = [FILES, *(name for name in options if name not in (*_NOT_HERE, *_TYPED_ONLY))]
    found: dict[str, Any] = {}
    files: tuple[str, ...] = ()
    for given, value in table.items():
        key = given.replace("_", "-")
        if key in _TYPED_ONLY and key in options:
            raise OptionError(
                f"{_shown(path)}: {given!r} is not allowed in [tool.tallymark].",
                hint=f"remove it there, and give --{key} on the command line.",
            )
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
