"""Every call of `compare` that cannot be used is one line that says what is wrong, and exit code 2."""

from typing import Any

ROWS = "id,actual,predicted\n"
FILES = {
    "one.csv": "id,y,p,q,s,w,g\n1,1,1,0,0.9,1,a\n2,0,0,0,0.2,2,a\n3,1,0,1,0.6,1,b\n4,0,0,1,0.4,2,b\n",
    "a.csv": f"{ROWS}1,1,1\n2,0,0\n3,1,0\n", "b.csv": f"{ROWS}1,1,1\n2,0,1\n3,1,1\n", "b.txt": "precious",
    "twice.csv": f"{ROWS}1,1,1\n1,0,0\n2,1,1\n", "unknown.csv": f"{ROWS}1,1,1\n2,0,1\n4,1,1\n",
    "another.csv": f"{ROWS}3,1,1\n1,0,1\n2,0,1\n", "padded.csv": f"{ROWS}003,1,1\n001,1,1\n002,0,1\n",
    "empty_id.csv": f"{ROWS}3,1,1\n,1,1\n2,0,1\n", "unanswered.csv": f"{ROWS}3,1,1\n1,1,\n2,0,1\n",
    "bare.csv": "actual,predicted\n1,1\n0,0\n1,0\n", "bare_other.csv": "actual,predicted\n1,1\n1,0\n1,0\n",
    "bare_longer.csv": "actual,predicted\n1,1\n1,0\n1,0\n0,0\n",
    "bare_missing.csv": "actual,predicted\n1,1\n,0\n1,0\n",
    "letters.csv": "actual,predicted\na,a\nb,b\na,b\n", "capitals.csv": "actual,predicted\nA,A\nB,B\nA,B\n",
    "third.csv": "actual,predicted\na,a\nb,c\na,b\n",
    "words.csv": "y,p,q\nyes,0.4,0.7\nno,0.2,0.1\nyes,0.9,0.8\n", "typo.csv": "y,p,q\n1,x,0.3\n0,0.2,0.4\n",
    "gaps.csv": "y,p,q\n1,,1\n0,0,\n1,1,0\n,1,1\n0,1,0\n", "nothing.csv": "y,p,q\n",
    "weight.csv": f"{ROWS[:-1]},w,g\n1,1,1,2,x\n2,0,0,1,x\n3,1,0,1,y\n",
    "weight_other.csv": f"{ROWS[:-1]},w,g\n1,1,1,3,x\n2,0,1,1,y\n3,1,1,1,y\n",
}  # fmt: skip
NAMES = {
    "OF_ONE": "compare one.csv --actual y --model p=p",
    "MODELS": "--actual y --model p=p --model q=q",
    "FILES": "compare --model a=a.csv --model b=b.csv",
    "ACCURACIES": "compare --accuracy 0.85:30 --accuracy 0.75:5000",
    "MATRICES": "compare --matrix 'M1=150 40; 60 250' --matrix 'M2=170 20; 40 270'",
    "MATRIX": "compare --matrix 'M1=150 40; 60 250'",
    "FOLDS": "compare folds.csv --per fold",
    "SETS": "compare sets.csv --per dataset",
}


