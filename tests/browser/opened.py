"""A page in a browser, and all that it says, asks for and does wrong while it is open."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import axe_playwright_python
from playwright.sync_api import Browser, Page, sync_playwright

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
# Nothing that Chromium does on its own: no sandbox because builds run as root, and no call home.
SWITCHES = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-default-apps", "--disable-sync", "--no-first-run",
)  # fmt: skip
DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 740}
AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")


class NoBrowser(Exception):
    """There is no browser to open a page with."""


def program() -> str:
    """The Chromium of CHROMIUM, otherwise of PATH, that answers when it is called."""
    names = [os.environ["CHROMIUM"]] if os.environ.get("CHROMIUM") else PROGRAMS
    for path in filter(None, map(shutil.which, names)):
        if subprocess.run([path, "--version"], capture_output=True, check=False).returncode == 0:
            return path
    raise NoBrowser(f"Chromium is needed to open pages; tried: {', '.join(names)}. Hint: run `make browser`")


@contextmanager
def launched() -> Iterator[Browser]:
    """A browser without windows."""
    path = program()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(SWITCHES))
        yield browser
        browser.close()


@dataclass(frozen=True)
class Opened:
    """A page, with its console messages, errors and dialogs, and every address that was asked for."""

    page: Page
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def violations(self, *, colours: bool = True) -> list[str]:
        """What axe-core objects to: the rule, how many elements break it, and the first of them."""
        rules = f"{{'color-contrast': {{enabled: {str(colours).lower()}}}}}"  # which takes most of the time
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE)
        found: Any = self.page.evaluate(f"axe.run(document, {{rules: {rules}, resultTypes: ['violations']}})")
        return [
            f"{rule['id']}, {len(rule['nodes'])} times, as in {rule['nodes'][0]['html'][:200]}"
            for rule in found["violations"]
        ]

    def wider_than_screen(self) -> list[str]:
        """Elements that stick out to the right of the screen, if the page can be scrolled sideways."""
        found: list[str] = self.page.evaluate(
            """() => document.documentElement.scrollWidth <= innerWidth ? [] :
                [...document.body.querySelectorAll("*")]
                    .filter(element => element.getBoundingClientRect().right > innerWidth + 1)
                    .map(element => element.outerHTML.slice(0, 120)).slice(0, 5).concat("page")"""
        )
        return found


@contextmanager
def opened(browser: Browser, address: Path | str, **options: Any) -> Iterator[Opened]:
    """The page at a path or an address, in a context of its own."""
    context = browser.new_context(**{"viewport": DESKTOP, **options})
    page = context.new_page()
    result = Opened(page)
    page.on("console", lambda message: result.said.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: result.said.append(f"error: {error}"))
    page.on("dialog", lambda dialog: (result.said.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("request", lambda request: result.asked.append(request.url))
    page.goto(address.as_uri() if isinstance(address, Path) else address)
    yield result
    context.close()
