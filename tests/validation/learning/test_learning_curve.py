"""The learning curve: the same numbers as scikit-learn's on the same subsets, and what users ask of it."""

from __future__ import annotations

import math
import pickle
import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.model_selection import learning_curve as sklearn_learning_curve
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from tallymark.errors import CostError, InputError, LabelError, MetricError, OptionError
from tallymark.metrics import ask
from tallymark.validation.fits.fitting import Task
from tallymark.validation.learning import work as module
from tallymark.validation.learning.curve import learning_curve
from tallymark.validation.learning.result import LearningCurve, point_of
from tallymark.validation.validating.summary import Sizes


def rows(count=150, seed=0, columns=4, apart=1.0, classes=2):
    random = np.random.default_rng(seed)
    y = random.integers(classes, size=count)
    return random.normal(size=(count, columns)) + apart * y[:, None], y


X, Y = rows()
ROWS = np.arange(150)


@pytest.fixture
def tasks(monkeypatch):
    """Every fit that was asked for."""
    seen: list[Task] = []
    real = module.run

    def run(tasks, **options):
        kept = list(tasks)
        seen.extend(kept)
        return real(kept, **{**options, "total": None})

    monkeypatch.setattr(module, "run", run)
    return seen


def subsets(tasks, model):
    """Training rows of the fits of a model, by size and in the order of the repeats."""
    found: dict[int, list[set[int]]] = {}
    for task in tasks:
        if isinstance(task.model, model):
            found.setdefault(len(task.train), []).append(set(task.train.tolist()))
    return found


# --- the numbers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc", "neg_log_loss"])
def test_equal_to_scikit_learn_on_the_same_subsets(scoring, tasks):
    cv = ShuffleSplit(5, test_size=0.3, random_state=3)
    name = {"roc_auc": "auc", "neg_log_loss": "log_loss"}.get(scoring, scoring)
    found = learning_curve(GaussianNB(), X, Y, schedule=[20, 40, 80], cv=cv, metric=name)
    whole = [task for task in tasks if isinstance(task.model, GaussianNB) and len(task.train) == 105]
    # Without shuffling it takes the first rows of what it is given, so it gets our order.
    sizes, training, test = sklearn_learning_curve(
        GaussianNB(),
        X,
        Y,
        train_sizes=[20, 40, 80, 105],
        cv=[(task.train, task.test) for task in whole],
        scoring=scoring,
    )
    sign = -1 if scoring.startswith("neg_") else 1
    assert found.sizes.tolist() == sizes.tolist()
    np.testing.assert_allclose(found.values, sign * test.T, rtol=1e-9)
    np.testing.assert_allclose(found.mean, sign * test.mean(axis=1), rtol=1e-9)
    np.testing.assert_allclose(found.deviation, test.std(axis=1, ddof=1), rtol=1e-9)
    np.testing.assert_allclose(found.training, sign * training.mean(axis=1), rtol=1e-9)


def test_the_interval_is_nadeau_and_bengios():
    found = learning_curve(GaussianNB(), X, Y, n_repeats=6)
    for place, point in enumerate(found._one.points):
        values = found.values[:, place]
        half = stats.t.ppf(0.975, 5) * values.std(ddof=1) * math.sqrt(1 / 6 + 50 / 100)
        assert point.mean.low == pytest.approx(max(values.mean() - half, 0))
        assert point.mean.high == pytest.approx(min(values.mean() + half, 1))
        assert point.deviation == pytest.approx(values.std(ddof=1))


def test_the_last_size_is_the_whole_training_part_of_every_fold():
    # 152 rows in 5 folds: training parts of 121 and of 122 rows.
    X, y = rows(152)
    found = learning_curve(GaussianNB(), X, y, cv=KFold(5), schedule="arithmetic", n_sizes=3)
    assert found.sizes.tolist() == [41, 81, 122]
    assert found.at(122).n_train == pytest.approx(152 * 4 / 5)
    assert found.at(41).n_train == 41


def test_the_baseline_answers_the_largest_class():
    found = learning_curve(GaussianNB(), X, Y, n_repeats=4)
    shares = [(Y[test] == np.bincount(Y).argmax()).mean() for _, test in found.folds]
    assert found.baseline.value == pytest.approx(np.mean(shares))


