"""`ClassResult`: one class against the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tallymark.errors import MetricError
from tallymark.evaluation.curved import Curved
from tallymark.inference import Calibrated, Estimate, undefined
from tallymark.metrics import FROM_SCORES, METRICS, Asked, ask
from tallymark.tallies import Binary, Label
from tallymark.tallies.labels import quoted

if TYPE_CHECKING:
    from tallymark.curves import Rejection, Roc
    from tallymark.decisions import Decision
    from tallymark.evaluation.curves import Curves
    from tallymark.evaluation.result import Evaluation
    from tallymark.intake.costs import CostsGiven

COSTS = (METRICS["total_cost"], METRICS["mean_cost"])
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

    @property
    def tp(self) -> float | None:
        """Rows of this class that were called so; like the other counts None while there are no answers."""
        return None if self.tally is None else self.tally.tp

    @property
    def fn(self) -> float | None:
        """Rows of this class that were called another."""
        return None if self.tally is None else self.tally.fn

    @property
    def fp(self) -> float | None:
        """Rows of other classes that were called this one."""
        return None if self.tally is None else self.tally.fp

    @property
    def tn(self) -> float | None:
        """Rows of other classes that were not called this one."""
        return None if self.tally is None else self.tally.tn

    def __getitem__(self, name: str) -> Estimate:
        asked = ask(name)
        if asked.metric.about in ("losses", "calibration") and len(self._ev.labels) > 2:
            return self._of_this_class(asked)
        if asked.metric.about == "classes" or asked.metric in COSTS:
            raise MetricError(f"{asked.name!r} is about all classes at once.", hint="ask the evaluation.")
        if asked.metric.about in FROM_SCORES:
            return self._ev.ranked_estimate(asked, self._position)
        if self._ev.counted is None:
            return undefined(self._ev.why_not or "")
        return self._ev.counted.of_class(asked, self._position)

    def _of_this_class(self, asked: Asked) -> Estimate:
        """How far this class's own probability is from the truth."""
        found = self._ev.ranking(self._position)
        if isinstance(found, str):
            return undefined(found)
        if asked.metric.about == "losses":
            return found.losses.of(asked)
        return Calibrated(found.seen[0], found.level, found.seen[1]).of(asked)

    @property
    def curves(self) -> Curves:
        """All curves of this class against the rest; not kept, because each may be as long as the data."""
        return self._ev.curves_of(self._position)

    @property
    def rejection(self) -> Rejection:
        """Of two classes the same as that of all rows: whether an answer is clear is a matter of both."""
        return self._ev.rejection if len(self._ev.labels) == 2 else super().rejection

    def decide(self, costs: CostsGiven | None = None, **options: Any) -> Decision:
        """Where to cut the score of this class; as `Evaluation.decide`.

        A matrix of costs without names is in the order of the labels if there are two; of more classes this
        one is first, and then the rest as one (in costs with names: "rest").
        """
        from tallymark.evaluation.deciding import decide_two

        return decide_two(self._ev, self._position, costs, **options)

    def __iter__(self) -> Iterator[str]:
        return iter(PER_CLASS)

    def __len__(self) -> int:
        return len(PER_CLASS)

    def __repr__(self) -> str:
        return f"ClassResult({quoted(self.label)}, support {self.support:,})"


class Rocs(Mapping[Label, "Roc"]):
    """The ROC curve of every class, each made when it is looked at: all at once may not fit."""

    def __init__(self, classes: Mapping[Label, ClassResult]) -> None:
        self._classes = classes

    def __getitem__(self, label: Label) -> Roc:
        return self._classes[label].roc

    def __iter__(self) -> Iterator[Label]:
        return iter(self._classes)

    def __len__(self) -> int:
        return len(self._classes)
