"""Control characters in labels, names and arguments never reach a terminal or a file raw."""

import re
import shlex
from pathlib import Path
from typing import Any

NASTY = ["a\x1b[31m", "b\u202e\x9b2J", "c\x07\r\u2028"]
RAW = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
LABELS = ",".join(f'"{label}"' for label in NASTY)
TYPED = ("matrix", "5 1 0; 2 6 1; 0 0 9", "--labels", LABELS)


def test_output_is_harmless(run: Any) -> None:
    for more in (
        "",
        "--json",
        "--explain recall_macro",
        "--explain recall_macro --json",
        "--normalize actual",
        "--costs '0 1 1; 1 0 1; 1 1 0'",
    ):
        result = run("", *TYPED, *shlex.split(more))
        assert (result.code, result.err) == (0, ""), more
        assert not RAW.search(result.out), more
    assert run("", *TYPED, "--json").json["labels"] == NASTY
    result = run("", *TYPED, "--explain", "recall", "--positive", NASTY[0])
    assert (result.code, bool(RAW.search(result.out))) == (0, False)


def test_messages_are_one_harmless_line(run: Any) -> None:
    for arguments in (
        (*TYPED, "--positive", "\x1b[2J"),
        ("evaluate", "\x1b[2J.csv"),
        ("matrix", "\x1b]0;title\x07"),
        ("\x1b[2J",),
        ("--\x1b[2J",),
        (*TYPED, "--metric", "\x1b[2J"),
        (*TYPED, "-o", "\x1b[2J/x.json"),
        ("interval", "--correct", "\x1b[2J", "--of", "3"),
        ("interval", "\x1b[2J"),
    ):
        result = run("", *arguments)
        assert (result.code, result.out, result.err.count("\n")) == (2, "", 1), arguments
        assert not RAW.search(result.err), arguments
    result = run("evaluate -", stdin="actual\x1b[31m,predicted\nyes,yes\nno,no\n")
    assert (result.code, bool(RAW.search(result.err))) == (2, False)
    written = run("", *TYPED, "-o", "a\x1b[2J.txt")
    assert (written.code, written.err) == (0, "wrote a\\x1b[2J.txt\n")


def test_names_of_models(run: Any) -> None:
    Path("columns.csv").write_text("y,tree,bayes\n1,0.9,0.7\n1,0.4,0.8\n0,0.6,0.1\n0,0.1,0.2\n")
    models = ("columns.csv", "--actual", "y", "--model", "a\x1b[31m$x$=tree", "--model", "b=bayes")
    assert run("roc", *models, "-o", "out.svg").code == 0
    assert "\x1b" not in Path("out.svg").read_text()
    assert "\x1b" not in run("gains", *models).out


def test_labels_that_mean_something_in_a_file(run: Any) -> None:
    labels = ("<script>", "=1+1", "\\input{x}", "a|b")
    cells = "\n".join(f'"{label}","{label}"' for label in labels)
    found = {}
    for suffix in ("md", "tex", "csv", "txt", "json", "html"):
        assert run(f"evaluate - -o out.{suffix}", stdin=f"actual,predicted\n{cells}\n").code == 0
        found[suffix] = Path(f"out.{suffix}").read_text(encoding="utf-8")
    assert "<script" not in found["md"]
    assert found["html"].count("<script") == 1  # that of the page
    assert "\\input" not in found["tex"]
    assert ",=1+1" not in found["csv"]


def test_assumptions_are_escaped_in_latex(run: Any) -> None:
    table = "actual,predicted\n50%_a\x1b,50%_a\x1b\nb--c,b--c\n"
    shares = ("--prevalence", "50%_a\x1b=0.25,b--c=0.75", "--explain", "accuracy", "-o", "out.tex")
    assert run("evaluate -", *shares, stdin=table).code == 0
    note = Path("out.tex").read_text().split("\n\n")[-1]
    assert r"'50\%\_a\textbackslash{}x1b' 0.25, 'b-{}-c' 0.75" in note


def test_colour_is_for_terminals_alone(run: Any, monkeypatch: Any) -> None:
    """Whatever the environment says of colour, what is not a terminal gets none."""
    plain = run("", *TYPED).out
    for name, value in (("NO_COLOR", "1"), ("FORCE_COLOR", "1"), ("TERM", "xterm-256color")):
        monkeypatch.setenv(name, value)
        assert run("", *TYPED).out == plain
        monkeypatch.delenv(name)
