"""Curves, pictures and decisions that cannot be made: one line each, and no file is written."""

import sys
from pathlib import Path
from typing import Any

import pytest

FILES = {
    "words.csv": "actual,score\nTrue,0.9\nFalse,0.1\n",
    "twice.csv": "name,fpr,tpr\nx,0.1,0.5\nx,0.2,0.6\n",
    "one.csv": "y,s\n1,0.9\n1,0.2\n",
    "alike.csv": "actual,score\n1,0.9\n1,0.2\n",
    "broken.csv": "actual,score\n1,0.9\n0,x\n",
    "points.csv": "name,fpr,tpr\nx,0.1,0.5\n",
    "some.csv": "y,s\n0,0.9\n1,0.2\n",
    "one_class.csv": "y,p_a,p_b,p_c\na,0.5,0.3,0.2\na,0.2,0.3,0.5\n",
}
ROWS = "scores.csv --actual y --score s --positive yes"


def test_roc_and_the_curves_that_go_with_it(refused: Any) -> None:
    text = """
        # what is read
        {roc|pr|gains|thresholds|plot roc} -o out.svg
        {roc|pr|gains|thresholds|plot roc} answers.csv -o out.svg
        roc answers.csv --predicted predicted
        roc answer.csv
        roc ''
        pr scores.csv --actual y --score z
        gains scores.csv --actual y --score s
        pr probabilities.csv --actual y --probabilities p_a,p_b,p_c
        roc columns.csv --actual y,rule --predicted tree,bayes --score votes
        # roc
        roc $ROWS --construction {stepwise|bins:0|bins:x|quantiles|quantiles:-1}
        roc $ROWS --max-fpr {0|10}
        roc $ROWS --interval wald
        roc weights.csv --actual y --score s {--weight w|--group g} --interval newcombe
        roc --bin-counts '2 0; 1 2' {--score s|--construction bins:3|--drop-missing|--threshold 1|--group g}
        roc --bin-counts '2 0; 1 2' {--missing NA|--model a=b}
        roc --points twice.csv {--actual y|--interval delong|--ascending|--positive yes|--bin-counts}
        roc --bin-counts 10 0
        roc --points
        roc --points twice.csv
        roc --points points.csv --confidence 0.95
        roc --bin-counts '10 0; 5'
        roc --bin-counts '1 2; 3 4; 4 6'
        # one probability for each class
        $CLASSES {--max-fpr 0.1|--construction bins:3|--ascending|--interval newcombe|--no-band -o out.svg}
        roc --model x=probabilities.csv --model z=probabilities.csv --actual y --probabilities p_a,p_b,p_c
        {roc|roc --json|plot one-vs-rest -o out.png} one_class.csv --actual y --probabilities p_a,p_b,p_c
        plot {roc|roc+pr|pr} probabilities.csv --actual y --probabilities p_a,p_b,p_c -o out.svg
        # gains and thresholds
        gains $ROWS --recall {1.5|40}
        gains $ROWS --share {0|-1|nan|few}
        gains $ROWS --parts {0|2.5}
        thresholds $ROWS --metric {auc|f1_macro|total_cost}
        thresholds nowhere.csv --metric recal
        {roc|pr|gains|thresholds} $ROWS --threshold best:cost
        plot confusion $ROWS --threshold best:cost -o out.svg
        # several models
        roc columns.csv --actual y --model tree
        roc --model {tree|tree=|=tree.csv}
        pr columns.csv --actual y --model a=tree --model a=bayes
        roc columns.csv --actual y --model {tree=tre|tree=tree.csv}
        roc columns.csv --actual y --model tree=tree --score bayes
        roc --model a=- --model b=-
        roc --model a=tree.csv --model b={words|broken|alike}.csv
        {roc|pr|gains|plot roc|plot roc+pr} --model a=rule.csv --model b=rule.csv -o out.svg
        {thresholds|plot threshold} columns.csv --actual y --model t=tree --model r=rule -o out.svg
        roc --model a=tree.csv --model b=one.csv --actual y
        roc --model a=s
        roc one.csv --actual y --model a=s --model b=s
        # plot
        plot
        plot ros $ROWS
        plot roc $ROWS
        plot roc+pr nowhere.csv
        plot roc $ROWS {-o out.csv|-o out.svg --metric f1|-o out.svg --confidence 0.9 --no-band|--json}
        plot gains $ROWS -o out.svg --no-band
        plot pr $ROWS -o out.svg --confidence 0.9
        plot threshold columns.csv --actual y --score tree --predicted rule -o out.svg
        plot confusion columns.csv --actual y $FOUR -o out.svg
        plot confusion columns.csv --actual y --score votes -o out.svg
        roc $ROWS --no-band
        gains $ROWS --lift -o gains.csv
        roc $ROWS -o roc.jpg
        roc $ROWS -o roc.png --json
        pr $ROWS -o columns.csv
        gains --model a=tree.csv -o tree.csv --force
        # where there is no curve no picture is drawn
        plot {roc|roc+pr|pr|gains|lift} only_zeros.csv --actual y --score s -o none.svg
        {roc|pr|gains} only_zeros.csv --actual y --score s -o none.svg
        plot {roc|pr|lift} --model some=some.csv --model none=only_zeros.csv --actual y --score s -o none.svg
        {roc|pr|gains} --model some=some.csv --model none=only_zeros.csv --actual y --score s -o none.svg
    """
    refused(
        "cli_errors_curves",
        text,
        FILES,
        ROWS=ROWS,
        CLASSES="roc probabilities.csv --actual y --probabilities p_a,p_b,p_c",
        FOUR=" ".join(f"--model {name}=tree" for name in "abcd"),
    )


