"""`tallymark demo`. The counts are taken from the shipped file by plain Python."""

from __future__ import annotations

import csv
import shlex
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tallymark import data
from tallymark.cli import main


def counts(model: str) -> Counter[tuple[str, str]]:
    with data.path("breast_cancer.csv").open() as file:
        return Counter((row["actual"], row[f"{model}_predicted"]) for row in csv.DictReader(file))


def cost(model: str) -> int:
    found = counts(model)
    return 10 * found["malignant", "benign"] + found["benign", "malignant"]


def test_reports_both_models(run: Any) -> None:
    result = run("demo")
    assert (result.code, result.err) == (0, "")
    tree = counts("tree")
    assert f"{tree['malignant', 'malignant']} TP" in result.out
    assert f"{tree['malignant', 'benign']} FN" in result.out
    row = next(line for line in result.out.splitlines() if line.startswith("total_cost") and "]" in line[:40])
    assert row.split()[1] == str(cost("tree"))
    beside = [line for line in result.out.splitlines() if line.count("[") == 2 and "total_cost" in line]
    assert [f"{cost(model)} [" in beside[0] for model in ("tree", "bayes")] == [True, True]
    assert "doi:10.24432/C5DW2B" in result.out
    assert "nothing was sent anywhere" in result.out.replace("\n", " ")


def test_text_fits_the_page_except_for_commands(run: Any) -> None:
    lines = run("demo").out.splitlines()
    assert all(len(line) <= 100 for line in lines if not line.startswith("  tallymark "))


def test_suggested_commands_work(
    run: Any, capsys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out = run("demo").out
    suggested = [line.strip() for line in out.splitlines() if line.startswith("  tallymark ")]
    assert len(suggested) == 17
    assert sum(str(data.path("breast_cancer.csv")) in line for line in suggested) == 11
    for line in suggested:
        assert main(shlex.split(line)[1:]) == 0
        _, drawn, picture = line.partition(" -o ")
        assert capsys.readouterr().err == (f"wrote {picture}\n" if drawn else "")
    for picture in ("decision.png", "roc.png", "tumours.html"):
        assert (tmp_path / picture).stat().st_size > 10_000


def last_line(out: str) -> str:
    return out.splitlines()[-1].partition(": ")[2]


def test_writes_a_page_of_both_models(run: Any) -> None:
    out = run("demo").out
    assert last_line(out) == "tallymark-demo.html"
    page = Path("tallymark-demo.html").read_text(encoding="utf-8")
    assert "<title>Is a tumour malignant? A decision tree against naive Bayes</title>" in page
    for model in ("tree", "bayes"):  # answers are scores of 0.5 and more
        assert f">{counts(model)['malignant', 'malignant']} (" in page
        assert f">{counts(model)['malignant', 'benign']} (" in page
    verdict = next(part for part in out.split("\n\n") if part.startswith("'tree' is better"))
    assert "accuracy 0.937 against 0.910" in page
    assert "accuracy 0.937 against 0.910" in verdict


def test_the_page_never_replaces_another_file(run: Any, tmp_path: Path) -> None:
    mine = Path("tallymark-demo.html")
    mine.write_text("<p>mine")
    assert last_line(run("demo").out) == "tallymark-demo-2.html"
    again = run("demo", "-o", "tallymark-demo-2.html")
    assert (again.code, last_line(again.out)) == (0, "tallymark-demo-2.html")
    assert mine.read_text() == "<p>mine"
    assert not Path("tallymark-demo-3.html").exists()
    refused = run("demo", "-o", "tallymark-demo.html")
    assert (refused.code, refused.out) == (2, "")
    assert "'tallymark-demo.html' exists already" in refused.err
    assert "--force" not in refused.err  # which this command does not have
    assert run("matrix", "3 1; 2 4", "-o", "own.html").code == 0
    own = Path("own.html").read_bytes()
    assert run("demo", "-o", "own.html").code == 2
    assert Path("own.html").read_bytes() == own
    assert "must be .html." in run("demo", "-o", "page.pdf").err


def test_a_folder_that_cannot_be_written(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    # Whoever runs the tests as root may write anywhere.
    monkeypatch.setattr("os.access", lambda folder, _: Path(folder) == temporary)
    assert last_line(run("demo").out) == str(temporary / "tallymark-demo.html")


def test_the_data_files_are_put_where_they_are_wanted(run: Any, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    for _ in range(2):
        result = run("demo", "--data", str(folder))
        assert (result.code, result.err) == (0, "")
        assert [Path(line.removeprefix("wrote ")).name for line in result.out.splitlines()] == [
            "predictions.csv",
            "tumours.csv",
        ]
    assert (folder / "predictions.csv").read_bytes() == data.path("breast_cancer.csv").read_bytes()
    assert (folder / "tumours.csv").read_bytes() == data.path("tumours.csv").read_bytes()


def test_data_files_replace_nothing(run: Any, tmp_path: Path) -> None:
    (tmp_path / "tumours.csv").write_text("mine")
    result = run("demo", "--data", str(tmp_path))
    assert result.code == 2
    assert "tumours.csv' exists already, and is another file. Hint: name another folder." in result.err
    assert (tmp_path / "tumours.csv").read_text() == "mine"
    assert run("demo", "--data", str(tmp_path / "tumours.csv" / "x")).code == 2
    assert run("demo", "--data", ".", "-o", "x.html").code == 2
