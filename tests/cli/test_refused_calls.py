"""Calls of `evaluate`, `matrix`, `report`, `check`, `plan` and of no command at all that cannot be used."""

from pathlib import Path
from typing import Any

import pytest

from command_lines import held, write

TYPED = "matrix '150 40; 60 250'"
SCORES = "evaluate scores.csv --actual y --score s"
BY_COLUMN = "evaluate columns.csv --actual y --model tree=tree --model rule=rule"
MODELS = {
    "columns.csv": "y,tree,rule,site\n1,0.9,1,n\n1,0.4,1,s\n0,0.6,0,n\n0,0.1,1,s\n",
    "tree.csv": "actual,score\n1,0.9\n1,0.4\n0,0.6\n0,0.1\n",
    "rule.csv": "actual,predicted\n1,1\n1,1\n0,0\n0,1\n",
    "there.json": "mine",
}


def test_calls_that_cannot_be_understood(refused: Any) -> None:
    text = """
        evalute
        xyz
        --foo
        demo --json
        evaluate
        matrix
        interval --correct 5
        evaluate answers.csv --actul y
        evaluate answers.csv --confidence
        evaluate answers.csv --json=1
        evaluate answers.csv --confidence abc
        evaluate answers.csv --seed -1
        evaluate answers.csv --undefined 1
        evaluate answers.csv --normalize rows
        matrix '-1 2; 3 4'
        completion csh
        roc scores.csv --construct grouped
        # options that many commands have
        $TYPED --metric recal
        $TYPED --explain f_beta
        $TYPED --explain recall --metric f_beta:2
        $TYPED --explain recall --normalize all
        evaluate answers.csv --explain recall --slice y
        $TYPED --prevalence x
        $TYPED --prevalence a=0.1,b
        $TYPED --prevalence 1.5
        $TYPED -o answers.docx
        $TYPED -o nowhere/x.txt
        $TYPED -o x.txt --json
        # metrics are looked up, and files to write looked for, before anything is read
        evaluate nowhere.csv --metric recal
        evaluate nowhere.csv -o out.pdf
        evaluate nowhere.csv -o out.markdown
        evaluate nowhere.csv -o answers.csv
        # one typed number or matrix
        matrix 150 40
        matrix '150 40; 60'
        matrix '150 40; 60 x'
        matrix -- '-1 2; 3 4'
        $TYPED --labels a,b,c
        $TYPED --rows x
        $TYPED --normalize actual -o out.csv
        $TYPED --explain accuracy -o out.csv
        interval --correct 5 --of 3
        interval --correct many --of 3
        interval --correct 1 --of 3 --confidence 95
        interval --correct 1 --of 3 --method wald --explain
        {interval --correct 8 --of 10|metrics} -o out.csv
        explain recal
        explain f_beta --tp 1 --fn 2 --fp 3 --tn 4
        explain recall --tp 1
        explain recall --tp 1.5
        explain --latex
        explain recall --latex --json
        explain recall precision
        plan
        plan --half-width 0.1 --rows 9
        plan --half-width wide
        textbook {wilson|mcnemer|xyzzy|7}
        conform skleran
        conform --topic rate
        demo -o page.pdf
        demo --data . -o x.html
    """
    refused("cli_errors_calls", text, TYPED=TYPED)


def test_evaluations_that_cannot_be_made(refused: Any) -> None:
    text = """
        evaluate ''
        evaluate answers.csv ''
        evaluate answer.csv
        evaluate answers.csv --actual x
        evaluate answers.csv --positive Yes
        evaluate answers.csv --labels yes,,no
        evaluate answers.csv --labels ''
        evaluate answers.csv --labels '"yes,no'
        evaluate answers.csv --labels yes,maybe
        evaluate answers.csv --costs '0 1; 10 0'
        evaluate answers.csv -o ./answers.csv --force
        evaluate missing.csv
        evaluate missing.csv -o out.json
        evaluate - -
        evaluate -
        $SCORES
        $SCORES --positive yes --threshold best:auc
        $SCORES --probabilities s
        evaluate probabilities.csv --probabilities {a=p_a,p_b|a=p_a,a=p_b|p_a|'a=p a'|p_a,p_b,p_a|a=p_a,b=p_a}
        # models
        evaluate --model tree
        evaluate columns.csv --actual y --model tree
        evaluate --model a=tree.csv --model a=rule.csv
        evaluate --model a=trees.csv
        evaluate columns.csv --actual y --model a=trees
        $BY_COLUMN --score tree
        $BY_COLUMN --threshold best:cost
        evaluate --model a=nowhere.csv {--explain recall|--metric recal}
        evaluate --model tree=tree.csv --model rule=rule.csv {-o tree.csv|-o out.png}
        evaluate --model a=- --model b=-
        # a file of metrics
        evaluate answers.csv --metrics-file {metrics.csv|there.json|metrics.json --explain recall}
        evaluate answers.csv --metrics-file there.json --force -o there.json
        # votes
        evaluate votes.csv --actual y --votes a,b --threshold 1
        $VOTES {a|a,a|a,,b|a,m9|a,y|a,b --score c|a,b --probabilities b,c|a,b --predicted c --threshold 1}
        # a page
        report
        report no.csv
        report answers.csv -o {x.json|answers.csv}
        report answers.csv {--same-rows|--same-rows --other-rows|--normalize all}
        evaluate answers.csv --normalize all -o page.html
    """
    names = {"SCORES": SCORES, "BY_COLUMN": BY_COLUMN}
    refused(
        "cli_errors_evaluations",
        text,
        MODELS,
        {"labels on two lines": ["evaluate", "answers.csv", "--labels", "yes\nno"]},
        **names,
        VOTES="evaluate votes.csv --actual y --positive yes --votes",
    )


