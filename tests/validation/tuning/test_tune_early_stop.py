"""Early stopping: the same choice from fewer fits, and draws that end when there were enough."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from tallymark.drawing.figure import Cells, Line, Points
from tallymark.errors import OptionError
from tallymark.inference import Estimate
from tallymark.metrics import Asked, ask
from tallymark.resampling.folds import Fold, Folds
from tallymark.validation.fits.fitting import Fit, Task
from tallymark.validation.tuning import Tuning, racing, search, tune
from tallymark.validation.tuning.candidates import Candidate
from tallymark.validation.tuning.given import ENOUGH, trials_of
from tallymark.validation.tuning.search import Search, Searched

X, Y = make_classification(150, 6, flip_y=0.15, random_state=5)
TREE = DecisionTreeClassifier(random_state=0)
SMALL: dict[str, Any] = {"cv": 3, "inner_cv": 4}


# --- tables of scores --------------------------------------------------------------------------------

Table = Sequence[Sequence[float | None]]
"""A row for every candidate, a column for every fold; None where there is no score."""


@dataclass(frozen=True, eq=False)
class Told:
    """A scorer that is told the scores instead of working them out."""

    asked: Asked
    data: Any = None
    of_training: Any = None

    def of(self, _rows: Any, fit: Fit) -> Estimate:
        value = fit.of_training["score"]
        return Estimate(value, why="it is not defined" if value is None else None)

    def training_value(self, _fit: Fit) -> None:
        return None


def told(task: Task) -> Fit:
    score = task.parameters["scores"][task.seed[-1]]
    return Fit(np.empty(0, np.int64), of_training={"score": score})


def instead(tasks: Iterable[Task], **_options: Any) -> Iterator[Fit]:
    return map(told, tasks)


@pytest.fixture
def no_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fits that only tell their score."""
    for module in (racing, search):
        monkeypatch.setattr(module, "run", instead)


def search_of(table: Table, metric: str) -> Search:
    cut = tuple(Fold(np.array([place]), len(table[0])) for place in range(len(table[0])))
    candidates = [Candidate("told", None, {"scores": scores}) for scores in table]
    folds = Folds(cut, len(cut), "told")
    return Search(candidates, Told(ask(metric)), np.arange(len(cut)), folds, (0,))  # type: ignore[arg-type]


def both(tables: Sequence[Table], metric: str) -> Iterator[tuple[Searched, Searched]]:
    """Every search whole, and with early stopping, all at once."""
    searches = [search_of(table, metric) for table in tables]
    whole = search.searched(searches, n_jobs=1, what="")
    yield from zip(whole, racing.raced(searches, n_jobs=1, what=""), strict=True)


def random_table(rng: np.random.Generator, low: float, high: float) -> Table:
    """Often with equal means, of which some differ by noise, and with folds that have no score."""
    candidates, folds = int(rng.integers(1, 40)), int(rng.choice([1, 2, 3, 5, 10, 11, 23]))
    scores = rng.uniform(low, high, (candidates, folds))
    if rng.random() < 0.7:
        steps = float(rng.choice([3, 10, 30]))
        scores = low + (high - low) * np.round(rng.beta(6, 2, (candidates, folds)) * steps) / steps
    if rng.random() < 0.3:
        scores = rng.permuted(np.tile(scores[:1], (candidates, 1)), axis=1)
    lost = rng.random((candidates, folds)) < rng.choice([0.0, 0.0, 0.02, 0.2])
    return [[None if gone else float(score) for score, gone in zip(*row, strict=True)]
            for row in zip(scores, lost, strict=True)]  # fmt: skip


@pytest.mark.usefixtures("no_models")
@pytest.mark.parametrize(
    ("metric", "low", "high"),
    [
        ("accuracy", 0.0, 1.0),
        ("accuracy", 0.0, 0.4),
        ("error_rate", 0.0, 0.5),
        ("mcc", -1.0, 1.0),
        ("log_loss", 0.0, 40.0),
        ("brier", 0.0, 2.0),
        ("lr_plus", 0.0, 300.0),
        ("lr_minus", 0.0, 300.0),
    ],
    ids=["higher", "far from the end", "lower", "below zero", "open end", "two", "no best", "large"],
)
def test_the_choice_is_that_of_the_whole_search(metric: str, low: float, high: float) -> None:
    rng = np.random.default_rng(len(metric))
    saved = 0
    for _ in range(25):
        for whole, early in both([random_table(rng, low, high) for _ in range(3)], metric):
            assert early.best == whole.best
            assert early.tied == whole.tied
            firsts = [place for place, rank in enumerate(whole.ranks) if rank == 1]
            assert [place for place, rank in enumerate(early.ranks) if rank == 1] == firsts
            assert early.fits + early.saved == whole.fits
            for one, other in zip(early.tried, whole.tried, strict=True):
                assert one.values == other.values[: len(one.values)]
                assert one.mean is None or one.mean == other.mean
                assert not one.outdone or one.mean is None
            saved += early.saved
    assert saved > 0


