"""`explain`, `metrics`, `interval`, `plan`, `textbook`, `conform` and `demo`."""

import csv
import shlex
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import tallymark as tm
from command_lines import calls, keywords
from tallymark import data, textbook

# The sources' summary page
COUNTS = "--tp 282 --fn 75 --fp 462 --tn 4841"


def test_formulas(documents: Any, run: Any) -> None:
    names = [one["name"] for one in run("metrics --json").json["metrics"]]
    on_counts = lambda found: {"recall", "mcc", "f1"} <= set(found) < set(names)  # noqa: E731
    documents(
        {
            "metrics": {
                "schema": "tallymark/metrics/1", "metrics/*/formula": all, "metrics/*/meaning": all,
                "metrics/*/reference": all,
            },
            "explain": {"explanations/*/name": names},
            "explain sensitivity": {"name": "recall", "value": None},
            "explain {precision_macro|f_beta:2|f_beta_macro|weighted_accuracy_micro|total_cost|auc}": {
                "schema": "tallymark/explanation/1", "value": None, "steps/*/text": all,
            },
            f"explain recall {COUNTS}": {"value": 282 / 357},
            f"explain {COUNTS}": {"explanations/*/name": on_counts},
            "explain recall --tp 0 --fn 0 --fp 1 --tn 1": {"value": None, "why": bool},
            # Tan, Steinbach & Kumar, ch. 4: 80 of 100 at 95% is 71.1% to 86.7%.
            "interval --correct 80 --of 100": {
                "value": 0.8, "level": 0.95, "method": "wilson", "low": lambda low: round(low, 3) == 0.711,
                "high": lambda high: round(high, 3) == 0.867, "z": 1.959963984540054,
            },
            "interval --correct 1e2 --of 2.5e2": {"correct": 100},
            "interval --correct 1.5 --of 3": {"value": 0.5},
            "interval --correct 80 --of 100 --explain": {"steps/*/latex": all},
            "interval --correct 80 --of 100 --method all": {
                "intervals/*/method": lambda found: len(found) > 5,
            },
            "textbook": {
                "schema": "tallymark/textbook/1", "examples/*/name": list(textbook.EXAMPLES),
                "chapters": lambda found: len(found) == 4,
            },
            "textbook wilson-accuracy-0.8": {"agrees": True, "examples/*/chapter": [3]},
            "textbook mcnemar cost-500": {"examples/*/name": ["cost-500", "mcnemar"]},
            "textbook cost-500-M2 cost-500": {"examples/*/name": ["cost-500"]},
            "textbook {misprints|4}": {"examples/*/name": list(textbook.MISPRINTS)},
            "conform --topic costs --topic sets": {"passed": True, "libraries/*/name": ["tallymark"]},
            "conform sklearn --topic labels": {
                "libraries/*/name": ["tallymark", "sklearn"], "results": lambda found: len(found) == 25,
            },
        }
    )  # fmt: skip
    by_name = {one["name"]: one["value"] for one in run(f"explain {COUNTS} --json").json["explanations"]}
    assert by_name["precision"] == pytest.approx(282 / 744)
    wide, narrow = (run(f"explain recall {COUNTS} --confidence {level}").out for level in (0.95, 0.8))
    assert wide != narrow
    every = run("interval --correct 80 --of 100 --method all --confidence 0.9 --json").json["intervals"]
    found = {one["method"]: (one["low"], one["high"]) for one in every}
    for method in found:
        python = tm.interval(80, 100, method=method, confidence_level=0.9)
        one = run(f"interval --correct 80 --of 100 --method {method} --confidence 0.9 --json").json
        assert (one["low"], one["high"]) == found[method] == pytest.approx((python.low, python.high)), method


def test_pages_of_formulas_are_narrow(run: Any) -> None:
    names = [one["name"] for one in run("metrics --json").json["metrics"]]
    for line in ("metrics", "textbook", f"explain {COUNTS}", *(f"explain {name}" for name in names)):
        assert max(map(len, run(line).out.splitlines())) <= 100, line
    latex = run(f"explain recall {COUNTS} --latex").out
    assert run(f"explain recall {COUNTS} -o recall.tex").code == 0
    assert r"\frac{282}{282 + 75}" in latex == Path("recall.tex").read_text()


def test_plans_are_those_of_python(run: Any) -> None:
    text = """
        plan --half-width 0.02 --expected 0.8 --rows-per-group 20 --icc 0.1
        plan --half-width 0.05 --metric precision --predicted-positive-rate 0.1
        plan --difference -0.02 --expected 0.9 --confidence 0.99 --paired --power 0.9
        plan --difference 0.3 --disagreement 0.7
        plan --rows 1e4 --metric recall --prevalence 0.1
    """
    for call, words in calls(text).items():
        _, options = keywords(words, paired={"paired": True})
        assert run(f"{call} --json").json == tm.plan(**options).to_dict(), call


