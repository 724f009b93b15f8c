"""`tune`: the numbers of scikit-learn, the choice, rows that judge it; what is written and drawn of it."""

from __future__ import annotations

import json
import math
import pickle
import warnings
from functools import cache

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from scored import classes, picture, refusals
from scripted_models import Constant, Scripted, Spy, spied, without_times

X, Y = make_classification(160, 6, flip_y=0.25, random_state=5)
TREE = DecisionTreeClassifier(random_state=0)
GRID = {"max_depth": [1, 2, 4, 8], "min_samples_leaf": [1, 5]}
INNER = StratifiedKFold(3, shuffle=True, random_state=1)
OUTER = StratifiedKFold(4, shuffle=True, random_state=2)
ROWS = np.arange(90.0)[:, None]


@cache
def tuned(**options):
    return tm.tune(TREE, X, Y, GRID, cv=OUTER, inner_cv=INNER, **options)


def test_nested_numbers_are_those_of_scikit_learn():
    model, grid = GaussianNB(), {"var_smoothing": [1e-9, 1.0, 100.0]}
    wrong = []
    for metric, scoring in {"accuracy": "accuracy", "auc": "roc_auc", "log_loss": "neg_log_loss"}.items():
        sign = -1 if scoring.startswith("neg") else 1
        found = tm.tune(model, X, Y, grid, cv=OUTER, inner_cv=INNER, metric=metric)
        search = GridSearchCV(model, grid, cv=INNER, scoring=scoring, return_train_score=True)
        outer = cross_validate(search, X, Y, cv=OUTER, scoring=scoring, return_estimator=True)
        peer = search.fit(X, Y)
        promised = [each.best_score_ for each in outer["estimator"]]
        numbers = [
            (found.best_score, peer.best_score_),
            ([each.mean for each in found.candidates], peer.cv_results_["mean_test_score"]),
            ([each.training_mean for each in found.candidates], peer.cv_results_["mean_train_score"]),
            (found.outer_values, outer["test_score"]),
            (found.inner_values, promised),
            ([found.inner.value, found.outer.value], [np.mean(promised), outer["test_score"].mean()]),
        ]
        # scikit-learn lets the 16th decimal break ties in its ranks.
        ranks = stats.rankdata(np.round(-peer.cv_results_["mean_test_score"], 12), method="min")
        checks = [np.allclose(ours, np.multiply(sign, each), rtol=0, atol=1e-12) for ours, each in numbers]
        chosen = [each.winner.candidate.parameters for each in found.inner_searches]
        checks += [found.best_params == peer.best_params_, list(found.search.ranks) == ranks.tolist()]
        checks += [chosen == [each.best_params_ for each in outer["estimator"]]]
        checks += [(found.best_model.predict(X) == peer.predict(X)).all()]
        wrong += [(metric, place) for place, right in enumerate(checks) if not right]
    assert not wrong
    # Of three classes; deviations are by one fold less.
    model, grid, iris = KNeighborsClassifier(), {"n_neighbors": [1, 9, 99]}, load_iris(return_X_y=True)
    found, peer = tm.tune(model, *iris, grid, cv=OUTER, inner_cv=INNER), GridSearchCV(model, grid, cv=INNER)
    peer.fit(*iris)
    deviations = peer.cv_results_["std_test_score"] * math.sqrt(3 / 2)
    assert [each.deviation for each in found.candidates] == pytest.approx(deviations, abs=1e-12)