@pytest.mark.usefixtures("no_models")
def test_candidates_are_given_up_by_hand() -> None:
    table: Table = [
        [0.8, 0.9, 0.9, 0.9],  # 0.8 + 0.9 + 0.9 + 1 = 3.6 is not below, so it is tried to the end: 3.5
        [0.4, 1.0, 1.0, 1.0],  # 0.4 + 3 = 3.4 is below 3.6
        [0.9, 0.9, 0.9, 0.9],  # the best after one fold, tried to the end at once: 3.6
        [0.7, 0.9, 0.9, 0.9],  # 0.7 + 3 = 3.7, 0.7 + 0.9 + 2 = 3.6, 0.7 + 0.9 + 0.9 + 1 = 3.5
        [0.6, 1.0, 1.0, 1.0],  # 3.6 in the end: as good, so it is not given up
        [0.5, None, 1.0, 1.0],  # 0.5 + 3 = 3.5
        [0.8, None, 1.0, 1.0],  # has no mean after the second fold
    ]
    ((whole, early),) = both([table], "accuracy")
    assert [len(each.scores) for each in early.tried] == [4, 1, 4, 3, 4, 1, 2]
    assert early.best == whole.best == 2
    assert early.tied == whole.tied == 2
    assert early.ranks == (3, None, 1, None, 1, None, None)
    assert [each.why for each in early.tried[1:4]] == [
        "given up after 1 of 4 folds: it could not become the best",
        None,
        "given up after 3 of 4 folds: it could not become the best",
    ]
    assert early.tried[6].why == "it is not defined (given up after 2 of 4 folds)"
    assert [each.outdone for each in early.tried] == [False, True, False, True, False, True, False]
    assert (early.fits, early.saved) == (19, 9)


@pytest.mark.usefixtures("no_models")
def test_where_nothing_is_best_nothing_is_given_up_for_its_score() -> None:
    ((_, early),) = both([[[9.0, 9.0, 9.0], [0.1, 0.1, 0.1], [5.0, None, 5.0]]], "lr_plus")
    assert [len(each.scores) for each in early.tried] == [3, 3, 2]


@pytest.mark.usefixtures("no_models")
def test_one_fold_and_one_candidate_have_nothing_to_save() -> None:
    tables: list[Table] = [[[0.1], [0.9], [None]], [[0.1, 0.2, 0.3]]]
    for table in tables:
        ((whole, early),) = both([table], "accuracy")
        assert early.saved == 0
        assert early.best == whole.best


@pytest.mark.usefixtures("no_models")
def test_progress_is_told_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[int] = []

    def counting(items: Iterable[Any], total: int, _what: str) -> Iterator[Any]:
        every = list(items)
        counted.extend([len(every), total])
        return iter(every)

    monkeypatch.setattr(racing, "shown", counting)
    list(both([[[0.9, 0.9], [0.1, 0.1], [None, 0.1]]], "accuracy"))
    assert counted == [6, 6]


# --- real searches ------------------------------------------------------------------------------------


SEARCHES: dict[str, dict[str, Any]] = {
    "tree": {"model": TREE, "param_grid": {"max_depth": [1, 2, 4, 8], "min_samples_leaf": [1, 20, 60]}},
    "knn": {"model": KNeighborsClassifier(), "param_grid": {"n_neighbors": [1, 5, 25, 70]}, "metric": "auc"},
    "loss": {
        "model": LogisticRegression(),
        "param_distributions": {"C": stats.loguniform(1e-4, 1e3)},
        "n_iter": 12,
        "metric": "log_loss",
    },
    "open": {"model": RandomForestClassifier(3), "param_grid": {"max_depth": [1, 2, 3, 4]}, "metric": "mcc"},
    "many folds": {"model": TREE, "param_grid": {"max_depth": [1, 2, 8], "ccp_alpha": [0.0, 0.3]},
                   "cv": 2, "inner_cv": "loo", "X": X[:40], "y": Y[:40]},
    "three-way": {"model": TREE, "param_grid": {"max_depth": [1, 2, 4]}, "method": "three-way"},
    "one": {"model": TREE, "param_grid": {"max_depth": [1]}},
    "no best": {"model": TREE, "param_grid": {"max_depth": [1, 2, 3]}, "metric": "mean_cost",
                "costs": {0: {1: 1}, 1: {0: 2}}},
}  # fmt: skip


