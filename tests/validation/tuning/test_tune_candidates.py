"""What a search tries: grids as scikit-learn has them, draws that extend, and errors that help."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ParameterGrid
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from tallymark.errors import TallymarkError
from tallymark.validation.learners.by_name import GRIDS
from tallymark.validation.tuning.candidates import draws, grid
from tallymark.validation.tuning.given import trials_of

TREE = DecisionTreeClassifier()
TWO = {"min_samples_leaf": [5, 1], "max_depth": [4, 2, None]}


def tried(model: Any, param_grid: Any = None, distributions: Any = None, n_iter: int = 20) -> Any:
    return trials_of(model, param_grid, distributions, n_iter, 0)


def refused(*given: Any, **options: Any) -> str:
    with pytest.raises(TallymarkError) as caught:
        tried(*given, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_grid_is_in_the_order_of_scikit_learn() -> None:
    assert grid(TREE, TWO) == list(ParameterGrid(TWO))


def test_several_grids_follow_each_other_and_nothing_is_tried_twice() -> None:
    both = [{"max_depth": [1, 2]}, {"max_depth": [2, 3], "criterion": ["gini"]}, {"max_depth": [2]}]
    assert grid(TREE, both) == [
        {"max_depth": 1},
        {"max_depth": 2},
        {"criterion": "gini", "max_depth": 2},
        {"criterion": "gini", "max_depth": 3},
    ]


class Curt:
    """A step whose text does not tell it from others."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __repr__(self) -> str:
        return "Curt()"


def long(middle: float) -> Any:
    """An array whose text leaves out its middle, where it differs."""
    found = np.zeros(2000)
    found[1000] = middle
    return found


@pytest.mark.parametrize(
    ("one", "other"),
    [(long(1.0), long(2.0)), ([long(1.0)], [long(2.0)]), (Curt(1), Curt(2)), (1, True), ({1}, {2})],
    ids=["long arrays", "lists of them", "texts that say little", "types", "no hash"],
)
def test_different_values_are_different_candidates(one: Any, other: Any) -> None:
    assert repr(one) == repr(other) or not isinstance(one, np.ndarray | Curt)
    found = [each["ccp_alpha"] for each in grid(TREE, [{"ccp_alpha": [one]}, {"ccp_alpha": [other, one]}])]
    assert len(found) == 2
    assert found[0] is one
    assert found[1] is other
    assert len(draws(TREE, {"ccp_alpha": [one, other]}, 5, seed=0)) == 2


@pytest.mark.parametrize(
    "made",
    [
        lambda rng: DecisionTreeClassifier(max_depth=int(rng.integers(1, 4))),
        lambda rng: np.full(2000, rng.integers(3)),
        lambda rng: {"a": [int(rng.integers(3))]},
    ],
    ids=["models", "arrays", "mappings"],
)
def test_what_is_drawn_again_is_not_tried_again(made: Any) -> None:
    assert len(draws(TREE, {"splitter": made}, 20, seed=0)) == 3


def test_drawn_arrays_that_look_alike_are_all_tried() -> None:
    assert len(draws(TREE, {"splitter": lambda rng: long(rng.random())}, 4, seed=0)) == 4


def test_values_may_be_an_array_or_a_range() -> None:
    found = grid(TREE, {"max_depth": range(1, 3), "ccp_alpha": np.array([0.0, 0.5])})
    assert [each["ccp_alpha"] for each in found] == [0.0, 0.0, 0.5, 0.5]
    assert all(type(each["ccp_alpha"]) is float for each in found)


def test_a_short_name_finds_the_step_it_is_in() -> None:
    pipe = Pipeline([("scale", StandardScaler()), ("model", LogisticRegression())])
    assert grid(pipe, {"C": [1.0]}) == [{"model__C": 1.0}]


def test_a_step_can_be_tried_with_parameters_of_its_own() -> None:
    pipe = Pipeline([("model", LogisticRegression())])
    neighbours = KNeighborsClassifier()
    found = grid(pipe, [{"model": [neighbours], "model__n_neighbors": [3, 5]}])
    assert [each["model__n_neighbors"] for each in found] == [3, 5]
    assert all(each["model"] is neighbours for each in found)


def test_draws_from_lists_never_repeat_and_end_with_the_whole_grid() -> None:
    found = draws(TREE, TWO, 50, seed=3)
    assert len(found) == 6
    assert sorted(map(repr, found)) == sorted(map(repr, grid(TREE, TWO)))


@pytest.mark.parametrize(
    "space",
    [
        {"max_depth": list(range(1, 40))},
        {"max_depth": list(range(1, 400)), "min_samples_leaf": list(range(1, 400))},
        {"max_depth": stats.randint(1, 100), "ccp_alpha": stats.loguniform(1e-4, 1)},
        {"max_depth": [1, 2, 3], "ccp_alpha": lambda rng: rng.uniform()},
        [{"max_depth": stats.randint(1, 100)}, {"ccp_alpha": stats.uniform(0, 1)}],
    ],
    ids=["lists", "long lists", "distributions", "callable", "several spaces"],
)
def test_more_draws_extend_fewer(space: Any) -> None:
    few, many = draws(TREE, space, 5, seed=1), draws(TREE, space, 12, seed=1)
    assert (len(few), len(many)) == (5, 12)
    assert many[:5] == few
    assert draws(TREE, space, 5, seed=2) != few


