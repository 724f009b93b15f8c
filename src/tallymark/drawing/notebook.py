"""How results show themselves in notebooks."""

from __future__ import annotations

from typing import Protocol

from .document import Document, Section
from .figure import Figure
from .markdown import markdown
from .pictured import pictured
from .saved import Saved
from .text import text


def mimebundle(plain: Document, rich: Document) -> dict[str, str]:
    """The forms a notebook chooses from: `plain` where it only has text, `rich` where it draws pages."""
    from .html import fragment

    return {"text/plain": text(plain), "text/markdown": markdown(plain), "text/html": fragment(rich)}


class _Described(Protocol):
    def document(self) -> Document: ...


class _Drawn(_Described, Protocol):
    def figure(self) -> Figure: ...


class _Glanced(_Described, Protocol):
    def glance(self) -> Document: ...


class Glanced:
    """What has a first screen shows that in a notebook."""

    def _repr_mimebundle_(
        self: _Glanced,
        include: object = None,  # noqa: ARG002
        exclude: object = None,  # noqa: ARG002
    ) -> dict[str, str]:
        return mimebundle(self.document(), self.glance())


class Described:
    """What describes itself shows that description in a notebook."""

    def _repr_mimebundle_(
        self: _Described,
        include: object = None,  # noqa: ARG002
        exclude: object = None,  # noqa: ARG002
    ) -> dict[str, str]:
        described = self.document()
        return mimebundle(described, described)


class Drawn(Saved):
    """What has a figure shows it in a notebook, with its first sentence, and its numbers below it."""

    def _repr_mimebundle_(
        self: _Drawn,
        include: object = None,  # noqa: ARG002
        exclude: object = None,  # noqa: ARG002
    ) -> dict[str, str]:
        described = self.document()
        picture = pictured(described, self.figure())
        return mimebundle(described, Document(described.title, (Section("", (picture,)),)))
