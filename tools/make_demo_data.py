"""Make the data sets that ship with tallymark: out-of-fold predictions of two small models for the demo, and
the measurements themselves for those who want to train models of their own.

Run from anywhere: `python tools/make_demo_data.py`. Needs scikit-learn (in the dev group).
Naive Bayes was tried on all 30, on the 10 mean and on 3 mean columns, with this one seed. The 3 columns were
kept because their probabilities are spread out (the others pile up at 0 and 1): fewer correct answers than
the tree at 0.5, better ranking. A fact about these 569 rows, not a claim about trees and Bayes.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

FOLDER = Path(__file__).parents[1] / "src" / "tallymark" / "data"
SEED = 0
BAYES_COLUMNS = ("mean radius", "mean texture", "mean smoothness")
HEADER = ("id", "actual", "tree_predicted", "tree_score", "bayes_predicted", "bayes_score")


def out_of_fold_scores(model: Any, measurements: Any, malignant: Any) -> list[str]:
    """P(malignant) of every row, from the one fit out of ten that did not see that row."""
    folds = StratifiedKFold(n_splits=10, shuffle=True, random_state=SEED)
    probabilities = cross_val_predict(model, measurements, malignant, cv=folds, method="predict_proba")
    return [f"{probability:.4f}" for probability in probabilities[:, 1]]


def answer(score: str) -> str:
    # From the printed score, not the full one: a reader must be able to redo it from the file.
    return "malignant" if float(score) >= 0.5 else "benign"


def rows() -> list[tuple[str, ...]]:
    data = load_breast_cancer(as_frame=True)
    actual = [str(data.target_names[code]) for code in data.target]
    malignant = [label == "malignant" for label in actual]
    tree = out_of_fold_scores(DecisionTreeClassifier(max_depth=3, random_state=SEED), data.data, malignant)
    bayes = out_of_fold_scores(GaussianNB(), data.data[list(BAYES_COLUMNS)], malignant)
    return [
        (str(number), label, answer(tree_score), tree_score, answer(bayes_score), bayes_score)
        for number, (label, tree_score, bayes_score) in enumerate(zip(actual, tree, bayes, strict=True), 1)
    ]


def measured() -> list[tuple[str, ...]]:
    """The ten mean measurements of every tumour, below their names."""
    data = load_breast_cancer(as_frame=True)
    columns = [name for name in data.data if name.startswith("mean ")]
    actual = [str(data.target_names[code]) for code in data.target]
    table = data.data[columns].to_numpy().tolist()
    heads = ("id", *(name.removeprefix("mean ").replace(" ", "_") for name in columns), "diagnosis")
    lines = [
        (str(number), *map(repr, values), label)
        for number, (values, label) in enumerate(zip(table, actual, strict=True), 1)
    ]
    return [heads, *lines]


def main() -> None:
    for name, lines in (("breast_cancer.csv", [HEADER, *rows()]), ("tumours.csv", measured())):
        target = FOLDER / name
        with target.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(lines)
        print(f"{name}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
