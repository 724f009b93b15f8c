"""Findings about data, folds and choices (TM018 to TM025): each on its case, and silent otherwise."""

from __future__ import annotations

import datetime
import json
import pickle
import shutil

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import coo_array, csc_matrix, csr_matrix
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_circles,
    make_classification,
)
from sklearn.decomposition import PCA
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import StackingClassifier
from sklearn.feature_selection import SelectFromModel
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, LeaveOneGroupOut
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, PolynomialFeatures, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from collected import agree
from watched import Watched

IRIS = load_iris(return_X_y=True)
RANDOM = np.random.default_rng(4)
X = RANDOM.normal(size=(200, 3))
Y = np.where(X[:, 0] + RANDOM.normal(size=200) > 0, "yes", "no")
OTHER = np.where(Y == "yes", "no", "yes")
TWICE, FIRST, AGAIN = np.r_[0:200, 0:20], np.arange(200), np.arange(200, 220)
NEAREST, BAYES = KNeighborsClassifier(1), GaussianNB()


def codes(result):
    return [each.code for each in result.findings]


def about(result, code):
    """The numbers of the one finding of a code; None where there is none."""
    found = [each.numbers for each in result.findings if each.code == code]
    assert len(found) <= 1
    return found[0] if found else None


def standardised(features):
    return StandardScaler().fit_transform(features)


def between_0_and_1(features):
    return MinMaxScaler().fit_transform(features)


def audited(features, y, cv=10, **options):
    """The codes, of a model that does not matter."""
    return codes(tm.validate(Watched(), features, y, cv=cv, baseline=False, **options))


def test_copies_by_hand():
    # The first 20 rows stand again at the end: one fold tests the end, and all of it was learned.
    found = about(tm.validate(NEAREST, X[TWICE], Y[TWICE], cv=[(FIRST, AGAIN)]), "TM018")
    names = ("rows", "test_rows", "share", "pairs", "other_class")
    assert [found[name] for name in names] == [20, 20, 1, 20, 0]
    # Beside 50 others: what models get right of either.
    test = np.r_[AGAIN, 100:150]
    train = np.setdiff1d(np.arange(220), test)
    models = {"nearest": NEAREST, "bayes": BAYES}
    found = about(tm.validate(models, X[TWICE], Y[TWICE], cv=[(train, test)]), "TM018")
    alone = NEAREST.fit(X[TWICE][train], Y[TWICE][train]).score(X[100:150], Y[100:150])
    assert (found["rows"], found["test_rows"]) == (20, 70)
    assert found["scores"]["nearest"] == {"copies": 1.0, "others": pytest.approx(alone)}
    assert set(found["scores"]) == {"nearest", "bayes"}
    # Equal features with another class are counted, and alone let pass.
    rows, y = np.r_[TWICE, 20:25], np.r_[Y[TWICE], OTHER[20:25]]
    found = about(tm.validate(NEAREST, X[rows], y, cv=[(FIRST, np.arange(200, 225))]), "TM018")
    assert (found["rows"], found["other_class"]) == (20, 5)
    costs = {"yes": {"no": 1}, "no": {"yes": 1}}
    for asked, told in (("error_rate", "error_rate"), ("auc", "accuracy"), ("total_cost", "accuracy")):
        result = tm.validate(NEAREST, X[TWICE], Y[TWICE], cv=5, metric=asked, pos_label="yes", costs=costs)
        assert about(result, "TM018")["metric"] == told


