"""`tallymark textbook`."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tallymark import textbook


def test_without_a_name_all_are_listed(run: Any) -> None:
    result = run("textbook")
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    for example in textbook.EXAMPLES.values():
        assert any(line.startswith(f"{example.name} ") and example.title in line for line in lines)
    assert "000  Erick Parolin" in result.out
    assert max(map(len, lines)) <= 100


def test_the_list_as_json(run: Any) -> None:
    form = run("textbook", "--json").json
    assert form["schema"] == "tallymark/textbook/1"
    assert [each["name"] for each in form["examples"]] == list(textbook.EXAMPLES)
    assert len(form["chapters"]) == 4
    assert set(form["sources"]) == set(textbook.SOURCES)


def test_an_example_shows_problem_figures_and_what_to_type(run: Any) -> None:
    out = run("textbook", "cost-500").out
    assert "Is it the one to take?" in out
    assert ["cost", "of", "M1", "3,910", "3,910", "yes"] in [line.split() for line in out.splitlines()]
    assert "  tallymark matrix '150 40; 60 250' --labels +,- --costs '-1 100; 1 0'\n" in out
    assert "  import tallymark as tm\n" in out
    assert "From Win (001) and Tan and others (004)." in out


def test_json_of_an_example(run: Any) -> None:
    form = run("textbook", "wilson-accuracy-0.8", "--json").json
    (example,) = form["examples"]
    assert form["agrees"] is True
    assert (example["name"], example["chapter"], example["agrees"]) == ("wilson-accuracy-0.8", 3, True)
    low = next(check for check in example["checks"] if check["what"] == "lower end")
    assert low == {
        "what": "lower end",
        "origin": "printed",
        "expected": "0.67 0.711 0.763 0.774 0.789",
        "found": "0.67 0.711 0.763 0.774 0.789",
        "agrees": True,
        "passed": True,
    }
    assert {"given", "worked", "remark", "command", "python", "problem"} <= set(example)


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        (["mcnemar", "cost-500"], ["cost-500", "mcnemar"]),
        (["cost-500-M2", "cost-500"], ["cost-500"]),
        (["misprints"], list(textbook.MISPRINTS)),
        (["4"], list(textbook.MISPRINTS)),
        (["all"], list(textbook.EXAMPLES)),
    ],
)
def test_names_cases_and_chapters(asked: list[str], names: list[str]) -> None:
    assert [each.name for each in textbook.chosen(asked)] == names


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        ("wilson", "perhaps wilson-accuracy-0.8 or wilson-without-z; `tallymark textbook` lists all."),
        ("mcnemer", "perhaps mcnemar; `tallymark textbook` lists all."),
        ("xyzzy", "`tallymark textbook` lists all; also a chapter, 1 to 4, misprints, or all."),
        ("7", "`tallymark textbook` lists all; also a chapter, 1 to 4, misprints, or all."),
    ],
)
def test_an_unknown_name(run: Any, asked: str, hint: str) -> None:
    result = run("textbook", asked)
    assert (result.code, result.out) == (2, "")
    assert result.err == f"tallymark: no example is named {asked!r}. Hint: {hint}\n"


class Read(HTMLParser):
    """Counts what a page holds."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:  # noqa: ARG002
        self.tags.append(tag)


def test_a_page_with_pictures(run: Any) -> None:
    names = ("roc-16-sequential", "cost-500", "wilson-accuracy-0.8")
    assert run("textbook", *names, "-o", "page.html").code == 0
    page = Read()
    page.feed(Path("page.html").read_text())
    assert page.tags.count("svg") >= 2
    assert page.tags.count("details") >= len(names)


@pytest.mark.parametrize("suffix", [".md", ".txt", ".tex", ".json"])
def test_other_files(run: Any, suffix: str) -> None:
    assert run("textbook", "cost-500", "lost-cells", "-o", f"book{suffix}").code == 0
    written = Path(f"book{suffix}").read_text()
    assert "3,910" in written or "3{,}910" in written