def test_curves_of_probabilities(refused: Any) -> None:
    text = """
        {calibration|rejection|cost-curve|decision-curve}
        {calibration|rejection|cost-curve|decision-curve} answers.csv
        {calibration|rejection|cost-curve|decision-curve} columns.csv --actual y --model x=tree --model r=rule
        {calibration|rejection|cost-curve|decision-curve} scores.csv --actual y --score s
        {cost-curve|decision-curve} three.csv --actual y --probabilities a,b,c
        {calibration|cost-curve|decision-curve} $FIVE --threshold 0.5
        plot {calibration|cost|decision} $FIVE --threshold 0.5 -o out.svg
        calibration $FIVE --bins {0|-3|2.5|nan|10000000|ten}
        calibration $FIVE --strategy even
        {calibration|decision-curve|rejection} $VOTES
        rejection values.csv --actual y --score s
        rejection three.csv --actual y --probabilities a,b,c --threshold 0.3
        rejection $FIVE --threshold best:cost
        # where there is no curve nothing is written
        {calibration|decision-curve} values.csv --actual y --score s
        {calibration|decision-curve} values.csv --actual y --score s {--json|-o none.svg|-o none.csv}
        plot {calibration|decision} values.csv --actual y --score s -o none.svg
        cost-curve only_ones.csv --actual y --score s {--json|-o none.svg|-o none.csv}
        plot cost only_ones.csv --actual y --score s -o none.svg
        {calibration|decision-curve} $GOOD --model bad=values.csv {--json|-o none.svg}
        plot {calibration|decision} $GOOD --model bad=values.csv -o none.svg
        {cost-curve|plot cost -o none.svg} $GOOD --model bad=only_ones.csv
    """
    refused(
        "cli_errors_probability_curves",
        text,
        FILES,
        FIVE="five.csv --actual y --score s",
        VOTES="votes.csv --actual y --votes a,b,c --positive yes",
        GOOD="--actual y --score s --model good=five.csv",
    )


