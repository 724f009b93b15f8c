"""`evaluate`, `matrix` and `report`: as in Python; by hand from columns, files, votes and matrices."""

import html
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tallymark as tm
from command_lines import calls, different, keywords, write

# Recall is 2/3, the false positive rate 1/5.
YES = "evaluate answers.csv --positive yes"
SCORES = "evaluate scores.csv --actual y --score s --positive yes"
PATIENTS = "evaluate patients.csv --actual actual --predicted predicted --positive yes"
# The third row is a where it should be c.
BY_CLASS = [[1, 0, 0], [0, 1, 0], [1, 0, 0]]


def test_predictions_and_scores(documents: Any) -> None:
    parquet = pl.DataFrame({"actual": [1, 0, 1], "predicted": [1, 1, 1]})
    parquet.write_parquet("rows.parquet")
    files = {
        "more.csv": "predicted,actual\nyes,no\n", "comma.csv": 'actual,predicted\n"a, b","a, b"\nc,c\n',
        "tabs.tsv": Path("answers.csv").read_text().replace(",", "\t"),
        "two.csv": "y,x,z\n0,0.9,0.1\n1,0.4,0.6\n", "abc.csv": "actual,predicted\na,a\nb,a\nb,b\nc,a\n",
        "sets.csv": "y,p,q\na;b,a,b\nb,b,a\n,,\n", "numbered.csv": "id,y,s\n1,1,0.9\n2,0,0.2\n",
    }  # fmt: skip
    precision = (0.1 * 2 / 3) / (0.1 * 2 / 3 + 0.9 / 5)
    table = {
        YES: {
            "schema": "tallymark/evaluation/1", "rows": 8, "labels": ["no", "yes"], "positive": "yes",
            "confusion/matrix": [[4, 1], [1, 2]], "metrics/recall/value": 2 / 3,
            "metrics/accuracy/value": 0.75, "metrics/accuracy/level": 0.95,
        },
        # labels that are numbers are text in JSON
        "evaluate digits.csv --labels 1,0 --costs '0 1; 1 0'": {
            "labels": ["1", "0"], "positive": "1", "per_class/*/label": ["1", "0"],
            "confusion": {"labels": ["1", "0"], "matrix": [[2, 1], [1, 1]]}, "costs/labels": ["1", "0"],
        },
        """evaluate comma.csv --labels '"a, b",c'""": {"labels": ["a, b", "c"]},
        "evaluate rows.parquet --labels 1,0": {
            "confusion": {"labels": ["1", "0"], "matrix": [[2, 0], [1, 0]]},
        },
        "evaluate answers.csv more.csv": {"rows": 9, "confusion/matrix": [[4, 2], [1, 2]]},
        "evaluate numbered.csv --actual y --score s --id id": {"rows": 2},
        # standard input
        "evaluate - --positive yes < answers.csv": {"confusion/matrix": [[4, 1], [1, 2]]},
        "evaluate - --delimiter tab < tabs.tsv": {"confusion/matrix": [[4, 1], [1, 2]]},
        "evaluate - --labels 1,0 < rows.parquet": {"confusion/matrix": [[2, 0], [1, 0]]},
        "evaluate answers.csv - < more.csv": {"rows": 9},
        # thresholds: F1 is 2/3 at 0.9, 1/2 at 0.6, 4/5 at 0.4 and 2/3 at 0.2
        f"{SCORES} --threshold {{0.4|best|best:f1}}": {
            "threshold": 0.4, "confusion/matrix": [[1, 1], [0, 2]],
        },
        # a miss costs 10: 10 at 0.9, 11 at 0.6, 1 at 0.4, 2 at 0.2
        f"{SCORES} --threshold best:cost --labels no,yes --costs '0 1; 10 0'": {
            "threshold": 0.4, "costs/total/value": 1,
        },
        # one probability for each class
        "evaluate probabilities.csv --actual y --probabilities "
        """{p_a,p_b,p_c|p_c,p_a,p_b|a=p_a,c=p_c,b=p_b|'p_a, "p_b",p_c'}""": {
            "confusion": {"labels": ["a", "b", "c"], "matrix": BY_CLASS},
        },
        "evaluate two.csv --actual y --probabilities 1=z,0=x": {
            "confusion": {"labels": ["0", "1"], "matrix": [[1, 0], [0, 1]]},
        },
        # costs, missing values, other prevalences
        f"{YES} --labels yes,no --costs '0 10; 1 0'": {"costs/total/value": 11},
        YES + """ --costs '{"yes": {"no": 10}, "no": {"yes": 1}}'""": {"costs/total/value": 11},
        f"{YES} --costs costs.csv": {"costs/total/value": 11},
        "evaluate missing.csv --drop-missing --missing NA --explain accuracy": {
            "dropped": {"missing_actual": 1, "missing_predicted": 1},
        },
        f"{YES} --prevalence {{0.1|yes=0.1,no=0.9}}": {"metrics/precision/value": precision},
        # 5 * 2 / (5 * 2 + 4 + 1), 2 * 2 / (2 * 2 + 1 + 1)
        f"{YES} --metric f_beta:2 --metric weighted_accuracy:2,1,1,0": {
            "metrics/f_beta:2/value": 10 / 15, "metrics/weighted_accuracy:2,1,1,0/value": 4 / 6,
        },
        # c is never predicted: precision 1/3, 1 and undefined
        "evaluate abc.csv": {"metrics/precision_macro/value": 2 / 3},
        "evaluate abc.csv --undefined 0": {"metrics/precision_macro/value": 4 / 9},
        f"{YES} --explain recall --explain tnr": {
            "schema": "tallymark/explanations/1", "rows": 8, "explanations/*/name": ["recall", "specificity"],
            "explanations/*/value": [2 / 3, 4 / 5],
        },
        # of three rows and two labels p leaves out one label; q leaves out one twice and adds one
        "evaluate sets.csv --actual y --set-delimiter ';' --model p=p --model q=q": {
            "models/*/metrics/hamming_loss/value": [1 / 6, 3 / 6],
        },
        "evaluate sets.csv --actual y --predicted p --set-delimiter ';' --empty-sets 1": {
            "metrics/accuracy_example/value": (1 / 2 + 1 + 1) / 3,
        },
        "evaluate sets.csv --actual y --predicted p --set-delimiter ';' --empty-sets 0": {
            "metrics/accuracy_example/value": (1 / 2 + 1) / 3,
        },
    }  # fmt: skip
    documents(table, files)


