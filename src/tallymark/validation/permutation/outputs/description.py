"""A permutation test described as a document, for any pen to draw."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tallymark.drawing import Block, Column, Document, Paragraph, Section, Table, count, interval, number
from tallymark.tallies.labels import quoted
from tallymark.validation.described import findings_sections
from tallymark.validation.permutation.words import (
    beside_scikit_learn,
    early_stop,
    exactness,
    finds_more,
    null,
    power,
    sure_side,
)
from tallymark.validation.validating.outputs.description import in_words

if TYPE_CHECKING:
    from tallymark.validation.permutation.result import PermutationTest


def describe(test: PermutationTest) -> Document:
    """Sections in the order people read them."""
    return Document(
        "",
        (
            Section("Permutation test", tuple(_opening(test))),
            Section("Verdict", tuple(_verdict(test))),
            Section("Results", (_results(test),)),
            Section("p-value", (_p_value(test),)),
            Section("What is tested", tuple(_tested(test))),
            *findings_sections(test.findings),
        ),
    )


def _opening(test: PermutationTest) -> Iterator[Block]:
    first = test.folds.folds[0]
    sizes = f" ({count(first.n_train)} rows to learn, {count(first.n_test)} to test)"
    cuts = test.folds.method + (sizes if len(test.folds) == 1 else "")
    whose = "of the training rows" if test.permute == "training" else "of all rows"
    kept = "; the test rows keep theirs" if test.permute == "training" else ""
    tuned = ""
    if test.candidates is not None:
        tuned = (
            f" Parameters are chosen within the training rows, by the permuted classes too: "
            f"{count(test.candidates)} {'candidate' if test.candidates == 1 else 'candidates'}."
        )
    asked_for = "" if test.stopped is None else f"of {count(test.stopped.of)} "
    yield Paragraph(
        f"{quoted(test.model)} on {count(test.data.rows)} rows; {cuts}. "
        f"{count(test.n_permutations)} {asked_for}permutations of the classes {whose}{kept}.{tuned}"
    )
    if test.pipeline:
        yield Paragraph(in_words(test.model, test.pipeline))
    yield from (Paragraph(f"Note: {note}") for note in test.notes)


def _verdict(test: PermutationTest) -> Iterator[Block]:
    yield Paragraph(test.verdict)
    yield from (Paragraph(said) for said in (sure_side(test), finds_more(test)) if said is not None)


def _results(test: PermutationTest) -> Table:
    from tallymark.validation.permutation.result import QUANTILES

    arrow = "higher" if test.better == "higher" else "lower"
    names = {0.5: "median"}
    rows = [
        ("real classes", "", number(test.value)),
        ("permuted classes", "mean", number(test.mean)),
        ("", "standard deviation", number(test.deviation)),
        ("", "lowest", number(test.quantile(0))),
        *(("", names.get(q, f"{q * 100:g} % quantile"), number(test.quantile(q))) for q in QUANTILES),
        ("", "highest", number(test.quantile(1))),
        ("always the most frequent class", "", number(test.majority.value)),
    ]
    heads = Column("", "left"), Column("", "left"), Column(f"{test.metric} ({arrow} is better)")
    return Table(heads, tuple(rows), rule_before=(1, len(rows) - 1))


def _p_value(test: PermutationTest) -> Table:
    b, m = test.at_least_as_good, test.n_permutations
    least = " (the least that so many can give)" if b == 0 else ""
    if least and test.stopped is not None:
        least = " (the least of a test that stops)"
    rows = [
        ("at least as good", f"{count(b)} of {count(m)} permutations"),
        ("p = (b + 1) / (m + 1)" if test.rule is None else "p", f"{number(test.p_value)}{least}"),
        *([] if test.p_error is None else [("its Monte Carlo error", number(test.p_error))]),
        (
            f"all permutations tried, {test.level * 100:.10g} % interval",
            interval(test.p_low, test.p_high),
        ),
    ]
    if test.ties:
        rows.insert(1, ("of them exactly as good", count(test.ties)))
    if test.undefined:
        rows.insert(1, ("of them undefined", count(test.undefined)))
    return Table((Column("", "left"), Column("", "left")), tuple(rows))


def _tested(test: PermutationTest) -> Iterator[Block]:
    yield Paragraph(f"Tested: that {null(test)}.")
    said = exactness(test)
    if test.ties and test.exact:
        said += " Permutations that are exactly as good count against the real classes, so ties keep p valid."
    yield Paragraph(said)
    yield from (Paragraph(more) for more in (early_stop(test), power(test)) if more is not None)
    yield Paragraph(beside_scikit_learn(test))
