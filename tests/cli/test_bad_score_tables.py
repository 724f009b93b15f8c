"""Every bad table of scores, and every bad call that names one, is one line that says what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

FILES = {
    "folds.csv": "fold,tree,bayes\n1,0.8,0.85\n2,0.82,0.83\n3,0.79,0.84\n4,0.81,0.80\n",
    "percent.csv": "fold,tree,bayes\n1,80,85\n2,82,83\n",
    "fold_hole.csv": "fold,tree,bayes\n1,0.8,0.85\n2,,0.83\n3,0.79,0.84\n",
    "fold_typo.csv": "fold,tree,bayes\n1,0.8,x\n2,0.7,0.6\n",
    "fold_infinite.csv": "fold,tree,bayes\n1,0.8,inf\n2,0.7,0.6\n",
    "fold_twice.csv": "fold,tree,bayes\n1,0.8,0.7\n1,0.7,0.6\n",
    "fold_alone.csv": "fold,tree\n1,0.8\n2,0.7\n",
    "sets.csv": "dataset,tree,bayes\niris,0.9,0.8\nwine,0.7,0.75\n",
    "set_alone.csv": "dataset,tree,bayes\niris,0.9,0.8\n",
    "set_twice.csv": "dataset,model,score\niris,tree,0.9\niris,tree,0.8\niris,bayes,0.7\n",
    "set_gap.csv": "dataset,model,score\niris,tree,0.9\niris,bayes,0.8\nwine,tree,0.7\n",
    "long.csv": "dataset,fold,model,score\n"
    + "".join(
        f"{data},{fold},{model},0.{fold}\n"
        for data in ("iris", "wine")
        for fold in (1, 2)
        for model in ("tree", "bayes")
    ),
    "many.csv": f"dataset,{','.join(f'm{k}' for k in range(13))}\n"
    + "".join(f"d{row}{',0.5' * 13}\n" for row in range(3)),
}
HELP = "Hint: `tallymark compare --help` shows how it is used."
DROP = (
    "Hint: to leave out such folds (or data sets) for all models, use --drop-missing (in Python"
    " missing='drop')."
)
FOLDS = ("folds.csv", "--per", "fold")
SETS = ("sets.csv", "--per", "dataset")

BAD: list[tuple[tuple[str, ...], str]] = [
    # scores by fold
    (("--per", "fold"), "FILE is missing: the table of scores."),
    (("folds.csv", *SETS), "--per reads one table of scores; got 2 files."),
    (("foldz.csv", "--per", "fold"), "there is no file foldz.csv. Hint: did you mean folds.csv?"),
    (("-", "--per", "fold"), "standard input is empty (0 bytes)."),
    (("folds.csv", "--per", "run"), f"--per: 'run' is not one of 'fold', 'dataset'. {HELP}"),
    (
        ("folds.csv", "--per", "dataset"),
        "scores are stated to be per data set, but there is a column 'fold'.",
    ),
    (("sets.csv", "--per", "fold"), "scores are stated to be per fold, but there is a column 'dataset'."),
    (
        (*FOLDS, "--n-train", "90"),
        "n_train was given without n_test. Hint: give both, or neither for cross-validation.",
    ),
    ((*FOLDS, "--n-train", "0", "--n-test", "1"), "n_train must be above 0; got 0."),
    ((*FOLDS, "--runs", "3"), "4 scores are not 3 runs of equally many folds."),
    (
        (*FOLDS, "--rope", "-1"),
        "rope must be 0 or more; got -1."
        " Hint: it is half the width of the region around 0 that counts as equal.",
    ),
    (
        (*FOLDS, "--metric", "profit"),
        "no metric is called 'profit', so nothing says which way it is better."
        " Hint: say so: --better higher or --better lower (in Python better=).",
    ),
    ((*FOLDS, "--metric", "f1", "--metric", "auc"), "scores are of one metric; got several --metric."),
    ((*FOLDS, "--baseline", "tree"), "--baseline is about many data sets: it needs --per dataset."),
    (
        (*FOLDS, "--model", "tree", "--model", "rule"),
        "folds.csv: "
        "there is no column 'rule'; the columns are 'fold', 'tree', 'bayes'. Hint: did you mean 'tree'?",
    ),
    ((*FOLDS, "--columns", "model"), "--columns: expected PART=COLUMN; got 'model'."),
    (
        (*FOLDS, "--columns", "x=fold"),
        "columns names 'x'; the parts are data_set, run, fold, model, score, n_train, n_test.",
    ),
    (
        ("percent.csv", "--per", "fold"),
        "accuracy lies between 0 and 1; 'tree' has 80."
        " Hint: percentages are read with --scale percent (in Python scale='percent').",
    ),
    (
        ("fold_hole.csv", "--per", "fold"),
        f"fold_hole.csv: 1 score is missing: 'tree' on fold 2, at line 3. {DROP}",
    ),
    (
        ("fold_typo.csv", "--per", "fold"),
        "fold_typo.csv: "
        "score (column 'bayes') holds 'x' at line 2; numbers are expected. Hint: every other column is taken"
        " as a model's; say which are (--model, in Python models=), or which part this one plays (--columns,"
        " in Python columns=).",
    ),
    (
        ("fold_infinite.csv", "--per", "fold"),
        "fold_infinite.csv: "
        "score (column 'bayes') is infinite in 1 row, at line 2; finite numbers are expected.",
    ),
    (
        ("fold_twice.csv", "--per", "fold"),
        "fold_twice.csv: "
        "'tree' on fold 1 has two scores, at lines 2 and 3. Hint: one score for each is expected.",
    ),
    (
        ("fold_alone.csv", "--per", "fold"),
        "fold_alone.csv: "
        "a comparison needs two models or more; the columns are ['fold', 'tree'], of which ['tree'] is"
        " left for models. Hint: give each model a column, or every score a line with the columns model and"
        " score.",
    ),
    # scores by data set
    *(
        ((*SETS, option, "3"), f"{option} is about the folds of one data set: it needs --per fold.")
        for option in ("--n-train", "--n-test", "--runs")
    ),
    (
        (*SETS, "--baseline", "tree"),
        "a baseline is for scores fold by fold, and there is one score for each data set.",
    ),
    (
        ("long.csv", "--per", "dataset", "--baseline", "rule"),
        "there is no model 'rule'; the models are ['tree', 'bayes'].",
    ),
    (
        ("long.csv", "--per", "fold"),
        "scores are stated to be per fold of one data set, but there are ['iris', 'wine']."
        " Hint: --per dataset compares over all of them (in Python per='dataset').",
    ),
    (
        ("set_alone.csv", "--per", "dataset"),
        "one data set says nothing of others; a comparison over data sets takes two or more, and with fewer"
        " than 6 Wilcoxon's test cannot find anything at 5 %. Hint: the folds of one data set are compared"
        " with --per fold (in Python per='fold').",
    ),
    (
        ("set_twice.csv", "--per", "dataset"),
        "set_twice.csv: "
        "'tree' on data set 'iris' has two scores, at lines 2 and 3. Hint: one score for each is expected;"
        " a column 'fold' (and 'run') tells folds apart.",
    ),
    (
        ("set_gap.csv", "--per", "dataset"),
        f"set_gap.csv: 1 score is missing: 'bayes' on data set 'wine'. {DROP}",
    ),
    (
        ("many.csv", "--per", "dataset", "--adjust", "bergmann_hommel"),
        "bergmann_hommel looks at every partition of the models, up to 12; got 13 models."
        " Hint: shaffer takes any number.",
    ),
]


@pytest.fixture(autouse=True)
def files(run: Any) -> None:
    for name, content in FILES.items():
        Path(name).write_text(content)


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[" ".join(call) for call, _ in BAD])
def test_bad_call_is_one_clear_line(run: Any, arguments: tuple[str, ...], message: str) -> None:
    result = run("compare", *arguments)
    assert result.err == f"tallymark: {message}\n"
    assert (result.code, result.out) == (2, "")