def test_optimism_is_paired_by_outer_fold_and_choices_are_counted():
    found, error = tuned(confidence_level=0.9), tuned(metric="error_rate")
    gaps = np.subtract(found.inner_values, found.outer_values)
    half = stats.t.ppf(0.95, 3) * math.sqrt(gaps.var(ddof=1) * (1 / 4 + 40 / 120))
    ends = (found.optimism.value, found.optimism.low, found.optimism.high)
    assert ends == pytest.approx((gaps.mean(), gaps.mean() - half, gaps.mean() + half), abs=1e-12)
    assert found.optimism.value == pytest.approx(found.inner.value - found.outer.value, abs=1e-12)
    assert (found.optimism.level, found.inner.low) == (0.9, None)
    assert error.optimism.value == pytest.approx(found.optimism.value, abs=1e-12)
    assert (error.best_params, error.search.ranks) == (found.best_params, found.search.ranks)
    often = [times for _, times in tuned().choices]
    assert (sum(often), often) == (4, sorted(often, reverse=True))
    assert all(tried in tuned().candidates for tried, _ in tuned().choices)
    assert tuned().evaluation.rows == 160
    assert tuned().evaluation["accuracy"].value == pytest.approx(np.mean(tuned().outer_values), abs=1e-12)
    assert tuned()["recall"].pooled.value == tuned().evaluation["recall"].value
    again = pickle.loads(pickle.dumps(tuned()))
    assert without_times(again.to_dict()) == without_times(tuned().to_dict())
    assert (again.best_model.predict(X) == tuned().best_model.predict(X)).all()


def test_three_ways_by_hand():
    sizes = {"validation_size": 0.25, "test_size": 0.25, "random_state": 4}
    found = tm.tune(TREE, X, Y, GRID, method="three-way", **sizes)
    train, validation, test = tm.three_way_split(Y, **sizes)
    both, values = np.sort(np.concatenate([train, validation])), []
    for each in found.candidates:
        model = DecisionTreeClassifier(random_state=0, **each.candidate.parameters).fit(X[train], Y[train])
        values.append(accuracy_score(Y[validation], model.predict(X[validation])))
    best = found.candidates[int(np.argmax(values))].candidate.parameters
    model = DecisionTreeClassifier(random_state=0, **best).fit(X[both], Y[both])
    assert [each.mean for each in found.candidates] == pytest.approx(values, abs=1e-12)
    assert found.best_params == best
    assert found.outer.value == pytest.approx(accuracy_score(Y[test], model.predict(X[test])), abs=1e-12)
    assert found.optimism.value == pytest.approx(max(values) - found.outer.value, abs=1e-12)
    assert (found.outer.method, found.outer.n, found.optimism.low) == ("wilson", len(test), None)
    assert (found.best_model.predict(X) == model.predict(X)).all()
    # Where its seed is open, the model is the one that was tested, not another forest.
    forest = tm.tune(RandomForestClassifier(3), X, Y, {"max_depth": [2, 5]}, method="three-way")
    tested = forest.folds.folds[0].test
    assert (forest.best_model.predict(X[tested]) == forest.fits[0].answers).all()


def test_candidates_that_fail_or_have_no_value_are_counted_and_never_chosen():
    labels = {"label": ["fails", 0, 1]}
    found = tm.tune(Constant(), X, Y, labels, cv=2, inner_cv=2, metric="precision")
    failed, undefined, fine = found.candidates
    assert (found.best_params, found.search.ranks) == ({"label": 1}, (None, None, 1))
    assert "RuntimeError: it was told to fail" in failed.why
    assert undefined.why
    assert fine.mean == pytest.approx(np.mean(Y == 1), abs=0.01)
    # Two inner folds of the last search and of both outer folds; then the winners.
    assert (found.failed, found.n_fits) == (6, 3 * 2 * 3 + 2)

    # So is an outer fold in which nothing can be chosen.
    class Picky(Constant):
        def fit(self, X, y):
            if X[:, 0].max() < 159:
                raise RuntimeError("the last row is missing")
            return super().fit(X, y)

    class First:
        """The last rows always learn."""

        def split(self, X, y=None, groups=None):  # noqa: ARG002
            yield np.arange(20, len(X)), np.arange(20)

    halves = [(np.r_[0:80], np.r_[80:160]), (np.r_[80:160], np.r_[0:80])]
    rows = np.arange(160.0)[:, None]
    found = tm.tune(Picky(), rows, Y, {"label": [0, 1]}, cv=halves, inner_cv=First())
    assert [value is None for value in found.outer_values] == [True, False]
    assert (found.inner_values[0], found.outer.n, bool(found.notes)) == (None, 1, True)


