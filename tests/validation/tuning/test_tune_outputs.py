"""A tuning as text, JSON, tables and pictures."""

from __future__ import annotations

import copy
import json
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from tallymark.drawing.figure import Band, Cells, Line, Points, Spans
from tallymark.errors import OptionError
from tallymark.inference import Estimate
from tallymark.validation.tuning import Tuning, tune

X, Y = make_classification(120, 6, flip_y=0.25, random_state=5)
TREE = DecisionTreeClassifier(random_state=0)
TWO = {"max_depth": [1, 3, None], "min_samples_leaf": [1, 20]}


@cache
def tuned(kind: str) -> Tuning:
    """Small tunings, made once."""
    small: dict[str, Any] = {"cv": 3, "inner_cv": 3}
    if kind == "one":
        return tune(TREE, X, Y, {"max_depth": [1, 2, 4, 64]}, **small)
    if kind == "alone":
        return tune(TREE, X, Y, {"max_depth": [2]}, **small)
    if kind == "two":
        return tune(make_pipeline(StandardScaler(), TREE), X, Y, TWO, **small)
    if kind == "models":
        knn = KNeighborsClassifier()
        return tune(
            {"tree": (TREE, {"max_depth": [1, 2]}), "knn": (knn, {"n_neighbors": [3]})}, X, Y, **small
        )
    if kind == "many":
        space = {"max_depth": stats.randint(1, 30), "ccp_alpha": stats.uniform(0, 0.05)}
        return tune(TREE, X, Y, param_distributions=space, n_iter=25, cv="repeated:26", inner_cv=2)
    return tune(TREE, X, Y, {"max_depth": [1, 2, 4]}, method="three-way")


KINDS = ("one", "two", "models", "many", "three-way")


# --- text ----------------------------------------------------------------------------------------------


def test_the_report_says_what_was_promised_and_what_was_kept() -> None:
    found = tuned("two")
    text = " ".join(str(found).split())
    assert (
        "120 rows, 2 classes; 6 candidates on a grid; chosen by accuracy, higher is better; 75 fits." in text
    )
    assert "Nested: outer folds by 3-fold cross-validation" in text
    for word in ("promised", "kept", "optimism", "corrected t", "Pooled, all outer test rows together"):
        assert word in text
    assert f"Expect accuracy {found.outer.value:.3f} of a model chosen this way" in text
    assert "outer folds that chose the same" in text
    assert "The estimate is of models that learned fewer rows, the training rows of an outer fold" in text
    # Parameters have the names that were given: the step of the pipeline they are in is not said.
    assert "decisiontreeclassifier__" not in text
    assert found.best_params.keys() == {"max_depth", "min_samples_leaf"}


def test_the_report_of_a_three_way_split() -> None:
    text = " ".join(str(tuned("three-way")).split())
    assert "Three-way split: 72 rows to learn, 24 to choose by, 24 to test on." in text
    assert "the winner on the validation rows" in text
    assert "optimism: one split does not show how much splits vary." in text
    assert "Outer folds" not in text
    assert "learned fewer rows" not in text


LUCK = "the best of many is partly the luckiest"
CHANCE = "here the difference may be chance"


def with_optimism(kind: str, value: float, low: float | None) -> str:
    """The report of a tuning whose optimism is this."""
    found = copy.copy(tuned(kind))
    ends = None if low is None else (lambda _: (low, 2 * value - low))
    vars(found)["optimism"] = Estimate(value, ends_at=ends)
    return " ".join(str(found).split())


@pytest.mark.parametrize(
    ("kind", "value", "low", "luck", "chance"),
    [
        ("one", 0.1, 0.02, True, False),
        ("one", 0.1, -0.02, False, True),
        ("one", 0.1, None, False, True),
        ("one", -0.1, -0.2, False, False),
        ("three-way", 0.1, None, False, True),
        ("alone", 0.1, 0.02, False, False),
        ("alone", -0.1, -0.2, False, False),
    ],
    ids=["sure", "unsure", "no interval", "none", "one split", "one candidate", "one candidate, none"],
)
def test_luck_is_named_where_several_were_tried_and_chance_does_not_explain_it(
    kind: str, value: float, low: float | None, luck: bool, chance: bool
) -> None:
    text = with_optimism(kind, value, low)
    assert (LUCK in text, CHANCE in text) == (luck, chance)
    assert ("One candidate was tried, so no luck of choosing is in it." in text) == (kind == "alone")


