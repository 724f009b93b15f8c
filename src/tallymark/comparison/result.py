"""`Comparison`: what the user holds after comparing models."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from tallymark.comparison.difference import Difference
from tallymark.comparison.margins import Within, within
from tallymark.drawing.notebook import Glanced
from tallymark.errors import OptionError
from tallymark.findings import Finding
from tallymark.inference import Estimate
from tallymark.tests.outcome import Outcome

if TYPE_CHECKING:
    from tallymark.drawing import Document
    from tallymark.drawing.document import Section
    from tallymark.drawing.figure import Figure
    from tallymark.evaluation import Evaluation

SCHEMA = "tallymark/comparison/1"
Design = Literal["same rows", "other rows", "same folds", "many data sets"]


@dataclass(frozen=True, eq=False)
class Model:
    """One of the models: its numbers by name."""

    name: str
    n: float | None
    """Rows, folds or data sets it was tried on."""
    values: Mapping[str, Estimate]


class Detail(Protocol):
    """What only one design has."""

    def sections(self) -> Sequence[Section]:
        """Tables and sentences of its own, for the report."""

    def form(self) -> Mapping[str, Any]:
        """JSON keys of its own."""

    def figures(self) -> Mapping[str, Callable[[], Figure]]:
        """Pictures of its own by kind, the most telling first."""


@dataclass(frozen=True, eq=False)
class Comparison(Glanced):
    """Models against each other: by how much they differ, how sure that is, and the verdict.

    Every model against every other one, in the order they were given.
    """

    design: Design
    models: tuple[Model, ...]
    metric: str
    """The number the verdict is about."""
    differences: tuple[Difference, ...]
    """Those of the verdict's number first."""
    verdict: str
    winner: str | None
    """The model that is better than all others, if the test says so."""
    assumption: str
    counted: str
    """What `Model.n` counts: rows, folds or data sets."""
    outcomes: tuple[Outcome, ...]
    """The tests of all models at once, and the other tests of the same question."""
    detail: Detail
    notes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    library: str | None = None
    margin: float | None = None
    """A difference in the verdict's number that does not matter."""
    evaluations: Mapping[str, Evaluation] = field(default_factory=dict)
    """The models that were compared, on the rows they were compared on; none where there were only scores.
    Never pickled."""

    @cached_property
    def margins(self) -> tuple[Within, ...]:
        """What the margin says of every pair in the verdict's number; nothing without a margin."""
        about = (each for each in self.differences if each.metric == self.metric)
        found = (within(each, each.level, self.margin) for each in about)
        return tuple(each for each in found if each is not None)

    def __getitem__(self, metric: str) -> Difference:
        """The difference in a number, when there are two models."""
        found = [each for each in self.differences if each.metric == metric]
        if not found:
            known = ", ".join(dict.fromkeys(each.metric for each in self.differences))
            raise OptionError(f"{metric!r} was not compared; there is {known}.")
        if len(found) > 1:
            raise OptionError(
                f"{len(self.models)} models make {len(found)} differences in {metric!r}.",
                hint="look for yours in .differences.",
            )
        return found[0]

    def __getstate__(self) -> dict[str, Any]:
        """All that it says and draws; the rows stay behind."""
        from tallymark.comparison.kept import KeptDetail

        state = {each.name: getattr(self, each.name) for each in fields(self)}
        # The intervals of margins are of another level, at which a pickled difference cannot be asked.
        kept = KeptDetail.of(self.detail)
        return state | {"detail": kept, "margins": self.margins, "evaluations": {}}

    def table(self, library: str | None = None) -> Any:
        """One row per difference, in your data frame library: polars, pandas or pyarrow."""
        from tallymark.comparison.outputs.frame import to_frame

        return to_frame(self, library)

    def figure(self, kind: str | None = None) -> Figure:
        """A picture described for any pen; the most telling one unless a kind is named."""
        from tallymark.comparison.outputs.pictures import figure

        return figure(self, kind)

    def plot(self, kind: str | None = None, ax: Any = None) -> Any:
        """Draw a picture on matplotlib axes, new ones unless given, and return them."""
        from tallymark.drawing.plots.pen import draw

        return draw(self.figure(kind), ax)

    def document(self) -> Document:
        """This comparison described for any pen."""
        from tallymark.comparison.outputs.description import describe

        return describe(self)

    def report(self, *, title: str = "", worst: int | None = None) -> Document:
        """The whole page: the verdict, the differences, and what is known of each model.

        `worst=20` lists the 20 worst errors of each as well, which are rows of the data.
        """
        from tallymark.comparison.outputs.report import describe

        return describe(self, title=title, worst=worst)

    def glance(self) -> Document:
        """What is seen first: the verdict, the numbers of the models, and a picture of the differences."""
        from tallymark.comparison.outputs.report import glance

        return glance(self)

    def __str__(self) -> str:
        from tallymark.drawing import text

        return text(self.document())

    def __repr__(self) -> str:
        names = ", ".join(repr(model.name) for model in self.models)
        return f"Comparison({self.design}: {names}; {self.verdict!r})"

    def to_dict(self) -> dict[str, Any]:
        """The JSON document as Python values."""
        from tallymark.comparison.outputs.form import to_form

        return to_form(self)

    def to_json(self) -> str:
        """The JSON document (schema `tallymark/comparison/1`)."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def save(self, path: str | Path, *, overwrite: bool = False, title: str = "") -> None:
        """Write the comparison whole or not at all; the suffix sets the format.

        The page as .html, with `title` as its heading, the report as .txt, .md or .tex, the JSON document as
        .json, the table as .csv, the picture as .png, .svg or .pdf.
        """
        from tallymark.comparison.outputs.saving import writers
        from tallymark.evaluation.saving import save

        save(path, writers(self, title=title), overwrite=overwrite, title=title)