def test_options_are_those_of_python(run: Any) -> None:
    """Every value of the document, whatever else is in it."""
    rows = [line.split(",") for line in Path("patients.csv").read_text().splitlines()]
    for place, column in ((3, 3), (5, 4), (6, 5), (7, 5)):
        rows[place][column] = ""
    write({"gaps.csv": "".join(f"{','.join(row)}\n" for row in rows)})
    text = """
        $YES {--confidence 0.5|--seed 1|--prevalence 0.1|--metric f_beta:2|--normalize actual|--labels yes,no}
        evaluate digits.csv {--positive 0|--labels 1,0 --costs '0 1; 1 0'}
        $SCORES {--threshold 0.4|--threshold best|--threshold best:accuracy|--clip 0.3}
        $SCORES --labels no,yes --costs '0 1; 10 0' --threshold best:cost
        evaluate probabilities.csv --actual y --probabilities p_a,p_b,p_c {--seed 1|--undefined 0}
        evaluate votes.csv --actual y --votes a,b,c --positive yes --threshold {1|2}
        evaluate missing.csv --missing NA --drop-missing
        $PATIENTS {--weight w|--weight w --weight-kind frequency|--group patient|--group patient --seed 1}
        $PATIENTS --slice {region|region --slice a*b|region --group region|region --weight w --group patient}
        $PATIENTS --slice region*predicted
        $PATIENTS --slice region --group patient --costs '0 1; 3 0' --labels no,yes
        $OF_SCORES --threshold best:f1 --weight w --slice region
        evaluate gaps.csv --positive yes --weight w --group patient --slice region --drop-missing
    """
    names = {
        "YES": YES,
        "SCORES": SCORES,
        "PATIENTS": PATIENTS,
        "OF_SCORES": "evaluate patients.csv --actual actual --score score --positive yes",
    }
    wrong = []
    for call, words in calls(text, **names).items():
        (_, data), given = keywords(
            words, "slices missing_words metric", missing="missing_words", slice="slices"
        )
        shown = {"extra": tuple(given.pop("metric", ())), "normalize": given.pop("normalize", None)}
        prevalence = given.pop("prevalence", None)
        ev = tm.evaluate(data, **given)
        there = (ev if prevalence is None else ev.at_prevalence(prevalence)).to_dict(**shown)
        here = run(f"{call} --json").json
        wrong += [f"{call}: {key}" for key in different(here, there) if key != "notes"]
    assert wrong == []


