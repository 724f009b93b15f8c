"""A validation as text, JSON, tables and files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from tallymark.drawing import Paragraph, Picture
from tallymark.errors import FileError, OptionError

X, Y = (part[:200] for part in load_breast_cancer(return_X_y=True))
X = X[:, :4]
IRIS, SPECIES = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[SPECIES]
MODELS = {"tree": DecisionTreeClassifier(max_depth=2, random_state=0), "bayes": GaussianNB()}


@pytest.fixture(scope="module")
def found() -> tm.Validation:
    return tm.validate(MODELS, X, Y, cv=5, metrics=["auc", "f1"])


def loaded(text: str) -> Any:
    return json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} in JSON"))


def test_the_first_screen_says_what_was_done_and_what_came_out(found: tm.Validation) -> None:
    lines = str(found).splitlines()
    first = " ".join(" ".join(lines[:25]).split())
    assert "200 rows, 2 classes: 0, 1; the largest has" in first
    assert "5-fold cross-validation, stratified: 5 fits per model" in first
    assert "each on 160 rows and tested on 40" in first
    assert "'bayes': GaussianNB()." in first
    heads = next(line for line in lines if line.startswith("model"))
    for head in ("mean of folds", "95 % interval", "pooled", "training", "gap", "gain", "s/fit"):
        assert head in heads
    row = next(line for line in lines if line.startswith("bayes"))
    summary = found.models["bayes"]["accuracy"]
    assert f"{summary.mean.value:.3f} ± {summary.deviation:.3f}" in row
    assert f"[{summary.pooled.low:.3f}, {summary.pooled.high:.3f}]" in row
    assert any(line.startswith("majority") for line in lines)
    assert max(map(len, lines)) <= 100


def test_the_report_has_folds_matrices_and_other_numbers(found: tm.Validation) -> None:
    text = str(found)
    assert "accuracy of every fold" in text
    assert "Note: pooled auc: it ranks rows by the scores of different models" in text
    assert "Confusion matrix of all test rows" in text
    assert "Other numbers" in text
    many = str(tm.validate(GaussianNB(), X, Y, cv="kfold:6x4"))
    assert "How accuracy spreads over 24 folds." in many
    assert "third quarter" in many
    holdout = str(tm.validate(GaussianNB(), X, Y, cv="holdout"))
    assert "mean of folds" not in holdout
    assert "to test on" in holdout
    assert "It is of a model that learned fewer rows than there are." in holdout
    boot = " ".join(str(tm.validate(GaussianNB(), X, Y, cv="bootstrap:5")).split())
    assert ".632+" in boot
    assert "Efron and Tibshirani 1997" in boot
    assert ".632 fails where a model learns by heart (1-NN), which .632+ is meant for" in boot
    assert "as a rule too high" in boot


def test_the_report_says_which_interval_to_believe(found: tm.Validation) -> None:
    said = " ".join(str(found).split())
    assert "its interval is the one to believe: by the corrected t" in said
    assert "the models of all folds taken as one; its interval is too narrow for learners that change" in said
    assert "Both are of models that learned fewer rows than there are." in said
    assert "Gain: over 'majority', always 0, the most frequent class, fold by fold." in said
    lines = [line for line in str(found).splitlines() if line.startswith("majority")]
    assert lines[0].split()[-1] == "-"


def test_a_gain_of_fewer_folds_than_the_mean_says_so() -> None:
    rows = np.arange(60)
    y = (rows < 40) & (rows % 4 == 0)  # in the last fold no row is positive, and the model says some are
    cv = [(np.setdiff1d(rows, part), part) for part in np.split(rows, 3)]

    class Half(GaussianNB):
        def predict(self, X: Any) -> Any:
            return X[:, 0] > np.median(X[:, 0])

    report = tm.validate({"half": Half()}, X[:60], y, cv=cv, metric="f1")
    summary = report["f1"]
    assert summary.gain is not None
    assert (summary.n, summary.gain.n, summary.gain.remark) == (3, 2, "of 2 of 3 folds")
    assert "(2 of 3)" in str(report)


@pytest.mark.parametrize("cv", [3, "holdout", "kfold:2x2", "bootstrap:4", "loo", "repeated:3"])
def test_the_json_document_is_whole_for_every_method(cv: Any) -> None:
    validation = tm.validate(GaussianNB(), X[:40], Y[:40], cv=cv, metrics=["auc", "precision"])
    form = loaded(validation.to_json())
    assert form["schema"] == "tallymark/validation/1"
    assert form["data"]["rows"] == 40
    assert form["data"]["labels"] == ["0", "1"]
    assert sum(form["data"]["class_counts"]) == 40
    assert len(form["folds"]) == len(validation.folds)
    assert form["fingerprint"] == validation.fingerprint
    (model,) = form["models"]
    assert list(model["metrics"]) == ["accuracy", "auc", "precision"]
    for number in (*model["metrics"].values(), *form["baseline"]["metrics"].values()):
        assert len(number["values"]) == len(form["folds"])
        assert number["undefined"] == sum(value is None for value in number["values"])
        for which in ("mean_of_folds", "pooled"):
            assert (number[which]["value"] is None) == bool(number[which].get("why"))
    assert np.sum(model["confusion"]["matrix"]) == validation.rows_tested
    assert ("bootstrap" in model) == (cv == "bootstrap:4")
    assert ("n_train_distinct" in form["folds"][0]) == (cv == "bootstrap:4")


def test_the_table_has_a_row_per_model_and_fold(found: tm.Validation) -> None:
    table = found.to_frame("polars")
    assert len(table) == 3 * 5
    assert table.columns == [
        *("model", "run", "fold", "n_train", "n_test", "accuracy", "auc", "f1"),
        *("training_accuracy", "training_auc", "training_f1", "fit_seconds"),
    ]
    tree = table.filter(pl.col("model") == "tree")
    assert tree["accuracy"].to_list() == list(found.models["tree"]["accuracy"].values)
    assert tree["training_auc"].to_list() == list(found.models["tree"]["auc"].training_values)
    pandas = found.table("pandas")
    assert list(pandas["model"].unique()) == ["tree", "bayes", "majority"]
    groups = np.repeat(["ann", "bob", "cid", "dan"], 50)
    left = tm.validate(GaussianNB(), X, Y, groups=groups, cv="group").to_frame("polars")
    assert left["left_out"].to_list()[:4] == ["ann", "bob", "cid", "dan"]


def test_predictions_have_every_test_row(found: tm.Validation) -> None:
    table = found.predictions("polars")
    assert table.columns == [
        *("row", "run", "fold", "actual"),
        *("tree_predicted", "tree_score", "bayes_predicted", "bayes_score"),
    ]
    assert sorted(table["row"]) == list(range(200))
    assert (table["actual"].to_numpy() == Y[table["row"].to_numpy()]).all()
    compared = tm.compare(
        table, models={"tree": "tree_score", "bayes": "bayes_score"}, actual="actual", id="row"
    )
    assert compared.design == "same rows"
    several = tm.validate(GaussianNB(), IRIS, NAMES, cv=3).predictions("polars")
    assert several.columns[4:] == ["predicted", "p_setosa", "p_versicolor", "p_virginica"]
    assert several.select(
        pl.sum_horizontal("p_setosa", "p_versicolor", "p_virginica")
    ).to_series().to_list() == (pytest.approx([1] * 150))


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_files_of_predictions_are_read_by_evaluate(found: tm.Validation, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"predictions{suffix}"
    found.write_predictions(path)
    ev = tm.evaluate(path, actual="actual", predicted="bayes_predicted", score="bayes_score", id="row")
    expected = found.models["bayes"].evaluation
    assert ev["accuracy"].value == expected["accuracy"].value
    assert ev["auc"].value == pytest.approx(expected["auc"].value, abs=1e-12)
    with pytest.raises(FileError, match="exists already"):
        found.write_predictions(path)
    found.write_predictions(path, overwrite=True)
    with pytest.raises(FileError, match="suffix"):
        found.write_predictions(tmp_path / "predictions.xls")


@pytest.mark.parametrize("suffix", [".txt", ".md", ".tex", ".json", ".csv", ".png", ".svg", ".pdf", ".html"])
def test_the_result_is_saved_by_suffix(found: tm.Validation, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"validation{suffix}"
    found.save(path)
    content = path.read_bytes()
    assert len(content) > 200
    if suffix == ".csv":
        assert content.decode().startswith("model,run,fold,n_train,n_test,accuracy")
        assert tm.compare(path, per="fold", metric="auc", models=None).metric == "auc"
    if suffix == ".tex":
        assert b"\\begin" in content


def test_the_page(found: tm.Validation) -> None:
    page = found.report()
    lead = page.sections[0].blocks[0]
    assert isinstance(lead, Paragraph)
    for name, model in found.models.items():
        mean = np.mean([value for value in model["accuracy"].values if value is not None])
        assert f"{name!r} has accuracy {mean:.3f} [" in lead.text
    titles = [section.title for section in page.sections]
    assert titles[1] == "Result: accuracy (higher is better)"
    assert titles.index("All test rows together") < titles.index("Ranking")
    pictures = [block for each in page.sections for block in each.blocks if isinstance(block, Picture)]
    assert [each.title for each in pictures[:2]] == ["Fold by fold", "Rows learned and rows tested"]
    assert all(picture.said for picture in pictures)
    comparison = found.compare()
    both = found.report(comparison)
    assert [section.title for section in both.sections][2] == "Comparison"
    assert both.sections[0].blocks[1] == Paragraph(
        f"{comparison.verdict[:1].upper()}{comparison.verdict[1:]}", lead=True
    )
    assert list(found._repr_mimebundle_()) == ["text/plain", "text/markdown", "text/html"]


def test_a_name_cannot_break_a_report() -> None:
    name = "a | b\n\x1b[31m_{%"
    found = tm.validate({name: GaussianNB()}, X, Y, cv=3)
    text = str(found)
    assert "\x1b" not in text
    for pen in (".md", ".tex", ".html"):
        assert "\x1b" not in found.writers()[pen]()
    assert loaded(found.to_json())["models"][0]["name"] == name


def test_other_pictures_are_refused(found: tm.Validation) -> None:
    with pytest.raises(OptionError, match="there is folds, training, split"):
        found.figure("pie")
