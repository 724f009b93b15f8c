"""Two models' scores of the same rows, compared: of one class, or of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from tallymark.comparison.aligned import Aligned
from tallymark.comparison.difference import NO_TEST
from tallymark.inference import Estimate, undefined
from tallymark.inference.paired_ranking import PairedRanking
from tallymark.inference.paired_scores.alike import alike
from tallymark.inference.paired_scores.classes import paired_classes
from tallymark.metrics import Asked, ask
from tallymark.tests.outcome import Alternative, Outcome

if TYPE_CHECKING:
    from tallymark.evaluation.ranked import ScoredRows
    from tallymark.inference.paired_scores.gap import Evidence
    from tallymark.inference.swaps import Swapped

_TESTS = {
    "delong": "DeLong, paired",
    "linearised": "z, paired",
    "paired_t": "paired t over rows",
    "mover": "inverted interval",
}
NO_INTERVAL = "bins of other rows differ by chance, so the difference has no honest interval"


MOST_SWAPS = 1_000
"""Each takes all rows."""


class Compared(Protocol):
    """What tells how far apart two models' numbers are."""

    def of(self, asked: Asked) -> Estimate: ...
    def tested(self, asked: Asked, alternative: Alternative = "two-sided") -> Evidence: ...


@dataclass(frozen=True, eq=False)
class PairedScores:
    """The scores of two models."""

    a: str
    b: str
    rows: Aligned
    level: float
    of_class: Compared | None
    """Of the positive class; None when none is named."""
    of_classes: Compared | None
    """Of all classes, where there is a probability for each."""

    @classmethod
    def of_pair(cls, a: str, b: str, rows: Aligned, level: float) -> PairedScores:
        one, two = (rows.evs[name].ranked for name in (a, b))
        assert one is not None
        assert two is not None
        first, second = one.rows, two.rows
        assert first is not None
        assert second is not None
        beside = _beside(first, level, one.clip, (a, b))
        of_class: Compared | None = None
        of_classes: Compared | None = None
        if rows.position is not None and one.about in (None, rows.position):
            (score_a, is_positive), (score_b, _) = first.of(rows.position), second.of(rows.position)
            counted = None
            if first.weight is None and first.groups is None:
                counted = alike(score_a, score_b, is_positive)
            if counted is None:
                of_class = PairedRanking(score_a, score_b, is_positive, **beside)
            else:
                often = {"weight": counted.times, "weight_kind": "frequency"}
                of_class = PairedRanking(*counted[:3], **beside | often)
        if one.about is None and len(rows.labels) > 2:
            of_classes = paired_classes(
                first.score, second.score, first.classes, labels=rows.labels, **beside
            )
        return cls(a, b, rows, level, of_class, of_classes)

    def permuted(self, asked: Sequence[Asked], draws: int, seed: int) -> dict[str, Swapped]:
        """The tests that swap the scores of the two models, of numbers about one class."""
        from tallymark.inference.paired_scores.permutation import permuted

        asked = [each for each in asked if self._found(each)[0] is self.of_class]
        if not asked or self.of_class is None:
            return {}
        one, two = (self.rows.evs[name].ranked for name in (self.a, self.b))
        assert one is not None
        assert two is not None
        first, second, position = one.rows, two.rows, self.rows.position
        assert first is not None
        assert second is not None
        assert position is not None
        (score_a, is_positive), (score_b, _) = first.of(position), second.of(position)
        # Row by row: rows that are alike were counted once for everything else, and are swapped one by one.
        beside = _beside(first, self.level, one.clip, (self.a, self.b))
        ranking = PairedRanking(score_a, score_b, is_positive, **beside)
        known_as = [self._found(each)[1] for each in asked]
        found = permuted(ranking, known_as, draws=min(draws, MOST_SWAPS), seed=seed)
        return {each.name: swapped for each, swapped in zip(asked, found, strict=True)}

    def of(self, asked: Asked) -> Estimate:
        """The difference of a number."""
        found, known_as = self._found(asked)
        if found is not None:
            return found.of(known_as)
        one, two = (self.rows.evs[name].estimate(asked) for name in (self.a, self.b))
        for name, each in ((self.a, one), (self.b, two)):
            if each.value is None:
                return undefined(f"{name}: {each.why}" if one.why != two.why else each.why or "", self.level)
        return Estimate(float(one) - float(two), self.level, assumption=None, remark=NO_INTERVAL)

    def tested(self, asked: Asked, estimate: Estimate, alternative: Alternative) -> Outcome:
        """Whether that difference is more than chance."""
        found, asked = self._found(asked)
        tested = None if found is None else found.tested(asked, alternative)
        p_value = None if tested is None else tested.p_value
        method = (estimate.method or "").removesuffix("_groups")
        return Outcome(
            NO_TEST if p_value is None else _TESTS.get(method, "z, paired"),
            None if tested is None else tested.statistic,
            p_value,
            df=None if tested is None else tested.freedom,
            alternative=alternative,
            assumption=estimate.assumption or "",
            counts={"n": estimate.n},
            value=estimate.value,
            low=estimate.low,
            high=estimate.high,
            level=estimate.level,
            se=estimate.se,
            why=None if p_value is not None else estimate.note or "there is no interval",
        )

    def _found(self, asked: Asked) -> tuple[Compared | None, Asked]:
        """What a number is compared by, and under which name."""
        about = asked.metric.about
        if about == "calibration":
            return None, asked
        if about == "classes" and len(self.rows.labels) == 2 and not asked.parameters:
            # Of two classes either is told from the other as well as the other from it.
            return self.of_class, ask("auc")
        if about == "scores" or self.of_classes is None:
            return self.of_class, asked
        return self.of_classes, asked


def _beside(rows: ScoredRows, level: float, clip: float, names: tuple[str, str]) -> dict[str, Any]:
    """What else is known of the rows."""
    return {
        "level": level,
        "weight": rows.weight,
        "weight_kind": rows.weight_kind,
        "groups": None if rows.groups is None else (len(rows.groups[0]), rows.groups[1]),
        "clip": clip,
        "names": names,
    }
