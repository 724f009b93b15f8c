"""One folder for many questions: what one has made, another finds; and who asked what is written down."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counted_models import Counted, told
from nursery import QUESTIONS, rows
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import FunctionTransformer, make_pipeline
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from tallymark.errors import FileError
from tallymark.validation.data.data_set import data_set
from tallymark.validation.runs.folder import RunFolder, RunFolderWarning
from tallymark.validation.runs.hashing import Hashes
from tallymark.validation.runs.questions import name_of, question

X, Y = rows()
HERE = Path(__file__).parent


def asked(models: Any, folder: Path, **options: Any) -> Any:
    given = {"X": X, "y": Y, "cv": 5} | options
    return tm.validate(models, run_folder=folder, **given)


def runs_in(folder: Path) -> list[dict[str, Any]]:
    return RunFolder(folder).runs()


@pytest.mark.parametrize("question", ["validate", "tune", "learn", "permute"])
def test_the_same_question_is_answered_from_the_folder(question: str, made: Any, tmp_path: Path) -> None:
    alone = QUESTIONS[question](None)
    first = QUESTIONS[question](str(tmp_path / "runs"))
    made.forget()
    again = QUESTIONS[question](str(tmp_path / "runs"))
    assert made.fits == []
    assert alone == first == again
    assert len(runs_in(tmp_path / "runs")) == 1


def test_one_more_model_finds_the_fits_of_the_others(made: Any, tmp_path: Path) -> None:
    asked({"bayes": Counted()}, tmp_path / "runs")
    assert len(made.fits) == 5
    both = asked({"smooth": Counted(var_smoothing=0.1), "bayes": Counted()}, tmp_path / "runs")
    assert len(made.fits) == 10
    assert told(both) == told(
        tm.validate({"smooth": Counted(var_smoothing=0.1), "bayes": Counted()}, X, Y, cv=5)
    )
    assert len(runs_in(tmp_path / "runs")) == 2


def test_other_data_find_nothing_and_break_nothing(made: Any, tmp_path: Path) -> None:
    asked(Counted(), tmp_path / "runs")
    other = asked(Counted(), tmp_path / "runs", X=X + 1)
    assert len(made.fits) == 10
    made.forget()
    assert told(other) == told(tm.validate(Counted(), X + 1, Y, cv=5))
    made.forget()
    asked(Counted(), tmp_path / "runs")
    assert made.fits == []


def test_several_data_sets_at_once(made: Any, tmp_path: Path) -> None:
    data = {"one": (X, Y), "other": (X + 1, Y)}
    first = tm.validate(Counted(), data, cv=5, run_folder=tmp_path / "runs")
    assert len(made.fits) == 10
    again = tm.validate(Counted(), data, cv=5, run_folder=tmp_path / "runs")
    assert len(made.fits) == 10
    assert told(first) == told(again)
    asked(Counted(), tmp_path / "runs")
    assert len(made.fits) == 10, "one of them alone is known too"


def test_models_that_cannot_be_described_are_made_anew_and_told_once(made: Any, tmp_path: Path) -> None:
    nameless = make_pipeline(FunctionTransformer(lambda table: table), Counted())
    for _ in range(2):
        made.forget()
        with pytest.warns(RunFolderWarning) as said:
            result = asked({"nameless": nameless, "bayes": Counted()}, tmp_path / "runs")
        assert [str(each.message) for each in said] == [
            "fits of Pipeline cannot be kept in the run folder: a lambda has no name that another process "
            "could find. They are made anew every time."
        ]
    assert len(made.fits) == 5, "those of the other were found"
    alone = tm.validate({"nameless": nameless, "bayes": Counted()}, X, Y, cv=5)
    assert result.fold_scores("accuracy") == alone.fold_scores("accuracy")


# --- the record of a question --------------------------------------------------------------------------


def test_what_was_asked_is_written_down(tmp_path: Path) -> None:
    asked({"bayes": Counted(), "tree": DecisionTreeClassifier()}, tmp_path / "runs", metric="f1")
    (run,) = runs_in(tmp_path / "runs")
    assert run["schema"] == "tallymark/run/1"
    assert (run["question"], run["metric"], run["seed"], run["total"]) == ("validate", "f1", 0, 10)
    assert run["data"][0]["rows"] == 90
    assert run["test_rows"] == [90]
    assert [each["name"] for each in run["models"]] == ["bayes", "tree"]
    assert run["models"][0]["kind"] == "counted_models:Counted"
    assert run["models"][1]["text"] == "DecisionTreeClassifier()"
    assert run["arguments"] is None
    assert run["folder"] == os.getcwd()
    assert set(run["outcome"]["data"]) == {"bayes", "tree"}
    assert run["started"] <= run["ended"]
    folder = RunFolder(tmp_path / "runs")
    assert folder.state(run) == "finished"
    kept = {each.stem for each in (tmp_path / "runs" / "fits").iterdir()}
    assert set(folder.finished(run)) == kept
    assert len(kept) == 10


def test_the_same_question_keeps_its_beginning(tmp_path: Path) -> None:
    asked(Counted(), tmp_path / "runs")
    (first,) = runs_in(tmp_path / "runs")
    asked(Counted(), tmp_path / "runs")
    (again,) = runs_in(tmp_path / "runs")
    assert (again["run"], again["started"]) == (first["run"], first["started"])


def test_the_tuned_model_that_was_chosen_is_written_down(tmp_path: Path) -> None:
    grid = {"max_depth": [1, 2]}
    found = tm.tune(DecisionTreeClassifier(), X, Y, grid, cv=3, inner_cv=3, run_folder=tmp_path / "runs")
    (run,) = runs_in(tmp_path / "runs")
    assert run["question"] == "tune"
    assert run["chosen"]["parameters"] == {"max_depth": repr(found.best_params["max_depth"])}
    assert run["chosen"]["settings"] is not None


ODD = """
import sys
sys.path.insert(0, sys.argv[1])
import tallymark as tm
from counted_models import Worded
from nursery import rows

