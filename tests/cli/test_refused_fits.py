"""Calls of validate, tune, learn and permute that cannot be used: one line each, and exit code 2."""

import sys
from typing import Any

import pytest

from command_lines import calls, is_one_line, write

HEAD = "id,x,colour,patient,y\n"
ROWS = [f"{i},{i % 7},{'red' if i % 3 else 'blue'},p{i % 5},{'yes' if i % 2 else 'no'}\n" for i in range(20)]
FILES = {
    "rows.csv": HEAD + "".join(ROWS),
    "more.csv": HEAD + "".join(ROWS),
    "there.txt": "precious",
    "own_bad.py": "from sklearn.tree import DecisionTreeClassifier as Tree\nnumber = 3\n"
    "def broken():\n    raise RuntimeError('no luck')\n",
    "own_wrong.py": "import nowhere_at_all\n",
    "other.csv": "a,b\n1,2\n3,4\n",
    "one_class.csv": "x,y\n1,a\n2,a\n3,a\n",
    "hole.csv": HEAD + "".join([*ROWS[:3], "3,1,red,p1,\n", *ROWS[4:]]),
    "odd.csv": "x,y\n" + "".join(f"{'?' if i == 4 else i},{i % 2}\n" for i in range(20)),
    "empty.csv": "",
    "head.csv": HEAD,
    "bare.csv": "y\n" + "yes\nno\n" * 10,
    "sites.csv": "x,site,y\n" + "".join(f"{i / 10},{'aaabbbcccddd'[i]},{int(i < 6)}\n" for i in range(12)),
}
NAMES = {
    "VALIDATE": "validate rows.csv --target y --model bayes",
    "TUNE": "tune rows.csv --target y --model tree",
    "LEARN": "learn rows.csv --target y --model bayes",
    "PERMUTE": "permute rows.csv --target y --model bayes",
    "ON_Y": "--target y --model bayes",
}


@pytest.fixture(autouse=True)
def own_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules of one's own are found in the current folder, which is put on the path."""
    monkeypatch.setattr(sys, "path", list(sys.path))


def test_calls(refused: Any) -> None:
    text = """
        # what is given
        {validate|tune|learn} $ON_Y
        validate rows.csv --model bayes
        $VALIDATE --target x
        $VALIDATE --positive no --positive yes
        $VALIDATE --data a=more.csv
        validate --data rows.csv
        validate --data a=rows.csv --data a=more.csv
        validate --data a=- --data b=- $ON_Y
        validate --data a=rows.csv --data b=more.csv --target a=y --model bayes
        validate --data a=rows.csv --target a=y --target a=x --model bayes
        # models
        validate rows.csv --target y
        $VALIDATE --model {bayes|=tree|a=}
        $PERMUTE --model tree
        validate rows.csv --target y --model {treee|tree --model vote:tree:5 --prepare}
        $VALIDATE --model {own_bad:Treee|own_bad:number|own_bad:broken|own_wrong:x|vote:tree}
        # options that all have
        $VALIDATE --metric acuracy
        $TUNE --metric auc --metric f1
        $VALIDATE --jobs 0
        $LEARN --jobs many
        $VALIDATE --jobs 2 --scheduler tcp://127.0.0.1:1
        $VALIDATE --scheduler nonsense
        $VALIDATE --seed x
        $VALIDATE {--oversample 0|--undersample 2|--oversample 1 --undersample 1}
        $VALIDATE --features x,,id
        $VALIDATE --retry-failed
        $VALIDATE --run-folder {''|.|rows.csv}
        # what is written
        {validate|tune|learn|permute} - $ON_Y -o there.txt
        $VALIDATE -o rows.csv --force
        $VALIDATE -o out.docx
        $LEARN --json -o out.png
        $VALIDATE --predictions {rows.csv|rows.csv --force|out.txt|a.csv -o a.csv}
        validate --data a=rows.csv $ON_Y --predictions out.csv
        $TUNE --picture {roc|search}
        # parameters
        $TUNE --param {max_depth|max_depth=|max_depth=1 --param max_depth=2|max_depth=1,2,1|max_depth=1,,2}
        $TUNE --random 5
        $TUNE --param max_depth=1,2 --random {0|-2}
        $TUNE --model knn --param max_depth=1,2
        $TUNE --param max_depth=uniform:1,5
        $TUNE --param max_depth={uniform:5,1|log:0,1} --random 3
        # how it is tuned
        $TUNE --method {kfold:5|nested:5y5|nested:}
        $TUNE --method three-way:{0.2|0.2,b|0.2,1.2|0.5,0.5}
        # the learning curve
        $LEARN --schedule {linear|10,-5|arithmetic --factor 3|5,10 --start 5}
        $LEARN --step 5
        $LEARN --tolerance 0.1
        $LEARN --method kfold:5 --repeats 3
        $LEARN --test-size {2|1/0}
        $PERMUTE --permutations {0|-5}
        # methods and costs
        $VALIDATE --method {kfold:1|kfold:a|holdout:2|group|pairs:5|loo --group patient}
        $VALIDATE --method group:patient --group colour
        $VALIDATE --costs '0 1; 5 0'
    """
    refused("cli_errors_fits", text, FILES, **NAMES)


def test_data(refused: Any) -> None:
    text = """
        validate {nowhere|empty|head|bare|one_class|hole|odd}.csv $ON_Y
        validate rows.csv other.csv $ON_Y
        validate rows.csv --target nobody --model bayes
        $VALIDATE --features {nobody|x,y|x --ignore x}
        $VALIDATE --ignore {nobody|x,id,colour,patient}
        $VALIDATE --id colour
        $VALIDATE {--text|--group} nobody
        $VALIDATE --method {group:nobody|pairs:patient,nobody|kfold:30|fold:10}
        $VALIDATE --positive maybe
        $VALIDATE --labels yes,maybe
        $VALIDATE --metric {recall|mean_cost|subset_accuracy}
        $VALIDATE --confidence 95
        $TUNE --method nested:5x1
        {$TUNE|$PERMUTE} --metric {prevalence|recall}
        $LEARN {--schedule 5,100|--start 100|--factor 1|--repeats 0|--progressive --tolerance 0}
    """
    refused("cli_errors_fits_data", text, FILES, **NAMES)


def test_models_that_take_no_text_and_a_missing_extra(run: Any, refused: Any, monkeypatch: Any) -> None:
    rows = "name,x,city,y\n" + "".join(
        f"n{i},{'' if i % 7 == 3 else i % 5},{('Bonn', 'Jena', 'Ulm')[i % 3]},{i % 2}\n" for i in range(48)
    )
    text = (
        "{validate|tune --param C=0.1,10|learn|permute} gaps.csv --target y --id name --model sklearn.svm:SVC"
    )
    refused("cli_errors_text_columns", text, {"gaps.csv": rows})
    monkeypatch.setitem(sys.modules, "joblib", None)
    result = run("validate gaps.csv --target y --model bayes")
    assert (result.code, result.out) == (2, "")
    assert "pip install 'tallymark[validate]'" in result.err


def test_parameters_that_scikit_learn_does_not_know(run: Any) -> None:
    """Its own words are in these messages, so they are no snapshot."""
    write(FILES)
    for call, word in {
        "$TUNE --param max_dept=1,2": "max_depth",
        "$TUNE --param max_depth=a": "max_depth",
        "$PERMUTE --param foo=1": "'foo'",
    }.items():
        [words] = calls(call, **NAMES).values()
        result = run("", *words)
        assert (result.code, result.out, is_one_line(result.err), word in result.err) == (2, "", True, True)
