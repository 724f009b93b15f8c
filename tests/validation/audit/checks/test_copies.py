"""TM018 and TM020: copies of rows on both sides of a split."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from imblearn.over_sampling import RandomOverSampler
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import accuracy_score
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, PolynomialFeatures

import tallymark as tm
from tallymark.findings import Finding
from tallymark.resampling.folds import folds_from_pairs
from tallymark.validation.audit.checks import copies, oversampled
from tallymark.validation.audit.protocol import Protocol
from tallymark.validation.data.data_set import data_set

RANDOM = np.random.default_rng(4)
ROWS, PASTED = 200, 20
X = RANDOM.normal(size=(ROWS, 3))
Y = np.where(X[:, 0] + RANDOM.normal(size=ROWS) > 0, "yes", "no")
TWICE = np.r_[np.arange(ROWS), np.arange(PASTED)]
FIRST, AGAIN = np.arange(ROWS), np.arange(ROWS, ROWS + PASTED)
WORDS = np.array([np.bincount(RANDOM.integers(0, 2000, 30), minlength=2000) for _ in range(ROWS)])
NEAREST = KNeighborsClassifier(1)
BINS = KBinsDiscretizer(4, encode="onehot", strategy="uniform")


def codes(result: Any) -> list[str]:
    return [each.code for each in result.findings]


def audit(X: Any, y: Any, cv: Any = None, **options: Any) -> list[Finding]:
    """The two findings of rows cut into ten folds, without a fit."""
    data = data_set(X, y, **options)
    folds = tm.KFold(10).folds(data.y, data.y, data.groups) if cv is None else cv
    found = (check(Protocol(data, folds)) for check in (copies.check, oversampled.check))
    return [each for each in found if each is not None]


# --- copies --------------------------------------------------------------------------------------


def test_numbers_by_hand() -> None:
    # The first 20 rows stand again at the end: one fold tests the end, and all of it was learned.
    y = Y[TWICE]
    validation = tm.validate(NEAREST, X[TWICE], y, cv=[(FIRST, AGAIN)])
    (found,) = validation.findings
    assert found.code == "TM018"
    numbers = found.numbers
    assert (numbers["rows"], numbers["test_rows"], numbers["share"]) == (PASTED, PASTED, 1)
    assert (numbers["pairs"], numbers["other_class"]) == (PASTED, 0)
    assert found.message.startswith("20 of 20 test rows (100.0%) are copies of training rows, with the same")


def test_scores_with_and_without_a_twin() -> None:
    test = np.r_[AGAIN, np.arange(100, 150)]
    train = np.setdiff1d(np.arange(ROWS + PASTED), test)
    validation = tm.validate(
        {"nearest": NEAREST, "bayes": GaussianNB()}, X[TWICE], Y[TWICE], cv=[(train, test)]
    )
    (found,) = validation.findings
    assert (found.numbers["rows"], found.numbers["test_rows"]) == (20, 70)
    said = NEAREST.fit(X[TWICE][train], Y[TWICE][train]).predict(X[100:150])
    alone = accuracy_score(Y[100:150], said)
    assert found.numbers["scores"]["nearest"] == {"copies": 1.0, "others": pytest.approx(alone)}
    assert set(found.numbers["scores"]) == {"nearest", "bayes"}
    # Of the two models the one that gains more is told.
    assert f"'nearest' has accuracy 1.000 on them and {alone:.3f} on the other test rows." in found.message
    assert "--group COL, groups=" in found.message


@pytest.mark.parametrize(
    ("options", "metric"),
    [
        ({"metric": "error_rate"}, "error_rate"),
        ({"metric": "auc", "pos_label": "yes"}, "accuracy"),
        ({"metric": "total_cost", "costs": {"yes": {"no": 1}, "no": {"yes": 1}}}, "accuracy"),
    ],
    ids=["of answers", "of ranks in several folds", "of costs"],
)
def test_the_metric_that_is_told(options: dict[str, Any], metric: str) -> None:
    (found,) = tm.validate(NEAREST, X[TWICE], Y[TWICE], cv=5, **options).findings
    assert found.numbers["metric"] == metric
    if metric == "error_rate":
        assert "'KNeighborsClassifier' has error_rate 0.000 on them" in found.message


def test_equal_features_with_another_class_are_counted() -> None:
    other = np.where(Y == "yes", "no", "yes")
    rows = np.r_[TWICE, np.arange(PASTED, PASTED + 5)]
    classes = np.r_[Y[TWICE], other[PASTED : PASTED + 5]]
    test = np.arange(ROWS, ROWS + PASTED + 5)
    (found,) = tm.validate(NEAREST, X[rows], classes, cv=[(FIRST, test)]).findings
    assert (found.numbers["rows"], found.numbers["other_class"]) == (PASTED, 5)
    assert "5 test rows equal a training row of another class." in found.message


def test_equal_features_with_another_class_alone_are_let_pass() -> None:
    classes = np.r_[Y, np.where(Y[:PASTED] == "yes", "no", "yes")]
    assert audit(X[TWICE], classes) == []


def test_copies_that_stay_together_are_not_found() -> None:
    groups = TWICE // 5
    assert codes(tm.validate(NEAREST, X[TWICE], Y[TWICE], cv=5, groups=groups)) == []
    assert codes(tm.validate(NEAREST, X[TWICE], Y[TWICE], cv=5)) == ["TM018"]


def test_a_row_that_is_drawn_twice_is_no_copy() -> None:
    assert codes(tm.validate(GaussianNB(), X, Y, cv="bootstrap:5")) == []
    assert codes(tm.validate(GaussianNB(), X[TWICE], Y[TWICE], cv="bootstrap:5")) == ["TM018"]


def test_rows_in_no_fold_have_no_twins() -> None:
    # What is pasted neither trains nor tests.
    cut = folds_from_pairs([(np.arange(100), np.arange(100, ROWS))], ROWS + PASTED, "by hand")
    assert audit(X[TWICE], Y[TWICE], cut) == []


@pytest.mark.parametrize("pasted", [2, 3], ids=["two", "three"])
def test_few_copies_are_let_pass(pasted: int) -> None:
    rows = np.r_[np.arange(100), np.arange(pasted)]
    cut = folds_from_pairs([(np.arange(100), np.arange(100, 100 + pasted))], 100 + pasted, "by hand")
    assert bool(audit(X[rows], Y[rows], cut)) == (pasted == 3)


@pytest.mark.parametrize(
    "made",
    [
        lambda rows: pd.DataFrame(X[rows], columns=["a", "b", "c"]),
        lambda rows: pl.DataFrame(X[rows], schema=["a", "b", "c"]).with_columns(pl.lit("x").alias("d")),
        lambda rows: csr_matrix(WORDS[rows]),
        lambda rows: X[rows].tolist(),
        lambda rows: np.where(np.abs(X) > 2, np.nan, X)[rows],
    ],
    ids=["pandas", "polars", "sparse", "lists", "missing values"],
)
def test_whatever_holds_the_rows(made: Any) -> None:
    assert [each.code for each in audit(made(TWICE), Y[TWICE])] == ["TM018"]
    assert audit(made(FIRST), Y) == []


@pytest.mark.parametrize(
    "number",
    [np.arange(220), RANDOM.permutation(220) + 1.0, np.array([f"p{row:03}" for row in range(220)], object)],
    ids=["in order", "in any order", "in names"],
)
def test_a_column_that_counts_rows_hides_no_copies(number: Any) -> None:
    table = pd.DataFrame(X[TWICE]).assign(number=number)
    assert [each.code for each in audit(table, Y[TWICE])] == ["TM018"]


def test_texts() -> None:
    texts = [f"row {number} is about the value {value:.2f}" for number, value in enumerate(X[:, 0])]
    model = make_pipeline(CountVectorizer(), MultinomialNB())
    assert codes(tm.validate(model, [texts[row] for row in TWICE], Y[TWICE], cv=5)) == ["TM018"]
    assert codes(tm.validate(model, texts, Y, cv=5)) == []


def test_features_that_cannot_be_compared_are_let_pass() -> None:
    lists = np.empty(ROWS, object)
    lists[:] = [[1, 2]] * ROWS
    assert audit(lists, Y) == []


# --- equal rows that are no copies -----------------------------------------------------------------


def like_grades(columns: int, noise: float) -> tuple[Any, Any]:
    """Whole numbers from 1 to 10 that go with each other, most of them 1 where the tumour is benign."""
    random = np.random.default_rng(1)
    malignant = random.random(700) < 0.35
    severity = np.where(malignant, random.normal(6, 2, 700), random.gamma(1, 1, 700))
    grades = severity[:, None] + random.normal(0, noise, (700, columns))
    return np.clip(np.rint(grades), 1, 10), malignant


def boards(random: Any, rows: int) -> Any:
    """Noughts and crosses, as many of each."""
    found = np.zeros((rows, 9), int)
    for board in found:
        places = random.permutation(9)[: 2 * random.integers(2, 5)]
        board[places[::2]], board[places[1::2]] = 1, 2
    return found


def hanging_together(kind: str) -> Any:
    """Columns of which hardly one can change alone."""
    random = np.random.default_rng(2)
    names = OneHotEncoder().fit_transform(random.integers(0, 3, (600, 5)))
    age, dose, items = (
        random.integers(18, 80, 600),
        random.integers(1, 7, (600, 2)),
        random.integers(0, 5, (600, 4)),
    )
    height = np.rint(random.normal(172, 8, 600))
    weight = np.rint(22 * (height / 100) ** 2 + random.normal(0, 8, 600))
    day = random.integers(0, 365, 3000) * 2 * np.pi / 365
    made = {
        "levels": names.toarray(),
        "sparse levels": names,
        "levels of bins": BINS.fit_transform(random.normal(size=(600, 4))),
        "powers": np.c_[age, age**2, np.log(age), 1 / age],
        "powers about a middle": np.c_[age - 40, (age - 40) ** 2, (age - 40) ** 3],
        "rankings": np.array([random.permutation(5) for _ in range(600)]),
        "shares of ten": random.multinomial(10, [0.3, 0.3, 0.4], 600),
        "a product": np.c_[dose, dose[:, 0] * dose[:, 1]],
        "polynomials": PolynomialFeatures(2).fit_transform(np.c_[age % 25 + 18, height]),
        "items and their total": np.c_[items, items.sum(axis=1)],
        "items and their mean": np.c_[items, items.mean(axis=1), (items == 0).sum(axis=1)],
        "body mass": np.c_[height, weight, np.round(weight / (height / 100) ** 2, 1)],
        "boards": boards(random, 600),
        "sine and cosine": np.c_[np.sin(day), np.cos(day)],
        "places measured again": random.normal(size=(40, 3))[random.integers(0, 40, 600)],
        "codes and names": [[code * 7, f"{code % 9} of {code}"] for code in (age % 40)[:150].tolist()],
    }
    return made[kind]


@pytest.mark.parametrize(
    "kind",
    [
        "levels", "sparse levels", "levels of bins", "powers", "powers about a middle", "rankings",
        "shares of ten", "a product", "polynomials", "items and their total", "items and their mean",
        "body mass", "boards", "sine and cosine", "places measured again", "codes and names",
    ],
)  # fmt: skip
def test_columns_that_follow_from_others_make_no_copies(kind: str) -> None:
    features = hanging_together(kind)
    rows = features.shape[0] if hasattr(features, "shape") else len(features)
    classes = np.random.default_rng(3).integers(0, 2, rows)
    data = data_set(features, classes)
    twins = Protocol(data, tm.KFold(10).folds(data.y, data.y)).twins
    assert twins is not None
    assert twins.many, "there must be equal rows to let pass"
    assert audit(features, classes) == []


def natural(kind: str) -> tuple[Any, Any]:
    random = np.random.default_rng(2)
    if kind.startswith("grades"):
        return like_grades(9, {"grades": 1.0, "grades that go together": 0.4}[kind])
    if kind == "votes":
        party = random.integers(0, 2, 435)
        loyal = random.random((435, 16)) < random.beta(8, 1, (435, 1))
        return np.where(loyal, party[:, None], 1 - party[:, None]), party
    if kind == "one word":
        return random.choice(["yes", "no", "maybe"], (300, 1)), np.arange(300) % 2
    if kind == "one-hot":
        return np.eye(12)[random.integers(0, 12, 400)], np.arange(400) % 2
    if kind == "sparse one-hot":
        return csr_matrix(np.eye(12)[random.integers(0, 12, 400)]), np.arange(400) % 2
    age = random.integers(18, 80, 600)
    return np.column_stack((age, 2020 - age, random.integers(0, 2, 600))), np.arange(600) % 2


@pytest.mark.parametrize(
    "kind",
    ["grades", "grades that go together", "votes", "one word", "one-hot", "sparse one-hot", "age and year"],
)
def test_equal_rows_of_coarse_values_are_let_pass(kind: str) -> None:
    features, classes = natural(kind)
    data = data_set(features, classes)
    twins = Protocol(data, tm.KFold(10).folds(data.y, data.y)).twins
    assert twins is not None
    assert twins.many, "there must be equal rows to let pass"
    assert audit(features, classes) == []


def test_copies_stand_out_beside_coarse_columns() -> None:
    coarse = np.random.default_rng(3).integers(0, 2, (ROWS, 3))
    mixed = np.column_stack((X[:, :2], coarse))
    assert [each.code for each in audit(mixed[TWICE], Y[TWICE])] == ["TM018"]


@pytest.mark.parametrize("rows", [200, 2000], ids=["some rows", "many rows"])
def test_copies_stand_out_beside_one_column_of_many_values(rows: int) -> None:
    random = np.random.default_rng(5)
    names, classes = np.eye(4)[random.integers(0, 4, (rows, 3))].reshape(rows, -1), np.arange(rows) % 2
    age, hours = random.integers(18, 80, rows), random.integers(10, 60, rows)
    table = np.c_[names, age, hours, random.lognormal(size=rows).round(2)]
    twice = np.r_[np.arange(rows), random.choice(rows, rows // 20, replace=False)]
    assert [each.code for each in audit(table[twice], classes[twice])] == ["TM018"]
    assert audit(table, classes) == []


def test_polynomials_do_not_hide_copies() -> None:
    features = PolynomialFeatures(2).fit_transform(X)
    assert [each.code for each in audit(features[TWICE], Y[TWICE])] == ["TM018"]


# --- oversampled -----------------------------------------------------------------------------------

NO, YES = np.flatnonzero(Y == "no"), np.flatnonzero(Y == "yes")[:15]


def repeated(times: int) -> Any:
    return np.r_[NO, np.repeat(YES, times)]


def test_rows_oversampled_before_the_split() -> None:
    rows = repeated(6)
    (found,) = tm.validate(NEAREST, X[rows], Y[rows], cv=5).findings
    assert found.code == "TM020"
    assert found.numbers["classes"] == [
        {"label": "no", "rows": len(NO), "different": len(NO)},
        {"label": "yes", "rows": 90, "different": 15},
    ]
    assert found.message.startswith(
        "class 'yes' has 90 rows, of which 15 are different, while 'no' has hardly a copy: this looks "
        "oversampled before the split."
    )
    assert "--oversample 1 (sampler=tm.Oversampling(1.0)) repeats training rows only." in found.message
    # Every row is there six times, and no fold of five holds all of them with the classes stratified so.
    assert found.numbers["rows"] > 80
    assert found.numbers["scores"]["KNeighborsClassifier"]["copies"] > 0.95


def test_the_way_out_is_silent() -> None:
    rows = np.r_[NO, YES]
    assert codes(tm.validate(NEAREST, X[rows], Y[rows], cv=5, sampler=tm.Oversampling(1.0))) == []


def test_rows_drawn_at_random_until_classes_are_balanced() -> None:
    rows = np.r_[NO, YES]
    features, classes = RandomOverSampler(random_state=0).fit_resample(X[rows], Y[rows])
    assert [each.code for each in audit(features, classes)] == ["TM020"]


def test_several_classes_made_as_large_as_the_largest() -> None:
    three = np.where(X[:, 1] > 1, "third", Y)
    large, small, third = (np.flatnonzero(three == name) for name in ("no", "yes", "third"))
    rows = np.r_[large, np.repeat(small[:10], 5), np.repeat(third[:8], 6)]
    (found,) = audit(X[rows], three[rows])
    assert found.message.startswith(
        "2 classes ['third', 'yes'] have 98 rows, of which 18 are different, while"
    )


@pytest.mark.parametrize(
    "rows",
    [
        np.repeat(np.arange(ROWS), 2),
        np.r_[np.repeat(NO, 2), np.repeat(YES, 2)],
        np.repeat(np.arange(ROWS), 3),
    ],
    ids=["the whole table twice", "all of some rows twice", "the whole table three times"],
)
def test_copies_of_all_classes_are_no_oversampling(rows: Any) -> None:
    assert [each.code for each in audit(X[rows], Y[rows])] == ["TM018"]


def test_a_coarse_class_is_not_oversampled() -> None:
    # Of 81 possible rows the small class has each about three times; the large one is measured.
    random = np.random.default_rng(6)
    classes = np.r_[np.zeros(800, int), np.ones(250, int)]
    features = np.r_[random.normal(size=(800, 4)), random.integers(0, 3, (250, 4))]
    different = len(np.unique(features[800:], axis=0))
    assert different * 2 <= 250, "there must be something to let pass"
    assert audit(features, classes) == []


# --- the command line --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "code"), [(TWICE, "TM018"), (repeated(6), "TM020"), (np.arange(ROWS), None)],
    ids=["pasted", "oversampled", "clean"],
)  # fmt: skip
def test_on_the_command_line(tmp_path: Any, capsys: Any, rows: Any, code: str | None) -> None:
    from tallymark.cli import main

    table = pl.DataFrame(X[rows], schema=["a", "b", "c"]).with_columns(pl.Series("y", Y[rows]))
    table.write_csv(tmp_path / "data.csv")
    asked = ("validate", str(tmp_path / "data.csv"), "--target", "y", "--model", "knn", "--method", "kfold:5")
    assert main((*asked, "--json")) == 0
    findings = json.loads(capsys.readouterr().out)["findings"]
    assert [each["code"] for each in findings] == ([code] if code else [])
    assert main(asked) == 0
    assert ("Findings" in capsys.readouterr().out) == (code is not None)
