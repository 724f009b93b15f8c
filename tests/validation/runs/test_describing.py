"""What models are described by: equal for equal ones, in every process; other for others."""

from __future__ import annotations

import copy
import functools
import json
import os
import pickle
import subprocess
import sys
from collections import OrderedDict, namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counted_models import Counted
from described_things import Plain, things
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.decomposition import PCA
from sklearn.ensemble import AdaBoostClassifier
from sklearn.gaussian_process.kernels import RBF
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FunctionTransformer, Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from tallymark.validation.learners.by_name import learner
from tallymark.validation.runs.describing import (
    Indescribable,
    described,
    digest,
    kind_of,
    settings_of,
    settings_unseeded,
    versions_of,
)

HERE = Path(__file__).parent
X = np.arange(40.0).reshape(20, 2)
y = np.arange(20) % 2


def same(one: Any, other: Any) -> bool:
    return digest(described(one)) == digest(described(other))


def test_processes_agree_whatever_the_order_of_their_sets() -> None:
    """Two others, in which sets have other orders; all classifiers of scikit-learn are among the things."""
    started = [
        subprocess.Popen(
            [sys.executable, str(HERE / "described_things.py")],
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
        )
        for seed in ("1", "2")
    ]
    one, other = (json.loads(each.communicate()[0]) for each in started)
    assert len(one) > 60
    assert [name for name in one if one[name] != other[name]] == []
    assert len(set(one.values())) == len(one)


@pytest.mark.filterwarnings("ignore")
def test_copies_are_the_same() -> None:
    for name, each in things().items():
        if name != "method":
            assert same(each, copy.deepcopy(each)), name
            assert same(each, pickle.loads(pickle.dumps(each))), name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(DecisionTreeClassifier(), DecisionTreeClassifier(max_depth=2), id="parameter"),
        pytest.param(
            make_pipeline(StandardScaler(), LogisticRegression(C=1.0)),
            make_pipeline(StandardScaler(), LogisticRegression(C=2.0)),
            id="nested parameter",
        ),
        pytest.param(
            make_pipeline(StandardScaler()), make_pipeline(StandardScaler(), "passthrough"), id="step"
        ),
        pytest.param(LogisticRegression(C=1), LogisticRegression(C=1.0), id="whole or not"),
        pytest.param(1, True, id="one and true"),
        pytest.param([1, 2], (1, 2), id="list and tuple"),
        pytest.param([1, 2], {1, 2}, id="list and set"),
        pytest.param("a", b"a", id="text and bytes"),
        pytest.param(np.float32(1), np.float64(1), id="scalars"),
        pytest.param(np.arange(4), np.arange(4).reshape(2, 2), id="shape"),
        pytest.param(np.arange(4, dtype="i4"), np.arange(4, dtype="i8"), id="array type"),
        pytest.param(np.random.RandomState(1), np.random.RandomState(2), id="old chance"),
        pytest.param(np.random.default_rng(1), np.random.default_rng(2), id="chance"),
        pytest.param(
            np.random.default_rng(1).normal, np.random.default_rng(2).normal, id="method of an object"
        ),
        pytest.param(FunctionTransformer(np.log1p), FunctionTransformer(np.expm1), id="function"),
        pytest.param(functools.partial(np.clip, a_min=0), functools.partial(np.clip, a_min=1), id="partial"),
        pytest.param(RBF(1.0), RBF(2.0), id="kernel"),
        pytest.param(Plain(1), Plain(2), id="without get_params"),
        pytest.param({"a": 1}, OrderedDict(a=1), id="kind of mapping"),
        pytest.param(Counted(), Counted(pause=0.1), id="own"),
    ],
)
def test_others_are_other(one: Any, other: Any) -> None:
    assert same(one, copy.deepcopy(one))
    assert not same(one, other)


def test_an_object_as_chance_changes_when_it_is_used() -> None:
    chance = np.random.RandomState(1)
    before = digest(described(DecisionTreeClassifier(random_state=chance)))
    chance.normal()
    assert digest(described(DecisionTreeClassifier(random_state=chance))) != before


def test_what_a_model_has_learned_does_not_matter_for_it_learns_anew() -> None:
    fresh = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=2))
    assert same(copy.deepcopy(fresh).fit(X, y), fresh)


def test_what_a_frozen_model_has_learned_does_matter() -> None:
    from sklearn.frozen import FrozenEstimator as frozen

    one, again, other = (LogisticRegression().fit(X, classes) for classes in (y, y, X[:, 0] > 20))
    assert same(frozen(one), frozen(again))
    assert not same(frozen(one), frozen(other))
    assert not same(make_pipeline(frozen(one)), make_pipeline(frozen(other)))


def test_models_that_are_copied_whole_are_described_whole() -> None:
    """Inside a dictionary, or an object that is no estimator, scikit-learn's clone keeps what was learned."""
    one, other = LogisticRegression().fit(X, y), LogisticRegression().fit(X, X[:, 0] > 20)
    assert same([one], [other])
    assert not same({"model": one}, {"model": other})
    assert not same(Plain(one), Plain(other))


def test_gaps_between_fields_do_not_matter() -> None:
    kind = np.dtype([("a", "i1"), ("b", "f8")], align=True)
    one, other = (np.frombuffer(bytearray([fill]) * kind.itemsize, kind) for fill in (0, 255))
    for each in (one, other):
        each["a"], each["b"] = 1, 2.0
    assert bytes(one.view(np.uint8)) != bytes(other.view(np.uint8))
    assert same(one, other)


