"""Where a gate reads its numbers: an evaluation, or the JSON document that one has left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

from tallymark.errors import InputError, LabelError, MetricError, OptionError
from tallymark.evaluation import Evaluation
from tallymark.evaluation.prevalence import OTHER_SHARES
from tallymark.findings.tuned_here import check as check_tuned
from tallymark.gate.forms import checked_form, read_form
from tallymark.inference import Estimate, undefined
from tallymark.inference.estimate import INDEPENDENT
from tallymark.metrics import FROM_SCORES, ask
from tallymark.tallies import Confusion, Label
from tallymark.tallies.labels import listed


class Numbers(Protocol):
    """Every number that can be asked for by name."""

    @property
    def task(self) -> str: ...
    @property
    def rows(self) -> float: ...
    @property
    def labels(self) -> tuple[str, ...]: ...
    @property
    def positive(self) -> str | None: ...
    @property
    def level(self) -> float: ...
    @property
    def own(self) -> frozenset[str]:
        """Names of the user's own metrics."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What must be said with every number: rows left out, what was assumed, a threshold tuned here."""
        ...

    @property
    def shares(self) -> str | None:
        """Class shares, if they are not those of the rows."""
        ...

    def number(self, metric: str, label: str | None) -> Estimate:
        """A metric, of all classes or of one."""
        ...

    def slices(self) -> Iterator[tuple[Mapping[str, str], Numbers]]:
        """The rows of every slice, by columns and values."""
        ...


@dataclass(frozen=True, eq=False)
class OfEvaluation:
    """The numbers of an evaluation that is at hand."""

    ev: Evaluation

    @property
    def task(self) -> str:
        return self.ev.task

    @property
    def rows(self) -> float:
        return self.ev.rows

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(map(str, self.ev.labels))

    @property
    def positive(self) -> str | None:
        return None if self.ev.positive is None else str(self.ev.positive)

    @property
    def level(self) -> float:
        return 0.95 if self.ev.level is None else self.ev.level

    @property
    def own(self) -> frozenset[str]:
        return frozenset(self.ev.own)

    @property
    def notes(self) -> tuple[str, ...]:
        tuned = check_tuned(self.ev)
        return (*_dropped(self.ev.dropped), *self.ev.notes, *([] if tuned is None else [tuned.message]))

    @property
    def shares(self) -> str | None:
        return _shares(self.ev.notes)

    def number(self, metric: str, label: str | None) -> Estimate:
        """A metric, of all classes or of one."""
        return self.ev[metric] if label is None else self.ev.per_class[self.label(label)][metric]

    def label(self, text: str) -> Label:
        """The class that is written so."""
        return self.ev.labels[place_of(text, self.labels)]

    def slices(self) -> Iterator[tuple[Mapping[str, str], Numbers]]:
        """The rows of every slice."""
        for part in self.ev.slices:
            yield {column: str(value) for column, value in part.slice.items()}, OfEvaluation(part.evaluation)


@dataclass(frozen=True, eq=False)
class OfForm:
    """The numbers of an evaluation that is finished and written down (schema `tallymark/evaluation/1`)."""

    form: Mapping[str, Any]
    called: str
    """The file, for messages."""

    @property
    def task(self) -> str:
        return str(self.form["task"])

    @property
    def rows(self) -> float:
        return float(self.form["rows"])

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(map(str, self.form["labels"]))

    @property
    def positive(self) -> str | None:
        positive: str | None = self.form.get("positive")
        return positive

    @cached_property
    def level(self) -> float:
        levels = (form.get("level") for form in self.form["metrics"].values())
        return float(next((level for level in levels if level is not None), 0.95))

    @cached_property
    def own(self) -> frozenset[str]:
        return frozenset(name for name in self.form["metrics"] if not _ours(name))

    @property
    def notes(self) -> tuple[str, ...]:
        findings = (each for each in self.form.get("findings") or () if each["code"] == "TM007")
        tuned = (each["message"] for each in findings)
        return (*_dropped(self.form.get("dropped") or {}), *(self.form.get("notes") or ()), *tuned)

    @property
    def shares(self) -> str | None:
        return _shares(self.form.get("notes") or ())

    def number(self, metric: str, label: str | None) -> Estimate:
        """A metric as it was written down; one that was not, from the matrix."""
        name = metric if metric in self.own else ask(metric).name
        known = self.form["metrics"] if label is None else self._classes[place_of(label, self.labels)]
        if isinstance(known.get(name), Mapping):
            return _estimate(known[name], self.level)
        return self._worked_out(name, label)

    def slices(self) -> Iterator[tuple[Mapping[str, str], Numbers]]:
        """The rows of every slice that was written down."""
        for part in self.form.get("slices") or ():
            yield part["slice"], OfForm({**self.form, **part, "per_class": [], "slices": []}, self.called)

    @cached_property
    def _classes(self) -> list[Mapping[str, Any]]:
        known = {each["label"]: each for each in self.form["per_class"]}
        return [known.get(label, {}) for label in self.labels]

    def _worked_out(self, name: str, label: str | None) -> Estimate:
        """From the counts, if rows are independent: what else is known of them is not in the matrix."""
        counts = self._counted
        if counts is None or ask(name).metric.about in FROM_SCORES:
            asked = name if label is None else f"{name} of {label!r}"
            raise InputError(
                f"{self.called} does not hold {asked}, and it cannot be worked out from what it holds.",
                hint=f"make it again with `tallymark evaluate ... --metric {name} --json`, or give the "
                "predictions themselves.",
            )
        return OfEvaluation(counts).number(name, label)

    @cached_property
    def _counted(self) -> Evaluation | None:
        matrix = (self.form.get("confusion") or {}).get("matrix")
        said = {form.get("assumption") for form in self.form["metrics"].values() if form.get("assumption")}
        if matrix is None or said - {INDEPENDENT} or any(int(n) != n for row in matrix for n in row):
            return None
        costs = self.form.get("costs")
        return Confusion(matrix, labels=list(self.labels)).evaluate(
            pos_label=self.positive,
            confidence_level=self.level,
            costs=None if costs is None else costs["matrix"],
        )