def test_votes_by_hand(documents: Any, run: Any) -> None:
    votes = (
        "y,m1,m2,m3\nyes,yes,yes,yes\nno,no,no,yes\nyes,yes,no,yes\nno,yes,no,no\nyes,no,no,no\nno,no,no,no\n"
    )
    lines = votes.splitlines(keepends=True)
    files = {
        "votes.csv": votes,
        "a.csv": "".join(lines[:3]),
        "b.csv": lines[0] + "".join(lines[3:]),
        "comma.csv": votes.replace("m1", '"m,1"', 1),
        "hole.csv": votes.replace("no,yes,no,no", "no,,no,no"),
    }
    asked = "--actual y --votes m1,m2,m3 --positive yes --threshold"
    # Votes: 3, 1, 2, 1, 0, 0. At 2 the first and the third row are positive, and the fifth is missed.
    two = {"confusion": {"labels": ["no", "yes"], "matrix": [[3, 0], [1, 2]]}, "threshold": 2}
    table = {
        f"evaluate {{votes.csv|a.csv b.csv}} {asked} 2": two | {"positive": "yes"},
        f"evaluate - {asked} 2 < votes.csv": two,
        """evaluate comma.csv --actual y --votes '"m,1",m2,m3' --positive yes --threshold 2""": two,
        f"evaluate hole.csv {asked} 2 --drop-missing": {
            "dropped": {"missing_votes": 1}, "confusion/matrix": [[2, 0], [1, 2]],
        },
    }  # fmt: skip
    documents(table, files)
    assert run(f"evaluate hole.csv {asked} 2").code == 2
    assert run(f"{PATIENTS} --slice region -o out.csv").code == 0
    assert "region=south" in Path("out.csv").read_text()


MODELS = {
    "columns.csv": "y,tree,rule,site\n1,0.9,1,n\n1,0.4,1,s\n0,0.6,0,n\n0,0.1,1,s\n",
    "rule.csv": "actual,predicted\n1,1\n1,1\n0,0\n0,1\n",
}
BY_COLUMN = "evaluate columns.csv --actual y --model tree=tree --model rule=rule"
BY_FILE = "evaluate --model tree=tree.csv --model rule=rule.csv"


def test_several_models(documents: Any, run: Any) -> None:
    costs = f"{BY_COLUMN} --labels 0,1 --costs '0 1; 10 0'"
    table = {
        f"{{{BY_COLUMN}|{BY_FILE}|{BY_FILE} --score score --predicted predicted}}": {
            "schema": "tallymark/evaluations/1",
            "models/*/name": ["tree", "rule"],
            "models/*/schema": ["tallymark/evaluation/1"] * 2,
            "models/*/confusion/matrix": [[[1, 1], [1, 1]], [[1, 1], [0, 2]]],
            "models/*/threshold": [0.5, None],
            # of the four pairs of a positive and a negative row the scores order three rightly
            "models/*/metrics/auc/value": [0.75, None],
        },
        "evaluate --model tree=- --model rule=rule.csv < tree.csv": {
            "models/*/confusion/matrix": [[[1, 1], [1, 1]], [[1, 1], [0, 2]]],
        },
        "evaluate --model tree=tree.csv": {"models/*/name": ["tree"]},
        costs: {"models/*/metrics/total_cost/value": [11, 1]},
        f"{costs} --threshold best:cost": {
            "models/0/threshold": 0.4, "models/*/metrics/total_cost/value": [1, 1],
        },
        # 0.9 of the rows are negative, half of them wrong in both; tree misses half of the positives
        f"{BY_COLUMN} --prevalence 0.1": {"models/*/metrics/accuracy/value": [0.5, 0.9 * 0.5 + 0.1]},
        f"{BY_COLUMN} --threshold 0.3": {"models/0/confusion/matrix": [[1, 1], [0, 2]]},
    }  # fmt: skip
    documents(table, MODELS)
    together = run(f"{BY_FILE} --json").json["models"]
    for model, file in zip(together, ("tree.csv", "rule.csv"), strict=True):
        assert {key: value for key, value in model.items() if key != "name"} == run(
            f"evaluate {file} --json"
        ).json


