"""Every bad call of `tallymark decide` is one line that says what is wrong, and exit code 2."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

FILES = {
    "five.csv": "y,s\n1,0.9\n1,0.8\n0,0.7\n1,0.6\n0,0.3\n",
    "other.csv": "y,s\n1,0.85\n0,0.8\n0,0.7\n1,0.6\n0,0.3\n0,0.2\n",
    "words.csv": "y,s,now\nyes,0.9,yes\nno,0.2,no\nyes,0.4,no\nno,0.6,yes\n",
    "three.csv": "y,a,b,c\na,0.7,0.2,0.1\nb,0.5,0.4,0.1\nc,0.1,0.1,0.8\n",
    "again.csv": "y,a,b,c\na,0.7,0.2,0.1\nb,0.5,0.4,0.1\nc,0.1,0.1,0.8\n",
    "holes.csv": "y,s\n1,0.9\n1,\n0,0.7\n,0.6\n0,0.3\n1,0.8\n",
    "german.csv": "y,s\nja,0.85\nnein,0.8\n",
    "renamed.csv": "y,t\n1,0.85\n0,0.8\n",
    "costs.json": '{"labels": ["yes", "no"], "cost": [[0, 10], [1, 0]]}',
    "costs.csv": "actual,predicted,cost\nyes,no,10\nno,yes,1\n",
}
FIVE = ("decide", "five.csv", "--actual", "y", "--score", "s")
PRICED = (*FIVE, "--labels", "1,0", "--costs", "0 10; 1 0")
WORDS = ("decide", "words.csv", "--actual", "y", "--score", "s", "--positive", "yes")
THREE = ("decide", "three.csv", "--actual", "y", "--probabilities", "a,b,c")
OF_THREE = (*THREE, "--labels", "a,b,c", "--costs", "0 1 1; 9 0 1; 1 1 0")
HELP = "Hint: `tallymark decide --help` shows how it is used."
NAME_BOTH = """name the labels in the costs: --costs '{"a": {"rest": 10}, "rest": {"a": 1}}'"""
STATE_COSTS = "say what answers cost: --costs '0 10; 1 0' with --labels POSITIVE,NEGATIVE"
BAD: list[tuple[tuple[str, ...], str]] = [
    (("decide",), f"FILE is missing. {HELP}"),
    (("decide", "five.cvs", "--best", "f1"), "there is no file five.cvs. Hint: did you mean five.csv?"),
    (
        ("decide", "nowhere.csv"),
        f"there is nothing to decide by. Hint: {STATE_COSTS}; or what is asked of the threshold:"
        " --min recall=0.9, --best f1.",
    ),
    (
        ("decide", "answers.csv", "--best", "f1"),
        "answers.csv: "
        "a decision needs scores, and no column is named for them; the columns are 'actual', 'predicted'."
        " Hint: say which with --score COLUMN (or --probabilities, or --votes).",
    ),
    (
        (*WORDS[:6], "--best", "f1"),
        "words.csv: a score needs to know the positive class; the labels are ['no', 'yes']."
        " Hint: name it, for example --positive yes (in Python pos_label='yes').",
    ),
    # costs
    (
        (*FIVE, "--costs", "0 10; 1 0"),
        "the cost matrix names no labels, and the order of the labels ('0', '1') was not stated."
        " Hint: state it (--labels 0,1), or name the labels in the costs.",
    ),
    (
        (*PRICED[:8], "--costs", "0 x; 1 0"),
        "row 1, column 2 of the cost matrix holds 'x'; expected a finite number.",
    ),
    (
        (*PRICED[:8], "--costs", ""),
        "the cost matrix has no rows. Hint: type rows such as '0 10; 1 0'.",
    ),
    (
        (*PRICED[:8], "--costs", "0 1 1; 1 0 1; 1 1 0"),
        "expected 2 x 2 costs, one row for each of '1', '0'; the cost matrix is 3 x 3.",
    ),
    ((*WORDS, "--costs", "none.json"), "--costs: there is no file none.json. Hint: did you mean costs.json?"),
    (
        (*WORDS, "--costs", '{"yes": {"nee": 1}}'),
        "the cost matrix names 'nee'; the labels are 'no', 'yes'."
        " Hint: labels are case-sensitive; leave out those that are not in the data.",
    ),
    (
        (*FIVE, "--best", "mean_cost"),
        f"--best mean_cost needs to know what answers cost. Hint: {STATE_COSTS}.",
    ),
    (
        (*PRICED, "--best", "f1"),
        "--costs and --best f1 are two different aims."
        " Hint: leave one of them out; --min keeps a number up while the cost is made least.",
    ),
    # the cost of declining
    (
        (*FIVE, "--reject-cost", "1"),
        f"--reject-cost is weighed against what answers cost. Hint: {STATE_COSTS}.",
    ),
    *(
        ((*asked, "--reject-cost", cost),
         f"--reject-cost: expected a number up to 1e+100; got {cost!r}. {HELP}")
        for asked in (PRICED, OF_THREE)
        for cost in ("nan", "inf", "1e300", "-1e101")
    ),
    ((*PRICED, "--reject-cost", "cheap"), f"--reject-cost: expected a number; got 'cheap'. {HELP}"),
    (
        (*PRICED, "--reject-cost", "1", "--max", "share=0.5"),
        "--reject-cost leaves rows without an answer, so --min and --max cannot be kept."
        " Hint: leave one or the other out.",
    ),
    # bounds, most of them told before anything is read
    *(
        (("decide", "nowhere.csv", *given), message)
        for given, message in (
            (("--min", "recall"), "--min: expected NAME=VALUE; got 'recall'."),
            (("--max", "share="), "--max: expected NAME=VALUE; got 'share='."),
            (("--min", "recall=high"), "--min recall=high: expected a number; got 'high'."),
            (
                ("--min", "recall=90"),
                "recall is a number from 0 to 1; it cannot be asked to be at least 90.0."
                " Hint: write 0.9 for 90 %.",
            ),
            (("--max", "fpr=nan"), "fpr is a number from 0 to 1; it cannot be asked to be at most nan."),
            (
                ("--min", "recal=0.9"),
                "no metric is called 'recal'. Hint: did you mean recall? `tallymark metrics` lists them all.",
            ),
            (
                ("--min", "auc=0.9"),
                "'auc' is about the scores as a whole, so it has no value at a threshold."
                " Hint: ask for one that counts answers, such as f1, precision, recall, accuracy or mcc.",
            ),
            (
                ("--best", "auc"),
                "'auc' is about the scores as a whole, so it has no value at a threshold."
                " Hint: ask for one that counts answers, such as f1, precision, recall, accuracy or mcc.",
            ),
            (
                ("--min", "recall=1", "--min", "recall=0.5"),
                "--min gives 'recall' twice: '1' and '0.5'. Hint: give each a name of its own, once.",
            ),
            (
                ("--best", "f1", "--on-lower-bound"),
                "--on-lower-bound is about --min and --max, and neither was given.",
            ),
            (
                ("--min", "mcc=0.5", "--on-lower-bound"),
                "mcc has no confidence limit that can be told at every threshold."
                " Hint: leave out the demand on the limit, or ask it of recall, precision, specificity, npv,"
                " accuracy, f1 or share.",
            ),
        )
    ),
    (
        (*FIVE, "--min", "recall=0.9", "--min", "precision=0.9"),
        "recall of at least 0.9 and precision of at least 0.9 cannot be met together:"
        " with recall of at least 0.9 the most precision is 0.750 (at the threshold 0.6).",
    ),
    (
        (*FIVE, "--max", "share=0.1", "--best", "precision"),
        "precision is undefined at every threshold with share of at most 0.1.",
    ),
    (
        (*FIVE, "--best", "prevalence"),
        "no threshold is best for prevalence: neither more nor less prevalence is better.",
    ),
    # rows to choose on
    (
        ("decide", "-", "--best", "f1", "--choose-on", "-"),
        "- (standard input) was given more than once, but it can be read only once.",
    ),
    (
        (*FIVE, "--best", "f1", "--choose-on", "othr.csv"),
        "--choose-on: there is no file othr.csv. Hint: did you mean other.csv?",
    ),
    ((*FIVE, "--best", "f1", "--choose-on", ""), "--choose-on: no file was named: FILE is empty."),
    (
        (*FIVE, "--best", "f1", "--choose-on", "renamed.csv"),
        "--choose-on renamed.csv has no column 's'; its columns are 'y' and 't'.",
    ),
    (
        (*FIVE, "--best", "f1", "--choose-on", "german.csv"),
        "--choose-on german.csv: positive='1' is not a label; labels are ['ja', 'nein'].",
    ),
    (
        (*FIVE, "--best", "f1", "--choose-on", "holes.csv"),
        "--choose-on holes.csv: actual (column 'y') is missing in 1 of 6 rows, at line 5; score (column 's')"
        " is missing in 1 of 6 rows, at line 3. Hint: to leave such rows out and have them counted, use"
        " --drop-missing (in Python missing='drop').",
    ),
    # what would be lost
    *(
        ((*asked, "-o", file, "--force"), f"-o {file} would replace {what}. Hint: name another file.")
        for asked, file, what in (
            (PRICED, "five.csv", "the data"),
            ((*PRICED, "--choose-on", "other.csv"), "other.csv", "the rows of --choose-on"),
            ((*WORDS, "--costs", "costs.csv"), "costs.csv", "the costs"),
        )
    ),
    (
        (*PRICED, "-o", "out.doc"),
        "cannot write 'out.doc': the suffix sets the format and must be .csv, .html, .json, .md, .pdf, .png,"
        " .svg, .tex or .txt.",
    ),
    # the rest
    (
        (*PRICED, "--prevalence", "half"),
        "--prevalence: expected a number from 0 to 1; got 'half'.",
    ),
    ((*PRICED, "--prevalence", "2"), "class shares lie between 0 and 1 and add up to 1; got 2.0."),
    ((*PRICED, "--seed", "-1"), f"--seed: expected a whole number from 0 up; got '-1'. {HELP}"),
    (
        (*FIVE, "--best", "f1", "--threshold", "best:cost"),
        "the threshold best:cost needs costs. Hint: give them with --costs (costs=).",
    ),
    # many classes
    *(
        ((*THREE, *given), f"{given[0]} is about a threshold, and with 3 classes there is none."
         " Hint: name the class that is told from the rest: --positive LABEL.")
        for given in (("--best", "f1"), ("--min", "recall=0.5"), ("--max", "share=0.5"))
    ),
    (
        (*OF_THREE, "--choose-on", "again.csv"),
        "--choose-on is about a threshold, and with 3 classes there is none."
        " Hint: name the class that is told from the rest: --positive LABEL.",
    ),
    (
        (*THREE, "--costs", "0 1 1; 9 0 1; 1 1 0"),
        "the cost matrix names no labels, and the order of the labels ('a', 'b', 'c') was not stated."
        " Hint: state it (--labels a,b,c), or name the labels in the costs.",
    ),
    (
        (*OF_THREE, "--positive", "a"),
        f"--positive a sets one class against the rest, so costs are of 'a' and 'rest'; they name no labels."
        f" Hint: {NAME_BOTH}; or leave --positive out to choose among all classes.",
    ),
    (
        (*THREE, "--positive", "a", "--costs", "0 10; 1 0"),
        f"--positive a sets one class against the rest, so costs are of 'a' and 'rest'; they name no labels."
        f" Hint: {NAME_BOTH}; or leave --positive out to choose among all classes.",
    ),
    (
        (*THREE, "--positive", "a", "--costs", '{"a": {"b": 1}, "b": {"a": 1}}'),
        f"--positive a sets one class against the rest, so costs are of 'a' and 'rest'; they name ['a', 'b']."
        f" Hint: {NAME_BOTH}; or leave --positive out to choose among all classes.",
    ),
    (
        ("decide", "three.csv", "--actual", "y", "--score", "a", "--positive", "a", "--costs", "0 10; 1 0"),
        "the cost matrix names no labels, and the order of the labels ('a', 'rest') was not stated."
        f" Hint: {NAME_BOTH} (in Python a dict).",
    ),
    (
        (*THREE, "--labels", "a,b,c", "--costs", "0 1 1; 9 0 1; 1 1 0", "--prevalence", "0.5"),
        "one share is that of the positive class, and none is named. Hint: name it, or give a share for every"
        " label: --prevalence LABEL=SHARE,... (in Python {label: share}).",
    ),
    *(
        (
            (*PRICED, "--choose-on", same),
            f"--choose-on {same} names the file that is reported on. Hint: name a file with other rows;"
            " without --choose-on what to expect of them is cross-fitted.",
        )
        for same in ("five.csv", "./five.csv")
    ),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[" ".join(call) for call, _ in BAD])
def test_bad_call_is_one_clear_line(run: Any, arguments: tuple[str, ...], message: str) -> None:
    for name, content in FILES.items():
        Path(name).write_text(content)
    before = {path: path.read_bytes() for path in Path().iterdir()}
    result = run(*arguments)
    assert result.err == f"tallymark: {message}\n"
    assert (result.code, result.out) == (2, "")
    assert {path: path.read_bytes() for path in Path().iterdir()} == before
