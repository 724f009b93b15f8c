"""What a notebook shows, in a page that is not ours: it changes nothing but itself, and follows the theme."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from opened import Opened, opened
from playwright.sync_api import Browser

import tallymark as tm
from tallymark import data

HOST = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Notebook</title>
<link rel="icon" href="data:,">
<style>
body { font: 14px serif; background: var(--back, white); color: var(--fore, black); }
a { color: inherit; }
[data-jp-theme-light=false] { --back: #111; --fore: #eee; }
</style>
<body data-jp-theme-light="true"><main>
<h1>Notebook</h1><h2>Part</h2><p>Words <a href="#first">linked</a>
<table><tr><th>A<td>1</table><pre>code</pre><details><summary>more</summary>text</details>
<svg width="9" height="9"><rect class="s0 f h1 ink" width="9" height="9"/></svg>
<div id="first"></div><div id="second"></div>
</main>"""
OWN = """() => [...document.querySelectorAll("main > :not(div), main > :not(div) *")].map(element => {
    const style = getComputedStyle(element);
    return [...style].map(name => name + style.getPropertyValue(name)).join();
})"""


@pytest.fixture
def notebook(browser: Browser, tmp_path: Path) -> Iterator[Opened]:
    path = tmp_path / "notebook.html"
    path.write_text(HOST, encoding="utf-8")
    with opened(browser, path) as result:
        yield result


def shown() -> tuple[str, str]:
    path = data.path("breast_cancer.csv")
    tree, bayes = (
        tm.evaluate(path, actual="actual", score=f"{model}_score", pos_label="malignant")
        for model in ("tree", "bayes")
    )
    first, second = tree._repr_mimebundle_(), bayes.roc._repr_mimebundle_()
    return first["text/html"], second["text/html"]


def test_two_of_them_leave_the_notebook_alone(notebook: Opened) -> None:
    page = notebook.page
    before = page.evaluate(OWN)
    for place, fragment in zip(("first", "second"), shown(), strict=True):
        assert "<script" not in fragment
        page.evaluate("([place, html]) => document.getElementById(place).innerHTML = html", [place, fragment])
    page.evaluate("document.getElementById('first').style.height = '0'")
    assert page.locator("#first svg, #second svg").count() >= 1
    assert page.evaluate(OWN) == before
    names = page.evaluate("[...document.querySelectorAll('[id]')].map(each => each.id)")
    assert len(set(names)) == len(names)
    assert notebook.said == []
    assert len(notebook.asked) == 1


def test_it_follows_the_theme_of_the_notebook(notebook: Opened) -> None:
    page = notebook.page
    page.evaluate("html => document.getElementById('first').innerHTML = html", shown()[1])
    line = "getComputedStyle(document.querySelector('#first svg .s0.l')).stroke"
    light = page.evaluate(line)
    assert notebook.violations() == []
    page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    assert page.evaluate(line) != light
    assert notebook.violations() == []
    page.evaluate("document.body.dataset.jpThemeLight = 'true'")
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(line) == light
