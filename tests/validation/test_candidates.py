"""What `tune` tries: grids as scikit-learn has them, draws, usual grids of learners; what it gives up."""

from __future__ import annotations

import json
from functools import cache, partial

import joblib
import numpy as np
from scipy import stats
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, ParameterGrid
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from collected import agree
from scored import classes, picture, refusals
from scripted_models import Constant, Scripted, without_times

Y = np.arange(40) % 2
X = np.column_stack((Y, np.arange(40.0)))
TREE = DecisionTreeClassifier()
TWO = {"c": [5, 1], "b": [4, 2, None]}
USUAL = {
    "logistic": {"C": (0.01, 0.1, 1.0, 10.0, 100.0)},
    "tree": {"max_depth": (1, 2, 4, 8, None), "min_samples_leaf": (1, 5, 20)},
    "forest": {"max_features": ("sqrt", 0.5), "min_samples_leaf": (1, 5)},
    "boosting": {"learning_rate": (0.03, 0.1, 0.3), "max_leaf_nodes": (7, 31)},
    "knn": {"n_neighbors": (1, 3, 5, 9, 15, 25)},
    "bayes": {"var_smoothing": (1e-9, 1e-3, 0.1, 1.0)},
    "majority": {},
}


def tried(grid=None, space=None, model=None, **options):
    found = tm.tune(model or Constant(), X, Y, grid, param_distributions=space, method="three-way", **options)
    return [dict(each.candidate.parameters) for each in found.candidates]


def drawn(space, n_iter, seed=0):
    return tried(None, space, n_iter=n_iter, random_state=seed)


class Curt:
    """A value whose text does not tell it from others."""

    def __repr__(self):
        return "Curt()"


def long(middle):
    """An array whose text leaves out its middle, where it differs."""
    found = np.zeros(2000)
    found[1000] = middle
    return found


def test_a_grid_is_in_the_order_of_scikit_learn_and_nothing_is_tried_twice():
    assert tried(TWO) == list(ParameterGrid(TWO))
    several = [{"b": [1, 2]}, {"b": [2, 3], "c": ["gini"]}, {"b": [2]}]
    assert tried(several) == [{"b": 1}, {"b": 2}, {"c": "gini", "b": 2}, {"c": "gini", "b": 3}]
    array = tried({"b": range(1, 3), "c": np.array([0.0, 0.5])})
    assert [each["c"] for each in array] == [0.0, 0.5, 0.0, 0.5]
    assert all(type(each["c"]) is float for each in array)
    # Different values are different candidates.
    pairs = {
        "long arrays": (long(1.0), long(2.0)), "lists of them": ([long(1.0)], [long(2.0)]),
        "texts that say little": (Curt(), Curt()), "types": (1, True), "no hash": ({1}, {2}),
    }  # fmt: skip
    wrong = []
    for name, (one, other) in pairs.items():
        found = [each["b"] for each in tried([{"b": [one]}, {"b": [other, one]}])]
        if len(found) != 2 or found[0] is not one or found[1] is not other:
            wrong.append(name)
        if len(drawn({"b": [one, other]}, 5)) != 2:
            wrong.append(f"{name}, drawn")
    assert not wrong


def test_names_of_parameters_may_be_short_and_a_step_may_be_tried_with_its_own():
    pipe = Pipeline([("scale", StandardScaler()), ("model", LogisticRegression())])
    neighbours = KNeighborsClassifier()
    found = tried([{"model": [neighbours], "model__n_neighbors": [3, 5]}], model=pipe)
    assert [each["model__n_neighbors"] for each in found] == [3, 5]
    assert all(each["model"] is neighbours for each in found)


def test_every_named_learner_has_a_usual_grid_and_several_models_have_one_each():
    for name, usual in USUAL.items():
        named = [{f"model__{key}": value for key, value in each.items()} for each in ParameterGrid(usual)]
        assert tried(model=name) == named, name
    beside = {"tree": (TREE, {"max_depth": [1, 2]}), "plain": KNeighborsClassifier()}
    by_name = {"tree": TREE, "plain": KNeighborsClassifier()}
    expected = [("tree", {"max_depth": 1}), ("tree", {"max_depth": 2}), ("plain", {})]
    for models, grid in ((beside, None), (by_name, {"tree": {"max_depth": [1, 2]}})):
        found = tm.tune(models, X, Y, grid, method="three-way").candidates
        assert [(each.candidate.name, dict(each.candidate.parameters)) for each in found] == expected


