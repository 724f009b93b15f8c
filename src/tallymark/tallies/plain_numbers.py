"""Text labels that are all whole numbers in plain form can be read as numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable

# No plus sign, no leading zeros: 007 differs from 7, and codes such as postcodes stay text.
# Python refuses to read numbers of more than 4,300 digits; long before that they are no class numbers.
_PLAIN = re.compile(r"-?(0|[1-9][0-9]{0,99})(\.0+)?")


def whole_numbers(labels: Iterable[str]) -> dict[str, int] | None:
    """Each label's number, or None unless every one is a whole number in plain form.

    >>> whole_numbers(["0", "1.0"])
    {'0': 0, '1.0': 1}
    >>> whole_numbers(["007", "7"]) is None
    True
    """
    numbers = {}
    for label in labels:
        if not _PLAIN.fullmatch(label):
            return None
        numbers[label] = int(label.partition(".")[0])
    return numbers