def test_decisions(refused: Any) -> None:
    files = {
        "again.csv": "y,a,b,c\na,0.7,0.2,0.1\nb,0.5,0.4,0.1\nc,0.1,0.1,0.8\n",
        "german.csv": "y,s\nja,0.85\nnein,0.8\n",
        "renamed.csv": "y,t\n1,0.85\n0,0.8\n",
    }
    text = """
        decide
        decide five.cvs --best f1
        decide nowhere.csv
        decide answers.csv --best f1
        decide now.csv --actual y --score s --best f1
        # costs
        $FIVE --costs '0 10; 1 0'
        $FIVE --labels 1,0 --costs '0 x; 1 0'
        $FIVE --labels 1,0 --costs ''
        $FIVE --labels 1,0 --costs '0 1 1; 1 0 1; 1 1 0'
        $WORDS --costs none.json
        $WORDS --costs '{"yes": {"nee": 1}}'
        $FIVE --best mean_cost
        $PRICED --best f1
        # the cost of rejecting
        $FIVE --reject-cost 1
        {$PRICED|$OF_THREE} --reject-cost {nan|inf|1e300|-1e101}
        $PRICED --reject-cost cheap
        $PRICED --reject-cost 1 --max share=0.5
        # bounds, most of them told before anything is read
        decide nowhere.csv --min {recall|recall=high|recall=90|recal=0.9|auc=0.9|recall=1 --min recall=0.5}
        decide nowhere.csv --max {share=|fpr=nan}
        decide nowhere.csv --best {auc|f1 --on-lower-bound}
        decide nowhere.csv --min mcc=0.5 --on-lower-bound
        $FIVE --min recall=0.9 --min precision=0.9
        $FIVE --min recall=0.43 --on-lower-bound --confidence 0.99
        $FIVE --max share=0.1 --best precision
        $FIVE --best prevalence
        # rows to choose on
        decide - --best f1 --choose-on -
        $FIVE --best f1 --choose-on {othr.csv|''|renamed.csv|german.csv|holes.csv}
        $PRICED --choose-on {five.csv|./five.csv}
        # what would be lost
        $PRICED -o five.csv --force
        $PRICED --choose-on other.csv -o other.csv --force
        $WORDS --costs costs.csv -o costs.csv --force
        $PRICED -o out.doc
        # the rest
        $PRICED --prevalence {half|2}
        $PRICED --seed -1
        $FIVE --best f1 --threshold best:cost
        # many classes
        $THREE {--best f1|--min recall=0.5|--max share=0.5}
        $OF_THREE {--choose-on again.csv|--positive a|--prevalence 0.5}
        $THREE --costs '0 1 1; 9 0 1; 1 1 0'
        $THREE --positive a --costs '0 10; 1 0'
        $THREE --positive a --costs '{"a": {"b": 1}, "b": {"a": 1}}'
        decide three.csv --actual y --score a --positive a --costs '0 10; 1 0'
        decide rest.csv --actual y --probabilities a,b,rest --positive a --costs '{"a": {"rest": 5}}'
    """
    five, three = "decide five.csv --actual y --score s", "decide three.csv --actual y --probabilities a,b,c"
    refused(
        "cli_errors_decide",
        text,
        files,
        FIVE=five,
        PRICED=f"{five} --labels 1,0 --costs '0 10; 1 0'",
        WORDS="decide now.csv --actual y --score s --positive yes",
        THREE=three,
        OF_THREE=f"{three} --labels a,b,c --costs '0 1 1; 9 0 1; 1 1 0'",
    )


def test_pictures_need_matplotlib_and_nothing_else_does(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Said before any work is done: the data is not even looked for."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for command in ("plot roc", "roc"):
        result = run(f"{command} nowhere.csv -o out.png")
        assert (result.code, result.out) == (2, "")
        assert "pip install 'tallymark[plots]'" in result.err
        assert not Path("out.png").exists()
    for command in ("roc", "pr", "gains", "thresholds"):
        assert run(f"{command} {ROWS}").code == 0
        assert run(f"{command} {ROWS} -o {command}.csv").code == 0
