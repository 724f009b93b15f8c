"""JUnit XML: the form in which build servers take what passed and what did not."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from typing import TYPE_CHECKING

from tallymark.drawing import count
from tallymark.gate.description import named
from tallymark.gate.words import shown

if TYPE_CHECKING:
    from tallymark.gate.outcome import Outcome
    from tallymark.gate.result import Gate

SUITE = "tallymark check"
# What XML 1.0 cannot hold, not even escaped.
_IMPOSSIBLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(gate: Gate) -> str:
    """One suite with a case for each requirement, and their numbers as its properties.

    They are the suite's because the schema of Jenkins knows no properties of a case.
    """
    counts = {"tests": str(len(gate.outcomes)), "failures": str(len(gate.failed)), "errors": "0"}
    root = ElementTree.Element("testsuites", {"name": SUITE, **counts})
    suite = ElementTree.SubElement(root, "testsuite", {"name": SUITE, **counts, "skipped": "0", "time": "0"})
    properties = ElementTree.SubElement(suite, "properties")
    for outcome in gate.outcomes:
        for name, value in _numbers(outcome).items():
            called = {"name": clean(f"{named(outcome)}: {name}"), "value": clean(value)}
            ElementTree.SubElement(properties, "property", called)
    for outcome in gate.outcomes:
        _case(suite, outcome)
    if gate.notes:
        ElementTree.SubElement(suite, "system-out").text = clean("\n".join(gate.notes))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode")


def _case(suite: ElementTree.Element, outcome: Outcome) -> None:
    about = {"classname": "tallymark.check", "name": clean(named(outcome)), "time": "0"}
    case = ElementTree.SubElement(suite, "testcase", about)
    if outcome.passed:
        ElementTree.SubElement(case, "system-out").text = clean(_text(outcome))
        return
    failure = {"message": clean(outcome.sentence), "type": "requirement"}
    ElementTree.SubElement(case, "failure", failure).text = clean(_text(outcome))


def _numbers(outcome: Outcome) -> dict[str, str]:
    numbers = {
        "metric": outcome.metric,
        "value": outcome.value,
        "low": outcome.low,
        "high": outcome.high,
        "judged": outcome.judged,
        "found": outcome.found,
        "limit": outcome.limit,
        "short_by": outcome.short_by,
        "n": outcome.estimate.n,
        "assumption": outcome.estimate.assumption,
    }
    return {name: str(value) for name, value in numbers.items() if value is not None}


def _text(outcome: Outcome) -> str:
    lines = [outcome.sentence]
    if outcome.new is not None and outcome.baseline is not None:
        lines += [f"this model: {shown(outcome.new)}", f"the baseline: {shown(outcome.baseline)}"]
    if outcome.estimate.n is not None:
        lines.append(f"n = {count(outcome.estimate.n)}; assumption: {outcome.estimate.assumption}")
    return "\n".join(lines)


def clean(text: str) -> str:
    """The text with what XML cannot hold written as escapes."""
    return _IMPOSSIBLE.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)
