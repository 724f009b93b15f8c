"""The words of a line of ARFF: values bare or in quotes, separated by commas or blanks, and comments."""

from __future__ import annotations

import re

_BLANKS = re.compile(r"[ \t\r\n\f]*")
_BARE = re.compile(r"""[^ \t\r\n\f,'"{}%]+""")
_QUOTED = re.compile(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\"""")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r"}
_SPECIAL = re.compile(r"""['"{}%\\]""")
_BLANK_INSIDE = re.compile(r"[^\s,]\s+[^\s,]")

Word = tuple[str, bool]  # the text, and whether it stood in quotes


class WordError(Exception):
    """What is wrong with a line, without the place."""


def words(text: str, at: int = 0, end: str = "") -> tuple[list[Word], int]:
    """The values from `at` to the end of the line, a comment or the sign `end`; and the place behind them."""
    found: list[Word] = []
    expected = False
    while True:
        at = after_blanks(text, at)
        if at >= len(text) or text[at] in "%" + end:
            if expected:
                raise WordError("ends with a comma")
            return found, at
        if text[at] == ",":
            raise WordError("has nothing between two commas" if found else "begins with a comma")
        if text[at] in "{}":
            if found and text[at] == "{" and not end:
                return found, at
            raise WordError(f"has a {text[at]} where a value is expected")
        word, behind = next_word(text, at)
        found.append(word)
        at = after_blanks(text, behind)
        expected = text.startswith(",", at)
        if expected:
            at += 1
        elif at == behind and at < len(text) and text[at] not in "{}" + end:
            raise WordError(f"has {text[at]!r} right behind the value {word[0]!r}")


def plain_values(line: str) -> list[str] | None:
    """The values of a line with nothing special in it, at the speed of `split`; None for any other line."""
    if _SPECIAL.search(line):
        return None
    values = [value.strip() for value in line.split(",")]
    return values if all(values) and not _BLANK_INSIDE.search(line) else None


def next_word(text: str, at: int) -> tuple[Word, int]:
    """The value that begins at `at`, and the place behind it."""
    if text[at] in "'\"":
        quoted = _QUOTED.match(text, at)
        if quoted is None:
            raise WordError(f"has a quote ({text[at]}) that is never closed")
        inside = quoted[1] if quoted[1] is not None else quoted[2]
        return (_ESCAPE.sub(_unescaped, inside), True), quoted.end()
    bare = _BARE.match(text, at)
    if bare is None:
        raise WordError(f"has a {text[at]} where a value is expected")
    return (bare[0], False), bare.end()


def after_blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return at if found is None else found.end()


def _unescaped(found: re.Match[str]) -> str:
    sign = found[1]
    return chr(int(sign[1:], 16)) if len(sign) > 1 else _CONTROLS.get(sign, sign)
