"""Every bad call of the commands that show curves is one line that says what is wrong, and exit code 2."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

HELP = {
    name: f"Hint: `tallymark {name} --help` shows how it is used."
    for name in ("roc", "pr", "gains", "thresholds", "plot")
}
ROWS = ("scores.csv", "--actual", "y", "--score", "s", "--positive", "yes")
COLUMNS = ("columns.csv", "--actual", "y")
EVERY = ("roc", "pr", "gains", "thresholds", "plot roc")
NO_SCORES = (
    "answers.csv: a curve needs scores, and no column is named for them; the columns are 'actual',"
    " 'predicted'."
    " Hint: say which with --score COLUMN (or --probabilities, or --votes)."
)
FILES = {
    "columns.csv": "y,tree,bayes,rule,votes\n1,0.9,0.7,1,3\n1,0.4,0.8,0,2\n0,0.6,0.1,0,1\n0,0.1,0.2,0,0\n",
    "rule.csv": "actual,predicted\n1,1\n0,0\n",
    "tree.csv": "actual,score\n1,0.9\n0,0.2\n",
    "words.csv": "actual,score\nTrue,0.9\nFalse,0.1\n",
    "weights.csv": "y,s,w,g\n1,0.9,2,a\n0,0.6,1,a\n1,0.4,1,b\n0,0.3,1.5,b\n",
    "twice.csv": "name,fpr,tpr\nx,0.1,0.5\nx,0.2,0.6\n",
    "one.csv": "y,s\n1,0.9\n1,0.2\n",
    "alike.csv": "actual,score\n1,0.9\n1,0.2\n",
    "broken.csv": "actual,score\n1,0.9\n0,x\n",
    "points.csv": "name,fpr,tpr\nx,0.1,0.5\n",
}

BAD: list[tuple[tuple[str, ...], str]] = [
    # what is read
    *(
        ((*command.split(), "-o", "out.svg"), "FILE is missing."
         " Hint: name a file, - for standard input, or models: --model NAME=FILE.")
        for command in EVERY
    ),
    *(((*command.split(), "answers.csv", "-o", "out.svg"), NO_SCORES) for command in EVERY),
    (("roc", "answers.csv", "--predicted", "predicted"), NO_SCORES),
    (("roc", "answer.csv"), "there is no file answer.csv. Hint: did you mean answers.csv?"),
    (("roc", ""), "no file was named: FILE is empty."),
    (("pr", *ROWS[:4], "z"), "scores.csv has no column 'z'; its columns are 'y' and 's'."),
    (
        ("gains", *ROWS[:5]),
        "scores.csv: a score needs to know the positive class; the labels are ['no', 'yes']."
        " Hint: name it, for example --positive yes (in Python pos_label='yes').",
    ),
    (
        ("pr", "probabilities.csv", "--actual", "y", "--probabilities", "p_a,p_b,p_c"),
        "probabilities.csv: a curve needs to know the positive class; the labels are ['a', 'b', 'c']."
        " Hint: name it, for example --positive c (in Python pos_label='c').",
    ),
    (
        ("roc", "columns.csv", "--actual", "y,rule", "--predicted", "tree,bayes", "--score", "votes"),
        "label sets are evaluated from answers, not from scores."
        " Hint: say which labels are predicted: cut the scores first.",
    ),
    # roc
    (
        ("roc", *ROWS, "--construction", "stepwise"),
        "construction must be one of grouped, sequential, opposite, bins:N, quantiles:N; got 'stepwise'.",
    ),
    *(
        (("roc", *ROWS, "--construction", way), f"expected {way.split(':')[0]}:N with a whole number of bins"
         f" from 1 to 1,000,000; got {way!r}. Hint: for example {way.split(':')[0]}:10.")
        for way in ("bins:0", "bins:x", "quantiles", "quantiles:-1")
    ),
    (("roc", *ROWS, "--max-fpr", "0"), "--max-fpr: expected a number above 0 and up to 1; got 0."),
    (
        ("roc", *ROWS, "--max-fpr", "10"),
        "--max-fpr: expected a number above 0 and up to 1; got 10. Hint: write 0.1 for 10 %.",
    ),
    (
        ("roc", *ROWS, "--interval", "wald"),
        "--interval: 'wald' is not one of 'delong', 'hanley_mcneil', 'hanley_mcneil_logit', 'newcombe'."
        f" {HELP['roc']}",
    ),
    (
        ("roc", "weights.csv", "--actual", "y", "--score", "s", "--weight", "w", "--interval", "newcombe"),
        "--interval newcombe stands on how many rows there are, and here rows have weights."
        " Hint: leave it out: delong takes them into account.",
    ),
    (
        ("roc", "weights.csv", "--actual", "y", "--score", "s", "--group", "g", "--interval", "newcombe"),
        "--interval newcombe stands on how many rows there are, and here rows belong together in groups."
        " Hint: leave it out: delong takes them into account.",
    ),
    *(
        (("roc", "--bin-counts", "2 0; 1 2", *given),
         f"--bin-counts says what FILE holds, so {given[0]} would have no effect.")
        for given in (("--score", "s"), ("--construction", "bins:3"), ("--drop-missing",),
                      ("--threshold", "1"), ("--group", "g"), ("--missing", "NA"), ("--model", "a=b"))
    ),
    *(
        (("roc", "--points", "twice.csv", *given),
         f"--points says what FILE holds, so {given[0]} would have no effect.")
        for given in (("--actual", "y"), ("--interval", "delong"), ("--ascending",), ("--positive", "yes"))
    ),
    (
        ("roc", "--points", "--bin-counts", "twice.csv"),
        "--points and --bin-counts were both given. Hint: say which of them FILE holds.",
    ),
    (
        ("roc", "--bin-counts", "10", "0"),
        "--bin-counts reads one FILE; got 2. Hint: put what is typed into quotes: '1000 0; 900 100'.",
    ),
    (("roc", "--points"), "--points reads one FILE; got none."),
    (("roc", "--points", "twice.csv"), "two points are called 'x'. Hint: give each row a name of its own."),
    (
        ("roc", "--bin-counts", "10 0; 5"),
        "bin 2 has 1 cell; expected two, its positives and its negatives."
        " Hint: type rows such as '1000 0; 900 100', best first, without thousands separators.",
    ),
    # gains and thresholds
    (("gains", *ROWS, "--recall", "1.5"), "--recall: expected a number above 0 and up to 1; got 1.5."),
    (
        ("gains", *ROWS, "--recall", "40"),
        "--recall: expected a number above 0 and up to 1; got 40. Hint: write 0.4 for 40 %.",
    ),
    (("gains", *ROWS, "--share", "0"), "--share: expected a number above 0 and up to 1; got 0."),
    (("gains", *ROWS, "--share", "-1"), "--share: expected a number above 0 and up to 1; got -1."),
    (("gains", *ROWS, "--share", "nan"), "--share: expected a number above 0 and up to 1; got nan."),
    (("gains", *ROWS, "--share", "few"), f"--share: expected a number; got 'few'. {HELP['gains']}"),
    (("gains", *ROWS, "--parts", "0"), "--parts: expected a whole number from 1 to 1,000; got 0."),
    (("gains", *ROWS, "--parts", "2.5"), "--parts: expected a whole number from 1 to 1,000; got 2.5."),
    (
        ("thresholds", *ROWS, "--metric", "auc"),
        "'auc' is about the scores as a whole, so it has no value at a threshold."
        " Hint: ask for one that counts answers, such as f1, precision, recall, accuracy or mcc.",
    ),
    (
        ("thresholds", "nowhere.csv", "--metric", "recal"),
        "no metric is called 'recal'. Hint: did you mean recall? `tallymark metrics` lists them all.",
    ),
    (
        ("thresholds", *ROWS, "--metric", "f1_macro"),
        "'f1_macro' is an average over classes, and a threshold is about one of them. Hint: ask for f1.",
    ),
    # several models
    (("roc", *COLUMNS, "--model", "tree"), "--model: expected NAME=COLUMN; got 'tree'."),
    (("roc", "--model", "tree"), "--model: expected NAME=FILE; got 'tree'."),
    (("roc", "--model", "tree="), "--model: expected NAME=FILE; got 'tree='."),
    (("roc", "--model", "=tree.csv"), "--model: expected NAME=FILE; got '=tree.csv'."),
    (("pr", *COLUMNS, "--model", "a=tree", "--model", "a=bayes"), "--model gives 'a' twice: 'tree' and"
     " 'bayes'. Hint: give each a name of its own, once."),
    (
        ("roc", *COLUMNS, "--model", "tree=tre"),
        "columns.csv has no column 'tre'; its columns are 'y', 'tree', 'bayes', 'rule' and 'votes'."
        " Hint: did you mean 'tree' for 'tre'? Names are compared exactly.",
    ),
    (
        ("roc", *COLUMNS, "--model", "tree=tree.csv"),
        "columns.csv has no column 'tree.csv'; its columns are 'y', 'tree', 'bayes', 'rule' and 'votes'."
        " Hint: after FILE, --model names a column of it; to compare files, give each as --model NAME=FILE.",
    ),
    (
        ("roc", *COLUMNS, "--model", "tree=tree", "--score", "bayes"),
        "--score and --model NAME=COLUMN both say where the answers are."
        " Hint: leave out --score, or give every model a file: --model NAME=FILE.",
    ),
    (
        ("roc", "--model", "a=-", "--model", "b=-"),
        "- (standard input) was given more than once, but it can be read only once.",
    ),
    (
        ("roc", "--model", "a=tree.csv", "--model", "b=words.csv"),
        "the models have different positive classes: 1 of 'a', 'True' of 'b'."
        " Hint: write the classes in the same way in every file.",
    ),
    *(
        ((*command.split(), "--model", "a=rule.csv", "--model", "b=rule.csv", "-o", "out.svg"),
         "a curve needs scores, and 'a' and 'b' have answers only."
         " Hint: name a column with scores: --score COLUMN, or --model NAME=COLUMN after FILE.")
        for command in ("roc", "pr", "gains", "plot roc", "plot roc+pr")
    ),
    *(
        ((*command.split(), *COLUMNS, "--model", "t=tree", "--model", "r=rule", "-o", "out.svg"),
         "'r' has answers and no scores, so there is no threshold to move."
         " Hint: leave it out, or name a column with its scores.")
        for command in ("thresholds", "plot threshold")
    ),
    (
        ("roc", "--model", "a=tree.csv", "--model", "b=one.csv", "--actual", "y"),
        "model 'a': tree.csv has no column 'y'; its columns are 'actual' and 'score'.",
    ),
    # plot
    (("plot",), f"KIND is missing. {HELP['plot']}"),
    (
        ("plot", "ros", *ROWS),
        "KIND: 'ros' is not one of 'roc', 'one-vs-rest', 'pr', 'roc+pr', 'gains', 'lift', 'threshold', "
        "'confusion', 'rejection', 'calibration', 'cost', 'decision', 'distribution'."
        f" {HELP['plot']}",
    ),
    (
        ("plot", "roc", *ROWS),
        "a picture needs a file to be written to. Hint: add -o roc.png (or .svg, .pdf).",
    ),
    (
        ("plot", "roc+pr", "nowhere.csv"),
        "a picture needs a file to be written to. Hint: add -o roc-pr.png (or .svg, .pdf).",
    ),
    (
        ("plot", "roc", *ROWS, "-o", "out.csv"),
        "cannot write 'out.csv': the suffix sets the format and must be .pdf, .png or .svg.",
    ),
    (
        ("plot", "roc", *ROWS, "-o", "out.svg", "--metric", "f1"),
        "--metric is about plot threshold, so with roc it would have no effect.",
    ),
    (
        ("plot", "gains", *ROWS, "-o", "out.svg", "--no-band"),
        "--no-band is about plot roc and roc+pr, so with gains it would have no effect.",
    ),
    (
        ("plot", "pr", *ROWS, "-o", "out.svg", "--confidence", "0.9"),
        "--confidence is about plot roc, roc+pr, rejection, calibration and decision, so with pr it would"
        " have no effect.",
    ),
    (
        ("plot", "roc", *ROWS, "-o", "out.svg", "--confidence", "0.9", "--no-band"),
        "--confidence is that of the band, and --no-band draws none.",
    ),
    (
        ("plot", "threshold", *COLUMNS, "--score", "tree", "--predicted", "rule", "-o", "out.svg"),
        "the answers have no threshold, so --predicted would have no effect.",
    ),
    # what would have no effect
    (
        ("roc", *ROWS, "--no-band"),
        "--no-band is about the picture, and none is written."
        " Hint: leave it out, or write one: -o curve.png (.png, .svg, .pdf).",
    ),
    (
        ("gains", *ROWS, "--lift", "-o", "gains.csv"),
        "--lift is about the picture, and none is written."
        " Hint: leave it out, or write one: -o curve.png (.png, .svg, .pdf).",
    ),
    (
        ("roc", "--points", "points.csv", "--confidence", "0.95"),
        "--points says what FILE holds, so --confidence would have no effect.",
    ),
    # hints that lead somewhere
    *(
        (
            (*command, *ROWS, "--threshold", "best:cost", *more),
            "--threshold best:cost needs costs, and this command takes none. Hint: `tallymark decide FILE "
            "--costs ...` finds it; give that number here: --threshold T.",
        )
        for command, more in (
            (("roc",), ()),
            (("pr",), ()),
            (("gains",), ()),
            (("thresholds",), ()),
            (("plot", "confusion"), ("-o", "out.svg")),
        )
    ),
    (
        ("thresholds", *ROWS, "--metric", "total_cost"),
        "'total_cost' needs costs, which a curve over thresholds does not have. Hint: `tallymark decide "
        "FILE --costs ...` (ev.decide) finds the cheapest threshold.",
    ),
    *(
        (
            (command, "scores.csv", "-o", "scores.csv"),
            "-o scores.csv would replace the data. Hint: name another file.",
        )
        for command in ("roc", "pr", "gains", "thresholds", "evaluate", "matrix")
    ),
    (
        ("plot", "roc", *ROWS, "--json"),
        f"there is no option --json. {HELP['plot']}",
    ),
    (
        ("roc", *ROWS, "--construct", "grouped"),
        "there is no option --construct. Hint: did you mean --construction?",
    ),
    # several models: which one
    (
        ("roc", "--model", "a=s"),
        "--model a=s: there is no file 's'; NAME=FILE is expected."
        " Hint: to name a column, give the file first: FILE --model a=s.",
    ),
    (
        ("roc", "--model", "a=tree.csv", "--model", "b=broken.csv"),
        "model 'b' (broken.csv): score holds 'x' at line 3; numbers are expected.",
    ),
    (
        ("roc", "--model", "a=tree.csv", "--model", "b=alike.csv"),
        "'b' has no ROC curve: no row is actually negative."
        " Hint: leave it out: without rows of both classes there is nothing to compare.",
    ),
    # totals
    (
        ("roc", "--bin-counts", "1 2; 3 4; 4 6"),
        "bin 3, the last, holds the sums of the bins; expected the bins alone. Hint: delete the row of "
        "totals; if it is a bin, say so with its edges, in columns low and high.",
    ),
    (
        ("plot", "confusion", *COLUMNS, *(f"--model={name}=tree" for name in "abcd"), "-o", "out.svg"),
        "4 matrices side by side cannot be read; at most 3 are drawn."
        " Hint: draw each into a file of its own.",
    ),
    (
        ("plot", "confusion", *COLUMNS, "--score", "votes", "-o", "out.svg"),
        "there is no matrix: pass a threshold. Hint: --threshold T cuts the score.",
    ),
    # what is written
    (
        ("roc", *ROWS, "-o", "roc.jpg"),
        "cannot write 'roc.jpg': the suffix sets the format and must be .csv, .html, .json, .md, .pdf, .png,"
        " .svg, .tex or .txt.",
    ),
    (
        ("roc", *ROWS, "-o", "roc.png", "--json"),
        "--json does not go with -o roc.png: the suffix sets the format."
        " Hint: leave out --json, or name a .json file.",
    ),
    (
        ("pr", *ROWS, "-o", "columns.csv"),
        "'columns.csv' exists already. Hint: use --force (overwrite=True) to replace it.",
    ),
    (
        ("roc", *ROWS, "-o", "scores.csv", "--force"),
        "-o scores.csv would replace the data. Hint: name another file.",
    ),
    (
        ("gains", "--model", "a=tree.csv", "-o", "tree.csv", "--force"),
        "-o tree.csv would replace the data. Hint: name another file.",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[" ".join(call) for call, _ in BAD])
def test_bad_call_is_one_clear_line(run: Any, arguments: tuple[str, ...], message: str) -> None:
    for name, content in FILES.items():
        Path(name).write_text(content)
    before = sorted(Path().iterdir())
    result = run(*arguments)
    assert result.err == f"tallymark: {message}\n"
    assert (result.code, result.out) == (2, "")
    assert sorted(Path().iterdir()) == before
    assert {name: Path(name).read_text() for name in FILES} == FILES


def test_several_models_of_one_class_have_no_curves_to_compare(run: Any) -> None:
    Path("one.csv").write_text(FILES["one.csv"])
    result = run("roc", "one.csv", "--actual", "y", "--model", "a=s", "--model", "b=s")
    assert (result.code, result.out) == (2, "")
    assert "'a' has no ROC curve: no row is actually negative" in result.err
