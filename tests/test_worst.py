"""The worst errors: the right rows, in the right order, with the numbers they had where they came from."""

from __future__ import annotations

import json
import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import tallymark as tm
from tallymark.cli.report import command
from tallymark.drawing import text
from tallymark.errors import OptionError
from tallymark.evaluation import Evaluation, evaluate
from tallymark.evaluation.worst import WorstErrors

# c and h are dropped; b and d are as sure as each other, so the row that came first is first.
TABLE = "id,y,s,w\na,1,0.9,1\nb,0,0.95,2\nc,,0.2,1\nd,1,0.05,1\ne,0,0.1,1\nf,1,0.4,0\ng,0,0.6,3\nh,1,,1\n"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("worst") / "rows.csv"
    made.write_text(TABLE)
    return made


@pytest.fixture(scope="module")
def ev(path: Path) -> Evaluation:
    return evaluate(path, actual="y", score="s", id="id", missing="drop")


def places(found: WorstErrors) -> list[int]:
    return [each.row for each in found.rows]


def test_the_surest_come_first_under_the_numbers_they_came_with(ev: Evaluation) -> None:
    found = ev.worst_errors()
    assert found.errors == 4
    assert [(each.row, each.id, each.actual, each.predicted) for each in found.rows] == [
        (2, "b", 0, 1),
        (4, "d", 1, 0),
        (6, "f", 1, 0),
        (7, "g", 0, 1),
    ]
    assert [each.score for each in found.rows] == [0.95, 0.05, 0.4, 0.6]
    assert [each.probability for each in found.rows] == [0.05, 0.05, 0.4, 0.4]
    # -ln(1/20) and -ln(2/5)
    assert [each.loss for each in found.rows] == pytest.approx([math.log(20)] * 2 + [math.log(5 / 2)] * 2)
    assert places(ev.worst_errors(1)) == [2]


def test_rows_without_weight_are_no_errors(path: Path) -> None:
    weighted = evaluate(path, actual="y", score="s", weight="w", missing="drop")
    found = weighted.worst_errors()
    assert (places(found), found.errors) == ([2, 4, 7], 3)
    assert found.rows[0].id is None


def test_of_several_classes_by_the_probability_of_the_actual_one() -> None:
    probabilities = [[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.9, 0.1, 0.0], [0.1, 0.5, 0.4], [0.0, 0.4, 0.6]]
    several = evaluate(["b", "b", "c", "c", "a"], y_score=np.array(probabilities), labels=["a", "b", "c"])
    found = several.worst_errors()
    # Of the two with nothing the first in the rows is first.
    assert [(each.row, each.actual, each.predicted, each.probability) for each in found.rows] == [
        (3, "c", "a", 0.0),
        (5, "a", "c", 0.0),
        (1, "b", "a", 0.3),
        (4, "c", "b", 0.4),
    ]
    assert found.rows[0].score is None
    assert found.rows[0].loss == math.inf
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["rows"][0]["loss"] is None


def test_scores_that_are_no_probabilities_are_ordered_by_how_few_are_farther() -> None:
    scored = evaluate([1, 0, 1, 0, 0, 1], y_score=[9, 5, -40, -1, 8, 2], threshold=3)
    found = scored.worst_errors()
    # Nothing is below -40; below 2 are -1 and -40; above 8 is 9, above 5 are 9 and 8.
    assert places(found) == [3, 5, 2, 6]
    assert {each.probability for each in found.rows} == {each.loss for each in found.rows} == {None}
    assert "no probabilities" in str(found)
    assert found.table("pandas")["score"].tolist() == [-40, 8, 5, 2]


def test_answers_that_stand_beside_the_scores_are_those_that_are_wrong() -> None:
    found = evaluate([1, 1, 0, 0], [0, 1, 1, 0], y_score=[0.8, 0.1, 0.3, 0.9]).worst_errors()
    assert [(each.row, each.probability) for each in found.rows] == [(3, 0.7), (1, 0.8)]


def test_no_errors_are_said_so() -> None:
    found = evaluate([1, 0], y_score=[0.9, 0.1]).worst_errors()
    assert (found.rows, found.errors) == ((), 0)
    assert "No row was answered wrongly." in str(found)
    assert len(found.table()) == 0


def test_as_text_and_as_json(ev: Evaluation) -> None:
    written = str(ev.worst_errors(2)).splitlines()
    assert "2 of 4 errors, the surest first" in written
    line = next(line for line in written if line.split()[:2] == ["4", "d"])
    assert line.split()[2:] == ["1", "0", "0.0500", "0.0500", "2.996"]
    document = ev.worst_errors(2).to_dict()
    assert document["schema"] == "tallymark/worst_errors/1"
    second = document["rows"][1]
    assert (second["row"], second["id"], second["actual"], second["predicted"]) == (4, "d", "1", "0")
    assert (second["score"], second["probability"]) == (0.05, 0.05)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: evaluate([1, 0], [0, 0]), "there are no scores"),
        (lambda: tm.Confusion([[1, 2], [3, 4]]).evaluate(), "there are no scores"),
        (lambda: pickle.loads(pickle.dumps(evaluate([1, 0], y_score=[0.2, 0.1]))), "that needs rows"),
        (lambda: evaluate([1, 0], y_score=[7, 8]), "there are no answers yet"),
        (lambda: evaluate([["a"], ["b"]], [["a"], ["a", "b"]]), "several labels"),
        (
            lambda: evaluate(["a", "b", "c"], ["a", "a", "a"], y_score=[0.1, 0.2, 0.3], pos_label="a"),
            "one probability per class",
        ),
    ],
)
def test_what_cannot_be_told_is_said(made: object, said: str) -> None:
    assert callable(made)
    with pytest.raises(OptionError, match=f"the worst errors cannot be told: .*{said}"):
        made().worst_errors()


@pytest.mark.parametrize("most", [0, -1, 2.5, True])
def test_how_many_is_a_whole_number(ev: Evaluation, most: int) -> None:
    with pytest.raises(OptionError, match="a whole number of rows from 1 up"):
        ev.worst_errors(most)


def test_they_are_on_the_page_only_if_asked_for(ev: Evaluation, path: Path, tmp_path: Path) -> None:
    assert "Worst errors" not in text(ev.report())
    asked = [section for section in ev.report(worst=2).sections if section.title == "Worst errors"]
    assert len(asked) == 1
    target = tmp_path / "page.txt"
    given = [str(path), "--actual", "y", "--score", "s", "--drop-missing", "--worst", "2", "-o", str(target)]
    ran = CliRunner().invoke(command, given)
    assert ran.exit_code == 0, ran.output
    written = target.read_text()
    assert "Rows of the data stand here" in written
    assert "2 of 4 errors, the surest first" in written
    both = tm.compare({"one": ev, "other": ev}).report(worst=1)
    assert text(both).count("1 of 4 errors") == 2
