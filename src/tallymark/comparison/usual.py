"""The numbers that are compared when none are named."""

from __future__ import annotations

from tallymark.comparison.question import Question
from tallymark.errors import OptionError
from tallymark.evaluation import Evaluation
from tallymark.metrics import FROM_SCORES, Asked, ask

_ONE_CLASS = ("accuracy", "recall", "specificity", "precision", "f1", "mcc")
_NO_POSITIVE = ("accuracy", "balanced_accuracy", "mcc", "kappa")
_MANY_CLASSES = ("accuracy", "balanced_accuracy", "f1_macro", "mcc", "kappa")
_SCORES = ("auc", "average_precision", "brier", "log_loss")
_CLASS_SCORES = ("auc_ovr_macro", "brier", "log_loss")


def chosen_metrics(
    question: Question, ev: Evaluation, *, answers: bool, scores: bool, costs: bool
) -> tuple[Asked, ...]:
    """The number of the verdict first, then those named, or the usual ones when none are."""
    usual = _usual(ev, answers=answers, scores=scores, costs=costs)
    first = usual[0] if question.metric is None else question.metric
    chosen = [ask(name) for name in (first, *(question.metrics or usual))]
    if chosen[0].metric.about in FROM_SCORES and not scores:
        raise OptionError(
            f"the verdict is to be about {chosen[0].name}, which takes the scores of every model, and they "
            "are not there, or not of the same kind.",
            hint="name them: --score (in Python score= or y_score=); without scores compare accuracy or f1.",
        )
    return tuple({asked.name: asked for asked in chosen}.values())


def _usual(ev: Evaluation, *, answers: bool, scores: bool, costs: bool) -> list[str]:
    """Accuracy first, or the area under the curve where there are no answers."""
    names: list[str] = []
    several = len(ev.labels) > 2 and ev.position is None
    if answers:
        names += _MANY_CLASSES if several else _NO_POSITIVE if ev.position is None else _ONE_CLASS
        names += ["mean_cost"] if costs else []
    if scores and ev.position is not None:
        names += _SCORES
    elif scores and several:
        names += _CLASS_SCORES
    if not names:
        raise OptionError(
            "there is nothing to compare: the answers are missing, and the scores cannot be compared.",
            hint="name the positive class (--positive, in Python pos_label=), or pass a threshold.",
        )
    return names
