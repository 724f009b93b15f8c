"""`tallymark plot`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tallymark.cli.plot import KINDS

ROWS = ("scores.csv", "--actual", "y", "--score", "s", "--positive", "yes")
WORDS = {
    "roc": ["false positive rate", "AUC 0.750"],
    "pr": ["recall", "precision", "average precision 0.833"],
    "roc+pr": ["false positive rate", "precision", "50 % of the rows are positive"],
    "gains": ["rows taken", "random order"],
    "lift": ["lift", "random order"],
    "threshold": ["threshold", "f1"],
    "confusion": ["actual", "predicted", "50.0%", "No threshold was given: score >= 0.5 is called 'yes'."],
}


def words_of(path: str) -> str:
    return " ".join(" ".join(ElementTree.parse(path).getroot().itertext()).split())


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind(run: Any, kind: str) -> None:
    result = run("plot", kind, *ROWS, "-o", "out.svg", "--title", "A title of one's own")
    assert (result.code, result.out, result.err) == (0, "", "wrote out.svg\n")
    found = words_of("out.svg")
    for words in [*WORDS[kind], "A title of one's own"]:
        assert words in found


@pytest.mark.parametrize(
    ("suffix", "begins"), [(".png", b"\x89PNG"), (".PNG", b"\x89PNG"), (".pdf", b"%PDF")]
)
def test_formats(run: Any, suffix: str, begins: bytes) -> None:
    assert run("plot", "roc", *ROWS, "-o", f"out{suffix}", "--quiet").err == ""
    assert Path(f"out{suffix}").read_bytes().startswith(begins)


def test_the_same_picture_is_the_same_file(run: Any) -> None:
    run("plot", "roc", *ROWS, "-o", "one.png")
    run("plot", "roc", *ROWS, "-o", "two.png")
    assert Path("one.png").read_bytes() == Path("two.png").read_bytes()


def test_a_matrix_of_answers(run: Any) -> None:
    run("plot", "confusion", "answers.csv", "-o", "out.svg", "--normalize", "all")
    found = words_of("out.svg")
    assert "50.0%" in found  # 4 of 8 rows are no and were called so
    assert "share of all rows" in found
    assert "threshold" not in found


def test_one_class_only_says_why_there_is_no_curve(run: Any) -> None:
    Path("one.csv").write_text("y,s\n1,0.9\n1,0.2\n")
    for kind in ("roc", "roc+pr"):
        assert run("plot", kind, "one.csv", "--actual", "y", "--score", "s", "-o", f"{kind}.svg").code == 0
        assert "no row is actually negative" in words_of(f"{kind}.svg")


@pytest.mark.parametrize("command", [("plot", "roc"), ("roc",)])
def test_without_matplotlib(run: Any, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]) -> None:
    """Said before any work is done: the data is not even looked for."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run(*command, "nowhere.csv", "-o", "out.png")
    assert (result.code, result.out) == (2, "")
    assert "matplotlib" in result.err
    assert "pip install 'tallymark[plots]'" in result.err
    assert not Path("out.png").exists()


def test_curves_without_pictures_do_without_matplotlib(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for command in ("roc", "pr", "gains", "thresholds"):
        assert run(command, *ROWS).code == 0
        assert run(command, *ROWS, "-o", f"{command}.csv").code == 0
