"""`tallymark tune`: the best parameters, and what they are worth on rows that took no part."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from tallymark.cli import tune
from tallymark.cli.learning import Range, parameters

ROWS = 60
RANDOM = np.random.default_rng(7)
Y = np.arange(ROWS) % 2
X = (RANDOM.normal(0, 1, (ROWS, 2)) + 1.1 * Y[:, None]).round(4)
CALL = ("tune", "rows.csv", "--target", "y")
TREE = (*CALL, "--model", "own_for_tune:tree", "--param", "max_depth=1,2,4")
MODULE = """
from sklearn.tree import DecisionTreeClassifier

def tree():
    return DecisionTreeClassifier(random_state=0)
"""


@pytest.fixture(autouse=True)
def files(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": Y}).write_csv("rows.csv")
    Path("own_for_tune.py").write_text(MODULE)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "own_for_tune", raising=False)


def test_nested_as_scikit_learn_has_it(run: Any) -> None:
    form = run(*TREE, "--method", "nested:4x3", "--seed", "2", "--json").json
    inner = StratifiedKFold(3, shuffle=True, random_state=2)
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 4]}, cv=inner)
    promised, kept = [], []
    for train, test in StratifiedKFold(4, shuffle=True, random_state=2).split(X, Y):
        search.fit(X[train], Y[train])
        promised.append(search.best_score_)
        kept.append(search.score(X[test], Y[test]))
    search.fit(X, Y)
    assert form["schema"] == "tallymark/tuning/1"
    assert form["best"]["parameters"] == search.best_params_
    assert [fold["inner"] for fold in form["folds"]] == pytest.approx(promised)
    assert [fold["outer"] for fold in form["folds"]] == pytest.approx(kept)
    assert form["optimism"]["value"] == pytest.approx(np.mean(promised) - np.mean(kept))


def test_three_way(run: Any) -> None:
    form = run(*TREE, "--method", "three-way:0.25,20%", "--json").json
    (fold,) = form["folds"]
    assert (fold["n_train"], fold["n_test"]) == (48, 12)
    assert form["inner"]["method"] == "33 rows to learn, 15 to choose by, 12 to test on"


def test_what_is_usually_tried(run: Any) -> None:
    form = run(*CALL, "--model", "knn", "--method", "three-way", "--json")
    assert form.code in (0, 3)
    text = run(*CALL, "--model", "bayes", "--method", "three-way").out
    assert "var_smoothing" in text


def test_drawn_at_random(run: Any) -> None:
    call = (*CALL, "--model", "logistic", "--method", "three-way", "--param", "C=log:0.01,100", "--random")
    three, five = (run(*call, n, "--json").json["candidates"] for n in ("3", "5"))
    drawn = [candidate["parameters"]["C"] for candidate in five]
    assert len(set(drawn)) == 5
    assert all(0.01 <= value <= 100 for value in drawn)
    assert [candidate["parameters"] for candidate in three] == [each["parameters"] for each in five[:3]]
    assert run(*call, "3", "--seed", "1", "--json").json["candidates"] != three


def test_stopping_early_gives_the_same_choice(run: Any) -> None:
    call = (*TREE, "--param", "ccp_alpha=0,0.4", "--method", "nested:3x4", "--json")
    whole, early = run(*call).json, run(*call, "--early-stop").json
    for key in ("best", "promised", "kept", "optimism", "folds"):
        assert early[key] == whole[key], key
    assert early["stopped"]["saved"] > 0
    assert early["fits"] == whole["fits"] - early["stopped"]["saved"]
    assert (whole["early_stop"], whole["stopped"]) == (False, None)


def test_stopping_early_draws_no_more_than_are_needed(run: Any) -> None:
    call = (*CALL, "--model", "bayes", "--method", "three-way", "--param", "var_smoothing=log:1e-9,1.0")
    form = run(*call, "--random", "5000", "--early-stop", "--json").json
    assert len(form["candidates"]) == 59
    assert form["stopped"]["draws"]["asked_for"] == 5000
    assert "draws stopped at 59 of the 5,000 asked for" in form["notes"][0]


@pytest.mark.parametrize("number", ["-2", "0"])
def test_at_least_one_draw(run: Any, number: str) -> None:
    result = run(*TREE, "--random", number)
    assert result.code == 2
    assert f"--random {number} tries nothing; a number from 1 up is expected." in result.err


def test_parameters_have_the_names_that_were_typed(run: Any) -> None:
    call = (*CALL, "--model", "tree", "--method", "three-way")
    for typed in ("max_depth", "model__max_depth"):
        result = run(*call, "--param", f"{typed}=1,2", "-o", f"{typed}.csv")
        assert result.code == 0
        assert pl.read_csv(f"{typed}.csv")[f"param_{typed}"].to_list() == [1, 2]
        assert set(run(*call, "--param", f"{typed}=1,2", "--json").json["best"]["parameters"]) == {typed}
    assert "model__" not in run(*call, "--param", "max_depth=1,2").out


def test_several_models(run: Any) -> None:
    call = (*CALL, "--model", "tree", "--model", "near=knn", "--method", "three-way")
    form = run(*call, "--param", "tree.max_depth=1,2", "--param", "near.n_neighbors=3", "--json").json
    tried = [(candidate["model"], candidate["parameters"]) for candidate in form["candidates"]]
    assert tried == [
        ("tree", {"max_depth": 1}),
        ("tree", {"max_depth": 2}),
        ("near", {"n_neighbors": 3}),
    ]


def test_fits_that_fail_are_exit_code_3(run: Any) -> None:
    result = run(*CALL, "--model", "tree", "--param", "max_depth=-1,2", "--method", "three-way")
    assert result.code == 3
    assert result.err.startswith("tallymark: 1 of 3 fits failed: InvalidParameterError: ")
    assert result.err.count("\n") == 1
    assert "max_depth" in result.out


def test_the_report(run: Any) -> None:
    text = run(*TREE).out
    for said in ("promised", "kept", "optimism", "Candidates", "max_depth", "5-fold"):
        assert said in text, said
    assert all(len(line) <= 100 for line in text.splitlines())


def test_pictures_and_table(run: Any) -> None:
    for kind in tune.KINDS:
        assert run(*TREE, "--picture", kind, "-o", f"{kind}.png").code == 0
        assert Path(f"{kind}.png").read_bytes().startswith(b"\x89PNG")
    assert run(*TREE, "-o", "tried.csv").err == "wrote tried.csv\n"
    assert len(pl.read_csv("tried.csv")) == 3


def test_names_of_pictures_are_the_real_ones() -> None:
    import tallymark as tm

    found = tm.tune(DecisionTreeClassifier(), X, Y, {"max_depth": [1, 2]}, method="three-way")
    assert tuple(found.figures()) == tune.KINDS


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a=1,2", [1, 2]),
        ("a=0.5,1e-3", [0.5, 0.001]),
        ("a=-1", [-1]),
        ("a=true,False,NONE", [True, False, None]),
        ("a=sqrt,log2,0.5", ["sqrt", "log2", 0.5]),
        ('a="x,y",z', ["x,y", "z"]),
        ("a=b=c", ["b=c"]),
        ("a=inf,nan", ["inf", "nan"]),
        ("a=log:1,100", Range("log", 1, 100)),
    ],
    ids=["whole", "numbers", "negative", "words", "text", "comma", "equals", "no numbers", "range"],
)
def test_values_of_a_parameter(text: str, values: Any) -> None:
    found = parameters([text])
    assert found == {"a": values}
    if isinstance(values, list):
        assert [type(value) for value in found["a"]] == [type(value) for value in values]


@pytest.mark.parametrize("kind", ["uniform", "log"])
def test_ranges(kind: str) -> None:
    random = np.random.default_rng(0)
    whole = [Range(kind, 1, 4)(random) for _ in range(200)]
    assert set(whole) == {1, 2, 3, 4}
    between = [Range(kind, 0.5, 8.0)(random) for _ in range(400)]
    assert all(0.5 <= value <= 8 for value in between)
    # Half of the draws lie below the middle: of the numbers, or of their logarithms.
    middle = 4.25 if kind == "uniform" else 2.0
    assert np.mean([value < middle for value in between]) == pytest.approx(0.5, abs=0.1)
