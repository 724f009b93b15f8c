"""`tallymark explain`: a metric in words and formulas."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from tallymark.cli import SETTINGS, examples
from tallymark.cli.options import confidence_option, output_options, whole
from tallymark.cli.output import DRAWN, HTML, JSON, LATEX, MARKDOWN, TEXT, Output, as_json
from tallymark.cli.reporting import explanations_form, in_html, in_markdown
from tallymark.errors import OptionError

if TYPE_CHECKING:
    from tallymark.drawing import Block
    from tallymark.evaluation import Evaluation

EXAMPLES = examples(
    "tallymark explain recall",
    "tallymark explain f1 --tp 282 --fn 75 --fp 462 --tn 4841",
    "tallymark explain mcc --tp 282 --fn 75 --fp 462 --tn 4841 --latex",
    "tallymark explain --tp 282 --fn 75 --fp 462 --tn 4841",
)


@click.command("explain", context_settings=SETTINGS, epilog=EXAMPLES)
@click.argument("metric", required=False, metavar="[METRIC]")
@click.option("--tp", type=whole, metavar="N", help="True positives: positive and called positive.")
@click.option("--fn", type=whole, metavar="N", help="False negatives: positive but called negative.")
@click.option("--fp", type=whole, metavar="N", help="False positives: negative but called positive.")
@click.option("--tn", type=whole, metavar="N", help="True negatives: negative and called negative.")
@click.option("--latex", is_flag=True, help="Write the formulas in LaTeX (amsmath).")
@confidence_option
@output_options
def command(
    *,
    metric: str | None,
    tp: int | None,
    fn: int | None,
    fp: int | None,
    tn: int | None,
    confidence: float,
    output: Output,
) -> None:
    """What METRIC means, its formula, when it is undefined and what it is biased towards; with the four
    counts of a 2 x 2 matrix also its value and interval, step by step. With counts and no METRIC: all
    numbers, one line each. Averages are named like precision_macro, parameters like f_beta:2; without
    counts f_beta alone gives the formula in general."""
    ev = _evaluation({"tp": tp, "fn": fn, "fp": fp, "tn": tn}, confidence)
    output.check([JSON, *DRAWN])
    if metric is not None:
        output.write(_one(metric, ev))
    else:
        if output.flag == LATEX:
            raise OptionError("--latex needs a metric.", hint="tallymark explain mcc --latex, for example.")
        output.write(_names() if ev is None else _all(ev))


def _evaluation(counts: dict[str, int | None], confidence: float) -> Evaluation | None:
    from tallymark.evaluation import evaluate_confusion
    from tallymark.tallies import Confusion

    absent = [f"--{name}" for name, count in counts.items() if count is None]
    if len(absent) == len(counts):
        return None
    if absent:
        raise OptionError(f"all four counts are needed; missing: {', '.join(absent)}.")
    tp, fn, fp, tn = (count or 0 for count in counts.values())
    confusion = Confusion([[tp, fn], [fp, tn]], labels=["positive", "negative"])
    return evaluate_confusion(confusion, pos_label="positive", confidence_level=confidence)


def _one(name: str, ev: Evaluation | None) -> dict[str, Any]:
    from tallymark.explanation import explain
    from tallymark.metrics import ask

    explanation = explain(ask(name, general=True)) if ev is None else ev.explain(name)
    return {
        TEXT: explanation.to_text,
        MARKDOWN: lambda: in_markdown([explanation], []),
        HTML: lambda: in_html([explanation], []),
        LATEX: explanation.to_latex,
        JSON: lambda: as_json(explanation.to_dict()),
    }


def _all(ev: Evaluation) -> dict[str, Any]:
    """Every number that four counts give."""
    from tallymark.drawing import Lines
    from tallymark.metrics import METRICS

    names = [name for name, metric in METRICS.items() if not metric.parameters and "cost" not in name]
    return {
        **_drawn(
            "Every number of four counts",
            lambda: (Lines(tuple(_in_one_line(name, ev) for name in names)),),
        ),
        JSON: lambda: as_json(explanations_form([ev.explain(name) for name in names])),
    }


def _in_one_line(name: str, ev: Evaluation) -> str:
    """name = formula = numbers = value."""
    from tallymark.drawing import number
    from tallymark.metrics import METRICS, formulas, vocabulary

    formula = METRICS[name].formula
    tally = ev.per_class["positive"].tally
    assert tally is not None
    words = vocabulary.of_binary(tally)
    words |= {used.name: ev[used.name].value for used in vocabulary.used_metrics(formula)}
    estimate = ev[name]
    if estimate.value is None:
        return f"{name} = {formulas.text(formula)}: undefined, {estimate.why}"
    value = number(estimate.value, 4)
    if None in words.values():
        # A class without rows is left out of the mean over the classes, so its rate is not needed.
        return (
            f"{name} = {formulas.text(METRICS[name].classes_formula or formula)} = {value} ({estimate.note})"
        )
    return f"{name} = {formulas.text(formula)} = {formulas.worked(formula, words)} = {value}"


def _names() -> dict[str, Any]:
    """What there is to explain."""
    from tallymark.cli.metrics import as_asked
    from tallymark.drawing import Paragraph
    from tallymark.explanation import explain
    from tallymark.metrics import METRICS, SCORE_METRICS, SET_METRICS, ask

    every = {**METRICS, **SCORE_METRICS, **SET_METRICS}
    said = (
        f"Metrics: {', '.join(map(as_asked, every.values()))}.",
        "Averages over the classes: NAME_macro, NAME_micro, NAME_weighted, f_beta_macro:2.",
        "`tallymark explain recall` explains one; `tallymark metrics` has all the formulas.",
    )
    return {
        **_drawn("What can be explained", lambda: tuple(map(Paragraph, said))),
        JSON: lambda: as_json(explanations_form([explain(ask(name, general=True)) for name in every])),
    }


def _drawn(title: str, blocks: Callable[[], tuple[Block, ...]]) -> dict[str, Callable[[], str]]:
    """In every format; a page has a title."""
    from tallymark.drawing import Document, Section, drawn

    return drawn(
        lambda: Document("", (Section("", blocks()),)),
        lambda: Document(title, (Section("", blocks()),)),
    )
