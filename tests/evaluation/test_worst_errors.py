"""The worst errors: the right rows, in the right order, with the numbers they had where they came from."""

import json
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tallymark as tm
from scored import classes, refusals
from tallymark.cli import main
from tallymark.drawing import text

# c and h are dropped; b and d are as sure as each other, so the row that came first is first.
TABLE = "id,y,s,w\na,1,0.9,1\nb,0,0.95,2\nc,,0.2,1\nd,1,0.05,1\ne,0,0.1,1\nf,1,0.4,0\ng,0,0.6,3\nh,1,,1\n"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("worst") / "rows.csv"
    made.write_text(TABLE)
    return made


@pytest.fixture(scope="module")
def ev(path: Path) -> tm.Evaluation:
    return tm.evaluate(path, actual="y", score="s", id="id", missing="drop")


def places(found: Any) -> list[int]:
    return [each.row for each in found.rows]


def test_the_surest_come_first_under_the_numbers_they_came_with(ev: tm.Evaluation, path: Path) -> None:
    found = ev.worst_errors()
    assert found.errors == 4
    assert [(each.row, each.id, each.actual, each.predicted) for each in found.rows] == [
        (2, "b", 0, 1), (4, "d", 1, 0), (6, "f", 1, 0), (7, "g", 0, 1),
    ]  # fmt: skip
    assert [each.score for each in found.rows] == [0.95, 0.05, 0.4, 0.6]
    assert [each.probability for each in found.rows] == [0.05, 0.05, 0.4, 0.4]
    # -ln(1/20) and -ln(2/5)
    assert [each.loss for each in found.rows] == pytest.approx([math.log(20)] * 2 + [math.log(5 / 2)] * 2)
    assert places(ev.worst_errors(1)) == [2]
    # Rows without weight are no errors.
    weighted = tm.evaluate(path, actual="y", score="s", weight="w", missing="drop").worst_errors()
    assert (places(weighted), weighted.errors, weighted.rows[0].id) == ([2, 4, 7], 3, None)


def test_of_several_classes_by_the_probability_of_the_actual_one() -> None:
    probabilities = [[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.9, 0.1, 0.0], [0.1, 0.5, 0.4], [0.0, 0.4, 0.6]]
    several = tm.evaluate(["b", "b", "c", "c", "a"], y_score=np.array(probabilities), labels=["a", "b", "c"])
    found = several.worst_errors()
    # Of the two with nothing the first in the rows is first.
    assert [(each.row, each.actual, each.predicted, each.probability) for each in found.rows] == [
        (3, "c", "a", 0.0), (5, "a", "c", 0.0), (1, "b", "a", 0.3), (4, "c", "b", 0.4),
    ]  # fmt: skip
    assert (found.rows[0].score, found.rows[0].loss) == (None, math.inf)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["rows"][0]["loss"] is None


def test_other_kinds_of_scores_and_predictions() -> None:
    # Nothing is below -40; below 2 are -1 and -40; above 8 is 9, above 5 are 9 and 8.
    found = tm.evaluate([1, 0, 1, 0, 0, 1], y_score=[9, 5, -40, -1, 8, 2], threshold=3).worst_errors()
    assert places(found) == [3, 5, 2, 6]
    assert {each.probability for each in found.rows} == {each.loss for each in found.rows} == {None}
    assert found.table("pandas")["score"].tolist() == [-40, 8, 5, 2]
    # Predictions beside the scores are those that are wrong.
    found = tm.evaluate([1, 1, 0, 0], [0, 1, 1, 0], y_score=[0.8, 0.1, 0.3, 0.9]).worst_errors()
    assert [(each.row, each.probability) for each in found.rows] == [(3, 0.7), (1, 0.8)]


def test_outputs(ev: tm.Evaluation, path: Path, tmp_path: Path, snapshot: Any) -> None:
    none = tm.evaluate([1, 0], y_score=[0.9, 0.1]).worst_errors()
    assert (none.rows, none.errors, len(none.table())) == ((), 0, 0)
    outside = tm.evaluate([1, 0, 1], y_score=[9, 5, -40], threshold=3).worst_errors()
    shown = {"two of four": ev.worst_errors(2), "none": none, "no probabilities": outside}
    snapshot("worst_errors", {name: str(each) for name, each in shown.items()})
    document = ev.worst_errors(2).to_dict()
    assert document["schema"] == "tallymark/worst_errors/1"
    second = {"row": 4, "id": "d", "actual": "1", "predicted": "0", "score": 0.05, "probability": 0.05}
    assert {name: document["rows"][1][name] for name in second} == second
    # They are on a page only if they are asked for, for they are rows of the data.
    titles = [[section.title for section in ev.report(**asked).sections] for asked in ({}, {"worst": 2})]
    assert [each.count("Worst errors") for each in titles] == [0, 1]
    target = tmp_path / "page.txt"
    columns = ["--actual", "y", "--score", "s", "--drop-missing", "--worst", "2", "-o", str(target)]
    assert main(["report", str(path), *columns]) == 0
    written = [line.split() for line in target.read_text().splitlines()]
    assert [
        words for words in written if words[2:4] == ["0.0500", "0.0500"] or words[3:5] == ["0.0500", "0.0500"]
    ]
    both = tm.compare({"one": ev, "other": ev}).report(worst=1)
    assert text(both).count("1 of 4 errors") == 2


def test_what_needs_rows_and_scores(ev: tm.Evaluation, snapshot: Any) -> None:
    answers = tm.Confusion([[1, 2], [3, 4]]).evaluate()
    evaluations: dict[str, Any] = {
        "predictions": tm.evaluate([1, 0], [0, 0]),
        "counts": answers,
        "no rows": pickle.loads(pickle.dumps(tm.evaluate([1, 0], y_score=[0.2, 0.1]))),
        "no predictions yet": tm.evaluate([1, 0], y_score=[7, 8]),
        "label sets": tm.evaluate([["a"], ["b"]], [["a"], ["a", "b"]]),
        "one score of three": tm.evaluate(
            ["a", "b", "c"], ["a", "a", "a"], y_score=[0.1, 0.2, 0.3], pos_label="a"
        ),
    }
    calls: dict[str, Any] = {name: each.worst_errors for name, each in evaluations.items()}
    calls |= {f"{most!r} of them": lambda most=most: ev.worst_errors(most) for most in (0, -1, 2.5, True)}
    # Nor can a metric of one's own be made of counts.
    table = pl.DataFrame({"y": [0, 1], "p": [0, 1]})
    tallies = (
        answers.confusion,
        ev.curves.scores,
        tm.tally(table, actual="y", predicted="p"),
        evaluations["label sets"].sets.tally,
    )
    calls |= {
        f"own metric of {type(each).__name__}": lambda each=each: each.evaluate(extra={"profit": max})
        for each in tallies
    }
    refused = refusals(calls)
    assert classes(refused) == dict.fromkeys(calls, "OptionError")
    snapshot("worst_errors_refused", refused)
