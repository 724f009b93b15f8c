"""What a fit is known by: all that it depends on, and nothing else; in every process."""

from __future__ import annotations

import copy
import functools
import json
import os
import pickle
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy
import sklearn
from counted import Counted, Folder, Holds, told
from scipy.sparse import csc_matrix, csr_array, csr_matrix
from sklearn.ensemble import BaggingClassifier
from sklearn.pipeline import FunctionTransformer, Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from things import ONE_FIT, Plain, X, Y, ask, one, things, zero

import tallymark as tm
from collected import agree

HERE = Path(__file__).parent
N = len(X)
NAMES = np.array(["no", "yes"])
GROUPS = np.arange(N) // 3
FRAME = pd.DataFrame(X, columns=["a", "b", "c"])


# --- models -------------------------------------------------------------------------------------------


def test_all_sorts_of_models_are_told_apart_and_known_again(tmp_path: Path) -> None:
    """By copies; and by a process with other orders of sets, in which there are no locks."""
    folder, count = tmp_path / "runs", len(things()) + 4
    assert count > 100
    assert ask(folder) == (0, count, [])
    assert ask(folder, lambda thing: copy.deepcopy(pickle.loads(pickle.dumps(thing)))) == (count, 0, [])
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    line = [sys.executable, str(HERE / "things.py"), str(folder), "no-locks"]
    here = {"PYTHONHASHSEED": seed, "PYTHONPATH": str(HERE.parents[1])}
    other = subprocess.check_output(line, env=os.environ | here)
    assert json.loads(other) == [count, 0, []]
    assert len(Folder(folder).listed()) == 1


def test_what_was_learned_or_used_before(asked: Any) -> None:
    model = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=2))
    assert asked(model)[0] == 1
    assert asked(copy.deepcopy(model).fit(X, Y))[:2] == (0, 1)
    assert asked({"named": model, "twice": model})[:2] == (0, 2)
    assert asked({"one": Counted(), "other": Counted()})[:2] == (1, 1), "they are one model"
    gaps = np.dtype([("a", "i1"), ("b", "f8")], align=True)
    for fill, expected in ((0, (1, 0)), (255, (0, 1))):
        array = np.frombuffer(bytearray([fill]) * gaps.itemsize, gaps)
        array["a"], array["b"] = 7, 2.0
        assert asked(Holds(array))[:2] == expected, "what stands between fields does not matter"
    for function, expected in ((zero, (1, 0)), (one, (1, 0)), (zero, (0, 1))):
        assert asked(Holds(functools.lru_cache(function)))[:2] == expected
    chance = np.random.RandomState(1)
    for _ in range(2):
        assert asked(DecisionTreeClassifier(random_state=chance))[0] == 1, "it is another after it was used"
        chance.normal()


def in_a_loop(number: int) -> Any:
    def function(number: int = number) -> int:
        return number

    return function


first_of_loop, of_loop = in_a_loop(0), in_a_loop(1)
first_of_loop.__qualname__ = of_loop.__qualname__ = "first_of_loop"


class Speechless(Counted):
    """Its `steps` are no pipeline's, and it has no text."""

    steps = "of something else"

    def __repr__(self) -> str:
        raise RuntimeError("no words")


class Unasked(Plain):
    """Its parameters cannot be read."""

    def get_params(self, deep: bool = True) -> Any:  # noqa: ARG002
        raise RuntimeError("no parameters")


def unknown() -> dict[str, Any]:
    """What no other process could know, or is not what it is called."""
    itself = Plain([])
    itself.words += [itself, itself]
    return {
        "a lambda": lambda table: table,
        "a local function": in_a_loop(2),
        "something of the system": os.environ,
        "itself": itself,
        "no parameters": [[Unasked(1)]],
        "a class of no module": type("Interactive", (Plain,), {"__module__": "nowhere"})(1),
        "too deep": functools.reduce(lambda inside, _: [inside], range(90), []),
        "a default that is local": defaultdict(lambda: 0),
        "another by that name": of_loop,
        "cached lambda": functools.lru_cache(lambda: 1),
        "made by numpy": np.frompyfunc(one, 1, 1),
        "a mask": np.ma.array([1, 2], mask=[0, 1]),
        "wrapped": functools.wraps(one)(in_a_loop(2)),
    }