def test_several_models_are_chosen_among_and_parameters_are_called_as_they_were_given():
    models = {"tree": (TREE, {"max_depth": [1, 3]}), "always": (Constant(), {"label": [0]})}
    found = tm.tune(models, X, Y, cv=3, inner_cv=3)
    assert (found.best_name, set(found.best_params)) == ("tree", {"max_depth"})
    assert isinstance(found.best_model, DecisionTreeClassifier)
    pipe = make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=0))
    for typed in ("max_depth", "decisiontreeclassifier__max_depth"):
        found = tm.tune(pipe, X, Y, {typed: [1, 3]}, cv=2, inner_cv=2)
        assert found.best_model.get_params()["decisiontreeclassifier__max_depth"] == found.best_params[typed]
        form = found.to_dict()
        assert [each["parameters"] for each in form["candidates"]] == [{typed: 1}, {typed: 3}]
        assert all(fold["parameters"].keys() == {typed} for fold in form["folds"])
        assert f"param_{typed}" in found.columns()
        assert found.plot("search").get_xlabel() == typed
    named = tm.tune("tree", X, Y, {"max_depth": [1]}, cv=2, inner_cv=2)
    assert named.best_params == {"max_depth": 1}
    assert named.best_model.named_steps["model"].max_depth == 1
    # One parameter has one name, the first.
    grids = {"tree": ("tree", [{"max_depth": [1]}, {"model__max_depth": [2]}])}
    several = tm.tune(grids, X, Y, method="three-way").candidates
    assert [each.candidate.given for each in several] == [{"max_depth": 1}, {"max_depth": 2}]


def test_other_candidates_change_nothing_and_folds_are_those_of_validate():
    tree, small = DecisionTreeClassifier(max_features=1), {"cv": 2, "inner_cv": 2}
    alone, among = (tm.tune(tree, X, Y, {"max_depth": depths}, **small) for depths in ([3], [1, 3]))
    assert among.candidates[1].values == alone.candidates[0].values
    small["param_grid"] = {"max_depth": [1]}
    zero, three = (tm.tune(TREE, X, Y, random_state=seed, **small) for seed in (0, 3))
    assert zero.folds.fingerprint != three.folds.fingerprint
    for seed, found in ((0, zero), (3, three)):
        assert found.fingerprint == tm.validate(TREE, X, Y, cv=2, random_state=seed).fingerprint
    assert tm.tune(TREE, X, 1 - Y, **small).fingerprint != zero.fingerprint
    # Models as parameters are not shared by fits.
    pipe = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    given = {"decisiontreeclassifier": [RandomForestClassifier(3), DecisionTreeClassifier()]}
    found = tm.tune(pipe, X, Y, given, cv=2, inner_cv=2)
    forest = given["decisiontreeclassifier"][0]
    assert (forest.random_state, hasattr(forest, "estimators_")) == (None, False)
    second = json.loads(found.to_json())["candidates"][1]["parameters"]
    assert second == {"decisiontreeclassifier": "DecisionTreeClassifier()"}


def test_a_spy_sees_outer_test_rows_once_and_only_when_judged():
    y, outer = Y[:90], KFold(3, shuffle=True, random_state=1)
    found, seen = spied(lambda: tm.tune(Spy(), ROWS, y, {"label": [0, 1]}, cv=outer, inner_cv=INNER))
    assert len(seen) == 2 * 3 * (1 + 3) + 3
    inner, judged = seen[6:24], seen[24:]
    for fold, (train, test) in enumerate(outer.split(ROWS)):
        for _, learned, _, asked in inner[6 * fold : 6 * fold + 6]:
            assert set(learned).union(*asked) == set(train)
            assert not set(learned) & set(asked[0])
        label, learned, _, asked = judged[fold]
        assert label == found.inner_searches[fold].winner.candidate.parameters["label"]
        assert (set(learned), list(map(set, asked))) == (set(train), [set(test)])
    found, seen = spied(lambda: tm.tune(Spy(), ROWS, y, {"label": [0, 1]}, method="three-way"))
    train, validation, test = (set(part.tolist()) for part in tm.three_way_split(y))
    for _, learned, _, asked in seen[:2]:
        assert (set(learned), list(map(set, asked))) == (train, [validation, train])
    assert [(set(learned), list(map(set, asked))) for _, learned, _, asked in seen[2:]] == [
        (train | validation, [test])
    ]
    assert seen[2][0] == found.best_params["label"]


