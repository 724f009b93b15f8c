"""What every command prints, on small tables; the values in them are tested where the command is."""

from typing import Any

import numpy as np

COLUMNS = "y,tree,bayes,rule\n1,0.9,0.7,1\n1,0.4,0.8,0\n0,0.6,0.1,0\n0,0.1,0.2,0\n"
SCORES = "scores.csv --actual y --score s --positive yes"
MODELS = "--model tree=tree --model bayes=bayes --model rule=rule"


def test_evaluations(reported: Any) -> None:
    rows = [
        f"{'yes' if k % 3 else 'no'},{'yes' if k % 4 else 'no'},{1 + k % 3},p{k // 4},{'ns'[k % 5 == 0]}"
        for k in range(48)
    ]
    long = [f"{place} {'a long label ' * 12}".strip() for place in range(3)]
    files = {
        "columns.csv": COLUMNS,
        "grouped.csv": "\n".join(["actual,predicted,w,patient,region", *rows]) + "\n",
        "long.csv": "actual,predicted\n" + "".join(f"{label},{long[0]}\n" for label in long),
        "sets.csv": "y,p\na;b,a\nb,b\n,a\n",
        "close.csv": "y,s\n1,0.84230191\n0,0.84229961\n1,0.95\n0,0.1\n",
        "rule.csv": "actual,predicted\n1,1\n1,1\n0,0\n0,1\n",
    }
    text = """
        evaluate answers.csv --positive yes
        evaluate answers.csv --positive yes --metric f_beta:2 --normalize actual --prevalence 0.1
        evaluate answers.csv --explain accuracy
        evaluate answers.csv --positive yes --explain recall --explain tnr
        evaluate missing.csv --drop-missing --missing NA --explain accuracy
        evaluate long.csv --explain recall_macro --prevalence '$LONG'
        evaluate $SCORES --labels no,yes --costs '0 1; 10 0'
        evaluate close.csv --actual y --score s --threshold best
        evaluate five.csv --actual y --score s --threshold best:f1
        evaluate probabilities.csv --actual y --probabilities p_a,p_b,p_c
        evaluate votes.csv --actual y --votes a,b,c --positive yes
        evaluate votes.csv --actual y --votes a,b,c --positive yes --threshold 2
        evaluate sets.csv --actual y --predicted p --set-delimiter ;
        evaluate grouped.csv --weight w --positive yes
        evaluate grouped.csv --group patient --positive yes
        evaluate grouped.csv --weight w --group patient --slice region $COSTS
        evaluate columns.csv --actual y --model tree=tree --model rule=rule
        evaluate --model tree=tree.csv --model rule=rule.csv --score score --predicted predicted
        matrix '150 40; 60 250'
        matrix '150 40; 60 250' --labels +,- --costs '-1 100; 1 0'
        matrix '150 40; 60 250' --labels +,- --explain recall
        matrix '50 3 2; 4 60 1; 0 5 70' --labels a,b,c --normalize all
    """.replace("--set-delimiter ;", "--set-delimiter ';'")
    shares = ",".join(f"{label}={share}" for label, share in zip(long, (0.5, 0.25, 0.25), strict=True))
    names = {"LONG": shares, "SCORES": SCORES, "COSTS": """--costs '{"yes": {"no": 3}, "no": {"yes": 1}}'"""}
    reported("cli_reports_evaluate", text, files, **names)


def test_metrics_formulas_intervals_and_plans(reported: Any) -> None:
    text = """
        metrics
        explain
        explain sensitivity
        explain {precision_macro|f_beta_macro|weighted_accuracy|total_cost|auc|subset_accuracy}
        explain recall $COUNTS
        explain recall $COUNTS --confidence 0.8
        explain recall $COUNTS --latex
        explain {lr_plus|mcc|kappa|f_beta:2} --tp 5 --fn 1 --fp 1 --tn 10
        explain $COUNTS
        explain --tp 0 --fn 0 --fp 1 --tn 1
        interval --correct 80 --of 100
        interval --correct 80 --of 100 --method all
        interval --correct 80 --of 100 --explain
        plan --half-width 0.01
        plan --difference 0.25 --expected 0.5 --power 0.9
        plan --difference 0.3 --disagreement 0.7
        plan --rows 1000 --expected 0.85 --paired --disagreement 0.1
        textbook
        textbook cost-500
    """
    reported("cli_reports_formulas", text, COUNTS="--tp 282 --fn 75 --fp 462 --tn 4841")


