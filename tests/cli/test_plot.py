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
    "one-vs-rest": ["false positive rate"],
    "rejection": ["rejected"],
    "calibration": ["observed"],
    "cost": ["probability cost"],
    "decision": ["net benefit"],
    "distribution": ["share of the class"],
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


@pytest.mark.parametrize(
    "call",
    [*(("plot", kind) for kind in ("roc", "roc+pr", "pr", "gains", "lift")), ("roc",), ("pr",), ("gains",)],
    ids=" ".join,
)
def test_no_picture_where_there_is_no_curve(run: Any, call: tuple[str, ...]) -> None:
    Path("none.csv").write_text("y,s\n0,0.9\n0,0.2\n")
    Path("some.csv").write_text("y,s\n0,0.9\n1,0.2\n")
    columns = ("--actual", "y", "--score", "s", "-o", "none.svg")
    result = run(*call, "none.csv", *columns)
    assert (result.code, result.out) == (2, "")
    assert result.err == "tallymark: none.csv: there is no curve: no row is actually positive.\n"
    result = run(*call, "--model", "some=some.csv", "--model", "none=none.csv", *columns)
    assert result.code == 2
    assert "'none'" in result.err
    assert not Path("none.svg").exists()


@pytest.mark.parametrize("kind", ["roc", "roc+pr"])
def test_all_classes_have_a_picture_of_their_own(run: Any, kind: str) -> None:
    Path("three.csv").write_text("y,a,b,c\na,0.7,0.2,0.1\nb,0.5,0.4,0.1\nc,0.1,0.1,0.8\n")
    asked = ("three.csv", "--actual", "y", "--probabilities", "a,b,c", "-o", "out.svg")
    assert run("plot", kind, *asked).err == (
        "tallymark: a curve needs to know the positive class; the labels are ['a', 'b', 'c']. Hint: name it, "
        "for example --positive c (in Python pos_label='c'). Or `tallymark plot one-vs-rest` draws the ROC "
        "curve of every class.\n"
    )
    assert "one-vs-rest" not in run("plot", "pr", *asked).err


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


def test_the_band_of_both_kinds_has_the_level_asked_for_or_is_left_out(run: Any) -> None:
    for kind in ("roc", "roc+pr"):
        run("plot", kind, *ROWS, "--confidence", "0.8", "-o", f"{kind}.svg")
        assert "80 % band" in words_of(f"{kind}.svg")
        assert run("plot", kind, *ROWS, "--no-band", "-o", f"{kind}.svg", "--force").code == 0
        assert "% band" not in words_of(f"{kind}.svg")


def test_the_best_threshold_and_the_one_asked_for_look_different(run: Any) -> None:
    run("plot", "threshold", *ROWS, "--threshold", "0.5", "-o", "out.svg")
    found = words_of("out.svg")
    assert "score >= 0.5: f1 0.500" in found
    assert "best 0.800 at 0.4" in found
    assert "fill: #ffffff; stroke: #0072b2" in Path("out.svg").read_text()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ((), ["best 50 %: recall 50 %", "best 75 %: recall 100 %"]),
        (("--lift",), ["best 50 %: lift 1.00", "recall 100 %: best 75 %: lift 1.33"]),
    ],
)
def test_answers_of_gains_are_marked(run: Any, more: tuple[str, ...], words: list[str]) -> None:
    # Best first yes, no, yes, no: half of the rows hold one of two, and for both three are taken.
    run("gains", *ROWS, "--share", "0.5", "--recall", "1", *more, "-o", "out.svg")
    found = words_of("out.svg")
    assert all(said in found for said in words)


def test_lift_tells_rows_as_well(run: Any) -> None:
    run("plot", "lift", *ROWS, "-o", "out.svg")
    found = words_of("out.svg")
    assert "rows taken" in found
    assert "the lift goes up to" not in found
