"""`ClassResult`: one class against the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tallymark.evaluation.curved import Curved
from tallymark.inference import Estimate, undefined
from tallymark.metrics import FROM_SCORES, Asked, ask
from tallymark.tallies import Binary, Label
from tallymark.tallies.labels import quoted

if TYPE_CHECKING:
    from tallymark.evaluation.curves import Curves
    from tallymark.evaluation.result import Evaluation

PER_CLASS = ("precision", "recall", "fpr", "f1", "mcc", "auc", "average_precision")


@dataclass(frozen=True)
class ClassResult(Curved, Mapping[str, Estimate]):
    """One class against the rest: its counts, and any metric by name."""

    label: Label
    tally: Binary | None
    """None while there are no answers, but scores."""
    _ev: Evaluation
    _position: int

    @property
    def support(self) -> float:
        """Rows that are this class."""
        if self.tally is not None:
            support: float = self.tally.actual_positive
            return support
        found = self._ev.ranking(self._position)
        return 0 if isinstance(found, str) else found.scores.n_positive

    def __getitem__(self, name: str) -> Estimate:
        asked = ask(name)
        if asked.metric.about == "losses" and len(self._ev.labels) > 2:
            return self._of_this_class(asked)
        if asked.metric.about in FROM_SCORES:
            return self._ev.ranked_estimate(asked, self._position)
        if self._ev.counted is None:
            return undefined(self._ev.why_not or "")
        return self._ev.counted.of_class(asked, self._position)

    def _of_this_class(self, asked: Asked) -> Estimate:
        """How far this class's own probability is from the truth."""
        found = self._ev.ranking(self._position)
        return undefined(found) if isinstance(found, str) else found.losses.of(asked)

    @cached_property
    def curves(self) -> Curves:
        """All curves of this class against the rest."""
        return self._ev.curves_of(self._position)

    def __iter__(self) -> Iterator[str]:
        return iter(PER_CLASS)

    def __len__(self) -> int:
        return len(PER_CLASS)

    def __repr__(self) -> str:
        return f"ClassResult({quoted(self.label)}, support {self.support:,})"
