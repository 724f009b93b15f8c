"""Long tables are sorted by every column and searched, with the mouse and with the keyboard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from opened import PHONE, Opened, opened
from playwright.sync_api import Browser, Locator

from tallymark.drawing import Column, Document, Section, Table
from tallymark.drawing.html import page

pytestmark = pytest.mark.xdist_group("browser")

# Equal numbers, numbers of a thousand and more, and one that is not there.
ROWS = (
    ("cat", "1,200", "0.500 [0.400, 0.600]"),
    ("Dog 10", "30", "?"),
    ("dog 9", "30", "1.2e-07 [0.000, 0.100]"),
    ("<b>ant</b>", "7", "-0.250"),
    ("emu", "45", "0.500 [0.100, 0.900]"),
)
COLUMNS = (Column("class", "left"), Column("rows"), Column("mcc"))
AS_IT_CAME = [row[0] for row in ROWS]
SMALL = page(Document("", (Section("", (Table(COLUMNS, ROWS, "As it came", searched=True),)),)))


@pytest.fixture(scope="module")
def small(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    path = tmp_path_factory.mktemp("tables") / "small.html"
    path.write_text(SMALL, encoding="utf-8")
    with opened(browser, path) as result:
        yield result
        assert result.said == []


def head(found: Opened, title: str) -> Locator:
    return found.page.locator(".searched").get_by_role("columnheader", name=title, exact=True)


def clicked(found: Opened, title: str) -> tuple[list[str], str | None]:
    """The names of the rows after a click on a heading, and what the heading says of their order."""
    head(found, title).get_by_role("button").click()
    return names(found), head(found, title).get_attribute("aria-sort")


def names(found: Opened) -> list[str]:
    return [name.strip() for name in found.page.locator(".searched tbody tr:visible th").all_inner_texts()]


def test_numbers_are_sorted_by_value_and_what_has_none_is_last(small: Opened) -> None:
    up = ["<b>ant</b>", "Dog 10", "dog 9", "emu", "cat"]
    assert clicked(small, "rows") == (up, "ascending")
    assert clicked(small, "rows") == (["cat", "emu", "Dog 10", "dog 9", "<b>ant</b>"], "descending")
    assert clicked(small, "mcc") == (["<b>ant</b>", "dog 9", "cat", "emu", "Dog 10"], "ascending")
    assert head(small, "rows").get_attribute("aria-sort") is None
    assert not small.page.locator("caption").is_visible()
    assert clicked(small, "mcc") == (["cat", "emu", "dog 9", "<b>ant</b>", "Dog 10"], "descending")
    assert clicked(small, "mcc") == (AS_IT_CAME, None)
    assert small.page.locator("caption").is_visible()


def test_names_are_sorted_as_people_do_with_the_keyboard_too(small: Opened) -> None:
    head(small, "class").get_by_role("button").focus()
    small.page.keyboard.press("Enter")
    assert names(small) == ["<b>ant</b>", "cat", "dog 9", "Dog 10", "emu"]
    small.page.keyboard.press("Space")
    assert names(small) == ["emu", "Dog 10", "dog 9", "cat", "<b>ant</b>"]
    small.page.keyboard.press("Space")
    assert names(small) == AS_IT_CAME


def test_a_row_is_found_by_its_name_and_escape_shows_all_again(small: Opened) -> None:
    field, said = small.page.get_by_label("Find a class"), small.page.get_by_role("status")
    assert said.inner_text() == "5 classes"
    field.press_sequentially("DOG")
    assert (names(small), said.inner_text()) == (["Dog 10", "dog 9"], "2 of 5 classes")
    # What is sorted stays searched.
    assert clicked(small, "class")[0] == ["dog 9", "Dog 10"]
    field.fill("0.5")
    assert (names(small), said.inner_text()) == ([], "0 of 5 classes")
    field.press("Escape")
    assert said.inner_text() == "5 classes"
    assert len(names(small)) == 5
    assert small.violations() == []


@pytest.fixture(scope="module")
def thousand(browser: Browser, report: Callable[[str], Path]) -> Iterator[Opened]:
    with opened(browser, report("thousand-classes"), viewport=PHONE) as result:
        yield result


def test_a_thousand_classes_are_all_there(thousand: Opened) -> None:
    assert thousand.page.locator(".searched tbody tr").count() == 1_000
    assert thousand.page.get_by_role("status").inner_text() == "1,000 classes"
    thousand.page.get_by_label("Find a class").fill("99")
    # 99, 199 to 899, and 990 to 999.
    assert thousand.page.get_by_role("status").inner_text() == "19 of 1,000 classes"
    found, way = clicked(thousand, "class")
    assert (found[0], found[-1], way) == ("99", "999", "ascending")
    assert thousand.wider_than_screen() == []
    assert thousand.said == []


def test_without_scripts_there_is_nothing_to_press(browser: Browser, report: Callable[[str], Path]) -> None:
    with opened(browser, report("thousand-classes"), java_script_enabled=False) as result:
        assert result.page.get_by_label("Find a class").count() == 0
        assert result.page.get_by_role("button").count() == 0
        assert result.page.locator("tbody tr:visible").count() >= 1_000


def test_the_script_is_small_and_only_where_it_is_needed() -> None:
    plain = page(Document("", (Section("", (Table(COLUMNS, ROWS),)),)))
    assert 1_000 < len(SMALL) - len(plain) <= 3_000
    assert "searched" not in plain
