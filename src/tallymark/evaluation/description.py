"""An evaluation described as a document, for any pen to draw."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.curves.shared import cut_at, spelled
from tallymark.drawing import (
    NO_INTERVAL,
    Block,
    Column,
    Document,
    Findings,
    Lines,
    Paragraph,
    Section,
    Table,
    count,
    number,
    percent,
    value_and_interval,
    with_interval,
)
from tallymark.drawing import Finding as DrawnFinding
from tallymark.drawing import name as visible
from tallymark.evaluation.slice_tables import tables
from tallymark.inference import NAME_THE_POSITIVE, AnySample, Estimate, SetSample
from tallymark.metrics import METRICS, SCORE_METRICS, SET_METRICS, Asked, ask
from tallymark.tallies.labels import listed, quoted

if TYPE_CHECKING:
    from tallymark.evaluation.result import Evaluation
    from tallymark.tallies import Confusion, Label

MOST_PRINTED = 30
"""With more classes the matrix and the class table give way to the worst of each."""
MOST_CONFUSIONS = 10

_OVERALL = ("accuracy", "error_rate", "no_information_rate", "balanced_accuracy", "mcc", "kappa")
_WEKA = {
    "TP Rate": "recall",
    "FP Rate": "fpr",
    "Precision": "precision",
    "Recall": "recall",
    "F-Measure": "f1",
    "MCC": "mcc",
    "ROC Area": "auc",
    "PRC Area": "average_precision",
}


@np.errstate(under="ignore")
def describe(ev: Evaluation, *, normalize: str | None, extra: tuple[str, ...]) -> Document:
    """Sections in the order people read them."""
    sections = [Section("Evaluation", tuple(_opening(ev)))]
    sections.append(Section("Summary", tuple(summary(ev, extra))))
    if ev.confusion is not None:
        sections.append(Section("Confusion matrix", tuple(_matrix(ev, ev.confusion, normalize))))
    if ev.counted is not None:
        what = "class" if ev.sets is None else "label"
        sections.append(Section(f"Detailed Accuracy By {what.capitalize()}", tuple(_classes(ev, ev.counted))))
        plural = "classes" if ev.sets is None else "labels"
        sections.append(Section(f"Averages over the {plural}", tuple(averages_table(ev))))
    if ev.slices:
        sections.append(Section("Slices", tuple(tables(ev))))
    if ev.costs is not None:
        sections.append(Section("Costs", tuple(costs_in_words(ev))))
    if ev.findings:
        items = tuple(DrawnFinding(finding.code, finding.message) for finding in ev.findings)
        sections.append(Section("Findings", (Findings(items),)))
    return Document("", tuple(sections))


def _opening(ev: Evaluation) -> Iterable[Block]:
    yield Paragraph(" ".join(opening(ev)))
    for note in ev.notes:
        yield Paragraph(f"Note: {note}")


def opening(ev: Evaluation) -> list[str]:
    """What was counted and what the intervals stand on, sentence by sentence."""
    size = f"{count(ev.rows)} {'row' if ev.rows == 1 else 'rows'}"
    one, several = ("class", "classes") if ev.sets is None else ("label", "labels")
    classes = f"{count(len(ev.labels))} {one if len(ev.labels) == 1 else several}"
    said = [f"{size}, {classes}: {listed(ev.labels)[1:-1]}."]
    if ev.sets is not None:
        said += _about_sets(ev.sets)
    if ev.positive is not None:
        said.append(f"Positive class: {quoted(ev.positive)}.")
    if ev.threshold is not None:
        said.append(f"Called positive when score >= {_cut(ev, ev.threshold)}.")
    for reason, rows in ev.dropped.items():
        said.append(f"Dropped: {count(rows)} {'row' if rows == 1 else 'rows'} ({reason.replace('_', ' ')}).")
    if ev.counted is not None:
        said += _basis(ev.counted)
    return said


def _cut(ev: Evaluation, threshold: float) -> str:
    """In few digits, but so that as it is printed it takes the same rows."""
    ranking = ev.ranking(ev.position)
    return spelled(threshold) if isinstance(ranking, str) else cut_at(ranking.scores, threshold)


def _about_sets(sets: SetSample) -> Iterable[str]:
    """How large the sets are, and what two empty ones score."""
    sizes = sets.tally.set_sizes
    means = [number(float(sizes.counts @ side / sizes.n), 2) for side in (sizes.actual, sizes.predicted)]
    yield f"A row has {means[0]} labels on average and was given {means[1]}."
    empty = sizes.counts[sizes.either == 0].sum().item()
    if empty and sets.tally.squares is not None:
        yield f"Rows with two empty sets score {sets.empty_sets:g}; their weight is {count(empty)}."
    elif empty:
        rows = "1 row has" if empty == 1 else f"{count(empty)} rows have"
        yield f"{rows} two empty sets, which score {sets.empty_sets:g}."


def _basis(sample: AnySample) -> Iterable[str]:
    """What the intervals stand on."""
    tally = sample.tally if isinstance(sample, SetSample) else sample.confusion
    if tally.squares is not None:
        equal = f", worth {count(tally.effective_n)} rows of equal weight" if sample.groups is None else ""
        yield f"The weights add up to {count(tally.n)}{equal}."
    taken = "rows" if sample.groups is None else f"{count(len(sample.groups))} groups (not the rows)"
    yield f"Intervals are {sample.level * 100:.10g} % and take the {taken} as independent."


# --- numbers -----------------------------------------------------------------------------------


def summary(ev: Evaluation, extra: tuple[str, ...]) -> Iterable[Block]:
    """Every number in one table, and why some have no interval or no value."""
    known = known_numbers(ev, extra)
    shown = {name: estimate for name, estimate in known.items() if estimate.value is not None}
    if shown:
        yield _table(ev, shown, rules_between(ev, extra, shown))
    for name, estimate in shown.items():
        if estimate.low is None:
            yield Paragraph(f"{name} has no interval: {estimate.note}.")
    reasons = defaultdict(list)
    for name, estimate in known.items():
        if estimate.value is None:
            reasons[estimate.why].append(name)
    for why, names in reasons.items():
        yield Paragraph(_undefined(why, names))


def known_numbers(ev: Evaluation, extra: tuple[str, ...]) -> dict[str, Estimate]:
    """The numbers of the summary, in their order."""
    return {name: ev[name] for names in _parts(ev, extra) for name in names}


def rules_between(ev: Evaluation, extra: tuple[str, ...], shown: Iterable[str]) -> tuple[int, ...]:
    """Above which of the numbers shown another part begins."""
    listed = list(shown)
    firsts = [next((name for name in listed if name in names), None) for names in _parts(ev, extra)[1:]]
    return tuple(row for row, name in enumerate(listed) if row and name in firsts)


def _parts(ev: Evaluation, extra: tuple[str, ...]) -> tuple[list[str], ...]:
    """Numbers about all classes, about one, from scores, and asked for beyond these."""
    overall = list(_OVERALL if ev.sets is None else SET_METRICS)
    about_one = [
        name
        for name, metric in METRICS.items()
        if metric.about == "class" and metric.plain and ev.sets is None
    ]
    ranked = [
        name
        for name, metric in SCORE_METRICS.items()
        if metric.plain and ev.ranked is not None and (metric.about != "classes" or len(ev.labels) > 2)
    ]
    asked = [ask(name).name for name in extra if name not in ev.own]
    return (
        overall,
        about_one,
        ranked,
        [*(name for name in asked if name not in (*overall, *about_one, *ranked)), *ev.own],
    )


def _undefined(why: str | None, names: list[str]) -> str:
    if why == NAME_THE_POSITIVE:
        return (
            f"Name the positive class to have {', '.join(names[:2])} and {len(names) - 2} more numbers "
            "about one class here; those of every class are below."
        )
    return f"Undefined: {', '.join(names)}. Why: {why}."


def _table(ev: Evaluation, estimates: dict[str, Estimate], rules: tuple[int, ...] = ()) -> Table:
    """One line per number: its value, its interval, on how many rows, and how it was made."""
    level = "" if ev.level is None else f"{ev.level * 100:.10g} % interval"
    certified = any(estimate.bounds is not None for estimate in estimates.values())
    columns = [Column("", "left"), Column("value"), Column(level), Column("n"), Column("method", "left")]
    lines = [_line(name, estimate) for name, estimate in estimates.items()]
    if certified:
        columns.append(Column("off by at most"))
        lines = [(*line, estimate.off_by) for line, estimate in zip(lines, estimates.values(), strict=True)]
    return Table(tuple(columns), tuple(lines), rule_before=rules)


def _line(name: str, estimate: Estimate) -> tuple[str, ...]:
    n = "" if estimate.n is None else count(estimate.n)
    method = "none" if estimate.low is None else estimate.method or ""
    value, ends = value_and_interval(estimate.value, estimate.low, estimate.high)
    return name, value, ends.removesuffix(NO_INTERVAL), n, method


def value_of(estimate: Estimate) -> str:
    """Whole amounts, such as a total cost, without decimals."""
    return value_and_interval(estimate.value, None, None)[0]


def averages_table(ev: Evaluation) -> Iterable[Block]:
    """Averages over the classes, and which classes are left out of them."""
    names = list(next(iter(ev.averages.values())))
    columns = (Column("", "left"), *(Column(average) for average in ev.averages))
    rows = []
    for name in names:
        found = (row[name] for row in ev.averages.values())
        rows.append((name, *(with_interval(each.value, each.low, each.high) for each in found)))
    yield Table(columns, tuple(rows))
    notes = {row[name].note for row in ev.averages.values() for name in names} - {None}
    for name in names:
        for average, row in ev.averages.items():
            note = row[name].note
            if note in notes:
                notes.remove(note)
                yield Paragraph(f"{name} {average}: {note}.")


# --- tables ------------------------------------------------------------------------------------


def _matrix(ev: Evaluation, confusion: Confusion, normalize: str | None) -> Iterable[Block]:
    if len(ev.labels) > MOST_PRINTED:
        yield from _worst_confusions(ev, confusion)
        return
    if normalize is not None:
        shares = {"actual": "the actual class", "predicted": "the predicted class", "all": "all rows"}[
            normalize
        ]
        yield Paragraph(f"Percent of {shares}; rows are actual, columns predicted.")
    elif len(ev.labels) == 2:
        yield _two_by_two(ev, confusion)
        return
    yield _square(ev.labels, confusion, normalize)
    if len(ev.labels) > 2:
        yield ev.confused_pairs().document().sections[0].blocks[0]


def _square(labels: tuple[Label, ...], confusion: Confusion, normalize: str | None) -> Table:
    corner = Column("actual \\ predicted", "left")
    if normalize is not None:
        shares = confusion.normalized(normalize)  # type: ignore[arg-type]
        rows = [tuple("?" if np.isnan(share) else percent(share) for share in row) for row in shares]
        named = tuple((_name(label), *row) for label, row in zip(labels, rows, strict=True))
        return Table((corner, *(Column(_name(label)) for label in labels)), named)
    columns = (corner, *(Column(_name(label)) for label in labels), Column("total"))
    matrix = confusion.matrix
    body = [
        (_name(label), *(count(cell) for cell in row.tolist()), count(row.sum().item()))
        for label, row in zip(labels, matrix, strict=True)
    ]
    totals = ("total", *(count(cell) for cell in matrix.sum(axis=0).tolist()), count(confusion.n))
    return Table(columns, (*body, totals), rule_before=(len(body),))


def _two_by_two(ev: Evaluation, confusion: Confusion) -> Table:
    """The 2x2 with the rates in its margins, as the sources' summary page has it."""
    matrix = confusion.matrix.tolist()
    position = ev.position
    rows: list[tuple[str, ...]] = []
    for actual, label in enumerate(ev.labels):
        result = ev.per_class[label]
        cells = [
            f"{count(matrix[actual][called])}{_cell_name(actual, called, position)}" for called in (0, 1)
        ]
        right, wrong = ("recall", "fnr") if position in (None, actual) else ("specificity", "fpr")
        margins = (f"{right} {number(result['recall'].value)}", f"{wrong} {number(result['fnr'].value)}")
        rows.append((_name(label), *cells, count(sum(matrix[actual])), *margins))
    totals = [count(matrix[0][called] + matrix[1][called]) for called in (0, 1)]
    rows.append(("total", *totals, count(confusion.n), "", ""))
    below = []
    for called, label in enumerate(ev.labels):
        name = "precision" if position in (None, called) else "npv"
        below.append(f"{name} {number(ev.per_class[label]['precision'].value)}")
    rows.append(("", *below, "", f"accuracy {number(ev['accuracy'].value)}", ""))
    columns = ("actual \\ predicted", *map(_name, ev.labels), "total", "", "")
    aligned = tuple(Column(title, "left" if place == 0 else "right") for place, title in enumerate(columns))
    return Table(aligned, tuple(rows), rule_before=(2,))


