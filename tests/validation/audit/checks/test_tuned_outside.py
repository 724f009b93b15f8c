"""TM025: the best of several settings, by the folds that judge it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm

ROWS = 80
RANDOM = np.random.default_rng(4)
Y = np.arange(ROWS) % 2
X = RANDOM.normal(size=(ROWS, 3)) + 0.6 * Y[:, None]
NEIGHBORS = {f"k={k}": KNeighborsClassifier(k) for k in (1, 3, 7, 15)}
CUT = StratifiedKFold(4, shuffle=True, random_state=0)


def found_in(result: Any) -> tm.Finding | None:
    found = [finding for finding in result.findings if finding.code == "TM025"]
    assert len(found) <= 1
    return found[0] if found else None


def scores(scoring: str = "accuracy") -> np.ndarray[Any, Any]:
    return np.array([cross_val_score(model, X, Y, cv=CUT, scoring=scoring) for model in NEIGHBORS.values()])


def test_many_settings_of_one_learner_are_a_search() -> None:
    found = found_in(tm.validate(NEIGHBORS, X, Y, cv=CUT))
    values = scores()
    best = values.mean(axis=1).argmax()
    bias = (values.max(axis=0) - values[best]).mean()
    name, value = list(NEIGHBORS)[best], values[best].mean()
    # Halves of a thousandth, which noise of sums must not round.
    bias, value = round(bias, 12), round(value, 12)
    assert bias > 0.01
    assert found is not None
    assert found.message == (
        "4 settings of KNeighborsClassifier are tried on the same folds: to take the best of them by these "
        "numbers is to tune it on the rows that judge it. By the estimate of Tibshirani and Tibshirani "
        f"(2009), accuracy of '{name}', {value:.3f}, would then be about {bias:.3f} too good. Let the choice "
        "be part of the training: `tallymark tune` (tm.tune)."
    )
    assert found.numbers["too_good_by"] == pytest.approx(bias)
    assert found.numbers["value"] == pytest.approx(value)
    assert (found.numbers["metric"], found.numbers["best"]) == ("accuracy", name)
    assert found.numbers["settings"] == [{"learner": "KNeighborsClassifier", "models": list(NEIGHBORS)}]


def test_of_more_folds_the_estimate_is_an_upper_one() -> None:
    found = found_in(tm.validate(NEIGHBORS, X, Y, cv=5))
    assert found is not None
    assert f"would then be up to about {found.numbers['too_good_by']:.3f} too good" in found.message


@pytest.mark.parametrize(("folds", "times"), [(4, 1.0), (9, 2.0)], ids=["4 folds", "9 folds"])
def test_how_large_the_estimate_is(folds: int, times: float) -> None:
    """Of equally good models the estimate is sqrt(k) - 1 times what the choice flatters."""
    draws = np.random.default_rng(0).normal(size=(4000, 8, folds))
    means = draws.mean(axis=2)
    best = means.argmax(axis=1)
    behind = draws.max(axis=1) - draws[np.arange(4000), best]
    assert behind.mean() / means.max(axis=1).mean() == pytest.approx(times, rel=0.05)


def test_where_less_is_better_the_least_is_the_best() -> None:
    found = found_in(tm.validate(NEIGHBORS, X, Y, cv=CUT, metric="brier"))
    values = -scores("neg_brier_score")
    best = values.mean(axis=1).argmin()
    assert found is not None
    assert found.numbers["best"] == list(NEIGHBORS)[best]
    assert found.numbers["too_good_by"] == pytest.approx((values[best] - values.min(axis=0)).mean())


def test_one_that_is_best_everywhere_loses_little() -> None:
    y = np.r_[np.zeros(40), np.ones(40)].astype(int)
    x = np.c_[y, np.random.default_rng(0).normal(size=(ROWS, 1))]
    models = {f"depth {d}": DecisionTreeClassifier(max_depth=d, random_state=0) for d in (1, 2, 3)}
    found = found_in(tm.validate(models, x, y, cv=4))
    assert found is not None
    assert found.numbers["too_good_by"] == 0.0
    assert "Here little is lost by that: 'depth 1' is the best in every fold." in found.message


@pytest.mark.parametrize("cv", ["loo", "holdout:1/4"], ids=["one row", "one fold"])
def test_folds_that_cannot_show_it_give_no_number(cv: str) -> None:
    found = found_in(tm.validate(NEIGHBORS, X[:24], Y[:24], cv=cv))
    assert found is not None
    assert found.numbers["too_good_by"] is None
    assert "Tibshirani" not in found.message


def test_settings_inside_pipelines_count() -> None:
    scaled = {str(k): make_pipeline(StandardScaler(), KNeighborsClassifier(k)) for k in (1, 3, 7)}
    found = found_in(tm.validate(scaled, X, Y, cv=2))
    assert found is not None
    assert found.message.startswith("3 settings of KNeighborsClassifier are tried")


@pytest.mark.parametrize(
    "models",
    [
        {name: NEIGHBORS[name] for name in ("k=1", "k=3")},
        {
            "bayes": GaussianNB(),
            "tree": DecisionTreeClassifier(),
            "k=1": NEIGHBORS["k=1"],
            "k=3": NEIGHBORS["k=3"],
        },
        {str(seed): RandomForestClassifier(2, random_state=seed) for seed in range(3)},
        {
            how: make_pipeline(StandardScaler(), DummyClassifier(strategy=how))
            for how in ("most_frequent", "stratified", "uniform", "prior")
        },
        {how: DummyClassifier(strategy=how) for how in ("most_frequent", "stratified", "uniform")},
        {str(k): GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [k, 9]}, cv=2) for k in (1, 3, 5)},
        {
            str(number): make_pipeline(*steps, KNeighborsClassifier(2 * number + 1))
            for number, steps in enumerate([(), (StandardScaler(),), (MinMaxScaler(),)])
        },
    ],
    ids=[
        "two",
        "other learners",
        "seeds",
        "baselines in pipelines",
        "baselines",
        "searches",
        "other pipelines",
    ],
)
def test_what_is_no_search_is_silent(models: dict[str, Any]) -> None:
    assert found_in(tm.validate(models, X, Y, cv=2)) is None


def test_tune_itself_is_silent() -> None:
    grid = {"n_neighbors": [1, 3, 7]}
    several = {name: (model, {"weights": ["uniform", "distance"]}) for name, model in NEIGHBORS.items()}
    assert found_in(tm.tune(KNeighborsClassifier(), X, Y, grid, cv=2, inner_cv=2)) is None
    assert found_in(tm.tune(several, X, Y, cv=2, inner_cv=2)) is None


def test_what_tune_chose_on_these_rows_is_no_news_to_them(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    tuned = tm.tune(
        KNeighborsClassifier(), X, Y, {"n_neighbors": [1, 7]}, cv=2, inner_cv=2, run_folder=folder
    )
    k = tuned.best_params["n_neighbors"]
    models = {"chosen": KNeighborsClassifier(k), "other": KNeighborsClassifier(8 - k)}
    found = found_in(tm.validate(models, X, Y, cv=3, run_folder=folder))
    assert found is not None
    assert found.message == (
        "'chosen' has the settings that an earlier `tune` of the run folder chose on these very rows, so the "
        "numbers here are optimistic: those that `tune` gave for rows that took no part are not."
    )
    assert found.numbers["chosen_before"] == ["chosen"]
    assert found_in(tm.validate(models, X, 1 - Y, cv=3, run_folder=folder)) is None
    assert found_in(tm.validate({"other": models["other"]}, X, Y, cv=3, run_folder=folder)) is None
    assert found_in(tm.validate(models, X, Y, cv=3)) is None


def chosen(result: Any) -> list[str]:
    found = found_in(result)
    return [] if found is None else found.numbers["chosen_before"]


def test_what_was_chosen_is_known_whatever_its_seed_and_its_preparation(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    tuned = tm.tune("tree", X, Y, {"max_depth": [3, 5]}, cv=2, inner_cv=2, run_folder=folder)
    depth = tuned.best_params["max_depth"]
    models = {
        "the model itself": tuned.best_model,
        "by hand": DecisionTreeClassifier(max_depth=depth),
        "seeded": DecisionTreeClassifier(max_depth=depth, random_state=7),
        "scaled": make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=depth)),
    }
    others = {"other": DecisionTreeClassifier(max_depth=8 - depth), "plain": DecisionTreeClassifier()}
    assert chosen(tm.validate({**models, **others}, X, Y, cv=3, run_folder=folder)) == list(models)
    frame = tm.validate(others | models, pandas.DataFrame(X), Y, cv=3, random_state=5, run_folder=folder)
    assert chosen(frame) == list(models)
    assert chosen(tm.validate(models, X[:, :2], Y, cv=3, run_folder=folder)) == []
