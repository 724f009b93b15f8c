"""A piece of a notebook touches nothing but itself, and follows the notebook's colours."""

from __future__ import annotations

import re

import numpy as np

from parsed_pages import Page
from tallymark.drawing import Axis, Document, Figure, Line, Panel, Paragraph, Picture, Section
from tallymark.drawing.html import fragment

_ENDS = np.array([0.0, 1.0])
_FIGURE = Figure((Panel(Axis("share"), Axis("recall"), (Line(_ENDS, _ENDS, "gains"),)),))


def _made(words: str) -> str:
    return fragment(Document("Title", (Section("Part", (Paragraph(words), Picture("Gains", _FIGURE))),)))


def _style(made: str) -> str:
    (style,) = re.findall("<style>(.*?)</style>", made, re.DOTALL)
    return str(style)


def test_it_is_one_element_without_script() -> None:
    made = Page(_made("One."))
    made.assert_inert()
    assert made.elements[0][0] == "div"
    assert re.fullmatch(r"tallymark-[0-9a-f]{8}", str(made.elements[0][1]["class"]))
    assert not made.all("script")
    assert [tag for tag, _ in made.elements if re.fullmatch(r"h\d", tag)] == ["h3", "h4", "h5"]


def test_every_rule_is_for_it_alone() -> None:
    made = _made("One.")
    name = Page(made).elements[0][1]["class"]
    rules = re.sub(r"@media[^{]*\{", "", _style(made))
    selectors = [one for found in re.findall(r"([^{}]+)\{[^{}]*\}", rules) for one in found.split(",")]
    notebook = r"(?:(?:html|body)\S* )*"
    assert len(selectors) > 50
    assert all(re.match(rf"{notebook}\.{name}(?![\w-])", selector) for selector in selectors)


def test_two_on_one_page_have_names_of_their_own() -> None:
    one, two = Page(_made("One.")), Page(_made("Two."))
    assert one.elements[0][1]["class"] != two.elements[0][1]["class"]
    ids = [{attributes["id"] for _, attributes in made.elements if "id" in attributes} for made in (one, two)]
    assert not ids[0] & ids[1]
    assert _made("One.") == _made("One.")


def test_it_is_dark_where_the_notebook_is() -> None:
    style = _style(_made("One."))
    light, dark = "--s0:#0072b2", "--s0:#56b4e9"
    assert style.index(light) < style.index(dark)
    for said in ('body[data-jp-theme-light="false"] .', "body.vscode-dark .", "html[theme=dark] ."):
        assert re.search(rf"{re.escape(said)}[^{{}}]*{{[^}}]*{dark}", style)
    (asked,) = re.findall(r"@media screen and \(prefers-color-scheme:dark\)\{([^{]*)\{", style)
    assert ":not([data-jp-theme-light])" in asked
    assert ":not([theme])" in asked


def test_nothing_is_painted_over_a_notebook_whose_colour_is_not_known() -> None:
    style = _style(_made("One."))
    assert re.search(r"html\[theme=dark\] \S*\{color-scheme:dark\}", style)
    (last,) = re.findall(r"[^{}]*tbody th\{(background:[^}]*)\}(?!.*tbody th\{background)", style)
    assert last == "background:none"