HEADER = "id,actual,predicted,score,w,patient,region,a*b\n"
ROWS = [
    f"{number},{'yes' if number % 3 else 'no'},{'yes' if number % 4 else 'no'},0.{number % 9},"
    f"{1 + number % 3},p{number // 4},{'north' if number % 5 else 'south'},{'xy'[number % 2]}"
    for number in range(48)
]
DATA = (HEADER + "\n".join(ROWS)).splitlines()
COMMAND = "evaluate data.csv --actual actual --predicted predicted --positive yes"


def with_weights(*values: str) -> str:
    """The first rows with these in column w; they begin on line 2."""
    lines = [row.split(",") for row in ROWS]
    for line, value in zip(lines, values, strict=False):
        line[4] = value
    return HEADER + "\n".join(",".join(line) for line in lines) + "\n"


def test_weights_groups_and_slices_that_cannot_be_used(refused: Any) -> None:
    """Bad weights are told with their lines."""
    weights = {
        "negative": ("1", "-2"),
        "negatives": ("1", "-2", "1", "-0.5"),
        "word": ("1", "heavy"),
        "word_na": ("NA",),
        "missing": ("", "1", ""),
        "zero": ("0",) * 48,
        "large": ("1", "1e300"),
        "infinite": ("1e999",),
        "inf": ("1", "inf"),
        "minus_inf": ("-inf",),
        "nan": ("nan",),
        "comma": ("1,5",),
    }
    files = {f"{name}.csv": with_weights(*values) for name, values in weights.items()}
    files |= {
        "data.csv": with_weights(),
        "one_group.csv": HEADER + "\n".join(ROWS[:4]) + "\n",
        "many.csv": "actual,predicted,part\n" + "".join(f"yes,yes,s{number}\n" for number in range(1_001)),
    }
    lines = DATA.copy()
    for place, column in ((3, 4), (5, 5), (6, 6), (7, 6)):
        cells = lines[place].split(",")
        cells[column] = ""
        lines[place] = ",".join(cells)
    files["holes.csv"] = "\n".join(lines) + "\n"
    text = """
        evaluate {$WEIGHTS}.csv --actual actual --weight w
        $COMMAND {--weight|--group|--slice} nowhere
        $COMMAND --slice region*nowhere
        $COMMAND --slice region*a*b
        $COMMAND --weight {''|actual|predicted|w --score w|id --id id|region|score --weight-kind frequency}
        $COMMAND --weight w --weight-kind often
        $COMMAND --slice {region --slice region|region*region|''}
        evaluate holes.csv --actual actual --weight w --group patient --slice region
        evaluate one_group.csv --actual actual --group patient
        evaluate many.csv --slice part
    """
    refused("cli_errors_weights", text, files, COMMAND=COMMAND, WEIGHTS="|".join(weights))


def test_requirements_that_cannot_be_checked(refused: Any, monkeypatch: pytest.MonkeyPatch, run: Any) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    rows = "y,p\n" + "1,1\n" * 8 + "1,0\n" * 2 + "0,1\n" * 3 + "0,0\n" * 27
    write({"new.csv": rows, "main.csv": rows})
    assert run("evaluate new.csv --actual y --predicted p -o new.json --quiet").code == 0
    text = """
        $NEW
        $NEW --require 'recal >= 0.8'
        $NEW --require 'recall => 0.8'
        $NEW --require 'recall >= 80'
        $NEW $MET --margin 0.1
        $NEW $MET --baseline main.csv
        $NEW --no-worse f1
        $NEW --no-worse f1 --baseline main.cvs
        $NEW --no-worse f1 --baseline main.csv --margin -0.1
        $NEW --no-worse f1 --baseline answers.csv
        check $MET
        check nothing.csv $MET
        check new.csv --matrix '8 2; 3 27' $MET
        check --matrix '8 2; 3 27' --score s $MET
        check - --baseline - --no-worse f1
        $NEW $MET --junit out.txt
        $NEW $MET -o a.xml --junit a.xml
        $NEW $MET --same-rows --other-rows
        # a finished evaluation has no rows
        check new.json $MET {--positive 0|--confidence 0.9|new.csv|-o new.json --force}
    """
    refused(
        "cli_errors_check",
        text,
        NEW="check new.csv --actual y --predicted p",
        MET="--require 'recall >= 0.7'",
    )


def test_nothing_is_read_when_the_file_to_write_is_there(run: Any) -> None:
    Path("there.txt").write_text("precious")
    before = held()
    for command in ("evaluate - --actual y", *(f"{each} - --model bayes" for each in ("validate", "learn"))):
        for where in ("-o there.txt", "--output there.txt"):
            result = run(f"{command} {where}")
            assert (result.code, result.out, "there.txt" in result.err) == (2, "", True), command
    assert held() == before


def test_commands_that_would_replace_what_they_read_say_so(refused: Any) -> None:
    text = """
        {roc|pr|gains|thresholds|evaluate|matrix|calibration|rejection|report} scores.csv -o scores.csv
        {roc|evaluate|gains} scores.csv -o scores.csv --force
        decide five.csv --actual y --score s --best f1 -o five.csv --force
    """
    refused("cli_errors_replacing", text)
