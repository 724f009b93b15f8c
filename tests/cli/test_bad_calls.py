"""Every bad call is one line that says what is wrong and what to do, and exit code 2."""

from __future__ import annotations

from typing import Any

import pytest

HELP = {
    name: f"Hint: `tallymark {name} --help` shows how it is used."
    for name in ("evaluate", "matrix", "interval", "explain", "metrics", "demo")
}
SCORES = ("evaluate", "scores.csv", "--actual", "y", "--score", "s")
ANSWERS = ("evaluate", "answers.csv")
TYPED = ("matrix", "150 40; 60 250")

BAD: list[tuple[tuple[str, ...], str]] = [
    # the command
    (("evalute",), "there is no command 'evalute'. Hint: did you mean `tallymark evaluate`?"),
    (
        ("xyz",),
        "there is no command 'xyz'."
        " Hint: the commands are demo, evaluate, matrix, report, check, compare, roc, pr, gains,"
        " thresholds, decide, rejection, calibration, cost-curve, decision-curve, validate, tune, learn,"
        " permute, runs, plot, tally, merge, interval, plan, explain, metrics, textbook, conform,"
        " completion.",
    ),
    (("--foo",), "there is no option --foo. Hint: `tallymark --help` shows how it is used."),
    (("demo", "--json"), f"there is no option --json. {HELP['demo']}"),
    (
        ("evaluate",),
        "FILE is missing. Hint: name a file, - for standard input, or models: --model NAME=FILE.",
    ),
    (("matrix",), f"MATRIX is missing. {HELP['matrix']}"),
    (("interval", "--correct", "5"), f"--of is missing. {HELP['interval']}"),
    ((*ANSWERS, "--actul", "y"), "there is no option --actul. Hint: did you mean --actual?"),
    ((*ANSWERS, "--confidence"), f"--confidence needs a value. {HELP['evaluate']}"),
    ((*ANSWERS, "--json=1"), f"--json takes no value. {HELP['evaluate']}"),
    (
        (*ANSWERS, "--confidence", "abc"),
        f"--confidence: expected a number; got 'abc'. {HELP['evaluate']}",
    ),
    (
        (*ANSWERS, "--seed", "-1"),
        f"--seed: expected a whole number from 0 up; got '-1'. {HELP['evaluate']}",
    ),
    ((*ANSWERS, "--undefined", "1"), f"--undefined: expected 0; got '1'. {HELP['evaluate']}"),
    (
        (*ANSWERS, "--normalize", "rows"),
        f"--normalize: 'rows' is not one of 'actual', 'predicted', 'all'. {HELP['evaluate']}",
    ),
    (
        ("matrix", "-1 2; 3 4"),
        "there is no option -1. Hint: what begins with - but is no option needs -- in front of it.",
    ),
    # shared options
    ((*TYPED, "--metric", "recal"), "no metric is called 'recal'. Hint: did you mean recall?"
     " `tallymark metrics` lists them all."),
    ((*TYPED, "--explain", "f_beta"), "expected f_beta:BETA with numbers from 0 to 1e9, got 'f_beta'."),
    (
        (*TYPED, "--explain", "recall", "--metric", "f_beta:2"),
        "--explain replaces the report, so --metric would have no effect. Hint: leave one of them out.",
    ),
    (
        (*TYPED, "--explain", "recall", "--normalize", "all"),
        "--explain replaces the report, so --normalize would have no effect. Hint: leave one of them out.",
    ),
    (
        (*ANSWERS, "--explain", "recall", "--slice", "y"),
        "--explain replaces the report, so --slice would have no effect.",
    ),
    ((*TYPED, "--prevalence", "x"), "--prevalence: expected a number from 0 to 1; got 'x'."),
    ((*TYPED, "--prevalence", "a=0.1,b"), "--prevalence: expected LABEL=SHARE; got 'b'."),
    ((*TYPED, "--prevalence", "1.5"), "class shares lie between 0 and 1 and add up to 1; got 1.5."),
    (
        (*TYPED, "-o", "answers.docx"),
        "cannot write 'answers.docx': the suffix sets the format and must be .csv, .html, .json,"
        " .md, .tex or .txt.",
    ),
    ((*TYPED, "-o", "nowhere/x.txt"), "the folder 'nowhere' does not exist."),
    (
        (*TYPED, "-o", "x.txt", "--json"),
        "--json does not go with -o x.txt: the suffix sets the format."
        " Hint: leave out --json, or name a .json file.",
    ),
    # evaluate
    (("evaluate", ""), "no file was named: FILE is empty."),
    (("evaluate", "answers.csv", ""), "no file was named: FILE is empty."),
    (("evaluate", "answer.csv"), "there is no file answer.csv. Hint: did you mean answers.csv?"),
    ((*ANSWERS, "--actual", "x"), "answers.csv has no column 'x'; its columns are 'actual' and 'predicted'."),
    (
        (*ANSWERS, "--positive", "Yes"),
        "answers.csv: positive='Yes' is not a label; labels are ['no', 'yes']."
        " Hint: did you mean 'yes'? Labels are case-sensitive and blanks count.",
    ),
    (
        SCORES,
        "scores.csv: a score needs to know the positive class; the labels are ['no', 'yes']."
        " Hint: name it, for example --positive yes (in Python pos_label='yes').",
    ),
    (
        (*SCORES, "--positive", "yes", "--threshold", "best:auc"),
        "a threshold is a number, best, or one of best:f1, best:accuracy, best:youden, best:cost;"
        " got 'best:auc'.",
    ),
    (
        (*SCORES, "--probabilities", "s"),
        "--score and --probabilities were both given."
        " Hint: --score is one column for two classes, --probabilities one column per class.",
    ),
    (
        ("evaluate", "probabilities.csv", "--probabilities", "a=p_a,p_b"),
        "--probabilities: expected LABEL=COLUMN; got 'p_b'.",
    ),
    (
        ("evaluate", "probabilities.csv", "--probabilities", "a=p_a,a=p_b"),
        "--probabilities gives 'a' twice: 'p_a' and 'p_b'. Hint: give each a name of its own, once.",
    ),
    (
        ("evaluate", "probabilities.csv", "--probabilities", "p_a"),
        "one probability column is a score: use --score p_a.",
    ),
    (
        ("evaluate", "probabilities.csv", "--probabilities", "a=p a"),
        "one probability column is a score: use --score 'p a'.",
    ),
    (
        ("evaluate", "probabilities.csv", "--probabilities", "p_a,p_b,p_a"),
        "column 'p_a' is named twice in --probabilities.",
    ),
    (
        ("evaluate", "probabilities.csv", "--probabilities", "a=p_a,b=p_a"),
        "column 'p_a' is named twice in --probabilities.",
    ),
    (
        (*ANSWERS, "--labels", "yes,,no"),
        "--labels has an empty item: 'yes,,no'. Hint: separate the items by single commas.",
    ),
    (
        (*ANSWERS, "--labels", ""),
        "--labels has an empty item: ''. Hint: separate the items by single commas.",
    ),
    (
        (*ANSWERS, "--labels", '"yes,no'),
        "--labels: unexpected end of data in '\"yes,no'."
        " Hint: put an item that has a comma or a quote into double quotes: '\"a, b\",c'.",
    ),
    (
        (*ANSWERS, "--labels", "yes\nno"),
        "--labels holds more than one line: 'yes\\nno'."
        " Hint: put an item that has a comma or a quote into double quotes: '\"a, b\",c'.",
    ),
    ((*ANSWERS, "--labels", "yes,maybe"), "answers.csv: actual holds ['no'] at lines 5, 6, 7 and 2 more;"
     " the labels given are ['yes', 'maybe']."),
    (
        ("evaluate", "missing.csv"),
        "missing.csv: "
        "predicted is missing in 1 of 4 rows, at line 3. Hint: to leave such rows out and have them"
        " counted, use --drop-missing (in Python missing='drop').",
    ),
    (
        (*ANSWERS, "--costs", "0 1; 10 0"),
        "the cost matrix names no labels, and the order of the labels ('no', 'yes') was not stated."
        " Hint: state it (--labels no,yes), or name the labels in the costs.",
    ),
    (("evaluate", "-", "-"), "- (standard input) was given more than once, but it can be read only once."),
    (("evaluate", "-"), "standard input is empty (0 bytes)."),
    # matrix
    (
        ("matrix", "150", "40"),
        "expected one matrix; got 2 arguments."
        " Hint: put the matrix into quotes: tallymark matrix '150 40; 60 250'.",
    ),
    (("matrix", "150 40; 60"), "row 2 has 1 cell; row 1 has 2."),
    (("matrix", "150 40; 60 x"), "row 2, column 2 holds 'x'; expected a whole number, 0 or more."),
    (("matrix", "--", "-1 2; 3 4"), "row 1, column 1 holds '-1'; expected a whole number, 0 or more."),
    (
        (*TYPED, "--labels", "a,b,c"),
        "expected as many labels as rows; got 3 ('a', 'b', 'c') for a 2 x 2 matrix.",
    ),
    ((*TYPED, "--rows", "x"), f"--rows: 'x' is not one of 'actual', 'predicted'. {HELP['matrix']}"),
    # interval
    (
        ("interval", "--correct", "5", "--of", "3"),
        "correct must be between 0 and of=3, got 5. Hint: correct counts some of the rows that of counts.",
    ),
    (
        ("interval", "--correct", "many", "--of", "3"),
        f"--correct: expected a number; got 'many'. {HELP['interval']}",
    ),
    (
        ("interval", "--correct", "1", "--of", "3", "--confidence", "95"),
        "confidence_level must be strictly between 0 and 1, got 95. Hint: write 0.95 for 95 %.",
    ),
    (
        ("interval", "--correct", "1", "--of", "3", "--method", "wald", "--explain"),
        "--explain shows the steps of wilson, not of wald. Hint: leave out --method.",
    ),
    # explain and metrics
    (
        ("explain", "recal"),
        "no metric is called 'recal'. Hint: did you mean recall? `tallymark metrics` lists them all.",
    ),
    (
        ("explain", "f_beta", "--tp", "1", "--fn", "2", "--fp", "3", "--tn", "4"),
        "expected f_beta:BETA with numbers from 0 to 1e9, got 'f_beta'.",
    ),
    (
        ("explain", "recall", "--tp", "1"),
        "all four counts are needed; missing: --fn, --fp, --tn.",
    ),
    (
        ("explain", "recall", "--tp", "1.5"),
        f"--tp: expected a whole number from 0 up; got '1.5'. {HELP['explain']}",
    ),
    (("explain", "--latex"), "--latex needs a metric. Hint: tallymark explain mcc --latex, for example."),
    (
        ("explain", "recall", "--latex", "--json"),
        "--json and --latex were both given. Hint: the JSON document holds the LaTeX.",
    ),
    (
        ("explain", "recall", "precision"),
        f"got unexpected extra argument (precision). {HELP['explain']}",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[" ".join(call) for call, _ in BAD])
def test_bad_call_is_one_clear_line(run: Any, arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert result.err == f"tallymark: {message}\n"
    assert (result.code, result.out) == (2, "")


def test_nothing_is_read_when_the_file_to_write_exists(run: Any, tmp_path: Any) -> None:
    """The refusal comes before the work: the input is not even looked for."""
    target = tmp_path / "there.json"
    target.write_text("precious")
    result = run("evaluate", "nowhere.csv", "-o", "there.json")
    assert result.code == 2
    assert result.err == (
        "tallymark: 'there.json' exists already. Hint: use --force (overwrite=True) to replace it.\n"
    )
    assert target.read_text() == "precious"


def test_metric_names_are_checked_before_files_are_read(run: Any) -> None:
    assert "no metric is called 'recal'" in run("evaluate", "nowhere.csv", "--metric", "recal").err