def test_what_no_other_process_could_know_is_made_anew_and_told_once(asked: Any, snapshot: Any) -> None:
    asked(Counted())
    found = {name: asked({"unknown": Holds(thing), "known": Counted()}) for name, thing in unknown().items()}
    again = {name: asked({"unknown": Holds(thing), "known": Counted()}) for name, thing in unknown().items()}
    agree({name: (again[name], (1, 1, said[:1])) for name, (_, _, said) in found.items()})
    snapshot("run_folder_unknown_models", {name: "\n".join(said) for name, (_, _, said) in found.items()})


# --- the question ------------------------------------------------------------------------------------------

QUESTIONS: dict[str, dict[str, Any]] = {
    "seed": {"random_state": 1},
    "training rows": {"cv": [(np.arange(19), np.arange(20, 30))]},
    "order of training rows": {"cv": [(np.arange(19)[::-1], np.arange(20, 30))]},
    "test rows": {"cv": [(np.arange(20), np.arange(21, 30))]},
    "sampler": {"sampler": tm.Oversampling()},
    "numbers of training rows": {"metric": "auc"},
    "a class of a row": {"y": np.where(np.arange(N) == 5, 1 - Y, Y)},
    "classes as text": {"y": NAMES[Y], "pos_label": "yes"},
    "classes as booleans": {"y": Y.astype(bool)},
    "order of labels": {"labels": [1, 0]},
    "another label": {"labels": [0, 1, 2], "pos_label": 1},
    "positive class": {"pos_label": 0},
    "groups": {"groups": GROUPS},
    "a parameter": {"model": DecisionTreeClassifier(max_depth=2)},
}


def test_every_part_of_the_question_makes_another_fit(asked: Any) -> None:
    same = {"model": DecisionTreeClassifier()}
    assert asked(**same)[0] == 1
    agree({name: (asked(**{**same, **options})[:2], (1, 0)) for name, options in QUESTIONS.items()})
    agree({name: (asked(**{**same, **options})[:2], (0, 1)) for name, options in QUESTIONS.items()})
    # All rows that are not tested are learned in their order, whatever the order in which they are given.
    assert asked(**same, cv=[(np.arange(20)[::-1], np.arange(20, 30))])[:2] == (0, 1)
    two = {"cv": [(np.arange(20, 30), np.arange(20)), *ONE_FIT["cv"]]}
    assert asked(**same, **two)[:2] in ((2, 0), (1, 1)), "the place of a fold may be part of its seed"
    with sklearn.config_context(transform_output="pandas"):
        assert asked(**same)[0] == 1, "settings of scikit-learn are seen by models"


def test_other_versions_of_libraries_are_told_and_made_anew(
    asked: Any, monkeypatch: pytest.MonkeyPatch, snapshot: Any, tmp_path: Path
) -> None:
    assert asked(Counted()) == (1, 0, [])
    with monkeypatch.context() as patch:
        patch.setattr(scipy, "__version__", "0.1")
        made, found, said = asked(Counted())
        assert (made, found, len(said)) == (1, 0, 1)
    assert asked(Counted()) == (0, 1, []), "the first one is still there"
    text = said[0].replace(str(tmp_path), "HERE").replace(scipy.__version__, "VERSION")
    snapshot("run_folder_other_versions", {"scipy": text})


def test_tuning_inside_knows_its_folds_grid_and_groups(tmp_path: Path) -> None:
    """A permutation test that chooses parameters inside every fit."""
    grid = {"var_smoothing": [1e-9, 1e-3]}
    used = tm.RunFolder(tmp_path / "runs")
    for options in (
        {"param_grid": grid, "inner_cv": 2},
        {"param_grid": grid, "inner_cv": 3},
        {"param_grid": {"var_smoothing": [1e-9, 1e-2]}, "inner_cv": 2},
        {"param_grid": grid, "inner_cv": 2, "groups": GROUPS},
        {"param_grid": grid, "inner_cv": 2, "metric": "balanced_accuracy"},
    ):
        for expected in ((6, 0), (0, 6)):
            tm.permutation_test(Counted(), X, Y, n_permutations=2, cv=2, **options, run_folder=used)
            assert (used.used.made, used.used.found) == expected, options
    orders = ({"max_depth": [2], "criterion": ["entropy"]}, {"criterion": ["entropy"], "max_depth": [2]})
    counts = []
    for order in orders:
        tm.tune(DecisionTreeClassifier(), X, Y, order, cv=2, inner_cv=2, run_folder=used)
        counts.append(used.used.made)
    assert counts[0] > 0 == counts[1], "the order in which parameters are named does not matter"


# --- data ---------------------------------------------------------------------------------------------------


