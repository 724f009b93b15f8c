"""The worst errors: rows that were answered wrongly, those with the surest answers first."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.frames import frame
from tallymark.drawing import Block, Column, Document, Paragraph, Section, Table, count, number
from tallymark.drawing import name as visible
from tallymark.drawing.notebook import Described
from tallymark.errors import OptionError
from tallymark.evaluation.matching import NO_ROWS
from tallymark.evaluation.ranked import ONE_SCORE, ScoredRows
from tallymark.intake.encoded import Encoded
from tallymark.intake.ids import Ids
from tallymark.tallies import Label

if TYPE_CHECKING:
    from tallymark.evaluation.result import Evaluation

SCHEMA = "tallymark/worst_errors/1"
_UNTOLD = "the worst errors cannot be told"
_BY_PROBABILITY = (
    "They are in the order of the probability that was given to the actual class; the loss is its negative "
    "natural logarithm. Rows are counted from 1 as they came."
)
_BY_SCORE = (
    "The scores are no probabilities, so the order is by how many rows have a score still farther on the "
    "wrong side, the fewest first. Rows are counted from 1 as they came."
)
_WORDS = ("id", "actual", "predicted")
_ROUNDED_ABOVE = 1e-6


@dataclass(frozen=True)
class WorstError:
    """One row that was answered wrongly."""

    row: int
    """Counted from 1 as the rows came, dropped ones included."""
    id: int | str | None
    actual: Label
    predicted: Label
    score: float | None
    """As it came; None where every class has a probability."""
    probability: float | None
    """Given to the actual class; None where the score is no probability."""
    loss: float | None
    """The negative natural logarithm of that, infinite where it is 0."""


@dataclass(frozen=True)
class WorstErrors(Described):
    """Rows that were answered wrongly, in the order of how sure the wrong answers were.

    That is the probability of the actual class, the lowest first. A score that is no probability tells how
    many rows have one farther on the wrong side, the fewest first. Equal ones are in the order of the rows.
    """

    rows: tuple[WorstError, ...]
    errors: int
    """All rows that were answered wrongly."""

    def table(self, library: str | None = None) -> Any:
        """One line per row, as a data frame."""
        columns: dict[str, Any] = {"row": np.array([each.row for each in self.rows], np.int64)}
        if self.rows and self.rows[0].id is not None:
            columns["id"] = [str(each.id) for each in self.rows]
        for name in ("actual", "predicted"):
            columns[name] = [str(getattr(each, name)) for each in self.rows]
        for name in ("score", "probability", "loss"):
            columns[name] = np.array([getattr(each, name) for each in self.rows], float)
        return frame(columns, library)

    def to_dict(self) -> dict[str, Any]:
        """The JSON document as Python values; a loss that is infinite is null."""
        rows = [
            {
                **vars(each),
                "actual": str(each.actual),
                "predicted": str(each.predicted),
                "loss": each.loss if each.loss is not None and np.isfinite(each.loss) else None,
            }
            for each in self.rows
        ]
        return {"schema": SCHEMA, "errors": self.errors, "rows": rows}

    def document(self) -> Document:
        """The rows as a table, with what they are of."""
        return Document("", (Section("Worst errors", tuple(self.blocks())),))

    def blocks(self) -> Iterator[Block]:
        """The table, and how its order came about."""
        if not self.rows:
            yield Paragraph("No row was answered wrongly.")
            return
        first = self.rows[0]
        titles = ["row", *(["id"] if first.id is not None else []), "actual", "predicted"]
        titles += ["score"] if first.score is not None else []
        titles += ["probability of the actual", "loss"] if first.probability is not None else []
        columns = tuple(Column(title, "left" if title in _WORDS else "right") for title in titles)
        title = f"{count(len(self.rows))} of {count(self.errors)} errors, the surest first"
        yield Table(columns, tuple(tuple(_printed(each)) for each in self.rows), title)
        yield Paragraph(_BY_SCORE if first.probability is None else _BY_PROBABILITY)

    def __str__(self) -> str:
        from tallymark.drawing import text

        return text(self.document())


def _printed(each: WorstError) -> Iterator[str]:
    yield count(each.row)
    if each.id is not None:
        yield visible(str(each.id))
    yield visible(str(each.actual))
    yield visible(str(each.predicted))
    if each.score is not None:
        yield number(each.score, 4)
    if each.probability is not None:
        yield number(each.probability, 4)
        yield number(each.loss)


# --- which they are ------------------------------------------------------------------------------


def worst_errors(ev: Evaluation, most: int = 20) -> WorstErrors:
    """The rows that were answered wrongly with the surest answers; `ev.worst_errors` asks for them."""
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise OptionError(f"the worst errors are a whole number of rows from 1 up; got {most!r}.")
    rows, scored, clip = _known_rows(ev)
    wrong = rows.actual != rows.predicted
    if rows.weight is not None:
        wrong &= rows.weight > 0
    places = np.flatnonzero(wrong)
    score = scored.score if scored.about is not None else None
    probability = _of_actual(scored)
    sure = _beyond(scored, rows) if probability is None else probability
    worst = places[np.argsort(sure[places], kind="stable")][:most]
    found = tuple(_error(rows, at, score, probability, clip) for at in worst.tolist())
    return WorstErrors(found, len(places))


def _error(
    rows: Encoded,
    at: int,
    score: NDArray[np.float64] | None,
    probability: NDArray[np.float64] | None,
    clip: float,
) -> WorstError:
    ids = Ids(len(rows)) if rows.ids is None else rows.ids
    given = None if probability is None else float(probability[at])
    return WorstError(
        int(at if ids.kept is None else ids.kept[at]) + 1,
        _id(ids, at),
        rows.labels[rows.actual[at]],
        rows.labels[rows.predicted[at]],
        None if score is None else float(score[at]),
        given,
        None if given is None else _loss(max(given, clip)),
    )


def _id(ids: Ids, at: int) -> int | str | None:
    if ids.values is None:
        return None
    return int(ids.values[at]) if isinstance(ids.values, np.ndarray) else str(ids.values[at])


def _loss(probability: float) -> float:
    return -math.log(probability) if probability > 0 else math.inf


def _known_rows(ev: Evaluation) -> tuple[Encoded, ScoredRows, float]:
    """The rows with their answers, with their scores, and how far probabilities are kept from 0."""
    if ev.sets is not None:
        raise OptionError(f"{_UNTOLD}: rows have several labels here, and may be right in part.")
    if ev.ranked is None:
        raise OptionError(
            f"{_UNTOLD}: there are no scores, so nothing tells how sure a wrong answer was.",
            hint="pass y_score=, or name score= or probabilities= (--score, --probabilities).",
        )
    if ev.counted is None:
        raise OptionError(f"{_UNTOLD}: there are no answers yet.", hint=f"{ev.why_not}.")
    if not isinstance(ev.encoded, Encoded) or ev.ranked.rows is None:
        raise OptionError(f"{_UNTOLD}: that needs rows, and there are only counts of them.", hint=NO_ROWS)
    if ev.ranked.about is not None and len(ev.labels) > 2:
        raise OptionError(
            f"{_UNTOLD}: {ONE_SCORE}, and the score is about one class.",
            hint="name the columns with probabilities= (--probabilities).",
        )
    return ev.encoded, ev.ranked.rows, ev.ranked.clip


def _of_actual(scored: ScoredRows) -> NDArray[np.float64] | None:
    """The probability given to the class of every row, if scores are probabilities."""
    score, classes = scored.score, scored.classes
    if scored.about is None:
        return np.asarray(score[np.arange(len(score)), classes])
    if scored.voters or score.min() < 0 or score.max() > 1:
        return None
    rest = 1 - score
    # 1 - 0.9 is not 0.1 to the last digit, and equal ones stay in their order.
    return np.where(classes == scored.about, score, np.where(rest > _ROUNDED_ABOVE, np.round(rest, 15), rest))


def _beyond(scored: ScoredRows, rows: Encoded) -> NDArray[np.float64]:
    """The share of the rows whose score is farther on the side of the answer."""
    in_order = np.sort(scored.score)
    below = np.searchsorted(in_order, scored.score, "left")
    above = len(in_order) - np.searchsorted(in_order, scored.score, "right")
    return np.where(rows.predicted == scored.about, above, below) / len(in_order)
