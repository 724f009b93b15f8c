"""Reports of every kind, opened: nothing said, nothing asked for, and all words where they belong."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from opened import DESKTOP, PHONE, opened
from playwright.sync_api import Browser
from reports import REPORTS

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


@pytest.mark.parametrize("name", REPORTS)
def test_report(browser: Browser, report: Callable[[str], Path], name: str) -> None:
    path = report(name)
    with opened(browser, path) as result:
        assert result.page.locator("main").count() == 1
        assert result.page.evaluate(COLLISIONS) == []
        assert result.violations() == []
        result.page.evaluate(OPEN_ALL)
        assert result.page.evaluate(COLLISIONS) == []
        assert result.page.evaluate(WRAPPED) == []
        assert result.page.evaluate(EMPTY) == []
        assert result.wider_than_screen() == []
        result.page.set_viewport_size(PHONE)
        assert result.wider_than_screen() == []
        assert result.said == []
        assert result.asked == [path.as_uri()]


def test_everybody_can_read_it(browser: Browser, demo: Path) -> None:
    """With all that was folded open, so that it is looked at."""
    with opened(browser, demo) as result:
        result.page.evaluate(OPEN_ALL)
        for screen, scheme in product((DESKTOP, PHONE), ("light", "dark")):
            result.page.set_viewport_size(screen)
            result.page.emulate_media(color_scheme=scheme)
            assert result.violations() == [], (screen, scheme)
        assert result.said == []


def test_shades_can_be_read_in_the_dark(browser: Browser, report: Callable[[str], Path]) -> None:
    with opened(browser, report("ten-classes"), color_scheme="dark") as result:
        assert result.violations() == []