def attributes(table: pd.DataFrame) -> pd.DataFrame:
    found = table.copy()
    found.attrs["unit"] = "m"
    return found


def fields(*names: str) -> Any:
    found = np.zeros(N, [(name, "f8") for name in names])
    found["a"] = X[:, 0]
    return found


def changed(value: float) -> Any:
    found = X.copy()
    found[3, 1] = value
    return found


def pandas_frames() -> list[Any]:
    text, integers = FRAME.assign(c=NAMES[Y]), pd.Series(Y).astype("Int64")
    objects, second = text.c.astype(object), text.index == 1
    vectors = [np.r_[np.zeros(1500), value] for value in Y]
    categories = (NAMES, NAMES[::-1], [*NAMES, "maybe"])
    dates = pd.date_range("2020-01-01", periods=N)
    indexes = [
        *(range(1, 31), range(0, 60, 2), list("abcdefghijklmnopqrstuvwxyz0123"), dates),
        *(dates.tz_localize("UTC"), pd.MultiIndex.from_product([range(5), range(6)])),
    ]
    third = [
        *(pd.Categorical(text.c, categories=names) for names in categories),
        pd.Categorical(text.c, categories=NAMES, ordered=True),
        *(text.c.mask(second), text.c.astype("string"), objects),
        *(objects.mask(second, gap) for gap in (None, np.nan, pd.NA, "<NA>")),
        *(Y, Y.astype("i4"), Y.astype(bool), integers, integers.mask(second), dates),
        *(pd.Series(Y).astype(kind) for kind in ("boolean", "int64[pyarrow]")),
        *(pd.Series(values) for values in ([[0, y] for y in Y], vectors, [1 - vector for vector in vectors])),
    ]
    return [
        *(FRAME, FRAME.rename(columns={"a": "z"}), FRAME[["b", "a", "c"]], text),
        *(FRAME.astype({"a": kind}) for kind in ("float32", "Float64")),
        FRAME.assign(a=FRAME.a.mask(second)),
        *(FRAME.set_axis(names, axis=1) for names in ([0, 1, 2], ["0", "1", "2"], ["a", "a", "c"])),
        *(FRAME.set_axis(index) for index in indexes),
        *(FRAME.rename_axis(columns="names"), FRAME.rename_axis("row"), attributes(FRAME)),
        *(text.assign(c=column) for column in third),
    ]


def tables() -> list[Any]:
    """All of them are others to a model that looks closely."""
    named = pl.DataFrame(X, schema=["a", "b", "c"])
    series = [
        *(pl.Series(NAMES[Y]), pl.Series(Y).cast(pl.Date), pl.Series(Y).cast(pl.Boolean)),
        *(pl.Series(NAMES[Y]).cast(pl.Enum(list(names))) for names in (NAMES, NAMES[::-1])),
        *(pl.Series([[first, y] for y in Y]) for first in (0.0, 1.0)),
        *(pl.Series([np.arange(3) + sign * y for y in Y], dtype=pl.Object) for sign in (1, -1)),
    ]
    coded = ((pa.array(Y), ["no", "yes"]), (pa.array(1 - Y), ["yes", "no"]))
    arrow = pa.table({"a": X[:, 0]})
    return [
        *(X, changed(X[3, 1] + 1e-9), changed(np.nan), X[::-1], X[:, ::-1], X.astype("f4"), X.tolist()),
        *(csr_matrix(X), csr_matrix(2 * X), csc_matrix(X), csr_array(X), csr_matrix(X.astype("f4"))),
        *pandas_frames(),
        *(named, named.with_columns(pl.col("a").cast(pl.Float32))),
        *(pl.DataFrame({"a": column}) for column in series),
        *(arrow, arrow.replace_schema_metadata({"unit": "m"}), pa.table({"a": NAMES[Y]})),
        *(pa.table({"a": pa.DictionaryArray.from_arrays(*codes)}) for codes in coded),
        *(fields("a", "b"), fields("b", "a")),
    ]


def test_tables_are_told_apart_by_all_that_models_see(asked: Any) -> None:
    given = {str(number): (table, Y) for number, table in enumerate(tables())}
    assert len(given) > 65
    assert asked({"m": Holds()}, given) == (len(given), 0, [])
    assert asked({"m": Holds()}, given) == (0, len(given), [])