def test_where_copies_are_found():
    three, two = ([(np.arange(100), np.arange(100, 100 + n))] for n in (3, 2))
    random, few = np.random.default_rng(4), np.r_[0:100, 0:3]
    coarse = random.integers(0, 2, (200, 3))
    texts = np.array([f"row {n} is about the value {x:.2f}" for n, x in enumerate(X[:, 0])])
    names = np.eye(4)[random.integers(0, 4, (200, 3))].reshape(200, -1)
    wide = np.c_[names, random.integers(18, 80, 200), X[:, 0]]
    holes = np.where(random.random((200, 6)) < 0.5, np.nan, random.normal(size=(200, 6)))
    lists = np.empty(200, object)
    lists[:] = [[1, 2]] * 200
    table = {
        "whole": (X, Y, {}, []), "pasted": (X[TWICE], Y[TWICE], {}, ["TM018"]),
        "together": (X[TWICE], Y[TWICE], {"groups": TWICE // 5}, []),
        "another class": (X[TWICE], np.r_[Y, OTHER[:20]], {}, []),
        "drawn twice": (X, Y, {"cv": "bootstrap:5"}, []),
        "pasted and drawn": (X[TWICE], Y[TWICE], {"cv": "bootstrap:5"}, ["TM018"]),
        "in no fold": (X[TWICE], Y[TWICE], {"cv": [(np.arange(100), np.arange(100, 200))]}, []),
        "three": (X[few], Y[few], {"cv": three}, ["TM018"]),
        "two": (X[few[:-1]], Y[few[:-1]], {"cv": two}, []),
        "texts": (texts[TWICE].tolist(), Y[TWICE], {}, ["TM018"]), "lists in cells": (lists, Y, {}, []),
        "nothing but a count": (np.c_[0:200], Y, {}, []),
        "coarse columns beside": (np.c_[X[:, :2], coarse][TWICE], Y[TWICE], {}, ["TM018"]),
        "one column of many values": (wide[TWICE], Y[TWICE], {}, ["TM018"]),
        "columns with many gaps beside": (np.c_[X[:, :2], holes][TWICE], Y[TWICE], {}, ["TM018"]),
        "sentences in a table": (pl.DataFrame({"text": texts[TWICE]}), Y[TWICE], {}, ["TM018"]),
        "two unrelated names": (X[TWICE, :2].round(2).astype(str).tolist(), Y[TWICE], {}, ["TM018"]),
        "huge": (np.array([[1e308, 1.0], [-1e308, 2.0], [3e307, 5.0]] * 9), Y[:27], {}, []),
        "polynomials": (PolynomialFeatures(2).fit_transform(X)[TWICE], Y[TWICE], {}, ["TM018"]),
    }  # fmt: skip
    agree({name: (audited(X, y, **options), expected) for name, (X, y, options, expected) in table.items()})


def test_whatever_holds_the_rows_and_their_values():
    holed, words = np.where(np.abs(X) > 2, np.nan, X), np.array(["x", "y", None], object)[np.arange(200) % 3]
    frame = pd.DataFrame(holed, columns=[*"abc"]).assign(word=words)
    random, number = np.random.default_rng(5), np.arange(220)
    pixels = (random.random((200, 4, 4, 1)) * 256).astype(np.uint8)
    counts = np.array([np.bincount(random.integers(0, 2000, 30), minlength=2000) for _ in range(200)])
    kinds = {
        "pandas": frame, "nullable": frame.convert_dtypes(), "categories": frame.astype({"word": "category"}),
        "polars": pl.from_pandas(frame), "pyarrow": pa.Table.from_pandas(frame),
        "objects": frame.to_numpy(object), "lists": frame.to_numpy(object).tolist(), "pictures": pixels,
        **{made.__name__: made(counts) for made in (csr_matrix, csc_matrix, coo_array)},
    }  # fmt: skip

    def at(kind, rows):
        each = kinds[kind]
        if isinstance(each, list):
            return [each[row] for row in rows]
        if kind == "coo_array":
            return coo_array(each.tocsr()[rows])
        if kind == "pyarrow":
            return each.take(rows)
        return each.iloc[rows] if hasattr(each, "iloc") else each[rows]

    found = {kind: (audited(at(kind, TWICE), Y[TWICE]), audited(at(kind, FIRST), Y)) for kind in kinds}
    assert found == dict.fromkeys(kinds, (["TM018"], []))
    # A value of the first rows, one of their copies, and whether they are equal.
    day, other = datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)
    missing = np.datetime64("NaT")
    values = [(0.0, -0.0, True), (missing, missing, True), (np.nan, -np.nan, True), (1, 1.0, True),
              (2**62, 2**62 + 1, False), (2**63, 2**63 + 1, False), (-1, -2, False), ("a", "ab", False),
              (None, np.nan, True), (-1, "-1", False), (day, other, False), (day, day, True),
              (True, False, False)]  # fmt: skip
    wrong = []
    for one, again, equal in values:
        rows = np.c_[X[np.r_[0:60, 0:60]].astype(object), np.array([one] * 60 + [again] * 60, object)]
        wrong += [] if audited(rows, np.r_[Y[:60], Y[:60]]) == ["TM018"] * equal else [(one, again)]
    assert not wrong
    turned = np.r_[X[:60], X[:60, ::-1]]
    assert audited(turned, np.r_[Y[:60], Y[:60]]) == []
    # The same rows are written otherwise: entries in two halves, zeros that are written down.
    thin, zeros = csr_matrix(counts[TWICE]), np.arange(200)
    times = 1 + (np.arange(thin.nnz) < thin.indptr[200])
    values, at = np.repeat(thin.data / times, times), np.repeat(thin.indices, times)
    halves = csr_matrix((values, at, np.r_[0, np.cumsum(times)][thin.indptr]), shape=thin.shape)
    rows, places = thin.nonzero()
    parts = np.r_[thin.data, 0 * zeros], (np.r_[rows, zeros], np.r_[places, 0 * zeros])
    assert audited(halves, Y[TWICE]) == audited(coo_array(parts, shape=thin.shape), Y[TWICE]) == ["TM018"]
    assert halves.nnz == len(values), "what was given stays as it was"
    # Of all pairs of rows of small whole numbers, whose bits have most in common, only copies are equal.
    cells = np.unique(random.integers(0, 300, (4000, 5)), axis=0)
    cells = random.permutation(cells)[np.r_[0:3900, 0:40]]
    for kind in (int, float):
        found = tm.validate(Watched(), cells.astype(kind), np.arange(3940) % 3900 % 2, cv=10)
        assert about(found, "TM018")["pairs"] == 40
    # A column that counts rows is not looked at: it would hide all copies.
    counting = {
        "count": number, "any order": random.permutation(number), "names": [f"p{n:03}" for n in number],
    }  # fmt: skip
    others = {"wide": number * 1000, "not whole": number + 0.5, "names": [f"{n % 2}{n:03}" for n in number]}
    others["gaps"] = [None, *range(1, 220)]
    for columns, expected in ((counting, ["TM018"]), (others, [])):
        for name, column in columns.items():
            assert audited(pd.DataFrame(X[TWICE]).assign(n=column), Y[TWICE]) == expected, name


def test_equal_rows_of_columns_that_follow_from_others_or_are_coarse_are_let_pass():
    random = np.random.default_rng(2)
    age, items = random.integers(18, 80, 600), random.integers(0, 5, (600, 4))
    height, day = np.rint(random.normal(172, 8, 600)), random.integers(0, 365, 3000) * 2 * np.pi / 365
    weight = np.rint(22 * (height / 100) ** 2 + random.normal(0, 8, 600))
    party = random.integers(0, 2, 435)
    loyal = random.random((435, 16)) < random.beta(8, 1, (435, 1))
    severity = np.where(np.arange(700) % 3 == 0, random.normal(6, 2, 700), random.gamma(1, 1, 700))
    grades = np.clip(np.rint(severity[:, None] + random.normal(0, 0.4, (700, 9))), 1, 10)
    gaps = np.random.default_rng(5).random((600, 3)) < [0, 0, 0.05]
    mass = np.c_[height, weight, np.round(weight / (height / 100) ** 2, 1)]
    dose = random.integers(1, 7, (600, 2))
    tables = {
        "items and their total": np.c_[items, items.sum(axis=1)],
        "items and their mean": np.c_[items, items.mean(axis=1), (items == 0).sum(axis=1)],
        "proportions of ten": random.multinomial(10, [0.3, 0.3, 0.4], 600),
        "a product": np.c_[dose, dose[:, 0] * dose[:, 1]],
        "powers about a middle": np.c_[age - 40, (age - 40) ** 2, (age - 40) ** 3],
        "age and year": np.c_[age, 2020 - age, age % 2], "gaps": np.where(gaps, np.nan, mass),
        "sparse levels": csr_matrix(np.eye(12)[random.integers(0, 12, 400)]),
        "powers": np.c_[age, age**2, np.log(age), 1 / age],
        "rankings": np.array([random.permutation(5) for _ in range(600)]), "body mass": mass,
        "sine and cosine": np.c_[np.sin(day), np.cos(day)],
        "places measured again": random.normal(size=(40, 3))[random.integers(0, 40, 600)],
        "codes and names": [[code * 7, f"{code % 9} of {code}"] for code in (age % 40)[:150].tolist()],
        "grades": grades, "votes": np.where(loyal, party[:, None], 1 - party[:, None]),
        "one word": random.choice(["yes", "no", "maybe"], (300, 1)),
    }  # fmt: skip
    classes = np.random.default_rng(3).integers(0, 2, 3000)
    rows = {name: each.shape[0] if hasattr(each, "shape") else len(each) for name, each in tables.items()}
    agree({name: (audited(each, classes[: rows[name]]), []) for name, each in tables.items()})


def test_classes_oversampled_before_the_split():
    no, yes = np.flatnonzero(Y == "no"), np.flatnonzero(Y == "yes")[:15]
    rows, few, random = np.r_[no, np.repeat(yes, 6)], np.r_[no, yes], np.random.default_rng(6)
    found = about(tm.validate(NEAREST, X[rows], Y[rows], cv=5), "TM020")
    assert found["classes"] == [
        {"label": "no", "rows": len(no), "different": len(no)}, {"label": "yes", "rows": 90, "different": 15}
    ]  # fmt: skip
    assert (found["rows"] > 80, found["scores"]["KNeighborsClassifier"]["copies"] > 0.95) == (True, True)
    three = np.where(X[:, 1] > 1, "third", Y)
    large, small, third = (np.flatnonzero(three == name) for name in ("no", "yes", "third"))
    several = np.r_[large, np.repeat(small[:10], 5), np.repeat(third[:8], 6)]
    drawn = np.r_[few, random.choice(few[-15:], len(no) - 15)]
    # Of 81 possible rows a coarse class has each about three times; the other one is measured.
    coarse = np.r_[random.normal(size=(800, 4)), random.integers(0, 3, (250, 4))]
    assert len(np.unique(coarse[800:], axis=0)) * 2 <= 250, "the design needs equal rows"
    table = {
        "by a sampler": (audited(X[few], Y[few], sampler=tm.Oversampling(1.0)), []),
        "several": (audited(X[several], three[several]), ["TM020"]),
        "until balanced": (audited(X[drawn], Y[drawn]), ["TM020"]),
        "the whole table twice": (audited(X[np.r_[0:200, 0:200]], Y[np.r_[0:200, 0:200]]), ["TM018"]),
        "all of some rows twice": (audited(X[np.repeat(few, 2)], Y[np.repeat(few, 2)]), ["TM018"]),
        "coarse": (audited(coarse, np.arange(1050) < 800), []),
    }
    agree(table)


def test_groups_and_entities_of_pairs_on_both_sides():
    halves, y = [(np.r_[0:6], np.r_[6:12]), (np.r_[6:12], np.r_[0:6])], np.arange(12) % 2
    pairs = np.array([(a, b) for a in range(4) for b in range(4) if a != b])
    columns = np.column_stack((np.arange(12) // 6, 100 + np.arange(12) % 6))
    names = ("folds", "of_folds", "groups", "of_groups", "rows", "test_rows")
    table = {
        "as the folds": (halves, np.arange(12) // 6, None),
        "within": (halves, np.arange(12) // 3, None),
        # Rows 0-3, 4-7 and 8-11: the cut after row 5 leaves two rows of the middle group on either side.
        "one of three": (halves, np.arange(12) // 4, (2, 2, 1, 3, 4, 12)),
        "fractions": (halves, np.arange(12) % 2 / 2, (2, 2, 2, 2, 12, 12)),
        # Of rows 6-11 and 0-3, which are tested, 6 and 7 are of the group that rows 4 and 5 are learned of.
        "one fold": ([halves[0], (np.r_[8:12], np.r_[0:4])], np.arange(12) // 4, (1, 2, 1, 3, 2, 10)),
        "entities": (halves, columns, (2, 2, 6, 8, 12, 12)),
        "pairs left out": (tm.LeavePairsOut(4), pairs, None),
        "pairs left out, symmetric": (tm.LeavePairsOut(4, symmetric=True), pairs, None),
    }
    found, options = {}, {"X": np.zeros((12, 1)), "y": y, "baseline": False}
    for name, (cv, groups, expected) in table.items():
        numbers = about(tm.validate(Watched(), cv=cv, groups=groups, **options), "TM019")
        found[name] = (numbers and tuple(numbers[each] for each in names), expected)
    agree(found)


SMALL = np.arange(60) % 2
FEW = np.random.default_rng(6).normal(size=(60, 2)) + SMALL[:, None]
WIDE, MIXED = np.random.default_rng(7).normal(size=(60, 8)), np.random.default_rng(8).permutation(SMALL)


def used(folder, ks, X=FEW, y=SMALL, **options):
    """The finding after one run for each k, or for each of several at once."""
    for k in ks:
        models = {f"k={each}": KNeighborsClassifier(int(each)) for each in np.atleast_1d(k)}
        features = X(k) if callable(X) else X
        given = {"cv": 3, "run_folder": folder, "baseline": False, **options}
        last = tm.validate(models, features, y, **given)
    return about(last, "TM021")


def test_the_sixth_model_on_the_same_rows_is_one_too_many(tmp_path):
    assert used(tmp_path / "a", [1, 2, 3, 4, 5] * 2) is None  # asking again is no comparison
    assert [used(tmp_path / "a", [1], metric=metric) for metric in ("f1", "recall")] == [None, None]
    found = dict(used(tmp_path / "a", [6]))
    # 1 - 0.95^5; the expected largest of six standard normal numbers is 1.2672.
    pooled = tm.validate(KNeighborsClassifier(6), FEW, SMALL, cv=3)["accuracy"].pooled
    expected = 1.2672 * (pooled.high - pooled.low) / (2 * 1.95996)
    assert found.pop("chance_of_a_false_verdict") == pytest.approx(1 - 0.95**5)
    assert found.pop("best_looks_too_good_by") == pytest.approx(expected, rel=1e-4)
    counts = {"runs": 8, "models": 6, "comparisons": 5, "test_rows": 60, "tested_before": 60}
    assert found == {**counts, "metric": "accuracy"}
    # Other folds, rows drawn anew and parts are the same rows; models that were chosen are counted too.
    assert used(tmp_path / "a", [6], cv="kfold:2x2")["comparisons"] == 5
    found = used(tmp_path / "a", [6], cv="holdout:1/3")
    assert (found["test_rows"], found["tested_before"]) == (20, 20)
    options = {"method": "three-way", "run_folder": tmp_path / "a"}
    tuned = tm.tune(KNeighborsClassifier(), FEW, SMALL, {"n_neighbors": [7, 9]}, **options)
    assert (about(tuned, "TM021")["test_rows"], about(tuned, "TM021")["comparisons"]) == (12, 6)
    # Other data, and runs that are not kept, are fresh; of several data sets each has its own runs.
    assert used(tmp_path / "a", [6], X=FEW + 1) is used(tmp_path / "a", [6], run_folder=None) is None
    both = {"used": (FEW, SMALL), "fresh": (FEW + 2, SMALL)}
    found = tm.validate(KNeighborsClassifier(8), both, cv=3, run_folder=tmp_path / "a")
    assert [each.numbers["data_set"] for each in found.findings if each.code == "TM021"] == ["used"]
    # Models of one run are compared once.
    assert used(tmp_path / "b", [range(1, 8), 8, 9, 10, 11]) is None
    assert (found := used(tmp_path / "b", [12]))["models"] == 12
    assert found["comparisons"] == 5
    # The expected largest of twelve; and a record that somebody changed is no reason to fail.
    pooled = tm.validate(KNeighborsClassifier(12), FEW, SMALL, cv=3)["accuracy"].pooled
    expected = 1.6292 * (pooled.high - pooled.low) / (2 * 1.95996)
    assert found["best_looks_too_good_by"] == pytest.approx(expected, rel=1e-4)
    for place in (tmp_path / "b" / "runs").glob("*.json"):
        place.write_text(json.dumps(json.loads(place.read_text()) | {"tested_bits": ["none"]}))
    assert used(tmp_path / "b", [13])["test_rows"] == 60
    # Rows drawn anew are mostly the same; searches count by what they chose, as often as that is asked.
    for k in range(1, 9):
        found = used(tmp_path / "c", [k], cv="holdout:1/3", random_state=k)
    assert 10 <= found["tested_before"] <= found["test_rows"] == 20
    options = {"cv": 2, "inner_cv": 2, "run_folder": tmp_path / "d"}
    for k in range(1, 7):
        tuned = tm.tune(KNeighborsClassifier(), FEW, SMALL, {"n_neighbors": [k]}, **options)
    found = [about(tuned, "TM021"), used(tmp_path / "d", [3])]
    assert [(each["models"], each["comparisons"]) for each in found] == [(6, 5)] * 2


def test_which_rows_are_the_same(tmp_path):
    every = np.arange(60)
    for k in range(1, 7):
        used(tmp_path / "halves", [k], cv=[(np.delete(every, every[:30]), every[:30])])
    parts = {(0, 30): 30, (30, 60): None, (16, 45): None, (15, 45): 15, (20, 30): 10}
    for (low, high), before in parts.items():
        folder = shutil.copytree(tmp_path / "halves", tmp_path / f"{low} to {high}")
        found = used(folder, [7], cv=[(np.delete(every, every[low:high]), every[low:high])])
        assert (found and found["tested_before"]) == before
    changes = {
        "one column each": lambda k: WIDE[:, [k]],
        "prepared otherwise": lambda k: (WIDE - WIDE.mean(axis=0)) * k,
        "more and more columns": lambda k: pd.DataFrame(WIDE[:, :k]),
    }
    for name, change in changes.items():
        found = used(tmp_path / name, [1, 2, 3, 4, 5, 6], change, MIXED)
        assert (found["models"], found["comparisons"]) == (6, 5), name
    for place, y in enumerate((np.sort(SMALL), every % 3)):  # many have their classes in such an order
        assert used(tmp_path / f"order {place}", range(1, 7), changes["one column each"], y) is None
    # One table in two containers is one model, and an experiment is one run.
    assert used(tmp_path / "kinds", [1, 2, 3, 4, 5], FEW, MIXED) is None
    assert used(tmp_path / "kinds", [5], pd.DataFrame(FEW), MIXED) is None
    assert used(tmp_path / "kinds", [6], pd.DataFrame(FEW), MIXED)["runs"] == 7
    for k in (1, 2, 3, 4, 5):
        data = {"raw": (FEW, MIXED), "squares": (FEW**2, MIXED)}
        tm.validate(KNeighborsClassifier(k), data, cv=3, run_folder=tmp_path / "two")
    found = used(tmp_path / "two", [6], FEW, MIXED)
    assert (found["models"], found["comparisons"], found["runs"]) == (11, 5, 6)


RAW, TUMOURS = load_breast_cancer(return_X_y=True)
RAW = RAW[:, :6]
HOLED = np.where(np.random.default_rng(0).random(RAW.shape) < [0.1, 0, 0, 0, 0, 0], np.nan, RAW)


def prepared(features, **options):
    y = np.arange(features.shape[0]) % 2
    found = about(tm.validate(Watched(), features, y, cv=3, baseline=False, **options), "TM022")
    return found and {kind: [int(each) for each in columns] for kind, columns in found["columns"].items()}


def test_columns_that_were_prepared_with_the_test_rows():
    every, scaled, zero_to_one = [*range(6)], standardised(RAW), between_0_and_1(RAW)
    medians = SimpleImputer(strategy="median")
    normal = np.random.default_rng(3).normal(5, 1, (400, 2))
    normal[50:70, 0] = np.nan
    filled = SimpleImputer().fit_transform(HOLED)
    table = {
        "standardised": (scaled, {"standardised": every}),
        "as of a sample": ((RAW - RAW.mean(axis=0)) / RAW.std(axis=0, ddof=1), {"standardised": every}),
        "float32": (scaled.astype(np.float32), {"standardised": every}),
        "two components": (PCA(2).fit_transform(RAW), {"components": [0, 1]}),
        "six decimals": (scaled.round(6), {"standardised": every}),
        "gaps left": (standardised(HOLED), {"standardised": every}),
        "some columns": (np.c_[scaled[:, :2], RAW[:, 2:]], {"standardised": [0, 1]}),
        "to 0 and 1": (zero_to_one, {"scaled": every}),
        "to -1 and 1": (MinMaxScaler((-1, 1)).fit_transform(RAW), {"scaled": every}),
        "beside whole numbers": (np.c_[zero_to_one[:, :3], np.arange(569) % 63 / 62], {"scaled": [0, 1, 2]}),
        "components": (PCA().fit_transform(RAW), {"components": every}),
        "components of one size": (PCA(whiten=True).fit_transform(RAW), {"components": every}),
        "means in gaps": (filled, {"imputed": [0]}),
        "medians in gaps": (medians.fit_transform(normal), {"imputed": [0]}),
        "medians, one row less": (medians.fit_transform(normal[1:]), {"imputed": [0]}),
        "both": (np.c_[standardised(filled), filled[:, 0]], {"standardised": every} | {"imputed": [6]}),
    }  # fmt: skip
    agree({name: (prepared(each), expected) for name, (each, expected) in table.items()})


def test_columns_that_only_look_so_are_let_pass():
    random, even = np.random.default_rng(1), np.linspace(-1, 1, 21)
    hour, grid = np.arange(480) * 2 * np.pi / 24, np.indices((11, 11)).reshape(2, -1).T / 10
    day = np.arange(730) * 2 * np.pi / 365
    usual = np.where(random.random(500) < 0.4, 40.5, random.integers(1, 160, 500) / 2)
    groups = np.repeat(np.arange(20), 30)
    raw = random.normal(size=(600, 3)) + random.normal(size=(20, 3))[groups]
    by_group = np.vstack([standardised(raw[groups == group]) for group in range(20)])
    bright = np.minimum(random.integers(0, 256, (400, 6)), [255, 255, 255, 255, 90, 60])
    bright[:2, :4] = [[0], [255]]
    tables = {
        "raw": RAW, "gaps": HOLED, "constant": np.full((30, 3), 7.0), "uniform": random.random((500, 10)),
        "mirrored rows": np.c_[RAW[:, 0], np.r_[RAW[:284, 1], -RAW[:284, 1], 0]],
        "per cent": random.integers(0, 101, (3000, 4)) / 100,
        "fine pixels": random.integers(0, 1024, (3000, 3)) / 1023,
        "days": np.c_[np.sin(day), np.cos(day), random.normal(15, 5, 730)],
        "circles": make_circles(200, random_state=0)[0], "largest last": PCA(3).fit_transform(RAW)[:, ::-1],
        "two beside others": np.c_[between_0_and_1(RAW[:, :2]), RAW[:, 2:]],
        "standard normal": random.normal(size=(500, 40)), "few rows": random.normal(size=(20, 40)),
        "a design": np.where(random.random((500, 4)) < 0.5, -1.0, 1.0),
        "grades, scaled": standardised(random.integers(0, 3, (300, 5))), "a grid": np.c_[grid, grid[::-1]],
        "two": between_0_and_1(RAW[:, :2]), "by the greatest": MaxAbsScaler().fit_transform(RAW),
        "sparse": csr_matrix(standardised(RAW)), "huge": np.array([[1e308, 1.0], [-1e308, 2.0]] * 20),
        "hours": np.c_[np.sin(hour), np.cos(hour), random.normal(size=480)],
        "a grid about 0": np.c_[np.repeat(even, 21), np.tile(even, 21)],
        "cut at both ends": np.clip(random.normal(0.5, 0.5, (600, 3)), 0, 1), "pixels": bright / 255,
        "ranks": np.column_stack([random.permutation(600) / 599 for _ in range(3)]),
        "a Latin hypercube": np.column_stack([random.permutation(31) / 30 for _ in range(4)]),
        "usual hours": np.c_[random.normal(size=500), usual],
    }  # fmt: skip
    agree({name: (prepared(each), None) for name, each in tables.items()})
    assert prepared(by_group, groups=groups) is None
    assert prepared(standardised(raw), groups=groups) == {"standardised": [0, 1, 2]}
    assert not codes(tm.validate(make_pipeline(StandardScaler(), BAYES), RAW, TUMOURS, cv=3))


def test_parts_of_models_that_are_fitted_already():
    fitted, frozen = GaussianNB().fit(RAW, TUMOURS), FrozenEstimator(StandardScaler().fit(RAW))
    selected = SelectFromModel(LogisticRegression(max_iter=5000).fit(RAW, TUMOURS), prefit=True)
    models = {
        "whole": (FrozenEstimator(fitted), ["FrozenEstimator"]),
        "step": (make_pipeline(frozen, BAYES), ["frozenestimator=FrozenEstimator"]),
        "selected": (make_pipeline(selected, BAYES), ["selectfrommodel__prefit=True"]),
        "stacked": (StackingClassifier([("a", fitted)], cv="prefit"), ["cv='prefit'"]),
        "none": (BAYES, None),
    }
    given = {name: model for name, (model, _) in models.items()}
    found = about(tm.validate(given, RAW, TUMOURS, cv=[(np.arange(400), np.arange(400, 569))]), "TM022")
    assert found == {"columns": {}, "models": {name: parts for name, (_, parts) in models.items() if parts}}
    mine = {"mine": given["step"]}
    grid = {"gaussiannb__var_smoothing": [1e-9]}
    for result in (
        tm.learning_curve(mine, RAW, TUMOURS, n_repeats=2, schedule=[100]),
        tm.permutation_test(mine, RAW, TUMOURS, n_permutations=1),
        tm.tune(mine["mine"], RAW, TUMOURS, grid, cv=2, inner_cv=2),
    ):
        assert codes(result) == ["TM022"]
        assert result.to_dict()["findings"] == [each.to_dict() for each in result.findings]
        assert "TM022" in str(result)


def test_classes_that_folds_lack():
    rare, sixth = np.where(np.arange(60) < 3, "few", "many"), np.arange(60) // 5
    once = np.where(np.arange(60) == 2, "few", "many")
    sick, third = np.where(np.arange(60) < 20, "sick", "well"), np.where(sixth % 3 == 0, "sick", "well")
    hand, start = [(np.r_[0:40], np.r_[40:60])], [(np.r_[3:60], np.r_[0:3])]
    # Test folds and training parts that lack a class, and test rows whose class was never learned.
    table = {
        "sorted": (IRIS[1], KFold(3), {}, (3, 3, 150)),  # each third of iris is one species
        "stratified": (IRIS[1], 3, {}, None),
        # Three rows in five folds leave two without, in each of two runs.
        "fewer rows than folds": (rare, "kfold:2x5", {}, (4, 0, 0)),
        "as many rows as folds": (rare, "kfold:2x3", {}, None),
        "one row": (once, "loo", {}, (None, 1, 1)),
        "what one row lacks": (third, "loo", {}, None),
        "what one group lacks": (third, "group", {"groups": sixth}, None),
        "what one group lacks, as scikit-learn cuts": (third, LeaveOneGroupOut(), {"groups": sixth}, None),
        "one group": (rare, "group", {"groups": np.arange(60) // 6}, (None, None, 3)),
        "four groups in six folds": (sick, 6, {"groups": sixth}, (2, None, 0)),
        "a stratified holdout": (rare, "holdout:0.1", {}, None),
        "a holdout by hand": (rare, hand, {}, (1, 0, 0)),
        "another one": (rare, start, {}, (1, 1, 3)),
        "many classes": (np.arange(60) % 20, 6, {}, (6, 0, 0)),
    }
    wrong = []
    for name, (y, cv, options, expected) in table.items():
        features = np.random.default_rng(3).normal(size=(len(y), 2))
        result = tm.validate(BAYES, features, y, cv=cv, baseline=False, **options)
        found = about(result, "TM023")
        counts = found and [found[each] for each in ("test_folds", "training_parts", "unseen_test_rows")]
        if (found is None) != (expected is None) or any(
            each not in (None, count) for each, count in zip(expected or (), counts or (), strict=True)
        ):
            wrong.append((name, counts))
    assert not wrong
    result = tm.validate(BAYES, FEW, rare, cv="bootstrap:30")
    tests = [(rare[fold.test] == "few").sum() for fold in result.folds.folds]
    found, unseen = about(result, "TM023"), [each for each in tests if each == 3]
    assert (found["test_folds"], found["training_parts"]) == (tests.count(0), len(unseen))
    assert found["unseen_test_rows"] == sum(unseen)


def test_ranks_of_folds_that_test_one_class():
    features, y = np.random.default_rng(8).normal(size=(40, 2)), (np.arange(40) % 4 == 0).astype(int)
    ten, shares = np.arange(40) // 4, DummyClassifier(strategy="prior")
    blocks, sorted_y = np.split(np.arange(40), 10), (np.arange(40) < 10).astype(int)
    most = [(np.setdiff1d(np.arange(40), test), test) for test in blocks]  # the third has both classes
    parts = (np.r_[0:5, 10:20], np.r_[5:10, 20:30], np.r_[30:40])
    half = [(np.setdiff1d(np.arange(40), test), test) for test in parts]

    def found(cv, y=y, **options):
        models = {"p": shares, "bayes": BAYES}
        return about(tm.validate(models, features, y, cv=cv, **{"metric": "auc", **options}), "TM024")

    one = found("loo", metrics=["average_precision", "accuracy"])
    # Without a positive the proportion of positives is 9/39, without a negative 10/39: every pair is wrong.
    assert (one["folds"], one["folds_of_one_class"], one["pooled"]["auc"]["p"]) == (40, 40, 0.0)
    rest = [(np.delete(features, k, 0), np.delete(y, k)) for k in range(40)]
    scores = [GaussianNB().fit(*rest[k]).predict_proba(features[[k]])[0, 1] for k in range(40)]
    assert one["pooled"]["auc"]["bayes"] == pytest.approx(roc_auc_score(y, scores))
    assert set(one["pooled"]) == {"auc", "average_precision"}
    groups = {"groups": ten, "y": (ten % 3 == 0).astype(int)}
    three = np.arange(40) % 3
    table = {
        "several rows": (found("kfold:10x10"), None), "groups of one class": (found("group", **groups), 10),
        "several groups": (found(4, **groups), None), "most folds": (found(most, sorted_y), 9),
        "some folds": (found(half, sorted_y), None), "no ranks": (found("loo", metric="accuracy"), None),
        "probabilities": (found("loo", metric="brier"), None),
        "first places": (found("loo", three, metric="top_k_accuracy:2"), None),
        "several classes": (found("loo", three, metric="auc_ovr_macro"), 40),
    }  # fmt: skip
    agree({name: (each and each["folds_of_one_class"], count) for name, (each, count) in table.items()})
    options = {"cv": "loo", "inner_cv": 2, "metric": "auc"}
    assert "TM024" in codes(tm.tune(BAYES, features, y, {"var_smoothing": [1e-9]}, **options))


NEIGHBORS = {f"k={k}": KNeighborsClassifier(k) for k in (1, 3, 7, 15)}


def test_findings_in_reports_and_of_experiments(snapshot, tmp_path):
    features = standardised((IRIS[0] + np.linspace(0, 0.01, 150)[:, None])[np.r_[0:150, 0:30]])
    y, groups = IRIS[1][np.r_[0:150, 0:30]], np.arange(180) % 10
    several = tm.validate(BAYES, features, y, cv=list(tm.KFold(3).split(features, y)), groups=groups)
    assert codes(several) == codes(pickle.loads(pickle.dumps(several))) == ["TM018", "TM019", "TM022"]
    for suffix in (".txt", ".md", ".tex"):
        several.save(tmp_path / f"report{suffix}")
        assert "TM019" in (tmp_path / f"report{suffix}").read_text(), suffix
    named = pd.DataFrame(standardised(IRIS[0]), columns=["a", "b", "c", "d"])
    sets = {"first": IRIS, "second": (named, IRIS[1])}
    experiment = tm.validate(BAYES, sets, cv=3)
    (finding,) = experiment.findings
    assert (finding.code, finding.numbers["data_set"]) == ("TM022", "second")
    assert finding.numbers["columns"] == {"standardised": ["a", "b", "c", "d"]}
    form = experiment.to_dict()
    assert (form["findings"], form["data_sets"]["first"]["findings"]) == ([finding.to_dict()], [])

    no, yes = np.flatnonzero(Y == "no"), np.flatnonzero(Y == "yes")[:15]
    rare, over = np.where(np.arange(60) < 3, "few", "many"), np.r_[no, np.repeat(yes, 6)]
    once, rows = np.where(np.arange(60) == 2, "few", "many"), np.r_[TWICE, 20:25]
    frozen = make_pipeline(FrozenEstimator(StandardScaler().fit(FEW)), BAYES)
    halves = [(np.r_[0:30], np.r_[30:60]), (np.r_[30:60], np.r_[0:30])]
    entities = np.c_[np.arange(60) // 30, 9 + np.arange(60) % 6]
    for k in range(1, 7):
        often = tm.validate(KNeighborsClassifier(k), FEW, SMALL, cv=3, run_folder=tmp_path / "runs")
    groups = np.arange(60) // 5
    blocks = {"groups": groups, "metric": "auc"}
    options = {"cv": 2, "inner_cv": 2, "run_folder": tmp_path / "tuned"}
    tuned = tm.tune(KNeighborsClassifier(), FEW, SMALL, {"n_neighbors": [1, 7]}, **options)
    chosen = {"chosen": tuned.best_model, "other": BAYES}
    depths = {f"depth {d}": DecisionTreeClassifier(max_depth=d, random_state=0) for d in (1, 2, 3)}
    three, several_over = (
        np.where(np.arange(60) < 30, "a", np.where(SMALL, "b", "c")),
        np.r_[0:30, [*range(30, 38)] * 5],
    )
    results = {
        "three at once": several, "an experiment": experiment,
        "copies, and other classes": tm.validate(NEAREST, X[rows], np.r_[Y[TWICE], OTHER[20:25]], cv=5),
        "oversampled": tm.validate(NEAREST, X[over], Y[over], cv=5),
        "two classes oversampled": tm.validate(NEAREST, X[several_over], three[several_over], cv=5),
        "entities": tm.validate(BAYES, FEW, SMALL, cv=halves, groups=entities), "used often": often,
        "a frozen part": tm.validate(frozen, FEW, SMALL, cv=2),
        "never learned": tm.validate(BAYES, *IRIS, cv=KFold(3)),
        "few rows": tm.validate(BAYES, FEW, rare, cv="kfold:2x5"),
        "one row": tm.validate(BAYES, FEW, once, cv="loo"),
        "one group": tm.validate(BAYES, FEW, rare, cv="group", groups=np.arange(60) // 6),
        "a stratified holdout": tm.validate(BAYES, FEW, rare, cv="holdout:0.1"),
        "never learned, by hand": tm.validate(BAYES, FEW, rare, cv=[(np.r_[3:60], np.r_[0:3])]),
        "not tested": tm.validate(BAYES, FEW, rare, cv=[(np.arange(40), np.arange(40, 60))]),
        "many classes": tm.validate(BAYES, FEW, np.arange(60) % 20, cv=6),
        "ranks": tm.validate(BAYES, FEW, SMALL, cv="loo", metrics=["auc", "average_precision"]),
        "ranks of groups": tm.validate(BAYES, FEW, groups % 3 // 2, cv="group", **blocks),
        "ranks of a search": tm.tune(
            BAYES, FEW[:20], SMALL[:20], {"var_smoothing": [1e-9]}, cv="loo", inner_cv=2, metric="auc"
        ),
        "chosen before": tm.validate(chosen, FEW, SMALL, cv=3, run_folder=tmp_path / "tuned"),
        "a search that loses little": tm.validate(depths, np.c_[SMALL, FEW], SMALL, cv=4),
        "a search": tm.validate(NEIGHBORS, FEW, SMALL, cv=4),
        "a search by more folds": tm.validate(NEIGHBORS, FEW, SMALL, cv=5),
        "a search by one fold": tm.validate(NEIGHBORS, FEW, SMALL, cv="holdout"),
    }  # fmt: skip
    texts = {}
    for name, found in results.items():
        parts = [f"{each.code} {each.message}" for each in found.findings]
        texts[name] = "\n".join([*parts, *(f"Note: {note}" for note in found.notes)])
    snapshot("findings_of_fits", texts)


def test_what_is_done_well_has_no_findings():
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=500))
    noise = (np.random.default_rng(2).normal(size=(200, 8)), np.arange(200) % 2)
    rare = make_classification(400, weights=[0.9], random_state=1)
    sets = [IRIS, load_digits(n_class=2, return_X_y=True), load_wine(return_X_y=True), (RAW, TUMOURS)]
    for features, y in (*sets, noise, rare, make_classification(300, random_state=0)):
        assert codes(tm.validate(model, features, y, cv=5)) == []
    groups = np.arange(200) // 10
    for cv in ("kfold:3x2", "bootstrap:5", "holdout:1/3", "loo"):
        assert codes(tm.validate(BAYES, *IRIS, cv=cv)) == [], cv
    for result in (
        tm.validate(BAYES, *noise, cv="group", groups=groups),
        tm.validate(BAYES, *noise, groups=groups),
        tm.tune("tree", *IRIS, {"max_depth": [1, 2]}, cv=3, inner_cv=2),
        tm.learning_curve("bayes", *IRIS, n_repeats=2, schedule=[50]),
        tm.permutation_test("bayes", *IRIS, n_permutations=1),
        tm.validate("bayes", {"iris": IRIS, "noise": noise}, cv=3),
    ):
        assert (result.findings, result.to_dict()["findings"]) == ((), [])
        assert "Findings" not in str(result)
