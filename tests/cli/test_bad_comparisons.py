"""Every bad call of `tallymark compare` is one line that says what is wrong, and exit code 2."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

ANSWERED = "id,actual,predicted\n"
FILES = {
    "one.csv": "id,y,p,q,s,w,g\n1,1,1,0,0.9,1,a\n2,0,0,0,0.2,2,a\n3,1,0,1,0.6,1,b\n4,0,0,1,0.4,2,b\n",
    "a.csv": f"{ANSWERED}1,1,1\n2,0,0\n3,1,0\n",
    "b.csv": f"{ANSWERED}1,1,1\n2,0,1\n3,1,1\n",
    "b.txt": "precious",
    "twice.csv": f"{ANSWERED}1,1,1\n1,0,0\n2,1,1\n",
    "unknown.csv": f"{ANSWERED}1,1,1\n2,0,1\n4,1,1\n",
    "another.csv": f"{ANSWERED}3,1,1\n1,0,1\n2,0,1\n",
    "padded.csv": f"{ANSWERED}003,1,1\n001,1,1\n002,0,1\n",
    "empty_id.csv": f"{ANSWERED}3,1,1\n,1,1\n2,0,1\n",
    "unanswered.csv": f"{ANSWERED}3,1,1\n1,1,\n2,0,1\n",
    "bare.csv": "actual,predicted\n1,1\n0,0\n1,0\n",
    "bare_other.csv": "actual,predicted\n1,1\n1,0\n1,0\n",
    "bare_longer.csv": "actual,predicted\n1,1\n1,0\n1,0\n0,0\n",
    "bare_missing.csv": "actual,predicted\n1,1\n,0\n1,0\n",
    "letters.csv": "actual,predicted\na,a\nb,b\na,b\n",
    "capitals.csv": "actual,predicted\nA,A\nB,B\nA,B\n",
    "third.csv": "actual,predicted\na,a\nb,c\na,b\n",
    "words.csv": "y,p,q\nyes,0.4,0.7\nno,0.2,0.1\nyes,0.9,0.8\n",
    "typo.csv": "y,p,q\n1,x,0.3\n0,0.2,0.4\n",
    "holes.csv": "y,p,q\n1,,1\n0,0,\n1,1,0\n,1,1\n0,1,0\n",
    "nothing.csv": "y,p,q\n",
    "weights.csv": f"{ANSWERED[:-1]},w,g\n1,1,1,2,x\n2,0,0,1,x\n3,1,0,1,y\n",
    "weights_other.csv": f"{ANSWERED[:-1]},w,g\n1,1,1,3,x\n2,0,1,1,y\n3,1,1,1,y\n",
    "folds.csv": "fold,tree,bayes\n1,0.8,0.85\n2,0.82,0.83\n3,0.79,0.84\n4,0.81,0.80\n",
}
HELP = "Hint: `tallymark compare --help` shows how it is used."
OUT = "Hint: leave one of them out."
WAYS_OUT = (
    "Hint: give the ids of the rows (--id COLUMN, in Python id=), or say that these are other rows"
    " (--other-rows, in Python design='other rows')."
)
ONE_ID = "Hint: one id is one row, so it has the same class, weight and group for every model."
OF_SCORES = "is about scores by fold or data set: say --per fold or dataset."
BY_COLUMN = ("one.csv", "--actual", "y", "--model", "p=p", "--model", "q=q")
BY_FILE = ("--model", "a=a.csv", "--model", "b=b.csv")
ACCURACIES = ("--accuracy", "0.85:30", "--accuracy", "0.75:5000")
MATRICES = ("--matrix", "M1=150 40; 60 250", "--matrix", "M2=170 20; 40 270")
FOLDS = ("folds.csv", "--per", "fold")

BAD: list[tuple[tuple[str, ...], str]] = [
    # how models are given
    (
        (),
        "there is nothing to compare. Hint: name two files, --model NAME=FILE, --accuracy A:N,"
        " --matrix NAME=MATRIX, or FILE --per fold or dataset.",
    ),
    (
        ("one.csv",),
        "a comparison takes two models or more; got one file. Hint: name another file, or the columns of this"
        " one: --model NAME=COLUMN; a table of scores needs --per fold or --per dataset.",
    ),
    (BY_COLUMN[:5], "a comparison takes two models or more; got one --model."),
    (("--model", "a=a.csv"), "a comparison takes two models or more; got one --model."),
    (
        ("a.csv", "a.csv"),
        "a.csv is given twice. Hint: every FILE is a model; --model NAME=FILE gives it a name.",
    ),
    (("-", "-"), "- is given twice. Hint: every FILE is a model; --model NAME=FILE gives it a name."),
    (
        ("--model", "a=-", "--model", "b=-"),
        "- (standard input) was given more than once, but it can be read only once.",
    ),
    (
        ("a.csv", "nowhere.csv"),
        "model 'nowhere': there is no file nowhere.csv. Hint: did you mean another.csv?",
    ),
    (("a.csv", ""), "no file was named: FILE is empty."),
    ((*BY_COLUMN[:5], "--model", "p=q"), "--model gives 'p' twice: 'p' and 'q'. Hint: give each a name of its"
     " own, once."),
    ((*BY_COLUMN[:5], "--model", "q"), "--model: expected NAME=COLUMN; got 'q'."),
    ((*BY_COLUMN[:5], "--model", "q="), "--model: expected NAME=COLUMN; got 'q='."),
    (("--model", "a=a.csv", "--model", "b"), "--model: expected NAME=FILE; got 'b'."),
    (
        (*BY_COLUMN[:5], "--model", "q=r"),
        "one.csv has no column 'r'; its columns are 'id', 'y', 'p', 'q', 's', 'w' and 'g'.",
    ),
    (
        ("--model", "a=p", "--model", "b=q"),
        "--model a=p: there is no file 'p'; NAME=FILE is expected."
        " Hint: to name a column, give the file first: FILE --model a=p.",
    ),
    (
        (*BY_COLUMN, "--predicted", "p"),
        "--predicted and --model NAME=COLUMN both say where the answers are."
        " Hint: leave out --predicted, or give every model a file: --model NAME=FILE.",
    ),
    ((*ACCURACIES, *BY_FILE), "--accuracy and FILE or --model do not go together. Hint: give one of them."),
    ((*ACCURACIES, *MATRICES), "--accuracy and --matrix do not go together. Hint: give one of them."),
    ((*MATRICES, *FOLDS), "--matrix and --per do not go together. Hint: give one of them."),
    ((*BY_FILE, "--other-rows", "--same-rows"), "--other-rows and --same-rows exclude each other."),
    # which rows are the same
    (
        ("a.csv", "twice.csv"),
        "model 'twice' (twice.csv): ids must be unique and present;"
        " column 'id' repeats '1' at lines 2 and 3.",
    ),
    (
        ("a.csv", "empty_id.csv"),
        "model 'empty_id' (empty_id.csv): ids must be unique and present;"
        " column 'id' lacks one at line 3.",
    ),
    (
        ("a.csv", "unknown.csv"),
        "'a' and 'unknown' share 2 ids; 1 is only in 'a' (3) and 1 is only in 'unknown' (4). Hint: give all"
        " models the same rows; a row without an answer can stay in its file with the answer empty, and be"
        " left out by --drop-missing (in Python missing='drop').",
    ),
    (
        ("a.csv", "another.csv"),
        f"the actual class is not the same in 'a' and 'another' for 1 of 3 rows: id 1 (1 and 0). {ONE_ID}",
    ),
    (
        ("a.csv", "padded.csv"),
        "'a' and 'padded' share no id, but 3 of them look alike: '1' and '001'. Hint: write ids the same way"
        " (case, blanks and leading zeros count), or say that these are other rows (--other-rows, in Python"
        " design='other rows').",
    ),
    (
        ("a.csv", "bare.csv", "--id", "id"),
        "model 'bare': bare.csv has no column 'id'; its columns are 'actual' and 'predicted'.",
    ),
    (
        ("bare.csv", "bare_other.csv"),
        "the actual class is not the same in 'bare' and 'bare_other' for 1 of 3 rows: row 2 (0 and 1)."
        f" {WAYS_OUT}",
    ),
    (
        ("bare.csv", "bare_longer.csv", "--same-rows"),
        "'bare' has 3 rows and 'bare_longer' has 4, so they are not the same rows."
        " Hint: give all models the same rows.",
    ),
    (
        ("bare.csv", "bare_missing.csv", "--drop-missing"),
        "'bare' and 'bare_missing' came with 3 rows each, of which 3 and 2 are left; nothing tells which of"
        f" them are the same. {WAYS_OUT}",
    ),
    (
        (*BY_COLUMN, "--other-rows"),
        "the models answered the same table, so they have the same rows.",
    ),
    (
        ("weights.csv", "weights_other.csv", "--weight", "w"),
        "the weight is not the same in 'weights' and 'weights_other' for 1 of 3 rows: id 1 (2 and 3)."
        f" {ONE_ID}",
    ),
    (
        ("weights.csv", "weights_other.csv", "--group", "g"),
        "the group is not the same in 'weights' and 'weights_other' for 1 of 3 rows: id 2 ('x' and 'y')."
        f" {ONE_ID}",
    ),
    # labels, scores and missing values
    (
        ("letters.csv", "capitals.csv"),
        "the actual class is not the same in 'letters' and 'capitals' for 3 of 3 rows: row 1 ('a' and 'A'),"
        f" row 2 ('b' and 'B'), row 3 ('a' and 'A'). {WAYS_OUT}",
    ),
    (
        ("letters.csv", "third.csv", "--labels", "a,b"),
        "model 'third' (third.csv): predicted holds ['c'] at line 3; the labels given are ['a', 'b'].",
    ),
    (
        ("letters.csv", "third.csv", "--positive", "z"),
        "model 'letters' (letters.csv): positive='z' is not a label; labels are ['a', 'b'].",
    ),
    (
        ("words.csv", *BY_COLUMN[1:]),
        "words.csv: a score needs to know the positive class; the labels are ['no', 'yes']."
        " Hint: name it, for example --positive yes (in Python pos_label='yes').",
    ),
    (("typo.csv", *BY_COLUMN[1:]), "typo.csv: score (column 'p') holds 'x' at line 2; numbers are expected."),
    (
        ("holes.csv", *BY_COLUMN[1:]),
        "holes.csv: "
        "actual (column 'y') is missing in 1 of 5 rows, at line 5; score (column 'p') is missing in 1 of 5"
        " rows, at line 2. Hint: to leave such rows out and have them counted, use --drop-missing (in Python"
        " missing='drop').",
    ),
    (
        ("a.csv", "unanswered.csv"),
        "model 'unanswered' (unanswered.csv): predicted is missing in 1 of 3 rows, at line 3. Hint: to leave"
        " such rows out and have them counted, use --drop-missing (in Python missing='drop').",
    ),
    (("nothing.csv", *BY_COLUMN[1:]), "there are no rows in nothing.csv, only the names of the columns."),
    (
        (*BY_COLUMN[:3], "--model", "p=y", "--model", "q=q"),
        "column 'y' is named for two roles; a column has one.",
    ),
    # what is asked
    (
        (*BY_FILE, "--metric", "recal"),
        "no metric is called 'recal'. Hint: did you mean recall? `tallymark metrics` lists them all.",
    ),
    ((*BY_FILE, "--metric", "f_beta"), "expected f_beta:BETA with numbers from 0 to 1e9, got 'f_beta'."),
    (
        (*BY_FILE, "--costs", "0 1; 10 0"),
        "the cost matrix names no labels, and the order of the labels ('0', '1') was not"
        " stated. Hint: state it (--labels 0,1), or name the labels in the costs.",
    ),
    *(
        ((*BY_FILE, "--margin", margin), f"a margin is a number above 0, such as 0.01; got {margin}.")
        for margin in ("0", "-1", "nan", "inf")
    ),
    ((*BY_FILE, "--margin", "abc"), f"--margin: expected a number; got 'abc'. {HELP}"),
    (
        (*BY_FILE, "--confidence", "95"),
        "confidence_level must be strictly between 0 and 1, got 95. Hint: write 0.95 for 95 %.",
    ),
    (
        (*BY_FILE, "--margin", "0.1", "--confidence", "0.4"),
        "a margin is judged at a confidence level above 0.5; got 0.4.",
    ),
    (
        (*BY_FILE, "--test", "sign"),
        "--test: 'sign' is not one of 'auto', 'corrected', 'uncorrected', 'exact', 'mid_p', 'permutation'."
        f" {HELP}",
    ),
    (
        (*BY_FILE, "--method", "mcnemar"),
        "--method: 'mcnemar' is not one of 'wald', 'newcombe', 'newcombe_cc', 'agresti_caffo',"
        f" 'miettinen_nurminen', 'mee'. {HELP}",
    ),
    (
        (*BY_FILE, "--adjust", "none"),
        f"--adjust: 'none' is not one of 'holm', 'shaffer', 'bergmann_hommel', 'bonferroni'. {HELP}",
    ),
    (
        (*BY_FILE, "--alternative", "bigger"),
        f"--alternative: 'bigger' is not one of 'two-sided', 'greater', 'less'. {HELP}",
    ),
    *(
        (
            (*BY_FILE, "--permutations", number),
            f"permutations is a whole number from 100 to 1,000,000; got {number}.",
        )
        for number in ("0", "99", "1000001")
    ),
    (
        (*BY_FILE, "--permutations", "1.5"),
        f"--permutations: expected a whole number from 0 up; got '1.5'. {HELP}",
    ),
    # what says nothing about models given in that way
    ((*ACCURACIES, "--test", "exact"), f"--test has no effect beside --accuracy. {OUT}"),
    ((*ACCURACIES, "--permutations", "500"), f"--permutations has no effect beside --accuracy. {OUT}"),
    ((*ACCURACIES, "--same-rows"), f"--same-rows has no effect beside --accuracy. {OUT}"),
    ((*ACCURACIES, "--actual", "y"), f"--actual has no effect beside --accuracy. {OUT}"),
    ((*ACCURACIES, "--costs", "0 1; 1 0"), f"--costs has no effect beside --accuracy. {OUT}"),
    ((*ACCURACIES, "--metric", "f1"), "from accuracies alone only accuracy can be compared."),
    ((*MATRICES, "--threshold", "0.5"), f"--threshold has no effect beside --matrix. {OUT}"),
    ((*MATRICES, "--permutations", "500"), f"--permutations has no effect beside --matrix. {OUT}"),
    ((*BY_FILE, "--other-rows", "--test", "exact"), f"--test has no effect beside --other-rows. {OUT}"),
    ((*BY_FILE, "--same-rows", "--method", "mee"), f"--method has no effect beside --same-rows. {OUT}"),
    ((*FOLDS, "--test", "exact"), f"--test has no effect beside --per. {OUT}"),
    ((*FOLDS, "--method", "wald"), f"--method has no effect beside --per. {OUT}"),
    ((*FOLDS, "--other-rows"), f"--other-rows has no effect beside --per. {OUT}"),
    ((*FOLDS, "--group", "g"), f"--group has no effect beside --per. {OUT}"),
    ((*BY_FILE, "--n-train", "90"), f"--n-train {OF_SCORES}"),
    ((*ACCURACIES, "--rope", "0.1"), f"--rope {OF_SCORES}"),
    ((*BY_FILE, "--independent-training"), f"--independent-training {OF_SCORES}"),
    # accuracies
    (ACCURACIES[:2], "a comparison takes two models or more; got one --accuracy."),
    *(
        (
            (*ACCURACIES[:2], "--accuracy", typed),
            f"--accuracy: expected A:N or NAME=A:N, such as 0.85:30; got {typed!r}.",
        )
        for typed in ("x", "0.85", "0.85:", ":30", "17/20", "85%:30", "0,85:30", "=0.85:30")
    ),
    (
        (*ACCURACIES[:2], "--accuracy", "85:30"),
        "an accuracy lies between 0 and 1; 'M2' has 85. Hint: 85 % is written as 0.85.",
    ),
    ((*ACCURACIES[:2], "--accuracy", "-0.1:30"), "an accuracy lies between 0 and 1; 'M2' has -0.1."),
    ((*ACCURACIES[:2], "--accuracy", "nan:30"), "an accuracy lies between 0 and 1; 'M2' has nan."),
    *(
        (
            (*ACCURACIES[:2], "--accuracy", f"B=0.85:{typed}"),
            f"the number of rows is a whole number from 1 to 1e15; 'B' has {typed}.",
        )
        for typed in ("0", "30.5", "inf", "-5", "10000000000000000")
    ),
    (
        ("--accuracy", "A=0.85:30", "--accuracy", "A=0.75:30"),
        "--accuracy gives 'A' twice. Hint: give each a name of its own, once.",
    ),
    # matrices
    (MATRICES[:2], "a comparison takes two models or more; got 1."),
    (("--matrix", "1 2; 3 4"), "--matrix: expected NAME=MATRIX; got '1 2; 3 4'."),
    (
        (*MATRICES[:2], "--matrix", "M2=1 x; 3 4"),
        "--matrix M2: row 1, column 2 holds 'x'; expected a whole number, 0 or more.",
    ),
    (
        (*MATRICES[:2], "--matrix", "M2=1 2 3; 4 5 6"),
        "--matrix M2: expected as many columns as rows; the matrix is 2 x 3.",
    ),
    (
        (*MATRICES[:2], "--matrix", "M2=1 2 3; 4 5 6; 7 8 9"),
        "the matrices have other numbers of classes: 'M1' has 2, 'M2' has 3.",
    ),
    (
        (*MATRICES[:2], "--matrix", "M2=250 45; 5 200", "--same-rows"),
        "'M1' has 190 rows of 'class 1' and 'M2' has 295, so they did not answer the same rows."
        " Hint: compare them as on other rows: --other-rows (in Python design='other rows').",
    ),
    (
        (*MATRICES, "--positive", "z"),
        "positive='z' is not a label; labels are ['class 1', 'class 2'].",
    ),
    (
        (*MATRICES, "--labels", "a,b,c"),
        "--matrix M1: expected as many labels as rows; got 3 ('a', 'b', 'c') for a 2 x 2 matrix.",
    ),
    # what is written
    (
        (*ACCURACIES, "--picture", "roc"),
        "--picture needs a file to draw it in: -o OUT.png (.svg, .pdf).",
    ),
    (
        (*ACCURACIES, "--picture", "roc", "-o", "x.txt"),
        "--picture needs a file to draw it in: -o OUT.png (.svg, .pdf).",
    ),
    (
        (*ACCURACIES, "--picture", "pie", "-o", "x.png"),
        "--picture is one of differences, roc, agreement, folds, critical-difference, posterior, scores;"
        " got 'pie'.",
    ),
    (
        (*ACCURACIES, "--picture", "roc", "-o", "x.png"),
        "roc takes the scores of every model, for one positive class with rows of both kinds."
        " Hint: pictures of these: differences.",
    ),
    (
        (*FOLDS, "--picture", "roc", "-o", "x.png"),
        "roc is for the design 'same rows' or 'other rows'; this is 'same folds'."
        " Hint: pictures of these: folds, differences, posterior.",
    ),
    (
        (*ACCURACIES, "-o", "x.docx"),
        "cannot write 'x.docx': the suffix sets the format and must be .csv, .html, .json, .md, .pdf, .png,"
        " .svg, .tex or .txt.",
    ),
    ((*BY_FILE, "-o", "a.csv"), "-o a.csv would replace the data. Hint: name another file."),
    (
        (*BY_FILE, "-o", "b.txt"),
        "'b.txt' exists already. Hint: use --force (overwrite=True) to replace it.",
    ),
    (
        (*BY_FILE, "-o", "x.txt", "--json"),
        "--json does not go with -o x.txt: the suffix sets the format."
        " Hint: leave out --json, or name a .json file.",
    ),
]  # fmt: skip


@pytest.fixture(autouse=True)
def files(run: Any) -> None:
    for name, content in FILES.items():
        Path(name).write_text(content)


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[" ".join(call) for call, _ in BAD])
def test_bad_call_is_one_clear_line(run: Any, arguments: tuple[str, ...], message: str) -> None:
    result = run("compare", *arguments)
    assert result.err == f"tallymark: {message}\n"
    assert (result.code, result.out) == (2, "")


def test_the_call_is_checked_before_files_are_read(run: Any) -> None:
    there = ("--model", "a=nowhere.csv", "--model", "b=nowhere.csv")
    assert "exclude each other" in run("compare", *there, "--same-rows", "--other-rows").err
    assert "no metric is called" in run("compare", *there, "--metric", "recal").err
    assert "a margin is" in run("compare", *there, "--margin", "0").err