def test_curves(reported: Any) -> None:
    files = {
        "columns.csv": COLUMNS,
        "tied.csv": "y,s\n1,0.9\n0,0.5\n1,0.5\n0,0.3\n",
        "bins.csv": "y,s\n1,0.9\n0,0.8\n0,0.7\n1,0.1\n",
        "below.csv": "y,s\n0,0.9\n1,0.5\n1,0.4\n0,0.3\n0,0.8\n",
        "points.csv": "name,tp,fn,fp,tn\nstrict,5,5,0,10\nlenient,9,1,4,6\n",
        "wide.csv": "y,a,b,c\n1,7,0.9,3\n0,-2,0.4,1\n1,5,0.3,-1\n0,1,0.1,0\n",
        "ten.csv": "y,s\n" + "".join(f"{int(k in (0, 1, 3))},{(10 - k) / 10}\n" for k in range(10)),
        "six.csv": "y,p_a,p_b,p_c\na,0.8,0.1,0.1\nb,0.2,0.7,0.1\nc,0.5,0.1,0.4\na,0.4,0.35,0.25\n"
        "b,0.3,0.4,0.3\nc,0.1,0.2,0.7\n",
        "close.csv": "y,s\n1,0.84230191\n0,0.84229961\n1,0.95\n0,0.1\n",
    }
    text = """
        roc $SCORES
        roc $SCORES --max-fpr 0.5 --threshold 0.5
        roc tied.csv --actual y --score s --construction sequential --ascending
        roc bins.csv --actual y --score s --construction bins:2
        roc {only_ones|below}.csv --actual y --score s
        roc --bin-counts '2 0; 1 2'
        roc --bin-counts '5 0; 0 4'
        roc --points points.csv
        roc weights.csv --actual y --score s --weight w
        {roc|pr|gains|thresholds} both.csv --actual y --score s --predicted p
        {roc|pr|gains|thresholds} close.csv --actual y --score s --threshold best
        roc six.csv --actual y --probabilities p_a,p_b,p_c --confidence 0.8
        {roc|pr|gains} columns.csv --actual y $MODELS
        thresholds columns.csv --actual y --model tree=tree --model bayes=bayes
        roc wide.csv --actual y --model a=a --model b=b --model c=c
        pr $SCORES --threshold 0.95
        pr only_zeros.csv --actual y --score s
        gains ten.csv --actual y --score s
        gains ten.csv --actual y --score s --recall 0.4 --share 0.2 --parts 5 --threshold 0.65
        gains $SCORES --threshold 0.95
        gains only_zeros.csv --actual y --score s
        thresholds $SCORES --metric precision --metric sensitivity --metric f_beta:2 --metric recall
    """
    reported("cli_reports_curves", text, files, SCORES=SCORES, MODELS=MODELS)


def test_probabilities_and_decisions(reported: Any) -> None:
    files = {"two.csv": COLUMNS}
    text = """
        {calibration|rejection|cost-curve|decision-curve} $FIVE
        {calibration|rejection|cost-curve|decision-curve} two.csv --actual y $TWO
        {calibration|rejection} three.csv --actual y --probabilities a,b,c
        {calibration|decision-curve} holes.csv --actual y --score s --drop-missing
        {calibration|rejection|decision-curve} only_ones.csv --actual y --score s
        decide $FIVE --labels 1,0 --costs '0 10; 1 0'
        decide $FIVE --labels 1,0 --costs '0 10; 1 0' --choose-on other.csv
        decide $FIVE --labels 1,0 --costs '0 5; 5 0' --reject-cost 1
        decide $FIVE --labels 1,0 --costs '2 2; 2 2'
        decide $FIVE --best f1 --choose-on holes.csv --drop-missing
        decide holes.csv --actual y --score s --best f1 --drop-missing --prevalence 0.3
        decide only_ones.csv --actual y --score s --labels 1,0 --costs '0 1; 1 0'
        decide three.csv --actual y --probabilities a,b,c --labels a,b,c --costs '0 1 1; 9 0 1; 1 1 0'
    """
    two = "--model tree=tree --model bayes=bayes"
    reported("cli_reports_probabilities", text, files, FIVE="five.csv --actual y --score s", TWO=two)


def test_comparisons(reported: Any) -> None:
    chance = np.random.default_rng(4)
    folds = (0.8 + chance.normal(0, 0.02, (10, 3)) + [0, 0.03, -0.01]).round(4)
    schemes = [(data, fold, way) for data in ("iris", "glass", "zoo") for fold in range(5) for way in (0, 1)]
    experiment = [
        f"{data},1,{fold},{('rules.ZeroR', 'trees.J48')[way]},135,15,{60 + 30 * way + fold + len(data)}"
        for data, fold, way in schemes
    ]
    files = {
        "rows.csv": "y,t,f\n1,0.9,0.8\n0,0.6,0.3\n1,0.4,0.7\n0,0.2,0.1\n1,0.3,0.9\n",
        "folds.csv": "fold,tree,forest,bayes\n"
        + "".join(f"{k},{','.join(map(str, row))}\n" for k, row in enumerate(folds.tolist())),
        "sets.csv": "dataset,tree,forest,bayes\n"
        + "".join(f"set {k},{','.join(map(str, row))}\n" for k, row in enumerate(folds.tolist())),
        "experiment.csv": "Key_Dataset,Key_Run,Key_Fold,Key_Scheme,Number_of_training_instances,"
        "Number_of_testing_instances,Percent_correct\n" + "\n".join(experiment) + "\n",
        "few.csv": "y,p,q\n1,1,0\n",
    }
    text = """
        compare rows.csv --actual y --model tree=t --model forest=f
        compare rows.csv --actual y --model tree=t --model forest=f --margin 0.5 --test exact
        compare few.csv --actual y --model p=p --model q=q
        compare --accuracy 0.85:30 --accuracy M2=0.75:5000
        compare --matrix 'M1=150 40; 60 250' --matrix 'M2=250 45; 5 200' $COSTS --other-rows
        compare folds.csv --per fold --model tree --model forest
        compare folds.csv --per fold
        compare sets.csv --per dataset
        compare experiment.csv --per dataset --baseline J48
    """
    reported("cli_reports_compare", text, files, COSTS="--labels +,- --costs '-1 100; 1 0'")


def test_requirements(run: Any, snapshot: Any, monkeypatch: Any) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    said = {}
    for asked in ("--require 'recall >= 0.6' --require 'fpr<=15%'", "--require 'recall >= 0.75'"):
        result = run(f"check --matrix '80 20; 30 270' --labels yes,no {asked}")
        assert (result.code, result.err) == (int("75" in asked), "")
        said[asked] = result.out
    snapshot("cli_reports_check", said)
