"""Pages and fragments drawn from templates."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from functools import cache
from hashlib import sha256

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from tallymark._version import __version__
from tallymark.drawing.document import Document, Live
from tallymark.drawing.flat import still

from .styles import compact, fragment_style, page_style, part
from .views import Views

# No text from data has it: there it would have been made visible.
_NAME_TO_COME = "\0"
_NAME_LENGTH = 8


def page(document: Document) -> str:
    """The document as one HTML file that asks for nothing; the same document gives the same file."""
    live = [block for section in document.sections for block in section.blocks if isinstance(block, Live)]
    views = Views("", 2)
    viewed = views.of(_titled(document))
    styles, scripts = [each.style for each in live], [each.script for each in live]
    if views.searched:
        styles, scripts = [part("table.css"), *styles], [part("table.js"), *scripts]
    style = page_style() + "".join(map(compact, styles))
    script = "\n".join([part("script.js"), *scripts])
    return (
        _templates()
        .get_template("page.html")
        .render(
            viewed,
            style=Markup(style),
            script=Markup(script),
            style_hash=_hash(style),
            script_hash=_hash(script),
            version=__version__,
        )
    )


def fragment(document: Document) -> str:
    """The document as a piece of a notebook: no script, and a style for nothing but itself."""
    views = Views(f"{_NAME_TO_COME}-", 4 if document.title else 3).of(
        Document(document.title, still(document))
    )
    drawn = _templates().get_template("fragment.html").render(views)
    name = f"tallymark-{sha256(drawn.encode()).hexdigest()[:_NAME_LENGTH]}"
    return (
        f"<div class={name}><style>{fragment_style(name)}</style>{drawn.replace(_NAME_TO_COME, name)}</div>"
    )


def _titled(document: Document) -> Document:
    """A page must have a title: that of its first section, where it has none of its own."""
    if document.title or not document.sections:
        return document
    first, *others = document.sections
    return Document(first.title, (replace(first, title=""), *others))


@cache
def _templates() -> Environment:
    return Environment(
        loader=FunctionLoader(lambda name: part(f"templates/{name}")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _hash(text: str) -> Markup:
    """What a content policy calls a piece of the page that may act."""
    return Markup(f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'")
