"""Every example of `tallymark textbook`: it agrees, and its lines to type do what they are said to do."""

import shlex
import subprocess

import pytest

from collected import each
from tallymark import textbook
from tallymark.cli import main
from tallymark.errors import MissingExtraError
from tallymark.textbook.example import Check, Example, Worked, by_mistake, printed, row_of_figures
from tallymark.textbook.working import done, summary


@pytest.fixture(scope="module")
def worked():
    """Each example, worked once."""
    kept = {}

    def work(name):
        if name not in kept:
            kept[name] = textbook.EXAMPLES[name].work()
        return kept[name]

    return work


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An empty folder: what lines need, other lines put there."""
    return tmp_path_factory.mktemp("typed")


def test_every_case_and_every_misprint_has_an_example():
    by_chapter = {4: set(), 0: set()}
    for example in textbook.EXAMPLES.values():
        by_chapter[4 if example.chapter == 4 else 0].update(example.cases)
    assert by_chapter[0] == set(textbook.CASES)
    assert by_chapter[4] == set(textbook.MISPRINTS)
    assert (len(textbook.CASES), len(textbook.MISPRINTS)) == (36, 11)


def test_examples_are_in_the_order_of_the_chapters_and_name_their_documents():
    chapters = [example.chapter for example in textbook.EXAMPLES.values()]
    assert chapters == sorted(chapters)
    assert set(chapters) == set(textbook.CHAPTERS)
    for example in textbook.EXAMPLES.values():
        assert set(example.sources) <= set(textbook.SOURCES)
        assert example.sources


@each("name", textbook.EXAMPLES)
def test_it_agrees(worked, name):
    found = worked(name)
    assert [check for check in found.checks if not check.passed] == []
    assert found.checks
    assert found.agrees
    assert found.problem
    assert found.shell
    assert found.python


@each("name", textbook.MISPRINTS)
def test_a_misprint_is_shown_to_be_one(worked, name):
    origins = {check.origin for check in worked(name).checks}
    assert "misprint" in origins
    cells = [cell for row in worked(name).given[0].rows for cell in row]
    misprint = textbook.MISPRINTS[name]
    assert [misprint["prints"], misprint["right"]] == cells[1::2]


# What the documents print, and so must the lines.
PRINTED = {
    "cost-500": ["3,910", "4,255", "0.800", "0.900"], "cost-5660": ["23,958", "16,808", "0.905", "0.888"],
    "multiclass-1564": ["0.804", "0.908", "0.924", "0.891"], "multilabel-4": ["0.742"],
    "weka-detailed-accuracy": ["0.971", "0.735", "0.860", "0.817"],
    "independent-difference": ["0.100 [-0.028, 0.228]"], "roc-10-opposite": ["20 of the 25 pairs"],
}  # fmt: skip


@each("name", textbook.EXAMPLES)
def test_the_lines_of_the_shell_work(worked, name, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    for line in worked(name).shell:
        if line.startswith("tallymark "):
            assert main(shlex.split(line)[1:]) == 0, line
        else:
            subprocess.run(["bash", "-c", line], check=True, cwd=folder)
    out = capsys.readouterr().out
    assert out
    assert [figure for figure in PRINTED.get(name, []) if figure not in out] == []


@each("name", textbook.EXAMPLES)
def test_the_lines_of_python_work(worked, name, capsys):
    exec("\n".join(worked(name).python), {})
    assert capsys.readouterr().out


# --- what a difference would look like -------------------------------------------------------------


def example(work):
    return Example("made-up", 1, "Made up", ("001_d2ca4497a4f980ca.txt",), (), work)


def test_a_difference_is_said():
    wrong = Worked("How much?", (printed("share", 0.91, 0.90512, 2), printed("rows", 5, 6)))
    assert [check.agrees for check in wrong.checks] == [True, False]
    all_done = done([example(lambda: wrong), example(lambda: wrong)])
    assert summary(all_done).endswith("NOT as they should be: made-up, made-up.")
    assert "rows" in textbook.worked_text(all_done)
    assert " NO" in textbook.worked_text(all_done)
    assert textbook.worked_form(all_done)["agrees"] is False


def test_figures_are_rounded_as_printed():
    assert printed("accuracy", 0.905, 5123 / 5660, 3, percent=True) == Check(
        "accuracy", "90.5 %", "90.5 %", True
    )
    assert row_of_figures("TPR", [0.13, 0.25], [1 / 8 + 0.001, 2 / 8], 2).agrees
    assert not row_of_figures("TPR", [0.13], [0.13, 0.2], 2).agrees


def test_what_is_printed_by_mistake_must_differ():
    assert by_mistake("half width", 0.008, 0.128).passed
    assert not by_mistake("half width", 0.128, 0.128).passed


def test_what_is_not_installed_stops_only_its_example():
    def missing():
        raise MissingExtraError("fitting needs scikit-learn.", hint="pip install 'tallymark[validate]'.")

    all_done = done([example(missing), textbook.EXAMPLES["binomial-coin"]])
    text = textbook.worked_text(all_done)
    assert all(words in text for words in ("made-up", "fitting needs scikit-learn."))
    assert "0.0419" in text
    assert textbook.worked_form(all_done)["examples"][0]["agrees"] is None
