"""Labels, columns, slices and names that would like to do something: on a page they are words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from opened import PHONE, Opened, opened
from playwright.sync_api import Browser
from reports import HOSTILE, TOO_LONG

import tallymark as tm


@pytest.fixture(scope="module")
def page(browser: Browser, report: Callable[[str], Path]) -> Iterator[Opened]:
    with opened(browser, report("hostile"), viewport=PHONE) as result:
        result.page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        yield result


def test_it_does_nothing(page: Opened, report: Callable[[str], Path]) -> None:
    for _ in range(3):
        page.page.mouse.wheel(0, 2000)
    page.page.wait_for_timeout(100)
    assert page.said == []
    assert page.asked == [report("hostile").as_uri()]
    assert page.page.locator("img, iframe, object, embed, form, base").count() == 0
    assert page.page.locator("[onerror], [onload], [onclick], [style]").count() == 0
    links = page.page.evaluate(
        "[...document.querySelectorAll('[href], [src]')].map(each => each.getAttribute('href'))"
    )
    assert all(link.startswith("#") or link == "data:," for link in links), links


def test_scripts_are_those_we_wrote(page: Opened, browser: Browser, report: Callable[[str], Path]) -> None:
    scripts = "[...document.querySelectorAll('script, style')].map(each => each.textContent)"
    with opened(browser, report("label-sets")) as other:
        assert page.page.evaluate(scripts) == other.page.evaluate(scripts)


def test_words_are_seen_as_they_are(page: Opened) -> None:
    words = page.page.locator("body").inner_text()
    for label in ("<script>alert(1)</script>", "onerror=alert(1)>", "javascript:alert(1)", "{{7*7}}", "שלום"):
        assert label in words
    # What turns the direction of letters, and what ends a text for others, is shown and not sent.
    assert "\u202e" not in words
    assert "\x00" not in words
    assert "49" not in words.split("{{7*7}}")[0][-20:]


def test_it_stays_small_and_narrow(page: Opened, report: Callable[[str], Path]) -> None:
    assert page.wider_than_screen() == []
    assert report("hostile").stat().st_size < 400_000
    assert TOO_LONG[:1000] not in report("hostile").read_text(encoding="utf-8")


@pytest.mark.parametrize("label", [*HOSTILE[:4], *HOSTILE[9:]], ids=range(7))
def test_a_positive_class_with_scores(browser: Browser, tmp_path: Path, label: str) -> None:
    """A hostile name on every axis, legend and sentence of the curves."""
    path = tmp_path / "report.html"
    actual = [label, "other"] * 20
    score = [(7 * place % 40) / 40 for place in range(40)]
    tm.evaluate(actual, y_score=score, pos_label=label).save(path)
    with opened(browser, path) as result:
        assert (result.said, result.asked) == ([], [path.as_uri()])
        assert result.wider_than_screen() == []
