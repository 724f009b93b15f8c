"""The style of a page, and the same style for a piece of a notebook that must not touch the rest of it."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_BLANKS = re.compile(r"\s*([{}:;,>])\s*|\s+")
_RULE = re.compile(r"(?P<selectors>[^{}]+)(?P<body>\{[^{}]*\})")
_DARK = "(prefers-color-scheme:dark)"
# How notebooks say that they are dark: JupyterLab, VS Code, Colab.
_DARK_NOTEBOOKS = (
    'body[data-jp-theme-light="false"]',
    "body.vscode-dark",
    "body[data-vscode-theme-kind=vscode-dark]",
    "html[theme=dark]",
)
_SILENT = (
    "html:not([theme]) body:not([data-jp-theme-light]):not([data-vscode-theme-kind])"
    ":not(.vscode-light):not(.vscode-dark)"
)


@cache
def part(name: str) -> str:
    """A file of this room."""
    return files(__package__).joinpath(name).read_text("utf-8")


@cache
def page_style() -> str:
    """All that a page needs, without the blanks that only people need; paper is never dark."""
    dark = f"@media screen and {_DARK}{{{part('dark.css')}}}"
    return compact(part("style.css") + dark + part("page.css"))


def fragment_style(name: str) -> str:
    """The same for what has the class `name` and nothing else, dark where the notebook is."""
    scope = f".{name}"
    dark = compact(part("dark.css")).removeprefix(":root")
    notebooks = ",".join(f"{notebook} {scope}" for notebook in _DARK_NOTEBOOKS)
    light = _RULE.sub(lambda rule: _scoped(rule, scope), compact(part("style.css") + part("fragment.css")))
    # Without a colour of the notebook's own the paper is the browser's, which must be dark as well.
    paper = f"{notebooks}{{color-scheme:dark}}"
    return f"{light}@media screen and {_DARK}{{{_SILENT} {scope}{dark}}}{notebooks}{dark}{paper}"


def compact(style: str) -> str:
    r"""The style without comments and needless blanks.

    >>> compact("p, td {\n  margin: 0 1em;  /* none */\n}")
    'p,td{margin:0 1em}'
    """
    written = _BLANKS.sub(lambda found: found[1] or " ", _COMMENT.sub("", style))
    return written.replace(";}", "}").strip()


def _scoped(rule: re.Match[str], scope: str) -> str:
    selectors = (scope if one == ":root" else f"{scope} {one}" for one in rule["selectors"].split(","))
    return ",".join(selectors) + rule["body"]
