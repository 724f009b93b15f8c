"""Failures as people see them: one line on stderr, and an exit code."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Sequence

import click

from tallymark.errors import OptionError, TallymarkError

DONE = 0
BAD_INPUT = 2
FAILED_FITS = 3
INTERNAL = 70
INTERRUPTED = 130

TRACEBACK = "TALLYMARK_TRACEBACK"
_ALIKE = 0.7


def report(error: BaseException, arguments: Sequence[str]) -> int:
    """Say what went wrong and return the exit code."""
    if isinstance(error, BrokenPipeError):
        # Whoever was reading has seen enough (`| head`), which is no failure.
        discard_output()
        return DONE
    if isinstance(error, click.Abort | KeyboardInterrupt):
        say("interrupted.")
        return INTERRUPTED
    message = _expected(error, arguments)
    if message is not None:
        say(message)
        return BAD_INPUT
    _show_traceback(error)
    say(_bug(error, arguments))
    return INTERNAL


def say(message: str) -> None:
    """One line on stderr."""
    click.echo(f"tallymark: {visible(message)}", err=True)


def visible(text: str, keep: str = "") -> str:
    """The text with what a terminal would not show, or would obey, written as escapes.

    Messages hold labels that are escaped already; so, unlike `terminal`, backslashes stay as they are.
    """
    if text.isprintable():
        return text
    from tallymark.drawing import terminal

    return "".join(c if c in keep or c.isprintable() else terminal(c) for c in text)


def unknown_command(name: str) -> OptionError:
    """No such command, and the nearest that there is."""
    from difflib import get_close_matches

    from tallymark.cli import COMMANDS

    close = get_close_matches(name, COMMANDS, n=1)
    hint = f"did you mean `tallymark {close[0]}`?" if close else f"the commands are {', '.join(COMMANDS)}."
    return OptionError(f"there is no command {name!r}.", hint=hint)


def discard_output() -> None:
    """Let what is still buffered go nowhere, or Python complains about it when it ends."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _expected(error: BaseException, arguments: Sequence[str]) -> str | None:
    """The sentence for a failure that is not a bug of tallymark."""
    if isinstance(error, TallymarkError):
        if not error.option:
            return str(error)
        opens = error.file and error.message.startswith(error.file)
        return f"{error.option}{' ' if opens else ': '}{error}"
    if isinstance(error, click.ClickException):
        return _usage(error, arguments)
    if isinstance(error, MemoryError):
        return (
            "there is not enough memory for this. Hint: close other programs, or evaluate fewer rows at once."
        )
    if isinstance(error, OSError):
        discard_output()
        if error.filename is None and error.errno == errno.ENOSPC:
            # Files that we write are told of by name.
            return f"the system refused to write to standard output: {error.strerror}."
        where = "" if error.filename is None else f" {str(error.filename)!r}"
        return f"the system refused to read or write{where}: {error.strerror or error}."
    return None


def _usage(error: click.ClickException, arguments: Sequence[str]) -> str:
    """Our own words, because click's change with its version and with the language of the system."""
    from tallymark.cli import COMMANDS

    command = " ".join(["tallymark", *(word for word in arguments[:1] if word in COMMANDS)])
    hint = f"`{command} --help` shows how it is used."
    match error:
        case click.NoSuchOption():
            message = f"there is no option {error.option_name}."
            close = _close(error.option_name, error.possibilities or ())
            if close:
                hint = f"did you mean {' or '.join(close)}?"
            elif error.option_name[1:].isdigit():
                hint = "what begins with - but is no option needs -- in front of it."
        case click.BadOptionUsage():
            given = any(word.startswith(f"{error.option_name}=") for word in arguments)
            message = f"{error.option_name} {'takes no' if given else 'needs a'} value."
        case click.MissingParameter() if error.param is not None:
            message = f"{_name(error.param)} is missing."
        case click.BadParameter() if error.param is not None:
            message = f"{_name(error.param)}: {error.message.rstrip('.')}."
        case _:
            text = error.format_message().rstrip(".")
            message = f"{text[:1].lower()}{text[1:]}."
    return f"{message} Hint: {hint}"


def _close(name: str, options: Sequence[str]) -> list[str]:
    """Of the options that click finds alike those that one may have meant."""
    from difflib import SequenceMatcher

    given = name.strip("-")
    return sorted(
        option
        for option in options
        if SequenceMatcher(None, given, option.strip("-")).ratio() >= _ALIKE
        or option.strip("-").startswith(given)
    )


def _name(parameter: click.Parameter) -> str:
    if isinstance(parameter, click.Argument):
        return str(parameter.metavar or parameter.name).rstrip(".")
    return max(parameter.opts, key=len)


def _show_traceback(error: BaseException) -> None:
    if os.environ.get(TRACEBACK):
        import traceback

        traceback.print_exception(error)


def _bug(error: BaseException, arguments: Sequence[str]) -> str:
    import platform
    import shlex

    from tallymark._version import __version__

    text = f"{type(error).__name__}: {error}".removesuffix(": ")
    return (
        f"this is a bug of tallymark, please report it: version {__version__}, Python "
        f"{platform.python_version()}, command `{shlex.join(['tallymark', *arguments])}`, {text}. "
        f"Hint: with {TRACEBACK}=1 in the environment the traceback is shown."
    )
