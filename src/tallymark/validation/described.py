"""What every result of validation can do: be printed, saved, drawn, and turned into a table."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tallymark.drawing.notebook import Glanced
from tallymark.errors import OptionError

if TYPE_CHECKING:
    from tallymark.comparison import Comparison
    from tallymark.drawing import Document, Section
    from tallymark.drawing.figure import Figure
    from tallymark.findings import Finding
    from tallymark.validation.page import PageWords

PICTURES = (".png", ".svg", ".pdf")


class Described(Glanced, ABC):
    """A result that describes itself once; the rest follows."""

    library: str | None = None
    """The data frame library the data came in, if they did."""
    untold: str = ""
    """What the report leaves open, and what would tell it."""

    def __getstate__(self) -> dict[str, Any]:
        """Without what was worked out on the way, and without models, for not every model can be pickled; the
        findings, which look at them, go along."""
        state = {each.name: getattr(self, each.name) for each in fields(cast(Any, self))}
        return {**state, "estimators": {}, "findings": self.findings} if "estimators" in state else state

    @property
    @abstractmethod
    def findings(self) -> tuple[Finding, ...]:
        """What a careful reader of the protocol would point out, each with a code and the numbers."""

    @abstractmethod
    def document(self) -> Document:
        """This result described for any pen."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The JSON document as Python values; `schema` comes first."""

    @abstractmethod
    def columns(self) -> Mapping[str, Any]:
        """The table: columns by name, arrays of numbers (NaN is missing) or lists of text with None."""

    @abstractmethod
    def figures(self) -> Mapping[str, Callable[[], Figure]]:
        """Pictures by kind, the most telling first."""

    @abstractmethod
    def page_words(self) -> PageWords:
        """What is said on the page of this result and in no table."""

    def report(self, comparison: Comparison | None = None, *, title: str = "") -> Document:
        """The whole page; with a comparison of the models where one is given."""
        from tallymark.validation.page import describe

        return describe(self, comparison, title)

    def glance(self) -> Document:
        """What is seen first: what came out, the table of it, and the most telling picture."""
        from tallymark.validation.page import glance

        return glance(self)

    def figure(self, kind: str | None = None) -> Figure:
        """A picture described for any pen; the most telling one unless a kind is named."""
        known = self.figures()
        chosen = next(iter(known)) if kind is None else kind
        if chosen not in known:
            raise OptionError(f"no picture of this is called {chosen!r}; there is {', '.join(known)}.")
        return known[chosen]()

    def plot(self, kind: str | None = None, ax: Any = None) -> Any:
        """Draw a picture on matplotlib axes, new ones unless given, and return them."""
        from tallymark.drawing.plots.pen import draw

        return draw(self.figure(kind), ax)

    def to_frame(self, library: str | None = None) -> Any:
        """The table in your data frame library: polars, pandas or pyarrow."""
        from tallymark.curves.frames import frame

        return frame(self.columns(), library or self.library)

    def table(self, library: str | None = None) -> Any:
        """The same as `to_frame`."""
        return self.to_frame(library)

    def to_json(self) -> str:
        """The JSON document."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def __str__(self) -> str:
        from tallymark.drawing import text

        return text(self._alone())

    def _alone(self) -> Document:
        """The report, and what it leaves open."""
        from tallymark.drawing import Document, Paragraph, Section

        described = self.document()
        open_end = (Section("", (Paragraph(self.untold),)),) if self.untold else ()
        return Document(described.title, (*described.sections, *open_end))

    def writers(self, kind: str | None = None, *, title: str = "") -> dict[str, Callable[[], str | bytes]]:
        """What writes each format, by suffix; `kind` is the picture to draw, `title` the page's heading."""
        from tallymark.drawing import drawn, image

        pictures = {suffix: lambda suffix=suffix: image(self.figure(kind), suffix) for suffix in PICTURES}
        return {
            **drawn(self._alone, lambda: self.report(title=title)),
            ".json": self.to_json,
            ".csv": self._csv,
            **pictures,
        }

    def save(self, path: str | Path, *, overwrite: bool = False, title: str = "") -> None:
        """Write the result whole or not at all; the suffix sets the format.

        The page as .html, with `title` as its heading, the report as .txt, .md or .tex, the JSON document as
        .json, the table as .csv, the picture as .png, .svg or .pdf.
        """
        from tallymark.evaluation.saving import save

        save(path, self.writers(title=title), overwrite=overwrite, title=title)

    def _csv(self) -> str:
        from tallymark.drawing import csv

        columns = self.columns()
        cells: list[Sequence[Any]] = [
            [None if value != value else value for value in getattr(column, "tolist", lambda c=column: c)()]
            for column in columns.values()
        ]
        return csv(tuple(columns), zip(*cells, strict=True))


def findings_sections(findings: Sequence[Finding]) -> tuple[Section, ...]:
    """The section of the findings, if there are any."""
    from tallymark.drawing import Finding as DrawnFinding
    from tallymark.drawing import Findings, Section

    items = tuple(DrawnFinding(each.code, each.message) for each in findings)
    return (Section("Findings", (Findings(items),)),) if items else ()