def test_groups_and_copies_of_rows_stay_together_inside_too():
    groups, wrong = np.repeat(np.arange(18), 5), []
    cases = {
        "a number of inner folds": ({"cv": 3, "inner_cv": 3, "groups": groups}, groups),
        "GroupKFold": ({"cv": 3, "inner_cv": GroupKFold(3), "groups": groups}, groups),
        "three-way": ({"method": "three-way", "groups": groups}, groups),
        "copies that a bootstrap drew": ({"cv": "bootstrap:2", "inner_cv": 3}, np.arange(90)),
    }
    for name, (options, units) in cases.items():
        _, seen = spied(lambda options=options: tm.tune(Spy(), ROWS, Y[:90], {"label": [0, 1]}, **options))
        # The last search asks about the rows it learned as well, for the training value.
        leaks = [set(units[learned]) & set(units[asked[0]]) for _, learned, _, asked in seen]
        wrong += [name] if any(leaks) or not seen else []
    assert not wrong
    # A sampler changes training rows only.
    few = np.arange(90) < 15
    options = {"cv": 3, "inner_cv": 3, "sampler": tm.Oversampling(), "metric": "recall"}
    found = tm.tune(Constant(), ROWS, few.astype(int), {"label": [0, 1]}, **options)
    assert found.evaluation.rows == 90
    assert all(fit.n_train == 100 for fit in found.fits)  # 50 of the large class, and 50 copies of 10