def place_of(text: str, labels: tuple[str, ...]) -> int:
    """Where a class stands among the labels."""
    if text not in labels:
        raise LabelError(f"{text!r} is not a class; the labels are {listed(labels)}.")
    return labels.index(text)


def _shares(notes: Iterable[str]) -> str | None:
    """What is said of them with every evaluation under others than its own."""
    said = (note for note in notes if note.startswith(OTHER_SHARES))
    return next((note.removeprefix(OTHER_SHARES).partition(";")[0].strip() for note in said), None)


def _dropped(rows_by_why: Mapping[str, int]) -> Iterator[str]:
    for why, rows in rows_by_why.items():
        yield f"{rows:,} {'row was' if rows == 1 else 'rows were'} left out ({why.replace('_', ' ')})."


def _ours(name: str) -> bool:
    try:
        return bool(ask(name))
    except MetricError:
        return False


def _estimate(form: Mapping[str, Any], level: float) -> Estimate:
    if form["value"] is None:
        return undefined(form.get("why") or "no reason was written down", level)
    low, note = form.get("low"), form.get("note")
    ends: tuple[float, float] | str = (
        (low, form["high"]) if low is not None else note or "none was written down"
    )
    bounds = form.get("bounds")
    return Estimate(
        form["value"],
        form.get("level") or level,
        form.get("method"),
        form.get("n"),
        form.get("assumption"),
        remark=note if low is not None else None,
        bounds=None if bounds is None else (bounds[0], bounds[1]),
        ends_at=lambda _: ends,
        se=form.get("se"),
    )


# --- from what is given --------------------------------------------------------------------------


def numbers_of(given: Any, what: str) -> Numbers:
    """The numbers of an evaluation, of its JSON document, or of a file that holds either."""
    if isinstance(given, OfEvaluation | OfForm):
        return given
    if isinstance(given, Evaluation):
        return OfEvaluation(given)
    if isinstance(given, Confusion):
        return OfEvaluation(given.evaluate())
    if isinstance(given, Mapping):
        return OfForm(checked_form(given, what), what)
    if isinstance(given, str | PathLike):
        return _of_file(Path(given), what)
    raise OptionError(
        f"{what} is an evaluation, its JSON document, or a .json or .tally file; got a value of type "
        f"{type(given).__name__}.",
        hint="evaluate the predictions first: tm.evaluate(y_true, y_pred).",
    )


def _of_file(path: Path, what: str) -> Numbers:
    suffix = path.suffix.lower()
    if suffix == ".json" or path.is_dir():
        return OfForm(read_form(path), repr(str(path)))
    if suffix == ".tally":
        from tallymark.evaluation import evaluate

        return OfEvaluation(evaluate(path))
    raise OptionError(
        f"{what} is {str(path)!r}, of which nothing tells the columns.",
        hint=f"evaluate it first: tm.evaluate({path.name!r}, actual=..., predicted=...); a .json file of an "
        "evaluation and a .tally file are read as they are.",
    )
