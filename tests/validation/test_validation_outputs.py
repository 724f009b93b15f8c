"""A validation and an experiment as text, JSON, tables, files, pages and pictures."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import tallymark as tm
from scored import classes, picture, refusals
from scripted_models import Constant, Scripted, timeless

X, Y = (part[:200] for part in load_breast_cancer(return_X_y=True))
X = X[:, :4]
IRIS, SPECIES = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[SPECIES]
MODELS = {"knn": KNeighborsClassifier(1), "bayes": GaussianNB()}


@cache
def found():
    return tm.validate(MODELS, X, Y, cv=5, metrics=["auc", "f1"])


@cache
def experiment():
    data = {"cancer": (X[:150], Y[:150]), "iris": (IRIS, SPECIES), "wine": load_wine(return_X_y=True)}
    return tm.validate(MODELS, data, cv=4)


@cache
def of(cv, rows=200, metric="accuracy"):
    return tm.validate(GaussianNB(), X[:rows], Y[:rows], cv=cv, metric=metric)


@cache
def failing():
    """In the last fold no row is positive, and the model says that some are; another fails."""
    rows = np.arange(60)
    cv, y = [(np.setdiff1d(rows, part), part) for part in np.split(rows, 3)], (rows < 40) & (rows % 4 == 0)
    models = {"half": Scripted(), "never": Constant("fails")}
    return tm.validate(models, (rows % 2)[:, None], y.astype(int), cv=cv, metric="f1")


def loaded(text):
    return json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} in JSON"))


def test_reports(snapshot):
    texts = {
        "two models": str(found()), "one model, many folds": str(of("kfold:6x4")),
        "two runs": str(of("kfold:2x2")), "a holdout": str(of("holdout")),
        "a bootstrap": str(of("bootstrap:5")), "a gain of fewer folds and a model that fails": str(failing()),
        "several data sets": str(experiment()),
    }  # fmt: skip
    assert max(len(line) for text in texts.values() for line in text.splitlines()) <= 100
    more = {
        "short": "\n".join(map(repr, (found(), experiment()))),
        "a metric": str(found().models["bayes"]["f1"]),
        "the first paragraph of a page": found().report().sections[0].blocks[0].text,
        "of a page of several data sets": experiment().report().sections[0].blocks[0].text,
        "titles of a page": "\n".join(each.title for each in found().report(found().compare()).sections),
    }
    first = np.arange(200)
    rare = np.where(first < 5, "few", "many")
    several = np.select([first < 4, first < 8, first < 10], ["rare", "thin", "few"], "many")
    twice = [(first[:100], first[100:150])] * 2
    for name, (y, cv) in {
        "a rare class, tested three times": (rare, "kfold:5x3"), "ten rows of a class": (first < 10, 5),
        "rare classes": (several, 4), "a class that is not tested": (rare, "holdout:0.05"),
        "rows tested twice and never": (Y, twice),
    }.items():  # fmt: skip
        more[f"notes, {name}"] = "\n".join(tm.validate(GaussianNB(), X, y, cv=cv).notes)
    snapshot("validate_text", {**{name: timeless(text) for name, text in texts.items()}, **more})
    # A name cannot break a report.
    name = "a | b\n\x1b[31m_{%"
    named = tm.validate({name: GaussianNB()}, X, Y, cv=3)
    assert "\x1b" not in str(named)
    assert not [suffix for suffix in (".md", ".tex", ".html") if "\x1b" in named.writers()[suffix]()]
    assert loaded(named.to_json())["models"][0]["name"] == name


def test_the_json_document_is_whole_for_every_method():
    wrong = []
    for cv in (3, "holdout", "kfold:2x2", "bootstrap:4", "loo", "repeated:3"):
        validation = tm.validate(GaussianNB(), X[:40], Y[:40], cv=cv, metrics=["auc", "precision"])
        form = loaded(validation.to_json())
        (model,), folds = form["models"], form["folds"]
        checks = [
            len(folds) == len(validation.folds),
            form["fingerprint"] == validation.fingerprint,
            np.sum(model["confusion"]["matrix"]) == validation.rows_tested,
            ("bootstrap" in model, "n_train_distinct" in folds[0]) == (cv == "bootstrap:4",) * 2,
        ]
        for number in (*model["metrics"].values(), *form["baseline"]["metrics"].values()):
            checks.append(len(number["values"]) == len(folds))
            checks.append(number["undefined"] == number["values"].count(None))
            for which in ("mean_of_folds", "pooled"):
                checks.append((number[which]["value"] is None) == bool(number[which].get("why")))
        wrong += [(cv, place) for place, right in enumerate(checks) if not right]
    assert not wrong


def test_tables_have_a_row_per_model_and_fold_and_per_test_row():
    table = found().to_frame("polars")
    assert len(table) == 3 * 5
    assert table.columns == [
        *("model", "run", "fold", "n_train", "n_test", "accuracy", "auc", "f1"),
        *("training_accuracy", "training_auc", "training_f1", "fit_seconds"),
    ]
    knn, model = table.filter(pl.col("model") == "knn"), found().models["knn"]
    assert knn["accuracy"].to_list() == list(model["accuracy"].values)
    assert knn["training_auc"].to_list() == list(model["auc"].training_values)
    assert list(found().table("pandas")["model"].unique()) == ["knn", "bayes", "majority"]
    # Predictions have every test row.
    table = found().predictions("polars")
    assert table.columns == [
        *("row", "run", "fold", "actual"),
        *("knn_predicted", "knn_score", "bayes_predicted", "bayes_score"),
    ]
    assert sorted(table["row"]) == list(range(200))
    assert (table["actual"].to_numpy() == Y[table["row"].to_numpy()]).all()
    models = {"knn": "knn_score", "bayes": "bayes_score"}
    assert tm.compare(table, models=models, actual="actual", id="row").design == "same rows"
    several = tm.validate(GaussianNB(), IRIS, NAMES, cv=3).predictions("polars")
    assert several.columns[4:] == ["predicted", "p_setosa", "p_versicolor", "p_virginica"]


def test_files_of_predictions_are_read_by_evaluate(tmp_path):
    columns = {"actual": "actual", "predicted": "bayes_predicted", "score": "bayes_score", "id": "row"}
    expected, refused = found().models["bayes"].evaluation, {}
    for suffix in (".csv", ".parquet"):
        path = tmp_path / f"predictions{suffix}"
        found().write_predictions(path)
        ev = tm.evaluate(path, **columns)
        assert ev["accuracy"].value == expected["accuracy"].value
        assert ev["auc"].value == pytest.approx(expected["auc"].value, abs=1e-12)
        refused |= refusals({suffix: lambda path=path: found().write_predictions(path)})
        found().write_predictions(path, overwrite=True)
    refused |= refusals({".xls": lambda: found().write_predictions(tmp_path / "predictions.xls")})
    assert classes(refused) == dict.fromkeys((".csv", ".parquet", ".xls"), "FileError")


def test_tables_are_compared_again_and_pages_have_a_verdict(tmp_path):
    found().save(tmp_path / "folds.csv")
    assert tm.compare(tmp_path / "folds.csv", per="fold", metric="auc", models=None).metric == "auc"
    # Pages have pictures and the verdict of a comparison.
    compared = found().compare()
    page = found().report(compared)
    verdict = page.sections[0].blocks[1].text
    assert verdict.lower() == compared.verdict.lower()
    said = [block.said for each in page.sections for block in each.blocks if hasattr(block, "said")]
    assert (len(said) >= 2, all(said)) == (True, True)


def drawn(axes):
    """x and y of every line and set of markers."""
    sides = [(line.get_xdata(), line.get_ydata()) for line in axes.get_lines()]
    return [(np.round(np.asarray(x, float), 9).tolist(), np.asarray(y, float).tolist()) for x, y in sides]


def test_pictures_show_folds_means_and_training_values(snapshot):
    axes = {
        "folds": found().plot("folds"), "training": found().plot("training"),
        "split": found().plot("split"), "intervals of an experiment": experiment().plot("intervals"),
        "scores of an experiment": experiment().plot("scores"),
        "undefined and failed": failing().plot("folds"),
    }  # fmt: skip
    snapshot("validate_pictures", {name: picture(each) for name, each in axes.items()})
    for name, model in found().models.items():
        values, mean = [*model["accuracy"].values], model["accuracy"].mean
        xs = [x for x, _ in drawn(axes["folds"])]
        assert np.round(values, 9).tolist() in xs, name
        assert [round(mean.value, 9)] in xs, name
        learned = np.round(model["accuracy"].training_values, 9).tolist()
        assert (learned, values) in drawn(axes["training"]), name
    # Pictures of every method can be drawn.
    for cv in ("holdout", "kfold:15x4", "bootstrap:5", "loo"):
        validation = of(cv, 24 if cv == "loo" else 60, "auc" if cv == "loo" else "error_rate")
        assert all(validation.writers(kind)[".svg"]() for kind in ("folds", "training", "split")), cv
