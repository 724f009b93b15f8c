"""Text from data, made visible, and short without becoming the same."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import count

ELLIPSIS = "…"
_JOINER = "\u200d"

_EMOJI = (
    r"[\xa9\xae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u27bf\u2934\u2935"
    r"\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
UNSEEN = (
    r"[\x00-\x1f\x7f-\xa0\xad"  # controls, no-break blank, soft hyphen
    r"\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0"  # fillers and joiners of single scripts
    r"\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800"  # odd blanks, zero widths, bidi controls
    r"\ud800-\udfff\ufe00-\ufe0f\ufeff\ufff0-\ufffb\ufffe\uffff"  # surrogates, variants, byte order marks
    r"\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# Joiners and variation selectors are part of many emoji, and tricks anywhere else.
_SPECIAL = re.compile(
    rf"(?P<emoji>{_EMOJI}\ufe0f?(?:{_JOINER}{_EMOJI}\ufe0f?)*|[#*0-9]\ufe0f\u20e3)"
    r"|\A[ \u3000]+|(?<![ \u3000])[ \u3000]++\Z"
    rf"|{UNSEEN}"
)
# Nothing to see, or what the quoted form of that looks like, which needs quotes to stay different from it.
_NAMELESS = re.compile(rf"(?:[ \u3000]|{UNSEEN})*|'(?:[ '\u3000]|{UNSEEN})*'")
_LOOKS_ESCAPED = re.compile(r"\\[\\nrtxuU]")
_SHORT_ESCAPES = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def terminal(text: str) -> str:
    r"""The text with everything unseen or harmful in a terminal written as a Python escape.

    That is: control characters, line breaks, tabs, text direction controls, zero-width and other
    invisible characters, blanks other than the ordinary ones, blanks at either end, lone surrogates.
    Letters of all scripts, combining marks and emoji stay. Different texts stay different: backslashes
    are doubled in a text that has an escape, or something that looks like one.

    >>> terminal("\x1b[31mred\n"), terminal("Zoë"), terminal(r"a\b"), terminal(r"a\n"), terminal("yes ")
    ('\\x1b[31mred\\n', 'Zoë', 'a\\b', 'a\\\\n', 'yes\\x20')
    """
    if sentence(text) == text and not _LOOKS_ESCAPED.search(text):
        return text
    return sentence(text.replace("\\", r"\\"))


def sentence(text: str) -> str:
    r"""A sentence of ours made visible like `terminal`, but with its backslashes as they are.

    Labels in a sentence are quoted by `repr`: their escapes are written already, and unambiguous.

    >>> sentence("label '\\x1b[31mred' was\x07") == r"label '\x1b[31mred' was\x07"
    True
    """
    return _SPECIAL.sub(_visible, text)


def name(label_text: str) -> str:
    """The text of a label as it names a row: itself, or in quotes when there is nothing to see in it.

    >>> name("yes"), name(""), name("   ")
    ('yes', "''", "'   '")
    """
    return f"'{label_text}'" if _NAMELESS.fullmatch(label_text) else label_text


def _visible(match: re.Match[str]) -> str:
    return match[0] if match["emoji"] else "".join(map(_escaped, match[0]))


def _escaped(character: str) -> str:
    if character in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[character]
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def cells(text: str) -> int:
    """How many cells of a terminal the text takes: most letters 1, Chinese or emoji 2, marks 0."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def head(text: str, room: int) -> str:
    """The longest beginning that fits, without tearing a mark off its letter."""
    if text.isascii():
        return text[:room]
    start = used = 0
    for index in range(1, len(text) + 1):
        if index < len(text) and not _starts_character(text, index):
            continue
        used += cells(text[start:index])
        if used > room:
            break
        start = index
    return text[:start]


def tail(text: str, room: int) -> str:
    """The longest end that fits, without tearing a mark off its letter."""
    if text.isascii():
        return text[max(0, len(text) - room) :]
    end = len(text)
    used = 0
    for index in range(len(text) - 1, -1, -1):
        if index and not _starts_character(text, index):
            continue
        used += cells(text[index:end])
        if used > room:
            break
        end = index
    return text[end:]


def _starts_character(text: str, index: int) -> bool:
    return text[index - 1] != _JOINER and cells(text[index]) > 0


def distinct(labels: Sequence[str], width: int) -> list[str]:
    """The labels cut to a width so that different labels still look different.

    A long label keeps its beginning and its end; where that makes two of them alike they are numbered.
    Holds for any width that has room for an ellipsis, a tilde and the number of labels.

    >>> distinct(["short", "a_long_label_name_01", "a_long_label_name_02"], 10)
    ['short', 'a_long…_01', 'a_long…_02']
    >>> distinct(["a_long_name_1_measured", "a_long_name_2_measured"], 10)
    ['a_long_…~1', 'a_long_…~2']
    """
    different = list(dict.fromkeys(labels))
    # Compared with its own beginning, so that a very long label is not measured to its end.
    shown = {label: label for label in different if len(head(label, width)) == len(label)}
    cut = {label: _without_middle(label, width) for label in different if label not in shown}
    likeness = Counter([*shown, *cut.values()])
    alike = [label for label, short in cut.items() if likeness[short] > 1]
    shown |= {label: short for label, short in cut.items() if likeness[short] == 1}

    taken = set(likeness)
    room = width - len(f"{ELLIPSIS}~{len(different)}")
    numbers: defaultdict[str, Iterator[int]] = defaultdict(lambda: count(1))
    for label in alike:
        start = head(label, max(0, room)) + ELLIPSIS
        name = next(name for number in numbers[start] if (name := f"{start}~{number}") not in taken)
        shown[label] = tail(name, width)
    return [shown[label] for label in labels]


def _without_middle(label: str, width: int) -> str:
    end = (width - 1) // 3
    return head(label, width - 1 - end) + ELLIPSIS + tail(label, end)
