"""One probability per class of a batch, counted; expected numbers by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tallymark.intake.columns import LabelColumn, NumberColumn
from tallymark.intake.streams.class_checks import check_classes
from tallymark.intake.streams.class_counting import count_classes
from tallymark.intake.streams.complaints import Complaints
from tallymark.intake.streams.counting import count_columns
from tallymark.intake.streams.door import Columns
from tallymark.tallies.binned import Binned
from tallymark.tallies.grid import Grid
from tallymark.tallies.scores import Scores
from tallymark.tallies.tally import Declared

TABLE = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.5, 0.5, 0.0], [0.125, 0.75, 0.125]])
ACTUAL = ["a", "a", "b", "c"]
CLASSES = ("a", "b", "c")


def _columns(actual=ACTUAL, table=TABLE, *, weight=None, predicted=None):
    names = tuple(dict.fromkeys(map(str, actual)))
    column = LabelColumn("actual", np.array([names.index(each) for each in actual], np.int64), names)
    answers = None
    if predicted is not None:
        answers = LabelColumn("predicted", np.array([CLASSES.index(each) for each in predicted]), CLASSES)
    return Columns(column, answers, None, table, weight, {}, {})


def _declared(**options):
    return Declared(classes=CLASSES, **options)


def test_answers_and_places():
    found, answers = count_classes(_columns(), _declared())
    # In the third row a and b are level, and a is the first.
    assert [answers.label(code) for code in answers.values.tolist()] == ["a", "b", "a", "b"]
    assert found.ties == 1
    # a is first in row 1 and, before c by its label, second in row 2; b second in row 3; c third in row 4.
    assert found.places.tolist() == [1, 2, 1]
    assert found.place_squares is None


def test_every_class_against_the_rest():
    found, _ = count_classes(_columns(), _declared())
    of_a, of_b, of_c = found.columns
    assert isinstance(of_a, Scores)
    assert of_a.score.tolist() == [0.5, 0.25, 0.125]
    assert (of_a.positives.tolist(), of_a.negatives.tolist()) == ([1, 1, 0], [1, 0, 1])
    assert (of_b.n_positive, of_c.n_positive) == (1, 1)
    assert found.confidence.score.tolist() == [0.75, 0.5]
    assert (found.confidence.positives.tolist(), found.confidence.negatives.tolist()) == ([0, 1], [1, 2])
    assert found.margins.score.tolist() == [0.625, 0.25, 0.0]
    assert found.margins.positives.tolist() == [0, 1, 0]


def test_losses_of_every_class():
    of_a, of_b, of_c = count_classes(_columns(), _declared())[0].losses
    # (1 - 0.5)**2 + 2 * 0.25**2, and (1 - 0.25)**2 + 0.5**2 + 0.25**2.
    assert of_a.brier.total == 0.375 + 0.875
    assert of_a.log_loss.total == pytest.approx(math.log(2) + math.log(4))
    assert (of_a.rows, of_b.rows, of_c.rows, of_a.most) == (2, 1, 1, 2)
    assert of_c.log_loss.total == pytest.approx(math.log(8))


def test_weights_and_rows_without_any():
    weight = np.array([2.0, 0.5, 3.0, 0.0])
    found, _ = count_classes(_columns(weight=weight), _declared(weights="sampling"))
    assert found.places.tolist() == [2.0, 3.5, 0.0]
    assert found.place_squares.tolist() == [4.0, 9.25, 0.0]
    assert [sums.rows for sums in found.losses] == [2, 1, 0]
    assert found.columns[0].rows == 3
    assert found.confidence.score.tolist() == [0.5]


def test_frequencies_are_rows():
    weight = np.array([2, 0, 3, 1])
    found, _ = count_classes(_columns(weight=weight), _declared(weights="frequency"))
    assert [sums.rows for sums in found.losses] == [2, 3, 1]
    assert found.place_squares is None
    assert found.columns[1].rows == 6


def test_on_a_grid():
    grid = Grid(0, 1, 4)
    found, _ = count_classes(_columns(), _declared(grid=grid))
    of_a = found.columns[0]
    assert isinstance(of_a, Binned)
    # 0.5 twice in [0.5, 0.75), 0.25 in [0.25, 0.5), 0.125 in [0, 0.25).
    assert of_a.positives.tolist() == [0, 0, 1, 1, 0, 0]
    assert of_a.negatives.tolist() == [0, 1, 0, 1, 0, 0]
    assert found.margins.grid == grid
    # Places and losses need no bins.
    exact, _ = count_classes(_columns(), _declared())
    assert found.places.tolist() == exact.places.tolist()
    assert found.losses == exact.losses


def test_without_rows_it_is_the_identity():
    some, _ = count_classes(_columns(weight=np.array([2.0, 0.5, 3.0, 1.0])), _declared(weights="sampling"))
    none, _ = count_classes(_columns([], np.empty((0, 3)), weight=np.empty(0)), _declared(weights="sampling"))
    assert some + none == some == none + some


def test_answers_given_are_the_matrix():
    given = count_columns(_columns(predicted=["c", "c", "b", "c"]), _declared(answers=True))
    own = count_columns(_columns(), _declared())
    assert given.counted.labels == own.counted.labels == CLASSES
    assert given.counted.matrix.tolist() == [[0, 0, 2], [0, 1, 0], [0, 0, 1]]
    assert own.counted.matrix.tolist() == [[1, 1, 0], [1, 0, 0], [0, 1, 0]]
    assert given.classes == own.classes


def test_numbers_stay_numbers():
    actual = LabelColumn("actual", np.array([7, 3]))
    columns = Columns(actual, None, None, np.array([[0.9, 0.1], [0.2, 0.8]]), None, {}, {})
    found, answers = count_classes(columns, Declared(classes=(3, 7)))
    assert answers.values.tolist() == [3, 7]
    assert found.places.tolist() == [0, 2]


# --- what is wrong -------------------------------------------------------------------------------


def _told(actual, table, here=None):
    complaints = Complaints()
    columns = [NumberColumn(f"probability {at}", column) for at, column in enumerate(np.array(table).T)]
    names = tuple(dict.fromkeys(actual))
    column = LabelColumn("actual", np.array([names.index(each) for each in actual]), names)
    here = np.ones(len(actual), np.bool_) if here is None else np.array(here)
    check_classes(column, columns, ("a", "b"), here, complaints)
    try:
        complaints.tell(lambda places, more: f"rows {[row for _, row in places]} and {more} more")
    except ValueError as problem:
        return problem.message
    return None


def test_what_is_wrong_is_told_in_turn():
    outside, short, fine = [1.5, -0.5], [0.25, 0.25], [0.5, 0.5]
    assert _told(["a", "b"], [fine, [0.995, 0.0]]) is None
    assert _told(["a", "b", "a"], [short, fine, [0.5, 0.2]]) == (
        "the probabilities of a row add up to 1; 2 rows do not, at rows [0, 2] and 0 more; "
        "the first adds up to 0.5."
    )
    assert _told(["a", "b"], [short, outside]) == (
        "probabilities lie between 0 and 1; 1 row has others, at rows [1] and 0 more."
    )
    assert _told(["d", "b", "e", "d", "d"], [short] * 5) == (
        "no probability column is named for ['d', 'e'], and actual holds them at rows [0, 2, 3] and 1 more."
    )


def test_rows_that_are_not_here_are_not_looked_at():
    assert _told(["d", "b"], [[9.0, 9.0], [0.5, 0.5]], here=[False, True]) is None
