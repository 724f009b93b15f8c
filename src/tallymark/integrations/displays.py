"""Curves as scikit-learn's displays are called: `from_estimator`, `from_predictions`, `plot`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

from tallymark.drawing.figure import Cells, Figure, Mark, Note
from tallymark.errors import OptionError
from tallymark.evaluation import Evaluation, evaluate
from tallymark.integrations.estimators import Estimated, Needed
from tallymark.tallies import Label

__all__ = [
    "CalibrationDisplay",
    "ConfusionMatrixDisplay",
    "CostCurveDisplay",
    "DecisionCurveDisplay",
    "DistributionDisplay",
    "GainsDisplay",
    "LiftDisplay",
    "PrecisionRecallDisplay",
    "RejectionDisplay",
    "RocCurveDisplay",
    "ThresholdDisplay",
]


class Display:
    """One curve of an evaluation, and how it is drawn.

    `evaluation` and `curve` have the numbers; `ax_` and `figure_` are there once it is drawn.
    """

    attribute: ClassVar[str]
    """What the curve is called on an evaluation."""
    needed: ClassVar[Needed]

    def __init_subclass__(cls, *, attribute: str, needed: Needed = "scores") -> None:
        cls.attribute, cls.needed = attribute, needed

    def __init__(self, evaluation: Evaluation, *, name: str | None = None) -> None:
        self.evaluation = evaluation
        self.name = name
        self.curve = getattr(evaluation, self.attribute)
        self.ax_: Any = None
        self.figure_: Any = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        labels: Sequence[Label] | None = None,
        pos_label: object = None,
        sample_weight: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Ask a fitted estimator about rows whose classes are known, and draw.

        `options` are those of `evaluate`. Without a `name` it has that of the estimator's class.
        """
        known = Estimated(estimator, X, y, labels, pos_label)
        ev = known.evaluated(cls.needed, what="this picture", sample_weight=sample_weight, **options)
        return cls(ev, name=type(estimator).__name__ if name is None else name).plot(ax)

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_said: Any, *, name: str | None = None, ax: Any = None, **options: Any
    ) -> Self:
        """Draw what was said of rows whose classes are known: scores, or for a confusion matrix answers.

        `options` are those of `evaluate`: `pos_label`, `sample_weight`, `labels`, `groups`, `costs`, ...
        """
        said = {"y_pred": y_said} if cls.needed == "answers" else {"y_score": y_said}
        return cls(evaluate(y_true, **said, **options), name=name).plot(ax)

    def plot(self, ax: Any = None, *, name: str | None = None) -> Self:
        """Draw on matplotlib axes, new ones unless given, beside the curves that are on them."""
        from tallymark.drawing.plots.pen import draw

        if self.needed == "answers" and ax is not None and ax.has_data():
            raise OptionError(
                "there is a picture on these axes, and a matrix would cover it.",
                hint="draw it on axes of its own, such as those of plt.subplots(1, 2).",
            )
        self.ax_ = draw(self._figure(self.name if name is None else name), ax)
        self.figure_ = self.ax_.figure
        return self

    def _figure(self, name: str | None) -> Figure:
        if self.needed == "answers":
            return self.evaluation.figure("confusion")
        figure: Figure = self.curve.figure(name or "")
        return _named(figure, name) if name else figure

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.evaluation!r})"


def _named(figure: Figure, name: str) -> Figure:
    """Every mark of its own with the name before it, so that two on the same axes are told apart."""
    panels = tuple(
        replace(panel, title="", marks=tuple(_named_mark(mark, name) for mark in panel.marks))
        for panel in figure.panels
    )
    return replace(figure, panels=panels)


def _named_mark(mark: Mark, name: str) -> Mark:
    if isinstance(mark, Note | Cells) or mark.series is None or not mark.label or mark.label.startswith(name):
        return mark
    return replace(mark, label=f"{name}: {mark.label}")


class RocCurveDisplay(Display, attribute="roc"):
    """True against false positive rate at every threshold."""


class PrecisionRecallDisplay(Display, attribute="precision_recall"):
    """Precision against recall at every threshold."""


class CalibrationDisplay(Display, attribute="calibration", needed="probabilities"):
    """How often what is given a probability comes true."""


class ConfusionMatrixDisplay(Display, attribute="confusion", needed="answers"):
    """What the rows of every class were called."""


class GainsDisplay(Display, attribute="gains"):
    """Which share of the positives the best-scored share of all rows holds."""


class LiftDisplay(Display, attribute="lift"):
    """How many times more positives that is than a random choice would hold."""


class ThresholdDisplay(Display, attribute="thresholds"):
    """F1 at every threshold."""


class CostCurveDisplay(Display, attribute="cost_curve"):
    """The least cost at every mix of class shares and costs."""


class DecisionCurveDisplay(Display, attribute="decision_curve", needed="probabilities"):
    """The net benefit of acting on the score, against acting on all rows and on none."""


class RejectionDisplay(Display, attribute="rejection"):
    """Which share is right when the rows that are least clear are left to somebody else."""


class DistributionDisplay(Display, attribute="distribution"):
    """How the scores of each class are spread."""