def searched(kind: str, **options: Any) -> Tuning:
    given = {"X": X, "y": Y, **({} if kind == "three-way" else SMALL), **SEARCHES[kind]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tune(**given, **options)


@pytest.mark.parametrize("kind", list(SEARCHES))
def test_real_searches_choose_the_same(kind: str) -> None:
    whole, early = searched(kind), searched(kind, early_stop=True)
    assert early.best_params == whole.best_params
    assert early.best_score == whole.best_score
    assert early.search.tied == whole.search.tied
    assert early.outer_values == whole.outer_values
    assert early.inner_values == whole.inner_values
    assert (early.best_model.predict(X) == whole.best_model.predict(X)).all()
    assert early.stopped is not None
    assert early.n_fits + early.stopped.saved == whole.n_fits
    assert early.stopped.of == sum(each.fits for each in whole.searches)
    assert whole.stopped is None
    if kind in ("tree", "many folds"):
        assert early.stopped.saved > 0
    if kind in ("three-way", "one", "no best"):
        assert early.stopped.saved == 0


def plainly(found: Tuning) -> str:
    """Everything but the time it took."""
    form = found.to_dict()
    for each in form["candidates"]:
        del each["seconds"]
    return json.dumps(form)


def test_two_workers_give_up_what_one_gives_up() -> None:
    one, two = (searched("tree", early_stop=True, n_jobs=n) for n in (1, 2))
    assert plainly(one) == plainly(two)


def test_a_run_folder_has_the_fits_that_were_made_and_the_whole_search_takes_them(tmp_path: Path) -> None:
    def kept() -> int:
        return len(list((tmp_path / "fits").glob("*.npz")))

    early = searched("tree", early_stop=True, run_folder=tmp_path)
    assert kept() == early.n_fits
    assert plainly(searched("tree", early_stop=True, run_folder=tmp_path)) == plainly(early)
    assert kept() == early.n_fits
    whole = searched("tree", run_folder=tmp_path)
    assert kept() == whole.n_fits > early.n_fits


class Picky(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Says one class; a label it was not given is an error."""

    def __init__(self, label: Any = 0) -> None:
        self.label = label

    def fit(self, X: Any, y: Any) -> Picky:  # noqa: ARG002
        self.classes_ = np.unique(y)
        if self.label == "fails":
            raise RuntimeError("it was told to fail")
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.label)


def test_what_fails_is_tried_once_in_every_search() -> None:
    grid = {"label": ["fails", 0, 1]}
    found = tune(Picky(), X, Y, grid, metric="precision", early_stop=True, **SMALL)
    failed, undefined, fine = found.candidates
    assert failed.why == "the fit failed: RuntimeError: it was told to fail (given up after 1 of 4 folds)"
    assert undefined.why is not None
    assert undefined.why.endswith("(given up after 1 of 4 folds)")
    assert fine.mean is not None
    # The search that chose and those of three outer folds; of each, three folds of two candidates are saved.
    assert found.failed == 4
    assert found.stopped is not None
    assert (found.stopped.saved, found.stopped.of) == (4 * 6, 4 * 12)
    assert found.n_fits == 24 + 3
    assert any(
        note.startswith("2 of 3 candidates have no score and cannot be chosen") for note in found.notes
    )


def test_nothing_to_choose_from_is_an_error_as_ever() -> None:
    with pytest.raises(OptionError, match=r"n_jobs is a number"):
        tune(TREE, X, Y, {"max_depth": [1]}, early_stop=True, n_jobs=0)
    with pytest.raises(Exception, match=r"^all 4 fits failed: RuntimeError: it was told to fail"):
        tune(Picky(), X, Y, {"label": ["fails"]}, early_stop=True, **SMALL)
    with pytest.raises(Exception, match=r"^no candidate can be chosen: precision of every one of 1"):
        tune(Picky(), X, Y, {"label": [0]}, metric="precision", early_stop=True, **SMALL)


# --- draws --------------------------------------------------------------------------------------------


def test_as_many_draws_are_enough_as_the_rule_says() -> None:
    assert 0.95**ENOUGH <= 0.05 < 0.95 ** (ENOUGH - 1)


def test_draws_end_when_there_were_enough() -> None:
    given: dict[str, Any] = {
        "param_distributions": {"ccp_alpha": stats.uniform(0, 0.1)},
        "method": "three-way",
    }
    early = tune(TREE, X, Y, n_iter=10**9, early_stop=True, **given)
    fewer = tune(TREE, X, Y, n_iter=59, **given)
    tried = [each.candidate.given for each in early.candidates]
    assert tried == [each.candidate.given for each in fewer.candidates]
    assert early.stopped is not None
    assert (early.stopped.saved, early.stopped.draws) == (0, 10**9)
    assert early.notes[:2] == (
        "draws stopped at 59 of the 1,000,000,000 asked for, which is --early-stop (early_stop=True): in no "
        "more than 5 % of searches so "
        "many all miss the best 5 % of what can be drawn, by the scores of the search (0.95^59 = 0.048).",
        "stopping early saved none of 59 fits: no candidate could be given up early.",
    )
    assert early.to_dict()["stopped"] == {
        "given_up": 0,
        "saved": 0,
        "of": 59,
        "error": 0.0,
        "draws": {"asked_for": 10**9, "tried": 59, "share_better": 0.05, "error": 0.05},
    }


def test_where_draws_were_cut_the_choice_is_the_same_among_those() -> None:
    shares = [share + k / 10_000 for share in (0.2, 0.98) for k in range(50)]
    options: dict[str, Any] = {"param_distributions": {"share": shares}, "n_iter": 90, **SMALL}
    found = tune(Wrong(), KNOWN, Y, early_stop=True, **options)
    assert found.notes[0].startswith("draws stopped at 59 of the 90 asked for")
    assert found.notes[1].endswith("Among the 59 candidates the choice is the same as without it.")


@pytest.mark.parametrize(
    ("values", "n_iter", "tried", "said"),
    [
        (100, 59, 59, None),
        (100, 60, 59, "draws stopped at 59 of the 60 asked for"),
        (60, 200, 59, "draws stopped at 59 of the 200 asked for"),
        (59, 200, 59, "there are no more than 59 different candidates, not the 200 asked for"),
        (7, 200, 7, "there are no more than 7 different candidates, not the 200 asked for"),
    ],
    ids=["as many as are enough", "one more", "one more there is", "no more there are", "few"],
)
def test_how_many_are_drawn(values: int, n_iter: int, tried: int, said: str | None) -> None:
    space = {"max_depth": list(range(1, values + 1))}
    early = trials_of(TREE, None, space, n_iter, 0, early_stop=True)
    assert len(early.candidates) == tried
    assert [note[: len(said or "")] for note in early.notes] == ([] if said is None else [said])
    whole = trials_of(TREE, None, space, n_iter, 0)
    assert len(whole.candidates) == min(values, n_iter)
    assert [each.given for each in whole.candidates[:tried]] == [each.given for each in early.candidates]


def test_every_model_has_its_own_draws_and_a_grid_has_none() -> None:
    models = {"tree": TREE, "knn": KNeighborsClassifier()}
    spaces = {"tree": {"max_depth": stats.randint(1, 10**6)}, "knn": {"n_neighbors": [1, 3]}}
    early = trials_of(models, None, spaces, 100, 0, early_stop=True)
    assert [each.name for each in early.candidates] == ["tree"] * 59 + ["knn"] * 2
    few, stopped = early.notes
    assert few.startswith("there are no more than 2 different candidates for 'knn', not the 100 asked for")
    assert stopped.startswith("draws of a model stopped at 59 of the 100 asked for")
    # How many to draw is no matter of a grid.
    nothing: Any = None
    grid = trials_of(TREE, {"max_depth": list(range(1, 101))}, None, nothing, 0, early_stop=True)
    assert (len(grid.candidates), grid.notes, grid.draws) == (100, (), None)


def test_a_number_of_draws_that_is_none_is_refused_as_ever() -> None:
    for given in (0, True, "many", 2.5):
        with pytest.raises(OptionError, match=r"n_iter, how many candidates are drawn, is a whole number"):
            trials_of(TREE, None, {"max_depth": [1, 2]}, given, 0, early_stop=True)  # type: ignore[arg-type]


# --- outputs -------------------------------------------------------------------------------------------


class Wrong(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Knows the class of every row, and tells another one of a share of them."""

    def __init__(self, share: float = 0.2, luck: int = 1, more: int = 1) -> None:
        self.share, self.luck, self.more = share, luck, more

    def fit(self, X: Any, y: Any) -> Wrong:  # noqa: ARG002
        self.classes_ = np.unique(y)
        if self.luck < 0:
            raise RuntimeError("no luck")
        return self

    def predict(self, X: Any) -> Any:
        return np.where(X[:, 1] < self.share, 1 - X[:, 0], X[:, 0]).astype(int)


KNOWN = np.column_stack([Y, np.random.default_rng(3).permutation(np.linspace(0, 1, len(Y)))])


@cache
def given_up(kind: str) -> Tuning:
    """Searches in which those that are nearly always wrong are given up after one fold, made once.

    The best is right in 0.8 of the rows, and even 0.1 + 3 in four folds is less.
    """
    grids: dict[str, Any] = {
        "curve": {"share": [0.2, 0.205, 0.21, 0.96, 0.98]},
        "cells": {"luck": [1, 2], "share": [0.2, 0.98]},
        "ranking": {"luck": [1, 2, -1], "more": [1, 2], "share": [0.2, 0.98]},
    }
    return tune(Wrong(), KNOWN, Y, grids[kind], early_stop=True, **SMALL)


def test_the_report_says_what_was_saved() -> None:
    found = given_up("curve")
    text = " ".join(str(found).split())
    saved = 5 * 4 * 4 + 3 - found.n_fits
    assert saved == 2 * 3 * 4  # of two candidates, in four searches, three of four folds
    assert (
        "stopping early saved 24 of 80 fits (30 %): candidates were given up once even perfect scores" in text
    )
    assert "had no score. The choice is the same as without it." in text
    ranks = "Ranks are among the candidates tried to the end."
    assert f"Given up early, for it could not become the best any more: 2. {ranks}" in text
    assert "- 0.96 given up - 0.98 given up" in text
    assert "have no score" not in text


def test_tables_have_no_number_of_one_that_was_given_up() -> None:
    found = given_up("curve")
    form = json.loads(found.to_json())
    assert form["stopped"] == {"given_up": 2, "saved": 24, "of": 80, "error": 0.0, "draws": None}
    last = form["candidates"][-1]
    assert (last["rank"], last["mean"], last["standard_deviation"], last["training"]) == (None,) * 4
    assert last["values"] == list(found.candidates[-1].values)
    assert len(last["values"]) == 1
    assert last["why"] == "given up after 1 of 4 folds: it could not become the best"
    columns = found.columns()
    assert np.isnan(columns["mean"]).tolist() == [False, False, False, True, True]
    assert columns["why"][-1] == last["why"]
    assert form["early_stop"] is True
    plain = searched("one").to_dict()
    assert (plain["early_stop"], plain["stopped"]) == (False, None)


def test_every_format_can_be_written(tmp_path: Path) -> None:
    for kind in ("curve", "cells", "ranking"):
        for suffix in (".txt", ".md", ".tex", ".csv", ".svg"):
            given_up(kind).save(tmp_path / f"{kind}{suffix}")
        assert "nan" not in (tmp_path / f"{kind}.txt").read_text()


def test_a_curve_shows_where_candidates_were_given_up() -> None:
    found = given_up("curve")
    (panel,) = found.figure("search").panels
    points = {mark.label: mark for mark in panel.marks if isinstance(mark, Points)}
    left = points["given up (2): mean of the folds tried"]
    assert left.x.tolist() == [0.96, 0.98]
    assert left.y.tolist() == [each.values[0] for each in found.candidates[3:]]
    assert panel.y.low < min(left.y)
    line = next(mark for mark in panel.marks if isinstance(mark, Line) and mark.label.startswith("mean"))
    assert np.isnan(line.y).tolist() == [False, False, False, True, True]


def test_cells_and_ranks_tell_those_given_up_from_those_without_a_score() -> None:
    (cells,) = given_up("cells").figure("search").panels[0].marks
    assert isinstance(cells, Cells)
    assert [line[1] for line in cells.texts] == ["given up", "given up"]
    figure = given_up("ranking").figure("search")
    assert "Left out: 4 given up early, which could not become the best." in figure.note
    assert "4 without a score are left out." in figure.note
    assert len(figure.panels[0].y.names) == 4
