"""The .632 and .632+ bootstrap, by Efron's definitions."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from mlxtend.evaluate import BootstrapOutOfBag, bootstrap_point632_score
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from tallymark.errors import MissingValueError, OptionError, ShapeError, TallymarkError
from tallymark.resampling.efron import Bootstrap632, bootstrap_632
from tallymark.resampling.folds import folds_from_pairs

# Five rows and three bootstrap samples, worked by hand.
Y = ["a", "a", "b", "b", "b"]
APPARENT = ["a", "b", "b", "b", "b"]  # row 1 is wrong: 1/5
DRAWN = [[0, 0, 1, 2, 4], [1, 2, 3, 3, 4], [0, 1, 1, 4, 4]]  # out of bag: {3}, {0}, {2, 3}
ANSWERS = [
    ["a", "a", "b", "a", "b"],  # row 3 is wrong
    ["b", "a", "b", "b", "b"],  # row 0 is wrong
    ["a", "a", "b", "b", "b"],  # rows 2 and 3 are right
]
# Row 0: 1/1; row 2: 0/1; row 3: 1/2; rows 1 and 4 are never out. (1 + 0 + 1/2) / 3 = 1/2.
OUT_OF_BAG = Fraction(1, 2)
# Classes a 2/5, b 3/5; answers a 1/5, b 4/5: 2/5 x 4/5 + 3/5 x 1/5 = 11/25.
NO_INFORMATION = Fraction(11, 25)
IN, OUT = Fraction(632, 1000), Fraction(368, 1000)


def by_hand(**options: Any) -> Bootstrap632:
    given = {"y": Y, "y_pred": APPARENT, "replicates": ANSWERS, "in_bag": DRAWN} | options
    return bootstrap_632(given.pop("y"), given.pop("y_pred"), **given)


def naive(y: list[Any], apparent: list[Any], answers: list[list[Any]], drawn: list[list[int]]) -> list[float]:
    """The definitions of Efron and Tibshirani (1997) in loops."""
    n = len(y)
    err = sum(a != b for a, b in zip(y, apparent, strict=True)) / n
    of_rows = []
    for i in range(n):
        losses = [answers[b][i] != y[i] for b in range(len(drawn)) if i not in drawn[b]]
        if losses:
            of_rows.append(sum(losses) / len(losses))
    err1 = sum(of_rows) / len(of_rows)
    gamma = sum(y[i] != apparent[j] for i in range(n) for j in range(n)) / n**2
    err1_bounded = min(err1, gamma)
    rate = (err1_bounded - err) / (gamma - err) if err1_bounded > err and gamma > err else 0.0
    err632 = 0.368 * err + 0.632 * err1
    plus = err632 + (err1_bounded - err) * 0.368 * 0.632 * rate / (1 - 0.368 * rate)
    return [err, err1, gamma, rate, err632, plus]


def numbers(found: Bootstrap632) -> list[float | None]:
    of = ("apparent", "out_of_bag", "no_information", "overfitting", "error_632", "error_632_plus")
    return [getattr(found, name) for name in of]


# --- worked by hand --------------------------------------------------------------------------


def test_five_rows_worked_by_hand() -> None:
    found = by_hand()
    apparent = Fraction(1, 5)
    error = OUT * apparent + IN * OUT_OF_BAG  # 0.0736 + 0.316 = 0.3896
    # Out of bag (1/2) is above no information (11/25), so the overfitting is 1 and it is cut to 11/25:
    # 0.3896 + (11/25 - 1/5) x 0.368 x 0.632 / 0.632 = 0.3896 + 0.24 x 0.368 = 0.47792.
    plus = error + (NO_INFORMATION - apparent) * OUT
    assert (error, plus) == (Fraction("0.3896"), Fraction("0.47792"))
    assert numbers(found) == pytest.approx(
        [float(each) for each in (apparent, OUT_OF_BAG, NO_INFORMATION, 1, error, plus)], abs=1e-15
    )
    assert found.weight == pytest.approx(1)
    assert (found.rows, found.replicates, found.never_out) == (5, 3, 2)


def test_figures_worked_by_hand() -> None:
    found = bootstrap_632(apparent=0.1, out_of_bag=0.3, no_information=0.5)
    # R = 0.2 / 0.4 = 1/2; weight = 0.632 / (1 - 0.184) = 632/816 = 79/102.
    weight = Fraction(79, 102)
    assert found.overfitting == pytest.approx(0.5)
    assert found.weight == pytest.approx(float(weight))
    assert found.error_632 == pytest.approx(0.368 * 0.1 + 0.632 * 0.3)
    # While out of bag is below no information: (1 - w) x 1/10 + w x 3/10 = 1/10 + w/5 = 26/102 = 13/51.
    assert (1 - weight) / 10 + weight * Fraction(3, 10) == Fraction(13, 51)
    assert found.error_632_plus == pytest.approx(13 / 51)
    assert found.rows is None


def test_a_model_that_knows_its_rows_by_heart_in_noise() -> None:
    # Efron and Tibshirani's reason for .632+: one nearest neighbour where nothing can be learned has
    # apparent 0, out of bag and no information 1/2; .632 says 0.316, and the truth is 1/2.
    found = bootstrap_632(apparent=0, out_of_bag=0.5, no_information=0.5)
    assert found.error_632 == pytest.approx(0.316)
    assert (found.overfitting, found.error_632_plus) == (1, pytest.approx(0.5))


@pytest.mark.parametrize(
    ("apparent", "out_of_bag", "no_information", "rate"),
    [
        pytest.param(0.2, 0.2, 0.5, 0, id="no more out of bag than apparent"),
        pytest.param(0.3, 0.2, 0.5, 0, id="less out of bag than apparent"),
        pytest.param(0.3, 0.4, 0.3, 0, id="no information equals apparent"),
        pytest.param(0.3, 0.4, 0.1, 0, id="no information below apparent"),
        pytest.param(0.0, 0.0, 0.0, 0, id="nothing is ever wrong"),
        pytest.param(0.1, 0.6, 0.5, 1, id="out of bag above no information"),
        pytest.param(1.0, 1.0, 1.0, 0, id="all is wrong"),
    ],
)
def test_the_overfitting_rate_stays_between_0_and_1(
    apparent: float, out_of_bag: float, no_information: float, rate: float
) -> None:
    found = bootstrap_632(apparent=apparent, out_of_bag=out_of_bag, no_information=no_information)
    assert found.overfitting == rate
    assert found.weight == pytest.approx(1 if rate else 0.632)
    added = 0.368 * (no_information - apparent) if rate else 0
    assert found.error_632_plus == pytest.approx(0.368 * apparent + 0.632 * out_of_bag + added)


# --- against loops and a peer ----------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("seed", range(8))
def test_equals_the_definitions_in_loops(classes: int, seed: int) -> None:
    rng = np.random.default_rng([classes, seed])
    n, samples = int(rng.integers(4, 30)), int(rng.integers(2, 25))
    y = rng.integers(classes, size=n)
    apparent = np.where(rng.random(n) < 0.8, y, rng.integers(classes, size=n))
    answers = np.where(rng.random((samples, n)) < 0.5, y, rng.integers(classes, size=(samples, n)))
    drawn = rng.integers(n, size=(samples, n))
    expected = naive(y.tolist(), apparent.tolist(), answers.tolist(), drawn.tolist())
    counts = np.array([np.bincount(each, minlength=n) for each in drawn])
    for in_bag in (counts > 0, counts):
        found = bootstrap_632(y, apparent, replicates=answers, in_bag=in_bag)
        assert numbers(found) == pytest.approx(expected, abs=1e-12)


def test_equals_mlxtend_where_the_definitions_agree() -> None:
    # mlxtend gives one number per bootstrap sample: the accuracy out of bag of that sample's model, weighed
    # with its accuracy on all rows, where Efron takes the model that learned all rows, and averages the
    # out-of-bag errors over rows first. With one sample, whose own answers stand for the apparent ones, the
    # two definitions are one; only that mlxtend lets the overfitting rate leave 0 to 1.
    X, y = load_iris(return_X_y=True)
    X = X[:, :1]
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    simple, plus = (
        bootstrap_point632_score(tree, X, y, n_splits=6, method=method, random_seed=1)
        for method in (".632", ".632+")
    )
    rates = []
    for place, (train, _) in enumerate(BootstrapOutOfBag(n_splits=6, random_seed=1).split(X)):
        answers = tree.fit(X[train], y[train]).predict(X)
        in_bag = np.isin(np.arange(len(y)), train)
        found = bootstrap_632(y, answers, replicates=[answers], in_bag=[in_bag])
        rates.append(found.overfitting)
        assert found.error_632 == pytest.approx(1 - simple[place], abs=1e-12)
        if found.overfitting:
            assert found.error_632_plus == pytest.approx(1 - plus[place], abs=1e-12)
    assert sum(0 < rate < 1 for rate in rates if rate is not None) == 5


# --- forms of what is given ------------------------------------------------------------------

COUNTS = np.array([np.bincount(each, minlength=5) for each in DRAWN])


@pytest.mark.parametrize(
    "in_bag",
    [
        pytest.param(COUNTS > 0, id="booleans"),
        pytest.param((COUNTS > 0).tolist(), id="lists of booleans"),
        pytest.param((COUNTS > 0).astype(int), id="zeros and ones"),
        pytest.param(COUNTS, id="counts"),
        pytest.param(COUNTS.tolist(), id="lists of counts"),
        pytest.param(COUNTS.astype(float), id="counts as floats"),
        pytest.param(pd.DataFrame(COUNTS), id="a frame of counts"),
        pytest.param(DRAWN, id="lists of positions"),
        pytest.param(np.array(DRAWN), id="an array of positions"),
        pytest.param([np.array([0, 1, 2, 4]), [1, 2, 3, 4], (0, 1, 4)], id="positions, each once"),
        pytest.param(
            folds_from_pairs(
                [(drawn, np.setdiff1d(np.arange(5), drawn)) for drawn in map(np.array, DRAWN)], 5, "bootstrap"
            ),
            id="folds",
        ),
    ],
)
def test_in_bag_in_any_form(in_bag: Any) -> None:
    assert numbers(by_hand(in_bag=in_bag)) == numbers(by_hand())


@pytest.mark.parametrize(
    "of",
    [
        pytest.param(list, id="lists"),
        pytest.param(np.array, id="numpy text"),
        pytest.param(lambda labels: np.array(labels, object), id="objects"),
        pytest.param(pd.Series, id="pandas"),
        pytest.param(lambda labels: pd.Series(labels, dtype="category"), id="pandas categories"),
        pytest.param(pl.Series, id="polars"),
        pytest.param(lambda labels: [each == "a" for each in labels], id="booleans"),
        pytest.param(lambda labels: [7 if each == "a" else 12 for each in labels], id="whole numbers"),
        pytest.param(lambda labels: np.array([each == "a" for each in labels], float), id="floats"),
    ],
)
def test_labels_of_any_type(of: Any) -> None:
    answers = [of(each) for each in ANSWERS]
    assert numbers(by_hand(y=of(Y), y_pred=of(APPARENT), replicates=answers)) == numbers(by_hand())


def test_labels_of_another_type_on_one_side() -> None:
    found = by_hand(y=[True, True, False, False, False], y_pred=[1, 0, 0, 0, 0], replicates=np.zeros((3, 5)))
    # Of the rows out of bag only row 0 is True: wrong; rows 2 and 3 are right.
    assert (found.apparent, found.out_of_bag) == (pytest.approx(1 / 5), pytest.approx(1 / 3))
    with pytest.raises(TallymarkError, match="number"):
        by_hand(y=[1, 1, 0, 0, 0])


def test_answers_to_rows_out_of_bag_are_enough() -> None:
    out = [[ANSWERS[0][3]], [ANSWERS[1][0]], [ANSWERS[2][2], ANSWERS[2][3]]]
    assert numbers(by_hand(replicates=out)) == numbers(by_hand())


def test_answers_to_rows_in_the_bag_do_not_count() -> None:
    wild = np.where(COUNTS > 0, "nonsense", np.array(ANSWERS))
    assert numbers(by_hand(replicates=wild)) == numbers(by_hand())


# --- what is left out, and what is undefined ---------------------------------------------------


def test_rows_never_out_of_bag_are_left_out_and_said() -> None:
    found = by_hand(in_bag=COUNTS > 0)
    assert found.notes == (
        "2 of 5 rows are in every bootstrap sample: the out-of-bag error is of the others.",
    )
    assert str(found).endswith(found.notes[0])


def test_no_row_out_of_bag() -> None:
    found = by_hand(in_bag=np.ones((3, 5), bool))
    assert numbers(found) == [pytest.approx(1 / 5), None, pytest.approx(11 / 25), None, None, None]
    assert (found.weight, found.never_out, found.notes) == (None, 5, ())
    assert found.why == "no row is ever out of bag"
    assert found.to_dict()["why"] == found.why
    assert "undefined: no row is ever out of bag." in str(found)


def test_without_no_information_there_is_no_632_plus() -> None:
    found = bootstrap_632(apparent=0.1, out_of_bag=0.3)
    assert found.error_632 == pytest.approx(0.2264)
    assert (found.overfitting, found.weight, found.error_632_plus) == (None, None, None)
    assert found.why == "the no-information error is not known"


def test_one_class_everywhere() -> None:
    found = bootstrap_632(["a"] * 3, ["a"] * 3, replicates=[["a"] * 3], in_bag=[[True, False, True]])
    assert numbers(found) == [0, 0, 0, 0, 0, 0]


def test_what_it_prints_and_its_json() -> None:
    found = by_hand(in_bag=COUNTS > 0)
    assert str(found).splitlines()[:2] == [
        ".632+ error 0.478, .632 error 0.390",
        "apparent 0.200, out of bag 0.500, no information 0.440, overfitting 1.000, weight 1.000",
    ]
    form = json.loads(json.dumps(found.to_dict()))
    assert form["error_632_plus"] == pytest.approx(0.47792)
    assert (form["rows"], form["replicates"], form["never_out"]) == (5, 3, 2)
    assert "why" not in form
    assert "rows" not in bootstrap_632(apparent=0.1, out_of_bag=0.3).to_dict()


# --- errors ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        pytest.param({}, OptionError, "y and y_pred and replicates and in_bag are missing", id="nothing"),
        pytest.param({"apparent": 0.1}, OptionError, "out_of_bag is missing", id="half of the figures"),
        pytest.param({"no_information": 0.1}, OptionError, "apparent and out_of_bag are", id="only gamma"),
        pytest.param(
            {"apparent": 0.1, "y": Y}, OptionError, "from answers or from figures; got y and", id="both"
        ),
        pytest.param({"apparent": 12, "out_of_bag": 0.2}, OptionError, "from 0 to 1; got 12", id="per cent"),
        pytest.param({"apparent": 0.1, "out_of_bag": -0.2}, OptionError, "got -0.2", id="below zero"),
        pytest.param(
            {"apparent": "x", "out_of_bag": 0.2}, OptionError, "apparent must be a number", id="text"
        ),
        pytest.param(
            {"apparent": float("nan"), "out_of_bag": 0.2}, OptionError, "apparent must be finite", id="nan"
        ),
    ],
)
def test_what_is_missing_or_nonsense(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        bootstrap_632(**options)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        pytest.param({"y_pred": None}, OptionError, "y_pred is missing", id="no apparent answers"),
        pytest.param({"in_bag": None}, OptionError, "in_bag is missing", id="no bags"),
        pytest.param(
            {"y_pred": ["a"]}, ShapeError, "y has 5 rows and y_pred has 1", id="too few apparent answers"
        ),
        pytest.param(
            {"replicates": ANSWERS[:2]}, ShapeError, "2 bootstrap samples and in_bag 3", id="samples"
        ),
        pytest.param(
            {"replicates": np.array(ANSWERS).T}, ShapeError, "replicates has 5 bootstrap", id="turned round"
        ),
        pytest.param(
            {"replicates": [*ANSWERS[:2], ["a"] * 4]},
            ShapeError,
            "replicate 3 needs answers to all 5 rows, or to its 2 out of bag; got 4",
            id="a short replicate",
        ),
        pytest.param({"in_bag": (COUNTS > 0).T}, ShapeError, "boolean for each of 5 rows; got 3", id="marks"),
        pytest.param(
            {"in_bag": [[0, 5], [1], [2]]}, ShapeError, "names row 5, and there are rows", id="beyond"
        ),
        pytest.param({"in_bag": [[0, -1], [1], [2]]}, OptionError, "from 0 up", id="negative"),
        pytest.param({"in_bag": [[0.5], [1], [2]]}, OptionError, "float64 values", id="halves"),
        pytest.param({"in_bag": [["a"], ["b"], ["c"]]}, OptionError, "in_bag 1: a boolean", id="text"),
        pytest.param(
            {"in_bag": [[2, 0, 0, 2, 0]] * 3}, OptionError, "counts or positions", id="cannot be told"
        ),
        pytest.param({"y": "aabbb"}, ShapeError, "y needs a label per row; got str", id="a word of classes"),
        pytest.param({"y": np.eye(5)}, ShapeError, "label per row", id="label sets"),
        pytest.param({"y": []}, ShapeError, "label per row", id="no rows"),
        pytest.param({"in_bag": []}, ShapeError, "no bootstrap sample", id="no samples"),
        pytest.param({"in_bag": 3}, ShapeError, "line per bootstrap sample", id="a number"),
        pytest.param({"replicates": "abc"}, ShapeError, "line per bootstrap sample", id="a word"),
        pytest.param({"y": ["a", None, "b", "b", "b"]}, MissingValueError, "missing", id="a missing class"),
        pytest.param(
            {"in_bag": folds_from_pairs([([0, 1], [2])] * 3, 3, "x")},
            ShapeError,
            "of 3 rows",
            id="other folds",
        ),
    ],
)
def test_what_does_not_fit(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        by_hand(**options)