# --- matrix --------------------------------------------------------------------------------------

TYPED = "matrix '150 40; 60 250'"


def test_matrices(documents: Any) -> None:
    """Tan, Steinbach & Kumar, Introduction to Data Mining: accuracy 80%, cost 3910."""
    texts = {
        "plain": ("5 1; 2 7", ["class 1", "class 2"]),
        "tabs": ("actual\ta\tb\na\t5\t1\nb\t2\t7\n", ["a", "b"]),
        "long": ("actual,predicted,count\na,a,5\na,b,1\nb,a,2\nb,b,7\n", ["a", "b"]),
    }
    files = {name: text for name, (text, _) in texts.items()}
    files["costs.json"] = '{"labels": ["-", "+"], "cost": [[0, 1], [100, -1]]}'
    named = f"{TYPED} --labels +,-"
    table: dict[str, dict[str, Any]] = {
        TYPED: {"labels": ["class 1", "class 2"], "positive": "class 1"},
        f"{named} --costs {{'-1 100; 1 0'|costs.json}}": {
            "labels": ["+", "-"], "positive": "+", "metrics/accuracy/value": 0.8, "costs/total/value": 3910,
        },
        f"{named} --positive -": {"metrics/recall/value": 250 / 310},
        f"{TYPED} --labels 0,1": {"labels": ["0", "1"], "positive": "1", "metrics/recall/value": 250 / 310},
        f"{TYPED} --labels 007,7": {"labels": ["007", "7"]},
        # costs are by actual class whatever the rows are: 40 false alarms at 1, 60 misses at 100
        f"{named} --rows predicted --costs '0 100; 1 0'": {"costs/total/value": 40 + 6000},
        f"{TYPED} --costs '-1 100; 1 0' --explain cost": {"explanations/*/value": [3910]},
        f"{TYPED} --prevalence 0.5": {"metrics/accuracy/value": (150 / 190 + 250 / 310) / 2},
        # precision is 2/5 of the first class and undefined of the second
        "matrix '2 0; 3 0'": {"metrics/precision_macro/value": 2 / 5},
        "matrix '2 0; 3 0' --undefined 0": {"metrics/precision_macro/value": 1 / 5},
    }  # fmt: skip
    for name, (_, labels) in texts.items():
        table[f"matrix - < {name}"] = {"confusion": {"labels": labels, "matrix": [[5, 1], [2, 7]]}}
    documents(table, files)


# --- pages ---------------------------------------------------------------------------------------

ROWS = (
    (row, row % 2, (row * 7 % 20) / 20 + 0.02, row % 2 * 0.5 + (row * 3 % 10) / 20, "ab"[row % 3 == 0])
    for row in range(40)
)
FORTY = "id,y,tree,forest,kind\n" + "".join(f"{','.join(map(str, row))}\n" for row in ROWS)
TWO = "rows.csv --actual y --model tree=tree --model forest=forest"
ONE = "rows.csv --actual y --score forest"