tm.validate(Worded(), *rows(), cv=2, run_folder=sys.argv[2])
"""


def test_a_question_is_the_same_in_every_process(made: Any, tmp_path: Path) -> None:
    """Also of a model whose words for itself are others every time."""
    for seed in ("1", "2"):
        subprocess.run(
            [sys.executable, "-c", ODD, str(HERE), str(tmp_path / "runs")],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
        )
    assert len(runs_in(tmp_path / "runs")) == 1
    assert len(made.fits) == 2


class Speechless(Counted):
    steps = "not those of a pipeline"

    def __repr__(self) -> str:
        raise RuntimeError("no words")


def test_a_model_without_words_can_be_recorded(made: Any, tmp_path: Path) -> None:
    def ask() -> None:
        grid = {"var_smoothing": [1e-9, 0.1]}
        tm.tune(Speechless(), X, Y, grid, cv=2, inner_cv=2, run_folder=tmp_path / "runs")

    ask()
    made.forget()
    ask()
    assert made.fits == []
    (run,) = runs_in(tmp_path / "runs")
    assert run["models"][0]["text"] == "Speechless"


def test_another_question_than_the_one_to_be_resumed_is_refused(made: Any, tmp_path: Path) -> None:
    asked(Counted(), tmp_path / "runs")
    (run,) = runs_in(tmp_path / "runs")
    again = RunFolder(tmp_path / "runs", resumed=run["run"])
    made.forget()
    asked(Counted(), again)
    assert made.fits == []
    with pytest.raises(FileError, match=f"what is asked now is not run '{run['run']}'"):
        asked(Counted(), again, X=X + 1)
    assert made.fits == []


def test_an_interrupted_run_is_seen_to_be_one(made: Any, start: Any, tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    child = start("few", folder=folder, dies_at=24)
    assert child.wait() == -9
    (run,) = runs_in(folder)
    assert RunFolder(folder).state(run) == "interrupted"
    assert run["ended"] is None
    QUESTIONS["few"](str(folder))
    (run,) = runs_in(folder)
    assert RunFolder(folder).state(run) == "finished"


def test_a_run_that_another_process_is_at_is_seen_to_be_running(start: Any, tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    child = start("validate", folder=folder, pause=0.05, folds=2)
    while not list((folder / "fits").glob("*.npz")):
        time.sleep(0.01)
    (run,) = runs_in(folder)
    assert RunFolder(folder).state(run) == "running"
    child.kill()
    child.wait()
    assert RunFolder(folder).state(run) == "interrupted"


def test_records_are_JSON_for_everybody(tmp_path: Path) -> None:
    asked(Counted(priors=np.array([0.5, 0.5])), tmp_path / "runs", metrics=["auc"])
    for place in (tmp_path / "runs").rglob("*.json"):

        def refuse(word: str) -> None:
            raise AssertionError(f"{word} is no JSON")

        json.loads(place.read_text(), parse_constant=refuse)


def test_a_run_is_called_by_what_was_asked_and_not_by_what_follows_from_it() -> None:
    data = data_set(X, Y)
    folds = tm.KFold(3).folds(X, Y)
    facts = question("validate", [(data, folds)], {"nb": GaussianNB()}, "accuracy", 0)(Hashes())
    named = name_of(facts)
    (model,), (table,) = facts["models"], facts["data"]
    follows = {
        "tested_bits": [None],
        "models": [model | {"settings_unseeded": None, "text": ""}],
        "data": [table | {"classes": "", "features": None}],
    }
    assert name_of(facts | follows) == named
    assert name_of(facts | {"data": [table | {"hash": None}]}) != named
    assert name_of(facts | {"models": [model | {"settings": "0"}]}) != named
