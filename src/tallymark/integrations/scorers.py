"""`scorer`: any number of tallymark's as a scorer of scikit-learn's."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

from tallymark.errors import OptionError
from tallymark.evaluation.counted import checked_threshold
from tallymark.intake.costs import CostsGiven
from tallymark.integrations.estimators import Estimated, Needed, several_labels
from tallymark.metrics import FROM_SCORES, Asked, ask
from tallymark.tallies import Label
from tallymark.validation.fits.asking import answerable, directed

_PROBABILITIES = ("losses", "calibration", "classes")


class UndefinedScoreWarning(UserWarning):
    """A score is nan, because the number is undefined on the rows it was asked of."""


def scorer(
    metric: str,
    *,
    costs: CostsGiven | None = None,
    labels: Sequence[Label] | None = None,
    pos_label: object = None,
    threshold: float | None = None,
    clip: float | None = None,
    undefined: float | None = None,
) -> EstimatorScorer:
    """A metric by its name as what scikit-learn takes for `scoring`: more is always better.

    `cross_val_score(model, X, y, scoring=tm.scorer("mean_cost", costs={1: {0: 9}, 0: {1: 1}}))`. A number of
    which less is better, such as a cost, is negated. The options are those of `evaluate`; a bare matrix of
    costs is in the order of `labels`. With a `threshold` the answers are the scores cut at it, without one
    they are what the estimator predicts.

    >>> scorer("f_beta:2", pos_label="yes")
    scorer('f_beta:2', pos_label='yes')
    """
    asked = directed(ask(metric))
    if asked.metric.needs_costs and costs is None:
        raise OptionError(f"{asked.name} needs costs.", hint="pass costs=.")
    if isinstance(threshold, str):
        raise OptionError(
            f"threshold is a number here; got {threshold!r}.",
            hint="the best one for the rows that are scored would be chosen on these very rows.",
        )
    return EstimatorScorer(
        asked.name,
        costs=costs,
        labels=labels,
        pos_label=pos_label,
        threshold=None if threshold is None else checked_threshold(threshold),
        clip=clip,
        undefined=undefined,
    )


class EstimatorScorer:
    """What `scorer` makes: call it with a fitted estimator and rows whose classes are known."""

    def __init__(self, metric: str, **options: Any) -> None:
        self.metric = metric
        self.options = {name: value for name, value in options.items() if value is not None}
        self._weights_asked: bool | str | None = None

    @property
    def asked(self) -> Asked:
        return ask(self.metric)

    @property
    def sign(self) -> int:
        """-1 where less of the number is better."""
        return -1 if self.asked.metric.better == "lower" else 1

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The score; nan, with a warning that says why, when the number is undefined on these rows."""
        asked = self.asked
        options = dict(self.options)
        known = Estimated(estimator, X, y, options.pop("labels", None), options.pop("pos_label", None))
        why, value = known.lacks(asked), None
        if why is None:
            ev = known.evaluated(self._needed(), what=asked.name, sample_weight=sample_weight, **options)
            estimate = ev.estimate(asked)
            why, value = estimate.why, estimate.value
        if value is None:
            if not several_labels(y):
                answerable(known.data, (asked,), options.get("costs"))
            warnings.warn(
                f"{asked.name} is undefined ({why}), so the score is nan.",
                UndefinedScoreWarning,
                stacklevel=2,
            )
            return math.nan
        return self.sign * value

    def _needed(self) -> Needed:
        about = self.asked.metric.about
        if about in _PROBABILITIES:
            return "probabilities"
        return "scores" if about in FROM_SCORES or "threshold" in self.options else "answers"

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"scorer({self.metric!r}{given})"

    # --- scikit-learn's routing of metadata ------------------------------------------------------

    def set_score_request(self, *, sample_weight: bool | str | None) -> EstimatorScorer:
        """Whether weights are asked for where scikit-learn hands them on, or the name they come by."""
        self._weights_asked = sample_weight
        return self

    def get_metadata_routing(self) -> Any:
        """What is asked for, in scikit-learn's form."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        request.score.add_request(param="sample_weight", alias=self._weights_asked)
        return request