@pytest.fixture
def page(run: Any) -> Any:
    """Writes page.html by a command: its text without tags, and how many pictures it has."""
    write({"rows.csv": FORTY, "one.csv": "y,s\n1,0.5\n1,0.7\n"})

    def written(command: str) -> tuple[str, int]:
        Path("page.html").unlink(missing_ok=True)
        result = run(f"{command} -o page.html")
        assert (result.code, result.out, result.err) == (0, "", "wrote page.html\n"), command
        whole = Path("page.html").read_text(encoding="utf-8")
        assert whole.startswith("<!doctype html>")
        assert "default-src 'none'; style-src 'sha256-" in whole
        assert re.search("<title>[^<]+</title>", whole)
        body = re.sub("<(style|script|svg).*?</\\1>", " ", whole[whole.index("<body") :], flags=re.S)
        return " ".join(html.unescape(re.sub("<[^>]+>", " ", body)).split()), whole.count(" role=img")

    return written


def test_pages_have_the_values_of_the_documents(run: Any, page: Any) -> None:
    def interval(found: Any) -> str:
        return f"{found['value']:.3f} [{found['low']:.3f}, {found['high']:.3f}]"

    one, pictures = page(
        f"""report {ONE} --title 'Forty rows' --slice kind --costs '{{"1":{{"0":5}},"0":{{"1":1}}}}'"""
    )
    form = run(f"evaluate {ONE} --metric f_beta:2 --json").json["metrics"]
    assert [
        name for name in ("accuracy", "recall", "precision", "auc") if interval(form[name]) not in one
    ] == []
    assert "Forty rows" in one
    assert pictures > 6
    assert f"f_beta:2 {interval(form['f_beta:2'])}" in page(f"evaluate {ONE} --metric f_beta:2")[0]
    compared = run(f"compare {TWO} --json").json
    for command in (f"report {TWO}", f"compare {TWO}"):
        text, pictures = page(command)
        assert compared["verdict"][1:] in text
        assert interval(compared["differences"][0]) in text
        assert pictures > 6
    accuracies = "compare --accuracy 0.85:30 --accuracy 0.75:5000"
    assert run(f"{accuracies} --json").json["verdict"][1:] in page(accuracies)[0]
    # 282 / (282 + 75), by hand
    assert "0.790" in page("matrix '282 75; 462 4841' --labels yes,no")[0]
    # A curve has a picture, and none where no row is negative.
    curves = ("roc", "pr", "gains", "thresholds", "rejection", "calibration", "cost-curve", "decision-curve")
    for command in (*curves, "decide --best f1"):
        text, pictures = page(f"{command} {ONE}")
        assert ("40 rows" in text, pictures >= 1) == (True, True), command
    assert page("roc one.csv --actual y --score s --labels 0,1")[1] == 0
    for command in ("gains", "cost-curve"):
        assert page(f"{command} {TWO}")[1] == 1, command


def test_reports(run: Any, page: Any) -> None:
    lines = FORTY.splitlines()[1:]
    for name, at in (("tree", 2), ("forest", 3)):
        rows = [",".join((cells[0], cells[1], cells[at])) for cells in (line.split(",") for line in lines)]
        rows = rows[::-1] if name == "forest" else rows
        Path(f"{name}.csv").write_text("\n".join(["id,y,s", *rows]) + "\n")
        assert run(f"tally rows.csv --actual y --score {name} -o {name}.tally").code == 0
    verdict = run(f"compare {TWO} --json").json["verdict"][1:]
    # Files are matched by their ids.
    assert verdict in page("report --model tree=tree.csv --model forest=forest.csv --actual y --score s")[0]
    # Counts are not compared unless their rows are stated to be the same.
    tallies = "report --model tree=tree.tally --model forest=forest.tally"
    verdict = run("compare tree.tally forest.tally --same-rows --json").json["verdict"][1:]
    assert [verdict in page(asked)[0] for asked in (tallies, f"{tallies} --same-rows")] == [False, True]
    assert "40 rows" in page("report tree.tally")[0]
    assert page(f"report {ONE} --worst 3")[0] != page(f"report {ONE}")[0]
    # The file has a name by default, and is kept.
    written = run("report answers.csv --positive yes")
    assert (written.code, written.out, written.err) == (0, "", "wrote report.html\n")
    kept = Path("report.html").read_bytes()
    assert (run("report answers.csv").code, Path("report.html").read_bytes()) == (2, kept)
    assert run("report answers.csv --positive no --force --quiet").err == ""
    assert Path("report.html").read_bytes() != kept