def test_draws_from_lists_never_repeat_and_end_with_the_whole_grid():
    found = drawn(TWO, 50, seed=3)
    assert len(found) == 6
    assert sorted(map(repr, found)) == sorted(map(repr, tried(TWO)))
    options = {"param_distributions": {"b": stats.randint(1, 4)}, "n_iter": 20, "method": "three-way"}
    few = tm.tune(Constant(), X, Y, **options)
    assert sorted(each.candidate.parameters["b"] for each in few.candidates) == [1, 2, 3]
    assert len(few.notes) == 2  # that there are no 20, and that all are equally good
    # What is drawn again is not tried again.
    makers = {
        "models": (lambda rng: DecisionTreeClassifier(max_depth=int(rng.integers(1, 4))), 3),
        "arrays": (lambda rng: np.full(2000, rng.integers(3)), 3),
        "mappings": (lambda rng: {"a": [int(rng.integers(3))]}, 3),
        "arrays that look alike": (lambda rng: long(rng.random()), 20),
    }
    agree({name: (len(drawn({"b": make}, 20)), count) for name, (make, count) in makers.items()})


def test_more_draws_extend_fewer_and_only_the_seed_decides():
    spaces = {
        "lists": {"b": list(range(1, 40))},
        "long lists": {"b": list(range(1, 400)), "c": list(range(1, 400))},
        "distributions": {"b": stats.randint(1, 100), "c": stats.loguniform(1e-4, 1)},
        "a function": {"b": [1, 2, 3], "c": lambda rng: rng.uniform()},
        "several spaces": [{"b": stats.randint(1, 100)}, {"c": stats.uniform(0, 1)}],
    }
    wrong = []
    for name, space in spaces.items():
        np.random.seed(0)  # noqa: NPY002 - the global stream must not matter
        few = drawn(space, 5, seed=1)
        np.random.seed(1)  # noqa: NPY002
        many = drawn(space, 12, seed=1)
        if (len(few), many[:5]) != (5, few) or len(many) != 12 or drawn(space, 5, seed=2) == few:
            wrong.append(name)
    assert not wrong
    assert all(1e-4 <= each["c"] <= 1 for each in drawn(spaces["distributions"], 12))


def test_draws_end_when_there_were_enough():
    """In 0.95^59 < 0.05 <= 0.95^58 of searches all draws miss the best 5 %."""
    assert 0.95**59 <= 0.05 < 0.95**58
    three_way, wrong = {"method": "three-way"}, []
    for values, n_iter, tried in ((100, 59, 59), (100, 60, 59), (60, 200, 59), (59, 200, 59), (7, 200, 7)):
        space = {"b": list(range(values))}
        given = {"param_distributions": space, "n_iter": n_iter, **three_way}
        whole, early = (tm.tune(Constant(), X, Y, early_stop=stop, **given) for stop in (False, True))
        found = [[each.candidate.given for each in each.candidates] for each in (whole, early)]
        expected = (min(values, n_iter), tried, n_iter if min(values, n_iter) > tried else None)
        if (len(found[0]), len(found[1]), early.stopped.draws) != expected or found[0][:tried] != found[1]:
            wrong.append((values, n_iter))
    assert not wrong
    space = {"param_distributions": {"b": stats.uniform()}, **three_way}
    early = tm.tune(Constant(), X, Y, n_iter=10**9, early_stop=True, **space)
    draws = {"asked_for": 10**9, "tried": 59, "share_better": 0.05, "error": 0.05}
    expected = {"given_up": 0, "saved": 0, "of": 59, "error": 0.0, "draws": draws}
    assert early.to_dict()["stopped"] == expected
    # Every model has its own draws, and how many to draw is no matter of a grid.
    spaces = {"a": {"b": stats.randint(1, 10**6)}, "b": {"b": [1, 3]}}
    given = {"param_distributions": spaces, "n_iter": 99, "early_stop": True, **three_way}
    several = tm.tune({"a": Constant(), "b": Constant()}, X, Y, **given)
    assert [each.candidate.name for each in several.candidates] == ["a"] * 59 + ["b"] * 2
    grid = tm.tune(Constant(), X, Y, {"b": list(range(70))}, n_iter=None, early_stop=True, **three_way)
    assert (len(grid.candidates), grid.stopped.draws) == (70, None)
    calls = {str(n): lambda n=n: tm.tune(Constant(), X, Y, n_iter=n, early_stop=True, **space)
             for n in (0, True, "many", 2.5)}  # fmt: skip
    assert set(classes(refusals(calls)).values()) == {"OptionError"}


