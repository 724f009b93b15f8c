"""The SVG pen: pictures for pages."""

from __future__ import annotations

from .pen import svg

__all__ = ["svg"]