def test_the_baseline_answers_the_class_that_is_most_frequent_in_all_rows(tasks):
    # 70 rows of class 0 and 50 of class 1, most of which are trained on.
    y = np.repeat([0, 1], [70, 50])
    train, test = np.r_[0:30, 70:115], np.r_[30:70, 115:120]
    found = learning_curve(GaussianNB(), rows(120)[0], y, cv=[(train, test)], schedule=[20, 40])
    assert found.baseline.value == pytest.approx(40 / 45)
    assert {type(task.model) for task in tasks} == {GaussianNB}


# --- the subsets -----------------------------------------------------------------------------------


def test_subsets_are_nested_and_the_same_for_all_models(tasks):
    models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier()}
    learning_curve(models, X, Y, schedule=[10, 30, 60], n_repeats=3)
    of_bayes, of_tree = subsets(tasks, GaussianNB), subsets(tasks, DecisionTreeClassifier)
    assert list(of_bayes) == [10, 30, 60, 100]
    assert of_bayes == of_tree
    for small, large in pairwise(of_bayes.values()):
        assert all(a < b for a, b in zip(small, large, strict=True))
    tested = [set(task.test.tolist()) for task in tasks if isinstance(task.model, GaussianNB)]
    assert tested[:3] == tested[3:6] == tested[9:12]
    assert not any(set(task.train) & set(task.test) for task in tasks)


def test_class_shares_are_kept_to_within_one_row(tasks):
    X, y = rows(300, classes=3)
    learning_curve(GaussianNB(), X, y, schedule=[20, 55], n_repeats=3)
    for task in tasks:
        whole = next(
            other for other in tasks if len(other.train) == 200 and set(task.train) <= set(other.train)
        )
        fair = np.bincount(y[whole.train], minlength=3) / 200 * len(task.train)
        assert np.abs(np.bincount(y[task.train], minlength=3) - fair).max() < 1


def test_groups_stay_whole(tasks):
    groups = np.repeat(np.arange(30), 5)
    found = learning_curve(GaussianNB(), X, Y, groups=groups, schedule=[12, 50], n_repeats=3)
    for task in tasks:
        assert not set(groups[task.train]) & set(groups[task.test])
        assert len(task.train) == 5 * len(set(groups[task.train]))
    assert found.at(12).n_train == 10
    assert "consists of whole groups" in str(found)


def test_sizes_without_a_second_class_are_raised():
    y = np.zeros(300, int)
    y[::10] = 1
    found = learning_curve(GaussianNB(), rows(300)[0], y, schedule=[2, 50], n_repeats=2)
    assert found.sizes[0] in (5, 6)
    assert found.failed == 0
    assert "was raised to" in found.notes[0]


def test_missing_classes_are_said():
    y = np.repeat([0, 1, 2], [60, 60, 3])
    found = learning_curve(GaussianNB(), rows(123)[0], y, schedule=[6, 60], n_repeats=2)
    assert found.notes == (
        "the whole training part, 82 rows, was added as the last size.",
        "in subsets of 6 rows, some classes have no rows to be learned from.",
    )


# --- chance and workers ------------------------------------------------------------------------------


def test_the_same_for_any_number_of_workers():
    models = {"tree": DecisionTreeClassifier(max_features=1), "bayes": GaussianNB()}
    one, two = (learning_curve(models, X, Y, n_repeats=3, n_jobs=jobs) for jobs in (1, 2))
    for name in models:
        np.testing.assert_array_equal(one.models[name].values, two.models[name].values)
    other = learning_curve(models, X, Y, n_repeats=3, random_state=1)
    assert not np.array_equal(one.models["tree"].values, other.models["tree"].values)


def test_no_seed_is_the_usual_one():
    model = DecisionTreeClassifier(max_features=1)
    none, zero = (
        learning_curve(model, X, Y, schedule=[40], n_repeats=3, random_state=seed) for seed in (None, 0)
    )
    np.testing.assert_array_equal(none.values, zero.values)


def test_a_size_has_the_same_result_in_any_schedule():
    model = DecisionTreeClassifier(max_features=1)
    long, short = (learning_curve(model, X, Y, schedule=sizes, n_repeats=3) for sizes in ([10, 20, 40], [40]))
    assert long.at(40).values == short.at(40).values


