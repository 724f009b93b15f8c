"""Several models on several data sets, straight into a comparison."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from tallymark.errors import InputError, OptionError

CANCER = tuple(part[:150] for part in load_breast_cancer(return_X_y=True))
DATA = {
    "cancer": CANCER,
    "iris": load_iris(return_X_y=True),
    "wine": load_wine(return_X_y=True),
}
MODELS = {"tree": DecisionTreeClassifier(max_depth=2, random_state=0), "bayes": GaussianNB()}
CV = StratifiedKFold(4, shuffle=True, random_state=0)


@pytest.fixture(scope="module")
def experiment() -> tm.Experiment:
    return tm.validate(MODELS, DATA, cv=CV)


def test_every_data_set_is_a_validation_of_its_own(experiment: tm.Experiment) -> None:
    assert isinstance(experiment, tm.Experiment)
    assert list(experiment.data_sets) == ["cancer", "iris", "wine"]
    assert experiment.models == ("tree", "bayes")
    alone = tm.validate(MODELS, *DATA["wine"], cv=CV)
    beside = experiment["wine"]
    assert beside.data.name == "wine"
    assert beside.fingerprint == alone.fingerprint
    for name in MODELS:
        assert beside.models[name]["accuracy"].values == alone.models[name]["accuracy"].values
    with pytest.raises(OptionError, match="no data set 'glass'; there is"):
        experiment["glass"]


def test_the_table_has_the_means_deviations_and_marks(experiment: tm.Experiment) -> None:
    table = experiment.experimenter()
    assert table is not None
    assert table.models == ("tree", "bayes", "majority")
    means = [
        [np.mean(model["accuracy"].values) for model in each.models.values()]
        for each in experiment.data_sets.values()
    ]
    assert table.means[:, :2] == pytest.approx(np.array(means), abs=1e-12)
    tested = tm.tests.corrected_t(
        experiment["wine"].models["bayes"]["accuracy"].values,
        experiment["wine"].models["tree"]["accuracy"].values,
        n_train=[fold.n_train for fold in experiment["wine"].folds.folds],
        n_test=[fold.n_test for fold in experiment["wine"].folds.folds],
    )
    assert table.outcomes[2][0].p_value == pytest.approx(tested.p_value, rel=1e-9)
    assert [marks[1] for marks in table.marks] == ["*", "*", "*"]  # what always says one class is worse
    against = experiment.experimenter(baseline="bayes")
    assert against is not None
    assert against.base == "bayes"


def test_one_model_is_held_against_the_baseline() -> None:
    found = tm.validate(GaussianNB(), {"iris": DATA["iris"], "wine": DATA["wine"]}, cv=CV)
    table = found.experimenter()
    assert table is not None
    assert table.models == ("majority", "GaussianNB")
    assert table.counts == ((2, 0, 0),)
    with pytest.raises(OptionError, match=r"experiment\['NAME'\]\.compare"):
        found.compare()
    bare = tm.validate(GaussianNB(), {"iris": DATA["iris"]}, cv=CV, baseline=False)
    assert bare.experimenter() is None
    assert "GaussianNB" in str(bare)


def test_models_are_compared_over_data_sets(experiment: tm.Experiment) -> None:
    compared = experiment.compare()
    assert compared.design == "many data sets"
    assert [model.name for model in compared.models] == ["tree", "bayes"]
    means = {
        name: np.mean(
            [np.mean(each.models[name]["accuracy"].values) for each in experiment.data_sets.values()]
        )
        for name in MODELS
    }
    assert compared.models[0].values["accuracy"].value == pytest.approx(means["tree"], abs=1e-12)
    assert tm.compare(experiment).verdict == compared.verdict
    table = compared.detail.form()["experimenter"]
    assert table["baseline"] == "tree"
    assert experiment.compare(baseline="bayes").detail.form()["experimenter"]["baseline"] == "bayes"
    assert experiment.compare("error_rate").metric == "error_rate"


def test_one_data_set_is_compared_by_its_folds() -> None:
    found = tm.validate(MODELS, {"wine": DATA["wine"]}, cv=CV)
    assert isinstance(found, tm.Experiment)
    compared = found.compare()
    assert compared.design == "same folds"
    assert compared["accuracy"].p_value == pytest.approx(
        found["wine"].compare()["accuracy"].p_value, rel=1e-9
    )


def test_the_long_table_is_read_by_compare(experiment: tm.Experiment) -> None:
    table = experiment.to_frame("polars")
    assert table.columns[:3] == ["dataset", "model", "run"]
    assert len(table) == 3 * 3 * 4
    models = table.filter(pl.col("model") != "majority")
    assert tm.compare(models, per="dataset", metric="accuracy").verdict == experiment.compare().verdict


def rare(rows: int = 60) -> Any:
    """Two folds of three have no positive to test on."""
    X = np.random.default_rng(0).normal(size=(rows, 2))
    y = np.zeros(rows, int)
    y[:9] = np.arange(9) % 2 == 0
    return X, y


def test_undefined_folds_are_left_out_for_all_models_and_said() -> None:
    ordered = [(np.setdiff1d(np.arange(60), part), part) for part in np.split(np.arange(60), 3)]
    X, y = rare()
    y[30] = 1  # so that every training set has both classes
    found = tm.validate(MODELS, {"rare": (X, y), "other": (X, 1 - y)}, cv=ordered, metric="recall")
    assert found["rare"].models["tree"]["recall"].undefined == 1
    compared = found.compare()
    assert any("left out for all models" in note for note in compared.notes)
    with pytest.raises(InputError, match="missing"):
        tm.compare(found)
    table = found.experimenter()
    assert table is not None
    assert table.folds == (2, 3)
    assert any(note.startswith("'rare': 'tree': recall is undefined in 1 of 3 folds") for note in found.notes)


def test_a_data_set_without_any_defined_fold_is_said() -> None:
    ordered = [(np.arange(40), np.arange(40, 60)), (np.arange(40), np.arange(40, 50))]
    X, y = rare()
    found = tm.validate(MODELS, {"rare": (X, y), "other": (X, 1 - y)}, cv=ordered, metric="recall")
    assert "without a fold in which recall is defined for all models: ['rare']." in found.notes
    assert found.table_of_scores().data_sets == ("other",)
    str(found)
    found.to_json()


def test_documents_of_an_experiment(experiment: tm.Experiment, tmp_path: Any) -> None:
    text = str(experiment)
    assert text.startswith("Experiment\n----------\n\n2 models on 3 data sets; ")
    assert "24 fits" in text
    assert "(v/ /*)" in text
    assert "'bayes': GaussianNB()." in text
    form = json.loads(experiment.to_json())
    assert form["schema"] == "tallymark/experiment/1"
    assert form["data_sets"]["iris"]["schema"] == "tallymark/validation/1"
    assert form["table"]["baseline"] == "tree"
    assert repr(experiment) == "Experiment('tree', 'bayes'; 3 data sets; accuracy)"
    assert str(pickle.loads(pickle.dumps(experiment))) == text
    for suffix in ("txt", "md", "tex", "json", "csv", "png", "html"):
        experiment.save(tmp_path / f"experiment.{suffix}")
        assert (tmp_path / f"experiment.{suffix}").stat().st_size > 100
    best = sum(
        each.models["bayes"]["accuracy"].mean.value
        == max(model["accuracy"].mean.value for model in each.models.values())
        for each in experiment.data_sets.values()
    )
    assert f"'bayes' on {best}" in experiment.report().sections[0].blocks[0].text
    one_fold = tm.validate(MODELS, {"iris": DATA["iris"]}, cv="holdout")
    assert one_fold.report().sections
    assert one_fold.experimenter() is None
    assert "data set" in str(one_fold)


def test_failures_are_counted_over_data_sets() -> None:
    class Fussy(GaussianNB):
        def fit(self, X: Any, y: Any) -> Fussy:
            if X.shape[1] == 4:
                raise ValueError("four columns")
            return super().fit(X, y)

    found = tm.validate({"fussy": Fussy(), "bayes": GaussianNB()}, DATA, cv=3)
    assert found.failed == 3
    assert "'iris': 'fussy': 3 of 3 fits failed: ValueError: four columns." in found.notes
    assert "without a fold in which accuracy is defined for all models: ['iris']." in found.notes
    assert len(found.compare().detail.form()["experimenter"]["rows"]) == 2