# --- what cannot be described ------------------------------------------------------------------------


class Raises(ClassifierMixin, BaseEstimator):
    def __init__(self, depth: int = 1) -> None:
        pass  # get_params finds no depth


class Steps:
    """`steps` is not always a pipeline's."""

    steps = 3


def holds_itself() -> Any:
    found = Plain([])
    found.words += [found, found]
    return found


def local() -> Any:
    def inner(table: Any) -> Any:
        return table

    return inner


Interactive = type("Interactive", (Plain,), {"__module__": "nowhere"})


@pytest.mark.parametrize(
    ("value", "why"),
    [
        pytest.param(lambda: lambda table: table, "a lambda has no name that another process", id="lambda"),
        pytest.param(local, "'inner', defined inside a function, has no name", id="local function"),
        pytest.param(lambda: (HERE / "conftest.py").open(), "of type TextIOWrapper", id="open file"),
        pytest.param(holds_itself, "holds itself", id="holds itself"),
        pytest.param(lambda: Interactive(1), "Interactive is of the module nowhere", id="no module"),
        pytest.param(lambda: (each for each in "ab"), "of type generator", id="generator"),
    ],
)
def test_what_no_other_process_could_know(value: Any, why: str) -> None:
    found = value()
    with pytest.raises(Indescribable, match=why):
        described(found)
    with pytest.raises(Indescribable, match=why):
        described(FunctionTransformer(kw_args={"deep": [found]}))
    assert settings_of(found) is None
    if hasattr(found, "close"):
        found.close()


def test_parameters_that_cannot_be_asked_for() -> None:
    with pytest.raises(Indescribable, match="get_params of Raises fails"):
        described(make_pipeline(Raises()))


def test_what_is_typed_in_is_in_no_file() -> None:
    typed = "\n".join(
        [
            "from tallymark.validation.runs.describing import described",
            "class Mine: pass",
            "try: described(Mine())",
            "except Exception as problem: print(problem)",
        ]
    )
    said = subprocess.run([sys.executable, "-c", typed], capture_output=True, text=True, check=True)
    assert said.stdout == "Mine is defined in __main__, whose code is in no file\n"


def test_deep_but_not_endless() -> None:
    deep: list[Any] = []
    for _ in range(30):
        deep = [deep]
    described(deep)
    for _ in range(60):
        deep = [deep]
    with pytest.raises(Indescribable, match="deeper than 60 levels"):
        described(deep)


# --- words ---------------------------------------------------------------------------------------


def test_kinds() -> None:
    pipeline = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    names = kind_of(pipeline).split(" > ")
    assert [name.partition(":")[2] for name in names] == [
        "Pipeline",
        "StandardScaler",
        "DecisionTreeClassifier",
    ]
    assert kind_of(Counted()) == "counted_models:Counted"
    assert kind_of(Steps()).endswith(":Steps")


def test_settings_are_with_the_parameters_that_are_tried() -> None:
    tree = DecisionTreeClassifier()
    tried = settings_of(tree, {"max_depth": 3, "criterion": "entropy"})
    assert tried == settings_of(DecisionTreeClassifier(max_depth=3, criterion="entropy"))
    assert tried == settings_of(tree, {"criterion": "entropy", "max_depth": 3})
    assert tried != settings_of(tree)


def test_settings_are_known_whatever_the_seed_and_the_preparation() -> None:
    tree = DecisionTreeClassifier(max_depth=3)
    known = settings_unseeded(tree)
    same = [
        DecisionTreeClassifier(max_depth=3, random_state=1),
        DecisionTreeClassifier(max_depth=3).fit(X, y),
        make_pipeline(StandardScaler(), tree),
        Pipeline([("nothing", "passthrough"), ("inside", make_pipeline(StandardScaler(), tree))]),
        learner("tree").set_params(model__max_depth=3),
    ]
    assert {settings_unseeded(each) for each in same} == {known}
    assert settings_unseeded(learner("tree"), {"model__max_depth": 3}) == known
    others = [
        DecisionTreeClassifier(max_depth=4),
        make_pipeline(StandardScaler(with_mean=False), tree),
        make_pipeline(PCA(1), tree),
        make_pipeline(PCA(2), tree),
        AdaBoostClassifier(tree),
    ]
    assert len({known, *map(settings_unseeded, others)}) == 6
    voters = (AdaBoostClassifier(DecisionTreeClassifier(max_depth=3, random_state=s)) for s in (0, 1))
    assert len({settings_unseeded(each) for each in voters}) == 1
    assert settings_unseeded(FunctionTransformer(lambda x: x)) is None


def test_versions_are_those_of_all_libraries_that_are_used() -> None:
    from imblearn.over_sampling import SMOTE

    sampler = SMOTE()
    import imblearn
    import sklearn

    found = versions_of(described([DecisionTreeClassifier(), sampler]))
    assert found["scikit-learn"] == sklearn.__version__
    assert found["imblearn"] == imblearn.__version__
    assert found["python"] == ".".join(map(str, sys.version_info[:2]))
    assert "imblearn" not in versions_of(described(DecisionTreeClassifier()))


Point = namedtuple("Point", "x y")


def test_tuples_with_names_are_told_with_their_kind() -> None:
    assert not same(Point(1, 2), (1, 2))
    assert same(Point(1, 2), Point(1, 2))
