"""Pages opened: nothing is logged or requested, all words are where they belong, all can use them."""

from __future__ import annotations

import csv
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opened import DESKTOP, PHONE, NoBrowser, Opened, opened, program
from playwright.sync_api import Browser, Locator
from reports import HOSTILE, REPORTS, TOO_LONG

import tallymark as tm
from collected import each
from tallymark import data
from tallymark import drawing as td

Report = Callable[[str], Path]

CHARTS = [
    "ROC curve", "Precision and recall", "Cumulative gains", "Lift", "Cost against the threshold",
    "Cost curve", "Decision curve", "Rejection", "Scores by class", "Calibration",
]  # fmt: skip
OPEN_ALL = "document.querySelectorAll('details').forEach(each => each.open = true)"
# Boxes of words are higher than the words: room for accents and for the tails of letters. What stands behind
# words hides what was drawn before it, so words there are covered.
COLLISIONS = """() => [...document.querySelectorAll("svg[role=img]")].flatMap(svg => {
    const frame = svg.getBoundingClientRect(), unit = frame.width / svg.viewBox.baseVal.width;
    const name = svg.closest("figure").textContent.slice(-60), wrong = [], before = [];
    const meet = (one, other) =>
        Math.min(one.right, other.right) - Math.max(one.left, other.left) > unit &&
        Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > unit;
    for (const mark of svg.querySelectorAll("text, .paper")) {
        const box = mark.getBoundingClientRect(), words = mark.textContent.trim();
        const upright = box.height > box.width && words.length > 2;
        const [x, y] = upright ? [2 * unit, 0] : [0, 2 * unit];
        const place = {left: box.left + x, right: box.right - x, top: box.top + y, bottom: box.bottom - y};
        for (const [other, others] of before)
            if (meet(place, other)) wrong.push(`${name}: ${words || "a box"} over ${others}`);
        if (!words) continue;
        before.push([place, words]);
        if (box.left < frame.left - 3 * unit || box.right > frame.right + 3 * unit ||
            box.top < frame.top - 3 * unit || box.bottom > frame.bottom + 3 * unit)
            wrong.push(`${name}: ${words} leaves the picture`);
    }
    return wrong;
})"""
WRAPPED = """() => [...document.querySelectorAll("td, th")].flatMap(cell => {
    const words = document.createRange();
    words.selectNodeContents(cell);
    const tops = [...words.getClientRects()].filter(box => box.width).map(box => box.bottom);
    const is_number = /^[-−+\\d][\\d.,]*( \\[.*\\])?$/.test(cell.textContent);
    return is_number && Math.max(...tops) - Math.min(...tops) > 8 ? [cell.textContent] : [];
})"""
EMPTY = """[...document.querySelectorAll("h2, h3, h4, p, pre, li, dt, summary, caption, figcaption, section")]
    .filter(each => !each.textContent.trim()).map(each => each.parentElement.textContent.slice(0, 99))"""


# --- reports of every kind -----------------------------------------------------------------------


@each("name", REPORTS)
def test_reports(browser: Browser, report: Report, name: str, pytestconfig: pytest.Config) -> None:
    path = report(name)
    colourful = name in ("demo", "ten-classes", "three-models", "validation")
    with opened(browser, path) as result:
        page = result.page
        assert page.locator("main").count() == 1
        assert page.evaluate(COLLISIONS) == []
        assert result.violations(colours=colourful or pytestconfig.option.thorough) == []
        page.evaluate(OPEN_ALL)
        assert page.evaluate(COLLISIONS) == []
        assert page.evaluate(WRAPPED) == []
        assert page.evaluate(EMPTY) == []
        assert result.wider_than_screen() == []
        if name == "demo":
            # With all that was folded open, so that it is looked at.
            for screen, scheme in ((DESKTOP, "dark"), (PHONE, "light")):
                page.set_viewport_size(screen)
                page.emulate_media(color_scheme=scheme)
                assert result.violations() == [], (screen, scheme)
            sizes = page.locator("svg[role=img]").evaluate_all("all => all.map(each => each.clientWidth)")
            assert min(sizes) >= 250
        if name == "ten-classes":
            page.emulate_media(color_scheme="dark")
            assert result.violations() == []
        page.set_viewport_size(PHONE)
        assert result.wider_than_screen() == []
        assert (result.said, result.asked) == ([], [path.as_uri()])


