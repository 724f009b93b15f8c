"""The page that `tallymark demo` writes, as people come to it."""

from __future__ import annotations

import csv
import re
import threading
from collections import Counter
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from opened import PHONE, Opened, opened
from playwright.sync_api import Browser

from tallymark import data

CHARTS = (
    "ROC curve",
    "Precision and recall",
    "Cumulative gains",
    "Lift",
    "Cost against the threshold",
    "Cost curve",
    "Decision curve",
    "Rejection",
    "Scores by class",
    "Calibration",
)


@pytest.fixture(scope="module")
def page(browser: Browser, demo: Path) -> Iterator[Opened]:
    """For tests that only look."""
    with opened(browser, demo) as result:
        yield result


@pytest.fixture
def fresh(browser: Browser, demo: Path) -> Iterator[Opened]:
    """For tests that change something."""
    with opened(browser, demo) as result:
        yield result


def test_it_says_nothing_and_asks_for_nothing(page: Opened, demo: Path) -> None:
    assert page.said == []
    assert page.asked == [demo.as_uri()]


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


def test_first_screen(page: Opened) -> None:
    """Title, verdict and matrices come first; the counts are those of the rows, counted here."""
    with open(data.path("breast_cancer.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert page.page.title() == page.page.locator("h1").inner_text()
    words = page.page.locator("main").inner_text()
    for model in ("tree", "bayes"):
        counts = Counter((row["actual"], float(row[f"{model}_score"]) >= 0.5) for row in rows)
        matrix = [counts["benign", False], counts["benign", True], counts["malignant", False]]
        matrix.append(counts["malignant", True])
        assert re.search(r"\b.*?\b".join(map(str, matrix)), words, re.DOTALL), (model, matrix)
    assert "569" in words


def test_sections_in_order(page: Opened) -> None:
    titles = page.page.locator("h2").all_inner_texts()
    assert titles == page.page.locator("nav a").all_inner_texts()
    words = page.page.locator("h2, h3").all_inner_texts()
    assert [title for title in words if title in CHARTS] == list(CHARTS)
    assert titles[-1] == "Method notes"


def test_every_chart_has_a_name_and_its_numbers(page: Opened) -> None:
    charts = page.page.locator("svg[role=img]")
    assert charts.count() >= 8
    named = charts.evaluate_all(
        """all => all.map(each => each.getAttribute("aria-label")
            ?? document.getElementById(each.getAttribute("aria-labelledby")).textContent)"""
    )
    assert all(name and re.search(r"\d", name) for name in named), named
    with_numbers = page.page.locator(":has(> figure):has(> details) > h3").all_inner_texts()
    assert [title for title in with_numbers if title in CHARTS] == list(CHARTS)


def test_names_of_elements_are_unique_and_links_lead_somewhere(page: Opened) -> None:
    names = page.page.evaluate("[...document.querySelectorAll('[id]')].map(each => each.id)")
    assert [name for name, count in Counter(names).items() if count > 1] == []
    links = page.page.evaluate("[...document.links].map(each => each.getAttribute('href'))")
    assert {link for link in links if link.startswith("#")} <= {f"#{name}" for name in names}


def test_no_script_of_another_runs(fresh: Opened) -> None:
    fresh.page.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "window.ran = true";
            document.body.append(script);
            document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.ran = true'>");
            document.body.insertAdjacentHTML("beforeend", "<p id=styled style='color: red'>words");
        }"""
    )
    fresh.page.wait_for_timeout(50)
    assert fresh.page.evaluate("window.ran") is None
    assert fresh.page.evaluate("getComputedStyle(styled).color") != "rgb(255, 0, 0)"
    assert all("Content Security Policy" in message for message in fresh.said)


def test_keyboard(fresh: Opened) -> None:
    """Tab goes through the skip link, the contents, folded blocks and tables that scroll, and shows where."""
    page = fresh.page
    wanted = "a[href], summary, [tabindex='0']"
    count = page.locator(wanted).count()
    reached = []
    for _ in range(count):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                """wanted => {
                    const focused = document.activeElement;
                    return [
                        [...document.querySelectorAll(wanted)].indexOf(focused),
                        getComputedStyle(focused).outlineStyle,
                        focused.getBoundingClientRect().width > 0,
                    ];
                }""",
                wanted,
            )
        )
    shown = page.locator(wanted).evaluate_all(
        "all => all.flatMap((each, index) => each.checkVisibility() ? [index] : [])"
    )
    places = [place for place, _, _ in reached]
    assert places[0] == 0
    assert set(shown) <= set(places), page.locator(wanted).nth(min(set(shown) - set(places))).inner_text()
    assert all(outline != "none" and seen for place, outline, seen in reached if place >= 0), reached
    page.locator("details > summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("details").first.get_attribute("open") is not None


def test_skip_link_leads_past_the_contents(fresh: Opened) -> None:
    fresh.page.keyboard.press("Tab")
    fresh.page.keyboard.press("Enter")
    fresh.page.keyboard.press("Tab")
    assert fresh.page.evaluate("document.querySelector('main').contains(document.activeElement)")


def test_without_scripts_everything_is_there(browser: Browser, demo: Path, page: Opened) -> None:
    with opened(browser, demo, java_script_enabled=False) as plain:
        # With scripts there is one section more, the one to try thresholds in.
        without, with_scripts = (each.page.locator("body").inner_text() for each in (plain, page))
        assert set(without.splitlines()) <= set(with_scripts.splitlines())
        summary = plain.page.locator("summary").first
        below = plain.page.locator("details").first.locator(":scope > :not(summary)").first
        assert not below.is_visible()
        plain.page.emulate_media(media="print")
        assert below.is_visible()
        plain.page.emulate_media(media="screen")
        summary.click()
        assert below.is_visible()


def test_without_styles_it_still_reads(fresh: Opened) -> None:
    page = fresh.page
    page.evaluate("document.querySelectorAll('style, link[rel=stylesheet]').forEach(each => each.remove())")
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
    assert all(100 <= width <= 1300 and 50 <= height <= 1300 for width, height in sizes), sizes


def test_print_opens_what_is_folded_and_closes_it_again(fresh: Opened) -> None:
    page = fresh.page
    page.locator("details > summary").first.click()
    is_open = "[...document.querySelectorAll('details')].map(each => each.open)"
    before = page.evaluate(is_open)
    assert True in before
    assert False in before
    page.evaluate(f"() => addEventListener('beforeprint', () => window.printed = {is_open})")
    paper = page.pdf(format="A4", print_background=True)
    assert all(page.evaluate("window.printed"))
    assert page.evaluate(is_open) == before
    assert 3 <= len(re.findall(rb"/Type\s*/Page\b", paper)) <= 40
    assert fresh.said == []


def test_on_paper_it_is_dark_on_white_and_without_contents(browser: Browser, demo: Path) -> None:
    with opened(browser, demo, color_scheme="dark") as result:
        result.page.emulate_media(media="print", color_scheme="dark")
        assert result.page.evaluate("getComputedStyle(document.body).color") in (
            "rgb(0, 0, 0)",
            "rgb(26, 26, 26)",
        )
        assert not result.page.locator("nav").is_visible()


def test_dark(browser: Browser, demo: Path, page: Opened) -> None:
    colours = """() => ["body", "svg .s0.l", "svg .mute", "th"].flatMap(selector => {
        const style = getComputedStyle(document.querySelector(selector));
        return [style.backgroundColor, style.color, style.stroke, style.fill].join();
    })"""
    with opened(browser, demo, color_scheme="dark") as dark:
        for light_colour, dark_colour in zip(
            page.page.evaluate(colours), dark.page.evaluate(colours), strict=True
        ):
            assert light_colour != dark_colour
        red, green, blue = map(
            int,
            re.findall(
                r"\d+", dark.page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
            )[:3],
        )
        assert max(red, green, blue) < 60


def test_phone(browser: Browser, demo: Path) -> None:
    with opened(browser, demo, viewport=PHONE) as phone:
        assert phone.wider_than_screen() == []
        phone.page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        assert phone.wider_than_screen() == []
        sizes = phone.page.locator("svg[role=img]").evaluate_all(
            "all => all.map(each => each.getBoundingClientRect().width)"
        )
        assert min(sizes) >= 250