def test_what_cannot_be_is_refused_before_anything_is_fitted(snapshot):
    words, zero = np.where(Y == 1, "ill", "well"), {"label": [0]}

    def call(y=Y, grid=None, **options):
        return lambda: tm.tune(Constant(), X, y, grid or {"label": ["fails"]}, **options)

    three, copies = {"method": "three-way"}, {"cv": "bootstrap:3"}
    calls = {
        "method": call(method="loocv"), "direction": call(metric="prevalence"),
        "inner pairs": call(inner_cv=[(np.arange(80), np.arange(80, 160))]),
        "too many inner folds": call(inner_cv=500),
        "size of the test part": call(**three, test_size=2.0),
        "outer folds of three parts": call(**three, cv=3),
        "inner folds of three parts": call(**three, inner_cv=5), "parts of nested folds": call(test_size=0.2),
        "copies left out one by one": call(grid=zero, **copies, inner_cv="loo"),
        "misspelled inner folds of copies": call(grid=zero, **copies, inner_cv="lou"),
        "groups left out row by row": call(grid=zero, inner_cv="loo", groups=np.arange(160) // 4),
        "every fit fails": call(), "nothing to choose": call(grid=zero, metric="precision", inner_cv=2),
        "a fold without positives": call(
            np.r_[[0] * 80, Y[80:]], zero, cv="holdout", inner_cv=KFold(2), metric="recall"
        ),
    }  # fmt: skip
    refused = refusals(calls)
    without_value = ("every fit fails", "nothing to choose", "a fold without positives")
    assert classes(refused) == dict.fromkeys(calls, "OptionError") | dict.fromkeys(
        without_value, "InputError"
    )
    snapshot("tune_errors", refused)
    found = tm.tune(TREE, X, words, {"max_depth": [1]}, metric="recall", pos_label="ill", cv=2, inner_cv=2)
    assert found.outer.value is not None


DATA = make_classification(120, 6, flip_y=0.25, random_state=5)
CLASSES = DATA[1]
KNN = KNeighborsClassifier()
SMALL = {"cv": 3, "inner_cv": 3}


class Learned(Scripted):
    """The last column's lowest proportion is wrong, unless fewer rows were learned than it needs."""

    def __init__(self, right=0.5, needs=0, luck=0):
        self.right, self.needs, self.luck = right, needs, luck

    def fit(self, X, y):
        super().fit(X, y)
        if self.needs:
            warnings.warn("it needs rows", UserWarning, stacklevel=1)
        self.knows_ = self.right if len(X) >= self.needs else 0.5
        return self

    def predict(self, X):
        return np.where(X[:, 1] < self.knows_, X[:, 0], 1 - X[:, 0]).astype(int)


KNOWN = np.column_stack((CLASSES, np.random.default_rng(3).permutation(np.linspace(0, 1, len(CLASSES)))))


class Lucky(Scripted):
    """Right in the rows of its luck, one of three."""

    def __init__(self, luck=0):
        self.luck = luck

    def predict(self, X):
        return np.where(X[:, 1].astype(int) % 3 == self.luck, X[:, 0], 1 - X[:, 0]).astype(int)


def lucky():
    """Of every fold the rows of one luck are learned, and hardly one of them is tested."""
    rows, cut = np.arange(240), []
    for k in range(10):
        own = rows % 3 == k % 3
        train, test = np.flatnonzero(own & (rows // 24 != k)), np.flatnonzero(~own & (rows // 24 == k))
        cut.append((train, np.append(test, rows[own & (rows // 24 == k)][: k % 4])))
    data, grid = (np.column_stack((rows % 2, rows)), rows % 2), {"luck": [0, 1, 2]}
    return tm.tune(Lucky(), *data, grid, cv=cut, inner_cv=2)


@cache
def made(kind):
    """Small tunings, made once."""
    pipe = make_pipeline(StandardScaler(), KNN)
    two = {"n_neighbors": [1, 5, 25], "weights": ["uniform", "distance"]}
    models = {"knn": (KNN, {"n_neighbors": [3, 9]}), "constant": (Constant(), {"label": [0]})}
    calls = {
        "one": lambda: tm.tune(KNN, *DATA, {"n_neighbors": [1, 3, 7, 40]}, **SMALL),
        "alone": lambda: tm.tune(KNN, *DATA, {"n_neighbors": [5]}, **SMALL),
        "two": lambda: tm.tune(pipe, *DATA, two, **SMALL), "models": lambda: tm.tune(models, *DATA, **SMALL),
        "three-way": lambda: tm.tune(KNN, *DATA, {"n_neighbors": [1, 3, 7]}, method="three-way"),
        "modest": lambda: tm.tune(Learned(1.0), KNOWN, CLASSES, {"needs": [70], "luck": [0, 1]}, **SMALL),
        "lucky": lucky,
        "many": lambda: tm.tune(
            Learned(), KNOWN, CLASSES, param_distributions={"right": stats.uniform(0.3, 0.6), "luck": [0, 1]},
            n_iter=25, cv="repeated:26", inner_cv=2,
        ),
        "many of several models": lambda: tm.tune(
            {
                "knn": (KNN, {"n_neighbors": list(range(1, 13))}),
                "learned": (Learned(), {"right": [k / 10 for k in range(1, 10)]}),
                "fails": (Constant(), {"label": ["fails"]}),
            },
            KNOWN, CLASSES, cv=2, inner_cv=2,
        ),
    }  # fmt: skip
    return calls[kind]()


KINDS = ("one", "alone", "two", "models", "three-way", "modest", "lucky", "many", "many of several models")


def test_reports(snapshot):
    snapshot("tune_text", {kind: str(made(kind)) for kind in KINDS})
    assert (made("modest").inner.value, made("modest").outer.value) == pytest.approx((0.5, 1), abs=0.05)
    # Luck is named where chance does not explain the difference.
    assert made("lucky").optimism.low > 0 > made("one").optimism.low
    for kind in ("two", "models", "many", "three-way"):
        assert all(len(made(kind).writers()[suffix]()) > 100 for suffix in (".md", ".tex", ".html")), kind


class Careless:
    """Takes every third row, of whatever group."""

    def split(self, X, y=None, groups=None):  # noqa: ARG002
        rows = np.arange(len(X))
        yield from ((rows[rows % 3 != fold], rows[rows % 3 == fold]) for fold in range(3))


def test_groups_on_both_sides_and_rare_classes(snapshot):
    cut = Careless()
    cuts = {"outer": (cut, 3), "inner": (3, cut), "both": (cut, cut), "none": (3, 3)}
    codes, groups = {}, np.repeat(np.arange(24), 5)
    for name, (outer, inner) in cuts.items():
        found = tm.tune(Constant(), *DATA, {"label": [1]}, cv=outer, inner_cv=inner, groups=groups)
        codes[name] = [each.code for each in found.findings]
    assert codes == {"outer": ["TM019"], "inner": ["TM019"], "both": ["TM019"] * 2, "none": []}
    classes = np.where(CLASSES == 1, "yes", "no").astype(object)
    classes[:2] = "rare"
    given = {"model": Constant(), "X": DATA[0], "y": classes, "param_grid": {"label": ["yes"]}}
    parts = tm.tune(**given, method="three-way")
    outer = tm.tune(**given, cv=3, inner_cv=3)
    assert [each.code for each in outer.findings] == ["TM023"]
    classes[2] = "rare"
    inside = tm.tune(**given, cv=3, inner_cv=3)
    notes = {"two rows in three parts": parts.notes, "two rows in inner folds": inside.notes}
    snapshot("tune_notes_of_rare_classes", {name: "\n".join(each) for name, each in notes.items()})


def test_the_json_document_has_every_number():
    for kind in ("one", "two", "models", "many", "three-way"):
        found, form = made(kind), json.loads(made(kind).to_json())
        best = form["candidates"][form["best"]["candidate"]]
        assert (form["best"]["parameters"], best["rank"]) == (found.best_params, 1), kind
        values = [form[name]["value"] for name in ("promised", "kept", "optimism")]
        expected = (found.inner.value, found.outer.value, found.inner.value - found.outer.value)
        assert values == pytest.approx(expected), kind
        assert [each["outer"] for each in form["folds"]] == list(found.outer_values), kind
        assert (form["failed"], form["fits"]) == (0, found.n_fits), kind


def test_the_table_has_a_row_for_every_candidate():
    candidates = made("models").candidates
    columns = made("models").columns()
    assert columns["model"] == ["knn", "knn", "constant"]
    assert columns["mean"].tolist() == [each.mean for each in candidates]
    assert columns["standard_deviation"].tolist() == [each.deviation for each in candidates]
    assert np.array_equal(columns["param_n_neighbors"], [3, 9, np.nan], equal_nan=True)
    columns = made("two").columns()
    assert columns["param_weights"] == ["uniform", "distance"] * 3
    assert columns["param_n_neighbors"].tolist() == [1, 1, 5, 5, 25, 25]
    mixed = tm.tune(Constant(), *DATA, {"b": [1, None]}, method="three-way").columns()
    assert mixed["param_b"] == ["1", "none"]


def test_pictures_show_candidates_and_the_optimism(snapshot):
    search = {f"search, {kind}": picture(made(kind).plot("search")) for kind in KINDS}
    optimism = {
        f"optimism, {kind}": picture(made(kind).plot("optimism")) for kind in ("one", "many", "three-way")
    }
    snapshot("tune_pictures", search | optimism)
    lines = [line.get_xydata() for line in made("one").plot("search").get_lines()]
    # 1 to 40 is far: set apart by ratios.
    means = np.column_stack((np.log10([1, 3, 7, 40]), [each.mean for each in made("one").candidates]))
    training = [each.training_mean for each in made("one").candidates]
    assert any(len(line) == 4 and np.allclose(line, means) for line in lines)
    assert any(len(line) == 4 and np.allclose(line[:, 1], training) for line in lines)
    found = made("one")
    xs = [line.get_xdata() for line in found.plot("optimism").get_lines()]
    for values in ([*found.inner_values, found.inner.value], [*found.outer_values, found.outer.value]):
        assert any(len(x) == 4 and np.allclose(x, values) for x in xs)
