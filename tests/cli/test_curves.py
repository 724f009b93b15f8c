"""`roc`, `pr`, `gains`, `calibration` and the others, and `plot`: as in Python, and what is added."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from sklearn.metrics import roc_auc_score

import tallymark as tm
import tallymark.data
from command_lines import calls, different, keywords, write

ROC = "roc scores.csv --actual y --score s --positive yes"
POINTS = "name,tp,fn,fp,tn\nstrict,5,5,0,10\nlenient,9,1,4,6\n"


OF_PYTHON: dict[str, Any] = {
    "roc": lambda ev, made, rising: ev.roc_as(made or "grouped", ascending=rising),
    "pr": lambda ev, *_: ev.precision_recall,
    "gains": lambda ev, *_: ev.gains,
    "calibration": lambda ev, bins, how: ev.calibration_as(bins or 10, how or "width"),
    "rejection": lambda ev, *_: ev.rejection,
    "cost-curve": lambda ev, *_: ev.cost_curve,
    "decision-curve": lambda ev, *_: ev.decision_curve,
}


def test_curves_are_those_of_python(run: Any) -> None:
    """Every value of the curve, whatever else is in the document."""
    text = """
        {roc|pr|gains|calibration|rejection|cost-curve|decision-curve} $FIVE
        {roc|pr|gains|calibration|rejection|cost-curve|decision-curve} $WEIGHTS {--weight w|--group g}
        {roc|gains|rejection|cost-curve|decision-curve} $WEIGHTS --weight w --weight-kind frequency
        {roc|pr|gains|cost-curve|decision-curve} $THREE --positive a
        {calibration|rejection} $THREE
        {roc|calibration|rejection|decision-curve} $FIVE --confidence 0.5
        {roc|pr|gains|calibration|rejection|cost-curve} holes.csv --actual y --score s --drop-missing
        {calibration|rejection|decision-curve} only_ones.csv --actual y --score s
        {roc|pr|gains|cost-curve|rejection --threshold 0} values.csv --actual y --score s
        {roc|gains|rejection} $VOTES --threshold 2
        roc tied.csv --actual y --score s --construction {grouped|opposite|sequential|bins:1|quantiles:2}
        roc tied.csv --actual y --score s --construction {grouped|sequential|bins:2} --ascending
        roc $WEIGHTS --weight w --construction sequential
        calibration $WEIGHTS --bins 3 --strategy {width|mass}
    """
    names = {
        "FIVE": "five.csv --actual y --score s",
        "WEIGHTS": "weights.csv --actual y --score s",
        "THREE": "three.csv --actual y --probabilities a=a,b=b,c=c",
        "VOTES": "votes.csv --actual y --votes a,b,c --positive yes",
    }
    write({"tied.csv": "y,s\n1,0.9\n0,0.5\n1,0.5\n0,0.3\n"})
    wrong = []
    for call, words in calls(text, **names).items():
        (command, data), given = keywords(words, ascending={"ascending": True})
        asked = [given.pop(name, None) for name in ("construction", "ascending", "bins", "strategy")]
        first, second = asked[:2] if command == "roc" else asked[2:]
        curve = OF_PYTHON[command](
            tm.evaluate(data, **given), first, bool(second) if command == "roc" else second
        )
        here = run(f"{call} --json").json
        # The command line has areas of scores, with intervals; that of a drawn curve has a name of its own.
        values = here | {"auc": here.get("trapezoid_area")}
        values |= {key: here[key]["value"] for key in ("average_precision",) if key in here}
        wrong += [f"{call}: {key}" for key in different(values, curve.to_dict())]
    assert wrong == []
    for command in OF_PYTHON:
        piped = run(f"{command} - --actual y --score s --json", stdin=Path("five.csv").read_bytes())
        assert piped.out == run(f"{command} five.csv --actual y --score s --json").out


def test_the_roc_curve_and_the_points_on_it(documents: Any) -> None:
    """Of four pairs, (0.9, 0.2), (0.9, 0.6) and (0.4, 0.2) are won and (0.4, 0.6) is lost."""
    files = {
        "guessed.csv": "actual,predicted,score\n1,1,0.9\n0,1,0.6\n1,0,0.4\n0,0,0.2\n",
        "votes.csv": "y,a,b,c\nyes,yes,yes,no\nno,no,no,yes\nyes,no,no,yes\nno,no,no,no\n",
        "close.csv": "y,s\n1,0.84230191\n0,0.84229961\n1,0.95\n0,0.1\n",
    }
    both = "both.csv --actual y --score s --predicted p"
    table = {
        ROC: {
            "schema": "tallymark/roc/1", "rows": 4, "dropped": {}, "notes": [], "findings": [],
            "threshold": [None, 0.9, 0.6, 0.4, 0.2], "fpr": [0, 0, 0.5, 0.5, 1], "tpr": [0, 0.5, 0.5, 1, 1],
            "trapezoids": {"low": [0, 0.5], "high": [0.5, 1], "height": [0.5, 1], "area": [0.25, 0.5]},
            "trapezoid_area": 0.75, "auc/value": 0.75, "hull/threshold": [None, 0.9, 0.4, 0.2], "at": ...,
        },
        # McClish: (1 + (0.25 - 0.125) / (0.5 - 0.125)) / 2
        f"{ROC} --max-fpr 0.5": {"partial_auc:0.5/value": 0.25, "partial_auc_mcclish:0.5/value": 2 / 3},
        f"{ROC} --interval newcombe": {"auc/method": "newcombe"},
        f"{ROC} --interval hanley_mcneil": {"auc/method": "hanley_mcneil"},
        f"{ROC} --threshold 0.5": {"at/threshold": 0.5, "at/tpr/value": 0.5, "at/fpr/value": 0.5},
        f"{ROC} --threshold best": {"at/threshold": 0.4, "findings/*/code": ["TM007"]},
        # what is printed takes the same rows as the score itself
        "roc close.csv --actual y --score s --threshold {best|0.8423}": {
            "at/tpr/value": 1, "at/fpr/value": 0,
        },
        "roc only_ones.csv --actual y --score s": {"auc/value": None, "auc/why": bool, "hull": None},
        "roc votes.csv --actual y --votes a,b,c --positive yes": {"findings/*/code": ["TM012", "TM013"]},
        # a score is guessed before predictions
        "roc guessed.csv": {"auc/value": 0.75, "notes": lambda found: len(found) == 2},
        "roc - --predicted predicted < guessed.csv": {"auc/value": 0.75},
        # predictions beside the scores are a point
        f"roc {both}": {"answered/column": "p", "answered/tpr/value": 1, "answered/fpr/value": 0.5},
        f"pr {both}": {"answered/precision/value": 2 / 3},
        f"gains {both}": {"answered": {"column": "p", "share": 0.75, "recall": 1, "lift": 4 / 3}},
        f"thresholds {both}": {"notes": lambda found: len(found) == 1},
    }  # fmt: skip
    documents(table, files)


def test_curves_of_counts(documents: Any) -> None:
    files = {
        "falling.csv": 'bin,positives,negatives\n"[0.5, 1]",2,0\n"[0, 0.5]",1,2\n',
        "rising.csv": 'bin,positives,negatives\n"[0, 0.5]",1,2\n"[0.5, 1]",2,0\n',
        "edges.csv": "low,high,positives,negatives\n0,0.5,1,2\n0.5,1,3,0\n",
        "points.csv": POINTS,
    }
    table = {
        # Of 6 pairs 4 are won and 2 tied.
        "roc --bin-counts '2 0; 1 2' --positive ill": {
            "construction": "bins", "positive": "ill", "rows": 5, "bin": [None, "bin 1", "bin 2"],
            "trapezoid_area": 5 / 6, "auc/value": 5 / 6, "auc/exact": False, "auc/bounds": [4 / 6, 1],
        },
        # without edges there are no thresholds
        "roc --bin-counts '5 0; 3 2; 1 4'": {
            "threshold": [None] * 4, "hull/threshold": [None] * 4,
            "hull/bin": [None, "bin 1", "bin 2", "bin 3"],
        },
        "roc --bin-counts edges.csv": {"threshold": [None, 0.5, 0]},
        "roc --bin-counts - < falling.csv": {"bin": [None, "[0.5, 1]", "[0, 0.5]"], "auc/value": 5 / 6},
        "roc --bin-counts {falling|rising}.csv --ascending": {
            "bin": ["[0, 0.5]", "[0.5, 1]", None], "auc/value": 5 / 6,
        },
        # 0.4 x 0.7 + 0.6 x 0.95
        "roc --points points.csv": {
            "name": [None, "strict", "lenient", None], "fpr": [0, 0, 0.4, 1], "tpr": [0, 0.5, 0.9, 1],
            "auc/value": 0.85, "trapezoid_area": 0.85, "positive": None, "rows": None, "dropped": {},
            "notes": [], "findings": [],
        },
    }  # fmt: skip
    documents(table, files)


def test_every_class_against_the_rest(documents: Any) -> None:
    whose = "--actual y --probabilities p_a,p_b,p_c"
    six = pl.read_csv("six.csv")
    averages = [
        float(roc_auc_score(six["y"], six[:, 1:4], multi_class=way, average=average))
        for way in ("ovr", "ovo")
        for average in ("macro", "weighted")
    ]
    # From 0.4 up there are both rows of a and one of c.
    table = {
        f"roc six.csv {whose}": {
            "schema": "tallymark/one_vs_rest/1", "positive": None, "rows": 6,
            "classes/*/label": ["b", "c", "a"], "classes/*/auc/value": [1, 1, 0.875],
            "averages/*/value": lambda found: sorted(found) == pytest.approx(sorted(averages)),
            "thresholds/classes/*/label": ["a", "b", "c"], "thresholds/classes/*/value": [0.8, 1, 1],
            "thresholds/classes/0/threshold": 0.4, "thresholds/classes/0/low": 0.3,
        },
        f"roc six.csv {whose} --positive a": {"schema": "tallymark/roc/1", "auc/value": 0.875},
        f"roc six.csv {whose} --group g": {
            "averages/auc_ovr_macro/method": "linearised_groups", "findings/*/code": ["TM009"],
        },
        f"roc --model tree=six.csv {whose}": {
            "models/*/name": ["tree"], "models/0/classes/*/label": [*"bca"],
        },
        f"roc --model x=six.csv --model z=six.csv {whose} --positive a": {"models/*/auc/value": [0.875] * 2},
    }  # fmt: skip
    documents(table)


def test_gains_and_points_on_curves(documents: Any) -> None:
    """Best first: + + - + - - - - - -."""
    ten = "y,s\n" + "".join(f"{int(k in (0, 1, 3))},{(10 - k) / 10}\n" for k in range(10))
    gains = "gains ten.csv --actual y --score s"
    pr = "pr scores.csv --actual y --score s --positive yes"
    table = {
        gains: {
            "deciles/positives": [1.0, 1.0, 0.0, 1.0, *[0.0] * 6],
            "deciles/cumulative_recall": [1 / 3, 2 / 3, 2 / 3, *[1.0] * 7], "answers": [],
        },
        f"{gains} --parts 5": {"deciles/rows": [2] * 5, "deciles/positives": [2.0, 1.0, 0.0, 0.0, 0.0]},
        f"{gains} --share 0.25 --recall 1": {
            "answers/0/asked": {"share": 0.25}, "answers/0/recall": 2 / 3, "answers/1/asked": {"recall": 1},
            "answers/1/share": 0.4, "answers/1/threshold": 0.7,
        },
        f"{gains} --threshold 0.65": {"at": {"threshold": 0.65, "share": 0.4, "recall": 1, "lift": 2.5}},
        "gains only_zeros.csv --actual y --score s --share 0.5": {"answers/0/recall": None},
        # 1/2 x 1 + 1/2 x 2/3
        f"{pr} --confidence 0.5": {"average_precision/value": 5 / 6, "average_precision/level": 0.5},
        f"{pr} --threshold 0.5": {"at/threshold": 0.5, "at/precision/value": 0.5, "at/recall/value": 0.5},
        "pr only_zeros.csv --actual y --score s": {"average_precision/value": None, "recall": [None, None]},
    }  # fmt: skip
    documents(table, {"ten.csv": ten})


def test_metrics_against_the_threshold(documents: Any) -> None:
    thresholds = "thresholds scores.csv --actual y --score s --positive yes"
    asked = "--metric precision --metric sensitivity --metric f_beta:2 --metric recall"
    table = {
        thresholds: {
            "schema": "tallymark/thresholds/1", "metrics/keys": ["f1"],
            "metrics/f1/threshold": [None, 0.9, 0.6, 0.4, 0.2],
            "metrics/f1/value": [0.0, 2 / 3, 0.5, 0.8, 2 / 3],
            "metrics/f1/best": {"threshold": 0.4, "value": 0.8, "low": 0.2, "high": 0.4, "others": 0},
        },
        f"{thresholds} {asked}": {
            "metrics/keys": ["precision", "recall", "f_beta:2"],
            "metrics/precision/value": [None, 1, 0.5, 2 / 3, 0.5], "metrics/precision/undefined/*": [1],
        },
        # what is neither better high nor low has no best threshold
        f"{thresholds} --metric predicted_positive_rate": {
            "metrics/predicted_positive_rate/best": None, "metrics/predicted_positive_rate/why": bool,
        },
        f"{thresholds} --threshold 0.5": {"at": {"threshold": 0.5, "f1": 0.5}},
    }  # fmt: skip
    documents(table)


COLUMNS = {
    "bayes.csv": "actual,score,predicted\n1,0.7,1\n1,0.8,1\n0,0.1,0\n0,0.2,0\n",
    "fewer.csv": "actual,score\n1,0.9\n0,0.6\n0,0.1\n",
    "text.csv": "y,s,p\nyes,0.9,yes\nyes,0.4,no\nno,0.6,yes\nno,0.1,no\n",
    "wide.csv": "y,a,b,c\n1,7,0.9,3\n0,-2,0.4,1\n1,5,0.3,-1\n0,1,0.1,0\n",
}


def test_several_models(documents: Any) -> None:
    """Of four pairs tree loses only (0.4, 0.6); bayes wins all; rule is a point."""
    by_column = "columns.csv --actual y --model tree=tree --model bayes=bayes --model rule=rule"
    by_file = "--model tree=tree.csv --model bayes=bayes.csv --model rule=rule.csv"
    named = "--model bayes=bayes.csv --model rule=rule.csv --score score --predicted predicted"
    areas = {
        "schema": "tallymark/roc/1", "positive": "1", "models/*/name": ["tree", "bayes", "rule"],
        "models/*/rows": [4, 4, 4], "models/*/auc/value": [0.75, 1, ...],
        "models/*/single_point": [..., ..., True], "models/2/fpr": [0], "models/2/tpr": [0.5],
        "best/0": {"low": 0, "high": 0.5, "models": ["bayes"]}, "crossings": [],
        "never_best": lambda found: sorted(found) == ["rule", "tree"],
    }  # fmt: skip
    cut = {"models/*/at/threshold": lambda found: found[:2] == [0.5, 0.5] and found[2] in (None, ...)}
    data, three = tallymark.data.path("breast_cancer.csv"), "three.csv --actual y --probabilities a,b,c"
    table = {
        f"roc {{{by_column}|{by_file}|{by_file} --score score --predicted predicted}}": areas,
        "roc --model a=- --model b=bayes.csv < tree.csv": {"models/*/auc/value": [0.75, 1]},
        "pr - --actual y --model tree=tree --model rule=rule < columns.csv": {
            "models/*/name": ["tree", "rule"],
        },
        f"{{roc|pr|gains}} {by_column} --threshold 0.5": cut,
        f"{{roc|pr|gains}} {by_file} --threshold 0.5": cut,
        # predictions that are words are a point, numbers that are no labels are scores
        "roc text.csv --actual y --positive yes --model s=s --model p=p": {
            "models/1/fpr": [0.5], "models/1/tpr": [0.5],
        },
        "roc columns.csv --actual y --model votes=votes": {"models/0/threshold": [None, 3, 2, 1, 0]},
        # models with other rows get a note, as predictions that are not shown
        "{roc|pr|gains} --model tree=tree.csv --model other=fewer.csv": {
            "notes": lambda found: len(found) == 3,
        },
        f"roc {named}": {"notes": lambda found: len(found) == 4},
        f"roc {named} --threshold 0.5": {"models/*/at/threshold": lambda found: found[0] == 0.5},
        f"roc {data} --model tree=tree_score --model bayes=bayes_score --positive malignant": {
            "findings/*/code": ["TM014"], "findings/0/numbers/crossings": 2, "crossings_total": 2,
            "crossings/*/before": ["bayes", "tree"],
        },
        "roc wide.csv --actual y --model a=a --model b=b --model c=c": {
            "models/*/findings/*/code": lambda found: [len(one) > 0 for one in found] == [True, False, True],
        },
        f"pr {by_column}": {
            "models/2/single_point": True, "models/2/at/precision/value": 1, "models/2/at/recall/value": 0.5,
        },
        f"gains {by_column}": {"models/2/at": {"threshold": None, "share": 0.25, "recall": 0.5, "lift": 2}},
        "{calibration|rejection|cost-curve|decision-curve} columns.csv --actual y --model t=tree --model "
        "b=bayes": {"models/*/name": ["t", "b"], "models/*/findings": lambda found: ... not in found},
        # of a 0.7, 0.5 and 0.1 are predicted, and the first is a; 0.7 and 0.1 tell whether it is, 0.5 not
        f"calibration {three} --positive a": {"ece": 0.3, "observed": [0, 0, 1]},
        f"rejection {three} --positive a": {"theta": [0.0, 0.4, 0.8]},
        f"{{calibration|rejection}} --model old=three.csv --model new={three}": {
            "positive": None, "models/*/rows": [3, 3],
        },
    }  # fmt: skip
    documents(table, COLUMNS)


def test_a_single_point_is_a_row_of_a_table(run: Any) -> None:
    write(COLUMNS)
    for command in ("roc", "pr", "gains"):
        line = f"{command} columns.csv --actual y --model tree=tree --model rule=rule -o {command}.csv"
        assert run(line).code == 0
        table = pl.read_csv(f"{command}.csv").filter(pl.col("model") == "rule").to_dicts()
        # rule finds one of two positives, and nothing else
        rates = {"tpr": 0.5, "fpr": 0.0, "precision": 1.0, "recall": 0.5, "tp": 1, "fp": 0, "share": 0.25}
        assert [{key: row[key] for key in rates.keys() & row.keys()} for row in table] == [
            {key: rates[key] for key in rates.keys() & table[0].keys()}
        ]
        assert len(rates.keys() & table[0].keys()) >= 2, command