def test_the_same_rows_are_the_same_however_they_are_held(asked: Any, tmp_path: Path) -> None:
    np.save(tmp_path / "X.npy", X)
    mixed = csr_matrix(X + 1)
    mixed.indices[:3], mixed.data[:3] = mixed.indices[2::-1].copy(), mixed.data[2::-1].copy()
    mixed.has_sorted_indices = False
    FRAME.assign(word=[None, *NAMES[Y][1:]]).to_csv(tmp_path / "table.csv", index=False)
    for first, *others in (
        [(X, Y), (X.copy(), Y.copy()), (np.asfortranarray(X), Y.tolist()), (X, pd.Series(Y))],
        [(np.load(tmp_path / "X.npy", mmap_mode="r"), Y), (X, Y)],
        [(csr_matrix(X + 1), Y), (mixed, Y)],
        *([(library.read_csv(tmp_path / "table.csv"), Y)] * 2 for library in (pd, pl)),
    ):
        asked(Holds(), *first)
        assert [asked(Holds(), *other)[:2] for other in others] == [(0, 1)] * len(others)


def test_features_that_no_other_process_could_know(asked: Any) -> None:
    class Opaque:
        def __reduce_ex__(self, _: Any) -> Any:
            raise TypeError("never")

    # A mask may hold more than its values.
    for table in ([[Opaque()] for _ in range(N)], np.ma.array(X, mask=X > 1)):
        found = [asked({"a": Holds(), "b": Holds(1)}, table) for _ in range(2)]
        assert found == [(2, 0, found[0][2])] * 2
        assert len(found[0][2]) == 1, "told once"


def test_other_data_find_nothing_and_break_nothing(asked: Any, tmp_path: Path) -> None:
    """Also data sets that lie in memory where others have lain."""
    for number in range(20):
        assert asked(Counted(), X + number)[:2] == (1, 0)
    assert asked(Counted(), {"one": (X, Y), "other": (X + 1, Y)})[:2] == (0, 2)
    kept, alone = (tm.validate(Counted(), X + 1, Y, cv=3, run_folder=to) for to in (tmp_path / "runs", None))
    assert told(kept) == told(alone)


# --- what a run says of its models and rows -----------------------------------------------------------------


def test_settings_that_were_chosen_before_are_known_again(tmp_path: Path) -> None:
    """Whatever the seed, the preparation and the container; a finding names the models that have them."""
    tree, numbers = DecisionTreeClassifier(max_depth=3), changed(np.nan)
    scaled = make_pipeline(StandardScaler(), tree)
    same = {
        "tree": tree,
        "a seed": DecisionTreeClassifier(max_depth=3, random_state=1),
        "fitted": DecisionTreeClassifier(max_depth=3).fit(X, Y),
        "nested": Pipeline([("nothing", "passthrough"), ("inside", scaled)]),
        "prepared": make_pipeline(tm.Preparation(), tree),
    }
    others = {
        "uncentred": make_pipeline(StandardScaler(with_mean=False), tree),
        "unknown": make_pipeline(FunctionTransformer(lambda x: x), tree),
        "deeper": DecisionTreeClassifier(max_depth=4),
        "bagged": BaggingClassifier(tree),
    }
    frame = pd.DataFrame(numbers, columns=["x0", "x1", "x2"])
    containers = [np.asfortranarray(numbers), frame, frame.convert_dtypes(), pl.DataFrame(frame)]
    tables = [numbers[:, ::-1], numbers[::-1], numbers[:, :1], numbers + 1, np.nan_to_num(numbers)]
    given: dict[str, Any] = {"cv": 2, "run_folder": tm.RunFolder(tmp_path / "runs", tell=lambda _: None)}
    tm.tune(DecisionTreeClassifier(), numbers, Y, {"max_depth": [3]}, inner_cv=2, **given)

    def chosen(models: Any, table: Any) -> list[str]:
        found = tm.validate(models, table, Y, **given, baseline=False).findings
        return [name for each in found if each.code == "TM025" for name in each.numbers["chosen_before"]]

    assert chosen(same | others, numbers) == list(same)
    expected = [["tree"]] * len(containers) + [[]] * len(tables)
    assert [chosen({"tree": tree}, table) for table in (*containers, *tables)] == expected


def test_a_model_without_words_is_known_again_and_shown(tmp_path: Path) -> None:
    folder, grid = Folder(tmp_path / "runs"), {"var_smoothing": [1e-9, 0.1]}
    for _ in range(2):
        tm.tune(Speechless(), X, Y, grid, cv=2, inner_cv=2, run_folder=folder.run_folder)
    (about,) = folder.shown()["models"]
    assert (folder.run_folder.used.made, about["text"]) == (0, "Speechless")