def test_progressive_and_all_at_once_agree_on_the_sizes_both_ran():
    whole = learning_curve(GaussianNB(), X, Y, n_repeats=4)
    some = learning_curve(GaussianNB(), X, Y, n_repeats=4, progressive=True, tolerance=0.2)
    assert some.stopped.early
    np.testing.assert_array_equal(whole.values[:, : len(some.sizes)], some.values)


# --- failures and what is undefined ------------------------------------------------------------------


class Fails(ClassifierMixin, BaseEstimator):
    """Learns only from enough rows."""

    def __init__(self, needs=30):
        self.needs = needs

    def fit(self, X, y):
        if len(X) < self.needs:
            raise ValueError("too few rows\nmore")
        self.model_ = GaussianNB().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X)


def test_failed_fits_are_counted_and_the_rest_goes_on():
    found = learning_curve(Fails(), X, Y, schedule=[10, 20, 50], n_repeats=3)
    assert (found.failed, found.fits) == (6, 12)
    assert found.failure == "6 of 12 fits failed: ValueError: too few rows"
    assert "6 of 12 fits failed: ValueError: too few rows." in found.notes
    assert np.isnan(found.mean).tolist() == [True, True, False, False]
    assert found.at(10).mean.why == "undefined in all 3 folds: the fit failed: ValueError: too few rows"
    assert (found.at(10).undefined, found.at(50).undefined) == (3, 0)
    assert "3 of 3" in str(found)


def test_when_every_fit_fails_it_is_an_error():
    with pytest.raises(InputError, match="all 6 fits failed: ValueError: too few rows"):
        learning_curve(Fails(10_000), X, Y, schedule=[50], n_repeats=3)


def test_undefined_values_are_counted_and_not_averaged():
    # A model that always answers 0 has no precision.
    found = learning_curve(DummyClassifier(strategy="constant", constant=0), X, Y, metric="precision")
    assert np.isnan(found.mean).all()
    assert found.at(100).undefined == 10
    assert found.extrapolate(200).value is None
    assert "nothing was predicted positive" in str(found)


def test_warnings_are_said_once():
    found = learning_curve(LogisticRegression(max_iter=1), X, Y, schedule=[50], n_repeats=3)
    said = [note for note in found.notes if note.startswith("ConvergenceWarning")]
    assert len(said) == 1
    assert said[0].endswith("(in 6 of 6 fits).")


class Warns(GaussianNB):
    """Has five different things to say."""

    def fit(self, X, y):
        for what in "abcde":
            warnings.warn(f"about {what}", UserWarning, stacklevel=1)
        return super().fit(X, y)


def test_many_kinds_of_warnings_are_not_all_told():
    found = learning_curve(Warns(), X, Y, schedule=[50], n_repeats=2)
    assert sum(note.startswith("UserWarning") for note in found.notes) == 3
    assert "and 2 other kinds of warnings." in found.notes


def test_groups_on_both_sides_are_said():
    groups = np.arange(150) % 30
    cuts = list(KFold(3, shuffle=True, random_state=0).split(X))
    found = learning_curve(GaussianNB(), X, Y, groups=groups, cv=cuts, schedule=[50])
    assert [each.code for each in found.findings] == ["TM019"]


def test_equal_values_do_not_deviate():
    asked = ask("accuracy")
    sizes = Sizes(np.full(3, 20.0), np.full(3, 10.0))
    values = [0.3, 0.1 + 0.2, 0.3]  # but for floating point
    assert np.std(values) > 0
    none = [None] * 3
    point = point_of(
        20, np.full(3, 20.0), values, none, none, np.zeros(3), asked=asked, shared=sizes, level=0.95
    )
    assert point.deviation == 0


# --- what users type ---------------------------------------------------------------------------------


def test_a_data_frame_with_the_classes_in_a_column():
    frame = pd.DataFrame(X, columns=list("abcd")).assign(y=Y)
    found = learning_curve("bayes", frame, target="y", n_repeats=2, schedule=[50])
    assert isinstance(found.to_frame(), pd.DataFrame)
    assert list(found.models) == ["bayes"]


def test_over_and_undersampling_are_inside_the_subset(tasks):
    class Doubling:
        def fit_resample(self, X, y):
            return np.vstack((X, X)), np.append(y, y)

    found = learning_curve(GaussianNB(), X, Y, sampler=Doubling(), schedule=[50], n_repeats=2)
    assert found.at(50).n_train == 50
    assert all(task.sampler is not None for task in tasks if isinstance(task.model, GaussianNB))


