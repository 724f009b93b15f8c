"""Examples by what somebody types: a name, a case, a chapter, or a word for several."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from tallymark.errors import OptionError

from .example import CHAPTERS, MISPRINTED, Example
from .lectures import EXAMPLES


def chosen(names: Sequence[str]) -> list[Example]:
    """The examples asked for, each once, in the order of the lectures.

    >>> [each.name for each in chosen(["mcnemar", "cost-500-M2"])]
    ['cost-500', 'mcnemar']
    """
    wanted = {name for asked in names for name in _named(asked)}
    return [each for name, each in EXAMPLES.items() if name in wanted]


def _named(asked: str) -> list[str]:
    if asked == "all":
        return list(EXAMPLES)
    if asked == "misprints":
        asked = str(MISPRINTED)
    if asked.isdigit() and int(asked) in CHAPTERS:
        return [name for name, each in EXAMPLES.items() if each.chapter == int(asked)]
    found = [name for name, each in EXAMPLES.items() if asked == name or asked in each.cases]
    if not found:
        raise OptionError(f"no example is named {asked!r}.", hint=_near(asked))
    return found


def _near(asked: str) -> str:
    """Names that contain it, or look like it as a whole or in a word."""
    known = {case: name for name, each in EXAMPLES.items() for case in (*each.cases, name)}
    parts = {part: name for name in reversed(list(EXAMPLES)) for part in name.split("-")}
    near = [name for name in EXAMPLES if asked.lower() in name]
    near += [known[each] for each in difflib.get_close_matches(asked.lower(), known, n=3, cutoff=0.6)]
    near += [parts[each] for each in difflib.get_close_matches(asked.lower(), parts, n=2, cutoff=0.75)]
    if near:
        return f"perhaps {' or '.join(list(dict.fromkeys(near))[:4])}; `tallymark textbook` lists all."
    return "`tallymark textbook` lists all; also a chapter, 1 to 4, misprints, or all."