class Bare:
    """A model without parameters."""

    def fit(self, X, y): ...
    def predict(self, X): ...


def test_what_cannot_be_tried(snapshot):
    pipe = make_pipeline(StandardScaler(), TREE)
    two = {"max_depth": [1], "decisiontreeclassifier__max_depth": [2]}
    models = {
        "no grid": (TREE, {}), "a number": (TREE, {"param_grid": {"max_depth": 3}}),
        "text": (TREE, {"param_grid": {"max_depth": "12"}}),
        "no values": (TREE, {"param_grid": {"max_depth": []}}),
        "misspelt": (Constant(), {"param_grid": {"labl": [1]}}),
        "no such parameter": (Constant(), {"param_grid": {"zzz": [1]}}),
        "of which voter": ("vote:tree,forest", {"param_grid": {"max_depth": [1]}}),
        "an empty list": (TREE, {"param_grid": []}), "a word": (TREE, {"param_grid": "max_depth"}),
        "a list of numbers": (TREE, {"param_grid": [3]}),
        "a distribution in a grid": (TREE, {"param_grid": {"max_depth": stats.randint(1, 4)}}),
        "both": (TREE, {"param_grid": TWO, "param_distributions": TWO}),
        "no draws": (TREE, {"param_distributions": TWO, "n_iter": 0}),
        "half a draw": (TREE, {"param_distributions": TWO, "n_iter": 2.5}),
        "no parameters": (Bare(), {"param_grid": {"max_depth": [1]}}),
        "named twice": (pipe, {"param_grid": two}),
        "not by model": ({"tree": TREE}, {"param_grid": {"max_depth": [1]}}),
        "given twice": ({"tree": (TREE, TWO)}, {"param_grid": {"tree": TWO}}),
        "three": ({"tree": (TREE, TWO, 3)}, {}),
        "a class in a pair": ({"tree": (DecisionTreeClassifier, TWO)}, {}),
        "a class": (SVC, {"param_grid": {"C": [1]}}),
    }  # fmt: skip
    refused = refusals({name: partial(tm.tune, each, X, Y, **more) for name, (each, more) in models.items()})
    assert set(classes(refused).values()) == {"OptionError"}
    snapshot("tune_candidates", refused)


MIXED = make_classification(150, 6, flip_y=0.15, random_state=5)
SMALL = {"cv": 3, "inner_cv": 4}


class Table(Scripted):
    """In each inner fold of all rows so many of ten rows are right; None fails. Column 1 is the row."""

    def __init__(self, right=()):
        self.right = right

    def predict_proba(self, X):
        fold, place = np.divmod(X[:, 1].astype(int), 10)
        if len(set(fold)) == 1 and self.right[fold[0]] is None:
            raise ValueError("no score here")
        right = [self.right[at] or 0 for at in fold]
        p = np.where(place < right, X[:, 0], 1 - X[:, 0])
        return np.column_stack((1 - p, p)) * 0.98 + 0.01

    def predict(self, X):
        return self.predict_proba(X)[:, 1] >= 0.5


def table(scores, metric="accuracy"):
    """The search of these candidates, whole and with early stopping; of both the last search is looked at."""
    rows = np.arange(10 * len(scores[0]))
    given = {"X": np.column_stack((rows % 2, rows)), "y": rows % 2, "param_grid": {"right": scores}}
    given |= {"cv": [(rows[5:], rows[:5]), (rows[:-5], rows[-5:])], "inner_cv": KFold(len(scores[0]))}
    return [tm.tune(Table(), metric=metric, early_stop=early, **given) for early in (False, True)]


def same(whole, early):
    """What early stopping must not change."""
    searches = zip(whole.searches, early.searches, strict=True)
    checks = [
        (early.best_params, early.best_score) == (whole.best_params, whole.best_score),
        (early.outer_values, early.inner_values) == (whole.outer_values, whole.inner_values),
        early.n_fits + early.stopped.saved == whole.n_fits,
        early.stopped.of == sum(each.fits for each in whole.searches),
        whole.stopped is None,
    ]
    for one, other in searches:
        checks += [one.tied == other.tied, [r == 1 for r in one.ranks] == [r == 1 for r in other.ranks]]
        for complete, part in zip(one.tried, other.tried, strict=True):
            checks += [part.values == complete.values[: len(part.values)], part.mean in (None, complete.mean)]
            checks += [part.mean is None or not part.outdone]
    return all(checks)


