"""`assert_metric` and `assert_not_worse`: the gate in a test of one's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

# What pytest loads imports this, in every run: all that takes time is imported when something is asserted.
from tallymark.errors import OptionError, TallymarkError

if TYPE_CHECKING:
    from tallymark.evaluation import Evaluation
    from tallymark.gate import Gate, Outcome

Listener = Callable[[bool, str], None]
"""Told whether a requirement was kept, and the sentence about it."""
_listeners: list[Listener] = []


def assert_metric(data: Any, *requirements: str, **options: Any) -> Gate:
    """Fail unless every requirement is kept, such as "recall >= 0.8" or "ece <= 0.05".

    `data` is an evaluation, its JSON document, a tally, or whatever `evaluate` takes first, with the options
    of `evaluate`: `assert_metric("predictions.csv", "recall >= 0.8", actual="y", score="p")`. A requirement
    is judged by the end of the interval that makes it harder; "recall.value >= 0.8" by the value.
    """
    __tracebackhide__ = True
    return _asserted((data,), options, require=requirements)


def assert_not_worse(
    data: Any, baseline: Any, *metrics: str, margin: float | None = None, **options: Any
) -> Gate:
    """Fail if the model is worse than the baseline in one of the metrics by more than the margin.

    That is 0 unless given; "f1 by 0.02" has one of its own. Both are what `assert_metric` takes. Where both
    have rows, the difference is judged by its paired interval; else the numbers are held against each other,
    like with like.
    """
    __tracebackhide__ = True
    if not metrics:
        raise OptionError(
            "which number must not be worse?", hint='name it: assert_not_worse(ev, baseline, "f1").'
        )
    return _asserted((data, baseline), options, no_worse=metrics, margin=margin)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Tell the listener what is asserted meanwhile."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def _asserted(given: tuple[Any, ...], options: dict[str, Any], **asked: Any) -> Gate:
    __tracebackhide__ = True
    from tallymark.drawing import terminal
    from tallymark.gate import check

    try:
        ev, *baseline = _evaluated(given, options)
        gate = check(ev, baseline=baseline[0] if baseline else None, **asked)
    except TallymarkError as problem:
        # It says what to do; where in here it was raised is no help to whoever reads a failed test.
        raise problem.with_traceback(None) from None
    for outcome in gate.outcomes if _listeners else ():
        _listeners[-1](outcome.passed, terminal(outcome.sentence))
    if not gate.passed:
        raise AssertionError(_failure(gate))
    return gate


def _failure(gate: Gate) -> str:
    lines = [f"{outcome.sentence}{_made(outcome)}" for outcome in gate.failed]
    if len(lines) > 1:
        named = ", ".join(repr(outcome.requirement) for outcome in gate.failed)
        lines.insert(0, f"{len(gate.failed)} of {len(gate.outcomes)} requirements failed: {named}.")
    return "\n".join([*lines, *(f"Note: {note}" for note in gate.notes)])


def _made(outcome: Outcome) -> str:
    """How the number came about: level and method of the interval, rows, and what was assumed."""
    from tallymark.drawing import count

    estimate = outcome.estimate
    if estimate.value is None:
        return ""
    interval = None if estimate.low is None else f"{estimate.level * 100:.10g} % {estimate.method}"
    rows = None if estimate.n is None else f"n = {count(estimate.n)}"
    parts = [part for part in (interval, rows, estimate.assumption) if part]
    return f" ({', '.join(parts)})" if parts else ""


def _evaluated(given: tuple[Any, ...], options: dict[str, Any]) -> list[Any]:
    """What the gate takes: evaluations and finished documents as they are, all else evaluated."""
    finished = [_is_finished(data) for data in given]
    if options and all(finished):
        raise OptionError(f"an evaluation is made already; {', '.join(options)} cannot change it.")
    return [data if done else _counted(data, options) for data, done in zip(given, finished, strict=True)]


def _counted(data: Any, options: dict[str, Any]) -> Evaluation:
    from tallymark.evaluation import evaluate
    from tallymark.tallies import Confusion, LabelSets, Scores
    from tallymark.tallies.tally import Tally

    if isinstance(data, Confusion | LabelSets | Scores | Tally):
        return data.evaluate(**options)
    return evaluate(data, **options)


def _is_finished(data: Any) -> bool:
    from tallymark.evaluation import Evaluation

    if isinstance(data, str | PathLike):
        return fspath(data).lower().endswith(".json")
    return isinstance(data, Evaluation) or (isinstance(data, Mapping) and "schema" in data)