def test_comparisons_of_rows_accuracies_and_matrices(refused: Any) -> None:
    text = """
        # how models are given
        compare
        compare one.csv
        $OF_ONE
        compare --model a=a.csv
        compare a.csv a.csv
        compare - -
        compare --model a=- --model b=-
        compare a.csv nowhere.csv
        compare a.csv ''
        $OF_ONE --model {p=q|q|q=|q=r}
        compare --model a=a.csv --model b
        compare --model a=p --model b=q
        compare one.csv $MODELS --predicted p
        $ACCURACIES --model a=a.csv --model b=b.csv
        $ACCURACIES --matrix 'A=1 2; 3 4'
        $MATRICES folds.csv --per fold
        $FILES --other-rows --same-rows
        # which rows are the same
        compare a.csv {twice|empty_id|unknown|another|padded|unanswered}.csv
        compare a.csv bare.csv --id id
        compare bare.csv bare_other.csv
        compare bare.csv bare_longer.csv --same-rows
        compare bare.csv bare_missing.csv --drop-missing
        compare one.csv $MODELS --other-rows
        compare weight.csv weight_other.csv {--weight w|--group g}
        # labels, scores and missing values
        compare letters.csv capitals.csv
        compare letters.csv third.csv {--labels a,b|--positive z}
        compare {words|typo|gaps|nothing}.csv $MODELS
        compare one.csv --actual y --model p=y --model q=q
        # what is asked, and told before files are read
        compare --model a=no.csv --model b=no.csv {--metric recal|--margin 0|--same-rows --other-rows}
        $FILES --metric {recal|f_beta|auc}
        $FILES --costs '0 1; 10 0'
        compare words.csv $MODELS --positive yes --threshold best:cost
        $FILES --margin {0|-1|nan|inf|abc|0.1 --confidence 0.4}
        $FILES --confidence 95
        $FILES {--test sign|--method mcnemar|--adjust none|--alternative bigger}
        $FILES --permutations {0|99|1000001|1.5}
        # what says nothing about models given in that way
        $ACCURACIES {--test exact|--permutations 500|--same-rows|--actual y|--costs '0 1; 1 0'|--metric f1}
        $MATRICES
        $MATRICES {--threshold 0.5|--permutations 500}
        $FILES {--other-rows --test exact|--same-rows --method mee}
        $FOLDS {--test exact|--method wald|--other-rows|--group g}
        $FILES {--n-train 90|--independent-training}
        $ACCURACIES --rope 0.1
        # accuracies
        compare --accuracy 0.85:30
        compare --accuracy 0.85:30 --accuracy {x|0.85|0.85:|:30|17/20|85%:30|0,85:30|=0.85:30}
        compare --accuracy 0.85:30 --accuracy {85:30|-0.1:30|nan:30}
        compare --accuracy 0.85:30 --accuracy B=0.85:{0|30.5|inf|-5|10000000000000000}
        compare --accuracy A=0.85:30 --accuracy A=0.75:30
        # matrices
        $MATRIX
        compare --matrix '1 2; 3 4'
        $MATRIX --matrix {'M2=1 x; 3 4'|'M2=1 2 3; 4 5 6'|'M2=1 2 3; 4 5 6; 7 8 9'}
        $MATRIX --matrix 'M2=250 45; 5 200' --same-rows
        $MATRICES {--positive z|--labels a,b,c}
        # what is written
        $ACCURACIES --picture {roc|roc -o x.txt|pie -o x.png|roc -o x.png}
        $FOLDS --picture roc -o x.png
        $ACCURACIES -o x.docx
        $FILES {-o a.csv|-o b.txt|-o x.txt --json}
    """
    refused("cli_errors_compare", text, FILES, **NAMES)


def test_tables_of_scores(refused: Any) -> None:
    sets = [
        (data, fold, model) for data in ("iris", "wine") for fold in (1, 2) for model in ("tree", "bayes")
    ]
    models = ",".join(f"m{k}" for k in range(13))
    files = {
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
        "long.csv": "dataset,fold,model,score\n" + "".join(f"{d},{f},{m},0.{f}\n" for d, f, m in sets),
        "many.csv": f"dataset,{models}\n" + "".join(f"d{row}{',0.5' * 13}\n" for row in range(3)),
    }
    text = """
        compare --per fold
        compare folds.csv sets.csv --per dataset
        compare foldz.csv --per fold
        compare - --per fold
        compare folds.csv --per {run|dataset}
        compare sets.csv --per fold
        $FOLDS {--n-train 90|--n-train 0 --n-test 1|--runs 3|--rope -1|--metric profit|--baseline tree}
        $FOLDS --metric f1 --metric auc
        $FOLDS --model tree --model rule
        $FOLDS --columns {model|x=fold}
        compare {percent|fold_hole|fold_typo|fold_infinite|fold_twice|fold_alone}.csv --per fold
        # scores by data set
        $SETS {--n-train 3|--n-test 3|--runs 3|--baseline tree}
        compare long.csv --per dataset --baseline rule
        compare long.csv --per fold
        compare {set_alone|set_twice|set_gap}.csv --per dataset
        compare many.csv --per dataset --adjust bergmann_hommel
    """
    refused("cli_errors_score_tables", text, files, **NAMES)