def test_textbook_and_conform_write_files(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from tallymark.conformance.adapters import tallymark as ours

    assert run("textbook roc-16-sequential cost-500 wilson-accuracy-0.8 -o page.html").code == 0
    page = Path("page.html").read_text()
    assert (page.count("<svg") >= 2, page.count("<details") >= 3) == (True, True)
    assert run("conform pycm --topic classes -o all.csv").err.count("all.csv") == 1
    rows = [*csv.DictReader(Path("all.csv").read_text("utf-8").splitlines())]
    undefined = next(
        row for row in rows if (row["id"], row["library"]) == ("classes/in-no-row/f1_macro", "pycm")
    )
    assert (undefined["verdict"], undefined["value"], undefined["remedy"]) == (
        "convention",
        "",
        "none_omit=True",
    )
    for suffix in ("html", "md", "txt", "tex"):
        assert run(f"conform scipy --topic comparisons -o who.{suffix}").code == 0
        assert "friedman" in Path(f"who.{suffix}").read_text("utf-8")
    few, every = (
        run(f"conform mlxtend --topic rates --show {which}").out for which in ("differences", "all")
    )
    assert 0 < few.count("\n") < every.count("\n")
    monkeypatch.setitem(sys.modules, "torchmetrics", None)
    missing = run("conform torchmetrics")
    assert (missing.code, missing.out, missing.err.count("\n")) == (2, "", 1)
    monkeypatch.setitem(ours.CALLS, "mean_cost", lambda _: 0.0)
    assert (run("conform --topic costs").code, run("conform --topic costs --json").code) == (1, 1)


# --- demo --------------------------------------------------------------------------------------------


def counts(model: str) -> Counter[tuple[str, str]]:
    with data.path("breast_cancer.csv").open() as file:
        return Counter((row["actual"], row[f"{model}_predicted"]) for row in csv.DictReader(file))


def test_demo(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The counts are taken from the shipped file by plain Python; what it suggests works."""
    result = run("demo")
    assert (result.code, result.err) == (0, "")
    page = Path("tallymark-demo.html").read_text(encoding="utf-8")
    for model in ("tree", "bayes"):
        hits, misses = (counts(model)["malignant", said] for said in ("malignant", "benign"))
        cost = 10 * misses + counts(model)["benign", "malignant"]
        assert f"{cost} [" in result.out
        assert (f">{hits} (" in page, f">{misses} (" in page) == (True, True)
    assert f"{counts('tree')['malignant', 'malignant']} TP" in result.out
    suggested = [line.strip() for line in result.out.splitlines() if line.startswith("  tallymark ")]
    shipped = [line for line in suggested if str(data.path("breast_cancer.csv")) in line]
    assert (len(suggested), len(shipped)) == (17, 11)
    assert all(len(line) <= 100 for line in result.out.splitlines() if not line.startswith("  tallymark "))
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    for line in suggested:
        done = run("", *shlex.split(line)[1:])
        _, drawn, name = line.partition(" -o ")
        assert (done.code, done.err) == (0, f"wrote {name}\n" if drawn else ""), line
    # No other file is replaced, and where the folder cannot be written there is another.
    Path("tallymark-demo.html").write_text("<p>mine")
    assert run("demo").out.rstrip().endswith(": tallymark-demo-2.html")
    assert run("demo -o tallymark-demo-2.html").code == 0
    assert (run("demo -o tallymark-demo.html").code, Path("tallymark-demo.html").read_text()) == (
        2,
        "<p>mine",
    )
    assert run("matrix '3 1; 2 4' -o own.html").code == 0
    assert run("demo -o own.html").code == 2
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    # Whoever runs the tests as root may write anywhere.
    monkeypatch.setattr("os.access", lambda folder, _: Path(folder) == tmp_path / "temporary")
    assert run("demo").out.rstrip().endswith(str(tmp_path / "temporary/tallymark-demo.html"))


def test_files_of_the_demo(run: Any, tmp_path: Path) -> None:
    for _ in range(2):
        result = run("demo --data new/folder")
        assert (result.code, result.err, len(result.out.splitlines())) == (0, "", 2)
    for name, shipped in {"predictions.csv": "breast_cancer.csv", "tumours.csv": "tumours.csv"}.items():
        assert Path("new/folder", name).read_bytes() == data.path(shipped).read_bytes()
    Path("tumours.csv").write_text("mine")
    assert (run("demo --data .").code, Path("tumours.csv").read_text()) == (2, "mine")
    assert run("demo --data tumours.csv/x").code == 2