class Late(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Knows everything once it has learned 70 rows, and nothing before."""

    def __init__(self, luck: int = 0) -> None:
        self.luck = luck

    def fit(self, X: Any, y: Any) -> Late:  # noqa: ARG002
        self.classes_, self.knows_ = np.unique(y), len(y) >= 70
        return self

    def predict(self, X: Any) -> Any:
        return X[:, 0].astype(int) if self.knows_ else np.zeros(len(X), int)


def test_a_promise_that_was_too_modest_is_explained() -> None:
    y = np.arange(120) % 2
    found = tune(Late(), y[:, None].astype(float), y, {"luck": [0, 1]}, cv=3, inner_cv=3)
    # 80 rows to learn in an outer fold, and 53 or 54 in an inner one.
    assert (found.inner.value, found.outer.value) == pytest.approx((0.5, 1.0), abs=0.02)
    text = " ".join(str(found).split())
    assert "Expect accuracy 1.000 of a model chosen this way: the promise was not too good here." in text
    assert "Candidates are tried after learning fewer rows than the winner learns in the end" in text


def test_the_report_of_several_models_names_them() -> None:
    text = " ".join(str(tuned("models")).split())
    assert "3 candidates of 'tree' and 'knn' on a grid" in text
    assert "tree: DecisionTreeClassifier(random_state=0). knn: KNeighborsClassifier()." in text
    assert "tree: max_depth=" in text or "knn: n_neighbors=" in text


def test_a_long_table_is_cut_and_says_where_the_rest_is() -> None:
    text = " ".join(str(tuned("many")).split())
    assert "13 more are in the table: -o OUT.csv (to_frame())." in text
    assert "6 more folds are in the JSON document." in text


@pytest.mark.parametrize("kind", KINDS)
def test_every_report_is_in_every_format(kind: str, tmp_path: Path) -> None:
    for suffix in (".txt", ".md", ".tex", ".json", ".csv", ".svg", ".html"):
        path = tmp_path / f"tuning{suffix}"
        tuned(kind).save(path)
        assert path.stat().st_size > 100
    assert "nan" not in (tmp_path / "tuning.txt").read_text()


class Worried(KNeighborsClassifier):  # type: ignore[misc]
    """Warns whenever it learns."""

    def fit(self, X: Any, y: Any) -> Any:
        warnings.warn("few rows:\nfurther on", UserWarning, stacklevel=1)
        return super().fit(X, y)


def test_warnings_are_counted_and_said_once() -> None:
    found = tune(Worried(), X, Y, {"n_neighbors": [3]}, cv=2, inner_cv=2)
    assert found.notes == ("UserWarning: few rows (in 8 of 8 fits).",)


class Nagging(KNeighborsClassifier):  # type: ignore[misc]
    """Warns of five things."""

    def fit(self, X: Any, y: Any) -> Any:
        for number in range(5):
            warnings.warn(f"thing {number}", UserWarning, stacklevel=1)
        return super().fit(X, y)


def test_of_many_warnings_three_are_told() -> None:
    notes = tune(Nagging(), X, Y, {"n_neighbors": [3]}, cv=2, inner_cv=2).notes
    assert [note[:20] for note in notes] == [f"UserWarning: thing {number}"[:20] for number in range(3)] + [
        "and 2 other kinds of"
    ]


# --- what is said of the cuts ----------------------------------------------------------------------------

GROUPS = np.repeat(np.arange(24), 5)
SHARED = "in 3 of 3 folds groups of test rows are among the training rows as well"


class Careless:
    """Takes every third row, of whatever group."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Any:  # noqa: ARG002
        rows = np.arange(len(X))
        yield from ((rows[rows % 3 != fold], rows[rows % 3 == fold]) for fold in range(3))


def test_groups_on_both_sides_are_said_of_outer_and_of_inner_folds() -> None:
    cut = Careless()
    outer = tune(TREE, X, Y, {"max_depth": [1]}, cv=cut, inner_cv=3, groups=GROUPS)
    (found,) = outer.findings
    assert found.message.startswith(SHARED)
    assert not outer.notes
    (found,) = tune(TREE, X, Y, {"max_depth": [1]}, cv=3, inner_cv=cut, groups=GROUPS).findings
    assert found.message.startswith(f"inner folds: {SHARED}")
    both = tune(TREE, X, Y, {"max_depth": [1]}, cv=cut, inner_cv=cut, groups=GROUPS)
    assert [each.code for each in both.findings] == ["TM019", "TM019"]
    apart = tune(TREE, X, Y, {"max_depth": [1]}, cv=3, inner_cv=3, groups=GROUPS)
    assert (apart.notes, apart.findings) == ((), ())


@pytest.mark.parametrize(
    ("rows", "options", "said"),
    [
        (2, {"method": "three-way"}, "class 'rare' (2 rows) is too rare to be tested on in both parts."),
        (
            3,
            {"cv": 3, "inner_cv": 3},
            "inner folds of 3 of 3 outer folds: "
            "class 'rare' (2 rows) is too rare to be tested on in every fold.",
        ),
    ],
    ids=["three-way", "inside outer folds"],
)
def test_classes_too_rare_for_every_fold_are_said(rows: int, options: dict[str, Any], said: str) -> None:
    classes = np.where(Y == 1, "yes", "no").astype(object)
    classes[:rows] = "rare"
    found = tune(TREE, X, classes, {"max_depth": [1]}, **options)
    assert said in found.notes
    assert said in " ".join(str(found).split())


def test_classes_too_rare_for_outer_folds_are_a_finding() -> None:
    classes = np.where(Y == 1, "yes", "no").astype(object)
    classes[:2] = "rare"
    found = tune(TREE, X, classes, {"max_depth": [1]}, cv=3, inner_cv=3)
    assert [each.code for each in found.findings] == ["TM023"]
    assert not any("too rare" in note for note in found.notes if not note.startswith("inner folds of"))


# --- JSON and tables ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_the_json_document_has_every_number(kind: str) -> None:
    found = tuned(kind)
    form = json.loads(found.to_json())
    assert next(iter(form)) == "schema"
    assert form["schema"] == "tallymark/tuning/1"
    assert form["data"] == {
        "name": "data",
        "rows": 120,
        "labels": ["0", "1"],
        "positive": "1",
        "class_counts": np.bincount(Y).tolist(),
        "groups": None,
    }
    assert form["best"]["parameters"] == found.best_params
    assert form["candidates"][form["best"]["candidate"]]["rank"] == 1
    assert form["promised"]["value"] == found.inner.value
    assert form["kept"]["value"] == found.outer.value
    assert form["optimism"]["value"] == pytest.approx(form["promised"]["value"] - form["kept"]["value"])
    assert [each["outer"] for each in form["folds"]] == list(found.outer_values)
    assert form["evaluation"]["schema"] == "tallymark/evaluation/1"
    assert (form["failed"], form["fits"]) == (0, found.n_fits)


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_the_table_has_a_row_for_every_candidate(library: str) -> None:
    frame = tuned("models").to_frame(library)
    rows = frame.to_pydict() if library == "pyarrow" else frame.to_dict(**_as_lists(library))
    assert rows["model"] == ["tree", "tree", "knn"]
    means = [each.mean for each in tuned("models").candidates]
    assert rows["mean"] == means
    assert list(rows["standard_deviation"]) == [each.deviation for each in tuned("models").candidates]
    depth = rows["param_max_depth"]
    assert list(depth[:2]) == [1, 2]
    assert depth[2] is None or np.isnan(depth[2])


def _as_lists(library: str) -> dict[str, Any]:
    return {"as_series": False} if library == "polars" else {"orient": "list"}


def test_a_value_that_is_no_number_makes_the_column_words() -> None:
    columns = tuned("two").columns()
    assert columns["param_max_depth"] == ["1", "1", "3", "3", "none", "none"]
    assert columns["param_min_samples_leaf"].tolist() == [1, 20] * 3


# --- pictures ----------------------------------------------------------------------------------------


def test_one_number_makes_a_curve_with_the_training_score() -> None:
    found = tuned("one")
    (panel,) = found.figure("search").panels
    lines = {mark.label: mark for mark in panel.marks if isinstance(mark, Line)}
    mean = next(line for label, line in lines.items() if label.startswith("mean of inner folds"))
    assert mean.y.tolist() == [each.mean for each in found.candidates]
    assert lines["training rows"].y.tolist() == [each.training_mean for each in found.candidates]
    # 1 to 64 is far: set apart by ratios, and named by their values.
    assert mean.x.tolist() == pytest.approx(np.log10([1, 2, 4, 64]).tolist())
    assert [name for _, name in panel.x.names] == ["1", "2", "4", "64"]
    (won,) = [mark for mark in panel.marks if isinstance(mark, Points)]
    assert won.y.tolist() == [found.best_score]
    kept = next(mark for mark in panel.marks if isinstance(mark, Band) and mark.label.startswith("kept"))
    assert (kept.low[0], kept.high[0]) == (found.outer.low, found.outer.high)


def test_two_parameters_make_cells_with_the_winner_marked() -> None:
    found = tuned("two")
    (panel,) = found.figure().panels
    (cells,) = panel.marks
    assert isinstance(cells, Cells)
    assert (cells.rows, cells.columns) == (("1", "3", "none"), ("1", "20"))
    flat = [text for line in cells.texts for text in line]
    assert [at for at, text in enumerate(flat) if "chosen" in text] == [found.search.best]
    assert cells.shade.ravel()[found.search.best] == cells.shade.max() == 1.0


def test_several_models_stand_below_each_other() -> None:
    (panel,) = tuned("models").figure("search").panels
    assert any(isinstance(mark, Spans) for mark in panel.marks)
    assert len(panel.y.names) == 3


def test_many_candidates_are_points_from_the_best_on() -> None:
    (panel,) = tuned("many").figure("search").panels
    points = next(mark for mark in panel.marks if isinstance(mark, Points) and not mark.hollow)
    assert points.y.tolist() == pytest.approx(sorted(points.y.tolist(), reverse=True), abs=1e-12)
    assert len(points.y) == 25


def test_many_candidates_of_several_models_are_told_apart() -> None:
    models = {
        "tree": (TREE, {"max_depth": list(range(1, 13))}),
        "knn": (KNeighborsClassifier(), {"n_neighbors": list(range(1, 10))}),
        "fails": (KNeighborsClassifier(), {"n_neighbors": [-1]}),
    }
    found = tune(models, X, Y, cv=2, inner_cv=2)
    (panel,) = found.figure("search").panels
    *dots, won = (mark for mark in panel.marks if isinstance(mark, Points))
    assert [dot.label for dot in dots] == ["tree: mean of inner folds", "knn: mean of inner folds"]
    for dot in dots:
        means = [each.mean for each in found.candidates if each.candidate.name == dot.name]
        assert sorted(dot.y.tolist()) == sorted(means)
    assert sorted(np.concatenate([dot.x for dot in dots]).tolist()) == list(range(1, 22))
    series = {mark.series for mark in panel.marks if isinstance(mark, Line)} | {won.series}
    assert len({dot.series for dot in dots} | series) == 4
    assert won.y.tolist() == [found.best_score]
    assert found.plot("search") is not None


def test_promised_and_kept_of_every_outer_fold_and_their_means() -> None:
    found = tuned("one")
    (panel,) = found.figure("optimism").panels
    promised, kept = (mark for mark in panel.marks if isinstance(mark, Points))
    assert promised.x.tolist() == [*found.inner_values, found.inner.value]
    assert kept.x.tolist() == [*found.outer_values, found.outer.value]
    assert [name for _, name in panel.y.names] == ["fold 1", "fold 2", "fold 3", "mean"]


def test_many_outer_folds_make_a_cloud() -> None:
    (panel,) = tuned("many").figure("optimism").panels
    assert panel.square
    (points,) = [mark for mark in panel.marks if isinstance(mark, Points)]
    assert len(points.x) == 26


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("picture", ["search", "optimism"])
def test_every_picture_can_be_drawn(kind: str, picture: str) -> None:
    assert tuned(kind).plot(picture) is not None


def test_an_unknown_picture_names_those_there_are() -> None:
    with pytest.raises(OptionError, match="there is search, optimism"):
        tuned("one").figure("roc")
