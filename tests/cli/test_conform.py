"""`tallymark conform`."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from tallymark.cli.conform import TOPICS
from tallymark.conformance.adapters import tallymark as ours
from tallymark.conformance.vector import TOPICS as EVERY


def test_topics_are_those_of_the_vectors() -> None:
    assert TOPICS == EVERY


def test_alone(run: Any) -> None:
    result = run("conform", "--topic", "costs", "--topic", "sets")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("tallymark ")
    assert " gives the exact answer to all 28 questions.\n\ntopic  questions\n" in result.out
    assert "\nsets          22\n" in result.out
    assert "Installed here and not asked: sklearn, " in result.out
    assert " ".join(result.out.split()).endswith("Name some, or all.")


def test_with_a_library(run: Any) -> None:
    result = run("conform", "sklearn", "--topic", "rates")
    assert (result.code, result.err) == (0, "")
    assert "rates/never-called: Nothing was predicted positive." in result.out
    lines = [" ".join(line.split()) for line in result.out.splitlines()]
    assert "precision undefined sklearn 0 warned counts as 0 zero_division=np.nan" in lines
    assert "plain" not in result.out
    assert "Why it matters: " in result.out


def test_all_questions(run: Any) -> None:
    result = run("conform", "mlxtend", "--topic", "rates", "--show", "all")
    lines = [" ".join(line.split()) for line in result.out.splitlines()]
    at = lines.index("precision 6/7 = 0.85714 tallymark 0.85714 right")
    assert lines[at + 1] == "mlxtend 0.85714 right"


def test_json(run: Any) -> None:
    form = run("conform", "sklearn", "--topic", "labels", "--json").json
    assert (form["schema"], form["vectors"]) == ("tallymark/conformance/1", "tallymark/vectors/1")
    assert form["passed"] is True
    assert [one["name"] for one in form["libraries"]] == ["tallymark", "sklearn"]
    assert sum(form["libraries"][1]["counts"].values()) == len(form["results"]) == 25
    by_id = {one["id"]: one for one in form["results"]}
    one = by_id["labels/columns-by-text/top_1"]
    assert one["answer"] == {"kind": "number", "text": "1", "value": 1.0}
    assert one["replies"]["tallymark"] == {"verdict": "right", "value": 1.0}
    assert one["replies"]["sklearn"]["verdict"] == "error"


def test_csv(run: Any) -> None:
    result = run("conform", "pycm", "--topic", "classes", "-o", "all.csv")
    assert (result.code, result.out, result.err) == (0, "", "wrote all.csv\n")
    rows = list(csv.DictReader(io.StringIO(Path("all.csv").read_text("utf-8"))))
    assert len(rows) == 2 * 47
    undefined = next(r for r in rows if r["id"] == "classes/in-no-row/f1_macro" and r["library"] == "pycm")
    assert (undefined["verdict"], undefined["value"], undefined["remedy"]) == (
        "convention",
        "",
        "none_omit=True",
    )


@pytest.mark.parametrize("suffix", [".html", ".md", ".txt", ".tex"])
def test_files(run: Any, suffix: str) -> None:
    assert run("conform", "scipy", "--topic", "comparisons", "-o", f"who{suffix}").code == 0
    assert "friedman" in Path(f"who{suffix}").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("skleran",), "tallymark: no library called 'skleran' can be asked. Hint: did you mean sklearn"),
        (("--topic", "rate"), "tallymark: --topic: 'rate' is not one of 'rates'"),
    ],
)
def test_unknown_names(run: Any, arguments: tuple[str, ...], message: str) -> None:
    result = run("conform", *arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(message)


def test_not_installed(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tallymark.conformance.peers.find_spec", lambda _: None)
    result = run("conform", "torchmetrics")
    line = "tallymark: torchmetrics is not installed, so it cannot be asked. Hint: pip install torchmetrics\n"
    assert (result.code, result.out, result.err) == (2, "", line)


def test_exit_code_1_when_tallymark_differs(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ours.CALLS, "mean_cost", lambda _: 0.0)
    result = run("conform", "--topic", "costs")
    assert (result.code, result.err) == (1, "")
    assert " gives the exact answer to 5 of 6 questions.\n" in result.out
    assert "mean_cost  391/50 = 7.82  tallymark      0  wrong\n" in result.out
