"""Two models are compared as if no third were there; and what a comparison takes, assumes and shows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import metrics as sk

import tallymark as tm
from tallymark.comparison.outputs.report import _others
from tallymark.comparison.outputs.shown import shown
from tallymark.drawing import Folded, Table

RNG = np.random.default_rng(3)
N = 120
Y = RNG.integers(0, 2, N)
ANSWERS = {
    name: np.where(RNG.random(N) < right, Y, 1 - Y)
    for name, right in (("tree", 0.85), ("bayes", 0.75), ("rules", 0.65))
}
OPTIONS: dict[str, dict[str, Any]] = {
    "rows": {},
    "weights": {"sample_weight": RNG.integers(1, 4, N) / 2},
    "groups": {"groups": np.arange(N) // 4},
}


@pytest.mark.parametrize(("given", "metric"), [*((given, "f1") for given in OPTIONS), ("groups", "accuracy")])
def test_a_third_model_changes_nothing(given: str, metric: str) -> None:
    three = tm.compare(ANSWERS, Y, metric=metric, **OPTIONS[given])
    for pair in (("tree", "bayes"), ("tree", "rules"), ("bayes", "rules")):
        alone = tm.compare({name: ANSWERS[name] for name in pair}, Y, metric=metric, **OPTIONS[given])[metric]
        found = next(each for each in three.differences if (each.a, each.b) == pair and each.metric == metric)
        assert (found.value, found.low, found.high) == (alone.value, alone.low, alone.high)
        assert (found.test, found.p_value) == (alone.test, alone.p_value)


@pytest.mark.parametrize("metric", ["recall", "auc", "brier"])
def test_a_test_assumes_what_its_interval_assumes(metric: str) -> None:
    scores = {name: 0.6 * answer + 0.4 * RNG.random(N) for name, answer in ANSWERS.items()}
    groups = tm.compare(scores, Y, metric=metric, groups=np.arange(N) // 4).differences[0]
    assert groups.outcome.assumption == groups.assumption == "independent groups (30 of them)"
    assert tm.compare(scores, Y, metric=metric).differences[0].outcome.assumption == "independent rows"


@pytest.mark.parametrize("made", [pd.DataFrame, pl.DataFrame])
def test_probabilities_of_classes_may_be_frames(made: Any) -> None:
    tables = {name: RNG.dirichlet(np.ones(3), 60) for name in ("tree", "bayes")}
    y = np.arange(60) % 3
    frames = {name: made(dict(zip("012", table.T, strict=True))) for name, table in tables.items()}
    options: dict[str, Any] = {"labels": [0, 1, 2], "metric": "log_loss"}
    found, known = (tm.compare(models, y, **options)["log_loss"] for models in (frames, tables))
    expected = [sk.log_loss(y, table) for table in tables.values()]
    assert found.value == pytest.approx(expected[0] - expected[1])
    assert (found.low, found.high) == (known.low, known.high)


def test_cochrans_q_is_of_rows_that_count_once() -> None:
    assert "Cochran's Q" in [each.method for each in tm.compare(ANSWERS, Y).outcomes]
    for given in ("weights", "groups"):
        assert tm.compare(ANSWERS, Y, **OPTIONS[given]).outcomes == ()


@pytest.mark.parametrize("given", [{"pos_label": 1}, {"metrics": ["f1"]}, {"groups": [1, 1, 2]}])
def test_what_has_no_effect_on_scores_by_fold_is_refused(given: dict[str, Any]) -> None:
    folds = {
        name: tm.FoldScores([0.8, 0.9, last], "3 folds") for name, last in (("tree", 0.7), ("bayes", 0.8))
    }
    with pytest.raises(tm.TallymarkError, match=f"{next(iter(given))} has no effect beside scores by fold"):
        tm.compare(folds, **given)


def test_on_the_page_of_several_models_the_first_table_is_about_the_verdicts_number() -> None:
    page = tm.compare(ANSWERS, Y, metrics=["accuracy", "recall"]).report()
    blocks = [block for section in page.sections for block in section.blocks]
    folded = next(block for block in blocks if isinstance(block, Folded) and "other numbers" in block.title)
    table = blocks[blocks.index(folded) - 1]
    assert isinstance(table, Table)
    # Three pairs of three models, in either table.
    assert [row[0] for row in table.rows] == ["accuracy"] * 3
    assert isinstance(folded.blocks[0], Table)
    assert [row[0] for row in folded.blocks[0].rows] == ["recall"] * 3


def test_the_page_lists_the_tests_that_there_are() -> None:
    two = {name: ANSWERS[name] for name in ("tree", "bayes")}
    for given, tested in (({}, True), (OPTIONS["groups"], False)):
        found = tm.compare(two, Y, **given)
        assert bool(found.outcomes) == tested
        assert ("Tests" in [section.title for section in _others(found)]) == tested


def test_what_is_said_below_the_differences_of_two_models() -> None:
    found = tm.compare({name: ANSWERS[name] for name in ("tree", "bayes")}, Y, metric="recall")
    right = [sk.recall_score(Y, ANSWERS[name]) for name in ("tree", "bayes")]
    assert f"recall: 'tree' less 'bayes' is {right[0] - right[1]:.3f} [" in shown(found, "differences")
    # Without a positive row there is no recall.
    none = tm.compare({"tree": [0, 1], "bayes": [0, 0]}, [0, 0], labels=[0, 1], metric="recall")
    assert "recall of 'tree' less 'bayes' is undefined: " in shown(none, "differences")


def test_a_frame_beside_an_evaluation_is_read_by_its_columns() -> None:
    frames = {
        name: pd.DataFrame({"id": np.arange(N), "y": Y, "p": ANSWERS[name]}) for name in ("tree", "bayes")
    }
    columns = {"actual": "y", "predicted": "p"}
    both = tm.compare(frames, **columns)
    assert "column 'id' was taken as id (guessed from its name)." in both.notes
    beside = tm.compare({"tree": frames["tree"], "bayes": tm.evaluate(Y, ANSWERS["bayes"])}, **columns)
    right = [sk.accuracy_score(Y, ANSWERS[name]) for name in ("tree", "bayes")]
    for found in (both, beside):
        assert found["accuracy"].value == pytest.approx(right[0] - right[1])
