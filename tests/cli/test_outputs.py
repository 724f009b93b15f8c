"""`-o` and `--json`: the suffix sets the format, what is there is kept, and every format says the same."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from command_lines import held

FIVE = "five.csv --actual y --score s"
TWO = "two.csv --actual y --model first=t --model second=f"
# Each with the first line of its table, where there is one.
COMMANDS = {
    "evaluate answers.csv --positive yes": "slice,class,average,metric,value,low,high,level,",
    f"evaluate {TWO}": "model,slice,class,average,metric,value,",
    "matrix '50 3 2; 4 60 1; 0 5 70' --labels a,b,c": "slice,class,average,metric,value,",
    f"compare {TWO}": "metric,a,b,value_a,value_b,difference,low,high,",
    "compare --accuracy 0.85:30 --accuracy 0.75:5000": "metric,a,b,value_a,value_b,difference,low,high,",
    "compare folds.csv --per fold": "metric,a,b,value_a,value_b,difference,low,high,",
    f"roc {FIVE}": "threshold,positives,negatives,tp,fp,tn,fn,tpr,fpr",
    f"roc {TWO}": "model,threshold,positives,negatives,tp,fp,tn,fn,tpr,fpr",
    "roc --bin-counts '2 0; 1 2'": "bin,threshold,positives,negatives,tp,fp,tn,fn,tpr,fpr",
    "roc six.csv --actual y --probabilities p_a,p_b,p_c": "class,threshold,positives,negatives,",
    f"pr {FIVE}": "threshold,tp,fp,precision,recall",
    f"gains {FIVE}": "threshold,taken,found,share,recall,lift",
    f"gains {TWO}": "model,threshold,taken,found,share,recall,lift",
    f"thresholds {FIVE} --metric f1 --metric accuracy": "threshold,tp,fp,fn,tn,f1,accuracy",
    f"calibration {FIVE}": "above,up_to,predicted,observed,low,high,count",
    f"calibration {TWO}": "model,above,up_to,predicted,observed,low,high,count",
    f"rejection {FIVE}": "theta,rejected,correct,correct_of_all,low,high,accepted,right",
    f"cost-curve {FIVE}": "probability_cost,cost,threshold,fpr,fnr",
    f"decision-curve {FIVE}": "threshold,net_benefit,low,high,all,avoided",
    f"decide {FIVE} --labels 1,0 --costs '0 10; 1 0'": "threshold,tp,fp,fn,tn,total,mean",
    f"decide {FIVE} --min recall=0.5": "threshold,tp,fp,fn,tn,",
    "decide three.csv --actual y --probabilities a,b,c --labels a,b,c "
    "--costs '0 1 1; 9 0 1; 1 1 0'": "actual,answer,",
    "interval --correct 80 --of 100 --method all": "", "metrics": "",
    "explain recall --tp 2 --fn 1 --fp 1 --tn 4": "", "explain --tp 2 --fn 1 --fp 1 --tn 4": "",
    "explain": "", "plan --half-width 0.1": "", "textbook cost-500 lost-cells": "",
}  # fmt: skip


def written(run: Any, call: str, name: str) -> str:
    result = run(f"{call} -o {name}")
    assert (result.code, result.out, result.err) == (0, "", f"wrote {name}\n"), f"{call} -o {name}"
    found = Path(name).read_text(encoding="utf-8")
    Path(name).unlink()
    return found


def test_every_command_in_every_format(run: Any) -> None:
    wrong = []
    for call, header in COMMANDS.items():
        found = {suffix: written(run, call, f"out.{suffix}") for suffix in ("txt", "json", "md", "tex")}
        checks = {
            "the text is that of the screen": found["txt"] == run(call).out,
            "the document is that of --json": json.loads(found["json"]) == run(f"{call} --json").json,
            "a line break ends each": all(text.endswith("\n") for text in found.values()),
            "no empty line ends any": not any(text.endswith("\n\n") for text in found.values()),
            "Markdown has tables": "| ---" in found["md"] or "explain" in call,
            "LaTeX has tables": r"\toprule" in found["tex"] or "explain" in call,
        }
        if header:
            table = written(run, call, "out.csv")
            rows = [*csv.reader(table.splitlines(), strict=True)]
            checks["the table has its columns"] = table.startswith(header)
            checks["every row has every column"] = len({len(row) for row in rows}) == 1 < len(rows)
        wrong += [f"{call}: {what}" for what, holds in checks.items() if not holds]
    assert wrong == []


def test_csv_has_the_digits_of_the_json_document(run: Any) -> None:
    call = "matrix '50 3 2; 4 60 1; 0 5 70' --labels a,b,c --metric f_beta_macro:2"
    rows = [*csv.DictReader(written(run, call, "out.csv").splitlines(), strict=True)]
    number = run(f"{call} --json").json["metrics"]["f_beta_macro:2"]
    (row,) = [row for row in rows if (row["metric"], row["average"]) == ("f_beta:2", "macro")]
    keys = ("value", "low", "high", "n")
    assert [row[key] for key in keys] == [json.dumps(number[key]) for key in keys]


def test_values_in_tables(run: Any) -> None:
    """Of scores.csv, by hand; the thresholds of bins without edges are not known."""
    scores = "scores.csv --actual y --score s --positive yes"
    assert written(run, f"pr {scores}", "pr.csv").splitlines()[1:] == [
        "0.9,1,0,1.0,0.5", "0.6,1,1,0.5,0.5", "0.4,2,1,0.6666666666666666,1.0", "0.2,2,2,0.5,1.0",
    ]  # fmt: skip
    assert written(run, f"roc {scores}", "roc.csv").splitlines()[1:3] == [
        "inf,0,0,0,0,2,2,0.0,0.0",
        "0.9,1,0,1,0,2,1,0.5,0.0",
    ]
    assert written(run, f"gains {scores}", "gains.csv").splitlines()[1] == "inf,0,0,0.0,0.0,"
    assert written(run, f"thresholds {scores}", "out.csv").splitlines()[1] == "inf,0,0,2,2,0.0"
    bins = [*csv.DictReader(written(run, "roc --bin-counts '5 0; 3 2; 1 4'", "bins.csv").splitlines())]
    assert [(row["bin"], row["threshold"]) for row in bins[1:]] == [(f"bin {k}", "") for k in (1, 2, 3)]
    priced = written(run, f"decide {FIVE} --labels 1,0 --costs '0 10; 1 0'", "out.csv").splitlines()
    assert (priced[1], priced[-1]) == ("inf,0,0,3,2,30.0,6.0", "0.3,3,2,0,0,2.0,0.4")
    models = [*csv.DictReader(written(run, f"evaluate {TWO} --metric f_beta:2", "out.csv").splitlines())]
    found = {
        row["model"]: float(row["value"])
        for row in models
        if (row["metric"], row["class"]) == ("f_beta:2", "")
    }
    # At 0.5 first finds 1 of 3 with one false alarm, second all three with none.
    assert found == pytest.approx({"first": 5 / (5 + 4 * 2 + 1), "second": 1.0})


def test_what_is_there_is_kept_unless_forced(run: Any) -> None:
    Path("out.txt").write_text("old")
    assert run("evaluate answers.csv -o out.txt").code == 2
    assert Path("out.txt").read_text() == "old"
    result = run("evaluate answers.csv --output out.txt --force --quiet")
    assert (result.code, result.out, result.err) == (0, "", "")
    assert Path("out.txt").read_text() == run("evaluate answers.csv").out
    # Suffixes may be in capitals.
    assert written(run, "evaluate answers.csv", "out.MD").startswith("## Evaluation\n")


def test_formulas_in_files(run: Any) -> None:
    matrix = "matrix '50 3 2; 4 60 1; 0 5 70' --labels a,b,c"
    found = written(run, f"{matrix} --explain accuracy --explain recall_macro", "out.md")
    assert found.startswith("## accuracy\n\n```text\naccuracy: ")
    assert "\n```\n\n## recall_macro\n\n```text\n" in found
    assert "\n  recall of 'a' = 50 / 55 = 0.9091\n" in found
    latex = written(run, "explain recall --tp 2 --fn 1 --fp 1 --tn 4", "out.tex")
    assert latex == run("explain recall --tp 2 --fn 1 --fp 1 --tn 4 --latex").out
    table = "act_ual,predicted\nyes,yes\nyes,\nno,\nno,no\n"
    asked = "evaluate - --actual act_ual --drop-missing --explain accuracy -o out.tex"
    assert run(asked, stdin=table).code == 0
    *formulas, dropped, note = Path("out.tex").read_text().split("\n\n")
    assert all(part.startswith("\\[\n") for part in formulas)
    assert "2 rows" in dropped
    assert note.startswith("Note: ")


def test_a_file_of_metrics(run: Any) -> None:
    """By hand: of 3 yes 2 are found, of 5 no 4."""
    result = run(
        "evaluate answers.csv --positive yes --metric recall --metric auc",
        *("--metrics-file", "metrics.json", "-o", "report.txt"),
    )
    assert result.code == 0
    assert "metrics.json" in result.err
    assert result.err.splitlines()[-1].endswith(": auc")
    found = json.loads(Path("metrics.json").read_text())
    assert list(found) == ["recall"]
    assert found["recall"]["value"] == pytest.approx(2 / 3)
    assert found["recall"]["low"] < 2 / 3 < found["recall"]["high"]
    every = "evaluate answers.csv --positive yes --metrics-file all.json --prevalence 0.5 --json --quiet"
    assert run(every).json["metrics"]["accuracy"]["value"] == pytest.approx((2 / 3 + 4 / 5) / 2)
    found = json.loads(Path("all.json").read_text())
    assert found["accuracy"]["value"] == pytest.approx((2 / 3 + 4 / 5) / 2)
    assert len(found) > 20
    models = "evaluate --model one=answers.csv --model two=answers.csv --positive yes --metric recall"
    assert run(f"{models} --metrics-file models.json --quiet").code == 0
    found = json.loads(Path("models.json").read_text())
    assert found["one"] == found["two"]
    assert found["one"]["recall"]["value"] == pytest.approx(2 / 3)


def test_an_interrupted_output_leaves_what_was_there(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("out.json").write_text("precious")
    before = held()

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    for name in ("os.replace", "os.link"):
        monkeypatch.setattr(name, interrupted)
    for call in (f"roc {FIVE} -o out.json --force", f"roc {FIVE} -o new.json"):
        result = run(call)
        assert (result.code, result.out, result.err) == (130, "", "tallymark: interrupted.\n")
    assert held() == before
