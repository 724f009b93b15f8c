"""The .632 and .632+ bootstrap by Efron's definitions; over- and undersampling; errors of all resampling."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from imblearn.over_sampling import RandomOverSampler
from imblearn.pipeline import make_pipeline
from imblearn.under_sampling import RandomUnderSampler
from scipy.sparse import coo_array, csc_matrix, csr_array, csr_matrix
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from tallymark.errors import TallymarkError
from tallymark.resampling import folds_of, method_named

# Five rows and three bootstrap samples, worked by hand.
Y = ["a", "a", "b", "b", "b"]
APPARENT = ["a", "b", "b", "b", "b"]  # row 1 is wrong: 1/5
DRAWN = [[0, 0, 1, 2, 4], [1, 2, 3, 3, 4], [0, 1, 1, 4, 4]]  # out of bag: {3}, {0}, {2, 3}
ANSWERS = [
    ["a", "a", "b", "a", "b"],  # row 3 is wrong
    ["b", "a", "b", "b", "b"],  # row 0 is wrong
    ["a", "a", "b", "b", "b"],  # rows 2 and 3 are right
]
COUNTS = np.array([np.bincount(each, minlength=5) for each in DRAWN])
NUMBERS = ("apparent", "out_of_bag", "no_information", "overfitting", "error_632", "error_632_plus")


def by_hand(**options: Any) -> Any:
    given_rows = {"y": Y, "y_pred": APPARENT, "replicates": ANSWERS, "in_bag": DRAWN} | options
    return tm.bootstrap_632(given_rows.pop("y"), given_rows.pop("y_pred"), **given_rows)


def numbers(found: Any) -> list[float | None]:
    return [getattr(found, name) for name in NUMBERS]


# --- the .632 bootstrap ----------------------------------------------------------------------


def test_five_rows_and_figures_by_hand() -> None:
    found = by_hand()
    # Row 0: 1/1; row 2: 0/1; row 3: 1/2; rows 1 and 4 are never out: (1 + 0 + 1/2) / 3 = 1/2. Classes a 2/5,
    # b 3/5, answers a 1/5, b 4/5: no information 2/5 x 4/5 + 3/5 x 1/5 = 11/25. Out of bag is above it, so
    # the overfitting is 1 and it is cut to 11/25: 0.3896 + (11/25 - 1/5) x 0.368 = 0.47792.
    error = Fraction("0.368") * Fraction(1, 5) + Fraction("0.632") * Fraction(1, 2)
    plus = error + (Fraction(11, 25) - Fraction(1, 5)) * Fraction("0.368")
    assert (error, plus) == (Fraction("0.3896"), Fraction("0.47792"))
    assert numbers(found) == pytest.approx([0.2, 0.5, 11 / 25, 1, float(error), float(plus)], abs=1e-15)
    assert (found.weight, found.rows, found.replicates, found.never_out) == (pytest.approx(1), 5, 3, 2)
    # R = 0.2 / 0.4 = 1/2; weight = 0.632 / (1 - 0.184) = 79/102; 1/10 + w/5 = 13/51.
    figures = tm.bootstrap_632(apparent=0.1, out_of_bag=0.3, no_information=0.5)
    assert (figures.overfitting, figures.weight, figures.error_632, figures.error_632_plus) == pytest.approx(
        (0.5, 79 / 102, 0.368 * 0.1 + 0.632 * 0.3, 13 / 51)
    )
    assert figures.rows is None
    # Apparent, out of bag, no information, and the rate of overfitting, which stays between 0 and 1.
    for a, out, none, rate in (
        (0, 0.5, 0.5, 1),  # knows its rows by heart in noise: .632 says 0.316, and the truth is 1/2
        *((0.2, 0.2, 0.5, 0), (0.3, 0.2, 0.5, 0), (0.3, 0.4, 0.3, 0), (0.3, 0.4, 0.1, 0)),
        *((0.0, 0.0, 0.0, 0), (0.1, 0.6, 0.5, 1), (1.0, 1.0, 1.0, 0)),
    ):
        found = tm.bootstrap_632(apparent=a, out_of_bag=out, no_information=none)
        added = 0.368 * (none - a) if rate else 0
        assert (found.overfitting, found.weight) == (rate, pytest.approx(1 if rate else 0.632))
        assert found.error_632_plus == pytest.approx(0.368 * a + 0.632 * out + added)


def test_it_equals_the_definitions_in_loops() -> None:
    """Efron and Tibshirani (1997)."""
    for seed in range(18):
        rng = np.random.default_rng(seed)
        n, samples, classes = int(rng.integers(4, 30)), int(rng.integers(2, 25)), (2, 3, 5)[seed % 3]
        y = rng.integers(classes, size=n)
        apparent = np.where(rng.random(n) < 0.8, y, rng.integers(classes, size=n))
        answers = np.where(rng.random((samples, n)) < 0.5, y, rng.integers(classes, size=(samples, n)))
        drawn = rng.integers(n, size=(samples, n))
        of_rows = [[answers[b][i] != y[i] for b in range(samples) if i not in drawn[b]] for i in range(n)]
        err, gamma = float(np.mean(y != apparent)), float(np.mean(y[:, None] != apparent))
        err1 = float(np.mean([np.mean(losses) for losses in of_rows if losses]))
        cut = min(err1, gamma)
        rate = (cut - err) / (gamma - err) if cut > err and gamma > err else 0.0
        simple = 0.368 * err + 0.632 * err1
        plus = simple + (cut - err) * 0.368 * 0.632 * rate / (1 - 0.368 * rate)
        counts = np.array([np.bincount(each, minlength=n) for each in drawn])
        for in_bag in (counts > 0, counts):
            found = tm.bootstrap_632(y, apparent, replicates=answers, in_bag=in_bag)
            assert numbers(found) == pytest.approx([err, err1, gamma, rate, simple, plus], abs=1e-12), seed


def test_bags_and_labels_of_any_form() -> None:
    folds = folds_of([(rows, np.setdiff1d(np.arange(5), rows)) for rows in DRAWN], np.zeros(5))
    drawn = COUNTS > 0
    bags = [drawn, drawn.tolist(), drawn.astype(int), COUNTS, COUNTS.tolist(), COUNTS.astype(float)]
    bags += [pd.DataFrame(COUNTS), DRAWN, np.array(DRAWN), folds]
    for in_bag in (*bags, [np.array([0, 1, 2, 4]), [1, 2, 3, 4], (0, 1, 4)]):
        assert numbers(by_hand(in_bag=in_bag)) == numbers(by_hand())
    makers: tuple[Callable[[Any], Any], ...] = (
        *(np.array, lambda labels: np.array(labels, object), pd.Series, pl.Series),
        lambda labels: pd.Series(labels, dtype="category"),
        lambda labels: [each == "a" for each in labels],
        lambda labels: [7 if each == "a" else 12 for each in labels],
        lambda labels: np.array([each == "a" for each in labels], float),
    )
    for of in makers:
        made = by_hand(y=of(Y), y_pred=of(APPARENT), replicates=[of(each) for each in ANSWERS])
        assert numbers(made) == numbers(by_hand())
    mixed = by_hand(y=[True, True, False, False, False], y_pred=[1, 0, 0, 0, 0], replicates=np.zeros((3, 5)))
    # Of the rows out of bag only row 0 is True: wrong; rows 2 and 3 are right.
    assert (mixed.apparent, mixed.out_of_bag) == (pytest.approx(1 / 5), pytest.approx(1 / 3))
    # Answers to rows out of bag are enough, and others do not count.
    out = [[ANSWERS[0][3]], [ANSWERS[1][0]], [ANSWERS[2][2], ANSWERS[2][3]]]
    for replicates in (out, np.where(COUNTS > 0, "nonsense", np.array(ANSWERS))):
        assert numbers(by_hand(replicates=replicates)) == numbers(by_hand())


def test_what_is_undefined(snapshot: Any) -> None:
    none = by_hand(in_bag=np.ones((3, 5), bool))
    assert numbers(none) == [pytest.approx(1 / 5), None, pytest.approx(11 / 25), None, None, None]
    assert (none.weight, none.never_out, none.to_dict()["why"]) == (None, 5, none.why)
    figures = tm.bootstrap_632(apparent=0.1, out_of_bag=0.3)
    assert (figures.overfitting, figures.weight, figures.error_632_plus) == (None, None, None)
    one = tm.bootstrap_632(["a"] * 3, ["a"] * 3, replicates=[["a"] * 3], in_bag=[[True, False, True]])
    assert numbers(one) == [0, 0, 0, 0, 0, 0]
    form = json.loads(json.dumps(by_hand(in_bag=COUNTS > 0).to_dict()))
    assert (form["error_632_plus"], form["never_out"]) == (pytest.approx(0.47792), 2)
    assert not {"why"} & {*form}
    assert "rows" not in figures.to_dict()
    made = {"by hand": by_hand(), "nothing out of bag": none, "figures": figures, "one class": one}
    snapshot("bootstrap_632", {case: str(found) for case, found in made.items()})


# --- over- and undersampling -----------------------------------------------------------------

LABELS = np.array(["rare"] * 3 + ["common"] * 10 + ["some"] * 5)
ROWS = np.arange(len(LABELS)).reshape(-1, 1)
KINDS = (tm.Oversampling, tm.Undersampling)
ratios = st.fractions(Fraction(1, 50), 1, max_denominator=50)


def drawn(sampler: Any, counts: list[int]) -> tuple[np.ndarray, np.ndarray]:
    y = np.random.default_rng(0).permutation(np.repeat(np.arange(len(counts)), counts))
    rows, classes = sampler.fit_resample(np.arange(len(y)).reshape(-1, 1), y)
    assert (y[rows[:, 0]] == classes).all()
    assert (sampler.sample_indices_ == rows[:, 0]).all()
    return rows[:, 0], np.bincount(classes, minlength=len(counts))


@given(st.lists(st.integers(1, 40), min_size=1, max_size=5), ratios, st.integers(0, 99))
def test_sampling_reaches_the_ratio(counts: list[int], ratio: Fraction, seed: int) -> None:
    # Worked out in fractions, so that rounding is seen.
    rows, after = drawn(tm.Oversampling(float(ratio), random_state=seed), counts)
    assert rows[: sum(counts)].tolist() == list(range(sum(counts)))
    least = ratio * max(counts)
    assert after.tolist() == [max(count, -((-least.numerator) // least.denominator)) for count in counts]
    rows, after = drawn(tm.Undersampling(float(ratio), random_state=seed), counts)
    assert (np.diff(rows) > 0).all()
    most = min(counts) / ratio
    assert after.tolist() == [min(count, most.numerator // most.denominator) for count in counts]


def test_what_may_be_asked_for() -> None:
    for ours, theirs in zip(
        (kind() for kind in KINDS), (RandomOverSampler(), RandomUnderSampler()), strict=True
    ):
        assert Counter(ours.fit_resample(ROWS, LABELS)[1]) == Counter(theirs.fit_resample(ROWS, LABELS)[1])
    # 0.07 * 100 and 7 / 0.07 are not whole in floating point.
    assert drawn(tm.Oversampling(0.07), [1, 100])[1].tolist() == [7, 100]
    assert drawn(tm.Undersampling(0.07), [7, 200])[1].tolist() == [7, 100]
    over = tm.Oversampling({"rare": 8, "some": 6}, random_state=0).fit_resample(ROWS, LABELS)[1]
    under = tm.Undersampling({"common": 4}, random_state=0).fit_resample(ROWS, LABELS)[1]
    assert Counter(over.tolist()) == {"rare": 8, "common": 10, "some": 6}
    assert Counter(under.tolist()) == {"rare": 3, "common": 4, "some": 5}
    y = np.repeat([0, 1], [2, 9])  # a class is found by its text
    assert Counter(tm.Oversampling({"0": 4}).fit_resample(y[:, None], y)[1].tolist()) == {0: 4, 1: 9}
    again = Counter[int]()
    for seed in range(400):
        sampler = tm.Undersampling(random_state=seed)
        sampler.fit_resample(np.zeros((5, 1)), np.array([0, 0, 0, 0, 1]))
        again.update(sampler.sample_indices_.tolist())
    # 400 draws of one row of four: 100 each, standard deviation sqrt(75) = 8.7.
    assert (again[4], all(abs(again[row] - 100) < 40 for row in range(4))) == (400, True)
    for kind in KINDS:
        picks = [drawn(kind(0.9, random_state=seed), [3, 10, 5])[0].tolist() for seed in (3, 3, 1, 2)]
        assert picks[0] == picks[1]
        assert len({tuple(each) for each in picks}) == 3
        assert drawn(kind(), [4, 4])[0].tolist() == list(range(8))


def test_features_and_classes_stay_what_they_are() -> None:
    features: dict[str, tuple[Any, Any]] = {
        "numpy": (np.asarray, lambda X: X[:, 0]),
        "pandas": (lambda X: pd.DataFrame(X, columns=["x"], index=X[:, 0] + 50), lambda X: X["x"]),
        "polars": (lambda X: pl.DataFrame(X, schema=["x"]), lambda X: X["x"].to_numpy()),
        "pyarrow": (lambda X: pa.table({"x": X[:, 0]}), lambda X: X["x"].to_numpy()),
        "list": (lambda X: X.tolist(), lambda X: [row[0] for row in X]),
        "texts": (lambda X: [str(row) for row in X[:, 0]], lambda X: [int(row) for row in X]),
    } | {
        kind.__name__: (kind, lambda X: X.toarray()[:, 0])
        for kind in (csr_matrix, csr_array, csc_matrix, coo_array)
    }
    for name, (make, read) in features.items():
        for kind in KINDS:
            came, sampler = make(ROWS), kind(random_state=0)
            rows, classes = sampler.fit_resample(came, LABELS)
            assert type(rows) is type(came) or name == "coo_array", name
            assert list(read(rows)) == sampler.sample_indices_.tolist(), name
            assert list(classes) == LABELS[sampler.sample_indices_].tolist(), name
    for make in (
        *(list, lambda y: y.astype(object), pl.Series, lambda y: pa.array(y.tolist())),
        *(lambda y: pd.Series(y, dtype="category"), lambda y: pl.Series(y, dtype=pl.Categorical)),
        *(lambda y: pa.chunked_array([y.tolist()]), lambda y: pd.Series(y, index=np.arange(len(y)) + 7)),
    ):
        came = make(LABELS)
        classes = tm.Oversampling(random_state=0).fit_resample(ROWS, came)[1]
        values = classes.to_pylist() if hasattr(classes, "to_pylist") else list(classes)
        assert (type(classes), Counter(values)) == (type(came), {"rare": 10, "common": 10, "some": 10})


def test_protocols_of_scikit_learn_and_imbalanced_learn() -> None:
    for kind in KINDS:
        for ratio in (0.5, {"rare": 3}):
            sampler = kind(ratio, random_state=4)
            sampler.fit_resample(ROWS, LABELS)
            copy = clone(sampler)
            assert copy.get_params() == {"ratio": ratio, "random_state": 4}
            assert not hasattr(copy, "sample_indices_")
            assert copy.set_params(ratio=0.25) is copy
            assert (copy.ratio, copy.random_state, sampler.ratio) == (0.25, 4, ratio)
    pipeline = make_pipeline(tm.Undersampling(random_state=0), DecisionTreeClassifier(random_state=0))
    assert pipeline.fit(ROWS, LABELS)[-1].tree_.n_node_samples[0] == 9  # three of each
    assert set(pipeline.predict(ROWS)) == set(LABELS)


# --- texts and errors ------------------------------------------------------------------------

GRID = [(a, b) for a in "xyz" for b in range(3)]
NAN = float("nan")
SPLITTERS = tm.KFold, tm.Holdout, tm.Bootstrap, tm.LeaveOneOut, tm.LeaveOneGroupOut, tm.LeavePairsOut
KEPT = (str, int, float, list, tuple, dict, type(None), *SPLITTERS)


def folds(cv: Any, **given_rows: Any) -> Any:
    return cv.folds(**given_rows)


def three_ways(**given_rows: Any) -> Any:
    return tm.three_way_split([0, 1] * 4, **given_rows)


def over(ratio: Any = 1, X: Any = ROWS, y: Any = LABELS) -> Any:
    return tm.Oversampling(ratio).fit_resample(X, y)


def under(ratio: Any = 1, y: Any = LABELS) -> Any:
    return tm.Undersampling(ratio).fit_resample(ROWS[: len(y)], y)


def every(name: str, *values: Any) -> list[dict[str, Any]]:
    return [{name: value} for value in values]


def of(function: Callable[..., Any], *cases: dict[str, Any]) -> list[Any]:
    """A function, and keywords that are wrong."""
    return [(function, wrong) for wrong in cases]


KFOLD, TWO, PAIRS = {"cv": tm.KFold(2)}, {"cv": tm.KFold(2), "y": [0, 1]}, {"cv": tm.LeavePairsOut()}
WRONG = [
    *of(tm.KFold, *every("n_splits", 1, 2.5, True), {"n_repeats": 0}, {"random_state": -1}),
    *of(tm.KFold, {"n_repeats": 2, "shuffle": False}),
    *of(tm.Holdout, *every("test_size", 1.5, 0, 1.0, NAN)),
    *of(tm.Bootstrap, {"n_splits": 0}),
    *of(tm.LeavePairsOut, {"n_blocks": (1, 2, 3)}, {"n_blocks": (5, 3), "symmetric": True}),
    *of(three_ways, {"validation_size": 2.0}, {"test_size": 0.5, "validation_size": 0.5}),
    *of(three_ways, {"groups": [0, 1] * 4}),
    *of(
        *(folds, {"cv": tm.KFold(10), "y": [0, 1, 0]}, TWO | {"groups": ["a", "a"]}, KFOLD),
        *({"cv": tm.KFold(4), "y": [0, 1] * 3, "groups": [*"aabbcc"]}, KFOLD | {"y": [1.0, NAN, 0.0]}),
        *(KFOLD | {"y": [0, 1, 0], "groups": [("a", 1), ("b", 2), ("c", 3)]}, TWO | {"X": [0] * 3}),
        *(TWO | {"groups": [[0, 0, 0], [0, 0, 0]]}, {"cv": tm.LeaveOneGroupOut(), "y": [0, 1]}),
        *({"cv": tm.LeaveOneGroupOut(), "groups": ["a", None, "b", NAN]}, {"cv": tm.LeaveOneOut(), "X": [0]}),
        *({"cv": tm.LeaveOneOut(), "y": [0, 1], "groups": [0, 1]}, {"cv": tm.Holdout(3), "y": [0, 1, 0]}),
        *({"cv": tm.Holdout(0.999), "y": [0, 1, 0]}, {"cv": tm.Bootstrap(5, stratify=True), "y": [0, 1, 2]}),
        *(PAIRS | {"groups": ["a", "b"]}, PAIRS | {"groups": [[0] * 9] * 2}, PAIRS | {"X": [0] * 4}),
        {"cv": tm.LeavePairsOut((2, 4)), "groups": GRID},
        {"cv": tm.LeavePairsOut(n_left_out=(3, 1)), "groups": GRID},
        {"cv": tm.LeavePairsOut(2, symmetric=True, shuffle=False), "groups": [(1, 4), (2, 3), (1, 3)]},
        {"cv": tm.LeavePairsOut(2), "groups": [("a", 1), ("b", None), ("c", 2)]},
    ),
    *of(
        *(method_named, *every("text", "magic", "kfolds:5", "leave-one-out", "", "kfold:ten", "kfold:")),
        *every("text", "kfold:1", "kfold:5:2", "loo:3", "holdout:33", "holdout:1/0", "bootstrap:5x5"),
        *every("text", "pairs:student", "pairs:a,b:3:4"),
    ),
    *of(
        *(tm.bootstrap_632, {}, {"apparent": 0.1}, {"no_information": 0.1}, {"apparent": 0.1, "y": Y}),
        *({"apparent": wrong, "out_of_bag": 0.2} for wrong in (12, -0.2, "x", NAN)),
    ),
    *of(
        *(by_hand, {"y_pred": None}, {"in_bag": None}, {"y_pred": ["a"]}),
        *every("replicates", ANSWERS[:2], np.array(ANSWERS).T, [*ANSWERS[:2], ["a"] * 4], "abc"),
        *every("y", "aabbb", np.eye(5), [], ["a", None, "b", "b", "b"], [1, 1, 0, 0, 0]),
        *every("in_bag", (COUNTS > 0).T, [[0, 5], [1], [2]], [[0, -1], [1], [2]], [[0.5], [1], [2]]),
        *every("in_bag", [["a"], ["b"], ["c"]], [[2, 0, 0, 2, 0]] * 3, [], 3),
        {"in_bag": folds_of([([0, 1], [2])] * 3, np.zeros(3))},
    ),
    *of(
        *(
            tm.Oversampling,
            *every("ratio", 0, -0.5, 1.5, NAN, "auto", True, None, {"rare": 0}, {"rare": 1.5}),
        ),
        *(*every("ratio", {}), *every("random_state", -1, 1.5, "x", True)),
    ),
    *of(over, *every("ratio", {"common": 4}, {"Rare": 4}), {"X": ROWS[:-1]}, {"X": [], "y": []}),
    *of(under, {"ratio": {"rare": 4}}, {"y": ["a", None, "b"]}),
    *of(tm.Oversampling().set_params, {"ration": 1}, {"ratio": 7}),
]


def test_texts_and_errors(snapshot: Any) -> None:
    texts: dict[str, str] = {}
    not_refused = []
    for function, wrong in WRONG:
        said = [f"{name}={wrong[name]!r}" if isinstance(wrong[name], KEPT) else name for name in wrong]
        case = f"{function.__name__} {', '.join(said)}"[:110].strip()
        if case in texts:
            case += f" ({sum(name.startswith(case) for name in texts) + 1})"
        try:
            function(**wrong)
            not_refused.append(case)
        except TallymarkError as error:
            texts[case] = f"{type(error).__name__}: {error}"
    assert not not_refused
    for sampler in (tm.Oversampling(), tm.Undersampling(0.5), tm.Undersampling({"a": 3})):
        texts[repr(sampler)] = str(sampler)
    snapshot("errors_resampling", texts)
