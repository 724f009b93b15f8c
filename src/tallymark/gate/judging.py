"""A number held against its limit, and against the baseline's."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from tallymark.errors import InputError, OptionError
from tallymark.gate.numbers import Numbers
from tallymark.gate.outcome import Outcome
from tallymark.gate.requirement import Judged, Requirement, Target
from tallymark.inference import Estimate

NO_INTERVAL = "it has no interval, so its value was judged"


def judge(asked: Requirement, numbers: Numbers) -> Iterator[Outcome]:
    """What comes of a requirement: one outcome, or one for each slice."""
    for target, part in _parts(asked.target, numbers):
        estimate = part.number(target.metric, target.label)
        yield judged(asked, target, estimate)


def judged(asked: Requirement, target: Target, estimate: Estimate) -> Outcome:
    """One number against its limit."""
    found, by, why = number_judged(estimate, asked.target.judged, least=asked.least)
    return Outcome(
        requirement=asked.text,
        metric=target.metric,
        name=target.name,
        kind="limit",
        operator=asked.operator,
        limit=asked.limit,
        judged=by,
        found=found,
        estimate=estimate,
        passed=found is not None and asked.kept(found),
        why=why,
    )


def number_judged(
    estimate: Estimate, wanted: Judged | None, *, least: bool
) -> tuple[float | None, Judged, str | None]:
    """The number that counts, which one it is, and what must be said of that.

    Of a number that must be high that is the lower end, of one that must be low the upper one. An
    approximate value is judged by the bound that counts against it.
    """
    end: Judged = "low" if least else "high"
    by: Judged = wanted or end
    if estimate.value is None or math.isnan(estimate.value):
        return None, by, estimate.why or "it is not a number"
    why = None
    if by != "value" and estimate.low is None:
        note = f": {reason(estimate)}" if estimate.note else ""
        if wanted is not None:
            return None, by, f"it has no interval{note}"
        by, why = "value", f"{NO_INTERVAL}{note}"
    if by == "value":
        if estimate.bounds is None:
            return estimate.value, by, why
        said = "its value is approximate, so the bound that counts against it was judged"
        return estimate.bounds[0 if least else 1], by, "; ".join(filter(None, (why, said)))
    return (estimate.low if by == "low" else estimate.high), by, why


def reason(estimate: Estimate) -> str:
    """Why there is no interval, in a few words."""
    return (estimate.note or "").partition(";")[0]


def _parts(target: Target, numbers: Numbers) -> Iterator[tuple[Target, Numbers]]:
    """The rows that a requirement is about: all of them, one slice, or every slice by some columns."""
    if not target.part:
        yield target, numbers
        return
    columns = [column for column, _ in target.part]
    by = [(key, part) for key, part in numbers.slices() if set(key) == set(columns)]
    if not by:
        every = dict.fromkeys(" * ".join(key) for key, _ in numbers.slices())
        known = f"; there are those by {', '.join(every)}" if every else ""
        raise OptionError(
            f"there are no slices by {' * '.join(columns)}{known}.",
            hint=f"ask for them: --slice {'*'.join(columns)} (in Python slices=).",
        )
    meant = [(key, part) for key, part in by if all(v is None or key[c] == v for c, v in target.part)]
    if not meant:
        wanted = ", ".join(f"{column}={value}" for column, value in target.part if value is not None)
        raise InputError(f"no row has {wanted}.", hint="values are written as they are in the data.")
    for key, part in meant:
        yield replace(target, part=tuple((column, key[column]) for column in columns)), part