def test_equal_candidates_leave_the_choice_to_their_order_and_noise_breaks_no_tie():
    found = tm.tune(Constant(), X, Y, {"label": [1, 1.0, True]}, cv=3, inner_cv=2)
    assert (found.best_params, found.search.ranks) == ({"label": 1}, (1, 1, 1))
    found, _ = table([(3, 2, 1), (1, 2, 3), (4, 1, 1), (2, 1, 1)])
    assert found.candidates[0].values == (0.3, 0.2, 0.1)
    assert np.mean([0.3, 0.2, 0.1]) < np.mean([0.1, 0.2, 0.3]), "the design needs noise"
    assert (found.search.ranks, found.best_params) == ((1, 1, 1, 4), {"right": (3, 2, 1)})


def test_candidates_are_given_up_by_hand():
    right = [
        (8, 9, 9, 9),  # 0.8 + 0.9 + 0.9 + 1 = 3.6 is not below, so it is tried to the end: 3.5
        (4, 10, 10, 10),  # 0.4 + 3 = 3.4 is below 3.6
        (9, 9, 9, 9),  # the best after one fold, tried to the end at once: 3.6
        (7, 9, 9, 9),  # 0.7 + 3 = 3.7, 0.7 + 0.9 + 2 = 3.6, 0.7 + 0.9 + 0.9 + 1 = 3.5
        (6, 10, 10, 10),  # 3.6 in the end: as good, so it is not given up
        (5, None, 10, 10),  # 0.5 + 3 = 3.5
        (8, None, 10, 10),  # has no mean after the second fold
    ]
    whole, early = table(right)
    assert same(whole, early)
    assert [len(each.values) for each in early.candidates] == [4, 1, 4, 3, 4, 1, 2]
    assert (early.search.best, early.search.tied) == (2, 2)
    assert early.search.ranks == (3, None, 1, None, 1, None, None)
    assert [each.outdone for each in early.candidates] == [False, True, False, True, False, True, False]
    assert [bool(each.why) for each in early.candidates] == [False, True, False, True, False, True, True]
    assert (early.search.fits, early.search.saved) == (19, 9)
    # After the most promising one, 3.3, the next four go side by side, of which one has 3.8; then the rest.
    four = [(8, 10, 10, 10), (8, 7, 9, 9), (8, 7, 9, 8), (8, 9, 7, 9)]
    waiting = table([(9, 8, 8, 8), *four, (7, 10, 10, 9), (7, 10, 9, 10)])[1]
    assert [len(each.values) for each in waiting.candidates] == [4, 4, 4, 4, 4, 1, 1]


METRICS = ("accuracy", "error_rate", "mcc", "log_loss", "brier", "lr_plus", "lr_minus", "f1")


def test_the_choice_is_that_of_the_whole_search():
    random, wrong, saved = np.random.default_rng(3), [], 0
    for place, metric in enumerate(METRICS * 2):
        candidates, folds = int(random.integers(2, 10)), (2, 5, 9)[place % 3]
        right = np.round(10 * random.beta(6, 2, (candidates, folds))).astype(int)
        if place % 3 == 0:  # equal means, of which some differ by noise
            right = random.permuted(np.tile(right[:1], (candidates, 1)), axis=1)
        lost = random.random(right.shape) < (place % 2) * 0.1
        lost[0] = False
        scores = [tuple(row) for row in np.where(lost, None, right).tolist()]
        try:
            whole, early = table(scores, metric)
        except tm.InputError:  # no candidate has a value in every fold
            continue
        saved += early.stopped.saved
        wrong += [] if same(whole, early) else [(place, metric)]
    assert not wrong
    assert saved > 50


