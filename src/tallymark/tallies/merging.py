"""What all labelled tallies must agree on before they are added."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from numpy.typing import NDArray

from tallymark.errors import MergeError
from tallymark.tallies.labels import Label, in_order, listed

EXACT = 2**53
TOO_MANY = "counts add up to more than 2**53 and could not be added exactly."


class Counted(Protocol):
    """A tally that knows which rows were left out."""

    @property
    def dropped(self) -> Mapping[str, int]: ...


class Labelled(Counted, Protocol):
    """A tally of rows over labels."""

    @property
    def labels(self) -> tuple[Label, ...]: ...
    @property
    def declared(self) -> bool: ...
    @property
    def rows(self) -> int: ...
    @property
    def counts(self) -> NDArray[Any]: ...
    @property
    def squares(self) -> NDArray[Any] | None: ...
    @property
    def n(self) -> Any: ...


def merged_labels(first: Labelled, second: Labelled) -> tuple[tuple[Label, ...], bool]:
    """Observed labels united, or the declared ones, which must be equal; and whether they are declared."""
    for side, other in ((first, second), (second, first)):
        if not side.labels and not side.rows and not side.declared:
            return other.labels, other.declared
    if first.declared != second.declared or (first.declared and first.labels != second.labels):
        sides = [
            f"{listed(side.labels)} ({'declared' if side.declared else 'observed'})"
            for side in (first, second)
        ]
        raise MergeError(
            f"labels were declared differently: {sides[0]} and {sides[1]}.",
            hint="declare the same labels, in the same order, for every part.",
        )
    if first.declared:
        # (True, False) equals (1, 0); the numbers are kept, whichever side has them.
        return max(first.labels, second.labels, key=lambda labels: int in map(type, labels)), True
    return in_order([*first.labels, *second.labels]), False


def refuse_unlike(first: Labelled, second: Labelled) -> None:
    """Rows with weights are not added to rows without, nor whole counts past what floats hold exactly."""
    whole = first.counts.dtype.kind == second.counts.dtype.kind == "i"
    if whole and first.n + second.n > EXACT:
        raise MergeError(TOO_MANY)
    if first.rows and second.rows and (first.squares is None) != (second.squares is None):
        with_weights, without = (first, second) if second.squares is None else (second, first)
        raise MergeError(
            f"one tally has weights and the other has none: {with_weights!r} and {without!r}.",
            hint="count both with weights; weight 1 is a plain row.",
        )


def merged_dropped(first: Counted, second: Counted) -> dict[str, int]:
    """Rows dropped on either side, reason by reason."""
    reasons = {*first.dropped, *second.dropped}
    return {reason: first.dropped.get(reason, 0) + second.dropped.get(reason, 0) for reason in reasons}
