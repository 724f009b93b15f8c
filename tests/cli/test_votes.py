"""`--votes` as it is typed: what comes out, and every way to get it wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

DATA = "y,m1,m2,m3\nyes,yes,yes,yes\nno,no,no,yes\nyes,yes,no,yes\nno,yes,no,no\nyes,no,no,no\nno,no,no,no\n"
COMMAND = ("evaluate", "votes.csv", "--actual", "y", "--votes", "m1,m2,m3", "--positive", "yes")


@pytest.fixture(autouse=True)
def _data(run: Any) -> None:
    Path("votes.csv").write_text(DATA)


def test_the_number_of_votes_is_cut(run: Any) -> None:
    form = run(*COMMAND, "--threshold", "2", "--json").json
    # Votes: 3, 1, 2, 1, 0, 0. The first and the third row have 2 and are yes; the fifth is missed.
    assert form["confusion"] == {"labels": ["no", "yes"], "matrix": [[3, 0], [1, 2]]}
    assert (form["threshold"], form["positive"]) == (2, "yes")
    assert form["notes"] == ["the score is the number of votes for 'yes' among 3 columns."]
    assert run(*COMMAND, "--threshold", "1", "--json").json["confusion"]["matrix"] == [[1, 2], [1, 2]]


def test_it_is_said_in_the_text(run: Any) -> None:
    text = " ".join(run(*COMMAND, "--threshold", "2").out.split())
    assert "the score is the number of votes for 'yes' among 3 columns." in text
    text = " ".join(run(*COMMAND).out.split())
    assert "votes have no default threshold; pass one (a majority is 2 of 3)." in text
    assert "pass a threshold: a number of votes" in text


def test_from_standard_input_and_several_files(run: Any) -> None:
    lines = DATA.splitlines(keepends=True)
    Path("a.csv").write_text("".join(lines[:3]))
    Path("b.csv").write_text(lines[0] + "".join(lines[3:]))
    options = (*COMMAND[2:], "--threshold", "2", "--json")
    expected = [[3, 0], [1, 2]]
    assert run("evaluate", "a.csv", "b.csv", *options).json["confusion"]["matrix"] == expected
    assert run("evaluate", "-", *options, stdin=DATA).json["confusion"]["matrix"] == expected


def test_missing_votes(run: Any) -> None:
    Path("votes.csv").write_text(DATA.replace("no,yes,no,no", "no,,no,no"))
    result = run(*COMMAND, "--threshold", "2")
    assert (result.code, result.out) == (2, "")
    assert "votes (column 'm1') are missing in 1 of 6 rows, at line 5." in result.err
    form = run(*COMMAND, "--threshold", "2", "--drop-missing", "--json").json
    assert form["dropped"] == {"missing_votes": 1}
    assert form["confusion"]["matrix"] == [[2, 0], [1, 2]]


def test_a_name_with_a_comma_stands_in_double_quotes(run: Any) -> None:
    Path("votes.csv").write_text(DATA.replace("m1", '"m,1"', 1))
    options = ("--actual", "y", "--votes", '"m,1",m2,m3', "--positive", "yes", "--threshold", "2", "--json")
    assert run("evaluate", "votes.csv", *options).json["confusion"]["matrix"] == [[3, 0], [1, 2]]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--votes", "m1"), "votes are several columns; got ['m1']."),
        (("--votes", "m1"), "--predicted"),
        (("--votes", "m1,m1"), "column 'm1' is named twice among the votes; a column votes once."),
        (("--votes", "m1,,m2"), "--votes has an empty item"),
        (("--votes", "m1,m9"), "votes.csv has no column 'm9'"),
        (("--votes", "m1,y"), "column 'y' is named for two roles"),
        (("--votes", "m1,m2", "--score", "m3"), "votes are counted into a score"),
        (("--votes", "m1,m2", "--probabilities", "m2,m3"), "votes are counted into a score"),
        (("--votes", "m1,m2", "--predicted", "m3", "--threshold", "1"), "a threshold has nothing to decide"),
    ],
)
def test_refused(run: Any, options: tuple[str, ...], said: str) -> None:
    result = run("evaluate", "votes.csv", "--actual", "y", "--positive", "yes", *options)
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert len(result.err.strip().splitlines()) <= 2


def test_the_positive_class_is_needed(run: Any) -> None:
    result = run("evaluate", "votes.csv", "--actual", "y", "--votes", "m1,m2", "--threshold", "1")
    assert result.code == 2
    assert "votes need to know the positive class; the labels are ['no', 'yes']." in result.err
    assert "--positive yes" in result.err
