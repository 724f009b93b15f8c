"""What GitHub shows of a run: lines on its pages, and a summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tallymark.gate.result import Gate


def annotated(gate: Gate) -> list[str]:
    """Workflow commands: an error for each requirement that failed, or one notice that all passed."""
    from tallymark.gate.description import named

    if gate.passed:
        return [f"::notice title={_property('tallymark check')}::{_message(gate.verdict)}"]
    return [
        f"::error title={_property(f'tallymark check: {named(outcome)}')}::{_message(outcome.sentence)}"
        for outcome in gate.failed
    ]


def summary(gate: Gate) -> str:
    """The report as Markdown below a heading."""
    from tallymark.drawing import markdown

    return f"### tallymark check\n\n{markdown(gate.document())}\n"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
