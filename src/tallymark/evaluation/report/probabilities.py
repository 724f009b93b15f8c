"""How the scores are spread, and whether probabilities can be taken at their word."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from tallymark.drawing import Block, number
from tallymark.evaluation.report.curves import Shown, in_panels, pictures, tables_of
from tallymark.evaluation.report.thresholds import REJECTION

if TYPE_CHECKING:
    from tallymark.curves import Calibration, Distribution
    from tallymark.evaluation.report.models import Models
    from tallymark.evaluation.result import Evaluation


def probabilities(models: Models) -> Iterator[Block]:
    """Scores by class, and calibration."""
    scored = {name: ev for name, ev in models.items() if ev.ranked is not None}
    if not scored:
        return
    many = all(len(ev.labels) > 2 and ev.ranked and ev.ranked.about is None for ev in scored.values())
    yield from pictures((_SPREAD_OF_ANSWERS if many else _SPREAD, _CALIBRATION), scored)
    # Where there is a threshold, rejection is told with it.
    if all(isinstance(ev.ranking(ev.position), str) for ev in scored.values()):
        yield REJECTION.of(scored)


def _halves(_: Evaluation, curve: Distribution) -> str:
    return f"{curve.upper_half or 'none'} and {curve.lower_half or 'none'}"


def _in_ten_bins(curve: Distribution) -> Iterator[Block]:
    """Half as many as are drawn."""
    return tables_of(replace(curve, n_bins=10))


_SPREAD = Shown(
    "Scores by class",
    lambda ev: ev.distribution,
    lambda _, curve: " ".join(curve.sentences()),
    "Median score of the positives, and of the others",
    _halves,
    in_panels,
    _in_ten_bins,
    whole=True,
    key="distribution",
)
_SPREAD_OF_ANSWERS = replace(
    _SPREAD,
    title="Probabilities of right and wrong answers",
    measure="Median probability of the right answers, and of the wrong ones",
    key="",
)


def _distance(_: Evaluation, curve: Calibration) -> str:
    return (
        f"What is said is on average {number(curve.ece)} away from what comes true (ECE), about "
        f"{number(curve.debiased_ece)} beyond what chance makes."
    )


_CALIBRATION = Shown(
    "Calibration",
    lambda ev: ev.calibration,
    _distance,
    "Mean distance of what is said from what comes true (ECE), and how much of it is beyond chance",
    lambda _, curve: f"{number(curve.ece)} and {number(curve.debiased_ece)}",
    blocks=lambda curve: curve.document().sections[0].blocks[2:],
    whole=True,
    key="calibration",
)
