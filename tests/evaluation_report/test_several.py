"""The page about several models: numbers side by side, pictures on top of each other."""

from __future__ import annotations

import numpy as np
import pytest

from tallymark import data
from tallymark.drawing import Beside, Document, Finding, Folded, Paragraph, Picture, Section, Table, text
from tallymark.drawing.figure import Line
from tallymark.drawing.html import page
from tallymark.evaluation import Evaluation, evaluate
from tallymark.evaluation.report import describe, first_screen

COSTS = {"malignant": {"benign": 10}, "benign": {"malignant": 1}}
MOST = 140_000
"""Bytes of a page about two models; their comparison comes on top of it."""


@pytest.fixture(scope="module")
def models() -> dict[str, Evaluation]:
    return {
        name: evaluate(
            data.path("breast_cancer.csv"),
            actual="actual",
            predicted=f"{name}_predicted",
            score=f"{name}_score",
            pos_label="malignant",
            costs=COSTS,
        )
        for name in ("bayes", "tree")
    }


@pytest.fixture(scope="module")
def report(models: dict[str, Evaluation]) -> Document:
    return describe(models)


def pictures(document: Document) -> dict[str, Picture]:
    blocks = [block for section in document.sections for block in section.blocks]
    return {block.title: block for block in blocks if isinstance(block, Picture)}


def test_the_first_screen(report: Document) -> None:
    lead, _, beside, about = report.sections[0].blocks
    assert isinstance(lead, Paragraph)
    # 518 and 533 of 569.
    assert lead.text == (
        "Share of the rows that are answered right: bayes 91.0 % [88.4 %, 93.1 %], tree 93.7 % [91.4 %, "
        "95.4 %]; always answering 'benign' would be right in 62.7 %."
    )
    assert isinstance(beside, Beside)
    (numbers,), matrices = beside.parts
    assert isinstance(numbers, Table)
    assert [column.title for column in numbers.columns] == ["", "bayes", "tree"]
    assert numbers.rows[1] == ("recall", "0.816 [0.758, 0.862]", "0.887 [0.837, 0.923]")
    assert [table.title.partition(":")[0] for table in matrices if isinstance(table, Table)] == [
        "bayes",
        "tree",
    ]
    assert isinstance(about, Paragraph)
    assert about.text.count("569 rows") == 1
    assert report.title == "bayes and tree"


def test_findings_name_their_models(models: dict[str, Evaluation]) -> None:
    given = [Finding("TM900", "of the comparison")]
    printed = text(Document("", first_screen(models, lead="A is better.", findings=given)), width=500)
    assert printed.startswith("A is better.")
    assert "always answering" not in printed
    assert printed.index("of the comparison") < printed.index("tree: the probabilities are not calibrated")


def test_other_sections_come_after_the_first_screen(models: dict[str, Evaluation]) -> None:
    document = describe(models, title="Two", sections=[Section("Comparison", (Paragraph("It is."),))])
    assert document.title == "Two"
    first = ["", "Comparison", "Try a threshold", "Ranking"]
    assert [section.title for section in document.sections][:4] == first


def test_pictures_are_on_top_of_each_other(report: Document) -> None:
    drawn = pictures(report)
    assert drawn["ROC curve"].said == "AUC: bayes 0.976 [0.963, 0.984], tree 0.946 [0.915, 0.966]."
    labels = [
        mark.label
        for mark in drawn["ROC curve"].figure.panels[0].marks
        if isinstance(mark, Line) and mark.label
    ]
    assert labels[:2] == ["bayes, AUC 0.976", "tree, AUC 0.946"]
    assert drawn["F1 against the threshold"].said.startswith("Highest f1: bayes 0.900 at 0.3218, tree")
    assert [panel.title for panel in drawn["Scores by class"].figure.panels] == ["bayes", "tree"]


def test_numbers_of_each_model_are_folded(report: Document) -> None:
    for picture in pictures(report).values():
        assert [block.title for block in picture.blocks if isinstance(block, Folded)] == ["bayes", "tree"]


def test_what_both_share_is_said_once(report: Document) -> None:
    printed = text(report, width=500)
    assert printed.count("net benefit = TP / n") == 1
    assert printed.count("recall: Share of the actual positives that were found.") == 1
    assert "bayes: recall = tp / (tp + fn) = 173 / (173 + 39) = 173 / 212 = 0.816" in printed
    assert "tree: recall = 188 / 212 = 0.8868" in printed


def test_a_page_of_two_models_is_small(report: Document) -> None:
    assert len(page(report).encode()) <= MOST


def test_many_scores_make_no_larger_page() -> None:
    random = np.random.default_rng(1)
    y = (random.random(200_000) < 0.1).astype(int)
    models = {
        name: evaluate(y, y_score=1 / (1 + np.exp(-(random.normal(size=len(y)) + better * y))), threshold=0.5)
        for name, better in (("first", 1.5), ("second", 2.0))
    }
    assert len(page(describe(models)).encode()) <= MOST


def test_long_names_and_ragged_curves_make_no_large_page() -> None:
    """Some thousand rows are worst: enough for a step at every place, too few to be smooth."""
    random = np.random.default_rng(0)
    y = (random.random(3_000) < 0.3).astype(int)
    models = {
        f"{name} model, with a name that says all there is to say of it{'!' * 10_000}": evaluate(
            y,
            y_score=np.clip(random.normal(0.4 + better * y, 0.2), 0, 1),
            labels=[0, 1],
            costs=[[0, 1], [9, 0]],
        )
        for name, better in (("first", 0.2), ("second", 0.1))
    }
    made = page(describe(models))
    assert len(made.encode()) <= 150_000
    assert "first model, with a" in made
    assert "second model, with a" in made


def test_models_of_different_kinds() -> None:
    y, score = np.array([0, 1] * 20), np.array([0.2, 0.7, 0.6, 0.9] * 10)
    models = {
        "scores": evaluate(y, y_score=score),
        "answers": evaluate(y, (score > 0.65).astype(int)),
        "logits": evaluate(y, y_score=10 * score - 5, threshold=0),
    }
    document = describe(models)
    printed = text(document, width=500)
    drawn = pictures(document)
    assert "logits: scores leave [0, 1], so they are no probabilities." in drawn["Calibration"].said
    assert "answers: There are no scores" in printed
    assert "Undefined of answers: lr_plus. Why: no negative was called positive" in printed
    # A model that only answers is a point.
    assert any(mark.label == "answers" for mark in drawn["ROC curve"].figure.panels[0].marks)
    assert document.title == "scores, answers and logits"
    page(document)


def test_models_with_many_classes_have_tables_of_their_own() -> None:
    labels = list(range(14))
    answers = np.array(labels * 5)
    models = {name: evaluate(answers, np.roll(answers, by)) for name, by in (("right", 0), ("wrong", 1))}
    (classes,) = [section for section in describe(models).sections if section.title == "Classes"]
    assert [block.title for block in classes.blocks if isinstance(block, Folded)] == ["right", "wrong"]
