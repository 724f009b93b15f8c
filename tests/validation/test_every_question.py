"""What `validate`, `tune`, `learning_curve` and `permutation_test` have in common: options, seeds, files."""

from __future__ import annotations

import json
import pickle
from functools import partial

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from scored import classes, refusals
from scripted_models import Constant, without_times

Y = np.arange(40) % 2
X = np.random.default_rng(0).normal(size=(40, 3)) + Y[:, None]
TREE = DecisionTreeClassifier(max_features=1)  # its chance is left to the run
QUESTIONS = {
    "validate": partial(tm.validate, cv=3, metrics=["auc"]),
    "tune": partial(tm.tune, param_grid={"max_depth": [1, 3]}, cv=2, inner_cv=2),
    "learn": partial(tm.learning_curve, n_repeats=2, schedule=[10, 20]),
    "permute": partial(tm.permutation_test, n_permutations=4),
}


@pytest.fixture(scope="module")
def results():
    made = {name: ask(TREE, X, Y) for name, ask in QUESTIONS.items()}
    return made | {"several data sets": tm.validate(TREE, {"a": (X, Y), "b": (X[:30], Y[:30])}, cv=2)}


def keys(part, at):
    """The names in a JSON document, one line for each object."""
    if isinstance(part, list) and part:
        yield from keys(part[0], f"{at}[]")
    if isinstance(part, dict):
        yield f"{at}: {', '.join(part)}"
        for name, each in part.items():
            yield from keys(each, f"{at}.{name}")


def test_options_are_refused_alike_and_before_anything_is_fitted(snapshot):
    words, groups = np.where(Y, "ill", "well"), np.array([1.0, None] * 20)
    cases = {
        "no such metric": {"metric": "acuracy"}, "no such argument": {"metrik": "auc"},
        "no costs": {"metric": "mean_cost"}, "a metric of label sets": {"metric": "hamming_loss"},
        "costs in no stated order": {"metric": "mean_cost", "costs": [[0, 1], [1, 0]]},
        "recall of no class": {"y": words, "metric": "recall"},
        "auc of no class": {"y": words, "metric": "auc"}, "a file's argument": {"missing": "drop"},
        "seed": {"random_state": -1}, "level": {"confidence_level": 2}, "sampler": {"sampler": "twice"},
        "workers": {"n_jobs": 0}, "a class for a model": {"model": Constant}, "folds": {"cv": "kfolds:3"},
        "one fold": {"cv": 1}, "rows of another number": {"X": X[:9]}, "one class": {"y": [1] * 40},
        "other labels": {"labels": ["a", "b"]}, "missing classes": {"y": [None, 1] * 20},
        "missing groups": {"groups": groups}, "missing entities": {"groups": np.column_stack((Y, groups))},
        "groups of several types": {"groups": np.array([1, "a"] * 20, object)},
    }  # fmt: skip
    errors = {
        "no such metric": "MetricError", "a metric of label sets": "MetricError", "one class": "LabelError",
        "costs in no stated order": "CostError", "rows of another number": "ShapeError",
        "missing classes": "MissingValueError", "missing groups": "MissingValueError",
        "missing entities": "MissingValueError", "recall of no class": "LabelError",
        "other labels": "LabelError", "auc of no class": "LabelError",
        "groups of several types": "LabelError",
    }  # fmt: skip
    functions = {
        "validate": tm.validate, "tune": partial(tm.tune, param_grid={"label": ["fails"]}),
        "learn": tm.learning_curve, "permute": partial(tm.permutation_test, n_permutations=3),
    }  # fmt: skip
    usual, texts = {"model": Constant("fails"), "X": X, "y": Y}, {}
    for question, ask in functions.items():
        given = {case: usual | options for case, options in cases.items()}
        texts[question] = refusals(
            {case: partial(ask, each.pop("model"), **each) for case, each in given.items()}
        )
    assert classes(texts["validate"]) == dict.fromkeys(cases, "OptionError") | errors
    other = [(each, case) for each in texts for case in cases if texts[each][case] != texts["validate"][case]]
    assert not other
    snapshot("questions_errors", texts["validate"])


def test_no_seed_is_the_seed_0_and_copies_are_whole(results):
    wrong = []
    for name, ask in QUESTIONS.items():
        zero, one = (ask(TREE, X, Y, random_state=seed) for seed in (0, 1))
        forms = [without_times(each.to_dict()) for each in (results[name], zero, one)]
        wrong += [] if forms[0] == forms[1] != forms[2] else [name]
    for name, result in results.items():
        copy = pickle.loads(pickle.dumps(result))
        wrong += (
            [] if (str(copy), copy.to_json()) == (str(result), result.to_json()) else [f"{name}, pickled"]
        )
    assert not wrong


def test_results_are_saved_by_suffix_and_are_tables_of_any_library(results, tmp_path, snapshot):
    wrong, names = [], {}
    for name, result in results.items():
        pixels = (".png", ".pdf") if name == "validate" else ()
        for suffix in (".txt", ".md", ".tex", ".json", ".csv", ".svg", ".html", *pixels):
            path = tmp_path / f"{name}{suffix}"
            result.save(path)
            wrong += [] if path.stat().st_size > 200 else [path.name]
        assert json.loads((tmp_path / f"{name}.json").read_text("utf-8")) == result.to_dict()
        head = (tmp_path / f"{name}.csv").read_text("utf-8").partition("\n")[0].split(",")
        for library in ("polars", "pandas", "pyarrow"):
            frame = result.to_frame(library)
            columns = frame.column_names if library == "pyarrow" else [*frame.columns]
            wrong += (
                []
                if (type(frame).__module__.split(".")[0], columns) == (library, head)
                else [(name, library)]
            )
        form = result.to_dict()
        assert next(iter(form)) == "schema"
        names[name] = "\n".join([form["schema"], *keys(form, "document"), f"columns: {', '.join(head)}"])
        shown = result._repr_mimebundle_()
        wrong += [] if list(shown) == ["text/plain", "text/markdown", "text/html"] else [(name, "shown")]
        with pytest.raises(tm.OptionError):
            result.figure("pie")
    assert not wrong
    snapshot("questions_fields", names)
