"""Makes the files of one version of the form of tallies, and what scikit-learn says of their rows.

Run it once, when the form gets a new version, and never again: what it made must stay as it is, for people
have such files. `python tests/old_tallies/make.py` refuses to replace any.
"""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import metrics

import tallymark as tm
from tallymark.tallies.tally_forms import SCHEMA

HERE = Path(__file__).parent / f"version_{SCHEMA.rpartition('/')[2]}"
ROWS = 48
CLASSES = ("ant", "bee", "cow")

TALLIES: dict[str, dict[str, Any]] = {
    "labels": {"predicted": "answer", "pos_label": "yes"},
    "exact": {"score": "score", "pos_label": "yes", "threshold": 0.4},
    "grid": {"score": "score", "pos_label": "yes", "approximate": True, "threshold": 0.4},
    "grid_weights_slices": {
        "score": "score", "pos_label": "yes", "approximate": True, "weight": "weight", "slices": ["region"],
        "threshold": 0.4,
    },
    "classes": {"actual": "animal", "probabilities": [f"p_{name}" for name in CLASSES]},
}  # fmt: skip


def rows() -> list[dict[str, Any]]:
    """Rows whose scores come in pairs so close that a grid cannot tell them apart."""
    random, made = np.random.default_rng(1), []
    for place in range(ROWS):
        near = 0.05 + 0.9 * (place // 2 * 7 % 24) / 24
        score = round(near, 4) + 1e-6 * (place % 2)
        own = place % 3
        table = np.round(random.dirichlet(np.where(np.arange(3) == own, 3.0, 1.0)), 3)
        made.append(
            {
                "actual": "yes" if random.random() < score else "no",
                "answer": "yes" if random.random() < 0.2 + 0.6 * score else "no",
                "score": f"{score:.6f}",
                "weight": f"{1 + place % 4 / 2:.1f}",
                "region": ("north", "south")[place % 5 > 2],
                "animal": CLASSES[own],
                "p_ant": f"{table[0]:.3f}",
                "p_bee": f"{table[1]:.3f}",
                "p_cow": f"{1 - table[0] - table[1]:.3f}",
            }
        )
    return made


def column(table: list[dict[str, Any]], name: str) -> np.ndarray[Any, Any]:
    return np.array([float(row[name]) for row in table])


def of_answers(truth: Any, called: Any, weight: Any = None) -> dict[str, float]:
    return {
        "accuracy": metrics.accuracy_score(truth, called, sample_weight=weight),
        "recall": metrics.recall_score(truth, called, sample_weight=weight),
        "precision": metrics.precision_score(truth, called, sample_weight=weight),
        "f1": metrics.f1_score(truth, called, sample_weight=weight),
    }


def of_scores(table: list[dict[str, Any]], weighted: bool = False) -> dict[str, float]:
    truth, score = np.array([row["actual"] == "yes" for row in table]), column(table, "score")
    weight = column(table, "weight") if weighted else None
    return {
        **of_answers(truth, score >= 0.4, weight),
        "auc": metrics.roc_auc_score(truth, score, sample_weight=weight),
        "average_precision": metrics.average_precision_score(truth, score, sample_weight=weight),
        "brier": metrics.brier_score_loss(truth, score, sample_weight=weight),
        "log_loss": metrics.log_loss(truth, score, sample_weight=weight),
    }


def expected(table: list[dict[str, Any]]) -> dict[str, Any]:
    """What scikit-learn says of the rows."""
    truth, answer = ([row[side] == "yes" for row in table] for side in ("actual", "answer"))
    animals = [row["animal"] for row in table]
    probabilities = np.column_stack([column(table, f"p_{name}") for name in CLASSES])
    called = [CLASSES[place] for place in probabilities.argmax(axis=1)]
    regions = {
        region: of_scores([row for row in table if row["region"] == region], weighted=True)
        for region in ("north", "south")
    }
    return {
        "labels": of_answers(truth, answer),
        "exact": of_scores(table),
        "grid": of_scores(table),
        "grid_weights_slices": of_scores(table, weighted=True),
        "classes": {
            "accuracy": metrics.accuracy_score(animals, called),
            "f1_macro": metrics.f1_score(animals, called, average="macro"),
            "log_loss": metrics.log_loss(animals, probabilities, labels=list(CLASSES)),
            "auc_ovr_macro": metrics.roc_auc_score(animals, probabilities, multi_class="ovr"),
            "top_k_accuracy:2": metrics.top_k_accuracy_score(animals, probabilities, k=2, labels=CLASSES),
        },
        "regions": regions,
    }


def main() -> None:
    HERE.mkdir()
    table = rows()
    with (HERE / "rows.csv").open("x", newline="") as file:
        writer = csv.DictWriter(file, list(table[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    for name, options in TALLIES.items():
        tally = tm.tally(HERE / "rows.csv", **{"actual": "actual"} | options)
        tally.named("rows.csv").save(HERE / f"{name}.tally")
    (HERE / "expected.json").write_text(json.dumps(expected(table), indent=1) + "\n")


if __name__ == "__main__":
    main()