def test_workers_and_a_run_folder_change_nothing(tmp_path):
    options = {"param_grid": {"max_depth": [1, 2, 8], "min_samples_leaf": [1, 60]}, "cv": 2, "inner_cv": 3}
    tree = DecisionTreeClassifier(random_state=0)
    ask = partial(tm.tune, tree, *MIXED, early_stop=True, **options)
    one, kept, again = (ask(**more) for more in ({}, {"run_folder": tmp_path}, {"run_folder": tmp_path}))
    with joblib.parallel_config(backend="threading", n_jobs=2):
        two = ask()
    forms = [without_times(found.to_dict()) for found in (one, two, kept, again)]
    assert forms == forms[:1] * 4
    assert len(list((tmp_path / "fits").glob("*.npz"))) == one.n_fits
    # The whole search takes the fits that were made.
    whole = tm.tune(tree, *MIXED, run_folder=tmp_path, **options)
    assert len(list((tmp_path / "fits").glob("*.npz"))) == whole.n_fits > one.n_fits


def test_what_fails_is_tried_once_in_every_search():
    options = {"metric": "precision", "early_stop": True, **SMALL}
    found = tm.tune(Constant(), *MIXED, {"label": ["fails", 0, 1]}, **options)
    failed, undefined, fine = found.candidates
    assert (bool(failed.why), bool(undefined.why), fine.mean is None) == (True, True, False)
    # The search that chose and those of three outer folds; of each, three folds of two candidates are saved.
    assert (found.failed, found.stopped.saved, found.stopped.of, found.n_fits) == (4, 24, 48, 24 + 3)
    given = {"every fit fails": {"label": ["fails"]}, "nothing to choose": {"label": [0]}}
    calls = {
        why: lambda grid=grid: tm.tune(Constant(), *MIXED, grid, **options) for why, grid in given.items()
    }
    assert set(classes(refusals(calls)).values()) == {"InputError"}


class Wrong(Scripted):
    """Knows the class of every row, and says another one of a proportion of them."""

    def __init__(self, share=0.2, luck=1, more=1):
        self.share, self.luck, self.more = share, luck, more

    def fit(self, X, y):
        if self.luck < 0:
            raise RuntimeError("no luck")
        return super().fit(X, y)

    def predict(self, X):
        return np.where(X[:, 1] < self.share, 1 - X[:, 0], X[:, 0]).astype(int)


# Folds of unequal sizes, so that what is promised and what is kept differ.
CLASS = MIXED[1][:140]
FOLDED = np.column_stack([CLASS, np.random.default_rng(3).permutation(np.linspace(0, 1, 140))])


@cache
def given_up(kind):
    """Those that are nearly always wrong are given up after one fold: even 0.1 + 3 in four folds is less."""
    grids = {
        "curve": {"share": [0.2, 0.205, 0.21, 0.96, 0.98]},
        "cells": {"luck": [1, 2], "share": [0.2, 0.98]},
        "ranking": {"luck": [1, 2, -1], "more": [1, 2], "share": [0.2, 0.98]},
    }
    shares = [share + k / 10_000 for share in (0.2, 0.98) for k in range(50)]
    draws = {"param_distributions": {"share": shares}, "n_iter": 90}
    space = draws if kind == "draws" else {"param_grid": grids[kind]}
    return tm.tune(Wrong(), FOLDED, CLASS, early_stop=True, **space, **SMALL)


def test_what_is_written_and_drawn_of_candidates_that_were_given_up(snapshot):
    kinds = ("curve", "cells", "ranking")
    texts = {kind: str(given_up(kind)) for kind in kinds}
    notes = {"notes of draws that stopped": "\n".join(given_up("draws").notes)}
    pictures = {f"picture, {kind}": picture(given_up(kind).plot("search")) for kind in kinds}
    snapshot("tune_early_stop", {**texts, **notes, **pictures})
    found = given_up("curve")
    # Tables have no number of one that was given up.
    form = json.loads(found.to_json())
    # Of two candidates, in four searches, three of four folds.
    assert form["stopped"] == {"given_up": 2, "saved": 24, "of": 80, "error": 0.0, "draws": None}
    assert (form["early_stop"], found.n_fits) == (True, 5 * 4 * 4 + 3 - 24)
    last = form["candidates"][-1]
    assert (last["rank"], last["mean"], last["standard_deviation"], last["training"]) == (None,) * 4
    assert (last["values"], len(last["values"])) == (list(found.candidates[-1].values), 1)
    columns = found.columns()
    assert np.isnan(columns["mean"]).tolist() == [False, False, False, True, True]
    assert columns["why"][-1] == last["why"] != ""
    points = [line.get_xydata() for line in found.plot("search").get_lines()]
    left = np.column_stack(([0.96, 0.98], [each.values[0] for each in found.candidates[3:]]))
    assert any(len(each) == 2 and np.allclose(each, left) for each in points)
