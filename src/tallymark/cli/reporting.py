"""From an evaluation to what was asked of it: the report, or worked formulas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tallymark.cli.options import comma_list, named_items
from tallymark.cli.output import CSV, DRAWN, HTML, JSON, LATEX, MARKDOWN, TEXT, Output, as_json
from tallymark.errors import OptionError

if TYPE_CHECKING:
    from tallymark.drawing import Document
    from tallymark.evaluation import Evaluation
    from tallymark.explanation import Explanation
    from tallymark.tallies import Label

EXPLANATIONS = "tallymark/explanations/1"
EVALUATIONS = "tallymark/evaluations/1"


@dataclass(frozen=True)
class Report:
    """What is asked of an evaluation."""

    metrics: tuple[str, ...]
    explain: tuple[str, ...]
    normalize: str | None
    prevalence: str | None
    undefined: float | None
    confidence: float
    seed: int

    def check(self, output: Output) -> None:
        """Refuse, before any work is done, what could not be answered."""
        from tallymark.metrics import ask

        for name in (*self.metrics, *self.explain):
            ask(name)
        if self.explain and (self.metrics or self.normalize):
            raise OptionError(
                f"--explain replaces the report, so {'--metric' if self.metrics else '--normalize'} "
                "would have no effect.",
                hint="leave one of them out.",
            )
        shares_of(self.prevalence)
        output.check((JSON, *DRAWN) if self.explain else (JSON, CSV, *DRAWN))
        if self.normalize and output.suffix == CSV:
            raise OptionError(
                "a .csv file has one row per number and no matrix, so --normalize would have no effect.",
                hint="leave one of them out.",
            )
        if self.normalize and output.suffix == HTML:
            raise OptionError(
                "a page shows every count with its share of the actual class, so --normalize would have no "
                "effect.",
                hint="leave one of them out.",
            )

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of `evaluate` among them."""
        return {
            "undefined": self.undefined,
            "confidence_level": self.confidence,
            "random_state": self.seed,
        }

    def write(self, ev: Evaluation, output: Output) -> None:
        """Answer."""
        ev = self.seen(ev)
        output.write(self._explanations(ev) if self.explain else self._report(ev))

    def write_each(self, evs: Mapping[str, Evaluation], output: Output) -> None:
        """Answer for several models, one after the other."""
        evs = {name: self.seen(ev) for name, ev in evs.items()}
        output.write(self._reports(evs))

    def seen(self, ev: Evaluation) -> Evaluation:
        """Under the class shares asked for."""
        shares = shares_of(self.prevalence)
        return ev if shares is None else ev.at_prevalence(shares)

    def _reports(self, evs: Mapping[str, Evaluation]) -> dict[str, Any]:
        from tallymark.drawing import drawn
        from tallymark.evaluation.frame import several_to_csv

        asked: dict[str, Any] = {"normalize": self.normalize, "extra": self.metrics}
        return {
            **drawn(
                lambda: _one_document({name: ev.document(**asked) for name, ev in evs.items()}),
                lambda: self._page(evs),
            ),
            CSV: lambda: several_to_csv(evs, extra=self.metrics),
            JSON: lambda: as_json(
                {
                    "schema": EVALUATIONS,
                    "models": [{"name": name, **ev.to_dict(**asked)} for name, ev in evs.items()],
                }
            ),
        }

    def _report(self, ev: Evaluation) -> dict[str, Any]:
        from tallymark.evaluation.saving import report

        return {
            **report(ev, normalize=self.normalize, extra=self.metrics),
            HTML: lambda: _drawn_page(self._page({"": ev})),
            JSON: lambda: as_json(ev.to_dict(normalize=self.normalize, extra=self.metrics)),
        }

    def _page(self, evs: Mapping[str, Evaluation]) -> Document:
        """The page, with the numbers that were asked for besides."""
        from tallymark.cli.curves import estimates
        from tallymark.drawing import Section
        from tallymark.drawing import name as visible
        from tallymark.evaluation.report import describe

        added = []
        for name, ev in evs.items() if self.metrics else ():
            found = estimates({each: ev[each] for each in self.metrics})
            added.append(Section(f"Asked for {visible(name)}".rstrip(), tuple(found)))
        return describe(evs, sections=added)

    def _explanations(self, ev: Evaluation) -> dict[str, Any]:
        explanations = [ev.explain(name) for name in self.explain]
        said = {"rows": ev.rows, "dropped": dict(ev.dropped), "notes": list(ev.notes)}
        return {
            TEXT: lambda: _stacked(explanations, _remarks(ev)),
            MARKDOWN: lambda: in_markdown(explanations, _remarks(ev)),
            HTML: lambda: in_html(explanations, _remarks(ev)),
            LATEX: lambda: _typeset(explanations, _remarks(ev)),
            JSON: lambda: as_json(explanations_form(explanations, said)),
        }


