"""Splitters by name, as they are typed: `kfold:10`, `holdout:1/3`."""

from __future__ import annotations

import re
from difflib import get_close_matches
from fractions import Fraction

from tallymark.errors import OptionError
from tallymark.resampling.bootstrap import Bootstrap
from tallymark.resampling.holdout import Holdout, RepeatedHoldout
from tallymark.resampling.kfold import KFold
from tallymark.resampling.leave_out import LeaveOneGroupOut, LeaveOneOut
from tallymark.resampling.pairs import LeavePairsOut
from tallymark.resampling.splitter import Splitter

METHODS = {
    "kfold": "kfold:10, or kfold:5x2 for five runs of two folds",
    "holdout": "holdout:1/3, the share to test on",
    "repeated": "repeated:20, or repeated:20:1/3 for holdout 20 times",
    "loo": "loo, leave one row out",
    "group": "group:COLUMN, leave one group out",
    "pairs": "pairs:COLUMN,COLUMN:5, leave out pairs of entities in 5 blocks (5x3: 5 of one side, 3 of the "
    "other; out=2x1: so many entities at a time; symmetric: both columns name one kind of entity)",
    "bootstrap": "bootstrap:200",
}
_MEANT = {
    "cv": "kfold",
    "k-fold": "kfold",
    "leave-one-out": "loo",
    "leave-one-group-out": "group",
    "logo": "group",
    "groups": "group",
    "repeated-holdout": "repeated",
}
_PAIRED = re.compile(r"(out=)?\d+(x\d+)?|symmetric")
"""What may stand after the columns of pairs."""


def splitter_named(text: str, *, random_state: int | None = 0, stratify: bool = True) -> Splitter:
    """The splitter that a text names; a whole number alone is a number of folds.

    >>> splitter_named("kfold:5x2")
    KFold(n_splits=2, shuffle=True, random_state=0, stratify=True, n_repeats=5)
    """
    name, *details = [word.strip() for word in text.strip().lower().split(":")]
    if name.isdecimal() and not details:
        name, details = "kfold", [name]
    if name not in METHODS:
        raise _unknown(text, name)
    if len(details) > (2 if name in ("repeated", "pairs") else 0 if name in ("loo", "group") else 1):
        raise _misspelt(text, name)
    try:
        return _made(name, details, random_state, stratify)
    except _NotUnderstoodError:
        raise _misspelt(text, name) from None


def method_named(text: str) -> tuple[str, tuple[str, ...]]:
    """The same with columns of a table in it: what names the splitter, and the columns of its groups.

    >>> method_named("group:patient"), method_named("pairs:student,professor:5")
    (('group', ('patient',)), ('pairs:5', ('student', 'professor')))
    """
    name, _, rest = text.strip().partition(":")
    named: tuple[str, tuple[str, ...]] = text.strip(), ()
    if name.strip().lower() == "group" and rest:
        named = "group", (rest,)
    elif name.strip().lower() == "pairs" and rest:
        columns, details = rest, ""
        while _PAIRED.fullmatch(columns.rpartition(":")[2]):
            columns, _, detail = columns.rpartition(":")
            details = f":{detail}{details}"
        if not columns:
            splitter_named(f"pairs{details}")
            return f"pairs{details}", ()
        both = tuple(column.strip() for column in columns.split(","))
        if len(both) != 2 or not all(both) or both[0] == both[1]:
            raise OptionError(
                f"pairs are of two columns; got {columns!r}.", hint=f"write {METHODS['pairs']}."
            )
        named = f"pairs{details}", both
    splitter_named(named[0])
    return named


class _NotUnderstoodError(Exception):
    pass


def _made(name: str, details: list[str], seed: int | None, stratify: bool) -> Splitter:
    match name:
        case "kfold":
            numbers = _numbers(details, "10")
            runs, folds = numbers if len(numbers) == 2 else (1, numbers[0])
            return KFold(folds, n_repeats=runs, random_state=seed, stratify=stratify)
        case "holdout":
            return Holdout(_share(details), random_state=seed, stratify=stratify)
        case "repeated":
            (repeats,) = _numbers(details[:1], "10", most=1)
            share = _share(details[1:])
            return RepeatedHoldout(repeats, test_size=share, random_state=seed, stratify=stratify)
        case "loo":
            return LeaveOneOut()
        case "group":
            return LeaveOneGroupOut()
        case "pairs":
            return _pairs(details, seed)
        case _:
            return Bootstrap(_numbers(details, "200", most=1)[0], random_state=seed)


def _pairs(details: list[str], seed: int | None) -> LeavePairsOut:
    sizes = [detail for detail in details if detail != "symmetric"]
    symmetric = len(sizes) < len(details)
    if len(sizes) > 1 or len(details) - len(sizes) > 1:
        raise _NotUnderstoodError
    at_a_time = bool(sizes) and sizes[0].startswith("out=")
    numbers = _numbers([size.removeprefix("out=") for size in sizes], "5")
    both = numbers[0] if symmetric and len(numbers) == 1 else (numbers[0], numbers[-1])
    if at_a_time:
        return LeavePairsOut(n_left_out=both, symmetric=symmetric, random_state=seed)
    return LeavePairsOut(both, symmetric=symmetric, random_state=seed)


def _numbers(details: list[str], usual: str, most: int = 2) -> list[int]:
    """One whole number, or two as in 5x2."""
    words = (details[0] if details else usual).split("x")
    if len(words) > most or not all(word.isascii() and word.isdecimal() for word in words):
        raise _NotUnderstoodError
    return [int(word) for word in words]


def _share(details: list[str]) -> float:
    """1/3, 0.3 or 30%, between 0 and 1."""
    if not details:
        return 1 / 3
    word = details[0]
    try:
        share = Fraction(word.removesuffix("%")) / (100 if word.endswith("%") else 1)
    except (ValueError, ZeroDivisionError):
        raise _NotUnderstoodError from None
    if not 0 < share < 1:
        raise OptionError(
            f"the share to test on is between 0 and 1; got {word}.", hint="such as 1/3, 0.3 or 30%."
        )
    return float(share)


def _unknown(text: str, name: str) -> OptionError:
    close = [_MEANT[name]] if name in _MEANT else get_close_matches(name, METHODS, n=1)
    meant = f"did you mean {METHODS[close[0]]}? There" if close else "there"
    return OptionError(
        f"no method to leave rows out is called {text!r}.", hint=f"{meant} are {', '.join(METHODS)}."
    )


def _misspelt(text: str, name: str) -> OptionError:
    return OptionError(f"method {text!r} is not understood.", hint=f"write {METHODS[name]}.")
