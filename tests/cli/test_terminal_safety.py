"""Control characters in labels never reach a terminal raw, in no format and no message."""

from __future__ import annotations

import re
from typing import Any

import pytest

NASTY = ["a\x1b[31m", "b\u202e\x9b2J", "c\x07\r\u2028"]
RAW = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
LABELS = ",".join(f'"{label}"' for label in NASTY)
TYPED = ("matrix", "5 1 0; 2 6 1; 0 0 9", "--labels", LABELS)


@pytest.mark.parametrize(
    "more",
    [
        (),
        ("--json",),
        ("--explain", "recall", "--positive", NASTY[0]),
        ("--explain", "recall_macro"),
        ("--explain", "recall_macro", "--json"),
        ("--normalize", "actual"),
        ("--costs", "0 1 1; 1 0 1; 1 1 0"),
    ],
)
def test_output_is_harmless(run: Any, more: tuple[str, ...]) -> None:
    result = run(*TYPED, *more)
    assert (result.code, result.err) == (0, "")
    assert not RAW.search(result.out)


def test_json_keeps_the_labels(run: Any) -> None:
    assert run(*TYPED, "--json").json["labels"] == NASTY


@pytest.mark.parametrize(
    "arguments",
    [
        (*TYPED, "--positive", "\x1b[2J"),
        ("evaluate", "\x1b[2J.csv"),
        ("matrix", "\x1b]0;title\x07"),
        ("\x1b[2J",),
        ("--\x1b[2J",),
        (*TYPED, "--metric", "\x1b[2J"),
        (*TYPED, "-o", "\x1b[2J/x.json"),
        ("interval", "--correct", "\x1b[2J", "--of", "3"),
        ("interval", "\x1b[2J"),
    ],
)
def test_messages_are_one_harmless_line(run: Any, arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err.count("\n") == 1
    assert not RAW.search(result.err)


def test_column_names_are_harmless(run: Any) -> None:
    content = "actual\x1b[31m,predicted\nyes,yes\nno,no\n"
    result = run("evaluate", "-", stdin=content)
    assert result.code == 2
    assert not RAW.search(result.err)


def test_written_file_name_is_harmless(run: Any) -> None:
    result = run(*TYPED, "-o", "a\x1b[2J.txt")
    assert (result.code, result.err) == (0, "wrote a\\x1b[2J.txt\n")