def _one_document(documents: Mapping[str, Document]) -> Document:
    """The reports of several models below each other, every heading with the model's name."""
    from tallymark.drawing import Document, Section
    from tallymark.drawing import name as visible

    return Document(
        "",
        tuple(
            Section(f"{visible(name)}: {section.title}", section.blocks)
            for name, document in documents.items()
            for section in document.sections
        ),
    )


def shares_of(prevalence: str | None) -> float | dict[Label, float] | None:
    """The class shares asked for: one for the positive class, or LABEL=SHARE,..."""
    if prevalence is None:
        return None
    if "=" not in prevalence:
        return _share(prevalence)
    given = named_items(comma_list(prevalence, "--prevalence"), "--prevalence", "LABEL=SHARE")
    return {label: _share(share) for label, share in given.items()}


def _share(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise OptionError(f"--prevalence: expected a number from 0 to 1; got {text!r}.") from None


def _stacked(explanations: list[Explanation], remarks: list[str]) -> str:
    from tallymark.cli.failures import visible
    from tallymark.explanation import filled

    parts = [visible(explanation.to_text(), keep="\n") for explanation in explanations]
    said = "\n".join(line for remark in remarks for line in filled(visible(remark)))
    return "\n\n\n".join([*parts, *([said] if said else [])])


def in_markdown(explanations: list[Explanation], remarks: list[str]) -> str:
    """Worked formulas below each other, and what must be said with them."""
    from tallymark.drawing import markdown

    return markdown(_of_explanations(explanations, remarks))


def in_html(explanations: list[Explanation], remarks: list[str]) -> str:
    """The same as a page."""
    names = ", ".join(explanation.name for explanation in explanations)
    return _drawn_page(_of_explanations(explanations, remarks, f"{names}, worked out"))


def _drawn_page(document: Document) -> str:
    from tallymark.drawing.html import page

    return page(document)


def _of_explanations(explanations: list[Explanation], remarks: list[str], title: str = "") -> Document:
    from tallymark.drawing import Document, Lines, Paragraph, Section

    sections = [
        Section(explanation.name, (Lines(tuple(explanation.to_text().splitlines())),))
        for explanation in explanations
    ]
    said = Section("", tuple(map(Paragraph, remarks)))
    return Document(title, (*sections, said))


def _typeset(explanations: list[Explanation], remarks: list[str]) -> str:
    from tallymark.cli.failures import visible
    from tallymark.drawing.latex import escaped

    parts = [explanation.to_latex() for explanation in explanations]
    return "\n\n".join([*parts, *(escaped(visible(remark)) for remark in remarks)])


def _remarks(ev: Evaluation) -> list[str]:
    """What must be said with every output: rows left out, and what was assumed."""
    said = [
        f"Dropped: {rows:,} {'row' if rows == 1 else 'rows'} ({why.replace('_', ' ')})."
        for why, rows in ev.dropped.items()
    ]
    return [*said, *(f"Note: {note}" for note in ev.notes)]


def explanations_form(explanations: list[Explanation], said: dict[str, Any] | None = None) -> dict[str, Any]:
    """Several explanations as one JSON document."""
    each = [explanation.to_dict() for explanation in explanations]
    return {"schema": EXPLANATIONS, **(said or {}), "explanations": each}
