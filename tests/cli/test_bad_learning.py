"""Every bad call of validate, tune, learn and permute is one line that says what is wrong, and exit 2."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

HEAD = "id,x,colour,patient,y\n"
ROWS = [f"{i},{i % 7},{'red' if i % 3 else 'blue'},p{i % 5},{'yes' if i % 2 else 'no'}" for i in range(20)]
FILES = {
    "rows.csv": HEAD + "\n".join(ROWS) + "\n",
    "more.csv": HEAD + "\n".join(ROWS) + "\n",
    "there.txt": "precious",
    "own_bad.py": "from sklearn.tree import DecisionTreeClassifier as Tree\nnumber = 3\n"
    "def broken():\n    raise RuntimeError('no luck')\n",
    "own_wrong.py": "import nowhere_at_all\n",
}
HELP = {
    name: f"Hint: `tallymark {name} --help` shows how it is used."
    for name in ("validate", "tune", "learn", "permute")
}
LEARNERS = "logistic, tree, forest, boosting, knn, bayes, majority"
ROWS_Y = ("rows.csv", "--target", "y")
VALIDATE = ("validate", *ROWS_Y, "--model", "bayes")
TUNE = ("tune", *ROWS_Y, "--model", "tree")
LEARN = ("learn", *ROWS_Y, "--model", "bayes")
PERMUTE = ("permute", *ROWS_Y, "--model", "bayes")
OWN = "or your own as module:object."

BAD: list[tuple[tuple[str, ...], str]] = [
    # what is given
    (
        ("validate", "--target", "y", "--model", "bayes"),
        "DATA is missing. Hint: name a file, - for standard input, or several data sets: --data NAME=FILE.",
    ),
    (
        ("tune", "--target", "y", "--model", "bayes"),
        "DATA is missing. Hint: name a file, or - for standard input.",
    ),
    (
        ("validate", "rows.csv", "--model", "bayes"),
        "--target is missing. Hint: name the column with the classes: --target COL.",
    ),
    (
        (*VALIDATE, "--target", "x"),
        "--target is given 2 times: 'y', 'x'; once is enough.",
    ),
    (
        (*VALIDATE, "--positive", "no", "--positive", "yes"),
        "--positive is given 2 times: 'no', 'yes'; once is enough.",
    ),
    (
        (*VALIDATE, "--data", "a=more.csv"),
        "DATA and --data do not go together. Hint: name a file, - for standard input, or several data"
        " sets: --data NAME=FILE.",
    ),
    (
        ("validate", "--data", "rows.csv"),
        "--data: expected NAME=FILE; got 'rows.csv'.",
    ),
    (
        ("validate", "--data", "a=rows.csv", "--data", "a=more.csv"),
        "--data gives 'a' twice: 'rows.csv' and 'more.csv'. Hint: give each a name of its own, once.",
    ),
    (
        ("validate", "--data", "a=-", "--data", "b=-", "--target", "y", "--model", "bayes"),
        "- (standard input) was given more than once, but it can be read only once.",
    ),
    (
        ("validate", "--data", "a=rows.csv", "--data", "b=more.csv", "--target", "a=y", "--model", "bayes"),
        "data set 'b': --target is missing. Hint: name the column with the classes: --target COL.",
    ),
    (
        ("validate", "--data", "a=rows.csv", "--target", "a=y", "--target", "a=x", "--model", "bayes"),
        "--target is given twice for 'a': 'y' and 'x'.",
    ),
    # models
    (
        ("validate", *ROWS_Y),
        f"--model is missing. Hint: choose from {LEARNERS}, {OWN}",
    ),
    (
        (*VALIDATE, "--model", "bayes"),
        "two models are called 'bayes'. Hint: give one another name: --model other=bayes.",
    ),
    (
        (*VALIDATE, "--model", "=tree"),
        "--model: expected MODEL or NAME=MODEL; got '=tree'.",
    ),
    (
        (*VALIDATE, "--model", "a="),
        "--model: expected MODEL or NAME=MODEL; got 'a='.",
    ),
    (
        (*PERMUTE, "--model", "tree"),
        "`tallymark permute` takes one --model; got 2. Hint: call it once for each.",
    ),
    # options that all have
    (
        (*VALIDATE, "--metric", "acuracy"),
        "no metric is called 'acuracy'. Hint: did you mean accuracy? `tallymark metrics` lists them all.",
    ),
    (
        (*TUNE, "--metric", "auc", "--metric", "f1"),
        "one --metric is looked at; got auc, f1. Hint: leave out the others.",
    ),
    (
        (*VALIDATE, "--jobs", "0"),
        f"--jobs: expected a whole number from 1 up, or all; got '0'. {HELP['validate']}",
    ),
    (
        (*LEARN, "--jobs", "many"),
        f"--jobs: expected a whole number from 1 up, or all; got 'many'. {HELP['learn']}",
    ),
    (
        (*VALIDATE, "--seed", "x"),
        f"--seed: expected a whole number from 0 up; got 'x'. {HELP['validate']}",
    ),
    (
        (*VALIDATE, "--oversample", "0"),
        "--oversample is a ratio above 0 and up to 1; got 0. Hint: 1 makes all classes equally frequent.",
    ),
    (
        (*VALIDATE, "--undersample", "2"),
        "--undersample is a ratio above 0 and up to 1; got 2. Hint: 1 makes all classes equally frequent.",
    ),
    (
        (*VALIDATE, "--oversample", "1", "--undersample", "1"),
        "--oversample and --undersample exclude each other. Hint: give one of them.",
    ),
    (
        (*VALIDATE, "--features", "x,,id"),
        "--features has an empty item: 'x,,id'. Hint: separate the items by single commas.",
    ),
    # what is written
    (
        (*VALIDATE, "-o", "there.txt"),
        "'there.txt' exists already. Hint: use --force (overwrite=True) to replace it.",
    ),
    (
        (*VALIDATE, "-o", "rows.csv", "--force"),
        "-o rows.csv would replace the data. Hint: name another file.",
    ),
    (
        (*VALIDATE, "-o", "out.docx"),
        "cannot write 'out.docx': the suffix sets the format and must be .csv, .html, .json, .md, .pdf, .png,"
        " .svg, .tex or .txt.",
    ),
    (
        (*LEARN, "--json", "-o", "out.png"),
        "--json does not go with -o out.png: the suffix sets the format. Hint: leave out --json, or name"
        " a .json file.",
    ),
    (
        (*VALIDATE, "--predictions", "rows.csv"),
        "--predictions rows.csv would replace the data. Hint: name another file.",
    ),
    (
        (*VALIDATE, "--predictions", "rows.csv", "--force"),
        "--predictions rows.csv would replace the data. Hint: name another file.",
    ),
    (
        (*VALIDATE, "--predictions", "out.txt"),
        "cannot write 'out.txt': the suffix sets the format and must be .csv or .parquet.",
    ),
    (
        (*VALIDATE, "--predictions", "a.csv", "-o", "a.csv"),
        "--predictions and -o name the same file.",
    ),
    (
        ("validate", "--data", "a=rows.csv", "--target", "y", "--model", "bayes", "--predictions", "out.csv"),
        "--predictions are of one data set; --data names several. Hint: leave one of them out.",
    ),
    (
        (*TUNE, "--picture", "roc"),
        "--picture is one of search, optimism; got 'roc'.",
    ),
    (
        (*TUNE, "--picture", "search"),
        "--picture needs a file to draw it in: -o OUT.png (.svg, .pdf).",
    ),
    # parameters
    (
        (*TUNE, "--param", "max_depth"),
        "--param: expected NAME=VALUE,...; got 'max_depth'. Hint: max_depth=1,2,4,8",
    ),
    (
        (*TUNE, "--param", "max_depth="),
        "--param: expected NAME=VALUE,...; got 'max_depth='. Hint: max_depth=1,2,4,8",
    ),
    (
        (*TUNE, "--param", "max_depth=1", "--param", "max_depth=2"),
        "--param max_depth is given twice. Hint: name all values at once: max_depth=1,2,4.",
    ),
    (
        (*TUNE, "--param", "max_depth=1,2,1"),
        "--param max_depth has 1 twice.",
    ),
    (
        (*TUNE, "--param", "max_depth=1,,2"),
        "--param max_depth has an empty item: '1,,2'. Hint: separate the items by single commas.",
    ),
    (
        (*TUNE, "--random", "5"),
        "--random draws from the values of --param, and there are none.",
    ),
    (
        (*TUNE, "--param", "max_depth=1,2", "--random", "0"),
        "--random 0 tries nothing; a number from 1 up is expected.",
    ),
    # how it is tuned
    (
        (*TUNE, "--method", "kfold:5"),
        "--method is nested, nested:OUTERxINNER, three-way or three-way:VALIDATION,TEST; got 'kfold:5'.",
    ),
    (
        (*TUNE, "--method", "nested:5y5"),
        "--method nested:5y5: expected nested:OUTERxINNER, such as nested:10x5.",
    ),
    (
        (*TUNE, "--method", "nested:"),
        "--method nested:: expected nested:OUTERxINNER, such as nested:10x5.",
    ),
    (
        (*TUNE, "--method", "three-way:0.2"),
        "--method three-way:0.2: expected three-way:VALIDATION,TEST, such as three-way:0.2,0.2.",
    ),
    (
        (*TUNE, "--method", "three-way:0.2,b"),
        "--method three-way:0.2,b: expected a share such as 0.25 or 1/4; got 'b'.",
    ),
    (
        (*TUNE, "--method", "three-way:0.2,1.2"),
        "--method three-way:0.2,1.2: expected a share between 0 and 1; got '1.2'.",
    ),
    (
        (*TUNE, "--method", "three-way:0.5,0.5"),
        "--method three-way:0.5,0.5 leaves no rows to train on.",
    ),
    # the learning curve
    (
        (*LEARN, "--schedule", "linear"),
        "--schedule is geometric, arithmetic or a list such as 100,200,400; got 'linear'.",
    ),
    (
        (*LEARN, "--schedule", "10,-5"),
        "a size is a whole number of rows from 1 up; got -5. Hint: or give shares of the training part,"
        " all above 0 and up to 1.",
    ),
    (
        (*LEARN, "--step", "5"),
        "--step is of the arithmetic schedule, and --schedule is geometric.",
    ),
    (
        (*LEARN, "--schedule", "arithmetic", "--factor", "3"),
        "--factor is of the geometric schedule, and --schedule is arithmetic.",
    ),
    (
        (*LEARN, "--schedule", "5,10", "--start", "5"),
        "--start and a list of sizes do not go together. Hint: give one of them.",
    ),
    (
        (*LEARN, "--tolerance", "0.1"),
        "--tolerance says where --progressive stops: give that too.",
    ),
    (
        (*LEARN, "--method", "kfold:5", "--repeats", "3"),
        "--repeats and --method both say which rows are tested on. Hint: give one of them.",
    ),
    (
        (*LEARN, "--test-size", "2"),
        f"--test-size: expected a share between 0 and 1; got '2'. {HELP['learn']}",
    ),
    (
        (*LEARN, "--test-size", "1/0"),
        f"--test-size: expected a share such as 0.25 or 1/4; got '1/0'. {HELP['learn']}",
    ),
    # the permutation test
    (
        (*PERMUTE, "--permutations", "0"),
        "--permutations 0 compares with nothing; a number from 1 up is expected.",
    ),
    (
        (*PERMUTE, "--permutations", "-5"),
        "--permutations -5 compares with nothing; a number from 1 up is expected.",
    ),
    # models by name
    (
        (*VALIDATE[:-1], "treee"),
        f"no learner is called 'treee'; there are {LEARNERS}, votes such as vote:tree,logistic,knn or"
        " vote:tree:25, and one's own as module:object. Hint: did you mean 'tree'?",
    ),
    (
        (*VALIDATE, "--model", "own_bad:Treee"),
        "module 'own_bad' has no 'Treee'. Hint: did you mean 'Tree'?",
    ),
    (
        (*VALIDATE, "--model", "own_bad:number"),
        "model 'own_bad:number' has no method fit; got int.",
    ),
    (
        (*VALIDATE, "--model", "own_bad:broken"),
        "'own_bad:broken' cannot be called without arguments: RuntimeError: no luck. Hint: write a"
        " function that makes the model, and name that.",
    ),
    (
        (*VALIDATE, "--model", "own_wrong:x"),
        "module 'own_wrong' imports nowhere_at_all, which is not installed.",
    ),
    (
        (*VALIDATE, "--model", "vote:tree"),
        "'vote:tree' names one model; a vote needs several. Hint: write vote:tree:25 for copies of it, or"
        " name others: vote:tree,logistic,knn.",
    ),
    # methods
    (
        (*VALIDATE, "--method", "kfold:1"),
        "--method kfold:1: the number of folds (n_splits) must be a whole number from 2 up; got 1. Hint: "
        "with one fold there would be nothing to train on.",
    ),
    (
        (*VALIDATE, "--method", "kfold:a"),
        "method 'kfold:a' is not understood. Hint: write kfold:10, or kfold:5x2 for five runs of two folds.",
    ),
    (
        (*VALIDATE, "--method", "holdout:2"),
        "--method holdout:2: the share to test on is between 0 and 1; got 2. Hint: such as 1/3, 0.3 or 30%.",
    ),
    (
        (*VALIDATE, "--method", "group"),
        "--method group does not say of what. Hint: name the column: group:COL.",
    ),
    (
        (*VALIDATE, "--method", "pairs:5"),
        "--method pairs does not say of what. Hint: name two columns: pairs:COL,COL.",
    ),
    (
        (*VALIDATE, "--method", "loo", "--group", "patient"),
        "--method loo leaves out single rows: the rest of a row's group would be trained on. Hint: leave"
        " out whole groups: --method group:patient.",
    ),
    (
        (*VALIDATE, "--method", "group:patient", "--group", "colour"),
        "--method group:patient and --group colour name different columns for the groups. Hint: leave out"
        " --group.",
    ),
    # costs and ranges
    (
        (*VALIDATE, "--costs", "0 1; 5 0"),
        "the cost matrix names no labels, and the order of the labels ('no', 'yes') was not stated. Hint:"
        " state it (--labels no,yes), or name the labels in the costs.",
    ),
    (
        (*TUNE, "--model", "knn", "--param", "max_depth=1,2"),
        "--param max_depth does not say of which model it is. Hint: write tree.max_depth=...",
    ),
    (
        (*TUNE, "--param", "max_depth=uniform:1,5"),
        "--param max_depth=uniform:1,5 is a range to draw from. Hint: say how often: --random N.",
    ),
    (
        (*TUNE, "--param", "max_depth=uniform:5,1", "--random", "3"),
        "--param max_depth: expected uniform:LOW,HIGH, two numbers that rise; got '5,1'.",
    ),
    (
        (*TUNE, "--param", "max_depth=log:0,1", "--random", "3"),
        "--param max_depth: log:LOW,HIGH begins above 0; got 0.",
    ),
]


@pytest.fixture(autouse=True)
def files(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in FILES.items():
        Path(name).write_text(content)
    monkeypatch.setattr(sys, "path", list(sys.path))


@pytest.mark.parametrize(
    ("arguments", "message"),
    BAD,
    ids=[f"{place} {' '.join(call)[-40:]}" for place, (call, _) in enumerate(BAD)],
)
def test_bad_call_is_one_clear_line(run: Any, arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert (result.code, result.out, result.err) == (2, "", f"tallymark: {message}\n")


def test_nothing_is_read_when_the_file_to_write_exists(run: Any) -> None:
    for command in ("validate", "tune", "learn", "permute"):
        result = run(command, "-", "--target", "y", "--model", "bayes", "-o", "there.txt", stdin="never read")
        assert result.err.startswith("tallymark: 'there.txt' exists already.")
    assert Path("there.txt").read_text() == "precious"
