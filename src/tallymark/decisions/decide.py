"""From a ranking and what answers cost to a decision."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tallymark.curves.shared import within_bin
from tallymark.decisions.choose import Aim, choose, given
from tallymark.decisions.constraints import constraints_of
from tallymark.decisions.decision import Decision
from tallymark.decisions.ways import AsIs, as_expected
from tallymark.errors import OptionError
from tallymark.inference import Ranking
from tallymark.intervals.checks import checked_number
from tallymark.metrics import ask
from tallymark.tallies import Label

OBJECTIVE = "f1"


def decide(
    ranking: Ranking,
    costs: Any = None,
    *,
    labels: tuple[Label, Label],
    reject_cost: float | None = None,
    minimum: Mapping[str, float] | None = None,
    maximum: Mapping[str, float] | None = None,
    on_lower_bound: bool = False,
    best: str | None = None,
    threshold: float | None = None,
    as_is: AsIs | None = None,
    chosen_on: Ranking | None = None,
    seed: int = 0,
    votes: str | None = None,
) -> Decision:
    """The cheapest threshold, exactly, over all cut points; without costs the best one for a metric.

    `costs` is [[TP, FN], [FP, TN]] and `labels` the positive class and the rest. `reject_cost` is what a row
    costs that is declined; `minimum` and `maximum` are metrics with what they must be at least and at most,
    by their confidence limit with `on_lower_bound`. With `chosen_on` it is chosen on those rows. A
    `threshold` is taken as it is, and nothing is chosen.
    """
    if costs is not None and best is not None:
        raise OptionError(
            f"costs and best={best!r} are two different aims.",
            hint="leave one of them out; minimum= (--min) keeps a metric up while the cost is made least.",
        )
    constraints = constraints_of(minimum, maximum, on_lower_bound=on_lower_bound)
    if on_lower_bound and not constraints:
        raise OptionError(
            "on_lower_bound is about what a metric must be, and nothing is asked of any.",
            hint='say what: minimum={"recall": 0.9} (--min recall=0.9).',
        )
    if reject_cost is not None:
        reject_cost = checked_number("reject_cost", reject_cost)
        _check_rejecting(costs, constrained=bool(constraints))
    aim = Aim(
        None if costs is None else np.asarray(costs, float),
        None if reject_cost is None else float(reject_cost),
        constraints,
        ask(best or OBJECTIVE).name,
    )
    if as_is is not None and as_is.threshold is not None and within_bin(ranking.scores, as_is.threshold):
        as_is = None  # nobody knows which rows that calls positive
    if threshold is None:
        choice = choose(ranking if chosen_on is None else chosen_on, aim)
    else:
        asked = {"reject_cost": reject_cost, "minimum": minimum, "maximum": maximum, "best": best}
        _check_given(costs, asked | {"choose_on": chosen_on})
        choice = given(ranking, aim, float(checked_number("threshold", threshold)))
    now = None if as_is is None else as_expected(ranking, as_is)
    return Decision(ranking, aim, choice, labels, now, chosen_on, seed, votes)


def _check_given(costs: Any, asked: Mapping[str, object]) -> None:
    """A threshold that is given leaves nothing to choose."""
    if costs is None:
        raise OptionError(
            "what a threshold saves depends on what answers cost, and there are no costs.",
            hint="give them with costs=; without costs, evaluate(..., threshold=) tells what it does.",
        )
    for name, value in asked.items():
        if value is not None:
            raise OptionError(
                f"{name}= is for choosing a threshold, and threshold= gives one.",
                hint="leave one of them out.",
            )


def _check_rejecting(costs: Any, *, constrained: bool) -> None:
    if costs is None:
        raise OptionError(
            "whether to decline a row depends on what answers cost, and there are no costs.",
            hint="give them with --costs (costs=).",
        )
    if constrained:
        raise OptionError(
            "a row that is declined is called neither positive nor negative, so metrics cannot be kept while "
            "rows are declined.",
            hint="give a reject cost or --min and --max (minimum=, maximum=), not both.",
        )
