"""How much memory may be used: as people write it, and what there is."""

from __future__ import annotations

import os
import re
from pathlib import Path

from tallymark.errors import MemoryLimitError, OptionError

_SIZE = re.compile(r"\s*(\d[\d_]*(?:\.\d+)?(?:e\+?\d{1,2})?)\s*([kmgt]?)(i?)b?\s*", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_LEAST = 1_000_000
_MOST = 1e30
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
_UNKNOWN = 8 << 30
"""What a machine is taken to have that does not tell."""


def parsed_memory(given: str | int | float | None) -> int:
    """Bytes, from a number of them (1e9) or words such as 500MB, 2GB or 1.5GiB; None is the default.

    >>> parsed_memory("2GB"), parsed_memory("1.5 GiB"), parsed_memory(5_000_000)
    (2000000000, 1610612736, 5000000)
    """
    if given is None:
        return default_memory()
    found = _SIZE.fullmatch(str(given)) if not isinstance(given, bool) else None
    if found is None:
        raise OptionError(f"memory is a size such as 500MB or 2GB; got {given!r}.")
    number, unit, binary = found.groups()
    amount = float(number.replace("_", "")) * (1024 if binary else 1000) ** _POWERS[unit.lower()]
    size = int(min(amount, _MOST))
    if size < _LEAST:
        hint = "a number without a unit is in bytes: write 500MB or 2GB."
        raise OptionError(f"memory must be at least 1MB; got {given!r}.", hint=None if unit else hint)
    return size


def default_memory() -> int:
    """Half of what the machine has, or of what this process may use of it."""
    return machine_memory() // 2


def machine_memory() -> int:
    """What the machine has, or what this process may use of it."""
    try:
        limits = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    except (AttributeError, ValueError, OSError):
        limits = [_UNKNOWN]
    for place in _LIMITS:
        try:
            limits.append(int(Path(place).read_text()))
        except (OSError, ValueError):
            continue  # no such file, or it says "max"
    return min(limits)


def refuse_unfit(what: str, needed: int, memory: int | None, otherwise: str) -> None:
    """Refuse what is read in one piece and takes more memory than is allowed, or than the machine has."""
    limit = machine_memory() if memory is None else memory
    if needed <= limit:
        return
    hint = otherwise
    if memory is not None:
        enough = in_words(1.05 * needed).replace(" ", "")
        hint = f"allow more with --memory {enough} (in Python memory='{enough}'), or {otherwise}"
    raise MemoryLimitError(
        f"{what} is read in one piece, which takes {in_words(needed)}; the memory "
        f"{'of this machine' if memory is None else 'allowed'} is {in_words(limit)}.",
        hint=hint,
    )


def in_words(size: float) -> str:
    """A size for people.

    >>> in_words(2_000_000_000), in_words(1_500)
    ('2 GB', '1.5 kB')
    """
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 999.5:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"
