"""`evaluate()` and the `Evaluation` it returns."""

from tallymark.evaluation.evaluate import evaluate, evaluate_confusion, evaluate_sets
from tallymark.evaluation.from_scores import evaluate_scores
from tallymark.evaluation.result import Evaluation

__all__ = ["Evaluation", "evaluate", "evaluate_confusion", "evaluate_scores", "evaluate_sets"]
