"""The page about one model: what it says first, which sections it has, and that every kind has one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

import tallymark as tm
from tallymark import data
from tallymark.drawing import (
    Beside,
    Block,
    Document,
    Folded,
    Headlines,
    Paragraph,
    Picture,
    Table,
    markdown,
    text,
)
from tallymark.drawing.html import page
from tallymark.evaluation import Evaluation, evaluate
from tallymark.tallies import Confusion, Scores

COSTS = {"malignant": {"benign": 10}, "benign": {"malignant": 1}}
LIVE = "Try a threshold"
ALL = ("Ranking", "Threshold and costs", "Probabilities", "Classes", "Costs", "All numbers", "Method notes")


def tumours(model: str, **more: Any) -> Evaluation:
    columns = {"actual": "actual", "predicted": f"{model}_predicted", "score": f"{model}_score"}
    return evaluate(data.path("breast_cancer.csv"), **columns, pos_label="malignant", costs=COSTS, **more)


@pytest.fixture(scope="module")
def bayes() -> Evaluation:
    return tumours("bayes")


@pytest.fixture(scope="module")
def report(bayes: Evaluation) -> Document:
    return bayes.report()


def every(blocks: Iterable[Block]) -> Iterable[Block]:
    """All blocks, also those within others."""
    for block in blocks:
        yield block
        if isinstance(block, Beside):
            yield from (each for part in block.parts for each in every(part))
        elif isinstance(block, Folded | Picture):
            yield from every(block.blocks)


def of(document: Document, kind: type, section: str | None = None) -> list[Any]:
    chosen = [each for each in document.sections if section in (None, each.title)]
    return [block for each in chosen for block in every(each.blocks) if isinstance(block, kind)]


def titles(document: Document) -> list[str]:
    return [section.title for section in document.sections if section.title]


# --- the first screen ----------------------------------------------------------------------------


def test_the_verdict_is_in_counts(report: Document) -> None:
    # 345 + 173 of 569 rows are right, 357 are benign; 173 of 212 are found, and 173 of 185 alarms are true.
    (lead,) = [block.text for block in of(report, Paragraph) if block.lead]
    assert lead.startswith(
        "Of 569 rows 91.0 % [88.4 %, 93.1 %] are answered right, clearly more than without looking"
    )
    assert "always answering 'benign' would be right in 62.7 %." in lead
    found = (
        "It finds 173 of the 212 rows of 'malignant' (81.6 %), and 173 of its 185 alarms are true (93.5 %)."
    )
    assert found in lead
    # 12 x 1 + 39 x 10 = 402, over 569 rows.
    assert lead.endswith("the score ranks 97.6 % rightly; a row costs 0.707 on average.")


def test_the_numbers_that_matter_most(report: Document) -> None:
    (tiles,) = of(report, Headlines)
    names = ["accuracy", "recall", "precision", "f1", "auc", "mean cost"]
    assert [tile.name for tile in tiles.items] == names
    recall = tiles.items[1]
    assert (recall.value, recall.interval) == ("0.816", "[0.758, 0.862]")
    assert recall.place == pytest.approx((0.758, 0.816, 0.862), abs=5e-4)
    # Costs have no best and no worst to be between.
    assert tiles.items[5].place is None


def test_less_is_better_is_turned_round() -> None:
    sets = evaluate([["a", "b"], ["b"]] * 10, [["a"], ["b"]] * 10)
    loss = next(tile for tile in of(sets.glance(), Headlines)[0].items if tile.name == "hamming loss")
    assert loss.value == "0.250"
    assert loss.place[1] == 0.75


def test_the_matrix_is_shaded_by_class(report: Document) -> None:
    matrix = next(block for block in of(report, Table) if block.shades)
    assert matrix.rows == (
        ("benign", "345 (96.6%)", "12 (3.4%)", "357"),
        ("malignant", "39 (18.4%)", "173 (81.6%)", "212"),
        ("total", "384", "185", "569"),
    )
    assert matrix.shades[0] == (None, 345 / 357, 12 / 357, None)
    assert matrix.shades[2] == (None,) * 4


def test_a_glance_is_the_first_screen(bayes: Evaluation, report: Document) -> None:
    glance = bayes.glance()
    assert [section.title for section in glance.sections] == [""]
    assert text(glance) in text(report)


@pytest.mark.parametrize(
    ("matrix", "said"),
    [
        ([[60, 0], [40, 0]], "not clearly more than without looking"),
        ([[60, 30], [5, 5]], "less than without looking: always answering 'no' would be right in 90.0 %"),
        ([[60, 0], [40, 0]], "It never answers 'yes', so it finds none of the 40 there are."),
        ([[60, 1], [0, 0]], "No row is actually 'yes', and 1 is called so."),
        ([[60, 0], [0, 0]], "No row is actually 'yes', and none is called so."),
        ([[60, 0], [39, 1]], "and 1 of its 1 alarm is true (100.0 %)."),
        ([[60, 2], [0, 1]], "It finds 1 of the 1 row of 'yes' (100.0 %), and 1 of its 3 alarms is true"),
    ],
)
def test_the_verdict_does_not_flatter(matrix: list[list[int]], said: str) -> None:
    ev = Confusion(matrix, labels=["no", "yes"]).evaluate(pos_label="yes")
    assert said in text(ev.glance(), width=1000)


def test_rare_positives_have_decimals_enough() -> None:
    # 9,991 of 10,000 are right and 9,990 are 'no'; Wilson's interval for 9 wrong ones is 0.99829 to 0.99953.
    ev = Confusion([[9986, 4], [5, 5]], labels=["no", "yes"]).evaluate(pos_label="yes")
    assert "Of 10,000 rows 99.91 % [99.83 %, 99.95 %] are answered right, not clearly more" in text(
        ev.glance(), width=1000
    )
    assert "would be right in 99.90 %." in text(ev.glance(), width=1000)
    assert "accuracy 0.9991 [0.9983, 0.9995]" in " ".join(text(ev.glance(), width=1000).split())


# --- the sections --------------------------------------------------------------------------------


def test_the_sections_of_two_classes_with_costs(report: Document) -> None:
    assert tuple(titles(report)) == (LIVE, *ALL)
    drawn = ["ROC curve", "Precision and recall", "Cumulative gains", "Lift"]
    drawn += ["F1, precision and recall against the threshold", "Cost against the threshold", "Cost curve"]
    drawn += ["Decision curve", "Rejection", "Scores by class", "Calibration"]
    assert [picture.title for picture in of(report, Picture)] == drawn


def test_every_picture_says_what_it_shows_in_numbers(report: Document) -> None:
    said = {picture.title: picture.said for picture in of(report, Picture)}
    assert all(re.search(r"\d", sentence) for sentence in said.values())
    assert said["ROC curve"].startswith("AUC 0.976 [0.963, 0.984]: of all pairs")
    # Both of the following are worked out by hand from the sorted scores of the file.
    assert (
        said["Cumulative gains"] == "The best 20 % (about 114 rows) hold 53.7 % of the positives (lift 2.68)."
    )
    assert said["Cost against the threshold"].endswith("The answers as they are cost 0.707 a row.")


def test_tables_below_pictures_are_short(report: Document) -> None:
    tables = [table for picture in of(report, Picture) for table in every(picture.blocks)]
    assert max(len(table.rows) for table in tables if isinstance(table, Table)) <= 13


def test_every_number_is_worked_out(bayes: Evaluation, report: Document) -> None:
    printed = text(Document("", tuple(s for s in report.sections if s.title == "Method notes")), width=500)
    assert "recall = tp / (tp + fn) = 173 / (173 + 39) = 173 / 212 = 0.816" in printed
    for name, estimate in bayes.metrics.items():
        if estimate.value is not None and not name.endswith(("_macro", "_micro", "_weighted", "_cost")):
            assert f"\n{name}: " in printed, name
    for method in ("wilson", "dirichlet", "delong", "log_mean"):
        assert f"\n{method}, as for " in printed
    assert "10000 tables were drawn" in printed


def test_answers_alone_have_no_curves() -> None:
    ev = Confusion([[50, 3, 0], [1, 40, 9], [2, 7, 30]], labels=["a", "b", "c"]).evaluate()
    report = ev.report()
    assert titles(report) == ["Classes", "All numbers", "Method notes"]
    assert not of(report, Picture)
    printed = text(report, width=500)
    assert "There are no scores, so nothing is said of ranking, thresholds and probabilities." in printed
    assert "Found best is 'a', 94.3 % of its rows, and worst 'c', 76.9 %." in printed
    assert "Most often confused are 'b' and 'c'" in printed


def test_classes_with_probabilities() -> None:
    probabilities = np.array([[0.6, 0.2, 0.2], [0.1, 0.7, 0.2], [0.5, 0.1, 0.4], [0.1, 0.2, 0.7]] * 5)
    ev = evaluate(["a", "b", "c", "c"] * 5, y_score=probabilities, labels=["a", "b", "c"])
    report = ev.report()
    assert titles(report) == [LIVE, "Probabilities", "Classes", "All numbers", "Method notes"]
    drawn = [picture.title for picture in of(report, Picture)]
    assert drawn == [
        "Probabilities of right and wrong answers",
        "Calibration",
        "Rejection",
        "Every class against the rest",
    ]


def test_slices_are_drawn_with_their_intervals() -> None:
    y, called = np.array([0, 1] * 40), np.array([0, 1] * 20 + [1, 0] * 20)
    half = ["north"] * 40 + ["south"] * 40
    report = evaluate(y, called, slices={"region": half}).report()
    (picture,) = of(report, Picture, "Slices")
    assert picture.title == "accuracy by region"
    # All of the north is right and nothing of the south.
    assert "lowest in 'region=south', 0.000 [0.000, 0.088] on 40 rows" in picture.said
    assert "'region=north', 'region=south' clearly differ from all rows." in picture.said


# --- many classes --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sixty() -> Confusion:
    matrix = 9 * np.eye(60, dtype=int)
    matrix[59, 0] = 3
    return Confusion(matrix, labels=[f"class {place:02d}" for place in range(60)])


def test_more_than_forty_classes(sixty: Confusion) -> None:
    report = sixty.evaluate().report()
    pictures = {picture.title: picture for picture in of(report, Picture)}
    assert list(pictures) == ["F1 of every class", "Every class against every answer"]
    # 2 x 9 / (2 x 9 + 3) = 0.857 for both classes that are confused.
    assert pictures["F1 of every class"].said.endswith("Worst is 'class 00' with 0.857.")
    assert not any(table.shades for table in of(report, Table))
    classes = of(report, Table, "Classes")[0]
    assert (len(classes.rows), classes.title) == (60, "The lowest F1 first")
    assert classes.rows[0][:2] == ("class 00", "9")


@pytest.mark.parametrize(("size", "cell"), [(5, "9 (100.0%)"), (12, "9 (100%)"), (13, "9")])
def test_cells_get_shorter_with_more_classes(size: int, cell: str) -> None:
    matrix = Confusion(9 * np.eye(size, dtype=int), labels=list(range(size)))
    table = next(block for block in of(matrix.evaluate().glance(), Table) if block.shades)
    assert table.rows[0][1] == cell


def test_a_thousand_classes_are_all_there() -> None:
    matrix = 9 * np.eye(1000, dtype=int) + np.eye(1000, k=1, dtype=int)
    report = Confusion(matrix, labels=list(range(1000))).evaluate().report()
    assert len(of(report, Table, "Classes")[0].rows) == 1000
    assert len(page(report)) < 600_000


# --- every kind of evaluation --------------------------------------------------------------------

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 60)
SCORE = np.clip(Y * 0.3 + RNG.random(60) * 0.7, 0, 1)
THREE = np.array(list("abc"))[RNG.integers(0, 3, 60)]
PROBABILITIES = RNG.dirichlet([1, 1, 1], 60)

KINDS: dict[str, Callable[[], Evaluation]] = {
    "scores": lambda: evaluate(Y, y_score=SCORE),
    "outside 0 to 1": lambda: evaluate(Y, y_score=10 * SCORE - 3),
    "nothing called": lambda: evaluate(Y, y_score=SCORE, threshold=2),
    "no positive": lambda: evaluate(
        np.where(Y, "y", "n"), y_score=np.c_[1 - SCORE, SCORE], labels=["n", "y"]
    ),
    "weights": lambda: evaluate(Y, y_score=SCORE, sample_weight=RNG.random(60)),
    "groups": lambda: evaluate(Y, y_score=SCORE, groups=RNG.integers(0, 9, 60)),
    "one class": lambda: evaluate(np.ones(60, int), y_score=SCORE, threshold=0.5),
    "no positives": lambda: evaluate(np.zeros(60, int), y_score=SCORE, threshold=0.5),
    "one row": lambda: evaluate([1], y_score=[0.3]),
    "all equal": lambda: evaluate(Y, y_score=np.full(60, 0.5)),
    "an empty class": lambda: evaluate(
        THREE, y_score=np.c_[PROBABILITIES, np.zeros(60)], labels=list("abcd")
    ),
    "one of three": lambda: evaluate(THREE, y_score=PROBABILITIES, labels=list("abc"), pos_label="b"),
    "costs of three": lambda: evaluate(
        THREE, y_score=PROBABILITIES, labels=list("abc"), costs=[[0, 1, 2], [3, 0, 1], [5, 5, 0]]
    ),
    "gains": lambda: evaluate(Y, y_score=SCORE, labels=[0, 1], threshold=0.5, costs=[[-1, 1], [5, -2]]),
    "bins": lambda: Scores.from_bins([6, 2, 2], [4, 18, 68]).evaluate(),
    "bins cut": lambda: Scores.from_bins([6, 2], [4, 18], edges=[1, 0.6, 0]).evaluate(threshold=0.6),
    "votes": lambda: evaluate(Y, votes=[Y, (SCORE > 0.5).astype(int), 1 - Y]),
    "sets": lambda: evaluate([["a", "b"], ["b"], []] * 9, [["a"], ["b", "c"], []] * 9),
    "other shares": lambda: evaluate(Y, y_score=SCORE).at_prevalence(0.01),
    "own metric": lambda: evaluate(Y, Y, extra={"mine": lambda _y, _p: 0.5}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_report(kind: str) -> None:
    ev = KINDS[kind]()
    report = ev.report()
    for pen in (text, markdown, page):
        assert "nan" not in re.findall(r"\w+", pen(report))
    assert all(picture.said for picture in of(report, Picture))
    assert titles(report)[-2:] == ["All numbers", "Method notes"]


def test_what_is_not_there_says_why() -> None:
    printed = text(KINDS["outside 0 to 1"]().report(), width=500)
    assert "Calibration: scores leave [0, 1], so they are no probabilities." in printed
    assert "Decision curve: scores leave [0, 1], so they are no probabilities." in printed
    printed = text(KINDS["no positives"]().report(), width=500)
    assert "There are no curves of the ranking: no row is actually positive." in printed
    assert "F1, precision and recall against the threshold: no row is actually positive." in printed
    printed = text(KINDS["no positive"]().report(), width=500)
    assert "There are no curves of the ranking: name the positive class." in printed


def test_label_sets_have_labels_and_no_classes() -> None:
    tiles = {tile.name: tile for tile in of(KINDS["sets"]().glance(), Headlines)[0].items}
    assert tiles["f1 macro"].said == "mean F1 of the labels"


def test_undefined_headlines_say_why() -> None:
    tiles = {tile.name: tile for tile in of(KINDS["nothing called"]().glance(), Headlines)[0].items}
    assert tiles["precision"].value == "?"
    assert tiles["precision"].said == "undefined: nothing was predicted positive (tp + fp = 0)"


# --- handed on -----------------------------------------------------------------------------------


def test_saved_as_a_page_and_shown_in_a_notebook(bayes: Evaluation, report: Document, tmp_path: Any) -> None:
    bayes.save(tmp_path / "x.html")
    assert (tmp_path / "x.html").read_text() == page(report) + "\n"
    bundle = bayes._repr_mimebundle_()
    assert bundle["text/plain"] == str(bayes)
    assert "It finds 173 of the 212 rows" in bundle["text/html"]
    assert tm.evaluate([1, 0], [1, 0]).report(title="Mine").title == "Mine"