def test_a_distribution_is_drawn_from_with_the_seed_alone() -> None:
    np.random.seed(0)  # noqa: NPY002 - the global stream must not matter
    first = draws(TREE, {"ccp_alpha": stats.loguniform(1e-4, 1)}, 3, seed=5)
    np.random.seed(1)  # noqa: NPY002
    assert draws(TREE, {"ccp_alpha": stats.loguniform(1e-4, 1)}, 3, seed=5) == first
    assert all(1e-4 <= each["ccp_alpha"] <= 1 for each in first)


def test_a_space_with_fewer_values_than_draws_says_so() -> None:
    found = tried(TREE, None, {"max_depth": stats.randint(1, 4)})
    assert sorted(each.parameters["max_depth"] for each in found.candidates) == [1, 2, 3]
    assert found.notes == (
        "there are no more than 3 different candidates, not the 20 asked for (--random, n_iter=).",
    )


def test_a_learner_by_name_has_a_usual_grid() -> None:
    found = tried("knn")
    (name,) = found.candidates[0].parameters
    assert name.endswith("__n_neighbors")
    assert [each.parameters[name] for each in found.candidates] == list(GRIDS["knn"]["n_neighbors"])


@pytest.mark.parametrize(
    ("model", "param_grid"),
    [
        ({"tree": (TREE, {"max_depth": [1, 2]}), "plain": KNeighborsClassifier()}, None),
        ({"tree": TREE, "plain": KNeighborsClassifier()}, {"tree": {"max_depth": [1, 2]}}),
    ],
    ids=["beside", "by name"],
)
def test_several_models_each_with_its_grid(model: Any, param_grid: Any) -> None:
    found = [(each.name, dict(each.parameters)) for each in tried(model, param_grid).candidates]
    assert found == [("tree", {"max_depth": 1}), ("tree", {"max_depth": 2}), ("plain", {})]


class Bare:
    """A model that cannot be told anything."""

    def fit(self, X: Any, y: Any) -> Bare:  # noqa: ARG002
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X))


@pytest.mark.parametrize(
    ("model", "options", "said"),
    [
        (TREE, {}, "what to try is missing. Hint: name values: --param max_depth=1,2,4 (param_grid="),
        (TREE, {"param_grid": {"max_depth": 3}}, "param_grid has 3 for 'max_depth'"),
        (TREE, {"param_grid": {"max_depth": "12"}}, "param_grid has '12' for 'max_depth'"),
        (TREE, {"param_grid": {"max_depth": []}}, "no value to try for 'max_depth'"),
        (TREE, {"param_grid": {"max_dept": [1]}}, "max_depth"),
        (TREE, {"param_grid": []}, "gives the values to try by parameter; got []"),
        (TREE, {"param_grid": "max_depth"}, "got 'max_depth'"),
        (TREE, {"param_grid": [3]}, "3 gives no values by parameter"),
        (TREE, {"param_grid": {"max_depth": stats.randint(1, 4)}}, "give it as param_distributions"),
        (TREE, {"param_grid": TWO, "distributions": TWO}, "were both given"),
        (TREE, {"distributions": TWO, "n_iter": 0}, "a whole number from 1 up; got 0"),
        (TREE, {"distributions": TWO, "n_iter": 2.5}, "got 2.5"),
        (Bare(), {"param_grid": {"max_depth": [1]}}, "Bare has no get_params"),
        (
            make_pipeline(StandardScaler(), TREE),
            {"param_grid": {"max_depth": [1], "decisiontreeclassifier__max_depth": [2]}},
            "param_grid of the model names a parameter twice: max_depth, decisiontreeclassifier__max_depth",
        ),
        ({"tree": TREE}, {"param_grid": {"max_depth": [1]}}, "there is no model 'max_depth'"),
        ({"tree": (TREE, TWO)}, {"param_grid": {"tree": TWO}}, "given twice"),
        ({"tree": (TREE, TWO, 3)}, {}, "a tuple of 3; (model, grid) is expected"),
        ({"tree": (DecisionTreeClassifier, TWO)}, {}, "write DecisionTreeClassifier()"),
        (SVC, {"param_grid": {"C": [1]}}, "SVC"),
    ],
    ids=[
        *("nothing", "a number", "text", "no values", "misspelt", "no grid", "a word", "a list of numbers"),
        *(
            "a distribution",
            "both",
            "no draws",
            "half a draw",
            "no parameters",
            "named twice",
            "not by model",
            "twice",
        ),
        *("three", "a class", "a class alone"),
    ],
)
def test_errors_say_what_to_do(model: Any, options: dict[str, Any], said: str) -> None:
    assert said in refused(model, **options)
