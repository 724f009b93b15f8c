"""A tuning as text, JSON, tables and pictures."""

from __future__ import annotations

import json
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import make_classification
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from tallymark.drawing.figure import Band, Cells, Line, Points, Spans
from tallymark.errors import OptionError
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
    # Short names: the step of the pipeline they are in is not said.
    assert "decisiontreeclassifier__" not in text
    assert found.best_params.keys() == {
        "decisiontreeclassifier__max_depth",
        "decisiontreeclassifier__min_samples_leaf",
    }


def test_the_report_of_a_three_way_split() -> None:
    text = " ".join(str(tuned("three-way")).split())
    assert "Three-way split: 72 rows to learn, 24 to choose by, 24 to test on." in text
    assert "the winner on the validation rows" in text
    assert "optimism: one split does not show how much splits vary." in text
    assert "Outer folds" not in text


def test_the_report_of_several_models_names_them() -> None:
    text = " ".join(str(tuned("models")).split())
    assert "3 candidates of 'tree' and 'knn' on a grid" in text
    assert "tree: DecisionTreeClassifier(random_state=0). knn: KNeighborsClassifier()." in text
    assert "tree: max_depth=" in text or "knn: n_neighbors=" in text


def test_a_long_table_is_cut_and_says_where_the_rest_is() -> None:
    text = " ".join(str(tuned("many")).split())
    assert "13 more are in the table (CSV, to_frame)." in text
    assert "6 more folds are in the JSON document." in text


@pytest.mark.parametrize("kind", KINDS)
def test_every_report_is_in_every_format(kind: str, tmp_path: Path) -> None:
    for suffix in (".txt", ".md", ".tex", ".json", ".csv", ".svg"):
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


# --- JSON and tables ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_the_json_document_has_every_number(kind: str) -> None:
    found = tuned(kind)
    form = json.loads(found.to_json())
    assert next(iter(form)) == "schema"
    assert form["schema"] == "tallymark/tuning/1"
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
    depth = rows["param_max_depth"]
    assert list(depth[:2]) == [1, 2]
    assert depth[2] is None or np.isnan(depth[2])


def _as_lists(library: str) -> dict[str, Any]:
    return {"as_series": False} if library == "polars" else {"orient": "list"}


def test_a_value_that_is_no_number_makes_the_column_words() -> None:
    columns = tuned("two").columns()
    assert columns["param_decisiontreeclassifier__max_depth"] == ["1", "1", "3", "3", "none", "none"]
    assert columns["param_decisiontreeclassifier__min_samples_leaf"].tolist() == [1, 20] * 3


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
