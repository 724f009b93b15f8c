"""The HTML pen: one file to send, or a piece of a notebook."""

from __future__ import annotations

from .pen import fragment, page

__all__ = ["fragment", "page"]
