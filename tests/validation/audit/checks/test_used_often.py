"""TM021: a test set that many models have been tried on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from scipy import integrate, stats
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import tallymark as tm
from tallymark.validation.audit.checks.used_often import largest_of

ROWS = 60
Y = np.arange(ROWS) % 2
X = np.random.default_rng(6).normal(size=(ROWS, 2)) + Y[:, None]
X_WIDE = np.random.default_rng(7).normal(size=(ROWS, 8))


def found_in(result: Any) -> tm.Finding | None:
    found = [finding for finding in result.findings if finding.code == "TM021"]
    assert len(found) <= 1
    return found[0] if found else None


def validated(folder: Path, k: int | Sequence[int], **options: Any) -> tm.Validation:
    models = {f"k={each}": KNeighborsClassifier(each) for each in np.atleast_1d(k).tolist()}
    return tm.validate(models, X, Y, **{"cv": 3, "run_folder": folder, **options})


def test_the_sixth_model_on_the_same_rows_is_one_too_many(tmp_path: Path) -> None:
    for k in (1, 2, 3, 4, 5):
        assert found_in(validated(tmp_path, k)) is None
    result = validated(tmp_path, 6)
    found = found_in(result)
    assert found is not None
    # 1 - 0.95^5 = 0.226; the expected largest of six standard normal numbers is 1.2672.
    pooled = result["accuracy"].pooled
    assert pooled.low is not None
    assert pooled.high is not None
    expected = 1.2672 * (pooled.high - pooled.low) / (2 * 1.95996)
    assert found.message == (
        "these 60 test rows have judged 6 different models in 6 runs of this run folder: 5 comparisons with "
        "what came before. Were all models equally good, one or more would still be called better with a "
        f"chance of 23% (at 5% each), and the best of 6 would look up to {expected:.3f} too good in "
        "accuracy. Judge the final choice on new rows, for in another cut these are no newer; `tallymark "
        "tune --method three-way` (method='three-way') keeps rows that nobody looks at, but would have had "
        "to come first. Or ask for p < 0.01 instead of 0.05."
    )
    numbers = dict(found.numbers)
    assert numbers.pop("chance_of_a_false_verdict") == pytest.approx(1 - 0.95**5)
    assert numbers.pop("best_looks_too_good_by") == pytest.approx(expected, rel=1e-4)
    counts = {"runs": 6, "models": 6, "comparisons": 5, "test_rows": 60, "tested_before": 60}
    assert numbers == {**counts, "metric": "accuracy"}


def test_asking_again_is_no_comparison(tmp_path: Path) -> None:
    for _ in range(3):
        for k in (1, 2, 3):
            assert found_in(validated(tmp_path, k)) is None
    for metric in ("f1", "recall", "precision"):  # other questions about a model that was judged before
        assert found_in(validated(tmp_path, 1, metric=metric)) is None


def test_models_of_one_run_are_compared_once(tmp_path: Path) -> None:
    assert found_in(validated(tmp_path, range(1, 8))) is None
    for k in (8, 9, 10, 11):
        assert found_in(validated(tmp_path, k)) is None
    found = found_in(validated(tmp_path, 12))
    assert found is not None
    assert (found.numbers["models"], found.numbers["comparisons"]) == (12, 5)


def test_other_folds_of_the_same_rows_are_the_same_test_set(tmp_path: Path) -> None:
    for k, cv in enumerate((2, 3, 4, 5, "loo"), start=1):
        assert found_in(validated(tmp_path, k, cv=cv)) is None
    assert found_in(validated(tmp_path, 6, cv="kfold:2x2")) is not None


def test_rows_that_were_tested_on_are_not_fresh_in_another_cut(tmp_path: Path) -> None:
    for k in (1, 2, 3, 4, 5):
        validated(tmp_path, k)
    found = found_in(validated(tmp_path, 6, cv="holdout:1/3"))
    assert found is not None
    assert (found.numbers["test_rows"], found.numbers["tested_before"]) == (20, 20)
    grid = {"n_neighbors": [7, 9]}
    tuned = tm.tune(KNeighborsClassifier(), X, Y, grid, method="three-way", run_folder=tmp_path)
    found = found_in(tuned)
    assert found is not None
    assert (found.numbers["test_rows"], found.numbers["comparisons"]) == (12, 6)


@pytest.mark.parametrize("cv", ["holdout:1/3", "holdout:1/5", "bootstrap:3"])
def test_test_rows_drawn_anew_are_mostly_the_same(tmp_path: Path, cv: str) -> None:
    for k in range(1, 9):
        result = validated(tmp_path, k, cv=cv, random_state=k)
    found = found_in(result)
    assert found is not None
    now = {row for fold in result.folds.folds for row in fold.test.tolist()}
    numbers = found.numbers
    assert 0.5 * len(now) <= numbers["tested_before"] <= numbers["test_rows"] == len(now)
    part = f"these {len(now)} test rows, {numbers['tested_before']} of which were tested on before, have"
    assert (part in found.message) == (numbers["tested_before"] < len(now))


def halves(folder: Path, k: int, tested: slice) -> tm.Validation:
    every = np.arange(ROWS)
    return validated(folder, k, cv=[(np.delete(every, every[tested]), every[tested])])


@pytest.mark.parametrize(
    ("tested", "before"),
    [(slice(30, 60), None), (slice(16, 45), None), (slice(15, 45), 15), (slice(20, 30), 10)],
    ids=["none", "14 of 29", "15 of 30", "10 of 10"],
)
def test_rows_that_were_not_tested_on_are_fresh(tmp_path: Path, tested: slice, before: int | None) -> None:
    for k in range(1, 7):
        last = halves(tmp_path, k, slice(0, 30))
    assert found_in(last) is not None
    found = found_in(halves(tmp_path, 7, tested))
    assert (None if found is None else found.numbers["tested_before"]) == before


def test_of_many_rows_the_same_set_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tallymark.validation.runs.hashing._MOST_ROWS", 10)
    for k in (1, 2, 3, 4, 5):
        validated(tmp_path, k)
    assert found_in(validated(tmp_path, 6, cv=5)) is not None
    assert found_in(validated(tmp_path, 6, cv="holdout:1/3")) is None


def test_a_record_that_somebody_changed_is_no_reason_to_fail(tmp_path: Path) -> None:
    for k in (1, 2, 3, 4, 5):
        validated(tmp_path, k)
    for place in (tmp_path / "runs").glob("*.json"):
        record = json.loads(place.read_text())
        place.write_text(json.dumps(record | {"tested_bits": ["none"]}))
    assert found_in(validated(tmp_path, 6)) is not None


MIXED = np.random.default_rng(8).permutation(Y)


@pytest.mark.parametrize(
    "change",
    [
        lambda k: X_WIDE[:, [k]],
        lambda k: (X_WIDE - X_WIDE.mean(axis=0)) * k,
        lambda k: pandas.DataFrame(X_WIDE[:, :k]),
    ],
    ids=["one column each", "prepared otherwise", "more and more columns"],
)
def test_rows_are_the_same_with_other_columns(tmp_path: Path, change: Any) -> None:
    for k in range(1, 6):
        assert found_in(tm.validate(GaussianNB(), change(k), MIXED, cv=3, run_folder=tmp_path)) is None
    found = found_in(tm.validate(GaussianNB(), change(6), MIXED, cv=3, run_folder=tmp_path))
    assert found is not None
    assert (found.numbers["models"], found.numbers["comparisons"]) == (6, 5)


def test_one_table_in_two_containers_is_one_model(tmp_path: Path) -> None:
    for k in (1, 2, 3, 4):
        tm.validate(KNeighborsClassifier(k), X, MIXED, cv=3, run_folder=tmp_path)
    for table in (X, pandas.DataFrame(X)):
        result = tm.validate(KNeighborsClassifier(5), table, MIXED, cv=3, run_folder=tmp_path)
        assert found_in(result) is None
    result = tm.validate(KNeighborsClassifier(6), pandas.DataFrame(X), MIXED, cv=3, run_folder=tmp_path)
    found = found_in(result)
    assert found is not None
    assert (found.numbers["models"], found.numbers["comparisons"], found.numbers["runs"]) == (6, 5, 7)


def test_an_experiment_with_two_tables_of_the_same_rows_is_one_run(tmp_path: Path) -> None:
    data: dict[str, Any] = {"raw": (X, MIXED), "squares": (X**2, MIXED)}
    for k in (1, 2, 3, 4, 5):
        both = tm.validate(KNeighborsClassifier(k), data, cv=3, run_folder=tmp_path)
        assert not [finding for finding in both.findings if finding.code == "TM021"]
    found = found_in(tm.validate(KNeighborsClassifier(6), X, MIXED, cv=3, run_folder=tmp_path))
    assert found is not None
    assert (found.numbers["models"], found.numbers["comparisons"], found.numbers["runs"]) == (11, 5, 6)


@pytest.mark.parametrize(
    "classes",
    [np.sort(Y), np.arange(ROWS) % 3, np.arange(ROWS) // 2 % 2, np.repeat(range(3), 20)[::-1]],
    ids=["sorted", "in turn", "pairs in turn", "blocks"],
)
def test_classes_in_an_order_that_others_have_too_do_not_tell_rows(tmp_path: Path, classes: Any) -> None:
    for k in range(1, 7):
        other = tm.validate(GaussianNB(), X_WIDE[:, [k]], classes, cv=3, run_folder=tmp_path)
        assert found_in(other) is None


def test_other_data_are_fresh(tmp_path: Path) -> None:
    for k in (1, 2, 3, 4, 5):
        validated(tmp_path, k)
    other = tm.validate(KNeighborsClassifier(6), X + 1, Y, cv=3, run_folder=tmp_path)
    assert found_in(other) is None
    assert found_in(validated(tmp_path, 6, run_folder=None)) is None


def test_searches_count_by_what_they_chose(tmp_path: Path) -> None:
    for k in (1, 2, 3, 4, 5):
        options: dict[str, Any] = {"cv": 2, "inner_cv": 2, "run_folder": tmp_path}
        assert found_in(tm.tune(KNeighborsClassifier(), X, Y, {"n_neighbors": [k]}, **options)) is None
    found = found_in(tm.tune(GaussianNB(), X, Y, {"var_smoothing": [1e-9]}, **options))
    assert found is not None
    assert (found.numbers["models"], found.numbers["comparisons"]) == (6, 5)
    # What was chosen by a search was judged there already.
    again = found_in(validated(tmp_path, 3))
    assert again is not None
    assert (again.numbers["models"], again.numbers["comparisons"]) == (6, 5)


def test_of_several_data_sets_each_has_its_own_runs(tmp_path: Path) -> None:
    for k in (1, 2, 3, 4, 5):
        validated(tmp_path, k)
    data: dict[str, Any] = {"used": (X, Y), "fresh": (X + 1, Y)}
    both = tm.validate(KNeighborsClassifier(6), data, cv=3, run_folder=tmp_path)
    found = [finding for finding in both.findings if finding.code == "TM021"]
    assert [finding.numbers["data_set"] for finding in found] == ["used"]


@pytest.mark.parametrize("count", [1, 2, 5, 30])
def test_the_largest_of_normal_numbers(count: int) -> None:
    def times_density(x: float) -> float:
        return float(x * count * stats.norm.pdf(x) * stats.norm.cdf(x) ** (count - 1))

    assert largest_of(count) == pytest.approx(integrate.quad(times_density, -12, 12)[0], abs=1e-5)
