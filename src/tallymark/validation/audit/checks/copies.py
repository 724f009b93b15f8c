"""TM018: copies of training rows among the test rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallymark.drawing import count, percent
from tallymark.findings.finding import Finding
from tallymark.validation.audit.chance import chance_of
from tallymark.validation.audit.checks.oversampled import repeated_classes
from tallymark.validation.audit.worth import told, worth

if TYPE_CHECKING:
    from tallymark.validation.audit.protocol import Protocol


def check(protocol: Protocol) -> Finding | None:
    twins = protocol.twins
    if twins is None or not twins.many or repeated_classes(protocol.data, twins.marks):
        return None
    chance = chance_of(protocol.data, twins.marks)
    if chance.natural:
        return None
    found = worth(protocol, twins)
    rows, tested = len(twins.rows), len(twins.tested)
    other = ""
    if twins.other_class:
        are = "row equals" if twins.other_class == 1 else "rows equal"
        other = f" {count(twins.other_class)} test {are} a training row of another class."
    return Finding(
        "TM018",
        f"{count(rows)} of {count(tested)} test rows ({percent(twins.share)}) are copies of training rows, "
        f"with the same features and the same class: a model that knows rows by heart is right about them."
        f"{told(found)}{other} Leave copies out; or, where equal rows belong together, name what they belong "
        "to as groups (--group COL, groups=), which stay on one side.",
        {
            "rows": rows,
            "test_rows": tested,
            "share": twins.share,
            "other_class": twins.other_class,
            "pairs": chance.pairs,
            "expected_pairs": chance.expected,
            **found,
        },
    )