def test_costs_are_a_metric_that_is_better_when_low():
    found = learning_curve(GaussianNB(), X, Y, metric="mean_cost", costs={0: {1: 1}, 1: {0: 5}}, n_repeats=6)
    assert found._one.sign == -1
    assert found.mean[0] > found.mean[-1]


def test_of_several_models_it_must_be_said_which():
    found = learning_curve([GaussianNB(), DecisionTreeClassifier()], X, Y, schedule=[50], n_repeats=2)
    assert found.models["GaussianNB"].mean.shape == (2,)
    with pytest.raises(OptionError, match=r"several models.*models\['GaussianNB'\]"):
        _ = found.mean


def test_a_size_that_was_not_run_is_refused():
    found = learning_curve(GaussianNB(), X, Y, schedule=[50], n_repeats=2)
    with pytest.raises(OptionError, match="7 is not one of the sizes; they are 50, 100"):
        found.at(7)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        pytest.param({"metric": "acuracy"}, "did you mean accuracy", id="metric"),
        pytest.param({"metric": "mean_cost"}, "mean_cost needs costs. Hint: pass costs=", id="no costs"),
        pytest.param(
            {"metric": "mean_cost", "costs": [[0, 5], [1, 0]]}, "order", id="costs in no stated order"
        ),
        pytest.param({"sampler": "twice"}, "a sampler has the method fit_resample", id="sampler"),
        pytest.param({"metric": "hamming_loss"}, "rows with several labels", id="sets"),
        pytest.param({"metric": "prevalence", "progressive": True}, "no gain in it can pay", id="no way"),
        pytest.param({"random_state": -1}, "random_state", id="seed"),
        pytest.param(
            {"progressive": True, "confidence_level": 0.4},
            "confidence_level is 0.4: a bound that is more often wrong than right",
            id="level",
        ),
        pytest.param({"tolerance": 0}, "tolerance is a number above 0", id="tolerance"),
        pytest.param({"cv": 5, "n_repeats": 3}, "n_repeats=3 and cv both say", id="repeats and cv"),
        pytest.param({"cv": 5, "test_size": 0.5}, "test_size=0.5 and cv both say", id="size and cv"),
        pytest.param(
            {"schedule": "linear"}, "schedule is 'geometric', 'arithmetic' or a list", id="schedule"
        ),
    ],
)
def test_what_cannot_be_answered_is_refused_before_any_fit(options, said, tasks):
    with pytest.raises((OptionError, MetricError, CostError)) as caught:
        learning_curve(GaussianNB(), X, Y, **options)
    assert said in str(caught.value)
    assert tasks == []


def test_a_number_of_one_class_needs_to_know_which():
    words = np.where(Y == 1, "yes", "no")
    with pytest.raises(LabelError, match=r"recall is about one class.*'no', 'yes'.*--positive yes"):
        learning_curve(GaussianNB(), X, words, metric="recall")
    assert learning_curve(
        GaussianNB(), X, words, metric="recall", pos_label="yes", schedule=[50], n_repeats=2
    ).mean.shape == (2,)


def test_costs_by_name_are_in_any_order():
    words = np.where(Y == 1, "yes", "no")
    costs = {"yes": {"no": 5}, "no": {"yes": 1}}
    found = learning_curve(
        GaussianNB(), X, words, metric="mean_cost", costs=costs, schedule=[50], cv=[(ROWS[:100], ROWS[100:])]
    )
    said = GaussianNB().fit(X[:100], words[:100]).predict(X[100:])
    missed, alarms = ((said != words[100:]) & (words[100:] == word) for word in ("yes", "no"))
    assert found.mean[-1] == pytest.approx((5 * missed.sum() + alarms.sum()) / 50)


def test_it_can_be_pickled():
    found = learning_curve(GaussianNB(), *rows(300, columns=15, apart=0.5))
    assert found.gain(400).value is not None
    again = pickle.loads(pickle.dumps(found))
    assert isinstance(again, LearningCurve)
    np.testing.assert_array_equal(again.mean, found.mean)
    assert again.gain(400).value == found.gain(400).value