def _cell_name(actual: int, called: int, positive: int | None) -> str:
    if positive is None:
        return ""
    return " " + ("T" if actual == called else "F") + ("P" if called == positive else "N")


def _worst_confusions(ev: Evaluation, confusion: Confusion) -> Iterable[Block]:
    actual, predicted = np.divmod(confusion.cells, len(ev.labels))
    wrong = np.flatnonzero(actual != predicted)
    worst = wrong[np.argsort(-confusion.counts[wrong], kind="stable")][:MOST_CONFUSIONS]
    yield Paragraph(
        f"{len(ev.labels):,} classes are too many to print; "
        f"the most frequent of {len(wrong):,} kinds of confusion:"
    )
    columns = (
        Column("actual", "left"),
        Column("predicted", "left"),
        Column("rows"),
        Column("of the actual class"),
    )
    totals = confusion.margins.actual
    rows = tuple(
        (
            _name(ev.labels[actual[cell]]),
            _name(ev.labels[predicted[cell]]),
            count(confusion.counts[cell].item()),
            percent(confusion.counts[cell] / totals[actual[cell]]),
        )
        for cell in worst
    )
    yield Table(columns, rows)


def _classes(ev: Evaluation, counted: AnySample) -> Iterable[Block]:
    """The class table in the form WEKA made familiar."""
    chosen = list(range(len(ev.labels)))
    if len(chosen) > MOST_PRINTED:
        values = METRICS["f1"](counted.each)
        present = np.where(counted.each.actual_positive > 0, values, np.inf)
        chosen = np.argsort(present, kind="stable")[:MOST_PRINTED].tolist()
        several = "classes" if ev.sets is None else "labels"
        yield Paragraph(f"The {MOST_PRINTED} of {len(ev.labels):,} {several} with the lowest F-Measure:")
    titles = ("", *_WEKA)
    columns = (
        *(Column(title, "left" if not title else "right") for title in titles),
        Column("Class" if ev.sets is None else "Label", "left"),
    )
    results = [ev.per_class[ev.labels[position]] for position in chosen]
    rows = [
        ("", *(number(result[name].value) for name in _WEKA.values()), _name(result.label))
        for result in results
    ]
    weighted = [_weighted(ev, counted, name) for name in _WEKA.values()]
    rows.append(("Weighted Avg.", *map(number, weighted), ""))
    yield Table(columns, tuple(rows), rule_before=(len(rows) - 1,))
    if 2 < len(ev.labels) <= MOST_PRINTED and not isinstance(ev.ranking(0), str):
        yield Paragraph(" ".join(ev.one_vs_rest.sentences()))


