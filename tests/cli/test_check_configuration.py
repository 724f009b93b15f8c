"""`[tool.tallymark]` in pyproject.toml: what need not be typed again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

WHOLE = """
[tool.tallymark]
files = ["data/new.csv"]
baseline = "data/main.csv"
actual = "y"
predicted = "p"
require = ["recall >= 0.7", "fpr <= 0.2"]
no_worse = "recall"
margin = 0.1
same-rows = true
"""
TAKEN = "files, require, baseline, no-worse, margin, same-rows, actual, predicted"


@pytest.fixture
def check(run: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Calls `tallymark check` in an inner folder of a project that says everything in its pyproject.toml."""
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    for name, hits in (("new", 80), ("main", 81)):
        Path("data").mkdir(exist_ok=True)
        counts = {"1,1": hits, "1,0": 100 - hits, "0,1": 30, "0,0": 270}
        body = "".join(f"{row}\n" * times for row, times in counts.items())
        Path(f"data/{name}.csv").write_text(f"y,p\n{body}")
    Path("pyproject.toml").write_text(WHOLE)
    Path("inner").mkdir()
    monkeypatch.chdir("inner")

    def call(*arguments: str, **more: Any) -> Any:
        return run("check", *arguments, **more)

    return call


def configured(text: str) -> None:
    Path("pyproject.toml").write_text(f"[tool.tallymark]\n{text}\n")


def test_check_alone_does_the_whole_job(check: Any) -> None:
    result = check()
    assert (result.code, result.err) == (0, f"options from ../pyproject.toml: {TAKEN}\n")
    assert result.out.startswith("Passed: all 3 requirements are met.")
    assert "recall worse by at most 0.1" in result.out
    assert check("--quiet").err == ""


def test_the_command_line_wins(check: Any) -> None:
    result = check("--require", "recall >= 0.75", "--no-worse", "fpr", "--margin", "0.5", "--json")
    form = json.loads(result.out)
    assert result.code == 1
    asked = [each["requirement"] for each in form["outcomes"]]
    assert asked == ["recall >= 0.75", "fpr worse by at most 0.5"]
    [found] = json.loads(check("../data/main.csv", "--require", "recall >= 0.1", "--json").out)["outcomes"][
        :1
    ]
    assert found["estimate"]["value"] == 0.81


def test_a_matrix_stands_in_the_place_of_the_files(check: Any) -> None:
    configured('files = "../data/new.csv"\npredicted = "p"\nrequire = "recall.value >= 0.9"')
    assert check().code == 1
    assert check("--matrix", "9 1; 1 9").code == 0


def test_numbers_flags_and_lists_are_written_as_in_toml(check: Any) -> None:
    configured(
        'files = "../data/new.csv"\nactual = "y"\npredicted = "p"\nlabels = [1, 0]\npositive = 0\n'
        'confidence = 0.9\nseed = 3\nweight_kind = "sampling"\ngithub = true\nrequire = "recall >= 0.8"'
    )
    result = check("--json")
    form = json.loads(result.out)
    assert (form["level"], form["outcomes"][0]["estimate"]["value"]) == (0.9, 0.9)
    assert "::notice title=tallymark check::" in result.err


def test_another_file_or_none(check: Any) -> None:
    Path("other.toml").write_text(WHOLE.replace("data/", "../data/").replace("0.7", "0.99"))
    result = check("--config", "other.toml")
    assert (result.code, result.err) == (1, f"options from other.toml: {TAKEN}\n")
    assert check("--no-config").err.startswith("tallymark: nothing is required.")
    for both in (("--config", "other.toml", "--no-config"), ("--no-config", "--config", "other.toml")):
        assert check(*both).err == "tallymark: --config and --no-config exclude each other.\n"


def test_the_search_ends_where_the_repository_begins(check: Any) -> None:
    Path("pyproject.toml").write_text("[tool.other]\n")
    assert check("--quiet").code == 0
    Path(".git").mkdir()
    assert check("--quiet").err.startswith("tallymark: nothing is required.")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("requires = []", "'pyproject.toml': there is no option 'requires' in [tool.tallymark]. Hint: did"
         " you mean require?"),
        ("colour = 1", "'pyproject.toml': there is no option 'colour' in [tool.tallymark]. Hint: its keys"
         " are the options of `tallymark check --help`."),
        ('margin = "0.1"', "'pyproject.toml': margin is a number; got '0.1'."),
        ("margin = true", "'pyproject.toml': margin is a number; got True."),
        ('approximate = "yes"', "'pyproject.toml': approximate is true or false; got 'yes'."),
        ("require = [[1]]", "'pyproject.toml': require is text or an array of texts; got [1]."),
        ("no-worse = 'f1'\nno_worse = 'f1'", "'pyproject.toml' gives no-worse twice. Hint: write it once,"
         " with - or with _."),
        ("margin =", "'pyproject.toml' is not TOML: Invalid value (at line 2, column 9). Hint: mend it, or"
         " leave it aside: --no-config."),
    ],
)  # fmt: skip
def test_a_bad_file_is_one_line_and_exit_2(check: Any, text: str, said: str) -> None:
    configured(text)
    result = check()
    assert (result.code, result.out, result.err) == (2, "", f"tallymark: {said}\n")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\xfe", "'pyproject.toml' is not TOML: it is not UTF-8 text."),
        (b"[tool]\ntallymark = 3", "'pyproject.toml': tool.tallymark is a table of options; got 3."),
        (b"tool = 3", "'pyproject.toml' has no [tool.tallymark]."),
        (None, "cannot read 'pyproject.toml': No such file or directory."),
    ],
)
def test_a_file_that_is_none(check: Any, content: bytes | None, said: str) -> None:
    if content is not None:
        Path("pyproject.toml").write_bytes(content)
    result = check("--config", "pyproject.toml")
    assert result.code == 2
    assert said in result.err
