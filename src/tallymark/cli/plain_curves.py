"""Commands that show one curve of every model and have next to no options of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from tallymark.cli import curves
from tallymark.cli.models import Model, read_models
from tallymark.cli.output import Output
from tallymark.cli.rows import Rows
from tallymark.cli.thresholds import ranked_only
from tallymark.errors import OptionError

if TYPE_CHECKING:
    from tallymark.curves import Calibration, Rejection
    from tallymark.drawing import Document, Section
    from tallymark.drawing.figure import Figure
    from tallymark.findings import Finding
    from tallymark.metrics.calibration import Strategy


class Curve(Protocol):
    """What every curve can do."""

    @property
    def why(self) -> str | None: ...

    def table(self, library: str | None = None) -> Any: ...

    def to_dict(self, most: int = ...) -> dict[str, Any]: ...

    def document(self) -> Document: ...

    def figure(self, label: str = "") -> Figure: ...


class Shown(NamedTuple):
    """A curve as a command shows it."""

    schema: str
    curve: Callable[[Model], Curve]
    about_one: bool
    """Whether it is about one class; otherwise about the answers, whatever class they name."""
    more: Callable[[Model], dict[str, Any]] = lambda _: {}
    """What else JSON says."""
    also: Callable[[Model], Sequence[Section]] = lambda _: ()
    """What else the text says."""
    found: Callable[[Model], Finding | None] = lambda _: None
    """What else a careful teacher would point out."""
    takes_cut: bool = False
    """Whether it matters where the score is cut."""

    def write(
        self, files: tuple[str, ...], models: tuple[str, ...], rows: Rows, output: Output, **options: Any
    ) -> None:
        """Read, work out, write."""
        output.check(curves.SUFFIXES)
        if not self.takes_cut:
            refuse_cut(rows)
        found = ranked_only(read_models(files, models, rows, about_one=self.about_one, **options))
        curves.refuse_undefined(found, self.curve)
        curves.write(
            output,
            document=lambda: self._document(found),
            form=lambda: curves.form(self.schema, found, self._form),
            table=lambda: curves.stacked({model.name: self.curve(model).table("polars") for model in found}),
            figure=lambda: drawn(found, self.curve),
            models=found,
        )

    def _document(self, models: Sequence[Model]) -> Document:
        from tallymark.drawing import Document

        sections = [section for model in models for section in self._sections(model)]
        more = [finding for model in models for finding in self._found(model)]
        return Document("", (*sections, *curves.closing(models, [*curves.all_findings(models), *more])))

    def _sections(self, model: Model) -> list[Section]:
        from tallymark.drawing import Section

        first, *others = [*self.curve(model).document().sections, *self.also(model)]
        sections = [Section(first.title, (curves.opening(model), *first.blocks)), *others]
        name = f", {model.name}" if model.name else ""
        return [Section(f"{section.title}{name}", section.blocks) for section in sections]

    def _form(self, model: Model) -> dict[str, Any]:
        found = {"findings": curves.listed([*curves.findings(model), *self._found(model)])}
        return self.curve(model).to_dict() | self.more(model) | found

    def _found(self, model: Model) -> list[Finding]:
        finding = self.found(model)
        return [] if finding is None else [curves.about(model, finding)]


def refuse_cut(rows: Rows) -> None:
    """A curve over all scores does not change with where they are cut."""
    if rows.options["threshold"] is not None:
        raise OptionError(
            "the curve does not depend on where the score is cut, so --threshold would have no effect."
        )


def one_of_many(model: Model) -> bool:
    """Whether one of several classes was named, to be set against the rest."""
    return model.ev.position is not None and len(model.ev.labels) > 2


def calibration_of(model: Model, bins: int = 10, strategy: Strategy = "width") -> Calibration:
    """Of the class that was named; with more than two and none named, of the answers."""
    ev = model.ev
    return ev.curves.calibration(bins, strategy) if one_of_many(model) else ev.calibration_as(bins, strategy)


def rejection_of(model: Model) -> Rejection:
    """Of all answers; of whether a row is of the class, when one of several was named."""
    return model.ev.curves.rejection if one_of_many(model) else model.ev.rejection


def drawn(models: Sequence[Model], curve: Callable[[Model], Curve]) -> Figure:
    """The curve of one model, or of several on top of each other."""
    curves.refuse_undefined(models, curve)
    if len(models) == 1:
        return curve(models[0]).figure(models[0].name)
    from tallymark.curves.overlaid import overlaid

    return overlaid({model.name: curve(model).figure(model.name) for model in models})
