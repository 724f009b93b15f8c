"""What a careful reader of the protocol would point out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallymark.findings.finding import Finding
from tallymark.validation.audit.checks import (
    copies,
    groups_across,
    leave_one_out_ranks,
    missing_class,
    oversampled,
    prepared_before,
    tuned_outside,
    used_often,
)

if TYPE_CHECKING:
    from tallymark.validation.audit.protocol import Protocol

__all__ = ["audited"]

_CHECKS = (
    copies,
    groups_across,
    oversampled,
    used_often,
    prepared_before,
    missing_class,
    leave_one_out_ranks,
    tuned_outside,
)
"""In the order of their codes."""


def audited(protocol: Protocol) -> tuple[Finding, ...]:
    """All findings that apply, in the order of their codes."""
    found = (check.check(protocol) for check in _CHECKS)
    return tuple(finding for finding in found if finding is not None)
