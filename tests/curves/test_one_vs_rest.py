"""The curve of every class against the rest, and which are recognised best."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tallymark.curves import roc_of
from tallymark.curves.classes.one_vs_rest import OneVsRest
from tallymark.drawing import text
from tallymark.drawing.figure import Line
from tallymark.drawing.plots.pen import image
from tallymark.inference import Ranking
from tallymark.intake.ranking import count_scores
from tallymark.metrics import ask


def one_vs_rest(table, classes, labels):
    curves, areas = {}, {}
    for own, label in enumerate(labels):
        scores = count_scores(table[:, own], classes == own, positive=label)
        found = Ranking(scores).of(ask("auc"))
        curves[label], areas[label] = roc_of(scores), (found.value, found.low, found.high)
    return OneVsRest(curves, areas)


def rows(size, n=300, seed=0):
    """Later classes are set apart better."""
    generator = np.random.default_rng(seed)
    classes = np.arange(n) % size
    table = generator.normal(size=(n, size))
    table[np.arange(n), classes] += 0.5 + 3 * classes / size
    return table, classes


# By hand: a wins 3 of 4 pairs, b 4 of 4, c half of its 4, all tied.
TABLE = np.array([[0.5, 0.1, 0.3], [0.6, 0.8, 0.3], [0.4, 0.2, 0.3]])
SMALL = one_vs_rest(TABLE, np.array([0, 1, 2]), ["a", "b", "c"])


def test_best_first():
    assert SMALL.order == ("b", "a", "c")
    frame = SMALL.table("pandas")
    assert frame["class"].tolist() == ["b", "a", "c"]
    assert frame["auc"].tolist() == [1, 0.5, 0.5]
    assert frame["support"].tolist() == [1, 1, 1]


def test_in_words():
    said = text(SMALL.document())
    assert "Recognised best is 'b' with an AUC of 1.000, worst 'c' with 0.500." in said
    assert "Their intervals overlap" in said
    clear = one_vs_rest(*rows(3, 2000), ["x", "y", "z"])
    assert clear.sure("z", "x")
    assert "overlap" not in text(clear.document())


def test_a_class_ranked_worse_than_at_random_is_named():
    table, classes = rows(3)
    table[:, 0] *= -1
    found = one_vs_rest(table, classes, ["x", "y", "z"])
    assert "'x' is ranked worse than at random." in text(found.document(), width=1_000)


def test_a_class_without_rows_comes_last():
    table, classes = rows(3)
    found = one_vs_rest(table, np.minimum(classes, 1), ["x", "y", "z"])
    assert found.order[-1] == "z"
    assert "No curve for 'z': no row is of that class." in text(found.document())
    form = json.loads(json.dumps(found.to_dict()))
    assert form["classes"][-1]["auc"] == {"value": None, "why": "no row is of that class"}
    assert found.figure().note == "No curve for 'z': no row is of that class."
    assert image(found.figure(), ".png")


def test_rows_of_one_class_only():
    found = one_vs_rest(TABLE, np.zeros(3, int), ["a", "b", "c"])
    assert found.known == ()
    assert "No curve for 'a': every row is of that class." in text(found.document())
    assert image(found.figure(), ".png")


def test_to_dict_thins_long_curves():
    form = one_vs_rest(*rows(3, 3000), ["x", "y", "z"]).to_dict(most=50)
    first = form["classes"][0]
    assert first["label"] == "z"
    assert len(first["fpr"]) < 200 < first["points"]
    assert first["auc"]["low"] < first["auc"]["value"] < first["auc"]["high"]


def lines(figure):
    return [mark for mark in figure.panels[0].marks if isinstance(mark, Line)]


def test_every_class_of_a_few_is_a_series():
    found = lines(one_vs_rest(*rows(8), [f"k{own}" for own in range(8)]).figure())
    assert sorted(line.series for line in found if line.series is not None) == list(range(8))
    assert "random guessing" in [line.label for line in found]


@pytest.mark.parametrize(("size", "grey"), [(9, 3), (20, 14)])
def test_of_many_the_best_and_the_worst_are_coloured(size, grey):
    made = one_vs_rest(*rows(size, 1000), [f"k{own}" for own in range(size)])
    found = lines(made.figure())
    coloured = [line.name for line in found if line.series is not None]
    assert tuple(coloured) == made.order[:3] + made.order[-3:]
    others = [line for line in found if line.series is None and line.faint]
    assert len(others) == grey
    assert [line.label for line in others if line.label] == [f"the other {grey} classes"]
    assert image(made.figure(), ".png")