# --- the page of the demo ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def demo_page(browser: Browser, demo: Path) -> Iterator[Opened]:
    """For tests that only look."""
    with opened(browser, demo) as result:
        yield result


def test_the_page_of_the_demo(demo_page: Opened) -> None:
    """Title, verdict and matrices come first; the counts are those of the rows, counted here."""
    page = demo_page.page
    with open(data.path("breast_cancer.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert page.title() == page.locator("h1").inner_text()
    words = page.locator("main").inner_text()
    assert "569" in words
    for model in ("tree", "bayes"):
        counts = Counter((row["actual"], float(row[f"{model}_score"]) >= 0.5) for row in rows)
        matrix = [counts[actual, called] for actual in ("benign", "malignant") for called in (False, True)]
        assert re.search(r"\b.*?\b".join(map(str, matrix)), words, re.DOTALL), (model, matrix)
    titles = page.locator("h2").all_inner_texts()
    assert titles == page.locator("nav a").all_inner_texts()
    assert titles[-1] == "Method notes"
    assert [title for title in page.locator("h2, h3").all_inner_texts() if title in CHARTS] == CHARTS
    named = page.locator("svg[role=img]").evaluate_all(
        """all => all.map(each => each.getAttribute("aria-label")
            ?? document.getElementById(each.getAttribute("aria-labelledby")).textContent)"""
    )
    assert len(named) >= 8
    assert all(name and re.search(r"\d", name) for name in named), named
    with_numbers = page.locator(":has(> figure):has(> details) > h3").all_inner_texts()
    assert [title for title in with_numbers if title in CHARTS] == CHARTS
    names = page.evaluate("[...document.querySelectorAll('[id]')].map(each => each.id)")
    assert len(names) == len(set(names))
    links = page.evaluate("[...document.links].map(each => each.getAttribute('href'))")
    assert {link for link in links if link.startswith("#")} <= {f"#{name}" for name in names}


def test_it_is_the_same_from_a_server(browser: Browser, demo: Path) -> None:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(demo.parent))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/{demo.name}"
        with opened(browser, address) as result:
            assert result.page.locator("h1").count() == 1
            assert (result.said, result.asked) == ([], [address])
        server.shutdown()


def test_keyboard(browser: Browser, demo: Path) -> None:
    """Tab goes through the skip link, the contents, folded blocks and tables that scroll, and shows where."""
    wanted = "a[href], summary, [tabindex='0']"
    with opened(browser, demo) as result:
        page, reached = result.page, []
        for _ in range(page.locator(wanted).count()):
            page.keyboard.press("Tab")
            focused = """wanted => {
                const focused = document.activeElement;
                return [
                    [...document.querySelectorAll(wanted)].indexOf(focused),
                    getComputedStyle(focused).outlineStyle,
                    focused.getBoundingClientRect().width > 0,
                ];
            }"""
            reached.append(page.evaluate(focused, wanted))
        shown = page.locator(wanted).evaluate_all(
            "all => all.flatMap((each, index) => each.checkVisibility() ? [index] : [])"
        )
        places = [place for place, _, _ in reached]
        assert places[0] == 0
        assert set(shown) <= set(places)
        assert all(outline != "none" and seen for place, outline, seen in reached if place >= 0), reached
        page.locator("details > summary").first.focus()
        page.keyboard.press("Enter")
        assert page.locator("details").first.get_attribute("open") is not None
        # The skip link leads past the contents.
        page.locator(wanted).first.focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


def test_without_scripts_everything_is_there(browser: Browser, demo: Path, demo_page: Opened) -> None:
    with opened(browser, demo, java_script_enabled=False) as plain:
        # With scripts there is one section more, the one to try thresholds in.
        without, with_scripts = (one.page.locator("body").inner_text() for one in (plain, demo_page))
        assert set(without.splitlines()) <= set(with_scripts.splitlines())
        below = plain.page.locator("details").first.locator(":scope > :not(summary)").first
        assert not below.is_visible()
        plain.page.emulate_media(media="print")
        assert below.is_visible()
        plain.page.emulate_media(media="screen")
        plain.page.locator("summary").first.click()
        assert below.is_visible()


def test_print_and_colours(browser: Browser, demo: Path, demo_page: Opened) -> None:
    """On paper all is open, dark on white; in the dark every colour is another one."""
    colours = """() => ["body", "svg .s0.l", "svg .mute", "th"].flatMap(selector => {
        const style = getComputedStyle(document.querySelector(selector));
        return [style.backgroundColor, style.color, style.stroke, style.fill].join();
    })"""
    with opened(browser, demo, color_scheme="dark") as result:
        page = result.page
        pairs = zip(demo_page.page.evaluate(colours), page.evaluate(colours), strict=True)
        assert all(light != dark for light, dark in pairs)
        back = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        assert max(map(int, re.findall(r"\d+", back)[:3])) < 60
        page.locator("details > summary").first.click()
        is_open = "[...document.querySelectorAll('details')].map(each => each.open)"
        before = page.evaluate(is_open)
        assert {True, False} == set(before)
        page.evaluate(f"() => addEventListener('beforeprint', () => window.printed = {is_open})")
        paper = page.pdf(format="A4", print_background=True)
        assert all(page.evaluate("window.printed"))
        assert page.evaluate(is_open) == before
        assert 3 <= len(re.findall(rb"/Type\s*/Page\b", paper)) <= 40
        page.emulate_media(media="print", color_scheme="dark")
        ink = page.evaluate("getComputedStyle(document.body).color")
        assert max(map(int, re.findall(r"\d+", ink)[:3])) < 60
        assert not page.locator("nav").is_visible()
        assert result.said == []


def test_no_script_of_another_runs_and_without_styles_it_still_reads(browser: Browser, demo: Path) -> None:
    with opened(browser, demo) as result:
        page = result.page
        page.evaluate(
            """() => {
                const script = document.createElement("script");
                script.textContent = "window.ran = true";
                document.body.append(script);
                document.body.insertAdjacentHTML("beforeend", "<p id=styled style='color: red'>words");
                document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.ran = true'>");
                return new Promise(done => document.body.lastChild.addEventListener("error", () => done()));
            }"""
        )
        assert page.evaluate("window.ran") is None
        assert page.evaluate("getComputedStyle(styled).color") != "rgb(255, 0, 0)"
        assert {"Content Security Policy" in message for message in result.said} == {True}, result.said
        page.evaluate(
            "document.querySelectorAll('style, link[rel=stylesheet]').forEach(each => each.remove())"
        )
        words = page.locator("body").inner_text()
        first, *others = page.locator("h2").all_inner_texts()
        places = [words.index(page.locator("h1").inner_text()), *map(words.rindex, (first, *others))]
        assert places == sorted(places)
        strokes = page.locator("svg .l").evaluate_all("all => all.map(each => getComputedStyle(each).stroke)")
        assert strokes
        assert "none" not in strokes
        sizes = page.locator("svg[role=img]").evaluate_all(
            "all => all.map(each => each.getBoundingClientRect()).map(box => [box.width, box.height])"
        )
        assert {100 <= width <= 1300 and 50 <= height <= 1300 for width, height in sizes} == {True}, sizes


# --- hostile names -------------------------------------------------------------------------------


def test_hostile_names_are_words(browser: Browser, report: Report) -> None:
    path = report("hostile")
    scripts = "[...document.querySelectorAll('script, style')].map(each => each.textContent)"
    with opened(browser, path, viewport=PHONE) as result, opened(browser, report("label-sets")) as other:
        page = result.page
        page.evaluate(OPEN_ALL)
        for _ in range(3):
            page.mouse.wheel(0, 2000)
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert (result.said, result.asked) == ([], [path.as_uri()])
        assert page.locator("img, iframe, object, embed, form, base").count() == 0
        assert page.locator("[onerror], [onload], [onclick], [style]").count() == 0
        links = page.evaluate(
            "[...document.querySelectorAll('[href], [src]')].map(each => each.getAttribute('href'))"
        )
        assert all(link.startswith("#") or link == "data:," for link in links), links
        assert page.evaluate(scripts) == other.page.evaluate(scripts)
        words = page.locator("body").inner_text()
        told = ("<script>alert(1)</script>", "onerror=alert(1)>", "javascript:alert(1)", "{{7*7}}", "שלום")
        assert [label for label in told if label not in words] == []
        # What turns the direction of letters, and what ends a text for others, is shown and not sent.
        assert not {"\u202e", "\x00"} & set(words)
        assert "49" not in words.split("{{7*7}}")[0][-20:]
        assert result.wider_than_screen() == []
    assert path.stat().st_size < 400_000
    assert TOO_LONG[:1000] not in path.read_text(encoding="utf-8")


def test_a_hostile_positive_class_with_scores(browser: Browser, tmp_path: Path) -> None:
    """On every axis, legend and sentence of the curves."""
    score = [(7 * place % 40) / 40 for place in range(40)]
    for number, label in enumerate([*HOSTILE[:4], *HOSTILE[9:]]):
        path = tmp_path / f"{number}.html"
        tm.evaluate([label, "other"] * 20, y_score=score, pos_label=label).save(path)
        with opened(browser, path) as result:
            assert (result.said, result.asked) == ([], [path.as_uri()]), label
            assert result.wider_than_screen() == [], label


# --- in a notebook -------------------------------------------------------------------------------

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


def test_a_notebook_is_not_changed_and_its_theme_is_followed(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "notebook.html"
    path.write_text(HOST, encoding="utf-8")
    rows: dict[str, Any] = {"actual": "actual", "score": "tree_score", "pos_label": "malignant"}
    tree = tm.evaluate(data.path("breast_cancer.csv"), **rows)
    put = "([place, html]) => document.getElementById(place).innerHTML = html"
    with opened(browser, path) as result:
        page = result.page
        before = page.evaluate(OWN)
        for place, made in (("first", tree.roc), ("second", tree)):
            page.evaluate(put, [place, made._repr_mimebundle_()["text/html"]])
        page.evaluate("document.getElementById('first').style.height = '0'")
        assert page.evaluate(OWN) == before
        names = page.evaluate("[...document.querySelectorAll('[id]')].map(each => each.id)")
        assert len(set(names)) == len(names)
        page.evaluate("document.getElementById('first').style.height = ''")
        page.evaluate(put, ["second", ""])
        line = "getComputedStyle(document.querySelector('#first svg .s0.l')).stroke"
        light = page.evaluate(line)
        assert result.violations() == []
        page.evaluate("document.body.dataset.jpThemeLight = 'false'")
        assert page.evaluate(line) != light
        assert result.violations() == []
        page.evaluate("document.body.dataset.jpThemeLight = 'true'")
        page.emulate_media(color_scheme="dark")
        assert page.evaluate(line) == light
        assert (result.said, len(result.asked)) == ([], 1)


# --- long tables ---------------------------------------------------------------------------------

# Equal numbers, numbers of a thousand and more, and one that is not there.
ROWS = (
    ("cat", "1,200", "0.500 [0.400, 0.600]"),
    ("Dog 10", "30", "?"),
    ("dog 9", "30", "1.2e-07 [0.000, 0.100]"),
    ("<b>ant</b>", "7", "-0.250"),
    ("emu", "45", "0.500 [0.100, 0.900]"),
)
AS_IT_CAME = [row[0] for row in ROWS]


def table(searched: bool) -> str:
    columns = (td.Column("class", "left"), td.Column("rows"), td.Column("mcc"))
    found = td.Table(columns, ROWS, "As it came", searched=searched)
    return td.drawn(lambda: td.Document("", (td.Section("", (found,)),)))[".html"]()


def head(found: Opened, title: str) -> Locator:
    return found.page.locator(".searched").get_by_role("columnheader", name=title, exact=True)


def clicked(found: Opened, title: str) -> tuple[list[str], str | None]:
    """The names of the rows after a click on a heading, and the order that the heading tells."""
    head(found, title).get_by_role("button").click()
    return names(found), head(found, title).get_attribute("aria-sort")


def names(found: Opened) -> list[str]:
    return [name.strip() for name in found.page.locator(".searched tbody tr:visible th").all_inner_texts()]


def test_long_tables_are_sorted_and_searched(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "small.html"
    path.write_text(table(True), encoding="utf-8")
    assert 1_000 < len(table(True)) - len(table(False)) <= 3_000
    assert "searched" not in table(False)
    with opened(browser, path) as small:
        # Numbers by their value, and what has none is last.
        up = ["<b>ant</b>", "Dog 10", "dog 9", "emu", "cat"]
        assert clicked(small, "rows") == (up, "ascending")
        assert clicked(small, "rows") == (["cat", "emu", "Dog 10", "dog 9", "<b>ant</b>"], "descending")
        assert clicked(small, "mcc") == (["<b>ant</b>", "dog 9", "cat", "emu", "Dog 10"], "ascending")
        assert head(small, "rows").get_attribute("aria-sort") is None
        assert not small.page.locator("caption").is_visible()
        assert clicked(small, "mcc") == (["cat", "emu", "dog 9", "<b>ant</b>", "Dog 10"], "descending")
        assert clicked(small, "mcc") == (AS_IT_CAME, None)
        assert small.page.locator("caption").is_visible()
        # Names as people do, with the keyboard too.
        head(small, "class").get_by_role("button").focus()
        orders = []
        for key in ("Enter", "Space", "Space"):
            small.page.keyboard.press(key)
            orders.append(names(small))
        named = ["<b>ant</b>", "cat", "dog 9", "Dog 10", "emu"]
        assert orders == [named, named[::-1], AS_IT_CAME]
        # What is sorted stays searched; Escape shows all again.
        field, said = small.page.get_by_label("Find a class"), small.page.get_by_role("status")
        assert said.inner_text() == "5 classes"
        field.press_sequentially("DOG")
        assert (names(small), said.inner_text()) == (["Dog 10", "dog 9"], "2 of 5 classes")
        assert clicked(small, "class")[0] == ["dog 9", "Dog 10"]
        field.fill("0.5")
        assert (names(small), said.inner_text()) == ([], "0 of 5 classes")
        field.press("Escape")
        assert (len(names(small)), said.inner_text()) == (5, "5 classes")
        assert small.violations() == []
        assert small.said == []


def test_a_table_of_a_thousand_classes(browser: Browser, report: Report) -> None:
    with opened(browser, report("thousand-classes"), viewport=PHONE) as thousand:
        page = thousand.page
        assert page.locator(".searched tbody tr").count() == 1_000
        assert page.get_by_role("status").inner_text() == "1,000 classes"
        page.get_by_label("Find a class").fill("99")
        # 99, 199 to 899, and 990 to 999.
        assert page.get_by_role("status").inner_text() == "19 of 1,000 classes"
        found, way = clicked(thousand, "class")
        assert (found[0], found[-1], way) == ("99", "999", "ascending")
        assert (thousand.wider_than_screen(), thousand.said) == ([], [])
    with opened(browser, report("thousand-classes"), java_script_enabled=False) as plain:
        assert plain.page.get_by_label("Find a class").count() == 0
        assert plain.page.get_by_role("button").count() == 0
        assert plain.page.locator("tbody tr:visible").count() >= 1_000


def test_without_a_browser_the_tests_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are not left out. Ubuntu's chromium-browser may be a note that tells where to get it."""
    for path in ("/nowhere/chromium", "false"):
        monkeypatch.setenv("CHROMIUM", path)
        with pytest.raises(NoBrowser):
            program()