def _weighted(ev: Evaluation, counted: AnySample, name: str) -> float | None:
    """A column of the class table averaged over all classes, weighted by their rows."""
    if name in METRICS:
        return counted.of_average(Asked(METRICS[name], (), "weighted")).value
    if len(ev.labels) > MOST_PRINTED:
        return None  # it would take a ranking of every class, printed or not
    known = [(result.support, result[name].value) for result in ev.per_class.values()]
    total = sum(support for support, _ in known)
    if not total or any(value is None and support for support, value in known):
        return None
    return sum(support * (value or 0.0) for support, value in known) / total


def costs_in_words(ev: Evaluation) -> Iterable[Block]:
    """What each answer costs, and what all of them do."""
    assert ev.costs is not None
    yield Lines(ev.costs.words())
    if ev.sample is None:
        return
    yield _table(ev, {name: ev[name] for name in ("total_cost", "mean_cost")})
    linear = ev.costs.linear()
    accuracy: Any = ev["accuracy"].value
    if linear is not None and ev.sample.shares is None:
        p, q = linear
        yield Paragraph(
            f"Every right answer costs p = {p:g} and every wrong one q = {q:g}, so the cost follows "
            f"from the accuracy: N [q - (q - p) accuracy] = "
            f"{count(ev.sample.confusion.n)} [{q:g} - ({q:g} - {p:g}) {accuracy:.4g}] = "
            f"{value_of(ev['total_cost'])}."
        )


def _name(label: Label) -> str:
    return visible(str(label))
