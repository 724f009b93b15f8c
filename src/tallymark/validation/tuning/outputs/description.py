"""A tuning described as a document, for any pen to draw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tallymark.drawing import Block, Column, Document, Paragraph, Section, Table, count, interval, number
from tallymark.drawing import name as visible
from tallymark.tallies.labels import quoted
from tallymark.validation.described import findings_sections
from tallymark.validation.tuning.candidates import same
from tallymark.validation.tuning.outputs.names import called, said
from tallymark.validation.validating.validated import fold_names

if TYPE_CHECKING:
    from tallymark.inference import Estimate
    from tallymark.validation.tuning.result import Tuning

_MOST_CANDIDATES, _MOST_FOLDS = 12, 20


def describe(tuning: Tuning) -> Document:
    """Sections in the order people read them."""
    sections = [
        Section("Tuning", tuple(_opening(tuning))),
        Section("Chosen", tuple(_chosen(tuning))),
        Section("Promised and kept", tuple(_kept(tuning))),
        Section("Candidates", tuple(_candidates(tuning))),
    ]
    if tuning.method == "nested":
        sections.append(Section("Outer folds", tuple(_folds(tuning))))
    return Document("", (*sections, *findings_sections(tuning.findings)))


def several(tuning: Tuning) -> bool:
    """Whether candidates are of more than one model."""
    return len({each.candidate.name for each in tuning.candidates}) > 1


def _opening(tuning: Tuning) -> Iterator[Block]:
    from tallymark.validation.learners.by_name import described

    how = "on a grid" if tuning.trials.how == "grid" else "drawn at random"
    models = {each.candidate.name: each.candidate.model for each in tuning.candidates}
    names = [quoted(name) for name in models]
    of = f" of {', '.join(names[:-1])} and {names[-1]}" if len(models) > 1 else ""
    many = len(tuning.candidates)
    tried = f"{count(many)} {'candidate' if many == 1 else 'candidates'}{of} {how}"
    yield Paragraph(
        f"{count(tuning.data.rows)} rows, {len(tuning.data.labels)} classes; {tried}; chosen by "
        f"{tuning.metric}, {tuning.better} is better; {count(tuning.n_fits)} fits."
    )
    yield Paragraph(_method(tuning))
    for name, model in models.items():
        who = f"{visible(name)}: " if len(models) > 1 else ""
        yield Paragraph(f"{who}{described(model).rstrip('.')}.")
    for note in tuning.notes:
        yield Paragraph(f"Note: {note}")


def _method(tuning: Tuning) -> str:
    if tuning.method == "three-way":
        return (
            f"Three-way split: {tuning.split}. The winner learned the first two and was asked about the "
            "third once."
        )
    return (
        f"Nested: outer folds by {tuning.folds.method}; inside the training rows of each a search by "
        f"{tuning.split}, whose winner was asked about the test rows once. A last search on all rows chose."
    )


def _chosen(tuning: Tuning) -> Iterator[Block]:
    best = tuning.best.candidate
    rows: list[tuple[str, ...]] = [
        (visible(name), visible(said(value))) for name, value in best.given.items()
    ]
    if several(tuning):
        rows.insert(0, ("model", visible(best.name)))
    if not rows:
        yield Paragraph("There was nothing to choose: one candidate, the model as it is.")
        return
    heads = [Column("", "left"), Column("value", "left")]
    if tuning.method == "nested":
        heads.append(Column("outer folds that chose the same", "left"))
        rows = [(*row, shared) for row, shared in zip(rows, _shared(tuning), strict=True)]
    yield Table(tuple(heads), tuple(rows))
    if tuning.method == "nested" and len(tuning.choices) > 1:
        folds = sum(times for _, times in tuning.choices)
        yield Paragraph(
            f"The {count(folds)} outer folds chose {count(len(tuning.choices))} different candidates: the "
            "data do not tell the best ones apart."
        )


def _shared(tuning: Tuning) -> list[str]:
    """How many outer folds chose as the last search, for every parameter; for the model too, of several."""
    best = tuning.best.candidate
    counts: Counter[str] = Counter()
    for tried, times in tuning.choices:
        other = tried.candidate
        counts[""] += times * (other.name == best.name)
        for name, value in best.parameters.items():
            alike = other.name == best.name and same(other.parameters.get(name), value)
            counts[name] += times * alike
    names = ["", *best.parameters] if several(tuning) else [*best.parameters]
    folds = sum(times for _, times in tuning.choices)
    return [f"{counts[name]:,} of {folds:,}" for name in names]


def _kept(tuning: Tuning) -> Iterator[Block]:
    nested = tuning.method == "nested"
    where = "the winner on the validation rows", "the winner on the test rows"
    if nested:
        where = "winners in the inner folds they were chosen by", "the same winners in the outer folds"
    level = f"{tuning.level * 100:.10g} % interval"
    heads = (Column("", "left"), Column(tuning.metric), Column(level), Column("how", "left"))
    rows = (
        ("promised", *_numbers(tuning.inner), where[0]),
        ("kept", *_numbers(tuning.outer), f"{where[1]}{_by(tuning.outer)}"),
        ("optimism", *_numbers(tuning.optimism), f"by how much the promise was better{_by(tuning.optimism)}"),
    )
    yield Table(heads, rows, rule_before=(2,))
    yield Paragraph(verdict(tuning))
    for name, estimate in (("kept", tuning.outer), ("optimism", tuning.optimism)):
        reason = estimate.why if estimate.value is None else estimate.note
        if reason:
            yield Paragraph(f"{name}: {reason}.")
    if nested:
        pooled = tuning[tuning.metric].pooled
        if pooled.value is not None:
            yield Paragraph(
                f"Pooled, all outer test rows together: {number(pooled.value)} "
                f"{interval(pooled.low, pooled.high)}{_by(pooled)}."
            )


def _numbers(estimate: Estimate) -> tuple[str, str]:
    return number(estimate.value), interval(estimate.low, estimate.high)


def _by(estimate: Estimate) -> str:
    return "" if estimate.low is None or estimate.method is None else f"; {estimate.method}"


def verdict(tuning: Tuning) -> str:
    """What to expect of a model chosen this way."""
    kept, gap = tuning.outer.value, tuning.optimism.value
    if kept is None or gap is None:
        return "What the choice is worth is undefined."
    text = f"Expect {tuning.metric} {number(kept)} of a model chosen this way{_promise(tuning, gap)}"
    if tuning.method == "three-way":
        return text
    return (
        f"{text} The estimate is of models that learned fewer rows, the training rows of an outer fold; the "
        "last one learns all, and may be a little better. The last search promised "
        f"{number(tuning.best_score)}."
    )


def _promise(tuning: Tuning, gap: float) -> str:
    """What became of the promise; luck is blamed only where chance alone does not explain it."""
    if len(tuning.candidates) == 1:
        return ". One candidate was tried, so no luck of choosing is in it."
    if gap <= 0:
        return (
            ": the promise was not too good here. Candidates are tried after learning fewer rows than the "
            "winner learns in the end, which can outweigh the luck of the best; so can chance."
        )
    promised = number(tuning.inner.value)
    if tuning.optimism.low is not None and tuning.optimism.low > 0:
        return f", not {promised}: the best of many is partly the luckiest."
    return (
        f". The promise, {promised}, was better, as the best of many often looks by luck; here the "
        "difference may be chance."
    )


def _candidates(tuning: Tuning) -> Iterator[Block]:
    search = tuning.search
    names = sorted({name for each in search.tried for name in each.candidate.given})
    ranked = sorted(
        range(len(search.tried)), key=lambda place: (search.ranks[place] is None, search.ranks[place] or 0)
    )
    trained = any(each.training_mean is not None for each in search.tried)
    spread = any(each.deviation is not None for each in search.tried)
    heads = [Column("rank")]
    heads += [Column("model", "left")] if several(tuning) else []
    heads += [Column(visible(name)) for name in names]
    heads += [Column("mean" if spread else tuning.metric), *([Column("deviation")] if spread else [])]
    heads += [Column("training")] if trained else []
    rows = []
    for place in ranked[:_MOST_CANDIDATES]:
        each, rank = search.tried[place], search.ranks[place]
        own = each.candidate.given
        cells = ["-" if rank is None else str(rank)]
        cells += [visible(each.candidate.name)] if several(tuning) else []
        cells += [visible(said(own[name])) if name in own else "" for name in names]
        numbers = ["given up" if each.outdone else number(each.mean)]
        numbers += [number(each.deviation)] if spread else []
        numbers += [number(each.training_mean)] if trained else []
        cells += numbers if not each.outdone else [numbers[0], *[""] * (len(numbers) - 1)]
        rows.append(tuple(cells))
    yield Table(tuple(heads), tuple(rows))
    where = "On the validation rows"
    if spread:
        where = f"Mean and standard deviation of {tuning.metric} over the inner folds of all rows"
    rest = len(search.tried) - len(rows)
    more = f"; {count(rest)} more are in the table: -o OUT.csv (to_frame())" if rest > 0 else ""
    yield Paragraph(f"{where}{more}.")
    outdone = sum(each.outdone for each in search.tried)
    if outdone:
        yield Paragraph(
            f"Given up early, for it could not become the best any more: {count(outdone)}. Ranks are among "
            "the candidates tried to the end."
        )


def _folds(tuning: Tuning) -> Iterator[Block]:
    heads = (Column("fold", "left"), Column("promised"), Column("kept"), Column("chosen", "left"))
    rows = []
    columns = zip(
        fold_names(tuning.folds), tuning.inner_values, tuning.outer_values, tuning.inner_searches, strict=True
    )
    for name, inner, outer, found in columns:
        won = found.winner
        chosen = "-" if won is None else called(won.candidate, several=several(tuning))
        rows.append((visible(name), number(inner), number(outer), visible(chosen)))
    yield Table(heads, tuple(rows[:_MOST_FOLDS]))
    if len(rows) > _MOST_FOLDS:
        yield Paragraph(f"{count(len(rows) - _MOST_FOLDS)} more folds are in the JSON document.")
