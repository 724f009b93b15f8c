"""Pictures of the reports that the browser tests open, for people who look at how they look.

Run from anywhere: `python tools/screenshots.py FOLDER [NAME ...]` makes them of all reports, or of those that
are named: light, dark, on a phone, on paper and without scripts or styles. `python tools/screenshots.py
--readme` renews the two in docs/pictures. Needs the dev group and Chromium (`make browser`).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "browser"))

from opened import DESKTOP, PHONE, launched, opened
from reports import REPORTS

ROOT = Path(__file__).parents[1]
LOOKS: dict[str, dict[str, Any]] = {
    "light": {},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": PHONE},
    "noscript": {"java_script_enabled": False},
    "nostyle": {},
    "open": {},
    "print": {"viewport": {"width": 794, "height": 1123}},
}
TALLEST = 12_000


def prepare(page: Page, look: str) -> None:
    if look == "nostyle":
        page.evaluate("document.querySelectorAll('style').forEach(each => each.remove())")
    if look in ("open", "print"):
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    if look == "print":
        page.emulate_media(media="print")


def take(browser: Browser, name: str, path: Path, folder: Path) -> None:
    """One picture for each look, and the paper as PDF."""
    for look, options in LOOKS.items():
        with opened(browser, path, **options) as result:
            prepare(result.page, look)
            wide = result.page.viewport_size or DESKTOP
            height = min(TALLEST, result.page.evaluate("document.documentElement.scrollHeight"))
            result.page.set_viewport_size({"width": wide["width"], "height": height})
            result.page.screenshot(path=folder / f"{name}-{look}.png")
            if look == "light":
                result.page.pdf(path=folder / f"{name}.pdf", format="A4", print_background=True)
            for message in result.said:
                print(f"{name}, {look}: {message}")


def compress(path: Path) -> None:
    """A palette is enough for words and lines."""
    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    small.save(path, optimize=True)


def for_readme(browser: Browser, demo: Path) -> None:
    """The first screen in light, and the part that answers in dark."""
    pictures = ROOT / "docs" / "pictures"
    pictures.mkdir(exist_ok=True)
    screen = {"width": 1200, "height": 900}
    with opened(browser, demo, viewport=screen) as result:
        result.page.screenshot(path=pictures / "report-light.png")
    with opened(browser, demo, viewport=screen, color_scheme="dark") as result:
        result.page.get_by_role("button", name="Cheapest").click()
        result.page.get_by_role("heading", name="Try a threshold").evaluate("each => each.scrollIntoView()")
        result.page.screenshot(path=pictures / "report-dark.png")
    for name in ("report-light", "report-dark"):
        path = pictures / f"{name}.png"
        compress(path)
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1000:.0f} kB")


def main() -> None:
    parser = argparse.ArgumentParser(description="Pictures of reports.")
    parser.add_argument("folder", nargs="?", type=Path, help="where pages and pictures are put")
    parser.add_argument("names", nargs="*", help="reports, otherwise all")
    parser.add_argument("--readme", action="store_true", help="renew the pictures of the README")
    asked = parser.parse_args()
    if asked.folder is None and not asked.readme:
        parser.error("a folder is needed, or --readme")
    folder = asked.folder or ROOT / "build" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    names = asked.names or (["demo"] if asked.folder is None else list(REPORTS))
    with launched() as browser:
        for name in names:
            path = (folder / f"{name}.html").absolute()
            path.write_text(REPORTS[name](), encoding="utf-8")
            print(f"{name}: {path.stat().st_size / 1000:.0f} kB")
            if asked.folder is not None:
                take(browser, name, path, folder)
        if asked.readme:
            for_readme(browser, (folder / "demo.html").absolute())


if __name__ == "__main__":
    main()
